//! VMF, the Voxel Map File of Ace of Spades 0.8: a header and eight bytes for every voxel of the box.
//!
//! The only source is one text, <https://github.com/SpadesX/aosprotocol/blob/master/VMFmapformat.md>.
//! What it leaves open is read tolerantly with warnings and written strictly: z points up in the file
//! (`z_vmf = Zsize − 1 − z`), x and y are as in VXL, team 2 has no place, air is all 0.
//!
//! Files reach 8.6 GB, so reading, writing and verifying stream; the document keeps the header only.
//! An unedited file comes back byte for byte where its air was 0 and nothing followed its voxels.
//! On reading every solid voxel has a known colour, also those that no one sees; formats that store
//! the surface only (VXL) leave the others out again.

mod decode;
mod encode;
mod header;
mod kept;
mod loss;
#[cfg(test)]
mod tests;
mod verify;
mod voxel;

use std::io::Write;
use std::sync::Arc;

use self::decode::{Decoder, Layout, Oddities};
use self::encode::{PROTECT_FLOOR, Rules, write_voxels};
use self::header::{HEADER_BYTES, Header, LONG_HEADER_BYTES, header_for};
use self::kept::{Kept, MAX_TAIL_BYTES};
use super::{Certainty, FormatError, MapFormat, OptionKind, OptionSpec, Report, Severity, Source};
use crate::document::{Document, GameProfile, Options, Progress, RULED_FLOOR, Snapshot, SourceFile, some};
use crate::voxel::Store;

const ID: &str = "vmf";

/// The plugin.
#[derive(Debug)]
pub struct Vmf;

impl MapFormat for Vmf {
    fn id(&self) -> &'static str {
        ID
    }

    fn label(&self) -> &'static str {
        "Ace of Spades 0.8 voxel map"
    }

    /// The file is streamed; what its chunks take is known as they are read, and [`read`](Self::read) looks at it.
    fn memory_needed(&self, _size_bytes: u64) -> u64 {
        0
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["vmf"]
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[OptionSpec {
            name: PROTECT_FLOOR,
            help: "Make the lowest layer, and solid voxels of the one above it, indestructible when saving",
            kind: OptionKind::Bool { default: false },
        }]
    }

    fn asked_when_saving(&self, _snapshot: &Snapshot) -> &'static [&'static str] {
        &["protect-floor"]
    }

    fn probe(&self, source: &dyn Source) -> Certainty {
        let sizes = source.head(HEADER_BYTES).ok().and_then(|head| Header::parse(&head).ok()).and_then(|header| header.voxel_bytes());
        let fits = |header: usize| sizes.is_some_and(|bytes| bytes > 0 && bytes.checked_add(header as u64) == Some(source.len()));
        // Whatever else it is, a file of that extension should fail with what is wrong in it.
        if fits(HEADER_BYTES) || fits(LONG_HEADER_BYTES) { Certainty::Sure } else { Certainty::Possible }
    }

    fn read(&self, source: &dyn Source, options: &Options, progress: &Progress, report: &mut Report) -> Result<Document, FormatError> {
        let (header, tail_bytes) = read_header(source)?;
        header.report(report);
        let layout = Layout { start: header.len(), bounds: header.bounds() };
        let mut store = Store::new(layout.bounds);
        let mut decoder = Decoder::new(source, layout);
        let count = layout.stack_count() as f32;
        for (done, stack) in layout.stacks().enumerate() {
            progress.report(done as f32 / count)?;
            check_memory(&store, (done as u64, layout.stack_count()), source.memory_limit())?;
            decoder.stack(stack, |pos, chunk| {
                store.put_chunk(pos, chunk);
                Ok(())
            })?;
        }
        check_memory(&store, (layout.stack_count(), layout.stack_count()), source.memory_limit())?;
        report_oddities(&decoder.oddities, report);
        let tail = read_tail(source, tail_bytes, report)?;
        let lost_tail_bytes = if tail.is_empty() { tail_bytes } else { 0 };
        let kept = Kept { tail, lost_tail_bytes, air_not_zero: decoder.oddities.air_not_zero, header };
        let mut document = Document::new(store, &GameProfile::ACE_OF_SPADES);
        document.metadata = Arc::new(kept.header.metadata());
        document.objects = Arc::new(kept.header.objects());
        document.source = Some(kept.to_source(options)?);
        if options.contains_key(RULED_FLOOR) {
            document.untell_kinds();
        }
        document.mark_opened();
        Ok(document)
    }

    fn tell_only_here(&self, source: &SourceFile, report: &mut Report) {
        if let Some(kept) = Kept::of_source(source) {
            loss::not_kept(&kept, true, report);
        }
    }

    fn least_size(&self, snapshot: &Snapshot) -> u64 {
        // Air is all zeros.
        snapshot.store().solid_count().saturating_mul(header::VOXEL_BYTES)
    }

    fn preflight(&self, snapshot: &Snapshot, options: &Options) -> Report {
        loss::losses(snapshot, options)
    }

    /// Repeats nothing that [`preflight`](Self::preflight) said.
    fn write(
        &self,
        snapshot: &Snapshot,
        sink: &mut dyn Write,
        options: &Options,
        progress: &Progress,
        _report: &mut Report,
    ) -> Result<(), FormatError> {
        let rules = Rules::of(snapshot, options)?;
        let header = header_of(snapshot)?;
        header.write(sink)?;
        write_voxels(snapshot, rules, sink, progress)?;
        sink.write_all(&tail_of(snapshot))?;
        Ok(())
    }

    fn verify(&self, snapshot: &Snapshot, written: &dyn Source, options: &Options, progress: &Progress) -> Result<(), FormatError> {
        let rules = Rules::of(snapshot, options)?;
        let (header, tail_bytes) = read_header(written)?;
        let at = snapshot.bounds().min();
        if header != header_of(snapshot)? {
            return Err(FormatError::Differs { at, what: "the header" });
        }
        let tail = tail_of(snapshot);
        // One that is too long to be kept is not read back, either.
        if tail_bytes != tail.len() as u64 || read_tail(written, tail_bytes, &mut Report::new())? != tail {
            return Err(FormatError::Differs { at, what: "bytes after the last voxel" });
        }
        verify::compare(snapshot, &header, rules, written, progress)
    }
}

/// Ends the reading of a map that takes more memory than it may; after so many stacks of all it is told what all would take.
fn check_memory(store: &Store, (done, all): (u64, u64), allowed: u64) -> Result<(), FormatError> {
    let taken = store.size_bytes() as u64;
    if taken <= allowed {
        return Ok(());
    }
    let needed = u128::from(taken) * u128::from(all) / u128::from(done.max(1));
    Err(FormatError::TooLarge { needed: u64::try_from(needed).unwrap_or(u64::MAX), allowed })
}

/// The header to write; what it cannot hold was told by the preflight.
fn header_of(snapshot: &Snapshot) -> Result<Header, FormatError> {
    let kept = Kept::of(snapshot);
    header_for(snapshot, kept.as_ref().map(|kept| &kept.header), &mut Report::new())
}

/// What follows the last voxel; nothing of what is too long to be kept.
fn read_tail(source: &dyn Source, tail_bytes: u64, report: &mut Report) -> Result<Vec<u8>, FormatError> {
    let at = source.len().saturating_sub(tail_bytes);
    if tail_bytes > MAX_TAIL_BYTES {
        let what = format!("{tail_bytes} bytes follow the last voxel, from byte {at}: they are too many, and saving does not keep them");
        report.push_count(Severity::Repair, "tail", what, tail_bytes);
        return Ok(vec![]);
    }
    let what = format!("{} the last voxel, from byte {at}; saving keeps them", some(tail_bytes, "byte follows", "bytes follow"));
    report.push_count(Severity::Guess, "tail", what, tail_bytes);
    let mut tail = vec![0; usize::try_from(tail_bytes).unwrap_or_default()];
    source.read_at(at, &mut tail)?;
    Ok(tail)
}

/// What is written after the last voxel.
fn tail_of(snapshot: &Snapshot) -> Vec<u8> {
    Kept::of(snapshot).map(|kept| kept.tail).unwrap_or_default()
}

/// The header, and the number of bytes that follow the last voxel.
fn read_header(source: &dyn Source) -> Result<(Header, u64), FormatError> {
    let length = source.len();
    if length < HEADER_BYTES as u64 {
        return Err(FormatError::Truncated { offset: length, needed: HEADER_BYTES as u64 });
    }
    let header = Header::parse(&source.head(HEADER_BYTES)?)?;
    header.check()?;
    let end = |header_bytes: usize| header.voxel_bytes().and_then(|bytes| bytes.checked_add(header_bytes as u64));
    if end(LONG_HEADER_BYTES) == Some(length) {
        return Ok((Header::parse(&source.head(LONG_HEADER_BYTES)?)?, 0));
    }
    // Beyond 64 bits no file is long enough, whatever it claims.
    let needed = end(HEADER_BYTES);
    let tail_bytes = needed.and_then(|needed| length.checked_sub(needed));
    let tail_bytes = tail_bytes.ok_or(FormatError::Truncated { offset: length, needed: needed.unwrap_or(u64::MAX) })?;
    Ok((header, tail_bytes))
}

fn report_oddities(odd: &Oddities, report: &mut Report) {
    let Oddities { air_not_zero, unknown_kind, odd_indestructible, reserved } = *odd;
    let have = |count: u64, kind: &str| some(count, &format!("{kind}voxel has"), &format!("{kind}voxels have"));
    let what = format!("{} bytes that are not 0: they are ignored, and saving does not keep them", have(air_not_zero, "air "));
    report.push_count(Severity::Info, "air-not-zero", what, air_not_zero);
    let what = format!("{} a type that the format does not name: shown as solid, and kept", have(unknown_kind, ""));
    report.push_count(Severity::Guess, "unknown-type", what, unknown_kind);
    let what = format!("{} an indestructible byte above 1, which is kept", have(odd_indestructible, ""));
    report.push_count(Severity::Guess, "odd-indestructible", what, odd_indestructible);
    let what = format!("{} reserved bytes that are not 0, which only a VMF keeps", have(reserved, ""));
    report.push_count(Severity::Info, "reserved", what, reserved);
}
