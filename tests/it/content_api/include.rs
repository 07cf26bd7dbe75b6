//! Tests of relations and counts that `include` adds.

use galley_tests::TestSite;
use serde_json::{Value, json};

use super::fixture;

const RELATIONS: [&str; 5] = ["authors", "primary_author", "tags", "primary_tag", "tiers"];

fn night_ferry(app: &TestSite, query: &str) -> Value {
    app.json(&format!("posts/slug/night-ferry/?{query}"))["posts"][0].clone()
}

fn relations(post: &Value) -> Vec<&'static str> {
    RELATIONS
        .into_iter()
        .filter(|name| post.get(name).is_some())
        .collect()
}

fn slugs(records: &Value) -> Vec<&str> {
    records
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["slug"].as_str().unwrap())
        .collect()
}

#[test]
fn relations_are_included_only_on_request() {
    let app = fixture::site();
    for (query, expected) in [
        ("", &[][..]),
        ("include=authors", &["authors", "primary_author"]),
        ("include=tags", &["tags", "primary_tag"]),
        (
            "include=tags,authors",
            &["authors", "primary_author", "tags", "primary_tag"],
        ),
        (
            "include=Tags,%20AUTHORS",
            &["authors", "primary_author", "tags", "primary_tag"],
        ),
        (
            "include[]=tags&include[]=authors",
            &["authors", "primary_author", "tags", "primary_tag"],
        ),
        (
            "include=tags&include=authors",
            &["authors", "primary_author", "tags", "primary_tag"],
        ),
        ("include=tiers", &["tiers"]),
        ("include=nosuch,email,roles,count.posts", &[]),
    ] {
        assert_eq!(relations(&night_ferry(&app, query)), expected, "{query}");
        let page = &app.json(&format!("pages/slug/about/?{query}"))["pages"][0];
        assert_eq!(relations(page), expected, "pages {query}");
    }
}

#[test]
fn included_tags_and_authors_keep_their_order_and_fields() {
    let app = fixture::site();
    let post = night_ferry(&app, "include=tags,authors");
    assert_eq!(slugs(&post["tags"]), ["letters", "travel"]);
    assert_eq!(slugs(&post["authors"]), ["ada", "ben"]);
    assert_eq!(post["tags"][0], app.json("tags/slug/letters/")["tags"][0]);
    assert_eq!(
        post["authors"][1],
        app.json("authors/slug/ben/")["authors"][0]
    );
    assert_eq!(post["primary_tag"], post["tags"][0]);
    assert_eq!(post["primary_author"], post["authors"][0]);
}

#[test]
fn primary_tag_is_null_without_a_public_first_tag() {
    let app = fixture::site();
    let internal_first = &app.json("posts/slug/lighthouse/?include=tags")["posts"][0];
    assert_eq!(slugs(&internal_first["tags"]), ["hash-note", "letters"]);
    assert_eq!(internal_first["primary_tag"], Value::Null);
    let untagged = &app.json("posts/slug/new-year/?include=tags")["posts"][0];
    assert_eq!(
        (&untagged["tags"], &untagged["primary_tag"]),
        (&json!([]), &Value::Null)
    );
}

#[test]
fn tiers_of_a_post_are_those_with_access() {
    let app = fixture::site();
    for (slug, expected) in [
        ("knots", &["crew", "free", "gold", "old"][..]),
        ("tide-tables", &["crew", "free", "gold", "old"]),
        ("sea-chest", &["crew", "gold", "old"]),
        ("log-book", &["gold"]),
    ] {
        let post = &app.json(&format!("posts/slug/{slug}/?include=tiers"))["posts"][0];
        let mut tiers = slugs(&post["tiers"]);
        tiers.sort_unstable();
        assert_eq!(tiers, expected, "{slug}");
    }
    let log_book = &app.json("posts/slug/log-book/?include=tiers")["posts"][0];
    let gold = &log_book["tiers"][0];
    assert_eq!(gold["monthly_price"], 700);
    assert_eq!(gold["created_at"], "2023-12-31T23:00:00.000Z");
    assert_eq!(
        (&gold["monthly_price_id"], &gold["yearly_price_id"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn fields_keep_included_lists_and_restrict_the_rest() {
    let app = fixture::site();
    let post = night_ferry(&app, "include=tags,authors&fields=title");
    let keys: Vec<&str> = post
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(keys, ["title", "slug", "authors", "tags"]);
    assert!(post["tags"][0].get("url").is_none() && post["tags"][0].get("name").is_some());
    let post = night_ferry(&app, "include=tags,authors&fields=url,primary_tag");
    assert!(post.get("primary_tag").is_some() && post.get("primary_author").is_none());
    assert_eq!(
        post["tags"][0]["url"],
        "https://harbour.example/tag/letters/"
    );
}

#[test]
fn post_counts_include_published_posts_only() {
    let app = fixture::site();
    for (resource, slug, posts) in [
        ("tags", "letters", 3),
        ("tags", "travel", 3),
        ("authors", "ada", 5),
        ("authors", "ben", 4),
    ] {
        let read = &app.json(&format!("{resource}/slug/{slug}/?include=count.posts"))[resource][0];
        assert_eq!(read["count"], json!({"posts": posts}), "{slug}");
        let list = app.json(&format!(
            "{resource}/?include=count.posts&filter=slug:{slug}"
        ));
        assert_eq!(
            list[resource][0]["count"],
            json!({"posts": posts}),
            "{slug}"
        );
        assert!(
            app.json(&format!("{resource}/slug/{slug}/"))[resource][0]
                .get("count")
                .is_none()
        );
    }
}
