//! The palette beside a map: its files, its colours by pointer and key, and what follows from a colour.

use std::path::PathBuf;

use egui::accesskit::Role;
use egui_kittest::kittest::NodeT as _;
use spadework::editor::settings::Settings;
use spadework::editor::{Action, SaveOrder};
use spadework::ui::{FileAnswer, FileQuestion};
use spadework::voxel::Rgb;
use spadework_gui_tests::{Window, flat, write_vxl};

const CLAY: &str = "GIMP Palette\nName: again\nColumns: 0\n#\n 58  42  29\tDark earth\n200 160  80\tUntitled\n  1   2   3\tBlue: night\n";

fn written(window: &Window, name: &str, content: &[u8]) -> PathBuf {
    let path = window.file(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// A window whose map has a palette of three colours.
fn with_three() -> Option<Window> {
    let mut window = Window::with_new(flat())?;
    let path = written(&window, "three.hex", b"010101\n020202\n030303\n");
    let id = window.map().id();
    window.act(Action::OpenPalette(id, path));
    Some(window)
}

fn hand(window: &Window) -> String {
    window.app().editor.tool.settings.color.to_string()
}

/// The palette, as the first two digits of each colour.
fn shown(window: &Window) -> String {
    let colors: Vec<_> = window.app().editor.swatches().iter().map(|swatch| format!("{:02x}", swatch.color.r)).collect();
    for swatch in window.app().editor.swatches() {
        assert!(window.sees(&swatch.color.to_string()), "{} is not to be seen", swatch.color);
    }
    colors.join(" ")
}

#[test]
fn a_palette_comes_through_the_dialog_and_goes_back_as_it_was() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let (path, again) = (written(&window, "clay.gpl", CLAY.as_bytes()), window.file("again"));
    let document = window.map().id();
    window.dialogs.answer(FileAnswer::Chosen(path));
    window.click("Open palette");
    assert_eq!(window.dialogs.asked(), [FileQuestion::OpenPalette { document }]);
    window.click("Dark earth #3a2a1d");
    assert_eq!(hand(&window), "#3a2a1d");
    window.click("#c8a050");
    assert_eq!(hand(&window), "#c8a050");
    window.get(Role::Button, "Blue: night #010203");
    window.dialogs.answer(FileAnswer::Chosen(again.clone()));
    assert!(window.choose("save-palette"));
    let again = again.with_extension("gpl");
    assert_eq!(std::fs::read_to_string(&again).unwrap(), CLAY);
    assert!(!window.map().is_modified(), "a palette is no change of the map");
    for (answer, expected) in [("Keep it", "mine"), ("Replace it", CLAY)] {
        std::fs::write(&again, "mine").unwrap();
        window.dialogs.answer(FileAnswer::Chosen(again.clone()));
        window.click("Save palette");
        window.click(answer);
        assert_eq!(std::fs::read_to_string(&again).unwrap(), expected);
    }
}

#[test]
fn a_broken_palette_is_told_with_its_line_and_changes_nothing() {
    let Some(mut window) = with_three() else { return };
    for (name, content, reason) in [
        ("short.gpl", &b"GIMP Palette\n1 2 3\n4 5\n"[..], "line 3, column 4: expected a number from 0 to 255"),
        ("noise.pal", b"\x89PNG\r\n", "line 1, column 1: expected a palette"),
    ] {
        let path = written(&window, name, content);
        window.dialogs.answer(FileAnswer::Chosen(path));
        assert!(window.choose("open-palette"));
        assert!(window.sees_part(&format!("Cannot open the palette: {name}: {reason}")), "{:?}", window.app().editor.messages().last());
        assert_eq!(shown(&window), "01 02 03");
    }
    window.dialogs.answer(FileAnswer::Chosen(window.file("three.doc")));
    window.click("Save palette");
    assert!(window.sees_part("three.doc: the name must end in .gpl, .pal or .hex") && !window.file("three.doc").exists());
}

#[test]
fn colors_are_dragged_added_and_removed() {
    let Some(mut window) = with_three() else { return };
    let color = |name| (Role::Button, name);
    window.drag_widget(color("#010101"), color("#030303"));
    assert_eq!(shown(&window), "02 03 01");
    window.drag_widget(color("#010101"), color("#020202"));
    assert_eq!(shown(&window), "01 02 03");
    window.app_mut().editor.tool.settings.color = Rgb::new(9, 9, 9);
    window.leave();
    window.drag_widget((Role::ColorWell, "Color in the hand"), color("#020202"));
    assert_eq!(shown(&window), "01 09 02 03");
    window.ctrl_click("#020202");
    assert_eq!((shown(&window).as_str(), hand(&window).as_str()), ("01 09 03", "#090909"));
    window.click_secondary("#090909");
    window.click("Move to the right");
    assert_eq!(shown(&window), "01 03 09");
    window.click_secondary("#010101");
    window.click("Remove");
    window.click_secondary("#030303");
    window.click("Put the color in the hand here");
    window.app_mut().editor.tool.settings.color = Rgb::new(8, 8, 8);
    window.leave();
    window.click("Add the color to the palette");
    let colors: Vec<_> = window.app().editor.swatches().iter().map(|swatch| swatch.color.r).collect();
    assert_eq!(colors, [9, 9, 8]);
    window.click_secondary("#080808");
    window.click("Back to the first palette");
    assert_eq!(window.app().editor.swatches().len(), 36);
    assert_eq!(window.steps(), 0);
}

#[test]
fn a_color_that_was_removed_by_mistake_comes_back() {
    const UNDO: &str = "Undo the last change of the palette";
    let Some(window) = Window::with_new(flat()) else { return };
    let is_disabled = |window: &Window| window.get(Role::Button, UNDO).accesskit_node().is_disabled();
    assert!(is_disabled(&window), "nothing was changed");
    let Some(mut window) = with_three() else { return };
    window.ctrl_click("#020202");
    assert_eq!(shown(&window), "01 03");
    window.focus(Role::Button, UNDO);
    window.press("Enter");
    assert_eq!(shown(&window), "01 02 03");
    window.click(UNDO);
    assert_eq!((window.app().editor.swatches().len(), is_disabled(&window)), (36, true), "the palette of a file goes, too");
    assert_eq!(window.steps(), 0);
}

#[test]
fn a_low_window_shows_the_palette_and_its_buttons() {
    for height in [600.0, 640.0, 720.0] {
        let Some(mut window) = Window::of_size([900.0, height], Settings::default()) else { return };
        window.act(Action::New(flat()));
        let end = window.get(Role::Tab, "Teams and objects").rect().min.y;
        for name in ["#ffffff", "Add the color to the palette", "Save palette"] {
            let rect = window.rect_of(Role::Button, name).unwrap();
            assert!(rect.max.y <= end, "{name} ends at {} of {end} in a window of {height}", rect.max.y);
        }
        let used = window.rect_of(Role::Label, "Most used in this map").unwrap().max.y + 25.0;
        assert!(height < 700.0 || used <= end, "the colors that are used most end at {used} of {end}");
    }
}

#[test]
fn keys_take_the_first_colors() {
    let Some(mut window) = with_three() else { return };
    for (key, color) in [("Alt+2", "#020202"), ("Alt+1", "#010101"), ("Alt+9", "#010101"), ("Alt+3", "#030303")] {
        window.press(key);
        assert_eq!(hand(&window), color, "{key}");
    }
}

#[test]
fn harmonies_ramps_and_teams_are_offered_and_taken_into_the_palette() {
    let Some(mut window) = with_three() else { return };
    // All of it is seen at once only where the other panels leave it the space.
    window.click_role(Role::Tab, "Teams and objects");
    window.click_role(Role::Tab, "History");
    assert!(!window.sees("Complement #00ffff"));
    window.click("Harmonies, ramps and team colors");
    window.app_mut().editor.tool.settings.color = Rgb::new(255, 0, 0);
    window.leave();
    for name in [
        "Complement #00ffff",
        "Analogous #ff8000",
        "Triad #0000ff",
        "Split #0080ff",
        "Blue team #0000ff",
        "Ramp 1 #ff0000",
        "Ramp 6 #000000",
    ] {
        window.get(Role::Button, name);
    }
    assert!(window.inputs().iter().all(|(_, name)| !name.trim().is_empty()), "{:?}", window.inputs());
    window.click("Add triad to the palette");
    assert_eq!(shown(&window), "01 02 03 00 00");
    window.click("Complement #00ffff");
    assert_eq!(hand(&window), "#00ffff");
    window.fill_in(Role::SpinButton, "Hue", "120");
    assert_eq!(hand(&window), "#00ff00");
    window.fill_in(Role::SpinButton, "Brightness", "50");
    assert_eq!(hand(&window), "#008000");
}

#[test]
fn a_map_has_its_palette_again_in_the_next_session() {
    let Some(mut window) = Window::empty() else { return };
    let path = window.file("harbor.vxl");
    write_vxl(&path);
    let before = std::fs::read(&path).unwrap();
    window.act(Action::Open(path.clone()));
    window.app_mut().editor.tool.settings.color = Rgb::new(7, 7, 7);
    window.leave();
    window.click("Add the color to the palette");
    let settings = window.app().editor.settings.clone();
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "the palette is no file beside the map");
    let Some(mut next) = Window::of_size([1100.0, 720.0], settings) else { return };
    next.act(Action::New(flat()));
    assert_eq!(next.app().editor.swatches().len(), 36);
    next.act(Action::Open(path));
    assert_eq!(next.app().editor.swatches().len(), 37);
    next.click("#070707");
    assert_eq!(hand(&next), "#070707");
    let (id, copy) = (next.map().id(), next.file("copy.vxl"));
    next.act(Action::SaveAs(SaveOrder::new(id).with_path(copy.clone())));
    assert_eq!(next.app().editor.settings.palettes.of(&copy).map(<[_]>::len), Some(37), "the palette goes along with the map");
}

#[test]
fn the_colors_are_moved_and_removed_with_keys() {
    let Some(mut window) = with_three() else { return };
    for (number, keys) in ["Shift+F10", "Menu"].into_iter().enumerate() {
        window.focus(Role::Button, "#020202");
        window.press(keys);
        window.get(Role::Button, "Put the color in the hand here");
        // From the first entry: to the right on the first round, to the left on the second.
        window.press("ArrowDown");
        if number == 0 {
            window.press("ArrowDown");
        }
        window.press("Enter");
        assert!(!window.has_popup(), "{keys}");
        assert_eq!(shown(&window), ["01 03 02", "01 02 03"][number], "{keys}");
    }
    window.focus(Role::Button, "#020202");
    window.press("Delete");
    assert_eq!((shown(&window).as_str(), window.steps()), ("01 03", 0));
    window.press("F10");
    assert!(window.has_popup(), "the menu bar has F10 alone");
}
