//! The encoding that a Python file declares in its first two lines.

use super::literal::Literal;

/// How the bytes of a file stand for letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, as Python takes a file that declares nothing.
    Utf8,
    /// One byte for each of the first 256 letters, or ASCII.
    Latin,
    /// Another one in which every byte below 128 is ASCII.
    AsciiBased,
    /// One in which text may be hidden in ASCII, or that nobody knows.
    Unknown,
}

/// The encoding of a file.
pub fn of(text: &[u8]) -> Encoding {
    let Some(name) = declared(text) else { return Encoding::Utf8 };
    let known: String = name.to_ascii_lowercase().replace('_', "-");
    let is = |names: &[&str]| names.iter().any(|start| known.starts_with(start));
    match known.as_str() {
        _ if is(&["utf-8", "utf8", "u8"]) => Encoding::Utf8,
        "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "l1" | "ascii" | "us-ascii" => Encoding::Latin,
        _ if is(&[
            "iso-8859",
            "iso8859",
            "latin",
            "cp125",
            "windows-125",
            "koi8",
            "cp437",
            "cp85",
            "cp866",
            "mac-",
            "euc-",
            "euckr",
            "gb2312",
        ]) =>
        {
            Encoding::AsciiBased
        }
        // Their second bytes may be ASCII; without any such letter it does not matter.
        _ if is(&["cp949", "uhc", "cp936", "gbk", "gb18030", "cp932", "shift", "sjis", "big5", "cp950", "johab"]) && text.is_ascii() => {
            Encoding::AsciiBased
        }
        _ => Encoding::Unknown,
    }
}

/// The name in a comment like `# -*- coding: latin-1 -*-`.
fn declared(text: &[u8]) -> Option<String> {
    let mut rest = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    for _ in 0..2 {
        // Each of the three line ends is one.
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let (line, after) = rest.split_at_checked(length)?;
        let line = line.trim_ascii_start();
        if !line.starts_with(b"#") && !line.is_empty() {
            return None;
        }
        let name = |at: usize| -> String {
            let rest = line.get(at + 7..).unwrap_or_default();
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            rest.iter().copied().skip(blanks).take_while(is_part).map(char::from).collect()
        };
        let starts = line.windows(7).enumerate().filter(|(_, word)| matches!(*word, b"coding:" | b"coding=")).map(|(at, _)| at);
        if let Some(name) = starts.map(name).find(|name| !name.is_empty()) {
            return Some(name);
        }
        rest = after.strip_prefix(b"\r\n").or(after.get(1..)).unwrap_or_default();
    }
    None
}

/// Whether the letters of a literal are those that were read.
pub fn is_read(encoding: Encoding, text: &[u8], literal: &Literal) -> bool {
    let bytes = text.get(literal.span.clone()).unwrap_or_default();
    match encoding {
        _ if bytes.is_ascii() => true,
        Encoding::Utf8 => true,
        // As UTF-8 it was read as something else.
        Encoding::Latin => bytes.utf8_chunks().all(|chunk| chunk.valid().is_ascii()),
        Encoding::AsciiBased | Encoding::Unknown => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_taken_from_the_first_two_lines() {
        for (text, expected) in [
            (&b"name = 'a'"[..], Encoding::Utf8),
            (b"# -*- coding: UTF-8 -*-\n", Encoding::Utf8),
            (b"#!/usr/bin/python\n# vim: set fileencoding=latin_1 :\n", Encoding::Latin),
            (b"x = 1\n# coding: utf-7\n", Encoding::Utf8),
            (b"# coding: cp1251\n", Encoding::AsciiBased),
            (b"# coding: cp949\n", Encoding::AsciiBased),
            (b"# coding: cp949\n'\xC7\x5C'", Encoding::Unknown),
            (b"# coding: utf-7\n", Encoding::Unknown),
            (b"# coding: no-such\n", Encoding::Unknown),
            (b"# the coding of it\n", Encoding::Utf8),
            (b"\n# coding: utf-7\n", Encoding::Unknown),
            (b"\n\n# coding: utf-7\n", Encoding::Utf8),
            (b"# a coding: , or coding: utf-7\n", Encoding::Unknown),
            (b"\x0C # coding=utf-7\r\n", Encoding::Unknown),
            (b"\xEF\xBB\xBF# coding: utf-7\n", Encoding::Unknown),
            (b"# coding: utf-16\n", Encoding::Unknown),
            (b"# coding: rot13\n", Encoding::Unknown),
        ] {
            assert_eq!(of(text), expected, "{}", String::from_utf8_lossy(text));
        }
    }
}
