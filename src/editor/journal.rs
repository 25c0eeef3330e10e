//! The journal of an open map: every step since it was opened, so that a crash loses nothing.
//!
//! A file in the state folder, only ever appended to: a header, twice, each filled up to a whole disk block with blanks, then one
//! frame a step. A frame is one line, `LENGTH CRC JSON`, length of the JSON and CRC-32 of all JSON since the header as eight hexadecimal digits each. Beside it lies a
//! copy of what the map was made from, because the map's own file may change, and of a map that came from a recovery snapshot alone that
//! map as it was, its [`Origin`]. One named thread a map
//! writes at once and syncs soon after; nobody waits for it.

mod aside;
mod base;
mod copies;
mod entries;
mod frames;
mod keeper;
mod lines;
mod paths;
#[cfg(test)]
mod taken_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod watched_tests;
mod writer;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aside::Aside;
pub(super) use aside::{copies_of_none, copies_stem, remove_aside, started_from};
pub(super) use base::ROOMY_FORMAT;
pub use base::{JournalBase, OriginMap};
pub use entries::{Entries, EntryKind};
use frames::FrameWriter;
#[cfg(test)]
pub(in crate::editor) use frames::first_lines;
pub(super) use frames::most_entries;
pub use frames::{JournalContent, JournalMark, JournalVersion, damage_text, read_journal, read_journal_of};
pub(super) use frames::{base_stem, frame, next_frame};
pub(super) use keeper::lock_again;
use keeper::{Terms, Told, clear_away, run};
pub use lines::{JournalEntry, JournalHeader, Origin};
use paths::{ORIGIN, is_copy_beside_journal, remove_if_there};
pub(super) use paths::{is_beside_journal, lock_path, note_path, remove_journal};
pub use paths::{journal_path, snapshot_path};
use writer::Writer;

use super::files::{BeforePlacing, SaveError, Stamps};
use super::jobs::Waker;
use super::storage::{ContentHash, FileLock, Storage, StorageAction, StorageError, StoredPath, replace_file, replace_file_anew};
use crate::document::Options;
use crate::edit::COMMAND_VERSION;

/// Longest time between a step and its sync.
const SYNC_AFTER: Duration = Duration::from_millis(200);

/// Most steps that wait for a disk that fails, and most bytes that they take as lines.
const MOST_WAITING: usize = 100_000;
const MOST_WAITING_BYTES: u64 = 64 << 20;

/// Why a journal is not kept. The map can be edited all the same.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// A file cannot be written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A new map cannot be saved beside the journal.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// A map that was opened without bytes and without a file.
    #[error("there is no file to keep a copy of")]
    NothingToCopy,
    /// Somebody wrote the map's file before it was copied.
    #[error("the file changed before it was copied")]
    BaseChanged,
    /// Another process holds the journal.
    #[error("another Spadework holds the journal")]
    Held,
    /// Where a new journal was to begin, there is one already.
    #[error("there is another journal of that name; save the map, close it and open it again")]
    Taken,
    /// Its file was removed, replaced or cut: it is made anew at once, and tried again where the disk does not take it.
    #[error("somebody removed the journal or changed it")]
    Gone,
    /// Its files were removed or cut, and what they held cannot be had again.
    #[error("somebody removed the journal or changed it, and it cannot be made anew; save the map, close it and open it again")]
    Lost,
    /// The disk fails for so long that no more steps can wait for it.
    #[error(
        "so many steps wait for its disk that no more are kept ({reason}); save the map, close it and open it again once the disk works"
    )]
    TooMuchWaits {
        /// What the disk failed with last.
        reason: String,
    },
    /// It grew to its greatest length.
    #[error("the journal is full with {} MB; save the map, close it and open it again", limit / 1_000_000)]
    Full {
        /// The greatest length, in bytes.
        limit: u64,
    },
    /// An internal error, which was reported, ended its thread.
    #[error("the journal broke off after an internal error; save the map, close it and open it again")]
    Broken,
    /// The thread cannot be started.
    #[error("the journal cannot be started: {0}")]
    Thread(#[from] io::Error),
}

impl JournalError {
    /// Whether trying again later does not help.
    fn is_lasting(&self) -> bool {
        !matches!(self, Self::Storage(_) | Self::Save(_) | Self::Gone | Self::Held)
    }
}

/// Called with the number of an entry, on the journal's thread, when the entry is in the file.
type Acknowledge = Box<dyn FnOnce(u64) + Send>;

/// How a journal begins.
struct Begun {
    /// Its first lines, where they are not there yet.
    lines: Option<Vec<u8>>,
    /// Makes the lines that follow.
    frames: FrameWriter,
    /// The copies that lie beside it, as in [`JournalHeader::base`].
    base: Vec<(StoredPath, ContentHash)>,
}

/// What is told to the thread.
enum Message {
    Append(Box<JournalEntry>, Option<Acknowledge>),
    Flush(Sender<()>),
    Mark(Sender<Option<JournalMark>>),
    Discard,
}

/// The journal of one open map. Dropping it keeps the file, as a crash does.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// Only shortly held by others: the thread ends once it is dropped.
    sender: Option<Arc<Sender<Message>>>,
    told: Arc<Told>,
    acknowledged: Arc<AtomicU64>,
    appended: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Journal {
    /// Begins the journal `path` of a map that was just opened or made. Failures show in [`failure`](Self::failure).
    pub fn start(storage: Arc<dyn Storage>, path: PathBuf, map: Option<&Path>, base: JournalBase, stamps: Stamps, at: u64) -> Self {
        Self::start_asked(storage, path, map, base, (stamps, Options::new()), at)
    }

    /// As [`start`](Self::start), of a map that is to be saved with such options of its format.
    pub fn start_asked(
        storage: Arc<dyn Storage>,
        path: PathBuf,
        map: Option<&Path>,
        base: JournalBase,
        (stamps, asked): (Stamps, Options),
        at: u64,
    ) -> Self {
        let map = map.map(StoredPath::from);
        let read = if let JournalBase::Opened { file: Some(file), .. } = &base { Some(StoredPath::from(&**file)) } else { None };
        let from = read.filter(|file| map.as_ref() != Some(file));
        let last_object = base.last_object();
        Self::spawn(storage, path.clone(), None, 0, Arc::default(), Terms::default(), move |storage| {
            let copied = base.copy(storage, &path)?;
            let mut stamps = stamps.clone();
            copied.forget_uncopied(&mut stamps);
            let header = JournalHeader {
                version: COMMAND_VERSION,
                layout: frames::LAYOUT,
                app: env!("CARGO_PKG_VERSION").into(),
                map: map.clone(),
                from: from.clone(),
                format: copied.format.into(),
                options: copied.options,
                base: copied.files,
                stamps,
                at,
                asked: asked.clone(),
                of_snapshot: copied.of_snapshot,
                origin: copied.origin,
                last_object,
            };
            let (begin, frames) = FrameWriter::begin(&header).map_err(StorageError::at(StorageAction::Write, &path))?;
            Ok(Begun { lines: Some(begin), frames, base: header.base })
        })
    }

    /// Goes on with a journal that was recovered: the entries in `journal` stay. One that is whole, and still is what was read, is
    /// gone on with as it is; else it is written anew. What was read beyond those entries, and what somebody wrote there since, is put aside.
    pub fn resume(storage: Arc<dyn Storage>, path: PathBuf, journal: &JournalContent, lock: FileLock) -> Self {
        let (journal, noted) = (journal.clone(), journal.entries.len() as u64);
        let told = Arc::new(Told::default());
        let (teller, mut begun, mut kept) = (told.clone(), None, None);
        let held = (lock, journal.entries.source_len());
        Self::spawn(storage, path.clone(), Some(held), noted, told, Terms::default(), move |storage| {
            let now = match storage.info(&path) {
                Err(error) if !error.is_not_found() => return Err(error.into()),
                info => info.ok().map(|info| info.len),
            };
            // Once it was written anew, that is what lies there, unless others came between.
            let is_cut = begun.is_none() && (journal.damage.is_some() || !journal.entries.is_all());
            let read = begun.unwrap_or(journal.entries.source_len());
            let has_changed = now.is_some_and(|now| now != read);
            if now != kept && (is_cut || has_changed) {
                let there = if has_changed { read_journal_of(storage.open(&path)?) } else { None };
                // Cut, or with what is no step behind it, it still is the one that was read.
                let is_others = there.is_some_and(|there| there.is_newer || !journal.checksums.starts_with(&there.checksums));
                // What a newer Spadework wrote is of use to that one.
                let is_newer = begun.is_none() && journal.is_newer;
                let what = if is_others || is_newer { Aside::Journal } else { Aside::Damaged };
                let aside = aside::put_aside(storage, &path, what)?;
                kept = now;
                if what == Aside::Journal {
                    teller.put_aside(aside);
                }
            }
            if let Some((base, _)) = journal.header.base.first()
                && !storage.exists(&path.with_file_name(base.0.file_name().unwrap_or_default()))?
            {
                // Others saved the map and closed it: what the steps start from is gone.
                return Err(JournalError::Lost);
            }
            let remove = |stale: PathBuf| if storage.exists(&stale)? { storage.remove(&stale) } else { Ok(()) };
            // One that cannot be written to, of another user, is written anew.
            let is_writable = storage.check_writable(&path).is_ok();
            let is_kept = now == Some(read) && begun.is_none() && is_writable;
            let frames = match FrameWriter::behind(&journal).filter(|_| is_kept) {
                Some(frames) => frames,
                None => {
                    let failed = |error| StorageError::at(StorageAction::Write, &path)(error);
                    let (mut bytes, mut frames) = FrameWriter::begin(&journal.header).map_err(failed)?;
                    let mut written = 0;
                    for entry in journal.entries.iter() {
                        bytes.extend(frames.entry(&entry).map_err(failed)?);
                        written += 1;
                    }
                    if written < journal.entries.len() {
                        // It was cut under whoever read it: without some of them, those that follow lead elsewhere.
                        return Err(JournalError::Lost);
                    }
                    let replace = if is_writable { replace_file } else { replace_file_anew };
                    replace(storage, &path, &bytes)?;
                    begun = Some(bytes.len() as u64);
                    // It may be about steps that the journal ends before.
                    remove(snapshot_path(&path))?;
                    frames
                }
            };
            Ok(Begun { lines: None, frames, base: journal.header.base.clone() })
        })
    }

    fn spawn(
        storage: Arc<dyn Storage>,
        path: PathBuf,
        held: Option<(FileLock, u64)>,
        noted: u64,
        told: Arc<Told>,
        terms: Terms,
        begin: impl FnMut(&dyn Storage) -> Result<Begun, JournalError> + Send + 'static,
    ) -> Self {
        let (sender, receiver) = mpsc::channel();
        let shared = told.clone();
        let acknowledged = Arc::new(AtomicU64::new(noted));
        let (counter, appended, own) = (acknowledged.clone(), Arc::new(AtomicU64::new(noted)), path.clone());
        let work = move || {
            // Held to the end, so that nobody else takes the journal for a leftover.
            let mut writer = Writer::new(&*storage, &path, begin, &counter, held, &shared, terms);
            // A panic was printed.
            let ran = catch_unwind(AssertUnwindSafe(|| run(&mut writer, &receiver)));
            if let Err(error) = ran.unwrap_or(Err(JournalError::Broken)) {
                shared.fail(Some(&error));
                clear_away(&mut writer, &receiver);
            }
        };
        match thread::Builder::new().name("journal".into()).spawn(work) {
            Ok(thread) => Self { path: own, sender: Some(Arc::new(sender)), told, acknowledged, appended, thread: Some(thread) },
            Err(error) => {
                told.fail(Some(&error.into()));
                Self { path: own, sender: None, told, acknowledged, appended, thread: None }
            }
        }
    }

    /// Notes a step and answers its number, from 1. Never waits; see [`acknowledged`](Self::acknowledged).
    pub fn append(&self, entry: JournalEntry) -> u64 {
        self.send(Message::Append(Box::new(entry), None));
        self.appended.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// As [`append`](Self::append); calls `acknowledge` with the number, on the journal's thread, once the entry
    /// is in the file: of an entry that a failure keeps out, never.
    pub fn append_then(&self, entry: JournalEntry, acknowledge: impl FnOnce(u64) + Send + 'static) -> u64 {
        self.send(Message::Append(Box::new(entry), Some(Box::new(acknowledge))));
        self.appended.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Entries that were noted, in the file or on their way there.
    pub fn appended(&self) -> u64 {
        self.appended.load(Ordering::Relaxed)
    }

    /// Waits until everything noted so far is on the disk: for the end of the program and for tests.
    pub fn flush(&self) {
        let (done, wait) = mpsc::channel();
        self.send(Message::Flush(done));
        // An error means that the thread is gone; why stands in `failure`.
        wait.recv().ok();
    }

    /// What notes, on any thread and while the journal is open, that files are about to be put in place, and waits until it is on the disk
    /// or the journal cannot be kept.
    pub fn placing(&self) -> BeforePlacing {
        let (sender, appended) = (self.sender.as_ref().map(Arc::downgrade).unwrap_or_default(), self.appended.clone());
        BeforePlacing::new(move |files| {
            let (done, wait) = mpsc::channel();
            if let Some(sender) = sender.upgrade() {
                appended.fetch_add(1, Ordering::Relaxed);
                // As in `send`.
                sender.send(Message::Append(Box::new(JournalEntry::Placing { files: files.clone() }), None)).ok();
                sender.send(Message::Flush(done)).ok();
                drop(sender);
                wait.recv().ok();
            }
        })
    }

    /// What answers the place after everything noted so far, once the journal's thread got there; `None` where it cannot get there.
    pub fn mark(&self) -> impl FnOnce() -> Option<JournalMark> + Send + use<> {
        let (answer, wait) = mpsc::channel();
        self.send(Message::Mark(answer));
        move || wait.recv().ok().flatten()
    }

    /// Entries that are in the journal's file: no kill of the process loses them any more. The number of
    /// an entry is its place in the file, from 1.
    pub fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Acquire)
    }

    /// Deletes the journal: the map was closed, and nothing of it is needed any more.
    pub fn discard(mut self) {
        self.send(Message::Discard);
        self.finish();
    }

    /// Why steps are not in the file; `None` while all is well. A disk that fails is tried again: what waits is written
    /// as soon as it can be.
    pub fn failure(&self) -> Option<String> {
        self.told.failure()
    }

    /// Whether [`failure`](Self::failure) stays for the rest of the session.
    pub fn is_failure_lasting(&self) -> bool {
        self.told.is_lasting()
    }

    /// Calls `waker`, on the journal's thread, when [`failure`](Self::failure) changes or something was put aside.
    #[must_use]
    pub fn waking(self, waker: Waker) -> Self {
        self.told.wake_with(waker);
        self
    }

    /// Whether its files were removed and made anew since this was asked last: what else lay in the folder may be gone, too.
    pub fn take_made_anew(&self) -> bool {
        self.told.take_made_anew()
    }

    /// Files in which what others wrote into the journal was kept since this was asked last.
    pub fn take_put_aside(&self) -> Vec<PathBuf> {
        self.told.take_put_aside()
    }

    /// What answers [`take_put_aside`](Self::take_put_aside) at any later time.
    pub fn take_put_aside_later(&self) -> impl Fn() -> Vec<PathBuf> + Send + Sync + use<> {
        let told = self.told.clone();
        move || told.take_put_aside()
    }

    /// What answers [`failure`](Self::failure), and whether it [lasts](Self::is_failure_lasting), at any later time.
    pub fn failure_later(&self) -> impl Fn() -> Option<(String, bool)> + Send + Sync + use<> {
        let told = self.told.clone();
        move || told.failure().map(|failure| (failure, told.is_lasting()))
    }

    fn send(&self, message: Message) {
        if let Some(sender) = &self.sender {
            // The thread ends early only on a failure, which `failure` tells.
            sender.send(message).ok();
        }
    }

    fn finish(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // A panic there was printed; the journal is a safety net, not a reason to stop.
            thread.join().ok();
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.finish();
    }
}
