//! Distinguishes visitors on the server's own machine from all other visitors.
//!
//! A local visitor may see the output of `galley key list` and `galley status`, and may set the site up.
//! Because a proxy on the same machine makes all of its visitors appear local, a visitor counts as local
//! only if all of these conditions are met:
//!
//! - The connection comes from a loopback address.
//! - The request has only header fields that browsers, curl and Ghost's admin app send themselves. Any
//!   other field may have been added by a proxy.
//! - If a page sends the request, it is a page of the requested host, so that pages of other sites in a
//!   browser on this machine cannot change anything.
//! - The requested host is `localhost` or a loopback address, and the version of HTTP is later than 1.0.
//!   So another host name that resolves to this machine (DNS rebinding) does not give scripts access to
//!   the page.
//! - No other site URL is configured. A site that is reachable from other machines has its public URL
//!   set, because its responses contain the URL.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName, header, uri::Authority};

use super::request::RequestHead;
use crate::site_urls::SiteUrls;

/// Header fields that browsers, curl and Ghost's admin app send themselves. Any other field may come from
/// a proxy.
const DIRECT: [&str; 32] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "accept-version",
    "app-pragma",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "dnt",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "origin",
    "pragma",
    "priority",
    "range",
    "referer",
    "save-data",
    "sec-gpc",
    "sec-purpose",
    "te",
    "upgrade-insecure-requests",
    "user-agent",
    "x-ghost-version",
    "x-requested-with",
];

/// Prefixes of further header fields that browsers send.
const DIRECT_PREFIXES: [&str; 2] = ["sec-ch-", "sec-fetch-"];

/// A visitor of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visitor {
    /// A visitor on the server's own machine, who reached the site at this host and port.
    Local(Authority),
    /// Any other visitor.
    Remote,
}

impl Visitor {
    /// Classifies the sender of `head` to the site at `site_urls`.
    pub fn of(head: &RequestHead, site_urls: &SiteUrls) -> Self {
        let is_local = head.peer.to_canonical().is_loopback()
            && is_direct(&head.headers)
            && is_unconfigured(site_urls.host());
        let host = own_host(&head.headers).filter(|_| is_local);
        match host.filter(|host| is_of_page_at(host, &head.headers)) {
            Some(host) => Self::Local(host),
            None => Self::Remote,
        }
    }
}

/// Returns whether the page that sends a request, if any, belongs to the requested host.
fn is_of_page_at(host: &Authority, headers: &HeaderMap) -> bool {
    let own = format!("http://{host}");
    headers
        .get_all(header::ORIGIN)
        .iter()
        .all(|origin| origin.as_bytes().eq_ignore_ascii_case(own.as_bytes()))
}

fn is_direct(headers: &HeaderMap) -> bool {
    headers.keys().map(HeaderName::as_str).all(|name| {
        let begins = |prefix: &&str| name.starts_with(*prefix);
        DIRECT.contains(&name) || DIRECT_PREFIXES.iter().any(begins)
    })
}

/// Returns the requested host, if it is `localhost` or a loopback address.
fn own_host(headers: &HeaderMap) -> Option<Authority> {
    // The server omits this field over HTTP/1.0, so such requests are never local.
    let mut hosts = headers.get_all(header::HOST).iter();
    let host: Authority = hosts.next()?.to_str().ok()?.parse().ok()?;
    // With user information before the host, a page could show a host other than the requested one.
    let is_plain = hosts.next().is_none() && !host.as_str().contains('@');
    (is_plain && is_loopback(host.host())).then_some(host)
}

/// Returns whether a site with this host has no other public URL configured.
fn is_unconfigured(host: &str) -> bool {
    is_loopback(host) || address(host).is_some_and(|address| address.is_unspecified())
}

/// Returns whether a host is `localhost` or a loopback address.
pub fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || address(host).is_some_and(|address| address.to_canonical().is_loopback())
}

fn address(host: &str) -> Option<IpAddr> {
    // In URLs and `Host`, IPv6 addresses are in brackets.
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, Method};

    use super::*;

    fn visitor(peer: &str, site: &str, fields: &[(&'static str, &'static str)]) -> Visitor {
        let headers = fields.iter().map(|(name, value)| {
            let value = HeaderValue::from_static(value);
            (HeaderName::from_static(name), value)
        });
        let head = RequestHead {
            method: Method::GET,
            target: "/".parse().unwrap(),
            headers: headers.collect(),
            peer: peer.parse().unwrap(),
        };
        Visitor::of(&head, &SiteUrls::new(site).unwrap())
    }

    const LOCAL_SITE: &str = "http://127.0.0.1:2368";

    #[test]
    fn local_request_for_own_host_name_is_local() {
        for (peer, site, host) in [
            ("127.0.0.1", LOCAL_SITE, "127.0.0.1:2368"),
            ("::1", "http://[::1]:2368", "[::1]:2368"),
            ("::ffff:127.0.0.1", "http://0.0.0.0:8080", "localhost:8080"),
            ("127.0.0.1", "http://[::]:80", "LocalHost"),
            ("127.0.0.1", "http://localhost:2368/blog", "127.0.0.2:9"),
        ] {
            let expected = Visitor::Local(host.parse().unwrap());
            assert_eq!(visitor(peer, site, &[("host", host)]), expected, "{host}");
        }
    }

    #[test]
    fn fields_of_browsers_curl_and_the_admin_app_do_not_indicate_a_proxy() {
        let fields = [
            ("host", "localhost:2368"),
            ("user-agent", "Mozilla/5.0"),
            ("accept", "text/html"),
            ("accept-language", "en"),
            ("accept-encoding", "gzip, deflate, br, zstd"),
            ("connection", "keep-alive"),
            ("upgrade-insecure-requests", "1"),
            ("sec-ch-ua", "\"Chromium\";v=\"140\""),
            ("sec-fetch-site", "none"),
            ("sec-gpc", "1"),
            ("cache-control", "max-age=0"),
            ("pragma", "no-cache"),
            ("dnt", "1"),
            ("priority", "u=0, i"),
            ("cookie", "a=b"),
            ("referer", "http://localhost:2368/"),
            ("if-none-match", "\"x\""),
            ("if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("te", "trailers"),
            ("origin", "http://LOCALHOST:2368"),
            ("content-type", "application/json"),
            ("content-length", "7"),
            ("app-pragma", "no-cache"),
            ("x-ghost-version", "6.65"),
            ("x-requested-with", "XMLHttpRequest"),
            ("accept-version", "v6.65"),
        ];
        let visitor = visitor("127.0.0.1", LOCAL_SITE, &fields);
        assert!(matches!(visitor, Visitor::Local(_)));
    }

    #[test]
    fn all_other_visitors_are_remote() {
        let own = ("host", "localhost:2368");
        let with = |name, value| [own, (name, value)];
        for (peer, site, fields) in [
            ("192.168.1.7", LOCAL_SITE, &[own][..]),
            ("127.0.0.1", "https://example.com", &[own]),
            ("127.0.0.1", LOCAL_SITE, &[]),
            ("127.0.0.1", LOCAL_SITE, &[("host", "rebound.example:2368")]),
            ("127.0.0.1", LOCAL_SITE, &[("host", "127.0.0.1.example")]),
            ("127.0.0.1", LOCAL_SITE, &[("host", "0.0.0.0:2368")]),
            ("127.0.0.1", LOCAL_SITE, &[("host", "a@localhost")]),
            ("127.0.0.1", LOCAL_SITE, &[own, ("host", "rebound.example")]),
            ("127.0.0.1", LOCAL_SITE, &with("x-forwarded-for", "")),
            ("127.0.0.1", LOCAL_SITE, &with("x-forwarded-proto", "https")),
            (
                "127.0.0.1",
                LOCAL_SITE,
                &with("forwarded", "for=192.0.2.60"),
            ),
            ("127.0.0.1", LOCAL_SITE, &with("via", "1.1 caddy")),
            ("127.0.0.1", LOCAL_SITE, &with("x-real-ip", "127.0.0.1")),
            (
                "127.0.0.1",
                LOCAL_SITE,
                &with("cf-connecting-ip", "192.0.2.60"),
            ),
            ("127.0.0.1", LOCAL_SITE, &with("x-envoy-internal", "true")),
            ("127.0.0.1", LOCAL_SITE, &with("x-request-id", "1")),
            (
                "127.0.0.1",
                LOCAL_SITE,
                &with("ali-cdn-real-ip", "192.0.2.60"),
            ),
            ("127.0.0.1", LOCAL_SITE, &with("client-ip", "192.0.2.60")),
            ("127.0.0.1", LOCAL_SITE, &with("traceparent", "00-0-0-00")),
            (
                "127.0.0.1",
                LOCAL_SITE,
                &with("origin", "http://rebound.example"),
            ),
            (
                "127.0.0.1",
                LOCAL_SITE,
                &with("origin", "http://localhost:3000"),
            ),
            (
                "127.0.0.1",
                LOCAL_SITE,
                &with("origin", "https://localhost:2368"),
            ),
            ("127.0.0.1", LOCAL_SITE, &with("origin", "null")),
            ("127.0.0.1", LOCAL_SITE, &with("a-field-of-tomorrow", "")),
            ("127.0.0.1", LOCAL_SITE, &with("accept-proxied", "1")),
            ("127.0.0.1", LOCAL_SITE, &with("if-proxied", "1")),
            ("127.0.0.1", LOCAL_SITE, &with("sec-proxied", "1")),
        ] {
            assert_eq!(
                visitor(peer, site, fields),
                Visitor::Remote,
                "{peer} {site} {fields:?}"
            );
        }
    }
}
