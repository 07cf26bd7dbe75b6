//! The listeners of a served site: one for requests and, if configured, one for metrics.

use std::{io, net::SocketAddr, sync::Arc};

use super::AppError;
use crate::{
    api::Api,
    config::Config,
    data_folder::{DataFolder, DataFolderError},
    metrics::{self, Metrics},
    server::{Bound, Server, ServerMetrics},
};

/// Addresses that are bound, but do not serve yet.
pub(super) struct Listeners {
    requests: Bound,
    metrics: Option<Bound>,
    /// The listen address, with the port that the system chose for port 0.
    pub(super) address: SocketAddr,
}

/// The servers that listen.
pub(super) struct Servers {
    pub(super) requests: Server,
    pub(super) metrics: Option<Server>,
}

impl Listeners {
    /// Binds the configured addresses.
    ///
    /// # Errors
    ///
    /// If an address is in use or not one of this machine.
    pub(super) fn bind(config: &Config) -> Result<Self, AppError> {
        let requests = Bound::to(&[config.listen]).map_err(|source| not_bound(config, source))?;
        let metrics = config.metrics_listen.map(|address| {
            let in_use = |source| AppError::ListenForMetrics { address, source };
            Bound::to(&[address]).map_err(in_use)
        });
        let metrics = metrics.transpose()?;
        let address = requests.addresses()?.first().copied();
        Ok(Self {
            requests,
            metrics,
            address: address.unwrap_or(config.listen),
        })
    }

    /// Serves `api`, and `metrics` of its server if a listener for them is configured.
    ///
    /// # Errors
    ///
    /// If the system refuses a resource.
    pub(super) fn serve(
        self,
        config: &Config,
        api: &Arc<Api>,
        metrics: impl FnOnce(Arc<ServerMetrics>) -> Metrics,
    ) -> Result<Servers, AppError> {
        let limits = config.limits.clone();
        // Counting costs time, so requests are counted only if the counts are served.
        let counters = self
            .metrics
            .is_some()
            .then(|| Arc::new(ServerMetrics::new(&limits)));
        let requests =
            Server::start_counted(self.requests, Arc::clone(api), limits, counters.clone());
        Ok(Servers {
            requests: requests.map_err(|source| not_listening(config, source))?,
            metrics: match (self.metrics, counters) {
                (Some(bound), Some(counters)) => {
                    let metrics = Arc::new(metrics(counters));
                    Some(Server::start_at(bound, metrics, metrics::limits())?)
                }
                _ => None,
            },
        })
    }
}

/// Explains why the listen address cannot be bound: often because this very site is already being
/// served.
fn not_bound(config: &Config, source: io::Error) -> AppError {
    match DataFolder::owner_of(&config.data) {
        Ok(Some(owner)) => AppError::from(DataFolderError::InUse {
            path: config.data.clone(),
            owner: Some(Box::new(owner)),
        }),
        Ok(None) => not_listening(config, source),
        Err(error) => error.into(),
    }
}

fn not_listening(config: &Config, source: io::Error) -> AppError {
    AppError::Listen {
        address: config.listen,
        source,
    }
}
