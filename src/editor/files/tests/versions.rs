//! Earlier versions: kept as they were, not too many, never in the way of a save.

use super::*;
use crate::editor::files::versions::{keep_version, name_of_version, outdated, versions_folder};

/// Saves that keep versions in `v`; `now` in days.
fn keeping(count: usize, days: u64, now: u64) -> SaveOptions {
    SaveOptions { versions: Some(KeepVersions { folder: "v".into(), count, days, now: now * 86_400 }), ..plain() }
}

fn versions(storage: &FaultyStorage) -> Vec<u64> {
    list_versions(storage, Path::new("v"), Path::new(MAP)).iter().map(|version| version.at / 86_400).collect()
}

/// One more edited save of the map, on a day.
fn save_on(storage: &FaultyStorage, day: u64, count: usize, days: u64) -> Result<Saved, SaveError> {
    save_edited(storage, day, day, count, days)
}

/// The same with an edit of that number.
fn save_edited(storage: &FaultyStorage, number: u64, day: u64, count: usize, days: u64) -> Result<Saved, SaveError> {
    let mut opened = open(storage, MAP);
    let (x, y) = (number % 8, number % 11);
    execute(&mut opened.document, serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},{y},7],"color":"#ff8000"}}}}"##)).unwrap());
    save(storage, &opened, MAP, keeping(count, days, day))
}

#[test]
fn what_a_save_replaces_is_kept_with_its_sidecars() {
    let storage = disk();
    let before = storage.all();
    let opened = edited(&storage);
    save(&storage, &opened, MAP, keeping(3, 30, 100)).unwrap();
    let folder = versions_folder(Path::new("v"), Path::new(MAP));
    for (path, bytes) in before {
        let kept = folder.join(format!("{}-{}", 100 * 86_400, path.file_name().unwrap().to_string_lossy()));
        assert_eq!(storage.get(&kept), Some(bytes), "{}", kept.display());
    }
    assert_eq!(versions(&storage), [100]);
}

#[test]
fn a_version_holds_the_whole_set_also_where_only_a_part_was_edited() {
    let storage = disk();
    let before = storage.all();
    // Only a sidecar is edited, twice within one second.
    for name in ["Fort", "Keep"] {
        let mut opened = open(&storage, MAP);
        set_property(&mut opened.document, Property::Name(Some(name.into())));
        save(&storage, &opened, MAP, keeping(9, 30, 100)).unwrap();
    }
    let folder = versions_folder(Path::new("v"), Path::new(MAP));
    let seconds = 100 * 86_400;
    assert_eq!(storage.get(folder.join(format!("{seconds}-castle.dots"))), before.get(Path::new(MAP)).cloned());
    assert_eq!(storage.get(folder.join(format!("{seconds}-castle.name"))), before.get(Path::new("m/castle.name")).cloned());
    assert_eq!(storage.get(folder.join(format!("{}-castle.name", seconds + 1))).unwrap(), b"= Fort\n");
    assert_eq!(versions(&storage).len(), 2);
}

#[test]
fn versions_end_with_count_and_age_but_the_latest_stays() {
    let storage = disk();
    for day in 100..106 {
        save_on(&storage, day, 3, 30).unwrap();
    }
    assert_eq!(versions(&storage), [105, 104, 103]);
    save_on(&storage, 134, 3, 30).unwrap();
    assert_eq!(versions(&storage), [134, 105, 104]);
    save_on(&storage, 187, 9, 30).unwrap();
    assert_eq!(versions(&storage), [187, 134, 105], "each pause counts as half the days");
    save_on(&storage, 203, 9, 30).unwrap();
    assert_eq!(versions(&storage), [203, 187, 134]);
    save_on(&storage, 230, 1, 30).unwrap();
    assert_eq!(versions(&storage), [230]);
    save_on(&storage, 231, 0, 30).unwrap();
    assert_eq!(versions(&storage), [230], "keeping none keeps what is there");
}

#[test]
fn versions_end_with_their_age_alone() {
    let storage = disk();
    for day in (100..200).step_by(5) {
        save_on(&storage, day, 1000, 30).unwrap();
    }
    // All of the last thirty days, however many.
    assert_eq!(versions(&storage), [195, 190, 185, 180, 175, 170, 165]);
    save_on(&storage, 196, 1000, u64::MAX / 86_400).unwrap();
    assert_eq!(versions(&storage).len(), 8, "no age ends none");
}

#[test]
fn a_clock_that_was_wrong_costs_no_version() {
    // Twenty from a time to come, and then the clock is right.
    let storage = disk();
    for day in 22_000..22_004 {
        save_on(&storage, day, 4, 30).unwrap();
    }
    let replaced = storage.get(MAP).unwrap();
    save_on(&storage, 20_000, 4, 30).unwrap();
    assert_eq!(versions(&storage), [20_000, 22_003, 22_002, 22_001]);
    let latest = list_versions(&storage, Path::new("v"), Path::new(MAP)).remove(0);
    assert_eq!(storage.get(latest.path).unwrap(), replaced, "what was just replaced is kept");
    for day in 20_001..20_003 {
        save_on(&storage, day, 4, 30).unwrap();
    }
    assert_eq!(versions(&storage), [20_002, 20_001, 20_000, 22_003]);

    // Some saves under a clock that is far ahead.
    let storage = disk();
    for day in [20_000, 20_001, 47_000, 47_001, 20_002] {
        save_on(&storage, day, 9, 30).unwrap();
    }
    assert_eq!(versions(&storage), [20_002, 47_001, 47_000, 20_001, 20_000]);
    let ends = |at: u64| storage.all().into_keys().filter(|path| path.to_string_lossy().contains(&format!("{}", at * 86_400))).count();
    assert!(ends(20_002) >= 2, "the sidecars of the moment lie beside");
}

#[test]
fn a_clock_that_is_wrong_in_the_same_way_again_and_again_costs_no_version() {
    for wrong in [0, 16_000, 20_040, 24_000] {
        let storage = disk();
        let days = [20_000, 20_000, 20_000, 20_000, wrong, 20_001, wrong, 20_001, wrong, 20_002];
        for (number, day) in days.into_iter().enumerate() {
            save_edited(&storage, number as u64, day, 20, 60).unwrap();
        }
        assert_eq!(versions(&storage).iter().rev().copied().collect::<Vec<_>>(), days, "{wrong}");
        // What is old ends all the same.
        for day in (20_010..20_140).step_by(10) {
            save_on(&storage, day, 99, 60).unwrap();
        }
        let days = versions(&storage);
        assert!(days.len() >= 6 && days.iter().all(|day| (20_070..=20_130).contains(day)), "{wrong}: {days:?}");
    }
}

#[test]
fn versions_of_a_map_of_the_same_name_in_another_format_are_counted_on_their_own() {
    let storage = disk();
    save_on(&storage, 90, 3, 365).unwrap();
    let other = storage.all().into_keys().find(|path| path.starts_with("v") && path.extension() == Path::new(MAP).extension()).unwrap();
    let other = other.with_file_name(format!("{}-castle.vxl", 80 * 86_400));
    storage.put(&other, b"of castle.vxl");
    for day in 100..106 {
        save_on(&storage, day, 3, 365).unwrap();
    }
    assert_eq!(versions(&storage), [105, 104, 103]);
    assert_eq!(storage.get(other).unwrap(), b"of castle.vxl");
}

#[test]
fn versions_are_bounded_also_where_a_file_beside_the_map_is_gone_whose_ending_is_that_of_a_format() {
    let name = |seconds: u64, name: &str| PathBuf::from(format!("v/{}-{name}", seconds));
    let old: Vec<PathBuf> = (1..5).flat_map(|day| ["castle.vxl", "castle.spadework.yaml"].map(|file| name(day * 86_400, file))).collect();
    let new = name(9 * 86_400, "castle.vxl");
    let paths: Vec<PathBuf> = old.iter().cloned().chain([new]).collect();
    let keep = KeepVersions { folder: "v".into(), count: 1, days: 365, now: 9 * 86_400 };
    assert_eq!(outdated(&paths, "castle.vxl", &["castle.vxl"], &keep), old);
    // A map of that name in the other format is no such file.
    let station = name(86_400, "castle.yaml");
    assert!(!outdated(&[station.clone(), name(2 * 86_400, "castle.vxl")], "castle.vxl", &["castle.vxl"], &keep).contains(&station));
}

#[test]
fn a_version_that_cannot_be_kept_does_not_stop_the_save() {
    let mut told = 0;
    for index in 0..200 {
        let storage = disk();
        let opened = edited(&storage);
        storage.fail_at(index, Fault::Once(ErrorKind::StorageFull));
        let result = save(&storage, &opened, MAP, keeping(3, 30, 100));
        let Ok(saved) = result else { continue };
        assert_eq!(storage.get(MAP).unwrap(), b"DOTS\x01\x02\x03\x05\x06\x07", "operation {index}");
        told += saved.report.warnings.iter().filter(|warning| warning.code == "version-not-kept").count();
    }
    assert!(told > 5, "only {told}");
}

#[test]
fn a_save_that_fails_costs_no_version_however_often_it_is_tried() {
    let disk = disk();
    for day in 100..103 {
        save_on(&disk, day, 3, 30).unwrap();
    }
    let kept = |storage: &FaultyStorage| -> Vec<Vec<u8>> {
        let versions = list_versions(storage, Path::new("v"), Path::new(MAP));
        versions.into_iter().map(|version| storage.get(version.path).unwrap()).collect()
    };
    let (before, replaced, all) = (kept(&disk), disk.get(MAP).unwrap(), disk.all());
    assert_eq!(before.len(), 3);
    let again = || {
        let storage = FaultyStorage::default();
        all.iter().for_each(|(path, bytes)| storage.put(path, bytes));
        // The folder of all versions is there, too.
        storage.put("v/else", b"");
        let opened = edited(&storage);
        (storage, opened)
    };
    let (probe, opened) = again();
    let begun = probe.operations();
    save(&probe, &opened, MAP, keeping(3, 30, 103)).unwrap();
    let (operations, mut failed) = (probe.operations() - begun, 0);
    for fault in [Fault::Once(ErrorKind::StorageFull), Fault::Once(ErrorKind::PermissionDenied), Fault::Crash] {
        for index in 0..operations {
            let (storage, opened) = again();
            let is_in_place = || storage.get(MAP).unwrap() != replaced;
            // At the same place again, and then in peace.
            for day in 103..105 {
                storage.fail_at(index, fault);
                save(&storage, &opened, MAP, keeping(3, 30, day)).ok();
                storage.restart();
                complete_interrupted_saves(&storage, Path::new("m"));
                if is_in_place() {
                    break;
                }
                failed += 1;
                let now = kept(&storage);
                assert!(before.iter().all(|version| now.contains(version)), "operation {index} with {fault:?}");
                assert!(now.iter().filter(|version| **version == replaced).count() < 2, "operation {index} with {fault:?}");
            }
            if !is_in_place() {
                save(&storage, &opened, MAP, keeping(3, 30, 105)).unwrap();
                assert_eq!(
                    kept(&storage).iter().collect::<Vec<_>>(),
                    [&replaced, &before[0], &before[1]],
                    "operation {index} with {fault:?}"
                );
            }
        }
    }
    assert!(failed > operations, "{failed} of {operations} operations, each with three faults, twice");
}

#[test]
fn what_is_kept_already_is_not_kept_twice_and_what_differs_in_one_byte_is() {
    let storage = FaultyStorage::default();
    let (map, beside) = (Path::new("m/castle.vxl"), Path::new("m/castle.txt"));
    let files = [(beside, "castle.txt".to_owned()), (map, "castle.vxl".to_owned())];
    let keep = KeepVersions { folder: "v".into(), count: 3, days: 30, now: 86_400 };
    let kept = |bytes: &[u8], text: &[u8]| {
        storage.put(map, bytes);
        storage.put(beside, text);
        keep_version(&storage, &keep, map, &files).unwrap();
        list_versions(&storage, Path::new("v"), map).len()
    };
    let counts = [
        kept(b"one", b"text"),
        kept(b"one", b"text"),
        kept(b"two", b"text"),
        kept(b"two", b"TEXT"),
        kept(b"two", b"TEXT"),
        kept(b"one", b"text"),
    ];
    assert_eq!(counts, [1, 1, 2, 3, 3, 4]);
    keep_version(&storage, &keep, map, &files[1..]).unwrap();
    assert_eq!(list_versions(&storage, Path::new("v"), map).len(), 5, "a set of other files is another one");
    // Another map of that name in between, as by saves that fail in turn.
    let other = Path::new("m/castle.yml");
    storage.put(other, b"meta:");
    for _ in 0..3 {
        keep_version(&storage, &keep, other, &[(other, "castle.yml".to_owned())]).unwrap();
        keep_version(&storage, &keep, map, &files[1..]).unwrap();
    }
    assert_eq!([map, other].map(|map| list_versions(&storage, Path::new("v"), map).len()), [5, 1]);
}

#[test]
fn versions_of_another_map_of_that_name_stay_whatever_its_ending() {
    let name = |day: u64, name: &str| PathBuf::from(format!("v/{}-{name}", day * 86_400));
    let keep = KeepVersions { folder: "v".into(), count: 1, days: 365, now: 10 * 86_400 };
    let others = ["castle.map", "castle", "castle.bak", "castle.yml", "castle.vmf", "castle.vxl.orig"];
    let others: Vec<PathBuf> = (1..7).zip(others).flat_map(|(day, other)| [name(day, other), name(day, "castle.txt")]).collect();
    let old = ["castle.txt", "castle.vxl"].map(|file| name(7, file));
    let paths: Vec<PathBuf> = others.into_iter().chain(old.clone()).chain([name(8, "castle.vxl")]).collect();
    assert_eq!(outdated(&paths, "castle.vxl", &["castle.vxl"], &keep), old);
}

#[test]
fn what_a_killed_call_kept_of_a_version_counts_as_none_and_goes_with_the_version_before_it() {
    let name = |day: u64, name: &str| PathBuf::from(format!("v/{}-{name}", day * 86_400));
    let version = |day: u64| ["castle.txt", "castle.vxl"].map(|file| name(day, file));
    let part = |day: u64| name(day, "castle.txt");
    let keep = KeepVersions { folder: "v".into(), count: 2, days: 365, now: 10 * 86_400 };
    let old = |paths: &[PathBuf]| outdated(paths, "castle.vxl", &["castle.vxl", "castle.txt"], &keep);
    let paths: Vec<PathBuf> = version(1).into_iter().chain([part(2), part(3)]).chain(version(4)).chain([part(5)]).collect();
    assert_eq!(old(&paths), [] as [PathBuf; 0], "two versions");
    let paths: Vec<PathBuf> = paths.into_iter().chain(version(6)).collect();
    let gone: Vec<PathBuf> = version(1).into_iter().chain([part(2), part(3)]).collect();
    assert_eq!(old(&paths), gone);
}

#[test]
fn what_a_call_that_was_killed_while_it_copied_a_version_left_is_removed_by_the_next_save() {
    let storage = disk();
    save_on(&storage, 100, 3, 30).unwrap();
    let folder = versions_folder(Path::new("v"), Path::new(MAP));
    let copy = storage.create_temp(&folder.join("9-castle.dots")).unwrap().path;
    let others = folder.join(".somebody's");
    storage.put(&others, b"");
    save_on(&storage, 101, 3, 30).unwrap();
    assert_eq!([&copy, &others].map(|path| storage.get(path).is_some()), [false, true]);
    assert_eq!(versions(&storage), [101, 100]);
}

#[test]
fn fewer_versions_are_kept_from_the_next_save_on_also_where_their_disk_is_full() {
    let storage = disk();
    for day in 100..105 {
        save_on(&storage, day, 9, 30).unwrap();
    }
    let all = storage.all();
    let mut told = 0;
    for index in 0..200 {
        let storage = FaultyStorage::default();
        all.iter().for_each(|(path, bytes)| storage.put(path, bytes));
        let opened = edited(&storage);
        storage.fail_at(index, Fault::Once(ErrorKind::StorageFull));
        let Ok(saved) = save(&storage, &opened, MAP, keeping(2, 30, 105)) else {
            assert_eq!(versions(&storage).iter().filter(|day| **day < 105).count(), 5, "operation {index}: a save that fails costs none");
            continue;
        };
        if saved.report.warnings.iter().any(|warning| warning.code == "version-not-kept") {
            assert_eq!(versions(&storage), [104, 103], "operation {index}");
            told += 1;
        }
    }
    assert!(told > 5, "only {told}");
}

#[test]
fn a_crash_while_a_version_is_kept_leaves_the_old_set_or_the_new_one() {
    let (old, new) = old_and_new();
    for index in 0..300 {
        let storage = disk();
        let opened = edited(&storage);
        storage.fail_at(index, Fault::Crash);
        save(&storage, &opened, MAP, keeping(3, 30, 100)).ok();
        storage.restart();
        complete_interrupted_saves(&storage, Path::new("m"));
        let files: Files = storage.all().into_iter().filter(|(path, _)| path.starts_with("m")).collect();
        assert!(files == old || files == new, "operation {index}: {:?}", files.keys());
    }
}

#[test]
fn what_somebody_else_saves_meanwhile_is_not_replaced_without_a_trace() {
    let probe = disk();
    let opened = edited(&probe);
    let before = probe.operations();
    save(&probe, &opened, MAP, keeping(3, 30, 100)).unwrap();
    let operations = probe.operations() - before;

    let theirs = b"DOTS of somebody else";
    let (mut refused, mut lost) = (0, vec![]);
    for index in 0..operations {
        let storage = disk();
        let opened = edited(&storage);
        storage.put_at(index, MAP, theirs);
        let saved = save(&storage, &opened, MAP, keeping(3, 30, 100));
        refused += usize::from(matches!(&saved, Err(SaveError::ChangedOnDisk { path }) if path == Path::new(MAP)));
        assert!(saved.is_ok() || storage.get(MAP).as_deref() == Some(theirs), "{index}: {saved:?}");
        if !storage.all().values().any(|bytes| bytes == theirs) {
            lost.push(index);
        }
    }
    // No file system looks at a file and replaces it in one step: the moment of the renaming itself is left.
    assert_eq!(lost.len(), 1, "{lost:?} of {operations} operations");
    assert!(refused > operations / 2, "{refused} of {operations}");
}

#[test]
fn a_map_that_is_gone_is_not_saved_as_if_nothing_had_happened() {
    let storage = disk();
    let opened = edited(&storage);
    let mut options = SaveOptions { expected: opened.stamps.clone(), ..plain() };
    storage.remove(Path::new(MAP)).unwrap();
    let there = storage.all();
    let told = save(&storage, &opened, MAP, options.clone());
    assert!(matches!(&told, Err(SaveError::Gone { path }) if path == Path::new(MAP)), "{told:?}");
    let told = preflight_with(PLUGINS, &storage, &opened.document, Path::new(MAP), &options);
    assert!(matches!(told, Err(SaveError::Gone { .. })), "{told:?}");
    assert_eq!(storage.all(), there);
    // Whoever was asked may go on.
    options.overwrite = Overwrite::Always;
    save(&storage, &opened, MAP, options).unwrap();
    assert!(storage.get(MAP).is_some());
}

#[test]
fn a_file_beside_the_map_that_somebody_removed_is_asked_about() {
    let storage = disk();
    let opened = edited(&storage);
    let name = Path::new("m/castle.name");
    storage.remove(name).unwrap();
    let there = storage.all();
    let options = SaveOptions { expected: opened.stamps.clone(), ..plain() };
    let told = save(&storage, &opened, MAP, plain());
    assert!(
        matches!(&told, Err(error @ SaveError::Gone { path }) if path == name && error.in_the_way() == Some(InTheWay::Gone)),
        "{told:?}"
    );
    let told = preflight_with(PLUGINS, &storage, &opened.document, Path::new(MAP), &options);
    assert!(matches!(told, Err(SaveError::Gone { .. })), "{told:?}");
    assert_eq!(storage.all(), there);
    save(&storage, &opened, MAP, SaveOptions { overwrite: Overwrite::Always, ..plain() }).unwrap();
    assert_eq!(storage.get(name).unwrap(), b"= Fort\n");
}

#[test]
fn what_is_written_anew_without_a_question_is_told() {
    for path in [MAP, "m/castle.name"] {
        let storage = disk();
        let opened = edited(&storage);
        storage.remove(Path::new(path)).unwrap();
        let saved = save(&storage, &opened, MAP, SaveOptions { overwrite: Overwrite::UnlessChanged, ..plain() }).unwrap();
        let told: Vec<_> = saved.report.warnings.iter().filter(|warning| warning.code == "was-gone").collect();
        let name = Path::new(path).file_name().unwrap().to_string_lossy();
        assert!(matches!(&told[..], [told] if told.message.contains(&*name)), "{:?}", saved.report);
    }
}

/// Saves a new map with its sidecars; a file by hand comes to the place of one of them at every operation in turn.
#[track_caller]
fn check_appearing(path: &str, overwrite: &Overwrite) {
    let theirs: &[u8] = if path == MAP { b"DOTS of somebody else" } else { b"def somebody(): pass\n" };
    let new_map = || {
        let from = disk();
        (FaultyStorage::with(&[("m/other", b"")]), Opened { stamps: Default::default(), ..edited(&from) })
    };
    let options = || SaveOptions { overwrite: overwrite.clone(), keep_foreign_sidecars: true, ..plain() };
    let (probe, opened) = new_map();
    let before = probe.operations();
    save(&probe, &opened, MAP, options()).unwrap();
    let operations = probe.operations() - before;
    let mut lost = vec![];
    for index in 0..operations {
        let (storage, opened) = new_map();
        storage.put_at(index, path, theirs);
        let saved = save(&storage, &opened, MAP, options());
        let is_there = storage.all().iter().any(|(_, bytes)| bytes == theirs);
        assert!(saved.is_ok() || is_there, "{index}: {saved:?}");
        if !is_there {
            lost.push(index);
        }
    }
    // What stands there when the save looks first is what may be replaced; nothing that comes later is.
    let (first, late) = lost.split_at(lost.iter().zip(0..).take_while(|(index, at)| **index == *at).count());
    let is_agreed = *overwrite != Overwrite::IfUnchanged;
    assert!(late.is_empty() && first.len() < operations / 2 && (is_agreed || first.is_empty()), "{lost:?} of {operations} operations");
}

#[test]
fn what_appears_where_a_new_map_is_being_saved_stays() {
    for overwrite in [Overwrite::IfUnchanged, Overwrite::UnlessChanged] {
        for path in [MAP, "m/castle.name"] {
            check_appearing(path, &overwrite);
        }
    }
}

#[test]
fn the_name_of_the_map_is_known_from_a_version_of_it_and_from_nothing_else() {
    let folder = versions_folder(Path::new("v"), Path::new(MAP));
    let name_of = |path: PathBuf| name_of_version(&path).map(str::to_owned);
    for (file, name) in
        [("1700000000-my-map.vmf", Some("my-map.vmf")), ("1700000000.2-a.vxl", Some("a.vxl")), ("a-b.vxl", None), ("12.vxl", None)]
    {
        assert_eq!(name_of(folder.join(file)).as_deref(), name, "{file}");
    }
    assert_eq!(name_of("maps/12-hills.vxl".into()), None);
    assert_eq!(name_of("my-maps/12-hills.vxl".into()), None);
}
