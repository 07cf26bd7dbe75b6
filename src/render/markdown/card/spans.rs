//! Finds what is read from left to right, before emphasis: `~subscripts~`, `^superscripts^`,
//! `^[footnotes]` and web addresses.
//!
//! Whatever Markdown the parser saw in such a stretch of text is none. Emphasis that reaches into
//! it from outside is none either.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use pulldown_cmark::CowStr;

use super::bare_links::{self, BareLink};
use super::footnotes::Footnotes;
use super::inline;
use super::tokens::{Element, Kind, Token};
use crate::render::heading_id::is_blank;

/// Deepest nesting of footnotes that are written where they are referred to. Deeper ones are text.
const FOOTNOTE_DEPTH_MAX: usize = 8;

/// Longest name of a footnote that is looked for where the parser saw no reference, in bytes.
const NAME_BYTES_MAX: usize = 256;

/// Returns `tokens` with what this module finds in them. `depth` is the number of footnotes around.
pub(super) fn found<'a>(
    source: &'a str,
    tokens: Vec<Token<'a>>,
    footnotes: &mut Footnotes<'a>,
    depth: usize,
) -> Vec<Token<'a>> {
    let mut finder = Finder {
        source: &source[..tokens.last().map_or(0, |last| last.range.end)],
        brackets: matching_brackets(source, &tokens),
        tokens: tokens.into(),
        output: Vec::new(),
        open: Vec::new(),
        links: 0,
        html_links: 0,
        footnotes,
        depth,
    };
    while let Some(token) = finder.tokens.pop_front() {
        finder.add(token);
    }
    finder.output
}

struct Finder<'a, 'f> {
    /// The source up to the end of the block.
    source: &'a str,
    /// What is still to be read.
    tokens: VecDeque<Token<'a>>,
    output: Vec<Token<'a>>,
    /// The tags that are open.
    open: Vec<Opened>,
    /// How many of them are links.
    links: usize,
    /// How many links of raw HTML are open.
    html_links: isize,
    /// Where each bracket is closed.
    brackets: HashMap<usize, usize>,
    footnotes: &'f mut Footnotes<'a>,
    depth: usize,
}

/// An open tag.
enum Opened {
    /// It has this place in the output.
    At(usize),
    /// It was taken away; its end is text.
    Gone,
}

/// A stretch of text with a meaning of its own.
enum Span {
    /// Text between two marks of one character.
    Script(&'static str, Range<usize>),
    Footnote(Range<usize>),
    /// `[^name]` where the parser saw none.
    Reference(Range<usize>),
    Address(BareLink),
}

impl Span {
    fn range(&self) -> Range<usize> {
        match self {
            Self::Script(_, range) | Self::Footnote(range) | Self::Reference(range) => {
                range.clone()
            }
            Self::Address(link) => link.range.clone(),
        }
    }
}

impl<'a> Finder<'a, '_> {
    fn add(&mut self, token: Token<'a>) {
        match &token.kind {
            Kind::Source => return self.add_source(token.range),
            Kind::Open(element) => {
                self.links += usize::from(matches!(element, Element::Link { .. }));
                self.open.push(Opened::At(self.output.len()));
            }
            Kind::Close => match self.open.pop() {
                Some(Opened::At(place)) => {
                    let is_link =
                        matches!(self.output[place].kind, Kind::Open(Element::Link { .. }));
                    self.links -= usize::from(is_link);
                }
                Some(Opened::Gone) | None => return self.add_source(token.range),
            },
            Kind::Html(html) => self.html_links += inline::link_step(html),
            Kind::Reference(name) => {
                let kind = self.reference_kind(name);
                return self.output.push(Token { kind, ..token });
            }
            _ => {}
        }
        self.output.push(token);
    }

    /// What a reference to the footnote of this name is: a link, or text if there is none.
    fn reference_kind(&mut self, name: &CowStr<'a>) -> Kind<'a> {
        let link = self.footnotes.refer(name);
        link.map_or(Kind::Source, Kind::Footnote)
    }

    /// Adds text up to and with the first span in it; what is behind is read next.
    fn add_source(&mut self, text: Range<usize>) {
        let mut searched = text.start;
        while let Some(place) = self.next_mark(searched..text.end) {
            let Some(span) = self.span(&text, place) else {
                let rest = &self.source[place..text.end];
                // Of several tildes in a row none begins a subscript.
                let tildes = rest.len() - rest.trim_start_matches('~').len();
                searched = place + tildes.max(1);
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
        memchr::memchr3(b'~', b'^', b':', bytes).map(|place| text.start + place)
    }

    /// The span that the mark at `place` in `text` begins, or that it is the colon of.
    fn span(&self, text: &Range<usize>, place: usize) -> Option<Span> {
        let behind = &self.source[place + 1..];
        match self.source.as_bytes()[place] {
            b'~' if behind.starts_with('~') => None,
            b'~' => self.script(text, place, "sub"),
            b'^' => self
                .reference(text, place)
                .or_else(|| self.script(text, place, "sup"))
                .or_else(|| self.footnote(place)),
            _ if self.links > 0 || self.html_links > 0 || !behind.starts_with("//") => None,
            _ => bare_links::find_at_colon(self.source, text.start, place).map(Span::Address),
        }
    }

    /// The reference to a footnote whose name begins behind `place`.
    fn reference(&self, text: &Range<usize>, place: usize) -> Option<Span> {
        let start = place.checked_sub(1).filter(|start| *start >= text.start)?;
        if self.source.as_bytes()[start] != b'[' {
            return None;
        }
        let name = &self.source[place + 1..text.end];
        let name = &name[..name.floor_char_boundary(NAME_BYTES_MAX)];
        let name = &name[..name.find(']')?];
        let end = place + name.len() + 2;
        self.footnotes
            .defines(name)
            .then_some(Span::Reference(start..end))
    }

    fn footnote(&self, place: usize) -> Option<Span> {
        let end = self.brackets.get(&(place + 1))?;
        (self.depth < FOOTNOTE_DEPTH_MAX).then_some(Span::Footnote(place..end + 1))
    }

    /// The text between the mark at `place` and the next of its kind. It holds no blank that is not
    /// escaped.
    fn script(&self, text: &Range<usize>, place: usize, name: &'static str) -> Option<Span> {
        let mark = char::from(self.source.as_bytes()[place]);
        let rest = Token::source(place + 1..text.end);
        let mut opaque_depth = 0_usize;
        for token in std::iter::once(&rest).chain(&self.tokens) {
            let raw = &self.source[token.range.clone()];
            match token.kind {
                Kind::Literal(_) => continue,
                Kind::Open(Element::Link { .. } | Element::Image { .. }) => opaque_depth += 1,
                Kind::Open(_) if opaque_depth > 0 => opaque_depth += 1,
                Kind::Close => opaque_depth = opaque_depth.saturating_sub(1),
                _ => {}
            }
            let is_open = opaque_depth == 0 && matches!(token.kind, Kind::Source);
            let is_stop = |character: char| (is_open && character == mark) || is_blank(character);
            let stops = raw
                .char_indices()
                .filter(|&(_, character)| is_stop(character));
            for (stop, character) in stops {
                if character == mark {
                    let end = token.range.start + stop + 1;
                    return (end > place + 2).then_some(Span::Script(name, place..end));
                }
                if !is_escaped(&raw[..stop]) {
                    return None;
                }
            }
        }
        None
    }

    fn add_span(&mut self, span: Span) {
        let range = span.range();
        let mut tokens = self.take_until(range.end);
        let token = |kind| Token {
            kind,
            range: range.clone(),
        };
        match span {
            Span::Script(name, _) => {
                let content = &self.source[range.start + 1..range.end - 1];
                self.output.extend([
                    token(Kind::Open(Element::Plain(name))),
                    token(Kind::Text(unescaped(content))),
                    token(Kind::Close),
                ]);
            }
            Span::Address(link) => self.output.extend(link.into_tokens()),
            Span::Reference(_) => {
                let name = &self.source[range.start + 2..range.end - 1];
                let kind = self.reference_kind(&name.into());
                self.output.push(token(kind));
            }
            Span::Footnote(_) => {
                // Without the brackets.
                trim(&mut tokens, range.start + 2..range.end - 1);
                let (place, link) = self.footnotes.add_inline();
                let content = inline::render(self.source, tokens, self.footnotes, self.depth + 1);
                self.footnotes.define_inline(place, &content.html);
                self.output.push(token(Kind::Footnote(link)));
            }
        }
    }

    /// Takes the tokens before `end`. Tags of which one half stays become text on both sides.
    fn take_until(&mut self, end: usize) -> Vec<Token<'a>> {
        let mut taken = Vec::new();
        let mut open = Vec::new();
        while let Some(mut token) = self.tokens.pop_front_if(|token| token.range.start < end) {
            match token.kind {
                Kind::Open(_) => open.push(taken.len()),
                Kind::Close if open.pop().is_none() => {
                    self.lose_open_tag();
                    token.kind = Kind::Source;
                }
                _ => {}
            }
            if token.range.end > end {
                token.kind = Kind::Source;
                self.tokens.push_front(Token::source(end..token.range.end));
                token.range.end = end;
            }
            taken.push(token);
        }
        for place in open {
            taken[place].kind = Kind::Source;
            self.open.push(Opened::Gone);
        }
        taken
    }

    /// Makes text of the innermost open tag.
    fn lose_open_tag(&mut self) {
        if let Some(Opened::At(place)) = self.open.pop() {
            let token = &mut self.output[place];
            self.links -= usize::from(matches!(token.kind, Kind::Open(Element::Link { .. })));
            token.kind = Kind::Source;
        }
    }
}

/// Cuts text off that lies outside of `range`.
fn trim(tokens: &mut [Token<'_>], range: Range<usize>) {
    for token in tokens {
        let is_outside = token.range.start < range.start || token.range.end > range.end;
        if is_outside {
            token.kind = Kind::Source;
            token.range.start = token.range.start.clamp(range.start, range.end);
            token.range.end = token.range.end.clamp(range.start, range.end);
        }
    }
}

/// Whether a backslash at the end of `text` escapes what follows.
fn is_escaped(text: &str) -> bool {
    let backslashes = text.len() - text.trim_end_matches('\\').len();
    backslashes % 2 == 1
}

/// Returns `text` without the backslashes in front of punctuation and blanks.
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

/// Where each opening bracket is closed, both by their places in the source.
fn matching_brackets(source: &str, tokens: &[Token<'_>]) -> HashMap<usize, usize> {
    let mut matching = HashMap::new();
    let mut open: Vec<usize> = Vec::new();
    let mut tags: Vec<Tag> = Vec::new();
    for token in tokens {
        match &token.kind {
            Kind::Open(element) => {
                let has_brackets = matches!(element, Element::Link { .. } | Element::Image { .. });
                let outer = tags.last().map_or(0, |tag| tag.brackets_kept);
                tags.push(Tag {
                    bracket: token.range.end - 1,
                    brackets_kept: if has_brackets { open.len() } else { outer },
                    has_brackets,
                });
            }
            Kind::Close => {
                if let Some(tag) = tags.pop().filter(|tag| tag.has_brackets) {
                    open.truncate(tag.brackets_kept);
                    matching.insert(tag.bracket, token.range.start);
                }
            }
            Kind::Reference(_) => {
                matching.insert(token.range.start, token.range.end - 1);
            }
            Kind::Source => {
                let kept = tags.last().map_or(0, |tag| tag.brackets_kept);
                let text = &source.as_bytes()[token.range.clone()];
                for place in memchr::memchr2_iter(b'[', b']', text) {
                    if text[place] == b'[' {
                        open.push(token.range.start + place);
                    } else if open.len() > kept
                        && let Some(start) = open.pop()
                    {
                        matching.insert(start, token.range.start + place);
                    }
                }
            }
            _ => {}
        }
    }
    // An address in angle brackets has none of these.
    matching.retain(|start, _| source.as_bytes()[*start] == b'[');
    matching
}

/// An open tag, as far as brackets go.
struct Tag {
    /// Where its own bracket stands, if it has one.
    bracket: usize,
    /// How many brackets cannot be closed inside of it.
    brackets_kept: usize,
    /// Whether it is a link or an image.
    has_brackets: bool,
}
