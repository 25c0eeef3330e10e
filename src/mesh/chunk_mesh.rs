//! Visible faces of a chunk as 8-byte quads, grouped by the direction they face.
//!
//! Callers: the renderer, and whoever wants to know what can be seen. Knows nothing of the GPU.

use std::ops::Range;

use glam::IVec3;

use super::ambient::CORNER_LIGHT;
use super::surround::{OWN, Surround, TallMask};
use crate::geom::Face;
use crate::voxel::{CHUNK_EDGE, Chunk, ChunkPos, ColumnMask, Paint, Rgb, SHADE_NEUTRAL, Store};

/// Colour of what lies in the dark: voxels that no file stores a colour for.
pub const DIRT: Paint = Paint { rgb: Rgb::new(0x67, 0x40, 0x28), shade: SHADE_NEUTRAL };

/// One visible face.
///
/// ```text
/// place: bit 0..5 x | 5..10 y | 10..15 z (in the chunk) | 15..18 face | 18..26 light of 4 corners | 26 colour known
/// paint: b, g, r, shade from the lowest byte up
/// ```
///
/// The corner at (`a`, `b`) of the face's tangents (x before y before z, without the normal's axis) has its
/// light, 0 (dark) to 3 (open), at bit `18 + 2 * (a + 2 * b)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Quad {
    place: u32,
    paint: u32,
}

impl Quad {
    /// Bytes of one quad.
    pub const SIZE_BYTES: u64 = size_of::<Self>() as u64;

    fn new(x: i32, y: i32, z: u32, face: Face, light: u8, paint: Option<u32>, fallback: impl FnOnce() -> u32) -> Self {
        let known = u32::from(paint.is_some());
        let place = x as u32 | (y as u32) << 5 | z << 10 | (face as u32) << 15 | u32::from(light) << 18 | known << 26;
        Self { place, paint: paint.unwrap_or_else(fallback) }
    }

    /// The voxel's position in its chunk, each 0..32.
    pub fn pos_in_chunk(&self) -> IVec3 {
        IVec3::new((self.place & 31) as i32, (self.place >> 5 & 31) as i32, (self.place >> 10 & 31) as i32)
    }

    /// Which face of the voxel it is.
    pub fn face(&self) -> Face {
        Face::ALL[(self.place >> 15 & 7) as usize % 6]
    }

    /// Light of the four corners, 0 (dark) to 3 (open), corner `a + 2 * b`.
    pub fn corner_light(&self) -> [u8; 4] {
        std::array::from_fn(|corner| (self.place >> (18 + 2 * corner) & 3) as u8)
    }

    /// Colour and shade as drawn, guessed ones included.
    pub fn paint(&self) -> Paint {
        Paint::from_word(self.paint)
    }

    /// Whether the colour is the voxel's own rather than guessed from what lies above.
    pub fn color_known(&self) -> bool {
        self.place >> 26 & 1 == 1
    }
}

/// All visible faces of one chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChunkMesh {
    quads: Vec<Quad>,
    // Invariant: quads of face `f` are `starts[f]..starts[f + 1]`.
    starts: [u32; 7],
}

impl ChunkMesh {
    /// Every quad, in the order of [`Face::ALL`].
    pub fn quads(&self) -> &[Quad] {
        &self.quads
    }

    /// Where the quads of a face are among [`quads`](Self::quads).
    pub fn range(&self, face: Face) -> Range<u32> {
        self.starts[face as usize]..self.starts[face as usize + 1]
    }

    /// Whether nothing can be seen of the chunk.
    pub fn is_empty(&self) -> bool {
        self.quads.is_empty()
    }
}

/// Makes the mesh of a chunk: its cut sides at the bounds can be seen, the underside of the map cannot.
///
/// A voxel without a known colour takes that of the nearest known voxel above it in its own chunk or the
/// one above, else [`DIRT`].
///
/// # Cost
/// Proportional to the visible faces, some 10 ns each, plus a few microseconds.
pub fn mesh_chunk(store: &Store, pos: ChunkPos) -> ChunkMesh {
    let Some(chunk) = store.chunk(pos) else { return ChunkMesh::default() };
    let mut surround = Surround::gather(|step| store.chunk(ChunkPos(pos.0 + step)).map(|chunk| chunk.solid()));
    surround.close_floor(&store.bounds(), pos);
    let above = store.chunk(ChunkPos(pos.0 + IVec3::NEG_Z));
    let color = Coloring { chunk, above: above.map(|chunk| &**chunk) };
    let mut mesh = ChunkMesh::default();
    for face in Face::ALL {
        push_faces(&mut mesh.quads, chunk, &surround, &color, face);
        // At most 6 × 32,768 quads.
        mesh.starts[face as usize + 1] = mesh.quads.len() as u32;
    }
    mesh.quads.shrink_to_fit();
    mesh
}

fn push_faces(quads: &mut Vec<Quad>, chunk: &Chunk, surround: &Surround, color: &Coloring<'_>, face: Face) {
    let step = face.normal();
    for (column, &solid) in chunk.solid().iter().enumerate().filter(|(_, solid)| **solid != 0) {
        let (x, y) = ((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32);
        let front = surround.column(x + step.x, y + step.y);
        let covered = match face {
            Face::PlusZ => front >> 2,
            Face::MinusZ => front,
            _ => front >> 1,
        };
        let mut visible = solid & !((covered & OWN) as ColumnMask);
        if visible == 0 {
            continue;
        }
        let front = FrontOfColumn::new(surround, x, y, face);
        while visible != 0 {
            let z = visible.trailing_zeros();
            visible &= visible - 1;
            let light = CORNER_LIGHT[front.around(z)];
            quads.push(Quad::new(x, y, z, face, light, chunk.paint_word(column, z), || color.guess(column, z)));
        }
    }
}

/// The columns that decide the light on one side of a column.
enum FrontOfColumn {
    /// Three columns beside one another along the face's first tangent.
    Side([TallMask; 3]),
    /// Nine columns and the height of the layer in front, relative to the voxel's own.
    Flat([TallMask; 9], u32),
}

impl FrontOfColumn {
    fn new(surround: &Surround, x: i32, y: i32, face: Face) -> Self {
        let step = face.normal();
        match face {
            Face::PlusX | Face::MinusX => Self::Side([-1, 0, 1].map(|by| surround.column(x + step.x, y + by))),
            Face::PlusY | Face::MinusY => Self::Side([-1, 0, 1].map(|by| surround.column(x + by, y + step.y))),
            // Bit z + 1 is the voxel's own layer.
            Face::PlusZ => Self::Flat(surround.around(x, y), 2),
            Face::MinusZ => Self::Flat(surround.around(x, y), 0),
        }
    }

    /// The 3×3 voxels in front of the face at height z, as an index into [`CORNER_LIGHT`].
    fn around(&self, z: u32) -> usize {
        match self {
            // Bits z − 1, z, z + 1 of a column are three steps along the second tangent.
            Self::Side([a, b, c]) => {
                let spread = |mask: TallMask| {
                    let bits = mask >> z;
                    bits & 1 | (bits & 2) << 2 | (bits & 4) << 4
                };
                (spread(*a) | spread(*b) << 1 | spread(*c) << 2) as usize
            }
            Self::Flat(columns, layer) => {
                columns.iter().enumerate().fold(0, |bits, (i, column)| bits | ((column >> (z + layer) & 1) as usize) << i)
            }
        }
    }
}

/// Where the colours of one chunk come from.
struct Coloring<'a> {
    chunk: &'a Chunk,
    above: Option<&'a Chunk>,
}

impl Coloring<'_> {
    /// Paint word for a voxel whose own colour is unknown.
    fn guess(&self, column: usize, z: u32) -> u32 {
        let nearest = |chunk: &Chunk, within: ColumnMask| {
            let known = chunk.known().get(column)? & within;
            chunk.paint_word(column, known.checked_ilog2()?)
        };
        nearest(self.chunk, (1 << z) - 1)
            .or_else(|| nearest(self.above?, ColumnMask::MAX))
            // The shade belongs to the voxel that it was baked for.
            .map_or(DIRT, |word| Paint::new(Paint::from_word(word).rgb))
            .to_word()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geom::{Region, VoxelPos};
    use crate::voxel::{StoreEdit, Voxel};

    fn store_of(bounds: Region, voxels: impl IntoIterator<Item = (VoxelPos, Voxel)>) -> Store {
        let mut store = Store::new(bounds);
        let mut edit = StoreEdit::new(&store);
        for (pos, voxel) in voxels {
            edit.set(pos, Some(voxel));
        }
        let changes = edit.finish();
        store.apply(&changes);
        store
    }

    /// One voxel at a time: solid for occlusion, the floor of the map counting as solid.
    fn blocks(store: &Store, pos: VoxelPos) -> bool {
        let bounds = store.bounds();
        store.is_solid(pos) || (bounds.columns().contains(pos.x, pos.y) && pos.z >= bounds.max().z)
    }

    fn naive_light(store: &Store, pos: VoxelPos, face: Face) -> [u8; 4] {
        let front = pos + face.normal();
        let [u, v] = match face {
            Face::PlusX | Face::MinusX => [IVec3::Y, IVec3::Z],
            Face::PlusY | Face::MinusY => [IVec3::X, IVec3::Z],
            Face::PlusZ | Face::MinusZ => [IVec3::X, IVec3::Y],
        };
        std::array::from_fn(|corner| {
            let (u, v) = (u * (corner as i32 % 2 * 2 - 1), v * (corner as i32 / 2 * 2 - 1));
            let [a, b, c] = [front + u, front + v, front + u + v].map(|pos| u8::from(blocks(store, pos)));
            if a + b == 2 { 0 } else { 3 - a - b - c }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
        #[test]
        fn the_mesh_is_what_a_look_at_each_face_finds(
            seed in any::<u64>(),
            size in (1..70_i32, 1..40_i32, 1..70_i32),
            origin in (-40..40_i32, -40..40_i32, -40..40_i32),
            density in 1..8_u64,
        ) {
            let bounds = Region::of_size(size.into()).shifted(origin.into());
            let mut random = seed | 1;
            let store = store_of(bounds, bounds.positions().filter_map(|pos| {
                random ^= random << 13; random ^= random >> 7; random ^= random << 17;
                (random >> 8 & 7 < density).then(|| {
                    let voxel = if random & 1 == 0 { Voxel::HIDDEN } else { Voxel::new(Rgb::new(random as u8, 7, 9)) };
                    (pos, voxel)
                })
            }));
            for chunk_pos in ChunkPos::covering(&bounds) {
                let mesh = mesh_chunk(&store, chunk_pos);
                for face in Face::ALL {
                    let range = mesh.range(face);
                    let mut quads = mesh.quads()[range.start as usize..range.end as usize].iter();
                    for pos in chunk_pos.region().positions().filter(|pos| store.is_solid(*pos) && !blocks(&store, *pos + face.normal())) {
                        let quad = quads.next().unwrap();
                        prop_assert_eq!((quad.pos_in_chunk(), quad.face()), (pos - chunk_pos.origin(), face));
                        prop_assert_eq!(quad.corner_light(), naive_light(&store, pos, face), "{} {:?}", pos, face);
                        prop_assert_eq!(quad.color_known(), store.paint(pos).is_some());
                        if let Some(paint) = store.paint(pos) {
                            prop_assert_eq!(quad.paint(), paint);
                        }
                    }
                    prop_assert!(quads.next().is_none());
                }
            }
        }
    }

    #[test]
    fn a_voxel_without_colour_takes_that_of_the_nearest_above_also_across_chunks() {
        let at = |z| IVec3::new(3, 4, z);
        let red = Voxel::new(Rgb::new(200, 0, 0));
        let store = store_of(Region::of_size(IVec3::new(16, 16, 64)), [(at(20), red), (at(21), Voxel::HIDDEN), (at(40), Voxel::HIDDEN)]);
        for chunk in [IVec3::ZERO, IVec3::Z] {
            let mesh = mesh_chunk(&store, ChunkPos(chunk));
            assert!(!mesh.is_empty() && mesh.quads().iter().all(|quad| quad.paint() == red.paint.unwrap()));
        }
        let alone = store_of(Region::of_size(IVec3::new(16, 16, 64)), [(at(20), Voxel::HIDDEN)]);
        assert_eq!(mesh_chunk(&alone, ChunkPos(IVec3::ZERO)).quads()[0].paint(), DIRT);
    }

    #[test]
    fn nothing_is_seen_from_under_the_map() {
        let bounds = Region::of_size(IVec3::new(8, 8, 64));
        let store = store_of(bounds, bounds.positions().filter(|pos| pos.z == 63).map(|pos| (pos, Voxel::HIDDEN)));
        let mesh = mesh_chunk(&store, ChunkPos(IVec3::Z));
        assert!(mesh.range(Face::PlusZ).is_empty());
        assert_eq!(mesh.range(Face::MinusZ).len(), 64);
    }
}
