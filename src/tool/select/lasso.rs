//! The freehand line of the select tool: the columns that the pointer goes over, shown where it goes.

use std::sync::Arc;

use glam::Vec3;

use crate::document::{Combine, Snapshot};
use crate::edit::ops::SelectLasso;
use crate::edit::{Command, Mode};
use crate::geom::VoxelPos;
use crate::tool::pick::{Pick, pick};
use crate::tool::{Ghost, PointerInput, Preview, ToolContext, ToolResponse};

/// Most columns that a line is made of: what the command takes.
const MOST: usize = 1 << 16;

/// A line that is being drawn.
#[derive(Debug)]
pub struct Lasso {
    /// The document as it was at the press.
    document: Snapshot,
    /// Where it began: beside the map it goes on in this plane.
    from: Pick,
    outline: Vec<[i32; 2]>,
    /// The voxels under the line that can be seen.
    line: Arc<Vec<VoxelPos>>,
    /// Middles of the faces that it goes over.
    drawn: Arc<Vec<Vec3>>,
    columns: bool,
    combine: Combine,
}

impl Lasso {
    /// Begins at what the ray meets; nothing where it meets nothing.
    pub fn begin(context: &ToolContext<'_>, input: &PointerInput, combine: Combine) -> Option<Self> {
        let document = context.document.clone();
        let from = pick(document.store(), &input.ray_in_world)?;
        let columns = context.settings.lasso_columns;
        let mut lasso = Self { document, from, outline: vec![], line: Arc::default(), drawn: Arc::default(), columns, combine };
        lasso.drag(input);
        Some(lasso)
    }

    /// Goes on to where the pointer is.
    pub fn drag(&mut self, input: &PointerInput) -> ToolResponse {
        let bounds = self.document.bounds();
        let hit = pick(self.document.store(), &input.ray_in_world).or_else(|| self.from.on_plane(&input.ray_in_world, &bounds));
        let Some(hit) = hit else { return ToolResponse::default() };
        let column = [hit.pos.x, hit.pos.y];
        if self.outline.last() == Some(&column) || self.outline.len() >= MOST {
            return ToolResponse::default();
        }
        self.outline.push(column);
        Arc::make_mut(&mut self.drawn).push(hit.pos.as_vec3() + 0.5 + hit.face.normal().as_vec3() * 0.5);
        if hit.solid && !self.line.contains(&hit.pos) {
            Arc::make_mut(&mut self.line).push(hit.pos);
        }
        ToolResponse::default()
    }

    /// What selects what lies within; nothing where the pointer did not move.
    pub fn command(&self) -> Option<Command> {
        let bounds = self.document.bounds().columns();
        let goes_around = self.outline.len() > 2 && self.outline.iter().any(|[x, y]| bounds.contains(*x, *y));
        let op = || SelectLasso { outline: self.outline.clone(), columns: self.columns, combine: self.combine };
        goes_around.then(|| Command::SelectLasso(op()))
    }

    /// The line as it is.
    pub fn preview(&self) -> Preview {
        let ghosts = vec![Ghost { voxels: self.line.clone(), mode: Mode::Paint }];
        Preview { ghosts, loop_line: self.drawn.clone(), ..Preview::default() }
    }
}
