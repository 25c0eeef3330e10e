//! What a voxel is to a mapper: seen, hidden, the floor or the sea. Read only; the status bar shows it.

use super::Snapshot;
use crate::geom::{Face, VoxelPos};
use crate::voxel::{Store, VoxelKind};

/// What a solid voxel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Material {
    /// It can be seen in the game.
    Surface {
        /// Whether a color is stored for it.
        colored: bool,
    },
    /// It cannot be seen.
    Hidden {
        /// Whether a color is stored for it all the same.
        colored: bool,
    },
    /// The lowest plane, with something standing on it.
    Floor,
    /// The lowest plane, open to the air, which the game shows as the sea; or a voxel that its file calls water.
    Water,
}

impl Material {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Surface { colored: true },
        Self::Surface { colored: false },
        Self::Hidden { colored: true },
        Self::Hidden { colored: false },
        Self::Floor,
        Self::Water,
    ];

    /// What the voxel at a place is; `None` is air, or outside the map.
    ///
    /// As in the game, all beyond the sides and below the map counts as solid, and above it is the sky.
    pub fn of(document: &Snapshot, pos: VoxelPos) -> Option<Self> {
        let store = document.store();
        let voxel = store.voxel(pos)?;
        let is_floor = document.floor_z() == Some(pos.z);
        if voxel.extra.kind == VoxelKind::Water || (is_floor && is_air(store, pos + Face::MinusZ.normal())) {
            return Some(Self::Water);
        }
        if is_floor {
            return Some(Self::Floor);
        }
        let colored = voxel.paint.is_some();
        let is_seen = Face::ALL.into_iter().any(|face| is_air(store, pos + face.normal()));
        Some(if is_seen { Self::Surface { colored } } else { Self::Hidden { colored } })
    }

    /// As the status bar says it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Surface { colored: true } => "surface",
            Self::Surface { colored: false } => "surface, no color",
            Self::Hidden { colored: true } => "hidden, color stored",
            Self::Hidden { colored: false } => "hidden, no color",
            Self::Floor => "floor",
            Self::Water => "water",
        }
    }
}

/// Whether a place shows what lies beside it.
fn is_air(store: &Store, pos: VoxelPos) -> bool {
    let bounds = store.bounds();
    let is_sky = pos.z < bounds.min().z;
    is_sky || (bounds.contains(pos) && !store.is_solid(pos))
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::document::{Document, GameProfile};
    use crate::geom::Region;
    use crate::voxel::{Extra, Rgb, StoreEdit, Voxel};

    #[test]
    fn a_voxel_is_what_the_game_shows_of_it() {
        let painted = Voxel::new(Rgb::new(9, 8, 7));
        let mut edit = StoreEdit::new(&Store::new(Region::of_size(IVec3::new(8, 8, 8))));
        // A block of 3×3×3 in the middle and one in a corner of the map, on a floor.
        for pos in Region::of_size(IVec3::splat(3)).positions() {
            edit.set(pos + IVec3::new(3, 3, 4), Some(if pos.x == 1 { painted } else { Voxel::HIDDEN }));
            edit.set(pos + IVec3::new(0, 0, 4), Some(painted));
        }
        for pos in Region::new(IVec3::new(0, 0, 7), IVec3::splat(8)).positions() {
            edit.set(pos, Some(painted));
        }
        let water = Voxel { extra: Extra { kind: VoxelKind::Water, ..Extra::default() }, ..painted };
        edit.set(IVec3::new(7, 0, 2), Some(water));
        edit.set(IVec3::new(0, 7, 0), Some(painted));
        let document = Document::new(edit.snapshot(), &GameProfile::ACE_OF_SPADES);
        let check = |at: [i32; 3], expected: Option<Material>| assert_eq!(Material::of(&document, at.into()), expected, "{at:?}");
        check([4, 3, 5], Some(Material::Surface { colored: true }));
        check([3, 4, 5], Some(Material::Surface { colored: false }));
        check([4, 4, 5], Some(Material::Hidden { colored: true }));
        check([4, 4, 4], Some(Material::Surface { colored: true }));
        // Beyond the sides all counts as solid, above is the sky.
        check([0, 0, 5], Some(Material::Hidden { colored: true }));
        check([0, 7, 0], Some(Material::Surface { colored: true }));
        check([4, 4, 7], Some(Material::Floor));
        check([7, 7, 7], Some(Material::Water));
        check([7, 0, 2], Some(Material::Water));
        check([7, 0, 3], None);
        check([7, 7, 8], None);
        let free = Document::new(document.store().clone(), &GameProfile::FREE);
        assert_eq!(Material::of(&free, IVec3::new(7, 7, 7)), Some(Material::Surface { colored: true }), "no game, no sea");
    }
}
