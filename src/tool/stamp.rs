//! The stamp tool: puts a thing from the library into the map, or scatters it over an area.

use glam::IVec3;

use super::numbers::{far_end, sizes, whole};
use super::pick::{Pick, pick};
use super::planned::Planned;
use super::{GestureNumber, GestureNumbers, TypedNumber, ghost, pick_with_alt};
use super::{HoverPick, Outline, Phase, PointerInput, Preview, StampSettings, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use crate::edit::Command;
use crate::edit::ops;
use crate::geom::{ColumnRect, Region, VoxelPos};
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
    /// Where a stamp lies before it is lifted.
    foot: VoxelPos,
    /// Where a scattered area began: the column, and the height of its ground.
    began: Option<(VoxelPos, Region)>,
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
            (Some((_, region)), _) => sizes(region, &bounds, &[0, 1]),
            (None, Command::Stamp(op)) => {
                let height = bounds.size().z;
                let turn =
                    GestureNumber { unit: "°", ..GestureNumber::new("Turn", i32::try_from(op.turn % 4).unwrap_or(0) * 90, -360, 360) };
                vec![turn, GestureNumber::new("Height", aim.foot.z - op.at.z, -height, height)]
            }
            _ => vec![],
        };
        GestureNumbers { numbers, first: 0, finishes: true }
    }

    fn set_numbers(&mut self, context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        let Some(aim) = &mut self.aim else { return ToolResponse::default() };
        if let Some((from, _)) = aim.began {
            let dragged = aim.dragged;
            let end = |index: usize, axis: usize| match numbers.get(index).filter(|number| number.typed) {
                Some(number) => far_end(from[axis], dragged[axis] - from[axis], number.whole()),
                None => dragged[axis],
            };
            if let Some(sized) = Aim::scatter(context, from, IVec3::new(end(0, 0), end(1, 1), from.z)) {
                *aim = Aim { dragged, ..sized };
            }
        } else if let Command::Stamp(op) = &mut aim.command {
            op.turn = (whole(numbers, 0).rem_euclid(360).cast_unsigned() + 45) / 90 % 4;
            op.at.z = aim.foot.z.saturating_sub(whole(numbers, 1));
        }
        ToolResponse::default()
    }

    fn cancel(&mut self) -> bool {
        let was_pressed = self.aim.as_ref().is_some_and(|aim| aim.pressed);
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
        let outlines = aim.began.iter().map(|(_, region)| Outline { region: *region, team: None, active: true }).collect();
        let size = aim.began.map(|(_, region)| ghost::size_text(&region));
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

    fn let_go(&mut self) {
        (self.aim, self.planned) = (None, None);
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let settings = &context.settings.stamp;
        self.aim = if settings.scatter {
            let at = pick(context.document.store(), &input.ray_in_world).map(|pick| pick.pos);
            at.and_then(|at| Aim::scatter(context, at, at))
        } else {
            self.stamp_at(context, input, true)
        };
        if self.aim.is_none() { ToolResponse::status("Nothing there") } else { ToolResponse::default() }
    }

    fn drag(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let Some(aim) = self.aim.as_ref().filter(|aim| aim.pressed) else { return ToolResponse::default() };
        let moved = match aim.began {
            Some((from, _)) => {
                let plane = Pick { pos: from, face: crate::geom::Face::MinusZ, solid: true };
                let to = plane.on_plane(&input.ray_in_world, &context.document.bounds()).map(|pick| pick.pos);
                to.and_then(|to| Aim::scatter(context, from, to))
            }
            None => self.stamp_at(context, input, true),
        };
        // Where the pointer meets nothing, it stays where it was.
        if let Some(moved) = moved {
            self.aim = Some(moved);
        }
        let status = self.aim.as_ref().and_then(|aim| aim.began).map(|(_, region)| ghost::size_text(&region));
        ToolResponse { status, ..ToolResponse::default() }
    }

    /// The stamp that a click there would make.
    fn stamp_at(&self, context: &ToolContext<'_>, input: &PointerInput, pressed: bool) -> Option<Aim> {
        let settings = &context.settings.stamp;
        let stamp = settings.stamp.as_ref()?;
        let beside = pick(context.document.store(), &input.ray_in_world)?.beside();
        let at = if settings.snap {
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
        let command = Command::Stamp(ops::Stamp { clip, at, anchor: settings.anchor, turn, tint });
        Some(Aim { command, pressed, foot: at, began: None, dragged: at })
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
    /// The area between two columns; nothing outside of the map.
    fn scatter(context: &ToolContext<'_>, from: VoxelPos, to: VoxelPos) -> Option<Self> {
        let settings = &context.settings.stamp;
        let region = Region::between(from, to.with_z(from.z));
        let area = region.columns().intersection(&context.document.bounds().columns());
        if area.is_empty() {
            return None;
        }
        let command = Command::Scatter(ops::Scatter {
            clip: (*settings.stamp.as_ref()?.clip).clone(),
            area,
            seed: settings.seed,
            z: None,
            anchor: settings.anchor,
            density: settings.density.clamp(1, 1000),
            distance: settings.distance.min(256),
            slope: settings.slope.min(90),
            turn: settings.turn % 4,
            random_turn: settings.random_turn,
            tint: settings.tint.min(100),
        });
        Some(Self { command, pressed: true, foot: from, began: Some((from, outline(&area, from.z))), dragged: to })
    }
}

/// The columns at the height where the drag began.
fn outline(area: &ColumnRect, z: i32) -> Region {
    let ([x, y], [to_x, to_y]) = (area.min(), area.max());
    Region::new(IVec3::new(x, y, z), IVec3::new(to_x, to_y, z + 1))
}
