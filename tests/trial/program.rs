//! The program under trial, and the folder in which it works.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, ensure};
use serde_json::Value;

/// A map and its sidecar: what must always belong together.
pub type Set = (Option<Vec<u8>>, Option<Vec<u8>>);

/// The program in a folder of its own, with settings and journals of its own.
pub struct Workplace {
    program: PathBuf,
    folder: tempfile::TempDir,
}

impl Workplace {
    pub fn new(program: &Path) -> anyhow::Result<Self> {
        Ok(Self { program: program.into(), folder: tempfile::tempdir()? })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn put(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        fs::write(self.path(name), bytes).with_context(|| name.to_owned())
    }

    pub fn put_set(&self, stem: &str, set: &Set) -> anyhow::Result<()> {
        let parts = [(format!("{stem}.vxl"), &set.0), (format!("{stem}.txt"), &set.1)];
        for (name, bytes) in parts {
            match bytes {
                Some(bytes) => self.put(&name, bytes)?,
                None => _ = fs::remove_file(self.path(&name)),
            }
        }
        Ok(())
    }

    pub fn set(&self, stem: &str) -> Set {
        let read = |name: String| fs::read(self.path(&name)).ok();
        (read(format!("{stem}.vxl")), read(format!("{stem}.txt")))
    }

    /// The call, with its output kept.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("SPADEWORK_STATE_DIR", self.path("state")).env("SPADEWORK_CONFIG_DIR", self.path("config"));
        command
    }

    pub fn call(&self, words: &[&str]) -> anyhow::Result<Output> {
        let output = self.command(words).output()?;
        ensure!(output.status.success(), "{words:?}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
        Ok(output)
    }

    /// The journals that are left, as the program lists them.
    pub fn leftovers(&self) -> anyhow::Result<Vec<Value>> {
        let list: Value = serde_json::from_slice(&self.call(&["recover", "--json"])?.stdout)?;
        let is_empty = |name: &str| list[name] == Value::Array(vec![]);
        ensure!(is_empty("unreadable") && is_empty("not_looked_at"), "a journal cannot be read: {list}");
        Ok(list["journals"].as_array().context("no list")?.clone())
    }

    /// Names of all files in the folder of the journals.
    pub fn journal_files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("state/journals")).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
    }

    /// Leaves the program's own files and the maps of the last round behind.
    pub fn clear(&self) -> anyhow::Result<()> {
        for name in ["state", "config"] {
            if self.path(name).exists() {
                fs::remove_dir_all(self.path(name))?;
            }
        }
        for entry in fs::read_dir(self.folder.path())? {
            let path = entry?.path();
            if path.is_file() {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// What a script makes of a map after each of its commands, by running only those.
pub struct Expected {
    place: Workplace,
    base: Set,
    known: BTreeMap<Vec<String>, Set>,
}

impl Expected {
    pub fn new(program: &Path, base: &Set) -> anyhow::Result<Self> {
        Ok(Self { place: Workplace::new(program)?, base: base.clone(), known: BTreeMap::new() })
    }

    pub fn after(&mut self, commands: &[String]) -> anyhow::Result<Set> {
        if let Some(known) = self.known.get(commands) {
            return Ok(known.clone());
        }
        self.place.clear()?;
        self.place.put_set("base", &self.base)?;
        self.place.put("script.jsonl", commands.join("\n").as_bytes())?;
        self.place.call(&["apply", "base.vxl", "script.jsonl", "-o", "after.vxl"])?;
        let set = self.place.set("after");
        self.known.insert(commands.to_vec(), set.clone());
        Ok(set)
    }
}
