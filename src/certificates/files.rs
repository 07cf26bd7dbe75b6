//! Certificates from files of the operator. The files are read again when they change.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use super::{
    CertificateProblem, Certificates, KeyPair, KeyPairError, SiteCertificate, ValidityFault,
};
use crate::clock::{Clock, SystemClock};

/// Interval at which the files are compared with the loaded ones. Programs that renew certificates replace the files weeks before
/// they expire.
const INTERVAL: Duration = Duration::from_secs(1);

/// The reason why the files of the operator cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateFilesError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The certificate is not for all names of the site.
    #[error(
        "tls.cert: the certificate in {} is not for {names}, which domain names: use one for all names, or remove the \
         name from domain",
        certificate.display()
    )]
    Names {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The names that it is not for.
        names: String,
    },
    /// The new certificate is not valid now, but the previous one is.
    #[error("tls.cert: the certificate in {} {fault}; the previous one stays in use", certificate.display())]
    NotValid {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The reason.
        fault: ValidityFault,
    },
    /// The thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    /// The content of the files cannot be used.
    #[error("{} and {}: {source}", certificate.display(), key.display())]
    Invalid {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// The cause.
        source: KeyPairError,
    },
}

impl CertificateFilesError {
    /// Returns the kind of the problem, for monitoring.
    fn problem(&self) -> CertificateProblem {
        match self {
            Self::Names { .. } => CertificateProblem::Names,
            Self::NotValid { fault, .. } => fault.problem(),
            Self::Unreadable { .. } | Self::Invalid { .. } | Self::Thread(_) => {
                CertificateProblem::Files
            }
        }
    }
}

/// Follows changes of the files of a certificate and its key until dropped.
#[derive(Debug)]
pub struct CertificateFiles {
    files: Files,
    _stop: mpsc::Sender<()>,
}

impl CertificateFiles {
    /// Reads the files, and follows their changes.
    ///
    /// # Errors
    ///
    /// If the files cannot be read or used now, the certificate is not for all names of the site, or no thread can be
    /// started.
    pub fn follow(
        certificates: &Certificates,
        certificate: PathBuf,
        key: PathBuf,
    ) -> Result<Self, CertificateFilesError> {
        let files = Files {
            certificate,
            key,
            in_use: certificates.first(),
        };
        // Determined before the files are read, so that a replacement in between is noticed.
        let mut current = files.version();
        let mut loaded = current;
        let pair = files.read()?;
        files.check_names(&pair, &files.in_use.names())?;
        files.in_use.install(pair);
        let followed = files.clone();
        let (stop, stopped) = mpsc::channel();
        let mut was_valid = files.in_use.is_valid();
        let follow = move || {
            while stopped.recv_timeout(INTERVAL) == Err(mpsc::RecvTimeoutError::Timeout) {
                let is_valid = followed.in_use.is_valid();
                // Logged once, when the certificate expires while it is in use.
                if std::mem::replace(&mut was_valid, is_valid) && !is_valid {
                    followed.in_use.log_fault();
                }
                let previous = std::mem::replace(&mut current, followed.version());
                // The files are loaded only once they have not changed for an interval, because the two may be
                // replaced a moment apart.
                if current == loaded || current != previous {
                    continue;
                }
                loaded = current;
                if let Err(error) = followed.reload() {
                    let (kind, problem) = (error.problem(), error.to_string());
                    // There is no time of a next attempt, because the files are read again when
                    // they change.
                    followed.in_use.report_failure(kind, problem, None);
                }
            }
        };
        thread::Builder::new()
            .name("galley-certificates".to_owned())
            .spawn(follow)
            .map_err(CertificateFilesError::Thread)?;
        Ok(Self { files, _stop: stop })
    }

    /// Returns an error if the current certificate is not for all these names.
    ///
    /// # Errors
    ///
    /// `Names`.
    pub fn admit_names(&self, names: &[String]) -> Result<(), CertificateFilesError> {
        let pair = self.files.in_use.pair();
        pair.map_or(Ok(()), |pair| self.files.check_names(&pair, names))
    }

    /// Changes the names that the certificate must be for.
    pub fn change_names(&self, names: &[String]) {
        self.files.in_use.set_names(names.to_vec());
    }
}

/// The two files, and the certificate that was read from them.
#[derive(Clone, Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
    in_use: Arc<SiteCertificate>,
}

/// The values that distinguish a file from its previous version; `None` if it does not exist.
type FileVersion = Option<(u64, i64, i64, u64)>;

impl Files {
    fn read(&self) -> Result<KeyPair, CertificateFilesError> {
        let read = |path: &Path| {
            fs::read(path).map_err(|source| CertificateFilesError::Unreadable {
                path: path.to_owned(),
                source,
            })
        };
        let (certificate, key) = (read(&self.certificate)?, read(&self.key)?);
        KeyPair::from_pem(&certificate, &key).map_err(|source| CertificateFilesError::Invalid {
            certificate: self.certificate.clone(),
            key: self.key.clone(),
            source,
        })
    }

    fn check_names(&self, pair: &KeyPair, names: &[String]) -> Result<(), CertificateFilesError> {
        match pair.missing_names(names).as_slice() {
            [] => Ok(()),
            names => Err(CertificateFilesError::Names {
                certificate: self.certificate.clone(),
                names: names.join(", "),
            }),
        }
    }

    /// Loads the changed files. A certificate that lacks a name is used nevertheless, because it may replace one that
    /// expires. A certificate that is not valid now does not replace a valid one.
    fn reload(&self) -> Result<(), CertificateFilesError> {
        let pair = self.read()?;
        if let Some(fault) = pair.validity.fault_at(SystemClock.now())
            && self.in_use.is_valid()
        {
            return Err(CertificateFilesError::NotValid {
                certificate: self.certificate.clone(),
                fault,
            });
        }
        let has_names = self.check_names(&pair, &self.in_use.names());
        self.in_use.install(pair);
        has_names
    }

    fn version(&self) -> [FileVersion; 2] {
        [&self.certificate, &self.key].map(|path| {
            let metadata = fs::metadata(path).ok()?;
            let modified = (metadata.mtime(), metadata.mtime_nsec());
            // A replaced file has a different inode number, even if its time and length are the same.
            Some((metadata.ino(), modified.0, modified.1, metadata.len()))
        })
    }
}
