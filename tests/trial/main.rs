//! `trial`: kills the built program at random moments and looks at what is left.
//!
//! It calls the program as a person or a script does and compares files; it shares no code with it, so that
//! a fault in that code cannot hide itself. `./dev trial` builds and calls it.

mod headless;
mod map;
mod program;
mod random;
mod window;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};

const USAGE: &str = "trial PROGRAM kill KILLS KILLS_OF_THE_WINDOW [SEED]";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("trial: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [program, kind, kills, window_kills, seed @ ..] = &words[..] else { anyhow::bail!("usage: {USAGE}") };
    ensure!(kind == "kill" && seed.len() < 2, "usage: {USAGE}");
    let program = PathBuf::from(program).canonicalize().with_context(|| format!("no program at {program}"))?;
    let seed = match seed {
        [seed] => seed.parse().context("SEED is a number")?,
        _ => SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs()),
    };
    println!("seed {seed}");
    headless::run(&program, kills.parse().context("KILLS is a number")?, seed)?;
    window::run(&program, window_kills.parse().context("KILLS_OF_THE_WINDOW is a number")?, seed)
}
