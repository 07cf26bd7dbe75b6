//! A cache of verified identity tokens, with which programs act as a member.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;

use crate::{
    api::recent_cache::RecentCache,
    domain::{identity_key::IdentityKey, member::Member, member_proof::MemberProof},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// Limit of the cache, in bytes: about 1,500 tokens.
const VERIFIED_BYTES_MAX: usize = 1 << 20;

/// Overhead of a cached token in addition to its texts, in bytes.
const ENTRY_BYTES: usize = 128;

/// The scope of tokens with which a program may act as the member.
pub(super) const IDENTITY_SCOPE: &str = "members:identity";

/// The claim of identity tokens that Galley verifies in addition to the standard claims.
pub(super) const PROOF_CLAIM: &str = "proof";

/// A cache of verified identity tokens. A program sends the same token with each request until it
/// expires, and verifying a signature takes longer than building most responses.
pub struct VerifiedTokens(RecentCache<Box<str>, VerifiedToken>);

/// The claims of a verified token, and the key and issuer with which it was verified.
struct VerifiedToken {
    key: Arc<IdentityKey>,
    issuer: String,
    proof: MemberProof,
    /// The time of expiry, in seconds since 1970.
    expires: i64,
}

impl VerifiedTokens {
    /// Returns the member of an identity token; `None` if the token is invalid, or was issued before the member's tokens were
    /// revoked.
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
        // Checked on each use: signing out everywhere revokes tokens that are already in the cache.
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
            // If the key or the URL of the site changes, all earlier tokens become invalid.
            let is_of_site = Arc::ptr_eq(&cached.key, key) && cached.issuer == issuer;
            is_of_site && now.as_second() < cached.expires
        });
        if cached.is_some() {
            return cached;
        }
        let claims = key.verify(token, &issuer, now)?;
        // Entitlement tokens are signed with the same key, but are given to other services, which must
        // not be able to act as the member.
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

/// Returns the issuer of a site's tokens.
pub(super) fn issuer(site_urls: &SiteUrls) -> String {
    format!("{}/members/api", site_urls.base())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::tokens::ENTITLEMENT_SCOPE, *};
    use crate::id::Id;

    #[test]
    fn cached_token_is_valid_for_its_key_issuer_and_time_only() {
        let new_key = || IdentityKey::from_stored(&IdentityKey::generate().unwrap()).unwrap();
        let (key, other) = (Arc::new(new_key()), Arc::new(new_key()));
        let issuer = "https://example.com/members/api";
        let proof = MemberProof {
            member: Id::derive("member", "ana"),
            revocations: 1,
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
