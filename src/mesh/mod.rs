//! Chunk and neighbours to packed faces with ambient occlusion; CPU only, pure.
//!
//! [`mesh_chunk`] makes what the renderer draws, [`shell_of`] the hull of a loose set of voxels (ghosts),
//! [`affected_neighbors`] tells which meshes an edited chunk makes stale. Positions are relative to the
//! chunk, so that a mesh does not depend on where its chunk lies.

mod affected;
mod ambient;
mod chunk_mesh;
mod shell;
mod surround;

pub use affected::affected_neighbors;
pub use chunk_mesh::{ChunkMesh, DIRT, Quad, mesh_chunk};
pub use shell::{ShellQuad, shell_of, shell_of_mask, visit_shell};
