//! The status bar, and the notices that stand over it until they are seen.

use egui::{Align, Align2, Layout, ProgressBar, RichText, Ui};

use super::shell::{Shell, UiAction};
use super::theme::{self, Theme};
use super::{icon, widget};
use crate::document::Sector;
use crate::editor::{Action, Editor};

/// Notices that went well leave by themselves after this many seconds.
const NOTICE_SECS: f64 = 6.0;

/// The bar at the bottom: what is under the pointer, the tool's hint, jobs, when it was saved.
pub fn status_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    let small = |text: String| RichText::new(text).size(theme::SMALL).color(theme.text_dim);
    ui.horizontal_centered(|ui| {
        ui.add_space(4.0);
        let Some(open) = editor.active() else {
            ui.label(small("No map is open".into()));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| jobs_ui(ui, theme, editor, out));
            return;
        };
        for part in pointer_parts(editor, shell) {
            ui.label(small(part));
            ui.label(RichText::new("·").size(theme::SMALL).color(theme.text_faint));
        }
        let problems = open.problems().len();
        if problems > 0 {
            let text = RichText::new(if problems == 1 { "1 problem".to_owned() } else { format!("{problems} problems") })
                .size(theme::SMALL)
                .color(theme.warn);
            if ui.add(egui::Button::new(text).frame(false)).on_hover_text("Listed under Teams and objects").clicked() {
                out.push(UiAction::Invoke("check"));
            }
        }
        let hint = shell.status.clone().unwrap_or_else(|| editor.tool.spec().hint.to_owned());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(4.0);
            let saved = match open.saved_at() {
                Some(at) => format!("saved {}", ago(at.elapsed().as_secs())),
                None if open.path().is_none() => "never saved".into(),
                None if open.is_modified() => "not saved yet".into(),
                None => "as on disk".into(),
            };
            ui.label(small(if open.is_modified() { format!("modified · {saved}") } else { saved }));
            if let Some((kept, made)) = open.journalled().filter(|(kept, _)| *kept > 0) {
                let text = RichText::new(format!("#{kept} kept")).size(theme::SMALL).color(theme.text_faint);
                ui.label(text).on_hover_text("The last step in the journal: a crash loses none up to it");
                if kept < made {
                    ui.ctx().request_repaint_after(std::time::Duration::from_millis(100));
                }
            }
            if let Some(steps) = open.recorded() {
                let text = if steps == 1 { "recording: 1 step".to_owned() } else { format!("recording: {steps} steps") };
                ui.label(RichText::new(text).size(theme::SMALL).color(theme.warn)).on_hover_text("Edit, Record steps as script ends it");
            }
            jobs_ui(ui, theme, editor, out);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(egui::Label::new(RichText::new(hint).size(theme::SMALL).color(theme.text_faint)).truncate());
            });
        });
    });
}

/// Work that takes longer than a moment: name, share, cancel.
fn jobs_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
    for job in editor.running().filter(|job| job.started.elapsed().as_millis() > 300) {
        if widget::icon_button(ui, theme, "x", &format!("Cancel: {}", job.name), "", false, 18.0).clicked() {
            out.push(UiAction::Do(Action::CancelJob(job.id)));
        }
        ui.add(ProgressBar::new(job.progress.share()).desired_width(90.0).desired_height(6.0));
        ui.label(RichText::new(&job.name).size(theme::SMALL).color(theme.text_dim));
    }
}

fn pointer_parts(editor: &Editor, shell: &Shell) -> Vec<String> {
    let Some(open) = editor.active() else { return vec![] };
    let document = open.document();
    let mut parts = vec![];
    if let Some(hit) = shell.under_pointer {
        let pos = hit.pos;
        parts.push(format!("{}, {}, {}", pos.x, pos.y, pos.z));
        if let Some(floor) = document.floor_z() {
            parts.push(if pos.z == floor { "water level".into() } else { format!("{} above water", floor - pos.z) });
        }
        if document.profile.has_sectors
            && let Some(sector) = Sector::of(pos.x, pos.y)
        {
            parts.push(sector.to_string());
        }
        if let Some(paint) = document.store().paint(pos) {
            parts.push(document.palette.name_of(paint.rgb).map_or_else(|| paint.rgb.to_string(), str::to_owned));
        }
    }
    if let Some(selection) = &document.selection {
        let size = selection.bounds().size();
        let count = if selection.as_region().is_some() { String::new() } else { format!(", {}", selection.count()) };
        parts.push(format!("sel {}×{}×{}{count}", size.x, size.y, size.z));
    }
    let symmetry = shell.symmetry(document);
    if symmetry.is_on() {
        parts.push(symmetry.kind.label().to_lowercase());
    }
    if let Some(size) = editor.tool.preview().size {
        parts.push(size);
    }
    parts
}

fn ago(secs: u64) -> String {
    match secs {
        0..60 => format!("{secs} s ago"),
        60..3600 => format!("{} min ago", secs / 60),
        _ => format!("{} h ago", secs / 3600),
    }
}

/// Notices over the lower left corner of the map: errors until they are dismissed, others for a while.
pub fn notices_ui(
    ctx: &egui::Context,
    theme: &Theme,
    editor: &Editor,
    shell: &mut Shell,
    bottom_left: egui::Pos2,
    out: &mut Vec<UiAction>,
) {
    let messages = editor.messages();
    let now = ctx.input(|input| input.time);
    if shell.message_since.0 != messages.len() {
        shell.message_since = (messages.len(), now);
    }
    let fresh = now - shell.message_since.1 < NOTICE_SECS;
    let shown: Vec<_> = messages
        .iter()
        .enumerate()
        .skip(shell.dismissed)
        .filter(|(index, message)| message.is_error || (fresh && index + 1 == messages.len()))
        .collect();
    if shown.is_empty() {
        return;
    }
    if fresh {
        ctx.request_repaint_after(std::time::Duration::from_secs(1));
    }
    let area = egui::Area::new(egui::Id::unique("notices")).fixed_pos(bottom_left).pivot(Align2::LEFT_BOTTOM);
    area.show(ctx, |ui| {
        for (index, message) in shown.into_iter().rev().take(4).rev() {
            let frame = egui::Frame::new()
                .fill(theme.panel)
                .stroke((1.0, theme.line))
                .corner_radius(theme::RADIUS)
                .inner_margin(8)
                .outer_margin(egui::Margin { left: 8, right: 8, top: 0, bottom: 8 });
            frame.show(ui, |ui| {
                ui.set_max_width(460.0);
                ui.horizontal_top(|ui| {
                    let (name, color) = if message.is_error { ("circle-alert", theme.error) } else { ("check", theme.add) };
                    ui.label(icon::text(name, 14.0).color(color));
                    ui.vertical(|ui| {
                        ui.set_max_width(400.0);
                        ui.label(RichText::new(&message.text).color(theme.text));
                        if let Some(detail) = &message.detail {
                            ui.label(RichText::new(detail).size(theme::SMALL).color(theme.text_dim));
                        }
                    });
                    if widget::icon_button(ui, theme, "x", "Dismiss", "", false, 18.0).clicked() {
                        out.push(UiAction::Dismiss(index + 1));
                    }
                });
            });
        }
    });
}
