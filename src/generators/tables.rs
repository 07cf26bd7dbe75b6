//! Tests of expansion: tables of inputs and outputs, and properties of all generators.

use std::cell::Cell;

use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};
pub(super) use serde_json::{Value, json};

pub(super) use crate::generators::syntax::{Environment, IncludedFile};
use crate::generators::{GENERATORS, Generator, PLAIN, syntax, syntax::ExpandedText};

/// Returns the environment of a site.
pub(super) fn environment() -> Environment<'static> {
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
                "_includes/figure.html" => "{% for image in site.images %}{% endfor %}",
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

/// Returns the environment of a document in MDX.
pub(super) fn in_mdx() -> Environment<'static> {
    Environment {
        is_mdx: true,
        ..environment()
    }
}

/// Expands a text with the syntax of the generator.
pub(super) fn expand(
    text: &str,
    first_line: usize,
    generator: &dyn Generator,
    environment: &Environment<'_>,
) -> ExpandedText {
    syntax::expand(text, first_line, &generator.profile().syntax, environment)
}

/// Returns the expanded text, and the remarks with lines.
pub(super) fn expanded(
    text: &str,
    generator: &dyn Generator,
    environment: &Environment<'_>,
) -> (String, Vec<String>) {
    let text = expand(text, 1, generator, environment);
    let remarks = text
        .remarks
        .iter()
        .map(|remark| format!("{}: {}", remark.line, remark.text));
    (text.text.clone(), remarks.collect())
}

/// Tests a table of inputs and outputs, without remarks.
pub(super) fn hold(generator: &dyn Generator, table: &[(&str, &str)]) {
    for (text, expected) in table {
        let (made, remarks) = expanded(text, generator, &environment());
        assert_eq!(&made, expected, "of {text}");
        assert_eq!(remarks, Vec::<String>::new(), "of {text}");
    }
}

/// Tests a table of inputs, outputs, and remarks.
pub(super) fn hold_with_remarks(generator: &dyn Generator, table: &[(&str, &str, &[&str])]) {
    for (text, expected, remarks) in table {
        let (made, actual_remarks) = expanded(text, generator, &environment());
        assert_eq!(&made, expected, "of {text}");
        assert_eq!(actual_remarks, *remarks, "of {text}");
    }
}

/// Tests that inclusions are bounded if every included file contains `text` again.
pub(super) fn hold_inclusion_bounds(generator: &dyn Generator, text: &str) {
    let reads = Cell::new(0);
    let environment = Environment {
        partial: Some(&|from, path| {
            reads.set(reads.get() + 1);
            Some(IncludedFile {
                path: format!("{from}+{path}"),
                text: text.to_owned(),
            })
        }),
        ..Environment::default()
    };
    let text = expand(text, 1, generator, &environment);
    assert!(reads.get() < 5_000, "{generator:?}: {}", reads.get());
    assert!(text.text.len() < 16 << 20);
}

#[test]
fn plain_markdown_is_unchanged() {
    let text = "{{ a }} {% b %} {{< c >}} [[d]] <E />\n:::note\nx\n:::\n<!--more-->";
    hold(PLAIN, &[(text, text)]);
}

/// Returns the CPU time of this thread, in seconds. Other tests run at the same time, so the wall-clock time is not measured.
fn processor_seconds() -> i64 {
    clock_gettime(ClockId::ThreadCPUTime).tv_sec
}

#[test]
fn expansion_takes_linear_time() {
    // Inputs that would take long if any part were scanned repeatedly.
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
        for generator in GENERATORS.iter().copied() {
            for is_mdx in [false, generator.profile().syntax.templates.is_empty()] {
                let environment = Environment {
                    is_mdx,
                    ..Environment::default()
                };
                let started = processor_seconds();
                expand(&text, 1, generator, &environment);
                let took = processor_seconds() - started;
                assert!(took <= 1, "{took} s for {piece} in {generator:?}");
            }
        }
    }
}

/// Returns a text without spaces and escapes, and its lines without the marks of quotes and list items at their beginning.
fn without_marks(text: &str) -> String {
    let text = text.replace([' ', '\\'], "");
    let is_mark = |character: char| character.is_ascii_digit() || "-*.>".contains(character);
    let lines = text
        .split('\n')
        .map(|line| line.trim_start_matches(is_mark));
    lines.collect::<Vec<_>>().join("\n")
}

proptest! {
    #[test]
    fn any_text_is_expanded_without_a_panic(text in "(\\{%|%\\}|\\{\\{|\\}\\}|\\{\\{<|>\\}\\}|<[A-Za]|</[A-Za]>|/>|raw|endraw|\\{%-? (if|else|endif|capture a|endcapture|highlight a|endhighlight|note|endnote) -?%\\}|highlight|endhighlight|capture|endcapture|\
        figure|ref|src=|note|/note|tabs|import a from '[a.]'|export const a = |:::|\\[\\[|!\\[\\[|\\]\\]|%%|\\^a|```|\\$|\\(|\\)|end|[\n{}%\"`<>é/*\\\\=|' a-])*") {
        for generator in GENERATORS.iter().copied() {
            for is_mdx in [false, true] {
                let environment = Environment { is_mdx, ..environment() };
                let expanded = expand(&text, 1, generator, &environment);
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
        for generator in GENERATORS.iter().copied() {
            let expanded = expand(&text, 1, generator, &Environment::default());
            let is_mdx = generator.profile().syntax.is_mdx;
            // Python-Markdown recognises other blocks as lists and headings than CommonMark, so lines are moved, marks are
            // escaped, and items are numbered from 1.
            let changes_blocks = generator.profile().reading.metadata_lines
                == crate::generators::reading_rules::MetadataLines::Any;
            if changes_blocks {
                prop_assert_eq!(without_marks(&expanded.text), without_marks(&text));
            } else if !is_mdx(&text, &Environment::default()) {
                prop_assert_eq!(&expanded.text, &text);
            }
        }
    }
}
