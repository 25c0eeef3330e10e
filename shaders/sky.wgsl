// The sky behind everything: one triangle over the whole picture, at infinite distance.

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) ndc: vec2<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) corner: u32) -> Fragment {
    let ndc = vec2<f32>(f32(corner & 1u) * 4.0 - 1.0, f32(corner >> 1u) * 4.0 - 1.0);
    var out: Fragment;
    // Reversed depth: 0 is behind all.
    out.clip = vec4<f32>(ndc, 0.0, 1.0);
    out.ndc = ndc;
    return out;
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    if globals.eye.w < 0.5 {
        // Parallel lines of sight have no horizon: a quiet gradient over the height of the picture.
        let share = 0.5 + 0.5 * in.ndc.y;
        return vec4<f32>(mix(globals.sky_horizon.rgb, globals.sky_top.rgb, 0.35 + 0.4 * share), 1.0);
    }
    let sight = normalize(globals.forward.xyz + globals.right.xyz * in.ndc.x + globals.up.xyz * in.ndc.y);
    var color = sky_color(sight);
    // Without a sea there is nothing below the horizon but depth.
    if globals.heights.w < 0.5 && sight.z > 0.0 {
        color = mix(globals.sky_horizon.rgb, globals.sky_top.rgb, 0.6 * (1.0 - exp(-sight.z * 5.0)));
    }
    // A pattern finer than a colour step hides banding in the smooth gradient.
    let grain = fract(52.9829189 * fract(dot(in.clip.xy, vec2<f32>(0.06711056, 0.00583715)))) - 0.5;
    return vec4<f32>(color + grain / 255.0, 1.0);
}
