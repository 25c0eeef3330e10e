//! Making a map as symmetric as it is meant to be: one part is copied onto the others.

use std::collections::HashSet;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use crate::document::{Image, Object, Objects, Progress, Snapshot, SymmetryKind};
use crate::edit::mask::{heights, region_in_chunk, voxel_at};
use crate::edit::{Change, Draft, EditError, Part, VoxelMask};
use crate::geom::VoxelPos;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ChunkMask, ChunkPos, ColumnMask, Outside, Store, Voxel, surface_of_chunk};

/// The part of the map that is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealFrom {
    /// The western half.
    West,
    /// The eastern half.
    East,
    /// The northern half.
    North,
    /// The southern half.
    South,
    /// The quarter in the north-west; the north-western half under a symmetry of two images.
    NorthWest,
    /// The same in the north-east.
    NorthEast,
    /// The same in the south-west.
    SouthWest,
    /// The same in the south-east.
    SouthEast,
}

impl HealFrom {
    /// All parts, halves first.
    pub const ALL: [Self; 8] =
        [Self::West, Self::East, Self::North, Self::South, Self::NorthWest, Self::NorthEast, Self::SouthWest, Self::SouthEast];

    /// Name in lists.
    pub fn label(self) -> &'static str {
        match self {
            Self::West => "West",
            Self::East => "East",
            Self::North => "North",
            Self::South => "South",
            Self::NorthWest => "North-west",
            Self::NorthEast => "North-east",
            Self::SouthWest => "South-west",
            Self::SouthEast => "South-east",
        }
    }

    /// The parts that a symmetry tells apart, as scripts name them; `None` if this is one of them, or as good as one.
    fn other_parts(self, kind: SymmetryKind) -> Option<&'static str> {
        let is_half_of = |parts: [Self; 2]| parts.contains(&self);
        match kind {
            SymmetryKind::MirrorX => is_half_of([Self::North, Self::South]).then_some("west and east"),
            SymmetryKind::MirrorY => is_half_of([Self::West, Self::East]).then_some("north and south"),
            SymmetryKind::MirrorBoth | SymmetryKind::Turn90 => {
                let is_half = is_half_of([Self::North, Self::South]) || is_half_of([Self::West, Self::East]);
                is_half.then_some("north_west, north_east, south_west and south_east")
            }
            SymmetryKind::Off | SymmetryKind::Turn180 => None,
        }
    }

    /// Smaller for columns deeper in the part. Of the images of a column, one alone has the smallest.
    fn rank(self, [x, y]: [i32; 2]) -> (i64, i64, i64) {
        let (x, y) = (i64::from(x), i64::from(y));
        match self {
            Self::West => (x, y, 0),
            Self::East => (-x, -y, 0),
            Self::North => (y, x, 0),
            Self::South => (-y, -x, 0),
            Self::NorthWest => (x + y, x, y),
            Self::NorthEast => (y - x, y, x),
            Self::SouthWest => (x - y, x, y),
            Self::SouthEast => (-x - y, -x, -y),
        }
    }
}

/// Copies one part of the map onto its images, as the document's symmetry says.
///
/// Voxels are copied whole, with their shade; the floor is recolored, never removed. Objects in the other parts make room for the images of those in
/// this one, but for those that equal one already; those of a team only where the symmetry swaps the teams. Other volumes stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heal {
    /// The part that is right.
    pub from: HealFrom,
    /// Whether objects are copied as well.
    #[serde(default = "yes")]
    pub objects: bool,
}

fn yes() -> bool {
    true
}

impl Heal {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        if !snapshot.symmetry.is_on() {
            return Err(EditError::NoSymmetry);
        }
        let kind = snapshot.symmetry.kind;
        if let Some(parts) = self.from.other_parts(kind) {
            return Err(EditError::NoSuchPart { from: self.from.label(), kind: kind.label(), parts });
        }
        let (store, bounds, images) = (snapshot.store(), snapshot.bounds(), snapshot.symmetry.images());
        let mut draft = Draft::new(snapshot);
        let chunks: Vec<_> = ChunkPos::covering(&bounds).collect();
        for (done, pos) in chunks.iter().enumerate() {
            progress.report(done as f32 / chunks.len() as f32)?;
            draft.check_memory()?;
            let area = pos.region().intersection(&bounds);
            for [x, y] in area.columns().columns() {
                let Some((image, source)) = self.source(&images, snapshot, [x, y]) else { continue };
                let target = Column::of(store, IVec3::new(x, y, pos.origin().z));
                let source = Column::of(store, IVec3::new(source[0], source[1], pos.origin().z));
                for z in heights(source.differing(&target, &image, true)) {
                    draft.put_exactly(voxel_at(*pos, target.index, z), source.voxel(z, &image));
                }
            }
        }
        // What neither side has a color of takes the same on both.
        let imaged = |store: &Store, at: VoxelPos| {
            let (image, [x, y]) = self.source(&images, snapshot, [at.x, at.y])?;
            Some(image.color(store.voxel(VoxelPos::new(x, y, at.z))?.rgb()?))
        };
        let mut change = draft.finish_colored(format!("Heal from {}", self.from.label().to_lowercase()), imaged, progress)?;
        if self.objects {
            change.parts.extend(Part::objects(&snapshot.objects, self.healed_objects(snapshot, &images)));
        }
        Ok(change)
    }

    /// The column that a column is copied from, and the image that brings it here; `None` for those of the right part.
    fn source<'a>(&self, images: &[Image<'a>], snapshot: &Snapshot, column: [i32; 2]) -> Option<(Image<'a>, [i32; 2])> {
        let columns = snapshot.bounds().columns();
        let sources = images.iter().map(|image| {
            let at = image.transform.inverse().voxel(IVec3::new(column[0], column[1], 0));
            (*image, [at.x, at.y])
        });
        let inside = sources.filter(|(_, [x, y])| columns.contains(*x, *y));
        inside.min_by_key(|(_, source)| (self.from.rank(*source), *source != column)).filter(|(_, source)| *source != column)
    }

    /// The objects of the volume that is edited, as its right part has them; those of others stay. So does, as the very object that it is,
    /// what equals an image of a right one: files say more of it than is known here.
    fn healed_objects(&self, snapshot: &Snapshot, images: &[Image<'_>]) -> Objects {
        let swaps = snapshot.symmetry.swap_teams;
        let copied = |object: &Object| object.volume() == snapshot.active() && (swaps || object.team().is_none());
        let is_right = |object: &Object| copied(object) && self.source(images, snapshot, middle(object)).is_none();
        let right = snapshot.objects.iter().map(|(_, object)| object).filter(|object| is_right(object));
        let imaged: Vec<Object> = right.flat_map(|object| images.iter().map(|image| image.object(object))).collect();
        let wanted: HashSet<&Object> = imaged.iter().collect();
        let mut after = (*snapshot.objects).clone();
        after.0.retain(|_, object| !copied(object) || is_right(object) || wanted.contains(object));
        // What lies on the axis is its own image.
        let mut there: HashSet<Object> = after.iter().map(|(_, object)| object.clone()).collect();
        for object in imaged {
            if there.insert(object.clone()) {
                after.push(object);
            }
        }
        after
    }
}

/// The column in the middle of an object, of two the western or northern one, also where columns count below 0.
fn middle(object: &Object) -> [i32; 2] {
    let ([x, y], [to_x, to_y]) = (object.area().min(), object.area().max());
    // The mean, rounded down, which never overflows.
    let mean = |a: i32, b: i32| (a >> 1) + (b >> 1) + (a & b & 1);
    [mean(x, to_x.saturating_sub(1)), mean(y, to_y.saturating_sub(1))]
}

/// The voxels that differ from their images: solid here and air there, or of other colors where both can be seen.
///
/// # Errors
/// [`EditError::NoSymmetry`], or [`EditError::Cancelled`].
///
/// # Cost
/// A look at every column of the map, and at its colors, once for each image.
pub fn mismatches(snapshot: &Snapshot, progress: &Progress) -> Result<VoxelMask, EditError> {
    let mut found = VoxelMask::default();
    compare(snapshot, progress, |pos, shape, colors| {
        let mut both = *shape;
        both.iter_mut().zip(colors).for_each(|(both, colors)| *both |= colors);
        found.add_chunk(pos, &both);
    })?;
    Ok(found)
}

/// The same in two: what differs in shape, and what differs in color alone.
///
/// # Errors
/// As of [`mismatches`].
pub fn mismatches_by_kind(snapshot: &Snapshot, progress: &Progress) -> Result<[VoxelMask; 2], EditError> {
    let mut found = [VoxelMask::default(), VoxelMask::default()];
    compare(snapshot, progress, |pos, shape, colors| {
        let mut colors = *colors;
        colors.iter_mut().zip(shape).for_each(|(colors, shape)| *colors &= !shape);
        found.iter_mut().zip([shape, &colors]).for_each(|(found, mask)| found.add_chunk(pos, mask));
    })?;
    Ok(found)
}

fn compare(snapshot: &Snapshot, progress: &Progress, mut found: impl FnMut(ChunkPos, &ChunkMask, &ChunkMask)) -> Result<(), EditError> {
    if !snapshot.symmetry.is_on() {
        return Err(EditError::NoSymmetry);
    }
    let (store, bounds, images) = (snapshot.store(), snapshot.bounds(), snapshot.symmetry.images());
    let chunks: Vec<_> = ChunkPos::covering(&bounds).collect();
    for (done, pos) in chunks.iter().enumerate() {
        progress.report(done as f32 / chunks.len() as f32)?;
        let area = pos.region().intersection(&bounds);
        let seen = surface_of_chunk(store, *pos, Outside::GAME);
        let within = region_in_chunk(&bounds, *pos);
        let (mut shape, mut colors) = ([0; CHUNK_COLUMNS], [0; CHUNK_COLUMNS]);
        for image in images.iter().skip(1) {
            for [x, y] in area.columns().columns() {
                let [to_x, to_y] = image.column([x, y]);
                if !bounds.columns().contains(to_x, to_y) {
                    continue;
                }
                let own = Column::of(store, IVec3::new(x, y, pos.origin().z));
                let other = Column::of(store, IVec3::new(to_x, to_y, pos.origin().z));
                let here = own.index;
                let solid = own.solid ^ other.solid;
                let differing = own.differing(&other, image, false) & !solid & seen.get(here).copied().unwrap_or(0);
                shape[here] |= solid & within[here];
                colors[here] |= differing & within[here];
            }
        }
        found(*pos, &shape, &colors);
    }
    Ok(())
}

/// A column of a chunk.
struct Column<'a> {
    chunk: Option<&'a Chunk>,
    index: usize,
    solid: ColumnMask,
}

impl<'a> Column<'a> {
    fn of(store: &'a Store, at: VoxelPos) -> Self {
        let chunk_pos = ChunkPos::of(at);
        let within = at - chunk_pos.origin();
        let index = within.y as usize * CHUNK_EDGE + within.x as usize;
        let chunk = store.chunk(chunk_pos).map(|chunk| &**chunk);
        Self { chunk, index, solid: chunk.and_then(|chunk| chunk.solid().get(index)).copied().unwrap_or(0) }
    }

    fn known(&self) -> ColumnMask {
        self.chunk.and_then(|chunk| chunk.known().get(self.index)).copied().unwrap_or(0)
    }

    fn voxel(&self, z: u32, image: &Image<'_>) -> Option<Voxel> {
        let voxel = self.chunk?.voxel(self.index, z)?;
        Some(voxel.recolored(|rgb| image.color(rgb)))
    }

    /// The heights at which an image of this column looks other than the column there: colors, and if `whole` all, but for
    /// what tiles say besides their name. Floors are of many variants, and none of them is a fault.
    fn differing(&self, there: &Self, image: &Image<'_>, whole: bool) -> ColumnMask {
        let mut bits = if whole { self.solid ^ there.solid } else { 0 };
        let both = self.solid & there.solid;
        let known = if whole { self.known() | there.known() } else { self.known() & there.known() };
        for z in heights(both & known) {
            let (own, other) = (self.voxel(z, image), there.chunk.and_then(|chunk| chunk.voxel(there.index, z)));
            let plain = |voxel: Option<Voxel>| voxel.map(|voxel| Voxel { extra: voxel.extra.without_tile(), ..voxel });
            let differs = if whole { plain(own) != plain(other) } else { own.and_then(|v| v.rgb()) != other.and_then(|v| v.rgb()) };
            if differs {
                bits |= 1 << z;
            }
        }
        bits
    }
}
