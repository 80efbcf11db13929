//! The `stiction-lab` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    stiction_lab::run(std::env::args_os())
}
