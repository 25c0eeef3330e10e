//! What the command palette finds besides actions: values of the tool's options and of the other tools' kinds, masks,
//! symmetry, healing, colors.

use std::collections::BTreeSet;

use super::{Does, Entry};
use crate::document::{Masks, Matter, Symmetry, SymmetryKind, Team};
use crate::edit::Command;
use crate::edit::ops::{Heal, SetMasks, SetSymmetry};
use crate::editor::keymap::{KeymapSettings, PRESETS, Preset};
use crate::editor::{Action, Editor, PictureUse};
use crate::tool::{Choice, NewObject, ObjectKind, TOOLS, ToolOption, ToolSettings, ToolSpec};
use crate::ui::file_dialogs::FileQuestion;
use crate::ui::panel::known_colors;
use crate::ui::scope::{TEAM_COLORS, parts_of};
use crate::ui::shell::{Shell, UiAction};
use crate::ui::tool_bar::picture_of;
use crate::voxel::Rgb;

/// Whatever a person may set by name; a number or color at the end of the query is a value.
pub fn entries(editor: &Editor, shell: &Shell, query: &str) -> Vec<Entry> {
    let number = query.split_whitespace().last().and_then(|word| word.parse().ok());
    let mut entries = of_tools(editor, number);
    let spec = editor.tool.spec();
    let tip = spec.options.contains(&ToolOption::BrushShape).then_some((PictureUse::Brush, "Tip: Choose a picture…"));
    entries.extend(
        picture_of(spec, &editor.tool.settings)
            .or(tip)
            .map(|(usage, label)| line(label, "image png decal tip", vec![UiAction::AskFile(FileQuestion::Picture(usage))])),
    );
    entries.extend(of_teams(&editor.tool.settings));
    entries.extend(editor.library().iter().map(|entry| {
        line(format!("Stamp: {}", entry.name), "model prefab", vec![UiAction::Do(Action::ChooseStamp(entry.source.clone()))])
    }));
    if let Some(open) = editor.active() {
        let document = open.document();
        entries.extend(of_symmetry(&document.symmetry, shell));
        let bounds = document.bounds();
        let heights = [bounds.min().z, bounds.max().z - 1];
        entries.extend(of_masks(&document.masks, heights, editor.tool.settings.color, number));
    }
    entries.extend(of_colors(editor, query));
    entries.extend(of_keymaps(&editor.settings.keymap));
    entries
}

/// The keys of other editors.
fn of_keymaps(before: &KeymapSettings) -> Vec<Entry> {
    let entry = |preset: &Preset| {
        let settings = KeymapSettings { preset: preset.id.to_owned(), ..before.clone() };
        let entry = line(format!("Keys as in {}", preset.label), "keymap preset shortcuts", vec![UiAction::SetKeymap(settings)]);
        if preset.id == before.preset { Entry { keys: "These are the keys".into(), is_enabled: false, ..entry } } else { entry }
    };
    PRESETS.iter().map(entry).collect()
}

fn line(label: impl Into<String>, also: &str, actions: Vec<UiAction>) -> Entry {
    Entry { label: label.into(), keys: String::new(), is_enabled: true, also: also.to_owned(), does: Does::Actions(actions) }
}

fn begun(name: &str, also: &str) -> Entry {
    let does = Does::Completes(format!("{name} "));
    Entry { label: format!("{name} …"), keys: String::new(), is_enabled: true, also: also.to_owned(), does }
}

fn switch(name: &str, is_on: bool, action: UiAction) -> Entry {
    line(format!("{name}: {}", if is_on { "off" } else { "on" }), "", vec![action])
}

/// What the tool in the hand can be set to, and what the others make. What a tool makes has the same name in every hand.
fn of_tools(editor: &Editor, number: Option<i64>) -> Vec<Entry> {
    let (spec, settings) = (editor.tool.spec(), &editor.tool.settings);
    let (mut entries, mut named) = (vec![], BTreeSet::new());
    let take = |choice: Choice| UiAction::SetTools(Box::new(choice.settings));
    let others = TOOLS.iter().copied().filter(|tool| tool.id != spec.id);
    for tool in std::iter::once(spec).chain(others) {
        let in_hand = tool.id == spec.id;
        for option in tool.options.iter().filter(|option| (in_hand && option.applies(tool, settings)) || option.is_kind()) {
            for choice in option.choices(settings, number.filter(|_| in_hand)) {
                let kind = choice.label.split_once(": ").filter(|_| option.is_kind());
                let label = kind.map_or(choice.label.clone(), |(_, value)| format!("{}: {value}", tool.label));
                let also = format!("{} {}", choice.also, kind.map_or("", |(name, _)| name));
                let mut actions = vec![take(choice)];
                if !in_hand {
                    actions.insert(0, UiAction::Do(Action::SelectTool(tool.id)));
                }
                entries.push(line(label, &also, actions));
            }
        }
        entries.extend(numbers_of(tool, in_hand, settings, number, &mut named));
    }
    entries
}

/// The numbers of a tool: those of the one in the hand with its values, what others have besides with its tool.
fn numbers_of(tool: &ToolSpec, in_hand: bool, settings: &ToolSettings, number: Option<i64>, named: &mut BTreeSet<String>) -> Vec<Entry> {
    let mut entries = vec![];
    for option in tool.options {
        for (name, also) in option.number_names(settings) {
            if !named.insert(name.clone()) {
                continue;
            }
            let Some(number) = number else {
                entries.push(begun(&name, if in_hand { also } else { tool.label }));
                continue;
            };
            // What the tool in the hand can be set to stands among its values already.
            let label = format!("{name} {number}");
            let choice = option.choices(settings, Some(number)).into_iter().find(|choice| choice.label == label && !in_hand);
            entries.extend(choice.map(|choice| {
                let actions = vec![UiAction::Do(Action::SelectTool(tool.id)), UiAction::SetTools(Box::new(choice.settings))];
                line(format!("{}: {label}", tool.label), "", actions)
            }));
        }
    }
    entries
}

/// What the object tool makes for a team.
fn of_teams(settings: &ToolSettings) -> Vec<Entry> {
    let kinds = [ObjectKind::SpawnRegion, ObjectKind::SpawnPoint, ObjectKind::Base, ObjectKind::Intel, ObjectKind::Territory];
    let entry = |team: Team, kind: ObjectKind| {
        let new_object = NewObject { kind: Some(kind), team: Some(team) };
        let settings = ToolSettings { new_object, ..settings.clone() };
        let actions = vec![UiAction::Do(Action::SelectTool("objects")), UiAction::SetTools(Box::new(settings))];
        line(format!("Object: {} {}", team.label(), kind.label().to_lowercase()), "team", actions)
    };
    Team::ALL.iter().flat_map(|team| kinds.map(|kind| entry(*team, kind))).collect()
}

fn of_symmetry(before: &Symmetry, shell: &Shell) -> Vec<Entry> {
    let to = |symmetry: Symmetry| UiAction::Do(Action::Edit(Command::SetSymmetry(SetSymmetry::to(&symmetry))));
    let swaps = !before.swap_teams;
    let recolors = before.swap_colors.is_empty();
    let mut entries = vec![
        switch("Symmetry: Swap teams of objects", before.swap_teams, to(Symmetry { swap_teams: swaps, ..before.clone() })),
        switch(
            "Symmetry: Swap team colors",
            !recolors,
            to(Symmetry { swap_colors: if recolors { vec![TEAM_COLORS] } else { vec![] }, ..before.clone() }),
        ),
        switch("Symmetry: Show mismatches", shell.mismatches, UiAction::ToggleMismatches),
    ];
    entries.extend(SymmetryKind::ALL.into_iter().map(|kind| {
        let command = Command::SetSymmetry(SetSymmetry::switched(before, kind));
        let also = if matches!(kind, SymmetryKind::Turn180 | SymmetryKind::Turn90) { "turn" } else { "" };
        line(format!("Symmetry: {}", kind.label()), also, vec![UiAction::Do(Action::Edit(command))])
    }));
    entries.extend(parts_of(before.kind).iter().map(|from| {
        let heal = UiAction::Do(Action::Edit(Command::Heal(Heal { from: *from, objects: true })));
        let entry = line(format!("Heal from the {}", from.label().to_lowercase()), "mirror copy half", vec![heal]);
        // As in the list of the symmetry: there is nothing to heal by.
        if before.is_on() { entry } else { Entry { keys: "No symmetry is on".into(), is_enabled: false, ..entry } }
    }));
    entries
}

/// Masks by name; heights count from the lowest plane of the map, whose smallest and largest z these are.
fn of_masks(before: &Masks, [top, bottom]: [i32; 2], color: Rgb, number: Option<i64>) -> Vec<Entry> {
    let to = |masks: Masks| UiAction::Do(Action::Edit(Command::SetMasks(SetMasks(masks))));
    let with = |change: &dyn Fn(&mut Masks)| {
        let mut masks = before.clone();
        change(&mut masks);
        to(masks)
    };
    let mut entries = vec![
        switch("Mask: Only the selection", before.selection, with(&|masks| masks.selection = !masks.selection)),
        switch("Mask: Only the surface", before.surface, with(&|masks| masks.surface = !masks.surface)),
        switch("Mask: Only in spawn regions", before.spawns, with(&|masks| masks.spawns = !masks.spawns)),
    ];
    entries.extend([Matter::Air, Matter::Solid].map(|matter| {
        let is_on = before.matter == Some(matter);
        let name = format!("Mask: Only {}", matter.label().to_lowercase());
        switch(&name, is_on, with(&|masks| masks.matter = Some(matter).filter(|_| !is_on)))
    }));
    if before.matter.is_some() {
        entries.push(line("Mask: Air and solid", "", vec![with(&|masks| masks.matter = None)]));
    }
    if !before.colors.contains(&color) && before.colors.len() < Masks::MAX_COLORS {
        entries.push(line(format!("Mask: Only the color in hand {color}"), "", vec![with(&|masks| masks.colors.push(color))]));
    }
    let [high, low] = before.z.unwrap_or([top, bottom]);
    let [least, most] = before.slope.unwrap_or([0, 90]);
    type Set<'a> = &'a dyn Fn(&mut Masks, i32);
    let numbers: [(&str, &str, i64, i64, Set<'_>); 4] = [
        ("Mask: Lowest", "height", 0, i64::from(bottom - high), &|masks, height| masks.z = Some([high, bottom - height])),
        ("Mask: Highest", "height", i64::from(bottom - low), i64::from(bottom - top), &|masks, height| {
            masks.z = Some([bottom - height, low])
        }),
        ("Mask: Gentlest", "slope", 0, i64::from(most), &|masks, slope| masks.slope = Some([u8::try_from(slope).unwrap_or(0), most])),
        ("Mask: Steepest", "slope", i64::from(least), 90, &|masks, slope| masks.slope = Some([least, u8::try_from(slope).unwrap_or(90)])),
    ];
    for (name, also, from, to, set) in numbers {
        match number {
            None => entries.push(begun(name, also)),
            Some(number) if (from..=to).contains(&number) => {
                let value = i32::try_from(number).unwrap_or(0);
                entries.push(line(format!("{name} {number}"), also, vec![with(&|masks| set(masks, value))]));
            }
            Some(_) => {}
        }
    }
    if before.any() {
        entries.push(line("Mask: Clear masks", "none off all", vec![to(Masks::default())]));
    }
    entries
}

/// The color that was typed, and those that the game and the map have by name.
fn of_colors(editor: &Editor, query: &str) -> Vec<Entry> {
    let take = |color: Rgb| vec![UiAction::SetTools(Box::new(ToolSettings { color, ..editor.tool.settings.clone() }))];
    let typed = typed_color(query);
    let known = known_colors(editor).into_iter().map(|(name, color)| line(format!("Color: {name}"), "", take(color)));
    typed.map(|color| line(format!("Color {color}"), "", take(color))).into_iter().chain(known).collect()
}

/// The color of a query: `#808080`, `color 808080`. Six letters alone may be a word.
fn typed_color(query: &str) -> Option<Rgb> {
    let query = query.trim();
    let named = query
        .get(..5)
        .filter(|word| word.eq_ignore_ascii_case("color"))
        .and(query.get(5..))
        .map(|rest| rest.trim_start_matches(':').trim());
    named.or_else(|| query.starts_with('#').then_some(query))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_for_a_team_takes_a_tool_that_there_is() {
        let entries = of_teams(&ToolSettings::default());
        assert!(!entries.is_empty());
        for entry in entries {
            let Does::Actions(actions) = &entry.does else { panic!("{} does nothing", entry.label) };
            let taken = actions.iter().find_map(|action| if let UiAction::Do(Action::SelectTool(id)) = action { Some(*id) } else { None });
            assert!(taken.is_some_and(|id| TOOLS.iter().any(|tool| tool.id == id)), "{}: {taken:?}", entry.label);
        }
    }

    #[test]
    fn a_color_is_found_by_its_digits_and_a_word_is_none() {
        let gray = Some(Rgb::new(128, 128, 128));
        let found = ["#808080", " color #808080", "Color 808080", "color: 808080"].map(typed_color);
        assert_eq!(found, [gray; 4]);
        assert_eq!(["808080", "facade", "color", "color 80", "cölor 808080", ""].map(typed_color), [None; 6]);
    }

    #[test]
    fn a_mask_that_is_on_is_found_by_its_name_and_switched_off() {
        let check = |before: Option<Matter>, name: &str, expected: Option<Option<Matter>>| {
            let masks = Masks { matter: before, surface: true, ..Masks::default() };
            let found = of_masks(&masks, [0, 63], Rgb::new(1, 2, 3), None).into_iter().find(|entry| entry.label == name);
            let after = found.map(|entry| match entry.does {
                Does::Actions(actions) => match actions.into_iter().next() {
                    Some(UiAction::Do(Action::Edit(Command::SetMasks(SetMasks(after))))) => after,
                    _ => panic!("{name} is no mask"),
                },
                _ => panic!("{name} does nothing"),
            });
            assert_eq!(after, expected.map(|matter| Masks { matter, ..masks }), "{name}");
        };
        let [air, solid] = [Matter::Air, Matter::Solid].map(Some);
        check(None, "Mask: Only air: on", Some(air));
        check(air, "Mask: Only air: off", Some(None));
        check(air, "Mask: Only solid: on", Some(solid));
        check(solid, "Mask: Only solid: off", Some(None));
        check(solid, "Mask: Air and solid", Some(None));
        check(None, "Mask: Air and solid", None);
    }
}
