//! Tests of `Accept-Version` and of versioned paths (specification section 9).

use super::fixture;

#[test]
fn any_accepted_version_is_served() {
    let app = fixture::site();
    for version in ["v6.0", "v1.0", "v99.0", "5", "nonsense", ""] {
        let header = format!("accept-version: {version}\r\n");
        let response = app.content_with("posts/?limit=1", &header);
        assert_eq!(response.status, 200, "{version}");
        assert_eq!(
            response.header("content-version"),
            Some("v6.65"),
            "{version}"
        );
    }
    assert_eq!(
        app.content("posts/?limit=1").header("content-version"),
        Some("v6.65")
    );
}

#[test]
fn endpoint_of_another_version_is_406_with_an_explanation() {
    let app = fixture::site();
    for (version, status, code) in [
        ("v5", 406, Some("UPDATE_CLIENT")),
        ("4.0", 406, Some("UPDATE_CLIENT")),
        ("v5.0.1", 406, Some("UPDATE_CLIENT")),
        ("v7.0", 406, Some("UPDATE_GHOST")),
        ("v6.65", 404, None),
        ("v6.0", 406, Some("UPDATE_CLIENT")),
        ("v6.99", 406, Some("UPDATE_GHOST")),
        ("nonsense", 400, None),
    ] {
        let header = format!("accept-version: {version}\r\n");
        for (method, endpoint) in [("GET", "nosuch/"), ("POST", "posts/")] {
            let response = app.send(method, &app.content_path(endpoint), &header, "");
            assert_eq!(response.status, status, "{method} {endpoint} {version}");
            assert_eq!(
                response.json()["errors"][0]["code"].as_str(),
                code,
                "{version}"
            );
        }
    }
    let missing_record = app.content_with("posts/slug/nosuch/", "accept-version: v5.0\r\n");
    assert_eq!(missing_record.status, 404);
}

#[test]
fn versioned_paths_respond_like_current_ones_with_deprecation() {
    let app = fixture::site();
    let new = app.content("posts/?limit=2");
    for (old, version) in [("v2", "v2"), ("v3", "v3"), ("v4", "v4"), ("canary", "v4")] {
        let path = app
            .content_path("posts/?limit=2")
            .replace("/api/", &format!("/api/{old}/"));
        for attempt in ["fresh", "cached"] {
            let response = app.get(&path);
            assert_eq!(response.status, 200, "{old} {attempt}");
            assert_eq!(response.body, new.body, "{old} {attempt}");
            assert_eq!(
                response.header("deprecation"),
                Some(format!("version=\"{version}\"").as_str()),
                "{attempt}"
            );
            let link = format!(
                "<https://harbour.example/ghost/api/content/posts/?limit=2&key={}>; rel=\"latest-version\"",
                app.content_key()
            );
            assert_eq!(response.header("link"), Some(link.as_str()), "{attempt}");
        }
    }
    let again = app.content("posts/?limit=2");
    assert_eq!(
        (again.header("deprecation"), again.header("link")),
        (None, None)
    );
}

#[test]
fn redirects_errors_and_preflights_of_versioned_paths_have_deprecation() {
    let app = fixture::site();
    let key = app.content_key();
    for (method, path, status) in [
        ("GET", format!("/ghost/api/v3/content/posts?key={key}"), 301),
        ("GET", "/ghost/api/v3/content/posts/".to_owned(), 403),
        (
            "GET",
            format!("/ghost/api/v3/content/posts/?key={key}&limit=-1"),
            422,
        ),
        ("OPTIONS", "/ghost/api/v3/content/posts/".to_owned(), 204),
    ] {
        let response = app.send(method, &path, "", "");
        assert_eq!(response.status, status, "{path}");
        assert_eq!(
            response.header("deprecation"),
            Some("version=\"v3\""),
            "{path}"
        );
        assert!(response.header("link").is_some(), "{path}");
        if status == 301 {
            let location = format!("/ghost/api/v3/content/posts/?key={key}");
            assert_eq!(
                response.header("location"),
                Some(location.as_str()),
                "the redirect keeps the version"
            );
        }
    }
}

#[test]
fn version_in_the_path_takes_precedence_over_the_header() {
    let app = fixture::site();
    let response = app.send(
        "GET",
        "/ghost/api/v4/content/nosuch/",
        "accept-version: v6.0\r\n",
        "",
    );
    assert_eq!(response.status, 406);
    assert_eq!(response.json()["errors"][0]["code"], "UPDATE_CLIENT");
}

#[test]
fn unknown_version_in_the_path_is_404() {
    let app = fixture::site();
    for path in [
        "v5/content/posts/",
        "v6/content/posts/",
        "v1/content/posts/",
        "v0.1/posts/",
        "v4/posts/",
    ] {
        let response = app.get(&format!("/ghost/api/{path}?key={}", app.content_key()));
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(response.header("deprecation"), None, "{path}");
        assert_eq!(
            response.header("access-control-allow-origin"),
            None,
            "{path}"
        );
    }
}
