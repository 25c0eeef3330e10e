//! What a document keeps of the VMF file it was read from: the header, what follows the voxels, and how much is not kept.

use std::io;
use std::sync::Arc;

use byteorder::{LittleEndian as LE, ReadBytesExt as _, WriteBytesExt as _};

use super::header::Header;
use crate::document::{Options, Snapshot, SourceFile};

/// In [`SourceFile::bytes`]: three little-endian u64 (the two numbers, and the header's length), the header's 91 or 107 bytes,
/// then the tail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) header: Header,
    /// What follows the last voxel, up to [`MAX_TAIL_BYTES`]: nobody knows what it says, and it is written again.
    pub(super) tail: Vec<u8>,
    /// Bytes after the last voxel that are too many to keep.
    pub(super) lost_tail_bytes: u64,
    /// Air voxels with bytes that are not 0.
    pub(super) air_not_zero: u64,
}

/// Most bytes after the last voxel that are kept, in memory: none of a longer tail is.
pub(super) const MAX_TAIL_BYTES: u64 = 16 << 20;

impl Kept {
    /// What the snapshot keeps, if it was read from VMF.
    pub(super) fn of(snapshot: &Snapshot) -> Option<Self> {
        Self::of_source(snapshot.source.as_ref().filter(|source| source.format == super::ID)?)
    }

    /// What the source of a document says.
    pub(super) fn of_source(source: &SourceFile) -> Option<Self> {
        let mut rest = &*source.bytes;
        let (lost_tail_bytes, air_not_zero) = (rest.read_u64::<LE>().ok()?, rest.read_u64::<LE>().ok()?);
        let (header, tail) = usize::try_from(rest.read_u64::<LE>().ok()?).ok().and_then(|length| rest.split_at_checked(length))?;
        Some(Self { header: Header::parse(header).ok()?, tail: tail.to_vec(), lost_tail_bytes, air_not_zero })
    }

    /// As the source of a document.
    pub(super) fn to_source(&self, options: &Options) -> io::Result<Arc<SourceFile>> {
        let mut bytes = vec![];
        for number in [self.lost_tail_bytes, self.air_not_zero, self.header.len()] {
            bytes.write_u64::<LE>(number)?;
        }
        self.header.write(&mut bytes)?;
        bytes.extend(&self.tail);
        Ok(Arc::new(SourceFile { format: super::ID, options: options.clone(), bytes: bytes.into(), tells_kinds: true, last_entity: None }))
    }
}
