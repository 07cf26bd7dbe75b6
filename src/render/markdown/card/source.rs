//! Normalisation of the card's block syntax to CommonMark.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::source_lines::{INDENT_MAX, column, is_inline, is_inline_end, with_inserted};
use super::{addresses, tables};

/// Returns `markdown` with line feeds as line ends, without characters that HTML forbids, with a
/// leading pipe in table rows, with a space after the hashes of every heading, and with a backslash
/// before definitions of links and footnotes that are rejected.
pub(super) fn prepared(markdown: &str, options: Options) -> Cow<'_, str> {
    let source = normalised(markdown);
    let missing = tables::missing_pipes(&source, options);
    let source = with_inserted(source, &missing, '|');
    let missing = missing_blanks(&source, options);
    let source = with_inserted(source, &missing, ' ');
    let refused = refused_definitions(&source, options);
    with_inserted(source, &refused, '\\')
}

fn normalised(markdown: &str) -> Cow<'_, str> {
    if !markdown.contains(['\r', '\0']) {
        return Cow::Borrowed(markdown);
    }
    let lines = markdown.replace("\r\n", "\n").replace('\r', "\n");
    Cow::Owned(lines.replace('\0', "\u{fffd}"))
}

/// Returns the positions of rejected definitions: of links with forbidden URLs, and of footnotes
/// with white space in their names.
fn refused_definitions(source: &str, options: Options) -> Vec<usize> {
    if !source.contains("]:") {
        return Vec::new();
    }
    let parser = Parser::new_ext(source, options);
    let definitions = parser.reference_definitions().iter();
    let refused =
        definitions.filter(|(_, definition)| addresses::written(&definition.dest).is_none());
    let mut positions: Vec<_> = refused
        .map(|(_, definition)| definition.span.start)
        .collect();
    if source.contains("[^") {
        let footnotes = parser.into_offset_iter();
        let starts = footnotes.filter_map(|(event, range)| {
            matches!(event, Event::Start(Tag::FootnoteDefinition(_))).then_some(range.start)
        });
        positions.extend(starts.filter(|start| {
            let name = source[*start..].split(']').next();
            name.is_some_and(|name| name.contains(char::is_whitespace))
        }));
    }
    positions.sort_unstable();
    positions
}

/// Returns the positions of missing spaces in headings.
fn missing_blanks(source: &str, options: Options) -> Vec<usize> {
    if !has_heading_without_blank(source) {
        return Vec::new();
    }
    let mut lines = Lines {
        source,
        block: None,
        is_exempt: false,
        text: None,
        missing: Vec::new(),
    };
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        lines.add(&event, range);
    }
    lines.missing
}

/// Quickly determines whether any line may be a heading without a space.
fn has_heading_without_blank(source: &str) -> bool {
    let bytes = source.as_bytes();
    memchr::memchr_iter(b'#', bytes).any(|position| {
        let before = position
            .checked_sub(1)
            .map_or(b'\n', |before| bytes[before]);
        matches!(before, b'\n' | b' ' | b'\t' | b'>')
            && heading_mark_end(&source[position..]).is_some()
    })
}

/// Returns the position of the missing space in the heading at the start of `line`.
fn heading_mark_end(line: &str) -> Option<usize> {
    let text = line.trim_start_matches('#');
    let hashes = line.len() - text.len();
    let is_heading = (1..=6).contains(&hashes) && !text.is_empty();
    (is_heading && !text.starts_with([' ', '\t', '\n'])).then_some(hashes)
}

/// Visits the lines of all text blocks.
struct Lines<'a> {
    source: &'a str,
    /// The start of the block; `None` in a list whose items are not paragraphs.
    block: Option<usize>,
    /// Whether the current content is not text, or a table header, which takes precedence over a
    /// heading.
    is_exempt: bool,
    /// The range of the block read so far.
    text: Option<Range<usize>>,
    /// The positions of missing spaces.
    missing: Vec<usize>,
}

impl Lines<'_> {
    fn add(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) if !is_inline(tag) => {
                self.end_block();
                self.is_exempt |= is_exempt(tag);
                self.block = match tag {
                    Tag::Paragraph | Tag::Heading { .. } | Tag::TableRow => Some(range.start),
                    Tag::TableCell => self.block,
                    _ => None,
                };
            }
            Event::End(tag) if !is_inline_end(tag) => {
                self.end_block();
                if matches!(
                    tag,
                    TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::TableHead
                ) {
                    self.is_exempt = false;
                }
            }
            Event::Rule => self.end_block(),
            _ => {
                let start = self.text.as_ref().map_or(range.start, |text| text.start);
                self.text = Some(start..range.end);
            }
        }
    }

    fn end_block(&mut self) {
        let Some(text) = self.text.take() else {
            return;
        };
        if self.is_exempt {
            return;
        }
        let is_whole = self.block.is_none_or(|block| block == text.start);
        if is_whole && !self.source[..text.start].ends_with('\\') {
            self.add_line(text.start);
        }
        let bytes = self.source.as_bytes();
        let mut line_ends = memchr::memchr_iter(b'\n', &bytes[text.clone()]).peekable();
        if line_ends.peek().is_none() {
            return;
        }
        let indent_max = column(self.source, text.start) + INDENT_MAX;
        for line_end in line_ends {
            let line = &self.source[text.start + line_end + 1..];
            let content = line.trim_start_matches([' ', '\t', '>']);
            let start = self.source.len() - content.len();
            if column(self.source, start) <= indent_max {
                self.add_line(start);
            }
        }
    }

    fn add_line(&mut self, start: usize) {
        let missing = heading_mark_end(&self.source[start..]);
        self.missing.extend(missing.map(|length| start + length));
    }
}

/// Returns whether no heading can be inside this tag.
fn is_exempt(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::TableHead)
}
