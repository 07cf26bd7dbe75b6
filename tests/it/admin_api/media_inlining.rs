//! Tests that media of other sites are copied to the uploads, and that posts, tags and users refer to the copies.

use galley_tests::{
    Request, TestSite, Who,
    other_site::{OtherSite, raw_response},
    wait_for,
};
use serde_json::{Value, json};

use super::failure;

const PNG: &[u8] = include_bytes!("../../recordings/files/plate.png");
const HEIC: &[u8] = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic";

/// Starts another site with images and other files.
fn other_site_with_images() -> OtherSite {
    OtherSite::start(|path| {
        let (status, kind, body): (_, _, &[u8]) = match path {
            path if path.starts_with("/a.png") => ("200 OK", "image/png", PNG),
            "/b" => ("200 OK", "image/png", PNG),
            "/c.heic" => ("200 OK", "image/heic", HEIC),
            "/page" => ("200 OK", "text/html", b"<p>A page</p>"),
            "/paper.pdf" => ("200 OK", "application/pdf", b"%PDF-1.4 words"),
            _ => ("404 Not Found", "text/plain", b"nothing"),
        };
        raw_response(status, &format!("content-type: {kind}\r\n"), body)
    })
}

/// Copies the media of these domains and returns the final progress.
fn inline_media(site: &TestSite, domains: Value) -> Value {
    let started = site.ask(
        "POST",
        "db/media/inline/",
        Some(&json!({ "domains": domains })),
    );
    assert_eq!(started.status, 200, "{}", started.text());
    assert_eq!(started.json(), json!({"status": "success"}));
    wait_for(
        "the media are copied",
        || site.read("db/media/inline/")["inline"][0].clone(),
        |progress| progress["status"] == "idle",
    )
}

fn post_of(site: &TestSite, html: &str, image: &str) -> Value {
    let post = json!({"posts": [{"title": "Ferry", "html": html, "feature_image": image, "og_image": image}]});
    let made = site.ask("POST", "posts/?source=html", Some(&post));
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["posts"][0].clone()
}

#[test]
fn media_of_the_domains_are_copied_once_and_records_refer_to_the_copies() {
    let site = TestSite::builder()
        .option("private_receivers", "true")
        .staffed()
        .start();
    let other = other_site_with_images();
    let url = &other.at("");
    let html = format!(
        "<img src=\"{url}/a.png?x=1&amp;y=2\"><p>See <a href=\"{url}/paper.pdf\">the paper</a> and {url}/a.png in words</p>\
         <!--kg-card-begin: html--><img srcset=\"{url}/b 1x, {url}/gone.png 2x\"><img src=\"{url}/c.heic\"><!--kg-card-end: html-->\
         <p><a href=\"{url}/page\">a page</a> <a href=\"https://elsewhere.example/x.png\">elsewhere</a></p>"
    );
    let post = post_of(&site, &html, &format!("{url}/b"));
    site.add(
        "tags",
        json!({"name": "Sea", "feature_image": format!("{url}/b")}),
    );
    let me = site.read("users/me/")["users"][0].clone();
    let user = json!({"users": [{"profile_image": format!("{url}/b")}]});
    let endpoint = format!("users/{}/", me["id"].as_str().unwrap());
    assert_eq!(site.ask("PUT", &endpoint, Some(&user)).status, 200);

    let progress = inline_media(&site, json!([url]));

    assert_eq!(progress["records_changed"], 3, "{progress}");
    assert_eq!(progress["files_copied"], 3, "{progress}");
    let failures = progress["failures"].as_array().unwrap();
    let failed: Vec<&str> = failures
        .iter()
        .map(|failure| failure["subject"].as_str().unwrap())
        .collect();
    let expected = ["/gone.png", "/c.heic", "/page"].map(|path| format!("{url}{path}"));
    assert_eq!(failed, expected, "{progress}");
    let id = post["id"].as_str().unwrap();
    let after = site.read(&format!("posts/{id}/?formats=html"))["posts"][0].clone();
    let html = after["html"].as_str().unwrap();
    let copy = |name: &str| {
        let start = html
            .find(name)
            .unwrap_or_else(|| panic!("no {name} in {html}"));
        assert!(html[..start].ends_with('/'), "{html}");
    };
    copy("a.png\"");
    copy("paper.pdf\"");
    for unchanged in ["/a.png in words", "/gone.png 2x", "/c.heic\"", "/page\""] {
        assert!(
            html.contains(&format!("{url}{unchanged}")),
            "{unchanged}: {html}"
        );
    }
    let image = after["feature_image"].as_str().unwrap();
    assert!(
        image.contains("/content/images/") && image.ends_with("/b.png"),
        "{image}"
    );
    assert_eq!(after["og_image"], image);
    assert_eq!(site.read("tags/")["tags"][0]["feature_image"], image);
    assert_eq!(site.read("users/me/")["users"][0]["profile_image"], image);
    let path = image.split_once("/content/").unwrap().1;
    let served = site.ask_as(
        &Who::Anonymous,
        &Request::new("GET", &format!("/content/{path}")),
    );
    assert_eq!(served.status, 200);
    let requested = other.requested();
    let mut distinct = requested.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(
        requested.len(),
        distinct.len(),
        "a file is requested twice: {requested:?}"
    );

    let again = inline_media(&site, json!([url]));
    assert_eq!(again["records_changed"], 0, "{again}");
}

#[test]
fn private_addresses_are_not_reached() {
    let site = TestSite::builder().staffed().start();
    let other = other_site_with_images();
    post_of(&site, &format!("<img src=\"{}\">", other.at("/a.png")), "");
    let progress = inline_media(&site, json!([other.at("")]));
    assert_eq!(progress["files_copied"], 0);
    assert_eq!(progress["failures"][0]["subject"], other.at("/a.png"));
    assert_eq!(other.requested(), [""; 0]);
}

#[test]
fn domains_are_checked_and_have_a_default() {
    let site = TestSite::builder().staffed().start();
    for wrong in [
        json!("https://a.example"),
        json!([1]),
        json!([null]),
        json!(["a.example"]),
        json!(["ftp://a.example"]),
    ] {
        let response = site.ask(
            "POST",
            "db/media/inline/",
            Some(&json!({ "domains": wrong })),
        );
        assert_eq!(failure(&response).0, 422, "{wrong}");
        assert_eq!(failure(&response).2, "domains", "{wrong}");
    }
    let progress = inline_media(&site, json!([]));
    assert_eq!(
        progress["domains"],
        json!(["https://s3.amazonaws.com/revue", "https://substackcdn.com"])
    );
    let unknown = site.ask("POST", "db/media/inline/", Some(&json!({"domain": "x"})));
    assert_eq!(unknown.header("galley-ignored-fields"), Some("domain"));
    let ask_as_author = Request::new("GET", "/ghost/api/admin/db/media/inline/");
    assert_eq!(
        site.ask_as(&Who::session("Author"), &ask_as_author).status,
        403
    );
}
