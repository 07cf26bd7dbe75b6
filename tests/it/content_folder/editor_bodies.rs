//! Tests of documents whose bodies become Lexical documents.

use galley::id::Id;
use galley_tests::{
    folder::{Folder, post, post_with},
    reconciled_site::ReconciledSite,
};
use serde_json::{Value, json};

/// Returns a post with `body = "lexical"`.
fn lexical_post(title: &str, text: &str) -> String {
    post_with(title, "body = \"lexical\"", text)
}

/// Returns the stored Lexical document of a post.
fn document(site: &ReconciledSite, slug: &str) -> Value {
    let snapshot = site.site.current();
    let lexical = snapshot
        .lexical(Id::derive("post", slug))
        .expect("the store works");
    serde_json::from_str(&lexical.expect("a document")).expect("JSON")
}

fn types(document: &Value) -> Vec<&str> {
    let nodes = document["root"]["children"].as_array().expect("nodes");
    nodes
        .iter()
        .map(|node| node["type"].as_str().expect("a type"))
        .collect()
}

#[test]
fn markdown_and_fenced_blocks_become_nodes() {
    let text = "## Tide\n\nTwo *hours*.\n\n\
                ```lexical\n{\"type\": \"callout\", \"version\": 1, \"calloutText\": \"Mind the gap\", \"calloutEmoji\": \"\"}\n```\n\n\
                - one\n- two\n\n* other list\n\n\
                ```lexical\n[{\"type\": \"horizontalrule\"}, {\"type\": \"paywall\"}]\n```\n\n\
                ```rust\nfn main() {}\n```\n\n<!--members-only-->\n";
    let site = ReconciledSite::from(&Folder::with(&[(
        "posts/tide.md",
        &lexical_post("Tide", text),
    )]));
    assert_eq!(
        types(&document(&site, "tide")),
        [
            "extended-heading",
            "paragraph",
            "callout",
            "list",
            "list",
            "horizontalrule",
            "paywall",
            "codeblock",
            "paywall"
        ]
    );
    assert_eq!(
        site.html("tide"),
        "<h2 id=\"tide\">Tide</h2><p>Two <em>hours</em>.</p>\
         <div class=\"kg-card kg-callout-card kg-callout-card-blue\"><div class=\"kg-callout-text\">Mind the gap</div></div>\
         <ul><li>one</li><li>two</li></ul><ul><li>other list</li></ul><hr><!--members-only-->\
         <pre><code class=\"language-rust\">fn main() {}</code></pre><!--members-only-->"
    );
}

#[test]
fn text_that_is_one_lexical_document_is_used_verbatim() {
    let verbatim = json!({"root": {"type": "root", "children": [{"type": "paywall"}], "mine": [1, 2]}, "more": true});
    let text = format!("```lexical\n{verbatim:#}\n```\n");
    let site = ReconciledSite::from(&Folder::with(&[("posts/a.md", &lexical_post("A", &text))]));
    assert_eq!(document(&site, "a"), verbatim);
    assert_eq!(site.html("a"), "<!--members-only-->");
}

#[test]
fn urls_in_markdown_resolve_to_files_and_placeholders_to_the_site() {
    let text = "[b](b.md) ![](pier.png)\n\n\
                ```lexical\n{\"type\": \"image\", \"version\": 1, \"src\": \"__GHOST_URL__/content/images/quay.png\"}\n```\n\n\
                ```lexical\n{\"type\": \"html\", \"version\": 1, \"html\": \"<a href='/about/'>x</a>\"}\n```\n";
    let folder = Folder::with(&[
        ("posts/a.md", &lexical_post("A", text)),
        ("posts/b.md", &post("B", "")),
        ("posts/pier.png", "a picture"),
    ]);
    let html = ReconciledSite::from(&folder).html("a");
    for part in [
        "href=\"https://example.com/b/\"",
        "src=\"https://example.com/content/images/posts/pier.png\"",
        "src=\"https://example.com/content/images/quay.png\"",
        "<a href='https://example.com/about/'>",
    ] {
        assert!(html.contains(part), "expected {part} in {html}");
    }
}

#[test]
fn background_image_url_in_a_style_resolves_to_the_site() {
    let text = "```lexical\n{\"type\": \"header\", \"version\": 1, \"header\": \"Hi\", \"style\": \"image\", \
                \"backgroundImageSrc\": \"__GHOST_URL__/content/images/sea.png\"}\n```\n";
    let folder = Folder::with(&[("posts/a.md", &lexical_post("A", text))]);
    let html = ReconciledSite::from(&folder).html("a");
    assert!(
        html.contains("url(https://example.com/content/images/sea.png)"),
        "{html}"
    );
}

#[test]
fn unknown_node_is_reported_and_preserved_and_the_rest_rendered() {
    let text = "Before.\n\n```lexical\n{\"type\": \"mention\", \"version\": 1}\n```\n\nAfter.\n";
    let folder = Folder::with(&[("posts/a.md", &lexical_post("A", text))]);
    let mut site = ReconciledSite::open(&folder);
    let problems = site.run();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].starts_with("warning:"), "{}", problems[0]);
    assert!(problems[0].contains("mention"), "{}", problems[0]);
    assert!(problems[0].contains("posts/a.md:8:1"), "{}", problems[0]);
    assert_eq!(
        types(&document(&site, "a")),
        ["paragraph", "mention", "paragraph"]
    );
    assert_eq!(site.html("a"), "<p>Before.</p><p>After.</p>");
}

#[test]
fn invalid_node_fence_rejects_the_file() {
    let text = "```lexical\n{\"type\": \"callout\"\n```\n";
    let folder = Folder::with(&[("posts/a.md", &lexical_post("A", text))]);
    let mut site = ReconciledSite::open(&folder);
    let problems = site.run();
    assert!(
        problems[0].starts_with("error: the content is not JSON"),
        "{}",
        problems[0]
    );
    assert!(problems[0].contains("posts/a.md:7:"), "{}", problems[0]);
    assert!(site.list("posts", "slug").is_empty());
}

#[test]
fn empty_text_is_the_editors_initial_document() {
    let site = ReconciledSite::from(&Folder::with(&[("posts/a.md", &lexical_post("A", ""))]));
    assert_eq!(types(&document(&site, "a")), ["paragraph"]);
    assert_eq!(site.post("a")["html"], Value::Null);
}

#[test]
fn lexical_fences_are_code_without_the_editor_setting() {
    let text = "```lexical\n{\"type\": \"paywall\"}\n```\n";
    let site = ReconciledSite::from(&Folder::with(&[("posts/a.md", &post("A", text))]));
    let snapshot = site.site.current();
    assert_eq!(
        snapshot
            .lexical(Id::derive("post", "a"))
            .expect("the store works"),
        None
    );
    assert!(site.html("a").contains("<code class=\"language-lexical\">"));
}

#[test]
fn front_matter_may_declare_an_html_body() {
    let folder = Folder::with(&[
        (
            "posts/a.md",
            &post_with("A", "body = \"html\"", "<p>*as it is*</p>"),
        ),
        (
            "posts/b.html",
            &post_with("B", "body = \"markdown\"", "*leans*"),
        ),
    ]);
    let site = ReconciledSite::from(&folder);
    assert_eq!(site.html("a"), "<p>*as it is*</p>\n");
    assert_eq!(site.html("b"), "<p><em>leans</em></p>\n");
}
