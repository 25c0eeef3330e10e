//! The box of the select tool: its footprint is dragged, its height pulled.

use glam::IVec3;

use crate::document::{Combine, Selection, Snapshot};
use crate::edit::Command;
use crate::edit::ops::Select;
use crate::geom::{Axis, Region};
use crate::tool::box_gesture::{BoxGesture, BoxStep};
use crate::tool::object_shape::relief;
use crate::tool::pick::pick;
use crate::tool::{GestureNumbers, Outline, Phase, PointerInput, Preview, ToolContext, TypedNumber, ghost};

/// What an event did.
pub enum Step {
    /// The box may have changed: what to say.
    Status(Option<String>),
    /// It was a click without a drag.
    Clicked,
    /// The box is done.
    Finished,
}

/// A box that is being spanned.
#[derive(Debug)]
pub struct Area {
    /// The document as it was at the press.
    document: Snapshot,
    gesture: BoxGesture,
    combine: Combine,
    /// Whether it takes all heights of the map.
    tall: bool,
    /// The box as it would be selected.
    region: Region,
    /// From and to which layer it reaches once it was moved up or down, and not to the ground.
    lifted: Option<[i32; 2]>,
}

impl Area {
    /// Begins at what the ray meets; nothing where it meets nothing.
    pub fn begin(context: &ToolContext<'_>, input: &PointerInput, combine: Combine) -> Option<Self> {
        let document = context.document.clone();
        let bounds = document.bounds();
        let from = pick(document.store(), &input.ray_in_world)?;
        let anchor = if from.solid { from.pos } else { from.beside() };
        if !bounds.contains(anchor) {
            return None;
        }
        let gesture = BoxGesture::new(bounds, anchor, from.pos, from.face, false).rising();
        let region = gesture.region();
        Some(Self { document, gesture, combine, tall: context.settings.select_tall, region, lifted: None })
    }

    /// Follows the pointer.
    pub fn pointer(&mut self, input: &PointerInput) -> Step {
        // The button that laid the footprint a second time goes up when the height is pulled already.
        let ended = input.phase == Phase::Release && !self.gesture.pulls_height();
        let step = self.gesture.pointer(input);
        if ended && !self.gesture.is_dragged() {
            return Step::Clicked;
        }
        if step == BoxStep::Finished || (ended && self.tall) {
            return Step::Finished;
        }
        if step == BoxStep::Moved || ended {
            self.update();
            return Step::Status(Some(self.text()));
        }
        Step::Status(None)
    }

    /// Goes from the height back to the footprint; answers whether it was there.
    pub fn step_back(&mut self) -> bool {
        let pulled = self.gesture.step_back();
        if pulled {
            self.lifted = None;
            self.update();
        }
        pulled
    }

    /// Moves the box, as far as the map goes.
    pub fn shift(&mut self, by: IVec3) {
        if by.z == 0 || self.tall {
            self.gesture.shift(by, false);
            return self.update();
        }
        // Lifted as it is, it does not reach back to the ground.
        let (bounds, from, to) = (self.document.bounds(), self.region.min().z, self.region.max().z);
        let rise = by.z.clamp((bounds.min().z - from).min(0), (bounds.max().z - to).max(0));
        self.gesture.shift(by.with_z(rise), false);
        self.lifted = Some([from + rise, to + rise]);
        self.update();
    }

    fn update(&mut self) {
        if self.gesture.height() != 0 || self.gesture.has_typed_height() {
            self.lifted = None;
        }
        self.region = selected(&self.document, &self.gesture, self.tall);
        if let Some([from, to]) = self.lifted {
            self.region = Region::new(self.region.min().with_z(from), self.region.max().with_z(to));
        }
    }

    /// Whether Enter finishes it.
    pub fn is_ready(&self) -> bool {
        self.gesture.is_ready()
    }

    /// The sizes of the box.
    pub fn numbers(&self) -> GestureNumbers {
        let mut numbers = self.gesture.numbers(&self.region);
        if self.tall {
            numbers.numbers.truncate(2);
        }
        numbers
    }

    /// Takes sizes that were typed.
    pub fn set_numbers(&mut self, numbers: &[TypedNumber]) {
        self.gesture.set_numbers(numbers, false);
        self.update();
    }

    /// The box as it was dragged.
    pub fn region(&self) -> Region {
        self.gesture.region()
    }

    /// How it joins what is selected.
    pub fn combine(&self) -> Combine {
        self.combine
    }

    /// Its size in words.
    pub fn size(&self) -> String {
        ghost::size_text(&self.region)
    }

    /// The same, and how the gesture ends once the footprint is there.
    pub fn text(&self) -> String {
        let size = self.size();
        if self.gesture.pulls_height() { format!("{size} · Move for the height, click or Enter selects · Esc goes back") } else { size }
    }

    /// What selects it; nothing where that would change nothing.
    pub fn command(&self, document: &Snapshot) -> Option<Command> {
        let region = self.region;
        let same = self.combine == Combine::Replace && document.selection.as_ref().and_then(Selection::as_region) == Some(region);
        (!same && !region.is_empty()).then_some(Command::Select(Select { region: Some(region), combine: self.combine }))
    }

    /// The box as it is.
    pub fn preview(&self) -> Preview {
        let outline = Outline { region: self.region, team: None, active: true };
        Preview { outlines: vec![outline], size: Some(self.size()), ..Preview::default() }
    }
}

/// The box that a gesture selects: while no height was pulled, from the highest ground of the footprint to the lowest.
fn selected(document: &Snapshot, gesture: &BoxGesture, tall: bool) -> Region {
    let region = gesture.region();
    let bounds = document.bounds();
    if tall {
        return Region::new(region.min().with_z(bounds.min().z), region.max().with_z(bounds.max().z));
    }
    if gesture.face().axis() != Axis::Z || gesture.height() != 0 || gesture.has_typed_height() || !gesture.pulls_height() {
        return region;
    }
    match relief(document.store(), &region.columns(), [1, 1]) {
        Some((top, bottom)) => {
            Region::new(region.min().with_z(top.min(region.min().z)), region.max().with_z(region.max().z.max(bottom + 1)))
        }
        None => region,
    }
}
