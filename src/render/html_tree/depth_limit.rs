//! Limits the depth of trees.

use super::builder::link;
use super::tree::{DEPTH_MAX, NodeContent, NodeRecord, TreeNodeId};

/// Removes the tags of elements deeper than [`DEPTH_MAX`]. Their text and comments, and elements
/// without children, move to the element at that depth.
pub(super) fn flatten(records: &mut [NodeRecord], root: TreeNodeId) {
    // A tree is never deeper than its number of nodes.
    if records.len() <= DEPTH_MAX {
        return;
    }
    let mut depth = 0;
    let mut node = root;
    loop {
        if depth == DEPTH_MAX {
            keep_leaves(records, node);
        } else if let Some(child) = records[node.index()].first_child {
            node = child;
            depth += 1;
            continue;
        }
        // Continue with the next sibling, or with that of the nearest ancestor that has one.
        while node != root && records[node.index()].next.is_none() {
            node = records[node.index()].parent.unwrap_or(root);
            depth -= 1;
        }
        match records[node.index()].next {
            Some(next) if node != root => node = next,
            _ => return,
        }
    }
}

/// Makes all descendants of `top` that have no children its children, and drops the other
/// descendants.
fn keep_leaves(records: &mut [NodeRecord], top: TreeNodeId) {
    let mut pending: Vec<TreeNodeId> = Vec::new();
    let mut next = records[top.index()].first_child.take();
    records[top.index()].last_child = None;
    loop {
        let Some(node) = next else {
            match pending.pop() {
                Some(following) => next = Some(following),
                None => return,
            }
            continue;
        };
        let record = &mut records[node.index()];
        next = record.next.take();
        // The node gets its siblings again when it is inserted.
        record.previous = None;
        match record.first_child.take() {
            Some(child) => {
                record.last_child = None;
                pending.extend(next);
                next = Some(child);
            }
            None => join_or_link(records, node, top),
        }
    }
}

/// Inserts `node` at the end of `parent`. Text is appended to a preceding text.
fn join_or_link(records: &mut [NodeRecord], node: TreeNodeId, parent: TreeNodeId) {
    let before = records[parent.index()].last_child;
    if let Some(before) = before
        && let NodeContent::Text(text) = &records[node.index()].content
        && let NodeContent::Text(_) = records[before.index()].content
    {
        let text = text.clone();
        if let NodeContent::Text(joined) = &mut records[before.index()].content {
            joined.push_tendril(&text);
        }
        return;
    }
    link(records, node, parent, None);
}
