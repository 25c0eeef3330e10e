//! Every shader parses and validates, and the uniforms lie where the Rust structs have them. Needs no GPU.

use std::fs;
use std::path::PathBuf;

use naga::valid::{Capabilities, ValidationFlags, Validator};

const HEAD: &str = "globals";

fn shaders() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wgsl"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap()))
        .collect();
    found.sort();
    found
}

fn with_head(name: &str) -> naga::Module {
    let sources = shaders();
    let source = |name: &str| sources.iter().find(|(stem, _)| stem == name).unwrap().1.clone();
    let text = if name == HEAD { source(HEAD) } else { source(HEAD) + &source(name) };
    naga::front::wgsl::parse_str(&text).unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)))
}

#[test]
fn every_shader_validates_without_any_capability_of_its_own() {
    let names: Vec<_> = shaders().into_iter().map(|(name, _)| name).collect();
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        validator.validate(&with_head(&name)).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
}

#[test]
fn every_shader_has_its_source_file() {
    for (name, _) in shaders() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/render").join(&name).with_extension("rs");
        assert!(path.exists(), "{}", path.display());
    }
}

#[cfg(feature = "gui")]
#[test]
fn the_globals_lie_where_the_shader_expects_them() {
    use spadework::render::Globals;

    let module = with_head(HEAD);
    let (_, ty) = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some("Globals")).unwrap();
    let naga::TypeInner::Struct { members, span } = &ty.inner else { panic!("Globals is a struct") };
    assert_eq!(*span as usize, size_of::<Globals>());
    let in_shader: Vec<_> = members.iter().map(|member| (member.name.as_deref().unwrap(), member.offset as usize)).collect();
    assert_eq!(in_shader, Globals::LAYOUT);
}
