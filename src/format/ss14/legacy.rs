//! Layouts that the scanner does not take: the files of 2018 without a `meta`, flow style, anchors.
//!
//! They are read through a YAML library, and what matters is written out again in the layout that the
//! scanner knows: a view, for looking at and exporting. The file itself can be saved only as it was.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::fmt::Write as _;

use serde::de::{
    Deserialize as _, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess as _, Visitor,
};

use super::scanner::quoted;
use crate::format::FormatError;
use crate::format::yaml::check_nesting;

/// Longest file that is read so: a YAML tree takes forty times its text.
const MAX_BYTES: usize = 8 << 20;
/// Most values in a file, aliases counted as often as they are used.
const MAX_VALUES: u32 = 2 << 20;
/// Most text in them, in bytes.
const MAX_TEXT: usize = 64 << 20;

/// A file as a view in the scanner's layout.
///
/// # Errors
/// [`FormatError::Syntax`] where it is no YAML, [`FormatError::Unsupported`] where it is no map or its
/// nesting or aliases are those of an attack.
pub(super) fn view(bytes: &[u8]) -> Result<View, FormatError> {
    let root = parse(bytes)?;
    // Files of 2018 have no number.
    let format = root.get("meta").and_then(|meta| meta.get("format")).and_then(Node::text).and_then(|format| format.parse().ok());
    let text = write_view(&root).ok_or(FormatError::Unsupported { what: "YAML without grids" })?;
    Ok(View { text, format })
}

/// A file in the scanner's layout.
#[derive(Debug)]
pub(super) struct View {
    pub text: String,
    /// The number of the file's format, if it names one: the view has another.
    pub format: Option<u32>,
}

/// Whether the library understands a file at all. One that is too long for it passes.
///
/// # Errors
/// As [`view`], but for what the file holds.
pub(super) fn check(bytes: &[u8]) -> Result<(), FormatError> {
    match parse(bytes) {
        Err(FormatError::FileTooLarge { .. }) => Ok(()),
        parsed => parsed.map(drop),
    }
}

fn parse(bytes: &[u8]) -> Result<Node, FormatError> {
    if bytes.len() > MAX_BYTES {
        return Err(FormatError::FileTooLarge { length: bytes.len() as u64, most: MAX_BYTES as u64 });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = super::scanner::line_number(bytes, error.valid_up_to());
        FormatError::Syntax { line, column: 1, expected: "UTF-8 text" }
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(at) = text.bytes().position(|byte| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r')) {
        let line = super::scanner::line_number(text.as_bytes(), at);
        return Err(FormatError::Syntax { line, column: 1, expected: "text without control characters" });
    }
    check_nesting(text)?;
    let budget = Budget { values: Cell::new(MAX_VALUES), text: Cell::new(MAX_TEXT) };
    let root = Seed(&budget).deserialize(serde_yaml::Deserializer::from_str(text)).map_err(|error| match error.location() {
        Some(at) => {
            let text = error.to_string();
            let is_attack = ["too many", "too much", "limit", "recursion"].iter().any(|word| text.contains(word));
            let expected = if is_attack {
                "YAML without cycles or endless aliases"
            } else {
                "well-formed YAML: spaces to indent, lists and keys in line"
            };
            FormatError::Syntax { line: at.line(), column: at.column(), expected }
        }
        None => match second_document(text) {
            Some(line) => FormatError::Syntax { line, column: 1, expected: "the end of the file: a map is one YAML document" },
            None => FormatError::Unsupported { what: "YAML with endless aliases, or more than one document" },
        },
    })?;
    Ok(root)
}

/// The first line of what comes after the first document, counted from 1.
fn second_document(text: &str) -> Option<usize> {
    let is_mark = |line: &str, mark: &str| line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    let (mut has_text, mut is_over) = (false, false);
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if is_over || (has_text && is_mark(line, "---")) {
            return Some(number);
        }
        is_over = is_mark(line, "...");
        // Behind its mark a document may begin.
        has_text |= !line.starts_with('%') && (!is_mark(line, "---") || line.len() > 4);
    }
    None
}

/// A value of the file. Tags are dropped.
#[derive(Debug)]
enum Node {
    Scalar(String),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
}

impl Node {
    fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Self::Scalar(text) => Some(text),
            _ => None,
        }
    }

    fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    fn values(&self) -> Vec<&Self> {
        match self {
            Self::List(items) => items.iter().collect(),
            Self::Map(entries) => entries.iter().map(|(_, value)| value).collect(),
            Self::Scalar(_) => vec![],
        }
    }
}

/// What reading may still take.
struct Budget {
    values: Cell<u32>,
    text: Cell<usize>,
}

#[derive(Clone, Copy)]
struct Seed<'a>(&'a Budget);

impl Seed<'_> {
    fn scalar<E: serde::de::Error>(self, text: impl Into<String>) -> Result<Node, E> {
        let text = text.into();
        let left = self.0.text.get().checked_sub(text.len()).ok_or_else(|| E::custom("too much text"))?;
        self.0.text.set(left);
        Ok(Node::Scalar(text))
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        let left = self.0.values.get().checked_sub(1).ok_or_else(|| D::Error::custom("too many values"))?;
        self.0.values.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("YAML")
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Node, E> {
        self.scalar(value.to_string())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Node, E> {
        self.scalar(value.to_string())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Node, E> {
        self.scalar(value.to_string())
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Node, E> {
        self.scalar(value.to_string())
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Node, E> {
        self.scalar(value.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Node, E> {
        self.scalar(value.to_string())
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Node, E> {
        self.scalar(value)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Node, E> {
        self.scalar("")
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<Node, E> {
        self.scalar("")
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut items = vec![];
        while let Some(item) = access.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut entries = vec![];
        while let Some(key) = access.next_key_seed(self)? {
            let value = access.next_value_seed(self)?;
            if let Node::Scalar(key) = key {
                entries.push((key, value));
            }
        }
        Ok(Node::Map(entries))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Node, A::Error> {
        // A tag such as `!type:Container`.
        let (_, content) = access.variant_seed(Tag)?;
        content.newtype_variant_seed(self)
    }
}

struct Tag;

impl<'de> DeserializeSeed<'de> for Tag {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        String::deserialize(deserializer).map(drop)
    }
}

/// The parts that matter in the scanner's layout; `None` where there are none.
fn write_view(root: &Node) -> Option<String> {
    let mut text = String::new();
    let is_bare = matches!(root, Node::List(_));
    let part = |name: &str| match root {
        Node::List(items) => items.iter().find_map(|item| item.get(name)),
        _ => root.get(name),
    };
    let (sections, flat): (Vec<&Node>, Vec<(&str, &Node)>) = if is_bare {
        let grids = root.items().iter().filter_map(|item| item.get("grid")).collect();
        let entities = root.items().iter().filter_map(|item| item.get("entities")).flat_map(Node::items);
        (grids, entities.map(|entity| (entity.get("id").and_then(Node::text).unwrap_or(""), entity)).collect())
    } else {
        let grids = part("grids").map_or(&[][..], Node::items).iter().filter(|grid| grid.get("chunks").is_some()).collect();
        let entities = part("entities").map_or(&[][..], Node::items).iter().flat_map(|entry| match entry.get("entities") {
            Some(group) => {
                let proto = entry.get("proto").and_then(Node::text).unwrap_or("");
                group.items().iter().map(|entity| (proto, entity)).collect::<Vec<_>>()
            }
            None => vec![(entry.get("type").and_then(Node::text).unwrap_or(""), entry)],
        });
        (grids, entities.collect())
    };
    let grid_entities = || flat.iter().filter(|(_, entity)| component(entity, "MapGrid").is_some_and(|grid| grid.get("chunks").is_some()));
    if sections.is_empty() && grid_entities().next().is_none() {
        return None;
    }
    // Writing to a string cannot fail.
    writeln!(text, "meta:\n  format: {}", if sections.is_empty() { 3 } else { 2 }).ok();
    let meta = root.get("meta");
    for name in ["name", "author", "postmapinit"] {
        if let Some(value) = meta.and_then(|meta| meta.get(name)).and_then(Node::text) {
            writeln!(text, "  {name}: {}", quoted(value)).ok();
        }
    }
    if let Some(Node::Map(names)) = root.get("tilemap") {
        text.push_str("tilemap:\n");
        for (id, name) in last_of_each(names.iter(), |(id, _)| id.trim().parse::<u32>().map_err(|_| id.as_str())) {
            writeln!(text, "  {}: {}", quoted(id), quoted(name.text().unwrap_or(""))).ok();
        }
    }
    if !sections.is_empty() {
        text.push_str("grids:\n");
    }
    for section in sections {
        let settings = section.get("settings");
        let size = settings.and_then(|settings| settings.get("chunksize").or(settings.get("csz"))).and_then(Node::text).unwrap_or("16");
        writeln!(text, "- settings:\n    chunksize: {}", quoted(size)).ok();
        if let Some(place) = settings.and_then(|settings| settings.get("worldpos")).and_then(Node::text) {
            writeln!(text, "    worldpos: {}", quoted(place)).ok();
        }
        if let Some(uid) = section.get("uid").and_then(Node::text) {
            writeln!(text, "  uid: {}", quoted(uid)).ok();
        }
        let chunks = chunks_of(section);
        text.push_str(if chunks.is_empty() { "  chunks: []\n" } else { "  chunks:\n" });
        chunks.into_iter().for_each(|chunk| write_chunk(&mut text, 2, chunk));
    }
    text.push_str("entities:\n");
    for (proto, entity) in flat {
        writeln!(text, "- type: {}", quoted(proto)).ok();
        if let Some(uid) = entity.get("uid").and_then(Node::text) {
            writeln!(text, "  uid: {}", quoted(uid)).ok();
        }
        text.push_str("  components:\n");
        if let Some(name) = component(entity, "MetaData").and_then(|data| data.get("name")).and_then(Node::text) {
            writeln!(text, "  - type: MetaData\n    name: {}", quoted(name)).ok();
        }
        if let Some(transform) = component(entity, "Transform") {
            text.push_str("  - type: Transform\n");
            for key in ["parent", "pos", "rot", "grid"] {
                let Some(value) = transform.get(key).and_then(Node::text) else { continue };
                // Grids were counted from 1 at first.
                let counted = (is_bare && key == "grid").then(|| value.parse().ok().and_then(|grid: u32| grid.checked_sub(1))).flatten();
                writeln!(text, "    {key}: {}", counted.map_or_else(|| quoted(value), |grid| grid.to_string())).ok();
            }
        }
        if let Some(grid) = component(entity, "MapGrid") {
            text.push_str("  - type: MapGrid\n");
            for key in ["index", "chunkSize"] {
                if let Some(value) = grid.get(key).and_then(Node::text) {
                    writeln!(text, "    {key}: {}", quoted(value)).ok();
                }
            }
            let chunks = chunks_of(grid);
            if !chunks.is_empty() {
                text.push_str("    chunks:\n");
            }
            chunks.into_iter().for_each(|chunk| write_chunk(&mut text, 4, chunk));
        }
    }
    Some(text)
}

/// The chunks of a section or a component; of one that stands there twice the later one.
fn chunks_of(grid: &Node) -> Vec<&Node> {
    let chunks = grid.get("chunks").map(Node::values).unwrap_or_default();
    last_of_each(chunks.into_iter(), |chunk| chunk.get("ind").and_then(Node::text).map(|place| super::scanner::pair(place).ok_or(place)))
}

/// Those that no later one has the key of, in order.
fn last_of_each<T: Copy, K: Eq + std::hash::Hash>(all: impl DoubleEndedIterator<Item = T>, key: impl Fn(T) -> K) -> Vec<T> {
    let mut seen = HashSet::new();
    let mut last: Vec<T> = all.rev().filter(|item| seen.insert(key(*item))).collect();
    last.reverse();
    last
}

fn component<'a>(entity: &'a Node, name: &str) -> Option<&'a Node> {
    let components = entity.get("components")?.items();
    components.iter().find(|component| component.get("type").and_then(Node::text) == Some(name))
}

fn write_chunk(text: &mut String, indent: usize, chunk: &Node) {
    let mut dash = "- ";
    for key in ["ind", "tiles", "version", "size"] {
        let Some(value) = chunk.get(key).and_then(Node::text) else { continue };
        // Base64 is never in need of quotes; its blanks, if it was folded, are none of its own.
        let value = if key == "tiles" { value.split_whitespace().collect() } else { quoted(value) };
        writeln!(text, "{:indent$}{dash}{key}: {value}", "").ok();
        dash = "  ";
    }
}
