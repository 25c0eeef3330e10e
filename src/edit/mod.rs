//! Commands and the changes they make.
