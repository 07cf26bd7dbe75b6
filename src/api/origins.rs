//! Origins whose pages may use the Admin API with a session and read its responses.

use std::str::FromStr;

use url::{Host, Url};

use crate::site_urls::SiteUrls;

/// An origin whose pages are trusted, such as `https://admin.example.com` for a separately hosted staff
/// client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedOrigin(String);

/// The error for a text that is not a valid origin.
#[derive(Debug, thiserror::Error)]
#[error(
    "an origin such as https://admin.example.com, without a path; http is only for localhost and loopback addresses"
)]
pub struct TrustedOriginError;

impl TrustedOrigin {
    /// Returns the origin as browsers send it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TrustedOrigin {
    type Err = TrustedOriginError;

    fn from_str(text: &str) -> Result<Self, TrustedOriginError> {
        let url = Url::parse(text).map_err(|_| TrustedOriginError)?;
        let is_safe = match url.scheme() {
            "https" => url.has_host(),
            "http" => is_this_machine(&url),
            _ => false,
        };
        let origin = url.origin().ascii_serialization();
        // A URL with a path, a query or a user name is longer than its origin.
        let is_origin = url.as_str().strip_suffix('/') == Some(&*origin);
        // `*` does not occur in host names, and operators may expect it to be a wildcard.
        if is_safe && is_origin && !text.contains('*') {
            Ok(Self(origin))
        } else {
            Err(TrustedOriginError)
        }
    }
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        // Names below `.localhost` are loopback names, too (RFC 6761, section 6.3).
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The origins of one site.
#[derive(Clone, Copy, Debug)]
pub struct Origins<'a> {
    /// The site's URLs.
    pub site_urls: &'a SiteUrls,
    /// The origin of the staff client, if it is hosted separately.
    pub admin: Option<&'a TrustedOrigin>,
}

impl Origins<'_> {
    /// Returns whether pages of `origin` may use the Admin API with a session.
    pub fn allow(&self, origin: &str) -> bool {
        origin == self.site_urls.origin() || self.is_admin(origin)
    }

    /// Returns whether `origin` is that of a separately hosted staff client.
    pub fn is_admin(&self, origin: &str) -> bool {
        self.admin.is_some_and(|admin| admin.as_str() == origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admin_origin_has_scheme_host_and_port() {
        for (text, origin) in [
            ("https://admin.example.com", "https://admin.example.com"),
            ("https://Admin.Example.com/", "https://admin.example.com"),
            ("https://admin.example.com:443", "https://admin.example.com"),
            (
                "https://admin.example.com:8443",
                "https://admin.example.com:8443",
            ),
            ("http://localhost:5173", "http://localhost:5173"),
            ("http://127.0.0.1:5173", "http://127.0.0.1:5173"),
            ("http://[::1]:5173", "http://[::1]:5173"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
        ] {
            let parsed: TrustedOrigin = text.parse().unwrap();
            assert_eq!(parsed.as_str(), origin);
        }
        for text in [
            "admin.example.com",
            "https://",
            "https://admin.example.com/ghost/",
            "https://admin.example.com/?a",
            "https://admin.example.com/#a",
            "https://ada@admin.example.com",
            "https://ada:secret@admin.example.com",
            "http://admin.example.com",
            "http://localhost.example.com",
            "ftp://admin.example.com",
            "null",
            "*",
            "https://*",
            "file:///",
        ] {
            assert!(text.parse::<TrustedOrigin>().is_err(), "{text}");
        }
    }
}
