//! How long opening and saving a VXL map takes, against Y: a strict walk over the same bytes into flat arrays.
//!
//! Reads the maps in the folder that `SPADEWORK_MAPS` names, or makes one up. Prints the median of each
//! step and its ratio to Y, map by map.

use std::hint::black_box;
use std::time::{Duration, Instant};

use spadework::document::{Document, Options, Progress};
use spadework::format::vxl::Vxl;
use spadework::format::{MapFormat as _, MemorySource, Report};

/// Runs of each step; the median counts.
const RUNS: usize = 15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:<20} {:>8} {:>14} {:>14} {:>14} {:>14}", "map", "Y", "open", "save as it was", "one voxel", "encode all");
    for (name, bytes) in maps()? {
        let source = MemorySource(bytes.as_slice().into());
        let walk = median(|| drop(black_box(walk(&bytes))));
        let open = median(|| drop(black_box(read(&source))));
        let map = read(&source)?;
        let keep = median(|| drop(black_box(save(&map))));
        let mut edited = map.clone();
        let pos = glam::IVec3::new(200, 200, 10);
        let mut edit = spadework::voxel::StoreEdit::new(map.store());
        edit.set(pos, Some(spadework::voxel::Voxel::new(spadework::voxel::Rgb::new(1, 2, 3))));
        let changes = edit.finish();
        edited.store_mut(0).ok_or("a document has a volume")?.apply(&changes);
        let one = median(|| drop(black_box(save(&edited))));
        let mut anew = map.clone();
        anew.source = None;
        let all = median(|| drop(black_box(save(&anew))));
        let show = |time: Duration| format!("{:.2} ms {:>4.1}Y", time.as_secs_f64() * 1e3, time.as_secs_f64() / walk.as_secs_f64());
        let y = format!("{:.2} ms", walk.as_secs_f64() * 1e3);
        println!("{name:<20} {y:>8} {:>14} {:>14} {:>14} {:>14}", show(open), show(keep), show(one), show(all));
        if let Ok(folder) = std::env::var("SPADEWORK_BENCH_OUT") {
            std::fs::write(std::path::Path::new(&folder).join(&name), save(&anew)?)?;
        }
    }
    Ok(())
}

fn maps() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let Some(folder) = std::env::var_os("SPADEWORK_MAPS") else { return Ok(vec![("made up".into(), hills())]) };
    let mut maps = vec![];
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "vxl") {
            maps.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), std::fs::read(&path)?));
        }
    }
    maps.sort();
    Ok(maps)
}

/// 512×512 columns of rolling ground, two colours each, a roof over every fourth.
fn hills() -> Vec<u8> {
    let mut bytes = vec![];
    for column in 0..512 * 512_u32 {
        let ground = 30 + (column % 512 / 16 + column / 512 / 16) as u8 % 30;
        let color = column.wrapping_mul(0x9e37_79b9).to_le_bytes();
        if column % 4 == 0 {
            bytes.extend([2, 10, 10, 0]);
            bytes.extend(color);
        }
        bytes.extend([0, ground, ground + 1, if column % 4 == 0 { 11 } else { 0 }]);
        bytes.extend([color, color].concat());
    }
    bytes
}

fn read(source: &MemorySource) -> Result<Document, spadework::format::FormatError> {
    Vxl.read(source, &Options::new(), &Progress::new(), &mut Report::new())
}

fn save(map: &Document) -> Result<Vec<u8>, spadework::format::FormatError> {
    let mut bytes = Vec::with_capacity(3 << 20);
    Vxl.write(map, &mut bytes, &Options::new(), &Progress::new(), &mut Report::new())?;
    Ok(bytes)
}

fn median(mut step: impl FnMut()) -> Duration {
    let mut times: Vec<_> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            step();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[RUNS / 2]
}

/// Masks, offsets and packed colours of every column, with every check that a strict reader makes.
struct Flat {
    solid: Vec<u64>,
    stored: Vec<u64>,
    offsets: Vec<u32>,
    colors: Vec<u32>,
}

fn walk(bytes: &[u8]) -> Option<Flat> {
    let columns = 512 * 512;
    let (solid, stored, offsets) = (Vec::with_capacity(columns), Vec::with_capacity(columns), Vec::with_capacity(columns));
    let mut flat = Flat { solid, stored, offsets, colors: Vec::with_capacity(bytes.len() / 4) };
    let below = |end: u32| if end >= 64 { u64::MAX } else { (1 << end) - 1 };
    let mut at = 0;
    for _ in 0..columns {
        flat.offsets.push(u32::try_from(at).ok()?);
        let (mut solid, mut stored, mut air) = (u64::MAX, 0, 0);
        loop {
            let &[n, s, e, _] = bytes.get(at..)?.first_chunk()?;
            let (n, s, end) = (u32::from(n), u32::from(s), u32::from(e) + 1);
            if end > 64 || s > end || s < air || (n > 0 && n <= end - s) {
                return None;
            }
            solid &= !(below(s) & !below(air));
            stored |= below(end) & !below(s);
            let count = if n == 0 { end - s } else { n - 1 };
            let next = at + 4 + 4 * count as usize;
            flat.colors.extend(bytes.get(at + 4..next)?.as_chunks().0.iter().map(|color| u32::from_le_bytes(*color)));
            at = next;
            if n == 0 {
                break;
            }
            air = u32::from(*bytes.get(at + 3)?);
            let bottom = count - (end - s);
            if air > 64 || air < end + bottom {
                return None;
            }
            stored |= below(air) & !below(air - bottom);
        }
        flat.solid.push(solid);
        flat.stored.push(stored);
    }
    (at == bytes.len() && flat.solid.len() == flat.stored.len()).then_some(flat)
}
