//! What Spadework keeps for itself: settings that cannot be read stop nothing, those that can come back.

use std::path::Path;

use spadework::editor::keymap::{BINDABLES, Chord, Keymap, KeymapSettings};
use spadework::editor::settings::{Settings, SettingsError};

use crate::memory::MemoryStorage;

/// The settings file.
pub fn settings(data: &[u8]) {
    let path = Path::new("c/settings.yaml");
    let storage = MemoryStorage::with([("c/settings.yaml", data.to_vec())]);
    let (mut settings, problem) = Settings::load(&storage, path);
    match &problem {
        None => {}
        Some(SettingsError::Damaged { aside, .. } | SettingsError::PartlyDamaged { aside, .. }) => {
            assert_eq!(storage.get(aside).as_deref(), Some(data), "damaged settings are put aside");
        }
        Some(_) => return assert_eq!(settings, Settings::unread()),
    }
    let known = settings.clone();
    // Nothing was changed here: not a byte is.
    if problem.is_none() && known.layout.is_whole && !data.iter().all(u8::is_ascii_whitespace) {
        known.save_changes(&known, &storage, path).expect("what was read can be written");
        assert_eq!(storage.get(path).as_deref(), Some(data));
    }
    // What holds while they are damaged is not written.
    (settings.versions.keep_all, settings.layout.is_whole) = (false, true);
    settings.remember(Path::new("fuzzed.vxl"));
    if settings.save_changes(&known, &storage, path).is_ok() {
        let (mut again, problem) = Settings::load(&storage, path);
        assert!(problem.is_none(), "{problem:?}");
        // What cannot stay is put aside once.
        let mut more = again.clone();
        more.remember(Path::new("another.vxl"));
        assert_eq!(more.save_changes(&again, &storage, path).expect("it was written before"), None);
        // A name that is no text gets another one by being written.
        assert_eq!(again.other.len(), settings.other.len());
        again.other.clone_from(&settings.other);
        assert_eq!(again, settings);
    }
}

/// The keymap in the settings: everything bindable has keys that can be named again, and what cannot be followed is told.
pub fn keymap(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(chord) = Chord::parse(text) {
        assert_eq!(Chord::parse(&chord.to_string()), Ok(chord), "{text:?}");
    }
    let Ok(settings) = serde_yaml::from_str::<KeymapSettings>(text) else { return };
    let keymap = Keymap::new(&settings);
    assert_eq!(keymap.entries().count(), BINDABLES.len());
    for (bindable, keys) in keymap.entries() {
        assert_eq!(keymap.keys_of(&bindable.id), keys);
        for key in keys {
            assert_eq!(Chord::parse(&key.to_string()), Ok(*key));
        }
    }
    let wrong = settings.keys.iter().filter(|(id, _)| BINDABLES.iter().all(|bindable| bindable.id != **id)).count();
    assert!(keymap.troubles.len() >= wrong);
    // What the settings keep is what they kept. Some tags of YAML cannot be written, which is told.
    let (storage, path) = (MemoryStorage::with([]), Path::new("c/settings.yaml"));
    let stored = Settings { keymap: settings, ..Settings::default() };
    if stored.save_changes(&Settings::default(), &storage, path).is_ok() {
        let (again, problem) = Settings::load(&storage, path);
        assert!(problem.is_none(), "{problem:?}");
        assert_eq!(again.keymap, stored.keymap);
    }
}
