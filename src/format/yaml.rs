//! What is looked at before a YAML text is given to a library.

use super::FormatError;

/// Brackets, dashes and question marks within each other, and the deepest indentation.
const MAX_NESTING: usize = 64;
const MAX_INDENT: usize = 1024;

/// Refuses texts whose nesting no map needs: libraries take time that grows with its square.
///
/// # Errors
/// [`FormatError::Syntax`] with the line that is too deep.
pub(super) fn check_nesting(text: &str) -> Result<(), FormatError> {
    let mut depth = 0_usize;
    for (number, line) in text.lines().enumerate() {
        let unindented = line.trim_start_matches(' ');
        let nested = unindented.split(' ').take_while(|word| matches!(*word, "-" | "?" | "")).count();
        let mut deepest = depth;
        for byte in line.bytes() {
            match byte {
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        if deepest > MAX_NESTING || nested > MAX_NESTING || line.len() - unindented.len() > MAX_INDENT {
            return Err(FormatError::Syntax { line: number + 1, column: 1, expected: "less deeply nested YAML" });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_texts_are_refused_with_their_line() {
        let deep = "[".repeat(MAX_NESTING + 1);
        for text in [deep.clone(), format!("a: 1\nb: {deep}"), "- ".repeat(100_000), format!("{}a: 1", " ".repeat(MAX_INDENT + 1))] {
            assert!(matches!(check_nesting(&text), Err(FormatError::Syntax { .. })), "{text:.20}");
        }
        assert!(check_nesting("a: [[1, 2], {b: c}]\n- - - d\n").is_ok());
    }
}
