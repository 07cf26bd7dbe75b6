//! Errors of a store, with advice for the operator.

use std::io;

use super::FORMAT_VERSION;

/// The reason why a store could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is not a Galley store; it was not modified.
    #[error(
        "{store} is not a Galley store; it was not modified. Move it away, or choose another data folder with --data"
    )]
    NotAStore {
        /// The name of the store.
        store: Box<str>,
    },

    /// The file was written by a newer program; it was not modified.
    #[error(
        "{store} was written by a newer Galley: its format is {found}, this program reads up to {FORMAT_VERSION}. \
         Run the newer Galley; the file was not modified"
    )]
    Newer {
        /// The name of the store.
        store: Box<str>,
        /// The format version of the file.
        found: u64,
    },

    /// The content of the file is inconsistent; if the file was just being opened, it was not modified.
    #[error(
        "the store {store} is damaged: {detail}. Galley does not repair a store by dropping records: \
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

    /// There is no space left on the disk or in the quota of this user; nothing was written.
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

    /// The database cannot be reached or refuses connections; nothing was written.
    #[error("the database {store} is not available: {detail}")]
    Unavailable {
        /// The name of the store.
        store: Box<str>,
        /// The error of the database or the network.
        detail: Box<str>,
    },

    /// The database permanently refuses this program, because of the database's name, the user, the password, the privileges
    /// or TLS. Nothing was written.
    #[error(
        "the database {store} refuses the connection: {detail}. Correct store.url or the configuration of the database"
    )]
    Refused {
        /// The name of the store.
        store: Box<str>,
        /// The error of the database or of TLS.
        detail: Box<str>,
    },

    /// The database can be read but not written: it is a standby or set to read-only. Nothing was written.
    #[error("the database {store} accepts no changes: it is read-only, as a standby is")]
    ReadOnly {
        /// The name of the store.
        store: Box<str>,
    },

    /// The database cannot be reached, and the replica contains the content of another database.
    #[error(
        "the database {store} is not available ({detail}), and the replica {replica} is of another one, {other}, so readers \
         cannot be served from it. Correct store.url, or start again when the database is available: the replica is then filled \
         with its content"
    )]
    OtherReplica {
        /// The name of the store.
        store: Box<str>,
        /// The error of the database or the network.
        detail: Box<str>,
        /// The file of the replica.
        replica: Box<str>,
        /// The name of the store that the replica copies.
        other: Box<str>,
    },

    /// Another store is being copied into the database, or its copy was interrupted.
    #[error(
        "the database {store} has an incomplete copy and no site yet: {detail}. Repeat the same `galley copy` to finish it, or start again with `galley copy --restart`"
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
        "writing revision {revision} failed; whether it was saved \
         will be known when the store can be read again: {cause}"
    )]
    InDoubt {
        /// The revision that the commit would have made.
        revision: u64,
        /// The reason why the commit failed.
        #[source]
        cause: Box<StoreError>,
    },
}

impl StoreError {
    /// Returns whether the error means that the database cannot be used now and nothing was written. Readers are served from
    /// the replica meanwhile.
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
