//! Things of the game that stand on the map: spawn regions and points, bases, intel, territories.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::geom::{ColumnRect, VoxelPos};

/// One of the two teams. SpadesX calls them team 1 and team 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Team {
    /// Team 0 of the protocol, by custom in the west.
    #[serde(alias = "team1")]
    Blue,
    /// Team 1 of the protocol, by custom in the east.
    #[serde(alias = "team2")]
    Green,
}

impl Team {
    /// Blue, then green.
    pub const ALL: [Self; 2] = [Self::Blue, Self::Green];

    /// `Blue` or `Green`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Blue => "Blue",
            Self::Green => "Green",
        }
    }

    /// The other team.
    pub fn other(self) -> Self {
        match self {
            Self::Blue => Self::Green,
            Self::Green => Self::Blue,
        }
    }
}

/// A place for an object: a column, and the ground block it stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Anchor {
    /// Column, eastwards.
    pub x: i32,
    /// Column, southwards.
    pub y: i32,
    /// z of the ground block; `None` is the topmost solid voxel of the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<i32>,
}

/// What a marker stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkerRole {
    /// A place.
    #[default]
    Point,
    /// A thing that fills the voxel above the ground: a wall, a window, a door.
    Block,
    /// A place where players appear, of no team.
    Spawn,
}

impl MarkerRole {
    fn is_point(&self) -> bool {
        *self == Self::Point
    }
}

/// What a thing that fills a voxel looks like, as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockLook {
    /// Nothing is seen through it, and nobody goes through it.
    Wall,
    /// Glass.
    Window,
    /// A door, an airlock, a shutter.
    Door,
}

impl BlockLook {
    /// The look of a thing of that name.
    pub fn of_name(name: &str) -> Self {
        let has = |part: &str| name.contains(part);
        match () {
            () if has("Window") => Self::Window,
            () if has("lock") || has("Door") || has("Shutter") => Self::Door,
            () => Self::Wall,
        }
    }
}

/// Whether a volume's number is that of the first one.
fn is_first(volume: &u32) -> bool {
    *volume == 0
}

/// An object of the map.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Object {
    /// A box of columns in which a team's players appear.
    SpawnRegion {
        /// Whose players.
        team: Team,
        /// The columns.
        area: ColumnRect,
        /// z from which the ground is looked for downwards; 0 is from the sky.
        #[serde(default)]
        z: i32,
    },
    /// A single place where a team's players appear.
    SpawnPoint {
        /// Whose players.
        team: Team,
        /// The ground block.
        at: VoxelPos,
    },
    /// The tent to which the enemy's intel is brought.
    Base {
        /// Whose base.
        team: Team,
        /// Where it stands.
        at: Anchor,
    },
    /// The briefcase that the enemy wants.
    Intel {
        /// Whose intel.
        team: Team,
        /// Where it lies.
        at: Anchor,
    },
    /// A control point of territory control.
    Territory {
        /// Who holds it at the start; `None` is neutral.
        #[serde(default)]
        owner: Option<Team>,
        /// Where it stands.
        at: Anchor,
    },
    /// A named place that means nothing to the game; in an SS14 map any entity on a grid.
    Marker {
        /// Its name; the prototype of an SS14 entity.
        label: Arc<str>,
        /// Where it is.
        at: Anchor,
        /// What it stands for.
        #[serde(default, skip_serializing_if = "MarkerRole::is_point")]
        role: MarkerRole,
        /// Number of the volume in whose voxels its place is told.
        #[serde(default, skip_serializing_if = "is_first")]
        volume: u32,
    },
}

impl Object {
    /// The same on the ground, as what files of every kind tell of it.
    fn without_height(&self) -> Self {
        let mut object = self.clone();
        match &mut object {
            Self::Marker { at, role, .. } => (at.z, *role) = (None, MarkerRole::Point),
            Self::Base { at, .. } | Self::Intel { at, .. } | Self::Territory { at, .. } => at.z = None,
            Self::SpawnRegion { .. } | Self::SpawnPoint { .. } => {}
        }
        object
    }

    /// What it is, as a person reads it: `Blue spawn region`.
    pub fn label(&self) -> String {
        match self {
            Self::SpawnRegion { team, .. } => format!("{} spawn region", team.label()),
            Self::SpawnPoint { team, .. } => format!("{} spawn point", team.label()),
            Self::Base { team, .. } => format!("{} base", team.label()),
            Self::Intel { team, .. } => format!("{} intel", team.label()),
            Self::Territory { owner: Some(team), .. } => format!("{} territory", team.label()),
            Self::Territory { owner: None, .. } => "Neutral territory".into(),
            Self::Marker { label, .. } => label.to_string(),
        }
    }

    /// The team that it belongs to.
    pub fn team(&self) -> Option<Team> {
        match self {
            Self::SpawnRegion { team, .. } | Self::SpawnPoint { team, .. } | Self::Base { team, .. } | Self::Intel { team, .. } => {
                Some(*team)
            }
            Self::Territory { owner, .. } => *owner,
            Self::Marker { .. } => None,
        }
    }

    /// Number of the volume in whose voxels its place is told: the first one, but for markers.
    pub fn volume(&self) -> usize {
        match self {
            Self::Marker { volume, .. } => usize::try_from(*volume).unwrap_or(usize::MAX),
            _ => 0,
        }
    }

    /// Whether players appear there.
    pub fn is_spawn(&self) -> bool {
        matches!(self, Self::SpawnRegion { .. } | Self::SpawnPoint { .. })
    }

    /// The columns it covers.
    pub fn area(&self) -> ColumnRect {
        let (x, y) = match self {
            Self::SpawnRegion { area, .. } => return *area,
            Self::SpawnPoint { at, .. } => (at.x, at.y),
            Self::Base { at, .. } | Self::Intel { at, .. } | Self::Territory { at, .. } | Self::Marker { at, .. } => (at.x, at.y),
        };
        ColumnRect::new([x, y], [x.saturating_add(1), y.saturating_add(1)])
    }

    /// The same object moved by `by` voxels; a height that follows the ground stays so.
    pub fn shifted(&self, by: VoxelPos) -> Self {
        let anchor =
            |at: &Anchor| Anchor { x: at.x.saturating_add(by.x), y: at.y.saturating_add(by.y), z: at.z.map(|z| z.saturating_add(by.z)) };
        match self {
            Self::SpawnRegion { team, area, z } => {
                let [min, max] = [area.min(), area.max()].map(|[x, y]| [x.saturating_add(by.x), y.saturating_add(by.y)]);
                Self::SpawnRegion { team: *team, area: ColumnRect::new(min, max), z: if *z == 0 { 0 } else { z.saturating_add(by.z) } }
            }
            Self::SpawnPoint { team, at } => Self::SpawnPoint { team: *team, at: at.saturating_add(by) },
            Self::Base { team, at } => Self::Base { team: *team, at: anchor(at) },
            Self::Intel { team, at } => Self::Intel { team: *team, at: anchor(at) },
            Self::Territory { owner, at } => Self::Territory { owner: *owner, at: anchor(at) },
            Self::Marker { label, at, role, volume } => Self::Marker { label: label.clone(), at: anchor(at), role: *role, volume: *volume },
        }
    }
}

/// Names an object within a document; never given twice in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct ObjectId(pub u32);

/// All objects of a document, in the order they were made, and the last id that was given: equal where the objects are.
///
/// No id is given twice, as files may say of a removed object what goes with its id. Without a last id, those of removed ones
/// are given again, as earlier versions did: so the steps of their journals count.
#[derive(Clone, Debug, Eq)]
pub struct Objects(pub BTreeMap<ObjectId, Object>, Option<ObjectId>);

impl Default for Objects {
    fn default() -> Self {
        Self(BTreeMap::new(), Some(ObjectId::default()))
    }
}

impl PartialEq for Objects {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl FromIterator<(ObjectId, Object)> for Objects {
    fn from_iter<T: IntoIterator<Item = (ObjectId, Object)>>(objects: T) -> Self {
        let objects: BTreeMap<ObjectId, Object> = objects.into_iter().collect();
        let last = objects.keys().next_back().copied().unwrap_or_default();
        Self(objects, Some(last))
    }
}

impl Objects {
    /// Adds an object under the next id.
    pub fn push(&mut self, object: Object) -> ObjectId {
        let last = self.0.keys().next_back().copied().max(self.1).unwrap_or_default();
        let id = ObjectId(last.0.saturating_add(1));
        self.0.insert(id, object);
        self.1 = self.1.map(|_| id);
        id
    }

    /// The last id that was given; `None` where those of removed objects are given again.
    pub fn last_id(&self) -> Option<ObjectId> {
        self.1.max(self.1.and(self.0.keys().next_back().copied()))
    }

    /// The same objects, where ids up to that one were given; with `None`, those of removed objects are given again.
    pub fn with_last_id(self, last: Option<ObjectId>) -> Self {
        let last = last.max(last.and(self.last_id()));
        Self(self.0, last)
    }

    /// Each object made into another one.
    pub fn mapped(&self, object: impl Fn(&Object) -> Object) -> Self {
        Self(self.iter().map(|(id, old)| (id, object(old))).collect(), self.1)
    }

    /// The same objects under the ids that equal ones have in `known`, those that are equal there in one order; then under those of the ones that
    /// differ in height or role alone, which files may not tell; the others under ids of `spare`, which none of `known` has.
    pub fn numbered_as(&self, known: &Self, spare: impl IntoIterator<Item = ObjectId>) -> Self {
        let (mut left, mut numbered): (Vec<&Object>, _) = (self.0.values().collect(), BTreeMap::new());
        for as_told in [Object::clone, Object::without_height] {
            let mut ids: HashMap<Object, VecDeque<ObjectId>> = HashMap::new();
            let free = known.iter().filter(|(id, _)| !numbered.contains_key(id));
            free.for_each(|(id, object)| ids.entry(as_told(object)).or_default().push_back(id));
            left.retain(|object| {
                let id = ids.get_mut(&as_told(object)).and_then(VecDeque::pop_front);
                id.inspect(|id| _ = numbered.insert(*id, Object::clone(object))).is_none()
            });
        }
        numbered.extend(spare.into_iter().zip(left.into_iter().cloned()));
        numbered.into_iter().collect()
    }

    /// Ids and objects, in order.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.0.iter().map(|(id, object)| (*id, object))
    }

    /// The object of that id.
    pub fn get(&self, id: ObjectId) -> Option<&Object> {
        self.0.get(&id)
    }

    /// The spawn regions and points of a team, in order.
    pub fn spawns(&self, team: Team) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.iter().filter(move |(_, object)| object.is_spawn() && object.team() == Some(team))
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;

    #[test]
    fn no_id_is_given_twice() {
        let marker = || Object::Marker { label: "a".into(), at: Anchor { x: 1, y: 2, z: None }, role: MarkerRole::Point, volume: 0 };
        let mut objects: Objects = [(ObjectId(3), marker())].into_iter().collect();
        objects.0.clear();
        assert_eq!(objects.push(marker()), ObjectId(4));
        let mut moved = objects.mapped(|object| object.shifted(IVec3::ONE));
        moved.0.clear();
        assert_eq!((moved.push(marker()), objects.last_id()), (ObjectId(5), Some(ObjectId(4))));
        assert_eq!(Objects::default().with_last_id(Some(ObjectId(7))).push(marker()), ObjectId(8));
        assert_eq!(Objects::default().with_last_id(Some(ObjectId(7))), Objects::default());
        // As earlier versions did.
        let mut objects = objects.with_last_id(None);
        let last = objects.push(marker());
        objects.0.remove(&last);
        assert_eq!((objects.push(marker()), objects.last_id()), (last, None));
    }

    #[test]
    fn objects_take_the_ids_of_equal_ones() {
        let marker = |x| Object::Marker { label: "a".into(), at: Anchor { x, y: 2, z: None }, role: MarkerRole::Point, volume: 0 };
        let objects = |all: &[(u32, i32)]| all.iter().map(|(id, x)| (ObjectId(*id), marker(*x))).collect::<Objects>();
        let live = objects(&[(2, 7), (3, 5), (4, 5), (6, 9)]);
        let numbered = live.numbered_as(&objects(&[(1, 5), (2, 7), (3, 5), (4, 8)]), (5..).map(ObjectId));
        assert_eq!(numbered, objects(&[(1, 5), (2, 7), (3, 5), (5, 9)]));
        assert_eq!(numbered.last_id(), Some(ObjectId(5)));
        // Of two in one place, the one that is the same in height comes first.
        let at = |z| Object::Base { team: Team::Green, at: Anchor { x: 5, y: 6, z } };
        let [live, known] =
            [[Some(3), None, Some(4)], [None, Some(1), Some(2)]].map(|all| (1..).map(ObjectId).zip(all.map(at)).collect::<Objects>());
        let numbered = live.numbered_as(&known, (4..).map(ObjectId));
        assert_eq!(
            numbered.iter().map(|(id, object)| (id.0, object.clone())).collect::<Vec<_>>(),
            [(1, at(None)), (2, at(Some(3))), (3, at(Some(4)))]
        );
    }

    #[test]
    fn objects_are_plain_json() {
        let region = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([1, 2], [3, 4]), z: 0 };
        let json = serde_json::to_string(&region).unwrap();
        assert_eq!(json, r#"{"spawn_region":{"team":"blue","area":[[1,2],[3,4]],"z":0}}"#);
        assert_eq!(serde_json::from_str::<Object>(&json).unwrap(), region);
    }

    #[test]
    fn markers_of_older_files_are_points() {
        let marker = Object::Marker { label: "here".into(), at: Anchor { x: 1, y: 2, z: None }, role: MarkerRole::Point, volume: 0 };
        let json = r#"{"marker":{"label":"here","at":{"x":1,"y":2}}}"#;
        assert_eq!(serde_json::to_string(&marker).unwrap(), json);
        assert_eq!(serde_json::from_str::<Object>(json).unwrap(), marker);
        let wall = r#"{"marker":{"label":"WallSolid","at":{"x":1,"y":2},"role":"block"}}"#;
        assert_eq!(serde_json::from_str::<Object>(wall).map(|wall| wall.volume()).ok(), Some(0));
        assert!(matches!(serde_json::from_str(wall), Ok(Object::Marker { role: MarkerRole::Block, .. })));
    }

    #[test]
    fn a_shift_keeps_heights_that_follow_the_ground() {
        let base = Object::Base { team: Team::Green, at: Anchor { x: 5, y: 6, z: None } };
        assert_eq!(base.shifted(IVec3::splat(2)), Object::Base { team: Team::Green, at: Anchor { x: 7, y: 8, z: None } });
    }
}
