//! `convert` on a folder: every map in it and in the folders below, one after the other.
//!
//! Nothing is written outside the output folder: links in it are not followed. Links to folders are not
//! followed on the way in either, so that no circle is walked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, ensure};
use serde_json::{Value, json};

use super::super::files::{LossDenied, Origin, open_to_save, save};
use super::super::output::saved_reply;
use super::super::progress::Counter;
use super::super::{Reply, error};
use super::{Convert, as_json};
use crate::editor::files::sidecar_path;
use crate::editor::storage::{RealStorage, Storage, StorageError};
use crate::format::{SIDECARS, map_format_by_extension};

/// Folders within folders that are looked into.
const MOST_LEVELS: usize = 64;

impl Convert {
    pub(super) fn convert_folder(&self, extension: &str) -> anyhow::Result<Reply> {
        let mut found = Found { output: std::path::absolute(&self.to).ok(), ..Found::default() };
        found.walk(&RealStorage, &self.from, Path::new(""), 0).map_err(|reason| error::storage(&reason))?;
        ensure!(!found.maps.is_empty(), "{}: no maps in this folder", self.from.display());
        let mut reply = Reply { warnings: found.notes, ..Reply::default() };
        let (mut files, mut made) = (vec![], BTreeMap::<PathBuf, PathBuf>::new());
        let mut counter = Counter::new(found.maps.len(), self.json);
        for relative in &found.maps {
            counter.next(&relative.display().to_string());
            let (from, to) = (self.from.join(relative), self.to.join(relative.with_extension(extension)));
            // A map of the folder that lies in the way was not read yet, or is read next time.
            let replaced = found.maps.iter().map(|other| self.from.join(other)).find(|other| *other != from && same_place(other, &to));
            let result = match made.get(&to) {
                _ if let Some(other) = replaced => {
                    Err(anyhow!("{}: not converted: it would replace {}, which is a map of the folder", from.display(), other.display()))
                }
                Some(other) => {
                    Err(anyhow!("{}: not converted: {} was already made from {}", from.display(), to.display(), other.display()))
                }
                None => self.convert_within(&from, &to),
            };
            match result {
                Ok((value, told)) => {
                    files.push(value);
                    if told.failed {
                        reply.errors.extend(told.errors);
                        continue;
                    }
                    if !self.json {
                        reply.warnings.extend(told.warnings);
                    }
                    made.insert(to, from);
                }
                Err(failure) => {
                    let failure = failure.to_string();
                    files.push(json!({ "from": { "file": from.display().to_string() }, "error": &failure }));
                    reply.errors.push(failure);
                }
            }
        }
        drop(counter);
        reply.failed = !reply.errors.is_empty();
        let (good, bad) = (made.len(), reply.errors.len());
        reply.text = if self.json {
            reply.errors.clear();
            let answer = json!({
                "from": self.from.display().to_string(),
                "to": self.to.display().to_string(),
                "files": files,
                "converted": good,
                "failed": bad,
            });
            format!("{answer:#}\n")
        } else {
            let failed = if bad == 0 { String::new() } else { format!(", {bad} failed") };
            format!("Converted {good} of {} maps to {}{failed}\n", found.maps.len(), self.to.display())
        };
        Ok(reply)
    }

    /// The answer about one map; the reply has failed where something would be lost that must not be.
    fn convert_within(&self, from: &Path, to: &Path) -> anyhow::Result<(Value, Reply)> {
        let (opened, asked) = open_to_save(from, to, &self.settings, &self.target)?;
        make_folders(&RealStorage, &self.to, to)?;
        let origin = Origin { opened: &opened, paths: (from, to), asked: &asked };
        let saved = match save(origin, &self.settings, &self.target) {
            Ok(saved) => saved,
            Err(reason) => {
                let Some(mut value) = LossDenied::as_json(&reason, from, opened.format) else { return Err(reason) };
                let reason = reason.to_string();
                value["error"] = json!(&reason);
                return Ok((value, Reply { errors: vec![reason], failed: true, ..Reply::default() }));
            }
        };
        let told = saved_reply(from, to, &opened, &saved, "");
        Ok((as_json(from, to, opened, saved), told))
    }
}

/// Whether both paths name one place.
fn same_place(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| std::path::absolute(path).ok();
    whole(a).is_some() && whole(a) == whole(b)
}

/// Makes the folders for a file below `root`, and fails where a link could lead a file out of it.
fn make_folders(storage: &dyn Storage, root: &Path, file: &Path) -> anyhow::Result<()> {
    let check = |path: &Path| {
        let target = storage.resolve(path).map_err(|reason| error::storage(&reason))?;
        ensure!(target == path, "{}: not written, because {} is a link", file.display(), path.display());
        Ok(())
    };
    let folder = file.parent().unwrap_or(root);
    // Whoever names a link as OUT means where it leads.
    for above in folder.ancestors().take_while(|above| *above != root) {
        check(above)?;
    }
    storage.create_folder(folder).map_err(|reason| error::storage(&reason))?;
    check(file)?;
    SIDECARS.iter().try_for_each(|sidecar| check(&sidecar_path(file, sidecar.suffix())))
}

/// The maps of a folder.
#[derive(Debug, Default)]
struct Found {
    /// The output folder, which is not looked into.
    output: Option<PathBuf>,
    /// Paths relative to the folder, in order.
    maps: Vec<PathBuf>,
    /// What was passed over, and why.
    notes: Vec<String>,
}

impl Found {
    fn walk(&mut self, storage: &dyn Storage, root: &Path, relative: &Path, level: usize) -> Result<(), StorageError> {
        for path in storage.list(&root.join(relative))? {
            let Some(name) = path.file_name() else { continue };
            // Hidden files and folders are nobody's maps; our own temporary files are among them.
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            let below = relative.join(name);
            let is_folder = match storage.info(&path) {
                Ok(info) => info.is_folder,
                Err(error) => {
                    self.notes.push(format!("{}: passed over: {}", path.display(), error.reason_in_words()));
                    continue;
                }
            };
            if !is_folder {
                if is_map(&below) {
                    self.maps.push(below);
                }
            } else if std::path::absolute(&path).ok() == self.output {
                // What an earlier call made there is not converted again.
            } else if level == MOST_LEVELS || storage.resolve(&path)? != path {
                let why = if level == MOST_LEVELS { "too deep" } else { "a link to a folder" };
                self.notes.push(format!("{}: passed over: {why}", path.display()));
            } else if let Err(error) = self.walk(storage, root, &below, level + 1) {
                self.notes.push(format!("{}: passed over: {}", path.display(), error.reason_in_words()));
            }
        }
        Ok(())
    }
}

/// Whether a file has the name of a map and not that of a file beside one.
fn is_map(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.and_then(map_format_by_extension).is_some() && !SIDECARS.iter().any(|sidecar| name.ends_with(sidecar.suffix()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_told_from_what_lies_beside_them_by_name() {
        let names = ["a.vxl", "b.VMF", "a.txt", "a.spadework.yaml", "a.toml", "vxl", "a.vxl.bak"];
        assert_eq!(names.map(|name| is_map(Path::new(name))), [true, true, false, false, false, false, false]);
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_neither_in_circles_nor_out_of_the_output_folder() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("in/deep")).unwrap();
        std::fs::create_dir_all(at("out")).unwrap();
        std::fs::write(at("in/deep/a.vxl"), "").unwrap();
        symlink("..", at("in/deep/up")).unwrap();
        symlink("nowhere", at("in/gone.vxl")).unwrap();
        let mut found = Found::default();
        found.walk(&RealStorage, &at("in"), Path::new(""), 0).unwrap();
        assert_eq!(found.maps, [Path::new("deep/a.vxl")]);
        assert!(found.notes.len() == 2 && found.notes[0].contains("deep/up: passed over: a link"), "{:?}", found.notes);

        make_folders(&RealStorage, &at("out"), &at("out/new/a.vmf")).unwrap();
        symlink("../in", at("out/deep")).unwrap();
        symlink("../in/deep/a.vxl", at("out/a.vmf")).unwrap();
        symlink("../in/other.yaml", at("out/b.spadework.yaml")).unwrap();
        for file in ["out/deep/a.vmf", "out/deep/x/a.vmf", "out/a.vmf", "out/b.vmf"] {
            let failure = make_folders(&RealStorage, &at("out"), &at(file)).unwrap_err().to_string();
            assert!(failure.contains("is a link"), "{failure}");
        }
        assert!(!at("in/x").exists());
    }
}
