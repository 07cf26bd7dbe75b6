//! The change feed: the changes that readers can see, written in the transaction that makes them.
//!
//! Each record has one entry, for its last change, so the feed is never longer than the number of
//! records. The number of entries is also limited: the oldest are deleted, and a client whose copy
//! is older than the feed receives everything again. Content hidden from readers, such as drafts
//! and members, never appears in the feed.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use super::{CommitTopic, Transaction, records::BodyForm};
use crate::{
    catalog::{
        Catalog,
        fields::{
            AUTHORS, Exposure, NEWSLETTERS, PAGES, POSTS, RECOMMENDATIONS, Schema, TAGS, TIERS,
        },
    },
    domain::{
        change::{Change, ChangedRecord, FORMER_SLUGS_MAX, FormerSlug, Resource},
        post::{Post, PostKind},
        setting::SETTINGS,
    },
    error::Result,
    id::Id,
    store::Table,
};

/// Maximum number of changes in the feed. A client that is further behind receives everything
/// again, which takes hardly longer than so many changes.
pub const CHANGES_MAX: usize = 10_000;

/// Key of the number of the last deleted change.
pub(super) const COMPLETE_SINCE: &[u8] = b"changes_known_since";

/// Settings that affect the responses for every record. If one changes, clients replace their
/// copies.
const SETTINGS_OF_ALL_RESPONSES: [&str; 4] = [
    "url",
    "timezone",
    "outbound_link_tagging",
    "comments_enabled",
];

/// A change of a record that is visible to readers.
struct FeedDifference {
    subject: ChangedRecord,
    /// Its slug before, if it was visible to readers.
    old_slug: Option<Box<str>>,
    outcome: FeedOutcome,
    /// Its current slug, or its last slug if the record was removed.
    slug: Option<Box<str>>,
    has_page: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum FeedOutcome {
    Published,
    Changed,
    Removed,
}

impl Transaction {
    /// Writes the visible changes of this transaction to the feed.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub(super) fn feed_changes(&mut self) -> Result<()> {
        let differences = self.differences();
        if differences.is_empty() {
            return Ok(());
        }
        let complete_since = self.catalog().changes.complete_since();
        let first = self.catalog().changes.last() + 1;
        // After a large import, entries that would be deleted again below are not written at all.
        let forgotten_at_once = differences.len().saturating_sub(CHANGES_MAX);
        if forgotten_at_once > 0 {
            let last_forgotten = first + forgotten_at_once as u64 - 1;
            self.catalog_mut().changes.forget_until(last_forgotten);
        }
        let numbered = (first..).zip(differences).skip(forgotten_at_once);
        for (number, difference) in numbered {
            self.feed(number, difference)?;
        }
        self.forget_oldest();
        let now_known = self.catalog().changes.complete_since();
        if now_known != complete_since {
            self.put(Table::Meta, COMPLETE_SINCE, &now_known)?;
        }
        self.notify_listener(CommitTopic::Changes);
        Ok(())
    }

    /// Returns the records that readers see differently than before this transaction.
    fn differences(&self) -> Vec<FeedDifference> {
        let with_new_body = self.posts_with_new_body();
        let of_subject = |subject: ChangedRecord| {
            let before = self.before().shown(subject);
            let after = self.catalog().shown(subject);
            let (outcome, latest) = match (before, after) {
                (None, Some(after)) => (FeedOutcome::Published, after),
                (Some(before), None) => (FeedOutcome::Removed, before),
                (Some(_), Some(after)) => {
                    let is_alike = !with_new_body.contains(&subject.id)
                        && is_served_alike(self.before(), self.catalog(), subject);
                    (!is_alike).then_some((FeedOutcome::Changed, after))?
                }
                // Drafts, for example, are hidden before and after.
                (None, None) => return None,
            };
            Some(FeedDifference {
                subject,
                old_slug: before.and_then(|shown| shown.slug.map(Box::from)),
                outcome,
                slug: latest.slug.map(Box::from),
                has_page: latest.has_page,
            })
        };
        let subjects = self.subjects_touched(&with_new_body);
        subjects.into_iter().filter_map(of_subject).collect()
    }

    /// Returns the posts and pages whose body for readers was written or deleted.
    fn posts_with_new_body(&self) -> BTreeSet<Id> {
        let keys: HashSet<Vec<u8>> = self.touched(Table::Bodies).into_iter().collect();
        let ids = self.touched_ids(Table::Bodies).into_iter();
        ids.filter(|id| keys.contains(&BodyForm::Html.key(*id)))
            .collect()
    }

    /// Returns the records that readers may see differently. A changed post also affects its tags
    /// and authors.
    fn subjects_touched(&self, with_new_body: &BTreeSet<Id>) -> BTreeSet<ChangedRecord> {
        let mut subjects = BTreeSet::new();
        let mut add = |resource, id| {
            subjects.insert(ChangedRecord { resource, id });
        };
        let mut posts = self.touched_ids(Table::Posts);
        posts.extend(with_new_body);
        for id in posts {
            add(Resource::Posts, id);
            // Recorded as both kinds: a page that became a post is removed from one list and added
            // to the other.
            add(Resource::Pages, id);
            for catalog in [self.before(), self.catalog()] {
                let post = catalog.posts.get(id);
                if let Some(post) = post.filter(|post| post.is_listed()) {
                    post.tags.iter().for_each(|tag| add(Resource::Tags, *tag));
                    let authors = post.authors.iter();
                    authors.for_each(|author| add(Resource::Authors, *author));
                }
            }
        }
        for (table, resource) in [
            (Table::Tags, Resource::Tags),
            (Table::Users, Resource::Authors),
            (Table::Tiers, Resource::Tiers),
            (Table::Newsletters, Resource::Newsletters),
            (Table::Recommendations, Resource::Recommendations),
        ] {
            let ids = self.touched_ids(table);
            ids.into_iter().for_each(|id| add(resource, id));
        }
        if !self.touched(Table::Settings).is_empty() {
            subjects.insert(ChangedRecord::SETTINGS);
        }
        subjects
    }

    /// Writes the entry of a record in place of its previous one.
    fn feed(&mut self, number: u64, difference: FeedDifference) -> Result<()> {
        let FeedDifference {
            subject,
            old_slug,
            outcome,
            slug,
            has_page,
        } = difference;
        let known = self.catalog().changes.of(subject).cloned();
        let mut former_slugs = known
            .as_ref()
            .map(|known| known.former_slugs.clone())
            .unwrap_or_default();
        // A client's copy may still have the record under its last slug, if the record was removed
        // and returns under another slug.
        let last_slug = old_slug.or_else(|| known.as_ref().and_then(|known| known.slug.clone()));
        former_slugs.extend(last_slug.map(|slug| FormerSlug {
            slug,
            until: number,
        }));
        // If the record gets a former slug again, clients must not remove that slug from their
        // copies.
        former_slugs.retain(|former| Some(&former.slug) != slug.as_ref());
        // The oldest slugs are first in the list.
        let excess = former_slugs.len().saturating_sub(FORMER_SLUGS_MAX);
        let forgotten = former_slugs.drain(..excess).map(|former| former.until);
        let forgotten = forgotten.max();
        let change = Change {
            number,
            resource: subject.resource,
            id: subject.id,
            at: self.now(),
            removed: outcome == FeedOutcome::Removed,
            appeared: match outcome {
                FeedOutcome::Published => number,
                _ => known.as_ref().map_or(0, |known| known.appeared),
            },
            slug,
            has_page,
            former_slugs,
        };
        if let Some(known) = known {
            // Each record has one entry: a later change replaces the earlier one.
            self.delete(Table::Changes, &key(known.number));
        }
        self.put(Table::Changes, &key(number), &change)?;
        let changes_everything = subject == ChangedRecord::SETTINGS && self.changes_all_responses();
        let changes = &mut self.catalog_mut().changes;
        changes.put(change);
        if let Some(forgotten) = forgotten {
            // A client whose copy is older than the forgotten slug would not remove the slug, so it
            // receives everything again.
            changes.forget_until(forgotten);
        }
        // Each cached response of a client is stale, so no older copy can be updated by entries.
        if changes_everything {
            changes.forget_until(number);
        }
        Ok(())
    }

    fn changes_all_responses(&self) -> bool {
        let (before, after) = (&self.before().settings, &self.catalog().settings);
        SETTINGS_OF_ALL_RESPONSES
            .iter()
            .any(|key| before.get(key) != after.get(key))
    }

    fn forget_oldest(&mut self) {
        while self.catalog().changes.len() > CHANGES_MAX {
            let Some(oldest) = self.catalog().changes.oldest().map(|oldest| oldest.number) else {
                return;
            };
            self.delete(Table::Changes, &key(oldest));
            let changes = &mut self.catalog_mut().changes;
            changes.remove(oldest);
            changes.forget_until(oldest);
        }
    }
}

/// Returns the key of an entry. Entries sort by change number.
fn key(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

/// Returns whether readers get the same response for a record that both catalogs show. Bodies are
/// not compared.
fn is_served_alike(before: &Catalog, after: &Catalog, subject: ChangedRecord) -> bool {
    let ChangedRecord { resource, id } = subject;
    match resource {
        Resource::Posts | Resource::Pages => both(
            before.posts.get(id),
            after.posts.get(id),
            is_post_served_alike,
        ),
        Resource::Tags => both(before.tags.get(id), after.tags.get(id), |before, after| {
            has_same_fields(&TAGS, before, after) && before.internal == after.internal
        }),
        Resource::Authors => both(
            before.users.get(id),
            after.users.get(id),
            |before, after| has_same_fields(&AUTHORS, before, after),
        ),
        Resource::Tiers => both(
            before.tiers.get(id),
            after.tiers.get(id),
            |before, after| {
                has_same_fields(&TIERS, before, after)
                    && (&before.price, &before.benefits) == (&after.price, &after.benefits)
            },
        ),
        Resource::Newsletters => both(
            before.newsletters.get(id),
            after.newsletters.get(id),
            |before, after| has_same_fields(&NEWSLETTERS, before, after),
        ),
        Resource::Recommendations => both(
            before.recommendations.get(id),
            after.recommendations.get(id),
            |before, after| has_same_fields(&RECOMMENDATIONS, before, after),
        ),
        Resource::Settings => SETTINGS
            .iter()
            .filter(|setting| setting.public || SETTINGS_OF_ALL_RESPONSES.contains(&setting.key))
            .all(|setting| before.settings.get(setting.key) == after.settings.get(setting.key)),
    }
}

fn both<R>(
    before: Option<&Arc<R>>,
    after: Option<&Arc<R>>,
    is_alike: impl FnOnce(&R, &R) -> bool,
) -> bool {
    match (before, after) {
        // Records that the transaction has not changed usually share an `Arc`.
        (Some(before), Some(after)) => Arc::ptr_eq(before, after) || is_alike(before, after),
        _ => false,
    }
}

/// Compares the fields, and the values that responses are computed from besides the fields.
fn is_post_served_alike(before: &Post, after: &Post) -> bool {
    let schema = match after.kind {
        PostKind::Post => &POSTS,
        PostKind::Page => &PAGES,
    };
    before.kind == after.kind
        && has_same_fields(schema, before, after)
        && (before.visibility, before.reading_time) == (after.visibility, after.reading_time)
        && before.public_excerpt == after.public_excerpt
        && (&before.tags, &before.authors, &before.tiers)
            == (&after.tags, &after.authors, &after.tiers)
}

/// Returns whether all fields that are both stored in the record and served to readers have equal
/// values.
fn has_same_fields<R>(schema: &'static Schema<R>, before: &R, after: &R) -> bool {
    let served = schema
        .rows()
        .filter(|field| schema.exposure(field) != Exposure::Private);
    served
        .filter(|field| field.is_stored())
        .all(|field| field.value(before) == field.value(after))
}
