//! The right end of the option row: which voxels edits may change, and where else they happen.
//!
//! Knows no rule about either: it shows the document's masks and symmetry and asks for others.

use egui::{DragValue, RichText, Ui};

use super::shell::{Shell, UiAction};
use super::theme::{self, Theme};
use super::widget;
use crate::document::{Document, Masks, Matter, Symmetry, SymmetryKind, grouped};
use crate::edit::Command;
use crate::edit::ops::{Heal, HealFrom, SetMasks, SetSymmetry};
use crate::editor::{Action, Compared, Differences, Editor};
use crate::terrain::Unit;

/// Masks, symmetry and its center, for the document in front.
pub fn scope_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    let Some(document) = editor.active().map(|open| open.document()) else { return };
    let before = shell.masks(document);
    let mut masks = before.clone();
    masks_ui(ui, theme, document, editor, &mut masks);
    if masks != before {
        shell.propose(Command::SetMasks(SetMasks(masks)), out);
    }
    ui.add_space(8.0);
    let before = shell.symmetry(document);
    let mut symmetry = before.clone();
    symmetry_ui(ui, theme, editor, shell, &mut symmetry, out);
    if symmetry.kind != before.kind {
        shell.propose(Command::SetSymmetry(SetSymmetry::switched(&before, symmetry.kind)), out);
    } else if symmetry != before {
        shell.propose(Command::SetSymmetry(SetSymmetry::to(&symmetry)), out);
    }
}

fn masks_ui(ui: &mut Ui, theme: &Theme, document: &Document, editor: &Editor, masks: &mut Masks) {
    let label = ui.label("Mask");
    let text = match masks.count() {
        0 => "None".to_owned(),
        1 => "1 on".to_owned(),
        count => format!("{count} on"),
    };
    let color = if masks.any() { theme.accent } else { theme.text_dim };
    let response = widget::settings_button(ui, "Mask", RichText::new(text).color(color), 62.0, |ui| {
        ui.set_min_width(250.0);
        widget::hint(ui, theme, "Edits change only what all of these let through");
        widget::checkbox(ui, &mut masks.selection, "Only the selection");
        widget::checkbox(ui, &mut masks.surface, "Only the surface");
        widget::checkbox(ui, &mut masks.spawns, "Only in spawn regions");
        if masks.spawns && !document.has_spawn_regions() {
            let text = "None are set: nothing can be changed until the objects tool sets one, or this is off";
            ui.label(RichText::new(text).size(theme::SMALL).color(theme.warn));
        }
        ui.horizontal(|ui| {
            ui.label("Only");
            for (choice, name) in [(None, "All"), (Some(Matter::Air), Matter::Air.label()), (Some(Matter::Solid), Matter::Solid.label())] {
                if widget::segment(ui, theme, name, theme.accent, masks.matter == choice).clicked() {
                    masks.matter = choice;
                }
            }
        });
        heights_ui(ui, document, masks);
        slope_ui(ui, masks);
        colors_ui(ui, theme, editor, masks);
        if ui.add_enabled(masks.any(), egui::Button::new("Clear masks")).clicked() {
            *masks = Masks::default();
        }
    });
    response.labelled_by(label.id).on_hover_ui(|ui| {
        widget::tooltip(ui, theme, "Mask", "", Some("Which voxels every tool and command may change"));
    });
}

/// Heights are shown above the lowest plane, as the status bar shows them.
fn heights_ui(ui: &mut Ui, document: &Document, masks: &mut Masks) {
    let (top, bottom) = (document.bounds().min().z, document.bounds().max().z - 1);
    let mut on = masks.z.is_some();
    if widget::checkbox(ui, &mut on, "Only these heights").changed() {
        masks.z = on.then_some([top, bottom]);
    }
    let Some([high, low]) = &mut masks.z else { return };
    ui.indent("heights", |ui| {
        ui.horizontal(|ui| {
            let (mut least, mut most) = (bottom - *low, bottom - *high);
            let height = bottom - top;
            if widget::number(ui, "Lowest", &mut least, 0..=most.max(0), Unit::Plain) {
                *low = bottom - least;
            }
            if widget::number(ui, "Highest", &mut most, least.min(height)..=height, Unit::Plain) {
                *high = bottom - most;
            }
        });
    });
}

fn slope_ui(ui: &mut Ui, masks: &mut Masks) {
    let mut on = masks.slope.is_some();
    if widget::checkbox(ui, &mut on, "Only these slopes").changed() {
        masks.slope = on.then_some([0, 30]);
    }
    let Some([least, most]) = &mut masks.slope else { return };
    ui.indent("slopes", |ui| {
        ui.horizontal(|ui| {
            let (mut from, mut to) = (i32::from(*least), i32::from(*most));
            widget::number(ui, "Gentlest", &mut from, 0..=to, Unit::Degrees);
            widget::number(ui, "Steepest", &mut to, from..=90, Unit::Degrees);
            // Both within 0 to 90.
            (*least, *most) = (u8::try_from(from).unwrap_or(0), u8::try_from(to).unwrap_or(90));
        });
    });
}

fn colors_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, masks: &mut Masks) {
    ui.horizontal(|ui| {
        ui.label("Only colors");
        let color = editor.tool.settings.color;
        let fresh = !masks.colors.contains(&color) && masks.colors.len() < Masks::MAX_COLORS;
        if ui.add_enabled(fresh, egui::Button::new("Add the color in hand")).clicked() {
            masks.colors.push(color);
        }
    });
    if masks.colors.is_empty() {
        return;
    }
    let mut gone = None;
    ui.horizontal_wrapped(|ui| {
        for color in &masks.colors {
            if widget::swatch(ui, theme, *color, false, 20.0).on_hover_text("Click to remove").clicked() {
                gone = Some(*color);
            }
        }
    });
    masks.colors.retain(|color| Some(*color) != gone);
    let mut tolerance = i32::from(masks.tolerance);
    widget::number(ui, "Tolerance of the colors", &mut tolerance, 0..=255, Unit::Plain);
    masks.tolerance = u8::try_from(tolerance).unwrap_or(u8::MAX);
}

fn symmetry_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, symmetry: &mut Symmetry, out: &mut Vec<UiAction>) {
    let label = ui.label("Symmetry");
    let color = if symmetry.is_on() { theme.accent } else { theme.text_dim };
    let response = widget::settings_button(ui, "Symmetry", RichText::new(symmetry.kind.label()).color(color), 96.0, |ui| {
        for kind in SymmetryKind::ALL {
            if ui.selectable_label(symmetry.kind == kind, kind.label()).clicked() {
                symmetry.kind = kind;
            }
        }
        ui.separator();
        widget::checkbox(ui, &mut symmetry.swap_teams, "Swap teams of objects");
        let mut swaps = !symmetry.swap_colors.is_empty();
        if widget::checkbox(ui, &mut swaps, "Swap team colors").on_hover_text("Blue and green change places on the other side").changed() {
            symmetry.swap_colors = if swaps { vec![TEAM_COLORS] } else { vec![] };
        }
        pairs_ui(ui, theme, editor, symmetry);
        ui.separator();
        ui.add_enabled_ui(symmetry.is_on(), |ui| {
            widget::checkbox(ui, &mut shell.mismatches, "Show mismatches");
            if shell.mismatches {
                widget::checkbox(ui, &mut shell.mismatched_colors, "Of color, too");
                let told = if symmetry.is_on() { compared_text(&shell.compared) } else { "No symmetry is on".to_owned() };
                widget::hint(ui, theme, &told);
            }
            ui.horizontal(|ui| {
                ui.label("Heal from");
                for row in parts_of(symmetry.kind) {
                    if ui.button(row.label()).clicked() {
                        out.push(UiAction::Do(Action::Edit(Command::Heal(Heal { from: *row, objects: true }))));
                    }
                }
            });
        });
    });
    response.labelled_by(label.id).on_hover_ui(|ui| {
        widget::tooltip(ui, theme, "Symmetry", "", Some("Where else every edit happens"));
    });
    if symmetry.is_on() {
        center_ui(ui, symmetry);
    }
}

/// Blue and green as servers have them.
pub const TEAM_COLORS: [crate::voxel::Rgb; 2] = [crate::voxel::Rgb::new(0, 0, 255), crate::voxel::Rgb::new(0, 255, 0)];

/// The parts that it makes sense to heal from.
pub fn parts_of(kind: SymmetryKind) -> &'static [HealFrom] {
    use HealFrom::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};
    match kind {
        // The row is there from the start, so that nothing moves.
        SymmetryKind::Off | SymmetryKind::MirrorX => &[West, East],
        SymmetryKind::MirrorY => &[North, South],
        SymmetryKind::Turn180 => &[West, East, North, South],
        SymmetryKind::MirrorBoth | SymmetryKind::Turn90 => &[NorthWest, NorthEast, SouthWest, SouthEast],
    }
}

/// The pairs of colours that change places; the color in the hand can take the place of each.
fn pairs_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, symmetry: &mut Symmetry) {
    let hand = editor.tool.settings.color;
    let mut gone = None;
    for (index, [a, b]) in symmetry.swap_colors.iter_mut().enumerate() {
        ui.horizontal(|ui| {
            for color in [&mut *a, &mut *b] {
                if widget::swatch(ui, theme, *color, false, 20.0).on_hover_text("Click to take the color in hand").clicked() {
                    *color = hand;
                }
            }
            if widget::icon_button(ui, theme, "x", &format!("Remove pair {}", index + 1), "", 18.0).clicked() {
                gone = Some(index);
            }
        });
    }
    if let Some(index) = gone {
        symmetry.swap_colors.remove(index);
    }
    let room = !symmetry.swap_colors.is_empty() && symmetry.swap_colors.len() < Symmetry::MAX_COLORS;
    if room && ui.button("Add a pair").clicked() {
        symmetry.swap_colors.push([hand, hand]);
    }
}

fn center_ui(ui: &mut Ui, symmetry: &mut Symmetry) {
    ui.label("Center");
    for (axis, name) in [(0, "Center x"), (1, "Center y")] {
        let mut voxels = f64::from(symmetry.center[axis]) / 2.0;
        let drag = DragValue::new(&mut voxels).speed(0.25).max_decimals(1).range(-4096.0..=8192.0).update_while_editing(false);
        let response = widget::number_field(ui, drag).on_hover_text("Whole: between two columns. Half: in the middle of one");
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SpinButton, true, name));
        if response.changed() {
            // Within the range of the field.
            symmetry.center[axis] = (voxels * 2.0).round() as i32;
            *symmetry = symmetry.clone().centered(symmetry.center);
        }
    }
}

/// How many voxels differ from their images.
fn compared_text(compared: &Compared) -> String {
    match compared {
        Compared::Pending => "Comparing the sides".to_owned(),
        Compared::Cancelled => "Cancelled: compared anew with the next step".to_owned(),
        Compared::Found(Differences { shape, colors }) if shape.count + colors.count == 0 => "The sides are alike".to_owned(),
        Compared::Found(Differences { shape, colors }) => {
            let counts = format!("{} differ in shape, {} in color alone", grouped(shape.count), grouped(colors.count));
            match shape.share.max(colors.share) {
                0 | 1 => counts,
                share => format!("{counts}; too many to show: one in {share} is marked"),
            }
        }
    }
}
