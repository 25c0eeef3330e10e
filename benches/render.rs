//! How long a picture of the island takes, by size and by what is in it. Ratios to the first line.
//!
//! With a software rasteriser, pin it (`VK_DRIVER_FILES`) and read ratios only.

use std::time::Instant;

use spadework::document::Progress;
use spadework::geom::{Camera, CameraView};
use spadework::render::{Frame, Headless, VoxelEdges, Water};
use spadework::terrain::{Params, generator};

/// Pictures of each kind; the median counts.
const RUNS: usize = 9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = generator("island").ok_or("the island is missing")?.generate(&Params::game(1), &Progress::new())?;
    let mut headless = Headless::new(1)?;
    println!("{}", headless.adapter_name());
    let frame = |view: CameraView| {
        let (yaw, pitch) = view.angles();
        let mut camera = Camera { yaw, pitch, ..Camera::default() };
        camera.frame(&store.bounds(), 1.6);
        Frame { water: Some(Water { level: 63 }), ..Frame::new(camera) }
    };
    let iso = frame(CameraView::Iso);
    let away = {
        let mut camera = iso.camera;
        camera.yaw += std::f32::consts::PI;
        Frame { camera, ..iso.clone() }
    };
    let kinds = [
        ("overview", iso.clone(), [1280, 800]),
        ("overview, a quarter of the pixels", iso.clone(), [640, 400]),
        ("overview, few pixels", iso.clone(), [64, 40]),
        ("overview without sea", Frame { water: None, ..iso.clone() }, [1280, 800]),
        ("overview without edges", Frame { edges: VoxelEdges::Off, ..iso.clone() }, [1280, 800]),
        ("from the top", frame(CameraView::Top), [1280, 800]),
        ("sky and sea only", away, [1280, 800]),
    ];
    let mut first = None;
    for (name, frame, size) in kinds {
        headless.picture(&store, &frame, size)?;
        let mut times = vec![];
        for _ in 0..RUNS {
            let begin = Instant::now();
            headless.picture(&store, &frame, size)?;
            times.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let yardstick = *first.get_or_insert(median);
        println!("{name:<36} {median:>8.1} ms {:>7.2}", median / yardstick);
    }
    Ok(())
}
