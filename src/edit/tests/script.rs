//! The script format's specification holds examples that work.

use super::examples::{flat, run};
use crate::document::Progress;
use crate::edit::{Command, plan};

const SPECIFICATION: &str = include_str!("../../../docs/script.md");

pub(super) fn examples() -> Vec<&'static str> {
    let mut inside = false;
    let mut lines = vec![];
    for line in SPECIFICATION.lines() {
        match line.trim() {
            "```json" => inside = true,
            "```" => inside = false,
            line if inside && !line.is_empty() && !line.starts_with('#') => lines.push(line),
            _ => {}
        }
    }
    lines
}

#[test]
fn every_example_is_a_command() {
    let examples = examples();
    assert!(examples.len() > 20);
    for line in examples.iter().filter(|line| !line.starts_with(r#"{"spadework""#)) {
        if let Err(error) = serde_json::from_str::<Command>(line) {
            panic!("{line}: {error}");
        }
    }
}

#[test]
fn every_command_has_an_example() {
    let source = include_str!("../command.rs");
    let variants = source.lines().filter_map(|line| line.trim().split_once("(ops::").map(|(name, _)| name));
    for variant in variants.filter(|name| name.chars().all(char::is_alphanumeric)) {
        let mut key = String::new();
        for letter in variant.chars() {
            if letter.is_uppercase() && !key.is_empty() {
                key.push('_');
            }
            key.push(letter.to_ascii_lowercase());
        }
        let start = format!("{{\"{key}\":");
        assert!(examples().iter().any(|line| line.starts_with(&start)), "no example of {key}");
    }
}

#[test]
fn commands_that_obey_the_masks_change_no_voxel_where_the_masks_let_nothing_through() {
    let mut document = flat(304, 55);
    run(&mut document, r#"{"select":{"box":[[2,2,58],[20,22,64]]}}"#);
    run(&mut document, r##"{"set":{"at":[256,256,40],"color":"#3c7a2a"}}"##);
    run(&mut document, r#"{"set_symmetry":{"kind":"mirror_x","center":[152,152]}}"#);
    let mut masked = document.clone();
    run(&mut masked, r#"{"set_masks":{"z":[500,500]}}"#);
    let (mut obeying, mut others) = (vec![], vec![]);
    for line in examples() {
        let Ok(command) = serde_json::from_str::<Command>(line) else { continue };
        let voxels = |document| plan(document, &command, &Progress::new()).is_ok_and(|change| change.voxel_bytes().0 > 0);
        let name = line.split('"').nth(1).unwrap();
        if voxels(&document) {
            assert_ne!(voxels(&masked), command.obeys_masks(), "{line}");
            if command.obeys_masks() { obeying.push(name) } else { others.push(name) }
        }
    }
    obeying.dedup();
    assert!(obeying.len() > 20 && others.len() > 1, "{obeying:?} {others:?}");
}
