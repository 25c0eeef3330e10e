//! What happens to the map in a mixed sequence, at random.

use glam::IVec3;
use proptest::prelude::*;
use proptest::sample::select;

use crate::document::{GameMode, Masks, Object, ObjectId, Property, Sector};
use crate::edit::tests::strategies::{healing, masks, step, symmetry, voxel_command};
use crate::edit::tests::symmetry::{id, object};
use crate::edit::{Brush, BrushShape, Command, Mode, ops};
use crate::geom::{Region, VoxelPos};
use crate::voxel::{Extra, Paint, Rgb, Voxel, VoxelKind};

pub(super) const COLORS: [Rgb; 3] = [Rgb::new(20, 140, 30), Rgb::new(200, 0, 0), Rgb::new(90, 90, 240)];

/// What happens to the map.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Do(Command),
    Undo,
    Redo,
    /// Somebody else edits, where we do; it is in no history.
    Other(Other),
    /// The map is saved where it is, once it is somewhere, and goes on.
    Keep,
    /// The map is saved and opened again; its history is gone.
    Save(&'static str),
}

/// An edit by somebody else.
#[derive(Clone, Debug)]
pub(super) enum Other {
    Voxels(Region, Option<Voxel>),
    Add(Object),
    Replace(ObjectId, Object),
    Remove(ObjectId),
    Set(Property),
}

/// The places of everybody's edits, few enough that they meet.
fn pos() -> impl Strategy<Value = VoxelPos> {
    (26..37_i32, -2..9_i32, 26..45_i32).prop_map(IVec3::from)
}

fn column() -> impl Strategy<Value = [i32; 2]> + Clone {
    (1..34_i32, 1..18_i32).prop_map(<[i32; 2]>::from)
}

fn region() -> impl Strategy<Value = Region> {
    (pos(), (1..10_i32, 1..14_i32, 1..12_i32)).prop_map(|(at, size)| Region::of_size(size.into()).shifted(at))
}

/// A few steps that belong together, the last of which meet what somebody else did.
pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let other = || prop::collection::vec(other().prop_map(Step::Other), 1..3);
    let many = |step: Step| (1..4_usize).prop_map(move |count| vec![step.clone(); count]);
    prop_oneof![
        10 => prop::collection::vec(command().prop_map(Step::Do), 1..4),
        3 => many(Step::Undo),
        2 => many(Step::Redo),
        2 => other(),
        3 => (other(), many(Step::Undo)).prop_map(|(other, undo)| [other, undo].concat()),
        3 => (many(Step::Undo), other(), many(Step::Redo)).prop_map(|(undo, other, redo)| [undo, other, redo].concat()),
        3 => (many(Step::Undo), other(), many(Step::Redo), other(), many(Step::Undo))
            .prop_map(|(undo, other, redo, again, back)| [undo, other, redo, again, back].concat()),
        1 => select(vec!["vxl", "vmf"]).prop_map(|format| vec![Step::Save(format)]),
        2 => (many(Step::Undo), prop::collection::vec(command().prop_map(Step::Do), 0..3), many(Step::Undo))
            .prop_map(|(undo, steps, again)| [vec![Step::Keep], undo, vec![Step::Keep], steps, vec![Step::Keep], again, vec![Step::Keep]].concat()),
        1 => Just(vec![Step::Save("vxl"), Step::Save("vmf"), Step::Save("vmf"), Step::Save("vxl")]),
    ]
}

/// Colors and all else that a voxel has, some of them what our own edits give.
fn voxel() -> impl Strategy<Value = Voxel> {
    let extra = (any::<u8>(), select(vec![VoxelKind::Solid, VoxelKind::Water, VoxelKind::Unknown(7)]), 0..2_u8, any::<u16>());
    let extra =
        extra.prop_map(|(light, kind, indestructible, reserved)| Extra { light, kind, indestructible, reserved, ..Extra::default() });
    let plain = select(&COLORS[..]).prop_map(Voxel::new);
    let odd = (select(&COLORS[..]), any::<u8>(), extra).prop_map(|(rgb, shade, extra)| Voxel { paint: Some(Paint { rgb, shade }), extra });
    prop_oneof![2 => plain, 1 => odd]
}

fn other() -> impl Strategy<Value = Other> {
    prop_oneof![
        5 => (region(), prop::option::weighted(0.7, voxel())).prop_map(|(region, voxel)| Other::Voxels(region, voxel)),
        1 => object(column()).prop_map(Other::Add),
        1 => (id(), object(column())).prop_map(|(id, object)| Other::Replace(id, object)),
        1 => id().prop_map(Other::Remove),
        1 => property().prop_map(Other::Set),
    ]
}

fn property() -> impl Strategy<Value = Property> {
    let text =
        || select(vec!["Hills", "a 'quoted' \"name\" \\ with all", "a name of more letters than a header has room for", "\u{e4}\u{4e2d}"]);
    let text = || prop::option::of(text().prop_map(str::to_owned));
    prop_oneof![
        text().prop_map(Property::Name),
        text().prop_map(Property::Author),
        text().prop_map(Property::Version),
        text().prop_map(Property::Description),
        prop::option::of(select(&COLORS[..])).prop_map(Property::Fog),
        prop::option::of((0..2_u8).prop_map(GameMode::from_number)).prop_map(Property::GameMode),
        prop::collection::btree_set((0..2_i32, 0..2_i32).prop_filter_map("in the map", |(x, y)| Sector::of(x * 64, y * 64)), 0..3)
            .prop_map(Property::Protected),
        prop::option::of(1..50_u32).prop_map(Property::CapLimit),
        prop::option::of(1..50_u32).prop_map(Property::TimeLimit),
    ]
}

pub(super) fn command() -> impl Strategy<Value = Command> {
    let mode = || select(vec![Mode::Add, Mode::Remove, Mode::Paint, Mode::Set]);
    let brush = (select(&BrushShape::ALL[..5]), 1..8_u32).prop_map(|(shape, size)| Brush::new(shape, size));
    let color = || select(&COLORS[..]);
    prop_oneof![
        2 => (pos(), color()).prop_map(|(at, color)| Command::Set(ops::Set { at, color })),
        2 => pos().prop_map(|at| Command::Remove(ops::Remove { at })),
        4 => (region(), color(), mode()).prop_map(|(region, color, mode)| Command::Fill(ops::Fill { region, color, mode })),
        4 => (brush, mode(), color(), prop::collection::vec(pos(), 1..4)).prop_map(|(brush, mode, color, path)| {
            Command::Stroke(ops::Stroke { brush, mode, color, path })
        }),
        1 => region().prop_map(|region| Command::Select(ops::Select { region: Some(region), combine: Default::default() })),
        1 => (-3..4_i32, -3..4_i32, -3..4_i32).prop_map(|by| Command::MoveSelection(ops::MoveSelection { by: by.into() })),
        1 => (color(), mode()).prop_map(|(color, mode)| Command::FillSelection(ops::FillSelection { color, mode })),
        3 => object(column()).prop_map(|object| Command::AddObject(ops::AddObject(object))),
        1 => (id(), object(column())).prop_map(|(id, object)| Command::SetObject(ops::SetObject { id, object })),
        1 => id().prop_map(|id| Command::RemoveObject(ops::RemoveObject { id })),
        2 => property().prop_map(|property| Command::SetProperty(ops::SetProperty(property))),
        8 => voxel_command(),
        1 => (step(), any::<bool>()).prop_map(|(by, wrap)| Command::Shift(ops::Shift { by, wrap })),
        1 => masks().prop_map(|masks| Command::SetMasks(ops::SetMasks(masks))),
        // Off again, before most others can be told where they act.
        1 => Just(Command::SetMasks(ops::SetMasks(Masks::default()))),
        1 => symmetry().prop_map(|symmetry| Command::SetSymmetry(ops::SetSymmetry::to(&symmetry))),
        1 => (healing(), any::<bool>()).prop_map(|((_, from), objects)| Command::Heal(ops::Heal { from, objects })),
        1 => prop::option::of(color()).prop_map(|color| Command::SetDirt(ops::SetDirt { color })),
    ]
}
