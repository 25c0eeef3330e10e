//! Properties that every command has, and examples of the larger ones.

mod chunks;
mod examples;
mod history;
pub(crate) mod model;
pub(crate) mod model_history;
pub(crate) mod model_refused;
mod model_select;
mod model_styled;
mod model_tips;
pub(crate) mod properties;
mod replay;
mod script;
mod sections;
mod select;
mod volume;
