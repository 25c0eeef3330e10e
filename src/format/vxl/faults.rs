//! Several broken columns of one file: each ends where one other byte in its headers would end it, and the number of all
//! columns tells which of its possible ends is right.
//!
//! A broken column is noticed where something cannot be read, in it or a few columns behind it. One that is noticed nowhere is
//! found last, as that with whose other end the number comes out.

use std::collections::BTreeMap;

use super::column::{Fault, WORD, parse_column};
use super::repair::{FOLLOWING, followers};
use super::resync::{MAX_WORDS, Resync, Tails};

/// Most broken columns that are found in a file.
const MAX_FAULTS: usize = 64;
/// Columns before the place where a fault is noticed that it may be in.
const LOOKED_BACK: usize = 32;
/// Most ends that are tried for each.
const MAX_CHOICES: usize = 12;
/// Most times that a column is read with another byte: some seconds at most.
const MAX_TRIES: usize = 4 << 20;
/// The same of small files: in proportion, but some at least.
const TRIES_OF_BYTE: usize = 64;
const MIN_TRIES: usize = 1 << 17;
/// Headers of the longest column.
const MAX_HEADERS: usize = 33;

/// Ends, by the first byte of the column that is to end there.
pub type Ends = BTreeMap<usize, usize>;

/// Where a column would end if one byte of its headers were another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mending {
    /// Whether more than one bit of that byte differs.
    is_byte: bool,
    end: usize,
    /// See [`Oddity`].
    odd: Oddity,
}

/// How many words of columns look like what they are not read as: colors that may be headers, and headers that may be colors.
type Oddity = usize;

/// How often a column may still be read with another byte.
#[derive(Debug)]
pub struct Tries(usize);

impl Tries {
    /// For a file.
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.len().saturating_mul(TRIES_OF_BYTE).clamp(MIN_TRIES, MAX_TRIES))
    }

    /// All ends that the column at `start` has with one other byte, those of a single bit first.
    fn mendings(&mut self, bytes: &[u8], start: usize) -> Vec<Mending> {
        let mut window = [0; MAX_WORDS * WORD];
        let rest = bytes.get(start..).unwrap_or(&[]);
        let length = rest.len().min(window.len());
        let Some((window, rest)) = window.get_mut(..length).zip(rest.get(..length)) else { return vec![] };
        window.copy_from_slice(rest);
        let (mut found, mut at): (BTreeMap<usize, Mending>, _) = (BTreeMap::new(), 0);
        for _ in 0..MAX_HEADERS {
            for place in at..at + WORD {
                let Some(&was) = window.get(place) else { break };
                for value in (0..=u8::MAX).filter(|value| *value != was) {
                    if let Some(byte) = window.get_mut(place) {
                        *byte = value;
                    }
                    self.0 = self.0.saturating_sub(1);
                    if let Ok((end, odd)) = read_column(window, 0) {
                        let mending = Mending { is_byte: !(value ^ was).is_power_of_two(), end: start + end, odd };
                        let known = found.entry(end).or_insert(mending);
                        if (mending.is_byte, mending.odd) < (known.is_byte, known.odd) {
                            *known = mending;
                        }
                    }
                }
                if let Some(byte) = window.get_mut(place) {
                    *byte = was;
                }
            }
            match window.get(at) {
                Some(0) | None => break,
                Some(n) => at += usize::from(*n) * WORD,
            }
            if self.0 == 0 {
                break;
            }
        }
        found.into_values().collect()
    }

    /// How likely it is that the column at `start` has one wrong byte and ends at `end`; nothing if no byte makes it end there, or
    /// if it reads as well as it is. The smallest is the likeliest.
    pub fn explain(&mut self, bytes: &[u8], start: usize, end: usize) -> Option<Likelihood> {
        let mendings = if self.0 == 0 { vec![] } else { self.mendings(bytes, start) };
        let mending = mendings.iter().find(|mending| mending.end == end)?;
        likelihood(bytes, start, mending).filter(is_evidence)
    }
}

/// How much odder than mended the file reads as it is, negated, and whether more than one bit is wrong.
pub type Likelihood = (isize, bool);

/// Bytes behind a broken column in which it shows how the file is read on.
const SHOWN: usize = 256;

/// Whether a column is [odd](Oddity), or cannot be read.
pub fn is_odd(bytes: &[u8], at: usize) -> bool {
    read_column(bytes, at).map_or(true, |(_, odd)| odd > 0)
}

/// Whether columns of a file are mostly odd, so that it tells nothing that one is.
pub fn is_strange(bytes: &[u8]) -> bool {
    let (mut at, mut odd, mut count) = (0, 0, 0);
    while count < SHOWN
        && let Ok((end, more)) = read_column(bytes, at)
    {
        (at, odd, count) = (end, odd + usize::from(more > 0), count + 1);
    }
    2 * odd > count
}

/// How many columns up to the end of a file of so many show that it ends with columns.
pub fn enough(total: usize) -> usize {
    FOLLOWING.min(total / 2).max(1)
}

/// Whether a file of so many columns ends with some, and not with something else behind them, or with a broken one.
pub fn ends_with_columns(bytes: &[u8], total: usize, strange: bool) -> bool {
    let words = bytes.len() / WORD;
    let enough = enough(total);
    let first = words.saturating_sub(FOLLOWING * MAX_WORDS);
    // For each word from the end on, how many columns there are from it to the end.
    let mut tails: Vec<Option<usize>> = vec![None; words - first + 1];
    if let Some(end) = tails.last_mut() {
        *end = Some(0);
    }
    for word in (first..words).rev() {
        let column = read_column(bytes, word * WORD).ok().filter(|(_, odd)| strange || *odd == 0);
        let tail = column.and_then(|(end, _)| tails.get(end / WORD - first).copied().flatten()).map(|tail| tail + 1);
        if tail.is_some_and(|tail| tail >= enough) {
            return true;
        }
        if let Some(place) = tails.get_mut(word - first) {
            *place = tail;
        }
    }
    false
}

/// Where each broken column ends by what is around it alone, as far as that can be told: of a file of which it is not known where its
/// columns end. Answers also whether all of it can be read so.
pub fn find_forward(bytes: &[u8], total: usize, strange: bool) -> (Vec<Resync>, bool) {
    let (mut tries, mut found, mut count) = (Tries::new(bytes), vec![], 0);
    let mut stretch = Stretch::of(bytes, 0, strange);
    while count + stretch.starts.len() < total && found.len() < MAX_FAULTS && tries.0 > 0 {
        let Some((choices, columns, next)) = choices(bytes, &stretch, strange, &mut tries) else { break };
        // Where nothing follows, nothing tells where it ends.
        let Some(choice) = choices.first().filter(|choice| choice.end < bytes.len()) else { break };
        count += columns;
        if count > total {
            break;
        }
        if parse_column(bytes, choice.start, |_| ()).map(|column| column.end) != Ok(choice.end) {
            found.push(Resync { column: count - 1, end: choice.end, missing: 0 });
        }
        stretch = next;
    }
    let is_whole = stretch.end == bytes.len() && count + stretch.starts.len() <= total;
    (found, is_whole)
}

/// Longest stretch that counts as written over, in bytes, and the shortest: what is shorter may be a single column.
const OVERWRITTEN: std::ops::RangeInclusive<usize> = MAX_WORDS * WORD + 1..=64 << 10;

/// The stretch between the columns that can be read from the beginning of a file on and those up to its end, as it is where other bytes
/// were written over some: those columns are lost, whatever can be read there, and all others keep their places. Nothing where no column is
/// odd, or so much lies between that it may hold good ones.
pub fn find_overwritten(bytes: &[u8], total: usize) -> Option<Resync> {
    let before = Stretch::of(bytes, 0, false);
    let (column, start) = (before.starts.len(), before.end);
    let (first, words) = (start / WORD, bytes.len() / WORD);
    // For each word, how many columns that are not odd follow each other from it on, and whether they do so up to the end.
    let mut runs = vec![(0, false); words.checked_sub(first)? + 1];
    if let Some(end) = runs.last_mut() {
        end.1 = true;
    }
    let mut found = None;
    for word in (first..words).rev() {
        let within = bytes.get(..(word + MAX_WORDS) * WORD).unwrap_or(bytes);
        let read = read_column(within, word * WORD).ok().filter(|(_, odd)| *odd == 0);
        let Some((count, is_last)) = read.and_then(|(end, _)| runs.get(end / WORD - first).copied()) else { continue };
        let run = (count + 1, is_last);
        if let Some(place) = runs.get_mut(word - first) {
            *place = run;
        }
        if run.0 >= FOLLOWING {
            // The longest is the last that is found. Others before it are columns that are good.
            found = is_last.then_some((word * WORD, run.0));
        }
    }
    let (end, tail) = found?;
    let (lost, length) = (total.checked_sub(column + tail)?, end - start);
    let is_room = (lost * WORD..=lost * MAX_WORDS * WORD).contains(&length);
    (lost > 0 && is_room && OVERWRITTEN.contains(&length)).then(|| Resync { column, end, missing: lost - 1 })
}

fn likelihood(bytes: &[u8], start: usize, mending: &Mending) -> Option<Likelihood> {
    let said = parse_column(bytes, start, |_| ()).map_or(start, |column| column.end);
    let until = said.max(mending.end) + SHOWN;
    let better = mending.odd.checked_add(oddity(bytes, mending.end, until))?.checked_signed_diff(oddity(bytes, start, until))?;
    (better <= 0).then_some((better, mending.is_byte))
}

/// Whether a file reads better with that byte than as it is; else nothing tells that it was wrong.
fn is_evidence((better, _): &Likelihood) -> bool {
    *better < 0
}

/// Of the columns that begin from `at` to `until`; what cannot be read is as odd as it can be.
fn oddity(bytes: &[u8], mut at: usize, until: usize) -> Oddity {
    let mut odd = 0;
    while at < until.min(bytes.len()) {
        let Ok((end, more)) = read_column(bytes, at) else { return odd + SHOWN };
        (at, odd) = (end, odd + more);
    }
    odd
}

/// Where a column ends, and how odd it is: colors have a shade where headers have zero.
fn read_column(bytes: &[u8], at: usize) -> Result<(usize, Oddity), Fault> {
    let mut odd = usize::from(bytes.get(at + WORD - 1) != Some(&0));
    let column = parse_column(bytes, at, |run| odd += run.shadeless())?;
    Ok((column.end, odd))
}

/// A way to go on behind a fault.
#[derive(Clone, Copy, Debug)]
struct Choice {
    start: usize,
    end: usize,
    /// Columns from the last fault up to the next one, more than those of the first choice.
    more: isize,
}

/// Columns that can be read strictly from a byte on, and look like columns.
struct Stretch {
    /// Where each begins.
    starts: Vec<usize>,
    /// Where the next one would.
    end: usize,
}

impl Stretch {
    /// `strange`: also columns that are [odd](Oddity).
    fn of(bytes: &[u8], mut at: usize, strange: bool) -> Self {
        let mut starts = vec![];
        while at < bytes.len() {
            match read_column(bytes, at) {
                Ok((end, odd)) if strange || odd == 0 => {
                    starts.push(at);
                    at = end;
                }
                _ => break,
            }
        }
        Self { starts, end: at }
    }
}

/// Where each broken column of a file of so many columns ends; nothing where the number of columns does not come out. Without `strange`
/// a column that is [odd](Oddity) may be broken, too.
///
/// Answers also whether that is certain: where most columns are odd, a fault is noticed nowhere, or another end is likelier than the one with
/// which the number comes out, it may be another column.
pub fn find_several(bytes: &[u8], total: usize, strange: bool) -> Option<(Vec<Resync>, bool)> {
    let (mut tries, mut faults, mut count): (_, Vec<Vec<Choice>>, _) = (Tries::new(bytes), vec![], 0);
    let mut stretch = Stretch::of(bytes, 0, strange);
    while stretch.end < bytes.len() {
        if faults.len() == MAX_FAULTS || tries.0 == 0 {
            return None;
        }
        let (choices, columns, next) = choices(bytes, &stretch, strange, &mut tries)?;
        count += columns;
        faults.push(choices);
        stretch = next;
    }
    count += stretch.starts.len();
    let more = total.checked_signed_diff(count)?;
    let chosen = choose(&faults, more);
    let is_found = chosen.is_some();
    let chosen = chosen.unwrap_or_else(|| faults.iter().filter_map(|choices| choices.first().copied()).collect());
    let mut ends: Ends = chosen.iter().map(|choice| (choice.start, choice.end)).collect();
    // What is only odd may stay as it is.
    ends.retain(|start, end| parse_column(bytes, *start, |_| ()).map(|column| column.end) != Ok(*end));
    if !is_found {
        let (start, end) = find_unnoticed(bytes, total, &ends, &mut tries)?;
        ends.insert(start, end);
    }
    Some((numbered(bytes, total, &ends)?, is_found && more == 0 && !strange))
}

/// Ways to go on behind a stretch, likely ones first; how many columns there are up to the end of the broken one in the first
/// of them, and the stretch that follows it.
fn choices(bytes: &[u8], stretch: &Stretch, strange: bool, tries: &mut Tries) -> Option<(Vec<Choice>, usize, Stretch)> {
    let broken = stretch.end;
    let before = stretch.starts.len();
    let starts = std::iter::once((before, broken)).chain(stretch.starts.iter().copied().enumerate().rev().take(LOOKED_BACK));
    let mut ranked = vec![];
    for (distance, (index, start)) in starts.enumerate() {
        for mending in tries.mendings(bytes, start) {
            if let Some(likelihood) = likelihood(bytes, start, &mending)
                && goes_on(bytes, mending.end, broken)
            {
                ranked.push((likelihood, distance, mending.end, index, start));
            }
        }
    }
    ranked.sort_unstable();
    let said = parse_column(bytes, broken, |_| ()).ok().map(|column| column.end);
    let as_said = said.map(|end| ((0, false), 0, end, before, broken));
    let mut found: Option<(Vec<Choice>, usize, Stretch)> = None;
    for (.., end, index, start) in ranked.into_iter().chain(as_said) {
        let next = Stretch::of(bytes, end, strange);
        let columns = index + 1;
        match &mut found {
            None => found = Some((vec![Choice { start, end, more: 0 }], columns, next)),
            Some((choices, first, stretch)) if next.end == stretch.end && choices.len() < MAX_CHOICES => {
                let more = (columns + next.starts.len()).checked_signed_diff(*first + stretch.starts.len())?;
                // Which of several does not matter where the columns around it stay the same.
                if choices.iter().all(|choice| choice.more != more) {
                    choices.push(Choice { start, end, more });
                }
            }
            Some(_) => {}
        }
    }
    found
}

/// Whether columns can be read from `at` on up to behind a place where that was not possible otherwise.
fn goes_on(bytes: &[u8], mut at: usize, place: usize) -> bool {
    while at <= place && at < bytes.len() {
        match parse_column(bytes, at, |_| ()) {
            Ok(column) => at = column.end,
            Err(_) => return false,
        }
    }
    followers(bytes, at, false) == FOLLOWING
}

/// A choice for each fault with which there are so many columns more than with the first ones: as few others as possible.
fn choose(faults: &[Vec<Choice>], more: isize) -> Option<Vec<Choice>> {
    let first: Vec<Choice> = faults.iter().map(|choices| choices.first().copied()).collect::<Option<_>>()?;
    if more == 0 {
        return Some(first);
    }
    let others = || faults.iter().enumerate().flat_map(|(fault, choices)| choices.iter().skip(1).map(move |choice| (fault, *choice)));
    let with = |swaps: &[(usize, Choice)]| {
        let mut chosen = first.clone();
        for (fault, choice) in swaps {
            if let Some(place) = chosen.get_mut(*fault) {
                *place = *choice;
            }
        }
        chosen
    };
    if let Some(one) = others().find(|(_, choice)| choice.more == more) {
        return Some(with(&[one]));
    }
    let mut pairs = others().flat_map(|one| others().filter(move |two| two.0 > one.0).map(move |two| [one, two]));
    pairs.find(|[one, two]| one.1.more + two.1.more == more).map(|pair| with(&pair))
}

/// The column that is noticed nowhere, by its first byte, and its end with which the number of columns comes out.
fn find_unnoticed(bytes: &[u8], total: usize, ends: &Ends, tries: &mut Tries) -> Option<(usize, usize)> {
    let tails = Tails::of(bytes, ends);
    let (mut at, mut best): (_, Option<(Likelihood, usize, usize)>) = (0, None);
    for column in 0..total {
        let start = at;
        at = end_of(bytes, at, ends)?;
        if ends.contains_key(&start) {
            continue;
        }
        let fits = |end: usize| tails.get(end) == total.checked_sub(column + 1);
        if !(1..=MAX_WORDS).map(|words| start + words * WORD).take_while(|end| *end <= bytes.len()).any(fits) {
            continue;
        }
        for mending in tries.mendings(bytes, start).into_iter().filter(|mending| fits(mending.end)) {
            if let Some(likelihood) = likelihood(bytes, start, &mending).filter(is_evidence)
                && best.is_none_or(|(known, ..)| likelihood < known)
            {
                best = Some((likelihood, start, mending.end));
            }
        }
        if tries.0 == 0 {
            break;
        }
    }
    best.map(|(_, start, end)| (start, end))
}

fn end_of(bytes: &[u8], at: usize, ends: &Ends) -> Option<usize> {
    ends.get(&at).copied().or_else(|| parse_column(bytes, at, |_| ()).ok().map(|column| column.end))
}

/// Reads the file through with those ends; nothing if it does not come out.
fn numbered(bytes: &[u8], total: usize, ends: &Ends) -> Option<Vec<Resync>> {
    let (mut at, mut found) = (0, vec![]);
    for column in 0..total {
        let end = end_of(bytes, at, ends)?;
        if ends.contains_key(&at) {
            found.push(Resync { column, end, missing: 0 });
        }
        at = end;
    }
    (at == bytes.len()).then_some(found)
}
