//! Commands and journals: undo restores, redo repeats, a replay goes as far as the journal is whole.

use std::path::Path;
use std::sync::LazyLock;

use spadework::document::{Document, OptionValue, Progress};
use spadework::edit::{COMMAND_VERSION, Command, History, plan};
use spadework::editor::journal::{JournalEntry, read_journal};
use spadework::editor::recovery::{RecoveryError, Skipped, find_leftovers, replay};
use spadework::editor::storage::ContentHash;
use spadework::format::{Report, map_format};

use crate::memory::MemoryStorage;
use crate::{assert_same, small_map};

/// Commands that would look at more voxels are left out: they are slow, not wrong.
const MOST_VOXELS: u64 = 1 << 22;
/// Commands of one run.
const MOST_COMMANDS: usize = 40;

/// A script of commands, one JSON object a line.
pub fn commands(data: &[u8]) {
    let start = small_map();
    let (mut document, mut history) = (start.clone(), History::new());
    let mut states = vec![start];
    for line in data.split(|byte| *byte == b'\n').take(MOST_COMMANDS) {
        let Ok(command) = serde_json::from_slice::<Command>(line) else { continue };
        let json = serde_json::to_string(&command).expect("every command has a JSON");
        assert_eq!(serde_json::from_str::<Command>(&json).expect("its JSON can be read"), command);
        if !is_quick(&command) {
            continue;
        }
        let Ok(change) = plan(&document, &command, &Progress::new()) else { continue };
        let changed = !change.is_empty();
        history.commit(&mut document, change);
        assert_eq!(history.head(), states.len() - 1 + usize::from(changed));
        if changed {
            states.push(document.clone());
        }
    }
    for state in states.iter().rev().skip(1) {
        history.undo(&mut document).expect("every step can be undone");
        assert_equal(state, &document, "undone");
    }
    for state in states.iter().skip(1) {
        history.redo(&mut document).expect("every step can be done again");
        assert_equal(state, &document, "done again");
    }
}

fn is_quick(command: &Command) -> bool {
    // A fill is clipped to the map before anything is looked at, and a flood ends with it.
    matches!(command, Command::Fill(_) | Command::FillConnected(_)) || command.cost() <= MOST_VOXELS
}

#[track_caller]
fn assert_equal(expected: &Document, found: &Document, when: &str) {
    assert_same(expected, found, when);
    assert_eq!((&expected.selection, expected.dirt), (&found.selection, found.dirt), "{when}: selection and dirt");
    assert_eq!((&expected.masks, &expected.symmetry), (&found.masks, &found.symmetry), "{when}: masks and symmetry");
    assert_eq!(expected.objects, found.objects, "{when}: ids");
}

/// A journal: as it is, and with its lines put into whole frames, replayed on a map.
pub fn journal(data: &[u8]) {
    if let Some(content) = read_journal(data) {
        assert!(content.damage.is_none_or(|damage| damage < data.len()));
    }
    static BASE: LazyLock<Vec<u8>> = LazyLock::new(small_vxl);
    let base = BASE.clone();
    let header = serde_json::json!({
        "version": COMMAND_VERSION, "app": "0", "map": "a.vxl", "format": "vxl", "options": {"size": "24x24"},
        "base": [["a.base", ContentHash::of(&base)]], "stamps": [], "at": 1, "layout": 1,
    });
    let header = header.to_string();
    let mut journal = frame(header.as_bytes()).repeat(2);
    let mut sum = crc32fast::hash(header.as_bytes());
    for line in data.split(|byte| *byte == b'\n').take(MOST_COMMANDS) {
        // Slow is not wrong.
        let is_slow = matches!(serde_json::from_slice(line), Ok(JournalEntry::Do { command, .. }) if !is_quick(&command));
        if !is_slow && !line.is_empty() {
            // Each line's checksum goes on from the one before it.
            let mut hasher = crc32fast::Hasher::new_with_initial(sum);
            hasher.update(line);
            sum = hasher.finalize();
            journal.extend(framed_with(sum, line));
        }
    }
    let storage = MemoryStorage::with([("s/a.journal", journal), ("s/a.base", base)]);
    let leftovers = find_leftovers(&storage, Path::new("s"));
    // Whole frames whose first one is no entry hold nothing that could come back; that is told.
    let is_told = |skipped: &Skipped| matches!(skipped.reason, RecoveryError::NoWholeStep { .. });
    assert!(leftovers.skipped.iter().all(is_told), "{:?}", leftovers.skipped);
    for found in &leftovers.recoverable {
        let replayed = replay(&storage, found, &Progress::new()).expect("the copy of the map is whole");
        assert!(replayed.replayed <= found.content.entries.len());
        let again = replay(&storage, found, &Progress::new()).expect("a replay changes no file");
        assert_equal(&replayed.document, &again.document, "replayed");
    }
}

fn small_vxl() -> Vec<u8> {
    let (format, mut bytes) = (map_format("vxl").expect("VXL is in the registry"), vec![]);
    let size = [("size".into(), OptionValue::Text("24x24".into()))].into();
    format.write(&small_map(), &mut bytes, &size, &Progress::new(), &mut Report::new()).expect("the small map is a VXL");
    bytes
}

/// A journal of these lines.
pub fn framed(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| frame(line.as_bytes())).collect()
}

/// As the journal frames its lines.
fn frame(json: &[u8]) -> Vec<u8> {
    framed_with(crc32fast::hash(json), json)
}

fn framed_with(sum: u32, json: &[u8]) -> Vec<u8> {
    let mut line = format!("{:08x} {sum:08x} ", json.len()).into_bytes();
    line.extend_from_slice(json);
    line.push(b'\n');
    line
}
