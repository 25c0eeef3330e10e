//! Pictures that travel in commands: brightness or color, a pixel a column.
//!
//! As text a picture is base64 of `SWI`, a version byte, bytes a pixel (1 gray, 2 gray in 16 bits, 3 red
//! green blue, 4 those and 255, or 0 where it is clear), width and height as little-endian `u16`, and a deflated stream of the pixels by rows from the
//! north-west; 16-bit samples are little-endian.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};

use super::brush::in_range;
use super::{EditError, base64};
use crate::voxel::Rgb;

const MAGIC: &[u8; 3] = b"SWI";
const VERSION: u8 = 1;
const HEADER_BYTES: usize = 9;
/// Longest side in pixels.
const MAX_SIDE: u32 = 4096;
/// A sample of eight bits in sixteen: white stays white.
const WIDE: u16 = 257;

/// A picture in gray, 0 black to 65535 white. Cloning is cheap.
///
/// ```
/// use spadework::edit::GrayImage;
/// let image = GrayImage::new([2, 1], vec![0, 65535])?;
/// assert_eq!(image.at(1, 0), Some(65535));
/// assert_eq!(GrayImage::try_from(String::from(image.clone()))?, image);
/// # Ok::<(), spadework::edit::EditError>(())
/// ```
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GrayImage {
    // Invariant: each side is 1 to MAX_SIDE, and there are as many samples as pixels.
    size: [u32; 2],
    samples: Arc<[u16]>,
}

impl GrayImage {
    /// A picture from its samples, `[y][x]`.
    ///
    /// # Errors
    /// If a side is not 1 to 4096, or the number of samples is not that of the pixels.
    pub fn new(size: [u32; 2], samples: Vec<u16>) -> Result<Self, EditError> {
        check_size(size, samples.len())?;
        Ok(Self { size, samples: samples.into() })
    }

    /// Width and height.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The picture with no side longer than `most` pixels: where it is larger, means of squares of pixels.
    pub fn shrunk(&self, most: u32) -> Self {
        let (size, squares) = squares(self.size, most);
        let mean = |square: Vec<usize>| {
            let found: Vec<_> = square.into_iter().filter_map(|index| self.samples.get(index)).map(|sample| u64::from(*sample)).collect();
            mean(&found) as u16
        };
        Self { size, samples: squares.map(mean).collect() }
    }

    /// The sample of a pixel; `None` outside.
    pub fn at(&self, x: i32, y: i32) -> Option<u16> {
        self.samples.get(index(self.size, x, y)?).copied()
    }
}

impl fmt::Debug for GrayImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GrayImage({}×{})", self.size[0], self.size[1])
    }
}

impl From<GrayImage> for String {
    fn from(image: GrayImage) -> Self {
        let is_narrow = image.samples.iter().all(|sample| sample.is_multiple_of(WIDE));
        let bytes: Vec<u8> = if is_narrow {
            image.samples.iter().map(|sample| (sample / WIDE) as u8).collect()
        } else {
            image.samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
        };
        encode(image.size, if is_narrow { 1 } else { 2 }, &bytes)
    }
}

impl TryFrom<String> for GrayImage {
    type Error = EditError;

    fn try_from(text: String) -> Result<Self, EditError> {
        let (size, per_pixel, bytes) = decode(&text, &[1, 2])?;
        let samples = if per_pixel == 1 {
            bytes.iter().map(|byte| u16::from(*byte) * WIDE).collect()
        } else {
            bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect()
        };
        Self::new(size, samples)
    }
}

/// A picture in color, some of it clear. Cloning is cheap.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ColorImage {
    // Invariant: as of `GrayImage`.
    size: [u32; 2],
    /// `None` is clear.
    pixels: Arc<[Option<Rgb>]>,
}

impl ColorImage {
    /// A picture from its pixels, `[y][x]`.
    ///
    /// # Errors
    /// If a side is not 1 to 4096, or the number of pixels does not fit the sides.
    pub fn new(size: [u32; 2], pixels: Vec<Rgb>) -> Result<Self, EditError> {
        Self::with_clear(size, pixels.into_iter().map(Some).collect())
    }

    /// As [`new`](Self::new), with pixels of no color.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_clear(size: [u32; 2], pixels: Vec<Option<Rgb>>) -> Result<Self, EditError> {
        check_size(size, pixels.len())?;
        Ok(Self { size, pixels: pixels.into() })
    }

    /// Width and height.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The picture with no side longer than `most` pixels: where it is larger, means of squares of pixels, clear where most of them are.
    pub fn shrunk(&self, most: u32) -> Self {
        let (size, squares) = squares(self.size, most);
        let mean = |square: Vec<usize>| {
            let all = square.len();
            let colors = square.into_iter().filter_map(|index| *self.pixels.get(index)?);
            let found: Vec<_> = colors.map(Rgb::to_array).collect();
            let [r, g, b] = [0, 1, 2].map(|part| mean(&found.iter().map(|pixel| u64::from(pixel[part])).collect::<Vec<_>>()) as u8);
            (2 * found.len() >= all).then_some(Rgb::new(r, g, b))
        };
        Self { size, pixels: squares.map(mean).collect() }
    }

    /// The color of a pixel; `None` outside, and where it is clear.
    pub fn at(&self, x: i32, y: i32) -> Option<Rgb> {
        *self.pixels.get(index(self.size, x, y)?)?
    }
}

impl fmt::Debug for ColorImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ColorImage({}×{})", self.size[0], self.size[1])
    }
}

impl From<ColorImage> for String {
    fn from(image: ColorImage) -> Self {
        let is_clear = image.pixels.contains(&None);
        let pixel = |pixel: &Option<Rgb>| {
            let [r, g, b] = pixel.map_or([0; 3], Rgb::to_array);
            [r, g, b, if pixel.is_some() { u8::MAX } else { 0 }].into_iter().take(if is_clear { 4 } else { 3 })
        };
        let bytes: Vec<u8> = image.pixels.iter().flat_map(pixel).collect();
        encode(image.size, if is_clear { 4 } else { 3 }, &bytes)
    }
}

impl TryFrom<String> for ColorImage {
    type Error = EditError;

    fn try_from(text: String) -> Result<Self, EditError> {
        let (size, per_pixel, bytes) = decode(&text, &[3, 4])?;
        if per_pixel == 3 {
            return Self::new(size, bytes.as_chunks::<3>().0.iter().map(|[r, g, b]| Rgb::new(*r, *g, *b)).collect());
        }
        let pixel = |[r, g, b, opacity]: &[u8; 4]| (*opacity > 0).then_some(Rgb::new(*r, *g, *b));
        Self::with_clear(size, bytes.as_chunks::<4>().0.iter().map(pixel).collect())
    }
}

/// Divides a picture into squares so that no side has more than `most` of them: how many there are, and the pixels of
/// each by rows.
fn squares([width, height]: [u32; 2], most: u32) -> ([u32; 2], impl Iterator<Item = Vec<usize>>) {
    let side = width.max(height).div_ceil(most.max(1)).max(1);
    let size = [width.div_ceil(side), height.div_ceil(side)];
    let square = move |x: u32, y: u32| {
        let (columns, rows) = (x * side..((x + 1) * side).min(width), y * side..((y + 1) * side).min(height));
        rows.flat_map(|y| columns.clone().map(move |x| y as usize * width as usize + x as usize)).collect()
    };
    (size, (0..size[1]).flat_map(move |y| (0..size[0]).map(move |x| square(x, y))))
}

fn mean(parts: &[u64]) -> u64 {
    let count = parts.len().max(1) as u64;
    (parts.iter().sum::<u64>() + count / 2) / count
}

fn check_size(size: [u32; 2], found: usize) -> Result<(), EditError> {
    for side in size {
        in_range("side of the picture", i64::from(side), 1, i64::from(MAX_SIDE))?;
    }
    let count = i64::from(size[0]) * i64::from(size[1]);
    in_range("number of pixels", i64::try_from(found).unwrap_or(i64::MAX), count, count)
}

fn index(size: [u32; 2], x: i32, y: i32) -> Option<usize> {
    let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
    (x < size[0] && y < size[1]).then(|| y as usize * size[0] as usize + x as usize)
}

fn encode(size: [u32; 2], per_pixel: u8, pixels: &[u8]) -> String {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([VERSION, per_pixel]);
    for side in size {
        bytes.extend(u16::try_from(side).unwrap_or(0).to_le_bytes());
    }
    let mut out = DeflateEncoder::new(bytes, Compression::default());
    // Writing to memory does not fail.
    let written = out.write_all(pixels).and_then(|()| out.finish());
    base64::encode(&written.unwrap_or_default())
}

/// Size, bytes a pixel, and the pixels: exactly as many as the size says.
fn decode(text: &str, allowed: &[u8]) -> Result<([u32; 2], usize, Vec<u8>), EditError> {
    let bad = |what, offset| EditError::BadImage { what, offset };
    let bytes = base64::decode(text).map_err(|offset| bad("not base64", offset))?;
    let Some(([m0, m1, m2, version, per_pixel, w0, w1, h0, h1], stream)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Err(bad("it ends too soon", bytes.len()));
    };
    if [*m0, *m1, *m2] != *MAGIC {
        return Err(bad("it does not begin with SWI", 0));
    }
    if *version != VERSION {
        return Err(bad("its version is unknown", 3));
    }
    if !allowed.contains(per_pixel) {
        return Err(bad("it has another kind of pixels", 4));
    }
    let size = [[*w0, *w1], [*h0, *h1]].map(|side| u32::from(u16::from_le_bytes(side)));
    for side in size {
        in_range("side of the picture", i64::from(side), 1, i64::from(MAX_SIDE))?;
    }
    let length = size[0] as usize * size[1] as usize * usize::from(*per_pixel);
    let mut input = DeflateDecoder::new(stream);
    let mut pixels = Vec::new();
    let read = input.by_ref().take(length as u64).read_to_end(&mut pixels);
    if read.is_err() || pixels.len() != length {
        return Err(bad("it ends too soon", HEADER_BYTES + pixels.len()));
    }
    if input.read(&mut [0]).unwrap_or(1) != 0 {
        return Err(bad("something follows the last pixel", HEADER_BYTES + length));
    }
    Ok((size, usize::from(*per_pixel), pixels))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pictures_read_back_from_their_text(width in 1..9_u32, height in 1..9_u32, seed: u16, narrow: bool) {
            let sample = |index: u32| (index as u16).wrapping_mul(seed) / if narrow { WIDE } else { 1 } * if narrow { WIDE } else { 1 };
            let samples: Vec<u16> = (0..width * height).map(sample).collect();
            let image = GrayImage::new([width, height], samples).unwrap();
            prop_assert_eq!(&GrayImage::try_from(String::from(image.clone())).unwrap(), &image);
            let color = |index: u32| (narrow || index as u16 % 7 != seed % 7).then_some(Rgb::new(index as u8, seed as u8, 3));
            let image = ColorImage::with_clear([width, height], (0..width * height).map(color).collect()).unwrap();
            prop_assert_eq!(&ColorImage::try_from(String::from(image.clone())).unwrap(), &image);
        }

        #[test]
        fn damaged_pictures_are_refused_or_read_but_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
            let mut bytes = String::from(GrayImage::new([7, 5], (0..35).map(|index| index * 999).collect()).unwrap()).into_bytes();
            for (index, value) in flips {
                *index.get_mut(&mut bytes) = b"ABCDEFGHabcdefgh0123+/=="[usize::from(value) % 24];
            }
            GrayImage::try_from(String::from_utf8(bytes).unwrap()).ok();
        }
    }

    #[test]
    fn large_pictures_shrink_to_the_means_of_their_squares() {
        let image = GrayImage::new([3, 2], vec![0, 10, 100, 20, 30, 300]).unwrap();
        assert_eq!(image.shrunk(3), image);
        assert_eq!(image.shrunk(2), GrayImage::new([2, 1], vec![15, 200]).unwrap());
        let image = ColorImage::new([2, 1], vec![Rgb::new(0, 10, 255), Rgb::new(3, 20, 255)]).unwrap();
        assert_eq!(image.shrunk(1), ColorImage::new([1, 1], vec![Rgb::new(2, 15, 255)]).unwrap());
        let half = [Some(Rgb::new(4, 6, 8)), None, None, Some(Rgb::new(6, 8, 10)), None, None];
        let image = ColorImage::with_clear([6, 1], half.to_vec()).unwrap().shrunk(3);
        assert_eq!([0, 1, 2].map(|x| image.at(x, 0)), [half[0], half[3], None]);
        assert_eq!(GrayImage::new([4096, 3], vec![7; 4096 * 3]).unwrap().shrunk(256).size(), [256, 1]);
    }

    #[test]
    fn texts_that_are_cut_off_too_large_or_of_another_kind_are_refused() {
        let gray = String::from(GrayImage::new([3, 2], vec![1, 2, 3, 4, 5, 6]).unwrap());
        for end in 0..gray.len() {
            assert!(GrayImage::try_from(gray[..end].to_owned()).is_err(), "{end}");
        }
        assert!(ColorImage::try_from(gray).is_err());
        let huge = base64::encode(b"SWI\x01\x01\xff\xff\xff\xff");
        assert_eq!(GrayImage::try_from(huge).unwrap_err().to_string(), "side of the picture must be 1 to 4096, not 65535");
        // More pixels than there is room for.
        let long = encode([1, 1], 1, &[0; 100]);
        assert_eq!(
            GrayImage::try_from(long).unwrap_err().to_string(),
            "the picture is damaged: something follows the last pixel at byte 10"
        );
        assert!(GrayImage::new([0, 1], vec![]).is_err() && GrayImage::new([2, 2], vec![1]).is_err());
    }
}
