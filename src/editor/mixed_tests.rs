//! Long mixed sequences against the model: commands, undo, redo, edits by others, and saving and opening again.

use glam::IVec3;
use proptest::prelude::*;
use proptest::sample::select;

use crate::document::{Document, GameProfile, OptionValue, Progress};
use crate::edit::tests::model::Model;
use crate::edit::{Brush, BrushShape, Command, History, Mode, ops, plan};
use crate::format::{MemorySource, Report, map_format};
use crate::geom::{Region, VoxelPos};
use crate::voxel::{Extra, Paint, Rgb, Store, StoreEdit, Voxel};

const SIZE: IVec3 = IVec3::new(32, 32, 64);
const COLORS: [Rgb; 3] = [Rgb::new(20, 140, 30), Rgb::new(200, 0, 0), Rgb::new(90, 90, 240)];

/// What happens to the map.
#[derive(Clone, Debug)]
enum Step {
    Do(Command),
    Undo,
    Redo,
    /// Somebody else sets a voxel, out of the reach of our commands but in chunks that they change.
    Remote(VoxelPos, bool),
    /// The map is saved and opened again; its history is gone.
    Save(&'static str),
}

fn step() -> impl Strategy<Value = Step> {
    let far = (30..32_i32, 0..24_i32, 30..63_i32).prop_map(IVec3::from);
    prop_oneof![
        8 => command().prop_map(Step::Do),
        3 => Just(Step::Undo),
        2 => Just(Step::Redo),
        2 => (far, any::<bool>()).prop_map(|(pos, solid)| Step::Remote(pos, solid)),
        1 => select(vec!["vxl", "vmf"]).prop_map(Step::Save),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    let pos = || (0..18_i32, -2..26_i32, 26..66_i32).prop_map(IVec3::from);
    let mode = || select(vec![Mode::Add, Mode::Remove, Mode::Paint, Mode::Set]);
    let brush = (select(&BrushShape::ALL[..]), 1..8_u32).prop_map(|(shape, size)| Brush::new(shape, size));
    let region = (pos(), (1..10_i32, 1..14_i32, 1..12_i32)).prop_map(|(at, size)| Region::of_size(size.into()).shifted(at));
    let color = || select(&COLORS[..]);
    prop_oneof![
        (pos(), color()).prop_map(|(at, color)| Command::Set(ops::Set { at, color })),
        pos().prop_map(|at| Command::Remove(ops::Remove { at })),
        (region, color(), mode()).prop_map(|(region, color, mode)| Command::Fill(ops::Fill { region, color, mode })),
        (brush, mode(), color(), prop::collection::vec(pos(), 1..4)).prop_map(|(brush, mode, color, path)| Command::Stroke(ops::Stroke {
            brush,
            mode,
            color,
            path
        })),
    ]
}

/// Hills on a floor without holes, colored where they can be seen.
fn land() -> Document {
    let bounds = Region::of_size(SIZE);
    let mut store = Store::new(bounds);
    for only_painting in [false, true] {
        let mut edit = StoreEdit::new(&store);
        for pos in bounds.positions().filter(|pos| pos.z >= 50 + (pos.x / 4 + pos.y / 3) % 5 || pos.z == 63) {
            let is_top = !store.is_solid(pos - IVec3::Z);
            let paint = Paint { rgb: COLORS[(pos.x / 8) as usize % 3], shade: 0x40 + pos.z as u8 };
            edit.set(pos, Some(Voxel { paint: (only_painting && is_top).then_some(paint), extra: Extra::default() }));
        }
        let changes = edit.finish();
        store.apply(&changes);
    }
    Document::new(store, &GameProfile::ACE_OF_SPADES)
}

fn set_voxel(document: &mut Document, pos: VoxelPos, voxel: Option<Voxel>) {
    let mut edit = StoreEdit::new(document.store());
    edit.set(pos, voxel);
    let changes = edit.finish();
    document.store_mut(0).unwrap().apply(&changes);
}

#[track_caller]
fn check_voxels(document: &Document, model: &Model) {
    assert_eq!(document.bounds(), model.bounds);
    for pos in model.bounds.positions() {
        assert_eq!(document.store().voxel(pos), model.get(pos), "at {pos}");
    }
}

/// Writes and reads the map in a format: every voxel, and every color that can be seen, comes back.
#[track_caller]
fn saved_and_opened(document: &Document, id: &str) -> Document {
    let (format, progress) = (map_format(id).unwrap(), Progress::new());
    let mut bytes = vec![];
    format.write(document, &mut bytes, &Default::default(), &progress, &mut Report::new()).unwrap();
    let size = OptionValue::Text(format!("{}x{}", SIZE.x, SIZE.y));
    let options = if id == "vxl" { [("size".to_owned(), size)].into() } else { Default::default() };
    let opened = format.read(&MemorySource(bytes.into()), &options, &progress, &mut Report::new()).unwrap();
    let before = Model::of(document);
    assert_eq!(opened.bounds(), before.bounds, "{id}");
    for pos in before.bounds.positions() {
        let (was, is) = (before.get(pos), opened.store().voxel(pos));
        assert_eq!(was.is_some(), is.is_some(), "{id} at {pos}");
        if let Some(paint) = was.and_then(|voxel| voxel.paint).filter(|_| before.is_visible(pos)) {
            let found = is.and_then(|voxel| voxel.paint);
            assert_eq!(found.map(|found| found.rgb), Some(paint.rgb), "{id} at {pos}");
            assert!(id != "vxl" || found == Some(paint), "{id} at {pos}: the shade is another");
        }
    }
    opened
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn commands_undo_redo_others_saving_and_opening_mix_as_in_the_model(steps in prop::collection::vec(step(), 1..16)) {
        let (mut document, mut history) = (land(), History::new());
        let (mut states, mut head) = (vec![Model::of(&document)], 0);
        for step in steps {
            match step {
                Step::Do(command) => {
                    let Ok(change) = plan(&document, &command, &Progress::new()) else { continue };
                    let expected = states[head].after(&command).expect("the model knows these commands");
                    let is_empty = change.is_empty();
                    history.commit(&mut document, change);
                    prop_assert_eq!(is_empty, expected == states[head], "{:?}", command);
                    if !is_empty {
                        states.truncate(head + 1);
                        states.push(expected);
                        head += 1;
                    }
                }
                Step::Undo => {
                    prop_assert_eq!(history.undo(&mut document).is_some(), head > 0);
                    head = head.saturating_sub(1);
                }
                Step::Redo => {
                    prop_assert_eq!(history.redo(&mut document).is_some(), head + 1 < states.len());
                    head = (head + 1).min(states.len() - 1);
                }
                Step::Remote(pos, solid) => {
                    let voxel = solid.then(|| Voxel::new(Rgb::new(1, 2, 3)));
                    set_voxel(&mut document, pos, voxel);
                    // In none of our steps: it stays whatever is undone.
                    states.iter_mut().for_each(|state| state.set(pos, voxel));
                }
                Step::Save(format) => {
                    document = saved_and_opened(&document, format);
                    history = History::new();
                    (states, head) = (vec![Model::of(&document)], 0);
                }
            }
            check_voxels(&document, &states[head]);
        }
    }
}
