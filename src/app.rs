//! The whole program: opens the store, builds the site, starts what serves and follows it, and stops all of that again.
//!
//! The only file that knows every concrete type. Tests start it on a temporary folder and port 0.

use std::{io, net::SocketAddr, sync::Arc};

use crate::{
    api::{
        Api, Options,
        addresses::{AddressError, Addresses},
        files::FileRoots,
        request::{Refusal, Request, RequestHead},
        response::Response,
    },
    clock::SystemClock,
    config::Config,
    control::{self, Subject},
    data_folder::{DataFolder, DataFolderError, Owner},
    error::Error,
    scheduler::Scheduler,
    server::{self, Handler},
    site::Site,
    sources::{Follower, FollowerOptions, Progress},
    store::{StoreError, redb::RedbStore},
};

/// What the first integration is called, which every served site has.
const FIRST_INTEGRATION: &str = "Default";

/// The program cannot start or go on.
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
    /// The site's address is none.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The listen address cannot be had.
    #[error("cannot listen at {address}: {source}. Choose another address with --listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The system refuses threads or files.
    #[error("the system refuses what is needed to serve: {0}")]
    System(#[from] io::Error),
}

fn with_source(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

/// A site whose data folder this process owns.
pub struct OpenSite {
    /// The lock on the data folder.
    pub folder: DataFolder,
    /// The site.
    pub site: Arc<Site>,
}

impl OpenSite {
    /// Takes the data folder and opens the site in it; a new one if there is none.
    ///
    /// # Errors
    ///
    /// When another process has the folder, or the store is damaged, foreign or of a newer version.
    pub fn open(config: &Config) -> Result<Self, AppError> {
        let folder = DataFolder::open(&config.data)?;
        let store = RedbStore::open(folder.store(), config.store_cache_bytes)?;
        let site = Site::open(Box::new(store), Arc::new(SystemClock))?;
        Ok(Self {
            folder,
            site: Arc::new(site),
        })
    }
}

/// A site that is ready to be served.
pub struct App {
    open: OpenSite,
    control: control::Listener,
    scheduler: Scheduler,
    follower: Option<Follower>,
    listener: tokio::net::TcpListener,
    runtime: tokio::runtime::Runtime,
    handler: Arc<Answering>,
    config: Config,
    address: SocketAddr,
}

impl App {
    /// Opens everything and reads the content folder once; `progress` is told how far that is.
    ///
    /// # Errors
    ///
    /// When the site cannot be opened, the address is taken, or the system refuses something.
    pub fn start(config: Config, progress: &dyn Progress) -> Result<Self, AppError> {
        let explicit = config.url.as_deref().map(Addresses::new).transpose()?;
        let runtime = server::runtime(&config.limits)?;
        let taken = |source| AppError::Listen {
            address: config.listen,
            source,
        };
        // Before the store is opened, so that a taken address is told at once.
        let listener = {
            let _context = runtime.enter();
            server::listen(config.listen).map_err(taken)?
        };
        let address = listener.local_addr()?;
        let open = OpenSite::open(&config)?;
        let follower = config
            .content
            .as_ref()
            .map(|content| {
                let options = FollowerOptions {
                    settle: config.settle,
                    rescan: config.rescan,
                };
                Follower::start(Arc::clone(&open.site), content.clone(), options, progress)
            })
            .transpose()?;
        let content = follower.as_ref().map(Follower::report);
        let scheduler = Scheduler::start(Arc::clone(&open.site))?;
        let control = control::Listener::start(Subject {
            site: Arc::clone(&open.site),
            content: content.unwrap_or_default(),
        })?;
        if open.site.current().catalog.integrations().next().is_none() {
            open.site
                .write(|transaction| transaction.add_integration(FIRST_INTEGRATION))?;
        }
        let api = Api::new(
            Arc::clone(&open.site),
            Options {
                addresses: explicit,
                listen_addresses: Addresses::new(&format!("http://{address}"))?,
                path_prefix: config.path_prefix.clone(),
                files: FileRoots {
                    content: config.content.clone(),
                    data: config.data.clone(),
                },
                answer_bytes_max: config.answer_bytes_max,
            },
        );
        open.folder.announce(&Owner {
            address: Some(api.addresses().site()),
            control_port: Some(control.port()),
            control_token: Some(control.token().to_owned()),
            ..open.folder.owner().clone()
        })?;
        Ok(Self {
            handler: Arc::new(Answering(api)),
            open,
            control,
            scheduler,
            follower,
            listener,
            runtime,
            config,
            address,
        })
    }

    /// Where the site is for its readers.
    pub fn addresses(&self) -> Addresses {
        self.handler.0.addresses()
    }

    /// Where it listens: with the port that the system chose when it was asked for port 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The site.
    pub fn site(&self) -> &Arc<Site> {
        &self.open.site
    }

    /// The context of the program's asynchronous tasks, in which `stop` of [`serve`](Self::serve) can be made.
    pub fn enter(&self) -> tokio::runtime::EnterGuard<'_> {
        self.runtime.enter()
    }

    /// Serves until `stop` is ready; then finishes requests in flight and closes everything in reverse order.
    pub fn serve(self, stop: impl Future<Output = ()>) {
        self.runtime.block_on(server::serve(
            vec![self.listener],
            Arc::clone(&self.handler),
            self.config.limits.clone(),
            stop,
        ));
        self.runtime
            .shutdown_timeout(self.config.limits.stop_timeout);
        drop(self.follower);
        drop(self.scheduler);
        drop(self.control);
        drop(self.open);
    }
}

/// Brings the edge and the API together; neither knows the other.
struct Answering(Api);

impl Handler for Answering {
    fn answer_from_memory(&self, head: &RequestHead) -> Option<Response> {
        self.0.answer_from_memory(head)
    }

    fn answer(&self, request: &Request) -> Response {
        self.0.answer(request)
    }

    fn refuse(&self, refusal: Refusal, _head: &RequestHead) -> Response {
        self.0.refuse(refusal)
    }
}
