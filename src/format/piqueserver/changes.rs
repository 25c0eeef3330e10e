//! Questions about a name of a script that do not need its functions: whether what it was set to may become something else,
//! and whether it is there at all. Callers: the scanner of statements, the writer, and who tells.

use std::collections::BTreeSet;
use std::ops::Range;

use super::expression::is_name;
use super::literal::{Literal, Value as Plain};
use super::metadata::KEYS;
use super::module::{Module, Use};

impl<'a> Module<'a> {
    /// Where, at any time or behind an offset, something may be set that the file does not name as such.
    pub fn door_behind(&self, offset: usize) -> Option<usize> {
        self.doors.iter().find(|(at, is_any_time)| *is_any_time || *at > offset).map(|(at, _)| *at)
    }

    /// Where the value that a name was given by a literal at an offset may become another one, in a way that is more than
    /// another assignment.
    pub fn change_of(&self, name: &str, literal: &Literal, offset: usize) -> Option<usize> {
        let odd = self.odd_sets.iter().find(|(odd, at, is_any_time)| *odd == name && (*is_any_time || *at > offset));
        odd.map(|(_, at, _)| *at).or(self.door_behind(offset)).or_else(|| self.change_in(name, literal))
    }

    /// Where what a name stands for may be changed, under that name or another one.
    fn change_in(&self, name: &str, literal: &Literal) -> Option<usize> {
        // Our own lists are believed only where nothing else names them.
        if literal.is_solid() || !(name == "extensions" || KEYS.iter().any(|(key, capitalized)| name == *key || name == *capitalized)) {
            return None;
        }
        let has_solid_items = match &literal.value {
            Plain::List(items) | Plain::Tuple(items) => items.iter().all(Literal::is_solid),
            // What is in it is read by nobody here.
            _ => true,
        };
        let is_asked = |at: usize| {
            let token = self.tokens.partition_point(|token| token.span.start < at);
            let method = self.tokens.get(token + 2).map_or("", |token| token.text);
            matches!(method, "get" | "keys" | "values" | "items" | "copy" | "index" | "count")
        };
        let is_harmless = |at: usize, how: Use| match how {
            Use::Read | Use::TakenApart => has_solid_items,
            Use::Attribute => is_asked(at),
            Use::Called | Use::Plain => false,
        };
        let uses = self.names.get(name).map_or(&[][..], |known| known.uses.as_slice());
        uses.iter().find(|(at, how)| !is_harmless(*at, *how)).map(|(at, _)| *at)
    }

    /// A name of a library that some tokens use and that nothing in the file takes from there, with its offset.
    pub fn missing_import(&self, span: &Range<usize>) -> Option<(usize, &'a str)> {
        let word = |at: Option<usize>| at.and_then(|at| self.tokens.get(at)).map_or("", |token| token.text);
        let is_missing = |at: &usize| {
            let name = word(Some(*at));
            let is_known = match name {
                "random" => false,
                "randrange" | "randint" | "choice" => self.has_random_star,
                "BLUE_FLAG" | "GREEN_FLAG" | "BLUE_BASE" | "GREEN_BASE" => self.star_at.is_some(),
                _ => true,
            };
            !is_known && self.is_unbound(name) && !matches!(word(at.checked_sub(1)), "." | "from" | "import")
        };
        let is_set = |at: usize| word(Some(at + 1)) == "=" || matches!(word(at.checked_sub(1)), "import" | "as" | "for" | ",");
        let own: BTreeSet<&str> = span.clone().filter(|at| is_set(*at)).map(|at| word(Some(at))).collect();
        let is_name = |at: &usize| self.tokens.get(*at).is_some_and(is_name) && !own.contains(word(Some(*at)));
        let at = span.clone().filter(is_missing).find(is_name)?;
        Some((self.offset(at), word(Some(at))))
    }

    /// Whether a name is nothing of the file's.
    pub fn is_unbound(&self, name: &str) -> bool {
        self.names.get(name).is_none_or(|known| !known.is_bound())
    }
}
