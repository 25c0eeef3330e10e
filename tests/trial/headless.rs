//! Kills of `apply --ack`: no acknowledged command may be lost, no file may be torn.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use crate::map;
use crate::program::{Expected, Set, Workplace};
use crate::random::Random;

/// Kills with the same map and script.
const KILLS_A_SCRIPT: u32 = 25;
/// Commands of a script.
const COMMANDS: usize = 80;
/// A line of the journal of these commands takes less, in bytes.
const LONGEST_LINE: u64 = 1000;

/// Kills so many calls; fails at the first fault, naming what repeats it.
pub fn run(program: &Path, kills: u32, seed: u64) -> anyhow::Result<()> {
    let (begun, mut tally) = (Instant::now(), BTreeMap::<&str, u32>::new());
    let mut round = None;
    for kill in 0..kills {
        let mut random = Random::new(seed.wrapping_add(u64::from(kill)));
        if kill % KILLS_A_SCRIPT == 0 {
            round = Some(Round::new(program, &mut random)?);
        }
        let round = round.as_mut().context("no round")?;
        let moment = [Moment::Saving, Moment::AnyTime, Moment::AfterNumber][kill as usize % 3];
        let order = Order { is_in_place: kill % 2 == 0, moment };
        let outcome = round.kill(&order, &mut random).with_context(|| format!("kill {kill} of seed {seed}, {order:?}"))?;
        for name in outcome {
            *tally.entry(name).or_default() += 1;
        }
        if (kill + 1) % 100 == 0 {
            println!("{} killed, {} s", kill + 1, begun.elapsed().as_secs());
        }
    }
    println!("apply --ack: {kills} kills in {} s, nothing lost, nothing torn", begun.elapsed().as_secs());
    for (name, count) in tally {
        println!("    {count:>6} {name}");
    }
    Ok(())
}

/// How a call is made and killed.
#[derive(Debug)]
struct Order {
    /// Over the map itself, else into a new file.
    is_in_place: bool,
    moment: Moment,
}

/// When the kill comes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moment {
    /// At any time.
    AnyTime,
    /// At once after some number was printed.
    AfterNumber,
    /// Some time after the last number was printed.
    Saving,
}

/// A map and a script.
struct Round {
    place: Workplace,
    expected: Expected,
    base: Set,
    script: Vec<String>,
    /// How long a call takes, and its last part, in which it saves.
    whole: Duration,
    saving: Duration,
}

impl Round {
    fn new(program: &Path, random: &mut Random) -> anyhow::Result<Self> {
        let place = Workplace::new(program)?;
        let side = [64, 64, 128, 512][random.below(4) as usize];
        place.put("flat.vxl", &map::flat(side))?;
        place.put("spawn.jsonl", map::SPAWN.as_bytes())?;
        place.call(&["apply", "flat.vxl", "spawn.jsonl", "-o", "base.vxl"])?;
        let base = place.set("base");
        ensure!(base.0.is_some() && base.1.is_some(), "the map has no sidecar");
        let script = map::script(random, u64::from(side), COMMANDS);
        let expected = Expected::new(program, &base)?;
        let mut round = Self { place, expected, base, script, whole: Duration::ZERO, saving: Duration::ZERO };
        round.prepare()?;
        let begun = Instant::now();
        let mut call = round.place.command(&["apply", "castle.vxl", "script.jsonl", "-o", "new.vxl", "--ack"]).spawn()?;
        let numbers = acknowledged(BufReader::new(call.stdout.take().context("no output")?).lines());
        let saving = Instant::now();
        ensure!(call.wait()?.success() && numbers.len() == COMMANDS, "an undisturbed call failed: {numbers:?}");
        (round.whole, round.saving) = (begun.elapsed(), saving.elapsed());
        Ok(round)
    }

    fn prepare(&self) -> anyhow::Result<()> {
        self.place.clear()?;
        self.place.put_set("castle", &self.base)?;
        self.place.put("script.jsonl", self.script.join("\n").as_bytes())
    }

    /// One kill; answers what it met.
    fn kill(&mut self, order: &Order, random: &mut Random) -> anyhow::Result<Vec<&'static str>> {
        self.prepare()?;
        let target = if order.is_in_place { "castle" } else { "new" };
        let output = format!("{target}.vxl");
        let mut words = vec!["apply", "castle.vxl", "script.jsonl", "-o", &output, "--ack"];
        words.extend(order.is_in_place.then_some("--overwrite"));
        let mut call = self.place.command(&words).spawn()?;
        let (tell, told) = mpsc::channel();
        let number = if order.moment == Moment::AfterNumber { 1 + random.below(COMMANDS as u64 - 1) as usize } else { COMMANDS };
        let lines = BufReader::new(call.stdout.take().context("no output")?).lines();
        let reader = thread::spawn(move || {
            acknowledged(lines.inspect(|line| {
                let is_awaited = line.as_ref().is_ok_and(|line| line.parse() == Ok(number));
                // Who listens may have killed already.
                if is_awaited {
                    tell.send(()).ok();
                }
            }))
        });
        if order.moment != Moment::AnyTime {
            // An error means that the call ended by itself, which is looked at below.
            told.recv().ok();
        }
        match order.moment {
            Moment::AnyTime => thread::sleep(random.part_of(self.whole)),
            Moment::Saving => thread::sleep(random.part_of(self.saving.mul_f64(1.2))),
            Moment::AfterNumber => {}
        }
        call.kill()?;
        let had_finished = call.wait()?.success();
        let numbers = reader.join().ok().context("the reader failed")?;
        ensure!(numbers.iter().copied().eq(1..=numbers.len()), "numbers out of order: {numbers:?}");
        self.check(target, numbers.len(), had_finished)
    }

    fn check(&mut self, target: &str, acknowledged: usize, had_finished: bool) -> anyhow::Result<Vec<&'static str>> {
        let mut met = vec![];
        let intents = || std::fs::read_dir(self.place.path(".")).into_iter().flatten().flatten();
        let had_intent = intents().any(|entry| entry.file_name().to_string_lossy().contains(".spadework-intent"));
        let leftovers = self.place.leftovers()?;
        // The next call in the folder settles a save that was interrupted.
        let old = if target == "castle" { self.base.clone() } else { (None, None) };
        let new = self.expected.after(&self.script)?;
        self.place.call(&["info", "castle.vxl"])?;
        let found = self.place.set(target);
        ensure!(
            found == old || found == new,
            "torn: the map is {}, its sidecar {}",
            part(&found.0, &old.0, &new.0),
            part(&found.1, &old.1, &new.1)
        );
        let is_saved = found == new;
        ensure!(is_saved || !had_finished, "it said that it was done and saved nothing");
        match &leftovers[..] {
            [] => ensure!(acknowledged == 0 || is_saved, "lost: {acknowledged} commands were acknowledged, and there is no journal"),
            [left] => {
                let steps = left["steps"].as_u64().context("no steps")? as usize;
                ensure!(steps >= acknowledged, "lost: {acknowledged} commands were acknowledged, the journal has {steps}");
                let id = left["id"].as_str().context("no id")?;
                self.place.call(&["recover", id, "-o", "recovered.vxl"])?;
                let expected = self.expected.after(self.script.get(..steps).context("more steps than commands")?)?;
                ensure!(self.place.set("recovered") == expected, "the recovered map is not that of {steps} commands");
                met.push("journals recovered, each equal to the map of as many commands");
                // A line that crosses pages of the file's cache may be cut between them: it was not acknowledged, and nobody
                // can know that no other line followed.
                if let Some(cut) = left["damaged_from_byte"].as_u64() {
                    let journals =
                        self.place.journal_files().into_iter().filter(|path| path.extension().is_some_and(|end| end == "journal"));
                    let ends: Vec<u64> = journals.filter_map(|path| Some(path.metadata().ok()?.len())).collect();
                    ensure!(ends.iter().all(|end| (cut..cut + LONGEST_LINE).contains(end)), "damaged from byte {cut} on, of {ends:?}");
                    self.place.call(&["recover", "--discard", id])?;
                    met.push("of them with a last line that was cut: told, and kept until discarded");
                }
            }
            more => anyhow::bail!("{} journals of one call", more.len()),
        }
        // What belongs to no journal (yet, or any more), and a journal without a step, is deleted by a start ten minutes later, in case
        // it is just being made or was cut.
        let (dust, is_idle) = (self.place.journal_files(), acknowledged == 0 || is_saved);
        let is_journal = |path: &PathBuf| path.extension().is_some_and(|end| end == "journal");
        ensure!(
            (acknowledged == 0 || !dust.iter().any(is_journal)) && (dust.is_empty() || is_idle),
            "left in the folder of the journals: {dust:?}"
        );
        if !dust.is_empty() {
            met.push("killed while the journal was being begun or deleted");
        }
        met.push(match (had_finished, acknowledged) {
            (true, _) => "ended before the kill",
            (_, 0) => "killed before the first command was acknowledged",
            (_, COMMANDS) => "killed after the last command: saving",
            _ => "killed between two commands",
        });
        if !had_finished && is_saved {
            met.push("of those: saved all the same");
        }
        if had_intent {
            met.push("sets found half in place, and settled by the next call");
        }
        Ok(met)
    }
}

fn part(found: &Option<Vec<u8>>, old: &Option<Vec<u8>>, new: &Option<Vec<u8>>) -> &'static str {
    match found {
        found if found == old => "old",
        found if found == new => "new",
        None => "missing",
        _ => "neither old nor new",
    }
}

/// The numbers at the beginning of the output; a line that was cut is none.
fn acknowledged(lines: impl Iterator<Item = std::io::Result<String>>) -> Vec<usize> {
    // Read to the end, so that the program never waits for us.
    lines.map_while(Result::ok).filter_map(|line| line.parse().ok()).collect()
}
