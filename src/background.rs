//! The threads that work through many things at once: files, records, uploads.
//!
//! They do what nobody waits for, or what takes long anyway, on processors that readers want too. So the system gives them
//! less of a processor than those who answer.

use tracing::warn;

/// How far they stand behind, as `nice` counts: an eighth of a processor that everybody wants, all of one that nobody does.
const NICENESS: i32 = 10;

/// Lowers their priority, for as long as the program runs: from when there is somebody to stand behind. Where threads have
/// no priority of their own, all stay as they are.
pub fn stand_behind() {
    #[cfg(target_os = "linux")]
    rayon::broadcast(|_| {
        if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
            warn!("A thread in the background has the priority of all others: {error}");
        }
    });
}
