//! Secrets that are issued once, and their stored digests.
//!
//! Session identifiers, password reset links and invitations contain random texts that only their
//! holders know. The store contains digests only, so reading the data file gives no access.

use std::fmt;

use data_encoding::{BASE64URL_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

/// Number of random bytes of a secret. 256 bits cannot be guessed.
const SECRET_BYTES: usize = 32;

/// A secret as its holder knows it, consisting of letters, digits, `-` and `_`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// Returns a new random secret.
    ///
    /// # Errors
    ///
    /// If the operating system provides no randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(BASE64URL_NOPAD.encode(&bytes).into()))
    }

    /// Parses a secret that a client sent; `None` if the text cannot be one.
    pub fn from_text(text: &str) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        (bytes.len() == SECRET_BYTES).then(|| Self(text.into()))
    }

    /// Returns a secret that another program generated; `None` if the text is blank.
    pub fn imported(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.into()))
    }

    /// Returns the text for the holder.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns the digest to store.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }

    /// Returns a digest of `text` keyed with this secret (HMAC). Unlike a plain digest, it does not
    /// reveal a short text, such as a code of six digits, to an attacker who tries all possible
    /// texts.
    pub fn digest_of(&self, text: &str) -> Digest {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes())
            .expect("invariant: HMAC takes keys of any length");
        mac.update(text.as_bytes());
        Digest(mac.finalize().into_bytes().into())
    }
}

impl fmt::Debug for Secret {
    /// Omits the secret, which must not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The SHA-256 of a secret, as stored. Comparison takes constant time.
#[derive(Clone, Copy, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The smallest digest.
    pub const MIN: Self = Self([0; 32]);

    /// Returns the digest of a text.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// Returns the digest as 64 hexadecimal digits, as in URLs.
    pub fn to_hexadecimal(&self) -> String {
        HEXLOWER.encode(&self.0)
    }

    /// Parses 64 hexadecimal digits; `None` for any other text.
    pub fn from_hexadecimal(text: &str) -> Option<Self> {
        let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// Returns the digest with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the digest, as in keys of the store.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        // The derived order, by which indexes find digests, does not take constant time. That
        // reveals nothing, because a client cannot choose the digest of a guess.
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Digest {}

impl fmt::Debug for Digest {
    /// Shows only the first bytes, which are enough to distinguish digests.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}…", HEXLOWER.encode(&self.0[..4]))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&HEXLOWER.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;
        impl de::Visitor<'_> for Digits {
            type Value = Digest;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("64 hexadecimal digits")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Digest, E> {
                let digest = Digest::from_hexadecimal(text);
                digest.ok_or_else(|| E::custom("not 64 hexadecimal digits"))
            }
        }
        deserializer.deserialize_str(Digits)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secret_matches_its_digest_and_is_not_shown() {
        let secret = Secret::generate().unwrap();
        let shown = Secret::from_text(secret.text()).unwrap();
        assert_eq!(shown.digest(), secret.digest());
        assert_ne!(Secret::generate().unwrap().digest(), secret.digest());
        assert!(!format!("{secret:?}").contains(secret.text()));
    }

    #[test]
    fn other_texts_are_not_secrets() {
        for text in ["", "bm9uc2Vuc2U", "s%3Aabc.def", &"A".repeat(44)] {
            assert!(Secret::from_text(text).is_none(), "{text}");
        }
    }

    #[test]
    fn digest_of_a_code_depends_on_the_secret() {
        let [mine, yours] = [Secret::generate().unwrap(), Secret::generate().unwrap()];
        assert_eq!(mine.digest_of("123456"), mine.digest_of("123456"));
        assert_ne!(mine.digest_of("123456"), mine.digest_of("123457"));
        assert_ne!(mine.digest_of("123456"), yours.digest_of("123456"));
    }

    #[test]
    fn digests_are_stored_as_hexadecimal_digits() {
        let digest = Digest::of("a");
        let text = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
        assert_eq!(json!(digest), json!(text));
        assert_eq!(
            serde_json::from_value::<Digest>(json!(text)).unwrap(),
            digest
        );
        assert!(serde_json::from_value::<Digest>(json!("ca97")).is_err());
    }
}
