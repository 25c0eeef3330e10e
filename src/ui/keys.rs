//! Names of keys, as `Ctrl+Shift+S`, and what was pressed.

use egui::{Key, KeyboardShortcut, Modifiers};

/// The shortcut of a key name; `None` for an empty or unknown name.
pub fn parse(name: &str) -> Option<KeyboardShortcut> {
    let mut modifiers = Modifiers::NONE;
    let mut key = None;
    for part in name.split('+') {
        match part {
            "Ctrl" => modifiers |= Modifiers::COMMAND,
            "Shift" => modifiers |= Modifiers::SHIFT,
            "Alt" => modifiers |= Modifiers::ALT,
            "." => key = Some(Key::Period),
            other => key = Key::from_name(other),
        }
    }
    Some(KeyboardShortcut::new(modifiers, key?))
}

/// Whether the shortcut was pressed this frame; eats the event.
pub fn pressed(ctx: &egui::Context, name: &str) -> bool {
    parse(name).is_some_and(|shortcut| ctx.input_mut(|input| input.consume_shortcut(&shortcut)))
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
