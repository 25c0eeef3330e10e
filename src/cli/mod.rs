//! Headless verbs on the same editor as the window.
