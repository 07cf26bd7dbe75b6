//! Tags, users, tiers, newsletters, labels and other records with a unique slug.

use serde::{Serialize, de::DeserializeOwned};

use super::Transaction;
use crate::{
    catalog::{
        Catalog,
        records::{Record, Records},
    },
    domain::{
        newsletter::{self, Newsletter},
        tier::Tier,
    },
    error::{Error, Result},
    id::Id,
    store::{IndexedTable, Table},
};

/// Key of the time at which the site was created.
pub(super) const BEGAN_AT: &[u8] = b"began_at";

/// A kind of record with a table of its own and a unique slug.
pub trait CollectionRecord: Record + Clone + PartialEq + Serialize + DeserializeOwned {
    /// Name of the kind in messages.
    const NAME: &'static str;
    /// Its table in the store.
    const TABLE: IndexedTable;
    /// Returns its records in the catalog.
    fn of(catalog: &Catalog) -> &Records<Self>;
    /// Returns its records in the catalog, to change them.
    fn of_mut(catalog: &mut Catalog) -> &mut Records<Self>;
}

impl Transaction {
    /// Adds a record or replaces the one with its identifier. Writes nothing if it is unchanged.
    ///
    /// # Errors
    ///
    /// `Validation` if another record has its slug.
    pub fn save<R: CollectionRecord>(&mut self, record: R) -> Result<()> {
        let known = R::of(self.catalog()).get(record.id());
        if known.is_some_and(|known| **known == record) {
            return Ok(());
        }
        let previous_slug = known.map(|known| known.slug().to_owned());
        if let Some(other) = R::of(self.catalog()).by_slug(record.slug())
            && other.id() != record.id()
        {
            return Err(slug_taken(R::NAME, record.slug(), other.id()));
        }
        self.move_slug(
            R::NAME,
            previous_slug.as_deref(),
            record.slug(),
            record.id(),
        )?;
        self.put(R::TABLE.table(), record.id().as_bytes(), &record)?;
        R::of_mut(self.catalog_mut()).put(record);
        Ok(())
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
        self.delete(Table::Slugs, &slug_key(R::NAME, old.slug()))?;
        if R::TABLE == IndexedTable::Users {
            self.delete_account(id)?;
        }
        self.delete(R::TABLE.table(), id.as_bytes())
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
            self.delete(Table::Slugs, &slug_key(kind, old))?;
        }
        self.put_bytes(Table::Slugs, &slug_key(kind, new), id.as_bytes().to_vec())
    }

    /// Adds what every new site has: a free and a paid tier and a newsletter, created with the site
    /// (Ghost 6.65, recorded). On a site of content files they lose that date, since the same files
    /// make the same site on any day.
    pub(super) fn add_defaults(&mut self) -> Result<()> {
        let now = self.now();
        self.put(Table::Meta, BEGAN_AT, &now)?;
        self.catalog_mut().began_at = Some(now);
        let title = self.catalog().settings.text("title").unwrap_or_default();
        for tier in [Tier::free(), Tier::default_paid(&title)] {
            self.save(Tier {
                created_at: now,
                updated_at: Some(now),
                ..tier
            })?;
        }
        self.save(Newsletter {
            created_at: now,
            updated_at: now,
            ..Newsletter::new(newsletter::DEFAULT_SLUG, &title)
        })?;
        self.add_file_references()?;
        self.make_member_secret()
    }
}

/// Returns the key of a slug in the store, which keeps a second writer from taking it.
pub(super) fn slug_key(kind: &str, slug: &str) -> Vec<u8> {
    format!("{kind}/{slug}").into_bytes()
}

/// Returns the error for a slug that another record has.
pub(super) fn slug_taken(kind: &str, slug: &str, holder: Id) -> Error {
    Error::already_exists(format!("The slug \"{slug}\""))
        .context(format!("It belongs to the {kind} {holder}."))
        .property("slug")
}
