//! The time between two heartbeats, for the thread of heartbeats and for the node that waits for it.

use std::time::Duration;

use crate::store::NewNode;

/// Maximum time between two scans of the leases, so that those of a process that leaves are taken over
/// within a second.
pub(super) const PERIOD_MAX: Duration = Duration::from_secs(1);

/// Returns the time between two heartbeats.
pub(super) fn period(node: &NewNode) -> Duration {
    // A third, so that a single lost heartbeat does not end the life of the node.
    (node.lease_time / 3).min(PERIOD_MAX)
}
