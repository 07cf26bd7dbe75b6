//! Posts that went out by mail or are on their way, found by identifier and by post.

use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use crate::{domain::post_email::PostEmail, id::Id};

/// An index of emails. Cloning it costs nothing; a change copies the path to what changed.
#[derive(Clone, Default)]
pub struct Emails {
    by_id: OrdMap<Id, Arc<PostEmail>>,
    by_post: OrdMap<Id, Id>,
    under_way: OrdSet<Id>,
}

impl Emails {
    /// The email with this identifier.
    pub fn get(&self, id: Id) -> Option<&Arc<PostEmail>> {
        self.by_id.get(&id)
    }

    /// The email as which a post went out.
    pub fn of_post(&self, post: Id) -> Option<&Arc<PostEmail>> {
        self.by_post.get(&post).and_then(|id| self.get(*id))
    }

    /// All emails, from old to new.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<PostEmail>> {
        self.by_id.values()
    }

    /// Those for which something is left to do, from old to new.
    pub fn under_way(&self) -> impl Iterator<Item = &Arc<PostEmail>> {
        self.under_way.iter().filter_map(|id| self.get(*id))
    }

    /// Adds an email, or puts it in the place of the one with its identifier.
    pub fn put(&mut self, email: PostEmail) {
        if email.is_under_way() {
            self.under_way.insert(email.id)
        } else {
            self.under_way.remove(&email.id)
        };
        self.by_post.insert(email.post, email.id);
        self.by_id.insert(email.id, Arc::new(email));
    }

    /// Takes an email out.
    pub fn remove(&mut self, id: Id) -> Option<Arc<PostEmail>> {
        let old = self.by_id.remove(&id)?;
        self.by_post.remove(&old.post);
        self.under_way.remove(&id);
        Some(old)
    }
}
