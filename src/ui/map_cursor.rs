//! A cross hair on the map that keys move, for those who have no mouse: whatever the mouse does to the map, it does.
//!
//! Arrows go from voxel to voxel along the face that is aimed at; a key is the button, held down while it is held down.
//! A move of the mouse takes over.

use egui::{Color32, Rect, Stroke, Ui, Vec2};
use glam::Vec3;

use super::camera_control::{aspect, ndc, point_under};
use super::theme::Theme;
use crate::geom::{Axis, Camera, Face, VoxelPos};
use crate::tool::{Modifiers, pick};
use crate::voxel::Store;

/// Radians that a key turns the camera by.
const TURN: f32 = std::f32::consts::FRAC_PI_8 / 2.0;
/// Share of the distance that a key leaves.
const CLOSER: f32 = 0.82;
/// Points that a key moves by where nothing is aimed at.
const BLIND_STEP: f32 = 8.0;
/// Points that stay free at the edge: beyond them the map moves.
const MARGIN: f32 = 24.0;

/// What a key means to the cross hair. Right and down are positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorKey {
    /// Goes on by so many voxels.
    Move([i32; 2]),
    /// Turns the camera about what is aimed at, by so many steps.
    Turn([i32; 2]),
    /// Brings the camera closer to what is aimed at, by so many steps.
    Closer(i32),
    /// The button goes down.
    Press,
    /// The button goes up.
    Release,
}

/// The cross hair.
#[derive(Clone, Debug)]
pub struct MapCursor {
    /// Keys of this frame, with what was held down, in order.
    pub keys: Vec<(CursorKey, Modifiers)>,
    /// Where it is, as shares of the picture.
    place: Vec2,
    /// Whether its button is down.
    pub is_down: bool,
}

impl Default for MapCursor {
    fn default() -> Self {
        Self { keys: vec![], place: Vec2::splat(0.5), is_down: false }
    }
}

impl MapCursor {
    /// Where it is in the window.
    pub fn at(&self, rect: Rect) -> egui::Pos2 {
        rect.min + self.place * rect.size()
    }

    /// Lets the button go, as the last of its keys.
    pub fn let_go(&mut self) {
        if self.is_down || self.keys.iter().any(|(key, _)| *key == CursorKey::Press) {
            self.keys.push((CursorKey::Release, Modifiers::default()));
        }
    }

    /// Goes on by voxels of the face that is aimed at. What would leave the picture takes the camera along.
    pub fn go(&mut self, by: [i32; 2], camera: &mut Camera, rect: Rect, store: &Store) {
        let aspect = aspect(rect);
        let aimed = pick(store, &camera.ray(ndc(rect, self.at(rect)), aspect));
        let target = aimed.and_then(|aimed| {
            let pos = aimed.pos + along(camera, aimed.face, by);
            let pos = if aimed.face == Face::MinusZ { ground(store, pos) } else { pos };
            let target = middle(pos, aimed.face);
            Some((target, place_of(camera.project(target, aspect)?)))
        });
        let Some((target, place)) = target else {
            let points = Vec2::new(by[0] as f32, by[1] as f32) * BLIND_STEP;
            self.place = (self.place + points / rect.size()).clamp(Vec2::ZERO, Vec2::splat(1.0));
            return;
        };
        let edge = Vec2::splat(MARGIN) / rect.size();
        self.place = place.clamp(edge, Vec2::splat(1.0) - edge);
        let beyond = self.place - place;
        if beyond != Vec2::ZERO {
            camera.pan(target, glam::Vec2::new(beyond.x * 2.0, -beyond.y * 2.0), aspect);
        }
    }

    /// Turns the camera about what is aimed at, which stays where it is.
    pub fn turn(&self, by: [i32; 2], camera: &mut Camera, rect: Rect, store: &Store) {
        let pivot = point_under(&camera.ray(ndc(rect, self.at(rect)), aspect(rect)), store);
        camera.orbit(pivot, by[0] as f32 * TURN, by[1] as f32 * TURN);
    }

    /// Brings the camera closer to what is aimed at; negative numbers farther away.
    pub fn closer(&self, by: i32, camera: &mut Camera, rect: Rect, store: &Store) {
        let target = point_under(&camera.ray(ndc(rect, self.at(rect)), aspect(rect)), store);
        camera.dolly(target, CLOSER.powi(by));
    }

    /// Draws it, light within dark, so that it stands out on every ground.
    pub fn paint(&self, ui: &Ui, theme: &Theme, rect: Rect) {
        let (at, painter) = (self.at(rect), ui.painter().with_clip_rect(rect));
        let inner = if self.is_down { theme.accent } else { Color32::WHITE };
        for (color, width) in [(Color32::BLACK, 3.5), (inner, 1.5)] {
            let stroke = Stroke::new(width, color);
            painter.circle_stroke(at, 9.0, stroke);
            for arm in [Vec2::X, Vec2::Y, -Vec2::X, -Vec2::Y] {
                painter.line_segment([at + arm * 5.0, at + arm * 16.0], stroke);
            }
        }
    }
}

/// The middle of a voxel's face.
fn middle(pos: VoxelPos, face: Face) -> Vec3 {
    pos.as_vec3() + 0.5 + face.normal().as_vec3() * 0.5
}

/// The voxel of the same column that carries the ground next to this height; the voxel itself where there is none.
fn ground(store: &Store, pos: VoxelPos) -> VoxelPos {
    let bounds = store.bounds();
    let solid = |z: i32| z >= bounds.min().z && store.is_solid(pos.with_z(z));
    if solid(pos.z) {
        let top = (bounds.min().z..pos.z).rev().take_while(|z| solid(*z)).last();
        return top.map_or(pos, |z| pos.with_z(z));
    }
    (pos.z..bounds.max().z).find(|z| solid(*z)).map_or(pos, |z| pos.with_z(z))
}

/// A place of the picture, −1..1 and y up, as shares from the upper left corner.
fn place_of(at: glam::Vec2) -> Vec2 {
    Vec2::new((at.x + 1.0) * 0.5, (1.0 - at.y) * 0.5)
}

fn unit(axis: Axis) -> glam::IVec3 {
    glam::IVec3::AXES[axis.index()]
}

/// Voxels along a face that look most like so many to the right and down. Each arrow has a direction of its own.
fn along(camera: &Camera, face: Face, by: [i32; 2]) -> glam::IVec3 {
    let axes: Vec<Axis> = Axis::ALL.into_iter().filter(|axis| *axis != face.axis()).collect();
    let [first, second] = [axes[0], axes[1]];
    // How far one voxel of an axis goes to the right and down: of the camera as a whole, so that a way back is the way.
    let seen = |axis: Axis| glam::Vec2::new(camera.right().dot(unit(axis).as_vec3()), -camera.up().dot(unit(axis).as_vec3()));
    let [one, other] = [seen(first), seen(second)];
    let straight = one.x.abs() * other.y.abs() >= one.y.abs() * other.x.abs();
    let [(across, toward), (down, below)] =
        if straight { [(first, one.x), (second, other.y)] } else { [(second, other.x), (first, one.y)] };
    let sign = |value: f32| if value < 0.0 { -1 } else { 1 };
    unit(across) * (by[0] * sign(toward)) + unit(down) * (by[1] * sign(below))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use glam::IVec3;

    use super::*;
    use crate::geom::{CameraView, Region};

    #[test]
    fn each_arrow_goes_another_way_and_back_from_every_side() {
        let face = Face::MinusZ;
        for (view, steps) in CameraView::ALL.into_iter().flat_map(|view| (0..16).map(move |steps| (view, steps))) {
            let mut camera = Camera::default();
            let (yaw, pitch) = view.angles();
            (camera.yaw, camera.pitch) = (yaw + steps as f32 * TURN, pitch.max(0.2));
            camera.frame(&Region::of_size(IVec3::new(64, 64, 64)), 1.5);
            let way = |by| along(&camera, face, by);
            let ways: BTreeSet<[i32; 3]> = [[1, 0], [-1, 0], [0, 1], [0, -1]].map(|by| way(by).to_array()).into();
            assert_eq!(ways.len(), 4, "{view:?} {steps}");
            assert_eq!(way([1, 0]) + way([-1, 0]), IVec3::ZERO);
            assert_eq!(way([3, 2]), way([1, 0]) * 3 + way([0, 1]) * 2);
        }
    }

    #[test]
    fn arrows_go_from_voxel_to_voxel_and_take_the_camera_along() {
        let store = Store::new(Region::of_size(IVec3::new(64, 64, 64)));
        let mut camera = Camera::default();
        (camera.yaw, camera.pitch) = CameraView::Top.angles();
        camera.frame(&store.bounds(), 1.5);
        let rect = Rect::from_min_size(egui::Pos2::new(40.0, 60.0), Vec2::new(900.0, 600.0));
        let mut cursor = MapCursor::default();
        let aimed = |cursor: &MapCursor, camera: &Camera| pick(&store, &camera.ray(ndc(rect, cursor.at(rect)), 1.5)).unwrap().pos;
        let start = aimed(&cursor, &camera);
        cursor.go([1, 0], &mut camera, rect, &store);
        assert_eq!(aimed(&cursor, &camera), start + IVec3::X);
        cursor.go([-3, 2], &mut camera, rect, &store);
        assert_eq!(aimed(&cursor, &camera), start + IVec3::new(-2, 2, 0));
        let eye = camera.eye;
        camera.dolly(point_under(&camera.ray(ndc(rect, cursor.at(rect)), 1.5), &store), 0.1);
        for _ in 0..25 {
            cursor.go([1, 0], &mut camera, rect, &store);
        }
        assert_eq!(aimed(&cursor, &camera), start + IVec3::new(23, 2, 0));
        assert!(camera.eye.x > eye.x + 5.0 && rect.contains(cursor.at(rect)), "{}", camera.eye);
    }
}
