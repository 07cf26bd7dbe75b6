//! Tests of properties of the renderer that hold for every document.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use galley::render::lexical::DocumentError;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{pairs, render};

/// Any JSON, often with texts and names that have a meaning in documents.
fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        r"<(/?(a|b|p|table|td|div|h4|script|svg)|!--)( (href|class)=x)?>|&(amp|nbsp)?;",
        "(__GHOST_URL__|https://(site|images.unsplash).example)?/content/images/a\\.(jpg|svg)",
        "https://images\\.unsplash\\.com/[a?&=]{0,4}",
        "\\PC{0,4}",
        any::<String>(),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..4000_i64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
        kind().prop_map(|kind| json!({ "type": kind })),
    ];
    leaf.prop_recursive(6, 48, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((property(), inner.clone()), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
            (kind(), prop::collection::vec(inner, 0..5))
                .prop_map(|(kind, children)| json!({ "type": kind, "children": children })),
        ]
    })
}

/// The type of a node in a recorded document, or another type.
fn kind() -> impl Strategy<Value = String> {
    let recorded = &RECORDED.types;
    prop_oneof![
        9 => prop::sample::select(recorded.as_slice()),
        1 => "[a-z-]{0,8}",
    ]
}

/// The name of a property in a recorded document.
fn property() -> impl Strategy<Value = String> {
    prop::sample::select(RECORDED.properties.as_slice())
}

/// The nodes and values of the recorded documents.
struct Recorded {
    /// The smaller documents, as JSON.
    documents: Vec<String>,
    types: Vec<String>,
    properties: Vec<String>,
}

static RECORDED: LazyLock<Recorded> = LazyLock::new(|| {
    let documents: Vec<String> = pairs()
        .map(|pair| pair.lexical.get().to_owned())
        .filter(|lexical| lexical.len() < 4000)
        .collect();
    let mut types = BTreeSet::new();
    let mut properties = BTreeSet::new();
    let mut waiting: Vec<Value> = documents
        .iter()
        .map(|document| serde_json::from_str(document).unwrap())
        .collect();
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(values) => waiting.extend(values),
            Value::Object(object) => {
                let kind = object.get("type").and_then(Value::as_str);
                types.extend(kind.map(str::to_owned));
                for (name, value) in object {
                    properties.insert(name);
                    waiting.push(value);
                }
            }
            _ => {}
        }
    }
    Recorded {
        documents,
        types: types.into_iter().collect(),
        properties: properties.into_iter().collect(),
    }
});

/// A recorded document in which one or more values are replaced.
fn mutated_document() -> impl Strategy<Value = String> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any_json()), 1..4);
    (prop::sample::select(RECORDED.documents.as_slice()), changes).prop_map(
        |(document, changes)| {
            let mut document: Value = serde_json::from_str(&document).unwrap();
            for (index, value) in changes {
                *pick(&mut document, index) = value;
            }
            document.to_string()
        },
    )
}

/// Returns one of the values in `document`.
fn pick(document: &mut Value, index: prop::sample::Index) -> &mut Value {
    let count = count_values(document);
    nth(document, &mut index.index(count)).expect("the index is below the count")
}

fn count_values(value: &Value) -> usize {
    let inner: usize = match value {
        Value::Array(values) => values.iter().map(count_values).sum(),
        Value::Object(object) => object.values().map(count_values).sum(),
        _ => 0,
    };
    inner + 1
}

fn nth<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(values) => values.iter_mut().find_map(|inner| nth(inner, left)),
        Value::Object(object) => object.values_mut().find_map(|inner| nth(inner, left)),
        _ => None,
    }
}

/// A block of text, and its visible text.
fn block() -> impl Strategy<Value = (Value, String)> {
    let run = ("[a-z<&>\" é]{1,4}", any::<u8>()).prop_map(|(text, format)| {
        let node = json!({
            "type": "extended-text", "text": text, "format": format, "mode": "normal", "style": "", "detail": 0,
        });
        (node, text)
    });
    run.prop_recursive(3, 24, 6, |inner| {
        let blocks = ["paragraph", "heading", "quote", "aside", "link", "listitem"];
        (
            prop::sample::select(blocks.to_vec()),
            prop::collection::vec(inner, 1..6),
        )
            .prop_map(|(kind, inner)| {
                let (nodes, texts): (Vec<Value>, Vec<String>) = inner.into_iter().unzip();
                (
                    json!({ "type": kind, "children": nodes, "tag": "h2" }),
                    texts.concat(),
                )
            })
    })
    .prop_map(|(node, text)| (json!({ "type": "paragraph", "children": [node] }), text))
}

fn document(blocks: &[Value]) -> String {
    json!({ "root": { "children": blocks } }).to_string()
}

/// Returns the text between the tags of `html`, whose attributes must not contain angle brackets.
fn text_of(html: &str) -> String {
    let mut text = String::new();
    for piece in html.split('<') {
        text.push_str(piece.split_once('>').map_or(piece, |(_, behind)| behind));
    }
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

proptest! {
    #[test]
    fn any_text_and_any_json_render_without_a_panic(text in any::<String>(), json in any_json()) {
        let _ = render(&text);
        let _ = render(&json.to_string());
        let _ = render(&json!({ "root": { "children": [json] } }).to_string());
    }

    #[test]
    fn mutated_document_renders_within_bounds(lexical in mutated_document()) {
        if let Ok(rendering) = render(&lexical) {
            // Some cards add a lot of markup.
            prop_assert!(rendering.html.len() <= lexical.len() * 512);
        }
    }

    #[test]
    fn rendered_text_keeps_its_order(blocks in prop::collection::vec(block(), 1..6)) {
        let (nodes, texts): (Vec<Value>, Vec<String>) = blocks.into_iter().unzip();
        let last = [json!({ "type": "horizontalrule" })];
        let rendering = render(&document(&[&nodes, &last[..]].concat())).unwrap();
        prop_assert_eq!(text_of(&rendering.html), texts.concat());
        prop_assert_eq!(rendering.losses, []);
    }

    #[test]
    fn unknown_node_does_not_change_its_siblings(
        blocks in prop::collection::vec(block(), 1..6),
        index in any::<prop::sample::Index>(),
    ) {
        let mut nodes: Vec<Value> = blocks.into_iter().map(|(node, _)| node).collect();
        let without = render(&document(&nodes)).unwrap();
        let index = index.index(nodes.len());
        nodes.insert(index, json!({ "type": "mystery", "version": 1 }));
        let with = render(&document(&nodes)).unwrap();
        prop_assert_eq!(with.html, without.html);
        prop_assert_eq!(with.losses.len(), 1);
        prop_assert_eq!(&with.losses[0].position, &format!("root.children[{index}]"));
    }
}

#[test]
fn nesting_is_bounded_by_the_json() {
    let nested = |kind: &str, depth: usize| {
        let start = format!(r#"{{"type":"{kind}","children":["#).repeat(depth);
        let text = r#"{"type":"text","text":"x"}"#;
        render(&format!(
            r#"{{"root":{{"children":[{start}{text}{}]}}}}"#,
            "]}".repeat(depth)
        ))
    };
    for kind in [
        "paragraph",
        "list",
        "listitem",
        "link",
        "heading",
        "mystery",
    ] {
        assert_eq!(text_of(&nested(kind, 60).unwrap().html), "x", "{kind}");
        assert!(
            matches!(nested(kind, 100_000), Err(DocumentError::NotJson(_))),
            "{kind}"
        );
    }
}

#[test]
fn long_lines_render_fast() {
    let run = |index: usize| {
        let format = index % 256;
        format!(r#"{{"type":"text","text":"x","format":{format}}},{{"type":"linebreak"}}"#)
    };
    let runs: Vec<String> = (0..50_000).map(run).collect();
    let lexical = format!(
        r#"{{"root":{{"children":[{{"type":"paragraph","children":[{}]}}]}}}}"#,
        runs.join(",")
    );
    assert_eq!(text_of(&render(&lexical).unwrap().html).len(), 50_000);
}
