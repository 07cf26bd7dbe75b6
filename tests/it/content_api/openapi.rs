//! The OpenAPI document as clients read it.

use serde_json::json;

use super::fixture;

const PATH: &str = "/ghost/api/openapi.json";

#[test]
fn the_document_names_the_site_as_its_server_and_needs_no_key() {
    let app = fixture::site();

    let answer = app.get(PATH);

    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    let document = answer.json();
    assert_eq!(document["openapi"], "3.1.0");
    let servers = json!([{ "url": format!("{}/ghost/api", fixture::URL.trim_end_matches('/')) }]);
    assert_eq!(document["servers"], servers);
    assert!(document["paths"]["/admin/posts/"]["post"].is_object());
}

#[test]
fn it_follows_the_prefix_of_paths_and_the_subdirectory_of_the_site() {
    let app = fixture::builder()
        .url("https://harbour.example/notes/")
        .option("path_prefix", "api-of")
        .start();

    let answer = app.get("/notes/api-of/api/openapi.json");

    assert_eq!(
        answer.json()["servers"][0]["url"],
        "https://harbour.example/notes/api-of/api"
    );
    assert_eq!(app.get("/notes/ghost/api/openapi.json").status, 404);
}

#[test]
fn whoever_has_it_already_is_told_so() {
    let app = fixture::site();
    let tag = app.get(PATH).header("etag").unwrap().to_owned();

    let again = app.ask("GET", PATH, &format!("if-none-match: {tag}\r\n"), "");

    assert_eq!(again.status, 304);
    assert_eq!(again.header("access-control-allow-origin"), Some("*"));
    assert_eq!(app.get(PATH).header("etag"), Some(&*tag));
    assert_eq!(
        again.header("cache-control"),
        Some("public, max-age=0"),
        "it may be kept, and is asked about each time"
    );
}

#[test]
fn pages_of_every_origin_may_read_it() {
    let app = fixture::site();
    let origin = "origin: https://elsewhere.example\r\n";
    for method in ["GET", "HEAD"] {
        let answer = app.ask(method, PATH, origin, "");
        assert_eq!(answer.status, 200, "{method}");
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    }
    let preflight = app.ask("OPTIONS", PATH, origin, "");
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-origin"), Some("*"));
}

#[test]
fn it_is_read_and_nothing_else() {
    let app = fixture::site();
    for (method, path) in [
        ("POST", PATH),
        ("PUT", PATH),
        ("GET", "/ghost/api/v3/openapi.json"),
        ("GET", "/ghost/api/OpenAPI.json"),
        ("GET", "/ghost/api/openapi.json/more/"),
    ] {
        assert_eq!(app.ask(method, path, "", "").status, 404, "{method} {path}");
    }
}
