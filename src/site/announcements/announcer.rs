//! The changes of records that are sent to webhooks, and the trait that serialises them.

use crate::{
    catalog::fields::{Field, Schema},
    domain::{member::Member, post::Post, tag::Tag},
    error::Result,
    site::SiteView,
};

/// Name of the field with the date of a record's last change.
const DATE_OF_CHANGE: &str = "updated_at";

/// Names of the forms of a body.
const BODY_PARTS: [&str; 2] = ["html", "lexical"];

/// Serialises the bodies of webhook events.
pub trait Announcer: Send + Sync {
    /// Returns the change of a post or a page as members of a JSON object, without its braces: the
    /// name of the kind with the current and the previous state. The members follow the name of the
    /// event.
    ///
    /// # Errors
    ///
    /// If the body cannot be read.
    fn post(&self, announced: &AnnouncedChange<Post>) -> Result<String>;

    /// Returns the change of a tag in the same form.
    fn tag(&self, announced: &AnnouncedChange<Tag>) -> String;

    /// Returns the change of a member in the same form.
    fn member(&self, announced: &AnnouncedChange<Member>) -> String;
}

/// A record before or after a transaction, and the site in that state.
pub struct RecordState<'a, R> {
    /// The record.
    pub record: &'a R,
    /// The site.
    pub site: &'a dyn SiteView,
}

/// The differences between two states of a record. Empty if the record is new or deleted.
pub struct ChangedFields<R: 'static> {
    /// The changed fields.
    pub rows: Vec<&'static Field<R>>,
    /// The names of the changed parts that are not fields: forms of the body and relations.
    pub parts: Vec<&'static str>,
}

impl<R> ChangedFields<R> {
    pub(super) const fn nothing() -> Self {
        Self {
            rows: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Returns the change of these fields and parts. The date of the last change is included if the
    /// record itself changed, even within one second. It is left out if only the record's side
    /// records or relations changed (Ghost 6.65, recorded).
    pub(super) fn of(
        mut rows: Vec<&'static Field<R>>,
        parts: Vec<&'static str>,
        schema: &Schema<R>,
    ) -> Self {
        let is_date = |row: &&'static Field<R>| row.name == DATE_OF_CHANGE;
        let is_own = |row: &&'static Field<R>| !is_date(row) && !row.in_side_record;
        let is_changed_itself =
            rows.iter().any(is_own) || parts.iter().any(|part| BODY_PARTS.contains(part));
        let is_anything_else = !parts.is_empty() || !rows.iter().all(is_date);
        match (is_changed_itself, rows.iter().any(is_date)) {
            (true, false) => rows.extend(schema.row(DATE_OF_CHANGE)),
            (false, true) if is_anything_else => rows.retain(|row| !is_date(row)),
            _ => {}
        }
        Self { rows, parts }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.parts.is_empty()
    }
}

/// A change of a record, as it is sent to webhooks.
pub struct AnnouncedChange<'a, R: 'static> {
    /// The state before; `None` if the record is new.
    pub before: Option<RecordState<'a, R>>,
    /// The state after; `None` if the record was deleted.
    pub after: Option<RecordState<'a, R>>,
    /// The differences.
    pub changed: &'a ChangedFields<R>,
}
