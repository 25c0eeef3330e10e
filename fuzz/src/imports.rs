//! Imports: models and pictures of other programs become voxels from the origin, or an error, by any option. Palettes, too.

use spadework::document::{Document, GameProfile, OptionValue, Options, Progress};
use spadework::format::{
    IMPORTS, ImportFiles, Imported, OptionKind, Report, Severity, export, import, read_swatches, recognize_import, write_swatches,
};
use spadework::geom::VoxelPos;

use crate::source;

/// One byte chooses the import, and whether each option is as it is by default; the rest is the file.
pub fn imports(data: &[u8]) {
    let Some((choice, file)) = data.split_first() else { return };
    palette(file);
    let source = source(file);
    recognize_import(&source, Some("png"));
    let Some(import) = IMPORTS.get(usize::from(choice & 0x0f) % IMPORTS.len()) else { return };
    let is_other = choice & 0x80 != 0;
    let flipped = import.options().iter().filter_map(|option| match option.kind {
        OptionKind::Bool { default } => Some((option.name.into(), OptionValue::Bool(default != is_other))),
        _ => None,
    });
    let options: Options = flipped.collect();
    let colors = (is_other && import.takes_colors()).then_some(&source as _);
    let files = ImportFiles { main: &source, colors };
    let Ok(imported) = import.read(&files, &options, &Progress::new(), &mut Report::new()) else { return };
    check(imported);
}

/// A palette that is read is written and read again as it was, but for names that its kind does not hold.
fn palette(file: &[u8]) {
    let Ok((format, swatches)) = read_swatches(file) else { return };
    let again = read_swatches(&write_swatches(format, "", &swatches)).expect("a written palette can be read");
    assert_eq!((again.0, again.1), (format, swatches), "written and read");
}

fn check(imported: Imported) {
    let bounds = imported.store.bounds();
    assert_eq!(bounds.min(), VoxelPos::ZERO, "an import begins at the origin");
    assert!(!bounds.is_empty(), "an import holds a voxel at least");
    if imported.store.solid_count() > 1 << 18 {
        return;
    }
    // A model that MagicaVoxel can hold comes back by an export, as far as it is solid.
    let model = Document::new(imported.store, &GameProfile::FREE);
    let (Some(to), Some(from)) = (export("vox"), import("magicavoxel")) else { return };
    let (options, mut bytes) = (Options::new(), vec![]);
    let report = to.preflight(&model, &options);
    if to.write(&model, &mut bytes, &options, &Progress::new(), &mut Report::new()).is_err() || report.worst() > Some(Severity::Info) {
        return;
    }
    let file = source(&bytes);
    let files = ImportFiles { main: &file, colors: None };
    let again = from.read(&files, &options, &Progress::new(), &mut Report::new()).expect("an exported model can be imported");
    assert_eq!(model.store().solid_count(), again.store.solid_count(), "exported and imported");
}
