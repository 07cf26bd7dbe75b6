//! Tests of the events of posts, pages, tags and members that are changed through the Admin API. Behaviour that the recordings
//! do not cover was observed in Ghost 6.65.

use galley_tests::{Request, multipart::Form, owner, request::ADMIN, test_site::keys};
use serde_json::json;

use super::audience::{Audience, Heard, document, names};

fn event_named<'h>(heard: &'h [Heard], event: &str) -> &'h Heard {
    heard.iter().find(|heard| heard.event == event).unwrap()
}

#[test]
fn events_are_ordered_tags_posts_site() {
    let mut audience = Audience::new();
    audience.add(
        "posts",
        json!({"title": "P", "status": "published", "tags": ["Apples", "Boats"]}),
    );

    assert_eq!(
        names(&audience.hears()),
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
    let mut audience = Audience::new();
    let post = audience.add("posts", json!({"title": "P", "lexical": document("One.")}));
    audience.hears();
    audience.edit("posts", &post, json!({"lexical": document("Two.")}));

    let heard = audience.hears();
    assert_eq!(names(&heard), ["post.edited"]);
    assert_eq!(heard[0].current()["html"], "<p>Two.</p>");
    assert_eq!(heard[0].current()["plaintext"], "Two.");
    assert_eq!(heard[0].current().get("lexical"), None);
    let previous = heard[0].previous();
    assert_eq!(keys(previous), ["html", "plaintext", "updated_at"]);
    assert_eq!(previous["html"], "<p>One.</p>");
    assert_eq!(previous["plaintext"], "One.");
    assert_eq!(previous["updated_at"], post["updated_at"]);
}

#[test]
fn new_record_has_no_previous_values_and_authors_without_roles() {
    let mut audience = Audience::new();
    let post = audience.add("posts", json!({"title": "P"}));
    let heard = audience.hears();
    assert_eq!(heard[0].previous(), &json!({}));
    assert_eq!(heard[0].current()["authors"][0].get("roles"), None);

    audience.edit("posts", &post, json!({"title": "Q"}));
    let heard = audience.hears();
    assert_eq!(
        heard[0].current()["authors"][0]["roles"][0]["name"],
        "Owner"
    );
}

#[test]
fn previous_values_include_the_update_date_if_the_record_changed() {
    let mut audience = Audience::new();
    let tag = audience.add("tags", json!({"name": "Apples"}));
    let post = audience.add("posts", json!({"title": "P"}));
    audience.hears();

    audience.edit("tags", &tag, json!({"description": "Fruit"}));
    assert_eq!(
        audience.hears()[0].previous(),
        &json!({"description": null, "updated_at": tag["updated_at"]})
    );
    let post = audience.edit("posts", &post, json!({"tags": [{"name": "Apples"}]}));
    let heard = audience.hears();
    assert_eq!(names(&heard), ["post.tag.attached", "post.edited"]);
    assert_eq!(heard[1].previous(), &json!({"tags": []}));
    audience.edit("posts", &post, json!({"og_title": "For others"}));
    assert_eq!(audience.hears()[0].previous(), &json!({"og_title": null}));
}

#[test]
fn changed_relations_are_sent_with_their_complete_previous_lists() {
    let mut audience = Audience::new();
    audience.site.add_user("Author");
    let post = audience.add("posts", json!({"title": "P", "tags": ["A", "B"]}));
    audience.hears();

    let authors = json!([{"email": "author@example.com"}]);
    let change = json!({"tags": ["B", "C"], "authors": authors, "visibility": "paid"});
    audience.edit("posts", &post, change);

    let heard = audience.hears();
    assert_eq!(
        names(&heard),
        [
            "tag.added",
            "post.tag.attached",
            "post.tag.detached",
            "post.edited"
        ]
    );
    let previous = event_named(&heard, "post.edited").previous();
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
    let mut audience = Audience::new();
    let post = audience.add(
        "posts",
        json!({"title": "P", "status": "published", "lexical": document("Text."), "tags": ["A"]}),
    );
    let page = audience.add("pages", json!({"title": "Q"}));
    audience.hears();
    audience.delete("posts", &post);
    audience.delete("pages", &page);

    let heard = audience.hears();
    assert_eq!(
        names(&heard),
        [
            "post.tag.detached",
            "post.unpublished",
            "post.deleted",
            "site.changed",
            "page.deleted"
        ]
    );
    let gone = event_named(&heard, "post.deleted");
    assert_eq!(gone.current(), &json!({}));
    let page = event_named(&heard, "page.deleted").previous();
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
    let mut audience = Audience::new();
    let post = audience.add(
        "posts",
        json!({"title": "P", "status": "published", "tags": ["A"]}),
    );
    audience.hears();
    audience.delete("tags", &post["tags"][0]);

    let heard = audience.hears();
    assert_eq!(names(&heard), ["tag.deleted", "site.changed"]);
    assert_eq!(heard[0].current(), &json!({}));
    assert_eq!(keys(heard[0].previous()).len(), 20);
    assert_eq!(heard[0].previous().get("url"), None);
}

#[test]
fn unchanged_record_sends_no_event() {
    let mut audience = Audience::new();
    let post = audience.add("posts", json!({"title": "P", "status": "published"}));
    let tag = audience.add("tags", json!({"name": "A"}));
    let member = audience.add("members", json!({"email": "a@example.com", "name": "A"}));
    audience.hears();
    audience.edit("posts", &post, json!({"title": "P"}));
    audience.edit("tags", &tag, json!({"name": "A"}));
    audience.edit("members", &member, json!({"name": "A"}));

    assert_eq!(names(&audience.hears()), Vec::<&str>::new());
}

#[test]
fn member_events_include_newsletters_and_labels() {
    let mut audience = Audience::new();
    let member = audience.add(
        "members",
        json!({"email": "a@example.com", "name": "A", "labels": ["x", "y"]}),
    );
    let heard = audience.hears();
    assert_eq!(names(&heard), ["member.added"]);
    assert_eq!(
        keys(heard[0].current()).len(),
        25,
        "{:?}",
        keys(heard[0].current())
    );

    audience.edit(
        "members",
        &member,
        json!({"labels": ["x"], "newsletters": []}),
    );
    let heard = audience.hears();
    assert_eq!(names(&heard), ["member.edited"]);
    let previous = heard[0].previous();
    assert_eq!(keys(previous), ["labels", "newsletters"]);
    assert_eq!(previous["labels"].as_array().unwrap().len(), 2);

    audience.edit(
        "members",
        &member,
        json!({"name": "B", "email": "b@example.com"}),
    );
    assert_eq!(
        keys(audience.hears()[0].previous()),
        ["email", "name", "updated_at"]
    );

    audience.delete("members", &member);
    let heard = audience.hears();
    assert_eq!(names(&heard), ["member.deleted"]);
    let previous = heard[0].previous();
    assert_eq!(previous["email"], "b@example.com");
    assert_eq!(previous.get("newsletters"), None, "there are none");
    assert_eq!(keys(previous).len(), 18, "{:?}", keys(previous));
}

#[test]
fn deleting_a_label_sends_no_event_for_its_members() {
    let mut audience = Audience::new();
    let member = audience.add(
        "members",
        json!({"email": "a@example.com", "labels": ["x"]}),
    );
    audience.hears();
    audience.delete("labels", &member["labels"][0]);

    assert_eq!(names(&audience.hears()), ["site.changed"]);
}

#[test]
fn imported_members_send_no_event() {
    let mut audience = Audience::new();
    let list = b"email,labels\na@example.com,x\nb@example.com,y\n";
    let form = Form::default().file("membersfile", "m.csv", "text/csv", list);
    let upload = Request::new("POST", &format!("{ADMIN}/members/upload/")).form(form);
    audience.site.done(&owner(), upload);

    assert_eq!(names(&audience.hears()), [""; 0]);
}
