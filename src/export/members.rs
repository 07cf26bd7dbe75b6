//! Export of members as CSV, with Ghost's columns and one for newsletters.

use std::{
    collections::{HashMap, HashSet},
    io::{self, Write},
};

use csv::{Terminator, WriterBuilder};
use jiff::Timestamp;

use super::ExportError;
use crate::{
    catalog::Catalog,
    clock,
    domain::member::{Member, Status},
    id::Id,
    render::spreadsheet_cell::escape_cell,
};

/// The columns and their order: those of Ghost (6.65, recorded), and the newsletters.
pub const COLUMNS: [&str; 12] = [
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
    "newsletters",
];

/// Writes members, as of the time of the export, in the given order; returns their number.
///
/// The format is that of Ghost's lists: lines end with CR LF, a complimentary plan is `true` or
/// empty, `deleted_at` is always empty, labels, tiers and newsletters are separated by commas, and
/// cells are escaped so that spreadsheets do not evaluate them as formulas.
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
    // Explicit, because dropping the writer would ignore an error.
    rows.flush()?;
    Ok(count)
}

/// Returns remarks about values of these members that the list cannot contain, for the person who
/// exports them.
pub fn remarks<'m>(catalog: &Catalog, members: impl Iterator<Item = &'m Member>) -> Vec<String> {
    let mut remarks = remarks_on_names(catalog);
    let (mut paying, mut ending, mut deleted, mut suppressed) = (0, 0, 0, 0);
    for member in members {
        paying += usize::from(member.pays);
        ending += usize::from(member.tiers.iter().any(|grant| grant.expires_at.is_some()));
        deleted += usize::from(!member.tiers_deleted.is_empty());
        suppressed += usize::from(member.email_suppression.is_some());
    }
    let states = [
        (
            paying,
            "who pay for a tier",
            "they have no tier after an import",
        ),
        (
            ending,
            "with a tier that expires",
            "it does not expire after an import",
        ),
        (
            deleted,
            "with a grant of a deleted tier",
            "the tier is not in the list",
        ),
        (
            suppressed,
            "who receive no mail because of a bounce or a complaint",
            "they receive mail again after an import",
        ),
    ];
    let states = states.into_iter().filter(|(count, ..)| *count > 0);
    remarks.extend(states.map(|(count, who, what)| format!("members {who}: {count}; {what}")));
    remarks
}

/// Returns remarks about names that are ambiguous in a list: a label with a comma is imported as
/// several labels, and of several records with the same name, an import uses the first.
fn remarks_on_names(catalog: &Catalog) -> Vec<String> {
    let labels = catalog.labels.iter().map(|label| &*label.name);
    let with_comma = labels.filter(|name| name.contains(','));
    let mut remarks: Vec<String> = with_comma
        .map(|name| {
            format!("label \"{name}\": an import reads it as several labels, because of the comma")
        })
        .collect();
    let tiers = catalog.tiers.iter().map(|tier| ("tier", &*tier.name));
    let newsletters = catalog.newsletters.iter();
    let newsletters = newsletters.map(|newsletter| ("newsletter", &*newsletter.name));
    let mut known = HashSet::new();
    for (kind, name) in tiers.chain(newsletters) {
        if !known.insert((kind, name)) {
            remarks.push(format!(
                "{kind} \"{name}\": several have this name; an import uses the first"
            ));
        }
    }
    remarks
}

/// The names of labels, tiers and newsletters.
struct Names<'a> {
    labels: HashMap<Id, &'a str>,
    tiers: HashMap<Id, &'a str>,
    newsletters: HashMap<Id, &'a str>,
}

impl<'a> Names<'a> {
    fn of(catalog: &'a Catalog) -> Self {
        let labels = catalog.labels.iter().map(|label| (label.id, &*label.name));
        let tiers = catalog.tiers.iter().map(|tier| (tier.id, &*tier.name));
        let newsletters = catalog.newsletters.iter();
        let newsletters = newsletters.map(|newsletter| (newsletter.id, &*newsletter.name));
        Self {
            labels: labels.collect(),
            tiers: tiers.collect(),
            newsletters: newsletters.collect(),
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
            joined(&self.newsletters, member.newsletters.iter().copied()),
        ]
    }
}

/// Returns the names of the existing records, separated by commas.
fn joined(names: &HashMap<Id, &str>, ids: impl Iterator<Item = Id>) -> String {
    let own_names: Vec<&str> = ids.filter_map(|id| names.get(&id).copied()).collect();
    // Escaped after joining: a spreadsheet evaluates the cell as a whole.
    escape_cell(&own_names.join(","))
}

fn date(time: Timestamp) -> String {
    let utc = clock::utc(time);
    utc.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}
