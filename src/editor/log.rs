//! The log of the session: what the program and its libraries told, the latest lines in memory.
//!
//! [`start`] is called once by `ui` or `cli`; the window shows the lines, whose level can be switched
//! while it runs. Lines go to standard error, too, from the level on that `SPADEWORK_LOG` names.

use std::collections::VecDeque;
use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::reload;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Names the level from which lines go to standard error: `error`, `warn`, `info`, `debug`, `trace`; none where it is not set.
pub const LOG_VARIABLE: &str = "SPADEWORK_LOG";

/// Lines that are kept, of details and of all else.
const MOST_LINES: usize = 2000;
/// Bytes of a line that are kept.
const MOST_BYTES: usize = 2000;

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Milliseconds since the log began.
    pub millis: u64,
    /// How much it matters.
    pub level: Level,
    /// The module that told it.
    pub target: String,
    /// What it told.
    pub text: String,
}

impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>8}.{:03} {:<5} {}: {}", self.millis / 1000, self.millis % 1000, self.level, self.target, self.text)
    }
}

/// The lines kept, shared with whoever shows them.
#[derive(Clone, Debug)]
pub struct Log {
    lines: Arc<Mutex<Lines>>,
    begun: Instant,
}

/// The latest lines with their numbers. Libraries tell details by the thousand: these push out no line that matters more.
#[derive(Debug, Default)]
struct Lines {
    count: u64,
    told: VecDeque<(u64, LogLine)>,
    details: VecDeque<(u64, LogLine)>,
}

impl Lines {
    fn push(&mut self, line: LogLine) {
        let lines = if line.level > Level::INFO { &mut self.details } else { &mut self.told };
        if lines.len() >= MOST_LINES {
            lines.pop_front();
        }
        lines.push_back((self.count, line));
        self.count += 1;
    }
}

impl Log {
    /// An empty log that begins now.
    pub fn new(begun: Instant) -> Self {
        Self { lines: Arc::default(), begun }
    }

    /// The lines, the oldest first.
    pub fn lines(&self) -> Vec<LogLine> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = lines.told.iter().chain(&lines.details).collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, line)| line.clone()).collect()
    }

    fn push(&self, line: LogLine) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

impl<S: Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = Text::default();
        event.record(&mut text);
        text.0.truncate(text.0.floor_char_boundary(MOST_BYTES));
        let millis = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.push(LogLine { millis, level: *event.metadata().level(), target: event.metadata().target().into(), text: text.0 });
    }
}

/// The message of an event and its fields.
#[derive(Default)]
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string does not fail.
        match field.name() {
            "message" => write!(self.0, "{value:?}").ok(),
            name if name.starts_with("log.") => None,
            name => write!(self.0, " {name}={value:?}").ok(),
        };
    }
}

/// The log and its level.
#[derive(Clone)]
pub struct LogHandle {
    /// The lines.
    pub log: Log,
    set: Arc<dyn Fn(LevelFilter) + Send + Sync>,
}

impl LogHandle {
    /// Keeps lines from this level on.
    pub fn set_level(&self, level: LevelFilter) {
        (self.set)(level);
    }
}

/// Begins the log of the process. Answers `None` where somebody else has one already.
pub fn start() -> Option<LogHandle> {
    let named = std::env::var_os(LOG_VARIABLE).map(|name| name.to_string_lossy().into_owned());
    let level = named.as_deref().map(str::parse::<LevelFilter>);
    // Whoever named one wants to see something.
    let to_stderr = level.as_ref().map_or(LevelFilter::OFF, |level| *level.as_ref().unwrap_or(&LevelFilter::WARN));
    let (layer, handle) = layer(LevelFilter::INFO);
    let stderr = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal()).with_filter(to_stderr);
    tracing_subscriber::registry().with(layer).with(stderr).try_init().ok()?;
    if let (Some(name), Some(Err(_))) = (named, level) {
        tracing::warn!("{LOG_VARIABLE}={name} names no level: error, warn, info, debug, trace and off are known; taken as warn");
    }
    Some(handle)
}

/// A layer that keeps lines from a level on, and the handle to it.
pub fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(level: LevelFilter) -> (impl Layer<S>, LogHandle) {
    let log = Log::new(Instant::now());
    let (filter, switch) = reload::Layer::new(level);
    let set = move |level| {
        // The subscriber lives as long as the process.
        switch.reload(level).ok();
    };
    (log.clone().with_filter(filter), LogHandle { log, set: Arc::new(set) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_from_the_level_on_and_the_oldest_go() {
        let (layer, handle) = layer(LevelFilter::WARN);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::warn!(count = 3, "first");
            tracing::info!("not kept");
            handle.set_level(LevelFilter::INFO);
            tracing::info!("{}", "ä".repeat(MOST_BYTES));
        });
        let lines = handle.log.lines();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert_eq!((lines[0].level, lines[0].text.as_str()), (Level::WARN, "first count=3"));
        assert_eq!(lines[1].text.len(), MOST_BYTES);
        (0..MOST_LINES).for_each(|_| handle.log.push(lines[0].clone()));
        assert_eq!(handle.log.lines().len(), MOST_LINES);
        // Details push out details alone, and all stand in the order in which they were told.
        let detail = LogLine { level: Level::DEBUG, ..lines[0].clone() };
        (0..=MOST_LINES).for_each(|_| handle.log.push(detail.clone()));
        handle.log.push(lines[1].clone());
        let levels: Vec<_> = handle.log.lines().iter().map(|line| line.level).collect();
        let count = |level| levels.iter().filter(|other| **other == level).count();
        assert_eq!([count(Level::WARN), count(Level::DEBUG)], [MOST_LINES - 1, MOST_LINES]);
        assert_eq!((levels[0], levels.last()), (Level::WARN, Some(&Level::INFO)));
    }
}
