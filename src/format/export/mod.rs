//! Exports: other kinds of files that a map can be written to, and is not read back from.
//!
//! An export is one file here plus one entry in [`EXPORTS`]; menus, options and the test loops come from that
//! list. An export tells its losses in [`Export::preflight`] and does not repeat them while it writes.

mod glb;
mod options;
mod palette;
mod picture;
mod solids;
mod vox;

pub use solids::hidden_colors;

use std::io::Write;

use super::{DOES_NOT_FIT, FormatError, OptionSpec, Report, Severity, losses};
use crate::document::{Options, Progress, Property, Snapshot};

/// A kind of file that maps are written to only.
pub trait Export: Sync {
    /// Stable id, lower case: `vox`.
    fn id(&self) -> &'static str;

    /// Name in menus and dialogs: `MagicaVoxel model`.
    fn label(&self) -> &'static str;

    /// Extensions without dot, lower case, the usual one first.
    fn extensions(&self) -> &'static [&'static str];

    /// Options for writing.
    fn options(&self) -> &'static [OptionSpec] {
        &[]
    }

    /// What the file would not hold, before a byte is written.
    fn preflight(&self, snapshot: &Snapshot, options: &Options) -> Report;

    /// Writes the file.
    ///
    /// # Errors
    /// If the sink fails, the work is cancelled, or the file cannot hold the map at all.
    fn write(
        &self,
        snapshot: &Snapshot,
        sink: &mut dyn Write,
        options: &Options,
        progress: &Progress,
        report: &mut Report,
    ) -> Result<(), FormatError>;
}

/// Every export, in menu order. Where several have an extension, the first is meant by it.
pub const EXPORTS: &[&dyn Export] = &[&vox::Vox, &glb::Glb, &picture::Top, &picture::Height, &picture::Color];

/// The export of that id.
pub fn export(id: &str) -> Option<&'static dyn Export> {
    EXPORTS.iter().copied().find(|export| export.id() == id)
}

/// The first export whose extensions hold this one (any case).
pub fn export_by_extension(extension: &str) -> Option<&'static dyn Export> {
    EXPORTS.iter().copied().find(|export| export.extensions().iter().any(|own| own.eq_ignore_ascii_case(extension)))
}

/// Tells what no export has room for; `what` is the file in words.
fn tell_dropped(snapshot: &Snapshot, what: &str, is_held: impl Fn(&Property) -> bool, report: &mut Report) {
    losses::volumes(snapshot, report);
    losses::objects(snapshot, what, report);
    losses::metadata(snapshot, what, is_held, report);
    losses::extras(snapshot, what, report);
}

/// Tells what stops the export, which comes again from `write` as an error.
fn tell_failure(result: Result<(), FormatError>, report: &mut Report) {
    if let Err(error) = result {
        report.push(Severity::Problem, DOES_NOT_FIT, format!("The export will fail: {error}"));
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::document::{Document, GameProfile, OptionValue};
    use crate::format::OptionKind;
    use crate::geom::Region;
    use crate::voxel::{Paint, Rgb, Store, StoreEdit, Voxel};

    /// Hills with caves.
    fn hills() -> Document {
        let mut store = Store::new(Region::of_size(IVec3::new(64, 64, 64)));
        let mut edit = StoreEdit::new(&store);
        for at in store.bounds().positions().filter(|at| at.z > 40 + (at.x * at.y) % 17 && (at.x + at.z) % 9 > 1) {
            edit.set(at, Some(Voxel::new(Rgb::new(at.x as u8 * 4, at.y as u8 * 4, at.z as u8))));
        }
        let changes = edit.finish();
        store.apply(&changes);
        Document::new(store, &GameProfile::ACE_OF_SPADES)
    }

    fn written(export: &dyn Export, map: &Document, options: &Options) -> Result<Vec<u8>, FormatError> {
        let mut bytes = vec![];
        export.write(map, &mut bytes, options, &Progress::new(), &mut Report::new()).map(|()| bytes)
    }

    #[test]
    fn every_export_writes_the_same_bytes_twice_and_stops_when_cancelled() {
        let map = hills();
        for export in EXPORTS {
            let first = written(*export, &map, &Options::new()).unwrap();
            assert!(first.len() > 100, "{}", export.id());
            assert!(first == written(*export, &map, &Options::new()).unwrap(), "{}", export.id());
            assert_eq!(export.preflight(&map, &Options::new()).of(Severity::Problem).count(), 0, "{}", export.id());
            let cancelled = Progress::new();
            cancelled.cancel();
            let result = export.write(&map, &mut vec![], &Options::new(), &cancelled, &mut Report::new());
            assert!(matches!(result, Err(FormatError::Cancelled(_))), "{}: {result:?}", export.id());
        }
    }

    #[test]
    fn every_export_tells_as_a_loss_that_objects_are_left_out() {
        let mut map = hills();
        let at = crate::document::Anchor { x: 1, y: 2, z: None };
        let marker = |label: &str| crate::document::Object::Marker { label: label.into(), at, role: Default::default(), volume: 0 };
        for label in ["here", "there"] {
            std::sync::Arc::make_mut(&mut map.objects).push(marker(label));
        }
        for export in EXPORTS {
            let report = export.preflight(&map, &Options::new());
            let losses: Vec<_> = report.of(Severity::Loss).map(|loss| (loss.code, loss.count)).collect();
            assert!(losses.contains(&("objects", 2)), "{}: {losses:?}", export.id());
            assert!(!export.preflight(&hills(), &Options::new()).of(Severity::Loss).any(|loss| loss.code == "objects"), "{}", export.id());
        }
    }

    #[test]
    fn every_export_tells_of_colors_that_are_not_in_it() {
        let of = |map: &Document| -> Vec<(&str, &str, u64)> {
            let told = EXPORTS.iter().flat_map(|export| {
                let codes = ["colors", "colors-below", "hidden-colors"];
                let losses = export.preflight(map, &Options::new()).warnings;
                let losses = losses.into_iter().filter(move |loss| loss.severity == Severity::Loss && codes.contains(&loss.code));
                losses.map(|loss| (export.id(), loss.code, loss.count)).collect::<Vec<_>>()
            });
            told.collect()
        };
        // A box of 3 to each side, its middle colored or not.
        let cube = |middle: Voxel| {
            let bounds = Region::of_size(IVec3::splat(5));
            let mut edit = StoreEdit::new(&Store::new(bounds));
            bounds.grown(-1).positions().for_each(|at| _ = edit.set(at, Some(Voxel::new(Rgb::new(1, 2, 3)))));
            edit.set(IVec3::splat(2), Some(middle));
            Document::new(edit.snapshot(), &GameProfile::ACE_OF_SPADES)
        };
        assert_eq!(of(&cube(Voxel::HIDDEN)), [("top", "colors-below", 17), ("height", "colors", 26), ("color", "colors-below", 17)]);
        let colored = [("glb", "hidden-colors", 1), ("top", "colors-below", 18), ("height", "colors", 27), ("color", "colors-below", 18)];
        assert_eq!(of(&cube(Voxel::new(Rgb::new(9, 9, 9)))), colored);
    }

    #[test]
    fn every_export_tells_what_else_it_has_no_room_for() {
        let mut map = hills();
        let metadata = std::sync::Arc::make_mut(&mut map.metadata);
        (metadata.name, metadata.author) = (Some("Hills".into()), Some("ann".into()));
        let mut edit = StoreEdit::new(map.store());
        let at = map.store().bounds().positions().find(|at| map.store().is_solid(*at)).unwrap();
        let shaded = Voxel { paint: Some(Paint { rgb: Rgb::new(1, 2, 3), shade: 99 }), ..Voxel::HIDDEN };
        edit.set(at, Some(shaded));
        let changes = edit.finish();
        map.store_mut(0).unwrap().apply(&changes);
        let of = |map: &Document, export: &dyn Export, code: &str| -> Vec<String> {
            let report = export.preflight(map, &Options::new());
            report.of(Severity::Loss).filter(|loss| loss.code == code).map(|loss| loss.sentence()).collect()
        };
        for export in EXPORTS {
            let told = of(&map, *export, "metadata");
            let expected = if export.id() == "glb" { "mesh: author" } else { ": name, author" };
            assert!(told.len() == 1 && told[0].ends_with(expected), "{}: {told:?}", export.id());
            assert!(of(&hills(), *export, "metadata").is_empty() && of(&hills(), *export, "shade").is_empty(), "{}", export.id());
            let shades = if export.id() == "height" { vec![] } else { vec!["The shade of 1 voxel is not kept".to_owned()] };
            assert_eq!(of(&map, *export, "shade"), shades, "{}", export.id());
            // What else is lost takes no loss out of the report.
            let hollow = |map: &Document| of(map, *export, "hollow-columns");
            assert_eq!(hollow(&map), hollow(&hills()), "{}", export.id());
            assert_eq!(hollow(&map).is_empty(), export.id() != "height", "{}", export.id());
        }
    }

    #[test]
    fn every_option_takes_its_values_and_refuses_others() {
        let map = hills();
        for export in EXPORTS {
            assert!(std::ptr::addr_eq(super::export(export.id()).unwrap(), *export));
            for spec in export.options() {
                let values = match spec.kind {
                    OptionKind::Bool { .. } => vec![OptionValue::Bool(false), OptionValue::Bool(true)],
                    OptionKind::Int { min, max, default } => [min, max, default].map(OptionValue::Int).to_vec(),
                    OptionKind::Text { default } | OptionKind::Curve { default } => vec![OptionValue::Text(default.into())],
                    OptionKind::Choice { choices } => choices.iter().map(|(choice, _)| OptionValue::Text((*choice).into())).collect(),
                    OptionKind::Folder => panic!("only map formats read folders"),
                };
                for value in values {
                    written(*export, &map, &Options::from([(spec.name.into(), value)])).unwrap();
                }
                let wrong = Options::from([(spec.name.into(), OptionValue::Text("\u{0}?".into()))]);
                let result = written(*export, &map, &wrong);
                assert!(matches!(result, Err(FormatError::BadOption { name, .. }) if name == spec.name), "{}: {result:?}", export.id());
                assert!(export.preflight(&map, &wrong).worst() >= Some(Severity::Problem), "{}", export.id());
            }
        }
    }

    #[test]
    fn maps_of_any_size_are_written_or_refused_and_never_panic() {
        let sizes = [[0, 0, 0], [1, 1, 1], [0, 5, 64], [300, 2, 9], [1, 1, 700], [40_000, 1, 1], [1, 1, 70_000], [1 << 30, 2, 2]];
        for [x, y, z] in sizes {
            let bounds = Region::of_size(IVec3::new(x, y, z)).shifted(IVec3::new(-7, 3, -40));
            let mut store = Store::new(bounds);
            let mut edit = StoreEdit::new(&store);
            if !bounds.is_empty() {
                edit.set(bounds.min(), Some(Voxel::HIDDEN));
                edit.set(bounds.max() - 1, Some(Voxel::HIDDEN));
            }
            let changes = edit.finish();
            store.apply(&changes);
            let map = Document::new(store, &GameProfile::FREE);
            for export in EXPORTS {
                // Looking at every column of the widest would take minutes; it must be refused before.
                let result = written(*export, &map, &Options::new());
                if let Err(error) = result {
                    assert!(matches!(error, FormatError::DoesNotFit { .. }), "{}: {error}", export.id());
                    assert!(export.preflight(&map, &Options::new()).worst() >= Some(Severity::Problem), "{}", export.id());
                }
            }
        }
    }
}
