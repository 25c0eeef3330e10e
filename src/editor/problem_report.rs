//! What goes along with a report of a problem: findings, reports of internal errors and, if asked for, journals,
//! in one tar file that every system can open. Nothing is sent anywhere.
//!
//! Long files are copied when the report is written, a part at a time; until then only how they begin is held.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::crash::{self, without_home};
use super::journal::{is_beside_journal, started_from};
use super::recovery::{JOURNAL_EXTENSION, journal_id};
use super::storage::{Storage, StorageAction, StorageError, TempFile, TempGuard, sync_name};
use crate::document::size_text;

/// Reports of internal errors that go along, the latest.
const MOST_REPORTS: usize = 3;
/// Longest file that goes along: a tar file has room for the length of 8 GiB. A map of the game's size takes 134 MB as VMF.
const PART_LIMIT: u64 = 4 << 30;
/// Longest file that is held as a whole; of a longer one, how it begins.
const HELD_BYTES: usize = 64 << 10;
/// Bytes that are copied at once.
const COPY_BYTES: usize = 1 << 20;
/// Name of the part that tells what does not go along.
const LEFT_OUT_NAME: &str = "left-out.txt";
/// Room for the name of a file in its block, with the zero after it.
const NAME_BYTES: usize = 100;
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
    /// Every step of a map that is open or was left unsaved.
    Journal,
    /// What such steps start from.
    Copy,
    /// What belongs to such a map and does not go along.
    LeftOut,
}

impl PartKind {
    /// What it holds, in words.
    pub fn label(self) -> &'static str {
        match self {
            Self::Findings => "What Spadework runs on and where it keeps its files",
            Self::Log => "The log of this session: it names your maps and where they lie",
            Self::Crash => "An internal error of Spadework: no names, no maps",
            Self::Journal => "Every step of a map that is open or was left, with the names of its files and where they lie",
            Self::Copy => "What the steps of such a map start from: a copy of it, or of a file beside it",
            Self::LeftOut => "Left out, so the steps may not be repeated from what is here",
        }
    }

    /// Whether it goes along unless somebody says otherwise: what holds the user's maps does not.
    pub fn is_usual(self) -> bool {
        !matches!(self, Self::Journal | Self::Copy | Self::LeftOut)
    }
}

/// A file in the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportPart {
    /// What it is.
    pub kind: PartKind,
    /// Its name.
    pub name: String,
    /// What it holds, or how the file begins that it is.
    pub bytes: Vec<u8>,
    /// The file that is copied when the report is written, and how many bytes of it, where `bytes` are not all.
    pub file: Option<(PathBuf, u64)>,
}

impl ReportPart {
    /// A text, without the name of the user's folder.
    pub fn text(kind: PartKind, name: &str, text: &str) -> Self {
        Self { kind, name: name.into(), bytes: without_home(text, crash::home().as_deref()).into_bytes(), file: None }
    }

    /// Bytes that it takes.
    pub fn size_bytes(&self) -> u64 {
        self.file.as_ref().map_or(self.bytes.len() as u64, |(_, size)| *size)
    }
}

/// The latest reports of internal errors. They name no folder of the user.
pub fn crash_parts(storage: &dyn Storage, folder: &Path) -> Vec<ReportPart> {
    let paths = crash::reports(storage, folder).into_iter().take(MOST_REPORTS);
    paths.filter_map(|path| part(storage, PartKind::Crash, &path, PART_LIMIT).ok()).collect()
}

/// The journals that are there, with what lies beside them: every step of the maps that are open or were left
/// unsaved, with the names of their files. What cannot go along is named in a part of its own, the last one.
pub fn journal_parts(storage: &dyn Storage, folder: &Path) -> Vec<ReportPart> {
    journal_parts_up_to(storage, folder, PART_LIMIT)
}

fn journal_parts_up_to(storage: &dyn Storage, folder: &Path, limit: u64) -> Vec<ReportPart> {
    // No folder, no journals.
    let paths = storage.list(folder).unwrap_or_default();
    let is_journal = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == JOURNAL_EXTENSION);
    // The copies of the map and of the files beside it, too: without them no step can be repeated.
    let stems = |journal: &PathBuf| [Some(journal_id(journal)), started_from(storage, journal).ok().flatten()];
    let starts: Vec<String> = paths.iter().filter(is_journal).flat_map(stems).flatten().map(|stem| stem + ".").collect();
    let belongs = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ending = starts.iter().find_map(|start| name.strip_prefix(start.as_str()));
        ending.is_some_and(|ending| ending != "lock" && (ending == JOURNAL_EXTENSION || is_beside_journal(ending)))
    };
    let (first, others): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().filter(belongs).partition(is_journal);
    let (mut parts, mut left_out) = (vec![], String::new());
    let journals = first.into_iter().map(|path| (PartKind::Journal, path));
    for (kind, path) in journals.chain(others.into_iter().map(|path| (PartKind::Copy, path))) {
        match part(storage, kind, path, limit) {
            Ok(part) => parts.push(part),
            Err(why) => left_out.push_str(&format!("{} is left out: {why}\n", name_of(path))),
        }
    }
    parts.extend((!left_out.is_empty()).then(|| ReportPart::text(PartKind::LeftOut, LEFT_OUT_NAME, &left_out)));
    parts
}

/// A file that can be read and is not too long; else why it does not go along.
fn part(storage: &dyn Storage, kind: PartKind, path: &Path, limit: u64) -> Result<ReportPart, String> {
    let source = storage.open(path).map_err(|error| error.reason_in_words())?;
    let size = source.len();
    if size > limit {
        return Err(format!("it has {}, and {} go along at most", size_text(size), size_text(limit)));
    }
    let bytes = source.head(HELD_BYTES).map_err(|reason| StorageError::at(StorageAction::Read, path)(reason).reason_in_words())?;
    let file = (size > bytes.len() as u64).then(|| (path.to_path_buf(), size));
    Ok(ReportPart { kind, name: name_of(path), bytes: bytes.to_vec(), file })
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Writes the parts as a tar file (POSIX ustar): a header block and the bytes, padded, for each part, and two empty blocks.
///
/// # Errors
/// If the file cannot be written, or a file that goes along not be read any more; one that was there stays, as does one that came there meanwhile
/// where none is to be replaced.
pub fn write_report(storage: &dyn Storage, path: &Path, parts: &[ReportPart], at: u64, replaces: bool) -> Result<(), StorageError> {
    let target = storage.resolve(path)?;
    let TempFile { path: temp, mut writer } = storage.create_temp(&target)?;
    let guard = TempGuard::new(storage, &temp);
    for part in parts {
        write_part(storage, &mut *writer, &target, part, at)?;
    }
    let end = writer.write_all(&[0; 2 * BLOCK]).and_then(|()| writer.sync());
    end.map_err(StorageError::at(StorageAction::Write, &target))?;
    drop(writer);
    storage.move_into_place(&temp, &target, replaces)?;
    guard.release();
    sync_name(storage, &target);
    Ok(())
}

fn write_part(storage: &dyn Storage, out: &mut dyn Write, target: &Path, part: &ReportPart, at: u64) -> Result<(), StorageError> {
    let mut write = |bytes: &[u8]| out.write_all(bytes).map_err(StorageError::at(StorageAction::Write, target));
    let mut size = part.size_bytes();
    match &part.file {
        None => {
            write(&headers(&part.name, size, at))?;
            write(&part.bytes)?;
        }
        Some((path, _)) => {
            let source = storage.open(path)?;
            // A journal may have grown since, or lost half a line.
            size = size.min(source.len());
            write(&headers(&part.name, size, at))?;
            let mut block = vec![0; COPY_BYTES];
            let mut offset = 0;
            while offset < size {
                let length = usize::try_from(size - offset).map_or(COPY_BYTES, |left| left.min(COPY_BYTES));
                let bytes = block.get_mut(..length).unwrap_or_default();
                source.read_at(offset, bytes).map_err(StorageError::at(StorageAction::Read, path))?;
                write(bytes)?;
                offset += length as u64;
            }
        }
    }
    let padding = size.next_multiple_of(BLOCK as u64) - size;
    write([0; BLOCK].get(..usize::try_from(padding).unwrap_or_default()).unwrap_or_default())
}

/// The block before a file, and where that has no room for its name, one that gives it in full before that (POSIX pax).
fn headers(name: &str, size: u64, at: u64) -> Vec<u8> {
    let own = header(name, size, at, "0");
    if name.len() < NAME_BYTES && name.bytes().all(|byte| byte.is_ascii_graphic()) {
        return own.into();
    }
    // The length of a record counts itself.
    let rest = format!(" path={name}\n");
    let length =
        (1..).map(|digits| rest.len() + digits).find(|length| length.to_string().len() + rest.len() == *length).unwrap_or_default();
    let mut record = format!("{length}{rest}").into_bytes();
    let whole = header("name", record.len() as u64, at, "x");
    record.resize(record.len().next_multiple_of(BLOCK), 0);
    [&whole[..], &record, &own].concat()
}

fn header(name: &str, size: u64, at: u64, kind: &str) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |from: usize, text: &str| {
        for (to, byte) in block.iter_mut().skip(from).zip(text.bytes()) {
            *to = byte;
        }
    };
    let name: String = name.chars().map(|c| if c.is_ascii_graphic() { c } else { '_' }).take(NAME_BYTES - 1).collect();
    put(0, &name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, &format!("{at:011o}"));
    // The sum is taken with blanks in its own place.
    put(148, "        ");
    put(156, kind);
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
            [ReportPart { kind: PartKind::Crash, name: "crash-1-1.txt".into(), bytes: b"one".to_vec(), file: None }]
        );
        let journals = journal_parts(&storage, Path::new("j"));
        assert_eq!(journals.iter().map(|part| &*part.name).collect::<Vec<_>>(), ["a.journal", "a.base"]);
        write_report(&storage, Path::new("r/out.tar"), &journals[..1], 7, false).unwrap();
        let bytes = storage.get("r/out.tar").unwrap();
        assert_eq!(
            (bytes.len(), &bytes[..9], &bytes[257..262], &bytes[512..517]),
            (4 * 512, &b"a.journal"[..], &b"ustar"[..], &b"steps"[..])
        );
        assert_eq!(&bytes[124..135], b"00000000005");
        // What came to its place since stays where nothing is to be replaced.
        storage.put("r/out.tar", b"map");
        let error = write_report(&storage, Path::new("r/out.tar"), &journals[..1], 7, false).unwrap_err();
        assert_eq!((error.reason.kind(), storage.get("r/out.tar").as_deref()), (std::io::ErrorKind::AlreadyExists, Some(&b"map"[..])));
        write_report(&storage, Path::new("r/out.tar"), &journals[..1], 7, true).unwrap();
        assert_eq!(storage.get("r/out.tar").unwrap(), bytes);
        assert!(crash_parts(&storage, Path::new("none")).is_empty());
    }

    #[test]
    fn the_copies_that_a_journal_which_was_put_aside_starts_from_go_along() {
        let storage = FaultyStorage::with(&[("j/a-old1.journal", b"steps"), ("j/a.base", b"map"), ("j/b.base", b"x")]);
        let journals = journal_parts(&storage, Path::new("j"));
        assert_eq!(journals.iter().map(|part| &*part.name).collect::<Vec<_>>(), ["a-old1.journal", "a.base"]);
    }

    #[test]
    fn names_that_are_long_or_not_ascii_come_back_whole() {
        let names =
            ["a.journal", "Zürich-1.journal", "with space.txt", &"ö".repeat(60), &"x".repeat(98), &"x".repeat(99), &"x".repeat(100)];
        for name in names {
            let blocks = headers(name, 5, 7);
            let is_plain = name.is_ascii() && name.len() < 100 && !name.contains(' ');
            assert_eq!(blocks.len(), if is_plain { BLOCK } else { 3 * BLOCK }, "{name}");
            if is_plain {
                assert!(blocks.starts_with(format!("{name}\0").as_bytes()));
                continue;
            }
            assert_eq!(blocks[156], b'x');
            let record = String::from_utf8(blocks[BLOCK..2 * BLOCK].iter().copied().take_while(|byte| *byte != 0).collect()).unwrap();
            let (length, text) = record.split_once(' ').unwrap();
            assert_eq!((length.parse(), text), (Ok(record.len()), &*format!("path={name}\n")));
            assert_eq!(blocks[2 * BLOCK + 156], b'0');
        }
    }

    #[test]
    fn all_that_lies_beside_a_journal_goes_along_and_what_is_too_long_is_named() {
        let (long, map) = (vec![7; 3 * HELD_BYTES + 5], vec![9; COPY_BYTES + 700]);
        let storage = FaultyStorage::with(&[
            ("j/a.journal", &*long),
            ("j/a.base", &*map),
            ("j/a.spadework.yaml", b"name: A"),
            ("j/a.txt", b"name = 'A'"),
            ("j/a.lock", b""),
            ("j/a.b.base", b"x"),
            ("r/x", b""),
        ]);
        let parts = journal_parts(&storage, Path::new("j"));
        let told: Vec<_> = parts.iter().map(|part| (&*part.name, part.size_bytes())).collect();
        let sizes = [("a.journal", long.len() as u64), ("a.base", map.len() as u64), ("a.spadework.yaml", 7), ("a.txt", 10)];
        assert_eq!(told, sizes);
        assert!(parts.iter().all(|part| part.bytes.len() <= HELD_BYTES), "a long file is not held");
        // It goes on being written meanwhile.
        storage.put("j/a.journal", &vec![7; long.len() + 99]);
        write_report(&storage, Path::new("r/out.tar"), &parts, 7, false).unwrap();
        let bytes = storage.get("r/out.tar").unwrap();
        let mut at = 0;
        for (part, whole) in parts.iter().zip([&*long, &*map, b"name: A", b"name = 'A'"]) {
            assert!(bytes[at..].starts_with(part.name.as_bytes()));
            assert_eq!(&bytes[at + 124..at + 135], format!("{:011o}", whole.len()).as_bytes());
            assert!(bytes[at + BLOCK..].starts_with(whole), "{}", part.name);
            at += BLOCK + whole.len().next_multiple_of(BLOCK);
        }
        assert_eq!(bytes.len(), at + 2 * BLOCK);

        let parts = journal_parts_up_to(&storage, Path::new("j"), long.len() as u64 + 99);
        let last = parts.last().unwrap();
        assert_eq!((parts.len(), last.kind, &*last.name), (4, PartKind::LeftOut, LEFT_OUT_NAME));
        assert_eq!(String::from_utf8_lossy(&last.bytes), "a.base is left out: it has 1 MB, and 196 kB go along at most\n");
        assert!(!PartKind::LeftOut.is_usual());
    }
}
