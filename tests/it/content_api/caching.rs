//! What clients and caches are told: tags, conditions, packed bodies, HEAD.

use std::io::Read;

use super::fixture;
use crate::{app::TestApp, http_client::Answer};

const PUBLIC: Option<&str> = Some("public, max-age=0");

fn ask(app: &TestApp, headers: &str) -> Answer {
    app.content_with("posts/", headers)
}

#[test]
fn an_answer_says_what_it_is_and_how_long_it_holds() {
    let app = fixture::site();
    for attempt in ["fresh", "cached"] {
        let answer = app.content_with("posts/", "accept: text/html\r\n");
        for (name, value) in [
            ("content-type", "application/json; charset=utf-8"),
            ("content-version", "v6.65"),
            ("vary", "Accept-Version, Accept-Encoding"),
            ("cache-control", "public, max-age=0"),
            ("access-control-allow-origin", "*"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{attempt} {name}");
        }
        assert_eq!(answer.header("x-cache-invalidate"), None);
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        let tag = answer.header("etag").unwrap();
        assert!(tag.starts_with("W/\"") && tag.ends_with('"'), "{tag}");
    }
}

#[test]
fn what_fails_is_not_kept() {
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
        let answer = app.content(endpoint);
        assert_eq!(answer.header("cache-control"), Some(expected), "{endpoint}");
        let tag = answer.header("etag").expect("every body has a tag");
        assert!(tag.starts_with("W/\""), "{endpoint}: {tag}");
        assert_eq!(
            answer.header("access-control-allow-origin"),
            Some("*"),
            "{endpoint}"
        );
        let again = app.content_with(endpoint, "if-none-match: *\r\n");
        assert_eq!(again.status, answer.status, "{endpoint}");
    }
}

#[test]
fn whoever_has_the_answer_is_told_so() {
    let app = fixture::site();
    let full = ask(&app, "");
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
        let answer = ask(&app, &format!("if-none-match: {known}\r\n"));
        assert_eq!(answer.status, status, "{known}");
        if status == 304 {
            assert_eq!(answer.body, b"");
            assert_eq!(answer.header("content-type"), None);
            assert_eq!(answer.header("etag"), Some(tag));
            assert_eq!(answer.header("vary"), Some("Accept-Version"));
            assert_eq!(answer.header("cache-control"), PUBLIC);
            assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        }
    }
}

#[test]
fn whoever_insists_gets_the_answer_again() {
    let app = fixture::site();
    let tag = ask(&app, "").header("etag").unwrap().to_owned();
    for insistence in ["no-cache", "No-Cache", "max-age=0, no-cache"] {
        let headers = format!("if-none-match: {tag}\r\ncache-control: {insistence}\r\n");
        assert_eq!(ask(&app, &headers).status, 200, "{insistence}");
    }
    let headers = format!("if-none-match: {tag}\r\ncache-control: max-age=0\r\n");
    assert_eq!(ask(&app, &headers).status, 304);
}

fn unpacked(answer: &Answer) -> Vec<u8> {
    let mut body = Vec::new();
    match answer.header("content-encoding") {
        Some("gzip") => flate2::read::GzDecoder::new(answer.body.as_slice()).read_to_end(&mut body),
        Some("deflate") => {
            flate2::read::ZlibDecoder::new(answer.body.as_slice()).read_to_end(&mut body)
        }
        Some("br") => {
            brotli::Decompressor::new(answer.body.as_slice(), 4096).read_to_end(&mut body)
        }
        other => panic!("packed as {other:?}"),
    }
    .unwrap();
    body
}

#[test]
fn a_long_body_is_packed_as_the_client_likes_it() {
    let app = fixture::site();
    let plain = ask(&app, "");
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
            let answer = ask(&app, &format!("accept-encoding: {accepted}\r\n"));
            assert_eq!(
                answer.header("content-encoding"),
                Some(expected),
                "{accepted} {attempt}"
            );
            assert!(answer.body.len() < plain.body.len() / 2, "{accepted}");
            assert_eq!(unpacked(&answer), plain.body, "{accepted} {attempt}");
            assert_eq!(
                answer.header("etag"),
                plain.header("etag"),
                "the tag is the unpacked body's"
            );
            assert_eq!(answer.header("vary"), plain.header("vary"));
        }
    }
    for unpackable in ["identity", "zstd", "gzip;q=0", ""] {
        let answer = ask(&app, &format!("accept-encoding: {unpackable}\r\n"));
        assert_eq!(answer.header("content-encoding"), None, "{unpackable}");
    }
}

#[test]
fn a_short_body_is_not_packed() {
    let app = fixture::site();
    let answer = app.content_with("posts/?fields=slug", "accept-encoding: gzip, br\r\n");
    assert!(answer.body.len() < 1024);
    assert_eq!(answer.header("content-encoding"), None);
}

#[test]
fn head_is_get_without_the_body() {
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
        let head = app.ask("HEAD", &path, "", "");
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
            // Two errors are told apart by their identifiers.
            if name == "etag" && get.status == 404 {
                continue;
            }
            assert_eq!(head.header(name), get.header(name), "{endpoint} {name}");
        }
    }
    let path = app.content_path("posts/");
    assert_eq!(
        app.ask("HEAD", &path, "if-none-match: *\r\n", "").status,
        304
    );
}

#[test]
fn the_same_question_in_other_words_has_the_same_tag() {
    let app = fixture::site();
    let tag = |endpoint: &str| app.content(endpoint).header("etag").map(str::to_owned);
    assert_eq!(
        tag("posts/?limit=2&include=tags"),
        tag("posts/?include=tags&nosuch=1&limit=2")
    );
    assert_ne!(tag("posts/?limit=2"), tag("posts/?limit=3"));
}
