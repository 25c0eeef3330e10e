//! Properties that every command has, and examples of the larger ones.

mod examples;
pub(crate) mod model;
mod properties;
mod script;
mod volume;
