//! Which volume is looked at and edited.

use serde::{Deserialize, Serialize};

use crate::document::{Snapshot, Symmetry};
use crate::edit::{Change, EditError, Part, Payload};

/// Makes another volume the active one: all that follows happens there, until another is chosen.
///
/// Nothing stays selected and no symmetry set, because places of one volume mean nothing in another. The map is
/// not modified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectVolume {
    /// Its number, from 0, in the order of the file.
    pub volume: usize,
}

impl SelectVolume {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        let Some(volume) = snapshot.volumes().get(self.volume) else {
            return Err(EditError::NoSuchVolume { volume: self.volume, count: snapshot.volumes().len() });
        };
        let label = format!("Go to {}", volume.title());
        if self.volume == snapshot.active() {
            return Ok(Change::new(label, vec![]));
        }
        let mut parts = vec![Part::Active(Payload { before: snapshot.active(), after: self.volume })];
        parts.extend(Part::selection(&snapshot.selection, None));
        parts.extend(Part::symmetry(&snapshot.symmetry, Symmetry::default()));
        Ok(Change::new(label, parts))
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::document::{Anchor, Document, GameProfile, MarkerRole, Object, Progress, Volume};
    use crate::edit::{Command, History, ops, plan};
    use crate::geom::Region;
    use crate::voxel::Store;

    const AT: IVec3 = IVec3::new(1, 1, 0);

    fn two() -> Document {
        let volume = |side: i32| Volume::new(Store::new(Region::of_size(IVec3::new(side, side, 1))));
        let mut document = Document::with_volumes(vec![volume(4), volume(6)], &GameProfile::SPACE_STATION_14).unwrap();
        let mut objects = (*document.objects).clone();
        for volume in 0..2 {
            let at = Anchor { x: 1, y: 1, z: Some(0) };
            objects.push(Object::Marker { label: "Crate".into(), at, role: MarkerRole::Point, volume });
        }
        document.objects = objects.into();
        document
    }

    fn run(document: &mut Document, history: &mut History, json: &str) -> Result<(), EditError> {
        let command: Command = serde_json::from_str(json).unwrap();
        history.commit(document, plan(document, &command, &Progress::new())?);
        Ok(())
    }

    fn solid(document: &Document) -> [u64; 2] {
        [0, 1].map(|volume| document.volumes()[volume].store.solid_count())
    }

    #[test]
    fn edits_go_to_the_volume_that_is_chosen_and_undo_finds_them_there() {
        let (mut document, mut history) = (two(), History::new());
        run(&mut document, &mut history, r#"{"select":{"box":[[0,0,0],[2,2,1]]}}"#).unwrap();
        run(&mut document, &mut history, r#"{"select_volume":{"volume":1}}"#).unwrap();
        assert_eq!((document.active(), document.selection.clone(), document.bounds().size().x), (1, None, 6));
        assert!(!history.is_modified());
        run(&mut document, &mut history, r##"{"set":{"at":[1,1,0],"color":"#ff8000"}}"##).unwrap();
        assert_eq!((solid(&document), history.is_modified()), ([0, 1], true));
        run(&mut document, &mut history, r#"{"select_volume":{"volume":0}}"#).unwrap();
        run(&mut document, &mut history, r##"{"set":{"at":[1,1,0],"color":"#ff8000"}}"##).unwrap();
        assert_eq!(solid(&document), [1, 1]);
        let mut seen = vec![];
        while history.undo(&mut document).is_some() {
            seen.push((document.active(), solid(&document)));
        }
        assert_eq!(seen, [(0, [0, 1]), (1, [0, 1]), (1, [0, 0]), (0, [0, 0]), (0, [0, 0])]);
        history.jump_to(&mut document, 5);
        assert_eq!((document.active(), solid(&document)), (0, [1, 1]));
    }

    #[test]
    fn a_volume_that_is_not_there_is_refused() {
        let (mut document, mut history) = (two(), History::new());
        let refused = run(&mut document, &mut history, r#"{"select_volume":{"volume":2}}"#);
        assert_eq!(refused, Err(EditError::NoSuchVolume { volume: 2, count: 2 }));
        for json in [r#"{"add_object":MARKER}"#, r#"{"set_object":{"id":1,"object":MARKER}}"#] {
            let json = json.replace("MARKER", r#"{"marker":{"label":"Crate","at":[1,1,0],"volume":2}}"#);
            assert_eq!(run(&mut document, &mut history, &json), Err(EditError::NoSuchVolume { volume: 2, count: 2 }));
        }
        run(&mut document, &mut history, r#"{"select_volume":{"volume":0}}"#).unwrap();
        assert!(history.is_empty(), "it is active already");
    }

    #[test]
    fn what_moves_a_volume_moves_what_stands_in_it() {
        let places = |document: &Document| document.objects.iter().map(|(_, object)| object.area().min()).collect::<Vec<_>>();
        for (json, moved) in [
            (r#"{"shift":{"by":[1,0,0]}}"#, [2, 1]),
            (r#"{"resize":{"box":[[-2,-1,0],[6,6,1]]}}"#, [3, 2]),
            (r#"{"shift":{"by":[-2,0,0],"wrap":true}}"#, [5, 1]),
        ] {
            let (mut document, mut history) = (two(), History::new());
            run(&mut document, &mut history, r#"{"select_volume":{"volume":1}}"#).unwrap();
            run(&mut document, &mut history, json).unwrap();
            assert_eq!(places(&document), [[1, 1], moved], "{json}");
            assert_eq!(document.volumes()[0].store.bounds().size(), IVec3::new(4, 4, 1));
            while history.undo(&mut document).is_some() {}
            assert_eq!((places(&document), document.bounds()), (vec![[1, 1], [1, 1]], two().bounds()), "{json}");
        }
    }

    #[test]
    fn every_command_that_changes_voxels_does_so_in_the_active_volume() {
        let orange = crate::voxel::Rgb::new(255, 128, 0);
        for json in [
            r##"{"set":{"at":[1,1,0],"color":"#ff8000"}}"##,
            r##"{"fill":{"box":[[0,0,0],[3,3,1]],"color":"#ff8000"}}"##,
            r##"{"stroke":{"brush":{"shape":"cube","size":2},"path":[[1,1,0]],"color":"#ff8000"}}"##,
            r##"{"line":{"brush":{"shape":"cube","size":1},"from":[1,1,0],"to":[3,3,0],"color":"#ff8000"}}"##,
        ] {
            let (mut document, mut history) = (two(), History::new());
            run(&mut document, &mut history, r#"{"select_volume":{"volume":1}}"#).unwrap();
            run(&mut document, &mut history, json).unwrap();
            assert!(document.store().voxel(AT).is_some_and(|voxel| voxel.rgb() == Some(orange)), "{json}");
            assert_eq!(solid(&document)[0], 0, "{json}");
        }
        let json = serde_json::to_string(&Command::SelectVolume(ops::SelectVolume { volume: 3 })).unwrap();
        assert_eq!(json, r#"{"select_volume":{"volume":3}}"#);
    }
}
