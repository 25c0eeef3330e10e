//! What is read out of functions, and what is not: the server runs them, we only look.

use std::sync::Arc;

use super::*;
use crate::document::{Anchor, GameProfile, Objects, Team};
use crate::geom::{ColumnRect, Region};
use crate::voxel::Store;

fn opened(text: &str) -> (Document, Report) {
    let mut document = Document::new(Store::new(Region::of_size(glam::IVec3::new(512, 512, 64))), &GameProfile::ACE_OF_SPADES);
    let mut report = Report::new();
    PiqueserverTxt.apply(text.as_bytes(), &mut document, &mut report).unwrap();
    document.mark_opened();
    (document, report)
}

fn region(team: Team, min: [i32; 2], max: [i32; 2], z: i32) -> Object {
    Object::SpawnRegion { team, area: ColumnRect::new(min, max), z }
}

/// `get_spawn_location` with these lines.
fn spawn(lines: &[&str]) -> String {
    format!("def get_spawn_location(connection):\n    {}\n", lines.join("\n    "))
}

fn read(text: &str) -> Vec<Object> {
    opened(text).0.objects.iter().map(|(_, object)| object.clone()).collect()
}

/// Opens `text`, puts `new` in the place of the object with the same name and expects `expected`.
#[track_caller]
fn check_move(text: &str, new: Object, expected: &str) {
    let (mut document, _) = opened(text);
    let objects: &mut Objects = Arc::make_mut(&mut document.objects);
    let old = objects.0.values_mut().find(|object| object.label() == new.label()).expect("the object is in the file");
    *old = new;
    let written = PiqueserverTxt.write(&document, Some(text.as_bytes()), &mut Report::new()).unwrap().unwrap();
    assert_eq!(String::from_utf8_lossy(&written), expected);
}

#[test]
fn a_rectangle_is_read_by_what_is_returned_and_not_by_the_order_of_lines() {
    let text = spawn(&[
        "if connection.team is connection.protocol.blue_team:",
        "    y = random.randrange(100, 200)",
        "    x = random.randrange(10, 50)",
        "    return (x, y, 20)",
        "x, y = random.randint(300, 309), randrange(5, 9)",
        "return x, y, connection.protocol.map.get_z(x, y)",
    ]);
    assert_eq!(read(&text), [region(Team::Blue, [10, 100], [50, 200], 20), region(Team::Green, [300, 5], [310, 9], 0)]);
    check_move(
        &text,
        region(Team::Blue, [11, 101], [51, 201], 21),
        &text.replace("(100, 200)", "(101, 201)").replace("(10, 50)", "(11, 51)").replace("y, 20)", "y, 21)"),
    );
    check_move(&text, region(Team::Green, [300, 5], [320, 9], 0), &text.replace("(300, 309)", "(300, 319)"));
}

#[test]
fn tests_are_read_with_their_meaning() {
    let body = ["    x = randrange(1, 2)", "    y = randrange(3, 4)", "    return x, y, 5"];
    let blue = [region(Team::Blue, [1, 3], [2, 4], 5)];
    let green = [region(Team::Green, [1, 3], [2, 4], 5)];
    for (test, expected) in [
        ("connection.team is connection.protocol.blue_team", &blue[..]),
        ("connection.protocol.blue_team == team", &blue),
        ("(self.team is protocol.blue_team)", &blue),
        ("connection.team is not connection.protocol.blue_team", &green),
        ("not connection.team is blue_team", &green),
        ("connection.team != connection.protocol.blue_team", &green),
        ("connection.team is blue_team and lucky()", &[]),
        ("connection.team is blue_team or lucky()", &blue),
        ("connection.team is blue_team and True", &blue),
        ("connection.name is connection.protocol.blue_team", &[]),
        ("connection.team.is_on(blue_team)", &[]),
    ] {
        let head = format!("if {test}:");
        let lines = [&[&*head], &body[..]].concat();
        assert_eq!(read(&spawn(&lines)), expected, "{test}");
    }
}

#[test]
fn else_is_the_other_team_and_the_tail_is_for_both() {
    let text = spawn(&[
        "if connection.team is connection.protocol.green_team:",
        "    x = randrange(100, 200)",
        "    y = randrange(10, 50)",
        "else:",
        "    x = randrange(300, 400)",
        "    y = randrange(20, 60)",
        "x += 0.5",
        "return (x, y, connection.protocol.map.get_z(x, y))",
    ]);
    let [green, blue] = [region(Team::Green, [100, 10], [200, 50], 0), region(Team::Blue, [300, 20], [400, 60], 0)];
    assert_eq!(read(&text), [green, blue]);
    // An offset of blocks is no correction, and a tail that swaps the axes is not followed wrongly.
    assert_eq!(read(&text.replace("x += 0.5", "x += 50")), []);
    // The ground of another column is not where they stand.
    assert_eq!(read(&text.replace("return (x, y,", "return (y, x,")), []);
    let swapped = read(&text.replace("return (x, y,", "return (y, x,").replace("get_z(x, y)", "get_z(y, x)"));
    assert_eq!(swapped.first(), Some(&region(Team::Green, [10, 100], [50, 200], 0)));
}

#[test]
fn what_is_calculated_is_not_read_and_that_is_told() {
    let text = |x: &str| {
        spawn(&[
            "if connection.team is connection.protocol.blue_team:",
            &format!("    x = {x}"),
            "    return x, randrange(1, 2), 5",
            "elif connection.team is connection.protocol.green_team:",
            "    return randrange(5, 6), randrange(7, 8), 9",
        ])
    };
    let green = region(Team::Green, [5, 7], [6, 8], 9);
    for odd in [
        "randrange(300, 310) + 100",
        "2 * randrange(3, 4)",
        "randrange(3)",
        "randrange(a(), 4)",
        "min(randrange(3, 4), 5)",
        "randrange(4, 3)",
    ] {
        let (document, report) = opened(&text(odd));
        let objects: Vec<Object> = document.objects.iter().map(|(_, object)| object.clone()).collect();
        assert_eq!(objects, std::slice::from_ref(&green), "{odd}");
        let told: Vec<&str> = report.warnings.iter().map(|warning| &*warning.message).collect();
        assert!(told.len() == 1 && told[0].starts_with("where Blue spawns is set by code that"), "{told:?}");
    }
    assert_eq!(opened(&text("randrange(3, 4)")).1.warnings.len(), 0);
}

#[test]
fn blocks_that_may_not_run_are_not_read() {
    let body = ["x = randrange(1, 2)", "y = randrange(3, 4)", "return x, y, 5"].map(|line| format!("        {line}")).join("\n");
    for around in ["if night:", "for i in range(n):", "try:", "with lock:", "while night:"] {
        let text = format!("def get_spawn_location(connection):\n    if connection.team is blue_team:\n      {around}\n{body}\n");
        assert_eq!(read(&text), [], "{around}");
        let text = format!("def get_spawn_location(connection):\n  {around}\n    if connection.team is blue_team:\n{body}\n");
        assert_eq!(read(&text), [], "{around}");
    }
}

#[test]
fn later_questions_are_answered_for_the_same_team() {
    let text = spawn(&[
        "if connection.team is connection.protocol.blue_team:",
        "    x, y = randrange(1, 2), randrange(3, 4)",
        "if connection.team is connection.protocol.green_team:",
        "    x, y = randrange(5, 6), randrange(7, 8)",
        "return x, y, 9",
    ]);
    let both = [region(Team::Blue, [1, 3], [2, 4], 9), region(Team::Green, [5, 7], [6, 8], 9)];
    assert_eq!(read(&text), both);
    check_move(&text, region(Team::Blue, [2, 3], [3, 4], 9), &text.replace("(1, 2)", "(2, 3)"));
    // What may change a place makes it unknown.
    assert_eq!(read(&text.replace("    return x", "    if night:\n        x = 9\n    return x")), []);
    let entity = |name: &str, x: i32| format!("    if entity_id == {name}:\n        x, y, z = {x}, 2, 3\n");
    let all = ["BLUE_FLAG", "BLUE_BASE", "GREEN_FLAG", "GREEN_BASE"];
    let arms: String = all.iter().zip(1..).map(|(name, x)| entity(name, x)).collect();
    let found = read(&format!("def get_entity_location(team, entity_id):\n{arms}    return (x, y, z)\n"));
    let mut columns: Vec<i32> = found.iter().map(|object| object.area().min()[0]).collect();
    columns.sort_unstable();
    assert_eq!(columns, [1, 2, 3, 4]);
}

#[test]
fn a_list_that_is_used_twice_is_read_and_not_changed() {
    let text = "places = [(1, 2, 3)]\ndef get_spawn_location(c):\n    if c.team is c.protocol.green_team:\n        return choice(places)\n    \
                x, y, z = choice(places)\n    return x + 100, y, z\n";
    let point = |x| Object::SpawnPoint { team: Team::Green, at: crate::geom::VoxelPos::new(x, 2, 3) };
    assert_eq!(read(text), [point(1)]);
    let (mut document, _) = opened(text);
    Arc::make_mut(&mut document.objects).0.values_mut().for_each(|object| *object = point(5));
    let refused = PiqueserverTxt.write(&document, Some(text.as_bytes()), &mut Report::new());
    assert!(matches!(refused, Err(FormatError::ForeignScript { .. })), "{refused:?}");
}

#[test]
fn points_are_read_where_the_choice_is_what_is_returned() {
    let list = "places = [(1, 2, 3), (4, 5, 6)]\n";
    let point = |x, y, z| Object::SpawnPoint { team: Team::Blue, at: crate::geom::VoxelPos::new(x, y, z) };
    for (ending, expected) in [
        ("return random.choice(places)", &[point(1, 2, 3), point(4, 5, 6)][..]),
        ("x, y, z = choice(places)\n        return x, y, z", &[point(1, 2, 3), point(4, 5, 6)]),
        ("x, y, z = choice(places)\n        return y, x, z", &[]),
        ("x, y, z = choice(places)\n        x = 9\n        return x, y, z", &[]),
        ("return choice(places)[0]", &[]),
        ("a = 7\n        return choice([(a, 8, 9)])", &[point(7, 8, 9)]),
    ] {
        let text = format!("{list}def get_spawn_location(c):\n    if c.team is c.protocol.blue_team:\n        {ending}\n");
        assert_eq!(read(&text), expected, "{ending}");
    }
}

#[test]
fn the_ground_is_looked_for_where_the_base_went() {
    let base = |x, y| Object::Base { team: Team::Green, at: Anchor { x, y, z: None } };
    let text = "def get_entity_location(team, entity_id):\n    if entity_id == GREEN_BASE:\n        z = team.protocol.map.get_z (449, 255)\n        \
                return (449, 255, z)\n";
    assert_eq!(read(text), [base(449, 255)]);
    check_move(text, base(400, 240), &text.replace("449", "400").replace("255", "240"));
    let inline = "def get_entity_location(team, entity_id):\n    if GREEN_BASE == entity_id: return 1, 2, team.protocol.map.get_z(1, 2)\n";
    check_move(inline, base(3, 4), &inline.replace("1, 2", "3, 4"));
    // The ground of another column is what the author wanted.
    let other = text.replace("(449, 255)\n", "(42, 257)\n");
    check_move(&other, base(400, 240), &other.replace("449, 255, z", "400, 240, z"));
}

#[test]
fn things_that_are_not_read_are_told_by_name() {
    let text = "from pyspades.constants import *\ndef get_entity_location(team, entity_id):\n    if entity_id == BLUE_FLAG:\n        return (100 * 5, 200, 3)\n    \
                if entity_id == BLUE_BASE:\n        return (1, 2, 60 - 1)\n    if entity_id != GREEN_BASE:\n        return (5, 6, 7)\n";
    let (document, report) = opened(text);
    let objects: Vec<Object> = document.objects.iter().map(|(_, object)| object.clone()).collect();
    let base = Object::Base { team: Team::Blue, at: Anchor { x: 1, y: 2, z: Some(59) } };
    let intel = Object::Intel { team: Team::Green, at: Anchor { x: 5, y: 6, z: Some(7) } };
    assert_eq!(objects, [base, intel]);
    // Green's base is left to the server: that is understood.
    let told: Vec<&str> = report.warnings.iter().filter_map(|warning| warning.message.split(" is ").next()).collect();
    assert_eq!(told, ["where Blue's intel stands"]);
}
