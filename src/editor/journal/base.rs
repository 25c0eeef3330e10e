//! The copy of what a journal's steps start from, which lies beside it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{JournalError, ORIGIN, Origin};
use crate::document::{Document, ObjectId, OptionValue, Options, Progress, RULED_FLOOR};
use crate::editor::files::{Opened, Overwrite, SIZE, SaveError, SaveOptions, Saved, Stamps, save_map, sidecar_path};
use crate::editor::storage::{ContentHash, Storage, StorageAction, StorageError, StoredPath, copy_file, replace_file};
use crate::format::{Sidecar, map_format, sidecar};

/// Id of the format that holds what others cannot.
pub(in crate::editor) const ROOMY_FORMAT: &str = "vmf";

/// Most bytes of a file beside a map that are looked at.
const MOST_BYTES_BESIDE: u64 = 256 << 20;

/// Codes of reports that say of a format that what is known of some voxels is another thing in the file.
const INEXACT: [&str; 4] = ["hidden-colors", "guessed-colors", FLOOR_ADDED, "shade"];
const FLOOR_ADDED: &str = "floor-added";

/// Where the steps of a map start from.
#[derive(Debug)]
pub enum JournalBase {
    /// A map that was opened: its files are copied.
    Opened {
        /// The map's file, to copy where `bytes` are not kept.
        file: Option<PathBuf>,
        /// Id of the format.
        format: &'static str,
        /// Options that it was read with.
        options: Options,
        /// The whole file, as it was read; `None` copies the file, for formats that keep less.
        bytes: Option<Arc<[u8]>>,
        /// What the file held when it was read.
        hash: Option<ContentHash>,
        /// The sidecars that were read with it: ending of the name, content.
        sidecars: Vec<(&'static str, Arc<[u8]>)>,
    },
    /// A map that was made: it is saved beside the journal.
    Made {
        /// Id of the format; another one is taken where it cannot hold the map.
        format: &'static str,
        /// The map.
        document: Box<Document>,
        /// Whether it came from a recovery snapshot alone: the copy gives its objects other numbers.
        of_snapshot: bool,
    },
    /// A map that came from a recovery snapshot alone: the copies of a file that its objects' ids are from, and the map as it is.
    OfSnapshot {
        /// What to copy.
        base: Box<JournalBase>,
        /// The map.
        origin: OriginMap,
        /// Whether the copies give objects the ids that the map knows.
        is_numbered: bool,
        /// The map's file that they are of, if they are of one.
        of: Option<PathBuf>,
    },
}

/// A map to be kept as it is, and what makes the bytes of a snapshot of it.
#[derive(Debug)]
pub struct OriginMap {
    /// The map.
    pub document: Box<Document>,
    /// Makes the snapshot.
    pub encode: fn(&Document) -> io::Result<Vec<u8>>,
}

impl JournalBase {
    /// The base of a map that was opened just now.
    pub fn of_opened(opened: &Opened, map: &Path) -> Self {
        let (document, stamp) = (&opened.document, opened.stamps.get(map));
        // Formats that stream keep the head of the file only.
        let is_whole = |bytes: &Arc<[u8]>| stamp.is_some_and(|stamp| stamp.len == bytes.len() as u64);
        let bytes = document.source.as_ref().map(|source| source.bytes.clone()).filter(is_whole);
        let options = document.source.as_ref().map(|source| source.options.clone()).unwrap_or_default();
        let suffix = |id| sidecar(id).map(Sidecar::suffix);
        let sidecars = document.sidecars.iter().filter_map(|file| Some((suffix(file.sidecar)?, file.bytes.clone()))).collect();
        Self::Opened { file: Some(map.into()), format: opened.format, options, bytes, hash: stamp.map(|stamp| stamp.hash), sidecars }
    }

    /// The last id that an object of the map was given, if the copies do not tell.
    pub(super) fn last_object(&self) -> Option<ObjectId> {
        match self {
            Self::Opened { .. } => Some(ObjectId::default()),
            Self::Made { document, .. } => document.objects.last_id(),
            Self::OfSnapshot { origin, .. } => origin.document.objects.last_id(),
        }
    }

    /// Writes the copies beside the journal; answers format, options and what was written, the map first.
    pub(super) fn copy(&self, storage: &dyn Storage, journal: &Path) -> Result<Copied, JournalError> {
        let target = journal.with_extension("base");
        let name = |path: &Path| StoredPath(path.file_name().unwrap_or_default().into());
        match self {
            Self::Opened { file, format, options, bytes, hash: expected, sidecars } => {
                let hash = match (bytes, file.as_deref()) {
                    (Some(bytes), _) => {
                        replace_file(storage, &target, bytes)?;
                        ContentHash::of(bytes)
                    }
                    (None, Some(file)) => copy_file(storage, file, &target)?,
                    (None, None) => return Err(JournalError::NothingToCopy),
                };
                let mut files = vec![(name(&target), hash)];
                if expected.is_some_and(|expected| expected != hash) {
                    return Err(JournalError::BaseChanged);
                }
                for (suffix, bytes) in sidecars {
                    let copy = sidecar_path(&target, suffix);
                    replace_file(storage, &copy, bytes)?;
                    files.push((name(&copy), ContentHash::of(bytes)));
                }
                let (of_snapshot, origin) = (false, None);
                Ok(Copied { format, options: options.clone(), files, of_snapshot, origin, uncopied: vec![], is_other_format: false })
            }
            Self::Made { format, document, of_snapshot } => Copied::save(storage, &target, format, document, *of_snapshot),
            Self::OfSnapshot { base, origin, is_numbered, of } => {
                let mut copied = base.copy(storage, journal)?;
                let path = journal.with_extension(ORIGIN);
                let bytes = (origin.encode)(&origin.document).map_err(StorageError::at(StorageAction::Write, &path))?;
                replace_file(storage, &path, &bytes)?;
                copied.files.push((name(&path), ContentHash::of(&bytes)));
                copied.of_snapshot = true;
                copied.origin = Some(Origin { file: name(&path), is_numbered: *is_numbered, of: of.as_deref().map(StoredPath::from) });
                Ok(copied)
            }
        }
    }
}

/// Saves a map that was made in a format that holds just what is known of each voxel, where there is one; answers what it is to be
/// read with. One of a snapshot keeps its format where that can hold it: its file is to be saved in it, and the snapshot that is
/// written at once has what the copy cannot say.
fn save_made(
    storage: &dyn Storage,
    document: &Document,
    target: &Path,
    format: &str,
    of_snapshot: bool,
) -> Result<(Saved, Options), SaveError> {
    let save = |format: &str, options: &Options| {
        let (format, options) = (Some(format.into()), options.clone());
        // What somebody wrote by hand is kept of a file that came with the map.
        let keep_foreign_sidecars = of_snapshot;
        let options = SaveOptions { format, options, overwrite: Overwrite::Always, keep_foreign_sidecars, ..SaveOptions::default() };
        save_map(storage, document, target, &options, &Progress::new())
    };
    let tells = |saved: &Saved, codes: &[&str]| saved.report.warnings.iter().any(|warning| codes.contains(&warning.code));
    let (size, mut options) = (document.bounds().size(), Options::new());
    if size.x != size.y && map_format(format).is_some_and(|format| format.options().iter().any(|option| option.name == SIZE)) {
        options.insert(SIZE.into(), OptionValue::Text(format!("{}x{}", size.x, size.y)));
    }
    // What the file has to say of the floor is not what the map says.
    let read_with = |saved: Saved, mut options: Options| {
        if saved.format == ROOMY_FORMAT && !document.tells_kinds() {
            options.insert(RULED_FLOOR.into(), OptionValue::Bool(true));
        }
        Ok((saved, options))
    };
    let own = match save(format, &options) {
        Ok(saved) if of_snapshot || !tells(&saved, &INEXACT) => return read_with(saved, options),
        Err(error) if !matches!(error, SaveError::Format { .. }) => return Err(error),
        own => own,
    };
    let roomy = match (save(ROOMY_FORMAT, &Options::new()), own) {
        (Ok(roomy), Ok(own)) if tells(&roomy, &INEXACT) && !tells(&own, &[FLOOR_ADDED]) => {
            // Neither holds it all: that one keeps what can be seen, and is smaller.
            return read_with(save(own.format, &options)?, options);
        }
        // A file that was not written left the one before it.
        (Err(_), Ok(own)) => return read_with(own, options),
        (roomy, _) => roomy?,
    };
    read_with(roomy, Options::new())
}

/// What was copied.
pub(super) struct Copied {
    pub(super) format: &'static str,
    pub(super) options: Options,
    pub(super) files: Vec<(StoredPath, ContentHash)>,
    pub(super) of_snapshot: bool,
    pub(super) origin: Option<Origin>,
    /// Endings of files that came with the map and that the copies say nothing of, or not all: what stands in those is nobody's but theirs who
    /// wrote it.
    pub(super) uncopied: Vec<&'static str>,
    /// Whether the copy is in another format than the map's file, which may hold what this one does not say.
    pub(super) is_other_format: bool,
}

impl Copied {
    fn save(
        storage: &dyn Storage,
        target: &Path,
        format: &'static str,
        document: &Document,
        of_snapshot: bool,
    ) -> Result<Self, JournalError> {
        let (saved, options) = save_made(storage, document, target, format, of_snapshot)?;
        let name = |path: &Path| StoredPath(path.file_name().unwrap_or_default().into());
        let mut files: Vec<_> = saved.stamps.0.iter().map(|(path, stamp)| (name(path), stamp.hash)).collect();
        files.sort_by_key(|(file, _)| file.0.extension() != Some("base".as_ref()));
        let read = document.sidecars.iter().filter_map(|file| Some((sidecar(file.sidecar)?, &file.bytes)));
        let is_copied = |(sidecar, bytes): &(&dyn Sidecar, &Arc<[u8]>)| {
            let path = sidecar_path(target, sidecar.suffix());
            let copy = saved.stamps.get(&path).and_then(|_| storage.read(&path, MOST_BYTES_BESIDE).ok());
            // What somebody wrote by hand into it, and the copy does not say, would be lost with the next save.
            copy.is_some_and(|copy| !of_snapshot || *copy == ***bytes || sidecar.keeps_handwriting(bytes, &copy))
        };
        let read = read.filter(|(sidecar, _)| sidecar.goes_along());
        let uncopied = read.filter(|file| !is_copied(file)).map(|(sidecar, _)| sidecar.suffix()).collect();
        let is_other_format = of_snapshot && saved.format != format;
        Ok(Self { format: saved.format, options, files, of_snapshot, origin: None, uncopied, is_other_format })
    }

    /// Takes out the files of the map that the copies say nothing of.
    pub(super) fn forget_uncopied(&self, stamps: &mut Stamps) {
        let is_uncopied = |file: &Path| self.uncopied.iter().any(|suffix| file.to_string_lossy().ends_with(suffix));
        stamps.0.retain(|file, _| !self.is_other_format && !is_uncopied(file));
    }
}
