//! What goes along with a report of a problem: findings, reports of internal errors and, if asked for, journals,
//! in one tar file that every system can open. Nothing is sent anywhere.

use std::path::{Path, PathBuf};

use super::crash::{self, without_home};
use super::recovery::JOURNAL_EXTENSION;
use super::storage::{Storage, StorageError, replace_file};

/// Reports of internal errors that go along, the latest.
const MOST_REPORTS: usize = 3;
/// Longest file that goes along.
const PART_LIMIT: u64 = 64 << 20;
/// Bytes of a block of a tar file.
const BLOCK: usize = 512;

/// What a part of the report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// What the program runs on.
    Findings,
    /// What was told since the start.
    Log,
    /// An internal error.
    Crash,
    /// Every step of a map that is not saved.
    Journal,
}

impl PartKind {
    /// What it holds, in words.
    pub fn label(self) -> &'static str {
        match self {
            Self::Findings => "What Spadework runs on and where it keeps its files",
            Self::Log => "The log of this session: it names your maps and where they lie",
            Self::Crash => "An internal error of Spadework: no names, no maps",
            Self::Journal => "Every step of a map that is not saved, with the names of its files",
        }
    }

    /// Whether it goes along unless somebody says otherwise: what tells of the user's maps does not.
    pub fn is_usual(self) -> bool {
        self != Self::Journal
    }
}

/// A file in the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportPart {
    /// What it is.
    pub kind: PartKind,
    /// Its name.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

impl ReportPart {
    /// A text, without the name of the user's folder.
    pub fn text(kind: PartKind, name: &str, text: &str) -> Self {
        Self { kind, name: name.into(), bytes: without_home(text, crash::home().as_deref()).into_bytes() }
    }
}

/// The latest reports of internal errors. They name no folder of the user.
pub fn crash_parts(storage: &dyn Storage, folder: &Path) -> Vec<ReportPart> {
    let paths = crash::reports(storage, folder).into_iter().take(MOST_REPORTS);
    paths.filter_map(|path| part(storage, PartKind::Crash, &path)).collect()
}

/// The journals that are there: every step of the maps that were not saved, with the names of their files.
pub fn journal_parts(storage: &dyn Storage, folder: &Path) -> Vec<ReportPart> {
    // No folder, no journals.
    let paths = storage.list(folder).unwrap_or_default();
    let is_journal = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == JOURNAL_EXTENSION);
    let journals: Vec<&PathBuf> = paths.iter().filter(is_journal).collect();
    // The copy of the map, too: without it no step can be repeated.
    let belongs = |path: &&PathBuf| {
        path.extension().is_none_or(|extension| extension != "lock")
            && journals.iter().any(|journal| journal.file_stem() == path.file_stem())
    };
    let (first, others): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().filter(belongs).partition(is_journal);
    first.into_iter().chain(others).filter_map(|path| part(storage, PartKind::Journal, path)).collect()
}

/// A file that can be read and is not too long.
fn part(storage: &dyn Storage, kind: PartKind, path: &Path) -> Option<ReportPart> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some(ReportPart { kind, name, bytes: storage.read(path, PART_LIMIT).ok()?.to_vec() })
}

/// Writes the parts as a tar file.
///
/// # Errors
/// If the file cannot be written; one that was there stays.
pub fn write_report(storage: &dyn Storage, path: &Path, parts: &[ReportPart], at: u64) -> Result<(), StorageError> {
    replace_file(storage, path, &tar(parts, at))
}

/// A tar file (POSIX ustar): a header block and the bytes, padded, for each part, and two empty blocks.
fn tar(parts: &[ReportPart], at: u64) -> Vec<u8> {
    let mut out = vec![];
    for part in parts {
        out.extend(header(part, at));
        out.extend(&part.bytes);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    }
    out.resize(out.len() + 2 * BLOCK, 0);
    out
}

fn header(part: &ReportPart, at: u64) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |from: usize, text: &str| {
        for (to, byte) in block.iter_mut().skip(from).zip(text.bytes()) {
            *to = byte;
        }
    };
    let name: String = part.name.chars().map(|c| if c.is_ascii_graphic() { c } else { '_' }).take(99).collect();
    put(0, &name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{:011o}", part.bytes.len()));
    put(136, &format!("{at:011o}"));
    // The sum is taken with blanks in its own place.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar");
    put(263, "00");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    for (to, byte) in block.iter_mut().skip(148).zip(format!("{sum:06o}\0 ").bytes()) {
        *to = byte;
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::storage::testing::FaultyStorage;

    #[test]
    fn a_report_holds_what_is_there_and_journals_only_if_asked_for() {
        let storage = FaultyStorage::with(&[
            ("r/crash-1-1.txt", b"one"),
            ("r/other", b"x"),
            ("j/a.journal", b"steps"),
            ("j/a.base", b"map"),
            ("j/a.lock", b""),
            ("j/b.base", b"x"),
        ]);
        assert_eq!(
            crash_parts(&storage, Path::new("r")),
            [ReportPart { kind: PartKind::Crash, name: "crash-1-1.txt".into(), bytes: b"one".to_vec() }]
        );
        let journals = journal_parts(&storage, Path::new("j"));
        assert_eq!(journals.iter().map(|part| &*part.name).collect::<Vec<_>>(), ["a.journal", "a.base"]);
        write_report(&storage, Path::new("r/out.tar"), &journals[..1], 7).unwrap();
        let bytes = storage.get("r/out.tar").unwrap();
        assert_eq!(
            (bytes.len(), &bytes[..9], &bytes[257..262], &bytes[512..517]),
            (4 * 512, &b"a.journal"[..], &b"ustar"[..], &b"steps"[..])
        );
        assert_eq!(&bytes[124..135], b"00000000005");
        assert!(crash_parts(&storage, Path::new("none")).is_empty());
    }
}
