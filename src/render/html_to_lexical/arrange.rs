//! Moves the nodes of a document to valid positions.

use super::document::{LexicalDraft, List, ListKind, NodeId, NodeKind};
use super::lists;

/// Arranges a document whose top level contains the converted nodes in sequence.
pub(super) fn arrange(document: &mut LexicalDraft<'_>) {
    gather(document);
    // Nodes are visited in order of creation. Pieces of a split item are inserted directly after
    // its list, so those of later items precede those of earlier ones.
    for node in document.ids() {
        if document.top(node).is_none() {
            continue;
        }
        match document.kind(node) {
            NodeKind::List(_) => {
                lists::join_next(document, node);
            }
            NodeKind::Paragraph { .. } | NodeKind::Heading(_) => lift(document, node),
            NodeKind::Item { .. } if !is_at_top(document, node) => lift(document, node),
            _ => {}
        }
    }
    let at_top: Vec<NodeId> = document.children(LexicalDraft::ROOT).collect();
    for node in at_top {
        if document.is_item(node) {
            split(document, node);
        }
    }
    // Paragraphs made from items may contain lists.
    let at_top: Vec<NodeId> = document.children(LexicalDraft::ROOT).collect();
    for node in at_top {
        if let NodeKind::Paragraph { .. } = document.kind(node) {
            lift(document, node);
        }
    }
    for node in document.ids() {
        if document.is_list(node) && document.top(node).is_some() {
            // Splits may have brought further lists next to each other; numbers depend on the
            // complete list.
            while lists::join_next(document, node) {}
            lists::number(document, node);
        }
    }
    for node in document.ids() {
        join_texts(document, node);
    }
}

fn is_at_top(document: &LexicalDraft<'_>, node: NodeId) -> bool {
    document.parent(node) == Some(LexicalDraft::ROOT)
}

/// Wraps inline nodes at the top level in paragraphs, and items in lists.
///
/// A line break that would begin such a paragraph in a document with blocks is dropped: it only
/// ends the preceding block.
fn gather(document: &mut LexicalDraft<'_>) {
    let nodes: Vec<NodeId> = document.children(LexicalDraft::ROOT).collect();
    let has_blocks = (nodes.iter()).any(|node| !document.kind(*node).is_inline());
    for node in &nodes {
        document.detach(*node);
    }
    let mut open = None;
    for node in nodes {
        let kind = document.kind(node);
        let is_item = document.is_item(node);
        if !kind.is_inline() && !is_item {
            document.append(LexicalDraft::ROOT, node);
            open = None;
            continue;
        }
        let is_line_break = matches!(kind, NodeKind::LineBreak);
        let begins = open.is_none();
        let block = *open.get_or_insert_with(|| {
            let block = document.add(block_around(is_item));
            document.append(LexicalDraft::ROOT, block);
            block
        });
        if begins && is_line_break && has_blocks {
            continue;
        }
        let node = if document.is_list(block) && !is_item {
            lists::item_around(document, node)
        } else {
            node
        };
        document.append(block, node);
    }
}

fn block_around(is_item: bool) -> NodeKind<'static> {
    if is_item {
        NodeKind::List(List {
            kind: ListKind::Bullet,
            start: 1,
        })
    } else {
        NodeKind::Paragraph { indent: 0.0 }
    }
}

/// Splits `node` if it contains a node that is not permitted in it.
fn lift(document: &mut LexicalDraft<'_>, node: NodeId) {
    if (document.children(node)).any(|child| !is_permitted_in(document, child, node)) {
        split(document, node);
    }
}

/// Returns whether `child` is permitted in `node`: inline nodes are, and lists in items.
fn is_permitted_in(document: &LexicalDraft<'_>, child: NodeId, node: NodeId) -> bool {
    document.kind(child).is_inline() || document.is_item(node) && document.is_list(child)
}

/// Moves the nodes that are not permitted in `node`, and the nodes between them, to positions after
/// its top-level ancestor. The nodes between become headings if `node` is a heading, and otherwise
/// paragraphs.
fn split(document: &mut LexicalDraft<'_>, node: NodeId) {
    let Some(top) = document.top(node) else {
        return;
    };
    let tag = match document.kind(node) {
        NodeKind::Heading(tag) => Some(*tag),
        _ => None,
    };
    let piece_kind = || tag.map_or(NodeKind::Paragraph { indent: 0.0 }, NodeKind::Heading);
    let mut pieces = Vec::new();
    let mut open = None;
    let children: Vec<NodeId> = document.children(node).collect();
    for child in children {
        if is_permitted_in(document, child, node) {
            let piece = *open.get_or_insert_with(|| {
                let piece = document.add(piece_kind());
                pieces.push(piece);
                piece
            });
            document.append(piece, child);
        } else {
            document.detach(child);
            pieces.push(child);
            open = None;
        }
    }
    if pieces.is_empty() {
        pieces.push(document.add(piece_kind()));
    }
    // Backwards, as each piece is inserted directly after the same node.
    for piece in pieces.into_iter().rev() {
        document.insert_after(top, piece);
    }
    if document.is_item(node) {
        lists::remove_item(document, node);
    } else {
        document.remove(node);
    }
}

/// Joins adjacent texts of the same format in `parent`.
fn join_texts(document: &mut LexicalDraft<'_>, parent: NodeId) {
    let mut next = document.first_child(parent);
    while let Some(node) = next {
        next = document.next(node);
        let Some(following) = next else { return };
        let (
            NodeKind::Text { format, .. },
            NodeKind::Text {
                text,
                format: other,
            },
        ) = (document.kind(node), document.kind(following))
        else {
            continue;
        };
        if format != other {
            continue;
        }
        let added = text.clone();
        document.detach(following);
        if let NodeKind::Text { text, .. } = document.kind_mut(node) {
            text.to_mut().push_str(&added);
        }
        next = Some(node);
    }
}
