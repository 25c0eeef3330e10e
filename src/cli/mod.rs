//! The command line: headless verbs on the same files, checks and commands as the window.
//!
//! A verb is one file here plus one entry in [`VERBS`]; help, parsing and the tests come from that list.
//! A verb answers a [`Reply`] or an error; only [`main`] writes to the terminal and decides the exit code:
//! 0 done, 1 failed (one line on standard error), 2 not understood, or not compared where 1 says that maps differ. The exceptions are how far a long call
//! has come (`progress`), on standard error, and the numbers of `apply --ack` (`safekeeping`).

mod apply;
mod args;
mod check;
mod convert;
mod diff;
mod doctor;
mod error;
mod export;
mod files;
mod import;
mod info;
mod new;
mod output;
mod place;
mod progress;
mod recover;
mod render;
mod safekeeping;
mod settings;
mod verb;

pub use args::main;
pub use output::Reply;
pub use verb::{Example, Verb};

/// Every verb, in the order of the help.
pub const VERBS: &[&Verb] = &[
    &info::VERB,
    &convert::VERB,
    &diff::VERB,
    &new::VERB,
    &import::VERB,
    &export::VERB,
    &render::VERB,
    &apply::VERB,
    &recover::VERB,
    &check::VERB,
    &doctor::VERB,
];
