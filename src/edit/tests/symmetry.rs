//! What a symmetry does beyond the images of single edits: healing, and objects with their images.

use glam::IVec3;
use proptest::prelude::*;
use proptest::sample::select;

use super::examples::{check_heights, flat, run};
use super::properties::check_commit;
use super::strategies::{healing, land, masks, symmetry};
use crate::document::{Anchor, Document, MarkerRole, Masks, Object, ObjectId, Progress, Symmetry, SymmetryKind, Team, Volume};
use crate::edit::{Command, History, Part, ops};
use crate::geom::ColumnRect;
use crate::voxel::{Extra, Paint, Rgb, StoreEdit, Voxel};

/// Numbers that some object of a small map has, and some that none has.
pub(crate) fn id() -> impl Strategy<Value = ObjectId> {
    (1..6_u32).prop_map(ObjectId)
}

/// Objects of every kind at some columns.
pub(crate) fn object(column: impl Strategy<Value = [i32; 2]> + Clone) -> impl Strategy<Value = Object> {
    let team = || select(&Team::ALL[..]);
    let anchor = || (column.clone(), prop::option::of(40..63_i32)).prop_map(|([x, y], z)| Anchor { x, y, z });
    prop_oneof![
        (team(), column.clone(), 1..5_i32, 1..5_i32).prop_map(|(team, [x, y], width, height)| Object::SpawnRegion {
            team,
            area: ColumnRect::new([x, y], [x + width, y + height]),
            z: 0
        }),
        (team(), column.clone(), 40..63_i32).prop_map(|(team, [x, y], z)| Object::SpawnPoint { team, at: IVec3::new(x, y, z) }),
        (team(), anchor()).prop_map(|(team, at)| Object::Base { team, at }),
        (team(), anchor()).prop_map(|(team, at)| Object::Intel { team, at }),
        // A script names the columns of territories only.
        (prop::option::of(team()), column.clone()).prop_map(|(owner, [x, y])| Object::Territory { owner, at: Anchor { x, y, z: None } }),
        (select(vec!["bridge", "the: tower", "\u{fc}ber # 1"]), anchor()).prop_map(|(label, at)| Object::Marker {
            label: label.into(),
            at,
            role: MarkerRole::Point,
            volume: 0
        }),
    ]
}

/// Few enough that some are images of others, also on the axes.
fn column() -> impl Strategy<Value = [i32; 2]> + Clone {
    (select(vec![2, 9, 15, 20, 27]), select(vec![1, 7, 8, 14])).prop_map(|(x, y)| [x, y])
}

/// What edits objects.
pub(super) fn placing() -> impl Strategy<Value = Command> {
    let area = (column(), 1..6_i32, 1..6_i32).prop_map(|([x, y], width, height)| ColumnRect::new([x, y], [x + width, y + height]));
    prop_oneof![
        3 => object(column()).prop_map(|object| Command::AddObject(ops::AddObject(object))),
        2 => (id(), object(column())).prop_map(|(id, object)| Command::SetObject(ops::SetObject { id, object })),
        2 => id().prop_map(|id| Command::RemoveObject(ops::RemoveObject { id })),
        1 => (select(&Team::ALL[..]), area, 0..9_i32, any::<bool>())
            .prop_map(|(team, region, z, replace)| Command::Spawn(ops::Spawn { team, region, z, replace })),
        1 => select(&Team::ALL[..]).prop_map(|team| Command::ClearSpawns(ops::ClearSpawns { team })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn objects_are_edited_with_their_images_and_healed_as_the_model_does(
        symmetry in symmetry(),
        masks in prop_oneof![Just(Masks::default()), masks()],
        commands in prop::collection::vec(placing(), 1..8),
        (kind, from) in healing(),
        objects: bool,
        more in prop::collection::vec(placing(), 0..4),
    ) {
        let (mut document, mut history) = (land(), History::new());
        let mut commit = |command| _ = check_commit(&mut document, &mut history, &command);
        commit(Command::SetSymmetry(ops::SetSymmetry::to(&symmetry)));
        commands.into_iter().for_each(&mut commit);
        let [x, y] = symmetry.center;
        let center = [x, y + if kind == SymmetryKind::Turn90 { (x + y) % 2 } else { 0 }];
        commit(Command::SetSymmetry(ops::SetSymmetry::to(&Symmetry { kind, center, ..symmetry })));
        commit(Command::SetMasks(ops::SetMasks(masks)));
        commit(Command::Heal(ops::Heal { from, objects }));
        more.into_iter().for_each(commit);
    }
}

#[test]
fn which_objects_are_right_does_not_hang_on_where_columns_begin_to_count() {
    let (mut document, mut history) = (land(), History::new());
    let mut commit = |line: &str| {
        let command: Command = serde_json::from_str(line).unwrap();
        assert!(check_commit(&mut document, &mut history, &command), "{line}");
    };
    commit(r#"{"set_symmetry":{"kind":"turn90","center":[10,6],"swap_teams":true}}"#);
    // One of its images lies beyond the map, in columns below 0, so that its own image would begin on the last row.
    commit(r#"{"add_object":{"spawn_region":{"team":"blue","area":[[20,1],[24,2]],"z":0}}}"#);
    commit(r#"{"set_symmetry":{"kind":"mirror_y","center":[10,6],"swap_teams":true}}"#);
    commit(r#"{"heal":{"from":"north"}}"#);
}

#[test]
fn healing_without_objects_leaves_them_and_those_of_a_team_stay_where_teams_are_not_swapped() {
    let mut document = flat(16, 60);
    for object in [
        r#"{"base":{"team":"blue","at":{"x":2,"y":8}}}"#,
        r#"{"base":{"team":"green","at":{"x":9,"y":9}}}"#,
        r#"{"marker":{"label":"well","at":{"x":1,"y":1}}}"#,
    ] {
        run(&mut document, &format!(r#"{{"add_object":{object}}}"#));
    }
    run(&mut document, r#"{"set_symmetry":{"kind":"turn180","center":[8,8],"swap_teams":false}}"#);
    let objects = |document: &Document| document.objects.iter().map(|(_, object)| object.area().min()).collect::<Vec<_>>();
    let mut without = document.clone();
    run(&mut without, r#"{"heal":{"from":"west","objects":false}}"#);
    assert_eq!(objects(&without), [[2, 8], [9, 9], [1, 1]]);
    run(&mut document, r#"{"heal":{"from":"west"}}"#);
    assert_eq!(objects(&document), [[2, 8], [9, 9], [1, 1], [14, 14]]);
}

#[test]
fn healing_copies_voxels_whole_though_only_their_shade_or_attributes_differ() {
    let mut document = flat(8, 60);
    let voxel = |shade, light| Voxel { paint: Some(Paint { rgb: Rgb::new(9, 8, 7), shade }), extra: Extra { light, ..Extra::default() } };
    let mut edit = StoreEdit::new(document.store());
    let at = |x| IVec3::new(x, 3, 60);
    for (x, voxel) in [(1, voxel(7, 0)), (6, voxel(0x80, 0)), (2, voxel(7, 5)), (5, voxel(7, 0))] {
        edit.set(at(x), Some(voxel));
    }
    let changes = edit.finish();
    document.store_mut(0).unwrap().apply(&changes);
    run(&mut document, r#"{"set_symmetry":{"kind":"mirror_x"}}"#);
    run(&mut document, r#"{"heal":{"from":"west"}}"#);
    assert_eq!([6, 5].map(|x| document.store().voxel(at(x)).unwrap()), [voxel(7, 0), voxel(7, 5)]);
}

#[test]
fn an_object_goes_with_its_images() {
    let mut document = flat(16, 60);
    run(&mut document, r#"{"set_symmetry":{"kind":"turn180","center":[8,8],"swap_teams":true}}"#);
    run(&mut document, r#"{"add_object":{"spawn_point":{"team":"blue","at":[3,4,59]}}}"#);
    run(&mut document, r#"{"add_object":{"marker":{"label":"well","at":{"x":1,"y":1}}}}"#);
    let objects = |document: &Document| document.objects.iter().map(|(_, object)| object.label()).collect::<Vec<_>>();
    assert_eq!(objects(&document).len(), 4);
    run(&mut document, r#"{"remove_object":{"id":2}}"#);
    assert_eq!(objects(&document), ["well", "well"]);
}

#[test]
fn the_selection_stands_for_its_images_as_well() {
    let mut document = flat(16, 60);
    run(&mut document, r#"{"set_symmetry":{"kind":"mirror_x"}}"#);
    run(&mut document, r##"{"fill":{"box":[[2,3,58],[4,4,60]],"color":"#ff0000"}}"##);
    check_heights(&document, 3, "3355333333335533");
    run(&mut document, r#"{"select":{"box":[[2,3,58],[4,4,60]]}}"#);
    run(&mut document, r#"{"move_selection":{"by":[2,0,0]}}"#);
    check_heights(&document, 3, "3333553333553333");
    run(&mut document, r#"{"set_masks":{"selection":true}}"#);
    run(&mut document, r##"{"fill":{"box":[[0,3,57],[6,4,62]],"mode":"remove"}}"##);
    check_heights(&document, 3, "3333333333333333");
}

#[test]
fn what_healing_uncovers_has_the_same_color_on_both_sides() {
    for kind in ["turn180", "mirror_y"] {
        let mut document = flat(16, 30);
        // Steps along the seam, of another color than the other side.
        run(&mut document, r#"{"fill":{"box":[[0,0,30],[8,8,40]],"mode":"remove"}}"#);
        run(&mut document, r#"{"fill":{"box":[[3,0,30],[5,8,36]],"mode":"remove"}}"#);
        run(&mut document, r##"{"fill":{"box":[[0,0,0],[16,8,64]],"color":"#ff0000","mode":"paint"}}"##);
        run(&mut document, r##"{"fill":{"box":[[9,8,30],[12,16,44]],"mode":"remove"}}"##);
        run(&mut document, &format!(r#"{{"set_symmetry":{{"kind":"{kind}","center":[8,8]}}}}"#));
        for from in ["north", "south"] {
            let mut document = document.clone();
            run(&mut document, &format!(r#"{{"heal":{{"from":"{from}"}}}}"#));
            let mismatches = ops::mismatches(&document, &Progress::new()).unwrap();
            assert_eq!(mismatches.count(), 0, "{kind} {from}");
            let again = run(&mut document, &format!(r#"{{"heal":{{"from":"{from}"}}}}"#));
            assert!(!again.parts.iter().any(|part| matches!(part, Part::Chunk(..))), "{kind} {from}");
        }
    }
}

#[test]
fn what_differs_in_shape_is_told_from_what_differs_in_color_alone() {
    let mut document = flat(16, 60);
    run(&mut document, r##"{"fill":{"box":[[2,3,58],[4,4,60]],"color":"#0000ff"}}"##);
    run(&mut document, r##"{"fill":{"box":[[9,9,60],[10,12,61]],"color":"#ff0000","mode":"paint"}}"##);
    run(&mut document, r#"{"set_symmetry":{"kind":"mirror_x","center":[8,8]}}"#);
    let [shape, colors] = ops::mismatches_by_kind(&document, &Progress::new()).unwrap();
    // The four blue voxels and their images; three red ones and theirs. What the blue ones hide differs in nothing that is seen.
    assert_eq!((shape.count(), colors.count()), (8, 6));
    let all = ops::mismatches(&document, &Progress::new()).unwrap();
    assert_eq!(all.count(), 14);
}

#[test]
fn healing_keeps_the_part_that_it_is_from_and_gives_its_voxels_to_all_others() {
    let [west, east] = [[3, 2], [12, 2]];
    let [south_west, south_east] = [[3, 13], [12, 13]];
    // By how far a column lies in a part; the deepest of those that belong together is the one in it.
    let depth = |from: &str, [x, y]: [i32; 2]| match from {
        "west" => -x,
        "east" => x,
        "north" => -y,
        "south" => y,
        "north_west" => -x - y,
        "north_east" => x - y,
        "south_west" => y - x,
        "south_east" => x + y,
        other => panic!("{other}"),
    };
    let quarters = ["north_west", "north_east", "south_west", "south_east"];
    let all = ["west", "east", "north", "south", "north_west", "north_east", "south_west", "south_east"];
    let kinds = [
        ("mirror_x", &["west", "east"][..], vec![vec![west, east], vec![south_west, south_east]]),
        ("mirror_y", &["north", "south"], vec![vec![west, south_west], vec![east, south_east]]),
        ("mirror_both", &quarters, vec![vec![west, east, south_west, south_east]]),
        ("turn180", &all, vec![vec![west, south_east], vec![east, south_west]]),
        ("turn90", &quarters, vec![vec![west, [13, 3], south_east, [2, 12]]]),
    ];
    for (kind, parts, together) in kinds {
        for from in parts {
            let mut document = flat(16, 60);
            for (color, [x, y]) in together.iter().flatten().enumerate() {
                run(&mut document, &format!(r##"{{"set":{{"at":[{x},{y},59],"color":"#0000{color:02}"}}}}"##));
            }
            let color = |document: &Document, [x, y]: [i32; 2]| document.store().paint(IVec3::new(x, y, 59)).map(|paint| paint.rgb);
            let before = document.clone();
            run(&mut document, &format!(r#"{{"set_symmetry":{{"kind":"{kind}","center":[8,8]}}}}"#));
            run(&mut document, &format!(r#"{{"heal":{{"from":"{from}"}}}}"#));
            for images in &together {
                let kept = *images.iter().max_by_key(|at| depth(from, **at)).unwrap();
                for at in images {
                    assert_eq!(color(&document, *at), color(&before, kept), "{kind} from {from}: {at:?}");
                }
            }
        }
    }
}

#[test]
fn healing_copies_a_part_with_its_objects_to_the_other_team() {
    let mut document = flat(16, 60);
    run(&mut document, r##"{"fill":{"box":[[2,3,57],[4,4,60]],"color":"#0000ff"}}"##);
    run(&mut document, r##"{"fill":{"box":[[9,9,50],[12,12,60]],"color":"#ff0000"}}"##);
    run(&mut document, r#"{"add_object":{"base":{"team":"blue","at":{"x":2,"y":8}}}}"#);
    run(&mut document, r#"{"add_object":{"base":{"team":"green","at":{"x":9,"y":9}}}}"#);
    run(&mut document, r#"{"add_object":{"marker":{"label":"well","at":{"x":1,"y":1}}}}"#);
    run(&mut document, r##"{"set_symmetry":{"kind":"turn180","center":[8,8],"swap_teams":true,"swap_colors":[["#0000ff","#00ff00"]]}}"##);
    run(&mut document, r#"{"heal":{"from":"west"}}"#);
    check_heights(&document, 3, "3366333333333333");
    check_heights(&document, 12, "3333333333336633");
    assert_eq!(document.store().paint(IVec3::new(13, 12, 58)), Some(Paint::new(Rgb::new(0, 255, 0))));
    assert!(!document.store().is_solid(IVec3::new(10, 10, 55)), "what stood only on the other side is gone");
    let objects: Vec<_> = document.objects.iter().map(|(_, object)| (object.label(), object.area().min())).collect();
    let expected = [("Blue base", [2, 8]), ("well", [1, 1]), ("Green base", [13, 7]), ("well", [14, 14])];
    assert_eq!(objects, expected.map(|(label, at)| (label.to_owned(), at)));
    assert!(!run(&mut document, r#"{"heal":{"from":"east"}}"#).parts.iter().any(|part| matches!(part, Part::Chunk(..))));
}

#[test]
fn what_equals_an_image_already_is_the_same_object_after_healing_and_other_volumes_keep_theirs() {
    let volume = Volume::new(flat(16, 60).store().clone());
    let mut document = Document::with_volumes(vec![volume; 2], flat(16, 60).profile).unwrap();
    let mut objects = (*document.objects).clone();
    let mut put = |label: &str, x, volume| {
        let at = Anchor { x, y: 3, z: None };
        objects.push(Object::Marker { label: label.into(), at, role: MarkerRole::Point, volume })
    };
    let doors = [put("door", 2, 1), put("door", 13, 1), put("door", 13, 1)];
    let (tower, well) = (put("tower", 12, 1), put("well", 4, 1));
    let there = [put("tower", 12, 0), put("well", 4, 0)];
    let base = objects.push(Object::Base { team: Team::Green, at: Anchor { x: 12, y: 9, z: None } });
    document.objects = objects.into();
    run(&mut document, r#"{"select_volume":{"volume":1}}"#);
    run(&mut document, r#"{"set_symmetry":{"kind":"mirror_x","center":[8,8],"swap_teams":true}}"#);
    run(&mut document, r#"{"heal":{"from":"west"}}"#);
    let found: Vec<_> = document.objects.iter().map(|(id, object)| (id, object.area().min()[0])).collect();
    let image = ObjectId(base.0 + 1);
    let expected = [(doors[0], 2), (doors[1], 13), (doors[2], 13), (well, 4), (there[0], 12), (there[1], 4), (base, 12), (image, 11)];
    assert_eq!(found, expected, "{tower:?} makes room, and the image of the well is new");
}

#[test]
fn healing_leaves_tiles_of_the_same_name_and_takes_a_variant_along_with_no_other_name() {
    let mut document = flat(8, 60);
    let (steel, white) = (Rgb::new(90, 90, 90), Rgb::new(220, 220, 220));
    let tile = |color, variant| Voxel { paint: Some(Paint::new(color)), extra: Extra { tile: Some([0, variant, 0]), ..Extra::default() } };
    let at = |x| IVec3::new(x, 3, 60);
    let mut edit = StoreEdit::new(document.store());
    for (x, voxel) in [(1, tile(steel, 1)), (6, tile(steel, 2)), (2, tile(steel, 3)), (5, tile(white, 4)), (3, tile(white, 5))] {
        edit.set(at(x), Some(voxel));
    }
    let changes = edit.finish();
    document.store_mut(0).unwrap().apply(&changes);
    run(&mut document, r##"{"set_symmetry":{"kind":"mirror_x"}}"##);
    run(&mut document, r#"{"heal":{"from":"west"}}"#);
    let found = |document: &Document, x| document.store().voxel(at(x)).unwrap();
    assert_eq!(found(&document, 6), tile(steel, 2), "of the same name, of another variant");
    assert_eq!(found(&document, 5), tile(steel, 3));
    run(&mut document, r##"{"set_symmetry":{"kind":"mirror_x","swap_colors":[["#dcdcdc","#5a5a5a"]]}}"##);
    run(&mut document, r#"{"heal":{"from":"west"}}"#);
    assert_eq!(found(&document, 4), Voxel::new(steel), "a tile of another name is plain");
}
