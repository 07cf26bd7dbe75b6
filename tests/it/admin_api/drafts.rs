//! Addresses of what is not published: whoever has one sees the post, and nobody learns anything else.

use serde_json::{Value, json};

use super::{first, read};
use crate::{
    app::TestApp,
    content_api::fixture,
    http_client::{Answer, wait_until},
};

const DRAFT: &str = "---\ntitle: 'A <script>alert(1)</script> & more'\nslug: a\ndraft: true\nauthors: [ada]\n---\nOnly *half* done.\n";

/// The path that the Admin API names for a post.
fn address(app: &TestApp, slug: &str) -> String {
    let answer = read(app, &format!("posts/slug/{slug}/?fields=url"));
    let url = first(&answer, "posts")["url"].as_str().unwrap().to_owned();
    let path = url.find("/p/").unwrap_or_else(|| panic!("{url}"));
    url[path..].to_owned()
}

fn assert_is_nothing(answer: &Answer, path: &str) {
    assert_eq!(answer.status, 404, "{path}: {}", answer.text());
    assert!(
        !answer.text().contains("HIDDEN"),
        "{path}: {}",
        answer.text()
    );
}

#[test]
fn a_draft_is_shown_at_its_address_with_its_title_as_text() {
    let app = TestApp::builder().file("posts/a.md", DRAFT).start();
    let answer = app.get(&address(&app, "a"));
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let page = answer.text();
    assert!(page.contains("<p>Only <em>half</em> done.</p>"), "{page}");
    assert!(
        page.contains("<h1>A &lt;script&gt;alert(1)&lt;/script&gt; &amp; more</h1>"),
        "{page}"
    );
    assert!(!page.contains("<script>"), "{page}");
}

#[test]
fn it_says_what_it_is_and_shows_what_stands_above_the_text() {
    let site = "timezone = 'Asia/Kathmandu'\nlocale = 'ne'\n";
    let draft = "---\ntitle: A\nslug: a\ndraft: true\nupdated_at: 2025-03-01T12:00:00Z\nauthors: [ada]\n\
        visibility: members\ncustom_excerpt: 'In <short>'\nfeature_image: ../images/a.png\n\
        feature_image_alt: 'A \"boat\"'\nfeature_image_caption: 'Of <b>wood</b>'\n---\nText.\n";
    let app = TestApp::builder()
        .file("site.toml", site)
        .file("images/a.png", "picture")
        .file("authors/ada.toml", "name = 'Ada & Co'\n")
        .file("posts/a.md", draft)
        .file(
            "posts/b.md",
            "---\ntitle: B\nslug: b\ndate: 2099-12-31T18:15:00Z\n---\nText.\n",
        )
        .start();
    let page = app.get(&address(&app, "a"));
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
    let page = app.get(&address(&app, "b"));
    for part in [
        "Preview of a scheduled post.",
        "It appears on <time datetime=\"2099-12-31T18:15:00Z\">1 January 2100 at 00:00",
    ] {
        assert!(page.text().contains(part), "{part}: {}", page.text());
    }
    assert!(!page.text().contains("will see"), "{}", page.text());
}

#[test]
fn it_is_not_for_search_engines_nor_kept_and_tells_nobody_where_it_is() {
    let app = TestApp::builder().file("posts/a.md", DRAFT).start();
    let answer = app.get(&address(&app, "a"));
    assert!(
        answer
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
        let value = answer.header(name).unwrap_or_default();
        assert!(value.contains(part), "{name}: {value}");
    }
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.starts_with("sandbox"), "{policy}");
    assert!(!policy.contains("allow-same-origin"), "{policy}");
}

#[test]
fn only_the_whole_address_leads_to_it() {
    let app = fixture::site();
    let address = address(&app, "unfinished");
    let uuid = address.trim_start_matches("/p/").trim_end_matches('/');
    let last = if uuid.ends_with('0') { '1' } else { '0' };
    let other = format!("{}{last}", &uuid[..uuid.len() - 1]);
    let answer = read(&app, "posts/slug/unfinished/?fields=id");
    let id = first(&answer, "posts")["id"].as_str().unwrap();
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
        assert_is_nothing(&app.get(&path), &path);
    }
    assert_eq!(
        app.get(&address.to_uppercase().replace("/P/", "/p/"))
            .status,
        200
    );
}

#[test]
fn nothing_is_changed_there_and_the_last_slash_is_added() {
    let app = TestApp::builder().file("posts/a.md", DRAFT).start();
    let address = address(&app, "a");
    assert_eq!(app.ask("POST", &address, "", "").status, 404);
    let redirect = app.get(address.trim_end_matches('/'));
    assert_eq!(redirect.status, 301);
    assert!(redirect.header("location").unwrap().ends_with(&address));
}

#[test]
fn once_it_is_published_its_address_leads_to_it() {
    let app = TestApp::builder()
        .url("https://harbour.example")
        .file("posts/a.md", DRAFT)
        .start();
    let address = address(&app, "a");
    app.write_file(
        "posts/a.md",
        DRAFT.replace("draft: true", "date: 2025-01-01"),
    );
    wait_until("it is published", || {
        app.content("posts/slug/a/").status == 200
    });
    let answer = app.get(&address);
    assert_eq!(
        (answer.status, answer.header("location")),
        (301, Some("https://harbour.example/a/"))
    );
    // It can be taken back.
    assert!(
        !answer
            .header("cache-control")
            .unwrap()
            .contains("max-age=31536000")
    );
    app.write_file("posts/a.md", DRAFT);
    wait_until("it is a draft again", || {
        app.content("posts/slug/a/").status == 404
    });
    assert_eq!(app.get(&address).status, 200);
}

#[test]
fn what_is_scheduled_has_such_an_address_too() {
    let app = fixture::site();
    let answer = app.get(&address(&app, "tomorrow"));
    assert!(answer.text().contains("HIDDEN plans"), "{}", answer.text());
}

#[test]
fn whoever_writes_it_can_see_it_as_others_will() {
    let draft = "---\ntitle: Closed\nslug: closed\ndraft: true\nvisibility: members\nauthors: [ada]\n---\n\
        For all.\n\n<!--members-only-->\n\nFor members.\n";
    let app = TestApp::builder()
        .file("posts/closed.md", draft)
        .file(
            "posts/paid.md",
            draft
                .replace("members\n", "paid\n")
                .replace("slug: closed", "slug: paid"),
        )
        .start();
    let shows = |slug: &str, query: &str| -> bool {
        let page = app.get(&format!("{}{query}", address(&app, slug)));
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
fn a_letter_has_an_address_of_its_own_where_members_parts_are_not_shown() {
    let letter = "---\ntitle: Letter\nslug: letter\ndraft: true\nemail_only: true\nvisibility: members\n\
        authors: [ada]\n---\nFor all.\n\n<!--members-only-->\n\nFor members.\n";
    let app = TestApp::builder().file("posts/letter.md", letter).start();
    let path = |part: &str| {
        let answer = read(&app, "posts/slug/letter/?fields=url");
        let url = first(&answer, "posts")["url"].as_str().unwrap().to_owned();
        let start = url.find("/email/").unwrap_or_else(|| panic!("{url}"));
        url[start..].replace("/email/", part)
    };
    for place in ["/email/", "/p/"] {
        let page = app.get(&path(place));
        assert!(
            page.text().contains("For members."),
            "{place}: {}",
            page.text()
        );
    }
    app.write_file(
        "posts/letter.md",
        letter.replace("draft: true", "date: 2025-01-01"),
    );
    wait_until("it is sent", || app.get(&path("/p/")).status == 301);
    let page = app.get(&path("/email/"));
    assert_eq!(page.status, 200);
    assert!(page.text().contains("For all."), "{}", page.text());
    assert!(!page.text().contains("For members."), "{}", page.text());
    let as_member = app.get(&format!("{}?member_status=paid", path("/email/")));
    assert!(!as_member.text().contains("For members."));
    assert_eq!(app.content("posts/slug/letter/").status, 404);
}

#[test]
fn readers_learn_nothing_of_it_elsewhere() {
    let app = TestApp::builder().file("posts/a.md", DRAFT).start();
    let answer = read(&app, "posts/slug/a/?fields=uuid,id");
    let post = first(&answer, "posts");
    let (uuid, id) = (post["uuid"].as_str().unwrap(), post["id"].as_str().unwrap());
    assert_eq!(app.json("posts/")["posts"], json!([]));
    assert_eq!(app.content(&format!("posts/{id}/")).status, 404);
    let found: Value = app.json(&format!("posts/?filter=uuid:{uuid}"));
    assert_eq!(found["posts"], json!([]));
    assert!(!app.content("search-index/posts/").text().contains(uuid));
}
