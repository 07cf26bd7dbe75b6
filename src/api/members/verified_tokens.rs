//! The identity tokens that were verified, by which programs act as a member.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;

use crate::{
    api::recent_cache::RecentCache,
    domain::{identity_key::IdentityKey, member::Member, member_proof::MemberProof},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// Most bytes that verified tokens take: some fifteen hundred tokens.
const VERIFIED_BYTES_MAX: usize = 1 << 20;

/// Memory of a verified token in addition to its texts, in bytes.
const ENTRY_BYTES: usize = 128;

/// The scope of tokens by which a program may act as the member.
pub(super) const IDENTITY_SCOPE: &str = "members:identity";

/// The claim of identity tokens that Galley verifies in addition to the usual ones.
pub(super) const PROOF_CLAIM: &str = "proof";

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
    /// Returns the member of an identity token, unless the member's tokens were revoked since it was made.
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
        // Not cached: signing out everywhere ends tokens that were verified before.
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
            // Another key or another URL of the site makes all earlier tokens invalid.
            let is_of_site = Arc::ptr_eq(&cached.key, key) && cached.issuer == issuer;
            is_of_site && now.as_second() < cached.expires
        });
        if cached.is_some() {
            return cached;
        }
        let claims = key.verify(token, &issuer, now)?;
        // An entitlement token is signed with the same key, but other services get it: it must not
        // act as the member.
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
