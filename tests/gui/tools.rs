//! Every tool of the strip: taken by key and by click, with its options, through a gesture and back.

use egui::accesskit::Role;
use spadework::edit::ops::SculptAction;
use spadework::edit::{Brush, BrushShape};
use spadework::editor::Action;
use spadework::editor::settings::Settings;
use spadework::tool::{PaintKind, TOOLS, ToolOption, TransformNumber};
use spadework::ui::App;
use spadework::voxel::Rgb;
use spadework_gui_tests::{Window, flat, island};

#[test]
fn every_tool_is_taken_by_its_key() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for spec in TOOLS.iter().rev() {
        window.press(&spec.key.to_string());
        assert_eq!(window.app().editor.tool.spec().id, spec.id);
    }
}

#[test]
fn every_tool_is_taken_by_a_click_and_shows_its_options() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for spec in TOOLS.iter().rev() {
        window.click_tool(spec.label);
        assert_eq!(window.app().editor.tool.spec().id, spec.id);
        let settings = window.app().editor.tool.settings.clone();
        for option in spec.options.iter().filter(|option| option.applies(spec, &settings)) {
            for name in names(*option) {
                assert!(window.sees(name), "{} does not show {name}", spec.id);
            }
        }
        window.leave();
        // As the option row is set.
        let hint = window.app().editor.tool.hint();
        assert!(window.sees(hint), "the status bar does not say how to use {}", spec.id);
    }
}

/// What stands in the option row.
fn names(option: ToolOption) -> &'static [&'static str] {
    match option {
        ToolOption::Mode => &["Add", "Remove", "Paint"],
        ToolOption::BrushShape => &["Ball", "Cube", "Cylinder"],
        ToolOption::BrushSize => &["Size"],
        ToolOption::Solid => &["Form"],
        ToolOption::Shell => &["Shell"],
        ToolOption::FromCenter => &["Center"],
        ToolOption::SculptAction => &["Way"],
        ToolOption::Strength => &["Strength"],
        ToolOption::Tolerance => &["Tolerance"],
        ToolOption::FillSteps => &["Steps"],
        ToolOption::NewObject => &["New"],
        ToolOption::Team => &["Blue", "Green", "Neutral"],
        ToolOption::BrushDetails => &["Tip"],
        ToolOption::PaintStyle => &["Way", "With"],
        ToolOption::FillStyle => &["Style"],
        ToolOption::SculptForm => &["Volume"],
        // Which depends on the way of sculpting.
        ToolOption::SculptDetails => &[],
        ToolOption::FillReach => &["Takes"],
        ToolOption::Path => &["Kind of path", "Width", "Headroom"],
        ToolOption::Terrain => &["Make", "Seed", "Another seed"],
        ToolOption::Stamp => &["Save selection…", "Scatter"],
        ToolOption::SelectKind => &["Select"],
        ToolOption::Combine => &["Join"],
        ToolOption::SelectTolerance | ToolOption::FaceTolerance => &["Tolerance"],
        ToolOption::SelectEdges => &["Climb steps"],
        ToolOption::SelectUpward => &["From here up"],
        ToolOption::SelectTall => &["All heights"],
        ToolOption::LassoColumns => &["Whole columns"],
        ToolOption::TransformTurns => &["Turn"],
        ToolOption::TransformAngle => &["Angle"],
        ToolOption::TransformScale => &["Scale"],
        ToolOption::TransformOffset => &["By"],
        ToolOption::TransformCopies => &["Copies"],
    }
}

#[test]
fn every_tool_survives_a_gesture_and_drops_one_at_esc() {
    for spec in TOOLS {
        let Some(mut window) = Window::with_new(island()) else { return };
        window.press(&spec.key.to_string());
        window.drag(&[[0.4, 0.55], [0.5, 0.6], [0.55, 0.65]]);
        window.press("Escape");
        assert!(!window.app().editor.messages().iter().any(|message| message.is_error), "{:?}", window.app().editor.messages());
        let steps = window.map().history().head();
        let store = window.map().document().store().clone();
        window.press_at([0.4, 0.6]);
        window.hover([0.5, 0.65]);
        window.press("Escape");
        window.release_at([0.5, 0.65]);
        assert_eq!(window.steps(), steps, "{}: Esc did not drop the gesture", spec.id);
        assert!(window.map().document().store().same_voxels(&store), "{}", spec.id);
        while window.steps() > 0 {
            window.press("Ctrl+Z");
        }
        assert!(!window.map().is_modified(), "{}", spec.id);
    }
}

#[test]
fn everything_has_a_name_in_every_way_of_painting_and_sculpting() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for kind in PaintKind::ALL {
        window.click_tool("Paint");
        let mut settings = window.app().editor.tool.settings.clone();
        settings.paint.kind = kind;
        settings.brush = Brush { strength: 50, height: Some(3), ..Brush::new(BrushShape::Cone, 5) };
        window.app_mut().editor.tool.settings = settings;
        window.leave();
        assert!(window.sees("With"), "{kind:?}");
    }
    for action in SculptAction::ALL {
        window.click_tool("Sculpt");
        window.app_mut().editor.tool.settings.sculpt_action = action;
        window.app_mut().editor.tool.settings.sculpt_level = Some(40);
        window.leave();
        assert!(window.sees("Volume"), "{action:?}");
    }
}

#[test]
fn a_narrow_window_has_the_style_of_fills_behind_a_button_with_keys_alone() {
    let Some(mut window) = Window::of_size([880.0, 600.0], Settings::default()) else { return };
    window.act(Action::New(flat()));
    let settings = |window: &Window| window.app().editor.tool.settings.clone();
    for (tool, grain) in [("Box", "6"), ("Shape", "7"), ("Fill", "8")] {
        window.click_tool(tool);
        assert!(!window.sees("Style"), "{tool} has room for it");
        window.focus(Role::Button, "More options");
        window.press("Enter");
        window.focus(Role::RadioButton, "Noise");
        window.press("Space");
        assert_eq!(settings(&window).fill_kind, PaintKind::Noise, "{tool}");
        window.focus(Role::SpinButton, "Grain");
        window.press("Ctrl+A");
        window.type_text(grain);
        window.press("Enter");
        assert_eq!((settings(&window).paint.grain.to_string().as_str(), settings(&window).paint.kind), (grain, PaintKind::Replace));
        window.focus(Role::RadioButton, "One color");
        window.press("Space");
        assert_eq!((settings(&window).fill_kind, window.sees("Grain")), (PaintKind::Replace, false));
        window.press("Escape");
        assert!(!window.sees("One color"), "Esc leaves it open");
    }
}

#[test]
fn the_colors_of_a_style_are_picked_among_its_settings() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_tool("Box");
    window.app_mut().editor.tool.settings.fill_kind = PaintKind::Gradient;
    window.leave();
    window.click_role(Role::ComboBox, "With");
    window.click("To");
    assert!(window.sees("Active color"), "the picker takes the place of the settings");
    window.fill_in(Role::TextInput, "To as #rrggbb", "#102030");
    assert_eq!(window.app().editor.tool.settings.paint.second, Rgb::new(0x10, 0x20, 0x30));
    window.click("To");
    assert!(!window.sees("To as #rrggbb") && window.sees("Active color"));
}

/// A window in which a box is drawn: the button is down.
fn box_begun() -> Option<Window> {
    let mut window = Window::with_new(flat())?;
    window.press("V");
    window.press_at([0.4, 0.6]);
    window.hover([0.5, 0.65]);
    Some(window)
}

#[test]
fn numbers_are_typed_in_the_middle_of_a_gesture_and_told() {
    let Some(mut window) = box_begun() else { return };
    assert!(window.sees_part("Digits set width"));
    for key in ["1", "2", "Tab", "8", "9", "Backspace", "X", "5"] {
        window.press(key);
    }
    assert!(window.sees_part("Height, 5, number 3 of 3") && window.sees("Width 12") && window.sees("Depth 8"));
    assert_eq!(window.app().editor.tool.preview().size.as_deref(), Some("12×8×5"));
    window.hover([0.7, 0.7]);
    window.release_at([0.7, 0.7]);
    window.press("Enter");
    assert_eq!((window.steps(), window.app().editor.tool.preview().size), (1, None));
    // Without a gesture digits look from the sides.
    let camera = window.app_mut();
    let id = camera.editor.active().unwrap().id();
    let (yaw, pitch) = {
        let App { viewport, editor, .. } = camera;
        let camera = viewport.camera(editor, id).camera;
        (camera.yaw, camera.pitch)
    };
    window.press("1");
    let App { viewport, editor, .. } = window.app_mut();
    let camera = viewport.camera(editor, id).camera;
    assert_ne!((camera.yaw, camera.pitch), (yaw, pitch));
}

#[test]
fn tab_right_behind_the_first_digit_goes_to_the_next_number() {
    let Some(mut window) = box_begun() else { return };
    window.press_quickly(&[egui::Key::Num4, egui::Key::Tab, egui::Key::Num9, egui::Key::Tab, egui::Key::Num2]);
    assert_eq!(window.app().editor.tool.preview().size.as_deref(), Some("4×9×2"));
}

#[test]
fn keys_that_come_more_than_once_within_one_frame_count_as_often() {
    // A number that is typed into a box, the box, and the selection.
    let begin = || {
        let mut window = box_begun()?;
        window.release_at([0.5, 0.65]);
        window.press("Ctrl+A");
        window.press("4");
        Some(window)
    };
    let state = |window: &Window| {
        let editor = &window.app().editor;
        (editor.tool.entry().is_some(), editor.tool.preview().size, editor.has_selection())
    };
    let Some(mut one_by_one) = begin() else { return };
    let mut times = 0;
    while one_by_one.app().editor.has_selection() && times < 9 {
        one_by_one.press("Escape");
        times += 1;
    }
    assert!((3..9).contains(&times), "{times}");
    let mut at_once = begin().unwrap();
    at_once.press_in_one_frame(egui::Key::Escape, times - 1);
    assert!(at_once.app().editor.has_selection() && at_once.app().editor.tool.preview().size.is_none(), "{:?}", state(&at_once));
    at_once.press_in_one_frame(egui::Key::Escape, 1);
    assert_eq!(state(&at_once), state(&one_by_one));
}

#[test]
fn delete_takes_as_many_points_as_it_is_pressed() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_tool("Path");
    for place in [[0.3, 0.6], [0.4, 0.7], [0.5, 0.6], [0.6, 0.7]] {
        window.click_at(place);
    }
    let points = |window: &Window| window.app().editor.tool.preview().handles.len();
    let before = points(&window);
    window.press("Delete");
    let step = before - points(&window);
    assert!(step > 0);
    window.press_in_one_frame(egui::Key::Delete, 2);
    assert_eq!(points(&window), before - 3 * step);
}

#[test]
fn a_list_closes_by_the_keys_that_choose_in_it() {
    for key in ["Enter", "Space"] {
        let Some(mut window) = Window::with_new(flat()) else { return };
        window.click_tool("Paint");
        window.leave();
        window.focus(Role::ComboBox, "Way");
        window.press(key);
        assert!(window.has_popup(), "{key} opens it");
        let kind = window.app().editor.tool.settings.paint.kind;
        window.press("Tab");
        window.press("Tab");
        window.press("Tab");
        window.press(key);
        assert!(!window.has_popup(), "{key} takes an entry");
        assert_ne!(window.app().editor.tool.settings.paint.kind, kind);
    }
}

#[test]
fn a_number_that_is_half_typed_leaves_the_keys_to_fields_and_dialogs() {
    let Some(mut window) = box_begun() else { return };
    window.release_at([0.5, 0.65]);
    window.press("3");
    let size = window.app().editor.tool.preview().size;
    assert!(size.is_some() && window.app().editor.tool.entry().is_some());
    window.fill_in(Role::TextInput, "Color as #rrggbb", "#10f020");
    let tool = &window.app().editor.tool;
    assert_eq!((tool.settings.color, tool.spec().id), (Rgb::new(0x10, 0xf0, 0x20), "box"));
    assert_eq!((window.app().editor.tool.preview().size, window.steps()), (size, 0), "the gesture waits");
    window.press("Ctrl+P");
    window.type_text("selall");
    window.press("Enter");
    assert!(window.map().document().selection.is_some(), "what was typed went to the palette");
}

#[test]
fn the_key_of_a_tool_in_the_hand_goes_to_its_next_way() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let kind = |window: &Window| window.app().editor.tool.settings.select_kind;
    let first = kind(&window);
    window.press("N");
    assert_eq!(kind(&window), first, "it is taken first");
    window.press("N");
    let second = kind(&window);
    window.press("N");
    assert!(first != second && kind(&window) != second && kind(&window) != first);
    // A click on it, and a gesture that began, leave the way.
    window.click_tool("Select");
    window.press("U");
    let form = window.app().editor.tool.settings.solid;
    window.drag(&[[0.4, 0.5], [0.5, 0.6]]);
    window.press("U");
    assert_eq!(window.app().editor.tool.settings.solid, form);
    // The height, then the footprint.
    window.press("Escape");
    window.press("Escape");
    window.press("U");
    assert_ne!(window.app().editor.tool.settings.solid, form);
}

#[test]
fn settings_that_are_open_are_tried_on_the_map_and_a_click_beside_a_menu_only_closes_it() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("7");
    window.press("B");
    window.click_role(Role::ComboBox, "Tip");
    assert!(window.has_popup());
    window.drag(&[[0.5, 0.75], [0.6, 0.75]]);
    assert_eq!((window.steps(), window.has_popup()), (1, true), "a stroke leaves them open");
    window.drag(&[[0.55, 0.85]]);
    assert_eq!((window.steps(), window.has_popup()), (2, false), "a click closes them");
    window.click_role(Role::ComboBox, "Tip");
    window.press_at([0.5, 0.75]);
    window.hover([0.6, 0.78]);
    window.press("Escape");
    window.release_at([0.6, 0.78]);
    assert_eq!(window.steps(), 2, "Esc drops the stroke");
    window.press("Escape");
    window.click("Edit");
    assert!(window.has_popup());
    window.drag(&[[0.5, 0.85]]);
    assert_eq!((window.steps(), window.has_popup()), (2, false));
    window.drag(&[[0.5, 0.85]]);
    assert_eq!(window.steps(), 3);
}

#[test]
fn brackets_change_the_size_of_the_brush() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let size = window.app().editor.tool.settings.brush.size;
    window.press("]");
    assert_eq!(window.app().editor.tool.settings.brush.size, size + 1);
    window.press("[");
    window.press("[");
    assert_eq!(window.app().editor.tool.settings.brush.size, size - 1);
}

#[test]
fn the_page_of_the_tools_says_what_the_program_says_and_has_a_picture_of_each() {
    assert_eq!(spadework_gui_tests::unknown_notes(), [""; 0]);
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = std::fs::read_to_string(docs.join("tools.md")).unwrap();
    assert!(page == spadework_gui_tests::tools_page("images"), "./dev pictures makes it anew");
    for spec in TOOLS {
        let picture = image::open(docs.join(format!("images/tool-{}.png", spec.id))).unwrap().to_rgb8();
        // A picture of nothing has few colors.
        let colors: std::collections::BTreeSet<[u8; 3]> = picture.pixels().map(|pixel| pixel.0).collect();
        assert!(colors.len() > 500, "{}: {} colors", spec.id, colors.len());
    }
}

#[test]
fn numbers_that_are_typed_lie_over_nothing_in_a_narrow_window() {
    let Some(mut window) = Window::of_size([1000.0, 700.0], Default::default()) else { return };
    window.act(Action::New(flat()));
    window.press("Ctrl+A");
    window.press("M");
    window.act(Action::AwaitNumbers(TransformNumber::Angle));
    window.press("3");
    let said = window.texts_below(670.0);
    assert!(said.iter().any(|(_, text)| text.contains("Angle, 3, number 4 of 8")), "{said:?}");
    assert!(said.iter().filter(|(_, text)| text.starts_with("Scale")).count() >= 2, "{said:?}");
    for (index, (rect, text)) in said.iter().enumerate() {
        let over = said.iter().skip(index + 1).find(|(other, _)| other.shrink(1.0).intersects(rect.shrink(1.0)));
        assert!(over.is_none(), "{text:?} lies over {over:?}");
    }
}
