//! What sidecars share: putting what a file says over what earlier files said, and finding what was
//! edited since.

use std::sync::Arc;

use super::{Report, Severity};
use crate::document::{Document, Object, ObjectId, Objects, Property, Snapshot, Team};
use crate::geom::ColumnRect;

/// Kinds of objects that a sidecar names each on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    /// Regions and points.
    Spawn,
    /// Bases.
    Base,
    /// Intel.
    Intel,
    /// Territories.
    Territory,
    /// Markers.
    Marker,
}

impl ObjectKind {
    /// Every kind.
    pub(super) const ALL: [Self; 5] = [Self::Spawn, Self::Base, Self::Intel, Self::Territory, Self::Marker];

    /// The kind of an object.
    pub(super) fn of(object: &Object) -> Self {
        match object {
            Object::SpawnRegion { .. } | Object::SpawnPoint { .. } => Self::Spawn,
            Object::Base { .. } => Self::Base,
            Object::Intel { .. } => Self::Intel,
            Object::Territory { .. } => Self::Territory,
            Object::Marker { .. } => Self::Marker,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Spawn => "spawn regions",
            Self::Base => "bases",
            Self::Intel => "intel",
            Self::Territory => "territories",
            Self::Marker => "markers",
        }
    }
}

/// Whether a marker stands for an entity of a Space Station 14 map, by its name: that of a prototype. Other markers
/// are the mapper's own.
pub(super) fn is_entity_name(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether an object stands for an entity of a Space Station 14 map: by its name, or because it is one of the file's that has its name still,
/// also where that is another one than prototypes have, or none.
pub(super) fn is_entity(snapshot: &Snapshot, id: ObjectId, object: &Object) -> bool {
    let Object::Marker { label, .. } = object else { return false };
    let is_of_file = || snapshot.source.as_ref().and_then(|source| source.last_entity).is_some_and(|last| id <= last);
    let was_named_so = || matches!(snapshot.opened.objects.get(id), Some(Object::Marker { label: was, .. }) if was == label);
    is_entity_name(label) || is_of_file() && was_named_so()
}

/// A name or author as a field of a game's file holds it: at most 31 characters, `?` for those that are not ASCII.
pub(super) fn short_ascii(text: &str) -> String {
    text.chars().take(31).map(|c| if c.is_ascii() && c != '\0' { c } else { '?' }).collect()
}

/// The objects of a kind, in order.
pub(super) fn of_kind(objects: &Objects, kind: ObjectKind) -> Vec<Object> {
    objects.iter().map(|(_, object)| object).filter(|object| ObjectKind::of(object) == kind).cloned().collect()
}

/// The spawns of a team, in order.
pub(super) fn spawns_of(objects: &Objects, team: Team) -> Vec<Object> {
    objects.spawns(team).map(|(_, object)| object.clone()).collect()
}

/// The smallest box around a team's spawn regions and points.
pub(super) fn spawn_box(objects: &Objects, team: Team) -> Option<ColumnRect> {
    let areas = objects.spawns(team).map(|(_, object)| object.area()).filter(|area| !area.is_empty());
    areas.reduce(|a, b| {
        // By reference: a rectangle is ordered too, and by value `min` would be that of the order.
        let (a, b) = (&a, &b);
        let ([ax0, ay0], [ax1, ay1], [bx0, by0], [bx1, by1]) = (a.min(), a.max(), b.min(), b.max());
        ColumnRect::new([ax0.min(bx0), ay0.min(by0)], [ax1.max(bx1), ay1.max(by1)])
    })
}

/// Whether objects of a kind were edited since the map was opened.
pub(super) fn edited(snapshot: &Snapshot, kind: ObjectKind) -> bool {
    of_kind(&snapshot.objects, kind) != of_kind(&snapshot.opened.objects, kind)
}

/// Whether anything was edited since the map was opened.
pub(super) fn differs(snapshot: &Snapshot) -> bool {
    snapshot.metadata != snapshot.opened.metadata || snapshot.objects != snapshot.opened.objects
}

/// The properties that were edited since the map was opened, with their values now.
pub(super) fn edited_properties(snapshot: &Snapshot) -> Vec<Property> {
    let opened = snapshot.opened.metadata.properties();
    snapshot.metadata.properties().into_iter().zip(opened).filter(|(now, then)| now != then).map(|(now, _)| now).collect()
}

/// Whether a property says nothing.
pub(super) fn is_unset(property: &Property) -> bool {
    match property {
        Property::Name(value) | Property::Author(value) | Property::Version(value) | Property::Description(value) => value.is_none(),
        Property::Fog(value) => value.is_none(),
        Property::GameMode(value) => value.is_none(),
        Property::Protected(value) => value.is_empty(),
        Property::CapLimit(value) | Property::TimeLimit(value) => value.is_none(),
    }
}

/// Sets a property that the file `file` names, and reports if an earlier file named another value.
pub(super) fn set_property(document: &mut Document, property: Property, file: &str, report: &mut Report) {
    let label = property.label();
    let now = property.clone();
    let before = Arc::make_mut(&mut document.metadata).set(property);
    if before != now && !is_unset(&before) {
        report.push(
            Severity::Info,
            "sidecars-disagree",
            format!("{label}: the {file} differs from what another file says; the {file} counts"),
        );
    }
}

/// Replaces all objects of a kind by those that the file `file` names, and reports if earlier files
/// named others.
pub(super) fn replace_objects(document: &mut Document, kind: ObjectKind, new: Vec<Object>, file: &str, report: &mut Report) {
    let before = of_kind(&document.objects, kind);
    if before == new {
        return;
    }
    if !before.is_empty() {
        let label = kind.label();
        report.push(
            Severity::Info,
            "sidecars-disagree",
            format!("{label}: the {file} differs from what another file says; the {file} counts"),
        );
    }
    let objects = Arc::make_mut(&mut document.objects);
    // Of a map that is being opened nobody knows the ids yet.
    *objects = std::mem::take(objects).0.into_iter().filter(|(_, object)| ObjectKind::of(object) != kind).collect();
    for object in new {
        objects.push(object);
    }
}
