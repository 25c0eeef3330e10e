//! Palettes of PNG pictures that the decoder would stumble over.

use png::{ColorType, Info};

use super::FormatError;

/// Fails for a palette that is cut within a color, or has less colors than opacities: the decoder takes neither for possible (png 0.18.1).
pub(super) fn check_palette(info: &Info<'_>) -> Result<(), FormatError> {
    let Some(palette) = info.palette.as_deref().filter(|_| info.color_type == ColorType::Indexed) else { return Ok(()) };
    let (colors, rest) = palette.as_chunks::<3>();
    if rest.is_empty() && info.trns.as_deref().unwrap_or_default().len() <= colors.len() {
        Ok(())
    } else {
        Err(FormatError::Unsupported { what: "a PNG picture with a damaged palette" })
    }
}
