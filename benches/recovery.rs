//! How long a map of 512×512×64 takes to come back after a crash: processor time of the thread that restores it.
//!
//! An editor makes steps of one kind; its journal is copied after each of the last ones, as a crash there would leave it,
//! and brought back. The limit is about a second until the map is there; what the whole journal takes stands beside it.

mod main_thread;

use std::fs;
use std::path::Path;
use std::time::Duration;

use main_thread::{Window, millis, thread_time};
use spadework::document::Progress;
use spadework::edit::Command;
use spadework::editor::Action;
use spadework::editor::recovery::{find_leftovers, replay, replay_quickly};
use spadework::editor::storage::RealStorage;

/// Limit of the wait.
const LIMIT: Duration = Duration::from_millis(1000);
/// Steps of the last ones after which a crash is tried.
const TRIES: usize = 8;

type Failure = Box<dyn std::error::Error>;

/// A name, how many steps, and the step of that number.
type Kind = (&'static str, usize, Box<dyn Fn(usize) -> String>);

/// Kinds of work.
fn kinds() -> Vec<Kind> {
    let path = |step: usize, count: usize| {
        let points = (0..count).map(|at| format!("[{},{},{}]", 60 + (step * 37 + at * 3) % 400, 60 + (step * 53 + at) % 400, 40 + at % 9));
        points.collect::<Vec<_>>().join(",")
    };
    let boxed = |step: usize, edge: usize| {
        let [x, y] = [(step * 41) % 400, (step * 67) % 400];
        format!(r#""box":[[{x},{y},20],[{},{},60]]"#, x + edge, y + edge)
    };
    vec![
        ("strokes of size 5", 900, Box::new(move |step| format!(r#"{{"stroke":{{"brush":{{"size":5}},"path":[{}]}}}}"#, path(step, 20)))),
        ("strokes of size 24", 120, Box::new(move |step| format!(r#"{{"stroke":{{"brush":{{"size":24}},"path":[{}]}}}}"#, path(step, 30)))),
        (
            "strokes of size 32, half",
            60,
            Box::new(move |step| format!(r#"{{"stroke":{{"brush":{{"size":32,"strength":50}},"path":[{}]}}}}"#, path(step, 30))),
        ),
        (
            "smoothing columns",
            120,
            Box::new(move |step| format!(r#"{{"sculpt":{{"action":"smooth","size":32,"strength":5,"path":[{}]}}}}"#, path(step, 12))),
        ),
        (
            "melting volumes",
            60,
            Box::new(move |step| {
                format!(r#"{{"sculpt":{{"action":"melt","size":24,"strength":4,"form":"volume","path":[{}]}}}}"#, path(step, 8))
            }),
        ),
        ("boxes", 120, Box::new(move |step| format!(r##"{{"fill":{{{},"color":"#ff8000"}}}}"##, boxed(step, 60)))),
        (
            "a mix of colors",
            60,
            Box::new(move |step| {
                format!(r##"{{"paint":{{"style":{{"mix":{{"colors":[["#3c7a2a",6],["#808080",1]]}}}},{}}}}}"##, boxed(step, 60))
            }),
        ),
        ("a blur", 24, Box::new(move |step| format!(r#"{{"paint":{{"style":{{"blur":{{}}}},{}}}}}"#, boxed(step, 60)))),
        (
            "whole map recolored",
            6,
            Box::new(|step| format!(r##"{{"replace_color":{{"from":"#808080","to":"#0000{step:02x}","tolerance":255}}}}"##)),
        ),
        ("single voxels", 3000, Box::new(|step| format!(r##"{{"set":{{"at":[{},{},30],"color":"#ff8000"}}}}"##, step % 512, step / 512))),
    ]
}

/// Whether work is undone in between, with a symmetry and a mask set.
#[derive(Clone, Copy, PartialEq)]
enum With {
    Nothing,
    Symmetry,
    Undo,
}

fn main() -> Result<(), Failure> {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let mut over = 0;
    for (name, count, step) in kinds() {
        for (with, told) in [(With::Nothing, ""), (With::Symmetry, ", symmetry and mask"), (With::Undo, ", undone in between")] {
            let name = format!("{name}{told}");
            if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
                continue;
            }
            over += usize::from(!try_kind(&name, count, &*step, with)?);
        }
    }
    println!("{}", if over == 0 { "all within the limit".to_owned() } else { format!("{over} over the limit of {LIMIT:?}") });
    Ok(())
}

fn try_kind(name: &str, count: usize, step: &dyn Fn(usize) -> String, with: With) -> Result<bool, Failure> {
    let folder = tempfile::tempdir()?;
    let mut window = Window::new("island", Some(folder.path().join("journals")));
    let mut act = |action: Action| {
        window.editor.act(action);
        window.editor.finish_jobs();
    };
    if with == With::Symmetry {
        act(Action::Edit(serde_json::from_str(r#"{"set_symmetry":{"kind":"turn180"}}"#)?));
        act(Action::Edit(serde_json::from_str(r#"{"set_masks":{"z":[1,62]}}"#)?));
    }
    let (mut quick, mut whole, mut steps) = (vec![], Duration::ZERO, 0);
    for number in 0..count {
        let command: Command = serde_json::from_str(&step(number))?;
        act(Action::Edit(command));
        if with == With::Undo && number % 5 == 4 {
            (0..4).for_each(|_| act(Action::Undo));
        }
        if number + TRIES >= count {
            // Editing does not wait for the journal.
            std::thread::sleep(Duration::from_millis(50));
            let copy = tempfile::tempdir()?;
            for entry in fs::read_dir(folder.path().join("journals"))? {
                let path = entry?.path();
                // What is being written has another name in a moment.
                let name = path.file_name().unwrap_or_default();
                if !name.to_string_lossy().starts_with('.') {
                    fs::copy(&path, copy.path().join(name))?;
                }
            }
            let (found, waited) = restored(copy.path(), number + 1 == count)?;
            steps = found;
            quick.push(waited.0);
            whole = whole.max(waited.1);
        }
    }
    let worst = quick.iter().copied().max().unwrap_or_default();
    let holds = worst <= LIMIT;
    let mark = if holds { "" } else { "  OVER" };
    println!("{name:<50} {steps:>5} entries: worst wait {:>7.0} ms, whole journal {:>7.0} ms{mark}", millis(worst), millis(whole));
    Ok(holds)
}

/// Entries of the journal; the time until the map is there, and that of the whole journal if asked.
fn restored(folder: &Path, asks_whole: bool) -> Result<(usize, (Duration, Duration)), Failure> {
    let begin = thread_time();
    let leftovers = find_leftovers(&RealStorage, folder);
    let found = leftovers.recoverable.first().ok_or("nothing was left")?;
    let replayed = replay_quickly(&RealStorage, found, &Progress::new())?;
    let quick = thread_time() - begin;
    if let Some(stopped) = replayed.stopped {
        return Err(stopped.into());
    }
    let begin = thread_time();
    if asks_whole {
        let again = replay(&RealStorage, found, &Progress::new())?;
        if !again.document.store().same_voxels(replayed.document.store()) {
            return Err("the snapshot gives another map".into());
        }
    }
    Ok((found.content.entries.len(), (quick, thread_time() - begin)))
}
