//! Folders, pipes and links in the places of the files beside a journal: nothing waits for them, follows them or gives up because of them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::{discard_file, find_leftovers, replay, write_snapshot};
use super::set;
use crate::document::{Document, GameProfile, Progress};
use crate::edit::{History, plan};
use crate::editor::files::{OpenOptions, SaveOptions, open_map, save_map};
use crate::editor::journal::{Journal, JournalBase, JournalEntry, first_lines, read_journal};
use crate::editor::storage::{RealStorage, clear_way};
use crate::geom::Region;
use crate::voxel::Store;

/// What lies in the place of a file, in that order.
const KINDS: [&str; 5] = ["folder", "pipe", "link", "link to nothing", "link to itself"];

fn put(kind: &str, path: &Path) {
    let stranger = path.with_file_name("stranger");
    fs::remove_file(path).unwrap_or_default();
    match kind {
        "folder" => {
            fs::create_dir(path).unwrap();
            fs::write(path.join("of somebody"), "x").unwrap();
        }
        "pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "link" => {
            fs::write(&stranger, "of somebody").unwrap();
            symlink(&stranger, path).unwrap();
        }
        "link to nothing" => symlink("nothing", path).unwrap(),
        _ => symlink(path.file_name().unwrap(), path).unwrap(),
    }
}

fn is_plain(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// A map with two steps in a journal that is open, in that folder; the map as it is then.
fn edited(folder: &Path) -> (PathBuf, Journal, Document) {
    let (map, path) = (folder.join("castle.vmf"), folder.join("s/a.journal"));
    let empty = Document::new(Store::new(Region::of_size(glam::IVec3::new(8, 8, 64))), &GameProfile::ACE_OF_SPADES);
    save_map(&RealStorage, &empty, &map, &SaveOptions::default(), &Progress::new()).unwrap();
    let opened = open_map(&RealStorage, &map, &OpenOptions::default(), &Progress::new()).unwrap();
    let (base, mut document) = (JournalBase::of_opened(&opened, &map), opened.document);
    let journal = Journal::start(Arc::new(RealStorage), path.clone(), Some(&map), base, opened.stamps, 7);
    let mut history = History::new();
    for x in 1..3 {
        let change = plan(&document, &set(x), &Progress::new()).unwrap();
        history.commit(&mut document, change);
        journal.append(JournalEntry::Do { command: set(x), at: 10 });
    }
    journal.flush();
    assert_eq!((journal.failure(), journal.acknowledged()), (None, 2));
    (path, journal, document)
}

#[test]
fn what_lies_in_the_place_of_a_file_beside_a_journal_is_moved_told_and_in_nobodys_way() {
    for kind in KINDS {
        for ending in ["lock", "base", "snapshot", "recovered"] {
            let folder = tempfile::tempdir().unwrap();
            let (path, journal, document) = edited(folder.path());
            let mark = journal.mark()();
            drop(journal);
            if ending == "base" {
                // Its map is gone, too: there is the snapshot.
                write_snapshot(&RealStorage, &path, &document, 2, mark).unwrap();
                fs::write(folder.path().join("castle.vmf"), "of somebody").unwrap();
            }
            put(kind, &path.with_extension(ending));
            let mut found = find_leftovers(&RealStorage, &folder.path().join("s"));
            assert!(found.skipped.is_empty() && found.recoverable.len() == 1, "{kind} {ending}: {:?}", found.skipped);
            let found = found.recoverable.pop().unwrap();
            let moved = path.with_file_name(format!("a.{ending}.moved-1"));
            assert_eq!(found.moved, [&*moved], "{kind} {ending}");
            assert!(fs::symlink_metadata(&moved).is_ok(), "{kind} {ending}");
            let replayed = replay(&RealStorage, &found, &Progress::new()).unwrap();
            assert!(replayed.document.store().same_voxels(document.store()), "{kind} {ending}");
            assert_eq!(replayed.is_without_base, ending == "base", "{kind} {ending}");
            // Nobody's files were written to.
            let stranger = path.with_file_name("stranger");
            assert!(fs::read_to_string(stranger).is_ok_and(|text| text == "of somebody") || kind != "link");
            assert!(!path.with_file_name("nothing").exists(), "{kind} {ending}");
        }
    }
}

#[test]
fn a_journal_that_names_the_folder_as_its_copy_moves_nothing() {
    for name in ["", "..", "/", "b/.."] {
        let folder = tempfile::tempdir().unwrap();
        let (path, journal, _) = edited(folder.path());
        drop(journal);
        let mut header = read_journal(&fs::read(&path).unwrap()).unwrap().header;
        header.base[0].0.0 = name.into();
        let other = path.with_file_name("b.journal");
        fs::write(&other, first_lines(&header)).unwrap();
        for _ in 0..2 {
            let found = find_leftovers(&RealStorage, &folder.path().join("s"));
            assert_eq!(found.recoverable.len(), 1, "{name}");
            assert!(found.skipped.len() == 1 && found.skipped[0].journal == other, "{name}");
            assert!(found.skipped[0].reason.is_about_journal() && path.exists());
        }
        discard_file(&RealStorage, &other).unwrap();
        assert!(path.exists() && path.with_extension("base").exists() && !other.exists(), "{name}");
    }
}

#[test]
fn a_journal_whose_disk_is_away_is_told_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (path, journal, _) = edited(folder.path());
    drop(journal);
    let away = folder.path().join("away");
    fs::rename(&path, &away).unwrap();
    let elsewhere = folder.path().join("disk/a.journal");
    symlink(&elsewhere, &path).unwrap();
    let found = find_leftovers(&RealStorage, &folder.path().join("s"));
    let told: Vec<_> = found.skipped.iter().map(|skipped| (&*skipped.journal, skipped.reason.to_string())).collect();
    assert_eq!(told, [(&*path, format!("the journal is a link to {}, which is not there", elsewhere.display()))]);
    fs::create_dir(folder.path().join("disk")).unwrap();
    fs::rename(&away, &elsewhere).unwrap();
    let found = find_leftovers(&RealStorage, &folder.path().join("s"));
    assert!(found.skipped.is_empty() && found.recoverable.len() == 1, "{:?}", found.skipped);
}

#[test]
fn a_journal_goes_on_whatever_takes_the_place_of_it_or_of_what_lies_beside_it() {
    for kind in KINDS {
        for ending in ["lock", "base", "journal"] {
            let folder = tempfile::tempdir().unwrap();
            let (path, journal, _) = edited(folder.path());
            put(kind, &path.with_extension(ending));
            let begun = Instant::now();
            journal.append(JournalEntry::Undo);
            let is_made = || is_plain(&path.with_extension(ending));
            while !(journal.failure().is_none() && journal.acknowledged() == 3 && is_made()) {
                assert!(begun.elapsed() < Duration::from_secs(60), "{kind} {ending}: {:?}", journal.failure());
                journal.flush();
                std::thread::yield_now();
            }
            let moved = path.with_file_name(format!("a.{ending}.moved-1"));
            assert!(fs::symlink_metadata(&moved).is_ok(), "{kind} {ending}");
            journal.discard();
            assert!(!path.exists(), "{kind} {ending}");
        }
    }
}

#[test]
fn a_journal_that_is_none_can_be_discarded() {
    for kind in KINDS {
        for ending in ["lock", "base", "journal"] {
            let folder = tempfile::tempdir().unwrap();
            let (path, journal, _) = edited(folder.path());
            drop(journal);
            put(kind, &path.with_extension(ending));
            discard_file(&RealStorage, &path).unwrap();
            let found = find_leftovers(&RealStorage, &folder.path().join("s"));
            assert!(found.recoverable.is_empty() && found.skipped.is_empty(), "{kind} {ending}: {:?}", found.skipped);
        }
    }
}

#[test]
fn what_is_moved_aside_takes_the_name_of_nothing_that_was_moved_before() {
    let folder = tempfile::tempdir().unwrap();
    let (path, moved) = (folder.path().join("a.lock"), |number: usize| folder.path().join(format!("a.lock.moved-{number}")));
    for (index, kind) in ["link to nothing", "link to itself", "folder", "link to nothing"].into_iter().enumerate() {
        put(kind, &path);
        assert_eq!(clear_way(&RealStorage, &path).unwrap(), Some(moved(index + 1)), "{kind}");
    }
    assert!(fs::read_link(moved(1)).is_ok_and(|target| target == Path::new("nothing")) && moved(3).is_dir());
}
