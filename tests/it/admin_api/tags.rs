//! Tags: read, made, changed and deleted.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{ask, first, read, slugs};
use crate::{
    app::TestApp,
    content_api::fixture,
    http_client::{Answer, wait_until},
};

fn add(app: &TestApp, tag: Value) -> Value {
    let answer = ask(app, "POST", "tags/", Some(&json!({"tags": [tag]})));
    assert_eq!(answer.status, 201, "{}", answer.text());
    first(&answer.json(), "tags").clone()
}

fn edit(app: &TestApp, id: &str, change: Value) -> Answer {
    ask(
        app,
        "PUT",
        &format!("tags/{id}/"),
        Some(&json!({"tags": [change]})),
    )
}

fn id(app: &TestApp, slug: &str) -> String {
    let answer = read(app, &format!("tags/slug/{slug}/"));
    first(&answer, "tags")["id"].as_str().unwrap().to_owned()
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
fn posts_are_counted_whatever_their_state_and_pages_with_them() {
    let app = fixture::site();
    let listed = read(
        &app,
        "tags/?include=count.posts&order=count.posts+desc,slug+asc",
    );
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
fn what_comes_from_a_content_file_is_changed_there_only() {
    let app = fixture::site();
    let letters = id(&app, "letters");
    for answer in [
        edit(&app, &letters, json!({"name": "Other"})),
        ask(&app, "DELETE", &format!("tags/{letters}/"), None),
    ] {
        assert_eq!(answer.status, 422, "{}", answer.text());
        assert!(
            answer.text().contains("tags/letters.toml"),
            "{}",
            answer.text()
        );
    }
    let answer = read(&app, "tags/slug/letters/");
    assert_eq!(first(&answer, "tags")["name"], json!("Letters"));
    // To say what is so already changes nothing.
    let same = edit(&app, &letters, json!({"name": "Letters"}));
    assert_eq!(
        (same.status, same.header("x-cache-invalidate")),
        (200, None)
    );
}

#[test]
fn a_tag_that_content_files_name_is_not_deleted_from_under_them() {
    let app = fixture::site();
    let someday = id(&app, "someday");
    let answer = ask(&app, "DELETE", &format!("tags/{someday}/"), None);
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert!(answer.text().contains("posts/"), "{}", answer.text());
    assert!(slugs(&app, "posts/?filter=tag:someday").contains(&"unfinished".to_owned()));
}

#[test]
fn a_tag_that_somebody_described_stays_when_no_post_names_it_any_more() {
    let post =
        "---\ntitle: A\ndate: 2025-01-01\ntags: [Kept, Dropped]\nauthors: [ada]\n---\nOne.\n";
    let app = TestApp::builder().file("posts/a.md", post).start();
    let kept = id(&app, "kept");
    assert_eq!(
        edit(&app, &kept, json!({"description": "By hand"})).status,
        200
    );
    app.write_file("posts/a.md", post.replace("[Kept, Dropped]", "[Other]"));
    wait_until("the tag that nobody described is gone", || {
        ask(&app, "GET", "tags/slug/dropped/", None).status == 404
    });
    let answer = read(&app, "tags/slug/kept/?include=count.posts");
    let tag = first(&answer, "tags");
    assert_eq!(
        (&tag["description"], &tag["count"]["posts"]),
        (&json!("By hand"), &json!(0))
    );
}

#[test]
fn a_deleted_tag_leaves_posts_and_pages_with_their_others_in_order() {
    let app = TestApp::builder().start();
    let tag = add(&app, json!({"name": "Short-lived"}));
    let deleted = ask(
        &app,
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
        add(&app, json!({"name": "Short-lived"}))["slug"],
        json!("short-lived")
    );
}

#[test]
fn names_are_kept_as_they_are_and_slugs_made_of_them() {
    let app = TestApp::builder().start();
    for (name, slug) in [
        ("<b>Bold</b> & \"quoted\"", "b-bold-b-quoted"),
        ("東京", "dong-jing"),
        ("!!!", "tag"),
        ("new", "new-tag"),
        ("#", "hash-"),
        ("#In house", "hash-in-house"),
        ("  spaced  ", "spaced"),
    ] {
        let tag = add(&app, json!({"name": name}));
        assert_eq!(
            (&tag["name"], &tag["slug"]),
            (&json!(name.trim()), &json!(slug)),
            "{name}"
        );
    }
}

#[test]
fn bad_input_names_the_field_and_changes_nothing() {
    let app = TestApp::builder().start();
    let tag = add(&app, json!({"name": "A", "description": "As it was"}));
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
        let answer = edit(&app, id, change.clone());
        assert_eq!(answer.status, 422, "{change}: {}", answer.text());
        assert_eq!(
            answer.json()["errors"][0]["property"],
            json!(property),
            "{change}"
        );
    }
    let after = read(&app, &format!("tags/{id}/"));
    assert_eq!(first(&after, "tags")["description"], json!("As it was"));
}

#[test]
fn empty_text_and_null_take_a_text_away() {
    let app = TestApp::builder().start();
    let tag = add(
        &app,
        json!({"name": "A", "description": "d", "og_image": "/content/images/o.png", "accent_color": "red"}),
    );
    let id = tag["id"].as_str().unwrap();
    let answer = edit(&app, id, json!({"description": "", "og_image": null}));
    assert_eq!(answer.header("x-cache-invalidate"), Some("/*"));
    let tag = first(&answer.json(), "tags").clone();
    assert_eq!(
        (&tag["description"], &tag["og_image"], &tag["accent_color"]),
        (&Value::Null, &Value::Null, &json!("red"))
    );
}

#[test]
fn addresses_of_the_site_move_with_it() {
    let app = TestApp::builder()
        .file("site.toml", "url = 'https://old.example'\n")
        .start();
    let tag = add(
        &app,
        json!({"name": "A", "feature_image": "https://old.example/content/images/a.png",
        "codeinjection_head": "<a href=\"https://old.example/b/\">b</a>"}),
    );
    let id = tag["id"].as_str().unwrap();
    app.write_file("site.toml", "url = 'https://new.example'\n");
    wait_until("the site has moved", || {
        let answer = read(&app, &format!("tags/{id}/"));
        first(&answer, "tags")["feature_image"] == "https://new.example/content/images/a.png"
    });
    let answer = read(&app, &format!("tags/{id}/"));
    assert_eq!(
        first(&answer, "tags")["codeinjection_head"],
        json!("<a href=\"https://new.example/b/\">b</a>")
    );
}

#[test]
fn many_who_add_a_tag_of_one_name_at_once_get_one_each() {
    const WRITERS: usize = 12;
    let app = TestApp::builder().start();
    let made: Vec<Value> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| scope.spawn(|| add(&app, json!({"name": "Same"}))))
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
        read(&app, "tags/")["meta"]["pagination"]["total"],
        json!(WRITERS)
    );
}
