//! Tests of the events of posts, pages, tags and members that are changed through the Admin API. Behaviour that the recordings
//! do not cover was observed in Ghost 6.65.

use galley_tests::{Request, multipart::Form, owner, request::ADMIN, test_site::keys};
use serde_json::json;

use super::event_site::{EventSite, QueuedEvent, document, names};

fn event_named<'h>(sent: &'h [QueuedEvent], event: &str) -> &'h QueuedEvent {
    sent.iter().find(|sent| sent.event == event).unwrap()
}

#[test]
fn events_are_ordered_tags_posts_site() {
    let mut event_site = EventSite::new();
    event_site.add(
        "posts",
        json!({"title": "P", "status": "published", "tags": ["Apples", "Boats"]}),
    );

    assert_eq!(
        names(&event_site.take_events()),
        [
            "tag.added",
            "tag.added",
            "post.tag.attached",
            "post.tag.attached",
            "post.added",
            "post.published",
            "site.changed"
        ]
    );
}

#[test]
fn changed_body_is_sent_with_previous_and_current_value() {
    let mut event_site = EventSite::new();
    let post = event_site.add("posts", json!({"title": "P", "lexical": document("One.")}));
    event_site.take_events();
    event_site.edit("posts", &post, json!({"lexical": document("Two.")}));

    let sent = event_site.take_events();
    assert_eq!(names(&sent), ["post.edited"]);
    assert_eq!(sent[0].current()["html"], "<p>Two.</p>");
    assert_eq!(sent[0].current()["plaintext"], "Two.");
    assert_eq!(sent[0].current().get("lexical"), None);
    let previous = sent[0].previous();
    assert_eq!(keys(previous), ["html", "plaintext", "updated_at"]);
    assert_eq!(previous["html"], "<p>One.</p>");
    assert_eq!(previous["plaintext"], "One.");
    assert_eq!(previous["updated_at"], post["updated_at"]);
}

#[test]
fn new_record_has_no_previous_values_and_authors_without_roles() {
    let mut event_site = EventSite::new();
    let post = event_site.add("posts", json!({"title": "P"}));
    let sent = event_site.take_events();
    assert_eq!(sent[0].previous(), &json!({}));
    assert_eq!(sent[0].current()["authors"][0].get("roles"), None);

    event_site.edit("posts", &post, json!({"title": "Q"}));
    let sent = event_site.take_events();
    assert_eq!(sent[0].current()["authors"][0]["roles"][0]["name"], "Owner");
}

#[test]
fn previous_values_include_the_update_date_if_the_record_changed() {
    let mut event_site = EventSite::new();
    let tag = event_site.add("tags", json!({"name": "Apples"}));
    let post = event_site.add("posts", json!({"title": "P"}));
    event_site.take_events();

    event_site.edit("tags", &tag, json!({"description": "Fruit"}));
    assert_eq!(
        event_site.take_events()[0].previous(),
        &json!({"description": null, "updated_at": tag["updated_at"]})
    );
    let post = event_site.edit("posts", &post, json!({"tags": [{"name": "Apples"}]}));
    let sent = event_site.take_events();
    assert_eq!(names(&sent), ["post.tag.attached", "post.edited"]);
    assert_eq!(sent[1].previous(), &json!({"tags": []}));
    event_site.edit("posts", &post, json!({"og_title": "For others"}));
    assert_eq!(
        event_site.take_events()[0].previous(),
        &json!({"og_title": null})
    );
}

#[test]
fn changed_relations_are_sent_with_their_complete_previous_lists() {
    let mut event_site = EventSite::new();
    event_site.site.add_user("Author");
    let post = event_site.add("posts", json!({"title": "P", "tags": ["A", "B"]}));
    event_site.take_events();

    let authors = json!([{"email": "author@example.com"}]);
    let change = json!({"tags": ["B", "C"], "authors": authors, "visibility": "paid"});
    event_site.edit("posts", &post, change);

    let sent = event_site.take_events();
    assert_eq!(
        names(&sent),
        [
            "tag.added",
            "post.tag.attached",
            "post.tag.detached",
            "post.edited"
        ]
    );
    let previous = event_named(&sent, "post.edited").previous();
    assert_eq!(
        keys(previous),
        ["authors", "tags", "updated_at", "visibility"]
    );
    let tags = previous["tags"].as_array().unwrap();
    assert_eq!(
        (&tags[0]["name"], &tags[1]["name"]),
        (&json!("A"), &json!("B"))
    );
    assert_eq!(keys(&tags[0]).len(), 21);
    assert_eq!(previous["authors"][0]["email"], "owner@example.com");
    assert_eq!(previous["authors"][0]["roles"][0]["name"], "Owner");
}

#[test]
fn deleted_record_is_sent_with_its_previous_values() {
    let mut event_site = EventSite::new();
    let post = event_site.add(
        "posts",
        json!({"title": "P", "status": "published", "lexical": document("Text."), "tags": ["A"]}),
    );
    let page = event_site.add("pages", json!({"title": "Q"}));
    event_site.take_events();
    event_site.delete("posts", &post);
    event_site.delete("pages", &page);

    let sent = event_site.take_events();
    assert_eq!(
        names(&sent),
        [
            "post.tag.detached",
            "post.unpublished",
            "post.deleted",
            "site.changed",
            "page.deleted"
        ]
    );
    let gone = event_named(&sent, "post.deleted");
    assert_eq!(gone.current(), &json!({}));
    let page = event_named(&sent, "page.deleted").previous();
    let mut of_page = keys(page);
    of_page.retain(|key| *key != "show_title_and_feature_image");
    let mut of_post = keys(gone.previous());
    of_post.retain(|key| !matches!(*key, "tags" | "reading_time"));
    assert_eq!(of_page, of_post);
    assert_eq!(
        of_post,
        [
            "authors",
            "canonical_url",
            "codeinjection_foot",
            "codeinjection_head",
            "comment_id",
            "created_at",
            "custom_excerpt",
            "custom_template",
            "feature_image",
            "featured",
            "html",
            "id",
            "published_at",
            "slug",
            "status",
            "title",
            "updated_at",
            "uuid",
            "visibility"
        ]
    );
    assert_eq!(gone.previous()["html"], "<p>Text.</p>");
    assert_eq!(gone.previous()["tags"][0]["name"], "A");
}

#[test]
fn deleting_a_tag_sends_no_event_for_its_posts() {
    let mut event_site = EventSite::new();
    let post = event_site.add(
        "posts",
        json!({"title": "P", "status": "published", "tags": ["A"]}),
    );
    event_site.take_events();
    event_site.delete("tags", &post["tags"][0]);

    let sent = event_site.take_events();
    assert_eq!(names(&sent), ["tag.deleted", "site.changed"]);
    assert_eq!(sent[0].current(), &json!({}));
    assert_eq!(keys(sent[0].previous()).len(), 20);
    assert_eq!(sent[0].previous().get("url"), None);
}

#[test]
fn unchanged_record_sends_no_event() {
    let mut event_site = EventSite::new();
    let post = event_site.add("posts", json!({"title": "P", "status": "published"}));
    let tag = event_site.add("tags", json!({"name": "A"}));
    let member = event_site.add("members", json!({"email": "a@example.com", "name": "A"}));
    event_site.take_events();
    event_site.edit("posts", &post, json!({"title": "P"}));
    event_site.edit("tags", &tag, json!({"name": "A"}));
    event_site.edit("members", &member, json!({"name": "A"}));

    assert_eq!(names(&event_site.take_events()), Vec::<&str>::new());
}

#[test]
fn member_events_include_newsletters_and_labels() {
    let mut event_site = EventSite::new();
    let member = event_site.add(
        "members",
        json!({"email": "a@example.com", "name": "A", "labels": ["x", "y"]}),
    );
    let sent = event_site.take_events();
    assert_eq!(names(&sent), ["member.added"]);
    assert_eq!(
        keys(sent[0].current()).len(),
        25,
        "{:?}",
        keys(sent[0].current())
    );

    event_site.edit(
        "members",
        &member,
        json!({"labels": ["x"], "newsletters": []}),
    );
    let sent = event_site.take_events();
    assert_eq!(names(&sent), ["member.edited"]);
    let previous = sent[0].previous();
    assert_eq!(keys(previous), ["labels", "newsletters"]);
    assert_eq!(previous["labels"].as_array().unwrap().len(), 2);

    event_site.edit(
        "members",
        &member,
        json!({"name": "B", "email": "b@example.com"}),
    );
    assert_eq!(
        keys(event_site.take_events()[0].previous()),
        ["email", "name", "updated_at"]
    );

    event_site.delete("members", &member);
    let sent = event_site.take_events();
    assert_eq!(names(&sent), ["member.deleted"]);
    let previous = sent[0].previous();
    assert_eq!(previous["email"], "b@example.com");
    assert_eq!(previous.get("newsletters"), None, "there are none");
    assert_eq!(keys(previous).len(), 18, "{:?}", keys(previous));
}

#[test]
fn deleting_a_label_sends_no_event_for_its_members() {
    let mut event_site = EventSite::new();
    let member = event_site.add(
        "members",
        json!({"email": "a@example.com", "labels": ["x"]}),
    );
    event_site.take_events();
    event_site.delete("labels", &member["labels"][0]);

    assert_eq!(names(&event_site.take_events()), ["site.changed"]);
}

#[test]
fn imported_members_send_no_event() {
    let mut event_site = EventSite::new();
    let list = b"email,labels\na@example.com,x\nb@example.com,y\n";
    let form = Form::default().file("membersfile", "m.csv", "text/csv", list);
    let upload = Request::new("POST", &format!("{ADMIN}/members/upload/")).form(form);
    event_site.site.done(&owner(), upload);

    assert_eq!(names(&event_site.take_events()), [""; 0]);
}
