//! Texts that Python takes and nobody expects: what is read of them, what an edit changes, and what is refused.

use std::sync::Arc;

use super::*;
use crate::document::{GameProfile, Metadata};
use crate::geom::{Region, VoxelPos};
use crate::voxel::{Rgb, Store};

fn opened(text: &str) -> (Document, Report) {
    let mut document = Document::new(Store::new(Region::of_size(glam::IVec3::new(512, 512, 64))), &GameProfile::ACE_OF_SPADES);
    let mut report = Report::new();
    PiqueserverTxt.apply(text.as_bytes(), &mut document, &mut report).unwrap();
    document.mark_opened();
    (document, report)
}

fn written(document: &Document, text: &str) -> Result<String, FormatError> {
    let new = PiqueserverTxt.write(document, Some(text.as_bytes()), &mut Report::new())?;
    Ok(String::from_utf8(new.unwrap()).unwrap())
}

/// Changes properties of `text`, and expects these changes of it.
#[track_caller]
fn check_property(text: &str, edit: impl FnOnce(&mut Metadata), changes: &[(&str, &str)]) {
    let (mut document, _) = opened(text);
    edit(Arc::make_mut(&mut document.metadata));
    let expected = changes.iter().fold(text.to_owned(), |text, (old, new)| text.replacen(old, new, 1));
    assert_eq!(written(&document, text).unwrap(), expected);
}

/// Moves every object of `text` by `by`, and expects these changes of it; `None` where it is refused.
#[track_caller]
fn check_move(text: &str, by: [i32; 3], changes: Option<&[(&str, &str)]>) {
    let (mut document, report) = opened(text);
    assert!(document.objects.iter().next().is_some(), "{report:?}\n{text}");
    for object in Arc::make_mut(&mut document.objects).0.values_mut() {
        *object = object.shifted(VoxelPos::from_array(by));
    }
    match (written(&document, text), changes) {
        (Ok(new), Some(changes)) => {
            assert_eq!(new, changes.iter().fold(text.to_owned(), |text, (old, new)| text.replacen(old, new, 1)));
        }
        (Err(FormatError::ForeignScript { .. }), None) => {}
        (other, _) => panic!("{other:?}\n{text}"),
    }
}

/// `get_spawn_location` of Blue with these lines.
fn blue(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("        {line}\n")).collect();
    format!("def get_spawn_location(c):\n    if c.team is c.protocol.blue_team:\n{lines}")
}

#[test]
fn numbers_are_what_the_server_makes_of_them() {
    for (typed, text) in [
        ("1.10", "1.1"),
        ("1.00", "1.0"),
        ("2.", "2.0"),
        (".5", "0.5"),
        ("1e3", "1000.0"),
        ("1e16", "1e+16"),
        ("1.5e-7", "1.5e-07"),
        ("0x10", "16"),
        ("1_000", "1000"),
        ("(1.50)", "1.5"),
        ("11", "11"),
    ] {
        let script = format!("version = {typed}\n");
        let (document, _) = opened(&script);
        assert_eq!(document.metadata.version.as_deref(), Some(text), "{typed}");
        assert_eq!(written(&document, &script).unwrap(), script);
    }
}

#[test]
fn what_else_changes_with_a_property_is_told() {
    let told = |text: &str| {
        let (mut document, _) = opened(text);
        Arc::make_mut(&mut document.metadata).name = Some("B".into());
        let mut report = Report::new();
        PiqueserverTxt.write(&document, Some(text.as_bytes()), &mut report).unwrap();
        report.warnings.iter().filter(|warning| warning.code == "used-elsewhere").map(|warning| warning.line).collect::<Vec<_>>()
    };
    assert_eq!(told("name = 'A'\ndescription = 'Welcome to ' + name\n"), [Some(2)]);
    assert_eq!(told("name = 'A'\nx = map_info.name  # name\ny = 'name'\n"), []);
    assert_eq!(told("name = 'A'\ndef f():\n    name = 'local'\n    return name + '!'\n"), []);
    assert_eq!(told("name = 'A'\ndef f(p, name):\n    return name\nf(1, name = 'x')\n"), []);
    assert_eq!(told("name = 'A'\ndef f():\n    return name\n"), [Some(3)]);
    assert_eq!(told("name = 'A'\ndef f():\n    return name == 'A'\n"), [Some(3)]);
    assert_eq!(told("name = 'A'\ndef f(p = name):\n    pass\n"), [Some(2)]);
}

#[test]
fn comments_in_and_around_a_value_stay() {
    let name = |metadata: &mut Metadata| metadata.name = Some("b".into());
    check_property("name = (  # the name\n    'a'  # note\n)\n", name, &[("'a'", "'b'")]);
    check_property("name = ('a'  # one\n  'x' # two\n)\n", name, &[("'a'", "'b'"), ("'x'", "")]);
    check_property("name = (('a'))\n", name, &[("(('a'))", "'b'")]);
    check_property("fog = ( # dark\n 1, # red\n 2, 3)\n", |metadata| metadata.fog = Some(Rgb::new(9, 2, 7)), &[("1,", "9,"), ("3)", "7)")]);
    let text = "protected = (  # sectors\n  ['B2'] # list\n)\n";
    check_property(text, |metadata| metadata.protected = ["A1".parse().unwrap()].into(), &[("B2", "A1")]);
    // The parentheses are no part of a value.
    assert_eq!(opened("version = (1)\n").0.metadata.version.as_deref(), Some("1"));
    let point = "return (10  # ten\n    ), (20), (\n    30 # z\n    )";
    check_move(&blue(point), [1, 1, 1], Some(&[("(10", "(11"), ("(20", "(21"), (" 30", " 31")]));
    check_move(&blue("return -(  # less\n    10), 20, 30"), [1, 1, 1], None);
}

#[test]
fn an_edit_never_changes_the_encoding_of_a_file() {
    let text = "name = 'a'\n# coding: cp1251\nauthor = 'b'\n";
    let (mut document, _) = opened(text);
    Arc::make_mut(&mut document.metadata).name = None;
    assert!(matches!(written(&document, text), Err(FormatError::ForeignScript { .. })));
    let letter = |metadata: &mut Metadata| metadata.author = Some("\u{e9}".into());
    check_property(text, letter, &[("'b'", "'\u{e9}'")]);
    check_property(" # coding: latin-1\nauthor = 'b'\n", letter, &[("'b'", "'\\xe9'")]);
}

#[test]
fn a_form_feed_begins_a_line_anew() {
    let text = "name = 'a'\n\x0cauthor = 'me'\n  \x0cversion = '1'\n\x0c  \n\x0cdef f():\n    pass\n";
    let report = opened(text).1;
    assert!(report.warnings.is_empty(), "{report:?}");
    check_property(text, |metadata| metadata.author = Some("you".into()), &[("'me'", "'you'")]);
    check_property(text, |metadata| metadata.version = Some("2".into()), &[("'1'", "'2'")]);
    // Blanks after it are an indentation.
    let text = "if True:\n\x0c    author = 'me'\n";
    let mut document = opened(text).0;
    assert_eq!(document.metadata.author, None);
    Arc::make_mut(&mut document.metadata).author = Some("you".into());
    assert!(matches!(written(&document, text), Err(FormatError::ForeignScript { .. })));
}

#[test]
fn a_backslash_joins_lines() {
    let name = |metadata: &mut Metadata| metadata.name = Some("b".into());
    for text in ["name \\\n = 'a'\n", "name = \\\r\n'a'\r\nfog = 1\r\n", "name\\\n=\\\n'a'\n", "name = 'x'\nname \\\n = 'a'\n"] {
        check_property(text, name, &[("'a'", "'b'")]);
    }
    check_property("author = 'c'; name \\\n = 'a'\n", name, &[("'a'", "'b'")]);
    // A new line goes behind what is joined.
    check_property("name \\\n = 'a'\nx = 1\n", |metadata| metadata.cap_limit = Some(3), &[("x = 1", "cap_limit = 3\nx = 1")]);
    for text in ["name = \\\n  other\n", "author = 'a' + \\\nname = 'x'\n", "\\\nname = 'a'\n", "name = 'a' \\\n\n"] {
        let (mut document, _) = opened(text);
        assert_eq!(document.metadata.name, None, "{text}");
        name(Arc::make_mut(&mut document.metadata));
        assert!(matches!(written(&document, text), Err(FormatError::ForeignScript { .. })), "{text}");
    }
    check_move(&format!("pts \\\n = [(1, 2, 3)]\n{}", blue("return random.choice(pts)")), [1, 0, 0], Some(&[("(1,", "(2,")]));
}

#[test]
fn a_number_that_other_code_uses_too_is_not_changed() {
    for lines in [
        "c.protocol.mine = X\nreturn X, 20, 30",
        "x, y = 100, 200\nc.protocol.map.remove_point(x, y, 5)\nreturn x, y, 30",
        "x, y = 100, 200\nc.grenades = x\nreturn x, y, 30",
        "x, y = 100, 200\nc.protocol.seen[x] = 1\nreturn x, y, 30",
        "global last\nx, y = 100, 200\nlast = x\nreturn x, y, 30",
        "x, y = 100, 200\nc.send_chat('at %d' % x)\nreturn x, y, 30",
        "x, y = 100, 200\nc.send_chat(f'at {x}')\nreturn x, y, 30",
        "x, y = 100, 200\nif x > 50:\n    c.warn()\nreturn x, y, 30",
        "x, y = 100, 200\nfor i in range(x):\n    c.warn()\nreturn x, y, 30",
        "x, y = 100, 200\na = 3 if x > 5 else 4\nc.speed = a\nreturn x, y, 30",
        "x, y = 100, 200\nif c.lucky and x > 5:\n    c.warn()\nreturn x, y, 30",
        "x, y = random.choice([(100, 200), (10, 20)])\nc.grenades = x\nreturn x, y, 30",
    ] {
        check_move(&format!("X = 100\n{}", blue(lines)), [1, 1, 0], None);
    }
    let moved: &[(&str, &str)] = &[("100, 200", "101, 201")];
    for lines in [
        "x, y = 100, 200\nc.grenades = 5\nreturn x, y, 30",
        "x, y = 100, 200\nif c.protocol.map.get_solid(x, y, 30):\n    c.warn()\nreturn x, y, 30",
        "x, y = 100, 200\nz = 30\nif c.protocol.map.get_z(x, y) <= z:\n    return x, y, z\nreturn x, y, c.protocol.map.get_z(x, y)",
        "x, y = 100, 200\nx = max(x, 0) and x\nx, y = 100, 200\nreturn x, y, 30",
    ] {
        let text = blue(lines);
        let last = text.rmatch_indices("100, 200").next().map_or(0, |(at, _)| at);
        let text = format!("{}{}", text[..last].replace("100, 200", "1, 2"), &text[last..]);
        check_move(&text, [1, 1, 0], Some(moved));
    }
    let thing =
        "def get_entity_location(team, entity_id):\n    if entity_id == 0:\n        x = 5\n        team.size = x\n        return x, 6, 7\n";
    check_move(thing, [1, 0, 0], None);
    check_move(thing, [0, 1, 0], Some(&[("6, 7", "7, 7")]));
}

#[test]
fn a_height_outside_the_map_stays_where_only_the_column_moves() {
    for (z, lines) in [
        (-5, "return 10, 20, -5"),
        (70, "return 10, 20, 70"),
        (-2, "return random.randrange(10, 12), random.randrange(20, 22), -2"),
        (80, "return random.choice([(10, 20, 80), (30, 40, 7)])"),
    ] {
        let text = blue(lines);
        let (mut document, _) = opened(&text);
        for object in Arc::make_mut(&mut document.objects).0.values_mut() {
            *object = object.shifted(VoxelPos::new(1, 0, 0));
        }
        let new = written(&document, &text).unwrap();
        assert!(new.contains(&format!("{z}")) && new != text, "{new}");
        assert_eq!(opened(&new).0.objects, document.objects, "{new}");
    }
    // Where it was asked for, the map has an end.
    check_move(&blue("return 10, 20, 60"), [0, 0, 9], Some(&[("60", "63")]));
    // A point that comes to a list leaves the others alone.
    let text = blue("return random.choice([(10, 20, 80), (30, 40, 7)])");
    let (mut document, _) = opened(&text);
    Arc::make_mut(&mut document.objects).push(Object::SpawnPoint { team: crate::document::Team::Blue, at: VoxelPos::new(5, 6, 7) });
    assert_eq!(written(&document, &text).unwrap(), text.replace("(30, 40, 7)", "(30, 40, 7), (5, 6, 7)"));
    let ours = "spawn_regions_blue = [(1, 2, 3, 4, 90)]\n";
    let whole = format!("{ours}spawn_regions_green = []\n{}", Group::Spawns.code());
    let (mut document, _) = opened(&whole);
    for object in Arc::make_mut(&mut document.objects).0.values_mut() {
        *object = object.shifted(VoxelPos::new(1, 0, 0));
    }
    assert_eq!(written(&document, &whole).unwrap(), whole.replace("(1, 2, 3, 4, 90)", "(2, 2, 4, 4, 90)"));
}

/// How many objects are read.
fn count(text: &str) -> usize {
    opened(text).0.objects.iter().count()
}

#[test]
fn a_list_that_is_changed_under_another_name_is_not_read() {
    for lines in [
        "l = [1, 2, 3]\np = l\nq = p.sort\nq()\nreturn l",
        "l = [1, 2, 3]\nf = [l.reverse]\nf[0]()\nreturn l",
        "l = [1, 2, 3]\np = l\nfor p[0] in [7]: pass\nreturn l",
        "l = [1, 2, 3]\np = l\nfor p[0], q in [(7, 8)]: pass\nreturn l",
        "l = [1, 2, 3]\nfor i in range(3):\n    for c.x, l[0] in [(7, 8)]: pass\nreturn l",
    ] {
        assert_eq!(count(&blue(lines)), 0, "{lines}");
    }
    let whole = |points: &str, after: &str| format!("pts = {points}\n{}{after}", blue("x, y, z = random.choice(pts)\nreturn x, y, z"));
    for after in [
        "max(pts, []).append((7, 8, 9))\n",
        "def g(): return max(pts, [])\ng().append((7, 8, 9))\n",
        "a = min(pts, [])\na.append((7, 8, 9))\n",
        "def f(len):\n    len(pts)\n",
        "def f(c):\n    len = c.spoil\n    len(pts)\n",
        "def f(c):\n    from tricks import len\n    len(pts)\n",
        "def f(c):\n    def len(l): l.append((7, 8, 9))\n    len(pts)\n",
    ] {
        assert_eq!(count(&whole("[(1, 2, 3)]", after)), 0, "{after}");
    }
    for after in ["def g(): return random.choice(pts)\ng()[0] = 5\n", "def g(): return max(pts)\ng()[0] = 5\n"] {
        assert_eq!(count(&whole("[[1, 2, 3]]", after)), 0, "{after}");
    }
    for after in
        ["", "print(len(pts))\n", "def f(c):\n    import random\n    return str(random.choice(pts))\n", "def get_z(x, y): return 3\n"]
    {
        assert_eq!(count(&whole("[(1, 2, 3)]", after)), 1, "{after}");
    }
}

#[test]
fn what_is_taken_from_another_module_later_is_another_thing() {
    let thing = "def get_entity_location(team, entity_id):\n    if entity_id == BLUE_FLAG: return 1, 2, 3\n";
    assert_eq!(count(&format!("from pyspades.constants import *\nBLUE_FLAG = 3\n{thing}")), 1);
    assert_eq!(count(&format!("BLUE_FLAG = 3\nfrom pyspades.constants import *\n{thing}")), 0);
}

#[test]
fn a_value_that_anything_may_change_is_no_plain_one() {
    let text = "name = 'A'\nversion = '1'\nfog = [1, 2, 3]\nprotected = ['B2']\n";
    let read = |text: &str| {
        let (document, report) = opened(text);
        let metadata = &document.metadata;
        let told = report.warnings.iter().filter(|warning| warning.code == "not-a-literal").count();
        (metadata.name.is_some(), metadata.fog.is_some(), !metadata.protected.is_empty(), told)
    };
    for (after, expected) in [
        ("p = protected\np.append('C3')\n", (true, true, false, 1)),
        ("p = protected\np.reverse()\n", (true, true, false, 1)),
        ("def f(p, m):\n    fog.sort()\n", (true, false, true, 1)),
        ("for fog[0] in [9]: pass\n", (true, false, true, 1)),
        ("def f():\n    for fog[0] in [9]: pass\n", (true, false, true, 1)),
        ("def g(): return fog\ng()[0] = 9\n", (true, false, true, 1)),
        ("def f(p, m):\n    p.guard(protected)\n", (true, true, false, 1)),
        ("list.append(fog, 5)\n", (true, false, true, 1)),
        ("(fog or 2).append(5)\n", (true, false, true, 1)),
        ("match 5:\n    case name: pass\n", (false, true, true, 1)),
        ("x = f'{(name := 5)}'\n", (false, true, true, 1)),
        ("def f(p, m):\n    p.map_info.name = 'B'\n", (false, true, true, 1)),
        ("def f(p, m):\n    info = p.map_info\n    info.name = 'B'\n", (false, true, true, 1)),
        ("def f(p, m):\n    p.map_info.protected.append('C3')\n", (true, true, false, 1)),
        ("from tricks import *\n", (false, false, false, 1)),
        ("if True:\n    from tricks import *\n", (false, false, false, 1)),
        ("from pyspades.server import *\n", (false, false, false, 1)),
        ("exec(\"name = 'B'\")\n", (false, false, false, 1)),
        ("def f(p, m):\n    exec('name = 5', globals())\n", (false, false, false, 1)),
        ("locals()['name'] = 'B'\n", (false, false, false, 1)),
        ("globals().update(name='B')\n", (false, false, false, 1)),
        ("vars().update(name='B')\n", (false, false, false, 1)),
        ("import sys\nsetattr(sys.modules[__name__], 'name', 'B')\n", (false, false, false, 1)),
        ("\u{ff4e}ame = 'B'\n", (false, false, false, 1)),
        // And what changes none of them.
        ("print(fog, name)\nx = len(protected)\ny = fog[0]\nz = name.upper()\n", (true, true, true, 0)),
        ("from pyspades.constants import *\nfrom random import *\n", (true, true, true, 0)),
        ("def f(p, m):\n    setattr(p, 'x', 5)\n    p.x.__dict__.clear()\n    return '%(p)s' % locals()\n", (true, true, true, 0)),
        ("gr\u{f6}\u{df}e = 5\n# \u{ff4e}ame = 3\n", (true, true, true, 0)),
    ] {
        assert_eq!(read(&format!("{text}{after}")), expected, "{after}");
        // What stands before has no say.
        if after.starts_with("from") || after.starts_with("exec") {
            assert_eq!(read(&format!("{after}{text}")), (true, true, true, 0), "{after}");
        }
    }
    let after = "extensions = {'a': 1}\nx = extensions.get('a')\ny = extensions['a']\n";
    assert_eq!(read(&format!("{text}{after}")).3, 0);
    for change in
        ["extensions['a'] = 2\n", "extensions.update(a=2)\n", "e = extensions\n", "def f(p, m):\n    p.map_info.extensions['a'] = 2\n"]
    {
        assert_eq!(read(&format!("{text}{after}{change}")).3, 1, "{change}");
    }
    // Nothing is put into a file where it may count for nothing.
    let (mut document, _) = opened("x = 1\ndef f(p, m):\n    globals().update(p.settings)\n");
    Arc::make_mut(&mut document.metadata).name = Some("b".into());
    assert!(matches!(
        written(&document, "x = 1\ndef f(p, m):\n    globals().update(p.settings)\n"),
        Err(FormatError::ForeignScript { .. })
    ));
}

#[test]
fn our_lists_are_believed_only_where_their_functions_use_what_they_usually_do() {
    let ours = format!("spawn_regions_blue = [(1, 2, 3, 4, 0)]\nspawn_regions_green = []\n{}", Group::Spawns.code());
    assert_eq!(count(&format!("{ours}print('x')\ndef f(c):\n    c.x = 5\n")), 1);
    assert_eq!(count(&format!("from pyspades.server import *\n{ours}")), 1);
    for after in ["def range(n): return []\n", "_random = None\n", "_random.choices = None\n", "from tricks import *\n", "exec('')\n"] {
        let (document, report) = opened(&format!("{ours}{after}"));
        assert_eq!(document.objects.iter().count(), 0, "{after}");
        assert!(report.warnings.iter().any(|warning| warning.code == "custom-script"), "{after}");
    }
    let function = blue("return 1, 2, 3");
    assert_eq!((count(&function), count(&format!("{function}def f(p, m):\n    p.map_info.get_spawn_location = None\n"))), (1, 0));
}

#[test]
fn what_python_3_refuses_is_told_and_read_all_the_same() {
    let (document, report) = opened("name = 'a'\nprint name\nfog = (1, 2, 3)\n");
    assert_eq!((document.metadata.name.as_deref(), document.metadata.fog), (Some("a"), Some(Rgb::new(1, 2, 3))));
    let told: Vec<_> = report.of(Severity::Problem).map(|warning| (warning.line, &*warning.message)).collect();
    let message = "Python 3 refuses this script: print without parentheses is Python 2's: print(…); \
        a server of today leaves all of it out and takes its defaults";
    assert_eq!(told, [(Some(2), message)]);
    assert!(opened("name = 'a'\nprint(name)\n").1.warnings.is_empty());
}

#[test]
fn a_test_of_a_value_does_not_set_it() {
    for test in ["version >= 2", "version == 2", "version != 2", "2 <= version", "not version <= 1"] {
        for text in [
            format!("version = 2\nif {test}:\n    author = 'x'\n"),
            format!("version = 2\nif {test}: author = 'x'\n"),
            format!("version = 2\nauthor = 'x' if {test} else 'y'\n"),
            format!("version = 2\nwhile {test}: author = 'x'; break\n"),
        ] {
            let (document, report) = opened(&text);
            assert_eq!((document.metadata.version.as_deref(), document.metadata.author.as_deref()), (Some("2"), None), "{text}");
            assert!(report.warnings.len() == 1 && report.warnings[0].message.starts_with("author is no plain value"), "{report:?}");
        }
    }
    for change in ["if 1: version = 3", "version >>= 1", "version <<= 1", "version += 1", "if version >= 2: version = 3", "x = version = 3"]
    {
        assert_eq!(opened(&format!("version = 2\n{change}\n")).0.metadata.version, None, "{change}");
    }
}

#[test]
fn plain_numbers_of_an_unusual_kind_are_replaced_by_what_the_user_says() {
    for (old, new) in [("time_limit = 12.5 # min", "time_limit = 20 # min"), ("time_limit = -3", "time_limit = 20")] {
        let text = format!("name = 'a'\n{old}\nprint(1)\n");
        check_property(&text, |metadata| metadata.time_limit = Some(20), &[(old, new)]);
    }
    check_property("cap_limit = -3\n", |metadata| metadata.cap_limit = Some(5), &[("-3", "5")]);
    let fog = |metadata: &mut Metadata| metadata.fog = Some(Rgb::new(9, 8, 7));
    check_property("fog = 1, 2, 3, 4\n", fog, &[("1, 2, 3, 4", "(9, 8, 7)")]);
    check_property("fog = (1, 2, 300.5)\n", fog, &[("(1, 2, 300.5)", "(9, 8, 7)")]);
    for text in ["fog = (1, # red\n 2, 3, 4)\n", "fog = 'gray'\n", "fog = (1, 2, 'x')\n"] {
        let (mut document, _) = opened(text);
        fog(Arc::make_mut(&mut document.metadata));
        assert!(matches!(written(&document, text), Err(FormatError::ForeignScript { .. })), "{text}");
    }
}

#[test]
fn what_certainly_fails_answers_nothing() {
    for lines in [
        "l = [(1, 2, 3)]\nx = l[5]\nreturn 1, 2, 3",
        "l = [(1, 2, 3)]\nx = l[-2]\nreturn 1, 2, 3",
        "x = None[0]\nreturn 1, 2, 3",
        "x = None\ny = x.team\nreturn 1, 2, 3",
        "x, y = pts[3], 5\nreturn 1, 2, 3",
    ] {
        let (document, report) = opened(&format!("pts = ((1, 2), (3, 4))\n{}", blue(lines)));
        assert_eq!(document.objects.iter().count(), 0, "{lines}");
        assert!(report.warnings[0].message.contains("is set by code that"), "{report:?}");
    }
    assert_eq!(count(&blue("l = [(1, 2, 3)]\nx, y, z = l[-1]\nreturn 1, 2, 3")), 1);
    assert_eq!(count(&blue("l = [(1, 2, 3)]\nx, y, z = l[0]\nreturn x, y, z")), 1);
}

#[test]
fn what_a_function_needs_and_nothing_imports_is_told() {
    let told = |text: &str| -> Vec<String> {
        opened(text).1.warnings.into_iter().filter(|warning| warning.code == "missing-import").map(|warning| warning.message).collect()
    };
    let function = blue("return choice([(1, 2, 3)])");
    assert_eq!(
        told(&function),
        ["get_spawn_location uses choice, which nothing in the file imports, and fails on the server: it needs from random import choice"]
    );
    for import in ["from random import choice\n", "from random import *\n", "import random\nchoice = random.choice\n"] {
        assert!(told(&format!("{import}{function}")).is_empty(), "{import}");
    }
    assert!(told(&blue("from random import choice\nreturn choice([(1, 2, 3)])")).is_empty());
    let thing = "def get_entity_location(team, entity_id):\n    if entity_id == BLUE_FLAG: return 1, 2, 3\n";
    assert!(told(thing)[0].ends_with("it needs from pyspades.constants import BLUE_FLAG"));
    assert!(told(&format!("from pyspades.constants import *\n{thing}")).is_empty());
}

#[test]
fn territories_beside_a_foreign_function_are_told_in_words() {
    let text = "def on_map_change(protocol, map):\n    protocol.x = 5\n";
    let (mut document, report) = opened(text);
    assert!(report.warnings.is_empty());
    let at = crate::document::Anchor { x: 100, y: 200, z: None };
    for owner in [Some(crate::document::Team::Blue), None] {
        Arc::make_mut(&mut document.objects).push(Object::Territory { owner, at });
    }
    let refused = written(&document, text).unwrap_err().to_string();
    assert!(
        refused.contains("a territory of Blue at (100, 200), a territory of nobody at (100, 200) (write it there by hand)"),
        "{refused}"
    );
}

#[test]
fn a_carriage_return_alone_ends_a_line() {
    let (document, report) = opened("name = 'A' # odd\rauthor = 'B'\rfog = (1, # r\r2, 3)\rversion = open(1)\r");
    let metadata = &document.metadata;
    assert_eq!((metadata.name.as_deref(), metadata.author.as_deref(), metadata.fog), (Some("A"), Some("B"), Some(Rgb::new(1, 2, 3))));
    assert_eq!(report.warnings.iter().map(|warning| warning.line).collect::<Vec<_>>(), [Some(5)], "{report:?}");
    let text = "name = 'A' # odd\rauthor = 'B'\r";
    check_property(text, |metadata| metadata.author = Some("ann".into()), &[("'B'", "'ann'")]);
    check_property(text, |metadata| metadata.name = None, &[("name = 'A' ", "")]);
    // In a string of several lines it is one, too.
    let (document, _) = opened("name = '''a\rb\r\nc\nd'''\n");
    assert_eq!(document.metadata.name.as_deref(), Some("a\nb\nc\nd"));
}

#[test]
fn half_a_letter_is_told_and_stays() {
    let text = "author = 'x'\nname = 'a\\ud800b'\n";
    let (document, report) = opened(text);
    assert_eq!(document.metadata.name.as_deref(), Some("a\u{fffd}b"));
    let told: Vec<_> = report.of(Severity::Guess).map(|warning| (warning.line, warning.message.contains("half a letter"))).collect();
    assert_eq!(told, [(Some(2), true)], "{report:?}");
    check_property(text, |metadata| metadata.author = Some("ann".into()), &[("'x'", "'ann'")]);
    for whole in ["name = '\u{fffd}'\n", "name = '\\ufffd'\n", "name = 'a\\u00e4'\n"] {
        assert!(opened(whole).1.warnings.is_empty(), "{whole}");
    }
}

#[test]
fn a_value_that_is_set_within_a_block_is_told_so() {
    for text in ["version = 2\nif version >= 2:\n    cap_limit = 5\n", "version = 2\nif version >= 2: cap_limit = 5\n"] {
        let (document, report) = opened(text);
        assert_eq!(document.metadata.cap_limit, None);
        let line = text.lines().position(|line| line.contains("cap")).map(|line| line + 1);
        let told: Vec<_> = report
            .warnings
            .iter()
            .map(|warning| (warning.line, warning.message.contains("within a block, such as that of an if")))
            .collect();
        assert_eq!(told, [(line, true)], "{report:?}");
    }
    assert!(!opened("cap_limit = open(1)\n").1.warnings[0].message.contains("block"));
}
