//! Sculpting the ground as the volume that it is: by how near the air is, and by how much around is solid.

use std::collections::BTreeMap;

use glam::IVec3;

use super::column::ground_at;
use super::stamps::{Asked, Stamp, noise_at};
use super::{Sculpt, SculptAction, lower, raise};
use crate::document::{Progress, Snapshot};
use crate::edit::mask::{ChunkMask, heights, region_in_chunk, voxel_at};
use crate::edit::window::Window;
use crate::edit::{Draft, EditError};
use crate::geom::{Face, Region, Transform, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, Rgb, Store, Voxel};

/// Share of the progress that evening out has: a guess.
const EVENING_SHARE: f32 = 0.7;

/// What is solid in the chunks that changed.
type Evened = BTreeMap<ChunkPos, ChunkMask>;

/// What happens to the voxels of a chunk.
struct Turned {
    added: ChunkMask,
    removed: ChunkMask,
}

impl Turned {
    const NOTHING: Self = Self { added: [0; CHUNK_COLUMNS], removed: [0; CHUNK_COLUMNS] };

    /// What leads from one to the other, if there is another.
    fn between(before: ChunkMask, after: Option<&ChunkMask>) -> Self {
        let after = after.copied().unwrap_or(before);
        let mut turned = Self::NOTHING;
        turned.added.iter_mut().zip(after).zip(before).for_each(|((bits, after), before)| *bits = after & !before);
        turned.removed.iter_mut().zip(after).zip(before).for_each(|((bits, after), before)| *bits = before & !after);
        turned
    }

    fn add(&mut self, mask: impl Fn(usize) -> u32) {
        self.added.iter_mut().enumerate().for_each(|(column, bits)| *bits |= mask(column));
    }

    fn remove(&mut self, mask: impl Fn(usize) -> u32) {
        self.removed.iter_mut().enumerate().for_each(|(column, bits)| *bits |= mask(column));
    }
}

impl Sculpt {
    pub(super) fn volume(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Draft, EditError> {
        if matches!(self.action, SculptAction::Flatten | SculptAction::Slope) {
            return self.level_ground(snapshot, progress);
        }
        let (store, bounds) = (snapshot.store(), snapshot.bounds());
        let mut draft = Draft::new(snapshot);
        let asked = self.voxels_with_images(snapshot, progress)?;
        let images: Vec<_> = snapshot.symmetry.images().iter().map(|image| image.transform).collect();
        let colors: Vec<_> = snapshot.symmetry.images().iter().map(|image| self.color.map(|color| image.color(color))).collect();
        let (evened, from) = match self.action {
            SculptAction::Smooth | SculptAction::Erode => (self.evened_out(snapshot, &asked, progress)?, EVENING_SHARE),
            _ => (Evened::new(), 0.0),
        };
        for (done, (pos, own)) in asked.iter().enumerate() {
            progress.report(from + (1.0 - from) * done as f32 / asked.len() as f32)?;
            let mut turned = match self.action {
                SculptAction::Melt => melt(store, *pos, own.most(), &asked),
                SculptAction::Noise => self.roughen(store, *pos, own, &images),
                SculptAction::Terrace => self.terrace(snapshot, *pos, own),
                SculptAction::Smooth | SculptAction::Erode => Turned::between(solid_of(store, *pos), evened.get(pos)),
                _ => self.move_surface(store, *pos, own),
            };
            let (inside, solid) = (region_in_chunk(&bounds, *pos), solid_of(store, *pos));
            turned.added.iter_mut().zip(inside).zip(solid).for_each(|((bits, inside), solid)| *bits &= inside & !solid);
            for (column, (added, removed)) in turned.added.iter().zip(turned.removed).enumerate() {
                for z in heights(removed) {
                    let at = voxel_at(*pos, column, z);
                    // The floor stays, and is not worth a note.
                    if snapshot.floor_z() != Some(at.z) {
                        draft.place(at, None);
                    }
                }
                for z in heights(*added) {
                    let at = voxel_at(*pos, column, z);
                    let color = colors.get(own.image(column, z)).copied().flatten();
                    draft.place(at, Some(self.new_voxel(store, at, color)));
                }
            }
        }
        Ok(draft)
    }

    /// Moves the surface outwards or inwards.
    fn move_surface(&self, store: &Store, pos: ChunkPos, asked: &Asked) -> Turned {
        let mut turned = Turned::NOTHING;
        let raises = self.action == SculptAction::Raise;
        let mut grown = if raises { Window::solid(store, pos) } else { Window::air(store, pos) };
        let solid = solid_of(store, pos);
        for step in 1..=asked.most() {
            grown.grow(step.is_multiple_of(2));
            let (near, level) = (grown.chunk(), asked.level(step));
            if raises {
                turned.add(|column| near[column] & level[column] & !solid[column]);
            } else {
                turned.remove(|column| near[column] & level[column] & solid[column]);
            }
        }
        turned
    }

    /// What is solid once what is mostly solid around was made so, and what is mostly air was removed, as often as each
    /// voxel asks for it, each time by what the time before left.
    fn evened_out(&self, snapshot: &Snapshot, asked: &BTreeMap<ChunkPos, Asked>, progress: &Progress) -> Result<Evened, EditError> {
        let (store, bounds) = (snapshot.store(), snapshot.bounds());
        let floor = Region::new(bounds.min().with_z(snapshot.floor_z().unwrap_or(bounds.max().z)), bounds.max());
        let mut evened = Evened::new();
        let times = asked.values().map(Asked::most).max().unwrap_or(0);
        for time in 1..=times {
            let mut turned = vec![];
            for (done, (pos, own)) in asked.iter().enumerate() {
                let share = done as f32 / asked.len() as f32;
                progress.report(EVENING_SHARE * (f32::from(time - 1) + share) / f32::from(times))?;
                let level = own.level(time);
                if level.iter().all(|bits| *bits == 0) {
                    continue;
                }
                let now = |near| evened.get(&near).copied().or_else(|| store.chunk(near).map(|chunk| *chunk.solid()));
                let halves = Window::of(*pos, now).halves(&Window::inside(*pos, &bounds));
                let before = now(*pos).unwrap_or([0; CHUNK_COLUMNS]);
                let (mut after, floor) = (before, region_in_chunk(&floor, *pos));
                for (((bits, level), floor), (more, less)) in
                    after.iter_mut().zip(level).zip(floor).zip(halves.more.into_iter().zip(halves.less))
                {
                    *bits &= !(less & level & !floor);
                    if self.action == SculptAction::Smooth {
                        *bits |= more & level;
                    }
                }
                if after != before {
                    turned.push((*pos, after));
                }
            }
            // Each time fewer are asked: where nothing turned, nothing will.
            if turned.is_empty() {
                break;
            }
            evened.extend(turned);
        }
        Ok(evened)
    }

    /// Moves the surface outwards where the noise is positive, and inwards where it is not.
    fn roughen(&self, store: &Store, pos: ChunkPos, asked: &Asked, images: &[Transform]) -> Turned {
        let solid = solid_of(store, pos);
        let mut wanted = vec![0_i8; asked.amounts.len()];
        for (index, (wanted, amount)) in wanted.iter_mut().zip(&asked.amounts).enumerate().filter(|(_, (_, amount))| **amount > 0) {
            let at = voxel_at(pos, index / CHUNK_EDGE, (index % CHUNK_EDGE) as u32);
            *wanted = (noise_at(self, images, at) * f32::from(*amount)).round() as i8;
        }
        let level = |fits: &dyn Fn(i8) -> bool| -> Vec<u32> {
            let bits = |wanted: &[i8]| wanted.iter().enumerate().fold(0, |all, (z, wanted)| all | u32::from(fits(*wanted)) << z);
            wanted.chunks(CHUNK_EDGE).map(bits).collect()
        };
        let (mut outwards, mut inwards) = (Window::solid(store, pos), Window::air(store, pos));
        let mut turned = Turned::NOTHING;
        for step in 1..=asked.most() as i8 {
            outwards.grow(step % 2 == 0);
            inwards.grow(step % 2 == 0);
            let (near_solid, near_air) = (outwards.chunk(), inwards.chunk());
            let (up, down) = (level(&|wanted| wanted >= step), level(&|wanted| wanted <= -step));
            turned.add(|column| near_solid[column] & up[column] & !solid[column]);
            turned.remove(|column| near_air[column] & down[column] & solid[column]);
        }
        turned
    }

    /// Gives each layer of a step what stands in the middle of it.
    fn terrace(&self, snapshot: &Snapshot, pos: ChunkPos, asked: &Asked) -> Turned {
        let (store, step) = (snapshot.store(), self.step as i32);
        let floor = snapshot.floor_z().unwrap_or(snapshot.bounds().max().z - 1);
        let mut turned = Turned::NOTHING;
        let voxels = asked.amounts.iter().enumerate().filter(|(_, amount)| **amount > 0);
        for (index, amount) in voxels {
            let (column, z) = (index / CHUNK_EDGE, (index % CHUNK_EDGE) as u32);
            let at = voxel_at(pos, column, z);
            let height = floor - at.z;
            if height <= 0 {
                continue;
            }
            // The height from which a column of ground is rounded up to this voxel or a higher one.
            let wanted = (height + step - 1).div_euclid(step) * step - step / 2;
            let from = at.with_z(at.z - (wanted - height).clamp(-i32::from(*amount), i32::from(*amount)));
            match (store.is_solid(at), store.is_solid(from)) {
                (false, true) => turned.added[column] |= 1 << z,
                (true, false) => turned.removed[column] |= 1 << z,
                _ => {}
            }
        }
        turned
    }

    /// Brings the ground of the level (or the slope) nearer to it. What hangs over the level stays, and so do caves under
    /// ground that reaches up to it.
    fn level_ground(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Draft, EditError> {
        let mut draft = Draft::new(snapshot);
        for ([y, x], stamp) in self.stamps_with_images(snapshot, progress)? {
            progress.check()?;
            let Some(top) = self.level_top(snapshot.store(), x, y, &stamp) else { continue };
            let by = self.step_to_level(top, &stamp);
            let top = VoxelPos::new(x, y, top);
            match by {
                0 => {}
                1.. => raise(&mut draft, top, by, stamp.color),
                _ => lower(&mut draft, top, -by, stamp.color),
            }
        }
        Ok(draft)
    }

    /// The topmost voxel of the ground that the level of a column runs through, else of that below it; none farther from
    /// the level than the brush reaches.
    pub(super) fn level_top(&self, store: &Store, x: i32, y: i32, stamp: &Stamp) -> Option<i32> {
        let level = if self.action == SculptAction::Slope { stamp.z } else { self.level() };
        let reach = self.size.div_ceil(2) as i32;
        let top = ground_at(store, [x, y], level, reach)?;
        (top.saturating_sub(level) <= reach).then_some(top)
    }

    /// A voxel that goes on with the colors around it.
    fn new_voxel(&self, store: &Store, at: VoxelPos, color: Option<Rgb>) -> Voxel {
        let reach = (self.strength.max(self.size) + 2) as i32;
        color.or_else(|| color_around(store, at, reach)).map_or(Voxel::HIDDEN, Voxel::new)
    }
}

/// Removes what has two open sides or more, again and again.
fn melt(store: &Store, pos: ChunkPos, most: u8, asked: &BTreeMap<ChunkPos, Asked>) -> Turned {
    let (mut air, solid) = (Window::air(store, pos), solid_of(store, pos));
    let within = Window::inside(pos, &store.bounds());
    for step in 1..=most {
        air.melt(&within, &Window::of(pos, |near| asked.get(&near).map(|asked| asked.level(step))));
    }
    let gone = air.chunk();
    let mut turned = Turned::NOTHING;
    turned.remove(|column| gone[column] & solid[column]);
    turned
}

fn solid_of(store: &Store, pos: ChunkPos) -> ChunkMask {
    store.chunk(pos).map_or([0; CHUNK_COLUMNS], |chunk| *chunk.solid())
}

/// The mean color of the nearest voxels that have one: straight beside, else along the diagonals.
fn color_around(store: &Store, at: VoxelPos, reach: i32) -> Option<Rgb> {
    let straight: Vec<IVec3> = Face::ALL.map(Face::normal).to_vec();
    let diagonal: Vec<IVec3> =
        Region::new(IVec3::splat(-1), IVec3::splat(2)).positions().filter(|step| step.abs().element_sum() > 1).collect();
    (1..=reach).find_map(|far| mean(store, at, far, &straight).or_else(|| mean(store, at, far, &diagonal)))
}

fn mean(store: &Store, at: VoxelPos, far: i32, steps: &[IVec3]) -> Option<Rgb> {
    let (mut sum, mut count) = ([0_u32; 3], 0);
    for paint in steps.iter().filter_map(|step| store.paint(at.saturating_add(*step * far))) {
        sum.iter_mut().zip(paint.rgb.to_array()).for_each(|(sum, part)| *sum += u32::from(part));
        count += 1;
    }
    let [r, g, b] = sum.map(|sum| ((sum + count / 2) / count.max(1)) as u8);
    (count > 0).then_some(Rgb::new(r, g, b))
}
