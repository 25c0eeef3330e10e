//! The table of actions: every entry is in its menu, can be clicked or pressed, and leaves the window standing.

use egui::accesskit::Role;
use glam::IVec3;
use spadework::edit::{Command, ops::Select};
use spadework::editor::{ACTIONS, Action, Menu, SaveOrder};
use spadework::geom::Region;
use spadework::ui::FileAnswer;
use spadework_gui_tests::{Window, flat};

/// What leaves nothing to look at behind.
const ENDS: [&str; 2] = ["close", "quit"];

fn with_selection() -> Option<Window> {
    let mut window = Window::with_new(flat())?;
    let region = Some(Region::between(IVec3::new(4, 4, 40), IVec3::new(20, 20, 63)));
    window.act(Action::Edit(Command::Select(Select { region, ..Select::default() })));
    Some(window)
}

fn close_any_dialog(window: &mut Window) {
    if window.app().shell.dialog.is_some() {
        window.close_dialog();
    }
}

#[test]
fn every_menu_opens_and_holds_its_entries() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for menu in Menu::ALL {
        window.open_menu(menu);
        let mut opened = "";
        for spec in ACTIONS.iter().filter(|spec| spec.menu == menu) {
            if spec.submenu != opened && !spec.submenu.is_empty() {
                opened = spec.submenu;
                window.click(opened);
            }
            assert!(window.menu_entry(spec.id).is_some(), "{} is not in {}", spec.id, menu.label());
        }
        window.press("Escape");
        let first = ACTIONS.iter().find(|spec| spec.menu == menu).unwrap();
        assert!(window.menu_entry(first.id).is_none(), "Esc did not close {}", menu.label());
    }
}

#[test]
fn every_action_can_be_chosen_while_a_map_is_open() {
    let Some(mut window) = with_selection() else { return };
    for spec in ACTIONS.iter().filter(|spec| !ENDS.contains(&spec.id)) {
        let possible = window.choose(spec.id);
        // Nothing was undone yet, no file to go back to, nothing selected any more.
        let on_selection = [
            "symmetry-on-selection",
            "save-stamp",
            "crop",
            "delete",
            "frame-selection",
            "select-solid",
            "fill-selection",
            "flip-x",
            "flip-y",
            "flip-z",
            "type-move",
            "type-turn",
            "type-scale",
        ];
        assert!(possible || ["redo", "revert", "versions"].contains(&spec.id) || on_selection.contains(&spec.id), "{}", spec.id);
        close_any_dialog(&mut window);
        assert!(window.app().editor.active().is_some(), "{} closed the map", spec.id);
        assert!(!window.app().editor.messages().iter().any(|message| message.is_error), "{:?}", window.app().editor.messages());
    }
}

#[test]
fn every_key_of_an_action_can_be_pressed_while_a_map_is_open() {
    let Some(mut window) = with_selection() else { return };
    for spec in ACTIONS.iter().filter(|spec| !spec.key.is_empty() && !ENDS.contains(&spec.id)) {
        for key in spec.key.split(' ') {
            window.press(key);
            close_any_dialog(&mut window);
        }
        assert!(window.app().editor.active().is_some(), "{} closed the map", spec.id);
    }
}

#[test]
fn without_a_map_every_action_is_harmless() {
    let Some(mut window) = Window::empty() else { return };
    for spec in ACTIONS.iter().filter(|spec| spec.id != "quit") {
        window.choose(spec.id);
        close_any_dialog(&mut window);
        for key in spec.key.split(' ').filter(|key| !key.is_empty()) {
            window.press(key);
            close_any_dialog(&mut window);
        }
        assert!(window.app().editor.active().is_none());
    }
}

#[test]
fn closing_and_quitting_without_edits_asks_nothing() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    assert!(window.choose("close"));
    assert!(window.app().editor.active().is_none() && window.app().shell.dialog.is_none());
    assert!(window.choose("quit"));
    assert!(window.app().shell.quitting);
}

#[test]
fn undo_and_redo_have_keys_of_their_own() {
    let Some(mut window) = with_selection() else { return };
    assert_eq!(window.steps(), 1);
    window.press("Ctrl+Z");
    assert_eq!(window.steps(), 0);
    window.press("Ctrl+Shift+Z");
    assert_eq!(window.steps(), 1, "Ctrl+Shift+Z did not redo");
    window.press("Ctrl+Z");
    window.press("Ctrl+Y");
    assert_eq!(window.steps(), 1, "Ctrl+Y did not redo");
}

#[test]
fn save_and_save_as_have_keys_of_their_own() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let first = window.file("first.vxl");
    let id = window.map().id();
    window.act(Action::SaveAs(SaveOrder::new(id).with_path(first)));
    window.press("Ctrl+S");
    assert_eq!(window.dialogs.asked(), []);
    window.press("Ctrl+Shift+S");
    assert_eq!(window.dialogs.asked().len(), 1, "Ctrl+Shift+S did not ask for a name");
}

#[test]
fn the_entry_of_undo_names_the_step() {
    let Some(mut window) = with_selection() else { return };
    window.open_menu(Menu::Edit);
    assert!(window.sees("Undo select"));
}

#[test]
fn menus_are_opened_and_gone_through_by_keys() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_at([0.5, 0.5]);
    assert!(window.has_focus(Role::Image, "Map viewport"));
    window.press("Alt+E");
    assert!(window.menu_entry("undo").is_some(), "Alt+E opens the menu Edit");
    window.press("ArrowRight");
    assert!(window.menu_entry("undo").is_none() && window.menu_entry("select-all").is_some(), "Select comes after Edit");
    window.press("ArrowDown");
    window.press("Enter");
    assert!(window.map().document().selection.is_some(), "the first entry of Select was not chosen");
    assert!(window.menu_entry("select-all").is_none());
    window.press("F10");
    assert!(window.menu_entry("open").is_some(), "F10 opens the first menu");
    window.press("ArrowLeft");
    assert!(window.menu_entry("about").is_some(), "Help is to the left of File");
    window.press("Escape");
    assert!(window.menu_entry("about").is_none());
    assert!(window.has_focus(Role::Image, "Map viewport"), "the focus is back where it was");
    assert!(window.map().document().selection.is_some(), "and Esc meant the menu alone");
}

#[test]
fn the_focus_stays_with_a_list_in_a_dialog_too() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("steps.jsonl");
    std::fs::write(&path, "{\"set\":{\"at\":[2,3,20],\"color\":\"#ff8000\"}}\n").unwrap();
    window.dialogs.answer(FileAnswer::Chosen(path));
    assert!(window.choose("run-script"));
    for keys in [["Enter", "ArrowDown", "Enter"], ["Space", "ArrowDown", "Escape"]] {
        window.focus(Role::RadioButton, "Where it was recorded");
        // The map's own list has that name as well, and lies behind the dialog.
        while window.focused_name().as_deref() != Some("Symmetry") {
            window.press("Tab");
        }
        keys.iter().for_each(|key| window.press(key));
        assert_eq!(window.focused_name().as_deref(), Some("Symmetry"), "after {keys:?}");
    }
    assert!(window.sees("Run steps.jsonl"));
    window.press("Tab");
    assert!(["Run", "Cancel"].map(Some).contains(&window.focused_name().as_deref()), "{:?}", window.focused_name());
}

#[test]
fn esc_closes_a_list_and_the_focus_stays_with_its_button() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_tool("Shape");
    window.focus(Role::ComboBox, "Form");
    window.press("Enter");
    assert!(window.sees("Pyramid"));
    window.press("ArrowDown");
    window.press("Escape");
    assert!(!window.sees("Pyramid"));
    assert!(window.has_focus(Role::ComboBox, "Form"));
    assert_eq!(window.app().editor.tool.spec().id, "shape");
}

#[test]
fn layers_are_cut_off_and_added_at_the_top_or_the_bottom() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let solid = |window: &Window| window.map().document().store().solid_count();
    let (columns, before) = (64 * 64, solid(&window));
    let tall = |window: &Window| window.map().document().bounds().size().z;
    let resize = |window: &mut Window, layers: &str, side: &str| {
        window.choose("resize");
        window.click_role(Role::SpinButton, "Layers");
        window.press("Ctrl+A");
        window.type_text(layers);
        window.press("Tab");
        window.click_role(Role::RadioButton, side);
        window.click("Resize");
    };
    resize(&mut window, "70", "top");
    assert_eq!((tall(&window), solid(&window)), (70, before), "the ground does not stay on the floor");
    resize(&mut window, "69", "bottom");
    assert_eq!((tall(&window), solid(&window)), (69, before - columns), "the lowest layer is not cut off");
    assert_eq!(window.steps(), 2);
}
