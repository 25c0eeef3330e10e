//! Opening and saving on a disk that fails at every operation in turn.

#[cfg(unix)]
mod links;
mod objects;
mod plugins;
mod reading;
#[cfg(unix)]
mod two_folders;
mod versions;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use glam::IVec3;

use super::open::open_with;
use super::save::{preflight_with, save_with};
use super::*;
use crate::document::{Document, GameProfile, Progress, Property};
use crate::edit::{Command, History, Mode, ops, plan};
use crate::editor::storage::testing::{Fault, FaultyStorage, FolderStep};
use crate::editor::storage::{Storage as _, StorageError, hidden_beside};
use crate::geom::Region;
use crate::voxel::{Rgb, Store};
use plugins::PLUGINS;

const MAP: &str = "m/castle.dots";

fn disk() -> FaultyStorage {
    FaultyStorage::with(&[(MAP, b"DOTS\x01\x02\x03"), ("m/castle.author", b"= ann\n"), ("m/castle.name", b"= Castle\n")])
}

fn open(storage: &FaultyStorage, path: &str) -> Opened {
    open_with(PLUGINS, storage, Path::new(path), &OpenOptions::default(), &Progress::new()).unwrap()
}

fn execute(document: &mut Document, command: Command) {
    let change = plan(document, &command, &Progress::new()).unwrap();
    History::new().commit(document, change);
}

fn set_property(document: &mut Document, property: Property) {
    execute(document, Command::SetProperty(ops::SetProperty(property)));
}

/// Opens the map and edits voxels and both sidecars.
fn edited(storage: &FaultyStorage) -> Opened {
    let mut opened = open(storage, MAP);
    let json = r##"{"set":{"at":[5,6,7],"color":"#ff8000"}}"##;
    execute(&mut opened.document, serde_json::from_str(json).unwrap());
    set_property(&mut opened.document, Property::Name(Some("Fort".into())));
    set_property(&mut opened.document, Property::Author(Some("bob".into())));
    opened
}

fn save(storage: &FaultyStorage, opened: &Opened, path: &str, options: SaveOptions) -> Result<Saved, SaveError> {
    let options = SaveOptions { expected: opened.stamps.clone(), ..options };
    save_with(PLUGINS, storage, &opened.document, Path::new(path), &options, &Progress::new())
}

fn plain() -> SaveOptions {
    SaveOptions::default()
}

type Files = BTreeMap<PathBuf, Vec<u8>>;

fn old_and_new() -> (Files, Files) {
    let storage = disk();
    let old = storage.all();
    let opened = edited(&storage);
    let saved = save(&storage, &opened, MAP, plain()).unwrap();
    assert_eq!(saved.written.len(), 3);
    assert_eq!(storage.get("m/castle.name").unwrap(), b"= Fort\n");
    assert_eq!(storage.get(MAP).unwrap(), b"DOTS\x01\x02\x03\x05\x06\x07");
    assert_eq!(saved.stamps.first_changed(&storage).unwrap(), None);
    (old, storage.all())
}

/// Saves with a fault at every operation in turn; `outcome` judges each disk.
#[track_caller]
fn check_every_fault(fault: Fault, outcome: impl Fn(usize, &FaultyStorage, Result<Saved, SaveError>)) {
    for index in 0.. {
        let storage = disk();
        storage.write_in_bits_of(5);
        let opened = edited(&storage);
        let before = storage.operations();
        storage.fail_at(index, fault);
        let result = save(&storage, &opened, MAP, plain());
        if storage.operations() - before <= index {
            assert!(result.is_ok() && index > 40, "only {index} operations");
            return;
        }
        outcome(index, &storage, result);
    }
}

#[test]
fn a_crash_anywhere_leaves_the_old_set_or_the_new_one() {
    let (old, new) = old_and_new();
    let seen = std::cell::Cell::new((0, 0));
    check_every_fault(Fault::Crash, |index, storage, _| {
        storage.restart();
        let done = complete_interrupted_saves(storage, Path::new("m"));
        assert!(done.iter().all(|done| matches!(done, Interrupted::Completed { .. } | Interrupted::TakenBack { .. })), "{index}: {done:?}");
        let (olds, news) = seen.get();
        seen.set(if storage.all() == old { (olds + 1, news) } else { (olds, news + 1) });
        assert!(storage.all() == old || storage.all() == new, "operation {index}: {:?}", storage.all().keys());
    });
    assert!(seen.get().0 > 10 && seen.get().1 > 5, "{seen:?}");
}

#[test]
fn a_crash_while_completing_is_completed_next_time() {
    let (old, new) = old_and_new();
    check_every_fault(Fault::Crash, |index, storage, _| {
        let at_crash = storage.all();
        for second in 0..60 {
            let storage = FaultyStorage::default();
            at_crash.iter().for_each(|(path, bytes)| storage.put(path, bytes));
            storage.fail_at(second, Fault::Crash);
            complete_interrupted_saves(&storage, Path::new("m"));
            storage.restart();
            complete_interrupted_saves(&storage, Path::new("m"));
            assert!(storage.all() == old || storage.all() == new, "operations {index}, {second}: {:?}", storage.all().keys());
        }
    });
}

#[test]
fn one_failing_operation_fails_the_save_or_does_no_harm() {
    let (old, new) = old_and_new();
    for kind in [ErrorKind::StorageFull, ErrorKind::PermissionDenied, ErrorKind::Interrupted] {
        check_every_fault(Fault::Once(kind), |index, storage, result| {
            let is_new = result.is_ok();
            complete_interrupted_saves(storage, Path::new("m"));
            assert_eq!(storage.all(), if is_new { new.clone() } else { old.clone() }, "operation {index}: {result:?}");
        });
    }
}

/// What a signal interrupts is done again (EINTR), without a word.
#[test]
fn an_interrupted_write_goes_on() {
    let (_, new) = old_and_new();
    let writes = std::cell::Cell::new(0);
    check_every_fault(Fault::Once(ErrorKind::Interrupted), |index, storage, result| {
        if storage.interrupted_writes() > 0 {
            writes.set(writes.get() + 1);
            assert!(result.is_ok() && storage.all() == new, "operation {index}: {result:?}");
        }
    });
    assert!(writes.get() > 5, "{}", writes.get());
}

#[test]
fn bytes_that_the_disk_loses_are_noticed() {
    let (old, new) = old_and_new();
    check_every_fault(Fault::LosesByte, |index, storage, result| {
        complete_interrupted_saves(storage, Path::new("m"));
        let all = storage.all();
        assert!(if result.is_ok() { all == new } else { all == old }, "operation {index}: {result:?}");
    });
}

#[test]
fn a_full_disk_is_said_in_words() {
    let storage = disk();
    let opened = edited(&storage);
    storage.fail_at(0, Fault::Once(ErrorKind::StorageFull));
    let error: StorageError = match save(&storage, &opened, MAP, plain()) {
        Err(SaveError::Storage(error)) => error,
        // Listing the folder for interrupted saves may fail without harm.
        _ => {
            storage.fail_at(0, Fault::Once(ErrorKind::StorageFull));
            replace(&storage)
        }
    };
    assert!(error.to_string().contains("the disk is full"), "{error}");
}

fn replace(storage: &FaultyStorage) -> StorageError {
    crate::editor::storage::replace_file(storage, Path::new("m/x"), b"x").unwrap_err()
}

#[test]
fn what_did_not_change_is_not_written() {
    let storage = disk();
    let before = storage.info(Path::new(MAP)).unwrap();
    let opened = open(&storage, MAP);
    assert_eq!(opened.document.metadata.name.as_deref(), Some("Castle"));
    assert_eq!(save(&storage, &opened, MAP, plain()).unwrap().written, Vec::<PathBuf>::new());
    assert_eq!(storage.info(Path::new(MAP)).unwrap(), before);
    let mut renamed = open(&storage, MAP);
    set_property(&mut renamed.document, Property::Name(Some("Fort".into())));
    assert_eq!(save(&storage, &renamed, MAP, plain()).unwrap().written, [PathBuf::from("m/castle.name")]);
}

#[test]
fn sidecars_come_along_are_made_or_asked_for() {
    let storage = disk();
    let opened = open(&storage, MAP);
    save(&storage, &opened, "m/copy.dots", plain()).unwrap();
    assert_eq!(storage.get("m/copy.author").unwrap(), b"= ann\n");

    let bare = FaultyStorage::with(&[("m/a.dots", b"DOTS")]);
    let mut opened = open(&bare, "m/a.dots");
    assert_eq!(save(&bare, &opened, "m/a.dots", plain()).unwrap().written.len(), 0);
    set_property(&mut opened.document, Property::Name(Some("Isle".into())));
    set_property(&mut opened.document, Property::Author(Some("ann".into())));
    let saved = save(&bare, &opened, "m/a.dots", plain()).unwrap();
    assert_eq!(saved.written, [PathBuf::from("m/a.name")]);
    opened.stamps = saved.stamps;
    let asked = SaveOptions { extra_sidecars: vec!["author".into()], ..plain() };
    assert_eq!(save(&bare, &opened, "m/a.dots", asked).unwrap().written, [PathBuf::from("m/a.author")]);
    let unknown = SaveOptions { extra_sidecars: vec!["other".into()], ..plain() };
    assert!(matches!(save(&bare, &opened, "m/a.dots", unknown), Err(SaveError::NoSuchSidecar { .. })));
}

#[test]
fn another_format_takes_along_the_sidecars_that_go_with_it() {
    let storage = disk();
    let opened = open(&storage, MAP);
    let saved = save(&storage, &opened, "m/castle2.spots", plain()).unwrap();
    assert_eq!(storage.get("m/castle2.spots").unwrap(), b"SPOT\x01\x02\x03");
    assert_eq!(storage.get("m/castle2.name").unwrap(), b"= Castle\n");
    assert!(storage.get("m/castle2.author").is_none());
    assert!(saved.report.warnings.iter().any(|warning| warning.code == "sidecar-left-behind"));
}

#[test]
fn a_map_that_has_no_room_is_refused_with_the_figures_before_anything_is_written() {
    let storage = FaultyStorage::with(&[("m/else", b"")]);
    let mut document = Document::new(Store::new(Region::of_size(IVec3::splat(64))), &GameProfile::ACE_OF_SPADES);
    let ground = Region::of_size(IVec3::new(64, 32, 16));
    execute(&mut document, Command::Fill(ops::Fill { region: ground, color: Rgb::new(255, 255, 255), mode: Mode::Set }));
    storage.fill_up(200_000);
    let options = plain();
    let map = Path::new("m/castle.vmf");
    let refused = save_with(Plugins::ALL, &storage, &document, map, &options, &Progress::new()).unwrap_err();
    let text = "cannot write the file, it takes at least 262 kB, and its disk has 200 kB left: m/castle.vmf";
    assert!(refused.to_string().starts_with(text), "{refused}");
    assert_eq!(storage.free(), Some(200_000), "nothing was tried");
    storage.fill_up(3_000_000);
    save_with(Plugins::ALL, &storage, &document, map, &options, &Progress::new()).unwrap();
}

#[test]
fn files_changed_by_others_are_not_overwritten_unasked() {
    let storage = disk();
    let opened = edited(&storage);
    storage.put("m/castle.author", b"= eve\n");
    let theirs = storage.all();
    assert!(matches!(save(&storage, &opened, MAP, plain()), Err(SaveError::ChangedOnDisk { path }) if path.ends_with("castle.author")));
    storage.put("m/new.dots", b"DOTS");
    assert!(matches!(save(&storage, &opened, "m/new.dots", plain()), Err(SaveError::AlreadyExists { .. })));
    assert_eq!(storage.get("m/castle.author"), theirs.get(Path::new("m/castle.author")).cloned());
    save(&storage, &opened, MAP, SaveOptions { overwrite: Overwrite::Always, ..plain() }).unwrap();
    assert_eq!(storage.get("m/castle.author").unwrap(), b"= bob\n");
    // Touched, with the same content: nobody changed anything.
    let opened = open(&storage, MAP);
    storage.put(MAP, &storage.get(MAP).unwrap());
    save(&storage, &opened, MAP, plain()).unwrap();
}

#[test]
fn a_sidecar_that_somebody_edits_by_hand_is_theirs_while_nothing_that_it_holds_is_edited() {
    let storage = disk();
    let mut opened = open(&storage, MAP);
    let (name, author) = ("m/castle.name", "m/castle.author");
    for (round, theirs) in ["= Keep\n", "= Fortress\n"].into_iter().enumerate() {
        let json = format!(r##"{{"set":{{"at":[5,6,{round}],"color":"#ff8000"}}}}"##);
        execute(&mut opened.document, serde_json::from_str(&json).unwrap());
        storage.put(name, theirs.as_bytes());
        let options = SaveOptions { expected: opened.stamps.clone(), ..plain() };
        preflight_with(PLUGINS, &storage, &opened.document, Path::new(MAP), &options).unwrap();
        let saved = save(&storage, &opened, MAP, plain()).unwrap();
        assert_eq!(saved.written, [Path::new(MAP)]);
        assert!(saved.report.warnings.iter().any(|warning| warning.code == "sidecar-left"), "{:?}", saved.report);
        assert_eq!(storage.get(name).unwrap(), theirs.as_bytes());
        opened.stamps = saved.stamps;
    }
    set_property(&mut opened.document, Property::Author(Some("bob".into())));
    let saved = save(&storage, &opened, MAP, plain()).unwrap();
    assert_eq!(saved.written, [Path::new(author)]);
    opened.stamps = saved.stamps;
    // Once it has news, it is asked about.
    set_property(&mut opened.document, Property::Name(Some("Fort".into())));
    assert!(matches!(save(&storage, &opened, MAP, plain()), Err(SaveError::ChangedOnDisk { path }) if path == Path::new(name)));
}

#[test]
fn a_write_protected_file_stays() {
    for path in [MAP, "m/castle.name"] {
        let storage = disk();
        let opened = edited(&storage);
        storage.protect(path);
        let before = storage.all();
        let error = save(&storage, &opened, MAP, plain()).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot write the file, the file or its folder is read-only for you: {path}"));
        assert_eq!(storage.all(), before);
    }
}

#[test]
fn a_write_protected_file_that_stays_as_it_is_stops_no_save() {
    let storage = disk();
    let mut opened = open(&storage, MAP);
    execute(&mut opened.document, serde_json::from_str(r##"{"set":{"at":[5,6,7],"color":"#ff8000"}}"##).unwrap());
    for path in ["m/castle.name", "m/castle.author"] {
        storage.protect(path);
    }
    let options = SaveOptions { expected: opened.stamps.clone(), ..plain() };
    preflight_with(PLUGINS, &storage, &opened.document, Path::new(MAP), &options).unwrap();
    let saved = save(&storage, &opened, MAP, plain()).unwrap();
    assert_eq!(saved.written, [Path::new(MAP)]);
}

#[test]
fn scripts_by_others_stop_the_save_or_stay() {
    let storage = disk();
    storage.put("m/castle.name", b"def f()");
    let opened = edited(&storage);
    let before = storage.all();
    let error = save(&storage, &opened, MAP, plain()).unwrap_err();
    assert!(error.to_string().starts_with("castle.name: line 1: the name is set by code"), "{error}");
    assert!(preflight_with(PLUGINS, &storage, &opened.document, Path::new(MAP), &plain()).is_err());
    assert_eq!(storage.all(), before);
    let saved = save(&storage, &opened, MAP, SaveOptions { keep_foreign_sidecars: true, ..plain() }).unwrap();
    assert_eq!(storage.get("m/castle.name").unwrap(), b"def f()");
    assert!(saved.report.warnings.iter().any(|warning| warning.code == "sidecar-foreign"));
}

#[test]
fn a_file_that_belongs_to_somebody_else_by_then_is_told() {
    for (owner, words) in [((0, 0), ""), ((5, 0), "another user (number 5)"), ((0, 7), "a group that you are not in (number 7)")] {
        let storage = disk();
        let opened = edited(&storage);
        storage.give_to(MAP, owner);
        let saved = save(&storage, &opened, MAP, plain()).unwrap();
        let told: Vec<&str> =
            saved.report.warnings.iter().filter(|warning| warning.code == "owner-changed").map(|warning| &*warning.message).collect();
        assert_eq!(told.len(), usize::from(!words.is_empty()), "{told:?}");
        assert!(told.iter().all(|told| told.starts_with("castle.") && told.contains(words)), "{told:?}");
    }
}

#[test]
fn a_sidecar_that_cannot_be_read_is_never_touched() {
    let storage = disk();
    storage.put("m/castle.name", b"\xff\xfe");
    let opened = edited(&storage);
    assert!(
        opened.report.warnings.iter().any(|warning| warning.code == "sidecar-unreadable" && warning.message.starts_with("castle.name: "))
    );
    let saved = save(&storage, &opened, MAP, plain()).unwrap();
    assert_eq!(storage.get("m/castle.name").unwrap(), b"\xff\xfe");
    assert_eq!(storage.get("m/castle.author").unwrap(), b"= bob\n");
    assert!(saved.report.warnings.iter().any(|warning| warning.code == "sidecar-unreadable"));
    assert!(saved.stamps.is_unreadable(Path::new("m/castle.name")));
}

#[test]
fn a_sidecar_that_the_disk_did_not_give_is_not_replaced_once_it_does() {
    for overwrite in [Overwrite::IfUnchanged, Overwrite::UnlessChanged, Overwrite::Always] {
        let storage = disk();
        storage.withhold("m/castle.name", true);
        let opened = edited(&storage);
        assert!(opened.report.warnings.iter().any(|warning| warning.code == SIDECAR_NOT_READ));
        storage.withhold("m/castle.name", false);
        assert_eq!(opened.stamps.first_changed(&storage).unwrap(), None, "nobody knows that it changed");
        let saved = save(&storage, &opened, MAP, SaveOptions { overwrite, ..plain() }).unwrap();
        assert_eq!(storage.get("m/castle.name").unwrap(), b"= Castle\n");
        let told = saved.report.warnings.iter().find(|warning| warning.code == "sidecar-unreadable").unwrap();
        assert_eq!(told.severity, crate::format::Severity::Loss);
    }
}

/// Also where none would be made.
#[test]
fn edits_that_a_sidecar_which_cannot_be_read_does_not_get_are_told_of_each() {
    for path in ["m/castle.name", "m/castle.author"] {
        let storage = disk();
        storage.withhold(path, true);
        let opened = edited(&storage);
        let saved = save(&storage, &opened, MAP, plain()).unwrap();
        let told: Vec<_> = saved.report.warnings.iter().filter(|warning| warning.code == "sidecar-unreadable").collect();
        assert!(matches!(&told[..], [told] if told.severity == crate::format::Severity::Loss), "{path}: {:?}", saved.report);
    }
}

#[test]
fn a_sidecar_that_could_not_be_read_is_written_anew_once_it_is_gone() {
    for is_withheld in [false, true] {
        let storage = disk();
        if is_withheld {
            storage.withhold("m/castle.name", true);
        } else {
            storage.put("m/castle.name", b"\xff\xfe");
        }
        let mut opened = edited(&storage);
        opened.stamps = save(&storage, &opened, MAP, plain()).unwrap().stamps;
        assert!(opened.stamps.is_unreadable(Path::new("m/castle.name")));
        storage.withhold("m/castle.name", false);
        storage.remove(Path::new("m/castle.name")).unwrap();
        let saved = save(&storage, &opened, MAP, plain()).unwrap();
        assert_eq!(storage.get("m/castle.name").unwrap(), b"= Fort\n", "{is_withheld}");
        assert_eq!(saved.report.warnings.iter().filter(|warning| warning.code == "sidecar-unreadable").count(), 0);
        assert!(!saved.stamps.is_unreadable(Path::new("m/castle.name")));
    }
}

#[test]
fn a_sidecar_that_came_after_the_map_was_opened_is_not_replaced_without_a_word() {
    for overwrite in [Overwrite::IfUnchanged, Overwrite::UnlessChanged] {
        let storage = disk();
        storage.remove(Path::new("m/castle.name")).unwrap();
        let opened = edited(&storage);
        let options = || SaveOptions { overwrite: overwrite.clone(), keep_foreign_sidecars: true, ..plain() };
        // What it is to say anyway is no news.
        storage.put("m/castle.name", b"= Fort\n");
        let is_same = save(&storage, &opened, MAP, options());
        assert!(is_same.is_ok() || overwrite == Overwrite::IfUnchanged, "{is_same:?}");
        let opened = Opened { stamps: open(&storage, MAP).stamps, ..opened };
        let without_name = opened.stamps.0.iter().filter(|(path, _)| !path.ends_with("castle.name"));
        let opened = Opened { stamps: Stamps(without_name.map(|(path, stamp)| (path.clone(), *stamp)).collect()), ..opened };
        storage.put("m/castle.name", b"= Tower\n");
        let result = save(&storage, &opened, MAP, options());
        assert!(matches!(result, Err(SaveError::AlreadyExists { .. } | SaveError::ChangedOnDisk { .. })), "{result:?}");
        assert_eq!(storage.get("m/castle.name").unwrap(), b"= Tower\n");
    }
}

#[test]
fn a_superseded_sidecar_is_left_alone_and_comes_along() {
    let storage = disk();
    storage.put("m/castle.old", b"= zoe\n");
    let opened = open(&storage, MAP);
    assert_eq!(opened.document.metadata.author.as_deref(), Some("ann"));
    let told = |opened: &Opened| opened.report.warnings.iter().map(|warning| warning.message.clone()).collect::<Vec<_>>();
    assert_eq!(told(&opened), ["castle.old was not looked at: castle.author counts more, and they differ about author"]);
    storage.put("m/castle.old", b"= ann\n");
    assert_eq!(told(&open(&storage, MAP)), ["castle.old was not looked at: castle.author says the same and counts more"]);
    storage.put("m/castle.old", b"= zoe\n");
    assert_eq!(opened.document.sidecars.iter().map(|file| file.sidecar).collect::<Vec<_>>(), ["old", "author", "name"]);
    let opened = edited(&storage);
    let saved = save(&storage, &opened, MAP, plain()).unwrap();
    assert_eq!(storage.get("m/castle.old").unwrap(), b"= zoe\n");
    assert_eq!(storage.get("m/castle.author").unwrap(), b"= bob\n");
    let codes: Vec<_> = saved.report.warnings.iter().map(|warning| (warning.severity, warning.code)).collect();
    assert_eq!(codes, [(crate::format::Severity::Info, "sidecar-superseded")]);
    save(&storage, &opened, "m/tower.dots", plain()).unwrap();
    assert_eq!(storage.get("m/tower.old").unwrap(), b"= zoe\n");
    storage.remove(Path::new("m/castle.author")).unwrap();
    assert_eq!(open(&storage, MAP).document.metadata.author.as_deref(), Some("zoe"));
}

#[track_caller]
fn check_open_error(bytes: &[u8], options: OpenOptions, expected: &str) {
    let storage = FaultyStorage::with(&[("m/a.dots", bytes)]);
    let error = open_with(PLUGINS, &storage, Path::new("m/a.dots"), &options, &Progress::new()).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn errors_name_the_file_the_place_and_the_reason() {
    let plain = OpenOptions::default;
    check_open_error(b"DOTS\x01", plain(), "a.dots: truncated at byte 5: at least 7 bytes are needed");
    check_open_error(
        b"PNG\xff",
        plain(),
        "a.dots: byte 0: not a map in any known format: no Ace of Spades map, Ace of Spades 0.8 voxel map, Space Station 14 map begins so (the first bytes are 50 4e 47 ff)",
    );
    check_open_error(
        b"",
        plain(),
        "a.dots: byte 0: not a map in any known format: no Ace of Spades map, Ace of Spades 0.8 voxel map, Space Station 14 map begins so (the file is empty)",
    );
    check_open_error(b"DOTS", OpenOptions { format: Some("vox".into()), ..plain() }, r#"there is no format "vox""#);
    let small = OpenOptions { memory_limit: 3, ..plain() };
    check_open_error(b"DOTS", small, "a.dots: it would take 4 bytes of memory, and 3 bytes are allowed");
    // A VXL map takes more than its file, and nothing of it is read first.
    let storage = FaultyStorage::with(&[("m/a.vxl", &[0; 100])]);
    let options = OpenOptions { format: Some("vxl".into()), memory_limit: 299, ..plain() };
    let error = open_map(&storage, Path::new("m/a.vxl"), &options, &Progress::new()).unwrap_err();
    assert_eq!(error.to_string(), "a.vxl: it would take 300 bytes of memory, and 299 bytes are allowed");
    // One that is not read with more memory either is not told to allow more.
    let limits = crate::format::MAP_FORMATS.iter().map(|format| (format.id(), format.max_bytes())).collect::<Vec<_>>();
    assert_eq!(limits, [("vxl", 512 << 20), ("vmf", u64::MAX), ("ss14", 512 << 20)]);
    for reason in [
        crate::format::FormatError::FileTooLarge { length: 629_000_000, most: 536_870_912 },
        crate::format::FormatError::OverLimit { offset: 16, what: "the picture must be 1 to 4096 pixels wide and high", found: 5000 },
    ] {
        let advice = OpenError::format(Path::new("a.vxl"), Some("vxl"), reason).advice();
        assert!(advice.starts_with("It is larger than Spadework reads"), "{advice}");
    }
    let storage = FaultyStorage::with(&[("m/b.dots", b"DOTS")]);
    let error = open_with(PLUGINS, &storage, Path::new("m/a.dots"), &plain(), &Progress::new()).unwrap_err();
    assert_eq!(error.to_string(), "cannot find the file, it does not exist: m/a.dots");
}

#[test]
fn nothing_is_written_beside_a_file_that_does_not_change() {
    let storage = disk();
    let mut opened = open(&storage, MAP);
    execute(&mut opened.document, serde_json::from_str(r##"{"set":{"at":[5,6,7],"color":"#ff8000"}}"##).unwrap());
    let saved = save(&storage, &opened, MAP, plain()).unwrap();
    assert_eq!(saved.written, [PathBuf::from(MAP)]);
    assert_eq!(saved.stamps.0.len(), 3);
    let is_beside = |step: &FolderStep| matches!(step, FolderStep::Named(path) if !path.to_string_lossy().contains("castle.dots"));
    assert!(!storage.folder_log().iter().any(is_beside), "{:?}", storage.folder_log());
    // It changes meanwhile: nothing is at hand to put in its place.
    let operations = storage.operations();
    save(&storage, &edited_again(&storage), MAP, plain()).unwrap();
    let mut refused = 0;
    for index in 0..storage.operations() - operations {
        let storage = disk();
        let opened = edited_again(&storage);
        let options = SaveOptions { overwrite: Overwrite::Always, ..plain() };
        storage.put_at(index, "m/castle.author", b"= eve\n");
        match save(&storage, &opened, MAP, options) {
            Ok(_) => {}
            Err(error) => {
                assert!(matches!(error, SaveError::ChangedOnDisk { .. }), "{error}");
                refused += 1;
            }
        }
        let author = storage.get("m/castle.author").unwrap();
        assert!(author == b"= eve\n" || author == b"= ann\n", "{}", String::from_utf8_lossy(&author));
    }
    assert!(refused > 3, "{refused}");
}

/// The map with a voxel more, and nothing else.
fn edited_again(storage: &FaultyStorage) -> Opened {
    let mut opened = open(storage, MAP);
    execute(&mut opened.document, serde_json::from_str(r##"{"set":{"at":[9,9,9],"color":"#ff8000"}}"##).unwrap());
    opened
}

#[test]
fn a_cancelled_save_leaves_nothing_behind() {
    let storage = disk();
    let opened = edited(&storage);
    let before = storage.all();
    let progress = Progress::new();
    progress.cancel();
    let options = SaveOptions { expected: opened.stamps.clone(), ..plain() };
    let result = save_with(PLUGINS, &storage, &opened.document, Path::new(MAP), &options, &progress);
    assert!(matches!(result, Err(SaveError::Cancelled(_))));
    assert_eq!(storage.all(), before);
}

#[test]
fn a_record_from_a_stranger_cannot_reach_out_of_its_folder() {
    let hash = crate::editor::storage::ContentHash::of(b"evil");
    // The last one is in the folder, and has nothing to do with the map whose record it is.
    let tmp = ".x.spadework-tmp-1-1";
    for (file, temp) in
        [("../other/rc", ".x.spadework-tmp-1-1"), ("rc", "../m/.x.spadework-tmp-1-1"), ("/else/rc", "x"), ("rc", "notes"), ("rc", tmp)]
    {
        let json = format!(r#"{{"version":1,"files":[{{"file":"{file}","temp":"{temp}","hash":"{hash}","old":null,"copy":null}}]}}"#);
        let storage = FaultyStorage::with(&[("m/.x.spadework-tmp-1-1", b"evil"), ("m/x", b"evil"), ("m/notes", b"evil"), ("home/a", b"")]);
        let record = hidden_beside(Path::new("m/castle.dots"), ".spadework-intent");
        storage.put(&record, json.as_bytes());
        let done = complete_interrupted_saves(&storage, Path::new("m"));
        assert!(matches!(done.as_slice(), [Interrupted::NotOurs { .. }]), "{done:?}");
        assert!(storage.get("home/rc").is_none() && storage.get("m/notes").is_some() && storage.get("m/rc").is_none());
    }
}

#[cfg(unix)]
#[test]
fn a_record_from_a_stranger_removes_nothing_behind_a_link() {
    use crate::editor::storage::{ContentHash, RealStorage};

    let folder = tempfile::tempdir().unwrap();
    let (maps, other) = (folder.path().join("maps"), folder.path().join("mine"));
    std::fs::create_dir(&maps).unwrap();
    std::fs::write(&other, "known to the stranger").unwrap();
    std::fs::write(maps.join("castle.dots"), "old").unwrap();
    std::os::unix::fs::symlink("../mine", maps.join("castle.name")).unwrap();
    let [mine, old, new] = ["known to the stranger", "old", "new"].map(|text| ContentHash::of(text.as_bytes()));
    // As if the first file were new already, where there was none, and the map still the old one.
    let json = format!(
        r#"{{"version":1,"files":[
            {{"file":"castle.name","temp":".a.spadework-tmp-1-1","hash":"{mine}","old":null,"copy":null}},
            {{"file":"castle.dots","temp":".b.spadework-tmp-1-2","hash":"{new}","old":"{old}","copy":null}}]}}"#
    );
    std::fs::write(hidden_beside(&maps.join("castle.dots"), ".spadework-intent"), json).unwrap();
    let done = complete_interrupted_saves(&RealStorage, &maps);
    assert!(matches!(done.as_slice(), [Interrupted::LeftAlone { .. }]), "{done:?}");
    assert_eq!(std::fs::read_to_string(other).unwrap(), "known to the stranger");
}

#[test]
fn all_that_a_record_names_is_on_the_disk_before_it_lies_there() {
    let storage = disk();
    let opened = edited(&storage);
    save(&storage, &opened, MAP, plain()).unwrap();
    let log = storage.folder_log();
    let record = FolderStep::Named(hidden_beside(Path::new(MAP), ".spadework-intent"));
    let synced = FolderStep::Synced("m".into());
    let at = log.iter().position(|step| *step == record).expect("three files are a set");
    // Its own temporary file is made just before; what it names was made earlier, and the folder synced since.
    assert_eq!(log[at - 2], synced, "{log:?}");
    assert_eq!(log[at + 1], synced, "the record counts before a file is replaced");
    let is_in_place = |step: &&FolderStep| matches!(step, FolderStep::Named(path) if ["castle.dots", "castle.name"].iter().any(|name| path.ends_with(name)));
    assert!(!log[..at].iter().any(|step| is_in_place(&step)) && log[at..].iter().filter(is_in_place).count() == 2, "{log:?}");
    let last = log.iter().rposition(|step| is_in_place(&step)).unwrap();
    assert!(log[last..].contains(&synced), "the new names last: {log:?}");
}

#[test]
fn a_record_that_makes_no_sense_is_not_replaced_by_the_next_save() {
    let storage = disk();
    let opened = edited(&storage);
    let record = hidden_beside(Path::new(MAP), ".spadework-intent");
    storage.put(&record, b"nonsense");
    let options = SaveOptions { expected: opened.stamps.clone(), ..plain() };
    let saved = save_with(PLUGINS, &storage, &opened.document, Path::new(MAP), &options, &Progress::new()).unwrap();
    assert!(saved.written.len() > 1, "a set: {:?}", saved.written);
    assert!(saved.report.warnings.iter().any(|warning| warning.message.contains("damaged and was left alone")));
    assert_eq!(storage.get(&record).unwrap(), b"nonsense");
    assert_eq!(storage.all().keys().filter(|path| path.to_string_lossy().contains("intent")).count(), 1);
}

#[test]
fn files_changed_after_the_interruption_stay() {
    check_every_fault(Fault::Crash, |index, storage, _| {
        storage.restart();
        storage.put("m/castle.name", b"= by hand\n");
        let done = complete_interrupted_saves(storage, Path::new("m"));
        assert!(done.iter().all(|done| matches!(done, Interrupted::LeftAlone { .. })), "{index}: {done:?}");
        assert_eq!(storage.get("m/castle.name").unwrap(), b"= by hand\n");
        assert_eq!(storage.all().len(), 3);
    });
}
