//! Finds the tags of raw HTML in a source, outside of code.

use std::{collections::HashMap, ops::Range};

/// Longest tag, in bytes.
const TAG_BYTES_MAX: usize = 2_000;

/// A tag.
#[derive(Clone, Debug)]
pub(super) struct HtmlTag<'s> {
    pub(super) range: Range<usize>,
    pub(super) name: &'s str,
    pub(super) kind: TagKind,
    /// The range of the attribute `markdown` with the blank before it, and its value.
    pub(super) markdown: Option<(Range<usize>, String)>,
}

/// The kind of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagKind {
    Opens,
    Closes,
    /// It has no end tag.
    Alone,
}

/// Returns the tags outside of code, in order. `is_code` says whether a position is in a block of code.
pub(super) fn find(source: &str, is_code: impl Fn(usize) -> bool) -> Vec<HtmlTag<'_>> {
    let mut tags = Vec::new();
    let mut fence: Option<&str> = None;
    let mut offset = 0;
    let mut free = 0;
    for line in source.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let text = line.trim();
        if let Some(mark) = fence {
            let is_end = text.starts_with(mark) && text.trim_start_matches(&mark[..1]).is_empty();
            if is_end {
                fence = None;
            }
            continue;
        }
        if let Some(mark) = fence_mark(text) {
            fence = Some(mark);
            continue;
        }
        if is_code(start + line.len() - line.trim_start().len()) {
            continue;
        }
        for position in memchr::memchr_iter(b'<', line.as_bytes()) {
            let begin = start + position;
            // Within an open span of code the backticks before are odd in number.
            let backticks = line[..position].matches('`').count();
            if begin < free || backticks % 2 == 1 || line[..position].ends_with('\\') {
                continue;
            }
            if let Some(tag) = tag_at(source, begin) {
                free = tag.range.end;
                tags.push(tag);
            }
        }
    }
    tags
}

/// Returns for each tag the index of its partner.
pub(super) fn partners(tags: &[HtmlTag<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tags.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (index, tag) in tags.iter().enumerate() {
        match tag.kind {
            TagKind::Opens => {
                open.push(index);
                *counts.entry(tag.name).or_default() += 1;
            }
            TagKind::Closes if counts.get(tag.name).is_some_and(|count| *count > 0) => {
                while let Some(opening) = open.pop() {
                    if let Some(count) = counts.get_mut(tags[opening].name) {
                        *count -= 1;
                    }
                    if tags[opening].name == tag.name {
                        partners[opening] = Some(index);
                        partners[index] = Some(opening);
                        break;
                    }
                }
            }
            TagKind::Closes | TagKind::Alone => {}
        }
    }
    partners
}

/// Returns the mark of a line that opens a block of code.
fn fence_mark(line: &str) -> Option<&str> {
    ["```", "~~~"].into_iter().find_map(|mark| {
        let length = line.len() - line.trim_start_matches(&mark[..1]).len();
        let is_fence = line.starts_with(mark) && !line[length..].contains('`');
        is_fence.then(|| &line[..length])
    })
}

fn tag_at(source: &str, start: usize) -> Option<HtmlTag<'_>> {
    let rest = &source[start + 1..source.floor_char_boundary(start + TAG_BYTES_MAX)];
    let (is_closing, name_start) = match rest.strip_prefix('/') {
        Some(_) => (true, 1),
        None => (false, 0),
    };
    let named = &rest[name_start..];
    if !named.starts_with(|character: char| character.is_ascii_alphabetic()) {
        return None;
    }
    let length = named
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
        .count();
    let name = &named[..length];
    let after = named[length..].chars().next();
    if !after.is_some_and(|after| after.is_whitespace() || "/>".contains(after)) {
        return None;
    }
    let attributes = name_start + length;
    let end = tag_end(&rest[attributes..])? + attributes;
    let is_empty = rest[..end - 1].ends_with('/') || is_void(name);
    let kind = match (is_closing, is_empty) {
        (true, _) => TagKind::Closes,
        (false, true) => TagKind::Alone,
        (false, false) => TagKind::Opens,
    };
    let first = start + 1 + attributes;
    let markdown = markdown_attribute(&rest[attributes..end])
        .map(|(range, value)| (first + range.start..first + range.end, value));
    Some(HtmlTag {
        range: start..start + 1 + end,
        name,
        kind,
        markdown: markdown.filter(|_| !is_closing),
    })
}

/// Returns the number of bytes up to and with the `>` that ends a tag.
fn tag_end(attributes: &str) -> Option<usize> {
    let mut quote = None;
    for (offset, character) in attributes.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '>') => return Some(offset + 1),
            (None, '<') => return None,
            _ => {}
        }
    }
    None
}

/// Returns the range of the attribute `markdown` with the blank before it, and its value, among attributes and the end of a tag.
fn markdown_attribute(attributes: &str) -> Option<(Range<usize>, String)> {
    const NAME: &str = "markdown";
    let mut from = 0;
    loop {
        let start = from + attributes.get(from..)?.find(NAME)?;
        from = start + NAME.len();
        let is_word = attributes[..start].ends_with(char::is_whitespace);
        let rest = &attributes[from..];
        if !is_word {
            continue;
        }
        let Some(value) = rest.strip_prefix('=') else {
            if rest.starts_with(|next: char| next.is_whitespace() || "/>".contains(next)) {
                return Some((start - 1..from, String::new()));
            }
            continue;
        };
        let quote = value.chars().next().filter(|quote| "\"'".contains(*quote));
        let (inner, length) = match quote {
            Some(quote) => {
                let inner = value[1..].split(quote).next()?;
                (inner, inner.len() + 2)
            }
            None => {
                let is_end = |next: char| next.is_whitespace() || next == '>';
                let inner = value.split(is_end).next()?;
                (inner, inner.len())
            }
        };
        let before = attributes[..start].chars().next_back();
        let begin = start - before.map_or(0, char::len_utf8);
        return Some((begin..from + 1 + length, inner.to_owned()));
    }
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}
