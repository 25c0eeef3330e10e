//! The mouse on the map, and from widget to widget. Places of the map are shares of its picture, 0..1 from the upper left
//! corner.

use egui::accesskit::Role;
use egui::{Event, Modifiers, PointerButton, Pos2};

use crate::Window;
use crate::window::MAP;

impl Window {
    /// A place of the map in the window.
    #[track_caller]
    pub fn at(&self, place: [f32; 2]) -> Pos2 {
        let rect = self.get(Role::Image, MAP).rect();
        rect.min + egui::Vec2::from(place) * rect.size()
    }

    /// Moves the mouse there.
    #[track_caller]
    pub fn hover(&mut self, place: [f32; 2]) {
        self.harness.hover_at(self.at(place));
        self.settle();
    }

    /// Takes the mouse out of the window.
    pub fn leave(&mut self) {
        self.harness.remove_cursor();
        self.settle();
    }

    /// Presses the left button there and keeps it down.
    #[track_caller]
    pub fn press_at(&mut self, place: [f32; 2]) {
        self.hover(place);
        self.button(place, true);
    }

    /// Lets the left button go there.
    #[track_caller]
    pub fn release_at(&mut self, place: [f32; 2]) {
        self.hover(place);
        self.button(place, false);
    }

    /// Clicks there.
    #[track_caller]
    pub fn click_at(&mut self, place: [f32; 2]) {
        self.press_at(place);
        self.button(place, false);
    }

    /// Drags from the first place over the others to the last one.
    #[track_caller]
    pub fn drag(&mut self, places: &[[f32; 2]]) {
        let ([first, ..], [.., last]) = (places, places) else { panic!("nowhere to drag") };
        self.press_at(*first);
        for place in places {
            self.hover(*place);
        }
        self.button(*last, false);
    }

    /// Drags over the places between two frames, as on a machine that is too busy to draw.
    #[track_caller]
    pub fn drag_in_one_frame(&mut self, places: &[[f32; 2]]) {
        self.drags_in_one_frame(&[places]);
    }

    /// Drags one after the other between two frames; of a single place, a click.
    #[track_caller]
    pub fn drags_in_one_frame(&mut self, drags: &[&[[f32; 2]]]) {
        let button = |pos: Pos2, pressed| Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
        let mut all = vec![];
        for places in drags {
            let places: Vec<Pos2> = places.iter().map(|place| self.at(*place)).collect();
            let ([first, ..], [.., last]) = (places.as_slice(), places.as_slice()) else { panic!("nowhere to drag") };
            all.extend([Event::PointerMoved(*first), button(*first, true)]);
            all.extend(places.iter().map(|pos| Event::PointerMoved(*pos)));
            all.push(button(*last, false));
        }
        if let Some(first) = all.first().cloned() {
            self.harness.event(first);
        }
        self.settle();
        // Events that are handed over one by one get a frame each.
        self.harness.input_mut().events.extend(all);
        self.settle();
    }

    /// Clicks some points to the right of a widget.
    #[track_caller]
    pub fn click_beside(&mut self, role: Role, name: &str, points: f32) {
        let at = self.get(role, name).rect().right_center() + egui::vec2(points, 0.0);
        self.harness.hover_at(at);
        self.settle();
        self.button_at(at, true);
        self.button_at(at, false);
    }

    /// Drags one widget onto another.
    #[track_caller]
    pub fn drag_widget(&mut self, from: (Role, &str), onto: (Role, &str)) {
        let [from, onto] = [from, onto].map(|(role, name)| self.get(role, name).rect().center());
        self.harness.hover_at(from);
        self.settle();
        self.button_at(from, true);
        self.harness.hover_at(from.lerp(onto, 0.5));
        self.settle();
        self.harness.hover_at(onto);
        self.settle();
        self.button_at(onto, false);
    }

    /// Drags a widget by so many points.
    #[track_caller]
    pub fn drag_by(&mut self, (role, name): (Role, &str), by: [f32; 2]) {
        let from = self.get(role, name).rect().center();
        self.harness.hover_at(from);
        self.settle();
        self.button_at(from, true);
        for share in [0.3, 0.7, 1.0] {
            self.harness.hover_at(from + egui::Vec2::from(by) * share);
            self.settle();
        }
        self.button_at(from + egui::Vec2::from(by), false);
    }

    /// Presses the left button at the first of some points of the window, moves over the others, and keeps it down.
    pub fn pull(&mut self, points: &[Pos2]) {
        for (number, point) in points.iter().enumerate() {
            self.harness.hover_at(*point);
            self.settle();
            if number == 0 {
                self.button_at(*point, true);
            }
        }
    }

    /// Lets the left button go at a point of the window.
    pub fn let_go(&mut self, point: Pos2) {
        self.button_at(point, false);
    }

    /// Clicks a point of the window with the right button.
    pub fn click_secondary_at(&mut self, pos: Pos2) {
        for pressed in [true, false] {
            self.harness.event(Event::PointerButton { pos, button: PointerButton::Secondary, pressed, modifiers: Modifiers::NONE });
            self.settle();
        }
    }

    /// Clicks a button while Ctrl is held down.
    #[track_caller]
    pub fn ctrl_click(&mut self, name: &str) {
        self.get(Role::Button, name).click_modifiers(Modifiers::CTRL | Modifiers::COMMAND);
        self.settle();
    }

    /// Opens the menu of a button: clicks it with the right button of the mouse.
    #[track_caller]
    pub fn click_secondary(&mut self, name: &str) {
        self.get(Role::Button, name).click_secondary();
        self.settle();
    }

    /// Turns the wheel at a point of the window, by that many points.
    pub fn wheel_at(&mut self, at: Pos2, by: f32) {
        self.harness.hover_at(at);
        self.settle();
        let (unit, phase, source) = (egui::MouseWheelUnit::Point, egui::TouchPhase::Move, egui::MouseWheelSource::Unknown);
        self.harness.event(Event::MouseWheel { unit, phase, source, delta: egui::Vec2::new(0.0, by), modifiers: Modifiers::NONE });
        self.settle();
    }

    fn button(&mut self, place: [f32; 2], pressed: bool) {
        self.button_at(self.at(place), pressed);
    }

    fn button_at(&mut self, pos: Pos2, pressed: bool) {
        self.harness.event(Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE });
        self.settle();
    }
}
