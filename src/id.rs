//! Record identifiers: twelve bytes, written as 24 lower-case hexadecimal digits.
//!
//! There are two ways to create one. [`Id::derive`] is a hash of the record's kind and name, so that two
//! machines that seed the same content folder serve the same bytes. [`Id::generate`] starts with the time, so
//! that later identifiers are higher.

use std::{
    fmt,
    str::FromStr,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};

/// Identifies a record of any kind (specification section 2; 24 hexadecimal digits, recorded from Ghost 6.65).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id([u8; 12]);

/// The text is not 24 hexadecimal digits.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("an identifier is 24 hexadecimal digits")]
pub struct ParseIdError;

/// Number of identifiers created by this process.
static CREATED: AtomicU32 = AtomicU32::new(0);

/// The latest second used in an identifier by this process.
static LATEST: LatestSecond = LatestSecond(AtomicU32::new(0));

struct LatestSecond(AtomicU32);

impl LatestSecond {
    /// Returns the second of `now`, or the latest second used if the clock has been set back.
    fn at_least(&self, now: Timestamp) -> u32 {
        let second = second_of(now);
        // Relaxed ordering is enough here and for `CREATED`: each value is used alone.
        second.max(self.0.fetch_max(second, Ordering::Relaxed))
    }
}

/// Returns the second in four bytes, which are sufficient until 2106.
fn second_of(time: Timestamp) -> u32 {
    time.as_second() as u32
}

/// Returns the random number that distinguishes the identifiers of this process from those of
/// others in the same second.
fn process_number() -> Result<&'static [u8; 5], getrandom::Error> {
    static NUMBER: OnceLock<[u8; 5]> = OnceLock::new();
    if let Some(number) = NUMBER.get() {
        return Ok(number);
    }
    let mut number = [0; 5];
    getrandom::fill(&mut number)?;
    // If two threads get here at the same time, both use the number of the first.
    Ok(NUMBER.get_or_init(|| number))
}

impl Id {
    /// The lowest identifier, which begins a range over all identifiers.
    pub const MIN: Self = Self([0; 12]);

    /// The highest identifier, which ends a range over all identifiers.
    pub const MAX: Self = Self([u8::MAX; 12]);

    /// Returns the identifier of the record `name` of the kind `kind`, which is always the same for the same two
    /// texts.
    pub fn derive(kind: &str, name: &str) -> Self {
        let digest = Sha256::new()
            .chain_update(kind)
            .chain_update([0])
            .chain_update(name)
            .finalize();
        let mut bytes = [0; 12];
        bytes.copy_from_slice(&digest[..12]);
        Self(bytes)
    }

    /// Creates an identifier: four bytes of seconds, five random bytes of this process, three bytes of a
    /// counter. Later identifiers are higher; within one second, this only holds for those of one process. If
    /// the clock was set back, the process continues with the latest second that it used.
    ///
    /// # Errors
    ///
    /// If the operating system provides no randomness.
    pub fn generate(now: Timestamp) -> Result<Self, getrandom::Error> {
        Self::of_second(LATEST.at_least(now))
    }

    /// Creates an identifier for a record created at `time`, which may be long ago.
    ///
    /// # Errors
    ///
    /// If the operating system provides no randomness.
    pub fn generate_at(time: Timestamp) -> Result<Self, getrandom::Error> {
        Self::of_second(second_of(time))
    }

    fn of_second(second: u32) -> Result<Self, getrandom::Error> {
        let count = CREATED.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let mut bytes = [0; 12];
        // Big-endian, so that the order of the bytes, which is that of the store's keys, is the
        // order of time.
        bytes[..4].copy_from_slice(&second.to_be_bytes());
        bytes[4..9].copy_from_slice(process_number()?);
        bytes[9..].copy_from_slice(&count[1..]);
        Ok(Self(bytes))
    }

    /// Creates an identifier from its bytes in the store's keys.
    pub fn from_bytes(bytes: [u8; 12]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the identifier in the store's keys.
    pub fn as_bytes(&self) -> &[u8; 12] {
        &self.0
    }
}

/// Length of an identifier as text.
const DIGITS: usize = 24;

/// Writes the digits of an identifier to `buffer`, and returns them.
fn digits<'a>(id: &Id, buffer: &'a mut [u8; DIGITS]) -> &'a str {
    HEXLOWER.encode_mut(&id.0, buffer);
    str::from_utf8(buffer).expect("invariant: digits are text")
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(digits(self, &mut [0; DIGITS]))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Id {
    type Err = ParseIdError;

    /// Parses 24 hexadecimal digits of either case.
    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        let mut bytes = [0; 12];
        match HEXLOWER_PERMISSIVE.decode_len(text.len()) {
            Ok(length) if length == bytes.len() => {}
            _ => return Err(ParseIdError),
        }
        let decoded = HEXLOWER_PERMISSIVE.decode_mut(text.as_bytes(), &mut bytes);
        decoded.map_err(|_| ParseIdError)?;
        Ok(Self(bytes))
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(digits(self, &mut [0; DIGITS]))
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;
        impl de::Visitor<'_> for Digits {
            type Value = Id;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("24 hexadecimal digits")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Id, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_of_one_second_increase() {
        let now = Timestamp::UNIX_EPOCH;
        let ids: Vec<Id> = (0..1000).map(|_| Id::generate(now).unwrap()).collect();
        assert!(ids.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn same_record_has_the_same_identifier_everywhere() {
        assert_eq!(
            Id::derive("post", "night-ferry"),
            Id::derive("post", "night-ferry")
        );
        assert_ne!(
            Id::derive("post", "night-ferry"),
            Id::derive("tag", "night-ferry")
        );
        assert_ne!(Id::derive("post", "a"), Id::derive("pos", "ta"));
    }

    #[test]
    fn digits_are_read_in_either_case_and_written_in_lower_case() {
        let id: Id = "63B0001D356A192B7900001D".parse().unwrap();
        assert_eq!(id.to_string(), "63b0001d356a192b7900001d");
        assert_eq!("63b0".parse::<Id>(), Err(ParseIdError));
        assert_eq!("63b0001d356a192b7900001g".parse::<Id>(), Err(ParseIdError));
        assert_eq!("63b0001d356a192b79000é1d".parse::<Id>(), Err(ParseIdError));
    }

    #[test]
    fn seconds_do_not_decrease_when_the_clock_is_set_back() {
        let latest = LatestSecond(AtomicU32::new(0));
        let second = |second| latest.at_least(Timestamp::from_second(second).unwrap());
        assert_eq!(second(1_900_000_000), 1_900_000_000);
        assert_eq!(second(1_700_000_000), 1_900_000_000);
        assert_eq!(second(1_900_000_001), 1_900_000_001);
    }

    #[test]
    fn generated_identifiers_increase_with_time() {
        let created_at = |second| Id::generate_at(Timestamp::from_second(second).unwrap()).unwrap();
        let (later, earlier) = (created_at(1_700_000_001), created_at(1_700_000_000));
        assert!(earlier < later);
    }
}
