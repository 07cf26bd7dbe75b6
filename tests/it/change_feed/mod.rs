//! Tests of the change feed: its entries, its retention, long polls, and mirrors.

mod events;
mod mirror;
mod reported_changes;
mod stored_changes;
mod waiting;

use galley::{
    domain::{
        post::{Body, Post, PostKind, Status},
        tag::Tag,
        user::User,
    },
    error::Result,
    id::Id,
    site::{Site, Transaction},
};
use galley_tests::TestSite;
use jiff::Timestamp;
use serde_json::Value;

/// A publication date long ago.
fn long_ago() -> Timestamp {
    "2025-01-01T10:00:00Z".parse().unwrap()
}

/// Returns a published post or page by Ada, with the tags of these slugs.
fn post(kind: PostKind, slug: &str, tags: &[&str]) -> Post {
    let id = Id::derive("post", slug);
    let uuid = Post::derived_uuid(kind, slug);
    Post {
        slug: slug.into(),
        title: slug.into(),
        status: Status::Published,
        published_at: Some(long_ago()),
        tags: tags.iter().map(|tag| Id::derive("tag", tag)).collect(),
        authors: vec![Id::derive("user", "ada")],
        ..Post::draft(id, uuid, kind, long_ago())
    }
}

fn body(text: &str) -> Body {
    Body::new(format!("<p>{text}</p>"), false, false)
}

fn tag(slug: &str) -> Tag {
    Tag::new(Id::derive("tag", slug), slug, slug, long_ago())
}

fn ada() -> User {
    User::new(Id::derive("user", "ada"), "ada", "Ada", long_ago())
}

/// Deletes the integration whose key these tests use.
fn take_key_away(app: &TestSite) {
    let snapshot = app.site().current();
    let integration = snapshot.catalog.integrations().next().unwrap();
    app.site()
        .write(|transaction| transaction.delete_integration(integration.id))
        .unwrap();
}

/// Starts a site without content files. Its only user, Ada, has no published posts.
fn served_site() -> TestSite {
    let app = TestSite::builder()
        .without_content()
        .url("https://harbour.example")
        .start();
    write(app.site(), |transaction| transaction.save(ada()));
    app
}

fn write(site: &Site, change: impl FnOnce(&mut Transaction) -> Result<()>) {
    site.write_once(change).unwrap();
}

fn save(site: &Site, post: Post) {
    write(site, |transaction| {
        transaction.save_post(post, body("text"))
    });
}

/// Returns the revision of the feed.
fn revision(app: &TestSite) -> u64 {
    app.site().current().catalog.changes.last()
}

/// Returns the changes since a revision, each as its kind of change, resource and slug.
fn changes_since(app: &TestSite, since: u64) -> Vec<String> {
    let response = app.json(&format!("changes/?since={since}"));
    assert_eq!(response["meta"]["reset"], false, "{response}");
    in_short(&response)
}

fn in_short(response: &Value) -> Vec<String> {
    let entries = response["changes"].as_array().unwrap();
    entries.iter().map(entry_in_short).collect()
}

fn entry_in_short(entry: &Value) -> String {
    let text = |name: &str| entry[name].as_str().unwrap_or("-");
    format!("{} {} {}", text("change"), text("resource"), text("slug"))
}
