//! Pages of the active theme as responses.

use std::{borrow::Cow, rc::Rc, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

use super::{
    bodies::PreviewBodies,
    page_sources::{PageSources, content_key},
    problem_page,
};
use crate::{
    api::{
        Api, SnapshotCache,
        content::response_memory::ResponseMemory,
        content_encoding,
        content_response::cache_key,
        entity_tag::entity_tag,
        error,
        feeds::{self, FeedCall, FeedDocument, FeedPosts},
        headers::CacheControl,
        members,
        preview_nonce::PreviewNonce,
        previews::{PostPageKind, ReaderStatus},
        request::RequestHead,
        response::{Body, Headers, Response},
        response_cache::{CachedResponse, MOMENT},
    },
    domain::{post::Post, reading_member::ReadingMember, setting::Settings},
    error::{Error, Kind, Result},
    front_end::{
        PageState, StaffView, Theme,
        pages::{self, PageResponse, RenderedPage},
    },
    render::paywall::Reader,
    routing::{FeedOf, Resolution},
    site::SiteSnapshot,
    themes::{self, Themes},
};

/// A request for a page.
#[derive(Clone, Copy)]
pub(in crate::api) struct PageCall<'a> {
    pub snapshot: &'a Arc<SiteSnapshot>,
    pub cache: &'a SnapshotCache,
    pub head: &'a RequestHead,
    /// The path on the site.
    pub path: &'a str,
    /// The changes to the page for staff.
    pub staff: &'a StaffView,
}

impl PageCall<'_> {
    /// Returns whether the page is the same for all readers with the same access: it has no changes for staff, and the site
    /// is not private.
    fn is_for_all(&self) -> bool {
        *self.staff == StaffView::default() && !self.cache.is_private
    }

    /// Returns the caching rule for the page. `is_of_member` is true if a member is signed in.
    fn cache_control(&self, is_of_member: bool) -> CacheControl {
        if self.staff.preview.is_some() {
            CacheControl::Absent
        } else if is_of_member || !self.is_for_all() {
            CacheControl::Private
        } else {
            CacheControl::Public
        }
    }
}

impl Api {
    /// Returns the page at a path, or the theme's error page. A page is cached for all readers with the same access.
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
        let reader = self.page_reader(call);
        let key = cache_key(reader.as_ref(), call.head.target.path());
        if call.is_for_all()
            && let Some(cached) = call.cache.responses.get(&key)
            && cached.is_current(self.site.now())
        {
            return Ok(content_encoding::response(&cached, head.fields));
        }
        let routes = call.cache.site_urls.routes().routes();
        let state = self.page_state(call, reader.clone());
        let model = Rc::clone(&state.model);
        match pages::respond(state, routes, resolution) {
            PageResponse::Page(page) if page.status == StatusCode::OK.as_u16() => {
                let cache_control = call.cache_control(reader.is_some());
                if call.staff.preview.is_some() {
                    let nonce = PreviewNonce::sent(head.fields);
                    let text = nonce.map_or(page.text.clone(), |nonce| nonce.mark(&page.text));
                    return Ok(uncached(RenderedPage { text, ..page }, cache_control));
                }
                let fields = fields(&page, cache_control);
                let mut response = CachedResponse::new(fields, Bytes::from(page.text));
                if model.is_momentary() {
                    response.expires_at = self.site.now().checked_add(MOMENT).ok();
                }
                let response = Arc::new(response);
                // The files of a theme that is being edited change without a commit.
                let is_cacheable = self.options.theme.is_none() && !model.is_personal();
                if call.is_for_all() && is_cacheable {
                    call.cache.responses.put(&key, &response);
                }
                Ok(content_encoding::response(&response, head.fields))
            }
            PageResponse::Page(page) => {
                // Shared caches may store only the page for a missing page, as anonymous readers get it.
                let not_found = error::status(Kind::NotFound).as_u16();
                let is_missing = page.is_missing || page.status == not_found;
                let of_errors = if reader.is_none() && call.is_for_all() && is_missing {
                    CacheControl::Absent
                } else {
                    CacheControl::Private
                };
                Ok(self.uncached(call, page, of_errors))
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
                    // Ghost sends redirects that add a slash without a body (Ghost 6.65, recorded).
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

    /// Returns the response with a feed, or the page for a missing page.
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
        self.uncached(call, page, cache_control)
    }

    /// Returns the page of a private site that asks for its password.
    pub(in crate::api) fn password_page(&self, call: &PageCall, error: Option<&str>) -> Response {
        let page = pages::private(self.page_state(call, None), error);
        self.uncached(call, page, CacheControl::Private)
    }

    /// Returns the page of a post at a URL outside the public site, as these readers see it.
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
        let of_mailed = call.cache_control(member.is_some());
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
            // `previews::find` never returns `Published`, which only sites without a theme have.
            PostPageKind::Email | PostPageKind::Published => {
                pages::mailed(self.page_state(call, member), post)
            }
        };
        let cache_control = match kind {
            PostPageKind::Email if page.status == StatusCode::OK.as_u16() => of_mailed,
            // The template failed.
            _ if page.problem.is_some() => CacheControl::Private,
            _ => CacheControl::Absent,
        };
        self.uncached(call, page, cache_control)
    }

    /// Returns a page as a response that is not cached. If the page cannot be rendered, logs the reason and, while the theme is
    /// being edited, responds with a page that shows it.
    fn uncached(
        &self,
        call: &PageCall,
        page: RenderedPage,
        cache_control: CacheControl,
    ) -> Response {
        if let Some(problem) = &page.problem {
            tracing::warn!(path = call.path, error = %problem, "a page cannot be rendered");
        }
        match (&self.options.theme, &page.problem) {
            (Some(folder), Some(problem)) => {
                let theme = themes::Theme::in_folder(folder);
                problem_page::response(&theme, problem, status(&page))
            }
            _ => uncached(page, cache_control),
        }
    }

    /// Returns the active theme of a site with these settings. If its files were replaced, the cached pages are evicted.
    pub(super) fn theme(&self, settings: &Settings) -> Arc<Theme> {
        let folder = self.options.theme.as_deref();
        let files = Themes::of(&self.options.files.uploads).in_use(folder, settings);
        let (theme, is_replaced) = self.active_theme.get(files);
        if is_replaced {
            self.drop_cached_responses();
        }
        theme
    }

    /// Returns the member who reads a page.
    pub(super) fn page_reader(&self, call: &PageCall) -> Option<ReadingMember> {
        let head = call.head.head_ref();
        // Checked first, because most requests have no credentials, and the check does not
        // allocate.
        if !members::has_credentials(self, head.fields) {
            return None;
        }
        let member = members::reader(self, call.snapshot, call.cache, &head)?;
        Some(ReadingMember::new(member, self.site.now()))
    }

    /// Returns the state of a page with the bodies that `reader` may read.
    pub(super) fn page_state(&self, call: &PageCall, reader: Option<ReadingMember>) -> PageState {
        let memory = self.body_memory.get();
        let theme = self.theme(&call.snapshot.catalog.settings);
        let subdirectory = call.cache.site_urls.subdirectory();
        let scripts =
            self.active_scripts
                .of_pages(self.options.script_choice, &theme, subdirectory);
        let sources = PageSources {
            snapshot: call.snapshot,
            site_urls: &call.cache.site_urls,
            bodies: &call.cache.bodies,
            files: &self.options.files,
            memory: memory.map_or_else(ResponseMemory::unbounded, ResponseMemory::of),
            theme,
            scripts,
            path_prefix: &self.options.path_prefix,
            staff_url: self.staff_url(&call.cache.site_urls),
            staff: call.staff.clone(),
            content_key: content_key(call.snapshot),
            now: self.site.now(),
        };
        sources.state(call.path, reader)
    }
}

fn fields(page: &RenderedPage, cache_control: CacheControl) -> Headers {
    let content_type = HeaderValue::from_str(&page.content_type)
        .unwrap_or(HeaderValue::from_static("text/html; charset=utf-8"));
    [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, cache_control.value()),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
        (header::ETAG, entity_tag(page.text.as_bytes())),
    ]
    .into_iter()
    .collect()
}

fn status(page: &RenderedPage) -> StatusCode {
    let status = page.status.try_into();
    status.unwrap_or_else(|_| error::status(Kind::Internal))
}

fn uncached(page: RenderedPage, cache_control: CacheControl) -> Response {
    let status = status(&page);
    let mut headers = fields(&page, cache_control);
    headers.remove(&header::ETAG);
    Response {
        status,
        headers,
        body: Body::Bytes(Bytes::from(page.text)),
    }
}

/// Returns a redirect with a line of text for people, as in Ghost.
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
