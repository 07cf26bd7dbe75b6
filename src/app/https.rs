//! The certificates of a site at https, and what obtains them.

use std::sync::Arc;

use super::AppError;
use crate::{
    certificates::{CertificateFiles, CertificateSource, Certificates},
    config::HttpsConfig,
};

/// The certificates, which are followed until this is dropped.
pub(super) struct HttpsSite {
    pub(super) certificates: Arc<Certificates>,
    _files: CertificateFiles,
}

impl HttpsSite {
    /// Reads the certificate of the operator.
    ///
    /// # Errors
    ///
    /// If it cannot be used.
    pub(super) fn prepare(config: &HttpsConfig) -> Result<Self, AppError> {
        let certificates = Arc::new(Certificates::new(config.names.clone()));
        let CertificateSource::Files { certificate, key } = config.source.clone();
        let files = CertificateFiles::follow(Arc::clone(&certificates), certificate, key)?;
        Ok(Self {
            certificates,
            _files: files,
        })
    }
}
