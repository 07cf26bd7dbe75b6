//! Tests of syntax highlighting of code in pages.

use galley_tests::TestSite;
use serde_json::json;

use super::{activate, get, pages::publish, theme_with, upload};

const CODE: &str = "<pre><code class=\"language-js\">let a = \"&lt;b&gt;\";</code></pre>";
const WITH_TOKENS: &str = "<pre><code class=\"language-js\"><span class=\"code-keyword\">let</span> a = \
    <span class=\"code-string\">\"&lt;b&gt;\"</span>;</code></pre>";

/// Returns a site with a post that contains code.
fn site() -> TestSite {
    let site = TestSite::builder()
        .option("front_end", "theme")
        .staffed()
        .start();
    publish(&site, "posts", json!({"title": "Code", "html": CODE}));
    site
}

/// Returns the post's page in a theme with this `package.json`.
fn page_with(package: &str) -> String {
    let site = site();
    let theme = theme_with(&[
        ("package.json", package),
        ("post.hbs", "{{#post}}{{content}}{{/post}}"),
    ]);
    assert_eq!(upload(&site, "tide.zip", &theme).status, 200);
    activate(&site, "tide");
    get(&site, "/code/").text().to_owned()
}

#[test]
fn built_in_theme_highlights_code_and_apis_and_feeds_do_not() {
    let site = site();
    let page = get(&site, "/code/");
    assert!(page.text().contains(WITH_TOKENS), "{}", page.text());
    let post = site.ask("GET", "posts/slug/code/?formats=html", None);
    let html = post.json()["posts"][0]["html"].to_string();
    assert!(!html.contains("code-keyword"), "{html}");
    let feed = get(&site, "/rss/");
    assert!(!feed.text().contains("code-keyword"), "{}", feed.text());
}

#[test]
fn uploaded_theme_highlights_code_if_its_package_enables_it() {
    let enabled = r#"{"name": "tide", "version": "1.0.0", "config": {"code_highlighting": true}}"#;
    assert!(page_with(enabled).contains(WITH_TOKENS));
    let not_enabled = r#"{"name": "tide", "version": "1.0.0"}"#;
    assert!(page_with(not_enabled).contains(CODE));
}
