//! The errors that prevent the program from starting or continuing.

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc};

use crate::{
    certificates::{AcmeRootError, CertificateFilesError},
    config::ConfigError,
    data_folder::DataFolderError,
    error::Error,
    repository::GitError,
    site_urls::SiteUrlError,
    store::StoreError,
    uploads::UploadsError,
};

/// The reason why the program cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The data folder cannot be used.
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    /// The folder of uploads cannot be used.
    #[error(transparent)]
    Uploads(#[from] UploadsError),
    /// The store can be shared by several processes, but the uploads cannot.
    #[error(
        "store.url is set, so several processes may serve this site, but uploads are stored in the data folder {}, which only one process uses. \
         Set uploads.folder to a folder that all of them share, or uploads.bucket to a bucket",
        .0.display()
    )]
    UploadsOfOneProcess(PathBuf),
    /// The site is in PostgreSQL, but its local replica cannot be written.
    #[error(
        "the disk of the data folder {} is read-only, and the replica of the site in the database of store.url is written there. \
         Choose a folder on another disk with --data: the site is read from the database",
        .0.display()
    )]
    ReadOnlyReplica(PathBuf),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The site cannot be read.
    #[error("the site cannot be read: {}", .0.cause())]
    Site(#[from] Error),
    /// Values of the configuration contradict each other.
    #[error("{0}")]
    Config(Arc<ConfigError>),
    /// A folder or a file that an option names cannot be used.
    #[error("{0}")]
    NamedPath(String),
    /// The source that the site follows does not accept edits.
    #[error("source.write_back: {0}")]
    WriteBack(String),
    /// The site's git repository cannot be used.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The site's URL is invalid.
    #[error(transparent)]
    Address(#[from] SiteUrlError),
    /// The program cannot listen on the address.
    #[error(
        "cannot listen on {address}: {source}. {}",
        what_helps("--listen", source)
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The program cannot listen on the address of an option.
    #[error("cannot listen on {address}: {source}. {}", what_helps(option, source))]
    ListenFor {
        /// The option.
        option: &'static str,
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The certificate of the site cannot be used.
    #[error(transparent)]
    Certificate(#[from] CertificateFilesError),
    /// The root certificate of the authority cannot be used.
    #[error(transparent)]
    AcmeRoot(#[from] AcmeRootError),
    /// The control socket cannot be created.
    #[error(
        "cannot open the control socket {}: {source}. The data folder must be on a file system that supports sockets; choose another with --data",
        path.display()
    )]
    Control {
        /// The socket.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A socket that the service manager passed cannot be used.
    #[error("a socket of LISTEN_FDS cannot be used: {0}")]
    Activation(io::Error),
    /// The system refuses threads or files.
    #[error("the system refuses a resource that serving needs: {0}")]
    System(#[from] io::Error),
}

/// Returns advice for an address on which the server cannot listen.
pub(super) fn what_helps(option: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "Ports below 1024 need the capability \
            CAP_NET_BIND_SERVICE, or sockets from systemd: see docs/https.md"
            .to_owned(),
        // Options of the command line begin with dashes; others are keys of the configuration.
        _ if option.starts_with("--") => format!("Choose another address with {option}"),
        _ => format!("Choose another address for {option}"),
    }
}
