//! Which commands the model lets planning refuse, and with which words.

use glam::IVec3;

use super::model::{Model, places};
use super::model_tips::{stamp_place, stroke};
use crate::document::{Combine, SymmetryKind};
use crate::edit::{Brush, Command, EditError, ops};
use crate::geom::{Region, VoxelPos};

/// What planning a command has to answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// A change, if an empty one.
    Change,
    /// This error.
    Refused(EditError),
    /// A change or this error: the model does not draw such brushes and paths.
    Either(EditError),
}

impl Answer {
    fn change_if(is_inside: bool) -> Self {
        if is_inside { Self::Change } else { Self::Refused(EditError::OutsideMap) }
    }

    /// Fails where planning a command answered something else.
    #[track_caller]
    pub fn check<T>(&self, planned: &Result<T, EditError>, command: &Command) {
        let error = planned.as_ref().err();
        let fits = match self {
            Self::Change => error.is_none(),
            Self::Refused(expected) => error == Some(expected),
            Self::Either(expected) => error.is_none_or(|error| error == expected),
        };
        assert!(fits, "{self:?} was expected, not {error:?}, of {command:?}");
    }
}

impl Model {
    /// What planning the command has to answer, by the documentation of the command.
    pub fn answer(&self, command: &Command) -> Answer {
        match command {
            Command::Set(op) => self.meets([op.at]),
            Command::Remove(op) => self.meets([op.at]),
            Command::Extrude(op) => self.meets([op.at]),
            Command::Fill(op) => self.fill_answer(&op.region),
            Command::Shape(op) => self.shape_answer(op),
            Command::FillConnected(op) => self.flood_answer(op),
            Command::Styled(op) => match &op.of {
                ops::Filled::Fill(of) => self.fill_answer(&of.region),
                ops::Filled::Shape(of) => self.shape_answer(of),
                ops::Filled::FillConnected(of) => self.flood_answer(of),
            },
            Command::Stroke(op) => self.stroke_answer(&op.brush, &op.path),
            Command::Line(op) => self.stroke_answer(&op.brush, &[op.from, op.to]),
            Command::Paint(op) => match &op.region {
                Some(region) => self.fill_answer(region),
                None => self.stroke_answer(&op.brush, &op.path),
            },
            Command::Stamp(op) => {
                let place = stamp_place(op);
                self.meets(Region::of_size(op.clip.size()).positions().map(place))
            }
            Command::Paste(op) => Answer::change_if(!Region::of_size(op.clip.size()).shifted(op.at).intersection(&self.bounds).is_empty()),
            Command::Heightmap(op) => {
                let [width, height] = op.image.size().map(|side| side as i32);
                let area = Region::of_size(IVec3::new(width, height, 1)).shifted(op.at.with_z(self.bounds.min().z));
                self.meets(area.positions())
            }
            Command::Path(op) if op.points.iter().all(|point| point.truncate() == op.points[0].truncate()) => {
                Answer::Refused(EditError::Missing { what: "a second point beside the first" })
            }
            // Between its points it runs on a curve that the model does not draw.
            Command::Path(op) => match self.meets(op.points.iter().map(|point| point.with_z(self.bounds.min().z))) {
                Answer::Refused(outside) => Answer::Either(outside),
                answer => answer,
            },
            Command::Scatter(op) => {
                let [top, bottom] = op.heights.unwrap_or([self.bounds.min().z, self.bounds.max().z]);
                let inside = |z: i32| (self.bounds.min().z..self.bounds.max().z).contains(&z);
                let is_near = op.area.columns().any(|[x, y]| self.bounds.columns().contains(x, y));
                Answer::change_if(is_near && (top..bottom).any(inside))
            }
            Command::Terrain(op) => {
                let inside = |[x, y]: [i32; 2]| self.bounds.columns().contains(x, y);
                Answer::change_if(op.area.is_none_or(|area| area.columns().any(inside)))
            }
            Command::Select(ops::Select { region: Some(region), .. }) => Answer::change_if(!region.intersection(&self.bounds).is_empty()),
            Command::SelectConnected(op) => Answer::change_if(self.bounds.contains(op.at)),
            Command::SelectLasso(op) => Answer::change_if(op.combine != Combine::Replace || !self.lassoed(op).is_empty()),
            Command::GrowSelection(_)
            | Command::ShrinkSelection(_)
            | Command::FillSelection(_)
            | Command::DeleteSelection(_)
            | Command::MoveSelection(_)
            | Command::CopySelection(_)
            | Command::TransformSelection(_)
            | Command::Crop(_)
                if self.selection.is_empty() =>
            {
                Answer::Refused(EditError::NothingSelected)
            }
            Command::ShrinkSelection(op) if self.shrunk(op.by).is_empty() => Answer::Refused(EditError::NothingLeft { most: 2 * op.by }),
            Command::MoveSelection(ops::MoveSelection { by }) | Command::CopySelection(ops::CopySelection { by }) => {
                Answer::change_if(!self.moved_selection(*by).is_empty())
            }
            Command::TransformSelection(op) if op.copies > 1 && op.by == IVec3::ZERO => {
                Answer::Refused(EditError::Missing { what: "a distance between the copies" })
            }
            Command::TransformSelection(op) => match self.clone().transform(self, op) {
                Some(()) => {
                    let mut after = self.clone();
                    after.transform(self, op);
                    Answer::change_if(!after.selection.is_empty())
                }
                None => Answer::Either(EditError::OutsideMap),
            },
            Command::SetObject(ops::SetObject { id, .. }) | Command::RemoveObject(ops::RemoveObject { id })
                if self.objects.get(*id).is_none() =>
            {
                Answer::Refused(EditError::NoSuchObject(*id))
            }
            Command::SelectVolume(op) if op.volume > 0 => Answer::Refused(EditError::NoSuchVolume { volume: op.volume, count: 1 }),
            Command::Heal(_) if !self.symmetry.is_on() => Answer::Refused(EditError::NoSymmetry),
            Command::Heal(heal) if let Some((from, parts)) = no_part(self.symmetry.kind, heal.from) => {
                Answer::Refused(EditError::NoSuchPart { from, kind: self.symmetry.kind.label(), parts })
            }
            _ => Answer::Change,
        }
    }

    /// A change where one of the voxels, or of their images, lies within the map.
    fn meets(&self, voxels: impl IntoIterator<Item = VoxelPos>) -> Answer {
        let places = places(&self.symmetry);
        Answer::change_if(voxels.into_iter().any(|pos| places.iter().any(|place| self.bounds.contains((place.voxel)(pos)))))
    }

    fn fill_answer(&self, region: &Region) -> Answer {
        if region.is_empty() { Answer::Refused(EditError::EmptyRegion) } else { self.meets(region.positions()) }
    }

    fn shape_answer(&self, op: &ops::Shape) -> Answer {
        let solid = op.solid();
        self.meets(solid.region().positions().filter(|pos| solid.contains(*pos)))
    }

    fn stroke_answer(&self, brush: &Brush, path: &[VoxelPos]) -> Answer {
        self.meets(stroke(brush, path).iter().map(|at| at.pos))
    }

    /// Air that reaches the sky or a side of the map cannot be filled.
    fn flood_answer(&self, op: &ops::FillConnected) -> Answer {
        let all = places(&self.symmetry);
        // The whole map has no other half; the original is the last one.
        let skipped = if op.reach == ops::FillReach::Everywhere { all.len() - 1 } else { 0 };
        let begins: Vec<_> = all.iter().skip(skipped).map(|place| (place.voxel)(op.at)).filter(|at| self.bounds.contains(*at)).collect();
        let (min, max) = (self.bounds.min(), self.bounds.max());
        let is_open = |pos: &VoxelPos| {
            pos.z == min.z || [pos.x, pos.x + 1 - max.x + min.x].contains(&min.x) || [pos.y, pos.y + 1 - max.y + min.y].contains(&min.y)
        };
        let air = |at: &VoxelPos| self.connected_voxels(&ops::FillConnected { at: *at, mode: crate::edit::Mode::Remove, ..op.clone() }).0;
        if begins.is_empty() {
            Answer::Refused(EditError::OutsideMap)
        } else if op.reach == ops::FillReach::Air && begins.iter().any(|at| air(at).iter().any(is_open)) {
            Answer::Refused(EditError::NotEnclosed)
        } else {
            Answer::Change
        }
    }
}

/// What a symmetry that does not know a part says: its name, and the parts that there are.
fn no_part(kind: SymmetryKind, from: ops::HealFrom) -> Option<(&'static str, &'static str)> {
    use ops::HealFrom::{East, North, South, West};
    let parts = match (kind, from) {
        (SymmetryKind::MirrorX, North | South) => "west and east",
        (SymmetryKind::MirrorY, West | East) => "north and south",
        (SymmetryKind::MirrorBoth | SymmetryKind::Turn90, North | South | West | East) => {
            "north_west, north_east, south_west and south_east"
        }
        _ => return None,
    };
    Some((from.label(), parts))
}
