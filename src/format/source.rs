//! Where a plugin reads from: random access to bytes of known length.

use std::io;
use std::sync::Arc;

/// Bytes of known length that can be read anywhere. Files and memory alike.
pub trait Source: Send + Sync {
    /// Length in bytes.
    fn len(&self) -> u64;

    /// Whether there is nothing.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills the buffer from `offset`.
    ///
    /// # Errors
    /// `UnexpectedEof` if the bytes end before the buffer is full, or what the storage fails with.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Memory that what is read may take, in bytes. Who learns only while reading how much that is looks at it on the way.
    fn memory_limit(&self) -> u64 {
        u64::MAX
    }

    /// All bytes. The caller has looked at [`len`](Self::len) first.
    ///
    /// # Errors
    /// What the storage fails with.
    fn bytes(&self) -> io::Result<Arc<[u8]>> {
        let length = usize::try_from(self.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut bytes = vec![0; length];
        self.read_at(0, &mut bytes)?;
        Ok(bytes.into())
    }

    /// The first bytes, at most `limit`.
    ///
    /// # Errors
    /// What the storage fails with.
    fn head(&self, limit: usize) -> io::Result<Vec<u8>> {
        let mut head = vec![0; usize::try_from(self.len()).unwrap_or(limit).min(limit)];
        self.read_at(0, &mut head)?;
        Ok(head)
    }
}

/// A folder that an option names: whoever calls the plugin reads it, and the plugin knows what is where.
pub trait Folder {
    /// What is in a folder below this one, named as `inner/folder`.
    ///
    /// # Errors
    /// `NotFound` if there is none, or what the storage fails with.
    fn list(&self, path: &str) -> io::Result<Vec<FolderEntry>>;

    /// All bytes of a file below this folder, named as `folder/file.png`.
    ///
    /// # Errors
    /// `NotFound` if there is none, or what the storage fails with.
    fn read(&self, path: &str) -> io::Result<Arc<[u8]>>;
}

/// A file or folder within a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name, without the folders above it.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// A source in memory.
#[derive(Clone, Debug)]
pub struct MemorySource(pub Arc<[u8]>);

impl Source for MemorySource {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let end = start.checked_add(buffer.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(self.0.get(start..end).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn bytes(&self) -> io::Result<Arc<[u8]>> {
        Ok(self.0.clone())
    }
}
