//! Kills of the window while it is being clicked: what its log said to be in the journal is not lost.
//!
//! The window runs on an X server of its own (Xvfb) and is driven by xdotool. Its log on standard error
//! names every entry that the journal holds. The journal's frames are read here once more, by their
//! documented form, and their commands run as a script: that must give the recovered map.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

use crate::map;
use crate::program::{Expected, Set, Workplace};
use crate::random::Random;

/// Longest time that a window takes to come up.
const PATIENCE: Duration = Duration::from_secs(90);
/// Longest time from the first click to the kill.
const LIFE: Duration = Duration::from_secs(8);
/// Columns on a side of the map.
const SIDE: u32 = 128;
/// Keys pressed between strokes: tools, modes, undo, redo, save, agreeing.
const KEYS: [&str; 12] = ["b", "h", "v", "t", "r", "g", "ctrl+z", "ctrl+z", "ctrl+shift+z", "ctrl+s", "Return", "ctrl+s"];

/// Kills so many windows; fails at the first fault.
pub fn run(program: &Path, kills: u32, seed: u64) -> anyhow::Result<()> {
    if kills == 0 {
        return Ok(());
    }
    let (begun, mut tally) = (Instant::now(), BTreeMap::<&str, u64>::new());
    let screen = Screen::start()?;
    let place = Workplace::new(program)?;
    place.put("flat.vxl", &map::flat(SIDE))?;
    place.put("spawn.jsonl", map::SPAWN.as_bytes())?;
    place.call(&["apply", "flat.vxl", "spawn.jsonl", "-o", "base.vxl"])?;
    let base = place.set("base");
    let mut expected = Expected::new(program, &base)?;
    for kill in 0..kills {
        let mut random = Random::new(seed.wrapping_add(1_000_000 + u64::from(kill)));
        place.clear()?;
        place.put_set("castle", &base)?;
        let one = one(&place, &screen, &base, &mut expected, &mut random).with_context(|| format!("window {kill} of seed {seed}"))?;
        for (name, count) in one {
            *tally.entry(name).or_default() += count;
        }
        if (kill + 1) % 10 == 0 {
            println!("{} windows killed, {} s", kill + 1, begun.elapsed().as_secs());
        }
    }
    println!("window: {kills} kills in {} s, nothing lost, nothing torn", begun.elapsed().as_secs());
    for (name, count) in tally {
        println!("    {count:>6} {name}");
    }
    Ok(())
}

/// An X server without a screen.
struct Screen {
    server: Child,
    name: String,
}

impl Screen {
    fn start() -> anyhow::Result<Self> {
        // Without a reset, which comes when the last window is gone and turns the next one away.
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("Xvfb cannot be started")?;
        let mut number = String::new();
        BufReader::new(server.stdout.take().context("no output")?).read_line(&mut number)?;
        ensure!(!number.trim().is_empty(), "Xvfb did not start");
        Ok(Self { server, name: format!(":{}", number.trim()) })
    }

    fn xdotool(&self, words: &[String]) -> anyhow::Result<String> {
        let output = Command::new("xdotool").args(words).env("DISPLAY", &self.name).stderr(Stdio::null()).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may be gone already.
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

/// One window: clicked, killed, looked at.
fn one(
    place: &Workplace,
    screen: &Screen,
    base: &Set,
    expected: &mut Expected,
    random: &mut Random,
) -> anyhow::Result<Vec<(&'static str, u64)>> {
    let mut command = place.command(&["castle.vxl"]);
    command.env("DISPLAY", &screen.name).env_remove("WAYLAND_DISPLAY").env("SPADEWORK_LOG", "debug").stdout(Stdio::null());
    let mut window = command.spawn()?;
    let (held, has_begun) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let lines = BufReader::new(window.stderr.take().context("no log")?).lines();
    let reader = {
        let (held, has_begun) = (held.clone(), has_begun.clone());
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some((_, number)) = line.split_once(".journal holds entry ") {
                    held.fetch_max(number.trim().parse().unwrap_or(0), Ordering::Relaxed);
                } else if line.trim_end().ends_with(".journal is begun") {
                    has_begun.store(true, Ordering::Relaxed);
                }
            }
        })
    };
    if let Err(error) = wait_for_window(screen, &mut window, &has_begun) {
        window.kill().ok();
        window.wait()?;
        return Err(error);
    }
    let life = random.part_of(LIFE);
    let window = Arc::new(Mutex::new(window));
    let is_dead = Arc::new(AtomicBool::new(false));
    let killer = {
        let (window, is_dead) = (window.clone(), is_dead.clone());
        thread::spawn(move || {
            thread::sleep(life);
            let killed = window.lock().unwrap_or_else(PoisonError::into_inner).kill();
            is_dead.store(true, Ordering::Relaxed);
            killed
        })
    };
    let mut gestures = 0;
    while !is_dead.load(Ordering::Relaxed) {
        screen.xdotool(&gesture(random))?;
        gestures += 1;
    }
    killer.join().ok().context("the killer failed")??;
    let status = window.lock().unwrap_or_else(PoisonError::into_inner).wait()?;
    ensure!(status.code().is_none(), "the window ended by itself: {status}");
    reader.join().ok().context("the reader failed")?;
    let mut met = check(place, base, expected, held.load(Ordering::Relaxed))?;
    met.push(("gestures", gestures));
    Ok(met)
}

fn wait_for_window(screen: &Screen, window: &mut Child, has_begun: &AtomicBool) -> anyhow::Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(status) = window.try_wait()? {
            bail!("the window did not open: {status}");
        }
        let found = screen.xdotool(&["search".into(), "--name".into(), "Spadework".into()])?;
        if let Some(id) = found.lines().next().filter(|_| has_begun.load(Ordering::Relaxed)) {
            // There is no window manager that would give it the keys.
            screen.xdotool(&["windowfocus".into(), id.into()])?;
            return Ok(());
        }
        thread::sleep(Duration::from_millis(100));
    }
    bail!("no window in {PATIENCE:?}")
}

/// A stroke across the map, or a key.
fn gesture(random: &mut Random) -> Vec<String> {
    let mut place = || [300 + random.below(450), 250 + random.below(400)].map(|at| at.to_string());
    let ([x, y], [to_x, to_y]) = (place(), place());
    if random.below(3) == 0 {
        return vec!["key".into(), KEYS[random.below(KEYS.len() as u64) as usize].into()];
    }
    let words = ["mousemove", &x, &y, "mousedown", "1", "sleep", "0.05", "mousemove", &to_x, &to_y, "sleep", "0.05", "mouseup", "1"];
    words.map(String::from).to_vec()
}

/// The commands that are done after each entry of a journal, by its documented form, and where saves began.
struct Steps {
    entries: u64,
    done: Vec<String>,
    saving: Vec<Vec<String>>,
}

fn read_journal(path: &Path) -> anyhow::Result<Steps> {
    let text = std::fs::read_to_string(path)?;
    let mut frames = text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(|line| line.get(18..));
    // The header stands there twice.
    frames.next();
    frames.next();
    let (mut steps, mut undone) = (Steps { entries: 0, done: vec![], saving: vec![] }, vec![]);
    for frame in frames {
        let entry: Value = serde_json::from_str(frame.context("a frame is short")?)?;
        steps.entries += 1;
        match &entry {
            Value::String(kind) if kind == "undo" => undone.extend(steps.done.pop()),
            Value::String(kind) if kind == "redo" => steps.done.extend(undone.pop()),
            entry if entry["do"].is_object() => {
                undone.clear();
                steps.done.push(entry["do"]["command"].to_string());
            }
            entry if entry["saving"].is_object() => steps.saving.push(steps.done.clone()),
            entry if entry["placing"].is_object() || entry["saved"].is_object() => {}
            other => bail!("an entry that this trial does not know: {other}"),
        }
    }
    Ok(steps)
}

fn check(place: &Workplace, base: &Set, expected: &mut Expected, held: u64) -> anyhow::Result<Vec<(&'static str, u64)>> {
    let journals: Vec<_> = place.journal_files().into_iter().filter(|path| path.extension().is_some_and(|end| end == "journal")).collect();
    let [journal] = &journals[..] else { bail!("one journal expected: {journals:?}") };
    let steps = read_journal(journal)?;
    ensure!(steps.entries >= held, "lost: the log named entry {held}, the journal has {}", steps.entries);
    let leftovers = place.leftovers()?;
    place.call(&["info", "castle.vxl"])?;
    let found = place.set("castle");
    let mut is_known = found == *base;
    for saving in &steps.saving {
        is_known = is_known || found == expected.after(saving)?;
    }
    ensure!(is_known, "torn: the map is neither the old one nor one that was being saved");
    let mut met = vec![("entries held by the journals", held), ("saves begun", steps.saving.len() as u64)];
    met.push(("maps found saved", u64::from(found != *base)));
    match &leftovers[..] {
        // Nothing was done, or nothing since the last save.
        [] => ensure!(found == expected.after(&steps.done)? || steps.entries == 0, "lost: there is no journal to recover"),
        [left] => {
            let id = left["id"].as_str().context("no id")?;
            place.call(&["recover", id, "-o", "recovered.vxl"])?;
            ensure!(place.set("recovered") == expected.after(&steps.done)?, "the recovered map is another");
            met.push(("journals recovered, each equal to its commands run as a script", 1));
        }
        more => bail!("{} journals of one window", more.len()),
    }
    Ok(met)
}
