//! Tests of authentication by Content API key, and of the errors without one.

use std::net::TcpStream;

use super::fixture;
use galley_tests::{
    TestSite,
    http_client::{Client, HttpResponse},
    test_site::keys,
};

/// Returns the status, type and code of an error response.
fn error(response: &HttpResponse) -> (u16, String, Option<String>) {
    let body = response.json();
    let error = &body["errors"][0];
    (
        response.status,
        error["type"].as_str().unwrap().to_owned(),
        error["code"].as_str().map(str::to_owned),
    )
}

fn posts_with(app: &TestSite, query: &str, headers: &str) -> HttpResponse {
    app.send(
        "GET",
        &format!("/ghost/api/content/posts/{query}"),
        headers,
        "",
    )
}

#[test]
fn content_key_is_required() {
    let app = fixture::site();
    let key = app.content_key();
    let admin_key = app.admin_key();
    let (admin_id, admin_secret) = admin_key.split_once(':').unwrap();
    let authorization = format!("authorization: Ghost {admin_secret}\r\n");
    let no_key = (403, "NoPermissionError", None);
    let unknown = (401, "UnauthorizedError", Some("UNKNOWN_CONTENT_API_KEY"));
    let several = (400, "BadRequestError", Some("INVALID_REQUEST"));
    for (query, headers, expected) in [
        (String::new(), "", no_key),
        ("?key=".to_owned(), "", no_key),
        ("?KEY=".to_owned() + key, "", no_key),
        (String::new(), authorization.as_str(), no_key),
        ("?key=22444f78447824223cefc48062".to_owned(), "", unknown),
        (format!("?key={}", key.to_uppercase()), "", unknown),
        (format!("?key=%20{key}"), "", unknown),
        (format!("?key={key}+"), "", unknown),
        (format!("?key={admin_key}"), "", unknown),
        (format!("?key={admin_id}"), "", unknown),
        (
            format!("?key={admin_secret}"),
            "",
            (401, "UnauthorizedError", Some("INVALID_API_KEY_TYPE")),
        ),
        (format!("?key={key}&key={key}"), "", several),
        (format!("?key[]={key}"), "", several),
        (format!("?key%5B%5D={key}"), "", several),
    ] {
        let (status, kind, code) = expected;
        let expected = (status, kind.to_owned(), code.map(str::to_owned));
        assert_eq!(
            error(&posts_with(&app, &query, headers)),
            expected,
            "{query}"
        );
    }
}

#[test]
fn valid_key_makes_other_credentials_irrelevant() {
    let app = fixture::site();
    let query = format!("?key={}", app.content_key());
    let headers = "authorization: Ghost nonsense\r\ncookie: ghost-admin-api-session=nonsense\r\n";
    assert_eq!(posts_with(&app, &query, headers).status, 200);
}

#[test]
fn error_has_all_fields_and_a_unique_id() {
    let app = fixture::site();
    let first = posts_with(&app, "", "").json();
    let second = posts_with(&app, "", "").json();
    assert_eq!(
        keys(&first["errors"][0]),
        [
            "code",
            "context",
            "details",
            "ghostErrorCode",
            "help",
            "id",
            "message",
            "property",
            "type",
        ]
    );
    assert_eq!(first["errors"].as_array().unwrap().len(), 1);
    assert_ne!(first["errors"][0]["id"], second["errors"][0]["id"]);
}

#[test]
fn checks_run_in_order_endpoint_key_parameters() {
    let app = fixture::site();
    for (path, status) in [
        ("/ghost/api/content/nosuch/", 404),
        ("/ghost/api/content/posts", 403),
        ("/ghost/api/content/posts/?limit=-1&filter=((", 403),
        ("/ghost/api/content/posts/slug/nosuch/", 403),
    ] {
        assert_eq!(app.get(path).status, status, "{path}");
    }
    for (endpoint, status) in [
        ("posts?limit=-1", 301),
        ("posts/?limit=-1&filter=((", 422),
        ("posts/?filter=((", 400),
    ] {
        assert_eq!(app.content(endpoint).status, status, "{endpoint}");
    }
}

#[test]
fn hundred_wrong_keys_block_an_address_even_with_a_valid_key() {
    let app = fixture::site();
    let cached = app.content("posts/");
    assert_eq!(cached.status, 200);
    let mut client = Client::new(TcpStream::connect(app.address()).unwrap());
    for attempt in 1..=100 {
        client.send("GET /ghost/api/content/posts/?key=wrong HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert_eq!(client.respond().status, 401, "attempt {attempt}");
    }
    for endpoint in ["posts/", "posts/?limit=2", "settings/"] {
        let response = app.content(endpoint);
        assert_eq!(error(&response).1, "TooManyRequestsError", "{endpoint}");
        assert_eq!(response.status, 429, "{endpoint}");
    }
    assert_eq!(
        app.get("/ghost/api/admin/site/").status,
        200,
        "requests without a key are not blocked"
    );
}

#[test]
fn valid_key_does_not_reset_the_count_of_wrong_keys() {
    let app = fixture::site();
    let mut client = Client::new(TcpStream::connect(app.address()).unwrap());
    let mut status = |target: &str| {
        client.send(format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        client.respond().status
    };
    // One target is cached, the other uncached.
    let good = [
        app.content_path("posts/"),
        app.content_path("posts/?limit=3"),
    ];
    for attempt in 1..=100 {
        let wrong = format!("/ghost/api/content/posts/?key=wrong{attempt}");
        assert_eq!(status(&wrong), 401, "attempt {attempt}");
        if attempt < 100 {
            assert_eq!(status(&good[attempt % 2]), 200);
        }
    }
    assert_eq!(good.map(|target| status(&target)), [429; 2]);
}
