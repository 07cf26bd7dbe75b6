//! The session cookie: reading it, setting it, and protecting it against other sites (name and
//! attributes as recorded from Ghost 6.65).

use http::{HeaderMap, Method, header};
use jiff::{Timestamp, fmt::strtime, tz::TimeZone};
use url::Url;

use super::{Reply, Request};
use crate::{
    admin::{
        auth_mails::MailSite,
        authentication::{AuthClient, AuthContext, Cookie},
    },
    api::{Api, Options, client_address::client_address, origins::Origins, request::RequestHead},
    domain::{
        secret::{Digest, Secret},
        session::Browser,
    },
    error::{Error, Kind, Result},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// The name of the cookie.
const NAME: &str = "ghost-admin-api-session";

/// The name of the cookie that holds the token of the set-up link.
const SETUP_NAME: &str = "galley-setup";

/// Returns the session secret that the browser sent; `None` if no cookie has a valid one.
pub fn session_secret(headers: &HeaderMap) -> Option<Secret> {
    // Browsers send several cookies with one name if they were set for different paths.
    values(headers, NAME).find_map(Secret::from_text)
}

/// Returns the token of the set-up link that the browser sent.
pub fn sent_setup_token(headers: &HeaderMap) -> Option<&str> {
    values(headers, SETUP_NAME).next()
}

/// Returns the values of the cookies with this name.
fn values<'h>(headers: &'h HeaderMap, name: &str) -> impl Iterator<Item = &'h str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .filter(move |(sent, _)| *sent == name)
        .map(|(_, value)| value)
}

/// Returns the origin of the page that sent a request, if the browser names it.
fn origin(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name)?.to_str().ok();
    match text(header::ORIGIN) {
        Some(origin) => Some(origin.to_owned()),
        // Browsers omit `Origin` from reads of the same origin, but not `Referer`.
        None => {
            let page = Url::parse(text(header::REFERER)?).ok()?;
            Some(page.origin().ascii_serialization())
        }
    }
}

/// Rejects a request that a page of an untrusted origin made with the cookie. A session that began
/// on such a page is rejected too. Where browsers also send the cookie from pages of other sites, a
/// change must name its origin.
///
/// # Errors
///
/// `BadRequest` if the origin is not trusted, `NoPermission` for a change if there is a separate
/// admin origin.
pub fn check_origin(head: &RequestHead, begun_at: &str, origins: &Origins) -> Result<()> {
    let sender = origin(&head.headers);
    let is_change = !matches!(head.method, Method::GET | Method::HEAD | Method::OPTIONS);
    // With `SameSite=None`, browsers send the cookie from pages of any site; with `Lax`, they do
    // not send it with changes.
    let is_cross_site_change = origins.admin.is_some() && is_change;
    let is_trusted = match &sender {
        // Clients other than browsers send no origin.
        None => !is_cross_site_change,
        // The session records the origin where it began, as in Ghost (6.65, recorded).
        Some(sender) => origins.allow(sender) && origins.allow(begun_at),
    };
    if is_trusted {
        return Ok(());
    }
    let kind = if is_cross_site_change {
        Kind::NoPermission
    } else {
        Kind::BadRequest
    };
    Err(Error::new(
        kind,
        "The request does not come from a page that may use the session.",
    )
    .context(format!(
        "The session began at {begun_at}, the site is at {}, the request comes from {}.",
        origins.site_urls.origin(),
        sender.as_deref().unwrap_or("an unknown origin")
    )))
}

impl Api {
    /// Returns the URLs of the site, for e-mails.
    pub(in crate::api) fn mail_site(
        &self,
        snapshot: &SiteSnapshot,
        site_urls: &SiteUrls,
    ) -> MailSite {
        let settings = &snapshot.catalog.settings;
        let icon = settings.text("icon").filter(|icon| !icon.is_empty());
        MailSite {
            title: settings.text("title").unwrap_or_default(),
            url: site_urls.site().to_owned(),
            host: site_urls.host().to_owned(),
            staff_url: self.staff_url(site_urls),
            icon: icon.map(|icon| site_urls.absolute(&icon).into_owned()),
            accent: settings.text("accent_color"),
            texts: settings.reader_texts(),
        }
    }

    /// Returns the URL of the staff client: on the site, or at the same path of another origin
    /// (Ghost 6.65, observed).
    pub(in crate::api) fn staff_url(&self, site_urls: &SiteUrls) -> String {
        let site = match &self.options.admin_origin {
            Some(origin) => format!("{}{}", origin.as_str(), site_urls.subdirectory()),
            None => site_urls.base().to_owned(),
        };
        format!("{site}/{}/", self.options.path_prefix)
    }
}

impl Api {
    /// Returns the `Set-Cookie` value that makes browsers send the token of the set-up link with
    /// requests of the staff client. An empty token deletes the cookie.
    pub(in crate::api) fn setup_cookie(&self, site_urls: &SiteUrls, token: &str) -> String {
        let age = if token.is_empty() { "; Max-Age=0" } else { "" };
        let subdirectory = site_urls.subdirectory();
        let prefix = &self.options.path_prefix;
        let attributes = attributes(&self.options, site_urls);
        format!("{SETUP_NAME}={token}; Path={subdirectory}/{prefix}{age}; HttpOnly; {attributes}")
    }
}

/// Returns the attributes that determine where browsers send a cookie of the staff client. The cookie
/// is sent cross-site only if the client is on another site (Ghost 6.65: on every HTTPS site).
fn attributes(options: &Options, site_urls: &SiteUrls) -> &'static str {
    match (&options.admin_origin, site_urls.url().scheme()) {
        (Some(_), _) => "Secure; SameSite=None",
        (None, "https") => "Secure; SameSite=Lax",
        (None, _) => "SameSite=Lax",
    }
}

impl<'a> Request<'a> {
    /// Returns the context of sign-in operations.
    pub fn authentication(&self) -> AuthContext<'a> {
        AuthContext {
            site: &self.api.site,
            rate_limits: &self.api.rate_limits,
            device_verification: self.api.live().device_verification,
        }
    }

    /// Returns the digest of the session whose cookie the browser sent; nothing is verified.
    pub fn session(&self) -> Option<Digest> {
        session_secret(&self.head.headers).map(|secret| secret.digest())
    }

    /// Returns the client that signs in.
    pub fn visitor(&self) -> AuthClient<'a> {
        let head: &'a RequestHead = self.head;
        let user_agent = head.headers.get(header::USER_AGENT);
        AuthClient {
            client: client_address(&head.head_ref()),
            browser: Browser {
                // Without a header, the site's own origin counts (Ghost 6.65, recorded).
                origin: origin(&head.headers).unwrap_or_else(|| self.site_urls.origin()),
                user_agent: user_agent.and_then(|name| name.to_str().ok()),
            },
            cookie: session_secret(&head.headers),
        }
    }

    /// Returns the URLs of the site, for e-mails.
    pub fn mail_site(&self) -> MailSite {
        self.api.mail_site(self.snapshot, self.site_urls)
    }

    /// Returns the reply with the cookie set.
    pub fn with_cookie(&self, reply: Reply, cookie: &Cookie) -> Reply {
        self.with_value(reply, cookie.secret.text(), cookie.ends_at)
    }

    /// Returns the reply with the cookie deleted.
    pub fn without_cookie(&self, reply: Reply) -> Reply {
        self.with_value(reply, "", Timestamp::UNIX_EPOCH)
    }

    fn with_value(&self, reply: Reply, value: &str, ends_at: Timestamp) -> Reply {
        let subdirectory = self.site_urls.subdirectory();
        let prefix = &self.options().path_prefix;
        let attributes = attributes(self.options(), self.site_urls);
        let expires = http_date(ends_at);
        let cookie = format!(
            "{NAME}={value}; Path={subdirectory}/{prefix}; Expires={expires}; HttpOnly; {attributes}"
        );
        reply.with_text(header::SET_COOKIE, &cookie)
    }
}

/// Formats a time for HTTP (RFC 9110, section 5.6.7).
pub(in crate::api) fn http_date(time: Timestamp) -> String {
    strtime::format("%a, %d %b %Y %H:%M:%S GMT", &time.to_zoned(TimeZone::UTC))
        .expect("invariant: every part of the format is one that a time has")
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use http::{HeaderValue, uri::PathAndQuery};

    use super::*;
    use crate::api::origins::TrustedOrigin;

    fn headers(fields: &[(header::HeaderName, &str)]) -> HeaderMap {
        let value = |text: &str| HeaderValue::from_str(text).unwrap();
        let fields = fields
            .iter()
            .map(|(name, text)| (name.clone(), value(text)));
        fields.collect()
    }

    fn change(fields: &[(header::HeaderName, &str)]) -> RequestHead {
        RequestHead {
            method: Method::POST,
            target: PathAndQuery::from_static("/ghost/api/admin/tags/"),
            headers: headers(fields),
            peer: IpAddr::from([127, 0, 0, 1]),
        }
    }

    #[test]
    fn cookie_is_read_from_a_list_of_cookies() {
        let secret = Secret::generate().unwrap();
        let cookies = format!("a=b; {NAME}=s%3Aabc.def; {NAME}={}; c", secret.text());
        assert_eq!(
            session_secret(&headers(&[(header::COOKIE, &cookies)])),
            Some(secret)
        );
        assert_eq!(
            session_secret(&headers(&[(header::COOKIE, "other=1")])),
            None
        );
    }

    #[test]
    fn session_must_be_created_and_used_from_the_origin_of_the_site() {
        let site = SiteUrls::new("https://example.com/blog").unwrap();
        let own = "https://example.com";
        let other = "https://elsewhere.example";
        let origins = Origins {
            site_urls: &site,
            admin: None,
        };
        let passes = |fields: &[(header::HeaderName, &str)], begun_at: &str| {
            check_origin(&change(fields), begun_at, &origins).is_ok()
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
    fn with_an_admin_origin_every_change_must_name_its_origin() {
        let site = SiteUrls::new("https://example.com/blog").unwrap();
        let admin: TrustedOrigin = "https://admin.example.com".parse().unwrap();
        let origins = Origins {
            site_urls: &site,
            admin: Some(&admin),
        };
        let own = "https://example.com";
        let failure = |method: Method, fields: &[(header::HeaderName, &str)]| {
            let head = RequestHead {
                method,
                ..change(fields)
            };
            let checked = check_origin(&head, admin.as_str(), &origins);
            checked.err().map(|error| error.kind())
        };
        let refused = Some(Kind::NoPermission);
        assert_eq!(failure(Method::GET, &[]), None);
        assert_eq!(failure(Method::HEAD, &[]), None);
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let failure = |fields: &[(header::HeaderName, &str)]| failure(method.clone(), fields);
            assert_eq!(failure(&[]), refused);
            for trusted in [own, admin.as_str()] {
                assert_eq!(failure(&[(header::ORIGIN, trusted)]), None);
                let page = format!("{trusted}/a/b?c#d");
                assert_eq!(failure(&[(header::REFERER, &page)]), None);
            }
            for other in [
                "null",
                "",
                "https://evil.example",
                "http://admin.example.com",
                "https://admin.example.com.evil.example",
                "https://admin.example.com:8443",
            ] {
                assert_eq!(failure(&[(header::ORIGIN, other)]), refused, "{other}");
                assert_eq!(failure(&[(header::REFERER, other)]), refused, "{other}");
                let both = [(header::ORIGIN, other), (header::REFERER, own)];
                assert_eq!(failure(&both), refused, "{other}");
            }
        }
        let other_origin = [(header::ORIGIN, "https://evil.example")];
        assert_eq!(failure(Method::GET, &other_origin), Some(Kind::BadRequest));
    }

    #[test]
    fn times_are_formatted_for_http() {
        let time = "1994-11-06T08:49:37Z".parse().unwrap();
        assert_eq!(http_date(time), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
