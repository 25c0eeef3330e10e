//! What is done with a file of another program: a look at it, its options, and where it goes.

use std::path::Path;
use std::sync::Arc;

use egui::{Color32, ColorImage, DragValue, RichText, ScrollArea, TextureHandle, TextureOptions, Ui};

use super::options::{options_ui, text_of};
use super::{buttons, title};
use crate::document::{OptionValue, Options};
use crate::edit::ops::HeightmapMode;
use crate::editor::files::ImportedFile;
use crate::editor::{Action, Editor, ImportOrder, PendingImport, PictureUse};
use crate::format::{ImportKind, OptionKind, import};
use crate::ui::curve_graph::curve_graph_ui;
use crate::ui::file_dialogs::FileQuestion;
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};
use crate::ui::widget;
use crate::voxel::Store;

/// Pixels of the picture on each side, at most.
const PICTURE: i32 = 192;

/// Height of all in the dialog but the choices, and of a margin.
const AROUND_CHOICES: f32 = 170.0;

/// What was chosen so far. The file itself is the editor's.
#[derive(Clone)]
pub struct ImportForm {
    options: Option<Options>,
    height: u32,
    /// The picture of what is shown, and which import it shows.
    picture: Option<(Arc<ImportedFile>, TextureHandle)>,
}

impl Default for ImportForm {
    fn default() -> Self {
        Self { options: None, height: 16, picture: None }
    }
}

impl std::fmt::Debug for ImportForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ImportForm").field("options", &self.options).field("height", &self.height).finish_non_exhaustive()
    }
}

impl PartialEq for ImportForm {
    fn eq(&self, other: &Self) -> bool {
        (&self.options, self.height) == (&other.options, other.height)
    }
}

impl ImportForm {
    /// The options that were chosen so far.
    pub fn options(&self) -> Option<&Options> {
        self.options.as_ref()
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
        let Some(pending) = editor.pending_import() else { return out.push(UiAction::CloseDialog) };
        let (content, has_map) = (&pending.file.content, editor.active().is_some());
        let Some(plugin) = import(pending.file.import) else { return out.push(UiAction::CloseDialog) };
        let size = content.store.bounds().size();
        title(ui, theme, &format!("Import {}", content.name));
        ui.label(RichText::new(format!("{}, {}×{}×{} voxels", plugin.label(), size.x, size.y, size.z)).color(theme.text_dim));
        for warning in &pending.file.report.warnings {
            ui.label(RichText::new(warning.sentence()).size(theme::SMALL).color(theme.text_faint));
        }
        ui.add_space(4.0);
        ui.horizontal_top(|ui| {
            ui.vertical(|ui| {
                ui.set_max_width(PICTURE as f32);
                self.picture_ui(ui, pending);
                self.curves_ui(ui, theme, editor, pending, out);
            });
            // In a low window the answers below stay within it.
            let height = (ui.ctx().content_rect().height() - AROUND_CHOICES).max(PICTURE as f32);
            let area = ScrollArea::vertical().id_salt("import choices").max_height(height).min_scrolled_height(height);
            area.show(ui, |ui| ui.vertical(|ui| self.choices_ui(ui, theme, editor, pending, out)));
        });
        let is_terrain = content.kind == ImportKind::Terrain;
        // What is shown must be what is done.
        let is_current = !editor.is_importing() && self.options.as_ref().is_none_or(|options| *options == pending.order.options);
        match &pending.trouble {
            Some(trouble) => _ = ui.label(RichText::new(trouble).size(theme::SMALL).color(theme.error)),
            None if !is_current => _ = ui.label(RichText::new("Reading it again…").size(theme::SMALL).color(theme.text_faint)),
            None => {}
        }
        let choices: &[&str] = match (is_terrain, has_map) {
            _ if !is_current => &["Cancel"],
            (true, true) => &["Open as a map", "Raise the ground", "Dig into it", "Cancel"],
            (false, true) => &["Put it into the map", "Open as a map", "Cancel"],
            (_, false) => &["Open as a map", "Cancel"],
        };
        let Some(chosen) = buttons(ui, theme, choices).and_then(|index| choices.get(index)) else { return };
        out.push(UiAction::CloseDialog);
        match *chosen {
            "Open as a map" => out.push(UiAction::Do(Action::OpenImport)),
            "Put it into the map" => out.push(UiAction::Do(Action::PlaceImport)),
            "Raise the ground" => out.push(UiAction::Do(Action::RaiseByImport { mode: HeightmapMode::Additive, height: self.height })),
            "Dig into it" => out.push(UiAction::Do(Action::RaiseByImport { mode: HeightmapMode::Subtractive, height: self.height })),
            _ => out.push(UiAction::Do(Action::ForgetImport)),
        }
    }

    /// The options of the import; a change reads the file again, so that the picture follows.
    fn choices_ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, pending: &PendingImport, out: &mut Vec<UiAction>) {
        ui.set_min_width(240.0);
        let Some(plugin) = import(pending.file.import) else { return };
        let options = self.options.get_or_insert_with(|| pending.order.options.clone());
        let asked = editor.asked_import().unwrap_or(&pending.order);
        let before = options.clone();
        options_ui(ui, theme, plugin.options(), options);
        if *options != before {
            out.push(UiAction::Do(Action::Import(ImportOrder { options: options.clone(), ..asked.clone() })));
        }
        if plugin.takes_colors() {
            let options = options.clone();
            colors_ui(ui, theme, ImportOrder { options, ..asked.clone() }, out);
        }
        if pending.file.content.kind == ImportKind::Terrain {
            ui.horizontal(|ui| {
                let name = ui.label("Voxels that white raises or digs");
                widget::number_field(ui, DragValue::new(&mut self.height).range(1..=64)).labelled_by(name.id);
            });
            widget::hint(
                ui,
                theme,
                "Raising and digging take the picture and its curve alone, from the selection or the north-west corner on",
            );
            ui.horizontal(|ui| {
                for (name, usage) in [("Use as brush", PictureUse::Brush), ("Use as decal", PictureUse::Decal)] {
                    if ui.button(name).clicked() {
                        out.push(UiAction::CloseDialog);
                        out.push(UiAction::Do(Action::UseImport(usage)));
                    }
                }
            });
        }
    }

    /// The graphs of options that are curves.
    fn curves_ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, pending: &PendingImport, out: &mut Vec<UiAction>) {
        let Some(plugin) = import(pending.file.import) else { return };
        let options = self.options.get_or_insert_with(|| pending.order.options.clone());
        for spec in plugin.options().iter().filter(|spec| matches!(spec.kind, OptionKind::Curve { .. })) {
            let mut text = text_of(spec, options);
            if curve_graph_ui(ui, theme, spec.name, PICTURE as f32, &mut text) {
                options.insert(spec.name.into(), OptionValue::Text(text));
                let asked = editor.asked_import().unwrap_or(&pending.order);
                out.push(UiAction::Do(Action::Import(ImportOrder { options: options.clone(), ..asked.clone() })));
            }
        }
    }

    fn picture_ui(&mut self, ui: &mut Ui, pending: &PendingImport) {
        if self.picture.as_ref().is_none_or(|(of, _)| !Arc::ptr_eq(of, &pending.file)) {
            let image = plan_of(&pending.file.content.store);
            self.picture = Some((pending.file.clone(), ui.ctx().load_texture("import", image, TextureOptions::NEAREST)));
        }
        if let Some((_, texture)) = &self.picture {
            ui.add(egui::Image::new(texture).fit_to_exact_size(egui::Vec2::splat(PICTURE as f32)).maintain_aspect_ratio(true));
        }
    }
}

/// Which picture gives the ground its colors: of the same size as the heightmap.
fn colors_ui(ui: &mut Ui, theme: &Theme, order: ImportOrder, out: &mut Vec<UiAction>) {
    ui.horizontal(|ui| {
        let name = order.colors.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        ui.label(format!("Colors: {}", name.as_deref().unwrap_or("by height")));
        if ui.button("Picture of colors…").clicked() {
            out.push(UiAction::AskFile(FileQuestion::ImportColors));
        }
        if order.colors.is_some() && ui.button("By height").clicked() {
            out.push(UiAction::Do(Action::Import(ImportOrder { colors: None, ..order })));
        }
    });
    widget::hint(ui, theme, "A picture of the same size, a pixel a column; ground that is raised or dug takes its colors, too");
    ui.add_space(4.0);
}

/// The map from above: colours, darker where the ground is low.
fn plan_of(store: &Store) -> ColorImage {
    let bounds = store.bounds();
    let (min, size) = (bounds.min(), bounds.size());
    let step = (size.x.max(size.y) + PICTURE - 1) / PICTURE;
    let (width, height) = ((size.x / step).max(1), (size.y / step).max(1));
    let mut pixels = Vec::with_capacity((width * height) as usize);
    for y in 0..height {
        for x in 0..width {
            let (x, y) = (min.x + x * step, min.y + y * step);
            let pixel = store.ground(x, y, min.z).map(|z| {
                let color = store.paint(glam::IVec3::new(x, y, z)).map_or([0x80; 3], |paint| paint.rgb.to_array());
                let light = 1.0 - 0.6 * (z - min.z) as f32 / size.z.max(1) as f32;
                let [r, g, b] = color.map(|channel| (f32::from(channel) * light) as u8);
                Color32::from_rgb(r, g, b)
            });
            pixels.push(pixel.unwrap_or(Color32::TRANSPARENT));
        }
    }
    ColorImage::new([width as usize, height as usize], pixels)
}
