//! The threads that work through many things at once: files, records, uploads.
//!
//! They do what nobody waits for, or what takes long anyway, on processors that readers want too. So the system gives them
//! less of a processor than those who answer.

use rayon::ThreadPoolBuilder;
use tracing::warn;

/// How far they stand behind, as `nice` counts: an eighth of a processor that everybody wants, all of one that nobody does.
const NICENESS: i32 = 10;

/// Makes the threads, one for each processor. Who needs them before that gets them without all this.
pub fn start() {
    let started = ThreadPoolBuilder::new()
        .thread_name(|number| format!("background {number}"))
        .start_handler(|_| stand_behind())
        .build_global();
    if let Err(error) = started {
        warn!("The threads in the background work as they are: {error}");
    }
}

/// Lowers the priority of this thread. Where each thread has none of its own, all stay as they are.
fn stand_behind() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        warn!("A thread in the background has the priority of all others: {error}");
    }
}
