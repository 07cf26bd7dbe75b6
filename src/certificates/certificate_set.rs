//! The certificates of a site, and their selection for a connection.

use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::{
    ServerConfig,
    crypto::ring,
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};

use crate::certificates::{
    challenges::{CHALLENGE_PROTOCOL, Challenges},
    site_certificate::{CertificateReport, SiteCertificate},
};

/// The offered protocols, in the order of preference.
pub(super) const PROTOCOLS: [&[u8]; 3] = [b"h2", b"http/1.1", CHALLENGE_PROTOCOL];

/// The certificates of a site.
#[derive(Debug)]
pub struct Certificates {
    /// At least one certificate. Replaced as a whole when the names of the site change.
    pub(super) each: ArcSwap<Vec<Arc<SiteCertificate>>>,
    pub(super) challenges: Challenges,
}

impl Certificates {
    /// Creates the state of a single certificate for all these names, initially without one. If `names` is empty,
    /// clients get that certificate for any name.
    pub fn one_for_all(names: Vec<String>) -> Self {
        Self::of(vec![SiteCertificate::new(names)])
    }

    /// Creates the state of one certificate for each of these names, initially without any.
    pub fn one_for_each(names: Vec<String>) -> Self {
        let each = names
            .into_iter()
            .map(|name| SiteCertificate::new(vec![name]));
        Self::of(each.collect())
    }

    fn of(each: Vec<SiteCertificate>) -> Self {
        Self {
            each: ArcSwap::from_pointee(each.into_iter().map(Arc::new).collect()),
            challenges: Challenges::default(),
        }
    }

    /// Changes the names that certificates are obtained for, and returns the certificates of new names. The
    /// certificates of names that remain are unchanged.
    pub(super) fn replace_names(&self, names: &[String]) -> Vec<Arc<SiteCertificate>> {
        let before = self.each.load();
        let mut new = Vec::new();
        let each = names.iter().map(|name| {
            let known = before.iter().find(|known| known.is_named(name));
            known.map(Arc::clone).unwrap_or_else(|| {
                let certificate = Arc::new(SiteCertificate::new(vec![name.clone()]));
                new.push(Arc::clone(&certificate));
                certificate
            })
        });
        let each = each.collect();
        self.each.store(Arc::new(each));
        new
    }

    /// Returns the names that the site is served under.
    pub fn names(&self) -> Vec<String> {
        let each = self.each.load();
        let names = each
            .iter()
            .flat_map(|certificate| certificate.names().to_vec());
        names.collect()
    }

    /// Returns whether any name has a certificate that has not expired.
    pub fn is_any_valid(&self) -> bool {
        let each = self.each.load();
        each.iter().any(|certificate| certificate.is_valid())
    }

    /// Returns whether this name has a certificate that has not expired.
    pub fn is_valid_for(&self, name: &str) -> bool {
        self.named(name)
            .is_some_and(|certificate| certificate.is_valid())
    }

    /// Returns the response to a certificate authority's request for `token`, if a challenge with that token is
    /// pending.
    pub fn challenge_response(&self, token: &str) -> Option<String> {
        self.challenges.over_http(token)
    }

    /// Returns whether a connection with this protocol is from an authority that validates a name. Such a connection
    /// ends with the handshake.
    pub fn is_challenge(protocol: Option<&[u8]>) -> bool {
        protocol == Some(CHALLENGE_PROTOCOL)
    }

    /// Returns the state of each certificate.
    pub fn reports(&self) -> Vec<CertificateReport> {
        let each = self.each.load();
        each.iter()
            .map(|certificate| certificate.report())
            .collect()
    }

    /// Returns the TLS configuration for servers with these certificates: versions 1.2 and 1.3, with the cipher suites
    /// of rustls, which are all authenticated and forward secret.
    ///
    /// # Errors
    ///
    /// If the system provides no randomness.
    pub fn server_config(self: &Arc<Self>) -> Result<ServerConfig, rustls::Error> {
        let resolver = Arc::clone(self) as Arc<dyn ResolvesServerCert>;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        // Returning clients resume their sessions, and the server needs no state for that.
        config.ticketer = ring::Ticketer::new()?;
        Ok(config)
    }

    /// Returns the first certificate, which is the only one if certificates come from files.
    pub(super) fn first(&self) -> Arc<SiteCertificate> {
        let each = self.each.load();
        let first = each.first();
        Arc::clone(first.expect("invariant: there is at least one"))
    }

    /// Returns the certificate of a name; if there are no names, the only certificate.
    fn named(&self, name: &str) -> Option<Arc<SiteCertificate>> {
        let each = self.each.load();
        let found = each.iter().find(|certificate| certificate.is_named(name));
        found.map(Arc::clone)
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let mut offered = hello.alpn().into_iter().flatten();
        if offered.any(|protocol| protocol == CHALLENGE_PROTOCOL) {
            // Never the certificate of the site: with this protocol, a connection may only validate
            // a name (RFC 8737, section 3).
            return self.challenges.over_tls(hello.server_name()?);
        }
        let requested = hello.server_name().and_then(|name| self.named(name));
        // Clients that request no name, or a name without a certificate, get the first one.
        let each = self.each.load();
        let mut candidates = requested.iter().chain(each.iter());
        candidates.find_map(|certificate| certificate.certified())
    }
}
