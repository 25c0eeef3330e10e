//! What the window does with what its parts asked for: actions of the editor, dialogs, files, the camera.

use std::path::{Path, PathBuf};

use egui::ViewportCommand;
use glam::IVec3;

use super::{App, theme_of};
use crate::document::{Combine, Masks, Object, Selection};
use crate::edit::{Command, Mode, ops};
use crate::editor::dock::{Order, Panel};
use crate::editor::{Action, CenterOn, DocumentId, Editor, ExportOrder, ImportOrder, Message, PaletteOrder, SaveOrder, settings};
use crate::format::map_format_by_extension;
use crate::geom::{Axis, CameraView, Orientation, Region};
use crate::tool::TransformNumber;
use crate::ui::dialog::{
    self, Dialog, ExportForm, KeysForm, NewMapForm, PaletteForm, ResizeForm, RunScriptForm, SaveOptionsForm, SaveStampForm, ShiftForm,
};
use crate::ui::file_dialogs::FileQuestion;
use crate::ui::map_cursor::CursorKey;
use crate::ui::notices;
use crate::ui::shell::UiAction;
use crate::ui::viewport::note_color;

/// How much larger or smaller text and controls become at a time.
const ZOOM_STEP: f32 = 0.1;
/// Smallest and largest text and controls, against the desktop's own.
const ZOOM_RANGE: (f32, f32) = (0.5, 4.0);

/// The number that an action offers to be typed.
pub(super) fn transform_number(id: &str) -> Option<TransformNumber> {
    Some(match id {
        "type-move" => TransformNumber::Offset,
        "type-turn" => TransformNumber::Angle,
        "type-scale" => TransformNumber::Scale,
        _ => return None,
    })
}

impl App {
    /// Carries out what the parts of the window asked for.
    ///
    /// Edits come first: a field that is left by a click on a tab still belongs to the map in front.
    pub(super) fn carry_out(&mut self, ctx: &egui::Context, actions: Vec<UiAction>) {
        // A job may have brought another map to the front while the dialog was open: its answer is about the one it asked about.
        let answers = actions.len() > 1 && actions.contains(&UiAction::CloseDialog);
        if let Some(id) = self.shell.dialog_about.filter(|id| answers && self.editor.active().is_some_and(|open| open.id() != *id)) {
            self.editor.act(Action::Activate(id));
        }
        let (edits, others): (Vec<_>, Vec<_>) = actions.into_iter().partition(|action| matches!(action, UiAction::Do(Action::Edit(_))));
        for action in edits.into_iter().chain(others) {
            match action {
                UiAction::Do(action) => {
                    let makes = matches!(action, Action::Confirm) && self.editor.tool.makes_something();
                    self.editor.act(action);
                    if makes {
                        note_color(&self.editor, &mut self.shell);
                    }
                }
                UiAction::Invoke(id) => self.invoke(ctx, id),
                UiAction::SetTools(settings) => self.editor.act(Action::SetTools(settings)),
                UiAction::SetKeymap(keymap) => {
                    self.editor.settings.keymap = keymap;
                    self.shell.asks_keymap = false;
                    self.take_keymap();
                    self.editor.save_settings();
                }
                UiAction::ToggleMismatches => self.shell.mismatches = !self.shell.mismatches,
                UiAction::PressCursor => {
                    if !self.shell.map_cursor {
                        self.viewport.toggle_cursor(ctx, &mut self.shell);
                    }
                    let keys = [CursorKey::Press, CursorKey::Release].map(|key| (key, crate::tool::Modifiers::default()));
                    self.viewport.cursor.keys.extend(keys);
                    ctx.request_repaint();
                }
                UiAction::GrowBrush(by) => {
                    let mut settings = self.editor.tool.settings.clone();
                    settings.brush.size = settings.brush.size.saturating_add_signed(by).clamp(1, 64);
                    self.editor.act(Action::SetTools(Box::new(settings)));
                }
                UiAction::SelectObject(id) => self.editor.select_object(id),
                UiAction::View(view) => self.viewport.look_from(&self.editor, view),
                UiAction::FrameObject(id) => {
                    let object =
                        self.editor.active().and_then(|open| Some((open.document().bounds(), open.document().objects.get(id)?.clone())));
                    if let Some((bounds, object)) = object {
                        self.viewport.frame(&self.editor, &region_around(&object, bounds));
                    }
                }
                // What is asked for a dialog is asked before it goes on.
                UiAction::Ask(dialog @ Dialog::Path(_)) if self.asking == Some(FileQuestion::ImportColors) => self.interrupt(dialog),
                UiAction::Ask(dialog) if self.shell.dialog.is_some() => self.shell.waiting.push_back(dialog),
                UiAction::Ask(dialog) => {
                    self.shell.dialog = Some(dialog);
                    // What was asked by a job is shown without waiting for the pointer to move.
                    ctx.request_repaint();
                }
                UiAction::CloseDialog => self.shell.dialog = self.shell.waiting.pop_front(),
                UiAction::PathGiven(path) => {
                    let question = self.asking.take();
                    let path = question.as_ref().map_or(path.clone(), |question| question.with_extension(path));
                    match question {
                        Some(FileQuestion::Open) => self.editor.act(Action::Open(path)),
                        Some(FileQuestion::Import) => self.editor.act(Action::Import(ImportOrder::new(path))),
                        Some(FileQuestion::Picture(usage)) => self.editor.act(Action::TakePicture(path, usage)),
                        Some(FileQuestion::ImportColors) => {
                            // The dialog may be gone, and another file be imported.
                            if let (Some(Dialog::Import(form)), Some(asked)) = (&self.shell.dialog, self.editor.asked_import()) {
                                let options = form.options().unwrap_or(&asked.options).clone();
                                let order = ImportOrder { path: asked.path.clone(), options, colors: Some(path) };
                                self.editor.act(Action::Import(order));
                            }
                        }
                        Some(FileQuestion::Save { order }) => self.save_there(ctx, order.with_path(path)),
                        Some(FileQuestion::Export { document, export, options }) => {
                            self.editor.act(Action::Export(ExportOrder {
                                document,
                                export,
                                options,
                                path,
                                overwrite_agreed: false,
                                asked: None,
                            }));
                        }
                        Some(FileQuestion::OpenScript { pointer }) => {
                            self.shell.dialog = Some(Dialog::RunScript(RunScriptForm::new(path, pointer)));
                        }
                        Some(FileQuestion::SaveScript { script }) => self.editor.act(Action::WriteScript { path, script }),
                        Some(FileQuestion::Report { parts }) => self.editor.act(Action::WriteReport { path, parts }),
                        Some(FileQuestion::OpenPalette { document }) => self.editor.act(Action::OpenPalette(document, path)),
                        Some(FileQuestion::SavePalette { document }) => {
                            self.editor.act(Action::SavePalette(PaletteOrder { document, path, overwrite_agreed: false, asked: None }));
                        }
                        None => {}
                    }
                    if let Some(next) = self.to_ask.pop_front() {
                        self.ask(ctx, next);
                    }
                }
                UiAction::PathRefused => {
                    // Whoever calls off one save of several does not want to be asked about the others.
                    let refused = self.asking.take();
                    self.to_ask.clear();
                    if let Some(FileQuestion::SaveScript { script }) = refused
                        && self.editor.document(script.document).is_some_and(|open| open.has_recording())
                    {
                        self.carry_out(ctx, vec![UiAction::Ask(Dialog::DropRecording(script.document))]);
                    }
                }
                UiAction::AskWhere(order) => self.ask(ctx, FileQuestion::Save { order }),
                UiAction::AskFile(question) => self.ask(ctx, question),
                UiAction::CloseDocument(id) => self.close(id),
                UiAction::SaveAndClose { documents, quit } => self.save_and_close(documents, quit),
                UiAction::QuitNow => {
                    // Closing a document also discards its journal: nothing is left to be recovered.
                    for id in self.editor.documents().iter().map(|open| open.id()).collect::<Vec<_>>() {
                        self.editor.act(Action::Close(id));
                    }
                    self.carry_out(ctx, vec![UiAction::LeaveNow]);
                }
                UiAction::LeaveNow => {
                    self.shell.quitting = true;
                    ctx.send_viewport_cmd(ViewportCommand::Close);
                }
                UiAction::StepBack => {
                    if self.editor.step_back() {
                        // What was said of the step is over with it.
                        self.shell.status = None;
                    } else {
                        match notices::newest(&self.editor, &self.shell) {
                            Some(notice) => _ = self.shell.dismissed.insert(notice),
                            None => self.editor.act(Action::Cancel),
                        }
                    }
                }
                UiAction::Dismiss(index) => _ = self.shell.dismissed.insert(index),
                UiAction::DismissAll => self.shell.dismissed = (0..self.editor.messages().len()).collect(),
                UiAction::Dock(order) => self.shell.arrange(&order),
            }
        }
    }

    fn invoke(&mut self, ctx: &egui::Context, id: &'static str) {
        let bounds = self.editor.active().map(|open| open.document().bounds());
        let view = |app: &mut Self, view| app.viewport.look_from(&app.editor, view);
        match id {
            "new" => self.shell.dialog = Some(Dialog::NewMap(NewMapForm::new(ctx.input(|input| (input.time * 1000.0) as u64 % 100_000)))),
            "open" => self.ask(ctx, FileQuestion::Open),
            "save" => self.editor.act(Action::Save),
            "save-toml" => self.editor.act(Action::SaveWithSidecar("spadesx-toml")),
            "save-as" => {
                if let Some(open) = self.editor.active() {
                    let order = SaveOrder::new(open.id());
                    self.ask(ctx, FileQuestion::Save { order });
                }
            }
            "versions" => self.editor.act(Action::FindVersions),
            "import" => self.ask(ctx, FileQuestion::Import),
            "export" => {
                if let Some(id) = self.editor.active().map(|open| open.id()) {
                    self.shell.dialog = Some(Dialog::Export(ExportForm::new(id, &self.editor)));
                }
            }
            "revert" => self.shell.dialog = Some(Dialog::Revert),
            "close" => {
                if let Some(id) = self.editor.active().map(|open| open.id()) {
                    self.close(id);
                }
            }
            "quit" => self.quit(ctx),
            "undo" => self.editor.act(Action::Undo),
            "redo" => self.editor.act(Action::Redo),
            "cut" | "copy" => {
                self.editor.finish_selecting();
                // Something must be on the desktop's clipboard, or Ctrl+V is not passed on to the window.
                if let Some(selection) = self.editor.active().and_then(|open| open.document().selection.as_ref()) {
                    let size = selection.bounds().size();
                    ctx.copy_text(format!("Spadework selection of {}×{}×{} voxels", size.x, size.y, size.z));
                }
                self.editor.act(if id == "cut" { Action::Cut } else { Action::Copy });
            }
            "paste" => {
                let under = self.shell.under_pointer.map(|hit| Action::PasteOn(hit.pos, hit.face));
                self.editor.act(under.unwrap_or(Action::Paste));
            }
            "delete" => self.editor.act(Action::Delete),
            "select-all" => self.editor.act(Action::SelectAll),
            "deselect" => self.editor.act(Action::Deselect),
            "save-stamp" => {
                self.editor.finish_selecting();
                self.shell.dialog = Some(Dialog::SaveStamp(SaveStampForm::default()));
            }
            "invert-selection" => self.editor.act(Action::Edit(Command::InvertSelection(ops::InvertSelection::default()))),
            "grow-selection" => self.editor.act(Action::Edit(Command::GrowSelection(ops::GrowSelection { by: 1 }))),
            "shrink-selection" => self.editor.act(Action::Edit(Command::ShrinkSelection(ops::ShrinkSelection { by: 1 }))),
            "select-same-color" | "select-solid" => {
                let (color, tolerance) = (self.editor.tool.settings.color, self.editor.tool.settings.tolerance);
                let same = Masks { colors: vec![color], tolerance, ..Masks::default() };
                let solid = Masks { selection: true, ..Masks::default() };
                let masks = if id == "select-solid" { solid } else { same };
                self.editor.act(Action::Edit(Command::SelectWhere(ops::SelectWhere { masks, combine: Combine::Replace })));
            }
            "fill-selection" => {
                let color = self.editor.tool.settings.color;
                self.editor.act(Action::Edit(Command::FillSelection(ops::FillSelection { color, mode: Mode::Set })));
            }
            "flip-x" => self.editor.act(Action::Turn(Orientation::mirror(Axis::X))),
            "flip-y" => self.editor.act(Action::Turn(Orientation::mirror(Axis::Y))),
            "flip-z" => self.editor.act(Action::Turn(Orientation::mirror(Axis::Z))),
            id if let Some(first) = transform_number(id) => self.editor.act(Action::AwaitNumbers(first)),
            "crop" => self.editor.act(Action::Edit(Command::Crop(ops::Crop {}))),
            "resize" => self.shell.dialog = bounds.map(|bounds| Dialog::Resize(ResizeForm::new(bounds))),
            "shift" => self.shell.dialog = Some(Dialog::Shift(ShiftForm::default())),
            "repair-columns" => self.editor.act(Action::Edit(Command::RepairColumns(ops::RepairColumns {}))),
            "cycle-symmetry" => self.editor.act(Action::CycleSymmetry),
            "mirror-x" => self.editor.act(Action::ToggleMirror(Axis::X)),
            "mirror-y" => self.editor.act(Action::ToggleMirror(Axis::Y)),
            "symmetry-on-map" => self.editor.act(Action::CenterSymmetry(CenterOn::Map)),
            "symmetry-on-selection" => self.editor.act(Action::CenterSymmetry(CenterOn::Selection)),
            "check" => {
                if self.editor.active().is_some_and(|open| open.problems().is_empty()) {
                    self.editor.tell(Message::info("No problems found: spawns, territories and objects are as the game takes them"));
                } else {
                    self.shell.panels_hidden = false;
                    self.shell.arrange(&Order::Show(Panel::Objects));
                }
            }
            "open-palette" | "save-palette" => {
                if let Some(document) = self.editor.active().map(|open| open.id()) {
                    let opens = id == "open-palette";
                    self.ask(ctx, if opens { FileQuestion::OpenPalette { document } } else { FileQuestion::SavePalette { document } });
                }
            }
            "frame-map" => self.viewport.frame(&self.editor, &bounds.unwrap_or(Region::EMPTY)),
            "frame-selection" => {
                self.editor.finish_selecting();
                if let Some(region) = self.editor.active().and_then(|open| open.document().selection.as_ref()).map(Selection::bounds) {
                    self.viewport.frame(&self.editor, &region);
                }
            }
            "view-top" => view(self, CameraView::Top),
            "view-north" => view(self, CameraView::North),
            "view-east" => view(self, CameraView::East),
            "view-south" => view(self, CameraView::South),
            "view-west" => view(self, CameraView::West),
            "view-iso" => view(self, CameraView::Iso),
            "orthographic" => self.viewport.toggle_orthographic(&self.editor),
            "toggle-sectors" => self.shell.sectors = !self.shell.sectors,
            "map-cursor" => self.viewport.toggle_cursor(ctx, &mut self.shell),
            "toggle-water" => self.shell.water = !self.shell.water,
            "toggle-objects" => self.shell.objects = !self.shell.objects,
            "next-map" => self.editor.act(Action::ActivateNext(1)),
            "previous-map" => self.editor.act(Action::ActivateNext(-1)),
            "zoom-in" => ctx.set_zoom_factor((ctx.zoom_factor() + ZOOM_STEP).min(ZOOM_RANGE.1)),
            "zoom-out" => ctx.set_zoom_factor((ctx.zoom_factor() - ZOOM_STEP).max(ZOOM_RANGE.0)),
            "zoom-reset" => ctx.set_zoom_factor(1.0),
            "toggle-panels" => self.shell.panels_hidden = !self.shell.panels_hidden,
            "panel-color" | "panel-objects" | "panel-map" | "panel-history" | "panel-log" => {
                if let Some(panel) = Panel::by_action(id) {
                    // What is hidden by F11 is not seen to close: it comes back.
                    let hidden = std::mem::take(&mut self.shell.panels_hidden);
                    self.shell.arrange(&if hidden { Order::Show(panel) } else { Order::Toggle(panel) });
                }
            }
            "reset-layout" => {
                self.shell.panels_hidden = false;
                self.shell.arrange(&Order::Reset);
            }
            "toggle-theme" => self.set_theme(ctx, self.theme.dark),
            "command-palette" => {
                // They are found by name, too.
                self.editor.act(Action::FindStamps);
                self.shell.dialog = Some(Dialog::Palette(PaletteForm::default()));
            }
            "keys" => self.shell.dialog = Some(Dialog::Keys(KeysForm::default())),
            "unsaved-maps" => self.editor.act(Action::FindLeftovers),
            "log" => {
                self.shell.panels_hidden = false;
                self.shell.arrange(&Order::Show(Panel::Log));
            }
            "repeat" => {
                let under = self.shell.under_pointer.map(|hit| (hit.pos, hit.face));
                self.editor.act(Action::Repeat(under));
            }
            "record" => self.editor.act(Action::ToggleRecording),
            "run-script" => {
                let pointer = self.shell.under_pointer.map(|hit| hit.pos + hit.face.normal());
                self.ask(ctx, FileQuestion::OpenScript { pointer });
            }
            "report" => {
                let lines = self.shell.log.iter().flat_map(|log| log.log.lines()).map(|line| format!("{line}\n"));
                self.editor.act(Action::PrepareReport { log: lines.collect() });
            }
            "about" => self.shell.dialog = Some(Dialog::About),
            _ => tracing::error!("action {id} is not carried out anywhere"),
        }
    }

    fn set_theme(&mut self, ctx: &egui::Context, light: bool) {
        self.editor.settings.theme = if light { settings::Theme::Light } else { settings::Theme::Dark };
        self.theme = theme_of(&self.editor);
        self.theme.apply(ctx);
        self.editor.save_settings();
    }

    /// Saves to a path that was chosen just now; where its format has options to choose, they are asked first.
    fn save_there(&mut self, ctx: &egui::Context, order: SaveOrder) {
        let extension = order.path.as_deref().and_then(|path| path.extension()).map(|extension| extension.to_string_lossy().into_owned());
        let format = extension.and_then(|extension| map_format_by_extension(&extension));
        let document = self.editor.document(order.document).map(|open| open.document());
        let asked = format.zip(document).map(|(format, document)| (format, dialog::asked(format, document)));
        match asked.filter(|(_, asked)| !asked.is_empty()) {
            Some((format, asked)) => {
                let mut options = self.editor.settings.export_options.get(format.id()).cloned().unwrap_or_default();
                // What is not asked was chosen for another map.
                options.retain(|name, _| asked.iter().any(|option| option.name == name));
                let form = SaveOptionsForm { order, options, format: format.id(), asked };
                self.carry_out(ctx, vec![UiAction::Ask(Dialog::SaveOptions(form))]);
            }
            None => self.editor.act(Action::SaveAs(order)),
        }
    }

    /// The file, or for opening the folder, that a question begins with.
    pub(super) fn suggested(&self, question: &FileQuestion) -> PathBuf {
        let file = |document: DocumentId, extension: Option<&str>| {
            let open = self.editor.document(document)?;
            let path = open.path().map_or_else(|| self.start_folder().join(open.proposed_name()), Into::into);
            Some(extension.map_or(path.clone(), |extension| path.with_extension(extension)))
        };
        let suggested = match question {
            FileQuestion::Open
            | FileQuestion::Import
            | FileQuestion::Picture(_)
            | FileQuestion::OpenScript { .. }
            | FileQuestion::OpenPalette { .. } => None,
            // Beside the heightmap.
            FileQuestion::ImportColors => self.editor.pending_import().and_then(|pending| {
                let folder = pending.order.path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
                Some(folder.into())
            }),
            FileQuestion::SaveScript { .. } => Some(self.start_folder().join("steps.jsonl")),
            FileQuestion::SavePalette { document } => {
                let title = self.editor.document(*document).map(|open| Editor::stem(Path::new(&open.title())));
                title.map(|title| self.start_folder().join(format!("{title}.gpl")))
            }
            FileQuestion::Save { order } => file(order.document, None),
            FileQuestion::Report { .. } => Some(self.start_folder().join("spadework-problem.tar")),
            FileQuestion::Export { document, export, .. } => {
                file(*document, crate::format::export(export).and_then(|export| export.extensions().first()).copied())
            }
        };
        suggested.unwrap_or_else(|| self.start_folder())
    }

    fn ask(&mut self, ctx: &egui::Context, question: FileQuestion) {
        // The same again brings a dialog back that is hidden behind the window.
        if self.asking.as_ref().is_some_and(|asking| *asking != question) {
            return self.to_ask.push_back(question);
        }
        self.asking = Some(question.clone());
        let suggested = self.suggested(&question);
        self.dialogs.ask(question, suggested, ctx);
    }

    /// Asks at once, whatever is asked already: that comes after it, and a path that was asked for is not given.
    pub(super) fn interrupt(&mut self, dialog: Dialog) {
        match self.shell.dialog.replace(dialog) {
            Some(Dialog::Path(_)) => {
                self.asking = None;
                self.to_ask.clear();
            }
            Some(Dialog::Unsaved { .. } | Dialog::StillWriting) | None => {}
            Some(other) => self.shell.waiting.push_front(other),
        }
    }
}

fn region_around(object: &Object, bounds: Region) -> Region {
    let ([x0, y0], [x1, y1]) = (object.area().min(), object.area().max());
    Region::new(IVec3::new(x0 - 16, y0 - 16, bounds.max().z - 32), IVec3::new(x1 + 16, y1 + 16, bounds.max().z))
}
