//! The difference that a transaction made to one record.

use std::sync::Arc;

use super::{AnnouncedChange, ChangedFields, RecordState};
use crate::{
    catalog::fields::{MEMBERS, STAFF_PAGES, STAFF_POSTS, STAFF_TAGS},
    domain::{
        event::{Event, PostEvent, RecordEvent, TagMoves},
        member::Member,
        post::{Post, PostKind},
        tag::Tag,
    },
    error::Result,
    id::Id,
    site::{Transaction, before_and_after::SiteBefore, records::BodyForm},
    store::Table,
};

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

    /// Returns the event of a record that is not a post.
    pub(super) fn record_event(&self) -> Option<RecordEvent> {
        RecordEvent::of(
            self.before.is_some(),
            self.after.is_some(),
            self.is_edited(),
        )
    }

    /// Returns the change in the form for webhooks, with the site before and after it.
    pub(super) fn announced<'a>(
        &'a self,
        site_before: &'a SiteBefore<'_>,
        site_after: &'a Transaction,
    ) -> AnnouncedChange<'a, R> {
        let before = self.before.as_deref().map(|record| RecordState {
            record,
            site: site_before,
        });
        let after = self.after.as_deref().map(|record| RecordState {
            record,
            site: site_after,
        });
        AnnouncedChange {
            before,
            after,
            changed: &self.changed,
        }
    }
}

impl RecordDifference<Tag> {
    /// Returns the change of a tag.
    pub(super) fn of_tag(transaction: &Transaction, id: Id) -> Self {
        let before = transaction.before().tags.get(id);
        let after = transaction.catalog().tags.get(id);
        Self::new(before, after, |before, after| {
            let mut rows = STAFF_TAGS.changed(before, after);
            // Both states have no value for these fields, so the comparison above does not find
            // them.
            rows.extend(transaction.emptied_rows(id, &STAFF_TAGS));
            ChangedFields::of(rows, Vec::new(), &STAFF_TAGS)
        })
    }
}

impl RecordDifference<Member> {
    /// Returns the change of a member. Labels and newsletters that were deleted do not count.
    pub(super) fn of_member(transaction: &Transaction, id: Id) -> Self {
        let catalog = transaction.catalog();
        let before = transaction.before().members.get(id);
        let after = catalog.members.get(id);
        Self::new(before, after, |before, after| {
            let labels = |member: &Member| {
                existing(&member.labels, |label| catalog.labels.get(label).is_some())
            };
            let newsletters = |member: &Member| {
                let exists = |newsletter| catalog.newsletters.get(newsletter).is_some();
                existing(&member.newsletters, exists)
            };
            let parts = [
                ("labels", labels(before) != labels(after)),
                ("newsletters", newsletters(before) != newsletters(after)),
                ("tiers", before.tiers != after.tiers),
            ];
            let mut rows = MEMBERS.changed(before, after);
            rows.extend(transaction.emptied_rows(id, &MEMBERS));
            ChangedFields::of(rows, changed_parts(parts), &MEMBERS)
        })
    }
}

impl RecordDifference<Post> {
    /// Returns the change of a post: one difference, or two if a page became a post or a post became a
    /// page: the deletion of one and the creation of the other.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub(super) fn of_post(transaction: &Transaction, id: Id) -> Result<Vec<Self>> {
        let before = transaction.before().posts.get(id);
        let after = transaction.catalog().posts.get(id);
        if let (Some(old), Some(new)) = (before, after)
            && old.kind != new.kind
        {
            let nothing = |_: &Post, _: &Post| ChangedFields::nothing();
            return Ok(vec![
                // Posts and pages have different events, so a change of kind is a deletion and an
                // addition.
                Self::new(before, None, nothing),
                Self::new(None, after, nothing),
            ]);
        }
        let is_html_changed = is_body_changed(transaction, id, BodyForm::Html)?;
        let is_lexical_changed = is_body_changed(transaction, id, BodyForm::Lexical)?;
        // A deleted tag is announced as such, not for each post that had the tag.
        let tags = |post: &Post| {
            let tags = &transaction.catalog().tags;
            existing(&post.tags, |tag| tags.get(tag).is_some())
        };
        let difference = Self::new(before, after, |before, after| {
            let schema = match after.kind {
                PostKind::Post => &STAFF_POSTS,
                PostKind::Page => &STAFF_PAGES,
            };
            let parts = [
                ("html", is_html_changed),
                ("lexical", is_lexical_changed),
                ("tags", tags(before) != tags(after)),
                ("authors", before.authors != after.authors),
                ("tiers", before.tiers != after.tiers),
            ];
            let mut rows = schema.changed(before, after);
            rows.extend(transaction.emptied_rows(id, schema));
            ChangedFields::of(rows, changed_parts(parts), schema)
        });
        Ok(vec![difference])
    }

    /// Returns the events of the post, in the order in which webhooks receive them.
    pub(super) fn post_events(&self, transaction: &Transaction) -> Vec<Event> {
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        let Some(kind) = after.or(before).map(|post| post.kind) else {
            return Vec::new();
        };
        let tags = self.tag_moves(transaction);
        let events = PostEvent::of(before, after, self.is_edited(), tags);
        events
            .into_iter()
            .map(|event| Event::Post(kind, event))
            .collect()
    }

    /// Counts the tags that were added to the post and removed from it. Deleted tags count only if the
    /// post was deleted, too.
    fn tag_moves(&self, transaction: &Transaction) -> TagMoves {
        let tags_of = |post: &Option<Arc<Post>>| -> Vec<Id> {
            let tags = post.as_ref().map(|post| post.tags.to_vec());
            tags.unwrap_or_default()
        };
        let (tags_before, tags_after) = (tags_of(&self.before), tags_of(&self.after));
        let is_attached = |tag: &&Id| !tags_before.contains(tag);
        let is_detached = |tag: &&Id| {
            // Ghost 6.65 does not announce the posts that lose a tag because the tag was deleted.
            let is_deleted = transaction.catalog().tags.get(**tag).is_none();
            !tags_after.contains(tag) && (self.after.is_none() || !is_deleted)
        };
        TagMoves {
            attached: tags_after.iter().filter(is_attached).count(),
            detached: tags_before.iter().filter(is_detached).count(),
        }
    }
}

/// Returns whether the transaction changed this form of a post's body.
fn is_body_changed(transaction: &Transaction, post: Id, form: BodyForm) -> Result<bool> {
    let key = form.key(post);
    // Spares reading two bodies, which can have megabytes, for a change of other fields.
    if !transaction.has_touched(Table::Bodies, &key) {
        return Ok(false);
    }
    let before = transaction.found(Table::Bodies, &key)?;
    let after = transaction.bytes(Table::Bodies, &key)?;
    Ok(before != after)
}

/// Returns the identifiers of records that exist.
fn existing(ids: &[Id], exists: impl Fn(Id) -> bool) -> Vec<Id> {
    ids.iter().copied().filter(|id| exists(*id)).collect()
}

/// Returns the names of the parts that changed.
fn changed_parts<const N: usize>(parts: [(&'static str, bool); N]) -> Vec<&'static str> {
    let changed = parts.into_iter().filter(|(_, is_changed)| *is_changed);
    changed.map(|(name, _)| name).collect()
}
