//! A key with what is held down beside it, as people write it: `Ctrl+Shift+S`.

use std::fmt;

/// Every key that can be bound, by its name here.
pub const KEY_NAMES: &[&str] = &[
    "A",
    "B",
    "C",
    "D",
    "E",
    "F",
    "G",
    "H",
    "I",
    "J",
    "K",
    "L",
    "M",
    "N",
    "O",
    "P",
    "Q",
    "R",
    "S",
    "T",
    "U",
    "V",
    "W",
    "X",
    "Y",
    "Z",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "F1",
    "F2",
    "F3",
    "F4",
    "F5",
    "F6",
    "F7",
    "F8",
    "F9",
    "F10",
    "F11",
    "F12",
    "Left",
    "Right",
    "Up",
    "Down",
    "PageUp",
    "PageDown",
    "Home",
    "End",
    "Insert",
    "Delete",
    "Backspace",
    "Enter",
    "Escape",
    "Space",
    "Tab",
    "Plus",
    "Minus",
    "=",
    ".",
    ",",
    ";",
    "'",
    "`",
    "/",
    "\\",
    "[",
    "]",
];

/// A key and its modifiers. Ctrl stands for Command where the desktop has that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Chord {
    /// Control, or Command.
    pub ctrl: bool,
    /// Shift.
    pub shift: bool,
    /// Alt.
    pub alt: bool,
    /// One of [`KEY_NAMES`].
    pub key: &'static str,
}

/// What is not the name of a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no key: write it as S, F5 or Ctrl+Shift+S")]
pub struct UnknownKey(pub String);

impl Chord {
    /// The chord of a name such as `Ctrl+Shift+S`; letters in any case.
    ///
    /// # Errors
    /// If a part is neither a modifier nor a key.
    pub fn parse(name: &str) -> Result<Self, UnknownKey> {
        let unknown = || UnknownKey(name.to_owned());
        let mut chord = Self { ctrl: false, shift: false, alt: false, key: "" };
        for part in name.split('+').map(str::trim) {
            match part.to_ascii_lowercase().as_str() {
                "ctrl" | "control" | "cmd" | "command" => chord.ctrl = true,
                "shift" => chord.shift = true,
                "alt" | "option" => chord.alt = true,
                _ if !chord.key.is_empty() => return Err(unknown()),
                _ => chord.key = KEY_NAMES.iter().find(|known| known.eq_ignore_ascii_case(part)).ok_or_else(unknown)?,
            }
        }
        if chord.key.is_empty() { Err(unknown()) } else { Ok(chord) }
    }

    /// Whether it is a digit alone.
    pub fn is_digit(&self) -> bool {
        let is_plain = !(self.ctrl || self.shift || self.alt);
        is_plain && self.key.len() == 1 && self.key.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Whether a field that is being typed into wants the key for itself.
    pub fn is_text(&self) -> bool {
        let is_function = self.key.len() > 1 && self.key.starts_with('F');
        !(self.ctrl || self.alt || is_function)
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [(self.ctrl, "Ctrl+"), (self.shift, "Shift+"), (self.alt, "Alt+")] {
            if held {
                f.write_str(name)?;
            }
        }
        f.write_str(self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_is_written_as_it_is_read() {
        for name in ["S", "Ctrl+Shift+S", "Alt+F4", "Ctrl+Plus", ".", "PageUp", "Shift+["] {
            assert_eq!(Chord::parse(name).unwrap().to_string(), name);
        }
        assert_eq!(Chord::parse("shift + ctrl+pageup").unwrap().to_string(), "Ctrl+Shift+PageUp");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for name in ["", "Ctrl", "Ctrl+", "Hyper+S", "S+T", "F13", "ß"] {
            assert_eq!(Chord::parse(name), Err(UnknownKey(name.into())), "{name}");
        }
    }
}
