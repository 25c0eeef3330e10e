//! Unsaved edits are never lost without a question.

use glam::IVec3;
use spadework::edit::{Command, ops};
use spadework::editor::Action;
use spadework::geom::Region;
use spadework::tool::ToolSettings;
use spadework::ui::{Dialog, FileAnswer};
use spadework::voxel::Rgb;

use spadework_gui_tests::{Window, flat};

fn modified() -> Option<Window> {
    let mut window = Window::with_new(flat())?;
    window.drag(&[[0.4, 0.5], [0.6, 0.5]]);
    assert!(window.map().is_modified());
    Some(window)
}

#[test]
fn closing_a_modified_map_asks_and_keeps_editing() {
    let Some(mut window) = modified() else { return };
    window.press("Ctrl+W");
    window.click("Keep editing");
    assert!(window.map().is_modified() && window.app().shell.dialog.is_none());
    window.press("Ctrl+W");
    window.close_dialog();
    assert!(window.map().is_modified(), "Esc is not an answer that loses edits");
}

#[test]
fn closing_without_saving_closes() {
    let Some(mut window) = modified() else { return };
    window.click("Close flat");
    window.click("Close without saving");
    assert!(window.app().editor.active().is_none() && window.app().shell.dialog.is_none());
    assert!(!window.app().shell.quitting);
}

#[test]
fn saving_and_closing_asks_for_a_name_and_closes_when_it_is_saved() {
    let Some(mut window) = modified() else { return };
    let path = window.file("kept.vxl");
    window.dialogs.answer(FileAnswer::Chosen(path.clone()));
    window.press("Ctrl+W");
    window.click("Save and close");
    assert!(path.exists());
    assert!(window.app().editor.active().is_none());
}

#[test]
fn a_save_that_is_called_off_keeps_the_map_open() {
    let Some(mut window) = modified() else { return };
    window.dialogs.answer(FileAnswer::Cancelled);
    window.press("Ctrl+W");
    window.click("Save and close");
    assert!(window.map().is_modified());
    window.press("Ctrl+S");
    assert!(window.app().editor.active().is_some(), "the next save must not close the map");
}

#[test]
fn quitting_with_two_new_maps_asks_for_both_names_in_turn() {
    let Some(mut window) = modified() else { return };
    window.act(Action::New(flat()));
    window.drag(&[[0.4, 0.5], [0.6, 0.5]]);
    window.press("Ctrl+Q");
    window.click("Save and close");
    let paths = ["first.vxl", "second.vxl"].map(|name| window.file(name));
    for (path, title) in paths.iter().zip(["Save flat as", "Save flat 2 as"]) {
        assert!(window.sees(title), "{title}");
        window.press("Ctrl+A");
        window.type_text(path.to_str().unwrap());
        window.press("Enter");
    }
    assert!(paths.iter().all(|path| path.exists()));
    assert!(window.app().shell.quitting);
}

#[test]
fn a_name_refused_on_quitting_keeps_every_map_open() {
    let Some(mut window) = modified() else { return };
    window.act(Action::New(flat()));
    window.drag(&[[0.4, 0.5], [0.6, 0.5]]);
    window.press("Ctrl+Q");
    window.click("Save and close");
    window.close_dialog();
    assert!(window.app().shell.dialog.is_none() && !window.app().shell.quitting);
    assert_eq!(window.app().editor.documents().len(), 2);
    window.press("Ctrl+S");
    window.type_text("kept");
    // What is typed replaces the name and leaves folder and extension.
    let Some(Dialog::Path(prompt)) = &window.app().shell.dialog else { panic!("not asked again") };
    assert!(prompt.text.ends_with("/kept.vxl"), "{}", prompt.text);
    window.close_dialog();
    assert!(window.app().editor.documents().iter().all(|open| open.is_modified()));
}

#[test]
fn quitting_with_edits_asks_first() {
    let Some(mut window) = modified() else { return };
    window.press("Ctrl+Q");
    assert!(!window.app().shell.quitting);
    window.click("Keep editing");
    assert!(!window.app().shell.quitting && window.map().is_modified());
    window.press("Ctrl+Q");
    window.click("Close without saving");
    assert!(window.app().shell.quitting);
}

#[test]
fn what_is_edited_while_quitting_is_asked_about_again() {
    for answer in ["Save and close", "Close without saving"] {
        let Some(mut window) = modified() else { return };
        window.act(Action::New(flat()));
        assert!(!window.map().is_modified());
        window.press("Ctrl+Q");
        // Only the first one is asked about. While it is saved, somebody draws in the second one.
        assert!(window.sees("Save your edits of flat?"));
        window.act(Action::Edit(Command::Set(ops::Set { at: [3, 3, 20].into(), color: Rgb::new(255, 0, 0) })));
        window.dialogs.answer(FileAnswer::Chosen(window.file("first.vxl")));
        window.click(answer);
        assert!(!window.app().shell.quitting && window.sees("Save your edits of flat 2?"), "{answer}");
        assert_eq!(window.app().editor.documents().len(), 1, "{answer}");
        window.click("Close without saving");
        assert!(window.app().shell.quitting, "{answer}");
    }
}

#[test]
fn going_back_to_the_file_tells_no_number_of_steps_where_nobody_knows_it() {
    let Some(mut window) = modified() else { return };
    window.dialogs.answer(FileAnswer::Chosen(window.file("kept.vxl")));
    window.press("Ctrl+S");
    window.drag(&[[0.4, 0.6], [0.6, 0.6]]);
    window.choose("revert");
    assert!(window.sees_part("2 steps are dropped"));
    window.click("Keep editing");
    // What was saved is no state that steps lead to any more.
    window.press("Ctrl+Z");
    window.press("Ctrl+Z");
    window.act(Action::Edit(Command::Set(ops::Set { at: [3, 3, 20].into(), color: Rgb::new(255, 0, 0) })));
    assert_eq!(window.steps(), 1);
    window.choose("revert");
    assert!(window.sees("What no file holds of it is dropped and cannot be brought back.") && !window.sees_part("step is dropped"));
    window.click("Keep editing");
}

#[test]
fn a_modified_map_is_marked_in_title_and_status() {
    let Some(mut window) = modified() else { return };
    assert!(window.app().title().starts_with('•'), "{}", window.app().title());
    assert!(window.sees_part("modified"));
    window.press("Ctrl+Z");
    assert!(!window.sees_part("modified"));
}

/// A window with a saved map over which a copy of part of its ground lies loose.
fn with_a_loose_copy() -> Option<Window> {
    let mut window = Window::with_new(flat())?;
    window.dialogs.answer(FileAnswer::Chosen(window.file("kept.vxl")));
    let bounds = window.map().document().bounds();
    let ground = bounds.max().z - 2;
    let region = Region::new(IVec3::new(0, 0, ground - 8), IVec3::new(60, 60, ground + 2));
    window.act(Action::Edit(Command::Select(ops::Select { region: Some(region), ..Default::default() })));
    window.press("Ctrl+S");
    if window.sees("Save all the same") {
        window.click("Save all the same");
    }
    window.press("Ctrl+C");
    window.act(Action::Paste);
    window.act(Action::Nudge(IVec3::new(0, 0, -20)));
    assert!(window.app().editor.tool.has_clip());
    Some(window)
}

#[test]
fn what_lies_loose_is_asked_about_and_saved_before_the_window_closes() {
    for (keys, quits) in [("Ctrl+Q", true), ("Ctrl+W", false)] {
        let Some(mut window) = with_a_loose_copy() else { return };
        let before = std::fs::read(window.file("kept.vxl")).unwrap();
        window.press("Ctrl+S");
        assert!(window.sees_part("Without what was begun with Move"), "{keys}");
        assert_eq!(std::fs::read(window.file("kept.vxl")).unwrap(), before);
        window.press(keys);
        assert!(window.sees_part("What was begun with Move is not in kept.vxl yet") && !window.sees_part("the steps since"), "{keys}");
        window.click("Keep editing");
        assert!(window.app().editor.tool.has_clip() && !window.app().shell.quitting, "{keys}");
        window.press(keys);
        window.click("Finish, save and close");
        assert!(window.app().editor.documents().is_empty() && window.app().shell.quitting == quits, "{keys}");
        assert_ne!(std::fs::read(window.file("kept.vxl")).unwrap(), before, "{keys}");
        if !quits {
            window.act(Action::Open(window.file("kept.vxl")));
            let store = window.map().document().store();
            let lowest = store.ground(5, 5, 0).unwrap();
            assert!(store.ground(61, 61, 0).unwrap() - lowest >= 20, "the copy is in the file");
        }
    }
}

#[test]
fn what_cannot_be_finished_keeps_the_window_open_and_is_told() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.act(Action::SelectTool("path"));
    window.click_at([0.5, 0.5]);
    window.press("Ctrl+Q");
    assert!(window.sees_part("What was begun with Path"));
    window.click("Finish, save and close");
    assert!(window.sees_part("A path needs two points") && !window.app().shell.quitting);
    window.press("Ctrl+Q");
    window.click("Close without saving");
    assert!(window.app().shell.quitting);
}

#[test]
fn what_does_not_come_out_as_it_was_begun_keeps_the_map_open() {
    // Beside the map, and half beside it.
    for (by, told, steps) in [(300, "outside the map", 1), (30, "fell outside the map", 2)] {
        let Some(mut window) = with_a_loose_copy() else { return };
        let before = std::fs::read(window.file("kept.vxl")).unwrap();
        window.act(Action::Nudge(IVec3::new(by, 0, 0)));
        for keys in ["Ctrl+Q", "Ctrl+W"] {
            if !window.app().editor.tool.has_clip() {
                continue;
            }
            window.press(keys);
            window.click("Finish, save and close");
            assert!(window.sees_part(told), "{told}: {:?}", window.app().editor.messages());
            assert!(!window.app().shell.quitting && window.steps() == steps, "{told}");
        }
        assert_eq!(std::fs::read(window.file("kept.vxl")).unwrap(), before, "{told}");
        // What cannot be done still lies there; what was done and read is no hindrance any more.
        assert_eq!(window.app().editor.tool.has_clip(), steps == 1, "{told}");
        window.press("Ctrl+Q");
        window.click(if steps == 1 { "Close without saving" } else { "Save and close" });
        let shell = &window.app().shell;
        assert!(shell.quitting, "{told}: {:?}, {:?}, {:?}", shell.dialog, shell.closing, window.app().editor.messages());
    }
    let Some(mut window) = with_a_loose_copy() else { return };
    window.press("Escape");
    window.act(Action::SelectAll);
    let transform = ops::TransformSelection { scale: [64.0, 64.0, 64.0].map(|factor| factor.try_into().unwrap()), ..Default::default() };
    let settings = ToolSettings { transform, ..window.app().editor.tool.settings.clone() };
    window.act(Action::SetTools(Box::new(settings)));
    window.press("Ctrl+Q");
    window.click("Finish, save and close");
    assert!(!window.app().shell.quitting && window.app().editor.tool.has_begun(), "it cannot be done");
}

#[test]
fn going_back_to_the_file_tells_what_goes_with_it() {
    let Some(mut window) = with_a_loose_copy() else { return };
    window.choose("revert");
    assert!(window.sees_part("What was begun with Move is dropped, too."));
    window.click("Drop my edits");
    assert!(!window.app().editor.tool.has_clip());
    assert!(window.app().editor.messages().iter().any(|message| message.text == "Move: what was begun was let go"));
}

#[test]
fn a_recording_is_asked_about_before_it_goes() {
    let Some(mut window) = modified() else { return };
    window.press("Ctrl+Z");
    window.act(Action::ToggleRecording);
    window.act(Action::Edit(Command::Set(ops::Set { at: [3, 3, 20].into(), color: Rgb::new(255, 0, 0) })));
    window.dialogs.answer(FileAnswer::Cancelled);
    window.act(Action::ToggleRecording);
    assert!(window.sees_part("The recorded step of "));
    window.close_dialog();
    assert_eq!(window.map().recorded(), Some(1), "Esc is not an answer that loses it");
    window.dialogs.answer(FileAnswer::Cancelled);
    window.act(Action::ToggleRecording);
    window.click("Drop the recording");
    assert_eq!(window.map().recorded(), None);
    // Closing asks where it is to go, too.
    window.act(Action::ToggleRecording);
    window.act(Action::Edit(Command::Set(ops::Set { at: [4, 4, 20].into(), color: Rgb::new(255, 0, 0) })));
    window.dialogs.answer(FileAnswer::Chosen(window.file("steps.jsonl")));
    window.dialogs.answer(FileAnswer::Chosen(window.file("kept.vxl")));
    window.press("Ctrl+Q");
    assert!(window.sees_part("The recorded step of ") && window.sees_part("the steps since"));
    window.click("Save and close");
    assert!(window.file("steps.jsonl").exists() && window.file("kept.vxl").exists() && window.app().shell.quitting);
}
