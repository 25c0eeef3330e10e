// Visible faces of chunks: one instance a face, four corners as a strip.

struct Chunk {
    // xyz the voxel at the chunk's smallest corner, w unused.
    origin: vec4<f32>,
}

@group(1) @binding(0) var<uniform> chunk: Chunk;

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
    @location(1) @interpolate(flat, either) color: vec3<f32>,
    // Two bits a corner, from bit 18 up.
    @location(2) @interpolate(flat, either) place: u32,
    // A face is small: a straight line between its corners is exact enough.
    @location(3) haze: f32,
}

// Hypsometric tints from the shore to the peaks, as on a printed map.
fn height_tint(share: f32) -> vec3<f32> {
    let stops = array<vec3<f32>, 6>(
        vec3<f32>(0.31, 0.49, 0.42), vec3<f32>(0.51, 0.64, 0.41), vec3<f32>(0.80, 0.77, 0.51),
        vec3<f32>(0.77, 0.59, 0.39), vec3<f32>(0.60, 0.44, 0.36), vec3<f32>(0.93, 0.92, 0.90));
    let at = clamp(share, 0.0, 1.0) * 5.0;
    let low = min(u32(at), 4u);
    return mix(stops[low], stops[low + 1u], at - f32(low));
}

fn voxel_of(quad: vec2<u32>) -> vec3<f32> {
    return vec3<f32>(f32(quad.x & 31u), f32((quad.x >> 5u) & 31u), f32((quad.x >> 10u) & 31u));
}

fn expanded(corner: u32, quad: vec2<u32>, color: vec3<f32>) -> Fragment {
    let face = (quad.x >> 15u) & 7u;
    let uv = vec2<f32>(f32(corner & 1u), f32(corner >> 1u));
    let world = chunk.origin.xyz + voxel_of(quad) + face_corner(face, uv.x, uv.y);
    var out: Fragment;
    out.clip = globals.clip_from_world * vec4<f32>(world, 1.0);
    out.uv = uv;
    out.color = color * globals.face_light[face].rgb;
    out.place = quad.x;
    out.haze = haze_at(world);
    return out;
}

@vertex
fn vertex(@builtin(vertex_index) corner: u32, @location(0) quad: vec2<u32>) -> Fragment {
    // Bytes b, g, r, shade; 128 is the neutral shade.
    let paint = unpack4x8unorm(quad.y);
    let shade = mix(1.0, min(paint.a * (255.0 / 128.0), 1.0), globals.style.y);
    return expanded(corner, quad, paint.bgr * shade);
}

// A stage of its own: a software rasteriser would run the tints for every vertex even where they are not asked for.
@vertex
fn vertex_by_height(@builtin(vertex_index) corner: u32, @location(0) quad: vec2<u32>) -> Fragment {
    let z = voxel_of(quad).z;
    let floor = globals.heights.z;
    // Alternate heights differ a little, so that steps read as contour lines.
    let band = 0.965 + 0.035 * (z - 2.0 * trunc(z * 0.5));
    let color = height_tint((floor - chunk.origin.z - z) / max(floor - globals.heights.x, 1.0)) * band;
    return expanded(corner, quad, color);
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    // Interpolated here rather than along the strip's two triangles, whose seam would show.
    let light = vec4<f32>((vec4<u32>(in.place) >> vec4<u32>(18u, 20u, 22u, 24u)) & vec4<u32>(3u)) / 3.0;
    let open = mix(mix(light.x, light.y, in.uv.x), mix(light.z, light.w, in.uv.x), in.uv.y);
    var color = in.color * mix(vec3<f32>(1.0), mix(vec3<f32>(0.40, 0.42, 0.47), vec3<f32>(1.0), open), globals.style.x);

    if globals.style.w > 0.0 {
        let step = max(fwidth(in.uv), vec2<f32>(1e-5));
        let to_border = min(in.uv, 1.0 - in.uv) / step;
        let nearest = min(to_border.x, to_border.y);
        // Voxels smaller than a few pixels would turn into a grey veil.
        let size = 1.0 / max(step.x, step.y);
        let start = select(10.0, 4.0, globals.style.w > 2.0);
        let fade = smoothstep(start, start * 3.5, size);
        color *= 1.0 - 0.085 * globals.style.w * fade * (1.0 - smoothstep(0.35, 1.35, nearest));
    }
    return vec4<f32>(mix(color, globals.sky_horizon.rgb, in.haze), 1.0);
}
