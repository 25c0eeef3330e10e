//! Turning, flipping, scaling and moving the selected voxels, and stacking copies of them.
//!
//! Every voxel of the result is looked up in the map as it was, so that nothing is sampled twice.

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::selection::{finish, remove, selected, selected_images};
use crate::document::{Image, Progress, Selection, Snapshot};
use crate::edit::brush::in_range;
use crate::edit::{Change, Draft, EditError};
use crate::geom::{Axis, Face, Orientation, Region, Transform, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, Store, StoreEdit, VoxelMask};

/// Longest side of what is selected, once it is transformed.
const MAX_SIDE: i64 = 4096;
/// Most voxels in the box around it.
const MAX_VOLUME: i64 = 1 << 25;
/// Farthest that it is moved at once.
const MAX_BY: i64 = 1 << 20;
/// Most copies.
const MAX_COPIES: i64 = 4096;
/// Most voxels of all copies together.
const MAX_PLACED: i64 = 1 << 28;
/// Smallest and largest factor.
const FACTORS: [Thousandths; 2] = [Thousandths(10), Thousandths(64_000)];

/// A number in steps of a thousandth, so that it reads back from text as what it was; as text `1.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Thousandths(pub i32);

/// A number that is too large.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a number must lie between -1000000 and 1000000, not be {0}")]
pub struct BadNumber(f64);

impl Thousandths {
    /// One.
    pub const ONE: Self = Self(1000);
}

impl TryFrom<f64> for Thousandths {
    type Error = BadNumber;

    fn try_from(number: f64) -> Result<Self, BadNumber> {
        // Within the range, which is checked.
        if number.abs() <= 1e6 { Ok(Self((number * 1000.0).round() as i32)) } else { Err(BadNumber(number)) }
    }
}

impl From<Thousandths> for f64 {
    fn from(number: Thousandths) -> Self {
        Self::from(number.0) / 1000.0
    }
}

impl std::fmt::Display for Thousandths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", f64::from(*self))
    }
}

/// Transforms the selected voxels, or copies of them: turned by quarters and flipped first, then scaled, then turned
/// freely, then moved. The selection goes with them.
///
/// Turns are about the middle of the box around the selection; scaling keeps the middle of its base where it is.
/// The floor stays, and selected air does not overwrite anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransformSelection {
    /// Where what pointed east, south and down comes to point: one of each axis.
    #[serde(default = "unturned", skip_serializing_if = "is_unturned")]
    pub axes: [Face; 3],
    /// Factor along the map's x, y and z axis, 0.01 to 64.
    #[serde(default = "unscaled", skip_serializing_if = "is_unscaled")]
    pub scale: [Thousandths; 3],
    /// Degrees about the upright axis, clockwise as seen from the sky.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub angle: Thousandths,
    /// How far it moves; with copies, how far each lies from the one before.
    #[serde(default)]
    pub by: IVec3,
    /// Number of copies; with none, the voxels themselves are transformed.
    #[serde(default, skip_serializing_if = "is_none")]
    pub copies: u32,
}

const UNTURNED: [Face; 3] = [Face::PlusX, Face::PlusY, Face::PlusZ];

fn unturned() -> [Face; 3] {
    UNTURNED
}

fn is_unturned(axes: &[Face; 3]) -> bool {
    *axes == UNTURNED
}

fn unscaled() -> [Thousandths; 3] {
    [Thousandths::ONE; 3]
}

fn is_unscaled(scale: &[Thousandths; 3]) -> bool {
    *scale == unscaled()
}

fn is_zero(number: &Thousandths) -> bool {
    number.0 == 0
}

fn is_none(copies: &u32) -> bool {
    *copies == 0
}

impl Default for TransformSelection {
    /// Leaves everything where it is.
    fn default() -> Self {
        Self { axes: unturned(), scale: unscaled(), angle: Thousandths(0), by: IVec3::ZERO, copies: 0 }
    }
}

impl TransformSelection {
    /// A quarter turn about an axis, as its right hand turns: about z clockwise as seen from the sky.
    pub fn quarter_turn(axis: Axis) -> Self {
        Self::default().turned(Orientation::quarter_turn(axis))
    }

    /// A flip along an axis.
    pub fn flip(axis: Axis) -> Self {
        Self::default().turned(Orientation::mirror(axis))
    }

    /// The same, turned or flipped once more, before anything else happens.
    pub fn turned(self, by: Orientation) -> Self {
        let turned = self.orientation().unwrap_or(Orientation::IDENTITY).then(by);
        Self { axes: [IVec3::X, IVec3::Y, IVec3::Z].map(|axis| toward(turned.apply(axis))), ..self }
    }

    /// Whether it leaves everything where it is.
    pub fn is_identity(&self) -> bool {
        *self == Self::default()
    }

    /// The quarter turns and flips; `None` where two axes would go the same way.
    fn orientation(&self) -> Option<Orientation> {
        Orientation::all().into_iter().find(|turn| [IVec3::X, IVec3::Y, IVec3::Z].map(|axis| toward(turn.apply(axis))) == self.axes)
    }

    /// The box that the selection comes to lie in; the first copy where there are some.
    ///
    /// # Errors
    /// As of planning.
    pub fn target(&self, selection: &Selection) -> Result<Region, EditError> {
        Ok(self.checked(selection)?.target.shifted(self.by))
    }

    fn checked(&self, selection: &Selection) -> Result<Placement, EditError> {
        for part in self.by.to_array() {
            in_range("distance", i64::from(part), -MAX_BY, MAX_BY)?;
        }
        in_range("copies", i64::from(self.copies), 0, MAX_COPIES)?;
        if self.copies > 1 && self.by == IVec3::ZERO {
            return Err(EditError::Missing { what: "a distance between the copies" });
        }
        self.placement(&selection.bounds())
    }

    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let selection = selected(snapshot)?;
        let placement = self.checked(&selection)?;
        let mut draft = Draft::new(snapshot);
        if self.copies == 0 {
            for (_, image) in selected_images(snapshot) {
                remove(snapshot, &mut draft, &image, progress)?;
            }
        }
        let mut target = None;
        for (image, _) in selected_images(snapshot) {
            let (store, mask) = placement.sample(snapshot, &selection, &image, progress)?;
            let count = i64::try_from(store.solid_count()).unwrap_or(i64::MAX);
            in_range("voxels of all copies", count.saturating_mul(i64::from(self.copies.max(1))), 0, MAX_PLACED)?;
            let at = image.region(&placement.target).min();
            for copy in self.steps() {
                draft.paste(&store, at.saturating_add(image.transform.vector(copy)), progress)?;
            }
            if image.is_original() {
                target = self.selected_after(&mask, &snapshot.bounds(), progress)?;
            }
        }
        let label = if self.copies > 0 { "Stack copies" } else { "Transform selection" };
        finish(snapshot, draft, label, target.ok_or(EditError::OutsideMap)?, progress)
    }

    fn selected_after(&self, mask: &VoxelMask, bounds: &Region, progress: &Progress) -> Result<Option<Selection>, EditError> {
        let (mut all, around) = (VoxelMask::default(), mask.bounds());
        for by in self.steps().filter(|by| !around.shifted(*by).intersection(bounds).is_empty()) {
            progress.check()?;
            all.add(&mask.shifted(by).within(bounds));
        }
        Ok(Selection::of_mask(all))
    }

    /// How far each copy goes.
    fn steps(&self) -> impl Iterator<Item = IVec3> + use<> {
        let by = self.by;
        (1..=self.copies.max(1).cast_signed()).map(move |copy| by.saturating_mul(IVec3::splat(copy)))
    }

    fn placement(&self, source: &Region) -> Result<Placement, EditError> {
        let axes = self.orientation().ok_or(EditError::AxesTwice)?;
        for factor in self.scale {
            if factor.0 < FACTORS[0].0 || factor.0 > FACTORS[1].0 {
                return Err(EditError::BadFactor { found: factor });
            }
        }
        // Quarter turns are exact: only the rest is turned freely, -45 to 45 degrees.
        let degrees = self.angle.0.rem_euclid(360_000);
        let quarters = (degrees + 45_000) / 90_000;
        let rest = degrees - quarters * 90_000;
        let quarter = Orientation::quarter_turn(Axis::Z);
        let orientation = (0..quarters).fold(axes, |turn, _| turn.then(quarter));
        let [x, y, z] = self.scale;
        let scale = if quarters % 2 == 0 { [x, y, z] } else { [y, x, z] };
        let turned = centered(source, Transform { orientation, origin: IVec3::ZERO }.region(source).size());
        let away = Transform { orientation, origin: IVec3::ZERO }.region(source).min();
        let turn = Transform { orientation, origin: turned.min() - away };
        let sides = turned.size().to_array();
        let mut size = [1; 3];
        for ((side, factor), size) in sides.into_iter().zip(scale).zip(&mut size) {
            let scaled = (i64::from(side) * i64::from(factor.0) + 500) / 1000;
            in_range("side of the result", scaled.max(1), 1, MAX_SIDE)?;
            *size = i32::try_from(scaled.max(1)).unwrap_or(1);
        }
        let scaled = centered(&turned, size.into());
        let scaled = scaled.shifted(IVec3::Z * (turned.max().z - scaled.max().z));
        let turn_back = (rest != 0).then(|| FreeTurn::new(&scaled, rest));
        let target = turn_back.map_or(scaled, |turn| turn.around(&scaled));
        in_range("volume of the result", i64::try_from(target.volume()).unwrap_or(i64::MAX), 1, MAX_VOLUME)?;
        Ok(Placement { turned, back: turn.inverse(), scaled, turn_back, target })
    }
}

fn toward(direction: IVec3) -> Face {
    Face::ALL.into_iter().find(|face| face.normal() == direction).unwrap_or(Face::PlusX)
}

/// A box of another size about the same middle. Where a half voxel is in the way, a side that was odd gives way to the
/// smaller coordinates and one that was even to the larger, so that turning on and on does not wander.
fn centered(region: &Region, size: IVec3) -> Region {
    let sum = region.min() + region.max();
    let old = region.size();
    let min = [0, 1, 2].map(|axis| {
        let twice = sum[axis] - size[axis];
        let aside = if twice % 2 == 0 { 0 } else { 1 - 2 * (old[axis] % 2) };
        (twice + aside) / 2
    });
    Region::of_size(size).shifted(min.into())
}

/// Where each voxel of the result comes from: freely turned back, scaled back, and turned back by quarters.
#[derive(Clone, Debug)]
struct Placement {
    /// The selection's box after quarter turns and flips.
    turned: Region,
    back: Transform,
    scaled: Region,
    turn_back: Option<FreeTurn>,
    target: Region,
}

impl Placement {
    /// The voxel that comes to lie at a place.
    fn source(&self, at: VoxelPos) -> Option<VoxelPos> {
        let at = match &self.turn_back {
            Some(turn) => turn.back(at),
            None => at,
        };
        if !self.scaled.contains(at) {
            return None;
        }
        let (from, size, old) = (at - self.scaled.min(), self.scaled.size(), self.turned.size());
        // The middle of the voxel, in voxels of the old size. Sides are at most 4096.
        let unscaled = (from * 2 + 1) * old / (size * 2);
        Some(self.back.voxel(unscaled + self.turned.min()))
    }

    /// What the image's place holds after the transform, its smallest corner at the origin; and which voxels of the
    /// original's place are selected.
    fn sample(
        &self,
        snapshot: &Snapshot,
        selection: &Selection,
        image: &Image<'_>,
        progress: &Progress,
    ) -> Result<(Store, VoxelMask), EditError> {
        let place = image.region(&self.target);
        let mut edit = StoreEdit::new(&Store::new(Region::of_size(place.size())));
        let (store, floor) = (snapshot.store(), snapshot.floor_z());
        let mut chosen = VoxelMask::default();
        let chunks: Vec<_> = ChunkPos::covering(&self.target).collect();
        for (done, chunk_pos) in chunks.iter().enumerate() {
            progress.report(done as f32 / chunks.len() as f32)?;
            let mut mask = [0; CHUNK_COLUMNS];
            for at in chunk_pos.region().intersection(&self.target).positions() {
                let Some(from) = self.source(at).filter(|from| selection.contains(*from)) else { continue };
                let in_chunk = at - chunk_pos.origin();
                mask[in_chunk.y as usize * CHUNK_EDGE + in_chunk.x as usize] |= 1 << in_chunk.z;
                if let Some(voxel) = store.voxel(image.voxel(from)).filter(|_| floor != Some(from.z)) {
                    edit.set(image.voxel(at) - place.min(), Some(voxel));
                }
            }
            chosen.add_chunk(*chunk_pos, &mask);
        }
        Ok((edit.snapshot(), chosen))
    }
}

/// A turn about the upright axis through the middle of a box, by less than a quarter.
#[derive(Clone, Copy, Debug)]
struct FreeTurn {
    /// The voxel that the middle lies in, and where in it. Sums with the latter alone are rounded the same way everywhere.
    origin: [i32; 2],
    middle: [f64; 2],
    cos: f64,
    sin: f64,
}

impl FreeTurn {
    fn new(region: &Region, thousandths: i32) -> Self {
        let sum = region.min() + region.max();
        let (sin, cos) = sin_cos(f64::from(thousandths) / 1000.0);
        let part = |sum: i32| f64::from(sum.rem_euclid(2)) / 2.0;
        Self { origin: [sum.x.div_euclid(2), sum.y.div_euclid(2)], middle: [part(sum.x), part(sum.y)], cos, sin }
    }

    /// The voxel whose image's middle is nearest to that of this one.
    fn back(&self, at: VoxelPos) -> VoxelPos {
        let [origin_x, origin_y] = self.origin;
        let (x, y) = (f64::from(at.x - origin_x) + 0.5 - self.middle[0], f64::from(at.y - origin_y) + 0.5 - self.middle[1]);
        let (x, y) = (self.middle[0] + x * self.cos + y * self.sin, self.middle[1] + y * self.cos - x * self.sin);
        // Within the range of sides, far below the largest number.
        IVec3::new(origin_x + x.floor() as i32, origin_y + y.floor() as i32, at.z)
    }

    /// The box around a box that is turned.
    fn around(&self, region: &Region) -> Region {
        let half = region.size().as_dvec3() / 2.0;
        let x = half.x * self.cos.abs() + half.y * self.sin.abs();
        let y = half.y * self.cos.abs() + half.x * self.sin.abs();
        let low = |axis: usize, reach: f64| self.origin[axis] + (self.middle[axis] - reach).floor() as i32;
        let high = |axis: usize, reach: f64| self.origin[axis] + (self.middle[axis] + reach).ceil() as i32;
        Region::new(IVec3::new(low(0, x), low(1, y), region.min().z), IVec3::new(high(0, x), high(1, y), region.max().z))
    }
}

/// Sine and cosine of at most half a quarter turn, the same on every machine, as the library's are not.
fn sin_cos(degrees: f64) -> (f64, f64) {
    let x = degrees * (std::f64::consts::PI / 180.0);
    let series = |first: f64, from: u32| {
        let (mut term, mut sum) = (first, first);
        for n in (from..from + 20).step_by(2) {
            term *= -x * x / (f64::from(n) * f64::from(n + 1));
            sum += term;
        }
        sum
    };
    (series(x, 2), series(1.0, 1))
}
