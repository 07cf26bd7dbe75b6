//! Tokens, which integrations and staff users sign with an Admin API key (specification 5.2, Ghost 6.65, recorded).
//!
//! A token is a JSON Web Token signed with HMAC-SHA-256 (RFC 7515, RFC 7519). No other algorithm is implemented, so no token
//! can select one. This file does not access the site: callers find the key and reject tokens that were used before.

use data_encoding::{BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use sha2::Sha256;

use crate::{
    error::{Error, Kind, Result},
    id::Id,
};

/// Longest age of a valid token, in seconds.
const AGE_SECONDS_MAX: i64 = 300;

/// Longest time that a client's clock may be ahead, in seconds.
const AHEAD_SECONDS_MAX: i64 = 300;

/// A token whose signature and audience are verified. Its times must be checked at each use.
#[derive(Clone)]
pub struct VerifiedToken {
    secret: Box<str>,
    claims: Claims,
}

/// A decoded token. Its contents are not trustworthy before [`Token::verify`].
pub struct Token<'a> {
    /// The encoded header and claims.
    signed: &'a str,
    signature: &'a str,
    header: Header,
    claims: Claims,
}

/// The parts of the header that name the algorithm and the key. Ghost accepts a `kid` of any type.
#[derive(Deserialize)]
struct Header {
    alg: Option<Value>,
    kid: Option<Value>,
}

#[derive(Clone, Deserialize)]
struct Claims {
    aud: Option<Value>,
    #[serde(default, deserialize_with = "deserialize_present")]
    iat: Option<Value>,
    #[serde(default, deserialize_with = "deserialize_present")]
    exp: Option<Value>,
    #[serde(default, deserialize_with = "deserialize_present")]
    nbf: Option<Value>,
    jti: Option<Value>,
}

/// Deserializes a claim that is present, even if it is null: JavaScript serialises NaN and infinite
/// times as null.
fn deserialize_present<'de, D: Deserializer<'de>>(claim: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(claim).map(Some)
}

/// The identity and the expiry of a single-use token.
#[derive(Debug, PartialEq, Eq)]
pub struct SingleUse {
    /// The `jti` of the token.
    pub name: String,
    /// The instant from which the token is rejected as expired or too old, used or not.
    pub ends: Timestamp,
}

impl<'a> Token<'a> {
    /// Decodes a token.
    ///
    /// # Errors
    ///
    /// `BadRequest` with the code `INVALID_JWT` if it is not a JSON Web Token.
    pub fn parse(encoded: &'a str) -> Result<Self> {
        let invalid = || Error::invalid_token(Kind::BadRequest, "it is not a JSON Web Token");
        // Split from the right: the signature covers everything before the last dot.
        let (signed, signature) = encoded.rsplit_once('.').ok_or_else(invalid)?;
        let (header, claims) = signed.split_once('.').ok_or_else(invalid)?;
        Ok(Self {
            signed,
            signature,
            header: decode_part(header).ok_or_else(invalid)?,
            claims: decode_part(claims).ok_or_else(invalid)?,
        })
    }

    /// Returns the identifier of the key with which the token claims to be signed; `None` for a `kid`
    /// that is not in the exact form of keys.
    ///
    /// # Errors
    ///
    /// `BadRequest` with the code `MISSING_ADMIN_API_KID` if the token has no `kid`, or one that is
    /// falsy in JavaScript: an empty text, zero, false or null (Ghost 6.65, recorded).
    pub fn key_id(&self) -> Result<Option<Id>> {
        let named = self.header.kid.as_ref().filter(|kid| !is_falsy(kid));
        let named = named.ok_or_else(|| {
            Error::new(Kind::BadRequest, "Invalid token: it does not name its key.")
                .context(
                    "Its header requires a \"kid\": the part of an Admin API key before the colon.",
                )
                .code("MISSING_ADMIN_API_KID")
        })?;
        let text = named.as_str().unwrap_or_default();
        let id = text.parse::<Id>().ok();
        // Ghost compares `kid` exactly, but `Id` parses upper and lower case.
        Ok(id.filter(|id| id.to_string() == text))
    }

    /// Verifies the signature with `secret` (hexadecimal digits) and the audience. If the requested path contains an old
    /// API version, `version` is that version, and the audience must name it too.
    ///
    /// # Errors
    ///
    /// `Unauthorized` with the code `INVALID_JWT` and the reason.
    pub fn verify(self, secret: &str, version: Option<&str>) -> Result<VerifiedToken> {
        // Checked before the signature, so that no header can select another algorithm or none.
        if self.header.alg.as_ref().is_none_or(|alg| alg != "HS256") {
            return Err(invalid("its algorithm is not HS256"));
        }
        if self.verify_signature(secret).is_none() {
            return Err(invalid("its signature does not match the key"));
        }
        if !self.is_for_admin_api(version) {
            return Err(invalid("its audience is not the Admin API, \"/admin/\""));
        }
        Ok(VerifiedToken {
            secret: secret.into(),
            claims: self.claims,
        })
    }

    /// Returns `Some` if the signature was made with `secret`.
    fn verify_signature(&self, secret: &str) -> Option<()> {
        let key = HEXLOWER_PERMISSIVE.decode(secret.as_bytes()).ok()?;
        let signature = BASE64URL_NOPAD.decode(self.signature.as_bytes()).ok()?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
        mac.update(self.signed.as_bytes());
        // `verify_slice` compares in constant time.
        mac.verify_slice(&signature).ok()
    }

    fn is_for_admin_api(&self, version: Option<&str>) -> bool {
        let expected_end = match version {
            Some(version) => format!("{version}/admin"),
            None => "admin".to_owned(),
        };
        let is_accepted = |audience: &Value| {
            let audience = audience.as_str().unwrap_or_default();
            let audience = audience.strip_suffix('/').unwrap_or(audience);
            // Ghost compares only the end, because clients send `/admin/`, `/v5/admin/` or a whole
            // URL (recorded in admin-auth-tokens).
            audience.ends_with(&expected_end)
        };
        match &self.claims.aud {
            Some(Value::Array(list)) => list.iter().any(is_accepted),
            Some(audience) => is_accepted(audience),
            None => false,
        }
    }
}

impl VerifiedToken {
    /// Returns whether the token was verified with this secret.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        *self.secret == *secret
    }

    /// Checks the times of the token.
    ///
    /// # Errors
    ///
    /// `Unauthorized` with the code `INVALID_JWT` if the token is not valid yet, has expired or is too old, or if a time is
    /// invalid.
    pub fn check_times(&self, now: Timestamp) -> Result<()> {
        // Times of tokens may have fractions (RFC 7519, section 2).
        let now = now.as_second() as f64;
        let claims = &self.claims;
        for (name, claim) in [("nbf", &claims.nbf), ("exp", &claims.exp)] {
            if claim.is_some() && seconds(claim).is_none() {
                return Err(invalid(&format!(
                    "its \"{name}\" is not a number of seconds"
                )));
            }
        }
        if seconds(&claims.nbf).is_some_and(|nbf| now < nbf) {
            return Err(invalid("it is not valid yet"));
        }
        if seconds(&claims.exp).is_some_and(|exp| exp <= now) {
            return Err(invalid("it has expired"));
        }
        match seconds(&claims.iat) {
            None => Err(invalid("it has no \"iat\", the time of its creation")),
            Some(created) if created + AGE_SECONDS_MAX as f64 <= now => {
                Err(invalid("it was created more than five minutes ago"))
            }
            // Ghost 6.65 accepts any future `iat` (recorded in admin-auth-tokens), but then the limit
            // on the age of tokens would have no effect.
            Some(created) if now + (AHEAD_SECONDS_MAX as f64) < created => Err(invalid(
                "its \"iat\" is more than five minutes in the future, so the client's clock is wrong",
            )),
            Some(_) => Ok(()),
        }
    }

    /// Returns the identity of a single-use token, if it has a `jti`.
    pub fn single_use(&self) -> Option<SingleUse> {
        let name = match self.claims.jti.as_ref()? {
            Value::String(name) => name.clone(),
            other => other.to_string(),
        };
        let end_of_age = seconds(&self.claims.iat)? + AGE_SECONDS_MAX as f64;
        let ends = seconds(&self.claims.exp).map_or(end_of_age, |exp| exp.min(end_of_age));
        Some(SingleUse {
            name,
            // Times out of range become the latest possible instant.
            ends: Timestamp::from_second(ends.ceil() as i64).unwrap_or(Timestamp::MAX),
        })
    }
}

/// Returns whether JavaScript treats a value as false.
fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is_true) => !is_true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// Decodes the header or the claims: base64url of JSON.
fn decode_part<P: for<'de> Deserialize<'de>>(text: &str) -> Option<P> {
    let json = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
    serde_json::from_slice(&json).ok()
}

/// Reads a time of a token: seconds since 1970, with or without a fraction.
fn seconds(claim: &Option<Value>) -> Option<f64> {
    claim.as_ref()?.as_f64()
}

fn invalid(why: &str) -> Error {
    Error::invalid_token(Kind::Unauthorized, why)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SECRET: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    const NOW: i64 = 1_700_000_000;

    fn now() -> Timestamp {
        Timestamp::from_second(NOW).unwrap()
    }

    fn signed(header: Value, claims: Value, secret: &str) -> String {
        let encode = |value: Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
        let signed = format!("{}.{}", encode(header), encode(claims));
        let key = HEXLOWER_PERMISSIVE.decode(secret.as_bytes()).unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(signed.as_bytes());
        let signature = BASE64URL_NOPAD.encode(&mac.finalize().into_bytes());
        format!("{signed}.{signature}")
    }

    /// Returns a token with the usual claims, overridden by those in `odd`; null removes a claim.
    fn with(odd: Value) -> String {
        let mut claims = json!({"iat": NOW, "exp": NOW + 300, "aud": "/admin/"});
        for (name, value) in odd.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims
            .as_object_mut()
            .unwrap()
            .retain(|_, value| !value.is_null());
        signed(json!({"alg": "HS256", "kid": "a"}), claims, SECRET)
    }

    fn is_valid(token: &str, version: Option<&str>) -> bool {
        let verified = Token::parse(token).unwrap().verify(SECRET, version);
        let outcome = verified.and_then(|token| token.check_times(now()));
        if let Err(error) = &outcome {
            assert_eq!(error.kind(), Kind::Unauthorized);
            assert_eq!(error.code_name(), Some("INVALID_JWT"));
        }
        outcome.is_ok()
    }

    #[test]
    fn tokens_are_valid_only_within_their_times() {
        for (claims, good) in [
            (json!({}), true),
            (json!({"exp": null}), true),
            (json!({"exp": NOW + 86_400}), true),
            (json!({"exp": NOW}), false),
            (json!({"exp": NOW + 1}), true),
            (json!({"exp": "soon"}), false),
            (json!({"iat": NOW - 299}), true),
            (json!({"iat": NOW - 300, "exp": NOW + 100}), false),
            (json!({"iat": NOW as f64 - 299.5}), true),
            (json!({"iat": NOW as f64 - 300.5}), false),
            (json!({"iat": NOW + 300, "exp": NOW + 600}), true),
            (json!({"iat": NOW as f64 + 300.5, "exp": NOW + 600}), false),
            (json!({"iat": NOW + 3600, "exp": NOW + 3900}), false),
            (json!({"iat": NOW * 1000}), false),
            (json!({"iat": 1e300}), false),
            (json!({"iat": i64::MAX}), false),
            (json!({"iat": u64::MAX}), false),
            (json!({"iat": -NOW}), false),
            (json!({"iat": -1e300}), false),
            (json!({"iat": null}), false),
            (json!({"iat": "now"}), false),
            (json!({"iat": [NOW]}), false),
            (json!({"exp": 1e300}), true),
            (json!({"exp": NOW as f64 + 0.5}), true),
            (json!({"exp": -1e300}), false),
            (json!({"nbf": -1e300}), true),
            (json!({"nbf": 1e300}), false),
            (json!({"nbf": NOW + 1}), false),
            (json!({"nbf": NOW}), true),
        ] {
            assert_eq!(is_valid(&with(claims.clone()), None), good, "{claims}");
        }
    }

    /// JavaScript writes NaN and infinity as null.
    #[test]
    fn null_is_not_a_valid_time() {
        for name in ["iat", "exp", "nbf"] {
            let claims = json!({"iat": NOW, "aud": "/admin/"});
            let mut claims = claims.as_object().cloned().unwrap();
            claims.insert(name.to_owned(), Value::Null);
            let header = json!({"alg": "HS256", "kid": "a"});
            let token = signed(header, Value::from(claims), SECRET);
            assert!(!is_valid(&token, None), "{name}");
        }
    }

    #[test]
    fn audience_ends_in_admin_and_names_the_version_of_old_paths() {
        for (audience, version, good) in [
            (json!("admin"), None, true),
            (json!("/admin"), None, true),
            (json!("/v5/admin/"), None, true),
            (json!("https://example.com/ghost/api/admin/"), None, true),
            (json!(["/content/", "/admin/"]), None, true),
            (json!("/content/"), None, false),
            (json!("/admin/posts/"), None, false),
            (json!("/admin//"), None, false),
            (json!([]), None, false),
            (json!(7), None, false),
            (json!(null), None, false),
            (json!("/v4/admin/"), Some("v4"), true),
            (json!("/admin/"), Some("v4"), false),
            (json!("/canary/admin/"), Some("canary"), true),
            (json!("/v4/admin/"), Some("canary"), false),
        ] {
            let token = with(json!({"aud": audience}));
            assert_eq!(is_valid(&token, version), good, "{audience} {version:?}");
        }
    }

    #[test]
    fn only_a_signature_by_the_key_is_valid() {
        let token = with(json!({}));
        let (head, signature) = token.rsplit_once('.').unwrap();
        let claims = json!({"iat": NOW, "aud": "/admin/"});
        for forged in [
            format!("{head}."),
            format!("{head}.{}", &signature[1..]),
            format!("{head}.{signature}="),
            signed(json!({"alg": "HS256", "kid": "a"}), claims.clone(), "0011"),
            signed(json!({"alg": "HS512", "kid": "a"}), claims.clone(), SECRET),
            signed(json!({"alg": "none", "kid": "a"}), claims.clone(), SECRET),
            signed(json!({"alg": "hs256", "kid": "a"}), claims.clone(), SECRET),
            signed(json!({"kid": "a"}), claims, SECRET),
        ] {
            assert!(!is_valid(&forged, None), "{forged}");
        }
    }

    #[test]
    fn malformed_and_invalid_tokens_have_different_errors() {
        for text in [
            "",
            "nonsense",
            "not.a.token",
            "a.b",
            "e30.e30",
            "W10.W10.x",
            "e30.e30.a.b",
        ] {
            let error = Token::parse(text).err().unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (error.kind(), error.code_name()),
                (Kind::BadRequest, Some("INVALID_JWT"))
            );
        }
    }

    #[test]
    fn kid_must_have_the_exact_form_of_keys() {
        let key_id = |kid: Value| {
            let token = signed(json!({"alg": "HS256", "kid": kid}), json!({}), SECRET);
            Token::parse(&token).unwrap().key_id()
        };
        for missing in [json!(null), json!(""), json!(0), json!(0.0), json!(false)] {
            let error = key_id(missing.clone()).unwrap_err();
            assert_eq!(
                error.code_name(),
                Some("MISSING_ADMIN_API_KID"),
                "{missing}"
            );
        }
        let id = "5f8a7c1e9b3d4a2f6e0c1b7d";
        assert_eq!(key_id(json!(id)).unwrap(), Some(id.parse().unwrap()));
        for unknown in [
            json!(id.to_uppercase()),
            json!(format!("{id} ")),
            json!("x"),
            json!(" "),
            json!(5),
            json!(true),
            json!([id]),
            json!({}),
        ] {
            assert_eq!(key_id(unknown.clone()).unwrap(), None, "{unknown}");
        }
    }

    #[test]
    fn token_with_a_jti_is_single_use_until_it_expires() {
        let single = |claims: Value| {
            let token = with(claims);
            let verified = Token::parse(&token).unwrap().verify(SECRET, None);
            verified.unwrap().single_use()
        };
        assert_eq!(single(json!({})), None);
        let ends = |single: Option<SingleUse>| single.unwrap().ends.as_second();
        assert_eq!(single(json!({"jti": "x"})).unwrap().name, "x");
        assert_eq!(ends(single(json!({"jti": "x", "exp": NOW + 9}))), NOW + 9);
        assert_eq!(ends(single(json!({"jti": 7, "exp": NOW + 900}))), NOW + 300);
        assert_eq!(
            single(json!({"jti": "x", "iat": 1e300, "exp": null}))
                .unwrap()
                .ends,
            Timestamp::MAX
        );
    }
}
