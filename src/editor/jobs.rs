//! Long work beside the main thread: planning, opening, saving. Answers come back as values.
//!
//! In the window every job is a named thread; on the command line and in tests jobs run inline, one
//! after the other, with the same result.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::DocumentId;
use crate::document::Progress;

/// Called from any thread when an answer waits: asks the window for another frame.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// Answers that wait at most; a worker with another one waits for the main thread.
const MAX_WAITING: usize = 64;

/// Where jobs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobMode {
    /// Each on a thread of its own.
    Threads,
    /// At once, in the caller.
    Inline,
}

/// Names a job; never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(u64);

/// A job that runs, for the status bar.
#[derive(Clone, Debug)]
pub struct JobInfo {
    /// Its id.
    pub id: JobId,
    /// What it does, as a person reads it: `Opening castle.vxl`.
    pub name: String,
    /// The document that it works for.
    pub document: Option<DocumentId>,
    /// How far it has come; also cancels it.
    pub progress: Progress,
    /// When it began.
    pub started: Instant,
    /// Whether nobody asked for it: it is not shown, and comes again by itself.
    pub is_quiet: bool,
    /// Whether it writes a file that somebody asked for: the window does not close before it is done.
    pub writes: bool,
}

/// A worker panicked: the work is lost, the documents are as they were.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an internal error stopped the work: {message}")]
pub struct WorkerPanicked {
    /// What the panic said.
    pub message: String,
}

/// The jobs of an editor, each answering a `T`.
pub struct Jobs<T> {
    mode: JobMode,
    waker: Waker,
    sender: SyncSender<(JobId, Result<T, WorkerPanicked>)>,
    receiver: Receiver<(JobId, Result<T, WorkerPanicked>)>,
    inline: VecDeque<(JobId, Result<T, WorkerPanicked>)>,
    running: BTreeMap<JobId, JobInfo>,
    next: u64,
}

/// How long a job runs before it is shown.
const SHOWN_AFTER: Duration = Duration::from_millis(300);

impl JobInfo {
    /// Whether it runs longer than a moment: it is shown, and Esc stops it where it is an edit.
    pub fn takes_long(&self) -> bool {
        self.started.elapsed() > SHOWN_AFTER
    }
}

impl<T: Send + 'static> Jobs<T> {
    /// No jobs yet.
    pub fn new(mode: JobMode, waker: Waker) -> Self {
        let (sender, receiver) = sync_channel(MAX_WAITING);
        Self { mode, waker, sender, receiver, inline: VecDeque::new(), running: BTreeMap::new(), next: 0 }
    }

    /// A job that somebody else does, piece by piece: it is shown and cancelled like any other until it is [let go](Self::let_go).
    pub fn hold(&mut self, name: String, document: DocumentId) -> JobId {
        self.next += 1;
        let (id, progress) = (JobId(self.next), Progress::new());
        let info = JobInfo { id, name, document: Some(document), progress, started: Instant::now(), is_quiet: false, writes: false };
        self.running.insert(id, info);
        id
    }

    /// How far a held job has come.
    pub fn held(&mut self, id: JobId) -> Option<&mut JobInfo> {
        self.running.get_mut(&id)
    }

    /// Ends a held job: it does not answer.
    pub fn let_go(&mut self, id: JobId) {
        self.running.remove(&id);
    }

    /// Where jobs run.
    pub fn mode(&self) -> JobMode {
        self.mode
    }

    /// Begins a job that nobody asked for.
    pub fn spawn_quiet(&mut self, name: String, document: Option<DocumentId>, work: impl FnOnce(&Progress) -> T + Send + 'static) -> JobId {
        let id = self.spawn(name, document, work);
        self.running.get_mut(&id).into_iter().for_each(|job| job.is_quiet = true);
        id
    }

    /// Begins a job.
    pub fn spawn(&mut self, name: String, document: Option<DocumentId>, work: impl FnOnce(&Progress) -> T + Send + 'static) -> JobId {
        self.next += 1;
        let id = JobId(self.next);
        let progress = Progress::new();
        let info = JobInfo {
            id,
            name: name.clone(),
            document,
            progress: progress.clone(),
            started: Instant::now(),
            is_quiet: false,
            writes: false,
        };
        self.running.insert(id, info);
        let guarded =
            move || catch_unwind(AssertUnwindSafe(|| work(&progress))).map_err(|panic| WorkerPanicked { message: panic_message(&*panic) });
        if self.mode == JobMode::Inline {
            self.inline.push_back((id, guarded()));
            return id;
        }
        let (sender, waker) = (self.sender.clone(), self.waker.clone());
        // Reports of internal errors name the thread: the words after the first are of the user's files.
        let name = name.split(' ').next().unwrap_or_default().chars().take(15).collect();
        let thread = std::thread::Builder::new().name(name).spawn(move || {
            // The receiver is gone only when the editor is.
            sender.send((id, guarded())).ok();
            waker();
        });
        if let Err(error) = thread {
            self.inline.push_back((id, Err(WorkerPanicked { message: format!("cannot start a thread: {error}") })));
        }
        id
    }

    /// Begins a job that writes a file which somebody asked for.
    pub fn spawn_writing(
        &mut self,
        name: String,
        document: Option<DocumentId>,
        work: impl FnOnce(&Progress) -> T + Send + 'static,
    ) -> JobId {
        let id = self.spawn(name, document, work);
        if let Some(job) = self.running.get_mut(&id) {
            job.writes = true;
        }
        id
    }

    /// What asks the window for another frame.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Asks the window for another frame.
    pub fn wake(&self) {
        (self.waker)();
    }

    /// The next answer, if one waits.
    pub fn poll(&mut self) -> Option<(JobInfo, Result<T, WorkerPanicked>)> {
        let (id, answer) = self.inline.pop_front().or_else(|| self.receiver.try_recv().ok())?;
        Some((self.running.remove(&id)?, answer))
    }

    /// The jobs that run or whose answer waits, oldest first.
    pub fn running(&self) -> impl Iterator<Item = &JobInfo> {
        self.running.values()
    }

    /// Asks a job to stop; it still answers.
    pub fn cancel(&self, id: JobId) {
        if let Some(job) = self.running.get(&id) {
            job.progress.cancel();
        }
    }
}

impl<T> std::fmt::Debug for Jobs<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Jobs").field("mode", &self.mode).field("running", &self.running).finish_non_exhaustive()
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no message".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_thread_tells_nothing_of_a_file() {
        let (woken, wait) = std::sync::mpsc::channel();
        let mut jobs = Jobs::<Option<String>>::new(JobMode::Threads, Arc::new(move || woken.send(()).unwrap()));
        jobs.spawn("Opening ann.vxl".into(), None, |_| std::thread::current().name().map(Into::into));
        wait.recv().unwrap();
        assert_eq!(jobs.poll().unwrap().1, Ok(Some("Opening".into())));
    }

    #[test]
    fn a_panic_in_a_worker_is_an_answer_like_any_other() {
        for mode in [JobMode::Inline, JobMode::Threads] {
            let (woken, wait) = std::sync::mpsc::channel();
            let mut jobs = Jobs::<u32>::new(mode, Arc::new(move || woken.send(()).unwrap()));
            jobs.spawn("good".into(), None, |_| 7);
            if mode == JobMode::Threads {
                wait.recv().unwrap();
            }
            assert_eq!(jobs.poll().unwrap().1, Ok(7));
            jobs.spawn("bad".into(), None, |_| panic!("oh no"));
            if mode == JobMode::Threads {
                wait.recv().unwrap();
            }
            assert_eq!(jobs.poll().unwrap().1, Err(WorkerPanicked { message: "oh no".into() }));
            assert_eq!(jobs.running().count(), 0);
        }
    }
}
