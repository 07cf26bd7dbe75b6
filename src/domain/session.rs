//! Staff sessions. The browser holds the secret in a cookie; the store holds its digest.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{
    OptionalText,
    secret::{Digest, Secret},
};
use crate::id::Id;

/// Lifetime of a session: half a year (Ghost 6.65, recorded).
const LIFETIME: SignedDuration = SignedDuration::from_hours(24 * 183);

/// Maximum time for which a session waits for its code, including resent codes.
const WAIT_FOR_CODE: SignedDuration = SignedDuration::from_hours(1);

/// Resolution of the time of last use. A finer resolution would cause a write for every request.
const USE_STEP: SignedDuration = SignedDuration::from_hours(24);

/// Longest stored user agent, in characters.
const USER_AGENT_CHARACTERS_MAX: usize = 255;

/// Maximum number of sessions of a user. A further session ends the least recently used one.
pub const SESSIONS_OF_USER_MAX: usize = 100;

/// Lifetime of a code (Ghost 6.65, recorded).
const CODE_LIFETIME: SignedDuration = SignedDuration::from_mins(5);

/// Number of wrong codes after which the right one is revoked (Ghost 6.65, recorded).
const CODE_TRIES_MAX: u8 = 5;

/// A session of a staff user in one browser (specification 3.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The identifier in lists, which gives no access.
    pub id: Id,
    /// The digest of the secret in the cookie.
    pub digest: Digest,
    /// The user.
    pub user: Id,
    /// The progress of a sign-in.
    pub state: SessionState,
    /// True if the user has entered a code in this browser, so that no further code is required.
    #[serde(default)]
    pub verified: bool,
    /// The origin of the page from which the user signed in. Pages of other origins cannot use the
    /// cookie.
    pub origin: Box<str>,
    /// The browser's user agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: OptionalText,
    /// Time of the sign-in.
    pub created_at: Timestamp,
    /// Time of the last use, accurate to a day.
    pub last_used_at: Timestamp,
    /// The last code that was sent, while it is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<SentCode>,
}

/// The progress of the sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// The password was right; the code from the mail has not been entered yet.
    AwaitingCode,
    /// The user is signed in.
    SignedIn,
    /// The user has signed out. The session remains only to recognise the browser.
    SignedOut,
}

/// A code that was sent by mail, as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentCode {
    digest: Digest,
    sent_at: Timestamp,
    wrong: u8,
}

/// A code to be sent by mail: six digits.
pub struct Code(String);

/// The browser that a user signs in from.
#[derive(Clone, Debug)]
pub struct Browser<'a> {
    /// The origin of the page.
    pub origin: String,
    /// The browser's user agent.
    pub user_agent: Option<&'a str>,
}

impl Session {
    /// Returns a session of `user` in `browser`, whose cookie holds `secret`.
    ///
    /// # Errors
    ///
    /// If the operating system provides no randomness.
    pub fn begin(
        secret: &Secret,
        user: Id,
        browser: &Browser,
        state: SessionState,
        now: Timestamp,
    ) -> Result<Self, getrandom::Error> {
        // Both texts come from the client, so their lengths are bounded.
        let cut = |text: &str| {
            text.chars()
                .take(USER_AGENT_CHARACTERS_MAX)
                .collect::<String>()
        };
        Ok(Self {
            id: Id::generate(now)?,
            digest: secret.digest(),
            user,
            state,
            verified: false,
            origin: cut(&browser.origin).into(),
            user_agent: browser.user_agent.map(|name| cut(name).into()),
            created_at: now,
            last_used_at: now,
            code: None,
        })
    }

    /// Returns the time at which the session expires, whether or not it is used.
    pub fn ends_at(&self) -> Timestamp {
        let lifetime = match self.state {
            SessionState::AwaitingCode => WAIT_FOR_CODE,
            SessionState::SignedIn | SessionState::SignedOut => LIFETIME,
        };
        after(self.created_at, lifetime)
    }

    /// Returns whether the user is signed in at `now`.
    pub fn is_signed_in(&self, now: Timestamp) -> bool {
        self.state == SessionState::SignedIn && !self.is_over(now)
    }

    /// Returns whether the session has expired.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.ends_at() <= now
    }

    /// Returns whether a use at `now` should be stored.
    pub fn should_store_use(&self, now: Timestamp) -> bool {
        after(self.last_used_at, USE_STEP) <= now
    }

    /// Sets `code` as the valid code, replacing any code that was sent before.
    pub fn set_code(&mut self, secret: &Secret, code: &Code, now: Timestamp) {
        self.code = Some(SentCode {
            // Keyed with the secret of the cookie, because a plain digest would reveal six digits.
            digest: secret.digest_of(&code.0),
            sent_at: now,
            wrong: 0,
        });
    }

    /// Verifies `given` against the code that was sent. The right code can be used once, and signs
    /// the user in; wrong codes are counted.
    pub fn verify_code(&mut self, secret: &Secret, given: &str, now: Timestamp) -> bool {
        let Some(code) = &mut self.code else {
            return false;
        };
        if after(code.sent_at, CODE_LIFETIME) <= now {
            self.code = None;
            return false;
        }
        if code.digest != secret.digest_of(given.trim()) {
            code.wrong += 1;
            if code.wrong >= CODE_TRIES_MAX {
                self.code = None;
            }
            return false;
        }
        self.code = None;
        self.state = SessionState::SignedIn;
        self.verified = true;
        true
    }
}

impl Code {
    /// Number of digits of a code.
    pub const DIGITS: usize = 6;

    /// Returns a random code.
    ///
    /// # Errors
    ///
    /// If the operating system provides no randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        // The modulo bias of a million in 2^64 is negligible.
        let number = getrandom::u64()? % 10_u64.pow(Self::DIGITS as u32);
        Ok(Self(format!("{number:0width$}", width = Self::DIGITS)))
    }

    /// Returns the digits.
    pub fn digits(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Code {
    /// Omits the code, which must not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

/// Returns the time `later` after `time`, saturating at the last representable time.
fn after(time: Timestamp, later: SignedDuration) -> Timestamp {
    time.checked_add(later).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).unwrap()
    }

    /// Returns a session that waits for a code, with its secret and the code.
    fn awaiting() -> (Session, Secret, Code) {
        let secret = Secret::generate().unwrap();
        let browser = Browser {
            origin: "https://example.com".to_owned(),
            user_agent: Some("Lynx"),
        };
        let user = Id::derive("user", "ada");
        let state = SessionState::AwaitingCode;
        let mut session = Session::begin(&secret, user, &browser, state, at(0)).unwrap();
        let code = Code::generate().unwrap();
        session.set_code(&secret, &code, at(0));
        (session, secret, code)
    }

    fn another(code: &Code) -> &'static str {
        if code.digits() == "000000" {
            "000001"
        } else {
            "000000"
        }
    }

    #[test]
    fn right_code_signs_in_once() {
        let (mut session, secret, code) = awaiting();
        assert!(!session.is_signed_in(at(1)));
        assert!(session.verify_code(&secret, code.digits(), at(299)));
        assert!(session.is_signed_in(at(299)) && session.verified);
        assert!(!session.verify_code(&secret, code.digits(), at(299)));
    }

    #[test]
    fn code_expires_on_timeout_attempts_or_reissue() {
        let (mut session, secret, code) = awaiting();
        assert!(!session.verify_code(&secret, code.digits(), at(300)));

        let (mut session, secret, code) = awaiting();
        for _ in 0..5 {
            assert!(!session.verify_code(&secret, another(&code), at(1)));
        }
        assert!(!session.verify_code(&secret, code.digits(), at(1)));

        let (mut session, secret, code) = awaiting();
        session.set_code(&secret, &Code("another".to_owned()), at(1));
        assert!(!session.verify_code(&secret, code.digits(), at(1)));
    }

    #[test]
    fn four_wrong_codes_do_not_revoke_the_right_one() {
        let (mut session, secret, code) = awaiting();
        for _ in 0..4 {
            assert!(!session.verify_code(&secret, another(&code), at(1)));
        }
        assert!(session.verify_code(&secret, code.digits(), at(1)));
    }

    #[test]
    fn session_lasts_half_a_year_and_stores_its_use_daily() {
        let (mut session, ..) = awaiting();
        assert!(session.is_over(at(3600)) && !session.is_over(at(3599)));
        session.state = SessionState::SignedIn;
        let day = 86_400;
        assert!(session.is_signed_in(at(182 * day)));
        assert!(!session.is_signed_in(at(183 * day)));
        assert!(!session.should_store_use(at(day - 1)));
        assert!(session.should_store_use(at(day)));
    }

    #[test]
    fn codes_are_six_digits() {
        for _ in 0..100 {
            let code = Code::generate().unwrap();
            assert!(code.digits().len() == 6 && code.digits().bytes().all(|b| b.is_ascii_digit()));
        }
    }
}
