//! Scripts made by chance, run many times by a small evaluator of their own and compared with what is read and written.
//!
//! The evaluator knows nothing of the interpreter: it walks over the generated tree, not over text, and rolls dice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRng;

use super::*;
use crate::document::{GameProfile, Team};
use crate::geom::Region;
use crate::voxel::Store;

/// A number, by its place in the list of all numbers of a script: an edit changes the list.
type Slot = usize;

#[derive(Clone, Debug)]
enum Term {
    Slot(Slot),
    Name(u8),
    Plus(Box<Term>, Slot),
    Range(Slot, Slot),
    Ground(u8, u8),
}

#[derive(Clone, Copy, Debug)]
enum Test {
    Blue,
    NotBlue,
    Green,
    Open,
    BlueAndOpen,
    BlueOrOpen,
    High(u8),
}

#[derive(Clone, Debug)]
enum Step {
    Set(u8, Term),
    Both(u8, Term, u8, Term),
    Chosen([u8; 3], Option<Vec<[Slot; 3]>>),
    Add(u8, Slot),
    If(Test, Vec<Step>, Option<Vec<Step>>),
    Again(Vec<Step>),
    Three(Vec<Step>),
    Return([Term; 3]),
    Nothing,
    Leave,
}

const NAMES: [&str; 4] = ["x", "y", "z", "w"];

/// The answer of a run that went on and on.
const ENDLESS: [i64; 3] = [i64::MAX; 3];

/// What is known of a run: the map's ground is one number for each column.
struct Machine<'a> {
    numbers: &'a [i64],
    team: Team,
    names: BTreeMap<u8, i64>,
    rng: &'a mut TestRng,
    budget: usize,
}

enum End {
    Next,
    Leave,
    Return(Option<[i64; 3]>),
    Fault,
}

fn ground(x: i64, y: i64) -> i64 {
    30 + (x * 7 + y * 3).rem_euclid(5)
}

impl Machine<'_> {
    fn dice(&mut self, sides: u32) -> u32 {
        self.rng.next_u32() % sides
    }

    fn term(&mut self, term: &Term) -> Option<i64> {
        Some(match term {
            Term::Slot(slot) => self.numbers[*slot],
            Term::Name(name) => *self.names.get(name)?,
            Term::Plus(term, slot) => self.term(term)? + self.numbers[*slot],
            Term::Range(from, to) => {
                let (from, to) = (self.numbers[*from], self.numbers[*to]);
                let width = u32::try_from(to - from).ok().filter(|width| *width > 0)?;
                from + i64::from(self.dice(width))
            }
            Term::Ground(x, y) => ground(*self.names.get(x)?, *self.names.get(y)?),
        })
    }

    fn test(&mut self, test: Test) -> Option<bool> {
        let open = self.dice(2) == 0;
        let is_blue = self.team == Team::Blue;
        Some(match test {
            Test::Blue => is_blue,
            Test::NotBlue | Test::Green => !is_blue,
            Test::Open => open,
            Test::BlueAndOpen => is_blue && open,
            Test::BlueOrOpen => is_blue || open,
            Test::High(name) => *self.names.get(&name)? > 12,
        })
    }

    fn steps(&mut self, steps: &[Step], list: &[[Slot; 3]]) -> End {
        for step in steps {
            if self.budget == 0 {
                return End::Return(Some(ENDLESS));
            }
            self.budget -= 1;
            let end = match step {
                Step::Set(name, term) => match self.term(term) {
                    Some(value) => {
                        self.names.insert(*name, value);
                        End::Next
                    }
                    None => End::Fault,
                },
                Step::Both(a, left, b, right) => match (self.term(left), self.term(right)) {
                    (Some(left), Some(right)) => {
                        self.names.insert(*a, left);
                        self.names.insert(*b, right);
                        End::Next
                    }
                    _ => End::Fault,
                },
                Step::Chosen(names, own) => {
                    let list = own.as_deref().unwrap_or(list);
                    let item = list[self.dice(u32::try_from(list.len()).unwrap()) as usize];
                    for (name, slot) in names.iter().zip(item) {
                        self.names.insert(*name, self.numbers[slot]);
                    }
                    End::Next
                }
                Step::Add(name, slot) => match self.names.get_mut(name) {
                    Some(value) => {
                        *value += self.numbers[*slot];
                        End::Next
                    }
                    None => End::Fault,
                },
                Step::If(test, then, otherwise) => match self.test(*test) {
                    Some(true) => self.steps(then, list),
                    Some(false) => otherwise.as_ref().map_or(End::Next, |steps| self.steps(steps, list)),
                    None => End::Fault,
                },
                Step::Again(steps) => loop {
                    match self.steps(steps, list) {
                        End::Next => {}
                        End::Leave => break End::Next,
                        other => break other,
                    }
                },
                Step::Three(steps) => {
                    let mut end = End::Next;
                    for _ in 0..3 {
                        match self.steps(steps, list) {
                            End::Next => {}
                            End::Leave => break,
                            other => {
                                end = other;
                                break;
                            }
                        }
                    }
                    end
                }
                Step::Return(terms) => match [self.term(&terms[0]), self.term(&terms[1]), self.term(&terms[2])] {
                    [Some(x), Some(y), Some(z)] => End::Return(Some([x, y, z])),
                    _ => End::Fault,
                },
                Step::Nothing => End::Return(None),
                Step::Leave => End::Leave,
            };
            if !matches!(end, End::Next) {
                return end;
            }
        }
        End::Next
    }
}

/// All that a script answered to a team in many runs; a fault is `Err`.
type Results = BTreeSet<Result<Option<[i64; 3]>, ()>>;

fn results(script: &Made, numbers: &[i64], team: Team, seed: u64) -> Results {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut rng = TestRng::from_seed(proptest::test_runner::RngAlgorithm::ChaCha, &bytes);
    let mut found = Results::new();
    for _ in 0..400 {
        let mut machine = Machine { numbers, team, names: BTreeMap::new(), rng: &mut rng, budget: 300 };
        found.insert(match machine.steps(&script.steps, &script.list) {
            End::Next => Ok(None),
            End::Return(value) => Ok(value),
            End::Leave | End::Fault => Err(()),
        });
    }
    found
}

#[derive(Clone, Debug)]
struct Made {
    numbers: Vec<i64>,
    list: Vec<[Slot; 3]>,
    steps: Vec<Step>,
}

impl Made {
    fn text(&self) -> String {
        let items: Vec<String> = self.list.iter().map(|item| self.item(item)).collect();
        let mut out = format!("import random\nplaces = [{}]\ndef get_spawn_location(connection):\n", items.join(", "));
        self.block(&self.steps, 1, &mut out);
        out
    }

    fn item(&self, item: &[Slot; 3]) -> String {
        let [x, y, z] = item.map(|slot| self.numbers[slot]);
        format!("({x}, {y}, {z})")
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Slot(slot) => self.numbers[*slot].to_string(),
            Term::Name(name) => NAMES[usize::from(*name)].into(),
            Term::Plus(term, slot) => format!("{} + {}", self.term(term), self.numbers[*slot]),
            Term::Range(from, to) => format!("random.randrange({}, {})", self.numbers[*from], self.numbers[*to]),
            Term::Ground(x, y) => {
                format!("connection.protocol.map.get_z({}, {})", NAMES[usize::from(*x)], NAMES[usize::from(*y)])
            }
        }
    }

    fn block(&self, steps: &[Step], depth: usize, out: &mut String) {
        let pad = "    ".repeat(depth);
        if steps.is_empty() {
            out.push_str(&format!("{pad}pass\n"));
        }
        for step in steps {
            let name = |name: &u8| NAMES[usize::from(*name)];
            let line = match step {
                Step::Set(a, term) => format!("{} = {}", name(a), self.term(term)),
                Step::Both(a, left, b, right) => format!("{}, {} = {}, {}", name(a), name(b), self.term(left), self.term(right)),
                Step::Chosen([a, b, c], own) => {
                    let items = |list: &[[Slot; 3]]| list.iter().map(|item| self.item(item)).collect::<Vec<_>>().join(", ");
                    let list = own.as_ref().map_or_else(|| "places".into(), |own| format!("[{}]", items(own)));
                    format!("{}, {}, {} = random.choice({list})", name(a), name(b), name(c))
                }
                Step::Add(a, slot) => format!("{} += {}", name(a), self.numbers[*slot]),
                Step::Return([x, y, z]) => format!("return {}, {}, {}", self.term(x), self.term(y), self.term(z)),
                Step::Nothing => "return None".into(),
                Step::Leave => "break".into(),
                Step::If(test, then, otherwise) => {
                    let test = match test {
                        Test::Blue => "connection.team is connection.protocol.blue_team".into(),
                        Test::NotBlue => "connection.team.id != 0".into(),
                        Test::Green => "connection.protocol.green_team == connection.team".into(),
                        Test::Open => "connection.lucky()".into(),
                        Test::BlueAndOpen => "connection.team.id == 0 and connection.lucky()".into(),
                        Test::BlueOrOpen => "connection.team is connection.protocol.blue_team or connection.lucky()".into(),
                        Test::High(a) => format!("{} > 12", name(a)),
                    };
                    out.push_str(&format!("{pad}if {test}:\n"));
                    self.block(then, depth + 1, out);
                    if let Some(otherwise) = otherwise {
                        out.push_str(&format!("{pad}else:\n"));
                        self.block(otherwise, depth + 1, out);
                    }
                    continue;
                }
                Step::Again(steps) | Step::Three(steps) => {
                    let head = if matches!(step, Step::Again(_)) { "while True" } else { "for _ in range(3)" };
                    out.push_str(&format!("{pad}{head}:\n"));
                    self.block(steps, depth + 1, out);
                    continue;
                }
            };
            out.push_str(&format!("{pad}{line}\n"));
        }
    }
}

/// A new number for each use, so that the text and the tree have the same ones; ranges are two in a row.
fn number(numbers: &mut Vec<i64>, value: i64) -> Slot {
    numbers.push(value);
    numbers.len() - 1
}

/// Makes a script from a row of random bytes.
struct Maker<'b> {
    bytes: std::slice::Iter<'b, u8>,
    numbers: Vec<i64>,
}

impl Maker<'_> {
    fn byte(&mut self, below: u8) -> u8 {
        self.bytes.next().copied().unwrap_or(0) % below
    }

    fn slot(&mut self) -> Slot {
        let value = i64::from(self.byte(24));
        number(&mut self.numbers, value)
    }

    fn range(&mut self) -> Term {
        let from = i64::from(self.byte(20));
        let width = i64::from(self.byte(4)) + 1;
        let from_slot = number(&mut self.numbers, from);
        Term::Range(from_slot, number(&mut self.numbers, from + width))
    }

    fn term(&mut self, name: u8) -> Term {
        match self.byte(8) {
            0 => Term::Slot(self.slot()),
            1..=4 if name < 2 => self.range(),
            1..=3 => Term::Slot(self.slot()),
            4 => Term::Ground(0, 1),
            5 => Term::Name(self.byte(4)),
            6 => {
                let inner = Term::Name(self.byte(4));
                Term::Plus(Box::new(inner), self.slot())
            }
            _ => self.range(),
        }
    }

    fn answer(&mut self, name: u8) -> Term {
        match self.byte(8) {
            0..=5 => Term::Name(name),
            6 if name == 2 => Term::Ground(0, 1),
            _ => self.term(name),
        }
    }

    fn steps(&mut self, depth: u8, is_loop: bool) -> Vec<Step> {
        let count = 1 + self.byte(4);
        (0..count).map(|_| self.step(depth, is_loop)).collect()
    }

    fn step(&mut self, depth: u8, is_loop: bool) -> Step {
        let kind = self.byte(if depth < 3 { 16 } else { 11 });
        match kind {
            0 | 1 => {
                let name = self.byte(4);
                Step::Set(name, self.term(name))
            }
            2..=5 => Step::Both(0, self.term(0), 1, self.term(1)),
            6 => {
                let names = if self.byte(6) == 0 { [1, 0, 2] } else { [0, 1, 2] };
                let own = (self.byte(2) == 0).then(|| (0..2).map(|_| [self.slot(), self.slot(), self.slot()]).collect());
                Step::Chosen(names, own)
            }
            7 => Step::Set(2, self.term(2)),
            8 => Step::Add(self.byte(3), self.slot()),
            9 => Step::Return([self.answer(0), self.answer(1), self.answer(2)]),
            10 => match self.byte(4) {
                0 => Step::Nothing,
                1 if is_loop => Step::Leave,
                _ => Step::Set(2, Term::Ground(0, 1)),
            },
            11..=13 => {
                let test = match self.byte(7) {
                    0 | 1 => Test::Blue,
                    2 => Test::NotBlue,
                    3 => Test::Green,
                    4 => [Test::Open, Test::BlueAndOpen, Test::BlueOrOpen][usize::from(self.byte(3))],
                    5 => Test::High(self.byte(3)),
                    _ => Test::Blue,
                };
                let then = self.steps(depth + 1, is_loop);
                let otherwise = (self.byte(2) == 0).then(|| self.steps(depth + 1, is_loop));
                Step::If(test, then, otherwise)
            }
            14 => Step::Again(self.steps(depth + 1, true)),
            _ => Step::Three(self.steps(depth + 1, true)),
        }
    }

    fn script(mut self) -> Made {
        let list: Vec<[Slot; 3]> = (0..2).map(|_| [self.slot(), self.slot(), self.slot()]).collect();
        let mut steps = self.steps(0, false);
        steps.push(Step::Return([Term::Name(0), Term::Name(1), self.answer(2)]));
        Made { numbers: self.numbers, list, steps }
    }
}

fn opened(text: &str) -> (Document, Vec<Found>) {
    let mut document = Document::new(Store::new(Region::of_size(glam::IVec3::new(512, 512, 64))), &GameProfile::ACE_OF_SPADES);
    PiqueserverTxt.apply(text.as_bytes(), &mut document, &mut Report::new()).unwrap();
    document.mark_opened();
    let answers = places::answers(&Script::new(text.as_bytes()));
    let found = Team::ALL.map(|team| {
        let answer = answers.all.iter().find(|answer| answer.key == places::Key::Spawn(team));
        answer.map_or(Found::Nothing, |answer| answer.found.clone())
    });
    (document, found.to_vec())
}

/// The columns that an answer claims, and the heights that it names.
fn claimed(found: &Found) -> Option<(BTreeSet<[i64; 2]>, BTreeSet<i64>)> {
    let Found::Places(places) = found else { return None };
    let (mut columns, mut heights) = (BTreeSet::new(), BTreeSet::new());
    for place in places {
        columns.extend(place.object.area().columns().map(|column| column.map(i64::from)));
        match &place.object {
            Object::SpawnRegion { z, .. } => heights.insert(i64::from(*z)),
            Object::SpawnPoint { at, .. } => heights.insert(i64::from(at.z)),
            _ => false,
        };
    }
    Some((columns, heights))
}

/// Whether what is claimed is what comes out. Heights that give way to the ground, and the other way round, are one, and
/// a correction of the ground by a block or so is the ground (claimed as height 0: from the sky).
fn check_claim(found: &Found, results: &Results, text: &str, team: Team) -> Result<(), TestCaseError> {
    // A loop that tries again is taken to end: what it would answer is what is read.
    if results.contains(&Ok(Some(ENDLESS))) {
        return Ok(());
    }
    let faults = results.iter().filter(|result| result.is_err()).count();
    match (found, claimed(found)) {
        (Found::Nothing, _) => prop_assert_eq!(results, &Results::from([Ok(None)]), "{:?} {}", team, text),
        (_, Some((columns, heights))) => {
            prop_assert_eq!(faults, 0, "{:?} {}", team, text);
            let given: Vec<[i64; 3]> = results.iter().filter_map(|result| result.unwrap_or(None)).collect();
            prop_assert_eq!(given.len(), results.len(), "not always an answer: {:?} {}", team, text);
            let real: BTreeSet<[i64; 2]> = given.iter().map(|[x, y, _]| [*x, *y]).collect();
            prop_assert_eq!(&real, &columns, "{:?} {}", team, text);
            for [x, y, z] in given {
                let over_ground = (z - ground(x, y)).abs();
                let is_corrected = heights.contains(&0) && over_ground as f64 <= super::places::MAX_CORRECTION;
                prop_assert!(heights.contains(&z) || over_ground == 0 || is_corrected, "{:?} z {} {}", team, z, text);
            }
        }
        _ => {}
    }
    Ok(())
}

/// The numbers of the text, in order, without those that the script was not given: the count of a loop, a team.
fn numbers_of(text: &str) -> Vec<i64> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || c == '-'));
    parts.filter_map(|part| part.parse().ok()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_what_runs_and_an_edit_changes_one_team(bytes in prop::collection::vec(any::<u8>(), 20..160), seed: u64) {
        let made = Maker { bytes: bytes.iter(), numbers: vec![] }.script();
        let text = made.text();
        let (document, found) = opened(&text);
        let before = Team::ALL.map(|team| results(&made, &made.numbers, team, seed));
        for (i, team) in Team::ALL.into_iter().enumerate() {
            check_claim(&found[i], &before[i], &text, team)?;
        }
        for (i, team) in Team::ALL.into_iter().enumerate() {
            let mut edited = document.clone();
            for object in Arc::make_mut(&mut edited.objects).0.values_mut().filter(|object| object.team() == Some(team)) {
                *object = object.shifted(crate::geom::VoxelPos::new(31, 17, 0));
            }
            if edited.objects == document.objects {
                continue;
            }
            let Ok(Some(new)) = PiqueserverTxt.write(&edited, Some(text.as_bytes()), &mut Report::new()) else { continue };
            let new = String::from_utf8(new).unwrap();
            let (old_numbers, new_numbers) = (numbers_of(&text), numbers_of(&new));
            prop_assert_eq!(old_numbers.len(), new_numbers.len());
            let changed = made.with_numbers(&new);
            let Some(changed) = changed else { return Err(TestCaseError::fail(format!("no such script: {new}"))) };
            let (_, after) = opened(&new);
            let other = 1 - i;
            let run = Team::ALL.map(|team| results(&changed, &changed.numbers, team, seed));
            prop_assert_eq!(&run[other], &before[other], "{:?} moved the other team\n{}\n{}", team, text, new);
            check_claim(&after[i], &run[i], &new, team)?;
            let moved: BTreeSet<[i64; 2]> = claimed(&found[i]).unwrap_or_default().0.into_iter().map(|[x, y]| [x + 31, y + 17]).collect();
            prop_assert_eq!(claimed(&after[i]).unwrap_or_default().0, moved);
        }
    }
}

impl Made {
    /// The same script with the numbers of another text of it.
    fn with_numbers(&self, text: &str) -> Option<Self> {
        // Each number stands once, or, in a list that is repeated inline, several times: found by making the text anew
        // from marks in the place of numbers.
        let mut marked = self.clone();
        marked.numbers = (0..self.numbers.len()).map(|slot| 1_000_000 + i64::try_from(slot).unwrap_or(0)).collect();
        let (marks, values) = (numbers_of(&marked.text()), numbers_of(text));
        let mut numbers = self.numbers.clone();
        for (mark, value) in marks.iter().zip(values) {
            if let Some(slot) = mark.checked_sub(1_000_000).and_then(|slot| usize::try_from(slot).ok()) {
                *numbers.get_mut(slot)? = value;
            }
        }
        let same = Self { numbers, ..self.clone() };
        (same.text() == text).then_some(same)
    }
}
