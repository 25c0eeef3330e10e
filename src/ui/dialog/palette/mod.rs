//! The command palette: every action, every value of the tool's options, masks and symmetries, found by a few letters of the name.

mod values;

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Key, RichText, ScrollArea, TextEdit, Ui};

use super::title;
use crate::editor::Editor;
use crate::editor::keymap::{BINDABLES, Bindable, Target};
use crate::ui::menu;
use crate::ui::shell::{Shell, UiAction};
use crate::ui::theme::{self, Theme};

/// What was typed, and which of the found is marked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaletteForm {
    query: String,
    marked: usize,
}

/// A line of the list.
struct Entry {
    label: String,
    /// The keys that do the same.
    keys: String,
    is_enabled: bool,
    /// Other words that it is found by.
    also: String,
    does: Does,
}

/// What choosing a line does.
enum Does {
    /// Closes the palette and does this.
    Actions(Vec<UiAction>),
    /// Puts this into the field: a number is to follow.
    Completes(String),
}

impl PaletteForm {
    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &Shell, out: &mut Vec<UiAction>) {
        title(ui, theme, "Find an action");
        ui.set_min_width(440.0);
        let pressed = |ui: &Ui, key| ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, key));
        let step = i32::from(pressed(ui, Key::ArrowDown)) - i32::from(pressed(ui, Key::ArrowUp));
        let chosen = pressed(ui, Key::Enter);
        let hint = "A few letters of its name, or a value: size 12, mirror x, #8f8778";
        let edit = ui.add(TextEdit::singleline(&mut self.query).desired_width(f32::INFINITY).hint_text(hint));
        edit.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Find an action"));
        edit.request_focus();
        if edit.changed() {
            self.marked = 0;
        }
        let mut found = found(&self.query, entries(editor, shell, &self.query));
        let last = found.len().saturating_sub(1);
        self.marked = self.marked.saturating_add_signed(step as isize).min(last);
        if self.query.is_empty() && self.marked == 0 && step == 0 {
            // Nothing is meant yet: Enter does not fall on what cannot be done.
            self.marked = found.iter().position(|entry| entry.is_enabled).unwrap_or(0);
        }
        let mut invoked = Some(self.marked).filter(|_| chosen);
        ScrollArea::vertical().max_height(360.0).min_scrolled_height(240.0).auto_shrink([false, true]).show(ui, |ui| {
            for (index, entry) in found.iter().enumerate() {
                let text =
                    RichText::new(entry.label.trim_end_matches('…')).color(if entry.is_enabled { theme.text } else { theme.text_faint });
                let keys = RichText::new(&entry.keys).color(theme.text_faint).size(theme::SMALL);
                let button =
                    egui::Button::new(text).shortcut_text(keys).selected(index == self.marked).frame_when_inactive(index == self.marked);
                let line = ui.add_enabled(entry.is_enabled, button.min_size(egui::vec2(ui.available_width(), 0.0)));
                if index == self.marked && step != 0 {
                    line.scroll_to_me(None);
                }
                if line.clicked() {
                    invoked = Some(index);
                }
            }
            if found.is_empty() {
                ui.label(RichText::new("Nothing has a name like that").color(theme.text_faint));
            }
        });
        let Some(index) = invoked.filter(|index| found.get(*index).is_some_and(|entry| entry.is_enabled)) else { return };
        match found.swap_remove(index).does {
            Does::Actions(actions) => {
                out.push(UiAction::CloseDialog);
                out.extend(actions);
            }
            Does::Completes(query) => {
                (self.query, self.marked) = (query, 0);
                let mut state = TextEditState::load(ui.ctx(), edit.id).unwrap_or_default();
                let end = CCursor::new(self.query.chars().count());
                state.cursor.set_char_range(Some(CCursorRange::one(end)));
                state.store(ui.ctx(), edit.id);
            }
        }
    }
}

/// Other words for actions.
const ALSO: &[(&str, &str)] = &[
    ("zoom-in", "zoom ui scale interface font size bigger"),
    ("zoom-out", "zoom ui scale interface font size"),
    ("zoom-reset", "zoom ui scale interface font size"),
    ("repeat", "again"),
    ("toggle-panels", "fullscreen"),
    ("turn-left", "rotate counterclockwise"),
    ("turn-right", "rotate clockwise"),
    ("type-turn", "rotate angle degrees"),
    ("flip-x", "flip x mirror selection"),
    ("flip-y", "flip y mirror selection"),
    ("flip-z", "flip z vertically mirror selection"),
    ("type-scale", "resize size"),
    ("log", "messages"),
    ("panel-map", "fog name author metadata properties"),
    ("duplicate", "duplicate clone"),
    ("mode-remove", "erase eraser delete"),
    ("tool-fill", "bucket flood replace color"),
    ("tool-shape", "hollow"),
    ("tool-sculpt", "volume fixed level"),
    ("tool-stamp", "scatter model"),
    ("tool-paint", "decal picture image recolor"),
    ("tool-ruler", "measure distance inspect"),
    ("versions", "backup backups restore"),
    ("unsaved-maps", "recover recovery autosave crash journal restore"),
    ("keys", "settings preferences shortcuts hotkeys keymap rebind"),
    ("toggle-theme", "dark"),
    ("record", "macro recorder"),
    ("run-script", "macro replay"),
    ("panel-color", "palette swatches harmony harmonies ramps"),
    ("panel-objects", "spawn base intel"),
    ("check", "problems validate"),
    ("save-stamp", "prefab library"),
    ("view-iso", "isometric"),
    ("export", "vox gltf png heightmap"),
    ("import", "vox kv6 heightmap picture image"),
    ("tool-pick", "eyedropper dropper pipette pick color"),
];

/// All actions; once something is typed, what tools, masks and symmetry can be set to as well.
fn entries(editor: &Editor, shell: &Shell, query: &str) -> Vec<Entry> {
    let missing = |bindable: &Bindable| match bindable.target {
        Target::Invoke(id) => menu::missing(id, editor),
        _ => menu::missing("", editor),
    };
    let actions = BINDABLES.iter().map(|bindable| (bindable, missing(bindable))).map(|(bindable, missing)| Entry {
        label: match bindable.target {
            Target::Invoke(id) => menu::label_of(id, &bindable.label, editor.active()),
            _ => bindable.label.clone(),
        },
        // Why it is grey matters more than its key.
        keys: missing.map_or_else(|| shell.keymap.shown(&bindable.id), str::to_owned),
        is_enabled: missing.is_none(),
        also: ALSO.iter().find(|(id, _)| *id == &*bindable.id).map_or("", |(_, also)| also).to_owned(),
        does: Does::Actions(vec![UiAction::from(&bindable.target)]),
    });
    let mut entries: Vec<Entry> = actions.collect();
    if !query.trim().is_empty() {
        entries.extend(values::entries(editor, shell, query));
    }
    entries
}

/// Those whose name has the letters in this order, the best first; only those that have the words as they were typed
/// where there are any.
fn found(query: &str, mut entries: Vec<Entry>) -> Vec<Entry> {
    if query.trim().is_empty() {
        // All, as they stand in the menus.
        return entries;
    }
    // Some type what stands before an option with its colon.
    let query = &query.replace(':', " ");
    if entries.iter().any(|entry| has_words(query, entry)) {
        entries.retain(|entry| has_words(query, entry));
    }
    let mut scored: Vec<_> = entries.into_iter().filter_map(|entry| Some((score_of(query, &entry)?, entry))).collect();
    // Stable: what is as good stays in the order of the menus.
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, entry)| entry).collect()
}

/// Whether every word that was typed stands in the name of an entry, or in another word for it.
fn has_words(query: &str, entry: &Entry) -> bool {
    let text = format!("{} {}", entry.label, entry.also).to_lowercase();
    query.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// How well an entry fits what was typed, by its name or by one of the other words for it, which count less; words that
/// stand in another order count less still.
fn score_of(query: &str, entry: &Entry) -> Option<i32> {
    let number = entry.label.rsplit(' ').next().unwrap_or_default();
    let others = entry.also.split_whitespace().filter_map(|word| score(query, &format!("{word} {number}")));
    let named = score(query, &entry.label).into_iter().chain(score_of_words(query, &entry.label));
    let aside = others.chain(score_of_words(query, &format!("{} {}", entry.label, entry.also)).map(|score| score - 64));
    named.chain(aside.map(|score| score - 64)).max()
}

/// How well a text fits that has every word as it was typed, in any order; as much as [`score`] gives for such runs of letters.
fn score_of_words(query: &str, text: &str) -> Option<i32> {
    let text = text.to_lowercase();
    let begins = |at: usize| text.get(..at).is_some_and(|before| !before.ends_with(char::is_alphanumeric));
    let of_word = |word: &str| {
        let places = text.match_indices(word).map(|(at, _)| if begins(at) { 4 } else { 0 });
        let letters = word.chars().count() as i32;
        places.max().map(|beginning| letters * letters + beginning)
    };
    let words = query.to_lowercase();
    let scores: Option<Vec<i32>> = words.split_whitespace().map(of_word).collect();
    scores.filter(|scores| !scores.is_empty()).map(|scores| scores.iter().sum::<i32>() * 64 - text.chars().count() as i32)
}

/// How well a name fits what was typed: letters that begin words, and runs of letters, count more. `None` if a letter is missing.
fn score(query: &str, label: &str) -> Option<i32> {
    let label: Vec<char> = label.to_lowercase().chars().collect();
    let (mut at, mut score, mut run) = (0, 0, 0);
    for letter in query.to_lowercase().chars().filter(|letter| !letter.is_whitespace()) {
        let begins = |index: usize| index == 0 || label.get(index - 1).is_some_and(|before| !before.is_alphanumeric());
        let next = label.get(at) == Some(&letter);
        let places = || (at..label.len()).filter(|index| label.get(*index) == Some(&letter));
        let place = if next { at } else { places().find(|index| begins(*index)).or_else(|| places().next())? };
        run = if next { run + 1 } else { 0 };
        score += 1 + run * 2 + if begins(place) { 4 } else { 0 };
        at = place + 1;
    }
    // Among equals the shorter name is meant.
    Some(score * 64 - label.len() as i32)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::editor::settings::Settings;
    use crate::editor::storage::RealStorage;
    use crate::editor::{Action, EditorConfig, JobMode, NewMap};
    use crate::terrain::Params;
    use crate::tool::{PaintKind, ToolSettings};

    /// Labels of what is found with a small map open and the shape tool in the hand.
    fn labels(query: &str) -> Vec<String> {
        labels_with("shape", query, |_| ())
    }

    fn labels_with(tool: &'static str, query: &str, set: impl Fn(&mut ToolSettings)) -> Vec<String> {
        let mut editor = Editor::new(EditorConfig {
            storage: Arc::new(RealStorage),
            jobs: JobMode::Inline,
            waker: Arc::new(|| {}),
            journal_folder: None,
            versions_folder: None,
            settings_file: None,
            settings: Settings::default(),
        });
        let params = Params { size: glam::IVec3::new(16, 16, 64), seed: 1, values: Default::default() };
        editor.act(Action::New(NewMap { generator: "ocean".into(), params }));
        editor.finish_jobs();
        editor.act(Action::SelectTool(tool));
        set(&mut editor.tool.settings);
        found(query, entries(&editor, &Shell::default(), query)).into_iter().map(|entry| entry.label).collect()
    }

    #[track_caller]
    fn check_first(query: &str, label: &str) {
        assert_eq!(labels(query).first().map(String::as_str), Some(label), "{query}");
    }

    #[test]
    fn a_few_letters_find_the_action() {
        check_first("save as", "Save as…");
        check_first("sva", "Save as…");
        check_first("undo", "Undo");
        check_first("top", "Top view");
        check_first("brush", "Brush tool");
        check_first("frsel", "Frame selection");
    }

    #[test]
    fn values_of_the_tool_are_found_by_name_and_number() {
        check_first("mirror x", "Symmetry: Mirror x");
        check_first("cone", "Shape: Cone");
        check_first("shell 2", "Shell 2");
        check_first("remove", "Remove");
        check_first("#8f8778", "Color #8f8778");
        check_first("color #8f8778", "Color #8f8778");
        assert!(labels("size 12").iter().all(|label| label != "Size 12"), "shapes have no size");
        check_first("size 12", "Brush: Size 12");
        check_first("copies", "Copies …");
        check_first("copies 3", "Move: Copies 3");
        // By what others call it, by name alone, and as it is already.
        check_first("hollow 3", "Shell 3");
        check_first("hollow", "Shell …");
        check_first("shell 0", "Shell 0");
        check_first("form ball", "Shape: Ball");
        check_first("form: wall", "Shape: Wall");
        for (query, label) in
            [("measure", "Ruler tool"), ("autosave", "Unsaved maps…"), ("backup", "Earlier versions…"), ("settings", "Keys…")]
        {
            check_first(query, label);
        }
        for query in ["replace color", "volume", "fixed level", "picture", "hollow", "scatter", "decal"] {
            assert!(!labels_with("brush", query, |_| ()).is_empty(), "{query}");
        }
        // Of other tools what they make.
        check_first("river", "Path: River");
        check_first("bridge", "Path: Bridge");
        check_first("terrace", "Sculpt: Terrace");
        check_first("swap teams", "Symmetry: Swap teams of objects: off");
        check_first("erosion", "Terrain: Erosion");
    }

    #[test]
    fn masks_and_healing_are_found() {
        check_first("heal", "Heal from the west");
        check_first("mismatch", "Symmetry: Show mismatches: on");
        check_first("bigger", "Larger text and controls");
        assert!(labels("ui scale").contains(&"Text and controls as on the desktop".to_owned()));
        assert!(labels("zoom").contains(&"Larger text and controls".to_owned()));
        check_first("mask surface", "Mask: Only the surface: on");
        check_first("only air", "Mask: Only air: on");
        check_first("mask lowest 12", "Mask: Lowest 12");
        check_first("steepest", "Mask: Steepest …");
        check_first("team colors", "Symmetry: Swap team colors: on");
        check_first("blue team", "Color: Blue team #0000ff");
    }

    #[test]
    fn what_a_team_gets_is_found_by_its_color() {
        // The shorter name first.
        assert_eq!(labels("blue spawn")[..2], ["Object: Blue spawn point", "Object: Blue spawn region"]);
        check_first("green region", "Object: Green spawn region");
        check_first("region blue", "Object: Blue spawn region");
        check_first("green base", "Object: Green base");
        check_first("blue spawn point", "Object: Blue spawn point");
    }

    #[test]
    fn what_only_has_the_letters_somewhere_is_left_out_where_others_have_the_words() {
        let heals = labels("heal");
        assert!(!heals.is_empty() && heals.iter().all(|label| label.to_lowercase().contains("heal")), "{heals:?}");
        for query in ["trees", "trees and", "rocks trees"] {
            assert_eq!(labels(query).first().map(String::as_str), Some("Terrain: Trees and rocks"), "{query}");
        }
        // Without a name like that the letters are enough.
        assert!(labels("sva").len() > 1);
    }

    #[test]
    fn settings_of_a_style_are_found_with_the_style() {
        assert_eq!(labels_with("brush", "noise", |_| ()).first().map(String::as_str), Some("Paint: Noise"));
        check_first("noise", "Style: Noise");
        let labels = labels_with("paint", "grain 9", |settings| settings.paint.kind = PaintKind::Noise);
        assert_eq!(labels.first().map(String::as_str), Some("Grain 9"));
        let labels = labels_with("paint", "depth", |_| ());
        assert_eq!(labels.first().map(String::as_str), Some("Depth …"));
    }

    #[test]
    fn nothing_typed_lists_all_actions_and_nonsense_nothing() {
        assert_eq!(labels("").len(), BINDABLES.len());
        assert!(labels("qqqq").is_empty());
    }
}
