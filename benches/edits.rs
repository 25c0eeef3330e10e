//! What large edits cost, demand by demand, each with its limit: whether it holds.
//!
//! Times of the main thread are its processor time, in frames as the window has them. Ratios are of one run. Works on
//! the generated island of 512×512×64 voxels. A stroke is drawn as the window draws it: pointer events to the tool, and a
//! look at its preview after each, which is held until the next.

mod main_thread;

use std::alloc::System;
use std::hint::black_box;
use std::time::{Duration, Instant};

use glam::{IVec3, Vec3};
use main_thread::{Frame, Window, make_hulls, millis, thread_time};
use spadework::document::{Document, GameProfile, Progress, SymmetryKind};
use spadework::edit::ops::SetSymmetry;
use spadework::edit::{Brush, BrushShape, Change, Command, History, Mode, Part, plan};
use spadework::editor::Action;
use spadework::geom::Ray;
use spadework::terrain::{Params, generator};
use spadework::tool::{Modifiers, Phase, PointerInput, Preview, Tool, ToolContext, ToolSettings, tool};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Stamps of the long stroke.
const STAMPS: usize = 500;
/// Runs of a step; the median counts.
const RUNS: usize = 5;
/// Of the main thread, what the last stamp may cost, and how much of the first.
const STAMP_LIMIT: Duration = Duration::from_millis(4);
const STAMP_RATIO: f64 = 2.0;
/// Of the main thread, what a frame may cost, and one that undoes.
const FRAME_LIMIT: Duration = Duration::from_millis(8);
const UNDO_LIMIT: Duration = Duration::from_millis(5);
/// Frames until someone cancels.
const PATIENCE: usize = 2;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let only = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let part = |name: &str| only.as_ref().is_none_or(|only| only == name);
    let store = generator("island").ok_or("the island is missing")?.generate(&Params::game(1), &Progress::new())?;
    let map = Document::new(store, &GameProfile::ACE_OF_SPADES);
    if part("strokes") {
        println!("strokes of {STAMPS} stamps of radius 32, main-thread ms of an event; last at most {STAMP_RATIO} of the first and 4 ms");
        for mode in Mode::TOOL {
            stroke(&map, "brush", mode, 100)?;
        }
        stroke(&map, "brush", Mode::Add, 50)?;
        stroke(&map, "paint", Mode::Paint, 100)?;
        stroke(&map, "sculpt", Mode::Add, 100)?;
        let mut mirrored = map.clone();
        History::new().commit(&mut mirrored, plan(&map, &turned(SymmetryKind::MirrorX), &Progress::new())?);
        println!("the same with a mirror image");
        stroke(&mirrored, "brush", Mode::Add, 100)?;
    }
    if part("frames") {
        frames(&map)?;
    }
    if part("forgetting") {
        forgetting(&map)?;
    }
    if part("commands") {
        commands(&map)?;
    }
    Ok(())
}

fn turned(kind: SymmetryKind) -> Command {
    Command::SetSymmetry(SetSymmetry { kind, center: None, swap_teams: false, swap_colors: vec![] })
}

fn verdict(holds: bool) -> &'static str {
    if holds { "holds" } else { "DOES NOT HOLD" }
}

/// Draws strokes and tells how their last events compare with the first.
fn stroke(map: &Document, id: &str, mode: Mode, strength: u8) -> Result<(), Failure> {
    let runs = (0..RUNS).map(|_| draw(map, id, mode, strength)).collect::<Result<Vec<_>, Failure>>()?;
    let of_runs = |pick: &dyn Fn(&Drawn) -> Duration| {
        let mut times: Vec<_> = runs.iter().map(pick).collect();
        times.sort();
        times[RUNS / 2].max(Duration::from_nanos(1))
    };
    let (first, last) = (of_runs(&|run| run.events[0]), of_runs(&|run| run.events[STAMPS - 1]));
    let (middle, worst) = (of_runs(&|run| run.sorted()[STAMPS / 2]), of_runs(&|run| run.sorted()[STAMPS - 1]));
    let ratio = last.as_secs_f64() / first.as_secs_f64();
    // What costs next to nothing to begin with may cost a little more.
    let holds = (ratio <= STAMP_RATIO || last < Duration::from_micros(500)) && worst <= STAMP_LIMIT;
    println!(
        "  {id:<6} {:<7} {strength:>3} %: first {:>5.2}, {STAMPS}th {:>5.2} ({ratio:>5.2} of the first), half under {:>5.2}, worst {:>5.2}; {} voxels shown: {}",
        mode.label().to_lowercase(),
        millis(first),
        millis(last),
        millis(middle),
        millis(worst),
        runs[0].voxels,
        verdict(holds),
    );
    Ok(())
}

/// What a stroke cost, event by event.
struct Drawn {
    events: Vec<Duration>,
    voxels: usize,
}

impl Drawn {
    fn sorted(&self) -> Vec<Duration> {
        let mut events = self.events.clone();
        events.sort();
        events
    }
}

fn draw(map: &Document, id: &str, mode: Mode, strength: u8) -> Result<Drawn, Failure> {
    let mut drawing = (tool(id).ok_or("the tool is missing")?.make)();
    let brush = Brush { strength, ..Brush::new(BrushShape::Ball, 64) };
    let settings = ToolSettings { mode, brush, ..ToolSettings::default() };
    let mut shown = Preview::default();
    let mut events = vec![];
    for stamp in 0..STAMPS {
        // Rows of the map, back and forth.
        let (row, along) = (stamp as i32 / 120, stamp as i32 % 120 * 3);
        let at = IVec3::new(if row % 2 == 0 { 70 + along } else { 427 - along }, 80 + row * 70, 0);
        let phase = if stamp == 0 { Phase::Press } else { Phase::Drag };
        let begin = thread_time();
        let next = event(&mut *drawing, map, &settings, (phase, at));
        make_hulls(&shown, &next);
        shown = next;
        events.push(thread_time() - begin);
        // What the next frame would do, not counted here: the row's end is a jump.
        while drawing.is_behind() {
            drawing.go_on();
        }
    }
    Ok(Drawn { events, voxels: shown.ghosts.iter().map(|ghost| ghost.voxels.len()).sum() })
}

fn event(drawing: &mut dyn Tool, map: &Document, settings: &ToolSettings, (phase, at): (Phase, IVec3)) -> Preview {
    let ray_in_world = Ray::new(Vec3::new(at.x as f32 + 0.5, at.y as f32 + 0.5, -50.0), Vec3::Z);
    let input = PointerInput { ray_in_world, phase, modifiers: Modifiers::default(), voxels_per_pixel: 0.001, is_parallel: false };
    drawing.pointer(&ToolContext { document: map, settings }, &input);
    drawing.preview()
}

/// The commands of the demands: a name, the text, and whether the map has a symmetry for it.
fn demanded(map: &Document) -> Vec<(&'static str, String, bool)> {
    let ground = map.store().ground(256, 256, 0).unwrap_or(0);
    let path: Vec<String> = (0..STAMPS).map(|step| format!("[{},{},40]", 40 + step % 400, 60 + step * 3 / 4)).collect();
    let path = path.join(",");
    let whole = r#""box":[[0,0,0],[512,512,64]]"#;
    let stroke = |more: &str| format!(r#"{{"stroke":{{"brush":{{"size":64{more}}},"path":[{path}]}}}}"#);
    vec![
        ("stroke of 500 stamps, add", stroke(""), false),
        ("stroke of 500 stamps, half", stroke(r#","strength":50"#), false),
        ("stroke of 500 stamps, paint", format!(r#"{{"stroke":{{"brush":{{"size":64}},"mode":"paint","path":[{path}]}}}}"#), false),
        ("replace a color everywhere", r##"{"replace_color":{"from":"#808080","to":"#ff0000","tolerance":255}}"##.into(), false),
        ("heal 180° of the whole map", r#"{"heal":{"from":"west"}}"#.into(), true),
        ("fill of 16.8 million voxels", format!(r##"{{"fill":{{{whole},"color":"#ff0000"}}}}"##), false),
        ("fill, painting", format!(r##"{{"fill":{{{whole},"color":"#ff0000","mode":"paint"}}}}"##), false),
        ("fill, removing", format!(r##"{{"fill":{{{whole},"color":"#ff0000","mode":"remove"}}}}"##), false),
        (
            "fill one color everywhere",
            format!(r##"{{"fill_connected":{{"at":[256,256,{ground}],"reach":"everywhere","tolerance":255}}}}"##),
            false,
        ),
        ("fill a connected solid", format!(r##"{{"fill_connected":{{"at":[256,256,{ground}],"reach":"solid","mode":"remove"}}}}"##), false),
        ("sculpt columns", format!(r#"{{"sculpt":{{"action":"smooth","size":64,"strength":9,"path":[{path}]}}}}"#), false),
        ("sculpt a volume", format!(r#"{{"sculpt":{{"action":"smooth","size":64,"strength":4,"form":"volume","path":[{path}]}}}}"#), false),
        ("melt a volume", format!(r#"{{"sculpt":{{"action":"melt","size":64,"strength":4,"form":"volume","path":[{path}]}}}}"#), false),
    ]
}

/// What the window's main thread does while a large edit is planned, done, undone and cancelled; with a journal.
fn frames(map: &Document) -> Result<(), Failure> {
    println!("large edits in a window: worst main-thread ms of a frame; frames at most 8, undo and redo at most 5");
    let folder = tempfile::tempdir()?;
    for (name, json, turns) in demanded(map) {
        let command: Command = serde_json::from_str(&json)?;
        let mut window = Window::new("island", Some(folder.path().to_owned()));
        if turns {
            window.editor.act(Action::Edit(turned(SymmetryKind::Turn180)));
        }
        window.settle();
        let steps = |window: &Window| window.editor.active().map_or(0, |open| open.history().len());
        let before = steps(&window);
        let begun = Instant::now();
        let begin = window.frame(|editor| editor.act(Action::Edit(command.clone())));
        let mut waits = vec![];
        let mut seen = vec![];
        while steps(&window) == before && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(4));
            let job = window.editor.running().find(|job| job.name == command.label()).map(|job| job.progress.clone());
            seen.extend(job.map(|progress| progress.share()));
            waits.push(window.frame(|_| {}));
        }
        let planned = begun.elapsed();
        let after = window.settle();
        let [undo, redo] = [Action::Undo, Action::Redo].map(|action| {
            let frame = window.frame(|editor| editor.act(action));
            (frame, window.settle())
        });
        window.frame(|editor| editor.act(Action::Undo));
        window.settle();
        let cancelled = cancel(&mut window, &command);
        let worst = |frames: &[Frame]| frames.iter().map(Frame::total).max().unwrap_or_default();
        let others = [worst(&[begin]), worst(&waits), worst(&after), worst(&undo.1), worst(&redo.1)];
        let frame = others.into_iter().max().unwrap_or_default();
        let holds = frame <= FRAME_LIMIT && undo.0.editor <= UNDO_LIMIT && redo.0.editor <= UNDO_LIMIT && cancelled;
        seen.dedup();
        println!(
            "  {name:<28} start {:>5.2}, waiting and taking in {:>5.2}, after {:>5.2}, undo {:>5.2}, redo {:>5.2}, their frames {:>5.2}; done after {:>7.1} ms, \
             {} values of progress, cancelled {}: {}",
            millis(others[0]),
            millis(others[1]),
            millis(others[2]),
            millis(undo.0.editor),
            millis(redo.0.editor),
            millis(undo.0.total().max(redo.0.total())),
            millis(planned),
            seen.len(),
            if cancelled { "clean" } else { "NOT CLEAN" },
            verdict(holds),
        );
    }
    Ok(())
}

/// Begins the edit and cancels it after some frames; answers whether map and history are as they were.
fn cancel(window: &mut Window, command: &Command) -> bool {
    let state =
        |window: &Window| window.editor.active().map(|open| (open.version(), open.history().len(), open.document().store().clone()));
    let Some((version, len, store)) = state(window) else { return false };
    window.frame(|editor| editor.act(Action::Edit(command.clone())));
    for _ in 0..PATIENCE {
        window.frame(|_| {});
    }
    let job = window.editor.running().find(|job| job.name == command.label()).map(|job| job.id);
    window.frame(|editor| job.into_iter().for_each(|job| editor.act(Action::CancelJob(job))));
    window.settle();
    state(window).is_some_and(|after| after.0 == version && after.1 == len && store.changed_chunks(&after.2).is_empty())
}

/// What a history costs that is full of large steps, and forgets some of them.
fn forgetting(map: &Document) -> Result<(), Failure> {
    let mut document = map.clone();
    let mut history = History::with_budget(64 << 20);
    let (mut worst, mut forgetting) = (Duration::ZERO, Duration::ZERO);
    for step in 0..200 {
        let color = format!("#{:02x}80ff", step);
        let command: Command =
            serde_json::from_str(&format!(r##"{{"fill":{{"box":[[0,0,0],[512,512,64]],"color":"{color}","mode":"paint"}}}}"##))?;
        let change = plan(&document, &command, &Progress::new())?;
        let forgotten = history.forgotten();
        let begin = thread_time();
        history.commit(&mut document, change);
        let dropped = history.take_dropped();
        let time = thread_time() - begin;
        drop(dropped);
        if history.forgotten() > forgotten { forgetting = forgetting.max(time) } else { worst = worst.max(time) }
    }
    println!(
        "a history of 64 MiB, {} steps of the whole map kept and {} forgotten: worst commit {:.2} ms, of those that forget {:.2} ms: {}",
        history.len(),
        history.forgotten(),
        millis(worst),
        millis(forgetting),
        verdict(worst.max(forgetting) <= FRAME_LIMIT && history.forgotten() > 0),
    );
    Ok(())
}

/// What planning costs, and the memory for it, beside the main thread.
fn commands(map: &Document) -> Result<(), Failure> {
    let store = map.store();
    let walk =
        median(|| store.chunks().map(|(_, chunk)| chunk.solid().iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>()).sum::<u64>());
    println!("plans on 512×512×64; walk, a look at every column mask, {:.2} ms", walk.as_secs_f64() * 1e3);
    let mut turned_map = map.clone();
    History::new().commit(&mut turned_map, plan(map, &turned(SymmetryKind::Turn180), &Progress::new())?);
    let whole = r#""box":[[0,0,0],[512,512,64]]"#;
    let mut commands = demanded(map);
    commands.extend([
        ("fill, adding", format!(r##"{{"fill":{{{whole},"color":"#ff0000","mode":"add"}}}}"##), false),
        ("paint a mix", format!(r##"{{"paint":{{"style":{{"mix":{{"colors":[["#3c7a2a",6],["#808080",1]]}}}},{whole}}}}}"##), false),
        ("paint noise", format!(r#"{{"paint":{{"style":{{"noise":{{"grain":6}}}},{whole}}}}}"#), false),
        ("paint a blur", format!(r#"{{"paint":{{"style":{{"blur":{{}}}},{whole}}}}}"#), false),
        ("paint 4 deep", format!(r#"{{"paint":{{"style":{{"lighten":{{}}}},"depth":4,{whole}}}}}"#), false),
    ]);
    for (name, json, turns) in commands {
        let map = if turns { &turned_map } else { map };
        let command: Command = serde_json::from_str(&json)?;
        let region = Region::new(ALLOCATOR);
        let change = plan(map, &command, &Progress::new())?;
        let allocated = region.change().bytes_allocated;
        let changed = changed_voxels(&change);
        let time = median(|| plan(map, &command, &Progress::new()));
        println!(
            "  {name:<30} {:>9.1} ms {:>8.2} walk {changed:>9} voxels changed, {:>7.1} bytes allocated for each, {:>6.1} kept for undo",
            time.as_secs_f64() * 1e3,
            time.as_secs_f64() / walk.as_secs_f64(),
            allocated as f64 / changed.max(1) as f64,
            change.size_bytes() as f64 / changed.max(1) as f64,
        );
    }
    Ok(())
}

/// Voxels that a change made solid or air, or gave another color.
fn changed_voxels(change: &Change) -> u64 {
    let mut changed = 0;
    for part in &change.parts {
        let Part::Chunk(_, _, payload) = part else { continue };
        let (before, after) = (payload.before.as_deref(), payload.after.as_deref());
        for column in 0..spadework::voxel::CHUNK_COLUMNS {
            for z in 0..spadework::voxel::CHUNK_EDGE as u32 {
                let voxel = |chunk: Option<&spadework::voxel::Chunk>| chunk.and_then(|chunk| chunk.voxel(column, z));
                changed += u64::from(voxel(before) != voxel(after));
            }
        }
    }
    changed
}

fn median<T>(mut step: impl FnMut() -> T) -> Duration {
    let mut times: Vec<_> = (0..RUNS)
        .map(|_| {
            let begin = Instant::now();
            // What it answers is freed after the clock is read.
            let answer = black_box(step());
            let time = begin.elapsed();
            drop(answer);
            time
        })
        .collect();
    times.sort();
    times[RUNS / 2].max(Duration::from_nanos(1))
}
