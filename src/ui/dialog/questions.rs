//! Questions about edits and files: unsaved, lost, changed.

use std::path::Path;

use egui::{RichText, ScrollArea, Ui};

use super::{buttons, title};
use crate::check::Problem;
use crate::document::{grouped, sentence};
use crate::editor::files::{InTheWay, Version};
use crate::editor::{Action, DocumentId, Editor, ExportOrder, OpenDocument, PaletteOrder, SaveOrder, version_title};
use crate::format::{Report, Severity};
use crate::ui::icon;
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};

/// Problems that a question lists.
const MOST_PROBLEMS: usize = 20;

/// Unsaved edits before closing.
pub fn unsaved_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, documents: &[DocumentId], quit: bool, out: &mut Vec<UiAction>) {
    let has_work = |id: &DocumentId| editor.document(*id).is_some_and(|open| open.has_work());
    let has_recording = |id: &DocumentId| editor.document(*id).is_some_and(|open| open.has_recording());
    if documents.iter().all(|id| !has_work(id) && !has_recording(id) && editor.begun(*id).is_none()) {
        // A save that ran before it was asked is through.
        out.push(UiAction::CloseDialog);
        return match quit {
            true => out.push(UiAction::Invoke("quit")),
            false => out.extend(documents.iter().map(|id| UiAction::CloseDocument(*id))),
        };
    }
    let names: Vec<_> = documents.iter().filter_map(|id| editor.document(*id)).map(|open| open.title()).collect();
    title(ui, theme, &format!("Save your edits of {}?", names.join(", ")));
    if documents.iter().any(has_work) {
        ui.label("Closed without saving, the steps since the last save are gone.");
    }
    for open in documents.iter().filter_map(|id| editor.document(*id)) {
        if let Some(begun) = editor.begun(open.id()) {
            ui.label(format!("What was begun with {begun} is not in {} yet: saving finishes it first, as Enter does.", open.title()));
        }
        if open.has_recording() {
            ui.label(recorded_text(open));
        }
    }
    let is_begun = documents.iter().any(|id| editor.begun(*id).is_some());
    let save = if is_begun { "Finish, save and close" } else { "Save and close" };
    match buttons(ui, theme, &[save, "Close without saving", "Keep editing"]) {
        Some(0) => out.extend([UiAction::CloseDialog, UiAction::SaveAndClose { documents: documents.to_vec(), quit }]),
        Some(1) => {
            out.push(UiAction::CloseDialog);
            out.extend(documents.iter().map(|id| UiAction::Do(Action::Close(*id))));
            // What came or was done meanwhile is asked about.
            out.extend(quit.then_some(UiAction::Invoke("quit")));
        }
        Some(_) => out.push(UiAction::CloseDialog),
        None => {}
    }
}

/// Before going back to the file.
pub fn revert_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
    let Some(open) = editor.active() else { return out.push(UiAction::CloseDialog) };
    title(ui, theme, &format!("Go back to {} as it is on disk?", open.title()));
    let steps = open.history().head();
    ui.label(match steps {
        _ if !open.history().knows_saved() => "What no file holds of it is dropped and cannot be brought back.".to_owned(),
        0 => "No step that is done here is dropped.".to_owned(),
        1 => "One step is dropped and cannot be brought back.".to_owned(),
        _ => format!("{} steps are dropped and cannot be brought back.", grouped(steps as u64)),
    });
    if let Some(begun) = editor.begun(open.id()) {
        ui.label(format!("What was begun with {begun} is dropped, too."));
    }
    match buttons(ui, theme, &["Keep editing", "Drop my edits"]) {
        Some(1) => out.extend([UiAction::CloseDialog, UiAction::Do(Action::Revert)]),
        Some(_) => out.push(UiAction::CloseDialog),
        None => {}
    }
}

/// Before a recording ends that is written nowhere.
pub fn drop_recording_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, id: DocumentId, out: &mut Vec<UiAction>) {
    let Some(open) = editor.document(id).filter(|open| open.has_recording()) else { return out.push(UiAction::CloseDialog) };
    title(ui, theme, &format!("Go on recording the steps of {}?", open.title()));
    ui.label(recorded_text(open));
    match buttons(ui, theme, &["Go on recording", "Drop the recording"]) {
        Some(1) => out.extend([UiAction::CloseDialog, UiAction::Do(Action::DropRecording(id))]),
        Some(_) => out.push(UiAction::CloseDialog),
        None => {}
    }
}

/// What of a recording is written nowhere.
fn recorded_text(open: &OpenDocument) -> String {
    let title = open.title();
    match open.recorded().unwrap_or(0) {
        1 => format!("The recorded step of {title} is in no script yet."),
        steps => format!("The {} recorded steps of {title} are in no script yet.", grouped(steps as u64)),
    }
}

/// Before saving into a format that cannot hold everything.
pub fn loss_ui(ui: &mut Ui, theme: &Theme, order: &SaveOrder, report: &Report, out: &mut Vec<UiAction>) {
    let name = order.path.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    title(ui, theme, &format!("{name} cannot hold everything"));
    report_ui(ui, theme, report, Severity::Loss);
    match buttons(ui, theme, &["Save under another name…", "Save without it", "Do not save"]) {
        Some(0) => out.extend([UiAction::CloseDialog, UiAction::AskWhere(order.clone())]),
        Some(1) => out.extend([UiAction::CloseDialog, UiAction::Do(Action::SaveAs(order.clone().with_loss_agreed()))]),
        Some(_) => out.push(UiAction::CloseDialog),
        None => {}
    }
}

/// Before saving a map in which players will meet problems.
pub fn problems_ui(ui: &mut Ui, theme: &Theme, order: &SaveOrder, problems: &[Problem], out: &mut Vec<UiAction>) {
    title(ui, theme, "Players will meet problems in this map");
    ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
        for problem in problems.iter().take(MOST_PROBLEMS) {
            ui.horizontal_wrapped(|ui| {
                icon::sign(ui, "triangle-alert", 14.0, theme.warn, "Problem");
                ui.label(RichText::new(&problem.message).color(theme.text_dim));
            });
        }
    });
    ui.add_space(4.0);
    if problems.len() > MOST_PROBLEMS {
        ui.label(format!("and {} more", problems.len() - MOST_PROBLEMS));
    }
    ui.label(RichText::new("They are not asked about again until others are found.").size(theme::SMALL).color(theme.text_faint));
    match buttons(ui, theme, &["Save all the same", "Show them", "Do not save"]) {
        Some(0) => out.extend([UiAction::CloseDialog, UiAction::Do(Action::SaveAs(order.clone()))]),
        Some(1) => {
            let object = problems.iter().flat_map(|problem| &problem.objects).next().copied();
            out.extend([UiAction::CloseDialog, UiAction::Invoke("check"), UiAction::SelectObject(object)]);
            out.extend(object.map(UiAction::FrameObject));
        }
        Some(_) => out.push(UiAction::CloseDialog),
        None => {}
    }
}

/// Before closing a second time while files are being written: a disk may never answer.
pub fn still_writing_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
    if !editor.is_writing() {
        return out.push(UiAction::CloseDialog);
    }
    title(ui, theme, "Files are still being written");
    for job in editor.running().filter(|job| job.writes) {
        ui.label(RichText::new(&job.name).color(theme.text_dim));
    }
    ui.label(match editor.is_saving_any() {
        true => {
            "A file that is not written to its end stays as it was before. The next start offers the steps of a map that is being saved."
        }
        false => "A file that is not written to its end stays as it was before.",
    });
    match buttons(ui, theme, &["Wait", "Close all the same"]) {
        // What came or was done meanwhile is asked about.
        Some(1) if editor.documents().iter().any(|open| editor.would_lose(open.id())) => {
            out.extend([UiAction::CloseDialog, UiAction::Invoke("quit")]);
        }
        Some(1) => out.extend([UiAction::CloseDialog, UiAction::LeaveNow]),
        Some(_) => out.push(UiAction::CloseDialog),
        None => {}
    }
}

/// Before replacing a file that someone else changed, or writing one anew that someone else removed.
pub fn overwrite_ui(ui: &mut Ui, theme: &Theme, order: &SaveOrder, (why, reason): (InTheWay, &str), out: &mut Vec<UiAction>) {
    let (heading, anyway) = match why {
        InTheWay::Changed => ("The file is not as it was", "Replace it"),
        InTheWay::Gone => ("The file is gone", "Write it anew"),
        InTheWay::There => ("The file exists already", "Replace it"),
        InTheWay::Superseded => ("A file beside the map is not as it was", "Save all the same"),
    };
    title(ui, theme, heading);
    ui.label(sentence(reason));
    match buttons(ui, theme, &["Save under another name…", anyway, "Do not save"]) {
        Some(0) => out.extend([UiAction::CloseDialog, UiAction::AskWhere(order.clone())]),
        Some(1) => out.extend([UiAction::CloseDialog, UiAction::Do(Action::SaveAs(order.clone().with_overwrite_agreed()))]),
        Some(_) => out.push(UiAction::CloseDialog),
        None => {}
    }
}

/// The versions of a map that saves replaced.
pub fn versions_ui(ui: &mut Ui, theme: &Theme, name: &str, versions: &[Version], out: &mut Vec<UiAction>) {
    title(ui, theme, &format!("Earlier versions of {name}"));
    ui.label(RichText::new("One opens as a map of its own; the file stays as it is.").color(theme.text_faint));
    ui.add_space(4.0);
    ScrollArea::vertical().max_height(300.0).show(ui, |ui| {
        for version in versions {
            let ago = ago(version.at);
            ui.horizontal(|ui| {
                if ui.link(format!("replaced {ago}")).clicked() {
                    let action = Action::OpenVersion { version: version.path.clone(), name: version_title(name) };
                    out.extend([UiAction::CloseDialog, UiAction::Do(action)]);
                }
                let size = format!("{:.1} MB", version.len as f64 / 1e6);
                ui.label(RichText::new(size).size(theme::SMALL).color(theme.text_faint));
            });
        }
    });
    if buttons(ui, theme, &["Close"]).is_some() {
        out.push(UiAction::CloseDialog);
    }
}

/// How long ago that was, as a person says it.
pub(super) fn ago(at: u64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(at, |since| since.as_secs());
    ago_at(at, now)
}

/// How long ago, or, where a clock was wrong and that is to come, its date.
fn ago_at(at: u64, now: u64) -> String {
    if at > now.saturating_add(60) {
        return format!("on {}, says a clock", date(at));
    }
    let (count, unit) = match now.saturating_sub(at) {
        secs @ 0..60 => (secs, "second"),
        secs @ 60..3600 => (secs / 60, "minute"),
        secs @ 3600..86_400 => (secs / 3600, "hour"),
        secs => (secs / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

/// The date of a time in seconds since 1970, at Greenwich: `2030-12-31`.
fn date(secs: u64) -> String {
    let is_leap = |year: u64| (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    // Four centuries are as long as any other four.
    let (cycles, mut days) = (secs / 86_400 / 146_097, secs / 86_400 % 146_097);
    let mut year = 1970 + 400 * cycles;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in months {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// Before an export replaces a file.
pub fn replace_by_export_ui(ui: &mut Ui, theme: &Theme, order: &ExportOrder, reason: &str, out: &mut Vec<UiAction>) {
    title(ui, theme, "The file exists already");
    ui.label(reason);
    match buttons(ui, theme, &["Keep it", "Replace it"]) {
        Some(1) => {
            let order = ExportOrder { overwrite_agreed: true, ..order.clone() };
            out.extend([UiAction::CloseDialog, UiAction::Do(Action::Export(order))]);
        }
        Some(_) => out.push(UiAction::CloseDialog),
        None => {}
    }
}

/// Before replacing a file by a palette.
pub fn replace_palette_ui(ui: &mut Ui, theme: &Theme, order: &PaletteOrder, reason: &str, out: &mut Vec<UiAction>) {
    title(ui, theme, "The file exists already");
    ui.label(reason);
    match buttons(ui, theme, &["Keep it", "Replace it"]) {
        Some(1) => {
            let order = PaletteOrder { overwrite_agreed: true, ..order.clone() };
            out.extend([UiAction::CloseDialog, UiAction::Do(Action::SavePalette(order))]);
        }
        Some(_) => out.push(UiAction::CloseDialog),
        None => {}
    }
}

/// The warnings of a report from a severity up.
pub fn report_ui(ui: &mut Ui, theme: &Theme, report: &Report, from: Severity) {
    ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
        for warning in report.warnings.iter().filter(|warning| warning.severity >= from) {
            ui.horizontal_wrapped(|ui| {
                let is_problem = warning.severity >= Severity::Problem;
                let (color, said) = if is_problem { (theme.warn, "Problem") } else { (theme.text_faint, "Note") };
                icon::sign(ui, "dot", 14.0, color, said);
                ui.label(RichText::new(warning.sentence()).color(theme.text_dim));
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_of_a_time_to_come_is_named_by_its_date() {
        let now = 1_900_000_000;
        assert_eq!(ago_at(now - 7_200, now), "2 hours ago");
        assert_eq!(ago_at(now + 5, now), "0 seconds ago");
        assert_eq!(ago_at(4_102_444_800, now), "on 2100-01-01, says a clock");
        for (secs, expected) in
            [(0, "1970-01-01"), (951_782_400, "2000-02-29"), (4_107_542_400, "2100-03-01"), (1_924_905_600, "2030-12-31")]
        {
            assert_eq!(date(secs), expected);
        }
        assert!(date(u64::MAX).ends_with(|end: char| end.is_ascii_digit()));
    }
}
