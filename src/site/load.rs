//! Loads the catalog from the store, once when a site is opened.

use std::{
    collections::BTreeMap,
    mem,
    ops::{ControlFlow, Range},
    panic::resume_unwind,
    sync::{
        Arc,
        mpsc::{self, Receiver, SyncSender},
    },
    thread,
};

use jiff::Timestamp;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::de::DeserializeOwned;

use super::{
    actions, change_feed,
    collection::BEGAN_AT,
    members,
    records::{self, StoredRecord},
    settings::IMAGE_WIDTHS,
    settings::KEYS_OF_FILE,
    site_files::REDIRECTS,
    webhook_deliveries,
};
use crate::{
    catalog::{Catalog, posts::PostIndex},
    domain::{
        post::Post,
        redirect::{Redirects, RedirectsFile},
        setting::Settings,
        theme::DEFAULT_IMAGE_WIDTHS,
    },
    error::{Error, Result},
    store::{Keys, Snapshot, Table},
};

/// Number of bytes that are decoded at once: some thousands of records.
const DECODED_AT_ONCE_BYTES: usize = 4 * 1024 * 1024;

/// Returns the catalog: everything but the bodies.
///
/// # Errors
///
/// If the store cannot be read or holds a record that this program cannot read.
pub fn catalog(snapshot: &dyn Snapshot) -> Result<Catalog> {
    let mut catalog = Catalog::default();
    catalog.revision = snapshot.revision();
    catalog.readers_revision = catalog.revision;
    catalog.began_at = began_at(snapshot)?;
    catalog.settings = Arc::new(settings(snapshot)?);
    each(snapshot, Table::Tags, |tag| catalog.tags.put(tag))?;
    each(snapshot, Table::Users, |user| catalog.users.put(user))?;
    each(snapshot, Table::Tiers, |tier| catalog.tiers.put(tier))?;
    each(snapshot, Table::Newsletters, |newsletter| {
        catalog.newsletters.put(newsletter)
    })?;
    each(snapshot, Table::Labels, |label| catalog.labels.put(label))?;
    each(snapshot, Table::Recommendations, |recommendation| {
        catalog.recommendations.put(recommendation)
    })?;
    each(snapshot, Table::Offers, |offer| catalog.offers.put(offer))?;
    each(snapshot, Table::Integrations, |integration| {
        catalog.put_integration(integration)
    })?;
    each(snapshot, Table::StaffTokens, |token| {
        catalog.put_staff_token(token)
    })?;
    each(snapshot, Table::Sessions, |session| {
        catalog.sessions.put(session)
    })?;
    each(snapshot, Table::Webhooks, |webhook| {
        catalog.webhooks.put(webhook)
    })?;
    catalog.posts = posts(snapshot)?;
    catalog.image_widths = image_widths(snapshot)?.into();
    catalog.redirects = Arc::new(redirects(snapshot)?);
    decode_all(
        snapshot,
        Table::Members,
        |stored| stored.decode(),
        |member| catalog.members.put(member),
    )?;
    each(snapshot, Table::Emails, |email| catalog.emails.put(email))?;
    catalog.member_secret = members::secret(snapshot)?;
    catalog.changes = change_feed::load(snapshot)?;
    catalog.last_action = actions::last_number(snapshot)?;
    catalog.last_webhook_delivery = webhook_deliveries::last_number(snapshot)?;
    Ok(catalog)
}

fn began_at(snapshot: &dyn Snapshot) -> Result<Option<Timestamp>> {
    let record = snapshot.get(Table::Meta, BEGAN_AT)?;
    let time = record.map(|record| records::decode(Table::Meta, &record.bytes));
    time.transpose()
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

fn image_widths(snapshot: &dyn Snapshot) -> Result<Vec<u32>> {
    match snapshot.get(Table::Meta, IMAGE_WIDTHS)? {
        Some(record) => records::decode(Table::Meta, &record.bytes),
        None => Ok(DEFAULT_IMAGE_WIDTHS.to_vec()),
    }
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

/// Loads all records of a table into a catalog.
fn each<R: DeserializeOwned>(
    snapshot: &dyn Snapshot,
    table: Table,
    mut put: impl FnMut(R),
) -> Result<()> {
    records::visit_all(snapshot, table, |_, bytes| {
        put(records::decode(table, bytes)?);
        Ok(())
    })
}

/// Reads all records of a large table in ascending order of their keys, converts each with `make`
/// on all processors, and passes the results to `put`. Most of the time that a large site takes to
/// open is spent here, so records are read while others are decoded; only a bounded part is decoded
/// at once, so that hardly anything is in memory twice.
///
/// # Errors
///
/// If the store cannot be read or no thread can be started, or the error of `make`.
pub fn decode_all<T: Send>(
    snapshot: &dyn Snapshot,
    table: Table,
    make: impl Fn(StoredRecord<'_>) -> Result<T> + Sync,
    mut put: impl FnMut(T),
) -> Result<()> {
    let (full, filled) = mpsc::sync_channel(1);
    let (empty, emptied) = mpsc::channel();
    thread::scope(|scope| {
        let scan = thread::Builder::new().name("read ahead".to_owned());
        let scan = scan
            .spawn_scoped(scope, move || read_ahead(snapshot, table, &full, &emptied))
            .map_err(Error::internal)?;
        let mut decode = |encoded: &EncodedRecords| -> Result<()> {
            let ranges = encoded.ranges.par_iter();
            let decoded: Vec<Result<T>> = ranges
                .map(|place| make(encoded.stored(table, place)))
                .collect();
            for decoded in decoded {
                put(decoded?);
            }
            Ok(())
        };
        for mut encoded in filled {
            decode(&encoded)?;
            encoded.clear();
            // Fails once everything is read, when no empty buffer is needed any more.
            let _ = empty.send(encoded);
        }
        scan.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Reads all records of a table and sends them some thousands at a time, in buffers that come back
/// empty.
fn read_ahead(
    snapshot: &dyn Snapshot,
    table: Table,
    full: &SyncSender<EncodedRecords>,
    emptied: &Receiver<EncodedRecords>,
) -> Result<()> {
    let mut encoded = EncodedRecords::default();
    snapshot.scan(table, &Keys::all(), &mut |key, _revision, bytes| {
        encoded.add(key, bytes);
        if encoded.bytes.len() < DECODED_AT_ONCE_BYTES {
            return ControlFlow::Continue(());
        }
        let next = emptied.try_recv().unwrap_or_default();
        match full.send(mem::replace(&mut encoded, next)) {
            Ok(()) => ControlFlow::Continue(()),
            // The receiver stopped because a record cannot be decoded.
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    let _ = full.send(encoded);
    Ok(())
}

/// Records in encoded form, stored one after the other.
#[derive(Default)]
struct EncodedRecords {
    bytes: Vec<u8>,
    /// The range of each record, key first, and the length of its key.
    ranges: Vec<(Range<usize>, usize)>,
}

impl EncodedRecords {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ranges.clear();
    }

    fn stored<'e>(
        &'e self,
        table: Table,
        (place, key_bytes): &(Range<usize>, usize),
    ) -> StoredRecord<'e> {
        let (key, bytes) = self.bytes[place.clone()].split_at(*key_bytes);
        StoredRecord { key, table, bytes }
    }

    fn add(&mut self, key: &[u8], bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(bytes);
        self.ranges.push((start..self.bytes.len(), key.len()));
    }
}
