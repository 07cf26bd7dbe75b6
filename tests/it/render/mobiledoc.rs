//! Tests of the conversion of Mobiledoc to Lexical.

use galley::render::lexical::{Context, DocumentError, to_html};
use galley::render::mobiledoc::{clean_for_import, to_lexical};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{SITE, cases, site};

#[derive(Deserialize)]
struct Conversion {
    name: String,
    mobiledoc: Value,
    lexical: Value,
    via: Option<String>,
}

#[test]
fn documents_are_converted_as_recorded() {
    for case in cases::<Conversion>(include_str!("mobiledoc-to-lexical.jsonl")) {
        let mut mobiledoc = case.mobiledoc.to_string();
        if case.via.as_deref() == Some("import") {
            mobiledoc = clean_for_import(&mobiledoc).unwrap();
        }
        let lexical = to_lexical(&mobiledoc).unwrap();
        // Compared as text, so that the order of keys counts.
        assert_eq!(lexical, case.lexical.to_string(), "{}", case.name);
    }
}

#[derive(Deserialize)]
struct Rendered {
    name: String,
    mobiledoc: Value,
    /// `None` if the document is rejected.
    html: Option<String>,
    via: Option<String>,
}

/// Galley's HTML of documents that Ghost 6.65 truncates at an unknown node.
const CUT_SHORT: [(&str, &str); 4] = [
    (
        "section/pull-quote-unknown",
        "<p>kept</p><p>lost</p><p>lost too</p>",
    ),
    ("card/card-markdown-old-name", "<p>before</p><p>after</p>"),
    ("card/before-after-unsupported", "<p>before</p><p>after</p>"),
    ("card/unknown-name", "<p>before</p><p>after</p>"),
];

#[test]
fn documents_render_as_recorded() {
    for case in cases::<Rendered>(include_str!("mobiledoc-to-html.jsonl")) {
        let mut mobiledoc = case.mobiledoc.to_string();
        if case.via.as_deref() == Some("import") {
            mobiledoc = clean_for_import(&mobiledoc).unwrap();
        }
        let site = site(SITE);
        let rendered = to_html(&to_lexical(&mobiledoc).unwrap(), Context { site: &site });
        let html = rendered.map(|rendering| rendering.html);
        let is_cut_short = |(name, _): &&(&str, &str)| *name == case.name;
        let expected = match CUT_SHORT.iter().find(is_cut_short) {
            Some((_, whole)) => Some((*whole).to_owned()),
            None => case.html,
        };
        assert_eq!(html, expected.ok_or(DocumentError::Empty), "{}", case.name);
    }
}

fn document(sections: &Value) -> String {
    json!({
        "version": "0.3.1",
        "markups": [["strong"], ["a", ["href", "/a", "rel", "nofollow"]]],
        "atoms": [["soft-return", "", {}]],
        "cards": [["html", {"html": "x"}], ["hr"], ["html", "x"]],
        "sections": sections,
    })
    .to_string()
}

fn converted(sections: &Value) -> Value {
    let lexical = to_lexical(&document(sections)).unwrap();
    serde_json::from_str::<Value>(&lexical).unwrap()["root"]["children"].take()
}

#[test]
fn text_of_an_unclosed_link_is_preserved() {
    let nodes = converted(&json!([
        [1, "p", [[0, [1], 0, "a"], [1, [], 1, 0], [0, [], 0, "b"]]],
        [1, "p", [[0, [], 0, "c"]]],
    ]));
    assert_eq!(nodes[0]["children"][0]["type"], "linebreak");
    assert_eq!(nodes[0]["children"][1]["url"], "/a");
    assert_eq!(nodes[0]["children"][1]["children"][1]["text"], "b");
    assert_eq!(nodes[1]["children"][0]["text"], "c");
}

#[test]
fn link_rel_is_the_second_attribute() {
    let nodes = |attributes: Value| {
        let mobiledoc = json!({
            "markups": [["a", attributes]],
            "sections": [[1, "p", [[0, [0], 1, "a"]]]],
        });
        let lexical = to_lexical(&mobiledoc.to_string()).unwrap();
        let mut document: Value = serde_json::from_str(&lexical).unwrap();
        document["root"]["children"][0]["children"][0].take()
    };
    let link = nodes(json!(["target", "_blank", "rel", "noopener"]));
    assert_eq!((&link["rel"], link.get("url")), (&json!("noopener"), None));
    let link = nodes(json!(["rel", "noopener", "href", "/a"]));
    assert_eq!((&link["rel"], link.get("url")), (&json!(null), None));
}

#[test]
fn nested_link_is_part_of_the_outer_and_ends_it() {
    let nodes = converted(&json!([[
        1,
        "p",
        [
            [0, [1], 0, "a"],
            [0, [0, 1], 2, "b"],
            [0, [], 9, "c"],
            [0, [], 0, "d"]
        ]
    ]]));
    let text = |node: &Value| node["text"].clone();
    let nodes = nodes[0]["children"].as_array().unwrap();
    assert_eq!(nodes[0]["children"].as_array().unwrap().len(), 2);
    assert_eq!(nodes[0]["children"][1]["format"], 1);
    assert_eq!(nodes[1..].iter().map(text).collect::<Vec<_>>(), ["c", "d"]);
}

#[test]
fn document_has_a_direction_if_it_has_text_or_a_list() {
    let direction = |sections: &Value| {
        let lexical = to_lexical(&document(sections)).unwrap();
        let root = serde_json::from_str::<Value>(&lexical).unwrap()["root"].take();
        (root["direction"] == "ltr", root["children"].clone())
    };
    // A post with only a card, as written by Ghost 4.
    let (has_direction, nodes) = direction(&json!([[10, 0], [1, "p", []]]));
    assert!(!has_direction);
    assert_eq!(nodes[1]["direction"], "ltr");
    for (sections, expected) in [
        (json!([[1, "p", [[0, [], 0]]]]), false),
        (json!([[1, "p", [[0, [], 0, ""]]]]), true),
        (json!([[1, "p", [[1, [], 0, 0]]]]), true),
        (json!([[1, "p", []], [1, "p", [[0, [], 0, "a"]]]]), true),
        (json!([[3, "ul", []]]), true),
    ] {
        assert_eq!(direction(&sections).0, expected, "{sections}");
    }
}

#[test]
fn card_without_a_payload_is_converted() {
    assert_eq!(
        converted(&json!([[10, 1]])),
        json!([{"type": "horizontalrule"}])
    );
}

#[test]
fn missing_parts_are_empty() {
    for nothing in ["", " ", "{}", r#"{"sections":null}"#] {
        let lexical = r#"{"root":{"children":[],"direction":null,"format":"","indent":0,"type":"root","version":1}}"#;
        assert_eq!(to_lexical(nothing).unwrap(), lexical);
    }
    assert_eq!(
        converted(&json!([[1], [3, "ul"], [3, "ul", [null]]]))[2]["children"][0]["children"],
        json!([])
    );
}

#[test]
fn error_has_reason_and_position() {
    for (sections, error) in [
        (json!({}), "sections is not a list"),
        (json!([5]), "sections[0] is not a list"),
        (json!([[1, "p", "x"]]), "sections[0][2] is not a list"),
        (
            json!([[1, "p", [[7]]]]),
            "sections[0][2][0] is neither text (0) nor an atom (1)",
        ),
        (
            json!([[1, "p", [[0, [9], 1, "x"]]]]),
            "sections[0][2][0][1][0] refers to no element of the list \"markups\"",
        ),
        (
            json!([[1, "p", [[0, "0", 1, "x"]]]]),
            "sections[0][2][0][1] is not a list",
        ),
        (
            json!([[1, "p", [[0, [], 0, {}]]]]),
            "sections[0][2][0][3] is not a string",
        ),
        (
            json!([[3, "ul", [[[1, [], 0, -1]]]]]),
            "sections[0][2][0][0][3] refers to no element of the list \"atoms\"",
        ),
        (
            json!([[10]]),
            "sections[0] refers to no element of the list \"cards\"",
        ),
        (
            json!([[10, 2]]),
            "sections[0] refers to a card whose payload is not an object",
        ),
    ] {
        assert_eq!(
            to_lexical(&document(&sections)).unwrap_err().to_string(),
            error
        );
    }
    assert!(matches!(to_lexical("{bad"), Err(DocumentError::NotJson(_))));
    assert!(matches!(
        to_lexical("[]"),
        Err(DocumentError::Malformed { .. })
    ));
    assert!(matches!(
        to_lexical(&"[".repeat(100_000)),
        Err(DocumentError::NotJson(_))
    ));
}

#[test]
fn small_document_cannot_expand_without_bound() {
    let mobiledoc = json!({
        "cards": [["html", {"html": "x".repeat(1 << 20)}]],
        "sections": vec![json!([10, 0]); 51],
    });
    assert!(matches!(
        to_lexical(&mobiledoc.to_string()),
        Err(DocumentError::TooLong { .. })
    ));
}
