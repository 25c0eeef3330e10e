//! What a document was read from: the bytes stay as they were, so that saving can keep all that did
//! not change.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ObjectId;

/// Value of one option of a format, such as `size` or `protect-floor`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// On or off.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Anything else.
    Text(String),
}

/// Chosen options of a format by name; what is absent has the format's default.
pub type Options = BTreeMap<String, OptionValue>;

/// Option that reading sets where a file can only be looked at: nobody types it.
pub const VIEW: &str = "view";

/// The option of the copy of a map that tells no kinds, in a format that has to: its water is the game's rule.
pub const RULED_FLOOR: &str = "ruled-floor";

/// The map file that a document was read from.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Id of the format that read it.
    pub format: &'static str,
    /// The options it was read with.
    pub options: Options,
    /// The whole file. Formats that stream (VMF) keep only what saving needs, such as the header.
    pub bytes: Arc<[u8]>,
    /// Whether the file says of every voxel which kind it is of. Else the game's rule holds, see
    /// [`Document::floor_voxels`](super::Document::floor_voxels).
    pub tells_kinds: bool,
    /// The last id that an entity of the file has, of Space Station 14: markers with later ones are of other files, or new.
    pub last_entity: Option<ObjectId>,
}

impl SourceFile {
    /// Whether the file can only be looked at: it takes no edits.
    pub fn is_view(&self) -> bool {
        self.options.contains_key(VIEW)
    }
}

/// A sidecar that was read with the map.
#[derive(Clone, Debug)]
pub struct SidecarSource {
    /// Whether it could be understood; else it is only kept as it is.
    pub is_readable: bool,
    /// Id of the sidecar plugin that read it.
    pub sidecar: &'static str,
    /// The whole file.
    pub bytes: Arc<[u8]>,
}
