//! Properties of documents of other generators with templates, shortcodes, directives or components in them: expansion is
//! deterministic, its length is bounded, what it reports has a line of the document, and plain text stays as it is.

use galley::generators::syntax::{Environment, Family, IncludedFile, expand};
use serde_json::{Map, Value, json};

/// How many times its length a document may have when it is expanded, and how much is for what it includes, in bytes.
const GROWTH_MAX: usize = 512;
const INCLUDED_BYTES_MAX: usize = 1 << 21;

/// What a document includes: something of each language.
const INCLUDED: &str = "{% include a %} <A /> {{ include.a }} {{#include a}} ![[a]]";

/// Families with Liquid or Nunjucks.
const LIQUID: [Family; 3] = [Family::Liquid, Family::Hexo, Family::Eleventy];

/// Families with MDX.
const MDX: [Family; 3] = [Family::Docusaurus, Family::Astro, Family::Next];

/// All others: shortcodes, directives, wikilinks and includes.
const OTHERS: [Family; 6] = [
    Family::Hugo,
    Family::Zola,
    Family::Obsidian,
    Family::MdBook,
    Family::Astro,
    Family::None,
];

/// Panics unless all this holds of a document with Liquid. The first byte of an input chooses the family.
pub fn hold_liquid(input: &[u8]) {
    hold(input, &LIQUID, false);
}

/// Panics unless all this holds of a document in MDX. The first byte of an input chooses the family.
pub fn hold_mdx(input: &[u8]) {
    hold(input, &MDX, true);
}

/// Panics unless all this holds of a document with templates of other kinds. The first byte of an input chooses the family.
pub fn hold_others(input: &[u8]) {
    hold(input, &OTHERS, false);
}

fn hold(input: &[u8], families: &[Family], is_mdx: bool) {
    let Some((number, text)) = input.split_first() else {
        return;
    };
    let family = families[usize::from(*number) % families.len()];
    let text = String::from_utf8_lossy(text);
    let environment = Environment {
        file: "posts/a.md",
        is_mdx,
        url: "https://harbour.example".to_owned(),
        baseurl: "/blog".to_owned(),
        site: map(json!({"title": "Harbour", "author": {"name": "Ada"}, "tags": ["a", "b"]})),
        page: map(json!({"title": "A page", "date": "2026-01-01", "params": {"one": 1}})),
        partial: Some(&|file, written| {
            Some(IncludedFile {
                path: format!("{file}/{written}"),
                text: INCLUDED.to_owned(),
            })
        }),
        ..Environment::default()
    };
    let first_line = 4;
    let expanded = expand(&text, first_line, family, &environment);
    assert_eq!(expanded, expand(&text, first_line, family, &environment));
    assert!(expanded.text.len() <= (text.len() + 1) * GROWTH_MAX + INCLUDED_BYTES_MAX);
    let lines = text.matches('\n').count() + 1;
    for remark in &expanded.remarks {
        assert!(
            (first_line..first_line + lines).contains(&remark.line),
            "{remark:?}"
        );
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" \n.,".contains(&byte);
    // MDX has no indented code, and its lines with these words are programs.
    let marks = ["import", "export", "\n "];
    let has_marks = text.starts_with(' ') || marks.iter().any(|mark| text.contains(mark));
    if text.bytes().all(is_plain) && !has_marks {
        assert_eq!(expanded.text, text);
        assert_eq!(expanded.remarks, []);
    }
}

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
