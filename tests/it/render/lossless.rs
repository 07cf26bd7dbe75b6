//! Tests that HTML from clients is converted to a document without loss, and to the same document as in Ghost if that loses
//! nothing.

use galley::render::{
    html_to_lexical::{accepted_without_loss, to_lexical},
    lexical::{self, Context},
};
use serde_json::Value;

use super::{SITE, site};

/// Returns the type of each node of the converted document, and the HTML of HTML cards.
fn nodes(html: &str) -> Vec<String> {
    let document = accepted_without_loss(html, &site(SITE)).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let nodes = document["root"]["children"].as_array().unwrap();
    let shown = |node: &Value| match node["html"].as_str() {
        Some(html) => html.to_owned(),
        None => node["type"].as_str().unwrap().to_owned(),
    };
    nodes.iter().map(shown).collect()
}

fn rendered(html: &str) -> String {
    let document = accepted_without_loss(html, &site(SITE)).unwrap();
    let rendering = lexical::to_html(&document, Context { site: &site(SITE) }).unwrap();
    rendering.html
}

#[test]
fn block_that_would_lose_content_becomes_an_html_card() {
    for lossy in [
        "<p>See <a href=\"https://a.example/\"><img src=\"https://a.example/a.png\" alt=\"A\"></a> here</p>",
        "<p><a href=\"https://a.example/\"><img src=\"https://a.example/a.png\" alt=\"A\"></a></p>",
        "<p>a <mark>b</mark> c</p>",
        "<p>a <ins>b</ins> c</p>",
        "<p>a <small>b</small> c</p>",
        "<p>Press <kbd>Ctrl</kbd></p>",
        "<p>He said <q>yes</q></p>",
        "<ul><li>one</li><li>two <img src=\"https://a.example/a.png\" alt=\"A\"></li><li>three</li></ul>",
        "<ol><li>one<p>more</p><img src=\"https://a.example/a.png\"></li><li>two</li></ol>",
        "<dl><dt>Tide</dt><dd>The sea</dd></dl>",
        "<details><summary>More</summary><p>Text</p></details>",
    ] {
        let html = format!("<p>Before.</p>{lossy}<h2>After</h2>");
        let nodes = nodes(&html);
        assert_eq!(nodes.len(), 3, "{lossy}: {nodes:?}");
        assert_eq!(nodes[0], "paragraph", "{lossy}");
        assert_eq!(nodes[1], lossy);
        assert_eq!(nodes[2], "extended-heading", "{lossy}");
        assert!(rendered(&html).contains(lossy), "{lossy}");
    }
}

#[test]
fn html_without_loss_is_converted_as_in_ghost() {
    for html in [
        "<p>One <b>two</b> <em>three</em> <a href=\"https://a.example/\">four</a>.</p>",
        "<h2>Title</h2><p style=\"text-align: center\" class=\"x\">Text</p>",
        "<div><h3 id=\"a\">Title</h3><p><span style=\"font-weight: 400\">Text</span></p></div>",
        "<p><span style=\"font-weight: 700\">bold</span> and <b style=\"font-weight: normal\">not</b></p>",
        "<ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul><ol><li>a</li></ol>",
        "<blockquote><p>a</p><p>b</p></blockquote>",
        "<img src=\"https://a.example/a.png\" alt=\"A\" width=\"3\"><hr>",
        "<figure><img src=\"https://a.example/a.png\" alt=\"A\"><figcaption>Words</figcaption></figure>",
        "<p>a<br>b</p>\n\n<pre><code class=\"language-rust\">fn a() {\n  1\n}</code></pre>",
        "<p>x<sub>1</sub><sup>2</sup> <s>old</s> <u>new</u> <code>c</code></p>",
        "Loose words<p>and a paragraph</p>",
        "<p>a&nbsp;b   c</p>",
        "<!--kg-card-begin: html--><div onclick=\"a()\"><mark>x</mark></div><!--kg-card-end: html--><p>b</p>",
        "<p>a</p><script>alert(1)</script><style>p{}</style>",
    ] {
        let document = accepted_without_loss(html, &site(SITE)).unwrap();
        assert_eq!(document, to_lexical(html), "{html}");
    }
}

#[test]
fn html_cards_have_no_scripts_and_no_handlers() {
    let html = "<p onclick=\"a()\">a <mark onmouseover=\"b()\">b</mark> c<script>d()</script></p>\
                <!--kg-card-begin: html--><b onclick=\"e()\">e</b><script>f()</script><!--kg-card-end: html-->";
    let nodes = nodes(html);
    assert_eq!(nodes[0], "<p>a <mark>b</mark> c</p>");
    assert!(
        nodes[1].contains("onclick=\"e()\"") && nodes[1].contains("f()"),
        "{nodes:?}"
    );
}

#[test]
fn only_the_lossy_block_of_a_wrapper_becomes_a_card() {
    let html =
        "<div class=\"post\"><section><p>a</p><p>b <mark>c</mark> d</p></section><p>e</p></div>";
    assert_eq!(
        nodes(html),
        ["paragraph", "<p>b <mark>c</mark> d</p>", "paragraph"]
    );
}
