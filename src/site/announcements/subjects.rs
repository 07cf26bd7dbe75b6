//! The subjects of a transaction's events: the site, and the records that the transaction touched or that got
//! empty strings.

use std::collections::BTreeSet;

use super::requested::EmptiedFields;
use crate::{
    catalog::fields::{Field, Schema},
    domain::event::Event,
    id::Id,
    site::Transaction,
    store::{Events, Table},
};

impl Transaction {
    /// Announces only that the site changed, not the records that this transaction touches.
    pub fn announce_site_only(&mut self) {
        self.announcements.of_records = false;
    }

    /// Announces that the site changed although no record may show the change, for example when theme files
    /// change.
    pub fn announce_site(&mut self) {
        self.announcements.of_site = true;
    }

    /// Announces that the site changed even if nothing differs (Ghost 6.65, observed of settings).
    pub fn announce_site_in_any_case(&mut self) {
        self.announcements.of_site = true;
        self.announcements.even_if_unchanged = true;
    }

    /// Counts these fields, which have no value and were written as empty strings, as a change of
    /// the record (Ghost 6.65, recorded).
    pub fn announce_emptied(&mut self, table: Table, record: Id, fields: Vec<&'static str>) {
        let emptied = EmptiedFields {
            table,
            record,
            fields,
        };
        self.announcements.emptied.push(emptied);
    }

    /// Returns the kinds of events that the tables changed by this transaction can cause.
    pub(super) fn changed_events(&self) -> BTreeSet<Events> {
        let is_changed = |table: &Table| {
            let mut emptied = self.announcements.emptied.iter();
            self.touches(*table) || emptied.any(|emptied| emptied.table == *table)
        };
        let changed = Table::ALL.into_iter().filter(is_changed);
        changed.map(Table::events).collect()
    }

    /// Returns the identifiers of the records of a table that events may be about, ascending.
    pub(super) fn announced_ids(&self, table: Table) -> BTreeSet<Id> {
        let emptied = self.announcements.emptied.iter();
        let emptied = emptied.filter(|emptied| emptied.table == table);
        let mut ids = self.touched_ids(table);
        ids.extend(emptied.map(|emptied| emptied.record));
        ids
    }

    /// Returns the fields of a record that were written as empty strings.
    pub(super) fn emptied_rows<R>(&self, record: Id, schema: &Schema<R>) -> Vec<&'static Field<R>> {
        let emptied = self.announcements.emptied.iter();
        emptied
            .filter(|emptied| emptied.record == record)
            .flat_map(|emptied| emptied.fields.iter().filter_map(|name| schema.row(name)))
            .collect()
    }

    /// Returns whether a webhook subscribes to this event.
    pub(super) fn is_subscribed(&self, event: Event) -> bool {
        self.subscribers(event).next().is_some()
    }

    pub(super) fn subscribers(&self, event: Event) -> impl Iterator<Item = Id> {
        let webhooks = self.catalog().webhooks.subscribers(event.name());
        webhooks.map(|webhook| webhook.id)
    }

    /// Returns the identifiers of the posts and pages whose record or body was touched, ascending.
    pub(super) fn touched_posts(&self) -> BTreeSet<Id> {
        let mut posts = self.announced_ids(Table::Posts);
        posts.append(&mut self.touched_ids(Table::Bodies));
        posts
    }
}
