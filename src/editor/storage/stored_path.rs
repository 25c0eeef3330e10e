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
    Raw(Raw),
}

/// As `OsString` is written to JSON. To YAML that would be a tag, which cannot be read here.
#[derive(Serialize, Deserialize)]
struct Raw {
    #[cfg_attr(unix, serde(rename = "Unix"))]
    #[cfg_attr(windows, serde(rename = "Windows"))]
    units: Vec<Unit>,
}

#[cfg(unix)]
type Unit = u8;
#[cfg(windows)]
type Unit = u16;

impl From<Raw> for OsString {
    fn from(raw: Raw) -> Self {
        #[cfg(unix)]
        return std::os::unix::ffi::OsStringExt::from_vec(raw.units);
        #[cfg(windows)]
        return std::os::windows::ffi::OsStringExt::from_wide(&raw.units);
    }
}

impl From<OsString> for Raw {
    fn from(text: OsString) -> Self {
        #[cfg(unix)]
        let units = std::os::unix::ffi::OsStringExt::into_vec(text);
        #[cfg(windows)]
        let units = std::os::windows::ffi::OsStrExt::encode_wide(&*text).collect();
        Self { units }
    }
}

impl From<Written> for StoredPath {
    fn from(written: Written) -> Self {
        Self(match written {
            Written::Text(text) => text.into(),
            Written::Raw(raw) => OsString::from(raw).into(),
        })
    }
}

impl From<StoredPath> for Written {
    fn from(path: StoredPath) -> Self {
        path.0.into_os_string().into_string().map_or_else(|text| Self::Raw(text.into()), Self::Text)
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
            // Journals of earlier versions have it so.
            let before = path.0.to_str().map_or_else(|| serde_json::to_string(path.0.as_os_str()), serde_json::to_string);
            assert_eq!(json, before.unwrap());
            let yaml = serde_yaml::to_string(&path).unwrap();
            assert_eq!(serde_yaml::from_str::<StoredPath>(&yaml).unwrap(), path, "{yaml}");
        }
    }
}
