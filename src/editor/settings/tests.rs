//! Settings as files: damaged, of other versions, looked at.

use super::*;
use crate::document::OptionValue;
use crate::editor::storage::testing::FaultyStorage;

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
    settings.save(&storage, Path::new(FILE)).unwrap();
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
    settings.save(&storage, Path::new(FILE)).unwrap();
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
fn keys_of_newer_versions_are_kept() {
    let storage = FaultyStorage::with(&[(FILE, b"theme: light\nfuture: [1, 2]\nwindow_size: [.nan, 3]\n")]);
    let (settings, problem) = Settings::load(&storage, Path::new(FILE));
    assert!(problem.is_none() && settings.theme == Theme::Light && settings.window_size.is_none());
    settings.save(&storage, Path::new(FILE)).unwrap();
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
        settings.save(&storage, Path::new(FILE)).unwrap();
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
            settings.save(&storage, Path::new(FILE)).unwrap();
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
    settings.save(&storage, Path::new(FILE)).unwrap();
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
