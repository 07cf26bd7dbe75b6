//! Tests of the conversion of HTML to Lexical.

use galley::render::html_to_lexical::to_lexical;
use galley::render::lexical::{Context, DocumentError, to_html};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use super::{SITE, cases, site};

#[derive(Deserialize)]
struct Conversion {
    name: String,
    html: String,
    lexical: Value,
    /// `None` if the document is rejected.
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
        // Compared as text, so that the order of keys counts.
        assert_eq!(
            to_lexical(&case.html),
            case.lexical.to_string(),
            "{}",
            case.name
        );
    }
}

#[test]
fn converted_documents_render_as_recorded() {
    for case in conversions() {
        let expected = case.rendered.ok_or(DocumentError::Empty);
        assert_eq!(rendered(&to_lexical(&case.html)), expected, "{}", case.name);
    }
}

#[test]
fn adjacent_inner_lists_are_merged() {
    const IMAGE: &str = "<img src=\"https://x/i.png\">";
    for (list, expected) in [
        (
            "<ol><li>p<ul><li>q</li></ul></li><li>y<ul><li>a</li></ul>{}<ul><li>b</li></ul></li></ol>",
            "<ol><li>p<ul><li>q</li><li>a</li><li>b</li></ul></li></ol><p>y</p>",
        ),
        (
            "<ul><ul><li>a</li></ul><li>{}</li><ul><li>b</li></ul><ul><li>c</li></ul><li>d</li></ul>",
            "<ul><ul><li>a</li><li>b</li><li>c</li></ul><li>d</li></ul>",
        ),
        // Adjacent inner lists of merged items are merged once.
        (
            "<ul><ul><li>z<ul><li>a</li></ul></li></ul><li>{}</li>\
             <ul><ul><li>b</li></ul><ul><li>c</li></ul></ul><ul><li>d</li></ul></ul>",
            "<ul><ul><li>z<ul><li>a</li><li>b</li></ul></li><ul><li>c</li></ul><li>d</li></ul></ul>",
        ),
    ] {
        let html = rendered(&to_lexical(&list.replace("{}", IMAGE))).unwrap();
        let (lists, image) = html.split_once("<figure").unwrap();
        assert_eq!(lists, expected, "{list}");
        assert!(image.contains("https://x/i.png"));
    }
}

#[test]
fn template_elements_are_ignored() {
    for (html, expected) in [
        ("<p>a<template><b>x</b></template>b</p>", "<p>ab</p>"),
        (
            "<p>a <b style=\"display:inline\"><template>x</template></b> b</p>",
            "<p>a b</p>",
        ),
        ("<p>a<svg><template>x</template></svg>b</p>", "<p>axb</p>"),
    ] {
        assert_eq!(rendered(&to_lexical(html)).unwrap(), expected, "{html}");
    }
}

/// Returns large HTML documents that nest or repeat elements whose conversion depends on their context.
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
        "<ul><li>a</li></ul><li><img src=i></li><ul><ul><li>b</li></ul></ul>",
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
        let lexical = to_lexical(&html);
        let rendered = rendered(&lexical);
        assert!(
            matches!(rendered, Ok(_) | Err(DocumentError::Empty)),
            "{rendered:?}"
        );
        assert!(lexical.len() < 100 * html.len());
    }
}

#[test]
fn too_deep_elements_keep_their_text() {
    for (start, end) in [
        ("<blockquote>", "</blockquote>"),
        ("<ul><li>", "</li></ul>"),
    ] {
        let html = format!("{}deep{}", start.repeat(100), end.repeat(100));
        assert!(rendered(&to_lexical(&html)).unwrap().contains("deep"));
    }
}

/// Sequences of fragments that nest elements and break their nesting.
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

proptest! {
    #[test]
    fn every_document_renders(html in markup()) {
        let rendered = rendered(&to_lexical(&html));
        prop_assert!(matches!(rendered, Ok(_) | Err(DocumentError::Empty)));
    }
}
