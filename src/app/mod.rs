//! The whole program: opens the store, builds the site, starts the servers and followers, and stops
//! them again.
//!
//! The only module that knows every concrete type. Tests start it on a temporary folder and port 0.

mod api_handler;
mod cache_eviction;
mod open_site;
mod source;

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc};

pub use open_site::{OpenSite, StoreMode};

use api_handler::ApiHandler;
use cache_eviction::CacheEviction;
use source::Source;

use crate::{
    api::{
        Api, Options,
        files::FileRoots,
        headers::API_VERSION_NUMBER,
        site_urls::{SiteUrlError, SiteUrlSources, SiteUrls},
    },
    config::Config,
    control::{self, ControlContext},
    data_folder::{CONTROL_SOCKET, DataFolder, DataFolderError, Owner},
    delivery::{Deliverer, DeliveryMetrics, WebhookOptions},
    error::Error,
    metrics::{self, Metrics},
    outbound::Client,
    scheduler::Scheduler,
    server::{Bound, Server, ServerMetrics},
    site::Site,
    sources::{ContentReport, Progress, git::GitError},
    store::StoreError,
};

/// The name of the first integration, which every served site has.
const FIRST_INTEGRATION: &str = "Default";

/// The program cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The data folder cannot be used.
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The site cannot be read.
    #[error("the site cannot be read: {}", with_source(.0))]
    Site(#[from] Error),
    /// The site's git repository cannot be used.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The site's URL is invalid.
    #[error(transparent)]
    Address(#[from] SiteUrlError),
    /// The program cannot listen at the address.
    #[error("cannot listen at {address}: {source}. Choose another address with --listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The program cannot listen at the address for metrics.
    #[error("cannot listen at {address}: {source}. Choose another address for metrics.listen")]
    ListenForMetrics {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The control socket cannot be created.
    #[error(
        "cannot open the control socket {}: {source}. The data folder must be on a file system that supports sockets; choose another with --data",
        path.display()
    )]
    Control {
        /// The socket.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The system refuses threads or files.
    #[error("the system refuses a resource that serving needs: {0}")]
    System(#[from] io::Error),
}

fn with_source(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

/// How a site is served.
#[derive(Clone, Copy, Debug)]
pub struct ServeOptions {
    /// Where the site is stored.
    pub store_mode: StoreMode,
    /// Whether URLs in responses lead to the listen address, whatever the operator and the settings
    /// say.
    pub uses_listen_url: bool,
}

impl ServeOptions {
    /// The options of `galley serve`.
    const LASTING: Self = Self {
        store_mode: StoreMode::OnDisk,
        uses_listen_url: false,
    };
}

/// A site that is being served, until this is dropped.
pub struct App {
    // Fields are dropped, and so stopped, in this order.
    server: Option<Server>,
    metrics: Option<Server>,
    _cache_eviction: CacheEviction,
    _control: control::Listener,
    _scheduler: Scheduler,
    _deliverer: Deliverer,
    source: Source,
    subject: Arc<ControlContext>,
    handler: Arc<ApiHandler>,
    open: OpenSite,
    config: Config,
    address: SocketAddr,
    metrics_address: Option<SocketAddr>,
}

impl App {
    /// Opens everything, reads the content folder once, and serves; `progress` reports the state of
    /// the reading.
    ///
    /// # Errors
    ///
    /// If the site cannot be opened, the address is in use, or the system refuses a resource.
    pub fn start(config: Config, progress: &dyn Progress) -> Result<Self, AppError> {
        Self::start_with(config, ServeOptions::LASTING, progress)
    }

    /// Does the same with other options.
    ///
    /// # Errors
    ///
    /// Those of [`start`](Self::start).
    pub fn start_with(
        config: Config,
        options: ServeOptions,
        progress: &dyn Progress,
    ) -> Result<Self, AppError> {
        let operator = operator_address(&config)?;
        let listen = |source| AppError::Listen {
            address: config.listen,
            source,
        };
        // Before the store is opened, so that an address in use is reported at once.
        let bound = match Bound::to(&[config.listen]) {
            Ok(bound) => bound,
            // Often the address is in use because this very site is already being served.
            Err(source) => {
                return Err(match DataFolder::owner_of(&config.data)? {
                    Some(owner) => AppError::from(DataFolderError::InUse {
                        path: config.data,
                        owner: Some(Box::new(owner)),
                    }),
                    None => listen(source),
                });
            }
        };
        let metrics_bound = config.metrics_listen.map(|address| {
            let in_use = |source| AppError::ListenForMetrics { address, source };
            Bound::to(&[address]).map_err(in_use)
        });
        let metrics_bound = metrics_bound.transpose()?;
        let address = bound.addresses()?.first().copied().unwrap_or(config.listen);
        let listen_address = listen_address(address)?;
        let site_urls = SiteUrlSources {
            operator: if options.uses_listen_url {
                Some(listen_address.clone())
            } else {
                operator
            },
            listen: listen_address,
        };
        let preparation = Source::prepare(&config)?;
        let open = OpenSite::open_at(&config, site_urls.clone(), options.store_mode)?;
        let source = Source::follow(&config, &open.site, preparation, progress)?;
        if open.site.current().catalog.integrations().next().is_none() {
            open.site
                .write(|transaction| transaction.add_first_integration(FIRST_INTEGRATION))?;
        }
        let scheduler = Scheduler::start(Arc::clone(&open.site))?;
        let webhooks = WebhookOptions {
            reach: config.reach,
            content_version: format!("v{API_VERSION_NUMBER}"),
            memory: Arc::clone(&open.memory),
        };
        let deliveries = Arc::<DeliveryMetrics>::default();
        let deliverer = Deliverer::start(
            Arc::clone(&open.site),
            config.mail.clone(),
            webhooks,
            Arc::new(site_urls.clone()),
            Arc::clone(&deliveries),
        )?;
        let subject = Arc::new(ControlContext {
            site: Arc::clone(&open.site),
            content: source.report(),
            pulls: source.pulls(),
            site_urls: site_urls.clone(),
            data: open.folder.path().to_owned(),
            content_folder: config.content_folder(),
            path_prefix: config.path_prefix.clone(),
            image_memory_bytes: config.image_memory_bytes,
        });
        let control = control::Listener::start(Arc::clone(&subject)).map_err(|source| {
            let path = subject.data.join(CONTROL_SOCKET);
            AppError::Control { path, source }
        })?;
        let api = Api::new(
            Arc::clone(&open.site),
            api_options(&config, site_urls, &source),
        );
        api.share_body_memory(Arc::clone(&open.memory));
        let handler = Arc::new(ApiHandler(api));
        let watched = metrics_bound.map(|bound| {
            let server_metrics = Arc::new(ServerMetrics::new(&config.limits));
            let cached = Arc::clone(&handler);
            let metrics = Metrics {
                site: Arc::clone(&open.site),
                content: source.report(),
                server: Arc::clone(&server_metrics),
                store: Arc::clone(&open.store_metrics),
                deliveries,
                cached_bytes: Box::new(move || cached.0.cached_bytes()),
            };
            (bound, server_metrics, metrics)
        });
        let server_metrics = watched
            .as_ref()
            .map(|(_, server_metrics, _)| Arc::clone(server_metrics));
        let limits = config.limits.clone();
        let server = Server::start_counted(bound, Arc::clone(&handler), limits, server_metrics);
        let server = server.map_err(listen)?;
        let metrics = watched
            .map(|(bound, _, metrics)| {
                Server::start_at(bound, Arc::new(metrics), metrics::limits())
            })
            .transpose()?;
        let metrics_address = metrics
            .as_ref()
            .and_then(|server| server.addresses().first().copied());
        // Announced last: a process that reads the address may send a request at once.
        open.folder.announce(&Owner {
            address: Some(handler.0.site_urls().site()),
            takes_commands: true,
            ..open.folder.owner().clone()
        })?;
        Ok(Self {
            server: Some(server),
            metrics,
            _cache_eviction: CacheEviction::start(Arc::clone(&handler))?,
            _control: control,
            _scheduler: scheduler,
            _deliverer: deliverer,
            source,
            subject,
            open,
            handler,
            config,
            address,
            metrics_address,
        })
    }

    /// Returns the public URLs of the site.
    pub fn site_urls(&self) -> SiteUrls {
        self.handler.0.site_urls()
    }

    /// Returns the URLs that the operator or, without them, the site's setting configures; `None`
    /// if neither does.
    pub fn configured_addresses(&self) -> Option<SiteUrls> {
        let sources = SiteUrlSources {
            operator: operator_address(&self.config).ok().flatten(),
            listen: self.subject.site_urls.listen.clone(),
        };
        sources.configured(&self.open.site.current().catalog.settings)
    }

    /// Returns the listen address, with the port that the system chose for port 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of the metrics listener, if there is one.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// Returns the path of the Content API, such as `/ghost/api/content`.
    pub fn content_api_path(&self) -> String {
        let subdirectory = self.site_urls().subdirectory().to_owned();
        format!("{subdirectory}/{}/api/content", self.config.path_prefix)
    }

    /// Returns the report on the content files.
    pub fn content_report(&self) -> Arc<ContentReport> {
        self.subject.content.load_full()
    }

    /// Returns the context of commands that this process executes.
    pub fn subject(&self) -> &ControlContext {
        &self.subject
    }

    /// Returns the site.
    pub fn site(&self) -> &Arc<Site> {
        &self.open.site
    }
}

impl Drop for App {
    /// Finishes requests in flight, then closes everything in the order of the fields.
    fn drop(&mut self) {
        // Requests that wait for a pull would delay the others.
        if let Some(pulls) = self.source.pulls() {
            pulls.stop();
        }
        for server in [self.server.take(), self.metrics.take()]
            .into_iter()
            .flatten()
        {
            server.stop();
        }
    }
}

/// Returns the sources of the site's URLs by its configuration.
///
/// # Errors
///
/// If the operator's URL is invalid.
pub fn address_sources(config: &Config) -> Result<SiteUrlSources, SiteUrlError> {
    Ok(SiteUrlSources {
        operator: operator_address(config)?,
        listen: listen_address(config.listen)?,
    })
}

fn operator_address(config: &Config) -> Result<Option<SiteUrls>, SiteUrlError> {
    config.url.as_deref().map(SiteUrls::new).transpose()
}

fn listen_address(address: SocketAddr) -> Result<SiteUrls, SiteUrlError> {
    SiteUrls::new(&format!("http://{address}"))
}

fn api_options(config: &Config, site_urls: SiteUrlSources, source: &Source) -> Options {
    Options {
        site_urls,
        admin_origin: config.admin_origin.clone(),
        path_prefix: config.path_prefix.clone(),
        files: FileRoots {
            content: config.content_folder(),
            data: config.data.clone(),
        },
        content: source.report(),
        pulls: source.pulls(),
        cache_bytes_max: config.cache_bytes_max,
        integration_scope: config.integration_scope,
        body_bytes_max: config.limits.body_bytes_max,
        upload_bytes_max: config.upload_bytes_max,
        image_memory_bytes: config.image_memory_bytes,
        device_verification: config.device_verification,
        member_avatars: config.member_avatars,
        has_mail_server: config.mail.server.is_some(),
        outside: config.fetches_embeds.then(|| Client::new(config.reach)),
    }
}
