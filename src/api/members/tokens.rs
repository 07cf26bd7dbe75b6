//! Tokens: integrity tokens, which pages need to request a link, and the tokens with which a member
//! authenticates to other programs.

use data_encoding::HEXLOWER;
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    call::{Call, text_of},
    replies::{json_response, no_content, text},
    verified_tokens::{IDENTITY_SCOPE, PROOF_CLAIM, issuer},
};
use crate::{
    admin::member_sign_in::{identity_key, secret_of},
    api::response::Response,
    domain::secret::{Digest, Secret},
    error::{Error, Kind, Result},
};

/// Lifetime of an integrity token, in milliseconds (Ghost 6.65, observed).
const INTEGRITY_LIFETIME_MS: i64 = 5 * 60 * 1000;

/// Lifetime of an identity token, in seconds (Ghost 6.65, observed).
const IDENTITY_LIFETIME_S: i64 = 10 * 60;

/// Lifetime of an entitlement token, in seconds (Ghost 6.65, observed).
const ENTITLEMENT_LIFETIME_S: i64 = 5 * 60;

/// The scope of tokens that only contain the member's entitlements.
pub(super) const ENTITLEMENT_SCOPE: &str = "members:entitlements:read";

/// Returns the integrity token that a page sends with a request for a link:
/// `expires:nonce:signature`.
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
    // The prefix separates these signatures from those of other tokens with the same secret.
    secret.digest_of(&format!("member integrity/{expires}:{nonce}"))
}

/// `GET members/.well-known/jwks.json`: the public key for verifying the tokens.
pub fn published_keys(call: &Call) -> Result<Response> {
    let key = identity_key(&call.api.site)?;
    let mut response = json_response(&json!({ "keys": [key.published()] }));
    let a_day = HeaderValue::from_static("public, max-age=86400");
    response.headers.set(header::CACHE_CONTROL, a_day);
    Ok(response)
}

/// `GET members/api/session`: a token with which a program may act as the member.
pub fn identity(call: &Call) -> Result<Response> {
    // Without a member, `token` responds with 204 and does not use the claims.
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

/// Responds with a token that contains these claims about the signed-in member, or with 204 if the
/// client is not signed in.
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
    let token =
        token.ok_or_else(|| Error::internal("the system's random number generator failed"))?;
    Ok(text(StatusCode::OK, &token))
}
