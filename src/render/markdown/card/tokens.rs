//! The inline content of one block as a list of tokens, in the order of the source.
//!
//! Each token covers its own part of the source. So text with another meaning, such as a URL with
//! underscores, can be read again, and an invalid tag becomes text again.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};

use super::addresses;

/// A token of inline content.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind<'a>,
    /// Its range in the source.
    pub(super) range: Range<usize>,
}

#[derive(Debug)]
pub(super) enum TokenKind<'a> {
    /// Text that equals the source. It may contain delimiters and bare URLs.
    Source,
    /// Text that may contain bare URLs, but no delimiters.
    Text(String),
    /// Literal text, such as an escape or an entity.
    Literal(CowStr<'a>),
    Code(CowStr<'a>),
    Html(CowStr<'a>),
    LineBreak,
    /// A reference to the footnote of this name.
    Reference(CowStr<'a>),
    /// The link to a footnote, as HTML.
    Footnote(String),
    Open(Element<'a>),
    /// Ends the innermost open element.
    Close,
}

/// An element with content.
#[derive(Debug)]
pub(super) enum Element<'a> {
    /// An element without attributes, by its name.
    Plain(&'static str),
    Link {
        address: String,
        title: CowStr<'a>,
    },
    /// An image; its content is the alternative text.
    Image {
        address: String,
        title: CowStr<'a>,
        /// The range of its content in the source.
        content: Range<usize>,
    },
}

impl<'a> Token<'a> {
    pub(super) fn source(range: Range<usize>) -> Self {
        Self {
            kind: TokenKind::Source,
            range,
        }
    }
}

/// Returns the tokens for the parser's events in one block.
pub(super) fn read<'a>(source: &'a str, events: Vec<(Event<'a>, Range<usize>)>) -> Vec<Token<'a>> {
    let mut reading = TokenReader {
        source,
        tokens: Vec::with_capacity(events.len()),
        open: Vec::new(),
        position: 0,
    };
    for (event, range) in events {
        reading.add(event, range);
    }
    reading.tokens
}

/// Returns `tokens` with adjacent source text joined.
pub(super) fn joined(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut joined = Vec::with_capacity(tokens.len());
    for token in tokens {
        push_joined(&mut joined, token);
    }
    joined
}

fn push_joined<'a>(tokens: &mut Vec<Token<'a>>, token: Token<'a>) {
    if let (TokenKind::Source, Some(last)) = (&token.kind, tokens.last_mut())
        && matches!(last.kind, TokenKind::Source)
        && last.range.end == token.range.start
    {
        last.range.end = token.range.end;
    } else if !(matches!(token.kind, TokenKind::Source) && token.range.is_empty()) {
        tokens.push(token);
    }
}

struct TokenReader<'a> {
    source: &'a str,
    tokens: Vec<Token<'a>>,
    open: Vec<OpenSpan>,
    /// The position up to which the source was read.
    position: usize,
}

/// An open tag of the parser.
enum OpenSpan {
    /// Emphasis that ends with this number of characters.
    Emphasis(usize),
    Link,
    /// A URL in angle brackets.
    Autolink,
    /// The image whose token has this index.
    Image(usize),
    /// A link or an image whose URL is rejected; its delimiters are text.
    Refused,
}

impl<'a> TokenReader<'a> {
    fn add(&mut self, event: Event<'a>, range: Range<usize>) {
        let end = range.end;
        match event {
            Event::Text(text) => self.text(text, range),
            Event::Code(code) => self.push(TokenKind::Code(code), range),
            Event::InlineHtml(html) | Event::Html(html) => self.push(TokenKind::Html(html), range),
            Event::SoftBreak | Event::HardBreak => self.line_break(range),
            Event::FootnoteReference(name) => self.push(TokenKind::Reference(name), range),
            Event::Start(tag) => return self.start(tag, range.start),
            Event::End(tag) => self.end(tag, range.end),
            _ => self.push(TokenKind::Source, range),
        }
        self.position = end;
    }

    fn push(&mut self, kind: TokenKind<'a>, range: Range<usize>) {
        push_joined(&mut self.tokens, Token { kind, range });
    }

    /// Adds a line break. Only spaces before it are removed (Ghost 6.65, observed), but the parser
    /// removes all white space.
    fn line_break(&mut self, range: Range<usize>) {
        let start = self.position.min(range.start);
        let written = &self.source[start..range.end];
        let line = written.split('\n').next().unwrap_or(written);
        let trimmed = line.trim_end_matches(' ');
        let kept_end = start + trimmed.len();
        if trimmed.ends_with('\t') && trimmed.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
            self.push(TokenKind::Source, start..kept_end);
        }
        self.push(TokenKind::LineBreak, range.start.max(kept_end)..range.end);
    }

    fn text(&mut self, text: CowStr<'a>, range: Range<usize>) {
        if let Some(OpenSpan::Autolink) = self.open.last() {
            return self.push(TokenKind::Text(addresses::shown(&text)), range);
        }
        if self.source[range.clone()] != *text {
            return self.push(TokenKind::Literal(text), range);
        }
        let Range { start, end } = range;
        let mut position = start;
        if self.source[self.position.min(start)..start].ends_with('\\') {
            position = self.literal(start..end, 1);
        }
        // A backslash that escapes nothing still makes the next character literal.
        while let Some(length) = self.source[position..end].find('\\')
            && position + length + 1 < end
        {
            self.push(TokenKind::Source, position..position + length);
            position = self.literal(position + length..end, 2);
        }
        self.push(TokenKind::Source, position..end);
    }

    /// Adds as many characters of the source as literal text. Returns their end.
    fn literal(&mut self, text: Range<usize>, characters: usize) -> usize {
        let source = &self.source[text.clone()];
        let length = source.chars().take(characters).map(char::len_utf8).sum();
        let end = text.start + length;
        self.push(TokenKind::Literal(source[..length].into()), text.start..end);
        end
    }

    fn start(&mut self, tag: Tag<'a>, start: usize) {
        let (kind, mark_length, opened) = match tag {
            Tag::Emphasis => (
                TokenKind::Open(Element::Plain("em")),
                1,
                OpenSpan::Emphasis(1),
            ),
            Tag::Strong => (
                TokenKind::Open(Element::Plain("strong")),
                2,
                OpenSpan::Emphasis(2),
            ),
            Tag::Link {
                link_type,
                dest_url,
                title,
                ..
            } => {
                let opened = match link_type {
                    LinkType::Autolink | LinkType::Email => OpenSpan::Autolink,
                    _ => OpenSpan::Link,
                };
                let address = match link_type {
                    LinkType::Email => addresses::written(&format!("mailto:{dest_url}")),
                    _ => addresses::written(&dest_url),
                };
                match address {
                    Some(address) => (TokenKind::Open(Element::Link { address, title }), 1, opened),
                    None => (TokenKind::Source, 1, OpenSpan::Refused),
                }
            }
            Tag::Image {
                dest_url, title, ..
            } => match addresses::written(&dest_url) {
                Some(address) => {
                    let image = Element::Image {
                        address,
                        title,
                        content: start + 2..start + 2,
                    };
                    (
                        TokenKind::Open(image),
                        2,
                        OpenSpan::Image(self.tokens.len()),
                    )
                }
                None => (TokenKind::Source, 2, OpenSpan::Refused),
            },
            _ => return,
        };
        self.position = start + mark_length;
        self.push(kind, start..self.position);
        self.open.push(opened);
    }

    fn end(&mut self, tag: TagEnd, end: usize) {
        if !matches!(
            tag,
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image
        ) {
            return;
        }
        let (kind, start) = match self.open.pop() {
            Some(OpenSpan::Emphasis(length)) => (TokenKind::Close, end - length),
            Some(OpenSpan::Refused) | None => (TokenKind::Source, self.position),
            Some(OpenSpan::Link | OpenSpan::Autolink) => (TokenKind::Close, self.position),
            Some(OpenSpan::Image(index)) => {
                if let TokenKind::Open(Element::Image { content, .. }) =
                    &mut self.tokens[index].kind
                {
                    content.end = self.position;
                }
                (TokenKind::Close, self.position)
            }
        };
        self.push(kind, start..end);
    }
}

/// Returns the change in the number of open links at this raw HTML tag.
pub(super) fn link_step(tag: &str) -> isize {
    let is_link = |name: &str| {
        let behind = name.strip_prefix(['a', 'A']);
        behind.is_some_and(|behind| behind.starts_with([' ', '\t', '\n', '>']))
    };
    if tag.strip_prefix("</").is_some_and(is_link) {
        -1
    } else {
        isize::from(tag.strip_prefix('<').is_some_and(is_link))
    }
}

/// Rendered inline content.
#[derive(Default)]
pub(super) struct Inline {
    pub(super) html: String,
    /// The text for the id of a heading: all text, raw HTML and image descriptions as written,
    /// without line breaks.
    pub(super) text: String,
}
