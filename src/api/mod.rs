//! The HTTP API that clients see: plain functions from a complete request to a response.
//!
//! No hyper, no waiting. A request comes in by [`Handler`]: the thread that read
//! it finds a cached response, or makes one within the inline budget, or prepares what the request
//! says (`prepared`); a worker does the rest. `pipeline` has the one order of both: endpoint, key,
//! trailing slash, form of the parameters, filter, record (Ghost 6.65, recorded).

pub mod admin;
mod admin_app;
mod assets;
mod call;
mod change_feed;
mod compression_permits;
pub mod content;
mod content_encoding;
mod content_response;
mod cors;
pub mod error;
pub mod feeds;
mod file_content;
pub mod files;
pub mod front_end;
mod front_page;
pub mod handler;
pub mod headers;
mod html_page;
mod ignored_fields;
mod image_sizes;
mod json;
mod keys;
pub mod listing;
mod members;
mod message_page;
pub mod multipart;
pub mod openapi;
pub mod origins;
mod outdated_clients;
pub mod params;
mod path;
mod pipeline;
mod prepared;
mod previews;
mod recent_cache;
pub mod request;
mod request_decoding;
pub mod response;
pub mod response_cache;
mod router;
mod routes;
pub mod sendfile_copy;
mod setup_page;
mod site_routes;
pub mod site_urls;
pub mod static_renderer;
mod unsubscribe;
mod values;
mod versions;
pub mod visitor;
pub mod webhook_payloads;

pub use self::routes::permissions;

use std::{
    net::{IpAddr, SocketAddr},
    sync::{Arc, OnceLock},
};

use arc_swap::{ArcSwap, Guard as Loaded};
use http::{HeaderName, Method};

use self::{
    admin::members::avatar::MemberAvatars,
    content::bodies::Bodies,
    files::FileRoots,
    front_end::FrontEnd,
    handler::Handler,
    members::VerifiedTokens,
    openapi::served::ServedDocument,
    origins::{Origins, TrustedOrigin},
    prepared::PreparedRequest,
    request::{HeadRef, Request},
    response::Response,
    response_cache::ResponseCache,
    router::Router,
    site_urls::{SiteUrlSources, SiteUrls},
};
use crate::{
    admin::{
        media_inlining::{MediaInlining, MediaTools},
        rate_limits::RateLimits,
        setup_link::SetupLink,
    },
    admin_app::AdminApp,
    body_memory::BodyMemory,
    domain::integration::IntegrationScope,
    images::{Copies, Memory},
    outbound::{Client, MediaClient, Reach},
    search::SearchIndex,
    site::{Site, SiteSnapshot},
    sources::{ContentReport, git::Pulls},
};

/// The configuration and the surroundings of an API.
pub struct Options {
    /// The sources of the site's public URL.
    pub site_urls: SiteUrlSources,
    /// The origin of the staff client, if it is not the site's own.
    pub admin_origin: Option<TrustedOrigin>,
    /// Other origins whose pages may act for the member who is signed in.
    pub member_origins: Vec<TrustedOrigin>,
    /// The site's front end, if it is configured.
    pub front_end: Option<FrontEnd>,
    /// Ghost's admin app, if it is installed.
    pub admin_app: AdminApp,
    /// The first segment of the API's paths: `ghost` in `/ghost/api/`.
    pub path_prefix: String,
    /// The folders of images and other files.
    pub files: FileRoots,
    /// The report on the content files and their source; empty if there are none.
    pub content: Arc<ArcSwap<ContentReport>>,
    /// Requests a sync with the repository, if the site is from one.
    pub pulls: Option<Arc<Pulls>>,
    /// Memory for cached responses and for rendered post bodies, in bytes.
    pub cache_bytes_max: usize,
    /// The part of the Admin API that integrations may use.
    pub integration_scope: IntegrationScope,
    /// The search index.
    pub search: Arc<SearchIndex>,
    /// Most records in a list of the Content API.
    pub list_limit_max: usize,
    /// Longest body from anonymous clients, in bytes.
    pub body_bytes_max: u64,
    /// Longest body with a file in it from clients of the Admin API, in bytes.
    pub upload_bytes_max: u64,
    /// Memory for resizing images, in bytes.
    pub image_memory_bytes: u64,
    /// True if sign-in from a new browser needs a code.
    pub device_verification: bool,
    /// The source of members' images.
    pub member_avatars: MemberAvatars,
    /// True if mail is sent by a server; without one it is written to the log.
    pub has_mail_server: bool,
    /// The client for pages of other sites, for embeds; `None` if no outbound requests are allowed.
    pub outside: Option<Client>,
    /// Which addresses may be reached for media of other sites, which staff have copied.
    pub media_reach: Reach,
}

/// The field in which proxies name the client.
static FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The API of one site.
pub struct Api {
    site: Arc<Site>,
    options: Options,
    rate_limits: RateLimits,
    image_memory: Arc<Memory>,
    media_tools: MediaTools,
    media_inlining: MediaInlining,
    /// The edge's memory for bodies; without an edge nothing is counted.
    body_memory: OnceLock<Arc<BodyMemory>>,
    /// The link with which the site is set up from other machines; without it, it is not.
    setup_link: OnceLock<Arc<SetupLink>>,
    copies: Copies,
    router: Router,
    document: ServedDocument,
    verified_tokens: VerifiedTokens,
    current: ArcSwap<SnapshotCache>,
}

/// Cached responses for all site snapshots that are the same for readers, and the site's URLs in
/// them.
struct SnapshotCache {
    /// The [`readers_revision`](crate::catalog::Catalog::readers_revision) of those snapshots.
    revision: u64,
    site_urls: SiteUrls,
    responses: ResponseCache,
    /// Includes those of earlier snapshots: each records which version of a post it belongs to.
    bodies: Arc<Bodies>,
}

/// The share of the response memory that post bodies get: one part in this many.
const BODIES_SHARE: usize = 3;

impl Api {
    /// Returns the API of `site`.
    pub fn new(site: Arc<Site>, options: Options) -> Self {
        let cache = SnapshotCache::of(&site.current(), &options, None);
        let image_memory = Arc::new(Memory::new(options.image_memory_bytes));
        let media_tools = MediaTools {
            site: Arc::clone(&site),
            uploads: options.files.uploads.clone(),
            content: options.files.content.clone(),
            memory: Arc::clone(&image_memory),
            client: Arc::new(MediaClient::new(options.media_reach)),
            bytes_max: options.upload_bytes_max,
        };
        Self {
            site,
            media_tools,
            media_inlining: MediaInlining::default(),
            copies: Copies::new(&options.files.data, Arc::clone(&image_memory)),
            image_memory,
            body_memory: OnceLock::new(),
            setup_link: OnceLock::new(),
            options,
            rate_limits: RateLimits::default(),
            router: Router::new(routes::all()),
            document: ServedDocument::default(),
            verified_tokens: VerifiedTokens::default(),
            current: ArcSwap::from_pointee(cache),
        }
    }

    /// Returns the site's current public URLs.
    pub fn site_urls(&self) -> SiteUrls {
        self.cache(&self.site.current()).site_urls.clone()
    }

    /// Returns the response to `request` without an edge, which would prepare it: as of now, even if
    /// the request may wait for changes.
    pub fn respond_alone(&self, request: &Request) -> Response {
        let cache = self.cache(&self.site.current());
        let prepared = self.prepare(&request.head.head_ref(), &cache.site_urls);
        Handler::respond(self, request, &Arc::new(prepared), false)
    }

    /// Returns the prepared parts of the request.
    fn prepare(&self, head: &HeadRef, site_urls: &SiteUrls) -> PreparedRequest {
        let path = head.target.split('?').next().unwrap_or_default();
        let path = self.path_below_api(path, site_urls);
        PreparedRequest::new(&self.router, head.method, head.target, path)
    }

    /// Has work on bodies take its memory from `memory`, which bodies are received into.
    pub fn share_body_memory(&self, memory: Arc<BodyMemory>) {
        self.body_memory.get_or_init(|| memory);
    }

    /// Has the site set up from other machines with `link`.
    pub fn accept_setup_link(&self, link: Arc<SetupLink>) {
        self.setup_link.get_or_init(|| link);
    }

    /// Returns whether push webhooks are enabled.
    fn takes_pushes(&self) -> bool {
        let pulls = self.options.pulls.as_ref();
        pulls.is_some_and(|pulls| pulls.secret().is_some())
    }

    /// Returns the search index.
    pub fn search(&self) -> &Arc<SearchIndex> {
        &self.options.search
    }

    /// Returns the bytes of memory that cached responses and rendered post bodies take now.
    pub fn cached_bytes(&self) -> usize {
        let current = self.current.load();
        current.responses.bytes() + current.bodies.bytes()
    }

    /// Returns the origins of a site with these URLs.
    fn origins<'a>(&'a self, site_urls: &'a SiteUrls) -> Origins<'a> {
        Origins {
            site_urls,
            admin: self.options.admin_origin.as_ref(),
        }
    }

    /// Frees the cached responses of earlier commits, and those not requested since the last call
    /// but one.
    pub fn evict_unused(&self) {
        let cache = self.cache(&self.site.current());
        cache.responses.evict_unused();
        cache.bodies.evict_unused();
    }

    /// Learns which clients other processes refuse for wrong keys, if they share the store.
    ///
    /// # Errors
    ///
    /// `Maintenance` if the store is not available.
    pub fn follow_refused_clients(&self) -> crate::error::Result<()> {
        self.rate_limits.wrong_keys.follow_others(&*self.site)
    }

    /// Returns the part of a requested path below the API's prefix, such as `content/posts/`.
    fn path_below_api<'a>(&self, path: &'a str, site_urls: &SiteUrls) -> Option<&'a str> {
        site_urls
            .path_on_site(path)
            .strip_prefix('/')?
            .strip_prefix(self.options.path_prefix.as_str())?
            .strip_prefix("/api/")
    }

    /// Returns the response cache for `snapshot`; a new one if the site has changed since the last
    /// request.
    fn cache(&self, snapshot: &SiteSnapshot) -> Loaded<Arc<SnapshotCache>> {
        let current = self.current.load();
        if current.revision == snapshot.catalog.readers_revision {
            return current;
        }
        let fresh = SnapshotCache::of(snapshot, &self.options, Some(&current.bodies));
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

impl SnapshotCache {
    /// Returns an empty response cache for `snapshot`, with those rendered bodies that are still
    /// valid.
    fn of(snapshot: &SiteSnapshot, options: &Options, bodies: Option<&Arc<Bodies>>) -> Self {
        let settings = &snapshot.catalog.settings;
        let site_urls = options.site_urls.of(settings);
        let for_bodies = options.cache_bytes_max / BODIES_SHARE;
        let reused = bodies.filter(|bodies| bodies.is_valid_for(settings, &site_urls));
        let bodies = match reused {
            Some(bodies) => Arc::clone(bodies),
            None => Arc::new(Bodies::new(settings, &site_urls, for_bodies)),
        };
        Self {
            revision: snapshot.catalog.readers_revision,
            responses: ResponseCache::new(options.cache_bytes_max - for_bodies),
            bodies,
            site_urls,
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
