//! The server of a site while that is opened.
//!
//! The system accepts connections from the begin. For a moment they wait in its queue, so that a usual start is not noticed;
//! then clients get a 503 with the progress, also those of metrics, until the same servers serve the site.

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
        handler::Handler,
        health,
        request::{HeadRef, Request, RequestHead, RequestKind, RequestRefusal},
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

/// The numbers of files that were read, and that there are.
#[derive(Default)]
pub(super) struct OpeningProgress {
    done: AtomicU64,
    total: AtomicU64,
}

/// A site that is being opened, and then the handler of its requests.
pub(super) struct StartingSite<H> {
    handler: OnceLock<Arc<H>>,
    memory: Option<Arc<BodyMemory>>,
    wake: Mutex<Option<Wake>>,
    progress: Arc<OpeningProgress>,
}

impl<H: Handler> StartingSite<H> {
    /// Returns a site whose bodies have `memory`; `None` for memory of bodies alone.
    pub fn new(progress: &Arc<OpeningProgress>, memory: Option<Arc<BodyMemory>>) -> Arc<Self> {
        Arc::new(Self {
            handler: OnceLock::new(),
            memory,
            wake: Mutex::default(),
            progress: Arc::clone(progress),
        })
    }

    /// Passes requests to the handler from now on.
    fn open(&self, handler: Arc<H>) {
        let mut wake = self.wake.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(wake) = wake.take() {
            handler.on_change(wake);
        }
        // Only the first one counts, and there is one.
        let _ = self.handler.set(handler);
    }

    fn starting(&self) -> Response {
        let OpeningProgress { done, total } = &*self.progress;
        health::starting(done.load(Ordering::Relaxed), total.load(Ordering::Relaxed))
    }
}

impl<H: Handler> Handler for StartingSite<H> {
    type Prepared = H::Prepared;

    fn respond_from_memory(&self, head: &HeadRef) -> Result<Response, Self::Prepared> {
        match self.handler.get() {
            Some(handler) => handler.respond_from_memory(head),
            None => Ok(self.starting()),
        }
    }

    fn respond(&self, request: &Request, prepared: &Self::Prepared, may_wait: bool) -> Response {
        match self.handler.get() {
            Some(handler) => handler.respond(request, prepared, may_wait),
            None => self.starting(),
        }
    }

    fn on_change(&self, wake: Wake) {
        let mut later = self.wake.lock().unwrap_or_else(PoisonError::into_inner);
        match self.handler.get() {
            Some(handler) => handler.on_change(wake),
            None => *later = Some(wake),
        }
    }

    fn body_memory(&self) -> Option<Arc<BodyMemory>> {
        self.memory.clone()
    }

    fn refuse(&self, refusal: RequestRefusal, head: &RequestHead) -> Response {
        match self.handler.get() {
            Some(handler) => handler.refuse(refusal, head),
            None => self.starting(),
        }
    }

    fn takes_long(&self, head: &RequestHead, prepared: &Self::Prepared) -> bool {
        let handler = self.handler.get();
        handler.is_some_and(|handler| handler.takes_long(head, prepared))
    }

    fn kind(&self, head: &HeadRef) -> RequestKind {
        let handler = self.handler.get();
        handler.map_or(RequestKind::Other, |handler| handler.kind(head))
    }

    fn body_bytes_max(&self, head: &RequestHead, prepared: &Self::Prepared) -> Option<u64> {
        self.handler.get()?.body_bytes_max(head, prepared)
    }
}

/// The sockets of a site that is being opened, and the server once there is one.
pub(super) struct OpeningServer<H> {
    site: Arc<StartingSite<H>>,
    ready: Sender<()>,
    server: JoinHandle<io::Result<Option<Server>>>,
}

impl<H: Handler> OpeningServer<H> {
    /// Serves `site` in a moment at the addresses, which are listened on.
    ///
    /// # Errors
    ///
    /// If the system refuses a thread.
    pub fn start(
        bound: Bound,
        site: Arc<StartingSite<H>>,
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

    /// Passes requests to the handler, and returns the server.
    ///
    /// # Errors
    ///
    /// If the system refuses a resource.
    pub fn serve(self, handler: Arc<H>) -> io::Result<Server> {
        self.site.open(handler);
        // The server may run already, and then nothing receives this.
        let _ = self.ready.send(());
        let server = self.server.join();
        let server = server.unwrap_or_else(|_| Err(io::Error::other("its thread panicked")))?;
        server.ok_or_else(|| io::Error::other("it was not started"))
    }
}

/// Passes progress on, and shows it to clients.
pub(super) struct ShownProgress<'a> {
    pub opening: &'a OpeningProgress,
    pub progress: &'a dyn Progress,
}

impl Progress for ShownProgress<'_> {
    fn advance(&self, done: u64, total: u64) {
        self.opening.done.store(done, Ordering::Relaxed);
        self.opening.total.store(total, Ordering::Relaxed);
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
