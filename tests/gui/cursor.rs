//! The map without a mouse: a cross hair that keys move, and a key that is its button.

use egui::accesskit::Role;
use spadework::editor::Action;
use spadework::geom::Region;
use spadework::tool::TOOLS;
use spadework::voxel::Rgb;
use spadework_gui_tests::{Window, flat};

fn presses(window: &mut Window, keys: &str) {
    keys.split_whitespace().for_each(|key| window.press(key));
}

#[test]
fn a_key_draws_what_a_click_draws() {
    let drawn = |by_keys: bool| {
        let mut window = Window::with_new(flat())?;
        if by_keys {
            presses(&mut window, "F8 Space");
        } else {
            window.click_at([0.5, 0.5]);
        }
        assert_eq!(window.steps(), 1, "by keys: {by_keys}");
        Some(window.map().document().store().clone())
    };
    let Some([keys, mouse]) = drawn(true).zip(drawn(false)).map(|(keys, mouse)| [keys, mouse]) else { return };
    assert!(keys.same_voxels(&mouse));
}

#[test]
fn every_tool_works_by_keys_alone() {
    for spec in TOOLS {
        let Some(mut window) = Window::with_new(flat()) else { return };
        if spec.id == "move" {
            let region = Some(Region::of_size(window.map().document().bounds().size()));
            window.act(Action::Edit(spadework::edit::Command::Select(spadework::edit::ops::Select { region, ..Default::default() })));
        }
        let (steps, color) = (window.steps(), Rgb::new(1, 2, 3));
        window.app_mut().editor.tool.settings.color = color;
        presses(&mut window, &format!("F8 {} Left", spec.key));
        window.hold_space(true);
        presses(&mut window, "Right Right Shift+Down");
        window.hold_space(false);
        presses(&mut window, "Shift+Up Space Enter Enter");
        match spec.id {
            "pick" => assert_ne!(window.app().editor.tool.settings.color, color),
            // It shows distances; the library of stamps is empty; what kind of object is not chosen.
            "ruler" | "stamp" | "objects" => {}
            id => assert!(window.steps() > steps, "{id}: {:?}", window.app().editor.messages()),
        }
    }
}

#[test]
fn a_footprint_is_selected_by_whatever_works_with_the_selection() {
    for (keys, does) in [("Delete", 2), ("Ctrl+X", 2), ("Ctrl+C", 1), ("M", 1), ("Alt+Right", 2), ("Ctrl+Shift+I", 2)] {
        let Some(mut window) = Window::with_new(flat()) else { return };
        window.press("N");
        window.drag(&[[0.45, 0.5], [0.5, 0.55], [0.55, 0.6]]);
        assert_eq!(window.steps(), 0, "its height is open");
        window.press(keys);
        assert_eq!(window.steps(), does, "{keys}: {:?}", window.app().editor.messages());
    }
}

#[test]
fn arrows_move_the_cursor_and_the_mouse_takes_over() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("F8");
    let aimed = |window: &Window| window.app().shell.under_pointer.unwrap().pos;
    let start = aimed(&window);
    presses(&mut window, "Right Right Down");
    let there = aimed(&window);
    assert_eq!((there - start).abs().element_sum(), 3);
    presses(&mut window, "Left Left Up");
    assert_eq!(aimed(&window), start);
    presses(&mut window, "PageUp PageUp Ctrl+Left Ctrl+Down");
    assert_eq!(aimed(&window), start, "the camera moves about it");
    assert!(window.sees_part("Arrows aim"));
    // What has the keys has the arrows, too.
    window.focus(Role::TextInput, "Color as #rrggbb");
    presses(&mut window, "Left Space");
    assert_eq!((aimed(&window), window.steps()), (start, 0));
    window.hover([0.3, 0.3]);
    assert!(!window.app().shell.map_cursor);
}
