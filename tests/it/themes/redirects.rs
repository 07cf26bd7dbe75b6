//! Redirects at work, and the files that say them.

use galley::{
    admin::redirects::{self, RedirectFormat},
    domain::actor::Actor,
};

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
    let app = TestApp::builder().url("http://example.com/blog/").start();
    let sent = b"301:\n  /old/: /new/\n  /far/: https://example.org/\n";
    redirects::upload(app.site(), &Actor::Operator, RedirectFormat::Yaml, sent).unwrap();
    for (target, location) in [
        ("/blog/old/?a=b", "/blog/new/?a=b"),
        ("/blog/far/", "https://example.org/"),
    ] {
        let answer = app.get(target);
        assert_eq!(answer.status, 301, "{target}");
        assert_eq!(answer.header("location"), Some(location));
    }
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
