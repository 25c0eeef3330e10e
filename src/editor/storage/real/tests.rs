//! The real disk, tried on real files.

use super::*;
use crate::editor::storage::replace_file;

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_knows_no_syncing_of_folders_is_no_failure() {
    // One whose folders answer that the argument is invalid.
    RealStorage.sync_folder(Path::new("/proc/self")).unwrap();
    assert!(RealStorage.sync_folder(Path::new("/proc/nowhere")).is_err());
}

#[test]
fn of_a_folder_that_can_be_written_and_not_read_it_is_told_what_to_do() {
    let error = StorageError::at(StorageAction::Write, Path::new("d"))(unreadable(io::ErrorKind::PermissionDenied.into()));
    assert!(error.to_string().contains("allow that, or save elsewhere: d"), "{error}");
}

#[test]
fn what_a_signal_breaks_off_is_done_again_but_not_forever() {
    let done_after = |signals: u32| {
        let mut calls = 0;
        let done = uninterrupted(|| {
            calls += 1;
            if calls > signals { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
        });
        (done.is_ok(), calls)
    };
    assert_eq!([done_after(0), done_after(3), done_after(1000)], [(true, 1), (true, 4), (false, 101)]);
    let mut calls = 0;
    let refused = uninterrupted(|| {
        calls += 1;
        Err(io::ErrorKind::PermissionDenied.into())
    });
    assert_eq!((refused.unwrap_err().kind(), calls), (io::ErrorKind::PermissionDenied, 1));
}

#[test]
fn a_new_name_takes_the_place_of_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let [ours, theirs, link] = ["ours", "theirs", "link"].map(|name| folder.path().join(name));
    fs::write(&ours, "ours").unwrap();
    fs::write(&theirs, "theirs").unwrap();
    let refused = RealStorage.rename_new(&ours, &theirs).unwrap_err();
    assert_eq!(refused.reason.kind(), io::ErrorKind::AlreadyExists, "{refused}");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        assert_eq!(RealStorage.rename_new(&ours, &link).unwrap_err().reason.kind(), io::ErrorKind::AlreadyExists);
        fs::remove_file(&link).unwrap();
    }
    RealStorage.rename_new(&ours, &link).unwrap();
    assert_eq!([fs::read(&link).unwrap(), fs::read(&theirs).unwrap()], [b"ours".to_vec(), b"theirs".to_vec()]);
    assert!(!ours.exists());
}

#[test]
fn a_replaced_file_keeps_its_permissions_and_the_link_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.vxl"), folder.path().join("link.vxl"));
    fs::write(&real, "old").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real.vxl", &link).unwrap();
        replace_file(&RealStorage, &link, b"new").unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        fs::remove_file(&real).unwrap();
        assert_eq!(RealStorage.resolve(&link).unwrap(), real);
        symlink("loop", folder.path().join("loop")).unwrap();
        assert!(RealStorage.resolve(&folder.path().join("loop")).unwrap_err().to_string().contains("circle"));
    }
    assert_eq!(RealStorage.list(folder.path()).unwrap().iter().filter(|path| temp_owner(path).is_some()).count(), 0);
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_extended_attributes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.vxl");
    fs::write(&path, "old").unwrap();
    // Not every disk has them.
    if xattr::set(&path, "user.source", b"a friend").is_ok() {
        replace_file(&RealStorage, &path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(xattr::get(&path, "user.source").unwrap().as_deref(), Some(&b"a friend"[..]));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_replaced_file_gets_no_access_control_list_of_its_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.vxl");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    // Version 2; then owner, user 1234, group, mask and others, each with tag, rights and number.
    let entries = [(1, 7, u32::MAX), (2, 7, 1234), (4, 5, u32::MAX), (16, 7, u32::MAX), (32, 5, u32::MAX)];
    let encoded = |(tag, rights, number): (u16, u16, u32)| {
        [tag.to_le_bytes().to_vec(), rights.to_le_bytes().to_vec(), number.to_le_bytes().to_vec()].concat()
    };
    let list = [2_u32.to_le_bytes().to_vec(), entries.into_iter().flat_map(encoded).collect()].concat();
    // Not every disk has them.
    if xattr::set(folder.path(), "system.posix_acl_default", &list).is_ok() {
        fs::write(folder.path().join("new"), "").unwrap();
        assert!(xattr::get(folder.path().join("new"), ACCESS_LIST).unwrap().is_some());
        replace_file(&RealStorage, &path, b"new").unwrap();
        assert_eq!(xattr::get(&path, ACCESS_LIST).unwrap(), None);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        // One of its own is kept.
        xattr::set(&path, ACCESS_LIST, &list).unwrap();
        replace_file(&RealStorage, &path, b"newer").unwrap();
        assert_eq!(xattr::get(&path, ACCESS_LIST).unwrap(), Some(list));
    }
}

#[test]
fn write_protected_files_and_folders_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.vxl");
    assert!(RealStorage.check_writable(&path).is_ok());
    fs::write(&path, "x").unwrap();
    assert!(RealStorage.check_writable(&path).is_ok());
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    assert!(RealStorage.check_writable(&path).unwrap_err().to_string().contains("read-only"));
    assert!(RealStorage.check_writable(folder.path()).unwrap_err().to_string().contains("it is a folder"));
    assert!(RealStorage.open(folder.path()).err().unwrap().to_string().contains("it is a folder"));
    assert!(!RealStorage.exists(&folder.path().join("missing")).unwrap());
}

#[test]
fn a_lock_is_free_again_when_it_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.lock");
    let lock = RealStorage.lock(&path).unwrap();
    assert!(lock.is_some());
    assert!(RealStorage.lock(&path).unwrap().is_none());
    drop(lock);
    assert!(RealStorage.lock(&path).unwrap().is_some());
}

#[cfg(unix)]
#[test]
fn a_file_that_was_removed_or_replaced_is_known_and_can_be_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let (path, lock_path) = (folder.path().join("j/a.journal"), folder.path().join("j/a.lock"));
    fs::create_dir(folder.path().join("j")).unwrap();
    let mut file = RealStorage.append(&path).unwrap();
    let lock = RealStorage.lock(&lock_path).unwrap().unwrap();
    file.write_all(b"steps").unwrap();
    assert!(file.is_at(&path).unwrap() && RealStorage.holds(&lock, &lock_path));
    fs::remove_dir_all(folder.path().join("j")).unwrap();
    assert!(!file.is_at(&path).unwrap() && !RealStorage.holds(&lock, &lock_path));
    assert_eq!((file.len_now().unwrap(), &*file.read_back().unwrap().bytes().unwrap()), (5, &b"steps"[..]));
    file.write_all(b" more").unwrap();
    assert_eq!(&*file.read_back().unwrap().bytes().unwrap(), b"steps more", "reading does not move where it is written");
    fs::create_dir(folder.path().join("j")).unwrap();
    fs::write(&path, "steps more").unwrap();
    assert!(!file.is_at(&path).unwrap(), "another file of the same name");
    let other = RealStorage.lock(&lock_path).unwrap().unwrap();
    assert!(RealStorage.holds(&other, &lock_path) && !RealStorage.holds(&lock, &lock_path));
}

#[cfg(unix)]
#[test]
fn the_home_of_a_user_stands_in_the_list_of_users() {
    let list = "root:x:0:0:root:/root:/bin/sh\n# a note\nann:x:1000:1000::/home/ann:/bin/sh\nnobody:x:99:99::\n";
    assert_eq!([0, 1000].map(|user| home_of(user, list)), [Some("/root".into()), Some("/home/ann".into())]);
    assert_eq!([1, 99].map(|user| home_of(user, list)), [None, None]);
}

#[test]
fn one_place_may_be_spelled_in_many_ways() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vxl");
    fs::create_dir(folder.path().join("b")).unwrap();
    for same in ["./a.vxl", "b/../a.vxl", "a.vxl"] {
        assert!(RealStorage.is_same_place(&path, &folder.path().join(same)), "{same}");
    }
    for other in ["b/a.vxl", "c.vxl", "none/a.vxl"] {
        assert!(!RealStorage.is_same_place(&path, &folder.path().join(other)), "{other}");
    }
}

#[test]
fn a_disk_without_locks_is_not_taken_for_a_pipe() {
    let path = Path::new("/home/a.lock");
    let error = StorageError::at(StorageAction::Lock, path)(no_lock(io::ErrorKind::Unsupported.into()));
    assert_eq!(error.to_string(), "cannot lock the file, its disk knows no locks: /home/a.lock");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_at_once_wherever_a_file_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("a.lock");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let errors = [
        RealStorage.lock(&pipe).err(),
        RealStorage.open(&pipe).err(),
        RealStorage.append(&pipe).err(),
        RealStorage.check_writable(&pipe).err(),
    ];
    for error in errors {
        assert!(error.unwrap().to_string().contains("it is a pipe or a device, not a plain file"));
    }
}

#[cfg(unix)]
#[test]
fn nothing_but_files_is_replaced_and_new_folders_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("a.vxl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(replace_file(&RealStorage, &pipe, b"new").unwrap_err().to_string().contains("not a plain file"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    let own = folder.path().join("state/journals");
    RealStorage.create_folder(&own).unwrap();
    RealStorage.create_folder(&own).unwrap();
    assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
}

#[cfg(unix)]
#[test]
fn one_process_at_a_time_changes_the_files_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let claim = RealStorage.lock_folder(folder.path()).unwrap();
    assert!(claim.is_some());
    assert!(RealStorage.lock_folder(folder.path()).unwrap().is_none());
    drop(claim);
    assert!(RealStorage.lock_folder(folder.path()).unwrap().is_some());
    assert!(RealStorage.lock_folder(&folder.path().join("missing")).unwrap().is_some());
}

#[cfg(unix)]
#[test]
fn other_names_of_a_file_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.vxl");
    fs::write(&path, "x").unwrap();
    assert_eq!(RealStorage.info(&path).unwrap().names, 1);
    fs::hard_link(&path, folder.path().join("other.vxl")).unwrap();
    assert_eq!(RealStorage.info(&path).unwrap().names, 2);
}

#[test]
fn temporary_files_tell_their_process() {
    let path = temp_path(Path::new("maps/a.vxl"), 42, 7);
    assert_eq!(path, Path::new("maps/.a.vxl.spadework-tmp-42-7"));
    assert_eq!(temp_owner(&path), Some(42));
    assert_eq!(temp_owner(Path::new("maps/a.spadework-tmp-42-7")), None);
    assert_eq!(temp_owner(Path::new("maps/.a.vxl.swp")), None);
    let long = temp_path(Path::new(&"ä".repeat(120)), 1, 1);
    assert!(long.file_name().unwrap().len() < 255);
    assert_eq!(temp_owner(&long), Some(1));
}

#[test]
fn a_lock_is_free_again_although_a_process_just_begun_has_the_file_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.lock");
    let take = |is_folder: bool| match is_folder {
        true => RealStorage.lock_folder(folder.path()).unwrap(),
        false => RealStorage.lock(&path).unwrap(),
    };
    for is_folder in [false, true] {
        let lock = take(is_folder).unwrap();
        let of_the_other = lock.guard::<LockedFile>().unwrap().0.try_clone().unwrap();
        drop(lock);
        assert!(take(is_folder).is_some(), "{is_folder}");
        drop(of_the_other);
    }
}

#[test]
fn a_lock_that_can_only_be_read_is_taken_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.lock");
    let denied = |_: &Path| -> io::Result<File> { Err(io::ErrorKind::PermissionDenied.into()) };
    assert_eq!(open_lock(&path, denied).unwrap_err().kind(), io::ErrorKind::PermissionDenied, "there is none");
    fs::write(&path, "").unwrap();
    open_lock(&path, denied).unwrap().try_lock().unwrap();
    assert_eq!(open_lock(&path, |_| Err(io::ErrorKind::StorageFull.into())).unwrap_err().kind(), io::ErrorKind::StorageFull);
}

#[test]
fn a_time_before_1970_is_none_and_files_of_it_are_known_by_their_content() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.vxl");
    fs::write(&path, b"old").unwrap();
    for (seconds, is_told) in [(1, false), (0, true)] {
        let time = std::time::UNIX_EPOCH - std::time::Duration::from_secs(seconds);
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        assert_eq!(RealStorage.info(&path).unwrap().modified, is_told.then_some(time), "{seconds}");
    }
}
