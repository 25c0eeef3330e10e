//! What each tool costs the main thread at its largest, event by event: processor time of the thread, in milliseconds.
//!
//! A frame is what the window does for an event: it takes in what workers have ready, hands the tool the pointer, and
//! prepares what is shown, as the renderer would. Works on maps of 512×512×64. The limit of a frame is 8 ms.

mod main_thread;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use glam::IVec3;
use main_thread::{Frame, Window, millis};
use spadework::edit::ops::{self, FillReach, PathKind, SculptAction, SculptForm};
use spadework::edit::{Brush, BrushShape, Clip, ColorImage, Command, Mode};
use spadework::editor::Action;
use spadework::geom::{Axis, Face, Orientation, Region, SolidKind};
use spadework::terrain::GENERATORS;
use spadework::tool::{
    Modifiers, ObjectKind, PaintKind, PaintSettings, PathSettings, Phase, SelectKind, Stamp, StampSettings, TOOLS, TerrainSettings,
    ToolSettings,
};
use spadework::voxel::Rgb;

/// Main-thread processor time that no frame may exceed.
const LIMIT: Duration = Duration::from_millis(8);
/// Time between two events.
const BEAT: Duration = Duration::from_millis(4);
const PLAIN: Modifiers = Modifiers { ctrl: false, shift: false, alt: false };

type Failure = Box<dyn std::error::Error>;
type Events = Vec<(Phase, [i32; 2])>;

/// The worst frames of a tool, by what it did.
struct Table {
    only: Option<String>,
    worst: BTreeMap<&'static str, (Frame, String)>,
    over: usize,
}

impl Table {
    fn play(&mut self, window: &mut Window, tool: &'static str, name: &str, settings: ToolSettings, events: &[(Phase, [i32; 2])]) {
        self.play_with(window, tool, name, settings, events, false);
    }

    /// With `pastes`, what was copied is pasted under the pointer before the settings are taken.
    fn play_with(
        &mut self,
        window: &mut Window,
        tool: &'static str,
        name: &str,
        settings: ToolSettings,
        events: &[(Phase, [i32; 2])],
        pastes: bool,
    ) {
        if self.only.as_ref().is_some_and(|only| !format!("{tool} {name}").contains(only.as_str())) {
            return;
        }
        window.editor.act(Action::SelectTool(tool));
        let mut frames: Vec<(String, Frame)> = vec![];
        if pastes {
            let on = Action::PasteOn(IVec3::new(120, 120, 63), Face::MinusZ);
            frames.push(("Ctrl+V".into(), window.frame(|editor| editor.act(on))));
            std::thread::sleep(BEAT);
        }
        frames.push(("settings".into(), window.frame(|editor| editor.act(Action::SetTools(Box::new(settings))))));
        for (number, (phase, at)) in events.iter().enumerate() {
            frames.push((format!("{phase:?} {number}"), window.point(*phase, *at, PLAIN)));
            std::thread::sleep(BEAT);
        }
        let waits = frames.last().is_some_and(|(phase, _)| !phase.starts_with("Release"));
        if waits {
            frames.push(("Enter".into(), window.frame(|editor| editor.act(Action::Confirm))));
        }
        frames.extend(window.settle().into_iter().map(|frame| ("after".to_owned(), frame)));
        let begun = window.editor.active().map_or(0, |open| open.history().head());
        if begun > 0 {
            frames.push(("undo".into(), window.frame(|editor| editor.act(Action::JumpTo(0)))));
        }
        window.settle();
        let mut totals: Vec<_> = frames.iter().map(|(_, frame)| frame.total()).collect();
        totals.sort();
        let Some((when, worst)) = frames.into_iter().max_by_key(|(_, frame)| frame.total()) else { return };
        let mark = if worst.total() > LIMIT { "  OVER" } else { "" };
        self.over += usize::from(worst.total() > LIMIT);
        println!(
            "  {tool:<8} {name:<34} half under {:>6.2}, worst {:>7.2} = {:>7.2} editor + {:>6.2} hulls + {:>5.2} meshes at {when}{mark}",
            millis(totals[totals.len() / 2]),
            millis(worst.total()),
            millis(worst.editor),
            millis(worst.hulls),
            millis(worst.meshes),
        );
        let known = self.worst.entry(tool).or_default();
        if worst.total() > known.0.total() {
            *known = (worst, name.to_owned());
        }
    }
}

fn main() -> Result<(), Failure> {
    let only = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let mut table = Table { only, worst: BTreeMap::new(), over: 0 };
    let mut island = Window::new("island", None);
    let mut flat = Window::new("flat", None);
    println!("main-thread milliseconds of a frame");
    strokes(&mut table, &mut island)?;
    spans(&mut table, &mut island);
    for (name, window) in [("island", &mut island), ("flat", &mut flat)] {
        found(&mut table, window, name);
    }
    moves(&mut table, &mut island);
    makes(&mut table, &mut island)?;
    println!("the worst of each tool");
    for spec in TOOLS {
        if let Some((frame, name)) = table.worst.get(spec.id) {
            println!("  {:<10} {:>7.2} ms  {name}", spec.id, millis(frame.total()));
        }
    }
    println!("{} over {} ms", table.over, LIMIT.as_millis());
    Ok(())
}

/// A stroke over the map, some voxels an event.
fn stroke(step: i32) -> Events {
    let mut events = vec![(Phase::Hover, [60, 80]), (Phase::Hover, [64, 80]), (Phase::Press, [70, 80])];
    for number in 1..160 {
        let (row, along) = (number * step / 360, number * step % 360);
        events.push((Phase::Drag, [if row % 2 == 0 { 70 + along } else { 430 - along }, 80 + row % 6 * 64]));
    }
    events.push((Phase::Release, [200, 200]));
    events
}

fn strokes(table: &mut Table, window: &mut Window) -> Result<(), Failure> {
    let brush = Brush::new(BrushShape::Ball, 64);
    let usual = ToolSettings { brush: brush.clone(), ..ToolSettings::default() };
    for mode in Mode::TOOL {
        for step in [3, 40] {
            let name = format!("{} 64, {step} an event", mode.label().to_lowercase());
            table.play(window, "brush", &name, ToolSettings { mode, ..usual.clone() }, &stroke(step));
        }
        let name = format!("{} 64, cube", mode.label().to_lowercase());
        let cube = Brush::new(BrushShape::Cube, 64);
        table.play(window, "brush", &name, ToolSettings { mode, brush: cube, ..usual.clone() }, &stroke(40));
    }
    let half = Brush { strength: 50, jitter: 16, ..brush.clone() };
    table.play(window, "brush", "add 64, half, jitter 16", ToolSettings { brush: half, ..usual.clone() }, &stroke(40));
    let line = [
        (Phase::Press, [20, 20]),
        (Phase::Drag, [490, 490]),
        (Phase::Drag, [490, 480]),
        (Phase::Drag, [60, 480]),
        (Phase::Release, [490, 470]),
    ];
    for mode in Mode::TOOL {
        let name = format!("{} 64, across the map", mode.label().to_lowercase());
        table.play(window, "line", &name, ToolSettings { mode, ..usual.clone() }, &line);
    }
    for form in [SculptForm::Column, SculptForm::Volume] {
        for sculpt_action in SculptAction::ALL {
            // What a small brush does may be planned on the main thread.
            for size in [64, 9] {
                let name = format!("{sculpt_action:?} {size}, {form:?}").to_lowercase();
                let brush = Brush::new(BrushShape::Ball, size);
                let settings = ToolSettings { sculpt_action, sculpt_form: form, strength: 16, brush, ..usual.clone() };
                table.play(window, "sculpt", &name, settings, &stroke(10));
            }
        }
    }
    let picture = ColorImage::new([512, 512], (0..512 * 512).map(|at: u32| Rgb::new(at as u8, (at >> 8) as u8, 9)).collect())?;
    for kind in PaintKind::ALL {
        for size in [64, 9] {
            let settings =
                PaintSettings { kind, depth: 16, radius: 4, decal: Some(picture.clone()), decal_width: 512, ..PaintSettings::default() };
            let brush = Brush::new(BrushShape::Ball, size);
            table.play(
                window,
                "paint",
                &format!("{} {size}", kind.label()),
                ToolSettings { paint: settings, brush, ..usual.clone() },
                &stroke(10),
            );
        }
    }
    Ok(())
}

/// Gestures that span a box over the whole map.
fn spans(table: &mut Table, window: &mut Window) {
    let mut events = vec![(Phase::Press, [4, 4])];
    events.extend((1..24).map(|step| (Phase::Drag, [step * 21, step * 21])));
    events.push((Phase::Release, [500, 500]));
    events.extend((0..24).map(|step| (Phase::Hover, [500, 500 - step * 2])));
    events.push((Phase::Press, [500, 452]));
    for mode in Mode::TOOL {
        let name = format!("{}, the whole map", mode.label().to_lowercase());
        table.play(window, "box", &name, ToolSettings { mode, ..ToolSettings::default() }, &events);
    }
    for solid in SolidKind::ALL {
        for mode in Mode::TOOL {
            let name = format!("{} {solid:?}, the whole map", mode.label()).to_lowercase();
            table.play(window, "shape", &name, ToolSettings { mode, solid, ..ToolSettings::default() }, &events);
        }
    }
    for select_tall in [false, true] {
        let settings = ToolSettings { select_tall, ..ToolSettings::default() };
        table.play(window, "select", if select_tall { "box, all heights" } else { "box" }, settings, &events);
    }
}

/// What is looked up under the pointer.
fn found(table: &mut Table, window: &mut Window, map: &str) {
    let hover: Events = (0..40).map(|step| (Phase::Hover, [20 + step * 12, 30 + step * 11])).collect();
    for fill_reach in FillReach::ALL {
        for mode in Mode::TOOL {
            let settings = ToolSettings { mode, fill_reach, tolerance: 24, fill_steps: true, ..ToolSettings::default() };
            table.play(window, "fill", &format!("{map}, {fill_reach:?} {}", mode.label()).to_lowercase(), settings, &hover);
        }
    }
    for select_kind in SelectKind::ALL {
        let settings = ToolSettings { select_kind, tolerance: 24, select_edges: true, ..ToolSettings::default() };
        let mut events = hover.clone();
        if select_kind == SelectKind::Lasso {
            events.insert(0, (Phase::Press, [256, 20]));
            events.extend((0..2000).map(|step| (Phase::Drag, [20 + step % 450, 40 + step / 450 * 60])));
            events.push((Phase::Release, [30, 400]));
        } else {
            events.extend([(Phase::Press, [256, 256]), (Phase::Release, [256, 256])]);
        }
        table.play(window, "select", &format!("{map}, {}", select_kind.label().to_lowercase()), settings, &events);
    }
    let mut events = hover;
    events.extend([(Phase::Press, [20, 20])]);
    events.extend((1..30).map(|step| (Phase::Drag, [20, 20 + step])));
    events.push((Phase::Release, [20, 50]));
    table.play(window, "extrude", map, ToolSettings::default(), &events);
    let drag: Events = stroke(10);
    for kind in ObjectKind::ALL {
        let settings = ToolSettings { new_object: spadework::tool::NewObject { kind: Some(kind), team: None }, ..ToolSettings::default() };
        table.play(window, "objects", &format!("{map}, {}", kind.label().to_lowercase()), settings, &drag);
    }
    table.play(window, "ruler", map, ToolSettings::default(), &drag);
}

/// What is selected, on the move.
fn moves(table: &mut Table, window: &mut Window) {
    let drag: Events =
        std::iter::once((Phase::Press, [120, 120])).chain((1..40).map(|step| (Phase::Drag, [120 + step, 120 + step]))).collect();
    for (size, name) in [(IVec3::new(80, 78, 64), "400 000 voxels"), (IVec3::new(400, 400, 64), "10 million voxels")] {
        let region = Some(Region::of_size(size).shifted(IVec3::new(90, 90, 0)));
        let rest = ToolSettings::default().transform;
        for (how, transform) in [
            ("dragged", rest.clone()),
            ("30°", ops::TransformSelection { angle: ops::Thousandths::try_from(30.0).unwrap_or(rest.angle), ..rest.clone() }),
            ("3 copies", ops::TransformSelection { copies: 3, ..rest.clone() }),
        ] {
            window.editor.act(Action::Edit(Command::Select(ops::Select { region, ..Default::default() })));
            window.settle();
            table.play(window, "move", &format!("{name}, {how}"), ToolSettings { transform, ..ToolSettings::default() }, &drag);
        }
    }
    window.editor.act(Action::Deselect);
    window.settle();
    loose(table, window);
}

/// The whole map, copied and pasted: carried, turned, and put in.
fn loose(table: &mut Table, window: &mut Window) {
    let carry: Events = (0..20).map(|step| (Phase::Hover, [100 + step * 10, 120 + step * 5])).collect();
    let rest = ToolSettings::default().transform;
    let turned = rest.clone().turned(Orientation::quarter_turn(Axis::Z));
    let askew = ops::TransformSelection { angle: ops::Thousandths::try_from(30.0).unwrap_or(rest.angle), ..rest.clone() };
    for (size, name) in [(IVec3::new(160, 160, 64), "loose, 1.6 million voxels"), (IVec3::new(512, 512, 64), "loose, 16 million voxels")] {
        for (how, transform) in [("carried", rest.clone()), ("quarter turn", turned.clone()), ("30°", askew.clone())] {
            let region = Some(Region::of_size(size));
            window.editor.act(Action::Edit(Command::Select(ops::Select { region, ..Default::default() })));
            window.editor.act(Action::Copy);
            window.settle();
            table.play_with(window, "move", &format!("{name}, {how}"), ToolSettings { transform, ..ToolSettings::default() }, &carry, true);
        }
    }
    window.editor.act(Action::Deselect);
    window.settle();
}

/// What makes things.
fn makes(table: &mut Table, window: &mut Window) -> Result<(), Failure> {
    let hover: Events = (0..40).map(|step| (Phase::Hover, [100 + step * 5, 100 + step * 4])).collect();
    for generator in GENERATORS {
        let mut events = vec![(Phase::Press, [256, 256])];
        events.extend(hover.clone());
        let terrain = TerrainSettings { generator: generator.id(), ..TerrainSettings::default() };
        table.play(window, "terrain", generator.id(), ToolSettings { terrain, ..ToolSettings::default() }, &events);
    }
    for kind in PathKind::ALL {
        let mut events: Events = vec![];
        for step in 0..60 {
            let at = [40 + step * 7, 256 + (step % 7 - 3) * 30];
            events.extend([(Phase::Hover, at), (Phase::Press, at), (Phase::Release, at)]);
        }
        let path = PathSettings { width: 64, shoulder: 64, ..PathSettings::of(kind) };
        table.play(
            window,
            "path",
            &format!("{kind:?} of 60 points").to_lowercase(),
            ToolSettings { path, ..ToolSettings::default() },
            &events[..events.len() - 1],
        );
    }
    let Some(document) = window.editor.active().map(|open| open.document().clone()) else { return Ok(()) };
    let clip = Clip::cut(&document, Region::new(IVec3::ZERO, IVec3::new(256, 256, 64)))?;
    let stamp = Some(Stamp { name: "part".into(), clip: Arc::new(clip) });
    let small = Clip::cut(&document, Region::new(IVec3::new(200, 200, 0), IVec3::new(210, 210, 64)))?;
    let small = Some(Stamp { name: "small".into(), clip: Arc::new(small) });
    for (name, stamp, scatter) in [("256×256×64", stamp, false), ("scattered", small, true)] {
        let mut events = if scatter { vec![] } else { hover.clone() };
        events.push((Phase::Press, [10, 10]));
        events.extend((1..40).map(|step| (Phase::Drag, [10 + step * 12, 10 + step * 12])));
        events.push((Phase::Release, [490, 490]));
        let stamp = StampSettings { stamp, scatter, density: 1000, distance: 1, slope: 90, ..StampSettings::default() };
        table.play(window, "stamp", name, ToolSettings { stamp, ..ToolSettings::default() }, &events);
    }
    Ok(())
}
