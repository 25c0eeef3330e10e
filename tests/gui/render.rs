//! Pictures without a window: what is drawn where, and that updating in pieces draws the same as at once.
//!
//! Skipped, with a line that says so, where there is no graphics adapter; `REQUIRE_GPU=1` makes that a failure.

use std::sync::Arc;

use glam::{IVec3, Vec3};
use spadework::geom::{Camera, CameraView, Face, Region};
use spadework::render::{FaceHighlight, Frame, Ghost, Headless, Marker, MarkerKind, RenderError, TintedBox, Water};
use spadework::voxel::{Rgb, Store, StoreEdit, Voxel};

const SIZE: [u32; 2] = [160, 120];

fn headless() -> Option<Headless> {
    match Headless::new(1) {
        Ok(headless) => Some(headless),
        Err(error) => {
            assert!(std::env::var_os("REQUIRE_GPU").is_none(), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// Hills of two chunks by two by two, so that every chunk border is crossed.
fn hills() -> Store {
    let mut store = Store::new(Region::of_size(IVec3::new(64, 64, 64)));
    let mut edit = StoreEdit::new(&store);
    for pos in store.bounds().positions() {
        let top = 34 + (pos.x * 5 % 17 + pos.y * 3 % 13) / 3;
        if pos.z >= top {
            edit.set(pos, Some(Voxel::new(Rgb::new(220, 40, 40))));
        }
    }
    let changes = edit.finish();
    store.apply(&changes);
    store
}

fn frame(store: &Store, view: CameraView) -> Frame {
    let (yaw, pitch) = view.angles();
    let mut camera = Camera { yaw, pitch, ..Camera::default() };
    camera.frame(&store.bounds(), SIZE[0] as f32 / SIZE[1] as f32);
    Frame::new(camera)
}

fn pixel(pixels: &[u8], x: u32, y: u32) -> [u8; 4] {
    let at = ((y * SIZE[0] + x) * 4) as usize;
    pixels[at..at + 4].try_into().unwrap()
}

#[test]
fn a_map_whose_faces_take_too_much_memory_is_drawn_as_far_as_it_goes() {
    let Some(mut headless) = headless() else { return };
    let store = hills();
    let frame = frame(&store, CameraView::Top);
    let whole = headless.picture(&store, &frame, SIZE).unwrap();
    headless.limit_memory(12_000);
    headless.forget();
    let part = headless.picture(&store, &frame, SIZE).unwrap();
    assert!(headless.left_out() > 0 && part != whole);
    // More memory, and what was left out comes.
    headless.limit_memory(u64::MAX);
    assert!(headless.picture(&store, &frame, SIZE).unwrap() == whole && headless.left_out() == 0);
}

#[test]
fn the_map_is_in_the_middle_and_the_sky_around_it() {
    let Some(mut headless) = headless() else { return };
    let store = hills();
    let pixels = headless.picture(&store, &frame(&store, CameraView::Top), SIZE).unwrap();
    let [r, g, b, a] = pixel(&pixels, SIZE[0] / 2, SIZE[1] / 2);
    assert!(r > 90 && g < 60 && b < 60 && a == 255, "{r} {g} {b} {a}");
    let [r, g, b, a] = pixel(&pixels, 2, 2);
    assert!(b >= r && r.abs_diff(g) < 40 && a == 255, "{r} {g} {b} {a}");
}

#[test]
fn an_edit_draws_the_same_as_the_edited_map_drawn_afresh() {
    let Some(mut headless) = headless() else { return };
    let mut store = hills();
    let frame = frame(&store, CameraView::Iso);
    let before = headless.picture(&store, &frame, SIZE).unwrap();
    let mut edit = StoreEdit::new(&store);
    for pos in Region::between(IVec3::new(25, 25, 25), IVec3::new(40, 33, 45)).positions() {
        edit.set(pos, (pos.x > 31).then(|| Voxel::new(Rgb::new(30, 60, 220))));
    }
    let changes = edit.finish();
    store.apply(&changes);
    let updated = headless.picture(&store, &frame, SIZE).unwrap();
    let Some(mut fresh) = self::headless() else { return };
    assert!(before != updated);
    assert!(updated == fresh.picture(&store, &frame, SIZE).unwrap());
    // Other bounds start all over.
    let small = Store::new(Region::of_size(IVec3::splat(8)));
    assert!(headless.picture(&small, &frame, SIZE).unwrap() != updated);
}

#[test]
fn everything_over_the_voxels_can_be_drawn_at_once() {
    let Some(mut headless) = headless() else { return };
    let store = hills();
    let mut frame = frame(&store, CameraView::Iso);
    let plain = headless.picture(&store, &frame, SIZE).unwrap();
    frame.water = Some(Water { level: 63 });
    let voxels = Region::between(IVec3::new(20, 20, 20), IVec3::new(40, 40, 30)).positions().collect();
    frame.ghosts.push(Ghost { voxels: Arc::new(voxels), rgba: [60, 140, 255, 110] });
    frame.hover = Some(FaceHighlight { pos: IVec3::new(5, 5, 36), face: Face::MinusZ, rgba: [255; 4] });
    let fill = [60, 120, 255, 60];
    frame.boxes.push(TintedBox { min: Vec3::ZERO, max: Vec3::splat(64.0), fill, edge: [255; 4], edge_width: 1.5 });
    for kind in [MarkerKind::Base, MarkerKind::Intel, MarkerKind::Territory, MarkerKind::SpawnPoint, MarkerKind::Pin] {
        let foot = Vec3::new(30.0, 30.0, 20.0);
        frame.markers.push(Marker { kind, foot, color: Rgb::new(0, 200, 80), selected: kind == MarkerKind::Pin });
    }
    let full = headless.picture(&store, &frame, SIZE).unwrap();
    let differing = full.chunks_exact(4).zip(plain.chunks_exact(4)).filter(|(a, b)| a != b).count();
    assert!(differing > 4000, "{differing}");
}

#[test]
fn a_picture_without_pixels_is_refused() {
    let Some(mut headless) = headless() else { return };
    let store = hills();
    let result = headless.picture(&store, &frame(&store, CameraView::Top), [0, 10]);
    assert!(matches!(result, Err(RenderError::PictureSize { width: 0, height: 10, .. })));
}
