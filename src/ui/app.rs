//! The window: one frame from input to picture.

use std::collections::VecDeque;
use std::path::PathBuf;

use egui::{Key, ViewportCommand};
use glam::IVec3;

use super::dialog::{self, Dialog, ExportForm, ImportForm, NewMapForm, PathPrompt, ResizeForm, SaveOptionsForm, ShiftForm, dialog_ui};
use super::file_dialogs::{FileAnswer, FileDialogs, FileQuestion};
use super::shell::{Shell, UiAction};
use super::theme::{self, Theme};
use super::viewport::Viewport;
use super::{icon, keys, menu, panel, status, tool_bar};
use crate::document::{Object, Options};
use crate::edit::{Command, Mode, ops};
use crate::editor::{ACTIONS, Action, DocumentId, Editor, ExportOrder, ImportOrder, Request, SaveOrder, settings};
use crate::format::map_format_by_extension;
use crate::geom::{CameraView, Region};
use crate::tool::TOOLS;

/// How much larger or smaller text and controls become at a time.
const ZOOM_STEP: f32 = 0.1;
/// Smallest and largest text and controls, against the desktop's own.
const ZOOM_RANGE: (f32, f32) = (0.5, 4.0);

/// The window's state. `editor` is the application; the rest is how it looks.
pub struct App {
    /// The application.
    pub editor: Editor,
    /// What the window remembers.
    pub shell: Shell,
    /// The map.
    pub viewport: Viewport,
    theme: Theme,
    dialogs: Box<dyn FileDialogs>,
    /// What the open file dialog is about.
    asking: Option<FileQuestion>,
    /// File dialogs that come after it.
    to_ask: VecDeque<FileQuestion>,
    title: String,
    /// Whether a field or a menu had the keys in the last frame.
    was_typing: bool,
    /// Whether the window looks other than the settings say.
    layout_changed: bool,
}

impl App {
    /// A window on an editor.
    pub fn new(ctx: &egui::Context, editor: Editor, dialogs: Box<dyn FileDialogs>) -> Self {
        icon::install(ctx);
        let theme = theme_of(&editor);
        theme.apply(ctx);
        // Ctrl+Q asks about unsaved edits first.
        ctx.options_mut(|options| {
            options.quit_shortcuts.clear();
            // The table of actions has these keys.
            options.zoom_with_keyboard = false;
        });
        if let Some(scale) = editor.settings.ui_scale {
            ctx.set_zoom_factor(scale);
        }
        let shell = Shell::with_layout(&editor.settings.layout);
        Self {
            editor,
            shell,
            viewport: Viewport::default(),
            theme,
            dialogs,
            asking: None,
            to_ask: VecDeque::new(),
            title: String::new(),
            was_typing: false,
            layout_changed: false,
        }
    }

    /// The title that the desktop shows.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Takes in what came since the last frame: answers, dropped files, keys.
    fn take_in(&mut self, ctx: &egui::Context, out: &mut Vec<UiAction>) {
        self.editor.pump();
        for request in self.editor.take_requests() {
            match request {
                Request::SavePath(order) => out.push(UiAction::AskWhere(order)),
                Request::ConfirmLoss { order, report } => out.push(UiAction::Ask(Dialog::Loss { order, report })),
                Request::ConfirmProblems { order, problems } => out.push(UiAction::Ask(Dialog::Problems { order, problems })),
                Request::OpenDamaged { path, reason } => out.push(UiAction::Ask(Dialog::Damaged { path, reason })),
                Request::Versions { name, versions } => out.push(UiAction::Ask(Dialog::Versions { name, versions })),
                Request::ConfirmExport { order, reason } => out.push(UiAction::Ask(Dialog::ReplaceByExport { order, reason })),
                // The dialog that is open shows it itself.
                Request::Imported if matches!(self.shell.dialog, Some(Dialog::Import(_))) => ctx.request_repaint(),
                Request::Imported => out.push(UiAction::Ask(Dialog::Import(ImportForm::default()))),
                Request::Recover => out.push(UiAction::Ask(Dialog::Recover)),
                Request::ConfirmOverwrite { order, reason } => out.push(UiAction::Ask(Dialog::Overwrite { order, reason })),
            }
        }
        match self.dialogs.answer() {
            FileAnswer::Waiting => {}
            FileAnswer::Cancelled => out.push(UiAction::PathRefused),
            FileAnswer::Chosen(path) => out.push(UiAction::PathGiven(path)),
            FileAnswer::NoDialogs => {
                if let Some(question) = self.asking.clone() {
                    let suggested = self.suggested(&question);
                    out.push(UiAction::Ask(Dialog::Path(PathPrompt::new(question, &suggested))));
                }
            }
        }
        for file in ctx.input(|input| input.raw.dropped_files.clone()) {
            out.push(UiAction::Do(Action::Open(file.path().to_owned())));
        }
        if ctx.input(|input| input.viewport().close_requested()) && !self.shell.quitting {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            leave_fields(ctx);
            out.push(UiAction::Invoke("quit"));
        }
        self.close_saved(out);
    }

    /// Closes what was to be closed once it is saved.
    fn close_saved(&mut self, out: &mut Vec<UiAction>) {
        // A question on its way is about the save, too: where to save a map that has no file yet.
        let asking = !out.is_empty() || self.shell.dialog.is_some() || self.asking.is_some();
        for id in std::mem::take(&mut self.shell.closing) {
            match self.editor.document(id) {
                Some(open) if asking || open.is_saving() || open.is_busy() => self.shell.closing.push(id),
                // The save failed or was called off: everything stays open.
                Some(open) if open.is_modified() => self.shell.quit_when_closed = false,
                Some(_) => self.editor.act(Action::Close(id)),
                None => {}
            }
        }
        if self.shell.closing.is_empty() && std::mem::take(&mut self.shell.quit_when_closed) {
            out.push(UiAction::QuitNow);
        }
    }

    fn start_folder(&self) -> PathBuf {
        let own = self.editor.active().and_then(|open| open.path()?.parent().map(Into::into));
        let recent = || self.editor.settings.last_folder.as_ref().map(|folder| folder.0.clone());
        own.or_else(recent).or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| "/".into())
    }

    fn keys(&mut self, ctx: &egui::Context, out: &mut Vec<UiAction>) {
        if self.shell.dialog.is_some() {
            return;
        }
        // The map listens while nothing else has the focus.
        let typing = ctx.memory(|memory| memory.focused()).is_some_and(|focused| Some(focused) != self.viewport.id());
        // While the right button flies, every letter is a direction, with Ctrl, too.
        if ctx.input(|input| input.pointer.secondary_down()) {
            return;
        }
        for spec in ACTIONS.iter().filter(|spec| !spec.key.is_empty()) {
            let plain = !spec.key.contains("Ctrl") && !spec.key.starts_with('F');
            // While a text is typed, its own keys come first: undo, copy, Delete and letters.
            if typing && (plain || matches!(spec.id, "undo" | "redo" | "cut" | "copy" | "paste" | "select-all")) {
                continue;
            }
            if keys::pressed(ctx, spec.key) {
                // What is half typed counts: it becomes a step before the action is carried out.
                leave_fields(ctx);
                out.push(UiAction::Invoke(spec.id));
            }
        }
        if keys::pressed(ctx, "Ctrl+Y") && !typing {
            out.push(UiAction::Invoke("redo"));
        }
        // egui turns Ctrl+C, X and V into events of their own.
        if !typing {
            for event in ctx.input(|input| input.events.clone()) {
                match event {
                    egui::Event::Copy => out.push(UiAction::Invoke("copy")),
                    egui::Event::Cut => out.push(UiAction::Invoke("cut")),
                    egui::Event::Paste(_) => out.push(UiAction::Invoke("paste")),
                    _ => {}
                }
            }
            // Esc and Enter that left a field, or closed a menu, are not meant for the map.
            if !self.was_typing {
                self.map_keys(ctx, out);
            }
        }
        self.was_typing = typing || egui::Popup::is_any_open(ctx);
    }

    /// Keys that act on the map: letters of tools and modes, brush size, arrows, Enter and Esc.
    fn map_keys(&mut self, ctx: &egui::Context, out: &mut Vec<UiAction>) {
        // Esc closes an open menu and Enter chooses in it.
        if egui::Popup::is_any_open(ctx) {
            return;
        }
        let pressed = |key: Key| ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, key));
        for (key, mode) in [(Key::T, Mode::Add), (Key::R, Mode::Remove), (Key::G, Mode::Paint)] {
            if pressed(key) {
                out.push(UiAction::Do(Action::SetMode(mode)));
            }
        }
        for spec in TOOLS {
            if Key::from_name(&spec.key.to_string()).is_some_and(pressed) {
                out.push(UiAction::Do(Action::SelectTool(spec.id)));
            }
        }
        let times = |modifiers, key| ctx.input_mut(|input| i32::try_from(input.count_and_consume_key(modifiers, key)).unwrap_or(0));
        let grow = times(egui::Modifiers::NONE, Key::CloseBracket) - times(egui::Modifiers::NONE, Key::OpenBracket);
        if grow != 0 {
            out.push(UiAction::GrowBrush(grow));
        }
        if pressed(Key::Enter) {
            out.push(UiAction::Do(Action::Confirm));
        }
        if pressed(Key::Escape) {
            out.push(UiAction::Do(Action::Cancel));
        }
        if self.editor.active().is_some_and(|open| open.document().selection.is_some()) {
            let moves = [
                (Key::ArrowLeft, IVec3::NEG_X),
                (Key::ArrowRight, IVec3::X),
                (Key::ArrowUp, IVec3::NEG_Y),
                (Key::ArrowDown, IVec3::Y),
                (Key::PageUp, IVec3::NEG_Z),
                (Key::PageDown, IVec3::Z),
            ];
            for (key, by) in moves {
                // Several presses within one frame are one step.
                let steps = times(egui::Modifiers::SHIFT, key) * 8 + times(egui::Modifiers::NONE, key);
                if steps > 0 {
                    out.push(UiAction::Do(Action::Nudge(by * steps)));
                }
            }
        }
    }

    /// Carries out what the parts of the window asked for.
    ///
    /// Edits come first: a field that is left by a click on a tab still belongs to the map in front.
    fn carry_out(&mut self, ctx: &egui::Context, actions: Vec<UiAction>) {
        let (edits, others): (Vec<_>, Vec<_>) = actions.into_iter().partition(|action| matches!(action, UiAction::Do(Action::Edit(_))));
        for action in edits.into_iter().chain(others) {
            match action {
                UiAction::Do(action) => self.editor.act(action),
                UiAction::Invoke(id) => self.invoke(ctx, id),
                UiAction::SetTools(settings) => self.editor.tool.settings = settings,
                UiAction::GrowBrush(by) => {
                    let size = &mut self.editor.tool.settings.brush.size;
                    *size = size.saturating_add_signed(by).clamp(1, 64);
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
                        Some(FileQuestion::Import) => self.editor.act(Action::Import(ImportOrder { path, options: Options::new() })),
                        Some(FileQuestion::Save { order }) => self.save_there(ctx, order.with_path(path)),
                        Some(FileQuestion::Export { document, export, options }) => {
                            self.editor.act(Action::Export(ExportOrder { document, export, options, path, overwrite_agreed: false }));
                        }
                        None => {}
                    }
                    if let Some(next) = self.to_ask.pop_front() {
                        self.ask(ctx, next);
                    }
                }
                UiAction::PathRefused => {
                    // Whoever calls off one save of several does not want to be asked about the others.
                    self.asking = None;
                    self.to_ask.clear();
                }
                UiAction::AskWhere(order) => self.ask(ctx, FileQuestion::Save { order }),
                UiAction::AskFile(question) => self.ask(ctx, question),
                UiAction::CloseDocument(id) => self.close(id),
                UiAction::SaveAndClose { documents, quit } => {
                    self.shell.quit_when_closed = quit;
                    for id in documents {
                        self.editor.act(Action::SaveAs(SaveOrder::new(id)));
                        self.shell.closing.push(id);
                    }
                }
                UiAction::QuitNow => {
                    // Closing a document also discards its journal: nothing is left to be recovered.
                    for id in self.editor.documents().iter().map(|open| open.id()).collect::<Vec<_>>() {
                        self.editor.act(Action::Close(id));
                    }
                    self.shell.quitting = true;
                    ctx.send_viewport_cmd(ViewportCommand::Close);
                }
                UiAction::Dismiss(count) => self.shell.dismissed = count,
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
                // Something must be on the desktop's clipboard, or Ctrl+V is not passed on to the window.
                if let Some(region) = self.editor.active().and_then(|open| open.document().selection) {
                    let size = region.size();
                    ctx.copy_text(format!("Spadework selection of {}×{}×{} voxels", size.x, size.y, size.z));
                }
                self.editor.act(if id == "cut" { Action::Cut } else { Action::Copy });
            }
            "paste" => self.editor.act(Action::Paste),
            "delete" => self.editor.act(Action::Delete),
            "select-all" => self.editor.act(Action::SelectAll),
            "deselect" => self.editor.act(Action::Deselect),
            "crop" => self.editor.act(Action::Edit(Command::Crop(ops::Crop {}))),
            "resize" => self.shell.dialog = bounds.map(|bounds| Dialog::Resize(ResizeForm::new(bounds))),
            "shift" => self.shell.dialog = Some(Dialog::Shift(ShiftForm::default())),
            "repair-columns" => self.editor.act(Action::Edit(Command::RepairColumns(ops::RepairColumns {}))),
            "check" => (self.shell.panels_hidden, self.shell.panels.objects) = (false, true),
            "frame-map" => self.viewport.frame(&self.editor, &bounds.unwrap_or(Region::EMPTY)),
            "frame-selection" => {
                if let Some(region) = self.editor.active().and_then(|open| open.document().selection) {
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
            "toggle-water" => self.shell.water = !self.shell.water,
            "toggle-objects" => self.shell.objects = !self.shell.objects,
            "next-map" => self.editor.act(Action::ActivateNext(1)),
            "previous-map" => self.editor.act(Action::ActivateNext(-1)),
            "zoom-in" => ctx.set_zoom_factor((ctx.zoom_factor() + ZOOM_STEP).min(ZOOM_RANGE.1)),
            "zoom-out" => ctx.set_zoom_factor((ctx.zoom_factor() - ZOOM_STEP).max(ZOOM_RANGE.0)),
            "zoom-reset" => ctx.set_zoom_factor(1.0),
            "toggle-panels" => self.shell.panels_hidden = !self.shell.panels_hidden,
            "toggle-theme" => self.set_theme(ctx, self.theme.dark),
            "keys" => self.shell.dialog = Some(Dialog::Keys),
            "log" => self.shell.dialog = Some(Dialog::Log),
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
        match format.filter(|format| !dialog::asked(*format).is_empty()) {
            Some(format) => {
                let options = self.editor.settings.export_options.get(format.id()).cloned().unwrap_or_default();
                let form = SaveOptionsForm { order, options, format: format.id() };
                self.carry_out(ctx, vec![UiAction::Ask(Dialog::SaveOptions(form))]);
            }
            None => self.editor.act(Action::SaveAs(order)),
        }
    }

    /// The file, or for opening the folder, that a question begins with.
    fn suggested(&self, question: &FileQuestion) -> PathBuf {
        let file = |document: DocumentId, extension: Option<&str>| {
            let open = self.editor.document(document)?;
            let path = open.path().map_or_else(|| self.start_folder().join(format!("{}.vxl", open.title())), Into::into);
            Some(extension.map_or(path.clone(), |extension| path.with_extension(extension)))
        };
        let suggested = match question {
            FileQuestion::Open | FileQuestion::Import => None,
            FileQuestion::Save { order } => file(order.document, None),
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

    fn close(&mut self, id: DocumentId) {
        if self.editor.document(id).is_some_and(|open| open.has_work()) {
            self.shell.dialog = Some(Dialog::Unsaved { documents: vec![id], quit: false });
        } else {
            self.editor.act(Action::Close(id));
        }
    }

    fn quit(&mut self, ctx: &egui::Context) {
        let unsaved: Vec<_> = self.editor.documents().iter().filter(|open| open.has_work()).map(|open| open.id()).collect();
        if unsaved.is_empty() {
            self.carry_out(ctx, vec![UiAction::QuitNow]);
        } else {
            self.shell.dialog = Some(Dialog::Unsaved { documents: unsaved, quit: true });
        }
    }

    fn update_title(&mut self, ctx: &egui::Context) {
        let busy = self.editor.running().find(|job| job.started.elapsed().as_secs() >= 3);
        let title = match (self.editor.active(), busy) {
            (_, Some(job)) => format!("{} ({:.0} %) – Spadework", job.name, job.progress.share() * 100.0),
            (Some(open), None) => format!("{}{} – Spadework", if open.is_modified() { "• " } else { "" }, open.title()),
            (None, None) => "Spadework".to_owned(),
        };
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
        if self.editor.running().next().is_some() {
            ctx.request_repaint_after(std::time::Duration::from_millis(100));
        }
    }

    /// Notes how the window looks, and writes it down where it was changed and nobody is at it any more.
    fn remember_layout(&mut self, ctx: &egui::Context) {
        let settings = &mut self.editor.settings;
        let before = (settings.layout, settings.ui_scale, settings.window_size);
        settings.layout = self.shell.layout();
        settings.ui_scale = Some(ctx.zoom_factor()).filter(|scale| *scale != 1.0);
        let window = ctx.input(|input| {
            let window = input.viewport();
            let as_chosen = window.maximized != Some(true) && window.fullscreen != Some(true) && window.minimized != Some(true);
            window.inner_rect.filter(|_| as_chosen && !input.pointer.any_down())
        });
        if let Some(rect) = window {
            // Windows are made in points of the desktop.
            let size = rect.size() * ctx.zoom_factor();
            settings.window_size = Some([size.x.round(), size.y.round()]);
        }
        self.layout_changed |= before != (settings.layout, settings.ui_scale, settings.window_size);
        if self.layout_changed && (self.shell.quitting || !ctx.input(|input| input.pointer.any_down())) {
            self.layout_changed = false;
            self.editor.save_settings();
        }
    }

    fn panels(&mut self, ui: &mut egui::Ui, out: &mut Vec<UiAction>) {
        let theme = self.theme;
        let bar = |fill| egui::Frame::new().fill(fill).inner_margin(egui::Margin::symmetric(4, 0));
        egui::Panel::top("menu")
            .exact_size(theme::MENU_HEIGHT)
            .frame(bar(theme.back))
            .show(ui, |ui| menu::menu_ui(ui, &theme, &self.editor, &self.shell, out));
        if self.shell.panels_hidden {
            return;
        }
        egui::Panel::bottom("status")
            .exact_size(theme::STATUS_HEIGHT)
            .frame(bar(theme.back))
            .show(ui, |ui| status::status_ui(ui, &theme, &self.editor, &mut self.shell, out));
        egui::Panel::top("options")
            .exact_size(theme::OPTIONS_HEIGHT)
            .frame(bar(theme.panel))
            .show(ui, |ui| tool_bar::options_ui(ui, &theme, &self.editor, out));
        let strip = egui::Frame::new().fill(theme.panel).inner_margin(egui::Margin::symmetric(3, 0));
        egui::Panel::left("tools")
            .exact_size(theme::STRIP_WIDTH)
            .resizable(false)
            .frame(strip)
            .show(ui, |ui| tool_bar::strip_ui(ui, &theme, &self.editor, out));
        let column = egui::Frame::new().fill(theme.panel);
        egui::Panel::right("column").default_size(theme::PANEL_WIDTH).size_range(260.0..=520.0).frame(column).show(ui, |ui| {
            panel::column_ui(ui, &theme, &self.editor, &mut self.shell, out);
        });
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        let mut out = vec![];
        self.take_in(&ctx, &mut out);
        self.keys(&ctx, &mut out);
        self.panels(ui, &mut out);
        let theme = self.theme;
        egui::CentralPanel::no_frame().show(ui, |ui| {
            let corner = ui.max_rect().left_bottom();
            if self.editor.active().is_some() {
                self.viewport.ui(ui, &theme, &mut self.editor, &mut self.shell, frame.wgpu_render_state());
            } else {
                super::start::empty_ui(ui, &theme, &self.editor, &mut out);
            }
            status::notices_ui(&ctx, &theme, &self.editor, &mut self.shell, corner, &mut out);
        });
        if !ctx.input(|input| input.pointer.any_down()) {
            self.shell.settle(&mut out);
        }
        dialog_ui(&ctx, &theme, &self.editor, &mut self.shell, &mut out);
        self.carry_out(&ctx, out);
        self.update_title(&ctx);
        self.remember_layout(&ctx);
    }
}

/// Takes the focus from a field, so that what is typed there counts before something else happens.
fn leave_fields(ctx: &egui::Context) {
    if let Some(focused) = ctx.memory(|memory| memory.focused()) {
        ctx.memory_mut(|memory| memory.surrender_focus(focused));
    }
}

fn theme_of(editor: &Editor) -> Theme {
    // The desktop's own choice is not asked yet: dark is the default.
    if editor.settings.theme == settings::Theme::Light { Theme::LIGHT } else { Theme::DARK }
}

fn region_around(object: &Object, bounds: Region) -> Region {
    let ([x0, y0], [x1, y1]) = (object.area().min(), object.area().max());
    Region::new(IVec3::new(x0 - 16, y0 - 16, bounds.max().z - 32), IVec3::new(x1 + 16, y1 + 16, bounds.max().z))
}
