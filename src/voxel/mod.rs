//! What fills space: voxels, chunks and the sparse copy-on-write store.
//!
//! A [`Store`] is a two-level table of [`Chunk`]s behind `Arc`. Cloning one is a snapshot and costs a
//! pointer copy; editing goes through a [`StoreEdit`], which unpacks the chunks it touches and packs
//! them again at the end. Nothing here knows what colours mean, files or commands.

mod chunk;
mod colors;
mod diff;
mod edit;
pub(crate) mod mask;
mod paint;
mod paints;
mod raycast;
mod store;
mod surface;
mod top;

pub use chunk::{CHUNK_COLUMNS, CHUNK_EDGE, CHUNK_VOLUME, Chunk, ChunkPos, ColumnMask, DenseChunk};
pub use colors::most_used_colors;
pub use diff::{ColumnDiff, diff_chunk};
pub use edit::{ChunkChange, StoreEdit};
pub use mask::{ChunkMask, VoxelMask};
pub use paint::{BadColor, Extra, Paint, Rgb, SHADE_NEUTRAL, Voxel, VoxelKind};
pub use raycast::{Hit, raycast};
pub use store::Store;
pub use surface::{Neighborhood, Outside, surface_of_chunk};
pub use top::{Top, tops_of_row};
