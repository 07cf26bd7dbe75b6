//! Tests of the active theme's assets, and of theme files that are never served.

use std::io::Read;

use flate2::read::GzDecoder;
use galley_tests::{Request, Who};

use super::{activate, get, pages::site_with, site, theme_with, upload};

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

/// As in Ghost, the path of a folder gets the theme's page for 404, and a missing file a plain-text response.
#[test]
fn paths_of_folders_get_the_missing_page() {
    let site = site_with(&[("error-404.hbs", "Nothing here")]);
    for (path, kind) in [
        ("/assets/", "text/html; charset=utf-8"),
        ("/assets/css/", "text/html; charset=utf-8"),
        ("/public/", "text/html; charset=utf-8"),
        ("/content/", "text/html; charset=utf-8"),
        ("/assets/none.css", "text/plain; charset=utf-8"),
        ("/public/none.css", "text/plain; charset=utf-8"),
        ("/content/images/", "text/plain; charset=utf-8"),
    ] {
        let response = get(&site, path);
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(response.header("content-type"), Some(kind), "{path}");
    }
}

#[test]
fn text_assets_are_compressed_with_an_etag_for_each_encoding() {
    let site = site();
    let styles = "body { color: teal }\n".repeat(200);
    let image = format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{styles}</svg>");
    let files = [
        ("assets/screen.css", &*styles),
        ("assets/main.js", &styles),
        ("assets/data.json", &styles),
        ("assets/logo.svg", &image),
        ("assets/font.woff2", &styles),
        ("assets/short.css", "body{}"),
    ];
    upload(&site, "tide.zip", &theme_with(&files));
    activate(&site, "tide");
    let ask = |target: &str, fields: &[(&str, &str)]| {
        let request = Request::new("GET", target);
        let request = fields.iter().fold(request, |request, (name, value)| {
            request.header(name, value)
        });
        site.ask_as(&Who::Anonymous, &request)
    };
    for target in [
        "/assets/screen.css",
        "/assets/main.js",
        "/assets/data.json",
        "/assets/logo.svg",
    ] {
        let plain = ask(target, &[]);
        assert_eq!(plain.header("content-encoding"), None, "{target}");
        let mut tags = vec![plain.header("etag").unwrap().to_owned()];
        // The second response in each encoding is cached.
        for encoding in ["gzip", "br", "br", "gzip"] {
            let response = ask(target, &[("accept-encoding", encoding)]);
            assert_eq!(response.header("content-encoding"), Some(encoding));
            assert_eq!(response.header("vary"), Some("Accept-Encoding"));
            assert!(response.body.len() < styles.len() / 10, "{target}");
            let tag = response.header("etag").unwrap().to_owned();
            let known = [("accept-encoding", encoding), ("if-none-match", &*tag)];
            let again = ask(target, &known);
            assert_eq!((again.status, again.header("etag")), (304, Some(&*tag)));
            assert_eq!(again.header("vary"), Some("Accept-Encoding"));
            tags.push(tag);
        }
        tags.sort();
        tags.dedup();
        assert_eq!(tags.len(), 3, "{target}: {tags:?}");
    }
    let compressed = ask("/assets/screen.css", &[("accept-encoding", "gzip")]);
    let mut text = String::new();
    GzDecoder::new(&*compressed.body)
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, styles);
    for target in ["/assets/font.woff2", "/assets/short.css"] {
        let response = ask(target, &[("accept-encoding", "gzip, br")]);
        assert_eq!(response.header("content-encoding"), None, "{target}");
    }
    let part = [("accept-encoding", "br"), ("range", "bytes=0-3")];
    let part = ask("/assets/screen.css", &part);
    assert_eq!((part.status, part.text()), (206, "body"));
    assert_eq!(part.header("content-encoding"), None);
}

#[test]
fn asset_of_a_replaced_theme_is_compressed_again() {
    let site = site();
    let etag_of = |colour: &str| {
        let styles = format!("body {{ color: {colour} }}\n").repeat(200);
        upload(
            &site,
            "tide.zip",
            &theme_with(&[("assets/screen.css", &styles)]),
        );
        activate(&site, "tide");
        let request = Request::new("GET", "/assets/screen.css").header("accept-encoding", "gzip");
        let response = site.ask_as(&Who::Anonymous, &request);
        let mut text = String::new();
        let mut decoder = GzDecoder::new(&*response.body);
        decoder.read_to_string(&mut text).unwrap();
        assert_eq!(text, styles);
        response.header("etag").unwrap().to_owned()
    };
    assert_ne!(etag_of("teal"), etag_of("plum"));
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
            // The site redirects to the path with a trailing slash.
            Some(location) => get(&site, location),
            None => response,
        };
        assert_eq!(response.status, 404, "{target}");
        assert!(!response.text().contains("HIDDEN"), "{target}");
    }
}
