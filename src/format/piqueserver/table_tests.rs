//! One script after the other, with what is read for each team and thing, and what an edit of one comes to.

use std::sync::Arc;

use super::*;
use crate::document::{Anchor, GameProfile, Team};
use crate::geom::{Region, VoxelPos};
use crate::voxel::Store;

/// The head of a function, or of two.
const SPAWN: &str = "def get_spawn_location(connection):\n";
const ENTITY: &str = "def get_entity_location(team, entity_id):\n";
const BLUE: &str = "connection.team is connection.protocol.blue_team";

fn opened(text: &str) -> Document {
    let mut document = Document::new(Store::new(Region::of_size(glam::IVec3::new(512, 512, 64))), &GameProfile::ACE_OF_SPADES);
    PiqueserverTxt.apply(text.as_bytes(), &mut document, &mut Report::new()).unwrap();
    document.mark_opened();
    document
}

/// What is read for every question, `?` where it is not understood, `-` where the server decides.
fn shown(text: &str) -> String {
    let answers = places::answers(&Script::new(text.as_bytes()));
    let one = |object: &Object| match object {
        Object::SpawnRegion { area, z, .. } => {
            let ([x0, y0], [x1, y1]) = (area.min(), area.max());
            format!("{x0}..{x1},{y0}..{y1},{z}")
        }
        Object::SpawnPoint { at, .. } => format!("{},{},{}", at.x, at.y, at.z),
        Object::Base { at: Anchor { x, y, z }, .. } | Object::Intel { at: Anchor { x, y, z }, .. } => {
            format!("{x},{y},{}", z.map_or("ground".into(), |z| z.to_string()))
        }
        _ => "?".into(),
    };
    let found = |key: &places::Key| {
        let answer = answers.all.iter().find(|answer| answer.key == *key)?;
        Some(match &answer.found {
            Found::Places(places) => places.iter().map(|place| one(&place.object)).collect::<Vec<_>>().join("+"),
            Found::Nothing => "-".into(),
            Found::Unclear(_) => "?".into(),
        })
    };
    places::Key::ALL.iter().filter_map(found).collect::<Vec<_>>().join(" ")
}

/// Reads a script, expects what it says, and moves what the first team has by (7, 5). `edits` are the changes of the text,
/// `None` where it is refused.
#[track_caller]
fn check(text: &str, expected: &str, edits: Option<&[(&str, &str)]>) {
    assert_eq!(shown(text), expected, "{text}");
    let mut document = opened(text);
    let objects = Arc::make_mut(&mut document.objects);
    for object in objects.0.values_mut().filter(|object| object.team() == Some(Team::Blue)) {
        *object = object.shifted(VoxelPos::new(7, 5, 0));
    }
    if *objects == *opened(text).objects {
        assert!(edits.is_none(), "nothing of Blue's is read: {text}");
        return;
    }
    let written = PiqueserverTxt.write(&document, Some(text.as_bytes()), &mut Report::new());
    match edits {
        None => assert!(matches!(written, Err(FormatError::ForeignScript { .. })), "{written:?}\n{text}"),
        Some(edits) => {
            let expected = edits.iter().fold(text.to_owned(), |text, (old, new)| text.replacen(old, new, 1));
            assert_eq!(String::from_utf8_lossy(&written.unwrap().unwrap()), expected);
        }
    }
}

/// A function for spawns with these lines, `B` for the test for Blue.
fn spawn(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!("{SPAWN}{}", lines.replace("B:", &format!("{BLUE}:")))
}

fn entity(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!("{ENTITY}{lines}")
}

#[test]
fn tests_for_a_team() {
    let two = "return randrange(10, 20), randrange(30, 40), 5";
    for (test, expected) in [
        (BLUE, "10..20,30..40,5 -"),
        ("connection.team.id == 0", "10..20,30..40,5 -"),
        ("not connection.team.id", "10..20,30..40,5 -"),
        ("connection.team == connection.protocol.teams[0]", "10..20,30..40,5 -"),
        ("connection.team.other is connection.protocol.green_team", "10..20,30..40,5 -"),
        ("connection.team in (connection.protocol.blue_team,)", "10..20,30..40,5 -"),
        ("connection.team is not connection.protocol.spectator_team", "10..20,30..40,5 10..20,30..40,5"),
        ("connection.team is connection.protocol.spectator_team", "- -"),
        ("connection.team is connection.protocol.blue_team and connection.kills > 3", "? -"),
        ("connection.team.score > 3", "? ?"),
        ("connection.team.name == 'Blue'", "? ?"),
        ("(t := connection.team) is connection.protocol.blue_team", "? ?"),
        ("connection.team.id < 1", "10..20,30..40,5 -"),
        ("0 <= connection.team.id < 1", "? ?"),
    ] {
        let text = spawn(&format!("if {test}:\n    {two}"));
        assert_eq!(shown(&text), expected, "{test}");
    }
}

#[test]
fn what_runs_after_what() {
    let blue = "x, y = randrange(10, 20), randrange(30, 40)";
    let green = "x, y = randrange(50, 60), randrange(70, 80)";
    let moved: &[(&str, &str)] = &[("10, 20", "17, 27"), ("30, 40", "35, 45")];
    // A plain test behind one that is not understood.
    check(&spawn(&format!("if B:\n    if night():\n        return 1, 2, 3\nif B:\n    {blue}\n    return x, y, 3")), "? -", None);
    // Something for both first.
    check(&spawn(&format!("{blue}\nif not {BLUE}:\n    {green}\nreturn x, y, 3")), "10..20,30..40,3 50..60,70..80,3", Some(moved));
    check(&spawn(&format!("if B:\n    {blue}\nelse:\n    {green}\nreturn x, y, 3")), "10..20,30..40,3 50..60,70..80,3", Some(moved));
    // Another number of one is the other's.
    check(&spawn(&format!("{blue}\nif not {BLUE}:\n    x = randrange(1, 2)\nreturn x, y, 3")), "10..20,30..40,3 1..2,30..40,3", None);
    check(&spawn(&format!("{blue}\nreturn x, y, 3")), "10..20,30..40,3 10..20,30..40,3", None);
    // Loops that try again.
    let again =
        format!("while True:\n    if B:\n        {blue}\n    else:\n        {green}\n    z = connection.protocol.map.get_z(x, y)\n");
    check(&spawn(&format!("{again}    if z < 62:\n        return x, y, z")), "10..20,30..40,0 50..60,70..80,0", Some(moved));
    check(&spawn(&format!("{again}    if x > 12:\n        return x, y, z")), "? ?", None);
    check(
        &spawn(&format!("{}    if z < 62:\n        break\nreturn x, y, z", again.replace("while True", "for _ in range(50)"))),
        "10..20,30..40,0 50..60,70..80,0",
        Some(moved),
    );
    check(
        &spawn(&format!("{}    if z < 62:\n        break\nreturn x, y, z", again.replace("while True", "for _ in range(n)"))),
        "? ?",
        None,
    );
    check(&spawn("x = 5\nwhile night():\n    x += 1\nreturn x, 6, 7"), "? ?", None);
    check(&spawn(&format!("try:\n    {blue}\nexcept IndexError:\n    return None\nreturn x, y, 3")), "? ?", None);
    check(&spawn(&format!("with lock:\n    {blue}\nreturn x, y, 3")), "? ?", None);
    check(&spawn(&format!("{blue}\nif night():\n    raise ValueError\nreturn x, y, 3")), "? ?", None);
    check(&spawn(&format!("{blue}\nif night():\n    return None\nreturn x, y, 3")), "? ?", None);
    check(&spawn(&format!("{blue}\nmatch y:\n    case x: pass\nreturn x, y, 3")), "? ?", None);
    check(&spawn(&format!("{blue}\ndel x\nreturn x, y, 3")), "? ?", None);
    check(&spawn("if B: return 1, 2, 3; return 4, 5, 6\nreturn None"), "1,2,3 -", Some(&[("1, 2", "8, 7")]));
    check(&spawn("if B:\n    return \\\n        1, 2, 3"), "1,2,3 -", Some(&[("1, 2", "8, 7")]));
    // Players of one name are nobody's team.
    let named = "if connection.name == 'bob':\n    return 1, 2, 3\nreturn 10, 20, 30";
    check(&format!("{}\n", spawn(named)), "10,20,30 10,20,30", None);
    check(&spawn(&format!("{}\n", named.replace("return 10", "if B: return 10"))), "10,20,30 -", Some(&[("10, 20", "17, 25")]));
}

#[test]
fn what_numbers_are() {
    check(&spawn("a = 3\nif B:\n    return a + 4, 10 - a, -5"), "7,7,-5 -", None);
    check(&spawn("if B:\n    x = -3\n    return(x), (9), 4 + 1"), "-3,9,5 -", Some(&[("x = -3", "x = 4"), ("(9)", "(14)")]));
    check(&spawn("if B:\n    return 511 - 100, 2, 3"), "411,2,3 -", Some(&[("511", "518"), ("2, 3", "7, 3")]));
    check(&spawn("x = randrange(10, 20)\nif B:\n    x = 511 - x\nreturn x, randrange(1, 2), 3"), "? 10..20,1..2,3", None);
    check(&spawn("x = randrange(1, 5)\nreturn x, x, 5"), "? ?", None);
    check(&spawn("return randrange(1, 5), randrange(5, 1), 5"), "? ?", None);
    check(&spawn("if B:\n    return randint(1, 4), randint(5, 8), 5"), "1..5,5..9,5 -", Some(&[("1, 4", "8, 11"), ("5, 8", "10, 13")]));
    check(&spawn("return randrange(1, 9, 2), randrange(1, 5), 5"), "? ?", None);
    check(&spawn("return 1, 2"), "? ?", None);
    check(&spawn("return 1, 2, 3, 4"), "? ?", None);
    check(&spawn("return [1, 2, 3] if connection.lucky() else (4, 5, 6)"), "? ?", None);
    check(&spawn(&format!("return (1, 2, 3) if {BLUE} else (4, 5, 6)")), "1,2,3 4,5,6", Some(&[("1, 2", "8, 7")]));
    // One literal for two coordinates.
    check(&spawn("if B:\n    x = y = 5\n    return x, y, 3"), "5,5,3 -", None);
    check(
        &spawn("x = 5\nx += 2\nif B:\n    return x, 6, connection.protocol.map.get_z(x, 6)"),
        "7..8,6..7,0 -",
        Some(&[("x = 5", "x = 12"), ("x, 6", "x, 11"), ("(x, 6)", "(x, 11)")]),
    );
    // Out of the map, and not touched.
    check(
        &spawn("if B:\n    return 1, 2, 3\nreturn randrange(-5, 10), randrange(20, 29), 5"),
        "1,2,3 -5..10,20..29,5",
        Some(&[("1, 2", "8, 7")]),
    );
}

#[test]
fn what_names_mean() {
    let both = spawn("if B:\n    return randrange(10, 20), randrange(30, 40), 5\nreturn random.choice([(1, 2, 3), (4, 5, 6)])");
    let read = "10..20,30..40,5 1,2,3+4,5,6";
    let moved: &[(&str, &str)] = &[("10, 20", "17, 27"), ("30, 40", "35, 45")];
    for (before, expected) in [
        ("import random\nfrom random import randrange\n", read),
        ("from random import *\nimport random\n", "10..20,30..40,5 ?"),
        ("def randrange(a, b):\n    return a\n", "? 1,2,3+4,5,6"),
        ("randrange = lambda a, b: a\n", "? 1,2,3+4,5,6"),
        ("from secrets import randrange\n", "? 1,2,3+4,5,6"),
        ("from random import choice as randrange\n", "? 1,2,3+4,5,6"),
        ("class random:\n    pass\n", "10..20,30..40,5 ?"),
        ("for randrange in []: pass\n", "? 1,2,3+4,5,6"),
        ("def f():\n    global randrange\n    randrange = 3\n", "? 1,2,3+4,5,6"),
        ("import random\nrandom.choice = len\n", "? ?"),
        ("from tricks import *\n", "? ?"),
        ("globals()['randrange'] = len\n", "? ?"),
        ("def f(c):\n    c.team = c.protocol.green_team\n", "? ?"),
        ("def f(randrange):\n    return randrange\n", read),
        ("from pyspades.constants import *\n", read),
        ("ｒandrange = len\n", "? ?"),
    ] {
        let text = format!("{before}{both}");
        assert_eq!(shown(&text), expected, "{before}");
        if expected == read {
            check(&text, expected, Some(moved));
        }
    }
    let import = spawn("from random import randrange as r\nif B:\n    return r(10, 20), r(30, 40), 5");
    check(&import, "10..20,30..40,5 -", Some(moved));
    check(&spawn("randrange = max\nreturn randrange(10, 20), 1, 5"), "? ?", None);
    check(&spawn("if B:\n    connection = connection.protocol\nreturn 1, 2, 3"), "1,2,3 1,2,3", None);
}

#[test]
fn what_the_function_is() {
    let text = spawn("if B:\n    return 1, 2, 3");
    check(&text, "1,2,3 -", Some(&[("1, 2", "8, 7")]));
    for (before, after) in [
        ("", "get_spawn_location = other\n"),
        ("", "del get_spawn_location\n"),
        ("", "get_spawn_location = wrap(get_spawn_location)\n"),
        ("", "def get_spawn_location(connection): return None\n"),
        ("", "get_spawn_location.x = 5\n"),
        ("", "if late:\n    def get_spawn_location(c): return None\n"),
        ("", "def f():\n    global get_spawn_location\n    get_spawn_location = None\n"),
        ("", "globals().update(get_spawn_location=None)\n"),
        ("@twist\n", ""),
        ("if True:\n  ", ""),
        ("async ", ""),
    ] {
        let text = format!("{before}{text}{after}");
        assert!(shown(&text).starts_with("? ?") || !before.is_empty() && shown(&text) == "? ?", "{text}");
        let mut report = Report::new();
        PiqueserverTxt.apply(text.as_bytes(), &mut opened(""), &mut report).unwrap();
        assert!(report.warnings.iter().any(|warning| warning.code == "custom-script"), "{text}");
    }
    check("get_spawn_location = lambda c: (1, 2, 3)\n", "? ?", None);
    check("class Map:\n    def get_spawn_location(self): return 1, 2, 3\n", "? ?", None);
    check("def get_spawn_location(connection, more): return 1, 2, 3\n", "? ?", None);
    check("def get_spawn_location(): return 1, 2, 3\n", "? ?", None);
    check("def get_spawn_location(*all): return 1, 2, 3\n", "? ?", None);
    check("def get_spawn_location(c):\n    yield 1, 2, 3\n", "? ?", None);
    check("def get_spawn_location(c):\n    def f(): return 1\n    return 1, 2, 3\n", "? ?", None);
    check("def f(c):\n    return c.get_spawn_location()\n", "", None);
    check("# get_spawn_location\n'get_entity_location'\n", "", None);
}

#[test]
fn what_lists_are() {
    let text = "spots = [(1, 2, 3), (4, 5, 6)]\ndef get_spawn_location(c):\n    if c.team is c.protocol.blue_team:\n        return random.choice(spots)\n";
    check(text, "1,2,3+4,5,6 -", Some(&[("(1, 2", "(8, 7"), ("(4, 5", "(11, 10")]));
    for (more, expected, is_moved) in [
        ("print(len(spots))\n", "1,2,3+4,5,6 -", false),
        ("def f(x, y, z):\n    for a, b, c in spots:\n        if a == x: return False\n", "1,2,3+4,5,6 -", false),
        ("def f(m):\n    spots.append((7, 8, 9))\n", "? -", false),
        ("for l in (spots, []):\n    l.append((7, 8, 9))\n", "? -", false),
        ("other = spots\n", "? -", false),
        ("spots += [(7, 8, 9)]\n", "? -", false),
        ("spots[0] = (7, 8, 9)\n", "? -", false),
        ("f(spots)\n", "? -", false),
        ("def f(l=spots): l.pop()\n", "? -", false),
        ("def f(): return spots\n", "? -", false),
        ("f = lambda: spots.pop()\n", "? -", false),
        ("def f():\n    global spots\n    spots = []\n", "? -", false),
        ("def f(m):\n    if 'spots' in m: pass\n", "1,2,3+4,5,6 -", true),
    ] {
        let text = format!("{text}{more}");
        assert_eq!(shown(&text), expected, "{more}");
        if expected != "? -" && !is_moved {
            check(&text, expected, None);
        }
    }
    let pairs = "spots = [(1, 2), (4, 5)]\ndef get_spawn_location(c):\n    if c.team is c.protocol.blue_team:\n        x, y = choice(spots)\n        return x, y, END\n";
    let moved: &[(&str, &str)] = &[("(1, 2", "(8, 7"), ("(4, 5", "(11, 10")];
    check(&pairs.replace("END", "c.protocol.map.get_z(x, y)"), "1..2,2..3,0+4..5,5..6,0 -", Some(moved));
    check(&pairs.replace("END", "30"), "1,2,30+4,5,30 -", Some(moved));
    check(&pairs.replace("END", "choice(spots)[0]"), "? -", None);
    check(&pairs.replace("x, y = choice", "x, y, z = choice").replace("END", "z"), "? -", None);
    check(&pairs.replace("[(1, 2)", "[[1, 2]").replace("END", "30"), "1,2,30+4,5,30 -", Some(&[("[1, 2", "[8, 7"), ("(4, 5", "(11, 10")]));
    let odd = "spots = [[1, 2, 3]]\ndef get_spawn_location(c):\n    p = choice(spots)\n    p[0] += 1\n    return p\n";
    check(odd, "? ?", None);
    // A list of its own.
    check(&spawn("l = [(1, 2, 3)]\nl.append((4, 5, 6))\nif B:\n    return choice(l)"), "? -", None);
    check(&spawn("l = [(1, 2, 3)]\nif B:\n    return choice(l)"), "1,2,3 -", Some(&[("(1, 2", "(8, 7")]));
    check(&spawn("l = [(1, 2, 3)]\nconnection.shuffle(l)\nif B:\n    return choice(l)"), "? -", None);
    // The same list for a spawn and a base.
    let shared = format!(
        "at = [(1, 2, 3)]\n{}{}",
        spawn("if B:\n    return choice(at)"),
        entity("if entity_id == 3:\n    x, y, z = at[0]\n    return x, y, z")
    );
    check(&shared, "1,2,3 - - - - 1,2,3", None);
}

#[test]
fn things_by_number_and_by_name() {
    check(
        &entity("if entity_id == 0: return 1, 2, 3\nif entity_id == GREEN_FLAG: return 4, 5, 6\nif 2 == entity_id: return 7, 8, 9"),
        "1,2,3 4,5,6 7,8,9 -",
        Some(&[("1, 2", "8, 7"), ("7, 8", "14, 13")]),
    );
    check(&entity("entity_id = 3 - entity_id\nif entity_id == BLUE_BASE: return 1, 2, 3"), "- 1,2,3 - -", None);
    check(&format!("BLUE_BASE = 7\n{}", entity("if entity_id == BLUE_BASE: return 1, 2, 3")), "- - - -", None);
    check(&entity("if team.id == 0 and entity_id in (0, 2): return 1, 2, 3"), "1,2,3 - 1,2,3 -", None);
    check(
        &entity("x, y, z = 10, 20, 30\nif entity_id == GREEN_BASE:\n    x = 400\nif entity_id == BLUE_FLAG:\n    y = 44\nreturn x, y, z"),
        "10,44,30 10,20,30 10,20,30 400,20,30",
        None,
    );
    check(
        &entity("if entity_id == 2:\n    return 5, 6, team.protocol.map.get_z(5, 6)"),
        "- - 5,6,ground -",
        Some(&[("5, 6", "12, 11"), ("(5, 6", "(12, 11")]),
    );
    check(&entity("if entity_id == 2:\n    return 5, 6, height(5, 6)"), "- - ? -", None);
    check(&entity("return {2: (1, 2, 3)}.get(entity_id)"), "? ? ? ?", None);
    check(&entity("match entity_id:\n    case 2: return 1, 2, 3"), "? ? ? ?", None);
    check(
        "def get_entity_location(team, entity_id, more=5):\n    if entity_id == 2: return 1, 2, 3\n",
        "- - 1,2,3 -",
        Some(&[("1, 2", "8, 7")]),
    );
}

#[test]
fn refusals_name_the_team_the_line_and_what_to_write() {
    let text = spawn("z = 9\nif B:\n    return 1, 2, z\nreturn 4, 5, z");
    let mut document = opened(&text);
    for object in Arc::make_mut(&mut document.objects).0.values_mut().filter(|object| object.team() == Some(Team::Green)) {
        *object = object.shifted(VoxelPos::new(0, 0, 1));
    }
    let refused = PiqueserverTxt.write(&document, Some(text.as_bytes()), &mut Report::new()).unwrap_err().to_string();
    assert_eq!(
        refused,
        "line 2: where Green spawns is set by code that Spadework does not change; what it was to say: return (4, 5, 10) \
         (a number there also says where Blue spawns; write it there by hand)"
    );
}

#[test]
fn hostile_text_neither_panics_nor_takes_long() {
    let deep = |part: &str| format!("{SPAWN}    return {}\n", part.repeat(20_000));
    let many = |line: &str| format!("{SPAWN}{}    return x, x, x\n", line.repeat(2_000));
    for text in [
        deep("("),
        deep("not "),
        deep("-"),
        deep("a if b else "),
        deep("x + "),
        deep("f(1)."),
        deep("f(1)(2)"),
        deep("x["),
        deep("lambda: "),
        many("    if f(): x = 1\n"),
        many("    x = x, x\n"),
        many("    x = y + 1; y = x + 1\n"),
        many("    while f():\n        x = 1\n"),
        format!("{SPAWN}{}", (1..2000).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect::<String>()),
        format!("{SPAWN}    if a: pass\n{}", "    elif b: return 1, 2, 3\n".repeat(20_000)),
        "@a\n".repeat(20_000) + SPAWN,
    ] {
        shown(&text);
    }
}
