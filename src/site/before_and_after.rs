//! The site as a transaction found it and as it leaves it.

use super::{
    Transaction,
    view::{SiteView, TransactionView},
};
use crate::{
    catalog::Catalog, domain::post_revision::PostRevision, error::Result, id::Id, store::Table,
};

/// Most bytes of revision documents that are sent with a post, counted from the latest revision.
const REVISION_BYTES_MAX: usize = 1 << 20;

impl Transaction {
    /// Returns the site as this transaction leaves it, for the writer of content files.
    pub(super) fn view(&self) -> TransactionView<'_> {
        TransactionView::new(self, self.now())
    }
}

/// The site as the transaction leaves it.
impl SiteView for Transaction {
    fn catalog(&self) -> &Catalog {
        self.catalog()
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.bytes(table, key)
    }

    /// Returns the latest revisions, as many as are sent to webhooks.
    fn served_revisions(&self, post: Id) -> Result<Vec<PostRevision>> {
        self.latest_revisions(post, REVISION_BYTES_MAX)
    }
}

/// The site as a transaction found it.
pub(super) struct SiteBefore<'a>(pub &'a Transaction);

impl SiteView for SiteBefore<'_> {
    fn catalog(&self) -> &Catalog {
        self.0.before()
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.0.found(table, key)
    }

    /// Returns none: no event has earlier revisions.
    fn served_revisions(&self, _: Id) -> Result<Vec<PostRevision>> {
        Ok(Vec::new())
    }
}
