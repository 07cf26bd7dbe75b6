//! Errors of a store, with advice for the operator.

use std::io;

use super::FORMAT_VERSION;

/// Why a store could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is not a store of Galley's; it was not touched.
    #[error(
        "{store} is not a Galley store; it was left as it is. Move it away, or choose another data folder with --data"
    )]
    NotAStore {
        /// The name of the store.
        store: Box<str>,
    },

    /// The file was written by a newer program; it was not touched.
    #[error(
        "{store} was written by a newer Galley: its format is {found}, this program reads up to {FORMAT_VERSION}. \
         Run the newer Galley; the file was left as it is"
    )]
    Newer {
        /// The name of the store.
        store: Box<str>,
        /// The format version that the file names.
        found: u64,
    },

    /// The content of the file is inconsistent; if it was just being opened, it was not touched.
    #[error(
        "the store {store} is damaged: {detail}. Galley never repairs by leaving out: \
         restore the file from a backup, or move it away to start with an empty store"
    )]
    Damaged {
        /// The name of the store.
        store: Box<str>,
        /// The error.
        detail: String,
    },

    /// Another process has the file open.
    #[error("the store {store} is open in another process: stop that process first")]
    InUse {
        /// The name of the store.
        store: Box<str>,
    },

    /// There is no space left on the disk, or for this user; nothing was written.
    #[error("no space left for the store {store}: free some disk space and try again")]
    Full {
        /// The name of the store.
        store: Box<str>,
    },

    /// The file cannot be read or written; nothing was written.
    #[error("cannot use the store {store}: {source}. Check the disk and the file's permissions")]
    Io {
        /// The name of the store.
        store: Box<str>,
        /// The error of the operating system.
        source: io::Error,
    },

    /// The database cannot be reached or refuses; nothing was written.
    #[error("the database {store} is not available: {detail}")]
    Unavailable {
        /// The name of the store.
        store: Box<str>,
        /// The report of the database, or of the network.
        detail: Box<str>,
    },

    /// The database refuses this program for a reason that does not pass: its name, the user, the password, the rights or
    /// TLS. Nothing was written.
    #[error(
        "the database {store} refuses the connection: {detail}. Correct store.url, or the database"
    )]
    Refused {
        /// The name of the store.
        store: Box<str>,
        /// The report of the database, or of TLS.
        detail: Box<str>,
    },

    /// The database can be read, and not written: it is a standby, or set to read-only. Nothing was written.
    #[error("the database {store} accepts no changes: it is read-only, as a standby is")]
    ReadOnly {
        /// The name of the store.
        store: Box<str>,
    },

    /// The database cannot be reached, and the replica has the content of another one.
    #[error(
        "the database {store} is not available ({detail}), and the replica {replica} is of another one, {other}, so readers \
         cannot be served from it. Correct store.url, or start again when the database is available: the replica is then filled \
         with its content"
    )]
    OtherReplica {
        /// The name of the store.
        store: Box<str>,
        /// The report of the database, or of the network.
        detail: Box<str>,
        /// The file of the replica.
        replica: Box<str>,
        /// The name of the store that the replica is of.
        other: Box<str>,
    },

    /// Another store is being copied into the database, or was until that failed.
    #[error(
        "the database {store} has an incomplete copy and no site yet: {detail}. Finish it by the same `galley copy`, or begin again with `galley copy --restart`"
    )]
    Incomplete {
        /// The name of the store.
        store: Box<str>,
        /// The source of the incomplete copy.
        detail: Box<str>,
    },

    /// The disk or the database failed during a commit and could not be read afterwards: the commit
    /// may have happened.
    #[error(
        "writing revision {revision} failed, and whether it was saved \
         shows only when the store can be read again: {cause}"
    )]
    InDoubt {
        /// The revision that the commit would have made.
        revision: u64,
        /// Why the commit failed.
        #[source]
        cause: Box<StoreError>,
    },
}

impl StoreError {
    /// Returns whether the database cannot be used now, nothing was written, and the site is read from the replica meanwhile.
    pub fn is_of_unavailable_store(&self) -> bool {
        matches!(
            self,
            Self::Unavailable { .. } | Self::Refused { .. } | Self::ReadOnly { .. }
        )
    }
}

/// Returns whether the operating system reports that a file cannot grow: the disk is full, or the
/// file has reached the size that this user or process may use.
pub fn is_out_of_space(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
