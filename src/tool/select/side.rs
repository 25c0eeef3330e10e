//! A side of the selected box, pulled by the gizmo: the box grows or shrinks there, and the opposite side stays.

use glam::Vec3;

use crate::document::Snapshot;
use crate::edit::Command;
use crate::edit::ops::Select;
use crate::geom::{Face, Region};
use crate::tool::numbers::{self, GestureNumbers, TypedNumber};
use crate::tool::{Gizmo, Grip, Outline, PointerInput, Preview, ghost};

/// A side that is being pulled.
#[derive(Debug)]
pub struct Side {
    gizmo: Gizmo,
    face: Face,
    /// Where it was taken hold of.
    from: Vec3,
    bounds: Region,
    before: Region,
    region: Region,
}

impl Side {
    /// Takes hold of what is under the pointer; nothing where no side of a selected box is.
    pub fn begin(gizmo: Gizmo, document: &Snapshot, input: &PointerInput) -> Option<Self> {
        let Grip::Side(face) = gizmo.under(&input.ray_in_world, input.voxels_per_pixel, input.is_parallel)? else { return None };
        let before = document.selection.as_ref()?.as_region()?;
        let from = gizmo.held_at(Grip::Side(face), &input.ray_in_world)?;
        Some(Self { gizmo, face, from, bounds: document.bounds(), before, region: before })
    }

    /// The side that is held.
    pub fn grip(&self) -> Grip {
        Grip::Side(self.face)
    }

    /// The sides of the box as it is.
    pub fn gizmo(&self) -> Gizmo {
        Gizmo::of_sides(self.region)
    }

    /// Follows the pointer.
    pub fn drag(&mut self, input: &PointerInput) {
        if let Some(at) = self.gizmo.held_at(self.grip(), &input.ray_in_world) {
            let by = (at - self.from).dot(self.face.normal().as_vec3()).round();
            let axis = self.face.axis().index();
            // A cast from a float goes to the nearest that there is.
            self.region = self.of_size(self.before.size()[axis].saturating_add(by as i32));
        }
    }

    /// The box as long along its axis as asked for, as far as the map goes; at least one voxel.
    fn of_size(&self, size: i32) -> Region {
        let (mut min, mut max) = (self.before.min(), self.before.max());
        let axis = self.face.axis().index();
        let size = size.max(1);
        if self.face.normal()[axis] > 0 {
            max[axis] = min[axis].saturating_add(size).min(self.bounds.max()[axis]);
        } else {
            min[axis] = max[axis].saturating_sub(size).max(self.bounds.min()[axis]);
        }
        Region::new(min, max)
    }

    /// How long it is along its axis.
    pub fn numbers(&self) -> GestureNumbers {
        let numbers = numbers::sizes(&self.region, &self.bounds, &[self.face.axis().index()]);
        GestureNumbers { numbers, first: 0, finishes: true }
    }

    /// Takes the length that was typed.
    pub fn set_numbers(&mut self, numbers: &[TypedNumber]) {
        if let Some(number) = numbers.first() {
            self.region = self.of_size(number.whole());
        }
    }

    /// Its size in words.
    pub fn size(&self) -> String {
        ghost::size_text(&self.region)
    }

    /// What selects it; nothing where it is as it was.
    pub fn command(&self) -> Option<Command> {
        (self.region != self.before).then(|| Command::Select(Select { region: Some(self.region), ..Select::default() }))
    }

    /// The box as it is.
    pub fn preview(&self) -> Preview {
        let outline = Outline { region: self.region, team: None, active: true };
        Preview { outlines: vec![outline], size: Some(self.size()), ..Preview::default() }
    }
}
