//! A server on a free port with a handler whose behaviour the path selects.

use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, LazyLock, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use galley::api::request::{HeadRef, Request, RequestHead, RequestRefusal};
use galley::api::response::{Body, Live, Response, StreamStep};
use galley::api::sendfile_copy::SendfileCopy;
use galley::server::{self, Handler, Limits};
use http::header::{ETAG, LAST_MODIFIED};
use http::{HeaderName, HeaderValue, StatusCode};

use crate::{
    http_client::{Client, HttpResponse, get},
    wait_until,
};

/// The `Last-Modified` of responses.
pub const LAST_CHANGE: &str = "Sat, 04 Jan 2025 10:00:00 GMT";
/// Length of `/big`.
pub const BIG_BYTES: usize = 32 * 1024 * 1024;
/// Length of `/long`, which a worker writes: more than the buffers of the connection hold if the client does
/// not read.
pub const LONG_BYTES: usize = 16 * 1024 * 1024;

/// The body of `/copied`: about a hundred kilobytes in which each line differs.
pub static COPIED: LazyLock<String> =
    LazyLock::new(|| (0..20_000).map(|number| format!("{number}\n")).collect());

/// The copy of the same bytes in the kernel.
static COPY: LazyLock<Arc<SendfileCopy>> = LazyLock::new(|| {
    let copy = SendfileCopy::of(COPIED.as_bytes());
    Arc::new(copy.expect("the system gives memory"))
});

/// Serves responses by path; see the `respond…` methods.
#[derive(Default)]
pub struct Paths {
    gate: Mutex<bool>,
    gate_moved: Condvar,
    /// The number of workers that are waiting in `/gate`.
    pub at_gate: AtomicUsize,
    /// The maximum number of workers that waited there concurrently.
    pub at_gate_max: AtomicUsize,
    /// The file of `/file`.
    pub file: Mutex<Option<std::path::PathBuf>>,
    /// The last notification for the clients of `/later` and `/live`.
    pub notified: Arc<AtomicUsize>,
    /// The number of chunks that `/flood` has produced.
    pub pieces: Arc<AtomicUsize>,
    wake: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
}

/// A streaming response that sends the number of each notification to the client.
#[derive(Debug)]
struct Counting {
    notified: Arc<AtomicUsize>,
    known: usize,
}

impl Live for Counting {
    fn next(&mut self) -> StreamStep {
        let notified = self.notified.load(SeqCst);
        if notified == self.known {
            return StreamStep::Wait;
        }
        self.known = notified;
        match notified {
            PANIC => panic!("a panic that a test asked for"),
            END => StreamStep::End,
            notified => StreamStep::Bytes(Bytes::from(format!("notified {notified}\n"))),
        }
    }

    fn heartbeat(&self) -> Bytes {
        Bytes::from_static(b"beat\n")
    }
}

/// An endless response.
#[derive(Debug)]
struct Flood(Arc<AtomicUsize>);

/// Size of a chunk of `/flood`, in bytes.
pub const FLOOD_BYTES: usize = 64 * 1024;

impl Live for Flood {
    fn next(&mut self) -> StreamStep {
        self.0.fetch_add(1, SeqCst);
        StreamStep::Bytes(Bytes::from_static(&[b'x'; FLOOD_BYTES]))
    }

    fn heartbeat(&self) -> Bytes {
        Bytes::new()
    }
}

/// The notification that makes `/live` panic.
pub const PANIC: usize = 1_000;

/// The notification that ends `/live`.
pub const END: usize = 2_000;

impl Paths {
    /// Releases the workers in `/gate`.
    pub fn open_gate(&self) {
        *self.gate.lock().unwrap() = true;
        self.gate_moved.notify_all();
    }

    /// Sends a notification with this number to the waiting clients.
    pub fn notify(&self, notified: usize) {
        self.notified.store(notified, SeqCst);
        if let Some(wake) = &*self.wake.lock().unwrap() {
            wake();
        }
    }

    fn live(&self, live: impl Live + 'static) -> Response {
        Response {
            body: Body::Live(Box::new(live)),
            ..Response::new(StatusCode::OK)
        }
    }

    fn wait_at_gate(&self) {
        let now = self.at_gate.fetch_add(1, SeqCst) + 1;
        self.at_gate_max.fetch_max(now, SeqCst);
        let closed = self.gate.lock().unwrap();
        let _open = self.gate_moved.wait_while(closed, |open| !*open).unwrap();
        self.at_gate.fetch_sub(1, SeqCst);
    }

    fn file(&self) -> Response {
        let path = self.file.lock().unwrap().clone().unwrap();
        let file = std::fs::File::open(path).unwrap();
        let length = file.metadata().unwrap().len();
        let mut response = Response::new(StatusCode::OK);
        response
            .headers
            .set(ETAG, HeaderValue::from_static("\"v1\""));
        response
            .headers
            .set(LAST_MODIFIED, HeaderValue::from_static(LAST_CHANGE));
        response.body = Body::File {
            file,
            range: 0..length,
        };
        response
    }
}

/// Returns a response with a text.
pub fn text(status: StatusCode, text: impl Into<String>) -> Response {
    let mut response = Response::new(status);
    response.body = Body::Bytes(Bytes::from(text.into()));
    response
}

impl Handler for Paths {
    type Prepared = ();

    fn respond_from_memory(&self, head: &HeadRef) -> Result<Response, ()> {
        match head.target {
            "/memory" => Ok(text(StatusCode::OK, "from memory")),
            "/nothing" => Ok(Response::new(StatusCode::NO_CONTENT)),
            "/big" => {
                let mut response = Response::new(StatusCode::OK);
                response.body = Body::Bytes(Bytes::from_static(&[b'x'; BIG_BYTES]));
                Ok(response)
            }
            "/copied" => {
                let mut response = Response::new(StatusCode::OK);
                response.body = Body::Sendfile {
                    bytes: Bytes::from_static(COPIED.as_bytes()),
                    copy: Arc::clone(&COPY),
                };
                Ok(response)
            }
            "/panic-in-memory" => panic!("a panic that a test asked for"),
            _ => Err(()),
        }
    }

    fn respond(&self, request: &Request, (): &(), may_wait: bool) -> Response {
        let head = &request.head;
        match head.target.path() {
            "/gate" => self.wait_at_gate(),
            "/panic-on-worker" => panic!("a panic that a test asked for"),
            "/worker" => return text(StatusCode::OK, "from a worker"),
            "/long" => {
                let mut response = Response::new(StatusCode::OK);
                response.body = Body::Bytes(Bytes::from(vec![b'x'; LONG_BYTES]));
                return response;
            }
            "/file" => return self.file(),
            "/later" if !may_wait => return text(StatusCode::OK, "nothing"),
            "/later" if self.notified.load(SeqCst) == 0 => {
                let mut response = Response::new(StatusCode::OK);
                response.body = Body::Later(Duration::from_secs(20));
                return response;
            }
            "/live" => {
                let notified = Arc::clone(&self.notified);
                return self.live(Counting { notified, known: 0 });
            }
            "/flood" => return self.live(Flood(Arc::clone(&self.pieces))),
            "/echo" | "/upload" => {
                let mut response = Response::new(StatusCode::OK);
                response.body = Body::Bytes(request.body.clone());
                return response;
            }
            _ => {}
        }
        let host = head
            .headers
            .get("host")
            .map_or("", |host| host.to_str().unwrap());
        text(
            StatusCode::OK,
            format!("{} {} host={host}", head.method, head.target),
        )
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        *self.wake.lock().unwrap() = Some(wake);
    }

    fn refuse(&self, refusal: RequestRefusal, head: &RequestHead) -> Response {
        assert_ne!(head.target.query(), Some("panic-while-refusing"));
        let mut response = text(refusal.status(), format!("refused: {refusal}"));
        response.headers.set(
            HeaderName::from_static("x-refusal"),
            HeaderValue::from_str(&format!("{refusal:?}")).unwrap(),
        );
        response
    }

    fn takes_long(&self, head: &RequestHead, (): &()) -> bool {
        head.target.query() == Some("long")
    }

    fn body_bytes_max(&self, head: &RequestHead, (): &()) -> Option<u64> {
        (head.target.path() == "/upload").then_some(1024 * 1024)
    }
}

/// A running server. Dropping it stops it and waits for its end.
pub struct Server {
    /// The listen address.
    pub address: SocketAddr,
    /// The handler.
    pub paths: Arc<Paths>,
    running: Option<server::Server>,
    stopping: Option<JoinHandle<()>>,
}

/// Returns limits for a test: two threads, and short timeouts when stopping.
pub fn limits() -> Limits {
    Limits {
        threads: 2,
        stop_timeout: Duration::from_secs(2),
        ..Limits::default()
    }
}

impl Server {
    /// Starts a server with these limits.
    pub fn start(limits: Limits) -> Server {
        let paths = Arc::new(Paths::default());
        let any_port = "127.0.0.1:0".parse().unwrap();
        let running = server::Server::start(&[any_port], Arc::clone(&paths), limits).unwrap();
        Server {
            address: running.addresses()[0],
            paths,
            running: Some(running),
            stopping: None,
        }
    }

    /// Connects to the server.
    pub fn connect(&self) -> Client {
        Client::new(TcpStream::connect(self.address).unwrap())
    }

    /// Connects a client that sends `request` immediately.
    pub fn ask(&self, request: &str) -> Client {
        let mut client = self.connect();
        client.send(request);
        client
    }

    /// Returns the response to GET `target` on a new connection.
    pub fn get(&self, target: &str) -> HttpResponse {
        self.ask(&get(target)).respond()
    }

    /// Begins to stop the server without waiting for its end.
    pub fn begin_to_stop(&mut self) {
        let running = self.running.take().unwrap();
        self.stopping = Some(std::thread::spawn(|| running.stop()));
    }

    /// Waits until the server has stopped.
    pub fn wait_for_end(&mut self) {
        self.stopping.take().unwrap().join().unwrap();
    }

    /// Waits until `count` workers are waiting at the gate.
    pub fn wait_for_workers_at_gate(&self, count: usize) {
        wait_until("workers are at the gate", || {
            self.paths.at_gate.load(SeqCst) == count
        });
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.paths.open_gate();
        if let Some(running) = self.running.take() {
            running.stop();
        }
    }
}
