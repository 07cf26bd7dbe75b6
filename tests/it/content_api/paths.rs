//! Tests of paths and methods: redirects, 404, and `Allow`.

use super::fixture;
use galley_tests::TestSite;

#[test]
fn unknown_endpoint_is_404_regardless_of_the_key() {
    let app = fixture::site();
    for path in [
        "content/",
        "content/nosuch/",
        "content/posts//",
        "content//posts/",
        "content/posts/slug/night-ferry/extra/",
        "content/posts/slug//",
        "content/tiers/63b0001d356a192b7900001d/",
        "content/tiers/slug/gold/",
        "content/settings/title/",
        "content/newsletters/slug/weekly/",
        "content/offers/",
        "content/search-index/",
        "content/search-index/pages/",
        "content/members/",
        "",
        "nosuch/",
    ] {
        for query in [String::new(), format!("?key={}", app.content_key())] {
            let response = app.get(&format!("/ghost/api/{path}{query}"));
            assert_eq!(response.status, 404, "{path}{query}");
            assert_eq!(
                response.json()["errors"][0]["type"],
                "NotFoundError",
                "{path}{query}"
            );
        }
    }
}

#[test]
fn content_api_allows_only_get_and_head() {
    let app = fixture::site();
    let path = app.content_path("posts/");
    for method in ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"] {
        let response = app.send(method, &path, "", "");
        assert_eq!(response.status, 404, "{method}");
        assert_eq!(
            response.header("cache-control"),
            Some(
                "no-cache, private, no-store, must-revalidate, max-stale=0, post-check=0, pre-check=0"
            ),
            "{method}"
        );
    }
    let json = "content-type: application/json\r\n";
    assert_eq!(app.send("POST", &path, json, "{").status, 400);
    assert_eq!(app.send("POST", &path, json, "{}").status, 404);
    assert_eq!(
        app.send("GET", &path, json, "{").status,
        200,
        "the body of a GET request is ignored"
    );
}

#[test]
fn missing_trailing_slash_is_redirected_with_the_query() {
    let app = fixture::site();
    for endpoint in [
        "posts",
        "posts/slug/night-ferry",
        "settings",
        "search-index/posts",
    ] {
        let response = app.content(&format!("{endpoint}?a=%20b&&c"));
        assert_eq!(response.status, 301, "{endpoint}");
        let expected = format!(
            "/ghost/api/content/{endpoint}/?a=%20b&&c&key={}",
            app.content_key()
        );
        assert_eq!(response.header("location"), Some(expected.as_str()));
        assert_eq!(
            response.header("cache-control"),
            Some("public, max-age=31536000")
        );
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert_eq!(response.body, b"");
    }
    assert_eq!(app.content("nosuch").status, 404);
}

#[test]
fn malformed_id_is_rejected() {
    let app = fixture::site();
    for resource in ["posts", "pages", "tags", "authors", "offers"] {
        for (id, status) in [
            ("63b0001d356a192b7900001d", 404),
            ("63B0001D356A192B7900001D", 404),
            ("1", 404),
            ("me", 404),
            ("slug", 422),
            ("2", 422),
            ("ME", 422),
            ("63b0001d356a192b7900001", 422),
            ("63b0001d356a192b7900001dd", 422),
            ("63b0001d356a192b7900001g", 422),
            ("%2e%2e", 422),
        ] {
            let response = app.content(&format!("{resource}/{id}/"));
            assert_eq!(response.status, status, "{resource}/{id}/");
            assert_eq!(
                response.json()["errors"][0]["property"],
                serde_json::Value::Null
            );
        }
    }
}

#[test]
fn malformed_slug_is_rejected() {
    let app = fixture::site();
    for resource in ["posts", "pages", "tags", "authors"] {
        for (slug, status) in [
            ("nosuch", 404),
            ("no_such-9", 404),
            ("Night-Ferry", 422),
            ("night.ferry", 422),
            ("night%20ferry", 422),
            ("caf%C3%A9", 422),
            ("a%2Fb", 422),
        ] {
            let response = app.content(&format!("{resource}/slug/{slug}/"));
            assert_eq!(response.status, status, "{resource}/slug/{slug}/");
        }
    }
}

#[test]
fn invalid_percent_encoding_is_400() {
    let app = fixture::site();
    for endpoint in [
        "posts/?filter=%E0%A4%A",
        "posts/?%zz=1",
        "posts/slug/%E0%A4%A/",
    ] {
        assert_eq!(app.content(endpoint).status, 400, "{endpoint}");
    }
}

#[test]
fn unknown_path_is_404_in_the_error_format() {
    let app = TestSite::builder().headless().start();
    for path in ["/ghost/", "/ghost/api", "/ghost/api/", "/humans.txt"] {
        let response = app.get(path);
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(
            response.json()["errors"][0]["type"],
            "NotFoundError",
            "{path}"
        );
        assert_eq!(
            response.header("access-control-allow-origin"),
            None,
            "{path}"
        );
    }
}

#[test]
fn cors_404_of_a_file_is_readable() {
    let app = TestSite::builder().start();
    for path in ["/content/images/a.png", "/content/nosuch/a.png"] {
        let response = app.get(path);
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(
            response.header("access-control-allow-origin"),
            Some("*"),
            "{path}"
        );
    }
}

#[test]
fn site_may_be_in_a_subdirectory() {
    let app = fixture::builder()
        .url("https://harbour.example/notes/")
        .start();
    let key = app.content_key();
    for path in [
        "/notes/ghost/api/content/posts/",
        "/ghost/api/content/posts/",
    ] {
        let response = app.get(&format!("{path}?key={key}"));
        assert_eq!(
            response.status, 200,
            "{path}: a proxy may remove the subdirectory"
        );
    }
    for path in ["/notes/healthz", "/healthz", "/notes/ghost/api/admin/site/"] {
        assert_eq!(app.get(path).status, 200, "{path}");
    }
    assert_eq!(
        app.get(&format!("/notesghost/api/content/posts/?key={key}"))
            .status,
        404
    );
    assert_eq!(
        app.get(&format!("/other/ghost/api/content/posts/?key={key}"))
            .status,
        404
    );
    for path in ["/notes/ghost/api/content/posts", "/ghost/api/content/posts"] {
        let redirect = app.get(&format!("{path}?key={key}"));
        let expected = format!("/notes/ghost/api/content/posts/?key={key}");
        let location = redirect.header("location");
        assert_eq!(location, Some(expected.as_str()), "{path}");
    }
}
