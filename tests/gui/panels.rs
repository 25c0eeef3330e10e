//! Panels: folded, closed, put elsewhere with keys, menus and pointer, and found again in the next session.

use egui::accesskit::Role;
use egui::{Pos2, Rect, Vec2};
use spadework::document::{Object, Team};
use spadework::edit::{Command, ops};
use spadework::editor::Action;
use spadework::editor::dock::{Dock, Order, Panel, Side, Spot, Target};
use spadework::editor::settings::Settings;
use spadework::editor::storage::RealStorage;
use spadework::geom::ColumnRect;
use spadework_gui_tests::{Window, flat};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The panels that are open at first.
const OPEN: [Panel; 4] = [Panel::Color, Panel::Objects, Panel::Map, Panel::History];
const HEX: (Role, &str) = (Role::TextInput, "Color as #rrggbb");

fn title(window: &Window, panel: Panel) -> Rect {
    window.get(Role::Tab, panel.label()).rect()
}

fn map(window: &Window) -> Rect {
    window.get(Role::Image, "Map viewport").rect()
}

fn dock(window: &Window) -> &Dock {
    &window.app().shell.dock
}

fn sees(window: &Window, (role, name): (Role, &str)) -> bool {
    window.rect_of(role, name).is_some()
}

/// Chooses an entry of a panel's menu with keys alone.
#[track_caller]
fn place(window: &mut Window, panel: Panel, entries: &[&str]) {
    window.focus(Role::Button, &format!("Place of panel {panel}"));
    window.press("Enter");
    for entry in entries {
        window.focus(Role::Button, entry);
        window.press("Enter");
    }
}

/// Does something to panels without the way there.
fn arrange(window: &mut Window, orders: &[Order]) {
    orders.iter().for_each(|order| window.app_mut().shell.arrange(order));
    window.settle();
}

#[test]
fn a_panel_folds_by_click_enter_and_space() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let history = title(&window, Panel::History);
    assert!(sees(&window, HEX));
    window.click_role(Role::Tab, "Color");
    assert!(!sees(&window, HEX), "a click does not fold");
    assert!(title(&window, Panel::History) != history, "the others do not take the space");
    for key in ["Enter", "Space"] {
        window.focus(Role::Tab, "Color");
        window.press(key);
        assert!(sees(&window, HEX), "{key} does not unfold");
        window.press(key);
        assert!(!sees(&window, HEX), "{key} does not fold");
    }
    window.press("Enter");
    assert_eq!(title(&window, Panel::History), history);
    assert_eq!(window.steps(), 0);
}

#[test]
fn a_check_shows_the_problems_where_there_are_some() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for is_found in [false, true] {
        // One team with two places and the other without is a problem.
        for x in [2, 12].into_iter().filter(|_| is_found) {
            let object = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([x, 2], [x + 4, 6]), z: 0 };
            window.act(Action::Edit(Command::AddObject(ops::AddObject(object))));
        }
        arrange(&mut window, &[Order::Fold(Panel::Objects)]);
        assert_eq!(window.map().problems().is_empty(), !is_found, "{:?}", window.map().problems());
        window.press("F6");
        assert_eq!(dock(&window).is_shown(Panel::Objects), is_found);
    }
}

#[test]
fn folded_panels_are_as_high_as_their_titles() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let top = title(&window, Panel::Color).min.y;
    for panel in [Panel::Color, Panel::Objects, Panel::History] {
        window.click_role(Role::Tab, panel.label());
    }
    let tops = [Panel::Color, Panel::Objects, Panel::History].map(|panel| title(&window, panel).min.y - top);
    assert_eq!(tops, [0.0, 29.0, 58.0]);
}

#[test]
fn a_tab_comes_to_the_front_by_click_and_by_key() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let facts = (Role::TextInput, "Author");
    assert!(!sees(&window, facts));
    window.click_role(Role::Tab, "Map");
    assert!(sees(&window, facts) && !window.sees("Add blue spawn region"));
    window.focus(Role::Tab, "Teams and objects");
    window.press("Space");
    assert!(!sees(&window, facts) && window.sees("Add blue spawn region"));
}

#[test]
fn every_title_is_reached_by_tab() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let mut left: Vec<String> = OPEN.iter().map(|panel| panel.label().to_owned()).collect();
    let mut buttons: Vec<String> =
        dock(&window).groups(Side::Right).iter().map(|group| format!("Place of panel {}", group.front())).collect();
    for _ in 0..300 {
        window.press("Tab");
        left.retain(|name| !window.has_focus(Role::Tab, name));
        buttons.retain(|name| !window.has_focus(Role::Button, name));
        if left.is_empty() && buttons.is_empty() {
            return;
        }
    }
    panic!("not reached by Tab: {left:?} {buttons:?}");
}

#[test]
fn dialogs_have_names() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    for (key, name) in [("Ctrl+N", "New map"), ("F1", "Keys")] {
        window.press(key);
        // Which fails where there is none.
        window.get(Role::Dialog, name);
        window.press("Esc");
    }
}

#[test]
fn a_panel_is_closed_and_brought_back_by_the_menu() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    arrange(&mut window, &[Order::Put(Panel::Color, Target::Side(Side::Left))]);
    for panel in OPEN {
        let before = (title(&window, panel).min.y, dock(&window).clone());
        assert!(window.choose(panel.action()));
        assert!(!sees(&window, (Role::Tab, panel.label())) && !dock(&window).is_open(panel));
        assert!(window.choose(panel.action()));
        assert!(dock(&window).is_shown(panel), "{panel} is not shown");
        assert_eq!(title(&window, panel).min.y, before.0, "{panel} is elsewhere");
        arrange(&mut window, &[Order::Show(Panel::Objects)]);
        assert_eq!(*dock(&window), before.1);
    }
    place(&mut window, Panel::History, &["Close"]);
    assert!(!dock(&window).is_open(Panel::History));
}

#[test]
fn a_panel_goes_to_every_side_and_beside_every_other_with_keys_alone() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let before = map(&window);
    place(&mut window, Panel::History, &["Dock left"]);
    assert_eq!(title(&window, Panel::History).left_top(), before.left_top());
    assert_eq!(map(&window).min.x, before.min.x + 301.0);
    place(&mut window, Panel::History, &["Dock below"]);
    assert_eq!(map(&window).max.y, before.max.y - 201.0);
    assert_eq!(title(&window, Panel::History).min.x, before.min.x);
    place(&mut window, Panel::History, &["Dock right"]);
    assert_eq!(map(&window), before);
    place(&mut window, Panel::History, &["At Color", "In its tabs"]);
    assert_eq!(title(&window, Panel::History).min.y, title(&window, Panel::Color).min.y);
    assert!(!sees(&window, HEX) && dock(&window).is_shown(Panel::History));
    place(&mut window, Panel::History, &["At Teams and objects", "Left of it"]);
    assert_eq!(title(&window, Panel::History).min.y, title(&window, Panel::Objects).min.y);
    assert!(sees(&window, HEX));
    place(&mut window, Panel::Color, &["Move down"]);
    assert!(title(&window, Panel::Color).min.y > title(&window, Panel::History).min.y);
    let top = title(&window, Panel::Color).min.y;
    place(&mut window, Panel::Color, &["Larger"]);
    assert!(title(&window, Panel::Color).min.y < top);
    assert_eq!(window.steps(), 0);
}

#[test]
fn the_menu_of_a_title_opens_with_the_right_button_too() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.get(Role::Tab, "Map").click_secondary();
    window.settle();
    window.click("Dock below");
    assert_eq!(dock(&window).find(Panel::Map).map(|(side, _)| side), Some(Side::Below));
}

#[test]
fn a_panel_is_dragged_to_an_edge_of_the_map_and_into_tabs() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let drag = |window: &mut Window, panel: Panel, to: Pos2| {
        let from = title(window, panel).left_center() + Vec2::new(30.0, 0.0);
        window.pull(&[from, from.lerp(to, 0.5), to]);
        window.let_go(to);
        window.leave();
    };
    let at = map(&window);
    drag(&mut window, Panel::History, Pos2::new(at.min.x + 20.0, at.center().y));
    assert_eq!(dock(&window).find(Panel::History).map(|(side, _)| side), Some(Side::Left));
    let before = dock(&window).clone();
    let middle = map(&window).center();
    drag(&mut window, Panel::History, middle);
    assert_eq!(*dock(&window), before, "the middle of the map takes a panel");
    let onto = title(&window, Panel::Color).center();
    drag(&mut window, Panel::History, onto);
    assert_eq!(dock(&window).find(Panel::History).map(|(_, group)| group.panels().to_vec()), Some(vec![Panel::Color, Panel::History]));
    let at = map(&window);
    drag(&mut window, Panel::Map, Pos2::new(at.center().x, at.max.y - 10.0));
    assert_eq!(dock(&window).find(Panel::Map).map(|(side, _)| side), Some(Side::Below));
    assert_eq!(window.steps(), 0, "a drag of a panel drew on the map");
}

#[test]
fn esc_lets_go_of_a_dragged_panel_and_does_nothing_else() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.press("Ctrl+A");
    let to = map(&window).left_center() + Vec2::new(20.0, 0.0);
    window.pull(&[title(&window, Panel::History).center(), map(&window).center(), to]);
    window.press("Escape");
    window.let_go(to);
    assert_eq!(*dock(&window), Dock::default());
    assert!(window.map().document().selection.is_some(), "Esc dropped the selection, too");
}

#[test]
fn edges_are_dragged_and_stay_within_bounds() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let pull = |window: &mut Window, from: Pos2, to: Pos2| {
        window.pull(&[from, from.lerp(to, 0.5), to]);
        window.let_go(to);
        window.leave();
    };
    let edge = map(&window).right_center();
    pull(&mut window, edge, edge - Vec2::new(60.0, 0.0));
    // The line is a point wide, and taken at its left edge.
    assert!(dock(&window).area(Side::Right).size.abs_diff(360) <= 1);
    assert!((map(&window).max.x - (edge.x - 60.0)).abs() <= 1.0);
    pull(&mut window, edge - Vec2::new(60.0, 0.0), edge - Vec2::new(600.0, 0.0));
    assert_eq!(dock(&window).area(Side::Right).size, 520);
    let top = title(&window, Panel::History).min.y;
    let line = Pos2::new(title(&window, Panel::History).center().x, top);
    pull(&mut window, line, line - Vec2::new(0.0, 40.0));
    assert!((title(&window, Panel::History).min.y - (top - 40.0)).abs() <= 1.0, "{} and {top}", title(&window, Panel::History).min.y);
    // Where the pointer is let go counts, although it went on there within the same frame.
    let edge = map(&window).right_center();
    window.pull(&[edge, edge + Vec2::new(20.0, 0.0)]);
    window.let_go(edge + Vec2::new(70.0, 0.0));
    assert!((map(&window).max.x - (edge.x + 70.0)).abs() <= 1.0, "{} and {edge}", map(&window).max.x);
    // The map does not get what is done to its edge.
    for beside in [-3.0, -1.0, 0.0, 1.0] {
        let edge = map(&window).right_center() + Vec2::new(beside, 0.0);
        pull(&mut window, edge, edge - Vec2::new(40.0, 0.0));
        pull(&mut window, edge - Vec2::new(40.0, 0.0), edge);
        assert_eq!(window.steps(), 0, "{beside}");
    }
}

#[test]
fn f11_brings_the_panels_back_as_they_were() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    arrange(&mut window, &[Order::Put(Panel::History, Target::Side(Side::Below)), Order::Fold(Panel::Color), Order::Close(Panel::Map)]);
    let places = |window: &Window| ([Panel::Color, Panel::Objects, Panel::History].map(|panel| title(window, panel)), map(window));
    let before = (places(&window), dock(&window).clone());
    window.press("F11");
    assert!(Panel::ALL.iter().all(|panel| !sees(&window, (Role::Tab, panel.label()))));
    assert_eq!(map(&window).width(), 1100.0);
    window.press("F11");
    assert_eq!((places(&window), dock(&window).clone()), before);
}

#[test]
fn reset_layout_puts_everything_where_it_was_at_first() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let places = |window: &Window| (OPEN.map(|panel| title(window, panel)), map(window));
    let before = places(&window);
    let far = Target::Group(Panel::Color, Spot::Left);
    arrange(&mut window, &[Order::Put(Panel::History, far), Order::Put(Panel::Color, Target::Side(Side::Left)), Order::Close(Panel::Map)]);
    assert!(map(&window) != before.1);
    assert!(window.choose("reset-layout"));
    assert_eq!(places(&window), before);
}

#[test]
fn panels_lie_in_the_next_session_where_they_lay() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    place(&mut window, Panel::History, &["Dock left"]);
    place(&mut window, Panel::Color, &["At History", "Below it"]);
    window.click_role(Role::Tab, "Map");
    window.click_role(Role::Tab, "Map");
    let places = |window: &Window| (OPEN.map(|panel| title(window, panel)), map(window));
    let before = (places(&window), dock(&window).clone());
    let file = window.file("settings.yaml");
    window.app().editor.settings.save_changes(&Settings::default(), &RealStorage, &file).unwrap();
    let (settings, problem) = Settings::load(&RealStorage, &file);
    assert!(problem.is_none(), "{problem:?}");
    let Some(mut next) = Window::of_size([1100.0, 720.0], settings) else { return };
    next.act(spadework::editor::Action::New(flat()));
    assert_eq!((places(&next), dock(&next).clone()), before);
}

#[test]
fn a_layout_that_cannot_be_read_is_told_once() {
    let Some(window) = Window::empty() else { return };
    let file = window.file("settings.yaml");
    std::fs::write(&file, "theme: light\nlayout: {sectors: true, panels: {right: 5, left: {tabs: [map]}}}\n").unwrap();
    let told = |window: &Window| window.app().editor.messages().iter().filter(|message| message.text.contains("layout of panels")).count();
    let (settings, problem) = Settings::load(&RealStorage, &file);
    assert!(problem.is_none(), "{problem:?}");
    let Some(mut first) = Window::of_size([1100.0, 720.0], settings.clone()) else { return };
    assert_eq!(told(&first), 1);
    assert_eq!(dock(&first).find(Panel::Map).map(|(side, _)| side), Some(Side::Left));
    assert!(dock(&first).is_shown(Panel::Color) && first.app().shell.sectors);
    first.settle();
    first.app().editor.settings.save_changes(&settings, &RealStorage, &file).unwrap();
    let Some(second) = Window::of_size([1100.0, 720.0], Settings::load(&RealStorage, &file).0) else { return };
    assert_eq!(told(&second), 0);
    assert_eq!(dock(&second), dock(&first));
}

#[test]
fn what_is_typed_in_a_panel_stays_while_another_one_is_put_elsewhere() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    window.click_role(HEX.0, HEX.1);
    window.press("Ctrl+A");
    window.type_text("#1020");
    arrange(&mut window, &[Order::Put(Panel::History, Target::Side(Side::Left)), Order::Put(Panel::Map, Target::Side(Side::Below))]);
    assert!(window.has_focus(HEX.0, HEX.1), "the field lost the keys");
}

#[test]
fn the_log_is_a_panel_below_the_map_and_says_what_happened() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    let (before, at) = (dock(&window).clone(), map(&window));
    window.act(spadework::editor::Action::Open(window.file("nowhere.vxl")));
    assert!(window.choose("log"));
    assert_eq!(dock(&window).find(Panel::Log).map(|(side, _)| side), Some(Side::Below));
    assert!(title(&window, Panel::Log).min.y > map(&window).max.y && map(&window).max.y < at.max.y);
    let text = &window.app().editor.messages().last().unwrap().text;
    assert!(window.rect_of(Role::Label, text).is_some_and(|rect| rect.min.y > map(&window).max.y), "{text}");
    place(&mut window, Panel::Log, &["Dock left"]);
    let file = window.file("settings.yaml");
    window.app().editor.settings.save_changes(&Settings::default(), &RealStorage, &file).unwrap();
    let Some(next) = Window::of_size([1100.0, 720.0], Settings::load(&RealStorage, &file).0) else { return };
    assert_eq!(dock(&next).find(Panel::Log).map(|(side, _)| side), Some(Side::Left), "the next session has forgotten it");
    assert!(window.choose("panel-log"));
    assert_eq!(*dock(&window), before);
}

#[test]
fn the_level_of_the_log_chooses_what_is_kept_and_shown() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    // A log of this thread: what other tests tell would push the lines out of sight.
    let (layer, log) = spadework::editor::log::layer(LevelFilter::INFO);
    let _log = tracing_subscriber::registry().with(layer).set_default();
    window.app_mut().shell.log = Some(log);
    arrange(&mut window, &[Order::Show(Panel::Log)]);
    let tell = |window: &mut Window, name: &str| {
        tracing::error!("{name} of a fault");
        tracing::info!("{name} of the usual");
        tracing::debug!("{name} of a detail");
        window.settle();
        ["of a fault", "of the usual", "of a detail"].map(|what| window.sees_part(&format!("{name} {what}")))
    };
    assert_eq!(tell(&mut window, "first"), [true, true, false]);
    window.click_role(Role::Button, "error");
    assert_eq!(tell(&mut window, "second"), [true, false, false]);
    assert!(!window.sees_part("first of the usual"), "lines that were kept are hidden");
    window.click_role(Role::Button, "info");
    assert!(window.sees_part("first of the usual") && !window.sees_part("second of the usual"), "what was not kept does not come back");
    window.click_role(Role::Button, "debug");
    let seen = tell(&mut window, "third");
    assert!(seen[2], "{seen:?}");
}

#[test]
fn no_stop_of_tab_is_without_a_name() {
    let Some(mut window) = Window::with_new(flat()) else { return };
    arrange(&mut window, &[Order::Put(Panel::History, Target::Side(Side::Below)), Order::Put(Panel::Map, Target::Side(Side::Left))]);
    for key in ["Tab", "Shift+Tab"] {
        let mut names = std::collections::HashSet::new();
        for _ in 0..160 {
            window.press(key);
            let name = window.focused_name();
            assert!(name.as_ref().is_some_and(|name| !name.trim().is_empty()), "{key} after {names:?}: {name:?}");
            names.extend(name);
        }
        assert!(names.len() > 40, "{names:?}");
    }
}
