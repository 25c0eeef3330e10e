//! PNG pictures of a map from above, a pixel a column, north up: a plan, heights, colors.
//!
//! Written row by row, so that no picture is held in memory.

use std::io::Write;

use super::super::{FormatError, OptionKind, OptionSpec, Report, Severity, losses};
use super::options::flag;
use super::solids::sorted_chunks;
use super::{Export, tell_dropped, tell_failure};
use crate::document::{Options, Progress, Snapshot, grouped};
use crate::mesh::DIRT;
use crate::voxel::{CHUNK_COLUMNS, Rgb, tops_of_row};

/// Longest side of a picture in pixels: what most programs open.
const MOST_PIXELS: i32 = 32_767;
/// What a column without voxels looks like.
const NOTHING: Rgb = Rgb::new(0, 0, 0);
/// How dark the lowest layer of a shaded plan is.
const LOWEST_LIGHT: f32 = 0.6;
/// How much one voxel of slope to the north-west changes the light, and the steepest that counts.
const SLOPE_LIGHT: f32 = 0.06;
const STEEPEST: i32 = 3;

const SHADE: OptionSpec = OptionSpec {
    name: "shade",
    help: "Darken what lies low, and light slopes from the north-west",
    kind: OptionKind::Bool { default: true },
};
const STRETCH: OptionSpec = OptionSpec {
    name: "stretch",
    help: "Spread the heights of the map over all greys, for looking at; else a grey is a height",
    kind: OptionKind::Bool { default: false },
};
const DEEP: OptionSpec = OptionSpec {
    name: "deep",
    help: "16 bits a pixel; maps of more than 256 layers take them anyway",
    kind: OptionKind::Bool { default: false },
};

/// A plan: the color of each column's topmost voxel, shaded by height.
#[derive(Debug)]
pub(super) struct Top;
/// Heights: the grey of a pixel is how many layers lie below its column's topmost voxel, in a map of 64 layers `63 - z`.
#[derive(Debug)]
pub(super) struct Height;
/// The color of each column's topmost voxel and nothing else: what goes with a heightmap.
#[derive(Debug)]
pub(super) struct Color;

impl Export for Top {
    fn id(&self) -> &'static str {
        "top"
    }

    fn label(&self) -> &'static str {
        "Top view (PNG)"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["png"]
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[SHADE]
    }

    fn preflight(&self, snapshot: &Snapshot, options: &Options) -> Report {
        let mut report = Report::new();
        tell_dropped(snapshot, "a picture", |_| false, &mut report);
        losses::shades(snapshot, &mut report);
        tell_below(snapshot, &mut report);
        tell_failure(check_size(snapshot).and_then(|_| flag(options, &SHADE)).map(drop), &mut report);
        report
    }

    fn write(
        &self,
        snapshot: &Snapshot,
        sink: &mut dyn Write,
        options: &Options,
        progress: &Progress,
        _report: &mut Report,
    ) -> Result<(), FormatError> {
        let shaded = flag(options, &SHADE)?;
        let (top, bottom) = (snapshot.bounds().min().z, snapshot.bounds().max().z);
        let layers = bottom.saturating_sub(top).max(1) as f32;
        let mut north: Vec<Option<Column>> = vec![];
        write_rows(snapshot, sink, png::ColorType::Rgb, png::BitDepth::Eight, progress, |row, bytes| {
            for (x, column) in row.iter().enumerate() {
                let color = column.map_or(NOTHING, |column| column.color.unwrap_or(DIRT.rgb));
                let light = match column {
                    Some(column) if shaded => {
                        // z grows downwards: a larger z to the north-west is lower ground.
                        let before = x.checked_sub(1).and_then(|west| *north.get(west)?).map_or(column.z, |other| other.z);
                        let slope = before.saturating_sub(column.z).clamp(-STEEPEST, STEEPEST) as f32;
                        let height = bottom.saturating_sub(column.z) as f32 / layers;
                        LOWEST_LIGHT + (1.0 - LOWEST_LIGHT) * height + SLOPE_LIGHT * slope
                    }
                    _ => 1.0,
                };
                bytes.extend(color.to_array().map(|value| (f32::from(value) * light).round().clamp(0.0, 255.0) as u8));
            }
            north = row;
        })
    }
}

/// The topmost voxel of a column.
type Column = crate::voxel::Top;

impl Export for Height {
    fn id(&self) -> &'static str {
        "height"
    }

    fn label(&self) -> &'static str {
        "Heightmap (PNG)"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["png"]
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[STRETCH, DEEP]
    }

    fn preflight(&self, snapshot: &Snapshot, options: &Options) -> Report {
        let mut report = Report::new();
        tell_dropped(snapshot, "a picture", |_| false, &mut report);
        let fits = check_size(snapshot).and_then(|()| Greys::of(snapshot, options).map(drop));
        if fits.is_ok() {
            tell_hollows(snapshot, &mut report);
            tell_colorless(snapshot, &mut report);
        }
        tell_failure(fits, &mut report);
        report
    }

    fn write(
        &self,
        snapshot: &Snapshot,
        sink: &mut dyn Write,
        options: &Options,
        progress: &Progress,
        _report: &mut Report,
    ) -> Result<(), FormatError> {
        check_size(snapshot)?;
        let greys = Greys::of(snapshot, options)?;
        let depth = if greys.deep { png::BitDepth::Sixteen } else { png::BitDepth::Eight };
        write_rows(snapshot, sink, png::ColorType::Grayscale, depth, progress, |row, bytes| {
            for column in row {
                let [high, low] = greys.of_column(column).to_be_bytes();
                if greys.deep {
                    bytes.push(high);
                }
                bytes.push(low);
            }
        })
    }
}

impl Export for Color {
    fn id(&self) -> &'static str {
        "color"
    }

    fn label(&self) -> &'static str {
        "Colors for a heightmap (PNG)"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["png"]
    }

    fn preflight(&self, snapshot: &Snapshot, _options: &Options) -> Report {
        let mut report = Report::new();
        tell_dropped(snapshot, "a picture", |_| false, &mut report);
        losses::shades(snapshot, &mut report);
        tell_below(snapshot, &mut report);
        tell_failure(check_size(snapshot), &mut report);
        report
    }

    fn write(
        &self,
        snapshot: &Snapshot,
        sink: &mut dyn Write,
        _options: &Options,
        progress: &Progress,
        _report: &mut Report,
    ) -> Result<(), FormatError> {
        write_rows(snapshot, sink, png::ColorType::Rgb, png::BitDepth::Eight, progress, |row, bytes| {
            let color = |column: Option<Column>| column.map_or(NOTHING, |column| column.color.unwrap_or(DIRT.rgb));
            bytes.extend(row.into_iter().flat_map(|column| color(column).to_array()));
        })
    }
}

fn check_size(snapshot: &Snapshot) -> Result<(), FormatError> {
    let size = snapshot.bounds().size();
    let fits = |side: i32| (1..=MOST_PIXELS).contains(&side);
    if fits(size.x) && fits(size.y) {
        Ok(())
    } else {
        Err(FormatError::DoesNotFit { size, rule: "a picture has 1 to 32,767 columns a side" })
    }
}

/// Encodes the rows of the map from the north on; `fill` appends the bytes of a row's pixels.
fn write_rows(
    snapshot: &Snapshot,
    sink: &mut dyn Write,
    color: png::ColorType,
    depth: png::BitDepth,
    progress: &Progress,
    mut fill: impl FnMut(Vec<Option<Column>>, &mut Vec<u8>),
) -> Result<(), FormatError> {
    check_size(snapshot)?;
    let bounds = snapshot.bounds();
    let size = bounds.size();
    let mut encoder = png::Encoder::new(sink, size.x.unsigned_abs(), size.y.unsigned_abs());
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == png::ColorType::Rgb {
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    }
    let mut writer = encoder.write_header().map_err(failed)?;
    let mut stream = writer.stream_writer().map_err(failed)?;
    let mut bytes = vec![];
    for y in bounds.min().y..bounds.max().y {
        progress.report((y - bounds.min().y) as f32 / size.y as f32)?;
        bytes.clear();
        fill(tops_of_row(snapshot.store(), y), &mut bytes);
        stream.write_all(&bytes)?;
    }
    stream.finish().map_err(failed)
}

fn failed(error: png::EncodingError) -> FormatError {
    FormatError::Io(error.into())
}

/// How heights become greys.
struct Greys {
    deep: bool,
    stretch: bool,
    /// z below the lowest layer.
    bottom: i32,
    /// Height of the highest layer.
    highest: u16,
}

impl Greys {
    fn of(snapshot: &Snapshot, options: &Options) -> Result<Self, FormatError> {
        let (deep, stretch) = (flag(options, &DEEP)?, flag(options, &STRETCH)?);
        let size = snapshot.bounds().size();
        let Ok(highest) = u16::try_from(size.z.saturating_sub(1).max(0)) else {
            return Err(FormatError::DoesNotFit { size, rule: "a heightmap has at most 65,536 layers" });
        };
        Ok(Self { deep: deep || highest > u16::from(u8::MAX), stretch, bottom: snapshot.bounds().max().z, highest })
    }

    fn of_column(&self, column: Option<Column>) -> u16 {
        let height = column.map_or(0, |column| self.bottom.saturating_sub(1).saturating_sub(column.z));
        let height = u16::try_from(height).unwrap_or(0);
        if !self.stretch || self.highest == 0 {
            return height;
        }
        let white = u32::from(if self.deep { u16::MAX } else { u16::from(u8::MAX) });
        // Heights reach `highest`, so that the result is at most `white`.
        u16::try_from(u32::from(height) * white / u32::from(self.highest)).unwrap_or(u16::MAX)
    }
}

/// What is not seen from above: colors under the topmost voxel.
fn tell_below(snapshot: &Snapshot, report: &mut Report) {
    let mut below = 0_u64;
    let chunks = sorted_chunks(snapshot.store());
    for stack in chunks.chunk_by(|(a, _), (b, _)| a.0.with_z(0) == b.0.with_z(0)) {
        for column in 0..CHUNK_COLUMNS {
            let mut is_under = false;
            for (_, chunk) in stack {
                let (solid, known) = (chunk.solid()[column], chunk.known()[column]);
                below += u64::from(known.count_ones());
                if !is_under && solid != 0 {
                    is_under = true;
                    below -= u64::from(known >> solid.trailing_zeros() & 1);
                }
            }
        }
    }
    let message = match below {
        1 => "The color of 1 voxel under the topmost of its column is not in the picture".to_owned(),
        _ => format!("The colors of {} voxels under the topmost of their column are not in the picture", grouped(below)),
    };
    report.push_count(Severity::Loss, "colors-below", message, below);
}

/// That heights have no colors.
fn tell_colorless(snapshot: &Snapshot, report: &mut Report) {
    let known = snapshot.store().chunks().map(|(_, chunk)| u64::from(chunk.known_count())).sum();
    let message = match known {
        1 => "The color of 1 voxel is not in the picture: the export of colors goes with it".to_owned(),
        _ => format!("The colors of {} voxels are not in the picture: the export of colors goes with it", grouped(known)),
    };
    report.push_count(Severity::Loss, "colors", message, known);
}

/// What heights do not hold: air under the topmost voxel, and columns of air.
fn tell_hollows(snapshot: &Snapshot, report: &mut Report) {
    let bounds = snapshot.bounds();
    let (mut hollow, mut filled) = (0_u64, 0_u64);
    let chunks = sorted_chunks(snapshot.store());
    for stack in chunks.chunk_by(|(a, _), (b, _)| a.0.with_z(0) == b.0.with_z(0)) {
        for column in 0..CHUNK_COLUMNS {
            let masks = stack.iter().map(|(pos, chunk)| (pos.origin().z, chunk.solid()[column])).filter(|(_, mask)| *mask != 0);
            let (mut top, mut solid) = (None, 0);
            for (z, mask) in masks {
                top.get_or_insert(z + mask.trailing_zeros() as i32);
                solid += mask.count_ones();
            }
            if let Some(top) = top {
                filled += 1;
                hollow += u64::from(bounds.max().z.abs_diff(top) != solid);
            }
        }
    }
    let message = format!("{} columns have air under their topmost voxel, which heights cannot tell", grouped(hollow));
    report.push_count(Severity::Loss, "hollow-columns", message, hollow);
    let empty = bounds.columns().area().saturating_sub(filled);
    let message = format!("{} columns without a voxel are written as if their lowest voxel were solid", grouped(empty));
    report.push_count(Severity::Loss, "empty-columns", message, empty);
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::document::{Document, GameProfile, OptionValue};
    use crate::geom::Region;
    use crate::voxel::{Store, StoreEdit, Voxel};

    /// Columns from the west: one voxel each at these heights; `None` is air.
    fn map(depth: i32, heights: &[Option<i32>]) -> Document {
        let bounds = Region::of_size(IVec3::new(i32::try_from(heights.len()).unwrap(), 2, depth)).shifted(IVec3::new(-2, 5, 3));
        let mut store = Store::new(bounds);
        let mut edit = StoreEdit::new(&store);
        for (x, z) in heights.iter().enumerate().filter_map(|(x, z)| Some((x as i32, (*z)?))) {
            edit.set(bounds.min() + IVec3::new(x, 0, z), Some(Voxel::new(Rgb::new(100, 50, x as u8))));
        }
        let changes = edit.finish();
        store.apply(&changes);
        Document::new(store, &GameProfile::FREE)
    }

    #[test]
    fn colors_under_the_topmost_voxel_are_told() {
        let mut map = map(64, &[Some(1), None, Some(40)]);
        let told = |map: &Document| {
            let reports = [&Top as &dyn Export, &Color].map(|export| export.preflight(map, &Options::new()));
            reports.map(|report| report.warnings.iter().find(|warning| warning.code == "colors-below").map(|warning| warning.count))
        };
        assert_eq!(told(&map), [None, None]);
        // Below it, in the chunk of the topmost voxel and in the next; one that nobody knows the color of does not count.
        let mut edit = StoreEdit::new(map.store());
        for (z, voxel) in [(2, Voxel::new(Rgb::new(1, 2, 3))), (50, Voxel::new(Rgb::new(1, 2, 3))), (51, Voxel::HIDDEN)] {
            edit.set(map.bounds().min() + IVec3::new(0, 0, z), Some(voxel));
        }
        let changes = edit.finish();
        map.store_mut(0).unwrap().apply(&changes);
        assert_eq!(told(&map), [Some(2), Some(2)]);
    }

    /// Width, height, bits, and the samples of the first row.
    fn read(export: &dyn Export, map: &Document, options: &[(&str, bool)]) -> (u32, u32, u8, Vec<u16>) {
        let options = options.iter().map(|(name, value)| ((*name).to_owned(), OptionValue::Bool(*value))).collect();
        let mut bytes = vec![];
        export.write(map, &mut bytes, &options, &Progress::new(), &mut Report::new()).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut samples = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut samples).unwrap();
        samples.truncate(info.line_size);
        let deep = info.bit_depth == png::BitDepth::Sixteen;
        let samples = if deep {
            samples.chunks_exact(2).map(|two| u16::from_be_bytes([two[0], two[1]])).collect()
        } else {
            samples.into_iter().map(u16::from).collect()
        };
        (info.width, info.height, if deep { 16 } else { 8 }, samples)
    }

    #[test]
    fn a_grey_is_the_height_above_the_lowest_layer() {
        let game = map(64, &[Some(0), Some(62), Some(63), None]);
        assert_eq!(read(&Height, &game, &[]), (4, 2, 8, vec![63, 1, 0, 0]));
        assert_eq!(read(&Height, &game, &[("deep", true)]), (4, 2, 16, vec![63, 1, 0, 0]));
        assert_eq!(read(&Height, &game, &[("stretch", true)]).3, [255, 4, 0, 0]);
        assert_eq!(read(&Height, &map(300, &[Some(0), Some(299)]), &[]), (2, 2, 16, vec![299, 0]));
        let report = Height.preflight(&game, &Options::new());
        let told: Vec<_> = report.warnings.iter().map(|warning| (warning.code, warning.count)).collect();
        assert_eq!(told, [("hollow-columns", 2), ("empty-columns", 5), ("colors", 3)]);
    }

    #[test]
    fn colors_are_those_of_the_topmost_voxels() {
        let game = map(64, &[Some(60), None, Some(63)]);
        assert_eq!(read(&Color, &game, &[]), (3, 2, 8, vec![100, 50, 0, 0, 0, 0, 100, 50, 2]));
        assert_eq!(read(&Top, &game, &[("shade", false)]), read(&Color, &game, &[]));
    }

    #[test]
    fn shading_darkens_what_lies_low() {
        let shaded = read(&Top, &map(64, &[Some(0), Some(32), Some(63)]), &[]).3;
        assert_eq!((shaded[0], shaded[6]), (100, 61));
        assert!(shaded[0] > shaded[3] && shaded[3] > shaded[6], "{shaded:?}");
    }
}
