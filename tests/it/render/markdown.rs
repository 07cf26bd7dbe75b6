//! Tests of the HTML of content files.

use galley::render::markdown::{BodyUrl, Dialect, UrlKind, to_html};
use serde::Deserialize;

fn html(source: &str) -> String {
    to_html(source, Dialect::GALLEY, |_| None)
}

/// Returns the URLs of a document: their kind, the URL, and the source at its position.
fn urls(source: &str) -> Vec<(UrlKind, String, &str)> {
    let mut urls = Vec::new();
    to_html(
        source,
        Dialect::GALLEY,
        |BodyUrl {
             written,
             kind,
             position,
             ..
         }| {
            urls.push((kind, written.to_owned(), &source[position..]));
            None
        },
    );
    urls
}

#[derive(Deserialize)]
struct Recorded {
    name: String,
    markdown: String,
    html: String,
}

#[test]
fn footnotes_are_as_recorded() {
    for line in include_str!("footnotes.jsonl").lines() {
        let case: Recorded = serde_json::from_str(line).unwrap();
        assert_eq!(html(&case.markdown), case.html, "{}", case.name);
    }
}

#[test]
fn footnotes_may_refer_to_each_other() {
    let source = "A[^a]\n\n[^a]: see[^b]\n[^b]: see[^a]\n[^unused]: x\n[^b]: twice\n";
    let html = html(source);
    assert_eq!(html.matches("class=\"footnote-item\"").count(), 2);
    assert!(
        html.contains(
            "see<sup class=\"footnote-ref\"><a href=\"#fn1\" id=\"fnref1:1\">[1:1]</a></sup>"
        ),
        "{html}"
    );
    assert!(
        html.contains("href=\"#fnref1:1\" class=\"footnote-backref\""),
        "{html}"
    );
}

#[test]
fn footnote_ending_in_a_list_gets_its_backlink_in_a_paragraph() {
    let html = html("A[^a]\n\n[^a]: one\n\n    - two\n");
    assert!(
        html.contains("</ul>\n<p><a href=\"#fnref1\" class=\"footnote-backref\">↩︎</a></p>\n</li>"),
        "{html}"
    );
}

#[test]
fn common_extensions_are_enabled() {
    assert_eq!(html("~~x~~"), "<p><del>x</del></p>\n");
    assert_eq!(
        html("- [x] done\n- [ ] open"),
        "<ul>\n<li><input disabled=\"\" type=\"checkbox\" checked=\"\"/>\ndone</li>\n\
         <li><input disabled=\"\" type=\"checkbox\"/>\nopen</li>\n</ul>\n"
    );
    assert_eq!(
        html("a | b\n:-|-:\n1 | `2`"),
        "<table><thead><tr><th style=\"text-align: left\">a</th><th style=\"text-align: right\">b</th></tr></thead>\
         <tbody>\n<tr><td style=\"text-align: left\">1</td><td style=\"text-align: right\"><code>2</code></td></tr>\n\
         </tbody></table>\n"
    );
    assert_eq!(
        html("```rust\na < b\n```"),
        "<pre><code class=\"language-rust\">a &lt; b\n</code></pre>\n"
    );
}

#[test]
fn punctuation_and_bare_urls_stay_as_typed() {
    assert_eq!(
        html("\"a\" -- b... https://a.example"),
        "<p>\"a\" -- b... https://a.example</p>\n"
    );
}

#[test]
fn raw_html_passes_through() {
    for source in [
        "<div class=x>\n  *not emphasis* &copy;\n</div>\n",
        "<script>\nlet a = 1 < 2;\n\nlet b;\n</script>\n",
        "<!--members-only-->\n",
    ] {
        assert_eq!(html(source), source);
    }
    assert_eq!(
        html("a <mark x='1'>*b*</mark>"),
        "<p>a <mark x='1'><em>b</em></mark></p>\n"
    );
}

#[test]
fn heading_ids_are_unique() {
    assert_eq!(
        html("# A *b* `c`\n\n## A b c"),
        "<h1 id=\"a-b-c\">A <em>b</em> <code>c</code></h1>\n<h2 id=\"a-b-c-1\">A b c</h2>\n"
    );
    assert_eq!(
        html("Two\nlines\n==="),
        "<h1 id=\"two-lines\">Two\nlines</h1>\n"
    );
    assert_eq!(
        html("# ![alt](a.jpg) x"),
        "<h1 id=\"alt-x\"><img src=\"a.jpg\" alt=\"alt\" /> x</h1>\n"
    );
    assert_eq!(html("# A <b>c</b>"), "<h1 id=\"a-c\">A <b>c</b></h1>\n");
    assert_eq!(html("#"), "<h1></h1>\n");
}

#[test]
fn explicit_heading_id_takes_precedence() {
    assert_eq!(
        html("# Log {#x .y}\n\n# X\n\n# Log"),
        "<h1 id=\"x\" class=\"y\">Log</h1>\n<h1 id=\"x-1\">X</h1>\n<h1 id=\"log\">Log</h1>\n"
    );
}

#[test]
fn urls_are_resolved_in_order() {
    use UrlKind::{Link, Resource};
    let source = "[a](b&amp;\\_.md) ![c](<d e.png>) <video src=f poster='g&amp;h'> <a HREF=\"i\">";
    let at = |start: &str| &source[source.find(start).unwrap()..];
    let expected = [
        (Link, "b&_.md".to_owned(), at("[a]")),
        (Resource, "d e.png".to_owned(), at("![c]")),
        (Resource, "f".to_owned(), at("f poster")),
        (Resource, "g&h".to_owned(), at("g&amp;h")),
        (Link, "i".to_owned(), at("i\">")),
    ];
    assert_eq!(urls(source), expected);
    assert_eq!(
        urls("<a@b.example> `[a](b)` <!-- <a href=x> --> \\[a](b)"),
        []
    );
}

#[test]
fn url_in_an_html_block_has_its_source_position() {
    let source = "> text\n>\n> <div>\n> <img\n>   srcset=\"a.png 1x, b.png 2x\">\n> </div>\n";
    let value = &source[source.find("a.png").unwrap()..];
    let expected = ["a.png", "b.png"].map(|written| (UrlKind::Resource, written.to_owned(), value));
    assert_eq!(urls(source), expected);
}

#[test]
fn reference_link_is_resolved_at_its_use() {
    let source = "[a][r]\n\n[r]: b.md";
    assert_eq!(urls(source), [(UrlKind::Link, "b.md".to_owned(), source)]);
}

#[test]
fn resolved_urls_are_escaped() {
    let resolve = |_: BodyUrl<'_>| Some("/x?a=1&b=\"2\"".to_owned());
    assert_eq!(
        to_html("[a](b)", Dialect::GALLEY, resolve),
        "<p><a href=\"/x?a=1&amp;b=%222%22\">a</a></p>\n"
    );
    assert_eq!(
        to_html("<img src=b>", Dialect::GALLEY, resolve),
        "<img src=\"/x?a=1&amp;b=&quot;2&quot;\">"
    );
}

#[test]
fn too_deeply_nested_content_keeps_its_text() {
    let html = html(&(">".repeat(1_000) + "deep\n"));
    assert_eq!(html.matches("<blockquote>").count(), 100);
    assert!(html.contains("deep"));
}

#[test]
fn link_whose_url_runs_code_keeps_only_its_text() {
    for (markdown, html) in [
        ("[*a*](javascript:x) b", "<p><em>a</em> b</p>\n"),
        ("[a][x]\n\n[x]: JaVaScRiPt&colon;x", "<p>a</p>\n"),
        ("<javascript:x>", "<p>javascript:x</p>\n"),
        ("[a](<java\tscript:x>)", "<p>a</p>\n"),
        ("[a](data:text/html,x)", "<p>a</p>\n"),
        ("[a](data:image/svg+xml,x)", "<p>a</p>\n"),
        ("![a](javascript:x)", "<p><img src=\"\" alt=\"a\" /></p>\n"),
        (
            "![a](data:image/svg+xml,x)",
            "<p><img src=\"data:image/svg+xml,x\" alt=\"a\" /></p>\n",
        ),
        (
            "[![a](/b.png)](vbscript:x)",
            "<p><img src=\"/b.png\" alt=\"a\" /></p>\n",
        ),
        (
            "[a](javascript:x) [b](/b/)",
            "<p>a <a href=\"/b/\">b</a></p>\n",
        ),
        // HTML is served as it is written.
        (
            "<a href=\"javascript:x\">a</a>",
            "<p><a href=\"javascript:x\">a</a></p>\n",
        ),
    ] {
        assert_eq!(
            to_html(markdown, Dialect::GALLEY, |_| None),
            html,
            "{markdown}"
        );
        assert_eq!(
            to_html(markdown, Dialect::GALLEY, |url| Some(
                url.written.to_owned()
            )),
            html,
            "{markdown}"
        );
    }
}
