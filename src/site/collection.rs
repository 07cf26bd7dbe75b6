//! Tags, users, tiers, newsletters and labels: records with a slug that is theirs alone.

use serde::{Serialize, de::DeserializeOwned};

use super::Transaction;
use crate::{
    catalog::{
        Catalog,
        records::{Record, Records},
    },
    domain::{
        label::Label,
        newsletter::{self, Newsletter},
        offer::Offer,
        recommendation::Recommendation,
        tag::Tag,
        tier::Tier,
        user::User,
    },
    error::{Error, Result},
    id::Id,
    store::Table,
};

/// Where the store keeps when the site began.
pub(super) const BEGAN_AT: &[u8] = b"began_at";

/// A kind of record that is kept in a table of its own and found by its slug.
pub trait Kept: Record + Clone + PartialEq + Serialize + DeserializeOwned {
    /// What one is called.
    const NAME: &'static str;
    /// Where they are kept.
    const TABLE: Table;
    /// Where the catalog has them.
    fn of(catalog: &Catalog) -> &Records<Self>;
    /// Where the catalog has them, to change.
    fn of_mut(catalog: &mut Catalog) -> &mut Records<Self>;
}

macro_rules! kept {
    ($noun:ty, $name:literal, $table:ident, $field:ident) => {
        impl Kept for $noun {
            const NAME: &'static str = $name;
            const TABLE: Table = Table::$table;

            fn of(catalog: &Catalog) -> &Records<Self> {
                &catalog.$field
            }

            fn of_mut(catalog: &mut Catalog) -> &mut Records<Self> {
                &mut catalog.$field
            }
        }
    };
}

kept!(Tag, "tag", Tags, tags);
kept!(User, "user", Users, users);
kept!(Tier, "tier", Tiers, tiers);
kept!(Newsletter, "newsletter", Newsletters, newsletters);
kept!(Label, "label", Labels, labels);
kept!(
    Recommendation,
    "recommendation",
    Recommendations,
    recommendations
);
kept!(Offer, "offer", Offers, offers);

impl Transaction {
    /// Adds a record, or puts it in the place of the one with its identifier. Nothing is written when it is the same.
    ///
    /// # Errors
    ///
    /// `Validation` when its slug is another one's.
    pub fn save<R: Kept>(&mut self, record: R) -> Result<()> {
        let known = R::of(self.catalog()).get(record.id());
        if known.is_some_and(|known| **known == record) {
            return Ok(());
        }
        let old_slug = known.map(|known| known.slug().to_owned());
        if let Some(other) = R::of(self.catalog()).by_slug(record.slug())
            && other.id() != record.id()
        {
            return Err(slug_taken(R::NAME, record.slug(), other.id()));
        }
        self.move_slug(R::NAME, old_slug.as_deref(), record.slug(), record.id())?;
        self.put(R::TABLE, record.id().as_bytes(), &record)?;
        R::of_mut(self.catalog_mut()).put(record);
        Ok(())
    }

    /// Deletes the record with this identifier, if there is one.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn remove<R: Kept>(&mut self, id: Id) -> Result<()> {
        let Some(old) = R::of_mut(self.catalog_mut()).remove(id) else {
            return Ok(());
        };
        self.delete(Table::Slugs, &slug_key(R::NAME, old.slug()))?;
        if R::TABLE == Table::Users {
            self.delete_account(id)?;
        }
        self.delete(R::TABLE, id.as_bytes())
    }

    /// Gives up a record's old slug and takes the new one.
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

    /// Gives a new site what every site has: a free and a paid tier and a newsletter, as old as the site (Ghost 6.65,
    /// recorded). On a site of content files they lose that date, since the same files make the same site on any day.
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

/// The key that a slug has in the store, so that no second writer can take it.
pub(super) fn slug_key(kind: &str, slug: &str) -> Vec<u8> {
    format!("{kind}/{slug}").into_bytes()
}

/// The refusal of a slug that another record has.
pub(super) fn slug_taken(kind: &str, slug: &str, holder: Id) -> Error {
    Error::already_exists(format!("The slug \"{slug}\""))
        .context(format!("It belongs to the {kind} {holder}."))
        .property("slug")
}
