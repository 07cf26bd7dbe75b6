//! Detection of `~~strikethrough~~` and `==mark==`, by the rules of emphasis (CommonMark, "emphasis
//! and strong emphasis").
//!
//! The parser has already found emphasis. Where the two overlap, the one that ends first wins.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::tokens::{Element, Token, TokenKind};

/// Returns `tokens` with these pairs.
pub(super) fn matched<'a>(source: &'a str, tokens: Vec<Token<'a>>) -> Vec<Token<'a>> {
    let end = tokens.last().map_or(0, |last| last.range.end);
    let mut matcher = Matcher {
        source: &source[..end],
        output: Vec::with_capacity(tokens.len()),
        level: Level::default(),
        outer_levels: Vec::new(),
    };
    for token in tokens {
        matcher.add(token);
    }
    matcher.output
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pair {
    Strikethrough,
    Mark,
}

impl Pair {
    const ALL: [Self; 2] = [Self::Strikethrough, Self::Mark];

    fn marker(self) -> char {
        match self {
            Self::Strikethrough => '~',
            Self::Mark => '=',
        }
    }

    fn element(self) -> Element<'static> {
        Element::Plain(match self {
            Self::Strikethrough => "s",
            Self::Mark => "mark",
        })
    }
}

struct Matcher<'a> {
    source: &'a str,
    output: Vec<Token<'a>>,
    level: Level,
    outer_levels: Vec<Level>,
}

/// The open elements inside the innermost link, image or the like, which no pair crosses.
#[derive(Default)]
struct Level {
    open: Vec<OpenElement>,
    /// The number of open markers of each pair.
    open_markers: [usize; 2],
}

/// An open element, by its index in the output.
enum OpenElement {
    /// A marker that may begin a pair.
    Mark(Pair, usize),
    Emphasis(usize),
    /// Emphasis that was removed; its end becomes text.
    Removed,
}

impl<'a> Matcher<'a> {
    fn add(&mut self, token: Token<'a>) {
        match &token.kind {
            TokenKind::Source => return self.add_source(token.range),
            TokenKind::Open(Element::Plain("em" | "strong")) => {
                self.level
                    .open
                    .push(OpenElement::Emphasis(self.output.len()));
            }
            TokenKind::Open(_) => self.outer_levels.push(std::mem::take(&mut self.level)),
            TokenKind::Close => return self.add_close(token),
            _ => {}
        }
        self.output.push(token);
    }

    /// Ends the innermost tag. Open markers inside it become text.
    fn add_close(&mut self, token: Token<'a>) {
        while let Some(opened) = self.level.open.pop() {
            match opened {
                OpenElement::Mark(pair, _) => self.level.open_markers[pair as usize] -= 1,
                OpenElement::Emphasis(_) => return self.output.push(token),
                OpenElement::Removed => return self.push_text(token.range),
            }
        }
        self.level = self.outer_levels.pop().unwrap_or_default();
        self.output.push(token);
    }

    fn push_text(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.output.push(Token::source(range));
        }
    }

    fn add_source(&mut self, text: Range<usize>) {
        let mut position = text.start;
        while let Some((pair, run)) = self.next_run(position..text.end) {
            self.push_text(position..run.start);
            position = run.end;
            self.add_run(pair, run);
        }
        self.push_text(position..text.end);
    }

    /// Returns the first run of two or more markers of a pair.
    fn next_run(&self, text: Range<usize>) -> Option<(Pair, Range<usize>)> {
        let mut start = text.start;
        loop {
            let rest = &self.source[start..text.end];
            start += memchr::memchr2(b'~', b'=', rest.as_bytes())?;
            let rest = &self.source[start..text.end];
            let pair = Pair::ALL
                .into_iter()
                .find(|pair| rest.starts_with(pair.marker()))?;
            let length = rest.len() - rest.trim_start_matches(pair.marker()).len();
            if length > 1 {
                return Some((pair, start..start + length));
            }
            start += 1;
        }
    }

    /// Adds a run of markers: those that end pairs, an odd single one, and those that may begin
    /// pairs.
    fn add_run(&mut self, pair: Pair, run: Range<usize>) {
        let before = self.character_before(run.start);
        let after = self.source[run.end..].chars().next().unwrap_or(' ');
        let may_close = DelimiterSide::of(before).may_touch(DelimiterSide::of(after));
        let may_open = DelimiterSide::of(after).may_touch(DelimiterSide::of(before));
        let mut position = run.start;
        while may_close && run.end - position > 1 && self.level.open_markers[pair as usize] > 0 {
            self.close(pair, position..position + 2);
            position += 2;
        }
        if (run.end - position) % 2 == 1 {
            self.push_text(position..position + 1);
            position += 1;
        }
        while position < run.end {
            if may_open {
                self.level.open_markers[pair as usize] += 1;
                let opened = OpenElement::Mark(pair, self.output.len());
                self.level.open.push(opened);
            }
            self.push_text(position..position + 2);
            position += 2;
        }
    }

    /// Returns the character before a run of markers; a space at the beginning of a line.
    fn character_before(&self, start: usize) -> char {
        let last = self.output.last();
        let begins_line = last.is_none_or(|last| matches!(last.kind, TokenKind::LineBreak));
        let before = self.source[..start].chars().next_back();
        before.filter(|_| !begins_line).unwrap_or(' ')
    }

    /// Ends the innermost open pair of this kind. Emphasis that began inside it and is still open
    /// is removed.
    fn close(&mut self, pair: Pair, range: Range<usize>) {
        let mut removed_count = 0;
        while let Some(opened) = self.level.open.pop() {
            match opened {
                OpenElement::Mark(found, index) => {
                    self.level.open_markers[found as usize] -= 1;
                    if found == pair {
                        self.output[index].kind = TokenKind::Open(pair.element());
                        break;
                    }
                }
                OpenElement::Emphasis(index) => {
                    self.output[index].kind = TokenKind::Source;
                    removed_count += 1;
                }
                OpenElement::Removed => removed_count += 1,
            }
        }
        let removed = (0..removed_count).map(|_| OpenElement::Removed);
        self.level.open.extend(removed);
        self.output.push(Token {
            kind: TokenKind::Close,
            range,
        });
    }
}

/// The kind of character on one side of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DelimiterSide {
    Blank,
    Punctuation,
    Word,
}

impl DelimiterSide {
    fn of(character: char) -> Self {
        let is_visible = character.width() != Some(0) && !character.is_control();
        if character.is_whitespace() {
            Self::Blank
        } else if !character.is_alphanumeric() && is_visible {
            Self::Punctuation
        } else {
            Self::Word
        }
    }

    /// Returns whether a run may adjoin this side, with `other` on the opposite side.
    fn may_touch(self, other: Self) -> bool {
        match self {
            Self::Blank => false,
            Self::Punctuation => other != Self::Word,
            Self::Word => true,
        }
    }
}
