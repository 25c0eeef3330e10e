//! The stamp tool: puts a thing from the library into the map, or scatters it over an area.

use glam::IVec3;

use super::numbers::{far_end, sizes, whole};
use super::pick::{Pick, pick};
use super::planned::Planned;
use super::{GestureNumber, GestureNumbers, TypedNumber, ghost, pick_with_alt};
use super::{HoverPick, Outline, Phase, PointerInput, Preview, StampSettings, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use crate::edit::Command;
use crate::edit::ops;
use crate::geom::{ColumnRect, Face, Region, VoxelPos};
use crate::terrain::Noise;

/// The entry of the registry.
pub const STAMP: ToolSpec = ToolSpec {
    id: "stamp",
    label: "Stamp",
    key: 'S',
    icon: "stamp",
    help: "Puts a model or a saved selection into the map, or scatters it over an area",
    hint: "Click stamps · R turns · Scatter: drag an area · Esc drops · Alt picks",
    options: &[ToolOption::Stamp],
    make: || Box::<StampTool>::default(),
};

#[derive(Debug, Default)]
struct StampTool {
    hovered: HoverPick,
    /// Where the next stamp comes to lie, and whether the button is down there.
    aim: Option<Aim>,
    /// Stamps so far: each draws its own lots.
    count: i32,
    planned: Option<Planned>,
}

#[derive(Debug)]
struct Aim {
    command: Command,
    pressed: bool,
    /// Where a stamp lies before it is lifted off what it stands on, and where it points.
    foot: VoxelPos,
    up: Face,
    /// Where a scattered area began, on which face, and the voxels of that plane that it covers.
    began: Option<(VoxelPos, Face, Region)>,
    /// Where the pointer dragged the far corner of it.
    dragged: VoxelPos,
}

impl Tool for StampTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        let settings = &context.settings.stamp;
        if settings.stamp.is_none() {
            self.let_go();
            let is_away = input.phase == Phase::Leave;
            return if is_away {
                ToolResponse::default()
            } else {
                ToolResponse::status("Choose a stamp first, or save the selection as one")
            };
        }
        match input.phase {
            Phase::Leave => {
                self.let_go();
                ToolResponse::default()
            }
            Phase::Hover if settings.scatter => {
                self.let_go();
                ToolResponse::default()
            }
            Phase::Hover => {
                self.aim = self.stamp_at(context, input, false);
                ToolResponse::default()
            }
            Phase::Press => self.press(context, input),
            Phase::Drag => self.drag(context, input),
            Phase::Release => {
                self.drag(context, input);
                self.finish()
            }
        }
    }

    fn confirm(&mut self, _context: &ToolContext<'_>) -> ToolResponse {
        self.finish()
    }

    /// Turn and height over the ground of a stamp, or the size of the area.
    fn numbers(&self, context: &ToolContext<'_>) -> GestureNumbers {
        let Some(aim) = self.aim.as_ref().filter(|aim| aim.pressed) else { return GestureNumbers::default() };
        let bounds = context.document.bounds();
        let numbers = match (&aim.began, &aim.command) {
            (Some((_, face, region)), _) => sizes(region, &bounds, &across(*face)),
            (None, Command::Stamp(op)) => {
                let height = bounds.size()[aim.up.axis().index()];
                let turn =
                    GestureNumber { unit: "°", ..GestureNumber::new("Turn", i32::try_from(op.turn % 4).unwrap_or(0) * 90, -360, 360) };
                vec![turn, GestureNumber::new("Height", (op.at - aim.foot).dot(aim.up.normal()), -height, height)]
            }
            _ => vec![],
        };
        GestureNumbers { numbers, first: 0, finishes: true }
    }

    fn set_numbers(&mut self, context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        let area = self.aim.as_ref().and_then(|aim| Some((aim.began?, aim.dragged)));
        if let Some(((from, face, _), dragged)) = area {
            let mut end = dragged;
            for (index, axis) in across(face).into_iter().enumerate() {
                if let Some(number) = numbers.get(index).filter(|number| number.typed) {
                    end[axis] = far_end(from[axis], dragged[axis] - from[axis], number.whole());
                }
            }
            if let Some(sized) = self.scatter(context, (from, face), end) {
                self.aim = Some(Aim { dragged, ..sized });
            }
        } else if let Some(Aim { command: Command::Stamp(op), foot, up, .. }) = &mut self.aim {
            op.turn = (whole(numbers, 0).rem_euclid(360).cast_unsigned() + 45) / 90 % 4;
            op.at = foot.saturating_add(up.normal() * whole(numbers, 1).max(-i32::MAX));
        }
        ToolResponse::default()
    }

    fn is_pending(&self) -> bool {
        self.aim.as_ref().is_some_and(|aim| aim.pressed)
    }

    fn cancel(&mut self) -> bool {
        let was_pressed = self.is_pending();
        self.let_go();
        was_pressed
    }

    fn wanted(&self) -> Option<Command> {
        self.aim.as_ref().map(|aim| aim.command.clone())
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        self.planned = planned;
    }

    fn preview(&self) -> Preview {
        let hovered = self.hovered.shown();
        let Some(aim) = &self.aim else { return Preview { hovered, ..Preview::default() } };
        let (store, ghosts) = self.planned.clone().map_or((None, vec![]), |planned| (Some(planned.store), planned.ghosts));
        let outlines = aim.began.iter().map(|(.., region)| Outline { region: *region, team: None, active: true }).collect();
        let size = aim.began.map(|(.., region)| ghost::size_text(&region));
        Preview { hovered, store, ghosts, outlines, size, ..Preview::default() }
    }
}

impl StampTool {
    fn finish(&mut self) -> ToolResponse {
        let Some(aim) = self.aim.take().filter(|aim| aim.pressed) else { return ToolResponse::default() };
        self.planned = None;
        self.count += 1;
        ToolResponse::command(aim.command)
    }

    /// The area between two voxels of a plane. Of one voxel, which a click is, most dice would make nothing: it is one stamp, turned
    /// and tinted as those that are scattered.
    fn scatter(&self, context: &ToolContext<'_>, (from, up): (VoxelPos, Face), to: VoxelPos) -> Option<Aim> {
        let settings = &context.settings.stamp;
        let aim = Aim::scatter(context, (from, up), to)?;
        if aim.began.is_none_or(|(.., region)| region.volume() > 1) {
            return Some(aim);
        }
        let (clip, (turn, tint)) = ((*settings.stamp.as_ref()?.clip).clone(), self.lots(settings));
        Some(Aim { command: Command::Stamp(ops::Stamp { clip, at: from + up.normal(), anchor: settings.anchor, turn, tint, up }), ..aim })
    }

    fn let_go(&mut self) {
        (self.aim, self.planned) = (None, None);
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let settings = &context.settings.stamp;
        self.aim = if settings.scatter {
            let hit = pick(context.document.store(), &input.ray_in_world);
            hit.and_then(|hit| self.scatter(context, (hit.pos, settings.up_on(hit.face)), hit.pos))
        } else {
            self.stamp_at(context, input, true)
        };
        if self.aim.is_none() { ToolResponse::status("Nothing there") } else { ToolResponse::default() }
    }

    fn drag(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let Some(aim) = self.aim.as_ref().filter(|aim| aim.pressed) else { return ToolResponse::default() };
        let moved = match aim.began {
            Some((from, face, _)) => {
                let plane = Pick { pos: from, face, solid: true };
                let to = plane.on_plane(&input.ray_in_world, &context.document.bounds()).map(|pick| pick.pos);
                to.and_then(|to| self.scatter(context, (from, face), to))
            }
            None => self.stamp_at(context, input, true),
        };
        // Where the pointer meets nothing, it stays where it was.
        if let Some(moved) = moved {
            self.aim = Some(moved);
        }
        let status = self.aim.as_ref().and_then(|aim| aim.began).map(|(.., region)| ghost::size_text(&region));
        ToolResponse { status, ..ToolResponse::default() }
    }

    /// The stamp that a click there would make.
    fn stamp_at(&self, context: &ToolContext<'_>, input: &PointerInput, pressed: bool) -> Option<Aim> {
        let settings = &context.settings.stamp;
        let stamp = settings.stamp.as_ref()?;
        let hit = pick(context.document.store(), &input.ray_in_world)?;
        let (beside, up) = (hit.beside(), settings.up_on(hit.face));
        // What stands on the surface has its ground at the face.
        let at = if settings.snap && !settings.on_surface {
            let ground = context.document.store().ground(beside.x, beside.y, beside.z.max(context.document.bounds().min().z));
            beside.with_z(ground.map_or(beside.z, |z| z - 1))
        } else {
            beside
        };
        if !context.document.bounds().contains(at) {
            return None;
        }
        let (turn, tint) = self.lots(settings);
        let clip = (*stamp.clip).clone();
        let command = Command::Stamp(ops::Stamp { clip, at, anchor: settings.anchor, turn, tint, up });
        Some(Aim { command, pressed, foot: at, up, began: None, dragged: at })
    }

    /// Turn and tint of the next stamp.
    fn lots(&self, settings: &StampSettings) -> (u32, i32) {
        let dice = Noise::new(settings.seed, 70);
        let turn = if settings.random_turn { dice.word(IVec3::new(self.count, 0, 0)) % 4 } else { settings.turn % 4 };
        let most = settings.tint.min(100) as i32;
        // Within twice the most, which is at most 200.
        let lot = (dice.word(IVec3::new(self.count, 1, 0)) % (2 * most.unsigned_abs() + 1)) as i32;
        (turn, lot - most)
    }
}

impl Aim {
    /// The area between two voxels of a plane; nothing outside of the map.
    fn scatter(context: &ToolContext<'_>, (from, up): (VoxelPos, Face), to: VoxelPos) -> Option<Self> {
        let (settings, bounds) = (&context.settings.stamp, context.document.bounds());
        let axis = up.axis().index();
        let mut flat = to;
        flat[axis] = from[axis];
        let region = Region::between(from, flat);
        let is_wall = axis != 2;
        // Walls and ceilings are looked for from the air before them.
        let before = region.shifted(up.normal());
        let area = if is_wall { before } else { region }.columns().intersection(&bounds.columns());
        let heights = is_wall.then_some([before.min().z.max(bounds.min().z), before.max().z.min(bounds.max().z)]);
        if area.is_empty() || heights.is_some_and(|[top, bottom]| top >= bottom) {
            return None;
        }
        let command = Command::Scatter(ops::Scatter {
            clip: (*settings.stamp.as_ref()?.clip).clone(),
            area,
            seed: settings.seed,
            z: (up == Face::PlusZ).then_some(before.min().z),
            up,
            heights,
            anchor: settings.anchor,
            density: settings.density.clamp(1, 1000),
            distance: settings.distance.min(256),
            slope: settings.slope.min(90),
            turn: settings.turn % 4,
            random_turn: settings.random_turn,
            tint: settings.tint.min(100),
        });
        let shown = if is_wall { region.intersection(&bounds) } else { outline(&area, from.z) };
        Some(Self { command, pressed: true, foot: from, up, began: Some((from, up, shown)), dragged: to })
    }
}

/// The axes of a face.
fn across(face: Face) -> [usize; 2] {
    let axis = face.axis().index();
    [usize::from(axis == 0), if axis == 2 { 1 } else { 2 }]
}

/// The columns at the height where the drag began.
fn outline(area: &ColumnRect, z: i32) -> Region {
    let ([x, y], [to_x, to_y]) = (area.min(), area.max());
    Region::new(IVec3::new(x, y, z), IVec3::new(to_x, to_y, z + 1))
}
