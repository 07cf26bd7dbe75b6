//! Addresses that are a member's own: to end what is mailed, and to come in.
//!
//! They are signed with a secret of the site, so that nobody makes one for somebody else.

use std::fmt;

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    member::Member,
    newsletter::Newsletter,
    secret::{Digest, Secret},
};

/// How long an address to come in with is good, in seconds: a day (Ghost 6.65, observed).
pub const SIGN_IN_LIFETIME_S: i64 = 24 * 60 * 60;

/// What somebody is sent an address to come in with for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPurpose {
    /// To come in.
    SignIn,
    /// To become a member.
    SignUp,
    /// To get a newsletter.
    Subscribe,
}

impl LinkPurpose {
    /// The word for it on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::SignIn => "signin",
            Self::SignUp => "signup",
            Self::Subscribe => "subscribe",
        }
    }

    /// The purpose that a word means.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::SignIn, Self::SignUp, Self::Subscribe]
            .into_iter()
            .find(|purpose| purpose.name() == name)
    }
}

/// Makes the addresses of a site's members.
#[derive(Clone, Copy)]
pub struct MemberLinks<'a> {
    /// Where the site is, without a slash at the end.
    pub base: &'a str,
    /// What they are signed with.
    pub secret: &'a Secret,
}

impl MemberLinks<'_> {
    /// Where a member ends all that is mailed.
    pub fn unsubscribe(&self, member: &Member) -> String {
        format!(
            "{}/unsubscribe/?uuid={}&key={}",
            self.base,
            member.uuid,
            unsubscribe_key(self.secret, member.uuid).to_hexadecimal()
        )
    }

    /// Where a member ends one newsletter.
    pub fn unsubscribe_from(&self, member: &Member, newsletter: &Newsletter) -> String {
        format!(
            "{}&newsletter={}",
            self.unsubscribe(member),
            newsletter.uuid
        )
    }

    /// Where anybody sees what ending it looks like (Ghost 6.65, recorded).
    pub fn unsubscribe_preview(&self) -> String {
        format!("{}/unsubscribe/?preview=1", self.base)
    }

    /// Where a member comes in until a day from `now`.
    pub fn sign_in(&self, member: &Member, purpose: LinkPurpose, now: Timestamp) -> String {
        let until = now.as_second() + SIGN_IN_LIFETIME_S;
        let token = format!("{}-{until}", member.id);
        let key = self
            .secret
            .digest_of(&format!("{}/{}/{token}", purpose.name(), member.uuid));
        format!(
            "{}/members/?token={token}-{}&action={}",
            self.base,
            key.to_hexadecimal(),
            purpose.name()
        )
    }
}

/// What shows that an address to end mail is that of the member with this second identifier.
pub fn unsubscribe_key(secret: &Secret, member: Uuid) -> Digest {
    secret.digest_of(&format!("unsubscribe/{member}"))
}

/// What shows that a member was told to be able to get these newsletters again.
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
    use crate::id::Id;

    #[test]
    fn each_member_has_addresses_of_their_own_and_each_site_others() {
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
    }
}
