//! Events by frames: what was pressed within one slow frame means what it would have meant in a quick one.
//!
//! The window's library answers once a frame what was clicked and what has the keys. Two presses of the button would be
//! one click, and letters after the keys of a dialog would be tools: so the rest waits for the next frame. Where nobody types a
//! text, another key waits, too: a tool's key and the key that presses with it.

use std::collections::VecDeque;

use egui::{Event, Key, Modifiers, RawInput};

/// As most desktops have it.
const DOUBLE_CLICK: f64 = 0.5;
/// Of two clicks that came within one frame, however long that took.
const LATE_DOUBLE_CLICK: f64 = 30.0;

/// Events that wait for a later frame.
#[derive(Debug, Default)]
pub struct Pacing {
    later: VecDeque<Event>,
    /// Whether the last frame had a shortcut: what it opened has the keys one frame later only.
    holds_keys: bool,
    /// Whether a press of the last frame came together with the one before it.
    is_late: bool,
    /// The last shortcut. A key that is held down comes again and again, faster than slow frames: they are one.
    last: Option<(Key, Modifiers)>,
}

impl Pacing {
    /// Leaves in the input what belongs to one frame; answers whether there is more. `types` says whether a text has the keys, `awaits`
    /// whether one will have them that is not shown yet.
    pub fn pace(&mut self, input: &mut RawInput, types: bool, awaits: bool) -> bool {
        self.is_late = self.later.iter().any(is_press);
        self.later.extend(input.events.drain(..));
        let (mut pressed, mut released, mut struck) = (false, false, false);
        let mut shortcut = std::mem::take(&mut self.holds_keys);
        let held = shortcut;
        let mut first_key = None;
        while let Some(event) = self.later.front() {
            let (is_press, is_key) = (is_press(event), is_key(event));
            let this = shortcut_of(event);
            let is_again = this.is_some() && this == self.last;
            // A press is made with the keys that were held then, and a press and a release where the pointer was then.
            let is_moved = matches!(event, Event::PointerMoved(_));
            let lets_go = (pressed && (is_moved || matches!(event, Event::ModifiersChanged(_)))) || (released && is_moved);
            let key = if let Event::Key { key, pressed: true, .. } = event { Some(*key) } else { None };
            let is_other = !types && key.is_some_and(|key| first_key.is_some_and(|first| first != key));
            // Tab takes the keys away from a field before that hears what else comes with it.
            let leaves = key == Some(Key::Tab) && struck;
            // A key after a press or a release, a press after a key, a release or another press; and whatever comes after a shortcut.
            if lets_go
                || leaves
                || (awaits && is_key)
                || is_other
                || (is_press && (pressed || released || struck))
                || (is_key && (pressed || released))
                || (shortcut && !is_again && (is_key || is_press))
            {
                break;
            }
            (pressed, struck, first_key) = (pressed || is_press, struck || is_key, first_key.or(key));
            released |= matches!(event, Event::PointerButton { pressed: false, .. });
            if this.is_some() {
                (shortcut, self.last) = (true, this);
            }
            input.events.extend(self.later.pop_front());
        }
        self.holds_keys = shortcut && !held;
        !self.later.is_empty()
    }

    /// Seconds within which two clicks are a double click, counted from frame to frame.
    pub fn double_click_secs(&self) -> f64 {
        if self.is_late { LATE_DOUBLE_CLICK } else { DOUBLE_CLICK }
    }
}

fn is_press(event: &Event) -> bool {
    matches!(event, Event::PointerButton { pressed: true, .. })
}

fn is_key(event: &Event) -> bool {
    matches!(event, Event::Key { pressed: true, .. } | Event::Text(_) | Event::Copy | Event::Cut | Event::Paste(_))
}

/// What is pressed, where it may open what then has the keys.
fn shortcut_of(event: &Event) -> Option<(Key, Modifiers)> {
    let Event::Key { key, pressed: true, modifiers, .. } = event else { return None };
    let functions = [Key::F1, Key::F2, Key::F3, Key::F4, Key::F5, Key::F6, Key::F7, Key::F8, Key::F9, Key::F10];
    let is_shortcut = modifiers.command || modifiers.alt || functions.contains(key) || matches!(key, Key::Escape | Key::Enter | Key::Tab);
    is_shortcut.then_some((*key, *modifiers))
}

#[cfg(test)]
mod tests {
    use egui::{PointerButton, Pos2};

    use super::*;

    fn key(key: Key, modifiers: Modifiers) -> Event {
        Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }
    }

    fn button(x: f32, pressed: bool) -> Event {
        Event::PointerButton { pos: Pos2::new(x, 0.0), button: PointerButton::Primary, pressed, modifiers: Modifiers::SHIFT }
    }

    /// The frames that events of one slow frame become.
    fn frames(events: Vec<Event>) -> Vec<Vec<Event>> {
        frames_of(events, false)
    }

    fn frames_of(events: Vec<Event>, types: bool) -> Vec<Vec<Event>> {
        let (mut pacing, mut events, mut frames) = (Pacing::default(), Some(events), vec![]);
        loop {
            let mut input = RawInput { events: events.take().unwrap_or_default(), ..RawInput::default() };
            let more = pacing.pace(&mut input, types, false);
            frames.push(input.events);
            if !more {
                return frames;
            }
        }
    }

    #[test]
    fn each_click_has_a_frame() {
        let moved = |x| Event::PointerMoved(Pos2::new(x, 0.0));
        let clicks = vec![moved(1.0), button(1.0, true), button(1.0, false), moved(2.0), button(2.0, true), button(2.0, false)];
        assert_eq!(frames(clicks.clone()), [clicks[..3].to_vec(), clicks[3..].to_vec()]);
        // They are a double click however long the frame was.
        let mut pacing = Pacing::default();
        let mut input = RawInput { events: clicks.clone(), ..RawInput::default() };
        assert!(pacing.pace(&mut input, false, false) && pacing.double_click_secs() < 1.0);
        assert!(!pacing.pace(&mut RawInput::default(), false, false) && pacing.double_click_secs() > 10.0);
        assert!(!pacing.pace(&mut RawInput::default(), false, false) && pacing.double_click_secs() < 1.0);
        // Of a click that began in the frame before only the end.
        assert_eq!(frames(clicks[2..].to_vec()), [clicks[2..3].to_vec(), clicks[3..].to_vec()]);
        // What is typed after it is meant for what the click takes up.
        let typed = vec![button(1.0, false), Event::Text("7".into())];
        assert_eq!(frames_of(typed.clone(), true), [typed[..1].to_vec(), typed[1..].to_vec()]);
        let again = vec![button(1.0, false), button(1.0, true)];
        assert_eq!(frames(again.clone()), [again[..1].to_vec(), again[1..].to_vec()]);
    }

    #[test]
    fn a_press_is_where_the_pointer_was_then() {
        let moved = |x| Event::PointerMoved(Pos2::new(x, 0.0));
        let drag = vec![moved(1.0), button(1.0, true), moved(2.0), moved(900.0), button(900.0, false)];
        assert_eq!(frames(drag.clone()), [drag[..2].to_vec(), drag[2..].to_vec()]);
    }

    #[test]
    fn letters_after_a_shortcut_wait_for_what_it_opens() {
        let events = vec![key(Key::P, Modifiers::COMMAND), key(Key::S, Modifiers::NONE), Event::Text("s".into()), Event::Text("l".into())];
        // One frame in which it comes to be there, one in which it has the keys.
        assert_eq!(frames(events.clone()), [events[..1].to_vec(), vec![], events[1..].to_vec()]);
    }

    #[test]
    fn letters_wait_for_a_text_that_is_about_to_be_shown() {
        let typed = vec![key(Key::A, Modifiers::NONE), Event::Text("a".into()), Event::Text("b".into())];
        let mut pacing = Pacing::default();
        let mut input = RawInput { events: typed.clone(), ..RawInput::default() };
        assert!(pacing.pace(&mut input, false, true) && input.events.is_empty());
        assert!(!pacing.pace(&mut input, true, false) && input.events == typed);
    }

    #[test]
    fn what_is_typed_before_tab_is_heard_by_the_field_and_what_comes_after_it_by_the_next() {
        let text = |text: &str| Event::Text(text.into());
        let tab = || key(Key::Tab, Modifiers::NONE);
        let events = vec![text("1"), text("0"), tab(), text("5"), tab(), text("7")];
        let typed = [vec![text("1"), text("0")], vec![tab()], vec![], vec![text("5")], vec![tab()], vec![], vec![text("7")]];
        assert_eq!(frames_of(events, true), typed);
    }

    #[test]
    fn what_is_typed_stays_together_and_keys_and_clicks_keep_their_order() {
        let typed: Vec<_> = ["a", "b", "c"].map(|text| Event::Text(text.into())).into();
        assert_eq!(frames(typed.clone()), [typed]);
        let events = vec![key(Key::V, Modifiers::NONE), button(1.0, true), button(1.0, false), key(Key::B, Modifiers::NONE)];
        assert_eq!(frames(events.clone()), [events[..1].to_vec(), events[1..3].to_vec(), events[3..].to_vec()]);
    }

    #[test]
    fn keys_of_the_map_come_one_after_the_other_and_those_of_a_text_together() {
        let keys: Vec<_> = [Key::V, Key::Space, Key::Num1].map(|name| key(name, Modifiers::NONE)).into();
        assert_eq!(frames(keys.clone()), [keys[..1].to_vec(), keys[1..2].to_vec(), keys[2..].to_vec()]);
        assert_eq!(frames_of(keys.clone(), true), [keys]);
        // One that is held down does not pile up.
        let held: Vec<_> = (0..9).map(|_| key(Key::ArrowUp, Modifiers::NONE)).collect();
        assert_eq!(frames(held.clone()), [held]);
    }

    #[test]
    fn a_shortcut_that_is_held_down_does_not_pile_up() {
        let undo: Vec<_> = (0..9).map(|_| key(Key::Z, Modifiers::COMMAND)).collect();
        assert_eq!(frames(undo.clone()), [undo]);
    }

    #[test]
    fn a_click_keeps_the_keys_that_were_held() {
        let changed = |modifiers| Event::ModifiersChanged(modifiers);
        let events = vec![changed(Modifiers::SHIFT), button(1.0, true), button(1.0, false), changed(Modifiers::NONE)];
        assert_eq!(frames(events.clone()), [events[..3].to_vec(), events[3..].to_vec()]);
    }
}
