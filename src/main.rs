//! The `spadework` program: arguments decide between the window and the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(feature = "gui")]
    if let Err(error) = spadework::ui::run(std::env::args_os().skip(1).map(Into::into).collect()) {
        eprintln!("spadework: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
