//! Spawn regions: dragged on the map, set by number, saved beside the map, and there again when it is opened.

use egui::accesskit::Role;
use spadework::document::{Anchor, Object, Property, Team};
use spadework::edit::{Command, ops};
use spadework::editor::{Action, NewMap};
use spadework::geom::ColumnRect;
use spadework::terrain::Params;
use spadework::ui::FileAnswer;
use spadework_gui_tests::{Window, flat};

fn regions(window: &Window) -> Vec<(Team, ColumnRect)> {
    let objects = window.map().document().objects.iter();
    let regions = objects.filter_map(|(_, object)| match object {
        Object::SpawnRegion { team, area, .. } => Some((*team, *area)),
        _ => None,
    });
    regions.collect()
}

/// A window with a map from above and the objects tool in the hand.
fn from_above(map: NewMap) -> Option<Window> {
    let mut window = Window::with_new(map)?;
    window.press("7");
    window.press("Home");
    window.press("O");
    Some(window)
}

#[test]
fn a_dragged_rectangle_is_a_spawn_region_in_the_panel() {
    let Some(mut window) = from_above(flat()) else { return };
    window.drag(&[[0.4, 0.4], [0.5, 0.5], [0.6, 0.6]]);
    let [(Team::Blue, area)] = regions(&window)[..] else { panic!("{:?}", regions(&window)) };
    assert!(area.size()[0] > 3 && area.size()[1] > 3, "{area:?}");
    assert!(window.sees("Spawn region") && window.sees_part("Remove Blue spawn"));
    // A click beside the name is one on the row.
    for selects in [false, true] {
        window.click_beside(Role::Button, "Spawn region", 12.0);
        assert_eq!(window.app().editor.tool.preview().selected.is_some(), selects);
    }
    assert_eq!(window.steps(), 1);
    window.press("Delete");
    assert_eq!(regions(&window), []);
}

#[test]
fn rows_of_objects_lie_close_together() {
    let Some(mut window) = from_above(flat()) else { return };
    window.drag(&[[0.42, 0.42], [0.47, 0.47]]);
    window.drag(&[[0.53, 0.53], [0.58, 0.58]]);
    let places = window.places(Role::Button, "Spawn region");
    let [first, second] = places[..] else { panic!("{places:?}") };
    assert!((18.0..32.0).contains(&(second.min.y - first.min.y)), "{places:?}");
}

#[test]
fn the_button_of_a_team_adds_a_region_for_it() {
    let Some(mut window) = Window::with_new(NewMap { generator: "flat".into(), params: Params::game(7) }) else { return };
    window.click("Add green spawn region");
    let [(Team::Green, area)] = regions(&window)[..] else { panic!("{:?}", regions(&window)) };
    assert_eq!((area.min(), area.max()), ([384, 128], [512, 384]));
}

#[test]
fn arrows_move_the_selected_object_and_not_the_selected_voxels() {
    let Some(mut window) = from_above(flat()) else { return };
    let base = |x| Object::Base { team: Team::Blue, at: Anchor { x, y: 30, z: None } };
    window.act(Action::Edit(Command::AddObject(ops::AddObject(base(30)))));
    window.press("Ctrl+A");
    let id = window.map().document().objects.iter().map(|(id, _)| id).last();
    window.app_mut().editor.select_object(id);
    window.settle();
    let (steps, solid) = (window.steps(), window.map().document().store().solid_count());
    for (key, x) in [("ArrowRight", 31), ("Shift+ArrowRight", 39), ("ArrowLeft", 38)] {
        window.press(key);
        assert_eq!(window.map().document().objects.iter().last().map(|(_, object)| object.clone()), Some(base(x)), "{key}");
    }
    assert_eq!((window.steps(), window.map().document().store().solid_count()), (steps + 3, solid));
    (0..8).for_each(|_| window.press("Shift+ArrowLeft"));
    assert_eq!(window.map().document().objects.iter().last().map(|(_, object)| object.clone()), Some(base(0)), "the map ends there");
    // One outside comes nearer, and goes no farther.
    window.act(Action::Edit(Command::AddObject(ops::AddObject(base(600)))));
    let id = window.map().document().objects.iter().map(|(id, _)| id).last();
    window.app_mut().editor.select_object(id);
    window.settle();
    assert_eq!(window.map().document().objects.iter().last().map(|(_, object)| object.clone()), Some(base(600)));
    let steps = window.steps();
    window.app_mut().editor.select_object(None);
    window.settle();
    window.act(Action::Edit(Command::SetProperty(ops::SetProperty(Property::TimeLimit(Some(20_000))))));
    window.click_role(Role::Tab, "Map");
    window.settle();
    assert_eq!(window.steps(), steps + 1, "what is shown is not changed by that");
    window.click_role(Role::Tab, "Teams and objects");
    window.app_mut().editor.select_object(id);
    window.settle();
    for (key, x) in [("ArrowRight", 600), ("ArrowUp", 600), ("ArrowLeft", 599)] {
        let y = |object: &Object| object.area().min()[1];
        window.press(key);
        let object = window.map().document().objects.iter().last().map(|(_, object)| object.clone()).unwrap();
        assert_eq!((object.area().min()[0], y(&object)), (x, if key == "ArrowRight" { 30 } else { 29 }), "{key}");
    }
    // A look into its field is no edit; a number that is typed goes no farther out.
    let steps = window.steps();
    for (typed, x, more) in [(None, 599, 0), (Some("900"), 599, 0), (Some("511"), 511, 1), (Some("7"), 7, 2)] {
        window.click_role(Role::SpinButton, "x");
        if let Some(typed) = typed {
            window.press("Ctrl+A");
            window.type_text(typed);
        }
        window.press("Tab");
        let object = window.map().document().objects.iter().last().map(|(_, object)| object.clone()).unwrap();
        assert_eq!((object.area().min()[0], window.steps()), (x, steps + more), "{typed:?}");
    }
}

#[test]
fn regions_set_by_number_are_saved_beside_the_map_and_come_back() {
    let Some(mut window) = from_above(NewMap { generator: "flat".into(), params: Params::game(7) }) else { return };
    window.drag(&[[0.4, 0.4], [0.5, 0.5]]);
    for (side, value) in [("West", "10"), ("North", "20"), ("East", "90"), ("South", "120")] {
        window.fill_in(Role::SpinButton, side, value);
    }
    window.click_last(Role::RadioButton, "Green");
    let expected = vec![(Team::Green, ColumnRect::new([10, 20], [90, 120]))];
    assert_eq!(regions(&window), expected);

    let path = window.file("arena.vxl");
    window.dialogs.answer(FileAnswer::Chosen(path.clone()));
    window.press("Ctrl+S");
    let sidecar = std::fs::read_to_string(window.file("arena.txt")).unwrap();
    assert!(path.exists() && sidecar.contains("spawn"), "{sidecar}");
    assert!(!window.map().is_modified());
    let told = window.app().editor.messages().last().unwrap().text.clone();
    assert!(told.starts_with("Saved") && told.contains("arena.vxl") && told.contains("arena.txt"), "{told}");
    assert!(window.sees(&told));

    window.press("Ctrl+W");
    assert!(window.app().editor.active().is_none());
    window.act(Action::Open(path));
    assert_eq!(regions(&window), expected);
    assert!(window.sees("Spawn region") && !window.map().is_modified());
}
