//! The responses to the challenges of a certificate authority, which prove that the site's names resolve
//! to this server (RFC 8555, section 8.3, and RFC 8737).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use instant_acme::KeyAuthorization;
use rcgen::{CertificateParams, CustomExtension};
use rustls::{crypto::ring, pki_types::PrivateKeyDer, sign::CertifiedKey};

/// The protocol of clients that validate a name by TLS.
pub(super) const CHALLENGE_PROTOCOL: &[u8] = b"acme-tls/1";

/// The pending challenges.
#[derive(Debug, Default)]
pub(super) struct Challenges(Mutex<ChallengeResponses>);

#[derive(Debug, Default)]
struct ChallengeResponses {
    /// Names and response texts by token.
    over_http: HashMap<String, (String, String)>,
    /// Certificates by name.
    over_tls: HashMap<String, Arc<CertifiedKey>>,
}

/// The reason why the response to a challenge could not be created.
#[derive(Debug, thiserror::Error)]
pub enum ChallengeError {
    /// The certificate cannot be created.
    #[error(transparent)]
    Certificate(#[from] rcgen::Error),
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] rustls::Error),
}

impl Challenges {
    /// Returns the text of the response over http.
    pub(super) fn over_http(&self, token: &str) -> Option<String> {
        let responses = self.responses();
        let (_, text) = responses.over_http.get(token)?;
        Some(text.clone())
    }

    /// Returns the certificate for a client that validates `name`.
    pub(super) fn over_tls(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        let name = name.to_ascii_lowercase();
        self.responses().over_tls.get(&name).map(Arc::clone)
    }

    /// Adds a response over http for the validation of `name`.
    pub(super) fn respond_over_http(
        &self,
        name: &str,
        token: &str,
        authorization: &KeyAuthorization,
    ) {
        let response = (name.to_owned(), authorization.as_str().to_owned());
        self.responses()
            .over_http
            .insert(token.to_owned(), response);
    }

    /// Adds a response over TLS: a certificate for the name that contains the digest of the
    /// authorisation.
    pub(super) fn respond_over_tls(
        &self,
        name: &str,
        authorization: &KeyAuthorization,
    ) -> Result<(), ChallengeError> {
        let mut params = CertificateParams::new([name.to_owned()])?;
        let digest = authorization.digest();
        params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest.as_ref())];
        let key = rcgen::KeyPair::generate()?;
        let certificate = params.self_signed(&key)?;
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let chain = vec![certificate.der().clone()];
        // The certificate is not checked against the key, because rustls refuses certificates with this
        // extension.
        let certified = CertifiedKey::new(chain, ring::sign::any_supported_type(&key)?);
        self.responses()
            .over_tls
            .insert(name.to_owned(), Arc::new(certified));
        Ok(())
    }

    /// Removes the responses for the validation of these names.
    pub(super) fn remove(&self, names: &[String]) {
        let mut responses = self.responses();
        responses
            .over_http
            .retain(|_, (name, _)| !names.contains(name));
        responses.over_tls.retain(|name, _| !names.contains(name));
    }

    fn responses(&self) -> MutexGuard<'_, ChallengeResponses> {
        // Each change is a single insertion or removal, so a poisoned lock is safe to use.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
