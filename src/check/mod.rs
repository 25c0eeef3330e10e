//! Playability rules: document → problems with positions and fixes.
