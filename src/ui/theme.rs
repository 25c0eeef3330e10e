//! Colours, spacing and text sizes of the window, in one table. No other file of `ui/` names a colour.

use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Vec2};

use crate::document::Team;
use crate::edit::Mode;
use crate::voxel::Rgb;

/// The tokens that everything is drawn with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theme {
    /// Whether it is the dark one.
    pub dark: bool,
    /// Behind everything: menu bar, status bar.
    pub back: Color32,
    /// Panels.
    pub panel: Color32,
    /// Fields, buttons at rest.
    pub field: Color32,
    /// Under the pointer.
    pub hover: Color32,
    /// Lines between parts.
    pub line: Color32,
    /// Around what nothing but its outline tells from what is behind it: a box to tick, a color.
    pub edge: Color32,
    /// Headings, values.
    pub text: Color32,
    /// Labels.
    pub text_dim: Color32,
    /// Hints, keys.
    pub text_faint: Color32,
    /// What is active.
    pub accent: Color32,
    /// Behind what is active.
    pub accent_back: Color32,
    /// Adding.
    pub add: Color32,
    /// Removing.
    pub remove: Color32,
    /// Painting.
    pub paint: Color32,
    /// Something to look at.
    pub warn: Color32,
    /// Something that failed.
    pub error: Color32,
    /// Team blue.
    pub team_blue: Color32,
    /// Team green.
    pub team_green: Color32,
    /// Belonging to nobody.
    pub neutral: Color32,
    /// Arrows along x, y and z.
    pub axes: [Color32; 3],
    /// Walls among the things of a map.
    pub wall: Color32,
    /// Windows among them.
    pub glass: Color32,
    /// Doors among them.
    pub door: Color32,
}

/// Height of the menu bar in points.
pub const MENU_HEIGHT: f32 = 28.0;
/// Height of the option row.
pub const OPTIONS_HEIGHT: f32 = 36.0;
/// Width of the tool strip.
pub const STRIP_WIDTH: f32 = 40.0;
/// Height of the status bar.
pub const STATUS_HEIGHT: f32 = 24.0;
/// Size of small text.
pub const SMALL: f32 = 11.0;
/// Size of text.
pub const BODY: f32 = 13.0;
/// Size of icons in the strip.
pub const ICON: f32 = 18.0;
/// The one corner radius.
pub const RADIUS: u8 = 4;

const fn grey(level: u8) -> Color32 {
    Color32::from_rgb(level, level, level)
}

impl Theme {
    /// The usual one.
    pub const DARK: Self = Self {
        dark: true,
        back: grey(0x1b),
        panel: grey(0x23),
        field: grey(0x2f),
        hover: grey(0x3a),
        line: grey(0x12),
        edge: grey(0x84),
        text: grey(0xe4),
        text_dim: grey(0xb2),
        text_faint: grey(0x98),
        accent: Color32::from_rgb(0x6a, 0xa9, 0xff),
        accent_back: Color32::from_rgb(0x24, 0x42, 0x6b),
        add: Color32::from_rgb(0x5b, 0xa8, 0xff),
        remove: Color32::from_rgb(0xff, 0x6b, 0x62),
        paint: Color32::from_rgb(0xf2, 0xc7, 0x4b),
        warn: Color32::from_rgb(0xe8, 0xb0, 0x4a),
        error: Color32::from_rgb(0xff, 0x7b, 0x72),
        team_blue: Color32::from_rgb(0x4f, 0x8d, 0xff),
        team_green: Color32::from_rgb(0x4c, 0xc9, 0x5a),
        neutral: Color32::from_rgb(0xc8, 0xc8, 0xc8),
        axes: [Color32::from_rgb(0xff, 0x70, 0x70), Color32::from_rgb(0x7c, 0xd6, 0x6c), Color32::from_rgb(0x6a, 0xa9, 0xff)],
        wall: grey(0x84),
        glass: Color32::from_rgb(0x7c, 0xb4, 0xd4),
        door: Color32::from_rgb(0xb4, 0x8a, 0x4c),
    };

    /// For bright rooms.
    pub const LIGHT: Self = Self {
        dark: false,
        back: grey(0xe6),
        panel: grey(0xf3),
        field: grey(0xff),
        hover: grey(0xe0),
        line: grey(0xcb),
        edge: grey(0x7e),
        text: grey(0x1c),
        text_dim: grey(0x48),
        text_faint: grey(0x66),
        accent: Color32::from_rgb(0x1f, 0x5f, 0xc4),
        accent_back: Color32::from_rgb(0xcf, 0xe0, 0xfa),
        add: Color32::from_rgb(0x1f, 0x6f, 0xd6),
        remove: Color32::from_rgb(0xc8, 0x32, 0x2a),
        paint: Color32::from_rgb(0x9a, 0x70, 0x00),
        warn: Color32::from_rgb(0x8a, 0x5a, 0x00),
        error: Color32::from_rgb(0xb4, 0x23, 0x18),
        team_blue: Color32::from_rgb(0x1f, 0x5f, 0xd8),
        team_green: Color32::from_rgb(0x1c, 0x87, 0x35),
        neutral: Color32::from_rgb(0x70, 0x70, 0x70),
        axes: [Color32::from_rgb(0xc8, 0x2c, 0x2c), Color32::from_rgb(0x1c, 0x80, 0x2c), Color32::from_rgb(0x1f, 0x5f, 0xc4)],
        wall: grey(0x6c),
        glass: Color32::from_rgb(0x4c, 0x90, 0xb8),
        door: Color32::from_rgb(0x96, 0x6a, 0x28),
    };

    /// Colour of a mode.
    pub fn mode(&self, mode: Mode) -> Color32 {
        match mode {
            Mode::Add | Mode::Set => self.add,
            Mode::Remove => self.remove,
            Mode::Paint => self.paint,
        }
    }

    /// Colour of a team; `None` is neutral.
    pub fn team(&self, team: Option<Team>) -> Color32 {
        match team {
            Some(Team::Blue) => self.team_blue,
            Some(Team::Green) => self.team_green,
            None => self.neutral,
        }
    }

    /// The one that a part of the window is drawn with.
    pub fn shown(ui: &egui::Ui) -> Self {
        if ui.visuals().dark_mode { Self::DARK } else { Self::LIGHT }
    }

    /// Makes egui look like this theme.
    pub fn apply(&self, ctx: &egui::Context) {
        ctx.set_theme(if self.dark { egui::Theme::Dark } else { egui::Theme::Light });
        let theme = *self;
        ctx.all_styles_mut(move |style| theme.apply_to(style));
    }

    fn apply_to(&self, style: &mut egui::Style) {
        let body = FontId::new(BODY, FontFamily::Proportional);
        style.text_styles = [
            (TextStyle::Small, FontId::new(SMALL, FontFamily::Proportional)),
            (TextStyle::Body, body.clone()),
            (TextStyle::Button, body.clone()),
            (TextStyle::Heading, body),
            (TextStyle::Monospace, FontId::new(12.0, FontFamily::Monospace)),
        ]
        .into();
        style.animation_time = 0.08;
        // The wheel moves what goes to the side only, too: tabs, a row of options that is too wide.
        style.always_scroll_the_only_direction = true;
        style.spacing.item_spacing = Vec2::new(8.0, 4.0);
        style.spacing.button_padding = Vec2::new(8.0, 3.0);
        style.spacing.interact_size = Vec2::new(32.0, 22.0);
        style.spacing.window_margin = Margin::same(16);
        style.spacing.menu_margin = Margin::same(4);
        style.spacing.combo_width = 80.0;
        style.spacing.slider_width = 120.0;
        style.spacing.scroll.bar_width = 6.0;
        style.interaction.tooltip_delay = 0.4;
        style.interaction.selectable_labels = false;

        let radius = CornerRadius::same(RADIUS);
        let visuals = &mut style.visuals;
        visuals.dark_mode = self.dark;
        visuals.override_text_color = None;
        visuals.weak_text_color = Some(self.text_faint);
        visuals.hyperlink_color = self.accent;
        visuals.faint_bg_color = self.panel;
        visuals.extreme_bg_color = self.field;
        visuals.text_edit_bg_color = Some(self.field);
        visuals.code_bg_color = self.field;
        visuals.warn_fg_color = self.warn;
        visuals.error_fg_color = self.error;
        visuals.panel_fill = self.panel;
        visuals.window_fill = self.panel;
        visuals.window_stroke = Stroke::new(1.0, self.line);
        visuals.window_corner_radius = radius;
        visuals.menu_corner_radius = radius;
        visuals.window_shadow = shadow(self.dark, 24);
        visuals.popup_shadow = shadow(self.dark, 12);
        visuals.selection.bg_fill = self.accent_back;
        visuals.selection.stroke = Stroke::new(1.0, self.accent);
        visuals.slider_trailing_fill = true;
        visuals.indent_has_left_vline = false;
        let states = [
            (&mut visuals.widgets.noninteractive, self.panel, self.line, self.text_dim),
            (&mut visuals.widgets.inactive, self.field, Color32::TRANSPARENT, self.text),
            (&mut visuals.widgets.hovered, self.hover, Color32::TRANSPARENT, self.text),
            (&mut visuals.widgets.active, self.accent_back, self.accent, self.text),
            (&mut visuals.widgets.open, self.hover, Color32::TRANSPARENT, self.text),
        ];
        for (widget, fill, line, text) in states {
            widget.bg_fill = fill;
            widget.weak_bg_fill = fill;
            widget.bg_stroke = Stroke::new(1.0, line);
            widget.fg_stroke = Stroke::new(1.0, text);
            widget.corner_radius = radius;
            widget.expansion = 0.0;
        }
    }
}

fn shadow(dark: bool, blur: u8) -> egui::Shadow {
    egui::Shadow { offset: [0, 4], blur, spread: 0, color: Color32::from_black_alpha(if dark { 110 } else { 50 }) }
}

/// A colour of the map as egui has it.
pub fn color32(rgb: Rgb) -> Color32 {
    Color32::from_rgb(rgb.r, rgb.g, rgb.b)
}

/// Bytes of a theme colour with another opacity, as the renderer takes them.
pub fn rgba(color: Color32, alpha: u8) -> [u8; 4] {
    [color.r(), color.g(), color.b(), alpha]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(color: Color32) -> f32 {
        let linear = |byte: u8| {
            let value = f32::from(byte) / 255.0;
            if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
    }

    fn contrast(a: Color32, b: Color32) -> f32 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_can_be_read_on_every_background_of_both_themes() {
        for theme in [Theme::DARK, Theme::LIGHT] {
            for back in [theme.back, theme.panel, theme.field] {
                for text in [theme.text, theme.text_dim, theme.text_faint, theme.warn, theme.error, theme.accent] {
                    let found = contrast(text, back);
                    assert!(found >= 4.5, "dark {} {text:?} on {back:?}: {found}", theme.dark);
                }
                for icon in [theme.add, theme.remove, theme.paint, theme.team_blue, theme.team_green, theme.neutral] {
                    assert!(contrast(icon, back) >= 3.0, "dark {} {icon:?} on {back:?}", theme.dark);
                }
            }
            assert!(contrast(theme.text, theme.accent_back) >= 4.5);
        }
    }

    #[test]
    fn outlines_stand_out_from_every_background_of_both_themes() {
        for theme in [Theme::DARK, Theme::LIGHT] {
            for back in [theme.back, theme.panel, theme.field, theme.hover] {
                let found = contrast(theme.edge, back);
                assert!(found >= 3.0, "dark {} on {back:?}: {found}", theme.dark);
            }
        }
    }

    /// The least contrast of any line that is drawn around it with what is behind it.
    #[track_caller]
    fn check_outlined(theme: Theme, add: fn(&mut egui::Ui)) {
        let context = egui::Context::default();
        theme.apply(&context);
        let mut output = context.run_ui(egui::RawInput::default(), add);
        // Nothing is drawn here.
        output.textures_delta.clear();
        let strokes = output.shapes.iter().filter_map(|shape| match &shape.shape {
            egui::Shape::Rect(rect) => Some(rect.stroke),
            egui::Shape::Circle(circle) => Some(circle.stroke),
            _ => None,
        });
        let found = strokes.filter(|stroke| stroke.width >= 1.0).map(|stroke| contrast(stroke.color, theme.panel)).fold(0.0, f32::max);
        assert!(found >= 3.0, "dark {}: {found}", theme.dark);
    }

    #[test]
    fn what_can_be_ticked_or_taken_is_seen_in_both_themes() {
        for theme in [Theme::DARK, Theme::LIGHT] {
            check_outlined(theme, |ui| _ = crate::ui::widget::checkbox(ui, &mut false, "Steps"));
            check_outlined(theme, |ui| _ = crate::ui::widget::radio(ui, false, "Up"));
            for color in [Rgb::new(0, 0, 0), Rgb::new(255, 255, 255), Rgb::new(0x23, 0x23, 0x23)] {
                let context = egui::Context::default();
                theme.apply(&context);
                let mut output = context.run_ui(egui::RawInput::default(), |ui| {
                    crate::ui::widget::swatch(ui, &theme, color, false, 20.0);
                });
                output.textures_delta.clear();
                let is_outlined = |shape: &egui::Shape| matches!(shape, egui::Shape::Rect(rect) if rect.stroke.color == theme.edge);
                assert!(output.shapes.iter().any(|shape| is_outlined(&shape.shape)), "{color}");
            }
        }
    }
}
