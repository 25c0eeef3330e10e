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
        if self.replace {
            after.0.retain(|_, object| !(object.is_spawn() && object.team() == Some(self.team)));
        }
        let object = Object::SpawnRegion { team: self.team, area: self.region, z: self.z };
        let label = if self.replace { format!("Set {} spawn", self.team.label().to_lowercase()) } else { add_label(&object) };
        after.push(object);
        Ok(changed(snapshot, label, after))
    }
}

/// Adds an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AddObject(pub Object);

impl AddObject {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Change {
        let mut after = (*snapshot.objects).clone();
        after.push(self.0.clone());
        changed(snapshot, add_label(&self.0), after)
    }
}

/// Replaces an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetObject {
    /// Which one.
    pub id: ObjectId,
    /// What it becomes.
    pub object: Object,
}

impl SetObject {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        let mut after = (*snapshot.objects).clone();
        *after.0.get_mut(&self.id).ok_or(EditError::NoSuchObject(self.id))? = self.object.clone();
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

fn changed(snapshot: &Snapshot, label: String, after: Objects) -> Change {
    Change::new(label, Part::objects(&snapshot.objects, after))
}

fn add_label(object: &Object) -> String {
    format!("Add {}", lower(object))
}

fn lower(object: &Object) -> String {
    let label = object.label();
    let mut chars = label.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}
