//! The whole program's arguments, and the end of every call: text, warnings, error line, exit code.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};

use anyhow::bail;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use super::error::{Unanswered, one_line};
use super::files::settings_trouble;
use super::output::is_unprintable;
use super::verb::examples_help;
use super::{Reply, VERBS};
use crate::editor::recovery::settle_noted_saves;
use crate::editor::storage::RealStorage;
use crate::editor::{crash, log, paths};

/// Verbs that look for interrupted saves themselves, and tell of them in their answers.
const SETTLING: [&str; 2] = ["recover", "doctor"];

/// Edits voxel maps of Ace of Spades: opens a window, or does one of the commands without one
#[derive(Debug, Parser)]
#[command(name = "spadework", version, args_conflicts_with_subcommands = true)]
struct Program {
    /// Maps to open in the window
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Runs the program with the arguments that it was started with; `open_window` is called where no verb is named.
pub fn main(open_window: fn(Vec<PathBuf>) -> anyhow::Result<()>) -> ExitCode {
    outlive_file_limits();
    finish(run(open_window))
}

/// A file that would grow beyond the limit of the process (`ulimit -f`) is an error, as on a full disk, and not its end.
#[cfg(unix)]
fn outlive_file_limits() {
    // Without a handler, which fails for no signal of this kind, it would be as before.
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false))).ok();
}

#[cfg(not(unix))]
fn outlive_file_limits() {}

fn run(open_window: fn(Vec<PathBuf>) -> anyhow::Result<()>) -> anyhow::Result<Reply> {
    let matches = command().try_get_matches()?;
    let called = matches.subcommand().and_then(|(name, arguments)| Some((VERBS.iter().find(|verb| verb.name == name)?, arguments)));
    match called {
        Some((verb, arguments)) => {
            crash::install(paths::reports_dir(), say);
            log::start();
            if !SETTLING.contains(&verb.name)
                && let Some(journals) = paths::journal_dir()
            {
                settle_noted_saves(&RealStorage, &journals).iter().for_each(|outcome| say(&format!("warning: {outcome}")));
            }
            (verb.run)(arguments)
        }
        None => {
            let files = Program::from_arg_matches(&matches)?.files;
            if let Some(word) = files.first().filter(|file| is_misspelt(file)) {
                let verbs: Vec<&str> = VERBS.iter().map(|verb| verb.name).collect();
                bail!(
                    "there is no command {:?} and no file of that name; the commands are {}",
                    word.display().to_string(),
                    verbs.join(", ")
                );
            }
            open_window(files).map(|()| Reply::default())
        }
    }
}

/// Whether the first argument looks like a command rather than like a file.
fn is_misspelt(file: &Path) -> bool {
    file.components().count() == 1 && file.extension().is_none() && !file.exists()
}

fn command() -> clap::Command {
    let first = VERBS.iter().filter_map(|verb| verb.examples.first());
    Program::command().subcommands(VERBS.iter().map(|verb| verb.command())).after_help(examples_help(first))
}

fn finish(result: anyhow::Result<Reply>) -> ExitCode {
    let reply = match result {
        Ok(reply) => reply,
        Err(error) => return fail(&error),
    };
    if let Some(trouble) = settings_trouble() {
        say(&format!("warning: {trouble}"));
    }
    for warning in &reply.warnings {
        say(&format!("warning: {warning}"));
    }
    for error in &reply.errors {
        say(error);
    }
    let mut out = io::stdout().lock();
    let written = out.write_all(printable(&reply.text).as_bytes()).and_then(|()| out.flush());
    ended(written, !reply.failed, if reply.failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// How a call ends whose output was written, or could not be.
fn ended(written: io::Result<()>, is_done: bool, code: ExitCode) -> ExitCode {
    match written {
        // Otherwise whoever reads the output has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            // Whoever asked for a save must not take it for a failed one.
            let rest = if is_done { "; everything else is done" } else { "" };
            fail(&anyhow::anyhow!("cannot write the output: {error}{rest}"))
        }
        _ => code,
    }
}

fn fail(error: &anyhow::Error) -> ExitCode {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        let printed = usage.print().and_then(|()| io::stdout().flush());
        // Help and version come this way, too.
        return if usage.exit_code() == 0 { ended(printed, false, ExitCode::SUCCESS) } else { ExitCode::from(2) };
    }
    say(&error.to_string());
    if error.is::<Unanswered>() { ExitCode::from(2) } else { ExitCode::FAILURE }
}

fn say(text: &str) {
    // Nowhere is left to tell that standard error is closed.
    writeln!(io::stderr(), "spadework: {}", printable(&one_line(text))).ok();
}

/// What a terminal shows as it is: names of files and maps may hold what moves its cursor or turns its text around.
fn printable(text: &str) -> String {
    let is_odd = |letter: char| is_unprintable(letter) && letter != '\n' && letter != '\t';
    if !text.contains(is_odd) {
        return text.into();
    }
    text.chars()
        .flat_map(|letter| {
            if is_odd(letter) { letter.escape_unicode().collect::<String>() } else { letter.to_string() }.chars().collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_that_moves_its_cursor() {
        assert_eq!(printable("a\u{1b}[2J\tb\n\u{202e}c\r"), "a\\u{1b}[2J\tb\n\\u{202e}c\\u{d}");
        assert_eq!(printable("512×512 – жé"), "512×512 – жé");
    }

    #[test]
    fn the_arguments_fit_together() {
        command().debug_assert();
    }

    #[test]
    fn a_word_that_is_no_file_is_a_command_misspelt() {
        for (word, expected) in [("frob", true), ("frob.vxl", false), ("a/frob", false)] {
            assert_eq!(is_misspelt(Path::new(word)), expected, "{word}");
        }
    }

    #[test]
    fn files_open_in_the_window_and_verbs_do_not() {
        let parse = |words: &[&str]| command().try_get_matches_from([&["spadework"], words].concat());
        let files = |words: &[&str]| Program::from_arg_matches(&parse(words).unwrap()).unwrap().files.len();
        assert_eq!((files(&[]), files(&["a.vxl", "b.vmf"]), files(&["./info"])), (0, 2, 1));
        assert_eq!(parse(&["info", "a.vxl"]).unwrap().subcommand_name(), Some("info"));
        for wrong in [&["info"][..], &["--what"], &["info", "a", "b"], &["convert", "a.vxl", "b.vxl", "--set", "depth=3"]] {
            assert_eq!(parse(wrong).unwrap_err().exit_code(), 2, "{wrong:?}");
        }
    }
}
