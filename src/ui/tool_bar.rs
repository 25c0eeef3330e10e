//! The tool strip on the left and the option row of the active tool.

use egui::scroll_area::ScrollBarVisibility;
use egui::{ComboBox, DragValue, Id, PopupCloseBehavior, RichText, Ui};

use super::brush_details::brush_details_ui;
use super::file_dialogs::FileQuestion;
use super::making;
use super::paint_options::{fill_style_settings_ui, fill_style_ui, paint_style_ui};
use super::scope;
use super::shell::{Shell, UiAction};
use super::theme::Theme;
use super::widget::{self, ListByKeys as _};
use crate::document::{Combine, Team};
use crate::edit::ops::{FillReach, Sculpt, SculptAction, SculptForm, Thousandths, TransformSelection};
use crate::edit::{BrushShape, Mode};
use crate::editor::keymap::Keymap;
use crate::editor::{Action, Editor, PictureUse};
use crate::geom::{Axis, Orientation, SolidKind};
use crate::terrain::Unit;
use crate::tool::{ObjectKind, PaintKind, SelectKind, TOOLS, ToolOption, ToolSettings, ToolSpec};

/// Between two tools of the strip.
const STRIP_SPACING: f32 = 2.0;
/// Width of a row that has room for all options of every tool.
const WIDE_ROW: f32 = 960.0;
/// What the tolerance of a color is.
const COLOR_TOLERANCE: &str = "How far red, green and blue may each differ, of 255";
/// Width of the button at an end of the row behind which it goes on.
const ROW_END: f32 = 20.0;
/// Side of a tool's button, in the lowest window and where there is room.
const STRIP_BUTTON: (f32, f32) = (18.0, 34.0);

/// The column of tools.
pub fn strip_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, keymap: &Keymap, out: &mut Vec<UiAction>) {
    ui.spacing_mut().item_spacing.y = STRIP_SPACING;
    // In a low window they are smaller, so that none is out of reach.
    let room = (ui.available_height() - STRIP_SPACING * 2.0) / TOOLS.len() as f32 - STRIP_SPACING;
    let size = room.floor().clamp(STRIP_BUTTON.0, STRIP_BUTTON.1);
    ui.add_space(STRIP_SPACING);
    // Where not even these have room, the strip scrolls.
    egui::ScrollArea::vertical().id_salt("strip").scroll_bar_visibility(ScrollBarVisibility::AlwaysHidden).show(ui, |ui| {
        // One that a key chose comes into sight.
        let (at, chosen) = (Id::unique("tool in sight"), editor.tool.spec().id);
        let is_new = ui.data(|data| data.get_temp(at)) != Some(chosen);
        ui.data_mut(|data| data.insert_temp(at, chosen));
        for spec in TOOLS {
            let active = chosen == spec.id;
            let button = widget::icon_toggle(ui, theme, spec.icon, spec.label, &keymap.shown(&format!("tool-{}", spec.id)), active, size);
            if button.clicked() {
                out.push(UiAction::Do(Action::SelectTool(spec.id)));
            }
            if button.gained_focus() || (active && is_new) {
                button.scroll_to_me(None);
            }
        }
    });
}

/// The row over the map: name of the tool and its options, from the tool's own list; masks and symmetry at its end.
pub fn options_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    let spec = editor.tool.spec();
    let before = &editor.tool.settings;
    let mut settings = before.clone();
    let is_narrow = ui.max_rect().width() < WIDE_ROW;
    // The key of the mode that stamps do not have turns them.
    let turn_key = shell.keymap.shown("mode-remove");
    // In a window that is too narrow for all of it, the row scrolls.
    let scroll = egui::ScrollArea::horizontal().id_salt("options").scroll_bar_visibility(ScrollBarVisibility::AlwaysHidden);
    let mut scroll = scroll.auto_shrink([false, false]);
    if let Some(offset) = ui.data_mut(|data| data.remove_temp(scrolled_to())) {
        scroll = scroll.horizontal_scroll_offset(offset);
    }
    let row = scroll.show(ui, |ui| {
        ui.horizontal_centered(|ui| {
            ui.add_space(4.0);
            ui.label(RichText::new(spec.label).color(theme.text));
            let options = spec.options.iter().copied().filter(|option| option.applies(spec, before));
            let (more, shown): (Vec<_>, Vec<_>) = options.partition(|option| is_narrow && gives_way(*option));
            for option in &shown {
                ui.add_space(8.0);
                match option {
                    ToolOption::Path => making::path_ui(ui, theme, &mut settings.path),
                    ToolOption::Terrain => making::terrain_ui(ui, theme, &mut settings.terrain),
                    ToolOption::Stamp => making::stamp_ui(ui, theme, (editor, &turn_key), &mut settings.stamp, out),
                    option => option_ui(ui, theme, *option, &mut settings),
                }
            }
            if let Some((usage, label)) = picture_of(spec, before)
                && ui.button(label).clicked()
            {
                out.push(UiAction::AskFile(FileQuestion::Picture(usage)));
            }
            if !more.is_empty() {
                let is_styled = settings.fill_kind != PaintKind::Replace;
                let button = widget::icon_toggle(ui, theme, "ellipsis", "More options", "", is_styled, 26.0);
                widget::settings_popup(&button, |ui| more.iter().for_each(|option| more_ui(ui, theme, *option, &mut settings)));
            }
            ui.add_space(8.0);
            if spec.edits() {
                scope::scope_ui(ui, theme, editor, shell, out);
            }
        })
    });
    ends_ui(ui, theme, row);
    if settings != *before {
        out.push(UiAction::SetTools(Box::new(settings)));
    }
}

/// Which picture a tool takes as it is set, and what it is called to choose one.
pub fn picture_of(spec: &ToolSpec, settings: &ToolSettings) -> Option<(PictureUse, &'static str)> {
    let (decal, tip) = ((PictureUse::Decal, settings.paint.decal.is_some()), (PictureUse::Brush, settings.brush.picture.is_some()));
    let picture = |option: &ToolOption| match option {
        ToolOption::PaintStyle if settings.paint.kind == PaintKind::Decal => Some(decal),
        ToolOption::FillStyle if settings.fill_kind == PaintKind::Decal => Some(decal),
        ToolOption::BrushShape if settings.brush.shape == BrushShape::Picture => Some(tip),
        _ => None,
    };
    let (usage, has_one) = spec.options.iter().filter(|option| option.applies(spec, settings)).find_map(picture)?;
    Some((usage, if has_one { "Another picture…" } else { "Choose a picture…" }))
}

/// Where the row is told where to scroll to.
fn scrolled_to() -> egui::Id {
    egui::Id::unique("options scrolled to")
}

/// Where the row goes on beyond its ends: buttons that bring the rest into sight.
fn ends_ui(ui: &mut Ui, theme: &Theme, row: egui::scroll_area::ScrollAreaOutput<egui::InnerResponse<()>>) {
    let (inner, rest, offset) = (row.inner_rect, row.content_size.x - row.inner_rect.width(), row.state.clamped_offset().x);
    let ends = [
        ("chevron-left", "Options to the left", inner.left() + ROW_END * 0.5, -1.0, offset > 1.0),
        ("chevron-right", "Options to the right", inner.right() - ROW_END * 0.5, 1.0, offset < rest - 1.0),
    ];
    for (icon, label, x, way, goes_on) in ends {
        if !goes_on {
            continue;
        }
        let place = egui::Rect::from_center_size(egui::pos2(x, inner.center().y), egui::vec2(ROW_END, inner.height()));
        ui.painter().rect_filled(place, 0.0, theme.panel);
        let mut over =
            ui.new_child(egui::UiBuilder::new().max_rect(place).layout(egui::Layout::centered_and_justified(ui.layout().main_dir())));
        if widget::icon_button(&mut over, theme, icon, label, "", ROW_END).clicked() {
            let next = (offset + way * inner.width() * 0.6).clamp(0.0, rest.max(0.0));
            ui.data_mut(|data| data.insert_temp(scrolled_to(), next));
            ui.ctx().request_repaint();
        }
    }
}

/// Whether an option is behind a button where the row is narrow.
fn gives_way(option: ToolOption) -> bool {
    matches!(option, ToolOption::FromCenter | ToolOption::FillSteps | ToolOption::FillStyle)
}

/// An option that has no room in the row.
fn more_ui(ui: &mut Ui, theme: &Theme, option: ToolOption, settings: &mut ToolSettings) {
    match option {
        ToolOption::FillStyle => fill_style_settings_ui(ui, theme, settings),
        option => option_ui(ui, theme, option, settings),
    }
}

/// The quarter turns and flips.
fn turns_ui(ui: &mut Ui, theme: &Theme, transform: &mut TransformSelection) {
    let quarter = Orientation::quarter_turn;
    let back = |axis| quarter(axis).then(quarter(axis)).then(quarter(axis));
    let label = ui.label("Turn");
    let combo = ComboBox::from_id_salt("turns").selected_text("…").width(30.0).height(widget::popup_height(ui, 400.0));
    let response = combo.close_behavior(PopupCloseBehavior::CloseOnClickOutside).show_ui(ui, |ui| {
        widget::mark_settings(ui);
        for (name, keys, turn) in [
            ("Turn left", "Alt+Left", back(Axis::Z)),
            ("Turn right", "Alt+Right", quarter(Axis::Z)),
            ("Tip over to the south", "Alt+Down", quarter(Axis::X)),
            ("Tip over to the east", "Alt+PageDown", back(Axis::Y)),
            ("Flip west and east", "", Orientation::mirror(Axis::X)),
            ("Flip north and south", "", Orientation::mirror(Axis::Y)),
            ("Flip upside down", "", Orientation::mirror(Axis::Z)),
        ] {
            if ui.button(name).on_hover_ui(|ui| widget::tooltip(ui, theme, name, keys, None)).clicked() {
                *transform = transform.clone().turned(turn);
            }
        }
    });
    response.response.labelled_by(label.id);
}

fn option_ui(ui: &mut Ui, theme: &Theme, option: ToolOption, settings: &mut ToolSettings) {
    match option {
        ToolOption::Mode => {
            ui.spacing_mut().item_spacing.x = 2.0;
            for (mode, key) in Mode::TOOL.into_iter().zip(["T", "R", "G"]) {
                let active = settings.mode == mode;
                let button = widget::segment(ui, theme, mode.label(), theme.mode(mode), active);
                if button.on_hover_ui(|ui| widget::tooltip(ui, theme, mode.label(), key, None)).clicked() {
                    settings.mode = mode;
                }
            }
            ui.spacing_mut().item_spacing.x = 8.0;
        }
        ToolOption::BrushShape => {
            // The others are in the panel of the tip.
            for (shape, icon) in [(BrushShape::Ball, "circle"), (BrushShape::Cube, "square"), (BrushShape::Cylinder, "cylinder")] {
                if widget::icon_toggle(ui, theme, icon, shape.label(), "", settings.brush.shape == shape, 26.0).clicked() {
                    settings.brush.shape = shape;
                }
            }
        }
        ToolOption::BrushSize => {
            let label = ui.label("Size");
            let drag = DragValue::new(&mut settings.brush.size).range(1..=64).speed(0.15);
            widget::number_field(ui, drag)
                .labelled_by(label.id)
                .on_hover_ui(|ui| widget::tooltip(ui, theme, "Diameter in voxels", "[ ]", None));
        }
        ToolOption::Solid => {
            let label = ui.label("Form");
            let combo = ComboBox::from_id_salt("solid").selected_text(settings.solid.label()).width(72.0);
            let response = combo.show_list(ui, |ui| {
                for kind in SolidKind::ALL {
                    ui.selectable_value(&mut settings.solid, kind, kind.label());
                }
            });
            response.response.labelled_by(label.id);
        }
        ToolOption::Shell => {
            let label = ui.label("Shell");
            let drag = DragValue::new(&mut settings.shell).range(0..=64).speed(0.1);
            widget::number_field(ui, drag).labelled_by(label.id).on_hover_text("Thickness of a hollow shape or of a wall; 0 is solid");
        }
        ToolOption::FromCenter => {
            widget::checkbox(ui, &mut settings.from_center, "Center")
                .on_hover_text("From the center: the footprint grows to both sides of where it began");
        }
        ToolOption::SculptAction => {
            let label = ui.label("Way");
            let combo = ComboBox::from_id_salt("sculpt action")
                .selected_text(settings.sculpt_action.label())
                .width(76.0)
                .height(widget::popup_height(ui, 400.0));
            let response = combo.show_list(ui, |ui| {
                for action in SculptAction::ALL {
                    ui.selectable_value(&mut settings.sculpt_action, action, action.label());
                }
            });
            response.response.labelled_by(label.id);
        }
        ToolOption::Strength => {
            let label = ui.label("Strength");
            let action = settings.sculpt_action;
            let is_volume = settings.sculpt_form == SculptForm::Volume;
            let goes_over = is_volume && matches!(action, SculptAction::Smooth | SculptAction::Erode | SculptAction::Melt);
            let most = if is_volume { Sculpt::MAX_VOLUME_STRENGTH } else { 32 };
            let mut strength = settings.strength.min(most);
            let after = match strength {
                1 if goes_over => " time",
                _ if goes_over => " times",
                _ => Unit::Voxels.after(i64::from(strength)),
            };
            let help = match action {
                _ if goes_over => "How often it goes over the volume, in the middle of the brush",
                SculptAction::Slope => "A slope goes all the way: this is nothing to it",
                _ => "How far the middle of the brush moves at most",
            };
            let drag = DragValue::new(&mut strength).range(1..=most).speed(0.1).suffix(after);
            if widget::number_field(ui, drag).labelled_by(label.id).on_hover_text(help).changed() {
                settings.strength = strength;
            }
        }
        ToolOption::Tolerance => {
            let label = ui.label("Tolerance");
            let drag = DragValue::new(&mut settings.tolerance).range(0..=255).speed(0.5);
            widget::number_field(ui, drag).labelled_by(label.id).on_hover_text(COLOR_TOLERANCE);
        }
        ToolOption::FaceTolerance => {
            let label = ui.label("Tolerance");
            let after = if settings.face_tolerance == u8::MAX { ": any color" } else { "" };
            let drag = DragValue::new(&mut settings.face_tolerance).range(0..=255).speed(0.5).suffix(after);
            widget::number_field(ui, drag)
                .labelled_by(label.id)
                .on_hover_text(format!("{COLOR_TOLERANCE}: at 0 faces of one color alone go along"));
        }
        ToolOption::FillSteps => {
            widget::checkbox(ui, &mut settings.fill_steps, "Steps")
                .on_hover_text("Also climbs steps: follows voxels that touch only by an edge or corner");
        }
        ToolOption::NewObject => {
            let label = ui.label("New");
            let name = |kind: Option<ObjectKind>| kind.map_or("Nothing", ObjectKind::label);
            let combo = ComboBox::from_id_salt("new object").selected_text(name(settings.new_object.kind)).width(120.0);
            let response = combo.show_list(ui, |ui| {
                for kind in ObjectKind::ALL.into_iter().map(Some).chain([None]) {
                    ui.selectable_value(&mut settings.new_object.kind, kind, name(kind));
                }
            });
            response.response.labelled_by(label.id);
        }
        ToolOption::Team => {
            ui.spacing_mut().item_spacing.x = 2.0;
            for team in [Some(Team::Blue), Some(Team::Green), None] {
                let label = team.map_or("Neutral", Team::label);
                if widget::segment(ui, theme, label, theme.team(team), settings.new_object.team == team).clicked() {
                    settings.new_object.team = team;
                }
            }
            ui.spacing_mut().item_spacing.x = 8.0;
        }
        ToolOption::BrushDetails => brush_details_ui(ui, theme, settings),
        ToolOption::SculptForm => {
            let mut volume = settings.sculpt_form == SculptForm::Volume;
            let help = "Sculpts every surface in a ball, caves and overhangs as well, in place of the ground's height";
            if widget::checkbox(ui, &mut volume, "Volume").on_hover_text(help).changed() {
                settings.sculpt_form = if volume { SculptForm::Volume } else { SculptForm::Column };
            }
        }
        ToolOption::SculptDetails => sculpt_details_ui(ui, settings),
        ToolOption::FillReach => {
            let label = ui.label("Takes");
            let combo = ComboBox::from_id_salt("fill reach").selected_text(settings.fill_reach.label()).width(64.0);
            let response = combo.show_list(ui, |ui| {
                for reach in FillReach::ALL {
                    ui.selectable_value(&mut settings.fill_reach, reach, reach.label());
                }
            });
            response.response.labelled_by(label.id);
        }
        ToolOption::PaintStyle => paint_style_ui(ui, theme, settings),
        ToolOption::FillStyle => fill_style_ui(ui, theme, settings),
        ToolOption::SelectKind => {
            let label = ui.label("Select");
            let combo = ComboBox::from_id_salt("select kind")
                .selected_text(settings.select_kind.label())
                .width(100.0)
                .height(widget::popup_height(ui, 400.0));
            let response = combo.show_list(ui, |ui| {
                for kind in SelectKind::ALL {
                    ui.selectable_value(&mut settings.select_kind, kind, kind.label());
                }
            });
            response.response.labelled_by(label.id);
        }
        ToolOption::Combine => {
            let label = ui.label("Join");
            let combo = ComboBox::from_id_salt("combine").selected_text(settings.combine.label()).width(70.0);
            let response = combo.show_list(ui, |ui| {
                for combine in Combine::ALL {
                    ui.selectable_value(&mut settings.combine, combine, combine.label());
                }
            });
            response.response.labelled_by(label.id).on_hover_text("Shift adds, Ctrl subtracts, both intersect");
        }
        ToolOption::SelectTolerance => {
            let label = ui.label("Tolerance");
            let (unit, help) = match settings.select_kind {
                SelectKind::Height => (Unit::Voxels, "How much higher or lower the ground may lie"),
                SelectKind::Slope => (Unit::Degrees, "How much steeper or gentler the ground may be"),
                _ => (Unit::Plain, COLOR_TOLERANCE),
            };
            let after = unit.after(i64::from(settings.tolerance));
            let drag = DragValue::new(&mut settings.tolerance).range(0..=255).speed(0.3).suffix(after);
            widget::number_field(ui, drag).labelled_by(label.id).on_hover_text(help);
        }
        ToolOption::SelectEdges => {
            widget::checkbox(ui, &mut settings.select_edges, "Climb steps").on_hover_text("Also follow voxels that touch only by an edge");
        }
        ToolOption::SelectUpward => {
            widget::checkbox(ui, &mut settings.select_upward, "From here up")
                .on_hover_text("Nothing below the clicked voxel: a house without its ground");
        }
        ToolOption::SelectTall => {
            widget::checkbox(ui, &mut settings.select_tall, "All heights").on_hover_text("From the sky to the floor");
        }
        ToolOption::LassoColumns => {
            widget::checkbox(ui, &mut settings.lasso_columns, "Whole columns")
                .on_hover_text("Everything in the columns, not only what can be seen");
        }
        ToolOption::TransformTurns => turns_ui(ui, theme, &mut settings.transform),
        ToolOption::TransformAngle => {
            let label = ui.label("Angle");
            let mut degrees = f64::from(settings.transform.angle);
            let drag = DragValue::new(&mut degrees).range(-360.0..=360.0).speed(1.0).max_decimals(2).suffix("°");
            widget::number_field(ui, drag)
                .labelled_by(label.id)
                .on_hover_text("Clockwise as seen from the sky; always worked out from the original");
            settings.transform.angle = Thousandths::try_from(degrees).unwrap_or_default();
        }
        ToolOption::TransformScale => {
            let label = ui.label("Scale");
            let text = settings.transform.scale.map(|factor| factor.to_string()).join(" ");
            let combo = ComboBox::from_id_salt("scale").selected_text(text).width(56.0);
            let response = combo.close_behavior(PopupCloseBehavior::CloseOnClickOutside).show_ui(ui, |ui| {
                widget::mark_settings(ui);
                for (name, factor) in ["Scale x", "Scale y", "Scale z"].into_iter().zip(&mut settings.transform.scale) {
                    let mut value = f64::from(*factor);
                    let label = ui.label(name);
                    widget::number_field(ui, DragValue::new(&mut value).range(0.01..=64.0).speed(0.02).max_decimals(2))
                        .labelled_by(label.id);
                    *factor = Thousandths::try_from(value).unwrap_or(Thousandths::ONE);
                }
            });
            response.response.labelled_by(label.id);
        }
        ToolOption::TransformOffset => {
            let label = ui.label("By");
            let [x, y, z] = settings.transform.by.to_array();
            let combo = ComboBox::from_id_salt("offset").selected_text(format!("{x} {y} {z}")).width(56.0);
            let response = combo.close_behavior(PopupCloseBehavior::CloseOnClickOutside).show_ui(ui, |ui| {
                widget::mark_settings(ui);
                for (name, value) in ["Move x", "Move y", "Move z"].into_iter().zip(settings.transform.by.as_mut()) {
                    let label = ui.label(name);
                    widget::number_field(ui, DragValue::new(value).range(-4096..=4096).speed(0.2)).labelled_by(label.id);
                }
            });
            response.response.labelled_by(label.id);
        }
        ToolOption::TransformCopies => {
            let drag = DragValue::new(&mut settings.transform.copies).range(0..=4096).speed(0.05).prefix("× ");
            let response = widget::number_field(ui, drag);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SpinButton, true, "Copies"));
            response.on_hover_text("Copies: 0 moves the selection itself; each copy lies farther by the same distance");
        }
        // They need more room than a line here.
        ToolOption::Path | ToolOption::Terrain | ToolOption::Stamp => {}
    }
}

/// What only the chosen way of sculpting needs.
fn sculpt_details_ui(ui: &mut Ui, settings: &mut ToolSettings) {
    match settings.sculpt_action {
        SculptAction::Flatten => {
            let mut fixed = settings.sculpt_level.is_some();
            let help = "Flattens to this height (z) in place of that of the press; Alt+click picks it from the map";
            let check = widget::checkbox(ui, &mut fixed, "Fixed level").on_hover_text(help);
            if check.changed() {
                settings.sculpt_level = fixed.then_some(60);
            }
            if let Some(level) = &mut settings.sculpt_level {
                widget::number_field(ui, DragValue::new(level).prefix("z ").speed(0.1)).labelled_by(check.id);
            }
        }
        SculptAction::Terrace => {
            let label = ui.label("Step");
            widget::number_field(ui, DragValue::new(&mut settings.sculpt_step).range(2..=64).speed(0.05)).labelled_by(label.id);
        }
        SculptAction::Noise => {
            let label = ui.label("Hills");
            let drag = DragValue::new(&mut settings.sculpt_grain).range(1..=64).speed(0.1);
            widget::number_field(ui, drag).labelled_by(label.id).on_hover_text("Voxels from hill to hill");
        }
        _ => {}
    }
}
