//! Colours and light of the scene: sky, haze, sun, sea. Plain data, chosen by the caller.

use glam::Vec3;

use crate::geom::Face;
use crate::voxel::Rgb;

/// Light and colours of a picture. All colours are gamma-encoded (as on screen), 0..=1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The sky straight up.
    pub sky_top: Vec3,
    /// The sky at the horizon; what is far away fades towards it.
    pub sky_horizon: Vec3,
    /// Distance in voxels at which about two thirds of a surface have faded.
    pub haze_distance: f32,
    /// Direction to the sun; length does not matter. z grows downwards, so z is negative.
    pub to_sun: Vec3,
    /// Tint of faces in full sun.
    pub sun: Vec3,
    /// Tint of faces that the sun does not reach.
    pub shade: Vec3,
    /// How much corners darken, 0 (off) to 1.
    pub occlusion: f32,
    /// Water where it is deep.
    pub water_deep: Vec3,
    /// Water along a shore.
    pub water_shallow: Vec3,
}

impl Look {
    /// Quiet and dark, for a dark window around it.
    pub const DARK: Self = Self {
        sky_top: Vec3::new(0.115, 0.13, 0.155),
        sky_horizon: Vec3::new(0.345, 0.385, 0.43),
        haze_distance: 2200.0,
        to_sun: Vec3::new(-0.45, 0.62, -0.9),
        sun: Vec3::new(1.0, 0.985, 0.95),
        shade: Vec3::new(0.55, 0.58, 0.645),
        occlusion: 1.0,
        water_deep: Vec3::new(0.11, 0.19, 0.25),
        water_shallow: Vec3::new(0.18, 0.315, 0.365),
    };

    /// Bright, for a light window around it.
    pub const LIGHT: Self = Self {
        sky_top: Vec3::new(0.50, 0.67, 0.85),
        sky_horizon: Vec3::new(0.86, 0.91, 0.945),
        haze_distance: 2200.0,
        to_sun: Vec3::new(-0.45, 0.62, -0.9),
        sun: Vec3::new(1.0, 0.99, 0.965),
        shade: Vec3::new(0.56, 0.59, 0.66),
        occlusion: 1.0,
        water_deep: Vec3::new(0.30, 0.49, 0.62),
        water_shallow: Vec3::new(0.47, 0.69, 0.74),
    };

    /// A day in the game with a server's fog colour at the horizon.
    pub fn daylight(fog: Rgb) -> Self {
        let fog = Vec3::from(fog.to_array().map(f32::from)) / 255.0;
        Self {
            sky_top: fog * Vec3::new(0.62, 0.74, 0.88),
            sky_horizon: fog,
            haze_distance: 900.0,
            water_deep: fog * Vec3::new(0.42, 0.50, 0.58),
            water_shallow: fog * Vec3::new(0.62, 0.72, 0.74),
            ..Self::LIGHT
        }
    }

    /// Factor on the colours of each face, in the order of [`Face::ALL`].
    pub fn face_light(&self) -> [Vec3; 6] {
        Face::ALL.map(|face| self.light_on(face.normal().as_vec3()))
    }

    /// Factor on the colours of a surface with this normal; 1 on what faces the sky.
    pub fn light_on(&self, normal: Vec3) -> Vec3 {
        let sun = self.to_sun.normalize_or(Vec3::NEG_Z);
        // Half from the sun, half from the open sky; scaled so that level ground keeps its colours.
        let share = |normal: Vec3| normal.dot(sun).max(0.0) * 0.62 + (0.5 - normal.z * 0.5) * 0.38;
        self.shade.lerp(self.sun, (share(normal) / share(Vec3::NEG_Z)).clamp(0.0, 1.0))
    }
}

impl Default for Look {
    fn default() -> Self {
        Self::DARK
    }
}
