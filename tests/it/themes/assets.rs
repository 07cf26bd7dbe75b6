//! Tests of assets of the active theme, and of theme files that are never served.

use super::{activate, get, site, theme_with, upload};
use galley_tests::{Request, Who};

#[test]
fn assets_are_served_with_content_type_and_ranges() {
    let site = site();
    let files = [
        ("assets/built/screen.css", "body{}"),
        ("assets/js/a b.js", "1"),
        ("assets/font.woff2", "font"),
    ];
    upload(&site, "tide.zip", &theme_with(&files));
    activate(&site, "tide");
    for (target, body, kind, vary) in [
        (
            "/assets/built/screen.css?v=1",
            "body{}",
            "text/css; charset=UTF-8",
            Some("Accept-Encoding"),
        ),
        (
            "/assets/js/a%20b.js",
            "1",
            "application/javascript; charset=UTF-8",
            Some("Accept-Encoding"),
        ),
        ("/assets/font.woff2", "font", "font/woff2", None),
    ] {
        let response = get(&site, target);
        assert_eq!((response.status, response.text()), (200, body), "{target}");
        assert_eq!(response.header("content-type"), Some(kind));
        assert_eq!(response.header("vary"), vary);
        assert_eq!(
            response.header("cache-control"),
            Some("public, max-age=31536000")
        );
        let tag = response.header("etag").unwrap().to_owned();
        let again = Request::new("GET", target).header("if-none-match", &tag);
        assert_eq!(site.ask_as(&Who::Anonymous, &again).status, 304);
    }
    let part = Request::new("GET", "/assets/built/screen.css").header("range", "bytes=0-3");
    let part = site.ask_as(&Who::Anonymous, &part);
    assert_eq!((part.status, part.text()), (206, "body"));
}

#[test]
fn templates_and_metadata_of_a_theme_are_not_served() {
    let site = site();
    let files = [
        ("assets/LICENSE", "HIDDEN"),
        ("assets/partial.hbs", "HIDDEN"),
        ("assets/README.md", "HIDDEN"),
        ("assets/package.json", "HIDDEN"),
        ("package.json", "{\"name\": \"HIDDEN\"}"),
        ("secret.txt", "HIDDEN"),
    ];
    upload(&site, "tide.zip", &theme_with(&files));
    activate(&site, "tide");
    for target in [
        "/assets/LICENSE",
        "/assets/partial.hbs",
        "/assets/README.md",
        "/assets/package.json",
        "/assets/../secret.txt",
        "/assets/%2e%2e/secret.txt",
        "/assets/..%2fsecret.txt",
        "/assets/%00.css",
        "/assets/%zz.css",
        "/assets/",
        "/assets",
        "/package.json",
        "/index.hbs",
        "/assets/none.css",
    ] {
        let response = get(&site, target);
        let response = match response.header("location") {
            // The site adds the last slash.
            Some(location) => get(&site, location),
            None => response,
        };
        assert_eq!(response.status, 404, "{target}");
        assert!(!response.text().contains("HIDDEN"), "{target}");
    }
}
