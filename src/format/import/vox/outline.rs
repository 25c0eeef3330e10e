//! A strict look over the chunks of a `.vox` file before the decoder sees it: every length against the bytes
//! that are there, every count against its limit, with offsets.
//!
//! ```text
//! "VOX " version, then chunks: id (4 letters), bytes of content, bytes of children, content, children
//! MAIN holds all others: SIZE and XYZI for each model, RGBA, nTRN nGRP nSHP (the scene), LAYR, MATL, …
//! ```

use super::super::volume::{MAX_VOXELS, check_count, too_short, u32_at};
use crate::format::{FormatError, Report, Severity};

const HEADER_BYTES: usize = 8;
const CHUNK_HEADER_BYTES: usize = 12;
const PALETTE_BYTES: usize = 1024;
/// Longest side of a model: a coordinate is a byte.
const MAX_MODEL_SIDE: u32 = 256;
/// Most chunks of a file; real ones have a few thousand.
const MAX_CHUNKS: usize = 1 << 18;
/// Most bytes of scene, layers and materials: in memory they take more than ten times as much.
const MAX_SCENE_BYTES: usize = 16 << 20;

/// What a file holds, in its order.
#[derive(Debug, Default)]
pub struct Outline {
    /// Number of models.
    pub models: usize,
    /// Id and offset of each node of the scene.
    pub nodes: Vec<(u32, u64)>,
    /// Id of each layer.
    pub layers: Vec<u32>,
    voxels: u64,
    scene_bytes: usize,
    size: Option<[u32; 3]>,
}

/// Looks over the file.
pub fn outline(bytes: &[u8], report: &mut Report) -> Result<Outline, FormatError> {
    if u32_at(bytes, 0)?.to_le_bytes() != *b"VOX " {
        return Err(bad(0, "a MagicaVoxel file begins with VOX", u32_at(bytes, 0)?.into()));
    }
    u32_at(bytes, 4)?;
    let main = Fields { bytes, at: HEADER_BYTES, end: bytes.len() };
    let (id, _, children) = main.chunk()?;
    if id != *b"MAIN" {
        return Err(bad(HEADER_BYTES, "the first chunk must be MAIN", u32::from_le_bytes(id).into()));
    }
    if children.end < bytes.len() {
        let rest = bytes.len() - children.end;
        report.push_count(Severity::Guess, "trailing-bytes", "bytes after the last chunk were left out", rest as u64);
    }
    let mut outline = Outline::default();
    let mut fields = children;
    let mut chunks = 0;
    while fields.at < fields.end {
        let start = fields.at;
        let (id, content, inner) = fields.chunk()?;
        chunks += 1;
        if chunks > MAX_CHUNKS {
            return Err(FormatError::OverLimit { offset: start as u64, what: "a file has at most 262144 chunks", found: chunks as i64 });
        }
        if inner.at < inner.end {
            return Err(bad(start + 8, "only MAIN may hold other chunks", (inner.end - inner.at) as i64));
        }
        fields.at = inner.end;
        outline.add(id, content, start)?;
    }
    if outline.models == 0 {
        return Err(FormatError::Unsupported { what: "a MagicaVoxel file without models" });
    }
    Ok(outline)
}

impl Outline {
    fn add(&mut self, id: [u8; 4], mut content: Fields<'_>, start: usize) -> Result<(), FormatError> {
        let length = content.end - content.at;
        if matches!(&id, b"nTRN" | b"nGRP" | b"nSHP" | b"LAYR" | b"MATL") {
            self.scene_bytes += length;
            if self.scene_bytes > MAX_SCENE_BYTES {
                return Err(bad(start, "scene, layers and materials are larger than 16 MiB", self.scene_bytes as i64));
            }
        }
        match &id {
            b"SIZE" => {
                let mut size = [0; 3];
                for side in &mut size {
                    let offset = content.at;
                    *side = content.number()?;
                    if !(1..=MAX_MODEL_SIDE).contains(side) {
                        return Err(bad(offset, "a side of a model must be 1 to 256 voxels", (*side).into()));
                    }
                }
                self.size = Some(size);
            }
            b"XYZI" => self.add_model(content, start)?,
            b"RGBA" if length != PALETTE_BYTES => return Err(bad(start + 4, "a palette has 1024 bytes", length as i64)),
            b"nTRN" => {
                self.nodes.push((content.number()?, start as u64));
                content.dictionary()?;
                content.skip(3)?;
                content.list(Fields::dictionary)?;
            }
            b"nGRP" => {
                self.nodes.push((content.number()?, start as u64));
                content.dictionary()?;
                content.list(|fields| fields.skip(1))?;
            }
            b"nSHP" => {
                self.nodes.push((content.number()?, start as u64));
                content.dictionary()?;
                content.list(|fields| fields.skip(1).and_then(|()| fields.dictionary()))?;
            }
            b"LAYR" => {
                self.layers.push(content.number()?);
                content.dictionary()?;
                content.skip(1)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn add_model(&mut self, mut content: Fields<'_>, start: usize) -> Result<(), FormatError> {
        let Some(size) = self.size.take() else { return Err(bad(start, "voxels without the size of their model", 0)) };
        let offset = content.at;
        let count = content.number()?;
        let voxels = content.bytes.get(content.at..content.end).unwrap_or_default();
        if u64::from(count) > MAX_VOXELS.min(voxels.len() as u64 / 4) {
            return Err(bad(offset, "a model has more voxels than its chunk", count.into()));
        }
        self.voxels += u64::from(count);
        check_count(offset as u64, self.voxels)?;
        for (index, voxel) in voxels.chunks_exact(4).take(count as usize).enumerate() {
            let [x, y, z, color] = [0, 1, 2, 3].map(|part| voxel.get(part).copied().unwrap_or(0));
            let at = content.at + 4 * index;
            if [x, y, z].iter().zip(size).any(|(part, side)| u32::from(*part) >= side) {
                return Err(bad(at, "a voxel lies outside its model", u32::from_le_bytes([x, y, z, 0]).into()));
            }
            if color == 0 {
                return Err(bad(at + 3, "a voxel has the color of air", 0));
            }
        }
        self.models += 1;
        Ok(())
    }
}

fn bad(offset: usize, what: &'static str, found: i64) -> FormatError {
    FormatError::BadValue { offset: offset as u64, what, found }
}

/// Part of the file that is read field by field.
#[derive(Clone, Copy, Debug)]
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Fields<'a> {
    /// Id, content and children of the chunk that begins here.
    fn chunk(self) -> Result<([u8; 4], Self, Self), FormatError> {
        let begin = self.at;
        let header = self.part(begin, CHUNK_HEADER_BYTES)?;
        let [id, content, children] = [0, 4, 8].map(|offset| u32_at(self.bytes, begin + offset));
        let id = id?.to_le_bytes();
        if !id.iter().all(u8::is_ascii_graphic) {
            return Err(bad(begin, "the name of a chunk is four letters", u32::from_le_bytes(id).into()));
        }
        let content = self.part(header.end, content? as usize)?;
        let children = self.part(content.end, children? as usize)?;
        Ok((id, content, children))
    }

    fn part(self, at: usize, length: usize) -> Result<Self, FormatError> {
        match at.checked_add(length) {
            Some(end) if end <= self.end => Ok(Self { at, end, ..self }),
            Some(end) if self.end == self.bytes.len() => Err(too_short(self.bytes, end as u64)),
            _ => Err(bad(at, "it is longer than the chunk that it is in", i64::try_from(length).unwrap_or(i64::MAX))),
        }
    }

    fn number(&mut self) -> Result<u32, FormatError> {
        let part = self.part(self.at, 4)?;
        self.at = part.end;
        u32_at(self.bytes, part.at)
    }

    fn skip(&mut self, numbers: usize) -> Result<(), FormatError> {
        self.at = self.part(self.at, 4 * numbers)?.end;
        Ok(())
    }

    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), FormatError>) -> Result<(), FormatError> {
        // A count beyond the bytes ends at the first item that is not there.
        for _ in 0..self.number()? {
            item(self)?;
        }
        Ok(())
    }

    fn dictionary(&mut self) -> Result<(), FormatError> {
        self.list(|fields| {
            fields.string()?;
            fields.string()
        })
    }

    fn string(&mut self) -> Result<(), FormatError> {
        let length = self.number()? as usize;
        let part = self.part(self.at, length)?;
        let text = self.bytes.get(part.at..part.end).unwrap_or_default();
        if let Err(error) = std::str::from_utf8(text) {
            return Err(bad(part.at + error.valid_up_to(), "a text is not UTF-8", length as i64));
        }
        self.at = part.end;
        Ok(())
    }
}
