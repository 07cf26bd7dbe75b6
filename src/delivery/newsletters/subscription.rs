//! The texts of a newsletter about the subscription of its recipient (Ghost 6.65).

use crate::domain::{
    member::{Member, Status},
    setting::Settings,
};

/// The texts about a member's subscription, in the language of the site.
#[derive(Debug, PartialEq, Eq)]
pub struct SubscriptionTexts {
    /// The kind of the subscription.
    pub status: String,
    /// The sentence about the end of the subscription; empty if it does not end.
    pub end: String,
}

impl SubscriptionTexts {
    /// Returns the texts for a member without expired tiers. As in Ghost, the end is that of the
    /// first tier, although others may last longer.
    pub fn of(member: &Member, settings: &Settings) -> Self {
        let texts = settings.reader_texts();
        let (status, sentence) = match member.status() {
            Status::Free => ("free", ""),
            Status::Paid => (
                "paid",
                "Your subscription ends on {date}. You can renew it in your account.",
            ),
            Status::Comped => ("complimentary", "Your subscription ends on {date}."),
        };
        let end = member.tiers.first().and_then(|grant| grant.expires_at);
        let end = end.map(|end| {
            let date = texts.long_date(end.to_zoned(settings.time_zone()).date());
            texts.filled(sentence, &[("date", &date)])
        });
        Self {
            status: texts.text(status).to_owned(),
            end: end.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{domain::member::TierGrant, id::Id};

    fn texts(pays: bool, grants: &[Option<&str>]) -> (String, String) {
        let mut member = Member::new(
            Id::derive("member", "ana"),
            "ana@example.com",
            "2026-01-01T00:00:00Z".parse().unwrap(),
        );
        member.pays = pays;
        let grant = |end: &Option<&str>| TierGrant {
            tier: Id::derive("tier", "gold"),
            expires_at: end.map(|end| end.parse().unwrap()),
        };
        member.tiers = grants.iter().map(grant).collect();
        let texts = SubscriptionTexts::of(&member, &Settings::default());
        (texts.status, texts.end)
    }

    #[test]
    fn kind_and_end_of_the_subscription_are_said() {
        let end = Some("2026-12-24T12:00:00Z");
        for (pays, grants, status, sentence) in [
            (false, &[][..], "free", ""),
            (true, &[None], "paid", ""),
            (
                true,
                &[end],
                "paid",
                "Your subscription ends on 24 December 2026. You can renew it in your account.",
            ),
            (false, &[None, end], "complimentary", ""),
            (
                false,
                &[end],
                "complimentary",
                "Your subscription ends on 24 December 2026.",
            ),
        ] {
            let expected = (status.to_owned(), sentence.to_owned());
            assert_eq!(texts(pays, grants), expected, "{grants:?}");
        }
    }
}
