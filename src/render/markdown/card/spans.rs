//! Detection of syntax that is read from left to right, before emphasis: `~subscript~`,
//! `^superscript^`, `^[footnotes]` and web URLs.
//!
//! Markdown that the parser found inside such a span is ignored, and so is emphasis that extends
//! into it from outside.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use pulldown_cmark::CowStr;

use super::bare_links::{self, BareLink};
use super::footnotes::Footnotes;
use super::tokens::{self, Element, Inline, Token, TokenKind};
use crate::render::heading_id::is_blank;

/// Deepest nesting of inline footnotes. Deeper ones are text.
const FOOTNOTE_DEPTH_MAX: usize = 8;

/// Longest name of a footnote reference that the parser did not find, in bytes.
const NAME_BYTES_MAX: usize = 256;

/// Renders the tokens of a source, nested in a number of footnotes.
pub(super) type Render<'a> = fn(&'a str, Vec<Token<'a>>, &mut Footnotes<'a>, usize) -> Inline;

/// Returns `tokens` with these spans. `depth` is the number of enclosing footnotes; `render`
/// renders the content of one in the text.
pub(super) fn found<'a>(
    source: &'a str,
    tokens: Vec<Token<'a>>,
    footnotes: &mut Footnotes<'a>,
    depth: usize,
    render: Render<'a>,
) -> Vec<Token<'a>> {
    let mut finder = SpanFinder {
        source: &source[..tokens.last().map_or(0, |last| last.range.end)],
        brackets: matching_brackets(source, &tokens),
        tokens: tokens.into(),
        output: Vec::new(),
        open: Vec::new(),
        links: 0,
        html_links: 0,
        footnotes,
        depth,
        render,
    };
    while let Some(token) = finder.tokens.pop_front() {
        finder.add(token);
    }
    finder.output
}

struct SpanFinder<'a, 'f> {
    /// The source up to the end of the block.
    source: &'a str,
    /// The remaining tokens.
    tokens: VecDeque<Token<'a>>,
    output: Vec<Token<'a>>,
    /// The open tags.
    open: Vec<OpenTag>,
    /// The number of links among them.
    links: usize,
    /// The number of open raw HTML links.
    html_links: isize,
    /// The closing position of each bracket.
    brackets: HashMap<usize, usize>,
    footnotes: &'f mut Footnotes<'a>,
    depth: usize,
    render: Render<'a>,
}

/// An open tag.
enum OpenTag {
    /// A tag with this index in the output.
    At(usize),
    /// A tag that was removed; its end becomes text.
    Removed,
}

/// A span of text with special syntax.
enum SyntaxSpan {
    /// Text between two delimiters of one character.
    Script(&'static str, Range<usize>),
    Footnote(Range<usize>),
    /// `[^name]` that the parser did not find.
    Reference(Range<usize>),
    Address(BareLink),
}

impl SyntaxSpan {
    fn range(&self) -> Range<usize> {
        match self {
            Self::Script(_, range) | Self::Footnote(range) | Self::Reference(range) => {
                range.clone()
            }
            Self::Address(link) => link.range.clone(),
        }
    }
}

impl<'a> SpanFinder<'a, '_> {
    fn add(&mut self, token: Token<'a>) {
        match &token.kind {
            TokenKind::Source => return self.add_source(token.range),
            TokenKind::Open(element) => {
                self.links += usize::from(matches!(element, Element::Link { .. }));
                self.open.push(OpenTag::At(self.output.len()));
            }
            TokenKind::Close => match self.open.pop() {
                Some(OpenTag::At(position)) => {
                    let is_link = matches!(
                        self.output[position].kind,
                        TokenKind::Open(Element::Link { .. })
                    );
                    self.links -= usize::from(is_link);
                }
                Some(OpenTag::Removed) | None => return self.add_source(token.range),
            },
            TokenKind::Html(html) => self.html_links += tokens::link_step(html),
            TokenKind::Reference(name) => {
                let kind = self.reference_kind(name);
                return self.output.push(Token { kind, ..token });
            }
            _ => {}
        }
        self.output.push(token);
    }

    /// Returns the kind of a footnote reference: a link, or text if it is not defined.
    fn reference_kind(&mut self, name: &CowStr<'a>) -> TokenKind<'a> {
        let link = self.footnotes.refer(name);
        link.map_or(TokenKind::Source, TokenKind::Footnote)
    }

    /// Adds text up to and including its first span; the rest is read next.
    fn add_source(&mut self, text: Range<usize>) {
        let mut searched = text.start;
        while let Some(position) = self.next_mark(searched..text.end) {
            let Some(span) = self.span(&text, position) else {
                let rest = &self.source[position..text.end];
                // In a run of tildes, none begins a subscript.
                let tildes = rest.len() - rest.trim_start_matches('~').len();
                searched = position + tildes.max(1);
                continue;
            };
            let range = span.range();
            self.output.push(Token::source(text.start..range.start));
            self.tokens.push_front(Token::source(range.start..text.end));
            return self.add_span(span);
        }
        self.output.push(Token::source(text));
    }

    fn next_mark(&self, text: Range<usize>) -> Option<usize> {
        let bytes = &self.source.as_bytes()[text.clone()];
        memchr::memchr3(b'~', b'^', b':', bytes).map(|position| text.start + position)
    }

    /// Returns the span that begins at the delimiter `position` in `text`, or whose colon is there.
    fn span(&self, text: &Range<usize>, position: usize) -> Option<SyntaxSpan> {
        let after = &self.source[position + 1..];
        match self.source.as_bytes()[position] {
            b'~' if after.starts_with('~') => None,
            b'~' => self.script(text, position, "sub"),
            b'^' => self
                .reference(text, position)
                .or_else(|| self.script(text, position, "sup"))
                .or_else(|| self.footnote(position)),
            _ if self.links > 0 || self.html_links > 0 || !after.starts_with("//") => None,
            _ => bare_links::find_at_colon(self.source, text.start, position)
                .map(SyntaxSpan::Address),
        }
    }

    /// Returns the footnote reference whose name begins after `position`.
    fn reference(&self, text: &Range<usize>, position: usize) -> Option<SyntaxSpan> {
        let start = position
            .checked_sub(1)
            .filter(|start| *start >= text.start)?;
        if self.source.as_bytes()[start] != b'[' {
            return None;
        }
        let name = &self.source[position + 1..text.end];
        let name = &name[..name.floor_char_boundary(NAME_BYTES_MAX)];
        let name = &name[..name.find(']')?];
        let end = position + name.len() + 2;
        self.footnotes
            .defines(name)
            .then_some(SyntaxSpan::Reference(start..end))
    }

    fn footnote(&self, position: usize) -> Option<SyntaxSpan> {
        let end = self.brackets.get(&(position + 1))?;
        (self.depth < FOOTNOTE_DEPTH_MAX).then_some(SyntaxSpan::Footnote(position..end + 1))
    }

    /// Returns the text between the delimiter at `position` and the next one. It contains no
    /// unescaped white space.
    fn script(
        &self,
        text: &Range<usize>,
        position: usize,
        name: &'static str,
    ) -> Option<SyntaxSpan> {
        let mark = char::from(self.source.as_bytes()[position]);
        let rest = Token::source(position + 1..text.end);
        let mut opaque_depth = 0_usize;
        for token in std::iter::once(&rest).chain(&self.tokens) {
            let raw = &self.source[token.range.clone()];
            match token.kind {
                TokenKind::Literal(_) => continue,
                TokenKind::Open(Element::Link { .. } | Element::Image { .. }) => opaque_depth += 1,
                TokenKind::Open(_) if opaque_depth > 0 => opaque_depth += 1,
                TokenKind::Close => opaque_depth = opaque_depth.saturating_sub(1),
                _ => {}
            }
            let is_open = opaque_depth == 0 && matches!(token.kind, TokenKind::Source);
            let is_stop = |character: char| (is_open && character == mark) || is_blank(character);
            let stops = raw
                .char_indices()
                .filter(|&(_, character)| is_stop(character));
            for (stop, character) in stops {
                if character == mark {
                    let end = token.range.start + stop + 1;
                    return (end > position + 2).then_some(SyntaxSpan::Script(name, position..end));
                }
                if !is_escaped(&raw[..stop]) {
                    return None;
                }
            }
        }
        None
    }

    fn add_span(&mut self, span: SyntaxSpan) {
        let range = span.range();
        let mut tokens = self.take_until(range.end);
        let token = |kind| Token {
            kind,
            range: range.clone(),
        };
        match span {
            SyntaxSpan::Script(name, _) => {
                let content = &self.source[range.start + 1..range.end - 1];
                self.output.extend([
                    token(TokenKind::Open(Element::Plain(name))),
                    token(TokenKind::Text(unescaped(content))),
                    token(TokenKind::Close),
                ]);
            }
            SyntaxSpan::Address(link) => self.output.extend(link.into_tokens()),
            SyntaxSpan::Reference(_) => {
                let name = &self.source[range.start + 2..range.end - 1];
                let kind = self.reference_kind(&name.into());
                self.output.push(token(kind));
            }
            SyntaxSpan::Footnote(_) => {
                // Without the brackets.
                trim(&mut tokens, range.start + 2..range.end - 1);
                let (position, link) = self.footnotes.add_inline();
                let content = (self.render)(self.source, tokens, self.footnotes, self.depth + 1);
                self.footnotes.define_inline(position, &content.html);
                self.output.push(token(TokenKind::Footnote(link)));
            }
        }
    }

    /// Removes the tokens before `end`. Tags that are split become text on both sides.
    fn take_until(&mut self, end: usize) -> Vec<Token<'a>> {
        let mut taken = Vec::new();
        let mut open = Vec::new();
        while let Some(mut token) = self.tokens.pop_front_if(|token| token.range.start < end) {
            match token.kind {
                TokenKind::Open(_) => open.push(taken.len()),
                TokenKind::Close if open.pop().is_none() => {
                    self.lose_open_tag();
                    token.kind = TokenKind::Source;
                }
                _ => {}
            }
            if token.range.end > end {
                token.kind = TokenKind::Source;
                self.tokens.push_front(Token::source(end..token.range.end));
                token.range.end = end;
            }
            taken.push(token);
        }
        for position in open {
            taken[position].kind = TokenKind::Source;
            self.open.push(OpenTag::Removed);
        }
        taken
    }

    /// Turns the innermost open tag into text.
    fn lose_open_tag(&mut self) {
        if let Some(OpenTag::At(position)) = self.open.pop() {
            let token = &mut self.output[position];
            self.links -= usize::from(matches!(token.kind, TokenKind::Open(Element::Link { .. })));
            token.kind = TokenKind::Source;
        }
    }
}

/// Truncates text outside of `range`.
fn trim(tokens: &mut [Token<'_>], range: Range<usize>) {
    for token in tokens {
        let is_outside = token.range.start < range.start || token.range.end > range.end;
        if is_outside {
            token.kind = TokenKind::Source;
            token.range.start = token.range.start.clamp(range.start, range.end);
            token.range.end = token.range.end.clamp(range.start, range.end);
        }
    }
}

/// Returns whether a backslash at the end of `text` escapes the next character.
fn is_escaped(text: &str) -> bool {
    let backslashes = text.len() - text.trim_end_matches('\\').len();
    backslashes % 2 == 1
}

/// Returns `text` without the backslashes before punctuation and spaces.
fn unescaped(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = |next: &char| next.is_ascii_punctuation() || *next == ' ';
        let character = match character {
            '\\' => characters.next_if(escaped).unwrap_or(character),
            _ => character,
        };
        unescaped.push(character);
    }
    unescaped
}

/// Returns the closing position of each opening bracket.
fn matching_brackets(source: &str, tokens: &[Token<'_>]) -> HashMap<usize, usize> {
    let mut matching = HashMap::new();
    let mut open: Vec<usize> = Vec::new();
    let mut tags: Vec<Tag> = Vec::new();
    for token in tokens {
        match &token.kind {
            TokenKind::Open(element) => {
                let has_brackets = matches!(element, Element::Link { .. } | Element::Image { .. });
                let outer = tags.last().map_or(0, |tag| tag.outer_brackets);
                tags.push(Tag {
                    bracket: token.range.end - 1,
                    outer_brackets: if has_brackets { open.len() } else { outer },
                    has_brackets,
                });
            }
            TokenKind::Close => {
                if let Some(tag) = tags.pop().filter(|tag| tag.has_brackets) {
                    open.truncate(tag.outer_brackets);
                    matching.insert(tag.bracket, token.range.start);
                }
            }
            TokenKind::Reference(_) => {
                matching.insert(token.range.start, token.range.end - 1);
            }
            TokenKind::Source => {
                let outer_brackets = tags.last().map_or(0, |tag| tag.outer_brackets);
                let text = &source.as_bytes()[token.range.clone()];
                for position in memchr::memchr2_iter(b'[', b']', text) {
                    if text[position] == b'[' {
                        open.push(token.range.start + position);
                    } else if open.len() > outer_brackets
                        && let Some(start) = open.pop()
                    {
                        matching.insert(start, token.range.start + position);
                    }
                }
            }
            _ => {}
        }
    }
    // A URL in angle brackets has none of these.
    matching.retain(|start, _| source.as_bytes()[*start] == b'[');
    matching
}

/// The brackets of an open tag.
struct Tag {
    /// The position of its own bracket, if it has one.
    bracket: usize,
    /// The number of brackets that cannot be closed inside it.
    outer_brackets: usize,
    /// Whether it is a link or an image.
    has_brackets: bool,
}
