//! Rate limits: wrong passwords make the next attempt wait, and requests that send mail have a
//! quota.
//!
//! The counts are in memory only. They slow down guessing while the server runs; an attacker cannot
//! restart it, and a disk write for every wrong password would make a denial of service cheaper.

use std::{
    collections::HashMap,
    hash::Hash,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;

use super::secret::Digest;
use crate::error::{Error, Kind, Result};

/// The first wait, in seconds. Every further wrong guess doubles it (Ghost 6.65, recorded: ten
/// minutes, growing).
const FIRST_WAIT_SECONDS: i64 = 600;

/// The longest wait, in seconds.
const LONGEST_WAIT_SECONDS: i64 = 86_400;

/// The number of doublings until the wait is the longest.
const DOUBLINGS_MAX: usize = 8;

/// How long after the last guess, or after the end of the wait, guesses are forgotten, in seconds.
const FORGOTTEN_AFTER_SECONDS: i64 = 3600;

/// The length of a quota's period, in seconds (Ghost 6.65, recorded).
const QUOTA_SECONDS: i64 = 3600;

/// The most keys that are remembered. Beyond that, keys that need not wait are forgotten, and if
/// that is not enough, all: guessing from that many addresses is not stopped by counting them.
const REMEMBERED_MAX: usize = 50_000;

/// All limits on authentication and on mail.
#[derive(Default)]
pub struct RateLimits {
    /// Passwords tried by one client (Ghost 6.65, recorded: five).
    pub passwords: PasswordThrottle<5>,
    /// Passwords tried for one account, by any client. More are free than for one client: otherwise
    /// five wrong guesses by an attacker would lock the user out.
    pub passwords_of_account: PasswordThrottle<30>,
    /// Passwords that a signed-in user enters in order to set a new one.
    pub own_passwords: PasswordThrottle<30>,
    /// Sign-in codes entered.
    pub codes: Quota<5>,
    /// Sign-in codes requested again.
    pub codes_again: Quota<5>,
    /// Sign-in codes sent after a right password. Generous: the limit only keeps a mailbox from
    /// being flooded.
    pub codes_sent: Quota<30>,
    /// Password reset links requested.
    pub password_resets: Quota<5>,
    /// Newsletters that a member unsubscribed from and subscribed to again.
    pub subscriptions_again: Quota<20>,
}

/// The key by which attempts are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitKey {
    /// One client: an IPv4 address or an IPv6 network.
    Client(IpAddr),
    /// One account, whether it exists or not.
    Account([u8; 32]),
}

impl RateLimitKey {
    /// Returns the key of the account with this e-mail address; case does not matter.
    pub fn account(email: &str) -> Self {
        Self::Account(*Digest::of(&email.trim().to_lowercase()).as_bytes())
    }
}

/// Throttles password guesses: `FREE` are free, then each makes the next one wait longer.
///
/// A right guess clears only the guesses of the same client at the same account: it says nothing
/// about that client's guesses at other accounts, or about other clients' guesses at this account.
/// Those expire.
#[derive(Default)]
pub struct PasswordThrottle<const FREE: u32>(Mutex<HashMap<RateLimitKey, GuessHistory>>);

/// The guesses under one key, oldest first.
#[derive(Default)]
struct GuessHistory(Vec<Guess>);

#[derive(Clone, Copy)]
struct Guess {
    /// The other side: the account that a client history at, or the client that history at an
    /// account.
    party: RateLimitKey,
    /// The time, in seconds since 1970.
    at: i64,
}

impl GuessHistory {
    /// Moves the guesses back if the clock was set back, so that the wait never becomes longer than
    /// the limit.
    fn follow(&mut self, now: i64) {
        let set_back = self.last().map_or(0, |last| last - now);
        if set_back > 0 {
            self.0.iter_mut().for_each(|guess| guess.at -= set_back);
        }
    }

    fn last(&self) -> Option<i64> {
        self.0.last().map(|guess| guess.at)
    }

    /// Returns when the next guess is permitted if `free` are free; `None` if it need not wait.
    fn waits_until(&self, free: usize) -> Option<i64> {
        let doublings = self.0.len().checked_sub(free)?.min(DOUBLINGS_MAX);
        let wait = (FIRST_WAIT_SECONDS << doublings).min(LONGEST_WAIT_SECONDS);
        Some(self.last()? + wait)
    }
}

impl<const FREE: u32> PasswordThrottle<FREE> {
    /// Counts a guess before it is verified, so that concurrent guesses cannot exceed the limit.
    /// `party` is the other side, client or account.
    ///
    /// # Errors
    ///
    /// `TooManyRequests` if the client has to wait; the guess is not counted then.
    pub fn begin(&self, whose: RateLimitKey, party: RateLimitKey, now: Timestamp) -> Result<()> {
        let now = now.as_second();
        let mut all = lock(&self.0);
        make_room(&mut all, |history| {
            history.waits_until(FREE as usize) > Some(now)
        });
        let history = all.entry(whose).or_default();
        history.follow(now);
        let waits_until = history.waits_until(FREE as usize);
        if let Some(seconds) = waits_until
            .map(|until| until - now)
            .filter(|left| *left > 0)
        {
            return Err(too_many(seconds));
        }
        if waits_until.max(history.last()) <= Some(now - FORGOTTEN_AFTER_SECONDS) {
            history.0.clear();
        }
        if history.0.len() > FREE as usize + DOUBLINGS_MAX {
            history.0.remove(0);
        }
        history.0.push(Guess { party, at: now });
        Ok(())
    }

    /// Removes a guess that was not verified.
    pub fn cancel_guess(&self, whose: RateLimitKey, party: RateLimitKey) {
        self.change(whose, |guesses| {
            if let Some(last) = guesses.iter().rposition(|guess| guess.party == party) {
                guesses.remove(last);
            }
        });
    }

    /// Removes the guesses of one client at one account, after the right one.
    pub fn clear_guesses(&self, whose: RateLimitKey, party: RateLimitKey) {
        self.change(whose, |guesses| {
            guesses.retain(|guess| guess.party != party)
        });
    }

    fn change(&self, whose: RateLimitKey, change: impl FnOnce(&mut Vec<Guess>)) {
        let mut all = lock(&self.0);
        if let Some(history) = all.get_mut(&whose) {
            change(&mut history.0);
            if history.0.is_empty() {
                all.remove(&whose);
            }
        }
    }
}

/// Limits an operation to `MAX` times an hour, successful or not (Ghost 6.65, recorded: five
/// times).
#[derive(Default)]
pub struct Quota<const MAX: u32>(Mutex<HashMap<RateLimitKey, QuotaUse>>);

#[derive(Clone, Copy)]
struct QuotaUse {
    count: u32,
    since: i64,
}

impl<const MAX: u32> Quota<MAX> {
    /// Uses one of the remaining operations.
    ///
    /// # Errors
    ///
    /// `TooManyRequests` if none remain.
    pub fn spend(&self, whose: RateLimitKey, now: Timestamp) -> Result<()> {
        let now = now.as_second();
        let mut all = lock(&self.0);
        make_room(&mut all, |spent| {
            spent.count >= MAX && now < spent.since + QUOTA_SECONDS
        });
        let spent = all.entry(whose).or_insert(QuotaUse {
            count: 0,
            since: now,
        });
        // The hour starts again if the clock was set back.
        spent.since = spent.since.min(now);
        if spent.since + QUOTA_SECONDS <= now {
            *spent = QuotaUse {
                count: 0,
                since: now,
            };
        }
        if spent.count >= MAX {
            return Err(too_many(spent.since + QUOTA_SECONDS - now));
        }
        spent.count += 1;
        Ok(())
    }
}

// A poisoned lock is taken all the same: the maps are valid after every statement.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn make_room<K: Eq + Hash, V>(all: &mut HashMap<K, V>, has_to_wait: impl Fn(&V) -> bool) {
    if all.len() < REMEMBERED_MAX {
        return;
    }
    all.retain(|_, value| has_to_wait(value));
    // Without this, a full map would be searched at every attempt.
    if all.len() > REMEMBERED_MAX / 2 {
        all.clear();
    }
}

fn too_many(seconds: i64) -> Error {
    let minutes = seconds.div_euclid(60) + 1;
    Error::new(Kind::TooManyRequests, "There were too many attempts.")
        .context(format!("Try again in {minutes} minutes."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u32) -> RateLimitKey {
        RateLimitKey::Client(IpAddr::from(number.to_be_bytes()))
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).unwrap()
    }

    fn account(name: &str) -> RateLimitKey {
        RateLimitKey::account(&format!("{name}@example.com"))
    }

    /// Returns whether a guess of the first client at an account has to wait.
    fn refuses_at(guesses: &PasswordThrottle<5>, party: RateLimitKey, second: i64) -> bool {
        match guesses.begin(client(1), party, at(second)) {
            Ok(()) => false,
            Err(error) => error.kind() == Kind::TooManyRequests,
        }
    }

    fn refuses(guesses: &PasswordThrottle<5>, second: i64) -> bool {
        refuses_at(guesses, account("ada"), second)
    }

    #[test]
    fn wait_starts_after_five_guesses_and_doubles() {
        let guesses = PasswordThrottle::<5>::default();
        for _ in 0..5 {
            assert!(!refuses(&guesses, 0));
        }
        assert!(refuses(&guesses, 0) && refuses(&guesses, 599));
        assert!(!refuses(&guesses, 600));
        assert!(refuses(&guesses, 601) && refuses(&guesses, 600 + 1199));
        assert!(!refuses(&guesses, 600 + 1200));
        assert!(refuses(&guesses, 1800 + 2399));
    }

    #[test]
    fn guesses_expire_an_hour_after_the_wait() {
        let guesses = PasswordThrottle::<5>::default();
        (0..5).for_each(|_| assert!(!refuses(&guesses, 0)));
        for _ in 0..5 {
            assert!(!refuses(&guesses, 600 + 3600));
        }
        assert!(refuses(&guesses, 600 + 3600));
    }

    #[test]
    fn the_wait_grows_to_a_day() {
        let guesses = PasswordThrottle::<5>::default();
        let mut second = 0;
        for _ in 0..40 {
            while refuses(&guesses, second) {
                second += FIRST_WAIT_SECONDS;
            }
        }
        assert!(refuses(&guesses, second + LONGEST_WAIT_SECONDS - 1));
        assert!(!refuses(&guesses, second + LONGEST_WAIT_SECONDS));
    }

    #[test]
    fn right_guess_clears_only_guesses_at_the_same_account() {
        let guesses = PasswordThrottle::<5>::default();
        for _ in 0..10 {
            (0..4).for_each(|_| assert!(!refuses(&guesses, 0)));
            guesses.clear_guesses(client(1), account("ada"));
        }
        (0..4).for_each(|_| assert!(!refuses_at(&guesses, account("bob"), 0)));
        for _ in 0..10 {
            assert!(!refuses(&guesses, 0));
            guesses.clear_guesses(client(1), account("ada"));
        }
        assert!(!refuses_at(&guesses, account("bob"), 0));
        assert!(refuses_at(&guesses, account("bob"), 0));
        // The wait starts at the last wrong guess; right guesses in between do not matter.
        assert!(!refuses(&guesses, 600));
        guesses.clear_guesses(client(1), account("ada"));
        assert!(!refuses_at(&guesses, account("bob"), 600));
        assert!(refuses(&guesses, 600 + 1199));
    }

    #[test]
    fn unverified_guess_does_not_count() {
        let guesses = PasswordThrottle::<5>::default();
        for _ in 0..10 {
            assert!(!refuses(&guesses, 0));
            guesses.cancel_guess(client(1), account("ada"));
        }
    }

    #[test]
    fn account_key_ignores_case() {
        assert_eq!(
            RateLimitKey::account("Ada@Example.com "),
            RateLimitKey::account("ada@example.com")
        );
        assert_ne!(
            RateLimitKey::account("ada@example.com"),
            RateLimitKey::account("bob@example.com")
        );
    }

    #[test]
    fn quota_permits_five_an_hour() {
        let quota = Quota::<5>::default();
        for _ in 0..5 {
            assert!(quota.spend(client(1), at(0)).is_ok());
        }
        assert_eq!(
            quota.spend(client(1), at(3599)).unwrap_err().kind(),
            Kind::TooManyRequests
        );
        assert!(quota.spend(client(1), at(3600)).is_ok());
    }

    #[test]
    fn setting_the_clock_back_does_not_lengthen_a_wait() {
        let (guesses, quota) = (PasswordThrottle::<5>::default(), Quota::<5>::default());
        for _ in 0..5 {
            assert!(!refuses(&guesses, 1_000_000));
            quota.spend(client(1), at(1_000_000)).unwrap();
        }
        assert!(refuses(&guesses, 0) && refuses(&guesses, 599));
        assert!(!refuses(&guesses, 600));
        assert!(quota.spend(client(1), at(0)).is_err());
        assert!(quota.spend(client(1), at(3600)).is_ok());
    }

    #[test]
    fn memory_is_bounded() {
        let quota = Quota::<5>::default();
        for number in 0..(REMEMBERED_MAX as u32 + 10) {
            quota.spend(client(number), at(0)).unwrap();
        }
        assert!(lock(&quota.0).len() <= REMEMBERED_MAX);
    }
}
