//! Redirects at work, and the files that say them.

use super::{get, site};
use crate::{
    app::TestApp,
    http_client::Answer,
    multipart::Form,
    staffed_site::{ADMIN, Ask, StaffedSite, Who, owner},
};

fn send(site: &StaffedSite, name: &str, content: &str) -> Answer {
    let form = Form::default().file("redirects", name, "text/plain", content.as_bytes());
    let ask = Ask::new("POST", &format!("{ADMIN}/redirects/upload/")).form(form);
    site.send(&owner(), &ask)
}

fn location(site: &StaffedSite, target: &str) -> Option<String> {
    let answer = get(site, target);
    answer.header("location").map(str::to_owned)
}

#[test]
fn everything_but_the_api_and_the_servers_health_can_lead_elsewhere() {
    let site = site();
    let answer = send(
        &site,
        "redirects.yaml",
        "302:\n  (.*): https://example.com/all\n",
    );
    assert_eq!(answer.status, 200, "{}", answer.text());
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
    let posted = site.send(&Who::Nobody, &Ask::new("POST", "/a/"));
    assert_eq!(posted.status, 404);
}

#[test]
fn a_site_in_a_subdirectory_leads_within_it() {
    let site = StaffedSite::start(TestApp::builder().url("http://example.com/blog/"));
    let sent = "301:\n  /old/: /new/\n  /far/: https://example.org/\n";
    let form = Form::default().file("redirects", "redirects.yaml", "text/plain", sent.as_bytes());
    let ask = Ask::new("POST", &format!("{ADMIN}/redirects/upload/")).form(form);
    let ask = ask.header("origin", "http://example.com");
    let answer = site.send(&owner(), &ask);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(
        location(&site, "/blog/old/?a=b").as_deref(),
        Some("/blog/new/?a=b")
    );
    assert_eq!(
        location(&site, "/blog/far/").as_deref(),
        Some("https://example.org/")
    );
}

#[test]
fn a_file_that_is_refused_leaves_those_of_before() {
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
    let ask = Ask::new("GET", &format!("{ADMIN}/redirects/download/"));
    assert!(site.done(&owner(), ask).text().starts_with("# ours\n"));
    assert_eq!(send(&site, "redirects.json", "[]").status, 200);
    assert_eq!(get(&site, "/a/").status, 404);
}
