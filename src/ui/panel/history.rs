//! The steps of the document: click one to go there.

use egui::{Id, RichText, ScrollArea, Ui};

use crate::document::some;
use crate::editor::{Action, DocumentId, Editor};
use crate::ui::shell::UiAction;
use crate::ui::theme::Theme;
use crate::ui::widget;

/// Height of a row in points.
const ROW: f32 = 20.0;

/// For how many frames the list is put to where the step is that undo led to.
const FRAMES: u8 = 2;

/// What stands in the place of steps that a restored map brings along.
const REBUILDING: &str = "The older steps are being brought back";

/// What stands in the place of steps that a restored map does not bring along.
const RESTORED: &str = "As restored: what was done before cannot be undone";

/// Content of the history panel.
pub fn history_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
    let Some(open) = editor.active() else { return };
    let history = open.history();
    if history.is_empty() {
        let hint = match open.is_rebuilding() {
            true => REBUILDING,
            false if open.is_without_older_steps() => RESTORED,
            false => "Every step stands here and can be undone",
        };
        widget::hint(ui, theme, hint);
        return;
    }
    let rows = history.len() + 1;
    let mut area = ScrollArea::vertical().id_salt("history").auto_shrink(false);
    // The step that undo led to comes into sight, wherever the list stood; in a list of another height, it stays there.
    let (at, last) = (Id::unique("history head"), (open.id(), history.head(), ui.available_height().round() as i32));
    // The bounds of a list that grew by very much are known to the area a frame later: until then it goes back to within the old ones.
    let known: Option<((DocumentId, usize, i32), u8)> = ui.data(|data| data.get_temp(at));
    let frames = known.filter(|(shown, _)| *shown == last).map_or(0, |(_, frames)| frames);
    if frames < FRAMES {
        ui.data_mut(|data| data.insert_temp(at, (last, frames + 1)));
        ui.ctx().request_repaint();
        let above = (history.head() as f32 + 0.5) * (ROW + ui.spacing().item_spacing.y) - ui.available_height() / 2.0;
        area = area.vertical_scroll_offset(above.max(0.0));
    }
    area.show_rows(ui, ROW, rows, |ui, range| {
        // Each is as high as the list counts, so that the last one is not cut.
        (ui.spacing_mut().interact_size.y, ui.spacing_mut().button_padding.y) = (ROW, 0.0);
        for row in range {
            // Only those in sight: a restored journal may have hundreds of thousands.
            let (label, done) = match row.checked_sub(1).and_then(|index| history.entry_at(index)) {
                Some(entry) => (entry.label, entry.done),
                None if history.forgotten() > 0 => {
                    (format!("{} forgotten", some(history.forgotten() as u64, "older step is", "older steps are")), true)
                }
                None if open.is_rebuilding() => (REBUILDING.to_owned(), true),
                None if open.is_without_older_steps() => (RESTORED.to_owned(), true),
                None => ("As opened".to_owned(), true),
            };
            let current = row == history.head();
            let color = if current {
                theme.text
            } else if done {
                theme.text_dim
            } else {
                theme.text_faint
            };
            let text = RichText::new(label).color(color);
            let text = if done { text } else { text.italics() };
            let response = ui.selectable_label(current, text);
            if response.clicked() {
                out.push(UiAction::Do(Action::JumpTo(row)));
            }
        }
    });
}
