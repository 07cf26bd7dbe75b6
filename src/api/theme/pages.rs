//! Pages of the active theme as responses.

use std::{borrow::Cow, cell::Cell, rc::Rc, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

use super::{
    bodies::{PreviewBodies, ReaderBodies},
    images::SiteImages,
};
use crate::{
    api::{
        Api, SnapshotCache,
        content::response_memory::ResponseMemory,
        content_encoding, error,
        feeds::{self, FeedCall, FeedDocument, FeedPosts},
        headers::{self, CacheControl},
        members,
        previews::{PostPageKind, ReaderStatus},
        request::RequestHead,
        response::{Body, Headers, Response},
        response_cache::CachedResponse,
    },
    domain::{post::Post, reading_member::ReadingMember, setting::Settings},
    error::{Error, Kind, Result},
    front_end::{
        ModelContext, PageState, Theme,
        pages::{self, Page, PageResponse},
    },
    render::paywall::Reader,
    routing::{FeedOf, Resolution},
    site::SiteSnapshot,
    themes::Themes,
};

/// A request for a page.
#[derive(Clone, Copy)]
pub(in crate::api) struct PageCall<'a> {
    pub snapshot: &'a Arc<SiteSnapshot>,
    pub cache: &'a SnapshotCache,
    pub head: &'a RequestHead,
    /// The path on the site.
    pub path: &'a str,
}

impl Api {
    /// Returns the page at a path, or the theme's error page; cached for anonymous readers.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub(in crate::api) fn page(
        &self,
        call: &PageCall,
        resolution: &Resolution,
    ) -> Result<Response> {
        let head = call.head.head_ref();
        let is_anonymous = !members::has_credentials(self, head.fields);
        if is_anonymous && let Some(cached) = call.cache.responses.get(call.head.target.path()) {
            return Ok(content_encoding::response(&cached, head.fields));
        }
        let reader = self.page_reader(call);
        let cache_control = match &reader {
            Some(_) => CacheControl::Private,
            None => CacheControl::Public,
        };
        let routes = call.cache.site_urls.routes().routes();
        match pages::respond(self.page_state(call, reader.clone()), routes, resolution) {
            PageResponse::Page(page) if page.status == StatusCode::OK.as_u16() => {
                let fields = fields(&page, cache_control);
                let cached = Arc::new(CachedResponse::new(fields, Bytes::from(page.text)));
                if reader.is_none() {
                    call.cache.responses.put(call.head.target.path(), &cached);
                }
                Ok(content_encoding::response(&cached, head.fields))
            }
            PageResponse::Page(page) => {
                // Only what does not exist may be there for others, too.
                let is_missing = page.status == error::status(Kind::NotFound).as_u16();
                let of_errors = if reader.is_none() && is_missing {
                    CacheControl::Absent
                } else {
                    CacheControl::Private
                };
                Ok(uncached(page, of_errors))
            }
            PageResponse::Redirect {
                location,
                is_permanent,
                adds_slash,
            } => {
                let cache_control = if is_permanent {
                    CacheControl::Year
                } else {
                    CacheControl::Public
                };
                let mut response = redirect(is_permanent, &location, cache_control)?;
                if adds_slash {
                    // Ghost sends these without a body (Ghost 6.65, recorded).
                    response.headers.remove(&header::CONTENT_TYPE);
                    response.body = Body::Empty;
                }
                Ok(response)
            }
            PageResponse::Feed(feed) => self.feed(call, &feed),
        }
    }

    /// Returns the request for a feed.
    pub(super) fn feed_call<'a>(&self, call: &PageCall<'a>) -> FeedCall<'a> {
        FeedCall {
            snapshot: call.snapshot,
            cache: call.cache,
            head: call.head,
            reader: self.page_reader(call),
        }
    }

    /// Returns a feed.
    fn feed(&self, call: &PageCall, feed: &FeedOf) -> Result<Response> {
        let catalog = &call.snapshot.catalog;
        let posts = match feed {
            FeedOf::Tag(id) => catalog
                .tags
                .get(*id)
                .map(|tag| FeedPosts::OfTag(Cow::from(&*tag.slug))),
            FeedOf::Author(id) => catalog
                .users
                .get(*id)
                .map(|author| FeedPosts::OfAuthor(Cow::from(&*author.slug))),
            FeedOf::List(list) => Some(FeedPosts::OfList(*list)),
        };
        let found = posts.map(|posts| {
            let document = FeedDocument::Rss(posts);
            feeds::document_response(self, &self.feed_call(call), &document)
        });
        match found.transpose()?.flatten() {
            Some(response) => Ok(response),
            None => Ok(self.error_page(call, error::status(Kind::NotFound), "Page not found")),
        }
    }

    /// Returns the theme's page for an error.
    pub(in crate::api) fn error_page(
        &self,
        call: &PageCall,
        status: StatusCode,
        message: &str,
    ) -> Response {
        let reader = self.page_reader(call);
        let cache_control = match &reader {
            Some(_) => CacheControl::Private,
            None => CacheControl::Absent,
        };
        let page = pages::error(self.page_state(call, reader), status.as_u16(), message);
        uncached(page, cache_control)
    }

    /// Returns the page of a private site that asks for its password.
    pub(in crate::api) fn password_page(&self, call: &PageCall, error: Option<&str>) -> Response {
        let page = pages::private(self.page_state(call, None), error);
        uncached(page, CacheControl::Private)
    }

    /// Returns the page of a post at a URL outside the public site, as this audience sees it.
    pub(in crate::api) fn preview_page(
        &self,
        call: &PageCall,
        post: &Arc<Post>,
        kind: PostPageKind,
        reader: ReaderStatus,
    ) -> Response {
        let bodies = PreviewBodies {
            snapshot: Arc::clone(call.snapshot),
            site_urls: call.cache.site_urls.clone(),
            level: match reader {
                ReaderStatus::Anonymous => None,
                ReaderStatus::FreeMember => Some(Reader::Free),
                ReaderStatus::PayingMember => Some(Reader::Paying),
            },
            may_read: reader.may_read(post),
        };
        let member = self.page_reader(call);
        let page = match kind {
            PostPageKind::Preview => {
                let has_access = reader.may_read(post);
                pages::preview(
                    self.page_state(call, member),
                    post,
                    Rc::new(bodies),
                    has_access,
                )
            }
            PostPageKind::Email | PostPageKind::Published => {
                pages::mailed(self.page_state(call, member), post)
            }
        };
        let cache_control = match kind {
            PostPageKind::Email if page.status == StatusCode::OK.as_u16() => CacheControl::Public,
            _ => CacheControl::Absent,
        };
        uncached(page, cache_control)
    }

    /// Returns the active theme of a site with these settings. If its files were replaced, the cached pages are dropped.
    pub(super) fn theme(&self, settings: &Settings) -> Arc<Theme> {
        let files = Themes::of(&self.options.files.uploads).active(settings);
        let (theme, is_replaced) = self.active_theme.get(files);
        if is_replaced {
            self.drop_cached_responses();
        }
        theme
    }

    /// Returns the member who reads a page.
    pub(super) fn page_reader(&self, call: &PageCall) -> Option<ReadingMember> {
        let head = call.head.head_ref();
        if !members::has_credentials(self, head.fields) {
            return None;
        }
        let member = members::reader(self, call.snapshot, call.cache, &head)?;
        Some(ReadingMember::new(member, self.site.now()))
    }

    /// Returns the state of a page for a reader, who gets the bodies that are for them.
    pub(super) fn page_state(&self, call: &PageCall, reader: Option<ReadingMember>) -> PageState {
        let bodies = |reader: Option<ReadingMember>| {
            let memory = self.body_memory.get();
            Rc::new(ReaderBodies {
                snapshot: Arc::clone(call.snapshot),
                bodies: Arc::clone(&call.cache.bodies),
                reader,
                memory: memory.map_or_else(ResponseMemory::unbounded, ResponseMemory::of),
            })
        };
        let (own_bodies, public_bodies) = (bodies(reader.clone()), bodies(None));
        let settings = &call.snapshot.catalog.settings;
        let snapshot = Arc::clone(call.snapshot);
        let site_urls = call.cache.site_urls.clone();
        let images = SiteImages {
            snapshot: Arc::clone(&snapshot),
            site_urls: site_urls.clone(),
            files: self.options.files.clone(),
        };
        let now = self.site.now();
        let model = ModelContext::new(snapshot, site_urls, own_bodies, public_bodies, reader, now);
        PageState {
            model: Rc::new(model),
            theme: self.theme(settings),
            images: Rc::new(images),
            scripts: Arc::default(),
            locale: settings.text("locale").unwrap_or_else(|| "en".to_owned()),
            contexts: Vec::new(),
            path: call.path.to_owned(),
            query: call.head.target.query().unwrap_or_default().to_owned(),
            route_limit: None,
            status: StatusCode::OK.as_u16(),
            content_key: content_key(call.snapshot),
            get_calls: Cell::new(0),
        }
    }
}

/// Returns the key by which the scripts of a page read the Content API: that of the integration that every site has. Empty if it
/// was revoked.
fn content_key(snapshot: &SiteSnapshot) -> String {
    let mut integrations = snapshot.catalog.integrations();
    let own = integrations.find(|integration| integration.came_with_site);
    own.map_or_else(String::new, |integration| {
        integration.content_key.secret.to_string()
    })
}

fn fields(page: &Page, cache_control: CacheControl) -> Headers {
    let content_type = HeaderValue::from_str(&page.content_type)
        .unwrap_or(HeaderValue::from_static("text/html; charset=utf-8"));
    [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, cache_control.value()),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
        (header::ETAG, headers::entity_tag(page.text.as_bytes())),
    ]
    .into_iter()
    .collect()
}

fn uncached(page: Page, cache_control: CacheControl) -> Response {
    let status = page.status.try_into();
    let status = status.unwrap_or_else(|_| error::status(Kind::Internal));
    let mut headers = fields(&page, cache_control);
    headers.remove(&header::ETAG);
    Response {
        status,
        headers,
        body: Body::Bytes(Bytes::from(page.text)),
    }
}

/// Returns a redirect with a few words for people, as Ghost sends them.
pub(super) fn redirect(
    is_permanent: bool,
    location: &str,
    cache_control: CacheControl,
) -> Result<Response> {
    let mut response = Response::redirect(is_permanent, location, cache_control.value())
        .map_err(Error::internal)?;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers.set(header::CONTENT_TYPE, plain);
    response.body = Body::Bytes(Bytes::from(format!("This is at {location} now.\n")));
    Ok(response)
}
