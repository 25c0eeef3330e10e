//! Small maps of our own generators.

use std::path::Path;

use glam::IVec3;
use spadework::editor::NewMap;
use spadework::terrain::Params;

/// A level map, 64 columns wide.
pub fn flat() -> NewMap {
    NewMap { generator: "flat".into(), params: small() }
}

/// A small island.
pub fn island() -> NewMap {
    NewMap { generator: "island".into(), params: small() }
}

fn small() -> Params {
    Params { size: IVec3::splat(64), seed: 7, values: Default::default() }
}

/// Writes a level map of the game's size: what opens a VXL file expects that size.
pub fn write_vxl(path: &Path) {
    use spadework::editor::files::{SaveOptions, save_map};
    let flat = spadework::terrain::generator("flat").unwrap();
    let progress = spadework::document::Progress::new();
    let store = flat.generate(&Params::game(7), &progress).unwrap();
    let document = spadework::document::Document::new(store, &spadework::document::GameProfile::ACE_OF_SPADES);
    save_map(&spadework::editor::storage::RealStorage, &document, path, &SaveOptions::default(), &progress).unwrap();
}
