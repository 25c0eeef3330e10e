//! The gesture that spans a box: drag its footprint on the plane of a face, release, move for the height, click.
//!
//! Shared by the tools that need a box. Knows neither commands nor settings.

use glam::IVec3;

use super::numbers::{self, GestureNumbers, TypedNumber};
use super::pick::{plane_point, voxel_of};
use super::pull::Pull;
use super::{Phase, PointerInput};
use crate::geom::{Face, Ray, Region, VoxelPos};

/// What an event did to the gesture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxStep {
    /// The box is as it was.
    Still,
    /// The box changed.
    Moved,
    /// The mapper is done with it.
    Finished,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The button is down.
    Footprint,
    /// The height was taken back: the pointer moves the corner without a button.
    Free,
    Height(Pull),
}

/// A box that is being spanned.
#[derive(Clone, Debug)]
pub struct BoxGesture {
    bounds: Region,
    anchor: VoxelPos,
    /// The voxel whose face was pressed: its plane carries the footprint.
    on: VoxelPos,
    face: Face,
    corner: VoxelPos,
    height: i32,
    flat: bool,
    stage: Stage,
    /// Corner and height as the pointer left them.
    dragged: (VoxelPos, i32),
    /// Whether a height that is typed goes into the ground.
    digs: bool,
    typed: bool,
    typed_height: bool,
    /// On axes with an even size that was typed from the center, the step by which the other side is shorter.
    shorter: IVec3,
}

impl BoxGesture {
    /// Begins at a voxel of the box; `on` is the voxel whose `face` was pressed. A `flat` one ends with the footprint.
    pub fn new(bounds: Region, anchor: VoxelPos, on: VoxelPos, face: Face, flat: bool) -> Self {
        let digs = anchor == on;
        let dragged = (anchor, 0);
        let stage = Stage::Footprint;
        Self {
            bounds,
            anchor,
            on,
            face,
            corner: anchor,
            height: 0,
            flat,
            stage,
            dragged,
            digs,
            typed: false,
            typed_height: false,
            shorter: IVec3::ZERO,
        }
    }

    /// The same, but a height that is typed goes out of the ground, whatever was pressed.
    pub fn rising(self) -> Self {
        Self { digs: false, ..self }
    }

    /// Lies on the other side of the face that was pressed: in the ground, or on it.
    pub fn turn_over(&mut self, digs: bool) {
        if digs != self.digs {
            let by = if digs { -self.face.normal() } else { self.face.normal() };
            for place in [&mut self.anchor, &mut self.corner, &mut self.dragged.0] {
                *place += by;
            }
            self.digs = digs;
        }
    }

    /// Follows the pointer.
    pub fn pointer(&mut self, input: &PointerInput) -> BoxStep {
        let ray = &input.ray_in_world;
        match (self.stage, input.phase) {
            (Stage::Footprint, Phase::Drag) | (Stage::Free, Phase::Hover) => self.move_corner(ray),
            (Stage::Free, Phase::Press) => {
                let step = self.move_corner(ray);
                self.begin_height(ray);
                step
            }
            (Stage::Footprint, Phase::Release) => {
                let step = self.move_corner(ray);
                if self.flat {
                    return BoxStep::Finished;
                }
                self.begin_height(ray);
                step
            }
            (Stage::Height(_), Phase::Hover) => self.move_height(ray),
            (Stage::Height(_), Phase::Press) => {
                self.move_height(ray);
                BoxStep::Finished
            }
            _ => BoxStep::Still,
        }
    }

    /// Goes from the height back to the footprint; answers whether it was there.
    pub fn step_back(&mut self) -> bool {
        let pulls = self.pulls_height();
        if pulls {
            (self.stage, self.height) = (Stage::Free, 0);
            self.dragged = (self.corner, 0);
            (self.typed, self.typed_height) = (false, false);
        }
        pulls
    }

    /// Moves the box, as far as the map goes; `from_center` where the voxel that was pressed is its middle.
    pub fn shift(&mut self, by: IVec3, from_center: bool) {
        let tip = self.anchor + self.face.normal() * self.height;
        let start = if from_center { self.other_side() } else { self.anchor };
        let (low, high) = (start.min(self.corner).min(tip), start.max(self.corner).max(tip));
        let (least, most) = (self.bounds.min() - low, self.bounds.max() - 1 - high);
        let by = by.clamp(least.min(IVec3::ZERO), most.max(IVec3::ZERO));
        for place in [&mut self.anchor, &mut self.corner, &mut self.dragged.0, &mut self.on] {
            *place += by;
        }
    }

    /// The box as it is, within the map.
    pub fn region(&self) -> Region {
        let tip = self.anchor + self.face.normal() * self.height;
        let flat = Region::between(self.anchor, self.corner);
        flat.union(&Region::between(tip, tip)).intersection(&self.bounds)
    }

    /// The face that the footprint lies on.
    pub fn face(&self) -> Face {
        self.face
    }

    /// The voxel that was pressed, the opposite one of the footprint, and how far the box was pulled off its plane.
    pub fn corners(&self) -> (VoxelPos, VoxelPos, IVec3) {
        (self.anchor, self.corner, self.face.normal() * self.height)
    }

    /// The voxel opposite to the corner of the footprint, where it grows to both sides of the voxel that was pressed.
    pub fn other_side(&self) -> VoxelPos {
        self.anchor + (self.anchor - self.corner) + self.shorter
    }

    /// Voxels that the box was pulled out (or pushed in, negative) of its plane.
    pub fn height(&self) -> i32 {
        self.height
    }

    /// Whether the footprint is more than the voxel that was pressed.
    pub fn is_dragged(&self) -> bool {
        self.corner != self.anchor
    }

    /// Whether Enter finishes it: the footprint is done, or its size was typed.
    pub fn is_ready(&self) -> bool {
        self.pulls_height() || self.typed
    }

    /// Whether its height was typed.
    pub fn has_typed_height(&self) -> bool {
        self.typed_height
    }

    /// The sizes of the box, which is this region.
    pub fn numbers(&self, region: &Region) -> GestureNumbers {
        let axes = self.axes();
        let up = self.face.axis().index();
        let first = if self.pulls_height() { axes.iter().position(|axis| *axis == up).unwrap_or(0) } else { 0 };
        GestureNumbers { numbers: numbers::sizes(region, &self.bounds, &axes), first, finishes: true }
    }

    /// Takes the sizes that were typed; the others are as the pointer left them. From the center, the footprint grows to
    /// both sides.
    pub fn set_numbers(&mut self, numbers: &[TypedNumber], from_center: bool) {
        (self.corner, self.height) = self.dragged;
        self.typed = numbers.iter().any(|number| number.typed);
        self.typed_height = false;
        self.shorter = IVec3::ZERO;
        let up = self.face.axis().index();
        for (axis, number) in self.axes().into_iter().zip(numbers).filter(|(_, number)| number.typed) {
            if axis == up {
                let direction = if self.dragged.1 < 0 || (self.dragged.1 == 0 && self.digs) { -1 } else { 1 };
                self.height = self.in_map(numbers::far_end(0, direction, number.whole()));
                self.typed_height = true;
            } else {
                let whole = number.whole();
                // Of an even size the middle lies beside the voxel that was pressed: this side has a voxel more.
                let size = if from_center { whole / 2 + whole.signum() } else { whole };
                let end = numbers::far_end(self.anchor[axis], self.dragged.0[axis] - self.anchor[axis], size);
                self.corner[axis] = end.clamp(self.bounds.min()[axis], (self.bounds.max()[axis] - 1).max(self.bounds.min()[axis]));
                if from_center && whole % 2 == 0 {
                    self.shorter[axis] = (self.corner[axis] - self.anchor[axis]).signum();
                }
            }
        }
    }

    /// What pointer and keys do now.
    pub fn hint(&self) -> &'static str {
        match self.stage {
            Stage::Footprint if self.flat => "Drag to the opposite corner · Let go to make it · Esc drops it",
            Stage::Footprint => "Drag to the opposite corner, then move for the height · Esc drops it",
            Stage::Free => "Move to the opposite corner, press and move for the height · Esc drops it",
            Stage::Height(_) => "Move for the height · Click or Enter makes it · Esc goes back to the footprint",
        }
    }

    /// The axes that have a size: those of the footprint alone, where it is flat.
    fn axes(&self) -> Vec<usize> {
        let up = self.face.axis().index();
        (0..3).filter(|axis| !self.flat || *axis != up).collect()
    }

    /// Whether the footprint is done, and the pointer moves the height.
    pub fn pulls_height(&self) -> bool {
        matches!(self.stage, Stage::Height(_))
    }

    fn move_corner(&mut self, ray: &Ray) -> BoxStep {
        let Some(point) = plane_point(ray, self.on, self.face) else { return BoxStep::Still };
        let axis = self.face.axis().index();
        let mut corner = voxel_of(point).clamp(self.bounds.min(), (self.bounds.max() - 1).max(self.bounds.min()));
        corner[axis] = self.anchor[axis];
        let moved = corner != self.corner;
        self.corner = corner;
        self.shorter = IVec3::ZERO;
        self.dragged.0 = corner;
        if moved { BoxStep::Moved } else { BoxStep::Still }
    }

    fn begin_height(&mut self, ray: &Ray) {
        self.stage = Stage::Height(Pull::begin(self.on, self.face, self.corner.as_vec3() + 0.5, ray));
    }

    fn move_height(&mut self, ray: &Ray) -> BoxStep {
        let Stage::Height(pull) = self.stage else { return BoxStep::Still };
        let Some(pulled) = pull.voxels(ray) else { return BoxStep::Still };
        let height = self.in_map(pulled);
        let moved = height != self.height;
        self.height = height;
        self.dragged.1 = height;
        if moved { BoxStep::Moved } else { BoxStep::Still }
    }

    /// A height that stays within the map, so that pulling back acts at once.
    fn in_map(&self, height: i32) -> i32 {
        let axis = self.face.axis().index();
        let (low, high) = (self.bounds.min()[axis] - self.anchor[axis], self.bounds.max()[axis] - 1 - self.anchor[axis]);
        let (low, high) = if self.face.normal()[axis] < 0 { (-high, -low) } else { (low, high) };
        height.clamp(low.min(0), high.max(0))
    }
}
