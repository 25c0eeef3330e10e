//! Pointer gestures to commands. No GUI, no GPU: a tool is given rays and answers commands.
//!
//! A tool is one file (or folder) plus one entry in [`TOOLS`]. Strip, shortcuts, option row, hints and
//! the test loops come from the list. Life of a gesture: hover moves the ghost; press begins; each
//! drag adds to the pending gesture, which only the [`Preview`] shows; release answers **one** command;
//! Esc takes it back step by step, and the document was never touched. What only a plan tells a tool [wants](Tool::wanted): the editor has
//! it planned by a worker and [hands it in](Tool::take_planned).

mod box_gesture;
mod box_tool;
mod brush;
mod center_handle;
mod choices;
mod extrude;
mod eyedropper;
mod fill;
mod floating;
mod ghost;
mod gizmo;
mod hover;
mod input;
mod line;
mod making;
mod move_tool;
mod numbers;
mod object_shape;
mod objects;
mod paint;
mod paint_settings;
mod path;
mod pick;
mod planned;
mod preview;
mod pull;
mod ruler;
mod sculpt;
mod select;
mod settings;
mod shape;
mod stamp;
mod stroke_ghost;
mod stroke_path;
mod terrain;
#[cfg(test)]
mod tests;

pub use center_handle::{center_handle, dragged_center};
pub use choices::Choice;
pub use floating::{ClipPlace, ClipTurn, TurnedClip};
pub use ghost::size_text;
pub use gizmo::{Gizmo, Grip, View};
pub use input::{Modifiers, Phase, PointerInput};
pub use making::{PathSettings, Stamp, StampSettings, TerrainSettings};
pub use numbers::{GestureNumber, GestureNumbers, TransformNumber, TypedNumber};
pub use object_shape::{ObjectHit, Side, object_box, object_under};
pub use paint_settings::{FillStyle, PaintKind, PaintSettings};
pub use pick::{Pick, color_at, pick, pick_color};
pub use planned::{Planned, planned};
pub use preview::{Ghost, Handle, Measure, Outline, PendingObject, Preview};
pub use settings::{NewObject, ObjectKind, SelectKind, ToolOption, ToolSettings};

use glam::IVec3;
use hover::{HoverPick, pick_with_alt};
use paint_settings::NO_PICTURE;

use crate::document::{ObjectId, Snapshot};
use crate::edit::ops::TransformSelection;
use crate::edit::{Clip, Command, EditError, Mode};
use crate::voxel::Rgb;

/// What a tool sees when it is called.
#[derive(Clone, Copy, Debug)]
pub struct ToolContext<'a> {
    /// The document as it is, without the tool's pending gesture.
    pub document: &'a Snapshot,
    /// What the option row says.
    pub settings: &'a ToolSettings,
}

/// What a tool answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResponse {
    /// Commands to execute, in order; a finished gesture gives one.
    pub commands: Vec<Command>,
    /// A colour that was picked.
    pub picked: Option<Rgb>,
    /// A height (z) that was picked, for flattening.
    pub picked_level: Option<i32>,
    /// What the pending transform of the selection has become.
    pub transform: Option<TransformSelection>,
    /// One line for the status bar: `34×12×8`, `nothing there`.
    pub status: Option<String>,
}

impl ToolResponse {
    /// A command to execute.
    pub fn command(command: Command) -> Self {
        Self { commands: vec![command], ..Self::default() }
    }

    /// What to say of a gesture that would change nothing.
    fn nothing_to_change(document: &Snapshot) -> Self {
        let masks = document.masks_at_work();
        match masks.as_slice() {
            [] => Self::status("Nothing to change there"),
            [one] => Self::status(format!("Nothing to change there, or the mask ({one}) leaves it out")),
            some => Self::status(format!("Nothing to change there, or the masks ({}) leave it out", some.join(", "))),
        }
    }

    /// A line for the status bar.
    pub fn status(text: impl Into<String>) -> Self {
        Self { status: Some(text.into()), ..Self::default() }
    }
}

/// What is known about a tool without making one.
#[derive(Debug)]
pub struct ToolSpec {
    /// Stable id, kebab case.
    pub id: &'static str,
    /// Name in strip, menu and palette: `Brush`.
    pub label: &'static str,
    /// Key that selects it.
    pub key: char,
    /// Name of its icon in the icon font (lucide).
    pub icon: &'static str,
    /// What it is for, one sentence.
    pub help: &'static str,
    /// What the pointer and the modifiers do, for the hint line: `Drag paints · Shift straight line · Ctrl inverts`.
    pub hint: &'static str,
    /// Which settings its option row shows, in order.
    pub options: &'static [ToolOption],
    /// Makes a fresh one.
    pub make: fn() -> Box<dyn Tool>,
}

impl ToolSpec {
    /// Whether it changes the map or its selection: one that only looks has no use for masks and symmetry.
    pub fn edits(&self) -> bool {
        !matches!(self.id, "pick" | "ruler")
    }
}

/// A tool with its pending gesture.
pub trait Tool: Send {
    /// Handles one pointer event.
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse;

    /// Whether a gesture is pending, which [`cancel`](Self::cancel) would drop.
    fn is_pending(&self) -> bool;

    /// Drops the pending gesture; answers whether there was one.
    fn cancel(&mut self) -> bool;

    /// Whether a pending gesture that is let go loses something that Enter would have made.
    fn makes_something(&self) -> bool {
        true
    }

    /// Whether all that a pending gesture could make is a selection, which no file holds.
    fn only_selects(&self) -> bool {
        false
    }

    /// Makes ready to wait while another tool is in the hand; answers whether what was begun goes on afterwards. Else it is
    /// dropped.
    fn put_away(&mut self) -> bool {
        false
    }

    /// Takes the last step of the pending gesture back, as Esc does; `None` where none is pending. A gesture of one step
    /// is dropped.
    fn step_back(&mut self, _context: &ToolContext<'_>) -> Option<ToolResponse> {
        self.cancel().then(ToolResponse::default)
    }

    /// Ends the pending gesture, as Enter does: the height of a box, a drag whose numbers were typed.
    fn confirm(&mut self, _context: &ToolContext<'_>) -> ToolResponse {
        ToolResponse::default()
    }

    /// Whether the pending gesture goes along every turn of the pointer, and not only to where it stands.
    fn follows_way(&self) -> bool {
        false
    }

    /// Whether the pending gesture would select something if it ended now: whatever works with the selection ends it first.
    fn selects(&self) -> bool {
        false
    }

    /// The numbers of the pending gesture, which can be typed; none where nothing with numbers is pending.
    fn numbers(&self, _context: &ToolContext<'_>) -> GestureNumbers {
        GestureNumbers::default()
    }

    /// Makes the numbers of the pending gesture these, one for each of [`numbers`](Self::numbers).
    fn set_numbers(&mut self, _context: &ToolContext<'_>, _numbers: &[TypedNumber]) -> ToolResponse {
        ToolResponse::default()
    }

    /// Whether what is pending can be moved by the arrows: a box whose footprint is done.
    fn can_nudge(&self) -> bool {
        false
    }

    /// Moves what is pending, as far as the map goes.
    fn nudge(&mut self, _by: IVec3) {}

    /// Takes away the last piece of the pending gesture, as Delete and Backspace do; answers whether there was one.
    fn erase(&mut self) -> bool {
        false
    }

    /// Whether the preview shows less than the gesture did so far: the next frame [goes on](Self::go_on) with it.
    fn is_behind(&self) -> bool {
        false
    }

    /// Draws what was left over of the preview, as much as fits into a frame.
    fn go_on(&mut self) {}

    /// The command whose outcome the preview is to show: it is planned beside the main thread and comes back by
    /// [`take_planned`](Self::take_planned).
    fn wanted(&self) -> Option<Command> {
        None
    }

    /// Takes in what a command that it wanted would do; `None` where it would change nothing.
    fn take_planned(&mut self, _planned: Option<Planned>) {}

    /// Takes in why a command that it wanted cannot be done.
    fn take_trouble(&mut self, _trouble: &EditError) {}

    /// Selects an object, as a click in a list does. Only the object tool has one; [`Preview::selected`] says which.
    fn select_object(&mut self, _object: Option<ObjectId>) {}

    /// Takes a clip that lies loose at a place until Enter, as a paste does. Only the move tool does.
    fn take_clip(&mut self, _context: &ToolContext<'_>, _clip: Clip, _place: ClipPlace) {}

    /// What the loose clip is to become before more can be shown or done: it is worked out beside the main thread and
    /// comes back by [`take_turned`](Self::take_turned).
    fn clip_to_turn(&self) -> Option<ClipTurn> {
        None
    }

    /// Takes in what the loose clip became; answers what waited for that.
    fn take_turned(&mut self, _context: &ToolContext<'_>, _turned: TurnedClip) -> ToolResponse {
        ToolResponse::default()
    }

    /// Whether a clip lies loose.
    fn has_clip(&self) -> bool {
        false
    }

    /// Offers numbers to be typed before the pointer did anything, that one first, as long as the same is selected. Only the
    /// move tool has some.
    fn await_numbers(&mut self, _context: &ToolContext<'_>, _first: TransformNumber) {}

    /// Whether numbers are offered in that way.
    fn awaits_numbers(&self, _context: &ToolContext<'_>) -> bool {
        false
    }

    /// Follows the settings where something else than the pointer changed them, such as a number that was typed.
    fn follow(&mut self, _context: &ToolContext<'_>) {}

    /// What the pointer and the modifiers do now, in the middle of a gesture or as the option row is set, where
    /// [`ToolSpec::hint`] cannot say it.
    fn hint(&self, _settings: &ToolSettings) -> Option<&'static str> {
        None
    }

    /// What the pending transform, or the selection, can be taken hold of by.
    fn gizmo(&self, _context: &ToolContext<'_>) -> Option<Gizmo> {
        None
    }

    /// What to show on top of the map. Cheap while nothing moved.
    fn preview(&self) -> Preview;
}

/// The mode that a gesture works in: Ctrl turns add and remove around.
pub fn effective_mode(mode: Mode, modifiers: Modifiers) -> Mode {
    match (mode, modifiers.ctrl) {
        (Mode::Add | Mode::Set, true) => Mode::Remove,
        (Mode::Remove, true) => Mode::Add,
        (mode, _) => mode,
    }
}

/// Every tool, in the order of the strip.
pub const TOOLS: &[&ToolSpec] = &[
    &brush::BRUSH,
    &line::LINE,
    &box_tool::BOX,
    &shape::SHAPE,
    &extrude::EXTRUDE,
    &fill::FILL,
    &eyedropper::EYEDROPPER,
    &select::SELECT,
    &move_tool::MOVE,
    &sculpt::SCULPT,
    &objects::OBJECTS,
    &paint::PAINT,
    &path::PATH,
    &terrain::TERRAIN,
    &stamp::STAMP,
    &ruler::RULER,
];

/// The tool of that id.
pub fn tool(id: &str) -> Option<&'static ToolSpec> {
    TOOLS.iter().copied().find(|spec| spec.id == id)
}
