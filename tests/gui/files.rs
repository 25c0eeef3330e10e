//! Opening and saving through the dialogs, and what the window says when it fails.

use egui::accesskit::Role;
use spadework::editor::Action;
use spadework::ui::{FileAnswer, FileQuestion};
use spadework_gui_tests::{Window, flat, write_vxl};

#[test]
fn a_map_opened_through_the_dialog_has_a_tab_and_a_title() {
    let Some(mut window) = Window::empty() else { return };
    let path = window.file("harbor.vxl");
    write_vxl(&path);
    window.dialogs.answer(FileAnswer::Chosen(path.clone()));
    window.press("Ctrl+O");
    assert_eq!(window.dialogs.asked(), [FileQuestion::Open]);
    assert_eq!(window.map().path(), Some(&*path));
    window.get(Role::Button, "harbor.vxl");
    window.get(Role::Button, "Close harbor.vxl");
    assert_eq!(window.app().title(), "harbor.vxl – Spadework");
}

#[test]
fn a_path_typed_into_the_prompt_opens_the_map() {
    let Some(mut window) = Window::empty() else { return };
    let path = window.file("harbor.vxl");
    write_vxl(&path);
    window.press("Ctrl+O");
    assert!(window.sees("Open a map"));
    window.press("Ctrl+A");
    window.type_text(path.to_str().unwrap());
    window.click("Open");
    assert_eq!(window.map().path(), Some(&*path));
    assert!(window.app().shell.dialog.is_none());
}

#[test]
fn enter_in_the_prompt_opens_and_the_folder_is_listed() {
    let Some(mut window) = Window::empty() else { return };
    let path = window.file("harbor.vxl");
    write_vxl(&path);
    window.press("Ctrl+O");
    window.press("Ctrl+A");
    window.type_text(&format!("{}/", path.parent().unwrap().display()));
    window.click("harbor.vxl");
    window.press("Enter");
    assert_eq!(window.map().path(), Some(&*path));
}

#[test]
fn a_cancelled_dialog_changes_nothing() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.dialogs.answer(FileAnswer::Cancelled);
    window.press("Ctrl+O");
    window.dialogs.answer(FileAnswer::Cancelled);
    window.press("Ctrl+S");
    assert_eq!(window.app().editor.documents().len(), 1);
    assert!(window.map().path().is_none() && window.app().shell.dialog.is_none());
}

#[test]
fn a_truncated_file_is_told_with_name_and_place_and_nothing_else_is_lost() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.drag(&[[0.4, 0.5], [0.6, 0.5]]);
    let path = window.file("broken.vxl");
    write_vxl(&path);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2 + 3]).unwrap();
    window.act(Action::Open(path));
    let error = window.app().editor.messages().last().unwrap().clone();
    assert!(error.is_error && error.text.contains("broken.vxl"), "{error:?}");
    assert!(error.text.chars().any(|letter| letter.is_ascii_digit()) && error.text.contains("byte"), "{error:?}");
    assert!(window.sees(&error.text), "the error is not on the screen");
    assert_eq!(window.app().editor.documents().len(), 1);
    assert_eq!(window.steps(), 1);
    window.click("Dismiss");
    assert!(!window.sees(&error.text));
}

#[test]
fn a_missing_file_is_told_by_name() {
    let Some(mut window) = Window::empty() else { return };
    let path = window.file("nowhere.vxl");
    window.act(Action::Open(path));
    assert!(window.sees_part("nowhere.vxl"));
    assert!(window.app().editor.active().is_none());
}

#[test]
fn a_new_map_comes_from_the_dialog() {
    let Some(mut window) = Window::empty() else { return };
    window.press("Ctrl+N");
    window.click_role(Role::RadioButton, "Flat ground");
    window.press("Enter");
    assert_eq!(window.map().title(), "flat");
    assert_eq!(window.map().document().bounds().size().to_array(), [512, 512, 64]);
}
