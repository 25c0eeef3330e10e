//! Journals as they are written, damaged and read, on a disk that fails.

use std::io::Write as _;
use std::sync::Mutex;

use super::*;
use crate::document::ObjectId;
use crate::editor::storage::testing::{Fault, FaultyStorage};
use crate::editor::storage::{RealStorage, folder_of};
use crate::format::MemorySource;

pub(super) fn header() -> JournalHeader {
    JournalHeader {
        version: COMMAND_VERSION,
        layout: frames::LAYOUT,
        app: "0".into(),
        map: Some(StoredPath("m/a.vxl".into())),
        from: None,
        format: "vxl".into(),
        options: Options::new(),
        base: vec![(StoredPath("a.base".into()), ContentHash::of(b""))],
        stamps: Stamps::default(),
        at: 7,
        of_snapshot: false,
        origin: None,
        asked: Options::new(),
        last_object: Some(ObjectId::default()),
    }
}

pub(super) fn entries() -> Vec<JournalEntry> {
    let command = serde_json::from_str(r##"{"set":{"at":[1,2,60],"color":"#ff8000"}}"##).unwrap();
    let map = StoredPath("m/b.vxl".into());
    let saved = JournalEntry::Saved { number: Some(1), map, format: Some("vxl".into()), options: None, stamps: Stamps::default() };
    let saving = JournalEntry::Saving { number: 1 };
    vec![JournalEntry::Do { command, at: 9 }, saving, JournalEntry::Undo, JournalEntry::Redo, saved, JournalEntry::Jump { to: 0 }]
}

fn written() -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut frames) = FrameWriter::begin(&header()).unwrap();
    let mut ends = vec![bytes.len()];
    for entry in entries() {
        bytes.extend(frames.entry(&entry).unwrap());
        ends.push(bytes.len());
    }
    (bytes, ends)
}

#[test]
fn what_has_no_json_is_no_line() {
    let modified = Some(std::time::UNIX_EPOCH - std::time::Duration::from_secs(1));
    let stamp = crate::editor::files::Stamp { len: 0, modified, identity: None, hash: ContentHash::of(b""), unreadable: false };
    let stamps = Stamps([("m/a.vxl".into(), stamp)].into());
    assert!(FrameWriter::begin(&JournalHeader { stamps: stamps.clone(), ..header() }).is_err());
    let (mut frames, saved) = (FrameWriter::begin(&header()).unwrap().1, entries().remove(4));
    let JournalEntry::Saved { number, map, format, .. } = saved else { panic!("{saved:?}") };
    let before = frames.mark();
    assert!(frames.entry(&JournalEntry::Saved { number, map, format, options: None, stamps }).is_err());
    assert_eq!(frames.mark(), before);
}

#[test]
fn a_journal_cut_anywhere_gives_the_steps_before_the_cut() {
    let (bytes, ends) = written();
    for cut in 0..=bytes.len() {
        let whole = ends.iter().filter(|end| **end <= cut).count();
        // The second of the two headers is missing, or part of it.
        let header = ends[0] / 2;
        match read_journal(&bytes[..cut]) {
            None => assert!(cut < header),
            Some(content) => {
                assert_eq!(content.entries, entries()[..whole.saturating_sub(1)]);
                let end = if whole == 0 { header } else { ends[whole - 1] };
                // Where the second header is missing, all of it is.
                assert_eq!(content.damage, (end < cut || cut == header).then_some(end));
            }
        }
    }
}

#[test]
fn a_flipped_bit_ends_the_journal_there() {
    let (bytes, ends) = written();
    // Of the blanks that fill the headers, some.
    for bit in (0..bytes.len() * 8).filter(|bit| bytes[bit / 8] != b' ' || bit % 97 == 0) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let whole = ends.iter().filter(|end| **end <= bit / 8).count();
        let content = read_journal(&flipped).unwrap_or_else(|| panic!("bit {bit}"));
        assert_eq!(content.header, header(), "bit {bit}");
        // The header stands there twice.
        let whole = if whole == 0 { ends.len() } else { whole };
        assert_eq!(content.entries, entries()[..whole - 1], "bit {bit}");
        assert_eq!(content.damage, Some(ends[whole - 1]).filter(|end| *end < bytes.len()), "bit {bit}");
    }
}

#[test]
fn the_header_of_another_journal_in_the_place_of_one_of_the_two_loses_nothing() {
    let (bytes, ends) = written();
    let other = JournalHeader { base: vec![(StoredPath("b.base".into()), ContentHash::of(b"b"))], ..header() };
    let (other, _) = FrameWriter::begin(&other).unwrap();
    let half = ends[0] / 2;
    for place in [0..half, half..ends[0]] {
        let mut mixed = bytes.clone();
        mixed[place.clone()].copy_from_slice(&other[place.clone()]);
        let content = read_journal(&mixed).unwrap();
        assert_eq!((&content.header, content.damage), (&header(), None), "{place:?}");
        assert_eq!(content.entries, entries(), "{place:?}");
        assert_eq!(frames::named_copies_stem(&MemorySource(mixed.into())).unwrap().as_deref(), Some("a"), "{place:?}");
    }
    // Without an entry nothing tells them apart.
    let both = [&other[..half], &bytes[half..ends[0]]].concat();
    assert_eq!(read_journal(&both).unwrap().header.base[0].0, StoredPath("b.base".into()));
}

#[test]
fn lines_that_are_missing_doubled_or_exchanged_end_the_journal_there() {
    let (bytes, ends) = written();
    let lines: Vec<&[u8]> = std::iter::once(&bytes[..ends[0]]).chain(ends.windows(2).map(|pair| &bytes[pair[0]..pair[1]])).collect();
    for at in 1..lines.len() - 1 {
        let mut missing = lines.clone();
        missing.remove(at);
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at]);
        let mut exchanged = lines.clone();
        exchanged.swap(at, at + 1);
        for (lines, whole) in [(missing, at), (doubled, at + 1), (exchanged, at)] {
            let content = read_journal(&lines.concat()).unwrap();
            if content.entries.len() == whole && at == 1 {
                // The first entry is found a little behind its place, too.
                assert!(content.entries == entries()[..1] && content.damage.is_some());
                continue;
            }
            assert_eq!(content.entries, entries()[..whole - 1], "line {at}");
            assert_eq!(content.damage, Some(ends[whole - 1]), "line {at}");
        }
    }
}

#[test]
fn a_header_that_is_missing_doubled_longer_or_shorter_loses_nothing() {
    let (bytes, ends) = written();
    let line = ends[0] / 2;
    let with = |beginning: &[&[u8]]| [&beginning.concat(), &bytes[ends[0]..]].concat();
    let (header, mut longer) = (&bytes[..line], bytes[..line].to_vec());
    longer.insert(40, b'x');
    let shorter = [&header[..30], &header[31..]].concat();
    for beginning in [&[header][..], &[header; 3], &[header, &longer], &[&longer, header], &[header, &shorter], &[&shorter, header]] {
        let content = read_journal(&with(beginning)).unwrap();
        assert_eq!((content.entries.to_vec(), content.damage), (entries(), None));
    }
}

#[test]
fn journals_of_the_first_layout_are_read() {
    let old = JournalHeader { layout: 0, ..header() };
    let mut bytes = frame(&old).unwrap();
    let all = entries();
    all.iter().for_each(|entry| bytes.extend(frame(entry).unwrap()));
    let read = read_journal(&bytes).unwrap();
    assert_eq!((read.header, read.entries.to_vec(), read.damage), (old, all, None));
}

pub(super) fn base() -> JournalBase {
    JournalBase::Opened {
        file: None,
        format: "vxl",
        options: Options::new(),
        bytes: Some(b"map"[..].into()),
        hash: None,
        sidecars: vec![(".spadework.yaml", b"x"[..].into())],
    }
}

#[test]
fn steps_are_on_the_disk_after_a_flush_and_gone_after_a_discard() {
    let storage = FaultyStorage::default();
    let path = journal_path(Path::new("s"), Some(Path::new("m/a.b.vxl")), 7, 1);
    let journal = Journal::start(Arc::new(storage.clone()), path.clone(), None, base(), Stamps::default(), 7);
    entries().into_iter().for_each(|entry| _ = journal.append(entry));
    journal.flush();
    assert_eq!(journal.failure(), None);
    let content = read_journal(&storage.get(&path).unwrap()).unwrap();
    assert_eq!((content.entries.to_vec(), content.damage), (entries(), None));
    assert_eq!(storage.get(path.with_extension("base")).unwrap(), b"map");
    assert!(storage.lock(&lock_path(&path)).unwrap().is_none());
    storage.put("s/other.journal", b"");
    journal.discard();
    assert_eq!(storage.all().into_keys().collect::<Vec<_>>(), [Path::new("s/other.journal")]);
}

#[test]
fn a_full_journal_keeps_what_it_has_and_says_so() {
    let storage = FaultyStorage::default();
    let path = Path::new("s/a.journal");
    storage.create_folder(folder_of(path)).unwrap();
    let (bytes, ends) = written();
    let (sender, receiver) = mpsc::channel();
    entries().into_iter().for_each(|entry| sender.send(Message::Append(Box::new(entry), None)).unwrap());
    let acknowledged = AtomicU64::new(0);
    let terms = Terms { most_bytes: ends[3] as u64 + 1, ..Terms::default() };
    let begin = |_: &dyn Storage| {
        let (lines, frames) = (Some(bytes[..ends[0]].to_vec()), FrameWriter::begin(&header()).unwrap().1);
        Ok(Begun { lines, frames, base: vec![] })
    };
    let told = Told::default();
    let ended = run(&mut Writer::new(&storage, path, begin, &acknowledged, None, &told, terms), &receiver);
    assert!(matches!(ended, Err(JournalError::Full { .. })), "{ended:?}");
    assert_eq!(acknowledged.load(Ordering::Acquire), 3);
    assert_eq!(storage.get(path).unwrap(), bytes[..ends[3]]);
}

#[test]
fn a_disk_that_fails_once_is_tried_again() {
    for (index, kind) in (0..20).flat_map(|index| [io::ErrorKind::StorageFull, io::ErrorKind::Interrupted].map(|kind| (index, kind))) {
        let disk = FaultyStorage::default();
        disk.fail_at(index, Fault::Once(kind));
        let journal = Journal::start(Arc::new(disk.clone()), "s/a.journal".into(), None, base(), Stamps::default(), 7);
        let told = Arc::new(Mutex::new(vec![]));
        for entry in entries() {
            let (told, disk) = (told.clone(), disk.clone());
            journal.append_then(entry, move |number| {
                // What is told is in the file already.
                let content = read_journal(&disk.get("s/a.journal").unwrap()).unwrap();
                assert_eq!((content.entries.len() as u64, content.damage), (number, None));
                told.lock().unwrap().push(number);
            });
        }
        journal.flush();
        assert_eq!(*told.lock().unwrap(), (1..=journal.acknowledged()).collect::<Vec<_>>());
        let content = disk.get("s/a.journal").map(|bytes| read_journal(&bytes).expect("a journal without a beginning"));
        let whole = content.map_or(0, |content| content.entries.len() as u64);
        assert!(journal.acknowledged() <= whole, "operation {index}: {} of {whole}", journal.acknowledged());
        match journal.failure() {
            Some(failure) => panic!("{index}: {failure}"),
            None => assert_eq!((journal.acknowledged(), whole), (journal.appended(), journal.appended()), "{index}"),
        }
    }
}

#[test]
fn steps_wait_for_a_disk_that_is_full_and_are_written_when_it_is_not() {
    let disk = FaultyStorage::default();
    let journal = Journal::start(Arc::new(disk.clone()), "s/a.journal".into(), None, base(), Stamps::default(), 7);
    let (all, half) = (entries(), entries().len() / 2);
    all[..half].iter().for_each(|entry| _ = journal.append(entry.clone()));
    journal.flush();
    // A write that takes half a line, and nothing more for a while.
    disk.fill_up(5);
    all[half..].iter().for_each(|entry| _ = journal.append(entry.clone()));
    journal.flush();
    assert!(journal.failure().is_some_and(|failure| failure.contains("the disk is full")), "{:?}", journal.failure());
    assert_eq!(journal.acknowledged(), half as u64);
    let content = read_journal(&disk.get("s/a.journal").unwrap()).unwrap();
    assert_eq!((content.entries.to_vec(), content.damage.is_some()), (all[..half].to_vec(), true));
    disk.fill_up(u64::MAX);
    journal.flush();
    assert_eq!((journal.failure(), journal.acknowledged()), (None, all.len() as u64));
    let content = read_journal(&disk.get("s/a.journal").unwrap()).unwrap();
    assert_eq!((content.entries.to_vec(), content.damage), (all, None));
}

#[test]
fn a_disk_block_of_zeros_over_one_of_the_headers_loses_nothing() {
    let (bytes, ends) = written();
    let block = 4096;
    assert_eq!(ends[0], 2 * block);
    for at in (0..ends[0]).step_by(block) {
        let mut zeroed = bytes.clone();
        zeroed[at..ends[0].min(at + block)].fill(0);
        let content = read_journal(&zeroed).unwrap_or_else(|| panic!("block at {at}"));
        assert_eq!((content.header, content.entries.to_vec(), content.damage), (header(), entries(), None), "block at {at}");
    }
}

#[test]
fn the_new_folder_of_the_first_journal_outlasts_a_power_loss() {
    let disk = FaultyStorage::default();
    let path = Path::new("state/spadework/a.journal");
    let journal = Journal::start(Arc::new(disk.clone()), path.into(), None, base(), Stamps::default(), 7);
    entries().into_iter().for_each(|entry| _ = journal.append(entry));
    journal.flush();
    assert_eq!(journal.acknowledged(), entries().len() as u64);
    disk.fail_at(0, Fault::Crash);
    drop(journal);
    assert!(disk.list(Path::new("state/spadework")).is_err(), "it has died");
    disk.restart();
    let left = disk.get(path).expect("the folder lasts");
    assert_eq!(read_journal(&left).unwrap().entries.to_vec(), entries());
}

#[test]
fn a_journal_whose_thread_breaks_off_says_so() {
    let storage = FaultyStorage::default();
    let begin = |_: &dyn Storage| -> Result<Begun, JournalError> { panic!("on purpose") };
    let journal = Journal::spawn(Arc::new(storage), "s/a.journal".into(), None, 0, Arc::default(), Terms::default(), begin);
    journal.append(JournalEntry::Undo);
    journal.flush();
    assert_eq!(journal.failure(), Some(JournalError::Broken.to_string()));
    assert_eq!((journal.acknowledged(), journal.mark()()), (0, None));
}

#[test]
fn a_long_journal_is_read_a_part_at_a_time() {
    // Longer than what is read at once, with an entry that is longer itself.
    let path: Vec<[i32; 3]> = (0..200_000).map(|x| [x % 512, x / 512, 60]).collect();
    let stroke = serde_json::json!({"do": {"command": {"stroke": {"path": path}}, "at": 5}});
    let long: JournalEntry = serde_json::from_value(stroke).unwrap();
    let many = || entries().into_iter().cycle().take(20_000);
    let all: Vec<JournalEntry> = many().chain([long]).chain(many()).collect();
    let (mut bytes, mut frames) = FrameWriter::begin(&header()).unwrap();
    all.iter().for_each(|entry| bytes.extend(frames.entry(entry).unwrap()));
    assert!(bytes.len() > 4 << 20, "{}", bytes.len());
    let content = read_journal(&bytes).unwrap();
    assert_eq!((content.entries.len(), content.damage), (all.len(), None));
    assert!(content.entries == all && content.entries.kinds().eq(all.iter().map(EntryKind::of)));
    for number in [0, 19_999, 20_000, 20_001, 40_000] {
        assert_eq!(content.entries.get(number).as_ref(), all.get(number), "{number}");
    }
    assert_eq!(content.entries.get(all.len()), None);
    let mut picked = content.entries.picked(3, [20_000, 19_999]);
    assert_eq!(picked.to_vec(), [&all[..3], &all[20_000..20_001], &all[19_999..20_000]].concat());
    picked.truncate(4);
    assert!(picked == [&all[..3], &all[20_000..20_001]].concat() && !picked.is_all());
    picked.truncate(2);
    assert_eq!(picked.to_vec(), &all[..2]);
    assert_eq!(FrameWriter::behind(&content).map(|behind| behind.mark()), content.mark(all.len()));
    assert!(FrameWriter::behind(&read_journal(&bytes[..bytes.len() - 9]).unwrap()).is_none());
}

#[test]
fn a_whole_journal_is_gone_on_with_as_it_is() {
    let disk = FaultyStorage::default();
    let path = Path::new("s/a.journal");
    let journal = Journal::start(Arc::new(disk.clone()), path.into(), None, base(), Stamps::default(), 7);
    entries().into_iter().for_each(|entry| _ = journal.append(entry));
    journal.flush();
    drop(journal);
    let before = disk.get(path).unwrap();
    let content = read_journal(&before).unwrap();
    let lock = disk.lock(&lock_path(path)).unwrap().unwrap();
    let journal = Journal::resume(Arc::new(disk.clone()), path.into(), &content, lock);
    journal.append(JournalEntry::Redo);
    journal.flush();
    assert_eq!(journal.failure(), None);
    let after = disk.get(path).unwrap();
    assert!(after.starts_with(&before) && after.len() > before.len());
    let all: Vec<_> = entries().into_iter().chain([JournalEntry::Redo]).collect();
    assert_eq!(read_journal(&after).unwrap().entries.to_vec(), all);
}

#[test]
fn a_journal_that_changed_since_it_was_read_is_written_anew_and_what_others_wrote_is_kept() {
    type Meanwhile = fn(&FaultyStorage, &JournalContent);
    let path = Path::new("s/a.journal");
    let meanwhiles: [(&str, Meanwhile, bool); 6] = [
        ("nothing", |_, _| (), false),
        ("it is removed", |disk, _| disk.remove(Path::new("s/a.journal")).unwrap(), false),
        ("it is cut", |disk, _| disk.cut("s/a.journal", 8200), false),
        ("a page is torn", |disk, _| disk.append(Path::new("s/a.journal")).unwrap().write_all(&[0; 512]).unwrap(), false),
        (
            "another one cuts it and goes on",
            |disk, content| {
                let (mut bytes, mut frames) = FrameWriter::begin(&content.header).unwrap();
                bytes.extend(frames.entry(&JournalEntry::Undo).unwrap());
                disk.put("s/a.journal", &bytes);
            },
            true,
        ),
        (
            "another one goes on with it",
            |disk, content| {
                let mut bytes = disk.get("s/a.journal").unwrap();
                bytes.extend(FrameWriter::behind(content).unwrap().entry(&JournalEntry::Undo).unwrap());
                disk.put("s/a.journal", &bytes);
            },
            true,
        ),
    ];
    for (what, meanwhile, is_kept) in meanwhiles {
        for index in [None, Some(0), Some(2), Some(4), Some(6), Some(8)] {
            let disk = FaultyStorage::default();
            drop(kept(&disk));
            let content = read_journal_of(disk.open(path).unwrap()).unwrap();
            meanwhile(&disk, &content);
            let theirs = disk.get(path);
            let lock = disk.lock(&lock_path(path)).unwrap().unwrap();
            if let Some(index) = index {
                disk.fail_at(index, Fault::Once(io::ErrorKind::StorageFull));
            }
            let journal = Journal::resume(Arc::new(disk.clone()), path.into(), &content, lock);
            entries()[2..].iter().for_each(|entry| _ = journal.append(entry.clone()));
            (0..3).for_each(|_| journal.flush());
            assert_eq!((journal.failure(), journal.acknowledged()), (None, entries().len() as u64), "{what}, {index:?}");
            let read = read_journal(&disk.get(path).unwrap()).unwrap();
            assert_eq!((read.entries.to_vec(), read.damage), (entries(), None), "{what}, {index:?}");
            let aside = journal.take_put_aside();
            assert_eq!(aside.len(), usize::from(is_kept), "{what}, {index:?}: {aside:?}");
            assert!(aside.iter().all(|aside| disk.get(aside) == theirs), "{what}, {index:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_journal_that_was_cut_under_whoever_read_it_is_not_written_anew_with_less() {
    let folder = tempfile::tempdir().unwrap();
    let (path, (bytes, ends)) = (folder.path().join("a.journal"), written());
    std::fs::write(&path, &bytes).unwrap();
    let content = read_journal_of(RealStorage.open(&path).unwrap()).unwrap();
    assert_eq!(content.entries.len(), entries().len());
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_len(ends[3] as u64).unwrap();
    let lock = RealStorage.lock(&lock_path(&path)).unwrap().unwrap();
    let journal = Journal::resume(Arc::new(RealStorage), path.clone(), &content, lock);
    journal.append(JournalEntry::Redo);
    journal.flush();
    assert_eq!(journal.failure(), Some(JournalError::Lost.to_string()));
    assert_eq!(std::fs::read(&path).unwrap(), bytes[..ends[3]]);
}

/// A journal of two steps, each of which notes what the disk holds of it when it is told to be kept.
pub(super) fn kept(disk: &FaultyStorage) -> (Journal, Arc<Mutex<Vec<u64>>>) {
    let journal = Journal::start(Arc::new(disk.clone()), "s/a.journal".into(), None, base(), Stamps::default(), 7);
    let told = Arc::new(Mutex::new(vec![]));
    entries()[..2].iter().for_each(|entry| keep(&journal, disk, entry, &told));
    journal.flush();
    assert_eq!((journal.failure(), &*told.lock().unwrap()), (None, &vec![1, 2]));
    (journal, told)
}

fn keep(journal: &Journal, disk: &FaultyStorage, entry: &JournalEntry, told: &Arc<Mutex<Vec<u64>>>) {
    let (told, disk) = (told.clone(), disk.clone());
    journal.append_then(entry.clone(), move |number| {
        let content = disk.get("s/a.journal").and_then(|bytes| read_journal(&bytes)).expect("told of a journal that is not there");
        assert_eq!((content.entries.len() as u64, content.damage), (number, None));
        told.lock().unwrap().push(number);
    });
}

#[test]
fn a_journal_that_somebody_removes_or_changes_is_made_anew_before_anything_more_is_told() {
    type Harm = fn(&FaultyStorage);
    let harms: [(&str, Harm); 8] = [
        ("the lock is removed", |disk| disk.remove(Path::new("s/a.lock")).unwrap()),
        ("the folder is removed", |disk| disk.remove_folder("s")),
        ("the journal is removed", |disk| disk.remove(Path::new("s/a.journal")).unwrap()),
        ("all but the lock is removed", |disk| {
            ["s/a.journal", "s/a.base", "s/a.spadework.yaml"].iter().for_each(|path| disk.remove(Path::new(path)).unwrap());
        }),
        ("another file takes its place", |disk| disk.put("s/a.journal", &disk.get("s/a.journal").unwrap())),
        ("it is cut to its beginning", |disk| disk.cut("s/a.journal", 8192)),
        ("it is emptied", |disk| disk.cut("s/a.journal", 0)),
        ("it and the copies are emptied", |disk| {
            ["s/a.journal", "s/a.base", "s/a.spadework.yaml"].iter().for_each(|path| disk.cut(path, 0));
        }),
    ];
    for (what, harm) in harms {
        for is_flushed in [true, false] {
            let disk = FaultyStorage::default();
            let (journal, told) = kept(&disk);
            harm(&disk);
            if is_flushed {
                // Nothing is written then: it is seen all the same.
                journal.flush();
                assert_eq!(read_journal(&disk.get("s/a.journal").unwrap()).unwrap().entries, entries()[..2], "{what}");
            }
            entries()[2..].iter().for_each(|entry| keep(&journal, &disk, entry, &told));
            journal.flush();
            assert_eq!((journal.failure(), journal.acknowledged()), (None, entries().len() as u64), "{what}");
            assert_eq!(*told.lock().unwrap(), (1..=entries().len() as u64).collect::<Vec<_>>(), "{what}");
            let content = read_journal(&disk.get("s/a.journal").unwrap()).unwrap();
            assert_eq!((content.entries.to_vec(), content.damage), (entries(), None), "{what}");
            assert_eq!(
                (disk.get("s/a.base").unwrap(), disk.get("s/a.spadework.yaml").unwrap()),
                (b"map".to_vec(), b"x".to_vec()),
                "{what}"
            );
            assert!(disk.lock(&lock_path(Path::new("s/a.journal"))).unwrap().is_none(), "{what}: nobody takes it for a leftover");
            journal.discard();
            assert!(disk.all().is_empty(), "{what}: {:?}", disk.all().keys());
        }
    }
}

#[test]
fn nothing_is_told_while_a_removed_journal_cannot_be_made_anew() {
    let disk = FaultyStorage::default();
    let (journal, told) = kept(&disk);
    disk.remove_folder("s");
    disk.fill_up(0);
    entries()[2..].iter().for_each(|entry| keep(&journal, &disk, entry, &told));
    journal.flush();
    assert!(journal.failure().is_some_and(|failure| failure.contains("the disk is full")), "{:?}", journal.failure());
    assert_eq!((journal.acknowledged(), told.lock().unwrap().len()), (0, 2), "what was told before is not there either");
    disk.fill_up(u64::MAX);
    journal.flush();
    assert_eq!((journal.failure(), journal.acknowledged()), (None, entries().len() as u64));
    assert_eq!(*told.lock().unwrap(), (1..=entries().len() as u64).collect::<Vec<_>>());
    assert_eq!(read_journal(&disk.get("s/a.journal").unwrap()).unwrap().entries.to_vec(), entries());
}

#[test]
fn a_journal_that_was_gone_on_with_is_made_anew_whole() {
    let disk = FaultyStorage::default();
    let (journal, told) = kept(&disk);
    drop(journal);
    let path = Path::new("s/a.journal");
    let content = read_journal(&disk.get(path).unwrap()).unwrap();
    let lock = disk.lock(&lock_path(path)).unwrap().unwrap();
    let journal = Journal::resume(Arc::new(disk.clone()), path.into(), &content, lock);
    journal.flush();
    disk.remove_folder("s");
    entries()[2..].iter().for_each(|entry| keep(&journal, &disk, entry, &told));
    journal.flush();
    assert_eq!((journal.failure(), journal.acknowledged()), (None, entries().len() as u64));
    assert_eq!(read_journal(&disk.get(path).unwrap()).unwrap().entries.to_vec(), entries());
    assert_eq!(disk.get("s/a.base").unwrap(), b"map");
}

#[test]
fn a_removed_journal_fails_once_and_is_made_anew_wherever_the_disk_fails() {
    for index in 0..24 {
        let disk = FaultyStorage::default();
        let (journal, told) = kept(&disk);
        disk.remove_folder("s");
        disk.fail_at(index, Fault::Once(io::ErrorKind::StorageFull));
        entries()[2..].iter().for_each(|entry| keep(&journal, &disk, entry, &told));
        // Which tries again.
        (0..3).for_each(|_| journal.flush());
        assert_eq!((journal.failure(), journal.acknowledged()), (None, entries().len() as u64), "operation {index}");
        assert_eq!(*told.lock().unwrap(), (1..=entries().len() as u64).collect::<Vec<_>>(), "operation {index}");
        assert_eq!(read_journal(&disk.get("s/a.journal").unwrap()).unwrap().entries.to_vec(), entries(), "operation {index}");
        assert_eq!(disk.get("s/a.base").unwrap(), b"map", "operation {index}");
    }
}

#[test]
fn what_lies_beside_a_journal_is_watched_too() {
    let disk = FaultyStorage::default();
    let path = Path::new("s/a.journal");
    disk.create_folder(folder_of(path)).unwrap();
    let begin = |storage: &dyn Storage| {
        let base = base().copy(storage, path)?.files;
        let (lines, frames) = FrameWriter::begin(&JournalHeader { base: base.clone(), ..header() }).unwrap();
        Ok(Begun { lines: Some(lines), frames, base })
    };
    let acknowledged = AtomicU64::new(0);
    let told = Told::default();
    let mut writer = Writer::new(&disk, path, begin, &acknowledged, None, &told, Terms::default());
    writer.write().unwrap();
    let before = disk.all();
    for path in before.keys() {
        disk.remove(path).unwrap();
        writer.watch().unwrap();
        assert_eq!(disk.all(), before, "{}", path.display());
        assert!(disk.lock(Path::new("s/a.lock")).unwrap().is_none(), "{}", path.display());
    }
    // Somebody else takes it for one that was left, and removes it.
    disk.remove(Path::new("s/a.lock")).unwrap();
    let theirs = disk.lock(Path::new("s/a.lock")).unwrap().unwrap();
    writer.waiting.push_back((Box::new(JournalEntry::Undo), None));
    assert!(matches!(writer.write(), Err(JournalError::Held)));
    assert_eq!(acknowledged.load(Ordering::Acquire), 0);
    remove_journal(&disk, path).unwrap();
    drop(theirs);
    writer.write().unwrap();
    assert_eq!(acknowledged.load(Ordering::Acquire), 1);
    assert_eq!(read_journal(&disk.get(path).unwrap()).unwrap().entries, [JournalEntry::Undo][..]);
    assert_eq!(disk.all().len(), before.len());
}

#[test]
fn what_others_wrote_into_a_journal_while_they_had_its_lock_is_kept() {
    type Theirs = fn(&FaultyStorage, &[u8]);
    let path = Path::new("s/a.journal");
    let doings: [(&str, Theirs, bool); 9] = [
        ("nothing", |_, _| (), false),
        ("they discard it", |disk, _| disk.remove(Path::new("s/a.journal")).unwrap(), false),
        ("they cut it", |disk, _| disk.cut("s/a.journal", 8200), false),
        ("they go on with it", |disk, line| disk.append(Path::new("s/a.journal")).unwrap().write_all(line).unwrap(), true),
        (
            "they write it anew and go on",
            |disk, line| disk.put("s/a.journal", &[disk.get("s/a.journal").unwrap(), line.to_vec()].concat()),
            true,
        ),
        ("they write another one", |disk, line| disk.put("s/a.journal", &[&written().0, line].concat()), true),
        (
            "they make other steps of it",
            |disk, _| {
                let (mut bytes, mut frames) = FrameWriter::begin(&JournalHeader { at: 8, ..header() }).unwrap();
                bytes.extend(frames.entry(&JournalEntry::Undo).unwrap());
                disk.put("s/a.journal", &bytes);
            },
            true,
        ),
        // Of nobody.
        ("a page is torn", |disk, _| disk.append(Path::new("s/a.journal")).unwrap().write_all(&[0; 512]).unwrap(), false),
        ("a step is torn", |disk, _| disk.cut("s/a.journal", disk.get("s/a.journal").unwrap().len() - 5), false),
    ];
    for (what, doing, is_kept) in doings {
        for (is_long, index) in (0..30).map(|index| (index % 2 == 0, index / 2)) {
            let disk = FaultyStorage::default();
            disk.create_folder(folder_of(path)).unwrap();
            let begin = |_: &dyn Storage| {
                let (lines, frames) = FrameWriter::begin(&JournalHeader { at: 8, ..header() }).unwrap();
                Ok(Begun { lines: Some(lines), frames, base: vec![] })
            };
            let (acknowledged, told) = (AtomicU64::new(0), Told::default());
            let mut writer = Writer::new(&disk, path, begin, &acknowledged, None, &told, Terms::default());
            let all = entries();
            writer.waiting.push_back((Box::new(all[0].clone()), None));
            writer.write().unwrap();
            if is_long {
                writer.copies.forget_lines();
            }
            disk.remove(&lock_path(path)).unwrap();
            let theirs = disk.lock(&lock_path(path)).unwrap().unwrap();
            let before = disk.get(path).unwrap();
            writer.waiting.push_back((Box::new(all[1].clone()), None));
            assert!(matches!(writer.write(), Err(JournalError::Held)));
            assert!(disk.get(path).unwrap() == before, "{what}: nothing goes into a journal of others");
            let line = FrameWriter::behind(&read_journal(&before).unwrap()).unwrap().entry(&JournalEntry::Undo).unwrap();
            doing(&disk, &line);
            // Of steps that the journal here will not have.
            disk.put("s/a.snapshot", b"theirs");
            let written = disk.get(path);
            assert!(matches!(writer.write(), Err(JournalError::Held)));
            assert!(disk.get(path) == written, "{what}");
            drop(theirs);
            // Somewhere on its way the disk fails once.
            disk.fail_at(index, Fault::Once(io::ErrorKind::StorageFull));
            if writer.write().is_err() {
                writer.write().unwrap();
            }
            assert_eq!(acknowledged.load(Ordering::Acquire), 2, "{what}");
            assert_eq!(read_journal(&disk.get(path).unwrap()).unwrap().entries, all[..2], "{what}");
            let aside = told.take_put_aside();
            assert_eq!(aside.len(), usize::from(is_kept), "{what}, {is_long}, {index}");
            assert_eq!(disk.get("s/a-old1.journal").is_some(), is_kept, "{what}, {is_long}, {index}: it would be offered");
            // What is not known to be the beginning of what was written stays for a while.
            let is_torn = what == "a page is torn" || (is_long && !is_kept && written.as_ref().is_some_and(|bytes| *bytes != before));
            assert!(disk.get("s/a-old1.damaged") == written.clone().filter(|_| is_torn), "{what}, {is_long}, {index}");
            assert!(!is_kept || disk.get("s/a.snapshot").is_none(), "{what}: it would stand for the map");
            assert!(aside.iter().all(|aside| disk.get(aside) == written), "{what}");
        }
    }
}

#[test]
fn a_journal_that_others_have_is_not_discarded_with_the_map() {
    for is_told in [false, true] {
        let disk = FaultyStorage::default();
        let (journal, _) = kept(&disk);
        let lock = lock_path(journal.path());
        disk.remove(&lock).unwrap();
        let theirs = disk.lock(&lock).unwrap().unwrap();
        if is_told {
            journal.flush();
            assert_eq!((journal.failure(), journal.acknowledged()), (Some(JournalError::Held.to_string()), 0));
        }
        let before = disk.all();
        journal.discard();
        assert!(disk.all() == before, "{:?}", disk.all().keys());
        drop(theirs);
    }
    // Without others, it goes, and what is left of its lock.
    let disk = FaultyStorage::default();
    let (journal, _) = kept(&disk);
    disk.remove(&lock_path(journal.path())).unwrap();
    journal.discard();
    assert!(disk.all().is_empty(), "{:?}", disk.all().keys());
}

#[test]
fn the_place_that_a_snapshot_names_is_on_the_disk_before_it_is_named() {
    for index in [0, 3] {
        let disk = FaultyStorage::default();
        let journal = Journal::start(Arc::new(disk.clone()), "s/a.journal".into(), None, base(), Stamps::default(), 7);
        (0..9).for_each(|_| _ = journal.append(JournalEntry::Undo));
        let mark = journal.mark()();
        // The power fails before the lines would be synced by themselves.
        disk.fail_at(index, Fault::Crash);
        (0..=index).for_each(|_| _ = disk.list(Path::new("s")));
        let content = read_journal(&disk.get("s/a.journal").unwrap()).unwrap();
        assert!(mark.is_some() && content.mark(9) == mark, "{index}: {:?}", content.damage);
    }
}
