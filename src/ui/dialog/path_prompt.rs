//! The window's own file prompt, for desktops without a dialog service: a path and the folder's files.

use std::path::{Path, PathBuf};

use egui::text::{CCursor, CCursorRange};
use egui::{RichText, ScrollArea, TextEdit, Ui};

use super::{buttons, title};
use crate::editor::{Editor, PictureUse};
use crate::ui::file_dialogs::{FileQuestion, importable};
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};

/// What is asked and what was typed.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPrompt {
    /// To open or to save.
    pub question: FileQuestion,
    /// The path as typed.
    pub text: String,
    focused: bool,
    /// The folder that is listed, and what is in it.
    listed: Option<(PathBuf, Vec<Entry>)>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    name: String,
    is_folder: bool,
}

impl PathPrompt {
    /// Asks with a path filled in.
    pub fn new(question: FileQuestion, suggested: &Path) -> Self {
        let text = match &question {
            FileQuestion::Open
            | FileQuestion::Import
            | FileQuestion::ImportColors
            | FileQuestion::Picture(_)
            | FileQuestion::OpenScript { .. }
            | FileQuestion::OpenPalette { .. } => {
                format!("{}/", suggested.display().to_string().trim_end_matches('/'))
            }
            FileQuestion::Save { .. }
            | FileQuestion::Export { .. }
            | FileQuestion::Report { .. }
            | FileQuestion::SaveScript { .. }
            | FileQuestion::SavePalette { .. } => suggested.display().to_string(),
        };
        Self { question, text, focused: false, listed: None }
    }

    /// Whether what is typed is the path already.
    pub(super) fn has_keys(&self) -> bool {
        self.focused
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
        let asks = match &self.question {
            FileQuestion::Open => "Open a map".to_owned(),
            FileQuestion::Import => "Import a model or a heightmap".to_owned(),
            FileQuestion::ImportColors => "Colors of the heightmap".to_owned(),
            FileQuestion::Picture(PictureUse::Brush) => "Picture for the tip of the brush".to_owned(),
            FileQuestion::Picture(PictureUse::Decal) => "Picture to paint".to_owned(),
            FileQuestion::Export { .. } => "Export to".to_owned(),
            FileQuestion::Report { .. } => "Write the report to".to_owned(),
            FileQuestion::OpenScript { .. } => "Run a script".to_owned(),
            FileQuestion::SaveScript { .. } => "Write the script to".to_owned(),
            FileQuestion::OpenPalette { .. } => "Open a palette".to_owned(),
            FileQuestion::SavePalette { .. } => "Save the palette as".to_owned(),
            FileQuestion::Save { order } => {
                format!("Save {} as", editor.document(order.document).map_or_else(|| "the map".to_owned(), |open| open.title()))
            }
        };
        title(ui, theme, &asks);
        ui.set_min_width(520.0);
        let mut shown = TextEdit::singleline(&mut self.text).desired_width(f32::INFINITY).hint_text("folder/map.vxl").show(ui);
        shown.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Path"));
        if !self.focused {
            shown.response.request_focus();
            // What is typed first replaces the name, not the folder before it nor the extension after it.
            shown.state.cursor.set_char_range(Some(self.name_range()));
            shown.state.store(ui.ctx(), shown.response.id);
            self.focused = true;
        }
        self.list(editor);
        self.entries_ui(ui, theme, out);
        let action = match self.question {
            FileQuestion::Open | FileQuestion::ImportColors | FileQuestion::Picture(_) | FileQuestion::OpenPalette { .. } => "Open",
            FileQuestion::Import => "Import",
            FileQuestion::Save { .. } | FileQuestion::SavePalette { .. } => "Save",
            FileQuestion::Export { .. } => "Export",
            FileQuestion::Report { .. } | FileQuestion::SaveScript { .. } => "Write",
            FileQuestion::OpenScript { .. } => "Run",
        };
        match buttons(ui, theme, &[action, "Cancel"]) {
            Some(0) if !self.text.trim().is_empty() => out.extend([UiAction::CloseDialog, UiAction::PathGiven(expand(self.text.trim()))]),
            Some(0) | None => {}
            Some(_) => out.extend([UiAction::CloseDialog, UiAction::PathRefused]),
        }
    }

    /// The letters of the file's name without extension.
    fn name_range(&self) -> CCursorRange {
        let letters = |bytes: usize| self.text.get(..bytes).map_or(0, |text| text.chars().count());
        let start = self.text.rfind('/').map_or(0, |slash| slash + 1);
        let end = self.text.rfind('.').filter(|dot| *dot > start).unwrap_or(self.text.len());
        CCursorRange::two(CCursor::new(letters(start)), CCursor::new(letters(end)))
    }

    fn folder(&self) -> PathBuf {
        let path = expand(self.text.trim());
        if self.text.ends_with('/') { path } else { path.parent().map(Path::to_owned).unwrap_or_default() }
    }

    fn list(&mut self, editor: &Editor) {
        let folder = self.folder();
        if self.listed.as_ref().is_some_and(|(listed, _)| *listed == folder) {
            return;
        }
        let known = |name: &str| {
            let extension = Path::new(name).extension().map(|extension| extension.to_string_lossy().to_lowercase());
            extension.is_some_and(|extension| match &self.question {
                FileQuestion::ImportColors | FileQuestion::Picture(_) => extension == "png",
                FileQuestion::Import => importable().contains(&extension.as_str()),
                FileQuestion::Export { export, .. } => {
                    crate::format::export(export).is_some_and(|export| export.extensions().contains(&extension.as_str()))
                }
                FileQuestion::Report { .. } => extension == "tar",
                FileQuestion::OpenScript { .. } | FileQuestion::SaveScript { .. } => extension == "jsonl",
                FileQuestion::OpenPalette { .. } | FileQuestion::SavePalette { .. } => {
                    crate::format::SwatchFormat::by_extension(&extension).is_some()
                }
                FileQuestion::Open | FileQuestion::Save { .. } => crate::format::map_format_by_extension(&extension).is_some(),
            })
        };
        let mut entries: Vec<Entry> = editor
            .storage()
            .list(&folder)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|path| {
                let name = path.file_name()?.to_string_lossy().into_owned();
                let is_folder = editor.storage().info(&path).is_ok_and(|info| info.is_folder);
                (!name.starts_with('.') && (is_folder || known(&name))).then_some(Entry { name, is_folder })
            })
            .collect();
        entries.sort_by_key(|entry| (!entry.is_folder, entry.name.to_lowercase()));
        self.listed = Some((folder, entries));
    }

    fn entries_ui(&mut self, ui: &mut Ui, theme: &Theme, out: &mut Vec<UiAction>) {
        let Some((folder, entries)) = &self.listed else { return };
        let mut chosen = None;
        ScrollArea::vertical().max_height(280.0).min_scrolled_height(160.0).auto_shrink([false, true]).show(ui, |ui| {
            if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty())
                && ui.selectable_label(false, RichText::new("../").color(theme.text_dim)).clicked()
            {
                chosen = Some(format!("{}/", parent.display().to_string().trim_end_matches('/')));
            }
            for entry in entries {
                let label = if entry.is_folder { format!("{}/", entry.name) } else { entry.name.clone() };
                let color = if entry.is_folder { theme.text_dim } else { theme.text };
                let row = ui.selectable_label(false, RichText::new(&label).color(color));
                if row.clicked() {
                    chosen = Some(folder.join(&label).display().to_string());
                }
                if row.double_clicked() && !entry.is_folder {
                    out.extend([UiAction::CloseDialog, UiAction::PathGiven(folder.join(&entry.name))]);
                }
            }
            if entries.is_empty() {
                ui.label(RichText::new("No files of this kind here").size(theme::SMALL).color(theme.text_faint));
            }
        });
        if let Some(text) = chosen {
            self.text = text;
        }
    }
}

/// `~` is the home folder.
fn expand(text: &str) -> PathBuf {
    match text.strip_prefix("~/") {
        Some(rest) => std::env::var_os("HOME").map_or_else(|| PathBuf::from(text), |home| Path::new(&home).join(rest)),
        None => PathBuf::from(text),
    }
}
