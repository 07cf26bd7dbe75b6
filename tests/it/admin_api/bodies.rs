//! Bodies of requests that are packed, or marked as UTF-8 (Ghost 6.65, observed).

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use serde_json::json;

use super::owner::site;
use crate::{
    http_client::Answer,
    staffed_site::{ADMIN, Ask, StaffedSite, Who, owner},
};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

/// Sends a body of JSON that says that it is packed so.
fn post(site: &StaffedSite, who: &Who, endpoint: &str, packing: &str, body: Vec<u8>) -> Answer {
    let ask = Ask::new("POST", &format!("{ADMIN}/{endpoint}"))
        .header("content-type", "application/json")
        .header("content-encoding", packing)
        .bytes(body);
    site.send(who, &ask)
}

#[test]
fn packed_json_is_taken() {
    let site = site();
    let label = json!({"labels": [{"name": "Packed"}]}).to_string();
    let answer = post(&site, &owner(), "labels/", "gzip", gzip(label.as_bytes()));
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!(answer.json()["labels"][0]["name"], "Packed");

    let plain = label.into_bytes();
    for (packing, body, status) in [
        ("gzip", plain.clone(), 400),
        ("br", plain.clone(), 415),
        ("identity", plain, 422),
    ] {
        let answer = post(&site, &owner(), "labels/", packing, body);
        assert_eq!(answer.status, status, "{packing}: {}", answer.text());
    }
}

#[test]
fn a_stranger_opens_no_more_than_strangers_may_send() {
    let site = site();
    let bomb = gzip(&vec![b' '; 8 << 20]);
    for endpoint in ["session/", "labels/", "nowhere/"] {
        let answer = post(&site, &Who::Nobody, endpoint, "gzip", bomb.clone());
        assert_eq!(answer.status, 413, "{endpoint}: {}", answer.text());
    }
}

#[test]
fn the_mark_of_utf_8_is_passed_over() {
    let site = site();
    let label = json!({"labels": [{"name": "Marked"}]});
    let ask = Ask::new("POST", &format!("{ADMIN}/labels/"))
        .header("content-type", "application/json")
        .bytes(format!("\u{feff}{label}"));
    let answer = site.send(&owner(), &ask);
    assert_eq!(answer.status, 201, "{}", answer.text());
}
