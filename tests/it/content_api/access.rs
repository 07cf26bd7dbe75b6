//! Tests that gated posts show only their public part.

use galley_tests::{TestSite, test_site::filtered};
use serde_json::{Value, json};

use super::fixture;

fn post(app: &TestSite, slug: &str) -> Value {
    app.json(&format!("posts/slug/{slug}/?formats=html,plaintext"))["posts"][0].clone()
}

fn texts(post: &Value) -> [&Value; 3] {
    ["html", "plaintext", "excerpt"].map(|name| &post[name])
}

#[test]
fn gated_post_without_a_paywall_shows_no_body() {
    let app = fixture::site();
    for (slug, visibility) in [("tide-tables", "members"), ("log-book", "tiers")] {
        let post = post(&app, slug);
        assert_eq!(texts(&post), [&json!(""); 3], "{slug}");
        assert_eq!(post["access"], false, "{slug}");
        assert_eq!(post["comments"], false, "{slug}");
        assert_eq!(post["visibility"], visibility);
    }
    assert_eq!(post(&app, "tide-tables")["custom_excerpt"], "About tides");
}

#[test]
fn gated_post_shows_its_body_before_the_paywall() {
    let app = fixture::site();
    let chest = post(&app, "sea-chest");
    assert_eq!(chest["html"], "<p>The lid.</p>\n");
    assert_eq!(chest["plaintext"], chest["excerpt"]);
    assert_eq!(chest["plaintext"].as_str().unwrap().trim(), "The lid.");
    assert_eq!(
        (&chest["access"], &chest["comments"]),
        (&json!(false), &json!(false))
    );
}

#[test]
fn paywall_at_the_start_shows_nothing() {
    let app = fixture::site();
    for text in texts(&post(&app, "first-mark")) {
        assert_eq!(text.as_str().unwrap().trim(), "");
    }
}

#[test]
fn custom_excerpt_is_preserved_with_a_paywall() {
    let app = TestSite::builder()
        .file(
            "posts/a.md",
            "---\ntitle: A\ndate: 2025-01-01\nvisibility: paid\ncustom_excerpt: In short\n---\nOpen.\n\n<!--members-only-->\n\nHIDDEN\n",
        )
        .start();
    assert_eq!(post(&app, "a")["excerpt"], "In short");
    assert_eq!(post(&app, "a")["html"], "<p>Open.</p>\n");
}

#[test]
fn public_post_keeps_its_paywall_marker() {
    let app = TestSite::builder()
        .file(
            "posts/a.md",
            "---\ntitle: A\ndate: 2025-01-01\n---\nOne.\n\n<!--members-only-->\n\nTwo.\n",
        )
        .start();
    let post = post(&app, "a");
    assert_eq!(
        post["html"],
        "<p>One.</p>\n<!--members-only-->\n<p>Two.</p>\n"
    );
    assert_eq!(post["access"], true);
}

#[test]
fn members_only_cards_are_removed_from_public_posts() {
    let app = fixture::site();
    let knots = post(&app, "knots");
    assert_eq!(knots["html"], "<p>For all.</p><p>For visitors.</p>\n");
    assert_eq!(knots["access"], true);
    for text in texts(&knots) {
        assert!(!text.as_str().unwrap().contains("HIDDEN"));
    }
}

#[test]
fn post_without_visibility_gets_the_default() {
    let app = TestSite::builder()
        .file("site.toml", "default_content_visibility = 'members'\n")
        .file(
            "posts/a.md",
            "---\ntitle: A\ndate: 2025-01-01\n---\nHIDDEN\n",
        )
        .file(
            "posts/b.md",
            "---\ntitle: B\ndate: 2025-01-02\nvisibility: public\n---\nOpen.\n",
        )
        .start();
    assert_eq!(app.values("posts/", "visibility"), ["public", "members"]);
    assert_eq!(post(&app, "a")["html"], "");
}

#[test]
fn post_for_default_tiers_is_gated_before_any_are_set() {
    let app = TestSite::builder()
        .file("site.toml", "default_content_visibility = 'tiers'\n")
        .file(
            "posts/a.md",
            "---\ntitle: A\ndate: 2025-01-01\n---\nHIDDEN\n",
        )
        .start();
    assert_eq!(app.values("posts/", "visibility"), ["tiers"]);
    assert_eq!(post(&app, "a")["html"], "");
}

#[test]
fn disabling_memberships_does_not_open_gated_posts() {
    let app = fixture::builder()
        .file("site.toml", "members_signup_access = 'none'\n")
        .start();
    assert_eq!(app.json("settings/")["settings"]["members_enabled"], false);
    assert_eq!(post(&app, "tide-tables")["html"], "");
}

#[test]
fn gated_posts_are_listed_counted_and_filtered_like_others() {
    let app = fixture::site();
    assert_eq!(app.slugs("posts/"), fixture::POSTS);
    assert_eq!(
        app.slugs(&filtered("posts", "visibility:-public")),
        ["log-book", "sea-chest", "tide-tables", "first-mark"]
    );
    assert_eq!(
        app.slugs(&filtered("posts", "visibility:paid+tag:letters")),
        ["sea-chest"]
    );
}

#[test]
fn no_response_contains_hidden_text() {
    let app = fixture::site();
    let resources = ["posts", "pages", "authors", "tags", "tiers", "newsletters"];
    let queries = [
        "",
        "?formats=html,plaintext,lexical,mobiledoc",
        "?include=tags,authors,tiers,count.posts,benefits,email,roles,newsletter",
        "?fields=html,plaintext,excerpt,lexical,email,password,status&formats=plaintext",
        "?filter=status:draft",
        "?filter=status:%5Bdraft,scheduled%5D,featured:true",
        "?visibility=all&status=all&member=1&uuid=1",
    ];
    let mut responses = Vec::new();
    for resource in resources {
        responses.extend(queries.map(|query| format!("{resource}/{query}")));
    }
    for slug in fixture::POSTS {
        responses.extend(queries.map(|query| format!("posts/slug/{slug}/{query}")));
    }
    responses.extend(["posts", "tags", "authors"].map(|index| format!("search-index/{index}/")));
    responses.push("settings/".to_owned());
    for request in responses {
        let response = app.content(&request);
        let text = response.text().to_uppercase();
        assert!(!text.contains("HIDDEN"), "{request}: {text}");
    }
}

#[test]
fn drafts_and_scheduled_posts_are_not_served() {
    let app = fixture::site();
    for slug in ["unfinished", "tomorrow"] {
        assert_eq!(
            app.content(&format!("posts/slug/{slug}/")).status,
            404,
            "{slug}"
        );
    }
    for filter in [
        "slug:unfinished",
        "slug:[unfinished,tomorrow]",
        "author:dora",
        "tag:someday",
        "primary_tag:someday",
        "published_at:>'2500-01-01'",
        "title:~'HIDDEN'",
    ] {
        assert_eq!(app.slugs(&filtered("posts", filter)), [""; 0], "{filter}");
    }
    for filter in [
        "status:draft",
        "status:-published",
        "status:[draft,scheduled]",
    ] {
        assert_eq!(
            app.slugs(&filtered("posts", filter)),
            fixture::POSTS,
            "{filter}"
        );
    }
}
