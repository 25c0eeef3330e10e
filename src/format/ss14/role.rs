//! What an entity is, told from its prototype's name: the prototypes themselves are in the game.

use crate::document::MarkerRole;

/// Names that begin so fill their tile.
const BLOCKS: &[&str] = &[
    "airlock",
    "asteroidrock",
    "barricade",
    "blastdoor",
    "firelock",
    "grille",
    "highsec",
    "inflatabledoor",
    "inflatablewall",
    "lowwall",
    "shutters",
    "wall",
    "windoor",
    "window",
];
/// Names that end so do, too.
const BLOCK_ENDS: &[&str] = &["airlock", "door", "wall", "window", "windowdirectional"];
/// Names that look like it and are something else: parts, things on walls, what makes them.
const OTHERS: &[&str] = &["assembly", "electronics", "mount", "painter", "sign", "spawner", "stack", "walllight", "walllocker"];

/// The role of a prototype.
pub(super) fn of_prototype(name: &str) -> MarkerRole {
    // Stations have a thousand prototypes, so this is plain work on bytes: they are ASCII.
    let name: Vec<u8> = name.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase()).collect();
    if name.starts_with(b"spawnpoint") {
        return MarkerRole::Spawn;
    }
    let is_block =
        BLOCKS.iter().any(|begin| name.starts_with(begin.as_bytes())) || BLOCK_ENDS.iter().any(|end| name.ends_with(end.as_bytes()));
    if is_block && !OTHERS.iter().any(|other| memchr::memmem::find(&name, other.as_bytes()).is_some()) {
        MarkerRole::Block
    } else {
        MarkerRole::Point
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_windows_and_doors_are_blocks() {
        #[track_caller]
        fn check(role: MarkerRole, names: &[&str]) {
            for name in names {
                assert_eq!(of_prototype(name), role, "{name}");
            }
        }
        use MarkerRole::{Block, Point, Spawn};
        check(Block, &["WallSolid", "WallReinforcedRust", "WallRockSnow", "solid_wall", "__engine_wall", "reinforced_window"]);
        check(Block, &["Window", "ReinforcedPlasmaWindow", "WindowReinforcedDirectional", "Grille", "GrilleBroken", "AsteroidRock"]);
        check(Block, &["AirlockMaintLocked", "WindoorSecure", "FirelockGlass", "BlastDoorOpen", "ShuttersNormal", "HighSecCommandLocked"]);
        check(Point, &["WallmountTelescreen", "GrilleSpawner", "DoorElectronics", "WindoorAssemblySecure", "InflatableWallStack"]);
        check(Point, &["ClosetWallEmergency", "LockerWallMedicalFilled", "SubstationWallBasic", "SignDoors", "SpawnMobCat", ""]);
        check(Spawn, &["SpawnPointLatejoin", "SpawnPointCaptain"]);
    }
}
