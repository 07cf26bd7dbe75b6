//! The catalog of what the store holds, read once when a site is opened.

use std::{
    collections::BTreeMap,
    ops::{ControlFlow, Range},
    sync::Arc,
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::de::DeserializeOwned;

use super::{
    actions, change_feed, members, records, settings::KEYS_OF_FILE, site_files::REDIRECTS,
    themes::IMAGE_WIDTHS, webhook_deliveries,
};
use crate::{
    catalog::{Catalog, posts::PostIndex},
    domain::{
        post::Post,
        redirect::{Redirects, RedirectsFile},
        setting::Settings,
        theme::DEFAULT_IMAGE_WIDTHS,
    },
    error::Result,
    store::{Keys, Snapshot, Table},
};

/// How much is decoded at once, in bytes: some thousands of records.
const DECODED_AT_ONCE_BYTES: usize = 4 * 1024 * 1024;

/// Reads everything but the bodies.
///
/// # Errors
///
/// When the store cannot be read or holds a record that this program cannot read.
pub fn catalog(snapshot: &dyn Snapshot) -> Result<Catalog> {
    let mut catalog = Catalog::default();
    catalog.revision = snapshot.revision();
    catalog.readers_revision = catalog.revision;
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
    each(snapshot, Table::Members, |member| {
        catalog.members.put(member)
    })?;
    each(snapshot, Table::Emails, |email| catalog.emails.put(email))?;
    catalog.member_secret = members::secret(snapshot)?;
    catalog.changes = change_feed::load(snapshot)?;
    catalog.last_action = actions::last_number(snapshot)?;
    catalog.last_webhook_delivery = webhook_deliveries::last_number(snapshot)?;
    Ok(catalog)
}

fn posts(snapshot: &dyn Snapshot) -> Result<PostIndex> {
    let mut posts = Vec::new();
    let make = |_: &[u8], mut post: Post| {
        post.shrink();
        Arc::new(post)
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
    // They were good when they were sent. Should this program take them no more, the site is served without them.
    Ok(Redirects::compile(&file.redirects).unwrap_or_else(|error| {
        tracing::error!(%error, "the redirects cannot be used");
        Redirects::default()
    }))
}

fn settings(snapshot: &dyn Snapshot) -> Result<Settings> {
    let mut values = BTreeMap::new();
    visit(snapshot, Table::Settings, |key, bytes| {
        let value = records::decode(Table::Settings, bytes)?;
        values.insert(String::from_utf8_lossy(key).into_owned(), value);
        Ok(())
    })?;
    let of_file = match snapshot.get(Table::Meta, KEYS_OF_FILE)? {
        Some(record) => records::decode(Table::Meta, &record.bytes)?,
        // Before this was remembered, only content files set anything.
        None => values.keys().cloned().collect(),
    };
    Ok(Settings::with_file(values, of_file))
}

/// Reads all records of a table into a catalog.
fn each<R: DeserializeOwned + Send>(
    snapshot: &dyn Snapshot,
    table: Table,
    put: impl FnMut(R),
) -> Result<()> {
    decode_all(snapshot, table, |_, record| record, put)
}

/// Reads all records of a table, in ascending order of their keys: makes something of each on all processors, and hands that
/// over. Most of the time that a large site takes to open is spent here. Only some are read at once, so that hardly anything
/// is in memory twice.
///
/// # Errors
///
/// When the store cannot be read or holds a record that this program cannot read.
pub fn decode_all<R: DeserializeOwned, T: Send>(
    snapshot: &dyn Snapshot,
    table: Table,
    make: impl Fn(&[u8], R) -> T + Sync,
    mut put: impl FnMut(T),
) -> Result<()> {
    let mut encoded = Encoded::default();
    let mut decode = |encoded: &mut Encoded| -> Result<()> {
        let decode_one = |place: &Range<usize>, key_bytes: usize| -> Result<T> {
            let (key, bytes) = encoded.bytes[place.clone()].split_at(key_bytes);
            Ok(make(key, records::decode(table, bytes)?))
        };
        let made: Vec<T> = encoded
            .places
            .par_iter()
            .map(|(place, key_bytes)| decode_one(place, *key_bytes))
            .collect::<Result<_>>()?;
        made.into_iter().for_each(&mut put);
        encoded.bytes.clear();
        encoded.places.clear();
        Ok(())
    };
    visit(snapshot, table, |key, bytes| {
        encoded.add(key, bytes);
        match encoded.bytes.len() < DECODED_AT_ONCE_BYTES {
            true => Ok(()),
            false => decode(&mut encoded),
        }
    })?;
    decode(&mut encoded)
}

/// Records that are to be decoded, one behind the other.
#[derive(Default)]
struct Encoded {
    bytes: Vec<u8>,
    /// Where each lies, its key first, and how long the key is.
    places: Vec<(Range<usize>, usize)>,
}

impl Encoded {
    fn add(&mut self, key: &[u8], bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(bytes);
        self.places.push((start..self.bytes.len(), key.len()));
    }
}

/// Visits all records of a table until one cannot be read.
pub fn visit(
    snapshot: &dyn Snapshot,
    table: Table,
    mut visitor: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    let mut outcome = Ok(());
    snapshot.scan(
        table,
        &Keys::all(),
        &mut |key, _revision, bytes| match visitor(key, bytes) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                outcome = Err(error);
                ControlFlow::Break(())
            }
        },
    )?;
    outcome
}
