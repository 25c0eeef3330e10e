//! Changes to a text by byte spans; everything between them stays byte for byte.

use std::collections::BTreeMap;
use std::ops::Range;

/// Replacements and insertions that do not overlap.
#[derive(Debug, Default)]
pub struct Edits(BTreeMap<(usize, usize), String>);

impl Edits {
    /// Replaces a span. Answers whether that agrees with what was asked for the same span before.
    #[must_use]
    pub fn replace(&mut self, span: Range<usize>, text: String) -> bool {
        self.0.entry((span.start, span.end)).or_insert_with(|| text.clone()) == &text
    }

    /// Inserts at an offset, after what was inserted there before.
    pub fn insert(&mut self, at: usize, text: &str) {
        self.0.entry((at, at)).or_default().push_str(text);
    }

    /// The changed text; `None` if spans overlap or lie outside.
    pub fn apply(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        for ((start, end), new) in &self.0 {
            out.extend_from_slice(text.get(at..*start)?);
            out.extend_from_slice(new.as_bytes());
            at = *end;
        }
        out.extend_from_slice(text.get(at..)?);
        Some(out)
    }
}

/// The line ending in use before `at`, or else anywhere.
pub fn line_ending(text: &[u8], at: usize) -> &'static str {
    let before = text.get(..at).and_then(|head| head.iter().rposition(|byte| *byte == b'\n'));
    match before.or_else(|| text.iter().position(|byte| *byte == b'\n')) {
        Some(newline) if newline.checked_sub(1).and_then(|i| text.get(i)) == Some(&b'\r') => "\r\n",
        _ => "\n",
    }
}
