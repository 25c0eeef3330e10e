//! Axes, the six faces of a voxel, and the 48 ways to turn and mirror a box.

use glam::IVec3;
use serde::{Deserialize, Serialize};

/// One of the three axes of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// West to east.
    X,
    /// North to south.
    Y,
    /// Sky to water: **z grows downwards**.
    Z,
}

impl Axis {
    /// All three, in index order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// 0 for x, 1 for y, 2 for z.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// One of the six faces of a voxel; the discriminant is the face's number in packed mesh data.
///
/// In scripts: `+x`, `-x` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Face {
    /// East.
    #[serde(rename = "+x")]
    PlusX = 0,
    /// West.
    #[serde(rename = "-x")]
    MinusX = 1,
    /// South.
    #[serde(rename = "+y")]
    PlusY = 2,
    /// North.
    #[serde(rename = "-y")]
    MinusY = 3,
    /// Bottom (z grows downwards).
    #[serde(rename = "+z")]
    PlusZ = 4,
    /// Top, the side to the sky.
    #[serde(rename = "-z")]
    MinusZ = 5,
}

impl Face {
    /// All six, in discriminant order.
    pub const ALL: [Self; 6] = [Self::PlusX, Self::MinusX, Self::PlusY, Self::MinusY, Self::PlusZ, Self::MinusZ];

    /// The face on the side of `axis` (0..3) that `sign` names; 0 counts as positive.
    pub fn toward(axis: usize, sign: i32) -> Self {
        match (axis, sign < 0) {
            (0, false) => Self::PlusX,
            (0, true) => Self::MinusX,
            (1, false) => Self::PlusY,
            (1, true) => Self::MinusY,
            (_, false) => Self::PlusZ,
            (_, true) => Self::MinusZ,
        }
    }

    /// Unit step out of the voxel through this face.
    pub fn normal(self) -> IVec3 {
        match self {
            Self::PlusX => IVec3::X,
            Self::MinusX => IVec3::NEG_X,
            Self::PlusY => IVec3::Y,
            Self::MinusY => IVec3::NEG_Y,
            Self::PlusZ => IVec3::Z,
            Self::MinusZ => IVec3::NEG_Z,
        }
    }

    /// The axis that the face is perpendicular to.
    pub fn axis(self) -> Axis {
        Axis::ALL[self as usize / 2]
    }

    /// The face on the other side of the voxel.
    pub fn opposite(self) -> Self {
        Self::ALL[self as usize ^ 1]
    }
}

/// A turn or mirror of the map that keeps voxels on the grid: a signed permutation of the axes.
///
/// The 24 rotations are those of determinant +1, the other 24 mirror.
///
/// ```
/// use spadework::geom::Orientation;
/// use glam::IVec3;
/// let quarter = Orientation::quarter_turn_z();
/// assert_eq!(quarter.apply(IVec3::X), IVec3::Y); // east becomes south
/// let four = quarter.then(quarter).then(quarter).then(quarter);
/// assert_eq!(four, Orientation::IDENTITY);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Orientation {
    /// `columns[i]` is where the unit vector of axis `i` goes. Invariant: a signed permutation.
    columns: [[i8; 3]; 3],
}

impl Orientation {
    /// Leaves everything as it is.
    pub const IDENTITY: Self = Self { columns: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] };

    /// A quarter turn about z, clockwise as seen from the sky: east → south → west → north.
    pub fn quarter_turn_z() -> Self {
        Self { columns: [[0, 1, 0], [-1, 0, 0], [0, 0, 1]] }
    }

    /// A quarter turn about an axis, x to y to z to x: as [`quarter_turn_z`](Self::quarter_turn_z) is about z.
    pub fn quarter_turn(axis: Axis) -> Self {
        let (from, to) = ((axis.index() + 1) % 3, (axis.index() + 2) % 3);
        let mut columns = [[0; 3]; 3];
        columns[axis.index()][axis.index()] = 1;
        columns[from][to] = 1;
        columns[to][from] = -1;
        Self { columns }
    }

    /// The turn of what stands on the ground that makes it stand on a wall or under a ceiling: its top points out of
    /// the face.
    ///
    /// On a wall, what was its north side points to the sky, whichever wall it is; under a ceiling, its east stays east.
    ///
    /// ```
    /// use glam::IVec3;
    /// use spadework::geom::{Face, Orientation};
    /// let out = Orientation::standing_on(Face::PlusX);
    /// assert_eq!(out.apply(Face::MinusZ.normal()), IVec3::X);
    /// assert_eq!(out.apply(IVec3::NEG_Y), Face::MinusZ.normal());
    /// assert_eq!(Orientation::standing_on(Face::MinusZ), Orientation::IDENTITY);
    /// ```
    pub fn standing_on(face: Face) -> Self {
        let down = -face.normal();
        let south = match face {
            Face::MinusZ => IVec3::Y,
            Face::PlusZ => IVec3::NEG_Y,
            Face::PlusX | Face::MinusX | Face::PlusY | Face::MinusY => IVec3::Z,
        };
        // Parts of unit vectors fit.
        Self { columns: [south.cross(down), south, down].map(|column| column.to_array().map(|v| v as i8)) }
    }

    /// A mirror that turns `axis` around.
    pub fn mirror(axis: Axis) -> Self {
        let mut mirror = Self::IDENTITY;
        mirror.columns[axis.index()][axis.index()] = -1;
        mirror
    }

    /// All 48, the identity first; rotations and mirrors alike.
    pub fn all() -> Vec<Self> {
        let mut all = vec![];
        for permutation in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            for signs in 0..8 {
                let mut columns = [[0; 3]; 3];
                for (axis, &to) in permutation.iter().enumerate() {
                    columns[axis][to] = if signs >> axis & 1 == 0 { 1 } else { -1 };
                }
                all.push(Self { columns });
            }
        }
        all
    }

    /// The vector turned.
    pub fn apply(self, v: IVec3) -> IVec3 {
        let [x, y, z] = self.columns.map(|column| IVec3::from_array(column.map(i32::from)));
        x * v.x + y * v.y + z * v.z
    }

    /// This turn followed by `next`.
    pub fn then(self, next: Self) -> Self {
        Self { columns: self.columns.map(|column| next.apply(IVec3::from_array(column.map(i32::from))).to_array().map(|v| v as i8)) }
    }

    /// The turn that undoes this one.
    pub fn inverse(self) -> Self {
        let mut columns = [[0; 3]; 3];
        for (from, column) in self.columns.iter().enumerate() {
            for (to, &value) in column.iter().enumerate() {
                columns[to][from] = value;
            }
        }
        Self { columns }
    }

    /// Whether it mirrors (determinant −1).
    pub fn mirrors(self) -> bool {
        let [a, b, c] = self.columns.map(|column| IVec3::from_array(column.map(i32::from)));
        a.dot(b.cross(c)) < 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_48_orientations_mirror_and_all_have_an_inverse() {
        let all = Orientation::all();
        assert_eq!(all.len(), 48);
        assert_eq!(all.iter().filter(|o| o.mirrors()).count(), 24);
        for orientation in all {
            assert_eq!(orientation.then(orientation.inverse()), Orientation::IDENTITY);
        }
    }

    #[test]
    fn quarter_turns_keep_their_axis_and_four_of_them_are_none() {
        assert_eq!(Orientation::quarter_turn(Axis::Z), Orientation::quarter_turn_z());
        for axis in Axis::ALL {
            let quarter = Orientation::quarter_turn(axis);
            let along = IVec3::AXES[axis.index()];
            assert_eq!(quarter.apply(along), along);
            assert!(!quarter.mirrors() && quarter.then(quarter) != Orientation::IDENTITY);
            assert_eq!(quarter.then(quarter).then(quarter).then(quarter), Orientation::IDENTITY);
        }
    }

    #[test]
    fn what_stands_on_a_face_points_out_of_it_and_is_not_mirrored() {
        for face in Face::ALL {
            let stands = Orientation::standing_on(face);
            assert_eq!(stands.apply(Face::MinusZ.normal()), face.normal());
            assert!(!stands.mirrors() && stands.then(stands.inverse()) == Orientation::IDENTITY);
        }
    }

    #[test]
    fn opposite_faces_have_opposite_normals() {
        for face in Face::ALL {
            assert_eq!(face.normal(), -face.opposite().normal());
            assert_eq!(Face::toward(face.axis().index(), face.normal()[face.axis().index()]), face);
        }
    }
}
