//! API keys: what a secret opens, and whose key a token names.

use std::sync::Arc;

use imbl::OrdMap;

use super::Catalog;
use crate::{
    domain::{
        integration::{ApiKey, Integration},
        staff_token::StaffToken,
    },
    error::{Error, Kind, Result},
    id::Id,
};

/// What a secret opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyUse {
    /// The Content API.
    Content,
    /// The Admin API.
    Admin,
}

/// Whose key a token may name.
#[derive(Clone, Debug)]
pub enum KeyHolder {
    /// A program that asks for what is public: its key makes no tokens.
    ContentKey,
    /// A program.
    Integration(Arc<Integration>),
    /// A member of the staff.
    Staff(Arc<StaffToken>),
}

/// An index of all keys.
#[derive(Clone, Default)]
pub(super) struct Keys {
    integrations: OrdMap<Id, Arc<Integration>>,
    staff: OrdMap<Id, Arc<StaffToken>>,
    secrets: OrdMap<Box<str>, KeyUse>,
    holders: OrdMap<Id, KeyHolder>,
}

impl Keys {
    fn put(&mut self, key: &ApiKey, key_use: KeyUse, holder: KeyHolder) {
        self.secrets.insert(key.secret.clone(), key_use);
        self.holders.insert(key.id, holder);
    }

    fn remove(&mut self, key: &ApiKey) {
        self.secrets.remove(&key.secret);
        self.holders.remove(&key.id);
    }
}

impl Catalog {
    /// All integrations, oldest first.
    pub fn integrations(&self) -> impl Iterator<Item = &Arc<Integration>> {
        self.keys.integrations.values()
    }

    /// The integration with this name or identifier, as the operator calls it.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is none, `Validation` when there are several with this name.
    pub fn integration_named(&self, name_or_id: &str) -> Result<&Arc<Integration>> {
        let is_it = |known: &&Arc<Integration>| {
            &*known.name == name_or_id || known.id.to_string() == name_or_id
        };
        let found: Vec<&Arc<Integration>> = self.integrations().filter(is_it).collect();
        match found.as_slice() {
            [] => Err(Error::not_found(format!("Integration \"{name_or_id}\""))
                .help("`galley key list` shows those there are.")),
            [integration] => Ok(integration),
            several => {
                let ids: Vec<String> = several.iter().map(|known| known.id.to_string()).collect();
                Err(Error::new(
                    Kind::Validation,
                    format!("Several integrations are called \"{name_or_id}\"."),
                )
                .help(format!(
                    "Name the one that is meant by its identifier: {}.",
                    ids.join(", ")
                )))
            }
        }
    }

    /// The key of a member of the staff, if there is one.
    pub fn staff_token(&self, user: Id) -> Option<&Arc<StaffToken>> {
        self.keys.staff.get(&user)
    }

    /// The keys of all members of the staff who have one.
    pub fn staff_tokens(&self) -> impl Iterator<Item = &Arc<StaffToken>> {
        self.keys.staff.values()
    }

    /// What the secret of a key opens, when there is such a key.
    pub fn key_use(&self, secret: &str) -> Option<KeyUse> {
        self.keys.secrets.get(secret).copied()
    }

    /// Whose the key with this identifier is, when there is such a key.
    pub fn key_holder(&self, key: Id) -> Option<&KeyHolder> {
        self.keys.holders.get(&key)
    }

    /// Adds an integration, or puts it in the place of the one with its identifier.
    pub fn put_integration(&mut self, integration: Integration) {
        self.remove_integration(integration.id);
        let integration = Arc::new(integration);
        let keys = &mut self.keys;
        keys.put(
            &integration.content_key,
            KeyUse::Content,
            KeyHolder::ContentKey,
        );
        let holder = KeyHolder::Integration(Arc::clone(&integration));
        keys.put(&integration.admin_key, KeyUse::Admin, holder);
        keys.integrations.insert(integration.id, integration);
    }

    /// Takes an integration out; its keys open nothing any more.
    pub fn remove_integration(&mut self, id: Id) -> Option<Arc<Integration>> {
        let old = self.keys.integrations.remove(&id)?;
        self.keys.remove(&old.content_key);
        self.keys.remove(&old.admin_key);
        Some(old)
    }

    /// Adds the key of a member of the staff, or puts it in the place of the one that there is.
    pub fn put_staff_token(&mut self, token: StaffToken) {
        self.remove_staff_token(token.user);
        let token = Arc::new(token);
        let holder = KeyHolder::Staff(Arc::clone(&token));
        self.keys.put(&token.key, KeyUse::Admin, holder);
        self.keys.staff.insert(token.user, token);
    }

    /// Takes the key of a member of the staff out; it opens nothing any more.
    pub fn remove_staff_token(&mut self, user: Id) -> Option<Arc<StaffToken>> {
        let old = self.keys.staff.remove(&user)?;
        self.keys.remove(&old.key);
        Some(old)
    }
}
