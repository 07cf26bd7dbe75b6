//! The certificates of a site that is served over https: their source, and the one that a
//! client gets.
//!
//! `key_pair` reads a certificate with its key, and `der` its validity and its identifier. They are from
//! one of two sources: `files` follows the files of the operator, where a bad pair leaves the
//! previous one in use; `renewal` obtains certificates from an `authority`, whose `challenges` it
//! responds to, and stores them in a `folder`. *One cryptographic provider, ring, which is passed
//! explicitly; no private key leaves this module and the data folder.*

mod authority;
mod challenges;
mod der;
mod files;
mod folder;
mod key_pair;
mod renewal;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use arc_swap::ArcSwapOption;
use jiff::Timestamp;
use rustls::{
    ServerConfig,
    crypto::ring,
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use serde::{Deserialize, Serialize};

use challenges::{CHALLENGE_PROTOCOL, Challenges};
pub use der::{RenewalIdentifier, Validity};
pub use files::{CertificateFiles, CertificateFilesError};
use key_pair::KeyPair;
pub use key_pair::KeyPairError;
pub use renewal::{AcmeOptions, AcmeRootError, PreparedRenewal, Renewal};

use crate::clock::{Clock, SystemClock};

/// The protocols that are offered, the preferred one first.
const PROTOCOLS: [&[u8]; 3] = [b"h2", b"http/1.1", CHALLENGE_PROTOCOL];

/// The source of certificates.
#[derive(Clone, Debug)]
pub enum CertificateSource {
    /// Files of the operator.
    Files {
        /// The certificate and its chain to the authority, in PEM.
        certificate: PathBuf,
        /// The private key, in PEM.
        key: PathBuf,
    },
    /// A certificate authority.
    Acme(AcmeOptions),
}

/// The certificates of a site.
#[derive(Debug)]
pub struct Certificates {
    /// The names that the site is served under; none if the operator names none.
    names: Vec<String>,
    current: ArcSwapOption<KeyPair>,
    challenges: Challenges,
    progress: Mutex<CertificateProgress>,
}

/// The state of obtaining certificates.
#[derive(Clone, Debug, Default)]
struct CertificateProgress {
    problem: Option<String>,
    failures: u64,
    next_attempt_at: Option<Timestamp>,
}

/// The state of a site's certificate, for its operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CertificateReport {
    /// The configured names of the site.
    pub names: Vec<String>,
    /// Time at which the current certificate expires; `None` without one.
    pub expires_at: Option<Timestamp>,
    /// Why there is no certificate, or no newer one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Failed attempts since the start.
    pub failures: u64,
    /// Time at which the next certificate is requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<Timestamp>,
}

impl Certificates {
    /// Creates the certificates of a site with these names, without any yet.
    pub fn new(names: Vec<String>) -> Self {
        Self {
            names,
            current: ArcSwapOption::empty(),
            challenges: Challenges::default(),
            progress: Mutex::default(),
        }
    }

    /// Returns the names that the site is served under.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns whether there is a certificate that has not expired.
    pub fn is_valid(&self) -> bool {
        let validity = self.validity();
        validity.is_some_and(|validity| SystemClock.now() < validity.not_after)
    }

    /// Returns the response that a certificate authority must get from the site at `token`, if it has just requested it
    /// for that.
    pub fn challenge_response(&self, token: &str) -> Option<String> {
        self.challenges.over_http(token)
    }

    /// Returns whether a connection with this protocol is one of an authority that checks a name,
    /// and ends with the handshake.
    pub fn is_challenge(protocol: Option<&[u8]>) -> bool {
        protocol == Some(CHALLENGE_PROTOCOL)
    }

    /// Returns the state of the certificate.
    pub fn report(&self) -> CertificateReport {
        let progress = self.progress().clone();
        let current = self.current.load();
        CertificateReport {
            names: self.names.clone(),
            expires_at: current.as_ref().map(|pair| pair.validity.not_after),
            problem: progress.problem,
            failures: progress.failures,
            next_attempt_at: progress.next_attempt_at,
        }
    }

    /// Returns what servers need to speak TLS with these certificates: versions 1.2 and 1.3, with
    /// the cipher suites of rustls, which are all authenticated and forward secret.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn server_config(self: &Arc<Self>) -> Result<ServerConfig, rustls::Error> {
        let resolver = Arc::clone(self) as Arc<dyn ResolvesServerCert>;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        // Clients that return resume their session, and no server state is needed for them.
        config.ticketer = ring::Ticketer::new()?;
        Ok(config)
    }

    fn validity(&self) -> Option<Validity> {
        let current = self.current.load();
        current.as_ref().map(|pair| pair.validity)
    }

    /// Returns what identifies the current certificate to its authority.
    fn identifier(&self) -> Option<RenewalIdentifier> {
        let current = self.current.load();
        let certificate = current.as_ref()?.certified.cert.first()?.clone();
        RenewalIdentifier::of(&certificate)
    }

    fn challenges(&self) -> &Challenges {
        &self.challenges
    }

    /// Uses this certificate from the next handshake on.
    fn install(&self, pair: KeyPair) {
        let expires_at = pair.validity.not_after;
        self.current.store(Some(Arc::new(pair)));
        self.progress().problem = None;
        tracing::info!(%expires_at, "the certificate is in use");
    }

    /// Records a failed attempt to get a certificate, and reports it in the log.
    fn report_failure(&self, problem: String) {
        tracing::error!(problem, "there is no new certificate");
        let mut progress = self.progress();
        progress.failures += 1;
        progress.problem = Some(problem);
    }

    fn progress(&self) -> MutexGuard<'_, CertificateProgress> {
        // Each change is a single assignment, so a poisoned value is still right.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let mut offered = hello.alpn().into_iter().flatten();
        if offered.any(|protocol| protocol == CHALLENGE_PROTOCOL) {
            return self.challenges.over_tls(hello.server_name()?);
        }
        let current = self.current.load();
        current.as_ref().map(|pair| Arc::clone(&pair.certified))
    }
}
