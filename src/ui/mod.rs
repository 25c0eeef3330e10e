//! The egui shell: reads the editor, returns actions.
