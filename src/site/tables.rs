//! Loads the records of each indexed table into the catalog: all records when a site is opened, and the changed
//! ones after commits of other processes.
//!
//! [`load`] matches every indexed table, so a forgotten table does not compile.

use std::{collections::BTreeMap, sync::Arc};

use serde::de::DeserializeOwned;

use super::{
    FileRecord, Transaction, actions,
    change_feed::COMPLETE_SINCE,
    changed_records::ChangedRecords,
    collection::CollectionRecord,
    defaults::BEGAN_AT,
    load::decode_all,
    member_tokens, members,
    records::{self, StoredRecord},
    settings::{IMAGE_WIDTHS, KEYS_OF_FILE},
    site_files::{REDIRECTS, ROUTES},
    transaction::id_in,
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
        routes::Routes,
        secret::Digest,
        setting::Settings,
        tag::Tag,
        theme::DEFAULT_IMAGE_WIDTHS,
        tier::Tier,
        user::User,
    },
    error::Result,
    id::Id,
    routing,
    store::{Audience, IndexedTable, Snapshot, Table},
};

macro_rules! collection_record {
    (
        $noun:ident, $table:ident, $field:ident
        $(, $check:expr)? $(; $of_file:expr)? $(=> $saved:path, $removed:path)?
    ) => {
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
                fn saved(
                    transaction: &mut Transaction,
                    before: Option<&Self>,
                    after: &Self,
                ) -> Result<()> {
                    $saved(transaction, before, after)
                }

                fn removed(transaction: &mut Transaction, id: Id) -> Result<()> {
                    $removed(transaction, id)
                }
            )?

            $(
                fn for_file(&self) -> Option<FileRecord> {
                    Some(FileRecord::$noun(Box::new(self.clone())))
                }

                fn of_file(self, in_file: FileRecord) -> Self {
                    let of_file: fn($noun, $noun) -> $noun = $of_file;
                    match in_file {
                        FileRecord::$noun(in_file) => of_file(*in_file, self),
                        _ => self,
                    }
                }
            )?
        }
    };
}

collection_record!(Tag, Tags, tags; |in_file, _| in_file);
collection_record!(
    User, Users, users; |in_file, edited| in_file.with_account_of(&edited)
    => Transaction::user_saved, Transaction::user_removed
);
collection_record!(
    Tier, Tiers, tiers; |in_file, _| in_file => Transaction::tier_saved, Transaction::tier_removed
);
collection_record!(Newsletter, Newsletters, newsletters; |in_file, _| in_file);
collection_record!(Label, Labels, labels, members::check_label);
collection_record!(Recommendation, Recommendations, recommendations);
collection_record!(Offer, Offers, offers);

/// Returns the catalog: everything except the bodies.
///
/// # Errors
///
/// If the store cannot be read or holds a record that this program cannot read.
pub fn catalog(snapshot: &dyn Snapshot) -> Result<Catalog> {
    let mut catalog = Catalog::default();
    catalog.revision = snapshot.revision();
    // It is not known which of the earlier commits readers could see, so responses from before
    // count as stale.
    catalog.readers_revision = catalog.revision;
    for table in IndexedTable::ALL {
        let stored = StoredTable {
            table: table.table(),
            snapshot,
            changes: None,
        };
        load(*table, &stored, &mut catalog)?;
    }
    Ok(catalog)
}

/// Updates the catalog to the snapshot, given the changes in between.
///
/// # Errors
///
/// If the store cannot be read or holds a record that this program cannot read.
pub(super) fn update(
    catalog: &mut Catalog,
    snapshot: &dyn Snapshot,
    changes: &ChangedRecords,
) -> Result<()> {
    for table in IndexedTable::ALL {
        if changes.touches(table.table()) {
            let stored = StoredTable {
                table: table.table(),
                snapshot,
                changes: Some(changes),
            };
            load(*table, &stored, catalog)?;
        }
    }
    Ok(())
}

/// Returns whether these changes may change responses to readers.
pub(super) fn reach_readers(changes: &ChangedRecords) -> bool {
    let is_seen = |table: &Table, key: &[u8]| {
        table.audience() == Audience::Readers && !webhook_deliveries::is_last_number(*table, key)
    };
    Table::ALL
        .iter()
        .any(|table| changes.of(*table).any(|key| is_seen(table, key)))
}

/// The records of a table that the catalog needs: all of them, or those that changed.
struct StoredTable<'r> {
    table: Table,
    snapshot: &'r dyn Snapshot,
    changes: Option<&'r ChangedRecords>,
}

impl StoredTable<'_> {
    /// Passes the keys of the changed records to `remove`, and the existing records to `put`.
    fn each<R: DeserializeOwned>(
        &self,
        catalog: &mut Catalog,
        put: impl Fn(&mut Catalog, R),
        remove: impl Fn(&mut Catalog, &[u8]),
    ) -> Result<()> {
        let Some(changes) = self.changes else {
            return records::visit_all(self.snapshot, self.table, |_, bytes| {
                put(catalog, records::decode(self.table, bytes)?);
                Ok(())
            });
        };
        // All are removed first: a record may now have a slug that another record had before.
        for key in changes.of(self.table) {
            remove(catalog, key);
        }
        for key in changes.of(self.table) {
            if let Some(record) = self.snapshot.get(self.table, key)? {
                put(catalog, records::decode(self.table, &record.bytes)?);
            }
        }
        Ok(())
    }

    /// Passes records whose keys are identifiers, as [`each`](Self::each) does.
    fn each_by_id<R: DeserializeOwned>(
        &self,
        catalog: &mut Catalog,
        put: impl Fn(&mut Catalog, R),
        remove: impl Fn(&mut Catalog, Id),
    ) -> Result<()> {
        self.each(catalog, put, |catalog, key| {
            if let Some(id) = id_in(key) {
                remove(catalog, id);
            }
        })
    }

    /// Passes records whose keys are numbers, as [`each`](Self::each) does.
    fn each_by_number<R: DeserializeOwned>(
        &self,
        catalog: &mut Catalog,
        put: impl Fn(&mut Catalog, R),
        remove: impl Fn(&mut Catalog, u64),
    ) -> Result<()> {
        self.each(catalog, put, |catalog, key| {
            if let Some(number) = key.first_chunk() {
                remove(catalog, u64::from_be_bytes(*number));
            }
        })
    }

    fn collection<R: CollectionRecord>(&self, catalog: &mut Catalog) -> Result<()> {
        self.each_by_id(
            catalog,
            |catalog, record| R::of_mut(catalog).put(record),
            |catalog, id| {
                R::of_mut(catalog).remove(id);
            },
        )
    }
}

/// Loads the catalog's records of a table.
fn load(table: IndexedTable, stored: &StoredTable<'_>, catalog: &mut Catalog) -> Result<()> {
    let snapshot = stored.snapshot;
    match table {
        IndexedTable::Meta => load_facts(snapshot, catalog),
        // Settings and site files are few, so they are read again as a whole.
        IndexedTable::Settings => {
            settings(snapshot).map(|settings| catalog.settings = Arc::new(settings))
        }
        IndexedTable::SiteFiles => {
            catalog.redirects = Arc::new(redirects(snapshot)?);
            catalog.routes = Arc::new(routes(snapshot)?);
            Ok(())
        }
        IndexedTable::Actions => {
            actions::last_number(snapshot).map(|number| catalog.last_action = number)
        }
        IndexedTable::Posts => load_posts(stored, catalog),
        IndexedTable::Tags => stored.collection::<Tag>(catalog),
        IndexedTable::Users => stored.collection::<User>(catalog),
        IndexedTable::Tiers => stored.collection::<Tier>(catalog),
        IndexedTable::Newsletters => stored.collection::<Newsletter>(catalog),
        IndexedTable::Labels => stored.collection::<Label>(catalog),
        IndexedTable::Recommendations => stored.collection::<Recommendation>(catalog),
        IndexedTable::Offers => stored.collection::<Offer>(catalog),
        IndexedTable::Members => load_members(stored, catalog),
        IndexedTable::Integrations => stored.each_by_id(
            catalog,
            |catalog, integration| catalog.put_integration(integration),
            |catalog, id| {
                catalog.remove_integration(id);
            },
        ),
        IndexedTable::StaffTokens => stored.each_by_id(
            catalog,
            |catalog, token| catalog.put_staff_token(token),
            |catalog, id| {
                catalog.remove_staff_token(id);
            },
        ),
        IndexedTable::Sessions => load_sessions(stored, catalog),
        IndexedTable::Webhooks => stored.each_by_id(
            catalog,
            |catalog, webhook| catalog.webhooks.put(webhook),
            |catalog, id| {
                catalog.webhooks.remove(id);
            },
        ),
        IndexedTable::Emails => stored.each_by_id(
            catalog,
            |catalog, email| catalog.emails.put(email),
            |catalog, id| {
                catalog.emails.remove(id);
            },
        ),
        IndexedTable::FileEdits => stored.each_by_number(
            catalog,
            |catalog, edit: FileEdit| catalog.file_edits.put(&edit),
            |catalog, number| catalog.file_edits.remove(number),
        ),
        IndexedTable::Changes => stored.each_by_number(
            catalog,
            |catalog, change| catalog.changes.put(change),
            |catalog, number| catalog.changes.remove(number),
        ),
    }
}

/// Loads the facts about the site.
fn load_facts(snapshot: &dyn Snapshot, catalog: &mut Catalog) -> Result<()> {
    catalog.began_at = fact(snapshot, BEGAN_AT)?;
    catalog.image_widths = fact(snapshot, IMAGE_WIDTHS)?
        .unwrap_or_else(|| DEFAULT_IMAGE_WIDTHS.to_vec())
        .into();
    catalog.member_secret = members::secret(snapshot)?;
    catalog.ghost_member_secret = members::ghost_secret(snapshot)?;
    catalog.identity_key = member_tokens::identity_key(snapshot)?;
    catalog.last_webhook_delivery = webhook_deliveries::last_number(snapshot)?;
    if let Some(number) = fact(snapshot, COMPLETE_SINCE)? {
        catalog.changes.forget_until(number);
    }
    Ok(())
}

fn load_posts(stored: &StoredTable<'_>, catalog: &mut Catalog) -> Result<()> {
    // Building one index of all posts is faster than inserting one post after the other.
    if stored.changes.is_none() {
        catalog.posts = posts(stored.snapshot)?;
        return Ok(());
    }
    stored.each_by_id(
        catalog,
        |catalog, post| catalog.posts.put(post),
        |catalog, id| {
            catalog.posts.remove(id);
        },
    )
}

fn load_members(stored: &StoredTable<'_>, catalog: &mut Catalog) -> Result<()> {
    if stored.changes.is_none() {
        let put = |member| catalog.members.put(member);
        return decode_all(
            stored.snapshot,
            Table::Members,
            |stored| stored.decode(),
            put,
        );
    }
    stored.each_by_id(
        catalog,
        |catalog, member| catalog.members.put(member),
        |catalog, id| {
            catalog.members.remove(id);
        },
    )
}

fn load_sessions(stored: &StoredTable<'_>, catalog: &mut Catalog) -> Result<()> {
    stored.each(
        catalog,
        |catalog, session| catalog.sessions.put(session),
        |catalog, key| {
            if let Some(digest) = key.first_chunk() {
                catalog.sessions.remove(&Digest::from_bytes(*digest));
            }
        },
    )
}

/// Returns the fact about the site that is stored under `key`.
fn fact<T: DeserializeOwned>(snapshot: &dyn Snapshot, key: &[u8]) -> Result<Option<T>> {
    let record = snapshot.get(Table::Meta, key)?;
    let fact = record.map(|record| records::decode(Table::Meta, &record.bytes));
    fact.transpose()
}

fn posts(snapshot: &dyn Snapshot) -> Result<PostIndex> {
    let mut posts = Vec::new();
    let decode = |stored: StoredRecord| {
        let mut post: Post = stored.decode()?;
        // All posts stay in memory, so the excess capacity of decoding is released.
        post.shrink();
        Ok(Arc::new(post))
    };
    decode_all(snapshot, Table::Posts, decode, |post| posts.push(post))?;
    Ok(PostIndex::of(&posts))
}

fn redirects(snapshot: &dyn Snapshot) -> Result<Redirects> {
    let Some(record) = snapshot.get(Table::SiteFiles, REDIRECTS)? else {
        return Ok(Redirects::default());
    };
    let file: RedirectsFile = records::decode(Table::SiteFiles, &record.bytes)?;
    // The redirects were valid when they were uploaded. If this version rejects them, the site is served without
    // redirects.
    Ok(Redirects::compile(&file.redirects).unwrap_or_else(|error| {
        tracing::error!(%error, "the redirects cannot be used");
        Redirects::default()
    }))
}

fn routes(snapshot: &dyn Snapshot) -> Result<Routes> {
    let Some(record) = snapshot.get(Table::SiteFiles, ROUTES)? else {
        return Ok(Routes::default());
    };
    let text: String = records::decode(Table::SiteFiles, &record.bytes)?;
    // The routes were valid when they were uploaded. If this version rejects them, the site uses the default
    // routes.
    Ok(routing::parse(&text).unwrap_or_else(|error| {
        tracing::error!(?error, "the routes cannot be used");
        Routes::default()
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
        // Stores from before the keys were recorded only have settings from content files.
        None => values.keys().cloned().collect(),
    };
    Ok(Settings::with_file(values, of_file))
}
