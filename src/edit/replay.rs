//! A script at another place and under a symmetry of its own: which commands run in place of its own.
//!
//! Callers are the window and `apply`, which run the commands one by one: both tell the same, and both journal what
//! really ran.

use glam::IVec3;

use super::moved::first_place;
use super::{Change, Command, EditError, Note, ops};
use crate::document::{Combine, Snapshot, Symmetry, SymmetryKind};
use crate::geom::VoxelPos;

/// Where the places of a script come to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayPlace {
    /// So far from where it was recorded.
    By(IVec3),
    /// The first place that it names comes to lie there.
    At(VoxelPos),
}

impl Default for ReplayPlace {
    fn default() -> Self {
        Self::By(IVec3::ZERO)
    }
}

impl ReplayPlace {
    /// Farthest that a script can be moved along an axis.
    pub const FARTHEST: i32 = 1 << 20;

    /// How far the commands move; a script without a place stays where it is.
    pub fn offset<'a>(&self, commands: impl IntoIterator<Item = &'a Command>) -> IVec3 {
        let by = match self {
            Self::By(by) => *by,
            Self::At(at) => first_place(commands).map_or(IVec3::ZERO, |first| at.saturating_sub(first)),
        };
        by.clamp(IVec3::splat(-Self::FARTHEST), IVec3::splat(Self::FARTHEST))
    }
}

/// A script that is being run: what to run in place of each of its commands, and what to tell at the end.
#[derive(Clone, Debug)]
pub struct Replay {
    by: IVec3,
    /// What the map's symmetry was, and what holds while the script runs.
    symmetry: Option<(Symmetry, ops::SetSymmetry, Symmetry)>,
    /// Whether the script went to another volume, which has no symmetry.
    left_volume: bool,
    /// Whether a selection fell outside the map.
    deselected: bool,
    outside: u64,
    /// Commands of which a part fell outside, and whether the one that runs now is one.
    beyond: u64,
    is_beyond: bool,
    clipped: u64,
    passed_over: u64,
}

impl Replay {
    /// Begins to run a script that is moved by `by`; with a symmetry in place of the map's and the script's own, about
    /// the middle of the map.
    pub fn begin(by: IVec3, symmetry: Option<SymmetryKind>, document: &Snapshot) -> Self {
        let symmetry = symmetry.map(|kind| {
            let before = (*document.symmetry).clone();
            let (swap_teams, swap_colors) = (before.swap_teams, before.swap_colors.clone());
            let asked = ops::SetSymmetry { kind, center: None, swap_teams, swap_colors };
            let during = asked.symmetry(document);
            (before, asked, during)
        });
        Self { by, symmetry, left_volume: false, deselected: false, outside: 0, beyond: 0, is_beyond: false, clipped: 0, passed_over: 0 }
    }

    /// What comes before the script's first command.
    pub fn opening(&self) -> Option<Command> {
        let (before, asked, during) = self.symmetry.as_ref()?;
        (before != during).then(|| Command::SetSymmetry(asked.clone()))
    }

    /// What runs in place of a command of the script, in order.
    pub fn commands(&mut self, command: &Command, document: &Snapshot) -> Vec<Command> {
        let (moved, is_beyond) = command.shifted_beyond(self.by, &document.bounds());
        self.is_beyond = is_beyond && self.by != IVec3::ZERO;
        self.beyond += u64::from(self.is_beyond);
        match (&moved, &self.symmetry) {
            (Command::SetSymmetry(_), Some(_)) => {
                self.passed_over += 1;
                vec![]
            }
            (Command::SelectVolume(_), Some((_, asked, _))) => {
                self.left_volume = true;
                let again = Command::SetSymmetry(asked.clone());
                vec![moved, again]
            }
            _ => vec![moved],
        }
    }

    /// What runs in place of a command that cannot be carried out only because the script was moved; nothing where that
    /// is not why.
    pub fn in_place_of(&mut self, command: &Command, error: &EditError) -> Option<Vec<Command>> {
        let forgiven = match error {
            EditError::OutsideMap => self.by != IVec3::ZERO,
            EditError::NothingSelected => self.deselected,
            _ => false,
        };
        if !forgiven {
            return None;
        }
        self.outside += 1;
        self.beyond -= u64::from(std::mem::take(&mut self.is_beyond));
        // What was to be selected there is not what is selected here: the commands after it must not reach that.
        let selects = match command {
            Command::Select(op) => Some(op.combine),
            Command::SelectConnected(op) => Some(op.combine),
            Command::SelectLasso(op) => Some(op.combine),
            Command::Paste(_) => Some(Combine::Replace),
            _ => None,
        };
        let deselects = matches!(selects, Some(Combine::Replace | Combine::Intersect));
        self.deselected |= deselects;
        Some(if deselects { vec![Command::Select(ops::Select::default())] } else { vec![] })
    }

    /// Counts what a command left out; its own note of that is told with the others at the end.
    pub fn take_notes(&mut self, change: &mut Change) {
        if self.by == IVec3::ZERO {
            return;
        }
        change.notes.retain(|note| match note {
            Note::Clipped { voxels } => {
                self.clipped = self.clipped.saturating_add(*voxels);
                false
            }
            Note::FloorKept { .. } | Note::NoStroke | Note::NothingThere { .. } => true,
        });
    }

    /// What comes after the script's last command: the symmetry that was there before, moved along with the map.
    pub fn closing(&self, document: &Snapshot) -> Option<Command> {
        let (before, _, during) = self.symmetry.as_ref()?;
        let now = &*document.symmetry;
        let was_set = before.is_on() || before.center != [0, 0];
        let [now_x, now_y] = now.center;
        let ([x, y], [during_x, during_y]) = (before.center, during.center);
        let moved = [x.saturating_add(now_x.saturating_sub(during_x)), y.saturating_add(now_y.saturating_sub(during_y))];
        // One that was never set has no center that could move.
        let before = if was_set { Symmetry { center: moved, ..before.clone() } } else { before.clone() };
        let after = if self.left_volume { Symmetry::default() } else { before };
        (after != *now).then(|| Command::SetSymmetry(ops::SetSymmetry::to(&after)))
    }

    /// What is to be told at the end, in counts.
    pub fn told(&self) -> Vec<String> {
        let counted = |count: u64, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        [
            counted(
                self.outside,
                "command lay wholly outside the map and did nothing",
                "commands lay wholly outside the map and did nothing",
            ),
            counted(
                self.beyond,
                "command reached beyond the map and lost what fell outside",
                "commands reached beyond the map and lost what fell outside",
            ),
            counted(self.clipped, "voxel fell outside the map", "voxels fell outside the map"),
            counted(
                self.passed_over,
                "command of the script about symmetry was passed over",
                "commands of the script about symmetry were passed over",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
