//! The map as a mapper means it: volumes, objects, metadata, selection, the game's limits, and the
//! bytes it was read from.
//!
//! A [`Document`] is copy-on-write: cloning one is a [`Snapshot`] and costs a few pointer copies. It
//! changes only through the change of a command (`edit/`), which the editor commits.

mod amount;
mod diff;
mod kinds;
mod masks;
mod material;
mod metadata;
mod object;
mod palette;
mod profile;
mod progress;
mod selection;
mod source;
mod symmetry;
mod volume;

use std::sync::Arc;

pub use amount::{grouped, sentence, size_text, some};
pub use diff::{DocumentDiff, ObjectChange, SectorTally, Tally, VolumeDiff, VoxelChanges, visit_differences, volume_pairs};
pub use masks::{Masks, Matter};
pub use material::Material;
pub use metadata::{GameMode, Metadata, Property, Sector};
pub use object::{Anchor, BlockLook, MarkerRole, Object, ObjectId, Objects, Team};
pub use palette::{Palette, Swatch};
pub use profile::{GameProfile, SpawnZone};
pub use progress::{Cancelled, Progress};
pub use selection::{Combine, Selection};
pub use source::{OptionValue, Options, RULED_FLOOR, SidecarSource, SourceFile, VIEW};
pub use symmetry::{Image, Symmetry, SymmetryKind};
pub use volume::{Placement, Volume};

use crate::geom::Region;
use crate::voxel::{Rgb, Store};

/// A document at one moment. The same type: a clone shares everything with what it was cloned from.
pub type Snapshot = Document;

/// Everything that a map is. Cloning is cheap (a few pointers); see [`Snapshot`].
#[derive(Clone, Debug)]
pub struct Document {
    // Invariant: at least one.
    volumes: Arc<Vec<Volume>>,
    // Invariant: less than the number of volumes.
    active: usize,
    /// Spawn regions and points, bases, intel, territories, markers.
    pub objects: Arc<Objects>,
    /// Name, author, fog and the other facts about the map.
    pub metadata: Arc<Metadata>,
    /// The voxels that selection commands act on, those of the active volume.
    pub selection: Option<Selection>,
    /// Which voxels edits may change.
    pub masks: Arc<Masks>,
    /// Where else edits happen.
    pub symmetry: Arc<Symmetry>,
    /// Colour that voxels uncovered by an edit take; `None` takes the nearest known colour above.
    pub dirt: Option<Rgb>,
    /// What the game that the map is for allows.
    pub profile: &'static GameProfile,
    /// The named colours that voxels of this map mean; empty where a colour is only a colour.
    pub palette: Palette,
    /// The file that the map was read from, byte for byte, for faithful saving.
    pub source: Option<Arc<SourceFile>>,
    /// The sidecars that were read with it, byte for byte.
    pub sidecars: Arc<Vec<SidecarSource>>,
    /// Bytes of memory that the voxels of all volumes may take: commands that need more are refused. No part of the map.
    pub memory_limit: u64,
    /// Metadata and objects as the files gave them: what differs from them was edited and is written.
    pub opened: Arc<Opened>,
}

/// Metadata and objects as they stood when the map was opened.
///
/// Like the source bytes it never moves on, not even by saving, so that an edit that is undone or
/// typed back gives the original bytes again.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// The objects.
    pub objects: Arc<Objects>,
    /// The metadata.
    pub metadata: Arc<Metadata>,
}

impl Document {
    /// A document of one volume, without objects or metadata.
    pub fn new(store: Store, profile: &'static GameProfile) -> Self {
        Self {
            volumes: Arc::new(vec![Volume::new(store)]),
            active: 0,
            objects: Arc::default(),
            metadata: Arc::default(),
            selection: None,
            masks: Arc::default(),
            symmetry: Arc::default(),
            dirt: None,
            profile,
            palette: Palette::default(),
            source: None,
            sidecars: Arc::default(),
            memory_limit: u64::MAX,
            opened: Arc::default(),
        }
    }

    /// A document of several volumes; `None` if there is none.
    pub fn with_volumes(volumes: Vec<Volume>, profile: &'static GameProfile) -> Option<Self> {
        let first = volumes.first()?.store.clone();
        Some(Self { volumes: Arc::new(volumes), ..Self::new(first, profile) })
    }

    /// All volumes, never none.
    pub fn volumes(&self) -> &Arc<Vec<Volume>> {
        &self.volumes
    }

    /// Replaces all volumes at once, for commands such as resize. An empty list is ignored.
    pub fn put_volumes(&mut self, volumes: Arc<Vec<Volume>>) {
        if !volumes.is_empty() {
            self.active = self.active.min(volumes.len() - 1);
            self.volumes = volumes;
        }
    }

    /// Bytes of memory that the voxels of all volumes take (shared chunks counted in full).
    pub fn size_bytes(&self) -> u64 {
        self.volumes.iter().map(|volume| volume.store.size_bytes() as u64).sum()
    }

    /// Number of the volume that is looked at and edited; 0 where there is only one.
    pub fn active(&self) -> usize {
        self.active
    }

    /// Makes another volume the active one. A number that no volume has is ignored.
    pub fn set_active(&mut self, volume: usize) {
        if volume < self.volumes.len() {
            self.active = volume;
        }
    }

    /// The volume that is looked at and edited.
    pub fn active_volume(&self) -> &Volume {
        // Invariant: `active` is the number of a volume.
        &self.volumes[self.active]
    }

    /// The store of the active volume: *the* map of a VXL or VMF document.
    pub fn store(&self) -> &Store {
        &self.active_volume().store
    }

    /// The objects that stand in the active volume, in order.
    pub fn objects_here(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.objects.iter().filter(|(_, object)| object.volume() == self.active)
    }

    /// The store of one volume, for the commit of a change.
    pub fn store_mut(&mut self, volume: usize) -> Option<&mut Store> {
        Arc::make_mut(&mut self.volumes).get_mut(volume).map(|volume| &mut volume.store)
    }

    /// Declares what metadata and objects hold now to be what the files gave: the end of opening.
    pub fn mark_opened(&mut self) {
        self.opened = Arc::new(Opened { objects: self.objects.clone(), metadata: self.metadata.clone() });
    }

    /// What the masks that hold anything back are called: the one of the selection does while something is selected. That
    /// of spawn regions says where there are none, and lets nothing through then.
    pub fn masks_at_work(&self) -> Vec<&'static str> {
        let names = self.masks.names().filter(|name| self.selection.is_some() || *name != masks::SELECTION);
        let at_work =
            |name| if name == masks::SPAWNS && !self.has_spawn_regions() { "spawn regions, of which there are none" } else { name };
        names.map(at_work).collect()
    }

    /// Whether spawn regions are set; where none are, servers have some of their own.
    pub fn has_spawn_regions(&self) -> bool {
        self.objects.iter().any(|(_, object)| matches!(object, Object::SpawnRegion { .. }))
    }

    /// The box of the active volume.
    pub fn bounds(&self) -> Region {
        self.store().bounds()
    }

    /// z of the water plane, which can be painted but never removed; `None` where the game has none.
    pub fn floor_z(&self) -> Option<i32> {
        self.profile.has_floor.then(|| self.bounds().max().z - 1)
    }

    /// The part of a box that lies above the floor; all of it where the game has none.
    pub fn above_floor(&self, region: &Region) -> Region {
        let Some(floor) = self.floor_z() else { return *region };
        let (min, max) = (region.min(), region.max());
        Region::new(min, max.with_z(max.z.min(floor).max(min.z)))
    }
}
