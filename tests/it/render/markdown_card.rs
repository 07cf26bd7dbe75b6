//! Tests of the HTML of Markdown cards. Expected HTML was recorded from Ghost 6.65, unless a test names another source.

use galley::render::markdown::card::to_html;
use proptest::prelude::*;
use serde::Deserialize;

use super::cases;

#[derive(Deserialize)]
struct Recorded {
    name: String,
    markdown: String,
    html: String,
}

#[test]
fn cards_are_as_recorded() {
    for case in cases::<Recorded>(include_str!("markdown.jsonl")) {
        assert_eq!(to_html(&case.markdown), case.html, "{}", case.name);
    }
}

/// The cases test the ends and continuations of blocks, and the precedence of syntax in a line. Their HTML is the output of the
/// renderer of Ghost's card (`@tryghost/kg-markdown-html-renderer` 7.1.8 with `markdown-it` 14.3.3), serialised like in a
/// browser.
#[test]
fn details_of_the_syntax_are_those_of_the_renderer() {
    for case in cases::<Recorded>(include_str!("markdown-details.jsonl")) {
        assert_eq!(to_html(&case.markdown), case.html, "{}", case.name);
    }
}

/// Asserts the HTML of each text as a paragraph.
#[track_caller]
fn assert_paragraphs(cases: &[(&str, &str)]) {
    for (markdown, content) in cases {
        let expected = format!("<p>{content}</p>\n");
        assert_eq!(to_html(markdown), expected, "{markdown}");
    }
}

#[test]
fn bare_url_ends_before_punctuation() {
    // The text, and the part of it that is linked.
    for (text, address) in [
        ("https://x.y/a.", "https://x.y/a"),
        ("https://x.y/a...", "https://x.y/a"),
        ("https://x.y/a..b", "https://x.y/a..b"),
        ("https://x.y/a,b, c", "https://x.y/a,b"),
        ("https://x.y/a!b!", "https://x.y/a!b"),
        ("https://x.y/?a=1?", "https://x.y/?a=1"),
        ("https://x.y/a??b", "https://x.y/a"),
        ("https://x.y?q", "https://x.y?q"),
        ("https://x.y?", "https://x.y"),
        ("https://x.y/(a) b", "https://x.y/(a)"),
        ("https://x.y/a)", "https://x.y/a"),
        ("https://x.y/(a", "https://x.y/"),
        ("https://x.y/a'b'", "https://x.y/a'b'"),
        ("https://x.y/a'", "https://x.y/a"),
        ("https://x.y:80/a", "https://x.y:80/a"),
        ("https://x.y:/a", "https://x.y"),
        ("https://x.y._", "https://x.y"),
        ("https://a..b", "https://a"),
        ("https://me:word@x.y/a", "https://me:word@x.y/a"),
        ("http://localhost:80/x", "http://localhost:80/x"),
        ("http://1.2.3.4/a", "http://1.2.3.4/a"),
        ("FTP://x.y", "FTP://x.y"),
        ("//x.y/a", "//x.y/a"),
        ("//localhost/a", "//localhost/a"),
        ("mailto:a@b.", "mailto:a@b"),
    ] {
        let (_, rest) = text.split_once(address).unwrap();
        let link = format!("<a href=\"{address}\">{address}</a>{rest}");
        assert_paragraphs(&[(text, &link)]);
    }
}

#[test]
fn html_without_an_end_is_text_and_later_html_is_parsed() {
    assert_paragraphs(&[
        ("a <?b <!-- c --> d", "a &lt;?b <!-- c --> d"),
        ("a <!-- b <i>c</i>", "a &lt;!-- b <i>c</i>"),
    ]);
}

#[test]
fn texts_that_are_not_urls_are_not_linked() {
    for text in [
        "ahttps://x.y",
        "1https://x.y",
        "http:////x.y",
        "///x.y",
        "//x",
        "https://x.y:99999",
        "https://x.y:80a",
        "https://a_b.c/",
        "https://-a.b",
        "https://a-.b",
        "https://[::1]/a",
        "ws://x.y",
        "mailto:a",
        "me@x.example",
        "me@localhost",
        "me@a_b.com",
        "me@example.comm",
        "/me@example.com",
        "é@example.com",
    ] {
        assert_paragraphs(&[(text, text)]);
    }
}

#[test]
fn mail_addresses_with_a_known_domain_are_linked() {
    for address in [
        "me@example.com",
        "me@EXAMPLE.Com",
        "me@a.b.example.com",
        "me@example.io",
        "me@1.2.3.4",
        "a.b+c_d-e:i@example.museum",
    ] {
        let link = format!("<a href=\"mailto:{address}\">{address}</a>");
        assert_paragraphs(&[
            (address, &link),
            (
                &format!("({address}), \"{address}\"."),
                &format!("({link}), \"{link}\"."),
            ),
        ]);
    }
}

#[test]
fn urls_are_punycode_in_links_and_unicode_in_text() {
    assert_paragraphs(&[
        (
            "https://münchen.de/%C3%A9/ü%zz",
            "<a href=\"https://xn--mnchen-3ya.de/%C3%A9/%C3%BC%25zz\">https://münchen.de/é/ü%zz</a>",
        ),
        (
            "<https://xn--mnchen-3ya.de/%2F%20>",
            "<a href=\"https://xn--mnchen-3ya.de/%2F%20\">https://münchen.de/%2F </a>",
        ),
        ("[x](/a\"b<c>)", "<a href=\"/a%22b%3Cc%3E\">x</a>"),
    ]);
}

#[test]
fn urls_take_precedence_over_emphasis() {
    assert_paragraphs(&[
        (
            "https://x.y/_a_b_ *c*",
            "<a href=\"https://x.y/_a_b_\">https://x.y/_a_b_</a> <em>c</em>",
        ),
        (
            "*b https://x.y/*a",
            "*b <a href=\"https://x.y/*a\">https://x.y/*a</a>",
        ),
        (
            "**https://x.y**",
            "<strong><a href=\"https://x.y\">https://x.y</a></strong>",
        ),
        (
            "==https://x.y==",
            "==<a href=\"https://x.y==\">https://x.y==</a>",
        ),
    ]);
}

#[test]
fn bare_urls_inside_links_and_code_are_not_linked() {
    assert_paragraphs(&[
        ("[https://x.y](z)", "<a href=\"z\">https://x.y</a>"),
        (
            "[*me@example.com*](z)",
            "<a href=\"z\"><em>me@example.com</em></a>",
        ),
        ("`https://x.y`", "<code>https://x.y</code>"),
        (
            "![https://x.y <ab:c> `c` \\* d](z)",
            "<img src=\"z\" alt=\"https://x.y ab:c   d\" loading=\"lazy\">",
        ),
        (
            "<a href=\"z\">https://x.y</a> //x.y",
            "<a href=\"z\">https://x.y</a> <a href=\"//x.y\">//x.y</a>",
        ),
        ("\\*me@example.com", "*me@example.com"),
    ]);
}

#[test]
fn code_urls_in_links_are_rejected() {
    assert_paragraphs(&[
        (
            "[*x*](javascript:y) ![x](vbscript:y)",
            "[<em>x</em>](javascript:y) ![x](vbscript:y)",
        ),
        ("[x](FILE:///etc)", "[x](FILE:///etc)"),
        ("<javascript:x>", "&lt;javascript:x&gt;"),
        ("[a]: javascript:x\nb [a]", "[a]: javascript:x<br>\nb [a]"),
    ]);
}

#[test]
fn tabs_before_a_line_break_stay_and_spaces_after_them_go() {
    assert_paragraphs(&[
        ("x\t\na", "x\t<br>\na"),
        ("x \t\t  \n\ta", "x \t\t<br>\na"),
        (
            "*x*\t\n`a`\t\nb\t",
            "<em>x</em>\t<br>\n<code>a</code>\t<br>\nb",
        ),
        ("x\\\t\na\\\nb  \nc", "x\\\t<br>\na<br>\nb<br>\nc"),
        (
            "x&amp;\t\n[a\t\nb](c)",
            "x&amp;\t<br>\n<a href=\"c\">a\t<br>\nb</a>",
        ),
        (
            "![a\t\nb](c)",
            "<img src=\"c\" alt=\"a\t\nb\" loading=\"lazy\">",
        ),
        (
            "https://x.y/\t\na",
            "<a href=\"https://x.y/\">https://x.y/</a>\t<br>\na",
        ),
    ]);
    assert_eq!(
        to_html("> x\t\n> a"),
        "<blockquote>\n<p>x\t<br>\na</p>\n</blockquote>\n"
    );
    assert_eq!(to_html("x\t\n==="), "<h1 id=\"x\">x</h1>\n");
}

#[test]
fn subscripts_and_superscripts_cannot_contain_blanks() {
    assert_paragraphs(&[
        (
            "~*b*~ ^`b`^ ~[a](b)~",
            "<sub>*b*</sub> <sup>`b`</sup> <sub>[a](b)</sub>",
        ),
        ("~b\\~c~ ~b\\ c~", "<sub>b~c</sub> <sub>b c</sub>"),
        ("~b c~ H^2 ^x ~~", "~b c~ H^2 ^x ~~"),
        ("x~~a~b~~c~", "x~~a<sub>b</sub><sub>c</sub>"),
        ("*a ~b* c~", "<em>a ~b</em> c~"),
        ("*a ~b*c~", "*a <sub>b*c</sub>"),
    ]);
}

#[test]
fn paired_delimiters_follow_the_emphasis_rules() {
    assert_paragraphs(&[
        ("a==b==c a== b ==c", "a<mark>b</mark>c a== b ==c"),
        ("===a=== ==a===b=", "=<mark>a</mark>= <mark>a</mark>=b="),
        ("====a====", "<mark><mark>a</mark></mark>"),
        ("b ~~~a~~~", "b ~<s>a</s>~"),
        ("~~a ==b~~ c==", "<s>a ==b</s> c=="),
        ("==a *b== c*", "<mark>a *b</mark> c*"),
        ("*a ==b* c==", "<em>a ==b</em> c=="),
        ("==a [b==](c)==", "<mark>a <a href=\"c\">b==</a></mark>"),
    ]);
}

#[test]
fn headings_need_no_blank_after_the_hashes() {
    assert_eq!(
        to_html("a\n#b\nc\n  ##d\n    #e\n> #f\ng"),
        "<p>a</p>\n<h1 id=\"b\">b</h1>\n<p>c</p>\n<h2 id=\"d\">d</h2>\n<pre><code>#e\n</code></pre>\n\
         <blockquote>\n<h1 id=\"f\">f</h1>\n</blockquote>\n<p>g</p>\n"
    );
    assert_eq!(
        to_html("- #x\n- \\#y\n\n`a\n#b`\n\n    #c\n"),
        "<ul>\n<li>\n<h1 id=\"x\">x</h1>\n</li>\n<li>#y</li>\n</ul>\n<p>`a</p>\n\
         <h1 id=\"b%60\">b`</h1>\n<pre><code>#c\n</code></pre>\n"
    );
    assert_eq!(
        to_html("#a | b\n-|-\n#1 | 2"),
        "<table>\n<thead>\n<tr>\n<th>#a</th>\n<th>b</th>\n</tr>\n</thead>\n</table>\n<h1 id=\"1-2\">1 | 2</h1>\n"
    );
}

#[test]
fn heading_id_is_derived_from_the_raw_text() {
    for (markdown, id) in [
        ("# a ~s~ ==m== ^p^ x", "a-s-m-p-x"),
        ("Two *a*\nlines\n===", "two-alines"),
        ("# `c` <b> ![*i* `k`](/x \"t\")", "c-b-i-%60k%60"),
        ("# [link](/x) &amp; \\*", "link"),
    ] {
        let html = to_html(markdown);
        assert!(html.contains(&format!(" id=\"{id}\">")), "{html}");
    }
}

#[test]
fn footnotes_are_numbered_by_first_reference() {
    let html = to_html("[^a]: see[^b]\n\nText[^b] [^a] ^[*here*]\n\n[^b]: one\n[^b]: - two\n");
    assert_eq!(
        html,
        "<p>Text<sup class=\"footnote-ref\"><a href=\"#fn1\" id=\"fnref1:1\">[1:1]</a></sup> \
         <sup class=\"footnote-ref\"><a href=\"#fn2\" id=\"fnref2\">[2]</a></sup> \
         <sup class=\"footnote-ref\"><a href=\"#fn3\" id=\"fnref3\">[3]</a></sup></p>\n\
         <hr class=\"footnotes-sep\">\n<section class=\"footnotes\">\n<ol class=\"footnotes-list\">\n\
         <li id=\"fn1\" class=\"footnote-item\"><ul>\n<li>two</li>\n</ul>\n \
         <a href=\"#fnref1\" class=\"footnote-backref\">↩︎</a> \
         <a href=\"#fnref1:1\" class=\"footnote-backref\">↩︎</a></li>\n\
         <li id=\"fn2\" class=\"footnote-item\"><p>see<sup class=\"footnote-ref\">\
         <a href=\"#fn1\" id=\"fnref1\">[1]</a></sup> \
         <a href=\"#fnref2\" class=\"footnote-backref\">↩︎</a></p>\n</li>\n\
         <li id=\"fn3\" class=\"footnote-item\"><p><em>here</em> \
         <a href=\"#fnref3\" class=\"footnote-backref\">↩︎</a></p>\n</li>\n</ol>\n</section>\n"
    );
}

/// Ghost numbers both footnotes 1, and loses the text of the inner one.
#[test]
fn nested_footnote_has_its_own_number() {
    let html = to_html("a^[one ^[two] three]");
    assert!(html.contains(
        "<p>one <sup class=\"footnote-ref\"><a href=\"#fn2\" id=\"fnref2\">[2]</a></sup> three "
    ));
    assert!(html.contains("<li id=\"fn2\" class=\"footnote-item\"><p>two "));
}

#[test]
fn too_deeply_nested_content_keeps_its_text() {
    let html = to_html(&(">".repeat(1_000) + "deep\n"));
    assert_eq!(html.matches("<blockquote>").count(), 100);
    assert!(html.contains("deep"));
    let html = to_html(&("- ".repeat(1_000) + "deep\n"));
    assert_eq!(html.matches("<ul>").count(), 50);
    assert!(html.contains("deep"));
    let notes = to_html(&("^[a ".repeat(90) + &"]".repeat(90)));
    assert_eq!(notes.matches("class=\"footnote-item\"").count(), 8);
    assert_eq!(
        notes.matches("a ").count() - notes.matches("<a ").count(),
        90
    );
    // The outermost footnote has no recognised end.
    let notes = "^[a ".repeat(100) + &"]".repeat(100);
    assert_eq!(to_html(&notes), format!("<p>{notes}</p>\n"));
}

/// Ghost loses the text of the outer footnote.
#[test]
fn footnote_in_a_footnote_keeps_both_texts() {
    let html = to_html("a[^1] b[^2]\n\n[^1]: one\n\n    [^2]: two\n\n    three\n");
    let (body, footnotes) = html.split_once("<hr").unwrap();
    assert!(!body.contains("three"), "{html}");
    let (first, second) = footnotes.split_once("<li id=\"fn2\"").unwrap();
    assert!(
        first.contains("<p>one</p>") && first.contains("<p>three "),
        "{html}"
    );
    assert!(second.contains("<p>two "), "{html}");
}

#[test]
fn any_nesting_is_rendered_on_a_small_stack() {
    let opening = [
        "> ",
        "- ",
        "> - ",
        "1. > ",
        "[^1]: ",
        "[",
        "![",
        "^[",
        "[^1]: > - ",
        "(",
        "*",
        "> ^[![[",
    ];
    let render = move || {
        for mark in opening {
            let markdown = mark.repeat(5_000) + "deep";
            assert!(
                to_html(&markdown).contains("deep") || mark.contains("[^1]"),
                "{mark}"
            );
        }
        let images = "![".repeat(90) + "deep" + &"](/x)".repeat(90);
        assert!(to_html(&images).contains("deep"));
    };
    let small = std::thread::Builder::new().stack_size(1 << 20);
    small.spawn(render).unwrap().join().unwrap();
}

/// Delimiters and fragments with a meaning in the card, in any order.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => r"[*_~=^`\[\]!<>()|#:/@\\& \n-]{1,4}",
        2 => r"(https?://|//|mailto:)[a-z.:/(é]{0,5}|me@a\.de|&amp;|</?a>|\[\^n\](: )?|\]\(/u\)",
        1 => "[a-zé\u{a0}\u{3000} ]{1,3}",
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Lines that are a table, or almost a table.
fn tables() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => r"\n(> ?|>> |- |  |1\. |    |# |#|)",
        4 => r"(a\|b|\|a|a\||\|a\|b\||a\\\|b\||`a\|b`)",
        4 => r"(-\|-|\|-|:-:|---|\|-\|-\||- \| -|=)",
        1 => r"(a|\*|\[\^1\]: |```|<div>|\|)",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn extra_pipes_of_tables_are_dropped(markdown in tables()) {
        let html = to_html(&markdown);
        prop_assert!(html.matches('|').count() <= markdown.matches('|').count(), "{html}");
    }

    #[test]
    fn any_text_renders_without_a_panic(markdown in markdown()) {
        to_html(&markdown);
    }

    #[test]
    fn plain_words_are_unchanged(words in "[a-z]{1,8}( [a-z]{1,8}){0,8}") {
        prop_assert_eq!(to_html(&words), format!("<p>{words}</p>\n"));
    }
}

#[test]
fn table_like_lines_of_a_list_render_without_a_panic() {
    for markdown in [
        "\n- a|\n  ---\n    a|b",
        "- a|\n  -\n  a|b",
        "> a|\n> ---\n    a|b",
    ] {
        to_html(markdown);
    }
}

#[test]
fn urls_that_run_code_are_not_linked() {
    for url in [
        "javascript:harm()",
        "JaVaScRiPt:harm()",
        "<java\tscript:harm()>",
        "javascript&colon;harm()",
        "&#106;avascript:harm()",
        "&Tab;javascript:harm()",
        "<\u{1}javascript:harm()>",
        "vbscript:harm()",
        "data:text/html,harm()",
        "data:image/svg+xml;base64,AA==",
    ] {
        for markdown in [
            format!("[words]({url})"),
            format!("[words][a]\n\n[a]: {url}"),
        ] {
            let html = to_html(&markdown);
            for address in html.split("href=\"").skip(1) {
                let address = address.split('"').next().unwrap();
                let address = address.replace("&amp;", "&");
                let parsed = url::Url::parse("https://site.example/")
                    .unwrap()
                    .join(&address);
                assert_eq!(parsed.unwrap().scheme(), "https", "{markdown}: {html}");
            }
            assert!(html.contains("words"), "{html}");
        }
    }
    assert!(
        to_html("![a](data:image/png;base64,AA==)").contains("src=\"data:image/png;base64,AA==\"")
    );
}
