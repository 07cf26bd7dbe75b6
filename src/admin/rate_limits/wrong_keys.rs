//! Wrong Content API keys, which are counted in the store if processes share it, but checked in
//! memory.

use std::sync::atomic::Ordering;

use jiff::Timestamp;

use super::{Counting, RateLimiter};
use crate::{
    domain::rate_limit::{RateLimit, RateLimitKey, WrongKeys},
    error::{Error, Result},
};

/// Time during which wrong keys are counted in memory only, after the store could not be reached,
/// in seconds. It keeps each wrong key from waiting for an unreachable store.
const STORE_AWAY_SECONDS: i64 = 10;

impl RateLimiter<WrongKeys> {
    /// Counts a wrong key. While the shared counts are unavailable, it is counted in memory.
    pub fn record<'s>(&self, key: RateLimitKey, counting: impl Into<Counting<'s>>) {
        let counting = counting.into();
        let now = counting.now.as_second();
        match self.record_shared(key, counting) {
            Some(limit) => self.take_over(key, limit, now),
            None => self.update_in_memory(key, now, |limit| limit.count((), now)),
        }
    }

    /// Returns whether the next attempt has to wait. Takes no lock and does not access the store.
    pub fn is_refused(&self, key: RateLimitKey, now: Timestamp) -> bool {
        // Checked first, because every request for content passes here and usually no client is
        // refused.
        if self.limits.is_empty() {
            return false;
        }
        let now = now.as_second();
        let limits = self.limits.pin();
        let is_refused = limits
            .get(&key)
            .is_some_and(|limit| limit.waits_until(now).is_some());
        if is_refused {
            // Stores the limit adjusted to a clock that was set back; otherwise the wait would
            // begin again with each request.
            limits.update(key, |limit| {
                let mut limit = *limit;
                limit.follow_clock(now);
                limit
            });
        }
        is_refused
    }

    /// Loads the clients that other processes refuse, if the counts are shared.
    ///
    /// # Errors
    ///
    /// `Maintenance` if the store is not available.
    pub fn follow_others<'s>(&self, counting: impl Into<Counting<'s>>) -> Result<()> {
        let Counting { now, shared } = counting.into();
        let waiting = shared.map(|shared| shared.waiting(self.name)).transpose()?;
        for (key, state) in waiting.into_iter().flatten() {
            let count = || -> Result<_> {
                let client: RateLimitKey = key.parse().map_err(Error::internal)?;
                Ok((client, self.decode(Some(&state))?))
            };
            match count() {
                Ok((client, limit)) => self.take_over(client, limit, now.as_second()),
                // One unreadable count must not prevent loading the others.
                Err(error) => tracing::warn!(
                    cause = error.cause(),
                    "ignored a shared count of wrong keys that cannot be read"
                ),
            }
        }
        Ok(())
    }

    /// Counts a wrong key in the shared counts and returns them, unless they are unavailable.
    fn record_shared(&self, key: RateLimitKey, counting: Counting<'_>) -> Option<WrongKeys> {
        let shared = counting.shared?;
        let now = counting.now.as_second();
        // Relaxed ordering is enough: no other memory depends on this value.
        if now < self.unavailable_until.load(Ordering::Relaxed) {
            return None;
        }
        let counted = self.update_shared(shared, key, now, |limit| limit.count((), now));
        counted
            .inspect_err(|error| {
                self.unavailable_until
                    .store(now + STORE_AWAY_SECONDS, Ordering::Relaxed);
                tracing::warn!(
                    cause = error.cause(),
                    "wrong keys are counted by this process alone for {STORE_AWAY_SECONDS} s"
                );
            })
            .ok()
    }

    /// Stores a shared count in memory, unless the client is already refused for longer.
    fn take_over(&self, key: RateLimitKey, shared: WrongKeys, now: i64) {
        self.update_in_memory(key, now, |own| {
            // `None`, which means no wait, is less than any time.
            if own.waits_until(now) <= shared.waits_until(now) {
                *own = shared;
            }
        });
    }
}
