//! `diff`: what differs between two maps, of whatever formats.

mod picture;

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, FromArgMatches as _};
use serde_json::{Map, Value, json};

use super::files::{check_settings, open};
use super::output::{Labels, object_text, pos_text, value_text, volumes_json, warnings_json};
use super::settings::Settings;
use super::{Example, Reply, Verb, error};
use crate::document::{
    DocumentDiff, Object, ObjectChange, Placement, Progress, Property, SectorTally, Tally, VolumeDiff, VoxelChanges, grouped,
};
use crate::editor::files::Opened;
use crate::editor::storage::{RealStorage, write_file};

/// The verb.
pub const VERB: Verb = Verb {
    name: "diff",
    about: "Show what differs between two maps, also of different formats: voxels, objects, metadata, size",
    examples: &[
        Example { line: "spadework diff castle.vxl maps/castle.vxl", about: "Say what differs, or that nothing does" },
        Example {
            line: "spadework diff castle.vxl maps/castle.vxl --exit-code --json",
            about: "For other programs; exits with 1 where they differ",
        },
        Example { line: "spadework diff castle.vxl maps/castle.vxl --png changes.png", about: "Draw a plan of what differs, too" },
    ],
    arguments: Diff::augment_args,
    run: |matches| {
        let diff = Diff::from_arg_matches(matches)?;
        diff.run().map_err(|reason| if diff.exit_code && !reason.is::<clap::Error>() { error::Unanswered(reason).into() } else { reason })
    },
};

/// Most sectors that the text names.
const MOST_SECTORS: usize = 8;

/// Most objects that the text names.
const MOST_OBJECTS: usize = 40;

#[derive(Debug, Args)]
struct Diff {
    /// Map as it was
    #[arg(value_name = "A")]
    before: PathBuf,
    /// Map as it is
    #[arg(value_name = "B")]
    after: PathBuf,
    /// Exit with 1 where the maps differ, and with 2 where they cannot be compared
    #[arg(long)]
    exit_code: bool,
    /// Picture to write: B from above in grey, with added columns blue, removed red, recolored yellow; an older picture is replaced
    #[arg(long, value_name = "OUT.png")]
    png: Option<PathBuf>,
    /// Answer one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Settings,
}

impl Diff {
    fn run(&self) -> anyhow::Result<Reply> {
        if let Some(path) = &self.png {
            // Before the work: a map given as OUT by mistake must stay whole.
            super::files::check_picture(&RealStorage, path)?;
        }
        let [before, after] = [open(&self.before, &self.settings)?, open(&self.after, &self.settings)?];
        check_settings(&self.after, &[&before, &after], None, &self.settings)?;
        let diff = DocumentDiff::between(&before.document, &after.document, &Progress::new())?;
        if let Some(path) = &self.png {
            let png = picture::draw(&before.document, &after.document).map_err(|reason| anyhow::anyhow!("{}: {reason}", path.display()))?;
            write_file(&RealStorage, path, &png).map_err(|reason| error::storage(&reason))?;
        }
        let reply = if self.json {
            Reply::json(&self.as_json(&diff, &before, &after))
        } else {
            Reply::text(self.as_text(&diff, same_bytes(&before, &after)))
                .warn(&self.before, &before.report)
                .warn(&self.after, &after.report)
        };
        Ok(Reply { failed: self.exit_code && !diff.is_empty(), ..reply })
    }

    fn as_json(&self, diff: &DocumentDiff, before: &Opened, after: &Opened) -> Value {
        let side = |path: &PathBuf, opened: &Opened| {
            json!({
                "file": path.display().to_string(),
                "format": opened.format,
                "size": opened.document.bounds().size().to_array(),
                "origin": opened.document.bounds().min().to_array(),
                "volumes": volumes_json(&opened.document),
                "warnings": warnings_json(&opened.report),
            })
        };
        let voxels = voxels_json(&diff.voxels);
        let sectors: Map<String, Value> = diff.sectors.iter().map(|(sector, tally)| (sector.to_string(), sector_json(tally))).collect();
        json!({
            "a": side(&self.before, before),
            "b": side(&self.after, after),
            "differ": !diff.is_empty(),
            "same_bytes": same_bytes(before, after),
            "voxels": voxels,
            "volumes": diff.volumes.iter().enumerate().map(volume_json).collect::<Value>(),
            "sectors": sectors,
            "objects": objects_json(&diff.objects),
            "metadata": diff.metadata.iter().flat_map(property_json).collect::<Map<String, Value>>(),
            "picture": self.png.as_ref().map(|path| path.display().to_string()),
        })
    }

    fn as_text(&self, diff: &DocumentDiff, same_bytes: Option<bool>) -> String {
        let mut text = String::new();
        let mut line = |label: &str, value: &str| {
            // Writing to a string cannot fail.
            writeln!(text, "  {label:<10} {value}").ok();
        };
        if let [only] = &*diff.volumes {
            place_texts(only).iter().for_each(|place| line("Grid", place));
            if let Some(sizes) = size_text(only) {
                line("Size", &sizes);
            }
            for (label, _, tally) in tallies(&only.voxels).filter(|(_, _, tally)| tally.count > 0) {
                line(label, &tally_text(tally));
            }
        } else {
            let mut labels = Labels::new("Volumes");
            for (number, volume) in diff.volumes.iter().enumerate() {
                line(labels.next(), &volume_text(number, volume));
            }
        }
        let mut labels = Labels::new("Sectors");
        let mut sectors: Vec<_> = diff.sectors.iter().collect();
        // The sort keeps the order of those that differ in as many voxels.
        sectors.sort_by_key(|(_, tally)| Reverse(tally.added + tally.removed + tally.recolored));
        for (sector, tally) in sectors.iter().take(MOST_SECTORS) {
            line(labels.next(), &format!("{sector}: {}", sector_text(tally)));
        }
        if sectors.len() > MOST_SECTORS {
            line("", &format!("and {} sectors with less", sectors.len() - MOST_SECTORS));
        }
        let mut labels = Labels::new("Objects");
        for change in diff.objects.iter().take(MOST_OBJECTS) {
            line(labels.next(), &change_text(change));
        }
        if let Some(more) = diff.objects.len().checked_sub(MOST_OBJECTS).filter(|more| *more > 0) {
            line("", &format!("and {} more; --json has all", grouped(more as u64)));
        }
        let mut labels = Labels::new("Metadata");
        for (name, value) in diff.metadata.iter().flat_map(property_json) {
            line(labels.next(), &format!("{}: {} → {}", name.replace('_', " "), value_text(&value["from"]), value_text(&value["to"])));
        }
        let half_known = diff.volumes.iter().any(|volume| volume.voxels.half_known.count > 0);
        let what = match (diff.is_empty(), half_known) {
            (false, _) => "differ",
            // Told below; formats differ in what they know of hidden voxels.
            (true, true) => "no difference but in what is known of hidden voxels",
            (true, false) if same_bytes == Some(false) => {
                "no difference in voxels, objects or metadata; the files differ in bytes that are kept, but not compared"
            }
            (true, false) => "no difference",
        };
        let picture = self.png.as_ref().map_or(String::new(), |path| format!("Saved {}\n", path.display()));
        format!("{}, {}: {what}\n{text}{picture}", self.before.display(), self.after.display())
    }
}

/// Whether two files of one format are the same byte for byte; `None` where that is not known.
fn same_bytes(before: &Opened, after: &Opened) -> Option<bool> {
    let [before, after] = [before.document.source.as_ref()?, after.document.source.as_ref()?];
    // Of files that are streamed not all bytes are kept.
    let is_whole = before.format == after.format && before.format != "vmf";
    is_whole.then(|| before.bytes == after.bytes)
}

/// Label, name in JSON and tally of each way in which voxels differ.
fn tallies(voxels: &VoxelChanges) -> impl Iterator<Item = (&'static str, &'static str, &Tally)> {
    [
        ("Added", "added", &voxels.added),
        ("Removed", "removed", &voxels.removed),
        ("Recolored", "recolored", &voxels.recolored),
        ("Shade", "reshaded", &voxels.reshaded),
        ("Attributes", "altered", &voxels.altered),
        // Formats differ in what they know of hidden voxels: told, but no difference.
        ("Half known", "half_known", &voxels.half_known),
    ]
    .into_iter()
}

fn voxels_json(voxels: &VoxelChanges) -> Value {
    tallies(voxels).map(|(_, name, tally)| (name.to_owned(), tally_json(tally))).collect::<Map<String, Value>>().into()
}

fn volume_json((number, diff): (usize, &VolumeDiff)) -> Value {
    let [a, b] = diff.bounds;
    let places = diff.placements.map(|place| place.map(|place| json!({ "position": place.position, "rotation": place.rotation })));
    json!({ "volume": number, "titles": diff.titles, "a": a, "b": b, "places": places, "differ": !diff.is_empty(), "voxels": voxels_json(&diff.voxels) })
}

/// Names and places in the world where they differ.
fn place_texts(diff: &VolumeDiff) -> Vec<String> {
    let titles = diff.titles.each_ref().map(|title| title.as_deref().unwrap_or_default());
    let name = diff.is_renamed.then(|| format!("called {} → {}", titles[0], titles[1]));
    let place = if let [Some(old), Some(new)] = diff.placements { Some((old, new)).filter(|(old, new)| old != new) } else { None };
    let text = |place: Placement| {
        // Nothing lies at −0.
        let [x, y] = place.position.map(|along| along + 0.0);
        let turn = if place.rotation == 0.0 { String::new() } else { format!(", turned by {:.1}°", place.rotation.to_degrees()) };
        let world = place.world.map_or(String::new(), |world| format!(" of world {world}"));
        format!("{x},{y}{turn}{world}")
    };
    name.into_iter().chain(place.map(|(old, new)| format!("place {} → {}", text(old), text(new)))).collect()
}

/// The sizes where they differ.
fn size_text(diff: &VolumeDiff) -> Option<String> {
    let [old, new] = diff.bounds.map(|bounds| {
        bounds.map_or("nothing".to_owned(), |bounds| {
            let (size, min) = (bounds.size(), bounds.min());
            format!("{} × {} × {} from {}", size.x, size.y, size.z, pos_text(min))
        })
    });
    (old != new).then(|| format!("{old} → {new}"))
}

/// `1 Shuttle (uid 20): recolored 3 voxels, 1,2,0 to 3,2,0`.
fn volume_text(number: usize, diff: &VolumeDiff) -> String {
    let [old, new] = &diff.titles;
    let title = new.as_ref().or(old.as_ref()).map_or("", |title| title);
    let voxels = tallies(&diff.voxels).filter(|(_, _, tally)| tally.count > 0);
    let voxels = voxels.map(|(label, _, tally)| format!("{} {}", label.to_lowercase(), tally_text(tally)));
    let parts: Vec<String> = place_texts(diff).into_iter().chain(size_text(diff)).chain(voxels).collect();
    format!("{number} {title}: {}", if parts.is_empty() { "no difference".to_owned() } else { parts.join("; ") })
}

fn tally_text(tally: &Tally) -> String {
    let last = tally.bounds.max() - 1;
    let voxels = if tally.count == 1 { "voxel" } else { "voxels" };
    format!("{} {voxels}, {} to {}", grouped(tally.count), pos_text(tally.bounds.min()), pos_text(last))
}

fn tally_json(tally: &Tally) -> Value {
    json!({ "count": tally.count, "box": (tally.count > 0).then_some(tally.bounds) })
}

fn sector_text(tally: &SectorTally) -> String {
    let SectorTally { added, removed, recolored } = *tally;
    let parts = [(added, "added"), (removed, "removed"), (recolored, "recolored")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{} {what}", grouped(count)));
    parts.collect::<Vec<_>>().join(", ")
}

fn sector_json(tally: &SectorTally) -> Value {
    json!({ "added": tally.added, "removed": tally.removed, "recolored": tally.recolored })
}

fn change_text(change: &ObjectChange) -> String {
    match change {
        ObjectChange::Added(object) => format!("added: {}", object_text(object)),
        ObjectChange::Removed(object) => format!("removed: {}", object_text(object)),
        ObjectChange::Changed(old, new) if object_text(old) == object_text(new) => {
            format!("changed: {}, another height", object_text(old))
        }
        ObjectChange::Changed(old, new) => format!("changed: {} → {}", object_text(old), object_text(new)),
    }
}

fn objects_json(changes: &[ObjectChange]) -> Value {
    let (mut added, mut removed, mut changed): (Vec<&Object>, Vec<&Object>, Vec<Value>) = Default::default();
    for change in changes {
        match change {
            ObjectChange::Added(object) => added.push(object),
            ObjectChange::Removed(object) => removed.push(object),
            ObjectChange::Changed(old, new) => changed.push(json!({ "from": old, "to": new })),
        }
    }
    json!({ "added": added, "removed": removed, "changed": changed })
}

/// Name of the property in scripts, and its values.
fn property_json([old, new]: &[Property; 2]) -> Option<(String, Value)> {
    let one = |property: &Property| match serde_json::to_value(property) {
        Ok(Value::Object(one)) => one.into_iter().next(),
        _ => None,
    };
    let ((name, old), (_, new)) = (one(old)?, one(new)?);
    Some((name, json!({ "from": old, "to": new })))
}
