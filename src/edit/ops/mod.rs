//! The operations: one payload type a command, each with its own `plan`.

mod fill;
mod object;
mod property;
mod set;

pub use fill::Fill;
pub use object::{AddObject, RemoveObject, SetObject, Spawn};
pub use property::SetProperty;
pub use set::{Remove, Set};
