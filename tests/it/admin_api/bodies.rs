//! Tests of request bodies that are compressed or have a byte order mark (Ghost 6.65, observed).

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use galley_tests::{Request, TestSite, Who, http_client::HttpResponse, owner, request::ADMIN};
use serde_json::json;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Sends a JSON body with this content encoding.
fn post(site: &TestSite, who: &Who, endpoint: &str, encoding: &str, body: Vec<u8>) -> HttpResponse {
    let request = Request::new("POST", &format!("{ADMIN}/{endpoint}"))
        .header("content-type", "application/json")
        .header("content-encoding", encoding)
        .bytes(body);
    site.ask_as(who, &request)
}

#[test]
fn compressed_json_body_is_accepted() {
    let site = TestSite::staffed();
    let label = json!({"labels": [{"name": "Compressed"}]}).to_string();
    let response = post(&site, &owner(), "labels/", "gzip", gzip(label.as_bytes()));
    assert_eq!(response.status, 201, "{}", response.text());
    assert_eq!(response.json()["labels"][0]["name"], "Compressed");

    let plain = label.into_bytes();
    for (encoding, body, status) in [
        ("gzip", plain.clone(), 400),
        ("br", plain.clone(), 415),
        ("identity", plain, 422),
    ] {
        let response = post(&site, &owner(), "labels/", encoding, body);
        assert_eq!(response.status, status, "{encoding}: {}", response.text());
    }
}

#[test]
fn anonymous_client_cannot_send_a_decompression_bomb() {
    let site = TestSite::staffed();
    let bomb = gzip(&vec![b' '; 8 << 20]);
    for endpoint in ["session/", "labels/", "nowhere/"] {
        let response = post(&site, &Who::Anonymous, endpoint, "gzip", bomb.clone());
        assert_eq!(response.status, 413, "{endpoint}: {}", response.text());
    }
}

#[test]
fn byte_order_mark_is_ignored() {
    let site = TestSite::staffed();
    let label = json!({"labels": [{"name": "Marked"}]});
    let request = Request::new("POST", &format!("{ADMIN}/labels/"))
        .header("content-type", "application/json")
        .bytes(format!("\u{feff}{label}"));
    let response = site.ask_as(&owner(), &request);
    assert_eq!(response.status, 201, "{}", response.text());
}
