//! The posts whose search text changed, for the search index.

use std::{
    collections::BTreeSet,
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use super::{CommitTopic, Transaction};
use crate::{
    catalog::Catalog,
    domain::{post::Post, tag::Tag, user::User},
    id::Id,
    store::Table,
};

/// Posts that changed since the last [`take`](Self::take); `None` while there is no index.
#[derive(Default)]
pub(super) struct ChangedTexts(Mutex<Option<BTreeSet<Id>>>);

impl ChangedTexts {
    /// Adds posts, if recording is on.
    pub(super) fn add(&self, posts: BTreeSet<Id>) {
        let mut changed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Without an index, no reader would ever empty the set.
        if let Some(changed) = changed.as_mut() {
            changed.extend(posts);
        }
    }

    /// Starts recording posts.
    pub(super) fn record(&self) {
        let mut changed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        changed.get_or_insert_default();
    }

    /// Returns the posts that were recorded since the last call.
    pub(super) fn take(&self) -> BTreeSet<Id> {
        let mut changed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        changed.as_mut().map(mem::take).unwrap_or_default()
    }
}

impl Transaction {
    /// Returns the posts whose search text this transaction may have changed, and notifies the
    /// listener.
    pub(super) fn report_changed_texts(&mut self) -> BTreeSet<Id> {
        let posts = between(self.before(), self.catalog(), |table| {
            self.touched_ids(table)
        });
        if !posts.is_empty() || self.touches(Table::Settings) {
            self.notify_listener(CommitTopic::Texts);
        }
        posts
    }
}

/// Returns the posts whose search text may differ between two catalogs. `touched_ids` returns the
/// identifiers of the changed records of a table.
pub(super) fn between(
    before: &Catalog,
    after: &Catalog,
    touched_ids: impl Fn(Table) -> BTreeSet<Id>,
) -> BTreeSet<Id> {
    let mut posts = touched_ids(Table::Posts);
    posts.extend(touched_ids(Table::Bodies));
    let name = |tag: Option<&Arc<Tag>>| tag.map(|tag| tag.name.clone());
    let is_renamed = |id: &Id| name(before.tags.get(*id)) != name(after.tags.get(*id));
    let tags = touched_ids(Table::Tags).into_iter();
    let tags: Vec<Id> = tags.filter(is_renamed).collect();
    let name = |user: Option<&Arc<User>>| user.map(|user| user.name.clone());
    let is_renamed = |id: &Id| name(before.users.get(*id)) != name(after.users.get(*id));
    let users = touched_ids(Table::Users).into_iter();
    let users: Vec<Id> = users.filter(is_renamed).collect();
    if !tags.is_empty() || !users.is_empty() {
        let has_renamed = |post: &&Arc<Post>| {
            let has = |all: &[Id], some: &[Id]| all.iter().any(|id| some.contains(id));
            has(&post.tags, &tags) || has(&post.authors, &users)
        };
        // The search text of a post includes the names of its tags and authors.
        posts.extend(after.posts.iter().filter(has_renamed).map(|post| post.id));
    }
    posts
}
