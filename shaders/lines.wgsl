// Lines of a width in pixels: one instance a line, a strip along it, faded at the rim.

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
    // x pixels from the middle, y half the width.
    @location(1) across: vec2<f32>,
}

@vertex
fn vertex(
    @builtin(vertex_index) corner: u32,
    @location(0) a: vec3<f32>,
    @location(1) b: vec3<f32>,
    @location(2) color: vec4<f32>,
    @location(3) width: f32,
) -> Fragment {
    var from_clip = globals.clip_from_world * vec4<f32>(lifted(a, 1.0), 1.0);
    var to_clip = globals.clip_from_world * vec4<f32>(lifted(b, 1.0), 1.0);
    // Cut at a plane before the eye: what is behind it has no place in the picture.
    let nearest = 0.05;
    if from_clip.w < nearest && to_clip.w < nearest {
        var none: Fragment;
        none.clip = vec4<f32>(2.0, 2.0, 0.0, 1.0);
        return none;
    }
    if from_clip.w < nearest {
        from_clip = mix(from_clip, to_clip, (nearest - from_clip.w) / (to_clip.w - from_clip.w));
    } else if to_clip.w < nearest {
        to_clip = mix(to_clip, from_clip, (nearest - to_clip.w) / (from_clip.w - to_clip.w));
    }
    let pixels = globals.viewport.xy * 0.5;
    let along = (to_clip.xy / to_clip.w - from_clip.xy / from_clip.w) * pixels;
    let length = max(length(along), 1e-4);
    let normal = vec2<f32>(-along.y, along.x) / length;
    let wide = max(width * globals.to_sun.w, 1.0);
    let reach = wide * 0.5 + 1.0;
    let side = f32(corner & 1u) * 2.0 - 1.0;
    let here = select(from_clip, to_clip, corner >= 2u);

    var out: Fragment;
    out.clip = here + vec4<f32>(normal * side * reach / pixels * here.w, 0.0, 0.0);
    out.color = color;
    out.across = vec2<f32>(side * reach, wide * 0.5);
    return out;
}

fn coverage(in: Fragment) -> vec4<f32> {
    let inside = clamp(in.across.y + 0.5 - abs(in.across.x), 0.0, 1.0);
    return vec4<f32>(in.color.rgb, in.color.a * inside);
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    return coverage(in);
}

@fragment
fn behind(in: Fragment) -> @location(0) vec4<f32> {
    return coverage(in) * vec4<f32>(1.0, 1.0, 1.0, 0.16);
}
