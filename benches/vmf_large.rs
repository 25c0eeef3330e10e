//! The VMF text's own example, 1024×2048×512 (8.6 GB), opened, saved and verified within 1 GiB of memory.
//!
//! Does nothing unless `SPADEWORK_LARGE` says which map: `full`, ten million voxels of any color over the whole ground, needs 8.6 GB in
//! the temporary folder; `sparse`, the same on each 64th row only, little where files can have holes. Run with
//! `SPADEWORK_LARGE=full cargo bench --no-default-features --bench vmf_large`.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use spadework::document::{Options, Progress};
use spadework::format::{Report, Source, map_format};

const SIZE: [u32; 3] = [1024, 2048, 512];
/// Memory that the whole trial may take.
const LIMIT_KIB: u64 = 1024 * 1024;

/// A file that is read where it is asked for.
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

/// Counts what is written to it.
#[derive(Default)]
struct Counter {
    bytes: u64,
}

impl Write for Counter {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.bytes += buffer.len() as u64;
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn main() -> Result<()> {
    let every = match std::env::var("SPADEWORK_LARGE").as_deref() {
        Ok("full" | "1") => 1,
        Ok("sparse") => 64,
        _ => {
            println!("skipped: set SPADEWORK_LARGE=full, or sparse, to open and save a VMF map of 8.6 GB");
            return Ok(());
        }
    };
    let vmf = map_format("vmf").context("vmf is not registered")?;
    let (options, progress) = (Options::new(), Progress::new());
    let mut file = tempfile::tempfile()?;
    let (solid, surface) = timed("make", || make(&mut file, every))?;
    println!("{solid} solid voxels, of them {surface} of any color near the surface");
    let source = FileSource { length: file.metadata()?.len(), file };
    println!("{} bytes; before opening: {} MiB at peak", source.length, peak_kib()? / 1024);
    let document = timed("open", || Ok(vmf.read(&source, &options, &progress, &mut Report::new())?))?;
    println!("opened: {} MiB in chunks, {} MiB at peak", document.store().size_bytes() >> 20, peak_kib()? / 1024);
    ensure!(document.store().solid_count() == solid, "voxels are missing");
    let report = timed("preflight", || Ok(vmf.preflight(&document, &options)))?;
    ensure!(report.warnings.is_empty(), "an unedited map loses nothing: {report:?}");
    let mut counter = Counter::default();
    timed("save", || Ok(vmf.write(&document, &mut counter, &options, &progress, &mut Report::new())?))?;
    ensure!(counter.bytes == source.length, "saved {} bytes", counter.bytes);
    timed("verify", || Ok(vmf.verify(&document, &source, &options, &progress)?))?;
    println!("at the end: {} MiB at peak", peak_kib()? / 1024);
    ensure!(peak_kib()? < LIMIT_KIB, "more than 1 GiB");
    Ok(())
}

fn timed<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let done = work()?;
    println!("{what}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(done)
}

/// Writes ridges with five voxels of any colour on top and ground of 16 colours below, on every so many rows; air is a hole.
fn make(file: &mut File, every: u32) -> Result<(u64, u64)> {
    let [x_size, y_size, z_size] = SIZE;
    let mut header = vec![0; 91];
    for (offset, value) in [(65, x_size), (69, y_size), (73, z_size)] {
        header[offset..offset + 2].copy_from_slice(&(value as u16).to_le_bytes());
    }
    let mut out = BufWriter::with_capacity(1 << 20, &mut *file);
    out.write_all(&header)?;
    let (mut solid, mut surface, mut column) = (0, 0, vec![]);
    for x in 0..x_size {
        if x % every != 0 {
            out.seek_relative(8 * i64::from(y_size) * i64::from(z_size))?;
            continue;
        }
        for y in 0..y_size {
            let wave = (x as f32 / 90.0).sin() + (y as f32 / 70.0).cos();
            let ground = (180.0 + 60.0 * wave) as u32;
            column.clear();
            for z in 0..ground {
                let noise = (x * 31 + y * 17 + z).wrapping_mul(0x9E37_79B9) >> 8;
                let color = if z + 5 >= ground { noise } else { noise % 16 };
                column.extend((1 << 32 | u64::from(color)).to_le_bytes());
            }
            out.write_all(&column)?;
            out.seek_relative(i64::from(z_size - ground) * 8)?;
            solid += u64::from(ground);
            surface += 5;
        }
    }
    out.flush()?;
    drop(out);
    let length = 91 + 8 * u64::from(x_size) * u64::from(y_size) * u64::from(z_size);
    file.set_len(length)?;
    file.seek(SeekFrom::Start(0))?;
    Ok((solid, surface))
}

/// Most memory this process has ever had resident.
fn peak_kib() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("this trial reads its memory from /proc")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM in /proc/self/status")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}
