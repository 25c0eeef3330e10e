//! One plugin per file format or sidecar: bytes ↔ document. No paths, no UI.
//!
//! A plugin is one file (or folder) plus one entry in [`MAP_FORMATS`] or [`SIDECARS`]; things of other
//! programs that are only read, such as models and heightmaps, are in [`IMPORTS`]. Menus, dialogs,
//! `--set` options and the test loops come from these lists. Plugins never name each other.
//!
//! Fidelity is stateless: a document keeps the bytes it was read from, and `write` re-emits only what
//! differs from them. Nobody tracks "touched"; an edit that was undone gives identical bytes.

mod error;
mod export;
mod import;
mod losses;
mod merge;
mod piqueserver;
mod png_palette;
mod project;
mod report;
mod source;
mod spadesx;
pub mod ss14;
mod swatches;
mod vmf;
pub mod vxl;
pub(crate) mod yaml;

pub use error::FormatError;
pub use export::{EXPORTS, Export, export, export_by_extension, hidden_colors};
pub use import::{
    IMPORTS, Import, ImportFiles, ImportKind, Imported, Picture, import, import_by_extension, read_picture, recognize_import,
};
pub use report::{DOES_NOT_FIT, JSON_NOT_WRITTEN, OUTSIDE_SLICE, READ_ONLY, Report, SHADE, SPAWN_GUESSED, Severity, Warning, some};
pub use source::{Folder, FolderEntry, MemorySource, Source};
pub use swatches::{MAX_SWATCH_BYTES, MAX_SWATCHES, SwatchFormat, read_swatches, says_more, swatch_name, write_swatches};

use std::io::Write;

use crate::document::{Document, GameProfile, Options, Progress, Snapshot, SourceFile};

/// How sure a format is that bytes are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Certainly something else.
    No,
    /// Nothing speaks against it; the file's extension decides.
    Possible,
    /// The content looks like it.
    Likely,
    /// The content is that and nothing else.
    Sure,
}

/// What an option of a format takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// On or off.
    Bool {
        /// Value where not given.
        default: bool,
    },
    /// A whole number within a range, both ends included.
    Int {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
        /// Value where not given.
        default: i64,
    },
    /// Free text, such as `512x512`.
    Text {
        /// Value where not given.
        default: &'static str,
    },
    /// A [`LevelCurve`](crate::geom::LevelCurve) as text: an exponent, or points such as `0:0,0.5:0.3,1:1`.
    Curve {
        /// Value where not given.
        default: &'static str,
    },
    /// One of some words, which is a [`Text`](crate::document::OptionValue::Text); the first where not given.
    Choice {
        /// Each word as typed, and what a dialog calls it.
        choices: &'static [(&'static str, &'static str)],
    },
    /// Path of a folder, none where not given: its files become other options, by [`MapFormat::read_folder`].
    Folder,
}

/// An option of a format: dialogs and `--set name=value` are made from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Name as typed, in kebab case.
    pub name: &'static str,
    /// One sentence for the dialog and the help.
    pub help: &'static str,
    /// What it takes.
    pub kind: OptionKind,
}

/// A map file format.
pub trait MapFormat: Sync {
    /// Stable id, lower case: `vxl`.
    fn id(&self) -> &'static str;

    /// Name in menus and dialogs: `Ace of Spades map`.
    fn label(&self) -> &'static str;

    /// Extensions without dot, lower case, the usual one first.
    fn extensions(&self) -> &'static [&'static str];

    /// Options for reading and writing.
    fn options(&self) -> &'static [OptionSpec] {
        &[]
    }

    /// Puts what the folder of an option of the kind [`OptionKind::Folder`] says in the place of that option.
    ///
    /// # Errors
    /// [`FormatError::WrongFolder`] if it is no such folder, or what reading it fails with.
    fn read_folder(&self, name: &str, folder: &dyn Folder, options: &mut Options, report: &mut Report) -> Result<(), FormatError> {
        let _ = (name, folder, options, report);
        Err(FormatError::Unsupported { what: "an option that names a folder" })
    }

    /// Names of the options that a mapper is asked about before a map is saved in this format anew.
    fn asked_when_saving(&self, snapshot: &Snapshot) -> &'static [&'static str] {
        let _ = snapshot;
        &[]
    }

    /// Looks at the content. Must be quick and must not fail.
    fn probe(&self, source: &dyn Source) -> Certainty;

    /// Memory that opening a file of that size takes, about; at least, where the content decides. In bytes.
    fn memory_needed(&self, size_bytes: u64) -> u64 {
        size_bytes
    }

    /// Length of the longest file that is read, in bytes.
    fn max_bytes(&self) -> u64 {
        u64::MAX
    }

    /// Reads a map. The document keeps what [`write`](Self::write) needs to be faithful.
    ///
    /// # Errors
    /// A [`FormatError`] that names the offset or line, if nothing usable remains. Whatever could be
    /// read but not understood goes to the report instead.
    fn read(&self, source: &dyn Source, options: &Options, progress: &Progress, report: &mut Report) -> Result<Document, FormatError>;

    /// Whether reading leniently can help with a broken file, where the format has that option.
    fn can_mend(&self, source: &dyn Source) -> bool {
        let _ = source;
        true
    }

    /// The game that maps of this format are for; `None` where that is left open.
    fn profile(&self) -> Option<&'static GameProfile> {
        None
    }

    /// Tells as losses what files of this format keep of a source that no other format is given.
    fn tell_only_here(&self, source: &SourceFile, report: &mut Report) {
        let _ = (source, report);
    }

    /// What writing would lose or change, before a byte is written.
    fn preflight(&self, snapshot: &Snapshot, options: &Options) -> Report;

    /// Bytes that the written map takes on a disk at least, where that is quickly known; 0 where it is not. Long runs of zeros take none.
    fn least_size(&self, snapshot: &Snapshot) -> u64 {
        let _ = snapshot;
        0
    }

    /// Writes the map.
    ///
    /// # Errors
    /// If the sink fails, the work is cancelled, or the format cannot hold the document at all.
    fn write(
        &self,
        snapshot: &Snapshot,
        sink: &mut dyn Write,
        options: &Options,
        progress: &Progress,
        report: &mut Report,
    ) -> Result<(), FormatError>;

    /// Decodes what was written and compares it with the snapshot, as far as the format can hold it.
    ///
    /// # Errors
    /// [`FormatError::Differs`] with the first place that differs, or whatever reading fails with.
    fn verify(&self, snapshot: &Snapshot, written: &dyn Source, options: &Options, progress: &Progress) -> Result<(), FormatError>;
}

/// A file beside the map that holds what the map file cannot: `name.txt`, `name.toml`.
pub trait Sidecar: Sync {
    /// Stable id, lower case: `piqueserver-txt`.
    fn id(&self) -> &'static str;

    /// What it has in common with those beside maps of other formats that hold the same things; its own id where there are none.
    fn kind(&self) -> &'static str {
        self.id()
    }

    /// Name in dialogs: `piqueserver metadata`.
    fn label(&self) -> &'static str;

    /// Ending of the file name after the map's stem, with its dot: `.txt`.
    fn suffix(&self) -> &'static str;

    /// Ids of the map formats that it accompanies.
    fn accompanies(&self) -> &'static [&'static str];

    /// Bytes of the longest file of its kind that is read, and so of the longest that is written.
    fn most_bytes(&self) -> usize {
        MOST_SIDECAR_BYTES
    }

    /// Whether it is made, for a map of that format, when it is missing and what it holds was edited.
    fn made_when_missing(&self, map_format: &str) -> bool;

    /// Whether it is left alone when a file of the other sidecar's id was read (`.json` beside `.toml`).
    fn superseded_by(&self) -> Option<&'static str> {
        None
    }

    /// Whether it goes along with the map and is read where the one that supersedes it is there, too. Else that one takes what it says over
    /// once something of it is edited, and it is never written.
    fn goes_along(&self) -> bool {
        true
    }

    /// Whether it takes all that is known of a map and that the map's file has no room for.
    fn holds_all(&self) -> bool {
        false
    }

    /// Whether the file may be written anew: a script by somebody else may not.
    fn is_ours(&self, bytes: &[u8]) -> bool {
        let _ = bytes;
        true
    }

    /// Whether the file says that it belongs to another map of the same name: it does not go along to another place.
    fn is_of_other_map(&self, bytes: &[u8]) -> bool {
        let _ = bytes;
        false
    }

    /// Whether a file says anything of its map: none does that cannot be read, that has nothing but comments, or that is another map's.
    fn says_something(&self, bytes: &[u8], map: &Snapshot) -> bool {
        let is_said = |line: &[u8]| !line.trim_ascii().is_empty() && !line.trim_ascii().starts_with(b"#");
        bytes.split(|byte| *byte == b'\n').any(is_said)
            && !self.is_of_other_map(bytes)
            && self.apply(bytes, &mut Document::clone(map), &mut Report::new()).is_ok()
    }

    /// Whether `new` has all that somebody wrote by hand into the file `there`, but for values that can be set.
    fn keeps_handwriting(&self, there: &[u8], new: &[u8]) -> bool {
        self.is_ours(there) || there == new
    }

    /// Whether a file says nothing but what is known of the map as it was opened, though other than a new file would.
    fn says_only_what_is_known(&self, bytes: &[u8], opened: &Snapshot) -> bool {
        let _ = (bytes, opened);
        false
    }

    /// Reads the file into the document: later sidecars override what earlier ones said.
    ///
    /// # Errors
    /// If the file is not what it claims to be at all; whatever is not understood goes to the report.
    fn apply(&self, bytes: &[u8], document: &mut Document, report: &mut Report) -> Result<(), FormatError>;

    /// The file's new content: only what differs from [`Document::opened`] is changed in `previous`.
    ///
    /// `previous` are the bytes that were read when the map was opened, `None` if there were none.
    /// Answers the same bytes where nothing differs, `None` where there is nothing to write.
    ///
    /// # Errors
    /// If `previous` cannot be changed without risk (a script that is not ours); the report says what to do.
    fn write(&self, snapshot: &Snapshot, previous: Option<&[u8]>, report: &mut Report) -> Result<Option<Vec<u8>>, FormatError>;

    /// As [`write`](Self::write) of a file that cannot take every edit: with those that it can, and a loss in the
    /// report for each of the others.
    ///
    /// # Errors
    /// If it can take none.
    fn write_what_fits(&self, snapshot: &Snapshot, previous: &[u8], report: &mut Report) -> Result<Vec<u8>, FormatError> {
        Ok(self.write(snapshot, Some(previous), report)?.unwrap_or_else(|| previous.to_vec()))
    }
}

/// Every map format, in menu order.
pub const MAP_FORMATS: &[&dyn MapFormat] = &[&vxl::Vxl, &vmf::Vmf, &ss14::Ss14];

/// Bytes of the longest file beside a map, of whatever kind.
pub const MOST_SIDECAR_BYTES: usize = 16 << 20;

/// Every sidecar, in the order they are applied: later ones win.
pub const SIDECARS: &[&dyn Sidecar] = &[
    &project::SHARED_WITH_VXL,
    &project::SHARED_WITH_VMF,
    &project::SHARED_WITH_SS14,
    &project::BESIDE_VXL,
    &project::BESIDE_VMF,
    &project::BESIDE_SS14,
    &spadesx::SpadesxJson,
    &spadesx::SpadesxToml,
    &piqueserver::PiqueserverTxt,
];

/// Whether a file beside the map says nothing but what its plugin writes of the map as it was opened: no code, no comment,
/// nothing that only this file holds.
pub fn is_wholly_ours(sidecar: &dyn Sidecar, bytes: &[u8], snapshot: &Snapshot) -> bool {
    let mut opened = snapshot.clone();
    opened.objects = snapshot.opened.objects.clone();
    opened.metadata = snapshot.opened.metadata.clone();
    sidecar.write(&opened, None, &mut Report::new()).is_ok_and(|whole| whole.as_deref() == Some(bytes))
        || sidecar.says_only_what_is_known(bytes, &opened)
}

/// The map format of that id.
pub fn map_format(id: &str) -> Option<&'static dyn MapFormat> {
    MAP_FORMATS.iter().copied().find(|format| format.id() == id)
}

/// The sidecar of that id.
pub fn sidecar(id: &str) -> Option<&'static dyn Sidecar> {
    SIDECARS.iter().copied().find(|sidecar| sidecar.id() == id)
}

/// The format whose usual extensions hold this one (any case).
pub fn map_format_by_extension(extension: &str) -> Option<&'static dyn MapFormat> {
    MAP_FORMATS.iter().copied().find(|format| format.extensions().iter().any(|own| own.eq_ignore_ascii_case(extension)))
}

/// The format that a file is in: what its content says for sure, else its extension, else what its content looks like.
pub fn recognize(source: &dyn Source, extension: Option<&str>) -> Option<&'static dyn MapFormat> {
    recognize_among(MAP_FORMATS, source, extension)
}

/// As [`recognize`], among these formats.
pub fn recognize_among(formats: &[&'static dyn MapFormat], source: &dyn Source, extension: Option<&str>) -> Option<&'static dyn MapFormat> {
    let is_named = |format: &dyn MapFormat| {
        extension.is_some_and(|extension| format.extensions().iter().any(|own| own.eq_ignore_ascii_case(extension)))
    };
    let mut best: Option<((bool, bool, Certainty), &'static dyn MapFormat)> = None;
    for &format in formats {
        let (certainty, is_named) = (format.probe(source), is_named(format));
        if certainty == Certainty::No || (certainty == Certainty::Possible && !is_named) {
            continue;
        }
        let rank = (certainty == Certainty::Sure, is_named, certainty);
        if best.is_none_or(|(other, _)| rank > other) {
            best = Some((rank, format));
        }
    }
    best.map(|(_, format)| format)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::document::{Object, Property, Team};
    use crate::geom::{ColumnRect, Region};
    use crate::voxel::Store;

    #[test]
    fn a_file_that_holds_only_what_is_known_of_the_map_is_told_from_one_that_holds_more() {
        let mut map = Document::new(Store::new(Region::of_size(glam::IVec3::new(512, 512, 64))), &GameProfile::ACE_OF_SPADES);
        Arc::make_mut(&mut map.metadata).set(Property::Name(Some("Hill".into())));
        Arc::make_mut(&mut map.objects).push(Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([1, 2], [3, 4]), z: 0 });
        let sidecar = &piqueserver::PiqueserverTxt;
        let text = sidecar.write(&map, None, &mut Report::new()).unwrap().unwrap();
        map.mark_opened();
        map.source = Some(Arc::new(SourceFile {
            format: "vxl",
            options: Options::new(),
            bytes: Arc::default(),
            tells_kinds: false,
            last_entity: None,
        }));
        assert!(is_wholly_ours(sidecar, &text, &map));
        let mut edited = map.clone();
        Arc::make_mut(&mut edited.metadata).set(Property::Name(None));
        assert!(is_wholly_ours(sidecar, &text, &edited), "what counts is the file");
        // One that was changed since it was made, as edits and undo leave it.
        let mut grown = edited.clone();
        Arc::make_mut(&mut grown.objects).push(Object::SpawnRegion { team: Team::Green, area: ColumnRect::new([5, 5], [9, 9]), z: 0 });
        let mut bare = map.clone();
        (bare.objects, bare.metadata) = Default::default();
        let mut nothing = bare.clone();
        nothing.mark_opened();
        for now in [edited, grown, bare] {
            let changed = sidecar.write(&now, Some(&text), &mut Report::new()).unwrap().unwrap();
            let mut reopened = now.clone();
            reopened.mark_opened();
            assert!(changed != text && is_wholly_ours(sidecar, &changed, &reopened), "{}", String::from_utf8_lossy(&changed));
            assert!(now.objects.0.is_empty() || !is_wholly_ours(sidecar, &changed, &nothing), "what is not in the map is lost");
            check_more(sidecar, &changed, &reopened);
        }
        check_more(sidecar, &text, &map);
        let text = String::from_utf8(text).unwrap();
        let (_, after) = text.split_once("def ").unwrap();
        let alone = text.replace(&format!("def {after}"), "");
        assert!(alone.contains("spawn_regions_blue = [") && !is_wholly_ours(sidecar, alone.as_bytes(), &map), "no function reads them");
    }

    #[test]
    fn what_a_file_is_called_counts_more_than_what_it_looks_like_but_less_than_what_it_is() {
        let recognized = |bytes: &[u8], extension| recognize(&MemorySource(bytes.into()), Some(extension)).map(|format| format.id());
        let water: Vec<u8> = [0, 63, 63, 0, 90, 120, 40, 0x80].repeat(64 * 64);
        // A map of the other format, without a name and a region, is many columns of air if it is cut off.
        let mut cut = vec![0; 200_000];
        cut[65..75].copy_from_slice(&[0, 2, 0, 0, 0, 2, 0, 0, 64, 0]);
        assert!(vxl::Vxl.probe(&MemorySource(cut.as_slice().into())) == Certainty::Likely, "else it proves nothing");
        assert_eq!((recognized(&cut, "vmf"), recognized(&cut, "vxl")), (Some("vmf"), Some("vxl")));
        assert_eq!((recognized(&water, "vmf"), recognized(&water, "txt")), (Some("vxl"), Some("vxl")));
        assert_eq!(recognized(&water[..water.len() - 3], "map"), Some("vxl"), "a cut one is known by what it holds");
    }

    #[track_caller]
    fn check_more(sidecar: &dyn Sidecar, text: &[u8], map: &Snapshot) {
        let more =
            [&b"# mine\n"[..], b"extensions = {}\n", b"name = 'Hill'\nname = 'Hill'\n", b"author = foo()\n", b"version = '1' # first\n"];
        for more in more {
            assert!(!is_wholly_ours(sidecar, &[text, more].concat(), map), "{}", String::from_utf8_lossy(more));
        }
        let text = String::from_utf8_lossy(text);
        for (ours, other) in
            [("(1, 2,", "(0, 2,"), ("get_", "got_"), ("'Hill'", "'Hull'"), ("'Hill'", "'Hill'.title()"), ("\n", "\n# mine\n")]
        {
            if text.contains(ours) {
                assert!(!is_wholly_ours(sidecar, text.replacen(ours, other, 1).as_bytes(), map), "{other}");
            }
        }
    }
}
