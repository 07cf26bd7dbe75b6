//! How many files, sockets included, this process may have open.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the number of files this process may have open to the most it may allow itself, and returns that number.
///
/// Systems start programs with 1,024, which is fewer than the connections a server has.
///
/// # Errors
///
/// The system's, when it does not agree.
pub fn raise_open_files_max() -> io::Result<u64> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let limit = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, limit)?;
    Ok(maximum.unwrap_or(u64::MAX))
}
