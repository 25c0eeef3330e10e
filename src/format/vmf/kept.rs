//! What a document keeps of the VMF file it was read from: the header, and how much is not kept.

use std::io;
use std::sync::Arc;

use byteorder::{LittleEndian as LE, ReadBytesExt as _, WriteBytesExt as _};

use super::header::Header;
use crate::document::{Options, Snapshot, SourceFile};

/// In [`SourceFile::bytes`]: the header's 91 or 107 bytes, then the two numbers as little-endian u64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) header: Header,
    /// Bytes after the last voxel.
    pub(super) tail_bytes: u64,
    /// Air voxels with bytes that are not 0.
    pub(super) air_not_zero: u64,
}

/// Bytes of the two numbers.
const COUNTS_BYTES: usize = 16;

impl Kept {
    /// What the snapshot keeps, if it was read from VMF.
    pub(super) fn of(snapshot: &Snapshot) -> Option<Self> {
        Self::of_source(snapshot.source.as_ref().filter(|source| source.format == super::ID)?)
    }

    /// What the source of a document says.
    pub(super) fn of_source(source: &SourceFile) -> Option<Self> {
        let (header, mut counts) = source.bytes.split_at_checked(source.bytes.len().checked_sub(COUNTS_BYTES)?)?;
        let header = Header::parse(header).ok()?;
        Some(Self { header, tail_bytes: counts.read_u64::<LE>().ok()?, air_not_zero: counts.read_u64::<LE>().ok()? })
    }

    /// As the source of a document.
    pub(super) fn to_source(&self, options: &Options) -> io::Result<Arc<SourceFile>> {
        let mut bytes = vec![];
        self.header.write(&mut bytes)?;
        bytes.write_u64::<LE>(self.tail_bytes)?;
        bytes.write_u64::<LE>(self.air_not_zero)?;
        Ok(Arc::new(SourceFile { format: super::ID, options: options.clone(), bytes: bytes.into() }))
    }
}
