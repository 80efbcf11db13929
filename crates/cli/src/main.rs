//! The `stiction` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    stiction_cli::run(std::env::args_os())
}
