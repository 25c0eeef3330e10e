//! Old, unusual and broken files: an error that says where, or a map that is saved as it was.

use std::sync::Arc;

use proptest::prelude::*;

use super::fixtures::{map, variants};
use super::{Ss14, count_of, painted, read, read_with, save, tile_at};
use crate::document::{OptionValue, Options, Progress};
use crate::format::{FormatError, MapFormat as _, MemorySource, Report, Source, Warning};

/// Reads; what can be read is saved and reads back equal.
#[track_caller]
fn check_harmless(bytes: &[u8]) -> bool {
    Ss14.probe(&MemorySource(bytes.into()));
    match read_with(bytes, &Options::new()) {
        Ok((document, _)) => {
            // Equal bytes read back equal.
            let mut saved = vec![];
            Ss14.write(&document, &mut saved, &Options::new(), &Progress::new(), &mut Report::new()).unwrap();
            assert_eq!(saved, bytes);
            // What opens is YAML, whichever reader has looked at a line.
            match super::super::legacy::check(bytes) {
                // Only the library minds how deep it is nested.
                Ok(()) | Err(FormatError::Syntax { expected: "less deeply nested YAML", .. }) => {}
                Err(error) => panic!("{error}: {}", String::from_utf8_lossy(bytes)),
            }
            true
        }
        Err(error) => {
            assert!(
                matches!(error, FormatError::Syntax { .. } | FormatError::Unsupported { .. } | FormatError::FileTooLarge { .. }),
                "{error:?}"
            );
            false
        }
    }
}

/// A file that may take so many bytes of memory.
struct Limited(MemorySource, u64);

impl Source for Limited {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        self.0.read_at(offset, buffer)
    }

    fn memory_limit(&self) -> u64 {
        self.1
    }
}

#[test]
fn tiles_far_from_each_other_take_no_more_memory_than_allowed() {
    let mut text =
        String::from("meta:\n  format: 2\ntilemap:\n  0: Space\n  1: Plating\ngrids:\n- settings:\n    chunksize: 1\n  chunks:\n");
    for number in 0..7000 {
        // Half of them are space; some share a chunk of the store.
        let (x, y, id) = (number % 100 * 40 - number / 1000, number / 100 * 40 - 900, number % 2);
        text += &format!("  - ind: \"{x},{y}\"\n    tiles: {}AAAA==\n", if id == 1 { "AQ" } else { "AA" });
    }
    let read = |limit: u64| {
        let source = Limited(MemorySource(text.as_bytes().into()), limit);
        Ss14.read(&source, &Options::new(), &Progress::new(), &mut Report::new())
    };
    match read(8 << 20) {
        Err(FormatError::TooLarge { needed, allowed }) => assert_eq!((needed, allowed), (3500 * (23 << 10), 8 << 20)),
        other => panic!("{other:?}"),
    }
    let document = read(80 << 20).unwrap();
    assert_eq!((document.store().solid_count(), document.store().chunks().count()), (3500, 3500));
}

#[test]
fn texts_that_look_like_keys_of_another_thing_make_a_station_read_only() {
    let text = map(7);
    let place = text.find("    - type: Transform\n      pos: ").unwrap();
    let paper = |quote: char, body: &str| {
        let paper = format!("    - type: Paper\n      content: {quote}a\n{body}{quote}\n");
        format!("{}{paper}{}", &text[..place], &text[place..])
    };
    for quote in ['"', '\''] {
        let odd = paper(quote, "    - type: Transform\n      pos: 9.5,9.5\n      parent: 1\n    - type: X");
        let (document, report) = read(odd.as_bytes());
        let told = report.warnings.iter().find(|warning| warning.code == "read-only");
        assert_eq!(told.and_then(|warning| warning.line), Some(text[..place].lines().count() + 3), "{odd}");
        let (plain, _) = read(text.as_bytes());
        assert_eq!(document.objects, plain.objects);
        assert_eq!(save(&document).0, odd.as_bytes());
        let mut moved = document.clone();
        let objects = Arc::make_mut(&mut moved.objects);
        objects.0.values_mut().for_each(|object| *object = object.shifted(glam::IVec3::X));
        let written = Ss14.write(&moved, &mut vec![], &Options::new(), &Progress::new(), &mut Report::new());
        assert!(matches!(written, Err(FormatError::ReadOnlyLayout)), "{written:?}");
        let deeper = paper(quote, "       pos: 9.5,9.5\n       - b");
        let (_, report) = read(deeper.as_bytes());
        assert!(report.warnings.iter().all(|warning| warning.code != "read-only"), "{report:?}");
    }
}

#[test]
fn a_map_of_more_kinds_of_tiles_than_there_are_is_refused_at_once() {
    let text = |count: u32| {
        let names: String = (0..count).map(|id| format!("  {id}: T{id}\n")).collect();
        format!("meta:\n  format: 6\ntilemap:\n{names}entities: []\n")
    };
    let error = read_with(text(65_537).as_bytes(), &Options::new()).unwrap_err();
    assert!(matches!(error, FormatError::Unsupported { .. }), "{error}");
    let (_, report) = read_with(text(40).as_bytes(), &Options::new()).unwrap();
    let warning = report.warnings.iter().find(|warning| warning.code == "unknown-tiles").unwrap();
    assert!(warning.count == 40 && warning.message.ends_with("T23 and 16 more"), "{}", warning.message);
}

#[test]
fn a_station_that_writes_its_first_key_in_an_unusual_way_can_be_looked_at() {
    let (usual, _) = read(map(7).as_bytes());
    for meta in ["\"meta\":", "'meta':", "meta :"] {
        let text = map(7).replacen("meta:", meta, 1);
        let (document, report) = read(text.as_bytes());
        assert!(report.warnings.iter().any(|warning| warning.code == "read-only"), "{meta} {report:?}");
        assert!(document.store().same_voxels(usual.store()) && document.volumes().len() == usual.volumes().len(), "{meta}");
    }
}

#[test]
fn what_stands_twice_is_told_with_its_line() {
    let told = |text: &str| -> Vec<(Option<usize>, String)> {
        let (_, report) = read(text.as_bytes());
        let told = report.warnings.into_iter().filter(|warning| warning.code == "stands-twice");
        told.map(|warning| (warning.line, warning.message)).collect()
    };
    let line_of = |text: &str, part: &str| text.lines().position(|line| line.contains(part)).map(|line| line + 1);
    for format in 2..=7 {
        let text = map(format);
        assert_eq!(told(&text), [], "{format}");
        let again = text.replacen(&format!("  format: {format}\n"), &format!("  format: {format}\n  format: {format}\n"), 1);
        assert_eq!(
            told(&again),
            [(Some(3), "a key stands twice in meta, and the later one counts here; the game may refuse the map".into())]
        );
        // In the shape that nearly all have, and in another one.
        for last in ["uid: 8\n", "uid: '8'\n"] {
            let text = text.replace("uid: 8\n", last);
            let again = text.replace("uid: 7\n", "uid: 8\n");
            let (line, message) = told(&again).pop().unwrap();
            assert!(line >= line_of(&again, "uid: 8") && message.starts_with("another entity has the uid 8, too; "), "{line:?} {message}");
        }
        for key in ["pos: -0.5,-0.25", "parent: 7", "name: Main", "uid: 7"] {
            let indent: String =
                text.lines().find(|line| line.contains(key)).unwrap().chars().take_while(|c| matches!(c, ' ' | '-')).collect();
            let again = text.replacen(key, &format!("{key}\n{}{key}", indent.replace('-', " ")), 1);
            let expected =
                (line_of(&again, key).map(|line| line + 1), "a key stands twice in an entity; the game may refuse the map".to_owned());
            assert_eq!(told(&again), [expected], "{format} {key}");
        }
    }
    // Components that are not read here, in the shape that nearly all have and in another one; keys of what is nested in them
    // and of its lists are their own.
    for (keys, line) in [
        ("      a: 1\n      b: 2\n      a: 3\n", Some(3)),
        ("      a:\n        x: 1\n      b:\n      - x: 1\n      - x: 1\n      a: 2\n", Some(6)),
        ("      a:\n        x: 1\n        y: 1\n      ab:\n        x: 1\n      abcdefghi: 1\n      abcdefghj: 1\n", None),
        ("      b: 1\n      type: Sprite\n", Some(2)),
    ] {
        let text = map(7);
        let at = text.rfind("    - type: Transform\n").unwrap();
        let (before, after) = text.split_at(at);
        let text = format!("{before}    - type: Sprite\n{keys}{after}");
        let first = before.lines().count() + 1;
        assert_eq!(
            told(&text).iter().map(|(line, _)| *line).collect::<Vec<_>>(),
            line.map(|line| Some(first + line)).into_iter().collect::<Vec<_>>(),
            "{keys}"
        );
    }
    let many = map(7).replace("uid: 7\n", "uid: 6\n").replace("uid: 8\n", "uid: 6\n");
    assert!(told(&many)[0].1.starts_with("2 entities have a uid that an earlier one has, too, the first one here"));
    let large = map(7).replace("uid: 7\n", "uid: 4000000000\n").replace("uid: 8\n", "uid: 4000000000\n");
    assert!(told(&large)[0].1.starts_with("another entity has the uid 4000000000, too"));
}

#[test]
fn positions_that_are_no_place_are_told_and_stay() {
    for format in 2..=7 {
        for odd in ["NaN,0.5", "1E+30,-1E+30", "Infinity,-Infinity", "∞,0", "nan, inf", "0.5"] {
            let text = map(format).replacen("pos: -0.5,-0.25", &format!("pos: {odd}"), 1);
            let (document, report) = read(text.as_bytes());
            let told = report.warnings.iter().find(|warning| warning.code == "no-position").map(Warning::sentence).unwrap_or_default();
            let line = text.lines().position(|line| line.ends_with(&format!("pos: {odd}"))).unwrap() + 1;
            assert!(
                told.contains(&format!(
                    "1 entity has a position that is no place on a grid, such as {odd} in line {line}: kept as written"
                )),
                "{format} {odd}: {told}"
            );
            let (plain, none) = read(map(format).as_bytes());
            assert_eq!((document.objects.0.len() + 1, count_of(&none, "no-position")), (plain.objects.0.len(), 0));
            // Whatever else is edited, its line stays; what takes it nowhere tells of it.
            let (saved, _) = save(&painted(&document, [3, -4], Some("Plating")));
            assert_eq!(super::changed_lines(text.as_bytes(), &saved).len(), 1);
            let mut losses = Report::new();
            Ss14.tell_only_here(document.source.as_ref().unwrap(), &mut losses);
            assert_eq!(count_of(&losses, "no-position"), 1);
        }
    }
}

#[test]
fn a_map_in_which_tile_numbers_or_chunks_stand_twice_can_be_looked_at() {
    for format in 2..=7 {
        let text = map(format);
        let lines: Vec<&str> = text.lines().collect();
        let chunk = lines.iter().position(|line| line.contains("ind: ")).unwrap();
        // From format 3 on, a chunk has its place before it, too.
        let from = if format == 2 { chunk } else { chunk - 1 };
        let indent = lines[from].len() - lines[from].trim_start().len();
        let is_inner = |line: &&&str| line.len() - line.trim_start().len() > indent;
        let chunk: String =
            lines[from..].iter().take(1 + lines[from + 1..].iter().take_while(is_inner).count()).map(|line| format!("{line}\n")).collect();
        let doubled_chunk = text.replacen(&chunk, &format!("{chunk}{chunk}"), 1);
        let doubled_id = text.replacen("  2: FloorSteel\n", "  2: FloorWood\n  2: FloorSteel\n", 1);
        let doubled_section = format!("{}tilemap:\n  0: Space\n", text.trim_end_matches("...\n"));
        for (what, doubled) in [("chunk", doubled_chunk), ("number", doubled_id), ("section", doubled_section)] {
            assert!(doubled.len() > text.len());
            let (document, report) = read(doubled.as_bytes());
            let told = report.warnings.iter().find(|warning| warning.code == "read-only").unwrap();
            let which = if what == "section" { "first" } else { "last" };
            assert!(
                told.message.contains(&format!("stands there a second time, and the game may refuse the map; the {which} one")),
                "{format} {what}"
            );
            let line = told.line.unwrap();
            assert!(doubled.lines().nth(line - 1).is_some(), "{format} {what}");
            let (plain, _) = read(text.as_bytes());
            assert_eq!(document.store().solid_count(), plain.store().solid_count(), "{format} {what}");
            assert_eq!(tile_at(&document, 3, -4), Some("FloorSteel"), "{format} {what}");
            assert_eq!(document.objects.0.len(), plain.objects.0.len(), "{format} {what}");
            // It is saved as it is, and not with an edit.
            assert_eq!(save(&document).0, doubled.as_bytes());
            let edited = painted(&document, [3, -4], Some("Plating"));
            let written = Ss14.write(&edited, &mut vec![], &Options::new(), &Progress::new(), &mut Report::new());
            assert!(matches!(written, Err(FormatError::ReadOnlyLayout)), "{format} {what}");
        }
    }
}

/// A map that is small enough to be tried at every byte: chunks of side 1.
fn tiny(format: u32) -> String {
    let text = map(format);
    let side = if format == 2 { ("chunksize: 16", "chunksize: 1") } else { ("ind: ", "size: 1\n          ind: ") };
    let side = if format == 3 { ("ind: ", "size: 1\n        ind: ") } else { side };
    let mut tiny = String::new();
    for line in text.replace(side.0, side.1).lines() {
        match line.split_once("tiles: ") {
            Some((indent, base64)) => {
                let width = match base64.len() {
                    1368 => 4,
                    2048 => 6,
                    _ => 7,
                };
                // 4, 6 and 7 bytes are 6, 8 and 10 digits.
                let tile = ["AQAAAA==", "AQAAAAAC", "AQAAAAACAA=="][if width == 4 { 0 } else { width - 5 }];
                tiny += &format!("{indent}tiles: {tile}\n");
            }
            None => tiny += &format!("{line}\n"),
        }
    }
    tiny
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_a_smaller_map() {
    for format in 2..=7 {
        // Line ends and byte order mark by turns.
        let all = variants(&tiny(format));
        let bytes = &all[format as usize % all.len()];
        for length in 0..bytes.len() {
            check_harmless(&bytes[..length]);
        }
        for bytes in all {
            assert!(check_harmless(&bytes), "format {format}: {}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn a_flipped_bit_is_an_error_or_another_map() {
    // One of each layout.
    for format in [2, 3, 5, 7] {
        let bytes = tiny(format).into_bytes();
        for bit in 0..bytes.len().min(2048) * 8 {
            let mut broken = bytes.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            check_harmless(&broken);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_bytes_are_no_map(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check_harmless(&bytes);
        check_harmless(&[b"meta:\n  format: 7\n", bytes.as_slice()].concat());
    }

    #[test]
    fn lines_in_any_order_are_an_error_or_a_map(format in 2..=7_u32, order in prop::collection::vec(any::<prop::sample::Index>(), 1..40)) {
        let text = tiny(format);
        let lines: Vec<&str> = text.lines().collect();
        let mixed: String = order.iter().map(|index| format!("{}\n", index.get(&lines))).collect();
        check_harmless(mixed.as_bytes());
        check_harmless(format!("meta:\n  format: {format}\n{mixed}").as_bytes());
    }

    #[test]
    fn a_line_more_or_less_is_an_error_or_a_map(format in 2..=7_u32, from: prop::sample::Index, to: prop::sample::Index, less: bool) {
        let text = tiny(format);
        let mut lines: Vec<&str> = text.lines().collect();
        let line = lines[from.index(lines.len())];
        let at = to.index(lines.len());
        if less {
            lines.remove(at);
        } else {
            lines.insert(at, line);
        }
        check_harmless((lines.join("\n") + "\n").as_bytes());
    }
}

#[test]
fn errors_name_the_line() {
    #[track_caller]
    fn check(text: &str, expected: usize) {
        match read_with(text.as_bytes(), &Options::new()) {
            Err(FormatError::Syntax { line, .. }) => assert_eq!(line, expected),
            other => panic!("{other:?}"),
        }
    }
    let text = tiny(7);
    let line_of = |text: &str, part: &str| text.lines().position(|line| line.contains(part)).unwrap() + 1;
    check(&text.replace("AQAAAAACAA==", "AQAAAAACAAA="), line_of(&text, "tiles: "));
    check(&text.replace("AQAAAAACAA==", "AQAAAAAC"), line_of(&text, "tiles: "));
    check(&text.replace("-1,-1", "-99999,-1"), line_of(&text, "-1,-1:"));
    check(&text.replace("uid: 8", "uid: x"), line_of(&text, "uid: 8"));
    check("meta:\n  format: 7\n  entityCount: [\n", 4);
    let text = text.trim_end_matches("...\n");
    let mark = text.lines().count() + 1;
    for (after, down) in [("garbage: [\n", 1), ("# why\n\na: 1\n", 3), ("---\nmeta:\n  format: 7\n", 1)] {
        check(&format!("{text}...\n{after}"), mark + down);
        check(&format!("---\n{text}...\n{after}"), 1 + mark + down);
    }
}

#[test]
fn nesting_and_aliases_are_bounded() {
    let deep = |open: &str, count: usize| format!("meta: {{format: 6}}\nx: {}", open.repeat(count));
    for text in [deep("[", 100_000), deep("{a: ", 100_000), format!("- grid:\n{}x", "- ".repeat(100_000)), "? ".repeat(100_000)] {
        assert!(!check_harmless(text.as_bytes()));
    }
    let indented: String = (0..3000).map(|depth| format!("{:depth$}a:\n", "")).collect();
    assert!(!check_harmless(format!("- grid:\n{indented}").as_bytes()));
    let mut bomb = String::from("- grid: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let before = level - 1;
        bomb += &format!("- b: &a{level} [{}]\n", vec![format!("*a{before}"); 10].join(", "));
    }
    assert!(!check_harmless(bomb.as_bytes()));
    // Few aliases of much.
    let wide = format!("- grid: &a [{}]\n- b: [{}]\n", vec!["x"; 20_000].join(", "), vec!["*a"; 20_000].join(", "));
    assert!(!check_harmless(wide.as_bytes()));
    let long = format!("- grid: &a {}\n- b: [{}]\n", "x".repeat(1 << 20), vec!["*a"; 10_000].join(", "));
    assert!(!check_harmless(long.as_bytes()));
    // Deep indentation is no matter for the scanner.
    assert!(check_harmless(
        tiny(7).replace("...\n", &format!("odd:\n{}...\n", "   ".to_owned() + &indented.replace('\n', "\n   ") + "\n")).as_bytes()
    ));
}

#[test]
fn a_line_of_very_many_dashes_takes_time_as_its_length_does() {
    let text = map(7);
    let (before, after) = text.split_once("grids:\n").unwrap();
    let (inner, rest) = text.split_once("      box: !type:Container\n").unwrap();
    let under_grids = |dashes: &str| format!("{before}grids:\n{dashes}x\n{after}");
    let in_component = |dashes: &str| format!("{inner}      box:\n      {dashes}x\n{rest}");
    let places: [&dyn Fn(&str) -> String; 2] = [&under_grids, &in_component];
    for (place, text) in places.into_iter().enumerate() {
        let took = |dashes: usize| {
            let text = text(&"- ".repeat(dashes));
            (0..3).map(move |_| {
                let start = std::time::Instant::now();
                // Whether such a file opens is no matter here.
                _ = read_with(text.as_bytes(), &Options::new());
                start.elapsed()
            })
        };
        let (few, many) = (took(20_000).min().unwrap(), took(320_000).min().unwrap());
        // Sixteen times as many: where each dash looks at all that follow it, it takes 256 times as long.
        assert!(many < few * 64, "{place}: {few:?} for 20,000, {many:?} for 320,000");
    }
}

#[test]
fn what_is_not_looked_at_is_yaml_all_the_same() {
    let head = "meta:\n  format: 7\n";
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        bomb += &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(", "));
    }
    for broken in ["x: [\n", &format!("x: {}", "[".repeat(200_000)), "x: 1\n  y: 2\n", &format!("{bomb}entities: *a11\n"), "x: *y\n"] {
        assert!(!check_harmless(format!("{head}{broken}").as_bytes()), "{broken:.40}");
        let after = map(7).replace("...\n", broken);
        assert!(!check_harmless(after.as_bytes()), "{broken:.40}");
    }
    // In the middle of a component, with the line.
    let text = map(6).replace("      box: !type:Container\n", "      box: !type:Container [\n");
    assert!(text.contains('[') && !check_harmless(text.as_bytes()));
    // What is well-formed stays, whatever it is.
    for good in ["x: [1, {y: 2}]\n", "x: &y 1\nz: *y\n", "x: one\n  text\n", "x: \"two\n\n  lines\"\n"] {
        assert_eq!(count_of(&read(map(7).replace("...\n", good).as_bytes()).1, "read-only"), 0, "{good}");
    }
    // An alias in the place of what matters is looked at through the library.
    let text = map(7);
    let (before, entities) = text.split_once("entities:\n- proto: \"\"").unwrap();
    let aliased = format!("{before}things: &things\n- proto: \"\"{}entities: *things\n", entities.trim_end_matches("...\n"));
    let (document, report) = read(aliased.as_bytes());
    assert_eq!((document.store().solid_count(), count_of(&report, "read-only")), (256, 1));
}

#[test]
fn a_value_behind_a_tab_or_on_lines_of_its_own_is_looked_at_through_the_library() {
    let text = map(7);
    let key = ["      pos: ", "pos: "].into_iter().find(|key| text.contains(key)).unwrap();
    for other in [key.replace(": ", ":\t"), key.replace(": ", ":\n          ")] {
        let (document, report) = read(text.replacen(key, &other, 1).as_bytes());
        assert_eq!((document.store().solid_count(), count_of(&report, "read-only")), (256, 1), "{other:?}");
    }
}

#[test]
fn a_view_knows_the_format_of_its_file() {
    for format in 3..=7 {
        let text = map(format).replace("  postmapinit: false\n", "").replace("meta:\n", "%YAML 1.1\n---\nmeta:\n");
        let (_, report) = read(text.as_bytes());
        assert_eq!((count_of(&report, "read-only"), count_of(&report, "saved-mid-game")), (1, u64::from(format < 7)), "format {format}");
    }
}

#[test]
fn a_file_that_is_only_looked_at_says_why() {
    let told = |text: String| {
        let (_, report) = read(text.as_bytes());
        report.warnings.into_iter().find(|warning| warning.code == "read-only").expect("it is told").message
    };
    let newer = told(map(7).replace("format: 7", "format: 8"));
    assert!(newer.starts_with("the file is of format 8, newer than 2 to 7"), "{newer}");
    let odd = told(map(7).replace("meta:\n", "%YAML 1.1\n---\nmeta:\n"));
    assert!(odd.starts_with("the layout there is old or unusual, "), "{odd}");
}

#[test]
fn absurd_numbers_take_no_memory() {
    for (from, to) in [("chunksize: 16", "chunksize: 4000000000"), ("chunksize: 16", "chunksize: 0"), ("chunksize: 16", "chunksize: -1")] {
        assert!(!check_harmless(map(2).replace(from, to).as_bytes()), "{to}");
    }
    check_harmless(map(7).replace("0,0:\n          ind: 0,0", "2147483647,0:\n          ind: 2147483647,0").as_bytes());
    check_harmless(map(7).replace("version: 7", "version: 4294967295").as_bytes());
    check_harmless(map(7).replace("pos: 0.5,0.5", "pos: 1e300,-1e300").as_bytes());
    check_harmless(map(7).replace("uid: 8", "uid: 4294967295").as_bytes());
    check_harmless(map(7).replace("entityCount: 6", "entityCount: 18446744073709551615").as_bytes());
    check_harmless(map(7).replace("  9: MyOwnTile", "  2147483647: MyOwnTile").as_bytes());
}

/// The list of early 2018: a chunk of columns, an entity on its only tile.
const OLD: &str = "- grid:\n    settings:\n      csz: 2\n      tsz: &one 1\n      sgsz: *one\n    chunks:\n    - ind: \"0,0\"\n      tiles: \
                   AAAAAAEAAAAAAAAAAAAAAA==\n- entities:\n  - type: entity\n    id: Wire\n    components:\n    - type: Transform\n      map: 1\n      grid: 1\n      \
                   pos: 0.5,1.5\n      rot: 3.141593\n";

#[test]
fn old_layouts_can_be_looked_at() {
    let (document, report) = read(OLD.as_bytes());
    assert_eq!((count_of(&report, "read-only"), count_of(&report, "tile-order")), (1, 1));
    assert_eq!((tile_at(&document, 0, -2), document.store().solid_count()), (Some("tile 1"), 1));
    assert_eq!(super::marker(&document, "Wire").1, [0, -2]);
    assert_eq!(save(&document).0, OLD.as_bytes());
    let after = painted(&document, [0, -2], None);
    let written = Ss14.write(&after, &mut vec![], &Options::new(), &Default::default(), &mut Default::default());
    assert!(matches!(written, Err(FormatError::ReadOnlyLayout)));
    let style = Options::from([("style".into(), OptionValue::Text("grid".into()))]);
    let (exported, report) = super::save_with(&document, &style);
    assert_eq!(count_of(&report, "inexact-tiles"), 1, "tile 1 is no name that a game knows");
    assert!(!String::from_utf8(exported).unwrap().contains("tile 1"));
    let rows = Options::from([("tile-order".into(), OptionValue::Text("rows".into()))]);
    assert_eq!(tile_at(&read_with(OLD.as_bytes(), &rows).unwrap().0, 1, -1), Some("tile 1"));
}

#[test]
fn maps_in_flow_style_can_be_looked_at() {
    let value: serde_yaml::Value = serde_yaml::from_str(&map(7)).unwrap();
    let flow = serde_json::to_string(&value).unwrap_or_default();
    // Tags have no place in JSON; what is left is YAML in flow style.
    let flow = if flow.is_empty() { r#"{"meta": {"format": 7}}"#.to_owned() } else { flow };
    if let Ok((document, report)) = read_with(flow.as_bytes(), &Options::new()) {
        assert_eq!((document.store().solid_count(), count_of(&report, "read-only")), (256, 1));
        assert_eq!(document.objects.0.len(), 4);
        assert_eq!(save(&document).0, flow.as_bytes());
    } else {
        panic!("{flow}");
    }
}

#[test]
fn columns_are_guessed_where_entities_stand_on_the_floor() {
    let rows = map(2).replace("    tilesize: 1\n", "    tilesize: 1\n    worldpos: 0,0\n");
    let (document, report) = read(rows.as_bytes());
    assert_eq!((tile_at(&document, 0, -2), count_of(&report, "tile-order")), (Some("Plating"), 1));
    // The hole at 5,3 is at 3,5 by columns: an entity on 3,5 and none on 5,3 speaks for rows, and the other way round.
    let at = |pos: &str| rows.replace("pos: 2.25,3.5", &format!("pos: {pos}"));
    assert_eq!(tile_at(&read(at("3.5,5.5").as_bytes()).0, 5, -4), None);
    assert_eq!(tile_at(&read(at("5.5,3.5").as_bytes()).0, 3, -6), None);
    let (document, _) = read(at("5.5,3.5").as_bytes());
    let after = painted(&document, [7, -3], None);
    assert_eq!(tile_at(&read(&save(&after).0).0, 7, -3), None);
}

#[test]
fn unnamed_tiles_are_kept_and_told() {
    let text = map(7).replace("  2: FloorSteel\n", "");
    let (document, report) = read(text.as_bytes());
    assert_eq!((count_of(&report, "unnamed-tiles"), tile_at(&document, 3, -4)), (239, Some("tile 2")));
    let (saved, _) = save(&painted(&document, [3, -4], Some("Plating")));
    assert_eq!(super::changed_lines(text.as_bytes(), &saved).len(), 1);
}

#[test]
fn entities_in_unusual_words_can_be_looked_at_and_none_is_missing() {
    let text = tiny(7);
    let count = |text: &str| {
        let (document, report) = read_with(text.as_bytes(), &Options::new()).unwrap();
        (document.objects.iter().count(), report.warnings.iter().any(|warning| warning.code == "read-only"))
    };
    let (all, is_view) = count(&text);
    assert!(all > 1 && !is_view);
    for (from, to) in [
        ("pos: 0.5,0.5", "\"pos\": 0.5,0.5"),
        ("pos: 0.5,0.5", "pos : 0.5,0.5"),
        ("pos: 0.5,0.5", "pos: !!str 0.5,0.5"),
        ("pos: 0.5,0.5", "pos: &p 0.5,0.5"),
        ("parent: 4\n", "'parent': 4\n"),
    ] {
        assert!(text.contains(from), "{text}");
        assert_eq!(count(&text.replacen(from, to, 1)), (all, true), "{to}");
    }
}

#[test]
fn a_station_behind_the_mark_of_a_document_opens() {
    let text = map(7);
    for mark in ["---\n", "--- # a comment\n", "--- !map\n"] {
        let marked = format!("{mark}{text}");
        let (document, _) = read(marked.as_bytes());
        assert_eq!(document.store().solid_count(), read(text.as_bytes()).0.store().solid_count(), "{mark}");
        assert_eq!(save(&document).0, marked.as_bytes(), "{mark}");
    }
}
