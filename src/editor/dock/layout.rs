//! What of the window's looks is remembered between sessions.

use serde::{Deserialize, Deserializer, Serialize};
use serde_yaml::{Mapping, Value};

use super::{Dock, Panel};

/// Which parts of the window are shown, and where.
///
/// Nothing that is written there can fail: what cannot be read is as at first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layout {
    /// Where the panels lie.
    pub panels: Dock,
    /// The 8×8 sectors are drawn.
    pub sectors: bool,
    /// The sea is drawn.
    pub water: bool,
    /// Objects are drawn on the map.
    pub markers: bool,
    /// Whether all that the settings say of it could be read. Not kept: what is written down is whole.
    #[serde(skip)]
    pub is_whole: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self { panels: Dock::default(), sectors: false, water: true, markers: true, is_whole: true }
    }
}

impl<'de> Deserialize<'de> for Layout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|value| Self::read(&value))
    }
}

impl Layout {
    fn read(value: &Value) -> Self {
        let usual = Self::default();
        let Value::Mapping(fields) = value else { return Self { is_whole: value.is_null(), ..usual } };
        let (panels, mut is_whole) = fields.get("panels").map_or_else(|| (folded_as_in(fields), true), Dock::read);
        let mut truth = |name: &str, usual: bool| {
            let value = fields.get(name);
            is_whole &= value.is_none_or(|value| value.is_bool() || value.is_null());
            value.and_then(Value::as_bool).unwrap_or(usual)
        };
        let (sectors, water, markers) = (truth("sectors", usual.sectors), truth("water", usual.water), truth("markers", usual.markers));
        Self { panels, sectors, water, markers, is_whole }
    }
}

/// Where the panels lie at first, folded as the first versions kept it: a truth for each panel.
fn folded_as_in(fields: &Mapping) -> Dock {
    let mut dock = Dock::default();
    for panel in Panel::ALL {
        let is_open = fields.get(panel.id()).and_then(Value::as_bool);
        let Some(group) = dock.group_of(panel) else { continue };
        match is_open {
            Some(true) if group.folded || group.front == panel => (group.front, group.folded) = (panel, false),
            Some(false) if group.front == panel => group.folded = true,
            _ => {}
        }
    }
    dock
}
