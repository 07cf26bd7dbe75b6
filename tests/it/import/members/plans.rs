//! Tests of complimentary plans in member lists.

use super::*;

#[test]
fn complimentary_plans_add_the_named_tiers() {
    let publication = Publication::new();
    let gold = publication.add_tier("gold", "Gold, with post");
    let crew = publication.add_tier("crew", "Crew");
    let usual = publication.tier(tier::DEFAULT_PAID_SLUG);

    let report = publication.import(
        "email,complimentary_plan,tiers,import_tier\n\
         a@example.com,true,,\n\
         b@example.com,TRUE,\"Gold, with post\",\n\
         c@example.com,true,\"crew,Gold, with post\",crew\n\
         d@example.com,true,\"Crew,Galley\",\n\
         e@example.com,true,Platinum,\n\
         f@example.com,false,Crew,\n\
         g@example.com,,Crew,\n",
    );

    let tiers = |email: &str| -> Vec<Id> {
        let member = publication.member(email);
        let expected = if member.tiers.is_empty() {
            Status::Free
        } else {
            Status::Comped
        };
        assert_eq!(member.status(), expected, "{email}");
        member.tiers.iter().map(|grant| grant.tier).collect()
    };
    assert_eq!(tiers("a@example.com"), [usual]);
    assert_eq!(tiers("b@example.com"), [gold]);
    assert_eq!(tiers("c@example.com"), [crew]);
    assert_eq!(tiers("d@example.com"), [crew, usual]);
    assert_eq!(tiers("e@example.com"), []);
    assert_eq!(tiers("f@example.com"), []);
    assert_eq!(tiers("g@example.com"), []);
    assert_eq!(
        lines(&report.changed),
        ["line 6: e@example.com gets no tier: there is no paid tier named \"Platinum\""]
    );
}

#[test]
fn complimentary_plan_changes_only_for_members_who_do_not_pay() {
    let publication = Publication::new();
    let until = time("2030-01-01T00:00:00Z");
    let grant = TierGrant {
        tier: publication.tier(tier::DEFAULT_PAID_SLUG),
        expires_at: Some(until),
    };
    publication.import("email\nana@example.com\nben@example.com\n");
    publication.change("ana@example.com", |ana| {
        ana.tiers = vec![grant];
    });
    publication.change("ben@example.com", |ben| ben.pays = true);

    let of = |email: &str| {
        let member = publication.member(email);
        (member.status(), member.tiers)
    };

    // Invalid values and empty cells change nothing.
    publication.import("email,complimentary_plan\nana@example.com,true\nben@example.com,true\n");
    publication.import("email,complimentary_plan\nana@example.com,maybe\nben@example.com,\n");
    publication.import("email,complimentary_plan\nana@example.com,\nben@example.com,false\n");
    assert_eq!(of("ana@example.com"), (Status::Comped, vec![grant]));
    assert_eq!(of("ben@example.com"), (Status::Paid, vec![]));

    let report = publication.import("email,complimentary_plan\nana@example.com,false\n");
    assert_eq!(of("ana@example.com"), (Status::Free, vec![]));
    assert_eq!(
        lines(&report.changed),
        ["line 2: ana@example.com loses the complimentary plan"]
    );
}
