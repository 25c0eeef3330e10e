//! Strokes on the map: steps, undo, and pictures only when there is something new to see.

use spadework::edit::{Command, Mode, ops};
use spadework::editor::Action;
use spadework::voxel::Rgb;
use spadework_gui_tests::{Window, flat};

const STROKE: [[f32; 2]; 3] = [[0.4, 0.5], [0.5, 0.5], [0.6, 0.55]];

#[test]
fn a_stroke_is_one_step_and_undo_takes_it_back() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let before = window.map().document().store().clone();
    window.drag(&STROKE);
    assert_eq!(window.steps(), 1);
    assert!(window.map().is_modified() && !window.map().document().store().same_voxels(&before));
    window.press("Ctrl+Z");
    assert_eq!(window.steps(), 0);
    assert!(window.map().document().store().same_voxels(&before));
    assert!(!window.map().is_modified());
}

#[test]
fn a_stroke_between_two_frames_keeps_its_corners() {
    const CORNERS: [[f32; 2]; 4] = [[0.4, 0.5], [0.6, 0.5], [0.6, 0.6], [0.4, 0.6]];
    let strokes = [Window::drag, Window::drag_in_one_frame].map(|drag| {
        let mut window = Window::with_new(flat())?;
        drag(&mut window, &CORNERS);
        assert_eq!(window.steps(), 1);
        Some(window.map().document().store().clone())
    });
    let [Some(slowly), Some(at_once)] = strokes else { return };
    assert!(slowly.same_voxels(&at_once), "the corners were cut");
}

#[test]
fn two_dabs_between_two_frames_are_two_dabs() {
    const DABS: [&[[f32; 2]]; 2] = [&[[0.4, 0.5]], &[[0.6, 0.6]]];
    let dabs = [false, true].map(|at_once| {
        let mut window = Window::with_new(flat())?;
        if at_once {
            window.drags_in_one_frame(&DABS);
        } else {
            DABS.iter().flat_map(|dab| dab.iter()).for_each(|place| window.click_at(*place));
        }
        assert_eq!(window.steps(), 2);
        Some(window.map().document().store().clone())
    });
    let [Some(slowly), Some(at_once)] = dabs else { return };
    assert!(slowly.same_voxels(&at_once), "one was lost, or a line leads from one to the other");
}

#[test]
fn a_picture_is_drawn_only_when_something_changed() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.leave();
    let renders = window.app().viewport.renders;
    assert!(renders > 0);
    for _ in 0..5 {
        window.settle();
    }
    assert_eq!(window.app().viewport.renders, renders, "drawn again without a change");
    // A panel that folds is no reason either.
    window.click_role(egui::accesskit::Role::Tab, "History");
    window.leave();
    assert_eq!(window.app().viewport.renders, renders, "drawn again for a panel");
    window.press("7");
    assert!(window.app().viewport.renders > renders, "not drawn again for another view");
    let renders = window.app().viewport.renders;
    window.hover([0.5, 0.5]);
    assert!(window.app().viewport.renders > renders, "no ghost");
    let renders = window.app().viewport.renders;
    window.drag(&STROKE);
    window.leave();
    assert!(window.app().viewport.renders > renders, "not drawn again for a stroke");
}

#[test]
fn a_stroke_changes_the_picture_and_undo_brings_the_old_one_back() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("7");
    window.leave();
    let before = map_picture(&mut window);
    window.drag(&STROKE);
    window.leave();
    assert!(map_picture(&mut window) != before);
    window.press("Ctrl+Z");
    window.leave();
    assert!(map_picture(&mut window) == before);
}

/// The middle of the map, without compass and notices.
fn map_picture(window: &mut Window) -> Vec<u8> {
    let (from, to) = (window.at([0.3, 0.3]), window.at([0.7, 0.7]));
    let picture = window.picture();
    let [x, y, w, h] = [from.x, from.y, to.x - from.x, to.y - from.y].map(|value| value as u32);
    image::imageops::crop_imm(&picture, x, y, w, h).to_image().into_raw()
}

#[test]
fn letters_switch_the_mode() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for (key, mode) in [("R", Mode::Remove), ("G", Mode::Paint), ("T", Mode::Add)] {
        window.press(key);
        assert_eq!(window.app().editor.tool.settings.mode, mode);
        window.drag(&STROKE);
    }
    assert_eq!(window.steps(), 3);
}

#[test]
fn a_click_in_the_history_goes_there() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.drag(&STROKE);
    window.drag(&[[0.4, 0.6], [0.5, 0.65]]);
    assert_eq!(window.steps(), 2);
    window.click("As opened");
    assert_eq!(window.steps(), 0);
}

#[test]
fn the_history_shows_the_step_that_undo_led_to() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for x in 0..100 {
        let set = ops::Set { at: glam::IVec3::new(x % 30, x / 30, 40), color: Rgb::new(200, 10, 10) };
        window.app_mut().editor.act(Action::Edit(Command::Set(set)));
    }
    window.settle();
    assert!(!window.sees("As opened"), "a hundred steps have no room");
    window.act(Action::JumpTo(1));
    assert!(window.sees("As opened"));
    window.act(Action::JumpTo(100));
    assert!(!window.sees("As opened"));
    // As many more at once as a restored map brings along.
    for x in 100..3000 {
        let set = ops::Set { at: glam::IVec3::new(x % 30, x / 30 % 30, 40 - x / 900), color: Rgb::new(200, 10, 10) };
        window.app_mut().editor.act(Action::Edit(Command::Set(set)));
    }
    assert_eq!(window.steps(), 3000);
    for _ in 0..3 {
        window.settle();
        assert!(!window.sees("As opened") && window.sees("Set voxel"));
    }
}

#[test]
fn keys_typed_into_a_field_do_not_reach_the_map() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let mode = window.app().editor.tool.settings.mode;
    window.click_role(egui::accesskit::Role::TextInput, "Color as #rrggbb");
    window.press("R");
    window.press("O");
    assert_eq!(window.app().editor.tool.settings.mode, mode);
    assert_eq!(window.app().editor.tool.spec().id, "brush");
    window.fill_in(egui::accesskit::Role::TextInput, "Color as #rrggbb", "#102030");
    assert_eq!(window.app().editor.tool.settings.color.to_string(), "#102030");
    window.press("R");
    assert_eq!(window.app().editor.tool.settings.mode, Mode::Remove, "the field still has the keys after Enter");
}
