//! Masks and symmetry at the end of the option row: by pointer, by keyboard, and what they do.

use egui::accesskit::Role;
use spadework::document::{Matter, SymmetryKind};
use spadework::editor::Action;
use spadework_gui_tests::{Window, flat};

#[test]
fn masks_are_set_from_the_option_row_and_hold() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_role(Role::ComboBox, "Mask");
    window.click_role(Role::CheckBox, "Only the surface");
    window.click_role(Role::RadioButton, "Solid");
    let masks = window.map().document().masks.clone();
    assert!(masks.surface && masks.matter == Some(Matter::Solid));
    window.press("Escape");
    assert!(!window.map().is_modified(), "masks are no change of the map");
    let steps = window.steps();
    window.drag(&[[0.4, 0.5], [0.6, 0.5]]);
    assert_eq!(window.steps(), steps, "nothing is added where only solid voxels may change");
    window.press("Ctrl+Z");
    window.press("Ctrl+Z");
    assert!(!window.map().document().masks.any());
}

#[test]
fn numbers_that_are_typed_fast_with_tab_between_them_all_count() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_role(Role::ComboBox, "Symmetry");
    window.click(SymmetryKind::Turn180.label());
    window.press("Escape");
    for [x, y] in [["20.5", "10.5"], ["7", "30.5"], ["31.5", "8"]] {
        window.click_role(Role::SpinButton, "Center x");
        window.press("Ctrl+A");
        window.type_quickly(&[x, y]);
        let center = window.map().document().symmetry.center.map(|halves| f64::from(halves) / 2.0);
        assert_eq!(center.map(|at| at.to_string()), [x, y]);
    }
}

#[test]
fn a_double_click_takes_all_of_a_number_in_hand() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_role(Role::ComboBox, "Symmetry");
    window.click(SymmetryKind::Turn180.label());
    window.press("Escape");
    for [now, next] in [["20.5", "-7.5"], ["-7.5", "31"]] {
        window.fill_in(Role::SpinButton, "Center x", now);
        window.double_click(Role::SpinButton, "Center x");
        window.type_text(next);
        window.press("Enter");
        let x = f64::from(window.map().document().symmetry.center[0]) / 2.0;
        assert_eq!(x.to_string(), next);
    }
}

#[test]
fn symmetry_is_set_from_the_option_row_with_its_center() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_role(Role::ComboBox, "Symmetry");
    window.click(SymmetryKind::MirrorX.label());
    window.press("Escape");
    let bounds = window.map().document().bounds();
    let middle = bounds.min() + bounds.max();
    let symmetry = window.map().document().symmetry.clone();
    assert_eq!((symmetry.kind, symmetry.center), (SymmetryKind::MirrorX, [middle.x, middle.y]));
    window.fill_in(Role::SpinButton, "Center x", "20.5");
    assert_eq!(window.map().document().symmetry.center, [41, middle.y]);
    assert!(!window.map().is_modified());
}

#[test]
fn the_center_of_the_symmetry_is_dragged_on_the_map_and_moved_by_arrows() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for kind in [SymmetryKind::MirrorX, SymmetryKind::MirrorY, SymmetryKind::MirrorBoth, SymmetryKind::Turn180] {
        window.press("X");
        assert_eq!(window.map().document().symmetry.kind, kind);
    }
    let bounds = window.map().document().bounds();
    let middle = bounds.min() + bounds.max();
    let name = format!("Symmetry center at {}, {}", f64::from(middle.x) / 2.0, f64::from(middle.y) / 2.0);
    let (steps, voxels) = (window.steps(), window.map().document().store().solid_count());
    window.drag_by((Role::Button, &name), [60.0, 0.0]);
    let [x, y] = window.map().document().symmetry.center;
    assert!(x != middle.x || y != middle.y, "the center did not move");
    assert_eq!((window.steps(), window.map().document().store().solid_count()), (steps + 1, voxels), "a drag is one step, and no stroke");
    window.press("ArrowLeft");
    assert_eq!(window.map().document().symmetry.center, [x - 1, y]);
    assert!(window.sees_part("rotate 180° at "));
    window.choose("symmetry-on-map");
    assert_eq!(window.map().document().symmetry.center, [middle.x, middle.y]);
    assert!(!window.map().is_modified());
}

#[test]
fn masks_and_symmetry_are_shown_for_tools_that_edit() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for (tool, edits) in [("Brush", true), ("Eyedropper", false), ("Ruler", false), ("Select", true)] {
        window.click_tool(tool);
        assert_eq!((window.sees("Mask"), window.sees("Symmetry")), (edits, edits), "{tool}");
    }
}

#[test]
fn the_wheel_zooms_over_the_handle_of_the_symmetry_as_well() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.act(Action::CycleSymmetry);
    let handle = window.inputs().into_iter().map(|(_, name)| name).find(|name| name.starts_with("Symmetry center at"));
    let at = window.rect_of(Role::Button, &handle.unwrap()).unwrap().center();
    let id = window.map().id();
    let eye = |window: &mut Window| {
        let app = window.app_mut();
        let camera = app.viewport.camera(&app.editor, id).camera;
        camera.eye
    };
    let before = eye(&mut window);
    window.wheel_at(at, 100.0);
    assert!(eye(&mut window).distance(before) > 1.0, "the camera stayed at {before}");
}
