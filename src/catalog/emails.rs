//! Emails of posts, found by identifier and by post.

use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use crate::{domain::post_email::PostEmail, id::Id};

/// An index of emails. Cloning is cheap; a change copies only the path to the changed records.
#[derive(Clone, Default)]
pub struct Emails {
    by_id: OrdMap<Id, Arc<PostEmail>>,
    by_post: OrdMap<Id, Id>,
    under_way: OrdSet<Id>,
}

impl Emails {
    /// Returns the email with this identifier.
    pub fn get(&self, id: Id) -> Option<&Arc<PostEmail>> {
        self.by_id.get(&id)
    }

    /// Returns the email of a post.
    pub fn of_post(&self, post: Id) -> Option<&Arc<PostEmail>> {
        self.by_post.get(&post).and_then(|id| self.get(*id))
    }

    /// Returns all emails, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<PostEmail>> {
        self.by_id.values()
    }

    /// Returns the emails that are still being sent, oldest first.
    pub fn under_way(&self) -> impl Iterator<Item = &Arc<PostEmail>> {
        self.under_way.iter().filter_map(|id| self.get(*id))
    }

    /// Adds an email or replaces the one with its identifier.
    pub fn put(&mut self, email: PostEmail) {
        if email.is_under_way() {
            self.under_way.insert(email.id)
        } else {
            self.under_way.remove(&email.id)
        };
        self.by_post.insert(email.post, email.id);
        self.by_id.insert(email.id, Arc::new(email));
    }

    /// Removes an email.
    pub fn remove(&mut self, id: Id) -> Option<Arc<PostEmail>> {
        let old = self.by_id.remove(&id)?;
        self.by_post.remove(&old.post);
        self.under_way.remove(&id);
        Some(old)
    }
}
