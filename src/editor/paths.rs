//! Where Spadework keeps its own files: settings, journals, earlier versions of maps. Never beside the maps.

use std::path::PathBuf;

use directories::ProjectDirs;

/// Overrides the folder of the settings.
pub const CONFIG_DIR_VARIABLE: &str = "SPADEWORK_CONFIG_DIR";
/// Overrides the folder of the journals.
pub const STATE_DIR_VARIABLE: &str = "SPADEWORK_STATE_DIR";

/// Folder of the settings; `None` where the system has no place for them.
pub fn config_dir() -> Option<PathBuf> {
    from_variable(CONFIG_DIR_VARIABLE).or_else(|| Some(project()?.config_dir().to_path_buf()))
}

/// Folder of what the next start needs to know; `None` where the system has no place for it.
pub fn state_dir() -> Option<PathBuf> {
    from_variable(STATE_DIR_VARIABLE).or_else(|| {
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

fn from_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn project() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "spadework")
}
