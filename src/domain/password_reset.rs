//! Password reset links: sent by mail, valid once and for a day.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::secret::{Digest, Secret};
use crate::id::Id;

/// Lifetime of a link (Ghost 6.65, recorded).
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Maximum number of valid links of a user. A further link revokes the oldest.
const VALID_MAX: usize = 5;

/// Length of an identifier, in digits.
const ID_DIGITS: usize = 24;

/// The token in a link: a user and a secret.
#[derive(Debug)]
pub struct ResetToken {
    /// The user whose password it resets.
    pub user: Id,
    secret: Secret,
}

impl ResetToken {
    /// Returns a new token for `user`.
    ///
    /// # Errors
    ///
    /// If the operating system provides no randomness.
    pub fn generate(user: Id) -> Result<Self, getrandom::Error> {
        let secret = Secret::generate()?;
        Ok(Self { user, secret })
    }

    /// Parses a token; `None` if the text cannot be one.
    pub fn from_text(text: &str) -> Option<Self> {
        let (user, secret) = text.split_at_checked(ID_DIGITS)?;
        Some(Self {
            user: user.parse().ok()?,
            secret: Secret::from_text(secret)?,
        })
    }

    /// Returns the text of the token: letters, digits, `-` and `_`.
    pub fn text(&self) -> String {
        format!("{}{}", self.user, self.secret.text())
    }
}

/// The digests of a user's valid tokens, as stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PasswordResets(Vec<StoredToken>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StoredToken {
    digest: Digest,
    ends_at: Timestamp,
}

impl PasswordResets {
    /// Adds `token`, which is valid from `now`, and returns the time of its expiry.
    pub fn add(&mut self, token: &ResetToken, now: Timestamp) -> Timestamp {
        self.0.retain(|sent| now < sent.ends_at);
        if self.0.len() >= VALID_MAX {
            // Links are only appended, so the first one is the oldest.
            self.0.remove(0);
        }
        let ends_at = now.checked_add(LIFETIME).unwrap_or(Timestamp::MAX);
        self.0.push(StoredToken {
            digest: token.secret.digest(),
            ends_at,
        });
        ends_at
    }

    /// Returns whether `token` is valid at `now`.
    pub fn accept(&self, token: &ResetToken, now: Timestamp) -> bool {
        let digest = token.secret.digest();
        self.0
            .iter()
            .any(|sent| sent.digest == digest && now < sent.ends_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).unwrap()
    }

    fn token() -> ResetToken {
        ResetToken::generate(Id::derive("user", "ada")).unwrap()
    }

    #[test]
    fn link_is_valid_for_a_day() {
        let token = token();
        let mut sent = PasswordResets::default();
        assert!(!sent.accept(&token, at(0)));
        sent.add(&token, at(0));
        let shown = ResetToken::from_text(&token.text()).unwrap();
        assert_eq!(shown.user, token.user);
        assert!(sent.accept(&shown, at(86_399)));
        assert!(!sent.accept(&shown, at(86_400)));
    }

    #[test]
    fn only_the_five_newest_links_are_valid() {
        let tokens: Vec<ResetToken> = (0..6).map(|_| token()).collect();
        let mut sent = PasswordResets::default();
        for token in &tokens {
            sent.add(token, at(0));
        }
        let accepted: Vec<bool> = tokens
            .iter()
            .map(|token| sent.accept(token, at(1)))
            .collect();
        assert_eq!(accepted, [false, true, true, true, true, true]);
    }

    #[test]
    fn other_texts_are_not_tokens() {
        for text in ["", "bm9uc2Vuc2U", &"é".repeat(40), &token().text()[1..]] {
            assert!(ResetToken::from_text(text).is_none(), "{text}");
        }
    }
}
