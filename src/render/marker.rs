//! Markers: small solid things that stand for bases, intel, territories and spawn points.
//!
//! Built of triangles here, lit by hand, as large as in the game or larger: never less than a readable size
//! in the picture, however far away. Caller: `solids`.

use glam::{Vec2, Vec3};

use super::Frame;
use super::solids::SolidVertex;
use crate::voxel::Rgb;

/// What a marker stands for, which is its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarkerKind {
    /// A team's base: a tent.
    Base,
    /// A team's intel: a briefcase.
    Intel,
    /// A territory of TC: a flag on a pole.
    Territory,
    /// A point to spawn at: an arrow down to the ground.
    SpawnPoint,
    /// A thing that fills the voxel over its ground: a cube of natural size.
    Block,
    /// One thing of many: a flat plate of natural size.
    Dot,
    /// Anything else: a pin.
    Pin,
}

/// One marker. It stands with its foot on `foot`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// The shape.
    pub kind: MarkerKind,
    /// Where it touches the ground, in voxels.
    pub foot: Vec3,
    /// Colour of the team.
    pub color: Rgb,
    /// Whether it is marked as selected: larger, on a plate of a paler colour.
    pub selected: bool,
}

/// Least height of a marker in the picture, in logical pixels.
const LEAST_HEIGHT_POINTS: f32 = 24.0;

/// A shape under construction: x right, y back, z **up** here, in voxels, turned to the world at the end.
struct Builder<'a> {
    vertices: &'a mut Vec<SolidVertex>,
    frame: &'a Frame,
    foot: Vec3,
    scale: f32,
}

/// Adds the marker's triangles that face the eye.
pub(super) fn push_marker(vertices: &mut Vec<SolidVertex>, marker: &Marker, frame: &Frame, size: Vec2) {
    let (height, natural): (f32, f32) = match marker.kind {
        MarkerKind::Base => (3.0, 1.15),
        MarkerKind::Intel => (2.6, 1.0),
        MarkerKind::Territory => (6.0, 1.0),
        MarkerKind::SpawnPoint | MarkerKind::Pin => (3.4, 1.0),
        MarkerKind::Block | MarkerKind::Dot => (1.0, 1.0),
    };
    // A pixel is this many voxels there.
    let pixel = frame.camera.view_height_at(marker.foot) / size.y.max(1.0);
    let least = LEAST_HEIGHT_POINTS * frame.pixels_per_point * pixel / height;
    let in_place = matches!(marker.kind, MarkerKind::Block | MarkerKind::Dot);
    if in_place && (pixel > most_voxels_a_pixel(marker.kind) || is_out_of_sight(frame, marker.foot, size)) {
        return;
    }
    let scale = if in_place { 1.0 } else { natural.max(least) * if marker.selected { 1.25 } else { 1.0 } };
    let mut builder = Builder { vertices, frame, foot: marker.foot, scale };
    let color = Vec3::from(marker.color.to_array().map(f32::from)) / 255.0;
    let (dark, light) = (color * 0.45, color.lerp(Vec3::ONE, 0.45));
    if marker.selected && !in_place {
        builder.block(Vec3::new(-1.5, -1.5, 0.0), Vec3::new(1.5, 1.5, 0.1), light);
    }
    match marker.kind {
        MarkerKind::Base => builder.tent(color, dark, light),
        MarkerKind::Intel => {
            builder.block(Vec3::new(-1.15, -0.38, 0.0), Vec3::new(1.15, 0.38, 1.45), color);
            builder.block(Vec3::new(-1.22, -0.44, 0.62), Vec3::new(1.22, 0.44, 0.82), dark);
            builder.block(Vec3::new(-0.16, -0.5, 0.56), Vec3::new(0.16, 0.5, 0.9), light);
            for x in [-0.42, 0.26] {
                builder.block(Vec3::new(x, -0.12, 1.45), Vec3::new(x + 0.16, 0.12, 1.85), dark);
            }
            builder.block(Vec3::new(-0.42, -0.12, 1.78), Vec3::new(0.42, 0.12, 1.94), dark);
        }
        MarkerKind::Territory => {
            // From above the flag is a line: the plates at its foot tell the team there.
            builder.block(Vec3::new(-1.5, -1.5, 0.0), Vec3::new(1.5, 1.5, 0.2), dark);
            builder.block(Vec3::new(-1.2, -1.2, 0.2), Vec3::new(1.2, 1.2, 0.3), color);
            builder.block(Vec3::new(-0.1, -0.1, 0.25), Vec3::new(0.1, 0.1, 6.1), Vec3::splat(0.86));
            builder.block(Vec3::new(0.1, -0.05, 4.0), Vec3::new(2.9, 0.05, 5.9), color);
            builder.block(Vec3::new(0.1, -0.06, 4.8), Vec3::new(2.9, 0.06, 5.1), light);
        }
        MarkerKind::SpawnPoint => {
            builder.cone(Vec3::ZERO, Vec3::new(0.0, 0.0, 1.5), 0.95, 4, color);
            builder.block(Vec3::new(-0.36, -0.36, 1.5), Vec3::new(0.36, 0.36, 3.2), color);
            builder.block(Vec3::new(-0.36, -0.36, 3.2), Vec3::new(0.36, 0.36, 3.4), light);
        }
        MarkerKind::Block => {
            let half = Vec3::splat(0.5).with_z(0.0);
            builder.block(-half, half.with_z(1.0), if marker.selected { light } else { color });
        }
        MarkerKind::Dot => {
            let half = Vec3::new(0.14, 0.14, 0.0);
            builder.block(-half, half.with_z(0.1), if marker.selected { light } else { color });
        }
        MarkerKind::Pin => {
            builder.cone(Vec3::ZERO, Vec3::new(0.0, 0.0, 2.4), 0.75, 8, color);
            builder.cone(Vec3::new(0.0, 0.0, 3.4), Vec3::new(0.0, 0.0, 2.4), 0.75, 8, light);
        }
    }
}

/// Things that stand in their voxel are left out where a pixel is larger than this many voxels.
fn most_voxels_a_pixel(kind: MarkerKind) -> f32 {
    if kind == MarkerKind::Dot { 0.2 } else { 1.5 }
}

/// Whether the camera cannot see the place: of thousands of things most are elsewhere.
fn is_out_of_sight(frame: &Frame, foot: Vec3, size: Vec2) -> bool {
    let camera = &frame.camera;
    if camera.ortho_height.is_some() {
        return false;
    }
    let sight = foot - camera.eye;
    // A cone about the picture's corners, with room for a thing next to the eye.
    let (half_height, aspect) = ((camera.fov_y * 0.5).tan(), size.x / size.y.max(1.0));
    let cosine = 1.0 / (1.0 + half_height * half_height * (1.0 + aspect * aspect)).sqrt();
    sight.dot(camera.forward()) + 2.0 < sight.length() * cosine
}

impl Builder<'_> {
    fn tent(&mut self, color: Vec3, dark: Vec3, light: Vec3) {
        let (half_width, half_depth, ridge) = (2.0, 2.1, 2.6);
        for side in [-1.0, 1.0] {
            let base = Vec3::new(half_width * side, 0.0, 0.0);
            let (near, far) = (base.with_y(-half_depth), base.with_y(half_depth));
            let (top_near, top_far) = (Vec3::new(0.0, -half_depth, ridge), Vec3::new(0.0, half_depth, ridge));
            self.polygon(&[near, far, top_far, top_near], Vec3::new(ridge * side, 0.0, half_width), color);
            // A pale stripe along the lower rim.
            let lift = |low: Vec3, top: Vec3, share: f32| low.lerp(top, share) + Vec3::new(0.02 * side, 0.0, 0.02);
            let stripe = [lift(near, top_near, 0.1), lift(far, top_far, 0.1), lift(far, top_far, 0.22), lift(near, top_near, 0.22)];
            self.polygon(&stripe, Vec3::new(ridge * side, 0.0, half_width), light);
        }
        for side in [-1.0, 1.0] {
            let y = half_depth * side;
            let wall = [Vec3::new(-half_width, y, 0.0), Vec3::new(half_width, y, 0.0), Vec3::new(0.0, y, ridge)];
            self.polygon(&wall, Vec3::Y * side, color);
            let y = y + 0.03 * side;
            let door = [Vec3::new(-0.75, y, 0.0), Vec3::new(0.75, y, 0.0), Vec3::new(0.0, y, 1.9)];
            self.polygon(&door, Vec3::Y * side, dark);
        }
        self.block(Vec3::new(-0.09, -half_depth - 0.25, ridge - 0.08), Vec3::new(0.09, half_depth + 0.25, ridge + 0.1), dark);
    }

    fn block(&mut self, min: Vec3, max: Vec3, color: Vec3) {
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for (side, value) in [(-1.0, min[axis]), (1.0, max[axis])] {
                let mut normal = Vec3::ZERO;
                normal[axis] = side;
                let corners = [(min[u], min[v]), (max[u], min[v]), (max[u], max[v]), (min[u], max[v])].map(|(at_u, at_v)| {
                    let mut corner = Vec3::splat(value);
                    (corner[u], corner[v]) = (at_u, at_v);
                    corner
                });
                self.polygon(&corners, normal, color);
            }
        }
    }

    /// A cone from its tip to the middle of its base, which is level.
    fn cone(&mut self, tip: Vec3, base: Vec3, radius: f32, sides: u32, color: Vec3) {
        let rim = |i: u32| {
            let (sin, cos) = ((i as f32 + 0.5) / sides as f32 * std::f32::consts::TAU).sin_cos();
            base + Vec3::new(cos, sin, 0.0) * radius
        };
        let cap: Vec<_> = (0..sides).map(rim).collect();
        self.polygon(&cap, base - tip, color);
        for i in 0..sides {
            let (a, b) = (rim(i), rim(i + 1));
            let outward = (a + b) * 0.5 - base;
            let normal = (a - tip).cross(b - tip);
            self.polygon(&[tip, a, b], normal * normal.dot(outward).signum(), color);
        }
    }

    /// A convex polygon, if it faces the eye.
    fn polygon(&mut self, corners: &[Vec3], normal: Vec3, color: Vec3) {
        let to_world = |v: Vec3| v * Vec3::new(1.0, 1.0, -1.0);
        let normal = to_world(normal).normalize_or(Vec3::NEG_Z);
        let places: Vec<_> = corners.iter().map(|corner| self.foot + to_world(*corner) * self.scale).collect();
        let (Some(&first), camera) = (places.first(), &self.frame.camera) else { return };
        let sight = if camera.ortho_height.is_some() { camera.forward() } else { first - camera.eye };
        if sight.dot(normal) >= 0.0 {
            return;
        }
        let lit = (color * self.frame.look.light_on(normal)).clamp(Vec3::ZERO, Vec3::ONE) * 255.0;
        let rgba = [lit.x as u8, lit.y as u8, lit.z as u8, 255];
        for pair in places.windows(2).skip(1) {
            self.vertices.extend([first, pair[0], pair[1]].map(|place| SolidVertex { place, rgba }));
        }
    }
}
