//! Revisions of posts: a list for each post, and the body of each revision under a key of its own.

use super::{Edition, Transaction};
use crate::{
    domain::post_revision::{PostRevision, REVISIONS_MAX},
    error::Result,
    id::Id,
    store::Table,
};

/// The key of a revision's body.
fn body_key(revision: &PostRevision) -> Vec<u8> {
    [
        revision.post.as_bytes().as_slice(),
        b"/",
        revision.id.as_bytes(),
    ]
    .concat()
}

impl Edition {
    /// The revisions of a post, the oldest first, without their bodies.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn revisions(&self, post: Id) -> Result<Vec<PostRevision>> {
        let list = self.read(Table::PostRevisions, post.as_bytes())?;
        Ok(list.unwrap_or_default())
    }

    /// The editor's document of a revision, in stored form.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn revision_body(&self, revision: &PostRevision) -> Result<String> {
        let body = self.read(Table::PostRevisions, &body_key(revision))?;
        Ok(body.unwrap_or_default())
    }
}

impl Transaction {
    /// The revisions of a post, the oldest first, without their bodies.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn revisions(&self, post: Id) -> Result<Vec<PostRevision>> {
        let list = self.read(Table::PostRevisions, post.as_bytes())?;
        Ok(list.unwrap_or_default())
    }

    /// The editor's document of a revision, in stored form.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn revision_body(&self, revision: &PostRevision) -> Result<String> {
        let body = self.read(Table::PostRevisions, &body_key(revision))?;
        Ok(body.unwrap_or_default())
    }

    /// Keeps a revision; the oldest goes when there are too many.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn keep_revision(&mut self, revision: PostRevision, body: &str) -> Result<()> {
        let mut list = self.revisions(revision.post)?;
        self.put(Table::PostRevisions, &body_key(&revision), &body)?;
        let post = revision.post;
        list.push(revision);
        let surplus = list.len().saturating_sub(REVISIONS_MAX);
        for old in list.drain(..surplus) {
            self.delete(Table::PostRevisions, &body_key(&old))?;
        }
        self.put(Table::PostRevisions, post.as_bytes(), &list)
    }

    /// Forgets all revisions of a post.
    pub(super) fn delete_revisions(&mut self, post: Id) -> Result<()> {
        let list = self.revisions(post)?;
        if list.is_empty() {
            return Ok(());
        }
        for revision in &list {
            self.delete(Table::PostRevisions, &body_key(revision))?;
        }
        self.delete(Table::PostRevisions, post.as_bytes())
    }
}
