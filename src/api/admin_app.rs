//! Ghost's admin app below `/ghost/`, if it is installed.

use std::sync::LazyLock;

use askama::Template;
use http::{HeaderValue, header};

use super::{
    Api, auth_frame, error,
    front_end::FrontEnd,
    headers::CacheControl,
    html_page, installed_files,
    preview_nonce::PreviewNonce,
    request::{Fields, RequestHead},
    response::{Headers, Response},
};
use crate::{
    admin_app::{ASSETS, INDEX, Manifest},
    error::Kind,
    site_urls::SiteUrls,
};

/// The content security policy of the app. It allows the app's own files, the images and players of
/// posts, and pages of the site in frames. Its editor creates documents with inline styles.
const POLICY: &str = "default-src 'self'; script-src 'self'{scripts}; style-src 'self' 'unsafe-inline'{styles}; \
     img-src * data: blob:; media-src * data: blob:; font-src 'self' data:{styles}; connect-src 'self'{requests}; \
     frame-src * data: blob:; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; \
     form-action 'self'; frame-ancestors 'self'";

/// Allows browsers to store the page, but requires revalidation each time.
const INDEX_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("private, no-cache");

/// The style of the page that is shown instead of the app.
const STYLE: &str = include_str!("html_page/base.css");

/// The content security policy of the page that is shown instead of the app.
static PAGE_POLICY: LazyLock<HeaderValue> =
    LazyLock::new(|| html_page::policy(STYLE, "", "'none'"));

/// Returns the response to a request for `path`, which is relative to the site; `None` if the path is
/// not below the path prefix or does not exist. If the app is not installed, browsers get a page with
/// instructions.
pub fn respond(
    api: &Api,
    site_urls: &SiteUrls,
    head: &RequestHead,
    path: &str,
) -> Option<Response> {
    let prefix = &api.options.path_prefix;
    let path = path.strip_prefix('/')?.strip_prefix(prefix.as_str())?;
    let root = format!("{}/{prefix}/", site_urls.subdirectory());
    let path = match path.strip_prefix('/') {
        Some(path) => path,
        None if path.is_empty() => {
            return Response::redirect(true, &root, CacheControl::Year.value()).ok();
        }
        None => return None,
    };
    // Paths of the API and paths that begin with a dot are reserved.
    if path == "api" || path.starts_with("api/") || path.starts_with('.') {
        return None;
    }
    if path.starts_with(ASSETS) {
        // The name of an asset contains a hash of its content, or a hash follows in the query.
        let open = |path: &str, ending: &str| api.options.admin_app.file(path, ending);
        return installed_files::immutable(path, open, head);
    }
    // The frame does not depend on the app: the comments on the site's pages load it in any case.
    if path == auth_frame::PATH {
        return auth_frame::respond(site_urls, head);
    }
    if !is_installed(api) {
        let installed = api.options.admin_app.manifest();
        let page = Instructions { prefix, installed };
        return head.accepts_html().then(|| page.response());
    }
    if path.is_empty() {
        return index(api, site_urls, head);
    }
    // Mails contain the path of a page of the app; the app expects that path in the fragment.
    let query = head.target.query().map(|query| format!("?{query}"));
    let query = query.unwrap_or_default();
    let target = format!("{root}#/{path}{query}");
    Response::redirect(false, &target, CacheControl::Public.value()).ok()
}

/// Returns whether the app is installed for the paths of this site.
pub fn is_installed(api: &Api) -> bool {
    let manifest = api.options.admin_app.manifest();
    manifest.is_some_and(|manifest| manifest.path_prefix == api.options.path_prefix)
}

/// Returns the page of the app. If the app previews pages that are rendered by a theme, it allows their scripts.
fn index(api: &Api, site_urls: &SiteUrls, head: &RequestHead) -> Option<Response> {
    let fields = Fields::Map(&head.headers);
    // Only pages of a theme are previewed with their scripts, so no nonce is needed without a
    // theme.
    if api.options.front_end != FrontEnd::Theme {
        let headers = index_fields(&PreviewSources::default(), INDEX_CACHE_CONTROL)?;
        return send_index(api, headers, head);
    }
    // A nonce that the browser already has is used again: another one would end the previews in its
    // other windows.
    let nonce = PreviewNonce::sent_or_new(fields).ok()?;
    let sources = PreviewSources {
        scripts: format!(" {}", nonce.source()),
        styles: " https:",
        requests: format!(" {}", site_urls.origin()),
    };
    // The page must not be stored, because its nonce must be the one in the cookie.
    let mut headers = index_fields(&sources, CacheControl::Private.value())?;
    headers.append(header::SET_COOKIE, nonce.cookie(site_urls)?);
    send_index(api, headers, head)
}

/// The policy sources for the pages that the app previews, in addition to its own. Each begins with a space, or is empty.
#[derive(Default)]
struct PreviewSources {
    scripts: String,
    styles: &'static str,
    /// The origin of the site, because the app may be used at another host name.
    requests: String,
}

/// Returns the header fields of the page of the app.
fn index_fields(sources: &PreviewSources, cache_control: HeaderValue) -> Option<Headers> {
    let policy = POLICY
        .replace("{scripts}", &sources.scripts)
        .replace("{styles}", sources.styles)
        .replace("{requests}", &sources.requests);
    let policy = HeaderValue::from_str(&policy).ok()?;
    let mut headers = html_page::headers(policy, CacheControl::Private);
    headers.set(header::CACHE_CONTROL, cache_control);
    // Previews of the site use the referrer to recognise that they are in a frame of the app.
    headers.set(
        header::REFERRER_POLICY,
        HeaderValue::from_static("same-origin"),
    );
    Some(headers)
}

/// Sends the page of the app.
fn send_index(api: &Api, headers: Headers, head: &RequestHead) -> Option<Response> {
    let open = |ending: &str| api.options.admin_app.file(INDEX, ending);
    installed_files::respond(open, headers, head)
}

/// The page that explains how to install the app.
#[derive(Template)]
#[template(path = "api/admin_app.html", config = "src/askama.toml")]
struct Instructions<'a> {
    prefix: &'a str,
    /// The app if it is installed, but for another path prefix.
    installed: Option<Manifest>,
}

impl Instructions<'_> {
    fn response(&self) -> Response {
        html_page::response(self, error::status(Kind::NotFound), PAGE_POLICY.clone())
    }
}
