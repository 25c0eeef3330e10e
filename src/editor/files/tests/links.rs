//! A set that links lead to: whoever knows it without them, or by others, has the same files.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::symlink;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::super::completing::is_being_put_in_place;
use super::super::intent::put_in_place;
use super::super::places::{claim_folders, wait_for_folders};
use super::super::staging::Staged;
use super::*;
use crate::editor::storage::RealStorage;

const NEW_MAP: &[u8] = b"DOTS\x05\x06\x07";
const NEW_AUTHOR: &[u8] = b"= bob\n";

/// A folder `d` with a map and its author, and `l` with links to both.
fn linked(names: [&str; 2]) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (real, links) = (folder.path().join("d"), folder.path().join("l"));
    fs::create_dir(&real).unwrap();
    fs::create_dir(&links).unwrap();
    for (own, bytes, name) in [("castle.dots", &b"DOTS\x01\x02\x03"[..], names[0]), ("castle.author", b"= ann\n", names[1])] {
        fs::write(real.join(own), bytes).unwrap();
        symlink(format!("../d/{own}"), links.join(name)).unwrap();
    }
    (folder, real.join("castle.dots"), links.join(names[0]))
}

fn stage(links: &Path, (name, bytes): (&str, &[u8])) -> Staged<'static> {
    let fill = |sink: &mut dyn std::io::Write| {
        sink.write_all(bytes).unwrap();
        Ok(())
    };
    Staged::write(&RealStorage, &links.join(name), fill).unwrap()
}

/// Puts new files in place through the links. `look` is called before each.
fn put(links: &Path, names: [&str; 2], look: &dyn Fn(&Path)) {
    let new = [(names[1], NEW_AUTHOR), (names[0], NEW_MAP)];
    let staged = new.map(|file| stage(links, file)).into();
    let is_unchanged = |path: &Path| {
        look(path);
        true
    };
    put_in_place(&RealStorage, &links.join(names[0]), staged, &is_unchanged).unwrap();
}

fn records(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with("-intent")).count()
}

#[test]
fn a_set_that_is_put_in_place_through_links_is_known_where_it_lies() {
    for (names, is_linked) in
        [(["castle.dots", "castle.author"], true), (["fort.dots", "fort.author"], true), (["castle.dots", "castle.author"], false)]
    {
        let (_folder, map, link) = linked(names);
        let (real, links) = (map.parent().unwrap(), link.parent().unwrap());
        if !is_linked {
            // A set of the map there and an author here.
            fs::remove_file(links.join(names[1])).unwrap();
            fs::write(links.join(names[1]), b"= ann\n").unwrap();
        }
        // One folder by two names is claimed once.
        let claims = wait_for_folders(&RealStorage, &[links.into(), real.into(), links.join("../d")]).unwrap();
        let seen = RefCell::new(vec![]);
        put(links, names, &|_| {
            let is_seen = [&map, &link].map(|map| is_being_put_in_place(&RealStorage, map));
            seen.borrow_mut().push(([records(real), records(links)], is_seen));
        });
        assert_eq!(*seen.borrow(), [([1, 0], [true, true]); 2], "{names:?}");
        drop(claims);
        assert_eq!((fs::read(&map).unwrap(), records(real), records(links)), (NEW_MAP.to_vec(), 0, 0));
    }
}

#[test]
fn a_set_of_which_only_the_map_does_not_change_and_is_no_link_has_its_record_beside_it() {
    let names = ["castle.name", "castle.author"];
    let (folder, _, link) = linked(names);
    let links = link.parent().unwrap();
    let map = links.join("castle.dots");
    fs::write(&map, b"DOTS\x01\x02\x03").unwrap();
    let seen = RefCell::new(vec![]);
    let new = [(names[1], NEW_AUTHOR), (names[0], b"= Fort\n")];
    let is_unchanged = |_: &Path| {
        seen.borrow_mut().push((records(links), records(&folder.path().join("d"))));
        true
    };
    put_in_place(&RealStorage, &map, new.map(|file| stage(links, file)).into(), &is_unchanged).unwrap();
    assert_eq!(*seen.borrow(), [(1, 0); 2]);
    assert_eq!((records(links), records(&folder.path().join("d"))), (0, 0));
}

#[test]
fn a_save_through_links_that_was_killed_is_completed_for_whoever_knows_the_map_without_them() {
    for by_link in [false, true] {
        let names = ["castle.dots", "castle.author"];
        let (_folder, map, link) = linked(names);
        let killed = catch_unwind(AssertUnwindSafe(|| {
            put(link.parent().unwrap(), names, &|path| assert!(path.ends_with("castle.author"), "killed before the map"));
        }));
        assert!(killed.is_err() && fs::read(&map).unwrap() != NEW_MAP);
        let path = if by_link { &link } else { &map };
        let opened = open_with(PLUGINS, &RealStorage, path, &OpenOptions::default(), &Progress::new()).unwrap();
        assert!(opened.report.warnings.iter().any(|warning| warning.code == "interrupted-save"), "{:?}", opened.report);
        assert_eq!((fs::read(&map).unwrap(), opened.document.metadata.author.as_deref()), (NEW_MAP.to_vec(), Some("bob")));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}

#[test]
fn a_save_claims_the_folders_that_links_lead_to() {
    let (_folder, map, link) = linked(["castle.dots", "castle.author"]);
    let folders = [map.parent().unwrap().to_path_buf(), link.parent().unwrap().to_path_buf()];
    let mut opened = open_with(PLUGINS, &RealStorage, &link, &OpenOptions::default(), &Progress::new()).unwrap();
    let json = r##"{"set":{"at":[5,6,7],"color":"#ff8000"}}"##;
    execute(&mut opened.document, serde_json::from_str(json).unwrap());
    let is_claimed = std::sync::Arc::new(std::sync::Mutex::new(vec![]));
    let (seen, asked) = (is_claimed.clone(), folders.clone());
    let before_placing = BeforePlacing::new(move |_| {
        let claimed = asked.iter().map(|folder| claim_folders(&RealStorage, std::slice::from_ref(folder)).unwrap().is_err());
        seen.lock().unwrap().extend(claimed);
    });
    let options = SaveOptions { expected: opened.stamps.clone(), before_placing, ..plain() };
    save_with(PLUGINS, &RealStorage, &opened.document, &link, &options, &Progress::new()).unwrap();
    assert_eq!(*is_claimed.lock().unwrap(), [true, true]);
    assert!(claim_folders(&RealStorage, &folders).unwrap().is_ok(), "and lets go of them");
}
