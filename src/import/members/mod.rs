//! Imports lists of members as CSV: those of Ghost and Galley, and others with a column of e-mail addresses.
//!
//! Members are identified by e-mail address. An import updates an existing member and never clears fields: name and
//! note are replaced by those of the list, labels are merged, and a member who has unsubscribed on this site stays
//! unsubscribed even if the list says otherwise. A new member gets the newsletters that the list names, or else the
//! default ones.
//!
//! A member whose row says that there is no complimentary plan loses it (Ghost 6.65, recorded). Ghost also adds a label
//! for each import; here that is an option, because otherwise a repeated import would change every member.
//!
//! An invalid row is reported with its line, and the other rows are imported.

mod columns;
mod names;
mod row;
mod rows;
mod tiers;

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    io::Read,
    sync::Arc,
};

use uuid::Uuid;

use self::{
    columns::Columns,
    names::{NamedRecord, named},
    row::{Consent, MemberRow},
    rows::MemberRows,
    tiers::PaidTiers,
};
use super::{Outcome, Report};
use crate::{
    catalog::Catalog,
    domain::{
        member::{Member, MemberOrigin, Status, TierGrant},
        member_event::EventSource,
    },
    error::{Error, Kind, Result},
    id::Id,
    progress::Progress,
    site::Transaction,
};

/// Maximum number of labels that one list may name.
pub const LABELS_MAX: usize = 5000;

/// The name of members in reports.
pub const KIND: &str = "members";

/// Number of rows between two progress reports.
const PROGRESS_ROWS: u64 = 1000;

/// Options of a list.
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// Known column names, by the names that the file uses instead. A column that is mapped to the empty string is skipped.
    pub mapping: HashMap<String, String>,
    /// Names of labels for every member of the list.
    pub labels: Vec<String>,
    /// True if several rows about one member are applied in order. Otherwise only the first one counts.
    pub applies_repeated_rows: bool,
}

/// Imports the members of a list: CSV with a header, `bytes_total` long. Returns the number of rows that are not empty.
///
/// # Errors
///
/// `Validation` if `csv` is not a list of members: it has no column of e-mail addresses, is not UTF-8, or exceeds
/// `rows::ROW_BYTES_MAX`, `rows::ROWS_MAX` or [`LABELS_MAX`]. The transaction must not be committed then.
pub fn import(
    transaction: &mut Transaction,
    csv: impl Read,
    bytes_total: u64,
    options: &ListOptions,
    report: &mut Report,
    progress: &dyn Progress,
) -> Result<u64> {
    let mut rows = MemberRows::open(csv)?;
    let columns = Columns::of(rows.header(), &options.mapping)?;
    for name in columns.unknown() {
        report.leave_out(
            format!("column \"{name}\""),
            "members have no field of this name",
        );
    }
    let site_zone = transaction.catalog().settings.time_zone();
    let now = transaction.now();
    let mut import = MemberImport::new(transaction, options, report);
    let mut row_count = 0;
    let mut until_progress = PROGRESS_ROWS;
    while let Some(raw) = rows.next()? {
        let line = raw.line;
        let row = MemberRow::read(raw.cells, &columns, &site_zone, now);
        // Invalid rows count, too, as in Ghost's `originalImportSize` (recorded in
        // admin-members-csv).
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

/// A running import.
struct MemberImport<'a> {
    transaction: &'a mut Transaction,
    options: &'a ListOptions,
    report: &'a mut Report,
    /// The newsletters of new members.
    default_newsletters: Vec<Id>,
    /// All newsletters.
    newsletters: Vec<NamedRecord>,
    tiers: PaidTiers,
    /// The UUIDs of all members.
    uuids: HashSet<Uuid>,
    /// The identifiers of labels in the rows so far, by name.
    labels: HashMap<String, Id>,
    /// The members in the rows so far, and the line in which each first occurs.
    lines: HashMap<Id, u64>,
}

impl<'a> MemberImport<'a> {
    fn new(
        transaction: &'a mut Transaction,
        options: &'a ListOptions,
        report: &'a mut Report,
    ) -> Self {
        let catalog = transaction.catalog();
        let mut newsletters: Vec<_> = catalog
            .newsletters
            .iter()
            .filter(|newsletter| newsletter.is_for_new_members())
            .collect();
        newsletters.sort_by_key(|newsletter| (newsletter.sort_order, newsletter.id));
        Self {
            default_newsletters: newsletters.iter().map(|newsletter| newsletter.id).collect(),
            newsletters: named_newsletters(catalog),
            tiers: PaidTiers::of(catalog),
            uuids: catalog
                .members
                .iter()
                .flat_map(|member| member.uuids())
                .collect(),
            labels: HashMap::new(),
            lines: HashMap::new(),
            transaction,
            options,
            report,
        }
    }

    fn leave_out(&mut self, line: u64, reason: impl Into<String>) {
        self.report.leave_out(format!("line {line}"), reason);
    }

    /// Adds the member of a row, or updates the existing one.
    fn take(&mut self, line: u64, mut row: MemberRow) -> Result<()> {
        let known = self.existing_member(&row);
        let mut member = match &known {
            Some(known) => known.at(self.transaction.now()).into_owned(),
            None => self.new_member(&row)?,
        };
        match self.lines.entry(member.id) {
            // As in Ghost 6.65, where the last row counts (recorded in admin-members-csv).
            Entry::Occupied(_) if self.options.applies_repeated_rows => {}
            Entry::Occupied(first) => {
                let first = first.get();
                let reason = format!("{} is already in line {first}", row.email);
                self.leave_out(line, reason);
                return Ok(());
            }
            Entry::Vacant(entry) => {
                entry.insert(line);
            }
        }
        if known.is_some() && row.uuid.is_some_and(|uuid| !member.has_uuid(uuid)) {
            row.remarks.push(format!(
                "{} keeps the uuid of this site: unsubscribe links with the uuid of the list do not work",
                row.email
            ));
        }
        self.fill(&mut member, &mut row, known.is_none());
        if let Err(error) = member.check() {
            // The line and the uuid are forgotten, since a later row about the member may be valid.
            self.lines.remove(&member.id);
            if known.is_none() {
                self.uuids.remove(&member.uuid);
            }
            self.leave_out(line, error.message());
            return Ok(());
        }
        // After the check, because this adds missing labels to the site.
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
            // The sign-up covers the newsletters of a new member, so there is no event for each of them.
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

    /// Returns the existing member with the row's e-mail address. An exact match takes precedence over one that ignores
    /// case.
    fn existing_member(&self, row: &MemberRow) -> Option<Arc<Member>> {
        let members = &self.transaction.catalog().members;
        members.by_email(&row.email).cloned()
    }

    /// Returns a new member with the row's e-mail address. The identifiers of the list are used unless another member
    /// has them.
    fn new_member(&mut self, row: &MemberRow) -> Result<Member> {
        let now = self.transaction.now();
        let id = match row.id {
            Some(id) if self.transaction.catalog().members.get(id).is_none() => id,
            _ => Id::generate(now).map_err(Error::internal)?,
        };
        let mut member = Member::new(id, &row.email, now);
        member.origin = Some(MemberOrigin::Import);
        if let Some(uuid) = row.uuid.filter(|uuid| self.uuids.insert(*uuid)) {
            member.uuid = uuid;
        }
        if let Some(created_at) = row.created_at {
            member.created_at = created_at;
        }
        Ok(member)
    }

    /// Sets all fields but the labels. Empty cells change nothing.
    fn fill(&self, member: &mut Member, row: &mut MemberRow, is_new: bool) {
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
            Consent::Agreed | Consent::Unstated if is_new => self.subscribe(member, row),
            Consent::Agreed if !member.is_subscribed() => row.remarks.push(format!(
                "{} has unsubscribed here and stays unsubscribed",
                row.email
            )),
            Consent::Refused => member.newsletters.clear(),
            Consent::Agreed | Consent::Unstated | Consent::Unclear => {}
        }
        match row.is_complimentary {
            Some(true) => self.add_tiers(member, row),
            Some(false) => Self::end_complimentary_access(member, row),
            None => {}
        }
    }

    /// Subscribes a new member to the newsletters of the row, or else to those of new members.
    fn subscribe(&self, member: &mut Member, row: &mut MemberRow) {
        let Some(cell) = &row.newsletters else {
            member.newsletters = self.default_newsletters.clone();
            return;
        };
        let (found, unknown) = named(&self.newsletters, cell);
        for id in found {
            if !member.newsletters.contains(&id) {
                member.newsletters.push(id);
            }
        }
        let remarks = unknown.iter().map(|name| {
            format!(
                "{} is not subscribed to \"{name}\": there is no such newsletter",
                row.email
            )
        });
        row.remarks.extend(remarks);
    }

    /// Removes the complimentary tiers of a member.
    fn end_complimentary_access(member: &mut Member, row: &mut MemberRow) {
        match member.status() {
            Status::Comped => {
                member.end_access();
                row.remarks
                    .push(format!("{} loses the complimentary plan", row.email));
            }
            Status::Paid | Status::Free => {}
        }
    }

    fn add_tiers(&self, member: &mut Member, row: &mut MemberRow) {
        if member.pays {
            row.remarks.push(format!(
                "{} pays for a tier and gets no complimentary one",
                row.email
            ));
            return;
        }
        let names = row.import_tier.as_deref().or(row.tiers.as_deref());
        let tiers = match names {
            Some(names) => self.tiers.named(names),
            None => self.tiers.default(),
        };
        match tiers {
            Ok(tiers) => {
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
                .push(format!("{} gets no tier: {reason}", row.email)),
        }
    }

    /// Adds the row's labels to the member, and creates missing ones.
    fn label(&mut self, member: &mut Member, row: &mut MemberRow) -> Result<()> {
        let for_every_member = self.options.labels.iter().cloned();
        for name in std::mem::take(&mut row.labels)
            .into_iter()
            .chain(for_every_member)
        {
            match self.label_id(name) {
                Ok(id) if member.labels.contains(&id) => {}
                Ok(id) => member.labels.push(id),
                // An invalid label does not prevent the import of the member.
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
            .help("Check whether the column \"labels\" holds something else."));
        }
        let id = match self.transaction.catalog().labels.named(&name) {
            Some(label) => label.id,
            None => self.transaction.add_label(&name)?.id,
        };
        self.labels.insert(name, id);
        Ok(id)
    }
}

/// Returns the newsletters of a site in their sort order, active ones first.
fn named_newsletters(catalog: &Catalog) -> Vec<NamedRecord> {
    let mut newsletters: Vec<_> = catalog.newsletters.iter().collect();
    newsletters
        .sort_by_key(|newsletter| (!newsletter.active, newsletter.sort_order, newsletter.id));
    let newsletters = newsletters.into_iter();
    newsletters
        .map(|newsletter| NamedRecord::new(newsletter.id, &newsletter.slug, &newsletter.name))
        .collect()
}
