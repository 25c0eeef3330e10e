//! The operations: one payload type a command, each with its own `plan`.

mod color;
mod fill;
mod flood;
mod heightmap;
mod object;
mod property;
mod resize;
mod sculpt;
mod selection;
mod set;
mod shift;
mod stroke;

pub use color::{RepairColumns, ReplaceColor};
pub use fill::Fill;
pub use flood::FillConnected;
pub use heightmap::{Heightmap, HeightmapMode};
pub use object::{AddObject, ClearSpawns, RemoveObject, SetObject, Spawn};
pub use property::{SetDirt, SetProperty};
pub use resize::{Crop, Resize};
pub use sculpt::{Sculpt, SculptAction};
pub use selection::{CopySelection, DeleteSelection, MoveSelection, Paste, Select};
pub use set::{Remove, Set};
pub use shift::Shift;
pub use stroke::{Line, Stroke};
