//! The file of a journal as its thread writes it: whole lines in order, what the disk did not take once more.
//!
//! No entry is acknowledged before its line is in the file and the file at its path: what somebody removed, replaced or cut is made anew.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::aside::{Aside, put_aside};
use super::copies::{Copies, KEPT_BYTES, Whose};
use super::frames::FrameWriter;
use super::keeper::{Terms, Told, lock_again};
use super::{Acknowledge, Begun, JournalEntry, JournalError, JournalMark, SYNC_AFTER, lock_path, remove_journal, snapshot_path};
use crate::editor::storage::{FileLock, FileWriter, Storage, StorageAction, StorageError, clear_way, folder_of, replace_file};

/// The file as the thread writes it.
pub(super) struct Writer<'a, B> {
    pub(super) storage: &'a dyn Storage,
    pub(super) path: &'a Path,
    begin: B,
    acknowledged: &'a AtomicU64,
    /// Keeps others from the journal.
    pub(super) lock: FileLock,
    /// Whether what lies at the path is ours to write: a new journal takes nobody's place.
    is_claimed: bool,
    pub(super) told: &'a Told,
    pub(super) terms: Terms,
    /// Makes the lines, once the journal is begun.
    frames: Option<FrameWriter>,
    /// Whether the beginning can be made once more.
    begins_anew: bool,
    /// `None` before the beginning, and after a failure.
    file: Option<Box<dyn FileWriter>>,
    /// Whether the disk tells one file from another: some that are far away do not.
    knows_files: bool,
    /// Whether it tells always the same of them, as far as is known.
    has_steady_numbers: bool,
    /// Bytes of the file that are whole lines, and entries in them; before the beginning, the bytes that were read.
    whole: u64,
    entries: u64,
    /// The place after them.
    place: Option<JournalMark>,
    /// Whether more than those may be in the file.
    is_torn: bool,
    /// Whether the file is not what was written.
    is_lost: bool,
    /// Bytes of what others wrote into it and was put aside, as long as it lies there.
    kept_len: Option<u64>,
    pub(super) copies: Copies,
    /// When what lies beside the file was looked at; `None` for at once.
    watched_at: Option<Instant>,
    /// Entries that are not in the file.
    pub(super) waiting: VecDeque<(Box<JournalEntry>, Option<Acknowledge>)>,
    /// Bytes that the first so many of them take as lines: counted where the disk fails.
    counted: Option<(usize, u64)>,
    /// The line of the first of them, once it was made: each goes on from the one before.
    line: Option<Vec<u8>>,
    pub(super) sync_at: Option<Instant>,
}

impl<'a, B: FnMut(&dyn Storage) -> Result<Begun, JournalError>> Writer<'a, B> {
    pub(super) fn new(
        storage: &'a dyn Storage,
        path: &'a Path,
        begin: B,
        acknowledged: &'a AtomicU64,
        held: Option<(FileLock, u64)>,
        told: &'a Told,
        terms: Terms,
    ) -> Self {
        let (is_claimed, read) = (held.is_some(), held.as_ref().map_or(0, |(_, len)| *len));
        Self {
            storage,
            path,
            begin,
            acknowledged,
            is_claimed,
            lock: held.map_or_else(|| FileLock::new(()), |(lock, _)| lock),
            told,
            terms,
            frames: None,
            begins_anew: false,
            file: None,
            knows_files: true,
            has_steady_numbers: true,
            whole: read,
            place: None,
            entries: acknowledged.load(Ordering::Acquire),
            is_torn: false,
            is_lost: false,
            kept_len: None,
            copies: Copies::default(),
            watched_at: Some(Instant::now()),
            waiting: VecDeque::new(),
            counted: None,
            line: None,
            sync_at: None,
        }
    }

    /// An entry is to be written.
    pub(super) fn wait(&mut self, entry: Box<JournalEntry>, acknowledge: Option<Acknowledge>) {
        self.waiting.push_back((entry, acknowledge));
        if self.counted.is_some() {
            self.count_waiting();
        }
    }

    fn count_waiting(&mut self) {
        let (counted, bytes) = self.counted.unwrap_or_default();
        let more: u64 = self.waiting.iter().skip(counted).map(|(entry, _)| line_bytes(entry)).sum();
        self.counted = Some((self.waiting.len(), bytes.saturating_add(more)));
    }

    /// Whether more entries wait for the disk than memory shall hold, as far as they were counted.
    pub(super) fn is_too_much_waiting(&self) -> bool {
        let (most, most_bytes) = self.terms.most_waiting;
        self.waiting.len() > most || self.counted.is_some_and(|(_, bytes)| bytes > most_bytes)
    }

    /// The disk failed: what waits goes on waiting.
    ///
    /// # Errors
    /// [`JournalError::TooMuchWaits`] if that is too much.
    pub(super) fn may_wait(&mut self, error: &JournalError) -> Result<(), JournalError> {
        self.count_waiting();
        if self.is_too_much_waiting() { Err(JournalError::TooMuchWaits { reason: error.to_string() }) } else { Ok(()) }
    }

    /// Gives back the memory of what waits.
    pub(super) fn forget_waiting(&mut self) {
        (self.waiting, self.counted) = (VecDeque::new(), None);
    }

    /// Writes what waits, in order, and looks whether the file is what was written.
    pub(super) fn write(&mut self) -> Result<(), JournalError> {
        match self.write_lines() {
            // What was lost is made anew at once.
            Err(JournalError::Gone) => self.write_lines(),
            done => done,
        }
    }

    /// As [`write`](Self::write), when nothing was written for a while: looks at what lies beside the file in any case.
    pub(super) fn watch(&mut self) -> Result<(), JournalError> {
        self.watched_at = None;
        self.write()
    }

    /// Looks now and then at what lies beside the file.
    fn look_beside(&mut self) -> Result<(), JournalError> {
        if self.file.is_none() || self.watched_at.is_some_and(|at| at.elapsed() < self.terms.watch_every) {
            return Ok(());
        }
        self.watched_at = Some(Instant::now());
        if self.copies.has_base(self.storage) {
            return Ok(());
        }
        // Until it is there, nothing counts.
        self.make_place().and_then(|()| self.mend_base()).inspect_err(|_| _ = self.lose())
    }

    fn write_lines(&mut self) -> Result<(), JournalError> {
        self.begin()?;
        self.open()?;
        self.look_beside()?;
        // Before anything is written into what may be somebody else's by now.
        self.check(self.whole)?;
        while let Some((entry, _)) = self.waiting.front() {
            let line = match (self.line.take(), &mut self.frames) {
                (Some(line), _) => line,
                (None, Some(frames)) => frames.entry(entry).map_err(StorageError::at(StorageAction::Write, self.path))?,
                (None, None) => return Ok(()),
            };
            let whole = self.whole.saturating_add(line.len() as u64);
            let line = self.line.insert(line);
            if whole > self.terms.most_bytes {
                self.sync()?;
                return Err(JournalError::Full { limit: self.terms.most_bytes });
            }
            if let Some(Err(error)) = self.file.as_mut().map(|file| file.write_all(line)) {
                return Err(self.fail(error));
            }
            self.check(whole)?;
            self.copies.push(self.line.take().as_deref().unwrap_or_default());
            (self.whole, self.entries) = (whole, self.entries + 1);
            self.place = self.frames.as_ref().map(FrameWriter::mark);
            self.acknowledged.store(self.entries, Ordering::Release);
            tracing::debug!("{} holds entry {}", self.path.display(), self.entries);
            // Some of it may wait on: that is counted anew.
            self.counted = None;
            if let Some((_, Some(acknowledge))) = self.waiting.pop_front() {
                acknowledge(self.entries);
            }
            let at = *self.sync_at.get_or_insert_with(|| Instant::now() + SYNC_AFTER);
            if at <= Instant::now() {
                self.sync()?;
            }
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<(), JournalError> {
        if self.frames.is_some() {
            return Ok(());
        }
        // Each time: somebody may have removed the folder, or the lock that recovery took when it listed the journal.
        self.make_place()?;
        if !self.is_claimed {
            if self.storage.exists(self.path)? {
                return Err(JournalError::Taken);
            }
            self.is_claimed = true;
        }
        let begun = (self.begin)(self.storage)?;
        if let Some(lines) = &begun.lines {
            // That is ours, also where the disk fails once it is there.
            self.whole = lines.len() as u64;
            // In one step: a journal that is there has a whole beginning.
            replace_file(self.storage, self.path, lines)?;
        }
        self.whole = self.storage.info(self.path)?.len;
        self.copies = Copies::of(self.storage, self.path, self.whole, &begun);
        self.begins_anew = begun.lines.is_some();
        self.place = Some(begun.frames.mark());
        self.frames = Some(begun.frames);
        tracing::debug!("{} is begun", self.path.display());
        Ok(())
    }

    /// Opens the file with its whole lines and nothing else in it.
    fn open(&mut self) -> Result<(), JournalError> {
        if self.file.is_some() {
            return Ok(());
        }
        if self.is_torn || self.is_lost || !self.is_locked() {
            self.make_place()?;
        }
        if self.is_torn || self.is_lost {
            self.keep_what_others_wrote()?;
        }
        if self.is_torn && !self.is_lost {
            self.mend()?;
        }
        if self.is_lost {
            self.make_anew()?;
        }
        let file = self.storage.append(self.path)?;
        self.knows_files = self.tells_files_apart(&*file)?;
        self.file = Some(file);
        self.acknowledged.store(self.entries, Ordering::Release);
        self.copies.drop_file();
        Ok(())
    }

    /// Whether the disk does. What somebody removes at this very moment is not taken for that.
    fn tells_files_apart(&mut self, file: &dyn FileWriter) -> Result<bool, JournalError> {
        for _ in 0..if self.has_steady_numbers { 3 } else { 0 } {
            if !self.is_locked() {
                self.make_place()?;
            }
            if self.is_locked() && file.is_at(self.path).unwrap_or(false) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Puts aside what is in the file where that is not what was written here, or the beginning of it: others may have gone on with it
    /// while the lock was theirs. What is no step of anybody is kept, too, but not told and not offered.
    fn keep_what_others_wrote(&mut self) -> Result<(), JournalError> {
        let source = match self.storage.open(self.path) {
            Err(error) if error.is_not_found() => return Ok(()),
            source => source?,
        };
        let line = self.line.as_deref().unwrap_or_default();
        let whole = usize::try_from(self.whole).unwrap_or(usize::MAX);
        let is_kept = self.kept_len == Some(source.len());
        let what = || {
            if source.len() > self.terms.most_bytes.saturating_mul(2) {
                // None that was written here grows so long.
                return Ok(Whose::Others);
            }
            let bytes = source.bytes()?;
            Ok(self.copies.whose(&bytes, whole, line, self.place.as_ref()))
        };
        if !is_kept {
            let aside = match what().map_err(StorageError::at(StorageAction::Read, self.path))? {
                Whose::Ours => return Ok(()),
                Whose::Nobodys => Aside::Damaged,
                Whose::Others => Aside::Journal,
            };
            let path = put_aside(self.storage, self.path, aside)?;
            if aside == Aside::Journal {
                self.told.put_aside(path);
            }
            self.kept_len = Some(source.len());
        }
        self.lose();
        Ok(())
    }

    /// Cuts off what is not a whole line.
    fn mend(&mut self) -> Result<(), JournalError> {
        let whole = usize::try_from(self.whole).unwrap_or(usize::MAX);
        let bytes = match self.storage.read(self.path, self.terms.most_bytes.saturating_mul(2)) {
            Err(error) if !error.is_not_found() => return Err(error.into()),
            read => read.ok(),
        };
        match bytes.as_deref().and_then(|bytes| bytes.get(..whole)) {
            Some(bytes) => replace_file(self.storage, self.path, bytes)?,
            None => _ = self.lose(),
        }
        self.is_torn = self.is_lost;
        Ok(())
    }

    fn is_locked(&self) -> bool {
        self.storage.holds(&self.lock, &lock_path(self.path))
    }

    /// Whether the file is at its path and so long, and nobody else's.
    ///
    /// # Errors
    /// [`JournalError::Gone`] if it is not.
    fn check(&mut self, len: u64) -> Result<(), JournalError> {
        // Without its lock, others take the journal for one that was left.
        if self.knows_files
            && !self.is_locked()
            && let Err(error) = self.make_place()
        {
            match &error {
                // Who has it now has what is in it.
                JournalError::Held => {
                    self.let_go();
                    self.acknowledged.store(0, Ordering::Release);
                }
                _ => _ = self.lose(),
            }
            return Err(error);
        }
        let Some(file) = &self.file else { return Ok(()) };
        let is_there =
            || if self.knows_files { file.is_at(self.path) } else { self.storage.exists(self.path).map_err(|error| error.reason) };
        let is_long = file.len_now().map(|now| now == len);
        match is_long.and_then(|is_long| Ok((is_long, is_long && is_there()?))) {
            Ok((_, true)) => Ok(()),
            Ok((true, false)) if self.knows_files && self.is_all_there(len) => Ok(()),
            Ok(_) => Err(self.lose()),
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Whether what lies at the path holds just what was written here, though it counts as another file: on some disks a file has
    /// another number whenever it is looked at. What was written just now tells: it got there.
    fn is_all_there(&mut self, len: u64) -> bool {
        let has_new = len > self.whole;
        if !has_new && len > KEPT_BYTES {
            return false;
        }
        let bytes = self.storage.open(self.path).ok().filter(|source| source.len() == len).and_then(|source| source.bytes().ok());
        let (line, whole) = (self.line.as_deref().unwrap_or_default(), usize::try_from(self.whole).unwrap_or(usize::MAX));
        let is_same = bytes.is_some_and(|bytes| self.copies.whose(&bytes, whole, line, self.place.as_ref()) == Whose::Ours);
        if is_same && has_new {
            tracing::warn!("the disk of {} gives a file another number each time", self.path.display());
            (self.knows_files, self.has_steady_numbers) = (false, false);
        }
        is_same
    }

    /// The file is not what was written. Until it is made anew, nothing of it counts.
    fn lose(&mut self) -> JournalError {
        tracing::warn!("somebody removed {} or changed it", self.path.display());
        let file = self.file.take();
        self.copies.take_file(|| file?.read_back().ok());
        (self.is_lost, self.sync_at) = (true, None);
        self.acknowledged.store(0, Ordering::Release);
        JournalError::Gone
    }

    /// Writes all of the journal once more: copies and lines.
    fn make_anew(&mut self) -> Result<(), JournalError> {
        self.mend_base()?;
        let lines = self.copies.lines(self.whole, self.entries)?;
        // Others may have made it, of steps that this journal does not have: it would stand for the map instead of those here.
        let snapshot = snapshot_path(self.path);
        clear_way(self.storage, &snapshot)?;
        if self.storage.exists(&snapshot)? {
            self.storage.remove(&snapshot)?;
        }
        replace_file(self.storage, self.path, &lines)?;
        (self.is_lost, self.is_torn, self.kept_len) = (false, false, None);
        self.acknowledged.store(self.entries, Ordering::Release);
        self.told.made_anew();
        tracing::warn!("{} is made anew with {} entries", self.path.display(), self.entries);
        Ok(())
    }

    /// Sees to the folder and to the lock in it.
    fn make_place(&mut self) -> Result<(), JournalError> {
        self.storage.create_folder(folder_of(self.path))?;
        lock_again(self.storage, self.path, &mut self.lock)?;
        if self.is_claimed {
            clear_way(self.storage, self.path)?;
        }
        Ok(())
    }

    fn mend_base(&mut self) -> Result<(), JournalError> {
        let (begin, storage, begins_anew) = (&mut self.begin, self.storage, self.begins_anew);
        self.copies.mend_base(storage, || if begins_anew { begin(storage).map(drop) } else { Err(JournalError::Lost) })
    }

    /// The place after all that was noted; `None` while some of it waits for the disk.
    pub(super) fn mark(&self) -> Option<JournalMark> {
        self.frames.as_ref().filter(|_| self.waiting.is_empty()).map(FrameWriter::mark)
    }

    pub(super) fn sync(&mut self) -> Result<(), JournalError> {
        self.sync_at = None;
        match self.file.as_mut().map(|file| file.sync()) {
            Some(Err(error)) => Err(self.fail(error)),
            _ => Ok(()),
        }
    }

    /// Deletes the journal, unless others have it now, or have a journal there; what others wrote into it is put aside first.
    pub(super) fn remove(&mut self) -> Result<(), JournalError> {
        if !self.is_claimed {
            // It was never begun: what lies there is of others.
            return if self.storage.exists(self.path)? { Err(JournalError::Taken) } else { Ok(()) };
        }
        let is_whole = self.file.is_some() && self.check(self.whole).is_ok();
        self.make_place()?;
        if !is_whole {
            self.keep_what_others_wrote()?;
        }
        // All files are let go of.
        (self.file, self.copies) = (None, Copies::default());
        Ok(remove_journal(self.storage, self.path)?)
    }

    /// What the file holds now is known up to its whole lines only.
    fn fail(&mut self, error: io::Error) -> JournalError {
        self.let_go();
        StorageError::at(StorageAction::Write, self.path)(error).into()
    }

    fn let_go(&mut self) {
        let file = self.file.take();
        // Should it be gone, too.
        self.copies.take_file(|| file?.read_back().ok());
        (self.is_torn, self.sync_at) = (true, None);
    }
}

/// About how many bytes an entry takes as a line.
fn line_bytes(entry: &JournalEntry) -> u64 {
    struct Counter(u64);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len() as u64);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // Counting does not fail.
    serde_json::to_writer(&mut counter, entry).ok();
    counter.0
}
