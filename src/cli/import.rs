//! `import`: makes a map of a file from another program, or puts it into a map.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail, ensure};
use clap::{Args, FromArgMatches as _};
use serde_json::json;

use super::files::{LossDenied, Target, check_name, extend_once, left_behind, open_options, save_with, within_memory};
use super::output::{losses_json, warnings_json};
use super::place::Place;
use super::settings::{kind_text, parse_value};
use super::{Example, Reply, Verb, error};
use crate::document::{Document, Options, Progress};
use crate::edit::{History, Note, plan};
use crate::editor::files::{ImportOptions, ImportedFile, Overwrite, SaveOptions, SavePlace, Stamps, import_file, open_map};
use crate::editor::storage::RealStorage;
use crate::format::{IMPORTS, Import, OptionSpec, Report, Severity, import, map_format_by_extension};

/// The verb.
pub const VERB: Verb = Verb {
    name: "import",
    about: "Make a map of a MagicaVoxel, KV6 or KVX model or a heightmap, or put it into a map",
    examples: &[
        Example { line: "spadework import hills.png -o hills.vxl --color colors.png", about: "Make a map of a heightmap and its colors" },
        Example { line: "spadework import hills.png -o low.vmf --set high=40 --set curve=2.2", about: "Make flatter land of it" },
        Example { line: "spadework import tree.vox -o tree.vxl", about: "Put a model on a water plane of its own" },
        Example {
            line: "spadework import tree.vox --into castle.vxl --at 30,30,20 -o grown.vxl",
            about: "Put it into a map, the middle of its foot at a place",
        },
    ],
    arguments: ImportFile::augment_args,
    run: |matches| ImportFile::from_arg_matches(matches)?.run(),
};

#[derive(Debug, Args)]
struct ImportFile {
    /// Model or heightmap to read; its content decides what it is, then its extension
    #[arg(value_name = "IN")]
    file: PathBuf,
    /// Map to write; its extension decides the format
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Picture with the colors of a heightmap, of the same size
    #[arg(long, value_name = "IMAGE.png")]
    color: Option<PathBuf>,
    /// Map to put it into; OUT is that map with it
    #[arg(long, value_name = "MAP", requires = "at")]
    into: Option<PathBuf>,
    /// Place of its anchor in the map: its pivot, or the middle of the layer it stands on; of a heightmap the corner
    #[arg(long, value_name = "X,Y,Z", requires = "into", allow_hyphen_values = true)]
    at: Option<Place>,
    /// Option of the import or of OUT's format; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE", long_help = set_help())]
    values: Vec<String>,
    #[command(flatten)]
    target: Target,
    /// Answer one JSON object, warnings included
    #[arg(long)]
    json: bool,
}

/// The map that a file became, or was put into.
struct Receiving {
    document: Document,
    /// Its files, where it was opened.
    stamps: Stamps,
    /// What was found when it was opened.
    report: Report,
}

impl ImportFile {
    fn run(&self) -> anyhow::Result<Reply> {
        let (own, for_save) = self.options()?;
        check_name(&self.output)?;
        let named: Vec<String> = own.keys().filter(|name| !for_save.contains_key(*name)).cloned().collect();
        let options = ImportOptions { import: None, options: own, colors: self.color.as_deref() };
        let progress = Progress::new();
        let (asked, told) = self.target.as_it_stands(self.into.as_deref(), &self.output);
        let imported = import_file(&RealStorage, &self.file, &options, &progress).map_err(|reason| error::import(&self.file, &reason))?;
        let label = import(imported.import).map_or(imported.import, |import| import.label());
        self.check_options(&named, &imported)?;
        let mut report = imported.report.clone();
        let Receiving { document, stamps, report: mut of_map } = self.document(&imported, &for_save, &mut report)?;
        extend_once(&mut of_map, told);
        let (to, options) = self.target_of(for_save, &stamps, asked);
        if options.place != SavePlace::Own {
            report.extend(left_behind(&of_map));
        }
        let mut all = report.clone();
        match self.into.as_ref().and_then(|into| into.file_name()) {
            Some(name) => all.extend_about(&name.to_string_lossy(), of_map.clone()),
            None => all.extend(of_map.clone()),
        }
        let saved = match save_with(&document, &all, to, &options, &self.target) {
            Err(reason) if self.json => return LossDenied::as_reply(&reason, &self.file, imported.import).ok_or(reason),
            saved => saved?,
        };
        let size = imported.content.store.bounds().size();
        if self.json {
            all.extend(saved.report);
            return Ok(Reply::json(&json!({
                "from": { "file": self.file.display().to_string(), "format": imported.import, "size": size.to_array(),
                    "anchor": imported.content.anchor.to_array() },
                "to": { "file": self.output.display().to_string(), "format": saved.format },
                "written": saved.written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
                "losses": losses_json(&all),
                "warnings": warnings_json(&all),
            })));
        }
        let text = format!("{label}, {}×{}×{} voxels\nSaved {}\n", size.x, size.y, size.z, self.output.display());
        let into = self.into.as_ref().unwrap_or(&self.file);
        Ok(Reply::text(text).warn(&self.file, &report).warn(into, &of_map).warn(&self.output, &saved.report))
    }

    /// Where the map is saved, and how; `stamps` are the files of the one that it was put into.
    fn target_of(&self, options: Options, stamps: &Stamps, asked: Overwrite) -> (&Path, SaveOptions) {
        let from = self.into.as_deref();
        let (to, save) = self.target.saving((from.unwrap_or(Path::new("")), &self.output), stamps, asked);
        (to, SaveOptions { options, ..save })
    }

    /// The map to write; adds to the report of the file what becomes of it there.
    fn document(&self, imported: &ImportedFile, for_save: &Options, report: &mut Report) -> anyhow::Result<Receiving> {
        let in_file = |path: &Path, reason: &dyn std::fmt::Display| anyhow!("{}: {reason}", path.display());
        let progress = Progress::new();
        let (Some(into), Some(Place(at))) = (&self.into, self.at) else {
            let document = imported.document(&progress).map_err(|reason| in_file(&self.file, &reason))?;
            let document = within_memory(document).map_err(|reason| in_file(&self.file, &error::memory(&reason)))?;
            return Ok(Receiving { document, stamps: Stamps::default(), report: Report::new() });
        };
        let opened = open_map(&RealStorage, into, &open_options(), &progress).map_err(|reason| error::open(into, &reason))?;
        let command = imported.paste(at).map_err(|reason| in_file(&self.file, &reason))?;
        let mut document = opened.document;
        let mut change = plan(&document, &command, &progress).map_err(|reason| in_file(into, &reason))?;
        for note in std::mem::take(&mut change.notes) {
            // What falls outside the map is in no file.
            let severity = if matches!(note, Note::Clipped { .. }) { Severity::Loss } else { Severity::Problem };
            report.push(severity, "import", note.to_string());
        }
        // Nothing is undone here.
        History::with_budget(0).commit(&mut document, change);
        if let Some(format) = self.output.extension().and_then(|extension| map_format_by_extension(extension.to_str()?)) {
            report.extend(imported.lost_within(format, for_save, &progress).map_err(|reason| in_file(&self.file, &reason))?);
        }
        Ok(Receiving { document, stamps: opened.stamps, report: opened.report })
    }

    /// Whether the import that was found has the options.
    fn check_options(&self, names: &[String], imported: &ImportedFile) -> anyhow::Result<()> {
        let has = |import: &dyn Import, name: &str| import.options().iter().any(|spec| spec.name == name);
        let Some(own) = import(imported.import) else { return Ok(()) };
        let Some(name) = names.iter().find(|name| !has(own, name)) else { return Ok(()) };
        let others: Vec<_> = IMPORTS.iter().filter(|import| has(**import, name)).map(|import| import.label()).collect();
        bail!(
            "--set {name}: {} is read as {}, which has no such option; it is one of: {}",
            self.file.display(),
            own.label(),
            others.join(", ")
        )
    }

    /// What `--set` says, for the import and for saving.
    fn options(&self) -> anyhow::Result<(Options, Options)> {
        let (mut own, mut for_save) = (Options::new(), Options::new());
        let format = self.output.extension().and_then(|extension| map_format_by_extension(extension.to_str()?));
        for text in &self.values {
            let (name, value) = text.split_once('=').ok_or_else(|| anyhow!("--set {text}: not of the form KEY=VALUE"))?;
            let imports = IMPORTS.iter().flat_map(|import| import.options()).map(|spec| (spec, false));
            let formats = format.iter().flat_map(|format| format.options()).map(|spec| (spec, true));
            let found: Vec<(&OptionSpec, bool)> = imports.chain(formats).filter(|(spec, _)| spec.name == name).collect();
            let Some((spec, _)) = found.first() else {
                return Err(anyhow!("--set {text}: neither an import nor the format of {} has this option", self.output.display()));
            };
            for (spec, is_for_save) in &found {
                if let Some(value) = parse_value(spec.kind, value) {
                    if *is_for_save { &mut for_save } else { &mut own }.insert(name.to_owned(), value);
                }
            }
            ensure!(own.contains_key(name) || for_save.contains_key(name), "--set {text}: {name} takes {}", kind_text(spec.kind));
        }
        Ok((own, for_save))
    }
}

/// The options of all imports.
fn set_help() -> String {
    let line =
        |import: &dyn Import, spec: &OptionSpec| format!("  {} {}: {}\n      {}", import.id(), spec.name, kind_text(spec.kind), spec.help);
    let lines = IMPORTS.iter().flat_map(|import| import.options().iter().map(move |spec| line(*import, spec)));
    let lines: Vec<String> = lines.collect();
    format!("Option of the import or of OUT's format; may be given several times. Options of the imports:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::document::GameProfile;
    use crate::editor::files::{SaveError, save_map};
    use crate::geom::Region;
    use crate::voxel::Store;

    #[test]
    fn what_somebody_saves_to_a_map_while_something_is_put_into_it_stays() {
        let folder = tempfile::tempdir().unwrap();
        let map = folder.path().join("castle.vxl");
        let progress = Progress::new();
        let document = Document::new(Store::new(Region::of_size(IVec3::splat(64))), &GameProfile::ACE_OF_SPADES);
        save_map(&RealStorage, &document, &map, &SaveOptions::default(), &progress).unwrap();
        let order = |output: &str| ImportFile {
            file: "tree.kv6".into(),
            output: folder.path().join(output),
            color: None,
            into: Some(map.clone()),
            at: None,
            values: vec![],
            target: Target { overwrite: true, deny_loss: false },
            json: false,
        };
        let opened = open_map(&RealStorage, &map, &open_options(), &progress).unwrap();
        let asked = |output: &str| order(output).target.as_it_stands(None, &folder.path().join(output)).0;
        let save = |output: &str, asked: Overwrite| {
            let order = order(output);
            let (to, options) = order.target_of(Options::new(), &opened.stamps, asked);
            save_map(&RealStorage, &opened.document, to, &options, &progress)
        };
        save("castle.vxl", asked("castle.vxl")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&map, folder.path().join("link.vxl")).unwrap();
        let [before, of_link] = [asked("castle.vxl"), asked("link.vxl")];
        std::fs::write(&map, "theirs").unwrap();
        assert!(matches!(save("castle.vxl", before), Err(SaveError::ChangedOnDisk { path }) if path == map));
        assert_eq!(std::fs::read(&map).unwrap(), b"theirs");
        #[cfg(unix)]
        {
            assert!(matches!(save("link.vxl", of_link), Err(SaveError::ChangedOnDisk { path }) if path.ends_with("link.vxl")));
            assert_eq!(std::fs::read(&map).unwrap(), b"theirs");
        }
        // What else stands there was to be replaced, and what came since was not.
        let tower = folder.path().join("tower.vxl");
        let before = asked("tower.vxl");
        std::fs::write(&tower, "theirs").unwrap();
        assert!(matches!(save("tower.vxl", before), Err(SaveError::ChangedOnDisk { path }) if path == tower));
        save("tower.vxl", asked("tower.vxl")).unwrap();
    }
}
