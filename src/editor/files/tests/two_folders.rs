//! A set whose files really lie in two folders: whoever knows the map has one save's files, by whichever name.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use super::super::completing::is_being_put_in_place;
use super::*;
use crate::editor::storage::RealStorage;

const RECORD: &str = "/d/.castle.dots.spadework-intent";

/// Links with where they lead, the name that is saved by, and those that others know.
struct Layout {
    author: &'static str,
    links: &'static [(&'static str, &'static str)],
    names: &'static [&'static str],
}

/// The map lies in `/d`.
const LAYOUTS: [Layout; 5] = [
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
    // The files that are no links lie where those are that lead to the map.
    Layout {
        author: "/l/castle.author",
        links: &[("/l/castle.dots", "/d/castle.dots"), ("/k/castle.dots", "/d/castle.dots"), ("/k/castle.author", "/l/castle.author")],
        names: &["/l/castle.dots", "/k/castle.dots"],
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
            // Who looks into the folder of the other file first, for another map, sweeps nothing that is needed.
            let swept = layout.copy_of(&killed);
            complete_interrupted_saves(&swept, Path::new(layout.author).parent().unwrap());
            let is_swept_new = is_new(&swept, layout.names[1], "swept");
            for name in layout.names {
                let storage = layout.copy_of(&killed);
                let what = format!("layout {number}, operation {index}");
                let is_first_new = is_new(&storage, name, &what);
                assert_eq!(is_first_new, is_swept_new, "{what}");
                // Whoever comes later, by another name, has the same.
                assert!(layout.names.iter().all(|other| is_new(&storage, other, &what) == is_first_new), "{what}");
                let left = hidden(&storage);
                assert!(
                    left.iter()
                        .all(|path| !path.starts_with("/d") && ["-tmp-", "-set-"].iter().any(|mark| path.to_string_lossy().contains(mark))),
                    "{what}: {left:?}"
                );
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
            // In the other folder, where it goes after thirty days, as whoever was killed after the record was removed.
            let is_kept = |path: &PathBuf| path.starts_with("/e") && path.to_string_lossy().contains("-set-");
            assert!(hidden(&storage).iter().all(is_kept), "{what}: {:?}", hidden(&storage));
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
fn a_set_of_which_a_file_is_away_is_completed_once_it_is_there_again() {
    // Nothing there, the place at which a disk is attached, another disk, and one with a file of that name.
    let others: [&[(&str, &[u8])]; 3] = [&[], &[("/e/notes", b"")], &[("/e/castle.author", b"= eve\n")]];
    for there in std::iter::once(None).chain(others.map(Some)) {
        let storage = half_saved();
        assert!(storage.get(RECORD).is_some());
        let before = storage.all();
        storage.remove_folder("/e");
        if let Some(files) = there {
            storage.make_folder(Path::new("/e")).unwrap();
            files.iter().for_each(|(path, bytes)| storage.put(path, bytes));
        }
        let there = storage.all();
        let opened = open(&storage, "/k/fort.dots");
        let told = opened.report.warnings.iter().find(|warning| warning.code == "interrupted-save").unwrap();
        let expected = "A save was interrupted, and one of its files is in a folder that is not there: /e/castle.author. Attach its disk \
                        and open the map again, or check that the map and the files beside it belong together and delete \
                        .castle.dots.spadework-intent in /d";
        assert_eq!(told.message, expected);
        assert_eq!(storage.all(), there, "what it needs stays");
        storage.remove_folder("/e");
        before.iter().filter(|(path, _)| path.starts_with("/e")).for_each(|(path, bytes)| storage.put(path, bytes));
        assert!(is_new(&storage, "/k/fort.dots", "there again") && hidden(&storage).is_empty(), "{:?}", hidden(&storage));
    }
}

#[test]
fn what_was_completed_in_two_folders_is_told_by_whole_paths() {
    let done = complete_interrupted_saves(&half_saved(), Path::new("/d"));
    let told = "A save that was interrupted is complete now: /e/castle.author, /d/castle.dots";
    assert_eq!(done.iter().map(ToString::to_string).collect::<Vec<_>>(), [told]);
}

#[test]
fn a_set_in_two_folders_is_completed_where_both_were_moved_to() {
    let storage = half_saved();
    let moved = FaultyStorage::default();
    storage.all().iter().for_each(|(path, bytes)| moved.put(Path::new("/moved").join(path.strip_prefix("/").unwrap()), bytes));
    moved.link("/moved/d/castle.author", "/moved/e/castle.author");
    assert!(is_new(&moved, "/moved/d/castle.dots", "moved") && hidden(&moved).is_empty(), "{:?}", hidden(&moved));
}

#[test]
fn a_record_from_a_stranger_changes_and_removes_nothing_in_other_folders() {
    use crate::editor::storage::ContentHash;

    let [mine, evil] = [&b"mine"[..], b"evil"].map(ContentHash::of);
    let temp = ".x.spadework-tmp-1-1";
    for (way, old, new, is_ours) in [
        // Known to the stranger, who has nothing beside it.
        ("../mine/rc", Some(mine), evil, true),
        ("../mine/rc", None, mine, true),
        ("../mine/new", None, evil, true),
        // Around into the folder itself, where he has.
        ("../d/rc", Some(mine), evil, false),
        ("../mine/../d/rc", Some(mine), evil, false),
        ("./rc", Some(mine), evil, false),
        ("/mine/rc", Some(mine), evil, false),
        ("..", Some(mine), evil, false),
        ("../..", Some(mine), evil, false),
        ("rc", Some(mine), evil, false),
    ] {
        let storage = FaultyStorage::with(&[("/mine/rc", b"mine"), ("/mine/a", b""), ("/d/rc", b"mine"), ("/d/castle.dots", b"mine")]);
        // Of a save of ours, which the stranger guessed.
        storage.put(Path::new("/mine").join(temp), b"mine, too");
        storage.put(Path::new("/d").join(temp), b"evil");
        let old = old.map_or("null".to_owned(), |hash| format!(r#""{hash}""#));
        let entry = |file: &str, old: &str| format!(r#"{{"file":"{file}","temp":"{temp}","hash":"{new}","old":{old},"copy":null}}"#);
        let json = format!(r#"{{"version":1,"map":"castle.dots","files":[{}]}}"#, entry(way, &old));
        storage.put(RECORD, json.as_bytes());
        let done = complete_interrupted_saves(&storage, Path::new("/d"));
        assert_eq!(!matches!(done.as_slice(), [Interrupted::NotOurs { .. }]), is_ours, "{way}: {done:?}");
        for path in ["/mine/rc", "/d/rc", "/d/castle.dots"] {
            assert_eq!(storage.get(path).as_deref(), Some(&b"mine"[..]), "{path}, {way}");
        }
        assert!(storage.get("/mine/new").is_none() && storage.get("/mine/a").is_some(), "{way}");
        assert!(storage.get(Path::new("/mine").join(temp)).is_some(), "{way}");
    }
}

#[test]
fn what_a_record_in_another_folder_needs_is_not_swept_and_its_folder_is_claimed() {
    let storage = half_saved();
    let before = storage.all();
    let claim = storage.lock_folder(Path::new("/e")).unwrap().unwrap();
    assert!(complete_interrupted_saves(&storage, Path::new("/d")).is_empty());
    assert_eq!(storage.all(), before, "somebody saves there");
    drop(claim);
    // Of a map there, for example.
    assert!(complete_interrupted_saves(&storage, Path::new("/e")).is_empty());
    assert_eq!(storage.all(), before);
    for from in 0..20 {
        for len in 1..8 {
            let storage = half_saved();
            storage.claim_between(from, from + len, "/e");
            assert!(is_new(&storage, "/k/fort.dots", "once it is free"));
        }
    }
}

#[test]
fn a_set_in_two_folders_that_is_put_in_place_is_known_by_each_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path.trim_start_matches('/'));
    for (path, bytes) in half_saved().all() {
        let path = at(path.to_str().unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
    }
    for (path, target) in LAYOUTS[3].links {
        std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(at(target), at(path)).unwrap();
    }
    let known = at("/k/fort.dots");
    let claim = RealStorage.lock_folder(&at("/d")).unwrap().unwrap();
    assert!(is_being_put_in_place(&RealStorage, &known) && is_being_put_in_place(&RealStorage, &at("/l/castle.dots")));
    let left = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        drop(claim);
    });
    let opened = open_with(PLUGINS, &RealStorage, &known, &OpenOptions::default(), &Progress::new()).unwrap();
    assert!(left.is_finished(), "waited");
    left.join().unwrap();
    assert_eq!(opened.document.metadata.author.as_deref(), Some("bob"));
    assert!(opened.document.store().is_solid([5, 6, 7].into()) && !at(RECORD).exists());
}
