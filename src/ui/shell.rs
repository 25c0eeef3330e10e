//! State of the window that is not the map's: where panels lie, what is asked, what is shown.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::time::Instant;

use tracing::level_filters::LevelFilter;

use super::color_picker::Hsv;
use super::dialog::Dialog;
use super::file_dialogs::FileQuestion;
use crate::document::{Masks, Metadata, Object, ObjectId, Snapshot, Symmetry};
use crate::edit::Command;
use crate::editor::dock::{Dock, Layout, Order, Panel};
use crate::editor::keymap::{Keymap, KeymapSettings, Target};
use crate::editor::log::LogHandle;
use crate::editor::{Action, Compared, DocumentId, SaveOrder};
use crate::geom::CameraView;
use crate::tool::ToolSettings;
use crate::voxel::Rgb;

/// What a part of the window wants done at the end of the frame.
#[derive(Clone, Debug, PartialEq)]
pub enum UiAction {
    /// Something the editor does.
    Do(Action),
    /// An entry of the table of actions, by id.
    Invoke(&'static str),
    /// New settings of the tools.
    SetTools(Box<ToolSettings>),
    /// New settings of the keymap.
    SetKeymap(KeymapSettings),
    /// A larger or smaller brush.
    GrowBrush(i32),
    /// Show voxels that differ from their images, or do not.
    ToggleMismatches,
    /// Press and release at the cursor that keys move.
    PressCursor,
    /// Another selected object.
    SelectObject(Option<ObjectId>),
    /// Look at the map from there.
    View(CameraView),
    /// Look at the object.
    FrameObject(ObjectId),
    /// Ask something.
    Ask(Dialog),
    /// The open dialog is answered.
    CloseDialog,
    /// Ask where a document is saved to.
    AskWhere(SaveOrder),
    /// Ask for a file.
    AskFile(FileQuestion),
    /// A path was given in the window's own prompt.
    PathGiven(PathBuf),
    /// The user gives no path: what was to be opened or saved is not.
    PathRefused,
    /// Close these documents, asking about unsaved edits.
    CloseDocument(DocumentId),
    /// Save these documents, then close them, and the window if it was to be closed.
    SaveAndClose {
        /// The documents.
        documents: Vec<DocumentId>,
        /// Whether the window closes, too.
        quit: bool,
    },
    /// End the program, whatever is unsaved.
    QuitNow,
    /// End the program at once; the journals stay, so that the next start offers what no file holds.
    LeaveNow,
    /// What Esc means on the map: a step of the gesture back, else the newest notice closed, else the editor's own.
    StepBack,
    /// Take a message off the screen, by its place among all.
    Dismiss(usize),
    /// Take all messages off the screen.
    DismissAll,
    /// Do something to the panels.
    Dock(Order),
}

impl From<&Target> for UiAction {
    fn from(target: &Target) -> Self {
        match target {
            Target::Invoke(id) => Self::Invoke(id),
            Target::Do(Action::Cancel) => Self::StepBack,
            Target::Do(action) => Self::Do(action.clone()),
            Target::GrowBrush(by) => Self::GrowBrush(*by),
            Target::Nudge(by) => Self::Do(Action::Nudge(*by)),
            Target::Press => Self::PressCursor,
        }
    }
}

/// Everything the window remembers between frames.
pub struct Shell {
    /// The question that is open.
    pub dialog: Option<Dialog>,
    /// The document that was in front when a dialog opened that is about it.
    pub dialog_about: Option<DocumentId>,
    /// Questions that wait until the open one is answered.
    pub waiting: VecDeque<Dialog>,
    /// Which key does what.
    pub keymap: Keymap,
    /// Where the panels lie.
    pub dock: Dock,
    /// The panel that was closed last, with where everything lay before and after.
    closed: Option<(Panel, Dock, Dock)>,
    /// Whether a panel is being dragged elsewhere.
    pub drags_panel: bool,
    /// Whether the map stands alone.
    pub panels_hidden: bool,
    /// Whether the 8×8 sectors are drawn.
    pub sectors: bool,
    /// Whether the sea is drawn.
    pub water: bool,
    /// Whether objects are drawn.
    pub objects: bool,
    /// Whether keys move a cross hair over the map.
    pub map_cursor: bool,
    /// Whether voxels that differ from their images are shown.
    pub mismatches: bool,
    /// Whether those that differ in color alone are shown, too.
    pub mismatched_colors: bool,
    /// How far they are looked for, and what was found.
    pub compared: Compared,
    /// Colours used lately, newest first.
    pub recent_colors: Vec<Rgb>,
    /// The picker's colour, with the hue that grey and black leave open.
    pub hsv: Hsv,
    /// Height of the color panel but its square, up to the end of the palette, of the most used colors and of all, as last
    /// drawn.
    pub color_rests: [f32; 3],
    /// Text of the hex field while it is edited.
    pub hex: String,
    /// Texts of the map panel while they are edited, by property.
    pub drafts: BTreeMap<&'static str, String>,
    /// A change that a panel's number or color is being dragged to: one step once the button is up.
    pub pending: Option<Command>,
    /// The document that the texts belong to.
    pub drafts_of: Option<DocumentId>,
    /// Messages that were taken off the screen, by their places among all.
    pub dismissed: BTreeSet<usize>,
    /// Whether it is asked which keys somebody knows: at the first start, until that is answered or put away.
    pub asks_keymap: bool,
    /// What the tool said last.
    pub status: Option<String>,
    /// What a click would meet, for the status bar.
    pub under_pointer: Option<crate::voxel::Hit>,
    /// The window is to close as soon as nothing is unsaved.
    pub quitting: bool,
    /// Documents to close once they are saved, with when they were saved last before.
    pub closing: Vec<(DocumentId, Option<Instant>)>,
    /// Those of them that are saved once more when the save that runs is through.
    pub save_again: Vec<DocumentId>,
    /// Those of them that are saved as soon as all their edits are done.
    pub save_when_idle: Vec<SaveWhenIdle>,
    /// The window closes once they are, and nothing is being written; unless more errors were told by then than these.
    pub quit_when_closed: Option<usize>,
    /// The log of the process; `None` where there is none, as in tests.
    pub log: Option<LogHandle>,
    /// The level from which lines are kept and shown.
    pub log_level: LevelFilter,
    /// What is looked for among the things of a map.
    pub object_filter: String,
    /// The things found, for which document, version and letters.
    pub things: Option<((DocumentId, u64, String), Vec<ObjectId>)>,
    /// The folder for the map's colours, while it is edited.
    pub folder_draft: Option<String>,
    /// What is looked for among the named colours.
    pub palette_filter: String,
    /// Whether harmonies, ramps and team colours are shown.
    pub more_colors: bool,
    /// The other end of the ramp.
    pub ramp_to: Rgb,
    /// Colours of the ramp, both ends included.
    pub ramp_steps: u8,
    /// When the newest message came, in seconds of the window's clock.
    pub message_since: (usize, f64),
}

/// A document that is to be saved and closed once its edits are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveWhenIdle {
    /// The document.
    pub document: DocumentId,
    /// Where something was begun on it that was finished for that: its version before, and how much there was to be read then.
    pub finishing: Option<(u64, usize)>,
}

impl Default for Shell {
    fn default() -> Self {
        Self {
            dialog: None,
            dialog_about: None,
            waiting: VecDeque::new(),
            keymap: Keymap::default(),
            dock: Dock::default(),
            closed: None,
            drags_panel: false,
            panels_hidden: false,
            sectors: false,
            water: true,
            objects: true,
            map_cursor: false,
            mismatches: false,
            mismatched_colors: true,
            compared: Compared::default(),
            recent_colors: vec![],
            hsv: Hsv::default(),
            color_rests: [0.0; 3],
            hex: String::new(),
            drafts: BTreeMap::new(),
            drafts_of: None,
            pending: None,
            dismissed: BTreeSet::new(),
            status: None,
            under_pointer: None,
            quitting: false,
            closing: vec![],
            save_again: vec![],
            save_when_idle: vec![],
            quit_when_closed: None,
            log: None,
            object_filter: String::new(),
            things: None,
            folder_draft: None,
            palette_filter: String::new(),
            more_colors: false,
            ramp_to: Rgb::new(0, 0, 0),
            asks_keymap: false,
            ramp_steps: 6,
            log_level: LevelFilter::INFO,
            message_since: (0, 0.0),
        }
    }
}

impl Shell {
    /// A window that shows what it showed in the last session.
    pub fn with_layout(layout: &Layout) -> Self {
        let Layout { panels, sectors, water, markers, .. } = layout.clone();
        Self { dock: panels, sectors, water, objects: markers, ..Self::default() }
    }

    /// What the window shows, for the next session.
    pub fn layout(&self) -> Layout {
        Layout { panels: self.dock.clone(), sectors: self.sectors, water: self.water, markers: self.objects, is_whole: true }
    }

    /// Does something to the panels. One that was closed just now comes back to where it was.
    pub fn arrange(&mut self, order: &Order) {
        let before = self.dock.clone();
        self.dock.carry_out(order);
        match order {
            Order::Toggle(panel) | Order::Show(panel) if !before.is_open(*panel) => {
                if let Some((_, old, _)) = self.closed.take_if(|(closed, _, after)| closed == panel && *after == before) {
                    self.dock = old;
                    self.dock.carry_out(&Order::Show(*panel));
                }
            }
            Order::Toggle(panel) | Order::Close(panel) if before.is_open(*panel) => {
                self.closed = Some((*panel, before, self.dock.clone()));
            }
            _ => {}
        }
    }

    /// The metadata as panels show them: with what is being dragged.
    pub fn metadata(&self, document: &Snapshot) -> Metadata {
        let mut metadata = (*document.metadata).clone();
        if let Some(Command::SetProperty(op)) = &self.pending {
            metadata.set(op.0.clone());
        }
        metadata
    }

    /// An object as panels and the map show it: with what is being dragged.
    pub fn object<'a>(&'a self, document: &'a Snapshot, id: ObjectId) -> Option<&'a Object> {
        match &self.pending {
            Some(Command::SetObject(op)) if op.id == id => Some(&op.object),
            _ => document.objects.get(id),
        }
    }

    /// The colour of uncovered ground as panels show it.
    pub fn dirt(&self, document: &Snapshot) -> Option<Rgb> {
        match &self.pending {
            Some(Command::SetDirt(op)) => op.color,
            _ => document.dirt,
        }
    }

    /// The masks as the option row shows them.
    pub fn masks(&self, document: &Snapshot) -> Masks {
        match &self.pending {
            Some(Command::SetMasks(op)) => op.0.clone(),
            _ => (*document.masks).clone(),
        }
    }

    /// The symmetry as the option row and the map show it.
    pub fn symmetry(&self, document: &Snapshot) -> Symmetry {
        match &self.pending {
            Some(Command::SetSymmetry(op)) => op.symmetry(document),
            _ => (*document.symmetry).clone(),
        }
    }

    /// Proposes a change from a panel; it becomes one step when the pointer's button is up.
    pub fn propose(&mut self, command: Command, out: &mut Vec<UiAction>) {
        let same_kind = self.pending.as_ref().is_none_or(|pending| std::mem::discriminant(pending) == std::mem::discriminant(&command));
        let same_property = match (&self.pending, &command) {
            (Some(Command::SetProperty(old)), Command::SetProperty(new)) => {
                std::mem::discriminant(&old.0) == std::mem::discriminant(&new.0)
            }
            (Some(Command::SetObject(old)), Command::SetObject(new)) => old.id == new.id,
            _ => true,
        };
        if !(same_kind && same_property) {
            self.settle(out);
        }
        self.pending = Some(command);
    }

    /// Makes what was proposed a step.
    pub fn settle(&mut self, out: &mut Vec<UiAction>) {
        out.extend(self.pending.take().map(|command| UiAction::Do(Action::Edit(command))));
    }

    /// Notes that a colour was used.
    pub fn use_color(&mut self, color: Rgb) {
        self.recent_colors.retain(|other| *other != color);
        self.recent_colors.insert(0, color);
        self.recent_colors.truncate(16);
    }
}
