//! How long large edits take, against yardsticks of the same run, and how much memory they ask for.
//!
//! Yardsticks: `walk` looks at every column mask of the map; the first stamp of a long stroke is that of its last one.
//! Works on the generated island of 512×512×64 voxels. A stroke is drawn as the window draws it: pointer events to the
//! tool, and a look at its preview after each, which is held until the next.

use std::alloc::System;
use std::hint::black_box;
use std::time::{Duration, Instant};

use glam::{IVec3, Vec3};
use spadework::document::{Document, GameProfile, Progress, SymmetryKind};
use spadework::edit::ops::SetSymmetry;
use spadework::edit::{Brush, BrushShape, Change, Command, History, Mode, Part, plan};
use spadework::geom::Ray;
use spadework::mesh::shell_of;
use spadework::terrain::{Params, generator};
use spadework::tool::{Modifiers, Phase, PointerInput, Preview, Tool, ToolContext, ToolSettings, tool};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Stamps of the long stroke.
const STAMPS: usize = 500;
/// Runs of a step; the median counts.
const RUNS: usize = 5;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let store = generator("island").ok_or("the island is missing")?.generate(&Params::game(1), &Progress::new())?;
    let map = Document::new(store, &GameProfile::ACE_OF_SPADES);
    println!("strokes of {STAMPS} stamps of radius 32: each event to tool and preview, and what of it the renderer meshes anew");
    for mode in Mode::TOOL {
        stroke(&map, "brush", mode, 100)?;
    }
    stroke(&map, "brush", Mode::Add, 50)?;
    stroke(&map, "paint", Mode::Paint, 100)?;
    // Shown as the whole map would be, planned again whenever the stroke grew by an eighth.
    stroke(&map, "sculpt", Mode::Add, 100)?;
    let mut mirrored = map.clone();
    let symmetry = SetSymmetry { kind: SymmetryKind::MirrorX, center: None, swap_teams: false, swap_colors: vec![] };
    History::new().commit(&mut mirrored, plan(&map, &Command::SetSymmetry(symmetry), &Progress::new())?);
    println!("the same with a mirror image");
    stroke(&mirrored, "brush", Mode::Add, 100)?;
    commands(&map)
}

/// Draws a stroke and tells how its last events compare with the first.
fn stroke(map: &Document, id: &str, mode: Mode, strength: u8) -> Result<(), Failure> {
    let mut drawing = (tool(id).ok_or("the tool is missing")?.make)();
    let brush = Brush { strength, ..Brush::new(BrushShape::Ball, 64) };
    let settings = ToolSettings { mode, brush, ..ToolSettings::default() };
    let mut shown = Preview::default();
    let mut times = vec![];
    for stamp in 0..STAMPS {
        // Rows of the map, back and forth.
        let (row, along) = (stamp as i32 / 120, stamp as i32 % 120 * 3);
        let at = IVec3::new(if row % 2 == 0 { 70 + along } else { 427 - along }, 80 + row * 70, 0);
        let phase = if stamp == 0 { Phase::Press } else { Phase::Drag };
        let begin = Instant::now();
        let next = event(&mut *drawing, map, &settings, (phase, at));
        let tooled = begin.elapsed();
        for ghost in &next.ghosts {
            if !shown.ghosts.iter().any(|old| std::sync::Arc::ptr_eq(&old.voxels, &ghost.voxels)) {
                black_box(shell_of(&ghost.voxels));
            }
        }
        times.push((tooled, begin.elapsed() - tooled));
        shown = next;
    }
    let voxels: usize = shown.ghosts.iter().map(|ghost| ghost.voxels.len()).sum();
    let (first, last) = (times[0], times[STAMPS - 1]);
    let mut late: Vec<_> = times[STAMPS - 100..].iter().map(|(tooled, _)| *tooled).collect();
    late.sort();
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "  {id} {} {strength} %: first {:.2} ms, {STAMPS}th {:.2} ms ({:.2} of the first); of the last 100 half under {:.2}, worst {:.2} ms; \
         hull first {:.2}, {STAMPS}th {:.2} ms; {voxels} voxels shown",
        mode.label().to_lowercase(),
        millis(first.0),
        millis(last.0),
        last.0.as_secs_f64() / first.0.as_secs_f64(),
        millis(late[50]),
        millis(late[99]),
        millis(first.1),
        millis(last.1),
    );
    Ok(())
}

fn event(drawing: &mut dyn Tool, map: &Document, settings: &ToolSettings, (phase, at): (Phase, IVec3)) -> Preview {
    let ray_in_world = Ray::new(Vec3::new(at.x as f32 + 0.5, at.y as f32 + 0.5, -50.0), Vec3::Z);
    let input = PointerInput { ray_in_world, phase, modifiers: Modifiers::default(), voxels_per_pixel: 0.001 };
    drawing.pointer(&ToolContext { document: map, settings }, &input);
    drawing.preview()
}

fn commands(map: &Document) -> Result<(), Failure> {
    let store = map.store();
    let walk =
        median(|| store.chunks().map(|(_, chunk)| chunk.solid().iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>()).sum::<u64>());
    println!("commands on 512×512×64; walk {:.2} ms", walk.as_secs_f64() * 1e3);
    let path: Vec<String> = (0..STAMPS).map(|step| format!("[{},{},40]", 40 + step % 400, 60 + step * 3 / 4)).collect();
    let path = path.join(",");
    let whole = r#""box":[[0,0,0],[512,512,64]]"#;
    for (name, json) in [
        ("replace color everywhere", r##"{"replace_color":{"from":"#808080","to":"#ff0000","tolerance":255}}"##.to_owned()),
        ("fill of 16.8 million voxels", format!(r##"{{"fill":{{{whole},"color":"#ff0000"}}}}"##)),
        ("fill, adding", format!(r##"{{"fill":{{{whole},"color":"#ff0000","mode":"add"}}}}"##)),
        ("fill, painting", format!(r##"{{"fill":{{{whole},"color":"#ff0000","mode":"paint"}}}}"##)),
        ("fill one color everywhere", r##"{"fill_connected":{"at":[256,256,GROUND],"reach":"everywhere","tolerance":255}}"##.to_owned()),
        ("fill a connected solid", r##"{"fill_connected":{"at":[256,256,GROUND],"reach":"solid","mode":"remove"}}"##.to_owned()),
        ("stroke of 500 stamps, add", format!(r#"{{"stroke":{{"brush":{{"size":64}},"path":[{path}]}}}}"#)),
        ("stroke of 500 stamps, half", format!(r#"{{"stroke":{{"brush":{{"size":64,"strength":50}},"path":[{path}]}}}}"#)),
        ("stroke of 500 stamps, paint", format!(r#"{{"stroke":{{"brush":{{"size":64}},"mode":"paint","path":[{path}]}}}}"#)),
        ("paint a mix", format!(r##"{{"paint":{{"style":{{"mix":{{"colors":[["#3c7a2a",6],["#808080",1]]}}}},{whole}}}}}"##)),
        ("paint noise", format!(r#"{{"paint":{{"style":{{"noise":{{"grain":6}}}},{whole}}}}}"#)),
        ("paint a blur", format!(r#"{{"paint":{{"style":{{"blur":{{}}}},{whole}}}}}"#)),
        ("paint 4 deep", format!(r#"{{"paint":{{"style":{{"lighten":{{}}}},"depth":4,{whole}}}}}"#)),
        ("sculpt columns", format!(r#"{{"sculpt":{{"action":"smooth","size":64,"strength":9,"path":[{path}]}}}}"#)),
        ("sculpt a volume", format!(r#"{{"sculpt":{{"action":"smooth","size":64,"strength":4,"form":"volume","path":[{path}]}}}}"#)),
        ("melt a volume", format!(r#"{{"sculpt":{{"action":"melt","size":64,"strength":4,"form":"volume","path":[{path}]}}}}"#)),
    ] {
        let ground = store.ground(256, 256, 0).unwrap_or(0);
        let command: Command = serde_json::from_str(&json.replace("GROUND", &ground.to_string()))?;
        let region = Region::new(ALLOCATOR);
        let change = plan(map, &command, &Progress::new())?;
        let allocated = region.change().bytes_allocated;
        let changed = changed_voxels(&change);
        let time = median(|| plan(map, &command, &Progress::new()));
        println!(
            "  {name:<30} {:>9.1} ms {:>8.2} walk {changed:>9} voxels changed, {:>7.1} bytes allocated for each",
            time.as_secs_f64() * 1e3,
            time.as_secs_f64() / walk.as_secs_f64(),
            allocated as f64 / changed.max(1) as f64,
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
