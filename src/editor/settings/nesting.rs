//! Brackets within brackets of a settings file, which take YAML readers forever.

/// Brackets within brackets that settings may have; they need 4.
pub(super) const MAX_BRACKETS: usize = 32;

/// The first line in which brackets are nested too deeply; those within names, paths and other words count for nothing.
pub(super) fn too_deep(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let mut rest = line;
        if depth == 0 {
            // Only what a line or a value begins with opens one.
            let start = value_starts(line).find(|at| matches!(line.get(*at), Some(b'[' | b'{')));
            rest = start.and_then(|at| line.get(at..)).unwrap_or_default();
        }
        for byte in rest {
            match byte {
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > MAX_BRACKETS {
                return Some(number);
            }
        }
    }
    None
}

/// Where something may begin in a line: its first word, and what follows dashes, colons, question marks, tags and anchors.
fn value_starts(line: &[u8]) -> impl Iterator<Item = usize> {
    let words =
        (0..line.len()).filter(|at| line.get(*at) != Some(&b' ') && at.checked_sub(1).is_none_or(|before| line.get(before) == Some(&b' ')));
    let (mut opens, mut is_quoted) = (true, false);
    words.filter(move |at| {
        let word = line.get(*at..).and_then(|rest| rest.split(|byte| *byte == b' ').next()).unwrap_or_default();
        let is_start = opens && !is_quoted;
        let goes_on = matches!(word, b"-" | b"?") || word.starts_with(b"!") || word.starts_with(b"&");
        // Words within quotes open nothing.
        is_quoted |= is_start && word.starts_with(b"'") && !word.ends_with(b"':");
        is_quoted |= is_start && word.starts_with(b"\"") && !word.ends_with(b"\":");
        opens = (is_start && goes_on) || word.ends_with(b":");
        is_start
    })
}
