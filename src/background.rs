//! The threads that process many items in parallel: files, records, uploads.
//!
//! No client waits for their work, or it takes long anyway, but they compete with readers for the
//! processors. So the system gives them less processor time than the threads that serve requests.

use tracing::warn;

/// The priority of these threads, as a `nice` value: an eighth of a busy processor, all of an idle
/// one.
const NICENESS: i32 = 10;

/// Lowers the priority of these threads for the rest of the process, to be called once there are
/// readers to serve. Does nothing on systems where threads have no separate priority.
pub fn lower_priority() {
    rayon::broadcast(|_| lower_own_priority());
}

/// Lowers the priority of the calling thread for the rest of its life.
pub fn lower_own_priority() {
    #[cfg(target_os = "linux")]
    // Linux, unlike POSIX, gives each thread its own `nice` value and changes that of the calling
    // thread here (setpriority(2)).
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        warn!("The priority of a background thread cannot be lowered: {error}");
    }
}
