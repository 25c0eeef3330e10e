//! Commands at random on a small map, and that map.

use glam::IVec3;
use proptest::prelude::*;
use proptest::sample::select;

use super::symmetry::placing;
use crate::document::{
    Anchor, Combine, Document, GameProfile, Masks, Matter, Object, Objects, Property, Selection, Symmetry, SymmetryKind, Team,
};
use crate::edit::{Along, Brush, BrushShape, Clip, ColorImage, Command, GrayImage, Mode, PaintStyle, Percent, Spacing, ops};
use crate::geom::{ColumnRect, Face, Orientation, Region, SolidKind, VoxelPos};
use crate::voxel::{Extra, Paint, Rgb, Store, StoreEdit, Voxel, VoxelKind};

pub(super) const COLORS: [Rgb; 4] = [Rgb::new(20, 140, 30), Rgb::new(25, 138, 33), Rgb::new(200, 0, 0), Rgb::new(90, 90, 240)];

/// Symmetries and the parts that they tell apart. A quarter turn does not bring this map's border to itself, and at a border
/// other rules hold.
pub(crate) fn healing() -> impl Strategy<Value = (SymmetryKind, ops::HealFrom)> {
    use ops::HealFrom::{East, North, South, West};
    let knows = |kind, from| match kind {
        SymmetryKind::MirrorX => !matches!(from, North | South),
        SymmetryKind::MirrorY => !matches!(from, West | East),
        SymmetryKind::MirrorBoth => !matches!(from, North | South | West | East),
        _ => true,
    };
    let all: Vec<_> = SymmetryKind::ALL[1..5].iter().flat_map(|kind| ops::HealFrom::ALL.map(|from| (*kind, from))).collect();
    select(all.into_iter().filter(|(kind, from)| knows(*kind, *from)).collect::<Vec<_>>())
}

/// Hills with a cave, painted where they can be seen, over a water plane with a hole; not on the chunk grid.
pub(super) fn land() -> Document {
    let bounds = Region::new(IVec3::new(-3, -2, 0), IVec3::new(33, 18, 40));
    let mut store = Store::new(bounds);
    let mut edit = StoreEdit::new(&store);
    for pos in bounds.positions() {
        let ground = 30 + (pos.x / 4 + pos.y / 3) % 5;
        let cave = (5..12).contains(&pos.x) && (3..9).contains(&pos.y) && (34..37).contains(&pos.z);
        let wet = pos.x > 25;
        let solid = if pos.z == 39 { pos.truncate() != IVec3::new(4, 4, 0).truncate() } else { pos.z >= ground && !cave && !wet };
        if solid {
            edit.set(pos, Some(Voxel::HIDDEN));
        }
    }
    let changes = edit.finish();
    store.apply(&changes);
    let mut edit = StoreEdit::new(&store);
    for pos in bounds.positions() {
        let open = Face::ALL.iter().any(|face| bounds.contains(pos + face.normal()) && !store.is_solid(pos + face.normal()));
        if store.is_solid(pos) && open {
            let rgb = COLORS[(pos.x / 8 + pos.y / 5).unsigned_abs() as usize % 3];
            let extra = if pos.x == 7 {
                Extra { light: 9, kind: VoxelKind::Water, indestructible: 1, reserved: 77, tile: Some([1, 2, 3]) }
            } else {
                Extra::default()
            };
            edit.set(pos, Some(Voxel { paint: Some(Paint { rgb, shade: 0x40 + pos.z as u8 }), extra }));
        }
    }
    let changes = edit.finish();
    store.apply(&changes);
    let mut document = Document::new(store, &GameProfile::ACE_OF_SPADES);
    let mut objects = Objects::default();
    objects.push(Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([1, 2], [9, 8]), z: 0 });
    objects.push(Object::Base { team: Team::Green, at: Anchor { x: 20, y: 10, z: Some(33) } });
    document.objects = objects.into();
    document.selection = Selection::of_region(Region::new(IVec3::new(2, 2, 28), IVec3::new(15, 12, 38)));
    document
}

pub(super) fn pos() -> impl Strategy<Value = VoxelPos> {
    (-6..36_i32, -5..22_i32, 24..42_i32).prop_map(IVec3::from)
}

pub(crate) fn step() -> impl Strategy<Value = IVec3> {
    (-40..40_i32, -9..9_i32, -9..9_i32).prop_map(IVec3::from)
}

pub(super) fn region() -> impl Strategy<Value = Region> {
    (pos(), (1..20_i32, 1..14_i32, 1..12_i32)).prop_map(|(at, size)| Region::of_size(size.into()).shifted(at))
}

pub(super) fn brush() -> impl Strategy<Value = Brush> + Clone {
    let plain = (select(&BrushShape::ALL[..5]), 1..9_u32).prop_map(|(shape, size)| Brush::new(shape, size));
    let spacing = prop_oneof![(1..9_u32).prop_map(Spacing::Voxels), (10..200_u32).prop_map(|share| Spacing::Share(Percent(share)))];
    let stand = (prop::option::of(1..7_u32), select(&Face::ALL[..]));
    let random = (1..=100_u8, spacing, 0..4_u32, prop::bool::weighted(0.2), any::<u32>());
    let special = (plain.clone(), stand, random).prop_map(|(plain, (height, up), (strength, spacing, jitter, strange, seed))| {
        let (jitter, color_jitter) = if strange { (jitter, 30) } else { (0, 0) };
        Brush { height, up, strength, spacing, jitter, color_jitter, seed, ..plain }
    });
    prop_oneof![3 => plain, 3 => special, 1 => picture_brush()]
}

pub(super) fn picture_brush() -> impl Strategy<Value = Brush> + Clone {
    let stands = (1..4_u32, select(&Face::ALL[..]));
    (stands, 2..7_u32, any::<[u16; 6]>(), any::<u32>()).prop_map(|((height, up), size, samples, seed)| {
        let picture = Some(GrayImage::new([3, 2], samples.to_vec()).unwrap());
        Brush { height: Some(height), up, picture, seed, ..Brush::new(BrushShape::Picture, size) }
    })
}

pub(super) fn mode() -> impl Strategy<Value = Mode> {
    select(vec![Mode::Add, Mode::Remove, Mode::Paint, Mode::Set])
}

pub(super) fn color() -> impl Strategy<Value = Rgb> {
    select(&COLORS[..])
}

pub(super) fn path() -> impl Strategy<Value = Vec<VoxelPos>> {
    prop::collection::vec(pos(), 1..4)
}

fn heightmap() -> impl Strategy<Value = Command> {
    let image = (1..9_u32, 1..7_u32).prop_flat_map(|(width, height)| {
        let count = (width * height) as usize;
        let gray = prop::collection::vec(any::<u16>(), count).prop_map(move |samples| GrayImage::new([width, height], samples).unwrap());
        let colors = prop::collection::vec(color(), count).prop_map(move |pixels| ColorImage::new([width, height], pixels).unwrap());
        (gray, prop::option::of(colors))
    });
    let curve = select(vec!["1", "2.2", "0:1,0.5:0,1:0.75"]).prop_map(|text| text.parse().unwrap());
    let place = (pos(), 1..14_u32, select(&ops::HeightmapMode::ALL[..]));
    (image, curve, place, prop::option::of(color())).prop_map(|((image, colors), curve, (at, height, mode), color)| {
        Command::Heightmap(ops::Heightmap { image, at, mode, height, curve, color, colors })
    })
}

fn style() -> impl Strategy<Value = PaintStyle> {
    let percent = || 1..=100_u8;
    prop_oneof![
        color().prop_map(|color| PaintStyle::Replace { color }),
        (color(), percent()).prop_map(|(color, strength)| PaintStyle::Tint { color, strength }),
        percent().prop_map(|strength| PaintStyle::Lighten { strength }),
        percent().prop_map(|strength| PaintStyle::Darken { strength }),
        prop::collection::vec((color(), 1..9_u32), 1..4).prop_map(|colors| PaintStyle::Mix { colors }),
        (percent(), 1..9_u32).prop_map(|(strength, grain)| PaintStyle::Noise { strength, grain }),
        (color(), color(), select(&Along::ALL[..])).prop_map(|(from, to, along)| PaintStyle::Gradient { from, to, along }),
        (color(), color(), 20..30_i32, 1..20_i32).prop_map(|(a, b, z, more)| PaintStyle::Ramp { stops: vec![(z, a), (z + more, b)] }),
        (percent(), 1..3_u32).prop_map(|(strength, radius)| PaintStyle::Blur { strength, radius }),
        (prop::collection::vec(color(), 6), 1..14_u32, select(&Face::ALL[..]), prop::option::of(color())).prop_map(
            |(pixels, width, face, clear)| PaintStyle::Decal { image: ColorImage::new([3, 2], pixels).unwrap(), width, face, clear }
        ),
    ]
}

fn sculpt() -> impl Strategy<Value = ops::Sculpt> {
    let numbers = (1..16_u32, 1..5_u32, 2..7_u32, 1..12_u32, any::<u32>());
    let form = select(vec![ops::SculptForm::Column, ops::SculptForm::Volume]);
    (select(&ops::SculptAction::ALL[..]), path(), numbers, prop::option::of(28..38_i32), form).prop_map(
        |(action, path, (size, strength, step, grain, seed), level, form)| ops::Sculpt {
            size,
            strength,
            form,
            level,
            step,
            grain,
            seed,
            ..ops::Sculpt::new(action, path)
        },
    )
}

fn way() -> impl Strategy<Value = ops::Path> {
    let numbers = (prop::option::of(1..9_u32), prop::option::of(0..7_u32), prop::option::of(0..6_u32), 0..5_u32, any::<bool>());
    (select(&ops::PathKind::ALL[..]), prop::collection::vec(pos(), 2..5), numbers, color(), prop::option::of(color())).prop_map(
        |(kind, points, (width, height, spacing, shoulder, arched), color, edge_color)| ops::Path {
            kind,
            points,
            width,
            color,
            water: arched.then_some(COLORS[1]),
            edge_color,
            height,
            spacing,
            shoulder,
            arched,
        },
    )
}

fn paint() -> impl Strategy<Value = Command> {
    let area = prop_oneof![3 => path().prop_map(|path| (path, None)), 1 => region().prop_map(|region| (vec![], Some(region)))];
    (style(), brush(), area, 1..5_u32, any::<bool>()).prop_map(|(style, brush, (path, region), depth, projected)| {
        Command::Paint(ops::PaintStroke { style, brush, path, region, depth, projected })
    })
}

fn terrain() -> impl Strategy<Value = Command> {
    let generator = select(vec!["hills", "valley", "river", "trees", "erosion", "flat"]);
    (generator, 0..99_u64, prop::option::of(region()), 0..6_u32).prop_map(|(generator, seed, area, fade)| {
        let area = area.map(|area| area.columns());
        Command::Terrain(ops::Terrain { generator: generator.to_owned(), seed, values: Default::default(), area, fade })
    })
}

fn scatter() -> impl Strategy<Value = Command> {
    let looks = (select(&ops::StampAnchor::ALL[..]), 0..4_u32, any::<bool>(), 0..20_u32);
    let stands = (prop_oneof![Just(Face::MinusZ), select(&Face::ALL[..])], any::<bool>());
    (region(), region(), looks, (0..99_u64, 1..1000_u32, 0..6_u32, 0..91_u8), stands).prop_filter_map(
        "nothing to cut",
        |(cut, area, (anchor, turn, random_turn, tint), (seed, density, distance, slope), (up, all))| {
            let heights = (up != Face::MinusZ && !all).then_some([area.min().z, area.max().z]);
            let (clip, area) = (Clip::cut(&land(), cut).ok()?, area.columns());
            let scatter =
                ops::Scatter { clip, area, seed, z: None, up, heights, anchor, density, distance, slope, turn, random_turn, tint };
            Some(Command::Scatter(scatter))
        },
    )
}

pub(crate) fn masks() -> impl Strategy<Value = Masks> {
    let switches = (any::<bool>(), any::<bool>(), prop::bool::weighted(0.2));
    let heights = prop::option::of((24..40_i32, 0..12_i32).prop_map(|(z, more)| [z, z + more]));
    let slope = prop::option::weighted(0.3, (0..50_u8, 0..40_u8).prop_map(|(least, more)| [least, least + more]));
    let colors = (prop::collection::vec(color(), 0..4), 0..12_u8);
    let matter = prop::option::weighted(0.3, select(&Matter::ALL[..]));
    (switches, heights, slope, colors, matter).prop_map(|((selection, surface, spawns), z, slope, (colors, tolerance), matter)| Masks {
        selection,
        surface,
        z,
        slope,
        colors,
        tolerance,
        matter,
        spawns,
    })
}

pub(crate) fn symmetry() -> impl Strategy<Value = Symmetry> {
    (select(&SymmetryKind::ALL[..]), (20..40_i32, 8..24_i32), any::<bool>(), any::<bool>()).prop_map(|(kind, (x, y), swap_teams, swaps)| {
        let y = if kind == SymmetryKind::Turn90 { y + (x + y) % 2 } else { y };
        let swap_colors = if swaps { vec![[COLORS[2], COLORS[3]]] } else { vec![] };
        Symmetry { kind, center: [x, y], swap_teams, swap_colors }
    })
}

fn combine() -> impl Strategy<Value = Combine> {
    select(&Combine::ALL[..])
}

/// Any of the ways to select.
fn selecting() -> impl Strategy<Value = Command> {
    let kinds = [ops::Connection::Color, ops::Connection::Solid, ops::Connection::Surface];
    let connected =
        (pos(), select(kinds.to_vec()), 0..12_u8, select(&Face::ALL[..]), any::<bool>(), prop::option::of(28..40_i32), combine());
    let outline = prop::collection::vec(prop::array::uniform2(-6..36_i32), 1..7);
    prop_oneof![
        (masks(), combine()).prop_map(|(masks, combine)| Command::SelectWhere(ops::SelectWhere { masks, combine })),
        connected.prop_map(|(at, by, tolerance, face, edges, lowest, combine)| {
            let op = ops::SelectConnected { tolerance, face, edges, lowest, combine, ..ops::SelectConnected::new(at, by) };
            Command::SelectConnected(op)
        }),
        (outline, any::<bool>(), combine()).prop_map(|(outline, columns, combine)| Command::SelectLasso(ops::SelectLasso {
            outline,
            columns,
            combine
        })),
        any::<bool>().prop_map(|solid| Command::InvertSelection(ops::InvertSelection { solid })),
        (1..4_u32).prop_map(|by| Command::GrowSelection(ops::GrowSelection { by })),
        (1..4_u32).prop_map(|by| Command::ShrinkSelection(ops::ShrinkSelection { by })),
    ]
}

fn transform() -> impl Strategy<Value = Command> {
    let scale = prop::array::uniform3(select(vec![1000, 1000, 500, 1500, 2000]).prop_map(ops::Thousandths));
    let angle = select(vec![0, 0, 90_000, 180_000, -90_000, 30_000, 45_000, 400_000, -7_300, 101_500, 222_222]).prop_map(ops::Thousandths);
    (0..48_usize, scale, angle, step(), 0..4_u32).prop_map(|(which, scale, angle, by, copies)| {
        let turned = ops::TransformSelection::default().turned(Orientation::all()[which]);
        Command::TransformSelection(ops::TransformSelection { scale, angle, by: by / 4, copies, ..turned })
    })
}

fn flood() -> impl Strategy<Value = ops::FillConnected> {
    let face = select(&Face::ALL[..]);
    ((pos(), color(), mode()), face, 0..12_u8, any::<bool>(), select(&ops::FillReach::ALL[..])).prop_map(
        |((at, color, mode), face, tolerance, edges, reach)| ops::FillConnected {
            mode,
            face,
            tolerance,
            edges,
            reach,
            ..ops::FillConnected::new(at, color)
        },
    )
}

fn shape() -> impl Strategy<Value = ops::Shape> {
    (select(&SolidKind::ALL[..]), pos(), step(), select(&Face::ALL[..]), (prop::option::of(1..4_u32), mode(), color())).prop_map(
        |(kind, from, size, up, (shell, mode, color))| {
            let to = from + size.clamp(IVec3::splat(-9), IVec3::splat(9));
            ops::Shape { kind, from, to, up, shell, mode, color }
        },
    )
}

fn styled() -> impl Strategy<Value = Command> {
    let filled = prop_oneof![
        (region(), color(), mode()).prop_map(|(region, color, mode)| ops::Filled::Fill(ops::Fill { region, color, mode })),
        shape().prop_map(ops::Filled::Shape),
        flood().prop_map(ops::Filled::FillConnected),
    ];
    (style(), any::<u32>(), filled).prop_map(|(style, seed, of)| Command::Styled(ops::Styled { style, seed, of }))
}

pub(crate) fn voxel_command() -> BoxedStrategy<Command> {
    prop_oneof![
        (pos(), color()).prop_map(|(at, color)| Command::Set(ops::Set { at, color })),
        pos().prop_map(|at| Command::Remove(ops::Remove { at })),
        (region(), color(), mode()).prop_map(|(region, color, mode)| Command::Fill(ops::Fill { region, color, mode })),
        (brush(), mode(), color(), path()).prop_map(|(brush, mode, color, path)| Command::Stroke(ops::Stroke { brush, mode, color, path })),
        (pos(), pos(), brush(), mode(), color()).prop_map(|(from, to, brush, mode, color)| Command::Line(ops::Line {
            from,
            to,
            brush,
            mode,
            color
        })),
        flood().prop_map(Command::FillConnected),
        shape().prop_map(Command::Shape),
        styled(),
        (pos(), select(&Face::ALL[..]), -6..6_i32, prop_oneof![0..12_u8, Just(255)], prop::option::of(color())).prop_map(
            |(at, face, by, tolerance, color)| { Command::Extrude(ops::Extrude { at, face, by, tolerance, color, limit: 1 << 20 }) }
        ),
        (color(), color(), 0..12_u8).prop_map(|(from, to, tolerance)| Command::ReplaceColor(ops::ReplaceColor { from, to, tolerance })),
        Just(Command::DeleteSelection(ops::DeleteSelection {})),
        step().prop_map(|by| Command::MoveSelection(ops::MoveSelection { by })),
        step().prop_map(|by| Command::CopySelection(ops::CopySelection { by })),
        (region(), pos()).prop_filter_map("nothing to cut", |(region, at)| {
            Some(Command::Paste(ops::Paste { clip: Clip::cut(&land(), region).ok()?, at }))
        }),
        (sculpt(), prop::option::of(color())).prop_map(|(sculpt, color)| Command::Sculpt(ops::Sculpt { color, ..sculpt })),
        heightmap(),
        paint(),
        way().prop_map(Command::Path),
        terrain(),
        scatter(),
        (region(), pos(), select(&ops::StampAnchor::ALL[..]), 0..4_u32, select(&Face::ALL[..])).prop_filter_map(
            "nothing to cut",
            |(region, at, anchor, turn, up)| {
                Some(Command::Stamp(ops::Stamp { clip: Clip::cut(&land(), region).ok()?, at, anchor, turn, tint: 0, up }))
            }
        ),
        Just(Command::RepairColumns(ops::RepairColumns {})),
        selecting(),
        (color(), mode()).prop_map(|(color, mode)| Command::FillSelection(ops::FillSelection { color, mode })),
        transform(),
    ]
    .boxed()
}

/// What a person draws by hand, in colours that no side owns.
pub(super) fn gesture() -> impl Strategy<Value = Command> {
    let sculpt = sculpt().prop_filter("a slope has one direction", |sculpt| sculpt.action != ops::SculptAction::Slope);
    let sculpt = sculpt.prop_map(|sculpt| Command::Sculpt(ops::Sculpt { color: Some(COLORS[1]), ..sculpt }));
    let drawn = (brush(), mode(), path()).prop_map(|(brush, mode, path)| {
        // Where a stroke meets its image, each stamp's own color wins.
        let brush = Brush { color_jitter: 0, ..brush };
        Command::Stroke(ops::Stroke { brush, mode, color: COLORS[0], path })
    });
    let filled = (region(), mode()).prop_map(|(region, mode)| Command::Fill(ops::Fill { region, color: COLORS[1], mode }));
    let flooded = (pos(), mode(), select(&Face::ALL[..])).prop_map(|(at, mode, face)| {
        Command::FillConnected(ops::FillConnected { mode, face, tolerance: 9, edges: true, ..ops::FillConnected::new(at, COLORS[0]) })
    });
    let laid = way().prop_map(|path| Command::Path(ops::Path { color: COLORS[0], edge_color: Some(COLORS[1]), ..path }));
    prop_oneof![sculpt, drawn, filled, flooded, laid]
}

pub(super) fn command() -> BoxedStrategy<Command> {
    let bounds = (-5..5_i32, -5..5_i32, -5..5_i32, 20..40_i32, 10..25_i32, 20..70_i32);
    prop_oneof![
        12 => voxel_command(),
        2 => (prop::option::of(region()), combine()).prop_map(|(region, combine)| Command::Select(ops::Select { region, combine })),
        1 => bounds.prop_map(|(x, y, z, a, b, c)| Command::Resize(ops::Resize { region: Region::new(IVec3::new(x, y, z), IVec3::new(a, b, c)) })),
        1 => Just(Command::Crop(ops::Crop {})),
        2 => (step(), any::<bool>()).prop_map(|(by, wrap)| Command::Shift(ops::Shift { by, wrap })),
        2 => masks().prop_map(|masks| Command::SetMasks(ops::SetMasks(masks))),
        2 => symmetry().prop_map(|symmetry| Command::SetSymmetry(ops::SetSymmetry::to(&symmetry))),
        1 => prop::option::of(color()).prop_map(|color| Command::SetDirt(ops::SetDirt { color })),
        3 => placing(),
        1 => (healing(), any::<bool>()).prop_map(|((_, from), objects)| Command::Heal(ops::Heal { from, objects })),
        1 => Just(Command::SetProperty(ops::SetProperty(Property::Name(Some("hills".into()))))),
    ]
    .boxed()
}
