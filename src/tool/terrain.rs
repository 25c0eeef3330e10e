//! The terrain tool: has a generator work on the selected columns or the whole map.

use super::planned::Planned;
use super::{HoverPick, Outline, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use super::{ToolSettings, pick_with_alt};
use crate::document::Snapshot;
use crate::edit::Command;
use crate::edit::ops::Terrain;
use crate::geom::{ColumnRect, Region};

/// The entry of the registry.
pub const TERRAIN: ToolSpec = ToolSpec {
    id: "terrain",
    label: "Terrain",
    key: 'E',
    icon: "trees",
    help: "Makes hills, valleys, rivers, trees or erosion on the selection or the whole map",
    hint: "Click or Enter shows it on the selection or the whole map · once more makes it · Esc drops · Alt picks",
    options: &[ToolOption::Terrain],
    make: || Box::<TerrainTool>::default(),
};

#[derive(Debug, Default)]
struct TerrainTool {
    hovered: HoverPick,
    pending: Option<Pending>,
    /// What the next click would do.
    planned: Option<Planned>,
    /// Whether that is worked out, also where it does nothing.
    is_planned: bool,
}

#[derive(Debug)]
struct Pending {
    op: Terrain,
    /// The columns that it works on, from the sky to the floor.
    region: Region,
}

impl Tool for TerrainTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        match (&self.pending, input.phase) {
            (Some(_), Phase::Press) => self.confirm(context),
            (Some(_), _) | (None, Phase::Press) => {
                self.take_pending(context);
                ToolResponse::default()
            }
            (None, _) => ToolResponse::default(),
        }
    }

    fn hint(&self, _settings: &ToolSettings) -> Option<&'static str> {
        self.pending.as_ref()?;
        Some(match self.is_planned {
            true => "Click again or Enter makes it · Esc drops it",
            false => "Working out what it would look like · Click again or Enter makes it · Esc drops it",
        })
    }

    fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    fn cancel(&mut self) -> bool {
        self.planned = None;
        self.pending.take().is_some()
    }

    fn confirm(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        self.planned = None;
        if self.pending.take().is_none() {
            self.take_pending(context);
            return ToolResponse::default();
        }
        ToolResponse::command(Command::Terrain(Pending::of(context).op))
    }

    fn wanted(&self) -> Option<Command> {
        self.pending.as_ref().map(|pending| Command::Terrain(pending.op.clone()))
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        let wanted = self.wanted();
        // What was begun before its settings changed says nothing of these; the next one is under way.
        self.is_planned = planned.as_ref().is_none_or(|planned| wanted.as_ref() == Some(&planned.command));
        self.planned = planned;
    }

    fn preview(&self) -> Preview {
        let Some(Pending { region, .. }) = self.pending else { return Preview { hovered: self.hovered.shown(), ..Preview::default() } };
        Preview {
            hovered: self.hovered.shown(),
            store: self.planned.clone().map(|planned| planned.store),
            outlines: vec![Outline { region, team: None, active: true }],
            ..Preview::default()
        }
    }
}

impl TerrainTool {
    /// Begins, or goes on with other settings.
    fn take_pending(&mut self, context: &ToolContext<'_>) {
        let pending = Pending::of(context);
        self.is_planned &= self.pending.as_ref().is_some_and(|before| before.op == pending.op);
        self.pending = Some(pending);
    }
}

impl Pending {
    /// As the option row and the selection say.
    fn of(context: &ToolContext<'_>) -> Self {
        let settings = &context.settings.terrain;
        let area = selected(context.document);
        let op = Terrain {
            generator: settings.generator.to_owned(),
            seed: settings.seed,
            values: settings.values.clone(),
            area,
            fade: settings.fade,
        };
        let bounds = context.document.bounds();
        let columns = area.unwrap_or(bounds.columns());
        let ([x, y], [to_x, to_y]) = (columns.min(), columns.max());
        Self { op, region: Region::new(bounds.min().with_x(x).with_y(y), bounds.max().with_x(to_x).with_y(to_y)) }
    }
}

/// The columns of the selection that lie in the map.
fn selected(document: &Snapshot) -> Option<ColumnRect> {
    let columns = document.selection.as_ref()?.bounds().columns().intersection(&document.bounds().columns());
    (!columns.is_empty()).then_some(columns)
}
