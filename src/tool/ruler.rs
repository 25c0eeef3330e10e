//! The ruler: measures from voxel to voxel and tells what is under the pointer. Changes nothing.

use glam::{IVec3, Vec3};

use super::numbers::{Leg, LegLength};
use super::pick::{color_at, pick};
use super::{GestureNumbers, TypedNumber};
use super::{HoverPick, Measure, Outline, Phase, PointerInput, Preview, Tool, ToolContext, ToolResponse, ToolSpec, pick_with_alt};
use crate::document::Snapshot;
use crate::geom::{Face, Ray, Region, VoxelPos};

/// The entry of the registry.
pub const RULER: ToolSpec = ToolSpec {
    id: "ruler",
    label: "Ruler",
    key: 'I',
    icon: "ruler",
    help: "Measures distance, height and slope, and tells color and exposure",
    hint: "Hover tells what a voxel is · Click or drag measures from there · Esc goes back · Alt picks",
    options: &[],
    make: || Box::<RulerTool>::default(),
};

#[derive(Debug, Default)]
struct RulerTool {
    hovered: HoverPick,
    from: Option<VoxelPos>,
    to: Option<VoxelPos>,
    /// Whether the second end stays where it is.
    fixed: bool,
}

impl Tool for RulerTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        let under = under(context.document, &input.ray_in_world);
        match input.phase {
            Phase::Press if self.from.is_none() || self.fixed => (self.from, self.to, self.fixed) = (under, under, false),
            Phase::Press | Phase::Drag | Phase::Hover if !self.fixed => self.to = under.filter(|_| self.from.is_some()).or(self.to),
            // A click that stays where it is waits for another one.
            Phase::Release => self.fixed = self.from.is_some() && self.to != self.from,
            Phase::Press | Phase::Drag | Phase::Hover | Phase::Leave => {}
        }
        let document = context.document;
        let told = match (self.ends(), under.filter(|_| input.phase != Phase::Leave)) {
            (Some((from, to)), _) => Some(format!("{} · {}", measured(from, to), facts(document, to))),
            (None, Some(pos)) => Some(facts(document, pos)),
            (None, None) => None,
        };
        ToolResponse { status: told, ..ToolResponse::default() }
    }

    fn is_pending(&self) -> bool {
        self.from.is_some()
    }

    fn cancel(&mut self) -> bool {
        let was_measuring = self.is_pending();
        (self.from, self.to, self.fixed) = (None, None, false);
        was_measuring
    }

    fn makes_something(&self) -> bool {
        false
    }

    /// The second end follows the pointer again, then the first one goes.
    fn step_back(&mut self, _context: &ToolContext<'_>) -> Option<ToolResponse> {
        if std::mem::take(&mut self.fixed) {
            return Some(ToolResponse::default());
        }
        self.cancel().then(ToolResponse::default)
    }

    fn numbers(&self, _context: &ToolContext<'_>) -> GestureNumbers {
        let numbers = self.leg().map_or_else(Vec::new, |leg| leg.numbers());
        GestureNumbers { numbers, first: 0, finishes: false }
    }

    fn set_numbers(&mut self, context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        let Some(leg) = self.leg() else { return ToolResponse::default() };
        let to = leg.end(numbers);
        // What is typed stays where the pointer goes.
        (self.to, self.fixed) = (Some(to), numbers.iter().any(|number| number.typed));
        ToolResponse::status(format!("{} · {}", measured(leg.from, to), facts(context.document, to)))
    }

    fn preview(&self) -> Preview {
        let hovered = self.hovered.shown();
        let Some((from, to)) = self.ends() else { return Preview { hovered, ..Preview::default() } };
        let middle = |pos: VoxelPos| pos.as_vec3() + Vec3::splat(0.5);
        let ends = [from, to].map(|pos| Outline { region: Region::between(pos, pos), team: None, active: !self.fixed });
        let text = length(from, to);
        Preview {
            hovered,
            outlines: ends.to_vec(),
            measures: vec![Measure { from: middle(from), to: middle(to), text }],
            ..Preview::default()
        }
    }
}

impl RulerTool {
    fn leg(&self) -> Option<Leg> {
        let from = self.from?;
        Some(Leg { from, to: self.to.unwrap_or(from), length: LegLength::Distance })
    }

    fn ends(&self) -> Option<(VoxelPos, VoxelPos)> {
        self.from.zip(self.to)
    }
}

/// The voxel under the pointer; the lowest plane where there is none.
fn under(document: &Snapshot, ray: &Ray) -> Option<VoxelPos> {
    let lowest = document.bounds().max().z - 1;
    pick(document.store(), ray).map(|pick| pick.pos.with_z(pick.pos.z.min(lowest)))
}

fn length(from: VoxelPos, to: VoxelPos) -> String {
    format!("{:.1} voxels", (to - from).as_dvec3().length())
}

/// `13.0 voxels · dx 3 dy −4 dz 12 · slope 67°`: z grows downwards.
fn measured(from: VoxelPos, to: VoxelPos) -> String {
    let IVec3 { x, y, z } = to - from;
    let run = (to - from).truncate().as_dvec2().length();
    let slope = f64::from(z.abs()).atan2(run).to_degrees();
    format!("{} · dx {} dy {} dz {} · slope {slope:.0}°", length(from, to), signed(x), signed(y), signed(z))
}

fn signed(number: i32) -> String {
    if number < 0 { format!("−{}", number.unsigned_abs()) } else { number.to_string() }
}

/// `#7a5c3e · 2 open faces · sky above`.
fn facts(document: &Snapshot, pos: VoxelPos) -> String {
    let (store, bounds) = (document.store(), document.bounds());
    if !store.is_solid(pos) {
        return "air".to_owned();
    }
    let is_open = |face: &Face| {
        let beside = pos + face.normal();
        if bounds.contains(beside) { !store.is_solid(beside) } else { beside.z < bounds.min().z }
    };
    let open = match Face::ALL.iter().filter(|face| is_open(face)).count() {
        0 => "hidden".to_owned(),
        1 => "1 open face".to_owned(),
        count => format!("{count} open faces"),
    };
    let sees_sky = (bounds.min().z..pos.z).all(|z| !store.is_solid(pos.with_z(z)));
    let name = if store.paint(pos).is_some() { color_at(document, pos).to_string() } else { "no color of its own".to_owned() };
    format!("{name} · {open} · {}", if sees_sky { "sky above" } else { "covered" })
}
