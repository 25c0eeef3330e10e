//! Saving over files that others wrote, cannot be read, or lead nowhere: nothing is overwritten without a word.

use std::fs::{self, File};

use spadework::document::Progress;
use spadework::editor::files::{OpenOptions, SaveError, SaveOptions, open_map, save_map};
use spadework::editor::storage::RealStorage;

use crate::cli::folder;

#[cfg(unix)]
#[test]
fn a_file_of_the_same_size_and_time_is_another_one_all_the_same() {
    for is_replaced in [true, false] {
        let folder = folder();
        let map = folder.path().join("castle.vxl");
        let opened = open_map(&RealStorage, &map, &OpenOptions::default(), &Progress::new()).unwrap();
        let options = SaveOptions { expected: opened.stamps.clone(), ..SaveOptions::default() };
        let save = || save_map(&RealStorage, &opened.document, &map, &options, &Progress::new());
        let (time, mut theirs) = (fs::metadata(&map).unwrap().modified().unwrap(), fs::read(&map).unwrap());
        save().unwrap();
        *theirs.last_mut().unwrap() ^= 1;
        let path = if is_replaced { folder.path().join("theirs") } else { map.clone() };
        fs::write(&path, &theirs).unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        if is_replaced {
            fs::rename(&path, &map).unwrap();
        }
        let saved = save();
        assert!(matches!(saved, Err(SaveError::ChangedOnDisk { .. })), "{saved:?}");
        assert_eq!(fs::read(&map).unwrap(), theirs);
    }
}
