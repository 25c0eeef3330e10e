//! `apply --ack`: a journal from the first command until the map is saved, and the numbers of the commands that
//! it holds on standard output, as soon as it holds them.
//!
//! The numbers cannot wait for the reply: whoever kills the program wants to know what is safe. So this is,
//! beside `progress`, the one place that writes while a verb runs.

use std::cell::{Cell, RefCell};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{anyhow, bail};

use super::Reply;
use super::error::one_line;
use crate::document::{Options, Snapshot};
use crate::edit::Command;
use crate::editor::background::Background;
use crate::editor::checkpoint::Checkpoint;
use crate::editor::files::{BeforePlacing, Opened, Stamps};
use crate::editor::journal::{Journal, JournalBase, JournalEntry, journal_path};
use crate::editor::recovery::journal_id;
use crate::editor::storage::{RealStorage, StoredPath};
use crate::editor::{JobMode, paths, seconds_now};

/// The number of the only save of a call.
const SAVE: u64 = 1;

fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// The journal of a script that runs.
pub struct Safekeeping {
    journal: Journal,
    /// When the next recovery snapshot is due, and what writes it.
    checkpoint: RefCell<Checkpoint>,
    background: Background,
    id: String,
    output: PathBuf,
    /// Commands that were carried out.
    commands: Cell<u64>,
    /// Those of them that were in the journal when the map was about to be saved.
    kept: Cell<u64>,
}

impl Safekeeping {
    /// Begins a journal of the map that will be `to`, saved with such options, and was opened as `from`. What is there now may be replaced where
    /// `overwrite` says so.
    ///
    /// # Errors
    /// If the system has no folder for it. What else is wrong shows at the first command.
    pub fn begin(opened: &Opened, (from, to): (&Path, &Path), overwrite: bool, asked: Options) -> anyhow::Result<Self> {
        let folder =
            paths::journal_dir().ok_or_else(|| anyhow!("the system has no folder for journals; set {}", paths::STATE_DIR_VARIABLE))?;
        // The next start may be in another folder.
        let output = whole(to);
        let is_same = whole(from) == output;
        let stamps = match (is_same, overwrite) {
            (true, _) => Stamps(opened.stamps.0.iter().map(|(path, stamp)| (whole(path), *stamp)).collect()),
            (false, true) => Stamps::of_place(&RealStorage, &output),
            (false, false) => Stamps::default(),
        };
        let now = seconds_now();
        let path = journal_path(&folder, Some(&output), now, 0);
        let id = journal_id(&path);
        let mut base = JournalBase::of_opened(opened, from);
        // Recovery may run in another folder.
        if let JournalBase::Opened { file: Some(file), .. } = &mut base {
            *file = whole(from);
        }
        let journal = Journal::start_asked(Arc::new(RealStorage), path, Some(&output), base, (stamps, asked), now);
        let (failure, put_aside) = (journal.failure_later(), journal.take_put_aside_later());
        let told = Mutex::new(None);
        let journal = journal.waking(Arc::new(move || {
            put_aside().iter().for_each(|path| tell_put_aside(path));
            let (mut told, failure) = (told.lock().unwrap_or_else(PoisonError::into_inner), failure());
            let is_lasting = failure.as_ref().map(|(_, is_lasting)| *is_lasting);
            if is_lasting != *told {
                tell(failure.as_ref());
                *told = is_lasting;
            }
        }));
        let (checkpoint, background) = (RefCell::default(), Background::new(JobMode::Threads));
        Ok(Self { journal, checkpoint, background, id, output, commands: Cell::new(0), kept: Cell::new(0) })
    }

    /// Notes a command that was carried out and made that document; its number is printed when the journal holds it. Where the journal
    /// fails, that is told at once and at the end; the work goes on, and no number is printed.
    pub fn keep(&self, command: Command, document: &Snapshot) {
        self.commands.update(|commands| commands + 1);
        let cost = command.cost_in(document);
        let entry = JournalEntry::Do { command, at: seconds_now() };
        let mut checkpoint = self.checkpoint.borrow_mut();
        if self.journal.take_made_anew() {
            // Its recovery snapshot went, too.
            checkpoint.make_due();
        }
        checkpoint.note(&entry, cost);
        self.journal.append_then(entry, |number| {
            let mut out = io::stdout().lock();
            // Whoever reads the numbers may have seen enough; the journal is kept all the same.
            writeln!(out, "{number}").and_then(|()| out.flush()).ok();
        });
        if let Some(write) = checkpoint.due(&self.journal, document, Arc::new(RealStorage)) {
            self.background.run(write);
        }
    }

    /// Waits until every command is on the disk, or the journal failed, and notes that the map is being saved.
    pub fn begin_saving(&self) {
        self.journal.append(JournalEntry::Saving { number: SAVE });
        self.journal.flush();
        self.kept.set(kept(&self.journal, self.commands.get()));
    }

    /// What notes which files the save puts in place.
    pub fn placing(&self) -> BeforePlacing {
        let placing = self.journal.placing();
        // The next start may be in another folder.
        BeforePlacing::new(move |files| placing.tell(&Stamps(files.0.iter().map(|(path, stamp)| (whole(path), *stamp)).collect())))
    }

    /// Removes the journal of a map that was saved, where its files hold all of it; that of another stays, and the answer tells its name.
    ///
    /// # Errors
    /// The one it is given.
    pub fn end(self, result: anyhow::Result<(Reply, Option<&str>)>) -> anyhow::Result<Reply> {
        // A snapshot that is being written must not outlive its journal.
        drop(self.background);
        let commands = self.commands.get();
        match result {
            // What only the journal holds is not told to be safe and thrown away then.
            Ok((mut reply, Some(because))) if kept(&self.journal, commands) > 0 => {
                self.journal.flush();
                if let Some((which, why)) = lost(&self.journal, commands, self.kept.get()) {
                    reply.errors.push(format!("{which} are in no journal: {why}"));
                    reply.failed = true;
                }
                let id = &self.id;
                reply.text.push_str(&format!(
                    "The journal stays, because {because}; spadework recover {id} -o OUT saves it elsewhere, \
                     spadework recover --discard {id} deletes it\n"
                ));
                Ok(reply)
            }
            Ok((mut reply, _)) => {
                if let Some((which, why)) = lost(&self.journal, commands, self.kept.get()) {
                    reply.errors.push(format!("{which} were in no journal until the map was saved: {why}; the map holds them"));
                    reply.failed = true;
                }
                // Should it not be possible to remove it, it holds nothing that is not saved.
                let saved = JournalEntry::Saved {
                    number: Some(SAVE),
                    map: StoredPath(self.output),
                    format: None,
                    options: None,
                    stamps: Stamps::default(),
                };
                self.journal.append(saved);
                self.journal.discard();
                Ok(reply)
            }
            Err(error) => {
                self.journal.flush();
                let error = match lost(&self.journal, commands, 0) {
                    Some((which, why)) => anyhow!("{error}; {which} are in no journal: {why}"),
                    None => error,
                };
                match kept(&self.journal, commands) {
                    // What is left of it may be of use to somebody.
                    0 if self.journal.failure().is_some() => Err(error),
                    0 => {
                        self.journal.discard();
                        Err(error)
                    }
                    1 => bail!("{error}; 1 command is kept: spadework recover {} -o OUT", self.id),
                    kept => bail!("{error}; {kept} commands are kept: spadework recover {} -o OUT", self.id),
                }
            }
        }
    }
}

/// Commands that are in the journal; not the mark that a save began.
fn kept(journal: &Journal, commands: u64) -> u64 {
    journal.acknowledged().min(commands)
}

/// The commands that are not in the journal, and why; the first `before` of them count as kept.
fn lost(journal: &Journal, commands: u64, before: u64) -> Option<(String, String)> {
    let first = kept(journal, commands).max(before) + 1;
    let why = journal.failure().filter(|_| first <= commands)?;
    Some((format!("the commands from {first} on"), why))
}

/// Says where what others wrote into the journal is kept.
fn tell_put_aside(path: &Path) {
    let (id, path) = (journal_id(path), path.display());
    let text = format!(
        "spadework: warning: another Spadework wrote into the journal; what it wrote is kept in {path}: spadework recover {id} -o OUT"
    );
    // Who closed standard error reads nothing.
    writeln!(io::stderr().lock(), "{}", one_line(&text)).ok();
}

/// Says that the journal fails, or that it goes on, when it does: whoever waits for numbers waits in vain meanwhile.
fn tell(failure: Option<&(String, bool)>) {
    let text = match failure {
        Some((failure, true)) => format!("spadework: warning: commands are not kept any more, the script goes on: {failure}"),
        Some((failure, false)) => format!("spadework: warning: commands are not kept for now, the script goes on: {failure}"),
        None => "spadework: warning: commands are kept again".into(),
    };
    // Who closed standard error reads nothing.
    writeln!(io::stderr().lock(), "{}", one_line(&text)).ok();
}
