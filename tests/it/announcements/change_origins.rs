//! Tests of events by the origin of a change: content files, the scheduler, bulk changes, deleted users.

use galley::site::Transaction;
use galley_tests::owner;
use serde_json::{Value, json};

use super::audience::{Audience, names};

#[test]
fn changes_of_content_files_send_events() {
    let mut audience = Audience::new();
    let text =
        |title: &str| format!("---\ntitle: {title}\ndate: 2025-01-01\ntags: [Boats]\n---\nText\n");
    audience.site.write_file("posts/a.md", text("One"));
    let heard = audience.hears_soon();
    assert_eq!(
        names(&heard),
        [
            "tag.added",
            "post.tag.attached",
            "post.added",
            "post.published",
            "site.changed"
        ]
    );
    assert_eq!(heard[2].current()["html"], "<p>Text</p>\n");

    audience.site.write_file("posts/a.md", text("Two"));
    let heard = audience.hears_soon();
    assert_eq!(
        names(&heard),
        ["post.published.edited", "post.edited", "site.changed"]
    );
    assert_eq!(heard[0].previous()["title"], "One");
}

#[test]
fn scheduled_publication_sends_events() {
    let mut audience = Audience::new();
    let soon = audience.site.site().now() + jiff::SignedDuration::from_secs(2);
    let waits = json!({"title": "P", "status": "scheduled", "published_at": soon.to_string()});
    audience.add("posts", waits.clone());
    audience.add("pages", waits);
    assert_eq!(
        names(&audience.hears()),
        [
            "post.added",
            "post.scheduled",
            "page.added",
            "page.scheduled"
        ]
    );

    let mut events = Vec::new();
    while !events.iter().any(|name| name == "page.published") {
        events.extend(audience.hears_soon().into_iter().map(|heard| heard.event));
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
    let mut audience = Audience::new();
    for title in ["A", "B"] {
        audience.add("posts", json!({"title": title, "status": "published"}));
        audience.add("members", json!({"email": format!("{title}@example.com")}));
    }
    audience.hears();

    let feature = json!({"bulk": {"action": "unpublish"}});
    audience.done("PUT", "posts/bulk/?filter=status:published", &feature);
    assert_eq!(
        names(&audience.hears()),
        [
            "post.unpublished",
            "post.edited",
            "post.unpublished",
            "post.edited",
            "site.changed"
        ]
    );
    let unsubscribe = json!({"bulk": {"action": "unsubscribe", "meta": {}}});
    audience.done("PUT", "members/bulk/?all=true", &unsubscribe);
    assert_eq!(names(&audience.hears()), ["member.edited", "member.edited"]);
    audience.done("DELETE", "members/?all=true", &Value::Null);
    assert_eq!(
        names(&audience.hears()),
        ["member.deleted", "member.deleted"]
    );
}

#[test]
fn deleting_a_user_announces_their_posts() {
    let mut audience = Audience::new();
    audience.site.add_user("Author");
    let authors = json!([{"email": "author@example.com"}]);
    audience.add(
        "posts",
        json!({"title": "P", "status": "published", "authors": authors}),
    );
    audience.hears();
    let author = audience.site.get_as(&owner(), "/users/slug/author/")["users"][0].clone();
    audience.delete("users", &author);

    let heard = audience.hears();
    assert_eq!(
        names(&heard),
        [
            "tag.added",
            "post.tag.attached",
            "post.published.edited",
            "post.edited",
            "site.changed"
        ]
    );
    assert_eq!(heard[3].previous()["authors"][0]["slug"], "author");
    assert_eq!(heard[3].current()["authors"][0]["slug"], "ada");
}

#[test]
fn one_transaction_announces_a_record_once() {
    let mut audience = Audience::new();
    audience.add("posts", json!({"title": "P"}));
    audience.hears();
    let touch_twice = |change: &mut Transaction| {
        let post = change.catalog().posts.iter().next().unwrap().clone();
        for title in ["Q", "R"] {
            let mut post = galley::domain::post::Post::clone(&post);
            post.title = title.into();
            change.update_post(post)?;
        }
        Ok(())
    };
    audience.site.site().write(touch_twice).unwrap();

    let heard = audience.hears();
    assert_eq!(names(&heard), ["post.edited"]);
    assert_eq!(heard[0].previous()["title"], "P");
    assert_eq!(heard[0].current()["title"], "R");
}
