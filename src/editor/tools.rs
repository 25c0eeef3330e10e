//! The active tool with its settings.

use super::entry::{EntryKey, NumberEntry};
use crate::document::{ObjectId, Snapshot};
use crate::edit::ops::TransformSelection;
use crate::edit::{Clip, Command, EditError, Mode};
use crate::tool::{
    self, ClipPlace, ClipTurn, GestureNumbers, Gizmo, Phase, Planned, PointerInput, Preview, TOOLS, Tool, ToolContext, ToolOption,
    ToolResponse, ToolSettings, ToolSpec, TransformNumber, TurnedClip, TypedNumber,
};

/// The tool that selects objects.
pub(super) const OBJECT_TOOL: &str = "objects";

/// The tool whose transform of the selection waits for Enter.
pub(super) const TRANSFORM_TOOL: &str = "move";

/// What became of a pending gesture as another tool was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutAway {
    /// There was none, or nothing is lost by it.
    Nothing,
    /// It is gone, and would have made something.
    Dropped,
    /// It goes on once the tool is taken again.
    Waits,
}

/// Tools with which something was begun on a map, while another one is in front.
pub struct LeftTools {
    spec: &'static ToolSpec,
    tool: Box<dyn Tool>,
    aside: Option<(&'static str, Box<dyn Tool>)>,
    transform: TransformSelection,
}

impl LeftTools {
    /// As [`ActiveTool::begun`].
    pub fn begun(&self) -> Vec<&'static str> {
        begun(self.spec, &*self.tool, self.aside.as_ref())
    }
}

impl std::fmt::Debug for LeftTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LeftTools").field("begun", &self.begun()).finish_non_exhaustive()
    }
}

/// The names of the tools whose pending gestures would change the map: of the one in the hand, and of the one that waits.
fn begun(spec: &ToolSpec, tool: &dyn Tool, aside: Option<&(&'static str, Box<dyn Tool>)>) -> Vec<&'static str> {
    let waiting = aside.filter(|(_, tool)| has_begun(&**tool)).and_then(|(id, _)| tool::tool(id)).map(|spec| spec.label);
    has_begun(tool).then_some(spec.label).into_iter().chain(waiting).collect()
}

/// Whether the pending gesture of a tool would change the map.
fn has_begun(tool: &dyn Tool) -> bool {
    tool.is_pending() && tool.makes_something() && !tool.only_selects()
}

/// The tool in the hand, and the settings that all tools share.
pub struct ActiveTool {
    spec: &'static ToolSpec,
    tool: Box<dyn Tool>,
    /// The tool that Esc goes back to.
    before: Option<&'static str>,
    /// A tool that waits with what was begun with it, until it is taken again.
    aside: Option<(&'static str, Box<dyn Tool>)>,
    /// Numbers that are being typed for the pending gesture. Meanwhile the pointer does not move it.
    entry: Option<NumberEntry>,
    /// Whether the button went up while numbers were typed: the drag goes on without it, until a click.
    adrift: bool,
    /// Whether typing ended while the button was down: the rest of that drag means nothing.
    spent: bool,
    /// Whether the button is down.
    down: bool,
    /// What the option row says.
    pub settings: ToolSettings,
}

impl Default for ActiveTool {
    fn default() -> Self {
        let spec = TOOLS[0];
        Self {
            spec,
            tool: (spec.make)(),
            before: None,
            aside: None,
            entry: None,
            adrift: false,
            spent: false,
            down: false,
            settings: ToolSettings::default(),
        }
    }
}

impl ActiveTool {
    /// What is known about it.
    pub fn spec(&self) -> &'static ToolSpec {
        self.spec
    }

    /// Takes another tool, or one that waits, and answers what became of the pending gesture of the old one. Unknown ids are ignored.
    pub fn select(&mut self, id: &str) -> PutAway {
        let Some(spec) = tool::tool(id).filter(|spec| spec.id != self.spec.id) else { return PutAway::Nothing };
        let waiting = self.aside.take_if(|(of, _)| *of == spec.id);
        let makes_something = self.tool.makes_something();
        let put_away = match self.tool.put_away() {
            true => PutAway::Waits,
            false if self.cancel() && makes_something => PutAway::Dropped,
            false => PutAway::Nothing,
        };
        (self.entry, self.adrift) = (None, false);
        let old = std::mem::replace(&mut self.tool, waiting.map_or_else(spec.make, |(_, tool)| tool));
        if put_away == PutAway::Waits {
            self.aside = Some((self.spec.id, old));
        }
        self.before = Some(self.spec.id);
        self.spec = spec;
        put_away
    }

    /// Takes the tool again that was in the hand before this one, once; answers whether there was one.
    pub fn put_back(&mut self) -> bool {
        let Some(before) = self.before.take() else { return false };
        self.select(before);
        // Esc does not go to and fro between two tools.
        self.before = None;
        true
    }

    /// Hands the tool a pointer event; a picked colour becomes the active one.
    pub fn pointer(&mut self, document: &Snapshot, input: &PointerInput) -> ToolResponse {
        match input.phase {
            Phase::Press => self.down = true,
            Phase::Release | Phase::Hover => self.down = false,
            Phase::Drag | Phase::Leave => {}
        }
        if self.entry.is_some() {
            if input.phase == Phase::Release
                && let Some(entry) = &mut self.entry
            {
                self.adrift = true;
                entry.go_on();
            }
            return if input.phase == Phase::Press { self.enter(document) } else { ToolResponse::default() };
        }
        let spent = self.spent && matches!(input.phase, Phase::Drag | Phase::Release);
        self.spent = spent && input.phase == Phase::Drag;
        if spent {
            return ToolResponse::default();
        }
        self.adrift &= !self.numbers(document).numbers.is_empty();
        let phase = match input.phase {
            Phase::Hover | Phase::Press if self.adrift => Phase::Drag,
            // A drag that the pointer leaves waits for it.
            Phase::Leave if self.adrift => return ToolResponse::default(),
            phase => phase,
        };
        self.adrift &= phase != Phase::Release;
        let response = self.tool.pointer(&ToolContext { document, settings: &self.settings }, &PointerInput { phase, ..*input });
        if let Some(color) = response.picked {
            self.set_settings(Some(document), ToolSettings { color, ..self.settings.clone() });
        }
        if let Some(level) = response.picked_level {
            self.set_settings(Some(document), ToolSettings { sculpt_level: Some(level), ..self.settings.clone() });
        }
        self.take_transform(&response);
        response
    }

    /// Switches between add, remove and paint. Stamps know no mode: the key of the one that removes turns them.
    pub fn set_mode(&mut self, document: Option<&Snapshot>, mode: Mode) {
        let mut settings = self.settings.clone();
        if mode == Mode::Remove && self.spec.options.contains(&ToolOption::Stamp) {
            settings.stamp.turn = (settings.stamp.turn + 1) % 4;
        } else {
            settings.mode = mode;
        }
        self.set_settings(document, settings);
    }

    /// Takes other settings; a pending gesture follows them.
    pub fn set_settings(&mut self, document: Option<&Snapshot>, settings: ToolSettings) {
        self.settings = settings;
        if let Some(document) = document {
            self.tool.follow(&ToolContext { document, settings: &self.settings });
        }
    }

    /// Ends a gesture that waits for Enter; of numbers that are typed for a gesture that goes on, only the typing.
    pub fn confirm(&mut self, document: &Snapshot) -> ToolResponse {
        self.enter(document)
    }

    /// Whether the pending gesture would select something if it ended now.
    pub fn selects(&self) -> bool {
        self.tool.selects()
    }

    fn enter(&mut self, document: &Snapshot) -> ToolResponse {
        self.spent = self.entry.take().is_some();
        let goes_on = self.spent && !self.numbers(document).finishes;
        self.adrift = false;
        if goes_on {
            return ToolResponse::default();
        }
        let response = self.tool.confirm(&ToolContext { document, settings: &self.settings });
        self.take_transform(&response);
        response
    }

    /// The numbers of the pending gesture; none where nothing with numbers is pending.
    pub fn numbers(&self, document: &Snapshot) -> GestureNumbers {
        self.tool.numbers(&ToolContext { document, settings: &self.settings })
    }

    /// What was typed of them; `None` while nobody types.
    pub fn entry(&self) -> Option<&NumberEntry> {
        self.entry.as_ref()
    }

    /// Hands a key to the numbers of the pending gesture; answers whether there are any.
    pub fn type_number(&mut self, document: &Snapshot, key: EntryKey) -> bool {
        let numbers = self.numbers(document);
        if numbers.numbers.is_empty() || (self.entry.is_none() && !key.begins()) {
            self.entry = None;
            return false;
        }
        let entry = self.entry.get_or_insert_with(|| NumberEntry::new(&numbers));
        match key {
            EntryKey::Axis(axis) => {
                entry.go_to(axis, &numbers);
                if numbers.numbers.get(entry.at()).is_some_and(|number| number.name.starts_with("Scale")) {
                    let context = ToolContext { document, settings: &self.settings };
                    self.tool.await_numbers(&context, TransformNumber::OneScale);
                }
            }
            key => entry.press(key),
        }
        let (typed, is_empty) = (entry.typed(&numbers), entry.is_empty());
        if is_empty && key == EntryKey::Erase {
            self.entry = None;
        }
        self.set_numbers(document, &typed);
        true
    }

    /// Offers the numbers of the tool, that one first.
    pub fn await_numbers(&mut self, document: &Snapshot, first: TransformNumber) {
        self.entry = None;
        self.tool.await_numbers(&ToolContext { document, settings: &self.settings }, first);
    }

    /// Whether numbers are offered before the pointer did anything.
    pub fn awaits_numbers(&self, document: &Snapshot) -> bool {
        self.tool.awaits_numbers(&ToolContext { document, settings: &self.settings })
    }

    fn set_numbers(&mut self, document: &Snapshot, numbers: &[TypedNumber]) {
        let response = self.tool.set_numbers(&ToolContext { document, settings: &self.settings }, numbers);
        self.take_transform(&response);
    }

    /// Whether a gesture is pending that looks at the map and changes nothing: a measurement.
    pub fn only_looks(&self) -> bool {
        self.tool.is_pending() && !self.tool.makes_something()
    }

    /// Whether a gesture is pending that makes something once it ends; one that only looks does not.
    pub fn makes_something(&self) -> bool {
        self.tool.is_pending() && self.tool.makes_something()
    }

    /// Drops the pending gesture; answers whether there was one.
    pub fn cancel(&mut self) -> bool {
        self.settings.transform = TransformSelection::default();
        (self.entry, self.adrift) = (None, false);
        self.tool.cancel()
    }

    /// Takes the last step of the pending gesture back, numbers that are typed first; answers whether there was one.
    pub fn step_back(&mut self, document: &Snapshot) -> bool {
        if let Some(entry) = self.entry.take() {
            self.set_numbers(document, &entry.untyped());
            return true;
        }
        let response = self.tool.step_back(&ToolContext { document, settings: &self.settings });
        response.inspect(|response| self.take_transform(response)).is_some()
    }

    /// Takes away the last piece of the pending gesture; answers whether there was one.
    pub fn erase(&mut self) -> bool {
        // A clip that lies loose is dropped with all that was done to it.
        if self.has_clip() { self.cancel() } else { self.tool.erase() }
    }

    /// Whether the pending gesture goes along every turn of the pointer, and not only to where it stands.
    pub fn follows_way(&self) -> bool {
        self.tool.follows_way()
    }

    /// Whether the preview shows less than the gesture did so far.
    pub fn is_behind(&self) -> bool {
        self.tool.is_behind()
    }

    /// Draws what was left over of the preview, as much as fits into a frame.
    pub fn go_on(&mut self) {
        self.tool.go_on();
    }

    /// The command whose outcome the tool wants to show.
    pub fn wanted(&self) -> Option<Command> {
        self.tool.wanted()
    }

    /// Hands the tool what the command that it wanted would do, or why it cannot be done.
    pub fn take_planned(&mut self, planned: Result<Option<Planned>, EditError>) {
        match planned {
            Ok(planned) => self.tool.take_planned(planned),
            // What was shown before stays.
            Err(EditError::Cancelled(_)) => {}
            Err(trouble) => {
                self.tool.take_planned(None);
                self.tool.take_trouble(&trouble);
            }
        }
    }

    /// Whether the selection has a transform that waits for Enter.
    pub fn transforms(&self) -> bool {
        self.has_clip() || (self.can_transform() && !self.settings.transform.is_identity())
    }

    /// Whether what is pending can be moved by the arrows.
    pub fn can_nudge(&self) -> bool {
        self.tool.can_nudge()
    }

    /// Moves what is pending.
    pub fn nudge(&mut self, by: glam::IVec3) {
        self.tool.nudge(by);
    }

    /// Whether it is the tool that shows a transform of the selection before it is applied.
    pub fn can_transform(&self) -> bool {
        self.spec.id == TRANSFORM_TOOL
    }

    /// Whether something that was pasted waits for Enter.
    pub fn has_clip(&self) -> bool {
        self.tool.has_clip()
    }

    /// Lays a clip loose until Enter. The tool that moves things has to be in the hand; what it had begun is dropped.
    pub fn take_clip(&mut self, document: &Snapshot, clip: Clip, place: ClipPlace) {
        self.cancel();
        self.tool.take_clip(&ToolContext { document, settings: &self.settings }, clip, place);
    }

    /// What the loose clip is to become before more can be shown or done.
    pub fn clip_to_turn(&self) -> Option<ClipTurn> {
        self.tool.clip_to_turn()
    }

    /// Hands the tool what the loose clip became; answers what waited for that.
    pub fn take_turned(&mut self, document: &Snapshot, turned: TurnedClip) -> ToolResponse {
        let response = self.tool.take_turned(&ToolContext { document, settings: &self.settings }, turned);
        self.take_transform(&response);
        response
    }

    fn take_transform(&mut self, response: &ToolResponse) {
        if let Some(transform) = &response.transform {
            self.settings.transform = transform.clone();
        }
    }

    /// The names of the tools with which something was begun that is not in the map yet, and that Enter would put there; of one that
    /// waits last. What would only be selected does not count.
    pub fn begun(&self) -> Vec<&'static str> {
        begun(self.spec, &*self.tool, self.aside.as_ref())
    }

    /// Whether that was begun with the tool in the hand.
    pub fn has_begun(&self) -> bool {
        has_begun(&*self.tool)
    }

    /// The tool that waits with what was begun with it.
    pub fn waiting(&self) -> Option<&'static str> {
        self.aside.as_ref().map(|(id, _)| *id)
    }

    /// Gives away what was begun, as another map comes to the front; answers also whether something was dropped: what the button
    /// holds does not outlast it.
    pub fn leave(&mut self, document: &Snapshot) -> (Option<LeftTools>, bool) {
        let (was_begun, is_held) = (self.tool.is_pending() && self.tool.makes_something(), self.down || self.adrift);
        self.entry = None;
        if is_held {
            self.step_back(document);
        }
        (self.spent, self.adrift) = (self.down, false);
        let is_pending = self.tool.is_pending();
        let left = (is_pending || self.aside.is_some()).then(|| LeftTools {
            spec: self.spec,
            tool: std::mem::replace(&mut self.tool, (self.spec.make)()),
            aside: self.aside.take(),
            transform: std::mem::take(&mut self.settings.transform),
        });
        self.renew();
        (left, was_begun && !is_pending)
    }

    /// Goes on with what was begun on a map that comes to the front again.
    pub fn return_to(&mut self, document: &Snapshot, left: LeftTools) {
        let LeftTools { spec, tool, aside, transform } = left;
        self.aside = aside;
        if tool.is_pending() {
            if spec.id != self.spec.id {
                self.before = Some(self.spec.id);
            }
            (self.spec, self.tool, self.settings.transform) = (spec, tool, transform);
        } else if let Some((_, waiting)) = self.aside.take_if(|(id, _)| *id == self.spec.id) {
            self.tool = waiting;
        }
        // The option row may say something else by now.
        self.tool.follow(&ToolContext { document, settings: &self.settings });
    }

    /// Puts a fresh tool of the same kind in the hand: nothing of another document is left in it.
    pub fn renew(&mut self) {
        self.cancel();
        (self.tool, self.aside) = ((self.spec.make)(), None);
    }

    /// Selects an object, where the tool that has objects is in the hand; `None` selects none.
    pub fn select_object(&mut self, id: Option<ObjectId>) {
        self.tool.select_object(id);
    }

    /// What the pointer and the modifiers do, as the option row is set.
    pub fn hint(&self) -> &'static str {
        self.tool.hint(&self.settings).unwrap_or(self.spec.hint)
    }

    /// What to show on top of the map.
    pub fn preview(&self) -> Preview {
        self.tool.preview()
    }

    /// What the selection, or what is made of it, can be taken hold of by.
    pub fn gizmo(&self, document: &Snapshot) -> Option<Gizmo> {
        self.tool.gizmo(&ToolContext { document, settings: &self.settings })
    }
}

impl std::fmt::Debug for ActiveTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ActiveTool").field("tool", &self.spec.id).field("settings", &self.settings).finish_non_exhaustive()
    }
}
