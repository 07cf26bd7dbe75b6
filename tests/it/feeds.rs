//! Tests of feeds, sitemaps and `robots.txt`, and of the visibility of their content.

use galley_tests::{Request, TestSite, Who, owner, wait_until};
use serde_json::{Value, json};

const GATED: &str = "---\ntitle: Gated\ndate: 2025-02-02\nauthors: [Grace]\nvisibility: paid\n---\nBefore.\n\n<!--members-only-->\n\nSecret.\n";
const OPEN: &str = "---\ntitle: Open & <b>free</b>\ndate: 2025-01-01\nfeature_image: https://pictures.example/a.png\ntags: [Sea, \"#hidden\"]\nauthors: [Ada]\n---\nText \u{1}of all.\n\n<script>alert(1)</script>\n";

fn site() -> TestSite {
    TestSite::builder()
        .file("site.toml", "title = 'Tides'\n")
        .file("authors/ada.toml", "name = 'Ada'\n")
        .file("posts/gated.md", GATED)
        .file("posts/open.md", OPEN)
        .file("posts/elsewhere.md", "---\ntitle: Elsewhere\ndate: 2024-01-01\nauthors: [Grace]\ncanonical_url: https://other.example/a/\n---\nText.\n")
        .file("drafts/draft.md", "---\ntitle: Draft\n---\nText.\n")
        .file("pages/about.md", "---\ntitle: About\n---\nText.\n")
        .url("https://tides.example/blog")
        .start()
}

fn json_feed(app: &TestSite, path: &str) -> Value {
    let response = app.get(path);
    assert_eq!(response.status, 200, "{path}");
    response.json()
}

fn titles(feed: &Value) -> Vec<&str> {
    let items = feed["items"].as_array().unwrap().iter();
    items.map(|item| item["title"].as_str().unwrap()).collect()
}

#[test]
fn feeds_show_what_anonymous_readers_see() {
    let app = site();
    let feed = json_feed(&app, "/feed.json");
    assert_eq!(titles(&feed), ["Gated", "Open & <b>free</b>", "Elsewhere"]);
    assert_eq!(feed["title"], "Tides");
    assert_eq!(feed["feed_url"], "https://tides.example/blog/feed.json");
    let open = &feed["items"][1];
    assert_eq!(open["url"], "https://tides.example/blog/open/");
    assert_eq!(open["tags"], json!(["Sea"]));
    assert_eq!(open["authors"][0]["name"], "Ada");
    assert_eq!(open["image"], "https://pictures.example/a.png");
    let html = open["content_html"].as_str().unwrap();
    assert!(html.starts_with("<p><img src=\"https://pictures.example/a.png\" alt="));
    assert!(!html.contains("<script"), "{html}");
    let rss = app.get("/blog/rss/");
    assert_eq!(
        rss.header("content-type"),
        Some("application/rss+xml; charset=utf-8")
    );
    let rss = rss.text();
    assert!(rss.contains("<title><![CDATA[Open & <b>free</b>]]></title>"));
    assert!(!rss.contains('\u{1}'), "XML cannot have that character");
    assert!(rss.contains("Before.") && !rss.contains("Secret."));
    assert!(rss.contains("<pubDate>Wed, 01 Jan 2025 00:00:00 GMT</pubDate>"));
}

#[test]
fn tags_and_authors_have_feeds() {
    let app = site();
    assert_eq!(
        titles(&json_feed(&app, "/tag/sea/feed.json")),
        ["Open & <b>free</b>"]
    );
    let ada = json_feed(&app, "/author/ada/feed.json");
    assert_eq!(titles(&ada), ["Open & <b>free</b>"]);
    assert_eq!(ada["title"], "Ada - Tides");
    for path in [
        "/tag/hash-hidden/rss/",
        "/tag/none/rss/",
        "/author/none/feed.json/",
    ] {
        assert_eq!(app.get(path).status, 404, "{path}");
    }
    for (path, to) in [
        ("/feed/", "/blog/rss/"),
        ("/tag/sea/rss", "/blog/tag/sea/rss/"),
    ] {
        let moved = app.get(path);
        assert_eq!((moved.status, moved.header("location")), (301, Some(to)));
    }
}

#[test]
fn sitemap_lists_pages_at_their_canonical_urls() {
    let app = site();
    let index = app.get("/sitemap.xml");
    let index = index.text();
    for kind in ["pages", "posts", "authors", "tags"] {
        assert!(index.contains(&format!(
            "<loc>https://tides.example/blog/sitemap-{kind}.xml</loc>"
        )));
    }
    let posts = app.get("/sitemap-posts.xml");
    let posts = posts.text();
    assert!(posts.contains("<loc>https://tides.example/blog/open/</loc>"));
    assert!(posts.contains("<loc>https://tides.example/blog/gated/</loc>"));
    assert!(!posts.contains("elsewhere") && !posts.contains("draft"));
    let pages = app.get("/sitemap-pages.xml");
    assert!(
        pages
            .text()
            .contains("<loc>https://tides.example/blog/</loc>")
    );
    let tags = app.get("/sitemap-tags.xml");
    assert!(!tags.text().contains("hidden"));
    assert_eq!(app.get("/sitemap-posts-2.xml").status, 404);
    let robots = app.get("/robots.txt");
    assert!(
        robots
            .text()
            .contains("Sitemap: https://tides.example/blog/sitemap.xml\n")
    );
    assert!(robots.text().contains("Disallow: /blog/ghost/\n"));
}

#[test]
fn rss_has_the_elements_of_ghost() {
    let response = site().get("/rss/");
    let rss = response.text();
    let channel = "<rss xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
         xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" xmlns:atom=\"http://www.w3.org/2005/Atom\" version=\"2.0\" \
         xmlns:media=\"http://search.yahoo.com/mrss/\"><channel><title><![CDATA[Tides]]></title>";
    assert!(rss.contains(channel), "{rss}");
    assert!(rss.contains("<generator>Ghost 6.65</generator>"));
    assert!(
        rss.contains(
            "<category><![CDATA[Sea]]></category><dc:creator><![CDATA[Ada]]></dc:creator>"
        )
    );
    assert!(
        rss.contains("<media:content url=\"https://pictures.example/a.png\" medium=\"image\"/>")
    );
    let body = "<content:encoded><![CDATA[<img src=\"https://pictures.example/a.png\" alt=\"Open &amp; &lt;b&gt;free&lt;/b&gt;\"><p>Text";
    assert!(rss.contains(body), "{rss}");
}

#[test]
fn sitemaps_have_a_style_sheet_and_are_cached_for_an_hour() {
    let app = site();
    let posts = app.get("/sitemap-posts.xml");
    assert_eq!(
        posts.header("content-type"),
        Some("text/xml; charset=utf-8")
    );
    assert_eq!(posts.header("cache-control"), Some("public, max-age=3600"));
    assert!(posts.text().starts_with(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><?xml-stylesheet type=\"text/xsl\" href=\"//tides.example/blog/sitemap.xsl\"?>"
    ));
    assert!(
        posts
            .text()
            .contains("<image:caption>a.png</image:caption>")
    );
    assert_eq!(
        app.get("/sitemap.xsl").header("content-type"),
        Some("text/xsl")
    );
    assert_eq!(
        app.get("/robots.txt").header("content-type"),
        Some("text/plain")
    );
}

#[test]
fn feed_links_use_the_url_of_the_front_end() {
    let app = TestSite::builder()
        .file("posts/open.md", OPEN)
        .option("front_end", "https://www.example.com/news")
        .start();
    let feed = json_feed(&app, "/feed.json");
    assert_eq!(feed["home_page_url"], "https://www.example.com/news/");
    assert_eq!(
        feed["items"][0]["url"],
        "https://www.example.com/news/open/"
    );
    let posts = app.get("/sitemap-posts.xml");
    assert!(
        posts
            .text()
            .contains("<loc>https://www.example.com/news/open/</loc>")
    );
}

#[test]
fn feed_is_cached_until_the_site_changes() {
    let app = site();
    let first = app.get("/rss/");
    let tag = first.header("etag").unwrap().to_owned();
    let again = app.send("GET", "/rss/", &format!("if-none-match: {tag}\r\n"), "");
    assert_eq!(again.status, 304);
    app.write_file("posts/open.md", OPEN.replace("Text", "Another text"));
    wait_until("the feed has the other text", || {
        app.get("/rss/").text().contains("Another text")
    });
    let changed = app.send("GET", "/rss/", &format!("if-none-match: {tag}\r\n"), "");
    assert_eq!(changed.status, 200);
}

#[test]
fn private_site_has_feeds_only_at_a_secret_path() {
    let site = TestSite::builder()
        .headless()
        .without_content()
        .staffed()
        .start();
    let settings = json!({"settings": [{"key": "is_private", "value": true}, {"key": "password", "value": "long enough"}]});
    site.put_as(&owner(), "/settings/", &settings);
    let snapshot = site.site().current();
    let hash = snapshot.catalog.settings.text("public_hash").unwrap();
    let status = |path: &str| {
        let request = Request::new("GET", path);
        site.ask_as(&Who::Anonymous, &request).status
    };
    for path in ["/rss/", "/feed.json", "/sitemap.xml", "/sitemap-posts.xml"] {
        assert_eq!(status(path), 404, "{path}");
    }
    assert_eq!(status(&format!("/{hash}/rss/")), 200);
    assert_eq!(status(&format!("/{hash}/sitemap.xml")), 404);
    assert_eq!(status("/robots.txt"), 200);
}
