//! One plugin per file format or sidecar: bytes to document and back.
