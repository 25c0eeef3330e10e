//! Where Spadework keeps its own files: settings, journals, earlier versions of maps. Never beside the maps.
//!
//! A folder of the system that is not a whole path is none: it would be another one wherever the program is started.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use super::storage::home_in_system;

/// Overrides the folder of the settings.
pub const CONFIG_DIR_VARIABLE: &str = "SPADEWORK_CONFIG_DIR";
/// Overrides the folder of the journals.
pub const STATE_DIR_VARIABLE: &str = "SPADEWORK_STATE_DIR";
/// What says where the folders of a user are.
const HOME: &str = "HOME";
/// What says where a user's settings, and what programs remember, are.
const XDG: [&str; 2] = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"];
/// Name of our folder among those of other programs.
const OWN_NAME: &str = "spadework";

/// Folder of the settings; `None` where the system has no place for them.
pub fn config_dir() -> Option<PathBuf> {
    from_variable(CONFIG_DIR_VARIABLE).or_else(|| {
        if is_home_relative() {
            return below_home(XDG[0], ".config");
        }
        Some(project()?.config_dir().to_path_buf())
    })
}

/// Folder of what the next start needs to know; `None` where the system has no place for it.
pub fn state_dir() -> Option<PathBuf> {
    from_variable(STATE_DIR_VARIABLE).or_else(|| {
        if is_home_relative() {
            return below_home(XDG[1], ".local/state");
        }
        let project = project()?;
        Some(project.state_dir().unwrap_or_else(|| project.data_local_dir()).to_path_buf())
    })
}

/// Folder of the journals.
pub fn journal_dir() -> Option<PathBuf> {
    state_dir().map(|folder| folder.join("journals"))
}

/// Folder of earlier versions of saved maps.
pub fn versions_dir() -> Option<PathBuf> {
    state_dir().map(|folder| folder.join("versions"))
}

/// Folder of reports of internal errors.
pub fn reports_dir() -> Option<PathBuf> {
    state_dir().map(|folder| folder.join("reports"))
}

/// File of the settings.
pub fn settings_file() -> Option<PathBuf> {
    config_dir().map(|folder| folder.join("settings.yaml"))
}

/// The variables that name a folder which is no whole path, with what they say: they are passed over.
pub fn relative_variables() -> Vec<(&'static str, PathBuf)> {
    let said = [HOME].into_iter().chain(XDG).filter_map(|name| Some((name, from_variable(name)?)));
    said.filter(|(_, folder)| cfg!(unix) && folder.is_relative()).collect()
}

fn from_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn project() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", OWN_NAME)
}

/// Whether the library that knows the folders would take a relative one.
fn is_home_relative() -> bool {
    cfg!(unix) && from_variable(HOME).is_some_and(|home| home.is_relative())
}

/// Our folder where `HOME` is of no use: in the one that a variable names, else in the home that the system knows.
fn below_home(variable: &str, name: &str) -> Option<PathBuf> {
    own_folder(std::env::var_os(variable), home_in_system().as_deref(), name)
}

fn own_folder(said: Option<OsString>, home: Option<&Path>, name: &str) -> Option<PathBuf> {
    let said = said.map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = said.or_else(|| home.filter(|home| home.is_absolute()).map(|home| home.join(name)));
    Some(folder?.join(OWN_NAME))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_relative_are_passed_over() {
        let own = |said: &str, home: &str| own_folder((!said.is_empty()).then(|| said.into()), Some(Path::new(home)), ".config");
        assert_eq!(own("/c", "/home/ann"), Some("/c/spadework".into()));
        for said in ["", "c", "./c"] {
            assert_eq!(own(said, "/home/ann"), Some("/home/ann/.config/spadework".into()));
            assert_eq!(own(said, "home"), None);
        }
        assert_eq!(own_folder(None, None, ".config"), None);
    }
}
