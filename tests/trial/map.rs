//! Maps and scripts of a trial.

use crate::random::Random;

/// A VXL map of `side` by `side` columns: a floor of two colored voxels at z 62 and 63.
pub fn flat(side: u32) -> Vec<u8> {
    let column = |at: u32| {
        // Length 0 ends the column; colored from z 62 to 63, air before from z 0; blue, green, red, shade.
        let [green, red] = [(at % 251) as u8, (at / side % 251) as u8];
        [0, 62, 63, 0, 40, green, red, 128, 30, green, red, 128]
    };
    (0..side * side).flat_map(column).collect()
}

/// The command that gives the map its sidecar.
pub const SPAWN: &str = r#"{"spawn":{"team":"blue","region":[[4,4],[20,20]],"replace":true}}"#;

/// So many commands of many kinds, one a line.
pub fn script(random: &mut Random, side: u64, count: usize) -> Vec<String> {
    (0..count).map(|_| command(random, side)).collect()
}

fn command(random: &mut Random, side: u64) -> String {
    let [x, y, z] = [random.below(side), random.below(side), 30 + random.below(32)];
    let [to_x, to_y, to_z] =
        [(x + 1 + random.below(30)).min(side), (y + 1 + random.below(30)).min(side), (z + 1 + random.below(8)).min(63)];
    let [last_x, last_y] = [to_x - 1, to_y - 1];
    let color = format!("#{:06x}", random.below(1 << 24));
    let size = 1 + random.below(9);
    match random.below(8) {
        0 => format!(r#"{{"set":{{"at":[{x},{y},{z}],"color":"{color}"}}}}"#),
        1 => format!(r#"{{"remove":{{"at":[{x},{y},62]}}}}"#),
        2 => format!(r#"{{"fill":{{"box":[[{x},{y},{z}],[{to_x},{to_y},{to_z}]],"color":"{color}"}}}}"#),
        3 => format!(r#"{{"fill":{{"box":[[{x},{y},{z}],[{to_x},{to_y},63]],"mode":"remove"}}}}"#),
        4 => format!(
            r#"{{"stroke":{{"brush":{{"shape":"ball","size":{size}}},"color":"{color}","path":[[{x},{y},{z}],[{last_x},{last_y},60]]}}}}"#
        ),
        5 => format!(r#"{{"line":{{"from":[{x},{y},{z}],"to":[{last_x},{last_y},{z}],"color":"{color}"}}}}"#),
        6 => format!(r#"{{"spawn":{{"team":"blue","region":[[{x},{y}],[{to_x},{to_y}]],"replace":true}}}}"#),
        _ => format!(r#"{{"stroke":{{"brush":{{"shape":"cube","size":{size}}},"mode":"paint","color":"{color}","path":[[{x},{y},62]]}}}}"#),
    }
}
