//! Tests of pages of a theme for members.

use super::*;
use crate::themes::{activate, theme_with, upload};

/// Returns a site whose home page shows the status of its reader, and whose posts show the reader's address.
fn site_with_pages() -> MemberSite {
    site_with_home("{{#if @member}}{{@member.status}}{{else}}anonymous{{/if}}")
}

/// Returns a site with this home page, whose posts show the reader's address.
fn site_with_home(index: &str) -> MemberSite {
    let builder = TestSite::builder().without_content();
    let site = builder.option("front_end", "theme").staffed().start();
    let post = "{{#post}}{{@member.email}}:{{content}}{{/post}}";
    let theme = theme_with(&[("index.hbs", index), ("post.hbs", post)]);
    let uploaded = upload(&site, "tide.zip", &theme);
    assert_eq!(uploaded.status, 200, "{}", uploaded.text());
    activate(&site, "tide");
    MemberSite { site }
}

fn read(site: &MemberSite, browser: &Browser, path: &str) -> HttpResponse {
    let response = site.send(browser, Request::new("GET", path));
    assert_eq!(response.status, 200, "{}", response.text());
    response
}

/// Grants a member the paid tier, and returns the endpoint of the member.
fn give_paid_tier(site: &MemberSite, email: &str) -> String {
    let member = site.member(email).unwrap();
    let path = format!("/members/{}/", text(&member["id"]));
    let tier = json!({"members": [{"tiers": [{"id": paid_tier(site)}]}]});
    site.put_as(&owner(), &path, &tier);
    path
}

fn paid_tier(site: &MemberSite) -> Value {
    let tiers = site.get_as(&owner(), "/tiers/?filter=type:paid");
    tiers["tiers"][0]["id"].clone()
}

#[test]
fn cached_pages_are_shared_only_by_readers_with_the_same_access() {
    let site = site_with_pages();
    for email in ["ana@example.com", "bo@example.com", "comped@example.com"] {
        site.add_member(email);
    }
    let html = "<p>Before.</p><!--members-only--><p>After.</p>";
    site.ask("POST", "posts/?source=html", Some(&json!({"posts": [{
        "title": "Gated", "slug": "gated", "status": "published", "visibility": "members", "html": html,
    }]})));
    let path = give_paid_tier(&site, "comped@example.com");

    let readers = [
        ("ana@example.com", "free"),
        ("bo@example.com", "free"),
        ("comped@example.com", "comped"),
    ]
    .map(|(email, status)| (site.sign_in(email), email, status));
    // In the second round, all cacheable responses are cached.
    for _ in 0..2 {
        assert_eq!(read(&site, &Browser::default(), "/").text(), "anonymous");
        let gated = read(&site, &Browser::default(), "/gated/");
        assert!(!gated.text().contains("After."), "{}", gated.text());
        for (browser, email, status) in &readers {
            let home = read(&site, browser, "/");
            assert_eq!(home.text(), *status);
            let cache_control = home.header("cache-control").unwrap();
            assert!(cache_control.contains("private"), "{cache_control}");
            let post = read(&site, browser, "/gated/");
            let post = post.text();
            assert!(post.starts_with(email) && post.contains("After."), "{post}");
        }
    }
    let (comped_browser, ..) = &readers[2];
    site.put_as(&owner(), &path, &json!({"members": [{"tiers": []}]}));
    assert_eq!(read(&site, comped_browser, "/").text(), "free");
}

#[test]
fn page_of_a_mailed_post_is_not_shared_between_readers() {
    let site = site_with_pages();
    site.add_member("ana@example.com");
    let mailed = json!({"posts": [{
        "title": "Harbour news", "status": "published", "visibility": "members", "email_only": true,
        "html": "<p>Before.</p><!--members-only--><p>After.</p>",
    }]});
    let added = site.ask("POST", "posts/?source=html", Some(&mailed));
    let post = &added.json()["posts"][0];
    assert_eq!(post["status"], "sent", "{}", added.text());
    let path = format!("/email/{}/", text(&post["uuid"]));
    let ana = site.sign_in("ana@example.com");
    let page = read(&site, &ana, &path);
    assert!(page.text().contains("After."), "{}", page.text());
    let cache_control = page.header("cache-control").unwrap();
    assert!(cache_control.contains("private"), "{cache_control}");
    let page = read(&site, &Browser::default(), &path);
    assert!(!page.text().contains("After."), "{}", page.text());
}

#[test]
fn posts_for_tiers_are_gated_in_the_get_helper_and_open_on_their_page() {
    let home = "{{#get \"posts\" include=\"tiers\"}}{{#foreach posts}}{{access}}:{{{html}}}{{/foreach}}{{/get}}";
    let site = site_with_home(home);
    site.add_member("comped@example.com");
    let html = "<p>Before.</p><!--members-only--><p>After.</p>";
    let added = site.ask("POST", "posts/?source=html", Some(&json!({"posts": [{
        "title": "Tiered", "slug": "tiered", "status": "published", "visibility": "tiers", "html": html,
        "tiers": [{"id": paid_tier(&site)}],
    }]})));
    assert_eq!(added.status, 201, "{}", added.text());
    give_paid_tier(&site, "comped@example.com");
    let reader = site.sign_in("comped@example.com");
    // Ghost's `get` helper does not know the tiers of the reader, either.
    let listed = read(&site, &reader, "/");
    assert_eq!(listed.text().trim(), "false:<p>Before.</p>");
    let page = read(&site, &reader, "/tiered/");
    assert!(page.text().contains("After."), "{}", page.text());
}
