//! Tests of the OpenAPI document as clients read it.

use serde_json::json;

use super::fixture;

const PATH: &str = "/ghost/api/openapi.json";

#[test]
fn openapi_document_names_the_site_and_needs_no_key() {
    let app = fixture::site();

    let response = app.get(PATH);

    assert_eq!(response.status, 200);
    assert_eq!(
        response.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    let document = response.json();
    assert_eq!(document["openapi"], "3.1.0");
    let servers = json!([{ "url": format!("{}/ghost/api", fixture::URL.trim_end_matches('/')) }]);
    assert_eq!(document["servers"], servers);
    assert!(document["paths"]["/admin/posts/"]["post"].is_object());
}

#[test]
fn openapi_document_follows_path_prefix_and_subdirectory() {
    let app = fixture::builder()
        .url("https://harbour.example/notes/")
        .option("path_prefix", "api-of")
        .headless()
        .start();

    let response = app.get("/notes/api-of/api/openapi.json");

    assert_eq!(
        response.json()["servers"][0]["url"],
        "https://harbour.example/notes/api-of/api"
    );
    assert_eq!(app.get("/notes/ghost/api/openapi.json").status, 404);
}

#[test]
fn openapi_document_responds_304_to_a_matching_etag() {
    let app = fixture::site();
    let tag = app.get(PATH).header("etag").unwrap().to_owned();

    let again = app.send("GET", PATH, &format!("if-none-match: {tag}\r\n"), "");

    assert_eq!(again.status, 304);
    assert_eq!(again.header("access-control-allow-origin"), Some("*"));
    assert_eq!(app.get(PATH).header("etag"), Some(&*tag));
    assert_eq!(
        again.header("cache-control"),
        Some("public, max-age=0"),
        "caches may store the document, but must revalidate it"
    );
}

#[test]
fn openapi_document_allows_all_origins() {
    let app = fixture::site();
    let origin = "origin: https://elsewhere.example\r\n";
    for method in ["GET", "HEAD"] {
        let response = app.send(method, PATH, origin, "");
        assert_eq!(response.status, 200, "{method}");
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    }
    let preflight = app.send("OPTIONS", PATH, origin, "");
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-origin"), Some("*"));
}

#[test]
fn openapi_document_allows_only_get_and_head() {
    let app = fixture::site();
    for (method, path) in [
        ("POST", PATH),
        ("PUT", PATH),
        ("GET", "/ghost/api/v3/openapi.json"),
        ("GET", "/ghost/api/OpenAPI.json"),
        ("GET", "/ghost/api/openapi.json/more/"),
    ] {
        assert_eq!(
            app.send(method, path, "", "").status,
            404,
            "{method} {path}"
        );
    }
}
