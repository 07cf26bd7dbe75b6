//! Locates the tags of raw HTML in a source, outside of code.

use std::{collections::HashMap, ops::Range};

/// Longest tag, in bytes.
const TAG_BYTES_MAX: usize = 2_000;

/// A tag.
#[derive(Clone, Debug)]
pub(super) struct HtmlTag<'s> {
    pub(super) range: Range<usize>,
    pub(super) name: &'s str,
    pub(super) kind: TagKind,
    /// The range of the attribute `markdown` and the white space before it, and its value.
    pub(super) markdown: Option<(Range<usize>, String)>,
}

/// The kind of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagKind {
    Opens,
    Closes,
    /// An element without an end tag.
    Alone,
}

/// The tags of a source, and its fenced code.
#[derive(Default)]
pub(super) struct Found<'s> {
    /// The tags outside of code, comments and scripts, in order.
    pub(super) tags: Vec<HtmlTag<'s>>,
    /// The fenced code blocks outside of comments and scripts in order, each from the start of its first line to the
    /// end of its last line. Unclosed blocks are not included.
    pub(super) fences: Vec<Range<usize>>,
}

/// Locates the tags and the fenced code. `is_code` returns whether a byte offset is in a code block.
pub(super) fn find(source: &str, is_code: impl Fn(usize) -> bool) -> Found<'_> {
    let mut found = Found::default();
    let mut texts = TextEnds::of(source);
    // The mark of the open fence, and the start of its line.
    let mut fence: Option<(&str, usize)> = None;
    let mut offset = 0;
    // The end of the last tag, comment or script.
    let mut free = 0;
    for line in source.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        if offset <= free {
            continue;
        }
        let text = line.trim();
        if start >= free {
            if let Some((mark, opening)) = fence {
                if text.starts_with(mark) && text.trim_start_matches(&mark[..1]).is_empty() {
                    fence = None;
                    found.fences.push(opening..start + line.trim_end().len());
                }
                continue;
            }
            if let Some(mark) = fence_mark(text) {
                fence = Some((mark, start));
                continue;
            }
            if is_code(offset - line.trim_start().len()) {
                continue;
            }
        }
        let mut counted = 0;
        let mut backticks = 0;
        for position in memchr::memchr_iter(b'<', line.as_bytes()) {
            backticks += line[counted..position].matches('`').count();
            counted = position;
            let begin = start + position;
            // Inside a code span, the number of preceding backticks is odd.
            if begin < free || backticks % 2 == 1 || line[..position].ends_with('\\') {
                continue;
            }
            if let Some(end) = texts.comment(begin) {
                free = end;
            } else if let Some(tag) = tag_at(source, begin) {
                free = texts.content(&tag).unwrap_or(tag.range.end);
                found.tags.push(tag);
            }
        }
    }
    found
}

/// Locates the ends of texts in which tags are text. A search for a missing end is not repeated, so that all searches
/// take linear time.
struct TextEnds<'s> {
    source: &'s str,
    is_comment_unclosed: bool,
    /// The names of elements without a further end tag.
    unclosed: Vec<&'static str>,
}

impl<'s> TextEnds<'s> {
    fn of(source: &'s str) -> Self {
        Self {
            source,
            is_comment_unclosed: false,
            unclosed: Vec::new(),
        }
    }

    /// Returns the end of the comment that begins at `start`.
    fn comment(&mut self, start: usize) -> Option<usize> {
        if self.is_comment_unclosed || !self.source[start..].starts_with("<!--") {
            return None;
        }
        // `<!-->` is a complete comment.
        let inner = start + 2;
        let length = memchr::memmem::find(&self.source.as_bytes()[inner..], b"-->");
        self.is_comment_unclosed = length.is_none();
        length.map(|length| inner + length + 3)
    }

    /// Returns the byte offset of the end tag of an element whose content contains no tags.
    fn content(&mut self, tag: &HtmlTag<'_>) -> Option<usize> {
        const NAMES: [&str; 3] = ["script", "style", "textarea"];
        let name = NAMES
            .into_iter()
            .find(|name| name.eq_ignore_ascii_case(tag.name))?;
        if tag.kind != TagKind::Opens || self.unclosed.contains(&name) {
            return None;
        }
        let start = tag.range.end;
        let content = &self.source.as_bytes()[start..];
        let is_end = |position: &usize| {
            let rest = &content[position + 1..];
            rest.first() == Some(&b'/')
                && rest
                    .get(1..=name.len())
                    .is_some_and(|named| named.eq_ignore_ascii_case(name.as_bytes()))
                && rest
                    .get(name.len() + 1)
                    .is_some_and(|next| next.is_ascii_whitespace() || b"/>".contains(next))
        };
        let end = memchr::memchr_iter(b'<', content).find(is_end);
        if end.is_none() {
            self.unclosed.push(name);
        }
        end.map(|end| start + end)
    }
}

/// Returns for each tag the index of the matching tag, if any.
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
            // Without the counts, an end tag without a start would close every open element.
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

/// Returns the mark of a line that opens a fenced code block.
fn fence_mark(line: &str) -> Option<&str> {
    ["```", "~~~"].into_iter().find_map(|mark| {
        let length = line.len() - line.trim_start_matches(&mark[..1]).len();
        let is_fence = line.starts_with(mark) && !line[length..].contains('`');
        is_fence.then(|| &line[..length])
    })
}

fn tag_at(source: &str, start: usize) -> Option<HtmlTag<'_>> {
    // The bound makes many unclosed tags take linear time.
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

/// Returns the number of bytes up to and including the `>` that ends a tag.
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

/// Returns the range of the attribute `markdown` and the white space before it, and its value. `attributes` is the rest
/// of a tag after its name.
fn markdown_attribute(attributes: &str) -> Option<(Range<usize>, String)> {
    let mut position = 0;
    while position < attributes.len() {
        let start = attributes.len() - attributes[position..].trim_start().len();
        let rest = &attributes[start..];
        let is_end = |next: char| next.is_whitespace() || "=/>\"'".contains(next);
        let name = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        let (value, length) = attribute_value(&rest[name.len()..]);
        let end = start + name.len() + length;
        let blank = attributes[..start].chars().next_back();
        if name == "markdown"
            // Any white space counts, even a no-break space (`a bare attribute after another blank`
            // in tests/it/render/dialects.jsonl).
            && let Some(blank) = blank.filter(|blank| blank.is_whitespace())
        {
            return Some((start - blank.len_utf8()..end, value.to_owned()));
        }
        // A character that is not part of a name is skipped.
        position = match rest[name.len() + length..].chars().next() {
            Some(sign) if end == start => end + sign.len_utf8(),
            _ => end,
        };
    }
    None
}

/// Returns the value of an attribute and the number of bytes up to its end. `rest` follows the attribute's name.
fn attribute_value(rest: &str) -> (&str, usize) {
    let value = match rest.trim_start().strip_prefix('=') {
        Some(value) => value.trim_start(),
        // Quoted text without a name is skipped, so that `>` in it does not end the tag.
        None if rest.starts_with(['"', '\'']) => rest,
        None => return ("", 0),
    };
    let start = rest.len() - value.len();
    let quote = value.chars().next().filter(|quote| "\"'".contains(*quote));
    match quote {
        Some(quote) => {
            let inner = value[1..].split(quote).next().unwrap_or_default();
            (inner, (start + inner.len() + 2).min(rest.len()))
        }
        None => {
            let is_end = |next: char| next.is_whitespace() || ">\"'".contains(next);
            let length = value.find(is_end).unwrap_or(value.len());
            (&value[..length], start + length)
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> Vec<&str> {
        let tags = find(source, |_| false).tags;
        tags.iter().map(|tag| &source[tag.range.clone()]).collect()
    }

    #[test]
    fn the_attribute_is_found_by_its_name() {
        for (tag, expected) in [
            ("<div markdown>", Some((" markdown", ""))),
            ("<div\u{a0}markdown>", Some(("\u{a0}markdown", ""))),
            (
                "<div id=a markdown=\"1\" b>",
                Some((" markdown=\"1\"", "1")),
            ),
            (
                "<div markdown = 'span'>",
                Some((" markdown = 'span'", "span")),
            ),
            ("<div markdown=1>", Some((" markdown=1", "1"))),
            ("<br markdown/>", Some((" markdown", ""))),
            ("<div a='>' \"b\" markdown>", Some((" markdown", ""))),
            ("<img alt=\"The markdown editor\">", None),
            ("<div title='how markdown works'>", None),
            ("<div title=\"a markdown='1' b\">", None),
            ("<div a=b\" markdown \">", None),
            ("<div a=markdown>", None),
            ("<div a= markdown>", None),
            ("<div data-markdown markdowns>", None),
            ("</div markdown>", None),
            ("<div = / ='a>", None),
        ] {
            let tags = find(tag, |_| false).tags;
            let found = tags.first().and_then(|found| found.markdown.as_ref());
            let found = found.map(|(range, value)| (&tag[range.clone()], value.as_str()));
            assert_eq!(found, expected, "{tag}");
        }
    }

    #[test]
    fn tags_in_comments_and_scripts_are_text() {
        for (source, expected) in [
            ("<!-- <a> -->\n<b>", &["<b>"][..]),
            ("<!--><a>", &["<a>"]),
            ("<!-- <a>", &["<a>"]),
            ("<!--\n```\n-->\n<b>", &["<b>"]),
            (
                "<script>\nx = '<div>';\n```\n</SCRIPT><b>\n<i>",
                &["<script>", "</SCRIPT>", "<b>", "<i>"],
            ),
            (
                "<style><a></styles></style ><b>",
                &["<style>", "</style >", "<b>"],
            ),
            ("<textarea><a>", &["<textarea>", "<a>"]),
            (
                "`<!--` <a> `<script>` <b> --> </script>",
                &["<a>", "<b>", "</script>"],
            ),
        ] {
            assert_eq!(names(source), expected, "{source}");
        }
    }
}
