//! Binary glTF 2.0 (`.glb`): what can be seen of a map as one mesh with vertex colors.
//! <https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>
//!
//! ```text
//! header 12 | chunk JSON | chunk BIN: indices, u16, shared by all primitives
//!                                     vertices: x y z (f32, meters) r g b a (u16, linear), 20 bytes
//! ```
//!
//! Axes: x east, **y up, z south**, the same hand as the map's; y 0 is its underside. No normals are stored:
//! glTF then demands flat faces. The mesh is made twice, to count and to write, so that it is never held whole.

use std::io::Write;

use glam::{IVec3, Vec3};
use serde_json::{Value, json};

use super::super::losses;
use super::super::{FormatError, OptionKind, OptionSpec, Report, Severity};
use super::options::{flag, number};
use super::solids::{hidden_colors, sorted_chunks};
use super::{Export, tell_dropped, tell_failure};
use crate::document::{Options, Progress, Property, Snapshot, grouped};
use crate::geom::Face;
use crate::mesh::{ChunkMesh, mesh_chunk};
use crate::voxel::{CHUNK_EDGE, Rgb};

/// Quads of a primitive: their corners are numbered by 16 bits, of which the last number is reserved.
const PRIMITIVE_QUADS: usize = 16_383;
/// Bytes of a vertex.
const VERTEX_BYTES: u64 = 20;
/// Corners of the two triangles of a quad.
const TRIANGLES: [u16; 6] = [0, 1, 2, 0, 2, 3];

// Numbers of the format.
const MAGIC: u32 = 0x4654_6c67;
const VERSION: u32 = 2;
const JSON_CHUNK: u32 = 0x4e4f_534a;
const BIN_CHUNK: u32 = 0x004e_4942;
const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const TRIANGLE_LIST: u32 = 4;

const MILLIMETERS: OptionSpec = OptionSpec {
    name: "voxel-millimeters",
    help: "Edge of a voxel in millimeters",
    kind: OptionKind::Int { min: 1, max: 1_000_000, default: 1000 },
};
const MERGE: OptionSpec = OptionSpec {
    name: "merge",
    help: "Join faces of one color that lie side by side, for a smaller file",
    kind: OptionKind::Bool { default: true },
};

/// The export.
#[derive(Debug)]
pub(super) struct Glb;

impl Export for Glb {
    fn id(&self) -> &'static str {
        "glb"
    }

    fn label(&self) -> &'static str {
        "Surface as glTF mesh"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["glb"]
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[MILLIMETERS, MERGE]
    }

    fn preflight(&self, snapshot: &Snapshot, options: &Options) -> Report {
        let mut report = Report::new();
        // The scene has the map's name.
        tell_dropped(snapshot, "a mesh", |property| matches!(property, Property::Name(_)), &mut report);
        losses::shades(snapshot, &mut report);
        let hidden = hidden_colors(snapshot.store());
        let message = match hidden {
            1 => "The color of 1 voxel that cannot be seen is not in the mesh".to_owned(),
            _ => format!("The colors of {} voxels that cannot be seen are not in the mesh", grouped(hidden)),
        };
        report.push_count(Severity::Loss, "hidden-colors", message, hidden);
        tell_failure(Settings::of(options).and_then(|settings| Layout::of(snapshot, &settings, &Progress::new())).map(drop), &mut report);
        report
    }

    fn write(
        &self,
        snapshot: &Snapshot,
        sink: &mut dyn Write,
        options: &Options,
        progress: &Progress,
        _report: &mut Report,
    ) -> Result<(), FormatError> {
        let settings = Settings::of(options)?;
        let layout = Layout::of(snapshot, &settings, progress)?;
        let json = layout.json_chunk(snapshot);
        write_words(sink, &[MAGIC, VERSION, layout.file_bytes(json.len())?])?;
        write_words(sink, &[u32::try_from(json.len()).unwrap_or(u32::MAX), JSON_CHUNK])?;
        sink.write_all(&json)?;
        if layout.primitives.is_empty() {
            return Ok(());
        }
        write_words(sink, &[layout.bin_bytes()?, BIN_CHUNK])?;
        for quad in 0..layout.most_quads() {
            // Below 4 × PRIMITIVE_QUADS, which is below 2¹⁶.
            sink.write_all(bytemuck::bytes_of(&TRIANGLES.map(|corner| (4 * quad as u16 + corner).to_le())))?;
        }
        let light = linear_light();
        visit_quads(snapshot, settings.merge, progress, |quad| {
            let [r, g, b] = quad.rgb.to_array().map(|value| light[usize::from(value)].to_le_bytes());
            for corner in quad.corners() {
                let at = settings.place(snapshot, corner);
                sink.write_all(&at.x.to_le_bytes())?;
                sink.write_all(&at.y.to_le_bytes())?;
                sink.write_all(&at.z.to_le_bytes())?;
                sink.write_all(&[r[0], r[1], g[0], g[1], b[0], b[1], 0xff, 0xff])?;
            }
            Ok(())
        })
    }
}

fn write_words(sink: &mut dyn Write, words: &[u32]) -> Result<(), FormatError> {
    words.iter().try_for_each(|word| sink.write_all(&word.to_le_bytes())).map_err(FormatError::from)
}

/// Linear light of each sRGB value, as 16 bits: vertex colors of glTF are linear.
fn linear_light() -> [u16; 256] {
    std::array::from_fn(|value| {
        let value = value as f64 / 255.0;
        let linear = if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
        (linear * 65535.0).round() as u16
    })
}

/// The options, read.
struct Settings {
    meters: f32,
    merge: bool,
}

impl Settings {
    fn of(options: &Options) -> Result<Self, FormatError> {
        Ok(Self { meters: number(options, &MILLIMETERS)? as f32 / 1000.0, merge: flag(options, &MERGE)? })
    }

    /// A corner of voxels in the file's axes.
    fn place(&self, snapshot: &Snapshot, corner: IVec3) -> Vec3 {
        let up = snapshot.bounds().max().z.saturating_sub(corner.z);
        Vec3::new(corner.x as f32, up as f32, corner.y as f32) * self.meters
    }
}

/// A run of quads whose corners can be numbered by 16 bits.
struct Primitive {
    quads: usize,
    min: Vec3,
    max: Vec3,
}

/// What the file holds, known before it is written.
struct Layout {
    // Invariant: all but the last have PRIMITIVE_QUADS.
    primitives: Vec<Primitive>,
    size: IVec3,
}

impl Layout {
    fn of(snapshot: &Snapshot, settings: &Settings, progress: &Progress) -> Result<Self, FormatError> {
        let mut layout = Self { primitives: vec![], size: snapshot.bounds().size() };
        visit_quads(snapshot, settings.merge, progress, |quad| {
            if layout.primitives.last().is_none_or(|last| last.quads == PRIMITIVE_QUADS) {
                layout.primitives.push(Primitive { quads: 0, min: Vec3::INFINITY, max: Vec3::NEG_INFINITY });
                layout.bin_bytes()?;
            }
            if let Some(last) = layout.primitives.last_mut() {
                last.quads += 1;
                for at in quad.corners().map(|corner| settings.place(snapshot, corner)) {
                    (last.min, last.max) = (last.min.min(at), last.max.max(at));
                }
            }
            Ok(())
        })?;
        Ok(layout)
    }

    /// Quads of the largest primitive: the first, if there is one.
    fn most_quads(&self) -> usize {
        self.primitives.first().map_or(0, |first| first.quads)
    }

    fn index_bytes(&self) -> u64 {
        let bytes = self.most_quads() as u64 * size_of_val(&TRIANGLES) as u64;
        debug_assert!(bytes.is_multiple_of(4), "vertices must lie at a multiple of 4");
        bytes
    }

    fn vertex_bytes(&self) -> u64 {
        self.primitives.iter().map(|primitive| primitive.quads as u64 * 4 * VERTEX_BYTES).sum()
    }

    fn bin_bytes(&self) -> Result<u32, FormatError> {
        self.fit(self.index_bytes() + self.vertex_bytes())
    }

    fn file_bytes(&self, json_bytes: usize) -> Result<u32, FormatError> {
        let bin = if self.primitives.is_empty() { 0 } else { 8 + u64::from(self.bin_bytes()?) };
        self.fit(12 + 8 + json_bytes as u64 + bin)
    }

    fn fit(&self, bytes: u64) -> Result<u32, FormatError> {
        let rule = "a glTF file has at most 4 GiB: crop the map";
        u32::try_from(bytes).map_err(|_| FormatError::DoesNotFit { size: self.size, rule })
    }

    /// The JSON, padded with spaces to a multiple of four bytes.
    fn json_chunk(&self, snapshot: &Snapshot) -> Vec<u8> {
        let mut json = self.json(snapshot).to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        json
    }

    fn json(&self, snapshot: &Snapshot) -> Value {
        let name = snapshot.metadata.name.clone().unwrap_or_else(|| "Map".into());
        let asset = json!({ "version": "2.0", "generator": "Spadework" });
        if self.primitives.is_empty() {
            return json!({ "asset": asset, "scene": 0, "scenes": [{ "name": name }] });
        }
        let (mut accessors, mut primitives, mut offset) = (vec![], vec![], 0);
        for primitive in &self.primitives {
            let corners = primitive.quads * 4;
            let first = accessors.len();
            accessors.push(json!({
                "bufferView": 0, "componentType": UNSIGNED_SHORT, "type": "SCALAR", "count": primitive.quads * TRIANGLES.len(),
            }));
            accessors.push(json!({
                "bufferView": 1, "byteOffset": offset, "componentType": FLOAT, "type": "VEC3", "count": corners,
                "min": primitive.min.to_array(), "max": primitive.max.to_array(),
            }));
            accessors.push(json!({
                "bufferView": 1, "byteOffset": offset + 12, "componentType": UNSIGNED_SHORT, "normalized": true, "type": "VEC4",
                "count": corners,
            }));
            primitives.push(json!({
                "attributes": { "POSITION": first + 1, "COLOR_0": first + 2 }, "indices": first, "material": 0, "mode": TRIANGLE_LIST,
            }));
            offset += corners as u64 * VERTEX_BYTES;
        }
        let indices = self.index_bytes();
        json!({
            "asset": asset,
            "scene": 0,
            "scenes": [{ "name": name, "nodes": [0] }],
            "nodes": [{ "name": name, "mesh": 0 }],
            "meshes": [{ "name": name, "primitives": primitives }],
            "materials": [{ "name": "Voxels", "pbrMetallicRoughness": { "metallicFactor": 0, "roughnessFactor": 1 } }],
            "buffers": [{ "byteLength": indices + offset }],
            "bufferViews": [
                { "buffer": 0, "byteOffset": 0, "byteLength": indices, "target": ELEMENT_ARRAY_BUFFER },
                { "buffer": 0, "byteOffset": indices, "byteLength": offset, "byteStride": VERTEX_BYTES, "target": ARRAY_BUFFER },
            ],
            "accessors": accessors,
        })
    }
}

/// A rectangle of one color on one side of some voxels.
struct Rect {
    /// Its corner of smallest coordinates.
    at: IVec3,
    /// Its two edges, along the axes of its plane.
    edges: [IVec3; 2],
    face: Face,
    rgb: Rgb,
}

impl Rect {
    /// The corners, counter-clockwise as seen from outside.
    fn corners(&self) -> [IVec3; 4] {
        let [a, b] = self.edges;
        let turn = a.cross(b).dot(self.face.normal());
        let [a, b] = if turn > 0 { [a, b] } else { [b, a] };
        [self.at, self.at + a, self.at + a + b, self.at + b]
    }
}

/// Calls `visit` with every rectangle of the surface, in a fixed order.
fn visit_quads(
    snapshot: &Snapshot,
    merge: bool,
    progress: &Progress,
    mut visit: impl FnMut(&Rect) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let chunks = sorted_chunks(snapshot.store());
    for (done, (pos, _)) in chunks.iter().enumerate() {
        progress.report(done as f32 / chunks.len() as f32)?;
        let mesh = mesh_chunk(snapshot.store(), *pos);
        for face in Face::ALL {
            visit_face(&mesh, face, merge, pos.origin(), &mut visit)?;
        }
    }
    Ok(progress.check()?)
}

/// Colors of the faces of one layer, `[b][a]` along its two axes; `None` where nothing is seen.
type Layer = Vec<Option<Rgb>>;

fn visit_face(
    mesh: &ChunkMesh,
    face: Face,
    merge: bool,
    origin: IVec3,
    visit: &mut impl FnMut(&Rect) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let normal = face.axis().index();
    let [a, b] = [[1, 2], [0, 2], [0, 1]][normal];
    let range = mesh.range(face);
    let quads = mesh.quads().get(range.start as usize..range.end as usize).unwrap_or_default();
    let mut layers: Vec<Layer> = vec![vec![]; CHUNK_EDGE];
    for quad in quads {
        let at = quad.pos_in_chunk();
        // Places in a chunk are from 0 to CHUNK_EDGE - 1.
        let layer = &mut layers[at[normal] as usize];
        layer.resize(CHUNK_EDGE * CHUNK_EDGE, None);
        layer[at[b] as usize * CHUNK_EDGE + at[a] as usize] = Some(quad.paint().rgb);
    }
    // The far side of a voxel is one further on.
    let beyond = i32::from(face.normal()[normal] > 0);
    let unit = [IVec3::X, IVec3::Y, IVec3::Z];
    for (depth, layer) in layers.iter_mut().enumerate() {
        for start in 0..layer.len() {
            let Some(rgb) = layer[start] else { continue };
            let [width, height] = if merge { take(layer, start) } else { [1, 1] };
            let place =
                unit[normal] * (depth as i32 + beyond) + unit[a] * (start % CHUNK_EDGE) as i32 + unit[b] * (start / CHUNK_EDGE) as i32;
            visit(&Rect { at: origin + place, edges: [unit[a] * width, unit[b] * height], face, rgb })?;
        }
    }
    Ok(())
}

/// Takes the widest run of one color from its first place, and as many rows below as repeat it; answers its size.
fn take(layer: &mut Layer, start: usize) -> [i32; 2] {
    let color = layer[start];
    let row = start / CHUNK_EDGE;
    let width = layer[start..(row + 1) * CHUNK_EDGE].iter().take_while(|other| **other == color).count();
    let mut height = 0;
    for from in (start..layer.len()).step_by(CHUNK_EDGE) {
        let run = &mut layer[from..from + width];
        if run.iter().any(|other| *other != color) {
            break;
        }
        run.fill(None);
        height += 1;
    }
    [width as i32, height]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::document::{Document, GameProfile, OptionValue};
    use crate::geom::Region;
    use crate::voxel::{ChunkPos, Store, StoreEdit, Voxel};

    fn map(size: IVec3, color_of: impl Fn(IVec3) -> Option<Rgb>) -> Document {
        let mut store = Store::new(Region::of_size(size));
        let mut edit = StoreEdit::new(&store);
        for at in store.bounds().positions() {
            if let Some(rgb) = color_of(at) {
                edit.set(at, Some(Voxel::new(rgb)));
            }
        }
        let changes = edit.finish();
        store.apply(&changes);
        Document::new(store, &GameProfile::FREE)
    }

    /// A triangle's corners in meters and its color, as any program would read them.
    type Triangle = ([Vec3; 3], [u16; 4]);

    fn read(map: &Document, options: &[(&str, OptionValue)]) -> (Value, Vec<Triangle>) {
        let options = options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let mut bytes = vec![];
        Glb.write(map, &mut bytes, &options, &Progress::new(), &mut Report::new()).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], word(4), word(8), &bytes[16..20]), (&b"glTF"[..], 2, bytes.len(), &b"JSON"[..]));
        let end = 20 + word(12);
        assert_eq!(end % 4, 0);
        let json: Value = serde_json::from_slice(&bytes[20..end]).unwrap();
        let Some(buffer) = json["buffers"].get(0) else { return (json, vec![]) };
        assert_eq!((word(end), &bytes[end + 4..end + 8]), (buffer["byteLength"].as_u64().unwrap() as usize, &b"BIN\0"[..]));
        let bin = &bytes[end + 8..];
        assert_eq!(bin.len(), word(end));
        let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
        let mut triangles = vec![];
        for primitive in json["meshes"][0]["primitives"].as_array().unwrap() {
            let accessor = |at: &Value| &json["accessors"][number(at)];
            let start = |accessor: &Value| {
                number(&json["bufferViews"][number(&accessor["bufferView"])]["byteOffset"]) + number(&accessor["byteOffset"])
            };
            let (indices, positions, colors) = (
                accessor(&primitive["indices"]),
                accessor(&primitive["attributes"]["POSITION"]),
                accessor(&primitive["attributes"]["COLOR_0"]),
            );
            let position = |vertex: usize| {
                let at = start(positions) + vertex * 20;
                Vec3::from([0, 4, 8].map(|by| f32::from_le_bytes(bin[at + by..at + by + 4].try_into().unwrap())))
            };
            let short = |at: usize| u16::from_le_bytes([bin[at], bin[at + 1]]);
            let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for first in (0..number(&indices["count"])).step_by(3) {
                let corners = [0, 1, 2].map(|by| usize::from(short(start(indices) + 2 * (first + by))));
                assert!(corners.iter().all(|corner| *corner < number(&positions["count"])));
                let places = corners.map(position);
                places.iter().for_each(|at| (min, max) = (min.min(*at), max.max(*at)));
                let color = start(colors) + corners[0] * 20;
                triangles.push((places, [0, 2, 4, 6].map(|by| short(color + by))));
            }
            assert_eq!((&json!(min.to_array()), &json!(max.to_array())), (&positions["min"], &positions["max"]));
        }
        (json, triangles)
    }

    /// Twice the area of all triangles, by the direction they face.
    fn areas(triangles: &[Triangle]) -> BTreeMap<[i32; 3], f32> {
        let mut areas = BTreeMap::new();
        for ([a, b, c], _) in triangles {
            let out = (b - a).cross(c - a);
            *areas.entry(out.normalize().round().as_ivec3().to_array()).or_default() += out.length();
        }
        areas
    }

    #[test]
    fn a_single_voxel_is_five_squares_that_face_outwards_in_meters() {
        let one = map(IVec3::new(4, 4, 4), |at| (at == IVec3::new(1, 2, 3)).then_some(Rgb::new(255, 0, 128)));
        let (_, triangles) = read(&one, &[("voxel-millimeters", OptionValue::Int(500))]);
        // The underside of the map is never seen.
        assert_eq!(triangles.len(), 10);
        let expected = [[-1, 0, 0], [0, 0, -1], [0, 0, 1], [0, 1, 0], [1, 0, 0]].map(|out| (out, 0.5));
        assert_eq!(areas(&triangles), expected.into());
        let inside = triangles.iter().flat_map(|(corners, _)| corners);
        assert!(inside.clone().all(|at| at.cmpge(Vec3::new(0.5, 0.0, 1.0)).all() && at.cmple(Vec3::new(1.0, 0.5, 1.5)).all()));
        // Half of sRGB is a fifth of the light.
        assert!(triangles.iter().all(|(_, rgba)| rgba[..2] == [65535, 0] && (14_000..14_300).contains(&rgba[2]) && rgba[3] == 65535));
    }

    #[test]
    fn merged_or_not_the_surface_is_that_of_the_window() {
        let map = map(IVec3::new(70, 40, 40), |at| {
            let hash = (at.x * 7 + at.y * 13 + at.z * 29) % 11;
            (hash > 4 || at.z > 20).then(|| Rgb::new(if at.x > 30 { 200 } else { hash as u8 }, 7, 9))
        });
        let faces: usize = ChunkPos::covering(&map.bounds()).map(|pos| mesh_chunk(map.store(), pos).quads().len()).sum();
        let (single, each) = read(&map, &[("merge", OptionValue::Bool(false))]);
        assert_eq!(each.len(), faces * 2);
        // More than one primitive can number.
        assert!(faces > PRIMITIVE_QUADS && single["meshes"][0]["primitives"].as_array().unwrap().len() == faces.div_ceil(PRIMITIVE_QUADS));
        let (_, merged) = read(&map, &[]);
        assert!(merged.len() < each.len(), "{} {}", merged.len(), each.len());
        assert_eq!(areas(&merged), areas(&each));
    }

    #[test]
    fn a_map_without_voxels_is_an_empty_scene() {
        let (json, triangles) = read(&map(IVec3::splat(3), |_| None), &[]);
        assert!(triangles.is_empty() && json["scenes"][0]["nodes"].is_null() && json["bufferViews"].is_null(), "{json}");
    }
}
