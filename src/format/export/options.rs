//! Reading the options of an export: the given value or the default of its specification.

use super::super::{FormatError, OptionKind, OptionSpec};
use crate::document::{OptionValue, Options};

/// The value of an option that is on or off.
pub(super) fn flag(options: &Options, spec: &OptionSpec) -> Result<bool, FormatError> {
    match (options.get(spec.name), spec.kind) {
        (None, OptionKind::Bool { default }) => Ok(default),
        (Some(OptionValue::Bool(value)), OptionKind::Bool { .. }) => Ok(*value),
        (value, _) => Err(bad(spec, value)),
    }
}

/// The value of an option that is a whole number within its range.
pub(super) fn number(options: &Options, spec: &OptionSpec) -> Result<i64, FormatError> {
    match (options.get(spec.name), spec.kind) {
        (None, OptionKind::Int { default, .. }) => Ok(default),
        (Some(OptionValue::Int(value)), OptionKind::Int { min, max, .. }) if (min..=max).contains(value) => Ok(*value),
        (value, _) => Err(bad(spec, value)),
    }
}

fn bad(spec: &OptionSpec, value: Option<&OptionValue>) -> FormatError {
    FormatError::BadOption { name: spec.name, value: value.map_or(String::new(), |value| format!("{value:?}")) }
}
