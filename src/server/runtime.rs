//! The threads the edge runs on, and the file handles it may have.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime::{Builder, Runtime};

use super::limits::Limits;

/// Threads that read pieces of files, beside the workers.
const FILE_READERS: usize = 4;

/// Makes the runtime for [`serve`](super::serve): `limits.threads` threads for sockets and a bounded number for the rest.
///
/// # Errors
///
/// The system's, when it gives no thread.
pub fn runtime(limits: &Limits) -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(limits.threads)
        .max_blocking_threads(limits.workers + FILE_READERS)
        .thread_name("galley")
        .enable_io()
        .enable_time()
        .build()
}

/// Raises the number of files this process may have open to the most it may allow itself, and returns that number.
///
/// Systems start programs with 1,024, which is fewer than the connections a server has.
///
/// # Errors
///
/// The system's, when it does not agree.
pub fn raise_open_files_max() -> io::Result<u64> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: maximum,
            maximum,
        },
    )?;
    Ok(maximum.unwrap_or(u64::MAX))
}
