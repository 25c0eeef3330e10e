//! What a verb is: its names and examples as data, its arguments, and the function that does it.

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};

use super::Reply;
use super::settings::{EXPORT_SETTINGS, SETTINGS, exports_help, settings_help};

/// One way to call a verb; the tests run it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// As typed, words separated by single spaces.
    pub line: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// A command of the command line.
#[derive(Debug)]
pub struct Verb {
    /// What is typed.
    pub name: &'static str,
    /// One sentence for the list of commands.
    pub about: &'static str,
    /// Shown below the help; at least one.
    pub examples: &'static [Example],
    /// Adds the verb's arguments.
    pub(super) arguments: fn(Command) -> Command,
    /// Does it. An error that is a [`clap::Error`] is a wrong call.
    pub(super) run: fn(&ArgMatches) -> anyhow::Result<Reply>,
}

impl Verb {
    /// The verb as clap parses it, with its examples in the help.
    pub(super) fn command(&self) -> Command {
        // The arguments bring a description of their own: that of the last flattened struct.
        let command = (self.arguments)(Command::new(self.name)).about(self.about);
        let mut notes = examples_help(self.examples);
        if command.get_arguments().any(|argument| argument.get_id() == SETTINGS) {
            notes.push_str("\n\nOptions of the formats for --set:\n");
            notes.push_str(&settings_help());
        }
        if command.get_arguments().any(|argument| argument.get_id() == EXPORT_SETTINGS) {
            notes.push_str("\n\nExports, and their options for --set:\n");
            notes.push_str(&exports_help());
        }
        command.after_help(notes)
    }

    /// The error for arguments that do not go together: the program exits with 2.
    pub(super) fn wrong_call(&self, message: &str) -> anyhow::Error {
        self.command().bin_name(format!("spadework {}", self.name)).error(ErrorKind::ArgumentConflict, message).into()
    }
}

/// The examples as a block of help.
pub(super) fn examples_help<'a>(examples: impl IntoIterator<Item = &'a Example>) -> String {
    let lines: Vec<String> = examples.into_iter().map(|example| format!("  {}\n      {}", example.line, example.about)).collect();
    format!("Examples:\n{}", lines.join("\n"))
}
