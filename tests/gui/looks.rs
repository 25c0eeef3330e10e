//! Themes, hidden panels, and small pictures of parts that are easy to break.

use egui::accesskit::Role;
use egui_kittest::SnapshotOptions;
use image::RgbaImage;
use spadework::editor::settings::{Settings, Theme};
use spadework::editor::{Action, Message};
use spadework_gui_tests::{Window, flat};

fn brightness(picture: &RgbaImage, [x, y]: [u32; 2]) -> u32 {
    picture.get_pixel(x, y).0[..3].iter().map(|part| u32::from(*part)).sum()
}

#[test]
fn the_light_theme_is_light_and_goes_back_to_dark() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let empty = [20, 600];
    assert!(brightness(&window.picture(), empty) < 150);
    assert!(window.choose("toggle-theme"));
    window.leave();
    assert!(brightness(&window.picture(), empty) > 600);
    assert_eq!(window.app().editor.settings.theme, Theme::Light);
    assert!(window.choose("toggle-theme"));
    window.leave();
    assert!(brightness(&window.picture(), empty) < 150);
}

#[test]
fn f11_leaves_the_map_alone_and_brings_the_panels_back() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let width = |window: &Window| window.get(Role::Image, "Map viewport").rect().width();
    let before = width(&window);
    window.press("F11");
    assert!(!window.sees("Color") && !window.sees("Brush"));
    assert_eq!(width(&window), 1100.0);
    window.press("F11");
    assert!(window.sees("Color") && window.sees("Brush"));
    assert_eq!(width(&window), before);
}

#[test]
fn nothing_is_cut_off_in_the_smallest_window() {
    let Some(mut window) = Window::of_size([800.0, 500.0], Settings::default()) else { return };
    window.act(Action::New(flat()));
    let mut cut_off = vec![];
    for spec in spadework::tool::TOOLS {
        window.click_tool(spec.label);
        for (role, name) in window.inputs() {
            let end = window.rect_of(role, &name).map_or(0.0, |rect| rect.max.x);
            if end > 800.5 {
                cut_off.push(format!("{}: {name} ends at {end}", spec.id));
            }
        }
    }
    assert_eq!(cut_off, [""; 0]);
}

/// Compares a part of the window with its accepted picture.
#[track_caller]
fn check_picture(window: &mut Window, name: &str, [x, y, w, h]: [u32; 4]) {
    window.leave();
    let part = image::imageops::crop_imm(&window.picture(), x, y, w, h).to_image();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots");
    let options = SnapshotOptions::new().output_path(folder).max_failed_pixels(0);
    if let Err(error) = egui_kittest::try_image_snapshot_options(&part, name, &options) {
        // Another adapter may round another way: only the pinned one counts.
        assert!(std::env::var_os("REQUIRE_GPU").is_none(), "{error}");
        println!("not compared: {error}");
    }
}

fn in_both_themes(parts: &[(&str, [u32; 4])], prepare: impl Fn(&mut Window)) {
    for theme in [Theme::Dark, Theme::Light] {
        let settings = Settings { theme, ..Settings::default() };
        let Some(mut window) = Window::of_size([900.0, 600.0], settings) else { return };
        prepare(&mut window);
        let suffix = if theme == Theme::Dark { "dark" } else { "light" };
        for (name, part) in parts {
            check_picture(&mut window, &format!("{name}_{suffix}"), *part);
        }
    }
}

#[test]
fn menu_bar_options_and_tools_look_as_accepted() {
    in_both_themes(&[("options", [0, 0, 420, 64]), ("strip", [0, 64, 40, 330])], |window| {
        window.act(Action::New(flat()));
    });
}

#[test]
fn the_right_column_looks_as_accepted() {
    in_both_themes(&[("column", [600, 64, 300, 512])], |window| {
        window.act(Action::New(flat()));
    });
}

#[test]
fn the_new_map_dialog_looks_as_accepted() {
    in_both_themes(&[("new_map", [150, 170, 600, 260])], |window| {
        window.press("Ctrl+N");
    });
}

#[test]
fn an_error_looks_as_accepted() {
    in_both_themes(&[("error", [0, 480, 520, 120])], |window| {
        let error = Message::error("Cannot open harbor.vxl: the map ends within a column, at offset 20,481");
        window.app_mut().editor.tell(error.with_detail("The file was cut off. Copy it again, or open a backup."));
        window.settle();
    });
}

#[test]
fn errors_stay_until_esc_or_their_button_closes_them() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for number in 1..=6 {
        window.app_mut().editor.tell(Message::error(format!("Trouble {number}")));
    }
    window.settle();
    assert!(!window.sees("Trouble 2") && window.sees("Trouble 3") && window.sees("Trouble 6"));
    assert!(window.sees("and 2 more, in the log"));
    window.press("Escape");
    assert!(!window.sees("Trouble 6") && window.sees("Trouble 5") && window.sees("Trouble 2"));
    window.click("Close notice: Trouble 4");
    assert!(window.sees("Trouble 5") && !window.sees("Trouble 4") && window.sees("Trouble 1"), "only that one is closed");
    window.app_mut().editor.tell(Message::error("Trouble 7"));
    window.settle();
    window.click("Close all");
    assert!(!window.sees_part("Trouble"));
}

#[test]
fn a_notice_that_says_very_much_fits_into_the_window() {
    let Some(mut window) = Window::of_size([800.0, 600.0], Settings::default()) else { return };
    window.act(Action::New(flat()));
    for number in 1..=4 {
        let lines: Vec<String> = (0..200).map(|line| format!("what {line} was to say")).collect();
        window.app_mut().editor.tell(Message::warning(format!("Trouble {number}")).with_detail(lines.join(", or ")));
    }
    window.settle();
    for number in 1..=4 {
        let rect = window.rect_of(Role::Button, &format!("Close notice: Trouble {number}")).expect("the notice");
        assert!(rect.min.y >= 0.0 && rect.max.y <= 600.0 && rect.max.x <= 800.0, "{number}: {rect:?}");
    }
}

#[test]
fn esc_takes_a_gesture_back_before_it_closes_a_notice() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_tool("Box");
    window.drag(&[[0.5, 0.5], [0.6, 0.5]]);
    window.app_mut().editor.tell(Message::warning("The settings have a line that cannot be read"));
    window.settle();
    while window.app().editor.tool.preview().size.is_some() {
        window.press("Escape");
    }
    assert!(window.sees("The settings have a line that cannot be read"), "the gesture comes first");
    window.press("Escape");
    assert!(!window.sees("The settings have a line that cannot be read"));
    assert_eq!(window.app().editor.tool.spec().id, "box", "and the tool stays");
}

#[test]
fn pages_and_lists_fit_into_a_small_window_with_large_text() {
    // 800×600 and 1024×700 at a scale of 1.5.
    for size in [[533.0, 400.0], [683.0, 467.0]] {
        let Some(mut window) = Window::of_size(size, Settings::default()) else { return };
        window.act(Action::New(flat()));
        let check = |window: &Window, role, name: &str| {
            let rect = window.rect_of(role, name).unwrap_or_else(|| panic!("{name}"));
            assert!(
                rect.min.x >= 0.0 && rect.min.y >= 0.0 && rect.max.x <= size[0] && rect.max.y <= size[1],
                "{name}: {rect:?} of {size:?}"
            );
        };
        window.press("F1");
        check(&window, Role::TextInput, "Find a key");
        check(&window, Role::Button, "Close");
        check(&window, Role::ComboBox, "Keymap");
        window.close_dialog();
    }
}
