//! `info`: what a map file holds.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, FromArgMatches as _};
use serde_json::{Map, Value, json};

use super::files::{check_settings, open};
use super::output::{Labels, object_text, pos_text, problem_text, problems_json, value_text, volumes_json, warning_text, warnings_json};
use super::settings::Settings;
use super::{Example, Reply, Verb};
use crate::check::check;
use crate::document::{Document, Object, SidecarSource, Volume, grouped};
use crate::editor::files::{Opened, sidecar_path};
use crate::format::{map_format, sidecar};

/// The verb.
pub const VERB: Verb = Verb {
    name: "info",
    about: "Show what a map holds: size, voxels, colors, objects, metadata, sidecars, warnings and problems",
    examples: &[
        Example { line: "spadework info castle.vxl", about: "Show what the map and the files beside it hold" },
        Example { line: "spadework info castle.vxl --json", about: "The same for other programs" },
    ],
    arguments: Info::augment_args,
    run: |matches| Info::from_arg_matches(matches)?.run(),
};

/// Objects that are listed one by one, and kinds of them where there are more.
const MAX_LINES: usize = 40;

#[derive(Debug, Args)]
struct Info {
    /// Map to look at
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Answer one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Settings,
}

impl Info {
    fn run(&self) -> anyhow::Result<Reply> {
        let opened = open(&self.file, &self.settings)?;
        check_settings(&self.file, &[&opened], None, &self.settings)?;
        if self.json { Ok(Reply::json(&as_json(&self.file, &opened))) } else { Ok(Reply::text(as_text(&self.file, &opened))) }
    }
}

/// Voxels and colors counted over all volumes.
#[derive(Debug, Default)]
struct Counts {
    solid: u64,
    colored: u64,
    colors: u64,
}

impl Counts {
    fn of(document: &Document) -> Self {
        let mut counts = Self::default();
        // One bit for each of the 2²⁴ colors: real maps have a hundred thousand.
        let mut seen = vec![0_u64; 1 << 18];
        for chunk in document.volumes().iter().flat_map(|volume| volume.store.chunks()).map(|(_, chunk)| chunk) {
            counts.solid += u64::from(chunk.solid_count());
            counts.colored += u64::from(chunk.known_count());
            for word in (0..chunk.known().len()).flat_map(|column| chunk.paint_words_of_column(column)) {
                // The upper byte is the shade.
                let color = (word & 0x00ff_ffff) as usize;
                seen[color >> 6] |= 1 << (color & 63);
            }
        }
        counts.colors = seen.iter().map(|bits| u64::from(bits.count_ones())).sum();
        counts
    }
}

fn as_json(file: &Path, opened: &Opened) -> Value {
    let document = &opened.document;
    let counts = Counts::of(document);
    let size = document.bounds().size();
    json!({
        "file": file.display().to_string(),
        "format": opened.format,
        "size_bytes": size_bytes(file, opened),
        "size": size.to_array(),
        "origin": document.bounds().min().to_array(),
        "volumes": volumes_json(document),
        "solid_voxels": counts.solid,
        "colored_voxels": counts.colored,
        "colors": counts.colors,
        "objects": document.objects.iter().map(|(id, object)| json!({ "id": id.0, "object": object })).collect::<Value>(),
        "metadata": metadata_json(document),
        "sidecars": document.sidecars.iter().map(|read| sidecar_json(file, read)).collect::<Value>(),
        "warnings": warnings_json(&opened.report),
        "problems": problems_json(&check(document)),
    })
}

/// `1 Shuttle (uid 20): 64 × 48 × 1 from -16,-32,0, 812 solid`.
fn volume_text(number: usize, volume: &Volume, is_active: bool) -> String {
    let (size, min) = (volume.store.bounds().size(), pos_text(volume.store.bounds().min()));
    let solid = grouped(volume.store.solid_count());
    let active = if is_active { ", active" } else { "" };
    format!("{number} {}: {} × {} × {} from {min}, {solid} solid{active}", volume.title(), size.x, size.y, size.z)
}

/// Every property under its name in scripts; `null` where no file names it.
fn metadata_json(document: &Document) -> Value {
    let mut all = Map::new();
    for property in document.metadata.properties() {
        if let Ok(Value::Object(one)) = serde_json::to_value(&property) {
            all.extend(one);
        }
    }
    all.into()
}

fn sidecar_json(file: &Path, read: &SidecarSource) -> Value {
    json!({ "id": read.sidecar, "file": sidecar_file(file, read).map(|path| path.display().to_string()), "size_bytes": read.bytes.len() })
}

fn sidecar_file(file: &Path, read: &SidecarSource) -> Option<PathBuf> {
    Some(sidecar_path(file, sidecar(read.sidecar)?.suffix()))
}

fn size_bytes(file: &Path, opened: &Opened) -> Option<u64> {
    opened.stamps.get(file).map(|stamp| stamp.len)
}

fn as_text(file: &Path, opened: &Opened) -> String {
    let document = &opened.document;
    let counts = Counts::of(document);
    let mut text = format!("{}\n", file.display());
    let mut line = |label: &str, value: &str| {
        // Writing to a string cannot fail.
        writeln!(text, "  {label:<10} {value}").ok();
    };
    let label = map_format(opened.format).map_or(opened.format, |format| format.label());
    let bytes = size_bytes(file, opened).map_or(String::new(), |bytes| format!(", {} bytes", grouped(bytes)));
    line("Format", &format!("{label} ({}){bytes}", opened.format));
    let size = document.bounds().size();
    line("Size", &format!("{} × {} × {}", size.x, size.y, size.z));
    line("Voxels", &format!("{} solid, {} of them with a color", grouped(counts.solid), grouped(counts.colored)));
    line("Colors", &format!("{} different", grouped(counts.colors)));
    let mut labels = Labels::new("Volumes");
    for (number, volume) in document.volumes().iter().enumerate().filter(|_| document.volumes().len() > 1) {
        line(labels.next(), &volume_text(number, volume, number == document.active()));
    }
    let mut labels = Labels::new("Objects");
    let is_many = document.objects.iter().count() > MAX_LINES;
    let mut kinds = BTreeMap::<&str, u64>::new();
    for (_, object) in document.objects.iter() {
        match object {
            Object::Marker { label, .. } if is_many => *kinds.entry(label).or_default() += 1,
            _ => line(labels.next(), &object_text(object)),
        }
    }
    // The most frequent first, so that the rest can be left out.
    let mut kinds: Vec<(&str, u64)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(label, count)| (Reverse(*count), *label));
    for (label, count) in kinds.iter().take(MAX_LINES) {
        line(labels.next(), &format!("{} × {label}", grouped(*count)));
    }
    if let Some(rest) = kinds.get(MAX_LINES..).filter(|rest| !rest.is_empty()) {
        let count = rest.iter().map(|(_, count)| count).sum();
        line(labels.next(), &format!("{} more of {} other kinds; --json lists each", grouped(count), rest.len()));
    }
    let mut labels = Labels::new("Metadata");
    if let Value::Object(all) = metadata_json(document) {
        for (name, value) in all.iter().filter(|(_, value)| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())) {
            line(labels.next(), &format!("{}: {}", name.replace('_', " "), value_text(value)));
        }
    }
    let mut labels = Labels::new("Sidecars");
    for read in document.sidecars.iter() {
        let path = sidecar_file(file, read).map_or_else(|| read.sidecar.to_owned(), |path| path.display().to_string());
        line(labels.next(), &format!("{path} ({} bytes)", grouped(read.bytes.len() as u64)));
    }
    let mut labels = Labels::new("Warnings");
    for warning in &opened.report.warnings {
        line(labels.next(), &format!("{}: {}", warning.severity.name(), warning_text(warning)));
    }
    let mut labels = Labels::new("Problems");
    for problem in check(document) {
        line(labels.next(), &problem_text(&problem));
    }
    text
}
