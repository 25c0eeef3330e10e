//! What a history keeps within its budget, and what it forgets.

use glam::IVec3;

use crate::document::{Document, GameProfile, Progress};
use crate::edit::{Command, History, ops, plan};
use crate::geom::Region;
use crate::voxel::{Rgb, Store};

fn document() -> Document {
    Document::new(Store::new(Region::of_size(IVec3::new(64, 64, 64))), &GameProfile::ACE_OF_SPADES)
}

/// Sets a voxel; answers the bytes that the step keeps.
fn step(document: &mut Document, history: &mut History, number: i32) -> usize {
    let (at, color) = (IVec3::new(number % 32, number / 32, 40), Rgb::new(number as u8, 1, 2));
    let change = plan(document, &Command::Set(ops::Set { at, color }), &Progress::new()).unwrap();
    let size = change.size_bytes();
    history.commit(document, change);
    size
}

#[test]
fn the_oldest_steps_are_forgotten_first_and_the_others_can_still_be_undone() {
    let (mut document, steps) = (document(), 40);
    let mut history = History::with_budget(20_000);
    let mut stores = vec![document.store().clone()];
    let mut sizes = vec![];
    for number in 0..steps {
        sizes.push(step(&mut document, &mut history, number));
        stores.push(document.store().clone());
        assert_eq!(history.forgotten() + history.len(), number as usize + 1, "nothing is lost on the way");
        assert_eq!(history.held_bytes(), sizes[history.forgotten()..].iter().sum::<usize>(), "each step once");
        assert!(history.held_bytes() <= 20_000, "{}", history.held_bytes());
    }
    assert!((1..steps as usize).contains(&history.forgotten()), "{}", history.forgotten());
    while history.undo(&mut document).is_some() {}
    assert!(document.store().same_voxels(&stores[history.forgotten()]), "back to the first state that is kept");
    while history.redo(&mut document).is_some() {}
    assert!(document.store().same_voxels(&stores[steps as usize]));
}

#[test]
fn a_step_keeps_what_it_replaced_and_not_what_the_next_step_keeps() {
    let (mut document, mut history) = (document(), History::new());
    let sizes: Vec<_> = (0..10).map(|number| step(&mut document, &mut history, number)).collect();
    let chunk = document.store().chunks().map(|(_, chunk)| chunk.size_bytes()).max().unwrap();
    assert_eq!(history.held_bytes(), sizes.iter().sum::<usize>());
    assert!(sizes[9] < chunk + 256, "{} bytes, of a chunk of {chunk}", sizes[9]);
    // What is undone and not redone needs no memory once another step takes its place.
    for _ in 0..5 {
        history.undo(&mut document);
    }
    let last = step(&mut document, &mut history, 20);
    assert_eq!(history.held_bytes(), sizes[..5].iter().sum::<usize>() + last);
    assert_eq!(history.take_dropped().len(), 5, "they are freed where nobody waits");
}

#[test]
fn a_step_larger_than_the_budget_can_be_undone_all_the_same() {
    let (mut document, mut history) = (document(), History::with_budget(0));
    for number in 0..3 {
        step(&mut document, &mut history, number);
    }
    assert_eq!((history.len(), history.forgotten()), (1, 2));
    assert!(history.undo(&mut document).is_some());
}
