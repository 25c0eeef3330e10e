//! Keymaps for people who come from another editor. Each says only where it differs from our own.

use super::Chord;
use crate::tool::{Modifiers, ToolOption, ToolSpec};

/// What dragging with a mouse button does to the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drag {
    /// Looks around from where one is; letters fly.
    Look,
    /// Turns about what was under the pointer.
    Orbit,
    /// Moves along the picture.
    Pan,
}

/// What the right and the middle button do, alone and with a modifier; and which modifier turns add and remove around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MouseButtons {
    /// Right button.
    pub right: Drag,
    /// Shift and right button.
    pub right_shift: Drag,
    /// Ctrl and right button.
    pub right_ctrl: Drag,
    /// Alt and right button.
    pub right_alt: Drag,
    /// Middle button.
    pub middle: Drag,
    /// Shift and middle button.
    pub middle_shift: Drag,
    /// With tools that add and remove, Shift and the left button do what Ctrl does else, and the other way round.
    pub shift_inverts: bool,
}

impl MouseButtons {
    const OWN: Self = Self {
        right: Drag::Look,
        right_shift: Drag::Pan,
        right_ctrl: Drag::Orbit,
        right_alt: Drag::Orbit,
        middle: Drag::Orbit,
        middle_shift: Drag::Pan,
        shift_inverts: false,
    };

    /// Modifiers as a tool takes them.
    pub fn held(&self, tool: &ToolSpec, held: Modifiers) -> Modifiers {
        if self.swaps(tool) { Modifiers { ctrl: held.shift, shift: held.ctrl, ..held } } else { held }
    }

    /// A modifier as a tool calls it in the hint, as it is held here.
    pub(super) fn named(&self, tool: &ToolSpec, word: &'static str) -> &'static str {
        match word {
            "Shift" if self.swaps(tool) => "Ctrl",
            "Ctrl" if self.swaps(tool) => "Shift",
            word => word,
        }
    }

    fn swaps(&self, tool: &ToolSpec) -> bool {
        self.shift_inverts && tool.options.contains(&ToolOption::Mode)
    }
}

/// A keymap that comes with the program.
#[derive(Debug)]
pub struct Preset {
    /// Stable id, for the settings.
    pub id: &'static str,
    /// Name in the list.
    pub label: &'static str,
    /// What the mouse does.
    pub mouse: MouseButtons,
    /// What has other keys than in our own: the id, and its keys.
    pub keys: &'static [(&'static str, &'static [&'static str])],
}

/// Every preset; the first is our own.
///
/// The keys of the others are those of their documentation for what both programs have.
pub const PRESETS: &[Preset] = &[
    Preset { id: "spadework", label: "Spadework", mouse: MouseButtons::OWN, keys: &[] },
    Preset {
        id: "goxel",
        label: "Goxel",
        mouse: MouseButtons { right: Drag::Pan, right_shift: Drag::Look, ..MouseButtons::OWN },
        keys: &[
            ("redo", &["Ctrl+Y", "Ctrl+Shift+Z"]),
            ("tool-box", &["S"]),
            ("tool-stamp", &["Y"]),
            ("tool-path", &["Shift+Y"]),
            ("tool-select", &["Shift+R", "N"]),
        ],
    },
    Preset {
        id: "magicavoxel",
        label: "MagicaVoxel",
        mouse: MouseButtons {
            right: Drag::Orbit,
            right_ctrl: Drag::Look,
            middle: Drag::Pan,
            middle_shift: Drag::Orbit,
            shift_inverts: true,
            ..MouseButtons::OWN
        },
        keys: &[
            ("tool-brush", &["V"]),
            ("tool-box", &["B"]),
            ("tool-stamp", &["P"]),
            ("tool-paint", &["Shift+P"]),
            ("select-all", &["Alt+A", "Ctrl+A"]),
            // Digits mirror there; a map has no mirror of its heights.
            ("mirror-x", &["1"]),
            ("mirror-y", &["2"]),
            ("view-north", &["Shift+1"]),
            ("view-south", &["Shift+2"]),
            ("view-east", &["Shift+3"]),
        ],
    },
    Preset {
        id: "blender",
        label: "Blender",
        mouse: MouseButtons::OWN,
        keys: &[
            // To move, turn and scale is one tool here, which is typed into: G X 5 Enter.
            ("type-move", &["G"]),
            ("type-turn", &["R"]),
            ("type-scale", &["S"]),
            ("tool-extrude", &["E"]),
            ("tool-terrain", &["Shift+E"]),
            ("tool-stamp", &["Shift+S"]),
            ("tool-fill", &["F"]),
            ("mode-remove", &["K"]),
            ("invert-selection", &["Ctrl+I"]),
            ("import", &["Ctrl+Shift+I"]),
            ("mode-paint", &["P"]),
            ("tool-paint", &["Shift+P"]),
            ("tool-select", &["B"]),
            ("tool-brush", &["D"]),
            ("delete", &["X", "Delete"]),
            ("cycle-symmetry", &["Shift+X"]),
            ("select-all", &["A", "Ctrl+A"]),
            ("deselect", &["Alt+A", "Ctrl+D"]),
            ("command-palette", &["F3", "Ctrl+P"]),
        ],
    },
    Preset {
        id: "trenchbroom",
        label: "TrenchBroom",
        mouse: MouseButtons { middle: Drag::Pan, middle_shift: Drag::Orbit, ..MouseButtons::OWN },
        keys: &[
            ("frame-selection", &["Ctrl+U", "."]),
            ("deselect", &["Ctrl+Shift+A"]),
            ("duplicate", &["Ctrl+D"]),
            ("type-turn", &["R"]),
            ("type-scale", &["T"]),
            ("mode-add", &["Shift+T"]),
            ("mode-remove", &["Shift+R"]),
            // W A S D, Q and X fly there: whoever presses them without the button is to change nothing.
            ("tool-stamp", &["Shift+S"]),
            ("cycle-symmetry", &["Shift+X"]),
            ("invert-selection", &["Ctrl+Alt+A"]),
            ("flip-x", &["Ctrl+F"]),
            ("flip-z", &["Ctrl+Alt+F"]),
            ("redo", &["Ctrl+Y", "Ctrl+Shift+Z"]),
        ],
    },
];

/// The preset of that id.
pub fn preset(id: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

impl Preset {
    /// The keys that it gives to an id instead of our own.
    pub(super) fn keys_of(&self, id: &str) -> Option<Vec<Chord>> {
        let (_, keys) = self.keys.iter().find(|(named, _)| *named == id)?;
        Some(keys.iter().filter_map(|key| Chord::parse(key).ok()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Keymap, KeymapSettings};
    use super::*;

    #[test]
    fn shift_erases_as_in_magicavoxel_with_tools_that_add_and_remove() {
        let tool = |id: &str| crate::tool::TOOLS.iter().find(|tool| tool.id == id).unwrap();
        let mouse = |id: &str| preset(id).unwrap().mouse;
        let shift = Modifiers { ctrl: false, shift: true, alt: false };
        let ctrl = Modifiers { ctrl: true, shift: false, alt: false };
        assert_eq!(mouse("magicavoxel").held(tool("brush"), shift), ctrl);
        assert_eq!(mouse("magicavoxel").held(tool("select"), shift), shift);
        assert_eq!(mouse("spadework").held(tool("brush"), shift), shift);
        let keymap = |preset: &str| Keymap::new(&KeymapSettings { preset: preset.into(), ..KeymapSettings::default() });
        let hint = tool("brush").hint;
        let swapped = keymap("magicavoxel").hint(tool("brush"), hint);
        assert!(swapped.contains("Ctrl straight line") && swapped.contains("Shift inverts"), "{swapped}");
        assert_eq!(keymap("spadework").hint(tool("brush"), hint), hint);
        // A key that is another one here is called so.
        let stamp = tool("stamp");
        assert_eq!(keymap("spadework").hint(stamp, stamp.hint), stamp.hint);
        let turned = keymap("blender").hint(stamp, stamp.hint);
        assert!(turned.contains(&format!("{} turns", keymap("blender").shown("mode-remove"))) && !turned.contains("R turns"), "{turned}");
    }
}
