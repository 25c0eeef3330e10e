//! Opening: bytes → format → sidecars → document.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::completing::{complete_saves, is_being_put_in_place, records_of};
use super::folder::with_folders_read;
use super::older::is_of_other;
use super::places::{claim_folders, folders_of_map, names_of_map};
use super::standing::glance;
use super::{CLAIM_PAUSE, CLAIM_TRIES, LENIENT, OpenError, Plugins, SIZE, Stamp, Stamps, lies_there, shown_name, sidecar_path};
use crate::document::{Document, OptionValue, Options, Progress, SidecarSource};
use crate::editor::storage::{ContentHash, Storage, StorageAction, StorageError};
use crate::format::{
    FormatError, MOST_SIDECAR_BYTES, MapFormat, Report, SPAWN_GUESSED, Severity, Sidecar, Source, Warning, recognize_among,
};

/// Memory that a map may take where nobody says otherwise, in bytes.
pub const DEFAULT_MEMORY_LIMIT: u64 = 2 << 30;
/// Largest sidecar that is read; real ones have a few thousand bytes.
pub(super) const SIDECAR_LIMIT: u64 = MOST_SIDECAR_BYTES as u64;
/// Code of a warning about a file beside a map whose bytes could not be had: it does not go along to another place.
pub const SIDECAR_NOT_READ: &str = "sidecar-not-read";
/// Code of a warning about a file beside a map that is damaged.
const SIDECAR_UNREADABLE: &str = "sidecar-unreadable";
/// Code of a warning: what became of a save that was interrupted.
pub const INTERRUPTED_SAVE: &str = "interrupted-save";
/// Code of a warning: somebody changed the files as often as they were read.
const CHANGED_WHILE_READ: &str = "changed-while-read";

/// Whether a warning says that a map and the files beside it may not belong together, or that one of them was not read.
pub fn makes_set_doubtful(warning: &Warning) -> bool {
    matches!(warning.code, SIDECAR_NOT_READ | SIDECAR_UNREADABLE | INTERRUPTED_SAVE | CHANGED_WHILE_READ)
        && warning.severity >= Severity::Problem
}
/// Times that the files of a map are read that somebody else writes meanwhile, the last time with the folder claimed.
const READ_TRIES: usize = 5;
/// First bytes of an unknown file that the error shows.
const HEAD_BYTES: usize = 8;

/// How to open a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    /// Id of the format; `None` looks at the content and the extension.
    pub format: Option<String>,
    /// Options of the format.
    pub options: Options,
    /// Options by format id that count where `options` has none. What cannot be read of them is told, and the map opens without.
    pub settings: BTreeMap<String, Options>,
    /// Memory that the map may take, in bytes: as far as its file's size tells, and while it is read; also the largest file that may be held as a whole.
    pub memory_limit: u64,
    /// Files beside the map that are not read.
    pub without: Vec<PathBuf>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { format: None, options: Options::new(), settings: BTreeMap::new(), memory_limit: DEFAULT_MEMORY_LIMIT, without: vec![] }
    }
}

impl OpenOptions {
    /// Options that read a map of a size that nothing in it says.
    pub fn sized(size: String) -> Self {
        Self { options: [(SIZE.to_owned(), OptionValue::Text(size))].into(), ..Self::default() }
    }

    /// Options that read what is left of a damaged map.
    pub fn lenient() -> Self {
        Self { options: [(LENIENT.to_owned(), OptionValue::Bool(true))].into(), ..Self::default() }
    }
}

/// A map that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The map.
    pub document: Document,
    /// Id of its format.
    pub format: &'static str,
    /// What was guessed, repaired or kept aside.
    pub report: Report,
    /// The files that were read, for noticing changes by others.
    pub stamps: Stamps,
}

/// Opens a map and the sidecars beside it.
///
/// A save of a map in that folder that was interrupted is completed or taken back before; one that goes on is waited for. A sidecar
/// that cannot be read is reported and stays as it is; the map opens without it.
///
/// # Errors
/// If the map cannot be read or understood, its save does not end within ten seconds, or the work is cancelled.
pub fn open_map(storage: &dyn Storage, path: &Path, options: &OpenOptions, progress: &Progress) -> Result<Opened, OpenError> {
    open_with(Plugins::ALL, storage, path, options, progress)
}

pub(super) fn open_with(
    plugins: Plugins,
    storage: &dyn Storage,
    path: &Path,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Opened, OpenError> {
    let (mut settled, names, folders) = (Report::new(), names_of_map(storage, path), folders_of_map(storage, path));
    for tries in 1.. {
        // Somebody saves all the time: the last time, nobody does until all is read.
        let mut claims = None;
        let may_read = || {
            if tries == READ_TRIES {
                claims = claim_folders(storage, &folders)?.ok();
            }
            Ok(claims.is_some() || (tries < READ_TRIES && !is_being_put_in_place(storage, path)))
        };
        // Others that have the folder all the time, for other maps, are in the way of nobody.
        if !wait_for_save(progress, may_read)? && (tries < READ_TRIES || is_being_put_in_place(storage, path)) {
            break;
        }
        let is_claimed = claims.is_some();
        let claimed = if is_claimed { folders.as_slice() } else { &[] };
        let mut left = vec![];
        let completed = || {
            let found: Vec<_> = folders.iter().map(|folder| complete_saves(storage, folder, claimed)).collect();
            let is_busy = found.iter().any(|found| found.is_busy_with(&names));
            left = found.iter().flat_map(|found| found.left.iter().cloned()).collect();
            for interrupted in found.into_iter().flat_map(|found| found.outcomes) {
                let told = interrupted.to_string();
                if settled.warnings.iter().all(|warning| warning.message != told) {
                    settled.push(interrupted.severity(), INTERRUPTED_SAVE, told);
                }
            }
            Ok(!is_busy)
        };
        // Somebody may save in another folder in which files of the set lie.
        if !wait_for_save(progress, completed)? {
            break;
        }
        let opened = read_set(plugins, storage, path, options, progress)?;
        // In this order: a save that this look does not see begins after all was read, or ended before, and then a file is another one.
        // One that was killed meanwhile left its record.
        let is_new = |record: &PathBuf| !left.contains(record);
        let is_being_saved = !is_claimed && (is_being_put_in_place(storage, path) || records_of(storage, &names).iter().any(is_new));
        let is_whole = !is_being_saved && is_as_read(plugins, storage, path, options, &opened);
        if is_whole || tries == READ_TRIES {
            if !is_whole {
                let message =
                    "the map or a file beside it was changed while it was read, again and again: look whether they belong together";
                settled.push(Severity::Problem, CHANGED_WHILE_READ, message);
            }
            settled.extend(opened.report);
            return Ok(Opened { report: settled, ..opened });
        }
        progress.check()?;
    }
    Err(OpenError::BeingSaved { path: path.into() })
}

/// Waits until the files of a map may be read; answers whether they may, after ten seconds at most.
fn wait_for_save(progress: &Progress, mut may_read: impl FnMut() -> Result<bool, StorageError>) -> Result<bool, OpenError> {
    let begun = Instant::now();
    while !may_read()? {
        if begun.elapsed() > CLAIM_PAUSE * CLAIM_TRIES {
            return Ok(false);
        }
        std::thread::sleep(CLAIM_PAUSE);
        progress.check()?;
    }
    Ok(true)
}

/// Whether the files that were read are as they were, and no other one came beside the map.
fn is_as_read(plugins: Plugins, storage: &dyn Storage, map: &Path, options: &OpenOptions, opened: &Opened) -> bool {
    let known = || opened.stamps.0.iter().filter(|(_, stamp)| !stamp.is_unknown());
    let is_same = |(path, stamp): (&PathBuf, &Stamp)| storage.info(path).is_ok_and(|info| stamp.is_of(&info));
    // What cannot be looked at any more was read.
    let holds = |(path, stamp): (&PathBuf, &Stamp)| is_same((path, stamp)) || stamp.still_holds(storage, path).unwrap_or(true);
    let now = || known().map(|(path, _)| glance(storage, path)).collect::<Vec<_>>();
    // Others with the same content stand for what was read where all of them do at one moment: between two saves each may come back.
    let is_as_it_was = || {
        let before = now();
        known().all(holds) && now() == before
    };
    let beside = plugins.sidecars_of(opened.format).map(|sidecar| (sidecar, sidecar_path(map, sidecar.suffix())));
    let mut beside = beside.filter(|(sidecar, path)| !is_of_other(plugins, storage, map, *sidecar, path)).map(|(_, path)| path);
    let is_new = |path: PathBuf| {
        let is_known = path == map || options.without.contains(&path) || opened.stamps.get(&path).is_some();
        !is_known && storage.exists(&path).unwrap_or(false)
    };
    (known().all(is_same) || is_as_it_was()) && !beside.any(is_new)
}

/// Reads the files of a map as they are, one after the other.
fn read_set(plugins: Plugins, storage: &dyn Storage, path: &Path, options: &OpenOptions, progress: &Progress) -> Result<Opened, OpenError> {
    let mut report = Report::new();
    let info = storage.info(path)?;
    let source = LimitedSource { inner: storage.open(path)?, limit: options.memory_limit };
    let format = find_format(plugins, &source, path, options)?;
    let in_file = |reason| match OpenError::format(path, Some(format.id()), reason) {
        OpenError::Format { path, format: id, reason, .. } => {
            OpenError::Format { path, format: id, reason, mendable: format.can_mend(&source) }
        }
        error => error,
    };
    // More memory would be of no use for one that is not read with that either.
    if source.len() > format.max_bytes() {
        return Err(in_file(FormatError::FileTooLarge { length: source.len(), most: format.max_bytes() }));
    }
    // Before anything is read: a machine without memory left stops everything else, too.
    let needed = format.memory_needed(source.len());
    if needed > options.memory_limit {
        return Err(in_file(FormatError::TooLarge { needed, allowed: options.memory_limit }));
    }
    let format_options = format_options(storage, format, options, &mut report)?;
    let mut document = format.read(&source, &format_options, progress, &mut report).map_err(|reason| in_file(source.explain(reason)))?;
    progress.check()?;
    let hash = match &document.source {
        Some(file) if file.bytes.len() as u64 == source.len() => ContentHash::of(&file.bytes),
        _ => ContentHash::of_source(&source).map_err(StorageError::at(StorageAction::Read, path))?,
    };
    let mut stamps = Stamps::default();
    stamps.0.insert(path.into(), Stamp::of(info, hash));
    apply_sidecars(plugins, storage, (path, &options.without), format.id(), &mut document, &mut report, &mut stamps);
    document.mark_opened();
    document.memory_limit = options.memory_limit;
    Ok(Opened { document, format: format.id(), report, stamps })
}

/// Reads the files beside a map into a document that stands for it, as if it had been opened from there; answers what was read.
pub(in crate::editor) fn read_beside(
    storage: &dyn Storage,
    map: &Path,
    without: &[PathBuf],
    format: &str,
    document: &mut Document,
) -> Stamps {
    // What there is to tell of them was told when the map was opened.
    let (mut report, mut stamps) = (Report::new(), Stamps::default());
    apply_sidecars(Plugins::ALL, storage, (map, without), format, document, &mut report, &mut stamps);
    document.mark_opened();
    stamps
}

/// The options for the format, with what folders say in place of the folders.
fn format_options(storage: &dyn Storage, format: &dyn MapFormat, options: &OpenOptions, report: &mut Report) -> Result<Options, OpenError> {
    let in_folder = |(path, reason): (PathBuf, _)| OpenError::format(&path, None, reason);
    let given = with_folders_read(storage, format, &options.options, report).map_err(in_folder)?;
    let Some(settings) = options.settings.get(format.id()) else { return Ok(given) };
    let mut said = Report::new();
    match with_folders_read(storage, format, settings, &mut said) {
        Ok(mut settings) => {
            report.extend(said);
            settings.extend(given);
            Ok(settings)
        }
        Err((path, reason)) => {
            let message = format!("{} is in the settings and was left out: {reason}", path.display());
            report.push(Severity::Problem, "settings-folder", message);
            Ok(given)
        }
    }
}

fn find_format(plugins: Plugins, source: &dyn Source, path: &Path, options: &OpenOptions) -> Result<&'static dyn MapFormat, OpenError> {
    if let Some(id) = &options.format {
        return plugins.format(id).ok_or_else(|| OpenError::NoSuchFormat { id: id.clone() });
    }
    let watched = WatchedSource { inner: source, failure: Mutex::default() };
    let found = recognize_among(plugins.formats, &watched, path.extension().and_then(OsStr::to_str));
    let head = found.is_none().then(|| watched.head(HEAD_BYTES).unwrap_or_default());
    // A disk that does not answer makes no map another file.
    if let Some(error) = watched.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(StorageError::at(StorageAction::Read, path)(error).into());
    }
    found.ok_or_else(|| {
        let head: Vec<String> = head.into_iter().flatten().map(|byte| format!("{byte:02x}")).collect();
        OpenError::format(path, None, FormatError::NotRecognized { head: head.join(" ") })
    })
}

/// A source that notes why it could not be read, for whoever only asks what it is.
struct WatchedSource<'a> {
    inner: &'a dyn Source,
    failure: Mutex<Option<io::Error>>,
}

impl WatchedSource<'_> {
    fn watch<T>(&self, read: io::Result<T>) -> io::Result<T> {
        read.map_err(|error| {
            let kind = error.kind();
            // Looking past the end, or at more than there is memory for, says nothing about the disk.
            if !matches!(kind, io::ErrorKind::UnexpectedEof | io::ErrorKind::FileTooLarge) {
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
            kind.into()
        })
    }
}

impl Source for WatchedSource<'_> {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.watch(self.inner.read_at(offset, buffer))
    }

    fn memory_limit(&self) -> u64 {
        self.inner.memory_limit()
    }

    fn bytes(&self) -> io::Result<Arc<[u8]>> {
        self.watch(self.inner.bytes())
    }
}

/// Reads the sidecars that exist, in the registry's order: later ones win.
fn apply_sidecars(
    plugins: Plugins,
    storage: &dyn Storage,
    (map, without): (&Path, &[PathBuf]),
    format: &str,
    document: &mut Document,
    report: &mut Report,
    stamps: &mut Stamps,
) {
    let mut found: Vec<(&dyn Sidecar, PathBuf)> = vec![];
    for sidecar in plugins.sidecars_of(format) {
        let path = sidecar_path(map, sidecar.suffix());
        // The map itself may have the ending of a sidecar.
        if path == map || without.contains(&path) || is_of_other(plugins, storage, map, sidecar, &path) {
            continue;
        }
        if storage.exists(&path).unwrap_or(true) {
            found.push((sidecar, path));
        } else if lies_there(storage, &path) {
            let target = storage.resolve(&path).unwrap_or_else(|_| path.clone());
            let message = format!(
                "The file beside the map was not read: {} is a link, and there is no {} for now; its disk may be away",
                shown_name(&path),
                target.display()
            );
            report.push(Severity::Problem, SIDECAR_NOT_READ, message);
        }
    }
    // A file that nobody can read counts no more than an older one.
    let is_readable = |sidecar: &dyn Sidecar, path: &Path| {
        let bytes = storage.read(path, SIDECAR_LIMIT).ok();
        bytes.is_some_and(|bytes| sidecar.apply(&bytes, &mut document.clone(), &mut Report::new()).is_ok())
    };
    let counts_more = |id: &str| found.iter().any(|(sidecar, _)| sidecar.superseded_by() == Some(id));
    let read = found.iter().filter(|(sidecar, path)| counts_more(sidecar.id()) && is_readable(*sidecar, path));
    let readable: BTreeMap<&str, String> = read.map(|(sidecar, path)| (sidecar.id(), shown_name(path))).collect();
    let (mut kept, mut superseded) = (vec![], vec![]);
    for (sidecar, path) in found {
        let read = || Ok::<_, StorageError>((storage.info(&path)?, storage.read(&path, SIDECAR_LIMIT)?));
        let (info, bytes) = match read() {
            Ok(read) => read,
            Err(error) => {
                // It may be readable again by the time that the map is saved, and nobody saw what is in it.
                if !error.is_not_found() {
                    stamps.0.insert(path, Stamp::unknown());
                }
                report.push(Severity::Problem, SIDECAR_NOT_READ, format!("The file beside the map was not read: {error}"));
                continue;
            }
        };
        let mut stamp = Stamp::of(info, ContentHash::of(&bytes));
        if let Some(other) = sidecar.superseded_by().filter(|other| readable.contains_key(other)) {
            // What the other says is known when it was read, which comes later.
            superseded.push((other, sidecar, shown_name(&path), bytes.clone()));
            // It goes where the map goes.
            kept.push(SidecarSource { is_readable: true, sidecar: sidecar.id(), bytes });
            stamps.0.insert(path, stamp);
            continue;
        }
        let mut changed = document.clone();
        let mut said = Report::new();
        match sidecar.apply(&bytes, &mut changed, &mut said) {
            Ok(()) => {
                *document = changed;
                report.extend_about(&shown_name(&path), said);
                if let Some(heir) = sidecar.superseded_by().filter(|_| !sidecar.goes_along()).and_then(|id| plugins.sidecar(id)) {
                    let heir = shown_name(&sidecar_path(map, heir.suffix()));
                    let message = format!("maps of one name shared it once: what is edited goes into {heir}, and it stays as it is");
                    report.push(Severity::Info, "shared-sidecar", format!("{}: {message}", shown_name(&path)));
                }
                for (_, older, name, bytes) in superseded.iter().filter(|(by, ..)| *by == sidecar.id()) {
                    tell_superseded(*older, name, bytes, &shown_name(&path), document, report);
                }
                kept.push(SidecarSource { is_readable: true, sidecar: sidecar.id(), bytes });
            }
            Err(reason) => {
                stamp.unreadable = true;
                kept.push(SidecarSource { is_readable: false, sidecar: sidecar.id(), bytes });
                let message = format!("{}: {reason}. The file was left aside and stays as it is", shown_name(&path));
                report.push(Severity::Problem, SIDECAR_UNREADABLE, message);
            }
        }
        stamps.0.insert(path, stamp);
    }
    // What the map's file leaves open is said by the one beside it, be it that there is none.
    let is_told = kept.iter().any(|file| file.is_readable);
    report.warnings.retain(|warning| warning.code != SPAWN_GUESSED || !is_told);
    document.sidecars = Arc::new(kept);
}

/// Tells that a file was left aside, and what it says otherwise than the document, which holds what the other file says.
fn tell_superseded(sidecar: &dyn Sidecar, name: &str, bytes: &[u8], other: &str, document: &Document, report: &mut Report) {
    let mut again = document.clone();
    let says = |what: &[&str]| format!("{name} was not looked at: {other} counts more, and they differ about {}", what.join(", "));
    if sidecar.apply(bytes, &mut again, &mut Report::new()).is_err() {
        let message = format!("{name} was not looked at, and could not be read: {other} counts more");
        return report.push(Severity::Info, "sidecar-superseded", message);
    }
    let properties = document.metadata.properties().into_iter().zip(again.metadata.properties());
    let mut what: Vec<&str> = properties.filter(|(now, older)| now != older).map(|(now, _)| now.label()).collect();
    let areas = |document: &Document| document.objects.iter().map(|(_, object)| (object.label(), object.area())).collect::<Vec<_>>();
    if areas(document) != areas(&again) {
        what.push("spawn regions");
    }
    if what.is_empty() {
        let message = format!("{name} was not looked at: {other} says the same and counts more");
        report.push(Severity::Info, "sidecar-superseded", message);
    } else {
        report.push(Severity::Info, "sidecars-disagree", says(&what));
    }
}

/// A source that refuses to be held in memory as a whole where it is too large for that.
struct LimitedSource {
    inner: Box<dyn Source>,
    limit: u64,
}

impl LimitedSource {
    /// Says the limit where it is what stopped the format.
    fn explain(&self, reason: FormatError) -> FormatError {
        match reason {
            FormatError::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                FormatError::TooLarge { needed: self.len(), allowed: self.limit }
            }
            reason => reason,
        }
    }
}

impl Source for LimitedSource {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.inner.read_at(offset, buffer)
    }

    fn memory_limit(&self) -> u64 {
        self.limit
    }

    fn bytes(&self) -> io::Result<Arc<[u8]>> {
        if self.len() > self.limit { Err(io::ErrorKind::FileTooLarge.into()) } else { self.inner.bytes() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of which the disk gives nothing but its length.
    struct NoAnswer(io::ErrorKind);

    impl Source for NoAnswer {
        fn len(&self) -> u64 {
            1_000_000
        }

        fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn a_disk_that_does_not_answer_makes_no_map_another_file() {
        let found = |kind| {
            let found = find_format(Plugins::ALL, &NoAnswer(kind), Path::new("castle.vxl"), &OpenOptions::default());
            found.map(|format| format.id()).unwrap_err()
        };
        let error = found(io::ErrorKind::TimedOut);
        assert!(matches!(&error, OpenError::Storage(reason) if reason.to_string().contains("castle.vxl")), "{error}");
        let error = found(io::ErrorKind::UnexpectedEof);
        assert!(matches!(&error, OpenError::Format { reason: FormatError::NotRecognized { .. }, .. }), "{error}");
    }
}
