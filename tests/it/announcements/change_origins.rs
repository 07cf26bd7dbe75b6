//! Tests of events by the origin of a change: content files, the scheduler, bulk changes, deleted users.

use galley::site::Transaction;
use galley_tests::owner;
use serde_json::{Value, json};

use super::event_site::{EventSite, names};

#[test]
fn changes_of_content_files_send_events() {
    let mut event_site = EventSite::new();
    let text =
        |title: &str| format!("---\ntitle: {title}\ndate: 2025-01-01\ntags: [Boats]\n---\nText\n");
    event_site.site.write_file("posts/a.md", text("One"));
    let sent = event_site.next_events();
    assert_eq!(
        names(&sent),
        [
            "tag.added",
            "post.tag.attached",
            "post.added",
            "post.published",
            "site.changed"
        ]
    );
    assert_eq!(sent[2].current()["html"], "<p>Text</p>\n");

    event_site.site.write_file("posts/a.md", text("Two"));
    let sent = event_site.next_events();
    assert_eq!(
        names(&sent),
        ["post.published.edited", "post.edited", "site.changed"]
    );
    assert_eq!(sent[0].previous()["title"], "One");
}

#[test]
fn scheduled_publication_sends_events() {
    let mut event_site = EventSite::new();
    let soon = event_site.site.site().now() + jiff::SignedDuration::from_secs(2);
    let waits = json!({"title": "P", "status": "scheduled", "published_at": soon.to_string()});
    event_site.add("posts", waits.clone());
    event_site.add("pages", waits);
    assert_eq!(
        names(&event_site.take_events()),
        [
            "post.added",
            "post.scheduled",
            "page.added",
            "page.scheduled"
        ]
    );

    let mut events = Vec::new();
    while !events.iter().any(|name| name == "page.published") {
        events.extend(event_site.next_events().into_iter().map(|sent| sent.event));
    }
    for event in [
        "post.published",
        "post.edited",
        "page.published",
        "page.edited",
    ] {
        let times = events.iter().filter(|name| *name == event).count();
        assert_eq!(times, 1, "{event} in {events:?}");
    }
    assert!(events.contains(&"site.changed".to_owned()));
}

#[test]
fn bulk_changes_send_an_event_for_each_record() {
    let mut event_site = EventSite::new();
    for title in ["A", "B"] {
        event_site.add("posts", json!({"title": title, "status": "published"}));
        event_site.add("members", json!({"email": format!("{title}@example.com")}));
    }
    event_site.take_events();

    let feature = json!({"bulk": {"action": "unpublish"}});
    event_site.done("PUT", "posts/bulk/?filter=status:published", &feature);
    assert_eq!(
        names(&event_site.take_events()),
        [
            "post.unpublished",
            "post.edited",
            "post.unpublished",
            "post.edited",
            "site.changed"
        ]
    );
    let unsubscribe = json!({"bulk": {"action": "unsubscribe", "meta": {}}});
    event_site.done("PUT", "members/bulk/?all=true", &unsubscribe);
    assert_eq!(
        names(&event_site.take_events()),
        ["member.edited", "member.edited"]
    );
    event_site.done("DELETE", "members/?all=true", &Value::Null);
    assert_eq!(
        names(&event_site.take_events()),
        ["member.deleted", "member.deleted"]
    );
}

#[test]
fn deleting_a_user_announces_their_posts() {
    let mut event_site = EventSite::new();
    event_site.site.add_user("Author");
    let authors = json!([{"email": "author@example.com"}]);
    event_site.add(
        "posts",
        json!({"title": "P", "status": "published", "authors": authors}),
    );
    event_site.take_events();
    let author = event_site.site.get_as(&owner(), "/users/slug/author/")["users"][0].clone();
    event_site.delete("users", &author);

    let sent = event_site.take_events();
    assert_eq!(
        names(&sent),
        [
            "tag.added",
            "post.tag.attached",
            "post.published.edited",
            "post.edited",
            "site.changed"
        ]
    );
    assert_eq!(sent[3].previous()["authors"][0]["slug"], "author");
    assert_eq!(sent[3].current()["authors"][0]["slug"], "ada");
}

#[test]
fn one_transaction_announces_a_record_once() {
    let mut event_site = EventSite::new();
    event_site.add("posts", json!({"title": "P"}));
    event_site.take_events();
    let touch_twice = |transaction: &mut Transaction| {
        let post = transaction.catalog().posts.iter().next().unwrap().clone();
        for title in ["Q", "R"] {
            let mut post = galley::domain::post::Post::clone(&post);
            post.title = title.into();
            transaction.update_post(post)?;
        }
        Ok(())
    };
    event_site.site.site().write(touch_twice).unwrap();

    let sent = event_site.take_events();
    assert_eq!(names(&sent), ["post.edited"]);
    assert_eq!(sent[0].previous()["title"], "P");
    assert_eq!(sent[0].current()["title"], "R");
}
