//! The types of nodes.
//!
//! Old and new documents use different names for the same type, such as `text` and `extended-text`.

use super::json::Value;

use crate::render::cards::CardType;

/// The kind of a node.
#[derive(Clone, Copy)]
pub(super) enum LexicalKind {
    /// A run of text.
    Text,
    LineBreak,
    Link,
    /// A bare URL that other editors convert to a link automatically.
    AutoLink,
    /// An unfinished mention of a page, which is never shown.
    AtLink,
    Paragraph,
    Heading,
    Quote,
    Aside,
    List,
    ListItem,
    Card(&'static CardType),
    Unknown,
}

impl LexicalKind {
    pub(super) fn of(node: &Value) -> Self {
        match type_of(node) {
            // `zwnj` marks the position of the cursor and is usually empty.
            "text" | "extended-text" | "tk" | "tab" | "at-link-search" | "zwnj" => Self::Text,
            "linebreak" => Self::LineBreak,
            "link" => Self::Link,
            "autolink" => Self::AutoLink,
            "at-link" => Self::AtLink,
            "paragraph" => Self::Paragraph,
            "heading" | "extended-heading" => Self::Heading,
            "quote" | "extended-quote" => Self::Quote,
            "aside" => Self::Aside,
            "list" => Self::List,
            "listitem" => Self::ListItem,
            other => CardType::named(other).map_or(Self::Unknown, Self::Card),
        }
    }

    /// Returns whether nodes of this kind are inline; false for `Unknown`, although such a node is
    /// inline if it has a text.
    pub(super) fn is_inline(self) -> bool {
        matches!(
            self,
            Self::Text | Self::LineBreak | Self::Link | Self::AutoLink | Self::AtLink
        )
    }
}

/// Returns the type of a node; empty if it has none.
pub(super) fn type_of<'a>(node: &'a Value<'_>) -> &'a str {
    node.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// Returns the children of a node.
pub(super) fn children<'a>(node: &'a Value<'a>) -> &'a [Value<'a>] {
    node.get("children")
        .and_then(Value::as_array)
        .unwrap_or_default()
}

/// Visits `nodes` and their descendants in document order. `path` is the path of their parent.
/// Recurses as deeply as the document nests.
///
/// # Errors
///
/// If `visit` returns an error.
pub(super) fn each<E>(
    nodes: &[Value],
    path: &mut Vec<usize>,
    visit: &mut impl FnMut(&[usize], &Value) -> Result<(), E>,
) -> Result<(), E> {
    for (index, node) in nodes.iter().enumerate() {
        path.push(index);
        visit(path, node)?;
        each(children(node), path, visit)?;
        path.pop();
    }
    Ok(())
}

/// Returns the position of the node at this path of indices, such as
/// `root.children[3].children[0]`.
pub(super) fn position(path: &[usize]) -> String {
    let mut position = "root".to_owned();
    for index in path {
        position.push_str(&format!(".children[{index}]"));
    }
    position
}

/// Returns the text of a node of an unknown type, if it has one.
pub(super) fn unknown_text<'a>(node: &'a Value<'_>) -> Option<&'a str> {
    node.get("text")
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
}

/// Returns whether a node of an unknown type has content that can be shown.
pub(super) fn has_content(node: &Value) -> bool {
    unknown_text(node).is_some() || !children(node).is_empty()
}

/// Returns whether a document ends at this top-level node. A text or a line break at the top level
/// belongs to no block, and Ghost 6.65 stops reading there (recorded).
pub(super) fn ends_document(node: &Value) -> bool {
    matches!(
        LexicalKind::of(node),
        LexicalKind::Text | LexicalKind::LineBreak
    )
}

/// Returns the reason why a node of an unknown type is not rendered.
pub(super) fn unknown_reason(node: &Value) -> String {
    match node {
        Value::Object(_) => match type_of(node) {
            "" => "the node has no type".to_owned(),
            name => {
                let shown: String = name.chars().take(TYPE_CHARACTERS_MAX).collect();
                format!("unknown node type {shown:?}")
            }
        },
        _ => "this is not a node".to_owned(),
    }
}

/// Maximum length of an unknown type in a message, in characters. Longer ones are truncated.
const TYPE_CHARACTERS_MAX: usize = 100;
