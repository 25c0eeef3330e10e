//! Maps that an earlier session left unsaved: what to do with each, and whether to discard them really.

use std::path::{Path, PathBuf};

use egui::{RichText, ScrollArea, Ui};

use super::questions::ago;
use super::{buttons, title};
use crate::document::{grouped, some};
use crate::editor::recovery::{Recoverable, RecoveryNote, Skipped, Thumbnail, journal_id};
use crate::editor::{Action, Editor, leftover_title, moved_text};
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};

/// Side of the picture of a lost map, in points.
const THUMBNAIL_POINTS: f32 = 64.0;
/// Width that the buttons of one map take, in points.
const BUTTONS_POINTS: f32 = 150.0;
/// Maps that the question whether to discard them names.
const MOST_NAMED: usize = 8;

/// Maps that the list shows without being scrolled.
const MOST_SEEN: usize = 3;

/// The list of such maps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecoverForm {
    /// What is to be discarded, where that is being asked.
    doomed: Option<Doomed>,
}

/// What somebody wants to discard.
#[derive(Clone, Debug, PartialEq)]
enum Doomed {
    All,
    /// One map, by its journal.
    Map(PathBuf),
    /// A journal that cannot be read.
    Unreadable(PathBuf),
}

impl RecoverForm {
    /// Whether it asks before it discards.
    pub(super) fn asks(&self) -> bool {
        self.doomed.is_some()
    }

    /// Goes back to the list.
    pub(super) fn go_back(&mut self) {
        self.doomed = None;
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
        ui.set_min_width(560.0);
        match self.doomed.clone() {
            Some(doomed) => self.discard_ui(ui, theme, editor, &doomed, out),
            None => self.list_ui(ui, theme, editor, out),
        }
    }

    fn list_ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
        let (leftovers, unreadable) = (editor.leftovers(), editor.unreadable_leftovers());
        let [count, many] = [leftovers.len(), 2];
        if count == 0 && unreadable.is_empty() {
            out.push(UiAction::CloseDialog);
        }
        let to_come = editor.leftovers_to_come() as u64;
        let many_text = match to_come {
            0 => format!("An earlier session ended before these {count} maps were saved"),
            more => format!("An earlier session ended before these {count} maps and {} more were saved", grouped(more)),
        };
        title(
            ui,
            theme,
            match count {
                0 => "Journals of earlier sessions that cannot be read",
                // No more are seen at once.
                1 if to_come == 0 => "An earlier session ended before this map was saved",
                1..=MOST_SEEN if to_come == 0 => "An earlier session ended before these maps were saved",
                _ => &many_text,
            },
        );
        ScrollArea::vertical().max_height(300.0).show(ui, |ui| {
            for found in leftovers {
                ui.horizontal(|ui| {
                    leftover_ui(ui, theme, editor, found);
                    if count >= many {
                        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                            let name = spoken_name(leftovers, found);
                            if named_button(ui, theme, "Discard…", &format!("Discard {name}…")) {
                                self.doomed = Some(Doomed::Map(found.journal.clone()));
                            }
                            if named_button(ui, theme, "Restore", &format!("Restore {name}")) {
                                out.push(UiAction::Do(Action::RestoreLeftover(found.journal.clone())));
                            }
                        });
                    }
                });
            }
            if to_come > 0 {
                let told = format!("and {} more, which are listed once these are restored or discarded", grouped(to_come));
                ui.label(RichText::new(told).color(theme.text_dim));
            }
            for skipped in unreadable {
                ui.add_space(4.0);
                ui.horizontal(|ui| {
                    unreadable_ui(ui, theme, skipped);
                    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                        if named_button(ui, theme, "Discard…", &format!("Discard journal {}…", journal_id(&skipped.journal))) {
                            self.doomed = Some(Doomed::Unreadable(skipped.journal.clone()));
                        }
                    });
                });
            }
        });
        let later = "Ask me next time";
        let labels: &[&str] = match count {
            0 => &["Leave them"],
            _ if to_come > 0 => &["Restore these", later, "Discard these…"],
            1 => &["Restore", later, "Discard it…"],
            _ => &["Restore all", later, "Discard all…"],
        };
        match buttons(ui, theme, labels) {
            Some(0) if count > 0 => out.extend([UiAction::CloseDialog, UiAction::Do(Action::RestoreLeftovers)]),
            Some(0 | 1) => out.extend([UiAction::CloseDialog, UiAction::Do(Action::PutOffLeftovers)]),
            Some(_) => self.doomed = Some(Doomed::All),
            None => {}
        }
    }

    fn discard_ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, doomed: &Doomed, out: &mut Vec<UiAction>) {
        let is_meant = |found: &&Recoverable| match doomed {
            Doomed::All => true,
            Doomed::Map(journal) => found.journal == *journal,
            Doomed::Unreadable(_) => false,
        };
        let maps: Vec<&Recoverable> = editor.leftovers().iter().filter(is_meant).collect();
        let heading = match (doomed, &*maps) {
            (Doomed::Unreadable(journal), _) => format!("Discard the journal {}?", journal_id(journal)),
            (_, [found]) => format!("Discard the unsaved steps of {}?", leftover_title(found)),
            (_, maps) => format!("Discard {}?", some(maps.len() as u64, "unsaved map", "unsaved maps")),
        };
        title(ui, theme, &heading);
        ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
            for found in maps.iter().take(MOST_NAMED) {
                let told = format!("{}: {}", place_text(found), steps_text(found));
                ui.label(RichText::new(told).size(theme::SMALL).color(theme.text_faint));
            }
            if let Some(more) = maps.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
                ui.label(RichText::new(format!("and {more} more")).size(theme::SMALL).color(theme.text_faint));
            }
        });
        ui.label(match doomed {
            Doomed::Unreadable(_) => "It and the copy of its map beside it are deleted. They cannot be brought back.",
            _ => "They cannot be brought back. Files that you saved stay as they are.",
        });
        match buttons(ui, theme, &["Cancel", "Discard"]) {
            Some(0) => self.go_back(),
            Some(_) => {
                self.go_back();
                out.push(UiAction::Do(match doomed {
                    Doomed::All => Action::DiscardLeftovers,
                    Doomed::Map(journal) => Action::DiscardLeftover(journal.clone()),
                    Doomed::Unreadable(journal) => Action::DiscardUnreadable(journal.clone()),
                }));
            }
            None => {}
        }
    }
}

/// A button about one thing of several, named after it for those who do not see it.
fn named_button(ui: &mut Ui, theme: &Theme, label: &str, name: &str) -> bool {
    let button = ui.add(egui::Button::new(RichText::new(label).color(theme.text)));
    button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
    button.clicked()
}

/// What a map is called, with its folder where another one has the same name.
fn spoken_name(all: &[Recoverable], found: &Recoverable) -> String {
    let name = leftover_title(found);
    let is_alone = all.iter().filter(|other| leftover_title(other) == name).count() == 1;
    if is_alone { name } else { place_text(found) }
}

/// The whole path of a map.
fn place_text(found: &Recoverable) -> String {
    let new = || found.version_of.as_deref().map_or_else(|| "a new map".to_owned(), |name| format!("an earlier version of {name}"));
    let unnamed = || if found.content.is_beheaded() { leftover_title(found) } else { new() };
    found.map.as_deref().map_or_else(unnamed, |map| map.display().to_string())
}

fn steps_text(found: &Recoverable) -> String {
    if found.steps == 0 && found.is_in_no_file {
        return format!("opened or restored {}, and in no file yet", ago(found.at));
    }
    if found.steps == 0 && found.beyond > 0 {
        return format!("what its recovery snapshot holds of {}, {}", some(found.beyond as u64, "step", "steps"), ago(found.at));
    }
    format!("{} not saved, the last one {}", some(found.steps as u64, "step", "steps"), ago(found.at))
}

/// Picture, name, folder, steps and damage of a map that was left unsaved.
fn leftover_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, found: &Recoverable) {
    let (place, _) = ui.allocate_exact_size(egui::Vec2::splat(THUMBNAIL_POINTS), egui::Sense::hover());
    ui.painter().rect_filled(place, 0, theme.back);
    if let Some(picture) = editor.thumbnail_of(found) {
        let image = egui::Image::from_texture(&thumbnail_texture(ui, found, picture));
        image.alt_text(format!("{} from above", leftover_title(found))).paint_at(ui, place);
    }
    let small = |text: &str| RichText::new(text).size(theme::SMALL);
    words_ui(ui, |ui| {
        ui.label(RichText::new(leftover_title(found)).color(theme.text));
        let folder = found.map.as_deref().and_then(Path::parent).map(|folder| folder.display().to_string());
        let nowhere = || match &found.version_of {
            _ if found.content.is_beheaded() => "its file is not known any more".to_owned(),
            Some(_) => place_text(found),
            None => "never saved".to_owned(),
        };
        let folder = ui.add(egui::Label::new(small(&folder.unwrap_or_else(nowhere)).color(theme.text_faint)).wrap());
        folder.on_hover_text(place_text(found));
        ui.label(small(&steps_text(found)).color(theme.text_faint));
        let kept = match found.beyond {
            0 => "",
            _ if found.content.is_beheaded() => "; its recovery snapshot is whole",
            _ => "; a later recovery snapshot is whole",
        };
        let told = match found.content.damage_text() {
            Some(damage) => Some(format!("its journal is {damage}{kept}")),
            None => (found.beyond > 0).then(|| format!("the end of its journal is missing{kept}")),
        };
        if let Some(told) = told {
            ui.label(small(&told).color(theme.warn));
        }
        if let Some(told) = moved_text(&found.moved) {
            ui.label(small(&told).color(theme.warn));
        }
        if let Some(note) = &found.recovered {
            ui.label(small(&recovered_text(note)).color(theme.warn));
        }
    });
}

/// A journal that cannot be read, and why.
fn unreadable_ui(ui: &mut Ui, theme: &Theme, skipped: &Skipped) {
    words_ui(ui, |ui| {
        ui.label(RichText::new(format!("Journal {}", journal_id(&skipped.journal))).color(theme.text));
        let folder = skipped.journal.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
        ui.add(egui::Label::new(RichText::new(folder).size(theme::SMALL).color(theme.text_faint)).wrap());
        ui.label(RichText::new(skipped.reason.to_string()).size(theme::SMALL).color(theme.warn));
    });
}

/// Lines of text that leave room for buttons beside them.
fn words_ui(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    let width = (ui.available_width() - BUTTONS_POINTS).max(0.0);
    ui.vertical(|ui| {
        ui.set_width(width);
        add(ui);
    });
}

/// Where a map was brought back to already, when, and why it is offered again.
fn recovered_text(note: &RecoveryNote) -> String {
    let to = note.to.as_ref().map_or_else(|| "in a window".to_owned(), |to| format!("to {}", to.0.display()));
    format!("already recovered {} {to}; the journal stays because {}", ago(note.at), note.because.join("; "))
}

/// The picture as a texture, made once and kept by its journal.
fn thumbnail_texture(ui: &Ui, found: &Recoverable, picture: &Thumbnail) -> egui::TextureHandle {
    let id = egui::Id::unique(("thumbnail", &found.journal));
    if let Some(texture) = ui.data(|data| data.get_temp(id)) {
        return texture;
    }
    let image = egui::ColorImage::from_rgb([picture.width, picture.height], &picture.rgb);
    let texture = ui.ctx().load_texture("thumbnail", image, egui::TextureOptions::default());
    ui.data_mut(|data| data.insert_temp(id, texture.clone()));
    texture
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_was_recovered_already_says_where_to_and_why_it_is_offered_again() {
        let to = crate::editor::storage::StoredPath("rescued/fort.vxl".into());
        let because = vec!["--keep was given".to_owned(), "the file does not hold all of the map".to_owned()];
        let note = RecoveryNote { to: Some(to), at: 0, because, ..RecoveryNote::default() };
        let text = recovered_text(&note);
        assert!(text.starts_with("already recovered ") && text.contains(" to rescued/fort.vxl; "), "{text}");
        assert!(text.ends_with("because --keep was given; the file does not hold all of the map"), "{text}");
        let text = recovered_text(&RecoveryNote { to: None, ..note });
        assert!(text.contains(" in a window; the journal stays because --keep"), "{text}");
    }
}
