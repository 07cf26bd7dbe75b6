//! Tree sink: records the nodes that html5ever's tree builder creates.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName};

use super::tree::{NodeContent, NodeRecord, TreeNodeId};
use crate::render::limits::{Budget, Excess, MARKUP_NODE_BYTES};

/// The weight of an element without its attributes, in bytes.
const ELEMENT_BYTES: usize = 8;

/// Memory taken by an attribute, in bytes.
const ATTRIBUTE_BYTES: usize = 96;

/// The tree while it is built.
pub(super) struct Builder {
    // `TreeSink` passes shared references only, so the state is in cells.
    records: RefCell<Vec<NodeRecord>>,
    /// The depth of each node when it was inserted.
    depths: RefCell<Vec<u32>>,
    /// The depth of the last inserted element.
    last_depth: Cell<u32>,
    /// The weight of all elements so far, in bytes.
    weight: Cell<usize>,
    /// The remaining budget.
    budget: Cell<Budget>,
    /// The limit that was exceeded, if any.
    excess: Cell<Option<Excess>>,
    /// True if text that is not permitted in a table is moved to the end of the table's parent. The
    /// standard moves it before the table.
    puts_loose_text_last: bool,
}

impl Builder {
    /// The root of the tree.
    pub(super) const DOCUMENT: TreeNodeId = TreeNodeId(0);

    pub(super) fn new(puts_loose_text_last: bool, budget: Budget) -> Self {
        let builder = Self {
            records: RefCell::new(Vec::new()),
            depths: RefCell::new(Vec::new()),
            last_depth: Cell::new(0),
            weight: Cell::new(0),
            budget: Cell::new(budget),
            excess: Cell::new(None),
            puts_loose_text_last,
        };
        builder.add(NodeContent::Root);
        builder
    }

    /// Returns the depth of the last inserted element, as it was when it was inserted.
    pub(super) fn last_depth(&self) -> usize {
        self.last_depth.get() as usize
    }

    /// Returns the weight of all elements, in bytes. A formatting element that is reopened in each
    /// paragraph counts each time.
    pub(super) fn weight(&self) -> usize {
        self.weight.get()
    }

    /// Returns the limit that was exceeded, if any. A single tag may create several nodes beyond
    /// it.
    pub(super) fn excess(&self) -> Option<Excess> {
        self.excess.get()
    }

    fn count(&self, nodes: usize, bytes: usize) {
        let mut budget = self.budget.get();
        if let Err(excess) = budget.take(nodes, bytes) {
            self.excess.set(Some(excess));
        }
        self.budget.set(budget);
    }

    pub(super) fn into_records(self) -> Vec<NodeRecord> {
        self.records.into_inner()
    }

    fn add(&self, content: NodeContent) -> TreeNodeId {
        self.count(1, MARKUP_NODE_BYTES);
        let mut records = self.records.borrow_mut();
        let id = u32::try_from(records.len()).expect("the weight of a tree is bounded");
        records.push(NodeRecord {
            content,
            parent: None,
            previous: None,
            next: None,
            first_child: None,
            last_child: None,
        });
        self.depths.borrow_mut().push(0);
        TreeNodeId(id)
    }

    /// Inserts `node` under `parent`, before `next` or at the end.
    fn insert_node(&self, node: TreeNodeId, parent: TreeNodeId, next: Option<TreeNodeId>) {
        self.detach(node);
        let mut depths = self.depths.borrow_mut();
        // The descendants of a moved node are not counted again; `depth_limit` finds those that
        // become too deep.
        let depth = depths[parent.index()] + 1;
        depths[node.index()] = depth;
        let mut records = self.records.borrow_mut();
        if matches!(records[node.index()].content, NodeContent::Element { .. }) {
            self.last_depth.set(depth);
        }
        link(&mut records, node, parent, next);
    }

    /// Detaches `node` from its parent.
    fn detach(&self, node: TreeNodeId) {
        let mut records = self.records.borrow_mut();
        let record = &mut records[node.index()];
        let (previous, next) = (record.previous.take(), record.next.take());
        let Some(parent) = record.parent.take() else {
            return;
        };
        match previous {
            Some(previous) => records[previous.index()].next = next,
            None => records[parent.index()].first_child = next,
        }
        match next {
            Some(next) => records[next.index()].previous = previous,
            None => records[parent.index()].last_child = previous,
        }
    }

    /// Inserts a node or a text under `parent`, before `next` or at the end. Text is appended to a
    /// preceding text.
    fn insert(&self, parent: TreeNodeId, next: Option<TreeNodeId>, child: NodeOrText<TreeNodeId>) {
        let text = match child {
            NodeOrText::AppendNode(node) => return self.insert_node(node, parent, next),
            NodeOrText::AppendText(text) => text,
        };
        // This borrow must end before the records are borrowed mutably below.
        let previous = {
            let records = self.records.borrow();
            match next {
                Some(next) => records[next.index()].previous,
                None => records[parent.index()].last_child,
            }
        };
        if let Some(previous) = previous
            && let NodeContent::Text(before) =
                &mut self.records.borrow_mut()[previous.index()].content
        {
            before.push_tendril(&text);
            return;
        }
        if self.puts_loose_text_last && next.is_some() {
            // Once more from the start, as the parent may end with a text to which this one is
            // appended.
            return self.insert(parent, None, NodeOrText::AppendText(text));
        }
        let node = self.add(NodeContent::Text(text));
        self.insert_node(node, parent, next);
    }

    fn follows_text(&self, node: TreeNodeId) -> bool {
        let records = self.records.borrow();
        let previous = records[node.index()].previous;
        previous.is_some_and(|previous| {
            matches!(records[previous.index()].content, NodeContent::Text(_))
        })
    }

    fn parent(&self, node: TreeNodeId) -> Option<TreeNodeId> {
        self.records.borrow()[node.index()].parent
    }
}

/// Links a detached node to its parent and its siblings.
pub(super) fn link(
    records: &mut [NodeRecord],
    node: TreeNodeId,
    parent: TreeNodeId,
    next: Option<TreeNodeId>,
) {
    let previous = match next {
        Some(next) => records[next.index()].previous.replace(node),
        None => records[parent.index()].last_child.replace(node),
    };
    match previous {
        Some(previous) => records[previous.index()].next = Some(node),
        None => records[parent.index()].first_child = Some(node),
    }
    let record = &mut records[node.index()];
    record.parent = Some(parent);
    record.previous = previous;
    record.next = next;
}

impl TreeSink for Builder {
    type Handle = TreeNodeId;
    type Output = Self;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> TreeNodeId {
        Self::DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a TreeNodeId) -> Ref<'a, QualName> {
        Ref::map(self.records.borrow(), |records| {
            match &records[target.index()].content {
                NodeContent::Element { name, .. } => name,
                _ => unreachable!("only elements have names"),
            }
        })
    }

    fn create_element(
        &self,
        name: QualName,
        mut attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> TreeNodeId {
        let bytes: usize = attributes
            .iter()
            .map(|attribute| attribute.name.local.len() + attribute.value.len())
            .sum();
        // Counted for every element that the parser creates, also for those that it reopens.
        self.weight.set(self.weight.get() + ELEMENT_BYTES + bytes);
        attributes.shrink_to_fit();
        self.count(0, attributes.len() * ATTRIBUTE_BYTES);
        self.add(NodeContent::Element {
            name,
            attributes,
            is_integration_point: flags.mathml_annotation_xml_integration_point,
        })
    }

    fn create_comment(&self, text: StrTendril) -> TreeNodeId {
        self.add(NodeContent::Comment(text))
    }

    /// Adds a comment. HTML has no processing instructions; its parser turns them into comments.
    fn create_pi(&self, target: StrTendril, _: StrTendril) -> TreeNodeId {
        self.add(NodeContent::Comment(target))
    }

    fn append(&self, parent: &TreeNodeId, child: NodeOrText<TreeNodeId>) {
        self.insert(*parent, None, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &TreeNodeId,
        previous_element: &TreeNodeId,
        child: NodeOrText<TreeNodeId>,
    ) {
        let Some(parent) = self.parent(*element) else {
            return self.insert(*previous_element, None, child);
        };
        // The standard moves text that is not permitted in a table before the table. The parser of
        // Ghost 6.65 moves it to the end, unless a text precedes the table to which it can be
        // appended (recorded).
        let goes_last = matches!(child, NodeOrText::AppendText(_)) && !self.follows_text(*element);
        self.insert(parent, (!goes_last).then_some(*element), child);
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &TreeNodeId) -> TreeNodeId {
        *target
    }

    fn same_node(&self, one: &TreeNodeId, other: &TreeNodeId) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &TreeNodeId, new_node: NodeOrText<TreeNodeId>) {
        if let Some(parent) = self.parent(*sibling) {
            self.insert(parent, Some(*sibling), new_node);
        }
    }

    /// Does nothing: only `html` and `body` get attributes later, and a fragment contains neither.
    fn add_attrs_if_missing(&self, _: &TreeNodeId, _: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &TreeNodeId) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &TreeNodeId, new_parent: &TreeNodeId) {
        loop {
            let child = self.records.borrow()[node.index()].first_child;
            let Some(child) = child else { break };
            self.insert_node(child, *new_parent, None);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &TreeNodeId) -> bool {
        matches!(
            self.records.borrow()[handle.index()].content,
            NodeContent::Element {
                is_integration_point: true,
                ..
            }
        )
    }

    fn allow_declarative_shadow_roots(&self, _: &TreeNodeId) -> bool {
        false
    }
}
