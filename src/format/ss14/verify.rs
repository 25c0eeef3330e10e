//! What was written, taken apart again and compared with what was meant.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use glam::IVec3;

use super::choose::Chooser;
use super::chunk_list::MAX_REACH;
use super::colors::is_space;
use super::decode;
use super::loaded::{Loaded, tile_of, voxel_of};
use super::plan::knows_turns;
use super::plan_entities::place;
use crate::document::{Anchor, Object, ObjectId, Snapshot};
use crate::format::FormatError;
use crate::format::merge::is_entity_name;
use crate::geom::VoxelPos;

/// Compares all tiles and entities of a map that was spliced from its source.
pub(super) fn compare(snapshot: &Snapshot, source: &Loaded, written: &Loaded) -> Result<(), FormatError> {
    let mut chooser = Chooser::new(&source.colors, source.index.tilemap.is_some());
    for (grid, volume) in snapshot.volumes().iter().enumerate().take(written.index.grids.len()) {
        let before = tiles(source, grid);
        let mut meant = BTreeMap::new();
        for voxel in super::plan::solid_voxels(&volume.store) {
            let place = voxel.saturating_add(volume.offset);
            let tile = tile_of(place);
            let is_told = place.z == 0 && tile.iter().all(|part| part.abs() <= MAX_REACH - 2 * 64);
            let now = volume.store.voxel(voxel).filter(|_| is_told);
            if let Some(name) = chooser.tile(now, before.get(&tile).map(|(name, _)| name)) {
                meant.insert(tile, (name, now.and_then(|now| now.extra.tile)));
            }
        }
        let found = tiles(written, grid);
        if !knows_turns(written) {
            // A tile is not turned where its chunk cannot say so.
            for (tile, (_, meant)) in &mut meant {
                let found = found.get(tile).and_then(|(_, rest)| *rest);
                *meant =
                    meant.map(|[flags, variant, turn]| [flags, variant, if found.is_some_and(|[.., turn]| turn == 0) { 0 } else { turn }]);
            }
        }
        compare_tiles(&meant, found, volume.offset)?;
    }
    // A marker of another name is no entity, unless it came from one.
    let before = decode::objects(source);
    let is_saved = |(id, object): &(ObjectId, &Object)| match object {
        Object::Marker { label, .. } => {
            is_entity_name(label) || matches!(before.get(*id), Some(Object::Marker { label: old, .. }) if old == label)
        }
        _ => false,
    };
    let meant = places(snapshot.objects.iter().filter(is_saved).map(|(_, object)| object), |volume, at| place(snapshot, volume, at));
    let after = decode::objects(written);
    let found = places(after.iter().map(|(_, object)| object), |_, at| [at.x, at.y]);
    for (place, count) in &meant {
        if found.get(place) != Some(count) {
            let (_, volume, [x, y]) = place;
            let offset = snapshot.volumes().get(*volume as usize).map_or(VoxelPos::ZERO, |volume| volume.offset);
            return Err(FormatError::Differs { at: IVec3::new(*x, *y, 0) - offset, what: "an entity is missing" });
        }
    }
    if found.values().sum::<usize>() != meant.values().sum::<usize>() {
        return Err(FormatError::Differs { at: IVec3::ZERO, what: "the number of entities" });
    }
    Ok(())
}

/// The name of a tile, and its flags, variant and turn; `None` is whatever was there.
pub(super) type Meant = (Arc<str>, Option<[u8; 3]>);

/// Compares the tiles of the first grid.
pub(super) fn compare_grid(meant: &BTreeMap<[i32; 2], Meant>, written: &Loaded, offset: IVec3) -> Result<(), FormatError> {
    compare_tiles(meant, tiles(written, 0), offset)
}

fn compare_tiles(meant: &BTreeMap<[i32; 2], Meant>, mut found: HashMap<[i32; 2], Meant>, offset: IVec3) -> Result<(), FormatError> {
    for (tile, (name, rest)) in meant {
        let at = voxel_of(*tile) - offset;
        match found.remove(tile) {
            Some((other, found)) if other == *name && (rest.is_none() || *rest == found) => {}
            Some((other, _)) if other == *name => return Err(FormatError::Differs { at, what: "the flags, variant or turn of the tile" }),
            Some(_) => return Err(FormatError::Differs { at, what: "the tile" }),
            None => return Err(FormatError::Differs { at, what: "a tile is missing" }),
        }
    }
    match found.keys().min() {
        Some(tile) => Err(FormatError::Differs { at: voxel_of(*tile) - offset, what: "a tile too many" }),
        None => Ok(()),
    }
}

/// All tiles of a grid that are not space.
fn tiles(loaded: &Loaded, grid: usize) -> HashMap<[i32; 2], Meant> {
    let mut found = HashMap::new();
    let (Some(of), Some(chunks)) = (loaded.index.grids.get(grid), loaded.tiles.get(grid)) else { return found };
    for (chunk, tiles) in of.chunks.chunks.iter().zip(chunks) {
        let size = i32::try_from(tiles.size).unwrap_or_default();
        for ((id, rest), index) in tiles.all().zip(0..) {
            let [x, y] = loaded.order.place(index, tiles.size);
            if let Some(name) = loaded.names.of(id).filter(|name| !is_space(name)) {
                found.insert([chunk.at[0] * size + x, chunk.at[1] * size + y], (name.clone(), Some(rest)));
            }
        }
    }
    found
}

/// How many markers of a name stand at a place of a grid.
fn places<'a>(
    objects: impl Iterator<Item = &'a Object>,
    place: impl Fn(u32, &Anchor) -> [i32; 2],
) -> BTreeMap<(&'a str, u32, [i32; 2]), usize> {
    let mut places = BTreeMap::new();
    for object in objects {
        let Object::Marker { label, at, volume, .. } = object else { continue };
        *places.entry((&**label, *volume, place(*volume, at))).or_insert(0) += 1;
    }
    places
}
