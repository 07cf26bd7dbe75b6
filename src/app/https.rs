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
    Prepared(PreparedRenewal),
    Renewal { _running: Renewal },
}

impl HttpsSite {
    /// Reads the certificate of the operator, or the stored ones.
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
                    renewal_source: RenewalSource::Files {
                        _following: following,
                    },
                }
            }
            CertificateSource::Acme(options) => {
                let certificates = Arc::new(Certificates::one_for_each(names));
                let renewal = PreparedRenewal::new(&certificates, options, data)?;
                Self {
                    certificates,
                    renewal_source: RenewalSource::Prepared(renewal),
                }
            }
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
