//! Tests that a change of content files shows in all resources from the next response on.

use galley_tests::{TestSite, wait_until};
use serde_json::json;

const PUBLISHED: &str = "---\ntitle: A\ndate: 2025-01-01\ntags: [t]\nauthors: [ada]\n---\nOne.\n";

#[test]
fn edit_is_visible_with_a_new_etag() {
    let app = TestSite::builder().file("posts/a.md", PUBLISHED).start();
    let before = app.content("posts/");
    let tag = before.header("etag").unwrap().to_owned();
    app.write_file("posts/a.md", PUBLISHED.replace("One.", "Two."));
    wait_until("the edit is visible", || {
        app.json("posts/")["posts"][0]["html"] == "<p>Two.</p>\n"
    });
    let after = app.content_with("posts/", &format!("if-none-match: {tag}\r\n"));
    assert_eq!(after.status, 200);
    assert_ne!(after.header("etag"), Some(tag.as_str()));
}

#[test]
fn tag_and_author_disappear_with_their_last_post() {
    let app = TestSite::builder().file("posts/a.md", PUBLISHED).start();
    assert_eq!(
        (app.slugs("tags/"), app.slugs("authors/")),
        (vec!["t".to_owned()], vec!["ada".to_owned()])
    );
    app.write_file(
        "posts/a.md",
        PUBLISHED.replace("title: A", "title: A\ndraft: true"),
    );
    wait_until("the post is a draft", || app.slugs("posts/").is_empty());
    assert_eq!(app.json("tags/")["tags"], json!([]));
    assert_eq!(app.json("authors/")["authors"], json!([]));
    assert_eq!(app.content("tags/slug/t/").status, 404);
}

#[test]
fn deleting_a_file_removes_its_post() {
    let app = TestSite::builder().file("posts/a.md", PUBLISHED).start();
    assert_eq!(app.content("posts/slug/a/").status, 200);
    app.delete_file("posts/a.md");
    wait_until("the post is deleted", || {
        app.content("posts/slug/a/").status == 404
    });
    assert_eq!(app.slugs("posts/"), [""; 0]);
}

#[test]
fn new_site_url_is_used_in_all_responses() {
    let app = TestSite::builder()
        .file("site.toml", "url = 'https://old.example'\n")
        .file("posts/a.md", PUBLISHED)
        .start();
    assert_eq!(app.values("posts/", "url"), ["https://old.example/a/"]);
    app.write_file("site.toml", "url = 'https://new.example/blog'\n");
    wait_until("the site URL changes", || {
        app.values("posts/", "url") == ["https://new.example/blog/a/"]
    });
    assert_eq!(
        app.json("settings/")["settings"]["url"],
        "https://new.example/blog/"
    );
}
