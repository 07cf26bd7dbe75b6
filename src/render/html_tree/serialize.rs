//! Writes trees as HTML (HTML standard, "serializing HTML fragments").

use html5ever::{Attribute, local_name, ns};

use super::{Content, Node};
use crate::render::html_escape;

impl Node<'_> {
    /// Appends what is inside this node as HTML.
    pub(crate) fn push_inner_html(self, html: &mut String) {
        for (node, step) in self.steps() {
            match step {
                Step::Enter => node.push_start(html),
                Step::Leave => node.push_end(html),
            }
        }
    }

    /// Appends this node as HTML.
    pub(crate) fn push_outer_html(self, html: &mut String) {
        self.push_start(html);
        self.push_inner_html(html);
        self.push_end(html);
    }

    /// Every node below this one, twice: when it begins and when it ends.
    fn steps(self) -> impl Iterator<Item = (Self, Step)> {
        let first = self.first_child().map(|child| (child, Step::Enter));
        std::iter::successors(first, move |&(node, step)| {
            if let (Step::Enter, Some(child)) = (step, node.first_child()) {
                return Some((child, Step::Enter));
            }
            match (step, node.next_sibling()) {
                (Step::Enter, _) => Some((node, Step::Leave)),
                (Step::Leave, Some(next)) => Some((next, Step::Enter)),
                (Step::Leave, None) => {
                    let parent = node.parent().filter(|&parent| parent != self)?;
                    Some((parent, Step::Leave))
                }
            }
        })
    }

    fn push_start(self, html: &mut String) {
        match &self.record().content {
            Content::Root => {}
            Content::Element {
                name, attributes, ..
            } => {
                html.push('<');
                html.push_str(&name.local);
                for attribute in attributes {
                    push_attribute(html, attribute);
                }
                html.push('>');
            }
            Content::Text(text) if self.parent().is_some_and(Node::holds_raw_text) => {
                html.push_str(text);
            }
            Content::Text(text) => html_escape::push_text(html, text),
            Content::Comment(text) => {
                html.push_str("<!--");
                html.push_str(text);
                html.push_str("-->");
            }
        }
    }

    fn push_end(self, html: &mut String) {
        if let Content::Element { name, .. } = &self.record().content
            && !(name.ns == ns!(html) && is_void(&name.local))
        {
            html.push_str("</");
            html.push_str(&name.local);
            html.push('>');
        }
    }

    /// Whether text stands in this element without escapes. Scripting is off, so `noscript` is
    /// not one of them.
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Enter,
    Leave,
}

fn push_attribute(html: &mut String, attribute: &Attribute) {
    let name = &attribute.name;
    html.push_str(match name.ns {
        ns!(xml) => " xml:",
        ns!(xlink) => " xlink:",
        ns!(xmlns) if name.local != local_name!("xmlns") => " xmlns:",
        _ => " ",
    });
    html.push_str(&name.local);
    html.push_str("=\"");
    html_escape::push_attribute_value(html, &attribute.value);
    html.push('"');
}

/// Whether the HTML element called `name` has neither content nor an end tag.
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
