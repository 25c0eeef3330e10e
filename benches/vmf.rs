//! Opening and saving a VMF map of 512×512×64, as a multiple of reading the same file with `std::fs`.
//!
//! Run with `cargo bench --no-default-features --bench vmf`. Prints the best of five of each.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use spadework::document::{Options, Progress};
use spadework::format::{MapFormat, MemorySource, Report, Source, map_format};

const SIDE: u32 = 512;
const HEIGHT: u32 = 64;

/// A file that is read where it is asked for, as the application does.
struct FileSource {
    file: File,
    length: u64,
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }
}

fn main() -> Result<()> {
    let vmf = map_format("vmf").context("vmf is not registered")?;
    let folder = tempfile::tempdir()?;
    for (name, colors) in [("8 colors underground", 8), ("any color anywhere", u32::MAX)] {
        let path = folder.path().join("bench.vmf");
        std::fs::write(&path, hills(colors))?;
        println!("512×512×64, {name}");
        measure(vmf, &path)?;
    }
    Ok(())
}

fn measure(vmf: &dyn MapFormat, path: &Path) -> Result<()> {
    let (options, progress) = (Options::new(), Progress::new());
    let read_file = best(|| Ok(std::fs::read(path)?.len()))?;
    let open = || -> Result<_> {
        let file = File::open(path)?;
        let source = FileSource { length: file.metadata()?.len(), file };
        Ok(vmf.read(&source, &options, &progress, &mut Report::new())?)
    };
    let opened = best(open)?;
    let source = MemorySource(std::fs::read(path)?.into());
    let decoded = best(|| Ok(vmf.read(&source, &options, &progress, &mut Report::new())?))?;
    let document = open()?;
    let save = || -> Result<_> {
        let mut bytes = Vec::with_capacity(source.0.len());
        vmf.write(&document, &mut bytes, &options, &progress, &mut Report::new())?;
        Ok(bytes)
    };
    let saved = best(save)?;
    anyhow::ensure!(save()? == *source.0, "saving changed the file");
    let verified = best(|| Ok(vmf.verify(&document, &source, &options, &progress)?))?;
    let checked = best(|| Ok(vmf.preflight(&document, &options)))?;
    println!("  {:10} {:7.1} ms", "fs::read", millis(read_file));
    for (what, time) in [("open", opened), ("decode", decoded), ("save", saved), ("verify", verified), ("preflight", checked)] {
        println!("  {what:10} {:7.1} ms = {:4.1} × fs::read", millis(time), time.as_secs_f64() / read_file.as_secs_f64());
    }
    println!("  in memory  {:7.1} MB", document.store().size_bytes() as f64 / 1e6);
    Ok(())
}

/// The shortest of five runs.
fn best<T>(mut work: impl FnMut() -> Result<T>) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        black_box(work()?);
        best = best.min(start.elapsed());
    }
    Ok(best)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Hills of grass over ground of so many colours.
fn hills(colors: u32) -> Vec<u8> {
    let mut bytes = vec![0; 91];
    for (offset, value) in [(65, SIDE), (69, SIDE), (73, HEIGHT)] {
        bytes[offset..offset + 2].copy_from_slice(&(value as u16).to_le_bytes());
    }
    for x in 0..SIDE {
        for y in 0..SIDE {
            let wave = (x as f32 / 41.0).sin() + (y as f32 / 29.0).cos();
            let ground = (22.0 + 8.0 * wave) as u32;
            for z in 0..HEIGHT {
                let noise = (x * 31 + y * 17 + z).wrapping_mul(0x9E37_79B9) >> 8;
                let color = if z + 1 >= ground { noise } else { noise % colors };
                let kind = u64::from(z <= ground) << 32;
                let word = if kind == 0 { 0 } else { kind | u64::from(color) };
                bytes.extend(word.to_le_bytes());
            }
        }
    }
    bytes
}
