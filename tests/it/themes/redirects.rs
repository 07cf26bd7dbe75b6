//! Tests of redirects and of the files that define them.

use galley::{
    admin::redirects::{self, RedirectFormat},
    domain::actor::Actor,
};
use galley_tests::{
    Request, TestSite, Who, http_client::HttpResponse, multipart::Form, owner, request::ADMIN,
};

use super::{get, site};

fn send(site: &TestSite, name: &str, content: &str) -> HttpResponse {
    let form = Form::default().file("redirects", name, "text/plain", content.as_bytes());
    let request = Request::new("POST", &format!("{ADMIN}/redirects/upload/")).form(form);
    site.ask_as(&owner(), &request)
}

fn location(site: &TestSite, target: &str) -> Option<String> {
    let response = get(site, target);
    response.header("location").map(str::to_owned)
}

#[test]
fn all_paths_except_api_and_health_can_be_redirected() {
    let site = site();
    let response = send(
        &site,
        "redirects.yaml",
        "302:\n  (.*): https://example.com/all\n",
    );
    assert_eq!(response.status, 200, "{}", response.text());
    for target in [
        "/",
        "/a/",
        "/content/images/a.png",
        "/assets/css/screen.css",
    ] {
        assert_eq!(get(&site, target).status, 302, "{target}");
    }
    assert_eq!(get(&site, "/healthz").status, 200);
    assert_eq!(get(&site, &format!("{ADMIN}/site/")).status, 200);
    let posted = site.ask_as(&Who::Anonymous, &Request::new("POST", "/a/"));
    assert_eq!(posted.status, 404);
}

#[test]
fn redirects_stay_within_the_subdirectory() {
    let app = TestSite::builder().url("http://example.com/blog/").start();
    let sent = b"301:\n  /old/: /new/\n  /far/: https://example.org/\n";
    redirects::upload(app.site(), &Actor::Operator, RedirectFormat::Yaml, sent).unwrap();
    for (target, location) in [
        ("/blog/old/?a=b", "/blog/new/?a=b"),
        ("/blog/far/", "https://example.org/"),
    ] {
        let response = app.get(target);
        assert_eq!(response.status, 301, "{target}");
        assert_eq!(response.header("location"), Some(location));
    }
}

#[test]
fn rejected_redirects_file_keeps_the_previous_ones() {
    let site = site();
    assert_eq!(
        send(&site, "redirects.yaml", "# ours\n301:\n  /a/: /b/\n").status,
        200
    );
    for (name, content, status) in [
        ("redirects.json", "[", 400),
        ("redirects.json", "[{\"from\": \"/a/\"}]", 422),
        ("redirects.yaml", "301:\n  \"(\": /b/\n", 422),
        ("redirects.txt", "301:\n  /c/: /b/\n", 415),
    ] {
        assert_eq!(send(&site, name, content).status, status, "{content}");
    }
    assert_eq!(location(&site, "/a/").as_deref(), Some("/b/"));
    let request = Request::new("GET", &format!("{ADMIN}/redirects/download/"));
    assert!(site.done(&owner(), request).text().starts_with("# ours\n"));
    assert_eq!(send(&site, "redirects.json", "[]").status, 200);
    assert_eq!(get(&site, "/a/").status, 404);
}

#[test]
fn page_of_a_site_in_a_subdirectory_has_one_url() {
    let app = TestSite::builder()
        .url("http://example.com/blog")
        .option("front_end", "theme")
        .start();
    for (target, location) in [
        ("/blog", "/blog/"),
        ("/blog?a=b", "/blog/?a=b"),
        ("/BLOG", "/blog/"),
        ("/Blog/?a=b", "/blog/?a=b"),
        ("/blog/About", "/blog/About/"),
        ("/BLOG/About/", "/blog/about/"),
        ("/Blog/nowhere/", "/blog/nowhere/"),
    ] {
        let response = app.get(target);
        let redirect = (response.status, response.header("location"));
        assert_eq!(redirect, (301, Some(location)), "{target}");
    }
    // A proxy may have removed the site's subdirectory from the path.
    for (target, status) in [("/blog/", 200), ("/", 200), ("/blogs/", 404)] {
        assert_eq!(app.get(target).status, status, "{target}");
    }
}
