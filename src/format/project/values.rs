//! Objects and properties as the values of a project file, and back.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_yaml::Value;

use crate::document::{GameMode, Object, Property, Sector};
use crate::voxel::Rgb;

/// Objects go through JSON: YAML's own form of an enum is a tag, which few tools read.
pub(super) fn as_value(object: &Object) -> Option<Value> {
    serde_yaml::to_value(serde_json::to_value(object).ok()?).ok()
}

pub(super) fn parsed<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(serde_json::to_value(value).ok()?).ok()
}

pub(super) fn entry(property: &Property) -> (&'static str, Value) {
    let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::from);
    let number = |number: &Option<u32>| number.map_or(Value::Null, Value::from);
    match property {
        Property::Name(value) => ("name", text(value)),
        Property::Author(value) => ("author", text(value)),
        Property::Version(value) => ("version", text(value)),
        Property::Description(value) => ("description", text(value)),
        Property::Fog(value) => ("fog", value.map_or(Value::Null, |fog| fog.to_string().into())),
        Property::GameMode(value) => ("game_mode", value.map_or(Value::Null, |mode| u64::from(mode.number()).into())),
        Property::Protected(value) => ("protected", value.iter().map(|sector| Value::from(sector.to_string())).collect()),
        Property::CapLimit(value) => ("cap_limit", number(value)),
        Property::TimeLimit(value) => ("time_limit", number(value)),
    }
}

pub(super) fn property(key: &str, value: &Value) -> Option<Property> {
    let text = || value.as_str().map(|text| Some(text.to_owned()));
    let number = || value.as_u64().and_then(|number| u32::try_from(number).ok()).map(Some);
    Some(match key {
        "name" => Property::Name(text()?),
        "author" => Property::Author(text()?),
        "version" => Property::Version(text()?),
        "description" => Property::Description(text()?),
        "fog" => Property::Fog(Some(value.as_str()?.parse::<Rgb>().ok()?)),
        "game_mode" => Property::GameMode(Some(match value.as_str() {
            Some(_) => parsed(value)?,
            None => GameMode::from_number(u8::try_from(value.as_u64()?).ok()?),
        })),
        "protected" => Property::Protected(parsed::<BTreeSet<Sector>>(value)?),
        "cap_limit" => Property::CapLimit(number()?),
        "time_limit" => Property::TimeLimit(number()?),
        _ => return None,
    })
}
