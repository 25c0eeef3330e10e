//! Generators at work on a part of the map.

use std::collections::BTreeMap;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::sculpt::{lower, raise};
use crate::document::{Image, Progress, Snapshot};
use crate::edit::brush::in_range;
use crate::edit::{Change, Draft, EditError, Mode};
use crate::geom::ColumnRect;
use crate::terrain::{self, Land, Noise, Params, TerrainError, Value, WATER, ground_color};
use crate::voxel::Store;

/// Has a generator of the registry work on an area.
///
/// One that can reshape land moves the ground of each column by as much as it moved it there, and puts its things on
/// it; what hangs above an air gap stays. Any other replaces the columns by what it makes, to the sky.
///
/// Where the area meets its own images under a symmetry, each column moves like the one of its images that goes furthest
/// the way most of the ground goes: a valley and its image are both there from end to end, and no seam is left between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terrain {
    /// Id of the generator.
    pub generator: String,
    /// Seed of every random choice.
    pub seed: u64,
    /// Settings of the generator by id; those left out have their default.
    #[serde(default)]
    pub values: BTreeMap<String, Value>,
    /// The columns; without them the whole map.
    #[serde(default)]
    pub area: Option<ColumnRect>,
    /// Columns within the area in which the moved ground meets what lies around it, 0 to 256.
    #[serde(default = "eight")]
    pub fade: u32,
}

fn eight() -> u32 {
    8
}

impl Terrain {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        in_range("fade of the area", i64::from(self.fade), 0, 256)?;
        let unknown = || TerrainError::UnknownGenerator { id: self.generator.chars().take(40).collect() };
        let generator = terrain::generator(&self.generator).ok_or_else(unknown)?;
        let bounds = snapshot.bounds();
        if self.area.is_some_and(|area| area.is_empty()) {
            return Err(EditError::EmptyRegion);
        }
        let area = self.area.map_or(bounds.columns(), |area| area.intersection(&bounds.columns()));
        if area.is_empty() {
            return Err(EditError::OutsideMap);
        }
        let [width, height] = area.size();
        let params = Params { size: IVec3::new(width, height, bounds.size().z), seed: self.seed, values: self.values.clone() };
        let work = Work { op: self, snapshot, area };
        let mut draft = Draft::new(snapshot);
        let before = work.land(progress)?;
        let mut after = before.clone();
        if generator.reshape(&params, &mut after, progress)? {
            work.move_ground(&mut draft, &before, &after, progress)?;
        } else {
            work.replace(&mut draft, &generator.generate(&params, progress)?, progress)?;
        }
        draft.finish_with(format!("Make {}", generator.label().to_lowercase()), progress)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        self.area.map_or(u64::MAX, |area| area.area().saturating_mul(64))
    }
}

struct Work<'a> {
    op: &'a Terrain,
    snapshot: &'a Snapshot,
    area: ColumnRect,
}

/// A column of the map at one of the images, and that of the land that it belongs to.
struct Spot {
    column: [i32; 2],
    of: [i32; 2],
}

impl Work<'_> {
    /// The ground as it is.
    fn land(&self, progress: &Progress) -> Result<Land, EditError> {
        let [width, height] = self.area.size();
        let mut land = Land::new(IVec3::new(width, height, self.snapshot.bounds().size().z))?;
        for column in land.columns() {
            if column[0] == 0 {
                progress.check()?;
            }
            let top = self.top([self.area.min()[0] + column[0], self.area.min()[1] + column[1]]);
            land.set(column, top.map_or(0.0, |top| (self.lowest() - top.z) as f32));
        }
        Ok(land)
    }

    /// z of the lowest plane.
    fn lowest(&self) -> i32 {
        self.snapshot.bounds().max().z - 1
    }

    fn top(&self, [x, y]: [i32; 2]) -> Option<IVec3> {
        let sky = self.snapshot.bounds().min().z;
        self.snapshot.store().ground(x, y, sky).map(|z| IVec3::new(x, y, z))
    }

    /// The columns of each image, and the columns of the area that they are images of.
    ///
    /// Where the area meets its own images, the first column of those that are images of each other counts for all of them:
    /// the whole map is the same on every side, too.
    fn spots(&self, images: &[Image<'_>]) -> (Vec<Vec<Spot>>, Taken) {
        let columns = self.snapshot.bounds().columns();
        let [min_x, min_y] = self.area.min();
        let (mut taken, mut own) = (Taken::of(columns), Taken::of(self.area));
        let mut spots: Vec<Vec<Spot>> = images.iter().map(|_| vec![]).collect();
        for at in self.area.columns() {
            if taken.has(at) {
                continue;
            }
            own.take(at);
            for (image, spots) in images.iter().zip(&mut spots) {
                let column = image.column(at);
                if columns.contains(column[0], column[1]) && taken.take(column) {
                    spots.push(Spot { column, of: [at[0] - min_x, at[1] - min_y] });
                }
            }
        }
        (spots, own)
    }

    fn move_ground(&self, draft: &mut Draft, before: &Land, after: &Land, progress: &Progress) -> Result<(), EditError> {
        let grain = Noise::new(self.op.seed, 90);
        let images = self.snapshot.symmetry.images();
        let (all, own) = self.spots(&images);
        let leader = Leaders { work: self, before, after, images: &images, carves: self.carves(before, after) };
        for (image, spots) in images.iter().zip(&all) {
            for (done, spot) in spots.iter().enumerate() {
                if done % 4096 == 0 {
                    progress.report(done as f32 / spots.len() as f32)?;
                    draft.check_memory()?;
                }
                let of = leader.of(spot.of);
                let up = self.up(before, after, of);
                let Some(top) = self.top(spot.column).filter(|_| up != 0) else { continue };
                // Land that rises from the water is not of its color.
                let is_water = self.snapshot.floor_z() == Some(top.z);
                let color = is_water.then(|| image.color(ground_color(&grain, of, after.level(of).max(1), after.steepness(of))));
                if up > 0 {
                    raise(draft, top, up, color);
                } else {
                    lower(draft, top, -up, None);
                    self.wet(draft, spot.column, image);
                }
            }
        }
        self.put_things(draft, &leader, &own, progress)
    }

    /// Whether the ground goes down rather than up.
    fn carves(&self, before: &Land, after: &Land) -> bool {
        before.columns().map(|of| i64::from(self.up(before, after, of))).sum::<i64>() < 0
    }

    /// How far a column of the land goes up, all of it in the middle and nothing at the rim.
    fn up(&self, before: &Land, after: &Land, of: [i32; 2]) -> i32 {
        let moved = after.level(of) - before.level(of);
        let share = self.share(of);
        if share >= 1.0 { moved } else { (moved as f32 * share).round() as i32 }
    }

    fn share(&self, [x, y]: [i32; 2]) -> f32 {
        let (bounds, [width, height]) = (self.snapshot.bounds().columns(), self.area.size());
        let mut share = 1.0_f32;
        // At the border of the map nothing is to be met.
        let sides = [
            (self.area.min()[0] > bounds.min()[0], x),
            (self.area.min()[1] > bounds.min()[1], y),
            (self.area.max()[0] < bounds.max()[0], width - 1 - x),
            (self.area.max()[1] < bounds.max()[1], height - 1 - y),
        ];
        for (_, away) in sides.into_iter().filter(|(meets, _)| *meets) {
            share = share.min((away as f32 + 1.0) / (self.op.fade as f32 + 1.0));
        }
        share * share * (3.0 - 2.0 * share)
    }

    /// Where the ground went down to the floor, the floor is water, unless its color is known.
    fn wet(&self, draft: &mut Draft, [x, y]: [i32; 2], image: &Image<'_>) {
        let Some(z) = draft.floor_z() else { return };
        let floor = IVec3::new(x, y, z);
        if draft.get(floor - IVec3::Z).is_none() && draft.get(floor).is_some_and(|voxel| voxel.paint.is_none()) {
            draft.put(floor, image.color(WATER), Mode::Paint);
        }
    }

    fn put_things(&self, draft: &mut Draft, leader: &Leaders<'_>, own: &Taken, progress: &Progress) -> Result<(), EditError> {
        let Leaders { before, after, .. } = *leader;
        let [min_x, min_y] = self.area.min();
        let images = Mode::Add.ordered(&self.snapshot.symmetry);
        // Thing by thing: where two meet, the same one of them wins on every side.
        for (done, thing) in after.things().iter().enumerate() {
            if done % 4096 == 0 {
                progress.check()?;
            }
            let [x, y] = thing.foot;
            let up = self.up(before, after, thing.foot);
            // Where an image has its valley, nothing stands that was meant for the ground as it was.
            if !own.has([min_x + x, min_y + y]) || self.up(before, after, leader.of(thing.foot)) != up {
                continue;
            }
            for image in &images {
                let foot = image.column([min_x + x, min_y + y]);
                let Some(top) = self.top(foot) else { continue };
                let z = top.z - up - thing.offset.z;
                let at = image.voxel(IVec3::new(min_x + x + thing.offset.x, min_y + y + thing.offset.y, z));
                if self.snapshot.bounds().contains(at) {
                    draft.put(at, image.color(thing.color), Mode::Add);
                }
            }
        }
        Ok(())
    }

    /// The columns become those of a store whose bounds begin at the origin.
    fn replace(&self, draft: &mut Draft, store: &Store, progress: &Progress) -> Result<(), EditError> {
        let bounds = self.snapshot.bounds();
        let images = self.snapshot.symmetry.images();
        for (image, spots) in images.iter().zip(self.spots(&images).0) {
            for (done, spot) in spots.iter().enumerate() {
                if done % 1024 == 0 {
                    progress.report(done as f32 / spots.len() as f32)?;
                    draft.check_memory()?;
                }
                let [[x, y], [of_x, of_y]] = [spot.column, spot.of];
                for z in 0..bounds.size().z {
                    let voxel = store.voxel(IVec3::new(of_x, of_y, z)).map(|voxel| voxel.recolored(|rgb| image.color(rgb)));
                    let at = IVec3::new(x, y, bounds.min().z + z);
                    if draft.before().voxel(at) != voxel {
                        draft.put_exactly(at, voxel);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Which column of the land each column moves like.
struct Leaders<'a> {
    work: &'a Work<'a>,
    before: &'a Land,
    after: &'a Land,
    images: &'a [Image<'a>],
    /// Whether the ground goes down rather than up.
    carves: bool,
}

impl Leaders<'_> {
    /// That of its images within the land that moves furthest down, or up; the column itself where none goes further.
    fn of(&self, of: [i32; 2]) -> [i32; 2] {
        let [min_x, min_y] = self.work.area.min();
        let within = |column: [i32; 2]| [column[0] - min_x, column[1] - min_y];
        let others = self.images.iter().map(|image| image.column([min_x + of[0], min_y + of[1]]));
        let others = others.filter(|column| self.work.area.contains(column[0], column[1])).map(within);
        let ahead = |of: [i32; 2]| {
            let up = self.work.up(self.before, self.after, of);
            if self.carves { -up } else { up }
        };
        // The first of those that are as far, so that the column itself stays where nothing is gained.
        others.fold(of, |best, other| if ahead(other) > ahead(best) { other } else { best })
    }
}

/// Columns that were worked on.
struct Taken {
    columns: ColumnRect,
    bits: Vec<u64>,
}

impl Taken {
    fn of(columns: ColumnRect) -> Self {
        // The area of a map that is open fits.
        Self { columns, bits: vec![0; (columns.area() / 64 + 1) as usize] }
    }

    /// The word and the bit of a column.
    fn place(&self, [x, y]: [i32; 2]) -> (usize, u64) {
        let [from_x, from_y] = self.columns.min();
        let index = u64::from((y - from_y).unsigned_abs()) * u64::from(self.columns.size()[0].unsigned_abs())
            + u64::from((x - from_x).unsigned_abs());
        ((index / 64) as usize, 1 << (index % 64))
    }

    fn has(&self, column: [i32; 2]) -> bool {
        let (word, bit) = self.place(column);
        self.bits.get(word).is_some_and(|word| word & bit != 0)
    }

    fn take(&mut self, column: [i32; 2]) -> bool {
        let (word, bit) = self.place(column);
        let is_free = !self.has(column);
        if let Some(word) = self.bits.get_mut(word) {
            *word |= bit;
        }
        is_free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, GameProfile, Symmetry, SymmetryKind};
    use crate::edit::{Command, History, plan};
    use crate::geom::Region;
    use crate::terrain::GENERATORS;
    use crate::voxel::Voxel;
    use crate::voxel::{Rgb, StoreEdit};

    const EARTH: Rgb = Rgb::new(90, 60, 30);

    /// Level ground so many voxels over the floor.
    fn flat(size: [i32; 2], height: i32) -> Document {
        let mut store = Store::new(Region::of_size(IVec3::new(size[0], size[1], 64)));
        let mut edit = StoreEdit::new(&store);
        for pos in Region::new(IVec3::new(0, 0, 63 - height), store.bounds().max()).positions() {
            edit.set(pos, Some(if pos.z == 63 - height { Voxel::new(EARTH) } else { Voxel::HIDDEN }));
        }
        let changes = edit.finish();
        store.apply(&changes);
        Document::new(store, &GameProfile::ACE_OF_SPADES)
    }

    fn run(document: &mut Document, json: &str) -> Result<(), EditError> {
        let command: Command = serde_json::from_str(json).unwrap();
        let change = plan(document, &command, &Progress::new())?;
        History::new().commit(document, change);
        Ok(())
    }

    fn height(document: &Document, x: i32, y: i32) -> i32 {
        63 - document.store().ground(x, y, 0).unwrap()
    }

    #[test]
    fn every_generator_works_on_an_area_only_and_does_the_same_again() {
        for generator in GENERATORS {
            let mut documents = [flat([64, 48], 12), flat([64, 48], 12)];
            let json = format!(r#"{{"terrain":{{"generator":"{}","seed":5,"area":[[8,8],[56,40]]}}}}"#, generator.id());
            documents.iter_mut().for_each(|document| run(document, &json).unwrap());
            let [document, again] = &documents;
            assert!(document.store().same_voxels(again.store()), "{}", generator.id());
            let is_level = generator.id() == "erosion";
            assert_eq!(document.store().same_voxels(flat([64, 48], 12).store()), is_level, "{}", generator.id());
            for [x, y] in document.bounds().columns().columns() {
                assert!(document.store().is_solid(IVec3::new(x, y, 63)), "{} {x} {y}", generator.id());
                let away = [8 - x, x - 55, 8 - y, y - 39].into_iter().max().unwrap();
                // Trees reach over the rim.
                if away > 6 {
                    assert_eq!(height(document, x, y), 12, "{} {x} {y}", generator.id());
                }
            }
        }
    }

    #[test]
    fn hills_fade_out_at_the_rim_of_the_area_but_not_at_that_of_the_map() {
        let mut document = flat([64, 64], 4);
        run(
            &mut document,
            r#"{"terrain":{"generator":"hills","seed":3,"values":{"plains":0,"width":20},"area":[[0,0],[40,64]],"fade":12}}"#,
        )
        .unwrap();
        let column = |x| (0..64).map(|y| height(&document, x, y)).max().unwrap();
        assert!(column(0) > 8 && column(20) > 8, "{} {}", column(0), column(20));
        assert!(column(39) <= 5 && column(41) == 4, "{} {}", column(39), column(41));
    }

    #[test]
    fn an_area_that_meets_its_own_image_becomes_the_same_on_both_sides() {
        for kind in SymmetryKind::ALL.into_iter().filter(|kind| *kind != SymmetryKind::Off) {
            for generator in GENERATORS {
                let mut document = flat([48, 48], 12);
                document.symmetry = Symmetry { kind, center: [48, 48], ..Symmetry::default() }.into();
                for area in ["", r#","area":[[6,4],[40,44]]"#] {
                    run(&mut document, &format!(r#"{{"terrain":{{"generator":"{}","seed":5{area}}}}}"#, generator.id())).unwrap();
                    let mismatches = super::super::mismatches(&document, &Progress::new()).unwrap();
                    assert_eq!(mismatches.count(), 0, "{} {kind:?} {area}", generator.id());
                }
            }
        }
    }

    #[test]
    fn a_valley_and_its_image_both_go_from_end_to_end() {
        for kind in [SymmetryKind::Turn180, SymmetryKind::MirrorY] {
            for seed in [1, 5] {
                let dug = |kind| {
                    let mut document = flat([96, 96], 20);
                    document.symmetry = Symmetry { kind, center: [96, 96], ..Symmetry::default() }.into();
                    run(&mut document, &format!(r#"{{"terrain":{{"generator":"valley","seed":{seed}}}}}"#)).unwrap();
                    document
                };
                let (alone, document) = (dug(SymmetryKind::Off), dug(kind));
                for [x, y] in alone.bounds().columns().columns() {
                    let image = if kind == SymmetryKind::Turn180 { [95 - x, 95 - y] } else { [x, 95 - y] };
                    let lower = height(&alone, x, y).min(height(&alone, image[0], image[1]));
                    assert_eq!(height(&document, x, y), lower, "{kind:?} {seed} {x} {y}");
                }
            }
        }
    }

    #[test]
    fn flat_ground_replaces_the_columns_of_its_area_and_of_its_image() {
        let mut document = flat([8, 4], 5);
        document.symmetry = Symmetry { kind: SymmetryKind::MirrorX, center: [8, 4], ..Symmetry::default() }.into();
        let hanging = r##"{"set":{"at":[1,1,20],"color":"#ffffff"}}"##;
        run(&mut document, hanging).unwrap();
        run(&mut document, r#"{"terrain":{"generator":"flat","seed":1,"values":{"height":2},"area":[[1,1],[3,3]]}}"#).unwrap();
        let row = |y| (0..8).map(|x| height(&document, x, y).to_string()).collect::<String>();
        assert_eq!([0, 1, 2, 3].map(row), ["55555555", "52255225", "52255225", "55555555"]);
    }

    #[test]
    fn a_river_comes_down_to_blue_water() {
        let mut document = flat([60, 40], 6);
        run(&mut document, r#"{"terrain":{"generator":"river","seed":1,"fade":0}}"#).unwrap();
        for x in 0..60 {
            let wet = (0..40).filter(|y| height(&document, x, *y) == 0).count();
            assert!(wet >= 10, "{x}: {wet}");
            let y = (0..40).find(|y| height(&document, x, *y) == 0).unwrap();
            assert_eq!(document.store().paint(IVec3::new(x, y, 63)).map(|paint| paint.rgb), Some(WATER));
        }
    }

    #[test]
    fn what_happens_on_one_side_happens_on_the_other_by_what_stands_there() {
        for generator in GENERATORS {
            let mut document = flat([64, 64], 10);
            document.symmetry = Symmetry { kind: SymmetryKind::Turn180, center: [64, 64], ..Symmetry::default() }.into();
            let json = format!(r#"{{"terrain":{{"generator":"{}","seed":5,"area":[[4,4],[60,28]]}}}}"#, generator.id());
            run(&mut document, &json).unwrap();
            let found = crate::edit::ops::mismatches(&document, &Progress::new()).unwrap();
            assert!(found.is_empty(), "{}: {:?}", generator.id(), found.positions().next());
        }
    }

    #[test]
    fn commands_that_cannot_be_carried_out_say_why() {
        let mut document = flat([8, 8], 4);
        let mut error = |json: &str| run(&mut document, json).unwrap_err().to_string();
        assert_eq!(error(r#"{"terrain":{"generator":"moon","seed":1}}"#), r#"there is no generator named "moon""#);
        assert_eq!(
            error(r#"{"terrain":{"generator":"hills","seed":1,"values":{"height":1000000000}}}"#),
            "setting height takes a whole number from 1 to 60"
        );
        assert_eq!(
            error(r#"{"terrain":{"generator":"hills","seed":1,"area":[[9,9],[12,12]]}}"#),
            "nothing there: the place lies outside the map"
        );
        assert_eq!(error(r#"{"terrain":{"generator":"hills","seed":1,"area":[[9,9],[9,12]]}}"#), "the region has no area");
        assert_eq!(error(r#"{"terrain":{"generator":"hills","seed":1,"fade":257}}"#), "fade of the area must be 0 to 256, not 257");
    }
}
