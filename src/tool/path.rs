//! The path tool: roads, rivers, bridges, tunnels and fences along a curve through points that can be edited.

use std::collections::BTreeMap;

use glam::Vec3;

use super::numbers::{Leg, LegLength};
use super::pick::pick;
use super::pick_with_alt;
use super::planned::Planned;
use super::{GestureNumbers, TypedNumber};
use super::{
    Handle, HoverPick, PathSettings, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSettings, ToolSpec,
};
use crate::document::Snapshot;
use crate::edit::Command;
use crate::edit::ops::{Path, PathKind};
use crate::geom::{Ray, Spline, VoxelPos};
use crate::terrain::WATER;
use crate::voxel::Rgb;

/// Pixels around a point in which the pointer counts as on it.
const HANDLE_PIXELS: f32 = 8.0;
/// The same in voxels, where a voxel is larger than that.
const HANDLE_VOXELS: f32 = 0.7;
/// From the corner of a voxel to where it is taken hold of: on top of it, where it was clicked.
const MIDDLE: Vec3 = Vec3::new(0.5, 0.5, 0.25);
/// From the corner of a voxel to where its handle and the curve are shown: a hair above it.
const ON_TOP: Vec3 = Vec3::new(0.5, 0.5, -0.1);
/// Points of a path, as the command allows.
const MAX_POINTS: usize = 1024;

/// The entry of the registry.
pub const PATH: ToolSpec = ToolSpec {
    id: "path",
    label: "Path",
    key: 'Y',
    icon: "spline",
    help: "Makes a road, river, bridge, tunnel or fence along a curve",
    hint: "Click adds a point, on the curve inserts one · Drag moves · Ctrl+click or Del removes · Enter makes it · Alt picks",
    options: &[ToolOption::Path],
    make: || Box::new(PathTool::new()),
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    index: usize,
    /// Where it was; `None` if it is new.
    before: Option<VoxelPos>,
    /// The ground under the pointer when it was taken hold of: until the pointer leaves it, the point stays.
    from: Option<VoxelPos>,
}

#[derive(Debug)]
struct PathTool {
    hovered: HoverPick,
    points: Vec<VoxelPos>,
    /// The point that is being dragged.
    held: Option<Held>,
    /// The point that a press would take hold of.
    pointed: Option<usize>,
    /// Where a press would insert a point.
    insertion: Option<VoxelPos>,
    settings: PathSettings,
    color: Rgb,
    water: Option<Rgb>,
    /// What Enter would do.
    planned: Option<Planned>,
}

impl Tool for PathTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        self.take_settings(context);
        match input.phase {
            Phase::Hover | Phase::Leave => self.hover(input),
            Phase::Press => self.press(context, input),
            Phase::Drag => self.drag(context, input),
            Phase::Release => {
                self.drag(context, input);
                self.held = None;
                self.told()
            }
        }
    }

    fn is_pending(&self) -> bool {
        !self.points.is_empty()
    }

    fn cancel(&mut self) -> bool {
        let any = self.is_pending();
        self.drop_points();
        any
    }

    fn put_away(&mut self) -> bool {
        self.hovered = HoverPick::default();
        (self.held, self.pointed, self.insertion) = (None, None, None);
        !self.points.is_empty()
    }

    fn confirm(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        self.take_settings(context);
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
            Some(Held { index, before, .. }) if index < self.points.len() => {
                match before {
                    Some(before) => self.points.get_mut(index).into_iter().for_each(|point| *point = before),
                    None => _ = self.points.remove(index),
                }
                self.forget_plan();
            }
            _ if self.erase() => {}
            _ => return None,
        }
        Some(self.told())
    }

    fn erase(&mut self) -> bool {
        self.pointed = None;
        let any = match self.held.take() {
            Some(Held { index, before: None, .. }) if index < self.points.len() => {
                self.points.remove(index);
                true
            }
            _ => self.points.pop().is_some(),
        };
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

    /// What Enter and Esc do is said of each step.
    fn hint(&self, _settings: &ToolSettings) -> Option<&'static str> {
        let goes_on = "Click adds a point, on the curve inserts one · Drag moves · Ctrl+click or Del removes";
        (!self.points.is_empty()).then_some(goes_on)
    }

    fn preview(&self) -> Preview {
        let handle = |point: VoxelPos, active| Handle { at: point.as_vec3() + ON_TOP, active };
        let held = self.held.map(|held| held.index).or(self.pointed);
        let handles = self.points.iter().enumerate().map(|(index, point)| handle(*point, held == Some(index)));
        let handles = handles.chain(self.insertion.map(|point| handle(point, true))).collect();
        let (store, ghosts) = self.planned.clone().map_or((None, vec![]), |planned| (Some(planned.store), planned.ghosts));
        let size = (!self.points.is_empty()).then(|| self.text());
        let (hovered, open_line) = (self.hovered.shown(), self.line());
        Preview { hovered, store, ghosts, open_line, handles, size, ..Preview::default() }
    }
}

impl PathTool {
    fn new() -> Self {
        let ToolSettings { path: settings, color, .. } = ToolSettings::default();
        let (hovered, points) = (HoverPick::default(), vec![]);
        Self { hovered, points, held: None, pointed: None, insertion: None, settings, color, water: None, planned: None }
    }

    /// Where a river comes down to the water it has the color of the water that is there, or of any; all else that in hand.
    fn take_settings(&mut self, context: &ToolContext<'_>) {
        (self.settings, self.color) = (context.settings.path, context.settings.color);
        let is_river = self.settings.kind == PathKind::River;
        self.water = is_river.then(|| water_color(context.document).unwrap_or(WATER));
    }

    /// The curve from its first to its last point.
    fn line(&self) -> Vec<Vec3> {
        let curve = Spline::through(&self.points, 0.0);
        let place = |[x, y, z]: [f64; 3]| Vec3::new(x as f32, y as f32, z as f32) + ON_TOP;
        let mut line: Vec<Vec3> = curve.segments().map(|piece| place(piece.ends()[0])).collect();
        line.extend(curve.segments().last().map(|piece| place(piece.ends()[1])));
        line
    }

    fn leg(&self) -> Option<(usize, Leg)> {
        let index = self.held.map_or(self.points.len().checked_sub(1)?, |held| held.index);
        let (from, to) = (*self.points.get(index.checked_sub(1)?)?, *self.points.get(index)?);
        Some((index, Leg { from, to, length: LegLength::Distance }))
    }

    fn drop_points(&mut self) {
        self.points.clear();
        (self.held, self.pointed, self.insertion, self.planned) = (None, None, None, None);
    }

    fn hover(&mut self, input: &PointerInput) -> ToolResponse {
        let free = input.phase == Phase::Hover && !input.modifiers.ctrl && !input.modifiers.alt;
        let place = self.place(&input.ray_in_world, input.voxels_per_pixel).filter(|_| free);
        self.insertion = place.map(|(_, point)| point);
        let points = input.phase == Phase::Hover && !input.modifiers.alt;
        self.pointed = if points { self.under(&input.ray_in_world, input.voxels_per_pixel) } else { None };
        match place {
            Some(_) => ToolResponse::status("Drag inserts a point here · Enter makes the path"),
            None => self.told(),
        }
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        (self.insertion, self.pointed) = (None, None);
        let under = self.under(&input.ray_in_world, input.voxels_per_pixel);
        if input.modifiers.ctrl {
            self.held = None;
            if let Some(index) = under {
                self.points.remove(index);
                self.forget_plan();
            }
            return self.told();
        }
        let from = ground(context, &input.ray_in_world);
        self.held = under.and_then(|index| Some(Held { index, before: Some(*self.points.get(index)?), from }));
        if under.is_none() {
            let at_end = || Some((self.points.len(), from?));
            let Some((index, point)) = self.place(&input.ray_in_world, input.voxels_per_pixel).or_else(at_end) else {
                return ToolResponse::status("Nothing there");
            };
            if self.points.len() >= MAX_POINTS {
                return ToolResponse::status(format!("A path has at most {MAX_POINTS} points"));
            }
            self.held = Some(Held { index, before: None, from });
            self.points.insert(index, point);
        }
        self.told()
    }

    fn drag(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let ground = ground(context, &input.ray_in_world);
        if let Some((held, ground)) = self.held.as_mut().zip(ground).filter(|(held, ground)| held.from != Some(*ground))
            && let Some(point) = self.points.get_mut(held.index)
        {
            held.from = None;
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
            let middle = point.as_vec3() + MIDDLE;
            let along = (middle - ray.origin).dot(ray.direction);
            (along > 0.0 && ray.at(along).distance(middle) <= reach(along, voxels_per_pixel)).then_some((index, along))
        });
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
    }

    /// Where on the curve, between its points, the pointer is: the number that a point there gets, and its place. Of
    /// several places the nearest to the eye.
    fn place(&self, ray: &Ray, voxels_per_pixel: f32) -> Option<(usize, VoxelPos)> {
        if self.under(ray, voxels_per_pixel).is_some() {
            return None;
        }
        let curve = Spline::through(&self.points, 0.0);
        let near = curve.segments().filter_map(|piece| {
            let [from, to] = piece.ends().map(|[x, y, z]| Vec3::new(x as f32, y as f32, z as f32));
            let share = nearest_share(ray, from + MIDDLE, to - from);
            // Beyond its ends the curve is made longer.
            let [is_first, is_last] = piece.is_end();
            if (is_first && share < 0.0) || (is_last && share > 1.0) {
                return None;
            }
            let point = from.lerp(to, share.clamp(0.0, 1.0));
            let along = (point + MIDDLE - ray.origin).dot(ray.direction);
            let is_near = along > 0.0 && ray.at(along).distance(point + MIDDLE) <= reach(along, voxels_per_pixel);
            is_near.then(|| ((piece.leads_to(), point.round().as_ivec3()), along))
        });
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, _)| place)
    }

    fn path(&self) -> Path {
        let PathSettings { kind, width, height, spacing, shoulder, arched, edge_color } = self.settings;
        Path {
            kind,
            points: self.points.clone(),
            width: Some(width),
            color: self.color,
            water: self.water,
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

/// How far from the pointer what lies so far along its ray still counts as under it, in voxels.
fn reach(along: f32, voxels_per_pixel: f32) -> f32 {
    HANDLE_VOXELS.max(HANDLE_PIXELS * voxels_per_pixel * along)
}

/// What share of a way from a place on comes nearest to the ray; 0 where both run the same way.
fn nearest_share(ray: &Ray, from: Vec3, way: Vec3) -> f32 {
    let (along, length, between) = (way.dot(ray.direction), way.length_squared(), from - ray.origin);
    let spread = length - along * along;
    if spread <= 1e-6 * length {
        return 0.0;
    }
    (between.dot(ray.direction) * along - between.dot(way)) / spread
}

/// The voxel of the ground under the pointer; in the lowest plane where there is none.
fn ground(context: &ToolContext<'_>, ray: &Ray) -> Option<VoxelPos> {
    let lowest = context.document.bounds().max().z - 1;
    pick(context.document.store(), ray).map(|pick| pick.pos.with_z(pick.pos.z.min(lowest)))
}

/// The most usual color of the water of a map, by some columns all over it; `None` where none of them is water.
fn water_color(document: &Snapshot) -> Option<Rgb> {
    const ALONG: i32 = 32;
    let (bounds, floor) = (document.bounds(), document.floor_z()?);
    let steps = |from: i32, to: i32| (0..ALONG).map(move |step| from + (to - from) * step / ALONG);
    let columns = steps(bounds.min().x, bounds.max().x).flat_map(|x| steps(bounds.min().y, bounds.max().y).map(move |y| [x, y]));
    let is_water = |[x, y]: &[i32; 2]| !document.store().is_solid(VoxelPos::new(*x, *y, floor - 1));
    let mut counts = BTreeMap::<[u8; 3], u32>::new();
    for color in columns.filter(is_water).filter_map(|[x, y]| document.store().voxel(VoxelPos::new(x, y, floor))?.rgb()) {
        *counts.entry([color.r, color.g, color.b]).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|([r, g, b], _)| Rgb::new(r, g, b))
}
