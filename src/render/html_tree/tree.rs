//! A parsed fragment, and its nodes.

use html5ever::{Attribute, LocalName, QualName, local_name, ns, tendril::StrTendril};

use crate::render::limits::Excess;

/// The depth of the deepest elements of a tree, where top-level elements are at depth 1. Deeper
/// elements lose their tags, and their text moves to the element at this depth.
pub(crate) const DEPTH_MAX: usize = 256;

/// A parsed fragment.
pub(crate) struct Tree {
    pub(super) records: Vec<NodeRecord>,
    pub(super) root: TreeNodeId,
    pub(super) excess: Option<Excess>,
}

impl Tree {
    /// Returns the limit that was exceeded, if any. Tags and comments beyond it were dropped.
    pub(crate) fn excess(&self) -> Option<Excess> {
        self.excess
    }

    /// Returns an upper bound of the node numbers, exclusive.
    pub(crate) fn size(&self) -> usize {
        self.records.len()
    }

    /// Removes attributes, each given by the number of its node and its name as in
    /// [`Node::attributes`].
    pub(crate) fn remove_attributes(&mut self, removed: &[(usize, String)]) {
        for (number, name) in removed {
            if let NodeContent::Element { attributes, .. } = &mut self.records[*number].content {
                // Without prefixes: of `href` and `xlink:href` on one element, both are removed.
                attributes.retain(|attribute| *attribute.name.local != **name);
            }
        }
    }

    /// Sets an attribute of the element with this number. An attribute of the same name is
    /// replaced.
    pub(crate) fn set_attribute(&mut self, number: usize, name: &str, value: &str) {
        if let NodeContent::Element { attributes, .. } = &mut self.records[number].content {
            attributes.retain(|attribute| *attribute.name.local != *name);
            attributes.push(Attribute {
                name: QualName::new(None, ns!(), LocalName::from(name)),
                value: StrTendril::from(value),
            });
        }
    }

    /// Returns the root, whose children are the fragment's first nodes.
    pub(crate) fn root(&self) -> Node<'_> {
        Node {
            tree: self,
            id: self.root,
        }
    }
}

/// The number of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeNodeId(pub u32);

impl TreeNodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The stored form of a node.
pub(super) struct NodeRecord {
    pub content: NodeContent,
    pub parent: Option<TreeNodeId>,
    pub previous: Option<TreeNodeId>,
    pub next: Option<TreeNodeId>,
    pub first_child: Option<TreeNodeId>,
    pub last_child: Option<TreeNodeId>,
}

pub(super) enum NodeContent {
    Root,
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
        /// True if HTML is permitted inside (MathML's `annotation-xml`).
        is_integration_point: bool,
    },
    Text(StrTendril),
    Comment(StrTendril),
}

/// A node of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    tree: &'a Tree,
    id: TreeNodeId,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HtmlNodeKind<'a> {
    /// The root of the fragment.
    Root,
    /// An element, with its name: lower case for HTML elements.
    Element(&'a str),
    /// Text, entities decoded. Never empty; two texts are never adjacent.
    Text(&'a str),
    /// A comment, without its delimiters.
    Comment(&'a str),
}

impl PartialEq for Node<'_> {
    /// Returns whether both refer to the same node of the same tree.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.id == other.id
    }
}

impl Eq for Node<'_> {}

impl<'a> Node<'a> {
    pub(super) fn record(self) -> &'a NodeRecord {
        &self.tree.records[self.id.index()]
    }

    fn at(self, id: Option<TreeNodeId>) -> Option<Self> {
        id.map(|id| Node {
            tree: self.tree,
            id,
        })
    }

    /// Returns the node's number, which is unique in its tree.
    pub(crate) fn number(self) -> usize {
        self.id.index()
    }

    pub(crate) fn kind(self) -> HtmlNodeKind<'a> {
        match &self.record().content {
            NodeContent::Root => HtmlNodeKind::Root,
            NodeContent::Element { name, .. } => HtmlNodeKind::Element(&name.local),
            NodeContent::Text(text) => HtmlNodeKind::Text(text),
            NodeContent::Comment(text) => HtmlNodeKind::Comment(text),
        }
    }

    /// Returns the name of the node, if it is an element.
    pub(crate) fn name(self) -> Option<&'a str> {
        match self.kind() {
            HtmlNodeKind::Element(name) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn is_element(self) -> bool {
        matches!(self.record().content, NodeContent::Element { .. })
    }

    /// Returns whether this is the HTML element called `name`; false for elements of SVG and
    /// MathML.
    pub(crate) fn is(self, name: &str) -> bool {
        matches!(&self.record().content, NodeContent::Element { name: own, .. }
            if own.ns == ns!(html) && *own.local == *name)
    }

    /// Returns the element's attributes in order. Names have no prefix, such as those of some
    /// attributes in SVG.
    pub(crate) fn attributes(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.prefixed_attributes()
            .map(|(_, name, value)| (name, value))
    }

    /// Returns the prefix, name and value of the element's attributes in order.
    pub(crate) fn prefixed_attributes(
        self,
    ) -> impl Iterator<Item = (&'static str, &'a str, &'a str)> {
        let attributes: &[Attribute] = match &self.record().content {
            NodeContent::Element { attributes, .. } => attributes,
            _ => &[],
        };
        attributes
            .iter()
            .map(|Attribute { name, value }| (prefix(name), &*name.local, &**value))
    }

    /// Returns the value of the attribute called `name`, entities decoded.
    pub(crate) fn attribute(self, name: &str) -> Option<&'a str> {
        self.attributes()
            .find(|&(own, _)| own == name)
            .map(|(_, value)| value)
    }

    /// Returns whether the element has the class `class`.
    pub(crate) fn has_class(self, class: &str) -> bool {
        self.attribute("class")
            .is_some_and(|classes| classes.split_ascii_whitespace().any(|own| own == class))
    }

    pub(crate) fn parent(self) -> Option<Self> {
        self.at(self.record().parent)
    }

    pub(crate) fn previous_sibling(self) -> Option<Self> {
        self.at(self.record().previous)
    }

    pub(crate) fn next_sibling(self) -> Option<Self> {
        self.at(self.record().next)
    }

    pub(crate) fn first_child(self) -> Option<Self> {
        self.at(self.record().first_child)
    }

    pub(crate) fn last_child(self) -> Option<Self> {
        self.at(self.record().last_child)
    }

    pub(crate) fn children(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.first_child(), |child| child.next_sibling())
    }

    /// Returns the first child that is an element.
    pub(crate) fn first_element(self) -> Option<Self> {
        self.children().find(|child| child.is_element())
    }

    /// Returns all descendants, in document order.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.first_child(), move |node| {
            node.first_child().or_else(|| node.next_beside(self))
        })
    }

    /// Returns the next node in document order that is below `top` but not a descendant of this
    /// node.
    fn next_beside(self, top: Self) -> Option<Self> {
        let mut node = self;
        while node != top {
            if let Some(next) = node.next_sibling() {
                return Some(next);
            }
            node = node.parent()?;
        }
        None
    }

    /// Returns the first descendant element for which `is_wanted` is true.
    pub(crate) fn find(self, mut is_wanted: impl FnMut(Self) -> bool) -> Option<Self> {
        self.descendants()
            .find(|node| node.is_element() && is_wanted(*node))
    }

    /// Returns the text of the node and all its descendants.
    pub(crate) fn text_content(self) -> String {
        let mut content = String::new();
        for node in std::iter::once(self).chain(self.descendants()) {
            if let HtmlNodeKind::Text(text) = node.kind() {
                content.push_str(text);
            }
        }
        content
    }
}

/// Returns the prefix of an attribute's name, which some attributes in SVG have.
pub(super) fn prefix(name: &QualName) -> &'static str {
    match name.ns {
        ns!(xml) => "xml:",
        ns!(xlink) => "xlink:",
        ns!(xmlns) if name.local != local_name!("xmlns") => "xmlns:",
        _ => "",
    }
}
