//! Palette files of paint programs: GIMP `.gpl`, JASC `.pal` and the plain list of Lospec `.hex`.
//!
//! Pure: bytes to named colours and back, no map and no path. They are recognised by their first line. Whoever
//! opens and saves them is [`editor`](crate::editor).

use std::sync::Arc;

use super::FormatError;
use crate::document::Swatch;
use crate::voxel::Rgb;

/// Colours that a palette file holds at most.
pub const MAX_SWATCHES: usize = 4096;
/// Bytes that a palette file holds at most.
pub const MAX_SWATCH_BYTES: u64 = 1 << 20;
/// Letters of a colour's name; what is longer is cut.
const MAX_SWATCH_NAME: usize = 80;

/// First line of a GIMP palette.
const GIMP: &str = "GIMP Palette";
/// First line of a JASC palette.
const JASC: &str = "JASC-PAL";
/// What GIMP calls a colour without a name.
const UNNAMED: &str = "Untitled";

/// A kind of palette file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SwatchFormat {
    /// GIMP, Inkscape, Krita: colours with names.
    Gimp,
    /// Paint Shop Pro, and many pixel editors: colours only.
    Jasc,
    /// Lospec: colours only, a line each.
    Hex,
}

impl SwatchFormat {
    /// All of them, the one that keeps names first.
    pub const ALL: [Self; 3] = [Self::Gimp, Self::Jasc, Self::Hex];

    /// Name in dialogs.
    pub fn label(self) -> &'static str {
        match self {
            Self::Gimp => "GIMP palette",
            Self::Jasc => "JASC palette",
            Self::Hex => "Lospec palette",
        }
    }

    /// Extension without dot, lower case.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Gimp => "gpl",
            Self::Jasc => "pal",
            Self::Hex => "hex",
        }
    }

    /// Whether its colours have names.
    pub fn has_names(self) -> bool {
        self == Self::Gimp
    }

    /// The kind that an extension (any case) stands for.
    pub fn by_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(extension))
    }
}

/// Reads a palette file of any kind; colours that the file does not name have an empty name.
///
/// # Errors
/// [`FormatError::Syntax`] with the line that is none of a palette, that has a colour too many, or that should hold
/// one more; [`FormatError::FileTooLarge`] for more than [`MAX_SWATCH_BYTES`].
pub fn read_swatches(bytes: &[u8]) -> Result<(SwatchFormat, Vec<Swatch>), FormatError> {
    let size_bytes = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if size_bytes > MAX_SWATCH_BYTES {
        return Err(FormatError::FileTooLarge { length: size_bytes, most: MAX_SWATCH_BYTES });
    }
    // Old programs wrote names in their own encodings: the colours are good all the same.
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = Lines { rest: text.lines().enumerate(), number: 0 };
    let first = text.lines().next().unwrap_or_default().trim_end();
    let (format, swatches) = if first == GIMP {
        lines.next();
        (SwatchFormat::Gimp, gimp(&mut lines)?)
    } else if first == JASC {
        lines.next();
        (SwatchFormat::Jasc, jasc(&mut lines)?)
    } else {
        (SwatchFormat::Hex, hex(&mut lines)?)
    };
    if swatches.is_empty() {
        return Err(syntax(lines.number + 1, 1, "a color"));
    }
    Ok((format, swatches))
}

/// Writes a palette file. Names go where the kind has them; `title` is the palette's own.
pub fn write_swatches(format: SwatchFormat, title: &str, swatches: &[Swatch]) -> Vec<u8> {
    let mut text = String::new();
    match format {
        SwatchFormat::Gimp => {
            text.push_str(&format!("{GIMP}\nName: {}\nColumns: 0\n#\n", swatch_name(title)));
            for Swatch { name, color } in swatches {
                let name = swatch_name(name);
                let name = if name.is_empty() { UNNAMED } else { &name };
                text.push_str(&format!("{:3} {:3} {:3}\t{name}\n", color.r, color.g, color.b));
            }
        }
        SwatchFormat::Jasc => {
            text.push_str(&format!("{JASC}\r\n0100\r\n{}\r\n", swatches.len()));
            swatches.iter().for_each(|Swatch { color, .. }| text.push_str(&format!("{} {} {}\r\n", color.r, color.g, color.b)));
        }
        SwatchFormat::Hex => {
            swatches.iter().for_each(|Swatch { color, .. }| text.push_str(&format!("{:02x}{:02x}{:02x}\n", color.r, color.g, color.b)));
        }
    }
    text.into_bytes()
}

/// Whether a palette file of that title has more than its colors and their names: comments, and a name and a number of columns of its own.
pub fn says_more(bytes: &[u8], title: &str) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).peekable();
    if lines.peek() != Some(&GIMP) {
        return lines.any(|line| line.starts_with(';'));
    }
    let (name, mut is_head) = (format!("Name: {}", swatch_name(title)), true);
    lines.skip(1).any(|line| {
        is_head &= !line.starts_with(|letter: char| letter.is_ascii_digit());
        let is_own = line.starts_with('#') && line.len() > 1;
        is_own || (is_head && line.contains(':') && line != name && line != "Columns: 0")
    })
}

/// A name as a line can hold it: no control characters, no spaces around it, not too long.
pub fn swatch_name(name: &str) -> String {
    let name: String = name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let cut: String = name.trim().chars().take(MAX_SWATCH_NAME).collect();
    cut.trim_end().to_owned()
}

/// The lines with their numbers.
struct Lines<'a> {
    rest: std::iter::Enumerate<std::str::Lines<'a>>,
    /// Of the line that was handed out last, from 1.
    number: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let (index, line) = self.rest.next()?;
        self.number = index + 1;
        Some(line)
    }
}

fn syntax(line: usize, column: usize, expected: &'static str) -> FormatError {
    FormatError::Syntax { line, column, expected }
}

/// Adds a colour unless there are too many.
fn push(swatches: &mut Vec<Swatch>, line: usize, name: &str, color: Rgb) -> Result<(), FormatError> {
    if swatches.len() >= MAX_SWATCHES {
        return Err(syntax(line, 1, "the end: a palette has at most 4096 colors"));
    }
    swatches.push(Swatch { name: Arc::from(name), color });
    Ok(())
}

/// After the first line: `Name: value` lines and comments, then `red green blue name` lines.
fn gimp(lines: &mut Lines<'_>) -> Result<Vec<Swatch>, FormatError> {
    let (mut swatches, mut has_alpha) = (vec![], false);
    while let Some(line) = lines.next() {
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if swatches.is_empty() && !content.starts_with(|letter: char| letter.is_ascii_digit()) && content.contains(':') {
            // Aseprite's way to write how opaque a colour is.
            has_alpha |= content == "Channels: RGBA";
            continue;
        }
        let mut words = Words::new(line, lines.number);
        let color = words.color()?;
        if has_alpha {
            words.channel()?;
        }
        let name = swatch_name(words.rest);
        push(&mut swatches, lines.number, if name == UNNAMED { "" } else { &name }, color)?;
    }
    Ok(swatches)
}

/// After the first line: the version, the number of colours, then `red green blue` lines, some with an alpha.
fn jasc(lines: &mut Lines<'_>) -> Result<Vec<Swatch>, FormatError> {
    let version = lines.next().unwrap_or_default().trim();
    if version != "0100" {
        return Err(syntax(2, 1, "the version 0100"));
    }
    let count = lines.next().unwrap_or_default().trim().parse::<usize>();
    let count = count.map_err(|_| syntax(3, 1, "the number of colors"))?;
    if count > MAX_SWATCHES {
        return Err(syntax(3, 1, "at most 4096 colors"));
    }
    let mut swatches = vec![];
    while let Some(line) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        if swatches.len() == count {
            return Err(syntax(lines.number, 1, "the end: line 3 names fewer colors"));
        }
        let mut words = Words::new(line, lines.number);
        let color = words.color()?;
        if !words.rest.trim().is_empty() {
            words.channel()?;
        }
        words.end()?;
        push(&mut swatches, lines.number, "", color)?;
    }
    if swatches.len() < count {
        return Err(syntax(lines.number + 1, 1, "more colors: line 3 names their number"));
    }
    Ok(swatches)
}

/// A colour a line, with or without `#`; a line that begins with `;` says something else.
fn hex(lines: &mut Lines<'_>) -> Result<Vec<Swatch>, FormatError> {
    let mut swatches = vec![];
    while let Some(line) = lines.next() {
        let content = line.trim();
        if content.is_empty() || content.starts_with(';') {
            continue;
        }
        let expected = if swatches.is_empty() {
            "a palette: GIMP Palette, JASC-PAL, or colors as six hexadecimal digits"
        } else {
            "a color as six hexadecimal digits"
        };
        let column = line.len() - line.trim_start().len() + 1;
        let color = content.parse().map_err(|_| syntax(lines.number, column, expected))?;
        push(&mut swatches, lines.number, "", color)?;
    }
    Ok(swatches)
}

/// What is left of a line.
struct Words<'a> {
    line: usize,
    len: usize,
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn new(text: &'a str, line: usize) -> Self {
        Self { line, len: text.len(), rest: text }
    }

    fn color(&mut self) -> Result<Rgb, FormatError> {
        Ok(Rgb::new(self.channel()?, self.channel()?, self.channel()?))
    }

    fn channel(&mut self) -> Result<u8, FormatError> {
        self.rest = self.rest.trim_start();
        let column = self.len - self.rest.len() + 1;
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.parse().map_err(|_| syntax(self.line, column, "a number from 0 to 255"))
    }

    fn end(&self) -> Result<(), FormatError> {
        let rest = self.rest.trim_start();
        if rest.is_empty() { Ok(()) } else { Err(syntax(self.line, self.len - rest.len() + 1, "the end of the line")) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A palette as text: `#rrggbb name` joined by commas, or what is wrong with it.
    #[track_caller]
    fn check(file: &[u8], expected: &str) {
        let said = match read_swatches(file) {
            Ok((format, swatches)) => {
                let swatches: Vec<_> =
                    swatches.iter().map(|swatch| format!("{} {}", swatch.color, swatch.name).trim().to_owned()).collect();
                format!("{}: {}", format.extension(), swatches.join(", "))
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn gimp_palettes_come_with_names() {
        check(
            b"GIMP Palette\nName: Clay\nColumns: 4\n# hand made\n 58  42  28\tDark earth\n255 255 255 Untitled\n\n0 0 0\n",
            "gpl: #3a2a1c Dark earth, #ffffff, #000000",
        );
        check(b"\xef\xbb\xbfGIMP Palette\r\n#\r\n  1   2   3\tb\xe9ton\r\n", "gpl: #010203 b\u{fffd}ton");
        check(b"GIMP Palette\n1 2 3\tUntitled\x01\n", "gpl: #010203");
        check(b"GIMP Palette\nChannels: RGBA\n1 2 3 255 7 up\n", "gpl: #010203 7 up");
        check(b"GIMP Palette\n1 2 3 7 up\n", "gpl: #010203 7 up");
    }

    #[test]
    fn jasc_and_lospec_palettes_are_lists_of_colors() {
        check(b"JASC-PAL\r\n0100\r\n2\r\n255 0 16\r\n1 2 3 255\r\n", "pal: #ff0010, #010203");
        check(b"JASC-PAL\n0100\n1\n255 0 16", "pal: #ff0010");
        check(b"ff0010\n#0A0b0C\r\n\n; end\n", "hex: #ff0010, #0a0b0c");
    }

    #[test]
    fn what_a_palette_has_beside_its_colors_is_seen() {
        let own = write_swatches(SwatchFormat::Gimp, "mine", &[Swatch { name: "# 1: Clay".into(), color: Rgb::new(1, 2, 3) }]);
        let files: [(&[u8], bool); 8] = [
            (&own, false),
            (b"GIMP Palette\nName: Castle\n1 2 3\n", true),
            (b"GIMP Palette\r\nName: mine\r\nColumns: 4\r\n1 2 3\r\n", true),
            (b"GIMP Palette\n1 2 3\n# of the west\n4 5 6\n", true),
            (b"JASC-PAL\n0100\n1\n1 2 3\n", false),
            (b"#010203\n040506\n", false),
            (b"010203\n; of the west\n", true),
            (b"", false),
        ];
        assert_eq!(files.map(|(file, _)| says_more(file, "mine")), files.map(|(_, expected)| expected));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let none = "line 1, column 1: expected a palette: GIMP Palette, JASC-PAL, or colors as six hexadecimal digits";
        check(b"\x89PNG\r\n\x1a\n\0\0", none);
        check(b"GIMP Palette 2\n1 2 3\n", none);
        check(b"", "line 1, column 1: expected a color");
        check(b"\n\n", "line 3, column 1: expected a color");
        check(b"GIMP Palette\nName: none\n", "line 3, column 1: expected a color");
        check(b"GIMP Palette\n1 2\n", "line 2, column 4: expected a number from 0 to 255");
        check(b"GIMP Palette\n1 2 256 red\n", "line 2, column 5: expected a number from 0 to 255");
        check(b"GIMP Palette\n1 2 3\nName: late\n", "line 3, column 1: expected a number from 0 to 255");
        check(b"JASC-PAL\n0200\n1\n1 2 3\n", "line 2, column 1: expected the version 0100");
        check(b"JASC-PAL\n0100\nmany\n", "line 3, column 1: expected the number of colors");
        check(b"JASC-PAL\n0100\n99999999\n", "line 3, column 1: expected at most 4096 colors");
        check(b"JASC-PAL\n0100\n2\n1 2 3\n", "line 5, column 1: expected more colors: line 3 names their number");
        check(b"JASC-PAL\n0100\n1\n1 2 3\n4 5 6\n", "line 5, column 1: expected the end: line 3 names fewer colors");
        check(b"JASC-PAL\n0100\n1\n1 2 3 4 5\n", "line 4, column 9: expected the end of the line");
        check(b"ff0010\n  ff00\n", "line 2, column 3: expected a color as six hexadecimal digits");
    }

    #[test]
    fn a_palette_of_too_many_colors_or_bytes_is_refused() {
        let lines = "000000\n".repeat(MAX_SWATCHES + 1);
        check(lines.as_bytes(), "line 4097, column 1: expected the end: a palette has at most 4096 colors");
        assert_eq!(read_swatches(&lines.as_bytes()[7..]).unwrap().1.len(), MAX_SWATCHES);
        assert!(matches!(read_swatches(&vec![b'\n'; (1 << 20) + 1]), Err(FormatError::FileTooLarge { .. })));
    }

    fn palettes() -> impl Strategy<Value = Vec<Swatch>> {
        let swatch = (any::<[u8; 3]>(), "\\PC{0,90}").prop_map(|([r, g, b], name)| {
            let name = swatch_name(&name);
            Swatch { name: if name == UNNAMED { "".into() } else { name.into() }, color: Rgb::new(r, g, b) }
        });
        prop::collection::vec(swatch, 1..40)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(swatches in palettes(), title in "\\PC{0,20}") {
            for format in SwatchFormat::ALL {
                let bytes = write_swatches(format, &title, &swatches);
                let (read_as, again) = read_swatches(&bytes).unwrap();
                prop_assert_eq!(read_as, format);
                let colors = |swatches: &[Swatch]| swatches.iter().map(|swatch| swatch.color).collect::<Vec<_>>();
                prop_assert_eq!(colors(&again), colors(&swatches));
                if format == SwatchFormat::Gimp {
                    prop_assert_eq!(&again, &swatches);
                }
                prop_assert_eq!(write_swatches(format, &title, &again), bytes, "written again it is the same file");
            }
        }

        #[test]
        fn broken_bytes_never_stop_the_reader(
            swatches in palettes(), kind in 0_usize..3, cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8)
        ) {
            let mut bytes = write_swatches(SwatchFormat::ALL[kind], "", &swatches);
            for (at, byte) in cuts {
                let at = at.index(bytes.len());
                if byte % 5 == 0 { bytes.truncate(at.max(1)) } else { bytes[at] = byte }
            }
            match read_swatches(&bytes) {
                Ok((_, read)) => prop_assert!(!read.is_empty() && read.len() <= MAX_SWATCHES),
                Err(error) => prop_assert!(error.to_string().starts_with("line "), "{error}"),
            }
        }
    }
}
