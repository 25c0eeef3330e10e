//! What stands over the voxels: objects, selection, ghost, sectors. Document and preview to plain shapes.

use std::sync::Arc;

use glam::{IVec3, Vec3};

use super::beside;
use super::shell::Shell;
use super::theme::{Theme, rgba};
use crate::document::{BlockLook, Document, MarkerRole, Object, Sector, Selection, Symmetry, SymmetryKind};
use crate::geom::{ColumnRect, Region};
use crate::mesh::ShellQuad;
use crate::render::{FaceHighlight, Frame, Ghost, Line, Marker, MarkerKind, TintedBox, TintedHull, Water};
use crate::tool::Preview;
use crate::voxel::Rgb;

/// Columns between samples of the ground under a region.
const SAMPLE: usize = 6;

/// A name to write over the map.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where, in voxels.
    pub at: Vec3,
    /// What.
    pub text: String,
    /// In which colour.
    pub color: egui::Color32,
}

/// Puts everything over the voxels into the frame; answers the names to write.
pub fn fill_frame(frame: &mut Frame, theme: &Theme, document: &Document, preview: &Preview, shell: &Shell) -> Vec<Label> {
    let mut labels = vec![];
    frame.water = document.floor_z().filter(|_| shell.water).map(|level| Water { level });
    if shell.sectors && document.profile.has_sectors {
        sectors(frame, theme, document, &mut labels);
    }
    beside::fill_frame(frame, theme, document, &mut labels);
    if shell.objects {
        let pending = preview.pending_object.as_ref();
        for (id, object) in document.objects_here() {
            if pending.is_none_or(|pending| pending.id != Some(id)) {
                let marked = preview.selected == Some(id) || preview.hovered_object == Some(id);
                let object = shell.object(document, id).unwrap_or(object);
                object_shape(frame, theme, document, object, marked, &mut labels);
            }
        }
        if let Some(pending) = pending {
            object_shape(frame, theme, document, &pending.object, true, &mut labels);
        }
        for zone in document.profile.default_spawns {
            if document.objects.spawns(zone.team).next().is_none() {
                let area = zone.area().intersection(&document.bounds().columns());
                if !area.is_empty() {
                    region_box(
                        frame,
                        document,
                        area,
                        0,
                        rgba(theme.team(Some(zone.team)), 0x18),
                        rgba(theme.team(Some(zone.team)), 0x70),
                        1.0,
                    );
                    labels.push(label_over(document, area, format!("{} spawn (server's default)", zone.team.label()), theme.text_dim));
                }
            }
        }
    }
    let symmetry = shell.symmetry(document);
    if let Some(region) = document.selection.as_ref().map(Selection::bounds) {
        // The hull of another set shows what is selected; its box only where that is.
        let is_box = document.selection.as_ref().is_some_and(|selection| selection.as_region().is_some());
        let (fill, edge) = if is_box { (0x14, 0xff) } else { (0, 0x70) };
        frame.boxes.push(outline(region, rgba(theme.accent, fill), rgba(theme.accent, edge), 1.5));
        // What is done to the selection is done to its images.
        for image in symmetry.images().iter().skip(1) {
            frame.boxes.push(outline(image.region(&region), rgba(theme.accent, 0x08), rgba(theme.accent, 0x70), 1.0));
        }
    }
    symmetry_lines(frame, theme, document, &symmetry);
    for outline_of in &preview.outlines {
        let color = outline_of.team.map_or(theme.accent, |team| theme.team(Some(team)));
        let width = if outline_of.active { 2.0 } else { 1.0 };
        frame.boxes.push(outline(outline_of.region, rgba(color, 0x20), rgba(color, 0xff), width));
    }
    for measure in &preview.measures {
        frame.lines.push(Line { a: measure.from, b: measure.to, rgba: rgba(theme.accent, 0xff), width: 2.0 });
        let at = (measure.from + measure.to) * 0.5 - Vec3::Z;
        labels.push(Label { at, text: measure.text.clone(), color: theme.text });
    }
    if preview.loop_line.len() > 1 {
        let line = |a: Vec3, b: Vec3, alpha| Line { a, b, rgba: rgba(theme.accent, alpha), width: 2.0 };
        frame.lines.extend(preview.loop_line.windows(2).filter_map(|ends| Some(line(*ends.first()?, *ends.last()?, 0xff))));
        // Where it will be closed.
        frame.lines.extend(preview.loop_line.last().zip(preview.loop_line.first()).map(|(last, first)| line(*last, *first, 0x70)));
    }
    let pieces = preview.open_line.iter().zip(preview.open_line.iter().skip(1));
    frame.lines.extend(pieces.map(|(a, b)| Line { a: *a, b: *b, rgba: rgba(theme.accent, 0xff), width: 2.5 }));
    for ghost in &preview.ghosts {
        frame.ghosts.push(Ghost { voxels: ghost.voxels.clone(), rgba: rgba(theme.mode(ghost.mode), 0x70) });
    }
    if let Some((pos, face)) = preview.hovered {
        frame.hover = Some(FaceHighlight { pos, face, rgba: rgba(theme.text, 0xd0) });
    }
    labels
}

fn outline(region: Region, fill: [u8; 4], edge: [u8; 4], edge_width: f32) -> TintedBox {
    // A hair larger than the voxels, so that its sides do not fight with theirs.
    let hair = Vec3::splat(0.03);
    TintedBox { min: region.min().as_vec3() - hair, max: region.max().as_vec3() + hair, fill, edge, edge_width }
}

fn object_shape(frame: &mut Frame, theme: &Theme, document: &Document, object: &Object, selected: bool, labels: &mut Vec<Label>) {
    let tint = theme.team(object.team());
    let color = Rgb::new(tint.r(), tint.g(), tint.b());
    let (kind, at) = match object {
        Object::SpawnRegion { area, z, .. } => {
            let (fill, width) = if selected { (0x48, 2.5) } else { (0x2c, 1.5) };
            region_box(frame, document, *area, *z, rgba(tint, fill), rgba(tint, 0xff), width);
            labels.push(label_over(document, *area, object.label(), tint));
            return;
        }
        Object::SpawnPoint { at, .. } => (MarkerKind::SpawnPoint, *at),
        Object::Base { at, .. } => (MarkerKind::Base, ground(document, at.x, at.y, at.z)),
        Object::Intel { at, .. } => (MarkerKind::Intel, ground(document, at.x, at.y, at.z)),
        Object::Territory { at, .. } => (MarkerKind::Territory, ground(document, at.x, at.y, at.z)),
        Object::Marker { at, role, .. } => (marker_kind(document, *role, selected), ground(document, at.x, at.y, at.z)),
    };
    let color = match object {
        Object::Marker { label, role, .. } if !document.profile.has_teams => thing_color(theme, label, *role),
        _ => color,
    };
    let foot = at.as_vec3() + Vec3::new(0.5, 0.5, 0.0);
    frame.markers.push(Marker { kind, foot, color, selected });
    if selected {
        labels.push(Label { at: foot - Vec3::Z * 7.0, text: object.label(), color: tint });
    }
}

/// Where there are teams a marker is one of few; else it is one of thousands of things.
fn marker_kind(document: &Document, role: MarkerRole, selected: bool) -> MarkerKind {
    match role {
        _ if document.profile.has_teams => MarkerKind::Pin,
        MarkerRole::Block => MarkerKind::Block,
        MarkerRole::Spawn => MarkerKind::SpawnPoint,
        MarkerRole::Point if selected => MarkerKind::Pin,
        MarkerRole::Point => MarkerKind::Dot,
    }
}

/// Walls, windows and doors can be told apart; spawn points stand out.
fn thing_color(theme: &Theme, label: &str, role: MarkerRole) -> Rgb {
    let color = match role {
        MarkerRole::Spawn => theme.accent,
        MarkerRole::Block => match BlockLook::of_name(label) {
            BlockLook::Window => theme.glass,
            BlockLook::Door => theme.door,
            BlockLook::Wall => theme.wall,
        },
        MarkerRole::Point => theme.text_faint,
    };
    Rgb::new(color.r(), color.g(), color.b())
}

fn ground(document: &Document, x: i32, y: i32, z: Option<i32>) -> IVec3 {
    let bounds = document.bounds();
    let z = z.or_else(|| document.store().ground(x, y, bounds.min().z)).unwrap_or(bounds.max().z - 1);
    IVec3::new(x, y, z)
}

/// Highest and lowest ground of an area, from samples.
fn relief(document: &Document, area: ColumnRect, from_z: i32) -> (i32, i32) {
    let floor = document.bounds().max().z - 1;
    let (min, size) = (area.min(), area.size());
    let axis = |start: i32, size: i32| (start..start + size).step_by(SAMPLE).chain(std::iter::once(start + size - 1));
    let mut span = (floor, from_z);
    for y in axis(min[1], size[1]) {
        for x in axis(min[0], size[0]) {
            let z = document.store().ground(x, y, from_z).unwrap_or(floor);
            span = (span.0.min(z), span.1.max(z));
        }
    }
    span
}

fn region_box(frame: &mut Frame, document: &Document, area: ColumnRect, from_z: i32, fill: [u8; 4], edge: [u8; 4], edge_width: f32) {
    // A file may name any rectangle: far outside the map there is nothing to draw on.
    let area = area.intersection(&ColumnRect::new([-4096, -4096], [8192, 8192]));
    if area.is_empty() {
        return;
    }
    let (high, low) = relief(document, area, from_z);
    let ([x0, y0], [x1, y1]) = (area.min(), area.max());
    let top = if from_z > 0 { from_z } else { high - 4 };
    let region = Region::new(IVec3::new(x0, y0, top), IVec3::new(x1, y1, (low + 1).max(top + 1)));
    frame.boxes.push(outline(region, fill, edge, edge_width));
}

fn label_over(document: &Document, area: ColumnRect, text: String, color: egui::Color32) -> Label {
    let ([x0, y0], [x1, y1]) = (area.min(), area.max());
    let middle = ColumnRect::new([(x0 + x1) / 2, (y0 + y1) / 2], [(x0 + x1) / 2 + 1, (y0 + y1) / 2 + 1]);
    let (high, _) = relief(document, middle, 0);
    Label { at: Vec3::new((x0 + x1) as f32 * 0.5, (y0 + y1) as f32 * 0.5, high as f32 - 6.0), text, color }
}

/// The hull of a selection that is no box.
pub fn selected(theme: &Theme, faces: Arc<Vec<ShellQuad>>) -> TintedHull {
    TintedHull { faces, rgba: rgba(theme.accent, 0x48) }
}

/// The hull of the voxels that differ from their images.
pub fn mismatches(theme: &Theme, faces: Arc<Vec<ShellQuad>>) -> TintedHull {
    TintedHull { faces, rgba: rgba(theme.warn, 0x80) }
}

/// The cut of a mirror's plane with the ground, from end to end: `at` gives a place of the plane by its distance along it and its z.
fn ground_line(
    document: &Document,
    along: std::ops::Range<i32>,
    columns: impl Fn(i32) -> [[i32; 2]; 2],
    at: impl Fn(f32, f32) -> Vec3,
) -> Vec<Vec3> {
    /// Over the ground, so that it is not within it.
    const ABOVE: f32 = 0.1;
    let (top, bottom) = (document.bounds().min().z, document.bounds().max().z);
    let (mut points, mut before) = (vec![], None);
    for step in along.clone() {
        let z = columns(step).into_iter().filter_map(|[x, y]| document.store().ground(x, y, top)).min().unwrap_or(bottom);
        if before != Some(z) {
            points.extend(before.map(|before: i32| at(step as f32, before as f32 - ABOVE)));
            points.push(at(step as f32, z as f32 - ABOVE));
            before = Some(z);
        }
    }
    points.extend(before.map(|before| at(along.end as f32, before as f32 - ABOVE)));
    points
}

/// The planes of mirrors, as faint frames through the map and a line along the ground, and the axis of turns.
fn symmetry_lines(frame: &mut Frame, theme: &Theme, document: &Document, symmetry: &Symmetry) {
    let (min, max) = (document.bounds().min().as_vec3(), document.bounds().max().as_vec3());
    let (x, y) = (symmetry.center[0] as f32 * 0.5, symmetry.center[1] as f32 * 0.5);
    let mut path_of = |corners: &[Vec3], alpha: u8| {
        for (a, b) in corners.iter().zip(corners.iter().skip(1)) {
            frame.lines.push(Line { a: *a, b: *b, rgba: rgba(theme.accent, alpha), width: 1.5 });
        }
    };
    let (from, to) = (document.bounds().min(), document.bounds().max());
    // Columns on both sides of a plane; of an odd center they are the same.
    let sides = |halves: i32| [(halves - 1).div_euclid(2), halves.div_euclid(2)];
    let ([west, east], [north, south]) = (sides(symmetry.center[0]), sides(symmetry.center[1]));
    if matches!(symmetry.kind, SymmetryKind::MirrorX | SymmetryKind::MirrorBoth) {
        let at = |y: f32, z: f32| Vec3::new(x, y, z);
        path_of(&[at(min.y, max.z), at(min.y, min.z), at(max.y, min.z), at(max.y, max.z)], 0x48);
        path_of(&ground_line(document, from.y..to.y, |y| [[west, y], [east, y]], at), 0xd0);
    }
    if matches!(symmetry.kind, SymmetryKind::MirrorY | SymmetryKind::MirrorBoth) {
        let at = |x: f32, z: f32| Vec3::new(x, y, z);
        path_of(&[at(min.x, max.z), at(min.x, min.z), at(max.x, min.z), at(max.x, max.z)], 0x48);
        path_of(&ground_line(document, from.x..to.x, |x| [[x, north], [x, south]], at), 0xd0);
    }
    if matches!(symmetry.kind, SymmetryKind::Turn180 | SymmetryKind::Turn90) {
        let arm = ((max - min).x.min((max - min).y) * 0.1).max(2.0);
        path_of(&[Vec3::new(x, y, min.z), Vec3::new(x, y, max.z)], 0xc0);
        path_of(&[Vec3::new(x - arm, y, max.z), Vec3::new(x + arm, y, max.z)], 0xc0);
        path_of(&[Vec3::new(x, y - arm, max.z), Vec3::new(x, y + arm, max.z)], 0xc0);
    }
}

fn sectors(frame: &mut Frame, theme: &Theme, document: &Document, labels: &mut Vec<Label>) {
    let bounds = document.bounds();
    let (min, max) = (bounds.min().as_vec3(), bounds.max().as_vec3());
    // Drawn at the sea's level; hills hide it and the faint second pass shows it through them.
    let z = max.z - 1.05;
    let line = |a: Vec3, b: Vec3| Line { a, b, rgba: rgba(theme.text, 0xa0), width: 1.0 };
    for step in 0..=8 {
        let at = (step * Sector::EDGE) as f32;
        if at <= max.x {
            frame.lines.push(line(Vec3::new(at, min.y, z), Vec3::new(at, max.y.min(512.0), z)));
        }
        if at <= max.y {
            frame.lines.push(line(Vec3::new(min.x, at, z), Vec3::new(max.x.min(512.0), at, z)));
        }
    }
    for sector in Sector::all() {
        let [x, y] = sector.origin();
        if bounds.columns().contains(x, y) {
            let protected = document.metadata.protected.contains(&sector);
            let color = if protected { theme.warn } else { theme.text };
            labels.push(Label { at: Vec3::new(x as f32 + 32.0, y as f32 + 32.0, z - 8.0), text: sector.to_string(), color });
        }
    }
    for sector in &document.metadata.protected {
        let [x, y] = sector.origin();
        let region = Region::new(IVec3::new(x, y, bounds.min().z + 40), IVec3::new(x + Sector::EDGE, y + Sector::EDGE, bounds.max().z));
        frame.boxes.push(outline(region, rgba(theme.warn, 0x10), rgba(theme.warn, 0x90), 1.0));
    }
}
