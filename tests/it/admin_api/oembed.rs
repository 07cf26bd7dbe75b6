//! Tests of embeds and bookmarks: without outgoing requests by default, and with them where the operator allows it.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener},
    sync::mpsc::{self, Receiver},
    thread,
};

use galley_tests::{TestSite, staff::OWNER};
use serde_json::{Value, json};
use url::form_urlencoded;

use super::failure;

fn site() -> TestSite {
    let site = TestSite::builder()
        .url("https://harbour.example")
        .staffed()
        .start();
    let settings = json!([
        {"key": "title", "value": "Harbour"},
        {"key": "icon", "value": "/icon.png"},
    ]);
    let settings = json!({ "settings": settings });
    assert_eq!(site.ask("PUT", "settings/", Some(&settings)).status, 200);
    let tag = json!({"tags": [{"name": "Boats", "description": "All of them"}]});
    assert_eq!(site.ask("POST", "tags/", Some(&tag)).status, 201);
    for post in [
        json!({
            "title": "Low tide", "status": "published", "custom_excerpt": "Mud and birds",
            "feature_image": "https://images.example/a.png",
        }),
        json!({"title": "Secret draft", "custom_excerpt": "Secret"}),
    ] {
        let made = site.ask("POST", "posts/", Some(&json!({"posts": [post]})));
        assert_eq!(made.status, 201, "{}", made.text());
    }
    site
}

fn endpoint(url: &str, kind: &str) -> String {
    let url: String = form_urlencoded::byte_serialize(url.as_bytes()).collect();
    format!("oembed/?url={url}&type={kind}")
}

#[test]
fn embed_is_returned_for_a_known_provider() {
    let site = site();
    let video = "https://www.youtube.com/watch?v=abc";
    for kind in ["embed", ""] {
        let response = site.read(&endpoint(video, kind));
        assert_eq!(response["type"], "video");
        assert_eq!(response["provider_name"], "YouTube");
        assert!(response["html"].as_str().unwrap().starts_with("<iframe"));
    }
    assert_eq!(site.read(&endpoint(video, "bookmark"))["type"], "bookmark");
    let none = site.ask("GET", &endpoint("https://other.example/x", "embed"), None);
    assert_eq!(
        failure(&none),
        (422, "ValidationError".to_owned(), Value::Null)
    );
}

#[test]
fn bookmark_of_an_own_page_shows_public_data() {
    let site = site();
    let post = "https://harbour.example/low-tide/";
    let card = site.read(&endpoint(post, "bookmark"));
    assert_eq!(
        card["metadata"],
        json!({
            "url": post, "title": "Low tide", "description": "Mud and birds", "author": OWNER.0, "publisher": "Harbour",
            "thumbnail": "https://images.example/a.png", "icon": "https://harbour.example/icon.png",
        })
    );
    let tag = site.read(&endpoint("https://harbour.example/tag/boats/", "mention"));
    assert_eq!(tag["type"], "mention");
    assert_eq!(tag["metadata"]["title"], "Boats");
    assert_eq!(tag["metadata"]["description"], "All of them");
    // Unpublished pages and pages without an author show the site.
    for other in ["secret-draft/", "nothing/", "", "a/b/c/"] {
        let card = site.read(&endpoint(&format!("https://harbour.example/{other}"), ""));
        assert_eq!(card["metadata"]["title"], "Harbour", "{other}");
    }
}

#[test]
fn bookmark_of_another_site_shows_its_url() {
    let site = site();
    for address in [
        "https://other.example/low-tide/",
        "https://harbour.example.evil.example/low-tide/",
    ] {
        let card = site.read(&endpoint(address, "bookmark"));
        let host = address.split('/').nth(2).unwrap();
        assert_eq!(card["metadata"]["title"], host);
        assert_eq!(card["metadata"]["description"], Value::Null);
    }
}

#[test]
fn invalid_url_is_rejected() {
    let site = site();
    for bad in [
        "words",
        "mailto:a@b.example",
        "javascript:alert(1)",
        "https://",
        &format!("https://a.example/{}", "a".repeat(2000)),
    ] {
        let response = site.ask("GET", &endpoint(bad, ""), None);
        assert_eq!(failure(&response).0, 422, "{bad}: {}", response.text());
    }
    for none in ["oembed/", "oembed/?url=", "oembed/?url=%20"] {
        assert_eq!(failure(&site.ask("GET", none, None)).0, 400, "{none}");
    }
}

/// Another site, at a port of this machine: a page, what it offers for embedding, and an address that leads to the page.
/// It reports which paths were requested.
struct OtherSite {
    address: SocketAddr,
    asked: Receiver<String>,
}

impl OtherSite {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, asked) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut line = String::new();
                BufReader::new(&stream).read_line(&mut line).unwrap();
                let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                let response = Self::respond(&path);
                // The client may disconnect once it has read enough.
                let _ = stream.write_all(response.as_bytes());
                if sender.send(path).is_err() {
                    return;
                }
            }
        });
        Self { address, asked }
    }

    fn respond(path: &str) -> String {
        let whole = |kind: &str, body: &str| {
            let length = body.len();
            format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            )
        };
        let video = "<title>Night ferry</title><meta name=\"description\" content=\"A video\"><link rel=\"icon\" href=\"/i.png\">\
                    <link rel=\"alternate\" type=\"application/json+oembed\" href=\"/offer\">";
        match path {
            "/video" => whole("text/html; charset=utf-8", video),
            "/offer" => whole(
                "application/json",
                r#"{"type": "video", "html": "<iframe></iframe>", "width": 640, "provider_name": "Ferries"}"#,
            ),
            "/moved" => "HTTP/1.1 302 Found\r\nlocation: /video\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned(),
            _ => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned(),
        }
    }

    fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

#[test]
fn bookmark_fetches_other_sites_if_the_operator_allows_it() {
    let site = TestSite::builder()
        .option("oembed.outside", "true")
        .option("private_receivers", "true")
        .staffed()
        .start();
    let other = OtherSite::start();

    let card = site.read(&endpoint(&other.at("/moved"), "bookmark"));
    let player = site.read(&endpoint(&other.at("/video"), "embed"));
    let nothing = site.read(&endpoint(&other.at("/nothing"), "bookmark"));

    assert_eq!(card["metadata"]["title"], "Night ferry");
    assert_eq!(card["metadata"]["description"], "A video");
    assert_eq!(card["metadata"]["icon"], json!(other.at("/i.png")));
    assert_eq!(player["type"], "video");
    assert_eq!(player["html"], "<iframe></iframe>");
    assert_eq!(player["provider_name"], "Ferries");
    assert_eq!(nothing["metadata"]["title"], "127.0.0.1");
}

#[test]
fn bookmark_does_not_fetch_private_addresses() {
    let site = TestSite::builder()
        .option("oembed.outside", "true")
        .staffed()
        .start();
    let other = OtherSite::start();
    let port = other.address.port();

    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"] {
        let address = format!("http://{host}:{port}/video");
        let card = site.read(&endpoint(&address, "bookmark"));
        assert_ne!(card["metadata"]["title"], "Night ferry", "{host}");
    }

    assert!(other.asked.try_recv().is_err(), "no request came");
}
