//! Just enough Rust lexing to see which modules a file names: tokens without comments and literals,
//! and the paths they spell, with groups and `super` resolved.

/// A word or a sign of a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    /// Counted from 1.
    pub line: usize,
    /// Whether it stands in an item under `#[cfg(test)]`.
    pub in_test: bool,
    /// Inline modules around it, outermost first.
    pub inside: Vec<String>,
}

/// A path that a source text spells, from the root: `crate::…` without the `crate`, else the name as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Whether the first segment is a folder of this crate.
    pub own: bool,
    pub segments: Vec<String>,
    pub line: usize,
    pub in_test: bool,
}

/// Splits a source text, leaving out comments; strings and characters become `""`.
pub fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let (mut out, mut i, mut line) = (vec![], 0, 1);
    let word = |c: char| c.is_alphanumeric() || c == '_';
    while i < chars.len() {
        let start = i;
        let text = match at(i) {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
                None
            }
            '/' if at(i + 1) == '*' => {
                let mut depth = 0;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 || i >= chars.len() {
                        break;
                    }
                }
                None
            }
            'r' | 'b' | 'c' if raw_string(&chars, i).is_some() => {
                let (from, hashes) = raw_string(&chars, i).unwrap();
                let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
                i = (from..chars.len()).find(|&i| chars[i..].starts_with(&end)).unwrap_or(chars.len()) + end.len();
                Some("\"\"".to_owned())
            }
            '"' => {
                i += 1;
                while i < chars.len() && at(i) != '"' {
                    i += 1 + usize::from(at(i) == '\\');
                }
                i += 1;
                Some("\"\"".to_owned())
            }
            '\'' if at(i + 1) == '\\' || at(i + 2) == '\'' => {
                i += 1;
                while i < chars.len() && at(i) != '\'' {
                    i += 1 + usize::from(at(i) == '\\');
                }
                i += 1;
                Some("\"\"".to_owned())
            }
            c if word(c) => {
                while i < chars.len() && word(at(i)) {
                    i += 1;
                }
                Some(chars[start..i].iter().collect())
            }
            ':' if at(i + 1) == ':' => {
                i += 2;
                Some("::".to_owned())
            }
            c => {
                i += 1;
                (!c.is_whitespace()).then(|| c.to_string())
            }
        };
        if let Some(text) = text {
            out.push(Token { text, line, in_test: false, inside: vec![] });
        }
        line += chars[start..i.min(chars.len())].iter().filter(|&&c| c == '\n').count();
    }
    mark_modules(&mut out);
    mark_tests(&mut out);
    out
}

/// Start of the contents and number of `#` of the raw string that begins here.
fn raw_string(chars: &[char], start: usize) -> Option<(usize, usize)> {
    let mut i = start + usize::from(chars[start] != 'r');
    if chars.get(i) != Some(&'r') || (start > 0 && (chars[start - 1].is_alphanumeric() || chars[start - 1] == '_')) {
        return None;
    }
    i += 1;
    let hashes = chars[i..].iter().take_while(|&&c| c == '#').count();
    (chars.get(i + hashes) == Some(&'"')).then_some((i + hashes + 1, hashes))
}

fn mark_modules(tokens: &mut [Token]) {
    let (mut stack, mut depth): (Vec<(usize, String)>, usize) = (vec![], 0);
    for i in 0..tokens.len() {
        match tokens[i].text.as_str() {
            "{" => {
                if i >= 2 && tokens[i - 2].text == "mod" {
                    stack.push((depth, tokens[i - 1].text.clone()));
                }
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                if stack.last().is_some_and(|(at, _)| *at == depth) {
                    stack.pop();
                }
            }
            _ => {}
        }
        tokens[i].inside = stack.iter().map(|(_, name)| name.clone()).collect();
    }
}

fn mark_tests(tokens: &mut [Token]) {
    let attribute = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut i = 0;
    while i + attribute.len() <= tokens.len() {
        if !attribute.iter().zip(&tokens[i..]).all(|(text, token)| token.text == *text) {
            i += 1;
            continue;
        }
        // The item ends with its braces, or with a semicolon before any.
        let mut depth = 0;
        i += attribute.len();
        while i < tokens.len() {
            tokens[i].in_test = true;
            match tokens[i].text.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            i += 1;
            if depth == 0 && matches!(tokens[i - 1].text.as_str(), "}" | ";") {
                break;
            }
        }
    }
}

/// Every path with at least two segments. `module` is the file's own module from the crate's root.
pub fn paths(tokens: &[Token], module: &[String]) -> Vec<Path> {
    let text = |i: usize| tokens.get(i).map_or("", |token| token.text.as_str());
    let mut found = vec![];
    for (i, token) in tokens.iter().enumerate() {
        let starts = i == 0 || text(i - 1) != "::" || !text(i.wrapping_sub(2)).chars().all(|c| c.is_alphanumeric() || c == '_');
        if !starts || text(i + 1) != "::" || !is_word(&token.text) || in_group(tokens, i) {
            continue;
        }
        let around: Vec<String> = module.iter().chain(&token.inside).cloned().collect();
        let mut spelled = vec![];
        spell(tokens, i, &mut vec![], &mut spelled);
        for mut segments in spelled {
            let mut base = match segments[0].as_str() {
                "crate" | "spadework" => Some(vec![]),
                "self" | "super" => Some(around.clone()),
                _ => None,
            };
            while let (Some(base), Some(first)) = (&mut base, segments.first().cloned()) {
                match first.as_str() {
                    "crate" | "spadework" | "self" => {}
                    "super" => drop(base.pop()),
                    _ => break,
                }
                segments.remove(0);
            }
            let own = base.is_some();
            let segments = base.unwrap_or_default().into_iter().chain(segments).collect();
            found.push(Path { own, segments, line: token.line, in_test: token.in_test });
        }
    }
    found
}

/// Whether the token stands in the braces of a `use` group, where its path has begun before.
fn in_group(tokens: &[Token], at: usize) -> bool {
    let mut depth = 0;
    for i in (0..at).rev() {
        match tokens[i].text.as_str() {
            "}" => depth += 1,
            "{" if depth == 0 => return i > 0 && tokens[i - 1].text == "::",
            "{" => depth -= 1,
            ";" => return false,
            _ => {}
        }
    }
    false
}

fn spell(tokens: &[Token], at: usize, prefix: &mut Vec<String>, out: &mut Vec<Vec<String>>) -> usize {
    let text = |i: usize| tokens.get(i).map_or("", |token| token.text.as_str());
    let (mut i, depth) = (at, prefix.len());
    loop {
        if text(i) == "{" {
            i += 1;
            while i < tokens.len() && text(i) != "}" {
                let next = spell(tokens, i, prefix, out);
                i = next.max(i + 1);
            }
            i += 1;
            break;
        }
        if !is_word(text(i)) && text(i) != "*" {
            if prefix.len() > depth {
                out.push(prefix.clone());
            }
            break;
        }
        prefix.push(text(i).to_owned());
        i += 1;
        if text(i) == "::" {
            i += 1;
        } else {
            out.push(prefix.clone());
            break;
        }
    }
    prefix.truncate(depth);
    i
}

fn is_word(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
}

#[track_caller]
fn check_paths(source: &str, expected: &[&str]) {
    let module = ["tool".to_owned(), "brush".to_owned()];
    let found: Vec<String> = paths(&tokens(source), &module)
        .into_iter()
        .map(|path| format!("{}{}", if path.own { "crate::" } else { "" }, path.segments.join("::")))
        .collect();
    assert_eq!(found, expected, "{source}");
}

#[test]
fn paths_are_found_in_every_way_to_spell_them() {
    check_paths("use crate::geom::{self, Face, ray::Ray};", &["crate::geom::self", "crate::geom::Face", "crate::geom::ray::Ray"]);
    check_paths("use crate::{geom::Face, ui};", &["crate::geom::Face", "crate::ui"]);
    check_paths("fn f(a: crate::ui::App) {}", &["crate::ui::App"]);
    check_paths(
        "use super::super::ui::App; use super::Tool; use self::inner::X;",
        &["crate::ui::App", "crate::tool::Tool", "crate::tool::brush::inner::X"],
    );
    check_paths("mod tests { use super::*; use super::super::super::ui; }", &["crate::tool::brush::*", "crate::ui"]);
    check_paths("pub(crate) fn a() -> Vec<std::fs::File> { <u8 as std::io::Read>::x }", &["std::fs::File", "std::io::Read"]);
    check_paths("match x { A::B => crate::ui::y(), _ => {} }", &["A::B", "crate::ui::y"]);
    check_paths("use crate as me;", &[]);
    check_paths("spadework::ui::run()", &["crate::ui::run"]);
}

#[test]
fn comments_strings_and_lifetimes_hide_nothing_and_show_nothing() {
    check_paths("// crate::ui::a\n/* crate::ui::b /* c::d */ e::f */ /// crate::ui\n", &[]);
    check_paths(r####"let a = "crate::ui::a \" b::c"; let b = r#"x::y " z::w"#; let c = b"\"q::r"; 'a::b"####, &["a::b"]);
    check_paths("let c = '\"'; let d = '\\''; fn f<'a>(x: &'a std::fs::File) {}", &["std::fs::File"]);
}

#[test]
fn items_under_cfg_test_are_marked() {
    let source = "fn a() { b::c() }\n#[cfg(test)]\nmod tests { fn d() { if e { f::g() } } }\nfn h() { i::j() }";
    let marks: Vec<_> = paths(&tokens(source), &[]).into_iter().map(|path| (path.line, path.in_test)).collect();
    assert_eq!(marks, [(1, false), (3, true), (4, false)]);
}
