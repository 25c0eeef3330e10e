//! Opening and saving maps with the sidecars beside them. Jobs of the editor and the command line run
//! the same code; nothing here knows of either.
//!
//! A save is a set of files, the map and its sidecars. Each is written to a temporary file, synced, read
//! back and compared; a record of what is meant (`intent`) makes the set change as a whole: sidecars
//! first, the map last. After an interruption [`complete_interrupted_saves`] finishes or takes back.
//! Where links lead to the files, `places` knows in which folders they lie: all of them are claimed. The record
//! lies where the map really does.
//! An export is one file, written with the same care.

mod completing;
mod error;
mod export;
mod folder;
mod foreign;
mod import;
mod intent;
mod interrupted;
mod older;
mod open;
mod places;
mod placing;
mod save;
mod sidecars;
mod staging;
mod stamp;
mod standing;
#[cfg(test)]
mod tests;
mod versions;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use completing::{Settled, complete_interrupted_saves, complete_saves, has_interrupted_saves, settle_at};
pub use error::{InTheWay, LENIENT, OpenError, SIZE, SaveError, names_of};
pub use export::{ExportOptions, Exported, export_map, is_map, preflight_export};
pub use import::{ImportOptions, ImportedFile, import_file, read_colors, read_decal, read_image, read_tip};
pub use interrupted::Interrupted;
pub(in crate::editor) use open::read_beside;
pub use open::{DEFAULT_MEMORY_LIMIT, INTERRUPTED_SAVE, OpenOptions, Opened, SIDECAR_NOT_READ, makes_set_doubtful, open_map};
pub use places::folders_of_map;
pub use placing::BeforePlacing;
pub use save::{Overwrite, SaveOptions, SavePlace, Saved, check_map_name, preflight_save, save_map};
pub use sidecars::{leaves_only_what_nobody_could_read, leaves_out_what_the_map_says, leaves_what_others_say};
pub use stamp::{Stamp, Stamps};
pub use standing::Standing;
pub use versions::{KeepVersions, VERSION_LIMIT, Version, keeps_no_version, list_versions, name_of_version};

use crate::editor::storage::Storage;
use crate::format::{MAP_FORMATS, MapFormat, SIDECARS, Sidecar};

/// Times that a folder in which somebody else saves is asked for.
const CLAIM_TRIES: u32 = 200;
/// Time between two of them.
const CLAIM_PAUSE: Duration = Duration::from_millis(50);

/// Whether there is a file, be it one that cannot be looked at, or a link that leads nowhere for now: its disk may be away.
fn lies_there(storage: &dyn Storage, path: &Path) -> bool {
    storage.exists(path).unwrap_or(true) || storage.resolve(path).is_ok_and(|target| target != path)
}

/// The plugins that opening and saving work with; tests bring their own.
#[derive(Clone, Copy)]
struct Plugins {
    formats: &'static [&'static dyn MapFormat],
    sidecars: &'static [&'static dyn Sidecar],
}

impl Plugins {
    /// The registries.
    const ALL: Self = Self { formats: MAP_FORMATS, sidecars: SIDECARS };

    fn format(&self, id: &str) -> Option<&'static dyn MapFormat> {
        self.formats.iter().copied().find(|format| format.id() == id)
    }

    fn sidecar(&self, id: &str) -> Option<&'static dyn Sidecar> {
        self.sidecars.iter().copied().find(|sidecar| sidecar.id() == id)
    }

    /// The format whose usual extensions hold that of a file.
    fn format_of_name(&self, path: &Path) -> Option<&'static dyn MapFormat> {
        let extension = path.extension()?.to_str()?;
        self.formats.iter().copied().find(|format| format.extensions().iter().any(|own| own.eq_ignore_ascii_case(extension)))
    }

    /// The sidecars that go with a map format.
    fn sidecars_of(&self, format: &str) -> impl Iterator<Item = &'static dyn Sidecar> {
        self.sidecars.iter().copied().filter(move |sidecar| sidecar.accompanies().contains(&format))
    }
}

/// The sidecar's path beside a map: the map's name with the sidecar's ending in place of its own.
pub fn sidecar_path(map: &Path, suffix: &str) -> PathBuf {
    let mut name = map.file_stem().map_or_else(OsString::new, OsString::from);
    name.push(suffix);
    map.with_file_name(name)
}

/// The last part of a path, for messages.
fn shown_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
