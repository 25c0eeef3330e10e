//! The SHA-256 of a file's content: what names a state of a file in stamps, intents and journals.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::copy::{BLOCK, next_part};
use crate::format::Source;

/// SHA-256 of some bytes; 64 lower-case hexadecimal digits as text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash of a whole source, read in blocks.
    ///
    /// # Errors
    /// What the source fails with.
    pub fn of_source(source: &dyn Source) -> io::Result<Self> {
        let mut hasher = Sha256::new();
        let mut block = vec![0; BLOCK];
        let mut offset = 0;
        while let Some(part) = next_part(&mut block, offset, source) {
            source.read_at(offset, part)?;
            hasher.update(&*part);
            offset += part.len() as u64;
        }
        Ok(Self(hasher.finalize().into()))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 in hexadecimal")]
pub struct BadHash;

impl FromStr for ContentHash {
    type Err = BadHash;

    fn from_str(text: &str) -> Result<Self, BadHash> {
        let mut hash = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != hash.len() || !rest.is_empty() {
            return Err(BadHash);
        }
        for (byte, pair) in hash.iter_mut().zip(pairs) {
            let digit = |c: u8| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            *byte = digit(pair[0]).zip(digit(pair[1])).map(|(high, low)| high << 4 | low).ok_or(BadHash)?;
        }
        Ok(Self(hash))
    }
}

impl TryFrom<String> for ContentHash {
    type Error = BadHash;

    fn try_from(text: String) -> Result<Self, BadHash> {
        text.parse()
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.to_string()
    }
}

/// Passes bytes on to a writer and hashes those that it took.
#[derive(Debug)]
pub struct HashingWriter<W> {
    inner: W,
    hasher: Sha256,
    written: u64,
}

impl<W: Write> HashingWriter<W> {
    /// Hashes what `inner` takes.
    pub fn new(inner: W) -> Self {
        Self { inner, hasher: Sha256::new(), written: 0 }
    }

    /// The writer, the hash of all it took, and how many bytes that was.
    pub fn finish(self) -> (W, ContentHash, u64) {
        (self.inner, ContentHash(self.hasher.finalize().into()), self.written)
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.inner.write(bytes)?;
        self.hasher.update(bytes.get(..taken).unwrap_or(bytes));
        self.written += taken as u64;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::MemorySource;

    #[test]
    fn hashes_agree_however_the_bytes_come() {
        let bytes: Vec<u8> = (0..BLOCK + 17).map(|i| (i * 7) as u8).collect();
        let hash = ContentHash::of(&bytes);
        assert_eq!(ContentHash::of_source(&MemorySource(bytes.clone().into())).unwrap(), hash);
        let mut writer = HashingWriter::new(vec![]);
        bytes.chunks(1000).for_each(|part| writer.write_all(part).unwrap());
        assert_eq!(writer.finish(), (bytes.clone(), hash, bytes.len() as u64));
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!(ContentHash::of(b"abc").to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        for bad in ["", "12", &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(bad.parse::<ContentHash>(), Err(BadHash));
        }
    }
}
