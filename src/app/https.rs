//! The certificates of a site at https, and what obtains them.

use std::{path::Path, sync::Arc};

use super::AppError;
use crate::{
    certificates::{CertificateFiles, CertificateSource, Certificates, PreparedRenewal, Renewal},
    config::HttpsConfig,
};

/// The certificates, which are followed or renewed until this is dropped.
pub(super) struct HttpsSite {
    pub(super) certificates: Arc<Certificates>,
    keeping: Keeping,
}

/// What keeps the certificate current.
enum Keeping {
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
        let keeping = match config.source.clone() {
            CertificateSource::Files { certificate, key } => Keeping::Files {
                _following: CertificateFiles::follow(Arc::clone(&certificates), certificate, key)?,
            },
            CertificateSource::Acme(options) => {
                let certificates = Arc::clone(&certificates);
                let renewal = PreparedRenewal::new(certificates, options, data)?;
                Keeping::Prepared(Box::new(renewal))
            }
        };
        Ok(Self {
            certificates,
            keeping,
        })
    }

    /// Begins to obtain certificates, once the site is served.
    ///
    /// # Errors
    ///
    /// If the system refuses a thread.
    pub(super) fn begin(self) -> Result<Self, AppError> {
        let keeping = match self.keeping {
            Keeping::Prepared(prepared) => Keeping::Renewal {
                _running: prepared.start()?,
            },
            other => other,
        };
        Ok(Self { keeping, ..self })
    }
}
