//! Symmetry: where else an edit happens, for maps of two teams. Plain data and its group of images.
//!
//! State of the document like the selection: undoable, journalled, never "modified". All turns are about an
//! upright axis, so heights stay and columns go to columns.

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::{Anchor, Object};
use crate::geom::{Axis, ColumnRect, Face, Orientation, Region, Transform, VoxelPos};
use crate::voxel::Rgb;

/// What kind of symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymmetryKind {
    /// None: edits happen once.
    #[default]
    Off,
    /// West and east are mirror images.
    MirrorX,
    /// North and south are mirror images.
    MirrorY,
    /// Both.
    MirrorBoth,
    /// Half a turn.
    Turn180,
    /// Quarter turns.
    Turn90,
}

impl SymmetryKind {
    /// All kinds, in the order of the list.
    pub const ALL: [Self; 6] = [Self::Off, Self::MirrorX, Self::MirrorY, Self::MirrorBoth, Self::Turn180, Self::Turn90];

    /// Name in lists.
    pub fn label(self) -> &'static str {
        match self {
            Self::Off => "Off",
            Self::MirrorX => "Mirror x",
            Self::MirrorY => "Mirror y",
            Self::MirrorBoth => "Mirror both",
            Self::Turn180 => "Rotate 180°",
            Self::Turn90 => "Rotate 90°",
        }
    }

    /// Its turns and mirrors besides the identity, and whether each brings one team's side to the other's.
    ///
    /// By custom blue is in the west and green in the east. Under quarter turns the four sides alternate.
    fn orientations(self) -> Vec<(Orientation, bool)> {
        let (x, y, quarter) = (Orientation::mirror(Axis::X), Orientation::mirror(Axis::Y), Orientation::quarter_turn_z());
        let half = quarter.then(quarter);
        match self {
            Self::Off => vec![],
            Self::MirrorX => vec![(x, true)],
            Self::MirrorY => vec![(y, true)],
            Self::MirrorBoth => vec![(x, true), (y, false), (half, true)],
            Self::Turn180 => vec![(half, true)],
            Self::Turn90 => vec![(quarter, true), (half, false), (half.then(quarter), true)],
        }
    }
}

/// The symmetry of a document.
///
/// ```
/// use glam::IVec3;
/// use spadework::document::{Symmetry, SymmetryKind};
/// let symmetry = Symmetry { kind: SymmetryKind::MirrorX, center: [512, 512], ..Symmetry::default() };
/// let voxels: Vec<_> = symmetry.images().iter().map(|image| image.transform.voxel(IVec3::new(10, 20, 30))).collect();
/// assert_eq!(voxels, [IVec3::new(10, 20, 30), IVec3::new(501, 20, 30)]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symmetry {
    /// What kind.
    pub kind: SymmetryKind,
    /// x and y of the axis in half voxels: odd runs through the middle of a column, even between two.
    ///
    /// Invariant: both are even or both odd where the kind turns by 90°.
    pub center: [i32; 2],
    /// Whether images on the other team's side belong to the other team.
    pub swap_teams: bool,
    /// Pairs of colours that are exchanged on the other team's side.
    pub swap_colors: Vec<[Rgb; 2]>,
}

impl Default for Symmetry {
    /// Off. Once it is on, the other side is the other team's.
    fn default() -> Self {
        Self { kind: SymmetryKind::Off, center: [0, 0], swap_teams: true, swap_colors: vec![] }
    }
}

impl Symmetry {
    /// Most pairs of colours.
    pub const MAX_COLORS: usize = 64;

    /// The same about another center, in half voxels; a quarter turn maps columns to columns only about a corner or the
    /// middle of one.
    pub fn centered(self, [x, y]: [i32; 2]) -> Self {
        let aside = if self.kind == SymmetryKind::Turn90 { x.wrapping_sub(y).rem_euclid(2) } else { 0 };
        Self { center: [x, y.saturating_add(aside)], ..self }
    }

    /// Whether edits happen more than once.
    pub fn is_on(&self) -> bool {
        self.kind != SymmetryKind::Off
    }

    /// Where an edit happens: as it is first, then its images.
    pub fn images(&self) -> Vec<Image<'_>> {
        let center = IVec3::new(self.center[0], self.center[1], 0);
        let others = self.kind.orientations().into_iter();
        let others = others.map(|(orientation, other_side)| (Transform::about(orientation, center), other_side));
        let all = std::iter::once((Transform::IDENTITY, false)).chain(others);
        all.map(|(transform, other_side)| Image {
            transform,
            swaps_teams: other_side && self.swap_teams,
            colors: if other_side { &self.swap_colors } else { &[] },
        })
        .collect()
    }

    /// Every box that an edit of this box reaches.
    pub fn regions(&self, region: &Region) -> Vec<Region> {
        self.images().iter().map(|image| image.transform.region(region)).collect()
    }

    /// The box around all places with an image in a box.
    pub fn reach(&self, bounds: &Region) -> Region {
        self.regions(bounds).iter().fold(Region::EMPTY, |all, region| all.union(region))
    }

    /// The symmetry of a map that moved.
    pub fn shifted(&self, by: IVec3) -> Self {
        let [x, y] = self.center;
        Self { center: [x.saturating_add(by.x.saturating_mul(2)), y.saturating_add(by.y.saturating_mul(2))], ..self.clone() }
    }
}

/// One of the places where an edit happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    /// From the place of the edit to this one. Invariant: keeps heights.
    pub transform: Transform,
    /// Whether what belongs to one team belongs to the other one here.
    pub swaps_teams: bool,
    colors: &'a [[Rgb; 2]],
}

impl Image<'_> {
    /// Whether it is the edit itself.
    pub fn is_original(&self) -> bool {
        self.transform == Transform::IDENTITY
    }

    /// The voxel's image.
    pub fn voxel(&self, pos: VoxelPos) -> VoxelPos {
        self.transform.voxel(pos)
    }

    /// The column's image.
    pub fn column(&self, [x, y]: [i32; 2]) -> [i32; 2] {
        let at = self.transform.voxel(IVec3::new(x, y, 0));
        [at.x, at.y]
    }

    /// The box's image.
    pub fn region(&self, region: &Region) -> Region {
        self.transform.region(region)
    }

    /// The image of columns.
    pub fn columns(&self, rect: &ColumnRect) -> ColumnRect {
        self.transform.columns(rect)
    }

    /// The face's image.
    pub fn face(&self, face: Face) -> Face {
        self.transform.face(face)
    }

    /// The colour here.
    pub fn color(&self, color: Rgb) -> Rgb {
        let swapped = self.colors.iter().find_map(|[a, b]| match color {
            color if color == *a => Some(*b),
            color if color == *b => Some(*a),
            _ => None,
        });
        swapped.unwrap_or(color)
    }

    /// The object's image. Heights stay, whether they follow the ground or not.
    pub fn object(&self, object: &Object) -> Object {
        let team = |team: super::Team| if self.swaps_teams { team.other() } else { team };
        let anchor = |at: &Anchor| {
            let [x, y] = self.column([at.x, at.y]);
            Anchor { x, y, z: at.z }
        };
        match object {
            Object::SpawnRegion { team: owner, area, z } => Object::SpawnRegion { team: team(*owner), area: self.columns(area), z: *z },
            Object::SpawnPoint { team: owner, at } => Object::SpawnPoint { team: team(*owner), at: self.voxel(*at) },
            Object::Base { team: owner, at } => Object::Base { team: team(*owner), at: anchor(at) },
            Object::Intel { team: owner, at } => Object::Intel { team: team(*owner), at: anchor(at) },
            Object::Territory { owner, at } => Object::Territory { owner: owner.map(team), at: anchor(at) },
            Object::Marker { label, at, role, volume } => {
                Object::Marker { label: label.clone(), at: anchor(at), role: *role, volume: *volume }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_images_of_every_kind_are_a_group() {
        for (kind, count) in SymmetryKind::ALL.into_iter().zip([1, 2, 2, 4, 2, 4]) {
            for center in [[0, 0], [7, 3], [-4, 10]] {
                let symmetry = Symmetry { kind, center, swap_teams: true, ..Symmetry::default() };
                let images = symmetry.images();
                assert_eq!(images.len(), count, "{kind:?}");
                assert!(images[0].is_original());
                for (a, b) in images.iter().flat_map(|a| images.iter().map(move |b| (a, b))) {
                    let both = a.transform.then(b.transform);
                    let found = images.iter().find(|image| image.transform == both);
                    assert_eq!(found.map(|image| image.swaps_teams), Some(a.swaps_teams != b.swaps_teams), "{kind:?} {center:?}");
                }
            }
        }
    }

    #[test]
    fn pairs_of_colors_are_exchanged_on_the_other_side_only() {
        let (blue, green, gray) = (Rgb::new(0, 0, 255), Rgb::new(0, 255, 0), Rgb::new(9, 9, 9));
        let symmetry = Symmetry { kind: SymmetryKind::MirrorBoth, center: [8, 8], swap_teams: true, swap_colors: vec![[blue, green]] };
        let colors: Vec<_> = symmetry.images().iter().map(|image| [blue, green, gray].map(|color| image.color(color))).collect();
        let (same, swapped) = ([blue, green, gray], [green, blue, gray]);
        assert_eq!(colors, [same, swapped, same, swapped]);
    }
}
