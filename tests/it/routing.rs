//! Tests of the URLs that a routes file assigns to the records of a site.

use galley_tests::{
    Request, TestSite, http_client::HttpResponse, multipart::Form, owner, request::ADMIN,
};
use serde_json::{Value, json};

const ROUTES: &str = "
collections:
  /journal/:
    permalink: /journal/{year}/{slug}/
    filter: primary_tag:letters
  /:
    permalink: /{primary_tag}/{slug}/
    filter: featured:false
taxonomies:
  tag: /topic/{slug}/
";

fn send(site: &TestSite, routes: &str) -> HttpResponse {
    let form = Form::default().file(
        "routes",
        "routes.yaml",
        "application/yaml",
        routes.as_bytes(),
    );
    let request = Request::new("POST", &format!("{ADMIN}/settings/routes/yaml/")).form(form);
    site.ask_as(&owner(), &request)
}

/// Returns a site with a tagged post, a post without tags, and a featured post.
fn site() -> TestSite {
    let site = TestSite::staffed();
    for post in [
        json!({"title": "Harbour", "tags": [{"name": "Letters"}], "html": "<p>Light.</p>"}),
        json!({"title": "Plain", "html": "<p>See <a href=\"/harbour/#light\">the harbour</a> and <a href=\"/tag/letters/\">letters</a>.</p>"}),
        json!({"title": "Nowhere", "featured": true}),
    ] {
        let mut post = post;
        post["status"] = json!("published");
        post["published_at"] = json!("2026-03-01T10:00:00.000Z");
        let added = site.ask(
            "POST",
            "posts/?source=html",
            Some(&json!({"posts": [post]})),
        );
        assert_eq!(added.status, 201, "{}", added.text());
    }
    site
}

/// Returns the URL of a record in the Content API, without the URL of the site.
fn path_of(site: &TestSite, endpoint: &str) -> String {
    let found = site.json(endpoint);
    let records = found.as_object().unwrap().values().next().unwrap();
    let url = records[0]["url"].as_str().unwrap();
    url.strip_prefix(&site.base()).unwrap().to_owned()
}

#[test]
fn urls_of_records_follow_the_routes() {
    let site = site();
    assert_eq!(path_of(&site, "posts/slug/harbour/"), "/harbour/");

    let response = send(&site, ROUTES);

    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(
        path_of(&site, "posts/slug/harbour/"),
        "/journal/2026/harbour/"
    );
    assert_eq!(path_of(&site, "posts/slug/plain/"), "/all/plain/");
    assert_eq!(path_of(&site, "posts/slug/nowhere/"), "/404/");
    assert_eq!(path_of(&site, "tags/slug/letters/"), "/topic/letters/");
    assert_eq!(path_of(&site, "authors/"), "/404/");
    let staff = site.read("posts/slug/harbour/");
    let url = staff["posts"][0]["url"].as_str().unwrap();
    assert!(url.ends_with("/journal/2026/harbour/"), "{url}");
}

#[test]
fn feeds_and_sitemaps_follow_the_routes() {
    let site = site();
    assert_eq!(send(&site, ROUTES).status, 200);

    let feed = site.get("/rss/");
    assert!(
        feed.text().contains("/journal/2026/harbour/"),
        "{}",
        feed.text()
    );
    assert_eq!(site.get("/topic/letters/rss/").status, 200);
    assert_eq!(site.get("/tag/letters/rss/").status, 404);
    let posts = site.get("/sitemap-posts.xml");
    assert!(posts.text().contains("/all/plain/"), "{}", posts.text());
    assert!(!posts.text().contains("nowhere"), "{}", posts.text());
    let tags = site.get("/sitemap-tags.xml");
    assert!(tags.text().contains("/topic/letters/"), "{}", tags.text());
}

#[test]
fn links_between_records_use_their_current_urls() {
    let site = site();
    let html = |site: &TestSite| {
        let found = site.json("posts/slug/plain/");
        found["posts"][0]["html"]
            .as_str()
            .unwrap()
            .replace(&site.base(), "")
    };
    assert!(
        html(&site).contains("\"/harbour/#light\""),
        "{}",
        html(&site)
    );

    assert_eq!(send(&site, ROUTES).status, 200);

    assert!(
        html(&site).contains("\"/journal/2026/harbour/#light\""),
        "{}",
        html(&site)
    );
    assert!(
        html(&site).contains("\"/topic/letters/\""),
        "{}",
        html(&site)
    );
}

#[test]
fn upload_names_the_pages_that_it_moves() {
    let site = site();

    let moved = send(&site, ROUTES);

    let named = moved
        .header("galley-moved-pages")
        .unwrap_or_default()
        .to_owned();
    assert!(named.starts_with("5; "), "{named}");
    assert!(
        named.contains("/harbour/ -> /journal/2026/harbour/"),
        "{named}"
    );
    assert!(named.contains("/nowhere/ -> none"), "{named}");
    let again = send(&site, ROUTES);
    assert_eq!(again.header("galley-moved-pages"), None);
}

#[test]
fn rejected_routes_keep_the_previous_ones() {
    let site = site();
    assert_eq!(send(&site, ROUTES).status, 200);

    let rejected = send(&site, "collections:\n  /:\n    permalink: x\n");

    assert_eq!(rejected.status, 422);
    assert_eq!(path_of(&site, "posts/slug/plain/"), "/all/plain/");
}

#[test]
fn previews_of_published_posts_redirect_to_their_routes() {
    let site = site();
    assert_eq!(send(&site, ROUTES).status, 200);
    let found: Value = site.read("posts/slug/harbour/");
    let uuid = found["posts"][0]["uuid"].as_str().unwrap();

    let response = site.get(&format!("/p/{uuid}/"));

    let location = response.header("location").unwrap_or_default();
    assert!(location.ends_with("/journal/2026/harbour/"), "{location}");
}
