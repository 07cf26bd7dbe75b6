//! The whole program: opens the store, builds the site, starts the servers and followers, and stops
//! them again.
//!
//! This is the only module that refers to every concrete type. Tests start the program with a
//! temporary folder and port 0.

mod api_upkeep;
mod backups;
mod deliveries;
mod error;
mod https;
mod listeners;
mod live_parts;
mod offline;
mod open_site;
mod source;
mod start_check;
mod starting;
mod store_follower;
mod upload_records;
mod url_sources;

use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::Instant,
};

pub use error::AppError;
pub use live_parts::LiveParts;
pub use offline::{offline_context, site_without_lock, stored_certificates};
pub use open_site::{OpenSite, StoreMode};
pub use start_check::check_start;
pub use url_sources::url_sources;

use https::HttpsSite;
use listeners::{Listeners, Servers};
use source::FollowedSource;
use starting::ShownProgress;
use store_follower::StoreFollower;
use url_sources::{listen_url, operator_url};

use crate::{
    admin::{rate_limits::RateLimits, setup_link::SetupLink},
    admin_app::AdminApp,
    api::{Api, Options, files::FileRoots, visitor},
    body_memory::BodyMemory,
    certificates::{CertificateReport, Certificates},
    config::Config,
    content_files::ContentReport,
    control::{self, ControlContext, Reload},
    data_folder::{CONTROL_SOCKET, DataFolder, Owner},
    delivery::DeliveryMetrics,
    leadership::{DEFAULT_LEASE_TIME, Leadership, LedWork, Workers},
    metrics::Metrics,
    periodic_thread::PeriodicThread,
    progress::Progress,
    reader_scripts::ReaderScripts,
    scheduler::Scheduler,
    search::{Indexer, SearchIndex},
    server::{Server, ServerMetrics},
    site::{Site, Work},
    site_urls::{SiteUrlError, SiteUrlSources, SiteUrls},
    store::NewNode,
};

/// On shutdown, the share of the time limit for requests in flight that requests to a bucket may
/// take.
const BUCKET_SHARE: f64 = 0.9;

/// The name of the first integration, which every served site has.
const FIRST_INTEGRATION: &str = "Default";

/// Options of serving a site.
#[derive(Clone, Copy, Debug)]
pub struct ServeOptions {
    /// The storage of the site.
    pub store_mode: StoreMode,
    /// True if URLs in responses begin with the listen address, regardless of the configuration and
    /// the settings.
    pub uses_listen_url: bool,
}

impl ServeOptions {
    /// The options of `galley serve`.
    const LASTING: Self = Self {
        store_mode: StoreMode::OnDiskOrReplica,
        uses_listen_url: false,
    };
}

/// A site that is served until this value is dropped.
pub struct App {
    // Fields are dropped, and thus stopped, in this order.
    server: Option<Server>,
    metrics: Option<Server>,
    _upkeep: Vec<PeriodicThread>,
    _control: control::Listener,
    _leadership: Leadership,
    _indexer: Indexer,
    _store_follower: StoreFollower,
    source: FollowedSource,
    control_context: Arc<ControlContext>,
    live: Arc<LiveParts>,
    api: Arc<Api>,
    open: OpenSite,
    config: Config,
    address: SocketAddr,
    https_address: Option<SocketAddr>,
}

impl App {
    /// Opens the site, reads the content folder once, and starts serving. `progress` receives the
    /// progress of reading.
    ///
    /// # Errors
    ///
    /// If the site cannot be opened, the address is in use, or the system refuses a resource.
    pub fn start(config: Config, progress: &dyn Progress) -> Result<Self, AppError> {
        Self::start_with(config, ServeOptions::LASTING, progress)
    }

    /// Like [`start`](Self::start), with other options.
    ///
    /// # Errors
    ///
    /// The errors of [`start`](Self::start).
    pub fn start_with(
        config: Config,
        options: ServeOptions,
        progress: &dyn Progress,
    ) -> Result<Self, AppError> {
        let operator = operator_url(&config)?;
        // Bound before the store is opened, so that an address in use is reported immediately.
        let https = prepare_https(&config)?;
        let listeners = Listeners::bind(&config, https.as_ref())?;
        let (address, https_address) = (listeners.address, listeners.https_address);
        let site_urls = site_url_sources(operator, address, options)?;
        let preparation = FollowedSource::prepare(&config)?;
        let memory = BodyMemory::new(config.limits.bodies_bytes_max);
        let opening = Arc::default();
        let listeners = listeners.open(&config, &opening, Arc::clone(&memory))?;
        let progress = &ShownProgress {
            opening: &opening,
            progress,
        };
        let open = OpenSite::open_at(&config, site_urls.clone(), options.store_mode, memory)?;
        let store_follower = StoreFollower::start(Arc::clone(&open.site))?;
        let mut leadership = Leadership::join(Arc::clone(&open.site), this_node())?;
        let source = FollowedSource::of(&config, &open.site)?;
        source.lead(&mut leadership, &config, preparation, progress)?;
        ensure_integration(&open.site)?;
        lead_scheduler(&mut leadership)?;
        let delivered = Arc::<DeliveryMetrics>::default();
        let deliveries = deliveries::lead(&mut leadership, &config, &open, &site_urls, &delivered)?;
        let certificates = || https.as_ref().map(|https| Arc::clone(&https.certificates));
        let setup_link = Arc::new(SetupLink::create(&open.site)?);
        let context = Arc::new(ControlContext {
            certificates: certificates(),
            setup_link: Some(Arc::clone(&setup_link)),
            ..control_context(&config, &open, &source, &site_urls)
        });
        let control = start_control(&context)?;
        backups::lead(&mut leadership, &config, &context)?;
        let search = Arc::<SearchIndex>::default();
        let indexer = Indexer::start(Arc::clone(&open.site), Arc::clone(&search))?;
        let shared = (search, Arc::clone(&context.rate_limits));
        let api = Arc::new(make_api(&config, &open, &source, site_urls, shared));
        api.accept_setup_link(setup_link);
        let Servers { requests, metrics } = listeners.serve(&config, &api, |counters| {
            let work = (delivered, leadership.led());
            collect_metrics(&context, &open, &api, certificates(), counters, work)
        })?;
        let upkeep = api_upkeep::start(&open.site, &api, &config.data)?;
        // Announced last, because a process that reads the address may send requests immediately.
        announce_address(&open.folder, &api.site_urls())?;
        let https = https.map(HttpsSite::begin).transpose()?;
        Ok(Self {
            live: LiveParts::new((&api, &requests), deliveries, https, &config),
            server: Some(requests),
            metrics,
            _upkeep: upkeep,
            _control: control,
            _leadership: leadership,
            _indexer: indexer,
            _store_follower: store_follower,
            source,
            control_context: context,
            open,
            api,
            config,
            address,
            https_address,
        })
    }

    /// Returns the public URLs of the site.
    pub fn site_urls(&self) -> SiteUrls {
        self.api.site_urls()
    }

    /// Returns the URLs configured by the operator or else by the site's setting; `None` if neither
    /// is set.
    pub fn configured_urls(&self) -> Option<SiteUrls> {
        let sources = SiteUrlSources {
            operator: operator_url(&self.config).ok().flatten(),
            listen: self.control_context.site_urls.listen.clone(),
        };
        sources.configured(&self.open.site.current().catalog.settings)
    }

    /// Returns the listen address for http, with the port that the system chose for port 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the listen address for https, if the site is served over https.
    pub fn https_address(&self) -> Option<SocketAddr> {
        self.https_address
    }

    /// Returns the state of each certificate, if the site is served over https.
    pub fn certificate_reports(&self) -> Vec<CertificateReport> {
        let certificates = self.live.certificates();
        certificates.map_or_else(Vec::new, Certificates::reports)
    }

    /// Returns the address of the metrics listener, if there is one.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref()?.addresses().first().copied()
    }

    /// Returns the path of the Content API, such as `/ghost/api/content`.
    pub fn content_api_path(&self) -> String {
        let subdirectory = self.site_urls().subdirectory().to_owned();
        format!("{subdirectory}/{}/api/content", self.config.path_prefix)
    }

    /// Returns the report on the content files.
    pub fn content_report(&self) -> Arc<ContentReport> {
        self.control_context.content.load_full()
    }

    /// Returns the link for setting up the site from another machine; `None` if the site has an
    /// owner.
    pub fn setup_url(&self) -> Option<String> {
        control::setup_url(&self.control_context, &self.open.site.current())
    }

    /// Returns whether other machines may be able to reach the site: because of its listen address,
    /// or because its URL does not refer to this machine.
    pub fn is_reachable(&self) -> bool {
        !self.address.ip().is_loopback() || !visitor::is_loopback(self.site_urls().host())
    }

    /// Returns the parts whose options can change at run time.
    pub fn live_parts(&self) -> &Arc<LiveParts> {
        &self.live
    }

    /// Sets the function that reloads the configuration. A second call is ignored.
    pub fn reload_with(&self, reload: Reload) {
        let _ = self.control_context.reloading.set(reload);
    }

    /// Returns the context of commands that this process executes.
    pub fn control_context(&self) -> &ControlContext {
        &self.control_context
    }

    /// Returns the site.
    pub fn site(&self) -> &Arc<Site> {
        &self.open.site
    }
}

impl Drop for App {
    /// Finishes requests in flight, then stops everything in the order of the fields.
    fn drop(&mut self) {
        // Requests to the bucket are interrupted shortly before connections are closed, so that
        // waiting clients still get an error response.
        let patience = self.config.limits.stop_timeout.mul_f64(BUCKET_SHARE);
        if let Some(bucket) = &self.config.uploads_bucket {
            bucket
                .interruption()
                .interrupt_at(Instant::now() + patience);
        }
        if let Some(backups) = &self.config.backups {
            backups.stopping.interrupt_at(Instant::now() + patience);
        }
        // Requests that wait for a pull would delay the shutdown.
        if let Some(pulls) = self.source.pulls() {
            pulls.stop();
        }
        // Stopped explicitly, so that requests in flight are finished before anything that they use
        // is dropped. The metrics are last, so that they cover the end of the requests.
        for server in [self.server.take(), self.metrics.take()]
            .into_iter()
            .flatten()
        {
            server.stop();
        }
    }
}

/// Returns the certificates of a site that is served over https.
fn prepare_https(config: &Config) -> Result<Option<HttpsSite>, AppError> {
    let https = config.https.as_ref();
    let https = https.map(|options| HttpsSite::prepare(options, &config.data));
    https.transpose()
}

/// Publishes scheduled posts whenever this process leads the scheduler.
fn lead_scheduler(leadership: &mut Leadership) -> Result<(), AppError> {
    leadership.lead(Work::Scheduler, |site| -> Result<Workers, AppError> {
        Ok(Box::new(Scheduler::start(site)?))
    })
}

fn site_url_sources(
    operator: Option<SiteUrls>,
    address: SocketAddr,
    options: ServeOptions,
) -> Result<SiteUrlSources, SiteUrlError> {
    // From the bound address, not from the option, which may have port 0.
    let listen = listen_url(address)?;
    Ok(SiteUrlSources {
        operator: if options.uses_listen_url {
            Some(listen.clone())
        } else {
            operator
        },
        listen,
    })
}

/// Adds the first integration to a new site.
fn ensure_integration(site: &Site) -> Result<(), AppError> {
    // Checked without a transaction first, because a start of an existing site should write
    // nothing.
    if site.current().catalog.integrations().next().is_none() {
        site.write(|transaction| {
            // Another process may have added one in the meantime.
            let is_first = transaction.catalog().integrations().next().is_none();
            if is_first {
                transaction.add_first_integration(FIRST_INTEGRATION)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Returns the description of this process as a node of a shared store.
fn this_node() -> NewNode {
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    NewNode {
        name: format!("{host}:{}", std::process::id()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        lease_time: DEFAULT_LEASE_TIME,
    }
}

fn control_context(
    config: &Config,
    open: &OpenSite,
    source: &FollowedSource,
    site_urls: &SiteUrlSources,
) -> ControlContext {
    ControlContext {
        reloading: OnceLock::new(),
        certificates: None,
        setup_link: None,
        site: Arc::clone(&open.site),
        rate_limits: Arc::default(),
        content: source.report(),
        pulls: source.pulls(),
        site_urls: site_urls.clone(),
        data: open.folder.path().to_owned(),
        uploads: config.uploads(),
        content_folder: config.content_folder(),
        backups: backups::status(config),
        path_prefix: config.path_prefix.clone(),
        front_end: config.front_end.external().cloned(),
        theme: config.theme.clone(),
        script_choice: config.script_choice,
        image_memory_bytes: config.image_memory_bytes,
    }
}

fn start_control(context: &Arc<ControlContext>) -> Result<control::Listener, AppError> {
    control::Listener::start(Arc::clone(context)).map_err(|source| {
        let path = context.data.join(CONTROL_SOCKET);
        AppError::Control { path, source }
    })
}

fn make_api(
    config: &Config,
    open: &OpenSite,
    source: &FollowedSource,
    site_urls: SiteUrlSources,
    (search, rate_limits): (Arc<SearchIndex>, Arc<RateLimits>),
) -> Api {
    let options = Options {
        search,
        rate_limits,
        ..api_options(config, site_urls, source)
    };
    // One budget for all bodies: the servers got the same memory before the site was opened.
    let api = Api::new(Arc::clone(&open.site), options);
    api.share_body_memory(Arc::clone(&open.memory));
    api
}

fn collect_metrics(
    context: &ControlContext,
    open: &OpenSite,
    api: &Arc<Api>,
    certificates: Option<Arc<Certificates>>,
    server: Arc<ServerMetrics>,
    (deliveries, led): (Arc<DeliveryMetrics>, Arc<LedWork>),
) -> Metrics {
    let cached = Arc::clone(api);
    Metrics {
        site: Arc::clone(&open.site),
        content: Arc::clone(&context.content),
        certificates,
        backups: context.backups.clone(),
        server,
        store: Arc::clone(&open.store_metrics),
        deliveries,
        led,
        search: Arc::clone(api.search()),
        cached_bytes: Box::new(move || cached.cached_bytes()),
    }
}

/// Writes the URL at which the site is served to the data folder.
fn announce_address(folder: &DataFolder, site_urls: &SiteUrls) -> Result<(), AppError> {
    Ok(folder.announce(&Owner {
        address: Some(site_urls.site().to_owned()),
        takes_commands: true,
        ..folder.owner().clone()
    })?)
}

fn api_options(config: &Config, site_urls: SiteUrlSources, source: &FollowedSource) -> Options {
    Options {
        site_urls,
        admin_origin: config.admin_origin.clone(),
        front_end: config.front_end.clone(),
        theme: config.theme.clone(),
        admin_app: AdminApp::at(config.admin_app.clone()),
        reader_scripts: ReaderScripts::at(config.reader_scripts()),
        script_choice: config.script_choice,
        path_prefix: config.path_prefix.clone(),
        files: FileRoots {
            content: config.content_folder(),
            data: config.data.clone(),
            uploads: config.uploads(),
        },
        content: source.report(),
        pulls: source.pulls(),
        cache_bytes_max: config.cache_bytes_max,
        search: Arc::default(),
        rate_limits: Arc::default(),
        image_memory_bytes: config.image_memory_bytes,
        member_avatars: config.member_avatars,
        live: live_parts::live_options(config),
    }
}
