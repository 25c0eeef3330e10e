//! The object tool: regions, bases, what is selected and moved.

use super::*;
use crate::document::MarkerRole;

pub(super) fn region(team: Team, area: [[i32; 2]; 2]) -> Object {
    Object::SpawnRegion { team, area: ColumnRect::from(area), z: 0 }
}

pub(super) fn base(team: Team, x: i32, y: i32) -> Object {
    Object::Base { team, at: Anchor { x, y, z: None } }
}

/// The object tool in a hand over a map with these objects.
fn session_with(mut document: Document, objects: &[Object], new_object: NewObject) -> Session {
    let mut all = (*document.objects).clone();
    for object in objects {
        all.push(object.clone());
    }
    document.objects = all.into();
    Session::new("objects", ToolSettings { new_object, ..ToolSettings::default() }, document)
}

fn found(session: &Session) -> Vec<Object> {
    session.document.objects.iter().map(|(_, object)| object.clone()).collect()
}

#[track_caller]
fn check_objects(new: NewObject, gesture: &str, before: &[Object], expected: &[Object]) {
    let mut session = session_with(map(&vec![".".repeat(20); 20].join("/")), before, new);
    session.play(gesture);
    assert_eq!(found(&session), expected, "{gesture}");
}

const NOTHING: NewObject = NewObject { kind: None, team: None };

#[test]
fn what_is_seen_through_the_ground_is_taken_before_a_region_over_it_and_stays_under_the_ground() {
    let document = map(&vec!["9".repeat(20); 20].join("/"));
    let z = document.bounds().max().z - 3;
    let buried = |x| Object::Base { team: Team::Blue, at: Anchor { x, y: 5, z: Some(z) } };
    let over = region(Team::Green, [[0, 0], [20, 20]]);
    let mut session = session_with(document, &[over.clone(), buried(5)], NOTHING);
    session.play("down 5,5; move 9,5; up");
    assert_eq!(found(&session), [over, buried(9)]);
}

#[test]
fn of_objects_at_one_place_the_selected_one_is_dragged() {
    let mut document = map(&vec![".".repeat(20); 20].join("/"));
    let mut objects = (*document.objects).clone();
    let stacked: Vec<_> = (0..3).map(|number| objects.push(Object::SpawnPoint { team: Team::ALL[number % 2], at: STACK })).collect();
    let beside = objects.push(base(Team::Blue, 8, 5));
    document.objects = objects.into();
    for id in &stacked {
        let mut session = Session::new("objects", ToolSettings { new_object: NOTHING, ..ToolSettings::default() }, document.clone());
        session.tool.select_object(Some(*id));
        session.play("down 5,5; move 12,5; up");
        let moved = session.document.objects.iter().filter(|(_, object)| object.area().min()[0] == 12);
        assert_eq!(moved.map(|(id, _)| id).collect::<Vec<_>>(), [*id]);
        session.play("down 8,5; up");
        assert_eq!(session.tool.preview().selected, Some(beside), "another one is taken where it stands");
    }
}

#[test]
fn a_spawn_point_is_taken_before_what_else_stands_in_its_cell() {
    let marker = |x, role| Object::Marker { label: "thing".into(), at: Anchor { x, y: 5, z: None }, role, volume: 0 };
    let mut document = map(&vec![".".repeat(20); 20].join("/"));
    let mut objects = (*document.objects).clone();
    let [wall, cable, spawn, wall_beside] =
        [(5, MarkerRole::Block), (5, MarkerRole::Point), (5, MarkerRole::Spawn), (6, MarkerRole::Block)]
            .map(|(x, role)| objects.push(marker(x, role)));
    document.objects = objects.into();
    let taken = |document: &Document, gesture: &str| {
        let mut session = Session::new("objects", ToolSettings { new_object: NOTHING, ..ToolSettings::default() }, document.clone());
        session.play(gesture);
        session.tool.preview().selected
    };
    assert_eq!(taken(&document, "down 5,5; up"), Some(spawn));
    // The pointer is on the wall beside it, and only near to the spawn point.
    assert_eq!(taken(&document, "down 6,5; up"), Some(wall_beside));
    let without = |id: ObjectId| {
        let mut document = document.clone();
        std::sync::Arc::make_mut(&mut document.objects).0.remove(&id);
        document
    };
    assert_eq!(taken(&without(spawn), "down 5,5; up"), Some(cable));
    let mut bare = without(spawn);
    std::sync::Arc::make_mut(&mut bare.objects).0.remove(&cable);
    assert_eq!(taken(&bare, "down 5,5; up"), Some(wall));
}

/// Where several objects stand.
const STACK: VoxelPos = VoxelPos::new(5, 5, DEPTH - 1);

#[test]
fn spawn_regions_are_dragged_out_moved_and_resized() {
    let new = NewObject { kind: Some(ObjectKind::SpawnRegion), team: Some(Team::Green) };
    check_objects(new, "down 2,3; move 5,8; up", &[], &[region(Team::Green, [[2, 3], [6, 9]])]);
    check_objects(new, "down 5,8; move 2,3; up", &[], &[region(Team::Green, [[2, 3], [6, 9]])]);
    check_objects(new, "down 15,15; move 99,99; up", &[], &[region(Team::Green, [[15, 15], [20, 20]])]);
    check_objects(new, "down 2,3; up", &[], &[]);
    check_objects(new, "down 2,3; move 5,8; esc; up", &[], &[]);
    check_objects(NOTHING, "down 2,3; move 5,8; up", &[], &[]);
    let old = region(Team::Blue, [[2, 2], [12, 12]]);
    let check = |gesture, area| check_objects(new, gesture, std::slice::from_ref(&old), &[region(Team::Blue, area)]);
    check("down 6,6; move 8,5; up", [[4, 1], [14, 11]]);
    check("down 6,6; move 99,6; up", [[10, 2], [20, 12]]);
    check("down 2,6; move 5,9; up", [[5, 2], [12, 12]]);
    check("down 11,11; move 14,15; up", [[2, 2], [15, 16]]);
    check("down 2,2; move 19,19; up", [[11, 11], [12, 12]]);
    check("down 6,6; up", [[2, 2], [12, 12]]);
    check("down 6,6; move 9,9; esc; up", [[2, 2], [12, 12]]);
}

#[test]
fn bases_are_placed_by_a_click_and_each_team_has_one() {
    let new = |kind| NewObject { kind: Some(kind), team: Some(Team::Blue) };
    check_objects(new(ObjectKind::Base), "down 4,4; up", &[], &[base(Team::Blue, 4, 4)]);
    check_objects(new(ObjectKind::Base), "down 4,4; move 6,4; up", &[], &[base(Team::Blue, 6, 4)]);
    check_objects(
        new(ObjectKind::Base),
        "down 14,14; up",
        &[base(Team::Blue, 4, 4), base(Team::Green, 8, 8)],
        &[base(Team::Blue, 14, 14), base(Team::Green, 8, 8)],
    );
    check_objects(NOTHING, "down 4,4; move 9,9; up", &[base(Team::Blue, 4, 4)], &[base(Team::Blue, 9, 9)]);
    check_objects(NOTHING, "down 4,4; move 99,9; up", &[base(Team::Blue, 4, 4)], &[base(Team::Blue, 4, 4)]);
    let point = |x, y| Object::SpawnPoint { team: Team::Blue, at: VoxelPos::new(x, y, DEPTH - 1) };
    check_objects(new(ObjectKind::SpawnPoint), "down 4,4; up; down 10,10; up", &[], &[point(4, 4), point(10, 10)]);
    let neutral = NewObject { kind: Some(ObjectKind::Territory), team: None };
    let territory = Object::Territory { owner: None, at: Anchor { x: 4, y: 4, z: None } };
    check_objects(neutral, "down 4,4; up", &[], &[territory]);
}

#[test]
fn objects_are_highlighted_selected_and_shown_while_they_move() {
    let mut document = map(&vec![".".repeat(20); 20].join("/"));
    let mut objects = (*document.objects).clone();
    let big = objects.push(region(Team::Blue, [[0, 0], [18, 18]]));
    let small = objects.push(region(Team::Green, [[4, 4], [14, 14]]));
    document.objects = objects.into();
    let mut session = Session::new("objects", ToolSettings::default(), document);
    session.play("hover 8,8");
    assert_eq!((session.tool.preview().hovered_object, session.tool.preview().selected), (Some(small), None));
    session.play("down 8,8; move 9,8");
    let preview = session.tool.preview();
    let moved = region(Team::Green, [[5, 4], [15, 14]]);
    assert_eq!(preview.pending_object, Some(PendingObject { id: Some(small), object: moved }));
    assert_eq!((preview.selected, preview.outlines.len(), preview.size.as_deref()), (Some(small), 1, Some("10×10")));
    session.play("esc; up 9,8; down 1,1; up");
    assert_eq!(session.tool.preview().selected, Some(big));
    session.play("down 19,19; up; leave");
    assert_eq!((session.tool.preview().hovered_object, session.tool.preview().selected), (None, None));
    session.tool.select_object(Some(ObjectId(77)));
    session.play("hover 19,19");
    assert_eq!(session.tool.preview().selected, None, "an object that is gone is not selected");
    session.play("down 19,15; move 18,19; up");
    assert_eq!(session.tool.preview().selected, Some(ObjectId(3)), "what was made is selected");
}

#[test]
fn an_object_is_placed_for_the_other_team_as_well() {
    let document = symmetric(SymmetryKind::Turn180, [20, 20], &vec![".".repeat(20); 20].join("/"));
    let new_object = NewObject { kind: Some(ObjectKind::Base), team: Some(Team::Blue) };
    let mut session = session_with(document, &[base(Team::Green, 8, 8)], new_object);
    session.play("down 4,4; up");
    assert_eq!(found(&session), [base(Team::Green, 15, 15), base(Team::Blue, 4, 4)]);
    session.play("down 4,4; move 6,5; up");
    assert_eq!(found(&session), [base(Team::Green, 13, 14), base(Team::Blue, 6, 5)]);
}

#[test]
fn what_moves_under_symmetry_brings_what_the_other_team_lacks() {
    let (blue, green) = (region(Team::Blue, [[2, 2], [6, 6]]), region(Team::Green, [[1, 15], [4, 19]]));
    let (moved, image) = (region(Team::Blue, [[4, 3], [8, 7]]), region(Team::Green, [[12, 13], [16, 17]]));
    for (kind, gesture, before, after) in [
        (ObjectKind::Base, "down 4,4; up", vec![base(Team::Blue, 8, 8)], vec![base(Team::Blue, 4, 4), base(Team::Green, 15, 15)]),
        (ObjectKind::SpawnRegion, "down 4,4; move 6,5; up", vec![blue.clone()], vec![moved.clone(), image]),
        // Which of what the other team has would be its image nobody knows.
        (ObjectKind::SpawnRegion, "down 4,4; move 6,5; up", vec![blue, green.clone()], vec![moved, green]),
    ] {
        let document = symmetric(SymmetryKind::Turn180, [20, 20], &vec![".".repeat(20); 20].join("/"));
        let mut session = session_with(document, &before, NewObject { kind: Some(kind), team: Some(Team::Blue) });
        session.play(gesture);
        assert_eq!(found(&session), after, "{before:?}");
    }
}
