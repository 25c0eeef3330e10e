//! MagicaVoxel scenes: every visible model at its place in the scene, as one volume.
//!
//! `dot_vox` decodes; it leaves out what it does not understand without a word, and trusts rotations and the
//! depth of chunks, so `outline` looks over the file first and says where it is wrong.
//!
//! Its axes are x right, y away, z up. A half turn about x makes them ours, so nothing is mirrored.

mod outline;
mod scene;

use dot_vox::{DotVoxData, Model};
use glam::IVec3;

use self::outline::outline;
use self::scene::{Instance, instances};
use super::volume::{MAX_SIDE, check_count, foot, model, whole};
use super::{Import, ImportFiles, Imported};
use crate::document::{Options, Progress};
use crate::format::{Certainty, FormatError, OptionKind, OptionSpec, Report, Severity, Source};
use crate::geom::Region;
use crate::voxel::{CHUNK_EDGE, Rgb, Store, StoreEdit, Voxel};

const MAGIC: &[u8; 4] = b"VOX ";

/// The import.
#[derive(Clone, Copy, Debug)]
pub struct Vox;

impl Import for Vox {
    fn id(&self) -> &'static str {
        "magicavoxel"
    }

    fn label(&self) -> &'static str {
        "MagicaVoxel scene"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["vox"]
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[OptionSpec { name: "hidden", help: "Take along models and layers that are hidden", kind: OptionKind::Bool { default: false } }]
    }

    fn probe(&self, source: &dyn Source) -> Certainty {
        let is_own = source.head(MAGIC.len()).is_ok_and(|head| head == MAGIC);
        if is_own { Certainty::Sure } else { Certainty::No }
    }

    fn read(&self, files: &ImportFiles<'_>, options: &Options, progress: &Progress, report: &mut Report) -> Result<Imported, FormatError> {
        let takes_hidden = super::volume::flag(options, "hidden", false)?;
        let bytes = whole(files.main)?;
        let outline = outline(&bytes, report)?;
        progress.check()?;
        let mut data = dot_vox::load_bytes(&bytes).map_err(|_| FormatError::Unsupported { what: "this kind of MagicaVoxel file" })?;
        drop(bytes);
        if data.models.len() != outline.models || data.scenes.len() != outline.nodes.len() {
            return Err(FormatError::Unsupported { what: "this kind of MagicaVoxel file" });
        }
        let (placed, name) = instances(&data, &outline, takes_hidden, report)?;
        for model in &mut data.models {
            progress.check()?;
            // Block by block, so that few chunks are at work at a time.
            let block = |part: u8| usize::from(part) / CHUNK_EDGE;
            model.voxels.sort_by_key(|voxel| (block(voxel.y), block(voxel.x), block(voxel.z)));
        }
        compose(&data, &placed, name, progress)
    }
}

/// All instances in one volume; where two overlap, the later one counts.
fn compose(data: &DotVoxData, placed: &[Instance], name: String, progress: &Progress) -> Result<Imported, FormatError> {
    let (mut count, mut around) = (0, None::<[[i64; 3]; 2]>);
    for instance in placed {
        let Some((model, [low, high])) = data.models.get(instance.model).and_then(|model| Some((model, extent(model)?))) else { continue };
        count += model.voxels.len() as u64;
        check_count(instance.offset, count)?;
        for corner in [low, high] {
            let corner = ours(instance.transform.apply(corner, &model.size));
            let [min, max] = around.unwrap_or([corner; 2]);
            around =
                Some([std::array::from_fn(|axis| min[axis].min(corner[axis])), std::array::from_fn(|axis| max[axis].max(corner[axis]))]);
        }
        if let Some([min, max]) = around
            && let Some(side) = (0..3).map(|axis| max[axis] - min[axis] + 1).find(|side| *side > i64::from(MAX_SIDE))
        {
            return Err(FormatError::OverLimit {
                offset: instance.offset,
                what: "a side of the scene must be 1 to 1024 voxels",
                found: side,
            });
        }
    }
    let Some([min, max]) = around else { return Err(FormatError::Unsupported { what: "a scene without any voxel that can be seen" }) };
    // Each part is below the longest side.
    let place = |pos: [i64; 3]| IVec3::from_array(std::array::from_fn(|axis| (pos[axis] - min[axis]) as i32));
    let size = place(max) + 1;
    let mut edit = StoreEdit::new(&Store::new(Region::of_size(size)));
    let palette: Vec<Rgb> = data.palette.iter().map(|color| Rgb::new(color.r, color.g, color.b)).collect();
    for (done, instance) in placed.iter().enumerate() {
        let Some(model) = data.models.get(instance.model) else { continue };
        for voxels in model.voxels.chunks(1 << 16) {
            progress.report(done as f32 / placed.len() as f32)?;
            for voxel in voxels {
                let at = instance.transform.apply([voxel.x, voxel.y, voxel.z], &model.size);
                edit.set(place(ours(at)), palette.get(usize::from(voxel.i)).copied().map(Voxel::new));
            }
        }
    }
    model(edit, name, foot(size))
}

/// Smallest and largest coordinates of a model's voxels, both included.
fn extent(model: &Model) -> Option<[[u8; 3]; 2]> {
    let mut voxels = model.voxels.iter().map(|voxel| [voxel.x, voxel.y, voxel.z]);
    let first = voxels.next()?;
    Some(voxels.fold([first; 2], |[low, high], at| {
        [std::array::from_fn(|axis| low[axis].min(at[axis])), std::array::from_fn(|axis| high[axis].max(at[axis]))]
    }))
}

/// A half turn about x.
fn ours([x, y, z]: [i64; 3]) -> [i64; 3] {
    [x, -y, -z]
}

/// Tells what of an animation was left out.
fn tell_frames(left_out: u64, report: &mut Report) {
    report.push_count(Severity::Loss, "animation", "later frames of an animation were left out", left_out);
}
