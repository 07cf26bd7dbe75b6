//! The certificates of a site that is served over https, and their source.

use std::{path::Path, sync::Arc};

use super::AppError;
use crate::{
    certificates::{CertificateFiles, CertificateSource, Certificates, Renewal},
    config::HttpsConfig,
};

/// The certificates, which are reloaded or renewed until this value is dropped.
pub(super) struct HttpsSite {
    pub(super) certificates: Arc<Certificates>,
    renewal_source: RenewalSource,
}

/// The source that keeps the certificates current.
enum RenewalSource {
    Files(CertificateFiles),
    Authority(Renewal),
}

impl HttpsSite {
    /// Loads the certificate of the operator, or the stored certificates.
    ///
    /// # Errors
    ///
    /// If the files of the operator cannot be used.
    pub(super) fn prepare(config: &HttpsConfig, data: &Path) -> Result<Self, AppError> {
        let names = config.names.clone();
        Ok(match config.source.clone() {
            CertificateSource::Files { certificate, key } => {
                let certificates = Arc::new(Certificates::one_for_all(names));
                let following = CertificateFiles::follow(&certificates, certificate, key)?;
                Self {
                    certificates,
                    renewal_source: RenewalSource::Files(following),
                }
            }
            CertificateSource::Acme(options) => {
                let certificates = Arc::new(Certificates::one_for_each(names));
                let renewal = Renewal::new(&certificates, options, data)?;
                Self {
                    certificates,
                    renewal_source: RenewalSource::Authority(renewal),
                }
            }
        })
    }

    /// Starts obtaining certificates. Called once the site is served.
    ///
    /// # Errors
    ///
    /// If the system refuses a thread.
    pub(super) fn begin(self) -> Result<Self, AppError> {
        // The authority verifies a name by a request to this site (`http-01` or `tls-alpn-01`),
        // which must be served by then.
        if let RenewalSource::Authority(renewal) = &self.renewal_source {
            renewal.start()?;
        }
        Ok(self)
    }

    /// Rejects names that the certificate of the operator does not cover.
    ///
    /// # Errors
    ///
    /// If there are such names.
    pub(super) fn admit_names(&self, names: &[String]) -> Result<(), AppError> {
        match &self.renewal_source {
            RenewalSource::Files(files) => Ok(files.admit_names(names)?),
            RenewalSource::Authority(_) => Ok(()),
        }
    }

    /// Changes the names under which the site is served. Certificates of names that remain are
    /// unchanged.
    ///
    /// # Errors
    ///
    /// If the system refuses a thread.
    pub(super) fn change_names(&self, names: &[String]) -> Result<(), AppError> {
        match &self.renewal_source {
            RenewalSource::Files(files) => files.change_names(names),
            RenewalSource::Authority(renewal) => renewal.change_names(names)?,
        }
        Ok(())
    }
}
