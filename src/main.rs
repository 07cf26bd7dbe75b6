//! The program `galley`: reads arguments, calls [`galley::cli`], sets the exit code.

use std::process::ExitCode;

/// Memory is allocated by jemalloc, which is set up by `allocator.c`.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    galley::cli::run()
}
