//! Scripts that run again, the last step repeated, and steps that change nothing.

use glam::IVec3;
use spadework::document::SymmetryKind;
use spadework::edit::{Command, ReplayPlace, ops};
use spadework::editor::{Action, Editor, JobMode, NewMap, Request, ScriptOrder};
use spadework::geom::Face;
use spadework::terrain::Params;

use super::editor::{act, editor, editor_with, errors, flat_map, run, store};

#[test]
fn recorded_steps_run_again_on_another_map_and_the_last_one_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steps.jsonl");
    let map = flat_map(folder.path());
    let mut editor = editor();
    act(&mut editor, Action::Open(map.clone()));
    act(&mut editor, Action::ToggleRecording);
    for x in [3, 4, 5] {
        run(&mut editor, serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},2,20],"color":"#ff8000"}}}}"##)).unwrap());
    }
    act(&mut editor, Action::Undo);
    assert_eq!(editor.active().unwrap().recorded(), Some(2));
    act(&mut editor, Action::ToggleRecording);
    let Some(Request::ScriptPath(script)) = editor.take_requests().pop() else { panic!("a request") };
    act(&mut editor, Action::WriteScript { path: path.clone(), script: script.clone() });
    assert_eq!(std::fs::read_to_string(&path).unwrap(), &*script.text);
    // A file that exists stays, and what was recorded is asked about again.
    act(&mut editor, Action::WriteScript { path: path.clone(), script });
    assert!(matches!(editor.take_requests().pop(), Some(Request::ScriptPath(_))));
    let solid = |editor: &Editor| (3..6).map(|x| store(editor).is_solid(IVec3::new(x, 2, 20))).collect::<Vec<_>>();
    assert_eq!(solid(&editor), [true, true, false]);

    let mut other = editor_with(JobMode::Inline, None);
    act(&mut other, Action::Open(map));
    act(&mut other, Action::RunScript(ScriptOrder::new(path.clone())));
    assert_eq!(solid(&other), [true, true, false]);
    act(&mut other, Action::Undo);
    assert_eq!(solid(&other), [true, false, false]);
    act(&mut other, Action::Repeat(None));
    assert_eq!(solid(&other), [true, true, false], "the last command is done once more");

    // Elsewhere, and on the other side: what falls outside is told in counts, and the symmetry is as before.
    let (size, steps) = (store(&other).bounds().size(), other.active().unwrap().history().head());
    let place = ReplayPlace::At(IVec3::new(size.x - 1, 9, 18));
    act(&mut other, Action::RunScript(ScriptOrder { place, symmetry: Some(SymmetryKind::Turn180), ..ScriptOrder::new(path.clone()) }));
    let found = [[size.x - 1, 9], [0, size.y - 10], [0, 9]].map(|[x, y]| store(&other).is_solid(IVec3::new(x, y, 18)));
    assert_eq!(found, [true, true, false]);
    assert!(!other.active().unwrap().document().symmetry.is_on());
    let told = other.messages().last().unwrap();
    assert_eq!(told.text, "Ran steps.jsonl");
    assert_eq!(told.detail.as_deref(), Some("1 command lay wholly outside the map and did nothing"));
    // The symmetry on, a voxel and its image, and the symmetry off.
    assert_eq!(other.active().unwrap().history().head(), steps + 3);
    assert!(errors(&other).is_empty(), "{:?}", errors(&other));
    std::fs::write(&path, "{\"set\":{}}\n").unwrap();
    act(&mut other, Action::RunScript(ScriptOrder::new(path)));
    assert!(errors(&other).last().is_some_and(|error| error.starts_with("Cannot run steps.jsonl: line 1")), "{:?}", errors(&other));
}

#[test]
fn a_line_that_cannot_be_carried_out_ends_the_script_as_in_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steps.jsonl");
    let line = |x: i32| format!(r##"{{"set":{{"at":[{x},2,20],"color":"#ff8000"}}}}"##);
    std::fs::write(&path, format!("# three of four\n{}\n{}\n{}\n{}\n", line(3), line(4), line(9000), line(5))).unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(flat_map(folder.path())));
    let order = ScriptOrder { symmetry: Some(SymmetryKind::MirrorX), ..ScriptOrder::new(path.clone()) };
    for (times, order) in [(1, ScriptOrder::new(path)), (2, order)] {
        act(&mut editor, Action::RunScript(order));
        let told: Vec<_> = errors(&editor);
        assert!(told.len() == times && told[times - 1].starts_with("steps.jsonl: line 4: "), "{told:?}");
        assert!(editor.messages().last().unwrap().detail.as_deref().is_some_and(|detail| detail.contains("after it")));
        let solid = [3, 4, 5].map(|x| store(&editor).is_solid(IVec3::new(x, 2, 20)));
        assert_eq!(solid, [true, true, false]);
        assert!(!editor.active().unwrap().document().symmetry.is_on(), "it holds only while the script runs");
    }
    // What is done afterwards is no part of it.
    run(&mut editor, serde_json::from_str(&line(5)).unwrap());
    assert!(store(&editor).is_solid(IVec3::new(5, 2, 20)));
}

#[test]
fn a_step_that_changes_nothing_says_why_where_nobody_can_see_it() {
    let mut editor = editor();
    let params = Params { size: IVec3::new(64, 64, 64), seed: 3, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let fill = |mode: &str| -> Command {
        serde_json::from_str(&format!(r##"{{"fill":{{"box":[[4,4,20],[9,9,24]],"color":"#808080","mode":"{mode}"}}}}"##)).unwrap()
    };
    let told = |editor: &Editor| editor.messages().iter().filter(|message| message.text.starts_with("Nothing changed")).count();
    act(&mut editor, Action::Edit(fill("add")));
    assert_eq!(told(&editor), 0);
    act(&mut editor, Action::Repeat(None));
    assert!(told(&editor) == 1 && editor.messages().iter().any(|message| message.text.contains("the last step has done it")));
    let masks: Command = serde_json::from_str(r#"{"set_masks":{"z":[50,60]}}"#).unwrap();
    act(&mut editor, Action::Edit(masks));
    act(&mut editor, Action::Edit(fill("remove")));
    assert!(told(&editor) == 2 && editor.messages().iter().any(|message| message.text.contains("the masks (heights) leave out")));
    act(&mut editor, Action::Edit(Command::RepairColumns(ops::RepairColumns {})));
    assert_eq!(editor.messages().last().unwrap().text, "No column needs repair");
}

#[test]
fn repeating_what_is_done_already_does_it_at_the_pointer_and_a_pulled_face_goes_on() {
    let mut editor = editor();
    let params = Params { size: IVec3::new(64, 64, 64), seed: 3, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let ground = store(&editor).ground(40, 40, 0).unwrap();
    let edit = |json: String| Action::Edit(serde_json::from_str(&json).unwrap());
    act(&mut editor, edit(format!(r##"{{"fill":{{"box":[[4,4,{}],[9,9,{ground}]],"color":"#808080"}}}}"##, ground - 4)));
    act(&mut editor, Action::Repeat(Some((IVec3::new(40, 40, ground), Face::MinusZ))));
    let tops = |editor: &Editor| [[6, 6], [40, 40], [38, 38], [43, 43]].map(|[x, y]| store(editor).ground(x, y, 0).unwrap() - ground);
    assert_eq!(tops(&editor), [-4, -4, -4, 0], "a box of five columns stands with its middle there");
    // The same place again changes nothing, and is told.
    act(&mut editor, Action::Repeat(None));
    assert!(editor.messages().iter().any(|message| message.text.contains("Point elsewhere")));
    act(&mut editor, edit(format!(r##"{{"extrude":{{"at":[6,6,{}],"face":"-z","by":2}}}}"##, ground - 4)));
    act(&mut editor, Action::Repeat(Some((IVec3::new(20, 20, ground), Face::MinusZ))));
    assert_eq!(tops(&editor), [-8, -4, -4, 0]);
    // Undone, the face lies where it was.
    act(&mut editor, Action::Undo);
    act(&mut editor, Action::Undo);
    act(&mut editor, Action::Repeat(None));
    assert_eq!(tops(&editor), [-6, -4, -4, 0]);
    // Pulled as far as the map goes, it is still there.
    act(&mut editor, edit(format!(r##"{{"extrude":{{"at":[6,6,{}],"face":"-z","by":500}}}}"##, ground - 6)));
    act(&mut editor, Action::Repeat(None));
    assert!(editor.messages().iter().all(|message| !message.text.contains("is gone")), "{:?}", editor.messages());
    assert_eq!(tops(&editor), [-ground, -4, -4, 0]);
}

#[test]
fn a_push_that_went_through_a_wall_is_repeated_on_no_other_wall_but_the_one_that_is_pointed_at() {
    let mut editor = editor();
    let params = Params { size: IVec3::new(64, 64, 64), seed: 3, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let ground = store(&editor).ground(40, 40, 0).unwrap();
    let wall = |x: i32| IVec3::new(x, 20, ground - 3);
    for x in [10, 30] {
        let json = format!(r##"{{"fill":{{"box":[[{x},10,{}],[{},30,{ground}]],"color":"#808080"}}}}"##, ground - 6, x + 1);
        run(&mut editor, serde_json::from_str(&json).unwrap());
    }
    let stand = |editor: &Editor| [10, 30].map(|x| store(editor).is_solid(wall(x)));
    assert_eq!(stand(&editor), [true, true]);
    let push = format!(r##"{{"extrude":{{"at":[30,20,{}],"face":"-x","by":-1,"tolerance":255}}}}"##, ground - 3);
    run(&mut editor, serde_json::from_str(&push).unwrap());
    assert_eq!(stand(&editor), [true, false]);
    act(&mut editor, Action::Repeat(None));
    assert_eq!(stand(&editor), [true, false], "the other wall stands as well");
    assert!(editor.messages().iter().any(|message| message.text.contains("point at another one")), "{:?}", editor.messages());
    act(&mut editor, Action::Repeat(Some((wall(10), Face::MinusX))));
    assert_eq!(stand(&editor), [false, false]);
}

#[test]
fn repeats_wait_their_turn_behind_what_a_worker_plans() {
    let mut editor = editor_with(JobMode::Threads, None);
    let params = Params { size: IVec3::new(64, 64, 64), seed: 3, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let ground = store(&editor).ground(40, 40, 0).unwrap();
    let edit = |json: String| Action::Edit(serde_json::from_str(&json).unwrap());
    act(&mut editor, edit(format!(r##"{{"fill":{{"box":[[4,4,{}],[9,9,{ground}]],"color":"#808080"}}}}"##, ground - 2)));
    let height = |editor: &Editor| ground - store(editor).ground(6, 6, 0).unwrap();
    assert_eq!(height(&editor), 2);
    // All of it before the first pull is planned.
    editor.act(edit(format!(r##"{{"extrude":{{"at":[6,6,{}],"face":"-z","by":3}}}}"##, ground - 2)));
    assert_eq!(height(&editor), 2, "a worker plans it");
    (0..3).for_each(|_| editor.act(Action::Repeat(None)));
    act(&mut editor, Action::Undo);
    assert_eq!(height(&editor), 2 + 3 + 3 + 3, "the last of three repeats is undone");
    // At two places, and one of them taken back: each in its turn.
    let steps = editor.active().unwrap().history().head();
    editor.act(edit(format!(r##"{{"fill":{{"box":[[4,20,{}],[36,52,{ground}]],"color":"#808080"}}}}"##, ground - 32)));
    for place in [[50, 10], [50, 58]] {
        editor.act(Action::Repeat(Some((IVec3::new(place[0], place[1], ground), Face::MinusZ))));
    }
    act(&mut editor, Action::Undo);
    let tops = [[50, 10], [50, 58]].map(|[x, y]| ground - store(&editor).ground(x, y, 0).unwrap());
    assert_eq!((tops, editor.active().unwrap().history().head()), ([32, 0], steps + 2));
}

#[test]
fn what_is_repeated_at_the_pointer_stands_on_the_ground_or_reaches_down_into_it() {
    let mut editor = editor();
    let params = Params { size: IVec3::new(64, 64, 64), seed: 3, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let ground = store(&editor).ground(40, 40, 0).unwrap();
    let (up, down) = (ground - 4, ground + 1);
    let added = format!(r##""from":[4,4,{up}],"to":[8,8,{}],"mode":"add","color":"#808080""##, ground - 1);
    let removed = format!(r##""box":[[4,4,{ground}],[9,9,{}]],"mode":"remove","color":"#808080""##, down + 1);
    for (command, height) in [
        (format!(r##"{{"shape":{{"kind":"box","shell":1,{added}}}}}"##), -4),
        (format!(r##"{{"styled":{{"style":{{"noise":{{"strength":20}}}},"of":{{"shape":{{"kind":"cylinder",{added}}}}}}}}}"##), -4),
        (format!(r##"{{"fill":{{{removed}}}}}"##), 2),
    ] {
        act(&mut editor, Action::Edit(serde_json::from_str(&command).unwrap_or_else(|error| panic!("{command}: {error}"))));
        let heights = |editor: &Editor| [[6, 6], [40, 40]].map(|[x, y]| store(editor).ground(x, y, 0).unwrap() - ground);
        assert_eq!(heights(&editor), [height, 0], "{command}");
        act(&mut editor, Action::Repeat(Some((IVec3::new(40, 40, ground), Face::MinusZ))));
        assert_eq!(heights(&editor), [height, height], "{command}");
        // Where there is nothing to do either, that is told.
        let told = editor.messages().len();
        act(&mut editor, Action::Repeat(Some((IVec3::new(4000, 40, ground), Face::MinusZ))));
        assert!(editor.messages().len() > told, "{command}: {:?}", editor.messages());
        (0..2).for_each(|_| act(&mut editor, Action::Undo));
    }
}

#[test]
fn a_step_made_by_hand_is_not_taken_for_a_repeated_one() {
    let mut editor = editor();
    let params = Params { size: IVec3::new(64, 64, 64), seed: 3, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let fill = r##"{"fill":{"box":[[4,4,20],[9,9,24]],"color":"#808080"}}"##;
    let fill = || Action::Edit(serde_json::from_str(fill).unwrap());
    act(&mut editor, fill());
    act(&mut editor, Action::Undo);
    act(&mut editor, Action::Repeat(Some((IVec3::new(40, 40, 40), Face::MinusZ))));
    let solid = store(&editor).solid_count();
    act(&mut editor, fill());
    assert_eq!(store(&editor).solid_count(), solid, "it changes nothing there, and is done nowhere else");
}
