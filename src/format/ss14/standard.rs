//! Entities of the shape that nearly all have: a uid, perhaps a prototype, the Transform, and after it components with
//! short values.
//!
//! ```text
//!   - uid: 12                       - uid: 12                    - uid: 12
//!     components:                     components:                  type: Wall
//!     - type: Transform               - pos: -3.5,7.5              components:
//!       rot: 1.5707964 rad              parent: 1                  - parent: 1
//!       pos: -3.5,7.5                   type: Transform              pos: -3.5,7.5
//!       parent: 1                     - visible: False               type: Transform
//!                                       type: Sprite
//! ```
//! They are read byte by byte, and what is read here is well-formed. All else is left to `entities`.

use super::entities::{Entity, offset};
use super::index::NO_UID;
use super::scanner::indent_of;

/// Digits of a number that is read here at most: it fits 32 bits.
const MAX_DIGITS: usize = 9;

/// Keys of a component that is read here at most.
const MOST_KEYS: usize = 8;

/// Reads the bytes from a place on; all functions go on behind what they took, or answer `None`.
#[derive(Clone, Copy, Debug)]
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    #[inline]
    fn eat(&mut self, text: &[u8]) -> Option<()> {
        self.rest().starts_with(text).then(|| self.at += text.len())
    }

    /// The spaces before a line's text.
    #[inline]
    fn indent(&mut self, spaces: usize) -> Option<()> {
        (indent_of(self.rest()) == spaces).then(|| self.at += spaces)
    }

    #[inline]
    fn line_break(&mut self) -> Option<()> {
        match *self.rest() {
            [b'\n', ..] => self.at += 1,
            [b'\r', b'\n', ..] => self.at += 2,
            _ => return None,
        }
        Some(())
    }

    #[inline]
    fn digits(&mut self) -> Option<u32> {
        let (mut number, mut count) = (0, 0);
        for digit in self.rest().iter().take_while(|byte| byte.is_ascii_digit()) {
            // More digits than are believed do not count.
            number = if count < MAX_DIGITS { number * 10 + u32::from(digit - b'0') } else { 0 };
            count += 1;
        }
        self.at += count;
        (1..=MAX_DIGITS).contains(&count).then_some(number)
    }

    /// A plain decimal number, rounded down.
    #[inline]
    fn floor(&mut self) -> Option<i32> {
        let is_negative = self.eat(b"-").is_some();
        let start = self.at;
        let whole = i32::try_from(self.digits()?).ok()?;
        if self.at - start > 6 {
            return None;
        }
        let mut has_fraction = false;
        if self.eat(b".").is_some() {
            let fraction = self.rest().iter().take_while(|byte| byte.is_ascii_digit());
            let mut count = 0;
            for digit in fraction {
                has_fraction |= *digit != b'0';
                count += 1;
            }
            self.at += count;
        }
        Some(if is_negative { -whole - i32::from(has_fraction) } else { whole })
    }

    /// A word that begins with a letter.
    #[inline]
    fn word(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        self.at += length;
        rest.get(..length).filter(|word| word.first().is_some_and(u8::is_ascii_alphabetic))
    }

    /// A short value without quotes.
    #[inline]
    fn value(&mut self) -> Option<()> {
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')).count();
        self.at += length;
        rest.first().filter(|first| length > 0 && first.is_ascii_alphanumeric()).map(|_| ())
    }

    /// The keys of a component that is not read, behind its dash, each with a short value; they are indented so.
    fn other_component(&mut self, spaces: usize) -> Option<()> {
        let mut is_named = false;
        let mut keys: [&[u8]; MOST_KEYS] = [b""; MOST_KEYS];
        for slot in 0.. {
            let key = self.word()?;
            // What stands twice is told by the other reader.
            let known = keys.get(..slot).unwrap_or_default();
            (!known.contains(&key)).then_some(())?;
            *keys.get_mut(slot)? = key;
            self.eat(b": ")?;
            if key == b"type" {
                // What these say is read elsewhere.
                is_named = !matches!(self.clone().word()?, b"Transform" | b"MapGrid" | b"MetaData");
                is_named.then_some(())?;
            }
            self.value()?;
            self.line_break()?;
            if indent_of(self.rest()) != spaces {
                return is_named.then_some(());
            }
            self.at += spaces;
        }
        None
    }

    /// An angle: a number, and perhaps its unit.
    #[inline]
    fn angle(&mut self) -> Option<()> {
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'E' | b'e')).count();
        let digits = rest.get(..length)?;
        let digits = digits.strip_prefix(b"-").unwrap_or(digits);
        self.at += length;
        _ = self.eat(b" rad");
        digits.first().is_some_and(u8::is_ascii_digit).then_some(())
    }
}

/// Reads the entity that begins at the start of a line. Answers it, the text of its prototype if it has one, and the start of the
/// line behind it; its own prototype is left open. `None` for every other shape.
pub(super) fn read(bytes: &[u8], start: usize, dash: usize) -> Option<(Entity, Option<&[u8]>, usize)> {
    let mut cursor = Cursor { bytes, at: start };
    cursor.indent(dash)?;
    cursor.eat(b"- uid: ")?;
    let uid = cursor.digits()?;
    cursor.line_break()?;
    cursor.indent(dash + 2)?;
    let mut proto = None;
    if cursor.eat(b"type: ").is_some() {
        proto = Some(cursor.word()?);
        cursor.line_break()?;
        cursor.indent(dash + 2)?;
    }
    cursor.eat(b"components:")?;
    cursor.line_break()?;
    cursor.indent(dash + 2)?;
    cursor.eat(b"- ")?;
    let (mut is_transform, mut parent, mut pos, mut has_rot) = (false, None, None, false);
    loop {
        match *cursor.rest() {
            [b't', ..] if !is_transform => {
                cursor.eat(b"type: Transform")?;
                is_transform = true;
            }
            [b'p', b'o', ..] if pos.is_none() => {
                cursor.eat(b"pos: ")?;
                let from = cursor.at;
                let x = cursor.floor()?;
                cursor.eat(b",")?;
                pos = Some(([x, cursor.floor()?], (offset(from), offset(cursor.at))));
            }
            [b'p', b'a', ..] if parent.is_none() => {
                cursor.eat(b"parent: ")?;
                parent = Some(cursor.digits()?);
            }
            [b'r', ..] if !has_rot => {
                cursor.eat(b"rot: ")?;
                cursor.angle()?;
                has_rot = true;
            }
            _ => return None,
        }
        cursor.line_break()?;
        let mut indent = indent_of(cursor.rest());
        while is_transform && indent == dash + 2 && cursor.rest().get(indent) == Some(&b'-') {
            cursor.at += indent;
            cursor.eat(b"- ")?;
            cursor.other_component(dash + 4)?;
            indent = indent_of(cursor.rest());
        }
        if indent != dash + 4 {
            // Another entity, or what is less deep; not a comment, nor an empty line.
            let next = cursor.rest().get(indent)?;
            let is_next = if indent == dash { *next == b'-' } else { indent < dash && next.is_ascii_graphic() };
            if !is_next || *next == b'#' || !is_transform {
                return None;
            }
            break;
        }
        cursor.at += indent;
    }
    let (tile, pos) = pos.unwrap_or_default();
    let entity = Entity {
        start: offset(start),
        end: offset(cursor.at),
        uid,
        proto: 0,
        parent: parent.unwrap_or(NO_UID),
        names_grid: false,
        is_grid: false,
        has_transform: true,
        grid: None,
        tile,
        pos,
    };
    Some((entity, proto, cursor.at))
}

#[cfg(test)]
mod tests {
    use super::super::index::Index;

    /// A map with those entities, and how many bytes of it were read here.
    fn index(entities: &str) -> (Index, String, usize) {
        let text =
            format!("meta:\n  format: 7\ntilemap: {{}}\nentities:\n- proto: Wall\n  entities:\n{entities}- proto: Chair\n  entities: []\n");
        let index = Index::of(text.as_bytes()).unwrap();
        let read = index.wellformed.iter().map(|lines| lines.len()).sum();
        (index, text, read)
    }

    #[test]
    fn entities_of_the_standard_shape_say_what_all_others_do() {
        let shapes = [
            "    components:\n    - type: Transform\n      rot: -1.5707963267948966 rad\n      pos: -3.5,7\n      parent: 1\n",
            "    components:\r\n    - pos: -0.0,-12.25\r\n      parent: 77\r\n      type: Transform\r\n",
            "    type: Chair\n    components:\n    - parent: 5\n      rot: 4.3E-08\n      type: Transform\n      pos: 0.001,100000.\n",
            "    components:\n    - type: Transform\n",
            "    components:\n    - type: Transform\n      parent: 123456789\n",
            "    components:\n    - type: Transform\n      parent: 4\n    - visible: False\n      type: Sprite\n    - type: Physics\n      mass: 1.5-x\n",
        ];
        for shape in shapes {
            // Quotes are left to the other reader.
            let [own, other] = ["12", "'12'"].map(|uid| index(&format!("  - uid: {uid}\n{shape}  - uid: {uid}\n{shape}")));
            assert!(own.2 > 2 * shape.len() && other.2 == 0, "{shape}: {} and {}", own.2, other.2);
            let of = |(index, text, _): &(Index, String, usize)| -> Vec<_> {
                let proto = |entity: &super::Entity| index.protos[entity.proto as usize].to_string();
                let each = index.entities.iter().map(|entity| {
                    let pos = entity.position().map(|pos| text[pos].to_owned());
                    (
                        entity.uid,
                        proto(entity),
                        entity.parent,
                        entity.tile,
                        pos,
                        entity.has_transform,
                        text[entity.lines()].replace('\'', ""),
                    )
                });
                each.collect()
            };
            assert_eq!(of(&own), of(&other), "{shape}");
            assert_eq!(own.0.entities.len(), 2, "{shape}");
        }
    }

    #[test]
    fn every_other_shape_is_left_to_the_other_reader() {
        for shape in [
            "    components:\n    - type: Transform\n      pos: 1,2\n    - type: Door\n      list:\n      - 1\n",
            "    components:\n    - type: Transform\n      pos: 1,2\n    - type: MetaData\n      name: x\n",
            "    components:\n    - type: Transform\n      pos: 1,2\n    - open: true\n",
            "    components:\n    - type: Transform\n      pos: 1,2\n    - type: A\n      b: 1\n      b: 2\n",
            "    components:\n    - type: Transform\n      pos: 1,2\n    - type: A\n      b: c: d\n",
            "    components:\n    - type: Transform\n      pos: 1,2\n    - type: A\n        b: c\n",
            "    components:\n    - type: Transform\n      pos: 1,2\n# no\n",
            "    components:\n    - type: Transform\n      pos: 1,2\n\n",
            "    components:\n    - type: Transform\n      pos: 1,2 # no\n",
            "    components:\n    - type: Transform\n      pos: 1e3,2\n",
            "    components:\n    - type: Transform\n      pos: 1234567,2\n",
            "    components:\n    - type: Transform\n      pos: 1,2\n      pos: 3,4\n",
            "    components:\n    - type: Transform\n      parent: invalid\n",
            "    components:\n    - type: Transform\n      parent: 1234567890\n",
            "    components:\n    - type: Transform\n      rot: - 1\n",
            "    components:\n    - type: TransformX\n",
            "    components:\n    - pos: 1,2\n",
            "    components:\n      - type: Transform\n",
            "    components: []\n",
            "    mapInit: true\n    components:\n    - type: Transform\n",
            "    type: A B\n    components:\n    - type: Transform\n",
        ] {
            assert_eq!(index(&format!("  - uid: 12\n{shape}")).2, 0, "{shape}");
        }
    }
}
