//! Windows without a face for tests, on a disk in memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::jobs::Waker;
use super::settings::Settings;
use super::storage::Storage;
use super::storage::testing::FaultyStorage;
use super::{Action, DocumentId, Editor, EditorConfig, JobMode, NewMap};

/// What such a window is made of: jobs run at once, journals lie in `s`.
pub(in crate::editor) fn config_on(storage: Arc<dyn Storage>, waker: Waker) -> EditorConfig {
    EditorConfig {
        storage,
        jobs: JobMode::Inline,
        waker,
        journal_folder: Some("s".into()),
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    }
}

/// A window on that disk.
pub(in crate::editor) fn editor_on(disk: &FaultyStorage) -> Editor {
    Editor::new(config_on(Arc::new(disk.clone()), Arc::new(|| {})))
}

/// A window on that disk with so many small maps.
pub(in crate::editor) fn editor_with_maps(disk: &FaultyStorage, maps: usize) -> (Editor, Vec<DocumentId>) {
    let mut editor = editor_on(disk);
    let params = crate::terrain::Params { size: glam::IVec3::new(32, 32, 64), seed: 0, values: Default::default() };
    for _ in 0..maps {
        editor.act(Action::New(NewMap { generator: "flat".into(), params: params.clone() }));
    }
    editor.finish_jobs();
    let ids = editor.documents().iter().map(|open| open.id()).collect();
    (editor, ids)
}

/// Waits for other threads.
#[track_caller]
pub(in crate::editor) fn until(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never came to it");
        std::thread::yield_now();
    }
}
