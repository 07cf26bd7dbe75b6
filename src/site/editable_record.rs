//! Records that staff add, edit and delete one at a time: where they are stored, and how they are saved.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::{CollectionRecord, SiteSnapshot, SiteView, Transaction};
use crate::{domain::record::Record, error::Result, id::Id, store::Table};

/// A record that staff add, edit and delete one at a time.
pub trait EditableRecord: Record + Clone + PartialEq + DeserializeOwned {
    /// Its table in the store.
    const TABLE: Table;

    /// Returns the record with this identifier.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn find(site: &dyn SiteView, id: Id) -> Result<Option<Arc<Self>>> {
        Ok(site.read(Self::TABLE, id.as_bytes())?.map(Arc::new))
    }

    /// Returns all records, in ascending order of their identifiers.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn all(snapshot: &SiteSnapshot) -> Result<Vec<Arc<Self>>> {
        let records = snapshot.all::<Self>(Self::TABLE)?;
        Ok(records.into_iter().map(Arc::new).collect())
    }

    /// Adds the record or replaces the one with its identifier, and returns the stored record.
    ///
    /// # Errors
    ///
    /// If the record is invalid, or the store cannot be read.
    fn save(self, transaction: &mut Transaction) -> Result<Arc<Self>> {
        transaction.put(Self::TABLE, self.id().as_bytes(), &self)?;
        Ok(Arc::new(self))
    }

    /// Deletes the record with this identifier, if it exists.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn remove(id: Id, transaction: &mut Transaction) -> Result<()> {
        transaction.delete(Self::TABLE, id.as_bytes());
        Ok(())
    }
}

impl<R: CollectionRecord> EditableRecord for R {
    const TABLE: Table = <R as CollectionRecord>::TABLE.table();

    fn find(site: &dyn SiteView, id: Id) -> Result<Option<Arc<Self>>> {
        Ok(R::of(site.catalog()).get(id).cloned())
    }

    fn all(snapshot: &SiteSnapshot) -> Result<Vec<Arc<Self>>> {
        Ok(R::of(&snapshot.catalog).iter().cloned().collect())
    }

    fn save(self, transaction: &mut Transaction) -> Result<Arc<Self>> {
        let id = self.id();
        transaction.save_edited(self)?;
        let saved = R::of(transaction.catalog()).get(id);
        Ok(Arc::clone(saved.expect("invariant: it was saved above")))
    }

    fn remove(id: Id, transaction: &mut Transaction) -> Result<()> {
        transaction.remove_edited::<R>(id)
    }
}
