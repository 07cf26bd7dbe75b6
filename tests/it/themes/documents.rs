//! Tests of documents other than pages on a site with a theme: Markdown, `llms.txt`, and files of the theme.

use galley_tests::{TestSite, owner};
use serde_json::json;

use super::{
    activate, get,
    pages::{publish, site_with},
    theme_with, upload,
};

fn set(site: &TestSite, key: &str, value: serde_json::Value) {
    let settings = json!({"settings": [{"key": key, "value": value}]});
    site.put_as(&owner(), "/settings/", &settings);
}

fn site_with_posts() -> TestSite {
    let site = site_with(&[
        ("default.hbs", "{{ghost_head}}"),
        ("index.hbs", "{{!< default}}\nindex"),
    ]);
    let html = "<h2>Tide</h2><p>It <strong>rises</strong>.</p><ul><li>a</li></ul>";
    publish(
        &site,
        "posts",
        json!({"title": "High water", "html": html, "tags": [{"name": "Sea"}]}),
    );
    let html = "<p>Open.</p><!--members-only--><p>Secret.</p>";
    publish(
        &site,
        "posts",
        json!({"title": "Low water", "html": html, "visibility": "paid"}),
    );
    publish(
        &site,
        "pages",
        json!({"title": "About us", "slug": "about", "html": "<p>We.</p>"}),
    );
    site
}

#[test]
fn posts_and_pages_are_served_as_markdown() {
    let site = site_with_posts();
    let post = get(&site, "/high-water.md");
    assert_eq!(post.status, 200);
    assert_eq!(
        post.header("content-type"),
        Some("text/markdown; charset=utf-8")
    );
    assert_eq!(post.header("content-location"), Some("/high-water.md"));
    assert_eq!(post.header("cache-control"), Some("public, max-age=0"));
    let text = post.text();
    assert!(text.contains("# High water\n- URL: "), "{text}");
    assert!(
        text.contains("- Tags: Sea\n\n## Tide\n\nIt **rises**.\n\n- a"),
        "{text}"
    );
    assert!(get(&site, "/about.md").text().ends_with("\n\nWe."));
    for path in ["/none.md", "/index.md", "/tag/sea.md"] {
        assert_eq!(get(&site, path).status, 404, "{path}");
    }
}

#[test]
fn markdown_of_a_gated_post_has_its_public_part_and_names_its_audience() {
    let site = site_with_posts();
    let response = get(&site, "/low-water.md");
    let text = response.text();
    assert!(!text.contains("Secret."), "{text}");
    assert!(
        text.contains("_This post is for paying subscribers only._\n\nSubscribe: "),
        "{text}"
    );
    assert!(!get(&site, "/llms-full.txt").text().contains("Secret."));
}

#[test]
fn llms_lists_contain_all_pages_and_posts_unless_disabled() {
    let site = site_with_posts();
    let list = get(&site, "/llms.txt");
    assert_eq!(list.header("cache-control"), Some("public, max-age=3600"));
    let text = list.text();
    assert!(text.contains("## Pages\n- [About us]("), "{text}");
    assert!(text.contains("/high-water.md) - Tide"), "{text}");
    assert!(
        get(&site, "/llms-full.txt")
            .text()
            .contains("### High water\nURL: ")
    );
    assert_eq!(get(&site, "/.well-known/llms.txt").text(), text);
    set(&site, "llms_enabled", json!(false));
    let off = get(&site, "/llms.txt");
    assert_eq!((off.status, off.header("location")), (302, Some("/")));
    let page = get(&site, "/high-water.md");
    assert_eq!(
        (page.status, page.header("location")),
        (302, Some("/high-water/"))
    );
}

#[test]
fn attribution_script_follows_its_setting() {
    let site = site_with_posts();
    let has_script = || get(&site, "/").text().contains("member-attribution.min.js");
    assert!(has_script());
    set(&site, "members_track_sources", json!(false));
    assert!(!has_script());
}

#[test]
fn top_level_theme_files_are_served_except_metadata() {
    let site = site_with(&[
        ("robots.txt", "User-agent: *\nDisallow: /no/\n"),
        ("humans.txt", "We"),
        (
            "package.json",
            "{\"name\": \"tide\", \"version\": \"1.0.0\"}",
        ),
        ("yarn.lock", "HIDDEN"),
    ]);
    assert!(get(&site, "/robots.txt").text().contains("/no/"));
    let file = get(&site, "/humans.txt");
    assert_eq!((file.status, file.text()), (200, "We"));
    assert_eq!(
        file.header("cache-control"),
        Some("public, max-age=31536000")
    );
    for path in [
        "/index.hbs/",
        "/package.json/",
        "/yarn.lock/",
        "/none.html",
        "/none.txt",
    ] {
        let response = get(&site, path);
        assert_eq!(response.status, 404, "{path}");
        assert!(
            response
                .header("content-type")
                .unwrap()
                .starts_with("text/plain"),
            "{path}"
        );
    }
}

#[test]
fn theme_with_a_removed_expression_is_rejected_with_file_and_line() {
    let site = TestSite::staffed();
    for (file, text, code) in [
        ("post.hbs", "a\n{{@site.permalinks}}", "GS001-DEPR-SPL"),
        ("post.hbs", "a\n{{image}}", "GS001-DEPR-IMG"),
        (
            "partials/card.hbs",
            "a\n{{#if ../author.name}}{{/if}}",
            "GS001-DEPR-NAUTH",
        ),
        ("locales/de.json", "a\n{", "GS070-VALID-TRANSLATIONS"),
        ("assets/locales/x/de.json", "{", "GS070-VALID-TRANSLATIONS"),
        (
            "default.hbs",
            "{{!< default}}\n",
            "GS130-NO-RECURSIVE-LAYOUT",
        ),
    ] {
        let response = upload(&site, "old.zip", &theme_with(&[(file, text)]));
        assert_eq!(response.status, 422, "{text}");
        let found = &response.json()["errors"][0]["details"]["errors"][0];
        assert_eq!(found["code"], code);
        assert_eq!(found["failures"][0]["ref"], file);
        if code.starts_with("GS001") {
            let message = found["failures"][0]["message"].as_str().unwrap();
            assert!(message.starts_with("line 2: {{"), "{message}");
        }
    }
    let good = upload(
        &site,
        "new.zip",
        &theme_with(&[("post.hbs", "{{img_url feature_image}}")]),
    );
    assert_eq!(good.status, 200);
    activate(&site, "new");
}

#[test]
fn failure_in_a_partial_names_the_template_of_the_page() {
    let site = site_with(&[
        ("post.hbs", "{{> card}}"),
        ("partials/card.hbs", "{{pagination}}"),
        ("error.hbs", "{{message}}"),
    ]);
    publish(&site, "posts", json!({"title": "High water"}));
    let page = get(&site, "/high-water/");
    assert_eq!(page.status, 400);
    assert!(
        page.text()
            .starts_with("[post.hbs] The {{pagination}} helper was used outside"),
        "{}",
        page.text()
    );
}
