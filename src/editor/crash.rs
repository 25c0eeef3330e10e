//! What is written down when the program meets an error of its own: a report without personal data.
//!
//! The journal needs no help: its thread writes every step at once, and a map is offered again at the
//! next start.

use std::backtrace::Backtrace;
use std::panic::{self, PanicHookInfo};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::storage::{RealStorage, Storage, home_in_system, replace_file};

/// Reports that are kept.
const MOST_REPORTS: usize = 20;
/// Beginning of the name of a report.
const PREFIX: &str = "crash-";

/// Does for every panic of any thread from now on what was done before, then writes a report and tells where it is.
pub fn install(folder: Option<PathBuf>, tell: fn(&str)) {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        before(info);
        if let Some(folder) = &folder {
            let secs = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            match write(&RealStorage, folder, secs, &report(info)) {
                Ok(path) => tell(&format!("an internal error was written to {}", path.display())),
                Err(error) => tell(&format!("an internal error could not be written down: {error}")),
            }
        }
    }));
}

/// The reports that are there, the latest first.
pub fn reports(storage: &dyn Storage, folder: &Path) -> Vec<PathBuf> {
    // No folder, no reports.
    let mut paths = storage.list(folder).unwrap_or_default();
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX)));
    paths.sort_by(|a, b| b.cmp(a));
    paths
}

fn write(storage: &dyn Storage, folder: &Path, secs: u64, text: &str) -> Result<PathBuf, super::storage::StorageError> {
    storage.create_folder(folder)?;
    // What comes in the same second often comes of the first one, which tells more.
    let id = std::process::id();
    let others = (2..MOST_REPORTS).map(|number| format!("{PREFIX}{secs}-{id}-{number}.txt"));
    let mut names = std::iter::once(format!("{PREFIX}{secs}-{id}.txt")).chain(others).map(|name| folder.join(name));
    let path =
        names.find(|path| !storage.exists(path).unwrap_or(false)).unwrap_or_else(|| folder.join(format!("{PREFIX}{secs}-{id}-more.txt")));
    replace_file(storage, &path, text.as_bytes())?;
    for old in reports(storage, folder).into_iter().skip(MOST_REPORTS) {
        // Too many do no harm until the next one.
        storage.remove(&old).ok();
    }
    Ok(path)
}

/// What went wrong, where, and in which program; names of the user's folders are left out.
fn report(info: &PanicHookInfo<'_>) -> String {
    let thread = std::thread::current();
    let message = info.payload_as_str().unwrap_or("(no message)");
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let text = format!(
        "Spadework {} on {} {}\nthread: {}\nat: {place}\nmessage: {message}\n\n{}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        thread.name().unwrap_or("(no name)"),
        Backtrace::force_capture(),
    );
    without_home(&text, home().as_deref())
}

/// The home folder of the user, also where no variable names it.
pub fn home() -> Option<PathBuf> {
    home_or(std::env::var_os("HOME").map(PathBuf::from), home_in_system)
}

fn home_or(said: Option<PathBuf>, in_system: impl FnOnce() -> Option<PathBuf>) -> Option<PathBuf> {
    said.filter(|home| home.is_absolute()).or_else(in_system)
}

/// The text with `~` for the home folder, which is a whole path: another word stands in texts for itself.
pub fn without_home(text: &str, home: Option<&Path>) -> String {
    match home.filter(|home| home.has_root()).and_then(Path::to_str).map(|home| home.trim_end_matches('/')).filter(|home| !home.is_empty())
    {
        Some(home) => {
            let is_whole = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '_' | '-'));
            let mut parts = text.split(home);
            let mut said = parts.next().unwrap_or_default().to_owned();
            for rest in parts {
                said.push_str(if is_whole(rest) { "~" } else { home });
                said.push_str(rest);
            }
            said
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::storage::testing::FaultyStorage;

    #[cfg(unix)]
    #[test]
    fn the_home_is_known_where_no_variable_names_it() {
        for said in [None, Some(""), Some("home"), Some("./x")] {
            assert_eq!(home_or(said.map(PathBuf::from), || Some("/users/ann".into())), Some("/users/ann".into()), "{said:?}");
        }
        assert_eq!(home_or(Some("/h".into()), || None), Some("/h".into()));
    }

    #[test]
    fn reports_are_kept_in_order_and_not_too_many() {
        let storage = FaultyStorage::default();
        let folder = Path::new("r");
        for secs in 1000..1030 {
            write(&storage, folder, secs, "x").unwrap();
        }
        let names = reports(&storage, folder);
        assert_eq!(names.len(), MOST_REPORTS);
        assert!(names[0].to_string_lossy().contains("crash-1029-") && names[19].to_string_lossy().contains("crash-1010-"), "{names:?}");
    }

    #[test]
    fn errors_of_one_second_are_all_kept() {
        let (storage, folder) = (FaultyStorage::default(), Path::new("r"));
        let paths: Vec<_> = (0..30).map(|number| write(&storage, folder, 1000, &format!("error {number}")).unwrap()).collect();
        for number in [0, 1, MOST_REPORTS - 2] {
            assert_eq!(storage.get(&paths[number]).unwrap(), format!("error {number}").into_bytes());
        }
        assert_eq!(reports(&storage, folder).len(), MOST_REPORTS);
    }

    #[test]
    fn the_home_folder_is_not_named() {
        let home = Some(Path::new("/users/ann/"));
        assert_eq!(without_home("at /users/ann/maps/a.vxl and /users/ann", home), "at ~/maps/a.vxl and ~");
        let others = "/users/annabel/a.vxl, /users/ann_2, /users/ann-3 and /users/ann.";
        assert_eq!(without_home(others, home), "/users/annabel/a.vxl, /users/ann_2, /users/ann-3 and ~.");
        assert_eq!(without_home("at /maps/a", Some(Path::new("/"))), "at /maps/a");
        assert_eq!(without_home("at /maps/a", None), "at /maps/a");
        assert_eq!(without_home("at /maps/a", Some(Path::new("maps"))), "at /maps/a");
    }
}
