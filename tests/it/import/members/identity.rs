//! Tests of lists with existing members: how rows are matched, and which fields they may change.

use super::*;

#[test]
fn existing_member_is_updated_without_clearing_fields() {
    let publication = Publication::new();
    publication.import(RECORDED);
    publication.clock.set(time(LATER));

    let report = publication.import(
        "email,name,note,created_at,labels,stripe_customer_id\n\
         ANA@example.com,,,2020-01-01,\"Friends,Fresh\",cus_1\n\
         ben@example.com,Benjamin,wrote a letter,,,\n\
         carla@example.com,,,,,\n",
    );

    let counted = count(&report).unwrap();
    assert_eq!((counted.updated, counted.unchanged), (2, 1));
    let ana = publication.member("ana@example.com");
    assert_eq!(&*ana.email, "ana@example.com");
    assert_eq!(ana.name.as_deref(), Some("Ana Example"));
    assert_eq!(ana.note.as_deref(), Some("a note, with a comma"));
    assert_eq!(ana.created_at, time("2024-01-02T03:04:05Z"));
    assert_eq!(ana.updated_at, time(LATER));
    assert_eq!(ana.stripe_customer_id.as_deref(), Some("cus_1"));
    assert_eq!(
        publication.labels("ana@example.com"),
        ["Early", "Friends", "Fresh"]
    );
    let ben = publication.member("ben@example.com");
    assert_eq!(ben.name.as_deref(), Some("Benjamin"));
    assert_eq!(ben.note.as_deref(), Some("wrote a letter"));
    let carla = publication.member("carla@example.com");
    assert_eq!(carla.updated_at, time(NOW));
}

#[test]
fn unsubscribed_member_stays_unsubscribed_and_refusal_unsubscribes() {
    let publication = Publication::new();
    publication.import("email\nana@example.com\nben@example.com\n");
    publication.change("ana@example.com", |ana| ana.newsletters.clear());

    let report = publication.import(
        "email,subscribed_to_emails\nana@example.com,true\nben@example.com,No\ncleo@example.com,perhaps\n",
    );

    assert_eq!(
        lines(&report.changed),
        [
            "line 2: ana@example.com has unsubscribed here and stays unsubscribed",
            "line 4: \"perhaps\" in subscribed_to_emails is neither true nor false; no newsletter is added",
        ]
    );
    for email in ["ana@example.com", "ben@example.com", "cleo@example.com"] {
        assert!(!publication.member(email).is_subscribed(), "{email}");
    }
}

#[test]
fn id_of_another_member_is_not_reused() {
    let publication = Publication::new();
    publication.import("id,email\n63b0000000000000000000a1,ana@example.com\n");

    publication.import("id,email\n63b0000000000000000000a1,ben@example.com\nx,cleo@example.com\n");

    let ana = publication.member("ana@example.com");
    assert_eq!(ana.id.to_string(), "63b0000000000000000000a1");
    assert_ne!(publication.member("ben@example.com").id, ana.id);
    publication.member("cleo@example.com");
}

#[test]
fn deleted_label_is_on_no_member() {
    let publication = Publication::new();
    publication.import(RECORDED);
    let friends = publication
        .site
        .write(|transaction| {
            let id = transaction.catalog().labels.named("Friends").unwrap().id;
            transaction.remove::<galley::domain::label::Label>(id)?;
            transaction.add_label("Friends")
        })
        .unwrap();

    assert!(publication.export().contains(",,Early,,"));
    assert!(
        !publication
            .member("ana@example.com")
            .labels
            .contains(&friends.id)
    );
}

#[test]
fn email_addresses_are_matched_ignoring_case() {
    let publication = Publication::new();
    let list = "id,email,name\n\
                63b0000000000000000000a1,ana@example.com,Ana\n\
                63b0000000000000000000a2,ANA@example.com,Anabel\n\
                63b0000000000000000000a3,aná@example.com,Other\n";
    let report = publication.import(list);
    assert_eq!(count(&report).unwrap().added, 2);
    let json = serde_json::to_string(&report).unwrap();
    assert!(
        json.contains("ANA@example.com is already in line 2"),
        "{json}"
    );

    publication.import("email,note\nAna@Example.com,somebody\n");

    let member = publication.member("ana@example.com");
    assert_eq!(
        (&*member.email, member.note.as_deref()),
        ("ana@example.com", Some("somebody"))
    );
}

#[test]
fn imports_record_member_events_once() {
    let publication = Publication::new();
    let event_count = || {
        let mut names = Vec::new();
        let snapshot = publication.site.current();
        let visited = snapshot.visit_member_events(|event| {
            assert_eq!(event.source, EventSource::Import);
            names.push(event.happening.name());
            ControlFlow::Continue(())
        });
        visited.unwrap();
        names.len()
    };
    publication.import("email\nana@example.com\n");
    let first = event_count();
    assert_eq!(first, 1, "expected only the signup event");

    publication.import("email\nana@example.com\n");
    publication.import("email,name\nana@example.com,Ana\n");

    assert_eq!(event_count(), first);
    assert_eq!(
        publication.member("ana@example.com").origin,
        Some(MemberOrigin::Import)
    );
}
