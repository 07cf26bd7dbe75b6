//! Periodic work for the API and its site, outside of requests.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use crate::{api::Api, data_folder::DataFolder, periodic_thread::PeriodicThread, site::Site};

/// Time after which a cached response that was not requested may be evicted. It is evicted after
/// twice this time at the latest.
const UNUSED_TIME: Duration = Duration::from_secs(20);

/// Interval between checks of the clients that other processes refuse.
const REFUSED_CLIENTS_PERIOD: Duration = Duration::from_secs(2);

/// Interval between checks of a disk that has rejected a change.
const DISK_PERIOD: Duration = Duration::from_secs(10);

/// Starts the threads for periodic work.
///
/// # Errors
///
/// If the system cannot create a thread.
pub(super) fn start(
    site: &Arc<Site>,
    api: &Arc<Api>,
    data: &Path,
) -> io::Result<Vec<PeriodicThread>> {
    let mut threads = vec![
        evict_unused(Arc::clone(api))?,
        retry_disk(Arc::clone(site), data.to_owned())?,
    ];
    threads.extend(follow_refused_clients(site, Arc::clone(api))?);
    Ok(threads)
}

/// Evicts cached responses that are no longer requested, so that an idle site uses as little memory
/// as one that has just started.
fn evict_unused(api: Arc<Api>) -> io::Result<PeriodicThread> {
    PeriodicThread::every("cache eviction", UNUSED_TIME, move || api.evict_unused())
}

/// Periodically loads the clients that other processes refuse. Does nothing if the store of `site`
/// belongs to this process.
fn follow_refused_clients(site: &Site, api: Arc<Api>) -> io::Result<Option<PeriodicThread>> {
    let follow = move || {
        if let Err(error) = api.follow_refused_clients() {
            // Only a debug message, because the store follower logs that the store is unavailable.
            tracing::debug!(%error, "cannot load the clients that other processes refuse; retrying");
        }
    };
    let start = |_| PeriodicThread::every("refused clients", REFUSED_CLIENTS_PERIOD, follow);
    site.shared_counts().map(start).transpose()
}

/// Periodically checks whether a disk that has rejected a change accepts changes again, so that
/// monitoring detects the end of the failure.
fn retry_disk(site: Arc<Site>, data: PathBuf) -> io::Result<PeriodicThread> {
    PeriodicThread::every("disk", DISK_PERIOD, move || {
        site.retry_disk(|| DataFolder::try_disk(&data));
    })
}
