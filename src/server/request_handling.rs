//! Handles one request, from the header section parsed by hyper to the response.
//!
//! A request that can be served from the response cache gets its response immediately, without a task,
//! a lock or a heap-allocated future. For other requests, the body is read and a worker handles them.
//! The handler words the response to every failure. A panic of the handler affects only the response to
//! that request.

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONNECTION, HOST};
use http::uri::PathAndQuery;
use http::{HeaderValue, Method, StatusCode, Version};
use hyper::body::{Body as _, Incoming};
use hyper::service::Service;
use tokio::sync::{AcquireError, OwnedSemaphorePermit};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::error;

use crate::{
    api::{
        request::{Fields, HeadRef, Request, RequestHead, RequestRefusal},
        response::{Body, Response},
    },
    body_memory::HeldMemory,
    server::{edge::Edge, panic_guard::guarded},
};

use super::activity::{Activity, HandlingGuard};
use super::change_waiters::Listener;
use super::http_metrics::LocalCounters;
use super::https::{Https, Scheme};
use super::incoming;
use super::limits::{HEADERS_MAX, Limits};
use super::log::Stopwatch;
use super::outgoing::{self, OutgoingBody};
use super::streaming::StreamChunks;
use super::{Handler, files, log, request_smuggling};

/// Handles the requests of one connection.
pub(super) struct RequestHandling<H: Handler> {
    edge: Arc<Edge<H>>,
    activity: Arc<Activity>,
    counters: LocalCounters,
    peer: IpAddr,
    scheme: Scheme,
    /// The preparation of the next request, if there was no cached response to it.
    missed: Arc<Mutex<Option<Missed<H::Prepared>>>>,
}

/// A GET without a cached response.
struct Missed<P> {
    target: Box<str>,
    prepared: P,
}

/// A worker permit, and a permit for long work if the request needs one.
type WorkerPermits = (Option<OwnedSemaphorePermit>, OwnedSemaphorePermit);

/// A response, or the work that produces it.
pub(super) enum ResponseFuture {
    Ready(Option<http::Response<OutgoingBody>>),
    Working(Pin<Box<dyn Future<Output = http::Response<OutgoingBody>> + Send>>),
}

impl Future for ResponseFuture {
    type Output = Result<http::Response<OutgoingBody>, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            ResponseFuture::Ready(response) => {
                let response = response.take().expect("invariant: polled once");
                Poll::Ready(Ok(response))
            }
            ResponseFuture::Working(work) => work.as_mut().poll(context).map(Ok),
        }
    }
}

impl<H: Handler> Service<http::Request<Incoming>> for RequestHandling<H> {
    type Response = http::Response<OutgoingBody>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn call(&self, request: http::Request<Incoming>) -> ResponseFuture {
        let stopwatch = Stopwatch::start(self.counters.is_enabled());
        let (parts, body) = request.into_parts();
        let is_http2 = parts.version == Version::HTTP_2;
        self.activity.head_complete(is_http2);
        let (head, refusal) = self.read_head(parts);
        // Bytes after a request that can be parsed in two ways may be part of it, so the connection
        // closes.
        let is_last = matches!(
            refusal,
            Some(RequestRefusal::Malformed | RequestRefusal::Host)
        ) && !is_http2;
        let handler = &*self.edge.handler;
        let over_http = self.https(Scheme::Http);
        let response = match (refusal, over_http.and_then(|https| https.respond(&head))) {
            (Some(refusal), _) => Err(refusal),
            (None, Some(response)) => Ok(Ok(response)),
            (None, None) => match self.take_missed(&head) {
                Some(prepared) => Ok(Err(prepared)),
                None => guarded(|| handler.respond_from_memory(&head.head_ref())),
            },
        };
        let from_memory = response.is_ok();
        let response = response.unwrap_or_else(|refusal| Ok(refuse(handler, refusal, &head)));
        match response {
            Ok(mut response) => {
                if is_last {
                    response
                        .headers
                        .set(CONNECTION, HeaderValue::from_static("close"));
                }
                if !body.is_end_stream() {
                    self.activity.body_left_unread();
                }
                if from_memory {
                    self.counters.respond_from_memory();
                }
                ResponseFuture::Ready(Some(self.send(stopwatch, head, response)))
            }
            Err(prepared) => {
                let guard = self.activity.handling();
                let work = self.clone().work(stopwatch, head, prepared, body, guard);
                ResponseFuture::Working(Box::pin(work))
            }
        }
    }
}

impl<H: Handler> Clone for RequestHandling<H> {
    fn clone(&self) -> Self {
        RequestHandling {
            edge: Arc::clone(&self.edge),
            activity: Arc::clone(&self.activity),
            counters: self.counters.clone(),
            peer: self.peer,
            scheme: self.scheme,
            missed: Arc::clone(&self.missed),
        }
    }
}

impl<H: Handler> RequestHandling<H> {
    pub(super) fn new(
        edge: Arc<Edge<H>>,
        activity: Arc<Activity>,
        counters: LocalCounters,
        peer: IpAddr,
        scheme: Scheme,
    ) -> Self {
        RequestHandling {
            edge,
            activity,
            counters,
            peer,
            scheme,
            missed: Arc::default(),
        }
    }

    /// Returns the cached response to a GET, without converting the header section to the API's form.
    pub(super) fn cached_response(
        &self,
        target: &str,
        fields: &[httparse::Header],
    ) -> Option<Response> {
        // A log line needs the complete header section, which is only available on the ordinary path.
        // The last response announces that the connection closes, which only the ordinary path does.
        if log::is_wanted()
            || self.activity.is_closing()
            || field_bytes(fields) > self.edge.limits.headers_bytes_max
        {
            return None;
        }
        if self
            .https(Scheme::Http)
            .is_some_and(|https| https.responds_to(target))
        {
            return None;
        }
        let started = self.counters.is_enabled().then(Instant::now);
        let head = HeadRef {
            method: &Method::GET,
            target,
            fields: Fields::Lines(fields),
            peer: self.peer,
        };
        let handler = &*self.edge.handler;
        // A panic is reported by the ordinary path, which also responds to it.
        let mut response = match guarded(|| handler.respond_from_memory(&head)).ok()? {
            Ok(response) => response,
            Err(prepared) => {
                // Stored, so that the ordinary path does not prepare the same request again.
                *self.missed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Missed {
                    target: target.into(),
                    prepared,
                });
                return None;
            }
        };
        self.activity.report_cached_response();
        if let Some(started) = started {
            let kind = guarded(|| handler.kind(&head)).unwrap_or_default();
            let duration = started.elapsed();
            self.counters.respond_from_memory();
            self.counters
                .count_response(&Method::GET, kind, response.status, duration);
        }
        if let Some(https) = self.https(Scheme::Https) {
            https.complete(&mut response);
        }
        Some(response)
    }

    /// Returns the https configuration, if the server has one and this connection uses `scheme`.
    fn https(&self, scheme: Scheme) -> Option<&Https> {
        self.edge.https.as_ref().filter(|_| self.scheme == scheme)
    }

    /// Takes the preparation of this request, if it was made when there was no cached response.
    fn take_missed(&self, head: &RequestHead) -> Option<H::Prepared> {
        let missed = self.missed.lock();
        let missed = missed.unwrap_or_else(PoisonError::into_inner).take()?;
        // The preparation belongs to the GET that the fast path parsed; hyper's next request may be
        // another one.
        let is_same = head.method == Method::GET && *missed.target == *head.target.as_str();
        is_same.then_some(missed.prepared)
    }

    pub(super) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    /// Returns the limit of a request's header fields, in bytes.
    pub(super) fn headers_bytes_max(&self) -> usize {
        self.edge.limits.headers_bytes_max
    }

    /// Returns the header section in the API's form, and the reason to refuse the request, if any.
    fn read_head(&self, parts: http::request::Parts) -> (RequestHead, Option<RequestRefusal>) {
        let version = parts.version;
        let uri = parts.uri.into_parts();
        let mut headers = parts.headers;
        // Checked before and after, because the insertion below replaces all `Host` fields, so that two
        // would look like one.
        let named_one_host =
            version == Version::HTTP_2 || request_smuggling::names_one_host(&headers, version);
        // In HTTP/1.1, the authority of a target in absolute form takes precedence over `Host` (RFC
        // 9112, section 3.2.2).
        if let Some(authority) = uri.authority
            && version != Version::HTTP_10
            && let Ok(host) = HeaderValue::from_str(authority.as_str())
        {
            headers.insert(HOST, host);
        }
        let path_is_missing = uri.path_and_query.is_none();
        let names_one_host = named_one_host && request_smuggling::names_one_host(&headers, version);
        if version == Version::HTTP_10 {
            // Proxies that still speak HTTP/1.0 send the name of the upstream server, not the host
            // that their client requested.
            headers.remove(HOST);
        }
        let head = RequestHead {
            method: parts.method,
            target: uri
                .path_and_query
                .unwrap_or_else(|| PathAndQuery::from_static("/")),
            headers,
            peer: self.peer,
        };
        let refusal = if path_is_missing || request_smuggling::is_ambiguous(&head.headers) {
            Some(RequestRefusal::Malformed)
        } else if !names_one_host {
            Some(RequestRefusal::Host)
        } else {
            head_over_limits(&head, &self.edge.limits)
        };
        (head, refusal)
    }

    /// Reads the body, lets a worker handle the request, and waits if the response is deferred.
    async fn work(
        self,
        stopwatch: Stopwatch,
        head: RequestHead,
        prepared: H::Prepared,
        body: Incoming,
        _guard: HandlingGuard,
    ) -> http::Response<OutgoingBody> {
        let (handler, limits) = (&*self.edge.handler, **self.edge.live.load());
        // These methods have no use for a body, so it is not read.
        let is_bodiless = matches!(head.method, Method::GET | Method::HEAD | Method::OPTIONS);
        let received = if is_bodiless {
            if !body.is_end_stream() {
                self.activity.body_left_unread();
            }
            Ok((Bytes::new(), None))
        } else {
            match guarded(|| handler.body_bytes_max(&head, &prepared)) {
                Ok(bytes_max) => {
                    let bytes_max = bytes_max.unwrap_or(limits.body_bytes_max);
                    let memory = &self.edge.body_memory;
                    let received = incoming::read(body, bytes_max, limits.body_timeout, memory);
                    received.await.map(|(body, held)| (body, Some(held)))
                }
                Err(refusal) => Err(refusal),
            }
        };
        let (body, held) = match received {
            Ok(received) => received,
            Err(refusal) => {
                self.activity.body_left_unread();
                let response = refuse(handler, refusal, &head);
                return self.send(stopwatch, head, response);
            }
        };
        // Shared with the worker, which continues even if the client disconnects and drops this
        // future.
        let request = Arc::new(Request { head, body });
        // Listens before the response is built, so that the wait does not miss a change in between.
        let listener = self.edge.change_waiters.listen();
        let mut response = self.ask(&request, prepared, held, true).await;
        if let Body::Later(time) = response.body {
            response = self.wait(&request, listener, time).await;
        }
        self.send(stopwatch, Arc::unwrap_or_clone(request).head, response)
    }

    /// Waits until a change may affect a deferred response. Occupies no worker while it waits, and ends
    /// when the client disconnects.
    async fn wait(
        &self,
        request: &Arc<Request>,
        mut listener: Listener,
        time: Duration,
    ) -> Response {
        let handler = &*self.edge.handler;
        // Taken only now: a request whose response is ready needs no permit.
        let Some(_permit) = self.edge.change_waiters.permit() else {
            return refuse(handler, RequestRefusal::TooManyWaiting, &request.head);
        };
        let deadline = Instant::now() + time;
        loop {
            let has_change = timeout_at(deadline, listener.wait_for_change()).await;
            // After the time is over or the server stops, the handler must not defer the response
            // again.
            let may_wait = has_change.unwrap_or(false);
            // If many clients wait for the same change, the first builds the response and the others
            // find it in the cache.
            let response = match guarded(|| handler.respond_from_memory(&request.head.head_ref())) {
                Ok(Ok(response)) => response,
                Ok(Err(prepared)) => self.ask(request, prepared, None, may_wait).await,
                Err(refusal) => refuse(handler, refusal, &request.head),
            };
            if !matches!(response.body, Body::Later(_)) {
                return response;
            }
        }
    }

    /// Lets a worker handle the request. Once begun, the work runs to its end, even if the client
    /// disconnects.
    async fn ask(
        &self,
        request: &Arc<Request>,
        prepared: H::Prepared,
        held: Option<HeldMemory>,
        may_wait: bool,
    ) -> Response {
        let takes_long = match guarded(|| self.edge.handler.takes_long(&request.head, &prepared)) {
            Ok(takes_long) => takes_long,
            Err(refusal) => return refuse(&*self.edge.handler, refusal, &request.head),
        };
        // One timeout for both permits, so that a request with long work does not wait longer for a
        // worker.
        let turn = self.turn(takes_long);
        let Ok(Ok(turn)) = timeout(self.edge.limits.worker_timeout, turn).await else {
            return refuse(&*self.edge.handler, RequestRefusal::Busy, &request.head);
        };
        let (edge, worker_request) = (Arc::clone(&self.edge), Arc::clone(request));
        let work = spawn_blocking(move || {
            // Moved into the job, so that a disconnecting client does not release them while the job
            // runs.
            let _until_responded = (turn, held);
            let handler = &*edge.handler;
            guarded(|| handler.respond(&worker_request, &prepared, may_wait))
                .unwrap_or_else(|refusal| refuse(handler, refusal, &worker_request.head))
        });
        // A job is lost only when the runtime shuts down.
        let response = work
            .await
            .unwrap_or_else(|_| Response::new(StatusCode::SERVICE_UNAVAILABLE));
        if request.head.method != Method::GET {
            // The client must learn the result of a change, even if the memory is used up.
            return self.edge.unsent.count_in_any_case(self.peer, response);
        }
        let counted = self.edge.unsent.count(self.peer, response);
        counted.unwrap_or_else(|refusal| refuse(&*self.edge.handler, refusal, &request.head))
    }

    /// Waits for a worker and, for long work, for one of the permits for long work.
    async fn turn(&self, takes_long: bool) -> Result<WorkerPermits, AcquireError> {
        let long_work = if takes_long {
            Some(Arc::clone(&self.edge.long_work).acquire_owned().await?)
        } else {
            None
        };
        // Acquired last: long work that waits for its permit must not occupy a worker meanwhile.
        let worker = Arc::clone(&self.edge.workers).acquire_owned().await?;
        Ok((long_work, worker))
    }

    fn send(
        &self,
        stopwatch: Stopwatch,
        head: RequestHead,
        response: Response,
    ) -> http::Response<OutgoingBody> {
        let mut response = files::select(&head, response);
        // HTTP/2 has no `connection` field; hyper sends GOAWAY instead.
        if self.activity.is_closing() && !self.activity.is_http2() {
            let close = HeaderValue::from_static("close");
            response.headers.set(CONNECTION, close);
        }
        let mut live = None;
        if head.method != Method::HEAD && matches!(response.body, Body::Live(_)) {
            let waiters = &self.edge.change_waiters;
            match (
                std::mem::replace(&mut response.body, Body::Empty),
                waiters.permit(),
            ) {
                (Body::Live(source), Some(permit)) => {
                    let lasting = self.activity.lasting();
                    let quiet_max = self.edge.limits.heartbeat;
                    live = Some(StreamChunks::new(
                        source,
                        waiters.listen(),
                        permit,
                        lasting,
                        quiet_max,
                    ));
                }
                _ => response = refuse(&*self.edge.handler, RequestRefusal::TooManyWaiting, &head),
            }
        }
        if let Some(https) = self.https(Scheme::Https) {
            https.complete(&mut response);
        }
        stopwatch.log(&head, &response);
        if self.counters.is_enabled() {
            let kind = guarded(|| self.edge.handler.kind(&head.head_ref())).unwrap_or_default();
            let duration = stopwatch.elapsed();
            self.counters
                .count_response(&head.method, kind, response.status, duration);
        }
        outgoing::assemble(head, response, live, self.activity.sending())
    }
}

fn head_over_limits(head: &RequestHead, limits: &Limits) -> Option<RequestRefusal> {
    if head.target.as_str().len() > limits.target_bytes_max {
        return Some(RequestRefusal::TargetTooLong(limits.target_bytes_max));
    }
    let bytes: usize = head
        .headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    let too_large = bytes > limits.headers_bytes_max || head.headers.len() > HEADERS_MAX;
    too_large.then_some(RequestRefusal::HeadersTooLarge)
}

fn field_bytes(fields: &[httparse::Header]) -> usize {
    fields
        .iter()
        .map(|field| field.name.len() + field.value.len())
        .sum()
}

fn refuse<H: Handler>(handler: &H, refusal: RequestRefusal, head: &RequestHead) -> Response {
    if refusal == RequestRefusal::Panicked {
        error!(method = %head.method, path = head.target.path(), "panic while handling a request");
    }
    guarded(|| handler.refuse(refusal, head)).unwrap_or_else(|_| Response::new(refusal.status()))
}
