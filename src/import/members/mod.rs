//! Lists of members as CSV: those that Ghost and Galley write, and others with a column of addresses.
//!
//! A member is known by the address. One that is there already is added to, never emptied: name and note are replaced by
//! what the list has, labels are joined, and who has unsubscribed here stays unsubscribed whatever an older list says
//! (Ghost 6.65, recorded; Ghost puts a label of its own on every import, which is an option here, since doing an import again
//! changes everybody then). A row that cannot be taken is reported with its line, and the rest comes in.

mod columns;
mod row;
mod rows;
mod tiers;

use std::{
    collections::{HashMap, hash_map::Entry},
    io::Read,
    sync::Arc,
};

use self::{
    columns::Columns,
    row::{Consent, Row},
    rows::Rows,
    tiers::PaidTiers,
};
use super::{Outcome, Progress, Report};
use crate::{
    domain::{
        member::{Member, Origin, Status, TierGrant},
        member_event::EventSource,
    },
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// Most labels that one list may name.
pub const LABELS_MAX: usize = 5000;

/// What members are called in reports.
pub const KIND: &str = "members";

/// How many rows go by between two words about progress.
const PROGRESS_ROWS: u64 = 1000;

/// How a list is meant.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What columns say that are called otherwise than is known: by their names, the names that are. One that is mapped to
    /// nothing is skipped.
    pub mapping: HashMap<String, String>,
    /// Names of labels that everybody gets whom the list is about.
    pub labels: Vec<String>,
    /// Whether of several rows about one member all count, the last one most. Otherwise the first one does alone.
    pub takes_repeated: bool,
}

/// Brings in the members of a list: CSV with a header, `bytes_total` long. Returns how many rows it has that are not empty.
///
/// # Errors
///
/// `Validation` when `csv` is no list of members: without a column of addresses, not UTF-8, with a row or a number of rows
/// or labels beyond `rows::ROW_BYTES_MAX`, `rows::ROWS_MAX`, [`LABELS_MAX`]. The transaction is not to be committed then.
pub fn import(
    transaction: &mut Transaction,
    csv: impl Read,
    bytes_total: u64,
    options: &Options,
    report: &mut Report,
    progress: &dyn Progress,
) -> Result<u64> {
    let mut rows = Rows::open(csv)?;
    let columns = Columns::of(rows.header(), &options.mapping)?;
    for name in columns.unknown() {
        report.leave_out(
            format!("column \"{name}\""),
            "members have no field of this name",
        );
    }
    let site_zone = transaction.catalog().settings.time_zone();
    let now = transaction.now();
    let mut import = Import::new(transaction, options, report);
    let mut row_count = 0;
    let mut until_progress = PROGRESS_ROWS;
    while let Some(raw) = rows.next()? {
        let line = raw.line;
        let row = Row::read(raw.cells, &columns, &site_zone, now);
        row_count += u64::from(!matches!(row, Ok(None)));
        match row {
            Ok(Some(row)) => import.take(line, row)?,
            Ok(None) => {}
            Err(reason) => import.leave_out(line, reason),
        }
        until_progress -= 1;
        if until_progress == 0 {
            progress.advance(rows.bytes_done(), bytes_total);
            until_progress = PROGRESS_ROWS;
        }
    }
    progress.advance(bytes_total, bytes_total);
    Ok(row_count)
}

/// An import under way.
struct Import<'a> {
    transaction: &'a mut Transaction,
    options: &'a Options,
    report: &'a mut Report,
    /// What new members get by mail.
    default_newsletters: Vec<Id>,
    tiers: PaidTiers,
    /// The labels that rows have named so far.
    labels: HashMap<String, Id>,
    /// The members that rows were about so far, and their lines.
    seen: HashMap<Id, u64>,
}

impl<'a> Import<'a> {
    fn new(transaction: &'a mut Transaction, options: &'a Options, report: &'a mut Report) -> Self {
        let catalog = transaction.catalog();
        let mut newsletters: Vec<_> = catalog
            .newsletters
            .iter()
            .filter(|newsletter| newsletter.is_for_new_members())
            .collect();
        newsletters.sort_by_key(|newsletter| (newsletter.sort_order, newsletter.id));
        Self {
            default_newsletters: newsletters.iter().map(|newsletter| newsletter.id).collect(),
            tiers: PaidTiers::of(catalog),
            labels: HashMap::new(),
            seen: HashMap::new(),
            transaction,
            options,
            report,
        }
    }

    fn leave_out(&mut self, line: u64, reason: impl Into<String>) {
        self.report.leave_out(format!("line {line}"), reason);
    }

    /// Adds the member that a row is about, or changes the one that is there.
    fn take(&mut self, line: u64, mut row: Row) -> Result<()> {
        let known = self.known(&row);
        let mut member = match &known {
            Some(known) => Member::clone(known),
            None => self.new_member(&row)?,
        };
        match self.seen.entry(member.id) {
            Entry::Occupied(_) if self.options.takes_repeated => {}
            Entry::Occupied(first) => {
                let first = first.get();
                let reason = format!("{} stands in line {first} already", row.email);
                self.leave_out(line, reason);
                return Ok(());
            }
            Entry::Vacant(place) => {
                place.insert(line);
            }
        }
        self.fill(&mut member, &mut row, known.is_none());
        if let Err(error) = member.check() {
            self.seen.remove(&member.id);
            self.leave_out(line, error.message());
            return Ok(());
        }
        self.label(&mut member, &mut row)?;
        let outcome = match &known {
            None => Outcome::Added,
            Some(known) if **known == member => Outcome::Unchanged,
            Some(known) => {
                member.updated_at = self.transaction.now_after(known.updated_at);
                Outcome::Updated
            }
        };
        self.transaction.save_member(member.clone())?;
        match &known {
            // The newsletters of somebody who is new are those of the day; that is not reported for each.
            None => self
                .transaction
                .record_sign_up(&member, EventSource::Import)?,
            Some(known) => {
                self.transaction
                    .record_member_change(Some(known), &member, EventSource::Import)?;
            }
        }
        self.report.count(KIND, outcome);
        for remark in row.remarks {
            self.report.change(format!("line {line}"), remark);
        }
        Ok(())
    }

    /// The member that a row is about: the one who has its address to the letter, or else in other letters. Two of one list
    /// who differ in that alone are two, if the list has identifiers to tell them by.
    fn known(&self, row: &Row) -> Option<Arc<Member>> {
        let members = &self.transaction.catalog().members;
        let exact = members.with_email(&row.email);
        let alike = || {
            let alike = members.by_email(&row.email);
            alike.filter(|known| row.id.is_none() || !self.seen.contains_key(&known.id))
        };
        exact.or_else(alike).cloned()
    }

    /// A member who is known by address, under the identifier that the list has unless that is somebody else's.
    fn new_member(&self, row: &Row) -> Result<Member> {
        let now = self.transaction.now();
        let id = match row.id {
            Some(id) if self.transaction.catalog().members.get(id).is_none() => id,
            _ => Id::generate(now).map_err(Error::internal)?,
        };
        let mut member = Member::new(id, &row.email, now);
        member.origin = Some(Origin::Import);
        if let Some(created_at) = row.created_at {
            member.created_at = created_at;
        }
        Ok(member)
    }

    /// Fills in everything but the labels. Cells that are empty change nothing.
    fn fill(&self, member: &mut Member, row: &mut Row, is_new: bool) {
        if row.name.is_some() {
            member.name = row.name.take();
        }
        if row.note.is_some() {
            member.note = row.note.take();
        }
        if row.stripe_customer_id.is_some() {
            member.stripe_customer_id = row.stripe_customer_id.take();
        }
        match row.consent {
            Consent::Given | Consent::NotSaid if is_new => {
                member.newsletters = self.default_newsletters.clone();
            }
            Consent::Given if !member.is_subscribed() => row
                .remarks
                .push(format!("{} has unsubscribed here and stays so", row.email)),
            Consent::Refused => member.newsletters.clear(),
            Consent::Given | Consent::NotSaid | Consent::Unclear => {}
        }
        if row.is_complimentary {
            self.give_tiers(member, row);
        }
    }

    fn give_tiers(&self, member: &mut Member, row: &mut Row) {
        if member.status == Status::Paid {
            row.remarks
                .push(format!("{} pays for a tier and is given none", row.email));
            return;
        }
        let named = row.import_tier.as_deref().or(row.tiers.as_deref());
        let found = match named {
            Some(named) => self.tiers.named(named),
            None => self.tiers.default(),
        };
        match found {
            Ok(tiers) => {
                member.status = Status::Comped;
                for tier in tiers {
                    if !member.tiers.iter().any(|grant| grant.tier == tier) {
                        member.tiers.push(TierGrant {
                            tier,
                            expires_at: None,
                        });
                    }
                }
            }
            Err(reason) => row
                .remarks
                .push(format!("{} is given no tier: {reason}", row.email)),
        }
    }

    /// Puts the row's labels on the member, and makes those that there are not.
    fn label(&mut self, member: &mut Member, row: &mut Row) -> Result<()> {
        let for_everybody = self.options.labels.iter().cloned();
        for name in std::mem::take(&mut row.labels)
            .into_iter()
            .chain(for_everybody)
        {
            match self.label_id(name) {
                Ok(id) if member.labels.contains(&id) => {}
                Ok(id) => member.labels.push(id),
                Err(error) if error.property_name() == Some("name") => {
                    row.remarks
                        .push(format!("a label is left out: {}", error.message()));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn label_id(&mut self, name: String) -> Result<Id> {
        if let Some(id) = self.labels.get(&name) {
            return Ok(*id);
        }
        if self.labels.len() == LABELS_MAX {
            return Err(Error::new(
                Kind::Validation,
                format!("The list names more than {LABELS_MAX} labels."),
            )
            .help("Look whether the column \"labels\" holds something else."));
        }
        let id = match self.transaction.label_called(&name) {
            Some(label) => label.id,
            None => self.transaction.add_label(&name)?.id,
        };
        self.labels.insert(name, id);
        Ok(id)
    }
}
