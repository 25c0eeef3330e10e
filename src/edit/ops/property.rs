//! Metadata.

use serde::{Deserialize, Serialize};

use crate::document::{Property, Snapshot};
use crate::edit::{Change, Part};

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
