//! `new`: makes a map with one of the generators, as the window's New map does.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{anyhow, bail};
use clap::{Args, FromArgMatches as _};
use glam::IVec3;

use super::files::{Target, check_name, memory_limit, save_with, within_memory};
use super::settings::setting_of;
use super::{Example, Reply, Verb, error};
use crate::document::{Document, GameProfile, Options, Progress};
use crate::editor::files::SaveOptions;
use crate::format::Report;
use crate::terrain::{GENERATORS, Generator, Kind, Params, TerrainError, Value, check_memory, generator};

/// The verb.
pub const VERB: Verb = Verb {
    name: "new",
    about: "Make a map: an island, hills, a valley for two teams, or flat land",
    examples: &[
        Example { line: "spadework new island.vxl", about: "Make the island that the window starts with" },
        Example { line: "spadework new hills.vxl --terrain hills --seed 7", about: "Make hills; another seed gives others" },
        Example { line: "spadework new low.vmf --terrain flat --size 64x32x64 --set height=4", about: "Make flat land of another size" },
    ],
    arguments: New::augment_args,
    run: |matches| New::from_arg_matches(matches)?.run(),
};

#[derive(Debug, Args)]
struct New {
    /// Map to write; its extension decides the format
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// What it is made by
    #[arg(long, value_name = "ID", default_value = "island", long_help = terrain_help())]
    terrain: String,
    /// Columns from west to east and north to south, and voxels of a column, 64 where not given; without it 512x512x64
    #[arg(long, value_name = "XxYxZ")]
    size: Option<Size>,
    /// Number that every random choice comes from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Setting of what it is made by, or option of the format; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    values: Vec<String>,
    #[command(flatten)]
    target: Target,
}

/// Voxels of a column where nobody says otherwise.
const HEIGHT: i32 = 64;
/// Option of a format that tells the size of a map.
const SIZE_OPTION: &str = "size";

/// A size as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size(IVec3);

/// A text that is no size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not of the form XxYxZ or XxY with whole numbers from 1, such as 512x512x64")]
struct BadSize;

impl FromStr for Size {
    type Err = BadSize;

    fn from_str(text: &str) -> Result<Self, BadSize> {
        let mut numbers: Vec<i32> = text.split('x').map(|part| part.trim().parse().map_err(|_| BadSize)).collect::<Result<_, _>>()?;
        if numbers.len() == 2 {
            numbers.push(HEIGHT);
        }
        let size = <[i32; 3]>::try_from(numbers).map_err(|_| BadSize)?;
        if size.iter().all(|edge| *edge > 0) { Ok(Self(size.into())) } else { Err(BadSize) }
    }
}

impl New {
    fn run(&self) -> anyhow::Result<Reply> {
        let Some(generator) = generator(&self.terrain) else {
            let ids: Vec<&str> = GENERATORS.iter().map(|generator| generator.id()).collect();
            bail!("--terrain {}: there is none of that name; there are: {}", self.terrain, ids.join(" "));
        };
        let mut params = Params { size: self.size()?, seed: self.seed, values: Default::default() };
        let [x, y, z] = params.size.to_array();
        let mut options = Options::new();
        // A map that is not square is asked for here: its format need not ask again.
        if x != y
            && let Some(Ok(option)) = setting_of(&self.output, SIZE_OPTION, &format!("{x}x{y}"))
        {
            options.extend([option]);
        }
        for text in &self.values {
            let (name, value) = text.split_once('=').ok_or_else(|| anyhow!("--set {text}: not of the form KEY=VALUE"))?;
            let is_own = generator.settings().iter().any(|setting| setting.id == name);
            if let Some(option) = setting_of(&self.output, name, value).filter(|_| !is_own) {
                options.extend([option.map_err(|reason| anyhow!("--set {text}: {reason}"))?]);
                continue;
            }
            params.values.insert(name.into(), setting(generator, name, value).map_err(|reason| anyhow!("--set {text}: {reason}"))?);
        }
        check_name(&self.output)?;
        let progress = Progress::new();
        check_memory(generator, &params, memory_limit(), &progress).map_err(|reason| match reason {
            TerrainError::TooLarge { .. } => error::memory(&reason),
            reason => reason.into(),
        })?;
        let (overwrite, told) = self.target.as_it_stands(None, &self.output);
        let store = generator.generate(&params, &progress)?;
        let document = within_memory(Document::new(store, &GameProfile::ACE_OF_SPADES)).map_err(|reason| error::memory(&reason))?;
        let options = SaveOptions { overwrite, options, keep_foreign_sidecars: true, ..SaveOptions::default() };
        let saved = save_with(&document, &Report::new(), &self.output, &options, &self.target)?;
        let text = format!("{}, {x}×{y}×{z} voxels\nSaved {}\n", generator.label(), self.output.display());
        Ok(Reply::text(text).warn(&self.output, &told).warn(&self.output, &saved.report))
    }

    /// The size that was asked for, also as the option of the format.
    fn size(&self) -> anyhow::Result<IVec3> {
        let set = self.values.iter().filter_map(|text| text.split_once('=')).rfind(|(name, _)| *name == SIZE_OPTION);
        let set = set.filter(|(name, value)| !value.is_empty() && setting_of(&self.output, name, value).is_some());
        let Some((_, text)) = set else { return Ok(self.size.map_or(IVec3::new(512, 512, HEIGHT), |size| size.0)) };
        let Size(set) = text.parse().map_err(|reason| anyhow!("--set {SIZE_OPTION}={text}: {reason}"))?;
        match self.size {
            Some(Size(size)) if size.truncate() != set.truncate() => {
                bail!("--set {SIZE_OPTION}={text}: --size {}x{} says otherwise; give one of them", size.x, size.y)
            }
            Some(Size(size)) => Ok(size),
            None => Ok(set),
        }
    }
}

/// A value as typed, if the generator has such a setting that takes it.
fn setting(generator: &dyn Generator, name: &str, text: &str) -> Result<Value, String> {
    let Some(setting) = generator.settings().iter().find(|setting| setting.id == name) else {
        let ids: Vec<&str> = generator.settings().iter().map(|setting| setting.id).collect();
        return Err(match ids.is_empty() {
            true => format!("{} has no settings", generator.id()),
            false => format!("{} has no such setting; it has: {}", generator.id(), ids.join(" ")),
        });
    };
    let value = match setting.kind {
        Kind::Number { .. } => text.parse().ok().map(Value::Number),
        Kind::Color { .. } => text.parse().ok().map(Value::Color),
    };
    value.filter(|value| setting.kind.accepts(value)).ok_or_else(|| format!("{name} takes {}", kind_text(setting.kind)))
}

fn kind_text(kind: Kind) -> String {
    match kind {
        Kind::Number { min, max, default, unit } => {
            format!("a whole number from {min} to {max}{}, {default} where not given", unit.after(i64::from(max)))
        }
        Kind::Color { default } => format!("a color such as {default}, which it is where not given"),
    }
}

/// What maps are made by, with the settings of each.
fn terrain_help() -> String {
    let mut lines = vec!["What it is made by, and the settings of each:".to_owned()];
    for generator in GENERATORS {
        lines.push(format!("  {}: {}", generator.id(), generator.help()));
        lines.extend(generator.settings().iter().map(|setting| format!("      {}: {}", setting.id, kind_text(setting.kind))));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_three_positive_numbers_the_last_of_which_is_known() {
        assert_eq!("128x96".parse(), Ok(Size(IVec3::new(128, 96, 64))));
        assert_eq!("64x32x8".parse(), Ok(Size(IVec3::new(64, 32, 8))));
        for bad in ["", "64", "64x0", "64x32x0", "64x-1x8", "axbxc", "1x2x3x4"] {
            assert_eq!(bad.parse::<Size>(), Err(BadSize), "{bad}");
        }
    }

    #[test]
    fn settings_say_what_they_take() {
        for generator in GENERATORS {
            for own in generator.settings() {
                let refused = setting(*generator, own.id, "no value").unwrap_err();
                assert!(refused.contains(own.id) && refused.contains("takes"), "{refused}");
            }
            assert!(setting(*generator, "nothing", "1").is_err());
        }
    }
}
