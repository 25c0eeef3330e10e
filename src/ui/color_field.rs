//! A color among other settings: a button that shows it, and below its row the picker that the button opens.
//!
//! The picker stands where it is opened, in no window of its own: settings are in a popup themselves, of which
//! egui has one at a time.

use egui::{Id, Response, Sense, StrokeKind, TextEdit, Ui, Vec2};

use super::color_picker::{HEIGHTS, Hsv, color_picker_ui};
use super::theme::{self, Theme};
use super::widget;
use crate::voxel::Rgb;

/// Size of the button.
const BUTTON: Vec2 = Vec2::new(32.0, 20.0);
/// Width of the picker.
const WIDTH: f32 = 214.0;

/// A color by its name, the same in every frame.
#[derive(Clone, Copy, Debug)]
pub struct ColorField<'a> {
    name: &'a str,
    id: Id,
}

/// What a field whose picker is open remembers.
#[derive(Clone, Debug)]
struct Opened {
    hsv: Hsv,
    /// What is being typed.
    hex: String,
}

impl<'a> ColorField<'a> {
    /// The field of that name, of which the window shows one at a time.
    pub fn new(name: &'a str) -> Self {
        Self { name, id: Id::unique(("color field", name)) }
    }

    /// The button, within the row.
    pub fn button_ui(&self, ui: &mut Ui, theme: &Theme, color: Rgb) -> Response {
        let (rect, response) = ui.allocate_exact_size(BUTTON, Sense::click());
        let is_open = ui.data(|data| data.get_temp::<Opened>(self.id)).is_some();
        response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, ui.is_enabled(), is_open, self.name));
        widget::color_rect(ui, rect.shrink(1.0), theme::RADIUS, color);
        if is_open || response.hovered() || response.has_focus() {
            ui.painter().rect_stroke(rect, theme::RADIUS, egui::Stroke::new(1.5, theme.text), StrokeKind::Inside);
        }
        if response.clicked() {
            ui.data_mut(|data| {
                data.remove::<Opened>(self.id);
                if !is_open {
                    data.insert_temp(self.id, Opened { hsv: Hsv::of(color, Hsv::default()), hex: color.to_string() });
                }
            });
        }
        response.on_hover_text(color.to_string())
    }

    /// The picker below the row, while it is open; answers whether the color changed.
    pub fn picker_ui(&self, ui: &mut Ui, theme: &Theme, color: &mut Rgb) -> bool {
        let Some(Opened { mut hsv, mut hex }) = ui.data(|data| data.get_temp(self.id)) else { return false };
        let before = *color;
        ui.vertical(|ui| {
            ui.set_max_width(WIDTH.min(ui.available_width()));
            if hsv.rgb() != *color {
                hsv = Hsv::of(*color, hsv);
            }
            if color_picker_ui(ui, theme, &mut hsv, HEIGHTS.1) {
                *color = hsv.rgb();
            }
            let edit = ui.add(TextEdit::singleline(&mut hex).desired_width(72.0).font(egui::TextStyle::Monospace));
            let name = format!("{} as #rrggbb", self.name);
            edit.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, &name));
            if edit.changed()
                && let Ok(typed) = hex.parse()
            {
                *color = typed;
            }
            if !edit.has_focus() {
                hex = color.to_string();
            }
        });
        ui.data_mut(|data| data.insert_temp(self.id, Opened { hsv, hex }));
        *color != before
    }
}
