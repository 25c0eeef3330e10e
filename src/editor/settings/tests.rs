//! Settings as files: damaged, of other versions, looked at.

mod by_hand;

use super::*;
use crate::document::{OptionValue, Swatch};
use crate::editor::storage::testing::FaultyStorage;
use crate::editor::versions::as_settings_say;
use crate::voxel::Rgb;

const FILE: &str = "c/settings.yaml";

#[test]
fn settings_are_looked_at_without_touching_the_file() {
    let storage = FaultyStorage::with(&[(FILE, b"memory: {map_megabytes: 7}\ntheme: light\n")]);
    assert_eq!(Settings::peek(&storage, Path::new(FILE)).unwrap().memory.map_bytes(), 7_000_000);
    // The last one takes YAML's own reader for ever.
    for broken in ["memory: {map_megabytes: none}", "{", &format!("keymap: {}", "{a: ".repeat(100_000))] {
        storage.put(FILE, broken.as_bytes());
        assert!(matches!(Settings::peek(&storage, Path::new(FILE)), Err(SettingsError::NotUnderstood { .. })));
        assert_eq!(storage.get(FILE).unwrap(), broken.as_bytes());
    }
    storage.put(FILE, b"\n");
    assert_eq!(Settings::peek(&storage, Path::new(FILE)).unwrap(), Settings::default());
    assert_eq!(Settings::peek(&storage, Path::new("none.yaml")).unwrap(), Settings::default());
}

#[test]
fn settings_come_back_as_they_were() {
    let storage = FaultyStorage::default();
    assert_eq!(Settings::load(&storage, Path::new(FILE)).0, Settings::default());
    let mut settings = Settings { theme: Theme::Light, ui_scale: Some(1.1), window_size: Some([800.0, 600.0]), ..Settings::default() };
    (0..20).for_each(|i| settings.remember(Path::new(&format!("maps/{i}.vxl"))));
    settings.remember(Path::new("maps/15.vxl"));
    settings.export_options.insert("vxl".into(), [("size".to_owned(), OptionValue::Int(512))].into());
    assert_eq!(settings.recent_files.len(), MAX_RECENT);
    assert_eq!(settings.recent_files[0].0, Path::new("maps/15.vxl"));
    settings.save_changes(&Settings::default(), &storage, Path::new(FILE)).unwrap();
    let (loaded, problem) = Settings::load(&storage, Path::new(FILE));
    assert!(problem.is_none(), "{problem:?}");
    assert_eq!(loaded, settings);
    let text = String::from_utf8(storage.get(FILE).unwrap()).unwrap();
    assert!(text.lines().any(|line| line == "ui_scale: 1.1"), "{text}");
}

#[test]
fn brackets_nest_where_they_open_something_and_not_in_names() {
    let storage = FaultyStorage::default();
    let mut settings = Settings::default();
    for i in 0..3 {
        settings.remember(Path::new(&format!("{}{i}/a{}: [{}.vxl", "{".repeat(20), "[".repeat(40), "{".repeat(40))));
    }
    settings.save_changes(&Settings::default(), &storage, Path::new(FILE)).unwrap();
    let (loaded, problem) = Settings::load(&storage, Path::new(FILE));
    assert!(problem.is_none(), "{problem:?}");
    assert_eq!(loaded, settings);
    for (deep, line) in [("a: [[", 1), ("theme: light\n- - ? !t &a {[\n[", 2), ("{[\n[", 1), ("\n\"k\": {", 2)] {
        let text = format!("{deep}{}", "\n[".repeat(40));
        assert!(too_deep(text.as_bytes()).is_some_and(|found| found > line), "{deep}");
        assert_eq!(too_deep(deep.as_bytes()), None);
    }
}

#[test]
fn only_what_changed_here_is_written_over_what_others_wrote_since() {
    let storage = FaultyStorage::with(&[(FILE, b"theme: light\nversions: {count: 500}\n# mine\n")]);
    let (known, _) = Settings::load(&storage, Path::new(FILE));
    // Nothing changed: not a byte is.
    known.save_changes(&known, &storage, Path::new(FILE)).unwrap();
    assert_eq!(storage.get(FILE).unwrap(), b"theme: light\nversions: {count: 500}\n# mine\n");
    let mut settings = known.clone();
    settings.remember(Path::new("a.vxl"));
    settings.versions.days = 9;
    storage.put(FILE, b"versions: {count: 700}\nui_scale: 2.0\nfuture: 1\nkeymap: {preset: blender}\n");
    settings.save_changes(&known, &storage, Path::new(FILE)).unwrap();
    let written = Settings::load(&storage, Path::new(FILE)).0;
    assert_eq!((written.versions.count, written.versions.days, written.ui_scale), (700, 9, Some(2.0)));
    assert_eq!((written.recent_files.len(), written.last_folder), (1, settings.last_folder.clone()));
    let value: Value = serde_yaml::from_slice(&storage.get(FILE).unwrap()).unwrap();
    assert_eq!((&value["future"], &value["keymap"]["preset"]), (&Value::from(1), &Value::from("blender")));
    // What was taken away here is gone there.
    let mut without = settings.clone();
    (without.recent_files, without.ui_scale) = (vec![], None);
    without.export_options.insert("vxl".into(), [("size".to_owned(), OptionValue::Int(512))].into());
    without.save_changes(&settings, &storage, Path::new(FILE)).unwrap();
    assert!(Settings::load(&storage, Path::new(FILE)).0.recent_files.is_empty());
    let mut fewer = without.clone();
    fewer.export_options.clear();
    fewer.save_changes(&without, &storage, Path::new(FILE)).unwrap();
    assert!(Settings::load(&storage, Path::new(FILE)).0.export_options.is_empty());
}

#[test]
fn palettes_and_recent_files_of_two_windows_stand_side_by_side() {
    let palette = |name: &str| [Swatch { color: Rgb::new(1, 2, 3), name: name.into() }];
    let storage = FaultyStorage::with(&[(FILE, b"recent_files: [old.vxl, gone.vxl]\n")]);
    let known = Settings::load(&storage, Path::new(FILE)).0;
    let save = |settings: &Settings, known: &Settings| settings.save_changes(known, &storage, Path::new(FILE)).unwrap();
    let load = || Settings::load(&storage, Path::new(FILE)).0;
    let (mut one, mut other) = (known.clone(), known.clone());
    one.palettes.set(Path::new("a.vxl"), Some(&palette("of one")));
    one.remember(Path::new("a.vxl"));
    save(&one, &known);
    other.palettes.set(Path::new("b.vxl"), Some(&palette("of other")));
    other.remember(Path::new("b.vxl"));
    other.forget(Path::new("gone.vxl"));
    save(&other, &known);
    let both = load();
    assert_eq!(both.palettes.of(Path::new("a.vxl")), Some(&palette("of one")[..]));
    assert_eq!(both.palettes.of(Path::new("b.vxl")), Some(&palette("of other")[..]));
    assert!(both.recent_files.iter().map(|path| &*path.0).eq(["b.vxl", "a.vxl", "old.vxl"].map(Path::new)), "{:?}", both.recent_files);
    // What one changed since stays, though the other still has it as it was; what it takes away goes.
    let (mut changed, mut taken) = (both.clone(), both.clone());
    changed.palettes.set(Path::new("a.vxl"), Some(&palette("new")));
    save(&changed, &both);
    taken.palettes.set(Path::new("b.vxl"), None);
    save(&taken, &both);
    assert_eq!(load().palettes.of(Path::new("a.vxl")), Some(&palette("new")[..]));
    assert_eq!(load().palettes.of(Path::new("b.vxl")), None);
    // There are never more than a window keeps.
    let (mut one, mut other, before) = (load(), load(), load());
    (0..MAX_RECENT).for_each(|number| one.remember(Path::new(&format!("{number}.vxl"))));
    save(&one, &before);
    other.remember(Path::new("last.vxl"));
    save(&other, &before);
    let text: Value = serde_yaml::from_slice(&storage.get(FILE).unwrap()).unwrap();
    assert_eq!(text["recent_files"].as_sequence().map(Vec::len), Some(MAX_RECENT));
    // Of one map, the colors of both are kept.
    let (mut one, mut other, before) = (load(), load(), load());
    let colors = |names: &[&str]| names.iter().map(|name| palette(name)[0].clone()).collect::<Vec<_>>();
    one.palettes.set(Path::new("a.vxl"), Some(&colors(&["new", "more"])));
    save(&one, &before);
    other.palettes.set(Path::new("a.vxl"), Some(&colors(&["other", "new"])));
    save(&other, &before);
    assert_eq!(load().palettes.of(Path::new("a.vxl")), Some(&*colors(&["other", "new", "more"])));
    other.palettes.set(Path::new("a.vxl"), Some(&colors(&["other"])));
    save(&other, &load());
    assert_eq!(load().palettes.of(Path::new("a.vxl")), Some(&*colors(&["other"])));
    // Together they are never more than a file may hold.
    let (mut many, mut more) = (load(), load());
    let long: Vec<Swatch> = (0..1000).map(|_| Swatch { color: Rgb::new(1, 2, 3), name: "ö".repeat(60).into() }).collect();
    let before = load();
    many.palettes.set(Path::new("c.vxl"), Some(&long));
    more.palettes.set(Path::new("d.vxl"), Some(&long));
    save(&many, &before);
    save(&more, &before);
    assert!(storage.get(FILE).unwrap().len() < 250_000, "as one window keeps them");
    assert!(load().palettes.of(Path::new("d.vxl")).is_some());
}

#[test]
fn a_file_that_could_not_be_read_or_is_not_understood_is_not_written_over_with_the_defaults() {
    let text = b"versions: {count: 500}\ntheme: light\n";
    let storage = FaultyStorage::with(&[(FILE, text)]);
    storage.withhold(FILE, true);
    let (known, problem) = Settings::load(&storage, Path::new(FILE));
    assert!(problem.is_some() && known == Settings::unread());
    let mut settings = known.clone();
    settings.remember(Path::new("a.vxl"));
    assert!(settings.save_changes(&known, &storage, Path::new(FILE)).is_err());
    storage.withhold(FILE, false);
    assert_eq!(storage.get(FILE).unwrap(), text);
    settings.save_changes(&known, &storage, Path::new(FILE)).unwrap();
    let written = Settings::load(&storage, Path::new(FILE)).0;
    assert_eq!((written.versions.count, written.versions.keep_all, written.theme), (500, false, Theme::Light));
    assert_eq!(written.recent_files.len(), 1);
    // Half of an edit by hand, and one that is wrong.
    for edited in [&b"versions: {count: 5"[..], b"versions: {count: many}\n"] {
        storage.put(FILE, edited);
        assert!(settings.save_changes(&known, &storage, Path::new(FILE)).is_err());
        assert_eq!(storage.get(FILE).unwrap(), edited);
        let keep = Settings::default().versions.keeping("v".into(), 5);
        let said = as_settings_say(keep, &storage, Some(Path::new(FILE)));
        assert_eq!((said.count, said.days), (usize::MAX, u64::MAX));
    }
}

#[test]
#[cfg(unix)]
fn settings_on_a_disk_that_is_away_are_not_the_defaults() {
    use crate::editor::storage::RealStorage;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.yaml");
    assert_eq!(Settings::peek(&RealStorage, &folder.path().join("none/settings.yaml")).unwrap(), Settings::default());
    std::os::unix::fs::symlink(folder.path().join("disk/settings.yaml"), &file).unwrap();
    std::os::unix::fs::symlink(folder.path().join("disk"), folder.path().join("config")).unwrap();
    std::fs::write(folder.path().join("plain"), "").unwrap();
    for file in [file.clone(), folder.path().join("config/settings.yaml"), folder.path().join("plain/settings.yaml")] {
        let said = Settings::peek(&RealStorage, &file).unwrap_err().to_string();
        assert!(said.contains("disk") || said.contains("plain"), "{said}");
        let (settings, problem) = Settings::load(&RealStorage, &file);
        assert!(problem.is_some() && settings.versions.keep_all);
        assert!(settings.save_changes(&Settings::default(), &RealStorage, &file).is_err());
    }
    assert!(!folder.path().join("disk").exists());
}

#[test]
fn keys_of_newer_versions_are_kept() {
    let storage = FaultyStorage::with(&[(FILE, b"theme: light\nfuture: [1, 2]\nwindow_size: [.nan, 3]\n")]);
    let (settings, problem) = Settings::load(&storage, Path::new(FILE));
    assert!(problem.is_none() && settings.theme == Theme::Light && settings.window_size.is_none());
    settings.save_changes(&Settings::default(), &storage, Path::new(FILE)).unwrap();
    assert!(String::from_utf8(storage.get(FILE).unwrap()).unwrap().contains("future:"));
}

#[test]
fn what_a_newer_version_says_within_known_parts_is_kept() {
    let text = b"memory: {map_megabytes: 7, x: [1]}\nversions: {y: {z: 2}}\nkeymap: 7\npalettes: [later]\n";
    let storage = FaultyStorage::with(&[(FILE, text)]);
    for megabytes in [8, 9] {
        let (mut settings, problem) = Settings::load(&storage, Path::new(FILE));
        assert!(problem.is_none(), "{problem:?}");
        settings.memory.history_megabytes = megabytes;
        settings.save_changes(&Settings::default(), &storage, Path::new(FILE)).unwrap();
        let written: Value = serde_yaml::from_slice(&storage.get(FILE).unwrap()).unwrap();
        let memory =
            serde_yaml::from_str::<Value>(&format!("{{map_megabytes: 7, mesh_megabytes: 1024, history_megabytes: {megabytes}, x: [1]}}"))
                .unwrap();
        assert_eq!(written["memory"], memory);
        assert_eq!((&written["versions"]["y"]["z"], &written["keymap"]), (&Value::from(2), &Value::from(7)));
        assert_eq!(written["palettes"][0], Value::from("later"));
    }
}

#[test]
fn no_version_is_dropped_after_settings_were_lost_also_at_later_starts() {
    for damaged in [&b"versions: {count: 100"[..], b"versions: 100\ntheme: light\n"] {
        let storage = FaultyStorage::with(&[(FILE, damaged)]);
        for _ in 0..2 {
            let (settings, _) = Settings::load(&storage, Path::new(FILE));
            let keep = settings.versions.keeping("v".into(), 5);
            assert_eq!((keep.count, keep.days), (usize::MAX, u64::MAX));
            // Killed before it could write the settings, or without room for them.
            let (settings, problem) = Settings::load(&storage, Path::new(FILE));
            assert!(settings.versions.keep_all && matches!(problem, Some(SettingsError::Aside { .. })) == storage.get(FILE).is_none());
            assert_eq!(Settings::peek(&storage, Path::new(FILE)).is_err(), storage.get(FILE).is_none());
            settings.save_changes(&Settings::default(), &storage, Path::new(FILE)).unwrap();
        }
    }
    let keep = Settings::default().versions.keeping("v".into(), 5);
    assert_eq!((keep.count, keep.days, keep.now), (20, 60, 5));
}

#[test]
fn what_is_sound_of_damaged_settings_holds() {
    let damaged = b"theme: 7\nui_scale: 1.5\nversions: {count: 100}\nfuture: 3\nrecent_files: [a.vxl]\nwindow_size: x\n";
    let storage = FaultyStorage::with(&[(FILE, damaged)]);
    let (settings, problem) = Settings::load(&storage, Path::new(FILE));
    let expected = Settings { ui_scale: Some(1.5), ..Settings::default() };
    assert_eq!((settings.theme, settings.ui_scale, settings.window_size), (expected.theme, expected.ui_scale, None));
    assert_eq!((settings.versions.keeping("v".into(), 5).count, settings.recent_files.len()), (100, 1));
    let said = problem.unwrap().to_string();
    assert!(said.starts_with("theme, window_size of the settings") && said.contains("settings.yaml.damaged"), "{said}");
    settings.save_changes(&Settings::default(), &storage, Path::new(FILE)).unwrap();
    let text = String::from_utf8(storage.get(FILE).unwrap()).unwrap();
    assert!(text.contains("ui_scale: 1.5") && text.contains("future: 3"), "{text}");
    assert_eq!(storage.get("c/settings.yaml.damaged").unwrap(), damaged);
}

#[test]
fn damaged_settings_are_put_aside() {
    for damaged in [&b"theme: [1"[..], b"\xff\x00", b"- theme: pink", b"- 1"] {
        let storage = FaultyStorage::with(&[(FILE, damaged)]);
        let (settings, problem) = Settings::load(&storage, Path::new(FILE));
        assert_eq!(settings, Settings::unread());
        assert!(matches!(problem, Some(SettingsError::Damaged { .. })));
        assert_eq!(storage.get("c/settings.yaml.damaged").unwrap(), damaged);
        // Another one goes beside it.
        storage.put(FILE, b"theme: [");
        assert!(Settings::load(&storage, Path::new(FILE)).1.is_some());
        assert_eq!(storage.get("c/settings.yaml.damaged").unwrap(), damaged);
        assert_eq!(storage.get("c/settings.yaml.damaged2").unwrap(), b"theme: [");
        storage.remove(Path::new("c/settings.yaml.damaged2")).unwrap();
        storage.remove(Path::new("c/settings.yaml.damaged")).unwrap();
        assert!(storage.get(FILE).is_none());
    }
}

#[test]
fn a_value_of_the_wrong_kind_is_told_without_names_of_kinds_of_the_programs_language() {
    let wrong = [
        ("memory: {map_megabytes: -1}\n", "expected a whole number from 0 on"),
        ("versions: {count: many}\n", "expected a whole number from 0 on"),
        ("ui_scale: large\n", "expected a number"),
        ("versions: {keep_all: 7}\n", "expected true or false"),
        ("recent_files: {}\n", "expected a list"),
        ("read_options: 7\n", "expected names with values"),
        ("memory: 5\n", "expected names with values"),
    ];
    for (text, words) in wrong {
        let said = parse(text.as_bytes()).unwrap_err().to_string();
        assert!(said.contains(words) && said.contains("line 1") && !said.contains("struct"), "{text}{said}");
    }
}

#[test]
fn settings_that_cannot_be_written_are_told_once_and_a_count_of_versions_that_was_raised_by_hand_holds_at_once() {
    use std::sync::Arc;

    use crate::editor::testing::config_on;
    use crate::editor::{Action, Editor, NewMap, SaveOrder, files};

    let disk = FaultyStorage::with(&[(FILE, b"versions: {count: 1}\n"), ("m/b.txt", b"")]);
    let settings = Settings::load(&disk, Path::new(FILE)).0;
    let config = config_on(Arc::new(disk.clone()), Arc::new(|| {}));
    let (versions_folder, settings_file) = (Some("v".into()), Some(FILE.into()));
    let mut editor = Editor::new(crate::editor::EditorConfig { versions_folder, settings_file, settings, ..config });
    let params = crate::terrain::Params { size: glam::IVec3::new(32, 32, 64), seed: 0, values: BTreeMap::default() };
    editor.act(Action::New(NewMap { generator: "flat".into(), params }));
    editor.finish_jobs();
    let id = editor.active().unwrap().id();
    let mut save = |x: i32| {
        let edit = serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},2,20],"color":"#ff8000"}}}}"##)).unwrap();
        editor.act(Action::Edit(edit));
        editor.finish_jobs();
        editor.act(Action::SaveAs(SaveOrder::new(id).with_path("m/a.vxl".into()).with_loss_agreed()));
        editor.finish_jobs();
        // The next frame.
        editor.pump();
        assert!(editor.messages().iter().all(|told| !told.is_error), "{:?}", editor.messages());
        let told = |told: &&crate::editor::Message| told.text.contains("the settings cannot be written");
        (files::list_versions(&disk, Path::new("v"), Path::new("m/a.vxl")).len(), editor.messages().iter().filter(told).count())
    };
    assert_eq!([save(1), save(2), save(3)], [(0, 0), (1, 0), (1, 0)]);
    disk.put(FILE, b"versions: {count: 50}\n");
    assert_eq!([save(4), save(5)], [(2, 0), (3, 0)]);
    // In the middle of an edit by hand nothing is dropped, and nothing written.
    disk.put(FILE, b"versions: {count: 5");
    assert_eq!([save(6), save(7)], [(4, 1), (5, 1)]);
    assert_eq!(disk.get(FILE).unwrap(), b"versions: {count: 5");
    disk.put(FILE, b"versions: {count: 50}\n");
    assert_eq!(save(8), (6, 1));
    assert!(String::from_utf8(disk.get(FILE).unwrap()).unwrap().contains("count: 50"));
    // What could not be written is written at the end, without another save.
    disk.put(FILE, b"versions: {count: 5");
    assert_eq!(save(9), (7, 2));
    disk.put(FILE, b"versions: {count: 50}\n");
    editor.settings.theme = Theme::Light;
    editor.save_settings_left();
    assert!(String::from_utf8(disk.get(FILE).unwrap()).unwrap().contains("theme: light"));
    editor.settings.theme = Theme::Dark;
    editor.save_settings_left();
    assert!(String::from_utf8(disk.get(FILE).unwrap()).unwrap().contains("theme: light"), "nothing was left");
    // Or after a while.
    disk.put(FILE, b"versions: {count: 5");
    editor.save_settings();
    disk.put(FILE, b"versions: {count: 50}\n");
    editor.pump();
    assert!(!String::from_utf8(disk.get(FILE).unwrap()).unwrap().contains("theme: dark"), "at once");
    {
        let mut known = editor.settings_known.lock().unwrap();
        let failed = known.failed.unwrap();
        known.failed = failed.checked_sub(super::changes::PAUSE);
    }
    editor.pump();
    assert!(String::from_utf8(disk.get(FILE).unwrap()).unwrap().contains("theme: dark"));
}

#[test]
fn a_window_waits_for_another_one_that_writes_the_settings() {
    let storage = FaultyStorage::with(&[(FILE, b"theme: dark\n")]);
    let known = Settings::load(&storage, Path::new(FILE)).0;
    let mut settings = known.clone();
    settings.remember(Path::new("a.vxl"));
    let others = storage.lock(Path::new("c/settings.lock")).unwrap().unwrap();
    let disk = storage.clone();
    let writing = std::thread::spawn(move || settings.save_changes(&known, &disk, Path::new(FILE)));
    std::thread::sleep(std::time::Duration::from_millis(100));
    storage.put(FILE, b"theme: light\n");
    drop(others);
    writing.join().unwrap().unwrap();
    let both = Settings::load(&storage, Path::new(FILE)).0;
    assert_eq!((both.theme, both.recent_files.len()), (Theme::Light, 1));
    // One that ended in the middle holds nobody up for ever.
    let _stuck = storage.lock(Path::new("c/settings.lock")).unwrap().unwrap();
    both.save_changes(&Settings::default(), &storage, Path::new(FILE)).unwrap();
}

#[test]
fn what_a_person_writes_into_the_settings_while_they_are_written_stays() {
    let storage = FaultyStorage::with(&[(FILE, b"theme: dark\n")]);
    let known = Settings::load(&storage, Path::new(FILE)).0;
    let mut settings = known.clone();
    settings.remember(Path::new("a.vxl"));
    // At each step of writing them; in the last one nobody could still look.
    let (mut steps, mut lost) = (0, 0);
    for step in 0.. {
        let storage = FaultyStorage::with(&[(FILE, b"theme: dark\n")]);
        storage.put_at(step, FILE, b"theme: light\nui_scale: 1.5\n");
        settings.save_changes(&known, &storage, Path::new(FILE)).unwrap();
        if storage.operations() <= step {
            break;
        }
        let both = Settings::load(&storage, Path::new(FILE)).0;
        steps += 1;
        lost += usize::from((both.theme, both.ui_scale) != (Theme::Light, Some(1.5)));
    }
    assert!(steps > 5 && lost <= 1, "{lost} of {steps}");
}

#[test]
fn a_file_that_somebody_writes_all_the_while_is_not_replaced() {
    let text = |number: usize| format!("ui_scale: 1.5 # try {number}\n");
    let storage = FaultyStorage::with(&[(FILE, text(0).as_bytes())]);
    let known = Settings::load(&storage, Path::new(FILE)).0;
    let mut settings = known.clone();
    settings.remember(Path::new("a.vxl"));
    for step in 0..1000 {
        storage.put_at(step, FILE, text(step + 1).as_bytes());
    }
    let error = settings.save_changes(&known, &storage, Path::new(FILE)).unwrap_err();
    assert!(matches!(error, SettingsError::Edited { .. }), "{error}");
    let there = storage.all();
    assert!(there.get(Path::new(FILE)).is_some_and(|bytes| bytes.starts_with(b"ui_scale: 1.5 # try ")), "what they wrote stays");
    assert!(there.keys().all(|path| [FILE, "c/settings.lock"].contains(&path.to_str().unwrap())), "{:?}", there.keys());
}

#[test]
fn settings_that_somebody_is_writing_in_place_are_waited_for() {
    let storage = FaultyStorage::with(&[(FILE, b"mine: {a: 1}\n")]);
    let known = Settings::load(&storage, Path::new(FILE)).0;
    let config = crate::editor::testing::config_on(std::sync::Arc::new(storage.clone()), std::sync::Arc::new(|| {}));
    let config = crate::editor::EditorConfig { settings_file: Some(FILE.into()), settings: known, ..config };
    let mut editor = crate::editor::Editor::new(config);
    for empty in [b"".as_slice(), b"ui_scale: 1.5\n"] {
        storage.put(FILE, empty);
        storage.touch(FILE, std::time::SystemTime::now());
        let disk = storage.clone();
        let slow = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(400));
            disk.put(FILE, b"ui_scale: 1.5\nmine: {a: 2}\n");
        });
        editor.settings.theme = if editor.settings.theme == Theme::Dark { Theme::Light } else { Theme::Dark };
        editor.save_settings();
        slow.join().unwrap();
        let now = Settings::load(&storage, Path::new(FILE)).0;
        let mine = now.other.get("mine").and_then(|mine| mine.get("a")).and_then(Value::as_u64);
        assert_eq!((now.theme, now.ui_scale, mine), (editor.settings.theme, Some(1.5), Some(2)));
    }
}

#[test]
fn what_was_chosen_just_before_the_end_is_written_though_the_file_does_not_rest_yet() {
    let storage = FaultyStorage::with(&[(FILE, b"mine: {a: 1}\n")]);
    let known = Settings::load(&storage, Path::new(FILE)).0;
    let config = crate::editor::testing::config_on(std::sync::Arc::new(storage.clone()), std::sync::Arc::new(|| {}));
    let (jobs, settings_file) = (crate::editor::JobMode::Threads, Some(FILE.into()));
    let mut editor = crate::editor::Editor::new(crate::editor::EditorConfig { jobs, settings_file, settings: known, ..config });
    // By the clock of a disk far away: for longer than one write waits.
    storage.touch(FILE, std::time::SystemTime::now() + std::time::Duration::from_millis(1500));
    editor.settings.theme = Theme::Light;
    editor.save_settings();
    editor.save_settings_left();
    drop(editor);
    let now = Settings::load(&storage, Path::new(FILE)).0;
    assert_eq!((now.theme, now.other.contains_key("mine")), (Theme::Light, true));
}

#[test]
fn recent_files_beyond_the_bound_go_from_the_end() {
    let all: Vec<String> = (0..20).map(|number| format!("/maps/r{number}.vxl")).collect();
    let storage = FaultyStorage::with(&[(FILE, format!("recent_files: [{}]\n", all.join(", ")).as_bytes())]);
    let known = Settings::load(&storage, Path::new(FILE)).0;
    let mut settings = known.clone();
    settings.remember(Path::new("/maps/new.vxl"));
    settings.save_changes(&known, &storage, Path::new(FILE)).unwrap();
    let kept: Vec<_> = Settings::load(&storage, Path::new(FILE)).0.recent_files.iter().map(|file| file.0.display().to_string()).collect();
    assert_eq!(kept, [&["/maps/new.vxl".to_owned()], &all[..kept.len() - 1]].concat());
}

#[test]
fn settings_that_could_not_be_read_again_are_not_written() {
    let storage = FaultyStorage::with(&[(FILE, b"keymap: {keys: {save: !%5b x}}\n")]);
    let (known, problem) = Settings::load(&storage, Path::new(FILE));
    assert!(problem.is_none(), "{problem:?}");
    let mut settings = known.clone();
    settings.remember(Path::new("a.vxl"));
    for is_there in [true, false] {
        if !is_there {
            storage.remove(Path::new(FILE)).unwrap();
        }
        let error = settings.save_changes(&known, &storage, Path::new(FILE)).unwrap_err();
        assert!(matches!(error, SettingsError::Encode(_)) && storage.get(FILE).is_some() == is_there, "{error}");
    }
}

#[test]
fn settings_that_are_write_protected_stay_as_they_are() {
    let storage = FaultyStorage::with(&[(FILE, b"theme: dark # mine\n")]);
    storage.protect(FILE);
    let error = Settings { theme: Theme::Light, ..Settings::default() }.save_changes(&Settings::default(), &storage, Path::new(FILE));
    assert!(matches!(error, Err(SettingsError::Storage(_))));
    assert_eq!(storage.get(FILE).unwrap(), b"theme: dark # mine\n");
}

#[test]
fn settings_that_nobody_could_read_are_not_written() {
    let large = format!("theme: dark\nfuture: {}\n", "x".repeat(SETTINGS_LIMIT as usize - 100));
    let storage = FaultyStorage::with(&[(FILE, large.as_bytes())]);
    let (known, problem) = Settings::load(&storage, Path::new(FILE));
    assert!(problem.is_none(), "{problem:?}");
    let mut settings = known.clone();
    settings.remember(Path::new(&"m/".repeat(100)));
    let error = settings.save_changes(&known, &storage, Path::new(FILE)).unwrap_err();
    assert!(matches!(error, SettingsError::TooLarge { .. }), "{error}");
    assert_eq!(storage.get(FILE).unwrap(), large.as_bytes());
}

#[test]
fn what_a_newer_version_says_within_the_parts_is_kept_where_others_change() {
    let text = "layout: {sectors: true, minimap: true, panels: {right: {groups: [{tabs: [color, layers], pinned: true}]}}}\n\
                keymap: {preset: goxel, keys: {undo: [F4]}, mouse: {orbit: middle}}\n\
                palettes:\n- {map: /nowhere/m.vxl, colors: ['#ff0000 red'], sorted: hue}\n\
                versions: {count: 20, days: 60, compress: zstd}\n\
                new_part: {a: 1}\n";
    let storage = FaultyStorage::with(&[(FILE, text.as_bytes())]);
    let (known, problem) = Settings::load(&storage, Path::new(FILE));
    assert!(problem.is_none(), "{problem:?}");
    let there = || serde_yaml::from_slice::<Value>(&storage.get(FILE).unwrap()).unwrap();
    let before = there();
    let parts = ["layout", "keymap", "palettes", "versions", "new_part"];

    let mut settings = known.clone();
    settings.remember(Path::new("/maps/a.vxl"));
    settings.save_changes(&known, &storage, Path::new(FILE)).unwrap();
    for part in parts {
        assert_eq!(there().get(part), before.get(part), "{part}");
    }
    assert!(there().get("recent_files").is_some_and(|files| files[0] == "/maps/a.vxl"));

    // Of parts that change, all that is not known stays.
    let (known, mut settings) = (settings.clone(), settings);
    settings.versions.count = 7;
    settings.keymap.preset = "blender".into();
    settings.layout.sectors = !settings.layout.sectors;
    settings.save_changes(&known, &storage, Path::new(FILE)).unwrap();
    let now = there();
    assert_eq!(
        (&now["versions"]["count"], &now["keymap"]["preset"], &now["layout"]["sectors"]),
        (&7.into(), &"blender".into(), &false.into())
    );
    assert_eq!((&now["versions"]["compress"], &now["layout"]["minimap"]), (&"zstd".into(), &true.into()));
    assert_eq!((&now["keymap"]["mouse"], &now["keymap"]["keys"]), (&before["keymap"]["mouse"], &before["keymap"]["keys"]));
    assert_eq!((&now["layout"]["panels"], &now["palettes"]), (&before["layout"]["panels"], &before["palettes"]));
    assert_eq!(Settings::load(&storage, Path::new(FILE)).0.versions, settings.versions);
}
