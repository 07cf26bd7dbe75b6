//! Records with unique slugs that are held in the catalog: where they are stored, and how they are saved.

use serde::de::DeserializeOwned;

use super::{FileRecord, Transaction};
use crate::{
    catalog::{Catalog, records::Records},
    domain::record::Slugged,
    error::{Error, Result},
    id::Id,
    store::{IndexedTable, Table},
};

/// A record with a unique slug that is held in the catalog.
pub trait CollectionRecord: Slugged + Clone + PartialEq + DeserializeOwned {
    /// Its table in the store.
    const TABLE: IndexedTable;

    /// Returns the records of this type in the catalog.
    fn of(catalog: &Catalog) -> &Records<Self>;

    /// Returns the records of this type in the catalog for modification.
    fn of_mut(catalog: &mut Catalog) -> &mut Records<Self>;

    /// Validates the record before it is saved.
    ///
    /// # Errors
    ///
    /// `Validation` if it is invalid on a site with this catalog.
    fn check(&self, _catalog: &Catalog) -> Result<()> {
        Ok(())
    }

    /// Updates other records after `after` was saved in place of `before`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn saved(_transaction: &mut Transaction, _before: Option<&Self>, _after: &Self) -> Result<()> {
        Ok(())
    }

    /// Updates other records after this one was removed.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn removed(_transaction: &mut Transaction, _id: Id) -> Result<()> {
        Ok(())
    }

    /// Returns the record in the form that the writer of content files accepts; `None` for records that are
    /// never in files.
    fn for_file(&self) -> Option<FileRecord> {
        None
    }

    /// Returns the record with the values from its content file.
    fn of_file(self, _in_file: FileRecord) -> Self {
        self
    }
}

impl Transaction {
    /// Adds a record or replaces the one with its identifier. Writes nothing if it is unchanged.
    ///
    /// # Errors
    ///
    /// `Validation` if it is invalid, or another record has its slug.
    pub fn save<R: CollectionRecord>(&mut self, record: R) -> Result<()> {
        let known = R::of(self.catalog()).get(record.id());
        // Before validation: a record of an earlier version that violates a newer rule can be saved
        // unchanged.
        if known.is_some_and(|known| **known == record) {
            return Ok(());
        }
        record.check(self.catalog())?;
        // Cloned, because the catalog is changed below; `saved` needs the previous record.
        let known = known.cloned();
        let previous_slug = known.as_deref().map(|known| known.slug().to_owned());
        // Checked before anything is written, so that an error leaves the transaction usable.
        if let Some(other) = R::of(self.catalog()).by_slug(record.slug())
            && other.id() != record.id()
        {
            return Err(slug_taken(R::KIND, record.slug(), other.id()));
        }
        self.move_slug(
            R::KIND,
            previous_slug.as_deref(),
            record.slug(),
            record.id(),
        )?;
        self.put(
            <R as CollectionRecord>::TABLE.table(),
            record.id().as_bytes(),
            &record,
        )?;
        R::of_mut(self.catalog_mut()).put(record.clone());
        R::saved(self, known.as_deref(), &record)
    }

    /// Deletes the record with this identifier, if it exists.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn remove<R: CollectionRecord>(&mut self, id: Id) -> Result<()> {
        let Some(old) = R::of_mut(self.catalog_mut()).remove(id) else {
            return Ok(());
        };
        self.delete(Table::Slugs, &slug_key(R::KIND, old.slug()));
        self.delete(<R as CollectionRecord>::TABLE.table(), id.as_bytes());
        R::removed(self, id)
    }

    /// Releases a record's old slug and takes the new one.
    pub(super) fn move_slug(
        &mut self,
        kind: &str,
        old: Option<&str>,
        new: &str,
        id: Id,
    ) -> Result<()> {
        if old == Some(new) {
            return Ok(());
        }
        if let Some(old) = old {
            self.delete(Table::Slugs, &slug_key(kind, old));
        }
        self.put_bytes(Table::Slugs, &slug_key(kind, new), id.as_bytes().to_vec())
    }
}

/// Returns the key of a slug in the store, which prevents a second writer from using it.
pub(super) fn slug_key(kind: &str, slug: &str) -> Vec<u8> {
    format!("{kind}/{slug}").into_bytes()
}

/// Returns the error for a slug that another record has.
pub(super) fn slug_taken(kind: &str, slug: &str, holder: Id) -> Error {
    Error::already_exists(format!("The slug \"{slug}\""))
        .context(format!("It belongs to the {kind} {holder}."))
        .property("slug")
}
