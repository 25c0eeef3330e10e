//! A disk in memory that fails where a test tells it to.

mod opened;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use opened::{FakeClaim, FakeLock, FakeWriter};

use super::{
    FileInfo, FileLock, FileWriter, RealStorage, Storage, StorageAction, StorageError, TempFile, folder_of, is_kept_temp, temp_owner,
    temp_path,
};
use crate::format::{MemorySource, Source};

/// How an operation goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// This operation fails with that error; later ones work.
    Once(io::ErrorKind),
    /// This and every later operation fails: the process is dead. What was not synced is lost by half.
    Crash,
    /// A write pretends to have taken all bytes but drops the last one.
    LosesByte,
}

#[derive(Clone, Debug)]
struct FakeFile {
    /// Another one for each file, whatever name it has.
    number: u64,
    bytes: Vec<u8>,
    /// Bytes that survive a crash.
    synced: usize,
    readonly: bool,
    /// Nobody may read it.
    withheld: bool,
    /// Numbers of its user and its group.
    owner: (u32, u32),
    modified: SystemTime,
}

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<PathBuf, FakeFile>,
    /// Files that were removed, by their number: whoever has one open goes on with it.
    nameless: BTreeMap<u64, FakeFile>,
    folders: BTreeSet<PathBuf>,
    /// Where links lead.
    links: BTreeMap<PathBuf, PathBuf>,
    /// Those that a crash takes with all that is in them: nobody has synced the folder above.
    new_folders: BTreeSet<PathBuf>,
    /// The number of the file that is locked.
    locks: BTreeMap<PathBuf, u64>,
    /// Operations so far, for choosing where to fail.
    operations: usize,
    fault: Option<(usize, Fault)>,
    /// What somebody else writes, or removes, just before an operation.
    meanwhile: Vec<(usize, PathBuf, Option<Vec<u8>>)>,
    /// Who saves one set of files, then the other, and so on, while nobody has claimed their folder.
    saver: Option<Saver>,
    /// Who has a folder from one operation to another.
    claims: Vec<(usize, usize, PathBuf)>,
    /// Folders that are claimed.
    claimed: Arc<Mutex<BTreeSet<PathBuf>>>,
    dead: bool,
    /// Whether a file has another number whenever it is looked at.
    is_numberless: bool,
    clock: u64,
    temps: u64,
    numbers: u64,
    most_per_write: Option<usize>,
    interrupted_writes: usize,
    /// Bytes that can be written until the disk is full.
    free: Option<u64>,
    /// What changed or synced a folder, in order.
    folder_log: Vec<FolderStep>,
}

#[derive(Debug)]
struct Saver {
    sets: [Vec<(PathBuf, Vec<u8>)>; 2],
    saves: usize,
}

/// What changes the entries of a folder, or makes them last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FolderStep {
    /// A file got that name.
    Named(PathBuf),
    /// The folder was synced.
    Synced(PathBuf),
}

/// Files in memory. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultyStorage(Arc<Mutex<State>>);

impl FaultyStorage {
    /// A disk with these files.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let storage = Self::default();
        files.iter().for_each(|(path, bytes)| storage.put(path, bytes));
        storage
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a file behind everybody's back.
    pub(crate) fn put(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        self.state().put(path.as_ref(), bytes);
    }

    /// The content of a file.
    pub(crate) fn get(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        self.state().files.get(path.as_ref()).map(|file| file.bytes.clone())
    }

    /// All files with their content.
    pub(crate) fn all(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.state().files.iter().map(|(path, file)| (path.clone(), file.bytes.clone())).collect()
    }

    /// Makes a link.
    pub(crate) fn link(&self, path: impl AsRef<Path>, target: impl AsRef<Path>) {
        let mut state = self.state();
        state.folders.insert(folder_of(path.as_ref()).into());
        state.links.insert(path.as_ref().into(), target.as_ref().into());
    }

    /// Cuts a file behind everybody's back.
    pub(crate) fn cut(&self, path: impl AsRef<Path>, len: usize) {
        let mut state = self.state();
        let file = state.files.get_mut(path.as_ref()).unwrap();
        file.bytes.truncate(len);
        file.synced = file.synced.min(len);
    }

    /// Removes a folder with all that is in it behind everybody's back.
    pub(crate) fn remove_folder(&self, folder: impl AsRef<Path>) {
        let mut state = self.state();
        state.folders.remove(folder.as_ref());
        let inside: Vec<_> = state.files.keys().filter(|path| folder_of(path) == folder.as_ref()).cloned().collect();
        inside.iter().for_each(|path| _ = state.unlink(path));
    }

    /// Write-protects a file.
    pub(crate) fn protect(&self, path: impl AsRef<Path>) {
        self.state().files.get_mut(path.as_ref()).unwrap().readonly = true;
    }

    /// Gives nobody what is in a file, or everybody again.
    pub(crate) fn withhold(&self, path: impl AsRef<Path>, is_withheld: bool) {
        self.state().files.get_mut(path.as_ref()).unwrap().withheld = is_withheld;
    }

    /// Sets when a file was last written.
    pub(crate) fn give_to(&self, path: impl AsRef<Path>, owner: (u32, u32)) {
        self.state().made(path.as_ref()).owner = owner;
    }

    /// Sets when a file was written last.
    pub(crate) fn touch(&self, path: impl AsRef<Path>, modified: SystemTime) {
        self.state().files.get_mut(path.as_ref()).unwrap().modified = modified;
    }

    /// Goes wrong at the `index`-th operation from now, from 0.
    pub(crate) fn fail_at(&self, index: usize, fault: Fault) {
        let mut state = self.state();
        state.fault = Some((state.operations + index, fault));
    }

    /// Leaves room for so many bytes more.
    pub(crate) fn fill_up(&self, free: u64) {
        self.state().free = Some(free);
    }

    /// Bytes that there is room for, where it was filled up.
    pub(crate) fn free(&self) -> Option<u64> {
        self.state().free
    }

    /// Somebody else writes a file just before the `index`-th operation from now, from 0.
    pub(crate) fn put_at(&self, index: usize, path: impl AsRef<Path>, bytes: &[u8]) {
        let mut state = self.state();
        let at = state.operations + index;
        state.meanwhile.push((at, path.as_ref().into(), Some(bytes.to_vec())));
    }

    /// Somebody else removes a file just before the `index`-th operation from now, from 0.
    pub(crate) fn remove_at(&self, index: usize, path: impl AsRef<Path>) {
        let mut state = self.state();
        let at = state.operations + index;
        state.meanwhile.push((at, path.as_ref().into(), None));
    }

    /// Somebody else saves one set of files and the other in turn, before every third operation, while nobody has claimed their folder.
    pub(crate) fn save_all_the_time(&self, sets: [&[(&str, &[u8])]; 2]) {
        let sets = sets.map(|set| set.iter().map(|(path, bytes)| ((*path).into(), bytes.to_vec())).collect());
        self.state().saver = Some(Saver { sets, saves: 0 });
    }

    /// Somebody else has claimed a folder from the `from`-th operation from now, from 0, until the `to`-th.
    pub(crate) fn claim_between(&self, from: usize, to: usize, folder: impl AsRef<Path>) {
        let mut state = self.state();
        let now = state.operations;
        state.claims.push((now + from, now + to, folder.as_ref().into()));
    }

    /// Saves of whoever saves all the time, so far.
    pub(crate) fn saves(&self) -> usize {
        self.state().saver.as_ref().map_or(0, |saver| saver.saves)
    }

    /// Gives files another number from now on, whenever one is looked at.
    pub(crate) fn forget_numbers(&self) {
        self.state().is_numberless = true;
    }

    /// Takes at most so many bytes with each write.
    pub(crate) fn write_in_bits_of(&self, bytes: usize) {
        self.state().most_per_write = Some(bytes);
    }

    /// Starts again after a crash, without faults.
    pub(crate) fn restart(&self) {
        let mut state = self.state();
        (state.dead, state.fault) = (false, None);
        state.locks.clear();
    }

    /// Writes that failed as one does that a signal interrupts.
    pub(crate) fn interrupted_writes(&self) -> usize {
        self.state().interrupted_writes
    }

    /// What changed or synced a folder so far, in order.
    pub(crate) fn folder_log(&self) -> Vec<FolderStep> {
        self.state().folder_log.clone()
    }

    /// Operations so far.
    pub(crate) fn operations(&self) -> usize {
        self.state().operations
    }

    fn begin(&self, action: StorageAction, path: &Path) -> Result<MutexGuard<'_, State>, StorageError> {
        let mut state = self.state();
        state.step(&format!("{action:?}")).map_err(StorageError::at(action, path))?;
        Ok(state)
    }
}

/// Counts a fault that struck, for `./dev trial faults`: a line in the file that it names.
fn note(fault: &str, operation: &str) {
    if let Some(path) = std::env::var_os("SPADEWORK_FAULTS") {
        let mut list = RealStorage.append(Path::new(&path)).expect("the list of faults can be written");
        list.write_all(format!("{operation}: {fault}\n").as_bytes()).expect("the list of faults is written");
    }
}

impl State {
    fn put(&mut self, path: &Path, bytes: &[u8]) {
        let modified = self.tick();
        self.folders.insert(folder_of(path).into());
        _ = self.unlink(path);
        let file = FakeFile { bytes: bytes.to_vec(), synced: bytes.len(), modified, ..self.new_file() };
        self.files.insert(path.into(), file);
    }

    /// An empty file.
    fn new_file(&mut self) -> FakeFile {
        self.numbers += 1;
        FakeFile { number: self.numbers, bytes: vec![], synced: 0, readonly: false, withheld: false, owner: (0, 0), modified: self.tick() }
    }

    /// The file of that name, made if it is missing.
    fn made(&mut self, path: &Path) -> &mut FakeFile {
        let new = self.new_file();
        self.files.entry(path.into()).or_insert(new)
    }

    /// Takes the name from a file.
    fn unlink(&mut self, path: &Path) -> Option<()> {
        let file = self.files.remove(path)?;
        self.locks.remove(path);
        self.nameless.insert(file.number, file);
        Some(())
    }

    /// Gives a file another name; what had it is nameless from then on.
    fn renamed(&mut self, from: &Path, to: &Path) -> Result<(), StorageError> {
        let file = self.files.remove(from).ok_or_else(|| missing(StorageAction::Replace, to))?;
        _ = self.unlink(to);
        self.files.insert(to.into(), file);
        self.folder_log.push(FolderStep::Named(to.into()));
        Ok(())
    }

    /// A file that somebody opened by that name.
    fn opened(&mut self, path: &Path, number: u64) -> io::Result<&mut FakeFile> {
        let named = self.files.get_mut(path).filter(|file| file.number == number);
        named.or_else(|| self.nameless.get_mut(&number)).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Where the links of a path lead.
    fn followed<'a>(&'a self, mut path: &'a Path) -> &'a Path {
        while let Some(target) = self.links.get(path) {
            path = target;
        }
        path
    }

    fn tick(&mut self) -> SystemTime {
        self.clock += 1;
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.clock)
    }

    /// Counts an operation of that name; answers whether a write shall lose a byte.
    fn step(&mut self, operation: &str) -> io::Result<bool> {
        let index = self.operations;
        self.operations += 1;
        let due: Vec<_> = self.meanwhile.extract_if(.., |(at, ..)| *at == index).collect();
        for (_, path, bytes) in due {
            note(
                if bytes.is_some() { "another program writes a file before it" } else { "another program removes a file before it" },
                operation,
            );
            match bytes {
                Some(bytes) => self.put(&path, &bytes),
                None => _ = self.unlink(&path),
            }
        }
        for (from, to, folder) in &self.claims {
            let mut claimed = self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
            match index {
                _ if index == *from => _ = claimed.insert(folder.clone()),
                _ if index == *to => _ = claimed.remove(folder),
                _ => {}
            }
        }
        if index.is_multiple_of(3)
            && self.claimed.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
            && let Some(saver) = &mut self.saver
        {
            let set = saver.sets[saver.saves % 2].clone();
            saver.saves += 1;
            set.iter().for_each(|(path, bytes)| self.put(path, bytes));
        }
        if self.dead {
            return Err(io::Error::other("the process is dead"));
        }
        match self.fault.take_if(|(at, _)| *at == index) {
            None => Ok(false),
            Some((_, Fault::LosesByte)) => Ok(true),
            Some((_, Fault::Once(kind))) => {
                note(&kind.to_string(), operation);
                Err(kind.into())
            }
            Some((_, Fault::Crash)) => {
                note("crash, and what was not synced is lost by half", operation);
                self.dead = true;
                for file in self.files.values_mut() {
                    let lost = file.bytes.len().saturating_sub(file.synced);
                    file.bytes.truncate(file.synced + lost / 2);
                }
                let lost = std::mem::take(&mut self.new_folders);
                self.files.retain(|path, _| !lost.contains(folder_of(path)));
                self.folders.retain(|folder| !lost.contains(folder));
                Err(io::Error::other("the process is dead"))
            }
        }
    }
}

fn missing(action: StorageAction, path: &Path) -> StorageError {
    StorageError::at(action, path)(io::ErrorKind::NotFound.into())
}

impl Storage for FaultyStorage {
    fn info(&self, path: &Path) -> Result<FileInfo, StorageError> {
        let state = self.begin(StorageAction::Find, path)?;
        let path = state.followed(path);
        if state.folders.contains(path) {
            return Ok(FileInfo { len: 0, modified: None, readonly: false, is_folder: true, names: 1, identity: None, owner: None });
        }
        let file = state.files.get(path).ok_or_else(|| missing(StorageAction::Find, path))?;
        Ok(FileInfo {
            len: file.bytes.len() as u64,
            modified: Some(file.modified),
            readonly: file.readonly,
            is_folder: false,
            names: 1,
            identity: None,
            owner: Some(file.owner),
        })
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Source>, StorageError> {
        let state = self.begin(StorageAction::Read, path)?;
        let file = state.files.get(state.followed(path)).ok_or_else(|| missing(StorageAction::Read, path))?;
        if file.withheld {
            note("permission denied, until somebody gives it", "Read");
            return Err(StorageError::at(StorageAction::Read, path)(io::ErrorKind::PermissionDenied.into()));
        }
        Ok(Box::new(MemorySource(file.bytes.clone().into())))
    }

    fn create_temp(&self, target: &Path) -> Result<TempFile, StorageError> {
        let mut state = self.begin(StorageAction::Write, target)?;
        if !state.folders.contains(folder_of(target)) {
            return Err(missing(StorageAction::Write, target));
        }
        state.temps += 1;
        let path = temp_path(target, 1, state.temps);
        // It takes after the file that it is for.
        let readonly = state.files.get(target).is_some_and(|file| file.readonly);
        let file = state.made(&path);
        file.readonly = readonly;
        let number = file.number;
        state.folder_log.push(FolderStep::Named(path.clone()));
        Ok(TempFile { writer: Box::new(FakeWriter { storage: self.clone(), path: path.clone(), number }), path })
    }

    fn free_space(&self, _folder: &Path) -> Option<u64> {
        self.free()
    }

    fn is_abandoned_temp(&self, path: &Path) -> bool {
        temp_owner(path).is_some() && !is_kept_temp(path)
    }

    fn append(&self, path: &Path) -> Result<Box<dyn FileWriter>, StorageError> {
        let mut state = self.begin(StorageAction::Write, path)?;
        if !state.folders.contains(folder_of(path)) {
            return Err(missing(StorageAction::Write, path));
        }
        let file = state.made(path);
        if file.readonly {
            return Err(StorageError::at(StorageAction::Write, path)(io::ErrorKind::PermissionDenied.into()));
        }
        let number = file.number;
        Ok(Box::new(FakeWriter { storage: self.clone(), path: path.into(), number }))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        self.begin(StorageAction::Replace, to)?.renamed(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        let mut state = self.begin(StorageAction::Replace, to)?;
        if state.files.contains_key(to) {
            return Err(StorageError::at(StorageAction::Replace, to)(io::ErrorKind::AlreadyExists.into()));
        }
        state.renamed(from, to)
    }

    fn remove(&self, path: &Path) -> Result<(), StorageError> {
        let mut state = self.begin(StorageAction::Remove, path)?;
        state.unlink(path).ok_or_else(|| missing(StorageAction::Remove, path))
    }

    fn list(&self, folder: &Path) -> Result<Vec<PathBuf>, StorageError> {
        let state = self.begin(StorageAction::List, folder)?;
        if !state.folders.contains(folder) {
            return Err(missing(StorageAction::List, folder));
        }
        let paths: BTreeSet<&PathBuf> = state.files.keys().chain(state.links.keys()).collect();
        Ok(paths.into_iter().filter(|path| folder_of(path) == folder).cloned().collect())
    }

    fn make_folder(&self, folder: &Path) -> Result<(), StorageError> {
        let mut state = self.begin(StorageAction::CreateFolder, folder)?;
        if state.folders.insert(folder.into()) {
            state.new_folders.insert(folder.into());
        }
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError> {
        let mut state = self.state();
        state.step("SyncFolder").map_err(StorageError::at(StorageAction::Write, folder))?;
        state.new_folders.retain(|new| folder_of(new) != folder);
        state.folder_log.push(FolderStep::Synced(folder.into()));
        Ok(())
    }

    fn resolve(&self, path: &Path) -> Result<PathBuf, StorageError> {
        self.begin(StorageAction::Find, path).map(|state| state.followed(path).to_path_buf())
    }

    fn check_writable(&self, path: &Path) -> Result<(), StorageError> {
        let state = self.begin(StorageAction::Write, path)?;
        match state.files.get(path) {
            Some(file) if file.readonly => Err(StorageError::at(StorageAction::Write, path)(io::ErrorKind::PermissionDenied.into())),
            _ => Ok(()),
        }
    }

    fn lock_folder(&self, folder: &Path) -> Result<Option<FileLock>, StorageError> {
        // Others look at the claims at every operation.
        let claimed = self.state().claimed.clone();
        let is_free = claimed.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.into());
        Ok(is_free.then(|| FileLock::new(FakeClaim { claimed, folder: folder.into() })))
    }

    fn lock(&self, path: &Path) -> Result<Option<FileLock>, StorageError> {
        let mut state = self.begin(StorageAction::Lock, path)?;
        let number = state.made(path).number;
        let is_free = !state.locks.contains_key(path);
        state.locks.entry(path.into()).or_insert(number);
        Ok(is_free.then(|| FileLock::new(FakeLock { storage: self.clone(), path: path.into(), number })))
    }

    fn holds(&self, lock: &FileLock, path: &Path) -> bool {
        let held = lock.guard::<FakeLock>().map(|lock| lock.number);
        let state = self.state();
        held.is_some() && !state.is_numberless && state.files.get(path).map(|file| file.number) == held
    }
}
