//! Finding an action by its name, and giving keys to other things.

use egui::Key;
use egui::accesskit::Role;
use glam::IVec3;
use spadework::document::SymmetryKind;
use spadework::edit::{Command, Mode, ops};
use spadework::editor::Action;
use spadework::editor::keymap::KeysEntry;
use spadework::editor::settings::Settings;
use spadework::geom::{Face, Region};
use spadework::voxel::Rgb;
use spadework_gui_tests::{Window, flat};

#[test]
fn an_action_is_found_by_a_few_letters_of_its_name() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("Ctrl+P");
    window.type_text("selall");
    window.press("Enter");
    assert!(window.app().editor.active().unwrap().document().selection.is_some(), "\"Select all\" was not invoked");
    assert!(window.app().shell.dialog.is_none());
    window.press("Ctrl+P");
    window.type_text("sculpt");
    window.press("Enter");
    assert_eq!(window.app().editor.tool.spec().id, "sculpt");
}

#[test]
fn a_symmetry_is_found_by_the_word_that_scripts_have_for_it() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("Ctrl+P");
    window.type_text("turn 180");
    window.press("Enter");
    assert_eq!(window.map().document().symmetry.kind, SymmetryKind::Turn180);
}

#[test]
fn a_key_right_after_the_choice_of_an_action_is_meant_for_the_map() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    // Enter as it takes the letters away from the field, and Esc.
    for (leaves, key, tool) in [(Key::Enter, Key::N, "select"), (Key::Escape, Key::B, "brush")] {
        window.press("Ctrl+P");
        window.type_text("water");
        window.press_one_after(leaves, key);
        assert!(window.app().shell.dialog.is_none());
        assert_eq!(window.app().editor.tool.spec().id, tool, "the key after {leaves:?} is lost");
    }
    assert!(!window.app().shell.water, "\"Water\" was not chosen");
}

#[test]
fn a_key_goes_to_what_it_is_given_to_and_leaves_what_had_it_when_that_gets_another() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("F1");
    window.click_role(Role::TextInput, "Find a key");
    window.type_text("sculpt");
    window.click("Key of Sculpt tool: H");
    window.press("J");
    window.close_dialog();
    window.press("H");
    assert_eq!(window.app().editor.tool.spec().id, "brush", "H still selects the tool");
    window.press("J");
    assert_eq!(window.app().editor.tool.spec().id, "sculpt");
    assert_eq!(window.app().editor.settings.keymap.keys["tool-sculpt"], KeysEntry::Keys(vec!["J".into()]));
}

#[test]
fn enter_takes_the_button_that_has_the_focus() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("F1");
    window.click_role(Role::TextInput, "Find a key");
    window.type_text("sculpt tool");
    window.press("Tab");
    window.press("Enter");
    assert!(window.app().shell.dialog.is_some(), "Enter closed the dialog");
    window.press("J");
    window.close_dialog();
    assert_eq!(window.app().editor.settings.keymap.keys["tool-sculpt"], KeysEntry::Keys(vec!["J".into()]));
}

#[test]
fn the_keys_of_another_editor_are_found_by_its_name() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("Ctrl+P");
    window.type_text("goxel");
    window.press("Enter");
    assert_eq!(window.app().editor.settings.keymap.preset, "goxel");
}

#[test]
fn esc_keeps_a_key_and_two_things_on_one_key_are_shown() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("F1");
    window.click_role(Role::TextInput, "Find a key");
    window.type_text("sculpt");
    window.click("Key of Sculpt tool: H");
    window.press("Escape");
    assert!(window.app().shell.dialog.is_some(), "Esc closed the dialog instead");
    window.click("Key of Sculpt tool: H");
    window.press("B");
    assert!(window.sees_part("also Brush tool"), "the conflict is not shown");
}

#[test]
fn a_preset_changes_keys_and_buttons() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("F1");
    window.click_role(Role::ComboBox, "Keymap");
    window.click("MagicaVoxel");
    window.close_dialog();
    window.press("B");
    assert_eq!(window.app().editor.tool.spec().id, "box");
    assert_eq!(window.app().shell.keymap.mouse.right, spadework::editor::keymap::Drag::Orbit);
}

#[test]
fn the_list_of_presets_lies_before_its_dialog_each_time() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for (preset, id) in [("Goxel", "goxel"), ("Blender", "blender"), ("MagicaVoxel", "magicavoxel")] {
        window.press("F1");
        window.click_role(Role::ComboBox, "Keymap");
        window.click(preset);
        assert_eq!(window.app().editor.settings.keymap.preset, id);
        window.close_dialog();
    }
}

#[test]
fn the_keys_of_the_tool_in_the_hand_come_first() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for (tool, other) in [("Sculpt", "Brush"), ("Brush", "Sculpt")] {
        window.click_tool(tool);
        window.press("F1");
        let key_of = |tool: &str| window.app().shell.keymap.shown(&format!("tool-{}", tool.to_lowercase()));
        let top = |tool: &str| window.rect_of(Role::Button, &format!("Key of {tool} tool: {}", key_of(tool))).unwrap().min.y;
        let copy = window.rect_of(Role::Button, "Key of Copy: Ctrl+C").unwrap().min.y;
        assert!(top(tool) < copy && copy < top(other), "{tool}");
        assert!(window.sees("Everywhere"));
        window.close_dialog();
    }
}

#[test]
fn the_list_of_keys_stays_as_high_while_it_is_searched() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("F1");
    let close = |window: &Window| window.rect_of(Role::Button, "Close").unwrap();
    // It opens in the middle before it knows how high it is.
    window.settle();
    let before = close(&window);
    window.click_role(Role::TextInput, "Find a key");
    for text in ["brush tool", " that nobody has"] {
        window.type_text(text);
        window.settle();
        assert_eq!(close(&window), before, "{text}");
    }
}

#[test]
fn the_list_of_keys_fits_a_window_that_became_less_high() {
    for opened in [[1100.0, 720.0], [1100.0, 1000.0]] {
        let Some(mut window) = Window::of_size(opened, Settings::default()) else { return };
        window.press("F1");
        window.settle();
        window.resize([900.0, 480.0]);
        window.settle();
        let top = window.rect_of(Role::Label, "Keys").unwrap().min.y;
        let bottom = window.get(Role::Button, "Close").rect().max.y;
        assert!(top > 0.0 && bottom < 480.0, "{opened:?}: from {top} to {bottom}");
    }
}

#[test]
fn a_selection_is_moved_turned_and_scaled_as_in_blender() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("F1");
    window.click_role(Role::ComboBox, "Keymap");
    window.click("Blender");
    window.close_dialog();
    let region = Region::new(IVec3::new(20, 20, 40), IVec3::new(24, 22, 44));
    window.act(Action::Edit(Command::Fill(ops::Fill { region, color: Rgb::new(200, 10, 10), mode: Mode::Add })));
    let begun = window.steps();
    for (keys, by, size) in [
        (&["G", "X", "5", "Enter"][..], Some([5, 0, 0]), [4, 2, 4]),
        (&["G", "7", "Enter"], Some([7, 0, 0]), [4, 2, 4]),
        (&["G", "Z", "-", "3", "Enter"], Some([0, 0, -3]), [4, 2, 4]),
        (&["G", "2", "Y", "1", "Enter"], Some([2, 1, 0]), [4, 2, 4]),
        (&["G", "3", "X", "1", "Enter"], Some([31, 0, 0]), [4, 2, 4]),
        (&["G", "X", "5", "Y", "2", "X", "7", "Enter"], Some([7, 2, 0]), [4, 2, 4]),
        (&["R", "9", "0", "Enter"], None, [2, 4, 4]),
        (&["S", "2", "X", "Enter"], None, [8, 2, 4]),
        (&["S", "2", "Enter"], None, [8, 4, 8]),
        (&["S", "X", "2", "Enter"], None, [8, 2, 4]),
        (&["S", "Z", "2", "Enter"], None, [4, 2, 8]),
    ] {
        window.act(Action::Edit(Command::Select(ops::Select { region: Some(region), ..ops::Select::default() })));
        keys.iter().for_each(|key| window.press(key));
        let found = window.map().document().selection.as_ref().map_or(Region::EMPTY, |selection| selection.bounds());
        assert_eq!(found.size().to_array(), size, "{keys:?}");
        assert!(by.is_none_or(|by| found.min() - region.min() == IVec3::from_array(by)), "{keys:?}: {found:?}");
        assert_eq!(window.steps(), begun + 2, "{keys:?}: one step");
        window.press("Ctrl+Z");
        window.press("Ctrl+Z");
    }
    // With what was pasted, too, and nothing selected.
    window.act(Action::Edit(Command::Select(ops::Select { region: Some(region), ..ops::Select::default() })));
    window.act(Action::Copy);
    window.act(Action::Deselect);
    window.act(Action::PasteOn(IVec3::new(30, 30, 61), Face::MinusZ));
    ["R", "9", "0", "Enter"].iter().for_each(|key| window.press(key));
    let pasted = window.map().document().selection.as_ref().map_or(Region::EMPTY, |selection| selection.bounds());
    assert_eq!(pasted.size().to_array(), [2, 4, 4]);
    window.press("Ctrl+Z");
    // What was put off deletes nothing, and X means what it says again.
    window.act(Action::Edit(Command::Select(ops::Select { region: Some(region), ..ops::Select::default() })));
    window.press("G");
    window.press("Escape");
    assert!(window.map().document().selection.is_some());
    window.press("X");
    assert!(!window.map().document().store().is_solid(region.min()));
}

#[test]
fn the_first_start_asks_whose_keys_one_knows_and_lets_one_begin_all_the_same() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let question = "Whose keys do you know?";
    assert!(!window.sees(question));
    let ask = |window: &mut Window| {
        window.app_mut().shell.asks_keymap = true;
        window.settle();
        assert!(window.sees(question));
    };
    ask(&mut window);
    window.press("B");
    window.drag(&[[0.5, 0.5], [0.55, 0.5]]);
    assert_eq!((window.steps(), window.sees(question)), (1, true), "it is in nobody's way");
    window.click("Blender");
    assert_eq!((&*window.app().editor.settings.keymap.preset, window.sees(question)), ("blender", false));
    ask(&mut window);
    window.click("Close notice: Whose keys do you know?");
    assert_eq!((&*window.app().editor.settings.keymap.preset, window.sees(question)), ("blender", false));
}
