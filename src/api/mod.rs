//! The HTTP API that clients see: plain functions from a complete request to a response.
//!
//! No hyper, no waiting. A request comes in by [`Api::answer_from_memory`], which finds a cached
//! response or makes one within the inline budget; otherwise by [`Api::answer`]. The order of
//! checks is the reference's: endpoint, key, trailing slash, form of the parameters, filter, record
//! (Ghost 6.65, recorded).

pub mod addresses;
pub mod admin;
pub mod announcements;
pub mod answers;
mod assets;
mod call;
pub mod content;
mod cors;
pub mod error;
mod feed;
mod file_content;
pub mod files;
mod front_page;
pub mod headers;
mod html_page;
mod image_sizes;
mod json;
pub mod kernel_copy;
mod keys;
pub mod listing;
mod making;
pub mod multipart;
pub mod openapi;
pub mod origins;
mod outdated_clients;
mod outside;
mod packed_bodies;
mod packers;
mod packing;
pub mod params;
mod previews;
mod recent;
pub mod request;
pub mod response;
mod router;
mod routes;
pub mod still;
mod unsubscribe;
mod values;
mod versions;

use std::{
    net::{IpAddr, SocketAddr},
    sync::{Arc, OnceLock},
};

use arc_swap::{ArcSwap, Guard as Loaded};
use http::{HeaderName, HeaderValue, Method, header};

use self::{
    addresses::{AddressSources, Addresses},
    admin::members::picture::MemberPictures,
    answers::AnswerCache,
    call::Call,
    content::{bodies::Bodies, change_stream},
    files::{FileRoots, file_path_of, is_svg},
    headers::CacheControl,
    image_sizes::image_sizes,
    openapi::served::ServedDocument,
    origins::{AdminOrigin, Origins},
    request::{HeadRef, Refusal, Request, RequestHead, RequestKind},
    response::Response,
    router::ApiPath,
};
use crate::{
    body_memory::BodyMemory,
    domain::{attempts::Attempts, integration::IntegrationScope},
    error::{Error, Kind},
    images::{Copies, Memory, Variant},
    outbound::Client,
    site::{Edition, Site, Topic},
    sources::{
        ContentReport,
        git::{PUSH_BYTES_MAX, Pulls},
    },
};

/// The configuration and the surroundings of an API.
pub struct Options {
    /// The sources of the site's public URL.
    pub addresses: AddressSources,
    /// The origin of the staff client, if it is not the site's own.
    pub admin_origin: Option<AdminOrigin>,
    /// The first segment of the API's paths: `ghost` in `/ghost/api/`.
    pub path_prefix: String,
    /// The folders of images and other files.
    pub files: FileRoots,
    /// The report on the content files and their source; empty if there are none.
    pub content: Arc<ArcSwap<ContentReport>>,
    /// Requests a sync with the repository, if the site comes from one.
    pub pulls: Option<Arc<Pulls>>,
    /// Memory for cached responses and for rendered post bodies, in bytes.
    pub answer_bytes_max: usize,
    /// The part of the Admin API that integrations may use.
    pub integration_scope: IntegrationScope,
    /// Longest body from anonymous clients, in bytes.
    pub body_bytes_max: u64,
    /// Longest body with a file in it from clients of the Admin API, in bytes.
    pub upload_bytes_max: u64,
    /// Memory for resizing images, in bytes.
    pub image_memory_bytes: u64,
    /// Whether sign-in from a new browser needs a code.
    pub device_verification: bool,
    /// The source of members' images.
    pub member_pictures: MemberPictures,
    /// Whether mail goes through a server; without one it is written to the log.
    pub has_mail_server: bool,
    /// The client for pages of other sites, for embeds; `None` if no outbound requests are allowed.
    pub outside: Option<Client>,
}

/// Longest JSON body from clients of the Admin API, in bytes (Ghost 6.65, recorded).
const JSON_BYTES_MAX: u64 = 50 << 20;

/// The field in which proxies name the client.
static FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The `Retry-After` when too many requests wait, in seconds.
static WAITING_RETRY_SECONDS: HeaderValue = HeaderValue::from_static("30");

/// The API of one site.
pub struct Api {
    site: Arc<Site>,
    options: Options,
    guard: keys::Guard,
    attempts: Attempts,
    image_memory: Arc<Memory>,
    /// The edge's memory for bodies; without an edge nothing is counted.
    body_memory: OnceLock<Arc<BodyMemory>>,
    copies: Copies,
    document: ServedDocument,
    current: ArcSwap<Answers>,
}

/// Cached responses for all site snapshots that look the same to readers, and the site's URLs in
/// them.
struct Answers {
    /// The [`readers_revision`](crate::catalog::Catalog::readers_revision) of those snapshots.
    revision: u64,
    addresses: Addresses,
    cache: AnswerCache,
    /// Includes those of earlier snapshots: each records which version of a post it belongs to.
    bodies: Arc<Bodies>,
}

/// The share of the response memory that post bodies get: one part in this many.
const BODIES_SHARE: usize = 3;

impl Api {
    /// Returns the API of `site`.
    pub fn new(site: Arc<Site>, options: Options) -> Self {
        let answers = Answers::of(&site.current(), &options, None);
        let image_memory = Arc::new(Memory::new(options.image_memory_bytes));
        Self {
            site,
            copies: Copies::new(&options.files.data, Arc::clone(&image_memory)),
            image_memory,
            body_memory: OnceLock::new(),
            options,
            guard: keys::Guard::default(),
            attempts: Attempts::default(),
            document: ServedDocument::default(),
            current: ArcSwap::from_pointee(answers),
        }
    }

    /// Returns the site's current public URLs.
    pub fn addresses(&self) -> Addresses {
        self.answers(&self.site.current()).addresses.clone()
    }

    /// Returns the response to the request if it is cached or can be made from memory within the
    /// inline budget. Never waits.
    pub fn answer_from_memory(&self, head: &HeadRef) -> Option<Response> {
        if !is_read(head.method) || change_stream::is_wanted(head) {
            return None;
        }
        let edition = self.site.current();
        let answers = self.answers(&edition);
        let client = client_address(head);
        self.guard.admit(client, self.site.now()).ok()?;
        match answers.cache.get(head.target) {
            Some(answer) => packing::kept_response(&answer, head.fields),
            None => {
                let answer = self.make_inline(head.target, &edition, &answers)?;
                packing::ready_response(&answer, head.fields)
            }
        }
    }

    /// Returns the response to `request`. May read the store and files; may be deferred
    /// ([`Body::Later`]).
    ///
    /// [`Body::Later`]: response::Body::Later
    pub fn answer(&self, request: &Request) -> Response {
        self.answer_or_wait(request, true)
    }

    /// Returns the response to `request` as of now, for a client that has waited for it.
    pub fn answer_at_last(&self, request: &Request) -> Response {
        self.answer_or_wait(request, false)
    }

    /// Registers `wake`, which is called whenever deferred requests should be retried. It must not
    /// block.
    pub fn on_news(&self, wake: impl Fn() + Send + Sync + 'static) {
        self.site.on(Topic::Changes, wake);
    }

    /// Has work on bodies take its memory from `memory`, which bodies are received into.
    pub fn share_body_memory(&self, memory: Arc<BodyMemory>) {
        self.body_memory.get_or_init(|| memory);
    }

    /// Returns the memory shared with it, if any.
    pub fn body_memory(&self) -> Option<Arc<BodyMemory>> {
        self.body_memory.get().cloned()
    }

    fn answer_or_wait(&self, request: &Request, may_wait: bool) -> Response {
        let head = &request.head;
        let edition = self.site.current();
        let answers = self.answers(&edition);
        let path = answers.addresses.path_on_site(head.target.path());
        if let Some(path) = path.strip_prefix('/').and_then(|path| self.api_path(path)) {
            return self.answer_api(&Call {
                head,
                body: &request.body,
                path: ApiPath::new(path),
                edition: &edition,
                answers: &answers,
                may_wait,
            });
        }
        self.answer_outside(&edition, &answers, request, path)
    }

    /// Returns whether the response takes long by design. Inspects the request's method and path,
    /// and memory only.
    pub fn takes_long(&self, head: &RequestHead) -> bool {
        admin::takes_long(head)
            || file_path_of(head.target.path())
                .is_some_and(|path| is_svg(path) && !self.copies.is_known(path))
            || Variant::path_of(head.target.path()).is_some_and(|path| {
                let is_made = |variant: Variant| {
                    let sizes = image_sizes(&self.site.current());
                    variant.size_among(&sizes).is_some()
                };
                Variant::of(path).is_some_and(is_made) && !self.copies.is_known(path)
            })
    }

    /// Returns the response to a request that the edge refuses.
    pub fn refuse(&self, refusal: Refusal) -> Response {
        let kind = match refusal {
            Refusal::Malformed
            | Refusal::Host
            | Refusal::BodyTooSlow(_)
            | Refusal::TargetTooLong(_)
            | Refusal::HeadersTooLarge => Kind::UnreadableRequest,
            Refusal::BodyTooLarge(_) => Kind::RequestEntityTooLarge,
            Refusal::Panicked => Kind::Internal,
            Refusal::Busy | Refusal::TooManyWaiting => Kind::Maintenance,
        };
        let error = Error::new(kind, refusal.to_string());
        let mut response =
            error::response_with_status(&error, refusal.status(), CacheControl::Private);
        if refusal == Refusal::TooManyWaiting {
            let seconds = WAITING_RETRY_SECONDS.clone();
            response.headers.set(header::RETRY_AFTER, seconds);
        }
        response
    }

    /// Returns the longest body of a request, in bytes; `None` for the limit of anonymous clients.
    /// Takes microseconds and never waits.
    pub fn body_bytes_max(&self, head: &RequestHead) -> Option<u64> {
        let edition = self.site.current();
        let answers = self.answers(&edition);
        let path = answers.addresses.path_on_site(head.target.path());
        let path = path
            .strip_prefix('/')
            .and_then(|path| self.api_path(path))?;
        let path = ApiPath::new(path);
        if self.takes_push(&path) {
            return Some(PUSH_BYTES_MAX);
        }
        if !path.is_admin() || !admin::is_shown(self, &edition.catalog, head, &path) {
            return None;
        }
        Some(if multipart::is_declared(head) {
            self.options.upload_bytes_max
        } else {
            JSON_BYTES_MAX
        })
    }

    /// Returns whether the path takes push webhooks, and they are enabled.
    fn takes_push(&self, path: &ApiPath) -> bool {
        let pulls = self.options.pulls.as_ref();
        let is_open = pulls.is_some_and(|pulls| pulls.secret().is_some());
        is_open
            && path
                .path
                .trim_end_matches('/')
                .eq_ignore_ascii_case("admin/git/push")
    }

    /// Classifies a request by its path and the site's URL. Allocates nothing.
    pub fn kind(&self, head: &HeadRef) -> RequestKind {
        let answers = self.answers(&self.site.current());
        let path = head.target.split('?').next().unwrap_or_default();
        let path = answers.addresses.path_on_site(path);
        let path = path.strip_prefix('/').unwrap_or(path);
        let Some(path) = self.api_path(path) else {
            return if path.starts_with("content/") {
                RequestKind::File
            } else {
                RequestKind::Other
            };
        };
        match ApiPath::new(path).path.split('/').next() {
            Some("content") => RequestKind::Content,
            Some("admin") => RequestKind::Admin,
            _ => RequestKind::Other,
        }
    }

    /// Returns the bytes of memory that cached responses and rendered post bodies take now.
    pub fn answer_bytes(&self) -> usize {
        let current = self.current.load();
        current.cache.bytes() + current.bodies.bytes()
    }

    /// Returns the origins of a site with these URLs.
    fn origins<'a>(&'a self, addresses: &'a Addresses) -> Origins<'a> {
        Origins {
            addresses,
            admin: self.options.admin_origin.as_ref(),
        }
    }

    /// Frees the cached responses of earlier commits, and those not requested since the last call
    /// but one.
    pub fn evict_unused(&self) {
        let answers = self.answers(&self.site.current());
        answers.cache.evict_unused();
        answers.bodies.evict_unused();
    }

    /// Returns the path below `ghost/api/`.
    fn api_path<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(self.options.path_prefix.as_str())?
            .strip_prefix("/api/")
    }

    /// Returns the response cache for `edition`; a new one if the site has changed since the last
    /// request.
    fn answers(&self, edition: &Edition) -> Loaded<Arc<Answers>> {
        let current = self.current.load();
        if current.revision == edition.catalog.readers_revision {
            return current;
        }
        let fresh = Answers::of(edition, &self.options, Some(&current.bodies));
        let fresh = Arc::new(fresh);
        if current.revision < fresh.revision {
            // Not a plain store: another request may have installed a newer cache meanwhile.
            self.current.compare_and_swap(&current, Arc::clone(&fresh));
        }
        match self.current.load() {
            current if current.revision == fresh.revision => current,
            // Another request saw a newer snapshot: this one's responses are of no use to others.
            _ => Loaded::from_inner(fresh),
        }
    }
}

impl Answers {
    /// Returns an empty response cache for `edition`, with those rendered bodies that are still
    /// valid.
    fn of(edition: &Edition, options: &Options, bodies: Option<&Arc<Bodies>>) -> Self {
        let settings = &edition.catalog.settings;
        let addresses = options.addresses.of(settings);
        let for_bodies = options.answer_bytes_max / BODIES_SHARE;
        let reused = bodies.filter(|bodies| bodies.hold_for(settings, &addresses));
        let bodies = match reused {
            Some(bodies) => Arc::clone(bodies),
            None => Arc::new(Bodies::new(settings, &addresses, for_bodies)),
        };
        Self {
            revision: edition.catalog.readers_revision,
            cache: AnswerCache::new(options.answer_bytes_max - for_bodies),
            bodies,
            addresses,
        }
    }
}

fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Returns the client's IP address: the peer of the connection or, if that is a proxy on this
/// machine, the address that the proxy names.
fn client_address(head: &HeadRef) -> IpAddr {
    let named_by_proxy = || -> Option<IpAddr> {
        let hops = head.fields.values(&FORWARDED_FOR).last()?;
        let last = hops.rsplit(',').next()?.trim();
        // Some proxies include the port.
        let with_port = || last.parse::<SocketAddr>().ok().map(|address| address.ip());
        last.parse().ok().or_else(with_port)
    };
    if head.peer.to_canonical().is_loopback() {
        named_by_proxy().unwrap_or(head.peer)
    } else {
        head.peer
    }
}
