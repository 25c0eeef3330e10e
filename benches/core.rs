//! How long the core takes for what a mapper waits for, each time against yardsticks of the same run.
//!
//! The yardsticks: `copy` copies the file's bytes in memory, `walk` steps over the spans of its columns. Works
//! on the generated island and on every `*.vxl` of the folder that `SPADEWORK_MAPS` names.

use std::hint::black_box;
use std::time::{Duration, Instant};

use spadework::document::{Document, GameProfile, Options, Progress};
use spadework::edit::{Command, History, plan};
use spadework::format::{FormatError, MapFormat, MemorySource, Report, map_format};
use spadework::mesh::mesh_chunk;
use spadework::terrain::{Params, generator};
use spadework::voxel::{Outside, surface_of_chunk};

/// Most runs of a step; the median counts.
const RUNS: usize = 9;
/// A step that takes long is run fewer times.
const BUDGET: Duration = Duration::from_millis(150);

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let vxl = map_format("vxl").ok_or("the VXL format is missing")?;
    for (name, bytes) in maps(vxl)? {
        measure(vxl, &name, &bytes)?;
    }
    Ok(())
}

/// Names and bytes of the maps: the island first.
fn maps(vxl: &dyn MapFormat) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let store = generator("island").ok_or("the island is missing")?.generate(&Params::game(1), &Progress::new())?;
    let mut maps = vec![("island".to_owned(), save(vxl, &Document::new(store, &GameProfile::ACE_OF_SPADES))?)];
    let Some(folder) = std::env::var_os("SPADEWORK_MAPS") else { return Ok(maps) };
    let mut real = vec![];
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "vxl") {
            real.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), std::fs::read(&path)?));
        }
    }
    real.sort();
    maps.extend(real);
    Ok(maps)
}

fn measure(vxl: &dyn MapFormat, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let source = MemorySource(bytes.into());
    let map = open(vxl, &source)?;
    let mut anew = map.clone();
    anew.source = None;
    let walked = walk(bytes).ok_or("the yardstick cannot read the map")?;
    let copy = median(|| black_box(bytes).to_vec());
    let walk = median(|| walk(black_box(bytes)));
    println!("{name}: {} bytes, {walked} spans", bytes.len());
    let tell = |step: &str, time: Duration| {
        let ratio = |yardstick: Duration| time.as_secs_f64() / yardstick.as_secs_f64();
        println!("  {step:<30} {:>11.1} µs {:>10.3} copy {:>10.3} walk", time.as_secs_f64() * 1e6, ratio(copy), ratio(walk));
    };
    tell("copy", copy);
    tell("walk", walk);
    tell("open", median(|| open(vxl, &source)));
    tell("save as it was", median(|| save(vxl, &map)));
    tell("save, encoding all", median(|| save(vxl, &anew)));
    tell("snapshot", median(|| map.clone()));
    let store = map.store();
    tell(
        "surface of all chunks",
        median(|| store.chunks().for_each(|(pos, _)| _ = black_box(surface_of_chunk(store, pos, Outside::GAME)))),
    );
    tell("mesh of all chunks", median(|| store.chunks().for_each(|(pos, _)| _ = black_box(mesh_chunk(store, pos)))));
    let middle = store.bounds().size() / 2;
    let (x, y) = (middle.x, middle.y);
    let fill = format!(r##"{{"fill":{{"box":[[{},{},20],[{},{},50]],"color":"#808080"}}}}"##, x - 32, y - 32, x + 32, y + 32);
    let stroke = format!(
        r##"{{"stroke":{{"brush":{{"shape":"ball","size":9}},"color":"#3c7a2a","path":[[{},{y},40],[{},{},44]]}}}}"##,
        x - 60,
        x + 60,
        y + 30
    );
    for (step, json) in [("fill 64×64×30", fill), ("stroke of 120 voxels", stroke)] {
        let command: Command = serde_json::from_str(&json)?;
        let change = plan(&map, &command, &Progress::new())?;
        let (mut edited, mut history) = (map.clone(), History::new());
        tell(&format!("{step}, plan"), median(|| plan(&map, &command, &Progress::new())));
        let mut changes: Vec<_> = (0..RUNS).map(|_| change.clone()).collect();
        let commit = median(|| {
            let Some(change) = changes.pop() else { return };
            history.undo(&mut edited);
            history.commit(&mut edited, change);
        });
        tell(&format!("{step}, commit"), commit);
        let turns = median(|| (history.undo(&mut edited), history.redo(&mut edited)));
        tell(&format!("{step}, undo"), turns / 2);
    }
    Ok(())
}

fn open(vxl: &dyn MapFormat, source: &MemorySource) -> Result<Document, FormatError> {
    vxl.read(source, &Options::new(), &Progress::new(), &mut Report::new())
}

fn save(vxl: &dyn MapFormat, map: &Document) -> Result<Vec<u8>, FormatError> {
    let mut bytes = Vec::with_capacity(4 << 20);
    vxl.write(map, &mut bytes, &Options::new(), &Progress::new(), &mut Report::new())?;
    Ok(bytes)
}

fn median<T>(mut step: impl FnMut() -> T) -> Duration {
    let begin = Instant::now();
    let mut times = vec![];
    while times.len() < RUNS && (times.len() < 3 || begin.elapsed() < BUDGET) {
        let start = Instant::now();
        // What it answers is freed after the clock is read.
        let answer = black_box(step());
        times.push(start.elapsed());
        drop(answer);
    }
    times.sort();
    times[times.len() / 2].max(Duration::from_nanos(1))
}

/// Steps over every span of 512×512 columns with the checks of a strict reader; answers how many there are.
fn walk(bytes: &[u8]) -> Option<u64> {
    let (mut at, mut spans) = (0, 0);
    for _ in 0..512 * 512 {
        let mut air = 0;
        loop {
            let &[length, start, end, _] = bytes.get(at..)?.first_chunk()?;
            let (length, start, end) = (usize::from(length), usize::from(start), usize::from(end) + 1);
            if end > 64 || start > end || start < air || (length > 0 && length <= end - start) {
                return None;
            }
            spans += 1;
            at += 4 * if length == 0 { end - start + 1 } else { length };
            if length == 0 {
                break;
            }
            air = usize::from(*bytes.get(at + 3)?);
            if air > 64 {
                return None;
            }
        }
    }
    (at == bytes.len()).then_some(spans)
}
