//! Space Station 14 maps in the window: tiles by name, things to find.

use egui::accesskit::Role;
use glam::IVec3;
use spadework::document::{Document, GameProfile, Progress};
use spadework::editor::Action;
use spadework::editor::files::{SaveOptions, save_map};
use spadework::editor::storage::RealStorage;
use spadework::geom::Region;
use spadework::voxel::{Rgb, Store, StoreEdit, Voxel};
use spadework_gui_tests::Window;

/// A window with a station of 40×24 tiles of two kinds, and its file.
fn station() -> Option<(Window, std::path::PathBuf)> {
    let window = Window::empty()?;
    let path = window.file("station.yml");
    let bounds = Region::of_size(IVec3::new(40, 24, 64));
    let mut store = Store::new(bounds);
    let mut edit = StoreEdit::new(&store);
    for at in Region::new(IVec3::new(0, 0, 62), IVec3::new(40, 24, 64)).positions() {
        edit.set(at, Some(Voxel::new(if at.x < 20 { Rgb::new(0x2d, 0x2d, 0x2d) } else { Rgb::new(0xd9, 0xd8, 0xd8) })));
    }
    let changes = edit.finish();
    store.apply(&changes);
    let map = Document::new(store, &GameProfile::ACE_OF_SPADES);
    save_map(&RealStorage, &map, &path, &SaveOptions::default(), &Progress::new()).unwrap();
    let mut window = window;
    window.act(Action::Open(path.clone()));
    Some((window, path))
}

#[test]
fn a_tile_is_chosen_by_name_and_painting_changes_one_line() {
    let Some((mut window, path)) = station() else { return };
    assert!(!window.map().document().palette.is_empty() && !window.sees("Blue"), "no teams");
    let before = std::fs::read_to_string(&path).unwrap();
    window.fill_in(Role::TextInput, "Find a tile", "floorwood");
    let wood = window.map().document().palette.color_of("FloorWood").unwrap();
    window.click("FloorWood");
    assert_eq!(window.app().editor.tool.settings.color, wood);
    let row = window.rect_of(Role::Button, "FloorWood").unwrap();
    assert!(row.width() > 150.0, "it takes clicks beside its letters: {row:?}");
    window.press("G");
    window.press("7");
    window.drag(&[[0.5, 0.5], [0.5, 0.5]]);
    assert_eq!(window.steps(), 1);
    window.press("Ctrl+S");
    assert!(!window.map().is_modified());
    let after = std::fs::read_to_string(&path).unwrap();
    assert_eq!(window.map().document().store().chunks().count(), 2);
    let changed = before.lines().filter(|line| !after.lines().any(|other| other == *line)).count();
    assert!((1..=4).contains(&changed), "{changed} lines changed");
}

#[test]
fn a_station_that_can_only_be_looked_at_says_so_as_long_as_it_is_open() {
    let Some((mut window, path)) = station() else { return };
    assert!(!window.sees("view only"));
    // A text that goes on beside its key.
    let text = std::fs::read_to_string(&path).unwrap();
    let odd = text.replacen("    - type: Transform\n", "    - type: Paper\n      content: \"a\n    b: c\"\n    - type: Transform\n", 1);
    let odd_path = window.file("odd.yml");
    std::fs::write(&odd_path, &odd).unwrap();
    window.act(Action::Open(odd_path.clone()));
    assert!(window.sees("view only"), "{:?}", window.app().editor.messages());
    let told =
        |window: &Window| window.app().editor.messages().iter().filter(|message| message.text.contains("edits cannot be saved")).count();
    assert_eq!(told(&window), 0);
    window.press("Ctrl+A");
    assert_eq!((window.steps(), told(&window)), (1, 0));
    window.press("G");
    window.press("7");
    for (steps, x) in [(2, 0.5), (3, 0.45)] {
        window.drag(&[[x, 0.5], [x, 0.5]]);
        assert_eq!((window.steps(), told(&window)), (steps, 1));
    }
    window.press("Ctrl+S");
    assert!(window.map().is_modified() && window.sees("view only"));
    assert_eq!(std::fs::read_to_string(&odd_path).unwrap(), odd);
}
