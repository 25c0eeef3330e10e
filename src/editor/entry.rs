//! Numbers typed in the middle of a gesture: which one, and what was typed so far.
//!
//! Holds texts only; the tool says what the numbers are and takes them ([`GestureNumbers`]).

use crate::geom::Axis;
use crate::tool::{GestureNumbers, TypedNumber};

/// Characters of one number, at most.
const MOST_CHARS: usize = 12;

/// A key that goes to the numbers of a gesture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKey {
    /// A digit, `-` or `.`.
    Char(char),
    /// On to the next number; after the last comes the first.
    Next,
    /// Back to the number before.
    Previous,
    /// To the number of an axis, of those that there are for each.
    Axis(Axis),
    /// Takes the last character away.
    Erase,
}

impl EntryKey {
    /// Whether typing begins with it.
    pub fn begins(self) -> bool {
        matches!(self, Self::Char(_) | Self::Next | Self::Axis(_))
    }
}

/// What was typed.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberEntry {
    /// Values before typing began.
    before: Vec<f64>,
    /// What was typed, for each number.
    texts: Vec<String>,
    /// The number that the next key goes to.
    at: usize,
}

impl NumberEntry {
    /// Nothing is typed yet.
    pub fn new(numbers: &GestureNumbers) -> Self {
        let before: Vec<_> = numbers.numbers.iter().map(|number| number.value).collect();
        Self { texts: vec![String::new(); before.len()], before, at: numbers.first }
    }

    /// The number that the next key goes to.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What was typed for a number.
    pub fn text(&self, index: usize) -> &str {
        self.texts.get(index).map_or("", String::as_str)
    }

    /// Whether nothing is typed any more.
    pub fn is_empty(&self) -> bool {
        self.texts.iter().all(String::is_empty)
    }

    /// The pointer let go: what is typed next is the next number, where this one has been typed.
    pub fn go_on(&mut self) {
        if !self.text(self.at).is_empty() && self.at + 1 < self.texts.len() {
            self.at += 1;
        }
    }

    /// The next key goes to the number of that axis: of the offset, or of the scale where that is typed.
    pub fn go_to(&mut self, axis: Axis, numbers: &GestureNumbers) {
        let name = |index: usize| numbers.numbers.get(index).map_or("", |number| number.name);
        let kind = name(self.at).split(' ').next().unwrap_or_default();
        let letter = ["x", "y", "z"][axis.index()];
        let found = (0..numbers.numbers.len()).find(|index| name(*index).split_once(' ') == Some((kind, letter)));
        if let Some(found) = found.filter(|found| *found != self.at) {
            self.at = found;
            // What is typed next is that number, not more digits of it.
            self.texts.get_mut(found).into_iter().for_each(String::clear);
        }
    }

    /// Takes a key.
    pub fn press(&mut self, key: EntryKey) {
        let count = self.texts.len().max(1);
        match key {
            EntryKey::Axis(_) => {}
            EntryKey::Next => self.at = (self.at + 1) % count,
            EntryKey::Previous => self.at = (self.at + count - 1) % count,
            EntryKey::Erase => {
                let Some(text) = self.texts.get_mut(self.at) else { return };
                // With nothing left here, the number before is gone on with.
                if text.pop().is_none() && self.at > 0 {
                    self.at -= 1;
                }
            }
            EntryKey::Char(char) => {
                let Some(text) = self.texts.get_mut(self.at) else { return };
                let fits = match char {
                    // At any time: it turns the number around.
                    '-' => {
                        if text.starts_with('-') {
                            text.remove(0);
                        } else {
                            text.insert(0, '-');
                        }
                        return;
                    }
                    '.' => !text.contains('.'),
                    char => char.is_ascii_digit(),
                };
                if fits && text.len() < MOST_CHARS {
                    text.push(char);
                }
            }
        }
    }

    /// The numbers as they are to be: what was typed within the ranges, the rest as it was before.
    pub fn typed(&self, numbers: &GestureNumbers) -> Vec<TypedNumber> {
        let value = |(index, before): (usize, &f64)| {
            let range = numbers.numbers.get(index).map_or([f64::MIN, f64::MAX], |number| number.range);
            match self.text(index).parse::<f64>() {
                Ok(value) if value.is_finite() => TypedNumber { value: value.clamp(range[0], range[1]), typed: true },
                // Half a number, such as a minus alone, is none.
                _ => TypedNumber { value: *before, typed: false },
            }
        };
        self.before.iter().enumerate().map(value).collect()
    }

    /// The numbers as they were before typing began.
    pub fn untyped(&self) -> Vec<TypedNumber> {
        self.before.iter().map(|value| TypedNumber { value: *value, typed: false }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::GestureNumber;

    fn numbers() -> GestureNumbers {
        let number = |name, value| GestureNumber { name, unit: "", value, range: [-64.0, 64.0] };
        GestureNumbers { numbers: vec![number("Width", 3.0), number("Depth", 4.0)], first: 0, finishes: true }
    }

    #[track_caller]
    fn check(keys: &str, expected: [(f64, bool); 2]) {
        let mut entry = NumberEntry::new(&numbers());
        for key in keys.chars() {
            entry.press(match key {
                ',' => EntryKey::Next,
                ';' => EntryKey::Previous,
                '<' => EntryKey::Erase,
                char => EntryKey::Char(char),
            });
        }
        let typed: Vec<_> = entry.typed(&numbers()).iter().map(|number| (number.value, number.typed)).collect();
        assert_eq!(typed, expected, "{keys}");
    }

    #[test]
    fn digits_make_a_number_and_a_comma_goes_to_the_next() {
        check("12", [(12.0, true), (4.0, false)]);
        check("12,8", [(12.0, true), (8.0, true)]);
        check(",8,2", [(2.0, true), (8.0, true)]);
        check(";7", [(3.0, false), (7.0, true)]);
        check("1.5.2", [(1.52, true), (4.0, false)]);
    }

    #[test]
    fn a_minus_turns_a_number_around_and_too_much_is_held_back() {
        check("12-", [(-12.0, true), (4.0, false)]);
        check("-12-", [(12.0, true), (4.0, false)]);
        check("-", [(3.0, false), (4.0, false)]);
        check("999", [(64.0, true), (4.0, false)]);
        check("x1e9", [(19.0, true), (4.0, false)]);
        check(&"9".repeat(500), [(64.0, true), (4.0, false)]);
    }

    #[test]
    fn what_is_erased_is_as_it_was_before() {
        check("12<", [(1.0, true), (4.0, false)]);
        check("12<<", [(3.0, false), (4.0, false)]);
        check("12,8<<<", [(1.0, true), (4.0, false)]);
    }
}
