//! New maps whose copy beside the journal must say just what is known of each voxel: the kinds of a floor that tells none, and
//! colors that nobody knows.

use super::*;
use crate::format::map_format;
use crate::terrain::Params;
use crate::voxel::{Rgb, StoreEdit, Voxel};

/// A new map, land in the west and sea in the east. Colors of hidden voxels are known, which a VXL does not keep.
fn coast() -> Document {
    let mut document = Document::new(Store::new(Region::of_size(IVec3::new(16, 12, 64))), &GameProfile::ACE_OF_SPADES);
    let mut edit = StoreEdit::new(document.store());
    for pos in Region::new(IVec3::new(0, 0, 61), IVec3::new(16, 12, 64)).positions().filter(|pos| pos.z == 63 || pos.x < 8) {
        edit.set(pos, Some(Voxel::new(Rgb::new(10, 20, 30))));
    }
    let changes = edit.finish();
    document.store_mut(0).unwrap().apply(&changes);
    document
}

#[test]
fn the_sea_of_a_new_map_of_another_size_comes_back_as_the_sea_that_it_was() {
    let storage = FaultyStorage::default();
    let mut document = coast();
    let base = JournalBase::Made { format: "vxl", document: Box::new(document.clone()), of_snapshot: false };
    let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), None, base, Stamps::default(), 7);
    let dig = r#"{"fill":{"box":[[2,2,61],[4,4,63]],"mode":"remove"}}"#;
    let raise = r##"{"fill":{"box":[[12,2,61],[14,4,63]],"color":"#ff8000"}}"##;
    for command in [dig, raise].map(|text| serde_json::from_str::<Command>(text).unwrap()) {
        let change = plan(&document, &command, &Progress::new()).unwrap();
        History::new().commit(&mut document, change);
        journal.append(JournalEntry::Do { command, at: 10 });
    }
    journal.flush();
    assert_eq!(journal.failure(), None);
    drop(journal);
    storage.restart();
    let written = |document: &Document| {
        let mut bytes = vec![];
        let vmf = map_format("vmf").unwrap();
        vmf.write(document, &mut bytes, &Default::default(), &Progress::new(), &mut Default::default()).unwrap();
        bytes
    };
    let check = |is_quick: bool| {
        let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
        let replayed = replay_quickly(&storage, &found, &Progress::new()).unwrap();
        assert_eq!((replayed.skipped, replayed.document.tells_kinds()), (if is_quick { 1 } else { 0 }, false));
        // The colors of hidden voxels are known, which a VXL would not keep.
        assert_eq!(found.content.header.format, "vmf");
        assert!(replayed.document.store().same_voxels(document.store()), "{is_quick}");
        assert!(written(&replayed.document) == written(&document), "{is_quick}");
    };
    check(false);
    let mut found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    found.content.entries.truncate(1);
    let before = replay(&storage, &found, &Progress::new()).unwrap().document;
    drop(found);
    write_snapshot(&storage, Path::new(JOURNAL), &before, 1, None).unwrap();
    check(true);
}

#[test]
fn what_is_dug_out_of_a_new_map_of_another_size_comes_back_as_the_earth_that_it_was() {
    let storage = FaultyStorage::default();
    let params = Params { size: IVec3::new(24, 16, 64), seed: 3, values: Default::default() };
    let store = crate::terrain::generator("flat").unwrap().generate(&params, &Progress::new()).unwrap();
    let mut document = Document::new(store, &GameProfile::ACE_OF_SPADES);
    let base = JournalBase::Made { format: "vxl", document: Box::new(document.clone()), of_snapshot: false };
    let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), None, base, Stamps::default(), 7);
    let ground = document.store().ground(5, 5, 0).unwrap();
    let dirt = r##"{"set_dirt":{"color":"#ff0000"}}"##.to_owned();
    let dig = format!(r#"{{"fill":{{"box":[[2,2,{ground}],[9,9,{}]],"mode":"remove"}}}}"#, ground + 1);
    let commands = [dirt, dig].map(|text| serde_json::from_str::<Command>(&text).unwrap());
    let mut states = vec![document.clone()];
    for command in &commands {
        let change = plan(&document, command, &Progress::new()).unwrap();
        History::new().commit(&mut document, change);
        journal.append(JournalEntry::Do { command: command.clone(), at: 10 });
        states.push(document.clone());
    }
    journal.flush();
    assert_eq!(journal.failure(), None);
    drop(journal);
    storage.restart();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    for (steps, state) in states.iter().enumerate() {
        let mut content = found.content.clone();
        content.entries.truncate(steps);
        let older = replay_older(&storage, Path::new(JOURNAL), &content, &Progress::new()).unwrap();
        assert!(older.document.store().same_voxels(state.store()), "{steps}");
    }
    let dug = document.store().voxel(IVec3::new(5, 5, ground + 1)).unwrap();
    assert_eq!(dug.paint.map(|paint| paint.rgb), Some(Rgb::new(255, 0, 0)));
}

#[test]
fn a_map_of_a_snapshot_is_copied_in_its_own_format_and_keeps_its_sea() {
    let document = coast();
    for (format, of_snapshot, expected) in [("vxl", false, "vmf"), ("vxl", true, "vxl"), ("vmf", false, "vmf"), ("vmf", true, "vmf")] {
        let storage = FaultyStorage::default();
        let base = JournalBase::Made { format, document: Box::new(document.clone()), of_snapshot };
        let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), None, base, Stamps::default(), 7);
        journal.append(JournalEntry::Do { command: set(5), at: 10 });
        journal.flush();
        drop(journal);
        storage.restart();
        let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
        assert_eq!(found.content.header.format, expected, "{format} {of_snapshot}");
        let replayed = replay(&storage, &found, &Progress::new()).unwrap();
        assert!(!replayed.document.tells_kinds(), "{format} {of_snapshot}");
    }
}
