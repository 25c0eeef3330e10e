//! Stamps scattered over the ground of an area, over a wall or under a ceiling.

use std::collections::BTreeMap;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::{Prepared, StampAnchor, TOP, is_top, top};
use crate::document::{Image, Progress, Snapshot};
use crate::edit::brush::in_range;
use crate::edit::mask_filter::surface_slope;
use crate::edit::{Change, Clip, Draft, EditError, Mode};
use crate::geom::{ColumnRect, Face, Region, VoxelPos};
use crate::terrain::{MAX_COLUMNS, Noise};

/// Most voxels that all stamps of one command hold together.
const MAX_VOXELS: u64 = 1 << 28;
/// Tints that scattered stamps take, from the darkest to the lightest, in shares of the most.
const TINTS: [i32; 5] = [-2, -1, 0, 1, 2];
/// How far out of a wall or ceiling its surface is looked for where the place lies in it.
const BULGE: i32 = 16;

/// Scatters the voxels of a clip over the ground of an area, on land only; or over a wall, or under a ceiling.
///
/// The same seed gives the same places on the same ground. Images stand on the ground of their own side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scatter {
    /// The voxels, as text.
    pub clip: Clip,
    /// The columns that anchors may come to lie in. A wall is looked for from their side that `up` points to.
    pub area: ColumnRect,
    /// Seed of every random choice.
    pub seed: u64,
    /// Height from which the ground, or the ceiling, is looked for; without one the sky, or what lies above the floor.
    #[serde(default)]
    pub z: Option<i32>,
    /// Where the tops of the stamps point: away from what they stand on.
    #[serde(default = "top", skip_serializing_if = "is_top")]
    pub up: Face,
    /// Heights of a wall that anchors may come to lie in, from the first to the one after the last; without them all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heights: Option<[i32; 2]>,
    /// Which voxel of the clip stands on the ground.
    #[serde(default)]
    pub anchor: StampAnchor,
    /// Stamps on a thousand columns, 1 to 1000; fewer where the distance does not allow them.
    #[serde(default = "ten")]
    pub density: u32,
    /// Columns from one anchor to another at least, 0 to 256.
    #[serde(default)]
    pub distance: u32,
    /// Steepest ground that they stand on, in degrees.
    #[serde(default = "any_slope")]
    pub slope: u8,
    /// Quarter turns of all of them, 0 to 3.
    #[serde(default)]
    pub turn: u32,
    /// Whether each is turned at random.
    #[serde(default)]
    pub random_turn: bool,
    /// How much lighter or darker each may be, in percent.
    #[serde(default)]
    pub tint: u32,
}

fn ten() -> u32 {
    10
}

fn any_slope() -> u8 {
    90
}

/// Where a scattered stamp stands, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// From where its ground is looked for.
    pub(super) from: VoxelPos,
    pub(super) turn: u32,
    pub(super) tint: i32,
}

/// The lines along which the ground is looked for, one for each column of what stamps stand on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    up: Face,
    /// Where each begins, as `up` sees it from afar: x and y, or the one that a wall runs along and z.
    rect: ColumnRect,
    /// Where all of them begin along `up`.
    level: i32,
}

impl Lines {
    /// The axes across `up`.
    fn across(&self) -> [usize; 2] {
        let axis = self.up.axis().index();
        [usize::from(axis == 0), if axis == 2 { 1 } else { 2 }]
    }

    fn begin(&self, cell: [i32; 2]) -> VoxelPos {
        let mut at = IVec3::splat(self.level);
        for (axis, value) in self.across().into_iter().zip(cell) {
            at[axis] = value;
        }
        at
    }

    /// What the dice of a place hang on.
    fn lot(&self, begin: VoxelPos) -> IVec3 {
        if self.up == TOP { begin.with_z(0) } else { begin }
    }
}

impl Scatter {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let lines = self.check(snapshot)?;
        let places = self.places(snapshot, &lines, progress)?;
        let voxels = self.clip.store().solid_count().saturating_mul(places.len() as u64);
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        in_range("voxels of all stamps", number(voxels), 0, number(MAX_VOXELS))?;
        let mut draft = Draft::new(snapshot);
        for image in Mode::Set.ordered(&snapshot.symmetry) {
            self.put(snapshot, &mut draft, &image, &places, progress)?;
        }
        draft.finish_with("Scatter stamps", progress)
    }

    /// The lines that it is about.
    pub(super) fn check(&self, snapshot: &Snapshot) -> Result<Lines, EditError> {
        in_range("density of the stamps", i64::from(self.density), 1, 1000)?;
        in_range("distance of the stamps", i64::from(self.distance), 0, 256)?;
        in_range("slope of the ground", i64::from(self.slope), 0, 90)?;
        in_range("turns of the stamps", i64::from(self.turn), 0, 3)?;
        in_range("tint of the stamps", i64::from(self.tint), 0, 100)?;
        let bounds = snapshot.bounds();
        let [top, bottom] = self.heights.unwrap_or([bounds.min().z, bounds.max().z]);
        if self.area.is_empty() || top >= bottom {
            return Err(EditError::EmptyRegion);
        }
        let ([x, y], [to_x, to_y]) = (self.area.min(), self.area.max());
        let region = Region::new(IVec3::new(x, y, top), IVec3::new(to_x, to_y, bottom)).intersection(&bounds);
        if region.is_empty() {
            return Err(EditError::OutsideMap);
        }
        let (min, last) = (region.min(), region.max() - 1);
        let (rect, level) = match self.up {
            Face::MinusZ => (region.columns(), self.z.unwrap_or(bounds.min().z).max(bounds.min().z)),
            Face::PlusZ => {
                let lowest = snapshot.floor_z().unwrap_or(bounds.max().z) - 1;
                (region.columns(), self.z.unwrap_or(lowest).max(bounds.min().z).min(lowest))
            }
            Face::PlusX => (ColumnRect::new([min.y, min.z], [last.y + 1, last.z + 1]), last.x),
            Face::MinusX => (ColumnRect::new([min.y, min.z], [last.y + 1, last.z + 1]), min.x),
            Face::PlusY => (ColumnRect::new([min.x, min.z], [last.x + 1, last.z + 1]), last.y),
            Face::MinusY => (ColumnRect::new([min.x, min.z], [last.x + 1, last.z + 1]), min.y),
        };
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        in_range("columns of the area", number(rect.area()), 0, number(MAX_COLUMNS))?;
        Ok(Lines { up: self.up, rect, level })
    }

    /// The places, in the order in which they are stamped.
    pub(super) fn places(&self, snapshot: &Snapshot, lines: &Lines, progress: &Progress) -> Result<Vec<Place>, EditError> {
        let [dice, order, looks] = [0, 1, 2].map(|field| Noise::new(self.seed, field));
        let mut wished = vec![];
        for (done, cell) in lines.rect.columns().enumerate() {
            if done % 4096 == 0 {
                progress.report(done as f32 / lines.rect.area() as f32)?;
            }
            let begin = lines.begin(cell);
            let lot = lines.lot(begin);
            if dice.word(lot) % 1000 < self.density && self.is_fit(snapshot, begin) {
                wished.push((order.word(lot), cell));
            }
        }
        wished.sort_unstable();
        let mut taken = Taken { distance: self.distance, cells: BTreeMap::new() };
        wished.retain(|(_, cell)| taken.take(*cell));
        let place = |(_, cell): (u32, [i32; 2])| {
            let from = lines.begin(cell);
            let word = looks.word(lines.lot(from));
            let turn = if self.random_turn { word % 4 } else { self.turn };
            let step = TINTS.get(word as usize / 4 % TINTS.len()).copied().unwrap_or(0);
            Place { from, turn, tint: step * self.tint as i32 / 2 }
        };
        Ok(wished.into_iter().map(place).collect())
    }

    /// Whether there is land that is level enough.
    fn is_fit(&self, snapshot: &Snapshot, begin: VoxelPos) -> bool {
        let Some(at) = ground(snapshot, begin, self.up).filter(|at| snapshot.floor_z() != Some(at.z)) else { return false };
        self.slope >= 90 || surface_slope(snapshot.store(), at, self.up) <= self.slope
    }

    fn put(
        &self,
        snapshot: &Snapshot,
        draft: &mut Draft,
        image: &Image<'_>,
        places: &[Place],
        progress: &Progress,
    ) -> Result<(), EditError> {
        let mut clips: BTreeMap<(u32, i32), (Prepared, Clip)> = BTreeMap::new();
        let face = image.face(self.up);
        for (done, place) in places.iter().enumerate() {
            progress.report(done as f32 / places.len() as f32)?;
            let from = image.voxel(place.from);
            if !snapshot.bounds().columns().contains(from.x, from.y) {
                continue;
            }
            let Some(ground) = ground(snapshot, from, face) else { continue };
            let (Prepared { clip, anchor }, imaged) = clips.entry((place.turn, place.tint)).or_insert_with(|| {
                let prepared = Prepared::new(&self.clip, self.anchor, place.turn, place.tint, self.up);
                let imaged = prepared.clip.imaged(image);
                (prepared, imaged)
            });
            // The stamp lies at its image of where it would stand on the other side.
            let region = image.region(&clip.store().bounds().shifted(place.from.saturating_sub(*anchor)));
            let by = (ground + face.normal()).saturating_sub(from);
            draft.paste(imaged.store(), region.shifted(by).min(), &Progress::new())?;
        }
        Ok(())
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        let heights = self.heights.map_or(1, |[top, bottom]| u64::from(bottom.saturating_sub(top).max(1).unsigned_abs()));
        let columns = self.area.area().saturating_mul(heights);
        let stamps = (columns / 1000).saturating_mul(u64::from(self.density));
        columns.saturating_add(stamps.saturating_mul(self.clip.store().bounds().volume()))
    }
}

/// The voxel that a stamp stands on which points `up`: the first one against `up`.
///
/// Out of a wall or ceiling that the place itself lies in, the line leads first.
fn ground(snapshot: &Snapshot, from: VoxelPos, up: Face) -> Option<VoxelPos> {
    let store = snapshot.store();
    if up == TOP {
        return store.ground(from.x, from.y, from.z).map(|z| from.with_z(z));
    }
    let is_open = |at: &VoxelPos| !store.is_solid(*at);
    if store.is_solid(from) {
        let steps = (1..=BULGE).map(|step| from + up.normal() * step);
        return steps.into_iter().find(is_open).map(|open| open - up.normal());
    }
    let bounds = snapshot.bounds();
    (1..).map(|step| from - up.normal() * step).take_while(|at| bounds.contains(*at)).find(|at| !is_open(at))
}

/// Columns that are taken, in cells as wide as the distance that others have to keep.
struct Taken {
    distance: u32,
    cells: BTreeMap<[i32; 2], Vec<[i32; 2]>>,
}

impl Taken {
    /// Takes a column, unless another one is too near.
    fn take(&mut self, column: [i32; 2]) -> bool {
        let (side, square) = (self.distance.max(1) as i32, i64::from(self.distance).pow(2));
        let cell = column.map(|axis| axis.div_euclid(side));
        let away = |other: &[i32; 2]| {
            let [x, y] = [0, 1].map(|axis| i64::from(column[axis]) - i64::from(other[axis]));
            x * x + y * y
        };
        let beside = (-1..=1).flat_map(|y| (-1..=1).map(move |x| [cell[0].saturating_add(x), cell[1].saturating_add(y)]));
        let is_free = beside.into_iter().filter_map(|cell| self.cells.get(&cell)).flatten().all(|other| away(other) >= square);
        if is_free {
            self.cells.entry(cell).or_default().push(column);
        }
        is_free
    }
}
