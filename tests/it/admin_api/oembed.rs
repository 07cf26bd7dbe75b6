//! Tests of embeds and bookmarks: no outgoing requests by default, and with them if the operator allows it.

use galley_tests::{
    TestSite,
    other_site::{OtherSite, raw_response},
    staff::OWNER,
};
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
    site.add(
        "tags",
        json!({"name": "Boats", "description": "All of them"}),
    );
    for post in [
        json!({
            "title": "Low tide", "status": "published", "custom_excerpt": "Mud and birds",
            "feature_image": "https://images.example/a.png",
        }),
        json!({"title": "Secret draft", "custom_excerpt": "Secret"}),
    ] {
        site.add("posts", post);
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
    let unknown = "https://other.example/x";
    let none = site.ask("GET", &endpoint(unknown, "embed"), None);
    assert_eq!(
        failure(&none),
        (422, "ValidationError".to_owned(), Value::Null)
    );
    assert_eq!(none.json()["errors"][0]["context"], unknown);
}

#[test]
fn bookmark_of_a_page_of_this_site_shows_public_data() {
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

/// Starts another site with a page, its oEmbed response, and a URL that redirects to the page.
fn ferries() -> OtherSite {
    const VIDEO: &str = "<title>Night ferry</title><meta name=\"description\" content=\"A video\"><link rel=\"icon\" href=\"/i.png\">\
                         <link rel=\"alternate\" type=\"application/json+oembed\" href=\"/offer\">";
    const OFFER: &str = r#"{"type": "video", "html": "<iframe></iframe>", "width": 640, "provider_name": "Ferries"}"#;
    OtherSite::start(|path| match path {
        "/video" => raw_response(
            "200 OK",
            "content-type: text/html; charset=utf-8\r\n",
            VIDEO,
        ),
        "/offer" => raw_response("200 OK", "content-type: application/json\r\n", OFFER),
        "/moved" => raw_response("302 Found", "location: /video\r\n", ""),
        _ => raw_response("404 Not Found", "", ""),
    })
}

#[test]
fn bookmark_fetches_other_sites_if_the_operator_allows_it() {
    let site = TestSite::builder()
        .option("oembed.outside", "true")
        .option("private_receivers", "true")
        .staffed()
        .start();
    let other = ferries();

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
    let other = ferries();
    let port = other.address.port();

    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"] {
        let address = format!("http://{host}:{port}/video");
        let card = site.read(&endpoint(&address, "bookmark"));
        assert_ne!(card["metadata"]["title"], "Night ferry", "{host}");
    }

    assert_eq!(other.requested(), [""; 0]);
}
