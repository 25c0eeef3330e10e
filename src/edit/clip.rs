//! Clips: voxels cut out of a document, to be turned and pasted.
//!
//! As text (in scripts and on the clipboard) a clip is base64 of `SWC`, a version byte, three sides as
//! little-endian `u16`, and a deflated stream of runs, z fastest, then x, then y. A run is its length
//! (LEB128), a kind byte, and what the kind needs; see `Run`.

use std::fmt;
use std::io::Read as _;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::transfer::moved_chunk;
use super::{EditError, base64};
use crate::document::{Image, Selection, Snapshot};
use crate::geom::{Orientation, Region};
use crate::voxel::{ChunkPos, Extra, Paint, Store, StoreEdit, Voxel, VoxelKind};

const MAGIC: &[u8; 3] = b"SWC";
const VERSION: u8 = 1;
const HEADER_BYTES: usize = 10;
/// Longest side of a clip.
const MAX_SIDE: i32 = 4096;
/// Most voxels in a clip's box, air included: two maps of 512×512×64.
const MAX_VOLUME: u64 = 1 << 25;

/// A box of voxels on its own, with its smallest corner at the origin. Cloning is cheap.
///
/// ```
/// use glam::IVec3;
/// use spadework::document::{Document, GameProfile};
/// use spadework::edit::Clip;
/// use spadework::geom::Region;
/// use spadework::voxel::Store;
/// let document = Document::new(Store::new(Region::of_size(IVec3::new(64, 64, 64))), &GameProfile::ACE_OF_SPADES);
/// let clip = Clip::cut(&document, Region::new(IVec3::splat(10), IVec3::new(12, 14, 16)))?;
/// assert_eq!(clip.size(), IVec3::new(2, 4, 6));
/// assert_eq!(Clip::try_from(String::from(clip.clone()))?, clip);
/// # Ok::<(), spadework::edit::EditError>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Clip {
    // Invariant: its bounds begin at the origin, and neither side nor volume exceeds the limits.
    store: Store,
}

impl Clip {
    /// Copies a box of the document, without the floor.
    ///
    /// # Errors
    /// If the box lies outside the map, or is too large for a clip.
    pub fn cut(snapshot: &Snapshot, region: Region) -> Result<Self, EditError> {
        let region = region.intersection(&snapshot.bounds());
        if region.is_empty() {
            return Err(EditError::OutsideMap);
        }
        let bounds = Region::of_size(region.size());
        check_size(bounds.size())?;
        let by = -region.min();
        let within = snapshot.above_floor(&region).shifted(by);
        let mut store = Store::new(bounds);
        for pos in ChunkPos::covering(&within) {
            store.put_chunk(pos, moved_chunk(snapshot.store(), pos, by, &within));
        }
        Ok(Self { store })
    }

    /// Copies the selected voxels, without the floor; the clip is as large as the box around them.
    ///
    /// # Errors
    /// If the selection lies outside the map, or its box is too large for a clip.
    pub fn cut_selected(snapshot: &Snapshot, selection: &Selection) -> Result<Self, EditError> {
        let clip = Self::cut(snapshot, selection.bounds())?;
        let Some(mask) = selection.as_mask() else { return Ok(clip) };
        let mask = mask.shifted(-selection.bounds().intersection(&snapshot.bounds()).min());
        let mut edit = StoreEdit::new(&clip.store);
        for (pos, chunk) in clip.store.chunks() {
            let kept = mask.chunk(pos);
            for (column, solid) in chunk.solid().iter().enumerate() {
                for z in super::mask::heights(solid & !kept.map_or(0, |kept| kept[column])) {
                    edit.set(super::mask::voxel_at(pos, column, z), None);
                }
            }
        }
        Ok(Self { store: edit.snapshot() })
    }

    /// All voxels of a store that stands on its own, such as an imported model.
    ///
    /// # Errors
    /// If its bounds do not begin at the origin, or are too large for a clip.
    pub fn of(store: &Store) -> Result<Self, EditError> {
        if store.bounds().min() != IVec3::ZERO {
            return Err(EditError::OutsideMap);
        }
        check_size(store.bounds().size())?;
        Ok(Self { store: store.clone() })
    }

    /// Extent in voxels.
    pub fn size(&self) -> IVec3 {
        self.store.bounds().size()
    }

    /// The voxels, the smallest corner at the origin.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The clip as an image of a symmetry shows it: turned, with the colors there.
    pub fn imaged(&self, image: &Image<'_>) -> Self {
        self.mapped(image.transform.orientation, |voxel| voxel.recolored(|rgb| image.color(rgb)))
    }

    /// The clip turned or mirrored.
    pub fn turned(&self, orientation: Orientation) -> Self {
        self.mapped(orientation, |voxel| voxel)
    }

    pub(super) fn mapped(&self, orientation: Orientation, voxel: impl Fn(Voxel) -> Voxel) -> Self {
        let opposite = orientation.apply(self.size() - 1);
        let shift = -opposite.min(IVec3::ZERO);
        let mut edit = StoreEdit::new(&Store::new(Region::of_size(opposite.abs() + 1)));
        for (chunk_pos, chunk) in self.store.chunks() {
            for (column, &solid) in chunk.solid().iter().enumerate() {
                for z in super::mask::heights(solid) {
                    let at = super::mask::voxel_at(chunk_pos, column, z);
                    edit.set(orientation.apply(at) + shift, chunk.voxel(column, z).map(&voxel));
                }
            }
        }
        Self { store: edit.snapshot() }
    }

    fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(VERSION);
        for side in self.size().to_array() {
            bytes.extend(u16::try_from(side).unwrap_or(0).to_le_bytes());
        }
        let mut out = DeflateEncoder::new(bytes, Compression::default());
        let mut run = Vec::new();
        let mut voxels = self.store.bounds().positions().map(|pos| self.store.voxel(pos)).peekable();
        while let Some(first) = voxels.next() {
            let kind = Kind::of(first);
            run.clear();
            run.push(first);
            while let Some(next) = voxels.next_if(|next| Kind::of(*next) == kind) {
                run.push(next);
            }
            write_run(&mut out, kind, &run)?;
        }
        out.finish()
    }
}

impl fmt::Debug for Clip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clip({})", self.size())
    }
}

impl PartialEq for Clip {
    fn eq(&self, other: &Self) -> bool {
        self.store.same_voxels(&other.store)
    }
}

impl From<Clip> for String {
    fn from(clip: Clip) -> Self {
        // Writing to memory does not fail.
        base64::encode(&clip.to_bytes().unwrap_or_default())
    }
}

impl TryFrom<String> for Clip {
    type Error = EditError;

    fn try_from(text: String) -> Result<Self, EditError> {
        let bytes = base64::decode(&text).map_err(|offset| EditError::BadClip { what: "not base64", offset })?;
        let bad = |what, offset| EditError::BadClip { what, offset };
        let (header, stream) = bytes.split_at_checked(HEADER_BYTES).ok_or(bad("it ends too soon", bytes.len()))?;
        if !header.starts_with(MAGIC) {
            return Err(bad("it does not begin with SWC", 0));
        }
        if header.get(3) != Some(&VERSION) {
            return Err(bad("its version is unknown", 3));
        }
        let side = |at: usize| header.get(at..at + 2).map_or(0, |pair| i32::from(pair[0]) | i32::from(pair[1]) << 8);
        let size = IVec3::new(side(4), side(6), side(8));
        check_size(size)?;
        let mut reader = Reader { input: DeflateDecoder::new(stream), offset: HEADER_BYTES };
        let store = reader.voxels(Region::of_size(size))?;
        Ok(Self { store })
    }
}

fn check_size(size: IVec3) -> Result<(), EditError> {
    for side in size.to_array() {
        super::brush::in_range("side of the clip", i64::from(side), 1, i64::from(MAX_SIDE))?;
    }
    let volume = i64::try_from(Region::of_size(size).volume()).unwrap_or(i64::MAX);
    super::brush::in_range("volume of the clip", volume, 1, i64::try_from(MAX_VOLUME).unwrap_or(i64::MAX))
}

/// What the voxels of a run are.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    /// Nothing follows.
    Air = 0,
    /// Solid without colour; nothing follows.
    Hidden = 1,
    /// Follows: a paint word each (b, g, r, shade).
    Painted = 2,
    /// Follows, each: 1 with a paint word or 0 with four zero bytes; light, kind, indestructible, reserved (`u16`).
    Full = 3,
    /// As `Full`, with flags, variant and turn of a tile behind it.
    Tile = 4,
}

impl Kind {
    fn of(voxel: Option<Voxel>) -> Self {
        match voxel {
            None => Self::Air,
            Some(voxel) if voxel.extra.tile.is_some() => Self::Tile,
            Some(voxel) if voxel.extra != Extra::default() => Self::Full,
            Some(Voxel { paint: None, .. }) => Self::Hidden,
            Some(_) => Self::Painted,
        }
    }
}

fn write_run(out: &mut impl std::io::Write, kind: Kind, run: &[Option<Voxel>]) -> std::io::Result<()> {
    let mut length = run.len();
    while length >= 0x80 {
        out.write_all(&[(length & 0x7f) as u8 | 0x80])?;
        length >>= 7;
    }
    out.write_all(&[length as u8, kind as u8])?;
    for voxel in run.iter().flatten() {
        let word = voxel.paint.map_or(0, Paint::to_word).to_le_bytes();
        match kind {
            Kind::Air | Kind::Hidden => break,
            Kind::Painted => out.write_all(&word)?,
            Kind::Full | Kind::Tile => {
                let number = match voxel.extra.kind {
                    VoxelKind::Solid => 1,
                    VoxelKind::Water => 2,
                    VoxelKind::Unknown(number) => number,
                };
                out.write_all(&[u8::from(voxel.paint.is_some())])?;
                out.write_all(&word)?;
                out.write_all(&[voxel.extra.light, number, voxel.extra.indestructible])?;
                out.write_all(&voxel.extra.reserved.to_le_bytes())?;
                if let Some(tile) = voxel.extra.tile {
                    out.write_all(&tile)?;
                }
            }
        }
    }
    Ok(())
}

struct Reader<'a> {
    input: DeflateDecoder<&'a [u8]>,
    /// Place in the data once inflated.
    offset: usize,
}

impl Reader<'_> {
    fn voxels(&mut self, bounds: Region) -> Result<Store, EditError> {
        let mut edit = StoreEdit::new(&Store::new(bounds));
        let (mut done, volume) = (0, bounds.volume());
        while done < volume {
            let begin = self.offset;
            let length = self.length()?;
            if length == 0 || length > volume - done {
                return Err(EditError::BadClip { what: "a run has a wrong length", offset: begin });
            }
            let kind = self.bytes::<1>()?;
            for index in done..done + length {
                let voxel = match kind {
                    [0] => break,
                    [1] => Voxel::HIDDEN,
                    [2] => Voxel { paint: Some(Paint::from_word(u32::from_le_bytes(self.bytes()?))), extra: Extra::default() },
                    [3] => self.full()?,
                    [4] => {
                        let mut voxel = self.full()?;
                        voxel.extra.tile = Some(self.bytes()?);
                        voxel
                    }
                    _ => return Err(EditError::BadClip { what: "a run has an unknown kind", offset: self.offset - 1 }),
                };
                edit.set(position(index, bounds.size()), Some(voxel));
            }
            done += length;
        }
        if self.input.read(&mut [0]).unwrap_or(1) != 0 {
            return Err(EditError::BadClip { what: "something follows the last run", offset: self.offset });
        }
        Ok(edit.snapshot())
    }

    fn length(&mut self) -> Result<u64, EditError> {
        let mut length = 0;
        // Four groups of seven bits hold more than the largest volume.
        for shift in [0, 7, 14, 21] {
            let [byte] = self.bytes()?;
            length |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(length);
            }
        }
        Err(EditError::BadClip { what: "a run is too long", offset: self.offset })
    }

    fn full(&mut self) -> Result<Voxel, EditError> {
        let [painted] = self.bytes()?;
        let word = u32::from_le_bytes(self.bytes()?);
        let [light, number, indestructible] = self.bytes()?;
        let reserved = u16::from_le_bytes(self.bytes()?);
        let kind = match number {
            1 => VoxelKind::Solid,
            2 => VoxelKind::Water,
            number => VoxelKind::Unknown(number),
        };
        Ok(Voxel {
            paint: (painted != 0).then(|| Paint::from_word(word)),
            extra: Extra { light, kind, indestructible, reserved, ..Extra::default() },
        })
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], EditError> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes).map_err(|_| EditError::BadClip { what: "it ends too soon", offset: self.offset })?;
        self.offset += N;
        Ok(bytes)
    }
}

/// The voxel of an index, z fastest, then x, then y. Indices lie below [`MAX_VOLUME`].
fn position(index: u64, size: IVec3) -> IVec3 {
    let index = index as i32;
    IVec3::new(index / size.z % size.x, index / size.z / size.x, index % size.z)
}
