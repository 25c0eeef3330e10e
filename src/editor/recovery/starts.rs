//! When the folder of the journals was looked at: how old a file is, whatever one clock says.
//!
//! The same rule as of earlier versions: a pause between two looks counts as half the age at most, a clock that went
//! back as nothing, and no second twice. Starts under the clock of another century, the same one again and again, make no file old.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::editor::storage::{Storage, replace_file};

/// Name of the file in the folder: a time a line, in seconds since 1970, in the order of the looks.
const NAME: &str = "looked-at";
/// Looks that are kept, enough for two months of every day.
const MOST_LOOKS: usize = 64;
/// Largest file that is read.
const LIMIT: u64 = 1 << 16;
/// Seconds between two looks that are kept.
const APART_SECS: u64 = 86_400;

/// When the folder was looked at. Noted only where something is there whose age matters.
pub(super) struct Starts<'a> {
    storage: &'a dyn Storage,
    path: PathBuf,
    now: SystemTime,
    /// Now last.
    looks: OnceCell<Vec<u64>>,
}

impl<'a> Starts<'a> {
    /// Of a folder that is looked at now.
    pub(super) fn new(storage: &'a dyn Storage, folder: &Path, now: SystemTime) -> Self {
        Self { storage, path: folder.join(NAME), now, looks: OnceCell::new() }
    }

    /// Reads when it was, and notes that it is now. A file that cannot be read or written only makes things seem younger.
    fn noted(&self) -> Vec<u64> {
        let bytes = self.storage.read(&self.path, LIMIT).unwrap_or_default();
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let mut looks: Vec<u64> = text.lines().filter_map(|line| line.parse().ok()).collect();
        let now = secs(self.now);
        if looks.last().is_none_or(|last| now < *last || now - last >= APART_SECS) {
            looks.push(now);
            looks.drain(..looks.len().saturating_sub(MOST_LOOKS));
            let text: String = looks.iter().map(|at| format!("{at}\n")).collect();
            // The next start tries again.
            replace_file(self.storage, &self.path, text.as_bytes()).ok();
        } else {
            looks.push(now);
        }
        looks
    }

    fn looks(&self) -> &[u64] {
        self.looks.get_or_init(|| self.noted())
    }

    /// Forgets the looks where nobody asked for the age of anything.
    pub(super) fn finish(self) {
        if self.looks.get().is_none() && self.storage.exists(&self.path).unwrap_or(false) {
            // It does no harm until the next start.
            self.storage.remove(&self.path).ok();
        }
    }

    /// Whether a file was last written so long ago, as far as the looks since then tell.
    pub(super) fn is_older(&self, path: &Path, age: Duration) -> bool {
        let Some(modified) = self.storage.info(path).ok().and_then(|info| info.modified).map(secs) else { return false };
        // Those before are of before the file, also where the clock was ahead once.
        let since = self.looks().iter().rposition(|look| *look <= modified).map_or(0, |before| before + 1);
        // The seconds of each pause, from its end backwards: what a wrong clock counts, it counts only once.
        let (mut last, mut pauses) = (modified, vec![]);
        for look in self.looks().iter().skip(since) {
            pauses.push((last.max(look.saturating_sub(age.as_secs() / 2)), *look));
            last = *look;
        }
        pauses.sort_unstable();
        let (mut sum, mut end) = (0_u64, 0);
        for (from, to) in pauses {
            sum = sum.saturating_add(to.saturating_sub(from.max(end)));
            end = end.max(to);
        }
        sum >= age.as_secs()
    }
}

fn secs(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::storage::testing::FaultyStorage;

    const DAY: Duration = Duration::from_secs(APART_SECS);

    fn on(day: u32) -> SystemTime {
        UNIX_EPOCH + DAY * day
    }

    /// Days of looks at a file of day 100, and on which of them it is 30 days old.
    #[track_caller]
    fn check(days: &[u32], expected: &[u32]) {
        let storage = FaultyStorage::with(&[("s/a.damaged", b"steps")]);
        storage.touch("s/a.damaged", on(100));
        let old = |day: &&u32| Starts::new(&storage, Path::new("s"), on(**day)).is_older(Path::new("s/a.damaged"), DAY * 30);
        assert_eq!(days.iter().filter(old).copied().collect::<Vec<_>>(), expected, "{days:?}");
    }

    #[test]
    fn a_clock_that_is_wrong_makes_no_file_old() {
        check(&[101, 110, 120, 129, 130, 131], &[130, 131]);
        check(&[47_000], &[]);
        check(&[47_000, 47_000, 47_001, 47_010], &[]);
        check(&[101, 47_000, 102, 103, 110, 115, 116, 117], &[116, 117]);
        // The same wrong clock again, which goes on between.
        check(&[101, 47_000, 102, 47_000, 103, 47_001, 104, 47_002, 105], &[]);
        check(&[101, 47_000, 102, 47_000, 103, 110, 115, 116, 117], &[117]);
        // After long pauses, at the second look.
        check(&[500, 900], &[900]);
        check(&[], &[]);
    }

    #[test]
    fn looks_are_bounded_and_one_a_day() {
        let storage = FaultyStorage::with(&[("s/a.damaged", b"steps")]);
        for day in 0..200 {
            for now in [on(day), on(day) + Duration::from_secs(600)] {
                Starts::new(&storage, Path::new("s"), now).looks();
            }
        }
        let text = String::from_utf8(storage.get("s/looked-at").unwrap()).unwrap();
        assert_eq!((text.lines().count(), text.lines().next_back()), (MOST_LOOKS, Some("17193600")));
        // They go with what they were noted for.
        Starts::new(&storage, Path::new("s"), on(200)).finish();
        assert_eq!(storage.get("s/looked-at"), None);
    }
}
