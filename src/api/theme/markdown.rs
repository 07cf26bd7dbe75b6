//! The Markdown of posts and pages, at their paths followed by `.md`.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, header};

use super::pages::{PageCall, redirect};
use crate::{
    api::{
        Api, content_encoding,
        entity_tag::entity_tag,
        error,
        feeds::{MARKDOWN_TYPE, entry_markdown, markdown_path},
        headers::CacheControl,
        response::{Body, Headers, Response},
        response_cache::CachedResponse,
    },
    domain::post::{Post, Visibility},
    error::{Error, Kind, Result},
    routing::Resolution,
};

/// The extension of the paths.
const EXTENSION: &str = ".md";

/// The response to a member who may read a gated post: the text must not be in caches, and the public part is incomplete.
const GATED: &str = "# For members\n\nRead this text on its page.\n";

impl Api {
    /// Returns the Markdown at a path; `None` if no post or page has that path.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, and `Busy` if there is no memory for the text.
    pub(super) fn markdown_response(&self, call: &PageCall) -> Result<Option<Response>> {
        let Some(path) = call.path.strip_suffix(EXTENSION) else {
            return Ok(None);
        };
        let catalog = &call.snapshot.catalog;
        let subdirectory = call.cache.site_urls.subdirectory();
        let resolved = call.cache.site_urls.routes();
        // The extension takes the position of the slash at the end of the page's path.
        let post = match resolved.resolve(catalog, &format!("{path}/"), None) {
            Resolution::Entry(id) => catalog.posts.get(id),
            Resolution::Redirect { location, .. } if location.ends_with('/') => {
                let location = format!("{subdirectory}{}", markdown_path(&location));
                return redirect(true, &location, CacheControl::Year).map(Some);
            }
            _ => None,
        };
        let Some(post) = post else { return Ok(None) };
        let settings = &catalog.settings;
        if settings.is_on("is_private") || !settings.is_on("llms_enabled") {
            let location = format!("{subdirectory}{path}/");
            return redirect(false, &location, CacheControl::Public).map(Some);
        }
        self.entry_response(call, post).map(Some)
    }

    fn entry_response(&self, call: &PageCall, post: &Arc<Post>) -> Result<Response> {
        let feed_call = self.feed_call(call);
        let reader = feed_call.reader.as_ref();
        let is_for_reader = reader.is_some_and(|reader| reader.may_read(post));
        if post.visibility != Visibility::Public && is_for_reader {
            let mut response = Response::new(error::status(Kind::NoPermission));
            response.headers = fields(CacheControl::Private);
            response.body = Body::Bytes(Bytes::from_static(GATED.as_bytes()));
            return Ok(response);
        }
        let text = entry_markdown(self, &feed_call, post)?;
        let mut fields = fields(if reader.is_some() {
            CacheControl::Private
        } else {
            CacheControl::Public
        });
        let path = markdown_path(&call.cache.site_urls.post_path(post));
        let path = call.cache.site_urls.public_path(&path);
        let path = HeaderValue::from_str(&path).map_err(Error::internal)?;
        fields.set(header::CONTENT_LOCATION, path);
        fields.set(header::ETAG, entity_tag(text.as_bytes()));
        let response = CachedResponse::new(fields, Bytes::from(text));
        let head = call.head.head_ref();
        Ok(content_encoding::response(&response, head.fields))
    }
}

fn fields(cache_control: CacheControl) -> Headers {
    [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(MARKDOWN_TYPE),
        ),
        (header::CACHE_CONTROL, cache_control.value()),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
    ]
    .into_iter()
    .collect()
}
