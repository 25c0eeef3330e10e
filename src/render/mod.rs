//! The wgpu renderer: takes a plain scene, knows no editor and no egui.
