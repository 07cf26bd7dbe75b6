//! A rate limiter for one kind of attempt, which counts in this process or in the store.

use std::{sync::atomic::AtomicI64, time::Duration};

use jiff::Timestamp;
use papaya::{HashMap, Operation};

use crate::{
    domain::rate_limit::{HourlyQuota, PasswordGuesses, RateLimit, RateLimitKey},
    error::{Error, Kind, Result},
    site::Site,
    store::{CountChange, SharedCount, SharedCounts},
};

/// Maximum number of keys that a limiter keeps in memory. When it is reached, keys that do not have
/// to wait are evicted, and if that is not enough, all keys: counting does not stop guessing from
/// that many addresses.
pub(super) const REMEMBERED_MAX: usize = 50_000;

/// The current time, and the storage of the counts.
#[derive(Clone, Copy)]
pub struct Counting<'s> {
    /// The current time.
    pub now: Timestamp,
    /// The counts that processes share; `None` to count in memory.
    pub shared: Option<&'s dyn SharedCounts>,
}

impl<'s> From<&'s Site> for Counting<'s> {
    fn from(site: &'s Site) -> Self {
        Self {
            now: site.now(),
            shared: site.shared_counts(),
        }
    }
}

/// Limits the attempts under each key by the rule `L`.
pub struct RateLimiter<L> {
    /// The name of its counts in the shared store.
    pub(super) name: &'static str,
    // Values are replaced and never modified, so that requests for content need no lock.
    pub(super) limits: HashMap<RateLimitKey, L>,
    /// End of the time during which the shared counts are assumed unreachable, in seconds since 1970.
    pub(super) unavailable_until: AtomicI64,
}

impl<L: RateLimit> RateLimiter<L> {
    pub(super) fn named(name: &'static str) -> Self {
        Self {
            name,
            limits: HashMap::new(),
            unavailable_until: AtomicI64::new(0),
        }
    }

    /// Counts an attempt before it is made, so that concurrent attempts cannot exceed the limit.
    ///
    /// # Errors
    ///
    /// `TooManyRequests` if the attempt has to wait, `Maintenance` if it cannot be counted because
    /// the store is not available.
    pub fn begin<'s>(
        &self,
        key: RateLimitKey,
        attempt: L::Attempt,
        counting: impl Into<Counting<'s>>,
    ) -> Result<()> {
        let counting = counting.into();
        let now = counting.now.as_second();
        let mut waits_until = None;
        self.update(key, counting, |limit| {
            // Assigned in every run: `update` may call this several times.
            waits_until = limit.waits_until(now);
            if waits_until.is_none() {
                limit.count(attempt, now);
            }
        })?;
        match waits_until {
            Some(until) => Err(too_many(until - now)),
            None => Ok(()),
        }
    }

    /// Updates the count of `key`. Calls `change` again if another thread or process updates it at
    /// the same time.
    fn update(
        &self,
        key: RateLimitKey,
        counting: Counting<'_>,
        change: impl FnMut(&mut L),
    ) -> Result<()> {
        let now = counting.now.as_second();
        match counting.shared {
            Some(shared) => self.update_shared(shared, key, now, change).map(drop),
            None => {
                self.update_in_memory(key, now, change);
                Ok(())
            }
        }
    }

    /// Updates the count in memory.
    pub(super) fn update_in_memory(
        &self,
        key: RateLimitKey,
        now: i64,
        mut change: impl FnMut(&mut L),
    ) {
        self.make_room(now);
        self.limits.pin().compute(key, |entry| {
            let mut limit = entry.map_or_else(L::default, |(_, limit)| limit.clone());
            limit.follow_clock(now);
            change(&mut limit);
            match entry {
                // Counts without an effect are not stored, so that memory holds only recent
                // attempts.
                _ if limit.forgotten_at() > now => Operation::Insert(limit),
                Some(_) => Operation::Remove,
                None => Operation::Abort(()),
            }
        });
    }

    /// Updates the count that processes share, and returns it.
    pub(super) fn update_shared(
        &self,
        shared: &dyn SharedCounts,
        key: RateLimitKey,
        now: i64,
        mut change: impl FnMut(&mut L),
    ) -> Result<L> {
        let mut updated = Ok(L::default());
        shared.update(self.name, &key.to_string(), &mut |before| {
            updated = self.decode(before).map(|mut limit| {
                limit.follow_clock(now);
                change(&mut limit);
                limit
            });
            let encoded = match &updated {
                Ok(limit) => change_to(limit, now, before),
                // A count that cannot be read may be that of a newer version, and must not be reset
                // to zero.
                Err(_) => return CountChange::Keep,
            };
            encoded.unwrap_or_else(|error| {
                updated = Err(error);
                CountChange::Keep
            })
        })?;
        updated
    }

    pub(super) fn decode(&self, state: Option<&[u8]>) -> Result<L> {
        let decoded = state.map(serde_json::from_slice).transpose();
        let decoded = decoded.map_err(|error| {
            let name = self.name;
            Error::internal(format!("a count of {name} cannot be read: {error}"))
        });
        decoded.map(Option::unwrap_or_default)
    }

    fn make_room(&self, now: i64) {
        if self.limits.len() < REMEMBERED_MAX {
            return;
        }
        let limits = self.limits.pin();
        limits.retain(|_, limit| limit.waits_until(now).is_some());
        // Otherwise an almost full map would be scanned at every attempt.
        if limits.len() > REMEMBERED_MAX / 2 {
            limits.clear();
        }
    }
}

/// Returns the change that turns the shared state `before` into `limit`.
pub(super) fn change_to<L: RateLimit>(
    limit: &L,
    now: i64,
    before: Option<&[u8]>,
) -> Result<CountChange> {
    let seconds = |until: i64| Duration::from_secs(u64::try_from(until - now).unwrap_or_default());
    let lifetime = seconds(limit.forgotten_at());
    if lifetime.is_zero() {
        return Ok(CountChange::Remove);
    }
    let state = serde_json::to_vec(limit).map_err(Error::internal)?;
    // A refused attempt changes nothing, so an attack causes no writes once it has to wait.
    if before == Some(&*state) {
        return Ok(CountChange::Keep);
    }
    Ok(CountChange::Put(SharedCount {
        state,
        wait: limit.waits_until(now).map_or(Duration::ZERO, seconds),
        lifetime,
    }))
}

impl<const FREE: usize> RateLimiter<PasswordGuesses<FREE>> {
    /// Removes a guess that was not verified.
    pub fn cancel_guess<'s>(
        &self,
        key: RateLimitKey,
        other_key: RateLimitKey,
        counting: impl Into<Counting<'s>>,
    ) {
        self.remove_guesses(key, counting.into(), |guesses| guesses.cancel(other_key));
    }

    /// Removes the guesses of one client for one account, after a right one.
    pub fn clear_guesses<'s>(
        &self,
        key: RateLimitKey,
        other_key: RateLimitKey,
        counting: impl Into<Counting<'s>>,
    ) {
        self.remove_guesses(key, counting.into(), |guesses| guesses.clear(other_key));
    }

    /// Removes all guesses under a key.
    pub fn clear_all_guesses<'s>(&self, key: RateLimitKey, counting: impl Into<Counting<'s>>) {
        self.remove_guesses(key, counting.into(), |guesses| {
            *guesses = Default::default()
        });
    }

    /// Removes the guesses of `party` under all keys whose next attempt has to wait.
    pub fn end_waits_for<'s>(&self, party: RateLimitKey, counting: impl Into<Counting<'s>>) {
        let counting = counting.into();
        match self.waiting_for(party, counting) {
            Ok(keys) => keys
                .into_iter()
                .for_each(|key| self.clear_guesses(key, party, counting)),
            Err(error) => tracing::warn!(
                cause = error.cause(),
                "could not end the waits for an account; they end later"
            ),
        }
    }

    /// Returns the keys whose next attempt has to wait, with a guess of `party`.
    fn waiting_for(
        &self,
        party: RateLimitKey,
        counting: Counting<'_>,
    ) -> Result<Vec<RateLimitKey>> {
        let Some(shared) = counting.shared else {
            let (limits, now) = (self.limits.pin(), counting.now.as_second());
            let waiting = limits
                .iter()
                .filter(|(_, guesses)| guesses.waits_until(now).is_some() && guesses.has(party));
            return Ok(waiting.map(|(key, _)| *key).collect());
        };
        let waiting = shared.waiting(self.name)?.into_iter();
        let waiting = waiting.filter_map(|(key, state)| {
            // A count that cannot be read, such as that of a newer version, is left as it is.
            let guesses = self.decode(Some(&state)).ok()?;
            key.parse().ok().filter(|_| guesses.has(party))
        });
        Ok(waiting.collect())
    }

    /// Removes guesses. If that fails, they count until they expire.
    fn remove_guesses(
        &self,
        key: RateLimitKey,
        counting: Counting<'_>,
        remove: impl FnMut(&mut PasswordGuesses<FREE>),
    ) {
        // Not an error of the request: the password has been checked, and its result must not
        // change.
        if let Err(error) = self.update(key, counting, remove) {
            tracing::warn!(
                cause = error.cause(),
                "could not remove a sign-in attempt from the count; it expires later"
            );
        }
    }
}

impl<const MAX: u32> RateLimiter<HourlyQuota<MAX>> {
    /// Uses up one of the remaining operations of the quota.
    ///
    /// # Errors
    ///
    /// `TooManyRequests` if none remain, `Maintenance` if the operation cannot be counted because
    /// the store is not available.
    pub fn spend<'s>(&self, key: RateLimitKey, counting: impl Into<Counting<'s>>) -> Result<()> {
        self.begin(key, (), counting)
    }
}

pub(super) fn too_many(seconds: i64) -> Error {
    let minutes = ((seconds + 59) / 60).max(1);
    let unit = if minutes == 1 { "minute" } else { "minutes" };
    Error::new(Kind::TooManyRequests, "Too many attempts.")
        .context(format!("Try again in {minutes} {unit}."))
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv6Addr};

    use super::*;
    use crate::domain::rate_limit::{WRONG_KEYS_MAX, WrongKeys};

    /// Counting in memory.
    impl From<Timestamp> for Counting<'_> {
        fn from(now: Timestamp) -> Self {
            Self { now, shared: None }
        }
    }

    const FIRST_WAIT_SECONDS: i64 = 600;
    const LONGEST_WAIT_SECONDS: i64 = 86_400;
    const KEY_FORGOTTEN_SECONDS: i64 = 36;

    fn client(number: u32) -> RateLimitKey {
        RateLimitKey::client(IpAddr::from(number.to_be_bytes()))
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).unwrap()
    }

    fn account(name: &str) -> RateLimitKey {
        RateLimitKey::account(&format!("{name}@example.com"))
    }

    /// Returns whether a guess of the first client for an account has to wait.
    fn refuses_at(
        guesses: &RateLimiter<PasswordGuesses<5>>,
        other_key: RateLimitKey,
        second: i64,
    ) -> bool {
        match guesses.begin(client(1), other_key, at(second)) {
            Ok(()) => false,
            Err(error) => error.kind() == Kind::TooManyRequests,
        }
    }

    fn refuses(guesses: &RateLimiter<PasswordGuesses<5>>, second: i64) -> bool {
        refuses_at(guesses, account("ada"), second)
    }

    #[test]
    fn wait_starts_after_five_attempts_and_doubles() {
        let guesses = RateLimiter::<PasswordGuesses<5>>::named("test");
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
    fn attempts_expire_an_hour_after_the_wait() {
        let guesses = RateLimiter::<PasswordGuesses<5>>::named("test");
        (0..5).for_each(|_| assert!(!refuses(&guesses, 0)));
        for _ in 0..5 {
            assert!(!refuses(&guesses, 600 + 3600));
        }
        assert!(refuses(&guesses, 600 + 3600));
    }

    #[test]
    fn the_wait_grows_to_a_day() {
        let guesses = RateLimiter::<PasswordGuesses<5>>::named("test");
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
    fn correct_password_resets_only_the_attempts_of_its_account() {
        let guesses = RateLimiter::<PasswordGuesses<5>>::named("test");
        for _ in 0..10 {
            (0..4).for_each(|_| assert!(!refuses(&guesses, 0)));
            guesses.clear_guesses(client(1), account("ada"), at(0));
        }
        (0..4).for_each(|_| assert!(!refuses_at(&guesses, account("bob"), 0)));
        for _ in 0..10 {
            assert!(!refuses(&guesses, 0));
            guesses.clear_guesses(client(1), account("ada"), at(0));
        }
        assert!(!refuses_at(&guesses, account("bob"), 0));
        assert!(refuses_at(&guesses, account("bob"), 0));
        // The wait starts at the last wrong guess; right guesses in between do not matter.
        assert!(!refuses(&guesses, 600));
        guesses.clear_guesses(client(1), account("ada"), at(0));
        assert!(!refuses_at(&guesses, account("bob"), 600));
        assert!(refuses(&guesses, 600 + 1199));
    }

    #[test]
    fn concurrent_attempts_do_not_exceed_the_limit() {
        let guesses = RateLimiter::<PasswordGuesses<5>>::named("test");
        let admitted = std::thread::scope(|scope| {
            let guess = || (0..50).filter(|_| !refuses(&guesses, 0)).count();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(guess)).collect();
            let admitted = threads.into_iter().map(|thread| thread.join().unwrap());
            admitted.sum::<usize>()
        });
        assert_eq!(admitted, 5);
    }

    #[test]
    fn unverified_attempt_does_not_count() {
        let guesses = RateLimiter::<PasswordGuesses<5>>::named("test");
        for _ in 0..10 {
            assert!(!refuses(&guesses, 0));
            guesses.cancel_guess(client(1), account("ada"), at(0));
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
    fn quota_is_five_an_hour() {
        let quota = RateLimiter::<HourlyQuota<5>>::named("test");
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
        let (guesses, quota) = (
            RateLimiter::<PasswordGuesses<5>>::named("test"),
            RateLimiter::<HourlyQuota<5>>::named("test"),
        );
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
        let quota = RateLimiter::<HourlyQuota<5>>::named("test");
        for number in 0..(REMEMBERED_MAX as u32 + 10) {
            quota.spend(client(number), at(0)).unwrap();
        }
        assert!(quota.limits.len() <= REMEMBERED_MAX);
    }

    #[test]
    fn hundred_wrong_keys_are_refused_for_an_hour() {
        let limiter = RateLimiter::<WrongKeys>::named("test");
        for _ in 0..WRONG_KEYS_MAX {
            assert!(!limiter.is_refused(client(1), at(0)));
            limiter.record(client(1), at(0));
        }
        assert!(limiter.is_refused(client(1), at(3599)));
        assert!(!limiter.is_refused(client(2), at(0)));
        assert!(!limiter.is_refused(client(1), at(3600)));
    }

    #[test]
    fn clock_set_back_refuses_no_longer_than_an_hour() {
        let limiter = RateLimiter::<WrongKeys>::named("test");
        for _ in 0..WRONG_KEYS_MAX {
            limiter.record(client(1), at(1_000_000));
        }
        assert!(limiter.is_refused(client(1), at(0)));
        assert!(limiter.is_refused(client(1), at(3599)));
        assert!(!limiter.is_refused(client(1), at(3600)));
    }

    #[test]
    fn wrong_key_expires_after_36_seconds() {
        let limiter = RateLimiter::<WrongKeys>::named("test");
        let mut now = 0;
        for _ in 0..3 {
            (1..WRONG_KEYS_MAX).for_each(|_| limiter.record(client(1), at(now)));
            assert!(!limiter.is_refused(client(1), at(now)));
            now += 99 * KEY_FORGOTTEN_SECONDS;
        }
        for _ in 0..3 * WRONG_KEYS_MAX {
            limiter.record(client(1), at(now));
            now += KEY_FORGOTTEN_SECONDS;
        }
        assert!(!limiter.is_refused(client(1), at(now)));
        for _ in 0..3 * WRONG_KEYS_MAX {
            limiter.record(client(1), at(now));
            now += KEY_FORGOTTEN_SECONDS / 2;
        }
        assert!(limiter.is_refused(client(1), at(now)));
    }

    #[test]
    fn ipv6_network_counts_as_one_client() {
        let host = |host: u16| {
            let address = Ipv6Addr::new(0x2001, 0xdb8, 1, 2, 0, 0, 0, host);
            RateLimitKey::client(IpAddr::V6(address))
        };
        let limiter = RateLimiter::<WrongKeys>::named("test");
        for number in 0..WRONG_KEYS_MAX {
            limiter.record(host(number as u16), at(0));
        }
        assert!(limiter.is_refused(host(60_000), at(0)));
    }
    #[test]
    fn clients_without_a_wait_are_evicted_first() {
        let limiter = RateLimiter::<WrongKeys>::named("test");
        for _ in 0..WRONG_KEYS_MAX {
            limiter.record(client(0), at(0));
        }
        for number in 0..(REMEMBERED_MAX as u32 + 10) {
            limiter.record(client(number), at(0));
        }
        assert!(limiter.limits.len() <= REMEMBERED_MAX);
        assert!(limiter.is_refused(client(0), at(0)));
    }
}
