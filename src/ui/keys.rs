//! Keys of the window's library and those of the keymap, and what was pressed.

use egui::{Event, Key, Modifiers};

use super::map_cursor::CursorKey;
use crate::editor::EntryKey;
use crate::editor::keymap::{Chord, KEY_NAMES, Keymap, Target};
use crate::geom::Axis;
use crate::tool;

/// The key of a name of the keymap.
fn key_named(name: &str) -> Option<Key> {
    match name {
        "Plus" => Some(Key::Plus),
        "Minus" => Some(Key::Minus),
        "." => Some(Key::Period),
        "=" => Some(Key::Equals),
        other => Key::from_name(other),
    }
}

/// What a person pressed, as the keymap names it; `None` for keys that cannot be bound.
pub fn chord_of(key: Key, modifiers: Modifiers) -> Option<Chord> {
    let key = KEY_NAMES.iter().find(|name| key_named(name) == Some(key))?;
    // Many keyboards have the plus on another key's upper half.
    let shift = modifiers.shift && *key != "Plus";
    Some(Chord { ctrl: modifiers.command, shift, alt: modifiers.alt, key })
}

/// The chord of an event that presses a key. The library turns Ctrl+C, X and V into events of their own.
pub fn chord_of_event(event: &Event) -> Option<Chord> {
    let ctrl = |key| Some(Chord { ctrl: true, shift: false, alt: false, key });
    match event {
        Event::Key { key, pressed: true, modifiers, .. } => chord_of(*key, *modifiers),
        Event::Copy => ctrl("C"),
        Event::Cut => ctrl("X"),
        Event::Paste(_) => ctrl("V"),
        _ => None,
    }
}

/// Ctrl+V while the desktop's clipboard holds no text: the library drops the press and says only that the key went up.
/// Where that is all that came, an empty paste is put before it, so that somebody can say that there is nothing.
pub fn tell_empty_paste(events: &mut Vec<Event>, v_is_down: &mut bool) {
    let mut at = 0;
    while let Some(event) = events.get(at) {
        match event {
            Event::Paste(_) | Event::PasteImage(_) | Event::Key { key: Key::V, pressed: true, .. } => *v_is_down = true,
            // Ctrl may be up already.
            Event::Key { key: Key::V, pressed: false, .. } => {
                let was_down = std::mem::take(v_is_down);
                if !was_down {
                    events.insert(at, Event::Paste(String::new()));
                    at += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// How often the chord was pressed this frame; eats the events. Modifiers must be as they are in the chord: the
/// library's own look-up ignores Shift and Alt where the pattern has none, and Ctrl+Z would eat Ctrl+Shift+Z.
pub fn take(ctx: &egui::Context, chord: &Chord) -> usize {
    ctx.input_mut(|input| {
        let before = input.events.len();
        input.events.retain(|event| chord_of_event(event) != Some(*chord));
        before - input.events.len()
    })
}

/// As [`take`], but a key that is held counts once.
pub fn take_presses(ctx: &egui::Context, chord: &Chord) -> usize {
    let is_repeat = |event: &Event| matches!(event, Event::Key { repeat: true, .. });
    ctx.input_mut(|input| input.events.retain(|event| !is_repeat(event) || chord_of_event(event) != Some(*chord)));
    take(ctx, chord)
}

/// As [`take`], but what a key that is held brings counts once at most.
pub fn take_steps(ctx: &egui::Context, chord: &Chord) -> usize {
    let is_held = ctx.input(|input| input.events.iter().any(|event| chord_of_event(event) == Some(*chord)));
    take_presses(ctx, chord).max(usize::from(is_held))
}

/// The keys of this frame that go to the numbers of a gesture; eats the events. `open` says whether typing has begun:
/// only then Tab, X and Backspace are meant. With `has_axes`, X, Y and Z are the axes of which there are numbers.
pub fn take_entry(ctx: &egui::Context, mut open: bool, has_axes: bool) -> Vec<EntryKey> {
    let mut keys = vec![];
    ctx.input_mut(|input| {
        input.events.retain(|event| {
            let Event::Key { key, pressed: true, modifiers, .. } = event else { return true };
            let axis = axis_key(*key).filter(|_| has_axes && !modifiers.shift).map(|axis| (EntryKey::Axis(axis), true));
            let taken = axis.or_else(|| entry_key(*key, *modifiers)).filter(|_| !modifiers.command && !modifiers.alt);
            let taken = taken.filter(|(_, begins)| open || *begins);
            open |= taken.is_some();
            keys.extend(taken.map(|(key, _)| key));
            taken.is_none()
        });
    });
    keys
}

/// The keys of this frame that go to the cross hair on the map, in order; eats the events. The arrows are those that move
/// the selection otherwise: with Shift eight voxels, with Ctrl the camera.
pub fn take_cursor(ctx: &egui::Context, keymap: &Keymap) -> Vec<(CursorKey, tool::Modifiers)> {
    let mut keys = vec![];
    ctx.input_mut(|input| {
        input.events.retain(|event| {
            let key = cursor_key(event, keymap);
            let Event::Key { modifiers, repeat, .. } = event else { return true };
            let held = tool::Modifiers { ctrl: modifiers.command, shift: modifiers.shift, alt: modifiers.alt };
            // A button that is held down does not go down again.
            keys.extend(key.filter(|key| !(*repeat && *key == CursorKey::Press)).map(|key| (key, held)));
            key.is_none()
        });
    });
    keys
}

/// What an event means to the cross hair on the map.
fn cursor_key(event: &Event, keymap: &Keymap) -> Option<CursorKey> {
    let Event::Key { key, pressed, modifiers, .. } = event else { return None };
    let chord = chord_of(*key, *modifiers)?;
    let targets = keymap.entries().flat_map(|(bindable, chords)| chords.iter().map(|chord| (&bindable.target, *chord)));
    let plain = Chord { ctrl: false, shift: false, ..chord };
    let found = targets.filter(|(target, bound)| match target {
        Target::Press => bound.key == chord.key,
        Target::Nudge(_) => *bound == plain && *pressed,
        _ => false,
    });
    let (target, _) = { found }.next()?;
    let times = if modifiers.shift { 8 } else { 1 };
    Some(match target {
        Target::Nudge(by) if by.z != 0 => CursorKey::Closer(-by.z * times),
        Target::Nudge(by) if modifiers.command => CursorKey::Turn([by.x, by.y]),
        Target::Nudge(by) => CursorKey::Move([by.x * times, by.y * times]),
        _ if *pressed => CursorKey::Press,
        _ => CursorKey::Release,
    })
}

/// The axis that a key is named for.
fn axis_key(key: Key) -> Option<Axis> {
    match key {
        Key::X => Some(Axis::X),
        Key::Y => Some(Axis::Y),
        Key::Z => Some(Axis::Z),
        _ => None,
    }
}

/// What a key means to the numbers of a gesture, and whether it begins typing.
fn entry_key(key: Key, modifiers: Modifiers) -> Option<(EntryKey, bool)> {
    let digits = [Key::Num0, Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8, Key::Num9];
    if let Some(digit) = digits.iter().zip('0'..='9').find_map(|(name, digit)| (*name == key).then_some(digit)) {
        return Some((EntryKey::Char(digit), true));
    }
    Some(match key {
        Key::Minus => (EntryKey::Char('-'), true),
        Key::Period => (EntryKey::Char('.'), true),
        Key::Comma => (EntryKey::Next, true),
        Key::Tab if modifiers.shift => (EntryKey::Previous, false),
        Key::Tab | Key::X => (EntryKey::Next, false),
        Key::Backspace => (EntryKey::Erase, false),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_that_can_be_bound_exists_and_is_another() {
        for (index, name) in KEY_NAMES.iter().enumerate() {
            let key = key_named(name);
            assert!(key.is_some(), "{name}");
            assert!(KEY_NAMES[index + 1..].iter().all(|other| key_named(other) != key), "{name}");
        }
    }

    #[test]
    fn a_paste_of_nothing_is_told_when_the_key_goes_up() {
        let v = |pressed, modifiers| Event::Key { key: Key::V, physical_key: None, pressed, repeat: false, modifiers };
        let check = |mut events: Vec<Event>, expected: usize| {
            let (before, mut is_down) = (events.len(), false);
            tell_empty_paste(&mut events, &mut is_down);
            assert!(expected == 0 || events.contains(&Event::Paste(String::new())));
            assert_eq!(events.len() - before, expected, "{events:?}");
        };
        check(vec![v(false, Modifiers::COMMAND)], 1);
        check(vec![Event::Paste("text".into()), v(false, Modifiers::COMMAND)], 0);
        check(vec![v(true, Modifiers::NONE), v(false, Modifiers::COMMAND)], 0);
        check(vec![v(true, Modifiers::NONE), v(false, Modifiers::NONE), v(false, Modifiers::COMMAND)], 1);
        check(vec![v(false, Modifiers::NONE)], 1);
    }

    #[test]
    fn plus_is_plus_with_shift_or_without() {
        for shift in [Modifiers::NONE, Modifiers::SHIFT] {
            assert_eq!(chord_of(Key::Plus, Modifiers::COMMAND | shift), Chord::parse("Ctrl+Plus").ok());
        }
        assert_ne!(chord_of(Key::Minus, Modifiers::SHIFT), chord_of(Key::Minus, Modifiers::NONE));
    }

    #[test]
    fn the_clipboards_events_are_their_keys() {
        assert_eq!(chord_of_event(&Event::Copy), Chord::parse("Ctrl+C").ok());
        assert_eq!(chord_of_event(&Event::Paste(String::new())), Chord::parse("Ctrl+V").ok());
    }
}
