//! Periodic work for the API, outside of requests.

use std::{io, sync::Arc, time::Duration};

use crate::{api::Api, periodic_thread::PeriodicThread, site::Site};

/// A cached response that was not requested in this time may be evicted; after twice the time it is.
const UNUSED_TIME: Duration = Duration::from_secs(20);

/// Interval between checks of the clients that other processes refuse.
const REFUSED_CLIENTS_PERIOD: Duration = Duration::from_secs(2);

/// Evicts cached responses that are no longer requested, so that an idle site takes as little memory
/// as one that has just started.
///
/// # Errors
///
/// If the system cannot create a thread.
pub(super) fn evict_unused(api: Arc<Api>) -> io::Result<PeriodicThread> {
    PeriodicThread::every("cache eviction", UNUSED_TIME, move || api.evict_unused())
}

/// Learns which clients other processes refuse; does nothing if the store of `site` belongs to this
/// process.
///
/// # Errors
///
/// If the system cannot create a thread.
pub(super) fn follow_refused_clients(
    site: &Site,
    api: Arc<Api>,
) -> io::Result<Option<PeriodicThread>> {
    let follow = move || {
        if let Err(error) = api.follow_refused_clients() {
            // The follower of the store logs that it is away.
            tracing::debug!(%error, "the clients that others refuse are not known; trying again");
        }
    };
    let start = |_| PeriodicThread::every("refused clients", REFUSED_CLIENTS_PERIOD, follow);
    site.shared_counts().map(start).transpose()
}
