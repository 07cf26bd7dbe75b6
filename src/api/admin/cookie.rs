//! The cookie of a session: what a browser sends of it and is told to keep (names and attributes as recorded from Ghost 6.65).

use http::{HeaderMap, header};
use jiff::{Timestamp, fmt::strtime, tz::TimeZone};
use url::Url;

use super::{Reply, Request};
use crate::{
    admin::{
        door::{Cookie, Door, Visitor},
        letters::Place,
    },
    api::{Api, addresses::Addresses, client_address, keys::network, request::RequestHead},
    domain::{secret::Secret, session::Browser},
    error::{Error, Kind, Result},
    site::Edition,
};

/// What the cookie is called.
const NAME: &str = "ghost-admin-api-session";

/// What the browser sent of the cookie; `None` when nothing of it can be one.
pub fn sent(headers: &HeaderMap) -> Option<Secret> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .filter(|(name, _)| *name == NAME)
        .find_map(|(_, value)| Secret::from_text(value))
}

/// The origin of the page that a request came from, as far as the browser tells.
fn origin(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name)?.to_str().ok();
    match text(header::ORIGIN) {
        Some(origin) => Some(origin.to_owned()),
        None => {
            let page = Url::parse(text(header::REFERER)?).ok()?;
            Some(page.origin().ascii_serialization())
        }
    }
}

/// Refuses a request that a page of somebody else made with the cookie. A session that began on such a page is refused too.
///
/// # Errors
///
/// `BadRequest` when the origin is not the site's, or not that of the session.
pub fn check_origin(headers: &HeaderMap, begun_at: &str, addresses: &Addresses) -> Result<()> {
    let own = addresses.origin();
    match origin(headers) {
        None => Ok(()),
        Some(origin) if origin == own && begun_at == own => Ok(()),
        Some(origin) => Err(Error::new(
            Kind::BadRequest,
            "The request comes from another origin than the session.",
        )
        .context(format!(
            "The session began at {begun_at}, the site is at {own}, the request comes from {origin}."
        ))),
    }
}

impl Api {
    /// Where the site is, for letters.
    pub(in crate::api) fn place(&self, edition: &Edition, addresses: &Addresses) -> Place {
        Place {
            title: edition.catalog.settings.text("title").unwrap_or_default(),
            url: addresses.site(),
            host: addresses.host().to_owned(),
            staff_url: format!("{}/{}/", addresses.base(), self.options.path_prefix),
        }
    }
}

impl<'a> Request<'a> {
    /// The way into the site.
    pub fn door(&self) -> Door<'a> {
        Door {
            site: &self.api.site,
            attempts: &self.api.attempts,
            device_verification: self.api.options.device_verification,
        }
    }

    /// Who stands there.
    pub fn visitor(&self) -> Visitor<'a> {
        let head: &'a RequestHead = self.head;
        let user_agent = head.headers.get(header::USER_AGENT);
        Visitor {
            client: network(client_address(&head.head_ref())),
            browser: Browser {
                origin: origin(&head.headers).unwrap_or_else(|| self.addresses.origin()),
                user_agent: user_agent.and_then(|name| name.to_str().ok()),
            },
            cookie: sent(&head.headers),
        }
    }

    /// Where the site is, for letters.
    pub fn place(&self) -> Place {
        self.api.place(self.edition, self.addresses)
    }

    /// The same reply, telling the browser what to keep.
    pub fn with_cookie(&self, reply: Reply, cookie: &Cookie) -> Reply {
        self.with_value(reply, cookie.secret.text(), cookie.ends_at)
    }

    /// The same reply, telling the browser to keep nothing.
    pub fn without_cookie(&self, reply: Reply) -> Reply {
        self.with_value(reply, "", Timestamp::UNIX_EPOCH)
    }

    fn with_value(&self, reply: Reply, value: &str, ends_at: Timestamp) -> Reply {
        let subdirectory = self.addresses.subdirectory();
        let prefix = &self.options().path_prefix;
        let is_https = self.addresses.url().scheme() == "https";
        let secure = if is_https { "Secure; " } else { "" };
        let expires = http_date(ends_at);
        // No page of another site is served with a session, so none is sent the cookie (unlike Ghost 6.65 at https).
        let cookie = format!(
            "{NAME}={value}; Path={subdirectory}/{prefix}; Expires={expires}; HttpOnly; {secure}SameSite=Lax"
        );
        reply.with_text(header::SET_COOKIE, &cookie)
    }
}

/// A time as HTTP writes it (RFC 9110, section 5.6.7).
fn http_date(time: Timestamp) -> String {
    strtime::format("%a, %d %b %Y %H:%M:%S GMT", &time.to_zoned(TimeZone::UTC))
        .expect("invariant: every part of the format is one that a time has")
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(fields: &[(header::HeaderName, &str)]) -> HeaderMap {
        let value = |text: &str| HeaderValue::from_str(text).unwrap();
        let fields = fields
            .iter()
            .map(|(name, text)| (name.clone(), value(text)));
        fields.collect()
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        let secret = Secret::generate().unwrap();
        let cookies = format!("a=b; {NAME}=s%3Aabc.def; {NAME}={}; c", secret.text());
        assert_eq!(sent(&headers(&[(header::COOKIE, &cookies)])), Some(secret));
        assert_eq!(sent(&headers(&[(header::COOKIE, "other=1")])), None);
    }

    #[test]
    fn only_the_sites_own_pages_use_a_session_and_only_one_that_began_there() {
        let site = Addresses::new("https://example.com/blog").unwrap();
        let own = "https://example.com";
        let other = "https://elsewhere.example";
        let passes = |fields: &[(header::HeaderName, &str)], begun_at: &str| {
            check_origin(&headers(fields), begun_at, &site).is_ok()
        };
        assert!(passes(&[], own));
        assert!(passes(&[(header::ORIGIN, own)], own));
        assert!(passes(
            &[(header::REFERER, "https://example.com/blog/ghost/#/a")],
            own
        ));
        assert!(!passes(&[(header::ORIGIN, other)], own));
        assert!(!passes(&[(header::ORIGIN, "null")], own));
        assert!(!passes(
            &[(header::REFERER, "https://elsewhere.example/a")],
            own
        ));
        assert!(!passes(&[(header::ORIGIN, other)], other));
        assert!(!passes(&[(header::ORIGIN, own)], other));
    }

    #[test]
    fn times_are_written_as_http_writes_them() {
        let time = "1994-11-06T08:49:37Z".parse().unwrap();
        assert_eq!(http_date(time), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
