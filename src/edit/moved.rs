//! A command at another place: the places that it names move, all else stays.
//!
//! [`Mover::command`] names every kind of command, so that none can be forgotten. It knows nothing of maps; callers
//! are [`replay`](super::replay) and what records and replays scripts.

use glam::IVec3;

use super::{Command, PaintStyle, ops};
use crate::document::{Masks, Object};
use crate::geom::{ColumnRect, Region, VoxelPos};

impl Command {
    /// The same at another place.
    ///
    /// Voxels, boxes, columns, heights, objects, masks and the center of a symmetry move. What is about the whole map,
    /// its facts or its colors stays, and so does what is counted from the selection.
    ///
    /// ```
    /// use spadework::edit::Command;
    /// let command: Command = serde_json::from_str(r##"{"set":{"at":[1,2,30],"color":"#ff8000"}}"##)?;
    /// let expected: Command = serde_json::from_str(r##"{"set":{"at":[11,2,25],"color":"#ff8000"}}"##)?;
    /// assert_eq!(command.shifted(glam::IVec3::new(10, 0, -5)), expected);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn shifted(&self, by: IVec3) -> Self {
        Mover { by, ..Mover::default() }.command(self)
    }

    /// The same at another place, and whether one of its places lies outside of a box then.
    pub(super) fn shifted_beyond(&self, by: IVec3, bounds: &Region) -> (Self, bool) {
        let mut mover = Mover { by, bounds: Some(*bounds), ..Mover::default() };
        let command = mover.command(self);
        (command, mover.is_beyond)
    }
}

/// The first place that commands name; a height that none of them names is 0.
pub fn first_place<'a>(commands: impl IntoIterator<Item = &'a Command>) -> Option<VoxelPos> {
    let mut mover = Mover::default();
    for command in commands {
        mover.command(command);
        if mover.height.is_some() {
            break;
        }
    }
    mover.column.map(|[x, y]| IVec3::new(x, y, mover.height.unwrap_or(0)))
}

/// Moves what commands name, and remembers the first of it.
#[derive(Debug, Default)]
struct Mover {
    by: IVec3,
    column: Option<[i32; 2]>,
    height: Option<i32>,
    /// Where places are told from those beyond it.
    bounds: Option<Region>,
    is_beyond: bool,
}

impl Mover {
    fn command(&mut self, command: &Command) -> Command {
        match command {
            Command::Styled(op) => {
                let of = match &op.of {
                    ops::Filled::Fill(of) => ops::Filled::Fill(self.fill(of)),
                    ops::Filled::Shape(of) => ops::Filled::Shape(self.shape(of)),
                    ops::Filled::FillConnected(of) => ops::Filled::FillConnected(self.fill_connected(of)),
                };
                Command::Styled(ops::Styled { style: self.style(&op.style), of, ..op.clone() })
            }
            Command::Set(op) => Command::Set(ops::Set { at: self.place(op.at), ..op.clone() }),
            Command::Remove(op) => Command::Remove(ops::Remove { at: self.place(op.at) }),
            Command::Fill(op) => Command::Fill(self.fill(op)),
            Command::Stroke(op) => Command::Stroke(ops::Stroke { path: self.path(&op.path), ..op.clone() }),
            Command::Line(op) => Command::Line(ops::Line { from: self.place(op.from), to: self.place(op.to), ..op.clone() }),
            Command::Shape(op) => Command::Shape(self.shape(op)),
            Command::Extrude(op) => Command::Extrude(ops::Extrude { at: self.place(op.at), ..op.clone() }),
            Command::FillConnected(op) => Command::FillConnected(self.fill_connected(op)),
            Command::Sculpt(op) => {
                let path = self.path(&op.path);
                Command::Sculpt(ops::Sculpt { path, level: op.level.map(|z| self.z(z)), ..op.clone() })
            }
            Command::Heightmap(op) => Command::Heightmap(ops::Heightmap { at: self.place(op.at), ..op.clone() }),
            Command::Select(op) => {
                Command::Select(ops::Select { region: op.region.as_ref().map(|region| self.region(region)), ..op.clone() })
            }
            Command::Paste(op) => Command::Paste(ops::Paste { at: self.place(op.at), ..op.clone() }),
            Command::SetMasks(op) => Command::SetMasks(ops::SetMasks(self.masks(&op.0))),
            Command::SetSymmetry(op) => {
                let center = op.center.map(|[x, y]| [self.halves(x, self.by.x), self.halves(y, self.by.y)]);
                Command::SetSymmetry(ops::SetSymmetry { center, ..op.clone() })
            }
            Command::Spawn(op) => {
                let region = self.columns(&op.region);
                // 0 is the sky, wherever the region lies.
                let z = if op.z == 0 { 0 } else { self.z(op.z) };
                Command::Spawn(ops::Spawn { region, z, ..op.clone() })
            }
            Command::AddObject(op) => Command::AddObject(ops::AddObject(self.object(&op.0))),
            Command::SetObject(op) => Command::SetObject(ops::SetObject { id: op.id, object: self.object(&op.object) }),
            Command::Paint(op) => {
                let (path, region) = (self.path(&op.path), op.region.as_ref().map(|region| self.region(region)));
                Command::Paint(ops::PaintStroke { path, region, style: self.style(&op.style), ..op.clone() })
            }
            Command::Path(op) => Command::Path(ops::Path { points: self.path(&op.points), ..op.clone() }),
            Command::Stamp(op) => Command::Stamp(ops::Stamp { at: self.place(op.at), ..op.clone() }),
            Command::Scatter(op) => {
                let area = self.columns(&op.area);
                let (z, heights) = (op.z.map(|z| self.z(z)), op.heights.map(|heights| heights.map(|z| self.z(z))));
                Command::Scatter(ops::Scatter { area, z, heights, ..op.clone() })
            }
            Command::Terrain(op) => Command::Terrain(ops::Terrain { area: op.area.as_ref().map(|area| self.columns(area)), ..op.clone() }),
            Command::SelectWhere(op) => Command::SelectWhere(ops::SelectWhere { masks: self.masks(&op.masks), ..op.clone() }),
            Command::SelectConnected(op) => {
                let at = self.place(op.at);
                Command::SelectConnected(ops::SelectConnected { at, lowest: op.lowest.map(|z| self.z(z)), ..op.clone() })
            }
            Command::SelectLasso(op) => {
                let outline = op.outline.iter().map(|column| self.column(*column)).collect();
                Command::SelectLasso(ops::SelectLasso { outline, ..op.clone() })
            }
            // The colors of the whole map, its bounds, facts and lists; what the selection says; and what has no place.
            Command::ReplaceColor(_)
            | Command::SelectVolume(_)
            | Command::DeleteSelection(_)
            | Command::MoveSelection(_)
            | Command::CopySelection(_)
            | Command::Resize(_)
            | Command::Crop(_)
            | Command::Shift(_)
            | Command::RepairColumns(_)
            | Command::Heal(_)
            | Command::SetDirt(_)
            | Command::SetProperty(_)
            | Command::ClearSpawns(_)
            | Command::RemoveObject(_)
            | Command::InvertSelection(_)
            | Command::GrowSelection(_)
            | Command::ShrinkSelection(_)
            | Command::FillSelection(_)
            | Command::TransformSelection(_) => command.clone(),
        }
    }

    fn fill(&mut self, op: &ops::Fill) -> ops::Fill {
        ops::Fill { region: self.region(&op.region), ..op.clone() }
    }

    fn shape(&mut self, op: &ops::Shape) -> ops::Shape {
        ops::Shape { from: self.place(op.from), to: self.place(op.to), ..op.clone() }
    }

    fn fill_connected(&mut self, op: &ops::FillConnected) -> ops::FillConnected {
        ops::FillConnected { at: self.place(op.at), ..op.clone() }
    }

    fn place(&mut self, pos: VoxelPos) -> VoxelPos {
        self.column.get_or_insert([pos.x, pos.y]);
        self.height.get_or_insert(pos.z);
        let moved = pos.saturating_add(self.by);
        self.is_beyond |= self.bounds.is_some_and(|bounds| !bounds.contains(moved));
        moved
    }

    fn column(&mut self, [x, y]: [i32; 2]) -> [i32; 2] {
        self.column.get_or_insert([x, y]);
        let [x, y] = [x.saturating_add(self.by.x), y.saturating_add(self.by.y)];
        self.is_beyond |= self.bounds.is_some_and(|bounds| !bounds.columns().contains(x, y));
        [x, y]
    }

    /// A height alone, which makes no place.
    fn z(&self, z: i32) -> i32 {
        z.saturating_add(self.by.z)
    }

    fn halves(&self, halves: ops::HalfVoxels, by: i32) -> ops::HalfVoxels {
        ops::HalfVoxels(halves.0.saturating_add(by.saturating_mul(2)))
    }

    fn path(&mut self, path: &[VoxelPos]) -> Vec<VoxelPos> {
        path.iter().map(|pos| self.place(*pos)).collect()
    }

    fn region(&mut self, region: &Region) -> Region {
        // The larger corner is no part of it.
        self.place(region.min());
        self.place(region.max().saturating_sub(IVec3::ONE));
        region.shifted(self.by)
    }

    fn columns(&mut self, rect: &ColumnRect) -> ColumnRect {
        let (min, [x, y]) = (self.column(rect.min()), rect.max());
        let [x, y] = self.column([x.saturating_sub(1), y.saturating_sub(1)]);
        ColumnRect::new(min, [x.saturating_add(1), y.saturating_add(1)])
    }

    fn object(&mut self, object: &Object) -> Object {
        self.columns(&object.area());
        object.shifted(self.by)
    }

    fn masks(&self, masks: &Masks) -> Masks {
        let Masks { selection: _, surface: _, z, slope: _, colors: _, tolerance: _, matter: _, spawns: _ } = masks;
        Masks { z: z.map(|heights| heights.map(|z| self.z(z))), ..masks.clone() }
    }

    /// Only a ramp names heights; a gradient runs over what is covered, and a decal lies on the stroke.
    fn style(&self, style: &PaintStyle) -> PaintStyle {
        match style {
            PaintStyle::Ramp { stops } => PaintStyle::Ramp { stops: stops.iter().map(|(z, color)| (self.z(*z), *color)).collect() },
            PaintStyle::Replace { .. }
            | PaintStyle::Tint { .. }
            | PaintStyle::Lighten { .. }
            | PaintStyle::Darken { .. }
            | PaintStyle::Mix { .. }
            | PaintStyle::Noise { .. }
            | PaintStyle::Gradient { .. }
            | PaintStyle::Blur { .. }
            | PaintStyle::Decal { .. } => style.clone(),
        }
    }
}
