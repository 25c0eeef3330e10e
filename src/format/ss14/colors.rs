//! The colours that stand for tiles: a table in `assets/`, what the options add, else the name's hash.
//!
//! Within a document a colour stands for one tile name and a name for one colour, found the same way from
//! the same file and options each time, so that nothing has to be remembered between reading and writing.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use super::{Options, TILE_COLORS, known};
use crate::document::{OptionValue, Palette, Swatch};
use crate::format::FormatError;
use crate::voxel::Rgb;

/// The table that comes with the editor.
const BUILT_IN: &str = include_str!("../../../assets/ss14_tiles.txt");

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    // Checked by a test.
    table.add(BUILT_IN).ok();
    table
});

/// Whether a tile is none: space is told by its name, never by its number.
pub(super) fn is_space(name: &str) -> bool {
    name.eq_ignore_ascii_case("space")
}

/// Whether the built-in list does not have a tile.
pub(super) fn is_unknown(name: &str) -> bool {
    !is_space(name) && !TABLE.by_name.contains_key(name) && !TABLE.by_normal.contains_key(&normal(name))
}

/// How names are compared: old maps say `floor_steel`, new ones `FloorSteel`.
fn normal(name: &str) -> String {
    name.chars().filter(|char| *char != '_').map(|char| char.to_ascii_lowercase()).collect()
}

/// Colours by tile name.
#[derive(Clone, Debug, Default)]
struct Table {
    /// In the order in which they are offered; no two colours are the same.
    order: Vec<Swatch>,
    by_name: HashMap<Arc<str>, Rgb>,
    by_color: HashMap<Rgb, Arc<str>>,
    /// By name without case and underscores, other names included.
    by_normal: HashMap<String, Rgb>,
}

impl Table {
    /// Adds lines `Name #rrggbb` and `other = Name`; later ones win. Answers the first line that is neither.
    fn add<'a>(&mut self, text: &'a str) -> Result<(), &'a str> {
        for line in text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some((alias, name)) = line.split_once('=').filter(|(_, name)| !name.trim().starts_with('#')) {
                let color = *self.by_normal.get(&normal(name.trim())).ok_or(line)?;
                self.by_normal.insert(normal(alias.trim()), color);
                continue;
            }
            let (name, color) = line.rsplit_once([' ', '=']).ok_or(line)?;
            let (name, color) = (name.trim().trim_end_matches('=').trim_end(), color.parse().map_err(|_| line)?);
            self.put(name, color);
        }
        Ok(())
    }

    /// Keeps these tiles only; names like theirs go on to have their colours.
    fn keep(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.order.retain(|swatch| is_kept(&swatch.name));
        self.by_name.retain(|name, _| is_kept(name));
        self.by_color.retain(|_, name| is_kept(name));
    }

    fn put(&mut self, name: &str, color: Rgb) {
        self.by_normal.insert(normal(name), color);
        if let Some(old) = self.by_name.get(name).copied() {
            self.by_color.remove(&old);
            self.order.retain(|swatch| &*swatch.name != name);
        }
        let Some(color) = neighbors(color).find(|color| !self.by_color.contains_key(color)) else { return };
        let name: Arc<str> = name.into();
        self.order.push(Swatch { name: name.clone(), color });
        self.by_color.insert(color, name.clone());
        self.by_name.insert(name, color);
    }
}

/// Which colour stands for which tile in a document: the table's names have the table's colours, others
/// come after them.
#[derive(Clone, Debug)]
pub(super) struct Colors {
    table: Cow<'static, Table>,
    /// Names of the file that the table does not have.
    by_name: HashMap<Arc<str>, Rgb>,
    by_color: HashMap<Rgb, Arc<str>>,
    /// The names of the file, in its order, each once.
    own: Vec<Arc<str>>,
}

impl Colors {
    /// Colours for the names of a file, in its order.
    ///
    /// # Errors
    /// [`FormatError::BadOption`] if the options hold a table that is none.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a Arc<str>>, options: &Options) -> Result<Self, FormatError> {
        let table = match options.get(TILE_COLORS) {
            None => Cow::Borrowed(&*TABLE),
            Some(OptionValue::Text(text)) if text.trim().is_empty() => Cow::Borrowed(&*TABLE),
            Some(OptionValue::Text(text)) => {
                let mut own = TABLE.clone();
                own.add(text).map_err(|line| FormatError::BadOption { name: TILE_COLORS, value: line.chars().take(80).collect() })?;
                Cow::Owned(own)
            }
            Some(other) => return Err(FormatError::BadOption { name: TILE_COLORS, value: format!("{other:?}") }),
        };
        // What the mapper's game lacks is not offered.
        let table = match known::names(options) {
            Some(known) => {
                let mut own = table.into_owned();
                own.keep(|name| known.contains(name));
                Cow::Owned(own)
            }
            None => table,
        };
        let mut colors = Self { table, by_name: HashMap::new(), by_color: HashMap::new(), own: vec![] };
        let mut seen = HashSet::new();
        for name in names {
            if !is_space(name) && seen.insert(name) {
                colors.add(name);
            }
        }
        Ok(colors)
    }

    /// Gives a name its colour, or the next one to it that is free.
    fn add(&mut self, name: &Arc<str>) {
        self.own.push(name.clone());
        if self.table.by_name.contains_key(name) {
            return;
        }
        let color = self.table.by_normal.get(&normal(name)).copied().unwrap_or_else(|| hashed(name));
        let is_free = |color: &Rgb| !self.table.by_color.contains_key(color) && !self.by_color.contains_key(color);
        let Some(color) = neighbors(color).find(is_free) else { return };
        self.by_name.insert(name.clone(), color);
        self.by_color.insert(color, name.clone());
    }

    /// The colour that stands for a tile.
    pub fn color_of(&self, name: &str) -> Option<Rgb> {
        self.table.by_name.get(name).or_else(|| self.by_name.get(name)).copied()
    }

    /// The tile that a colour stands for.
    pub fn name_of(&self, color: Rgb) -> Option<&Arc<str>> {
        self.table.by_color.get(&color).or_else(|| self.by_color.get(&color))
    }

    /// Names and colours for the window: the file's tiles, then the table's.
    pub fn palette(&self) -> Palette {
        // No two names have one colour, and `own` holds each name once; a hash of each would take longer than a small map.
        let is_own: HashSet<&str> = self.own.iter().map(|name| &**name).collect();
        Palette::of_distinct(self.own_swatches().chain(self.table.order.iter().filter(|swatch| !is_own.contains(&*swatch.name)).cloned()))
    }

    /// Those that an arbitrary colour may become: the tiles that the file has, else all.
    pub fn candidates(&self) -> Palette {
        if self.own.is_empty() { Palette::of_distinct(self.table.order.iter().cloned()) } else { Palette::of_distinct(self.own_swatches()) }
    }

    fn own_swatches(&self) -> impl Iterator<Item = Swatch> + '_ {
        self.own.iter().filter_map(|name| Some(Swatch { name: name.clone(), color: self.color_of(name)? }))
    }
}

/// A colour that follows from the name alone: of middling brightness, so that it shows.
fn hashed(name: &str) -> Rgb {
    // FNV-1a, fixed for ever: the colour of a tile must not change with the program.
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let [a, b, c, _] = hash.to_be_bytes();
    Rgb::new(0x40 | a >> 1, 0x40 | b >> 1, 0x40 | c >> 1)
}

/// A colour, then colours ever less like it: low bits first.
fn neighbors(color: Rgb) -> impl Iterator<Item = Rgb> {
    (0..1_u32 << 24).map(move |step| {
        let spread = |axis: u32| (0..8).fold(0_u32, |all, bit| all | (step >> (3 * bit + axis) & 1) << bit);
        // Three times eight bits.
        Rgb::new(color.r ^ spread(1) as u8, color.g ^ spread(2) as u8, color.b ^ spread(0) as u8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colors(names: &[&str], table: &str) -> Colors {
        let names: Vec<Arc<str>> = names.iter().map(|name| (*name).into()).collect();
        Colors::new(&names, &Options::from([(TILE_COLORS.into(), OptionValue::Text(table.into()))])).unwrap()
    }

    #[test]
    fn the_table_is_whole_and_no_color_stands_for_two_tiles() {
        let mut table = Table::default();
        assert_eq!(table.add(BUILT_IN), Ok(()));
        assert!(table.order.len() > 170);
        let lines = BUILT_IN.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.rsplit_once(" #"));
        for (name, color) in lines {
            assert_eq!(table.by_name.get(name).map(ToString::to_string), Some(format!("#{color}")), "{name} has a color of its own");
        }
        assert!(table.order.iter().all(|swatch| !is_space(&swatch.name)));
    }

    #[test]
    fn names_and_colors_belong_together() {
        let names = ["Space", "floor_steel", "FloorSteel", "underplating", "Plating", "MyTile", "MyTile", "tile 7"];
        let colors = colors(&names, "");
        for name in names.iter().filter(|name| !is_space(name)) {
            let color = colors.color_of(name).unwrap();
            assert_eq!(colors.name_of(color).map(|name| &**name), Some(*name));
        }
        assert_eq!(colors.color_of("FloorSteel"), Some(Rgb::new(0x7c, 0x7c, 0x7c)));
        assert!(colors.color_of("floor_steel").unwrap().is_near(Rgb::new(0x7c, 0x7c, 0x7c), 3));
        assert_eq!(colors.color_of("Space"), None);
        assert_eq!(colors.candidates().swatches().len(), 6);
        assert!(colors.palette().color_of("FloorWood").is_some());
        assert_eq!(hashed("MyTile"), Rgb::new(0x50, 0x55, 0x4a), "the color of a name never changes");
    }

    #[test]
    fn an_own_table_wins() {
        let own = colors(&["FloorSteel", "MyTile", "Other"], "FloorSteel #010203; MyTile=#040506\nother = MyTile");
        assert_eq!(own.color_of("FloorSteel"), Some(Rgb::new(1, 2, 3)));
        assert_eq!(own.color_of("MyTile"), Some(Rgb::new(4, 5, 6)));
        assert_eq!(own.color_of("Other"), Some(Rgb::new(4, 5, 7)));
        assert_eq!(own.name_of(Rgb::new(0x7c, 0x7c, 0x7c)), None);
        let bad = Options::from([(TILE_COLORS.into(), OptionValue::Text("FloorSteel red".into()))]);
        assert!(matches!(Colors::new([], &bad), Err(FormatError::BadOption { .. })));
    }
}
