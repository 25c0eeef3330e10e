//! Everything a person can invoke, with one name and one key each: menus, palette, tooltips and help
//! all read this table.

use std::path::PathBuf;
use std::sync::Arc;

use glam::IVec3;

use super::files::Standing;
use super::problem_report::ReportPart;
use super::{
    CenterOn, DocumentId, EntryKey, ExportLook, ExportOrder, ImportOrder, JobId, NewMap, PaletteOrder, RecordedScript, ScriptOrder,
    StampSource, SwatchEdit,
};
use crate::document::Options;
use crate::edit::ops::HeightmapMode;
use crate::edit::{Command, Mode};
use crate::geom::{Axis, Face, Orientation, VoxelPos};
use crate::tool::{ToolSettings, TransformNumber};

/// What a person invoked. Every face of the editor makes the same ones.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Makes a new map from a template.
    New(NewMap),
    /// Opens a map file.
    Open(PathBuf),
    /// Opens what was dropped onto the window: a palette beside the map in front, models and pictures as an import, all else as a map.
    Dropped(PathBuf),
    /// Opens a map file that is damaged as far as it can be read; the report tells what was repaired.
    OpenDamaged(PathBuf),
    /// Opens a map file whose size nothing in it says: width and height as `128x96`.
    OpenSized(PathBuf, String),
    /// Looks up what an export would lose.
    LookAtExport(ExportLook),
    /// Saves the document in front to the file that it came from.
    Save,
    /// Saves a document, whichever is in front: under another name, or as the answer to a question.
    SaveAs(SaveOrder),
    /// Saves, and makes the sidecar of that id even if it was missing and nothing that it holds was edited.
    SaveWithSidecar(&'static str),
    /// Looks for earlier versions of the document in front; the answer is a request.
    FindVersions,
    /// Does the last command once more.
    Repeat(Option<(VoxelPos, Face)>),
    /// Begins to record steps, or ends it; the answer is a request.
    ToggleRecording,
    /// Ends the recording of a document without writing it.
    DropRecording(DocumentId),
    /// Writes a recorded script to a new file.
    WriteScript {
        /// The file.
        path: PathBuf,
        /// The script.
        script: RecordedScript,
    },
    /// Runs a script on the document in front.
    RunScript(ScriptOrder),
    /// Gathers what may go along with the report of a problem; the answer is a request.
    PrepareReport {
        /// The log of the session, as text.
        log: String,
    },
    /// Writes the report of a problem to a new file.
    WriteReport {
        /// The file.
        path: PathBuf,
        /// What goes into it.
        parts: Arc<[ReportPart]>,
    },
    /// Opens an earlier version of a map as a map of its own that has no file yet.
    OpenVersion {
        /// The copy.
        version: PathBuf,
        /// What the map is called.
        name: String,
    },
    /// Reads a file of another program; the answer is a request.
    Import(ImportOrder),
    /// Forgets what was imported.
    ForgetImport,
    /// Puts what was imported into the document in front, and selects it there.
    PlaceImport,
    /// Opens what was imported as a map of its own.
    OpenImport,
    /// Moves the ground of the document in front by the brightness of the picture that was imported.
    RaiseByImport {
        /// Up or down.
        mode: HeightmapMode,
        /// Voxels that white moves it by.
        height: u32,
    },
    /// Writes a document to another kind of file.
    Export(ExportOrder),
    /// Chooses an option with which maps of a format are read from now on, such as a folder with their colors.
    SetReadOption {
        /// Id of the format.
        format: &'static str,
        /// Name of the option.
        option: &'static str,
        /// Its value; empty is the format's own choice.
        value: String,
    },
    /// Drops all edits and reads the file again.
    Revert,
    /// Closes a document; its edits are lost unless saved.
    Close(DocumentId),
    /// Brings a document to the front.
    Activate(DocumentId),
    /// Brings the document to the front that stands so many tabs to the right; after the last comes the first.
    ActivateNext(isize),
    /// Takes the last step back.
    Undo,
    /// Does the last undone step again.
    Redo,
    /// Undoes or redoes until this many steps are done.
    JumpTo(usize),
    /// Changes the map.
    Edit(Command),
    /// Takes a tool in the hand.
    SelectTool(&'static str),
    /// Takes the next way of the tool in the hand: another form, another kind of selection.
    NextWay,
    /// Switches between add, remove and paint.
    SetMode(Mode),
    /// Copies the selection to the clipboard.
    Copy,
    /// Copies the selection to the clipboard and deletes it.
    Cut,
    /// Shows the clipboard where it was copied from, or at the selection: it is moved and turned there until Enter puts it in.
    Paste,
    /// The same, but it stands on a face of a voxel and follows the pointer until a click.
    PasteOn(VoxelPos, Face),
    /// Deletes the selected object or the selected voxels.
    Delete,
    /// Selects the whole map.
    SelectAll,
    /// Selects nothing.
    Deselect,
    /// Moves the selection by some voxels, or what waits for Enter to be done to it.
    Nudge(IVec3),
    /// Copies the selection to a place so far away, and selects the copy.
    Duplicate(IVec3),
    /// Turns or flips the selection, or what waits for Enter to be done to it.
    Turn(Orientation),
    /// Takes other settings of the tools.
    SetTools(Box<ToolSettings>),
    /// Goes back one step of the gesture, else to the tool before, else drops the selection.
    Cancel,
    /// Ends a gesture that waits for Enter.
    Confirm,
    /// Goes on to the next kind of symmetry.
    CycleSymmetry,
    /// Switches mirroring along x or y on or off, beside that along the other axis.
    ToggleMirror(Axis),
    /// Moves the center of the symmetry.
    CenterSymmetry(CenterOn),
    /// Types at the numbers of the pending gesture.
    Type(EntryKey),
    /// Offers the numbers of a transform of the selection, that one first.
    AwaitNumbers(TransformNumber),
    /// Stops a job.
    CancelJob(JobId),
    /// Looks again for what earlier sessions left unsaved, and says so where that is nothing.
    FindLeftovers,
    /// Decides nothing about what an earlier session left unsaved: others may, and the next start asks.
    PutOffLeftovers,
    /// Brings back what an earlier session left unsaved.
    RestoreLeftovers,
    /// Forgets what an earlier session left unsaved.
    DiscardLeftovers,
    /// Brings back one of them, by its journal.
    RestoreLeftover(PathBuf),
    /// Forgets one of them, by its journal.
    DiscardLeftover(PathBuf),
    /// Deletes a journal of an earlier session that cannot be read.
    DiscardUnreadable(PathBuf),
    /// Gives the picture that was imported to a tool, and takes that tool in the hand.
    UseImport(PictureUse),
    /// Reads a picture for a tool, which stays or comes in the hand.
    TakePicture(PathBuf, PictureUse),
    /// Looks again what is in the library of stamps.
    FindStamps,
    /// Reads a stamp of the library and takes it in the hand.
    ChooseStamp(StampSource),
    /// Keeps the selection in the library of stamps, under a name.
    SaveStamp(String),
    /// Reads a palette and puts it beside a map.
    OpenPalette(DocumentId, PathBuf),
    /// Saves the palette beside a map.
    SavePalette(PaletteOrder),
    /// Changes the palette beside the map in front.
    EditSwatches(SwatchEdit),
    /// Takes the color at that place of the palette in the hand, from 0.
    TakeSwatch(usize),
}

impl Action {
    /// Whether it works with what is selected, or takes another tool to do so. A gesture that is about to select is ended before.
    pub(super) fn uses_selection(&self) -> bool {
        matches!(
            self,
            Self::Edit(_)
                | Self::Repeat(_)
                | Self::SelectTool(_)
                | Self::UseImport(_)
                | Self::TakePicture(..)
                | Self::Copy
                | Self::Cut
                | Self::Paste
                | Self::PasteOn(..)
                | Self::Delete
                | Self::Nudge(_)
                | Self::Duplicate(_)
                | Self::Turn(_)
                | Self::AwaitNumbers(_)
                | Self::CenterSymmetry(_)
                | Self::SaveStamp(_)
        )
    }
}

/// What a picture is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PictureUse {
    /// As the tip of the brush, by its brightness.
    Brush,
    /// For painting, by its colors.
    Decal,
}

/// Which document is saved where, and what the user agreed to so far.
///
/// It goes through every question and comes back with the answer, so that a question that is answered
/// late, or with another document in front, still speaks of the same save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveOrder {
    /// The document.
    pub document: DocumentId,
    /// The map's file, its extension chooses the format; `None` is the file that the document came from.
    pub path: Option<PathBuf>,
    /// Whether the user agreed to lose what the files cannot hold.
    pub loss_agreed: bool,
    /// Whether the user agreed to replace a file that exists or that somebody changed.
    pub overwrite_agreed: bool,
    /// How the files stood when that was asked; `None` before anybody was asked.
    pub asked: Option<Standing>,
    /// Options of the format; `None` takes those that the document was read or last saved with.
    pub options: Option<Options>,
    /// Id of a sidecar that is made even if it was missing and nothing that it holds was edited.
    pub sidecar: Option<&'static str>,
}

impl SaveOrder {
    /// Saves a document to its own file; nothing was agreed to.
    pub fn new(document: DocumentId) -> Self {
        Self { document, path: None, loss_agreed: false, overwrite_agreed: false, asked: None, options: None, sidecar: None }
    }

    /// The same save to another file. What was agreed to spoke of the old one.
    pub fn with_path(self, path: PathBuf) -> Self {
        Self { path: Some(path), loss_agreed: false, overwrite_agreed: false, asked: None, options: None, ..self }
    }

    /// The same save, whatever is lost.
    pub fn with_loss_agreed(self) -> Self {
        Self { loss_agreed: true, ..self }
    }

    /// The same save, which replaces the files as they stood when that was asked.
    pub fn with_overwrite_agreed(self) -> Self {
        Self { overwrite_agreed: true, ..self }
    }
}

/// Menus of the window, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Menu {
    /// Documents and files.
    File,
    /// Steps and clipboard.
    Edit,
    /// The selection.
    Select,
    /// The map as a whole.
    Map,
    /// Camera and panels.
    View,
    /// Help.
    Help,
}

impl Menu {
    /// All of them, in order.
    pub const ALL: [Self; 6] = [Self::File, Self::Edit, Self::Select, Self::Map, Self::View, Self::Help];

    /// Name in the menu bar.
    pub fn label(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::Select => "Select",
            Self::Map => "Map",
            Self::View => "View",
            Self::Help => "Help",
        }
    }
}

/// An entry of the table of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionSpec {
    /// Stable id, kebab case.
    pub id: &'static str,
    /// Name, as in menu, palette and history. `…` where a dialog follows.
    pub label: &'static str,
    /// Where it stands in the menu.
    pub menu: Menu,
    /// Our own keys, as `Ctrl+Shift+S`, with a space between them; empty where there is none.
    pub key: &'static str,
    /// Whether a line stands above it in the menu.
    pub separated: bool,
    /// Name of the menu within the menu that it stands in; empty where it stands in the menu itself.
    pub submenu: &'static str,
}

const fn spec(id: &'static str, label: &'static str, menu: Menu, key: &'static str) -> ActionSpec {
    ActionSpec { id, label, menu, key, separated: false, submenu: "" }
}

const fn separated(spec: ActionSpec) -> ActionSpec {
    ActionSpec { separated: true, ..spec }
}

const fn of_panels(spec: ActionSpec) -> ActionSpec {
    ActionSpec { submenu: "Panels", ..spec }
}

/// Every action that stands in a menu, in menu order.
pub const ACTIONS: &[ActionSpec] = &[
    spec("new", "New…", Menu::File, "Ctrl+N"),
    spec("open", "Open…", Menu::File, "Ctrl+O"),
    separated(spec("save", "Save", Menu::File, "Ctrl+S")),
    spec("save-as", "Save as…", Menu::File, "Ctrl+Shift+S"),
    spec("save-toml", "Save with SpadesX .toml", Menu::File, ""),
    spec("import", "Import…", Menu::File, "Ctrl+I"),
    spec("export", "Export…", Menu::File, "Ctrl+E"),
    spec("revert", "Revert to file…", Menu::File, ""),
    spec("versions", "Earlier versions…", Menu::File, ""),
    spec("unsaved-maps", "Unsaved maps…", Menu::File, ""),
    separated(spec("close", "Close", Menu::File, "Ctrl+W")),
    spec("quit", "Quit", Menu::File, "Ctrl+Q"),
    spec("undo", "Undo", Menu::Edit, "Ctrl+Z"),
    spec("redo", "Redo", Menu::Edit, "Ctrl+Shift+Z Ctrl+Y"),
    spec("repeat", "Repeat last step", Menu::Edit, "Ctrl+R"),
    separated(spec("cut", "Cut", Menu::Edit, "Ctrl+X")),
    spec("copy", "Copy", Menu::Edit, "Ctrl+C"),
    spec("paste", "Paste", Menu::Edit, "Ctrl+V"),
    spec("delete", "Delete", Menu::Edit, "Delete Backspace"),
    separated(spec("record", "Record steps as script…", Menu::Edit, "")),
    spec("run-script", "Run script…", Menu::Edit, ""),
    spec("select-all", "Select all", Menu::Select, "Ctrl+A"),
    spec("deselect", "Deselect", Menu::Select, "Ctrl+D"),
    spec("save-stamp", "Save selection as stamp…", Menu::Select, ""),
    spec("invert-selection", "Invert selection", Menu::Select, "Ctrl+Shift+I"),
    separated(spec("grow-selection", "Grow selection", Menu::Select, "Alt+Plus")),
    spec("shrink-selection", "Shrink selection", Menu::Select, "Alt+Minus"),
    spec("select-same-color", "Select all of the color in hand", Menu::Select, ""),
    spec("select-solid", "Select only what is solid", Menu::Select, ""),
    separated(spec("fill-selection", "Fill selection", Menu::Select, "")),
    spec("flip-x", "Flip west and east", Menu::Select, ""),
    spec("flip-y", "Flip north and south", Menu::Select, ""),
    spec("flip-z", "Flip upside down", Menu::Select, ""),
    separated(spec("type-move", "Move by numbers", Menu::Select, "")),
    spec("type-turn", "Turn by numbers", Menu::Select, ""),
    spec("type-scale", "Scale by numbers", Menu::Select, ""),
    separated(spec("crop", "Crop map to selection", Menu::Select, "")),
    spec("resize", "Resize map…", Menu::Map, ""),
    spec("shift", "Shift map…", Menu::Map, ""),
    spec("repair-columns", "Repair columns", Menu::Map, ""),
    separated(spec("cycle-symmetry", "Next symmetry", Menu::Map, "X")),
    spec("mirror-x", "Mirror west and east", Menu::Map, ""),
    spec("mirror-y", "Mirror north and south", Menu::Map, ""),
    spec("symmetry-on-map", "Center symmetry on the map", Menu::Map, ""),
    spec("symmetry-on-selection", "Center symmetry on the selection", Menu::Map, ""),
    separated(spec("check", "Check map", Menu::Map, "F6")),
    separated(spec("open-palette", "Open palette…", Menu::Map, "")),
    spec("save-palette", "Save palette…", Menu::Map, ""),
    spec("frame-map", "Frame map", Menu::View, "Home"),
    spec("frame-selection", "Frame selection", Menu::View, "."),
    separated(spec("view-top", "Top view", Menu::View, "7")),
    spec("view-north", "From the north", Menu::View, "1"),
    spec("view-east", "From the east", Menu::View, "3"),
    spec("view-south", "From the south", Menu::View, "2"),
    spec("view-west", "From the west", Menu::View, "4"),
    spec("view-iso", "Oblique view", Menu::View, "0"),
    spec("orthographic", "Orthographic", Menu::View, "5"),
    separated(spec("toggle-sectors", "Sectors A1–H8", Menu::View, "")),
    spec("toggle-water", "Water", Menu::View, ""),
    spec("toggle-objects", "Objects", Menu::View, ""),
    separated(spec("next-map", "Next map", Menu::View, "Ctrl+Tab")),
    spec("previous-map", "Previous map", Menu::View, "Ctrl+Shift+Tab"),
    separated(spec("zoom-in", "Larger text and controls", Menu::View, "Ctrl+Plus Ctrl+=")),
    spec("zoom-out", "Smaller text and controls", Menu::View, "Ctrl+Minus"),
    spec("zoom-reset", "Text and controls as on the desktop", Menu::View, "Ctrl+0"),
    separated(spec("map-cursor", "Cursor by keys", Menu::View, "F8")),
    separated(spec("toggle-panels", "Hide panels", Menu::View, "F11")),
    of_panels(spec("panel-color", "Color panel", Menu::View, "")),
    of_panels(spec("panel-objects", "Teams and objects panel", Menu::View, "")),
    of_panels(spec("panel-map", "Map panel", Menu::View, "")),
    of_panels(spec("panel-history", "History panel", Menu::View, "")),
    of_panels(spec("panel-log", "Log panel", Menu::View, "")),
    of_panels(separated(spec("reset-layout", "Reset layout", Menu::View, ""))),
    spec("toggle-theme", "Light theme", Menu::View, ""),
    spec("command-palette", "Find an action…", Menu::Help, "Ctrl+P Ctrl+Shift+P"),
    spec("keys", "Keys…", Menu::Help, "F1"),
    spec("log", "Log", Menu::Help, ""),
    spec("report", "Report a problem…", Menu::Help, ""),
    spec("about", "About Spadework", Menu::Help, ""),
];

/// The action of that id.
pub fn action(id: &str) -> Option<&'static ActionSpec> {
    ACTIONS.iter().find(|spec| spec.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_keys_are_given_once() {
        for (index, spec) in ACTIONS.iter().enumerate() {
            for other in &ACTIONS[index + 1..] {
                assert_ne!(spec.id, other.id);
                assert!(spec.key.is_empty() || spec.key != other.key, "{} and {}", spec.id, other.id);
            }
        }
    }

    #[test]
    fn every_panel_is_opened_and_closed_by_an_action_of_its_name() {
        for panel in crate::editor::dock::Panel::ALL {
            let spec = action(panel.action()).unwrap();
            assert_eq!((spec.label, spec.submenu), (format!("{panel} panel").as_str(), "Panels"));
        }
        assert_eq!(ACTIONS.iter().filter(|spec| spec.submenu == "Panels").count(), crate::editor::dock::Panel::ALL.len() + 1);
    }
}
