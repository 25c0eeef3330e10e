// The sea: a plane to the horizon, clear along shores, deep elsewhere.

@group(1) @binding(0) var shore: texture_2d<f32>;
@group(1) @binding(1) var shore_sampler: sampler;

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) corner: u32) -> Fragment {
    // Beyond this the haze has swallowed it.
    let reach = 3.0 / globals.sky_horizon.w;
    let low = min(globals.bounds.xy, globals.eye.xy) - reach;
    let high = max(globals.bounds.zw, globals.eye.xy) + reach;
    let plan = mix(low, high, vec2<f32>(f32(corner & 1u), f32(corner >> 1u)));
    var out: Fragment;
    // A little over the sea floor, so that the two do not fight.
    out.world = vec3<f32>(plan, globals.heights.z - 0.12);
    out.clip = globals.clip_from_world * vec4<f32>(out.world, 1.0);
    return out;
}

// Smooth noise from a lattice of random values; 0..1.
fn lattice(at: vec2<f32>) -> f32 {
    return fract(sin(dot(at, vec2<f32>(127.1, 311.7))) * 43758.547);
}
fn noise(at: vec2<f32>) -> f32 {
    let cell = floor(at);
    let t = fract(at);
    let s = t * t * (3.0 - 2.0 * t);
    return mix(
        mix(lattice(cell), lattice(cell + vec2<f32>(1.0, 0.0)), s.x),
        mix(lattice(cell + vec2<f32>(0.0, 1.0)), lattice(cell + vec2<f32>(1.0, 1.0)), s.x), s.y);
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    let sight = sight_to(in.world);
    let size = globals.bounds.zw - globals.bounds.xy;
    // 1 at the shore, 0 far from it; the texture has a rim of deep water around the map.
    let place = (in.world.xy - globals.bounds.xy + 16.0) / (size + 32.0);
    let near_shore = textureSampleLevel(shore, shore_sampler, clamp(place, vec2<f32>(0.0), vec2<f32>(1.0)), 0.0).r;

    // Slow swell: only a hint, so that the sea is not a flat colour.
    let swell = noise(in.world.xy * vec2<f32>(0.021, 0.034)) + 0.5 * noise(in.world.xy * vec2<f32>(0.07, 0.11) + 31.0);
    var color = mix(globals.water_deep.rgb, globals.water_shallow.rgb, near_shore * near_shore * 0.9);
    color *= 0.965 + 0.05 * swell;

    // Grazing looks see the sky in it.
    let grazing = pow(1.0 - clamp(sight.z, 0.0, 1.0), 5.0);
    let mirrored = sky_color(vec3<f32>(sight.xy, -max(sight.z, 0.02)));
    color = mix(color, mirrored, (0.03 + 0.62 * grazing) * globals.eye.w);

    let alpha = mix(0.96, 0.62, near_shore * near_shore);
    let inside = all(in.world.xy >= globals.bounds.xy) && all(in.world.xy <= globals.bounds.zw);
    let haze = haze_at(in.world);
    color = mix(color, globals.sky_horizon.rgb, haze);
    return vec4<f32>(color, select(1.0, mix(alpha, 1.0, haze), inside));
}
