//! A tree of keys with the positions of everything in it, for languages that are edited by positions.

use std::ops::Range;

use super::value::KeyValue;

/// A value and its position.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its byte range: without surrounding whitespace, with its anchor, and without the header of a block scalar.
    pub span: Range<usize>,
    /// The kind.
    pub kind: NodeKind,
}

/// The kind of a value.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// A single value: the character that it begins with (a quotation mark, `|` or `>`, or another one), and its text.
    Scalar(char, String),
    /// A list.
    List(Layout, Vec<Node>),
    /// A table.
    Table(Layout, Vec<Entry>),
}

/// The layout of a list or a table: with brackets or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// With brackets.
    Flow,
    /// Line by line.
    Block,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The byte range of the key.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Node,
}

impl Node {
    /// Returns whether the node is this text or number.
    fn equals(&self, value: &KeyValue) -> bool {
        match (&self.kind, value) {
            (NodeKind::Scalar(_, text), KeyValue::Text(new) | KeyValue::Date(new)) => text == new,
            (NodeKind::Scalar(_, text), KeyValue::Integer(new)) => *text == new.to_string(),
            _ => false,
        }
    }

    /// Returns the entries of a table, with its layout.
    pub fn table(&self) -> Option<(Layout, &[Entry])> {
        match &self.kind {
            NodeKind::Table(layout, entries) => Some((*layout, entries)),
            _ => None,
        }
    }

    /// Returns the table with the entry at a path, and the entry's position in it.
    pub fn find(&self, path: &[String]) -> Option<(&Node, usize)> {
        let (last, outer) = path.split_last()?;
        // Of a repeated key, the last entry is read, so that one is edited.
        let mut table = self;
        for key in outer {
            let (_, entries) = table.table()?;
            table = &entries.iter().rfind(|entry| entry.key == *key)?.value;
        }
        let (_, entries) = table.table()?;
        let index = entries.iter().rposition(|entry| entry.key == *last)?;
        Some((table, index))
    }

    /// Returns the table at a path.
    pub fn table_at(&self, path: &[String]) -> Option<&Node> {
        path.iter().try_fold(self, |table, key| {
            let (_, entries) = table.table()?;
            Some(&entries.iter().rfind(|entry| entry.key == *key)?.value)
        })
    }
}

/// Returns the index of the equal old item for each value of a new list. Each item is used once.
pub fn remaining(items: &[Node], new: &[KeyValue]) -> Vec<Option<usize>> {
    let mut free: Vec<usize> = (0..items.len()).collect();
    let mut remaining = |value: &KeyValue| {
        let index = free.iter().position(|index| items[*index].equals(value))?;
        Some(free.remove(index))
    };
    new.iter().map(&mut remaining).collect()
}

/// Returns `text` with the bytes of `range` replaced.
pub fn replaced(text: &str, range: Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}
