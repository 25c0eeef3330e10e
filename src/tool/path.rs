//! The path tool: roads, rivers, bridges, tunnels and fences along a curve through points that can be edited.

use glam::Vec3;

use super::numbers::{Leg, LegLength};
use super::pick::pick;
use super::pick_with_alt;
use super::planned::Planned;
use super::{GestureNumbers, TypedNumber};
use super::{
    HoverPick, Outline, PathSettings, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSettings, ToolSpec,
};
use crate::edit::Command;
use crate::edit::ops::Path;
use crate::geom::{Ray, Region, VoxelPos};
use crate::voxel::Rgb;

/// Pixels around a point in which the pointer counts as on it.
const HANDLE_PIXELS: f32 = 8.0;
/// The same in voxels, where a voxel is larger than that.
const HANDLE_VOXELS: f32 = 0.7;
/// Points of a path, as the command allows.
const MAX_POINTS: usize = 1024;

/// The entry of the registry.
pub const PATH: ToolSpec = ToolSpec {
    id: "path",
    label: "Path",
    key: 'Y',
    icon: "spline",
    help: "Makes a road, river, bridge, tunnel or fence along a curve",
    hint: "Click adds a point · Drag moves one · Ctrl+click or Delete removes · Enter makes it · Esc goes back · Alt picks",
    options: &[ToolOption::Path],
    make: || Box::new(PathTool::new()),
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    index: usize,
    /// Where it was; `None` if it is new.
    before: Option<VoxelPos>,
}

#[derive(Debug)]
struct PathTool {
    hovered: HoverPick,
    points: Vec<VoxelPos>,
    /// The point that is being dragged.
    held: Option<Held>,
    settings: PathSettings,
    color: Rgb,
    /// What Enter would do.
    planned: Option<Planned>,
}

impl Tool for PathTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        (self.settings, self.color) = (context.settings.path, context.settings.color);
        match input.phase {
            Phase::Hover | Phase::Leave => self.told(),
            Phase::Press => self.press(context, input),
            Phase::Drag => self.drag(context, input),
            Phase::Release => {
                self.drag(context, input);
                self.held = None;
                self.told()
            }
        }
    }

    fn cancel(&mut self) -> bool {
        let any = !self.points.is_empty();
        self.drop_points();
        any
    }

    fn confirm(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        (self.settings, self.color) = (context.settings.path, context.settings.color);
        match self.wanted() {
            Some(command) => {
                self.drop_points();
                ToolResponse::command(command)
            }
            None if self.points.is_empty() => ToolResponse::default(),
            None => ToolResponse::status("A path needs two points"),
        }
    }

    /// The drag of a point first, then the points from the last one on.
    fn step_back(&mut self, _context: &ToolContext<'_>) -> Option<ToolResponse> {
        match self.held.take() {
            Some(Held { index, before: Some(before) }) => {
                if let Some(point) = self.points.get_mut(index) {
                    *point = before;
                }
                self.forget_plan();
            }
            _ if self.erase() => {}
            _ => return None,
        }
        Some(self.told())
    }

    fn erase(&mut self) -> bool {
        self.held = None;
        let any = self.points.pop().is_some();
        self.forget_plan();
        any
    }

    fn wanted(&self) -> Option<Command> {
        let is_moving = self.points.iter().zip(self.points.iter().skip(1)).any(|(a, b)| a.truncate() != b.truncate());
        is_moving.then(|| Command::Path(self.path()))
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        self.planned = planned;
    }

    /// Those of the way to the point that is held, else to the last one.
    fn numbers(&self, _context: &ToolContext<'_>) -> GestureNumbers {
        let numbers = self.leg().map_or_else(Vec::new, |(_, leg)| leg.numbers());
        GestureNumbers { numbers, first: 0, finishes: false }
    }

    fn set_numbers(&mut self, context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        let Some((index, leg)) = self.leg() else { return ToolResponse::default() };
        let (store, bounds) = (context.document.store(), context.document.bounds());
        let mut end = leg.end(numbers).clamp(bounds.min(), (bounds.max() - 1).max(bounds.min()));
        // On the ground, unless it was said how high.
        if numbers.iter().take(4).any(|number| number.typed) && !numbers.get(4).is_some_and(|number| number.typed) {
            end.z = store.ground(end.x, end.y, bounds.min().z).unwrap_or(end.z);
        }
        if let Some(point) = self.points.get_mut(index) {
            *point = end;
        }
        self.forget_plan();
        ToolResponse::status(self.text())
    }

    fn preview(&self) -> Preview {
        let outlines = self.points.iter().enumerate().map(|(index, point)| Outline {
            region: Region::between(*point, *point),
            team: None,
            active: self.held.is_some_and(|held| held.index == index),
        });
        let (store, ghosts) = self.planned.clone().map_or((None, vec![]), |planned| (Some(planned.store), planned.ghosts));
        let size = (!self.points.is_empty()).then(|| self.text());
        Preview { hovered: self.hovered.shown(), store, ghosts, outlines: outlines.collect(), size, ..Preview::default() }
    }
}

impl PathTool {
    fn new() -> Self {
        let ToolSettings { path: settings, color, .. } = ToolSettings::default();
        Self { hovered: HoverPick::default(), points: vec![], held: None, settings, color, planned: None }
    }

    fn leg(&self) -> Option<(usize, Leg)> {
        let index = self.held.map_or(self.points.len().checked_sub(1)?, |held| held.index);
        let (from, to) = (*self.points.get(index.checked_sub(1)?)?, *self.points.get(index)?);
        Some((index, Leg { from, to, length: LegLength::Distance }))
    }

    fn drop_points(&mut self) {
        self.points.clear();
        (self.held, self.planned) = (None, None);
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let under = self.under(&input.ray_in_world, input.voxels_per_pixel);
        if input.modifiers.ctrl {
            self.held = None;
            if let Some(index) = under {
                self.points.remove(index);
                self.forget_plan();
            }
            return self.told();
        }
        self.held = under.and_then(|index| Some(Held { index, before: Some(*self.points.get(index)?) }));
        if under.is_none() {
            let Some(point) = ground(context, &input.ray_in_world) else { return ToolResponse::status("Nothing there") };
            if self.points.len() >= MAX_POINTS {
                return ToolResponse::status(format!("A path has at most {MAX_POINTS} points"));
            }
            self.held = Some(Held { index: self.points.len(), before: None });
            self.points.push(point);
        }
        self.told()
    }

    fn drag(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let held = self.held.and_then(|held| self.points.get_mut(held.index));
        if let Some((point, ground)) = held.zip(ground(context, &input.ray_in_world)) {
            *point = ground;
        }
        self.forget_plan();
        self.told()
    }

    /// What is no path has no plan.
    fn forget_plan(&mut self) {
        if self.wanted().is_none() {
            self.planned = None;
        }
    }

    /// The point under the pointer; of several the nearest to the eye.
    fn under(&self, ray: &Ray, voxels_per_pixel: f32) -> Option<usize> {
        let near = self.points.iter().enumerate().filter_map(|(index, point)| {
            // On top of the voxel, where it was clicked.
            let middle = point.as_vec3() + Vec3::new(0.5, 0.5, 0.25);
            let along = (middle - ray.origin).dot(ray.direction);
            let reach = HANDLE_VOXELS.max(HANDLE_PIXELS * voxels_per_pixel * along);
            (along > 0.0 && ray.at(along).distance(middle) <= reach).then_some((index, along))
        });
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
    }

    fn path(&self) -> Path {
        let PathSettings { kind, width, height, spacing, shoulder, arched, edge_color } = self.settings;
        Path {
            kind,
            points: self.points.clone(),
            width: Some(width),
            color: self.color,
            edge_color,
            height: Some(height),
            spacing: Some(spacing),
            shoulder,
            arched,
        }
    }

    fn told(&self) -> ToolResponse {
        match self.points.len() {
            0 => ToolResponse::default(),
            1 => ToolResponse::status("Click the next point · Esc takes it back"),
            _ => ToolResponse::status("Enter makes it · Esc takes the last point back"),
        }
    }

    fn text(&self) -> String {
        match self.points.len() {
            1 => "1 point".to_owned(),
            count => format!("{count} points, {:.0} long", self.path().curve().length()),
        }
    }
}

/// The voxel of the ground under the pointer; in the lowest plane where there is none.
fn ground(context: &ToolContext<'_>, ray: &Ray) -> Option<VoxelPos> {
    let lowest = context.document.bounds().max().z - 1;
    pick(context.document.store(), ray).map(|pick| pick.pos.with_z(pick.pos.z.min(lowest)))
}
