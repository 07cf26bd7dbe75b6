//! The program `galley`: reads arguments, calls [`galley::cli`], sets the exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    galley::cli::run()
}
