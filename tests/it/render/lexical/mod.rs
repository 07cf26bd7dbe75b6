//! Tests of Lexical documents as HTML: the recorded pairs, and documents of which Galley loses less than Ghost.

mod properties;

use galley::render::lexical::{Context, DOCUMENT_BYTES_MAX, DocumentError, Rendering, to_html};
use galley::render::urls;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{SITE, cases, site};

#[derive(Deserialize)]
struct Pair {
    name: String,
    lexical: Box<RawValue>,
    /// `None` if the document is rejected.
    html: Option<String>,
    /// The served HTML, if it differs.
    served: Option<String>,
    site_url: Option<String>,
}

fn pairs() -> impl Iterator<Item = Pair> {
    cases(include_str!("../lexical-to-html.jsonl"))
}

fn render(lexical: &str) -> Result<Rendering, DocumentError> {
    to_html(lexical, Context { site: &site(SITE) })
}

#[test]
fn documents_render_as_recorded() {
    for pair in pairs() {
        let site = site(pair.site_url.as_deref().unwrap_or(SITE));
        let rendered = to_html(pair.lexical.get(), Context { site: &site });
        match pair.html {
            Some(html) => assert_eq!(rendered.unwrap().html, html, "{}", pair.name),
            None => assert_eq!(rendered, Err(DocumentError::Empty), "{}", pair.name),
        }
    }
}

#[test]
fn rendered_html_is_served_as_recorded() {
    for pair in pairs() {
        let Some(html) = pair.html else { continue };
        let site = site(pair.site_url.as_deref().unwrap_or(SITE));
        let rendered = to_html(pair.lexical.get(), Context { site: &site }).unwrap();
        let stored = urls::html_to_stored(&rendered.html, &site);
        let served = urls::to_served(&stored, &site);
        assert_eq!(served, pair.served.unwrap_or(html), "{}", pair.name);
    }
}

/// A document of which Ghost 6.65 loses content, and Galley's HTML for it. Most of the documents were recorded in Ghost.
#[derive(Deserialize)]
struct Better {
    name: String,
    lexical: Box<RawValue>,
    html: String,
    /// The paths of the nodes that are not rendered.
    losses: Vec<String>,
}

#[test]
fn unrenderable_node_is_dropped_alone_and_reported() {
    for case in cases::<Better>(include_str!("../lexical-do-better.jsonl")) {
        let rendered = render(case.lexical.get()).expect(&case.name);
        assert_eq!(rendered.html, case.html, "{}", case.name);
        let positions: Vec<String> = rendered
            .losses
            .into_iter()
            .map(|loss| loss.position)
            .collect();
        assert_eq!(positions, case.losses, "{}", case.name);
    }
}

#[test]
fn loss_has_a_reason() {
    let reasons = |node: &str| -> Vec<String> {
        let lexical = format!(r#"{{"root":{{"children":[{node}]}}}}"#);
        let losses = render(&lexical).unwrap().losses;
        losses.into_iter().map(|loss| loss.reason).collect()
    };
    for (node, reason) in [
        (r#"{"type":"mention"}"#, r#"unknown node type "mention""#),
        ("{}", "the node has no type"),
        ("[]", "this is not a node"),
        (
            r#"{"type":"image","src":5}"#,
            "the image card cannot be rendered: its src is not a string",
        ),
        (
            r#"{"type":"gallery","images":{}}"#,
            "the gallery card cannot be rendered: its images are not a list",
        ),
        (
            r#"{"type":"paragraph","children":[{"type":"paywall"}]}"#,
            "a card in inline content is not shown",
        ),
    ] {
        assert_eq!(reasons(node), [reason], "{node}");
    }
}

#[test]
fn repeated_losses_are_reported_once() {
    let lexical = format!(r#"{{"root":{{"children":[{}{{}}]}}}}"#, "{},".repeat(5000));
    let losses = render(&lexical).unwrap().losses;
    assert_eq!(losses.len(), 1000);
    assert_eq!(
        losses[999].reason,
        "the node has no type; further nodes that are not rendered are not listed"
    );
}

#[test]
fn invalid_document_is_rejected() {
    for lexical in ["", "{", "paragraph", "{\"root\":", "{} {}"] {
        assert!(
            matches!(render(lexical), Err(DocumentError::NotJson(_))),
            "{lexical}"
        );
    }
    for lexical in [
        "null",
        "[]",
        "5",
        "\"text\"",
        r#"{"root":[]}"#,
        r#"{"root":{"children":{}}}"#,
        r#"{"root":{"children":[{"type":"text","text":"only"}]}}"#,
    ] {
        assert_eq!(render(lexical), Err(DocumentError::Empty), "{lexical}");
    }
    let long = " ".repeat(DOCUMENT_BYTES_MAX + 1);
    let bytes = long.len();
    assert_eq!(render(&long), Err(DocumentError::TooLong { bytes }));
}
