//! Tests of the parameters `limit`, `page`, `order`, `formats` and `fields`, and of their errors.

use super::fixture;
use galley_tests::{TestSite, site_builder::SiteBuilder, test_site::keys};

/// Starts a site with 105 posts, numbered in the order of their dates.
pub fn long_site() -> TestSite {
    long(TestSite::builder()).start()
}

fn long(builder: SiteBuilder) -> SiteBuilder {
    (1..=105).fold(builder, |builder, number| {
        let minute = number % 60;
        let hour = number / 60;
        builder.file(
            &format!("posts/p{number:03}.md"),
            format!("---\ntitle: P{number:03}\ndate: 2025-01-01T{hour:02}:{minute:02}:00Z\n---\n"),
        )
    })
}

#[test]
fn configured_limit_replaces_the_limit_of_ghost() {
    let app = long(TestSite::builder().option("server.list_limit_max", "1000")).start();
    for (limit, in_effect) in [("all", 1000), ("104", 104), ("2000", 1000)] {
        let response = app.json(&format!("posts/?limit={limit}"));
        assert_eq!(
            response["meta"]["pagination"]["limit"], in_effect,
            "{limit}"
        );
        assert_eq!(
            response["posts"].as_array().unwrap().len(),
            in_effect.min(105),
            "{limit}"
        );
    }
}

#[test]
fn limit_is_a_number_up_to_100() {
    let app = long_site();
    for (limit, in_effect) in [
        (None, 15),
        (Some("1"), 1),
        (Some("100"), 100),
        (Some("101"), 100),
        (Some("all"), 100),
        (Some("ALL"), 100),
        (Some("abc"), 100),
        (Some("x-"), 100),
        (Some("0"), 15),
    ] {
        let query = limit
            .map(|limit| format!("?limit={limit}"))
            .unwrap_or_default();
        let response = app.json(&format!("posts/{query}"));
        assert_eq!(
            response["meta"]["pagination"]["limit"], in_effect,
            "{limit:?}"
        );
        assert_eq!(
            response["posts"].as_array().unwrap().len(),
            in_effect,
            "{limit:?}"
        );
    }
}

#[test]
fn malformed_list_parameters_are_rejected() {
    let app = fixture::site();
    for resource in ["posts", "pages", "tags", "authors", "tiers", "newsletters"] {
        for query in [
            "limit=",
            "limit=-1",
            "limit=5abc",
            "limit=2.7",
            "limit=1e1",
            "limit=%205",
            "limit=%2B5",
            "limit=0x10",
            "limit=1&limit=2",
            "page=",
            "page=-1",
            "page=x",
            "page=1.5",
            "page=1&page=2",
            "order=",
            "order=title;desc",
            "order=title%27",
            "order=(title)",
        ] {
            let response = app.content(&format!("{resource}/?{query}"));
            assert_eq!(response.status, 422, "{resource}/?{query}");
            assert_eq!(
                response.json()["errors"][0]["type"],
                "ValidationError",
                "{query}"
            );
        }
        for query in [
            "filter=", "fields=", "formats=", "include=", "nosuch=1", "page=0",
        ] {
            assert_eq!(
                app.content(&format!("{resource}/?{query}")).status,
                200,
                "{resource}/?{query}"
            );
        }
    }
}

#[test]
fn blank_filter_is_malformed_and_empty_filter_is_ignored() {
    let app = fixture::site();
    assert_eq!(app.content("posts/?filter=%20").status, 400);
    assert_eq!(app.content("posts/?filter=").status, 200);
}

#[test]
fn formats_are_validated_only_for_resources_with_bodies() {
    let app = fixture::site();
    for (resource, status) in [
        ("posts", 422),
        ("pages", 422),
        ("tags", 200),
        ("authors", 200),
        ("tiers", 200),
        ("newsletters", 200),
    ] {
        let response = app.content(&format!("{resource}/?formats=xml"));
        assert_eq!(response.status, status, "{resource}");
    }
}

#[test]
fn repeated_filter_is_rejected() {
    let app = fixture::site();
    assert_eq!(
        app.content("posts/?filter=featured:true&filter=featured:false")
            .status,
        400
    );
}

#[test]
fn read_ignores_list_parameters() {
    let app = fixture::site();
    let plain = app.json("posts/slug/lighthouse/");
    let with_nonsense = app.json("posts/slug/lighthouse/?limit=-1&page=x&order=!&filter=((");
    assert_eq!(with_nonsense, plain);
}

#[test]
fn formats_select_the_body_fields() {
    let app = fixture::site();
    for (query, html, plaintext) in [
        ("", true, false),
        ("?formats=", true, false),
        ("?formats=html", true, false),
        ("?formats=plaintext", false, true),
        ("?formats=HTML,PlainText", true, true),
        ("?formats=html&formats=plaintext", true, true),
        ("?formats[]=plaintext", false, true),
        ("?formats=mobiledoc", false, false),
        ("?formats=lexical,html", true, false),
        ("?fields=slug", false, false),
        ("?fields=slug&formats=plaintext", false, true),
        ("?fields=html", true, false),
        ("?fields=html&formats=plaintext", true, true),
    ] {
        for request in [
            format!("posts/{query}"),
            format!("posts/slug/lighthouse/{query}"),
        ] {
            let response = app.json(&request);
            let post = &response["posts"][0];
            let served = (post.get("html").is_some(), post.get("plaintext").is_some());
            assert_eq!(served, (html, plaintext), "{request}");
            assert!(post.get("lexical").is_none() && post.get("mobiledoc").is_none());
        }
    }
}

#[test]
fn unknown_formats_are_rejected() {
    let app = fixture::site();
    for formats in ["text", "html,%20plaintext", "html,", "amp"] {
        for request in ["posts/", "posts/slug/lighthouse/", "pages/"] {
            let response = app.content(&format!("{request}?formats={formats}"));
            assert_eq!(response.status, 422, "{request}?formats={formats}");
        }
    }
}

#[test]
fn fields_restrict_the_response() {
    let app = fixture::site();
    for (query, expected) in [
        ("fields=title,slug", &["slug", "title"][..]),
        ("fields=%20Title%20,%20SLUG%20", &["slug", "title"]),
        ("fields=title&fields=slug", &["slug", "title"]),
        ("fields[]=title&fields[]=slug", &["slug", "title"]),
        ("fields=url", &["url"]),
        (
            "fields=excerpt,reading_time,access",
            &["access", "excerpt", "reading_time"],
        ),
        ("fields=meta_title", &["meta_title"]),
        ("fields=nosuch,slug", &["slug"]),
        ("fields=nosuch", &[]),
        (
            "fields=status,type,lexical,mobiledoc,locale,newsletter_id,email_only",
            &[],
        ),
        (
            "fields=email_segment,email_recipient_filter,published_by,tiers,tags",
            &[],
        ),
    ] {
        assert_eq!(
            keys(&app.json(&format!("posts/?{query}"))["posts"][0]),
            expected,
            "{query}"
        );
    }
}

#[test]
fn read_includes_the_lookup_field() {
    let app = fixture::site();
    let by_slug = app.json("posts/slug/lighthouse/?fields=title");
    assert_eq!(keys(&by_slug["posts"][0]), ["slug", "title"]);
    let id = app.values("posts/?filter=slug:lighthouse", "id").remove(0);
    let by_id = app.json(&format!("posts/{id}/?fields=title"));
    assert_eq!(keys(&by_id["posts"][0]), ["id", "title"]);
    let tag = app.json("tags/slug/letters/?fields=name");
    assert_eq!(keys(&tag["tags"][0]), ["name", "slug"]);
}

#[test]
fn private_fields_are_not_served_on_request() {
    let app = fixture::site();
    for (request, fields) in [
        ("pages", "email_subject,status,lexical"),
        ("tags", "created_at,updated_at,parent_id"),
        (
            "authors",
            "email,password,status,visibility,last_seen,created_at,updated_at,roles,locale,tour,\
             accessibility,comment_notifications",
        ),
    ] {
        let response = app.json(&format!("{request}/?fields={fields}"));
        for record in response[request].as_array().unwrap() {
            assert_eq!(keys(record), [""; 0], "{request}");
        }
    }
}
