//! Tests of every endpoint: its envelope, fields and records.

use std::collections::BTreeSet;

use galley::api::openapi;
use galley_tests::TestSite;
use serde_json::{Value, json};

use super::fixture;

/// Every endpoint, each with a request, the expected status and the keys of the response's envelope.
const ENDPOINTS: &[(&str, &str, u16, &[&str])] = &[
    ("content/posts/", "posts/", 200, &["meta", "posts"]),
    ("content/posts/{id}/", "posts/{post}/", 200, &["posts"]),
    (
        "content/posts/slug/{slug}/",
        "posts/slug/night-ferry/",
        200,
        &["posts"],
    ),
    ("content/pages/", "pages/", 200, &["meta", "pages"]),
    ("content/pages/{id}/", "pages/{page}/", 200, &["pages"]),
    (
        "content/pages/slug/{slug}/",
        "pages/slug/about/",
        200,
        &["pages"],
    ),
    ("content/authors/", "authors/", 200, &["authors", "meta"]),
    (
        "content/authors/{id}/",
        "authors/{author}/",
        200,
        &["authors"],
    ),
    (
        "content/authors/slug/{slug}/",
        "authors/slug/ada/",
        200,
        &["authors"],
    ),
    ("content/tags/", "tags/", 200, &["meta", "tags"]),
    ("content/tags/{id}/", "tags/{tag}/", 200, &["tags"]),
    (
        "content/tags/slug/{slug}/",
        "tags/slug/letters/",
        200,
        &["tags"],
    ),
    ("content/tiers/", "tiers/", 200, &["meta", "tiers"]),
    ("content/changes/", "changes/", 200, &["changes", "meta"]),
    ("content/settings/", "settings/", 200, &["settings"]),
    (
        "content/newsletters/",
        "newsletters/",
        200,
        &["meta", "newsletters"],
    ),
    (
        "content/recommendations/",
        "recommendations/",
        200,
        &["meta", "recommendations"],
    ),
    ("content/offers/{id}/", "offers/{post}/", 404, &["errors"]),
    ("content/search/", "search/", 400, &["errors"]),
    (
        "content/search-index/posts/",
        "search-index/posts/",
        200,
        &["posts"],
    ),
    (
        "content/search-index/tags/",
        "search-index/tags/",
        200,
        &["tags"],
    ),
    (
        "content/search-index/authors/",
        "search-index/authors/",
        200,
        &["authors"],
    ),
];

/// Replaces the placeholders of a request with identifiers of the sample site's records.
fn with_ids(app: &TestSite, request: &str) -> String {
    [
        ("{post}", "posts/?filter=slug:night-ferry"),
        ("{page}", "pages/?filter=slug:about"),
        ("{author}", "authors/?filter=slug:ada"),
        ("{tag}", "tags/?filter=slug:letters"),
    ]
    .iter()
    .filter(|(variable, _)| request.contains(variable))
    .fold(request.to_owned(), |request, (variable, list)| {
        request.replace(variable, &app.values(list, "id")[0])
    })
}

#[test]
fn every_endpoint_responds_in_its_envelope() {
    let app = fixture::site();
    for (_, request, status, envelope) in ENDPOINTS {
        let response = app.content(&with_ids(&app, request));
        let body = response.json();
        let mut keys: Vec<&str> = body
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        keys.sort_unstable();
        assert_eq!(
            (response.status, keys.as_slice()),
            (*status, *envelope),
            "{request}"
        );
    }
}

#[test]
fn every_content_api_route_is_tested() {
    let document = openapi::document();
    let paths = document["paths"].as_object().unwrap().keys();
    let routes: BTreeSet<&str> = paths
        .filter_map(|path| path.strip_prefix('/'))
        .filter(|path| path.starts_with("content/"))
        .collect();
    let tested: BTreeSet<&str> = ENDPOINTS.iter().map(|(route, ..)| *route).collect();
    assert_eq!(tested, routes);
}

#[test]
fn record_is_equal_by_id_by_slug_and_in_a_list() {
    let app = fixture::site();
    for (resource, slug) in [
        ("posts", "night-ferry"),
        ("pages", "about"),
        ("authors", "ada"),
        ("tags", "letters"),
    ] {
        let by_slug = &app.json(&format!("{resource}/slug/{slug}/"))[resource][0];
        let id = by_slug["id"].as_str().unwrap().to_owned();
        let by_id = &app.json(&format!("{resource}/{id}/"))[resource][0];
        let by_uppercase_id = &app.json(&format!("{resource}/{}/", id.to_uppercase()))[resource][0];
        let listed = &app.json(&format!("{resource}/?filter=slug:{slug}"))[resource][0];
        assert_eq!(by_id, by_slug, "{resource}");
        assert_eq!(by_uppercase_id, by_slug, "{resource}");
        assert_eq!(listed, by_slug, "{resource}");
    }
}

#[test]
fn post_has_every_field_of_the_specification() {
    let app = fixture::site();
    let post = &app.json("posts/slug/lighthouse/")["posts"][0];
    let mut expected = json!({
        "title": "Lighthouse", "slug": "lighthouse", "html": "<p>It blinks.</p>\n",
        "feature_image": null, "featured": false, "visibility": "public",
        "created_at": "2025-02-01T00:00:00.000+01:00", "updated_at": "2025-02-01T00:00:00.000+01:00",
        "published_at": "2025-02-01T00:00:00.000+01:00", "custom_excerpt": null,
        "codeinjection_head": null, "codeinjection_foot": null, "custom_template": null,
        "canonical_url": null, "url": "https://harbour.example/lighthouse/", "excerpt": "It blinks.\n",
        "reading_time": 0, "access": true, "comments": true, "og_image": null, "og_title": null,
        "og_description": null, "twitter_image": null, "twitter_title": null,
        "twitter_description": null, "meta_title": "Light", "meta_description": null,
        "email_subject": null, "frontmatter": null, "feature_image_alt": null,
        "feature_image_caption": null,
    });
    for key in ["id", "uuid", "comment_id"] {
        expected[key] = post[key].clone();
    }
    assert_eq!(*post, expected);
    assert_eq!(post["id"].as_str().unwrap().len(), 24);
    assert_eq!(post["uuid"].as_str().unwrap().len(), 36);
    assert_eq!(post["comment_id"], post["id"]);
}

#[test]
fn page_has_show_title_and_feature_image_but_no_email_subject() {
    let app = fixture::site();
    let page = &app.json("pages/slug/about/")["pages"][0];
    assert_eq!(page["show_title_and_feature_image"], true);
    assert!(page.get("email_subject").is_none());
    let post = &app.json("posts/slug/lighthouse/")["posts"][0];
    assert!(post.get("show_title_and_feature_image").is_none());
}

#[test]
fn content_posts_and_pages_are_separate_endpoints() {
    let app = fixture::site();
    let page = app.values("pages/?filter=slug:about", "id").remove(0);
    let post = app.values("posts/?filter=slug:lighthouse", "id").remove(0);
    for request in [
        format!("posts/{page}/"),
        "posts/slug/about/".to_owned(),
        format!("pages/{post}/"),
        "pages/slug/lighthouse/".to_owned(),
    ] {
        assert_eq!(app.content(&request).status, 404, "{request}");
    }
    for request in [
        "posts/?filter=slug:about",
        "pages/?filter=slug:lighthouse",
        "posts/?filter=type:page",
    ] {
        assert_eq!(app.slugs(request), [""; 0], "{request}");
    }
}

#[test]
fn author_has_every_public_field_and_no_private_one() {
    let app = fixture::site();
    let author = &app.json("authors/slug/ada/")["authors"][0];
    assert_eq!(
        *author,
        json!({
            "id": author["id"], "name": "Ada", "slug": "ada", "bio": "Writes letters.",
            "profile_image": "https://harbour.example/content/images/logo.png", "cover_image": null,
            "website": "https://ada.example", "location": "Lisbon", "facebook": null,
            "twitter": null, "threads": null, "bluesky": null, "mastodon": null, "tiktok": null,
            "youtube": null, "instagram": null, "linkedin": null, "meta_title": null,
            "meta_description": null, "url": "https://harbour.example/author/ada/",
        })
    );
}

#[test]
fn tag_has_every_field() {
    let app = fixture::site();
    let tag = &app.json("tags/slug/letters/")["tags"][0];
    assert_eq!(
        *tag,
        json!({
            "id": tag["id"], "name": "Letters", "slug": "letters", "description": "What came by post",
            "feature_image": "https://harbour.example/content/images/logo.png",
            "visibility": "public", "og_image": null, "og_title": null, "og_description": null,
            "twitter_image": null, "twitter_title": null, "twitter_description": null,
            "meta_title": "All letters", "meta_description": null, "codeinjection_head": null,
            "codeinjection_foot": null, "canonical_url": null, "accent_color": "#224466",
            "url": "https://harbour.example/tag/letters/",
        })
    );
}

#[test]
fn tags_and_authors_without_a_published_post_are_not_served() {
    let app = fixture::site();
    assert_eq!(app.slugs("tags/"), ["hash-note", "letters", "travel"]);
    assert_eq!(app.slugs("authors/"), ["ada", "ben"]);
    for request in [
        "tags/slug/unused/",
        "tags/slug/someday/",
        "tags/slug/paged/",
        "authors/slug/cleo/",
        "authors/slug/dora/",
    ] {
        assert_eq!(app.content(request).status, 404, "{request}");
    }
}

#[test]
fn internal_tags_are_listed_and_have_no_url() {
    let app = fixture::site();
    let tag = &app.json("tags/slug/hash-note/")["tags"][0];
    assert_eq!(tag["visibility"], "internal");
    assert_eq!(tag["url"], "https://harbour.example/404/");
    assert_eq!(
        app.slugs("tags/?filter=visibility:public"),
        ["letters", "travel"]
    );
}

#[test]
fn tag_is_read_only_with_the_requested_visibility() {
    let app = fixture::site();
    for (request, status) in [
        ("tags/slug/letters/?visibility=public", 200),
        ("tags/slug/letters/?visibility=internal", 404),
        ("tags/slug/hash-note/?visibility=internal", 200),
        ("tags/slug/hash-note/?visibility=public", 404),
    ] {
        assert_eq!(app.content(request).status, status, "{request}");
    }
}

#[test]
fn tiers_are_sorted_by_price_without_archived_and_hidden_ones() {
    let app = fixture::site();
    assert_eq!(app.slugs("tiers/"), ["free", "gold"]);
    let tiers = app.json("tiers/?include=monthly_price,yearly_price,benefits");
    let (free, gold) = (&tiers["tiers"][0], &tiers["tiers"][1]);
    assert_eq!(
        *gold,
        json!({
            "id": gold["id"], "name": "Gold", "slug": "gold", "description": null, "active": true,
            "type": "paid", "welcome_page_url": null, "created_at": "2023-12-31T23:00:00.000Z",
            "updated_at": null, "visibility": "public", "payment_prices": null, "currency": "eur",
            "benefits": ["A letter by post", "Our thanks"], "monthly_price": 700,
            "yearly_price": 7000, "trial_days": 0,
        })
    );
    assert_eq!(free["benefits"], json!([]));
    assert_eq!(
        (&free["monthly_price"], &free["yearly_price"]),
        (&Value::Null, &Value::Null)
    );
    assert!(free.get("currency").is_none());
}

#[test]
fn tiers_include_benefits_and_prices_only_on_request() {
    let app = fixture::site();
    let gold = &app.json("tiers/?filter=slug:gold")["tiers"][0];
    assert_eq!(gold["benefits"], Value::Null);
    assert!(gold.get("monthly_price").is_none() && gold.get("yearly_price").is_none());
    assert_eq!(app.slugs("tiers/?filter=slug:%5Bold,crew%5D"), [""; 0]);
    assert_eq!(app.slugs("tiers/?filter=type:paid"), ["gold"]);
    assert_eq!(app.slugs("tiers/?filter=nosuch:1"), [""; 0]);
}

#[test]
fn settings_are_one_object_of_public_values() {
    let app = fixture::site();
    let settings = &app.json("settings/")["settings"];
    for (key, value) in [
        ("title", json!("Harbour Notes")),
        ("description", json!("Letters from the quay")),
        (
            "logo",
            json!("https://harbour.example/content/images/logo.png"),
        ),
        (
            "icon",
            json!("https://harbour.example/content/images/size/w256h256/logo.png"),
        ),
        ("accent_color", json!("#15171a")),
        ("labs", json!({"members": true})),
        ("site_uuid", json!("13c5058f-eedb-58dd-a360-a4a93928182d")),
        ("firstpromoter_account", json!(null)),
        ("portal_signup_gift_promotion", json!(false)),
        ("portal_account_gift_promotion", json!(false)),
        ("transistor_portal_enabled", json!(false)),
        ("transistor_portal_heading", json!("Podcasts")),
        ("cover_image", json!(null)),
        ("facebook", json!(null)),
        ("twitter", json!("@harbour")),
        ("lang", json!("en")),
        ("locale", json!("en")),
        ("timezone", json!("Europe/Amsterdam")),
        ("codeinjection_foot", json!(null)),
        (
            "navigation",
            json!([{"label": "Home", "url": "/"}, {"label": "Elsewhere", "url": "https://other.example/"}]),
        ),
        ("secondary_navigation", json!([])),
        ("meta_title", json!(null)),
        ("og_image", json!(null)),
        ("twitter_description", json!(null)),
        ("members_support_address", json!("noreply@harbour.example")),
        ("members_enabled", json!(true)),
        ("comments_enabled", json!("all")),
        ("recommendations_enabled", json!(false)),
        ("url", json!("https://harbour.example/")),
        ("version", json!("6.65")),
    ] {
        assert_eq!(settings[key], value, "{key}");
    }
    assert!(settings.get("default_content_visibility").is_none());
}

#[test]
fn settings_and_search_index_ignore_parameters() {
    let app = fixture::site();
    for request in ["settings/", "search-index/posts/", "search-index/tags/"] {
        let with_nonsense = app.json(&format!("{request}?limit=-1&order=!&filter=((&fields=id"));
        assert_eq!(with_nonsense, app.json(request), "{request}");
    }
}

#[test]
fn only_active_newsletters_are_listed() {
    let app = fixture::site();
    let newsletters = app.json("newsletters/");
    let weekly = &newsletters["newsletters"][0];
    assert_eq!(
        newsletters["newsletters"],
        json!([{
            "id": weekly["id"], "uuid": weekly["uuid"], "name": "Weekly", "description": null,
            "slug": "weekly", "sender_email": null, "subscribe_on_signup": true,
            "visibility": "members", "sort_order": 1, "created_at": "1970-01-01T00:00:00.000Z",
            "updated_at": "1970-01-01T00:00:00.000Z",
        }])
    );
    assert_eq!(
        app.slugs("newsletters/?filter=nosuch:1"),
        ["weekly"],
        "ignored"
    );
}

#[test]
fn recommendations_list_is_empty_but_validates_parameters() {
    let app = fixture::site();
    let response = app.json("recommendations/?limit=5");
    assert_eq!(
        response,
        json!({"recommendations": [], "meta": {"pagination": {
            "page": 1, "limit": 5, "pages": 1, "total": 0, "next": null, "prev": null,
        }}})
    );
    assert_eq!(
        app.content("recommendations/?order=nosuch%20desc").status,
        422
    );
    assert_eq!(
        app.content("recommendations/?order=created_at%20desc")
            .status,
        200
    );
}

#[test]
fn search_index_has_all_posts_with_few_fields() {
    let app = fixture::site();
    let posts = app.json("search-index/posts/");
    assert_eq!(
        posts["posts"].as_array().unwrap().len(),
        fixture::POSTS.len()
    );
    let first = &posts["posts"][0];
    assert_eq!(
        *first,
        json!({
            "id": first["id"], "slug": "log-book", "title": "Log book", "excerpt": "",
            "url": "https://harbour.example/log-book/",
            "updated_at": "2025-06-01T00:00:00.000+02:00", "visibility": "tiers",
        })
    );
    assert_eq!(
        app.slugs_of_index("tags"),
        ["letters", "travel"],
        "tags without a published post are not listed"
    );
    assert_eq!(app.slugs_of_index("authors"), ["ada", "ben"]);
}

#[test]
fn site_endpoint_needs_no_key() {
    let app = fixture::site();
    let response = app.get("/ghost/api/admin/site/");
    assert_eq!(response.status, 200);
    assert_eq!(
        response.json(),
        json!({"site": {
            "title": "Harbour Notes", "description": "Letters from the quay",
            "logo": "https://harbour.example/content/images/logo.png",
            "icon": "https://harbour.example/content/images/logo.png",
            "cover_image": null, "accent_color": "#15171a", "locale": "en",
            "timezone": "Europe/Amsterdam", "url": "https://harbour.example/", "version": "6.65",
            "allow_external_signup": true,
        }})
    );
}

#[test]
fn healthz_responds_ok() {
    let app = TestSite::builder().start();
    assert_eq!(app.get("/healthz").status, 200);
    assert_eq!(app.get("/readyz").text(), "ok\n");
    assert_eq!(app.send("HEAD", "/healthz", "", "").status, 200);
    assert_eq!(app.send("POST", "/healthz", "", "").status, 404);
}

#[test]
fn site_without_content_serves_empty_lists() {
    let app = TestSite::builder().start();
    for resource in ["posts", "pages", "authors", "tags"] {
        let response = app.json(&format!("{resource}/"));
        assert_eq!(response[resource], json!([]), "{resource}");
        assert_eq!(response["meta"]["pagination"]["pages"], 1, "{resource}");
    }
    assert_eq!(app.slugs("tiers/"), ["free", "default-product"]);
    assert_eq!(app.slugs("newsletters/"), ["default-newsletter"]);
    assert_eq!(
        app.json("settings/")["settings"]["url"],
        format!("http://{}/", app.address())
    );
}
