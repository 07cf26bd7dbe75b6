//! Tests of preview URLs of unpublished posts: a client with the URL sees the post, and nothing else leaks.

use galley_tests::{TestSite, http_client::HttpResponse, wait_until};
use serde_json::{Value, json};

use super::first;
use crate::content_api::fixture;

const DRAFT: &str = "---\ntitle: 'A <script>alert(1)</script> & more'\nslug: a\ndraft: true\nauthors: [ada]\n---\nOnly *half* done.\n";

/// Returns the path of a post's preview URL in the Admin API.
fn preview_path(app: &TestSite, slug: &str) -> String {
    let response = app.read(&format!("posts/slug/{slug}/?fields=url"));
    let url = first(&response, "posts")["url"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = url.find("/p/").unwrap_or_else(|| panic!("{url}"));
    url[path..].to_owned()
}

fn assert_not_found(response: &HttpResponse, path: &str) {
    assert_eq!(response.status, 404, "{path}: {}", response.text());
    assert!(
        !response.text().contains("HIDDEN"),
        "{path}: {}",
        response.text()
    );
}

#[test]
fn draft_is_shown_at_its_preview_url_with_an_escaped_title() {
    let app = TestSite::builder().file("posts/a.md", DRAFT).start();
    let response = app.get(&preview_path(&app, "a"));
    assert_eq!(response.status, 200);
    assert_eq!(
        response.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let page = response.text();
    assert!(page.contains("<p>Only <em>half</em> done.</p>"), "{page}");
    assert!(
        page.contains("<h1>A &lt;script&gt;alert(1)&lt;/script&gt; &amp; more</h1>"),
        "{page}"
    );
    assert!(!page.contains("<script>alert"), "{page}");
}

#[test]
fn preview_states_its_status_and_shows_the_feature_image() {
    let site = "timezone = 'Asia/Kathmandu'\nlocale = 'ne'\n";
    let draft = "---\ntitle: A\nslug: a\ndraft: true\nupdated_at: 2025-03-01T12:00:00Z\nauthors: [ada]\n\
        visibility: members\ncustom_excerpt: 'In <short>'\nfeature_image: ../images/a.png\n\
        feature_image_alt: 'A \"boat\"'\nfeature_image_caption: 'Of <b>wood</b>'\n---\nText.\n";
    let app = TestSite::builder()
        .headless()
        .file("site.toml", site)
        .file("images/a.png", "picture")
        .file("authors/ada.toml", "name = 'Ada & Co'\n")
        .file("posts/a.md", draft)
        .file(
            "posts/b.md",
            "---\ntitle: B\nslug: b\ndate: 2099-12-31T18:15:00Z\n---\nText.\n",
        )
        .start();
    let page = app.get(&preview_path(&app, "a"));
    for part in [
        "<html lang=\"ne\">",
        "Preview of a draft of a post.",
        "<time datetime=\"2025-03-01T12:00:00Z\">1 March 2025 at 17:45 (Asia/Kathmandu)</time>",
        "Paid members will see this",
        "<p class=\"post-excerpt\">In &lt;short&gt;</p>",
        "<p class=\"post-byline\">Ada &amp; Co</p>",
        "/content/images/a.png\" alt=\"A &quot;boat&quot;\"><figcaption>Of <b>wood</b></figcaption>",
    ] {
        assert!(page.text().contains(part), "{part}: {}", page.text());
    }
    let page = app.get(&preview_path(&app, "b"));
    for part in [
        "Preview of a scheduled post.",
        "It appears on <time datetime=\"2099-12-31T18:15:00Z\">1 January 2100 at 00:00",
    ] {
        assert!(page.text().contains(part), "{part}: {}", page.text());
    }
    assert!(!page.text().contains("will see"), "{}", page.text());
}

#[test]
fn preview_is_not_indexed_cached_or_leaked_by_referrer() {
    let app = TestSite::builder()
        .headless()
        .file("posts/a.md", DRAFT)
        .start();
    let response = app.get(&preview_path(&app, "a"));
    assert!(
        response
            .text()
            .contains("<meta name=\"robots\" content=\"noindex, nofollow\">")
    );
    for (name, part) in [
        ("x-robots-tag", "noindex"),
        ("cache-control", "no-store"),
        ("cache-control", "private"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ] {
        let value = response.header(name).unwrap_or_default();
        assert!(value.contains(part), "{name}: {value}");
    }
    let policy = response.header("content-security-policy").unwrap();
    assert!(policy.starts_with("sandbox"), "{policy}");
    assert!(!policy.contains("allow-same-origin"), "{policy}");
}

#[test]
fn preview_needs_the_complete_url() {
    let app = fixture::site();
    let path = preview_path(&app, "unfinished");
    let uuid = path.trim_start_matches("/p/").trim_end_matches('/');
    let last = if uuid.ends_with('0') { '1' } else { '0' };
    let other = format!("{}{last}", &uuid[..uuid.len() - 1]);
    let response = app.read("posts/slug/unfinished/?fields=id");
    let id = first(&response, "posts")["id"].as_str().unwrap();
    for path in [
        "/p/".to_owned(),
        format!("/p/{}/", uuid.replace('-', "")),
        format!("/p/{{{uuid}}}/"),
        format!("/p/urn:uuid:{uuid}/"),
        format!("/p/{uuid}/more/"),
        format!("/p/{other}/"),
        format!("/p/{id}/"),
        "/p/unfinished/".to_owned(),
        "/unfinished/".to_owned(),
        format!("/email/{uuid}/"),
    ] {
        assert_not_found(&app.get(&path), &path);
    }
    assert_eq!(
        app.get(&path.to_uppercase().replace("/P/", "/p/")).status,
        200
    );
}

#[test]
fn preview_is_read_only_and_redirects_to_the_trailing_slash() {
    let app = TestSite::builder().file("posts/a.md", DRAFT).start();
    let path = preview_path(&app, "a");
    assert_eq!(app.send("POST", &path, "", "").status, 404);
    let redirect = app.get(path.trim_end_matches('/'));
    assert_eq!(redirect.status, 301);
    assert!(redirect.header("location").unwrap().ends_with(&path));
}

#[test]
fn preview_of_a_published_post_redirects_to_it() {
    let app = TestSite::builder()
        .headless()
        .url("https://harbour.example")
        .file("posts/a.md", DRAFT)
        .start();
    let path = preview_path(&app, "a");
    app.write_file(
        "posts/a.md",
        DRAFT.replace("draft: true", "date: 2025-01-01"),
    );
    wait_until("the post is published", || {
        app.content("posts/slug/a/").status == 200
    });
    let response = app.get(&path);
    assert_eq!(
        (response.status, response.header("location")),
        (301, Some("https://harbour.example/a/"))
    );
    // The redirect is not cached for a year, because the post can become a draft again.
    assert!(
        !response
            .header("cache-control")
            .unwrap()
            .contains("max-age=31536000")
    );
    app.write_file("posts/a.md", DRAFT);
    wait_until("the post is a draft again", || {
        app.content("posts/slug/a/").status == 404
    });
    assert_eq!(app.get(&path).status, 200);
}

#[test]
fn scheduled_post_has_a_preview() {
    let app = fixture::site();
    let response = app.get(&preview_path(&app, "tomorrow"));
    assert!(
        response.text().contains("HIDDEN plans"),
        "{}",
        response.text()
    );
}

#[test]
fn preview_can_show_the_post_as_a_member_segment_sees_it() {
    let draft = "---\ntitle: Closed\nslug: closed\ndraft: true\nvisibility: members\nauthors: [ada]\n---\n\
        For all.\n\n<!--members-only-->\n\nFor members.\n";
    let app = TestSite::builder()
        .file("posts/closed.md", draft)
        .file(
            "posts/paid.md",
            draft
                .replace("members\n", "paid\n")
                .replace("slug: closed", "slug: paid"),
        )
        .start();
    let shows = |slug: &str, query: &str| -> bool {
        let page = app.get(&format!("{}{query}", preview_path(&app, slug)));
        assert_eq!(page.status, 200, "{query}");
        assert!(page.text().contains("For all."), "{}", page.text());
        page.text().contains("For members.")
    };
    assert!(shows("closed", ""));
    assert!(shows("closed", "?member_status=paid"));
    assert!(shows("closed", "?member_status=free"));
    assert!(!shows("closed", "?member_status=anonymous"));
    assert!(!shows("closed", "?member_status=nonsense"));
    assert!(!shows("paid", "?member_status=free"));
    assert!(shows("paid", "?member_status=paid"));
}

#[test]
fn email_only_post_has_a_url_that_omits_members_only_parts() {
    let mailed = "---\ntitle: Letter\nslug: letter\ndraft: true\nemail_only: true\nvisibility: members\n\
        authors: [ada]\n---\nFor all.\n\n<!--members-only-->\n\nFor members.\n";
    let app = TestSite::builder().file("posts/letter.md", mailed).start();
    let path = |part: &str| {
        let response = app.read("posts/slug/letter/?fields=url");
        let url = first(&response, "posts")["url"]
            .as_str()
            .unwrap()
            .to_owned();
        let start = url.find("/email/").unwrap_or_else(|| panic!("{url}"));
        url[start..].replace("/email/", part)
    };
    for prefix in ["/email/", "/p/"] {
        let page = app.get(&path(prefix));
        assert!(
            page.text().contains("For members."),
            "{prefix}: {}",
            page.text()
        );
    }
    app.write_file(
        "posts/letter.md",
        mailed.replace("draft: true", "date: 2025-01-01"),
    );
    wait_until("the post is sent", || app.get(&path("/p/")).status == 301);
    let page = app.get(&path("/email/"));
    assert_eq!(page.status, 200);
    assert!(page.text().contains("For all."), "{}", page.text());
    assert!(!page.text().contains("For members."), "{}", page.text());
    let as_member = app.get(&format!("{}?member_status=paid", path("/email/")));
    assert!(!as_member.text().contains("For members."));
    assert_eq!(app.content("posts/slug/letter/").status, 404);
}

#[test]
fn drafts_do_not_leak_through_other_urls() {
    let app = TestSite::builder().file("posts/a.md", DRAFT).start();
    let response = app.read("posts/slug/a/?fields=uuid,id");
    let post = first(&response, "posts");
    let (uuid, id) = (post["uuid"].as_str().unwrap(), post["id"].as_str().unwrap());
    assert_eq!(app.json("posts/")["posts"], json!([]));
    assert_eq!(app.content(&format!("posts/{id}/")).status, 404);
    let found: Value = app.json(&format!("posts/?filter=uuid:{uuid}"));
    assert_eq!(found["posts"], json!([]));
    assert!(!app.content("search-index/posts/").text().contains(uuid));
}
