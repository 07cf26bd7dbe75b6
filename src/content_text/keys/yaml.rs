//! Edits of YAML, by positions.

use std::ops::Range;

use super::{
    Lines, flow,
    plan::Operation,
    scalar::{self, ScalarStyle, double_quoted},
    tree::{self, Entry, Layout, Node, NodeKind, replaced},
    value::KeyValue,
    yaml_tree,
};

const MISSING: &str = "the key is not in the file";

/// Returns `text` with `operation` applied.
pub fn edit(text: &str, operation: &Operation, lines: Lines) -> Result<String, String> {
    let root = yaml_tree::parse(text)?;
    let edit = YamlEdit {
        text,
        root: root.as_ref(),
        lines,
    };
    let edited = match operation {
        Operation::Set(path, value) => edit.set(path, value),
        Operation::Insert(path, key, value) => edit.insert(path, key, value),
        Operation::Remove(path) => edit.remove(path),
    };
    edited.ok_or_else(|| MISSING.to_owned())
}

struct YamlEdit<'t> {
    text: &'t str,
    root: Option<&'t Node>,
    lines: Lines,
}

impl YamlEdit<'_> {
    fn set(&self, path: &[String], value: &KeyValue) -> Option<String> {
        let (table, index) = self.root?.find(path)?;
        let (layout, entries) = table.table()?;
        let entry = &entries[index];
        let old = &entry.value;
        if let (NodeKind::List(layout, items), KeyValue::List(new)) = (&old.kind, value) {
            return Some(match layout {
                Layout::Flow => {
                    let style = style_of(items.first());
                    let write = |value: &KeyValue| self.in_line(value, style);
                    let list = flow::list(self.text, old, items, new, &write);
                    replaced(self.text, old.span.clone(), &list)
                }
                Layout::Block => self.with_items(entry, items, new)?,
            });
        }
        let style = style_of(Some(old));
        if layout == Layout::Flow {
            let value = self.in_line(value, style);
            return Some(replaced(
                self.text,
                self.behind_colon(entry),
                &format!(" {value}"),
            ));
        }
        // A block scalar begins with the `|` in the line of its key, and an empty value has no
        // position: both are replaced from the colon on.
        let is_replaceable = matches!(old.kind, NodeKind::Scalar(first, _) if !"|>".contains(first))
            && !old.span.is_empty();
        let column = self.column(entry.key_span.start);
        match scalar::yaml(value, style, column, self.lines) {
            Some(scalar) if is_replaceable => Some(replaced(self.text, old.span.clone(), &scalar)),
            Some(scalar) => Some(replaced(
                self.text,
                self.behind_colon(entry),
                &format!(" {scalar}"),
            )),
            None => Some(replaced(
                self.text,
                self.behind_colon(entry),
                &self.behind_key(value, column),
            )),
        }
    }

    fn insert(&self, path: &[String], key: &str, value: &KeyValue) -> Option<String> {
        let Some(root) = self.root else {
            return Some(self.with_line(self.text.len(), 0, key, value));
        };
        let table = root.table_at(path)?;
        let (layout, entries) = table.table()?;
        if layout == Layout::Flow {
            let entry = |colon: &str| {
                format!(
                    "{}{colon}{}",
                    key_text(key),
                    self.in_line(value, ScalarStyle::Plain)
                )
            };
            return Some(flow::with_entry(self.text, table, entries, &entry));
        }
        if path.is_empty() {
            return Some(self.with_line(
                self.text.len(),
                self.column(table.span.start),
                key,
                value,
            ));
        }
        let last = entries.last()?;
        let end = self.line_end(last.value.span.end.max(last.key_span.end));
        Some(self.with_line(end, self.column(entries[0].key_span.start), key, value))
    }

    fn remove(&self, path: &[String]) -> Option<String> {
        let root = self.root?;
        let (table, index) = root.find(path)?;
        let (layout, entries) = table.table()?;
        if layout == Layout::Flow {
            return Some(flow::without_entry(self.text, table, entries, index));
        }
        let entry = &entries[index];
        // A key without entries below it would be null instead of an empty table.
        if entries.len() == 1 && path.len() > 1 {
            let (outer, index) = root.find(&path[..path.len() - 1])?;
            let (_, entries) = outer.table()?;
            return Some(replaced(
                self.text,
                self.behind_colon(&entries[index]),
                " {}",
            ));
        }
        let start = self.line_start(entry.key_span.start);
        let is_alone = self.text[start..entry.key_span.start].trim().is_empty();
        let end = self.line_end(entry.value.span.end.max(entry.key_span.end));
        // Otherwise the line has something else, such as the dash of a list.
        is_alone.then(|| replaced(self.text, start..end, ""))
    }

    /// Returns the text with the items of a block list replaced.
    fn with_items(&self, entry: &Entry, items: &[Node], new: &[KeyValue]) -> Option<String> {
        if new.is_empty() {
            return Some(replaced(self.text, self.behind_colon(entry), " []"));
        }
        // The lines of each item, with comments up to the next one.
        let starts: Option<Vec<usize>> = items.iter().map(|item| self.dash_line(item)).collect();
        let starts = starts?;
        let end = self.line_end(items.last()?.span.end);
        let ends = starts.iter().skip(1).copied().chain([end]);
        let chunks: Vec<Range<usize>> = starts
            .iter()
            .copied()
            .zip(ends)
            .map(|(a, b)| a..b)
            .collect();
        let first = &self.text[chunks.first()?.clone()];
        let dash = first.find('-')?;
        let lead = &first[..dash + 1];
        let style = style_of(items.first());
        let mut list = String::new();
        for (value, item) in new.iter().zip(tree::remaining(items, new)) {
            match item {
                Some(item) => {
                    list.push_str(&self.text[chunks[item].clone()]);
                    if !list.ends_with('\n') {
                        list.push('\n');
                    }
                }
                None => {
                    let value = self.in_line(value, style);
                    list.push_str(&format!("{lead} {value}\n"));
                }
            }
        }
        let whole = chunks.first()?.start..end;
        if !self.text[whole.clone()].ends_with('\n') {
            list.pop();
        }
        Some(replaced(self.text, whole, &list))
    }

    /// Returns the start of the line with the dash of an item, if nothing else precedes it.
    fn dash_line(&self, item: &Node) -> Option<usize> {
        let before = self.text[..item.span.start].trim_end_matches([' ', '\t']);
        let before = before.strip_suffix('-')?;
        let start = self.line_start(before.len());
        before[start..].trim().is_empty().then_some(start)
    }

    /// Returns the text with a line for a new key at `position`.
    fn with_line(&self, position: usize, column: usize, key: &str, value: &KeyValue) -> String {
        let is_at_start = position == 0 || self.text[..position].ends_with('\n');
        let break_before = if is_at_start { "" } else { "\n" };
        let line = format!(
            "{break_before}{}{}:{}\n",
            " ".repeat(column),
            key_text(key),
            self.behind_key(value, column)
        );
        replaced(self.text, position..position, &line)
    }

    /// Returns the text after the colon of a new key.
    fn behind_key(&self, value: &KeyValue, column: usize) -> String {
        let indent = " ".repeat(column);
        match value {
            KeyValue::List(items) if !items.is_empty() && self.list_indent().is_some() => {
                let deeper = " ".repeat(self.list_indent().unwrap_or_default());
                let items = items.iter();
                let items = items.map(|item| {
                    format!(
                        "\n{indent}{deeper}- {}",
                        self.in_line(item, ScalarStyle::Plain)
                    )
                });
                items.collect()
            }
            KeyValue::Table(entries) if !entries.is_empty() && self.lines == Lines::Many => {
                let entries = entries.iter();
                let entries = entries.map(|(key, value)| {
                    format!(
                        "\n{indent}  {}:{}",
                        key_text(key),
                        self.behind_key(value, column + 2)
                    )
                });
                entries.collect()
            }
            value => match scalar::yaml(value, ScalarStyle::Literal, column, self.lines) {
                Some(scalar) => format!(" {scalar}"),
                None => format!(" {}", self.in_line(value, ScalarStyle::Plain)),
            },
        }
    }

    /// Returns the indentation of block lists in this file relative to their keys; `None` without such lists.
    fn list_indent(&self) -> Option<usize> {
        let (_, entries) = self.root?.table()?;
        entries.iter().find_map(|entry| match &entry.value.kind {
            NodeKind::List(Layout::Block, items) => {
                let start = self.dash_line(items.first()?)?;
                let line = &self.text[start..];
                let indent = line.len() - line.trim_start().len();
                indent.checked_sub(self.column(entry.key_span.start))
            }
            _ => None,
        })
    }

    /// Returns a value on one line.
    fn in_line(&self, value: &KeyValue, style: ScalarStyle) -> String {
        match value {
            KeyValue::List(items) => {
                let items: Vec<String> =
                    items.iter().map(|item| self.in_line(item, style)).collect();
                format!("[{}]", items.join(", "))
            }
            KeyValue::Table(entries) => {
                let entries = entries.iter();
                let entries = entries
                    .map(|(key, value)| {
                        format!("{}: {}", key_text(key), self.in_line(value, style))
                    })
                    .collect::<Vec<_>>();
                format!("{{ {} }}", entries.join(", "))
            }
            value => scalar::yaml(value, style, 0, Lines::One).unwrap_or_default(),
        }
    }

    /// Returns the bytes from the colon of an entry to the end of its value.
    fn behind_colon(&self, entry: &Entry) -> Range<usize> {
        let behind = &self.text[entry.key_span.end..];
        let start = entry.key_span.end + behind.find(':').map_or(0, |colon| colon + 1);
        start..entry.value.span.end.max(start)
    }

    fn column(&self, position: usize) -> usize {
        self.text[self.line_start(position)..position]
            .chars()
            .count()
    }

    fn line_start(&self, position: usize) -> usize {
        self.text[..position].rfind('\n').map_or(0, |end| end + 1)
    }

    /// Returns the start of the next line.
    fn line_end(&self, position: usize) -> usize {
        let length = self.text[position..].find('\n');
        length.map_or(self.text.len(), |length| position + length + 1)
    }
}

fn style_of(node: Option<&Node>) -> ScalarStyle {
    match node.map(|node| &node.kind) {
        Some(NodeKind::Scalar('\'', _)) => ScalarStyle::Single,
        Some(NodeKind::Scalar('"', _)) => ScalarStyle::Double,
        Some(NodeKind::Scalar('|' | '>', _)) => ScalarStyle::Literal,
        _ => ScalarStyle::Plain,
    }
}

fn key_text(key: &str) -> String {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_plain =
        key.starts_with(|first: char| first.is_ascii_alphabetic()) && key.bytes().all(is_word);
    if is_plain {
        key.to_owned()
    } else {
        double_quoted(key)
    }
}
