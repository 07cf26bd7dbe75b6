//! The steps of an installation, and the reasons for which it fails.

use std::{io, path::PathBuf};

/// The part of an installation that is in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Downloads the package.
    Download,
    /// Unpacks and compresses its files.
    Unpack,
}

/// The reason why packages were not installed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum InstallError {
    #[error("\"{0}\" is not a version, such as 6.65.0")]
    InvalidVersion(String),
    #[error(
        "the hash of version {0} is not known. Name it with --integrity: `npm view ghost@{0} dist.integrity` prints it"
    )]
    UnknownVersion(String),
    #[error("\"{0}\" is not a hash as npm writes it: sha512- and 88 characters of Base64")]
    InvalidIntegrity(String),
    #[error(
        "this is not the package {package}: its hash is {found} instead of {expected}. Nothing was installed"
    )]
    Altered {
        package: String,
        expected: String,
        found: String,
    },
    #[error(
        "npm is not installed. Install Node.js, or download the package elsewhere and name it with --from"
    )]
    NoNpm,
    #[error(
        "npm cannot get the package: {0}. Where there is no network, name a downloaded package with --from"
    )]
    Npm(String),
    #[error("{url} cannot be downloaded: {why}")]
    Download { url: String, why: String },
    #[error("{} cannot be read: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("the package cannot be unpacked: {0}")]
    Damaged(String),
    #[error("the package {package} has no {path}")]
    NoFile { package: String, path: String },
    #[error(
        "\"{text}\" is not one of the packages with a version and a hash: NAME@VERSION=HASH, where NAME is {names}"
    )]
    InvalidPackage { text: String, names: String },
    #[error("another installation into {} is running", .0.display())]
    Busy(PathBuf),
    #[error(transparent)]
    Disk(#[from] io::Error),
}
