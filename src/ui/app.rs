//! The window: one frame from input to picture.

mod carry_out;
mod closing;

use std::collections::VecDeque;
use std::path::PathBuf;

use egui::ViewportCommand;

use super::dialog::{DamagedForm, Dialog, ImportForm, PathPrompt, RecoverForm, ReportForm, dialog_ui};
use super::file_dialogs::{FileAnswer, FileDialogs, FileQuestion};
use super::focus_ring::focus_ring;
use super::menu_keys::MenuKeys;
use super::pacing::Pacing;
use super::popup_focus::PopupFocus;
use super::shell::{Shell, UiAction};
use super::theme::{self, Theme};
use super::viewport::Viewport;
use super::{dock, icon, keys, menu, notices, panel, status, tool_bar, widget};
use crate::editor::keymap::{Chord, Keymap, KeymapSettings, Scope, Target};
use crate::editor::{Action, Editor, Message, Request, settings};

/// Seconds that the window looks the same before that is written down.
const LAYOUT_SETTLES_SECS: f64 = 1.0;

/// Actions that one frame does as often as their keys came: another one does not take the first one back.
const REPEATING: [&str; 7] = ["cycle-symmetry", "undo", "redo", "repeat", "grow-selection", "shrink-selection", "delete"];

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
    on_handle: bool,
    pacing: Pacing,
    /// Whether the key V is down, or was when something was pasted.
    v_is_down: bool,
    popup_focus: PopupFocus,
    /// When the window began to look other than the settings' file says, in seconds of its clock.
    layout_changed: Option<f64>,
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
            // A button that is held down for a second is meant all the same, and frames of a busy machine take their time.
            options.input_options.max_click_duration = 5.0;
        });
        if let Some(scale) = editor.settings.ui_scale {
            ctx.set_zoom_factor(scale);
        }
        let shell = Shell::with_layout(&editor.settings.layout);
        let mut app = Self {
            editor,
            shell,
            viewport: Viewport::default(),
            theme,
            dialogs,
            asking: None,
            to_ask: VecDeque::new(),
            title: String::new(),
            was_typing: false,
            on_handle: false,
            pacing: Pacing::default(),
            v_is_down: false,
            popup_focus: PopupFocus::default(),
            layout_changed: None,
        };
        app.take_keymap();
        if let Some(trouble) = app.editor.settings.palette_trouble() {
            app.editor.tell(Message::warning(trouble));
        }
        if !app.editor.settings.layout.is_whole {
            app.editor.tell(Message::warning("Part of the layout of panels could not be read and is as at first"));
        }
        app
    }

    /// The title that the desktop shows.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Takes in what came since the last frame: answers, dropped files, keys.
    fn take_in(&mut self, ctx: &egui::Context, out: &mut Vec<UiAction>) {
        // A window that is hidden draws no frame in which it has no focus.
        if ctx.input(|input| input.events.contains(&egui::Event::WindowFocused(true))) {
            // Who worked elsewhere may have changed a file there.
            self.editor.look_at_files();
        }
        self.editor.pump();
        for request in self.editor.take_requests() {
            match request {
                Request::SavePath(order) => out.push(UiAction::AskWhere(order)),
                Request::ConfirmLoss { order, report } => out.push(UiAction::Ask(Dialog::Loss { order, report })),
                Request::ConfirmProblems { order, problems } => out.push(UiAction::Ask(Dialog::Problems { order, problems })),
                Request::OpenDamaged { path, reason, size } => {
                    out.push(UiAction::Ask(Dialog::Damaged(DamagedForm::new(path, reason, size))))
                }
                Request::Versions { name, versions } => out.push(UiAction::Ask(Dialog::Versions { name, versions })),
                Request::ScriptPath(script) => out.push(UiAction::AskFile(FileQuestion::SaveScript { script })),
                Request::Report(parts) => out.push(UiAction::Ask(Dialog::Report(ReportForm::new(parts)))),
                Request::ConfirmExport { order, reason } => out.push(UiAction::Ask(Dialog::ReplaceByExport { order, reason })),
                // The dialog that is open shows it itself.
                Request::Imported if matches!(self.shell.dialog, Some(Dialog::Import(_))) => ctx.request_repaint(),
                Request::Imported => out.push(UiAction::Ask(Dialog::Import(ImportForm::default()))),
                Request::Recover => out.push(UiAction::Ask(Dialog::Recover(RecoverForm::default()))),
                Request::ConfirmOverwrite { order, why, reason } => out.push(UiAction::Ask(Dialog::Overwrite { order, why, reason })),
                Request::ConfirmPalette { order, reason } => out.push(UiAction::Ask(Dialog::ReplacePalette { order, reason })),
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
            out.push(UiAction::Do(Action::Dropped(file.path().to_owned())));
        }
        if ctx.input(|input| input.viewport().close_requested()) && !self.shell.quitting {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            leave_fields(ctx);
            out.push(UiAction::Invoke("quit"));
        }
        self.close_saved(out);
    }

    fn start_folder(&self) -> PathBuf {
        let own = self.editor.active().and_then(|open| open.path()?.parent().map(Into::into));
        let recent = || self.editor.settings.last_folder.as_ref().map(|folder| folder.0.clone());
        own.or_else(recent).or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| "/".into())
    }

    fn keys(&mut self, ctx: &egui::Context, out: &mut Vec<UiAction>) {
        self.popup_focus.follow(ctx, self.shell.dialog.is_some());
        if self.shell.dialog.is_some() {
            self.viewport.cursor.let_go();
            return;
        }
        // The map listens while nothing else has the focus.
        let focused = ctx.memory(|memory| memory.focused());
        // The symmetry's handle lies on the map and takes the arrows only.
        self.on_handle = focused == Some(super::symmetry_handle::id());
        let typing = focused.is_some_and(|focused| Some(focused) != self.viewport.id()) && !self.on_handle;
        // Esc lets go of a panel that is dragged, and nothing else happens meanwhile.
        if self.shell.drags_panel {
            return;
        }
        // While the right button flies, every letter is a direction, with Ctrl, too.
        if ctx.input(|input| input.pointer.secondary_down()) {
            return;
        }
        // In the middle of a gesture digits are its numbers.
        // What is typed behind such a key, in the same frame, is meant for the numbers that it offers.
        let entries =
            self.shell.keymap.entries().filter_map(|(bindable, chords)| Some((carry_out::transform_number(&bindable.id)?, chords)));
        for (first, chords) in entries {
            for chord in chords.iter().filter(|chord| !(typing && chord.is_text())) {
                if keys::take(ctx, chord) > 0 {
                    self.editor.act(Action::AwaitNumbers(first));
                }
            }
        }
        // Esc and Enter that left a field, or closed a menu, are not meant for the map; what comes after them is.
        let is_left = self.was_typing && ctx.input(|input| input.key_pressed(egui::Key::Escape) || input.key_pressed(egui::Key::Enter));
        let numbers = self.editor.gesture_numbers().numbers;
        if !typing && !is_left && !numbers.is_empty() {
            let keys = keys::take_entry(ctx, self.editor.tool.entry().is_some(), self.editor.awaits_numbers());
            // At once: the very next key may be Tab, which the map keeps while a number is typed.
            keys.into_iter().for_each(|key| self.editor.act(Action::Type(key)));
        }
        for (bindable, chords) in self.shell.keymap.by_rank().filter(|(bindable, _)| bindable.scope == Scope::Window) {
            for chord in chords {
                // While a text is typed, its own keys come first: undo, copy, Delete and letters.
                if typing && (chord.is_text() || matches!(&*bindable.id, "undo" | "redo" | "cut" | "copy" | "paste" | "select-all")) {
                    continue;
                }
                // Whoever types a number in the middle of a stroke, which has none, does not mean another view.
                if self.viewport.is_pressed() && chord.is_digit() {
                    continue;
                }
                let times = keys::take(ctx, chord);
                if times > 0 {
                    // What is half typed counts: it becomes a step before the action is carried out.
                    leave_fields(ctx);
                }
                let times = if REPEATING.contains(&&*bindable.id) { times } else { times.min(1) };
                out.extend((0..times).map(|_| UiAction::from(&bindable.target)));
            }
        }
        let is_choosing = self.is_choosing(ctx);
        if !typing && !is_left && !is_choosing {
            self.map_keys(ctx, out);
        } else {
            self.viewport.cursor.let_go();
        }
        // Whoever bound such a key to something else meant that.
        MenuKeys::press(ctx);
        self.was_typing = typing || is_choosing;
    }

    /// Whether keys are meant for what is open: Esc closes a menu and Enter chooses in it. Settings that stand open leave them to a
    /// stroke that is being drawn.
    fn is_choosing(&self, ctx: &egui::Context) -> bool {
        egui::Popup::is_any_open(ctx) && !(self.viewport.is_pressed() && widget::are_settings_open(ctx))
    }

    /// Keys that act on the map: letters of tools and modes, brush size, arrows, Enter and Esc.
    fn map_keys(&mut self, ctx: &egui::Context, out: &mut Vec<UiAction>) {
        if self.shell.map_cursor && !self.on_handle {
            let keys = keys::take_cursor(ctx, &self.shell.keymap);
            self.viewport.cursor.keys.extend(keys);
        }
        let copies = (self.editor.tool.has_clip() || self.editor.has_selection()) && !self.on_handle;
        let is_pending = self.editor.tool.can_nudge();
        let moves = copies || ((is_pending || self.editor.selected_object().is_some()) && !self.on_handle);
        let mut grown = 0;
        for (bindable, chords) in self.shell.keymap.by_rank().filter(|(bindable, _)| bindable.scope == Scope::Map) {
            for chord in chords {
                // A key that moves something does so as often as it comes, held down, too.
                let times = |chord: &Chord| i32::try_from(keys::take(ctx, chord)).unwrap_or(0);
                match &bindable.target {
                    Target::Nudge(by) if moves => {
                        let steps = |ctrl| times(&Chord { ctrl, ..*chord }) + times(&Chord { ctrl, shift: true, ..*chord }) * 8;
                        match steps(false) {
                            0 => {}
                            far => out.push(UiAction::Do(Action::Nudge(*by * far))),
                        }
                        match steps(true) {
                            far if copies && far != 0 => out.push(UiAction::Do(Action::Duplicate(*by * far))),
                            _ => {}
                        }
                    }
                    Target::Nudge(_) | Target::Press => {}
                    Target::GrowBrush(by) => grown += by * times(chord),
                    // Pressed once more it goes to the next way of the tool.
                    Target::Do(Action::SelectTool(id)) => {
                        let mut presses = keys::take_presses(ctx, chord);
                        if presses > 0 && self.editor.tool.spec().id != *id {
                            out.push(UiAction::from(&bindable.target));
                            presses -= 1;
                        }
                        out.extend((0..presses).map(|_| UiAction::Do(Action::NextWay)));
                    }
                    target => out.extend((0..keys::take_steps(ctx, chord)).map(|_| UiAction::from(target))),
                }
            }
        }
        if grown != 0 {
            out.push(UiAction::GrowBrush(grown));
        }
    }

    /// Takes the keys from the settings, and tells what is wrong with them.
    fn take_keymap(&mut self) {
        self.shell.keymap = Keymap::new(&self.editor.settings.keymap);
        if self.editor.settings.kept.contains_key("keymap") && self.editor.settings.keymap == KeymapSettings::default() {
            let message = Message::warning("The keymap in the settings is not understood: the keys are Spadework's own");
            self.editor.tell(
                message
                    .with_detail("It needs preset: and keys:, with a key or a list of keys for each name. It stays until you bind a key."),
            );
        }
        for trouble in &self.shell.keymap.troubles {
            self.editor.tell(Message::warning(trouble.clone()));
        }
    }

    fn update_title(&mut self, ctx: &egui::Context) {
        let busy = self.editor.shown_jobs().find(|job| job.started.elapsed().as_secs() >= 3);
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
        } else if self.editor.waits_for_journals() {
            ctx.request_repaint_after(std::time::Duration::from_secs(1));
        }
    }

    /// Notes how the window looks, and writes it down where it was changed and nobody is at it any more.
    fn remember_layout(&mut self, ctx: &egui::Context) {
        let settings = &mut self.editor.settings;
        let before = (settings.layout.clone(), settings.ui_scale, settings.window_size);
        settings.layout = self.shell.layout();
        // Steps of a tenth add up to 1.5000001: in the file it is what the window says.
        settings.ui_scale = Some((ctx.zoom_factor() * 100.0).round() / 100.0).filter(|scale| *scale != 1.0);
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
        let now = ctx.input(|input| input.time);
        if before != (settings.layout.clone(), settings.ui_scale, settings.window_size) {
            self.layout_changed = Some(now);
        }
        // While an edge is dragged, each frame has another size.
        let left = self.layout_changed.map(|since| since + LAYOUT_SETTLES_SECS - now);
        match left {
            Some(left) if self.shell.quitting || left <= 0.0 => {
                self.layout_changed = None;
                self.editor.save_settings();
                if self.shell.quitting {
                    self.editor.save_settings_left();
                }
            }
            // The frame that was asked for may come a little earlier.
            Some(left) => ctx.request_repaint_after(std::time::Duration::from_secs_f64(left)),
            None if self.shell.quitting => self.editor.save_settings_left(),
            None => {}
        }
    }

    fn panels(&mut self, ui: &mut egui::Ui, out: &mut Vec<UiAction>) {
        let theme = self.theme;
        let bar = |fill| egui::Frame::new().fill(fill).inner_margin(egui::Margin::symmetric(4, 0));
        egui::Panel::top("menu")
            .exact_size(theme::MENU_HEIGHT)
            .frame(bar(theme.back))
            .show(ui, |ui| menu::menu_ui(ui, &theme, &self.editor, &self.shell, out));
        // It stays where all else is hidden: numbers that are typed, and work that can be cancelled, are nowhere else.
        egui::Panel::bottom("status")
            .exact_size(theme::STATUS_HEIGHT)
            .frame(bar(theme.back))
            .show(ui, |ui| status::status_ui(ui, &theme, &self.editor, &mut self.shell, out));
        if self.shell.panels_hidden {
            return;
        }
        egui::Panel::top("options")
            .exact_size(theme::OPTIONS_HEIGHT)
            .frame(bar(theme.panel))
            .show(ui, |ui| tool_bar::options_ui(ui, &theme, &self.editor, &mut self.shell, out));
        let strip = egui::Frame::new().fill(theme.panel).inner_margin(egui::Margin::symmetric(3, 0));
        egui::Panel::left("tools")
            .exact_size(theme::STRIP_WIDTH)
            .resizable(false)
            .frame(strip)
            .show(ui, |ui| tool_bar::strip_ui(ui, &theme, &self.editor, &self.shell.keymap, out));
        if self.editor.active().is_some_and(|open| open.document().volumes().len() > 1) {
            let row = egui::Frame::new().fill(theme.panel).inner_margin(egui::Margin::symmetric(8, 0));
            egui::Panel::top("volumes")
                .exact_size(theme::OPTIONS_HEIGHT)
                .frame(row)
                .show(ui, |ui| panel::volumes_ui(ui, &theme, &self.editor, out));
        }
    }
}

impl eframe::App for App {
    fn raw_input_hook(&mut self, ctx: &egui::Context, input: &mut egui::RawInput) {
        keys::tell_empty_paste(&mut input.events, &mut self.v_is_down);
        let awaits = self.shell.dialog.as_ref().is_some_and(Dialog::awaits_keys);
        if self.pacing.pace(input, ctx.text_edit_focused(), awaits) {
            ctx.request_repaint();
        }
        ctx.options_mut(|options| options.input_options.max_double_click_delay = self.pacing.double_click_secs());
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        let mut out = vec![];
        self.take_in(&ctx, &mut out);
        self.keys(&ctx, &mut out);
        self.panels(ui, &mut out);
        let theme = self.theme;
        egui::CentralPanel::no_frame().show(ui, |ui| {
            let gpu = frame.wgpu_render_state();
            let (editor, shell, viewport) = (&mut self.editor, &mut self.shell, &mut self.viewport);
            let parts = dock::Parts { theme: &theme, editor, shell, viewport, gpu, out: &mut out };
            let corner = dock::dock_ui(ui, parts).left_bottom();
            notices::notices_ui(&ctx, &theme, &self.editor, &mut self.shell, corner, &mut out);
        });
        if !ctx.input(|input| input.pointer.any_down()) {
            self.shell.settle(&mut out);
        }
        dialog_ui(&ctx, &theme, &self.editor, &mut self.shell, &mut out);
        focus_ring(&ctx, &theme, self.viewport.id());
        let had_dialog = self.shell.dialog.is_some();
        self.carry_out(&ctx, out);
        if self.shell.dialog.is_some() && !had_dialog {
            // A menu that is open would lie over it, and be open still after it.
            egui::Popup::close_all(&ctx);
        }
        self.shell.dialog_about = match &self.shell.dialog {
            Some(dialog) if dialog.is_about_map_in_front() => {
                self.shell.dialog_about.or_else(|| self.editor.active().map(|open| open.id()))
            }
            _ => None,
        };
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
