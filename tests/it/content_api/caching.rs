//! Tests of entity tags, conditional requests, compression, and HEAD.

use std::io::Read;

use super::fixture;
use galley_tests::http_client::HttpResponse;

const PUBLIC: Option<&str> = Some("public, max-age=0");

#[test]
fn response_has_content_type_and_cache_control() {
    let app = fixture::site();
    for attempt in ["fresh", "cached"] {
        let response = app.content_with("posts/", "accept: text/html\r\n");
        for (name, value) in [
            ("content-type", "application/json; charset=utf-8"),
            ("content-version", "v6.65"),
            ("vary", "Accept-Version, Accept-Encoding"),
            ("cache-control", "public, max-age=0"),
            ("access-control-allow-origin", "*"),
        ] {
            assert_eq!(response.header(name), Some(value), "{attempt} {name}");
        }
        assert_eq!(response.header("x-cache-invalidate"), None);
        assert_eq!(response.header("access-control-allow-credentials"), None);
        let tag = response.header("etag").unwrap();
        assert!(tag.starts_with("W/\"") && tag.ends_with('"'), "{tag}");
    }
}

#[test]
fn errors_are_not_cached() {
    let app = fixture::site();
    let nothing =
        "no-cache, max-age=0, no-store, must-revalidate, max-stale=0, post-check=0, pre-check=0";
    let private =
        "no-cache, private, no-store, must-revalidate, max-stale=0, post-check=0, pre-check=0";
    for (endpoint, expected) in [
        ("posts/slug/nosuch/", nothing),
        ("nosuch/", nothing),
        ("posts/?limit=-1", private),
        ("posts/?filter=((", private),
    ] {
        let response = app.content(endpoint);
        assert_eq!(
            response.header("cache-control"),
            Some(expected),
            "{endpoint}"
        );
        let tag = response.header("etag").expect("every body has a tag");
        assert!(tag.starts_with("W/\""), "{endpoint}: {tag}");
        assert_eq!(
            response.header("access-control-allow-origin"),
            Some("*"),
            "{endpoint}"
        );
        let again = app.content_with(endpoint, "if-none-match: *\r\n");
        assert_eq!(again.status, response.status, "{endpoint}");
    }
}

#[test]
fn matching_etag_gets_304() {
    let app = fixture::site();
    let full = app.content_with("posts/", "");
    let tag = full.header("etag").unwrap();
    let strong = tag.strip_prefix("W/").unwrap();
    for (known, status) in [
        (tag.to_owned(), 304),
        (strong.to_owned(), 304),
        (format!("\"other\", {tag}"), 304),
        ("*".to_owned(), 304),
        ("W/\"other\"".to_owned(), 200),
        (String::new(), 200),
    ] {
        let response = app.content_with("posts/", &format!("if-none-match: {known}\r\n"));
        assert_eq!(response.status, status, "{known}");
        if status == 304 {
            assert_eq!(response.body, b"");
            assert_eq!(response.header("content-type"), None);
            assert_eq!(response.header("etag"), Some(tag));
            assert_eq!(response.header("vary"), full.header("vary"));
            assert_eq!(response.header("cache-control"), PUBLIC);
            assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        }
    }
}

#[test]
fn request_with_no_cache_gets_the_full_response() {
    let app = fixture::site();
    let tag = app
        .content_with("posts/", "")
        .header("etag")
        .unwrap()
        .to_owned();
    for directive in ["no-cache", "No-Cache", "max-age=0, no-cache"] {
        let headers = format!("if-none-match: {tag}\r\ncache-control: {directive}\r\n");
        assert_eq!(
            app.content_with("posts/", &headers).status,
            200,
            "{directive}"
        );
    }
    let headers = format!("if-none-match: {tag}\r\ncache-control: max-age=0\r\n");
    assert_eq!(app.content_with("posts/", &headers).status, 304);
}

fn decompressed(response: &HttpResponse) -> Vec<u8> {
    let mut body = Vec::new();
    match response.header("content-encoding") {
        Some("gzip") => {
            flate2::read::GzDecoder::new(response.body.as_slice()).read_to_end(&mut body)
        }
        Some("deflate") => {
            flate2::read::ZlibDecoder::new(response.body.as_slice()).read_to_end(&mut body)
        }
        Some("br") => {
            brotli::Decompressor::new(response.body.as_slice(), 4096).read_to_end(&mut body)
        }
        other => panic!("compressed as {other:?}"),
    }
    .unwrap();
    body
}

#[test]
fn long_body_is_compressed_as_negotiated() {
    let app = fixture::site();
    let plain = app.content_with("posts/", "");
    assert_eq!(plain.header("content-encoding"), None);
    for (accepted, expected) in [
        ("gzip", "gzip"),
        ("br", "br"),
        ("deflate", "deflate"),
        ("deflate, gzip", "gzip"),
        ("gzip, deflate, br", "br"),
        ("gzip;q=1.0, br;q=0.5", "gzip"),
    ] {
        for attempt in ["fresh", "cached"] {
            let response = app.content_with("posts/", &format!("accept-encoding: {accepted}\r\n"));
            assert_eq!(
                response.header("content-encoding"),
                Some(expected),
                "{accepted} {attempt}"
            );
            assert!(response.body.len() < plain.body.len() / 2, "{accepted}");
            assert_eq!(decompressed(&response), plain.body, "{accepted} {attempt}");
            assert_eq!(
                response.header("etag"),
                plain.header("etag"),
                "the entity tag is that of the uncompressed body"
            );
            assert_eq!(response.header("vary"), plain.header("vary"));
        }
    }
    for without_encoding in ["identity", "zstd", "gzip;q=0", ""] {
        let response = app.content_with(
            "posts/",
            &format!("accept-encoding: {without_encoding}\r\n"),
        );
        assert_eq!(
            response.header("content-encoding"),
            None,
            "{without_encoding}"
        );
    }
}

#[test]
fn short_body_is_not_compressed() {
    let app = fixture::site();
    let response = app.content_with("posts/?fields=slug", "accept-encoding: gzip, br\r\n");
    assert!(response.body.len() < 1024);
    assert_eq!(response.header("content-encoding"), None);
}

#[test]
fn head_responds_like_get_without_a_body() {
    let app = fixture::site();
    for endpoint in [
        "posts/",
        "posts/slug/night-ferry/",
        "settings/",
        "posts",
        "posts/slug/nosuch/",
    ] {
        let path = app.content_path(endpoint);
        let get = app.get(&path);
        let head = app.send("HEAD", &path, "", "");
        assert_eq!(
            (head.status, head.body.as_slice()),
            (get.status, &b""[..]),
            "{endpoint}"
        );
        for name in [
            "content-type",
            "etag",
            "vary",
            "cache-control",
            "content-length",
            "location",
        ] {
            // Two errors differ in their identifiers.
            if name == "etag" && get.status == 404 {
                continue;
            }
            assert_eq!(head.header(name), get.header(name), "{endpoint} {name}");
        }
    }
    let path = app.content_path("posts/");
    assert_eq!(
        app.send("HEAD", &path, "if-none-match: *\r\n", "").status,
        304
    );
}

#[test]
fn equivalent_queries_have_the_same_etag() {
    let app = fixture::site();
    let tag = |endpoint: &str| app.content(endpoint).header("etag").map(str::to_owned);
    assert_eq!(
        tag("posts/?limit=2&include=tags"),
        tag("posts/?include=tags&nosuch=1&limit=2")
    );
    assert_ne!(tag("posts/?limit=2"), tag("posts/?limit=3"));
}
