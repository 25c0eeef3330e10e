//! Edits as a person makes them, chosen by a byte: every target tries what comes after opening, too.

use spadework::document::{Document, Progress};
use spadework::edit::{Command, History, plan};

/// Edits of voxels near the origin.
pub const VOXELS: &[&str] = &[
    r##"{"set":{"at":[0,0,40],"color":"#102030"}}"##,
    r#"{"remove":{"at":[0,0,40]}}"#,
    r##"{"fill":{"box":[[0,0,20],[3,2,62]],"color":"#808080"}}"##,
    r#"{"fill":{"box":[[1,1,0],[2,3,62]],"mode":"remove"}}"#,
    r##"{"fill":{"box":[[0,0,0],[4,4,64]],"mode":"paint","color":"#ff0000"}}"##,
    r#"{"repair_columns":{}}"#,
    r#"{"shift":{"by":[1,0,0],"wrap":true}}"#,
];

/// Edits of tiles and things on a grid, which is one voxel thick.
pub const GRID: &[&str] = &[
    r##"{"fill":{"box":[[-20,-20,-1],[20,20,2]],"mode":"paint","color":"#ff0000"}}"##,
    r##"{"fill":{"box":[[1,1,0],[9,9,1]],"color":"#78787c"}}"##,
    r#"{"fill":{"box":[[0,0,0],[3,4,1]],"mode":"remove"}}"#,
    r##"{"set":{"at":[2,2,0],"color":"#102030"}}"##,
    r#"{"add_object":{"marker":{"label":"WallSolid","at":{"x":1,"y":2}}}}"#,
    r#"{"set_object":{"id":1,"object":{"marker":{"label":"SpawnPointLatejoin","at":{"x":3,"y":2}}}}}"#,
    r#"{"remove_object":{"id":1}}"#,
    r#"{"remove_object":{"id":2}}"#,
    r#"{"shift":{"by":[1,0,0]}}"#,
    r#"{"set_property":{"name":"New"}}"#,
];

/// Edits of what SpadesX reads.
pub const SPADESX: &[&str] = &[
    r#"{"set_property":{"author":"It's \"new\" \\ ünd\nlong"}}"#,
    r#"{"set_property":{"author":null}}"#,
    r#"{"set_property":{"description":"text"}}"#,
    r##"{"set_property":{"fog":"#80e8ff"}}"##,
    r#"{"set_property":{"cap_limit":7}}"#,
    r#"{"spawn":{"team":"blue","region":[[1,2],[9,12]],"replace":true}}"#,
    r#"{"spawn":{"team":"green","region":[[1,2],[9,12]],"replace":true}}"#,
];

/// Edits of what the project file beside a VMF holds.
pub const BESIDE_VMF: &[&str] = &[
    r##"{"set_property":{"fog":"#80e8ff"}}"##,
    r#"{"set_property":{"description":"- [x, 'y'\n]: \" "}}"#,
    r#"{"set_property":{"protected":["A1","H8"]}}"#,
    r#"{"set_property":{"protected":[]}}"#,
    r#"{"set_property":{"time_limit":7}}"#,
    r#"{"set_property":{"time_limit":null}}"#,
    r#"{"spawn":{"team":"blue","region":[[1,2],[9,12]]}}"#,
    r#"{"clear_spawns":{"team":"green"}}"#,
    r#"{"add_object":{"territory":{"owner":null,"at":{"x":4,"y":5}}}}"#,
    r#"{"add_object":{"marker":{"label":"~","at":{"x":4,"y":5}}}}"#,
    r#"{"remove_object":{"id":1}}"#,
    r#"{"shift":{"by":[1,2,0]}}"#,
];

/// Edits of what piqueserver reads.
pub const SERVER: &[&str] = &[
    r#"{"set_property":{"name":"It's \"new\" \\ ünd\nlong"}}"#,
    r#"{"set_property":{"author":"someone"}}"#,
    r#"{"set_property":{"author":null}}"#,
    r##"{"set_property":{"fog":"#80e8ff"}}"##,
    r#"{"set_property":{"protected":["A1","H8"]}}"#,
    r#"{"set_property":{"cap_limit":7}}"#,
    r#"{"spawn":{"team":"blue","region":[[1,2],[9,12]]}}"#,
    r#"{"spawn":{"team":"green","region":[[1,2],[9,12]],"replace":true}}"#,
    r#"{"clear_spawns":{"team":"blue"}}"#,
    r#"{"add_object":{"base":{"team":"blue","at":{"x":4,"y":5}}}}"#,
    r#"{"add_object":{"intel":{"team":"green","at":{"x":4,"y":5}}}}"#,
    r#"{"remove_object":{"id":1}}"#,
    r#"{"shift":{"by":[1,2,0]}}"#,
];

/// Edits of what only the project file beside a VXL holds.
pub const BESIDE_VXL: &[&str] = &[
    r#"{"set_property":{"game_mode":"tc"}}"#,
    r#"{"set_property":{"game_mode":null}}"#,
    r#"{"add_object":{"marker":{"label":": [x, 'y']","at":{"x":4,"y":5}}}}"#,
    r#"{"add_object":{"marker":{"label":"","at":{"x":-4,"y":5,"z":60}}}}"#,
];

/// The document after the edits that the bits of `choice` name; those that cannot be done are left out.
pub fn edited(document: &Document, edits: &[&str], choice: u16) -> Document {
    let (mut after, mut history) = (document.clone(), History::new());
    for edit in edits.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1).map(|(_, edit)| edit) {
        let command: Command = serde_json::from_str(edit).expect("every edit here is a command");
        if let Ok(change) = plan(&after, &command, &Progress::new()) {
            history.commit(&mut after, change);
        }
    }
    after
}
