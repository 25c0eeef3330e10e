//! Temporary files whose long runs of zeros are left out on the disk: a map of mostly air takes the room of its voxels only.

use std::fs::File;
use std::io::{self, Seek as _, Write};
use std::path::Path;

use super::FileWriter;
use crate::format::Source;

/// Bytes that are compared with zeros at once: as much as disks leave out.
const BLOCK_BYTES: usize = 4096;
/// Shortest run of zeros that is left out: shorter ones are written faster.
const HOLE_BYTES: usize = 16 * BLOCK_BYTES;
const ZEROS: [u8; BLOCK_BYTES] = [0; BLOCK_BYTES];

/// A file that is written from its beginning to its end.
#[derive(Debug)]
pub(super) struct SparseFile {
    file: File,
    /// Whether its last bytes are zeros that were left out.
    ends_in_hole: bool,
}

impl SparseFile {
    /// Of an empty file.
    pub(super) fn new(file: File) -> Self {
        Self { file, ends_in_hole: false }
    }

    /// Gives the file its length where its last bytes were left out.
    fn close_hole(&mut self) -> io::Result<()> {
        if self.ends_in_hole {
            let length = self.file.stream_position()?;
            self.file.set_len(length)?;
            self.ends_in_hole = false;
        }
        Ok(())
    }
}

impl Write for SparseFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let is_zero = |block: &&[u8]| ZEROS.starts_with(block);
        let zeros: usize = buffer.chunks(BLOCK_BYTES).take_while(is_zero).map(<[u8]>::len).sum();
        if zeros < HOLE_BYTES {
            let written = self.file.write(buffer)?;
            self.ends_in_hole &= written == 0;
            return Ok(written);
        }
        // No buffer is that long.
        self.file.seek_relative(i64::try_from(zeros).map_err(io::Error::other)?)?;
        self.ends_in_hole = true;
        Ok(zeros)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.close_hole()?;
        self.file.flush()
    }
}

impl FileWriter for SparseFile {
    fn sync(&mut self) -> io::Result<()> {
        self.close_hole()?;
        self.file.sync()
    }

    fn len_now(&self) -> io::Result<u64> {
        self.file.len_now()
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        self.file.is_at(path)
    }

    fn read_back(&self) -> io::Result<Box<dyn Source>> {
        self.file.read_back()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written_wherever_zeros_lie() {
        let folder = tempfile::tempdir().unwrap();
        let some = |length: usize| vec![7_u8; length];
        let none = |length: usize| vec![0_u8; length];
        for (index, parts) in [
            vec![none(1 << 20)],
            vec![some(1), none(1 << 20), some(5)],
            vec![none(1 << 20), some(1), none(HOLE_BYTES), none(HOLE_BYTES - 1)],
            vec![none(HOLE_BYTES - 1), some(3), none(3)],
            vec![[none(HOLE_BYTES + 5), some(1)].concat(), [some(1), none(HOLE_BYTES)].concat()],
            vec![],
        ]
        .into_iter()
        .enumerate()
        {
            let path = folder.path().join(index.to_string());
            let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
            let mut sparse = SparseFile::new(file);
            parts.iter().for_each(|part| sparse.write_all(part).unwrap());
            sparse.sync().unwrap();
            assert_eq!(sparse.len_now().unwrap(), parts.concat().len() as u64, "{index}");
            assert!(sparse.read_back().unwrap().bytes().unwrap()[..] == parts.concat(), "{index}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn long_runs_of_zeros_take_no_room() {
        use std::os::unix::fs::MetadataExt as _;
        let file = tempfile::tempfile().unwrap();
        let mut sparse = SparseFile::new(file);
        (0..64).for_each(|_| sparse.write_all(&[0; 1 << 18]).unwrap());
        sparse.write_all(b"end").unwrap();
        sparse.sync().unwrap();
        let metadata = sparse.file.metadata().unwrap();
        assert_eq!(metadata.len(), (64 << 18) + 3);
        assert!(metadata.blocks() * 512 < 1 << 20, "{} blocks", metadata.blocks());
    }
}
