//! The hull of a loose set of voxels: what a ghost or a selection shows.
//!
//! Caller: the renderer. Only faces that look out of the set are kept, each with the knowledge of which of
//! its sides are edges of the hull, so that an outline can be drawn without a grid.

use std::collections::BTreeMap;

use glam::IVec3;

use super::surround::Surround;
use crate::geom::{Face, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, ColumnMask, VoxelMask};

/// One face of the hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ShellQuad {
    /// The voxel, x, y, z.
    pub pos: [i32; 3],
    /// Bits 0..3 the face; bits 3..7: the hull bends or ends at the side of smaller `a`, larger `a`,
    /// smaller `b`, larger `b`, where `a` and `b` are the face's tangents in the order x, y, z.
    pub bits: u32,
}

/// The faces of the set that look out of it, grouped by chunk, then by face. Voxels may be named twice.
///
/// # Cost
/// About 4 KiB and 30 microseconds for each chunk touched, and some 20 ns a face.
pub fn shell_of(voxels: &[VoxelPos]) -> Vec<ShellQuad> {
    let mut masks: BTreeMap<ChunkPos, Box<[ColumnMask; CHUNK_COLUMNS]>> = BTreeMap::new();
    let mut run = voxels;
    while let Some(first) = run.first() {
        let chunk_pos = ChunkPos::of(*first);
        let same = run.iter().take_while(|pos| ChunkPos::of(**pos) == chunk_pos).count();
        let (here, rest) = run.split_at(same);
        let columns = masks.entry(chunk_pos).or_insert_with(|| Box::new([0; CHUNK_COLUMNS]));
        for pos in here {
            let at = *pos - chunk_pos.origin();
            columns[at.y as usize * CHUNK_EDGE + at.x as usize] |= 1 << at.z;
        }
        run = rest;
    }
    let mut quads = vec![];
    for (chunk_pos, columns) in &masks {
        let surround = Surround::gather(|step| masks.get(&ChunkPos(chunk_pos.0 + step)).map(|columns| &**columns));
        for face in Face::ALL {
            push_shell(&mut quads, *chunk_pos, columns, &surround, face);
        }
    }
    quads
}

/// As [`shell_of`], of a set of whole words; `None` if there are more than `most` faces.
///
/// # Cost
/// That of [`shell_of`], less what it takes to name the voxels one by one.
pub fn shell_of_mask(mask: &VoxelMask, most: usize) -> Option<Vec<ShellQuad>> {
    let mut quads = vec![];
    let more = |faces: &[ShellQuad]| {
        quads.extend_from_slice(faces);
        if quads.len() > most { Err(()) } else { Ok(()) }
    };
    visit_shell(mask, more).ok().map(|()| quads)
}

/// The same faces, a chunk's at a time, as long as `visit` goes on: of sets whose faces are not to be held all at once.
///
/// # Errors
/// The one that `visit` ends with.
pub fn visit_shell<E>(mask: &VoxelMask, mut visit: impl FnMut(&[ShellQuad]) -> Result<(), E>) -> Result<(), E> {
    let mut quads = vec![];
    for (chunk_pos, columns) in mask.chunks() {
        let surround = Surround::gather(|step| mask.chunk(ChunkPos(chunk_pos.0 + step)));
        quads.clear();
        for face in Face::ALL {
            push_shell(&mut quads, chunk_pos, columns, &surround, face);
        }
        visit(&quads)?;
    }
    Ok(())
}

impl ShellQuad {
    /// The voxel that it looks at: out of the set.
    pub fn outside(&self) -> VoxelPos {
        let face = Face::ALL.into_iter().find(|face| *face as u32 == self.bits & 7);
        IVec3::from(self.pos) + face.map_or(IVec3::ZERO, Face::normal)
    }
}

fn push_shell(quads: &mut Vec<ShellQuad>, chunk_pos: ChunkPos, columns: &[ColumnMask; CHUNK_COLUMNS], surround: &Surround, face: Face) {
    let holds = |pos: IVec3| surround.column(pos.x, pos.y) >> (pos.z + 1) & 1 == 1;
    let tangents = match face {
        Face::PlusX | Face::MinusX => [IVec3::Y, IVec3::Z],
        Face::PlusY | Face::MinusY => [IVec3::X, IVec3::Z],
        Face::PlusZ | Face::MinusZ => [IVec3::X, IVec3::Y],
    };
    for (column, &mask) in columns.iter().enumerate() {
        let mut left = mask;
        while left != 0 {
            let at = IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, left.trailing_zeros() as i32);
            left &= left - 1;
            if holds(at + face.normal()) {
                continue;
            }
            let sides = [-tangents[0], tangents[0], -tangents[1], tangents[1]];
            let edges = sides.iter().enumerate().filter(|(_, side)| !holds(at + **side) || holds(at + **side + face.normal()));
            let bits = edges.fold(face as u32, |bits, (i, _)| bits | 1 << (3 + i));
            quads.push(ShellQuad { pos: (chunk_pos.origin() + at).to_array(), bits });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Region;

    #[test]
    fn the_shell_of_a_box_is_its_six_sides_with_edges_only_at_the_rim() {
        let region = Region::of_size(IVec3::new(40, 5, 36)).shifted(IVec3::splat(-3));
        let shell = shell_of(&region.positions().collect::<Vec<_>>());
        assert_eq!(shell.len(), 2 * (40 * 5 + 40 * 36 + 5 * 36));
        let edges: u32 = shell.iter().map(|quad| (quad.bits >> 3).count_ones()).sum();
        assert_eq!(edges as i32, 8 * (40 + 5 + 36), "each of the twelve edges is seen from both of its faces");
    }

    #[test]
    fn a_mask_has_the_shell_of_its_voxels_unless_it_is_too_large() {
        let mut mask = VoxelMask::of_region(&Region::new(IVec3::new(-3, 30, 2), IVec3::new(40, 35, 9)));
        mask.insert(IVec3::new(100, 3, -70));
        let voxels: Vec<_> = mask.positions().collect();
        let shell = shell_of(&voxels);
        assert_eq!(shell_of_mask(&mask, shell.len()), Some(shell.clone()));
        assert_eq!(shell_of_mask(&mask, 6), None);
    }

    #[test]
    fn a_voxel_named_twice_shows_once() {
        assert_eq!(shell_of(&[IVec3::ONE, IVec3::ONE]).len(), 6);
        assert!(shell_of(&[]).is_empty());
    }
}
