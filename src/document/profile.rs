//! What a game allows: limits as data, so that no code asks which game it is.

use super::Team;
use crate::geom::ColumnRect;

/// A zone in which a server lets a team appear when the map says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpawnZone {
    /// Whose players.
    pub team: Team,
    /// Smallest x and y, inclusive.
    pub min: [i32; 2],
    /// Largest x and y, exclusive.
    pub max: [i32; 2],
}

impl SpawnZone {
    /// The zone's columns.
    pub fn area(&self) -> ColumnRect {
        ColumnRect::new(self.min, self.max)
    }
}

/// The limits of the game that a document is for.
#[derive(Debug, PartialEq, Eq)]
pub struct GameProfile {
    /// Stable name, for files and scripts.
    pub id: &'static str,
    /// Whether the lowest plane is water that can be painted but never removed.
    pub has_floor: bool,
    /// Whether the 8×8 sectors of 64 columns mean something.
    pub has_sectors: bool,
    /// Most territories that a server takes.
    pub max_territories: usize,
    /// Whether players and objects belong to one of two teams.
    pub has_teams: bool,
    /// What a volume is called where a map has several.
    pub volume_label: &'static str,
    /// Where players appear when no spawn is named (piqueserver's rule: columns solid at z 62).
    pub default_spawns: &'static [SpawnZone],
}

impl GameProfile {
    /// Ace of Spades 0.75 and 0.76. Default zones: piqueserver `team.py`, measured.
    pub const ACE_OF_SPADES: Self = Self {
        id: "ace-of-spades",
        has_floor: true,
        has_sectors: true,
        max_territories: 16,
        has_teams: true,
        volume_label: "Volume",
        default_spawns: &[
            SpawnZone { team: Team::Blue, min: [0, 128], max: [128, 384] },
            SpawnZone { team: Team::Green, min: [384, 128], max: [512, 384] },
        ],
    };

    /// No game: nothing is forbidden.
    pub const FREE: Self = Self {
        id: "free",
        has_floor: false,
        has_sectors: false,
        max_territories: usize::MAX,
        has_teams: true,
        volume_label: "Volume",
        default_spawns: &[],
    };

    /// Space Station 14: floors that float in space, one voxel thick; no water, no teams.
    pub const SPACE_STATION_14: Self = Self {
        id: "space-station-14",
        has_floor: false,
        has_sectors: false,
        max_territories: usize::MAX,
        has_teams: false,
        volume_label: "Grid",
        default_spawns: &[],
    };
}
