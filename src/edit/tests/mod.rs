//! Properties that every command has, and examples of the larger ones.

mod chunks;
mod examples;
mod history;
pub(crate) mod model;
pub(crate) mod model_history;
mod model_land;
pub(crate) mod model_refused;
mod model_select;
mod model_size;
mod model_styled;
mod model_symmetry;
mod model_tips;
mod properties;
mod replay;
mod script;
mod sections;
mod select;
pub(crate) mod strategies;
pub(crate) mod symmetry;
mod volume;
