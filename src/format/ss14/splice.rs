//! Pieces of text put into a file in place of others; every other byte stays as it is.

use std::io::{self, Write};
use std::ops::Range;

/// Replacements, collected in any order. They do not overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Splices(Vec<(Range<usize>, String)>);

impl Splices {
    /// Puts a text in place of some bytes.
    pub fn replace(&mut self, span: Range<usize>, text: impl Into<String>) {
        self.0.push((span, text.into()));
    }

    /// Takes bytes out.
    pub fn remove(&mut self, span: Range<usize>) {
        self.replace(span, "");
    }

    /// Puts whole lines before the line that starts at `at`. Where the file ends without a line break,
    /// the lines begin with one.
    pub fn insert_lines(&mut self, file: &[u8], at: usize, eol: &str, lines: &str) {
        let is_cut = at > 0 && file.get(at - 1) != Some(&b'\n');
        self.replace(at..at, if is_cut { format!("{eol}{lines}") } else { lines.into() });
    }

    /// Takes over others.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// A part of the file with all replacements, which must lie within it; `None` where it is no text.
    pub fn within(self, file: &[u8], part: Range<usize>) -> Option<String> {
        let within = |at: usize| at.clamp(part.start, part.end) - part.start;
        let moved = self.0.into_iter().map(|(span, text)| (within(span.start)..within(span.end), text)).collect();
        let mut bytes = vec![];
        // Writing to memory cannot fail.
        Self(moved).write(file.get(part).unwrap_or_default(), &mut bytes).ok();
        String::from_utf8(bytes).ok()
    }

    /// Writes the file with all replacements.
    pub fn write(mut self, file: &[u8], sink: &mut dyn Write) -> io::Result<()> {
        // Insertions at one place keep their order, and come before what is replaced there.
        self.0.sort_by_key(|(span, _)| (span.start, span.end));
        let mut done = 0;
        for (span, text) in &self.0 {
            debug_assert!(span.start >= done, "replacements overlap");
            sink.write_all(file.get(done..span.start).unwrap_or_default())?;
            sink.write_all(text.as_bytes())?;
            done = done.max(span.end);
        }
        sink.write_all(file.get(done..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_replaced_stays() {
        let mut splices = Splices::default();
        splices.replace(4..5, "B");
        splices.insert_lines(b"a\nb\nc", 5, "\r\n", "d");
        splices.remove(0..2);
        splices.insert_lines(b"a\nb\nc", 2, "\n", "x\n");
        let mut bytes = vec![];
        splices.write(b"a\nb\nc", &mut bytes).unwrap();
        assert_eq!(bytes, b"x\nb\nB\r\nd");
    }
}
