//! Secrets that are handed out once, and what is kept of them.
//!
//! Session identifiers, links to set a password and invitations are random texts that only their holders have. The store
//! keeps a digest: whoever reads the data file learns nothing that opens a door.

use std::fmt;

use data_encoding::{BASE64URL_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

/// Random bytes of a secret. Nobody guesses 256 bits.
const SECRET_BYTES: usize = 32;

/// A text that opens something, as its holder has it: letters, digits, `-` and `_`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// A new secret that nobody has had.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(BASE64URL_NOPAD.encode(&bytes).into()))
    }

    /// The secret that somebody has shown; `None` for a text that cannot be one.
    pub fn from_text(text: &str) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        (bytes.len() == SECRET_BYTES).then(|| Self(text.into()))
    }

    /// The text to hand out.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What may be kept of it.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }

    /// A digest of `text` that only the holder of this secret can make: what is short enough to be guessed, such as a code
    /// of six digits, cannot be found by trying all of them on what is kept.
    pub fn digest_of(&self, text: &str) -> Digest {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes())
            .expect("invariant: HMAC takes keys of any length");
        mac.update(text.as_bytes());
        Digest(mac.finalize().into_bytes().into())
    }
}

impl fmt::Debug for Secret {
    /// Shows nothing: secrets do not get into logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// What is kept of a secret: its SHA-256. Comparing two takes the same time whatever they are.
#[derive(Clone, Copy, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The one that no other is less than.
    pub const LEAST: Self = Self([0; 32]);

    /// The digest of a text.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// Its 64 hexadecimal digits, as they stand in addresses.
    pub fn to_hexadecimal(&self) -> String {
        HEXLOWER.encode(&self.0)
    }

    /// The digest that somebody has shown in hexadecimal digits; `None` for a text that is none.
    pub fn from_hexadecimal(text: &str) -> Option<Self> {
        let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// Its bytes, as they are used in the store's keys.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Digest {}

impl fmt::Debug for Digest {
    /// Shows the first bytes, enough to tell two apart.
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
    fn a_secret_is_known_again_by_its_digest_and_shown_to_nobody() {
        let secret = Secret::generate().unwrap();
        let shown = Secret::from_text(secret.text()).unwrap();
        assert_eq!(shown.digest(), secret.digest());
        assert_ne!(Secret::generate().unwrap().digest(), secret.digest());
        assert!(!format!("{secret:?}").contains(secret.text()));
    }

    #[test]
    fn other_texts_are_no_secrets() {
        for text in ["", "bm9uc2Vuc2U", "s%3Aabc.def", &"A".repeat(44)] {
            assert!(Secret::from_text(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_digest_of_a_code_is_another_one_for_another_secret() {
        let [mine, yours] = [Secret::generate().unwrap(), Secret::generate().unwrap()];
        assert_eq!(mine.digest_of("123456"), mine.digest_of("123456"));
        assert_ne!(mine.digest_of("123456"), mine.digest_of("123457"));
        assert_ne!(mine.digest_of("123456"), yours.digest_of("123456"));
    }

    #[test]
    fn digests_are_kept_as_digits() {
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
