//! Recovery snapshots: a document as it stood after so many entries of its journal, so that bringing it back
//! need not repeat them all.
//!
//! One file beside the journal, private and disposable: a frame with the facts, then the voxels as chunks.
//! What commands never change (source bytes, sidecars, names) comes from the copy of the map. A snapshot
//! that is damaged, or that the journal has steps to from before it, is passed over.

mod chunks;

use std::io;
use std::path::Path;
use std::sync::Arc;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use self::chunks::{Input, decode_chunk, encode_chunk, encode_masks, encode_pos};
use super::JOURNAL_LIMIT;
use crate::document::{Document, GameProfile, Masks, Object, ObjectId, Objects, Property, Selection, Symmetry, Volume};
use crate::editor::journal::{EntryKind, JournalContent, JournalEntry, JournalMark, frame, most_entries, next_frame, snapshot_path};
use crate::editor::storage::{Storage, StorageAction, StorageError, replace_file};
use crate::geom::Region;
use crate::voxel::{Rgb, Store, VoxelMask};

/// Version of the file.
const VERSION: u32 = 2;
/// Largest snapshot that is written or read.
pub const SNAPSHOT_LIMIT: u64 = 512 << 20;

/// Bytes in which the first frame nearly always ends.
const HEAD_BYTES: usize = 1 << 16;

/// The first frame of a snapshot.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    version: u32,
    /// Entries of the journal that it holds.
    entries: usize,
    /// The place in the journal; those of earlier versions do not tell.
    #[serde(default)]
    journal: Option<JournalMark>,
    objects: Vec<(ObjectId, Object)>,
    /// The last id that an object was given; earlier versions gave those of removed ones again.
    #[serde(default)]
    last_object: Option<ObjectId>,
    metadata: Vec<Property>,
    /// What is selected, where that is a box.
    selected_box: Option<Region>,
    /// Chunks of what is selected, where that is any other set.
    selected_chunks: usize,
    masks: Masks,
    symmetry: Symmetry,
    active: usize,
    dirt: Option<Rgb>,
    /// Offset, bounds and number of chunks of each volume.
    volumes: Vec<(IVec3, Region, usize)>,
    /// CRC-32 of what follows the frame.
    crc: u32,
}

/// A snapshot that was read.
#[derive(Debug)]
pub struct RecoverySnapshot {
    header: Header,
    stores: Vec<Store>,
    selection: Option<Selection>,
}

/// Writes the document as it stands after so many entries, at `mark` of its journal. The old snapshot is replaced in one step.
///
/// # Errors
/// If the file cannot be written; the old one stays.
pub fn write_snapshot(
    storage: &dyn Storage,
    journal: &Path,
    document: &Document,
    entries: usize,
    mark: Option<JournalMark>,
) -> Result<(), StorageError> {
    let path = snapshot_path(journal);
    let bytes = encode(document, entries, mark).map_err(StorageError::at(StorageAction::Write, &path))?;
    replace_file(storage, &path, &bytes)
}

/// Reads the snapshot of a journal, if there is one that is whole and that these entries lead on from.
pub fn read_snapshot(storage: &dyn Storage, journal: &Path, content: &JournalContent) -> Option<RecoverySnapshot> {
    // One that cannot be read is as good as none: the journal has everything.
    let snapshot = decode(&storage.read(&snapshot_path(journal), SNAPSHOT_LIMIT).ok()?)?;
    let is_ours = !snapshot.header.is_foreign(content);
    let is_within = snapshot.entries() <= content.entries.len();
    (is_ours && is_within && leads_on(content.entries.kinds().skip(snapshot.entries()))).then_some(snapshot)
}

/// Whether the snapshot beside a journal is of another one, or says what cannot be: it is of no use, which is to be told.
pub fn is_foreign(storage: &dyn Storage, journal: &Path, content: &JournalContent) -> bool {
    let head = storage.open(&snapshot_path(journal)).ok().and_then(|source| source.head(HEAD_BYTES).ok());
    let header = head.and_then(|head| next_frame::<Header>(&head, 0)).map(|(header, _)| header);
    header.is_some_and(|header| header.version == VERSION && header.is_foreign(content))
}

/// Reads the snapshot of a journal, if it holds entries that the journal does not: it is damaged before them, or was cut off.
///
/// # Errors
/// If it is there and cannot be read, for want of open files, memory or rights, or because the disk does not give it: it must not be taken
/// for one that is not there, because it may be all that is left of the steps.
pub fn read_beyond(storage: &dyn Storage, journal: &Path, content: &JournalContent) -> Result<Option<RecoverySnapshot>, StorageError> {
    let path = snapshot_path(journal);
    // Nearly always it holds less, which its first frame tells.
    let head = storage.open(&path).and_then(|source| source.head(HEAD_BYTES).map_err(StorageError::at(StorageAction::Read, &path)));
    let head = if_it_is_one(head)?;
    let header = head.as_ref().and_then(|head| next_frame::<Header>(head, 0));
    if head.is_none() || header.is_some_and(|(header, _)| header.entries <= content.entries.len()) {
        return Ok(None);
    }
    let bytes = if_it_is_one(storage.read(&path, SNAPSHOT_LIMIT))?;
    let is_beyond = |snapshot: &RecoverySnapshot| snapshot.entries() > content.entries.len() && !snapshot.header.is_foreign(content);
    Ok(bytes.and_then(|bytes| decode(&bytes)).filter(is_beyond))
}

/// What the snapshot of a journal with steps of its own holds beyond those.
#[derive(Debug, Default)]
pub struct Beyond {
    /// The snapshot, if it holds more.
    pub snapshot: Option<RecoverySnapshot>,
    /// It is there and nobody knows what it holds, because the disk or the rights withhold it: it must stay, and so must its journal.
    pub is_withheld: bool,
}

/// As [`read_beyond`], for a journal with steps of its own: a snapshot that is withheld keeps nobody from those.
///
/// # Errors
/// If open files or memory are short: somebody may try again.
pub fn read_beyond_if_given(storage: &dyn Storage, journal: &Path, content: &JournalContent) -> Result<Beyond, StorageError> {
    match read_beyond(storage, journal, content) {
        Ok(snapshot) => Ok(Beyond { snapshot, is_withheld: false }),
        Err(error) if error.is_shortage() => Err(error),
        Err(error) => {
            tracing::warn!("the recovery snapshot is passed over: {error}");
            Ok(Beyond { snapshot: None, is_withheld: true })
        }
    }
}

/// Reads the snapshot of a journal of which nothing else is known.
///
/// # Errors
/// As [`read_beyond`].
pub(super) fn read_any(storage: &dyn Storage, journal: &Path) -> Result<Option<RecoverySnapshot>, StorageError> {
    let bytes = if_it_is_one(storage.read(&snapshot_path(journal), SNAPSHOT_LIMIT))?;
    Ok(bytes.and_then(|bytes| decode(&bytes)))
}

/// What was read, and nothing where no snapshot can lie; every other failure stays an error.
fn if_it_is_one<T>(read: Result<T, StorageError>) -> Result<Option<T>, StorageError> {
    read.map(Some).or_else(|error| if error.is_not_found() || error.is_about_file() { Ok(None) } else { Err(error) })
}

impl Header {
    /// Whether it is not of this journal. One that names none counts where it is no contradiction: more entries than are there
    /// only where the journal is damaged.
    fn is_foreign(&self, content: &JournalContent) -> bool {
        let is_too_far = self.entries > most_entries(JOURNAL_LIMIT);
        is_too_far
            || match &self.journal {
                Some(mark) => mark.entries() != self.entries || !content.has(mark),
                None => self.entries > content.entries.len() && content.damage.is_none(),
            }
    }
}

/// Steps since a snapshot: those that are done, and those undone that can be done again.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepsSince {
    done: u64,
    undone: u64,
}

impl StepsSince {
    /// Adds an entry of the journal; answers whether the snapshot still leads there, or undo or redo went another way.
    pub fn note(&mut self, entry: &JournalEntry) -> bool {
        self.note_kind(EntryKind::of(entry))
    }

    fn note_kind(&mut self, kind: EntryKind) -> bool {
        match kind {
            EntryKind::Do => {
                (self.done, self.undone) = (self.done + 1, 0);
                true
            }
            EntryKind::Undo => {
                self.undone += 1;
                self.done.checked_sub(1).inspect(|left| self.done = *left).is_some()
            }
            EntryKind::Redo => {
                self.done += 1;
                self.undone.checked_sub(1).inspect(|left| self.undone = *left).is_some()
            }
            EntryKind::Jump => false,
            EntryKind::Saving | EntryKind::Placing | EntryKind::Saved => true,
        }
    }
}

/// Whether no entry goes back to before the first one.
fn leads_on(mut entries: impl Iterator<Item = EntryKind>) -> bool {
    let mut since = StepsSince::default();
    entries.all(|kind| since.note_kind(kind))
}

impl RecoverySnapshot {
    /// Entries of the journal that it holds.
    pub fn entries(&self) -> usize {
        self.header.entries
    }

    /// Its place in the journal; those of earlier versions do not tell.
    pub fn mark(&self) -> Option<JournalMark> {
        self.header.journal
    }

    /// Whether a map is as large.
    pub fn has_bounds_of(&self, document: &Document) -> bool {
        let bounds = |(volume, (_, bounds, _)): (&Volume, &(_, Region, _))| volume.store.bounds() == *bounds;
        document.volumes().len() == self.header.volumes.len() && document.volumes().iter().zip(&self.header.volumes).all(bounds)
    }

    /// What stands in for the copy of the map where that is lost: an empty document of the same bounds. `None` for a map of
    /// several volumes, which are more than their voxels.
    pub fn empty_base(&self) -> Option<Document> {
        let [(_, bounds, _)] = self.header.volumes[..] else { return None };
        Some(Document::new(Store::new(bounds), &GameProfile::ACE_OF_SPADES))
    }

    /// The document, on what was opened from the copy of the map; `None` if it does not belong to it.
    pub fn restore(self, base: &Document) -> Option<Document> {
        let mut document = base.clone();
        if base.volumes().len() != self.stores.len() {
            return None;
        }
        let parts = base.volumes().iter().zip(&self.header.volumes).zip(self.stores);
        let volumes = parts.map(|((volume, (offset, ..)), store)| Volume { offset: *offset, store, ..volume.clone() });
        document.put_volumes(Arc::new(volumes.collect()));
        document.objects = Arc::new(Objects::from_iter(self.header.objects).with_last_id(self.header.last_object));
        let mut metadata = (*base.metadata).clone();
        self.header.metadata.into_iter().for_each(|property| _ = metadata.set(property));
        document.metadata = Arc::new(metadata);
        document.selection = self.selection;
        document.dirt = self.header.dirt;
        document.masks = Arc::new(self.header.masks);
        // The invariant of its center holds whatever the file says.
        let center = self.header.symmetry.center;
        document.symmetry = Arc::new(self.header.symmetry.centered(center));
        document.set_active(self.header.active);
        Some(document)
    }
}

/// The bytes of a snapshot.
pub(super) fn encode(document: &Document, entries: usize, journal: Option<JournalMark>) -> io::Result<Vec<u8>> {
    let (mut body, mut volumes) = (vec![], vec![]);
    for volume in document.volumes().iter() {
        let mut count = 0;
        for (pos, chunk) in volume.store.chunks() {
            encode_chunk(pos, chunk, &mut body);
            count += 1;
        }
        volumes.push((volume.offset, volume.store.bounds(), count));
    }
    let selected: Vec<_> = document.selection.as_ref().and_then(Selection::as_mask).into_iter().flat_map(|mask| mask.chunks()).collect();
    for (pos, mask) in &selected {
        encode_pos(*pos, &mut body);
        encode_masks(mask, &mut body);
    }
    let header = Header {
        version: VERSION,
        entries,
        journal,
        objects: document.objects.iter().map(|(id, object)| (id, object.clone())).collect(),
        last_object: document.objects.last_id(),
        metadata: document.metadata.properties().into(),
        selected_box: document.selection.as_ref().and_then(Selection::as_region),
        selected_chunks: selected.len(),
        masks: (*document.masks).clone(),
        symmetry: (*document.symmetry).clone(),
        active: document.active(),
        dirt: document.dirt,
        volumes,
        crc: crc32fast::hash(&body),
    };
    let mut bytes = frame(&header)?;
    bytes.extend(body);
    Ok(bytes)
}

/// Reads those.
pub(super) fn decode(bytes: &[u8]) -> Option<RecoverySnapshot> {
    let (header, start) = next_frame::<Header>(bytes, 0)?;
    let body = bytes.get(start..)?;
    if header.version != VERSION || crc32fast::hash(body) != header.crc {
        return None;
    }
    let mut input = Input(body);
    let mut stores = vec![];
    for (_, bounds, count) in &header.volumes {
        let mut store = Store::new(*bounds);
        for _ in 0..*count {
            let (pos, chunk) = decode_chunk(&mut input)?;
            store.put_chunk(pos, Some(Arc::new(chunk)));
        }
        stores.push(store);
    }
    let mut selected = VoxelMask::default();
    for _ in 0..header.selected_chunks {
        selected.add_chunk(input.pos()?, &input.masks()?);
    }
    let selection = header.selected_box.map_or_else(|| Selection::of_mask(selected), Selection::of_region);
    input.0.is_empty().then_some(RecoverySnapshot { header, stores, selection })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::{GameMode, GameProfile, SymmetryKind, Team};
    use crate::voxel::{Chunk, ChunkPos, Extra, Paint, StoreEdit, Voxel, VoxelKind};

    fn entries(text: &str) -> Vec<JournalEntry> {
        let entry = |kind| match kind {
            'd' => serde_json::from_str(r##"{"do":{"command":{"set":{"at":[1,2,60],"color":"#ff8000"}},"at":1}}"##).unwrap(),
            'u' => JournalEntry::Undo,
            'r' => JournalEntry::Redo,
            'j' => JournalEntry::Jump { to: 1 },
            _ => JournalEntry::Saving { number: 1 },
        };
        text.chars().map(entry).collect()
    }

    #[test]
    fn a_snapshot_counts_only_if_nothing_goes_back_to_before_it() {
        for good in ["", "d", "ddu", "dur", "dsu", "dduurr", "duddu"] {
            assert!(leads_on(entries(good).iter().map(EntryKind::of)), "{good}");
        }
        for bad in ["u", "r", "j", "duu", "durr", "dudr", "dduuu", "dj"] {
            assert!(!leads_on(entries(bad).iter().map(EntryKind::of)), "{bad}");
        }
    }

    fn a_voxel() -> impl Strategy<Value = Option<Voxel>> {
        let kind = prop_oneof![Just(VoxelKind::Solid), Just(VoxelKind::Water), (3..9_u8).prop_map(VoxelKind::Unknown)];
        let tile = prop_oneof![3 => Just(None), 1 => any::<[u8; 3]>().prop_map(Some)];
        let extra = (0..3_u8, kind, 0..2_u8, 0..3_u16, tile).prop_map(|(light, kind, indestructible, reserved, tile)| Extra {
            light,
            kind,
            indestructible,
            reserved,
            tile,
        });
        let paint = prop_oneof![Just(None), any::<u32>().prop_map(|word| Some(Paint::from_word(word)))];
        prop_oneof![
            Just(None),
            paint.clone().prop_map(|paint| Some(Voxel { paint, extra: Extra::default() })),
            (paint, extra).prop_map(|(paint, extra)| Some(Voxel { paint, extra })),
        ]
    }

    proptest! {
        #[test]
        fn a_document_comes_back_as_it_was(
            voxels in proptest::collection::vec(((0..70, 0..40, 0..64), a_voxel()), 0..200),
            full in any::<bool>(),
            selected in proptest::collection::vec((0..70, 0..40, 0..64), 0..20),
            (masks, symmetry) in (any::<bool>(), any::<bool>()),
            cut in any::<proptest::sample::Index>(),
        ) {
            let mut store = Store::new(Region::new(IVec3::new(-3, 0, 0), IVec3::new(70, 40, 64)));
            if full {
                store.put_chunk(ChunkPos(IVec3::ZERO), Some(Arc::new(Chunk::uniform(Voxel::HIDDEN))));
            }
            let mut edit = StoreEdit::new(&store);
            voxels.into_iter().for_each(|((x, y, z), voxel)| _ = edit.set(IVec3::new(x, y, z), voxel));
            store.apply(&edit.finish());
            let base = Document::new(Store::new(store.bounds()), &GameProfile::ACE_OF_SPADES);
            let mut document = Document::new(store, &GameProfile::ACE_OF_SPADES);
            let mut objects = Objects::default();
            objects.push(Object::SpawnPoint { team: Team::Blue, at: IVec3::new(1, 2, 3) });
            let removed = objects.push(Object::SpawnPoint { team: Team::Green, at: IVec3::new(1, 2, 3) });
            objects.0.remove(&removed);
            document.objects = Arc::new(objects);
            document.metadata = Arc::new(crate::document::Metadata { game_mode: Some(GameMode::Tc), ..Default::default() });
            let mut set = VoxelMask::default();
            selected.into_iter().for_each(|(x, y, z)| set.insert(IVec3::new(x, y, z)));
            document.selection = Selection::of_mask(set).or_else(|| Selection::of_region(Region::new(IVec3::ZERO, IVec3::ONE)));
            document.masks = Arc::new(Masks { surface: masks, colors: vec![Rgb::new(4, 5, 6)], ..Masks::default() });
            document.symmetry = Arc::new(Symmetry { kind: if symmetry { SymmetryKind::Turn180 } else { SymmetryKind::Off }, ..Symmetry::default() });
            document.dirt = Some(Rgb::new(1, 2, 3));
            let bytes = encode(&document, 7, None).unwrap();
            let snapshot = decode(&bytes).unwrap();
            prop_assert_eq!(snapshot.entries(), 7);
            let restored = snapshot.restore(&base).unwrap();
            for (pos, chunk) in document.store().chunks() {
                prop_assert_eq!(restored.store().chunk(pos), Some(chunk));
            }
            prop_assert!(restored.store().same_voxels(document.store()));
            prop_assert_eq!(restored.bounds(), document.bounds());
            prop_assert_eq!((&restored.objects, &restored.metadata), (&document.objects, &document.metadata));
            prop_assert_eq!(restored.objects.last_id(), document.objects.last_id());
            prop_assert_eq!((&restored.selection, restored.dirt), (&document.selection, document.dirt));
            prop_assert_eq!((&restored.masks, &restored.symmetry, restored.active()), (&document.masks, &document.symmetry, document.active()));
            // Damage is found wherever it is.
            let at = cut.index(bytes.len());
            prop_assert!(decode(&bytes[..at]).is_none());
            let mut flipped = bytes.clone();
            flipped[at] ^= 4;
            prop_assert!(decode(&flipped).is_none());
        }
    }
}
