//! Icons: one family, as a font.

use egui::{Color32, FontData, FontDefinitions, FontFamily, FontId, RichText, Sense, Ui};

/// Name of the icon font's family.
const FAMILY: &str = "icons";

/// Makes the icon font known to egui.
pub fn install(ctx: &egui::Context) {
    let mut fonts = FontDefinitions::default();
    fonts.font_data.insert(FAMILY.into(), FontData::from_static(lucide_icons::LUCIDE_FONT_BYTES).into());
    fonts.families.insert(FontFamily::Name(FAMILY.into()), vec![FAMILY.into()]);
    ctx.set_fonts(fonts);
}

/// The glyph of an icon by its name in the family, `paintbrush`. Unknown names show a question mark.
pub fn glyph(name: &str) -> char {
    lucide_icons::Icon::try_from(name).map_or_else(|_| lucide_icons::Icon::CircleQuestionMark.unicode(), lucide_icons::Icon::unicode)
}

/// The font of icons at a size in points.
pub fn font(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(FAMILY.into()))
}

/// An icon as text for a button or label.
pub fn text(name: &str, size: f32) -> RichText {
    RichText::new(glyph(name)).font(font(size))
}

/// An icon that says something by itself: `said` is that, for those who hear it.
pub fn sign(ui: &mut Ui, name: &str, size: f32, color: Color32, said: &str) {
    let galley = ui.painter().layout_no_wrap(glyph(name).into(), font(size), color);
    let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, said));
    ui.painter().galley(rect.min, galley, color);
}

#[cfg(test)]
mod tests {
    use crate::tool::TOOLS;

    #[test]
    fn every_tool_has_an_icon_of_the_family() {
        for spec in TOOLS {
            assert!(lucide_icons::Icon::try_from(spec.icon).is_ok(), "{}: {}", spec.id, spec.icon);
        }
    }
}
