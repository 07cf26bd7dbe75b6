//! Syntax of a dialect that the parser does not support, which is recognised before parsing.
//!
//! Markers of whole lines are replaced by spaces. Inline content that must not be parsed as
//! Markdown, such as math or a URL, is covered with letters of the same length. The parser then
//! returns it as text at its position, where [`DocumentBuilder`](super::DocumentBuilder) inserts
//! the content of the span.

mod alerts;
mod block_lists;
mod colons;
mod emoticons;
mod headings;
mod kramdown;
mod math;
mod obsidian;
mod words;

use std::{borrow::Cow, collections::HashMap, ops::Range};

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

pub(super) use self::alerts::{Alert, Fold};
use super::attribute_list::AttributeList;
use super::bare_links;
use super::dialect::{Alerts, Attributes, BareLinks, Dialect, FootnoteKinds};
use super::survey::Survey;

/// Maximum number of attempts to cover the spans. If none succeeds, all spans remain text.
const ROUNDS_MAX: usize = 3;

/// A source with its overlay.
pub(super) struct Overlay<'a> {
    source: &'a str,
    /// The text for the parser. It has the same length as the source.
    text: Cow<'a, str>,
    /// The replacements of ranges of the text, in order.
    spans: Vec<ReplacedSpan>,
    pub(super) marks: Marks,
}

/// Attributes of blocks and elements of a source. All keys are byte offsets.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    /// The attributes of headings, by the start of the heading.
    pub(super) headings: HashMap<usize, AttributeList>,
    /// The attributes of other blocks, by the end of their text. The number is the least column of
    /// the block.
    pub(super) by_end: HashMap<usize, (usize, AttributeList)>,
    /// The attributes of other blocks, by the start of their text.
    pub(super) by_start: HashMap<usize, AttributeList>,
    /// The attributes of inline elements, by the end of the element.
    pub(super) inline: HashMap<usize, AttributeList>,
    /// The alerts, by the start of their quote.
    pub(super) alerts: HashMap<usize, Alert>,
    /// The attributes of list items, by the start of their marker.
    pub(super) items: HashMap<usize, AttributeList>,
}

/// A replacement of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReplacedSpan {
    pub(super) range: Range<usize>,
    pub(super) content: OverlayContent,
}

/// The content of a replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OverlayContent {
    /// A text.
    Text(String),
    /// HTML.
    Html(String),
    /// An HTML block, whose URLs are resolved.
    Block(String),
    /// A link to this URL. Its text is that of the source.
    Link(String),
    /// The start of an inline footnote.
    NoteStart,
    /// The end of an inline footnote.
    NoteEnd,
}

impl OverlayContent {
    fn nothing() -> Self {
        Self::Text(String::new())
    }

    /// Returns whether the range must be covered so that its text is not parsed.
    fn is_covered(&self) -> bool {
        !matches!(self, Self::Html(html) if html.ends_with("mark>"))
    }
}

impl<'a> Overlay<'a> {
    /// Recognises the syntax of `dialect` that the parser does not support.
    pub(super) fn of(source: &'a str, dialect: Dialect) -> Self {
        let mut overlay = Self {
            source,
            text: Cow::Borrowed(source),
            spans: Vec::new(),
            marks: Marks::default(),
        };
        let colons = if dialect.definition_lists {
            colons::positions(source)
        } else {
            Vec::new()
        };
        if has_marks(source, dialect) || !colons.is_empty() {
            let survey = Survey::of(&colons::masked(source, &colons), dialect.options());
            overlay.find(&survey, &colons, dialect);
            overlay.settle(dialect);
        }
        overlay
    }

    /// Returns the text for the parser.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns a range of the source.
    pub(super) fn source(&self, range: Range<usize>) -> &'a str {
        self.source.get(range).unwrap_or_default()
    }

    /// Returns the spans, in order.
    pub(super) fn spans(&self) -> &[ReplacedSpan] {
        &self.spans
    }

    fn find(&mut self, survey: &Survey, colons: &[usize], dialect: Dialect) {
        // The order matters: of two findings that overlap, the first one is used.
        let mut replacements = Findings::new(self.source);
        if dialect.kramdown {
            kramdown::find(&mut self.marks, survey, &mut replacements);
        }
        if dialect.comments {
            obsidian::find_comments(survey, &mut replacements);
        }
        if dialect.math.may_be_in(self.source) {
            math::find(survey, dialect.math, &mut replacements);
        }
        if dialect.alerts != Alerts::None {
            alerts::find(&mut self.marks, survey, dialect.alerts, &mut replacements);
        }
        if dialect.attributes == Attributes::Blocks {
            block_lists::find(&mut self.marks, survey, &mut replacements);
        }
        if matches!(
            dialect.attributes,
            Attributes::Blocks | Attributes::HeadingIds | Attributes::Kramdown
        ) {
            headings::find(
                &mut self.marks,
                survey,
                dialect.attributes,
                &mut replacements,
            );
        }
        if dialect.bare_links != BareLinks::None {
            find_bare_links(survey, dialect.bare_links, &mut replacements);
        }
        if dialect.footnotes == FootnoteKinds::NamedAndInline {
            obsidian::find_notes(survey, &mut replacements);
        }
        if dialect.highlights {
            obsidian::find_highlights(survey, &mut replacements);
        }
        if dialect.block_names {
            obsidian::find_block_names(survey, &mut replacements);
        }
        if dialect.emoji {
            words::find_emoji(survey, &mut replacements);
        }
        if dialect.emoticons {
            emoticons::find(survey, &mut replacements);
        }
        if dialect.typography.guillemets {
            words::find_guillemets(survey, &mut replacements);
        }
        if dialect.typography.signs {
            words::find_signs(survey, &mut replacements);
        }
        colons::find(colons, survey, &mut replacements);
        self.spans = replacements.spans();
        self.text = replacements.blanked();
    }

    /// Covers the spans, and drops those that the parser does not return as text afterwards.
    fn settle(&mut self, dialect: Dialect) {
        let blanked = std::mem::take(&mut self.text);
        // Covered text may change how the rest is parsed, and a dropped span is no longer covered,
        // so the check is repeated until nothing changes.
        for _ in 0..ROUNDS_MAX {
            self.text = covered(&blanked, &self.spans);
            let count = self.spans.len();
            let text = std::mem::take(&mut self.text);
            keep_texts(&mut self.spans, &text, dialect);
            self.text = text;
            if self.spans.len() == count {
                return;
            }
        }
        self.spans.clear();
        self.text = blanked;
    }
}

/// Quickly determines whether the source may contain such syntax of the dialect.
fn has_marks(source: &str, dialect: Dialect) -> bool {
    let alerts = dialect.alerts != Alerts::None && source.contains("[!");
    let braces = !matches!(
        dialect.attributes,
        Attributes::None | Attributes::AnyOfHeadings
    ) && source.contains('{');
    let links = dialect.bare_links != BareLinks::None
        && (source.contains("://")
            || source.contains("www.")
            || source.contains("WWW.")
            || source.contains('@')
            || dialect.bare_links == BareLinks::MarkdownIt && source.contains('.'));
    alerts
        || braces
        || links
        || dialect.math.may_be_in(source)
        || (dialect.emoji && source.contains(':'))
        || (dialect.emoticons && emoticons::may_be_in(source))
        || (dialect.typography.guillemets && (source.contains("<<") || source.contains(">>")))
        || (dialect.typography.signs && (source.contains('(') || source.contains("+-")))
        || (dialect.highlights && source.contains("=="))
        || (dialect.comments && source.contains("%%"))
        || (dialect.block_names && source.contains('^'))
        || (dialect.kramdown && (source.contains("*[") || source.contains('^')))
}

/// The results of the finders. Of overlapping findings, the first one is used.
struct Findings<'a> {
    source: &'a str,
    /// The spans by their start.
    spans: std::collections::BTreeMap<usize, ReplacedSpan>,
    blanks: Vec<Range<usize>>,
}

impl<'a> Findings<'a> {
    fn new(source: &'a str) -> Self {
        Self {
            source,
            spans: std::collections::BTreeMap::new(),
            blanks: Vec::new(),
        }
    }

    /// Returns whether the range does not overlap a finding.
    fn is_free(&self, range: &Range<usize>) -> bool {
        // Spans never overlap, so only the last one that begins before the end can reach into the
        // range.
        let before = self.spans.range(..range.end).next_back();
        before.is_none_or(|(_, span)| span.range.end <= range.start)
    }

    /// Adds a span unless it overlaps another one, and returns whether it did.
    fn add(&mut self, range: Range<usize>, content: OverlayContent) -> bool {
        let is_free = self.is_free(&range);
        if is_free {
            self.spans
                .insert(range.start, ReplacedSpan { range, content });
        }
        is_free
    }

    /// Replaces the range by spaces.
    fn blank(&mut self, range: Range<usize>) {
        self.blanks.push(range);
    }

    fn blanked(&self) -> Cow<'a, str> {
        if self.blanks.is_empty() {
            return Cow::Borrowed(self.source);
        }
        let mut text = self.source.as_bytes().to_vec();
        for range in &self.blanks {
            for byte in &mut text[range.clone()] {
                // Line ends remain.
                if *byte != b'\n' && *byte != b'\r' {
                    *byte = b' ';
                }
            }
        }
        String::from_utf8(text).map_or(Cow::Borrowed(self.source), Cow::Owned)
    }

    fn spans(&mut self) -> Vec<ReplacedSpan> {
        let mut blanks = std::mem::take(&mut self.blanks);
        blanks.sort_by_key(|range| range.start);
        let mut spans = Vec::with_capacity(self.spans.len());
        let mut next_blank = 0;
        for span in std::mem::take(&mut self.spans).into_values() {
            while blanks
                .get(next_blank)
                .is_some_and(|blank| blank.end <= span.range.start)
            {
                next_blank += 1;
            }
            if blanks
                .get(next_blank)
                .is_none_or(|blank| blank.start >= span.range.end)
            {
                spans.push(span);
            }
        }
        self.blanks = blanks;
        spans
    }
}

/// Replaces text that must not be parsed as Markdown by letters.
fn covered<'a>(text: &Cow<'a, str>, spans: &[ReplacedSpan]) -> Cow<'a, str> {
    let mut covered: Option<Vec<u8>> = None;
    for span in spans.iter().filter(|span| span.content.is_covered()) {
        let bytes = covered.get_or_insert_with(|| text.as_bytes().to_vec());
        // The length stays the same, so that all positions are those of the source.
        bytes[span.range.clone()].fill(b'x');
    }
    covered
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map_or_else(|| text.clone(), Cow::Owned)
}

/// Retains the spans that are parsed as text, each within a single text.
fn keep_texts(spans: &mut Vec<ReplacedSpan>, text: &str, dialect: Dialect) {
    if spans.is_empty() {
        return;
    }
    let mut is_text = vec![false; spans.len()];
    let mut next = 0;
    let mut verbatim = 0;
    for (event, range) in Parser::new_ext(text, dialect.options()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => verbatim += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock) => verbatim -= 1,
            Event::Text(read) if verbatim == 0 && text[range.clone()] == *read => {
                while spans
                    .get(next)
                    .is_some_and(|span| span.range.start < range.start)
                {
                    next += 1;
                }
                while let Some(span) = spans.get(next)
                    && span.range.end <= range.end
                {
                    is_text[next] = true;
                    next += 1;
                }
            }
            _ => {}
        }
    }
    let mut is_text = is_text.into_iter();
    spans.retain(|_| is_text.next() == Some(true));
}

fn find_bare_links(survey: &Survey, rule: BareLinks, found: &mut Findings<'_>) {
    let source = found.source;
    // A URL may extend beyond its part of the text.
    let mut end = 0;
    for piece in survey.pieces.iter().filter(|piece| !piece.in_link) {
        let range = piece.range.start.max(end)..piece.range.end;
        if range.is_empty() {
            continue;
        }
        let limit = |start: usize| {
            let hole = survey
                .next_hole(start)
                .map_or(source.len(), |hole| hole.start);
            hole.min(piece.bounds.end).max(piece.range.end)
        };
        for link in bare_links::find_all(source, range, rule, limit) {
            let destination = format!("{}{}", link.prefix, &source[link.range.clone()]);
            end = link.range.end;
            if rule != BareLinks::Goldmark || bare_links::has_named_host(&destination) {
                found.add(link.range, OverlayContent::Link(destination));
            }
        }
    }
}

/// Returns the source from `start` to `end`, truncated to at most `max` bytes.
fn window(source: &str, start: usize, end: usize, max: usize) -> &str {
    let mut end = end.min(start + max).min(source.len());
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    &source[start..end]
}
