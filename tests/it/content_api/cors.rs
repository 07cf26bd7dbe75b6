//! Browsers: which pages may read what, and what they are told before they ask.

use super::fixture;

#[test]
fn every_page_may_read_the_content_api() {
    let app = fixture::site();
    for headers in [
        "",
        "origin: https://elsewhere.example\r\n",
        "origin: null\r\n",
    ] {
        for endpoint in ["posts/", "posts", "nosuch/", "posts/?limit=-1"] {
            let answer = app.content_with(endpoint, headers);
            assert_eq!(
                answer.header("access-control-allow-origin"),
                Some("*"),
                "{endpoint}"
            );
            assert_eq!(
                answer.header("access-control-allow-credentials"),
                None,
                "{endpoint}"
            );
        }
    }
}

#[test]
fn a_preflight_says_what_may_be_asked_without_a_key() {
    let app = fixture::site();
    for path in ["posts/", "posts", "nosuch/", "posts/slug/x/"] {
        let headers = "origin: https://elsewhere.example\r\naccess-control-request-method: GET\r\n\
                       access-control-request-headers: accept-version,x-own\r\n";
        let answer = app.ask(
            "OPTIONS",
            &format!("/ghost/api/content/{path}"),
            headers,
            "",
        );
        assert_eq!(answer.status, 204, "{path}");
        for (name, value) in [
            ("access-control-allow-origin", "*"),
            (
                "access-control-allow-methods",
                "GET,HEAD,PUT,PATCH,POST,DELETE",
            ),
            ("access-control-allow-headers", "accept-version,x-own"),
            ("access-control-max-age", "86400"),
            ("cache-control", "public, max-age=0"),
            ("vary", "Accept-Version, Access-Control-Request-Headers"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path} {name}");
        }
    }
}

#[test]
fn a_preflight_that_asks_for_no_headers_is_told_of_none() {
    let app = fixture::site();
    let answer = app.ask("OPTIONS", "/ghost/api/content/posts/", "", "");
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-headers"), None);
}

#[test]
fn whoever_asks_from_elsewhere_what_may_be_asked_where_nothing_is_finds_nothing() {
    let app = fixture::site();
    for path in ["v5/content/posts/", "latest/admin/posts/", "admin/nothing/"] {
        let answer = app.ask("OPTIONS", &format!("/ghost/api/{path}"), "", "");
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.json()["errors"][0]["type"], "NotFoundError");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
    }
    let answer = app.ask("OPTIONS", "/ghost/api/admin/posts/", "", "");
    assert_eq!(
        (answer.status, answer.header("allow")),
        (200, Some("GET,HEAD,POST,DELETE"))
    );
}

#[test]
fn only_the_sites_own_pages_may_read_the_admin_api() {
    let app = fixture::site();
    let ask = |origin: &str| {
        app.ask(
            "GET",
            "/ghost/api/admin/site/",
            &format!("origin: {origin}\r\n"),
            "",
        )
    };
    let own = ask(fixture::URL);
    assert_eq!(
        own.header("access-control-allow-origin"),
        Some(fixture::URL)
    );
    assert_eq!(
        own.header("vary"),
        Some("Accept-Version, Accept-Encoding, Origin")
    );
    for origin in [
        "https://elsewhere.example",
        "http://harbour.example",
        "null",
    ] {
        let answer = ask(origin);
        assert_eq!(answer.status, 200, "{origin}");
        assert_eq!(
            answer.header("access-control-allow-origin"),
            None,
            "{origin}"
        );
    }
}
