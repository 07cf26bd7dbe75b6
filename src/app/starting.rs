//! The server of a site that is being opened.
//!
//! The system accepts connections from the beginning. At first they wait in its queue, so that
//! clients do not notice a normal start. After that, clients (including those of the metrics) get a
//! 503 with the progress until the same servers serve the site.

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

/// Time for which connections wait in the queue before they get a 503.
const QUEUE_TIME: Duration = Duration::from_secs(2);

/// Called when waiting requests may be able to continue.
type Wake = Box<dyn Fn() + Send + Sync>;

/// The number of files that have been read, and the total number.
#[derive(Default)]
pub(super) struct OpeningProgress {
    done: AtomicU64,
    total: AtomicU64,
}

/// A handler that responds with the progress while a site is being opened, and then passes requests
/// to the handler of the site.
pub(super) struct StartingSite<H> {
    handler: OnceLock<Arc<H>>,
    memory: Option<Arc<BodyMemory>>,
    wake: Mutex<Option<Wake>>,
    progress: Arc<OpeningProgress>,
}

impl<H: Handler> StartingSite<H> {
    /// Returns a site with this memory budget for bodies and the work on them; `None` if only bodies are accounted for.
    pub fn new(progress: &Arc<OpeningProgress>, memory: Option<Arc<BodyMemory>>) -> Arc<Self> {
        Arc::new(Self {
            handler: OnceLock::new(),
            memory,
            wake: Mutex::default(),
            progress: Arc::clone(progress),
        })
    }

    /// Passes all further requests to `handler`.
    fn open(&self, handler: Arc<H>) {
        // The lock is held until the handler is set. Otherwise `on_change` could find no handler
        // and store a `wake` that nothing calls.
        let mut wake = self.wake.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(wake) = wake.take() {
            handler.on_change(wake);
        }
        // Called once, so the handler is not set yet.
        let _ = self.handler.set(handler);
    }

    fn starting(&self) -> Response {
        // Relaxed ordering is enough: the numbers are only displayed, and may be of two moments.
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

/// The sockets of a site that is being opened, and the server once it is started.
pub(super) struct OpeningServer<H> {
    site: Arc<StartingSite<H>>,
    ready: Sender<()>,
    server: JoinHandle<io::Result<Option<Server>>>,
}

impl<H: Handler> OpeningServer<H> {
    /// Starts serving `site` on the addresses, which already accept connections, after
    /// [`QUEUE_TIME`] or when the site is opened.
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
            // A timeout and a message both start the server; only the handler that it finds
            // differs.
            if is_ready.recv_timeout(QUEUE_TIME) == Err(RecvTimeoutError::Disconnected) {
                // The sender was dropped because the site cannot be opened.
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

    /// Passes requests to `handler`, and returns the server.
    ///
    /// # Errors
    ///
    /// If the system refuses a resource.
    pub fn serve(self, handler: Arc<H>) -> io::Result<Server> {
        // The handler is set before the thread is woken, so that after a short start no client gets
        // a 503.
        self.site.open(handler);
        // Sending fails if the server is already running and nothing receives the message.
        let _ = self.ready.send(());
        let server = self.server.join();
        let server = server.unwrap_or_else(|_| Err(io::Error::other("its thread panicked")))?;
        server.ok_or_else(|| io::Error::other("it was not started"))
    }
}

/// Forwards progress, and makes it visible to clients.
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

    fn may_hold(&self, bytes: usize) -> bool {
        self.progress.may_hold(bytes)
    }

    fn memory_max(&self, document_bytes: u64) -> Option<usize> {
        self.progress.memory_max(document_bytes)
    }
}
