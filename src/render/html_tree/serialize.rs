//! Serialisation of trees (HTML standard, "serializing HTML fragments").

use html5ever::{Attribute, ns};

use super::tree::{Node, NodeContent, prefix};
use crate::render::html_escape;

impl Node<'_> {
    /// Appends the inner HTML of this node.
    pub(crate) fn push_inner_html(self, html: &mut String) {
        self.push_filtered_html(html, |_| Serialization::Element);
    }

    /// Appends the inner HTML of this node. `keep` decides how each element is serialised.
    pub(crate) fn push_filtered_html(
        self,
        html: &mut String,
        keep: impl Fn(Self) -> Serialization,
    ) {
        let serialization_of = |node: Self| {
            if node.is_element() {
                keep(node)
            } else {
                Serialization::Element
            }
        };
        let mut step = self
            .first_child()
            .map(|child| (child, SerializeStep::Enter));
        while let Some((node, at)) = step {
            let serialization = serialization_of(node);
            let mut next = node.step(at);
            match (at, serialization) {
                (SerializeStep::Enter, Serialization::Element) => {
                    // If the raw-text element itself is left out, its text is ordinary text and
                    // must be escaped.
                    let is_raw = node.parent().is_some_and(|parent| {
                        parent.holds_raw_text()
                            && serialization_of(parent) == Serialization::Element
                    });
                    node.push_start(html, is_raw);
                }
                // Skips to the end of the element, so its descendants are not visited.
                (SerializeStep::Enter, Serialization::Nothing) => {
                    next = Some((node, SerializeStep::Leave))
                }
                (SerializeStep::Enter, Serialization::Space) => {
                    html.push(' ');
                    next = Some((node, SerializeStep::Leave));
                }
                (SerializeStep::Leave, Serialization::Element) => node.push_end(html),
                (_, _) => {}
            }
            step = next.filter(|(node, _)| *node != self);
        }
    }

    /// Appends the outer HTML of this node.
    pub(crate) fn push_outer_html(self, html: &mut String) {
        self.push_outer_filtered_html(html, |_| Serialization::Element);
    }

    /// Appends the outer HTML of this node. `keep` decides how each element inside is serialised.
    pub(crate) fn push_outer_filtered_html(
        self,
        html: &mut String,
        keep: impl Fn(Self) -> Serialization,
    ) {
        let is_raw = self.parent().is_some_and(Node::holds_raw_text);
        self.push_start(html, is_raw);
        self.push_filtered_html(html, keep);
        self.push_end(html);
    }

    /// Returns the next step of the traversal after entering or leaving this node.
    fn step(self, at: SerializeStep) -> Option<(Self, SerializeStep)> {
        let child = self.first_child().filter(|_| at == SerializeStep::Enter);
        if let Some(child) = child {
            return Some((child, SerializeStep::Enter));
        }
        match (at, self.next_sibling()) {
            (SerializeStep::Enter, _) => Some((self, SerializeStep::Leave)),
            (SerializeStep::Leave, Some(next)) => Some((next, SerializeStep::Enter)),
            (SerializeStep::Leave, None) => {
                self.parent().map(|parent| (parent, SerializeStep::Leave))
            }
        }
    }

    /// Appends the start tag of this node, or all of a text or comment. If `is_raw`, text is not
    /// escaped.
    fn push_start(self, html: &mut String, is_raw: bool) {
        match &self.record().content {
            NodeContent::Root => {}
            NodeContent::Element {
                name, attributes, ..
            } => {
                html.push('<');
                html.push_str(&name.local);
                for attribute in attributes {
                    push_attribute(html, attribute);
                }
                html.push('>');
            }
            NodeContent::Text(text) if is_raw => html.push_str(text),
            NodeContent::Text(text) => html_escape::push_text(html, text),
            NodeContent::Comment(text) => {
                html.push_str("<!--");
                html.push_str(text);
                html.push_str("-->");
            }
        }
    }

    fn push_end(self, html: &mut String) {
        if let NodeContent::Element { name, .. } = &self.record().content
            && !(name.ns == ns!(html) && is_void(&name.local))
        {
            html.push_str("</");
            html.push_str(&name.local);
            html.push('>');
        }
    }

    /// Returns whether text in this element is not escaped. Scripting is disabled, so `noscript` is
    /// not included.
    fn holds_raw_text(self) -> bool {
        [
            "iframe",
            "noembed",
            "noframes",
            "plaintext",
            "script",
            "style",
            "xmp",
        ]
        .iter()
        .any(|name| self.is(name))
    }
}

/// The serialisation of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Serialization {
    /// The element with its content.
    Element,
    /// The content, without the element's tags.
    Content,
    /// Neither the element nor its content.
    Nothing,
    /// A space instead of the element and its content.
    Space,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SerializeStep {
    Enter,
    Leave,
}

fn push_attribute(html: &mut String, attribute: &Attribute) {
    let name = &attribute.name;
    html.push(' ');
    html.push_str(prefix(name));
    html.push_str(&name.local);
    html.push_str("=\"");
    html_escape::push_attribute_value(html, &attribute.value);
    html.push('"');
}

/// Returns whether the HTML element called `name` has neither content nor an end tag.
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}
