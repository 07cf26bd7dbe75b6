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

/// How often the wait doubles before it is the longest.
const DOUBLINGS_MAX: usize = 8;

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
    /// Passwords that a signed-in user gave to set another one.
    pub own_passwords: Guesses<30>,
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
///
/// A right guess takes away those of the same client at the same account alone: it says nothing about guesses of that
/// client at other accounts, or of others at this one. Those are forgotten with time.
#[derive(Default)]
pub struct Guesses<const FREE: u32>(Mutex<HashMap<Counted, Guessed>>);

/// The guesses that are counted together, from old to new.
#[derive(Default)]
struct Guessed(Vec<Guess>);

#[derive(Clone, Copy)]
struct Guess {
    /// The other party: at whose account a client guessed, or which client guessed at an account.
    party: Counted,
    /// When, in seconds since 1970.
    at: i64,
}

impl Guessed {
    /// Has the wait begin anew when the clock was set back, by however much: it never becomes longer than it is.
    fn follow(&mut self, now: i64) {
        let set_back = self.last().map_or(0, |last| last - now);
        if set_back > 0 {
            self.0.iter_mut().for_each(|guess| guess.at -= set_back);
        }
    }

    fn last(&self) -> Option<i64> {
        self.0.last().map(|guess| guess.at)
    }

    /// Until when the next guess waits when so many are free; `None` if it need not.
    fn waits_until(&self, free: usize) -> Option<i64> {
        let doublings = self.0.len().checked_sub(free)?.min(DOUBLINGS_MAX);
        let wait = (FIRST_WAIT_SECONDS << doublings).min(LONGEST_WAIT_SECONDS);
        Some(self.last()? + wait)
    }
}

impl<const FREE: u32> Guesses<FREE> {
    /// Counts a guess before it is looked at, so that many at once do not slip through. `party` is the other of client and
    /// account.
    ///
    /// # Errors
    ///
    /// `TooManyRequests` when one has to wait; nothing is counted then.
    pub fn begin(&self, whose: Counted, party: Counted, now: Timestamp) -> Result<()> {
        let now = now.as_second();
        let mut all = lock(&self.0);
        make_room(&mut all, |guessed| {
            guessed.waits_until(FREE as usize) > Some(now)
        });
        let guessed = all.entry(whose).or_default();
        guessed.follow(now);
        let waits_until = guessed.waits_until(FREE as usize);
        if let Some(seconds) = waits_until
            .map(|until| until - now)
            .filter(|left| *left > 0)
        {
            return Err(too_many(seconds));
        }
        if waits_until.max(guessed.last()) <= Some(now - FORGOTTEN_AFTER_SECONDS) {
            guessed.0.clear();
        }
        if guessed.0.len() > FREE as usize + DOUBLINGS_MAX {
            guessed.0.remove(0);
        }
        guessed.0.push(Guess { party, at: now });
        Ok(())
    }

    /// Takes back a guess that nobody looked at.
    pub fn take_back(&self, whose: Counted, party: Counted) {
        self.change(whose, |guesses| {
            if let Some(last) = guesses.iter().rposition(|guess| guess.party == party) {
                guesses.remove(last);
            }
        });
    }

    /// Forgets the guesses of one client at one account, which ended with the right one.
    pub fn forgive(&self, whose: Counted, party: Counted) {
        self.change(whose, |guesses| {
            guesses.retain(|guess| guess.party != party)
        });
    }

    fn change(&self, whose: Counted, change: impl FnOnce(&mut Vec<Guess>)) {
        let mut all = lock(&self.0);
        if let Some(guessed) = all.get_mut(&whose) {
            change(&mut guessed.0);
            if guessed.0.is_empty() {
                all.remove(&whose);
            }
        }
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

    fn account(name: &str) -> Counted {
        Counted::account(&format!("{name}@example.com"))
    }

    /// Whether a guess of the first client at an account has to wait.
    fn refuses_at(guesses: &Guesses<5>, party: Counted, second: i64) -> bool {
        match guesses.begin(client(1), party, at(second)) {
            Ok(()) => false,
            Err(error) => error.kind() == Kind::TooManyRequests,
        }
    }

    fn refuses(guesses: &Guesses<5>, second: i64) -> bool {
        refuses_at(guesses, account("ada"), second)
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
    fn the_wait_grows_to_a_day() {
        let guesses = Guesses::<5>::default();
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
    fn right_guess_forgives_those_at_the_same_account_alone() {
        let guesses = Guesses::<5>::default();
        for _ in 0..10 {
            (0..4).for_each(|_| assert!(!refuses(&guesses, 0)));
            guesses.forgive(client(1), account("ada"));
        }
        (0..4).for_each(|_| assert!(!refuses_at(&guesses, account("bob"), 0)));
        for _ in 0..10 {
            assert!(!refuses(&guesses, 0));
            guesses.forgive(client(1), account("ada"));
        }
        assert!(!refuses_at(&guesses, account("bob"), 0));
        assert!(refuses_at(&guesses, account("bob"), 0));
        // The wait is that after the last wrong guess, whatever was right in between.
        assert!(!refuses(&guesses, 600));
        guesses.forgive(client(1), account("ada"));
        assert!(!refuses_at(&guesses, account("bob"), 600));
        assert!(refuses(&guesses, 600 + 1199));
    }

    #[test]
    fn guess_that_was_not_looked_at_does_not_count() {
        let guesses = Guesses::<5>::default();
        for _ in 0..10 {
            assert!(!refuses(&guesses, 0));
            guesses.take_back(client(1), account("ada"));
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
