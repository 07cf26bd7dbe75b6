//! Tests of expansion, family by family: tables of inputs and outputs.

mod hugo;
mod jekyll;
mod markdown_with_more;
mod mdx;

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use proptest::prelude::*;
use serde_json::json;

use crate::generators::syntax::*;

const FAMILIES: [Family; 11] = [
    Family::None,
    Family::Liquid,
    Family::Eleventy,
    Family::Hugo,
    Family::Zola,
    Family::Docusaurus,
    Family::Obsidian,
    Family::Astro,
    Family::Next,
    Family::Hexo,
    Family::MdBook,
];

/// Returns the environment of a site.
fn environment() -> Environment<'static> {
    let Value::Object(page) = json!({ "title": "Night ferry", "count": 3, "author": { "name": "Ada" }, "params": { "port": "Eskerry" } })
    else {
        unreachable!()
    };
    let Value::Object(site) = json!({ "title": "Harbour", "email": "a@example.org" }) else {
        unreachable!()
    };
    Environment {
        url: "https://example.org".to_owned(),
        baseurl: "/blog".to_owned(),
        page,
        site,
        partial: Some(&|_, path| {
            let text = match path {
                "_includes/hello.html" => "Hello {{ include.who }}, {{ page.title }}!\n",
                "_includes/self.html" => "again {% include self.html %}",
                "_includes/framed.html" => {
                    "{% if include.who %}for {{ include.who }}{% elsif include.all == 'yes' %}for all{% else %}for no one{% endif %}"
                }
                "_includes/figure.html" => "{% for picture in site.pictures %}{% endfor %}",
                "/_common/a.md" => "---\ntitle: A\n---\n*a* {{< odd >}}\n",
                "./_part.mdx" => "---\ntitle: Part\n---\n\n## Part {props.number}\n\n<Chart />\n",
                _ => return None,
            };
            Some(IncludedFile {
                path: path.to_owned(),
                text: text.to_owned(),
            })
        }),
        ..Environment::default()
    }
}

/// Returns the expanded text, and the remarks with lines.
fn expanded(text: &str, family: Family, environment: &Environment<'_>) -> (String, Vec<String>) {
    let text = expand(text, 1, family, environment);
    let said = text
        .remarks
        .iter()
        .map(|remark| format!("{}: {}", remark.line, remark.text));
    (text.text.clone(), said.collect())
}

/// Tests a table of inputs and outputs, without remarks.
fn hold(family: Family, table: &[(&str, &str)]) {
    for (text, expected) in table {
        let (made, said) = expanded(text, family, &environment());
        assert_eq!(&made, expected, "of {text}");
        assert_eq!(said, Vec::<String>::new(), "of {text}");
    }
}

/// Tests a table of inputs, outputs, and remarks.
fn hold_with_remarks(family: Family, table: &[(&str, &str, &[&str])]) {
    for (text, expected, remarks) in table {
        let (made, said) = expanded(text, family, &environment());
        assert_eq!(&made, expected, "of {text}");
        assert_eq!(said, *remarks, "of {text}");
    }
}

#[test]
fn plain_markdown_is_unchanged() {
    let text = "{{ a }} {% b %} {{< c >}} [[d]] <E />\n:::note\nx\n:::\n<!--more-->";
    hold(Family::None, &[(text, text)]);
}

#[test]
fn diagnostics_have_line_numbers_of_the_original_file() {
    let text = "import A from './a';\n\n<Details summary=\"S\">\na\n</Details>\n\n:::odd\nx\n:::\n\n<Chart />\n";
    let text = expand(text, 10, Family::Docusaurus, &Environment::default());
    let lines: Vec<usize> = text.remarks.iter().map(|remark| remark.line).collect();
    assert_eq!(lines, [16, 20]);
    let line = text.text.lines().position(|line| line == "x").unwrap() + 1;
    assert_eq!(text.lines.of_source(line), 17);
}

#[test]
fn front_matter_can_disable_templates() {
    let environment = Environment {
        is_without_templates: true,
        ..environment()
    };
    let text = "{{ page.title }} {% x %}";
    assert_eq!(expanded(text, Family::Eleventy, &environment).0, text);
}

/// Inputs that would take long if any part were scanned repeatedly.
#[test]
fn expansion_takes_linear_time() {
    let pieces = [
        "{",
        "{{",
        "{%",
        "{{<",
        "{{%",
        "<a ",
        "<A b=\"",
        "{`",
        "{/*",
        "`",
        "``` ",
        "[[",
        "![[",
        "%%",
        "^a ",
        ":::a\n",
        "{% if a %}",
        "{% case a %}",
        "{% else %}",
        "{{< a >}}",
        "{% a %}",
        "{{ a(",
        "{{ a(\"",
        "$a",
        "<A>",
        "<div>",
        "</A>",
        "import a from 'b'\n",
        "export const a = {\n\n",
        "export const a = /*\n\n",
        "{% capture a %}{{ a }}{{ a }}{% endcapture %}",
        "- ",
        "> ",
        "{% raw %}",
        "<!--",
        "<!-- more -->",
        "{{< note >}}a{{< /note >}}",
        "<Note>a</Note>",
        "{{- a -}} ",
        "![|1](a)",
        "{{< highlight a >}}",
        "{% assign a = a | append: a %}{{ a }}",
        "a` ``b ",
    ];
    let pairs = [
        ("<div>a", "</div>"),
        ("<li>a\n", "</li>"),
        ("<Note>", "</Note>"),
        ("<Tab>", "</Tab>"),
        ("{{< note >}}", "{{< /note >}}"),
        ("{{< highlight a >}}", "{{< /highlight >}}"),
        ("{% note() %}", "{% end %}"),
        ("{% note %}", "{% endnote %}"),
        ("{{#include a}}", "<Listing a=\"b\">\n"),
        ("```rust\n", "# a\n```\n"),
        ("{% capture a %}b", "{% endcapture %}"),
        ("{% case a %}", "{% endcase %}"),
        ("{% if a %}{% else %}", "{% endif %}"),
        ("> ", "{{< highlight a >}}\n\n\n\n{{< /highlight >}}"),
    ];
    let repeated = pieces
        .iter()
        .map(|piece| piece.repeat((1 << 14) / piece.len()));
    let nested = pairs.iter().map(|(open, close)| {
        let count = (1 << 14) / (open.len() + close.len());
        open.repeat(count) + &close.repeat(count)
    });
    for text in repeated.chain(nested) {
        let piece = &text[..text.floor_char_boundary(20)];
        for family in FAMILIES {
            for is_mdx in [false, family == Family::Next] {
                let environment = Environment {
                    is_mdx,
                    ..Environment::default()
                };
                let started = Instant::now();
                expand(&text, 1, family, &environment);
                let took = started.elapsed();
                assert!(
                    took < Duration::from_secs(1),
                    "{took:?} for {piece} in {family:?}"
                );
            }
        }
    }
}

#[test]
fn inclusions_are_bounded() {
    let liquid = "{% include a %}".repeat(1_000);
    let hugo = "{{< include a >}}".repeat(1_000);
    let mdx = format!("import A from './a.md'\n\n{}", "<A />\n\n".repeat(1_000));
    for (text, family) in [
        (liquid, Family::Liquid),
        (hugo, Family::Hugo),
        (mdx, Family::Docusaurus),
        ("{{#include a}}\n".repeat(1_000), Family::MdBook),
    ] {
        let reads = Cell::new(0);
        let environment = Environment {
            partial: Some(&|from, path| {
                reads.set(reads.get() + 1);
                Some(IncludedFile {
                    path: format!("{from}+{path}"),
                    text: text.clone(),
                })
            }),
            ..Environment::default()
        };
        let text = expand(&text, 1, family, &environment);
        assert!(reads.get() < 5_000, "{family:?}: {}", reads.get());
        assert!(text.text.len() < 16 << 20);
    }
}

proptest! {
    #[test]
    fn any_text_is_expanded_without_a_panic(text in "(\\{%|%\\}|\\{\\{|\\}\\}|\\{\\{<|>\\}\\}|<[A-Za]|</[A-Za]>|/>|raw|endraw|\\{%-? (if|else|endif|capture a|endcapture|highlight a|endhighlight|note|endnote) -?%\\}|highlight|endhighlight|capture|endcapture|\
        figure|ref|src=|note|/note|tabs|import a from '[a.]'|export const a = |:::|\\[\\[|!\\[\\[|\\]\\]|%%|\\^a|```|\\$|\\(|\\)|end|[\n{}%\"`<>é/*\\\\=|' a-])*") {
        for family in FAMILIES {
            for is_mdx in [false, true] {
                let environment = Environment { is_mdx, ..environment() };
                let expanded = expand(&text, 1, family, &environment);
                let lines = text.matches('\n').count() + 1;
                for remark in &expanded.remarks {
                    prop_assert!((1..=lines).contains(&remark.line));
                }
                for line in 1..=expanded.text.matches('\n').count() + 1 {
                    prop_assert!(expanded.lines.of_source(line) >= 1);
                }
            }
        }
    }

    #[test]
    fn text_without_tags_is_unchanged(text in "[a-zé \n.,*_#()0-9>-]*") {
        for family in FAMILIES {
            let expanded = expand(&text, 1, family, &Environment::default());
            if family != Family::Docusaurus {
                prop_assert_eq!(&expanded.text, &text);
            }
        }
    }
}
