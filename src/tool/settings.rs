//! The settings that tools share: what the option row shows.

use super::{FillStyle, PaintKind, PaintSettings, ToolSpec};
use super::{PathSettings, StampSettings, TerrainSettings};
use crate::document::{Anchor, Combine, MarkerRole, Object, Team};
use crate::edit::ops::{FillReach, PathKind, SculptAction, SculptForm, TransformSelection};
use crate::edit::{Brush, BrushShape, Mode};
use crate::geom::{ColumnRect, Face, SolidKind, VoxelPos};
use crate::voxel::Rgb;

/// A setting that a tool's option row offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOption {
    /// Add, remove or paint.
    Mode,
    /// Ball, cube or cylinder.
    BrushShape,
    /// Diameter of the brush, 1–64 voxels.
    BrushSize,
    /// Box, ball, cylinder and so on.
    Solid,
    /// Thickness of a hollow shape, 0–64 voxels; 0 is solid.
    Shell,
    /// Whether a shape's footprint grows to both sides of where it began.
    FromCenter,
    /// Raise, lower, smooth and so on.
    SculptAction,
    /// Voxels that a sculpting stroke moves the ground by.
    Strength,
    /// How far colours may differ and still count as the same, 0–255 a channel.
    Tolerance,
    /// Whether a fill climbs steps and crosses corners.
    FillSteps,
    /// What a click or drag on empty ground makes.
    NewObject,
    /// Whose the new object is.
    Team,
    /// Strength, spacing, jitter and direction of the brush, and its picture.
    BrushDetails,
    /// In what way the paint tool paints, with what each way needs.
    PaintStyle,
    /// In what way fills, boxes and shapes are colored, as the paint tool paints.
    FillStyle,
    /// Whether sculpting takes the ground for columns or for a volume.
    SculptForm,
    /// What only some ways of sculpting need: a level, the height of steps, the width of hills.
    SculptDetails,
    /// Which voxels a fill takes.
    FillReach,
    /// Kind and numbers of a path.
    Path,
    /// Which generator, its seed and its settings.
    Terrain,
    /// Which stamp, how it stands, and how it is scattered.
    Stamp,
    /// A box, what hangs together, what is alike, or what a line goes around.
    SelectKind,
    /// How what is selected joins what was selected.
    Combine,
    /// How far colours, heights or slopes may differ and still be selected.
    SelectTolerance,
    /// How far the colours of faces may differ and still go along with one that is pulled.
    FaceTolerance,
    /// Whether voxels that share only an edge hang together.
    SelectEdges,
    /// Whether a structure is selected only from the height of the click upwards.
    SelectUpward,
    /// Whether a box takes all heights.
    SelectTall,
    /// Whether a line selects whole columns.
    LassoColumns,
    /// Quarter turns and flips of the selection.
    TransformTurns,
    /// Degrees that the selection turns by.
    TransformAngle,
    /// Factors that the selection is scaled by.
    TransformScale,
    /// How far the selection moves.
    TransformOffset,
    /// Number of copies that are stacked.
    TransformCopies,
}

impl ToolOption {
    /// Whether the option of a tool means anything while the others are as they are.
    pub fn applies(self, tool: &ToolSpec, settings: &ToolSettings) -> bool {
        use SelectKind::{Box, Color, Height, Lasso, Slope, Structure, Surface, Wand};
        let kind = settings.select_kind;
        match self {
            Self::Tolerance => matches!(settings.fill_reach, FillReach::Color | FillReach::Everywhere),
            Self::SelectTolerance => matches!(kind, Wand | Color | Height | Slope),
            Self::SelectEdges => matches!(kind, Wand | Structure | Surface),
            Self::SelectUpward => kind == Structure,
            Self::SelectTall => kind == Box,
            Self::LassoColumns => kind == Lasso,
            // A picture is laid down without a brush.
            Self::BrushSize | Self::BrushDetails if tool.options.contains(&Self::PaintStyle) => settings.paint.kind != PaintKind::Decal,
            _ => true,
        }
    }
}

/// What the select tool selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum SelectKind {
    /// A box that is dragged and pulled.
    #[default]
    Box,
    /// Connected voxels of about one colour.
    Wand,
    /// Connected solid voxels.
    Structure,
    /// Connected voxels that are open to the same side.
    Surface,
    /// What a freehand line goes around.
    Lasso,
    /// All voxels of about one colour.
    Color,
    /// All voxels of about one height.
    Height,
    /// All voxels of the surface where it is about as steep.
    Slope,
}

impl SelectKind {
    /// All kinds, in the order of the list.
    pub const ALL: [Self; 8] = [Self::Box, Self::Wand, Self::Structure, Self::Surface, Self::Lasso, Self::Color, Self::Height, Self::Slope];

    /// Name in the list.
    pub fn label(self) -> &'static str {
        match self {
            Self::Box => "Box",
            Self::Wand => "Wand",
            Self::Structure => "Structure",
            Self::Surface => "Surface",
            Self::Lasso => "Lasso",
            Self::Color => "Same color",
            Self::Height => "Same height",
            Self::Slope => "Same slope",
        }
    }
}

/// A kind of object that the object tool makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ObjectKind {
    /// Drag a rectangle.
    #[default]
    SpawnRegion,
    /// Click a voxel.
    SpawnPoint,
    /// Click a column; each team has one.
    Base,
    /// Click a column; each team has one.
    Intel,
    /// Click a column.
    Territory,
    /// Click a column.
    Marker,
}

impl ObjectKind {
    /// All kinds, in the order of the switch.
    pub const ALL: [Self; 6] = [Self::SpawnRegion, Self::SpawnPoint, Self::Base, Self::Intel, Self::Territory, Self::Marker];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::SpawnRegion => "Spawn region",
            Self::SpawnPoint => "Spawn point",
            Self::Base => "Base",
            Self::Intel => "Intel",
            Self::Territory => "Territory",
            Self::Marker => "Marker",
        }
    }
}

/// What the object tool makes on empty ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewObject {
    /// What; `None` only selects and moves.
    pub kind: Option<ObjectKind>,
    /// Whose; `None` is neutral where the kind allows it, else blue.
    pub team: Option<Team>,
}

impl Default for NewObject {
    fn default() -> Self {
        Self { kind: Some(ObjectKind::SpawnRegion), team: Some(Team::Blue) }
    }
}

impl NewObject {
    /// The team of the kinds that need one.
    pub fn owner(&self) -> Team {
        self.team.unwrap_or(Team::Blue)
    }

    /// The object that a click on a ground voxel of a volume makes; nothing for what is dragged.
    pub fn at(&self, ground: VoxelPos, volume: u32) -> Option<Object> {
        let team = self.owner();
        let at = Anchor { x: ground.x, y: ground.y, z: None };
        Some(match self.kind? {
            ObjectKind::SpawnRegion => return None,
            ObjectKind::SpawnPoint => Object::SpawnPoint { team, at: ground },
            ObjectKind::Base => Object::Base { team, at },
            ObjectKind::Intel => Object::Intel { team, at },
            ObjectKind::Territory => Object::Territory { owner: self.team, at },
            ObjectKind::Marker => Object::Marker { label: "Marker".into(), at, role: MarkerRole::Point, volume },
        })
    }

    /// The object that a dragged rectangle makes; nothing for what is clicked.
    pub fn over(&self, area: ColumnRect) -> Option<Object> {
        (self.kind? == ObjectKind::SpawnRegion).then(|| Object::SpawnRegion { team: self.owner(), area, z: 0 })
    }
}

/// The settings that tools share; they keep their values when the tool changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSettings {
    /// Add, remove or paint.
    pub mode: Mode,
    /// The colour that tools paint with.
    pub color: Rgb,
    /// Tip of brush, line and sculpting.
    pub brush: Brush,
    /// Form of shapes.
    pub solid: SolidKind,
    /// Thickness of hollow shapes and of walls in voxels; 0 is solid.
    pub shell: u32,
    /// Whether a shape's footprint grows to both sides of where it began.
    pub from_center: bool,
    /// What sculpting does to the ground.
    pub sculpt_action: SculptAction,
    /// Voxels that a sculpting stroke moves the ground by, 1–16.
    pub strength: u32,
    /// How far colours may differ and still count as the same, 0–255 a channel.
    pub tolerance: u8,
    /// How far the colours of faces may differ and still be pulled together, 0–255 a channel: 255 is any colour.
    pub face_tolerance: u8,
    /// Whether a fill climbs steps and crosses corners.
    pub fill_steps: bool,
    /// What the object tool makes on empty ground.
    pub new_object: NewObject,
    /// Whether the brush's top points out of the face under the pointer, in place of where the brush says.
    pub on_surface: bool,
    /// How the paint tool paints.
    pub paint: PaintSettings,
    /// In what way fills, boxes and shapes are colored, with the numbers and colors of painting.
    pub fill_kind: PaintKind,
    /// Whether sculpting takes the ground for columns or for a volume.
    pub sculpt_form: SculptForm,
    /// Height (z) that flattening works towards; `None` is that of the press.
    pub sculpt_level: Option<i32>,
    /// Height of terraces, 2 to 64 voxels.
    pub sculpt_step: u32,
    /// Voxels from hill to hill of noise, 1 to 64.
    pub sculpt_grain: u32,
    /// Which voxels a fill takes.
    pub fill_reach: FillReach,
    /// What the path tool makes.
    pub path: PathSettings,
    /// What the terrain tool makes.
    pub terrain: TerrainSettings,
    /// What the stamp tool puts into the map.
    pub stamp: StampSettings,
    /// What the select tool selects.
    pub select_kind: SelectKind,
    /// How what is selected joins what was selected.
    pub combine: Combine,
    /// Whether voxels that share only an edge hang together.
    pub select_edges: bool,
    /// Whether a structure is selected only from the height of the click upwards.
    pub select_upward: bool,
    /// Whether a selected box takes all heights.
    pub select_tall: bool,
    /// Whether a freehand line selects whole columns.
    pub lasso_columns: bool,
    /// What the move tool shows and Enter does.
    pub transform: TransformSelection,
}

impl ToolSettings {
    /// The way in which a fill that begins on a face is colored; `None` for one color.
    ///
    /// What looks random differs from gesture to gesture.
    pub fn fill_style(&self, mode: Mode, face: Face, gesture: u32) -> Option<FillStyle> {
        if mode == Mode::Remove || self.fill_kind == PaintKind::Replace {
            return None;
        }
        let style = self.paint.style(self.fill_kind, self.color, face)?;
        let seed = if style.is_random() { self.brush.seed.wrapping_add(gesture) } else { 0 };
        Some(FillStyle { style, seed })
    }

    /// Whether fills would lay a picture on and there is none.
    pub fn lacks_fill_picture(&self, mode: Mode) -> bool {
        mode != Mode::Remove && self.fill_kind == PaintKind::Decal && self.paint.decal.is_none()
    }

    /// Whether a gesture of a tool draws with the color in hand.
    pub fn draws_with_color(&self, tool: &ToolSpec) -> bool {
        let has = |option| tool.options.contains(&option);
        match () {
            () if has(ToolOption::PaintStyle) => self.paint.kind.takes_color(),
            () if has(ToolOption::Path) => self.path.kind != PathKind::Tunnel,
            () => has(ToolOption::Mode) && self.mode != Mode::Remove && (!has(ToolOption::FillStyle) || self.fill_kind.takes_color()),
        }
    }

    /// The brush for a gesture that begins on a face. What looks random differs from gesture to gesture.
    pub fn brush_on(&self, face: Option<Face>, gesture: u32) -> Brush {
        let up = face.filter(|_| self.on_surface).unwrap_or(self.brush.up);
        let seed = if self.brush.is_random() { self.brush.seed.wrapping_add(gesture) } else { 0 };
        Brush { up, seed, ..self.brush.clone() }
    }
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self {
            mode: Mode::Add,
            color: Rgb::new(0xb4, 0x6a, 0x3c),
            brush: Brush::new(BrushShape::Ball, 3),
            solid: SolidKind::Ball,
            shell: 0,
            from_center: false,
            sculpt_action: SculptAction::Raise,
            strength: 1,
            tolerance: 0,
            face_tolerance: u8::MAX,
            fill_steps: false,
            new_object: NewObject::default(),
            on_surface: false,
            paint: PaintSettings::default(),
            fill_kind: PaintKind::Replace,
            sculpt_form: SculptForm::Column,
            sculpt_level: None,
            sculpt_step: 4,
            sculpt_grain: 9,
            fill_reach: FillReach::Color,
            path: PathSettings::default(),
            terrain: TerrainSettings::default(),
            stamp: StampSettings::default(),
            select_kind: SelectKind::Box,
            combine: Combine::Replace,
            select_edges: false,
            select_upward: true,
            select_tall: false,
            lasso_columns: false,
            transform: TransformSelection::default(),
        }
    }
}
