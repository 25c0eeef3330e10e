//! Chunk and neighbours to packed faces; CPU only, pure.
