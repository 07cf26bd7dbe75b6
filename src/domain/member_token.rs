//! Records of the links that readers request by mail: to sign in, to sign up, to subscribe, or to
//! change the address.
//!
//! A record is stored under a digest of the token in the link. The token and the code in the mail
//! are both derived from a reference, which the requesting page receives. With the reference and
//! the code, the page can sign in without the link.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{
    OptionalText,
    member_link::{LinkPurpose, SIGN_IN_LIFETIME_S},
    member_proof::MemberProof,
    secret::{Digest, Secret},
};
use crate::id::Id;

/// Lifetime of the code in a mail, in seconds. The code is short enough to be guessed, unlike the
/// link.
pub const CODE_LIFETIME_S: i64 = 60 * 60;

/// Maximum number of uses of a link (Ghost 6.65, observed). More than one, because mail scanners
/// open links before the reader does.
pub const LINK_USES_MAX: u8 = 7;

/// Lifetime of a link after its first use, in seconds (Ghost 6.65, observed).
pub const LIFETIME_AFTER_USE_S: i64 = 10 * 60;

/// Lifetime of the proof that a code was entered, in seconds (Ghost 6.65, observed).
pub const PROOF_LIFETIME_S: i64 = 5 * 60;

/// Maximum number of labels that a sign-up form can assign to a member.
pub const LABELS_MAX: usize = 10;

/// A requested link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MemberToken {
    /// The purpose of the link.
    pub purpose: LinkPurpose,
    /// The address that gets the mail.
    pub email: Box<str>,
    /// The member who signs in or whose address is to change; `None` if no member had the address
    /// at the time of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<MemberProof>,
    /// The name of a new member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: OptionalText,
    /// The names of the labels of a new member.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Box<str>>,
    /// The newsletters of a new member; `None` for the default newsletters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newsletters: Option<Vec<Id>>,
    /// Time at which the link was requested.
    pub created_at: Timestamp,
    /// The last time before the request at which links to the address were revoked. A later
    /// revocation also revokes this link, unless it has a [`proof`](Self::proof).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links_ended: Option<Timestamp>,
    /// The uses of the link so far; `None` for a link that was not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<LinkUses>,
    /// True if the link was used under a version of Galley in which links were valid only once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_opened: bool,
}

/// The uses of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkUses {
    /// Number of uses, 1 to [`LINK_USES_MAX`].
    pub count: u8,
    /// The time of the first use.
    pub first_at: Timestamp,
}

impl MemberToken {
    /// Returns a request for a link to `email`, with the other fields empty.
    pub fn new(purpose: LinkPurpose, email: &str, now: Timestamp) -> Self {
        Self {
            purpose,
            email: email.into(),
            proof: None,
            name: None,
            labels: Vec::new(),
            newsletters: None,
            created_at: now,
            links_ended: None,
            uses: None,
            is_opened: false,
        }
    }

    /// Returns the uses of the link including one at `now`; `None` if the link has expired or is
    /// used up.
    pub fn next_use(&self, now: Timestamp) -> Option<LinkUses> {
        if self.is_opened || self.expires_at() <= now {
            return None;
        }
        let Some(uses) = self.uses else {
            return Some(LinkUses {
                count: 1,
                first_at: now,
            });
        };
        let ends = uses.first_at + SignedDuration::from_secs(LIFETIME_AFTER_USE_S);
        (uses.count < LINK_USES_MAX && now <= ends).then_some(LinkUses {
            count: uses.count + 1,
            ..uses
        })
    }

    /// Returns when the link expires.
    pub fn expires_at(&self) -> Timestamp {
        self.created_at + SignedDuration::from_secs(SIGN_IN_LIFETIME_S)
    }

    /// Returns when the code expires.
    pub fn code_expires_at(&self) -> Timestamp {
        self.created_at + SignedDuration::from_secs(CODE_LIFETIME_S)
    }
}

/// The token in the link and the code in the mail, derived from a reference.
pub struct LinkSecrets<'a> {
    /// The secret of the site.
    pub secret: &'a Secret,
    /// The reference.
    pub reference: &'a str,
}

impl LinkSecrets<'_> {
    /// Returns the token in the link.
    pub fn token(&self) -> String {
        let token = format!("member link/{}", self.reference);
        self.secret.digest_of(&token).to_hexadecimal()
    }

    /// Returns the six digits of the code.
    pub fn code(&self) -> String {
        let digest = self
            .secret
            .digest_of(&format!("member code/{}", self.reference));
        let number = digest.as_bytes()[..8]
            .iter()
            .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        // The modulo bias of a million in 2^64 is negligible.
        format!("{:06}", number % 1_000_000)
    }

    /// Returns whether `digits` is the code. Compares in constant time.
    pub fn is_code(&self, digits: &str) -> bool {
        Digest::of(digits.trim()) == Digest::of(&self.code())
    }
}

/// Returns the proof that the code of the link with this token was entered at `now`.
pub fn code_proof(secret: &Secret, token: &str, now: Timestamp) -> String {
    let second = now.as_second();
    let proof = secret.digest_of(&format!("code entered/{token}/{second}"));
    format!("{second}:{}", proof.to_hexadecimal())
}

/// Returns whether the proof was issued for the link with this token, and is valid at `now`.
pub fn is_code_proof(secret: &Secret, token: &str, proof: &str, now: Timestamp) -> bool {
    let Some((second, digest)) = proof.split_once(':') else {
        return false;
    };
    let entered = second.parse().ok().map(Timestamp::from_second);
    let Some(Ok(entered)) = entered else {
        return false;
    };
    let digest = Digest::from_hexadecimal(digest);
    let age = now.as_second() - entered.as_second();
    // A negative age, after the clock was set back, is invalid as well.
    (0..=PROOF_LIFETIME_S).contains(&age)
        && digest == Some(secret.digest_of(&format!("code entered/{token}/{second}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proof_of_a_code_is_valid_for_one_link_and_five_minutes() {
        let secret = Secret::generate().unwrap();
        let entered = Timestamp::from_second(1_800_000_000).unwrap();
        let after = |seconds| entered + SignedDuration::from_secs(seconds);
        let proof = code_proof(&secret, "token", entered);
        assert!(is_code_proof(&secret, "token", &proof, after(300)));
        assert!(!is_code_proof(&secret, "token", &proof, after(301)));
        assert!(!is_code_proof(&secret, "token", &proof, after(-1)));
        assert!(!is_code_proof(&secret, "other", &proof, entered));
        for proof in ["", ":", "1:2", "9223372036854775807:00"] {
            assert!(!is_code_proof(&secret, "token", proof, entered), "{proof}");
        }
    }

    #[test]
    fn link_is_valid_seven_times_in_ten_minutes_of_a_day() {
        let requested_at = Timestamp::from_second(1_800_000_000).unwrap();
        let after = |seconds| requested_at + SignedDuration::from_secs(seconds);
        /// Returns how many consecutive uses at these times succeed.
        fn uses(of: &MemberToken, times: impl Iterator<Item = Timestamp>) -> usize {
            let mut link = of.clone();
            let used = times.map_while(|now| {
                link.uses = Some(link.next_use(now)?);
                link.uses
            });
            used.count()
        }
        let link = MemberToken::new(LinkPurpose::SignIn, "a@example.com", requested_at);
        assert_eq!(uses(&link, (0..20).map(after)), 7);
        // The ten minutes begin with the first use, not with the request.
        let late = 23 * 60 * 60;
        assert_eq!(
            uses(&link, [late, late + 600, late + 601].map(after).into_iter()),
            2
        );
        let day = SIGN_IN_LIFETIME_S;
        assert_eq!(uses(&link, [day - 1, day].map(after).into_iter()), 1);
        assert_eq!(uses(&link, [day].map(after).into_iter()), 0);
    }

    #[test]
    fn link_that_an_earlier_version_has_opened_stays_spent() {
        let record = |is_opened: bool| {
            let record = format!(
                r#"{{"purpose":"sign_in","email":"a@example.com","created_at":"2027-01-15T08:00:00Z","is_opened":{is_opened}}}"#
            );
            serde_json::from_str::<MemberToken>(&record).unwrap()
        };
        let now = record(false).created_at;
        assert!(record(false).next_use(now).is_some());
        assert_eq!(record(true).next_use(now), None);
    }

    #[test]
    fn code_has_six_digits_and_only_its_own_reference() {
        let secret = Secret::generate().unwrap();
        let of = |reference| LinkSecrets {
            secret: &secret,
            reference,
        };
        let code = of("a").code();
        assert_eq!(code.len(), 6);
        assert!(of("a").is_code(&format!(" {code} ")));
        assert!(!of("a").is_code(""));
        assert_ne!(of("a").token(), of("b").token());
    }
}
