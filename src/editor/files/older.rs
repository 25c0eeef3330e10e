//! Files beside the place of a save that are not the map's own sidecars, and that would be read with it all the same: what another map
//! left there, and those that maps of one name shared once, which are read where a map has none of its own.

use std::path::{Path, PathBuf};

use super::open::SIDECAR_LIMIT;
use super::sidecars::{SIDECAR_LEFT, SidecarPlanner, left_text};
use super::{Plugins, SavePlace, Stamp, lies_there, shown_name, sidecar_path};
use crate::editor::storage::{ContentHash, Storage};
use crate::format::{MapFormat, Report, Severity, Sidecar};

impl SidecarPlanner<'_> {
    /// Where files would lie that are read for this one where it is missing, and never written.
    pub(super) fn olders_of(self, sidecar: &dyn Sidecar) -> Vec<PathBuf> {
        let olders = self.plugins.sidecars_of(self.format.id()).filter(|older| is_taken_over(*older, sidecar));
        olders.map(|older| sidecar_path(self.map, older.suffix())).collect()
    }

    /// Whether the map is saved in the place of another one, or where none was: nothing that lies beside that place is the map's.
    pub(super) fn is_elsewhere(self) -> bool {
        match self.options.place {
            SavePlace::Own => false,
            SavePlace::Other => true,
            SavePlace::AsExpected => self.options.expected.get(self.map).is_none(),
        }
    }

    /// Whether a file that is read for another one where that is missing would be read.
    fn would_be_read(self, older: &dyn Sidecar) -> bool {
        let path = sidecar_path(self.map, older.suffix());
        self.storage.exists(&path).unwrap_or(false) && !is_of_other(self.plugins, self.storage, self.map, older, &path)
    }

    /// Whether one would be read once the disk is back that a link in its place leads to.
    fn may_be_read(self, older: &dyn Sidecar) -> bool {
        let path = sidecar_path(self.map, older.suffix());
        lies_there(self.storage, &path) && !is_of_other(self.plugins, self.storage, self.map, older, &path)
    }

    /// Whether one of those lies there that the map brought nothing of along: with the map, it would be read. One that came beside the map's own
    /// file since is not meant: somebody put it there for the map.
    pub(super) fn has_older_there(self, sidecar: &dyn Sidecar) -> bool {
        let is_known = |older: &dyn Sidecar| self.options.expected.get(&sidecar_path(self.map, older.suffix())).is_some();
        let is_without = [true, false].iter().all(|is_readable| self.read_before(sidecar, *is_readable).is_none());
        let mut olders = self.plugins.sidecars_of(self.format.id()).filter(|older| is_taken_over(*older, sidecar));
        olders.any(|older| (self.is_elsewhere() && self.may_be_read(older)) || (is_known(older) && is_without && self.would_be_read(older)))
    }

    /// Whether what Spadework wrote for another map lies there, in whose place this one is saved.
    pub(super) fn is_left_of_another_map(self, sidecar: &dyn Sidecar, path: &Path) -> bool {
        self.is_elsewhere()
            && self.storage.exists(self.map).unwrap_or(false)
            && sidecar.made_when_missing(self.format.id())
            && self.storage.read(path, SIDECAR_LIMIT).is_ok_and(|bytes| sidecar.is_ours(&bytes) && !sidecar.is_of_other_map(&bytes))
    }

    /// Whether something would be read with the map that is not the map's, unless the sidecar is written.
    pub(super) fn would_say_more(self, sidecar: &dyn Sidecar, path: &Path) -> bool {
        self.has_older_there(sidecar) || self.is_left_of_another_map(sidecar, path)
    }

    /// Whether one that was read with the map says anything by now that is meant for it: it is as it was, or somebody wrote something else there. One
    /// that is gone, damaged, empty, or another map's says nothing of it any more.
    fn still_counts(self, older: &dyn Sidecar, stamp: &Stamp) -> bool {
        let path = sidecar_path(self.map, older.suffix());
        self.would_be_read(older) && (stamp.still_holds(self.storage, &path).unwrap_or(true) || self.says_something(&path))
    }

    /// The one of those that was read with the map, in whose place this one is not there yet.
    pub(super) fn older_in_force(self, sidecar: &dyn Sidecar, path: &Path) -> Option<(PathBuf, Stamp)> {
        if self.is_elsewhere() || self.options.expected.get(path).is_some() || lies_there(self.storage, path) {
            return None;
        }
        let olders = self.plugins.sidecars_of(self.format.id()).filter(|older| is_taken_over(*older, sidecar));
        let mut known = olders.filter_map(|older| {
            let path = sidecar_path(self.map, older.suffix());
            let stamp = *self.options.expected.get(&path)?;
            (!stamp.unreadable && self.still_counts(older, &stamp)).then_some((path, stamp))
        });
        known.next()
    }

    /// Where something came to the place of the map's own file since that the map knows nothing of and that says something of it, and there is nothing
    /// to write there but what an older one said: that older one.
    pub(super) fn nothing_new_but_of(self, sidecar: &dyn Sidecar, path: &Path, bytes: &[u8]) -> Option<PathBuf> {
        let is_known = |older: &PathBuf| self.options.expected.get(older).is_some_and(|stamp| stamp.hash == ContentHash::of(bytes));
        let is_new = !self.is_elsewhere() && self.options.expected.get(path).is_none() && self.says_something(path);
        is_new.then(|| self.olders_of(sidecar).into_iter().find(is_known)).flatten()
    }

    /// The files that would be read with the map that is replaced.
    pub(super) fn beside_the_replaced(self) -> Vec<PathBuf> {
        let is_read = |sidecar: &&dyn Sidecar| {
            let path = sidecar_path(self.map, sidecar.suffix());
            self.storage.read(&path, SIDECAR_LIMIT).is_ok() && !is_of_other(self.plugins, self.storage, self.map, *sidecar, &path)
        };
        let mut sidecars: Vec<&dyn Sidecar> = self.plugins.sidecars_of(self.format.id()).map(|sidecar| sidecar as _).collect();
        sidecars.retain(is_read);
        sidecars.into_iter().map(|sidecar| sidecar_path(self.map, sidecar.suffix())).collect()
    }

    /// Tells of those that came beside the map's own file, that somebody changed, or that are gone, since it was read. Answers those that count no
    /// more from now on.
    pub(super) fn tell_of_olders(
        self,
        sidecar: &dyn Sidecar,
        own_path: &Path,
        is_written: bool,
        report: &mut Report,
    ) -> Vec<(PathBuf, PathBuf)> {
        if self.is_elsewhere() || self.options.expected.get(own_path).is_some() || lies_there(self.storage, own_path) {
            return vec![];
        }
        let (own, mut superseded) = (shown_name(own_path), vec![]);
        for older in self.plugins.sidecars_of(self.format.id()).filter(|older| is_taken_over(*older, sidecar)) {
            let path = sidecar_path(self.map, older.suffix());
            let (name, known) = (shown_name(&path), self.options.expected.get(&path).filter(|stamp| !stamp.unreadable));
            let is_gone = known.is_some_and(|stamp| !self.still_counts(older, stamp));
            let is_as_known = known.is_some_and(|stamp| stamp.still_holds(self.storage, &path).unwrap_or(true));
            let message = if is_gone && is_written {
                format!("{name} is gone, damaged, or another map's by now: what it said is in {own} from now on")
            } else if is_as_known || !self.would_be_read(older) {
                String::new()
            } else if is_written {
                format!("what {name} says by now is not in {own}, which counts more from now on")
            } else if known.is_some() {
                left_text(&name)
            } else {
                self.tell_of_stranger(&path, report);
                String::new()
            };
            if !message.is_empty() {
                let code = if is_written { "sidecar-changed" } else { SIDECAR_LEFT };
                report.push(Severity::Problem, code, message);
                // Where it says nothing of the map any more, nothing of it is passed over.
                superseded.extend((is_written && !is_gone).then(|| (path, own_path.to_path_buf())));
            }
        }
        superseded
    }
}

/// Whether what one says goes into the other with a save.
pub(super) fn is_taken_over(older: &dyn Sidecar, by: &dyn Sidecar) -> bool {
    !older.goes_along() && older.superseded_by() == Some(by.id())
}

/// Whether a file that was the map's once, and is superseded by another one, is that of another map of the same name by now.
pub(super) fn is_of_other(plugins: Plugins, storage: &dyn Storage, map: &Path, sidecar: &dyn Sidecar, path: &Path) -> bool {
    let Some(heir) = sidecar.superseded_by().and_then(|id| plugins.sidecar(id)) else { return false };
    let is_there = |map: &Path, sidecar: &dyn Sidecar| lies_there(storage, &sidecar_path(map, sidecar.suffix()));
    let bytes = std::cell::LazyCell::new(|| storage.read(path, SIDECAR_LIMIT).ok());
    let says_other = |sidecar: &dyn Sidecar| bytes.as_deref().is_some_and(|bytes| sidecar.is_of_other_map(bytes));
    // That of `castle.vmf` has the name that one would have that a map `castle.vmf.vxl` shared.
    let other_map = map.with_extension("");
    let is_own = |format: &dyn MapFormat| {
        let mut own = plugins.sidecars_of(format.id()).filter(|own| own.goes_along());
        own.any(|own| sidecar_path(&other_map, own.suffix()) == path && !says_other(own))
    };
    let is_heir_of_other = || plugins.format_of_name(&other_map).is_some_and(is_own) && lies_there(storage, &other_map);
    (!sidecar.goes_along() && (is_there(map, heir) || is_heir_of_other())) || says_other(sidecar)
}
