//! Notification of background threads after a commit that concerns them.

use std::sync::{PoisonError, RwLock};

/// An event of a commit that a background thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitTopic {
    /// A mail was put into the outbox.
    Mail,
    /// A delivery to a webhook was queued.
    Webhooks,
    /// The email of a post was created.
    Newsletters,
    /// The content that readers see changed.
    Changes,
    /// A content file was edited through the API.
    FileEdits,
    /// Another process changed a lease, or requested work from the leader.
    Leases,
    /// The search text of a post changed, or the language of the site.
    Texts,
}

/// Number of topics.
const TOPICS: usize = 7;

/// A set of topics.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CommitTopics([bool; TOPICS]);

impl CommitTopics {
    /// Returns the set of all topics.
    pub(super) fn all() -> Self {
        Self([true; TOPICS])
    }

    pub(super) fn add(&mut self, topic: CommitTopic) {
        self.0[topic as usize] = true;
    }
}

/// The listeners, at most one for each topic.
#[derive(Default)]
pub(super) struct CommitListeners(RwLock<[Option<CommitListener>; TOPICS]>);

type CommitListener = Box<dyn Fn() + Send + Sync>;

impl CommitListeners {
    /// Calls the listeners of `topics`.
    pub(super) fn notify(&self, topics: CommitTopics) {
        if topics.0 == [false; TOPICS] {
            return;
        }
        // A panicking listener leaves the list unchanged, so a poisoned lock is safe to use.
        let commit_listeners = self.0.read().unwrap_or_else(PoisonError::into_inner);
        for (listener, _) in commit_listeners
            .iter()
            .zip(topics.0)
            .filter(|(_, is_in)| *is_in)
        {
            // Called under the read lock, so a listener must neither block nor set another one.
            listener.iter().for_each(|listener| listener());
        }
    }

    /// Makes `listener` the listener of this topic, in place of the previous one.
    pub(super) fn set(&self, topic: CommitTopic, listener: impl Fn() + Send + Sync + 'static) {
        let mut listeners = self.0.write().unwrap_or_else(PoisonError::into_inner);
        listeners[topic as usize] = Some(Box::new(listener));
    }
}
