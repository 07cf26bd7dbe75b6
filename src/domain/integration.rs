//! Integrations: programs that may ask, each with a key for the Content API and one for the Admin API.

use std::fmt;

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::OptionalText;
use crate::{
    error::{self, Error, Kind},
    id::Id,
    render::slug,
};

/// Digits of a Content API key: clients refuse other lengths.
pub const CONTENT_KEY_DIGITS: usize = 26;

/// Digits of the secret part of an Admin API key: clients refuse other lengths.
pub const ADMIN_SECRET_DIGITS: usize = 64;

/// Longest name, in characters.
pub const NAME_CHARACTERS_MAX: usize = 191;

/// How much of the Admin API integrations reach. [`super::permission`] says what that is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IntegrationScope {
    /// What Ghost 6 lets them reach.
    #[default]
    Ghost,
    /// What the specification lists (part 4.3).
    Specification,
    /// What Ghost 6 lets them reach, and only to read it.
    Read,
}

impl IntegrationScope {
    /// What each is called by operators and clients.
    pub const NAMES: [&str; 3] = ["ghost", "specification", "read"];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ghost => "ghost",
            Self::Specification => "specification",
            Self::Read => "read",
        }
    }

    /// The scope that is called `name`, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Ghost, Self::Specification, Self::Read]
            .into_iter()
            .find(|scope| scope.name() == name)
    }
}

/// A program with keys (specification 5.1 and 5.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Integration {
    /// The record's identifier.
    pub id: Id,
    /// What its maker calls it.
    pub name: Box<str>,
    /// A word for it that no other integration has.
    #[serde(default)]
    pub slug: Box<str>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: OptionalText,
    /// Address of a picture, as its maker wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon_image: OptionalText,
    /// Whether it came with the site. Only the command line shows and revokes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub came_with_site: bool,
    /// How much its Admin API key reaches; `None` for what the operator has set for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<IntegrationScope>,
    /// The key for the Content API. Public by design.
    pub content_key: ApiKey,
    /// The key for the Admin API.
    pub admin_key: ApiKey,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Longest description, in characters (Ghost 6.65, recorded).
pub const DESCRIPTION_CHARACTERS_MAX: usize = 2000;

/// A key: an identifier that is told to everybody and a secret that is not.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ApiKey {
    /// What a token names as `kid`.
    pub id: Id,
    /// Lower-case hexadecimal digits.
    pub secret: Box<str>,
}

impl fmt::Debug for ApiKey {
    /// Shows the identifier only: secrets do not get into logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Integration {
    /// An integration called `name` with two new random keys.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
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

    /// Checks what can be seen from the integration alone.
    ///
    /// # Errors
    ///
    /// `Validation` when the name is empty or too long, or the description is too long.
    pub fn check(&self) -> error::Result<()> {
        let name = self.name.trim().chars().count();
        if name == 0 || self.name.chars().count() > NAME_CHARACTERS_MAX {
            return Err(Error::new(
                Kind::Validation,
                format!("The name of an integration has 1 to {NAME_CHARACTERS_MAX} characters."),
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

    /// The Admin API key as clients take it: `id:secret` (specification 5.2).
    pub fn admin_key_text(&self) -> String {
        format!("{}:{}", self.admin_key.id, self.admin_key.secret)
    }
}

impl ApiKey {
    /// A new key whose secret has so many digits.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub fn generate(digits: usize, now: Timestamp) -> Result<Self, getrandom::Error> {
        Ok(Self {
            id: Id::generate(now)?,
            secret: random_digits(digits)?,
        })
    }

    /// The same key with a new secret of the same length.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub fn refreshed(&self) -> Result<Self, getrandom::Error> {
        Ok(Self {
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
