//! Painting with styles: along a stroke or in a box.

use std::collections::BTreeMap;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use crate::document::{Image, Progress, Snapshot};
use crate::edit::brush::{path_steps, path_voxels};
use crate::edit::mask::{ChunkMask, heights, voxel_at};
use crate::edit::paint_style::{PaintedAt, check_depth};
use crate::edit::window::Window;
use crate::edit::{Along, Brush, Change, Draft, EditError, Mode, Note, PaintStyle, StrokeCoverage, VoxelMask};
use crate::geom::{Face, Region, Transform, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, ChunkPos, ColumnMask, Outside, Rgb, Store, surface_of_chunk};

/// Steps of a gradient along a stroke.
const STEPS: u32 = 256;

/// Gives the surface other colors: along a path, or in a box.
///
/// All that a style looks at is the map as it was before, so that no voxel is painted twice, however often the stroke
/// crosses it. The shade stays.
///
/// A gradient along the stroke has none in a box: all of it takes the gradient's first color, and a [note](Note::NoStroke)
/// says so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaintStroke {
    /// What happens to the colors.
    pub style: PaintStyle,
    /// The brush; its seed is the style's as well.
    #[serde(default)]
    pub brush: Brush,
    /// Middles of stamps; straight lines of stamps join them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<VoxelPos>,
    /// The box that is painted in place of a stroke.
    #[serde(rename = "box", default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Voxels from the air that are painted, 1 to 16: 1 is what can be seen.
    #[serde(default = "one")]
    pub depth: u32,
    /// Whether a picture in a box lies only on what it meets: on each line from its side through the box the first voxel
    /// that is open to that side, and as many behind it as the depth says, up to the next air.
    #[serde(default, skip_serializing_if = "is_not")]
    pub projected: bool,
}

fn is_not(value: &bool) -> bool {
    !value
}

fn one() -> u32 {
    1
}

impl PaintStroke {
    /// A stroke on the surface.
    pub fn new(style: PaintStyle, brush: Brush, path: Vec<VoxelPos>) -> Self {
        Self { style, brush, path, region: None, depth: one(), projected: false }
    }

    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        self.style.check()?;
        self.brush.check()?;
        check_depth(self.depth)?;
        let reach = snapshot.symmetry.reach(&snapshot.bounds());
        let (layers, area) = match &self.region {
            Some(region) if self.path.is_empty() => {
                if region.is_empty() {
                    return Err(EditError::EmptyRegion);
                }
                let mut covered = VoxelMask::default();
                if self.side().is_none() {
                    let images = snapshot.symmetry.regions(&snapshot.bounds());
                    images.iter().for_each(|image| covered.add(&VoxelMask::of_region(&region.intersection(image))));
                }
                (vec![covered], *region)
            }
            Some(_) => return Err(EditError::PathAndBox),
            None => self.covered(&reach, progress)?,
        };
        let mut draft = Draft::new(snapshot);
        let mut depths = Depths { store: snapshot.store(), depth: self.depth, chunks: BTreeMap::new() };
        // A picture may meet nothing in the map and yet be laid on it.
        let regions = self.side().map_or_else(Vec::new, |(region, _)| snapshot.symmetry.regions(&region));
        let mut inside = regions.iter().any(|region| !region.intersection(&snapshot.bounds()).is_empty());
        for image in Mode::Paint.ordered(&snapshot.symmetry) {
            let (style, back) = (self.style.recolored(|color| image.color(color)), image.transform.inverse());
            let images: Vec<_> = snapshot.symmetry.images().iter().map(|image| image.transform).collect();
            for (step, layer) in layers.iter().enumerate() {
                let share = if layers.len() < 2 { 0.0 } else { step as f32 / (layers.len() - 1) as f32 };
                let met = self.met_at(snapshot, &image, progress)?;
                let is_met = met.is_some();
                let imaged = met.unwrap_or_else(|| layer.imaged(&image.transform, &snapshot.bounds()));
                inside |= !imaged.is_empty();
                for (pos, bits) in imaged.chunks() {
                    progress.check()?;
                    draft.check_memory()?;
                    let here = Here { style: &style, area: &area, back: &back, images: &images, share };
                    let near = if is_met { &[ColumnMask::MAX; CHUNK_COLUMNS] } else { depths.of(pos) };
                    self.paint_chunk(snapshot, &mut draft, (pos, bits, near), &here);
                }
            }
        }
        if !inside {
            return Err(EditError::OutsideMap);
        }
        let mut change = draft.finish_with(self.style.step_label(), progress)?;
        if self.region.is_some() && matches!(self.style, PaintStyle::Gradient { along: Along::Stroke, .. }) {
            change.notes.push(Note::NoStroke);
        }
        Ok(change)
    }

    /// The voxels that a projected picture meets, with those of its images.
    ///
    /// # Cost
    /// That of looking through its box, along each line as far as the first surface.
    pub fn met(&self, snapshot: &Snapshot) -> VoxelMask {
        let mut all = VoxelMask::default();
        for image in snapshot.symmetry.images() {
            all.add(&self.met_at(snapshot, &image, &Progress::new()).ok().flatten().unwrap_or_default());
        }
        all
    }

    /// The box of a picture that is projected, and the side that it comes from.
    fn side(&self) -> Option<(Region, Face)> {
        match (&self.style, self.region) {
            (PaintStyle::Decal { face, .. }, Some(region)) if self.projected => Some((region, *face)),
            _ => None,
        }
    }

    fn met_at(&self, snapshot: &Snapshot, image: &Image<'_>, progress: &Progress) -> Result<Option<VoxelMask>, EditError> {
        let Some((region, face)) = self.side() else { return Ok(None) };
        let store = snapshot.store();
        let (region, normal) = (image.region(&region).intersection(&snapshot.bounds()), image.face(face).normal());
        let mut met = VoxelMask::default();
        if region.is_empty() {
            return Ok(Some(met));
        }
        // Of the box, the layer that lies farthest out.
        let through = (region.size() - 1) * normal.abs();
        let layer = if normal.element_sum() > 0 {
            Region::new(region.min() + through, region.max())
        } else {
            Region::new(region.min(), region.max() - through)
        };
        let far = through.element_sum();
        for (done, at) in layer.positions().enumerate() {
            if done % 1024 == 0 {
                progress.check()?;
            }
            let is_surface = |pos: &VoxelPos| store.is_solid(*pos) && !store.is_solid(*pos + normal);
            // What lies below the sky is found by columns, all else voxel by voxel.
            let first_step = match normal.z {
                -1 if !store.is_solid(at + normal) => store.ground(at.x, at.y, at.z).map_or(far + 1, |z| z - at.z),
                _ => 0,
            };
            if let Some(first) = (first_step..=far).map(|step| at - normal * step).find(is_surface) {
                let deep = (0..self.depth as i32).map(|step| first - normal * step);
                deep.take_while(|pos| store.is_solid(*pos)).for_each(|pos| met.insert(pos));
            }
        }
        Ok(Some(met))
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        if let Some(region) = &self.region {
            return region.volume().saturating_mul(self.style.looks_at());
        }
        let front = u64::from(self.brush.size).pow(2).saturating_mul(path_steps(&self.path));
        // Of a ball about its middle plane lies on the surface.
        self.brush.volume().saturating_add(front).saturating_mul(1 + self.style.looks_at() / 8)
    }

    /// What the stroke covers, from its beginning to its end, and the box around it.
    fn covered(&self, reach: &Region, progress: &Progress) -> Result<(Vec<VoxelMask>, Region), EditError> {
        self.brush.check_stroke(&self.path)?;
        let mut coverage = StrokeCoverage::new(&self.brush, *reach);
        let is_graded = matches!(self.style, PaintStyle::Gradient { .. });
        let steps = path_steps(&self.path);
        let count = if is_graded { (steps + 1).min(u64::from(STEPS)) } else { 1 };
        let mut layers = vec![VoxelMask::default(); usize::try_from(count).unwrap_or(1)];
        let footprint = self.brush.footprint();
        let mut area = Region::EMPTY;
        for (step, center) in path_voxels(&self.path).enumerate() {
            progress.check()?;
            area = area.union(&footprint.region(center));
            if !is_graded {
                coverage.step(center, None);
                continue;
            }
            let mut fresh = VoxelMask::default();
            coverage.step(center, Some(&mut fresh));
            let layer = (step as u64 * (count - 1) + steps / 2).checked_div(steps).unwrap_or(0);
            if let Some(layer) = usize::try_from(layer).ok().and_then(|layer| layers.get_mut(layer)) {
                layer.add(&fresh);
            }
        }
        if !is_graded {
            layers = vec![coverage.into_covered()];
        }
        Ok((layers, area))
    }

    fn paint_chunk(&self, snapshot: &Snapshot, draft: &mut Draft, (pos, bits, near): (ChunkPos, &ChunkMask, &ChunkMask), here: &Here<'_>) {
        let store = snapshot.store();
        let Some(chunk) = store.chunk(pos) else { return };
        for (column, bits) in bits.iter().enumerate() {
            let near = near.get(column).copied().unwrap_or(0);
            for z in heights(bits & near) {
                let at = voxel_at(pos, column, z);
                let known = chunk.paint(column, z).map(|paint| paint.rgb);
                let old = known.unwrap_or_else(|| unknown_color(snapshot, at));
                let anchor = self.path.first().copied().unwrap_or(here.area.min() + here.area.size() / 2);
                let around = |step: IVec3| store.paint(at + step).map(|paint| paint.rgb);
                if let Some(color) = here.style.color(old, here.place(at), (here.area, anchor, self.brush.seed), around) {
                    // It is solid: nothing is added.
                    draft.put(at, color, Mode::Set);
                }
            }
        }
    }
}

/// What is the same for all voxels of an image of the stroke.
pub(super) struct Here<'a> {
    pub(super) style: &'a PaintStyle,
    pub(super) area: &'a Region,
    pub(super) back: &'a Transform,
    pub(super) images: &'a [Transform],
    pub(super) share: f32,
}

impl Here<'_> {
    pub(super) fn place(&self, pos: VoxelPos) -> PaintedAt {
        let canonical = self.images.iter().map(|image| image.voxel(pos)).min_by_key(|image| image.to_array()).unwrap_or(pos);
        PaintedAt { original: self.back.voxel(pos), canonical, share: self.share }
    }
}

/// Which voxels lie near enough to the air to be painted.
struct Depths<'a> {
    store: &'a Store,
    depth: u32,
    chunks: BTreeMap<ChunkPos, Box<ChunkMask>>,
}

impl Depths<'_> {
    fn of(&mut self, pos: ChunkPos) -> &ChunkMask {
        let (store, depth) = (self.store, self.depth);
        self.chunks.entry(pos).or_insert_with(|| Box::new(near_air(store, pos, depth)))
    }
}

fn near_air(store: &Store, pos: ChunkPos, depth: u32) -> ChunkMask {
    let mut near = [0; CHUNK_COLUMNS];
    let Some(chunk) = store.chunk(pos) else { return near };
    if depth == 1 {
        near = surface_of_chunk(store, pos, Outside::GAME);
        near.iter_mut().zip(chunk.known()).for_each(|(near, known)| *near |= known);
        return near;
    }
    let mut air = Window::air(store, pos);
    for _ in 0..depth {
        air.grow(false);
    }
    near = air.chunk();
    near.iter_mut().zip(chunk.solid()).for_each(|(near, solid)| *near &= solid);
    near
}

/// What a voxel without a color is taken for: the color that it would have if it were uncovered.
pub(super) fn unknown_color(snapshot: &Snapshot, pos: VoxelPos) -> Rgb {
    let store = snapshot.store();
    let above = || (store.bounds().min().z..pos.z).rev().find_map(|z| store.paint(pos.with_z(z))).map(|paint| paint.rgb);
    snapshot.dirt.or_else(above).unwrap_or(crate::edit::DEFAULT_DIRT)
}
