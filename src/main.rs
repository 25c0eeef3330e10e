//! The `spadework` program: arguments decide between the window and the command line.

fn main() {}
