//! The script format's specification holds examples that work.

use crate::edit::Command;

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
