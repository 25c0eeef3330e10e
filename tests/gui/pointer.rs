//! The mouse on the map: places are shares of the map's picture, 0..1 from the upper left corner.

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

    fn button(&mut self, place: [f32; 2], pressed: bool) {
        let pos = self.at(place);
        self.harness.event(Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE });
        self.settle();
    }
}
