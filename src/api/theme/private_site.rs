//! A private site: readers see only a page that asks for the site's password. As in Ghost, images and other uploads are served
//! without the password, because mails to members contain them, and mail programs do not have the password.

use http::{Method, header};
use subtle::ConstantTimeEq;
use url::{Url, form_urlencoded};

use super::{
    pages::{PageCall, redirect},
    recommendations,
    signed_cookie::SignedCookie,
};
use crate::{
    api::{
        Api,
        client_address::client_address,
        headers::CacheControl,
        request::{Request, is_read},
        response::Response,
    },
    domain::{rate_limit::RateLimitKey, setting::Settings},
    error::{Kind, Result},
};

/// The page that asks for the password.
const PRIVATE: &str = "/private/";

/// The name of the cookie of a browser in which the password was entered.
const COOKIE: &str = "galley-private";

/// The time for which a browser may read the site after the password was entered, in seconds: thirty days.
const ACCESS_SECONDS: i64 = 30 * 24 * 60 * 60;

/// The folders whose files a private site serves without its password (Ghost 6.65): uploads, and the scripts and styles that are
/// the same on every site. The files of the theme require the password.
const OPEN_FOLDERS: [&str; 4] = [
    "/content/images/",
    "/content/media/",
    "/content/files/",
    "/public/",
];

/// The other files that a private site serves without its password (Ghost 6.65).
const OPEN_FILES: [&str; 4] = [
    "/favicon.ico",
    "/favicon.png",
    "/sitemap.xsl",
    recommendations::PATH,
];

/// Returns whether a request reads a file that needs no password on a private site.
pub(super) fn reads_open_file(call: &PageCall) -> bool {
    let is_in = |folder: &&str| call.path.starts_with(*folder);
    is_read(&call.head.method)
        && (OPEN_FILES.contains(&call.path) || OPEN_FOLDERS.iter().any(is_in))
}

impl Api {
    /// Returns the response of a private site to a browser in which the password was not entered. `None` if it was entered, if
    /// the request does not require it, or if the site is not private.
    ///
    /// # Errors
    ///
    /// If the location of a redirect is not valid in a header field.
    pub(in crate::api) fn private_response(
        &self,
        call: &PageCall,
        request: &Request,
    ) -> Result<Option<Response>> {
        let settings = &call.snapshot.catalog.settings;
        let is_private = settings.is_on("is_private");
        let is_admitted = || self.is_admitted(call);
        match call.path {
            PRIVATE if !is_private || is_admitted() => {
                redirect(false, call.cache.site_urls.site(), CacheControl::Public).map(Some)
            }
            PRIVATE if request.head.method == Method::POST => self.enter(call, request).map(Some),
            PRIVATE => Ok(Some(self.password_page(call, None))),
            "/robots.txt" => Ok(None),
            _ if reads_open_file(call) => Ok(None),
            _ if !is_private || is_admitted() => Ok(None),
            // Feed readers cannot enter a password; they use the feeds below a path with its hash.
            path if is_hashed_feed(settings, path) => Ok(None),
            _ => {
                let query = call.head.target.query();
                let query = query.map_or_else(String::new, |query| format!("?{query}"));
                let wanted = format!("{}{query}", call.path);
                let wanted: String = form_urlencoded::byte_serialize(wanted.as_bytes()).collect();
                let subdirectory = call.cache.site_urls.subdirectory();
                let location = format!("{subdirectory}{PRIVATE}?r={wanted}");
                let mut response = redirect(false, &location, CacheControl::Private)?;
                response.headers.remove(&header::CACHE_CONTROL);
                Ok(Some(response))
            }
        }
    }

    /// Checks the password that was entered, and admits the browser if it is correct.
    fn enter(&self, call: &PageCall, request: &Request) -> Result<Response> {
        let settings = &call.snapshot.catalog.settings;
        let client = RateLimitKey::client(client_address(&call.head.head_ref()));
        // Counted before the comparison, so that concurrent attempts cannot exceed the limit.
        if let Err(error) = self.rate_limits.site_passwords.spend(client, &*self.site) {
            if error.kind() != Kind::TooManyRequests {
                return Err(error);
            }
            return Ok(self.password_page(call, Some("Too many attempts. Please try again later.")));
        }
        let entered = form_urlencoded::parse(&request.body).find(|(name, _)| name == "password");
        let entered = entered
            .map(|(_, value)| value.into_owned())
            .unwrap_or_default();
        let password = settings.text("password").unwrap_or_default();
        // Compared in constant time. A site without a password admits no client.
        let is_right =
            bool::from(entered.as_bytes().ct_eq(password.as_bytes())) && !password.is_empty();
        if !is_right {
            return Ok(self.password_page(call, Some("Incorrect password.")));
        }
        let site_urls = &call.cache.site_urls;
        let location = format!("{}{}", site_urls.subdirectory(), wanted_path(call));
        let mut response = redirect(false, &location, CacheControl::Private)?;
        let now = self.site.now().as_second();
        if let Some(cookie) = access(&password).field(call, ACCESS_SECONDS, now) {
            response.headers.append(header::SET_COOKIE, cookie);
        }
        Ok(response)
    }

    /// Returns whether the password was entered in the browser and has not changed since.
    fn is_admitted(&self, call: &PageCall) -> bool {
        let password = call.snapshot.catalog.settings.text("password");
        let now = self.site.now().as_second();
        password.is_some_and(|password| access(&password).is_sent(call, now))
    }
}

/// Returns the cookie of a browser in which `password` was entered.
fn access(password: &str) -> SignedCookie<'_> {
    SignedCookie {
        name: COOKIE,
        subject: password,
    }
}

fn is_hashed_feed(settings: &Settings, path: &str) -> bool {
    let hash = settings.text("public_hash").filter(|hash| !hash.is_empty());
    let rest = hash.and_then(|hash| path.strip_prefix('/')?.strip_prefix(&*hash));
    rest.is_some_and(|rest| rest.ends_with("/rss/") || rest.ends_with("/feed.json"))
}

/// Returns the path on the site that the browser requested before the password page. A URL of another host is ignored.
fn wanted_path(call: &PageCall) -> String {
    let query = call.head.target.query().unwrap_or_default();
    let wanted = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "r");
    let base = call.cache.site_urls.url();
    let url = wanted.and_then(|(_, wanted)| Url::join(base, &wanted).ok());
    match url {
        Some(url) if url.origin() == base.origin() => {
            let query = url.query().map(|query| format!("?{query}"));
            // A location with two leading slashes would name another host.
            let path = url.path().trim_start_matches('/');
            format!("/{path}{}", query.unwrap_or_default())
        }
        _ => "/".to_owned(),
    }
}
