//! The site before and after a transaction.

use super::{
    Transaction,
    view::{SiteView, TransactionView},
};
use crate::{
    catalog::Catalog, domain::post_revision::PostRevision, error::Result, id::Id, store::Table,
};

/// Maximum size of the revision documents that are sent with a post, in bytes, counted from the
/// latest revision.
const REVISION_BYTES_MAX: usize = 1 << 20;

impl Transaction {
    /// Returns the site after this transaction, for the writer of content files.
    pub(super) fn view(&self) -> TransactionView<'_> {
        TransactionView::new(self, self.now())
    }
}

/// The site after the transaction.
impl SiteView for Transaction {
    fn catalog(&self) -> &Catalog {
        self.catalog()
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.bytes(table, key)
    }

    /// Returns the latest revisions, up to `REVISION_BYTES_MAX`.
    fn served_revisions(&self, post: Id) -> Result<Vec<PostRevision>> {
        // A webhook body contains the documents of revisions, each of which can have megabytes.
        self.latest_revisions(post, REVISION_BYTES_MAX)
    }
}

/// The site before the transaction.
pub(super) struct SiteBefore<'a>(pub &'a Transaction);

impl SiteView for SiteBefore<'_> {
    fn catalog(&self) -> &Catalog {
        self.0.before()
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.0.found(table, key)
    }

    /// Returns no revisions: no event includes those from before a transaction.
    fn served_revisions(&self, _: Id) -> Result<Vec<PostRevision>> {
        Ok(Vec::new())
    }
}
