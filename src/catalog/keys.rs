//! API keys: the access that a secret grants, and the holder of the key that a token was signed
//! with.

use std::sync::Arc;

use super::Catalog;
use crate::{
    catalog::key_index::{KeyHolder, KeyUse},
    domain::{integration::Integration, staff_token::StaffToken},
    error::{Error, Kind, Result},
    id::Id,
};

impl Catalog {
    /// Returns all integrations, oldest first.
    pub fn integrations(&self) -> impl Iterator<Item = &Arc<Integration>> {
        self.keys.integrations.values()
    }

    /// Returns the integration with this name or identifier, as the operator entered it.
    ///
    /// # Errors
    ///
    /// `NotFound` if it does not exist, `Validation` if several have this name.
    pub fn integration_named(&self, name_or_id: &str) -> Result<&Arc<Integration>> {
        let is_match = |known: &&Arc<Integration>| {
            &*known.name == name_or_id || known.id.to_string() == name_or_id
        };
        let found: Vec<&Arc<Integration>> = self.integrations().filter(is_match).collect();
        match found.as_slice() {
            [] => Err(Error::not_found(format!("Integration \"{name_or_id}\""))
                .help("`galley key list` lists all integrations.")),
            [integration] => Ok(integration),
            several => {
                let ids: Vec<String> = several.iter().map(|known| known.id.to_string()).collect();
                Err(Error::new(
                    Kind::Validation,
                    format!("Several integrations are called \"{name_or_id}\"."),
                )
                .help(format!("Use its identifier instead: {}.", ids.join(", "))))
            }
        }
    }

    /// Returns the access token of a staff user, if there is one.
    pub fn staff_token(&self, user: Id) -> Option<&Arc<StaffToken>> {
        self.keys.staff.get(&user)
    }

    /// Returns the access tokens of all staff users.
    pub fn staff_tokens(&self) -> impl Iterator<Item = &Arc<StaffToken>> {
        self.keys.staff.values()
    }

    /// Returns the API that a secret gives access to, if the key exists.
    pub fn key_use(&self, secret: &str) -> Option<KeyUse> {
        self.keys.secrets.get(secret).copied()
    }

    /// Returns the holder of the key with this identifier, if it exists.
    pub fn key_holder(&self, key: Id) -> Option<&KeyHolder> {
        self.keys.holders.get(&key)
    }

    /// Adds an integration or replaces the one with its identifier.
    pub fn put_integration(&mut self, integration: Integration) {
        // Removes the old keys, which would otherwise remain valid.
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

    /// Removes an integration and invalidates its keys.
    pub fn remove_integration(&mut self, id: Id) -> Option<Arc<Integration>> {
        let old = self.keys.integrations.remove(&id)?;
        self.keys.remove(&old.content_key);
        self.keys.remove(&old.admin_key);
        Some(old)
    }

    /// Adds the access token of a staff user or replaces it.
    pub fn put_staff_token(&mut self, token: StaffToken) {
        // Removes the old token, which would otherwise remain valid.
        self.remove_staff_token(token.user);
        let token = Arc::new(token);
        let holder = KeyHolder::Staff(Arc::clone(&token));
        self.keys.put(&token.key, KeyUse::Admin, holder);
        self.keys.staff.insert(token.user, token);
    }

    /// Removes and invalidates the access token of a staff user.
    pub fn remove_staff_token(&mut self, user: Id) -> Option<Arc<StaffToken>> {
        let old = self.keys.staff.remove(&user)?;
        self.keys.remove(&old.key);
        Some(old)
    }
}
