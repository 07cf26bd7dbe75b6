//! The stored state of certificates, in files below the data folder that only their owner can read.
//!
//! Each file is replaced atomically, so that a killed process leaves either the previous or the new
//! one.

use std::{
    fs::{self, DirBuilder},
    io::{self, Write},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::atomic_file::OutputFile;

/// The folder of certificates in the data folder.
const FOLDER: &str = "certificates";

/// The private key of the account.
const ACCOUNT_KEY: &str = "account.pem";

/// The certificate in use.
const CERTIFICATE: &str = "certificate.json";

/// The order in progress.
const ORDER: &str = "order.json";

/// Time before which no request to the authority may be sent.
const PAUSE: &str = "pause.json";

/// The folder of one certificate, within the folder of all certificates.
#[derive(Clone, Debug)]
pub(super) struct CertificateFolder {
    all: PathBuf,
    own: PathBuf,
}

/// An issued certificate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredCertificate {
    /// The directory URL of the authority.
    pub(super) directory: String,
    /// The certificate and its chain, in PEM.
    pub(super) chain: String,
    /// The private key, in PEM.
    pub(super) key: String,
}

/// An order that is not finished.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredOrder {
    /// The directory URL of the authority.
    pub(super) directory: String,
    /// The names that the certificate is for.
    pub(super) names: Vec<String>,
    /// The URL of the order.
    pub(super) url: String,
    /// The private key of the certificate, in PEM.
    pub(super) key: String,
}

/// A time before which the authority accepts no further order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredPause {
    /// The directory URL of the authority.
    pub(super) directory: String,
    /// The end of the pause.
    pub(super) until: Timestamp,
}

impl CertificateFolder {
    /// Returns the folder in the data folder for the certificate of `name`.
    pub(super) fn of(data: &Path, name: &str) -> Self {
        let all = data.join(FOLDER);
        Self {
            own: all.join(name),
            all,
        }
    }

    /// Returns the private key of the account in PEM. The first call creates and stores it.
    ///
    /// # Errors
    ///
    /// If the key cannot be read, created or stored.
    pub(super) fn account_key(&self) -> io::Result<String> {
        match fs::read_to_string(self.all.join(ACCOUNT_KEY)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            read => return read,
        }
        let key = rcgen::KeyPair::generate().map_err(io::Error::other)?;
        let pem = key.serialize_pem();
        // Stored before it is used: a process that is killed after the registration finds its
        // account again.
        write(&self.all, ACCOUNT_KEY, pem.as_bytes())?;
        Ok(pem)
    }

    pub(super) fn certificate(&self) -> Option<StoredCertificate> {
        self.read(CERTIFICATE)
    }

    pub(super) fn store_certificate(&self, certificate: &StoredCertificate) -> io::Result<()> {
        self.write_json(CERTIFICATE, certificate)
    }

    pub(super) fn order(&self) -> Option<StoredOrder> {
        self.read(ORDER)
    }

    pub(super) fn store_order(&self, order: &StoredOrder) -> io::Result<()> {
        self.write_json(ORDER, order)
    }

    pub(super) fn remove_order(&self) {
        self.remove(ORDER);
    }

    pub(super) fn pause(&self) -> Option<StoredPause> {
        self.read(PAUSE)
    }

    pub(super) fn store_pause(&self, pause: &StoredPause) -> io::Result<()> {
        self.write_json(PAUSE, pause)
    }

    pub(super) fn remove_pause(&self) {
        self.remove(PAUSE);
    }

    /// Reads a file. Returns `None` if it is missing or damaged; it is then replaced later.
    fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let content = fs::read(self.own.join(name)).ok()?;
        let value = serde_json::from_slice(&content);
        value
            .inspect_err(|error| tracing::warn!(name, %error, "a stored file cannot be read"))
            .ok()
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        write(&self.own, name, &serde_json::to_vec_pretty(value)?)
    }

    fn remove(&self, name: &str) {
        match fs::remove_file(self.own.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(name, %error, "a stored file cannot be removed");
            }
            _ => {}
        }
    }
}

/// Writes a file, and creates its folder if that is missing.
fn write(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let mut folders = DirBuilder::new();
    folders.recursive(true).mode(0o700).create(folder)?;
    let mut file = OutputFile::create(&folder.join(name), true).map_err(io::Error::other)?;
    file.write_all(content)?;
    file.finish().map_err(io::Error::other)?;
    Ok(())
}
