//! Map formats: what opens is saved and opens again as the same map, unedited, edited, and without its source.

use spadework::document::{Document, OptionValue, Options, Progress};
use spadework::format::{FormatError, MapFormat, Report, Severity, map_format};

use crate::edits::{GRID, VOXELS, edited};
use crate::{assert_same, source};

/// Sizes that a VXL is read with; the last leaves it to the reader.
const SIZES: [&str; 8] = ["1x1", "2x2", "1x3", "3x2", "4x4", "8x8", "16x16", ""];

/// A VXL: two bytes choose size, mode and an edit, the rest is the file.
pub fn vxl(data: &[u8]) {
    let Some(([choice, edit], file)) = data.split_first_chunk() else { return };
    let size = SIZES[usize::from(choice % 8)];
    // A broken file of unknown size is read as 512×512 columns: a hundred times slower, for a map of nothing but water.
    let lenient = choice & 8 != 0 && !size.is_empty();
    let options = [("size".into(), OptionValue::Text(size.into())), ("lenient".into(), OptionValue::Bool(lenient))];
    check("vxl", file, &options.into(), *edit, !lenient);
}

/// A VMF: a byte chooses an edit, the rest is the file.
pub fn vmf(data: &[u8]) {
    let Some((edit, file)) = data.split_first() else { return };
    let protect = edit & 0x80 != 0;
    let options = [("protect-floor".into(), OptionValue::Bool(protect))];
    check("vmf", file, &options.into(), edit & 0x7f, false);
}

/// An SS14 map: a byte chooses an edit, the rest is the file.
pub fn ss14(data: &[u8]) {
    let Some((edit, file)) = data.split_first() else { return };
    check("ss14", file, &Options::new(), *edit, true);
}

fn check(format: &str, file: &[u8], options: &Options, edit: u8, keeps_bytes: bool) {
    let Some(format) = map_format(format) else { return };
    format.probe(&source(file));
    let mut report = Report::new();
    let Ok(document) = format.read(&source(file), options, &Progress::new(), &mut report) else { return };
    // What reading found out, such as the size, stays so; what we write needs no mending.
    let mut options = document.source.as_ref().map_or_else(|| options.clone(), |source| source.options.clone());
    options.remove("lenient");
    let options = &options;
    let saved = save(format, &document, options).expect("a map that was opened can be saved");
    if keeps_bytes {
        assert!(saved == file, "an unedited map is saved byte for byte");
    }
    let is_kept = report.worst() < Some(Severity::Repair) && format.preflight(&document, options).of(Severity::Loss).next().is_none();
    let again = read(format, &saved, options).expect("a saved map can be opened");
    // An option that changes the map on purpose, such as one that protects the floor, does it once.
    let twice = save(format, &again, options).expect("a saved map can be saved");
    assert!(twice == saved, "what was saved is saved byte for byte");
    if is_kept && !options.values().any(|value| *value == OptionValue::Bool(true)) {
        assert_same(&document, &again, "saved and opened");
    }

    let after = edited(&document, if format.id() == "ss14" { GRID } else { VOXELS }, 1 << (edit % 16));
    // Of a text that is no YAML at all, what the splicer makes may differ: saving says so and writes nothing.
    let is_text = format.id() == "ss14" && serde_yaml::from_slice::<serde_yaml::Value>(file).is_err();
    let written = if is_text { written(format, &after, options) } else { save(format, &after, options) };
    if let Ok(bytes) = written {
        let reread = read(format, &bytes, options).expect("an edited map can be opened");
        let bytes_again = save(format, &reread, options).expect("an edited map can be saved again");
        assert!(bytes_again == bytes, "an edited map is saved byte for byte");
    }

    let mut anew = document.clone();
    anew.source = None;
    if let Ok(bytes) = save(format, &anew, options) {
        read(format, &bytes, options).expect("a map that was written anew can be opened");
    }
}

fn read(format: &dyn MapFormat, bytes: &[u8], options: &Options) -> Result<Document, FormatError> {
    format.read(&source(bytes), options, &Progress::new(), &mut Report::new())
}

/// Writes and verifies as saving does. A file that differs from the map is a fault whatever the map is.
fn save(format: &dyn MapFormat, document: &Document, options: &Options) -> Result<Vec<u8>, FormatError> {
    match written(format, document, options) {
        Err(error @ FormatError::Differs { .. }) => panic!("what was written holds another map: {error:?}"),
        other => other,
    }
}

fn written(format: &dyn MapFormat, document: &Document, options: &Options) -> Result<Vec<u8>, FormatError> {
    let mut bytes = vec![];
    format.write(document, &mut bytes, options, &Progress::new(), &mut Report::new())?;
    format.verify(document, &source(&bytes), options, &Progress::new())?;
    Ok(bytes)
}
