//! The index of API keys: the access that a secret grants, and the holder of a key.

use std::sync::Arc;

use imbl::OrdMap;

use crate::{
    domain::{
        integration::{ApiKey, Integration},
        staff_token::StaffToken,
    },
    id::Id,
};

/// The API that a secret gives access to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyUse {
    /// The Content API.
    Content,
    /// The Admin API.
    Admin,
}

/// The holder of the key that a token was signed with.
#[derive(Clone, Debug)]
pub enum KeyHolder {
    /// A client of the Content API, whose key cannot sign tokens.
    ContentKey,
    /// An integration.
    Integration(Arc<Integration>),
    /// A staff user.
    Staff(Arc<StaffToken>),
}

/// An index of all keys.
#[derive(Clone, Default)]
pub(super) struct Keys {
    pub(super) integrations: OrdMap<Id, Arc<Integration>>,
    pub(super) staff: OrdMap<Id, Arc<StaffToken>>,
    // By secret, because clients send a Content API key as it is; a token names the identifier of
    // its key, for `holders`.
    pub(super) secrets: OrdMap<Box<str>, KeyUse>,
    pub(super) holders: OrdMap<Id, KeyHolder>,
}

impl Keys {
    pub(super) fn put(&mut self, key: &ApiKey, key_use: KeyUse, holder: KeyHolder) {
        self.secrets.insert(key.secret.clone(), key_use);
        self.holders.insert(key.id, holder);
    }

    pub(super) fn remove(&mut self, key: &ApiKey) {
        self.secrets.remove(&key.secret);
        self.holders.remove(&key.id);
    }
}
