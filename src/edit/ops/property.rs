//! Metadata and settings of the document.

use serde::{Deserialize, Serialize};

use crate::document::{Property, Snapshot};
use crate::edit::{Change, Part, Payload};
use crate::voxel::Rgb;

/// Sets one fact of the metadata; `null` forgets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SetProperty(pub Property);

impl SetProperty {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Change {
        let mut after = (*snapshot.metadata).clone();
        after.set(self.0.clone());
        let label = format!("Set {}", self.0.label());
        Change::new(label, Part::metadata(&snapshot.metadata, after))
    }
}

/// Sets the colour that voxels uncovered by an edit take; `null` takes the nearest known colour above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetDirt {
    /// The colour.
    pub color: Option<Rgb>,
}

impl SetDirt {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Change {
        let payload = Payload { before: snapshot.dirt, after: self.color };
        Change::new("Set dirt color", if payload.before == payload.after { vec![] } else { vec![Part::Dirt(payload)] })
    }
}
