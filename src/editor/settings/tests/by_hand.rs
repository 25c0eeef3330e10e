//! What a person writes into the settings stays, or is put aside and told.

use super::*;
use crate::editor::storage::testing::Fault;

const ASIDE: &str = "c/settings.yaml.before";

/// A text as the program spells it.
fn plain(text: &str) -> String {
    serde_yaml::to_string(&serde_yaml::from_str::<Value>(text).unwrap()).unwrap()
}

/// Settings of a text, changed and written; what was replaced, and the file afterwards.
fn written(text: &str, change: impl FnOnce(&mut Settings)) -> (FaultyStorage, Option<Replaced>, Value) {
    let storage = FaultyStorage::with(&[(FILE, text.as_bytes())]);
    let (known, problem) = Settings::load(&storage, Path::new(FILE));
    assert!(problem.is_none(), "{text}: {problem:?}");
    let mut settings = known.clone();
    change(&mut settings);
    let replaced = settings.save_changes(&known, &storage, Path::new(FILE)).unwrap();
    let file = serde_yaml::from_slice(&storage.get(FILE).unwrap()).unwrap();
    (storage, replaced, file)
}

fn opens_a_map(settings: &mut Settings) {
    settings.remember(Path::new("a.vxl"));
}

fn binds_a_key(settings: &mut Settings) {
    settings.keymap.bind("tool-brush", Some(vec![crate::editor::keymap::Chord::parse("F7").unwrap()]));
}

fn gives_a_palette(settings: &mut Settings) {
    settings.palettes.set(Path::new("new.vxl"), Some(&[Swatch { color: Rgb::new(1, 2, 3), name: "".into() }]));
}

#[test]
fn parts_whose_names_are_no_text_are_written_once() {
    for text in ["?", "? null\n: a\ntheme: light\n", "1: {a: [1]}\ntrue: b\n1.5: c\ntheme: light\n"] {
        let storage = FaultyStorage::with(&[(FILE, text.as_bytes())]);
        let mut parts = None;
        for map in ["a.vxl", "b.vxl", "c.vxl"] {
            let (known, problem) = Settings::load(&storage, Path::new(FILE));
            assert!(problem.is_none(), "{text}: {problem:?}");
            let mut settings = known.clone();
            settings.remember(Path::new(map));
            settings.save_changes(&known, &storage, Path::new(FILE)).unwrap();
            let (again, problem) = Settings::load(&storage, Path::new(FILE));
            assert!(problem.is_none() && again == settings, "{text}: {problem:?}");
            let file: Mapping = serde_yaml::from_slice(&storage.get(FILE).unwrap()).unwrap();
            assert!(file.keys().all(Value::is_string), "{text}: {file:?}");
            assert_eq!(*parts.get_or_insert(file.len()), file.len(), "{text}: {file:?}");
        }
    }
}

#[test]
fn parts_that_are_empty_or_oddly_spelled_are_read_as_before_once_something_else_is_written() {
    let empty = ["export_options:\n  vxl:\n", "read_options:\n", "keymap:\n  keys:\n", "palettes:\n", "memory:\n", "versions:\nmine:\n"];
    let odd = [
        "window_size: [080, 600]\n",
        "ui_scale: 01.5\n",
        "export_options: {1.10: {0x1f: 3}, vxl: {}}\n",
        "export_options: !mine {vxl: }\n",
        "theme: !light\n",
    ];
    for text in empty.into_iter().chain(odd) {
        let storage = FaultyStorage::with(&[(FILE, text.as_bytes())]);
        let (known, problem) = Settings::load(&storage, Path::new(FILE));
        assert!(problem.is_none(), "{text}: {problem:?}");
        let mut settings = known.clone();
        settings.remember(Path::new("a.vxl"));
        settings.save_changes(&known, &storage, Path::new(FILE)).unwrap();
        let (again, problem) = Settings::load(&storage, Path::new(FILE));
        assert!(problem.is_none() && again == settings, "{text}: {problem:?} {}", String::from_utf8(storage.get(FILE).unwrap()).unwrap());
    }
}

#[test]
fn what_is_not_understood_stays_until_it_is_set_and_is_put_aside_then() {
    let keymap = "keymap: {preset: [goxel], keys: {save: F2, undo: [F3, Ctrl+Z]}}\n";
    let palettes = "palettes: {a.vxl: ['#112233']}\n";
    for (text, part, change) in [
        (keymap, "keymap", binds_a_key as fn(&mut Settings)),
        ("keymap: [a, b]\n", "keymap", binds_a_key),
        (palettes, "palettes", gives_a_palette),
    ] {
        let (text, before) = (&plain(text), serde_yaml::from_str::<Value>(text).unwrap());
        let (storage, replaced, file) = written(text, opens_a_map);
        assert_eq!((replaced, &file[part], storage.get(ASIDE)), (None, &before[part], None), "{text}");
        let (storage, replaced, file) = written(text, change);
        let what = vec![format!("{part}, which was not understood")];
        assert_eq!(replaced, Some(Replaced { what, aside: ASIDE.into() }), "{text}");
        assert_eq!(storage.get(ASIDE).as_deref(), Some(text.as_bytes()), "{text}");
        // What was set holds.
        assert!(file[part] != before[part], "{text}");
        let (again, problem) = Settings::load(&storage, Path::new(FILE));
        assert!(problem.is_none() && again.kept.is_empty(), "{text}: {problem:?} {:?}", again.kept);
    }
}

#[test]
fn what_was_mended_while_the_window_was_open_stays_where_something_is_set() {
    let storage = FaultyStorage::with(&[(FILE, b"keymap: {preset: [goxel], keys: {save: F2}}\npalettes: {map: a.vxl}\n")]);
    let known = Settings::load(&storage, Path::new(FILE)).0;
    storage.put(FILE, plain("keymap: {preset: goxel, keys: {save: F2}}\npalettes: [{map: a.vxl, colors: ['#112233']}]").as_bytes());
    let mut settings = known.clone();
    binds_a_key(&mut settings);
    gives_a_palette(&mut settings);
    assert_eq!(settings.save_changes(&known, &storage, Path::new(FILE)).unwrap(), None);
    let again = Settings::load(&storage, Path::new(FILE)).0;
    assert_eq!((again.keymap.preset.as_str(), again.keymap.keys.len()), ("goxel", 2));
    assert!(again.palettes.of(Path::new("a.vxl")).is_some() && again.palettes.of(Path::new("new.vxl")).is_some());
}

#[test]
fn a_layout_that_is_not_understood_is_put_aside_and_keeps_what_nobody_knows() {
    let text = plain("layout: {sectors: maybe, water: false, fog: 3, 1: a}");
    let (storage, replaced, file) = written(&text, opens_a_map);
    assert_eq!(replaced.map(|replaced| replaced.what), Some(vec!["layout, which was not understood".to_owned()]));
    assert_eq!(storage.get(ASIDE).as_deref(), Some(text.as_bytes()));
    let layout = &file["layout"];
    assert_eq!((&layout["sectors"], &layout["water"], &layout["fog"], &layout[1]), (&false.into(), &false.into(), &3.into(), &"a".into()));
    // An empty part is as none.
    let (storage, replaced, file) = written(&plain("layout: {sectors: , fog: 3, panels: {2: b}, 1: a}"), opens_a_map);
    assert_eq!((replaced, storage.get(ASIDE)), (None, None));
    assert_eq!((&file["layout"]["fog"], &file["layout"][1], &file["layout"]["panels"][2]), (&3.into(), &"a".into(), &"b".into()));
}

#[test]
fn what_is_deeper_than_what_can_stay_is_put_aside() {
    let text = plain("layout: {panels: {top: {groups: []}, right: {groups: [{tabs: [color, layers], pinned: true}]}}}");
    let (storage, replaced, _) = written(&text, opens_a_map);
    assert_eq!((replaced, storage.get(ASIDE)), (None, None));
    let (storage, replaced, file) = written(&text, |settings| settings.layout.panels = crate::editor::dock::Dock::default());
    assert!(file["layout"]["panels"].get("top").is_none());
    assert_eq!(replaced.map(|replaced| replaced.what), Some(vec!["some of what was written within layout".to_owned()]));
    assert_eq!(storage.get(ASIDE).as_deref(), Some(text.as_bytes()));
}

#[test]
fn comments_stay_before_the_first_part_and_a_text_by_hand_is_put_aside_once() {
    for file in
        ["# mine\n\ntheme: light\n", "# mine\r\rtheme: light\r", "# mine\r\n\r\ntheme: light\r\n", "\u{feff}# mine\n\ntheme: light\n"]
    {
        let (storage, replaced, _) = written(file, opens_a_map);
        let text = String::from_utf8(storage.get(FILE).unwrap()).unwrap();
        assert!(text.starts_with("# mine\n\nrecent_files"), "{text}");
        assert_eq!(replaced.is_none(), !file.contains(['\r', '\u{feff}']), "{file:?}");
    }
    let by_hand = [
        "theme: light # as the day\n",
        "# odd\u{2028}theme: light\n",
        "theme: 'light'\n",
        "mine: [1.10, 0x10]\n",
        "defs: &a 3\nmine: *a\n",
        "theme: light",
    ];
    for (number, text) in by_hand.into_iter().enumerate() {
        let (storage, replaced, _) = written(text, opens_a_map);
        assert!(
            replaced.as_ref().is_some_and(|replaced| replaced.is_only_text() && replaced.aside == Path::new(ASIDE)),
            "{text}: {replaced:?}"
        );
        assert_eq!(storage.get(ASIDE).as_deref(), Some(text.as_bytes()));
        // Once it is aside, nothing is any more, also where it is put back.
        let save = |change: fn(&mut Settings)| {
            let known = Settings::load(&storage, Path::new(FILE)).0;
            let mut settings = known.clone();
            change(&mut settings);
            settings.save_changes(&known, &storage, Path::new(FILE)).unwrap().map(|replaced| replaced.aside)
        };
        assert_eq!(save(gives_a_palette), None, "{text}");
        storage.put(FILE, text.as_bytes());
        assert_eq!(save(gives_a_palette).as_deref(), Some(Path::new(ASIDE)), "{text}");
        storage.put(FILE, by_hand[(number + 1) % by_hand.len()].as_bytes());
        assert_eq!(save(gives_a_palette).as_deref(), Some(Path::new("c/settings.yaml.before2")), "{text}");
    }
}

#[test]
fn a_file_that_is_not_replaced_leaves_nothing_aside_and_no_aside_is_written_over() {
    let text = b"theme: light # as the day\n";
    let storage = FaultyStorage::with(&[(FILE, text)]);
    let known = Settings::load(&storage, Path::new(FILE)).0;
    let mut settings = known.clone();
    opens_a_map(&mut settings);
    let before = storage.all();
    let (mut failed, mut steps) = (0, 0);
    for step in 0.. {
        let storage = FaultyStorage::with(&[(FILE, text)]);
        storage.fail_at(step, Fault::Once(std::io::ErrorKind::StorageFull));
        let saved = settings.save_changes(&known, &storage, Path::new(FILE));
        if storage.operations() <= step {
            break;
        }
        steps += 1;
        failed += usize::from(saved.is_err());
        let there: Vec<_> = storage.all().into_iter().filter(|(path, _)| path.extension().is_none_or(|end| end != "lock")).collect();
        let is_as_before = there.iter().all(|(path, bytes)| before.get(path) == Some(bytes) || path == Path::new(ASIDE) && bytes == text);
        assert!(saved.is_ok() || is_as_before, "{step}: {there:?}");
    }
    assert!(failed > 3 && steps > failed, "{failed} of {steps}");
    for number in 1..=100 {
        storage.put(format!("c/settings.yaml.before{}", if number == 1 { String::new() } else { number.to_string() }), b"another");
    }
    let before = storage.all();
    let error = settings.save_changes(&known, &storage, Path::new(FILE)).unwrap_err();
    assert!(matches!(error, SettingsError::NoneAside { .. }), "{error}");
    let mut after = storage.all();
    after.remove(Path::new("c/settings.lock"));
    assert_eq!(after, before);
}

#[test]
fn palettes_beyond_the_bounds_stay_until_one_is_set_and_are_put_aside_then() {
    let palettes = |count: usize| (0..count).map(|map| format!("- {{map: {map}.vxl, colors: ['#112233']}}\n")).collect::<String>();
    let text = plain(&format!("palettes:\n{}", palettes(40)));
    let (storage, replaced, file) = written(&text, opens_a_map);
    assert_eq!((replaced, file["palettes"].as_sequence().map(Vec::len), storage.get(ASIDE)), (None, Some(40), None));
    let (storage, replaced, file) = written(&text, gives_a_palette);
    let said = replaced.unwrap().what.join(", ");
    // The latest come first: the last ones go.
    let all_gone = (32..40).all(|map| said.contains(&format!("{map}.vxl")));
    assert!(said.contains("no room") && all_gone && !said.contains("31.vxl"), "{said}");
    assert_eq!((file["palettes"].as_sequence().map(Vec::len), storage.get(ASIDE)), (Some(32), Some(text.into_bytes())));
}

#[test]
fn of_two_windows_the_newest_palettes_stay() {
    let palettes: String = (0..31).map(|map| format!("- {{map: {map}.vxl, colors: ['#112233']}}\n")).collect();
    let storage = FaultyStorage::with(&[(FILE, plain(&format!("palettes:\n{palettes}")).as_bytes())]);
    let known = Settings::load(&storage, Path::new(FILE)).0;
    let mut replaced = vec![];
    for map in ["of-two.vxl", "of-one.vxl"] {
        let mut settings = known.clone();
        settings.palettes.set(Path::new(map), Some(&[]));
        replaced.push(settings.save_changes(&known, &storage, Path::new(FILE)).unwrap());
    }
    let again = Settings::load(&storage, Path::new(FILE)).0.palettes;
    assert!(again.of(Path::new("of-two.vxl")).is_some() && again.of(Path::new("of-one.vxl")).is_some());
    assert!(again.of(Path::new("30.vxl")).is_none() && again.maps().len() == 32);
    let said = replaced.pop().flatten().unwrap().what.join(", ");
    assert!(said.contains("30.vxl") && replaced == [None], "{said}");
}

#[test]
fn mappings_that_others_are_merged_into_say_what_those_say() {
    let text = "defs: &d {count: 700, days: 800}\nversions: {<<: *d, days: 9}\nexport_options: {vxl: {<<: {lenient: true}, n: 3}}\n\
                palettes: [{<<: {map: a.vxl}, colors: []}]\nmine: {<<: none}\n";
    let (storage, replaced, file) = written(text, opens_a_map);
    assert!(replaced.is_some_and(|replaced| replaced.is_only_text()) && file["mine"]["<<"] == "none");
    // Also where another part is damaged.
    let damaged = FaultyStorage::with(&[(FILE, format!("{text}theme: solarized\n").as_bytes())]);
    assert_eq!(Settings::load(&damaged, Path::new(FILE)).0.versions, VersionSettings { count: 700, days: 9, keep_all: false });
    for settings in [
        Settings::load(&storage, Path::new(FILE)).0,
        Settings::peek(&FaultyStorage::with(&[(FILE, text.as_bytes())]), Path::new(FILE)).unwrap(),
    ] {
        assert_eq!((settings.versions.count, settings.versions.days), (700, 9));
        assert_eq!((settings.export_options["vxl"].len(), settings.palettes.maps().len(), settings.palettes.others()), (2, 1, 0));
    }
}

#[test]
fn palettes_that_are_none_and_a_second_one_of_a_map_stay_where_that_map_gets_colors() {
    let entries = ["{map: a.vxl, colors: {Dark earth: '#3a2a1c'}}", "{map: a.vxl, colors: '#3a2a1c'}", "{map: a.vxl, colors: ['#11223g']}"];
    let second = "{map: b.vxl, colors: ['#445566 Second']}";
    for entry in entries {
        let text = plain(&format!("palettes:\n- {entry}\n- {{map: b.vxl, colors: ['#112233 First']}}\n- {second}\n"));
        let storage = FaultyStorage::with(&[(FILE, text.as_bytes())]);
        let mut colors: Vec<Swatch> = vec![];
        for count in 1..4 {
            let known = Settings::load(&storage, Path::new(FILE)).0;
            assert_eq!(known.palettes.others(), 2, "{entry}");
            let mut settings = known.clone();
            colors.push(Swatch { color: Rgb::new(count, 2, 3), name: "".into() });
            settings.palettes.set(Path::new("a.vxl"), Some(&colors));
            settings.palettes.set(Path::new("b.vxl"), Some(&colors));
            assert_eq!(settings.save_changes(&known, &storage, Path::new(FILE)).unwrap(), None, "{entry}");
            let file: Value = serde_yaml::from_slice(&storage.get(FILE).unwrap()).unwrap();
            let list = file["palettes"].as_sequence().unwrap();
            let holds = |text: &str| list.contains(&serde_yaml::from_str(text).unwrap());
            assert!(list.len() == 4 && holds(entry) && holds(second), "{file:?}");
        }
    }
}

#[test]
fn what_is_spelled_otherwise_than_it_is_kept_is_put_aside_where_it_changes() {
    let long = "x".repeat(100);
    let text = plain(&format!("palettes:\n- {{map: new.vxl, colors: ['#112233 {long}']}}\n- {{map: b.vxl, colors: ['#112233 {long}']}}\n"));
    assert_eq!(written(&text, opens_a_map).1, None);
    let (storage, replaced, _) = written(&text, gives_a_palette);
    assert_eq!(replaced.map(|replaced| replaced.what), Some(vec!["some of what was written within palettes".to_owned()]));
    assert_eq!(storage.get(ASIDE), Some(text.into_bytes()));
    // What stays is no reason to put anything aside.
    let text = plain("palettes: [{map: new.vxl, colors: ['#112233 A'], note: mine}, {map: b.vxl, colors: [], note: other}]");
    let (_, replaced, file) = written(&text, gives_a_palette);
    assert_eq!((replaced, &file["palettes"][0]["note"]), (None, &"mine".into()));
}

#[test]
fn what_others_changed_of_the_layout_stays_where_something_else_of_it_is_chosen() {
    let panels = |size: u32, tabs: &str| format!("{{right: {{size: {size}, tabs: [{tabs}]}}}}");
    let layout = |water: bool, panels: &str| format!("layout: {{water: {water}, panels: {panels}}}\n");
    let storage = FaultyStorage::with(&[(FILE, layout(true, &panels(300, "color")).as_bytes())]);
    let known = Settings::load(&storage, Path::new(FILE)).0;
    let chosen = |text: &str| {
        let chosen: Settings = serde_yaml::from_str(text).unwrap();
        Settings { layout: chosen.layout, ..known.clone() }
    };
    // Here, there, and what comes of both: panels that both put elsewhere lie as here.
    let cases = [
        (
            "layout: {sectors: true, water: true, panels: {right: {size: 300, tabs: [color]}}}\n".to_owned(),
            layout(false, &panels(360, "color")),
            { "layout: {sectors: true, water: false, panels: {right: {size: 360, tabs: [color]}}}\n".to_owned() },
        ),
        (layout(true, &panels(300, "history")), layout(false, &panels(360, "color")), layout(false, &panels(360, "history"))),
        (layout(true, &panels(320, "color")), layout(true, &panels(300, "color, map")), layout(true, &panels(320, "color, map"))),
        (
            layout(true, &panels(300, "history, color")),
            layout(false, &panels(360, "color, map")),
            layout(false, &panels(300, "history, color")),
        ),
    ];
    for (here, there, expected) in cases {
        storage.put(FILE, there.as_bytes());
        chosen(&here).save_changes(&known, &storage, Path::new(FILE)).unwrap();
        let (now, problem) = Settings::load(&storage, Path::new(FILE));
        assert!(problem.is_none() && now.layout == chosen(&expected).layout, "{here}{there}{:?}", now.layout);
        assert!(now.layout.is_whole);
    }
}
