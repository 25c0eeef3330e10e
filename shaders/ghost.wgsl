// The hull of the voxels that an action would change: tinted, with an outline along its edges.

// xyz tint and w alpha of the fill, both gamma-encoded.
@group(1) @binding(0) var<uniform> tint: vec4<f32>;

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
    // 1 where the hull has an edge: smaller a, larger a, smaller b, larger b.
    @location(1) @interpolate(flat, either) edges: vec4<f32>,
    @location(2) @interpolate(flat, either) light: f32,
}

@vertex
fn vertex(@builtin(vertex_index) corner: u32, @location(0) voxel: vec3<i32>, @location(1) bits: u32) -> Fragment {
    let face = bits & 7u;
    let uv = vec2<f32>(f32(corner & 1u), f32(corner >> 1u));
    let world = vec3<f32>(voxel) + face_corner(face, uv.x, uv.y);
    let axis = face >> 1u;
    let outward = select(1.0, -1.0, (face & 1u) == 1u);
    let normal = vec3<f32>(vec3<u32>(0u, 1u, 2u) == vec3<u32>(axis)) * outward;

    var out: Fragment;
    out.clip = globals.clip_from_world * vec4<f32>(lifted(world, 1.0), 1.0);
    if dot(sight_to(world), normal) > 0.0 {
        // Looks away.
        out.clip = vec4<f32>(2.0, 2.0, 0.0, 1.0);
    }
    out.uv = uv;
    out.edges = vec4<f32>((vec4<u32>(bits) >> vec4<u32>(3u, 4u, 5u, 6u)) & vec4<u32>(1u));
    out.light = dot(globals.face_light[face].rgb, vec3<f32>(0.3333));
    return out;
}

// Share of the outline in this pixel, 0..1.
fn outline(in: Fragment) -> f32 {
    let step = max(fwidth(in.uv), vec2<f32>(1e-5)) * globals.to_sun.w;
    let far = vec4<f32>(in.uv.x, 1.0 - in.uv.x, in.uv.y, 1.0 - in.uv.y) / step.xxyy + (1.0 - in.edges) * 1e3;
    let nearest = min(min(far.x, far.y), min(far.z, far.w));
    return 1.0 - smoothstep(0.6, 1.6, nearest);
}

// Faint borders between voxels of a face.
fn grid(in: Fragment) -> f32 {
    let step = max(fwidth(in.uv), vec2<f32>(1e-5));
    let near = min(in.uv, 1.0 - in.uv) / step;
    return (1.0 - smoothstep(0.3, 1.3, min(near.x, near.y))) * smoothstep(8.0, 24.0, 1.0 / max(step.x, step.y));
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    let line = outline(in);
    let bright = mix(tint.rgb, vec3<f32>(1.0), 0.35);
    let fill = tint.rgb * mix(0.62, 1.0, in.light) * (1.0 - 0.14 * grid(in));
    return vec4<f32>(mix(fill, bright, line), mix(tint.a, 0.95, line));
}

@fragment
fn behind(in: Fragment) -> @location(0) vec4<f32> {
    return vec4<f32>(tint.rgb, mix(tint.a * 0.13, 0.22, outline(in)));
}
