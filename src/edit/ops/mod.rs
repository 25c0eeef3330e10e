//! The operations: one payload type a command, each with its own `plan`.

mod color;
mod extrude;
mod fill;
mod flood;
mod heal;
mod heightmap;
mod masks;
mod object;
mod paint;
mod property;
mod resize;
mod sculpt;
mod selection;
mod set;
mod shape;
mod shift;
mod stroke;
mod volume;

pub use color::{RepairColumns, ReplaceColor};
pub use extrude::Extrude;
pub use fill::Fill;
pub use flood::{FillConnected, FillReach};
pub use heal::{Heal, HealFrom, mismatches};
pub use heightmap::{Heightmap, HeightmapMode};
pub use masks::{BadCenter, HalfVoxels, SetMasks, SetSymmetry};
pub use object::{AddObject, ClearSpawns, RemoveObject, SetObject, Spawn};
pub use paint::PaintStroke;
pub use property::{SetDirt, SetProperty};
pub use resize::{Crop, Resize};
pub use sculpt::{Sculpt, SculptAction, SculptForm};
pub use selection::{CopySelection, DeleteSelection, MoveSelection, Paste, Select};
pub use set::{Remove, Set};
pub use shape::Shape;
pub use shift::Shift;
pub use stroke::{Line, Stroke};
pub use volume::SelectVolume;
