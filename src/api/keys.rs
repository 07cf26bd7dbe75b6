//! Content API keys, and the guard against guessing them.

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

/// Wrong keys from one address after which it is refused (Ghost 6.65, recorded).
const WRONG_KEYS_MAX: i64 = 100;

/// How long an address is refused, in seconds (Ghost 6.65, recorded).
const REFUSED_SECONDS: i64 = 3600;

/// How long one wrong key counts, in seconds: as many as are refused may be sent in an hour without end.
const FORGOTTEN_SECONDS: i64 = REFUSED_SECONDS / WRONG_KEYS_MAX;

/// Clients that are remembered at most. When there are more, all are forgotten: guessing from so many addresses is not
/// stopped by counting them.
const CLIENTS_MAX: usize = 50_000;

/// Whether the query carries a key that opens the Content API.
///
/// # Errors
///
/// `NoPermission` without a key, `Unauthorized` for one that opens nothing or something else, `BadRequest` for several.
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
            Error::unauthenticated("The request carries no Content API key.")
                .help("Add ?key= and a Content API key. `galley key list` shows those there are."),
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
            .help("`galley key list` shows those there are.")
            .code("UNKNOWN_CONTENT_API_KEY")),
    }
}

/// Counts wrong keys by client. A count goes down with time alone: a good key, which anybody may have, says nothing about
/// the wrong ones.
#[derive(Default)]
pub struct Guard {
    clients: HashMap<IpAddr, Arc<WrongKeys>>,
}

/// The wrong keys of one client; both are seconds since 1970.
#[derive(Default)]
struct WrongKeys {
    /// When the last of them is forgotten: each takes [`FORGOTTEN_SECONDS`], one after the other.
    forgotten_at: AtomicI64,
    refused_until: AtomicI64,
}

impl WrongKeys {
    /// Whether the hour is not over. When more than an hour is left, the clock was set back, and it begins anew.
    fn are_refused(&self, now: i64) -> bool {
        let latest = now + REFUSED_SECONDS;
        self.refused_until.fetch_min(latest, Ordering::Relaxed) > now
    }

    /// Counts one more.
    fn add(&self, now: i64) {
        let later = |forgotten_at: i64| {
            // More than an hour is left only after the clock was set back.
            let begins_at = forgotten_at.clamp(now, now + REFUSED_SECONDS);
            begins_at + FORGOTTEN_SECONDS
        };
        let before = self
            .forgotten_at
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |at| Some(later(at)));
        let (Ok(before) | Err(before)) = before;
        // The hundredth is the last even if the first is about to be forgotten.
        if later(before) > now + REFUSED_SECONDS - FORGOTTEN_SECONDS {
            self.refused_until
                .store(now + REFUSED_SECONDS, Ordering::Relaxed);
        }
    }
}

impl Guard {
    /// Whether requests from `address` are answered at `now`.
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
                "There were too many requests with wrong keys.",
            )
            .context(format!(
                "After {WRONG_KEYS_MAX} wrong keys, requests are refused for an hour."
            ))),
            _ => Ok(()),
        }
    }

    /// Counts a wrong key that `address` sent.
    pub fn note_wrong_key(&self, address: IpAddr, now: Timestamp) {
        let clients = self.clients.pin();
        if clients.len() >= CLIENTS_MAX {
            clients.clear();
        }
        let wrong_keys = Arc::clone(clients.get_or_insert_with(network(address), Arc::default));
        wrong_keys.add(now.as_second());
    }
}

/// What one client holds: an IPv4 address, or the 64 bits that an IPv6 network is given.
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

    const STRANGER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const NEIGHBOUR: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_hundred_wrong_keys_close_the_door_for_an_hour() {
        let guard = Guard::default();
        for _ in 0..WRONG_KEYS_MAX {
            assert!(guard.admit(STRANGER, at(0)).is_ok());
            guard.note_wrong_key(STRANGER, at(0));
        }
        assert_eq!(
            guard.admit(STRANGER, at(3599)).unwrap_err().kind(),
            Kind::TooManyRequests
        );
        assert!(guard.admit(NEIGHBOUR, at(0)).is_ok());
        assert!(guard.admit(STRANGER, at(3600)).is_ok());
    }

    #[test]
    fn a_clock_that_is_set_back_keeps_the_door_closed_no_longer_than_an_hour() {
        let guard = Guard::default();
        for _ in 0..WRONG_KEYS_MAX {
            guard.note_wrong_key(STRANGER, at(1_000_000));
        }
        assert!(guard.admit(STRANGER, at(0)).is_err());
        assert!(guard.admit(STRANGER, at(3599)).is_err());
        assert!(guard.admit(STRANGER, at(3600)).is_ok());
    }

    #[test]
    fn a_wrong_key_is_forgotten_after_36_seconds() {
        let guard = Guard::default();
        let mut now = 0;
        for _ in 0..3 {
            (1..WRONG_KEYS_MAX).for_each(|_| guard.note_wrong_key(STRANGER, at(now)));
            assert!(guard.admit(STRANGER, at(now)).is_ok());
            now += 99 * FORGOTTEN_SECONDS;
        }
        for _ in 0..3 * WRONG_KEYS_MAX {
            guard.note_wrong_key(STRANGER, at(now));
            now += FORGOTTEN_SECONDS;
        }
        assert!(guard.admit(STRANGER, at(now)).is_ok());
        for _ in 0..3 * WRONG_KEYS_MAX {
            guard.note_wrong_key(STRANGER, at(now));
            now += FORGOTTEN_SECONDS / 2;
        }
        assert!(guard.admit(STRANGER, at(now)).is_err());
    }

    #[test]
    fn a_network_of_version_6_counts_as_one_address() {
        let host = |host: u16| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 1, 2, 0, 0, 0, host));
        let guard = Guard::default();
        for number in 0..WRONG_KEYS_MAX {
            guard.note_wrong_key(host(number as u16), at(0));
        }
        assert!(guard.admit(host(60_000), at(0)).is_err());
    }
}
