//! Why bytes could not be read or written: where in the file, and what is wrong there.

use glam::IVec3;

use super::report::size_text;
use super::{EXPORTS, IMPORTS, MAP_FORMATS};
use crate::document::{Cancelled, grouped};

/// A size beside another one: to the byte where both look alike.
fn size_beside(bytes: u64, other: u64) -> String {
    if size_text(bytes) == size_text(other) { format!("{} bytes", grouped(bytes)) } else { size_text(bytes) }
}

/// What the option of that name is for, as the formats that have it say.
fn what_it_is(name: &str) -> String {
    let of_maps = MAP_FORMATS.iter().flat_map(|format| format.options());
    let of_exports = EXPORTS.iter().flat_map(|export| export.options());
    let of_imports = IMPORTS.iter().flat_map(|import| import.options());
    let spec = of_maps.chain(of_exports).chain(of_imports).find(|spec| spec.name == name);
    spec.map_or_else(String::new, |spec| format!(" ({})", spec.help))
}

/// What a file that nobody knows begins with.
fn first_bytes(head: &str) -> String {
    if head.is_empty() { "the file is empty".into() } else { format!("the first bytes are {head}") }
}

/// The kinds of maps that are looked for.
fn kinds() -> String {
    MAP_FORMATS.iter().map(|format| format.label()).collect::<Vec<_>>().join(", ")
}

/// Why a file could not be read or written. Messages are lower case and carry offset or line; whoever
/// shows them adds the file's name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file ends too early.
    #[error("truncated at byte {offset}: at least {needed} bytes are needed")]
    Truncated {
        /// Length of the file: where more was expected.
        offset: u64,
        /// Length that it would have to have to go on.
        needed: u64,
    },
    /// A whole map, or one that was cut off behind a column, of a size that nothing in it says.
    #[error(
        "byte {offset}: the file ends with its {} columns all whole, but they make neither a map of 512×512 nor any other square: give \
         its size, or it was cut off",
        grouped(*columns as u64)
    )]
    NotSquare {
        /// Columns that the file holds.
        columns: usize,
        /// Length of the file.
        offset: u64,
    },
    /// A value that the format forbids.
    #[error("byte {offset}: {what} ({found})")]
    BadValue {
        /// Where it stands.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
        /// The value as read.
        found: i64,
    },
    /// A number that the format allows, and that is more than this program reads.
    #[error("byte {offset}: {what} ({found})")]
    OverLimit {
        /// Where it stands.
        offset: u64,
        /// What the limit is.
        what: &'static str,
        /// The number as read.
        found: i64,
    },
    /// A text file that breaks its grammar.
    #[error("line {line}, column {column}: expected {expected}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What should stand there.
        expected: &'static str,
    },
    /// A text file in which a key stands twice.
    #[error("line {line}: {key} stands there a second time")]
    RepeatedKey {
        /// Line of the second one, from 1.
        line: usize,
        /// The key.
        key: String,
    },
    /// Bytes that no format recognises.
    #[error("byte 0: not a map in any known format: no {} begins so ({})", kinds(), first_bytes(head))]
    NotRecognized {
        /// The first bytes in hexadecimal; nothing of an empty file.
        head: String,
    },
    /// Bytes that are not what the name of their file says.
    #[error("what is in it is no .{extension}, or a damaged one ({})", first_bytes(head))]
    Misnamed {
        /// Extension of a known kind of file, lower case.
        extension: String,
        /// The first bytes in hexadecimal; nothing of an empty file.
        head: String,
    },
    /// The file is of that format but the plugin cannot read this kind of it.
    #[error("{what} is not supported")]
    Unsupported {
        /// What it is.
        what: &'static str,
    },
    /// An edited map whose file has a layout that is only looked at.
    #[error(
        "its layout is old or unusual, so that it can be saved only as it was: undo the edits, or write its floor anew with the option style"
    )]
    ReadOnlyLayout,
    /// The document does not fit the format.
    #[error("a map of {x}×{y}×{z} voxels does not fit: {rule}", x = size.x, y = size.y, z = size.z)]
    DoesNotFit {
        /// Size of the document.
        size: IVec3,
        /// What the format demands.
        rule: &'static str,
    },
    /// A file that would take more memory than allowed.
    #[error("it would take {} of memory, and {} are allowed", size_text(*needed), size_text(*allowed))]
    TooLarge {
        /// Bytes it would take.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// A file longer than any of its kind.
    #[error("the file has {}, and one of its kind has at most {}", size_beside(*length, *most), size_beside(*most, *length))]
    FileTooLarge {
        /// Bytes that it has.
        length: u64,
        /// Bytes that one may have.
        most: u64,
    },
    /// A script by someone else that holds no place for the edit; it is kept as it is.
    #[error("line {line}: {what} is set by code that Spadework does not change; what it was to say: {wanted}")]
    ForeignScript {
        /// Line of the code, from 1.
        line: usize,
        /// What the code sets.
        what: &'static str,
        /// What the script was to say, as a line of it.
        wanted: String,
    },
    /// A text that was meant for people where a script is expected; it is kept as it is.
    #[error("the file is plain text and no script that the server could read; rename it, or put # before its lines")]
    NotAScript,
    /// An option with a value that it does not take.
    #[error("option {name} does not take {value:?}{}", what_it_is(name))]
    BadOption {
        /// Name of the option.
        name: &'static str,
        /// The value given.
        value: String,
    },
    /// A level that the map has not.
    #[error("option slice does not take {found}: the levels of this map are {} (highest) to {} (lowest)", levels[0], levels[1])]
    NoSuchLevel {
        /// The level asked for.
        found: i64,
        /// The z of the highest and of the lowest level.
        levels: [i32; 2],
    },
    /// A grid that the map has not.
    #[error("option grid does not take {found:?}: {grids}")]
    NoSuchGrid {
        /// The uid or name asked for.
        found: String,
        /// Which grids there are, as a sentence.
        grids: String,
    },
    /// A folder of another kind than an option takes.
    #[error("the folder is not {expected}")]
    WrongFolder {
        /// What it should be.
        expected: &'static str,
    },
    /// A picture of another size than it must have.
    #[error("the picture with the colors is {}×{} pixels, and the heightmap {}×{}: they must be of one size", found[0], found[1], wanted[0], wanted[1])]
    PictureSize {
        /// Its width and height.
        found: [u32; 2],
        /// Those of the heightmap.
        wanted: [u32; 2],
    },
    /// What is wrong with the picture that gives a heightmap its colors.
    #[error("{0}")]
    Colors(Box<Self>),
    /// A PNG picture that does not decode.
    #[error("byte {offset}: the picture cannot be read: {}", in_words(reason))]
    Picture {
        /// How far it was read.
        offset: u64,
        /// What the decoder says.
        reason: png::DecodingError,
    },
    /// What was written does not decode to what was meant.
    #[error("the written file differs from the map at {at}: {what}")]
    Differs {
        /// First voxel that differs.
        at: IVec3,
        /// What differs.
        what: &'static str,
    },
    /// Reading or writing failed.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Someone asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// What the decoder of pictures says, without the names of its types.
fn in_words(reason: &png::DecodingError) -> &'static str {
    use png::DecodingError::{Format, IoError, LimitsExceeded, Parameter};
    match reason {
        Format(_) => "it is damaged, or no PNG picture",
        IoError(_) => "it ends too early",
        LimitsExceeded => "it takes too much memory",
        Parameter(_) => "it is of a kind that is not read",
    }
}
