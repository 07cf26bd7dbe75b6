//! The program `galley`: reads the arguments, calls [`galley::cli`], and sets the exit code.

use std::process::ExitCode;

/// Memory is allocated by jemalloc, which is configured in `allocator.c`.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    galley::cli::run()
}
