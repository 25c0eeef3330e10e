//! Whether the disk of a journal keeps up with what is done.

use std::time::{Duration, Instant};

/// How long a disk may take nothing before that is told.
const SLOW: Duration = Duration::from_secs(5);

/// How long a journal's disk takes nothing.
#[derive(Debug, Default)]
pub(super) struct Lag {
    /// Steps that were kept when there last were more of them, and when that was seen first; nothing while all are kept.
    waiting: Option<(u64, Instant)>,
    is_told: bool,
}

impl Lag {
    /// Looks at how many steps are kept and how many were made. Answers whether it keeps up, where that is to be told now.
    pub(super) fn look(&mut self, (kept, made): (u64, u64), now: Instant) -> Option<bool> {
        if kept >= made {
            self.waiting = None;
            return std::mem::take(&mut self.is_told).then_some(true);
        }
        let since = match self.waiting {
            Some((before, since)) if before == kept => since,
            _ => now,
        };
        self.waiting = Some((kept, since));
        let is_slow = now.saturating_duration_since(since) >= SLOW;
        if !is_slow || self.is_told {
            return None;
        }
        self.is_told = true;
        Some(false)
    }

    /// Whether steps wait.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// Whether it was told that they wait, and they still do.
    pub(super) fn is_told(&self) -> bool {
        self.is_told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_takes_nothing_for_long_is_told_once_and_so_is_that_it_took_all() {
        let (mut lag, start) = (Lag::default(), Instant::now());
        let mut look = |steps, seconds| lag.look(steps, start + Duration::from_secs(seconds));
        assert_eq!([look((0, 0), 0), look((0, 2), 10), look((1, 3), 14), look((1, 3), 18)], [None; 4], "it takes one now and then");
        assert_eq!([look((1, 3), 19), look((1, 4), 30)], [Some(false), None]);
        assert_eq!([look((3, 4), 31), look((4, 4), 32), look((4, 4), 33)], [None, Some(true), None]);
        assert!(!lag.is_waiting() && !lag.is_told());
    }
}
