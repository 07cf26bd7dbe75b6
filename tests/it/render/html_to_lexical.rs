//! HTML as it becomes Lexical.

use galley::render::html_to_lexical::{faithful, to_lexical};
use galley::render::lexical::{Context, DocumentError, to_html};
use galley::render::plaintext;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{SITE, cases, site};

#[derive(Deserialize)]
struct Conversion {
    name: String,
    html: String,
    lexical: Value,
    /// `None` when the document is refused.
    rendered: Option<String>,
}

fn conversions() -> impl Iterator<Item = Conversion> {
    cases(include_str!("html-to-lexical.jsonl"))
}

fn rendered(lexical: &str) -> Result<String, DocumentError> {
    let site = site(SITE);
    to_html(lexical, Context { site: &site }).map(|rendering| rendering.html)
}

#[test]
fn documents_are_converted_as_recorded() {
    for case in conversions() {
        // As text, so that keys count in their order.
        assert_eq!(
            to_lexical(&case.html),
            case.lexical.to_string(),
            "{}",
            case.name
        );
    }
}

#[test]
fn what_is_converted_renders_as_recorded() {
    for case in conversions() {
        let expected = case.rendered.ok_or(DocumentError::Empty);
        assert_eq!(rendered(&to_lexical(&case.html)), expected, "{}", case.name);
    }
}

/// The types of the nodes of a document, raw HTML as it is.
fn outline(lexical: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(lexical).unwrap();
    let nodes = document["root"]["children"].as_array().unwrap();
    let outline = nodes.iter().map(|node| match &node["html"] {
        Value::String(html) if node["type"] == "html" => html.clone(),
        _ => node["type"].as_str().unwrap().to_owned(),
    });
    outline.collect()
}

fn faithful_outline(html: &str) -> Vec<String> {
    outline(&faithful(html, &site(SITE)))
}

#[test]
fn what_the_editor_can_say_becomes_nodes() {
    for (html, nodes) in [
        (
            "<p>a <strong>b <em>c</em></strong> <a href=\"/x\">d</a><br>e</p>",
            "paragraph",
        ),
        ("<h2 id=\"a-b\">a <code>b</code></h2>", "extended-heading"),
        (
            "<ul>\n<li>a\n<ol start=\"3\">\n<li>b</li>\n</ol>\n</li>\n</ul>",
            "list",
        ),
        (
            "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>",
            "list",
        ),
        (
            "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>",
            "extended-quote",
        ),
        (
            "<pre><code class=\"language-rust\">a\n  b\n</code></pre>",
            "codeblock",
        ),
        (
            "<p><img src=\"/a.jpg\" alt=\"A\" title=\"T\" /></p>",
            "image",
        ),
        (
            "<p><a href=\"https://x.example/\"><img src=\"a.jpg\" alt=\"\"></a></p>",
            "image",
        ),
        (
            "<figure><img src=\"a.jpg\"><figcaption>c <em>d</em></figcaption></figure>",
            "image",
        ),
        (
            "<p><iframe src=\"https://x.example/v\"></iframe></p>",
            "embed",
        ),
        ("<hr />", "horizontalrule"),
        ("<!--members-only-->", "paywall"),
        ("loose <em>text</em>", "paragraph"),
        ("<p></p>", "paragraph"),
        ("", "paragraph"),
        ("<!-- nothing -->", "paragraph"),
    ] {
        assert_eq!(faithful_outline(html), [nodes], "{html}");
    }
}

#[test]
fn what_the_editor_cannot_say_stays_raw_html() {
    for html in [
        "<p>a <mark>b</mark> c</p>",
        "<p>a <del>b</del></p>",
        "<p>a <img src=\"a.jpg\"> b</p>",
        "<p class=\"lead\">a</p>",
        "<p><a href=\"/x\" title=\"t\">a</a></p>",
        "<p>a<sup class=\"footnote-ref\"><a href=\"#fn1\" id=\"fnref1\">[1]</a></sup></p>",
        "<p id=\"x\">a</p>",
        "<details><summary>a</summary><p>b</p></details>",
        "<dl><dt>a</dt><dd>b</dd></dl>",
        "<table class=\"t\"><tbody><tr><td align=\"right\">a</td></tr></tbody></table>",
        "<ul><li><input type=\"checkbox\" disabled=\"\"> a</li></ul>",
        "<ul><li><p>a</p><p>b</p></li></ul>",
        "<ol><li value=\"3\">a</li></ol>",
        "<blockquote><p>a</p><ul><li>b</li></ul></blockquote>",
        "<blockquote><p>a</p>b</blockquote>",
        "<div>a</div>",
        "<pre>a\n  b</pre>",
        "<img src=\"data:image/png;base64,AAAA\">",
        "<video src=\"a.mp4\" controls=\"\"></video>",
        "<script>let a = \"<b>\";</script>",
        "<!--kg-gated-block:begin nonMember:false memberSegment:\"\" -->",
        "<p>a<!--members-only-->b</p>",
        "<my-element>a</my-element>",
    ] {
        assert_eq!(faithful_outline(html), [html]);
    }
}

/// HTML that nests or repeats what the conversion has to look around for.
fn large() -> Vec<String> {
    let nested = [
        ("<blockquote>", "</blockquote>"),
        ("<ul><li>a", "</li></ul>"),
        ("<ul>", "</ul>"),
        ("<a href=u><section>", "</section></a>"),
        ("<div><b>", "</b></div>"),
        ("<object><p>", "</p></object>"),
        ("<figure>", "</figure>"),
        ("<ul><li><h2>", "</h2></li></ul>"),
    ];
    let mut large: Vec<String> = nested
        .iter()
        .map(|(start, end)| format!("{}x{}", start.repeat(3000), end.repeat(3000)))
        .collect();
    for repeated in [
        "<b> </b>",
        "<b></b> ",
        "<br>",
        "<li>a<img src=i></li>",
        "<ul><li>a</li></ul>",
        "<ul><ul><li>a</li></ul><li><img src=i></li></ul>",
        "<!--kg-card-begin: html-->",
        "<!--kg-card-begin: html--><!--kg-card-end: html-->",
        "<div data-paragraph-count=2><img src=i></div>",
        "<p>a<img src=i>b</p>",
        "<mark>a</mark>",
        "<p><b id=a>",
    ] {
        large.push(repeated.repeat(1000));
        large.push(format!("<ul>{}</ul>", repeated.repeat(1000)));
    }
    large
}

#[test]
fn large_documents_are_converted() {
    for html in large() {
        for lexical in [to_lexical(&html), faithful(&html, &site(SITE))] {
            let rendered = rendered(&lexical);
            assert!(
                matches!(rendered, Ok(_) | Err(DocumentError::Empty)),
                "{rendered:?}"
            );
            assert!(lexical.len() < 100 * html.len());
        }
    }
}

#[test]
fn what_lies_too_deep_keeps_its_text() {
    for (start, end) in [
        ("<blockquote>", "</blockquote>"),
        ("<ul><li>", "</li></ul>"),
    ] {
        let html = format!("{}deep{}", start.repeat(100), end.repeat(100));
        assert!(rendered(&to_lexical(&html)).unwrap().contains("deep"));
        assert_eq!(faithful_outline(&html), [html]);
    }
}

/// Pieces that nest and break in every way.
fn markup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "</?(a href=u|b|i|s|code|mark|span|sub)>",
        4 => "</?(p|div|h2|blockquote|ul|ol|li|pre|figure|figcaption|table|td|section|details)>",
        2 => "<(br|hr|img src=i|img src=j alt=k|iframe src=https://x.example/|wbr|input)>",
        1 => r#"<span style="(font-weight:bold|white-space:pre|display:block|font-size:26pt)">"#,
        1 => "<!--(members-only|c|kg-card-begin: html|kg-card-end: html|kg-gated-block:end)-->",
        1 => r#"<div class="kg-(audio|callout|cta|file|toggle|button|header|product|signup)-card">"#,
        1 => "<(script|style|textarea|title)>|</(script|style|textarea|title)>",
        4 => "[ a-c&<>\n\u{a0}é]{1,4}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// The HTML as a browser understands it: embedded HTML is parsed and written again.
fn repaired(html: &str) -> String {
    let card = json!({"type": "embed", "url": "https://x.example/", "html": html});
    rendered(&json!({"root": {"children": [card]}}).to_string()).unwrap()
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

proptest! {
    #[test]
    fn every_document_renders(html in markup()) {
        let rendered = rendered(&to_lexical(&html));
        prop_assert!(matches!(rendered, Ok(_) | Err(DocumentError::Empty)));
    }

    #[test]
    fn nothing_is_lost_of_a_faithful_document(html in markup()) {
        let rendered = rendered(&faithful(&html, &site(SITE))).unwrap();
        let repaired = repaired(&html);
        let [before, behind] =
            [&repaired, &rendered].map(|html| without_blanks(&plaintext::from_html(html)));
        prop_assert_eq!(before, behind);
        for tag in ["<img", "<iframe", "<td", "<input", "<script"] {
            prop_assert!(rendered.matches(tag).count() >= repaired.matches(tag).count());
        }
    }
}

#[test]
fn blocks_beside_each_other_share_a_card() {
    let html = "<p>a</p>\n<dl><dt>b</dt></dl>\n\n<p><del>c</del></p>\n<p>d</p>\n<div>e</div>";
    let outline = faithful_outline(html);
    assert_eq!(
        outline,
        [
            "paragraph",
            "<dl><dt>b</dt></dl>\n<p><del>c</del></p>",
            "paragraph",
            "<div>e</div>"
        ]
    );
}

#[test]
fn a_card_of_raw_html_is_one_again() {
    let html = "<p>a</p>\n<!--kg-card-begin: html-->\n<b>x</b>\n<!-- c -->\n&lt;y&gt;\n<!--kg-card-end: html-->\n<p>b</p>";
    let outline = faithful_outline(html);
    assert_eq!(
        outline,
        ["paragraph", "<b>x</b>\n<!-- c -->\n&lt;y&gt;", "paragraph"]
    );
}

#[test]
fn a_heading_keeps_its_id_when_a_link_leads_there() {
    let heading = "<h2 id=\"own\">a</h2>";
    assert_eq!(faithful_outline(heading), ["extended-heading"]);
    let linked = format!("{heading}<p><a href=\"#own\">a</a></p>");
    assert_eq!(faithful_outline(&linked), [heading, "paragraph"]);
}
