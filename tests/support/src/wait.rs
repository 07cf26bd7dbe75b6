//! Waits for conditions.

use std::{
    fmt::Debug,
    thread,
    time::{Duration, Instant},
};

/// Timeout for all expected events.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Interval between two checks of a condition.
const INTERVAL: Duration = Duration::from_millis(5);

/// Waits until `condition` holds, and returns how long that took. Fails after [`PATIENCE`].
pub fn wait_until(what: &str, condition: impl FnMut() -> bool) -> Duration {
    wait_until_within(PATIENCE, what, condition)
}

/// Waits until `condition` holds, and returns how long that took. Fails after `patience`.
pub fn wait_until_within(
    patience: Duration,
    what: &str,
    mut condition: impl FnMut() -> bool,
) -> Duration {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < patience, "timed out: {what}");
        thread::sleep(INTERVAL);
    }
    start.elapsed()
}

/// Waits until a state is as expected, and returns it. Fails after [`PATIENCE`] and shows the last
/// state.
pub fn wait_for<T: Debug>(
    what: &str,
    mut state: impl FnMut() -> T,
    is_wanted: impl Fn(&T) -> bool,
) -> T {
    let start = Instant::now();
    loop {
        let found = state();
        if is_wanted(&found) {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "timed out: {what}: {found:?}");
        thread::sleep(INTERVAL);
    }
}
