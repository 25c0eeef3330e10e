//! Properties that every command has.
