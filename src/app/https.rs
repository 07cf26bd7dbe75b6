//! The certificates of a site at https, and their source.

use std::{path::Path, sync::Arc};

use super::AppError;
use crate::{
    certificates::{CertificateFiles, CertificateSource, Certificates, PreparedRenewal, Renewal},
    config::HttpsConfig,
};

/// The certificates, which are followed or renewed until this is dropped.
pub(super) struct HttpsSite {
    pub(super) certificates: Arc<Certificates>,
    renewal_source: RenewalSource,
}

/// The source that keeps the certificate current.
enum RenewalSource {
    Files { _following: CertificateFiles },
    Prepared(Box<PreparedRenewal>),
    Renewal { _running: Renewal },
}

impl HttpsSite {
    /// Reads the certificate of the operator, or the stored one.
    ///
    /// # Errors
    ///
    /// If the files of the operator cannot be used.
    pub(super) fn prepare(config: &HttpsConfig, data: &Path) -> Result<Self, AppError> {
        let certificates = Arc::new(Certificates::new(config.names.clone()));
        let renewal_source = match config.source.clone() {
            CertificateSource::Files { certificate, key } => RenewalSource::Files {
                _following: CertificateFiles::follow(Arc::clone(&certificates), certificate, key)?,
            },
            CertificateSource::Acme(options) => {
                let certificates = Arc::clone(&certificates);
                let renewal = PreparedRenewal::new(certificates, options, data)?;
                RenewalSource::Prepared(Box::new(renewal))
            }
        };
        Ok(Self {
            certificates,
            renewal_source,
        })
    }

    /// Begins to obtain certificates, once the site is served.
    ///
    /// # Errors
    ///
    /// If the system refuses a thread.
    pub(super) fn begin(self) -> Result<Self, AppError> {
        let renewal_source = match self.renewal_source {
            RenewalSource::Prepared(prepared) => RenewalSource::Renewal {
                _running: prepared.start()?,
            },
            other => other,
        };
        Ok(Self {
            renewal_source,
            ..self
        })
    }
}
