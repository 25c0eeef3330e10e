//! A tiny map format and two sidecars, so that files can be tested without the real ones.

use std::io::Write;
use std::sync::Arc;

use glam::IVec3;

use super::super::Plugins;
use crate::document::{Document, GameProfile, Metadata, Options, Progress, Property, Snapshot, SourceFile};
use crate::format::{Certainty, FormatError, MapFormat, Report, Sidecar, Source};
use crate::geom::Region;
use crate::voxel::{CHUNK_EDGE, ChunkPos, DenseChunk, Rgb, Store, Voxel};

/// `DOTS` and then three bytes for each solid voxel, in order.
pub(super) struct Dots {
    id: &'static str,
    extensions: &'static [&'static str],
}

/// A property on one line: `name: …`. A file that begins with `def` is somebody's script.
pub(super) struct Line {
    id: &'static str,
    suffix: &'static str,
    superseded_by: Option<&'static str>,
    get: fn(&Metadata) -> Option<&String>,
    set: fn(Option<String>) -> Property,
}

pub(super) const PLUGINS: Plugins = Plugins {
    formats: &[&Dots { id: "dots", extensions: &["dots"] }, &Dots { id: "spots", extensions: &["spots"] }],
    sidecars: &[
        &Line { id: "old", suffix: ".old", superseded_by: Some("author"), get: |m| m.author.as_ref(), set: Property::Author },
        &Line { id: "author", suffix: ".author", superseded_by: None, get: |m| m.author.as_ref(), set: Property::Author },
        &Line { id: "name", suffix: ".name", superseded_by: None, get: |m| m.name.as_ref(), set: Property::Name },
    ],
};

impl MapFormat for Dots {
    fn id(&self) -> &'static str {
        self.id
    }

    fn label(&self) -> &'static str {
        "Map of dots"
    }

    fn extensions(&self) -> &'static [&'static str] {
        self.extensions
    }

    fn probe(&self, source: &dyn Source) -> Certainty {
        let starts = source.head(4).is_ok_and(|head| head.eq_ignore_ascii_case(&self.id.as_bytes()[..4]));
        if starts { Certainty::Sure } else { Certainty::No }
    }

    fn read(&self, source: &dyn Source, options: &Options, progress: &Progress, _: &mut Report) -> Result<Document, FormatError> {
        let bytes = source.bytes()?;
        progress.check()?;
        let (dots, rest) = bytes[4..].as_chunks::<3>();
        if !rest.is_empty() {
            return Err(FormatError::Truncated { offset: source.len(), needed: source.len() + 3 - rest.len() as u64 });
        }
        let mut dense = DenseChunk::empty();
        for &[x, y, z] in dots {
            dense.set(usize::from(y) * CHUNK_EDGE + usize::from(x), u32::from(z), Some(Voxel::new(Rgb::new(1, 2, 3))));
        }
        let mut store = Store::new(Region::of_size(IVec3::new(32, 32, 64)));
        store.put_chunk(ChunkPos(IVec3::ZERO), dense.pack_or_air());
        let mut document = Document::new(store, &GameProfile::ACE_OF_SPADES);
        document.source =
            Some(Arc::new(SourceFile { format: self.id, options: options.clone(), bytes, tells_kinds: false, last_entity: None }));
        Ok(document)
    }

    fn preflight(&self, _: &Snapshot, _: &Options) -> Report {
        Report::new()
    }

    fn write(
        &self,
        snapshot: &Snapshot,
        sink: &mut dyn Write,
        _: &Options,
        progress: &Progress,
        _: &mut Report,
    ) -> Result<(), FormatError> {
        sink.write_all(&self.id.to_uppercase().as_bytes()[..4])?;
        for pos in Region::of_size(IVec3::splat(32)).positions().filter(|pos| snapshot.store().is_solid(*pos)) {
            progress.check()?;
            sink.write_all(&pos.to_array().map(|part| part as u8))?;
        }
        Ok(())
    }

    fn verify(&self, snapshot: &Snapshot, written: &dyn Source, options: &Options, progress: &Progress) -> Result<(), FormatError> {
        let decoded = self.read(written, options, progress, &mut Report::new())?;
        let same = snapshot.store().solid_count() == decoded.store().solid_count();
        if same { Ok(()) } else { Err(FormatError::Differs { at: IVec3::ZERO, what: "the count" }) }
    }
}

impl Sidecar for Line {
    fn id(&self) -> &'static str {
        self.id
    }

    fn label(&self) -> &'static str {
        "line"
    }

    fn suffix(&self) -> &'static str {
        self.suffix
    }

    fn accompanies(&self) -> &'static [&'static str] {
        if self.id == "name" { &["dots", "spots"] } else { &["dots"] }
    }

    fn made_when_missing(&self, _: &str) -> bool {
        self.id == "name"
    }

    fn superseded_by(&self) -> Option<&'static str> {
        self.superseded_by
    }

    fn apply(&self, bytes: &[u8], document: &mut Document, _: &mut Report) -> Result<(), FormatError> {
        let text = std::str::from_utf8(bytes).map_err(|_| FormatError::Syntax { line: 1, column: 1, expected: "text" })?;
        let value = text.trim_end().strip_prefix("= ").map(str::to_owned);
        Arc::make_mut(&mut document.metadata).set((self.set)(value));
        Ok(())
    }

    fn write(&self, snapshot: &Snapshot, previous: Option<&[u8]>, _: &mut Report) -> Result<Option<Vec<u8>>, FormatError> {
        let now = (self.get)(&snapshot.metadata);
        if now == (self.get)(&snapshot.opened.metadata) && previous.is_some() {
            return Ok(previous.map(<[u8]>::to_vec));
        }
        if previous.is_some_and(|bytes| bytes.starts_with(b"def")) {
            return Err(FormatError::ForeignScript { line: 1, what: "the name", wanted: String::new() });
        }
        Ok(now.map(|now| format!("= {now}\n").into_bytes()).or_else(|| previous.map(|_| vec![])))
    }
}
