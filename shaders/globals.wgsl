// Head of every shader: what does not change within a picture, and the maths that all share.
// Mirrors `Globals` in src/render/globals.rs; a test compares the layouts.

struct Globals {
    // Reversed depth: 1 near, 0 far.
    clip_from_world: mat4x4<f32>,
    // xyz the eye, w 1 perspective, 0 orthographic.
    eye: vec4<f32>,
    // xyz to the right edge of the picture at distance 1 (or, orthographic, in voxels), w unused.
    right: vec4<f32>,
    // The same to the upper edge.
    up: vec4<f32>,
    // xyz the line of sight, w unused.
    forward: vec4<f32>,
    // Width and height in pixels, then their reciprocals.
    viewport: vec4<f32>,
    // rgb straight up, w unused.
    sky_top: vec4<f32>,
    // rgb at the horizon, w 1 / distance of the haze.
    sky_horizon: vec4<f32>,
    // rgb factor of each face: +x -x +y -y +z -z.
    face_light: array<vec4<f32>, 6>,
    // x occlusion, y baked shade, z colour by height, w border strength.
    style: vec4<f32>,
    // xy smallest corner of the map, zw largest.
    bounds: vec4<f32>,
    // x highest z of the map (its sky), y lowest, z water level, w 1 if there is water.
    heights: vec4<f32>,
    // rgb deep water, w unused.
    water_deep: vec4<f32>,
    // rgb shallow water, w unused.
    water_shallow: vec4<f32>,
    // xyz direction to the sun, w pixels per point.
    to_sun: vec4<f32>,
}

@group(0) @binding(0) var<uniform> globals: Globals;

// Corner `corner` (a + 2 * b along the tangents) of a face of the voxel at 0.
fn face_corner(face: u32, a: f32, b: f32) -> vec3<f32> {
    let side = f32(1u - (face & 1u));
    if face < 2u {
        return vec3<f32>(side, a, b);
    }
    if face < 4u {
        return vec3<f32>(a, side, b);
    }
    return vec3<f32>(a, b, side);
}

// Unit vector from the eye to a point (orthographic: the line of sight).
fn sight_to(point: vec3<f32>) -> vec3<f32> {
    return normalize(mix(globals.forward.xyz, point - globals.eye.xyz, globals.eye.w));
}

// A point a little nearer on the same line of sight: covers what it lies on without moving in the picture.
fn lifted(point: vec3<f32>, amount: f32) -> vec3<f32> {
    if globals.eye.w > 0.5 {
        let to_eye = globals.eye.xyz - point;
        let distance = length(to_eye);
        return point + to_eye * min(amount * 0.03 / max(distance, 0.01) + amount * 0.0015, 0.5);
    }
    return point - globals.forward.xyz * (amount * 0.12);
}

fn sky_color(sight: vec3<f32>) -> vec3<f32> {
    // z grows downwards. Below the horizon stays haze.
    let height = clamp(-sight.z, 0.0, 1.0);
    return mix(globals.sky_horizon.rgb, globals.sky_top.rgb, 1.0 - exp(-height * 3.2));
}

// How much of a surface at this point is lost in haze, 0 none, 1 all.
fn haze_at(point: vec3<f32>) -> f32 {
    let far = length(point - globals.eye.xyz) * globals.sky_horizon.w * globals.eye.w;
    return 1.0 - exp(-far * far);
}
