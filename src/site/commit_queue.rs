//! The transactions that are finished but not yet durable, in the groups in which they are committed.

use std::sync::{Arc, OnceLock};

use super::node_life::NodeLife;
use crate::{
    catalog::Catalog,
    error::{Error, Kind, Result},
    store::{Batch, StoreError},
};

/// Maximum size of the values of a transaction that shares a commit, in bytes: 1 MiB. A larger
/// transaction is committed alone.
pub(super) const SHARED_BYTES_MAX: usize = 1 << 20;

/// Transactions that become durable together or not at all.
pub(super) struct Group {
    pub batches: Vec<Arc<Batch>>,
    /// The revision of the store that the first transaction is based on.
    pub base: u64,
    /// The site after the last transaction.
    pub catalog: Catalog,
    /// The life of this process in which the transactions began, if the store is shared.
    pub life: Option<Arc<NodeLife>>,
    pub commit_result: Arc<CommitResult>,
}

/// The result of a group's commit; unset until it is known.
pub(super) type CommitResult = OnceLock<Result<(), CommitFailure>>;

/// The reason why transactions were not committed: one reason for all in the group.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum CommitFailure {
    #[error("another process changed the site at the same time")]
    Overtaken,
    #[error("this process was stopped, or cut off from the others, since the change began")]
    LifeOver,
    #[error(transparent)]
    Store(Arc<StoreError>),
    #[error("an earlier change was saved, but cannot be read: {}", .0.cause())]
    Unread(Arc<Error>),
    #[error(
        "the commit of this change panicked; whether it was saved is known after the next commit"
    )]
    Panicked,
}

impl From<StoreError> for CommitFailure {
    fn from(error: StoreError) -> Self {
        Self::Store(Arc::new(error))
    }
}

impl From<CommitFailure> for Error {
    fn from(failure: CommitFailure) -> Self {
        match failure {
            CommitFailure::Store(error) => Self::internal(error),
            CommitFailure::Overtaken => Self::new(
                Kind::Maintenance,
                "Other processes changed the site at the same time. Nothing was saved.",
            )
            .help("Try again in a few seconds.")
            .code("STORE_BUSY"),
            CommitFailure::LifeOver => Self::new(
                Kind::Maintenance,
                "The server was stopped, or cut off from the site's database, for a while. Nothing was saved.",
            )
            .help("Try again in a few seconds.")
            .code("STORE_BUSY"),
            CommitFailure::Unread(_) | CommitFailure::Panicked => Self::internal(failure),
        }
    }
}

/// The groups that are not durable.
#[derive(Default)]
pub(super) struct Queue {
    pub committing: Option<Arc<Group>>,
    pub forming: Option<Group>,
    /// Set while a transaction in progress may have seen the changes of a failed group. That
    /// transaction joins no group.
    pub failure: Option<CommitFailure>,
}

impl Queue {
    pub fn is_empty(&self) -> bool {
        self.committing.is_none() && self.forming.is_none()
    }

    /// Returns the group that is forming and marks it as being committed, unless another commit is in
    /// progress.
    pub fn next_to_commit(&mut self) -> Option<Arc<Group>> {
        if self.committing.is_none() {
            // In one step under the lock of the queue: a transaction joins either this group or the
            // next one.
            self.committing = self.forming.take().map(Arc::new);
            return self.committing.clone();
        }
        None
    }

    pub fn groups(&self) -> impl DoubleEndedIterator<Item = &Group> {
        self.committing.as_deref().into_iter().chain(&self.forming)
    }
}

/// A finished transaction, ready to be committed.
pub(super) struct PreparedCommit {
    /// The revision that the transaction is based on.
    pub base: u64,
    /// Its puts and deletes.
    pub batch: Batch,
    /// The site after the transaction.
    pub catalog: Catalog,
    /// True if the transaction may change responses to readers.
    pub reaches_readers: bool,
}

/// The uncommitted changes that a transaction starts from.
#[derive(Default)]
pub(super) struct UncommittedTransactions {
    /// The changes, in order.
    pub batches: Vec<Arc<Batch>>,
    /// The result of the last transaction, which implies the results of all.
    pub commit_result: Option<Arc<CommitResult>>,
}
