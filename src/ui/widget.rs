//! Small widgets that several parts share. Every one has a name for screen readers.

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{
    Align2, Color32, ComboBox, Context, DragValue, FontId, InnerResponse, Key, Modifiers, Popup, PopupCloseBehavior, Response, RichText,
    ScrollArea, Sense, Stroke, StrokeKind, Ui, Vec2,
};

use super::icon;
use super::theme::{self, Theme};
use crate::terrain::Unit;
use crate::voxel::Rgb;

/// Characters of a number, more than any has.
const NUMBER_LENGTH: usize = 64;
/// Width of settings that a button opens, at least.
const SETTINGS_WIDTH: f32 = 230.0;
/// Height of settings that a button opens, at most.
const SETTINGS_HEIGHT: f32 = 420.0;
/// Of the window, what they leave free above and below.
const SETTINGS_MARGIN: f32 = 96.0;

/// A drop-down list that closes by the keys that choose in it, as it does by a click.
pub trait ListByKeys {
    /// As [`ComboBox::show_ui`].
    fn show_list<R>(self, ui: &mut Ui, entries: impl FnOnce(&mut Ui) -> R) -> InnerResponse<Option<R>>;
}

impl ListByKeys for ComboBox<'_> {
    fn show_list<R>(self, ui: &mut Ui, entries: impl FnOnce(&mut Ui) -> R) -> InnerResponse<Option<R>> {
        self.show_ui(ui, |ui| {
            // A dialog that is opened again comes before all that was open before, its own lists among it.
            ui.ctx().move_to_top(ui.layer_id());
            let answer = entries(ui);
            let focused = ui.memory(|memory| memory.focused()).and_then(|id| ui.ctx().read_response(id));
            let is_within = focused.is_some_and(|focused| focused.layer_id == ui.layer_id());
            if is_within && ui.input(|input| input.key_pressed(Key::Enter) || input.key_pressed(Key::Space)) {
                ui.close();
            }
            answer
        })
    }
}

/// A square button with an icon; `label` is its name and the first line of its tooltip.
pub fn icon_button(ui: &mut Ui, theme: &Theme, icon_name: &str, label: &str, key: &str, size: f32) -> Response {
    let info = egui::WidgetInfo::labeled(egui::Role::Button, ui.is_enabled(), label);
    icon_of(ui, theme, icon_name, (label, key), false, size, &info)
}

/// The same for what is on or off, or one of several of which one is chosen.
pub fn icon_toggle(ui: &mut Ui, theme: &Theme, icon_name: &str, label: &str, key: &str, active: bool, size: f32) -> Response {
    let info = egui::WidgetInfo::selected(egui::Role::Button, ui.is_enabled(), active, label);
    icon_of(ui, theme, icon_name, (label, key), active, size, &info)
}

fn icon_of(
    ui: &mut Ui,
    theme: &Theme,
    icon_name: &str,
    (label, key): (&str, &str),
    active: bool,
    size: f32,
    info: &egui::WidgetInfo,
) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(size), Sense::click());
    response.widget_info(|| info.clone());
    let fill = match (active, response.hovered()) {
        (true, _) => theme.accent_back,
        (false, true) => theme.hover,
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect.shrink(1.0), theme::RADIUS, fill);
    if response.has_focus() {
        ui.painter().rect_stroke(rect.shrink(1.0), theme::RADIUS, Stroke::new(1.0, theme.accent), StrokeKind::Inside);
    }
    let color = if active { theme.text } else { theme.text_dim };
    let glyph_size = if size >= 32.0 { theme::ICON } else { 14.0 };
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, icon::glyph(icon_name), icon::font(glyph_size), color);
    response.on_hover_ui(|ui| tooltip(ui, theme, label, key, None))
}

/// The content of a tooltip: name, key, and a sentence of help.
pub fn tooltip(ui: &mut Ui, theme: &Theme, label: &str, key: &str, help: Option<&str>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(label).color(theme.text));
        if !key.is_empty() {
            ui.label(RichText::new(key).color(theme.text_faint));
        }
    });
    if let Some(help) = help {
        ui.label(RichText::new(help).color(theme.text_dim).size(theme::SMALL));
    }
}

/// One choice of a row of choices.
pub fn segment(ui: &mut Ui, theme: &Theme, label: &str, color: Color32, active: bool) -> Response {
    let font = FontId::proportional(theme::BODY);
    let text = ui.painter().layout_no_wrap(label.into(), font, if active { theme.text } else { theme.text_dim });
    let (rect, response) = ui.allocate_exact_size(text.size() + Vec2::new(18.0, 8.0), Sense::click());
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::RadioButton, ui.is_enabled(), active, label));
    let fill = if active || response.hovered() { theme.hover } else { theme.field };
    ui.painter().rect_filled(rect, theme::RADIUS, fill);
    if active {
        ui.painter().line_segment(
            [rect.left_bottom() + Vec2::new(4.0, -1.0), rect.right_bottom() + Vec2::new(-4.0, -1.0)],
            Stroke::new(2.0, color),
        );
    }
    if response.has_focus() {
        ui.painter().rect_stroke(rect, theme::RADIUS, Stroke::new(1.0, theme.accent), StrokeKind::Inside);
    }
    let at = rect.center() - text.size() * 0.5;
    ui.painter().galley(at, text, theme.text);
    response
}

/// A number with a name, draggable and typable. Answers whether it changed.
pub fn number(ui: &mut Ui, label: &str, value: &mut i32, range: std::ops::RangeInclusive<i32>, unit: Unit) -> bool {
    let name = ui.label(label);
    let suffix = unit.after(i64::from(*value));
    // What is beyond the range stays as it is, also where the field is left again: an object outside the map.
    let range = *range.start().min(value)..=*range.end().max(value);
    let drag = DragValue::new(value).range(range).suffix(suffix).update_while_editing(false);
    number_field(ui, drag).labelled_by(name.id).changed()
}

/// A number, draggable and typable. A double click takes all of it in hand: the words of a text end at a sign or a point.
pub fn number_field(ui: &mut Ui, number: DragValue<'_>) -> Response {
    let response = ui.add(number);
    if response.double_clicked()
        && let Some(mut state) = TextEditState::load(ui.ctx(), response.id)
    {
        state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), CCursor::new(NUMBER_LENGTH))));
        state.store(ui.ctx(), response.id);
    }
    response
}

/// A number without a label beside it, and its name.
pub fn named_number(ui: &mut Ui, number: DragValue<'_>, name: &str) -> Response {
    let response = number_field(ui, number);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SpinButton, ui.is_enabled(), name));
    response
}

/// A box to tick, seen where it is not ticked.
pub fn checkbox(ui: &mut Ui, checked: &mut bool, text: impl Into<String>) -> Response {
    outlined(ui, |ui| ui.checkbox(checked, text.into()))
}

/// One of several choices, seen where it is not the chosen one.
pub fn radio(ui: &mut Ui, checked: bool, text: impl Into<String>) -> Response {
    outlined(ui, |ui| ui.radio(checked, text.into()))
}

/// Draws a line around what the library draws in the color of a field alone.
pub fn outlined<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> R {
    let before = ui.style().clone();
    let stroke = Stroke::new(1.0, Theme::shown(ui).edge);
    let widgets = &mut ui.visuals_mut().widgets;
    (widgets.noninteractive.bg_stroke, widgets.inactive.bg_stroke, widgets.hovered.bg_stroke) = (stroke, stroke, stroke);
    let added = add(ui);
    ui.set_style(before);
    added
}

/// A filled rectangle of any color, with a line around it that tells it from what is behind it.
pub fn color_rect(ui: &Ui, rect: egui::Rect, radius: u8, color: Rgb) {
    let edge = Theme::shown(ui).edge;
    ui.painter().rect(rect, radius, theme::color32(color), Stroke::new(1.0, edge), StrokeKind::Inside);
}

/// A coloured square that can be clicked, named by its color.
pub fn swatch(ui: &mut Ui, theme: &Theme, color: Rgb, selected: bool, size: f32) -> Response {
    let name = color.to_string();
    named_swatch(ui, theme, color, &name, selected, size, Sense::click()).on_hover_text(name)
}

/// A coloured square with a name and without a tooltip.
pub fn named_swatch(ui: &mut Ui, theme: &Theme, color: Rgb, name: &str, selected: bool, size: f32, sense: Sense) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(size), sense);
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, ui.is_enabled(), selected, name));
    color_rect(ui, rect.shrink(1.0), 2, color);
    if selected || response.hovered() || response.has_focus() {
        ui.painter().rect_stroke(rect, 3, Stroke::new(1.5, theme.text), StrokeKind::Inside);
    }
    response
}

/// A button with a text that opens settings below it; they stay open until a click elsewhere, and take the height that
/// they need at any time.
pub fn settings_button(ui: &mut Ui, name: &str, text: impl Into<RichText>, width: f32, contents: impl FnOnce(&mut Ui)) -> Response {
    let text = text.into();
    let said = text.text().to_owned();
    let button = egui::Button::new(text).right_text(icon::text("chevron-down", 12.0)).min_size(Vec2::new(width, 0.0));
    let response = ui.add(button);
    response.widget_info(|| {
        let mut info = egui::WidgetInfo::labeled(egui::Role::ComboBox, ui.is_enabled(), name);
        info.current_text_value = Some(said.clone());
        info
    });
    settings_popup(&response, contents);
    response
}

/// What a button opens: settings that scroll where they are higher than [`SETTINGS_HEIGHT`].
pub fn settings_popup(button: &Response, contents: impl FnOnce(&mut Ui)) {
    let popup = Popup::menu(button).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    popup.show(|ui| {
        mark_settings(ui);
        ui.set_min_width(SETTINGS_WIDTH);
        let height = popup_height(ui, SETTINGS_HEIGHT);
        ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, contents);
    });
}

/// The menu of a widget: at the pointer by the right button; beside it by the keys for that, if it has the focus.
pub fn context_menu(response: &Response, contents: impl FnOnce(&mut Ui)) {
    let popup = Popup::context_menu(response);
    let asks =
        |input: &mut egui::InputState| input.consume_key(Modifiers::NONE, Key::Menu) || input.consume_key(Modifiers::SHIFT, Key::F10);
    if response.has_focus() && response.ctx.input_mut(asks) {
        Popup::open_id(&response.ctx, popup.get_id());
    }
    // Only what the pointer opened has a place of its own.
    let popup = if popup.get_anchor_rect().is_none() { popup.anchor(response) } else { popup };
    popup.show(contents);
}

/// Says that what is open here are settings: see [`are_settings_open`].
pub fn mark_settings(ui: &Ui) {
    let frame = ui.ctx().cumulative_frame_nr();
    ui.ctx().data_mut(|data| data.insert_temp(settings_frame(), frame));
}

/// Whether what is open are settings: they are tried on the map while they stand there, unlike a menu or a list, of which one chooses.
pub fn are_settings_open(ctx: &Context) -> bool {
    let shown = ctx.data(|data| data.get_temp::<u64>(settings_frame()));
    Popup::is_any_open(ctx) && shown.is_some_and(|frame| frame + 1 >= ctx.cumulative_frame_nr())
}

/// Where the frame is kept that showed settings last.
fn settings_frame() -> egui::Id {
    egui::Id::unique("settings-frame")
}

/// The height of a list or of settings that a button opens, where they would take so much: as much as the window has.
pub fn popup_height(ui: &Ui, wanted: f32) -> f32 {
    wanted.min(ui.ctx().content_rect().height() - SETTINGS_MARGIN)
}

/// Small faint text that explains.
pub fn hint(ui: &mut Ui, theme: &Theme, text: &str) {
    let text = RichText::new(text).size(theme::SMALL).color(theme.text_faint);
    if ui.layout().horizontal_justify() {
        // Its lines are not stretched as the rows of a menu are.
        ui.vertical(|ui| ui.label(text));
    } else {
        ui.label(text);
    }
}
