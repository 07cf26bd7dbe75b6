//! A certificate with its private key.

use std::sync::Arc;

use rustls::{
    client::verify_server_name,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer, ServerName,
        pem::{self, PemObject},
    },
    server::ParsedCertificate,
    sign::CertifiedKey,
};

use super::der::Validity;

/// A certificate with its chain and the matching private key.
#[derive(Debug)]
pub(super) struct KeyPair {
    pub(super) certified: Arc<CertifiedKey>,
    pub(super) validity: Validity,
}

/// The reason why a certificate and a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyPairError {
    /// There is no certificate.
    #[error("there is no certificate in PEM: {0}")]
    Certificate(pem::Error),
    /// There is no private key.
    #[error("there is no private key in PEM: {0}")]
    Key(pem::Error),
    /// The certificate and the key do not match, or their kind is not supported.
    #[error("the certificate and the key cannot be used: {0}")]
    Pair(#[from] rustls::Error),
    /// The validity of the certificate cannot be read.
    #[error("the certificate cannot be read")]
    Validity,
}

impl KeyPair {
    /// Reads a certificate with its chain, and its private key, from PEM.
    ///
    /// # Errors
    ///
    /// If one of them is missing or cannot be read, or if they do not match.
    pub(super) fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, KeyPairError> {
        let chain = CertificateDer::pem_slice_iter(certificates).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(KeyPairError::Certificate)?;
        let first = chain.first();
        let first = first.ok_or(KeyPairError::Certificate(pem::Error::NoItemsFound))?;
        let validity = Validity::of(first).ok_or(KeyPairError::Validity)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(KeyPairError::Key)?;
        let certified = CertifiedKey::from_der(chain, key, &ring::default_provider())?;
        Ok(Self {
            certified: Arc::new(certified),
            validity,
        })
    }

    /// Returns the names that the certificate is not for.
    pub(super) fn missing_names<'a>(&self, names: &'a [String]) -> Vec<&'a str> {
        let certificate = self.certified.end_entity_cert();
        let certificate = certificate.and_then(ParsedCertificate::try_from);
        let is_missing = |name: &&str| {
            let name = ServerName::try_from(*name);
            let (Ok(certificate), Ok(name)) = (&certificate, name) else {
                return true;
            };
            verify_server_name(certificate, &name).is_err()
        };
        let names = names.iter().map(String::as_str);
        names.filter(is_missing).collect()
    }
}
