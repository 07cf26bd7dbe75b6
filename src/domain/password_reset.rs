//! Links to set a new password: sent by mail, good once and for a day.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::secret::{Digest, Secret};
use crate::id::Id;

/// How long a link counts (Ghost 6.65, recorded).
const LIFE: SignedDuration = SignedDuration::from_hours(24);

/// Most links of one user that count at a time. One more voids the oldest.
const COUNTING_MAX: usize = 5;

/// Digits of an identifier.
const ID_DIGITS: usize = 24;

/// What a link holds: whose it is, and a secret.
#[derive(Debug)]
pub struct ResetToken {
    /// Whose password can be set with it.
    pub user: Id,
    secret: Secret,
}

impl ResetToken {
    /// A new token for `user`.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub fn generate(user: Id) -> Result<Self, getrandom::Error> {
        let secret = Secret::generate()?;
        Ok(Self { user, secret })
    }

    /// The token that somebody has shown; `None` for a text that cannot be one.
    pub fn from_text(text: &str) -> Option<Self> {
        let (user, secret) = text.split_at_checked(ID_DIGITS)?;
        Some(Self {
            user: user.parse().ok()?,
            secret: Secret::from_text(secret)?,
        })
    }

    /// The text to hand out: letters, digits, `-` and `_`.
    pub fn text(&self) -> String {
        format!("{}{}", self.user, self.secret.text())
    }
}

/// What is kept of the links of one user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PasswordResets(Vec<Sent>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Sent {
    digest: Digest,
    ends_at: Timestamp,
}

impl PasswordResets {
    /// Lets `token` count from now on.
    pub fn add(&mut self, token: &ResetToken, now: Timestamp) {
        self.0.retain(|sent| now < sent.ends_at);
        if self.0.len() >= COUNTING_MAX {
            self.0.remove(0);
        }
        self.0.push(Sent {
            digest: token.secret.digest(),
            ends_at: now.checked_add(LIFE).unwrap_or(Timestamp::MAX),
        });
    }

    /// Whether `token` counts at `now`.
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
    fn a_link_counts_for_a_day() {
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
    fn the_five_newest_count() {
        let tokens: Vec<ResetToken> = (0..6).map(|_| token()).collect();
        let mut sent = PasswordResets::default();
        tokens.iter().for_each(|token| sent.add(token, at(0)));
        let accepted: Vec<bool> = tokens
            .iter()
            .map(|token| sent.accept(token, at(1)))
            .collect();
        assert_eq!(accepted, [false, true, true, true, true, true]);
    }

    #[test]
    fn other_texts_are_no_tokens() {
        for text in ["", "bm9uc2Vuc2U", &"é".repeat(40), &token().text()[1..]] {
            assert!(ResetToken::from_text(text).is_none(), "{text}");
        }
    }
}
