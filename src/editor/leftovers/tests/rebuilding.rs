//! The steps of a restored map from before its recovery snapshot.

use super::*;

/// A window that brings the map back, and the answer of the job that repeats its older steps, which nobody took in yet.
fn rebuilding_on(storage: &FaultyStorage) -> (Editor, DocumentId, JobInfo, Option<Box<Replayed>>) {
    let mut editor = editor_on(storage);
    editor.find_leftovers();
    editor.finish_jobs();
    editor.act(Action::RestoreLeftovers);
    let (_, Ok(JobDone::Replayed(found, replayed))) = editor.jobs.poll().unwrap() else { panic!("another job") };
    editor.replayed(*found, replayed);
    let id = editor.active().unwrap().id();
    let (job, rebuilt) = std::iter::from_fn(|| editor.jobs.poll())
        .find_map(|(job, answer)| if let Ok(JobDone::Rebuilt(rebuilt)) = answer { Some((job, rebuilt)) } else { None })
        .unwrap();
    editor.finish_jobs();
    (editor, id, job, rebuilt)
}

#[test]
fn the_older_steps_of_a_restored_map_that_was_read_again_meanwhile_do_not_bring_back_what_was_dropped() {
    let (mut editor, id, job, rebuilt) = rebuilding_on(&crashed_behind_a_snapshot());
    let steps = |editor: &Editor| (editor.document(id).unwrap().history().head(), editor.document(id).unwrap().is_modified());
    assert!(rebuilt.is_some() && steps(&editor) == (0, true) && !editor.document(id).unwrap().is_without_older_steps());
    assert!(editor.document(id).unwrap().is_rebuilding());
    act(&mut editor, Action::Revert);
    let before = editor.document(id).unwrap().document().store().clone();
    assert_eq!(steps(&editor), (0, false));
    editor.rebuilt(id, &job, rebuilt);
    assert!(steps(&editor) == (0, false) && editor.document(id).unwrap().document().store().same_voxels(&before), "the step is back");
    check_no_errors(&editor);
    // Where nobody dropped anything, they are there.
    let (mut editor, id, job, rebuilt) = rebuilding_on(&crashed_behind_a_snapshot());
    editor.rebuilt(id, &job, rebuilt);
    let open = editor.document(id).unwrap();
    assert_eq!((open.history().head(), open.is_rebuilding(), open.is_without_older_steps()), (1, false, false));
}

#[test]
fn a_map_of_which_a_copy_beside_its_journal_is_lost_goes_on_in_a_journal_of_its_own_until_the_file_is_back() {
    const SCRIPT: &[u8] = b"name = 'Fort'\n";
    for is_in_snapshot in [false, true] {
        let storage = opened_and_gone_with("m/a.vxl", &[("m/a.txt", SCRIPT)]);
        let lose = || ["s/a.txt", "m/a.txt"].map(|path| storage.put(path, b"name = 'Other'\n"));
        if is_in_snapshot {
            let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
            let known = replay(&storage, &found, &Progress::new()).unwrap();
            write_snapshot(&storage, Path::new(JOURNAL), &known.document, 1, found.content.mark(1)).unwrap();
        }
        lose();
        let mut editor = restored_on(&storage);
        let open = editor.active().unwrap();
        let name = is_in_snapshot.then_some("Fort");
        assert_eq!((open.document().metadata.name.as_deref(), open.history().head(), open.is_modified()), (name, 0, true));
        assert!(open.is_without_older_steps());
        let message = editor.messages().iter().find(|told| told.text.starts_with("Restored a.vxl as its journal has it")).unwrap();
        let detail = message.detail.clone().unwrap();
        let told = [
            "None of its steps can be undone",
            "what only a.txt beside the journal said is missing",
            "; put m/a.txt back as it was",
            "the journal stays",
        ];
        assert!(message.is_warning && told.iter().all(|part| detail.contains(part)), "{detail}");
        editor.execute(command(r##"{"set":{"at":[9,2,60],"color":"#ff0000"}}"##));
        editor.finish_jobs();
        editor.active().unwrap().journal.as_ref().unwrap().flush();
        drop(editor);
        // The file is back, and with it all that the old journal led to: nothing was written there meanwhile.
        storage.put("m/a.txt", SCRIPT);
        let found =
            find_leftovers(&storage, Path::new("s")).recoverable.into_iter().find(|found| found.journal == Path::new(JOURNAL)).unwrap();
        let whole = crate::editor::recovery::replay_quickly(&storage, &found, &Progress::new()).unwrap();
        let name = whole.document.metadata.name.as_deref();
        assert_eq!((name, whole.lost.len(), whole.document.store().is_solid(IVec3::new(9, 2, 60))), (Some("Fort"), 0, false));
        assert!(whole.stamps.get(Path::new("m/a.txt")).is_some());
        drop(found);
        assert_eq!(journals_but(&storage, JOURNAL).len(), 1);
    }
}

#[test]
fn that_a_restored_map_forgets_its_oldest_steps_is_told_once() {
    for has_snapshot in [false, true] {
        let (storage, _) = crashed("vxl");
        if has_snapshot {
            let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
            let whole = replay(&storage, &found, &Progress::new()).unwrap();
            write_snapshot(&storage, Path::new(JOURNAL), &whole.document, 4, found.content.mark(4)).unwrap();
        }
        let mut editor = editor_on(&storage);
        editor.settings.memory.history_megabytes = 0;
        editor.find_leftovers();
        editor.finish_jobs();
        act(&mut editor, Action::RestoreLeftovers);
        assert!(editor.active().unwrap().history().forgotten() > 0);
        let told = editor.messages().iter().filter(|told| told.text.starts_with("The oldest steps of new map (restored) are forgotten"));
        assert_eq!(told.count(), 1, "{has_snapshot}: {:?}", editor.messages());
    }
}

#[test]
fn that_older_steps_cannot_be_undone_is_a_fault_only_where_the_map_is_open_and_nobody_called_them_off() {
    let told = |editor: &Editor| {
        let told = editor.messages().iter().filter(|told| told.text.starts_with("The first steps of"));
        told.map(|told| (told.text.clone(), told.is_error)).collect::<Vec<_>>()
    };
    let text = || "The first steps of a.vxl cannot be undone".to_owned();
    let (mut editor, id, job, _) = rebuilding_on(&crashed_behind_a_snapshot());
    act(&mut editor, Action::Close(id));
    editor.rebuilt(id, &job, None);
    assert_eq!(told(&editor), []);
    let (mut editor, id, job, _) = rebuilding_on(&crashed_behind_a_snapshot());
    job.progress.cancel();
    editor.rebuilt(id, &job, None);
    assert_eq!(told(&editor), [(text(), false)]);
    let (mut editor, id, job, _) = rebuilding_on(&crashed_behind_a_snapshot());
    editor.rebuilt(id, &job, None);
    assert_eq!(told(&editor), [(text(), true)]);
}
