//! A volume: voxels with a name and a place in the world. Most maps have one, SS14 maps one per grid.

use std::fmt;
use std::sync::Arc;

use glam::IVec3;

use crate::voxel::Store;

/// A store with a name and a place in the world. VXL and VMF maps have exactly one, SS14 one per grid.
#[derive(Clone, Debug)]
pub struct Volume {
    /// What the mapper calls it; empty where the format has no name.
    pub name: Arc<str>,
    /// The number by which its file knows it, where the format has one (an SS14 grid's uid).
    pub uid: Option<u32>,
    /// Where the store's origin lies in the volume's own frame, in voxels: resizing moves it, so that
    /// formats that know places by their coordinates (SS14) find them again.
    pub offset: IVec3,
    /// Where the volume's own frame lies in the world.
    pub placement: Placement,
    /// The voxels.
    pub store: Store,
}

impl Volume {
    /// A volume without a name at the middle of the world.
    pub fn new(store: Store) -> Self {
        Self { name: "".into(), uid: None, offset: IVec3::ZERO, placement: Placement::default(), store }
    }

    /// What it is called in lists: its name and its file's number, as far as it has them.
    ///
    /// ```
    /// use spadework::document::Volume;
    /// use spadework::geom::Region;
    /// use spadework::voxel::Store;
    /// let volume = Volume { name: "Shuttle".into(), uid: Some(20), ..Volume::new(Store::new(Region::EMPTY)) };
    /// assert_eq!(volume.title().to_string(), "Shuttle (uid 20)");
    /// ```
    pub fn title(&self) -> impl fmt::Display + '_ {
        Title(self)
    }
}

struct Title<'a>(&'a Volume);

impl fmt::Display for Title<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.0.name, self.0.uid) {
            ("", None) => f.write_str("unnamed"),
            ("", Some(uid)) => write!(f, "uid {uid}"),
            (name, None) => f.write_str(name),
            (name, Some(uid)) => write!(f, "{name} (uid {uid})"),
        }
    }
}

/// Where a volume lies in the plan view of the world: exact, for formats whose volumes float freely (SS14).
///
/// Axes as everywhere: x east, y south. A place `p` of the volume's own frame lies at
/// `position + p` turned by `rotation`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Placement {
    /// Which world: volumes of different ones are never beside each other.
    pub world: Option<u32>,
    /// Where the frame's origin lies, in voxels.
    pub position: [f64; 2],
    /// In radians, clockwise as seen from above: from east to south.
    pub rotation: f64,
}

impl Placement {
    /// A place of this frame, in the world.
    pub fn to_world(&self, place: [f64; 2]) -> [f64; 2] {
        let [x, y] = turned(place, self.rotation);
        [x + self.position[0], y + self.position[1]]
    }

    /// A place of the world, in this frame.
    pub fn from_world(&self, place: [f64; 2]) -> [f64; 2] {
        turned([place[0] - self.position[0], place[1] - self.position[1]], -self.rotation)
    }
}

fn turned([x, y]: [f64; 2], by: f64) -> [f64; 2] {
    let (sin, cos) = by.sin_cos();
    [x * cos - y * sin, x * sin + y * cos]
}
