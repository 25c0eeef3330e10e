//! What Spadework keeps for itself: settings that cannot be read stop nothing, those that can come back.

use std::path::Path;

use spadework::editor::settings::{Settings, SettingsError};

use crate::memory::MemoryStorage;

/// The settings file.
pub fn settings(data: &[u8]) {
    let path = Path::new("c/settings.yaml");
    let storage = MemoryStorage::with([("c/settings.yaml", data.to_vec())]);
    let (settings, problem) = Settings::load(&storage, path);
    if let Some(problem) = problem {
        assert_eq!(settings, Settings::default());
        if let SettingsError::Damaged { aside, .. } = problem {
            assert_eq!(storage.get(&aside).as_deref(), Some(data), "damaged settings are put aside");
        }
        return;
    }
    if settings.save(&storage, path).is_ok() {
        let (again, problem) = Settings::load(&storage, path);
        assert!(problem.is_none(), "{problem:?}");
        assert_eq!(again, settings);
    }
}
