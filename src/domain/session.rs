//! Sessions: who is signed in where. A browser holds the identifier in a cookie; what is kept is a digest of it.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{
    OptionalText,
    secret::{Digest, Secret},
};
use crate::id::Id;

/// How long a session lasts: half a year (Ghost 6.65, recorded).
const LIFE: SignedDuration = SignedDuration::from_hours(24 * 183);

/// How long a session waits for its code, of which several may be sent.
const WAIT_FOR_CODE: SignedDuration = SignedDuration::from_hours(1);

/// How exactly it is kept when a session was last used. Finer would mean a write for every request.
const USE_STEP: SignedDuration = SignedDuration::from_hours(24);

/// Longest description of a browser that is kept, in characters.
const USER_AGENT_CHARACTERS_MAX: usize = 255;

/// Most sessions of one user. One more ends the one that has not been used for longest.
pub const SESSIONS_OF_USER_MAX: usize = 100;

/// How long a code counts (Ghost 6.65, recorded).
const CODE_LIFE: SignedDuration = SignedDuration::from_mins(5);

/// Wrong codes after which the right one does not count any more (Ghost 6.65, recorded).
const CODE_TRIES_MAX: u8 = 5;

/// A browser that a member of the staff has signed in with (specification 3.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// What it is called in lists. It opens nothing.
    pub id: Id,
    /// The digest of what stands in the cookie.
    pub digest: Digest,
    /// Who signed in.
    pub user: Id,
    /// How far that came.
    pub state: SessionState,
    /// Whether the user has given a code in this browser: it is not asked for another one then.
    #[serde(default)]
    pub verified: bool,
    /// The origin of the page that the user signed in from. Pages of others cannot use the cookie.
    pub origin: Box<str>,
    /// What the browser calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: OptionalText,
    /// When the user signed in.
    pub created_at: Timestamp,
    /// When it was last used, to the day.
    pub last_used_at: Timestamp,
    /// The code that was sent last, while it may still be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<SentCode>,
}

/// How far signing in came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// The password was right; the code that was sent by mail is missing.
    AwaitingCode,
    /// All the way.
    SignedIn,
    /// And out again. What is left says that the browser is known.
    SignedOut,
}

/// What is kept of a code that was sent by mail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentCode {
    digest: Digest,
    sent_at: Timestamp,
    wrong: u8,
}

/// A code to be sent by mail: six digits.
pub struct Code(String);

/// What somebody signs in from.
#[derive(Clone, Debug)]
pub struct Browser<'a> {
    /// The origin of the page.
    pub origin: String,
    /// What the browser calls itself.
    pub user_agent: Option<&'a str>,
}

impl Session {
    /// A session of `user` in `browser`, known by `secret`.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub fn begin(
        secret: &Secret,
        user: Id,
        browser: &Browser,
        state: SessionState,
        now: Timestamp,
    ) -> Result<Self, getrandom::Error> {
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

    /// When it ends, whether it is used or not.
    pub fn ends_at(&self) -> Timestamp {
        let life = match self.state {
            SessionState::AwaitingCode => WAIT_FOR_CODE,
            SessionState::SignedIn | SessionState::SignedOut => LIFE,
        };
        after(self.created_at, life)
    }

    /// Whether its user is signed in at `now`.
    pub fn is_signed_in(&self, now: Timestamp) -> bool {
        self.state == SessionState::SignedIn && !self.is_over(now)
    }

    /// Whether it is worth nothing any more.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.ends_at() <= now
    }

    /// Whether a use at `now` is worth being kept.
    pub fn is_use_news(&self, now: Timestamp) -> bool {
        after(self.last_used_at, USE_STEP) <= now
    }

    /// Takes `code` for the one that counts from now on; one that was sent before does not any more.
    pub fn expect_code(&mut self, secret: &Secret, code: &Code, now: Timestamp) {
        self.code = Some(SentCode {
            digest: secret.digest_of(&code.0),
            sent_at: now,
            wrong: 0,
        });
    }

    /// Whether `given` is the code that was sent. The right one counts once, and signs the user in; a wrong one is counted.
    pub fn take_code(&mut self, secret: &Secret, given: &str, now: Timestamp) -> bool {
        let Some(code) = &mut self.code else {
            return false;
        };
        if after(code.sent_at, CODE_LIFE) <= now {
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
    /// A code that nobody knows.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub fn generate() -> Result<Self, getrandom::Error> {
        // Of 64 random bits, a million is so small a part that no code is likelier than another to be noticed.
        Ok(Self(format!("{:06}", getrandom::u64()? % 1_000_000)))
    }

    /// The digits.
    pub fn digits(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Code {
    /// Shows nothing: codes do not get into logs by accident.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

/// The time `later` than `time`; the end of all calendars when that is beyond it.
fn after(time: Timestamp, later: SignedDuration) -> Timestamp {
    time.checked_add(later).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).unwrap()
    }

    /// A session that awaits a code, with what its browser holds and the code.
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
        session.expect_code(&secret, &code, at(0));
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
    fn the_right_code_signs_in_and_counts_once() {
        let (mut session, secret, code) = awaiting();
        assert!(!session.is_signed_in(at(1)));
        assert!(session.take_code(&secret, code.digits(), at(299)));
        assert!(session.is_signed_in(at(299)) && session.verified);
        assert!(!session.take_code(&secret, code.digits(), at(299)));
    }

    #[test]
    fn a_code_is_void_after_five_minutes_after_five_wrong_ones_and_after_another_one() {
        let (mut session, secret, code) = awaiting();
        assert!(!session.take_code(&secret, code.digits(), at(300)));

        let (mut session, secret, code) = awaiting();
        for _ in 0..5 {
            assert!(!session.take_code(&secret, another(&code), at(1)));
        }
        assert!(!session.take_code(&secret, code.digits(), at(1)));

        let (mut session, secret, code) = awaiting();
        session.expect_code(&secret, &Code("another".to_owned()), at(1));
        assert!(!session.take_code(&secret, code.digits(), at(1)));
    }

    #[test]
    fn four_wrong_codes_do_no_harm() {
        let (mut session, secret, code) = awaiting();
        for _ in 0..4 {
            assert!(!session.take_code(&secret, another(&code), at(1)));
        }
        assert!(session.take_code(&secret, code.digits(), at(1)));
    }

    #[test]
    fn a_session_lasts_half_a_year_and_its_use_is_news_once_a_day() {
        let (mut session, ..) = awaiting();
        assert!(session.is_over(at(3600)) && !session.is_over(at(3599)));
        session.state = SessionState::SignedIn;
        let day = 86_400;
        assert!(session.is_signed_in(at(182 * day)));
        assert!(!session.is_signed_in(at(183 * day)));
        assert!(!session.is_use_news(at(day - 1)));
        assert!(session.is_use_news(at(day)));
    }

    #[test]
    fn codes_are_six_digits() {
        for _ in 0..100 {
            let code = Code::generate().unwrap();
            assert!(code.digits().len() == 6 && code.digits().bytes().all(|b| b.is_ascii_digit()));
        }
    }
}
