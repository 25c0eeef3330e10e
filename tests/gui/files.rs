//! Opening and saving through the dialogs, and what the window says when it fails.

use egui::accesskit::Role;
use egui_kittest::kittest::NodeT as _;
use glam::IVec3;
use spadework::document::{Anchor, Object, OptionValue, Team};
use spadework::edit::{Command, Mode, ops};
use spadework::editor::{Action, PictureUse, SaveOrder};
use spadework::geom::Region;
use spadework::ui::{FileAnswer, FileQuestion};
use spadework::voxel::Rgb;
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
    window.act(Action::Open(path.clone()));
    assert!(window.sees("broken.vxl is damaged"));
    assert!(window.sees_part("truncated at byte"), "the place is not on the screen");
    assert_eq!(window.app().editor.documents().len(), 1);
    assert_eq!(window.steps(), 1);
    window.click("Leave it");
    assert_eq!(window.app().editor.documents().len(), 1);
    window.act(Action::Open(path));
    window.click("Open what is left");
    assert_eq!(window.map().title(), "broken.vxl");
    assert_eq!(window.app().editor.documents().len(), 2);
    assert!(window.map().report().worst() >= Some(spadework::format::Severity::Repair), "{:?}", window.map().report());
}

#[test]
fn a_file_of_something_else_is_told_with_what_to_do() {
    let Some(mut window) = Window::empty() else { return };
    let path = window.file("song.mp3");
    std::fs::write(&path, b"ID3 is no map").unwrap();
    window.act(Action::Open(path));
    let error = window.app().editor.messages().last().unwrap().clone();
    assert!(error.is_error && error.text.contains("song.mp3"), "{error:?}");
    assert!(window.sees(&error.text) && window.sees(error.detail.as_deref().unwrap()), "the error is not on the screen");
    window.click(&format!("Close notice: {}", error.text));
    assert!(!window.sees(&error.text));
}

#[test]
fn problems_are_asked_about_once_before_saving() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("harbor.vxl");
    let outside = Object::Base { team: Team::Blue, at: Anchor { x: 500, y: 3, z: None } };
    window.act(Action::Edit(Command::AddObject(ops::AddObject(outside))));
    let save = Action::SaveAs(SaveOrder::new(window.map().id()).with_path(path.clone()));
    window.act(save.clone());
    assert!(window.sees("Players will meet problems in this map"));
    window.click("Do not save");
    assert!(!path.exists());
    let another = Object::Intel { team: Team::Blue, at: Anchor { x: 500, y: 3, z: None } };
    window.act(Action::Edit(Command::AddObject(ops::AddObject(another))));
    window.act(save);
    window.click("Save all the same");
    assert!(path.exists() && !window.map().is_modified());
    window.act(Action::Edit(Command::Fill(ops::Fill { region: Region::of_size(IVec3::ONE), color: Rgb::new(1, 2, 3), mode: Mode::Set })));
    window.press("Ctrl+S");
    assert!(window.app().shell.dialog.is_none() && !window.map().is_modified());
}

#[test]
fn a_format_with_options_asks_for_them_before_saving() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("harbor.vmf");
    window.dialogs.answer(FileAnswer::Chosen(path.clone()));
    window.press("Ctrl+Shift+S");
    assert!(!path.exists());
    window.click_role(Role::CheckBox, "Protect floor");
    window.click("Save");
    assert!(path.exists());
    let chosen = &window.app().editor.settings.export_options["vmf"];
    assert_eq!(chosen["protect-floor"], spadework::document::OptionValue::Bool(true));
    window.act(Action::Edit(Command::Fill(ops::Fill { region: Region::of_size(IVec3::ONE), color: Rgb::new(1, 2, 3), mode: Mode::Set })));
    window.press("Ctrl+S");
    assert!(window.app().shell.dialog.is_none() && !window.map().is_modified(), "a plain save asks nothing");
}

#[test]
fn a_level_of_a_map_is_saved_as_a_grid_or_blueprint_and_a_station_as_it_is() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("floor.yml");
    let save = |window: &mut Window, slice: &str, style: Option<&str>| {
        window.dialogs.answer(FileAnswer::Chosen(path.clone()));
        window.press("Ctrl+Shift+S");
        if let Some(style) = style {
            window.click_role(Role::ComboBox, "Style");
            window.click(style);
        }
        // Enter saves.
        window.fill_in(Role::SpinButton, "Slice", slice);
    };
    save(&mut window, "0", None);
    assert!(window.sees_part("is empty, and so is the floor") && !path.exists(), "told before anything is written");
    window.press("Escape");
    save(&mut window, "63", Some("Blueprint (format 2)"));
    window.click("Save without it");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("format: 2") && text.contains("tiles:"), "{text}");
    // The station itself is asked nothing.
    let before = std::fs::read(&path).unwrap();
    let station = window.file("station.yml");
    std::fs::copy(&path, &station).unwrap();
    window.act(Action::Open(station));
    let other = window.file("other.yml");
    window.dialogs.answer(FileAnswer::Chosen(other.clone()));
    window.press("Ctrl+Shift+S");
    assert_eq!(std::fs::read(&other).ok(), Some(before));
}

#[test]
fn what_an_export_cannot_hold_is_told_before_its_file_is_chosen() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("Ctrl+E");
    let top = spadework::format::EXPORTS.iter().find(|export| export.id() == "top").unwrap();
    let choose = format!("{} (.png)", top.label());
    window.click_role(Role::RadioButton, &choose);
    assert!(window.sees("It holds all that it is for"));
    window.press("Escape");
    let base = Object::Base { team: Team::Blue, at: Anchor { x: 5, y: 3, z: None } };
    window.act(Action::Edit(Command::AddObject(ops::AddObject(base))));
    window.press("Ctrl+E");
    window.click_role(Role::RadioButton, &choose);
    assert!(window.sees_part("It cannot hold all of the map") && window.sees_part("1 object has no place"));
}

#[test]
fn a_map_that_does_not_say_its_size_is_asked_for_it() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("strip.vxl");
    // A header of one coloured floor, for 7 × 20 columns.
    let column = [0, 63, 63, 0, 90, 120, 40, 0x80];
    std::fs::write(&path, column.repeat(7 * 20)).unwrap();
    let size = |window: &Window| window.map().document().bounds().size().to_array();
    window.act(Action::Open(path.clone()));
    assert!(window.sees("strip.vxl does not say its size"));
    // One that is none, and one that the columns do not make, can be typed once more.
    for (typed, told) in [("7 x", "does not take \"7 x\""), ("9x20", "truncated at byte")] {
        window.fill_in(Role::TextInput, "Width x height", typed);
        assert!(window.sees_part(told) && window.sees("strip.vxl does not say its size"), "{typed}");
    }
    window.press("Escape");
    window.act(Action::Open(path.clone()));
    assert!(window.has_focus(Role::TextInput, "Width x height"), "what is typed goes there");
    window.type_text("7x20");
    window.press("Enter");
    assert_eq!(size(&window), [7, 20, 64]);
    window.act(Action::Revert);
    window.settle();
    assert_eq!((size(&window), window.app().editor.messages().iter().filter(|told| told.is_error).count()), ([7, 20, 64], 0));
    window.act(Action::Open(path));
    assert_eq!(window.app().editor.documents().len(), 2, "it is open already");
    // Of a size that hardly a map has, Enter reads what is left: the map was rather cut off.
    let long = window.file("long.vxl");
    std::fs::write(&long, column.repeat(2 * 97)).unwrap();
    window.act(Action::Open(long));
    assert!(window.has_focus(Role::TextInput, "Width x height"));
    window.press("Enter");
    assert_eq!(size(&window), [512, 512, 64], "what is left, and water");
}

#[test]
fn a_map_is_exported_and_a_file_that_exists_is_not_replaced_without_a_word() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("plan.png");
    for answer in ["", "Keep it", "Replace it"] {
        if !answer.is_empty() {
            std::fs::write(&path, b"mine").unwrap();
        }
        window.dialogs.answer(FileAnswer::Chosen(path.with_extension("")));
        window.press("Ctrl+E");
        let top = spadework::format::EXPORTS.iter().find(|export| export.id() == "top").unwrap();
        window.click_role(Role::RadioButton, &format!("{} (.png)", top.label()));
        window.click("Choose file…");
        match answer {
            "" => assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG")),
            _ => {
                assert_eq!(std::fs::read(&path).unwrap(), b"mine");
                window.click(answer);
                assert_eq!(std::fs::read(&path).unwrap() == b"mine", answer == "Keep it");
            }
        }
    }
    assert!(!window.app().editor.messages().iter().any(|message| message.is_error));
}

#[test]
fn a_heightmap_becomes_a_map_and_raises_the_ground_of_another() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("hills.png");
    let picture = image::GrayImage::from_fn(64, 64, |x, y| image::Luma([(x * 2 + y * 2) as u8]));
    picture.save(&path).unwrap();
    let before = window.map().document().store().clone();
    for (choice, steps) in [("Raise the ground", 1), ("Dig into it", 2)] {
        window.dialogs.answer(FileAnswer::Chosen(path.clone()));
        window.press("Ctrl+I");
        assert!(window.sees("Import hills"), "{choice}");
        window.click(choice);
        assert_eq!(window.steps(), steps, "{choice}: {:?}", window.app().editor.messages());
        // What was raised and dug by the same picture is as it was.
        assert_eq!(window.map().document().store().same_voxels(&before), steps == 2, "{choice}");
    }
    window.dialogs.answer(FileAnswer::Chosen(path));
    window.press("Ctrl+I");
    window.click("Open as a map");
    assert_eq!((window.map().title(), window.app().editor.documents().len()), ("hills".to_owned(), 2));
    assert_eq!(window.map().document().bounds().size(), IVec3::new(64, 64, 64));
    assert!(window.map().is_modified());
}

#[test]
fn the_level_curve_of_a_heightmap_is_bent_and_the_land_follows() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("hills.png");
    image::GrayImage::from_fn(64, 64, |x, _| image::Luma([(x * 4) as u8])).save(&path).unwrap();
    window.dialogs.answer(FileAnswer::Chosen(path));
    window.press("Ctrl+I");
    let ground = |window: &Window| window.app().editor.pending_import().unwrap().file.content.store.ground(32, 5, 0).unwrap();
    let text = |window: &Window| match window.app().editor.pending_import().unwrap().order.options.get("curve") {
        Some(OptionValue::Text(text)) => text.clone(),
        other => panic!("{other:?}"),
    };
    let graph = (Role::Image, "Graph of curve");
    let straight = ground(&window);
    // Pulled down, what is half bright is lower.
    window.drag_by(graph, [0.0, 30.0]);
    let bent = text(&window);
    assert!(bent.starts_with("0:0,0.5:0.") && bent.ends_with(",1:1") && bent != "0:0,0.5:0.5,1:1", "{bent}");
    assert!(ground(&window) > straight + 5, "{} after {straight}", ground(&window));
    // The same point again, back up; the right button takes it out.
    let center = window.get(graph.0, graph.1).rect().center();
    window.pull(&[center + egui::vec2(0.0, 30.0), center + egui::vec2(3.0, -10.0)]);
    window.let_go(center + egui::vec2(3.0, -10.0));
    assert_eq!(text(&window).split(',').count(), 3, "{}", text(&window));
    assert!(ground(&window) < straight, "{} after {straight}", ground(&window));
    window.click_secondary_at(center + egui::vec2(3.0, -10.0));
    assert_eq!((text(&window).as_str(), ground(&window)), ("0:0,1:1", straight));
    // What is typed is drawn and read, too; what is no curve is told.
    window.click_role(Role::TextInput, "Curve");
    window.press("Ctrl+A");
    window.type_text("2.2");
    assert!(ground(&window) > straight + 5);
    window.type_text("x");
    let trouble = window.app().editor.pending_import().unwrap().trouble.clone().unwrap();
    assert!(trouble.contains("option curve does not take \"2.2x\""), "{trouble}");
}

#[test]
fn a_second_picture_gives_a_heightmap_its_colors() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let (hills, colors, wrong) = (window.file("hills.png"), window.file("colors.png"), window.file("wrong.png"));
    image::GrayImage::from_fn(64, 64, |x, y| image::Luma([(x * 2 + y * 2) as u8])).save(&hills).unwrap();
    image::RgbImage::from_pixel(64, 64, image::Rgb([200, 10, 90])).save(&colors).unwrap();
    image::RgbImage::from_pixel(63, 64, image::Rgb([200, 10, 90])).save(&wrong).unwrap();
    let top = |window: &Window| {
        let store = window.map().document().store();
        let z = store.ground(63, 63, 0).unwrap();
        store.paint(IVec3::new(63, 63, z)).map(|paint| paint.rgb)
    };
    for (choice, documents) in [("Raise the ground", 1), ("Open as a map", 2)] {
        window.dialogs.answer(FileAnswer::Chosen(hills.clone()));
        window.press("Ctrl+I");
        assert!(window.sees("Colors: by height"));
        // One of another size is told, and the map is as it was asked for before.
        window.dialogs.answer(FileAnswer::Chosen(wrong.clone()));
        window.click("Picture of colors…");
        assert!(window.sees("Colors: by height") && window.app().editor.pending_import().unwrap().trouble.is_some());
        window.dialogs.answer(FileAnswer::Chosen(colors.clone()));
        window.click("Picture of colors…");
        assert!(window.sees("Colors: colors.png"));
        assert_eq!(window.dialogs.asked().last(), Some(&FileQuestion::ImportColors));
        window.click(choice);
        assert_eq!((top(&window), window.app().editor.documents().len()), (Some(Rgb::new(200, 10, 90)), documents), "{choice}");
    }
    // Without a dialog of the desktop it is asked in the window, and the import goes on after it.
    window.dialogs.answer(FileAnswer::Chosen(hills));
    window.press("Ctrl+I");
    window.click("Picture of colors…");
    assert!(window.sees("Colors of the heightmap"));
    window.press("Ctrl+A");
    window.type_text(colors.to_str().unwrap());
    window.click("Open");
    assert!(window.sees("Colors: colors.png"));
    window.click("By height");
    assert!(window.sees("Colors: by height"));
    window.click("Picture of colors…");
    window.press("Escape");
    assert!(window.sees("Colors: by height"));
    window.click("Cancel");
    assert!(window.app().shell.dialog.is_none() && window.app().editor.pending_import().is_none());
}

#[test]
fn a_picture_becomes_the_tip_of_the_brush_or_what_is_painted() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("leaf.png");
    image::RgbImage::from_fn(600, 300, |x, _| image::Rgb([(x / 3) as u8, 0, 0])).save(&path).unwrap();
    for (choice, tool) in [("Use as brush", "brush"), ("Use as decal", "paint")] {
        window.dialogs.answer(FileAnswer::Chosen(path.clone()));
        window.press("Ctrl+I");
        window.click(choice);
        assert_eq!(window.app().editor.tool.spec().id, tool, "{:?}", window.app().editor.messages());
    }
    let settings = &window.app().editor.tool.settings;
    assert_eq!(settings.brush.picture.as_ref().map(|picture| picture.size()), Some([200, 100]));
    assert_eq!(settings.paint.decal.as_ref().map(|picture| picture.size()), Some([200, 100]));
    assert_eq!(window.steps(), 0);
    // Another one is found by its name, too.
    image::RgbImage::new(30, 20).save(&path).unwrap();
    window.dialogs.answer(FileAnswer::Chosen(path));
    window.press("Ctrl+P");
    window.type_text("another picture");
    window.press("Enter");
    let asked = window.dialogs.asked();
    assert_eq!(asked.last(), Some(&FileQuestion::Picture(PictureUse::Decal)));
    window.settle();
    let settings = &window.app().editor.tool.settings;
    assert_eq!(settings.paint.decal.as_ref().map(|picture| picture.size()), Some([30, 20]));
}

#[test]
fn a_model_is_put_into_the_map_and_selected() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("hut.vox");
    let mut store = spadework::voxel::Store::new(Region::of_size(IVec3::new(5, 6, 7)));
    let mut edit = spadework::voxel::StoreEdit::new(&store);
    store.bounds().positions().for_each(|at| _ = edit.set(at, Some(spadework::voxel::Voxel::new(Rgb::new(200, 10, 10)))));
    let changes = edit.finish();
    store.apply(&changes);
    let hut = spadework::document::Document::new(store, &spadework::document::GameProfile::FREE);
    let mut bytes = vec![];
    let (progress, mut report) = (spadework::document::Progress::new(), spadework::format::Report::new());
    spadework::format::export("vox").unwrap().write(&hut, &mut bytes, &Default::default(), &progress, &mut report).unwrap();
    std::fs::write(&path, bytes).unwrap();
    window.dialogs.answer(FileAnswer::Chosen(path));
    window.press("Ctrl+I");
    window.click("Put it into the map");
    assert_eq!((window.steps(), window.app().editor.tool.spec().id), (0, "move"), "nothing before Enter");
    window.press("Right");
    window.press("Enter");
    assert_eq!(window.map().document().selection.as_ref().map(|selection| selection.bounds().size()), Some(IVec3::new(5, 6, 7)));
    assert_eq!((window.steps(), window.app().editor.tool.spec().id), (1, "move"));
}

#[test]
fn the_window_remembers_how_it_looked() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("Ctrl+Plus");
    window.choose("toggle-sectors");
    let settings = window.app().editor.settings.clone();
    assert_eq!(settings.ui_scale, Some(1.1));
    assert!(settings.layout.sectors);
    let Some(window) = Window::of_size([1100.0, 720.0], settings) else { return };
    assert!(window.app().shell.sectors);
    assert_eq!(window.zoom(), 1.1);
}

#[test]
fn ctrl_tab_goes_round_the_open_maps() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.act(Action::New(spadework_gui_tests::island()));
    window.act(Action::New(flat()));
    let mut titles = vec![];
    for key in ["Ctrl+Tab", "Ctrl+Tab", "Ctrl+Shift+Tab"] {
        window.press(key);
        titles.push(window.map().title());
    }
    assert_eq!(titles, ["flat", "island", "flat"]);
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

#[test]
fn a_problem_is_reported_with_what_was_chosen_after_a_look_inside() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("problem.tar");
    window.dialogs.answer(FileAnswer::Chosen(path.clone()));
    assert!(window.choose("report"));
    assert!(window.sees("Report a problem") && window.sees("log.txt"));
    assert!(!window.sees_part("version    Spadework"));
    window.click_role(Role::Link, "Look inside doctor.txt");
    assert!(window.sees_part("version    Spadework"), "the first part is shown");
    window.click_role(Role::CheckBox, "doctor.txt");
    window.click("Choose file…");
    let tar = std::fs::read(&path).unwrap();
    assert!(tar.starts_with(b"log.txt\0"), "what was left out is not there");
    assert!(window.app().shell.dialog.is_none());
    assert!(window.app().editor.messages().iter().any(|message| message.text == "Wrote problem.tar"));
}

#[test]
fn a_script_runs_where_its_dialog_says() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let path = window.file("steps.jsonl");
    std::fs::write(&path, "{\"set\":{\"at\":[2,3,20],\"color\":\"#ff8000\"}}\n").unwrap();
    window.dialogs.answer(FileAnswer::Chosen(path));
    assert!(window.choose("run-script"));
    assert!(window.sees("Run steps.jsonl"));
    // Through the menu, nothing is under the pointer, and nothing is selected.
    for name in ["At the selection", "At the pointer"] {
        assert!(window.get(Role::RadioButton, name).accesskit_node().is_disabled(), "{name}");
    }
    window.click("Run");
    let store = window.map().document().store().clone();
    assert!(store.is_solid(IVec3::new(2, 3, 20)));
    // Hovering the new voxel's place, the status bar says what is there.
    window.hover([0.5, 0.6]);
    assert!(window.sees("surface") || window.sees("water"), "the material is not told");
    // Ctrl+V over the map: what was copied stands under the pointer.
    let region = Some(Region::new(IVec3::new(2, 3, 20), IVec3::new(3, 4, 21)));
    window.act(Action::Edit(Command::Select(ops::Select { region, ..Default::default() })));
    window.act(Action::Copy);
    window.hover([0.5, 0.6]);
    window.press("Ctrl+V");
    let editor = &window.app().editor;
    assert!(editor.tool.has_clip());
    let shown = editor.tool.preview().outlines[0].region;
    assert!(shown.size() == IVec3::ONE && store.is_solid(shown.min() + IVec3::Z), "it stands on the surface: {shown:?}");
    window.hover([0.6, 0.6]);
    assert_ne!(window.app().editor.tool.preview().outlines[0].region, shown, "it follows the pointer");
}

#[test]
fn a_file_that_is_gone_is_asked_about_by_its_name() {
    let Some(mut window) = Window::empty() else { return };
    let path = window.file("harbor.vxl");
    let edit = |z: i32| {
        Action::Edit(Command::Fill(ops::Fill {
            region: Region::of_size(IVec3::ONE).shifted(IVec3::Z * z),
            color: Rgb::new(1, 2, 3),
            mode: Mode::Set,
        }))
    };
    write_vxl(&path);
    window.act(Action::Open(path.clone()));
    window.act(edit(3));
    std::fs::remove_file(&path).unwrap();
    window.press("Ctrl+S");
    assert!(window.sees("The file is gone") && !window.sees("The file is not as it was"));
    window.click("Do not save");
    assert!(!path.exists() && window.map().is_modified());
    window.press("Ctrl+S");
    window.click("Write it anew");
    assert!(path.exists() && !window.map().is_modified());
    // A file that somebody changed is another question.
    window.act(edit(5));
    std::fs::write(&path, b"theirs").unwrap();
    window.press("Ctrl+S");
    assert!(window.sees("The file is not as it was"));
    window.click("Replace it");
    assert!(!window.map().is_modified());
}
