//! The map and the panels around it: draws the [`Dock`], and answers what a person does to it.
//!
//! The dock is the truth; a tree of `egui_tiles` is made from it each frame, with lengths in points, and
//! only asked which panel is dragged. So the settings hold a form of our own, and a folded panel, a
//! column of a width in points and a map that takes the rest need nothing that the crate does not know.
//!
//! The map is a tile of that tree, at the same place in it always: panels are dragged past it from one side
//! to another, and its edges are moved like all others. It is no tile of the dock: nothing can close it,
//! fold it or put it into tabs. Where a panel may be dropped is decided in `place`, not by the crate, which
//! would also offer the map's own place.
//!
//! | file | part |
//! |---|---|
//! | `arrange` | how long every part is |
//! | `line` | lines between the parts, to be dragged |
//! | `place` | where a dragged panel would go |
//! | `title` | titles, and the menu of a panel |

mod arrange;
mod line;
mod place;
mod title;

use egui::{Color32, Rect, ScrollArea, Stroke, Ui, UiBuilder};
use egui_tiles::{Behavior, Container, Linear, LinearDir, ResizeState, SimplificationOptions, TabState, TileId, Tiles, Tree, UiResponse};

use self::arrange::{Placed, Tile, arrange};
pub use self::line::drawn as lines;
use super::panel;
use super::shell::{Shell, UiAction};
use super::theme::{self, Theme};
use super::viewport::Viewport;
use crate::editor::Editor;
use crate::editor::dock::{Direction, Dock, Group, Panel};

/// Height of a title.
pub const TITLE_HEIGHT: f32 = 28.0;
/// Between panels, and between panels and map.
const LINE: f32 = 1.0;
/// Space beside the content of a panel.
const MARGIN: i8 = 8;

/// What the dock draws with.
pub struct Parts<'a> {
    /// Colours.
    pub theme: &'a Theme,
    /// The application.
    pub editor: &'a mut Editor,
    /// What the window remembers.
    pub shell: &'a mut Shell,
    /// The map.
    pub viewport: &'a mut Viewport,
    /// What the map is drawn with.
    pub gpu: Option<&'a eframe::egui_wgpu::RenderState>,
    /// What is wanted done.
    pub out: &'a mut Vec<UiAction>,
}

/// What a tile shows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pane {
    Map,
    Panel(Panel),
    /// Where all panels beside it are folded.
    Rest,
}

/// Draws map and panels into the rest of the window; answers where the map is.
pub fn dock_ui(ui: &mut Ui, mut parts: Parts<'_>) -> Rect {
    let whole = ui.available_rect_before_wrap();
    let dock = if parts.shell.panels_hidden { Dock::empty() } else { parts.shell.dock.clone() };
    let placed = arrange(&dock, whole);
    let mut tree = tree_of(&placed);
    let dragged = tree.dragged_id(ui.ctx()).and_then(|tile| match tree.tiles.get_pane(&tile) {
        Some(Pane::Panel(panel)) => Some(*panel),
        _ => None,
    });
    parts.shell.drags_panel = dragged.is_some();
    tree.ui(&mut Drawing { parts: &mut parts, dock: &dock, placed: &placed }, ui);
    line::lines_ui(ui, parts.theme, &placed, &tree, parts.out);
    if let Some(panel) = dragged {
        place::drop_ui(ui, parts.theme, &dock, &placed, panel, parts.out);
    }
    placed.map
}

/// The tree with the places that were worked out. Ids of panels and map are the same in every frame.
fn tree_of(placed: &Placed) -> Tree<Pane> {
    let mut tiles = Tiles::default();
    for tile in &placed.tiles {
        let made = match tile {
            Tile::Map => egui_tiles::Tile::Pane(Pane::Map),
            Tile::Rest { .. } => egui_tiles::Tile::Pane(Pane::Rest),
            Tile::Group { group, .. } => {
                for panel in group.panels() {
                    tiles.insert(tile_of(*panel), egui_tiles::Tile::Pane(Pane::Panel(*panel)));
                }
                let mut tabs = egui_tiles::Tabs::new(group.panels().iter().copied().map(tile_of).collect());
                tabs.set_active(tile_of(group.front()));
                egui_tiles::Tile::Container(Container::Tabs(tabs))
            }
            Tile::Split { direction, children, .. } => {
                let dir = if *direction == Direction::Row { LinearDir::Horizontal } else { LinearDir::Vertical };
                let mut linear = Linear::new(dir, children.iter().map(|(id, _)| TileId::from_u64(*id)).collect());
                children.iter().for_each(|(id, length)| linear.shares.set_share(TileId::from_u64(*id), *length));
                egui_tiles::Tile::Container(Container::Linear(linear))
            }
        };
        tiles.insert(TileId::from_u64(tile.id()), made);
    }
    Tree::new(egui::Id::unique("dock"), TileId::from_u64(arrange::ROOT), tiles)
}

fn tile_of(panel: Panel) -> TileId {
    TileId::from_u64(arrange::FIRST_PANEL + panel as u64)
}

/// Shows the tiles to `egui_tiles`.
struct Drawing<'a, 'b> {
    parts: &'a mut Parts<'b>,
    dock: &'a Dock,
    placed: &'a Placed,
}

impl Drawing<'_, '_> {
    fn group(&self, panel: Panel) -> Option<(&Group, Rect)> {
        self.placed.groups().find(|(group, _)| group.panels().contains(&panel))
    }

    fn map_ui(&mut self, ui: &mut Ui) {
        let Parts { theme, editor, shell, viewport, gpu, out } = self.parts;
        if editor.active().is_some() {
            viewport.ui(ui, theme, editor, shell, *gpu);
        } else {
            viewport.let_go_others(ui.ctx(), None);
            super::start::empty_ui(ui, theme, editor, out);
        }
    }

    fn panel_ui(&mut self, ui: &mut Ui, panel: Panel) {
        let Parts { theme, editor, shell, out, .. } = self.parts;
        let frame = egui::Frame::new().inner_margin(egui::Margin { left: MARGIN, right: MARGIN, top: 2, bottom: 4 });
        let mut content = |ui: &mut Ui| {
            frame.show(ui, |ui| panel::panel_ui(ui, panel, theme, editor, shell, out));
        };
        if panel::scrolls_itself(panel) {
            content(ui);
        } else {
            ScrollArea::vertical().auto_shrink(false).show(ui, content);
        }
    }
}

impl Behavior<Pane> for Drawing<'_, '_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        let rect = ui.max_rect();
        // What stands in a panel, and the map, is known by the same id wherever it is drawn.
        let child = |name: &str| UiBuilder::new().max_rect(rect).scope_id(egui::Id::unique(("dock", name)));
        match pane {
            Pane::Map => {
                let mut ui = ui.new_child(child("viewport"));
                ui.set_clip_rect(rect.intersect(ui.clip_rect()));
                self.map_ui(&mut ui);
            }
            Pane::Rest => {
                ui.painter().rect_filled(rect, 0, self.parts.theme.panel);
            }
            Pane::Panel(panel) => {
                ui.painter().rect_filled(rect, 0, self.parts.theme.panel);
                if self.group(*panel).is_some_and(|(group, _)| !group.is_folded()) {
                    let named = child(panel.id()).accessibility_role(egui::accesskit::Role::Pane).accessibility_label(panel.label());
                    let mut ui = ui.new_child(named);
                    ui.set_clip_rect(rect.intersect(ui.clip_rect()));
                    self.panel_ui(&mut ui, *panel);
                }
            }
        }
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> egui::WidgetText {
        match pane {
            Pane::Panel(panel) => panel.label().into(),
            Pane::Map | Pane::Rest => "".into(),
        }
    }

    fn tab_ui(&mut self, tiles: &mut Tiles<Pane>, ui: &mut Ui, id: egui::Id, tile: TileId, _: &TabState) -> egui::Response {
        let shown = match tiles.get_pane(&tile) {
            Some(Pane::Panel(panel)) => self.group(*panel).map(|(group, rect)| (*panel, group.clone(), rect)),
            _ => None,
        };
        let Some((panel, group, rect)) = shown else { return ui.interact(Rect::NOTHING, id, egui::Sense::hover()) };
        title::title_ui(ui, self.parts.theme, self.dock, &group, rect, panel, id, self.parts.out)
    }

    fn top_bar_right_ui(&mut self, _: &Tiles<Pane>, ui: &mut Ui, _: TileId, tabs: &egui_tiles::Tabs, _: &mut f32) {
        let front = tabs.active.and_then(|active| Panel::ALL.into_iter().find(|panel| tile_of(*panel) == active));
        if let Some(panel) = front {
            title::menu_button_ui(ui, self.parts.theme, self.dock, panel, self.parts.out);
        }
    }

    fn drag_ui(&mut self, tiles: &Tiles<Pane>, ui: &mut Ui, tile: TileId) {
        if let Some(Pane::Panel(panel)) = tiles.get_pane(&tile) {
            let theme = self.parts.theme;
            let frame = egui::Frame::new().fill(theme.field).stroke(Stroke::new(1.0, theme.line)).corner_radius(theme::RADIUS);
            frame.inner_margin(egui::Margin::symmetric(8, 4)).show(ui, |ui| ui.label(egui::RichText::new(panel.label()).color(theme.text)));
        }
    }

    // Only panels: what holds several is put elsewhere panel by panel.
    fn is_tile_draggable(&self, tiles: &Tiles<Pane>, tile: TileId) -> bool {
        matches!(tiles.get_pane(&tile), Some(Pane::Panel(_)))
    }

    // `line` does that.
    fn is_container_resizable(&self, _: &Tiles<Pane>, _: TileId) -> bool {
        false
    }

    // The tree is made as it is to be; Ctrl+Tab goes to the next map.
    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions::OFF
    }

    fn cycle_tabs_with_keyboard(&self) -> bool {
        false
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        TITLE_HEIGHT
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        LINE
    }

    fn tab_bar_color(&self, _: &egui::Visuals) -> Color32 {
        self.parts.theme.panel
    }

    fn dragged_overlay_color(&self, _: &egui::Visuals) -> Color32 {
        self.parts.theme.panel.gamma_multiply(0.5)
    }

    fn resize_stroke(&self, _: &egui::Style, _: ResizeState) -> Stroke {
        Stroke::NONE
    }

    // `place` shows where a panel goes.
    fn paint_drag_preview(&self, _: &egui::Visuals, _: &egui::Painter, _: Option<Rect>, _: Rect) {}
}
