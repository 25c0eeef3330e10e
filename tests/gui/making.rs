//! Paths, land, stamps and the ruler through the whole window.

use std::sync::Arc;

use egui::accesskit::Role;
use glam::IVec3;
use spadework::edit::{Clip, Command, ops};
use spadework::editor::Action;
use spadework::geom::Region;
use spadework::tool::Stamp;
use spadework_gui_tests::{Window, flat};

#[test]
fn a_road_is_clicked_shortened_by_backspace_and_laid_by_enter() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_tool("Path");
    for place in [[0.4, 0.5], [0.5, 0.45], [0.55, 0.55]] {
        window.click_at(place);
    }
    assert!(window.app().editor.tool.preview().size.unwrap().starts_with("3 points"));
    let before = window.map().document().store().clone();
    assert!(!window.app().editor.tool.preview().store.unwrap().same_voxels(&before), "no preview");
    window.press("Backspace");
    assert!(window.app().editor.tool.preview().size.unwrap().starts_with("2 points"));
    assert_eq!(window.steps(), 0);
    window.press("Enter");
    assert_eq!(window.map().history().last().map(|change| change.label.as_str()), Some("Lay road"));
    window.press("Ctrl+Z");
    assert!(window.map().document().store().same_voxels(&before));
}

#[test]
fn hills_are_shown_before_they_are_made_and_another_seed_shows_others() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("E");
    window.click_at([0.5, 0.5]);
    let shown = |window: &Window| window.app().editor.tool.preview().store.unwrap();
    let first = shown(&window);
    assert!(!first.same_voxels(window.map().document().store()) && window.steps() == 0);
    window.click("Another seed");
    window.hover([0.5, 0.5]);
    assert!(!shown(&window).same_voxels(&first), "the preview does not follow the seed");
    let expected = shown(&window);
    window.press("Enter");
    assert!(window.steps() == 1 && window.map().document().store().same_voxels(&expected));
}

#[test]
fn r_turns_a_stamp_under_the_pointer_and_keeps_the_mode() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let box_of = |x, y| Region::of_size(IVec3::new(x, y, 2));
    window.act(Action::Edit(Command::Fill(ops::Fill {
        region: box_of(3, 1),
        color: spadework::voxel::Rgb::new(200, 0, 0),
        mode: spadework::edit::Mode::Set,
    })));
    let clip = Clip::cut(window.map().document(), box_of(3, 1)).unwrap();
    window.app_mut().editor.tool.settings.stamp.stamp = Some(Stamp { name: "plank".into(), clip: Arc::new(clip) });
    window.press("S");
    let mode = window.app().editor.tool.settings.mode;
    let ghost = |window: &mut Window| {
        window.hover([0.5, 0.51]);
        window.hover([0.5, 0.5]);
        let ghosts = window.app().editor.tool.preview().ghosts;
        let voxels = ghosts[0].voxels.iter().copied();
        voxels.clone().reduce(IVec3::max).unwrap() - voxels.reduce(IVec3::min).unwrap() + 1
    };
    assert_eq!(ghost(&mut window), IVec3::new(3, 1, 2));
    window.press("R");
    assert_eq!(ghost(&mut window), IVec3::new(1, 3, 2));
    assert_eq!((window.app().editor.tool.settings.stamp.turn, window.app().editor.tool.settings.mode), (1, mode));
    window.click_at([0.5, 0.5]);
    assert_eq!(window.map().history().last().map(|change| change.label.as_str()), Some("Stamp"));
}

#[test]
fn a_selection_is_saved_as_a_stamp_by_its_dialog() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("S");
    assert!(window.rect_of(Role::ComboBox, "Stamp").is_some());
    window.press("Ctrl+A");
    window.click("Save selection…");
    assert!(window.sees("Save selection as stamp"));
    window.fill_in(Role::TextInput, "Name of the stamp", "everything");
    // This window keeps no settings.
    assert!(window.sees_part("There is no place for stamps"));
}

#[test]
fn the_ruler_draws_a_line_and_tells_its_length() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("I");
    window.drag(&[[0.4, 0.5], [0.5, 0.5], [0.6, 0.55]]);
    assert!(window.sees_part("· dx "), "the status bar does not tell");
    assert_eq!((window.app().editor.tool.preview().measures.len(), window.steps()), (1, 0));
    // The second end first, then all of it.
    window.press("Escape");
    assert_eq!(window.app().editor.tool.preview().measures.len(), 1);
    window.press("Escape");
    assert!(window.app().editor.tool.preview().measures.is_empty());
}
