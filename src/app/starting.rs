//! The server of a site while that is opened.
//!
//! The system accepts connections from the begin. For a moment they wait in its queue, so that a usual start is not noticed;
//! then clients get a 503 with the progress, until the site is served by the same server.

use std::{
    io,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{
    api::{
        Api,
        handler::Handler,
        health,
        request::{HeadRef, Refusal, Request, RequestHead, RequestKind},
        response::Response,
    },
    body_memory::BodyMemory,
    progress::Progress,
    server::{Bound, Limits, Server, ServerMetrics},
};

/// Time for which connections wait for the site before they get a response without it.
const QUEUE_TIME: Duration = Duration::from_secs(2);

/// Called when requests that wait may have news.
type Wake = Box<dyn Fn() + Send + Sync>;

/// A site that is being opened, and then the API of it.
pub(super) struct StartingSite {
    api: OnceLock<Arc<Api>>,
    memory: Arc<BodyMemory>,
    wake: Mutex<Option<Wake>>,
    /// The numbers of files that were read and that there are.
    done: AtomicU64,
    total: AtomicU64,
}

impl StartingSite {
    pub fn new(memory: Arc<BodyMemory>) -> Arc<Self> {
        Arc::new(Self {
            api: OnceLock::new(),
            memory,
            wake: Mutex::default(),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
        })
    }

    /// Serves the API from now on.
    fn open(&self, api: Arc<Api>) {
        let mut wake = self.wake.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(wake) = wake.take() {
            api.on_change(wake);
        }
        // Only the first one counts, and there is one.
        let _ = self.api.set(api);
    }

    fn starting(&self) -> Response {
        let (done, total) = (&self.done, &self.total);
        health::starting(done.load(Ordering::Relaxed), total.load(Ordering::Relaxed))
    }
}

impl Handler for StartingSite {
    type Prepared = <Api as Handler>::Prepared;

    fn respond_from_memory(&self, head: &HeadRef) -> Result<Response, Self::Prepared> {
        match self.api.get() {
            Some(api) => api.respond_from_memory(head),
            None => Ok(self.starting()),
        }
    }

    fn respond(&self, request: &Request, prepared: &Self::Prepared, may_wait: bool) -> Response {
        match self.api.get() {
            Some(api) => api.respond(request, prepared, may_wait),
            None => self.starting(),
        }
    }

    fn on_change(&self, wake: Wake) {
        let mut later = self.wake.lock().unwrap_or_else(PoisonError::into_inner);
        match self.api.get() {
            Some(api) => api.on_change(wake),
            None => *later = Some(wake),
        }
    }

    fn body_memory(&self) -> Option<Arc<BodyMemory>> {
        Some(Arc::clone(&self.memory))
    }

    fn refuse(&self, refusal: Refusal, head: &RequestHead) -> Response {
        match self.api.get() {
            Some(api) => api.refuse(refusal, head),
            None => self.starting(),
        }
    }

    fn takes_long(&self, head: &RequestHead, prepared: &Self::Prepared) -> bool {
        let api = self.api.get();
        api.is_some_and(|api| api.takes_long(head, prepared))
    }

    fn kind(&self, head: &HeadRef) -> RequestKind {
        let api = self.api.get();
        api.map_or(RequestKind::Other, |api| api.kind(head))
    }

    fn body_bytes_max(&self, head: &RequestHead, prepared: &Self::Prepared) -> Option<u64> {
        self.api.get()?.body_bytes_max(head, prepared)
    }
}

/// The sockets of a site that is being opened, and the server once there is one.
pub(super) struct OpeningServer {
    site: Arc<StartingSite>,
    ready: Sender<()>,
    server: JoinHandle<io::Result<Option<Server>>>,
}

impl OpeningServer {
    /// Serves `site` in a moment at the addresses, which are listened on.
    ///
    /// # Errors
    ///
    /// If the system refuses a thread.
    pub fn start(
        bound: Bound,
        site: Arc<StartingSite>,
        limits: Limits,
        counters: Option<Arc<ServerMetrics>>,
    ) -> io::Result<Self> {
        let (ready, is_ready) = mpsc::channel();
        let served = Arc::clone(&site);
        let thread = thread::Builder::new().name("opening".to_owned());
        let server = thread.spawn(move || {
            if is_ready.recv_timeout(QUEUE_TIME) == Err(RecvTimeoutError::Disconnected) {
                // The site cannot be opened.
                return Ok(None);
            }
            Server::start_counted(bound, served, limits, counters).map(Some)
        })?;
        Ok(Self {
            site,
            ready,
            server,
        })
    }

    /// Serves the API instead, and returns the server.
    ///
    /// # Errors
    ///
    /// If the system refuses a resource.
    pub fn serve(self, api: Arc<Api>) -> io::Result<Server> {
        self.site.open(api);
        // The server may run already, and then nothing receives this.
        let _ = self.ready.send(());
        let server = self.server.join();
        let server = server.unwrap_or_else(|_| Err(io::Error::other("its thread panicked")))?;
        server.ok_or_else(|| io::Error::other("it was not started"))
    }
}

/// Passes progress on, and shows it to clients.
pub(super) struct ShownProgress<'a> {
    pub site: &'a StartingSite,
    pub progress: &'a dyn Progress,
}

impl Progress for ShownProgress<'_> {
    fn advance(&self, done: u64, total: u64) {
        self.site.done.store(done, Ordering::Relaxed);
        self.site.total.store(total, Ordering::Relaxed);
        self.progress.advance(done, total);
    }

    fn finish(&self) {
        self.progress.finish();
    }

    fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }

    fn may_keep(&self, bytes: usize) -> bool {
        self.progress.may_keep(bytes)
    }

    fn memory_max(&self, document_bytes: u64) -> Option<usize> {
        self.progress.memory_max(document_bytes)
    }
}
