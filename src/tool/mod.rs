//! Pointer gestures to commands; no GUI, no GPU.
