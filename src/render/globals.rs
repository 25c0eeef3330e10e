//! The uniform that every shader begins with: camera, light and style of one picture.

use std::mem::offset_of;

use glam::{Mat4, Vec3, Vec4};

use super::{Frame, Look, ViewMode, VoxelEdges};
use crate::geom::Region;

/// Mirrors the struct of the same name in `shaders/globals.wgsl`, which says what each field holds.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Globals {
    clip_from_world: Mat4,
    eye: Vec4,
    right: Vec4,
    up: Vec4,
    forward: Vec4,
    viewport: Vec4,
    sky_top: Vec4,
    sky_horizon: Vec4,
    face_light: [Vec4; 6],
    style: Vec4,
    bounds: Vec4,
    heights: Vec4,
    water_deep: Vec4,
    water_shallow: Vec4,
    to_sun: Vec4,
}

/// Least distance of the haze, in distances from the eye to the farthest corner of the map: at 2.0 the
/// farthest voxel keeps almost four fifths of its colour, so that what is painted is seen as it is.
const LEAST_HAZE: f32 = 2.0;

/// The look's own distance, but never so near that the map itself would fade.
fn haze_distance(look: &Look, eye: Vec3, min: Vec3, max: Vec3) -> f32 {
    let farthest = (eye - min).abs().max((eye - max).abs()).length();
    look.haze_distance.max(farthest * LEAST_HAZE)
}

impl Globals {
    /// Common head of all shader sources.
    pub const SHADER_HEAD: &str = include_str!("../../shaders/globals.wgsl");

    /// Name and byte offset of each field, for comparison with the shader.
    pub const LAYOUT: [(&str, usize); 15] = [
        ("clip_from_world", offset_of!(Self, clip_from_world)),
        ("eye", offset_of!(Self, eye)),
        ("right", offset_of!(Self, right)),
        ("up", offset_of!(Self, up)),
        ("forward", offset_of!(Self, forward)),
        ("viewport", offset_of!(Self, viewport)),
        ("sky_top", offset_of!(Self, sky_top)),
        ("sky_horizon", offset_of!(Self, sky_horizon)),
        ("face_light", offset_of!(Self, face_light)),
        ("style", offset_of!(Self, style)),
        ("bounds", offset_of!(Self, bounds)),
        ("heights", offset_of!(Self, heights)),
        ("water_deep", offset_of!(Self, water_deep)),
        ("water_shallow", offset_of!(Self, water_shallow)),
        ("to_sun", offset_of!(Self, to_sun)),
    ];

    pub(super) fn new(frame: &Frame, bounds: &Region, size: [u32; 2]) -> Self {
        let camera = &frame.camera;
        let [width, height] = size.map(|side| side.max(1) as f32);
        let aspect = width / height;
        // Depth 1 near, 0 far: floats are finest at 0, where perspective needs it.
        let reversed = Mat4::from_cols(Vec4::X, Vec4::Y, Vec4::new(0.0, 0.0, -1.0, 0.0), Vec4::new(0.0, 0.0, 1.0, 1.0));
        let half = camera.ortho_height.map_or((camera.fov_y * 0.5).tan(), |height| height * 0.5);
        let look = &frame.look;
        let (min, max) = (bounds.min().as_vec3(), bounds.max().as_vec3());
        let (level, wet) = frame.water.map_or((max.z, 0.0), |water| (water.level as f32, 1.0));
        Self {
            clip_from_world: reversed * camera.clip_from_world(aspect),
            eye: camera.eye.extend(if camera.ortho_height.is_some() { 0.0 } else { 1.0 }),
            right: (camera.right() * half * aspect).extend(0.0),
            up: (camera.up() * half).extend(0.0),
            forward: camera.forward().extend(0.0),
            viewport: Vec4::new(width, height, 1.0 / width, 1.0 / height),
            sky_top: look.sky_top.extend(1.0),
            sky_horizon: look.sky_horizon.extend(1.0 / haze_distance(look, camera.eye, min, max)),
            face_light: look.face_light().map(|light| light.extend(1.0)),
            style: Vec4::new(
                look.occlusion,
                f32::from(u8::from(frame.baked_shade)),
                f32::from(u8::from(frame.view == ViewMode::Height)),
                match frame.edges {
                    VoxelEdges::Off => 0.0,
                    VoxelEdges::Near => 1.0,
                    VoxelEdges::Strong => 3.0,
                },
            ),
            bounds: Vec4::new(min.x, min.y, max.x, max.y),
            heights: Vec4::new(min.z, max.z, level, wet),
            water_deep: look.water_deep.extend(1.0),
            water_shallow: look.water_shallow.extend(1.0),
            to_sun: look.to_sun.normalize_or(Vec3::NEG_Z).extend(frame.pixels_per_point.max(0.1)),
        }
    }
}
