//! `corpus FOLDER`: writes the seeds of every target into `FOLDER/TARGET/`.

use std::path::PathBuf;

// Gives the program the counters that instrumented code asks for.
libfuzzer_sys::fuzz_target!(|_data: &[u8]| {});

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err(std::io::Error::other("usage: corpus FOLDER"));
    };
    for (target, seeds) in spadework_fuzz::seeds::all() {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in seeds.iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number}")), seed)?;
        }
    }
    Ok(())
}
