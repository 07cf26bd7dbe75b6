//! The catalog of what the store holds, read once when a site is opened.

use std::{collections::BTreeMap, ops::ControlFlow, sync::Arc};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::de::DeserializeOwned;

use super::{
    actions, change_feed, members, records, settings::KEYS_OF_FILE, site_files::REDIRECTS,
    themes::IMAGE_WIDTHS, webhook_deliveries,
};
use crate::{
    catalog::Catalog,
    domain::{
        redirect::{Redirects, RedirectsFile},
        setting::Settings,
        theme::DEFAULT_IMAGE_WIDTHS,
    },
    error::Result,
    store::{Keys, Snapshot, Table},
};

/// How many records are decoded at once.
const DECODED_AT_ONCE: usize = 4096;

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
    each(snapshot, Table::Posts, |post| catalog.posts.put(post))?;
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

/// Reads all records of a table, on all processors: most of the time that a large site takes to open is spent here. Only
/// some at once, so that hardly anything is in memory twice.
fn each<R: DeserializeOwned + Send>(
    snapshot: &dyn Snapshot,
    table: Table,
    mut put: impl FnMut(R),
) -> Result<()> {
    let mut encoded: Vec<Box<[u8]>> = Vec::new();
    let mut decode = |encoded: &mut Vec<Box<[u8]>>| -> Result<()> {
        let records: Vec<R> = std::mem::take(encoded)
            .into_par_iter()
            .map(|bytes| records::decode(table, &bytes))
            .collect::<Result<_>>()?;
        records.into_iter().for_each(&mut put);
        Ok(())
    };
    visit(snapshot, table, |_, bytes| {
        encoded.push(bytes.into());
        match encoded.len() < DECODED_AT_ONCE {
            true => Ok(()),
            false => decode(&mut encoded),
        }
    })?;
    decode(&mut encoded)
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
