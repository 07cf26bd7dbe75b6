//! A site at one moment, for reading records: as published, or before or after a transaction.

use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::records::{self, BodyForm, document_key};
use crate::{
    catalog::Catalog, domain::post_revision::PostRevision, error::Result, id::Id, store::Table,
};

/// The records of a site at one moment.
pub trait SiteView {
    /// Returns everything except the bodies.
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

/// The site after a transaction's changes, for the writer of content files.
pub struct TransactionView<'a> {
    site: &'a dyn SiteView,
    now: Timestamp,
}

impl<'a> TransactionView<'a> {
    pub(super) fn new(site: &'a dyn SiteView, now: Timestamp) -> Self {
        Self { site, now }
    }

    /// Returns everything except the bodies.
    pub fn catalog(&self) -> &'a Catalog {
        self.site.catalog()
    }

    /// Returns the time of the transaction.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the record under `key`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn read<R: DeserializeOwned>(&self, table: Table, key: &[u8]) -> Result<Option<R>> {
        self.site.read(table, key)
    }
}
