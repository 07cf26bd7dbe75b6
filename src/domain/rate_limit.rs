//! Rate limits: wrong passwords delay the next attempt, requests that send mail have a quota, and
//! too many wrong Content API keys block a client for an hour.
//!
//! This module contains the rules for one client or account. `admin::rate_limits` counts the
//! attempts of all of them. Times are in seconds since 1970.

// Imported from `core` rather than `std::net`, since the domain layer must not use sockets.
use core::net::{IpAddr, Ipv6Addr};
use std::{fmt, str::FromStr};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, de::DeserializeOwned};

use super::{member::email_key, secret::Digest};

/// First wait, in seconds. Every further wrong guess doubles it (Ghost 6.65, recorded: ten minutes,
/// increasing).
const FIRST_WAIT_SECONDS: i64 = 600;

/// The longest wait, in seconds.
const LONGEST_WAIT_SECONDS: i64 = 86_400;

/// Number of doublings until the longest wait is reached.
const DOUBLINGS_MAX: usize = 8;

/// Time from the last guess, or from the end of the wait, until guesses are forgotten, in seconds.
const FORGOTTEN_AFTER_SECONDS: i64 = 3600;

/// The length of a quota's period, in seconds (Ghost 6.65, recorded).
const QUOTA_SECONDS: i64 = 3600;

/// Number of wrong keys after which a client is refused (Ghost 6.65, recorded).
pub const WRONG_KEYS_MAX: i64 = 100;

/// Duration of the refusal after wrong keys, in seconds (Ghost 6.65, recorded).
const REFUSED_SECONDS: i64 = 3600;

/// Time after which one wrong key is deducted from the count, in seconds. A client that sends wrong
/// keys at a lower rate is never refused.
const KEY_FORGOTTEN_SECONDS: i64 = REFUSED_SECONDS / WRONG_KEYS_MAX;

/// The key under which attempts are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitKey {
    /// A client: an IPv4 address, or the 64-bit prefix of an IPv6 address.
    Client(IpAddr),
    /// The digest of an account name, whether or not the account exists.
    Account([u8; 32]),
}

impl RateLimitKey {
    /// Returns the key of the client at this address.
    pub fn client(address: IpAddr) -> Self {
        // An IPv6 socket reports IPv4 clients with mapped addresses, which must count as the same
        // clients.
        Self::Client(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => {
                // A network usually has a whole 64-bit prefix, so its clients could use a new
                // address for each attempt.
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
            }
        })
    }

    /// Returns the key of the account with this e-mail address, ignoring case.
    pub fn account(email: &str) -> Self {
        Self::Account(*Digest::of(&email_key(email)).as_bytes())
    }
}

/// Writes the address of a client, or the digest of an account in hexadecimal digits.
impl fmt::Display for RateLimitKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(address) => address.fmt(formatter),
            Self::Account(digest) => formatter.write_str(&HEXLOWER.encode(digest)),
        }
    }
}

impl FromStr for RateLimitKey {
    type Err = UnknownKeyError;

    fn from_str(text: &str) -> Result<Self, UnknownKeyError> {
        if let Ok(address) = text.parse() {
            return Ok(Self::client(address));
        }
        let digest = HEXLOWER.decode(text.as_bytes()).ok();
        let digest = digest.and_then(|bytes| bytes.try_into().ok());
        digest.map(Self::Account).ok_or(UnknownKeyError)
    }
}

/// A text that is not a [`RateLimitKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it must be an address or a digest in hexadecimal digits")]
pub struct UnknownKeyError;

impl Serialize for RateLimitKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RateLimitKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// The recent attempts under one key, and the rule that limits them.
pub trait RateLimit: Clone + Default + Serialize + DeserializeOwned {
    /// The data recorded for an attempt, in addition to its time.
    type Attempt: Copy;

    /// Shifts the attempts back if the clock was set back, so that a wait never exceeds the limit.
    fn follow_clock(&mut self, now: i64);

    /// Returns the time at which the next attempt is permitted; `None` if it does not have to wait.
    fn waits_until(&self, now: i64) -> Option<i64>;

    /// Counts an attempt.
    fn count(&mut self, attempt: Self::Attempt, now: i64);

    /// Returns the time from which the attempts no longer have an effect.
    fn forgotten_at(&self) -> i64;
}

/// Password guesses, oldest first. The first `FREE` guesses are free; each further one makes the
/// next wait longer.
///
/// A right guess clears only the guesses of the same client for the same account. Guesses of that
/// client for other accounts, and guesses of other clients for this account, expire instead, or end
/// with the password that they were guesses at.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct PasswordGuesses<const FREE: usize>(Vec<Guess>);

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Guess {
    /// The other party: the account that a client tried, or the client that tried an account.
    party: RateLimitKey,
    at: i64,
}

impl<const FREE: usize> PasswordGuesses<FREE> {
    /// Removes the last guess of `party`, which was not verified.
    pub fn cancel(&mut self, party: RateLimitKey) {
        if let Some(last) = self.0.iter().rposition(|guess| guess.party == party) {
            self.0.remove(last);
        }
    }

    /// Removes all guesses of `party`, after a right one or after a change of the password.
    pub fn clear(&mut self, party: RateLimitKey) {
        self.0.retain(|guess| guess.party != party);
    }

    /// Returns whether there is a guess of `party`.
    pub fn has(&self, party: RateLimitKey) -> bool {
        self.0.iter().any(|guess| guess.party == party)
    }

    fn last(&self) -> Option<i64> {
        self.0.last().map(|guess| guess.at)
    }

    /// Returns the end of the last wait, past or not; `None` if all guesses were free.
    fn wait_end(&self) -> Option<i64> {
        // The last free guess already begins the first wait.
        let doublings = self.0.len().checked_sub(FREE)?.min(DOUBLINGS_MAX);
        let wait = (FIRST_WAIT_SECONDS << doublings).min(LONGEST_WAIT_SECONDS);
        Some(self.last()? + wait)
    }
}

impl<const FREE: usize> RateLimit for PasswordGuesses<FREE> {
    /// The other party, a client or an account.
    type Attempt = RateLimitKey;

    fn follow_clock(&mut self, now: i64) {
        let set_back = self.last().map_or(0, |last| last - now);
        if set_back > 0 {
            self.0.iter_mut().for_each(|guess| guess.at -= set_back);
        }
    }

    fn waits_until(&self, now: i64) -> Option<i64> {
        self.wait_end().filter(|end| *end > now)
    }

    fn count(&mut self, party: RateLimitKey, now: i64) {
        if self.forgotten_at() <= now {
            self.0.clear();
        }
        // Further guesses do not make the wait longer, so the list stays short under an attack.
        if self.0.len() > FREE + DOUBLINGS_MAX {
            self.0.remove(0);
        }
        self.0.push(Guess { party, at: now });
    }

    fn forgotten_at(&self) -> i64 {
        let last = self.wait_end().max(self.last());
        last.map_or(0, |last| last + FORGOTTEN_AFTER_SECONDS)
    }
}

/// Limits an operation to `MAX` times an hour, successful or not (Ghost 6.65, recorded: five
/// times).
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub struct HourlyQuota<const MAX: u32> {
    spent: u32,
    since: i64,
}

impl<const MAX: u32> RateLimit for HourlyQuota<MAX> {
    type Attempt = ();

    fn follow_clock(&mut self, now: i64) {
        self.since = self.since.min(now);
    }

    fn waits_until(&self, now: i64) -> Option<i64> {
        let end = self.since + QUOTA_SECONDS;
        (self.spent >= MAX && now < end).then_some(end)
    }

    fn count(&mut self, (): (), now: i64) {
        // The period begins with the first operation, not at a full hour.
        if self.spent == 0 || self.since + QUOTA_SECONDS <= now {
            *self = Self {
                spent: 0,
                since: now,
            };
        }
        self.spent += 1;
    }

    fn forgotten_at(&self) -> i64 {
        self.since + QUOTA_SECONDS
    }
}

/// Wrong Content API keys. Their count decreases only with time. A valid key does not reset it,
/// because valid keys are public.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub struct WrongKeys {
    /// Time at which the count reaches zero: wrong keys expire in sequence, one every
    /// [`KEY_FORGOTTEN_SECONDS`].
    forgotten_at: i64,
    refused_until: i64,
}

impl RateLimit for WrongKeys {
    type Attempt = ();

    /// More than an hour can remain only if the clock was set back. In that case the hour restarts.
    fn follow_clock(&mut self, now: i64) {
        self.forgotten_at = self.forgotten_at.min(now + REFUSED_SECONDS);
        self.refused_until = self.refused_until.min(now + REFUSED_SECONDS);
    }

    fn waits_until(&self, now: i64) -> Option<i64> {
        (self.refused_until > now).then_some(self.refused_until)
    }

    fn count(&mut self, (): (), now: i64) {
        // The distance of this time from now is the count: each wrong key extends it.
        self.forgotten_at = self.forgotten_at.max(now) + KEY_FORGOTTEN_SECONDS;
        // Refuse after the hundredth key, even if the first one is about to expire.
        if self.forgotten_at > now + REFUSED_SECONDS - KEY_FORGOTTEN_SECONDS {
            self.refused_until = now + REFUSED_SECONDS;
        }
    }

    fn forgotten_at(&self) -> i64 {
        self.forgotten_at.max(self.refused_until)
    }
}
