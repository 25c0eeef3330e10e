//! Teams and objects: a list by team, and the numbers of the selected one.

use egui::{RichText, Sense, Ui};

use crate::document::{Anchor, Document, MarkerRole, Object, ObjectId, SpawnZone, Team};
use crate::edit::{Command, ops};
use crate::editor::{Action, Editor, OpenDocument};
use crate::geom::ColumnRect;
use crate::terrain::Unit;
use crate::ui::icon;
use crate::ui::shell::{Shell, UiAction};
use crate::ui::theme::{self, Theme};
use crate::ui::widget;

/// Problems that are listed.
const MOST_PROBLEMS: usize = 20;
/// Height of the list of things.
const THINGS_HEIGHT: f32 = 220.0;
/// Height of one of its rows.
const ROW_HEIGHT: f32 = 20.0;

/// Content of the section.
pub fn objects_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    let Some(open) = editor.active() else { return };
    let document = open.document();
    let selected = editor.selected_object();
    let teams: &[Option<Team>] = if document.profile.has_teams { &[Some(Team::Blue), Some(Team::Green), None] } else { &[] };
    for team in teams {
        team_ui(ui, theme, document, *team, selected, out);
    }
    if teams.is_empty() {
        things_ui(ui, theme, open, shell, selected, out);
    }
    let shown = ui.scope_id().with("shown object");
    // The numbers of what is selected just now come into sight.
    let is_new = ui.data_mut(|data| std::mem::replace(data.get_temp_mut_or(shown, None), selected) != selected);
    if let Some((id, object)) = selected.and_then(|id| Some((id, shell.object(document, id)?.clone()))) {
        ui.add_space(6.0);
        let numbers = ui.scope(|ui| properties_ui(ui, theme, document, &object));
        if is_new {
            ui.scroll_to_rect(numbers.response.rect, None);
        }
        if let Some(changed) = numbers.inner {
            shell.propose(Command::SetObject(ops::SetObject { id, object: changed }), out);
        }
    } else if document.objects.0.is_empty() && !teams.is_empty() {
        widget::hint(ui, theme, "Take the objects tool (O) and drag a spawn region on the map");
    }
    for problem in open.problems().iter().take(MOST_PROBLEMS) {
        ui.horizontal_wrapped(|ui| {
            icon::sign(ui, "triangle-alert", 12.0, theme.warn, "Problem");
            ui.label(RichText::new(&problem.message).size(theme::SMALL).color(theme.warn));
        });
    }
}

/// The things of a map without teams: thousands, so they are searched, and only what is seen is laid out.
fn things_ui(ui: &mut Ui, theme: &Theme, open: &OpenDocument, shell: &mut Shell, selected: Option<ObjectId>, out: &mut Vec<UiAction>) {
    let document = open.document();
    let edit = ui.add(egui::TextEdit::singleline(&mut shell.object_filter).desired_width(f32::INFINITY).hint_text("Find, e.g. SpawnPoint"));
    edit.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Find things"));
    let key = (open.id(), open.version(), shell.object_filter.trim().to_lowercase());
    if shell.things.as_ref().is_none_or(|(shown, _)| *shown != key) {
        let found = found_things(document, &key.2);
        shell.things = Some((key, found));
    }
    let things = shell.things.as_ref().map_or(&[][..], |(_, things)| things);
    widget::hint(ui, theme, &format!("{} of {}", things.len(), document.objects_here().count()));
    egui::ScrollArea::vertical().id_salt("things").max_height(THINGS_HEIGHT).auto_shrink([false, true]).show_rows(
        ui,
        ROW_HEIGHT,
        things.len(),
        |ui, rows| {
            for id in things.get(rows).unwrap_or_default() {
                if let Some(object) = document.objects.get(*id) {
                    object_row(ui, theme, *id, object, selected == Some(*id), out);
                }
            }
        },
    );
}

/// The things whose name holds the letters; where players appear, which is what is looked for most, comes first.
fn found_things(document: &Document, wanted: &str) -> Vec<ObjectId> {
    let fits =
        |object: &Object| wanted.is_empty() || matches!(object, Object::Marker { label, .. } if label.to_lowercase().contains(wanted));
    let (spawns, others): (Vec<_>, Vec<_>) = document
        .objects_here()
        .filter(|(_, object)| fits(object))
        .partition(|(_, object)| matches!(object, Object::Marker { role: MarkerRole::Spawn, .. }));
    spawns.into_iter().chain(others).map(|(id, _)| id).collect()
}

fn team_ui(ui: &mut Ui, theme: &Theme, document: &Document, team: Option<Team>, selected: Option<ObjectId>, out: &mut Vec<UiAction>) {
    let objects: Vec<_> = document.objects_here().filter(|(_, object)| object.team() == team).collect();
    let default_zone = team
        .filter(|team| document.objects.spawns(*team).next().is_none())
        .and_then(|team| document.profile.default_spawns.iter().find(|zone| zone.team == team));
    if team.is_none() && objects.is_empty() {
        return;
    }
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(egui::vec2(10.0, 18.0), Sense::hover());
        ui.painter().circle_filled(rect.center(), 4.0, theme.team(team));
        ui.label(RichText::new(team.map_or("Nobody's", Team::label)).color(theme.text));
        if let (Some(team), Some(zone)) = (team, default_zone) {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let add = widget::icon_button(ui, theme, "plus", &format!("Add {} spawn region", team.label().to_lowercase()), "", 20.0);
                if add.clicked() {
                    let region = default_region(zone, document);
                    out.push(edit(Command::Spawn(ops::Spawn { team, region, z: 0, replace: false })));
                }
            });
        }
    });
    if let Some(zone) = default_zone {
        let [x0, y0] = zone.min;
        let [x1, y1] = zone.max;
        widget::hint(ui, theme, &format!("    spawns by piqueserver's default: x {x0}–{}, y {y0}–{}", x1 - 1, y1 - 1));
    }
    for (id, object) in objects {
        object_row(ui, theme, id, object, selected == Some(id), out);
    }
}

/// The default zone, or on a map that has nothing there, a third of its columns on the team's side.
fn default_region(zone: &SpawnZone, document: &Document) -> ColumnRect {
    let columns = document.bounds().columns();
    let region = zone.area().intersection(&columns);
    if !region.is_empty() {
        return region;
    }
    let ([x0, y0], [x1, y1]) = (columns.min(), columns.max());
    let third = ((x1 - x0) / 3).max(1);
    match zone.team {
        Team::Blue => ColumnRect::new([x0, y0], [x0 + third, y1]),
        Team::Green => ColumnRect::new([x1 - third, y0], [x1, y1]),
    }
}

fn object_row(ui: &mut Ui, theme: &Theme, id: ObjectId, object: &Object, selected: bool, out: &mut Vec<UiAction>) {
    // The whole row is clicked on; keys reach the name.
    let row = egui::UiBuilder::new().id_salt(("object row", id)).sense(Sense::CLICK);
    let clicked = |row: &egui::Response, out: &mut Vec<UiAction>| {
        if row.double_clicked() {
            out.extend([UiAction::SelectObject(Some(id)), UiAction::FrameObject(id)]);
        } else if row.clicked() {
            out.push(UiAction::SelectObject((!selected).then_some(id)));
        }
    };
    let row = ui.scope_builder(row, |ui| {
        ui.horizontal(|ui| {
            ui.add_space(14.0);
            let team = object.team();
            icon::sign(ui, icon_of(object), 13.0, theme.team(team), team.map_or("No team", Team::label));
            let place = place_of(object);
            let text = RichText::new(kind_of(object)).color(if selected { theme.text } else { theme.text_dim });
            clicked(&ui.selectable_label(selected, text).on_hover_text(format!("{} at {place}", object.label())), out);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if widget::icon_button(ui, theme, "trash-2", &format!("Remove {}", object.label()), "Delete", 20.0).clicked() {
                    out.push(edit(Command::RemoveObject(ops::RemoveObject { id })));
                }
                ui.add(egui::Label::new(RichText::new(place).size(theme::SMALL).color(theme.text_faint)).selectable(false));
            });
        });
    });
    clicked(&row.response, out);
}

fn icon_of(object: &Object) -> &'static str {
    match object {
        Object::SpawnRegion { .. } => "square-dashed",
        Object::SpawnPoint { .. } => "arrow-down-to-dot",
        Object::Base { .. } => "tent",
        Object::Intel { .. } => "briefcase",
        Object::Territory { .. } => "flag",
        Object::Marker { .. } => "map-pin",
    }
}

fn kind_of(object: &Object) -> String {
    match object {
        Object::SpawnRegion { .. } => "Spawn region".into(),
        Object::SpawnPoint { .. } => "Spawn point".into(),
        Object::Base { .. } => "Base".into(),
        Object::Intel { .. } => "Intel".into(),
        Object::Territory { .. } => "Territory".into(),
        Object::Marker { label, .. } => label.to_string(),
    }
}

fn place_of(object: &Object) -> String {
    let [x, y] = object.area().min();
    match object {
        Object::SpawnRegion { area, .. } => {
            let [w, h] = area.size();
            format!("{x}, {y}  {w}×{h}")
        }
        _ => format!("{x}, {y}"),
    }
}

fn edit(command: Command) -> UiAction {
    UiAction::Do(Action::Edit(command))
}

/// Position and size of the selected object, and its owner; answers what it becomes.
fn properties_ui(ui: &mut Ui, theme: &Theme, document: &Document, object: &Object) -> Option<Object> {
    let mut changed = object.clone();
    let bounds = document.bounds();
    let (xs, ys, zs) = ((bounds.min().x, bounds.max().x), (bounds.min().y, bounds.max().y), (bounds.min().z, bounds.max().z - 1));
    ui.label(RichText::new(object.label()).color(theme.text));
    match &mut changed {
        Object::SpawnRegion { area, z, .. } => {
            let ([mut x0, mut y0], [mut x1, mut y1]) = (area.min(), area.max());
            ui.horizontal(|ui| {
                widget::number(ui, "West", &mut x0, xs.0..=x1 - 1, Unit::Plain);
                widget::number(ui, "East", &mut x1, x0 + 1..=xs.1, Unit::Plain);
            });
            ui.horizontal(|ui| {
                widget::number(ui, "North", &mut y0, ys.0..=y1 - 1, Unit::Plain);
                widget::number(ui, "South", &mut y1, y0 + 1..=ys.1, Unit::Plain);
            });
            ui.horizontal(|ui| {
                widget::number(ui, "Ground from z", z, zs.0..=zs.1, Unit::Plain);
                widget::hint(ui, theme, if *z == 0 { "from the sky" } else { "under a roof" });
            });
            *area = ColumnRect::new([x0, y0], [x1, y1]);
        }
        Object::SpawnPoint { at, .. } => {
            ui.horizontal(|ui| {
                widget::number(ui, "x", &mut at.x, xs.0..=xs.1 - 1, Unit::Plain);
                widget::number(ui, "y", &mut at.y, ys.0..=ys.1 - 1, Unit::Plain);
                widget::number(ui, "Ground z", &mut at.z, zs.0..=zs.1, Unit::Plain);
            });
        }
        Object::Base { at, .. } | Object::Intel { at, .. } | Object::Territory { at, .. } | Object::Marker { at, .. } => {
            anchor_ui(ui, document, at, xs, ys, zs)
        }
    }
    if object.team().is_some() || matches!(object, Object::Territory { .. }) {
        owner_ui(ui, theme, &mut changed);
    }
    (changed != *object).then_some(changed)
}

fn anchor_ui(ui: &mut Ui, document: &Document, at: &mut Anchor, xs: (i32, i32), ys: (i32, i32), zs: (i32, i32)) {
    ui.horizontal(|ui| {
        widget::number(ui, "x", &mut at.x, xs.0..=xs.1 - 1, Unit::Plain);
        widget::number(ui, "y", &mut at.y, ys.0..=ys.1 - 1, Unit::Plain);
    });
    ui.horizontal(|ui| {
        let mut on_ground = at.z.is_none();
        if widget::checkbox(ui, &mut on_ground, "On the ground").changed() {
            at.z = if on_ground { None } else { document.store().ground(at.x, at.y, zs.0) };
        }
        if let Some(z) = &mut at.z {
            widget::number(ui, "Ground z", z, zs.0..=zs.1, Unit::Plain);
        }
    });
}

fn owner_ui(ui: &mut Ui, theme: &Theme, object: &mut Object) {
    ui.horizontal(|ui| {
        ui.label("Team");
        let mut owner = object.team();
        let neutral = matches!(object, Object::Territory { .. });
        for choice in [Some(Team::Blue), Some(Team::Green), None] {
            if choice.is_none() && !neutral {
                continue;
            }
            let label = choice.map_or("Neutral", Team::label);
            if widget::segment(ui, theme, label, theme.team(choice), owner == choice).clicked() {
                owner = choice;
            }
        }
        match object {
            Object::SpawnRegion { team, .. } | Object::SpawnPoint { team, .. } | Object::Base { team, .. } | Object::Intel { team, .. } => {
                *team = owner.unwrap_or(*team)
            }
            Object::Territory { owner: current, .. } => *current = owner,
            Object::Marker { .. } => {}
        }
    });
}
