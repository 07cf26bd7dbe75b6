//! The document under construction: nodes that refer to one another by number.

use std::borrow::Cow;

use serde_json::Value;

use crate::render::limits::{Budget, Excess};

/// Memory that a node takes as JSON, both as text and parsed, in bytes.
const NODE_BYTES: usize = 480;

/// Memory that a card takes in the same forms, in bytes. It has more properties.
const CARD_BYTES: usize = 2048;

/// The number of a node, in order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

/// The kind of a node.
#[derive(Debug)]
pub(super) enum NodeKind<'a> {
    Root,
    Paragraph {
        /// The indentation. Ghost stores it, but never renders it.
        indent: f64,
    },
    Heading(&'static str),
    Quote,
    List(List),
    Item {
        /// True if the item is ticked. Numbering a list resets this to `None` unless it is a check
        /// list.
        checked: Option<bool>,
        /// The number of the item in its list.
        value: i64,
    },
    Link(Link<'a>),
    Text {
        text: Cow<'a, str>,
        format: u32,
    },
    Tab {
        format: u32,
    },
    LineBreak,
    /// Any other node: images, embeds, raw HTML.
    Card(Value),
}

#[derive(Debug)]
pub(super) struct List {
    pub(super) kind: ListKind,
    pub(super) start: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListKind {
    Bullet,
    Number,
    Check,
}

#[derive(Debug)]
pub(super) struct Link<'a> {
    pub(super) url: &'a str,
    pub(super) rel: Option<&'a str>,
    pub(super) target: Option<&'a str>,
    pub(super) title: Option<&'a str>,
}

impl NodeKind<'_> {
    /// Returns whether the node is inline.
    pub(super) fn is_inline(&self) -> bool {
        matches!(
            self,
            Self::Link(_) | Self::Text { .. } | Self::Tab { .. } | Self::LineBreak
        )
    }

    /// Returns whether the node is removed with its last child.
    fn is_removed_when_empty(&self) -> bool {
        // In Lexical, `canBeEmpty` is false for these two types.
        matches!(self, Self::List(_) | Self::Link(_))
    }
}

struct NodeSlot<'a> {
    kind: NodeKind<'a>,
    parent: Option<NodeId>,
    previous: Option<NodeId>,
    next: Option<NodeId>,
    first_child: Option<NodeId>,
    last_child: Option<NodeId>,
}

/// A document under construction.
pub(super) struct LexicalDraft<'a> {
    records: Vec<NodeSlot<'a>>,
    /// The remaining budget.
    budget: Budget,
    /// The limit that was exceeded, if any.
    excess: Option<Excess>,
}

impl<'a> LexicalDraft<'a> {
    pub(super) const ROOT: NodeId = NodeId(0);

    pub(super) fn new(budget: Budget) -> Self {
        let mut document = Self {
            records: Vec::new(),
            budget,
            excess: None,
        };
        document.add(NodeKind::Root);
        document
    }

    /// Returns the limit that was exceeded, if any.
    pub(super) fn excess(&self) -> Option<Excess> {
        self.excess
    }

    /// Creates a node without a parent.
    pub(super) fn add(&mut self, kind: NodeKind<'a>) -> NodeId {
        let bytes = match kind {
            NodeKind::Card(_) => CARD_BYTES,
            _ => NODE_BYTES,
        };
        // The node is added all the same, so that callers need no error; the conversion checks
        // `excess` before each further node.
        if let Err(excess) = self.budget.take(1, bytes) {
            self.excess = Some(excess);
        }
        let id = u32::try_from(self.records.len()).expect("a tree has no more than 2^32 nodes");
        self.records.push(NodeSlot {
            kind,
            parent: None,
            previous: None,
            next: None,
            first_child: None,
            last_child: None,
        });
        NodeId(id)
    }

    /// Returns all nodes, including those without a parent.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        // The range borrows nothing (`use<>`), so the document can change during the iteration.
        // Nodes that are added meanwhile are not visited.
        (0..self.records.len()).map(|index| NodeId(index as u32))
    }

    fn record(&self, node: NodeId) -> &NodeSlot<'a> {
        &self.records[node.0 as usize]
    }

    fn record_mut(&mut self, node: NodeId) -> &mut NodeSlot<'a> {
        &mut self.records[node.0 as usize]
    }

    pub(super) fn kind(&self, node: NodeId) -> &NodeKind<'a> {
        &self.record(node).kind
    }

    pub(super) fn kind_mut(&mut self, node: NodeId) -> &mut NodeKind<'a> {
        &mut self.record_mut(node).kind
    }

    pub(super) fn is_list(&self, node: NodeId) -> bool {
        matches!(self.kind(node), NodeKind::List(_))
    }

    pub(super) fn is_item(&self, node: NodeId) -> bool {
        matches!(self.kind(node), NodeKind::Item { .. })
    }

    pub(super) fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.record(node).parent
    }

    pub(super) fn previous(&self, node: NodeId) -> Option<NodeId> {
        self.record(node).previous
    }

    pub(super) fn next(&self, node: NodeId) -> Option<NodeId> {
        self.record(node).next
    }

    pub(super) fn first_child(&self, node: NodeId) -> Option<NodeId> {
        self.record(node).first_child
    }

    pub(super) fn last_child(&self, node: NodeId) -> Option<NodeId> {
        self.record(node).last_child
    }

    pub(super) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(node), |child| self.next(*child))
    }

    /// Returns the top-level ancestor of this node, or the node itself; `None` if the node is not
    /// in the document.
    pub(super) fn top(&self, node: NodeId) -> Option<NodeId> {
        let mut top = node;
        loop {
            match self.parent(top)? {
                Self::ROOT => return Some(top),
                parent => top = parent,
            }
        }
    }

    /// Moves `node` to the end of `parent`.
    pub(super) fn append(&mut self, parent: NodeId, node: NodeId) {
        self.detach(node);
        let last = self.record_mut(parent).last_child.replace(node);
        self.link(parent, last, node, None);
    }

    /// Moves `node` to the position after `sibling`, which has a parent.
    pub(super) fn insert_after(&mut self, sibling: NodeId, node: NodeId) {
        self.detach(node);
        let Some(parent) = self.parent(sibling) else {
            return;
        };
        let next = self.record_mut(sibling).next;
        self.link(parent, Some(sibling), node, next);
    }

    fn link(
        &mut self,
        parent: NodeId,
        previous: Option<NodeId>,
        node: NodeId,
        next: Option<NodeId>,
    ) {
        match previous {
            Some(previous) => self.record_mut(previous).next = Some(node),
            None => self.record_mut(parent).first_child = Some(node),
        }
        match next {
            Some(next) => self.record_mut(next).previous = Some(node),
            None => self.record_mut(parent).last_child = Some(node),
        }
        let record = self.record_mut(node);
        record.parent = Some(parent);
        record.previous = previous;
        record.next = next;
    }

    /// Detaches `node` with its descendants from its parent.
    pub(super) fn detach(&mut self, node: NodeId) {
        let record = self.record_mut(node);
        let (previous, next) = (record.previous.take(), record.next.take());
        let Some(parent) = record.parent.take() else {
            return;
        };
        match previous {
            Some(previous) => self.record_mut(previous).next = next,
            None => self.record_mut(parent).first_child = next,
        }
        match next {
            Some(next) => self.record_mut(next).previous = previous,
            None => self.record_mut(parent).last_child = previous,
        }
    }

    /// Removes `node`, and the lists and links around it that become empty.
    pub(super) fn remove(&mut self, node: NodeId) {
        let mut removed = node;
        while let Some(parent) = self.parent(removed) {
            self.detach(removed);
            if !self.kind(parent).is_removed_when_empty() || self.first_child(parent).is_some() {
                return;
            }
            removed = parent;
        }
    }
}
