//! Signed URLs of members, for unsubscribing and signing in.
//!
//! The URLs are signed with a secret of the site, so that they cannot be forged.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    member::Member,
    newsletter::Newsletter,
    secret::{Digest, Secret},
};
use crate::id::Id;

/// Lifetime of a sign-in link, in seconds: a day (Ghost 6.65, observed).
pub const SIGN_IN_LIFETIME_S: i64 = 24 * 60 * 60;

/// The purpose of a sign-in link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkPurpose {
    /// To sign in.
    SignIn,
    /// To sign up.
    SignUp,
    /// To subscribe to a newsletter.
    Subscribe,
    /// To confirm a new address.
    UpdateEmail,
}

/// The purposes that a client may choose.
const CHOSEN: [LinkPurpose; 3] = [
    LinkPurpose::SignIn,
    LinkPurpose::SignUp,
    LinkPurpose::Subscribe,
];

impl LinkPurpose {
    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::SignIn => "signin",
            Self::SignUp => "signup",
            Self::Subscribe => "subscribe",
            Self::UpdateEmail => "updateEmail",
        }
    }

    /// Returns the purpose called `name`; `None` if a client may not choose it.
    pub fn from_name(name: &str) -> Option<Self> {
        CHOSEN.into_iter().find(|purpose| purpose.name() == name)
    }
}

/// Builds the signed URLs of a site's members.
#[derive(Clone, Copy)]
pub struct MemberLinks<'a> {
    /// The site's URL, without a trailing slash.
    pub base: &'a str,
    /// The signing secret.
    pub secret: &'a Secret,
}

impl MemberLinks<'_> {
    fn sign_in_key(&self, member: &Member, purpose: LinkPurpose, token: &str) -> Digest {
        // Signed as well, so that signing out everywhere revokes earlier URLs.
        let revocations = member.proof().revocations;
        let signed = format!("{}/{}/{revocations}/{token}", purpose.name(), member.uuid);
        self.secret.digest_of(&signed)
    }

    /// Returns the purpose of the URL that [`sign_in`](Self::sign_in) built with this token for
    /// `member`. Returns `None` if there is no such URL, if the URL has expired, or if the member's
    /// proofs have been revoked since.
    pub fn purpose_of(&self, member: &Member, token: &str, now: Timestamp) -> Option<LinkPurpose> {
        let (_, until) = claims_of(token)?;
        let (claims, key) = token.rsplit_once('-')?;
        let key = Digest::from_hexadecimal(key)?;
        // The token does not name its purpose, which is only part of the signature, so each is
        // tried.
        let mut purposes = CHOSEN.into_iter().filter(|_| now < until);
        purposes.find(|purpose| self.sign_in_key(member, *purpose, claims) == key)
    }

    /// Returns the URL that unsubscribes a member from all mail.
    pub fn unsubscribe(&self, member: &Member) -> String {
        format!(
            "{}/unsubscribe/?uuid={}&key={}",
            self.base,
            member.uuid,
            unsubscribe_key(self.secret, member.uuid).to_hexadecimal()
        )
    }

    /// Returns the URL that unsubscribes a member from one newsletter.
    pub fn unsubscribe_from(&self, member: &Member, newsletter: &Newsletter) -> String {
        format!(
            "{}&newsletter={}",
            self.unsubscribe(member),
            newsletter.uuid
        )
    }

    /// Returns the URL of a preview of the unsubscribe page (Ghost 6.65, recorded).
    pub fn unsubscribe_preview(&self) -> String {
        format!("{}/unsubscribe/?preview=1", self.base)
    }

    /// Returns a sign-in URL that is valid for a day from `now`.
    pub fn sign_in(&self, member: &Member, purpose: LinkPurpose, now: Timestamp) -> String {
        let until = now.as_second() + SIGN_IN_LIFETIME_S;
        let token = format!("{}-{until}", member.id);
        let key = self.sign_in_key(member, purpose, &token);
        format!(
            "{}/members/?token={token}-{}&action={}",
            self.base,
            key.to_hexadecimal(),
            purpose.name()
        )
    }
}

/// Returns the URL of the account page of the site at `base`, for the member who opens the URL. The
/// fragment is handled by Portal, or by the scripts of Galley's own pages.
pub fn account_url(base: &str) -> String {
    format!("{base}/#/portal/account")
}

/// Returns the member and the time of expiry in the token of a sign-in URL, without verifying them.
/// Returns `None` if the token is malformed.
pub fn claims_of(token: &str) -> Option<(Id, Timestamp)> {
    let (claims, _) = token.rsplit_once('-')?;
    let (member, until) = claims.split_once('-')?;
    let until = Timestamp::from_second(until.parse().ok()?).ok()?;
    Some((member.parse().ok()?, until))
}

/// Returns the key that proves that an unsubscribe URL belongs to the member with this second
/// identifier.
pub fn unsubscribe_key(secret: &Secret, member: Uuid) -> Digest {
    // The prefix separates this use of the secret from others: a key for one purpose must not be
    // valid for another.
    secret.digest_of(&format!("unsubscribe/{member}"))
}

/// Returns the key that Ghost derives from its setting `members_email_auth_secret` for the same
/// purpose (Ghost 6.65, observed).
pub fn ghost_unsubscribe_key(secret: &Secret, member: Uuid) -> Digest {
    secret.digest_of(&member.to_string())
}

/// Returns the key that proves that the site offered the member to subscribe to these newsletters
/// again.
pub fn resubscribe_key(secret: &Secret, member: Uuid, newsletters: &str) -> Digest {
    secret.digest_of(&format!("resubscribe/{member}/{newsletters}"))
}

impl fmt::Debug for MemberLinks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemberLinks")
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_differ_between_members_and_between_sites() {
        let now = Timestamp::UNIX_EPOCH;
        let member = |name| Member::new(Id::derive("member", name), "a@example.com", now);
        let (ana, ben) = (member("ana"), member("ben"));
        let secrets = [Secret::generate().unwrap(), Secret::generate().unwrap()];
        let [here, elsewhere] = secrets.each_ref().map(|secret| MemberLinks {
            base: "https://example.com",
            secret,
        });

        assert_eq!(here.unsubscribe(&ana), here.unsubscribe(&ana));
        assert_ne!(here.unsubscribe(&ana), here.unsubscribe(&ben));
        assert_ne!(here.unsubscribe(&ana), elsewhere.unsubscribe(&ana));
        let link = here.sign_in(&ana, LinkPurpose::SignUp, now);
        let start = format!("https://example.com/members/?token={}-86400-", ana.id);
        assert!(link.starts_with(&start), "{link}");
        assert!(link.ends_with("&action=signup"), "{link}");
        let token = link.split(['=', '&']).nth(1).unwrap();
        let valid = Some(LinkPurpose::SignUp);
        assert_eq!(here.purpose_of(&ana, token, now), valid);
        assert_eq!(here.purpose_of(&ben, token, now), None);
        assert_eq!(elsewhere.purpose_of(&ana, token, now), None);
        let mut signed_out = ana.clone();
        signed_out.revoke_proofs();
        assert_eq!(here.purpose_of(&signed_out, token, now), None);
        assert_eq!(here.unsubscribe(&signed_out), here.unsubscribe(&ana));
        let day_after = Timestamp::from_second(SIGN_IN_LIFETIME_S).unwrap();
        assert_eq!(here.purpose_of(&ana, token, day_after), None);
    }
}
