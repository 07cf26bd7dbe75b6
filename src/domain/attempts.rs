//! How often somebody may try: wrong passwords make one wait, and what goes out by mail is counted.
//!
//! Counts stand in memory only. They slow down whoever guesses while the server runs; nobody who guesses can restart it, and
//! a write to disk for every wrong password would be a gift to those who want it to be busy.

use std::{
    collections::HashMap,
    hash::Hash,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;

use super::secret::Digest;
use crate::error::{Error, Kind, Result};

/// The first wait, in seconds. Every wrong guess after it makes the next one twice as long (Ghost 6.65, recorded: ten
/// minutes, growing).
const FIRST_WAIT_SECONDS: i64 = 600;

/// The longest wait, in seconds.
const LONGEST_WAIT_SECONDS: i64 = 86_400;

/// How long after the last guess or the end of the wait guesses are forgotten, in seconds.
const FORGOTTEN_AFTER_SECONDS: i64 = 3600;

/// For how long a quota lasts, in seconds (Ghost 6.65, recorded).
const QUOTA_SECONDS: i64 = 3600;

/// Those who are remembered at most. When there are more, those who may try at once are forgotten, and if that is not
/// enough, everybody: guessing from so many addresses is not stopped by counting them.
const REMEMBERED_MAX: usize = 50_000;

/// Everything that is counted of those who want to come in.
#[derive(Default)]
pub struct Attempts {
    /// Passwords that came from one client (Ghost 6.65, recorded: five).
    pub passwords: Guesses<5>,
    /// Passwords that were given for one account, wherever they came from. More are free than from one client, or five
    /// wrong ones would be enough to keep somebody else out.
    pub passwords_of_account: Guesses<30>,
    /// Codes that were given.
    pub codes: Quota<5>,
    /// Codes that were asked for again.
    pub codes_again: Quota<5>,
    /// Codes that were sent because somebody knew the password. Generous: it only keeps a mailbox from being flooded.
    pub codes_sent: Quota<30>,
    /// Links to set a new password that were asked for.
    pub password_resets: Quota<5>,
    /// Newsletters that a member ended and had again.
    pub subscriptions_again: Quota<20>,
}

/// Whose attempts are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counted {
    /// Those of one client: an IPv4 address or an IPv6 network.
    Client(IpAddr),
    /// Those at one account, whether there is one or not.
    Account([u8; 32]),
}

impl Counted {
    /// Attempts at the account with this e-mail address, in whatever case.
    pub fn account(email: &str) -> Self {
        Self::Account(*Digest::of(&email.trim().to_lowercase()).as_bytes())
    }
}

/// Counts guesses at passwords: so many are free, then each makes the next one wait longer.
#[derive(Default)]
pub struct Guesses<const FREE: u32>(Mutex<HashMap<Counted, Guessed>>);

#[derive(Clone, Copy, Default)]
struct Guessed {
    count: u32,
    last: i64,
    waits_until: i64,
}

impl Guessed {
    /// Has the wait begin anew when the clock was set back, by however much: it never becomes longer than it is.
    fn follow(&mut self, now: i64) {
        let set_back = self.last - now;
        if set_back > 0 {
            self.last -= set_back;
            self.waits_until -= set_back;
        }
    }
}

impl<const FREE: u32> Guesses<FREE> {
    /// Counts a guess before it is looked at, so that many at once do not slip through.
    ///
    /// # Errors
    ///
    /// `TooManyRequests` when one has to wait; nothing is counted then.
    pub fn begin(&self, whose: Counted, now: Timestamp) -> Result<()> {
        let now = now.as_second();
        let mut all = lock(&self.0);
        make_room(&mut all, |guessed| guessed.waits_until > now);
        let guessed = all.entry(whose).or_default();
        guessed.follow(now);
        if now < guessed.waits_until {
            return Err(too_many(guessed.waits_until - now));
        }
        if guessed.last.max(guessed.waits_until) + FORGOTTEN_AFTER_SECONDS <= now {
            *guessed = Guessed::default();
        }
        guessed.count += 1;
        guessed.last = now;
        if guessed.count >= FREE {
            let doublings = (guessed.count - FREE).min(16);
            let wait = (FIRST_WAIT_SECONDS << doublings).min(LONGEST_WAIT_SECONDS);
            guessed.waits_until = now + wait;
        }
        Ok(())
    }

    /// Takes back a guess that nobody looked at.
    pub fn take_back(&self, whose: Counted) {
        if let Some(guessed) = lock(&self.0).get_mut(&whose) {
            guessed.count = guessed.count.saturating_sub(1);
            if guessed.count < FREE {
                guessed.waits_until = 0;
            }
        }
    }

    /// Forgets the guesses of whoever got it right.
    pub fn forget(&self, whose: Counted) {
        lock(&self.0).remove(&whose);
    }
}

/// Counts what may be done so many times in an hour, rightly or wrongly (Ghost 6.65, recorded: five times).
#[derive(Default)]
pub struct Quota<const MAX: u32>(Mutex<HashMap<Counted, Spent>>);

#[derive(Clone, Copy)]
struct Spent {
    count: u32,
    since: i64,
}

impl<const MAX: u32> Quota<MAX> {
    /// Spends one of what is left.
    ///
    /// # Errors
    ///
    /// `TooManyRequests` when nothing is left.
    pub fn spend(&self, whose: Counted, now: Timestamp) -> Result<()> {
        let now = now.as_second();
        let mut all = lock(&self.0);
        make_room(&mut all, |spent| {
            spent.count >= MAX && now < spent.since + QUOTA_SECONDS
        });
        let spent = all.entry(whose).or_insert(Spent {
            count: 0,
            since: now,
        });
        // The hour begins anew when the clock was set back.
        spent.since = spent.since.min(now);
        if spent.since + QUOTA_SECONDS <= now {
            *spent = Spent {
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn make_room<K: Eq + Hash, V>(all: &mut HashMap<K, V>, has_to_wait: impl Fn(&V) -> bool) {
    if all.len() < REMEMBERED_MAX {
        return;
    }
    all.retain(|_, value| has_to_wait(value));
    // Looking through all of them must not become what every attempt costs.
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

    fn client(number: u32) -> Counted {
        Counted::Client(IpAddr::from(number.to_be_bytes()))
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).unwrap()
    }

    fn refuses(guesses: &Guesses<5>, second: i64) -> bool {
        match guesses.begin(client(1), at(second)) {
            Ok(()) => false,
            Err(error) => error.kind() == Kind::TooManyRequests,
        }
    }

    #[test]
    fn after_five_guesses_one_waits_and_each_time_longer() {
        let guesses = Guesses::<5>::default();
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
    fn an_hour_after_the_wait_everything_is_forgotten() {
        let guesses = Guesses::<5>::default();
        (0..5).for_each(|_| assert!(!refuses(&guesses, 0)));
        for _ in 0..5 {
            assert!(!refuses(&guesses, 600 + 3600));
        }
        assert!(refuses(&guesses, 600 + 3600));
    }

    #[test]
    fn who_gets_it_right_starts_anew_and_a_guess_that_nobody_looked_at_does_not_count() {
        let guesses = Guesses::<5>::default();
        for _ in 0..10 {
            (0..4).for_each(|_| assert!(!refuses(&guesses, 0)));
            guesses.forget(client(1));
        }
        for _ in 0..10 {
            assert!(!refuses(&guesses, 0));
            guesses.take_back(client(1));
        }
    }

    #[test]
    fn an_account_is_the_same_in_any_case_of_letters() {
        assert_eq!(
            Counted::account("Ada@Example.com "),
            Counted::account("ada@example.com")
        );
        assert_ne!(
            Counted::account("ada@example.com"),
            Counted::account("bob@example.com")
        );
    }

    #[test]
    fn five_an_hour_is_five_an_hour() {
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
    fn a_clock_that_is_set_back_makes_nobody_wait_longer() {
        let (guesses, quota) = (Guesses::<5>::default(), Quota::<5>::default());
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
