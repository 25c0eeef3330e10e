//! Mouse and keys that move the camera. Everything here is about looking; nothing changes the map.
//!
//! The keymap says which button looks around, orbits about what was under the pointer, or pans. While looking,
//! WASD fly, Q and Space go up, E down, Shift is faster, Ctrl slower, the wheel sets the speed. Wheel: dolly
//! to what is under the pointer.

use egui::{CursorGrab, CursorIcon, Key, PointerButton, Rect, Response, Ui, ViewportCommand};
use glam::{Vec2, Vec3};

use crate::editor::keymap::{Drag, MouseButtons};
use crate::geom::{Camera, Ray};
use crate::voxel::{Store, raycast};

/// Radians a point of mouse travel.
const LOOK_SPEED: f32 = 0.0055;
/// Least and most voxels a second of flight.
const FLY_SPEEDS: (f32, f32) = (2.0, 600.0);
/// Share of the distance that a notch of the wheel (50 points of scroll) leaves.
const DOLLY_NOTCH: f32 = 0.82;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Gesture {
    Look,
    Orbit { pivot: Vec3 },
    Pan { anchor: Vec3 },
}

/// A camera with the mouse on it.
#[derive(Clone, Debug)]
pub struct CameraControl {
    /// Where it is.
    pub camera: Camera,
    gesture: Option<Gesture>,
    fly_speed: f32,
    holds_pointer: bool,
}

impl Default for CameraControl {
    fn default() -> Self {
        Self { camera: Camera::default(), gesture: None, fly_speed: 60.0, holds_pointer: false }
    }
}

impl CameraControl {
    /// Whether a mouse button moves the camera right now.
    pub fn is_moving(&self) -> bool {
        self.gesture.is_some()
    }

    /// Takes this frame's input in.
    pub fn update(&mut self, ui: &Ui, response: &Response, rect: Rect, store: &Store, mouse: &MouseButtons) {
        let aspect = aspect(rect);
        let (pointer, modifiers, delta) = ui.input(|input| (input.pointer.latest_pos(), input.modifiers, input.pointer.delta()));
        if let Some(pointer) = pointer {
            let camera = self.camera;
            let under = || point_under(&camera.ray(ndc(rect, pointer), aspect), store);
            let begin = |drag| match drag {
                Drag::Look => Gesture::Look,
                Drag::Orbit => Gesture::Orbit { pivot: under() },
                Drag::Pan => Gesture::Pan { anchor: under() },
            };
            let pressed =
                |button| response.contains_pointer() && rect.contains(pointer) && ui.input(|input| input.pointer.button_pressed(button));
            if pressed(PointerButton::Secondary) {
                response.request_focus();
                self.gesture = Some(begin(match (modifiers.shift, modifiers.command, modifiers.alt) {
                    (true, _, _) => mouse.right_shift,
                    (_, true, _) => mouse.right_ctrl,
                    (_, _, true) => mouse.right_alt,
                    _ => mouse.right,
                }));
            }
            if pressed(PointerButton::Middle) {
                self.gesture = Some(begin(if modifiers.shift { mouse.middle_shift } else { mouse.middle }));
            }
        }
        if !ui.input(|input| input.pointer.secondary_down() || input.pointer.middle_down()) {
            self.gesture = None;
        }
        self.hold_pointer(ui.ctx());
        match self.gesture {
            Some(Gesture::Look) => {
                // At the edge of the screen the pointer stops; the mouse itself goes on.
                let delta = ui.input(|input| input.pointer.motion()).unwrap_or(delta);
                self.camera.look(delta.x * LOOK_SPEED, delta.y * LOOK_SPEED);
                self.fly(ui);
            }
            Some(Gesture::Orbit { pivot }) => self.camera.orbit(pivot, delta.x * LOOK_SPEED, delta.y * LOOK_SPEED),
            Some(Gesture::Pan { anchor }) => {
                let moved = Vec2::new(delta.x / rect.width() * 2.0, -delta.y / rect.height() * 2.0);
                self.camera.pan(anchor, moved, aspect);
            }
            None => {}
        }
        // Also where a handle lies on the map.
        let scroll = if response.contains_pointer() { ui.input(|input| input.smooth_scroll_delta().y) } else { 0.0 };
        if scroll != 0.0 && !modifiers.alt {
            let factor = DOLLY_NOTCH.powf(scroll / 50.0);
            if self.gesture == Some(Gesture::Look) {
                self.fly_speed = (self.fly_speed / factor).clamp(FLY_SPEEDS.0, FLY_SPEEDS.1);
            } else if let Some(pointer) = pointer {
                let target = point_under(&self.camera.ray(ndc(rect, pointer), aspect), store);
                self.camera.dolly(target, factor);
            }
        }
    }

    /// While looking around, the pointer is hidden and stays where it is, as far as the desktop can do that.
    fn hold_pointer(&mut self, ctx: &egui::Context) {
        let looking = self.gesture == Some(Gesture::Look);
        if looking {
            ctx.set_cursor_icon(CursorIcon::None);
        }
        if looking != self.holds_pointer {
            self.holds_pointer = looking;
            // X11 keeps it within the window, the others lock it in place: each refuses what it cannot do.
            let grabs: &[CursorGrab] = if looking { &[CursorGrab::Confined, CursorGrab::Locked] } else { &[CursorGrab::None] };
            grabs.iter().for_each(|grab| ctx.send_viewport_cmd(ViewportCommand::CursorGrab(*grab)));
        }
    }

    /// Lets the pointer go: the map is not in front any more, or the window has lost the focus.
    pub fn let_go(&mut self, ctx: &egui::Context) {
        self.gesture = None;
        self.hold_pointer(ctx);
    }

    fn fly(&mut self, ui: &Ui) {
        let (amount, secs) = ui.input(|input| {
            let key = |key: Key| f32::from(u8::from(input.key_down(key)));
            let up = key(Key::Q).max(key(Key::Space));
            let amount = Vec3::new(key(Key::D) - key(Key::A), up - key(Key::E), key(Key::W) - key(Key::S));
            let pace = if input.modifiers.shift {
                4.0
            } else if input.modifiers.command {
                0.25
            } else {
                1.0
            };
            (amount * pace, input.stable_dt.min(0.1))
        });
        if amount != Vec3::ZERO {
            self.camera.fly(amount * self.fly_speed * secs);
            ui.ctx().request_repaint();
        }
    }
}

/// Width ÷ height.
pub fn aspect(rect: Rect) -> f32 {
    rect.width() / rect.height().max(1.0)
}

/// A point of the window in the picture: −1..1 on both axes, y up.
pub fn ndc(rect: Rect, pointer: egui::Pos2) -> Vec2 {
    let at = (pointer - rect.min) / rect.size();
    Vec2::new(at.x * 2.0 - 1.0, 1.0 - at.y * 2.0)
}

/// What the ray meets: a voxel, else the water plane, else the middle of the map.
pub fn point_under(ray: &Ray, store: &Store) -> Vec3 {
    let bounds = store.bounds();
    let plane = bounds.max().z as f32 - 1.0;
    let size = bounds.size().max_element() as f32;
    let hit = raycast(store, ray).map(|hit| ray.at(hit.distance));
    let water =
        || ray.distance_to_plane(2, plane).map(|distance| ray.at(distance)).filter(|point| (*point - ray.origin).length() < 3.0 * size);
    hit.or_else(water).unwrap_or_else(|| (bounds.min().as_vec3() + bounds.max().as_vec3()) * 0.5)
}
