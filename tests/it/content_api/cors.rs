//! Tests of CORS: allowed origins, and preflight responses.

use super::fixture;

#[test]
fn content_api_allows_all_origins() {
    let app = fixture::site();
    for headers in [
        "",
        "origin: https://elsewhere.example\r\n",
        "origin: null\r\n",
    ] {
        for endpoint in ["posts/", "posts", "nosuch/", "posts/?limit=-1"] {
            let response = app.content_with(endpoint, headers);
            assert_eq!(
                response.header("access-control-allow-origin"),
                Some("*"),
                "{endpoint}"
            );
            assert_eq!(
                response.header("access-control-allow-credentials"),
                None,
                "{endpoint}"
            );
        }
    }
}

#[test]
fn preflight_needs_no_key() {
    let app = fixture::site();
    for path in ["posts/", "posts", "nosuch/", "posts/slug/x/"] {
        let headers = "origin: https://elsewhere.example\r\naccess-control-request-method: GET\r\n\
                       access-control-request-headers: accept-version,x-own\r\n";
        let response = app.send(
            "OPTIONS",
            &format!("/ghost/api/content/{path}"),
            headers,
            "",
        );
        assert_eq!(response.status, 204, "{path}");
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
            assert_eq!(response.header(name), Some(value), "{path} {name}");
        }
    }
}

#[test]
fn preflight_without_requested_headers_allows_none() {
    let app = fixture::site();
    let response = app.send("OPTIONS", "/ghost/api/content/posts/", "", "");
    assert_eq!(response.status, 204);
    assert_eq!(response.header("access-control-allow-headers"), None);
}

#[test]
fn preflight_of_an_unknown_path_is_404() {
    let app = fixture::site();
    for path in ["v5/content/posts/", "latest/admin/posts/", "admin/nothing/"] {
        let response = app.send("OPTIONS", &format!("/ghost/api/{path}"), "", "");
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(response.json()["errors"][0]["type"], "NotFoundError");
        assert_eq!(
            response.header("access-control-allow-origin"),
            None,
            "{path}"
        );
    }
    let response = app.send("OPTIONS", "/ghost/api/admin/posts/", "", "");
    assert_eq!(
        (response.status, response.header("allow")),
        (200, Some("GET,HEAD,POST,DELETE"))
    );
}

#[test]
fn admin_api_allows_only_the_sites_own_origin() {
    let app = fixture::site();
    let ask = |origin: &str| {
        app.send(
            "GET",
            "/ghost/api/admin/site/",
            &format!("origin: {origin}\r\n"),
            "",
        )
    };
    let same_origin = ask(fixture::URL);
    assert_eq!(
        same_origin.header("access-control-allow-origin"),
        Some(fixture::URL)
    );
    assert_eq!(
        same_origin.header("vary"),
        Some("Accept-Version, Accept-Encoding, Origin")
    );
    for origin in [
        "https://elsewhere.example",
        "http://harbour.example",
        "null",
    ] {
        let response = ask(origin);
        assert_eq!(response.status, 200, "{origin}");
        assert_eq!(
            response.header("access-control-allow-origin"),
            None,
            "{origin}"
        );
    }
}
