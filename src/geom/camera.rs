//! The viewport's camera: where the eye is, where it looks, and the moves of orbit, pan, dolly and fly.
//!
//! Pure maths: the same camera serves the window, the `render` verb and tests.

use glam::{Mat4, Vec2, Vec3};

use super::{Ray, Region};

/// Steepest look up or down, in radians: a hair under straight, so that "up" stays defined.
const PITCH_LIMIT: f32 = std::f32::consts::FRAC_PI_2 - 0.001;

/// A named direction to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CameraView {
    /// From the sky, north up.
    Top,
    /// From the south-west and above.
    Iso,
    /// From the north, looking south.
    North,
    /// From the east, looking west.
    East,
    /// From the south, looking north.
    South,
    /// From the west, looking east.
    West,
}

impl CameraView {
    /// All of them, in menu order.
    pub const ALL: [Self; 6] = [Self::Top, Self::Iso, Self::North, Self::East, Self::South, Self::West];

    /// Lower-case name, as in `--view`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Iso => "iso",
            Self::North => "north",
            Self::East => "east",
            Self::South => "south",
            Self::West => "west",
        }
    }

    /// Yaw and pitch in radians.
    pub fn angles(self) -> (f32, f32) {
        use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
        match self {
            Self::Top => (0.0, PITCH_LIMIT),
            Self::Iso => (FRAC_PI_4, 0.62),
            Self::North => (PI, 0.0),
            Self::East => (-FRAC_PI_2, 0.0),
            Self::South => (0.0, 0.0),
            Self::West => (FRAC_PI_2, 0.0),
        }
    }
}

/// An eye in the world. Units are voxels and radians; z grows downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position of the eye.
    pub eye: Vec3,
    /// 0 looks north, a quarter turn looks east.
    pub yaw: f32,
    /// 0 looks level, positive looks down; kept short of straight up and down.
    pub pitch: f32,
    /// Vertical opening angle of the perspective.
    pub fov_y: f32,
    /// Height of the view in voxels when orthographic; `None` is perspective.
    pub ortho_height: Option<f32>,
}

impl Default for Camera {
    fn default() -> Self {
        Self { eye: Vec3::new(0.0, 0.0, -64.0), yaw: 0.0, pitch: 0.5, fov_y: 0.9, ortho_height: None }
    }
}

impl Camera {
    /// Unit vector that the camera looks along.
    pub fn forward(&self) -> Vec3 {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch.sin_cos();
        Vec3::new(sin_yaw * cos_pitch, -cos_yaw * cos_pitch, sin_pitch)
    }

    /// Unit vector to the right of the picture, level.
    pub fn right(&self) -> Vec3 {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        Vec3::new(cos_yaw, sin_yaw, 0.0)
    }

    /// Unit vector to the top of the picture.
    pub fn up(&self) -> Vec3 {
        self.right().cross(self.forward())
    }

    /// World to view: right-handed, x right, y up, looking along −z.
    pub fn view_from_world(&self) -> Mat4 {
        glam::camera::rh::view::look_at_mat4(self.eye, self.eye + self.forward(), self.up())
    }

    /// View to clip: x and y in −1..1, z in 0..1 (wgpu). `aspect` is width ÷ height.
    pub fn clip_from_view(&self, aspect: f32) -> Mat4 {
        match self.ortho_height {
            None => glam::camera::rh::proj::directx::perspective(self.fov_y, aspect, 0.1, 8192.0),
            Some(height) => {
                let (half_w, half_h) = (height * aspect * 0.5, height * 0.5);
                glam::camera::rh::proj::directx::orthographic(-half_w, half_w, -half_h, half_h, -4096.0, 8192.0)
            }
        }
    }

    /// World to clip.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        self.clip_from_view(aspect) * self.view_from_world()
    }

    /// The ray through a point of the picture; `ndc` is −1..1 on both axes, y up.
    pub fn ray(&self, ndc: Vec2, aspect: f32) -> Ray {
        let (right, up, forward) = (self.right(), self.up(), self.forward());
        match self.ortho_height {
            None => {
                let half = (self.fov_y * 0.5).tan();
                Ray::new(self.eye, forward + right * (ndc.x * half * aspect) + up * (ndc.y * half))
            }
            Some(height) => {
                let offset = right * (ndc.x * height * aspect * 0.5) + up * (ndc.y * height * 0.5);
                // Start far behind the eye: an orthographic eye has no "behind".
                Ray::new(self.eye + offset - forward * 2048.0, forward)
            }
        }
    }

    /// Where a world point falls in the picture (`ndc`, y up); `None` behind the eye.
    pub fn project(&self, point: Vec3, aspect: f32) -> Option<Vec2> {
        let clip = self.clip_from_world(aspect) * point.extend(1.0);
        (clip.w > 1e-4).then(|| Vec2::new(clip.x, clip.y) / clip.w)
    }

    /// Voxels covered by one picture height at the point's depth.
    pub fn view_height_at(&self, point: Vec3) -> f32 {
        match self.ortho_height {
            Some(height) => height,
            None => 2.0 * (self.fov_y * 0.5).tan() * (point - self.eye).dot(self.forward()).max(0.1),
        }
    }

    /// Turns the camera about `pivot`, which stays where it is in the picture.
    pub fn orbit(&mut self, pivot: Vec3, yaw_by: f32, pitch_by: f32) {
        let offset = self.eye - pivot;
        let in_view = Vec3::new(offset.dot(self.right()), offset.dot(self.up()), offset.dot(self.forward()));
        self.look(yaw_by, pitch_by);
        self.eye = pivot + self.right() * in_view.x + self.up() * in_view.y + self.forward() * in_view.z;
    }

    /// Turns the head without moving the eye.
    pub fn look(&mut self, yaw_by: f32, pitch_by: f32) {
        self.yaw = (self.yaw + yaw_by) % std::f32::consts::TAU;
        self.pitch = (self.pitch + pitch_by).clamp(-PITCH_LIMIT, PITCH_LIMIT);
    }

    /// Shifts the picture by `ndc` so that `anchor` follows the pointer.
    pub fn pan(&mut self, anchor: Vec3, ndc: Vec2, aspect: f32) {
        let height = self.view_height_at(anchor);
        self.eye -= self.right() * (ndc.x * height * aspect * 0.5) + self.up() * (ndc.y * height * 0.5);
    }

    /// Comes nearer to `target` by `factor` (0.8 leaves 80 % of the distance; above 1 goes away).
    ///
    /// The eye never comes nearer than one voxel.
    pub fn dolly(&mut self, target: Vec3, factor: f32) {
        if let Some(height) = &mut self.ortho_height {
            let scaled = (*height * factor).clamp(2.0, 8192.0);
            let ratio = scaled / *height;
            *height = scaled;
            let offset = target - self.eye;
            let sideways = offset - self.forward() * offset.dot(self.forward());
            self.eye += sideways * (1.0 - ratio);
            return;
        }
        let offset = target - self.eye;
        let distance = offset.length().max(0.001);
        let wanted = (distance * factor).clamp(1.0, 6000.0);
        self.eye += offset * (1.0 - wanted / distance);
    }

    /// Moves the eye by `amount` voxels: x right, y towards the sky, z ahead.
    pub fn fly(&mut self, amount: Vec3) {
        self.eye += self.right() * amount.x - Vec3::Z * amount.y + self.forward() * amount.z;
    }

    /// Moves back along the line of sight until the whole region is in the picture.
    pub fn frame(&mut self, region: &Region, aspect: f32) {
        let (min, max) = (region.min().as_vec3(), region.max().as_vec3());
        let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
        let corners = (0..8).map(|i| {
            let sign = Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2 & 1) as f32) * 2.0 - 1.0;
            half * sign
        });
        let (right, up, forward) = (self.right(), self.up(), self.forward());
        let tan = (self.fov_y * 0.5).tan() * 0.94;
        let (mut distance, mut height) = (2.0_f32, 2.0_f32);
        for corner in corners {
            let (x, y, z) = (corner.dot(right).abs(), corner.dot(up).abs(), corner.dot(forward));
            distance = distance.max(y / tan - z).max(x / (tan * aspect) - z);
            height = height.max(2.0 * y).max(2.0 * x / aspect);
        }
        if let Some(view) = &mut self.ortho_height {
            *view = height * 1.06;
        }
        self.eye = center - forward * distance;
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;

    fn map() -> Region {
        Region::of_size(IVec3::new(512, 512, 64))
    }

    #[test]
    fn a_framed_region_is_wholly_in_the_picture_from_every_view() {
        for view in CameraView::ALL {
            for aspect in [0.5, 1.0, 2.4] {
                let (yaw, pitch) = view.angles();
                let mut camera = Camera { yaw, pitch, ..Camera::default() };
                camera.frame(&map(), aspect);
                for corner in [Vec3::ZERO, Vec3::new(512.0, 0.0, 0.0), Vec3::new(0.0, 512.0, 64.0), Vec3::new(512.0, 512.0, 64.0)] {
                    let ndc = camera.project(corner, aspect).unwrap();
                    assert!(ndc.abs().max_element() <= 1.0, "{view:?} {aspect} {corner} {ndc}");
                }
            }
        }
    }

    #[test]
    fn the_ray_through_a_projected_point_passes_the_point() {
        for ortho_height in [None, Some(300.0)] {
            let mut camera = Camera { yaw: 0.7, pitch: 0.4, ortho_height, ..Camera::default() };
            camera.frame(&map(), 1.5);
            let point = Vec3::new(100.0, 380.0, 40.0);
            let ray = camera.ray(camera.project(point, 1.5).unwrap(), 1.5);
            let along = (point - ray.origin).dot(ray.direction);
            assert!((ray.at(along) - point).length() < 0.05);
        }
    }

    #[test]
    fn orbiting_keeps_the_pivot_in_its_place_in_the_picture() {
        let mut camera = Camera { yaw: 0.3, pitch: 0.5, ..Camera::default() };
        camera.frame(&map(), 1.6);
        let pivot = Vec3::new(70.0, 300.0, 50.0);
        let before = camera.project(pivot, 1.6).unwrap();
        camera.orbit(pivot, 0.4, 0.2);
        assert!((camera.project(pivot, 1.6).unwrap() - before).length() < 1e-3);
    }

    #[test]
    fn from_the_top_north_is_up_and_east_is_right() {
        let (yaw, pitch) = CameraView::Top.angles();
        let mut camera = Camera { yaw, pitch, ..Camera::default() };
        camera.frame(&map(), 1.0);
        let north_west = camera.project(Vec3::new(0.0, 0.0, 60.0), 1.0).unwrap();
        let south_east = camera.project(Vec3::new(512.0, 512.0, 60.0), 1.0).unwrap();
        assert!(north_west.x < south_east.x && north_west.y > south_east.y);
    }
}
