//! Tests that tags are browsed, added, edited and deleted.

use std::collections::BTreeSet;

use galley_tests::{TestSite, http_client::HttpResponse, wait_until};
use serde_json::{Value, json};

use super::{first, slugs};
use crate::content_api::fixture;

fn edit(app: &TestSite, id: &str, change: Value) -> HttpResponse {
    app.ask(
        "PUT",
        &format!("tags/{id}/"),
        Some(&json!({"tags": [change]})),
    )
}

fn id(app: &TestSite, slug: &str) -> String {
    let response = app.read(&format!("tags/slug/{slug}/"));
    first(&response, "tags")["id"].as_str().unwrap().to_owned()
}

#[test]
fn all_tags_are_listed_used_or_not() {
    let app = fixture::site();
    let mut known = slugs(&app, "tags/");
    known.sort_unstable();
    assert_eq!(
        known,
        [
            "hash-note",
            "letters",
            "paged",
            "someday",
            "travel",
            "unused"
        ]
    );
}

#[test]
fn post_counts_include_all_statuses_and_pages() {
    let app = fixture::site();
    let listed = app.read("tags/?include=count.posts&order=count.posts+desc,slug+asc");
    let counts: Vec<(String, u64)> = listed["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| {
            (
                tag["slug"].as_str().unwrap().to_owned(),
                tag["count"]["posts"].as_u64().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("letters", 3),
        ("travel", 3),
        ("someday", 2),
        ("hash-note", 1),
        ("paged", 1),
        ("unused", 0),
    ];
    assert_eq!(
        counts,
        expected.map(|(slug, count)| (slug.to_owned(), count))
    );
}

#[test]
fn tag_of_a_content_file_is_read_only() {
    let app = fixture::site();
    let tag = id(&app, "letters");
    for response in [
        edit(&app, &tag, json!({"name": "Other"})),
        app.ask("DELETE", &format!("tags/{tag}/"), None),
    ] {
        assert_eq!(response.status, 422, "{}", response.text());
        assert!(
            response.text().contains("tags/letters.toml"),
            "{}",
            response.text()
        );
    }
    let response = app.read("tags/slug/letters/");
    assert_eq!(first(&response, "tags")["name"], json!("Letters"));
    // The same values change nothing.
    let same = edit(&app, &tag, json!({"name": "Letters"}));
    assert_eq!(
        (same.status, same.header("x-cache-invalidate")),
        (200, None)
    );
}

#[test]
fn tag_named_by_content_files_cannot_be_deleted() {
    let app = fixture::site();
    let someday = id(&app, "someday");
    let response = app.ask("DELETE", &format!("tags/{someday}/"), None);
    assert_eq!(response.status, 422, "{}", response.text());
    assert!(response.text().contains("posts/"), "{}", response.text());
    assert!(slugs(&app, "posts/?filter=tag:someday").contains(&"unfinished".to_owned()));
}

#[test]
fn described_tag_is_preserved_without_posts() {
    let post =
        "---\ntitle: A\ndate: 2025-01-01\ntags: [Described, Dropped]\nauthors: [ada]\n---\nOne.\n";
    let app = TestSite::builder().file("posts/a.md", post).start();
    let described = id(&app, "described");
    assert_eq!(
        edit(&app, &described, json!({"description": "By hand"})).status,
        200
    );
    app.write_file(
        "posts/a.md",
        post.replace("[Described, Dropped]", "[Other]"),
    );
    wait_until("the implied tag is removed", || {
        app.ask("GET", "tags/slug/dropped/", None).status == 404
    });
    let response = app.read("tags/slug/described/?include=count.posts");
    let tag = first(&response, "tags");
    assert_eq!(
        (&tag["description"], &tag["count"]["posts"]),
        (&json!("By hand"), &json!(0))
    );
}

#[test]
fn deleted_tag_is_removed_from_posts_without_reordering() {
    let app = TestSite::builder().start();
    let tag = app.add("tags", json!({"name": "Short-lived"}));
    let deleted = app.ask(
        "DELETE",
        &format!("tags/{}/", tag["id"].as_str().unwrap()),
        None,
    );
    assert_eq!(
        (deleted.status, deleted.header("x-cache-invalidate")),
        (204, Some("/*"))
    );
    assert_eq!(slugs(&app, "tags/"), [""; 0]);
    // The slug is free again.
    assert_eq!(
        app.add("tags", json!({"name": "Short-lived"}))["slug"],
        json!("short-lived")
    );
}

#[test]
fn names_are_stored_verbatim_and_slugs_derived() {
    let app = TestSite::builder().start();
    for (name, slug) in [
        ("<b>Bold</b> & \"quoted\"", "b-bold-b-quoted"),
        ("東京", "dong-jing"),
        ("!!!", "tag"),
        ("new", "new-tag"),
        ("#", "hash-"),
        ("#In house", "hash-in-house"),
        ("  spaced  ", "spaced"),
    ] {
        let tag = app.add("tags", json!({"name": name}));
        assert_eq!(
            (&tag["name"], &tag["slug"]),
            (&json!(name), &json!(slug)),
            "{name}"
        );
    }
}

#[test]
fn invalid_input_names_the_field_and_changes_nothing() {
    let app = TestSite::builder().start();
    let tag = app.add("tags", json!({"name": "A", "description": "As it was"}));
    let id = tag["id"].as_str().unwrap();
    for (change, property) in [
        (json!({"description": "New", "name": ""}), "name"),
        (json!({"description": "New", "name": "   "}), "name"),
        (json!({"description": "New", "name": ",a"}), "name"),
        (json!({"description": "New", "name": null}), "name"),
        (json!({"description": "New", "name": 5}), "name"),
        (
            json!({"description": "New", "slug": "s".repeat(192)}),
            "slug",
        ),
        (json!({"description": "d".repeat(501)}), "description"),
        (
            json!({"description": "New", "meta_title": ["x"]}),
            "meta_title",
        ),
        (
            json!({"description": "New", "visibility": null}),
            "visibility",
        ),
        (
            json!({"description": "New", "og_image": "two words"}),
            "og_image",
        ),
        (
            json!({"description": "New", "codeinjection_head": "x".repeat(65_536)}),
            "codeinjection_head",
        ),
    ] {
        let response = edit(&app, id, change.clone());
        assert_eq!(response.status, 422, "{change}: {}", response.text());
        assert_eq!(
            response.json()["errors"][0]["property"],
            json!(property),
            "{change}"
        );
    }
    let after = app.read(&format!("tags/{id}/"));
    assert_eq!(first(&after, "tags")["description"], json!("As it was"));
}

#[test]
fn empty_string_and_null_clear_a_text() {
    let app = TestSite::builder().start();
    let tag = app.add("tags", json!({"name": "A", "description": "d", "og_image": "/content/images/o.png", "accent_color": "red"}),
    );
    let id = tag["id"].as_str().unwrap();
    let response = edit(&app, id, json!({"description": "", "og_image": null}));
    assert_eq!(response.header("x-cache-invalidate"), Some("/*"));
    let tag = first(&response.json(), "tags").clone();
    assert_eq!(
        (&tag["description"], &tag["og_image"], &tag["accent_color"]),
        (&Value::Null, &Value::Null, &json!("red"))
    );
}

#[test]
fn urls_of_the_site_are_relocatable() {
    let app = TestSite::builder()
        .file("site.toml", "url = 'https://old.example'\n")
        .start();
    let tag = app.add(
        "tags",
        json!({"name": "A", "feature_image": "https://old.example/content/images/a.png",
        "codeinjection_head": "<a href=\"https://old.example/b/\">b</a>"}),
    );
    let id = tag["id"].as_str().unwrap();
    app.write_file("site.toml", "url = 'https://new.example'\n");
    wait_until("the site has moved", || {
        let response = app.read(&format!("tags/{id}/"));
        first(&response, "tags")["feature_image"] == "https://new.example/content/images/a.png"
    });
    let response = app.read(&format!("tags/{id}/"));
    assert_eq!(
        first(&response, "tags")["codeinjection_head"],
        json!("<a href=\"https://new.example/b/\">b</a>")
    );
}

#[test]
fn concurrent_tags_of_one_name_get_distinct_slugs() {
    const WRITERS: usize = 12;
    let app = TestSite::builder().start();
    let made: Vec<Value> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| scope.spawn(|| app.add("tags", json!({"name": "Same"}))))
            .collect();
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect()
    });
    let of = |field: &str| -> BTreeSet<String> {
        made.iter()
            .map(|tag| tag[field].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!((of("id").len(), of("slug").len()), (WRITERS, WRITERS));
    assert_eq!(
        app.read("tags/")["meta"]["pagination"]["total"],
        json!(WRITERS)
    );
}
