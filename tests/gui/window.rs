//! The window of a test: made, fed with input, looked at.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use egui::{Modifiers, Vec2, accesskit::Role};
use egui_kittest::kittest::{AccessKitNode, By, NodeT as _, Queryable as _};
use egui_kittest::{Harness, Node};
use spadework::editor::settings::Settings;
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, Editor, EditorConfig, JobMode, Menu, NewMap, OpenDocument, action};
use spadework::render::Headless;
use spadework::ui::App;

use crate::Script;

/// Name of the map among the widgets.
pub(crate) const MAP: &str = "Map viewport";
/// More frames than any settling takes; a window that never rests fails by it.
const MAX_FRAMES: u64 = 5000;
/// Frames that a key or a click needs until all is as it asked for, but for jobs.
const FRAMES_AMID_JOBS: usize = 8;
/// Seconds that a frame takes: short, so that notices stay while a test looks at them.
const FRAME_SECS: f32 = 1.0 / 60.0;

/// The program's window, without a desktop. See the [crate](crate).
pub struct Window {
    pub(crate) harness: Harness<'static, App>,
    /// Answers of file dialogs.
    pub dialogs: Script,
    folder: tempfile::TempDir,
}

/// What a window remembers.
enum Keeps<'a> {
    Nothing,
    /// Settings and stamps, in its own folder.
    Library,
    /// Journals, in that folder.
    Journals(&'a Path),
}

/// Whether there is something to draw with. Says so where there is not, and fails where `REQUIRE_GPU` is set.
pub fn has_adapter() -> bool {
    static ADAPTER: OnceLock<Result<(), String>> = OnceLock::new();
    match ADAPTER.get_or_init(|| Headless::new(1).map(|_| ()).map_err(|error| error.to_string())) {
        Ok(()) => true,
        Err(error) => {
            assert!(std::env::var_os("REQUIRE_GPU").is_none(), "{error}");
            println!("skipped: {error}");
            false
        }
    }
}

impl Window {
    /// A window of 1100×720 with no map; `None` where there is no adapter.
    pub fn empty() -> Option<Self> {
        Self::of_size([1100.0, 720.0], Settings::default())
    }

    /// A window of 1100×720 with a new map in it.
    pub fn with_new(map: NewMap) -> Option<Self> {
        let mut window = Self::empty()?;
        window.act(Action::New(map));
        Some(window)
    }

    /// Draws a box for letters that no font has, as the program does, in place of ending the test.
    pub fn allow_missing_glyphs(&self) {
        self.harness.ctx.set_missing_glyph_policy(egui::MissingGlyphPolicy::Tofu);
    }

    /// A window of that many points, with settings of an earlier session.
    pub fn of_size(size: [f32; 2], settings: Settings) -> Option<Self> {
        Self::made(size, settings, Keeps::Nothing)
    }

    /// A window that has a place for settings and stamps, in its own folder.
    pub fn with_library(size: [f32; 2], settings: Settings) -> Option<Self> {
        Self::made(size, settings, Keeps::Library)
    }

    /// A window of 1100×720 whose journals are kept in that folder, before it looks at what others left there.
    pub fn with_journals(folder: &Path) -> Option<Self> {
        Self::made([1100.0, 720.0], Settings::default(), Keeps::Journals(folder))
    }

    fn made(size: [f32; 2], settings: Settings, keeps: Keeps<'_>) -> Option<Self> {
        if !has_adapter() {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let settings_file = matches!(keeps, Keeps::Library).then(|| folder.path().join("settings.yaml"));
        let journal_folder = if let Keeps::Journals(folder) = keeps { Some(folder.to_path_buf()) } else { None };
        let dialogs = Script::default();
        let script = dialogs.clone();
        let builder =
            Harness::builder().with_size(Vec2::from(size)).with_max_steps(MAX_FRAMES).with_step_dt(FRAME_SECS).with_render_cursor(false);
        let harness = builder.wgpu().build_eframe(|cc| {
            let editor = Editor::new(EditorConfig {
                storage: Arc::new(RealStorage),
                jobs: JobMode::Inline,
                waker: Arc::new(|| ()),
                journal_folder,
                versions_folder: None,
                settings_file,
                settings,
            });
            App::new(&cc.egui_ctx, editor, Box::new(script))
        });
        let mut window = Self { harness, dialogs, folder };
        window.settle();
        Some(window)
    }

    /// A file in the folder of this window.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The window itself.
    pub fn app(&self) -> &App {
        self.harness.state()
    }

    /// The window itself, to set up what no test is about.
    pub fn app_mut(&mut self) -> &mut App {
        self.harness.state_mut()
    }

    /// The map in front.
    #[track_caller]
    pub fn map(&self) -> &OpenDocument {
        self.app().editor.active().expect("no map is open")
    }

    /// Steps that are done on the map in front.
    #[track_caller]
    pub fn steps(&self) -> usize {
        self.map().history().head()
    }

    /// Does what a person could invoke, without the way there.
    pub fn act(&mut self, action: Action) {
        self.app_mut().editor.act(action);
        self.settle();
    }

    /// Frames until nothing moves and no job runs.
    #[track_caller]
    pub fn settle(&mut self) {
        loop {
            self.harness.run();
            if self.app().editor.running().next().is_none() {
                return;
            }
        }
    }

    /// How much larger than the desktop's own text and controls are.
    pub fn zoom(&self) -> f32 {
        self.harness.ctx.zoom_factor()
    }

    /// The widget of that role and name, to look at.
    #[track_caller]
    pub fn get<'a>(&'a self, role: Role, name: &'a str) -> Node<'a> {
        self.harness.get_by_role_and_label(role, name)
    }

    /// Whether something with that name or text is to be seen.
    pub fn sees(&self, text: &str) -> bool {
        self.harness.query_all_by_label(text).next().is_some()
    }

    /// Whether something whose name or text holds that is to be seen.
    pub fn sees_part(&self, text: &str) -> bool {
        self.harness.query_all_by_label_contains(text).next().is_some()
    }

    /// Clicks the button of that name.
    #[track_caller]
    pub fn click(&mut self, name: &str) {
        self.get(Role::Button, name).click();
        self.settle();
    }

    /// Clicks the button of that name while jobs wait.
    #[track_caller]
    pub fn click_amid_jobs(&mut self, name: &str) {
        self.get(Role::Button, name).click();
        self.harness.run_steps(FRAMES_AMID_JOBS);
    }

    /// Clicks the widget of that role and name.
    #[track_caller]
    pub fn click_role(&mut self, role: Role, name: &str) {
        self.get(role, name).click();
        self.settle();
    }

    /// Clicks twice where the widget of that role and name is, a frame for each.
    #[track_caller]
    pub fn double_click(&mut self, role: Role, name: &str) {
        let pos = self.get(role, name).rect().center();
        let button =
            |pressed| egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
        for _ in 0..2 {
            self.harness.input_mut().events.extend([egui::Event::PointerMoved(pos), button(true), button(false)]);
            self.harness.run_steps(2);
        }
        self.settle();
    }

    /// Clicks the last widget of that role and name: the one in the right column where the option row has one, too.
    #[track_caller]
    pub fn click_last(&mut self, role: Role, name: &str) {
        self.harness.query_all_by_role_and_label(role, name).last().expect("no such widget").click();
        self.settle();
    }

    /// Where the widgets of that role and name are.
    pub fn places(&self, role: Role, name: &str) -> Vec<egui::Rect> {
        self.harness.query_all_by_role_and_label(role, name).map(|node| node.rect()).collect()
    }

    /// Opens a menu of the bar.
    #[track_caller]
    pub fn open_menu(&mut self, menu: Menu) {
        // Tools and entries may have the name of a menu: the bar is the top of the window.
        let in_bar = |node: &Node<'_>| node.rect().max.y <= 30.0;
        self.harness.query_all_by_role_and_label(Role::Button, menu.label()).find(in_bar).expect("no such menu").click();
        self.settle();
    }

    /// Whether a menu, a list or settings are open.
    pub fn has_popup(&self) -> bool {
        egui::Popup::is_any_open(&self.harness.ctx)
    }

    /// The entry of an action in the menu that is open; the names of undo and redo go on with the step.
    pub fn menu_entry<'a>(&'a self, id: &str) -> Option<Node<'a>> {
        let spec = action(id).expect("no such action");
        let goes_on = ["undo", "redo"].contains(&id);
        let is_entry = move |node: &AccessKitNode<'_>| {
            node.label().is_some_and(|name| name == spec.label || (goes_on && name.starts_with(spec.label)))
        };
        let mut entries = self.harness.query_all(By::new().role(Role::Button).predicate(is_entry));
        // A tool and a menu of that name lie elsewhere: under the bar, right of the strip.
        entries.rfind(|node| node.rect().min.y > 24.0 && node.rect().width() > 150.0)
    }

    /// Opens a menu and clicks the entry of an action. Answers whether it could be clicked.
    #[track_caller]
    pub fn choose(&mut self, id: &str) -> bool {
        let spec = action(id).expect("no such action");
        self.open_menu(spec.menu);
        if !spec.submenu.is_empty() {
            self.click(spec.submenu);
        }
        let entry = self.menu_entry(id).unwrap_or_else(|| panic!("{id} is in no menu"));
        let enabled = !entry.accesskit_node().is_disabled();
        entry.click();
        self.settle();
        if self.menu_entry(id).is_some() {
            self.press("Escape");
        }
        enabled
    }

    /// Clicks a tool of the strip.
    #[track_caller]
    pub fn click_tool(&mut self, label: &str) {
        let in_strip = |node: &Node<'_>| node.rect().max.x <= 44.0 && node.rect().min.y > 60.0;
        self.harness.query_all_by_role_and_label(Role::Button, label).find(in_strip).expect("no such tool").click();
        self.settle();
    }

    /// Presses a key, named as in the table of actions: `Ctrl+Shift+Z`.
    #[track_caller]
    pub fn press(&mut self, name: &str) {
        self.key(name);
        self.settle();
    }

    /// Presses keys in frames that follow each other, the next one before the last is let go, as somebody quick does.
    pub fn press_quickly(&mut self, keys: &[egui::Key]) {
        let event = |key, pressed| egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers: Modifiers::NONE };
        for key in keys {
            self.harness.input_mut().events.push(event(*key, true));
            self.harness.run_steps(1);
        }
        self.harness.input_mut().events.extend(keys.iter().map(|key| event(*key, false)));
        self.settle();
    }

    /// Presses a key, and another one in the second frame after it: what comes after a shortcut waits so long in the program.
    pub fn press_one_after(&mut self, first: egui::Key, then: egui::Key) {
        let event = |key, pressed| egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers: Modifiers::NONE };
        self.harness.input_mut().events.extend([event(first, true), event(first, false)]);
        self.harness.run_steps(2);
        self.harness.input_mut().events.extend([event(then, true), event(then, false)]);
        self.settle();
    }

    /// Presses a key so often within one frame.
    pub fn press_in_one_frame(&mut self, key: egui::Key, times: usize) {
        let event = |pressed| egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers: Modifiers::NONE };
        (0..times).for_each(|_| self.harness.input_mut().events.extend([event(true), event(false)]));
        self.harness.run_steps(1);
        self.settle();
    }

    /// Presses keys while jobs wait: draws a few frames, and does not wait for them.
    pub fn press_amid_jobs(&mut self, name: &str) {
        self.key(name);
        self.harness.run_steps(FRAMES_AMID_JOBS);
    }

    /// Clicks the cross of the window while jobs run.
    pub fn ask_to_close(&mut self) {
        let viewports = &mut self.harness.input_mut().viewports;
        viewports.entry(egui::ViewportId::ROOT).or_default().events.push(egui::ViewportEvent::Close);
        self.harness.run_steps(1);
        if let Some(viewport) = self.harness.input_mut().viewports.get_mut(&egui::ViewportId::ROOT) {
            viewport.events.clear();
        }
        self.harness.run_steps(FRAMES_AMID_JOBS);
    }

    fn key(&mut self, name: &str) {
        let mut modifiers = Modifiers::NONE;
        let mut key = None;
        for part in name.split('+') {
            match part {
                "Ctrl" => modifiers |= Modifiers::CTRL | Modifiers::COMMAND,
                "Shift" => modifiers |= Modifiers::SHIFT,
                "Alt" => modifiers |= Modifiers::ALT,
                "." => key = Some(egui::Key::Period),
                "[" => key = Some(egui::Key::OpenBracket),
                "]" => key = Some(egui::Key::CloseBracket),
                name => key = egui::Key::from_name(name),
            }
        }
        self.harness.key_press_modifiers(modifiers, key.expect("no such key"));
    }

    /// Presses the space bar and keeps it down, or lets it go.
    pub fn hold_space(&mut self, pressed: bool) {
        let (key, modifiers) = (egui::Key::Space, Modifiers::NONE);
        self.harness.event(egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers });
        self.settle();
    }

    /// Gives the keys to the widget of that role and name.
    #[track_caller]
    pub fn focus(&mut self, role: Role, name: &str) {
        self.get(role, name).focus();
        self.settle();
    }

    /// Whether the widget of that role and name has the keys.
    #[track_caller]
    pub fn has_focus(&self, role: Role, name: &str) -> bool {
        self.get(role, name).is_focused()
    }

    /// Name of what has the keys; an empty one where it has none.
    pub fn focused_name(&self) -> Option<String> {
        let focused = self.harness.root().children_recursive().find(|node| node.is_focused())?;
        Some(focused.accesskit_node().label().unwrap_or_default())
    }

    /// Closes the open dialog without an answer.
    #[track_caller]
    pub fn close_dialog(&mut self) {
        assert!(self.app().shell.dialog.is_some(), "no dialog is open");
        self.press("Escape");
        assert!(self.app().shell.dialog.is_none(), "Esc did not close the dialog");
    }

    /// Types into whatever has the focus.
    pub fn type_text(&mut self, text: &str) {
        self.harness.event(egui::Event::Text(text.to_owned()));
        self.settle();
    }

    /// Types words with Tab between them and after the last one, a frame for each of all these, as quick as frames come.
    pub fn type_quickly(&mut self, words: &[&str]) {
        let tab =
            |pressed| egui::Event::Key { key: egui::Key::Tab, physical_key: None, pressed, repeat: false, modifiers: Modifiers::NONE };
        for word in words {
            self.harness.input_mut().events.extend(word.chars().map(|letter| egui::Event::Text(letter.to_string())));
            self.harness.run_steps(1);
            self.harness.input_mut().events.extend([tab(true), tab(false)]);
            // What comes after Tab waits for a frame.
            self.harness.run_steps(2);
        }
        self.settle();
    }

    /// Clicks into a field, replaces what it says, and leaves it with Enter.
    #[track_caller]
    pub fn fill_in(&mut self, role: Role, name: &str, text: &str) {
        self.click_role(role, name);
        self.press("Ctrl+A");
        self.type_text(text);
        self.press("Enter");
    }

    /// Every widget that takes input, as role and name; what has no name comes with an empty one.
    pub fn inputs(&self) -> Vec<(Role, String)> {
        let nodes = self.harness.root().children_recursive();
        let inputs = nodes.map(|node| node.accesskit_node()).filter(|node| egui::accessibility::is_input(node.role()));
        inputs.filter(|node| !node.is_hidden()).map(|node| (node.role(), node.label().unwrap_or_default())).collect()
    }

    /// The texts that are shown from that height on, and where.
    pub fn texts_below(&self, top: f32) -> Vec<(egui::Rect, String)> {
        let nodes = self.harness.root().children_recursive();
        let texts = nodes.filter(|node| [Role::Label, Role::Button].contains(&node.accesskit_node().role()));
        let texts = texts.filter_map(|node| Some((node.rect(), node.accesskit_node().label().or_else(|| node.accesskit_node().value())?)));
        texts.filter(|(rect, _)| rect.min.y >= top).collect()
    }

    /// Where the first widget of that role and name is.
    pub fn rect_of(&self, role: Role, name: &str) -> Option<egui::Rect> {
        self.harness.query_all_by_role_and_label(role, name).next().map(|node| node.rect())
    }

    /// Makes the window that large, in points.
    pub fn resize(&mut self, size: [f32; 2]) {
        self.harness.set_size(Vec2::from(size));
        self.settle();
    }

    /// The picture of the whole window.
    pub fn picture(&mut self) -> image::RgbaImage {
        self.harness.render().unwrap()
    }
}
