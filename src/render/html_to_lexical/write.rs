//! Writes a document as JSON, with keys in the order of Ghost's editor.

use serde_json::Value;

use super::document::{LexicalDraft, ListKind, NodeId, NodeKind};
use super::numbers;

/// Returns the document as JSON text. `bytes` is an estimate of its length. Recursion is bounded by
/// the depth to which [`super::convert`] nests nodes.
pub(super) fn json(document: &LexicalDraft<'_>, bytes: usize) -> String {
    let mut json = String::with_capacity(bytes);
    json.push_str("{\"root\":");
    push(document, LexicalDraft::ROOT, &mut json);
    json.push('}');
    json.shrink_to_fit();
    json
}

/// Returns the top-level nodes of the document, each as JSON text.
pub(super) fn nodes(document: &LexicalDraft<'_>) -> Vec<String> {
    let children = document.children(LexicalDraft::ROOT);
    children.map(|child| node(document, child)).collect()
}

/// Returns a node with its children as JSON text.
pub(super) fn node(document: &LexicalDraft<'_>, node: NodeId) -> String {
    let mut json = String::new();
    push(document, node, &mut json);
    json
}

fn push(document: &LexicalDraft<'_>, node: NodeId, json: &mut String) {
    match document.kind(node) {
        NodeKind::Root => push_block(document, node, "root", "", json),
        NodeKind::Paragraph { .. } => push_block(document, node, "paragraph", "", json),
        NodeKind::Heading(tag) => {
            let tag = format!(",\"tag\":\"{tag}\"");
            // Ghost's editor has separate types for headings, quotes and texts.
            push_block(document, node, "extended-heading", &tag, json);
        }
        NodeKind::Quote => push_block(document, node, "extended-quote", "", json),
        NodeKind::List(list) => {
            let (kind, tag) = match list.kind {
                ListKind::Bullet => ("bullet", "ul"),
                ListKind::Number => ("number", "ol"),
                ListKind::Check => ("check", "ul"),
            };
            let own = format!(
                ",\"listType\":\"{kind}\",\"start\":{},\"tag\":\"{tag}\"",
                list.start
            );
            push_block(document, node, "list", &own, json);
        }
        NodeKind::Item { checked, value } => {
            let checked = checked.map(|checked| format!(",\"checked\":{checked}"));
            let own = format!("{},\"value\":{value}", checked.unwrap_or_default());
            push_block(document, node, "listitem", &own, json);
        }
        NodeKind::Link(link) => {
            let own = format!(
                ",\"rel\":{},\"target\":{},\"title\":{},\"url\":{}",
                Value::from(link.rel),
                Value::from(link.target),
                Value::from(link.title),
                Value::from(link.url)
            );
            push_block(document, node, "link", &own, json);
        }
        NodeKind::Text { text, format } => push_text("extended-text", text, *format, 0, json),
        // Detail 2 makes Lexical keep the tab separate from adjacent texts.
        NodeKind::Tab { format } => push_text("tab", "\t", *format, 2, json),
        NodeKind::LineBreak => json.push_str("{\"type\":\"linebreak\",\"version\":1}"),
        NodeKind::Card(card) => json.push_str(&card.to_string()),
    }
}

/// Appends a node with its children. `own` contains the additional properties of its type.
fn push_block(document: &LexicalDraft<'_>, node: NodeId, kind: &str, own: &str, json: &mut String) {
    json.push_str("{\"children\":[");
    for child in document.children(node) {
        // A node ends with a brace, so only the first child follows the bracket.
        if !json.ends_with('[') {
            json.push(',');
        }
        push(document, child, json);
    }
    let indent = match document.kind(node) {
        NodeKind::Paragraph { indent } => numbers::json(*indent),
        NodeKind::Item { .. } => Value::from(item_indent(document, node)),
        _ => Value::from(0),
    };
    json.push_str(&format!(
        "],\"direction\":null,\"format\":\"\",\"indent\":{indent},\"type\":\"{kind}\",\"version\":1{own}}}"
    ));
}

fn push_text(kind: &str, text: &str, format: u32, detail: u32, json: &mut String) {
    json.push_str(&format!(
        "{{\"detail\":{detail},\"format\":{format},\"mode\":\"normal\",\"style\":\"\",\"text\":{},\"type\":\"{kind}\",\"version\":1}}",
        Value::from(text)
    ));
}

/// Returns the number of items that enclose the list in which an item is.
fn item_indent(document: &LexicalDraft<'_>, item: NodeId) -> u32 {
    let above_parent = |node: NodeId| document.parent(node).and_then(|list| document.parent(list));
    let mut indent = 0;
    let mut outer = above_parent(item);
    while let Some(node) = outer.filter(|node| document.is_item(*node)) {
        indent += 1;
        outer = above_parent(node);
    }
    indent
}
