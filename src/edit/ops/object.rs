//! Objects: spawn regions and points, bases, intel, territories, markers.

use serde::{Deserialize, Serialize};

use crate::document::{Object, ObjectId, Objects, Snapshot, Team};
use crate::edit::{Change, EditError, Part};
use crate::geom::ColumnRect;

/// Adds a spawn region to a team's list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spawn {
    /// Whose players appear there.
    pub team: Team,
    /// The columns, half-open.
    pub region: ColumnRect,
    /// z from which the ground is looked for downwards; 0 is from the sky.
    #[serde(default)]
    pub z: i32,
    /// Takes the place of all spawn regions and points that the team has.
    #[serde(default)]
    pub replace: bool,
}

impl Spawn {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        if self.region.is_empty() {
            return Err(EditError::EmptyRegion);
        }
        let mut after = (*snapshot.objects).clone();
        let object = Object::SpawnRegion { team: self.team, area: self.region, z: self.z };
        let label = if self.replace { format!("Set {} spawn", self.team.label().to_lowercase()) } else { add_label(&object) };
        let images = with_images(snapshot, &object);
        if self.replace {
            let teams: Vec<_> = images.iter().map(Object::team).collect();
            after.0.retain(|_, object| !(object.is_spawn() && teams.contains(&object.team())));
        }
        images.into_iter().for_each(|image| place(&mut after, image));
        Ok(changed(snapshot, label, after))
    }
}

/// Volume of a marker of which a command does not say it: the one in which the command happens.
const UNSAID: u32 = u32::MAX;

/// Objects of commands: of a marker without `volume` it is left open which that is, so the first one is written, too.
mod of_command {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    use super::{Object, UNSAID};

    pub fn serialize<S: Serializer>(object: &Object, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = serde_json::to_value(object).map_err(serde::ser::Error::custom)?;
        if let (Object::Marker { volume, .. }, Some(Value::Object(marker))) = (object, value.get_mut("marker")) {
            match *volume {
                UNSAID => _ = marker.remove("volume"),
                volume => _ = marker.insert("volume".into(), volume.into()),
            }
        }
        value.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Object, D::Error> {
        let mut value = Value::deserialize(deserializer)?;
        if let Some(Value::Object(marker)) = value.get_mut("marker") {
            marker.entry("volume").or_insert(UNSAID.into());
        }
        serde_json::from_value(value).map_err(D::Error::custom)
    }
}

/// The object of a command in a volume, where it does not say in which.
fn in_volume(object: &Object, number: usize) -> Object {
    match object.clone() {
        Object::Marker { label, at, role, volume: UNSAID } => {
            Object::Marker { label, at, role, volume: u32::try_from(number).unwrap_or(0) }
        }
        object => object,
    }
}

/// Adds an object; a marker that names no volume to the active one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AddObject(#[serde(with = "of_command")] pub Object);

impl AddObject {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        check_object(&self.0, snapshot)?;
        let mut after = (*snapshot.objects).clone();
        let mut images = with_images(snapshot, &in_volume(&self.0, snapshot.active())).into_iter();
        images.next().map(|object| after.push(object));
        images.for_each(|image| place(&mut after, image));
        Ok(changed(snapshot, add_label(&self.0), after))
    }
}

/// Replaces an object; a marker that names no volume stays in its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetObject {
    /// Which one.
    pub id: ObjectId,
    /// What it becomes.
    #[serde(with = "of_command")]
    pub object: Object,
}

impl SetObject {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        check_area(&self.object)?;
        let before = snapshot.objects.get(self.id).ok_or(EditError::NoSuchObject(self.id))?;
        // One that stands in a volume that is gone stays there.
        if before.volume() != self.object.volume() {
            check_object(&self.object, snapshot)?;
        }
        let mut after = (*snapshot.objects).clone();
        let own = if matches!(before, Object::Marker { .. }) { before.volume() } else { snapshot.active() };
        let object = in_volume(&self.object, own);
        after.0.insert(self.id, object.clone());
        for image in snapshot.symmetry.images().iter().skip(1) {
            let (old, new) = (image.object(before), image.object(&object));
            // An object on the axis is its own image.
            let partner = find(&after, &old).or_else(|| only_one(&after, &new)).filter(|id| *id != self.id);
            match partner {
                _ if takes_place_of(&new, &object) => {}
                Some(id) => drop(after.0.insert(id, new)),
                // As its outline promised; which of several it would be nobody knows.
                None if !has_others(&snapshot.objects, &new, self.id) => drop(after.push(new)),
                None => {}
            }
        }
        Ok(changed(snapshot, format!("Edit {}", lower(&self.object)), after))
    }
}

/// Removes an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoveObject {
    /// Which one.
    pub id: ObjectId,
}

impl RemoveObject {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        let mut after = (*snapshot.objects).clone();
        let object = after.0.remove(&self.id).ok_or(EditError::NoSuchObject(self.id))?;
        for image in snapshot.symmetry.images() {
            if let Some(id) = find(&after, &image.object(&object)).filter(|_| !image.is_original()) {
                after.0.remove(&id);
            }
        }
        Ok(changed(snapshot, format!("Remove {}", lower(&object)), after))
    }
}

/// Removes all spawn regions and points of a team.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClearSpawns {
    /// Whose.
    pub team: Team,
}

impl ClearSpawns {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Change {
        let mut after = (*snapshot.objects).clone();
        after.0.retain(|_, object| !(object.is_spawn() && object.team() == Some(self.team)));
        changed(snapshot, format!("Clear {} spawns", self.team.label().to_lowercase()), after)
    }
}

/// A region without any column is none, and what is smaller than a region stands where numbers reach.
fn check_area(object: &Object) -> Result<(), EditError> {
    match object {
        _ if !object.area().is_empty() => Ok(()),
        Object::SpawnRegion { .. } => Err(EditError::EmptyRegion),
        _ => Err(EditError::OutsideMap),
    }
}

/// Its area is one, and a marker stands in a volume of the map.
fn check_object(object: &Object, snapshot: &Snapshot) -> Result<(), EditError> {
    check_area(object)?;
    let (volume, count) = (object.volume(), snapshot.volumes().len());
    let is_said = !matches!(object, Object::Marker { volume: UNSAID, .. });
    if is_said && volume >= count { Err(EditError::NoSuchVolume { volume, count }) } else { Ok(()) }
}

/// The object, and its images at other places. Of bases and intel, which are one a team, only those of the other team.
fn with_images(snapshot: &Snapshot, object: &Object) -> Vec<Object> {
    let mut all = vec![object.clone()];
    for image in snapshot.symmetry.images().iter().skip(1) {
        let image = image.object(object);
        if !all.contains(&image) && !all.iter().any(|other| takes_place_of(&image, other)) {
            all.push(image);
        }
    }
    all
}

/// Adds an image; a base or intel takes the place of the team's old one.
fn place(objects: &mut Objects, image: Object) {
    match only_one(objects, &image) {
        Some(id) => drop(objects.0.insert(id, image)),
        None => drop(objects.push(image)),
    }
}

/// Whether a team can have only one of both.
fn takes_place_of(new: &Object, old: &Object) -> bool {
    match (new, old) {
        (Object::Base { team: a, .. }, Object::Base { team: b, .. }) | (Object::Intel { team: a, .. }, Object::Intel { team: b, .. }) => {
            a == b
        }
        _ => false,
    }
}

/// Whether there are objects besides one that its image could stand for: of its kind and team. Things without a team are not told apart.
fn has_others(objects: &Objects, image: &Object, but: ObjectId) -> bool {
    let kind = std::mem::discriminant::<Object>;
    let is_like = |other: &Object| kind(other) == kind(image) && other.team() == image.team();
    image.team().is_none() || objects.iter().any(|(id, other)| id != but && is_like(other))
}

/// The object whose place a new one takes.
fn only_one(objects: &Objects, new: &Object) -> Option<ObjectId> {
    objects.iter().find(|(_, other)| takes_place_of(new, other)).map(|(id, _)| id)
}

fn find(objects: &Objects, object: &Object) -> Option<ObjectId> {
    objects.iter().find(|(_, other)| *other == object).map(|(id, _)| id)
}

fn changed(snapshot: &Snapshot, label: String, after: Objects) -> Change {
    Change::new(label, Part::objects(&snapshot.objects, after))
}

fn add_label(object: &Object) -> String {
    format!("Add {}", lower(object))
}

fn lower(object: &Object) -> String {
    let label = object.label();
    // The name of a thing is spelled as it is.
    if matches!(object, Object::Marker { .. }) {
        return label;
    }
    let mut chars = label.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}
