//! Properties that every command has, and examples of the larger ones.

mod examples;
mod model;
mod properties;
mod script;
