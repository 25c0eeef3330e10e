//! Which key does what: our own keys, a preset over them, the user's own over that.
//!
//! [`BINDABLES`] is the table of everything that a key can be bound to; [`Keymap`] is what holds now. The
//! settings keep only what the user changed, as text: `keys: { save: [Ctrl+S] }`. What they name wrongly is
//! told and kept, and stops nothing.

mod chord;
mod preset;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_yaml::{Mapping, Value};

pub use chord::{Chord, KEY_NAMES, UnknownKey};
pub use preset::{Drag, MouseButtons, PRESETS, Preset, preset};

use super::{ACTIONS, Action};
use crate::edit::Mode;
use crate::geom::{Axis, Orientation};
use crate::tool::{TOOLS, ToolSpec};

/// When a key is listened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Always, but for keys that a field being typed into wants.
    Window,
    /// While the map has the focus.
    Map,
}

/// What a key does.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// An entry of the table of actions, by id.
    Invoke(&'static str),
    /// Something the editor does.
    Do(Action),
    /// Makes the brush so much larger.
    GrowBrush(i32),
    /// Moves the selection by a voxel; with Shift by eight; with Ctrl a copy of it.
    Nudge(glam::IVec3),
    /// The button of the cross hair that keys move over the map.
    Press,
}

/// Something that a key can be bound to.
#[derive(Clone, Debug)]
pub struct Bindable {
    /// Stable id: that of the action, else `tool-…`, `mode-…`, `brush-…`, `nudge-…`, `confirm`, `cancel`,
    /// `swatch-…`.
    pub id: String,
    /// Name in lists.
    pub label: String,
    /// What it does.
    pub target: Target,
    /// When its keys are listened to.
    pub scope: Scope,
    /// Our own keys.
    pub keys: Vec<Chord>,
}

/// Keys on the map that are in no menu and select no tool: id, label, key, what they do.
fn map_keys() -> Vec<(&'static str, &'static str, &'static str, Target)> {
    let mode = |mode| Target::Do(Action::SetMode(mode));
    let turn = |axis, times: usize| {
        let turns = std::iter::repeat_n(Orientation::quarter_turn(axis), times);
        Target::Do(Action::Turn(turns.fold(Orientation::IDENTITY, Orientation::then)))
    };
    let nudge = |x, y, z| Target::Nudge(glam::IVec3::new(x, y, z));
    let others = [
        ("mode-add", "Add", "T", mode(Mode::Add)),
        ("mode-remove", "Remove", "R", mode(Mode::Remove)),
        ("mode-paint", "Paint", "G", mode(Mode::Paint)),
        ("brush-smaller", "Smaller brush", "[", Target::GrowBrush(-1)),
        ("brush-larger", "Larger brush", "]", Target::GrowBrush(1)),
        ("nudge-west", "Move the selection west", "Left", nudge(-1, 0, 0)),
        ("nudge-east", "Move the selection east", "Right", nudge(1, 0, 0)),
        ("nudge-north", "Move the selection north", "Up", nudge(0, -1, 0)),
        ("nudge-south", "Move the selection south", "Down", nudge(0, 1, 0)),
        ("nudge-up", "Move the selection up", "PageUp", nudge(0, 0, -1)),
        ("nudge-down", "Move the selection down", "PageDown", nudge(0, 0, 1)),
        ("duplicate", "Copy the selection, for arrows or a drag to move", "Shift+D", Target::Do(Action::Duplicate(glam::IVec3::ZERO))),
        ("turn-left", "Turn the selection to the left", "Alt+Left", turn(Axis::Z, 3)),
        ("turn-right", "Turn the selection to the right", "Alt+Right", turn(Axis::Z, 1)),
        ("tip-north", "Tip the selection over to the north", "Alt+Up", turn(Axis::X, 3)),
        ("tip-south", "Tip the selection over to the south", "Alt+Down", turn(Axis::X, 1)),
        ("tip-west", "Tip the selection over to the west", "Alt+PageUp", turn(Axis::Y, 1)),
        ("tip-east", "Tip the selection over to the east", "Alt+PageDown", turn(Axis::Y, 3)),
        ("cursor-press", "Press at the cursor that keys move", "Space", Target::Press),
        ("confirm", "Finish the gesture", "Enter", Target::Do(Action::Confirm)),
        ("cancel", "Go back a step, then a tool, then deselect", "Escape", Target::Do(Action::Cancel)),
    ];
    let swatches = SWATCH_KEYS.into_iter().enumerate().map(|(at, (id, label, key))| (id, label, key, Target::Do(Action::TakeSwatch(at))));
    others.into_iter().chain(swatches).collect()
}

/// Keys that the hints of tools name, and what they are bound to.
const HINT_KEYS: [(&str, &str); 3] = [("R", "mode-remove"), ("[", "brush-smaller"), ("]", "brush-larger")];

/// Keys of the first colours of the palette. The plain digits look from the sides.
const SWATCH_KEYS: [(&str, &str, &str); 9] = [
    ("swatch-1", "Take color 1 of the palette", "Alt+1"),
    ("swatch-2", "Take color 2 of the palette", "Alt+2"),
    ("swatch-3", "Take color 3 of the palette", "Alt+3"),
    ("swatch-4", "Take color 4 of the palette", "Alt+4"),
    ("swatch-5", "Take color 5 of the palette", "Alt+5"),
    ("swatch-6", "Take color 6 of the palette", "Alt+6"),
    ("swatch-7", "Take color 7 of the palette", "Alt+7"),
    ("swatch-8", "Take color 8 of the palette", "Alt+8"),
    ("swatch-9", "Take color 9 of the palette", "Alt+9"),
];

/// Everything that a key can be bound to: actions in menu order, tools in the order of the strip, keys on the map.
pub static BINDABLES: LazyLock<Vec<Bindable>> = LazyLock::new(|| {
    let chords = |keys: &str| keys.split(' ').filter_map(|key| Chord::parse(key).ok()).collect::<Vec<_>>();
    let actions = ACTIONS.iter().map(|spec| Bindable {
        id: spec.id.into(),
        label: spec.label.into(),
        target: Target::Invoke(spec.id),
        scope: Scope::Window,
        keys: chords(spec.key),
    });
    let tools = TOOLS.iter().map(|spec| Bindable {
        id: format!("tool-{}", spec.id),
        label: format!("{} tool", spec.label),
        target: Target::Do(Action::SelectTool(spec.id)),
        scope: Scope::Map,
        keys: chords(&spec.key.to_string()),
    });
    let others = map_keys().into_iter().map(|(id, label, key, target)| Bindable {
        id: id.into(),
        label: label.into(),
        target,
        scope: Scope::Map,
        keys: chords(key),
    });
    actions.chain(tools).chain(others).collect()
});

/// What the settings keep: the preset, and what the user bound otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeymapSettings {
    /// Id of the preset.
    #[serde(deserialize_with = "one_word")]
    pub preset: String,
    /// Keys by the id of what they do; an empty list takes all keys away. One key may stand without a list.
    #[serde(deserialize_with = "keys_or_others")]
    pub keys: BTreeMap<String, KeysEntry>,
    /// What this version does not know; kept.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// What the settings say of the keys of one id.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum KeysEntry {
    /// The names of keys.
    Keys(Vec<String>),
    /// Neither a key nor a list of keys; kept as it is, and binds nothing.
    Other(Value),
}

/// The text of a word or a number: a key may be a digit.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn one_word<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(KeymapSettings::default().preset),
        value => word(&value).ok_or_else(|| serde::de::Error::custom("the preset of the keymap is no name")),
    }
}

/// One bad entry loses no other.
fn keys_or_others<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, KeysEntry>, D::Error> {
    let said = Option::<Mapping>::deserialize(deserializer)?.unwrap_or_default();
    let entry = |value: Value| {
        let keys = value.as_sequence().map_or_else(|| word(&value).map(|key| vec![key]), |keys| keys.iter().map(word).collect());
        keys.map_or(KeysEntry::Other(value), KeysEntry::Keys)
    };
    let name = |id: &Value| match id {
        Value::Bool(truth) => Ok(truth.to_string()),
        Value::Null => Ok("~".to_owned()),
        id => word(id).ok_or_else(|| serde::de::Error::custom("a key is bound to what is no name")),
    };
    said.into_iter().map(|(id, value)| Ok((name(&id)?, entry(value)))).collect()
}

impl Default for KeymapSettings {
    fn default() -> Self {
        Self { preset: PRESETS.first().map_or("", |preset| preset.id).into(), keys: BTreeMap::new(), other: BTreeMap::new() }
    }
}

/// The keys that hold now.
#[derive(Clone, Debug, PartialEq)]
pub struct Keymap {
    /// What the mouse does to the camera.
    pub mouse: MouseButtons,
    /// For each of [`BINDABLES`], in its order.
    keys: Vec<Vec<Chord>>,
    /// Whether the user bound each of them otherwise than the preset.
    is_own: Vec<bool>,
    /// What the settings say that cannot be followed, a sentence each.
    pub troubles: Vec<String>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::new(&KeymapSettings::default())
    }
}

impl Keymap {
    /// The keymap that the settings ask for.
    pub fn new(settings: &KeymapSettings) -> Self {
        let mut troubles = vec![];
        let own = &PRESETS[0];
        let preset = preset(&settings.preset).unwrap_or_else(|| {
            troubles.push(format!("The settings name a keymap \"{}\", which there is not: the keys are Spadework's own", settings.preset));
            own
        });
        for id in settings.keys.keys().filter(|id| BINDABLES.iter().all(|bindable| bindable.id != **id)) {
            troubles.push(format!("The settings bind a key to \"{id}\", which there is not"));
        }
        for id in settings.other.keys().filter(|id| BINDABLES.iter().any(|bindable| bindable.id == **id)) {
            troubles.push(format!("The settings bind a key to \"{id}\" beside keys: of the keymap, and not below it: it holds nothing"));
        }
        let mut of = |bindable: &Bindable| {
            let names = match settings.keys.get(&bindable.id) {
                Some(KeysEntry::Keys(names)) => names,
                None => return preset.keys_of(&bindable.id).unwrap_or_else(|| bindable.keys.clone()),
                Some(KeysEntry::Other(_)) => {
                    let label = &bindable.label;
                    troubles.push(format!(
                        "The keys of \"{label}\": the settings have neither a key nor a list of keys there, such as [Ctrl+S, F2]; it keeps \
                         the keys of the preset"
                    ));
                    return preset.keys_of(&bindable.id).unwrap_or_else(|| bindable.keys.clone());
                }
            };
            let (chords, wrong): (Vec<_>, Vec<_>) = names.iter().map(|name| Chord::parse(name)).partition(Result::is_ok);
            // Where not one can be understood, it is no wish to have none.
            let is_kept = chords.is_empty() && !wrong.is_empty();
            let keeps = if is_kept { "; it keeps the keys of the preset" } else { "" };
            troubles.extend(
                wrong.into_iter().filter_map(Result::err).map(|error| format!("The keys of \"{}\": {error}{keeps}", bindable.label)),
            );
            if is_kept {
                return preset.keys_of(&bindable.id).unwrap_or_else(|| bindable.keys.clone());
            }
            chords.into_iter().flatten().collect()
        };
        let keys = BINDABLES.iter().map(&mut of).collect();
        let is_own = BINDABLES.iter().map(|bindable| settings.keys.contains_key(&bindable.id)).collect();
        Self { mouse: preset.mouse, keys, is_own, troubles }
    }

    /// Everything bindable with its keys, in the order in which a key is given: what the user bound comes first.
    pub fn by_rank(&self) -> impl Iterator<Item = (&'static Bindable, &[Chord])> {
        let of = |own: bool| self.entries().zip(&self.is_own).filter(move |(_, is_own)| **is_own == own).map(|(entry, _)| entry);
        of(true).chain(of(false))
    }

    /// Which of two entries that share a key and a scope gets it: the user's own, else the first one in the table.
    pub fn goes_before(&self, id: &str, other: &str) -> bool {
        self.by_rank().find(|(bindable, _)| bindable.id == id || bindable.id == other).is_some_and(|(bindable, _)| bindable.id == id)
    }

    /// Everything bindable with its keys.
    pub fn entries(&self) -> impl Iterator<Item = (&'static Bindable, &[Chord])> {
        BINDABLES.iter().zip(self.keys.iter().map(Vec::as_slice))
    }

    /// The keys of an id.
    pub fn keys_of(&self, id: &str) -> &[Chord] {
        self.entries().find(|(bindable, _)| bindable.id == id).map_or(&[], |(_, keys)| keys)
    }

    /// The first key of an id as text, for menus and tooltips; empty without one.
    pub fn shown(&self, id: &str) -> String {
        self.keys_of(id).first().map(ToString::to_string).unwrap_or_default()
    }

    /// What a tool says of its keys and modifiers, with those of this keymap.
    pub fn hint(&self, tool: &ToolSpec, hint: &'static str) -> String {
        let own = |word: &'static str| {
            let id = HINT_KEYS.iter().find(|(key, _)| *key == word).map(|(_, id)| self.shown(id));
            id.filter(|key| !key.is_empty()).unwrap_or_else(|| self.mouse.named(tool, word).to_owned())
        };
        hint.split(' ').map(own).collect::<Vec<_>>().join(" ")
    }

    /// What else has one of the keys of an entry. See [`goes_before`](Self::goes_before) for which of them gets the key.
    pub fn conflicts(&self, id: &str) -> Vec<&'static Bindable> {
        let own = self.keys_of(id);
        let others = self.entries().filter(|(bindable, keys)| bindable.id != id && keys.iter().any(|key| own.contains(key)));
        others.map(|(bindable, _)| bindable).collect()
    }
}

impl KeymapSettings {
    /// Binds an id to the keys, or back to the preset's.
    pub fn bind(&mut self, id: &str, keys: Option<Vec<Chord>>) {
        let preset_only = Keymap::new(&Self { preset: self.preset.clone(), ..Self::default() });
        match keys.filter(|keys| preset_only.keys_of(id) != keys.as_slice()) {
            Some(keys) => _ = self.keys.insert(id.into(), KeysEntry::Keys(keys.iter().map(ToString::to_string).collect())),
            None => _ = self.keys.remove(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_given_once_and_every_key_of_ours_is_one() {
        for (index, bindable) in BINDABLES.iter().enumerate() {
            assert!(BINDABLES[index + 1..].iter().all(|other| other.id != bindable.id), "{}", bindable.id);
        }
        for spec in ACTIONS.iter().filter(|spec| !spec.key.is_empty()) {
            assert!(spec.key.split(' ').all(|key| Chord::parse(key).is_ok()), "{}: {}", spec.id, spec.key);
        }
        assert_eq!(Keymap::default().troubles, Vec::<String>::new());
    }

    #[test]
    fn no_preset_binds_a_key_twice_or_names_what_there_is_not() {
        for preset in PRESETS {
            for (id, keys) in preset.keys {
                assert!(BINDABLES.iter().any(|bindable| bindable.id == *id), "{}: {id}", preset.id);
                assert!(keys.iter().all(|key| Chord::parse(key).is_ok()), "{}: {keys:?}", preset.id);
            }
            let keymap = Keymap::new(&KeymapSettings { preset: preset.id.into(), ..KeymapSettings::default() });
            for bindable in BINDABLES.iter() {
                let conflicts: Vec<_> = keymap.conflicts(&bindable.id).iter().map(|other| &other.id).collect();
                assert!(conflicts.is_empty(), "{}: {} and {conflicts:?}", preset.id, bindable.id);
            }
        }
    }

    #[test]
    fn what_the_user_binds_holds_and_the_rest_is_the_presets() {
        let mut settings = KeymapSettings { preset: "magicavoxel".into(), ..KeymapSettings::default() };
        settings.bind("save", Some(vec![Chord::parse("F2").unwrap()]));
        let keymap = Keymap::new(&settings);
        assert_eq!(
            (keymap.shown("save").as_str(), keymap.shown("tool-brush").as_str(), keymap.shown("undo").as_str()),
            ("F2", "V", "Ctrl+Z")
        );
        settings.bind("save", Some(vec![Chord::parse("Ctrl+S").unwrap()]));
        assert!(settings.keys.is_empty(), "what the preset says is not written down: {settings:?}");
    }

    #[test]
    fn keys_that_are_none_leave_the_presets_and_none_at_all_is_a_wish() {
        let with = |keys: &[&str]| {
            let keys = KeysEntry::Keys(keys.iter().map(ToString::to_string).collect());
            Keymap::new(&KeymapSettings { keys: [("undo".to_owned(), keys)].into(), ..KeymapSettings::default() })
        };
        let keymap = with(&["ctrl+banana"]);
        assert_eq!((keymap.shown("undo").as_str(), keymap.troubles.len()), ("Ctrl+Z", 1));
        assert!(keymap.troubles[0].ends_with("it keeps the keys of the preset"), "{:?}", keymap.troubles);
        let keymap = with(&["ctrl+banana", "F4"]);
        assert_eq!((keymap.shown("undo").as_str(), keymap.troubles.len()), ("F4", 1));
        assert_eq!(with(&[]).keys_of("undo"), []);
    }

    #[test]
    fn what_stands_beside_the_keys_or_is_bound_to_no_name_is_told() {
        for (text, said) in [("save: F2", "\"save\" beside keys:"), ("keys: {true: F2}", "to \"true\""), ("keys: {~: [F3]}", "to \"~\"")] {
            let settings: KeymapSettings = serde_yaml::from_str(text).unwrap();
            let troubles = Keymap::new(&settings).troubles;
            assert!(troubles.len() == 1 && troubles[0].contains(said), "{text}: {troubles:?}");
            let again: KeymapSettings = serde_yaml::from_str(&serde_yaml::to_string(&settings).unwrap()).unwrap();
            assert_eq!(again, settings, "{text}");
        }
        assert!(serde_yaml::from_str::<KeymapSettings>("keys: {[a]: F2}").is_err());
    }

    #[test]
    fn a_key_bound_twice_is_shown_as_a_conflict() {
        let mut settings = KeymapSettings::default();
        settings.bind("open", Some(vec![Chord::parse("Ctrl+S").unwrap()]));
        let keymap = Keymap::new(&settings);
        let ids: Vec<_> = keymap.conflicts("save").iter().map(|other| other.id.clone()).collect();
        assert_eq!(ids, ["open"]);
        // What the user bound gets the key, wherever it stands in the table.
        for (own, other) in [("open", "save"), ("save", "open")] {
            let mut settings = KeymapSettings::default();
            settings.bind(own, Some(vec![Chord::parse("F4").unwrap()]));
            let keymap = Keymap::new(&settings);
            assert!(keymap.goes_before(own, other) && !keymap.goes_before(other, own));
            assert_eq!(keymap.by_rank().next().map(|(bindable, _)| bindable.id.as_str()), Some(own));
            assert_eq!(keymap.by_rank().count(), BINDABLES.len());
        }
    }

    #[test]
    fn broken_settings_are_told_and_stop_nothing() {
        let yaml = "preset: emacs\nkeys:\n  save: [Hyper+S, F2]\n  fly-to-the-moon: [M]\n  tool-line: J\n";
        let settings: KeymapSettings = serde_yaml::from_str(yaml).unwrap();
        let keymap = Keymap::new(&settings);
        assert_eq!((keymap.shown("save"), keymap.shown("tool-line")), ("F2".into(), "J".into()));
        assert_eq!(keymap.troubles.len(), 3, "{:?}", keymap.troubles);
    }

    #[test]
    fn one_bad_entry_is_named_and_kept_and_loses_no_other() {
        let yaml = "preset: goxel\nkeys:\n  save: {a: b}\n  open: 5\n  undo: [F4, [F5]]\n  redo: null\n  tool-line: [6, J]\n";
        let settings: KeymapSettings = serde_yaml::from_str(yaml).unwrap();
        let keymap = Keymap::new(&settings);
        assert_eq!((settings.preset.as_str(), keymap.shown("open"), keymap.shown("tool-line")), ("goxel", "5".into(), "6".into()));
        assert_eq!((keymap.shown("save"), keymap.shown("undo"), keymap.shown("redo")), ("Ctrl+S".into(), "Ctrl+Z".into(), "Ctrl+Y".into()));
        assert_eq!(keymap.troubles.len(), 3, "{:?}", keymap.troubles);
        assert!(keymap.troubles[0].starts_with("The keys of \"Save\": "), "{:?}", keymap.troubles);
        let again: KeymapSettings = serde_yaml::from_str(&serde_yaml::to_string(&settings).unwrap()).unwrap();
        assert_eq!(again, settings);
    }
}
