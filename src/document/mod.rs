//! The map as a mapper means it: volumes, objects, metadata, selection, limits, source bytes.
