//! Stamps: a clip put into the map once, or scattered over its ground.

use std::collections::BTreeMap;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use crate::document::{Image, Progress, Snapshot};
use crate::edit::brush::in_range;
use crate::edit::mask_filter::slope_degrees;
use crate::edit::{Change, Clip, Draft, EditError, Mode};
use crate::geom::{ColumnRect, Orientation, VoxelPos};
use crate::terrain::{MAX_COLUMNS, Noise};
use crate::voxel::{Paint, Rgb, Voxel};

/// Most voxels that all stamps of one command hold together.
const MAX_VOXELS: u64 = 1 << 28;
/// Tints that scattered stamps take, from the darkest to the lightest, in shares of the most.
const TINTS: [i32; 5] = [-2, -1, 0, 1, 2];

/// Which voxel of a stamp comes to lie at the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StampAnchor {
    /// The middle of its lowest layer.
    #[default]
    Bottom,
    /// The north-western corner of its lowest layer.
    Corner,
    /// The middle.
    Middle,
}

impl StampAnchor {
    /// All anchors, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::Bottom, Self::Corner, Self::Middle];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Bottom => "Bottom",
            Self::Corner => "Corner",
            Self::Middle => "Middle",
        }
    }

    /// The voxel of a clip; air around what it holds does not count.
    pub fn of(self, clip: &Clip) -> VoxelPos {
        let solid = clip.store().occupied();
        let (min, max) = if solid.is_empty() { (IVec3::ZERO, clip.size()) } else { (solid.min(), solid.max()) };
        let middle = (min + max - 1) / 2;
        match self {
            Self::Bottom => middle.with_z(max.z - 1),
            Self::Corner => min.with_z(max.z - 1),
            Self::Middle => middle,
        }
    }
}

/// Puts the voxels of a clip into the map. Air in the clip does not overwrite anything; what falls outside is left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// The voxels, as text.
    pub clip: Clip,
    /// Where the anchor comes to lie.
    pub at: VoxelPos,
    /// Which voxel of the clip, once it is turned, that is.
    #[serde(default)]
    pub anchor: StampAnchor,
    /// Quarter turns about the upright axis, 0 to 3.
    #[serde(default)]
    pub turn: u32,
    /// How much lighter its colors are, or darker where negative, in percent.
    #[serde(default)]
    pub tint: i32,
}

impl Stamp {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        in_range("turns of the stamp", i64::from(self.turn), 0, 3)?;
        in_range("tint of the stamp", i64::from(self.tint), -100, 100)?;
        let clip = prepared(&self.clip, self.turn, self.tint);
        let place = clip.store().bounds().shifted(self.at.saturating_sub(self.anchor.of(&clip)));
        let mut draft = Draft::new(snapshot);
        let mut inside = false;
        for image in Mode::Set.ordered(&snapshot.symmetry) {
            let region = image.region(&place);
            if region.intersection(&snapshot.bounds()).is_empty() {
                continue;
            }
            inside = true;
            let imaged = if image.is_original() { clip.clone() } else { clip.imaged(&image) };
            draft.paste(imaged.store(), region.min(), progress)?;
        }
        if !inside {
            return Err(EditError::OutsideMap);
        }
        draft.finish_with("Stamp", progress)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        self.clip.store().bounds().volume()
    }
}

/// Scatters the voxels of a clip over the ground of an area, on land only.
///
/// The same seed gives the same places on the same ground. Images stand on the ground of their own side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scatter {
    /// The voxels, as text.
    pub clip: Clip,
    /// The columns that anchors may come to lie in.
    pub area: ColumnRect,
    /// Seed of every random choice.
    pub seed: u64,
    /// Height from which the ground is looked for; without one the sky.
    #[serde(default)]
    pub z: Option<i32>,
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
struct Place {
    column: [i32; 2],
    turn: u32,
    tint: i32,
}

impl Scatter {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let area = self.check(snapshot)?;
        let places = self.places(snapshot, &area, progress)?;
        let voxels = self.clip.store().solid_count().saturating_mul(places.len() as u64);
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        in_range("voxels of all stamps", number(voxels), 0, number(MAX_VOXELS))?;
        let mut draft = Draft::new(snapshot);
        for image in Mode::Set.ordered(&snapshot.symmetry) {
            self.put(snapshot, &mut draft, &image, &places, progress)?;
        }
        draft.finish_with("Scatter stamps", progress)
    }

    /// The columns that it is about.
    fn check(&self, snapshot: &Snapshot) -> Result<ColumnRect, EditError> {
        in_range("density of the stamps", i64::from(self.density), 1, 1000)?;
        in_range("distance of the stamps", i64::from(self.distance), 0, 256)?;
        in_range("slope of the ground", i64::from(self.slope), 0, 90)?;
        in_range("turns of the stamps", i64::from(self.turn), 0, 3)?;
        in_range("tint of the stamps", i64::from(self.tint), 0, 100)?;
        if self.area.is_empty() {
            return Err(EditError::EmptyRegion);
        }
        let area = self.area.intersection(&snapshot.bounds().columns());
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        in_range("columns of the area", number(area.area()), 0, number(MAX_COLUMNS))?;
        if area.is_empty() { Err(EditError::OutsideMap) } else { Ok(area) }
    }

    /// The places, in the order in which they are stamped.
    fn places(&self, snapshot: &Snapshot, area: &ColumnRect, progress: &Progress) -> Result<Vec<Place>, EditError> {
        let [dice, order, looks] = [0, 1, 2].map(|field| Noise::new(self.seed, field));
        let mut wished = vec![];
        for (done, column) in area.columns().enumerate() {
            if done % 4096 == 0 {
                progress.report(done as f32 / area.area() as f32)?;
            }
            let at = IVec3::new(column[0], column[1], 0);
            if dice.word(at) % 1000 < self.density && self.is_fit(snapshot, column) {
                wished.push((order.word(at), column));
            }
        }
        wished.sort_unstable();
        let mut taken = Taken { distance: self.distance, cells: BTreeMap::new() };
        wished.retain(|(_, column)| taken.take(*column));
        let place = |(_, column): (u32, [i32; 2])| {
            let word = looks.word(IVec3::new(column[0], column[1], 0));
            let turn = if self.random_turn { word % 4 } else { self.turn };
            let step = TINTS.get(word as usize / 4 % TINTS.len()).copied().unwrap_or(0);
            Place { column, turn, tint: step * self.tint as i32 / 2 }
        };
        Ok(wished.into_iter().map(place).collect())
    }

    /// Whether a column is land that is level enough.
    fn is_fit(&self, snapshot: &Snapshot, column: [i32; 2]) -> bool {
        let Some(z) = self.ground(snapshot, column).filter(|z| snapshot.floor_z() != Some(*z)) else { return false };
        self.slope >= 90 || slope_degrees(snapshot.store(), IVec3::new(column[0], column[1], z)) <= self.slope
    }

    fn ground(&self, snapshot: &Snapshot, [x, y]: [i32; 2]) -> Option<i32> {
        let top = snapshot.bounds().min().z;
        snapshot.store().ground(x, y, self.z.unwrap_or(top).max(top))
    }

    fn put(
        &self,
        snapshot: &Snapshot,
        draft: &mut Draft,
        image: &Image<'_>,
        places: &[Place],
        progress: &Progress,
    ) -> Result<(), EditError> {
        let mut clips: BTreeMap<(u32, i32), (Clip, VoxelPos, Clip)> = BTreeMap::new();
        for (done, place) in places.iter().enumerate() {
            progress.report(done as f32 / places.len() as f32)?;
            let [x, y] = image.column(place.column);
            if !snapshot.bounds().columns().contains(x, y) {
                continue;
            }
            let Some(ground) = self.ground(snapshot, [x, y]) else { continue };
            let (clip, anchor, imaged) = clips.entry((place.turn, place.tint)).or_insert_with(|| {
                let clip = prepared(&self.clip, place.turn, place.tint);
                let imaged = clip.imaged(image);
                (clip.clone(), self.anchor.of(&clip), imaged)
            });
            let at = IVec3::new(place.column[0], place.column[1], ground - 1);
            let region = image.region(&clip.store().bounds().shifted(at.saturating_sub(*anchor)));
            draft.paste(imaged.store(), region.min(), &Progress::new())?;
        }
        Ok(())
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        let stamps = (self.area.area() / 1000).saturating_mul(u64::from(self.density));
        self.area.area().saturating_add(stamps.saturating_mul(self.clip.store().bounds().volume()))
    }
}

/// The clip as it is put down.
fn prepared(clip: &Clip, turn: u32, tint: i32) -> Clip {
    let quarter = Orientation::quarter_turn_z();
    let orientation = (0..turn).fold(Orientation::IDENTITY, |turned, _| turned.then(quarter));
    let toward = if tint < 0 { Rgb::new(0, 0, 0) } else { Rgb::new(255, 255, 255) };
    let share = tint.unsigned_abs() as f32 / 100.0;
    let tinted = |voxel: Voxel| Voxel { paint: voxel.paint.map(|paint| Paint { rgb: paint.rgb.mixed(toward, share), ..paint }), ..voxel };
    match (turn, tint) {
        (0, 0) => clip.clone(),
        _ => clip.mapped(orientation, tinted),
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::{Document, GameProfile, Symmetry, SymmetryKind};
    use crate::edit::{Command, History, plan};
    use crate::geom::Region;
    use crate::voxel::{Store, StoreEdit};

    const EARTH: Rgb = Rgb::new(90, 60, 30);
    const LEAF: Rgb = Rgb::new(40, 160, 40);
    const BARK: Rgb = Rgb::new(100, 50, 0);
    const DEPTH: i32 = 12;

    /// Columns by their height over the floor, rows divided by `/`.
    fn map(drawn: &str) -> Document {
        let rows: Vec<&str> = drawn.split('/').collect();
        let mut store = Store::new(Region::of_size(IVec3::new(rows[0].len() as i32, rows.len() as i32, DEPTH)));
        let mut edit = StoreEdit::new(&store);
        for (y, row) in rows.iter().enumerate() {
            for (x, height) in row.chars().map(|c| c.to_digit(10).unwrap() as i32).enumerate() {
                for z in DEPTH - 1 - height..DEPTH {
                    edit.set(IVec3::new(x as i32, y as i32, z), Some(Voxel::new(EARTH)));
                }
            }
        }
        let changes = edit.finish();
        store.apply(&changes);
        Document::new(store, &GameProfile::ACE_OF_SPADES)
    }

    /// A trunk of two voxels in the west with a leaf to the east of its top, and air around.
    fn flag() -> Clip {
        let mut edit = StoreEdit::new(&Store::new(Region::of_size(IVec3::new(4, 3, 4))));
        edit.set(IVec3::new(1, 1, 2), Some(Voxel::new(BARK)));
        edit.set(IVec3::new(1, 1, 1), Some(Voxel::new(BARK)));
        edit.set(IVec3::new(2, 1, 1), Some(Voxel::new(LEAF)));
        Clip::of(&edit.snapshot()).unwrap()
    }

    fn stamp(at: [i32; 3]) -> Stamp {
        Stamp { clip: flag(), at: at.into(), anchor: StampAnchor::Corner, turn: 0, tint: 0 }
    }

    fn run(document: &mut Document, command: Command) -> Change {
        let change = plan(document, &command, &Progress::new()).unwrap();
        History::new().commit(document, change.clone());
        change
    }

    /// Columns from above: `l` leaf, `b` bark, else the height.
    fn drawn(document: &Document) -> String {
        let (store, size) = (document.store(), document.bounds().size());
        let cell = |x, y| {
            let z = store.ground(x, y, 0).unwrap();
            match store.voxel(IVec3::new(x, y, z)).unwrap().rgb() {
                Some(LEAF) => 'l',
                Some(BARK) => 'b',
                _ => char::from_digit((DEPTH - 1 - z) as u32, 36).unwrap(),
            }
        };
        (0..size.y).map(|y| (0..size.x).map(|x| cell(x, y)).collect::<String>()).collect::<Vec<_>>().join("/")
    }

    #[track_caller]
    fn check(before: &str, stamp: Stamp, expected: &str) {
        let mut document = map(before);
        run(&mut document, Command::Stamp(stamp));
        assert_eq!(drawn(&document), expected);
    }

    #[test]
    fn a_stamp_hangs_by_its_anchor_whatever_its_turn() {
        let empty = "00000/00000/00000/00000/00000";
        check(empty, stamp([2, 2, 10]), "00000/00000/00bl0/00000/00000");
        for (turn, expected) in ["00000/00000/00bl0/00000/00000", "00000/00000/00b00/00l00/00000"].into_iter().enumerate() {
            check(empty, Stamp { turn: turn as u32, ..stamp([2, 2, 10]) }, expected);
        }
        // Now the leaf is in the corner.
        check(empty, Stamp { turn: 2, ..stamp([2, 2, 10]) }, "00000/00000/00lb0/00000/00000");
        check(empty, Stamp { turn: 3, ..stamp([2, 2, 10]) }, "00000/00000/00l00/00b00/00000");
    }

    #[test]
    fn the_anchor_leaves_air_around_out() {
        assert_eq!(StampAnchor::ALL.map(|anchor| anchor.of(&flag()).to_array()), [[1, 1, 2], [1, 1, 2], [1, 1, 1]]);
    }

    #[test]
    fn what_falls_outside_is_left_out_and_told() {
        let mut document = map("00/00");
        let change = run(&mut document, Command::Stamp(stamp([1, 0, 10])));
        assert_eq!((drawn(&document).as_str(), change.notes.len()), ("0b/00", 1));
        let far = Command::Stamp(stamp([i32::MAX, i32::MIN, 0]));
        assert_eq!(plan(&document, &far, &Progress::new()).unwrap_err(), EditError::OutsideMap);
        let wide = Clip::of(&Store::new(Region::of_size(IVec3::new(500, 500, 90)))).unwrap();
        let change = run(&mut document, Command::Stamp(Stamp { clip: wide, ..stamp([1, 1, 1]) }));
        assert!(change.is_empty());
    }

    #[test]
    fn a_stamp_is_turned_and_mirrored_at_its_images() {
        let mut document = map("000000/000000/000000/000000/000000/000000");
        document.symmetry = Symmetry { kind: SymmetryKind::MirrorX, center: [6, 6], ..Symmetry::default() }.into();
        run(&mut document, Command::Stamp(stamp([0, 1, 10])));
        assert_eq!(drawn(&document), "000000/bl00lb/000000/000000/000000/000000");
        document.symmetry = Symmetry { kind: SymmetryKind::Turn180, center: [6, 6], ..Symmetry::default() }.into();
        run(&mut document, Command::Stamp(stamp([0, 3, 10])));
        assert_eq!(drawn(&document), "000000/bl00lb/0000lb/bl0000/000000/000000");
    }

    #[test]
    fn tints_make_a_stamp_lighter_or_darker() {
        let color = |tint| {
            let mut document = map("000/000");
            run(&mut document, Command::Stamp(Stamp { tint, ..stamp([0, 0, 10]) }));
            document.store().voxel(IVec3::new(0, 0, 10)).unwrap().rgb().unwrap()
        };
        assert_eq!([color(0), color(-100), color(100)], [BARK, Rgb::new(0, 0, 0), Rgb::new(255, 255, 255)]);
        assert!(color(20).r > BARK.r && color(-20).r < BARK.r);
    }

    fn scatter(area: [[i32; 2]; 2]) -> Scatter {
        let area = ColumnRect::from(area);
        let clip = flag();
        Scatter {
            clip,
            area,
            seed: 1,
            z: None,
            anchor: StampAnchor::Bottom,
            density: 1000,
            distance: 0,
            slope: 90,
            turn: 0,
            random_turn: false,
            tint: 0,
        }
    }

    #[test]
    fn stamps_are_scattered_on_level_land_only() {
        let mut document = map("0000/1000/0000");
        run(&mut document, Command::Scatter(scatter([[0, 0], [9, 9]])));
        assert_eq!(drawn(&document), "0000/bl00/0000");
        let mut document = map("99991111/99991111/99991111/99991111/99991111/99991111");
        let change = plan(&document, &Command::Scatter(Scatter { slope: 10, ..scatter([[2, 0], [6, 6]]) }), &Progress::new()).unwrap();
        assert!(change.is_empty(), "both sides of the step are too near to it");
        run(&mut document, Command::Scatter(Scatter { slope: 10, ..scatter([[0, 0], [8, 6]]) }));
        assert!(drawn(&document).contains('b'));
    }

    #[test]
    fn commands_that_ask_for_too_much_are_refused() {
        let document = map("11/11");
        let error = |scatter: Scatter| plan(&document, &Command::Scatter(scatter), &Progress::new()).unwrap_err().to_string();
        assert_eq!(error(Scatter { density: 1001, ..scatter([[0, 0], [2, 2]]) }), "density of the stamps must be 1 to 1000, not 1001");
        assert_eq!(error(Scatter { tint: u32::MAX, ..scatter([[0, 0], [2, 2]]) }), "tint of the stamps must be 0 to 100, not 4294967295");
        assert_eq!(error(scatter([[0, 0], [0, 2]])), "the region has no area");
        assert_eq!(error(scatter([[5, 5], [9, 9]])), "nothing there: the place lies outside the map");
    }

    proptest! {
        #[test]
        fn scattered_stamps_keep_their_distance_and_hang_on_the_seed_alone(seed in any::<u64>(), density in 1..1000_u32, distance in 0..9_u32) {
            let document = map(&vec!["3".repeat(30); 20].join("/"));
            let op = Scatter { seed, density, distance, random_turn: true, tint: 10, ..scatter([[1, 2], [28, 19]]) };
            let area = op.check(&document).unwrap();
            let places = op.places(&document, &area, &Progress::new()).unwrap();
            prop_assert_eq!(&places, &op.places(&document, &area, &Progress::new()).unwrap());
            let near = |a: &Place, b: &Place| (0..2).map(|axis| (a.column[axis] - b.column[axis]).pow(2)).sum::<i32>() < (distance * distance) as i32;
            for (index, place) in places.iter().enumerate() {
                prop_assert!(area.contains(place.column[0], place.column[1]) && place.turn < 4 && place.tint.abs() <= 10);
                prop_assert!(!places[..index].iter().any(|other| near(place, other)));
            }
            // Nothing more would have fitted among those that the dice chose.
            if distance == 0 && density > 500 {
                prop_assert!(places.len() > area.area() as usize / 3);
            }
        }
    }
}
