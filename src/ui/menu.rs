//! Menu bar and tabs, from the table of actions.

use egui::{Align, Button, Color32, Layout, RichText, Role, Ui, WidgetInfo};

use super::menu_keys::MenuKeys;
use super::shell::{Shell, UiAction};
use super::theme::{self, Theme};
use super::{icon, widget};
use crate::editor::dock::Panel;
use crate::editor::{ACTIONS, Action, ActionSpec, Editor, Menu, OpenDocument};

/// The bar at the top: menus on the left, tabs after them.
pub fn menu_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &Shell, out: &mut Vec<UiAction>) {
    ui.set_min_height(theme::MENU_HEIGHT);
    let mut keys = MenuKeys::begin(ui.ctx());
    egui::MenuBar::new().ui(ui, |ui| {
        ui.set_min_height(theme::MENU_HEIGHT);
        for menu in Menu::ALL {
            let button = ui.menu_button(menu.label(), |ui| menu_entries_ui(ui, theme, menu, editor, shell, &mut keys, out));
            keys.buttons.push(button.response.id);
        }
        ui.add_space(12.0);
        egui::ScrollArea::horizontal().auto_shrink([false, true]).show(ui, |ui| tabs_ui(ui, theme, editor, out));
    });
    keys.end(ui.ctx());
}

fn menu_entries_ui(ui: &mut Ui, theme: &Theme, menu: Menu, editor: &Editor, shell: &Shell, keys: &mut MenuKeys, out: &mut Vec<UiAction>) {
    ui.set_min_width(220.0);
    let entries: Vec<_> = ACTIONS.iter().filter(|spec| spec.menu == menu).collect();
    for group in entries.chunk_by(|a, b| a.submenu == b.submenu) {
        match group {
            [first, ..] if !first.submenu.is_empty() => {
                // As wide a mark as the entries above and below have.
                let mark = icon::text("check", 12.0).color(Color32::TRANSPARENT);
                let menu = ui.menu_button((mark, first.submenu), |ui| {
                    ui.set_min_width(180.0);
                    keys.within.extend(group.iter().map(|spec| entry_ui(ui, theme, spec, editor, shell, out)));
                });
                keys.submenus.push(menu.response.id);
                menu.response.widget_info(|| WidgetInfo::labeled(Role::Button, true, first.submenu));
            }
            _ => {
                for spec in group {
                    _ = entry_ui(ui, theme, spec, editor, shell, out);
                    if spec.id == "open" {
                        recent_ui(ui, theme, editor, keys, out);
                    }
                }
            }
        }
    }
}

fn entry_ui(ui: &mut Ui, theme: &Theme, spec: &ActionSpec, editor: &Editor, shell: &Shell, out: &mut Vec<UiAction>) -> egui::Id {
    if spec.separated {
        ui.separator();
    }
    let checked = checked(spec.id, shell, theme);
    let label = label_of(spec.id, spec.label, editor.active());
    let mark = icon::text("check", 12.0).color(if checked == Some(true) { theme.accent } else { Color32::TRANSPARENT });
    let button = Button::new((mark, label.as_str())).shortcut_text(RichText::new(shell.keymap.shown(spec.id)).color(theme.text_faint));
    let missing = missing(spec.id, editor);
    let is_enabled = missing.is_none();
    let entry = ui.add_enabled(is_enabled, button).on_disabled_hover_text(missing.unwrap_or_default());
    // The name is the label alone: the mark is a letter of the icon font to a screen reader.
    entry.widget_info(|| match checked {
        Some(on) => WidgetInfo::selected(Role::Button, is_enabled, on, &label),
        None => WidgetInfo::labeled(Role::Button, is_enabled, &label),
    });
    if entry.clicked() {
        out.push(UiAction::Invoke(spec.id));
        ui.close();
    }
    entry.id
}

fn recent_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, keys: &mut MenuKeys, out: &mut Vec<UiAction>) {
    let recent = &editor.settings.recent_files;
    ui.add_enabled_ui(!recent.is_empty(), |ui| {
        // As wide a mark as the entries above and below have.
        let mark = icon::text("check", 12.0).color(Color32::TRANSPARENT);
        let menu = ui.menu_button((mark, "Recent files"), |ui| {
            ui.set_min_width(260.0);
            for path in recent {
                let path = &path.0;
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                let folder = path.parent().map(|parent| parent.display().to_string()).unwrap_or_default();
                let button = Button::new(name).shortcut_text(RichText::new(folder).color(theme.text_faint).size(theme::SMALL));
                let entry = ui.add(button);
                keys.within.push(entry.id);
                if entry.clicked() {
                    out.push(UiAction::Do(Action::Open(path.clone())));
                    ui.close();
                }
            }
        });
        keys.submenus.push(menu.response.id);
        menu.response.widget_info(|| WidgetInfo::labeled(Role::Button, !recent.is_empty(), "Recent files"));
    });
}

/// Undo and redo name the step; a recording that runs is ended.
pub fn label_of(id: &str, label: &str, open: Option<&OpenDocument>) -> String {
    if id == "record" && open.and_then(OpenDocument::recorded).is_some() {
        return "End recording and save script…".to_owned();
    }
    let step = open.and_then(|open| match id {
        "undo" => open.history().last(),
        "redo" => open.history().next(),
        _ => None,
    });
    step.map_or_else(|| label.to_owned(), |change| format!("{label} {}", change.label.to_lowercase()))
}

fn checked(id: &str, shell: &Shell, theme: &Theme) -> Option<bool> {
    Some(match id {
        "toggle-sectors" => shell.sectors,
        "toggle-water" => shell.water,
        "map-cursor" => shell.map_cursor,
        "toggle-objects" => shell.objects,
        "toggle-panels" => shell.panels_hidden,
        "toggle-theme" => !theme.dark,
        _ => return Panel::by_action(id).map(|panel| shell.dock.is_open(panel)),
    })
}

/// What an action lacks that cannot be done now, in few words; `None` if it can be.
pub(super) fn missing(id: &str, editor: &Editor) -> Option<&'static str> {
    let Some(open) = editor.active() else {
        let is_free = matches!(
            id,
            "new"
                | "open"
                | "unsaved-maps"
                | "import"
                | "quit"
                | "keys"
                | "log"
                | "report"
                | "about"
                | "toggle-panels"
                | "reset-layout"
                | "toggle-theme"
        ) || Panel::by_action(id).is_some();
        return (!is_free).then_some("no map is open");
    };
    let document = open.document();
    let (nothing_selected, symmetry_off) = ("nothing is selected", "symmetry is off");
    match id {
        "undo" => open.history().last().is_none().then_some("nothing to undo"),
        "redo" => open.history().next().is_none().then_some("nothing to redo"),
        "cut" | "copy" | "deselect" | "save-stamp" | "crop" | "frame-selection" | "grow-selection" | "shrink-selection"
        | "select-solid" | "fill-selection" | "flip-x" | "flip-y" | "flip-z" => (!editor.has_selection()).then_some(nothing_selected),
        "type-move" | "type-turn" | "type-scale" => (!editor.has_selection() && !editor.tool.has_clip()).then_some(nothing_selected),
        "symmetry-on-map" | "symmetry-on-selection" if !document.symmetry.is_on() => Some(symmetry_off),
        "symmetry-on-selection" => (!editor.has_selection()).then_some(nothing_selected),
        "delete" => (!editor.has_selection() && editor.selected_object().is_none()).then_some(nothing_selected),
        "revert" | "versions" => open.path().is_none().then_some("not saved yet"),
        _ => None,
    }
}

fn tabs_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
    let active = editor.active().map(OpenDocument::id);
    ui.spacing_mut().item_spacing.x = 2.0;
    for open in editor.documents() {
        let is_active = active == Some(open.id());
        let frame = egui::Frame::new()
            .fill(if is_active { theme.panel } else { theme.back })
            .corner_radius(theme::RADIUS)
            .inner_margin(egui::Margin::symmetric(8, 0));
        frame.show(ui, |ui| {
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let title = format!("{}{}", open.title(), if open.is_modified() { " •" } else { "" });
                let title = if open.is_open_elsewhere() { format!("{title} (open elsewhere, too)") } else { title };
                let text = RichText::new(&title).color(if is_active { theme.text } else { theme.text_dim });
                let tab = ui.add(Button::new(text).frame(false));
                let path = open.path().map_or_else(|| "not saved yet".to_owned(), |path| path.display().to_string());
                if tab.on_hover_text(path).clicked() {
                    out.push(UiAction::Do(Action::Activate(open.id())));
                }
                let close =
                    widget::icon_button(ui, theme, "x", &format!("Close {}", open.title()), if is_active { "Ctrl+W" } else { "" }, 20.0);
                if close.clicked() {
                    out.push(UiAction::CloseDocument(open.id()));
                }
            });
        });
    }
}
