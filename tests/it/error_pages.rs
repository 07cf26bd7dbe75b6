//! Tests that errors of unknown paths are pages for browsers and JSON for programs, with the same status.

use galley_tests::{
    TestSite,
    http_client::{HttpResponse, send_raw},
};

const SITE: &str = "title = 'Tides & <i>Winds</i>'\n";
const BROWSER: &str = "accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";

fn browse(app: &TestSite, method: &str, target: &str, fields: &str) -> HttpResponse {
    let host = app.address();
    let request =
        format!("{method} {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{fields}\r\n");
    send_raw(host, request)
}

fn is_json(response: &HttpResponse) -> bool {
    let kind = response.header("content-type").unwrap();
    kind.starts_with("application/json")
}

#[test]
fn browsers_get_error_pages_and_programs_json() {
    let app = TestSite::builder()
        .headless()
        .file("site.toml", SITE)
        .start();
    for (target, status) in [
        ("/missing/", 404),
        ("/missing", 404),
        ("/tag/none/rss/", 404),
        ("/p/0d5a7c5e-2f0b-4d0e-9d0a-3b1f6a7c8e9f/", 404),
        ("/p/0d5a7c5e-2f0b-4d0e-9d0a-3b1f6a7c8e9f/?a=%ff", 404),
        ("/p/nonsense/", 404),
        ("/email/0d5a7c5e-2f0b-4d0e-9d0a-3b1f6a7c8e9f/", 404),
        ("/content/images/none.png", 404),
        ("/assets/none.css", 404),
        ("/members/none/", 404),
        ("/members/?token=%ff", 400),
        ("/.well-known/none", 404),
        ("/ghost/api", 404),
        ("/%ff/", 404),
        ("//", 404),
    ] {
        let page = browse(&app, "GET", target, BROWSER);
        let json = browse(&app, "GET", target, "accept: */*\r\n");
        assert!(is_json(&json), "{target}: {}", json.text());
        assert_eq!((page.status, json.status), (status, status), "{target}");
        let kind = page.header("content-type");
        assert_eq!(kind, Some("text/html; charset=utf-8"), "{target}");
        assert!(page.text().contains("<h1>"), "{target}");
        let cache = page.header("cache-control").unwrap();
        assert!(cache.contains("no-store"), "{target}: {cache}");
        let head = browse(&app, "HEAD", target, BROWSER);
        assert_eq!(head.status, status, "{target}");
        assert_eq!(head.header("content-type"), kind, "{target}");
    }
}

#[test]
fn error_page_names_the_site_and_links_to_it() {
    let app = TestSite::builder()
        .headless()
        .file("site.toml", SITE)
        .start();
    let page = browse(&app, "GET", "/%3Cscript%3Ealert(1)%3C/script%3E/", BROWSER);
    let home = format!(
        "<a href=\"http://{}/\">Tides &amp; &lt;i&gt;Winds&lt;/i&gt;</a>",
        app.address()
    );
    assert!(page.text().contains(&home), "{}", page.text());
    assert!(page.text().contains("<h1>Page not found</h1>"));
    assert!(!page.text().contains("alert"), "{}", page.text());
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
}

#[test]
fn apis_and_forms_respond_with_json_to_browsers_too() {
    let app = TestSite::builder()
        .headless()
        .file("site.toml", SITE)
        .start();
    for (method, target) in [
        ("GET", "/ghost/api/content/posts/"),
        ("GET", "/ghost/api/none/"),
        ("GET", "/members/api/none/"),
        ("POST", "/missing/"),
        ("DELETE", "/missing/"),
    ] {
        let response = browse(&app, method, target, BROWSER);
        assert!(is_json(&response), "{method} {target}");
        assert!(response.status >= 400, "{method} {target}");
    }
}
