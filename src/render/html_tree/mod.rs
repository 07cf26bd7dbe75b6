//! HTML fragments as trees: parsed by the HTML standard, walked, and written again.
//!
//! [`parse_fragment`] accepts any string, as a browser does for the content of a body. A tree is
//! one list of nodes that name each other by number; nothing here recurses, and a tree is bounded
//! in depth ([`DEPTH_MAX`]) and in size by its HTML, so that whoever walks it is bounded too. The
//! content of a `template` element is its children. Trees are read; all that is ever changed is
//! that attributes go.

mod attribute_limit;
mod builder;
mod depth_limit;
mod parse;
mod serialize;

use html5ever::{Attribute, QualName, ns, tendril::StrTendril};

use super::limits::Excess;

pub(crate) use self::parse::{clean_fragment, parse_fragment, parse_undeclared};
pub(crate) use self::serialize::Keep;

/// Deepest element of a tree; those at the top are at depth 1. What would lie deeper loses its
/// tags, its text goes to the element at this depth.
pub(crate) const DEPTH_MAX: usize = 256;

/// A parsed fragment.
pub(crate) struct Tree {
    records: Vec<Record>,
    root: Id,
    excess: Option<Excess>,
}

impl Tree {
    /// Of what there would have been too much, so that tags and comments were left out.
    pub(crate) fn excess(&self) -> Option<Excess> {
        self.excess
    }

    /// How many nodes there may be: the number of each is below it.
    pub(crate) fn size(&self) -> usize {
        self.records.len()
    }

    /// Takes these attributes away: the number of a node and the name, as [`Node::attributes`] has it.
    pub(crate) fn remove_attributes(&mut self, removed: &[(usize, String)]) {
        for (number, name) in removed {
            if let Content::Element { attributes, .. } = &mut self.records[*number].content {
                attributes.retain(|attribute| *attribute.name.local != **name);
            }
        }
    }

    /// The node above the fragment's first nodes.
    pub(crate) fn root(&self) -> Node<'_> {
        Node {
            tree: self,
            id: self.root,
        }
    }
}

/// The number of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Id(u32);

impl Id {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a tree keeps of a node.
struct Record {
    content: Content,
    parent: Option<Id>,
    previous: Option<Id>,
    next: Option<Id>,
    first_child: Option<Id>,
    last_child: Option<Id>,
}

enum Content {
    Root,
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
        /// Whether HTML may stand inside (MathML's `annotation-xml`).
        is_integration_point: bool,
    },
    Text(StrTendril),
    Comment(StrTendril),
}

/// A node of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    tree: &'a Tree,
    id: Id,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    /// The node above the fragment.
    Root,
    /// An element, by its name: lower-case if it is one of HTML.
    Element(&'a str),
    /// Text, entities decoded. Never empty; two texts are never neighbours.
    Text(&'a str),
    /// A comment, without its brackets.
    Comment(&'a str),
}

impl PartialEq for Node<'_> {
    /// Whether both are the same node of the same tree.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.id == other.id
    }
}

impl Eq for Node<'_> {}

impl<'a> Node<'a> {
    fn record(self) -> &'a Record {
        &self.tree.records[self.id.index()]
    }

    fn at(self, id: Option<Id>) -> Option<Self> {
        id.map(|id| Node {
            tree: self.tree,
            id,
        })
    }

    /// The node's number in its tree.
    pub(crate) fn number(self) -> usize {
        self.id.index()
    }

    pub(crate) fn kind(self) -> Kind<'a> {
        match &self.record().content {
            Content::Root => Kind::Root,
            Content::Element { name, .. } => Kind::Element(&name.local),
            Content::Text(text) => Kind::Text(text),
            Content::Comment(text) => Kind::Comment(text),
        }
    }

    /// The name of the element, if it is one.
    pub(crate) fn name(self) -> Option<&'a str> {
        match self.kind() {
            Kind::Element(name) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn is_element(self) -> bool {
        matches!(self.record().content, Content::Element { .. })
    }

    /// Whether this is the HTML element called `name`. Elements of SVG and MathML are none.
    pub(crate) fn is(self, name: &str) -> bool {
        matches!(&self.record().content, Content::Element { name: own, .. }
            if own.ns == ns!(html) && *own.local == *name)
    }

    /// The element's attributes in their order, names without the prefix that some have in SVG.
    pub(crate) fn attributes(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let attributes: &[Attribute] = match &self.record().content {
            Content::Element { attributes, .. } => attributes,
            _ => &[],
        };
        attributes
            .iter()
            .map(|attribute| (&*attribute.name.local, &*attribute.value))
    }

    /// The value of the element's attribute called `name`, entities decoded.
    pub(crate) fn attribute(self, name: &str) -> Option<&'a str> {
        self.attributes()
            .find(|&(own, _)| own == name)
            .map(|(_, value)| value)
    }

    /// Whether `class` is one of the element's classes.
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

    /// The first child that is an element.
    pub(crate) fn first_element(self) -> Option<Self> {
        self.children().find(|child| child.is_element())
    }

    /// All nodes below this one, in the order of the document.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.first_child(), move |node| {
            node.first_child().or_else(|| node.next_beside(self))
        })
    }

    /// The node behind this one and all that is in it, below `top`.
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

    /// The first element below this one of which `is_wanted` is true.
    pub(crate) fn find(self, mut is_wanted: impl FnMut(Self) -> bool) -> Option<Self> {
        self.descendants()
            .find(|node| node.is_element() && is_wanted(*node))
    }

    /// All text below this node, or its own if it is text.
    pub(crate) fn text_content(self) -> String {
        let mut content = String::new();
        for node in std::iter::once(self).chain(self.descendants()) {
            if let Kind::Text(text) = node.kind() {
                content.push_str(text);
            }
        }
        content
    }
}
