//! Webhooks, indexed by identifier, by event, and by the integration that they belong to.

use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use crate::{domain::webhook::Webhook, id::Id};

/// An index of all webhooks. Cloning is cheap; a change copies only the path to the changed records.
#[derive(Clone, Default)]
pub struct Webhooks {
    by_id: OrdMap<Id, Arc<Webhook>>,
    by_event: OrdMap<Box<str>, OrdSet<Id>>,
    by_integration: OrdMap<Id, OrdSet<Id>>,
}

impl Webhooks {
    /// Returns the webhook with this identifier.
    pub fn get(&self, id: Id) -> Option<&Arc<Webhook>> {
        self.by_id.get(&id)
    }

    /// Returns all webhooks, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Webhook>> {
        self.by_id.values()
    }

    /// Returns the webhooks that subscribe to an event, oldest first.
    pub fn subscribers(&self, event: &str) -> impl Iterator<Item = &Arc<Webhook>> {
        self.all(self.by_event.get(event))
    }

    /// Returns the webhooks of an integration, oldest first.
    pub fn of_integration(&self, integration: Id) -> impl Iterator<Item = &Arc<Webhook>> {
        self.all(self.by_integration.get(&integration))
    }

    fn all<'a>(&'a self, ids: Option<&'a OrdSet<Id>>) -> impl Iterator<Item = &'a Arc<Webhook>> {
        ids.into_iter()
            .flatten()
            .filter_map(|id| self.by_id.get(id))
    }

    /// Adds a webhook or replaces the one with its identifier.
    pub fn put(&mut self, webhook: Webhook) {
        // The entries of the old webhook can only be found by its old event and integration, so
        // they are removed first.
        self.remove(webhook.id);
        self.by_event
            .entry(webhook.event.clone())
            .or_default()
            .insert(webhook.id);
        self.by_integration
            .entry(webhook.integration)
            .or_default()
            .insert(webhook.id);
        self.by_id.insert(webhook.id, Arc::new(webhook));
    }

    /// Removes a webhook.
    pub fn remove(&mut self, id: Id) -> Option<Arc<Webhook>> {
        let old = self.by_id.remove(&id)?;
        leave(&mut self.by_event, &old.event, id);
        leave(&mut self.by_integration, &old.integration, id);
        Some(old)
    }
}

/// Removes an identifier from a group, and the group if it becomes empty.
fn leave<K: Ord + Clone>(groups: &mut OrdMap<K, OrdSet<Id>>, key: &K, id: Id) {
    if let Some(group) = groups.get_mut(key) {
        group.remove(&id);
        if group.is_empty() {
            groups.remove(key);
        }
    }
}
