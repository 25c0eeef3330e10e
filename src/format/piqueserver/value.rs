//! What a value of a script is known to be, and which numbers of the file it hangs on.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use super::module::Unclear;
use crate::document::Team;

/// Numbers of the file, by their offsets.
pub type Numbers = BTreeSet<usize>;

/// A number in the file that stands for a coordinate: coordinate = number + `add`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Bytes of the number, with its sign.
    pub span: Range<usize>,
    /// What code adds to the number.
    pub add: i64,
}

/// A whole number, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// The number.
    pub value: i64,
    /// Where it stands; `None` where no one number of the file makes it.
    pub cell: Option<Cell>,
}

impl Number {
    /// The same with more added to it.
    pub fn plus(&self, add: i64) -> Option<Self> {
        let cell = match &self.cell {
            Some(cell) => Some(Cell { span: cell.span.clone(), add: cell.add.checked_add(add)? }),
            None => None,
        };
        Some(Self { value: self.value.checked_add(add)?, cell })
    }
}

/// A value with what it hangs on.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// What it is.
    pub shape: Shape,
    /// The numbers of the file that may change it.
    pub numbers: Numbers,
    /// Those of `numbers` that may change it other than by what the map is like in the column that they make.
    pub direct: Numbers,
    /// The draws that may change it, other than by the ground of the column that was drawn.
    pub draws: BTreeSet<usize>,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Anything; why it is not known.
    Unknown(Unclear),
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// Whether it is this player by name: hardly ever (or nearly always, where it is true).
    Rare(bool),
    /// A string.
    Text,
    /// A whole number.
    Int(Number),
    /// Another number.
    Float(f64),
    /// A whole number by chance, from the first one to the one before the second.
    Drawn {
        /// Which draw.
        draw: usize,
        /// Where it is drawn.
        at: usize,
        /// The first one.
        from: Number,
        /// The one behind the last.
        to: Number,
    },
    /// One of a list by chance, or a part of that one.
    Picked {
        /// Which draw.
        draw: usize,
        /// Where it is drawn.
        at: usize,
        /// The list.
        list: Rc<Vec<Value>>,
        /// Which part.
        part: Option<usize>,
    },
    /// The ground of a column.
    Ground(Box<[Shape; 2]>),
    /// A number with something added that is no number of the file.
    Shifted(Box<Shape>, f64),
    /// `(a, b)`.
    Tuple(Rc<Vec<Value>>),
    /// `[a, b]`.
    List(Rc<Vec<Value>>),
    /// A player.
    Connection,
    /// The name of a player.
    PlayerName,
    /// The game.
    Protocol,
    /// Both teams by number.
    Teams,
    /// A team.
    Team(Team),
    /// The team of those who look on.
    Spectators,
    /// The map.
    World,
    /// A function of the map that changes nothing; whether it looks for the ground.
    Asked(bool),
    /// Something of a library, by its whole name.
    Library(String),
}

impl Value {
    /// A value that hangs on nothing.
    pub fn of(shape: Shape) -> Self {
        Self::hanging_on(shape, Numbers::new())
    }

    /// A value that hangs on these numbers.
    pub fn hanging_on(shape: Shape, numbers: Numbers) -> Self {
        Self { shape, direct: numbers.clone(), numbers, draws: BTreeSet::new() }
    }

    /// The same with what else it hangs on.
    pub fn with(mut self, others: &[&Self]) -> Self {
        for other in others {
            self.numbers.extend(&other.numbers);
            self.direct.extend(&other.direct);
            self.draws.extend(&other.draws);
        }
        self
    }

    /// Whether a test of it succeeds; `None` where it may go either way.
    pub fn truth(&self) -> Option<bool> {
        match &self.shape {
            Shape::Bool(known) => Some(*known),
            Shape::None => Some(false),
            Shape::Int(number) => Some(number.value != 0),
            Shape::Float(number) => Some(*number != 0.0),
            Shape::Tuple(items) | Shape::List(items) => Some(!items.is_empty()),
            Shape::Team(_) | Shape::Spectators | Shape::Connection | Shape::Protocol => Some(true),
            _ => None,
        }
    }

    /// Whether it cannot be changed by who holds it, too.
    pub fn is_solid(&self) -> bool {
        match &self.shape {
            Shape::Unknown(_) | Shape::List(_) | Shape::Picked { part: None, .. } => false,
            Shape::Tuple(items) => items.iter().all(Self::is_solid),
            _ => true,
        }
    }

    /// How much work it is to carry it about.
    pub fn weight(&self) -> usize {
        1 + self.numbers.len() + self.draws.len()
    }
}

impl Shape {
    /// Whether it is small enough to be carried about: lists in lists grow fast.
    pub fn fits(&self) -> bool {
        self.fits_in(&mut 20_000, 45)
    }

    fn fits_in(&self, budget: &mut usize, depth: usize) -> bool {
        let Some(left) = budget.checked_sub(1).filter(|_| depth > 0) else { return false };
        *budget = left;
        match self {
            Self::Tuple(items) | Self::List(items) | Self::Picked { list: items, .. } => {
                items.iter().all(|item| item.shape.fits_in(budget, depth - 1))
            }
            _ => true,
        }
    }

    /// The number without what code adds to it, and that.
    pub fn unshifted(&self) -> (&Self, f64) {
        match self {
            Self::Shifted(base, by) => (base, *by),
            other => (other, 0.0),
        }
    }

    /// Whether it is the same column as another one: less than a block is no other.
    pub fn is_at(&self, other: &Self) -> bool {
        let ((left, by), (right, other_by)) = (self.unshifted(), other.unshifted());
        let is_same = match (left, right) {
            (Self::Int(left), Self::Int(right)) => left.value == right.value,
            (Self::Drawn { draw: left, .. }, Self::Drawn { draw: right, .. }) => left == right,
            (Self::Picked { draw: left, part, .. }, Self::Picked { draw: right, part: other, .. }) => left == right && part == other,
            _ => false,
        };
        is_same && (by - other_by).abs() < 1.0
    }

    /// What both are, if they are the same; of a number and the ground the number: behind their branches many scripts
    /// put players lower where the ground is gone.
    pub fn agreed(&self, other: &Self, is_height: bool) -> Option<Self> {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) if left.value == right.value => {
                let cell = left.cell.clone().filter(|_| left.cell == right.cell);
                Some(Self::Int(Number { value: left.value, cell }))
            }
            (Self::Ground(_), Self::Ground(_)) => (self == other).then(|| self.clone()),
            (Self::Ground(_), number) | (number, Self::Ground(_)) if is_height => match number.unshifted().0 {
                Self::Int(_) | Self::Picked { .. } => Some(number.clone()),
                _ => None,
            },
            _ => (self == other).then(|| self.clone()),
        }
    }
}
