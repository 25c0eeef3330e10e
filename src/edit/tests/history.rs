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
    const BUDGET: usize = 200_000;
    let (mut document, steps) = (document(), 100);
    let mut history = History::with_budget(BUDGET);
    let mut stores = vec![document.store().clone()];
    let mut sizes = vec![];
    for number in 0..steps {
        let forgotten = history.forgotten();
        sizes.push(step(&mut document, &mut history, number));
        stores.push(document.store().clone());
        if history.forgotten() > forgotten {
            let last = sizes[history.forgotten() - 1];
            assert!(
                history.held_bytes() + last > BUDGET / 4 * 3,
                "{} bytes are left, and the last forgotten had {last}",
                history.held_bytes()
            );
        }
        assert_eq!(history.forgotten() + history.len(), number as usize + 1, "nothing is lost on the way");
        assert_eq!(history.held_bytes(), sizes[history.forgotten()..].iter().sum::<usize>(), "each step once");
        assert!(history.held_bytes() <= BUDGET, "{}", history.held_bytes());
    }
    assert!((1..steps as usize).contains(&history.forgotten()), "{}", history.forgotten());
    history.undo(&mut document);
    let one_by_one: Vec<_> = (0..history.len() + 1).map_while(|index| history.entry_at(index)).collect();
    assert!(one_by_one == history.entries().collect::<Vec<_>>() && !one_by_one.last().unwrap().done);
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

/// Steps that come back behind later ones, some of all undone, in a history that does not keep them all.
#[track_caller]
fn check_prepended(later: i32, undone: usize, budget_bytes: usize) {
    let (mut document, older_steps) = (document(), 20);
    let (mut older, mut later_history) = (History::new(), History::after(older_steps as u64));
    later_history.set_budget(&mut document, budget_bytes);
    let mut stores = vec![document.store().clone()];
    for number in 0..older_steps + later {
        step(&mut document, if number < older_steps { &mut older } else { &mut later_history }, number);
        stores.push(document.store().clone());
    }
    let (mut history, all) = (later_history, (older_steps + later) as usize);
    let is_older = later == 0;
    for _ in 0..undone {
        if is_older { older.undo(&mut document) } else { history.undo(&mut document) }.unwrap();
    }
    assert!(older.held_bytes() > budget_bytes && history.held_bytes() <= budget_bytes);
    history.prepend(&mut document, older);
    assert_eq!((history.forgotten() + history.len(), history.forgotten() + history.head()), (all, all - undone));
    assert!(history.forgotten() > 0 && history.held_bytes() <= budget_bytes, "{} of {budget_bytes}", history.held_bytes());
    assert_eq!(history.budget_bytes(), budget_bytes);
    assert!(!history.take_dropped().is_empty(), "they are freed where nobody waits");
    let check = |document: &Document, at: usize| assert!(document.store().same_voxels(&stores[at]), "{at}");
    check(&document, all - undone);
    history.jump_to(&mut document, 0);
    check(&document, history.forgotten());
    history.jump_to(&mut document, history.len());
    check(&document, all);
}

#[test]
fn steps_that_come_back_before_others_are_forgotten_at_once_where_they_are_too_many() {
    for undone in [0, 1] {
        check_prepended(0, undone, 30_000);
        check_prepended(2, undone, 30_000);
        // The later ones are too many already: what came before the gap leads nowhere.
        check_prepended(8, undone, 30_000);
    }
}

#[test]
fn where_the_saved_state_is_gone_no_other_one_counts_as_saved() {
    let (mut document, mut history) = (document(), History::new());
    step(&mut document, &mut history, 0);
    step(&mut document, &mut history, 1);
    let saved = history.mark();
    // Meanwhile its last step makes room for another one.
    history.undo(&mut document);
    step(&mut document, &mut history, 2);
    history.mark_saved_at(&mut document, saved);
    for steps in 0..=history.len() {
        history.jump_to(&mut document, steps);
        assert!(history.is_modified(), "the file is not as the map is after {steps} steps");
    }
}

fn select(document: &mut Document, history: &mut History, x: i32) {
    let command = serde_json::from_str(&format!(r#"{{"select":{{"box":[[{x},0,0],[9,9,9]]}}}}"#)).unwrap();
    history.commit(document, plan(document, &command, &Progress::new()).unwrap());
}

#[test]
fn a_saved_state_is_there_whatever_is_selected_after_it() {
    let (mut document, mut history) = (document(), History::new());
    step(&mut document, &mut history, 0);
    select(&mut document, &mut history, 1);
    history.mark_saved_at(&mut document, history.mark());
    history.undo(&mut document);
    let begun = history.mark();
    select(&mut document, &mut history, 2);
    assert!(!history.is_modified() && history.knows_saved());
    // The same while a save runs.
    history.undo(&mut document);
    select(&mut document, &mut history, 3);
    history.mark_saved_at(&mut document, begun);
    assert!(!history.is_modified() && history.knows_saved());
    // What is forgotten behind the saved state only selects.
    for x in 0..4 {
        select(&mut document, &mut history, x);
    }
    history.set_budget(&mut document, 0);
    assert_eq!((history.len(), history.is_modified(), history.knows_saved()), (1, false, true));
    history.undo(&mut document);
    assert!(!history.is_modified());
}

#[test]
fn a_save_that_began_before_older_steps_came_back_is_one_of_the_state_between() {
    for (later, older_selects, undone) in
        [(0, false, 0), (1, false, 0), (0, true, 0), (1, true, 0), (0, false, 1), (0, true, 1), (0, false, 2)]
    {
        let (mut document, mut older, mut history) = (document(), History::after(0), History::after(2));
        step(&mut document, &mut older, 0);
        match older_selects {
            true => select(&mut document, &mut older, 0),
            false => _ = step(&mut document, &mut older, 1),
        }
        for _ in 0..undone {
            older.undo(&mut document);
        }
        let begun = history.mark();
        for number in 0..later {
            step(&mut document, &mut history, 2 + number);
        }
        history.prepend(&mut document, older);
        history.mark_saved_at(&mut document, begun);
        assert_eq!((history.knows_saved(), history.is_modified()), (true, later > 0));
        // Whichever steps are done, those that changed the map tell.
        for steps in 0..=history.len() {
            history.jump_to(&mut document, steps);
            let is_same = steps == 2 - undone || (older_selects && matches!((steps, undone), (1, 0) | (2, 1)));
            assert_eq!(history.is_modified(), !is_same, "{steps} steps, {undone} undone");
        }
    }
}

#[test]
fn where_the_saved_state_is_not_known_older_steps_bring_none_and_those_that_were_undone_can_be_redone() {
    for is_unknown in [false, true] {
        let (mut document, mut older, mut history) = (document(), History::after(0), History::after(2));
        for number in 0..3 {
            step(&mut document, &mut older, number);
        }
        older.undo(&mut document);
        // While the older steps are made once more.
        match is_unknown {
            true => history.mark_saved_unknown(),
            false => history.mark_saved_at(&mut document, history.mark()),
        }
        history.prepend(&mut document, older);
        assert_eq!((history.head(), history.len()), (2, 3));
        for steps in 0..=3 {
            history.jump_to(&mut document, steps);
            assert_eq!(history.is_modified(), is_unknown || steps != 2, "{steps}");
        }
    }
}

#[test]
fn texts_count_as_long_as_only_the_history_holds_them() {
    let (mut document, mut history) = (document(), History::new());
    let mut run = |json: String| {
        let change = plan(&document, &serde_json::from_str(&json).unwrap(), &Progress::new()).unwrap();
        let size = change.size_bytes();
        history.commit(&mut document, change);
        size
    };
    let long = "x".repeat(100_000);
    let added = run(format!(r#"{{"add_object":{{"marker":{{"label":"{long}","at":{{"x":1,"y":2}}}}}}}}"#));
    let beside = run(r#"{"add_object":{"marker":{"label":"b","at":{"x":3,"y":2}}}}"#.into());
    assert!(added < 1000 && beside < 1000, "the map holds it: {added} {beside}");
    let removed = run(r#"{"remove_object":{"id":1}}"#.into());
    assert!((100_000..101_000).contains(&removed), "{removed}");
    let set = run(format!(r#"{{"set_property":{{"description":"{long}"}}}}"#));
    let replaced = run(r#"{"set_property":{"description":null}}"#.into());
    assert!(set < 1000 && (100_000..101_000).contains(&replaced), "{set} {replaced}");
}

#[test]
fn whole_maps_and_selections_that_a_step_replaced_count() {
    let (mut document, mut history) = (document(), History::new());
    let mut run = |json: &str| {
        let change = plan(&document, &serde_json::from_str(json).unwrap(), &Progress::new()).unwrap();
        let size = change.size_bytes();
        history.commit(&mut document, change);
        (size, document.store().size_bytes())
    };
    let (_, map) = run(r##"{"styled":{"style":{"noise":{"strength":90}},"of":{"fill":{"box":[[0,0,20],[64,64,64]],"color":"#808080"}}}}"##);
    assert!(map > 100_000, "{map}");
    let (resized, _) = run(r#"{"resize":{"box":[[0,0,0],[70,70,64]]}}"#);
    assert!((map..map + 10_000).contains(&resized), "{resized} of {map}");
    let (first, _) = run(r##"{"select_where":{"masks":{"colors":["#808080"],"tolerance":60}}}"##);
    let (second, _) = run(r#"{"select":{}}"#);
    assert!(first < 1000 && second > first + 10_000, "the selection counts with the step that replaces it: {first}, {second}");
}
