//! Tokens: the one that a page needs to request a link, and those by which a member proves to
//! programs who it is.

use std::sync::Arc;

use data_encoding::HEXLOWER;
use http::{HeaderValue, StatusCode, header};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Call, json_response, no_content, text, text_of};
use crate::{
    admin::member_sign_in::{identity_key, secret_of},
    api::{recent_cache::RecentCache, response::Response, site_urls::SiteUrls},
    domain::{
        identity_key::IdentityKey,
        member::Member,
        member_proof::MemberProof,
        secret::{Digest, Secret},
    },
    error::{Error, Kind, Result},
    site::SiteSnapshot,
};

/// Lifetime of an integrity token, in milliseconds (Ghost 6.65, observed).
const INTEGRITY_LIFETIME_MS: i64 = 5 * 60 * 1000;

/// Lifetime of an identity token, in seconds (Ghost 6.65, observed).
const IDENTITY_LIFETIME_S: i64 = 10 * 60;

/// Lifetime of an entitlement token, in seconds (Ghost 6.65, observed).
const ENTITLEMENT_LIFETIME_S: i64 = 5 * 60;

/// Most bytes that verified tokens take: some fifteen hundred tokens.
const VERIFIED_BYTES_MAX: usize = 1 << 20;

/// Memory of a verified token in addition to its texts, in bytes.
const ENTRY_BYTES: usize = 128;

/// The scope of tokens by which a program may act as the member.
const IDENTITY_SCOPE: &str = "members:identity";

/// The claim of identity tokens that Galley verifies in addition to the usual ones.
const PROOF_CLAIM: &str = "proof";

/// The scope of tokens that only contain the member's entitlements.
const ENTITLEMENT_SCOPE: &str = "members:entitlements:read";

/// Returns a token that a page sends with a request for a link: `expires:nonce:signature`.
pub fn integrity(call: &Call) -> Result<String> {
    let secret = secret_of(&call.snapshot.catalog)?;
    let expires = call.api.site.now().as_millisecond() + INTEGRITY_LIFETIME_MS;
    let nonce = HEXLOWER.encode(Uuid::new_v4().as_bytes());
    let signature = integrity_signature(secret, expires, &nonce);
    Ok(format!("{expires}:{nonce}:{}", signature.to_hexadecimal()))
}

/// Checks the integrity token of a body.
///
/// # Errors
///
/// `BadRequest` if it is missing, forged or expired.
pub fn check_integrity(call: &Call, body: &Map<String, Value>) -> Result<()> {
    let secret = secret_of(&call.snapshot.catalog)?;
    let now = call.api.site.now().as_millisecond();
    let is_valid = text_of(body, "integrityToken").is_some_and(|token| {
        let mut parts = token.splitn(3, ':');
        let (Some(expires), Some(nonce), Some(signature)) =
            (parts.next(), parts.next(), parts.next())
        else {
            return false;
        };
        let Ok(expires) = expires.parse() else {
            return false;
        };
        let signature = Digest::from_hexadecimal(signature);
        now < expires && signature == Some(integrity_signature(secret, expires, nonce))
    });
    if is_valid {
        Ok(())
    } else {
        let message = "The integrity token is missing or has expired.";
        Err(Error::new(Kind::BadRequest, message))
    }
}

fn integrity_signature(secret: &Secret, expires: i64, nonce: &str) -> Digest {
    secret.digest_of(&format!("member integrity/{expires}:{nonce}"))
}

/// `GET members/.well-known/jwks.json`: the key that verifies the tokens.
pub fn published_keys(call: &Call) -> Result<Response> {
    let key = identity_key(&call.api.site)?;
    let mut response = json_response(&json!({ "keys": [key.published()] }));
    let a_day = HeaderValue::from_static("public, max-age=86400");
    response.headers.set(header::CACHE_CONTROL, a_day);
    Ok(response)
}

/// `GET members/api/session`: a token by which a program may act as the member.
pub fn identity(call: &Call) -> Result<Response> {
    let claims = call.member().map_or(
        Value::Null,
        |member| json!({ "scope": IDENTITY_SCOPE, PROOF_CLAIM: member.proof() }),
    );
    token(call, claims, IDENTITY_LIFETIME_S)
}

/// `GET members/api/entitlements`: a token with the member's entitlements.
pub fn entitlements(call: &Call) -> Result<Response> {
    let now = call.api.site.now();
    let claims = call.member().map_or(Value::Null, |member| {
        let tiers: Vec<_> = member.tiers.iter().map(|grant| grant.tier).collect();
        json!({
            "scope": ENTITLEMENT_SCOPE,
            "member_uuid": member.uuid,
            "paid": member.has_paid_access(now),
            "active_tier_ids": tiers,
            "jti": Uuid::new_v4(),
        })
    });
    token(call, claims, ENTITLEMENT_LIFETIME_S)
}

/// Returns a token with these claims about the member who is signed in; nothing if no one is.
fn token(call: &Call, mut claims: Value, lifetime_s: i64) -> Result<Response> {
    let Some(member) = call.member() else {
        return Ok(no_content());
    };
    let key = identity_key(&call.api.site)?;
    let issuer = issuer(&call.cache.site_urls);
    let now = call.api.site.now().as_second();
    for (name, value) in [
        ("sub", json!(member.email)),
        ("kid", json!(key.identifier())),
        ("iat", json!(now)),
        ("exp", json!(now + lifetime_s)),
        ("aud", json!(issuer)),
        ("iss", json!(issuer)),
    ] {
        claims[name] = value;
    }
    let token = key.sign(&claims);
    let token = token.ok_or_else(|| Error::internal("the system has no randomness to give"))?;
    Ok(text(StatusCode::OK, &token))
}

/// Identity tokens that were verified. A program sends the same one with each request while it is
/// valid, and verifying its signature takes longer than most responses.
pub struct VerifiedTokens(RecentCache<Box<str>, VerifiedToken>);

/// The claims of a verified token, and the key and issuer that it was verified for.
struct VerifiedToken {
    key: Arc<IdentityKey>,
    issuer: String,
    proof: MemberProof,
    /// In seconds.
    expires: i64,
}

impl VerifiedTokens {
    /// Returns the member whom an identity token names, unless the member's tokens were revoked since
    /// it was made.
    pub fn member_of(
        &self,
        snapshot: &SiteSnapshot,
        site_urls: &SiteUrls,
        token: &str,
        now: Timestamp,
    ) -> Option<Arc<Member>> {
        let catalog = &snapshot.catalog;
        let key = catalog.identity_key.as_ref()?;
        let verified = self.find_or_verify(key, issuer(site_urls), token.trim(), now)?;
        let member = catalog.members.get(verified.proof.member)?;
        let is_valid = member.accepts(verified.proof);
        is_valid.then(|| Arc::clone(member).as_of(now))
    }

    fn find_or_verify(
        &self,
        key: &Arc<IdentityKey>,
        issuer: String,
        token: &str,
        now: Timestamp,
    ) -> Option<Arc<VerifiedToken>> {
        let cached = self.0.get(token).filter(|cached| {
            let is_of_site = Arc::ptr_eq(&cached.key, key) && cached.issuer == issuer;
            is_of_site && now.as_second() < cached.expires
        });
        if cached.is_some() {
            return cached;
        }
        let claims = key.verify(token, &issuer, now)?;
        if claims["scope"] != IDENTITY_SCOPE {
            return None;
        }
        let verified = Arc::new(VerifiedToken {
            key: Arc::clone(key),
            issuer,
            proof: MemberProof::deserialize(&claims[PROOF_CLAIM]).ok()?,
            expires: claims["exp"].as_i64()?,
        });
        let texts = token.len() + verified.issuer.len();
        self.0.put(token.into(), &verified, texts + ENTRY_BYTES);
        Some(verified)
    }
}

impl Default for VerifiedTokens {
    fn default() -> Self {
        Self(RecentCache::new(VERIFIED_BYTES_MAX))
    }
}

fn issuer(site_urls: &SiteUrls) -> String {
    format!("{}/members/api", site_urls.base())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;

    #[test]
    fn cached_token_is_valid_for_its_key_issuer_and_time_only() {
        let new_key = || IdentityKey::from_stored(&IdentityKey::generate().unwrap()).unwrap();
        let (key, other) = (Arc::new(new_key()), Arc::new(new_key()));
        let issuer = "https://example.com/members/api";
        let proof = MemberProof {
            member: Id::derive("member", "ana"),
            ended_before: 1,
        };
        let claims = |scope: &str| json!({"iss": issuer, "aud": issuer, "exp": 1_800_000_600, "sub": "a@b.c", "scope": scope, PROOF_CLAIM: proof});
        let token = key.sign(&claims(IDENTITY_SCOPE)).unwrap();
        let tokens = VerifiedTokens::default();
        let proof_at = |key: &Arc<IdentityKey>, issuer: &str, token: &str, second: i64| {
            let now = Timestamp::from_second(second).unwrap();
            let found = tokens.find_or_verify(key, issuer.to_owned(), token, now);
            found.map(|found| found.proof)
        };
        for _ in 0..2 {
            let found = proof_at(&key, issuer, &token, 1_800_000_000);
            assert_eq!(found, Some(proof));
        }
        assert!(tokens.0.get(token.as_str()).is_some());
        assert_eq!(proof_at(&other, issuer, &token, 1_800_000_000), None);
        let elsewhere = "https://example.org/members/api";
        assert_eq!(proof_at(&key, elsewhere, &token, 1_800_000_000), None);
        assert_eq!(proof_at(&key, issuer, &token, 1_800_000_600), None);
        let entitlements = key.sign(&claims(ENTITLEMENT_SCOPE)).unwrap();
        assert_eq!(proof_at(&key, issuer, &entitlements, 1_800_000_000), None);
    }
}
