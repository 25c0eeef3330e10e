//! How far a call on many files has come: on standard error, while it runs.
//!
//! On a terminal one line that changes; elsewhere, as in the log of a build, one line a file.

use std::io::{self, IsTerminal as _, Write as _};

use super::error::one_line;

/// Most characters of the changing line: a line that wraps could not be replaced.
const LINE_CHARS: usize = 78;

/// Where the counting is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Nowhere,
    AsLines,
    InPlace,
}

/// Shows which of how many files is at work.
#[derive(Debug)]
pub struct Counter {
    shown: Shown,
    done: usize,
    total: usize,
}

impl Counter {
    /// Counts to `total`; shows nothing if `silent`.
    pub fn new(total: usize, silent: bool) -> Self {
        let shown = match (silent, io::stderr().is_terminal()) {
            (true, _) => Shown::Nowhere,
            (false, true) => Shown::InPlace,
            (false, false) => Shown::AsLines,
        };
        Self { shown, done: 0, total }
    }

    /// Begins with the next file.
    pub fn next(&mut self, name: &str) {
        self.done += 1;
        show(&self.shown.line(&format!("{}/{} {name}", self.done, self.total)));
    }
}

impl Shown {
    fn line(self, text: &str) -> String {
        let text = one_line(text);
        match self {
            Self::Nowhere => String::new(),
            Self::AsLines => format!("{text}\n"),
            // Back to the first place of the line, and clear to its end.
            Self::InPlace => format!("\r{}\x1b[K", text.chars().take(LINE_CHARS).collect::<String>()),
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if self.shown == Shown::InPlace && self.done > 0 {
            show("\r\x1b[K");
        }
    }
}

fn show(text: &str) {
    // Nobody watches where standard error is closed; the work goes on.
    io::stderr().lock().write_all(text.as_bytes()).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gets_a_line_a_file_and_a_terminal_one_line_that_changes() {
        let lines = [Shown::Nowhere, Shown::AsLines, Shown::InPlace].map(|shown| shown.line("2/9 a\n/b.vxl"));
        assert_eq!(lines, ["", "2/9 a /b.vxl\n", "\r2/9 a /b.vxl\x1b[K"]);
        let long = Shown::InPlace.line(&"é".repeat(500));
        assert_eq!(long.chars().count(), 1 + LINE_CHARS + 3);
    }
}
