//! How long opening and saving a VXL map and finding its surface take, against Y: the fastest strict walk over
//! the same bytes into flat column arrays, one thread, in the same run.
//!
//! Works on the starter map and on every `*.vxl` of the folder that `SPADEWORK_MAPS` names. Prints the median of
//! each step and its ratio to Y, map by map. Targets: open 3, encode with every column touched 4, surface 0.3.

use std::hint::black_box;
use std::time::{Duration, Instant};

use spadework::document::{Document, GameProfile, Options, Progress};
use spadework::format::vxl::Vxl;
use spadework::format::{FormatError, MapFormat as _, MemorySource, Report};
use spadework::terrain::{Params, generator};
use spadework::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Outside, Paint, StoreEdit, Voxel, surface_of_chunk};

/// Turns of each step and of the yardstick beside it, and runs in a turn; the median of all of them counts.
const TURNS: usize = 7;
const RUNS: usize = 5;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let steps = ["open", "save as it was", "one voxel", "all recolored", "from nothing", "surface"];
    println!("{:<20} {:>8} {}", "map", "Y", steps.map(|step| format!("{step:>15}")).concat());
    for (name, bytes) in maps()? {
        measure(&name, &bytes)?;
    }
    Ok(())
}

fn measure(name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let source = MemorySource(bytes.into());
    let map = read(&source)?;
    let mut flat = Flat::default();
    flat.walk(bytes).ok_or("the yardstick cannot read the map")?;
    check(&flat, &map)?;

    let mut edit = StoreEdit::new(map.store());
    edit.set(glam::IVec3::new(200, 200, 10), Some(Voxel::new(spadework::voxel::Rgb::new(1, 2, 3))));
    let one = with(&map, edit)?;
    let all = recolored(&map)?;
    let mut anew = map.clone();
    anew.source = None;
    let mut bytes_out = vec![];

    let mut y = Yardstick { bytes, flat, times: vec![] };
    let times = [
        y.compare(|| read(&source)),
        y.compare(|| save_into(&map, &mut bytes_out)),
        y.compare(|| save_into(&one, &mut bytes_out)),
        y.compare(|| save_into(&all, &mut bytes_out)),
        y.compare(|| save_into(&anew, &mut bytes_out)),
        y.compare(|| surface(&map)),
    ];
    let show = |(time, ratio): (Duration, f64)| format!("{:>8.2} ms {ratio:>3.2}", time.as_secs_f64() * 1e3);
    println!("{name:<20} {:>5.2} ms {}", median(&mut y.times).as_secs_f64() * 1e3, times.map(show).concat());
    Ok(())
}

/// The starter map, then those of the folder by name.
fn maps() -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let store = generator("island").ok_or("the island is missing")?.generate(&Params::game(1), &Progress::new())?;
    let mut maps = vec![("starter map".to_owned(), save(&Document::new(store, &GameProfile::ACE_OF_SPADES))?)];
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

fn read(source: &MemorySource) -> Result<Document, FormatError> {
    Vxl.read(source, &Options::new(), &Progress::new(), &mut Report::new())
}

fn save(map: &Document) -> Result<Vec<u8>, FormatError> {
    let mut bytes = vec![];
    save_into(map, &mut bytes)?;
    Ok(bytes)
}

/// Saves to memory that is used again and again, as the yardstick's is.
fn save_into(map: &Document, bytes: &mut Vec<u8>) -> Result<(), FormatError> {
    bytes.clear();
    Vxl.write(map, bytes, &Options::new(), &Progress::new(), &mut Report::new())
}

fn surface(map: &Document) -> u32 {
    let chunks = map.store().chunks();
    chunks.map(|(pos, _)| black_box(surface_of_chunk(map.store(), pos, Outside::GAME))[0]).fold(0, |all, mask| all ^ mask)
}

fn with(map: &Document, edit: StoreEdit) -> Result<Document, Failure> {
    let mut after = map.clone();
    after.store_mut(0).ok_or("a document has a volume")?.apply(&edit.finish());
    Ok(after)
}

/// The map with another color for every voxel of known color: no column stays as it was.
fn recolored(map: &Document) -> Result<Document, Failure> {
    let mut edit = StoreEdit::new(map.store());
    for (pos, chunk) in map.store().chunks() {
        let dense = edit.dense_mut(pos);
        for column in 0..CHUNK_COLUMNS {
            for z in 0..CHUNK_EDGE as u32 {
                if let Some(mut voxel) = chunk.voxel(column, z).filter(|voxel| voxel.paint.is_some()) {
                    voxel.paint = voxel.paint.map(|paint| Paint::from_word(paint.to_word() ^ 0x0001_0101));
                    dense.set(column, z, Some(voxel));
                }
            }
        }
    }
    with(map, edit)
}

struct Yardstick<'a> {
    bytes: &'a [u8],
    flat: Flat,
    /// Of every run that was timed.
    times: Vec<Duration>,
}

impl Yardstick<'_> {
    /// Medians of a step's time and of the walk's, by turns: what the machine does meanwhile, both feel alike.
    fn compare<T>(&mut self, mut step: impl FnMut() -> T) -> (Duration, f64) {
        let (mut times, mut walks) = (vec![], vec![]);
        for _ in 0..TURNS {
            // The first of each turn finds the other's memory in the caches.
            self.walk();
            walks.extend((0..RUNS).map(|_| self.walk()));
            timed(&mut step);
            times.extend((0..RUNS).map(|_| timed(&mut step)));
        }
        let (time, walk) = (median(&mut times), median(&mut walks));
        self.times.extend(walks);
        (time, time.as_secs_f64() / walk.as_secs_f64())
    }

    fn walk(&mut self) -> Duration {
        let Self { bytes, flat, .. } = self;
        timed(&mut || black_box(&mut *flat).walk(black_box(bytes)))
    }
}

/// Without dropping what came out.
fn timed<T>(step: &mut impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(step());
    let time = start.elapsed();
    drop(result);
    time
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Columns of a map of the game.
const COLUMNS: usize = 512 * 512;

/// The yardstick: masks of every column and the colors in rank order. Its memory is used again and again.
#[derive(Default)]
struct Flat {
    solid: Vec<u64>,
    stored: Vec<u64>,
    colors: Vec<u32>,
}

impl Flat {
    /// Reads the columns with every check that a strict reader makes; `None` where one fails.
    fn walk(&mut self, bytes: &[u8]) -> Option<()> {
        self.solid.resize(COLUMNS, 0);
        self.stored.resize(COLUMNS, 0);
        self.colors.clear();
        self.colors.reserve(bytes.len() / 4);
        let below = |end: u32| if end >= 64 { u64::MAX } else { (1 << end) - 1 };
        // Every span is a header of four bytes and colors of four.
        let (mut words, []) = bytes.as_chunks::<4>() else { return None };
        for (to_solid, to_stored) in self.solid.iter_mut().zip(&mut self.stored) {
            // The usual column is one span with a color.
            if let Some((&[0, s, e, _], rest)) = words.split_first()
                && s <= e
                && e < 64
            {
                let (colors, rest) = rest.split_at_checked(usize::from(e - s) + 1)?;
                self.colors.extend(colors.iter().map(|color| u32::from_le_bytes(*color)));
                words = rest;
                (*to_solid, *to_stored) = (u64::MAX << s, u64::MAX << s & u64::MAX >> (63 - e));
                continue;
            }
            let (mut solid, mut stored, mut air) = (u64::MAX, 0, 0);
            loop {
                let (&[n, s, e, _], rest) = words.split_first()?;
                let (n, s, end) = (u32::from(n), u32::from(s), u32::from(e) + 1);
                if end > 64 || s > end || s < air || (n > 0 && n <= end - s) {
                    return None;
                }
                solid &= !(below(s) ^ below(air));
                stored |= below(end) ^ below(s);
                let count = if n == 0 { end - s } else { n - 1 };
                let (colors, rest) = rest.split_at_checked(count as usize)?;
                self.colors.extend(colors.iter().map(|color| u32::from_le_bytes(*color)));
                words = rest;
                if n == 0 {
                    break;
                }
                air = u32::from(words.first()?[3]);
                let bottom = count - (end - s);
                if air > 64 || air < end + bottom {
                    return None;
                }
                stored |= below(air) ^ below(air - bottom);
            }
            (*to_solid, *to_stored) = (solid, stored);
        }
        words.is_empty().then_some(())
    }
}

/// The yardstick must have read what the document holds.
fn check(flat: &Flat, map: &Document) -> Result<(), Failure> {
    let count = |masks: &[u64]| masks.iter().map(|mask| u64::from(mask.count_ones())).sum::<u64>();
    let known: u64 = map.store().chunks().map(|(_, chunk)| u64::from(chunk.known_count())).sum();
    let equal = count(&flat.solid) == map.store().solid_count() && count(&flat.stored) == known && known == flat.colors.len() as u64;
    if equal { Ok(()) } else { Err("the yardstick read another map".into()) }
}
