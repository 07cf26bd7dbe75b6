//! Finds `~~struck~~` and `==marked==` text, by the rules of emphasis (CommonMark, "emphasis and
//! strong emphasis").
//!
//! The parser has found emphasis already. Where the two cross, that whose end comes first stands.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::tokens::{Element, Kind, Token};

/// Returns `tokens` with the pairs in them.
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

    fn mark(self) -> char {
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

/// What is open inside of the innermost link, image or the like. No pair reaches beyond it.
#[derive(Default)]
struct Level {
    open: Vec<Opened>,
    /// How many marks of each pair are among it.
    waiting: [usize; 2],
}

/// Something open, by its place in the output.
enum Opened {
    /// A mark that may begin a pair.
    Mark(Pair, usize),
    Emphasis(usize),
    /// Emphasis that was taken away; its end is text.
    Gone,
}

impl<'a> Matcher<'a> {
    fn add(&mut self, token: Token<'a>) {
        match &token.kind {
            Kind::Source => return self.add_source(token.range),
            Kind::Open(Element::Plain("em" | "strong")) => {
                self.level.open.push(Opened::Emphasis(self.output.len()));
            }
            Kind::Open(_) => self.outer_levels.push(std::mem::take(&mut self.level)),
            Kind::Close => return self.add_close(token),
            _ => {}
        }
        self.output.push(token);
    }

    /// Ends the innermost tag. Marks inside of it that wait wait in vain.
    fn add_close(&mut self, token: Token<'a>) {
        while let Some(opened) = self.level.open.pop() {
            match opened {
                Opened::Mark(pair, _) => self.level.waiting[pair as usize] -= 1,
                Opened::Emphasis(_) => return self.output.push(token),
                Opened::Gone => return self.push_text(token.range),
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

    /// The first two or more marks of a pair in a row.
    fn next_run(&self, text: Range<usize>) -> Option<(Pair, Range<usize>)> {
        let mut start = text.start;
        loop {
            let rest = &self.source[start..text.end];
            start += memchr::memchr2(b'~', b'=', rest.as_bytes())?;
            let rest = &self.source[start..text.end];
            let pair = Pair::ALL
                .into_iter()
                .find(|pair| rest.starts_with(pair.mark()))?;
            let length = rest.len() - rest.trim_start_matches(pair.mark()).len();
            if length > 1 {
                return Some((pair, start..start + length));
            }
            start += 1;
        }
    }

    /// Adds a row of marks: those that end pairs, the odd one if there is one, those that may begin
    /// pairs.
    fn add_run(&mut self, pair: Pair, run: Range<usize>) {
        let before = self.character_before(run.start);
        let behind = self.source[run.end..].chars().next().unwrap_or(' ');
        let may_close = Side::of(before).may_touch(Side::of(behind));
        let may_open = Side::of(behind).may_touch(Side::of(before));
        let mut position = run.start;
        while may_close && run.end - position > 1 && self.level.waiting[pair as usize] > 0 {
            self.close(pair, position..position + 2);
            position += 2;
        }
        if (run.end - position) % 2 == 1 {
            self.push_text(position..position + 1);
            position += 1;
        }
        while position < run.end {
            if may_open {
                self.level.waiting[pair as usize] += 1;
                let opened = Opened::Mark(pair, self.output.len());
                self.level.open.push(opened);
            }
            self.push_text(position..position + 2);
            position += 2;
        }
    }

    /// The character in front of a row of marks. A line begins behind a blank.
    fn character_before(&self, start: usize) -> char {
        let last = self.output.last();
        let begins_line = last.is_none_or(|last| matches!(last.kind, Kind::LineBreak));
        let before = self.source[..start].chars().next_back();
        before.filter(|_| !begins_line).unwrap_or(' ')
    }

    /// Ends the innermost pair of this kind, one of which is open. Emphasis that began inside of it
    /// and goes on is none.
    fn close(&mut self, pair: Pair, range: Range<usize>) {
        let mut outlived = 0;
        while let Some(opened) = self.level.open.pop() {
            match opened {
                Opened::Mark(found, place) => {
                    self.level.waiting[found as usize] -= 1;
                    if found == pair {
                        self.output[place].kind = Kind::Open(pair.element());
                        break;
                    }
                }
                Opened::Emphasis(place) => {
                    self.output[place].kind = Kind::Source;
                    outlived += 1;
                }
                Opened::Gone => outlived += 1,
            }
        }
        let gone = (0..outlived).map(|_| Opened::Gone);
        self.level.open.extend(gone);
        self.output.push(Token {
            kind: Kind::Close,
            range,
        });
    }
}

/// What stands on one side of a row of marks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Blank,
    Punctuation,
    Word,
}

impl Side {
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

    /// Whether marks may hold to this side, when the other is `other`.
    fn may_touch(self, other: Self) -> bool {
        match self {
            Self::Blank => false,
            Self::Punctuation => other != Self::Word,
            Self::Word => true,
        }
    }
}
