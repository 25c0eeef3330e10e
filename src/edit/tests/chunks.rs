//! Commands about whole chunks against the model: they have short cuts there, which no smaller box takes.

use glam::IVec3;

use super::model::Model;
use super::properties::{check_commit, check_same};
use crate::document::{Document, GameProfile, Symmetry, SymmetryKind};
use crate::edit::{Brush, BrushShape, Clip, Command, History, Mode, PaintStyle, ops};
use crate::geom::{Face, Region};
use crate::voxel::{Paint, Rgb, Store, StoreEdit, Voxel};

/// Chunks that are all air, all solid, and neither; the lowest with the floor, which lacks a voxel. Painted where it can be seen.
fn wide() -> Document {
    let bounds = Region::of_size(IVec3::new(96, 32, 64));
    let mut store = Store::new(bounds);
    let mut edit = StoreEdit::new(&store);
    for pos in bounds.positions() {
        let ground = match pos.x {
            64.. => 63,
            32.. => 40,
            _ => 30 + (pos.x / 9 + pos.y / 7) % 3,
        };
        if pos.z >= ground && pos != IVec3::new(70, 20, 63) {
            edit.set(pos, Some(Voxel::HIDDEN));
        }
    }
    let changes = edit.finish();
    store.apply(&changes);
    let mut edit = StoreEdit::new(&store);
    for pos in bounds.positions().filter(|pos| store.is_solid(*pos)) {
        if Face::ALL.iter().any(|face| bounds.contains(pos + face.normal()) && !store.is_solid(pos + face.normal())) {
            let rgb = Rgb::new(pos.x as u8, pos.y as u8, pos.z as u8);
            edit.set(pos, Some(Voxel { paint: Some(Paint { rgb, shade: 0x70 }), ..Voxel::HIDDEN }));
        }
    }
    let changes = edit.finish();
    store.apply(&changes);
    Document::new(store, &GameProfile::ACE_OF_SPADES)
}

/// Does the commands on a map of chunks, compares each with the model, and takes all back.
#[track_caller]
fn check(commands: &[Command]) {
    let (mut document, mut history) = (wide(), History::new());
    let mut before = Model::of(&document);
    for command in commands {
        assert!(check_commit(&mut document, &mut history, command), "{command:?}");
        if history.is_empty() {
            before = Model::of(&document);
        }
    }
    let after = Model::of(&document);
    history.jump_to(&mut document, 0);
    check_same(&document, &before);
    while history.redo(&mut document).is_some() {}
    check_same(&document, &after);
}

fn boxed(min: [i32; 3], max: [i32; 3]) -> Region {
    Region::new(min.into(), max.into())
}

#[test]
fn boxes_that_hold_whole_chunks_do_what_the_model_does() {
    let boxes = [boxed([0, 0, 32], [32, 32, 64]), boxed([64, 0, 0], [96, 32, 32]), boxed([31, -1, -1], [97, 33, 65])];
    for region in boxes {
        for mode in [Mode::Add, Mode::Set, Mode::Paint, Mode::Remove] {
            check(&[Command::Fill(ops::Fill { region, color: Rgb::new(200, 3, 3), mode })]);
        }
    }
}

#[test]
fn what_moves_by_whole_chunks_ends_up_where_it_does_in_the_model() {
    let select = |region| Command::Select(ops::Select { region: Some(region), combine: Default::default() });
    let part = boxed([0, 0, 0], [32, 32, 64]);
    for by in [IVec3::new(32, 0, 0), IVec3::new(64, 0, -32)] {
        check(&[select(part), Command::MoveSelection(ops::MoveSelection { by })]);
        check(&[Command::Shift(ops::Shift { by, wrap: false })]);
    }
    let by = IVec3::new(32, 0, 0);
    check(&[select(part), Command::CopySelection(ops::CopySelection { by })]);
    check(&[Command::Shift(ops::Shift { by, wrap: true })]);
    let clip = Clip::cut(&wide(), boxed([0, 0, 0], [64, 32, 64])).unwrap();
    check(&[Command::Paste(ops::Paste { clip, at: by })]);
    for region in [boxed([32, 0, 0], [96, 32, 64]), boxed([-32, 0, 0], [64, 64, 64])] {
        check(&[Command::Resize(ops::Resize { region })]);
    }
}

#[test]
fn a_chunk_that_one_image_touches_and_the_next_covers_ends_up_as_in_the_model() {
    let mirrored = |x| Symmetry { kind: SymmetryKind::MirrorX, center: [x, 32], ..Symmetry::default() };
    // The image ends within the chunk that the box itself covers, or begins there.
    for (x, region) in [(60, boxed([0, 0, 32], [32, 32, 64])), (124, boxed([64, 0, 0], [96, 32, 64])), (70, boxed([0, 0, 0], [64, 32, 64]))]
    {
        for mode in [Mode::Add, Mode::Set, Mode::Paint, Mode::Remove] {
            let fill = Command::Fill(ops::Fill { region, color: Rgb::new(200, 3, 3), mode });
            check(&[Command::SetSymmetry(ops::SetSymmetry::to(&mirrored(x))), fill]);
        }
    }
}

#[test]
fn clips_with_runs_of_any_length_read_back() {
    for side in [1, 5, 6, 25, 26, 32, 64] {
        for is_solid in [false, true] {
            let mut store = Store::new(Region::of_size(IVec3::new(side, side, 64)));
            let mut edit = StoreEdit::new(&store);
            let all = store.bounds().positions().filter(|pos| is_solid != (*pos == IVec3::new(0, 0, 63)));
            all.for_each(|pos| _ = edit.set(pos, Some(Voxel::HIDDEN)));
            let changes = edit.finish();
            store.apply(&changes);
            let clip = Clip::of(&store).unwrap();
            assert_eq!(Clip::try_from(String::from(clip.clone())).unwrap(), clip, "{side} {is_solid}");
        }
    }
}

#[test]
fn large_tips_and_deep_paint_do_what_the_model_does() {
    let at = vec![IVec3::new(30, 16, 40)];
    for (shape, size) in [(BrushShape::Ball, 17), (BrushShape::Cube, 12), (BrushShape::Cylinder, 31)] {
        let (brush, color) = (Brush::new(shape, size), Rgb::new(200, 3, 3));
        for mode in [Mode::Add, Mode::Remove, Mode::Paint] {
            check(&[Command::Stroke(ops::Stroke { brush: brush.clone(), mode, color, path: at.clone() })]);
        }
    }
    for depth in [6, 9, 16] {
        let style = PaintStyle::Replace { color: Rgb::new(200, 3, 3) };
        check(&[Command::Paint(ops::PaintStroke {
            depth,
            ..ops::PaintStroke::new(style, Brush::new(BrushShape::Cube, 2 * depth + 5), at.clone())
        })]);
    }
}
