//! Tests that each Markdown dialect renders like its generator.

use galley::render::markdown::{Block, Dialect, HeadingRule, Quotes, Typography, blocks, to_html};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    name: String,
    dialect: String,
    markdown: String,
    html: String,
}

/// Most cases were compared with the output of Hugo 0.111, kramdown 2.4 with its parser for GitHub's dialect, Astro's Markdown
/// and markdown-it. It is the same except for white space, attributes that they add, and the differences in docs/markdown.md.
/// For GitHub, Obsidian and Zola, no program was available.
#[test]
fn each_dialect_renders_like_its_generator() {
    let mut failures = String::new();
    for line in include_str!("dialects.jsonl").lines() {
        let Case {
            name,
            dialect,
            markdown,
            html,
        } = serde_json::from_str(line).unwrap();
        let read = Dialect::by_name(&dialect).unwrap();
        let rendered = to_html(&markdown, read, |_| None);
        if rendered != html {
            failures += &format!("{dialect}: {name}\n{rendered:?}\n{html:?}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn each_heading_id_rule_keeps_its_characters() {
    let text = "Été à la mer: a_b & C++ -- ½ हिन्दी";
    for (name, id) in [
        ("github", "été-à-la-mer-a_b--c-----हिन्दी"),
        ("hugo", "été-à-la-mer-a_b--c-----हनद"),
        ("kramdown", "été-à-la-mer-a_b--c-----हिन्दी"),
        ("obsidian", "Été à la mer a_b & C++ -- ½ हिन्दी"),
    ] {
        assert_eq!(
            Dialect::by_name(name).unwrap().heading_id(text),
            id,
            "{name}"
        );
    }
    let zola = Dialect::ZOLA.heading_id("Été à la mer: a_b & C++");
    assert_eq!(zola, "ete-a-la-mer-a-b-c");
    assert_eq!(Dialect::HUGO.heading_id("?!"), "heading");
    assert_eq!(Dialect::GITHUB.heading_id("?!"), "");
    let mixed = Dialect {
        heading_ids: HeadingRule::GitHub,
        ..Dialect::GALLEY
    };
    assert_eq!(to_html("# É", mixed, |_| None), "<h1 id=\"é\">É</h1>\n");
}

#[test]
fn urls_have_their_source_positions() {
    for (dialect, source, written) in [
        (
            Dialect::GITHUB,
            "é $a$ https://a.example/?b&c",
            "https://a.example/?b&c",
        ),
        (
            Dialect::KRAMDOWN,
            "a\n{: .b}\n\n<div markdown=\"1\">\n[c](d.md)\n</div>",
            "d.md",
        ),
        (Dialect::MARKDOWN_IT, "a\n\n    b\n    [c](d.md)", "d.md"),
        (Dialect::OBSIDIAN, "> [!note] T [c](d.md)\n> e", "d.md"),
    ] {
        let mut found = Vec::new();
        let html = to_html(source, dialect, |address| {
            found.push((address.written.to_owned(), &source[address.position..]));
            Some("/x".to_owned())
        });
        let start = source.find("[c]").or_else(|| source.find("https")).unwrap();
        assert_eq!(found, [(written.to_owned(), &source[start..])]);
        assert!(html.contains("href=\"/x\""), "{html}");
    }
}

#[test]
fn concatenated_blocks_are_the_document_in_every_dialect() {
    let source = "# a {#b}\n\n> [!note]+ c *d*\n> e\n\n$$\nf\n$$\n\n```js {1}\ng\n```\n\nh^[i] ==j== %%k%% www.l.example\n{: .m}\n\n* n\n{:toc}\n";
    for name in Dialect::NAMES {
        let dialect = Dialect::by_name(name).unwrap();
        let mut whole = String::new();
        for block in blocks(source, dialect, |_| None) {
            match block {
                Block::Html(html) => whole.push_str(&html),
                Block::Code { language, code, .. } => {
                    whole.push_str(&format!(
                        "<pre><code class=\"language-{language}\">{code}\n</code></pre>\n"
                    ));
                }
            }
        }
        assert_eq!(whole, to_html(source, dialect, |_| None), "{name}");
    }
}

#[test]
fn characters_written_as_entities_are_unchanged() {
    let typography = Typography {
        quotes: Some(Quotes {
            single: ['‚', '‘'],
            double: ['„', '“'],
        }),
        ellipses: false,
        ..Typography::SMART
    };
    let dialect = Dialect {
        typography,
        ..Dialect::GALLEY
    };
    let html = to_html(
        "it&rsquo;s \"a\" &ldquo;b&rdquo; &hellip; ... `c`&lsquo;d",
        dialect,
        |_| None,
    );
    assert_eq!(html, "<p>it’s „a“ “b” … ... <code>c</code>‘d</p>\n");
}

/// Each of these would take minutes if every opening delimiter were searched for its closing delimiter up to the end of the
/// text.
#[test]
fn unclosed_constructs_parse_in_bounded_time() {
    let start = std::time::Instant::now();
    for piece in [
        "$$",
        "$a ",
        "^[",
        "a^[b",
        "==a",
        "%%",
        ":a",
        "{:",
        "*a*{: .b",
        "{::comment}",
        "http://_",
        "http://a.b/&amp;",
        "a@b",
        ">[!note] ",
        "> [!note] a\n",
        "{: .a}\n",
        "*[ab]: c\n",
        "<div markdown=\"1\">\n",
        "<p markdown=\"1\">",
        "<p markdown=\"1\">[a]</p>\n\n[a]: b\n",
        "<b>`",
        "<!-- ",
        "<script>",
        "    a\n",
        "<<",
        "~a",
    ] {
        let source = piece.repeat(20_000 / piece.len());
        for name in Dialect::NAMES {
            let dialect = Dialect::by_name(name).unwrap();
            let html = to_html(&source, dialect, |_| None);
            assert!(html.len() < source.len() * 100, "{name}: {piece}");
        }
    }
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}
