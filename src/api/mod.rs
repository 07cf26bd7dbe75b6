//! What clients see: plain functions from a complete request to a response.
//!
//! No hyper, no waiting. A request comes in by [`Api::answer_from_memory`], which looks a finished answer up or makes one if
//! that takes but a moment, and if neither can be by [`Api::answer`]. The order of checks is the reference's: endpoint, key, slash at the end, shape of the
//! parameters, filter, record (Ghost 6.65, recorded).

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

/// What an API is told about its surroundings.
pub struct Options {
    /// Where the site is for its readers.
    pub addresses: AddressSources,
    /// Where the staff client is, if it is not at the site's own origin.
    pub admin_origin: Option<AdminOrigin>,
    /// The first segment of the API's paths: `ghost` in `/ghost/api/`.
    pub path_prefix: String,
    /// Where images and other files are.
    pub files: FileRoots,
    /// What is known of the content files and where they come from; empty when there are none.
    pub content: Arc<ArcSwap<ContentReport>>,
    /// Where a look at the repository is asked for that the site is made of, if it is made of one.
    pub pulls: Option<Arc<Pulls>>,
    /// Bytes of memory for finished answers, and for bodies of posts of which answers are made.
    pub answer_bytes_max: usize,
    /// How much integrations reach of the Admin API.
    pub integration_scope: IntegrationScope,
    /// Length of a body that anybody may send, in bytes.
    pub body_bytes_max: u64,
    /// Length of a body with a file in it, in bytes, for those who may use the Admin API.
    pub upload_bytes_max: u64,
    /// Memory that pictures may take while they are made smaller, in bytes.
    pub image_memory_bytes: u64,
    /// Whether who signs in from a new browser is asked for a code.
    pub device_verification: bool,
    /// Where pictures of members are.
    pub member_pictures: MemberPictures,
    /// Whether mails go through a server; without one they are told in the log.
    pub has_mail_server: bool,
    /// Who looks at pages of other sites that somebody wants to show; `None` where nobody outside is to be asked.
    pub outside: Option<Client>,
}

/// Length of a body of JSON, in bytes, for those who may use the Admin API (Ghost 6.65, recorded).
const JSON_BYTES_MAX: u64 = 50 << 20;

/// In which proxies name whom they ask for.
static FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// How many seconds later somebody may come again for whom there is no place to wait.
static WAITING_RETRY_SECONDS: HeaderValue = HeaderValue::from_static("30");

/// The API of one site.
pub struct Api {
    site: Arc<Site>,
    options: Options,
    guard: keys::Guard,
    attempts: Attempts,
    image_memory: Arc<Memory>,
    /// What the edge has for bodies; without an edge nothing is counted.
    body_memory: OnceLock<Arc<BodyMemory>>,
    copies: Copies,
    document: ServedDocument,
    current: ArcSwap<Answers>,
}

/// Finished answers of the editions of the site that readers cannot tell apart, and where the site is in them.
struct Answers {
    /// The [`readers_revision`](crate::catalog::Catalog::readers_revision) of those editions.
    revision: u64,
    addresses: Addresses,
    cache: AnswerCache,
    /// Those of earlier editions as well: each knows which post it belongs to.
    bodies: Arc<Bodies>,
}

/// The part of the memory for answers that bodies of posts get: one in so many.
const BODIES_PART: usize = 3;

impl Api {
    /// The API of `site`.
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

    /// Where the site is for its readers now.
    pub fn addresses(&self) -> Addresses {
        self.answers(&self.site.current()).addresses.clone()
    }

    /// The answer to `request`, if it is finished and in memory, or made of what is there in a moment. Never waits.
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
                let answer = self.make_at_once(head.target, &edition, &answers)?;
                packing::ready_response(&answer, head.fields)
            }
        }
    }

    /// The answer to `request`. May read the store and files, and may be that there is nothing yet ([`Body::Later`]).
    ///
    /// [`Body::Later`]: response::Body::Later
    pub fn answer(&self, request: &Request) -> Response {
        self.answer_or_wait(request, true)
    }

    /// The answer to `request` as it is now, for whoever has waited for it.
    pub fn answer_at_last(&self, request: &Request) -> Response {
        self.answer_or_wait(request, false)
    }

    /// Has `wake` called whenever those who wait for an answer are to ask again. It must not wait.
    pub fn on_news(&self, wake: impl Fn() + Send + Sync + 'static) {
        self.site.on(Topic::Changes, wake);
    }

    /// Has work on bodies take its memory from `memory`, which bodies are received into.
    pub fn share_body_memory(&self, memory: Arc<BodyMemory>) {
        self.body_memory.get_or_init(|| memory);
    }

    /// The memory that was shared with it, if any was.
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

    /// Whether answering takes long by design. Looks at the request's method and path, and at what is in memory.
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

    /// The answer to a request that the edge refuses.
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

    /// Longest body of a request, in bytes; `None` for what strangers may send. Takes microseconds and never waits.
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
        Some(match multipart::is_declared(head) {
            true => self.options.upload_bytes_max,
            false => JSON_BYTES_MAX,
        })
    }

    /// Whether it is where push webhooks come in, and any are taken.
    fn takes_push(&self, path: &ApiPath) -> bool {
        let pulls = self.options.pulls.as_ref();
        let is_open = pulls.is_some_and(|pulls| pulls.secret().is_some());
        is_open
            && path
                .path
                .trim_end_matches('/')
                .eq_ignore_ascii_case("admin/git/push")
    }

    /// What a request is about. Looks at its path and at where the site is, and allocates nothing.
    pub fn kind(&self, head: &HeadRef) -> RequestKind {
        let answers = self.answers(&self.site.current());
        let path = head.target.split('?').next().unwrap_or_default();
        let path = answers.addresses.path_on_site(path);
        let path = path.strip_prefix('/').unwrap_or(path);
        let Some(path) = self.api_path(path) else {
            return match path.starts_with("content/") {
                true => RequestKind::File,
                false => RequestKind::Other,
            };
        };
        match ApiPath::new(path).path.split('/').next() {
            Some("content") => RequestKind::Content,
            Some("admin") => RequestKind::Admin,
            _ => RequestKind::Other,
        }
    }

    /// Bytes of memory that finished answers, and bodies that they are made of, take now.
    pub fn answer_bytes(&self) -> usize {
        let current = self.current.load();
        current.cache.bytes() + current.bodies.bytes()
    }

    /// The origins of a site that is at `addresses`.
    fn origins<'a>(&'a self, addresses: &'a Addresses) -> Origins<'a> {
        Origins {
            addresses,
            admin: self.options.admin_origin.as_ref(),
        }
    }

    /// Frees the cached responses of earlier commits, and what was not asked for since the last call but one.
    pub fn evict_unused(&self) {
        let answers = self.answers(&self.site.current());
        answers.cache.evict_unused();
        answers.bodies.evict_unused();
    }

    /// What stands behind `ghost/api/`.
    fn api_path<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(self.options.path_prefix.as_str())?
            .strip_prefix("/api/")
    }

    /// The answers of `edition`; new ones, if the site has changed since the last request.
    fn answers(&self, edition: &Edition) -> Loaded<Arc<Answers>> {
        let current = self.current.load();
        if current.revision == edition.catalog.readers_revision {
            return current;
        }
        let fresh = Answers::of(edition, &self.options, Some(&current.bodies));
        let fresh = Arc::new(fresh);
        if current.revision < fresh.revision {
            self.current.compare_and_swap(&current, Arc::clone(&fresh));
        }
        match self.current.load() {
            current if current.revision == fresh.revision => current,
            // Another request saw a newer edition: this one's answers are for nobody else.
            _ => Loaded::from_inner(fresh),
        }
    }
}

impl Answers {
    /// No answers of `edition` yet, with those bodies that were kept before and still hold.
    fn of(edition: &Edition, options: &Options, bodies: Option<&Arc<Bodies>>) -> Self {
        let settings = &edition.catalog.settings;
        let addresses = options.addresses.of(settings);
        let for_bodies = options.answer_bytes_max / BODIES_PART;
        let kept = bodies.filter(|bodies| bodies.hold_for(settings, &addresses));
        let bodies = match kept {
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

/// Who is asking: the other end of the connection or, when that is a proxy on this machine, whom the proxy names.
fn client_address(head: &HeadRef) -> IpAddr {
    let named_by_proxy = || -> Option<IpAddr> {
        let hops = head.fields.values(&FORWARDED_FOR).last()?;
        let last = hops.rsplit(',').next()?.trim();
        // Some proxies name the port as well.
        let with_port = || last.parse::<SocketAddr>().ok().map(|address| address.ip());
        last.parse().ok().or_else(with_port)
    };
    match head.peer.to_canonical().is_loopback() {
        true => named_by_proxy().unwrap_or(head.peer),
        false => head.peer,
    }
}
