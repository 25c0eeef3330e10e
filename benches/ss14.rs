//! How long opening and saving an SS14 map takes, against L: a loop over the same bytes that finds every
//! newline and counts the spaces after it.
//!
//! In brackets the ratio of the fastest runs: on a busy machine the longer step is interrupted more often.
//! Reads the maps in the folder that `SPADEWORK_SS14_MAPS` names, and a station that is made up. Prints
//! the median of each step and its ratio to L, map by map; everything runs on one thread.

use std::hint::black_box;
use std::time::{Duration, Instant};

use spadework::document::{Document, Options, Progress};
use spadework::format::ss14::Ss14;
use spadework::format::{FormatError, MapFormat as _, MemorySource, Report};
use spadework::voxel::{StoreEdit, Voxel};

/// Runs of each step; the median counts.
const RUNS: usize = 41;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:<46} {:>9} {:>27} {:>27} {:>27}", "map", "L", "open", "save as it was", "save one tile");
    for (name, bytes) in maps()? {
        let source = MemorySource(bytes.as_slice().into());
        let lines = median(|| count_lines(black_box(&bytes)));
        let open = median(|| read(&source));
        let map = read(&source)?;
        let keep = median(|| save(&map));
        let show = |times: Times| {
            let ratio = |time: Duration, lines: Duration| time.as_secs_f64() / lines.as_secs_f64();
            let (median, fastest) = (ratio(times.median, lines.median), ratio(times.fastest, lines.fastest));
            format!("{:.2} ms {median:>5.2} L ({fastest:.2} L)", times.median.as_secs_f64() * 1e3)
        };
        let one = match painted(&map) {
            Some(painted) if save(&painted).is_ok() => show(median(|| save(&painted))),
            _ => "not written".into(),
        };
        println!("{name:<46} {:>6.3} ms {:>27} {:>27} {one:>27}", lines.median.as_secs_f64() * 1e3, show(open), show(keep));
    }
    Ok(())
}

/// The map with the first floor that is found in another color of the palette.
fn painted(map: &Document) -> Option<Document> {
    let at = map.bounds().positions().find(|pos| map.store().is_solid(*pos))?;
    let now = map.store().voxel(at)?.rgb()?;
    let other = map.palette.swatches().iter().find(|swatch| swatch.color != now)?;
    let mut edit = StoreEdit::new(map.store());
    edit.set(at, Some(Voxel::new(other.color)));
    let changes = edit.finish();
    let mut painted = map.clone();
    painted.store_mut(map.active())?.apply(&changes);
    Some(painted)
}

fn count_lines(bytes: &[u8]) -> (u64, u64) {
    let (mut lines, mut indents, mut in_indent) = (0, 0, true);
    for byte in bytes {
        if *byte == b'\n' {
            lines += 1;
            in_indent = true;
        } else if in_indent {
            if *byte == b' ' {
                indents += 1;
            } else {
                in_indent = false;
            }
        }
    }
    (lines, indents)
}

fn maps() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut maps = vec![];
    if let Some(folder) = std::env::var_os("SPADEWORK_SS14_MAPS") {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "yml") {
                maps.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), std::fs::read(&path)?));
            }
        }
    }
    maps.sort();
    maps.push(("made up".into(), station(20, 60_000).into_bytes()));
    Ok(maps)
}

/// A station of format 7: `side` × `side` chunks of floor, and entities of some hundred prototypes.
fn station(side: usize, entities: usize) -> String {
    let mut text = String::from("meta:\n  format: 7\n  category: Grid\n  engineVersion: 268.0.0\n  forkId: \"\"\n  forkVersion: \"\"\n");
    text += &format!("  time: 01/01/2026 00:00:00\n  entityCount: {}\nmaps: []\ngrids:\n- 1\norphans:\n- 1\nnullspace: []\n", entities + 1);
    text += "tilemap:\n  0: Space\n  1: Plating\n  2: FloorSteel\n  3: FloorDark\nentities:\n- proto: \"\"\n  entities:\n  - uid: 1\n    components:\n";
    text += "    - type: MetaData\n      name: station\n    - type: Transform\n      parent: invalid\n    - type: MapGrid\n      chunks:\n";
    // 256 tiles of 7 bytes, 1 to 3 by turns: base64 of three tiles is 28 characters.
    let three = "AQAAAAAAAAIAAAAAAAADAAAAAAAA";
    for chunk in 0..side * side {
        let (x, y) = (chunk % side, chunk / side);
        text +=
            &format!("        {x},{y}:\n          ind: {x},{y}\n          tiles: {}AQAAAAAAAA==\n          version: 7\n", three.repeat(85));
    }
    let protos = 400;
    for proto in 0..protos {
        text += &format!("- proto: Prototype{proto:03}\n  entities:\n");
        for entity in (proto..entities).step_by(protos) {
            let (x, y) = (entity % (16 * side), entity / 7 % (16 * side));
            text += &format!("  - uid: {}\n    components:\n    - type: Transform\n", entity + 2);
            if entity % 3 == 0 {
                text += "      rot: 1.5707963267948966 rad\n";
            }
            text += &format!("      pos: {x}.5,{y}.5\n      parent: 1\n");
            if entity % 8 == 0 {
                text += "    - type: DeviceNetwork\n      deviceLists:\n      - 7\n    - type: ContainerContainer\n      containers:\n        board: !type:Container\n          ents: []\n";
            }
        }
    }
    text + "...\n"
}

fn read(source: &MemorySource) -> Result<Document, FormatError> {
    Ss14.read(source, &Options::new(), &Progress::new(), &mut Report::new())
}

fn save(map: &Document) -> Result<Vec<u8>, FormatError> {
    let mut bytes = Vec::with_capacity(8 << 20);
    Ss14.write(map, &mut bytes, &Options::new(), &Progress::new(), &mut Report::new())?;
    Ok(bytes)
}

/// How long a step took.
#[derive(Clone, Copy)]
struct Times {
    median: Duration,
    fastest: Duration,
}

/// What a step makes is dropped after the clock has stopped.
fn median<T>(mut step: impl FnMut() -> T) -> Times {
    let mut times: Vec<_> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            let made = black_box(step());
            let time = start.elapsed();
            drop(made);
            time
        })
        .collect();
    times.sort();
    Times { median: times[RUNS / 2], fastest: times[0] }
}
