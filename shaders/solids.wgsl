// Plain coloured triangles: markers (solid) and sides of boxes (glass).

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
}

@vertex
fn vertex(@location(0) place: vec3<f32>, @location(1) color: vec4<f32>) -> Fragment {
    var out: Fragment;
    out.clip = globals.clip_from_world * vec4<f32>(lifted(place, 0.7), 1.0);
    out.color = color;
    return out;
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    return in.color;
}

@fragment
fn behind(in: Fragment) -> @location(0) vec4<f32> {
    return in.color * vec4<f32>(1.0, 1.0, 1.0, 0.3);
}
