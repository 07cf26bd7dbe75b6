//! Content API keys, and the rate limit against guessing them.

use std::{
    net::{IpAddr, Ipv6Addr},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use jiff::Timestamp;
use papaya::HashMap;

use super::params::Query;
use crate::{
    catalog::{Catalog, KeyUse},
    error::{Error, Kind, Result},
};

/// Wrong keys from one client after which it is refused (Ghost 6.65, recorded).
const WRONG_KEYS_MAX: i64 = 100;

/// Duration of the refusal, in seconds (Ghost 6.65, recorded).
const REFUSED_SECONDS: i64 = 3600;

/// Lifetime of one wrong key in the count, in seconds: below one key in this time, a client is
/// never refused.
const FORGOTTEN_SECONDS: i64 = REFUSED_SECONDS / WRONG_KEYS_MAX;

/// Most clients remembered. When there are more, all are forgotten: a count per client does not
/// stop guessing from so many.
const CLIENTS_MAX: usize = 50_000;

/// Checks that the query has a valid Content API key.
///
/// # Errors
///
/// `NoPermission` without a key, `Unauthorized` for an unknown key or one of another kind,
/// `BadRequest` for several.
pub fn check(catalog: &Catalog, query: &Query) -> Result<()> {
    let mut keys = query.all("key");
    let key = keys.next().unwrap_or_default();
    if keys.next().is_some() || query.is_indexed("key") {
        return Err(
            Error::new(Kind::BadRequest, "The request has more than one key.")
                .code("INVALID_REQUEST"),
        );
    }
    if key.is_empty() {
        return Err(
            Error::unauthenticated("The request has no Content API key.")
                .help("Add ?key= and a Content API key. `galley key list` lists the keys."),
        );
    }
    match catalog.key_use(key) {
        Some(KeyUse::Content) => Ok(()),
        Some(KeyUse::Admin) => Err(Error::new(
            Kind::Unauthorized,
            "The key is the secret of an Admin API key, not a Content API key.",
        )
        .code("INVALID_API_KEY_TYPE")),
        None => Err(Error::new(Kind::Unauthorized, "Unknown Content API key.")
            .help("`galley key list` lists the keys.")
            .code("UNKNOWN_CONTENT_API_KEY")),
    }
}

/// Counts wrong keys by client. A count decreases with time only: a valid key, which is public,
/// says nothing about the wrong ones.
#[derive(Default)]
pub struct KeyRateLimit {
    clients: HashMap<IpAddr, Arc<WrongKeys>>,
}

/// The wrong keys of one client; both times are seconds since 1970. Relaxed orderings suffice,
/// because each is read alone.
#[derive(Default)]
struct WrongKeys {
    /// When the last of them expires: each takes [`FORGOTTEN_SECONDS`], one after the other.
    forgotten_at: AtomicI64,
    refused_until: AtomicI64,
}

impl WrongKeys {
    /// Returns whether the hour is not over. If more than an hour remains, the clock was set back,
    /// and the hour restarts.
    fn are_refused(&self, now: i64) -> bool {
        let latest = now + REFUSED_SECONDS;
        self.refused_until.fetch_min(latest, Ordering::Relaxed) > now
    }

    /// Counts one more wrong key.
    fn add(&self, now: i64) {
        let later = |forgotten_at: i64| {
            // More than an hour remains only after the clock was set back.
            let begins_at = forgotten_at.clamp(now, now + REFUSED_SECONDS);
            begins_at + FORGOTTEN_SECONDS
        };
        let before = self
            .forgotten_at
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |at| Some(later(at)));
        let (Ok(before) | Err(before)) = before;
        // The hundredth key is the last even if the first is about to expire.
        if later(before) > now + REFUSED_SECONDS - FORGOTTEN_SECONDS {
            self.refused_until
                .store(now + REFUSED_SECONDS, Ordering::Relaxed);
        }
    }
}

impl KeyRateLimit {
    /// Checks whether requests from `address` are allowed at `now`.
    ///
    /// # Errors
    ///
    /// `TooManyRequests` for an hour after [`WRONG_KEYS_MAX`] wrong keys.
    pub fn admit(&self, address: IpAddr, now: Timestamp) -> Result<()> {
        if self.clients.is_empty() {
            return Ok(());
        }
        let wrong_keys = self.clients.pin().get(&network(address)).map(Arc::clone);
        match wrong_keys {
            Some(wrong_keys) if wrong_keys.are_refused(now.as_second()) => Err(Error::new(
                Kind::TooManyRequests,
                "Too many requests with wrong keys.",
            )
            .context(format!(
                "After {WRONG_KEYS_MAX} wrong keys, requests are refused for an hour."
            ))),
            _ => Ok(()),
        }
    }

    /// Counts a wrong key sent by `address`.
    pub fn record_wrong_key(&self, address: IpAddr, now: Timestamp) {
        let clients = self.clients.pin();
        if clients.len() >= CLIENTS_MAX {
            clients.clear();
        }
        let wrong_keys = Arc::clone(clients.get_or_insert_with(network(address), Arc::default));
        wrong_keys.add(now.as_second());
    }
}

/// Returns what identifies one client: an IPv4 address, or the 64-bit prefix of an IPv6 address.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const OTHER_CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn hundred_wrong_keys_are_refused_for_an_hour() {
        let guard = KeyRateLimit::default();
        for _ in 0..WRONG_KEYS_MAX {
            assert!(guard.admit(CLIENT, at(0)).is_ok());
            guard.record_wrong_key(CLIENT, at(0));
        }
        assert_eq!(
            guard.admit(CLIENT, at(3599)).unwrap_err().kind(),
            Kind::TooManyRequests
        );
        assert!(guard.admit(OTHER_CLIENT, at(0)).is_ok());
        assert!(guard.admit(CLIENT, at(3600)).is_ok());
    }

    #[test]
    fn clock_set_back_refuses_no_longer_than_an_hour() {
        let guard = KeyRateLimit::default();
        for _ in 0..WRONG_KEYS_MAX {
            guard.record_wrong_key(CLIENT, at(1_000_000));
        }
        assert!(guard.admit(CLIENT, at(0)).is_err());
        assert!(guard.admit(CLIENT, at(3599)).is_err());
        assert!(guard.admit(CLIENT, at(3600)).is_ok());
    }

    #[test]
    fn wrong_key_expires_after_36_seconds() {
        let guard = KeyRateLimit::default();
        let mut now = 0;
        for _ in 0..3 {
            (1..WRONG_KEYS_MAX).for_each(|_| guard.record_wrong_key(CLIENT, at(now)));
            assert!(guard.admit(CLIENT, at(now)).is_ok());
            now += 99 * FORGOTTEN_SECONDS;
        }
        for _ in 0..3 * WRONG_KEYS_MAX {
            guard.record_wrong_key(CLIENT, at(now));
            now += FORGOTTEN_SECONDS;
        }
        assert!(guard.admit(CLIENT, at(now)).is_ok());
        for _ in 0..3 * WRONG_KEYS_MAX {
            guard.record_wrong_key(CLIENT, at(now));
            now += FORGOTTEN_SECONDS / 2;
        }
        assert!(guard.admit(CLIENT, at(now)).is_err());
    }

    #[test]
    fn ipv6_network_counts_as_one_client() {
        let host = |host: u16| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 1, 2, 0, 0, 0, host));
        let guard = KeyRateLimit::default();
        for number in 0..WRONG_KEYS_MAX {
            guard.record_wrong_key(host(number as u16), at(0));
        }
        assert!(guard.admit(host(60_000), at(0)).is_err());
    }
}
