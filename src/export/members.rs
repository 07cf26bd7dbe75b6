//! Export of members as CSV, with Ghost's columns.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use csv::{Terminator, WriterBuilder};
use jiff::Timestamp;

use super::ExportError;
use crate::{
    catalog::Catalog,
    domain::member::{Member, Status},
    id::Id,
    render::spreadsheet_cell::escape_cell,
};

/// The columns and their order (Ghost 6.65, recorded).
pub const COLUMNS: [&str; 11] = [
    "id",
    "email",
    "name",
    "note",
    "subscribed_to_emails",
    "complimentary_plan",
    "stripe_customer_id",
    "created_at",
    "deleted_at",
    "labels",
    "tiers",
];

/// Writes members, as of the time of the export, in the given order; returns their number.
///
/// The format is that of Ghost's lists: lines end with CR LF, a complimentary plan is `true` or
/// empty, `deleted_at` is always empty, labels and tiers are separated by commas, and cells are
/// escaped so that spreadsheets do not evaluate them as formulas.
///
/// # Errors
///
/// `Output` if `out` cannot be written.
pub fn write<'m>(
    catalog: &Catalog,
    members: impl Iterator<Item = &'m Member>,
    out: impl Write,
) -> Result<usize, ExportError> {
    let names = Names::of(catalog);
    let mut rows = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(out);
    rows.write_record(COLUMNS).map_err(io::Error::from)?;
    let mut count = 0;
    for member in members {
        rows.write_record(names.row(member))
            .map_err(io::Error::from)?;
        count += 1;
    }
    rows.flush()?;
    Ok(count)
}

/// The names of labels and tiers.
struct Names<'a> {
    labels: HashMap<Id, &'a str>,
    tiers: HashMap<Id, &'a str>,
}

impl<'a> Names<'a> {
    fn of(catalog: &'a Catalog) -> Self {
        let labels = catalog.labels.iter().map(|label| (label.id, &*label.name));
        let tiers = catalog.tiers.iter().map(|tier| (tier.id, &*tier.name));
        Self {
            labels: labels.collect(),
            tiers: tiers.collect(),
        }
    }

    fn row(&self, member: &Member) -> [String; COLUMNS.len()] {
        let optional = |text: &Option<Box<str>>| escape_cell(text.as_deref().unwrap_or_default());
        let complimentary = match member.status() {
            Status::Comped => "true".to_owned(),
            Status::Free | Status::Paid => String::new(),
        };
        let tiers = member.tiers.iter().map(|grant| grant.tier);
        [
            member.id.to_string(),
            escape_cell(&member.email),
            optional(&member.name),
            optional(&member.note),
            member.is_subscribed().to_string(),
            complimentary,
            optional(&member.stripe_customer_id),
            date(member.created_at),
            String::new(),
            joined(&self.labels, member.labels.iter().copied()),
            joined(&self.tiers, tiers),
        ]
    }
}

/// Returns the names of the existing records, separated by commas.
fn joined(names: &HashMap<Id, &str>, ids: impl Iterator<Item = Id>) -> String {
    let own_names: Vec<&str> = ids.filter_map(|id| names.get(&id).copied()).collect();
    escape_cell(&own_names.join(","))
}

fn date(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}
