//! Paths of the site that are not the API's, and who answers them, in this order: the way out of newsletters, previews of
//! posts, redirects, the page for people, assets of the theme, pictures and other files, old addresses of posts.

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

use super::{
    Answers, Api, assets,
    call::errors_cache_control,
    error, front_page,
    headers::CacheControl,
    image_sizes::image_sizes,
    is_read, previews,
    request::{Request, RequestHead},
    response::{Body, Response},
    unsubscribe,
};
use crate::{
    catalog::Catalog,
    domain::{old_address::plain_path, redirect::Target},
    error::{Error, Result},
    site::Edition,
    themes::Themes,
};

impl Api {
    /// The answer to a request for `path`, which is relative to the site.
    pub(super) fn answer_outside(
        &self,
        edition: &Edition,
        answers: &Answers,
        request: &Request,
        path: &str,
    ) -> Response {
        let head = &request.head;
        // Letters that were sent hold its address, whatever redirects have come since.
        if let Some(response) = unsubscribe::answer(self, edition, request, path) {
            return response;
        }
        let outcome = match is_read(&head.method) {
            true => self.find_outside(edition, answers, head, path),
            false => Ok(None),
        };
        match outcome {
            Ok(Some(response)) => response,
            Ok(None) => {
                let error =
                    Error::not_found("Page").help("The Content API is below /ghost/api/content/.");
                error::response(&error, errors_cache_control(&head.method, &error))
            }
            Err(failure) => error::response(&failure, CacheControl::Private),
        }
    }

    fn find_outside(
        &self,
        edition: &Edition,
        answers: &Answers,
        head: &RequestHead,
        path: &str,
    ) -> Result<Option<Response>> {
        // No redirect may hide from whoever watches the server that it is there.
        if path == "/healthz" {
            return Ok(Some(healthy()));
        }
        let addresses = &answers.addresses;
        if let Some(response) = previews::answer(edition, addresses, head, path)? {
            return Ok(Some(response));
        }
        let catalog = &edition.catalog;
        if let Some(target) = catalog.redirects.find(path, head.target.query()) {
            return Ok(redirect(target, addresses.subdirectory()));
        }
        if path == "/" {
            return Ok(Some(front_page::answer(self, edition, addresses, head)));
        }
        if !path.is_empty() && path == addresses.subdirectory() {
            return Ok(front_page::redirect(addresses));
        }
        if let Some(response) = previews::answer_published(edition, addresses, head, path)? {
            return Ok(Some(response));
        }
        let files = &self.options.files;
        if let Some(path) = path.strip_prefix("/assets/") {
            let theme = Themes::of(&files.data).active(&catalog.settings);
            return Ok(assets::answer(&theme, path, &head.headers));
        }
        if let Some(path) = path.strip_prefix("/content/") {
            let sizes = image_sizes(edition);
            let subdirectory = addresses.subdirectory();
            return Ok(Some(files.answer(
                path,
                subdirectory,
                catalog,
                &sizes,
                &self.copies,
            )));
        }
        let target = by_alias(catalog, path, head.target.query());
        Ok(target.and_then(|target| redirect(target, addresses.subdirectory())))
    }
}

/// Where the old address of a post leads: to where the post is now, with the query that was asked with.
fn by_alias(catalog: &Catalog, path: &str, query: Option<&str>) -> Option<Target> {
    let post = catalog.posts.by_alias(&plain_path(path)?)?;
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    Some(Target {
        location: format!("/{}/{query}", post.slug),
        permanent: true,
    })
}

/// Leads elsewhere, from a site that lives at the path `subdirectory` (Ghost 6.65, recorded).
fn redirect(target: Target, subdirectory: &str) -> Option<Response> {
    let is_of_site = target.location.starts_with('/') && !target.location.starts_with("//");
    let location = match is_of_site {
        true => format!("{subdirectory}{}", target.location),
        false => target.location,
    };
    let (status, cache_control) = match target.permanent {
        true => (StatusCode::MOVED_PERMANENTLY, CacheControl::Year),
        false => (StatusCode::FOUND, CacheControl::Public),
    };
    Some(Response {
        status,
        headers: [
            (header::CACHE_CONTROL, cache_control.value()),
            (header::LOCATION, HeaderValue::from_str(&location).ok()?),
            (
                header::VARY,
                HeaderValue::from_static("Accept, Accept-Encoding"),
            ),
            (header::CONTENT_TYPE, PLAIN_TEXT),
        ]
        .into_iter()
        .collect(),
        body: Body::Bytes(Bytes::from(format!("This is at {location} now.\n"))),
    })
}

const PLAIN_TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

fn healthy() -> Response {
    Response {
        status: StatusCode::OK,
        headers: [
            (header::CONTENT_TYPE, PLAIN_TEXT),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        ]
        .into_iter()
        .collect(),
        body: Body::Bytes(Bytes::from_static(b"ok\n")),
    }
}
