//! Certificates from files of the operator, which are read again when they change.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use super::{Certificates, KeyPair, KeyPairError};

/// Interval between comparisons of the files with the loaded ones. Programs that renew certificates
/// replace
/// them weeks before the old ones expire.
const INTERVAL: Duration = Duration::from_secs(1);

/// Why the files of the operator cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateFilesError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The system refuses a thread.
    #[error("the system refuses a thread: {0}")]
    Thread(#[source] io::Error),
    /// Their content cannot be used.
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

/// Follows the files of a certificate and its key until it is dropped.
#[derive(Debug)]
pub struct CertificateFiles {
    _stop: mpsc::Sender<()>,
}

impl CertificateFiles {
    /// Reads the files, and follows them.
    ///
    /// # Errors
    ///
    /// If they cannot be read or used now, or if the system refuses a thread.
    pub fn follow(
        certificates: Arc<Certificates>,
        certificate: PathBuf,
        key: PathBuf,
    ) -> Result<Self, CertificateFilesError> {
        let files = Files { certificate, key };
        let mut seen = files.version();
        let mut read = seen;
        certificates.install(files.read()?);
        let (stop, stopped) = mpsc::channel();
        let follow = move || {
            while stopped.recv_timeout(INTERVAL) == Err(mpsc::RecvTimeoutError::Timeout) {
                let before = std::mem::replace(&mut seen, files.version());
                // One of the two files may be replaced a moment after the other.
                if seen == read || seen != before {
                    continue;
                }
                read = seen;
                match files.read() {
                    Ok(pair) => certificates.install(pair),
                    Err(error) => certificates.report_failure(error.to_string()),
                }
            }
        };
        thread::Builder::new()
            .name("galley-certificates".to_owned())
            .spawn(follow)
            .map_err(CertificateFilesError::Thread)?;
        Ok(Self { _stop: stop })
    }
}

/// The two files.
struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

/// The values that distinguish a file from its previous version, if it exists.
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

    fn version(&self) -> [FileVersion; 2] {
        [&self.certificate, &self.key].map(|path| {
            let metadata = fs::metadata(path).ok()?;
            let modified = (metadata.mtime(), metadata.mtime_nsec());
            // A file that was replaced has another inode number, even if its time and length are
            // the same.
            Some((metadata.ino(), modified.0, modified.1, metadata.len()))
        })
    }
}
