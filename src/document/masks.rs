//! Masks: which voxels edits may change. Plain data; `edit` judges by them.
//!
//! State of the document like the selection: undoable, journalled, never "modified".

use serde::{Deserialize, Serialize};

use crate::voxel::Rgb;

/// What a voxel must be before an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matter {
    /// Only air changes: nothing that stands is touched.
    Air,
    /// Only what is solid changes: nothing new is built.
    Solid,
}

impl Matter {
    /// Both, in the order of the switch.
    pub const ALL: [Self; 2] = [Self::Air, Self::Solid];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Air => "Air",
            Self::Solid => "Solid",
        }
    }
}

/// Which voxels edits may change: those that every mask lets through, as the map was before the edit.
///
/// ```
/// use spadework::document::Masks;
/// let masks: Masks = serde_json::from_str(r##"{"surface":true,"z":[40,62],"colors":["#3c7a2a"]}"##)?;
/// assert!(masks.any() && masks.surface);
/// assert!(!Masks::default().any());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Masks {
    /// Only the selection, while something is selected.
    pub selection: bool,
    /// Only solid voxels that can be seen, and air that touches a solid voxel by a side.
    pub surface: bool,
    /// Only these heights: smallest and largest z, both included.
    pub z: Option<[i32; 2]>,
    /// Only where the ground rises by this many degrees: least and most, 0 (level) to 90, both included.
    ///
    /// The slope is that of the plane that fits best through the ground of 5×5 columns.
    pub slope: Option<[u8; 2]>,
    /// Only solid voxels of these colours; an empty list takes all.
    pub colors: Vec<Rgb>,
    /// How far red, green and blue may each lie from a colour of the list.
    pub tolerance: u8,
    /// Only air, or only what is solid.
    pub matter: Option<Matter>,
    /// Only columns of spawn regions.
    pub spawns: bool,
}

/// What the mask of the selection is called.
pub(super) const SELECTION: &str = "selection";
/// What the mask of the spawn regions is called.
pub(super) const SPAWNS: &str = "spawn regions";

impl Masks {
    /// Most colours of the list.
    pub const MAX_COLORS: usize = 256;

    /// Whether any mask is on.
    pub fn any(&self) -> bool {
        self.count() > 0
    }

    /// Number of masks that are on.
    pub fn count(&self) -> usize {
        self.names().count()
    }

    /// What the masks that are on are called.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let matter = match self.matter {
            Some(Matter::Air) => "air",
            _ => "solid",
        };
        let masks = [
            (self.selection, SELECTION),
            (self.surface, "surface"),
            (self.z.is_some(), "heights"),
            (self.slope.is_some(), "slopes"),
            (!self.colors.is_empty(), "colors"),
            (self.matter.is_some(), matter),
            (self.spawns, SPAWNS),
        ];
        masks.into_iter().filter(|(on, _)| *on).map(|(_, name)| name)
    }
}
