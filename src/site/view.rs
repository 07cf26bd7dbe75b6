//! A site at one moment, to look up records: as readers have it, or before or after a transaction.

use serde::de::DeserializeOwned;

use super::{
    SiteSnapshot, Transaction,
    records::{self, BodyForm},
    revisions::document_key,
};
use crate::{
    catalog::Catalog,
    domain::post_revision::PostRevision,
    error::{Error, Result},
    id::Id,
    store::Table,
};

/// Most bytes of revision documents that are sent with a post, counted from the latest revision.
const REVISION_BYTES_MAX: usize = 1 << 20;

/// The records of a site at one moment.
pub trait SiteView {
    /// Returns everything but the bodies.
    fn catalog(&self) -> &Catalog;

    /// Returns the stored bytes under a key.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// Returns the revisions of a post that are served, without their documents, oldest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn served_revisions(&self, post: Id) -> Result<Vec<PostRevision>>;
}

impl dyn SiteView + '_ {
    /// Returns the record under `key`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn read<R: DeserializeOwned>(&self, table: Table, key: &[u8]) -> Result<Option<R>> {
        let bytes = self.row(table, key)?;
        bytes
            .map(|bytes| records::decode(table, &bytes))
            .transpose()
    }

    /// Returns the HTML of a post in stored form; `None` for an empty body.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn html(&self, post: Id) -> Result<Option<String>> {
        self.body(post, BodyForm::Html)
    }

    /// Returns the editor's document of a post as JSON in stored form; `None` if its body was not
    /// written in an editor.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn lexical(&self, post: Id) -> Result<Option<String>> {
        self.body(post, BodyForm::Lexical)
    }

    fn body(&self, post: Id, form: BodyForm) -> Result<Option<String>> {
        let bytes = self.row(Table::Bodies, &form.key(post))?;
        bytes.map(|bytes| form.read(bytes)).transpose()
    }

    /// Returns the editor's document of a revision, in stored form.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn revision_document(&self, revision: &PostRevision) -> Result<String> {
        let document = self.read(Table::PostRevisions, &document_key(revision))?;
        Ok(document.unwrap_or_default())
    }
}

impl SiteView for SiteSnapshot {
    fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let record = self.snapshot.get(table, key).map_err(Error::from)?;
        Ok(record.map(|record| record.bytes))
    }

    fn served_revisions(&self, post: Id) -> Result<Vec<PostRevision>> {
        let list = self.read(Table::PostRevisions, post.as_bytes())?;
        Ok(list.unwrap_or_default())
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
pub(super) struct Before<'a>(pub &'a Transaction);

impl SiteView for Before<'_> {
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
