//! What Spadework runs on, where it keeps its files, and what is wrong with either.

use std::fmt::Write as _;
use std::path::Path;

use super::crash::without_home;
use super::keymap::Keymap;
use super::settings::{MemorySettings, Settings};
use super::storage::{DanglingLink, Storage, StorageError};
use super::{crash, desktop, paths, recovery};
use crate::document::{grouped, some};
use crate::format::Severity;

/// Free space below which a folder is in trouble.
const LITTLE_SPACE: u64 = 256 << 20;

/// What was found.
#[derive(Debug, Default)]
pub struct Findings {
    /// Facts by name, in order; a name may come several times.
    pub facts: Vec<(&'static str, String)>,
    /// What is wrong, and what to do.
    pub problems: Vec<String>,
}

/// Memory for a map, in millions of bytes, below which a map of the game's size may not open.
const LEAST_MAP_MEGABYTES: u64 = 64;

/// Looks around. `adapters` are the graphics adapters that were found; `None` if this build has no window.
pub fn examine(storage: &dyn Storage, adapters: Option<Vec<String>>) -> Findings {
    let mut found = Findings::default();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    found.facts.push(("version", format!("Spadework {}", env!("CARGO_PKG_VERSION"))));
    found.facts.push(("system", format!("{} {}, {processors} processors", std::env::consts::OS, std::env::consts::ARCH)));
    found.folder(storage, "settings", paths::config_dir().as_deref());
    found.folder(storage, "state", paths::state_dir().as_deref());
    for (name, folder) in paths::relative_variables() {
        let folder = folder.display();
        found.problems.push(format!("{name} is not a whole path but {folder}: it is passed over; set it to one that begins with /"));
    }
    for (folder, without) in [
        (paths::journal_dir(), "unsaved maps would be lost after a crash"),
        (paths::versions_dir(), "what a save replaces is not kept"),
        (paths::reports_dir(), "no internal error can be written down"),
    ] {
        found.problems.extend(folder.and_then(|folder| folder_problem(storage, &folder, without)));
    }
    if let Some(folder) = paths::journal_dir() {
        let leftovers = recovery::list_leftovers(storage, &folder);
        for outcome in leftovers.saves().settle(storage) {
            let told = without_home(&outcome.to_string(), crash::home().as_deref());
            match outcome.severity() {
                Severity::Problem => found.problems.push(told),
                _ => found.facts.push(("saves", told)),
            }
        }
        let held = match leftovers.held.len() as u64 {
            0 => String::new(),
            held => format!("; a running Spadework holds the journal of {}", some(held, "map", "maps")),
        };
        let unknown = match leftovers.skipped.len() {
            0 => String::new(),
            unknown => format!(", of {unknown} more it is not known"),
        };
        found.facts.push(match (&leftovers.trouble, leftovers.others.len()) {
            (Some(_), _) => ("journals", "not known".into()),
            (None, 1) => ("journals", format!("1 map of an earlier session is not saved{unknown}{held}")),
            (None, count) => ("journals", format!("{count} maps of earlier sessions are not saved{unknown}{held}")),
        });
        // That its folder is behind a link to nothing is told already.
        found.problems.extend(leftovers.trouble.filter(|_| link_text(storage, &folder).is_none()).map(|error| {
            let reason = error.reason_in_words();
            format!("journals cannot be looked at, unsaved maps may be lost after a crash: {}: {reason}", shown(&error.path))
        }));
        let unreadable = leftovers.skipped.iter().map(|skipped| {
            let (journal, id) = (shown(&skipped.journal), recovery::journal_id(&skipped.journal));
            let reason = without_home(&skipped.reason.to_string(), crash::home().as_deref());
            match skipped.reason.is_about_journal() {
                true => format!("{journal}: {reason}; spadework recover --discard {id} deletes it"),
                false => format!("{journal}: {reason}; whether it has unsaved steps is not known"),
            }
        });
        found.problems.extend(unreadable);
        found.problems.extend(leftovers.others.iter().filter_map(|left| {
            let (journal, id, damage) = (shown(&left.journal), left.id(), left.damage_text()?);
            Some(match left.is_newer {
                true => format!("{journal} is {damage}: restore it with that one"),
                false => format!("{journal} is {damage}: spadework recover {id} -o OUT brings back what is whole"),
            })
        }));
    }
    match paths::settings_file().map(|file| Settings::peek(storage, &file)) {
        None => {}
        Some(Err(error)) => found.problems.push(without_home(&error.to_string(), crash::home().as_deref())),
        Some(Ok(settings)) => {
            if settings.kept.contains_key("keymap") {
                found.problems.push("the keymap in the settings is not understood: the keys are Spadework's own".into());
            }
            found.problems.extend(Keymap::new(&settings.keymap).troubles);
            found.problems.extend(settings.palette_trouble());
            if !settings.layout.is_whole {
                found.problems.push("part of the layout of panels in the settings cannot be read: it is as at first".into());
            }
            found.problems.extend(memory_problem(settings.memory));
            found.facts.push(("limits", limits_text(&settings)));
        }
    }
    if let Some(folder) = paths::reports_dir() {
        let reports = crash::reports(storage, &folder);
        let latest = reports.first().map_or_else(String::new, |path| format!(", the latest is {}", shown(path)));
        found.facts.push(("reports", format!("{} of internal errors{latest}", reports.len())));
    }
    found.desktop();
    found.graphics(adapters);
    found
}

impl Findings {
    /// As lines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, fact) in &self.facts {
            // Writing to a string does not fail.
            writeln!(text, "{name:<10} {fact}").ok();
        }
        if self.problems.is_empty() {
            text.push_str("nothing is wrong\n");
        }
        self.problems.iter().for_each(|problem| _ = writeln!(text, "problem: {problem}"));
        text
    }

    /// One of our folders: where, how much space, and whether it can be written.
    fn folder(&mut self, storage: &dyn Storage, name: &'static str, folder: Option<&Path>) {
        let Some(folder) = folder else {
            self.problems.push(format!(
                "the system has no folder for the {name}; set {} and {}",
                paths::CONFIG_DIR_VARIABLE,
                paths::STATE_DIR_VARIABLE
            ));
            return;
        };
        if let Some(nowhere) = link_text(storage, folder) {
            self.facts.push((name, format!("{}, cannot be made", shown(folder))));
            self.problems.push(format!("{} cannot be made: {nowhere}", shown(folder)));
            return;
        }
        // The first folder upwards that is there already.
        let existing = folder.ancestors().find(|folder| storage.exists(folder).unwrap_or(false));
        let space = existing.and_then(|folder| storage.free_space(folder));
        let free = space.map_or_else(String::new, |bytes| format!(", {:.1} GB free", bytes as f64 / 1e9));
        let new = if existing == Some(folder) { "" } else { ", not made yet" };
        self.facts.push((name, format!("{}{free}{new}", shown(folder))));
        if space.is_some_and(|bytes| bytes < LITTLE_SPACE) {
            self.problems.push(format!("the disk of {} is nearly full: journals and saves may fail", shown(folder)));
        }
        if let Some(Err(error)) = existing.map(|existing| can_write(storage, existing)) {
            self.problems.push(format!("{} cannot be written: {}", shown(folder), error.reason_in_words()));
        }
    }

    fn desktop(&mut self) {
        let named = |variable: &str| std::env::var(variable).ok().filter(|value| !value.is_empty());
        if cfg!(target_os = "linux") {
            let [wayland, display, folder] = ["WAYLAND_DISPLAY", "DISPLAY", "XDG_RUNTIME_DIR"].map(named);
            self.problems.extend(desktop::problem(wayland.as_deref(), display.as_deref(), folder.as_deref()));
        }
        let desktop = match (named("WAYLAND_DISPLAY"), named("DISPLAY")) {
            (Some(display), _) => format!("Wayland, {display}"),
            (None, Some(display)) => format!("X11, {display}"),
            (None, None) if cfg!(target_os = "linux") => "none: only the commands work here, not the window".into(),
            (None, None) => "that of the system".into(),
        };
        self.facts.push(("desktop", desktop));
    }

    fn graphics(&mut self, adapters: Option<Vec<String>>) {
        let Some(adapters) = adapters else { return self.facts.push(("graphics", "this build has no window".into())) };
        if adapters.is_empty() {
            self.problems.push(
                "no graphics driver was found: on Debian or Ubuntu install mesa-vulkan-drivers libvulkan1 libegl1 libgl1-mesa-dri".into(),
            );
        }
        self.facts.extend(adapters.into_iter().map(|adapter| ("graphics", adapter)));
    }
}

/// What is wrong with a folder that is there already, or that cannot be made; `without` is what that means.
fn folder_problem(storage: &dyn Storage, folder: &Path, without: &str) -> Option<String> {
    if let Some(nowhere) = link_text(storage, folder) {
        return Some(format!("{} cannot be made, {without}: {nowhere}", shown(folder)));
    }
    let error = storage.exists(folder).and_then(|is_there| if is_there { can_write(storage, folder) } else { Ok(()) }).err()?;
    Some(format!("{} cannot be written, {without}: {}", shown(folder), error.reason_in_words()))
}

/// That a folder is behind a link that leads nowhere, and what to do.
fn link_text(storage: &dyn Storage, folder: &Path) -> Option<String> {
    let DanglingLink { link, target } = DanglingLink::above(storage, folder)?;
    let [link, target] = [shown(&link), shown(&target)];
    Some(format!("{link} is a link to {target}, which is not there; attach the disk that it is on, make that folder, or remove the link"))
}

/// Makes a file and removes it again.
fn can_write(storage: &dyn Storage, folder: &Path) -> Result<(), StorageError> {
    let temp = storage.create_temp(&folder.join("doctor"))?;
    drop(temp.writer);
    storage.remove(&temp.path)
}

/// A path without the name of the user.
fn shown(path: &Path) -> String {
    without_home(&path.display().to_string(), crash::home().as_deref())
}

/// What the settings allow.
fn limits_text(settings: &Settings) -> String {
    let MemorySettings { map_megabytes, mesh_megabytes, history_megabytes } = settings.memory;
    let [map, mesh, history] = [map_megabytes, mesh_megabytes, history_megabytes].map(grouped);
    let versions = match (settings.versions.count as u64, settings.versions.days) {
        (0, _) => "no earlier version of a map is kept".to_owned(),
        (count, days) => format!("{} of a map, {} at most", some(count, "earlier version", "earlier versions"), some(days, "day", "days")),
    };
    format!("{map} MB of memory for a map, {mesh} MB for drawing it, {history} MB for its steps; {versions}")
}

/// What is wrong with the memory that the settings allow.
fn memory_problem(memory: MemorySettings) -> Option<String> {
    let MemorySettings { map_megabytes: allowed, mesh_megabytes: drawn, .. } = memory;
    let is_too_little = allowed < LEAST_MAP_MEGABYTES;
    let of_map = || {
        format!("the settings allow a map {allowed} MB of memory, so that hardly one opens: take memory: {{map_megabytes: …}} out of them")
    };
    let of_mesh = || {
        "the settings allow 0 MB of memory for drawing, so that nothing is seen: take memory: {mesh_megabytes: …} out of them".to_owned()
    };
    if is_too_little { Some(of_map()) } else { (drawn == 0).then(of_mesh) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::storage::RealStorage;

    #[test]
    fn the_limits_of_the_settings_are_told() {
        let mut settings = Settings::default();
        let told =
            "2,048 MB of memory for a map, 1,024 MB for drawing it, 537 MB for its steps; 20 earlier versions of a map, 60 days at most";
        assert_eq!(limits_text(&settings), told);
        settings.versions.count = 0;
        assert!(limits_text(&settings).ends_with("; no earlier version of a map is kept"));
    }

    #[test]
    fn a_folder_of_ours_that_is_of_no_use_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let [versions, journals] = ["versions", "journals"].map(|name| folder.path().join(name));
        std::fs::write(&versions, b"x").unwrap();
        let problem = |folder: &Path| folder_problem(&RealStorage, folder, "nothing is kept");
        assert!(problem(&versions).is_some_and(|problem| problem.contains("versions cannot be written, nothing is kept: ")));
        assert_eq!(problem(&journals), None, "it is made when it is needed");
        std::fs::create_dir(&journals).unwrap();
        assert_eq!(problem(&journals), None);
    }

    #[test]
    fn memory_in_which_no_map_opens_is_a_problem() {
        let of = |map_megabytes| memory_problem(MemorySettings { map_megabytes, ..MemorySettings::default() });
        assert!(of(0).is_some_and(|problem| problem.starts_with("the settings allow a map 0 MB of memory")));
        assert_eq!(memory_problem(MemorySettings::default()), None);
        let drawn = |mesh_megabytes| memory_problem(MemorySettings { mesh_megabytes, ..MemorySettings::default() });
        assert!(drawn(0).is_some_and(|problem| problem.contains("nothing is seen")) && drawn(1).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_behind_a_link_that_leads_nowhere_is_wrong_and_not_one_that_is_made_later() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("state"), folder.path().join("disk"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let told = format!("{} is a link to {}, which is not there; attach", shown(&link), shown(&target));
        let mut found = Findings::default();
        found.folder(&RealStorage, "state", Some(&link));
        assert!(matches!(&found.problems[..], [told_here] if told_here.contains(&told)), "{found:?}");
        assert!(matches!(&found.facts[..], [(_, fact)] if fact.ends_with("state, cannot be made")), "{found:?}");
        for inside in [link.join("journals"), link.clone()] {
            assert!(folder_problem(&RealStorage, &inside, "nothing is kept").is_some_and(|problem| problem.contains(&told)));
        }
        std::fs::create_dir(&target).unwrap();
        assert_eq!(folder_problem(&RealStorage, &link.join("journals"), "nothing is kept"), None);
    }
}
