//! The commands: what scripts, journal, tools and menus speak. One JSON object each.

use serde::{Deserialize, Serialize};

use super::{Change, EditError, ops};
use crate::document::{Image, Progress, Snapshot, Symmetry};

/// Version of the command language; written at the head of journals and scripts.
pub const COMMAND_VERSION: u32 = 1;

/// What some text editors put before a script (UTF-8).
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Voxels of a map of the usual size.
const WHOLE_MAP: u64 = 512 * 512 * 64;

/// What an edit does to the voxels it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Air becomes solid; what is solid stays as it is.
    #[default]
    Add,
    /// Solid becomes air; the floor stays.
    Remove,
    /// What is solid and can be seen takes the colour and keeps its shade.
    Paint,
    /// Air becomes solid and everything takes the colour.
    Set,
}

impl Mode {
    /// The modes a tool offers, in the order of the switch.
    pub const TOOL: [Self; 3] = [Self::Add, Self::Remove, Self::Paint];

    /// The images in the order in which they are edited: where they meet, the original wins.
    ///
    /// What is added first stays; of all else the last edit holds.
    pub(super) fn ordered(self, symmetry: &Symmetry) -> Vec<Image<'_>> {
        let mut images = symmetry.images();
        if self != Self::Add {
            images.reverse();
        }
        images
    }

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Add => "Add",
            Self::Remove => "Remove",
            Self::Paint => "Paint",
            Self::Set => "Set",
        }
    }
}

/// A change that someone asks for. See [`ops`] for the payloads.
///
/// Invariant: everything a command needs is in it; planning it twice on equal documents gives equal
/// changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Makes one voxel solid with a colour.
    Set(ops::Set),
    /// Makes one voxel air.
    Remove(ops::Remove),
    /// Fills a box.
    Fill(ops::Fill),
    /// Stamps a brush along a path.
    Stroke(ops::Stroke),
    /// Stamps a brush along a straight line.
    Line(ops::Line),
    /// Fills a solid: a ball, cylinder, cone, pyramid, ramp or wall.
    Shape(ops::Shape),
    /// Moves the open faces that lie in one plane.
    Extrude(ops::Extrude),
    /// Edits the visible voxels of one colour that are connected.
    FillConnected(ops::FillConnected),
    /// Gives voxels of one colour another.
    ReplaceColor(ops::ReplaceColor),
    /// Raises, lowers or smooths the ground.
    Sculpt(ops::Sculpt),
    /// Raises or digs the ground by the brightness of a picture.
    Heightmap(ops::Heightmap),
    /// Makes another volume the active one.
    SelectVolume(ops::SelectVolume),
    /// Selects a box, or nothing.
    Select(ops::Select),
    /// Removes the selected voxels.
    DeleteSelection(ops::DeleteSelection),
    /// Moves the selected voxels.
    MoveSelection(ops::MoveSelection),
    /// Copies the selected voxels to another place.
    CopySelection(ops::CopySelection),
    /// Puts the voxels of a clip into the map.
    Paste(ops::Paste),
    /// Gives the map other bounds.
    Resize(ops::Resize),
    /// Crops the map to the selected columns.
    Crop(ops::Crop),
    /// Moves everything.
    Shift(ops::Shift),
    /// Gives a floor to the columns that have none.
    RepairColumns(ops::RepairColumns),
    /// Sets which voxels edits may change.
    SetMasks(ops::SetMasks),
    /// Sets where else edits happen.
    SetSymmetry(ops::SetSymmetry),
    /// Copies one part of a symmetric map onto the others.
    Heal(ops::Heal),
    /// Sets the colour that uncovered voxels take.
    SetDirt(ops::SetDirt),
    /// Sets one fact of the metadata.
    SetProperty(ops::SetProperty),
    /// Adds a spawn region for a team.
    Spawn(ops::Spawn),
    /// Removes all spawns of a team.
    ClearSpawns(ops::ClearSpawns),
    /// Adds an object.
    AddObject(ops::AddObject),
    /// Replaces an object: moved, resized, given to the other team.
    SetObject(ops::SetObject),
    /// Removes an object.
    RemoveObject(ops::RemoveObject),
    /// Gives the surface other colors.
    Paint(ops::PaintStroke),
    /// Makes a road, river, bridge, tunnel or fence along a curve.
    Path(ops::Path),
    /// Puts a clip into the map.
    Stamp(ops::Stamp),
    /// Scatters a clip over the ground.
    Scatter(ops::Scatter),
    /// Has a generator work on an area.
    Terrain(ops::Terrain),
    /// Selects the voxels that some masks let through.
    SelectWhere(ops::SelectWhere),
    /// Selects the voxels that are connected with one.
    SelectConnected(ops::SelectConnected),
    /// Selects what lies within an outline.
    SelectLasso(ops::SelectLasso),
    /// Selects what was not selected.
    InvertSelection(ops::InvertSelection),
    /// Grows the selection on all sides.
    GrowSelection(ops::GrowSelection),
    /// Shrinks the selection on all sides.
    ShrinkSelection(ops::ShrinkSelection),
    /// Edits every selected voxel.
    FillSelection(ops::FillSelection),
    /// Turns, flips, scales, moves or stacks the selected voxels.
    TransformSelection(ops::TransformSelection),
    /// Fills a box, a solid or what is connected with the colors of a style.
    Styled(ops::Styled),
}

impl Command {
    pub(super) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        match self {
            Self::Set(op) => op.plan(snapshot),
            Self::Remove(op) => op.plan(snapshot),
            Self::Fill(op) => op.plan(snapshot, progress),
            Self::Stroke(op) => op.plan(snapshot, progress),
            Self::Line(op) => op.plan(snapshot, progress),
            Self::Shape(op) => op.plan(snapshot, progress),
            Self::Extrude(op) => op.plan(snapshot, progress),
            Self::FillConnected(op) => op.plan(snapshot, progress),
            Self::ReplaceColor(op) => op.plan(snapshot, progress),
            Self::Sculpt(op) => op.plan(snapshot, progress),
            Self::Heightmap(op) => op.plan(snapshot, progress),
            Self::SelectVolume(op) => op.plan(snapshot),
            Self::Select(op) => op.plan(snapshot),
            Self::DeleteSelection(op) => op.plan(snapshot, progress),
            Self::MoveSelection(op) => op.plan(snapshot, progress),
            Self::CopySelection(op) => op.plan(snapshot, progress),
            Self::Paste(op) => op.plan(snapshot, progress),
            Self::Resize(op) => op.plan(snapshot, progress),
            Self::Crop(op) => op.plan(snapshot, progress),
            Self::Shift(op) => op.plan(snapshot, progress),
            Self::RepairColumns(op) => op.plan(snapshot, progress),
            Self::SetMasks(op) => op.plan(snapshot),
            Self::SetSymmetry(op) => op.plan(snapshot),
            Self::Heal(op) => op.plan(snapshot, progress),
            Self::SetDirt(op) => Ok(op.plan(snapshot)),
            Self::SetProperty(op) => Ok(op.plan(snapshot)),
            Self::Spawn(op) => op.plan(snapshot),
            Self::ClearSpawns(op) => Ok(op.plan(snapshot)),
            Self::AddObject(op) => op.plan(snapshot),
            Self::SetObject(op) => op.plan(snapshot),
            Self::RemoveObject(op) => op.plan(snapshot),
            Self::Paint(op) => op.plan(snapshot, progress),
            Self::Path(op) => op.plan(snapshot, progress),
            Self::Stamp(op) => op.plan(snapshot, progress),
            Self::Scatter(op) => op.plan(snapshot, progress),
            Self::Terrain(op) => op.plan(snapshot, progress),
            Self::SelectWhere(op) => op.plan(snapshot, progress),
            Self::SelectConnected(op) => op.plan(snapshot, progress),
            Self::SelectLasso(op) => op.plan(snapshot, progress),
            Self::InvertSelection(op) => op.plan(snapshot, progress),
            Self::GrowSelection(op) => op.plan(snapshot, progress),
            Self::ShrinkSelection(op) => op.plan(snapshot, progress),
            Self::FillSelection(op) => op.plan(snapshot, progress),
            Self::TransformSelection(op) => op.plan(snapshot, progress),
            Self::Styled(op) => op.plan(snapshot, progress),
        }
    }

    /// What it does, as a person reads it: `Fill box`. The step in the history may say more.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Set(_) => "Set voxel",
            Self::Remove(_) => "Remove voxel",
            Self::Fill(_) => "Fill box",
            Self::Stroke(_) => "Brush stroke",
            Self::Line(_) => "Draw line",
            Self::Shape(_) => "Draw shape",
            Self::Extrude(_) => "Extrude faces",
            Self::FillConnected(op) => op.label(),
            Self::ReplaceColor(_) => "Replace color",
            Self::Sculpt(_) => "Sculpt",
            Self::Heightmap(_) => "Apply heightmap",
            Self::SelectVolume(_) => "Go to volume",
            Self::Select(_) => "Select",
            Self::DeleteSelection(_) => "Delete selection",
            Self::MoveSelection(_) => "Move selection",
            Self::CopySelection(_) => "Copy selection",
            Self::Paste(_) => "Paste",
            Self::Resize(_) => "Resize map",
            Self::Crop(_) => "Crop map",
            Self::Shift(_) => "Shift map",
            Self::RepairColumns(_) => "Repair columns",
            Self::SetMasks(_) => "Set masks",
            Self::SetSymmetry(_) => "Set symmetry",
            Self::Heal(_) => "Heal symmetry",
            Self::SetDirt(_) => "Set dirt color",
            Self::SetProperty(_) => "Set property",
            Self::Spawn(_) => "Add spawn region",
            Self::ClearSpawns(_) => "Clear spawns",
            Self::AddObject(_) => "Add object",
            Self::SetObject(_) => "Edit object",
            Self::RemoveObject(_) => "Remove object",
            Self::Paint(_) => "Paint",
            Self::Path(_) => "Make path",
            Self::Stamp(_) => "Stamp",
            Self::Scatter(_) => "Scatter stamps",
            Self::Terrain(_) => "Make terrain",
            Self::SelectWhere(op) => op.label(),
            Self::SelectConnected(_) => "Select connected",
            Self::SelectLasso(_) => "Lasso",
            Self::InvertSelection(_) => "Invert selection",
            Self::GrowSelection(_) => "Grow selection",
            Self::ShrinkSelection(_) => "Shrink selection",
            Self::FillSelection(_) => "Fill selection",
            Self::TransformSelection(_) => "Transform selection",
            Self::Styled(_) => "Fill in a style",
        }
    }

    /// Whether it changes only what is selected, masked, mirrored or looked at, and nothing that is saved.
    pub fn only_session_state(&self) -> bool {
        matches!(
            self,
            Self::Select(_)
                | Self::SelectWhere(_)
                | Self::SelectConnected(_)
                | Self::SelectLasso(_)
                | Self::InvertSelection(_)
                | Self::GrowSelection(_)
                | Self::ShrinkSelection(_)
                | Self::SelectVolume(_)
                | Self::SetMasks(_)
                | Self::SetSymmetry(_)
        )
    }

    /// Whether it changes only voxels that the masks let through.
    pub fn obeys_masks(&self) -> bool {
        matches!(
            self,
            Self::Set(_)
                | Self::Remove(_)
                | Self::Fill(_)
                | Self::Stroke(_)
                | Self::Line(_)
                | Self::Shape(_)
                | Self::Extrude(_)
                | Self::FillConnected(_)
                | Self::ReplaceColor(_)
                | Self::Sculpt(_)
                | Self::Heightmap(_)
                | Self::DeleteSelection(_)
                | Self::MoveSelection(_)
                | Self::CopySelection(_)
                | Self::Paste(_)
                | Self::Heal(_)
                | Self::Paint(_)
                | Self::Path(_)
                | Self::Stamp(_)
                | Self::Scatter(_)
                | Self::Terrain(_)
                | Self::FillSelection(_)
                | Self::TransformSelection(_)
                | Self::Styled(_)
        )
    }

    /// A guess at how many voxels it looks at in a document: [`cost`](Self::cost), once for each image.
    pub fn cost_in(&self, snapshot: &Snapshot) -> u64 {
        let images = if snapshot.symmetry.is_on() { snapshot.symmetry.images().len() as u64 } else { 1 };
        self.cost().saturating_mul(images)
    }

    /// A guess at how many voxels it looks at: large ones are planned off the main thread.
    ///
    /// What only the document knows, such as the size of the selection, counts as a whole map.
    pub fn cost(&self) -> u64 {
        match self {
            Self::Fill(op) => op.region.volume(),
            Self::Stroke(op) => op.cost(),
            Self::Line(op) => op.cost(),
            Self::Shape(op) => op.cost(),
            Self::Extrude(op) => op.cost(),
            Self::FillConnected(op) => op.cost(),
            Self::Sculpt(op) => op.cost(),
            Self::Heightmap(op) => op.cost(),
            Self::Paste(op) => op.cost(),
            Self::Resize(op) => op.cost(),
            Self::Paint(op) => op.cost(),
            Self::Path(op) => op.cost(),
            Self::Stamp(op) => op.cost(),
            Self::Scatter(op) => op.cost(),
            Self::Terrain(op) => op.cost(),
            Self::SelectConnected(op) => op.cost(),
            Self::SelectLasso(op) => op.cost(),
            Self::Styled(op) => op.cost(),
            Self::ReplaceColor(_)
            | Self::DeleteSelection(_)
            | Self::MoveSelection(_)
            | Self::CopySelection(_)
            | Self::Crop(_)
            | Self::Shift(_)
            | Self::RepairColumns(_)
            | Self::Heal(_)
            | Self::SelectWhere(_)
            | Self::InvertSelection(_)
            | Self::GrowSelection(_)
            | Self::ShrinkSelection(_)
            | Self::FillSelection(_)
            | Self::TransformSelection(_) => WHOLE_MAP,
            Self::Set(_)
            | Self::Remove(_)
            | Self::SelectVolume(_)
            | Self::Select(_)
            | Self::SetMasks(_)
            | Self::SetSymmetry(_)
            | Self::SetDirt(_)
            | Self::SetProperty(_)
            | Self::Spawn(_)
            | Self::ClearSpawns(_)
            | Self::AddObject(_)
            | Self::SetObject(_)
            | Self::RemoveObject(_) => 1,
        }
    }
}
