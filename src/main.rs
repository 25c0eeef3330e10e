//! The `spadework` program: arguments decide between the window and the command line.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    spadework::cli::main(open_window)
}

#[cfg(feature = "gui")]
fn open_window(files: Vec<PathBuf>) -> anyhow::Result<()> {
    spadework::ui::run(files)
}

#[cfg(not(feature = "gui"))]
fn open_window(_: Vec<PathBuf>) -> anyhow::Result<()> {
    anyhow::bail!("this build has no window; `spadework --help` lists the commands that work without one")
}
