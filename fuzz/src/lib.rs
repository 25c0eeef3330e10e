//! What the fuzz targets do with their bytes: one function a target, in the file of its kind.
//!
//! A target panics where a promise is broken: a crash of the program, or a file that does not come back as it was.
//! It knows the formats by their registries only, so that a new one needs no more than a line in `targets/`.

mod edits;
mod imports;
mod map;
mod memory;
mod script;
pub mod seeds;
mod sidecar;
mod state;

pub use imports::imports;
pub use map::{ss14, vmf, vxl};
pub use script::{commands, journal};
pub use sidecar::{project, spadesx_json, spadesx_toml, txt};
pub use state::{keymap, settings};

use std::sync::{Arc, LazyLock};

use spadework::document::{Document, GameProfile, Object, Progress};
use spadework::terrain::{Params, generator};

/// The map of the game that edits and sidecars work on: small, with water and ground.
pub fn small_map() -> Document {
    static MAP: LazyLock<Document> = LazyLock::new(|| island([24, 24, 64]));
    MAP.clone()
}

/// A map made by our own generator.
pub fn island(size: [i32; 3]) -> Document {
    let params = Params { size: size.into(), seed: 7, values: Default::default() };
    let island = generator("island").expect("the island is in the registry");
    let store = island.generate(&params, &Progress::new()).expect("its size is allowed");
    Document::new(store, &GameProfile::ACE_OF_SPADES)
}

/// Panics where two documents hold other voxels, objects or metadata. Ids of objects play no part: no file keeps them.
#[track_caller]
pub fn assert_same(before: &Document, after: &Document, when: &str) {
    assert_eq!(before.volumes().len(), after.volumes().len(), "{when}: volumes");
    for (old, new) in before.volumes().iter().zip(after.volumes().iter()) {
        assert_eq!((&old.name, old.offset), (&new.name, new.offset), "{when}: name and place");
        assert_eq!(old.store.bounds(), new.store.bounds(), "{when}: bounds");
        assert!(old.store.same_voxels(&new.store), "{when}: voxels");
    }
    assert_eq!(objects(before), objects(after), "{when}: objects");
    assert_eq!(before.metadata, after.metadata, "{when}: metadata");
}

/// The objects in an order that does not depend on their ids.
pub fn objects(document: &Document) -> Vec<&Object> {
    let mut objects: Vec<&Object> = document.objects.iter().map(|(_, object)| object).collect();
    objects.sort_by_cached_key(|object| format!("{object:?}"));
    objects
}

/// A source of bytes in memory.
fn source(bytes: &[u8]) -> spadework::format::MemorySource {
    spadework::format::MemorySource(Arc::from(bytes))
}
