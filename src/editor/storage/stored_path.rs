//! A path as it stands in our own small files: plain text where it is text, bytes where it is not.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A path that can be written to JSON or YAML whatever its name is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct StoredPath(pub PathBuf);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Raw(OsString),
}

impl From<Written> for StoredPath {
    fn from(written: Written) -> Self {
        Self(match written {
            Written::Text(text) => text.into(),
            Written::Raw(raw) => raw.into(),
        })
    }
}

impl From<StoredPath> for Written {
    fn from(path: StoredPath) -> Self {
        path.0.into_os_string().into_string().map_or_else(Self::Raw, Self::Text)
    }
}

impl From<&Path> for StoredPath {
    fn from(path: &Path) -> Self {
        Self(path.to_path_buf())
    }
}

impl AsRef<Path> for StoredPath {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_no_text_survive() {
        let plain = StoredPath("maps/castle.vxl".into());
        assert_eq!(serde_json::to_string(&plain).unwrap(), r#""maps/castle.vxl""#);
        let mut paths = vec![plain];
        #[cfg(unix)]
        paths.push(StoredPath(<OsString as std::os::unix::ffi::OsStringExt>::from_vec(b"ma\xffp.vxl".to_vec()).into()));
        for path in paths {
            let json = serde_json::to_string(&path).unwrap();
            assert_eq!(serde_json::from_str::<StoredPath>(&json).unwrap(), path);
        }
    }
}
