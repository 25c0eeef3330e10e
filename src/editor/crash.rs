//! What is written down when the program meets an error of its own: a report without personal data.
//!
//! The journal needs no help: its thread writes every step at once, and a map is offered again at the
//! next start.

use std::backtrace::Backtrace;
use std::panic::{self, PanicHookInfo};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use super::storage::{RealStorage, Storage, StorageError, home_in_system, replace_file};

/// Reports that are kept.
const MOST_REPORTS: usize = 20;
/// Name of the thread that writes one.
const WRITER: &str = "report";
/// Beginning of the name of a report.
const PREFIX: &str = "crash-";

/// Does for every panic of any thread from now on what was done before, then writes a report and tells where it is.
pub fn install(folder: Option<PathBuf>, tell: fn(&str)) {
    let folder = folder.map(|folder| {
        move |text: &str| {
            let secs = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            write(&RealStorage, &folder, secs, text)
        }
    });
    install_with(folder, tell);
}

fn install_with<W>(write: Option<W>, tell: fn(&str))
where
    W: Fn(&str) -> Result<PathBuf, StorageError> + Send + Sync + 'static,
{
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        before(info);
        // One that happens while a report is written is told, and is no reason to begin again.
        let Some(write) = write.as_ref().filter(|_| thread::current().name() != Some(WRITER)) else { return };
        let text = report(info);
        match apart(&|| write(&text)) {
            Some(Ok(path)) => tell(&format!("an internal error was written to {}", path.display())),
            Some(Err(error)) => tell(&format!("an internal error could not be written down: {error}")),
            None => tell("an internal error could not be written down, for another one"),
        }
    }));
}

/// Does it on a thread of its own: a panic in the hook of one ends the program, where a worker's does not. `None` after one.
fn apart<T: Send>(work: &(impl Fn() -> T + Sync)) -> Option<T> {
    thread::scope(|scope| match thread::Builder::new().name(WRITER.into()).spawn_scoped(scope, work) {
        Ok(writer) => writer.join().ok(),
        // Without a thread it is tried all the same.
        Err(_) => Some(work()),
    })
}

/// The reports that are there, the latest first.
pub fn reports(storage: &dyn Storage, folder: &Path) -> Vec<PathBuf> {
    // No folder, no reports.
    let mut paths = storage.list(folder).unwrap_or_default();
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX)));
    paths.sort_by(|a, b| b.cmp(a));
    paths
}

fn write(storage: &dyn Storage, folder: &Path, secs: u64, text: &str) -> Result<PathBuf, StorageError> {
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
    let thread = thread::current();
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
    // One that is not UTF-8 stands in texts with signs in the place of those bytes.
    let home = home.filter(|home| home.has_root()).map(Path::to_string_lossy);
    match home.as_ref().map(|home| home.trim_end_matches('/')).filter(|home| !home.is_empty()) {
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

    /// Set where this test runs itself once more, as another process: a hook is for all of its threads.
    const INSIDE: &str = "SPADEWORK_TEST_INSIDE_HOOK";

    #[test]
    fn a_panic_while_a_report_is_written_ends_neither_the_program_nor_its_other_reports() {
        if std::env::var_os(INSIDE).is_some() {
            install_with(Some(|text: &str| if text.contains("first") { panic!("second") } else { Ok("r".into()) }), |text| {
                eprintln!("{text}")
            });
            for message in ["first", "third"] {
                assert!(panic::catch_unwind(|| panic!("{message}")).is_err());
            }
            eprintln!("still there");
            return;
        }
        let me = concat!(module_path!(), "::a_panic_while_a_report_is_written_ends_neither_the_program_nor_its_other_reports");
        let me = me.split_once("::").unwrap().1;
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let output = child.args(["--exact", me, "--nocapture"]).env(INSIDE, "1").output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        let expected = ["could not be written down, for another one", "was written to r", "still there"];
        assert!(output.status.success() && expected.iter().all(|line| told.contains(line)), "{told}");
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
        #[cfg(unix)]
        {
            let odd = Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"/users/j\xfcrgen"));
            assert_eq!(without_home(&format!("at {}/a.vxl", odd.display()), Some(odd)), "at ~/a.vxl");
        }
        assert_eq!(without_home("at /maps/a", None), "at /maps/a");
        assert_eq!(without_home("at /maps/a", Some(Path::new("maps"))), "at /maps/a");
    }
}
