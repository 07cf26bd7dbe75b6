//! Revisions of posts: a list for each post, and the body of each revision under a key of its own.

use super::{Edition, Transaction, records};
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
    /// The revisions of a post, the newest first, each with its editor's document in stored form.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn revisions(&self, post: Id) -> Result<Vec<(PostRevision, String)>> {
        let list: Vec<PostRevision> = self
            .read(Table::PostRevisions, post.as_bytes())?
            .unwrap_or_default();
        list.into_iter()
            .rev()
            .map(|revision| {
                let body = self.read(Table::PostRevisions, &body_key(&revision))?;
                Ok((revision, body.unwrap_or_default()))
            })
            .collect()
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

    /// Returns the rows of the latest revisions of a post, key and bytes: of as many as have documents of `bytes_max` bytes
    /// in all, and of the list that names them.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub(super) fn latest_revisions(
        &self,
        post: Id,
        bytes_max: usize,
    ) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut list = self.revisions(post)?;
        let mut rows = Vec::new();
        let mut bytes_left = bytes_max;
        for revision in list.iter().rev() {
            let key = body_key(revision);
            let bytes = self.bytes(Table::PostRevisions, &key)?.unwrap_or_default();
            match bytes_left.checked_sub(bytes.len()) {
                Some(left) => bytes_left = left,
                None => break,
            }
            rows.push((key, bytes));
        }
        list.drain(..list.len() - rows.len());
        rows.push((post.as_bytes().to_vec(), records::encode(&list)?));
        Ok(rows)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        clock::SystemClock,
        domain::{post::Status, post_revision::RevisionReason},
        site::Site,
        store::memory::MemoryStore,
    };

    fn revision(post: Id, title: &str) -> PostRevision {
        PostRevision {
            id: Id::derive("revision", title),
            post,
            created_at: "2026-01-01T00:00:00Z".parse().unwrap(),
            author: None,
            reason: RevisionReason::Published,
            title: title.into(),
            status: Status::Published,
            feature_image: None,
            feature_image_alt: None,
            feature_image_caption: None,
            custom_excerpt: None,
        }
    }

    #[test]
    fn the_latest_revisions_are_those_whose_documents_fit() {
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
        let post = Id::derive("post", "tides");
        site.write(|change| {
            for title in ["first", "second", "third"] {
                change.keep_revision(revision(post, title), &"x".repeat(100))?;
            }
            for (bytes_max, titles) in [
                (1000, &["first", "second", "third"][..]),
                (250, &["second", "third"]),
                (10, &[]),
            ] {
                let rows = change.latest_revisions(post, bytes_max)?;
                let (_, list) = rows.last().unwrap();
                let list: Vec<PostRevision> = records::decode(Table::PostRevisions, list)?;
                let found: Vec<&str> = list.iter().map(|revision| &*revision.title).collect();
                assert_eq!(found, titles, "{bytes_max}");
                assert_eq!(rows.len(), titles.len() + 1, "{bytes_max}");
            }
            Ok(())
        })
        .unwrap();
    }
}
