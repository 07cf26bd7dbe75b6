//! The listeners of a served site: one for requests and, if configured, one for https and one for
//! metrics.

use std::{
    env, io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use listenfd::ListenFd;
use rustix::io::Errno;

use super::{
    AppError,
    https::HttpsSite,
    starting::{OpeningProgress, OpeningServer, StartingSite},
};
use crate::{
    api::Api,
    body_memory::BodyMemory,
    config::Config,
    data_folder::{DataFolder, DataFolderError},
    metrics::{self, Metrics},
    server::{Bound, HttpsOptions, Scheme, Server, ServerMetrics},
};

/// The environment variable with the names of the sockets that a service manager passes.
const SOCKET_NAMES: &str = "LISTEN_FDNAMES";

/// Addresses that are bound but not served yet.
pub(super) struct Listeners {
    requests: Bound,
    metrics: Option<Bound>,
    /// The listen address, with the port that the system chose for port 0.
    pub(super) address: SocketAddr,
    /// The listen address for https, if there is one.
    pub(super) https_address: Option<SocketAddr>,
}

/// The servers of a site that is being opened.
pub(super) struct OpeningListeners {
    requests: OpeningServer<Api>,
    metrics: Option<OpeningServer<Metrics>>,
    counters: Option<Arc<ServerMetrics>>,
}

/// The running servers.
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
    pub(super) fn bind(config: &Config, https: Option<&HttpsSite>) -> Result<Self, AppError> {
        // Sockets of the service manager replace the configured addresses: systemd listens on the
        // ports below 1024, which the service may not bind.
        let mut requests = inherited(config).map_err(AppError::Activation)?;
        if !requests.has(Scheme::Http) {
            add(&mut requests, config.listen, Scheme::Http)
                .map_err(|source| not_bound(config, source))?;
        }
        if let Some(https) = &config.https
            && !requests.has(Scheme::Https)
        {
            add(&mut requests, https.listen, Scheme::Https)
                .map_err(not_bound_for("tls.listen", https.listen))?;
        }
        let metrics = config
            .metrics_listen
            .map(|address| Bound::to(&[address]).map_err(not_bound_for("metrics.listen", address)));
        let metrics = metrics.transpose()?;
        let https_address = requests.address_for(Scheme::Https);
        if let (Some(config), Some(https)) = (&config.https, https) {
            let listened = https_address.map(|address| address.port());
            requests.serve_https(HttpsOptions {
                certificates: Arc::clone(&https.certificates),
                port: config
                    .redirect_port
                    .or(listened)
                    // The default port of https, which redirects omit.
                    .filter(|port| *port != 443),
                hsts_s: config.hsts_s,
            });
        }
        let address = requests.address_for(Scheme::Http);
        Ok(Self {
            requests,
            metrics,
            address: address.unwrap_or(config.listen),
            https_address,
        })
    }

    /// Listens for the requests of a site that is being opened.
    ///
    /// # Errors
    ///
    /// If the system refuses to listen, or a thread.
    pub(super) fn open(
        self,
        config: &Config,
        progress: &Arc<OpeningProgress>,
        memory: Arc<BodyMemory>,
    ) -> Result<OpeningListeners, AppError> {
        let limits = config.limits.clone();
        // Requests are counted only if the metrics are served, because counting has a cost.
        let counters = self
            .metrics
            .is_some()
            .then(|| Arc::new(ServerMetrics::new(&limits)));
        // The system accepts connections from here on, while the site is still being opened; until
        // now they were refused.
        self.queue(config)?;
        let site = StartingSite::new(progress, Some(memory));
        let metrics = self.metrics.map(|bound| {
            let site = StartingSite::new(progress, None);
            OpeningServer::start(bound, site, metrics::limits(), None)
        });
        Ok(OpeningListeners {
            requests: OpeningServer::start(self.requests, site, limits, counters.clone())?,
            metrics: metrics.transpose()?,
            counters,
        })
    }

    /// Lets the system accept connections on all addresses. An address that another process listens
    /// on is detected only at this point.
    fn queue(&self, config: &Config) -> Result<(), AppError> {
        let https = config.https.as_ref().map(|https| https.listen);
        self.requests
            .queue()
            .map_err(|(scheme, source)| match (scheme, https) {
                (Scheme::Https, Some(address)) => not_bound_for("tls.listen", address)(source),
                _ => not_bound(config, source),
            })?;
        let metrics = self.metrics.as_ref().zip(config.metrics_listen);
        metrics.map_or(Ok(()), |(bound, address)| {
            let queued = bound.queue().map_err(|(_, source)| source);
            queued.map_err(not_bound_for("metrics.listen", address))
        })
    }
}

impl OpeningListeners {
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
        let requests = self.requests.serve(Arc::clone(api));
        Ok(Servers {
            requests: requests.map_err(|source| not_listening(config, source))?,
            metrics: match (self.metrics, self.counters) {
                (Some(server), Some(counters)) => Some(server.serve(Arc::new(metrics(counters)))?),
                _ => None,
            },
        })
    }
}

/// Returns the sockets that a service manager passed to this process (`LISTEN_FDS`). A socket is
/// for https according to its name (`LISTEN_FDNAMES`) or its port.
fn inherited(config: &Config) -> io::Result<Bound> {
    let names = env::var(SOCKET_NAMES).unwrap_or_default();
    let mut names = names.split(':');
    // Names are matched with sockets by index, as `LISTEN_FDNAMES` lists them.
    let mut sockets = ListenFd::from_env();
    let mut bound = Bound::default();
    for index in 0..sockets.len() {
        let Some(listener) = sockets.take_tcp_listener(index)? else {
            continue;
        };
        let https_port = config.https.as_ref().map(|https| https.listen.port());
        let scheme = match names.next() {
            Some("https") => Scheme::Https,
            Some("http") => Scheme::Http,
            _ if Some(listener.local_addr()?.port()) == https_port => Scheme::Https,
            _ => Scheme::Http,
        };
        if scheme == Scheme::Https && config.https.is_none() {
            return Err(io::Error::other(
                "it is for https, which needs domain or tls.cert",
            ));
        }
        bound.inherit(listener, scheme);
    }
    Ok(bound)
}

/// Binds an address. On systems without IPv6, the unspecified IPv6 address is replaced by the IPv4
/// one.
fn add(bound: &mut Bound, address: SocketAddr, scheme: Scheme) -> io::Result<()> {
    match bound.add(address, scheme) {
        Err(error) if address.ip() == Ipv6Addr::UNSPECIFIED && is_without_ipv6(&error) => {
            bound.add((Ipv4Addr::UNSPECIFIED, address.port()).into(), scheme)
        }
        added => added,
    }
}

fn is_without_ipv6(error: &io::Error) -> bool {
    // A kernel without IPv6 knows no such address family; one with IPv6 switched off has the
    // family, but no address of it.
    let code = error.raw_os_error();
    [Errno::AFNOSUPPORT, Errno::ADDRNOTAVAIL]
        .map(Errno::raw_os_error)
        .map(Some)
        .contains(&code)
}

fn not_bound_for(option: &'static str, address: SocketAddr) -> impl FnOnce(io::Error) -> AppError {
    move |source| AppError::ListenFor {
        option,
        address,
        source,
    }
}

/// Explains why the listen address cannot be bound: often because the same site is already being
/// served.
fn not_bound(config: &Config, source: io::Error) -> AppError {
    // The owner of the data folder is a better explanation than the address: the operator has
    // started the same site twice.
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
