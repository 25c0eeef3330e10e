//! The thread of a journal: what it is told, how often it tries again, and how it ends.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::writer::Writer;
use super::{Begun, JournalError, MOST_WAITING, MOST_WAITING_BYTES, Message, lock_path};
use crate::editor::jobs::Waker;
use crate::editor::storage::{FileLock, Storage, clear_way};

/// On what terms a journal is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// Longest journal that is written. A day of strokes is a thousandth of it; whoever reads it takes twice as much.
    pub(super) most_bytes: u64,
    /// After what time a disk that failed is tried again.
    pub(super) retry_after: Duration,
    /// Most steps that wait for a disk that fails, and most bytes that they take as lines.
    pub(super) most_waiting: (usize, u64),
    /// How often a journal is looked at that nothing is written to, and what lies beside it in any case: somebody may have removed it.
    pub(super) watch_every: Duration,
}

impl Default for Terms {
    fn default() -> Self {
        let most_waiting = (MOST_WAITING, MOST_WAITING_BYTES);
        Self { most_bytes: 512 << 20, retry_after: Duration::from_secs(2), most_waiting, watch_every: Duration::from_secs(2) }
    }
}

/// What the thread tells whoever has the map.
#[derive(Default)]
pub(super) struct Told {
    news: Mutex<News>,
    waker: OnceLock<Waker>,
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.news.fmt(f)
    }
}

#[derive(Debug, Default)]
struct News {
    failure: Option<String>,
    is_lasting: bool,
    put_aside: Vec<PathBuf>,
    is_made_anew: bool,
}

impl Told {
    fn news(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `waker` from now on when there is something new, and at once where there is already.
    pub(super) fn wake_with(&self, waker: Waker) {
        // There is one only: the first.
        self.waker.set(waker).ok();
        let news = self.news();
        let is_any = news.failure.is_some() || !news.put_aside.is_empty() || news.is_made_anew;
        drop(news);
        if is_any {
            self.wake();
        }
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.get() {
            waker();
        }
    }

    /// Why steps are not in the file; `None` once all is well again.
    pub(super) fn fail(&self, failure: Option<&JournalError>) {
        let is_lasting = failure.is_some_and(JournalError::is_lasting);
        let failure = failure.map(JournalError::to_string);
        let mut news = self.news();
        let before = std::mem::replace(&mut news.failure, failure.clone());
        news.is_lasting = is_lasting;
        drop(news);
        if before != failure {
            self.wake();
        }
    }

    pub(super) fn failure(&self) -> Option<String> {
        self.news().failure.clone()
    }

    /// Whether trying again does not help against it.
    pub(super) fn is_lasting(&self) -> bool {
        self.news().is_lasting
    }

    /// What others wrote was kept there.
    pub(super) fn put_aside(&self, path: PathBuf) {
        tracing::warn!("somebody else wrote into the journal; that is kept as {}", path.display());
        self.news().put_aside.push(path);
        self.wake();
    }

    /// The files that were removed are there again.
    pub(super) fn made_anew(&self) {
        self.news().is_made_anew = true;
        self.wake();
    }

    pub(super) fn take_made_anew(&self) -> bool {
        std::mem::take(&mut self.news().is_made_anew)
    }

    pub(super) fn take_put_aside(&self) -> Vec<PathBuf> {
        std::mem::take(&mut self.news().put_aside)
    }
}

/// Sees to it that the lock of the journal is held, where its file was removed.
///
/// # Errors
/// [`JournalError::Held`] if others took it meanwhile.
pub(in crate::editor) fn lock_again(storage: &dyn Storage, path: &Path, lock: &mut FileLock) -> Result<(), JournalError> {
    let path = lock_path(path);
    if !storage.holds(lock, &path) {
        // The old one goes first: on a disk that cannot tell files apart it would stand in its own way.
        *lock = FileLock::new(());
        clear_way(storage, &path)?;
        *lock = storage.lock(&path)?.ok_or(JournalError::Held)?;
    }
    Ok(())
}

/// The thread after a failure: notes nothing more, and still deletes the journal if it is told to.
pub(super) fn clear_away<B: FnMut(&dyn Storage) -> Result<Begun, JournalError>>(writer: &mut Writer<'_, B>, receiver: &Receiver<Message>) {
    // What waited is written by nobody any more.
    writer.forget_waiting();
    for message in receiver {
        match message {
            Message::Append(..) => {}
            // Whoever asked may have stopped waiting.
            Message::Flush(done) => _ = done.send(()),
            Message::Mark(answer) => _ = answer.send(None),
            Message::Discard => {
                // The failure was told already; what stays is offered at the next start.
                writer.remove().ok();
                return;
            }
        }
    }
}

/// The thread: writes at once, syncs soon after; what the disk did not take it tries again.
///
/// # Errors
/// What trying again does not help against.
pub(super) fn run<B: FnMut(&dyn Storage) -> Result<Begun, JournalError>>(
    writer: &mut Writer<'_, B>,
    receiver: &Receiver<Message>,
) -> Result<(), JournalError> {
    let mut retry_at = None;
    let mut done = Some(writer.write());
    loop {
        match done.take() {
            None => {}
            Some(Ok(())) if retry_at.is_none() => {}
            Some(Ok(())) => {
                tracing::info!("{} is written again", writer.path.display());
                writer.told.fail(None);
                retry_at = None;
            }
            Some(Err(error)) if error.is_lasting() => return Err(error),
            Some(Err(error)) => {
                writer.may_wait(&error)?;
                writer.told.fail(Some(&error));
                retry_at = Some(Instant::now() + writer.terms.retry_after);
            }
        }
        let wait = retry_at.or(writer.sync_at).map_or(writer.terms.watch_every, |at| at.saturating_duration_since(Instant::now()));
        let message = receiver.recv_timeout(wait);
        done = Some(match message {
            Ok(Message::Append(entry, acknowledge)) => {
                writer.wait(entry, acknowledge);
                // A disk that is full is not asked with every step.
                if retry_at.is_some_and(|at| at > Instant::now()) && !writer.is_too_much_waiting() {
                    continue;
                }
                writer.write()
            }
            Ok(Message::Flush(flushed)) => {
                let result = writer.write().and_then(|()| writer.sync());
                // Before whoever waits looks.
                writer.told.fail(result.as_ref().err());
                // Whoever asked may have stopped waiting.
                flushed.send(()).ok();
                result
            }
            Ok(Message::Mark(answer)) => {
                let mark = writer.mark();
                // What names that place must not be on the disk before it.
                let synced = if mark.is_some() { writer.sync() } else { Ok(()) };
                // Whoever asked may have stopped waiting.
                answer.send(mark.filter(|_| synced.is_ok())).ok();
                if synced.is_ok() {
                    continue;
                }
                synced
            }
            Ok(Message::Discard) => return writer.remove(),
            Err(RecvTimeoutError::Timeout) if retry_at.is_none() && writer.sync_at.is_none() => writer.watch(),
            Err(RecvTimeoutError::Timeout) => writer.write().and_then(|()| writer.sync()),
            Err(RecvTimeoutError::Disconnected) => return writer.write().and_then(|()| writer.sync()),
        });
    }
}
