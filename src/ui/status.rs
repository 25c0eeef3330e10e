//! The status bar.
//!
//! Every part of the bar has a width of its own, so that nothing shifts while numbers change. Where the window is too
//! narrow for all, the less important parts give way.

use egui::{Align, Color32, FontId, Id, Label, Layout, ProgressBar, RichText, Ui, Vec2};

use super::shell::{Shell, UiAction};
use super::theme::{self, Theme};
use super::widget;
use crate::document::{Material, Sector, Selection, grouped};
use crate::editor::{Action, DocumentId, Editor, JobInfo, OpenDocument};
use crate::format::Severity;
use crate::tool::GestureNumber;

/// Points between two parts.
const GAP: f32 = 12.0;
/// Points between two numbers that are typed.
const ENTRY_GAP: f32 = 8.0;
/// Points that the hint has at least.
const HINT_WIDTH: f32 = 150.0;

/// Points that a hint is not shown below.
const LEAST_HINT: f32 = 40.0;
/// Points of a bar of a job.
const JOB_BAR: f32 = 90.0;
/// Points of the button that cancels one.
const JOB_BUTTON: f32 = 18.0;
/// Points that the name of one has at most.
const MOST_JOB_NAME: f32 = 240.0;

/// Largest box of a selection whose solid voxels are counted.
const MOST_COUNTED: u64 = 1 << 27;

/// A part of the bar.
struct Part {
    text: String,
    /// The longest that it says: it is as wide as that.
    sample: &'static str,
    /// What it is, for the tooltip.
    help: &'static str,
    /// Which go first where there is no room: the highest.
    rank: u8,
    color: Option<Color32>,
    /// What a click does, by the id of an action.
    action: Option<&'static str>,
}

impl Part {
    fn new(rank: u8, text: impl Into<String>, sample: &'static str, help: &'static str) -> Self {
        Self { text: text.into(), sample, help, rank, color: None, action: None }
    }

    fn colored(self, color: Color32) -> Self {
        Self { color: Some(color), ..self }
    }

    fn width(&self, ui: &Ui) -> f32 {
        text_width(ui, self.sample)
    }

    fn ui(&self, ui: &mut Ui, theme: &Theme, width: f32, layout: Layout, out: &mut Vec<UiAction>) {
        let size = Vec2::new(width, ui.available_height());
        ui.allocate_ui_with_layout(size, layout, |ui| {
            ui.set_min_width(width);
            ui.set_max_width(width);
            if self.text.is_empty() {
                return;
            }
            let text = RichText::new(&self.text).size(theme::SMALL).color(self.color.unwrap_or(theme.text_dim));
            match self.action {
                Some(action) => {
                    if ui.add(egui::Button::new(text).frame(false)).on_hover_text(self.help).clicked() {
                        out.push(UiAction::Invoke(action));
                    }
                }
                None => _ = ui.add(Label::new(text).truncate()).on_hover_text(self.help),
            }
        });
    }
}

/// The bar at the bottom: what is under the pointer, the gesture, the tool's hint, jobs, when it was saved.
pub fn status_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        ui.add_space(4.0);
        let Some(open) = editor.active() else {
            ui.label(RichText::new("No map is open").size(theme::SMALL).color(theme.text_dim));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| jobs_ui(ui, theme, editor, out));
            return;
        };
        if open.journalled().is_some_and(|(kept, made)| kept < made) {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(100));
        }
        let (left, right) = (pointer_parts(ui, theme, editor, shell), document_parts(theme, open));
        let widths = |parts: &[Part], ui: &Ui| parts.iter().map(|part| part.width(ui)).collect::<Vec<_>>();
        let (left_widths, right_widths) = (widths(&left, ui), widths(&right, ui));
        // Numbers that are typed have to be read. What runs takes the room of the hint before that of a part.
        let typed = entry_texts(editor).iter().map(|text| text_width(ui, text) + ENTRY_GAP).sum::<f32>();
        let jobs = long_jobs(editor).map(|job| JOB_BUTTON + JOB_BAR + job_name_width(ui, job) + 3.0 * GAP).sum::<f32>();
        let mut room = ui.available_width() - jobs - (HINT_WIDTH - jobs).max(typed) - GAP;
        let mut ranked: Vec<_> = left.iter().zip(&left_widths).chain(right.iter().zip(&right_widths)).collect();
        ranked.sort_by_key(|(part, _)| part.rank);
        // The most important ones take what there is; what comes after one that has no room has none either.
        let fitting = ranked.iter().take_while(|(_, width)| {
            room -= *width + GAP;
            room >= 0.0
        });
        let last = fitting.last().map(|(part, _)| part.rank);
        let fits = |part: &Part| last.is_some_and(|last| part.rank <= last);
        for (part, width) in left.iter().zip(&left_widths).filter(|(part, _)| fits(part)) {
            part.ui(ui, theme, *width, Layout::left_to_right(Align::Center), out);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(4.0);
            for (part, width) in right.iter().zip(&right_widths).filter(|(part, _)| fits(part)) {
                part.ui(ui, theme, *width, Layout::right_to_left(Align::Center), out);
            }
            jobs_ui(ui, theme, editor, out);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                if editor.tool.entry().is_some() {
                    entry_ui(ui, theme, editor);
                } else {
                    let busy = editor.shown_jobs().next().is_some();
                    let free = |parts: &[Part], widths: &[f32]| free_room(ui, parts.iter().zip(widths).filter(|(part, _)| fits(part)));
                    let free = [free(&left, &left_widths), if busy { 0.0 } else { free(&right, &right_widths) }];
                    hint_ui(ui, theme, &hint(editor, shell), free);
                }
            });
        });
    });
}

/// The room beside the hint that these parts keep and do not use, from the outermost part inwards.
fn free_room<'a>(ui: &Ui, parts: impl DoubleEndedIterator<Item = (&'a Part, &'a f32)>) -> f32 {
    let mut free = 0.0;
    for (part, width) in parts.rev() {
        if !part.text.is_empty() {
            return free + (width - text_width(ui, &part.text)).max(0.0);
        }
        free += width + GAP;
    }
    free
}

fn text_width(ui: &Ui, text: &str) -> f32 {
    ui.painter().layout_no_wrap(text.to_owned(), FontId::proportional(theme::SMALL), Color32::WHITE).size().x.ceil()
}

/// The hint; one that is too long for its own room goes on into what is free on its left and right.
fn hint_ui(ui: &mut Ui, theme: &Theme, hint: &str, [left, right]: [f32; 2]) {
    let mut rect = ui.available_rect_before_wrap();
    let lack = text_width(ui, hint) + 1.0 - rect.width();
    let to_right = lack.clamp(0.0, right);
    rect.max.x += to_right;
    let to_left = (lack - to_right).clamp(0.0, left);
    rect.min.x -= to_left;
    if rect.width() < LEAST_HINT {
        return;
    }
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(rect).layout(Layout::left_to_right(Align::Center)));
    let is_cut = lack > to_right + to_left;
    let text = if is_cut { endings_first(hint) } else { hint.to_owned() };
    let label = child.add(Label::new(RichText::new(text).size(theme::SMALL).color(theme.text_faint)).truncate()).on_hover_text(hint);
    label.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, hint));
}

/// A hint with what ends a gesture before the rest, which may be cut off.
fn endings_first(hint: &str) -> String {
    let ends = |part: &&str| part.split(' ').any(|word| ["Enter", "Esc"].contains(&word));
    let (endings, others): (Vec<_>, Vec<_>) = hint.split(" · ").partition(ends);
    endings.into_iter().chain(others).collect::<Vec<_>>().join(" · ")
}

/// What the tool said last, else how it is used; and which numbers can be typed.
fn hint(editor: &Editor, shell: &Shell) -> String {
    let hint = shell.keymap.hint(editor.tool.spec(), editor.tool.hint());
    // The size of a gesture has a part of its own.
    let told = shell.status.as_ref().filter(|told| editor.tool.preview().size.as_ref() != Some(*told));
    let hint = told.map_or(hint.clone(), |told| format!("{told} · {hint}"));
    let numbers = editor.gesture_numbers();
    // What is done by keys comes first: the rest is said of the mouse.
    let hint = if shell.map_cursor { format!("Arrows aim, Space is the button, Ctrl+arrows turn · {hint}") } else { hint };
    match numbers.numbers.get(numbers.first) {
        Some(number) => format!("{hint} · Digits set {}", number.name.to_lowercase()),
        None => hint,
    }
}

/// What the bar says of the numbers that are typed for a gesture, the one that keys go to first.
fn entry_texts(editor: &Editor) -> Vec<String> {
    let Some(entry) = editor.tool.entry() else { return vec![] };
    let numbers = editor.gesture_numbers().numbers;
    let text = |(index, number): (usize, &GestureNumber)| {
        let (typed, is) = (entry.text(index).replace('-', "−"), number.text());
        match typed.is_empty() {
            _ if index != entry.at() => format!("{} {is}{}", number.name, number.unit),
            true => format!("{} {is}{}|", number.name, number.unit),
            // What was typed may be out of range or half a number.
            false if typed == is => format!("{} {typed}|", number.name),
            false => format!("{} {typed}| = {is}{}", number.name, number.unit),
        }
    };
    // What keys go to comes first where not all of them fit.
    let order = std::iter::once(entry.at()).chain((0..numbers.len()).filter(|index| *index != entry.at()));
    order.filter_map(|index| Some((index, numbers.get(index)?))).map(text).collect()
}

/// The numbers that are typed for a gesture; the one that keys go to is said by screen readers.
fn entry_ui(ui: &mut Ui, theme: &Theme, editor: &Editor) {
    let Some(entry) = editor.tool.entry() else { return };
    let numbers = editor.gesture_numbers().numbers;
    ui.spacing_mut().item_spacing.x = ENTRY_GAP;
    // What does not fit is cut off, and lies over nothing.
    ui.set_clip_rect(ui.clip_rect().intersect(ui.available_rect_before_wrap()));
    let (texts, keys) = (entry_texts(editor), "Tab next · Enter takes it · Esc leaves it");
    let keys_ui = |ui: &mut Ui| _ = ui.add(Label::new(RichText::new(keys).size(theme::SMALL).color(theme.text_faint)).truncate());
    let wanted: f32 = texts.iter().map(|text| text_width(ui, text) + ENTRY_GAP).sum::<f32>() + text_width(ui, keys);
    // Where not all of it fits, the keys stand before the numbers that nobody types.
    let is_cut = texts.len() > 1 && wanted > ui.available_width();
    for (place, text) in texts.into_iter().enumerate() {
        if place == 1 && is_cut {
            keys_ui(ui);
        }
        if place > 0 {
            ui.label(RichText::new(text).size(theme::SMALL).color(theme.text_faint));
            continue;
        }
        let label = ui.label(RichText::new(&text).size(theme::SMALL).color(theme.text).strong());
        let (name, value) =
            numbers.get(entry.at()).and_then(|number| Some((number.name, text.strip_prefix(number.name)?))).unwrap_or(("", &text));
        let said = format!("{name},{}, number {} of {}", value.replace('|', ""), entry.at() + 1, numbers.len());
        label.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &said));
        ui.ctx().accesskit_node_builder(label.id, |node| node.set_live(egui::accesskit::Live::Polite));
    }
    if !is_cut {
        keys_ui(ui);
    }
}

/// The map's own parts, from the right: saved, kept, undo, problems, recording.
fn document_parts(theme: &Theme, open: &OpenDocument) -> Vec<Part> {
    let saved = match open.saved_at() {
        _ if open.is_changed_by_others() => "changed on disk".into(),
        Some(at) => format!("saved {}", ago(at.elapsed().as_secs())),
        None if open.path().is_none() => "never saved".into(),
        None if open.is_modified() => "not saved yet".into(),
        // The file is still what it was.
        None if open.report().of(Severity::Repair).next().is_some() => "repaired, not saved".into(),
        None => "as on disk".into(),
    };
    let saved = if open.is_modified() { format!("modified · {saved}") } else { saved };
    let mut parts = vec![Part::new(2, saved, "modified · saved 59 min ago", "Whether the file holds the map as it is")];
    if let Some((kept, made)) = open.journalled().filter(|_| open.journal_waits()) {
        let help = "The disk of the journals does not answer: a crash would lose the steps after the last one that is kept. Save often";
        parts.push(Part::new(2, format!("#{kept} of {made} kept"), "#99999 of 99999 kept", help).colored(theme.warn));
    } else if let Some((kept, _)) = open.journalled().filter(|(kept, _)| *kept > 0) {
        let part = Part::new(5, format!("#{kept} kept"), "#99999 kept", "The last step in the journal: a crash loses none up to it");
        parts.push(part.colored(theme.text_faint));
    }
    if open.journal_fails() {
        let part =
            Part::new(2, "not kept".to_owned(), "not kept", "The journal cannot be written: a crash would lose the last steps. Save often");
        parts.push(part.colored(theme.error));
    }
    if open.is_view() {
        let help = "The layout of the file is old or unusual: it can be looked at and exported, but saved only as it is";
        parts.push(Part::new(1, "view only", "view only", help).colored(theme.warn));
    }
    let steps = open.history().head();
    parts.push(Part::new(10, if steps == 0 { String::new() } else { format!("undo {steps}") }, "undo 9999", "Steps that can be undone"));
    let problems = match open.problems().len() {
        0 => String::new(),
        1 => "1 problem".to_owned(),
        count => format!("{count} problems"),
    };
    let problems = Part { action: Some("check"), ..Part::new(3, problems, "99 problems", "Listed under Teams and objects") };
    parts.push(problems.colored(theme.warn));
    if let Some(steps) = open.recorded() {
        let text = if steps == 1 { "recording: 1 step".to_owned() } else { format!("recording: {steps} steps") };
        let recording =
            Part { action: Some("record"), ..Part::new(1, text, "recording: 9999 steps", "Ends the recording and saves the script") };
        parts.push(recording.colored(theme.warn));
    }
    parts
}

/// What is under the pointer, what is selected, and how far the gesture went.
fn pointer_parts(ui: &Ui, theme: &Theme, editor: &Editor, shell: &Shell) -> Vec<Part> {
    let Some(open) = editor.active() else { return vec![] };
    let document = open.document();
    let hit = shell.under_pointer;
    let text = |text: Option<String>| text.unwrap_or_default();
    let place = text(hit.map(|hit| format!("{}, {}, {}", hit.pos.x, hit.pos.y, hit.pos.z)));
    let mut parts = vec![Part::new(0, place, "4096, 4096, 512", "Place of the voxel: x to the east, y to the south, z down")];
    if let Some(floor) = document.floor_z() {
        let height = hit.map(|hit| if hit.pos.z == floor { "water level".into() } else { format!("{} above water", floor - hit.pos.z) });
        parts.push(Part::new(4, text(height), "63 above water", "Height above the sea"));
    }
    if document.profile.has_sectors {
        let sector = hit.and_then(|hit| Sector::of(hit.pos.x, hit.pos.y)).map(|sector| sector.to_string());
        parts.push(Part::new(9, text(sector), "H8", "Sector of the game's map"));
    }
    let paint = hit.and_then(|hit| document.store().paint(hit.pos));
    let color = paint.map(|paint| document.palette.name_of(paint.rgb).map_or_else(|| paint.rgb.to_string(), str::to_owned));
    let sample = if document.palette.is_empty() { "#dddddd" } else { "FloorSteelDirtyDiag" };
    parts.push(Part::new(8, text(color), sample, "Color of the voxel"));
    let material = hit.and_then(|hit| Material::of(document, hit.pos));
    let shown = text(material.map(|material| material.label().to_owned()));
    parts.push(Part::new(11, shown, "hidden, color stored", "What the voxel is: whether it is seen in the game, the floor or the sea"));
    if let Some(selection) = &document.selection {
        let size = selection.bounds().size();
        let shown = format!("sel {}×{}×{}, {}", size.x, size.y, size.z, selected_text(ui, open, selection));
        let help = "Size of the selection, and how many solid voxels it holds";
        parts.push(Part::new(6, shown, "sel 512×512×64, 16,777,216 solid", help));
    }
    let symmetry = shell.symmetry(document);
    if symmetry.is_on() {
        let [x, y] = symmetry.center.map(|half| f64::from(half) / 2.0);
        let shown = format!("{} at {x}, {y}", symmetry.kind.label().to_lowercase());
        parts.push(Part::new(7, shown, "rotate 180° at 255.5, 255.5", "Where else every edit happens"));
    }
    let size = text(editor.tool.preview().size);
    parts.push(Part::new(1, size, "512×512×64 · 1024", "Size of the gesture, or how far it went").colored(theme.text));
    parts
}

/// How much is selected; counted anew only after a change.
fn selected_text(ui: &Ui, open: &OpenDocument, selection: &Selection) -> String {
    // Counting all of a very large map would hold up the window.
    if selection.bounds().volume() > MOST_COUNTED {
        return format!("{} places", grouped(selection.count()));
    }
    let (id, of) = (Id::unique("solid voxels selected"), (open.id(), open.version()));
    let known: Option<((DocumentId, u64), u64)> = ui.data(|data| data.get_temp(id));
    let count = known.filter(|(known, _)| *known == of).map_or_else(|| selection.solid_count(open.document().store()), |(_, count)| count);
    ui.data_mut(|data| data.insert_temp(id, (of, count)));
    format!("{} solid", grouped(count))
}

/// Work that takes longer than a moment: name, share, cancel.
fn jobs_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
    for job in long_jobs(editor) {
        if widget::icon_button(ui, theme, "x", &format!("Cancel: {}", job.name), "", JOB_BUTTON).clicked() {
            out.push(UiAction::Do(Action::CancelJob(job.id)));
        }
        ui.add(ProgressBar::new(job.progress.share()).desired_width(JOB_BAR).desired_height(6.0));
        let size = Vec2::new(job_name_width(ui, job), ui.available_height());
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            let text = RichText::new(&job.name).size(theme::SMALL).color(theme.text_dim);
            ui.add(Label::new(text).truncate()).on_hover_text(&job.name);
        });
    }
}

fn long_jobs(editor: &Editor) -> impl Iterator<Item = &JobInfo> {
    editor.shown_jobs().filter(|job| job.takes_long())
}

fn job_name_width(ui: &Ui, job: &JobInfo) -> f32 {
    (text_width(ui, &job.name) + 1.0).min(MOST_JOB_NAME)
}

fn ago(secs: u64) -> String {
    match secs {
        0..60 => format!("{secs} s ago"),
        60..3600 => format!("{} min ago", secs / 60),
        _ => format!("{} h ago", secs / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_gesture_comes_first_in_a_hint_that_is_cut() {
        let hint = "Drag it · Arrows nudge · Click or Enter applies · Esc drops";
        assert_eq!(endings_first(hint), "Click or Enter applies · Esc drops · Drag it · Arrows nudge");
        assert_eq!(endings_first("Drag draws · Alt picks"), "Drag draws · Alt picks");
    }

    #[test]
    fn no_material_is_longer_than_the_room_that_is_kept_for_it() {
        let context = egui::Context::default();
        let mut widest = 0.0_f32;
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            let width = |text: &str| Part::new(0, "", Box::leak(text.to_owned().into_boxed_str()), "").width(ui);
            let room = width("hidden, color stored");
            widest = Material::ALL.iter().map(|material| width(material.label()) - room).fold(f32::MIN, f32::max);
        });
        // Nothing is drawn here.
        output.textures_delta.clear();
        assert!(widest <= 0.0, "{widest} points too long");
    }
}
