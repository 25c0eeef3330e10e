//! PNG pictures as brightness and color, one pixel a column. Knows nothing of maps.

use std::cell::Cell;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::sync::Arc;

use png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Transformations};

use crate::document::Progress;
use crate::format::png_palette::check_palette;
use crate::format::{FormatError, Source};
use crate::voxel::Rgb;

/// Longest side of a picture in pixels.
pub const MAX_PIXELS: u32 = 4096;
/// Largest file: four 16-bit samples a pixel of the largest picture, should they not shrink, and some room.
const MAX_BYTES: u64 = 160 << 20;
/// What the decoder may allocate for itself: rows and tables.
const DECODER_BYTES: usize = 64 << 20;

/// First bytes of every PNG file.
pub const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// A picture, row by row from the north-west.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width and height, each 1 to 4096.
    pub size: [u32; 2],
    /// Brightness: 0 is black, 65535 white. `[y][x]`.
    pub gray: Vec<u16>,
    /// How far apart two neighboring grays of the file are: 257 with eight bits a sample, 1 with sixteen.
    pub gray_step: u16,
    /// Color. `[y][x]`.
    pub colors: Vec<Rgb>,
    /// How much of each pixel covers what is behind it, 0 nothing to 65535 all. `[y][x]`; `None` if all pixels do.
    pub opacity: Option<Vec<u16>>,
}

/// Reads a PNG picture of 1 to 16 bits; colors have the brightness that the eye sees.
///
/// # Errors
/// If it is no PNG picture, damaged, cut off, or more than 4096 pixels wide or high.
pub fn read_picture(source: &dyn Source, progress: &Progress) -> Result<Picture, FormatError> {
    if source.len() > MAX_BYTES {
        return Err(FormatError::FileTooLarge { length: source.len(), most: MAX_BYTES });
    }
    let bytes = source.bytes()?;
    let length = bytes.len() as u64;
    let position = Rc::new(Cell::new(0));
    decode(Counted { bytes, position: position.clone() }, progress).map_err(|fault| match fault {
        Fault::Format(error) => error,
        Fault::Png(DecodingError::IoError(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
            FormatError::Truncated { offset: length, needed: length + 1 }
        }
        Fault::Png(reason) => FormatError::Picture { offset: position.get(), reason },
    })
}

enum Fault {
    Format(FormatError),
    Png(DecodingError),
}

impl From<DecodingError> for Fault {
    fn from(error: DecodingError) -> Self {
        Self::Png(error)
    }
}

fn decode(input: Counted, progress: &Progress) -> Result<Picture, Fault> {
    let mut decoder = Decoder::new_with_limits(input, Limits { bytes: DECODER_BYTES });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let (width, height) = decoder.read_header_info()?.size();
    for (offset, side) in [(16, width), (20, height)] {
        if !(1..=MAX_PIXELS).contains(&side) {
            let what = "the picture must be 1 to 4096 pixels wide and high";
            let found = side.into();
            return Err(Fault::Format(match side {
                0 => FormatError::BadValue { offset, what, found },
                _ => FormatError::OverLimit { offset, what, found },
            }));
        }
    }
    let mut reader = decoder.read_info()?;
    check_palette(reader.info()).map_err(Fault::Format)?;
    let (kind, depth) = reader.output_color_type();
    // At most 4096 × 4096 pixels of eight bytes.
    let mut samples = vec![0; reader.output_buffer_size().unwrap_or(0)];
    progress.check().map_err(|cancelled| Fault::Format(cancelled.into()))?;
    reader.next_frame(&mut samples)?;
    // Reads on to the end, so that a cut-off file is noticed.
    reader.finish()?;

    let (per_pixel, wide) = (kind.samples(), depth == BitDepth::Sixteen);
    let count = width as usize * height as usize;
    let mut picture = Picture {
        size: [width, height],
        gray: Vec::with_capacity(count),
        gray_step: if wide { 1 } else { 257 },
        colors: Vec::with_capacity(count),
        opacity: matches!(kind, ColorType::GrayscaleAlpha | ColorType::Rgba).then(|| Vec::with_capacity(count)),
    };
    for pixel in samples.chunks_exact(per_pixel * if wide { 2 } else { 1 }) {
        let sample = |index: usize| match (wide, pixel.get(index), pixel.get(2 * index..)) {
            (false, Some(&byte), _) => u16::from(byte) * 257,
            (true, _, Some([high, low, ..])) => u16::from_be_bytes([*high, *low]),
            _ => 0,
        };
        let [r, g, b] = match kind {
            ColorType::Grayscale | ColorType::GrayscaleAlpha => [sample(0); 3],
            ColorType::Rgb | ColorType::Rgba | ColorType::Indexed => [sample(0), sample(1), sample(2)],
        };
        picture.gray.push(brightness(r, g, b));
        if let Some(opacity) = &mut picture.opacity {
            opacity.push(sample(per_pixel - 1));
        }
        picture.colors.push(Rgb::new((r >> 8) as u8, (g >> 8) as u8, (b >> 8) as u8));
    }
    if picture.gray.len() == count {
        Ok(picture)
    } else {
        Err(Fault::Format(FormatError::Unsupported { what: "this kind of PNG picture" }))
    }
}

/// Luma of Rec. 709; of equal parts it is that part.
fn brightness(r: u16, g: u16, b: u16) -> u16 {
    let sum = 2126 * u32::from(r) + 7152 * u32::from(g) + 722 * u32::from(b);
    u16::try_from((sum + 5000) / 10_000).unwrap_or(u16::MAX)
}

/// The bytes of a file that tells how far it was read.
struct Counted {
    bytes: Arc<[u8]>,
    position: Rc<Cell<u64>>,
}

impl Counted {
    fn rest(&self) -> &[u8] {
        let at = usize::try_from(self.position.get()).unwrap_or(usize::MAX);
        self.bytes.get(at..).unwrap_or_default()
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.rest().read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.rest())
    }

    fn consume(&mut self, count: usize) {
        self.position.set(self.position.get().saturating_add(count as u64));
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(by) => self.position.get().checked_add_signed(by),
            SeekFrom::End(by) => (self.bytes.len() as u64).checked_add_signed(by),
        };
        let target = target.ok_or(io::ErrorKind::InvalidInput)?;
        self.position.set(target);
        Ok(target)
    }
}
