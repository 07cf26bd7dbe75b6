//! The read model: an immutable index of the whole site, replaced as a whole after each commit.
//!
//! It holds everything that the lists, filters and orders of readers need, and neither bodies nor members, which stay in
//! the store. Its parts are persistent maps: a copy costs nothing, and a change copies only the path to what changed. So a
//! transaction works on a copy of its own while readers go on with theirs. Nothing in here waits, and nothing in here writes.

pub mod browse;
pub mod comparison;
pub mod fields;
pub mod filter;
pub mod order;
pub mod posts;
pub mod records;
pub mod relation;
pub mod value;

use std::sync::Arc;

use imbl::OrdMap;
use posts::PostIndex;
use records::Records;

use crate::{
    domain::{
        integration::Integration, label::Label, newsletter::Newsletter, post::PostKind,
        setting::Settings, tag::Tag, tier::Tier, user::User,
    },
    id::Id,
};

/// A site as it was after one commit.
#[derive(Clone, Default)]
pub struct Catalog {
    /// Number of the commit that it shows.
    pub revision: u64,
    /// What is said about the whole site.
    pub settings: Arc<Settings>,
    /// Posts and pages.
    pub posts: PostIndex,
    /// Tags.
    pub tags: Records<Tag>,
    /// Staff users.
    pub users: Records<User>,
    /// Tiers.
    pub tiers: Records<Tier>,
    /// Newsletters.
    pub newsletters: Records<Newsletter>,
    /// Labels of members.
    pub labels: Records<Label>,
    integrations: OrdMap<Id, Arc<Integration>>,
    secrets: OrdMap<Box<str>, KeyUse>,
}

/// What a secret opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyUse {
    /// The Content API.
    Content,
    /// The Admin API.
    Admin,
}

impl Catalog {
    /// Posts that readers see under this tag; pages do not count (Ghost 6.65, recorded).
    pub fn tag_post_count(&self, tag: Id) -> usize {
        self.posts
            .with_tag(PostKind::Post, tag)
            .map_or(0, |listing| listing.len())
    }

    /// Posts that readers see by this author; pages do not count.
    pub fn author_post_count(&self, author: Id) -> usize {
        self.posts
            .by_author(PostKind::Post, author)
            .map_or(0, |listing| listing.len())
    }

    /// All integrations, oldest first.
    pub fn integrations(&self) -> impl Iterator<Item = &Arc<Integration>> {
        self.integrations.values()
    }

    /// What the secret of a key opens, when there is such a key.
    pub fn key_use(&self, secret: &str) -> Option<KeyUse> {
        self.secrets.get(secret).copied()
    }

    /// Adds an integration, or puts it in the place of the one with its identifier.
    pub fn put_integration(&mut self, integration: Integration) {
        self.remove_integration(integration.id);
        self.secrets
            .insert(integration.content_key.secret.clone(), KeyUse::Content);
        self.secrets
            .insert(integration.admin_key.secret.clone(), KeyUse::Admin);
        self.integrations
            .insert(integration.id, Arc::new(integration));
    }

    /// Takes an integration out; its keys open nothing any more.
    pub fn remove_integration(&mut self, id: Id) -> Option<Arc<Integration>> {
        let old = self.integrations.remove(&id)?;
        self.secrets.remove(&old.content_key.secret);
        self.secrets.remove(&old.admin_key.secret);
        Some(old)
    }
}
