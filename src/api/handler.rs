//! The interface between the HTTP server and the handler of requests, and the API as such a handler.

use std::sync::Arc;

use super::{
    Api,
    call::Call,
    client_address::client_address,
    content::change_stream,
    content_encoding, error,
    file_content::is_svg,
    files::file_path_of,
    front_page,
    image_sizes::image_sizes,
    keys, members,
    path::ApiPath,
    prepared::PreparedRequest,
    request::{HeadRef, Request, RequestHead, RequestKind, RequestRefusal, is_read},
    response::Response,
    routes::{self, route::Execution},
    theme,
};
use crate::{body_memory::BodyMemory, images::Variant, site::CommitTopic, site_urls::SiteUrls};

/// Handles requests. If one of these methods panics, only that request fails, with status 500.
pub trait Handler: Send + Sync + 'static {
    /// The parts of a request that are prepared once, on the thread that read it.
    type Prepared: Clone + Send + Sync + 'static;

    /// Returns a response from memory, without waiting. `Err` contains the prepared parts of a request
    /// that [`respond`](Handler::respond) must handle.
    ///
    /// Runs on the thread that serves the sockets, so it must not block and should take only
    /// microseconds. The body has not been read yet.
    fn respond_from_memory(&self, head: &HeadRef) -> Result<Response, Self::Prepared>;

    /// Returns the response; may read the store and files. Runs on a worker, at most
    /// `Limits::workers` times concurrently, and finishes even if the client has disconnected. The body
    /// is [`Body::Later`](crate::api::response::Body::Later) only if the request `may_wait`.
    fn respond(&self, request: &Request, prepared: &Self::Prepared, may_wait: bool) -> Response;

    /// Registers `wake`, which must not block, to be called after each change for which requests may be
    /// waiting.
    fn on_change(&self, _wake: Box<dyn Fn() + Send + Sync>) {}

    /// Returns the memory budget that bodies and the work on them share; `None` if only bodies are
    /// accounted for.
    fn body_memory(&self) -> Option<Arc<BodyMemory>> {
        None
    }

    /// Returns the response to a request that the server refuses. Must not block.
    fn refuse(&self, refusal: RequestRefusal, head: &RequestHead) -> Response;

    /// Returns whether handling the request is expected to keep a processor busy for long. At most a
    /// quarter of the workers handle such requests concurrently; further ones wait without a worker.
    /// Must not block.
    fn takes_long(&self, _head: &RequestHead, _prepared: &Self::Prepared) -> bool {
        false
    }

    /// Returns the kind of the request, for metrics. Must not block.
    fn kind(&self, _head: &HeadRef) -> RequestKind {
        RequestKind::Other
    }

    /// Returns the limit for the body of this request, in bytes; `None` for
    /// `Limits::body_bytes_max`. Must not block.
    fn body_bytes_max(&self, _head: &RequestHead, _prepared: &Self::Prepared) -> Option<u64> {
        None
    }
}

impl Api {
    /// Returns the response to a `request` that was not prepared by a server. The response is never
    /// deferred, even if the request asks to wait for changes.
    pub fn respond_alone(&self, request: &Request) -> Response {
        let cache = self.cache(&self.site.current());
        let prepared = self.prepare(&request.head.head_ref(), &cache.site_urls);
        self.respond(request, &Arc::new(prepared), false)
    }

    /// Returns the prepared parts of the request.
    fn prepare(&self, head: &HeadRef, site_urls: &SiteUrls) -> PreparedRequest {
        let path = head.target.split('?').next().unwrap_or_default();
        let path = self.path_below_api(path, site_urls);
        // The life of the arrival: if this process is suspended before the request is handled, its
        // change must not be committed afterwards.
        let life = self.site.request_life();
        PreparedRequest::new(routes::router(), head.method, head.target, path, life)
    }

    /// Returns whether the response to a request must reflect all changes that any process sharing the
    /// store has acknowledged. This is so for requests to the Admin API, with credentials, or with a
    /// method that is not read-only. Anonymous readers see such changes a few milliseconds later.
    fn needs_all_commits(&self, head: &RequestHead) -> bool {
        let head_ref = head.head_ref();
        !is_read(&head.method)
            || self.kind(&head_ref) == RequestKind::Admin
            || members::has_credentials(self, head_ref.fields)
    }
}

impl Handler for Api {
    type Prepared = Arc<PreparedRequest>;

    /// Returns a cached response, or builds one within the inline budget. Uncached responses for members
    /// are built by a worker.
    fn respond_from_memory(&self, head: &HeadRef) -> Result<Response, Self::Prepared> {
        let snapshot = self.site.current();
        let cache = self.cache(&snapshot);
        let now = self.site.now();
        // A client that is refused because of wrong keys gets no cached responses either: the
        // worker sends it the error.
        let is_admitted = is_read(head.method)
            && !change_stream::accepts_event_stream(head)
            && theme::is_page_for_all(self, &cache, head.fields)
            && keys::admit(&self.rate_limits, client_address(head), now).is_ok();
        if is_admitted && members::has_credentials(self, head.fields) {
            let cached = self.cached_for_member(head, &snapshot, &cache);
            return cached.ok_or_else(|| Arc::new(self.prepare(head, &cache.site_urls)));
        }
        let cached = || cache.responses.get(head.target);
        let cached = is_admitted.then(|| cached().filter(|cached| cached.is_current(now)));
        if let Some(Some(cached)) = &cached
            && let Some(response) = content_encoding::cached_response(cached, head.fields)
        {
            return Ok(response);
        }
        let prepared = self.prepare(head, &cache.site_urls);
        // A cached response in another encoding is compressed by a worker.
        let inline = match cached {
            Some(None) => self.respond_inline(head, &prepared, &snapshot, &cache),
            _ => None,
        };
        inline.ok_or_else(|| Arc::new(prepared))
    }

    /// Permissions, records and URLs are those of the current snapshot, which may be newer than the one
    /// when the request was prepared.
    fn respond(&self, request: &Request, prepared: &Self::Prepared, may_wait: bool) -> Response {
        let head = &request.head;
        let is_shared = self.site.is_shared();
        // Registered before anything that waits for the store.
        let life = || prepared.life.clone();
        let _in_life = is_shared.then(|| self.site.begin_request(life()));
        if is_shared && self.needs_all_commits(head) {
            self.site.follow_at_once();
        }
        // Taken after following, so that it contains what other processes have acknowledged.
        let snapshot = self.site.current();
        let cache = self.cache(&snapshot);
        let path = self.path_below_api(head.target.path(), &cache.site_urls);
        let moved;
        // The site's URL may have changed since the request was prepared, which moves the API.
        let prepared = if prepared.matches_path(path) {
            &**prepared
        } else {
            moved = self.prepare(&head.head_ref(), &cache.site_urls);
            &moved
        };
        match &prepared.api {
            Some(_) if path == Some("") && front_page::is_below_api(self, head) => {
                front_page::respond(self, &snapshot, &cache.site_urls, head)
            }
            Some(prepared) => self.serve_api(&Call {
                head,
                body: &request.body,
                request: prepared,
                snapshot: &snapshot,
                cache: &cache,
                may_wait,
            }),
            None => {
                let path = cache.site_urls.path_on_site(head.target.path());
                self.serve_site_path(&snapshot, &cache, request, path)
            }
        }
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        self.site.on_commit(CommitTopic::Changes, wake);
    }

    fn body_memory(&self) -> Option<Arc<BodyMemory>> {
        self.body_memory.get().cloned()
    }

    fn refuse(&self, refusal: RequestRefusal, head: &RequestHead) -> Response {
        let snapshot = self.site.current();
        let cache = self.cache(&snapshot);
        self.page_for_browser(error::refused(refusal), &snapshot, &cache, head)
    }

    /// Checks only the route, the path and data in memory.
    fn takes_long(&self, head: &RequestHead, prepared: &Self::Prepared) -> bool {
        if let Some(request) = &prepared.api {
            let found = request.found.as_ref();
            return found.is_some_and(|found| found.route.execution == Execution::LongRunning);
        }
        // Only the first request cleans or scales an image. Later ones send the copy.
        file_path_of(head.target.path())
            .is_some_and(|path| is_svg(path) && !self.copies.is_known(path))
            || Variant::path_of(head.target.path()).is_some_and(|path| {
                let is_made = |variant: Variant| {
                    let sizes = image_sizes(&self.site.current(), self.options.theme.as_deref());
                    variant.size_among(&sizes).is_some()
                };
                Variant::of(path).is_some_and(is_made) && !self.copies.is_known(path)
            })
    }

    /// Classifies a request by its path and the site's URL. Does not allocate.
    fn kind(&self, head: &HeadRef) -> RequestKind {
        let cache = self.cache(&self.site.current());
        let path = head.target.split('?').next().unwrap_or_default();
        match self.path_below_api(path, &cache.site_urls) {
            Some(path) => match ApiPath::new(path).path.split('/').next() {
                Some("content") => RequestKind::Content,
                Some("admin") => RequestKind::Admin,
                _ => RequestKind::Other,
            },
            None if cache.site_urls.path_on_site(path).starts_with("/content/") => {
                RequestKind::File
            }
            None => RequestKind::Other,
        }
    }

    /// Takes microseconds.
    fn body_bytes_max(&self, head: &RequestHead, prepared: &Self::Prepared) -> Option<u64> {
        let snapshot = self.site.current();
        let cache = self.cache(&snapshot);
        let request = prepared.api.as_ref()?;
        let sender = request.sender(head, &snapshot.catalog, &cache.site_urls);
        self.body_limit(request, sender)
    }
}
