//! Masks and symmetry: which voxels edits may change, and where else they happen.

use serde::{Deserialize, Serialize};

use crate::document::{Masks, Snapshot, Symmetry, SymmetryKind};
use crate::edit::brush::in_range;
use crate::edit::{Change, EditError, Part};
use crate::voxel::Rgb;

/// Farthest that the axis of a symmetry may lie from the origin, in voxels.
const MAX_CENTER: i32 = 1 << 20;

/// Sets all masks at once: what is not named is off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SetMasks(pub Masks);

impl SetMasks {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        check_masks(&self.0)?;
        let label = if self.0.any() { "Set masks" } else { "Clear masks" };
        Ok(Change::new(label, Part::masks(&snapshot.masks, self.0.clone())))
    }
}

/// Whether masks make sense.
pub(super) fn check_masks(masks: &Masks) -> Result<(), EditError> {
    if let Some([top, bottom]) = masks.z {
        in_range("largest height of the mask", i64::from(bottom), i64::from(top), i64::from(i32::MAX))?;
    }
    if let Some([least, most]) = masks.slope {
        in_range("largest slope of the mask", i64::from(most), i64::from(least), 90)?;
    }
    check_count("colors of the mask", masks.colors.len(), Masks::MAX_COLORS)
}

/// A place on an axis in steps of half a voxel; as text a number such as `256` or `255.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct HalfVoxels(pub i32);

/// A number that is no multiple of one half, or far outside of any map.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a center lies on whole or half voxels within {MAX_CENTER} of the origin, not at {0}")]
pub struct BadCenter(f64);

impl TryFrom<f64> for HalfVoxels {
    type Error = BadCenter;

    fn try_from(voxels: f64) -> Result<Self, BadCenter> {
        let halves = voxels * 2.0;
        let fits = halves.fract() == 0.0 && voxels.abs() <= f64::from(MAX_CENTER);
        // Within the range, and whole.
        if fits { Ok(Self(halves as i32)) } else { Err(BadCenter(voxels)) }
    }
}

impl From<HalfVoxels> for f64 {
    fn from(halves: HalfVoxels) -> Self {
        Self::from(halves.0) / 2.0
    }
}

/// Sets the symmetry: where else edits happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetSymmetry {
    /// What kind.
    pub kind: SymmetryKind,
    /// x and y of the axis: whole numbers lie between two columns, halves in the middle of one. Without it, the
    /// middle of the map, and for none where it was.
    #[serde(default)]
    pub center: Option<[HalfVoxels; 2]>,
    /// Whether images on the other team's side belong to the other team.
    #[serde(default = "yes")]
    pub swap_teams: bool,
    /// Pairs of colors that are exchanged on the other team's side.
    #[serde(default)]
    pub swap_colors: Vec<[Rgb; 2]>,
}

fn yes() -> bool {
    true
}

impl SetSymmetry {
    /// The command that sets this symmetry.
    pub fn to(symmetry: &Symmetry) -> Self {
        let Symmetry { kind, center, swap_teams, swap_colors } = symmetry.clone();
        Self { kind, center: Some(center.map(HalfVoxels)), swap_teams, swap_colors }
    }

    /// The command that goes on with another kind about the same center; one that was never set is the middle of the map.
    pub fn switched(before: &Symmetry, kind: SymmetryKind) -> Self {
        let is_set = before.is_on() || before.center != [0, 0];
        let center = Symmetry { kind, ..before.clone() }.centered(before.center).center;
        let Self { swap_teams, swap_colors, .. } = Self::to(before);
        Self { kind, center: is_set.then_some(center.map(HalfVoxels)), swap_teams, swap_colors }
    }

    /// The symmetry that it sets.
    pub fn symmetry(&self, snapshot: &Snapshot) -> Symmetry {
        let center = match self.center {
            Some(center) => center.map(|HalfVoxels(halves)| halves),
            None if self.kind == SymmetryKind::Off => snapshot.symmetry.center,
            None => middle(snapshot, self.kind),
        };
        Symmetry { kind: self.kind, center, swap_teams: self.swap_teams, swap_colors: self.swap_colors.clone() }
    }

    /// Whether it leaves the kind as it is, and puts the center elsewhere.
    pub fn moves_center(&self, snapshot: &Snapshot) -> bool {
        let (before, after) = (&snapshot.symmetry, self.symmetry(snapshot));
        before.kind == after.kind && before.center != after.center
    }

    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        check_count("pairs of colors", self.swap_colors.len(), Symmetry::MAX_COLORS)?;
        let after = self.symmetry(snapshot);
        for halves in after.center {
            in_range("center", i64::from(halves / 2), -i64::from(MAX_CENTER), i64::from(MAX_CENTER))?;
        }
        if self.kind == SymmetryKind::Turn90 && (after.center[0] - after.center[1]) % 2 != 0 {
            return Err(EditError::CenterBetweenColumns);
        }
        let label = match (after.is_on(), self.moves_center(snapshot)) {
            (false, _) => "Symmetry off",
            (true, false) => "Set symmetry",
            (true, true) => "Move symmetry center",
        };
        Ok(Change::new(label, Part::symmetry(&snapshot.symmetry, after)))
    }
}

/// The middle of the map in half voxels, or the nearest to it that the kind can turn about.
fn middle(snapshot: &Snapshot, kind: SymmetryKind) -> [i32; 2] {
    let bounds = snapshot.bounds();
    let middle = bounds.min() + bounds.max();
    let aside = if kind == SymmetryKind::Turn90 { (middle.x - middle.y).rem_euclid(2) } else { 0 };
    [middle.x, middle.y + aside]
}

fn check_count(what: &'static str, count: usize, most: usize) -> Result<(), EditError> {
    let number = |count| i64::try_from(count).unwrap_or(i64::MAX);
    in_range(what, number(count), 0, number(most))
}
