//! Tests of merging members with the same email address.

use std::sync::Arc;

use galley::{
    admin::members::{self, LostValue, MemberMerge, MergedMembers, own},
    domain::{
        action::ActionEvent,
        actor::Actor,
        member::{EmailSuppression, Member, Status, SuppressionReason, TierGrant},
        member_event::{EventSource, MemberEventKind},
        newsletter::Newsletter,
        tier::Tier,
    },
    id::Id,
    site::Site,
};
use jiff::Timestamp;

use super::{add_members, label, member, open, time};

const ADDRESS: &str = "zed@m.example";

/// Returns the older member `Zed@…` and the younger member `zed@…`, modified by these functions.
fn pair(older: impl FnOnce(&mut Member), younger: impl FnOnce(&mut Member)) -> [Member; 2] {
    let mut pair = [member("Zed@m.example", 0), member(ADDRESS, 60)];
    older(&mut pair[0]);
    younger(&mut pair[1]);
    pair
}

/// A site with these members, three newsletters and two paid tiers.
struct SiteWithDuplicates {
    site: Site,
    _folder: tempfile::TempDir,
}

impl SiteWithDuplicates {
    fn new(members: &[Member]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = open(folder.path());
        let written = site.write(|transaction| {
            for slug in ["tides", "boats", "winds"] {
                transaction.save(Newsletter::new(slug, slug))?;
            }
            for slug in ["gold", "silver"] {
                transaction.save(Tier::new(slug, slug))?;
            }
            transaction.save(label("crew", "Crew"))?;
            transaction.save(label("guest", "Guest"))
        });
        written.unwrap();
        drop(site);
        add_members(folder.path(), members);
        Self {
            site: open(folder.path()),
            _folder: folder,
        }
    }

    fn merge(&self) -> MemberMerge {
        let merges = self.site.write(|transaction| {
            let members = MergedMembers::WithAddress("ZED@m.example");
            members::merge(transaction, &Actor::Operator, members)
        });
        let mut merges = merges.unwrap();
        assert_eq!(merges.len(), 1);
        merges.remove(0)
    }

    fn unsubscribe(&self, member: &Member, newsletter: &str) {
        let newsletter = own::Unsubscription::One(newsletter_id(newsletter));
        own::unsubscribe(&self.site, member.id, newsletter).unwrap();
    }

    fn events(&self, member: Id) -> Vec<MemberEventKind> {
        let events = self.site.current().events_of_member(member).unwrap();
        events.into_iter().map(|event| event.happening).collect()
    }
}

fn newsletter_id(slug: &str) -> Id {
    Newsletter::new(slug, slug).id
}

fn newsletters(slugs: &[&str]) -> Vec<Id> {
    slugs.iter().map(|slug| newsletter_id(slug)).collect()
}

fn grant(tier: &str, expires_at: Option<Timestamp>) -> TierGrant {
    TierGrant {
        tier: Tier::new(tier, tier).id,
        expires_at,
    }
}

#[test]
fn remaining_member_gets_the_data_of_the_other() {
    let ends = |hours: i64| Some(Timestamp::now() + jiff::SignedDuration::from_hours(hours));
    let (soon, later) = (ends(1), ends(2));
    let members = pair(
        |older| {
            older.newsletters = newsletters(&["tides"]);
            older.labels = vec![label("crew", "").id];
            older.tiers = vec![grant("gold", soon)];
            older.note = Some("Pays cash.".into());
            older.email_count = 2;
        },
        |younger| {
            younger.name = Some("Zed".into());
            younger.newsletters = newsletters(&["boats", "tides"]);
            younger.labels = vec![label("guest", "").id];
            younger.tiers = vec![grant("gold", later), grant("silver", None)];
            younger.note = Some("Has a boat.".into());
            younger.email_count = 3;
            younger.last_seen_at = Some(time(9));
            younger.created_at = time(5);
        },
    );
    // Both have the same access, so the member that signed up first remains: the younger record.
    let [other, remaining] = &members;
    let site = SiteWithDuplicates::new(&members);

    let merge = site.merge();

    let merged = &merge.target;
    assert_eq!((merged.id, &merged.email), (remaining.id, &remaining.email));
    assert_eq!(merge.deleted, [Arc::new(other.clone())]);
    assert_eq!(merge.lost, []);
    assert_eq!(merged.name.as_deref(), Some("Zed"));
    assert_eq!(merged.note.as_deref(), Some("Has a boat.\n\nPays cash."));
    assert_eq!(merged.newsletters, newsletters(&["boats", "tides"]));
    let labels = ["guest", "crew"].map(|slug| label(slug, "").id);
    assert_eq!(merged.labels, labels);
    assert_eq!(merged.tiers.len(), 2);
    assert!(merged.tiers.contains(&grant("silver", None)));
    assert!(merged.tiers.iter().any(|tier| tier.expires_at == later));
    assert_eq!(merged.email_count, 5);
    assert_eq!(merged.created_at, time(5));
    assert_eq!(merged.last_seen_at, Some(time(9)));
    assert!(merged.has_uuid(other.uuid) && merged.has_uuid(remaining.uuid));
    let snapshot = site.site.current();
    assert!(snapshot.catalog.members.get(other.id).is_none());
    assert_eq!(snapshot.catalog.members.len(), 1);
}

#[test]
fn member_with_paid_access_remains_before_an_older_one() {
    let pays = |member: &mut Member| member.pays = true;
    let comped = |member: &mut Member| member.tiers = vec![grant("gold", None)];
    let site = SiteWithDuplicates::new(&pair(comped, pays));

    let merge = site.merge();

    assert_eq!(&*merge.target.email, ADDRESS);
    assert_eq!(merge.target.status(), Status::Paid);
    assert_eq!(merge.target.tiers, [grant("gold", None)]);
    assert_eq!(
        merge.target.created_at,
        member("Zed@m.example", 0).created_at
    );
}

#[test]
fn texts_that_do_not_fit_are_reported_as_lost() {
    let long = |character: &str| Some(character.repeat(1500).into());
    let members = pair(
        |older| {
            older.name = Some("Zed".into());
            older.note = long("a");
        },
        |younger| {
            younger.name = Some("Zedekiah".into());
            younger.note = long("b");
        },
    );
    let site = SiteWithDuplicates::new(&members);

    let merge = site.merge();

    assert_eq!(merge.target.note, members[0].note);
    let lost = [
        LostValue::Text("name", "Zedekiah".into()),
        LostValue::Text("note", "b".repeat(1500).into()),
    ];
    assert_eq!(merge.lost, lost);
}

#[test]
fn email_suppression_of_either_member_remains() {
    for suppressed in [0, 1] {
        let suppression = Some(EmailSuppression {
            reason: SuppressionReason::Fail,
            at: time(7),
        });
        let mut members = pair(|_| {}, |_| {});
        members[suppressed].email_suppression = suppression;

        let merge = SiteWithDuplicates::new(&members).merge();

        assert_eq!(merge.target.email_suppression, suppression, "{suppressed}");
    }
}

#[test]
fn newsletter_that_either_member_cancelled_stays_cancelled() {
    for cancelling in [0, 1] {
        let all = newsletters(&["tides", "boats"]);
        let have_all = |member: &mut Member| member.newsletters = all.clone();
        let members = pair(have_all, have_all);
        let site = SiteWithDuplicates::new(&members);
        site.unsubscribe(&members[cancelling], "boats");

        let merge = site.merge();

        assert_eq!(
            merge.target.newsletters,
            newsletters(&["tides"]),
            "{cancelling}"
        );
        assert_eq!(merge.lost, [LostValue::Newsletter(newsletter_id("boats"))]);
        let last = site.events(merge.target.id).remove(0);
        let boats = MemberEventKind::Newsletter {
            newsletter: newsletter_id("boats"),
            subscribed: false,
        };
        assert_eq!(last, boats, "{cancelling}");
    }
}

#[test]
fn member_without_newsletters_counts_as_unsubscribed_from_all() {
    let site = SiteWithDuplicates::new(&pair(
        |_| {},
        |younger| younger.newsletters = newsletters(&["tides"]),
    ));

    let merge = site.merge();

    assert!(!merge.target.is_subscribed());
    assert_eq!(merge.lost, [LostValue::Newsletter(newsletter_id("tides"))]);
}

#[test]
fn events_of_the_deleted_member_move_to_the_remaining_one() {
    let members = pair(
        |older| older.newsletters = newsletters(&["tides"]),
        |younger| younger.newsletters = newsletters(&["tides", "winds"]),
    );
    let site = SiteWithDuplicates::new(&members);
    let written = site.site.write(|transaction| {
        for member in &members {
            transaction.record_member_change(None, member, EventSource::Member)?;
        }
        transaction.record_sign_in(members[1].id)
    });
    written.unwrap();

    let merge = site.merge();

    let mut events = site.events(merge.target.id);
    events.sort_by_key(|event| format!("{event:?}"));
    let subscribed = |slug| MemberEventKind::Newsletter {
        newsletter: newsletter_id(slug),
        subscribed: true,
    };
    let mut expected = vec![
        MemberEventKind::SignedIn,
        MemberEventKind::SignedUp,
        subscribed("tides"),
        subscribed("winds"),
    ];
    expected.sort_by_key(|event| format!("{event:?}"));
    assert_eq!(events, expected);
    assert_eq!(site.events(members[1].id), []);
    let events = site
        .site
        .current()
        .events_of_member(merge.target.id)
        .unwrap();
    let sign_up = events.last().unwrap();
    assert_eq!(sign_up.happening, MemberEventKind::SignedUp);
    assert_eq!(sign_up.created_at, members[0].created_at);
}

#[test]
fn merge_is_in_the_audit_log_and_a_dry_run_changes_nothing() {
    let members = pair(|older| older.pays = true, |_| {});
    let site = SiteWithDuplicates::new(&members);
    let before = site.site.current().catalog.revision;
    let rehearsed = site
        .site
        .rehearse(|transaction| members::merge(transaction, &Actor::Operator, MergedMembers::All));
    assert_eq!(rehearsed.unwrap().len(), 1);
    assert_eq!(site.site.current().catalog.revision, before);

    let merge = site.merge();

    let mut actions = Vec::new();
    let visited = site.site.current().visit_actions(0, |action| {
        actions.push((action.event, action.resource_id));
        std::ops::ControlFlow::Continue(())
    });
    visited.unwrap();
    assert_eq!(
        actions[..2],
        [
            (ActionEvent::Edited, merge.target.id),
            (ActionEvent::Deleted, members[1].id)
        ]
    );
}
