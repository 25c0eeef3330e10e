//! Sculpting: the ground as heights of columns, or as the volume that it is.

mod column;
mod footprint;
mod stamps;
mod volume;

pub(super) use column::{lower, raise};

use serde::{Deserialize, Serialize};

use crate::document::{Progress, Snapshot};
use crate::edit::brush::{check_path, check_size, in_range, path_steps};
use crate::edit::window::MARGIN;
use crate::edit::{Change, EditError};
use crate::geom::VoxelPos;
use crate::voxel::Rgb;

/// Longest path that sculpts a volume: every voxel near it is looked at.
const MAX_VOLUME_STEPS: u64 = 1 << 14;

/// What sculpting does to the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SculptAction {
    /// The ground comes up.
    #[default]
    Raise,
    /// The ground goes down, to the floor at most.
    Lower,
    /// Heights approach the mean of the columns around.
    Smooth,
    /// Heights approach that of the level.
    Flatten,
    /// Heights approach the straight way from the path's first point to its last.
    Slope,
    /// What lies higher than the mean around goes down.
    Erode,
    /// The ground goes down to the lowest beside it.
    Melt,
    /// The ground goes up here and down there.
    Noise,
    /// Heights approach those of steps.
    Terrace,
}

impl SculptAction {
    /// All actions, in the order of the switch.
    pub const ALL: [Self; 9] =
        [Self::Raise, Self::Lower, Self::Smooth, Self::Flatten, Self::Slope, Self::Erode, Self::Melt, Self::Noise, Self::Terrace];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Raise => "Raise",
            Self::Lower => "Lower",
            Self::Smooth => "Smooth",
            Self::Flatten => "Flatten",
            Self::Slope => "Slope",
            Self::Erode => "Erode",
            Self::Melt => "Melt",
            Self::Noise => "Noise",
            Self::Terrace => "Terrace",
        }
    }
}

/// What sculpting takes the ground for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SculptForm {
    /// Columns with a height each: the brush is a disc. What hangs above an air gap stays.
    #[default]
    Column,
    /// A volume with caves and overhangs: the brush is a ball.
    Volume,
}

/// Changes the ground in a disc, or the volume in a ball, that moves along a path.
///
/// What lies in the brush moves by `strength` in its middle, falling off smoothly to its rim, and once a stroke, by
/// the most that any stamp asks for, so that a slow stroke makes no spikes. All is judged by the map as it was.
///
/// In the form of columns, only the ground at the height of the path moves: what lies above an air gap, such as a
/// roof or the top of a cave, stays, and so does what is buried deeper than the disc is wide. In the form of a volume
/// every surface in the ball moves, whichever way it faces: `raise` and `lower` move it outwards and inwards. As often as
/// the strength says, each time by what the time before left, `smooth` goes by the 27 voxels around and at a place, makes
/// solid where most of them are and removes where most are open, `erode` only removes there, and `melt` removes what has
/// two open sides or more: ground, walls of two voxels and caves stay, bumps and edges go. `flatten` and `slope` move the
/// ground that their level runs through, or that lies open under it, if it is as near to the level as the ball reaches:
/// what hangs over the level and caves below it stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sculpt {
    /// What happens to the ground.
    pub action: SculptAction,
    /// Ground voxels under the pointer; straight lines of stamps join them.
    pub path: Vec<VoxelPos>,
    /// Diameter of the brush in voxels, 1 to 64.
    #[serde(default = "nine")]
    pub size: u32,
    /// Voxels that the middle moves by at most, 1 to 64, of a volume 1 to 16. A slope goes all the way in the middle.
    #[serde(default = "one")]
    pub strength: u32,
    /// Colour of the new voxels; `null` continues the colour of the old ones.
    #[serde(default)]
    pub color: Option<Rgb>,
    /// Columns or a volume.
    #[serde(default, skip_serializing_if = "is_default")]
    pub form: SculptForm,
    /// Height (z) of the topmost voxels that `flatten` works towards; without it that of the path's first point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<i32>,
    /// Height of the steps of `terrace` in voxels, 2 to 64.
    #[serde(default = "four", skip_serializing_if = "is_four")]
    pub step: u32,
    /// Voxels from hill to hill of `noise`, 1 to 64.
    #[serde(default = "nine", skip_serializing_if = "is_nine")]
    pub grain: u32,
    /// What `noise` comes from.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seed: u32,
}

fn nine() -> u32 {
    9
}

fn is_nine(value: &u32) -> bool {
    *value == nine()
}

fn four() -> u32 {
    4
}

fn is_four(value: &u32) -> bool {
    *value == four()
}

fn one() -> u32 {
    1
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Sculpt {
    /// Largest strength on a volume.
    pub const MAX_VOLUME_STRENGTH: u32 = MARGIN as u32;

    /// The action along a path, with all else as usual.
    pub fn new(action: SculptAction, path: Vec<VoxelPos>) -> Self {
        Self {
            action,
            path,
            size: nine(),
            strength: one(),
            color: None,
            form: SculptForm::default(),
            level: None,
            step: four(),
            grain: nine(),
            seed: 0,
        }
    }

    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        check_size(self.size)?;
        let strongest = if self.form == SculptForm::Volume { Self::MAX_VOLUME_STRENGTH } else { 64 };
        in_range("strength", i64::from(self.strength), 1, i64::from(strongest))?;
        in_range("height of the steps", i64::from(self.step), 2, 64)?;
        in_range("grain", i64::from(self.grain), 1, 64)?;
        check_path(&self.path)?;
        let draft = match self.form {
            SculptForm::Column => self.columns(snapshot, progress)?,
            SculptForm::Volume => {
                let steps = i64::try_from(path_steps(&self.path)).unwrap_or(i64::MAX);
                in_range("length of the path", steps, 0, MAX_VOLUME_STEPS as i64)?;
                self.volume(snapshot, progress)?
            }
        };
        let label = match self.action {
            SculptAction::Raise => "Raise ground",
            SculptAction::Lower => "Lower ground",
            SculptAction::Smooth => "Smooth ground",
            SculptAction::Flatten => "Flatten ground",
            SculptAction::Slope => "Slope ground",
            SculptAction::Erode => "Erode ground",
            SculptAction::Melt => "Melt ground",
            SculptAction::Noise => "Roughen ground",
            SculptAction::Terrace => "Terrace ground",
        };
        draft.finish_with(label, progress)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        let size = u64::from(self.size);
        let columns = size.saturating_mul(size).saturating_add(size.saturating_mul(path_steps(&self.path)));
        match self.form {
            // Of each column, those around it are looked at, and a part of what lies above and below.
            SculptForm::Column => columns.saturating_mul(8),
            SculptForm::Volume => {
                // These go over the volume anew, by what the time before left.
                let again = matches!(self.action, SculptAction::Smooth | SculptAction::Erode | SculptAction::Melt);
                columns.saturating_mul(size).saturating_mul(if again { u64::from(self.strength) } else { 1 })
            }
        }
    }

    /// z of the topmost voxels that flattening works towards.
    fn level(&self) -> i32 {
        self.level.or(self.path.first().map(|first| first.z)).unwrap_or(0)
    }
}
