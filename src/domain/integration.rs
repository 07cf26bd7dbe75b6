//! Integrations: API clients, each with a Content API key and an Admin API key.

use std::fmt;

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{OptionalText, record::record};
use crate::{
    error::{self, Error, Kind},
    id::Id,
    render::slug,
};

/// Length of a Content API key, in digits; clients reject other lengths.
pub const CONTENT_KEY_DIGITS: usize = 26;

/// Length of the secret part of an Admin API key, in digits; clients reject other lengths.
pub const ADMIN_SECRET_DIGITS: usize = 64;

/// Longest name, in characters.
pub const NAME_CHARACTERS_MAX: usize = 191;

/// The permissions of an integration in the Admin API, as defined in [`super::permission`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IntegrationScope {
    /// The permissions that Ghost 6 grants.
    #[default]
    Ghost,
    /// The permissions in the specification (part 4.3).
    Specification,
    /// The read permissions that Ghost 6 grants.
    Read,
}

impl IntegrationScope {
    /// The names of all scopes, for operators and clients.
    pub const NAMES: [&str; 3] = ["ghost", "specification", "read"];

    /// Returns the name of the scope.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ghost => "ghost",
            Self::Specification => "specification",
            Self::Read => "read",
        }
    }

    /// Returns the scope called `name`.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Ghost, Self::Specification, Self::Read]
            .into_iter()
            .find(|scope| scope.name() == name)
    }
}

/// An API client with keys (specification 5.1 and 5.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Integration {
    /// The record's identifier.
    pub id: Id,
    /// Its name.
    pub name: Box<str>,
    /// The slug, unique among integrations.
    #[serde(default)]
    pub slug: Box<str>,
    /// Its description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: OptionalText,
    /// URL of its icon, as entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon_image: OptionalText,
    /// True if the integration was created with the site. Only the command line shows and revokes
    /// such an integration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub came_with_site: bool,
    /// The scope of its Admin API key; `None` for the operator's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<IntegrationScope>,
    /// The key for the Content API. Public by design.
    pub content_key: ApiKey,
    /// The key for the Admin API.
    pub admin_key: ApiKey,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

record!(Integration, "integration", |integration| &integration.name);

/// Longest description, in characters (Ghost 6.65, recorded).
pub const DESCRIPTION_CHARACTERS_MAX: usize = 2000;

/// An API key: a public identifier and a secret.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ApiKey {
    /// The `kid` of tokens.
    pub id: Id,
    /// Lower-case hexadecimal digits.
    pub secret: Box<str>,
}

impl fmt::Debug for ApiKey {
    /// Shows only the identifier, since secrets must not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Integration {
    /// Returns an integration called `name` with two new random keys.
    ///
    /// # Errors
    ///
    /// If the operating system provides no randomness.
    pub fn generate(name: &str, now: Timestamp) -> Result<Self, getrandom::Error> {
        Ok(Self {
            id: Id::generate(now)?,
            name: name.into(),
            slug: slug::from_text(slug::Kind::Integration, name, "").into(),
            description: None,
            icon_image: None,
            came_with_site: false,
            scope: None,
            content_key: ApiKey::generate(CONTENT_KEY_DIGITS, now)?,
            admin_key: ApiKey::generate(ADMIN_SECRET_DIGITS, now)?,
            created_at: now,
            updated_at: now,
        })
    }

    /// Checks the fields that can be validated without other records.
    ///
    /// # Errors
    ///
    /// `Validation` if the name is empty or too long, or the description is too long.
    pub fn check(&self) -> error::Result<()> {
        let name = self.name.trim().chars().count();
        if name == 0 || self.name.chars().count() > NAME_CHARACTERS_MAX {
            return Err(Error::new(
                Kind::Validation,
                format!(
                    "The name of an integration must have 1 to {NAME_CHARACTERS_MAX} characters."
                ),
            ));
        }
        let description = self.description.as_deref().unwrap_or_default();
        if description.chars().count() > DESCRIPTION_CHARACTERS_MAX {
            Err(Error::new(
                Kind::Validation,
                format!(
                    "The description of an integration has at most {DESCRIPTION_CHARACTERS_MAX} characters."
                ),
            ))
        } else {
            Ok(())
        }
    }

    /// Returns the Admin API key in the form that clients expect: `id:secret` (specification 5.2).
    pub fn admin_key_text(&self) -> String {
        format!("{}:{}", self.admin_key.id, self.admin_key.secret)
    }
}

impl ApiKey {
    /// Returns a new key whose secret has `digits` digits.
    ///
    /// # Errors
    ///
    /// If the operating system provides no randomness.
    pub fn generate(digits: usize, now: Timestamp) -> Result<Self, getrandom::Error> {
        Ok(Self {
            id: Id::generate(now)?,
            secret: random_digits(digits)?,
        })
    }

    /// Returns the same key with a new secret of the same length.
    ///
    /// # Errors
    ///
    /// If the operating system provides no randomness.
    pub fn refreshed(&self) -> Result<Self, getrandom::Error> {
        Ok(Self {
            // Tokens name the key by this identifier; those of the old secret fail by their
            // signature.
            id: self.id,
            secret: random_digits(self.secret.len())?,
        })
    }
}

fn random_digits(count: usize) -> Result<Box<str>, getrandom::Error> {
    let mut bytes = vec![0; count / 2];
    getrandom::fill(&mut bytes)?;
    Ok(HEXLOWER.encode(&bytes).into())
}
