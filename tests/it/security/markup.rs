//! Tests that HTML in names and titles is escaped in mails and responses.

use galley_tests::{Request, TestSite, Who, owner, request::ADMIN, staff::OWNER};
use serde_json::json;

const SCRIPT: &str = "<script>alert(1)</script>";
const IMAGE: &str = "\"><img src=x onerror=alert(2)>";

/// Returns a site with markup in its title and in its owner's name.
fn marked_up() -> TestSite {
    let site = TestSite::staffed();
    let title = json!({"settings": [{"key": "title", "value": format!("Site {SCRIPT}{IMAGE}")}]});
    site.put_as(&owner(), "/settings/", &title);
    let me = site.get_as(&owner(), "/users/me/")["users"][0]["id"].clone();
    let named = json!({"users": [{"name": format!("Ada {SCRIPT}{IMAGE}")}]});
    site.put_as(
        &owner(),
        &format!("/users/{}/", me.as_str().unwrap()),
        &named,
    );
    site
}

fn assert_harmless(html: &str) {
    assert!(
        html.contains("&lt;script&gt;"),
        "the escaped text is missing: {html}"
    );
    for markup in ["<script", "<img src=x", "javascript:"] {
        assert!(!html.contains(markup), "{markup} in {html}");
    }
}

#[test]
fn markup_in_names_and_titles_is_escaped_in_mails() {
    let site = marked_up();
    site.mail().clear();

    let invite =
        json!({"invites": [{"email": "guest@example.com", "role_id": site.role_id("Editor")}]});
    site.post_as(&owner(), "/invites/", &invite);
    let mail = site.mail().mail_to("guest@example.com");
    assert_harmless(&mail.message.html);
    assert!(mail.message.text.contains(SCRIPT), "{}", mail.message.text);

    let reset = json!({"password_reset": [{"email": OWNER.1}]});
    site.post_as(&Who::Anonymous, "/authentication/password_reset/", &reset);
    assert_harmless(&site.mail().mail_to(OWNER.1).message.html);
}

#[test]
fn line_break_in_a_title_injects_no_header_field() {
    let site = TestSite::staffed();
    let title = "Site\r\nBcc: victim@example.com";
    let request = Request::new("PUT", &format!("{ADMIN}/settings/"));
    site.ask_as(
        &owner(),
        &request.json(&json!({"settings": [{"key": "title", "value": title}]})),
    );
    site.mail().clear();

    let invite =
        json!({"invites": [{"email": "guest@example.com", "role_id": site.role_id("Editor")}]});
    site.post_as(&owner(), "/invites/", &invite);

    let mail = site.mail().mail_to("guest@example.com");
    assert_eq!(mail.to, ["guest@example.com"]);
    assert_eq!(mail.message.header("bcc"), None);
}

#[test]
fn markup_in_responses_is_json_that_browsers_do_not_run() {
    let site = marked_up();
    let title = format!("Post {SCRIPT}");
    let added = site.post_as(
        &Who::Integration,
        "/posts/",
        &json!({"posts": [{"title": title}]}),
    );
    assert_eq!(added["posts"][0]["title"], title);

    for request in [
        Request::new("GET", &format!("{ADMIN}/posts/")),
        Request::new("GET", &format!("{ADMIN}/site/")),
        // Error messages quote a part of the request.
        Request::new(
            "GET",
            &format!("{ADMIN}/{}/", "%3Cscript%3Ealert(1)%3C%2Fscript%3E"),
        ),
        Request::new("GET", &format!("{ADMIN}/posts/?filter=%3Cscript%3E")),
    ] {
        let response = site.ask_as(&Who::Integration, &request);
        let kind = response.header("content-type").unwrap();
        assert_eq!(
            kind, "application/json; charset=utf-8",
            "{}",
            request.target
        );
    }
}

#[test]
fn scripts_in_sent_html_are_dropped() {
    let site = TestSite::staffed();
    let html = format!("<p onclick=\"alert(1)\">Words</p>{SCRIPT}");
    let post = json!({"posts": [{"title": "From html", "html": html, "status": "published"}]});

    let added = site.post_as(&Who::Integration, "/posts/?source=html&formats=html", &post);

    let html = added["posts"][0]["html"].as_str().unwrap();
    assert!(html.contains("Words"), "{html}");
    for markup in ["<script", "onclick"] {
        assert!(!html.contains(markup), "{markup} in {html}");
    }
}

#[test]
fn urls_that_run_code_are_dropped_from_sent_html() {
    let site = TestSite::staffed();
    let html = "<p><a href=\"java\tscript:harm()\">one</a> <a href='JaVaScRiPt&colon;harm()'>two</a> \
        <a href=\"data:text/html,harm()\">three</a> <a href=\"&#1; vbscript:harm()\">four</a> \
        <a href=\"https://a.example/\">five</a></p>\
        <figure class=\"kg-card kg-image-card\"><a href=\"javascript:harm()\"><img src=\"data:image/png;base64,AA==\"></a></figure>\
        <table><tr><td><a href=\"javascript:harm()\">six</a></td></tr></table>\
        <div class=\"kg-card kg-button-card\"><a href=\"javascript:harm()\" class=\"kg-btn\">seven</a></div>\
        <!--kg-card-begin: html--><a href=\"javascript:own()\">eight</a><!--kg-card-end: html-->";
    let post = json!({"posts": [{"title": "Links", "html": html, "status": "published"}]});

    let added = site.post_as(
        &Who::Integration,
        "/posts/?source=html&formats=html,lexical",
        &post,
    );

    for form in ["html", "lexical"] {
        let text = added["posts"][0][form].as_str().unwrap();
        assert!(!text.contains("harm"), "{text}");
        for word in [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "https://a.example/",
        ] {
            assert!(text.contains(word), "{word}: {text}");
        }
        // HTML cards are served unchanged.
        assert!(text.contains("javascript:own()"), "{text}");
    }
}
