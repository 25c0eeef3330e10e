//! Exporting: one file of another kind, written beside its place, read back, and put in place in one step.

use std::io::ErrorKind;
use std::path::Path;

use super::foreign::check_unchanged;
use super::staging::Staged;
use super::{Overwrite, SaveError, SaveOptions};
use crate::document::{Options, Progress, Snapshot};
use crate::editor::storage::{Storage, StorageAction, StorageError, sync_name};
use crate::format::{DOES_NOT_FIT, Export, FormatError, Report, Severity, export_by_extension, map_format_by_extension, recognize};

/// How to export a map.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// Options of the export.
    pub options: Options,
    /// Whether a file that is there may be replaced.
    pub overwrite: Overwrite,
}

/// A map that was exported.
#[derive(Debug)]
pub struct Exported {
    /// What the file does not hold.
    pub report: Report,
    /// Its size.
    pub size_bytes: u64,
}

/// What an export would leave out, before a byte is written.
///
/// # Errors
/// As [`export_map`], as far as it can be known before.
pub fn preflight_export(
    storage: &dyn Storage,
    snapshot: &Snapshot,
    path: &Path,
    export: &dyn Export,
    options: &ExportOptions,
) -> Result<Report, SaveError> {
    check_place(storage, path, options)?;
    let mut report = export.preflight(snapshot, &options.options);
    if let Some(message) = other_kind_text(path, export) {
        report.push(Severity::Problem, "other-extension", message);
    }
    Ok(report)
}

/// That the name is of another kind of file than what is written, which programs would not expect in it.
fn other_kind_text(path: &Path, export: &dyn Export) -> Option<String> {
    let extension = path.extension()?.to_str()?;
    let is_known = export_by_extension(extension).is_some() || map_format_by_extension(extension).is_some();
    let is_own = export.extensions().iter().any(|own| own.eq_ignore_ascii_case(extension));
    (is_known && !is_own).then(|| format!("The file is written as {}, though its name ends in .{extension}", export.label()))
}

/// Exports a map: afterwards the file is new, or, on an error, as it was. The report is that of the
/// preflight and of the writing.
///
/// # Errors
/// If the file cannot be written, exists and may not be replaced, or cannot hold the map; or the work is cancelled.
pub fn export_map(
    storage: &dyn Storage,
    snapshot: &Snapshot,
    path: &Path,
    export: &dyn Export,
    options: &ExportOptions,
    progress: &Progress,
) -> Result<Exported, SaveError> {
    let mut report = preflight_export(storage, snapshot, path, export, options)?;
    // What stopped it comes again as an error.
    report.warnings.retain(|warning| warning.severity != Severity::Problem || warning.code != DOES_NOT_FIT);
    let in_file = |reason: FormatError| match reason {
        FormatError::Io(error) => StorageError::at(StorageAction::Write, path)(error).into(),
        reason => SaveError::format(path, reason),
    };
    let mut staged =
        Staged::write(storage, path, |sink| export.write(snapshot, sink, &options.options, progress, &mut report).map_err(in_file))?;
    progress.check()?;
    check_place(storage, path, options)?;
    let size_bytes = storage.info(&staged.temp)?.len;
    storage.move_into_place(&staged.temp, &staged.target, staged.old.is_some()).map_err(|error| match error.reason.kind() {
        ErrorKind::AlreadyExists => SaveError::AlreadyExists { path: path.into() },
        _ => error.into(),
    })?;
    staged.release();
    sync_name(storage, &staged.target);
    Ok(Exported { report, size_bytes })
}

fn check_place(storage: &dyn Storage, path: &Path, options: &ExportOptions) -> Result<(), SaveError> {
    if path.file_name().is_none() {
        return Err(SaveError::NoFileName { path: path.into() });
    }
    match check_unchanged(storage, path, None, &SaveOptions { overwrite: options.overwrite.clone(), ..SaveOptions::default() }) {
        // An export knows no earlier state of the file: something is there, or nothing.
        Err(SaveError::ChangedOnDisk { path }) => Err(SaveError::AlreadyExists { path }),
        Err(SaveError::Gone { .. }) => Ok(()),
        Ok(()) if is_map(storage, path) => Err(SaveError::MapThere { path: path.into() }),
        checked => checked,
    }
}

/// Whether a map is there, the place of which no file of another kind takes: no earlier version of it would be kept.
pub fn is_map(storage: &dyn Storage, path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    // What cannot be read is no map that is lost.
    storage.open(path).is_ok_and(|file| !file.is_empty() && recognize(&*file, extension).is_some())
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::document::{Document, GameProfile};
    use crate::editor::storage::RealStorage;
    use crate::editor::storage::testing::{Fault, FaultyStorage};
    use crate::format::EXPORTS;
    use crate::geom::Region;
    use crate::voxel::Store;

    #[test]
    fn an_export_that_fails_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let map = Document::new(Store::new(Region::of_size(IVec3::new(9, 9, 9))), &GameProfile::FREE);
        for export in EXPORTS {
            std::fs::write(&path, "mine").unwrap();
            let always = ExportOptions { overwrite: Overwrite::Always, ..ExportOptions::default() };
            let run = |options: &ExportOptions, progress: &Progress| export_map(&RealStorage, &map, &path, *export, options, progress);
            assert!(matches!(run(&ExportOptions::default(), &Progress::new()), Err(SaveError::AlreadyExists { .. })), "{}", export.id());
            let cancelled = Progress::new();
            cancelled.cancel();
            assert!(matches!(run(&always, &cancelled), Err(SaveError::Cancelled(_))), "{}", export.id());
            assert_eq!(std::fs::read(&path).unwrap(), b"mine");
            let exported = run(&always, &Progress::new()).unwrap();
            assert_eq!(std::fs::metadata(&path).unwrap().len(), exported.size_bytes);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn an_export_that_is_in_place_has_not_failed_whatever_comes_after() {
        let map = Document::new(Store::new(Region::of_size(IVec3::new(9, 9, 9))), &GameProfile::FREE);
        let always = ExportOptions { overwrite: Overwrite::Always, ..ExportOptions::default() };
        let (mut failed, mut done) = (0, 0);
        for index in 0.. {
            let storage = FaultyStorage::with(&[("m/a.bin", b"mine")]);
            storage.fail_at(index, Fault::Once(ErrorKind::Other));
            let exported = export_map(&storage, &map, Path::new("m/a.bin"), EXPORTS[0], &always, &Progress::new());
            assert_eq!(exported.is_err(), storage.get("m/a.bin").as_deref() == Some(b"mine"), "{index}: {exported:?}");
            if storage.operations() <= index {
                break;
            }
            *if exported.is_ok() { &mut done } else { &mut failed } += 1;
        }
        assert!(failed > 3 && done > 0, "{failed} {done}");
    }

    #[test]
    fn a_name_of_another_kind_is_told() {
        let map = Document::new(Store::new(Region::of_size(IVec3::new(9, 9, 9))), &GameProfile::FREE);
        for export in EXPORTS {
            for name in ["a.png", "a.PNG", "a.vox", "a.glb", "a.vxl", "a.bin", "a"] {
                let report = preflight_export(&RealStorage, &map, Path::new(name), *export, &ExportOptions::default()).unwrap();
                let is_other = name.contains('.')
                    && !name.ends_with(".bin")
                    && !export.extensions().iter().any(|own| name.to_lowercase().ends_with(&format!(".{own}")));
                assert_eq!(report.warnings.iter().any(|warning| warning.code == "other-extension"), is_other, "{} {name}", export.id());
            }
        }
    }
}
