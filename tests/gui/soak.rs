//! Presses what the window offers at random, on and on: nothing may panic, hang or mix up the steps.
//!
//! Run by `./dev trial soak`; the arguments are seconds and a seed. What can be reached is what a screen
//! reader can reach: every widget that takes input and the map. Each session has a seed of its own, which a
//! fault names together with the last things that were done.

// Whatever goes wrong stops the run: that is the trial.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use egui::accesskit::Role;
use spadework::editor::settings::Settings;
use spadework::editor::{ACTIONS, Action};
use spadework::render::Headless;
use spadework::ui::FileAnswer;
use spadework_gui_tests::{Window, flat, island};

/// Things done in one window before a new one is opened.
const ACTIONS_A_SESSION: usize = 300;
/// Things done between two looks at the steps.
const ACTIONS_A_CHECK: usize = 50;
/// The last things that a fault names.
const TRAIL: usize = 12;
/// What is typed into fields: numbers in and out of range, words, nothing.
const TEXTS: [&str; 10] = ["0", "1", "7", "-3", "64", "511", "99999999999", "#ff8000", "castle", ""];
/// Keys that mean something besides those of the table of actions.
const KEYS: [&str; 14] = ["Escape", "Enter", "Tab", "Space", "Home", "Delete", "ArrowLeft", "ArrowUp", "[", "]", "T", "R", "G", "7"];

/// Answers to questions about files.
const FILES: [&str; 5] = ["a.vxl", "b.vmf", "c.png", "d.glb", "missing.vox"];

/// A generator (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn place(&mut self) -> [f32; 2] {
        [0.05 + self.below(90) as f32 / 100.0, 0.05 + self.below(90) as f32 / 100.0]
    }
}

/// What was done, by kind, and the last of it in words.
#[derive(Default)]
struct Diary {
    kinds: BTreeMap<&'static str, u64>,
    last: Vec<String>,
}

impl Diary {
    fn note(&mut self, kind: &'static str, what: String) {
        *self.kinds.entry(kind).or_default() += 1;
        self.last.push(format!("{kind} {what}"));
        if self.last.len() > TRAIL {
            self.last.remove(0);
        }
    }
}

fn main() {
    let number = |index| std::env::args().nth(index).map(|word: String| word.parse::<u64>().expect("usage: soak SECONDS [SEED]"));
    let seconds = number(1).unwrap_or(3600);
    let first = number(2).unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs()));
    // A name typed without a folder must not leave files about.
    let folder = tempfile::tempdir().unwrap();
    std::env::set_current_dir(folder.path()).unwrap();
    let (begun, mut kinds, mut sessions) = (Instant::now(), BTreeMap::<&str, u64>::new(), 0);
    // Held all the time, so that no window loads the driver anew: NVIDIA's can be loaded 28 times by a process.
    let _driver = Headless::new(1).expect("no graphics adapter");
    println!("seed {first}");
    while begun.elapsed() < Duration::from_secs(seconds) {
        let (seed, diary) = (first.wrapping_add(sessions), Rc::new(RefCell::new(Diary::default())));
        let told = diary.clone();
        if catch_unwind(AssertUnwindSafe(|| session(seed, &told))).is_err() {
            eprintln!("fault: session of seed {seed}; the last things done:");
            diary.borrow().last.iter().for_each(|done| eprintln!("    {done}"));
            std::process::exit(1);
        }
        diary.borrow().kinds.iter().for_each(|(kind, count)| *kinds.entry(kind).or_default() += count);
        sessions += 1;
        if sessions.is_multiple_of(10) {
            println!("{sessions} sessions, {} s", begun.elapsed().as_secs());
        }
    }
    println!("soak: {} actions in {sessions} sessions, {} s, no fault", kinds.values().sum::<u64>(), begun.elapsed().as_secs());
    for (kind, count) in kinds {
        println!("    {count:>7} {kind}");
    }
}

fn session(seed: u64, diary: &RefCell<Diary>) {
    let mut random = Random(seed);
    let mut window = Window::of_size(*random.of(&[[1100.0, 720.0], [800.0, 500.0]]), Settings::default()).expect("no graphics adapter");
    // What is typed at random has letters that no font knows.
    window.allow_missing_glyphs();
    if random.below(5) > 0 {
        window.act(Action::New(if random.below(2) == 0 { flat() } else { island() }));
    }
    for action in 1..=ACTIONS_A_SESSION {
        step(&mut window, &mut random, diary);
        let told = window.app().editor.messages().iter().find(|message| message.text.contains("internal error"));
        assert!(told.is_none(), "{told:?}");
        if action % ACTIONS_A_CHECK == 0 {
            check_steps(&mut window);
        }
    }
}

fn step(window: &mut Window, random: &mut Random, diary: &RefCell<Diary>) {
    let note = |kind, what: String| diary.borrow_mut().note(kind, what);
    // A question about a file is answered in each of the ways that there are.
    window.dialogs.answer(match random.below(4) {
        0 => FileAnswer::Cancelled,
        1 => FileAnswer::NoDialogs,
        _ => FileAnswer::Chosen(window.file(FILES[random.below(FILES.len())])),
    });
    let has_map = window.sees("Map viewport");
    match random.below(10) {
        0..=2 if has_map => {
            let (from, to) = (random.place(), random.place());
            note("drag", format!("{from:?} {to:?}"));
            if window.app().shell.dialog.is_none() { window.drag(&[from, to]) } else { window.press("Escape") }
        }
        3 => {
            let shortcuts: Vec<&str> = ACTIONS.iter().flat_map(|action| action.key.split_whitespace()).collect();
            let shortcut = random.of(&shortcuts);
            note("shortcut", (*shortcut).into());
            window.press(shortcut);
        }
        4 => {
            let key = random.of(&KEYS);
            note("key", (*key).into());
            window.press(key);
        }
        5 => {
            let text = random.of(&TEXTS);
            note("text", (*text).into());
            window.press("Ctrl+A");
            window.type_text(text);
            window.press("Enter");
        }
        _ => {
            let inputs = window.inputs();
            if inputs.is_empty() {
                return;
            }
            let (role, name) = random.of(&inputs).clone();
            note("click", format!("{role:?} {name:?}"));
            click(window, role, &name);
        }
    }
}

fn click(window: &mut Window, role: Role, name: &str) {
    // Several may have the name: the last one is as good as the first.
    if window.rect_of(role, name).is_some() {
        window.click_last(role, name);
    }
}

/// All steps back and forth give the same map again.
fn check_steps(window: &mut Window) {
    // Behind the question about unsaved edits nobody undoes: it would have nothing more to ask and close the map.
    for _ in 0..4 {
        if window.app().shell.dialog.is_some() {
            window.press("Escape");
        }
    }
    let Some(open) = window.app().editor.active() else { return };
    let (before, head, id) = (open.document().clone(), open.history().head(), open.id());
    window.act(Action::JumpTo(0));
    window.act(Action::JumpTo(head));
    let open = window.app().editor.document(id).expect("the map is gone");
    assert_eq!(open.history().head(), head);
    assert!(open.document().store().same_voxels(before.store()), "undone and done again, the map is another");
    assert_eq!(open.document().objects, before.objects);
    assert_eq!(open.document().metadata, before.metadata);
}
