//! What nodes there are.
//!
//! Old documents and new ones name the same thing differently: `text` and `extended-text`.

use super::json::Value;

use super::cards;

/// What a node is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A run of text.
    Text,
    LineBreak,
    Link,
    /// An address of the kind that other editors find in a text by themselves.
    AutoLink,
    /// What the editor leaves behind when a mention of a page is not finished. It never shows.
    AtLink,
    Paragraph,
    Heading,
    Quote,
    Aside,
    List,
    ListItem,
    Card(cards::Render),
    Unknown,
}

impl Kind {
    pub(super) fn of(node: &Value) -> Self {
        match type_of(node) {
            // The last marks the place of the cursor and is empty as a rule.
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
            other => cards::renderer(other).map_or(Self::Unknown, Self::Card),
        }
    }

    /// Whether it stands in a line of text. What is not known does if it has a text.
    pub(super) fn is_inline(self) -> bool {
        matches!(
            self,
            Self::Text | Self::LineBreak | Self::Link | Self::AutoLink | Self::AtLink
        )
    }
}

/// The type that a node says it has; empty when it says none.
pub(super) fn type_of<'a>(node: &'a Value<'_>) -> &'a str {
    node.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The nodes in a node.
pub(super) fn children<'a>(node: &'a Value<'a>) -> &'a [Value<'a>] {
    node.get("children")
        .and_then(Value::as_array)
        .unwrap_or_default()
}

/// Looks at these nodes and at those in them, in the order of the document. `path` leads to what they are in; it recurses as
/// deep as the document nests.
///
/// # Errors
///
/// What `look` returns.
pub(super) fn each<E>(
    nodes: &[Value],
    path: &mut Vec<usize>,
    look: &mut impl FnMut(&[usize], &Value) -> Result<(), E>,
) -> Result<(), E> {
    for (index, node) in nodes.iter().enumerate() {
        path.push(index);
        look(path, node)?;
        each(children(node), path, look)?;
        path.pop();
    }
    Ok(())
}

/// The place of the node to which a path of indexes leads: `root.children[3].children[0]`.
pub(super) fn place(path: &[usize]) -> String {
    let mut place = "root".to_owned();
    for index in path {
        place.push_str(&format!(".children[{index}]"));
    }
    place
}

/// The text of a node of a type that is not known, if it has one.
pub(super) fn unknown_text<'a>(node: &'a Value<'_>) -> Option<&'a str> {
    node.get("text")
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
}

/// Whether a node of a type that is not known holds anything that can show.
pub(super) fn has_content(node: &Value) -> bool {
    unknown_text(node).is_some() || !children(node).is_empty()
}

/// Whether a document ends where this node stands among its blocks: a text or a line break there is
/// not of any block, and Ghost 6.65 reads no further (recorded).
pub(super) fn ends_document(node: &Value) -> bool {
    matches!(Kind::of(node), Kind::Text | Kind::LineBreak)
}

/// Why a node that is not known is not rendered.
pub(super) fn unknown_reason(node: &Value) -> String {
    match node {
        Value::Object(_) => match type_of(node) {
            "" => "the node says no type".to_owned(),
            name => {
                let shown: String = name.chars().take(TYPE_CHARACTERS_MAX).collect();
                format!("nothing is known of nodes of type {shown:?}")
            }
        },
        _ => "this is not a node".to_owned(),
    }
}

/// Most characters of an unknown type that are repeated.
const TYPE_CHARACTERS_MAX: usize = 100;
