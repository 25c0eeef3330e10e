//! The move tool: drags the selection to another place, or a copy of it.

use glam::{IVec3, Vec3};

use super::pick::{along_axis, plane_point};
use super::planned::planned;
use super::{HoverPick, Outline, Phase, PointerInput, Preview, Tool, ToolContext, ToolResponse, ToolSpec, pick_with_alt};
use crate::document::Snapshot;
use crate::edit::Command;
use crate::edit::ops::{CopySelection, MoveSelection};
use crate::geom::{Face, Ray, Region};
use crate::voxel::{Store, raycast};

/// Voxels of a selection that moves live; of larger ones only the box does until the release.
const LIVE_VOXELS: u64 = 400_000;

/// The entry of the registry.
pub const MOVE: ToolSpec = ToolSpec {
    id: "move",
    label: "Move",
    key: 'M',
    icon: "move",
    help: "Moves or copies the selected voxels",
    hint: "Drag a side of the selection along its plane · Shift up and down · Ctrl copies · Arrows nudge · Alt picks",
    options: &[],
    make: || Box::<MoveTool>::default(),
};

#[derive(Debug, Default)]
struct MoveTool {
    hovered: HoverPick,
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    /// The document as it was at the press.
    document: Snapshot,
    selection: Region,
    /// Where the selection was taken hold of, and the face whose plane it slides on.
    from: Vec3,
    held: IVec3,
    face: Face,
    by: IVec3,
    copy: bool,
    store: Option<Store>,
}

impl Tool for MoveTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        match input.phase {
            Phase::Hover | Phase::Leave => ToolResponse::default(),
            Phase::Press => self.press(context, input),
            Phase::Drag => self.drag(input),
            Phase::Release => {
                self.drag(input);
                self.finish()
            }
        }
    }

    fn cancel(&mut self) -> bool {
        self.pending.take().is_some()
    }

    fn preview(&self) -> Preview {
        let Some(pending) = &self.pending else { return Preview { hovered: self.hovered.shown(), ..Preview::default() } };
        Preview {
            outlines: vec![Outline { region: pending.selection.shifted(pending.by), team: None, active: true }],
            store: pending.store.clone(),
            size: Some(by_text(pending.by)),
            ..Preview::default()
        }
    }
}

impl MoveTool {
    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        self.pending = None;
        let document = context.document.clone();
        let Some(selection) = document.selection else { return ToolResponse::status("Nothing is selected: drag a box with Select (N)") };
        let Some((from, held, face)) = hold(&document, &selection, &input.ray_in_world) else {
            return ToolResponse::status("Nothing there");
        };
        let copy = input.modifiers.ctrl;
        self.pending = Some(Pending { document, selection, from, held, face, by: IVec3::ZERO, copy, store: None });
        ToolResponse::default()
    }

    fn drag(&mut self, input: &PointerInput) -> ToolResponse {
        let Some(pending) = &mut self.pending else { return ToolResponse::default() };
        let by = pending.offset(&input.ray_in_world, input.modifiers.shift);
        if by == pending.by && input.modifiers.ctrl == pending.copy {
            return ToolResponse::default();
        }
        (pending.by, pending.copy) = (by, input.modifiers.ctrl);
        let shows = input.phase == Phase::Drag && by != IVec3::ZERO && pending.selection.volume() <= LIVE_VOXELS;
        pending.store = if shows { planned(&pending.document, &pending.command()).map(|planned| planned.store) } else { None };
        ToolResponse::status(if pending.copy { format!("Copy {}", by_text(by)) } else { by_text(by) })
    }

    fn finish(&mut self) -> ToolResponse {
        let Some(pending) = self.pending.take() else { return ToolResponse::default() };
        if pending.by == IVec3::ZERO { ToolResponse::default() } else { ToolResponse::command(pending.command()) }
    }
}

impl Pending {
    fn command(&self) -> Command {
        if self.copy {
            Command::CopySelection(CopySelection { by: self.by })
        } else {
            Command::MoveSelection(MoveSelection { by: self.by })
        }
    }

    /// How far the ray drags the selection; a part of it stays in the map.
    fn offset(&self, ray: &Ray, vertical: bool) -> IVec3 {
        let by = if vertical {
            along_axis(ray, self.from, IVec3::Z).map(|z| Vec3::Z * z)
        } else {
            plane_point(ray, self.held, self.face).map(|point| (point - self.from) * (IVec3::ONE - self.face.normal().abs()).as_vec3())
        };
        let Some(by) = by else { return self.by };
        let bounds = self.document.bounds();
        let (low, high) = (bounds.min() - self.selection.max() + 1, bounds.max() - self.selection.min() - 1);
        by.round().as_ivec3().clamp(low.min(IVec3::ZERO), high.max(IVec3::ZERO))
    }
}

/// Where the ray takes hold: a side of the selection's box, else the ground beside it. The point, a voxel and the face
/// of it on whose plane the point lies.
fn hold(document: &Snapshot, selection: &Region, ray: &Ray) -> Option<(Vec3, IVec3, Face)> {
    let (min, max) = (selection.min().as_vec3(), selection.max().as_vec3());
    let side = ray.clip_to_box(min, max).filter(|(enter, _)| *enter > 0.0).and_then(|(enter, _)| {
        let point = ray.at(enter);
        let off = |face: &Face| {
            let axis = face.axis().index();
            (point[axis] - if face.normal()[axis] > 0 { max[axis] } else { min[axis] }).abs()
        };
        let facing = Face::ALL.into_iter().filter(|face| face.normal().as_vec3().dot(ray.direction) < 0.0);
        let face = facing.min_by(|a, b| off(a).total_cmp(&off(b)))?;
        let held = if face.normal().min_element() < 0 { selection.min() } else { selection.max() - 1 };
        Some((point, held, face))
    });
    side.or_else(|| {
        let hit = raycast(document.store(), ray)?;
        Some((plane_point(ray, hit.pos, hit.face)?, hit.pos, hit.face))
    })
}

/// `+3, 0, −2`.
fn by_text(by: IVec3) -> String {
    let signed = |value: i32| match value {
        0 => "0".to_owned(),
        1.. => format!("+{value}"),
        ..0 => format!("−{}", value.unsigned_abs()),
    };
    format!("{}, {}, {}", signed(by.x), signed(by.y), signed(by.z))
}
