//! The permitted content of lists, and their nesting.
//!
//! A list contains items; an item contains inline nodes or one list. A list inside an item moves to
//! a separate item after that item.

use super::document::{LexicalDraft, ListKind, NodeId, NodeKind};

/// Appends the converted content of an element to the element's node.
pub(super) fn fill(document: &mut LexicalDraft<'_>, parent: NodeId, children: Vec<NodeId>) {
    match document.kind(parent) {
        NodeKind::Item { .. } => append_all_to_item(document, parent, children),
        NodeKind::List(_) => {
            for child in items(document, children) {
                document.append(parent, child);
            }
        }
        NodeKind::Text { .. } | NodeKind::Tab { .. } | NodeKind::LineBreak | NodeKind::Card(_) => {}
        _ => {
            for child in children {
                document.append(parent, child);
            }
        }
    }
}

/// Returns the items of a list with this content. If an item contains a list and other content, the
/// list moves to a separate item after it. Nodes other than items are wrapped in items.
fn items(document: &mut LexicalDraft<'_>, content: Vec<NodeId>) -> Vec<NodeId> {
    let mut items = Vec::new();
    for node in content {
        if !document.is_item(node) {
            items.push(item_around(document, node));
            continue;
        }
        items.push(node);
        if document.first_child(node) == document.last_child(node) {
            continue;
        }
        let inner: Vec<NodeId> = (document.children(node))
            .filter(|child| document.is_list(*child))
            .collect();
        for list in inner {
            items.push(item_around(document, list));
        }
    }
    items
}

/// Returns an item that contains `node`.
pub(super) fn item_around(document: &mut LexicalDraft<'_>, node: NodeId) -> NodeId {
    let item = document.add(NodeKind::Item {
        checked: None,
        value: 1,
    });
    append_all_to_item(document, item, vec![node]);
    item
}

/// Appends nodes to an item; paragraphs and items are replaced by their content.
fn append_all_to_item(document: &mut LexicalDraft<'_>, item: NodeId, nodes: Vec<NodeId>) {
    // A stack instead of recursion: items may nest as deeply as the HTML.
    let mut pending = nodes;
    pending.reverse();
    while let Some(node) = pending.pop() {
        if matches!(
            document.kind(node),
            NodeKind::Paragraph { .. } | NodeKind::Item { .. }
        ) {
            let inner: Vec<NodeId> = document.children(node).collect();
            document.detach(node);
            pending.extend(inner.into_iter().rev());
        } else {
            document.append(item, node);
        }
    }
}

/// Returns whether `node` is an item that begins with a list.
fn holds_list(document: &LexicalDraft<'_>, node: NodeId) -> bool {
    document.is_item(node)
        && (document.first_child(node)).is_some_and(|first| document.is_list(first))
}

/// Removes an item. If the items before and after it contain lists, these are joined, and the item
/// after it is removed by the same rule (Ghost 6.65, observed).
pub(super) fn remove_item(document: &mut LexicalDraft<'_>, item: NodeId) {
    let mut removed = item;
    loop {
        let neighbours = (document.previous(removed), document.next(removed));
        document.remove(removed);
        match neighbours {
            (Some(before), Some(following))
                if holds_list(document, before) && holds_list(document, following) =>
            {
                join_inner_lists(document, before, following);
                removed = following;
            }
            _ => return,
        }
    }
}

/// Moves the content of the list in the item `following` to the list in the item `before`. If these
/// lists meet in items that contain lists, those are joined in the same way.
fn join_inner_lists(document: &mut LexicalDraft<'_>, before: NodeId, following: NodeId) {
    // Outermost pair first. Inner lists are joined before the lists around them are moved.
    let mut pairs = vec![(before, following)];
    while let Some((before, following)) = pairs.last() {
        let list = |item: NodeId| document.first_child(item);
        let last = list(*before).and_then(|list| document.last_child(list));
        let first = list(*following).and_then(|list| document.first_child(list));
        match (last, first) {
            (Some(last), Some(first))
                if holds_list(document, last) && holds_list(document, first) =>
            {
                pairs.push((last, first));
            }
            _ => break,
        }
    }
    for (inner_before, inner_following) in pairs.into_iter().rev() {
        let list = |item: NodeId| document.first_child(item);
        if let (Some(list), Some(other)) = (list(inner_before), list(inner_following)) {
            move_items(document, other, list);
        }
        if inner_following != following {
            document.remove(inner_following);
        }
    }
}

fn move_items(document: &mut LexicalDraft<'_>, from: NodeId, to: NodeId) {
    while let Some(item) = document.first_child(from) {
        document.append(to, item);
    }
}

/// Joins `list` and the list after it if they are of the same kind, and returns whether they are.
pub(super) fn join_next(document: &mut LexicalDraft<'_>, list: NodeId) -> bool {
    let Some(next) = document.next(list) else {
        return false;
    };
    let is_same = match (document.kind(list), document.kind(next)) {
        (NodeKind::List(list), NodeKind::List(next)) => list.kind == next.kind,
        _ => false,
    };
    if is_same {
        move_items(document, next, list);
        document.remove(next);
    }
    is_same
}

/// Numbers the items of a list. Items that begin with a list are not counted.
pub(super) fn number(document: &mut LexicalDraft<'_>, list: NodeId) {
    let NodeKind::List(properties) = document.kind(list) else {
        return;
    };
    let is_check_list = properties.kind == ListKind::Check;
    let mut number = properties.start;
    let mut next = document.first_child(list);
    while let Some(item) = next {
        let counts = !holds_list(document, item);
        if let NodeKind::Item { checked, value } = document.kind_mut(item) {
            *value = number;
            if !is_check_list {
                *checked = None;
            }
        }
        number += i64::from(counts);
        next = document.next(item);
    }
}
