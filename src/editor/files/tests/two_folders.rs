//! A set whose files really lie in two folders: whoever knows the map has one save's files, by whichever name.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use super::super::completing::is_being_put_in_place;
use super::*;
use crate::editor::storage::RealStorage;

const RECORD: &str = "/l/.castle.dots.spadework-intent";
const POINTER: &str = "/d/.castle.dots.spadework-intent";

/// Links with where they lead, the name that is saved by, and those that others know.
struct Layout {
    author: &'static str,
    links: &'static [(&'static str, &'static str)],
    names: &'static [&'static str],
}

/// The map lies in `/d`.
const LAYOUTS: [Layout; 4] = [
    Layout {
        author: "/e/castle.author",
        links: &[("/d/castle.author", "/e/castle.author"), ("/l/castle.dots", "/d/castle.dots"), ("/l/castle.author", "/e/castle.author")],
        names: &["/l/castle.dots", "/d/castle.dots"],
    },
    // One link leads to another.
    Layout {
        author: "/m/castle.author",
        links: &[("/m/castle.dots", "/d/castle.dots"), ("/l/castle.dots", "/m/castle.dots"), ("/l/castle.author", "/m/castle.author")],
        names: &["/l/castle.dots", "/m/castle.dots"],
    },
    // Each leads to the other's folder.
    Layout {
        author: "/e/castle.author",
        links: &[("/d/castle.author", "/e/castle.author"), ("/e/castle.dots", "/d/castle.dots")],
        names: &["/e/castle.dots", "/d/castle.dots"],
    },
    // Two folders of links, of which neither leads to the other, by other names.
    Layout {
        author: "/e/castle.author",
        links: &[
            ("/l/castle.dots", "/d/castle.dots"),
            ("/l/castle.author", "/e/castle.author"),
            ("/k/fort.dots", "/d/castle.dots"),
            ("/k/fort.author", "/e/castle.author"),
        ],
        names: &["/l/castle.dots", "/k/fort.dots"],
    },
];

impl Layout {
    fn disk(&self) -> FaultyStorage {
        let storage = FaultyStorage::with(&[("/d/castle.dots", b"DOTS\x01\x02\x03"), (self.author, b"= ann\n")]);
        self.links.iter().for_each(|(path, target)| storage.link(path, target));
        storage
    }

    /// Another disk with the same files.
    fn copy_of(&self, storage: &FaultyStorage) -> FaultyStorage {
        let copy = self.disk();
        storage.all().iter().for_each(|(path, bytes)| copy.put(path, bytes));
        copy
    }

    /// Saves by the first name what that name's map was edited to; fails as told.
    fn saved(&self, fault: Option<(usize, Fault)>) -> (FaultyStorage, Result<Saved, SaveError>, usize) {
        let storage = self.disk();
        let mut opened = open(&storage, self.names[0]);
        execute(&mut opened.document, serde_json::from_str(r##"{"set":{"at":[5,6,7],"color":"#ff8000"}}"##).unwrap());
        set_property(&mut opened.document, Property::Author(Some("bob".into())));
        let before = storage.operations();
        if let Some((index, fault)) = fault {
            storage.fail_at(index, fault);
        }
        let result = save(&storage, &opened, self.names[0], plain());
        let operations = storage.operations() - before;
        (storage, result, operations)
    }
}

/// Whether voxels and author are the new ones, which they are together.
#[track_caller]
fn is_new(storage: &FaultyStorage, name: &str, what: &str) -> bool {
    let opened = open(storage, name);
    let is_new = opened.document.store().is_solid([5, 6, 7].into());
    assert_eq!(opened.document.metadata.author.as_deref(), Some(if is_new { "bob" } else { "ann" }), "{name}: {what}");
    is_new
}

fn hidden(storage: &FaultyStorage) -> Vec<PathBuf> {
    storage.all().into_keys().filter(|path| path.to_string_lossy().contains("/.")).collect()
}

/// Where the first rename of a file of the set is, and the last: in between it is half in place.
fn is_half(storage: &FaultyStorage, layout: &Layout) -> bool {
    (storage.get("/d/castle.dots").unwrap().len() > 7) != (storage.get(layout.author).unwrap() == b"= bob\n")
}

#[test]
fn a_set_in_two_folders_whose_save_is_killed_anywhere_is_whole_by_each_name() {
    for (number, layout) in LAYOUTS.iter().enumerate() {
        let (storage, result, operations) = layout.saved(None);
        assert!(result.is_ok() && is_new(&storage, layout.names[1], "saved") && hidden(&storage).is_empty(), "{:?}", hidden(&storage));
        let (mut old, mut new, mut half) = (0, 0, 0);
        for index in 0..operations {
            let (killed, ..) = layout.saved(Some((index, Fault::Crash)));
            killed.restart();
            half += u32::from(is_half(&killed, layout));
            for name in layout.names {
                let storage = layout.copy_of(&killed);
                let what = format!("layout {number}, operation {index}");
                let is_first_new = is_new(&storage, name, &what);
                // Whoever comes later, by another name, has the same.
                assert!(layout.names.iter().all(|other| is_new(&storage, other, &what) == is_first_new), "{what}");
                let left: Vec<_> = hidden(&storage).into_iter().filter(|path| path.to_string_lossy().ends_with("intent")).collect();
                assert!(left.iter().all(|path| !path.starts_with("/d")), "{what}: {left:?}");
                if is_first_new {
                    new += 1;
                } else {
                    old += 1;
                }
            }
        }
        assert!(old > 20 && new > 10 && half > 0, "{number}: {old} old, {new} new, {half} half");
    }
}

#[test]
fn a_set_without_its_map_whose_save_is_killed_anywhere_is_whole_where_the_map_lies() {
    // Both files lie in one folder, the links to them in two others, and the map is none of them.
    let disk = || {
        let storage = FaultyStorage::with(&[("/d/castle.dots", b"DOTS\x01\x02\x03"), ("/e/a", b"= ann\n"), ("/e/n", b"= Castle\n")]);
        for folder in ["/d", "/l"] {
            storage.link(format!("{folder}/castle.author"), "/e/a");
            storage.link(format!("{folder}/castle.name"), "/e/n");
        }
        storage.link("/l/castle.dots", "/d/castle.dots");
        storage
    };
    let (mut half, mut new) = (0, 0);
    for index in 0.. {
        let storage = disk();
        let mut opened = open(&storage, "/l/castle.dots");
        set_property(&mut opened.document, Property::Author(Some("bob".into())));
        set_property(&mut opened.document, Property::Name(Some("Fort".into())));
        let before = storage.operations();
        storage.fail_at(index, Fault::Crash);
        let result = save(&storage, &opened, "/l/castle.dots", plain());
        if storage.operations() - before <= index {
            assert!(result.is_ok() && half > 0 && new > half, "{half} half, {new} new");
            return;
        }
        storage.restart();
        half += u32::from((storage.get("/e/a").unwrap() == b"= bob\n") != (storage.get("/e/n").unwrap() == b"= Fort\n"));
        let metadata = open(&storage, "/d/castle.dots").document.metadata;
        let is_new = metadata.author.as_deref() == Some("bob");
        assert_eq!(metadata.name.as_deref(), Some(if is_new { "Fort" } else { "Castle" }), "operation {index}");
        new += u32::from(is_new);
    }
}

#[test]
fn a_set_in_two_folders_whose_completion_is_killed_is_completed_by_the_next() {
    let layout = &LAYOUTS[3];
    let (.., operations) = layout.saved(None);
    let mut seen = BTreeSet::new();
    for index in 0..operations {
        let (killed, ..) = layout.saved(Some((index, Fault::Crash)));
        killed.restart();
        if !is_half(&killed, layout) {
            continue;
        }
        for second in 0..40 {
            let storage = layout.copy_of(&killed);
            storage.fail_at(second, Fault::Crash);
            complete_interrupted_saves(&storage, Path::new("/d"));
            storage.restart();
            seen.insert(is_half(&storage, layout));
            let what = format!("operations {index}, {second}");
            assert!(is_new(&storage, layout.names[1], &what) && is_new(&storage, layout.names[0], &what));
            // What leads to no record any more goes by whoever finds it.
            assert!(["/d", "/e"].iter().all(|folder| complete_interrupted_saves(&storage, Path::new(folder)).is_empty()), "{what}");
            assert!(hidden(&storage).is_empty(), "{what}: {:?}", hidden(&storage));
        }
    }
    assert_eq!(seen, BTreeSet::from([false, true]));
}

#[test]
fn one_failing_operation_fails_the_save_of_a_set_in_two_folders_or_does_no_harm() {
    for layout in &LAYOUTS {
        let (.., operations) = layout.saved(None);
        for index in 0..operations {
            let (storage, result, _) = layout.saved(Some((index, Fault::Once(ErrorKind::PermissionDenied))));
            let what = format!("operation {index}: {result:?}");
            assert_eq!(is_new(&storage, layout.names[1], &what), result.is_ok(), "{what}");
        }
    }
}

/// A half saved set, as the files of the hub of links.
fn half_saved() -> FaultyStorage {
    let layout = &LAYOUTS[3];
    let (.., operations) = layout.saved(None);
    let killed = (0..operations).map(|index| layout.saved(Some((index, Fault::Crash))).0);
    let half = killed.into_iter().find(|storage| is_half(storage, layout)).unwrap();
    half.restart();
    layout.copy_of(&half)
}

#[test]
fn what_a_save_left_in_another_folder_stays_as_long_as_its_record() {
    let storage = half_saved();
    let pointers: Vec<_> = ["/d", "/e"].map(|folder| hidden(&storage).into_iter().find(|path| path.starts_with(folder))).into();
    assert!(pointers.iter().all(Option::is_some), "{:?}", hidden(&storage));
    let (record, before) = (storage.get(RECORD).unwrap(), hidden(&storage));
    let claim = storage.lock_folder(Path::new("/l")).unwrap().unwrap();
    assert!(["/d", "/e"].iter().all(|folder| complete_interrupted_saves(&storage, Path::new(folder)).is_empty()));
    assert_eq!(hidden(&storage), before, "somebody works there");
    drop(claim);
    // The disk with the links is away, and so is the record.
    storage.remove_folder("/l");
    for folder in ["/d", "/e"] {
        let done = complete_interrupted_saves(&storage, Path::new(folder));
        assert!(matches!(done.as_slice(), [Interrupted::Elsewhere { .. }]), "{done:?}");
        assert!(done[0].to_string().contains("in a folder that is not there: /l. Attach its disk"), "{}", done[0]);
    }
    let opened = open(&storage, "/k/fort.dots");
    assert!(opened.report.warnings.iter().any(|warning| warning.code == "interrupted-save"), "{:?}", opened.report);
    storage.put(RECORD, &record);
    assert_eq!(hidden(&storage), before);
    assert!(is_new(&storage, "/k/fort.dots", "attached again") && hidden(&storage).is_empty(), "{:?}", hidden(&storage));
}

#[test]
fn what_leads_to_no_record_is_removed_or_told() {
    let pointer = |record: &str| format!(r#"{{"version":1,"record":"{record}"}}"#);
    let settled = |bytes: &str| {
        let storage = LAYOUTS[3].disk();
        storage.put(POINTER, bytes.as_bytes());
        storage.put("/l/rc", b"{}");
        storage.put("/l/.x.dots.spadework-intent", pointer(RECORD).as_bytes());
        let done = complete_interrupted_saves(&storage, Path::new("/d"));
        assert!(storage.get("/l/rc").is_some() && storage.get("/l/.x.dots.spadework-intent").is_some());
        (done.iter().map(|done| matches!(done, Interrupted::NotOurs { .. })).collect::<Vec<_>>(), storage.get(POINTER).is_some())
    };
    assert_eq!(settled(&pointer(RECORD)), (vec![], false), "its save is over");
    assert_eq!(settled(&pointer("/l/rc")), (vec![true], true), "no record");
    assert_eq!(settled(&pointer("l/.castle.dots.spadework-intent")), (vec![true], true), "no whole path");
    assert_eq!(settled(&pointer("/l/.x.dots.spadework-intent")), (vec![true], true), "another pointer");
    assert_eq!(settled(&pointer(POINTER)), (vec![true], true), "itself");
    assert_eq!(settled(&pointer(RECORD).replace('1', "2")), (vec![true], true), "of a newer Spadework");
}

#[test]
fn who_completes_a_set_in_two_folders_from_one_of_them_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path.trim_start_matches('/'));
    let half = half_saved();
    for (path, bytes) in half.all() {
        let path = at(path.to_str().unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = String::from_utf8_lossy(&bytes).replace("/l/.castle", &at("/l/.castle").to_string_lossy());
        std::fs::write(&path, if path.to_string_lossy().ends_with("intent") { text.into_bytes() } else { bytes }).unwrap();
    }
    for (path, target) in LAYOUTS[3].links {
        std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(at(target), at(path)).unwrap();
    }
    let known = at("/k/fort.dots");
    let claim = RealStorage.lock_folder(&at("/l")).unwrap().unwrap();
    assert!(is_being_put_in_place(&RealStorage, &known) && is_being_put_in_place(&RealStorage, &at("/l/castle.dots")));
    let left = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        drop(claim);
    });
    let opened = open_with(PLUGINS, &RealStorage, &known, &OpenOptions::default(), &Progress::new()).unwrap();
    assert!(left.is_finished(), "waited");
    left.join().unwrap();
    assert_eq!(opened.document.metadata.author.as_deref(), Some("bob"));
    assert!(opened.document.store().is_solid([5, 6, 7].into()) && !at(RECORD).exists() && !at(POINTER).exists());
}

/// A map in `d`, edited, and beside it what leads to a record in `l`, which somebody has claimed, for a map of that name.
fn edited_beside(folder: &Path, other: &str) -> (PathBuf, Opened, PathBuf) {
    let [maps, links] = ["d", "l"].map(|name| folder.join(name));
    for folder in [&maps, &links] {
        std::fs::create_dir(folder).unwrap();
    }
    let map = maps.join("castle.dots");
    std::fs::write(&map, b"DOTS\x01\x02\x03").unwrap();
    let mut opened = open_with(PLUGINS, &RealStorage, &map, &OpenOptions::default(), &Progress::new()).unwrap();
    let json = r##"{"set":{"at":[5,6,7],"color":"#ff8000"}}"##;
    execute(&mut opened.document, serde_json::from_str(json).unwrap());
    let record = hidden_beside(&links.join(other), ".spadework-intent");
    let pointer = format!(r#"{{"version":1,"record":{:?}}}"#, std::fs::canonicalize(&links).unwrap().join(record.file_name().unwrap()));
    std::fs::write(hidden_beside(&maps.join(other), ".spadework-intent"), pointer).unwrap();
    std::fs::write(&record, "{}").unwrap();
    (map, opened, record)
}

#[test]
fn who_saves_a_set_in_two_folders_waits_for_whoever_completes_it_from_one_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let (map, opened, record) = edited_beside(folder.path(), "castle.dots");
    let claim = RealStorage.lock_folder(record.parent().unwrap()).unwrap().unwrap();
    let left = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        std::fs::remove_file(&record).unwrap();
        drop(claim);
    });
    let options = SaveOptions { expected: opened.stamps.clone(), ..plain() };
    save_with(PLUGINS, &RealStorage, &opened.document, &map, &options, &Progress::new()).unwrap();
    assert!(left.is_finished(), "waited");
    left.join().unwrap();
    assert!(std::fs::read(&map).unwrap().len() > 7 && std::fs::read_dir(map.parent().unwrap()).unwrap().count() == 1);
}

#[test]
fn a_set_of_another_map_that_is_completed_elsewhere_keeps_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let (map, opened, record) = edited_beside(folder.path(), "tower.dots");
    let _claim = RealStorage.lock_folder(record.parent().unwrap()).unwrap().unwrap();
    let begun = std::time::Instant::now();
    let options = SaveOptions { expected: opened.stamps.clone(), ..plain() };
    save_with(PLUGINS, &RealStorage, &opened.document, &map, &options, &Progress::new()).unwrap();
    let opened = open_with(PLUGINS, &RealStorage, &map, &OpenOptions::default(), &Progress::new()).unwrap();
    assert!(opened.report.warnings.is_empty() && begun.elapsed() < Duration::from_secs(5), "{:?}", opened.report);
    assert!(hidden_beside(&map.with_file_name("tower.dots"), ".spadework-intent").exists());
}
