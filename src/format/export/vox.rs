//! MagicaVoxel's `.vox`: models of at most 256 voxels a side in a scene, and one palette of 255 colors.
//!
//! The file's axes: x east, **y north, z up**. A larger map becomes several models, placed beside one another so
//! that its middle column stands at the origin and its lowest layer at z 0.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use dot_vox::{Color, Dict, DotVoxData, Frame, Model, SceneNode, ShapeModel, Size};
use glam::IVec3;

use super::super::report::some;
use super::super::{FormatError, OptionKind, OptionSpec, Report, Severity, losses};
use super::options::flag;
use super::palette::Palette;
use super::solids::{Which, visit_solids};
use super::{Export, tell_dropped, tell_failure};
use crate::document::{Options, Progress, Snapshot, grouped};
use crate::geom::{Region, VoxelPos};
use crate::voxel::Rgb;

/// Version of the format: what MagicaVoxel 0.99 writes.
const VERSION: u32 = 150;
/// Longest side of a model.
const MODEL_EDGE: i32 = 256;
/// Colors of the palette; its number 0 is air.
const MOST_COLORS: usize = 255;
/// Most voxels of a file: 512 MiB, held in memory twice.
const MOST_VOXELS: u64 = 1 << 27;
/// Layer of the scene's root, which is in none.
const NO_LAYER: u32 = u32::MAX;

const INSIDE: OptionSpec =
    OptionSpec { name: "inside", help: "Write the voxels that cannot be seen, too", kind: OptionKind::Bool { default: true } };

/// The export.
#[derive(Debug)]
pub(super) struct Vox;

impl Export for Vox {
    fn id(&self) -> &'static str {
        "vox"
    }

    fn label(&self) -> &'static str {
        "MagicaVoxel model"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["vox"]
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[INSIDE]
    }

    fn preflight(&self, snapshot: &Snapshot, options: &Options) -> Report {
        let mut report = Report::new();
        tell_dropped(snapshot, "a model", |_| false, &mut report);
        tell_failure(tell_losses(snapshot, options, &mut report), &mut report);
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
        let which = check(snapshot, options)?;
        let palette = Palette::of(&count_colors(snapshot, which, progress)?, MOST_COLORS);
        let data = scene(snapshot, which, &palette, progress)?;
        data.write_vox(&mut &mut *sink)?;
        Ok(())
    }
}

/// Fails where the map does not fit.
fn check(snapshot: &Snapshot, options: &Options) -> Result<Which, FormatError> {
    let which = if flag(options, &INSIDE)? { Which::All } else { Which::Surface };
    // The scene's places are 32-bit numbers, and MagicaVoxel's world is far smaller than this.
    let size = snapshot.bounds().size();
    if size.max_element() > 1 << 20 {
        return Err(FormatError::DoesNotFit { size, rule: "a MagicaVoxel scene has at most 1,048,576 voxels a side" });
    }
    if snapshot.store().solid_count() > MOST_VOXELS {
        return Err(FormatError::DoesNotFit { size, rule: "at most 134,217,728 solid voxels are exported: crop the map" });
    }
    Ok(which)
}

fn tell_losses(snapshot: &Snapshot, options: &Options, report: &mut Report) -> Result<(), FormatError> {
    let which = check(snapshot, options)?;
    let counts = count_colors(snapshot, which, &Progress::new())?;
    let palette = Palette::of(&counts, MOST_COLORS);
    let loss = palette.loss(&counts);
    let message = format!(
        "{} colors become {}: {} their color, by {} of 255 at most",
        grouped(loss.colors as u64),
        palette.colors.len(),
        some(loss.voxels, "voxel changes", "voxels change"),
        loss.most
    );
    report.push_count(Severity::Loss, "colors-reduced", message, loss.voxels);
    losses::shades(snapshot, report);
    let (mut hidden, mut solid) = (0, 0);
    for (_, chunk) in snapshot.store().chunks() {
        hidden += u64::from(chunk.solid_count() - chunk.known_count());
        solid += u64::from(chunk.solid_count());
    }
    if which == Which::Surface {
        let left_out = solid.saturating_sub(counts.values().sum());
        report.push_count(
            Severity::Loss,
            "inside",
            format!("{} left out", some(left_out, "voxel that cannot be seen is", "voxels that cannot be seen are")),
            left_out,
        );
    } else {
        let message = format!("{} without a color are written with the color above them", some(hidden, "hidden voxel", "hidden voxels"));
        report.push_count(Severity::Info, "hidden-colors", message, hidden);
    }
    Ok(())
}

fn count_colors(snapshot: &Snapshot, which: Which, progress: &Progress) -> Result<HashMap<Rgb, u64>, FormatError> {
    let mut counts = HashMap::new();
    // Neighbors mostly share their color.
    let mut run: Option<(Rgb, u64)> = None;
    visit_solids(snapshot.store(), which, progress, |_, rgb| match &mut run {
        Some((same, count)) if *same == rgb => *count += 1,
        _ => {
            if let Some((rgb, count)) = run.replace((rgb, 1)) {
                *counts.entry(rgb).or_default() += count;
            }
        }
    })?;
    if let Some((rgb, count)) = run {
        *counts.entry(rgb).or_default() += count;
    }
    Ok(counts)
}

/// Position in the scene's axes: x east, y north, z up, nothing below 0.
fn place(bounds: &Region, pos: VoxelPos) -> IVec3 {
    IVec3::new(pos.x - bounds.min().x, bounds.max().y - 1 - pos.y, bounds.max().z - 1 - pos.z)
}

fn scene(snapshot: &Snapshot, which: Which, palette: &Palette, progress: &Progress) -> Result<DotVoxData, FormatError> {
    let bounds = snapshot.bounds();
    let mut blocks = BTreeMap::<[i32; 3], Vec<dot_vox::Voxel>>::new();
    let mut last = (Rgb::new(0, 0, 0), palette.index(Rgb::new(0, 0, 0)));
    visit_solids(snapshot.store(), which, progress, |pos, rgb| {
        if last.0 != rgb {
            last = (rgb, palette.index(rgb));
        }
        let at = place(&bounds, pos);
        // The low byte is the place within the model.
        let [x, y, z] = at.to_array().map(|value| (value & (MODEL_EDGE - 1)) as u8);
        blocks.entry((at / MODEL_EDGE).to_array()).or_default().push(dot_vox::Voxel { x, y, z, i: last.1 });
    })?;
    let (mut models, mut children, mut shapes) = (vec![], vec![], vec![]);
    for (block, voxels) in blocks {
        let from = IVec3::from(block) * MODEL_EDGE;
        let size = (bounds.size() - from).min(IVec3::splat(MODEL_EDGE));
        // A node's place is that of the model's middle, rounded down.
        let to = from + size / 2 - (bounds.size() / 2).with_z(0);
        let [x, y, z] = size.to_array().map(i32::unsigned_abs);
        // Two nodes before, two for each model.
        let node = u32::try_from(2 + 2 * models.len()).unwrap_or(u32::MAX);
        children.push(node);
        shapes.push(transform(node + 1, 0, Some(to)));
        let model_id = u32::try_from(models.len()).unwrap_or(u32::MAX);
        shapes.push(SceneNode::Shape { attributes: Dict::new(), models: vec![ShapeModel { model_id, attributes: Dict::new() }] });
        models.push(Model { size: Size { x, y, z }, voxels });
    }
    let mut scenes = vec![transform(1, NO_LAYER, None), SceneNode::Group { attributes: Dict::new(), children }];
    scenes.extend(shapes);
    let opaque = |rgb: &Rgb| Color { r: rgb.r, g: rgb.g, b: rgb.b, a: 255 };
    let mut colors: Vec<Color> = palette.colors.iter().map(opaque).collect();
    colors.resize(MOST_COLORS + 1, Color { r: 0, g: 0, b: 0, a: 255 });
    Ok(DotVoxData { version: VERSION, index_map: vec![], models, palette: colors, materials: vec![], scenes, layers: vec![] })
}

/// A node that places its child. No list of words holds more than one, so that their order is no matter of chance.
fn transform(child: u32, layer_id: u32, to: Option<IVec3>) -> SceneNode {
    let words = to.map(|to| ("_t".to_owned(), format!("{} {} {}", to.x, to.y, to.z)));
    SceneNode::Transform { attributes: Dict::new(), frames: vec![Frame::new(words.into_iter().collect())], child, layer_id }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, GameProfile, OptionValue};
    use crate::voxel::{Store, StoreEdit, Voxel};

    fn map(size: IVec3, voxels: &[(IVec3, Option<Rgb>)]) -> Document {
        let mut store = Store::new(Region::of_size(size));
        let mut edit = StoreEdit::new(&store);
        for (at, rgb) in voxels {
            edit.set(*at, Some(rgb.map_or(Voxel::HIDDEN, Voxel::new)));
        }
        let changes = edit.finish();
        store.apply(&changes);
        Document::new(store, &GameProfile::ACE_OF_SPADES)
    }

    /// Every voxel of the scene at its place, as MagicaVoxel counts.
    fn read(bytes: &[u8]) -> BTreeMap<[i32; 3], [u8; 3]> {
        let data = dot_vox::load_bytes(bytes).unwrap();
        let mut all = BTreeMap::new();
        let SceneNode::Group { children, .. } = &data.scenes[1] else { panic!("no group") };
        for child in children {
            let SceneNode::Transform { frames, child, .. } = &data.scenes[*child as usize] else { panic!("no transform") };
            let SceneNode::Shape { models, .. } = &data.scenes[*child as usize] else { panic!("no shape") };
            let to = frames[0].position().unwrap();
            let model = &data.models[models[0].model_id as usize];
            let size = [model.size.x, model.size.y, model.size.z].map(|side| side as i32);
            assert!(size.iter().all(|side| *side <= 256), "{size:?}");
            for voxel in &model.voxels {
                let color = data.palette[usize::from(voxel.i)];
                let at = [
                    to.x - size[0] / 2 + i32::from(voxel.x),
                    to.y - size[1] / 2 + i32::from(voxel.y),
                    to.z - size[2] / 2 + i32::from(voxel.z),
                ];
                assert!(all.insert(at, [color.r, color.g, color.b]).is_none());
            }
        }
        all
    }

    fn written(map: &Document, options: &Options) -> Vec<u8> {
        let mut bytes = vec![];
        Vox.write(map, &mut bytes, options, &Progress::new(), &mut Report::new()).unwrap();
        bytes
    }

    #[test]
    fn a_map_wider_than_a_model_comes_back_from_several() {
        let size = IVec3::new(600, 3, 300);
        let places = [[0, 0, 0], [255, 0, 299], [256, 2, 44], [512, 1, 43], [599, 2, 299]];
        let voxels: Vec<_> = places.iter().enumerate().map(|(i, at)| (IVec3::from(*at), Some(Rgb::new(i as u8, 9, 200)))).collect();
        let expected: BTreeMap<[i32; 3], [u8; 3]> =
            voxels.iter().map(|(at, rgb)| ([at.x - 300, 2 - at.y - 1, 299 - at.z], rgb.unwrap().to_array())).collect();
        assert_eq!(read(&written(&map(size, &voxels), &Options::new())), expected);
    }

    #[test]
    fn voxels_without_a_color_take_that_above_them_and_the_inside_can_be_left_out() {
        let bounds = Region::of_size(IVec3::new(3, 3, 5));
        let red = Rgb::new(200, 1, 1);
        let voxels: Vec<_> = bounds.positions().map(|at| (at, (at.z == 0).then_some(red))).collect();
        let map = map(IVec3::new(3, 3, 5), &voxels);
        let all = read(&written(&map, &Options::new()));
        assert_eq!((all.len(), all.values().all(|rgb| *rgb == red.to_array())), (45, true));
        let hollow = Options::from([("inside".into(), OptionValue::Bool(false))]);
        // Open above and on the sides: what is left out is the core, down to the underside.
        assert_eq!(read(&written(&map, &hollow)).len(), 45 - 4);
        let report = Vox.preflight(&map, &hollow);
        assert!(report.warnings.iter().any(|warning| warning.code == "inside" && warning.count == 4), "{report:?}");
    }

    #[test]
    fn too_many_colors_are_reduced_and_the_loss_is_told_before() {
        let size = IVec3::new(32, 32, 1);
        let voxels: Vec<_> =
            Region::of_size(size).positions().map(|at| (at, Some(Rgb::new((at.x * 8) as u8, (at.y * 8) as u8, 7)))).collect();
        let map = map(size, &voxels);
        let report = Vox.preflight(&map, &Options::new());
        let told = report.of(Severity::Loss).next().unwrap();
        assert!(told.code == "colors-reduced" && told.message.starts_with("1,024 colors become 255: "), "{told:?}");
        let colors = read(&written(&map, &Options::new()));
        for (at, rgb) in voxels {
            let (kept, rgb) = (colors[&[at.x - 16, 31 - at.y - 16, 0]], rgb.unwrap().to_array());
            assert!(kept.iter().zip(rgb).all(|(a, b)| a.abs_diff(b) <= 24), "{kept:?} for {rgb:?}");
        }
    }
}
