//! Edits inside brackets, in JSON and in YAML.

use std::ops::Range;

use super::{
    tree::{self, Entry, Node, replaced},
    value::KeyValue,
};

/// Returns `text` with an entry added to the table `node` in braces.
pub fn with_entry(
    text: &str,
    node: &Node,
    entries: &[Entry],
    entry: &dyn Fn(&str) -> String,
) -> String {
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
        return replaced(text, node.span.clone(), &format!("{{ {} }}", entry(": ")));
    };
    let colon = &text[first.key_span.end..first.value.span.start];
    // The spaces around the first colon are repeated, unless the value is in another line.
    let colon = if colon.contains(':') && !colon.contains('\n') {
        colon
    } else {
        ": "
    };
    let lead = &text[node.span.start + 1..first.key_span.start];
    let between = entries
        .get(1)
        .map(|second| first.value.span.end..second.key_span.start);
    let separator = separator(text, between, lead);
    let end = last.value.span.end;
    replaced(text, end..end, &format!("{separator}{}", entry(colon)))
}

/// Returns `text` without the entry at `index` of a table in braces.
pub fn without_entry(text: &str, node: &Node, entries: &[Entry], index: usize) -> String {
    let range = match (entries.get(index + 1), index.checked_sub(1)) {
        (Some(next), _) => entries[index].key_span.start..next.key_span.start,
        (None, Some(before)) => entries[before].value.span.end..entries[index].value.span.end,
        (None, None) => node.span.start + 1..node.span.end - 1,
    };
    replaced(text, range, "")
}

/// Returns the list `node` in brackets with the values `new`: existing values retain their text, and `write` writes the
/// others.
pub fn list(
    text: &str,
    node: &Node,
    items: &[Node],
    new: &[KeyValue],
    write: &dyn Fn(&KeyValue) -> String,
) -> String {
    let remaining = tree::remaining(items, new);
    let written = new.iter().zip(remaining).map(|(value, item)| match item {
        Some(item) => text[items[item].span.clone()].to_owned(),
        None => write(value),
    });
    let written: Vec<String> = written.collect();
    let (Some(first), Some(last), false) = (items.first(), items.last(), new.is_empty()) else {
        return format!("[{}]", written.join(", "));
    };
    let lead = &text[node.span.start + 1..first.span.start];
    let trail = &text[last.span.end..node.span.end - 1];
    let between = items.get(1).map(|second| first.span.end..second.span.start);
    let separator = separator(text, between, lead);
    format!("[{lead}{}{trail}]", written.join(&separator))
}

/// Returns the separator of a new entry: the text `between` the first two entries, or else one that corresponds to the
/// `lead` before the first.
fn separator(text: &str, between: Option<Range<usize>>, lead: &str) -> String {
    let separator = match between {
        Some(between) => text[between].to_owned(),
        None if lead.contains('\n') => format!(",{lead}"),
        None => ", ".to_owned(),
    };
    // A comment is not repeated.
    if separator.contains('#') {
        ", ".to_owned()
    } else {
        separator
    }
}
