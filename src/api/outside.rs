//! Site paths outside the API, dispatched in this order: unsubscribe pages, previews of posts,
//! redirects, the front page, assets of the theme, images and other files, old URLs of posts.

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
    /// Returns the response to a request for `path`, which is relative to the site.
    pub(super) fn answer_outside(
        &self,
        edition: &Edition,
        answers: &Answers,
        request: &Request,
        path: &str,
    ) -> Response {
        let head = &request.head;
        // Sent e-mails contain this URL, whatever redirects were added since.
        if let Some(response) = unsubscribe::answer(self, edition, request, path) {
            return response;
        }
        let outcome = if is_read(&head.method) {
            self.find_outside(edition, answers, head, path)
        } else {
            Ok(None)
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
        // Monitoring depends on this path, so no redirect may take it over.
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

/// Returns the redirect from an old URL of a post to its current one, with the query of the
/// request.
fn by_alias(catalog: &Catalog, path: &str, query: Option<&str>) -> Option<Target> {
    let post = catalog.posts.by_alias(&plain_path(path)?)?;
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    Some(Target {
        location: format!("/{}/{query}", post.slug),
        permanent: true,
    })
}

/// Redirects, from a site in `subdirectory` (Ghost 6.65, recorded).
fn redirect(target: Target, subdirectory: &str) -> Option<Response> {
    let is_of_site = target.location.starts_with('/') && !target.location.starts_with("//");
    let location = if is_of_site {
        format!("{subdirectory}{}", target.location)
    } else {
        target.location
    };
    let (status, cache_control) = if target.permanent {
        (StatusCode::MOVED_PERMANENTLY, CacheControl::Year)
    } else {
        (StatusCode::FOUND, CacheControl::Public)
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
