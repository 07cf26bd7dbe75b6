//! The site after one commit, for readers.

use std::{fs::File, ops::ControlFlow};

use serde::de::DeserializeOwned;

use super::{
    load,
    records::{self, BodyForm, StoredRecord},
    view::SiteView,
};
use crate::{
    catalog::Catalog,
    domain::post_revision::PostRevision,
    error::{Error, Result},
    id::Id,
    store::{Keys, Snapshot, StoreError, Table, redb::write_copy},
};

/// The site after one commit: the catalog, and the store's snapshot of the same commit for the
/// bodies.
pub struct SiteSnapshot {
    /// Everything except the bodies.
    pub catalog: Catalog,
    pub(super) snapshot: Box<dyn Snapshot>,
}

impl SiteSnapshot {
    /// Returns the record under `key`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn read<R: DeserializeOwned>(&self, table: Table, key: &[u8]) -> Result<Option<R>> {
        let record = self.snapshot.get(table, key)?;
        record
            .map(|record| records::decode(table, &record.bytes))
            .transpose()
    }

    /// Returns the stored records of the same commit.
    pub fn stored(&self) -> &dyn Snapshot {
        self.snapshot.as_ref()
    }

    /// Visits all records of a table.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or contains a record that this program cannot read, and those of
    /// `visitor`.
    pub fn visit<R: DeserializeOwned>(
        &self,
        table: Table,
        mut visitor: impl FnMut(&[u8], R) -> Result<()>,
    ) -> Result<()> {
        records::visit_all(self.snapshot.as_ref(), table, |key, bytes| {
            visitor(key, records::decode(table, bytes)?)
        })
    }

    /// Returns all records of a small table, in ascending order of their keys.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn all<R: DeserializeOwned>(&self, table: Table) -> Result<Vec<R>> {
        let mut records = Vec::new();
        self.visit(table, |_, record| {
            records.push(record);
            Ok(())
        })?;
        Ok(records)
    }

    /// Reads all records of a table in ascending order of their keys, converts each with `make` on
    /// all processors, and passes the results to `put`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or the error of `make`.
    pub fn read_all<T: Send>(
        &self,
        table: Table,
        make: impl Fn(StoredRecord<'_>) -> Result<T> + Sync,
        put: impl FnMut(T),
    ) -> Result<()> {
        load::decode_all(self.snapshot.as_ref(), table, make, put)
    }

    /// Visits the records of a table within `keys`, in ascending order of the keys' bytes, until
    /// `visitor` breaks.
    pub(super) fn visit_within<R: DeserializeOwned>(
        &self,
        table: Table,
        keys: &Keys,
        visitor: impl FnMut(R) -> ControlFlow<()>,
    ) -> Result<()> {
        records::visit(table, visitor, |visit| {
            let scanned = self
                .snapshot
                .scan(table, keys, &mut |_, _, bytes| visit(bytes));
            scanned.map_err(Error::from)
        })
    }

    /// Writes everything in this snapshot to the empty `file` as a separate store. `advance`
    /// receives the number of bytes copied, and aborts with `Break`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or the file cannot be written.
    pub fn copy_store(
        &self,
        file: &File,
        advance: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> std::result::Result<ControlFlow<()>, StoreError> {
        write_copy(self.snapshot.as_ref(), file, advance)
    }

    /// Returns the number of records of a table within `keys`, counted up to `count_max`.
    pub(super) fn count_within(
        &self,
        table: Table,
        keys: &Keys,
        count_max: usize,
    ) -> Result<usize> {
        let mut count = 0;
        self.snapshot.scan(table, keys, &mut |_, _, _| {
            count += 1;
            if count < count_max {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        Ok(count)
    }

    /// Returns the HTML of a post in stored form; `None` for an empty body.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn html(&self, id: Id) -> Result<Option<String>> {
        (self as &dyn SiteView).html(id)
    }

    /// Visits the HTML of these posts in stored form, with the index of each post; posts without a
    /// body are skipped.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a body that is not UTF-8.
    pub fn visit_bodies(
        &self,
        ids: impl Iterator<Item = Id>,
        visit: impl FnMut(usize, &str),
    ) -> Result<()> {
        let keys: Vec<Vec<u8>> = ids.map(|id| BodyForm::Html.key(id)).collect();
        records::visit_bodies(self.snapshot.as_ref(), &keys, visit)
    }

    /// Returns the editor's document of a post as JSON in stored form; `None` if its body was not
    /// written in an editor.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn lexical(&self, id: Id) -> Result<Option<String>> {
        (self as &dyn SiteView).lexical(id)
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
