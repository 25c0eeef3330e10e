//! The plan of the house: which folder may use which, and what may be named where.
//!
//! The table here is the one in the crate's documentation. Each rule is fed a text that breaks it, so
//! that a rule that no longer bites fails too.

use std::collections::BTreeMap;
use std::path::Path;

use crate::rust_source::{self, Token};

/// Folders of `src/`, lowest first, and what each may use besides itself.
const LAYERS: &[(&str, &[&str])] = &[
    ("geom", &[]),
    ("voxel", &["geom"]),
    ("mesh", &["voxel", "geom"]),
    ("document", &["voxel", "geom"]),
    ("terrain", &["document", "voxel", "geom"]),
    ("edit", &["terrain", "document", "voxel", "geom"]),
    ("format", &["mesh", "document", "voxel", "geom"]),
    ("check", &["edit", "document", "voxel", "geom"]),
    ("walk", &["voxel", "geom"]),
    ("tool", &["edit", "terrain", "document", "voxel", "geom"]),
    ("net", &["edit", "document", "voxel", "geom"]),
    ("editor", EDITOR),
    ("render", &["mesh", "voxel", "geom"]),
    ("ui", FACE),
    ("cli", FACE),
    ("main", &["ui", "cli"]),
    ("lib", &[]),
];
const EDITOR: &[&str] = &["geom", "voxel", "mesh", "document", "terrain", "edit", "format", "check", "walk", "tool", "net"];
const FACE: &[&str] =
    &["geom", "voxel", "mesh", "document", "terrain", "edit", "format", "check", "walk", "tool", "net", "editor", "render"];

/// Folders of plugins, with the modules in them that all plugins may use.
const PLUGINS: &[(&str, &[&str])] = &[
    ("format", &["error", "losses", "merge", "png_palette", "report", "source", "yaml"]),
    (
        "tool",
        &[
            "box_gesture",
            "center_handle",
            "floating",
            "gizmo",
            "ghost",
            "hover",
            "input",
            "making",
            "numbers",
            "object_shape",
            "pick",
            "planned",
            "preview",
            "pull",
            "settings",
            "stroke_ghost",
            "stroke_path",
        ],
    ),
    ("terrain", &["canvas", "course", "generator", "land", "noise"]),
    ("check", &["check", "fix", "problem", "report"]),
    ("cli", &["args", "context", "error", "files", "output", "place", "progress", "safekeeping", "settings", "verb"]),
];

/// Crates that only some places may name: the crates, the places.
const CRATES: &[(&[&str], &[&str])] = &[
    (&["egui", "eframe", "egui_wgpu", "egui_winit", "egui_extras", "egui_tiles", "rfd"], &["ui/"]),
    (&["wgpu", "naga"], &["render/", "ui/viewport.rs", "ui/viewport/"]),
    (&["clap"], &["cli/"]),
];

const MOST_LINES: usize = 800;

/// All that is wrong with one file; `path` is relative to `src/`.
/// The only places that open files.
const FILES: [&str; 2] = ["editor/storage/real.rs", "editor/storage/sparse.rs"];

fn check_file(path: &str, source: &str, siblings: &[&str]) -> Vec<String> {
    let tokens = rust_source::tokens(source);
    let module = module_of(path);
    let layer = module.first().map_or_else(|| path.trim_end_matches(".rs"), String::as_str);
    let mut wrong = vec![];
    let mut fail = |line: usize, what: String| wrong.push(format!("src/{path}:{line}: {what}"));

    if !source.starts_with("//!") {
        fail(1, "a file begins with `//!`: what it holds and what it must not know".into());
    }
    if source.lines().count() > MOST_LINES {
        fail(MOST_LINES, format!("a file has at most {MOST_LINES} lines"));
    }
    let Some((_, uses)) = LAYERS.iter().find(|(name, _)| *name == layer) else {
        fail(1, format!("`{layer}` is not in the table of layers"));
        return wrong;
    };
    for spelled in rust_source::paths(&tokens, &module) {
        let segments: Vec<&str> = spelled.segments.iter().map(String::as_str).collect();
        if spelled.own {
            match segments.first() {
                Some(&"*") => fail(spelled.line, "a glob of the whole crate hides what is used".into()),
                Some(used) if *used != layer && is_layer(used) && !uses.contains(used) => {
                    fail(spelled.line, format!("`{layer}` must not use `{used}`"));
                }
                _ => {}
            }
            if let (Some((_, shared)), [folder, used, ..], Some(own)) =
                (PLUGINS.iter().find(|(name, _)| *name == layer), segments.as_slice(), module.get(1))
                && *folder == layer
                && own != used
                && siblings.contains(used)
                && !shared.contains(used)
                && !shared.contains(&own.as_str())
            {
                fail(spelled.line, format!("plugin `{own}` must not name plugin `{used}`"));
            }
            continue;
        }
        for (crates, places) in CRATES {
            if let Some(named) = segments.iter().find(|segment| crates.contains(segment))
                && !places.iter().any(|place| path.starts_with(place))
            {
                fail(spelled.line, format!("`{named}` may be named only in {}", places.join(", ")));
            }
        }
        let test = spelled.in_test || is_test_file(path);
        match segments.as_slice() {
            ["std", "fs", ..] if !test && !FILES.contains(&path) => fail(spelled.line, "files go through `Storage`".into()),
            ["File", "open" | "create" | "create_new" | "options"] if !test && !FILES.contains(&path) => {
                fail(spelled.line, "files go through `Storage`".into());
            }
            ["std", "net", ..] | ["std", "os", _, "net", ..] if !["net/socket.rs", "editor/desktop.rs"].contains(&path) => {
                fail(spelled.line, "sockets live in net/socket.rs".into());
            }
            ["std", "*"] => fail(spelled.line, "a glob of `std` hides what is used".into()),
            [.., "Instant" | "SystemTime", "now"] if !test && below_editor(layer) => {
                fail(spelled.line, "time is passed in below `editor`".into())
            }
            _ => {}
        }
    }
    for name in bare_crates(&tokens) {
        for (crates, places) in CRATES {
            if crates.contains(&name.text.as_str()) && !places.iter().any(|place| path.starts_with(place)) {
                fail(name.line, format!("`{}` may be named only in {}", name.text, places.join(", ")));
            }
        }
        if name.text == "crate" {
            fail(name.line, "the crate has no other name".into());
        }
    }
    wrong
}

/// `use x;` and `use x as y;`: crates named without a path.
fn bare_crates(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    tokens
        .windows(3)
        .filter(|three| matches!(three[0].text.as_str(), "use" | "crate") && matches!(three[2].text.as_str(), ";" | "as"))
        .map(|three| &three[1])
}

/// All that is wrong with how the files lie together; paths relative to the root of the repository.
fn check_tree(files: &BTreeMap<String, String>) -> Vec<String> {
    let mut wrong = vec![];
    for (path, source) in files {
        if let Some(stem) = path.strip_prefix("shaders/").and_then(|name| name.strip_suffix(".wgsl")) {
            if !files.contains_key(&format!("src/render/{stem}.rs")) && !files.contains_key(&format!("src/render/{stem}/mod.rs")) {
                wrong.push(format!("{path}: there is no src/render/{stem}.rs"));
            }
            continue;
        }
        let Some(path) = path.strip_prefix("src/").filter(|path| path.ends_with(".rs")) else {
            if path.ends_with(".rs") && source.lines().count() > MOST_LINES {
                wrong.push(format!("{path}: a file has at most {MOST_LINES} lines"));
            }
            continue;
        };
        let module = module_of(path);
        let folder = module.first().map(|layer| format!("src/{layer}/"));
        let siblings: Vec<&str> = folder.map_or(vec![], |folder| {
            let names = files.keys().filter_map(|file| file.strip_prefix(&folder));
            names.map(|name| name.split(['/', '.']).next().unwrap_or(name)).collect()
        });
        wrong.extend(check_file(path, source, &siblings));

        let Some((name, parents)) = module.split_last() else { continue };
        let parent = parents.join("/");
        let homes = [format!("src/{parent}/mod.rs"), format!("src/{parent}.rs"), "src/lib.rs".to_owned()];
        let Some(home) = homes.iter().find(|home| !home.contains("//") && files.contains_key(*home)) else { continue };
        let tokens = rust_source::tokens(&files[home]);
        let spelled = |words: &[&str]| tokens.windows(words.len()).any(|some| some.iter().zip(words).all(|(a, b)| a.text == *b));
        if !spelled(&["mod", name, ";"]) {
            wrong.push(format!("{home}: lacks `mod {name};` for src/{path}"));
        }
        if let [folder] = parents
            && let Some((_, shared)) = PLUGINS.iter().find(|(plugins, _)| plugins == folder)
            && !shared.contains(&name.as_str())
            && !is_test_file(path)
            && !spelled(&[name, "::"])
        {
            wrong.push(format!("{home}: plugin `{name}` is not in the registry"));
        }
    }
    wrong
}

/// Module of a file below `src/`, from the crate's root: `tool/brush.rs` is `[tool, brush]`.
fn module_of(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if matches!(path, "lib" | "main") { vec![] } else { path.split('/').map(str::to_owned).collect() }
}

fn is_layer(name: &str) -> bool {
    LAYERS.iter().any(|(layer, _)| *layer == name && !matches!(name, "main" | "lib"))
}

fn below_editor(layer: &str) -> bool {
    EDITOR.contains(&layer)
}

/// A file that its parent declares under `#[cfg(test)]`.
fn is_test_file(path: &str) -> bool {
    // `corpus` modules try real maps, from a folder that the environment names.
    path.ends_with("/tests.rs") || path.contains("/tests/") || path.ends_with("/corpus.rs")
}

fn gather(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(root, &path, files);
        } else if path.extension().is_some_and(|kind| kind == "rs" || kind == "wgsl") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn the_crate_keeps_to_its_plan() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = BTreeMap::new();
    for folder in ["src", "shaders", "tests", "benches"] {
        gather(root, &root.join(folder), &mut files);
    }
    assert!(files.contains_key("src/lib.rs") && files.len() > 20, "the sources were not found");
    let wrong = check_tree(&files);
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn every_row_of_the_table_stands_below_what_uses_it() {
    for (at, (layer, uses)) in LAYERS.iter().enumerate() {
        for used in *uses {
            let place = LAYERS.iter().position(|(name, _)| name == used);
            let flat = matches!((*layer, *used), ("main", _));
            assert!(place.is_some_and(|place| place < at || flat), "{layer} uses {used}");
        }
    }
}

/// The file breaks exactly one rule, whose message holds `expected`; an empty one means that it breaks none.
#[track_caller]
fn check(path: &str, code: &str, expected: &str) {
    let wrong = check_file(path, &format!("//! Words.\n{code}"), &["mod", "a", "b", "options", "canvas"]);
    if expected.is_empty() {
        assert_eq!(wrong, Vec::<String>::new(), "{code}");
    } else {
        assert!(wrong.len() == 1 && wrong[0].contains(expected), "{code}: {wrong:?}");
    }
}

#[test]
fn imports_upward_are_found_however_they_are_spelled() {
    check("voxel/store.rs", "use crate::geom::Region;", "");
    check("voxel/store.rs", "use crate::document::Document;", "`voxel` must not use `document`");
    check("voxel/store.rs", "use crate::{geom::Region, ui};", "must not use `ui`");
    check("voxel/store.rs", "fn f() { crate::edit::run() }", "must not use `edit`");
    check("voxel/store.rs", "use super::super::edit::Command;", "must not use `edit`");
    check("voxel/store.rs", "mod deep { use super::super::super::edit; }", "must not use `edit`");
    check("voxel/store.rs", "use crate::*;", "glob");
    check("voxel/store.rs", "use crate as me;", "no other name");
    check("voxel/store.rs", "// use crate::ui;\nconst A: &str = \"crate::ui::x\";", "");
    check("render/chunks.rs", "use crate::document::Document;", "`render` must not use `document`");
    check("cli/a.rs", "use crate::render::Picture; use crate::editor::Editor;", "");
    check("cli/a.rs", "use crate::ui::App;", "`cli` must not use `ui`");
    check("main.rs", "fn main() { spadework::cli::run() }", "");
    check("main.rs", "fn main() { spadework::editor::run() }", "`main` must not use `editor`");
    check("stuff/a.rs", "", "not in the table");
}

#[test]
fn crates_are_named_only_in_their_place() {
    check("ui/panel.rs", "use egui::Ui;", "");
    check("editor/mod.rs", "use egui::Ui;", "`egui` may be named only in ui/");
    check("editor/mod.rs", "use eframe;", "`eframe` may be named only in ui/");
    check("main.rs", "fn main() { eframe::run_native() }", "`eframe`");
    check("ui/panel.rs", "use wgpu::Device;", "`wgpu`");
    check("ui/panel.rs", "use eframe::wgpu::Device;", "`wgpu`");
    check("ui/viewport.rs", "use wgpu::Device;", "");
    check("render/chunks.rs", "use wgpu::Device;", "");
    check("mesh/mod.rs", "use naga as n;", "`naga`");
    check("main.rs", "use clap::Parser;", "`clap` may be named only in cli/");
}

#[test]
fn files_sockets_and_clocks_stay_in_their_place() {
    check("editor/storage/real.rs", "use std::fs::File; fn f() { File::open(x) }", "");
    check("format/a.rs", "use std::fs;", "Storage");
    check("format/a.rs", "use std::{fmt, fs::File};", "Storage");
    check("format/a.rs", "fn f() { File::create(x) }", "Storage");
    check("format/a.rs", "#[cfg(test)]\nmod tests { use std::fs; }", "");
    check("net/socket.rs", "use std::net::UdpSocket;", "");
    check("net/session.rs", "use std::net::UdpSocket;", "net/socket.rs");
    check("ui/mod.rs", "use std::os::unix::net::UnixStream;", "net/socket.rs");
    check("edit/mod.rs", "use std::time::Instant; fn f() { Instant::now() }", "time is passed in");
    check("net/session.rs", "fn f() { std::time::SystemTime::now() }", "time is passed in");
    check("editor/mod.rs", "fn f() { std::time::Instant::now() }", "");
}

#[test]
fn plugins_do_not_name_each_other() {
    check("format/a.rs", "use super::b::Thing;", "plugin `a` must not name plugin `b`");
    check("format/a/read.rs", "use crate::format::b::Thing;", "plugin `a` must not name plugin `b`");
    check("format/a/read.rs", "use super::super::merge::Kinds; use super::write; use crate::format::Report;", "");
    check("format/mod.rs", "use self::b::Thing;", "");
    check("terrain/a.rs", "use super::canvas::Canvas;", "");
}

#[test]
fn files_have_a_heading_and_an_end() {
    assert!(check_file("geom/a.rs", "use std::fmt;", &[])[0].contains("begins with `//!`"));
    check("geom/a.rs", &"\n".repeat(MOST_LINES), "at most 800 lines");
    check("geom/a.rs", &"\n".repeat(MOST_LINES - 1), "");
}

#[test]
fn modules_registries_and_shaders_are_complete() {
    let tree = |files: &[(&str, &str)]| {
        check_tree(&files.iter().map(|(path, code)| ((*path).to_owned(), format!("//! Words.\n{code}"))).collect())
    };
    let root = ("src/lib.rs", "mod format; mod render;");
    let registry = "mod a; const FORMATS: &[&dyn Format] = &[&a::A];";
    assert_eq!(tree(&[root, ("src/format/mod.rs", registry), ("src/format/a.rs", "")]), Vec::<String>::new());
    let lost = tree(&[root, ("src/format/mod.rs", registry), ("src/format/a.rs", ""), ("src/format/b.rs", "")]);
    assert!(lost.len() == 2 && lost[0].contains("lacks `mod b;`") && lost[1].contains("not in the registry"), "{lost:?}");
    let unlisted = tree(&[root, ("src/format/mod.rs", "mod a;"), ("src/format/a.rs", "")]);
    assert!(unlisted.len() == 1 && unlisted[0].contains("`a` is not in the registry"), "{unlisted:?}");
    assert_eq!(tree(&[("shaders/x.wgsl", ""), ("src/render/x.rs", "")]), Vec::<String>::new());
    assert!(tree(&[("shaders/y.wgsl", "")])[0].contains("no src/render/y.rs"));
    assert!(tree(&[("tests/headless/a.rs", &"\n".repeat(MOST_LINES))])[0].contains("at most 800 lines"));
}
