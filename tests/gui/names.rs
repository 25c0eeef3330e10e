//! Every widget that takes input has a name of its own letters: what a screen reader says, and what tests find.

use egui::accesskit::Role;
use spadework::editor::{Action, Menu};
use spadework_gui_tests::{Window, flat, island};

#[track_caller]
fn check_names(window: &Window, state: &str) {
    let inputs = window.inputs();
    assert!(inputs.len() > 6, "{state}: {inputs:?}");
    for (role, name) in inputs {
        assert!(!name.trim().is_empty(), "{state}: a {role:?} has no name");
        // Letters of the icon font lie in the private use area.
        assert!(!name.chars().any(|letter| ('\u{e000}'..='\u{f8ff}').contains(&letter)), "{state}: a {role:?} is named {name:?}");
    }
}

#[test]
fn everything_has_a_name_without_and_with_a_map() {
    let Some(mut window) = Window::empty() else { return };
    check_names(&window, "empty");
    window.act(Action::New(island()));
    check_names(&window, "a new map");
    window.click_role(Role::Tab, "Map");
    check_names(&window, "map panel");
    window.press("O");
    window.drag(&[[0.4, 0.6], [0.5, 0.65]]);
    assert!(window.app().editor.selected_object().is_some());
    check_names(&window, "an object is selected");
}

#[test]
fn everything_has_a_name_with_every_tool() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for spec in spadework::tool::TOOLS {
        window.press(&spec.key.to_string());
        check_names(&window, spec.id);
    }
}

#[test]
fn everything_has_a_name_in_every_menu_and_dialog() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for menu in Menu::ALL {
        window.open_menu(menu);
        check_names(&window, menu.label());
        window.press("Escape");
    }
    for id in ["new", "open", "resize", "shift", "command-palette", "keys", "about"] {
        assert!(window.choose(id));
        check_names(&window, id);
        window.close_dialog();
    }
    window.drag(&[[0.4, 0.5], [0.6, 0.5]]);
    window.press("Ctrl+W");
    check_names(&window, "unsaved edits");
}
