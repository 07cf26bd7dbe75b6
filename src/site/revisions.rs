//! Revisions of posts: a list for each post, and the document of each revision under its own key.
//!
//! A revision with the same document as the previous one shares it, so a post that is saved
//! repeatedly takes no more space than its distinct documents.

use std::collections::BTreeSet;

use super::{Transaction, records::document_key, view::SiteView};
use crate::{
    domain::{
        post::Post,
        post_revision::{PostRevision, REVISIONS_MAX, RevisionReason},
        role::Role,
    },
    error::{Error, Result},
    id::Id,
    store::Table,
};

impl Transaction {
    /// Returns the revisions of a post without their documents, oldest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn revisions(&self, post: Id) -> Result<Vec<PostRevision>> {
        let list = self.read(Table::PostRevisions, post.as_bytes())?;
        Ok(list.unwrap_or_default())
    }

    /// Returns the latest revisions of a post without their documents, oldest first: as many as fit
    /// `bytes_max` bytes of documents.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub(super) fn latest_revisions(&self, post: Id, bytes_max: usize) -> Result<Vec<PostRevision>> {
        let mut list = self.revisions(post)?;
        let mut documents = BTreeSet::new();
        let (mut count, mut remaining_bytes) = (0, bytes_max);
        for revision in list.iter().rev() {
            let key = document_key(revision);
            // Revisions can share a document, which is counted once.
            if !documents.contains(&key) {
                let document = self.bytes(Table::PostRevisions, &key)?;
                let bytes = document.map_or(0, |document| document.len());
                match remaining_bytes.checked_sub(bytes) {
                    Some(remaining) => remaining_bytes = remaining,
                    None => break,
                }
                documents.insert(key);
            }
            count += 1;
        }
        list.drain(..list.len() - count);
        Ok(list)
    }

    /// Stores a revision. If the latest revision has the same document, both share it. Deletes the
    /// oldest revision if there are too many.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn store_revision(&mut self, mut revision: PostRevision, document: &str) -> Result<()> {
        let post = revision.post;
        let mut list = self.revisions(post)?;
        let view: &dyn SiteView = self;
        revision.document = match list.last() {
            Some(latest) if view.revision_document(latest)? == document => {
                Some(latest.document_id())
            }
            _ => None,
        };
        if revision.document.is_none() {
            self.put(Table::PostRevisions, &document_key(&revision), &document)?;
        }
        list.push(revision);
        let surplus = list.len().saturating_sub(REVISIONS_MAX);
        let old: Vec<PostRevision> = list.drain(..surplus).collect();
        self.delete_documents(&old, &list);
        self.put(Table::PostRevisions, post.as_bytes(), &list)
    }

    /// Stores a revision of a post that the scheduler publishes, in the owner's name, as Ghost 6.65
    /// does. A body that was not written in an editor has no revisions.
    pub(super) fn store_revision_of_due(&mut self, post: &Post) -> Result<()> {
        let (_, Some(document)) = self.body(post.id)? else {
            return Ok(());
        };
        let reason = if self.revisions(post.id)?.is_empty() {
            RevisionReason::InitialRevision
        } else {
            RevisionReason::Published
        };
        let now = self.now();
        let id = Id::generate(now).map_err(Error::internal)?;
        let users = &self.catalog().users;
        let author = users.iter().find(|user| user.role == Role::Owner);
        let author = author.map(|owner| owner.id);
        let revision = PostRevision::of(post, id, reason, author, now);
        self.store_revision(revision, &document)
    }

    /// Deletes all revisions of a post.
    pub(super) fn delete_revisions(&mut self, post: Id) -> Result<()> {
        let list = self.revisions(post)?;
        if list.is_empty() {
            return Ok(());
        }
        self.delete_documents(&list, &[]);
        self.delete(Table::PostRevisions, post.as_bytes());
        Ok(())
    }

    /// Deletes the documents of `old` revisions that `others` do not use.
    fn delete_documents(&mut self, old: &[PostRevision], others: &[PostRevision]) {
        for revision in old {
            let document = revision.document_id();
            if others.iter().all(|other| other.document_id() != document) {
                self.delete(Table::PostRevisions, &document_key(revision));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        clock::SystemClock,
        domain::{post::Status, post_revision::RevisionReason},
        site::{Site, SiteView},
        store::memory::MemoryStore,
    };

    fn revision(post: Id, title: &str) -> PostRevision {
        PostRevision {
            id: Id::derive("revision", title),
            post,
            created_at: "2026-01-01T00:00:00Z".parse().unwrap(),
            author: None,
            reason: RevisionReason::Published,
            document: None,
            title: title.into(),
            status: Status::Published,
            feature_image: None,
            feature_image_alt: None,
            feature_image_caption: None,
            custom_excerpt: None,
        }
    }

    #[test]
    fn latest_revisions_are_limited_by_the_bytes_of_their_documents() {
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
        let post = Id::derive("post", "tides");
        site.write(|change| {
            for (title, character) in [("first", "a"), ("second", "b"), ("third", "c")] {
                change.store_revision(revision(post, title), &character.repeat(100))?;
            }
            for (bytes_max, titles) in [
                (1000, &["first", "second", "third"][..]),
                (250, &["second", "third"]),
                (10, &[]),
            ] {
                let list = change.latest_revisions(post, bytes_max)?;
                let found: Vec<&str> = list.iter().map(|revision| &*revision.title).collect();
                assert_eq!(found, titles, "{bytes_max}");
            }
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn revisions_with_the_same_document_share_it() {
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
        let post = Id::derive("post", "tides");
        site.write(|change| {
            for title in ["first", "second", "third"] {
                change.store_revision(revision(post, title), &"x".repeat(100))?;
            }
            assert_eq!(change.latest_revisions(post, 150)?.len(), 3);
            assert_eq!(change.revisions(post)?.len(), 3);
            Ok(())
        })
        .unwrap();
        let snapshot = site.current();
        let snapshot: &dyn SiteView = &**snapshot;
        for revision in snapshot.served_revisions(post).unwrap() {
            let document = snapshot.revision_document(&revision).unwrap();
            assert_eq!(document, "x".repeat(100), "{}", revision.title);
        }
    }
}
