//! What the catalog has of each table of the store: loaded once when a site is opened.
//!
//! [`load`] names every indexed table: one that is forgotten does not compile.

use std::{collections::BTreeMap, sync::Arc};

use serde::de::DeserializeOwned;

use super::{
    FileRecord, actions, change_feed,
    collection::{BEGAN_AT, CollectionRecord},
    load::{decode_all, each},
    member_tokens, members,
    records::{self, StoredRecord},
    settings::{IMAGE_WIDTHS, KEYS_OF_FILE},
    site_files::REDIRECTS,
    webhook_deliveries,
};
use crate::{
    catalog::{Catalog, posts::PostIndex, records::Records},
    domain::{
        file_edit::FileEdit,
        label::Label,
        newsletter::Newsletter,
        offer::Offer,
        post::Post,
        recommendation::Recommendation,
        redirect::{Redirects, RedirectsFile},
        setting::Settings,
        tag::Tag,
        theme::DEFAULT_IMAGE_WIDTHS,
        tier::Tier,
        user::User,
    },
    error::Result,
    store::{IndexedTable, Snapshot, Table},
};

macro_rules! collection_record {
    ($noun:ident, $table:ident, $field:ident $(, $check:expr)? $(; $of_file:expr)?) => {
        impl CollectionRecord for $noun {
            const TABLE: IndexedTable = IndexedTable::$table;

            fn of(catalog: &Catalog) -> &Records<Self> {
                &catalog.$field
            }

            fn of_mut(catalog: &mut Catalog) -> &mut Records<Self> {
                &mut catalog.$field
            }

            $(
                fn check(&self, catalog: &Catalog) -> Result<()> {
                    $check(self, catalog)
                }
            )?

            $(
                fn for_file(&self) -> Option<FileRecord> {
                    Some(FileRecord::$noun(Box::new(self.clone())))
                }

                fn of_file(self, said: FileRecord) -> Self {
                    let of_file: fn($noun, $noun) -> $noun = $of_file;
                    match said {
                        FileRecord::$noun(said) => of_file(*said, self),
                        _ => self,
                    }
                }
            )?
        }
    };
}

collection_record!(Tag, Tags, tags; |said, _| said);
collection_record!(User, Users, users; |said, edited| said.with_account_of(&edited));
collection_record!(Tier, Tiers, tiers; |said, _| said);
collection_record!(Newsletter, Newsletters, newsletters; |said, _| said);
collection_record!(Label, Labels, labels, members::check_label);
collection_record!(Recommendation, Recommendations, recommendations);
collection_record!(Offer, Offers, offers);

/// Returns the catalog: everything but the bodies.
///
/// # Errors
///
/// If the store cannot be read or holds a record that this program cannot read.
pub fn catalog(snapshot: &dyn Snapshot) -> Result<Catalog> {
    let mut catalog = Catalog::default();
    catalog.revision = snapshot.revision();
    catalog.readers_revision = catalog.revision;
    for table in IndexedTable::ALL {
        load(*table, snapshot, &mut catalog)?;
    }
    Ok(catalog)
}

/// Loads what the catalog has of a table.
fn load(table: IndexedTable, snapshot: &dyn Snapshot, catalog: &mut Catalog) -> Result<()> {
    match table {
        IndexedTable::Meta => {
            catalog.began_at = fact(snapshot, BEGAN_AT)?;
            catalog.image_widths = fact(snapshot, IMAGE_WIDTHS)?
                .unwrap_or_else(|| DEFAULT_IMAGE_WIDTHS.to_vec())
                .into();
            catalog.member_secret = members::secret(snapshot)?;
            catalog.ghost_member_secret = members::ghost_secret(snapshot)?;
            catalog.identity_key = member_tokens::identity_key(snapshot)?;
            catalog.last_webhook_delivery = webhook_deliveries::last_number(snapshot)?;
        }
        IndexedTable::Settings => catalog.settings = Arc::new(settings(snapshot)?),
        IndexedTable::Posts => catalog.posts = posts(snapshot)?,
        IndexedTable::Tags => collection::<Tag>(snapshot, catalog)?,
        IndexedTable::Users => collection::<User>(snapshot, catalog)?,
        IndexedTable::Tiers => collection::<Tier>(snapshot, catalog)?,
        IndexedTable::Newsletters => collection::<Newsletter>(snapshot, catalog)?,
        IndexedTable::Labels => collection::<Label>(snapshot, catalog)?,
        IndexedTable::Recommendations => collection::<Recommendation>(snapshot, catalog)?,
        IndexedTable::Offers => collection::<Offer>(snapshot, catalog)?,
        IndexedTable::Members => {
            let put = |member| catalog.members.put(member);
            decode_all(snapshot, Table::Members, |stored| stored.decode(), put)?;
        }
        IndexedTable::Integrations => each(snapshot, Table::Integrations, |integration| {
            catalog.put_integration(integration);
        })?,
        IndexedTable::StaffTokens => each(snapshot, Table::StaffTokens, |token| {
            catalog.put_staff_token(token);
        })?,
        IndexedTable::Sessions => each(snapshot, Table::Sessions, |session| {
            catalog.sessions.put(session);
        })?,
        IndexedTable::Webhooks => each(snapshot, Table::Webhooks, |webhook| {
            catalog.webhooks.put(webhook);
        })?,
        IndexedTable::FileEdits => each(snapshot, Table::FileEdits, |edit: FileEdit| {
            catalog.file_edits.put(&edit);
        })?,
        IndexedTable::Emails => each(snapshot, Table::Emails, |email| catalog.emails.put(email))?,
        IndexedTable::SiteFiles => catalog.redirects = Arc::new(redirects(snapshot)?),
        IndexedTable::Changes => catalog.changes = change_feed::load(snapshot)?,
        IndexedTable::Actions => catalog.last_action = actions::last_number(snapshot)?,
    }
    Ok(())
}

fn collection<R: CollectionRecord>(snapshot: &dyn Snapshot, catalog: &mut Catalog) -> Result<()> {
    each(snapshot, <R as CollectionRecord>::TABLE.table(), |record| {
        R::of_mut(catalog).put(record)
    })
}

/// Returns the fact about the site that is stored under `key`.
fn fact<T: DeserializeOwned>(snapshot: &dyn Snapshot, key: &[u8]) -> Result<Option<T>> {
    let record = snapshot.get(Table::Meta, key)?;
    let fact = record.map(|record| records::decode(Table::Meta, &record.bytes));
    fact.transpose()
}

fn posts(snapshot: &dyn Snapshot) -> Result<PostIndex> {
    let mut posts = Vec::new();
    let make = |stored: StoredRecord| {
        let mut post: Post = stored.decode()?;
        post.shrink();
        Ok(Arc::new(post))
    };
    decode_all(snapshot, Table::Posts, make, |post| posts.push(post))?;
    Ok(PostIndex::of(&posts))
}

fn redirects(snapshot: &dyn Snapshot) -> Result<Redirects> {
    let Some(record) = snapshot.get(Table::SiteFiles, REDIRECTS)? else {
        return Ok(Redirects::default());
    };
    let file: RedirectsFile = records::decode(Table::SiteFiles, &record.bytes)?;
    // They were valid when they were uploaded. If this version rejects them, the site is served
    // without them.
    Ok(Redirects::compile(&file.redirects).unwrap_or_else(|error| {
        tracing::error!(%error, "the redirects cannot be used");
        Redirects::default()
    }))
}

fn settings(snapshot: &dyn Snapshot) -> Result<Settings> {
    let mut values = BTreeMap::new();
    records::visit_all(snapshot, Table::Settings, |key, bytes| {
        let value = records::decode(Table::Settings, bytes)?;
        values.insert(String::from_utf8_lossy(key).into_owned(), value);
        Ok(())
    })?;
    let of_file = match snapshot.get(Table::Meta, KEYS_OF_FILE)? {
        Some(record) => records::decode(Table::Meta, &record.bytes)?,
        // Stores from before this was recorded have settings of content files only.
        None => values.keys().cloned().collect(),
    };
    Ok(Settings::with_file(values, of_file))
}
