//! The gizmo of what the move tool holds: arrows that push it along an axis, sides that scale it, a ring that turns it.
//! Of a selected box the select tool has the sides alone.
//!
//! It lies around a box and is as large from afar as from near: how far from the box an arrow reaches is told in pixels.
//! What the window paints and what the pointer takes hold of is measured here, once. Knows no window.

use std::f32::consts::TAU;

use glam::{IVec3, Vec2, Vec3, Vec3Swizzles};

use super::pick::along_axis;
use crate::document::Selection;
use crate::edit::ops::{Thousandths, TransformSelection};
use crate::geom::{Axis, Face, Ray, Region};

/// Pixels between the middle of a side and the foot of its arrow, and from there to its tip.
const FOOT: f32 = 14.0;
const LENGTH: f32 = 34.0;
/// Pixels around a grip in which the pointer counts as on it.
const REACH: f32 = 8.0;
/// Pixels that the ring keeps from the corners of the box, and its smallest radius.
const RING_GAP: f32 = 22.0;
const RING_LEAST: f32 = 70.0;
/// Pixels that the second longest side of the box has at least where it can be scaled: what is smaller is for dragging.
const SIDE_LEAST: f32 = 48.0;
/// Beyond this share of the view's direction an arrow points at the eye, and below it the ring is seen from its edge.
const HEAD_ON: f32 = 0.97;
const EDGE_ON: f32 = 0.1;
/// Below this share, a side is seen from its edge.
const BESIDE: f32 = 0.02;
/// Degrees that a turn goes by while Shift is held.
const STEP: f32 = 15.0;
/// Factors that a transform can have, in thousandths.
const FACTORS: [i32; 2] = [10, 64_000];

/// A part that can be taken hold of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    /// Pushes along the axis of a face.
    Arrow(Face),
    /// Scales by pulling a side, the opposite one staying.
    Side(Face),
    /// Turns about the upright axis.
    Ring,
}

impl Grip {
    /// What a drag does, for the status bar.
    pub fn help(self) -> &'static str {
        match self {
            Self::Arrow(face) => match face.axis() {
                Axis::X => "Drag pushes it along x · Ctrl copies",
                Axis::Y => "Drag pushes it along y · Ctrl copies",
                Axis::Z => "Drag pushes it up and down · Ctrl copies",
            },
            Self::Side(_) => "Drag scales it from the other side · Shift keeps its proportions",
            Self::Ring => "Drag turns it · Shift turns by 15°",
        }
    }
}

/// How the map is looked at: from where, and the height of a pixel in voxels at one voxel of distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where the rays come from.
    pub eye: Vec3,
    /// Voxels of a pixel at one voxel of distance.
    pub voxels_per_pixel: f32,
    /// Which way all rays run, where they run the same way.
    pub direction: Option<Vec3>,
}

impl View {
    /// How it is looked at along a ray.
    pub fn of_ray(ray: &Ray, voxels_per_pixel: f32, is_parallel: bool) -> Self {
        Self { eye: ray.origin, voxels_per_pixel, direction: is_parallel.then_some(ray.direction) }
    }

    /// Which way a place is looked at.
    fn toward(&self, at: Vec3) -> Vec3 {
        self.direction.unwrap_or_else(|| (at - self.eye).normalize_or_zero())
    }

    /// Voxels of a pixel at a place.
    fn pixel(&self, at: Vec3) -> f32 {
        let distance = self.direction.map_or_else(|| self.eye.distance(at), |direction| (at - self.eye).dot(direction));
        self.voxels_per_pixel * distance.max(f32::MIN_POSITIVE)
    }
}

/// The grips around a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gizmo {
    /// The box.
    region: Region,
    /// Middle of what is turned, and half of its diagonal from above.
    pivot: Vec3,
    radius: f32,
    /// Whether sides can be pulled as it is.
    has_sides: bool,
    /// Whether it can be pushed and turned.
    is_movable: bool,
    /// What the pointer is on, or holds.
    pub active: Option<Grip>,
}

impl Gizmo {
    /// Around what a transform makes of a selection; nothing where it cannot be done.
    pub fn around(op: &TransformSelection, selection: &Selection) -> Option<Self> {
        let region = op.target(selection).ok()?;
        let unturned = TransformSelection { angle: Thousandths(0), ..op.clone() }.target(selection).ok()?;
        let pivot = (unturned.min() + unturned.max()).as_vec3() * 0.5;
        let radius = unturned.size().as_vec3().xy().length() * 0.5;
        Some(Self { region, pivot, radius, has_sides: op.angle.0 == 0 && op.copies == 0, is_movable: true, active: None })
    }

    /// The sides of a box alone.
    pub fn of_sides(region: Region) -> Self {
        Self { region, pivot: Vec3::ZERO, radius: 0.0, has_sides: true, is_movable: false, active: None }
    }

    /// Middle of a side.
    fn middle(&self, face: Face) -> Vec3 {
        let (min, max) = (self.region.min().as_vec3(), self.region.max().as_vec3());
        let mut at = (min + max) * 0.5;
        let axis = face.axis().index();
        at[axis] = if face.normal()[axis] > 0 { max[axis] } else { min[axis] };
        at
    }

    /// Whether the grips of a side are shown: of the two along an axis that which is seen; of those that are both seen from
    /// their edge the one to the east, south or sky. None where it cannot be dragged because it points at the eye, or where both
    /// are turned away: the eye is between them.
    fn shows(&self, face: Face, view: &View) -> bool {
        let toward = |face: Face| view.toward(self.middle(face)).dot(face.normal().as_vec3());
        let (here, there) = (toward(face), toward(face.opposite()));
        let is_usual = matches!(face, Face::PlusX | Face::PlusY | Face::MinusZ);
        let is_seen = if here < -BESIDE || there < -BESIDE { here <= there } else { is_usual && here.min(there) <= BESIDE };
        is_seen && here.abs() <= HEAD_ON
    }

    /// How far a side is from the eye, in voxels.
    pub fn distance(&self, face: Face, view: &View) -> f32 {
        self.middle(face).distance(view.eye)
    }

    /// Foot and tip of the arrow of a side; none of one that is turned away or points at the eye.
    pub fn arrow(&self, face: Face, view: &View) -> Option<[Vec3; 2]> {
        let (at, normal) = (self.middle(face), face.normal().as_vec3());
        let pixel = view.pixel(at);
        (self.is_movable && self.shows(face, view)).then(|| [at + normal * FOOT * pixel, at + normal * (FOOT + LENGTH) * pixel])
    }

    /// Where a side is taken hold of to scale; nowhere where it is turned away or the box is too small in the picture.
    pub fn side(&self, face: Face, view: &View) -> Option<Vec3> {
        let at = self.middle(face);
        let mut sizes = self.region.size().to_array();
        sizes.sort_unstable();
        let is_large = sizes[1] as f32 >= SIDE_LEAST * view.pixel(at);
        (self.has_sides && is_large && self.shows(face, view)).then_some(at)
    }

    /// Middle and radius of the ring, which lies level; none where it is seen from its edge.
    pub fn ring(&self, view: &View) -> Option<(Vec3, f32)> {
        let pixel = view.pixel(self.pivot);
        let is_edge_on = view.toward(self.pivot).z.abs() < EDGE_ON;
        (self.is_movable && !is_edge_on).then_some((self.pivot, (self.radius + RING_GAP * pixel).max(RING_LEAST * pixel)))
    }

    /// What the ray of a pointer takes hold of: a tip before a side before the ring.
    pub fn under(&self, ray: &Ray, voxels_per_pixel: f32, is_parallel: bool) -> Option<Grip> {
        let view = View::of_ray(ray, voxels_per_pixel, is_parallel);
        let off = |at: Vec3| {
            let along = (at - ray.origin).dot(ray.direction);
            if along > 0.0 { ray.at(along).distance(at) / view.pixel(at).max(f32::MIN_POSITIVE) } else { f32::INFINITY }
        };
        let nearest = |grips: Vec<(Grip, f32)>| {
            let near = grips.into_iter().filter(|(_, off)| *off <= REACH);
            near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(grip, _)| grip)
        };
        let on_arrow = |[foot, tip]: [Vec3; 2]| (0..=4).map(|step| off(foot.lerp(tip, step as f32 / 4.0))).fold(f32::INFINITY, f32::min);
        let arrows = Face::ALL.into_iter().filter_map(|face| Some((Grip::Arrow(face), on_arrow(self.arrow(face, &view)?))));
        let sides = Face::ALL.into_iter().filter_map(|face| Some((Grip::Side(face), off(self.side(face, &view)?))));
        nearest(arrows.collect()).or_else(|| nearest(sides.collect())).or_else(|| {
            let (middle, radius) = self.ring(&view)?;
            let at = ray.at(ray.distance_to_plane(2, middle.z)?);
            let off = (at.xy().distance(middle.xy()) - radius).abs() / view.pixel(at).max(f32::MIN_POSITIVE);
            (off <= REACH).then_some(Grip::Ring)
        })
    }

    /// Where on it the ray takes hold: a place on the line of an axis, or in the plane of the ring.
    pub fn held_at(&self, grip: Grip, ray: &Ray) -> Option<Vec3> {
        match grip {
            Grip::Arrow(face) | Grip::Side(face) => {
                let middle = self.middle(face);
                Some(middle + face.normal().as_vec3() * along_axis(ray, middle, face.normal())?)
            }
            Grip::Ring => ray.distance_to_plane(2, self.pivot.z).map(|distance| ray.at(distance)),
        }
    }

    /// What a transform becomes when a grip that was taken hold of at a place comes under another ray. Nothing where the
    /// ray tells nothing.
    pub fn dragged(
        &self,
        grip: Grip,
        from: Vec3,
        ray: &Ray,
        before: &TransformSelection,
        (selection, shift): (&Selection, bool),
    ) -> Option<TransformSelection> {
        let to = self.held_at(grip, ray)?;
        match grip {
            Grip::Arrow(_) => Some(TransformSelection { by: before.by.saturating_add((to - from).round().as_ivec3()), ..before.clone() }),
            Grip::Side(face) => self.scaled(face, (to - from).dot(face.normal().as_vec3()), before, selection, shift),
            Grip::Ring => {
                let (old, new) = (from.xy() - self.pivot.xy(), to.xy() - self.pivot.xy());
                if new.length() < 0.5 {
                    return None;
                }
                Some(TransformSelection { angle: turned(before.angle, angle_between(old, new), shift), ..before.clone() })
            }
        }
    }

    /// A side pulled outward by so many voxels; with `all`, the others in proportion.
    fn scaled(&self, face: Face, by: f32, before: &TransformSelection, selection: &Selection, all: bool) -> Option<TransformSelection> {
        let axis = face.axis().index();
        let still = TransformSelection { by: IVec3::ZERO, ..before.clone() };
        let whole = TransformSelection { scale: [Thousandths::ONE; 3], ..still.clone() };
        let size = self.region.size()[axis];
        let wanted = size.saturating_add(by.round() as i32).max(1);
        let of = whole.target(selection).ok()?.size()[axis].max(1);
        // Within the range of factors, so that no cast loses anything.
        let factor = |of: f64| Thousandths((of * 1000.0).round().clamp(FACTORS[0].into(), FACTORS[1].into()) as i32);
        let mut scale = before.scale;
        if all {
            let grown = f64::from(wanted) / f64::from(size.max(1));
            scale = scale.map(|before| factor(f64::from(before) * grown));
        }
        if let Some(own) = scale.get_mut(axis) {
            *own = factor(f64::from(wanted) / f64::from(of));
        }
        let scaled = TransformSelection { scale, ..still };
        let target = scaled.target(selection).ok()?;
        // The opposite side stays where it is.
        let mut moved = before.by;
        moved[axis] = if face.normal()[axis] > 0 {
            self.region.min()[axis] - target.min()[axis]
        } else {
            self.region.max()[axis] - target.max()[axis]
        };
        Some(TransformSelection { by: moved, ..scaled })
    }
}

/// From one direction to another, clockwise as seen from the sky, in degrees: -180 to 180.
fn angle_between(from: Vec2, to: Vec2) -> f32 {
    from.perp_dot(to).atan2(from.dot(to)) * 360.0 / TAU
}

/// An angle turned on by whole degrees, or in steps, kept between -180 and 180.
fn turned(before: Thousandths, by: f32, in_steps: bool) -> Thousandths {
    let step = if in_steps { STEP } else { 1.0 };
    let all = before.0 as f32 / 1000.0 + by;
    let degrees = (all / step).round() * step;
    // Below a whole turn.
    Thousandths(((degrees + 180.0).rem_euclid(360.0) - 180.0) as i32 * 1000)
}
