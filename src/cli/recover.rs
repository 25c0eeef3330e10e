//! `recover`: maps that were not saved when their program was killed, from the journals that are left.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail, ensure};
use clap::{Args, FromArgMatches as _};
use serde_json::{Value, json};

use super::files::{Target, extend_once, save_with};
use super::output::left_out_text;
use super::settings::{SETTINGS, options_for, parse_setting};
use super::{Example, Reply, Verb, error};
use crate::document::{OptionValue, Progress, grouped, some};
use crate::editor::files::{Overwrite, SaveError, SaveOptions, SavePlace, Stamps, leaves_out_what_the_map_says, names_of, preflight_save};
use crate::editor::journal::snapshot_path;
use crate::editor::recovery::{self, Leftovers, Recoverable, RecoveryError, RecoveryNote, Replayed, Unsaved};
use crate::editor::storage::{RealStorage, Storage as _, StoredPath};
use crate::editor::{
    beheaded_text, leftover_title, lost_copies_text, moved_text, numbered_text, passed_over_text, paths, poor_copy_text, seconds_now,
};
use crate::format::{Report, Severity};

/// The verb.
pub const VERB: Verb = Verb {
    name: "recover",
    about: "List maps that a crash left unsaved, bring one back, or discard it",
    examples: &[
        Example { line: "spadework recover", about: "List what was left, with the ID of each" },
        Example { line: "spadework recover castle -o rescued.vxl", about: "Save the one whose ID begins with castle" },
        Example { line: "spadework recover --discard tower", about: "Forget the one whose ID begins with tower" },
        Example { line: "spadework recover --json", about: "The list for other programs" },
    ],
    arguments: Recover::augment_args,
    run: |matches| Recover::from_arg_matches(matches)?.run(),
};

#[derive(Debug, Args)]
struct Recover {
    /// Which one: its ID, or as much of its beginning as no other has
    #[arg(value_name = "ID", requires = "output")]
    id: Option<String>,
    /// Map to write
    #[arg(short, long, value_name = "OUT", requires = "id")]
    output: Option<PathBuf>,
    /// Option of the format that is written; may be given several times
    #[arg(id = SETTINGS, long = "set", value_name = "KEY=VALUE", value_parser = parse_setting, requires = "output")]
    set: Vec<(String, OptionValue)>,
    /// Keep the journal after saving
    #[arg(long, requires = "output")]
    keep: bool,
    /// Delete the journal of that ID: its steps are gone
    #[arg(long, value_name = "ID", conflicts_with_all = ["id", "output"])]
    discard: Option<String>,
    /// Answer one JSON object
    #[arg(long, conflicts_with_all = ["id", "discard"])]
    json: bool,
    #[command(flatten)]
    target: Target,
}

impl Recover {
    fn run(&self) -> anyhow::Result<Reply> {
        let folder =
            paths::journal_dir().ok_or_else(|| anyhow!("the system has no folder for journals; set {}", paths::STATE_DIR_VARIABLE))?;
        let output = self.output.as_deref();
        let (mut asked, mut there) =
            output.map_or((Overwrite::IfUnchanged, Report::new()), |output| self.target.as_it_stands(None, output));
        // None of them is held that is only listed: there may be thousands.
        let mut found = recovery::list_leftovers(&RealStorage, &folder);
        if let Some(trouble) = found.trouble.take() {
            bail!("whether maps were left unsaved is not known: {trouble}");
        }
        // Whoever looks finds maps whose files belong together.
        let settled = found.saves().settle(&RealStorage);
        if let Some(output) = output.filter(|_| !settled.is_empty()) {
            // They may lead to OUT by a link.
            let (anew, more) = self.target.as_it_stands(None, output);
            asked = anew;
            extend_once(&mut there, more);
        }
        let told = || there.warnings.iter().map(|told| told.message.clone()).chain(settled.iter().map(ToString::to_string));
        let reply = match (&self.id, output, &self.discard) {
            (Some(id), Some(output), _) => choose(found, id).and_then(|found| self.bring_back(found, output, asked)),
            (_, _, Some(id)) => discard(found, id),
            _ if self.json => Ok(Reply::json(&list_json(&found))),
            _ => Ok(list_text(&found)),
        };
        // Also of a call that fails: files changed.
        let mut reply = reply.map_err(|error| told().fold(error, |error, told| anyhow!("{error}; {told}")))?;
        reply.warnings.extend(told());
        Ok(reply)
    }

    fn bring_back(&self, found: Recoverable, output: &Path, asked: Overwrite) -> anyhow::Result<Reply> {
        let id = found.id();
        // One spelling of the path, so that what is known about the files beside the map is found.
        let is_same = found.map.as_deref().is_some_and(|map| RealStorage.place(output) == RealStorage.place(map));
        let to = found.map.as_deref().filter(|_| is_same).unwrap_or(output);
        let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
        // Its steps are of no use here, only what they made.
        let replayed = recovery::settle_and_replay(&RealStorage, &found, &Progress::new()).map_err(|reason| anyhow!("{id}: {reason}"))?;
        // What a call before put there is nobody's work.
        let notes = recovery::read_notes(&RealStorage, &found.journal);
        let earlier = notes.iter().rfind(|note| note.still_holds(&RealStorage, &whole(to)));
        let wholly = |stamps: &Stamps| Stamps(stamps.0.iter().map(|(path, stamp)| (whole(path), *stamp)).collect());
        // The snapshot that the map came from is one of those that may be back.
        let snapshot = replayed.is_of_poor_copy.then(|| snapshot_path(&found.journal));
        let all_lost: Vec<PathBuf> = replayed.lost.iter().cloned().chain(snapshot).collect();
        let names = all_lost.iter().filter_map(|copy| Some(StoredPath(copy.file_name()?.into())));
        let note = RecoveryNote {
            to: Some(StoredPath(whole(to))),
            stamps: if is_same { wholly(&replayed.stamps) } else { Stamps::default() },
            lost: names.collect(),
            is_in_place: is_same,
            ..RecoveryNote::of(&found.content, found.beyond)
        };
        // What such calls wrote may hold what only a copy told that is lost by now, or steps that are.
        let is_led_on = |note: &&RecoveryNote| all_lost.is_empty() && note.is_led_on_by(&found.content, found.beyond);
        let expected = match (self.target.overwrite, is_same) {
            (true, true) => replayed.stamps.clone(),
            (false, false) => Stamps(notes.iter().filter(is_led_on).flat_map(|note| note.ours(&RealStorage, to).0).collect()),
            _ => Stamps::default(),
        };
        // What the call was told that made the steps, where OUT can be written so.
        let told: Vec<_> = replayed.options.clone().into_iter().chain(self.set.iter().cloned()).collect();
        let options = options_for(to, &told);
        let options = SaveOptions {
            options,
            overwrite: if is_same { self.target.in_place() } else { asked },
            expected,
            is_expected_whole: is_same,
            place: SavePlace::own_if(is_same && !found.content.is_yet_to_be_written()),
            keep_foreign_sidecars: true,
            before_placing: recovery::note_before_placing(Arc::new(RealStorage), &found.journal, note.clone()),
            ..SaveOptions::default()
        };
        let mut lost = lost_text(&found, replayed.replayed, replayed.stopped.as_ref().map(ToString::to_string));
        lost.extend(lost_copies_text(&found.content, &replayed.lost));
        lost.extend(poor_copy_text(&replayed));
        lost.extend(numbered_text(&replayed));
        lost.extend(passed_over_text(replayed.passed_over, &replayed.lost));
        lost.extend(beheaded_text(&found.content));
        if replayed.is_snapshot_withheld {
            lost.push("the recovery snapshot beside the journal cannot be read, and what only that holds is missing".into());
        }
        ensure!(!self.target.deny_loss || lost.is_empty(), "{id}: not written, because of what would be lost: {}", lost.join("; "));
        let has_all = |note: &&RecoveryNote| !note.is_begun && note.has_all_of(&found.content, found.beyond, &all_lost);
        let already = |note: &RecoveryNote| Reply::text(format!("{}: already {}; {}\n", to.display(), note_text(note), discard_text(&id)));
        let preflight = preflight_save(&RealStorage, &replayed.document, to, &options);
        if let Ok(report) = &preflight
            && let Some(left) = left_text(report)
        {
            ensure!(!self.target.deny_loss, "{id}: not written, because of what would be lost: {left}");
        }
        if let Err(error) = preflight
            && error.in_the_way().is_some()
        {
            if let Some(note) = earlier.filter(has_all).filter(|_| !self.target.deny_loss) {
                return Ok(already(note));
            }
            ensure!(!is_same || !self.target.overwrite, "{}", in_the_way_text(to, &error, &options.expected, &found, &replayed));
        }
        let saved = save_with(&replayed.document, &Report::new(), to, &options, &self.target)?;
        let names: Vec<String> = saved.written.iter().map(|path| path.display().to_string()).collect();
        let mut reply = Reply::text(match names.is_empty() {
            true => format!("{}: the files hold the same already\n", to.display()),
            false if replayed.stopped.is_some() => format!("Saved {} with the steps up to entry {}\n", names.join(", "), replayed.replayed),
            false => format!("Saved {} with {}\n", names.join(", "), steps_text(found.steps, found.beyond, found.is_in_no_file)),
        });
        reply.text.push_str(&left_out_text(&saved, &saved.report));
        reply = reply.warn(to, &saved.report);
        if replayed.is_without_base {
            lost.push("the map is that of its recovery snapshot and what came after it; the file is written anew as a whole".into());
        }
        if saved.report.of(Severity::Loss).next().is_some() {
            lost.push("the file does not hold all of the map".into());
        }
        lost.extend(left_text(&saved.report));
        // It is told by the one call that moved it.
        reply.warnings.extend(moved_text(&found.moved).map(|told| format!("{id}: {told}")));
        if lost.is_empty() && !self.keep {
            // The map is saved all the same.
            if let Err(error) = recovery::discard(&RealStorage, found) {
                reply.warnings.push(format!("{id}: the map is saved, but its journal stays: {error}"));
            }
        } else {
            let kept = self.keep.then(|| "--keep was given".to_owned());
            let because: Vec<String> = kept.into_iter().chain(lost.clone()).collect();
            if let Some(note) = earlier.filter(|note| saved.written.is_empty() && note.because == because).filter(has_all) {
                return Ok(already(note));
            }
            let note = RecoveryNote { because, stamps: wholly(&saved.stamps), ..note };
            // Without it the next call says less.
            if let Err(error) = recovery::write_note(&RealStorage, &found.journal, &note) {
                reply.warnings.push(format!("{id}: {error}"));
            }
            reply.text.push_str(&format!("The journal stays, because {}; {}\n", note.because.join("; "), discard_text(&id)));
        }
        if replayed.is_snapshot_foreign {
            reply.warnings.push(format!("{id}: the recovery snapshot beside the journal is of another journal and was not used"));
        }
        reply.warnings.extend(lost.into_iter().map(|lost| format!("{id}: {lost}")));
        Ok(reply)
    }
}

/// What others put beside the map and what stays there: what the map had to say in its place is in the journal alone.
fn left_text(report: &Report) -> Option<String> {
    let of_others = report.warnings.iter().find(|warning| leaves_out_what_the_map_says(warning))?;
    Some(format!("what the map says is not in the files beside it: {}", of_others.message))
}

/// That a map was brought back and why its journal stays.
fn note_text(note: &RecoveryNote) -> String {
    let age = age_text(seconds_now().saturating_sub(note.at));
    format!("recovered {age} ago; the journal stays because {}", note.because.join("; "))
}

/// How a journal is deleted.
fn discard_text(id: &str) -> String {
    format!("spadework recover --discard {id} deletes it")
}

/// Why a map is not recovered in its own place: what is there is not as it is known, or not known at all.
fn in_the_way_text(to: &Path, error: &SaveError, known: &Stamps, found: &Recoverable, replayed: &Replayed) -> String {
    let files = error.files_in_the_way();
    if !files.iter().all(|path| known.get(path).is_none()) {
        return error::save(to, error).to_string();
    }
    let names: Vec<PathBuf> = files.into_iter().map(Path::to_path_buf).collect();
    let lost = lost_copies_text(&found.content, &replayed.lost).or_else(|| poor_copy_text(replayed));
    let reason = lost.map_or_else(String::new, |lost| format!(": {lost}"));
    format!("{}: whether somebody changed {} since is not known; choose another OUT{reason}", to.display(), names_of(&names))
}

/// What a recovery could not bring back.
fn lost_text(found: &Recoverable, replayed: usize, stopped: Option<String>) -> Vec<String> {
    let all = found.content.entries.len();
    let stopped = stopped.map(|reason| format!("brought back up to entry {replayed} of {all}, which cannot be repeated: {reason}"));
    let kept = match found.beyond {
        _ if found.content.is_newer => "; what came after is not lost, but to be recovered with that one",
        0 => "",
        _ => "; the map is that of its recovery snapshot, which was written later, and what came after that is lost",
    };
    let damage = match found.content.damage_text() {
        Some(damage) if found.content.is_beheaded() => Some(format!("the journal is {damage}{kept}")),
        Some(damage) => Some(format!("the journal is {damage}, after entry {all}{kept}")),
        None => (found.beyond > 0).then(|| format!("the end of the journal is missing, after entry {all}{kept}")),
    };
    stopped.into_iter().chain(damage).collect()
}

fn discard(found: Leftovers, id: &str) -> anyhow::Result<Reply> {
    // One that cannot be read can be discarded all the same, by its whole name.
    if let Some(skipped) = found.skipped.iter().find(|skipped| recovery::journal_id(&skipped.journal) == id) {
        recovery::discard_file(&RealStorage, &skipped.journal).map_err(|reason| anyhow!("{id}: {reason}"))?;
        return Ok(Reply::text(format!("Discarded {id}\n")));
    }
    let found = choose(found, id)?;
    let text = format!(
        "Discarded {}: {} with {}\n",
        found.id(),
        leftover_title(&found),
        steps_text(found.steps, found.beyond, found.is_in_no_file)
    );
    let mut reply = Reply::text(text);
    reply.warnings.extend(moved_text(&found.moved).map(|told| format!("{id}: {told}")));
    recovery::discard(&RealStorage, found).map_err(|reason| match reason {
        RecoveryError::Storage(reason) => error::storage(&reason),
        reason => anyhow!("{id}: {reason}"),
    })?;
    Ok(reply)
}

/// The journal of that ID, or the only one whose ID begins like this.
fn choose(found: Leftovers, id: &str) -> anyhow::Result<Recoverable> {
    ensure!(!id.is_empty(), "the ID is empty; spadework recover lists them");
    if let Some(skipped) = found.skipped.iter().find(|skipped| recovery::journal_id(&skipped.journal) == id) {
        bail!("{id}: {}", skipped.reason);
    }
    let take = |found: Unsaved| found.take(&RealStorage).map_err(|reason| anyhow!("{id}: {reason}"));
    let mut fitting: Vec<Unsaved> = found.others.into_iter().filter(|found| found.id().starts_with(id)).collect();
    if let Some(exact) = fitting.iter().position(|found| found.id() == id) {
        return take(fitting.swap_remove(exact));
    }
    ensure!(fitting.len() < 2, "{id}: {} journals begin like this; give more of the ID", fitting.len());
    let is_held = found.held.iter().any(|journal| recovery::journal_id(journal).starts_with(id));
    ensure!(!is_held || !fitting.is_empty(), "{id}: {}", RecoveryError::Held);
    take(fitting.pop().ok_or_else(|| anyhow!("{id}: no journal has this ID; spadework recover lists them"))?)
}

fn steps_text(count: usize, beyond: usize, is_in_no_file: bool) -> String {
    let steps = some(count as u64, "step", "steps");
    match beyond {
        0 if count == 0 && is_in_no_file => "all that it holds, which is in no file yet".to_owned(),
        0 => steps,
        beyond if count == 0 => format!("what its recovery snapshot holds of {}", some(beyond as u64, "step", "steps")),
        beyond => format!("{steps} and {} more that its recovery snapshot holds", grouped(beyond as u64)),
    }
}

fn list_text(found: &Leftovers) -> Reply {
    let mut text = String::new();
    for found in &found.others {
        let damaged = found.damage_text().map_or_else(String::new, |damage| format!(", {damage}"));
        let age = age_text(seconds_now().saturating_sub(found.at));
        // Writing to a string does not fail.
        writeln!(
            text,
            "{}\n    {}, {}, last one {age} ago{damaged}",
            found.id(),
            map_text(found),
            steps_text(found.steps, found.beyond, found.is_in_no_file)
        )
        .ok();
        if let Some(told) = moved_text(&found.moved) {
            writeln!(text, "    {told}").ok();
        }
        if let Some(note) = &found.recovered {
            let to = note.to.as_ref().map_or_else(|| "in a window".into(), |to| format!("to {}", shown(&to.0)));
            writeln!(text, "    recovered {to} {}", note_text(note).trim_start_matches("recovered ")).ok();
        }
    }
    if found.others.is_empty() && found.skipped.is_empty() && found.held.is_empty() {
        text.push_str("Nothing was left unsaved\n");
    }
    if !found.held.is_empty() {
        let maps = some(found.held.len() as u64, "map", "maps");
        writeln!(text, "A running Spadework holds the journal of {maps}: what is unsaved there is listed once it has ended").ok();
    }
    let warnings = found.skipped.iter().map(|skipped| {
        let id = recovery::journal_id(&skipped.journal);
        match skipped.reason.is_about_journal() {
            true => format!("{id}: {}; {}", skipped.reason, discard_text(&id)),
            false => format!("{id}: {}; whether it has unsaved steps is not known", skipped.reason),
        }
    });
    Reply { text, warnings: warnings.collect(), ..Reply::default() }
}

fn map_text(found: &Unsaved) -> String {
    let lost = recovery::lost_name(&found.journal).filter(|_| found.is_beheaded());
    let new = || found.version_of.as_deref().map_or_else(|| "a new map".into(), |name| format!("an earlier version of {name}"));
    let unnamed = || lost.map_or_else(new, |name| format!("{name}, whose file is not known any more"));
    found.map.as_deref().map_or_else(unnamed, shown)
}

/// A path in one line, whatever is in its name.
fn shown(path: &Path) -> String {
    path.display().to_string().replace('\n', "\\n")
}

fn list_json(found: &Leftovers) -> Value {
    let one = |found: &Unsaved| {
        json!({
            "id": found.id(),
            "map": found.map.as_deref().map(|map| map.display().to_string()),
            "earlier_version_of": found.version_of,
            "steps": found.steps,
            "entries": found.entries,
            "entries_only_in_snapshot": found.beyond,
            "in_no_file": found.is_in_no_file,
            "at": found.at,
            "damaged_from_byte": found.damage.filter(|_| !found.is_newer),
            "newer_from_byte": found.damage.filter(|_| found.is_newer),
            "moved": found.moved.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "recovered": found.recovered.as_ref().map(|note| json!({
                "to": note.to.as_ref().map(|to| to.0.display().to_string()),
                "at": note.at,
                "because": note.because,
            })),
        })
    };
    let skipped =
        |skipped: &recovery::Skipped| json!({ "id": recovery::journal_id(&skipped.journal), "reason": skipped.reason.to_string() });
    let (unreadable, not_looked_at): (Vec<_>, Vec<_>) = found.skipped.iter().partition(|skipped| skipped.reason.is_about_journal());
    json!({
        "journals": found.others.iter().map(one).collect::<Vec<_>>(),
        "unreadable": unreadable.into_iter().map(skipped).collect::<Vec<_>>(),
        "not_looked_at": not_looked_at.into_iter().map(skipped).collect::<Vec<_>>(),
    })
}

/// A span of time in its largest unit.
fn age_text(secs: u64) -> String {
    let (count, unit) = match secs {
        0..120 => (secs, "second"),
        120..7200 => (secs / 60, "minute"),
        7200..172_800 => (secs / 3600, "hour"),
        _ => (secs / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_is_in_no_file_is_not_called_one_without_steps() {
        let texts = [(0, 0, true), (0, 0, false), (2, 0, true), (0, 5, true), (1, 2, false)]
            .map(|(count, beyond, is_in_no_file)| steps_text(count, beyond, is_in_no_file));
        let expected = [
            "all that it holds, which is in no file yet",
            "0 steps",
            "2 steps",
            "what its recovery snapshot holds of 5 steps",
            "1 step and 2 more that its recovery snapshot holds",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn ages_are_told_in_their_largest_unit() {
        let texts = [0, 1, 119, 120, 7199, 7200, 172_799, 172_800].map(age_text);
        let expected = ["0 seconds", "1 second", "119 seconds", "2 minutes", "119 minutes", "2 hours", "47 hours", "2 days"];
        assert_eq!(texts, expected);
    }
}
