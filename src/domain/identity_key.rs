//! The key that signs identity tokens of members, which this site and other services verify.
//!
//! Tokens are signed with ES256, unlike in Ghost, which uses RS512: `ring`, which is linked for
//! TLS, cannot generate RSA keys, and the `rsa` crate has an open advisory (RUSTSEC-2023-0071).
//! Receivers find the algorithm in the published key.

use std::fmt;

use data_encoding::{BASE64, BASE64URL_NOPAD};
use jiff::Timestamp;
use ring::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair,
        UnparsedPublicKey,
    },
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A signing key.
pub struct IdentityKey {
    pair: EcdsaKeyPair,
    identifier: String,
}

impl IdentityKey {
    /// Generates a key and returns its stored form; `None` if the system provides no randomness.
    pub fn generate() -> Option<String> {
        let random = SystemRandom::new();
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).ok()?;
        Some(BASE64.encode(key.as_ref()))
    }

    /// Parses a stored key; `None` if it is invalid.
    pub fn from_stored(text: &str) -> Option<Self> {
        let key = BASE64.decode(text.as_bytes()).ok()?;
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, &key, &SystemRandom::new()).ok()?;
        let digest = Sha256::digest(pair.public_key().as_ref());
        Some(Self {
            identifier: BASE64URL_NOPAD.encode(&digest[..16]),
            pair,
        })
    }

    /// Returns the public key as a JSON Web Key.
    pub fn published(&self) -> Value {
        // The key is an uncompressed point: a byte that identifies the format, and two coordinates.
        let point = &self.pair.public_key().as_ref()[1..];
        let (x, y) = point.split_at(point.len() / 2);
        json!({
            "kty": "EC",
            "crv": "P-256",
            "alg": "ES256",
            "use": "sig",
            "kid": self.identifier,
            "x": BASE64URL_NOPAD.encode(x),
            "y": BASE64URL_NOPAD.encode(y),
        })
    }

    /// Returns the identifier of the key.
    pub fn identifier(&self) -> &str {
        &self.identifier
    }

    /// Returns a token with these claims; `None` if the system provides no randomness.
    pub fn sign(&self, claims: &Value) -> Option<String> {
        let head = json!({"alg": "ES256", "typ": "JWT", "kid": self.identifier});
        let part = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
        let signed = format!("{}.{}", part(&head), part(claims));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes());
        let signature = BASE64URL_NOPAD.encode(signature.ok()?.as_ref());
        Some(format!("{signed}.{signature}"))
    }

    /// Returns the claims of a token that this key signed for `issuer` and that has not expired at
    /// `now`.
    pub fn verify(&self, token: &str, issuer: &str, now: Timestamp) -> Option<Value> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (head, claims) = signed.split_once('.')?;
        let read = |part: &str| -> Option<Value> {
            serde_json::from_slice(&BASE64URL_NOPAD.decode(part.as_bytes()).ok()?).ok()
        };
        let signature = BASE64URL_NOPAD.decode(signature.as_bytes()).ok()?;
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.pair.public_key());
        // The signature comes first, so that nothing in a forged token is interpreted.
        key.verify(signed.as_bytes(), &signature).ok()?;
        let claims = read(claims)?;
        let is_valid = read(head)?["alg"] == "ES256"
            && claims["iss"] == issuer
            && claims["aud"] == issuer
            && claims["exp"]
                .as_i64()
                .is_some_and(|end| now.as_second() < end);
        is_valid.then_some(claims)
    }
}

impl fmt::Debug for IdentityKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IdentityKey({})", self.identifier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_valid_for_its_key_issuer_and_time() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let new = || IdentityKey::from_stored(&IdentityKey::generate().unwrap()).unwrap();
        let (key, other) = (new(), new());
        let issuer = "https://example.com/members/api";
        let claims = json!({"iss": issuer, "aud": issuer, "exp": 1_800_000_600, "sub": "a@b.c"});
        let token = key.sign(&claims).unwrap();

        assert_eq!(key.verify(&token, issuer, now), Some(claims));
        assert_eq!(other.verify(&token, issuer, now), None);
        assert_eq!(key.verify(&token, "https://example.org", now), None);
        let later = Timestamp::from_second(1_800_000_600).unwrap();
        assert_eq!(key.verify(&token, issuer, later), None);
        let (signed, _) = token.rsplit_once('.').unwrap();
        for forged in [format!("{signed}."), format!("{token}A"), "..".to_owned()] {
            assert_eq!(key.verify(&forged, issuer, now), None, "{forged}");
        }
    }
}
