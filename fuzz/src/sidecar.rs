//! Sidecars: what they say is written as they said it, and edits of it come back.

use spadework::document::Document;
use spadework::format::{Report, Severity, Sidecar, sidecar};

use crate::edits::{BESIDE_VMF, BESIDE_VXL, SERVER, SPADESX, edited};
use crate::{objects, small_map};

/// piqueserver's `name.txt`.
pub fn txt(data: &[u8]) {
    check("piqueserver-txt", SERVER, data);
}

/// SpadesX' `name.toml`.
pub fn spadesx_toml(data: &[u8]) {
    check("spadesx-toml", SPADESX, data);
}

/// SpadesX' older `name.json`.
pub fn spadesx_json(data: &[u8]) {
    check("spadesx-json", SPADESX, data);
}

/// Spadework's own project file, beside each kind of map.
pub fn project(data: &[u8]) {
    // An empty one is as none; that it stays so where nothing is edited is the business of saving.
    if data.len() < 3 {
        return;
    }
    check("project-ss14", BESIDE_VMF, data);
    check("project-vmf", BESIDE_VMF, data);
    check("project-vxl", BESIDE_VXL, data);
}

/// Two bytes choose the edits, the rest is the file.
fn check(id: &str, edits: &[&str], data: &[u8]) {
    let (Some(sidecar), Some((choice, file))) = (sidecar(id), data.split_first_chunk()) else { return };
    let Some(document) = opened(sidecar, file) else { return };
    let unedited = sidecar.write(&document, Some(file), &mut Report::new());
    assert_eq!(unedited.expect("an unedited file can be written").as_deref(), Some(file), "an unedited file is kept");

    let after = edited(&document, edits, u16::from_le_bytes(*choice));
    for previous in [Some(file), None] {
        let mut report = Report::new();
        let Ok(Some(bytes)) = sidecar.write(&after, previous, &mut report) else { continue };
        if previous == Some(&*bytes) {
            continue;
        }
        let again = opened(sidecar, &bytes).expect("what was written can be read");
        let unedited = sidecar.write(&again, Some(&bytes), &mut Report::new());
        assert_eq!(unedited.expect("what was written can be written again").as_deref(), Some(&*bytes), "what was written is kept");
        // A file that is written anew holds what this sidecar is for; a changed one all that was in it, unless it says otherwise.
        if previous.is_some() && report.worst() < Some(Severity::Guess) {
            assert_eq!(objects(&after), objects(&again), "objects, written and read");
            assert_eq!(after.metadata, again.metadata, "metadata, written and read");
        }
    }
}

fn opened(sidecar: &dyn Sidecar, file: &[u8]) -> Option<Document> {
    let mut document = small_map();
    sidecar.apply(file, &mut document, &mut Report::new()).ok()?;
    document.mark_opened();
    Some(document)
}
