//! Properties of documents of other generators that contain templates, shortcodes, directives or components: expansion
//! is deterministic; its length is limited; its diagnostics have a line of the document; plain text is unchanged.

use galley::generators::{
    GENERATORS,
    syntax::{Environment, IncludedFile, expand},
};
use serde_json::{Map, Value, json};

/// The maximum growth of an expanded document: a multiple of its length, and a number of bytes for included files.
const GROWTH_MAX: usize = 512;
const INCLUDED_BYTES_MAX: usize = 1 << 21;

/// The content of every included file, with syntax of each template language.
const INCLUDED: &str = "{% include a %} <A /> {{ include.a }} {{#include a}} ![[a]]";

/// Generators with Liquid or Nunjucks.
const LIQUID: [&str; 3] = ["jekyll", "hexo", "eleventy"];

/// Generators with MDX.
const MDX: [&str; 3] = ["docusaurus", "astro", "next"];

/// Generators with shortcodes, directives, wikilinks or includes.
const OTHERS: [&str; 6] = ["hugo", "zola", "obsidian", "mdbook", "astro", "plain"];

/// Panics unless these properties hold for a document with Liquid. The first byte of an input chooses the generator.
pub fn check_liquid(input: &[u8]) {
    check(input, &LIQUID, false);
}

/// Panics unless these properties hold for a document in MDX. The first byte of an input chooses the generator.
pub fn check_mdx(input: &[u8]) {
    check(input, &MDX, true);
}

/// Panics unless these properties hold for a document with other kinds of templates. The first byte of an input chooses
/// the generator.
pub fn check_others(input: &[u8]) {
    check(input, &OTHERS, false);
}

fn check(input: &[u8], names: &[&str], is_mdx: bool) {
    let Some((number, text)) = input.split_first() else {
        return;
    };
    let name = names[usize::from(*number) % names.len()];
    let mut profiles = GENERATORS.iter().map(|generator| generator.profile());
    let syntax = &profiles
        .find(|profile| profile.name == name)
        .unwrap()
        .syntax;
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
    let expanded = expand(&text, first_line, syntax, &environment);
    assert_eq!(expanded, expand(&text, first_line, syntax, &environment));
    assert!(expanded.text.len() <= (text.len() + 1) * GROWTH_MAX + INCLUDED_BYTES_MAX);
    let lines = text.matches('\n').count() + 1;
    for remark in &expanded.remarks {
        assert!(
            (first_line..first_line + lines).contains(&remark.line),
            "{remark:?}"
        );
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" \n.,".contains(&byte);
    // MDX has no indented code, and lines that begin with these words are JavaScript.
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
