//! Names of keys, as `Ctrl+Shift+S`, and what was pressed.

use egui::{Event, Key, KeyboardShortcut, Modifiers};

/// The shortcut of a key name; `None` for an empty or unknown name.
pub fn parse(name: &str) -> Option<KeyboardShortcut> {
    let mut modifiers = Modifiers::NONE;
    let mut key = None;
    for part in name.split('+') {
        match part {
            "Ctrl" => modifiers |= Modifiers::COMMAND,
            "Shift" => modifiers |= Modifiers::SHIFT,
            "Alt" => modifiers |= Modifiers::ALT,
            "Plus" => key = Some(Key::Plus),
            "." => key = Some(Key::Period),
            other => key = Key::from_name(other),
        }
    }
    Some(KeyboardShortcut::new(modifiers, key?))
}

/// Whether the shortcut was pressed this frame; eats the event.
pub fn pressed(ctx: &egui::Context, name: &str) -> bool {
    let Some(shortcut) = parse(name) else { return false };
    // egui's own look-up ignores Shift and Alt where the pattern has none: Ctrl+Z would eat Ctrl+Shift+Z.
    let exact = |event: &Event| match event {
        Event::Key { key, pressed: true, modifiers, .. } => {
            *key == shortcut.logical_key
                && modifiers.shift == shortcut.modifiers.shift
                && modifiers.alt == shortcut.modifiers.alt
                && modifiers.matches_logically(shortcut.modifiers)
        }
        _ => false,
    };
    ctx.input_mut(|input| {
        let before = input.events.len();
        input.events.retain(|event| !exact(event));
        input.events.len() < before
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::ACTIONS;

    #[test]
    fn every_key_in_the_table_of_actions_exists() {
        for spec in ACTIONS.iter().filter(|spec| !spec.key.is_empty()) {
            assert!(parse(spec.key).is_some(), "{}: {}", spec.id, spec.key);
        }
    }
}
