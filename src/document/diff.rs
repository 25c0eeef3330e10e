//! What differs between two documents: voxels, objects, metadata, size. Works across formats.
//!
//! Pure, and quick where the documents share chunks. Caller: the command line.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::{Discriminant, discriminant};

use glam::IVec3;

use super::{Cancelled, Document, GameMode, Object, Objects, Placement, Progress, Property, Sector, Snapshot, Volume};
use crate::geom::{Region, VoxelPos};
use crate::voxel::{CHUNK_EDGE, ChunkPos, ColumnDiff, ColumnMask, Store, diff_chunk};

/// How many voxels differ in one way, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// The smallest box around them.
    pub bounds: Region,
}

impl Default for Tally {
    fn default() -> Self {
        Self { count: 0, bounds: Region::EMPTY }
    }
}

impl Tally {
    fn add(&mut self, column: VoxelPos, mask: ColumnMask) {
        if mask != 0 {
            self.count += u64::from(mask.count_ones());
            let (top, bottom) = (mask.trailing_zeros() as i32, mask.ilog2() as i32);
            self.bounds = self.bounds.union(&Region::between(column + IVec3::Z * top, column + IVec3::Z * bottom));
        }
    }
}

/// The voxels that differ, by the way they do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VoxelChanges {
    /// Air before, solid after.
    pub added: Tally,
    /// Solid before, air after.
    pub removed: Tally,
    /// Of another color.
    pub recolored: Tally,
    /// Of the same color and another shade.
    pub reshaded: Tally,
    /// Of other attributes: light, kind, indestructible, reserved; flags, variant and turn of tiles.
    pub altered: Tally,
    /// With a color that only one of the documents knows. Formats differ in that for hidden voxels, so this
    /// is not counted as a difference.
    pub half_known: Tally,
}

impl VoxelChanges {
    fn add(&mut self, column: VoxelPos, diff: &ColumnDiff) {
        self.added.add(column, diff.added);
        self.removed.add(column, diff.removed);
        self.recolored.add(column, diff.recolored);
        self.reshaded.add(column, diff.reshaded);
        self.altered.add(column, diff.altered);
        self.half_known.add(column, diff.half_known);
    }

    /// Whether the documents hold the same voxels, as far as both know.
    pub fn is_empty(&self) -> bool {
        [self.added, self.removed, self.recolored, self.reshaded, self.altered].iter().all(|tally| tally.count == 0)
    }
}

/// How many voxels of a sector differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectorTally {
    /// Air before, solid after.
    pub added: u64,
    /// Solid before, air after.
    pub removed: u64,
    /// Of another color.
    pub recolored: u64,
}

/// What happened to an object. Ids play no part: files do not keep them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectChange {
    /// In the second document only.
    Added(Object),
    /// In the first document only.
    Removed(Object),
    /// The nearest object of the same kind, team and name: before and after.
    Changed(Object, Object),
}

/// What differs between two volumes that are compared; see [`volume_pairs`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeDiff {
    /// What it is called, before and after; `None` where the document has none to compare with.
    pub titles: [Option<String>; 2],
    /// Whether both have a name or a number of their own, and not the same.
    pub is_renamed: bool,
    /// Its box, before and after.
    pub bounds: [Option<Region>; 2],
    /// Where it lies in the world, before and after.
    pub placements: [Option<Placement>; 2],
    /// Its voxels, in its own positions.
    pub voxels: VoxelChanges,
}

impl VolumeDiff {
    /// Whether both are there, of one name, place and size, and hold the same.
    pub fn is_empty(&self) -> bool {
        !self.is_renamed && self.bounds[0] == self.bounds[1] && self.placements[0] == self.placements[1] && self.voxels.is_empty()
    }
}

/// All that differs between two documents.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentDiff {
    /// Every volume that either has, in order, whether it differs or not.
    pub volumes: Vec<VolumeDiff>,
    /// The voxels of all volumes, in positions of their volume.
    pub voxels: VoxelChanges,
    /// The sectors in which voxels differ, where the second document's game has sectors.
    pub sectors: BTreeMap<Sector, SectorTally>,
    /// The objects, in order.
    pub objects: Vec<ObjectChange>,
    /// The properties that differ, before and after.
    pub metadata: Vec<[Property; 2]>,
}

impl DocumentDiff {
    /// Compares two documents.
    ///
    /// # Errors
    /// [`Cancelled`] if the work was cancelled.
    ///
    /// # Cost
    /// Proportional to the chunks that are not shared: some microseconds for one that is equal.
    pub fn between(before: &Snapshot, after: &Snapshot, progress: &Progress) -> Result<Self, Cancelled> {
        let pairs = volume_pairs(before, after);
        let mut volumes: Vec<VolumeDiff> = pairs.iter().map(|pair| volume_diff([before, after], *pair)).collect();
        let mut voxels = VoxelChanges::default();
        let mut sectors = BTreeMap::<Sector, SectorTally>::new();
        visit_differences(before, after, progress, |volume, column, diff| {
            voxels.add(column, diff);
            if let Some(volume) = volumes.get_mut(volume) {
                volume.voxels.add(column, diff);
            }
            let counts = [diff.added, diff.removed, diff.recolored].map(|mask| u64::from(mask.count_ones()));
            let sector = Sector::of(column.x, column.y).filter(|_| after.profile.has_sectors && counts != [0; 3]);
            if let (Some(sector), [added, removed, recolored]) = (sector, counts) {
                let tally = sectors.entry(sector).or_default();
                tally.added += added;
                tally.removed += removed;
                tally.recolored += recolored;
            }
        })?;
        let properties = before.metadata.properties().into_iter().zip(after.metadata.properties());
        Ok(Self {
            volumes,
            voxels,
            sectors,
            objects: object_changes(&before.objects, &with_pair_numbers(&after.objects, &pairs)),
            metadata: properties.filter(|(old, new)| !is_same(old, new)).map(|(old, new)| [old, new]).collect(),
        })
    }

    /// Whether both hold the same.
    pub fn is_empty(&self) -> bool {
        self.volumes.iter().all(VolumeDiff::is_empty) && self.objects.is_empty() && self.metadata.is_empty()
    }
}

/// The volumes that are compared with each other, by their numbers in each document: those of one uid, else of one name, in the
/// order of the first document; those that only one has come alone. Where no uid or name stands in both, the order counts.
pub fn volume_pairs(before: &Document, after: &Document) -> Vec<[Option<usize>; 2]> {
    let (old, new) = (before.volumes(), after.volumes());
    let mut pairs: Vec<[Option<usize>; 2]> = (0..old.len()).map(|at| [Some(at), None]).collect();
    let mut left: Vec<usize> = (0..new.len()).collect();
    let is_same_uid = |a: &Volume, b: &Volume| a.uid.is_some() && a.uid == b.uid;
    let is_same_name = |a: &Volume, b: &Volume| !a.name.is_empty() && a.name == b.name;
    let mut pair_by = |is_same: &dyn Fn(usize, usize) -> bool| {
        for (at, pair) in pairs.iter_mut().enumerate().filter(|(_, pair)| pair[1].is_none()) {
            let rank = left.iter().position(|other| is_same(at, *other));
            pair[1] = rank.map(|rank| left.remove(rank));
        }
        left.len() == new.len()
    };
    let by =
        |is_same: fn(&Volume, &Volume) -> bool| move |a: usize, b: usize| old.get(a).zip(new.get(b)).is_some_and(|(a, b)| is_same(a, b));
    pair_by(&by(is_same_uid));
    if pair_by(&by(is_same_name)) {
        pair_by(&|a, b| a == b);
    }
    pairs.extend(left.into_iter().map(|at| [None, Some(at)]));
    pairs
}

/// Objects of the second document with the numbers of the volumes that theirs are compared with.
fn with_pair_numbers<'a>(objects: &'a Objects, pairs: &[[Option<usize>; 2]]) -> Cow<'a, Objects> {
    if pairs.iter().enumerate().all(|(number, pair)| pair[1].is_none_or(|new| new == number)) {
        return Cow::Borrowed(objects);
    }
    let number = |at: u32| pairs.iter().position(|pair| pair[1] == usize::try_from(at).ok()).and_then(|pair| u32::try_from(pair).ok());
    let mut objects = objects.clone();
    for object in objects.0.values_mut() {
        if let Object::Marker { volume, .. } = object {
            *volume = number(*volume).unwrap_or(*volume);
        }
    }
    Cow::Owned(objects)
}

fn volume_diff(documents: [&Document; 2], pair: [Option<usize>; 2]) -> VolumeDiff {
    let volume =
        |side: usize| documents.get(side).zip(pair.get(side).copied().flatten()).and_then(|(document, at)| document.volumes().get(at));
    let volumes = [volume(0), volume(1)];
    VolumeDiff {
        titles: volumes.map(|volume| Some(volume?.title().to_string())),
        is_renamed: volumes.iter().flatten().filter(|volume| !volume.name.is_empty() || volume.uid.is_some()).count() == 2
            && volumes[0].map(|volume| (&volume.name, volume.uid)) != volumes[1].map(|volume| (&volume.name, volume.uid)),
        bounds: volumes.map(|volume| Some(volume?.store.bounds())),
        placements: volumes.map(|volume| Some(volume?.placement)),
        voxels: VoxelChanges::default(),
    }
}

/// Whether two properties say the same: capture the flag is what a map is for where no file says otherwise.
fn is_same(old: &Property, new: &Property) -> bool {
    let plain = |mode: &Option<GameMode>| mode.unwrap_or(GameMode::Ctf);
    match (old, new) {
        (Property::GameMode(old), Property::GameMode(new)) => plain(old) == plain(new),
        (old, new) => old == new,
    }
}

/// Calls `visit` with the number of the [pair](volume_pairs) of volumes, the top of every column of a chunk in which two documents differ, and
/// what differs there.
///
/// Where only one of the documents was read from a file that tells kinds, the other has those of the game's rule.
/// Columns are visited from the top down. Volumes that only one document has are compared with nothing.
///
/// # Errors
/// [`Cancelled`] if the work was cancelled.
pub fn visit_differences(
    before: &Snapshot,
    after: &Snapshot,
    progress: &Progress,
    mut visit: impl FnMut(usize, VoxelPos, &ColumnDiff),
) -> Result<(), Cancelled> {
    let nothing = Store::new(Region::EMPTY);
    let is_told = before.tells_kinds() || after.tells_kinds();
    let store = |document: &Document, volume: usize| match document.volumes().get(volume) {
        Some(_) if is_told && !document.tells_kinds() && volume == document.active() => Some(document.store_with_kinds_told()),
        found => found.map(|volume| volume.store.clone()),
    };
    for (volume, [old, new]) in volume_pairs(before, after).into_iter().enumerate() {
        let side = |document: &Document, at: Option<usize>| at.and_then(|at| store(document, at)).unwrap_or_else(|| nothing.clone());
        let (old, new) = (side(before, old), side(after, new));
        let changed = old.changed_chunks(&new);
        let total = changed.len().max(1) as f32;
        for (done, pos) in changed.into_iter().enumerate() {
            progress.report(done as f32 / total)?;
            visit_chunk(&old, &new, pos, &mut |column, diff| visit(volume, column, diff));
        }
    }
    Ok(())
}

fn visit_chunk(before: &Store, after: &Store, pos: ChunkPos, visit: &mut impl FnMut(VoxelPos, &ColumnDiff)) {
    let [old, new] = [before, after].map(|store| store.chunk(pos).map(|chunk| &**chunk));
    diff_chunk(old, new, |column, diff| {
        visit(pos.origin() + IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, 0), diff);
    });
}

/// Pairs equal objects first, then each left over with the nearest of its kind, team and name.
fn object_changes(before: &Objects, after: &Objects) -> Vec<ObjectChange> {
    let new: Vec<&Object> = after.iter().map(|(_, object)| object).collect();
    // Places in `new` by value, the first one last: a station has some 18,000 entities.
    let mut equal = HashMap::<&Object, Vec<usize>>::new();
    new.iter().enumerate().rev().for_each(|(at, object)| equal.entry(object).or_default().push(at));
    let mut left: BTreeSet<usize> = (0..new.len()).collect();
    let mut old: Vec<&Object> = vec![];
    for (_, object) in before.iter() {
        match equal.get_mut(object).and_then(Vec::pop) {
            Some(at) => _ = left.remove(&at),
            None => old.push(object),
        }
    }
    let mut kin = HashMap::<_, Vec<usize>>::new();
    left.iter().filter_map(|at| Some((*at, *new.get(*at)?))).for_each(|(at, object)| kin.entry(kin_of(object)).or_default().push(at));
    let mut changes = vec![];
    for object in old {
        let near = kin.get_mut(&kin_of(object)).and_then(|kin| {
            let others = kin.iter().enumerate().filter_map(|(rank, at)| Some((rank, *new.get(*at)?)));
            let (rank, other) = others.min_by_key(|(_, other)| distance(object, other))?;
            left.remove(&kin.remove(rank));
            Some(other)
        });
        changes.push(match near {
            Some(other) => ObjectChange::Changed(object.clone(), other.clone()),
            None => ObjectChange::Removed(object.clone()),
        });
    }
    changes.extend(left.into_iter().filter_map(|at| new.get(at)).map(|object| ObjectChange::Added((*object).clone())));
    changes
}

/// What one object may have become: of the same kind, team and name. Territories change their owner, too.
fn kin_of(object: &Object) -> (Discriminant<Object>, String) {
    let is_territory = matches!(object, Object::Territory { .. });
    (discriminant(object), if is_territory { String::new() } else { object.label() })
}

fn distance(a: &Object, b: &Object) -> u64 {
    let ([ax, ay], [bx, by]) = (a.area().min(), b.area().min());
    u64::from(ax.abs_diff(bx)) + u64::from(ay.abs_diff(by))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::document::{Anchor, GameProfile, MarkerRole, Options, SourceFile, Team};
    use crate::geom::ColumnRect;
    use crate::voxel::{Extra, Rgb, StoreEdit, Voxel, VoxelKind};

    fn document(bounds: Region, voxels: impl IntoIterator<Item = (VoxelPos, Option<Voxel>)>) -> Document {
        edited(&Document::new(Store::new(bounds), &GameProfile::ACE_OF_SPADES), voxels)
    }

    fn edited(document: &Document, voxels: impl IntoIterator<Item = (VoxelPos, Option<Voxel>)>) -> Document {
        let mut edit = StoreEdit::new(document.store());
        voxels.into_iter().for_each(|(at, voxel)| _ = edit.set(at, voxel));
        let mut after = document.clone();
        after.store_mut(0).unwrap().apply(&edit.finish());
        after
    }

    fn between(before: &Document, after: &Document) -> DocumentDiff {
        DocumentDiff::between(before, after, &Progress::new()).unwrap()
    }

    fn edits() -> impl Strategy<Value = Vec<(IVec3, Option<Voxel>)>> {
        let at = (-10..140_i32, 0..70_i32, 0..64_i32).prop_map(IVec3::from);
        prop::collection::vec((at, prop::option::of((0..3_u8).prop_map(|r| Voxel::new(Rgb::new(r, 0, 0))))), 0..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        #[test]
        fn tallies_are_what_a_look_at_each_voxel_finds(first in edits(), then in edits(), afresh in any::<bool>()) {
            let bounds = Region::new(IVec3::new(-10, 0, 0), IVec3::new(140, 70, 64));
            let before = document(bounds, first.clone());
            let after = if afresh { document(bounds, first.into_iter().chain(then)) } else { edited(&before, then) };
            let (mut voxels, mut sectors) = (VoxelChanges::default(), BTreeMap::<Sector, SectorTally>::new());
            for at in bounds.positions() {
                let (old, new) = (before.store().voxel(at), after.store().voxel(at));
                let tally = match (old, new) {
                    (None, Some(_)) => &mut voxels.added,
                    (Some(_), None) => &mut voxels.removed,
                    (Some(old), Some(new)) if old.rgb() != new.rgb() => &mut voxels.recolored,
                    _ => continue,
                };
                tally.add(at, 1);
                if let Some(sector) = Sector::of(at.x, at.y) {
                    let tally = sectors.entry(sector).or_default();
                    match (old, new) {
                        (None, _) => tally.added += 1,
                        (_, None) => tally.removed += 1,
                        _ => tally.recolored += 1,
                    }
                }
            }
            let diff = between(&before, &after);
            prop_assert_eq!(diff.is_empty(), voxels.is_empty());
            prop_assert_eq!(diff.voxels, voxels);
            prop_assert_eq!(diff.sectors, sectors);
        }
    }

    #[test]
    fn what_formats_know_of_hidden_voxels_and_of_water_is_no_difference() {
        let bounds = Region::of_size(IVec3::new(4, 4, 64));
        let at = IVec3::new(1, 1, 63);
        let hidden = document(bounds, [(at, Some(Voxel::HIDDEN))]);
        let water = Extra { kind: VoxelKind::Water, ..Extra::default() };
        let known = telling(document(bounds, [(at, Some(Voxel { extra: water, ..Voxel::new(Rgb::new(1, 2, 3)) }))]));
        let diff = between(&hidden, &known);
        assert!(diff.is_empty());
        assert_eq!(diff.voxels.half_known, Tally { count: 1, bounds: Region::between(at, at) });
        // Elsewhere water is an attribute.
        let at = IVec3::new(1, 1, 60);
        let [dry, wet] = [Extra::default(), water].map(|extra| document(bounds, [(at, Some(Voxel { extra, ..Voxel::HIDDEN }))]));
        assert_eq!(between(&dry, &wet).voxels.altered.count, 1);
    }

    /// As if it was read from a file that tells kinds.
    fn telling(mut document: Document) -> Document {
        let bytes = Arc::default();
        document.source =
            Some(Arc::new(SourceFile { format: "vmf", options: Options::new(), bytes, tells_kinds: true, last_entity: None }));
        document
    }

    #[test]
    fn a_floor_of_another_kind_than_the_rule_gives_it_is_a_difference() {
        let bounds = Region::of_size(IVec3::new(4, 4, 64));
        let (open, buried) = (IVec3::new(1, 1, 63), IVec3::new(2, 1, 63));
        let water = Extra { kind: VoxelKind::Water, ..Extra::default() };
        let ground = Voxel::HIDDEN;
        let wet = Voxel { extra: water, ..ground };
        let above = (buried - IVec3::Z, Some(ground));
        let plain = document(bounds, [(open, Some(ground)), (buried, Some(ground)), above]);
        let by_rule = telling(document(bounds, [(open, Some(wet)), (buried, Some(ground)), above]));
        let against = telling(document(bounds, [(open, Some(ground)), (buried, Some(wet)), above]));
        assert!(between(&plain, &by_rule).is_empty() && between(&by_rule, &plain).is_empty());
        let both = Tally { count: 2, bounds: Region::between(open, buried) };
        for other in [&plain, &by_rule] {
            assert_eq!(between(other, &against).voxels, VoxelChanges { altered: both, ..VoxelChanges::default() });
            assert_eq!(between(&against, other).voxels.altered, both);
        }
    }

    #[test]
    fn stores_of_other_sizes_are_compared_where_they_lie() {
        let at = IVec3::new(9, 1, 60);
        let small = document(Region::of_size(IVec3::new(4, 4, 64)), []);
        let large = document(Region::of_size(IVec3::new(40, 4, 64)), [(at, Some(Voxel::HIDDEN))]);
        let diff = between(&small, &large);
        assert_eq!(diff.voxels.added, Tally { count: 1, bounds: Region::between(at, at) });
        assert!(!between(&small, &document(Region::of_size(IVec3::new(4, 5, 64)), [])).is_empty());
    }

    #[test]
    fn each_volume_is_compared_with_that_of_its_number() {
        let volume = |name: &str| Volume { name: name.into(), ..Volume::new(Store::new(Region::of_size(IVec3::new(4, 4, 1)))) };
        let before = Document::with_volumes(vec![volume("Main"), volume("Shuttle")], &GameProfile::SPACE_STATION_14).unwrap();
        let mut after = before.clone();
        after.set_active(1);
        assert!(between(&before, &after).is_empty(), "which is active is no difference");
        let at = IVec3::new(1, 2, 0);
        let mut edit = StoreEdit::new(after.store());
        edit.set(at, Some(Voxel::HIDDEN));
        after.store_mut(1).unwrap().apply(&edit.finish());
        let diff = between(&before, &after);
        assert_eq!((diff.volumes[0].is_empty(), diff.volumes[1].is_empty()), (true, false));
        assert_eq!(diff.volumes[1].voxels.added, Tally { count: 1, bounds: Region::between(at, at) });
        assert_eq!(diff.volumes[1].titles, [Some("Shuttle".to_owned()), Some("Shuttle".to_owned())]);
        let fewer = Document::with_volumes(vec![volume("Main")], &GameProfile::SPACE_STATION_14).unwrap();
        let diff = between(&before, &fewer);
        assert_eq!((diff.is_empty(), &diff.volumes[1].titles), (false, &[Some("Shuttle".to_owned()), None]));
    }

    #[test]
    fn volumes_of_one_uid_or_name_are_compared_wherever_they_stand() {
        let volume = |uid: Option<u32>, name: &str| Volume {
            name: name.into(),
            uid,
            ..Volume::new(Store::new(Region::of_size(IVec3::new(4, 4, 1))))
        };
        let station = |volumes: &[(Option<u32>, &str)]| {
            let volumes = volumes.iter().map(|(uid, name)| volume(*uid, name)).collect();
            Document::with_volumes(volumes, &GameProfile::SPACE_STATION_14).unwrap()
        };
        let before = station(&[(Some(4), "Main"), (Some(20), "Shuttle"), (Some(30), "")]);
        let mut after = station(&[(Some(30), ""), (Some(7), "Shuttle"), (Some(4), "Hull"), (Some(8), "New")]);
        assert_eq!(volume_pairs(&before, &after), [[Some(0), Some(2)], [Some(1), Some(1)], [Some(2), Some(0)], [None, Some(3)]]);
        assert_eq!(volume_pairs(&before, &before), [[Some(0); 2], [Some(1); 2], [Some(2); 2]]);
        // Without anything in common, the order counts.
        assert_eq!(volume_pairs(&station(&[(None, ""), (None, "A")]), &station(&[(Some(3), "B")])), [[Some(0); 2], [Some(1), None]]);
        // What stands on them is on the same one.
        let mut before = before;
        let marker = |volume| Object::Marker { label: "here".into(), at: Anchor { x: 1, y: 2, z: None }, role: MarkerRole::Point, volume };
        Arc::make_mut(&mut before.objects).push(marker(0));
        Arc::make_mut(&mut after.objects).push(marker(2));
        let diff = DocumentDiff::between(&before, &after, &Progress::new()).unwrap();
        assert!(diff.objects.is_empty(), "{:?}", diff.objects);
        let titles = diff.volumes[0].titles.clone().map(Option::unwrap);
        assert!(titles[0].starts_with("Main") && titles[1].starts_with("Hull"), "{titles:?}");
        assert!(diff.volumes[2].is_empty() && diff.volumes[3].titles[0].is_none());
        // One that is alone is not the one of its number.
        let mut sides = [station(&[(Some(4), ""), (Some(5), "")]), station(&[(Some(4), ""), (Some(6), "")])];
        for side in &mut sides {
            Arc::make_mut(&mut side.objects).push(marker(1));
        }
        let diff = DocumentDiff::between(&sides[0], &sides[1], &Progress::new()).unwrap();
        assert_eq!((diff.volumes.len(), diff.objects.is_empty()), (3, false));
    }

    #[test]
    fn a_volume_of_another_name_or_place_differs_and_one_without_a_name_does_not() {
        let grid = |name: &str, x: f64| {
            let placement = Placement { position: [x, 0.0], ..Placement::default() };
            let volume = Volume { name: name.into(), placement, ..Volume::new(Store::new(Region::of_size(IVec3::new(4, 4, 1)))) };
            Document::with_volumes(vec![volume], &GameProfile::SPACE_STATION_14).unwrap()
        };
        let differ = |a, b| !between(&a, &b).is_empty();
        assert!(differ(grid("Main", 0.0), grid("Other", 0.0)) && differ(grid("Main", 0.0), grid("Main", 1.0)));
        assert!(!differ(grid("Main", 1.0), grid("Main", 1.0)) && !differ(grid("Main", 0.0), grid("", 0.0)));
    }

    #[test]
    fn objects_are_matched_whatever_their_ids() {
        let base = |team, x| Object::Base { team, at: Anchor { x, y: 0, z: None } };
        let spawn = |x: i32| Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([x, 0], [x + 9, 9]), z: 0 };
        let neutral = Object::Territory { owner: None, at: Anchor { x: 1, y: 1, z: None } };
        let owned = Object::Territory { owner: Some(Team::Green), at: Anchor { x: 1, y: 1, z: None } };
        let objects =
            |all: &[&Object]| all.iter().fold(Objects::default(), |mut objects, object| (objects.push((*object).clone()), objects).1);
        let check = |before: &[&Object], after: &[&Object], expected: &[ObjectChange]| {
            assert_eq!(object_changes(&objects(before), &objects(after)), expected);
        };
        let added = |object: &Object| ObjectChange::Added(object.clone());
        let removed = |object: &Object| ObjectChange::Removed(object.clone());
        let changed = |old: &Object, new: &Object| ObjectChange::Changed(old.clone(), new.clone());
        let (blue, moved, green) = (base(Team::Blue, 1), base(Team::Blue, 5), base(Team::Green, 2));
        check(&[&blue, &green], &[&green, &blue], &[]);
        check(&[&blue], &[&green], &[removed(&blue), added(&green)]);
        check(&[&blue], &[&green, &moved], &[changed(&blue, &moved), added(&green)]);
        check(&[&blue, &blue], &[&blue], &[removed(&blue)]);
        // The nearest one is the one that moved.
        check(&[&spawn(0), &spawn(100)], &[&spawn(101), &spawn(0)], &[changed(&spawn(100), &spawn(101))]);
        check(&[&neutral], &[&owned], &[changed(&neutral, &owned)]);
    }

    #[test]
    fn a_station_of_18_000_things_is_told_from_itself_with_one_moved() {
        let wall = |at: i32, y| Object::Marker {
            label: "WallSolid".into(),
            at: Anchor { x: at % 200, y, z: None },
            role: MarkerRole::Block,
            volume: 0,
        };
        let objects = |moved: i32| {
            let mut objects = Objects::default();
            (0..18_000).for_each(|at| _ = objects.push(wall(at, if at == moved { 1000 } else { at / 200 })));
            objects
        };
        assert_eq!(object_changes(&objects(-1), &objects(17_999)), [ObjectChange::Changed(wall(17_999, 89), wall(17_999, 1000))]);
        assert_eq!(object_changes(&objects(-1), &objects(-1)), []);
    }

    #[test]
    fn metadata_names_what_was_and_what_is() {
        let before = document(Region::of_size(IVec3::splat(4)), []);
        let mut after = before.clone();
        Arc::make_mut(&mut after.metadata).name = Some("Keep".into());
        let diff = between(&before, &after);
        assert_eq!(diff.metadata, [[Property::Name(None), Property::Name(Some("Keep".into()))]]);
        assert!(!diff.is_empty());
        // A VMF always names a game, a VXL never does.
        let mut game = before.clone();
        Arc::make_mut(&mut game.metadata).game_mode = Some(GameMode::Ctf);
        assert!(between(&before, &game).is_empty());
        Arc::make_mut(&mut game.metadata).game_mode = Some(GameMode::Tc);
        assert!(!between(&before, &game).is_empty());
        let cancelled = Progress::new();
        cancelled.cancel();
        let changed = edited(&before, [(IVec3::ZERO, Some(Voxel::HIDDEN))]);
        assert!(DocumentDiff::between(&before, &changed, &cancelled).is_err());
    }
}
