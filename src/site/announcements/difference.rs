//! The difference that a transaction made to one record.

use std::sync::Arc;

use crate::{
    catalog::{
        Catalog,
        fields::{Field, MEMBERS, STAFF_PAGES, STAFF_POSTS, STAFF_TAGS, Schema},
    },
    domain::{
        event::{Event, PostEvent, RecordEvent, TagMoves},
        member::Member,
        post::{Post, PostKind},
        tag::Tag,
    },
    error::Result,
    id::Id,
    site::{SiteView, Transaction, records::BodyForm, view::Before},
    store::Table,
};

/// Name of the field with the date of a record's last change.
const DATE_OF_CHANGE: &str = "updated_at";

/// Names of the forms of a body.
const BODY_PARTS: [&str; 2] = ["html", "lexical"];

/// A record before or after a transaction, and the site at that moment.
pub struct State<'a, R> {
    /// The record.
    pub record: &'a R,
    /// The site.
    pub site: &'a dyn SiteView,
}

/// The differences of two states of a record. Empty for a record that is new or deleted.
pub struct ChangedFields<R: 'static> {
    /// The changed fields.
    pub rows: Vec<&'static Field<R>>,
    /// The names of the changed parts that are not fields: forms of the body and relations.
    pub parts: Vec<&'static str>,
}

impl<R> ChangedFields<R> {
    const fn nothing() -> Self {
        Self {
            rows: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Returns the change of these fields and parts. The date of the last change is included if the
    /// record itself changed, even within one second, and left out if only its side records or
    /// relations did (Ghost 6.65, recorded).
    fn of(mut rows: Vec<&'static Field<R>>, parts: Vec<&'static str>, schema: &Schema<R>) -> Self {
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

    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.parts.is_empty()
    }
}

/// A change of a record, as it is sent to webhooks.
pub struct AnnouncedChange<'a, R: 'static> {
    /// The state before; `None` if the record is new.
    pub before: Option<State<'a, R>>,
    /// The state after; `None` if the record was deleted.
    pub after: Option<State<'a, R>>,
    /// The differences.
    pub changed: &'a ChangedFields<R>,
}

/// A record before and after a transaction.
pub(super) struct RecordDifference<R: 'static> {
    pub(super) before: Option<Arc<R>>,
    pub(super) after: Option<Arc<R>>,
    changed: ChangedFields<R>,
}

impl<R> RecordDifference<R> {
    fn new(
        before: Option<&Arc<R>>,
        after: Option<&Arc<R>>,
        changed: impl FnOnce(&R, &R) -> ChangedFields<R>,
    ) -> Self {
        Self {
            before: before.cloned(),
            after: after.cloned(),
            changed: match (before, after) {
                (Some(before), Some(after)) => changed(before, after),
                _ => ChangedFields::nothing(),
            },
        }
    }

    /// Returns whether the record existed before, still exists and differs.
    pub(super) fn is_edited(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Returns what happened to a record that is not a post.
    pub(super) fn record_event(&self) -> Option<RecordEvent> {
        RecordEvent::of(
            self.before.is_some(),
            self.after.is_some(),
            self.is_edited(),
        )
    }

    /// Calls `write` with the change.
    pub(super) fn with_change<T>(
        &self,
        change: &Transaction,
        write: impl FnOnce(&AnnouncedChange<R>) -> T,
    ) -> T {
        let found = Before(change);
        let before = self.before.as_deref().map(|record| State {
            record,
            site: &found,
        });
        let after = self.after.as_deref().map(|record| State {
            record,
            site: change,
        });
        write(&AnnouncedChange {
            before,
            after,
            changed: &self.changed,
        })
    }
}

impl RecordDifference<Tag> {
    pub(super) fn of_tag(change: &Transaction, id: Id) -> Self {
        let tag = |catalog: &Catalog| catalog.tags.get(id).cloned();
        let (before, after) = (tag(change.before()), tag(change.catalog()));
        Self::new(before.as_ref(), after.as_ref(), |before, after| {
            let mut rows = STAFF_TAGS.changed(before, after);
            rows.extend(change.emptied_rows(id, &STAFF_TAGS));
            ChangedFields::of(rows, Vec::new(), &STAFF_TAGS)
        })
    }
}

impl RecordDifference<Member> {
    pub(super) fn of_member(change: &Transaction, id: Id) -> Self {
        let (was, is) = (change.before(), change.catalog());
        Self::new(was.members.get(id), is.members.get(id), |before, after| {
            let labels =
                |member: &Member| existing(&member.labels, |id| is.labels.get(id).is_some());
            let newsletters = |member: &Member| {
                existing(&member.newsletters, |id| is.newsletters.get(id).is_some())
            };
            let parts = [
                ("labels", labels(before) != labels(after)),
                ("newsletters", newsletters(before) != newsletters(after)),
                ("tiers", before.tiers != after.tiers),
            ];
            let mut rows = MEMBERS.changed(before, after);
            rows.extend(change.emptied_rows(id, &MEMBERS));
            ChangedFields::of(rows, names_of(parts), &MEMBERS)
        })
    }
}

impl RecordDifference<Post> {
    /// Returns the change of a post: one difference, or two if a page became a post or a post a
    /// page, which ends the one and creates the other.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub(super) fn of_post(change: &Transaction, id: Id) -> Result<Vec<Self>> {
        let before = change.before().posts.get(id);
        let after = change.catalog().posts.get(id);
        let is_other_kind = match (before, after) {
            (Some(before), Some(after)) => before.kind != after.kind,
            _ => false,
        };
        if is_other_kind {
            let nothing = |_: &Post, _: &Post| ChangedFields::nothing();
            return Ok(vec![
                Self::new(before, None, nothing),
                Self::new(None, after, nothing),
            ]);
        }
        let is_changed = |form: BodyForm| -> Result<bool> {
            let key = form.key(id);
            if !change.has_touched(Table::Bodies, &key) {
                return Ok(false);
            }
            let found = change.found(Table::Bodies, &key)?;
            Ok(found != change.bytes(Table::Bodies, &key)?)
        };
        let is_html_changed = is_changed(BodyForm::Html)?;
        let is_lexical_changed = is_changed(BodyForm::Lexical)?;
        let difference = Self::new(before, after, |before, after| {
            let schema = match after.kind {
                PostKind::Post => &STAFF_POSTS,
                PostKind::Page => &STAFF_PAGES,
            };
            let parts = [
                ("html", is_html_changed),
                ("lexical", is_lexical_changed),
                (
                    "tags",
                    existing_tags(change, before) != existing_tags(change, after),
                ),
                ("authors", before.authors != after.authors),
                ("tiers", before.tiers != after.tiers),
            ];
            let mut rows = schema.changed(before, after);
            rows.extend(change.emptied_rows(id, schema));
            ChangedFields::of(rows, names_of(parts), schema)
        });
        Ok(vec![difference])
    }

    /// Returns what happened to the post, in the order in which webhooks receive it.
    pub(super) fn post_events(&self, change: &Transaction) -> Vec<Event> {
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        let of = |post: Option<&Post>| post.map(|post| post.tags.clone()).unwrap_or_default();
        let (was, is) = (of(before), of(after));
        // A deleted tag is announced as such, not for each post that had it.
        let is_lost = |tag: &&Id| {
            let exists = after.is_none() || change.catalog().tags.get(**tag).is_some();
            exists && !is.contains(tag)
        };
        let tags = TagMoves {
            attached: is.iter().filter(|tag| !was.contains(tag)).count(),
            detached: was.iter().filter(is_lost).count(),
        };
        let Some(kind) = after.or(before).map(|post| post.kind) else {
            return Vec::new();
        };
        let events = PostEvent::of(before, after, self.is_edited(), tags);
        events
            .into_iter()
            .map(|event| Event::Post(kind, event))
            .collect()
    }
}

/// Returns the tags of a post that still exist.
fn existing_tags(change: &Transaction, post: &Post) -> Vec<Id> {
    existing(&post.tags, |id| change.catalog().tags.get(id).is_some())
}

fn existing(ids: &[Id], exists: impl Fn(Id) -> bool) -> Vec<Id> {
    ids.iter().copied().filter(|id| exists(*id)).collect()
}

/// Returns the names of the parts that changed.
fn names_of<const N: usize>(parts: [(&'static str, bool); N]) -> Vec<&'static str> {
    let changed = parts.into_iter().filter(|(_, is_changed)| *is_changed);
    changed.map(|(name, _)| name).collect()
}
