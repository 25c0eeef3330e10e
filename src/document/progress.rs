//! How far a long piece of work has come, and whether someone wants it to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The work was cancelled; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Shared between a worker, which reports and checks, and whoever started it, who shows and cancels.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    cancelled: Arc<AtomicBool>,
    /// Share in 1/10,000.
    share: Arc<AtomicU32>,
}

impl Progress {
    /// Work that nobody watches.
    pub fn new() -> Self {
        Self::default()
    }

    /// Of a step of this work: cancelled with it, and with a share of its own.
    pub fn of_step(&self) -> Self {
        Self { cancelled: self.cancelled.clone(), share: Arc::default() }
    }

    /// Reports the share done, 0 to 1, and stops the work if it was cancelled.
    ///
    /// # Errors
    /// [`Cancelled`] after [`cancel`](Self::cancel).
    pub fn report(&self, share: f32) -> Result<(), Cancelled> {
        self.share.store((share.clamp(0.0, 1.0) * 10_000.0) as u32, Ordering::Relaxed);
        self.check()
    }

    /// Stops the work if it was cancelled.
    ///
    /// # Errors
    /// [`Cancelled`] after [`cancel`](Self::cancel).
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Cancelled) } else { Ok(()) }
    }

    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Share done, 0 to 1.
    pub fn share(&self) -> f32 {
        self.share.load(Ordering::Relaxed) as f32 / 10_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_cancelled_with_its_work_and_has_a_share_of_its_own() {
        let work = Progress::new();
        work.report(0.25).unwrap();
        let step = work.of_step();
        step.report(1.0).unwrap();
        assert_eq!((work.share(), step.share()), (0.25, 1.0));
        work.cancel();
        assert_eq!(step.check(), Err(Cancelled));
    }
}
