//! Paths, land, stamps and the ruler through the whole window.

use std::sync::Arc;

use egui::accesskit::Role;
use glam::IVec3;
use spadework::edit::{Clip, Command, ops};
use spadework::editor::Action;
use spadework::editor::settings::Settings;
use spadework::geom::Region;
use spadework::tool::{PaintKind, Stamp};
use spadework::voxel::{Rgb, Store, StoreEdit, Voxel};
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
fn a_path_waits_while_another_tool_is_in_the_hand_and_undo_takes_its_points_back_one_by_one() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("Y");
    for place in [[0.4, 0.5], [0.5, 0.45], [0.55, 0.55]] {
        window.click_at(place);
    }
    let size = |window: &Window| window.app().editor.tool.preview().size.unwrap_or_default();
    assert!(size(&window).starts_with("3 points"), "{}", size(&window));
    window.press("B");
    assert!(window.sees_part("what was begun waits") && size(&window).is_empty());
    window.drag(&[[0.45, 0.6], [0.5, 0.6]]);
    assert_eq!(window.steps(), 1);
    window.press("Y");
    assert!(size(&window).starts_with("3 points"), "{}", size(&window));
    window.press("Ctrl+Z");
    assert!(size(&window).starts_with("2 points") && window.steps() == 1, "{}", size(&window));
    // There is nothing to do again of it, and it stays.
    window.press("Ctrl+Y");
    assert!(size(&window).starts_with("2 points") && window.sees_part("Enter finishes what was begun"), "{}", size(&window));
    // What is pasted lets it wait, too.
    window.act(Action::Edit(Command::Select(ops::Select { region: Some(Region::of_size(IVec3::splat(4))), ..Default::default() })));
    window.press("Ctrl+C");
    window.press("Ctrl+V");
    assert!(window.app().editor.tool.has_clip());
    window.press("Escape");
    window.press("Y");
    assert!(size(&window).starts_with("2 points"), "{}", size(&window));
    window.press("Enter");
    assert_eq!(window.map().history().last().map(|change| change.label.as_str()), Some("Lay road"));
    // What waits is of one map.
    window.click_at([0.4, 0.5]);
    window.press("B");
    window.act(Action::New(flat()));
    window.press("Y");
    assert_eq!(size(&window), "");
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
    // There is nothing to do again, and the preview stays.
    window.press("Ctrl+Y");
    assert!(window.sees_part("Enter finishes what was begun") && shown(&window).same_voxels(&expected));
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

/// The text of a stamp: a tree as high as it is said, with a crown of a color.
fn tree(height: i32, crown: Rgb) -> String {
    let mut edit = StoreEdit::new(&Store::new(Region::of_size(IVec3::new(7, 7, height))));
    for at in Region::of_size(IVec3::new(7, 7, height)).positions() {
        let from_middle = at - IVec3::splat(3);
        if from_middle.length_squared() < 11 {
            edit.set(at, Some(Voxel::new(crown)));
        } else if at.x == 3 && at.y == 3 && at.z > 3 {
            edit.set(at, Some(Voxel::new(Rgb::new(110, 70, 30))));
        }
    }
    String::from(Clip::of(&edit.snapshot()).unwrap())
}

/// Pixels of a picture within some points that a test knows.
fn pixels(picture: &image::RgbaImage, rect: egui::Rect, is_meant: impl Fn([u8; 4]) -> bool) -> usize {
    let (x, y, right, bottom) = (rect.min.x as u32, rect.min.y as u32, rect.max.x as u32, rect.max.y as u32);
    (y..bottom.min(picture.height()))
        .flat_map(|y| (x..right.min(picture.width())).map(move |x| (x, y)))
        .filter(|(x, y)| is_meant(picture.get_pixel(*x, *y).0))
        .count()
}

#[test]
fn each_stamp_of_the_library_shows_what_it_looks_like() {
    let Some(mut window) = Window::with_library([1100.0, 720.0], Settings::default()) else { return };
    let stamps = window.file("stamps");
    std::fs::create_dir_all(&stamps).unwrap();
    std::fs::write(stamps.join("Oak.swc"), tree(11, Rgb::new(40, 160, 40))).unwrap();
    std::fs::write(stamps.join("Maple.swc"), tree(9, Rgb::new(200, 60, 20))).unwrap();
    std::fs::write(stamps.join("Broken.swc"), "U1dD!").unwrap();
    window.act(Action::New(flat()));
    window.press("S");
    window.click_role(Role::ComboBox, "Stamp");
    let oak = window.rect_of(Role::Button, "Oak").expect("a row that is named after the stamp");
    let maple = window.rect_of(Role::Button, "Maple").unwrap();
    assert!(window.sees_part("Broken, no picture: Broken.swc: "), "what is wrong is said");
    assert_eq!((oak.height(), maple.height()), (44.0, 44.0));
    let picture = window.picture();
    let green = |[r, g, b, _]: [u8; 4]| g > 90 && g > r.saturating_add(40) && g > b.saturating_add(40);
    let red = |[r, g, b, _]: [u8; 4]| r > 90 && r > g.saturating_add(50) && r > b.saturating_add(50);
    let place = |row: egui::Rect| egui::Rect::from_min_size(row.min, egui::Vec2::splat(44.0));
    assert!(pixels(&picture, place(oak), green) > 200, "{} green", pixels(&picture, place(oak), green));
    assert!(pixels(&picture, place(maple), red) > 200, "{} red", pixels(&picture, place(maple), red));
    assert_eq!(pixels(&picture, place(oak), red) + pixels(&picture, place(maple), green), 0);
    window.click_role(Role::Button, "Oak");
    assert_eq!(window.app().editor.tool.settings.stamp.stamp.as_ref().map(|stamp| &*stamp.name), Some("Oak"));
    assert!(window.rect_of(Role::Button, "Maple").is_none(), "the list is closed");
}

#[test]
fn a_box_is_filled_in_a_style_that_its_options_say() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_tool("Box");
    window.click_role(Role::ComboBox, "Style");
    window.click("Noise");
    assert_eq!(window.app().editor.tool.settings.fill_kind, PaintKind::Noise);
    assert_eq!(window.app().editor.tool.settings.paint.kind, PaintKind::Replace, "the paint tool keeps its own");
    window.drag(&[[0.4, 0.5], [0.5, 0.6]]);
    window.press("Enter");
    assert_eq!(window.steps(), 1);
    window.click_tool("Paint");
    assert!(window.rect_of(Role::ComboBox, "Style").is_none() && window.rect_of(Role::ComboBox, "Way").is_some());
}

#[test]
fn the_ruler_draws_a_line_and_tells_its_length() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("I");
    window.drag(&[[0.4, 0.5], [0.5, 0.5], [0.6, 0.55]]);
    assert!(window.sees_part("· dx "), "the status bar does not tell");
    assert_eq!((window.app().editor.tool.preview().measures.len(), window.steps()), (1, 0));
    // A measure is in nobody's way.
    window.press("Ctrl+Y");
    assert!(window.app().editor.tool.preview().measures.len() == 1 && !window.sees_part("Enter finishes"));
    // The second end first, then all of it.
    window.press("Escape");
    assert_eq!(window.app().editor.tool.preview().measures.len(), 1);
    window.press("Escape");
    assert!(window.app().editor.tool.preview().measures.is_empty());
}
