//! HTTPS: TLS for one listener, and redirects to it from the other.
//!
//! A name without a valid certificate is served over http.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{HOST, STRICT_TRANSPORT_SECURITY};
use http::uri::Authority;
use http::{HeaderValue, StatusCode};
use tokio_rustls::TlsAcceptor;

use crate::api::request::RequestHead;
use crate::api::response::{Body, Response};
use crate::certificates::Certificates;

/// Paths that are never redirected, because certificate authorities request them to validate a
/// name.
const CHALLENGES: &str = "/.well-known/acme-challenge/";

/// Time for which a client may cache a redirect, limited because https can be turned off.
const REDIRECT_CACHING: HeaderValue = HeaderValue::from_static("no-cache");

/// The options of a server for a site with an https URL.
#[derive(Clone, Debug)]
pub struct HttpsOptions {
    /// The certificates.
    pub certificates: Arc<Certificates>,
    /// The port in URLs of the site; `None` for the default port of https.
    pub port: Option<u16>,
    /// Time during which browsers must only use https, in seconds; 0 for no such header.
    pub hsts_s: u64,
}

/// The scheme of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Without TLS.
    Http,
    /// With TLS.
    Https,
}

/// The configuration with which a server serves https.
pub(super) struct Https {
    certificates: Arc<Certificates>,
    acceptor: TlsAcceptor,
    port: Option<u16>,
    hsts: Option<HeaderValue>,
}

impl Https {
    pub(super) fn new(options: &HttpsOptions) -> Result<Self, rustls::Error> {
        let config = options.certificates.server_config()?;
        let hsts = (options.hsts_s > 0).then(|| format!("max-age={}", options.hsts_s));
        Ok(Self {
            certificates: Arc::clone(&options.certificates),
            acceptor: TlsAcceptor::from(Arc::new(config)),
            port: options.port,
            hsts: hsts.and_then(|value| HeaderValue::try_from(value).ok()),
        })
    }

    pub(super) fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }

    /// Adds the header fields of responses over https.
    pub(super) fn complete(&self, response: &mut Response) {
        if let Some(hsts) = &self.hsts {
            let name = STRICT_TRANSPORT_SECURITY;
            response.headers.set(name, hsts.clone());
        }
    }

    /// Returns whether a request over http may get its response from [`respond`](Self::respond).
    pub(super) fn responds_to(&self, target: &str) -> bool {
        // Without a valid certificate as well: this is how the first one is obtained.
        if target.starts_with(CHALLENGES) {
            return true;
        }
        self.certificates.is_any_valid()
    }

    /// Returns the response to a request over http; `None` if the site responds.
    pub(super) fn respond(&self, head: &RequestHead) -> Option<Response> {
        let target = head.target.as_str();
        if let Some(token) = target.strip_prefix(CHALLENGES) {
            let text = self.certificates.challenge_response(token)?;
            let mut response = Response::new(StatusCode::OK);
            response.body = Body::Bytes(Bytes::from(text));
            return Some(response);
        }
        if !self.certificates.is_any_valid() {
            return None;
        }
        let Some(host) = self.host(head) else {
            return Some(Response::new(StatusCode::BAD_REQUEST));
        };
        // Without a valid certificate, a redirect would lead to a browser warning.
        if !self.certificates.is_valid_for(&host) {
            return None;
        }
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        // Without this check, a target without a slash (`*` of OPTIONS) would become a part of the
        // host.
        let path = if target.starts_with('/') { target } else { "/" };
        let location = format!("https://{host}{port}{path}");
        Some(
            // Other methods get a 308, because clients repeat them as GET after a 301.
            Response::redirect(true, &location, REDIRECT_CACHING)
                .map(|response| response.preserving_method(&head.method))
                .unwrap_or_else(|_| Response::new(StatusCode::BAD_REQUEST)),
        )
    }

    /// Returns the host for a redirect: the requested host, if it belongs to the site; `None` if
    /// neither the request nor the configuration contains a host.
    fn host(&self, head: &RequestHead) -> Option<String> {
        let requested = head.headers.get(HOST).and_then(|host| host.to_str().ok());
        let requested = requested.and_then(|host| host.parse::<Authority>().ok());
        let requested = requested.map(|authority| authority.host().to_ascii_lowercase());
        let names = self.certificates.names();
        // Redirecting to any requested host would be an open redirect.
        let known = requested.filter(|host| names.is_empty() || names.contains(host));
        known.or_else(|| names.into_iter().next())
    }
}
