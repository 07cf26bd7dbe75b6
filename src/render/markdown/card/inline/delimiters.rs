//! Delimiters of emphasis, `~~strikethrough~~` and `==mark==` (CommonMark, "Emphasis and strong emphasis").

use std::ops::Range;

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

use super::{InlineParser, Token};

/// Kinds of delimiters: `*`, `_`, `~~` and `==`.
const MARKS: [u8; 4] = [b'*', b'_', b'~', b'='];

/// A delimiter: one character of emphasis, or two characters of the other kinds.
pub(super) struct Delimiter {
    mark: u8,
    /// The length of its run, which affects the pairing of emphasis; zero for other kinds.
    run: usize,
    /// The index of its token.
    token: usize,
    may_open: bool,
    may_close: bool,
    /// The index of the delimiter that closes this one.
    closed_by: Option<usize>,
}

/// A run of equal delimiter characters.
struct Run {
    range: Range<usize>,
    may_open: bool,
    may_close: bool,
}

impl InlineParser<'_, '_, '_> {
    /// Parses a run of `*` or `_`.
    pub(super) fn emphasis(&mut self, mark: u8) -> bool {
        let run = self.run(mark);
        let length = run.range.len();
        for position in run.range.clone() {
            self.push_delimiter(mark, length, position..position + 1, &run);
        }
        self.position = run.range.end;
        true
    }

    /// Parses a run of two or more `~` or `=`. If their number is odd, the first one is text.
    pub(super) fn pairs(&mut self, mark: u8) -> bool {
        let run = self.run(mark);
        let Range { mut start, end } = run.range;
        if end - start < 2 {
            return false;
        }
        if (end - start) % 2 == 1 {
            self.push(Token::Text(start..start + 1));
            start += 1;
        }
        while start < end {
            self.push_delimiter(mark, 0, start..start + 2, &run);
            start += 2;
        }
        self.position = end;
        true
    }

    fn push_delimiter(&mut self, mark: u8, length: usize, range: Range<usize>, run: &Run) {
        self.push(Token::Text(range));
        // Unlike other delimiters, these do not separate runs.
        if mark == b'=' && !run.may_open && !run.may_close {
            return;
        }
        let delimiter = Delimiter {
            mark,
            run: length,
            token: self.tokens.len() - 1,
            may_open: run.may_open,
            may_close: run.may_close,
            closed_by: None,
        };
        let open = self.open_delimiters.last().copied().unwrap_or(0);
        self.delimiters[open].push(delimiter);
    }

    fn run(&self, mark: u8) -> Run {
        let start = self.position;
        let bytes = &self.text.as_bytes()[start..self.end];
        let end = start + bytes.iter().take_while(|byte| **byte == mark).count();
        let before = self.text[..start].chars().next_back().unwrap_or(' ');
        let after = self.text[end..self.end].chars().next().unwrap_or(' ');
        let [before, after] = [before, after].map(Side::of);
        let is_left = after.adjoins(before);
        let is_right = before.adjoins(after);
        // Underscores occur in names such as `snake_case` (CommonMark, "Emphasis").
        let splits_words = mark != b'_';
        Run {
            range: start..end,
            may_open: is_left && (splits_words || !is_right || before == Side::Punctuation),
            may_close: is_right && (splits_words || !is_left || after == Side::Punctuation),
        }
    }
}

/// The kind of character on one side of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Blank,
    Punctuation,
    Word,
}

impl Side {
    fn of(c: char) -> Self {
        if c.is_ascii_alphanumeric() {
            return Self::Word;
        }
        let category = CodePointMapData::<GeneralCategory>::new().get(c);
        if matches!(c, '\t'..='\r') || category == GeneralCategory::SpaceSeparator {
            Self::Blank
        } else if GeneralCategoryGroup::Punctuation.contains(category)
            || GeneralCategoryGroup::Symbol.contains(category)
        {
            Self::Punctuation
        } else {
            Self::Word
        }
    }

    /// Returns whether a run may belong to this side if `other` is on the opposite side.
    fn adjoins(self, other: Self) -> bool {
        match self {
            Self::Blank => false,
            Self::Punctuation => other != Self::Word,
            Self::Word => true,
        }
    }
}

/// Returns `tokens` with elements for the pairs in each of `lists`, and with adjacent texts joined.
pub(super) fn paired(text: &str, tokens: Vec<Token>, mut lists: Vec<Vec<Delimiter>>) -> Vec<Token> {
    let mut tokens = tokens;
    for list in &mut lists {
        pair(list);
    }
    for (mark, name) in [(b'~', "s"), (b'=', "mark")] {
        for list in &lists {
            let lone = open_pairs(text, &mut tokens, list, (mark, name));
            move_after_ends(&mut tokens, &lone, name);
        }
    }
    for list in &lists {
        open_emphasis(&mut tokens, list);
    }
    joined(tokens)
}

/// Pairs each delimiter that may close with the nearest preceding one that may open it.
fn pair(list: &mut [Delimiter]) {
    // For each kind of closing delimiter, the index up to which no delimiter opens it.
    let mut none_until = [[None; 6]; MARKS.len()];
    // For each delimiter, the number of preceding delimiters to skip, which are paired or cannot open.
    let mut skips = Vec::with_capacity(list.len());
    let mut run_start = 0;
    let mut is_run_open = false;
    for closing in 0..list.len() {
        skips.push(0);
        let is_adjacent = closing > 0 && list[closing - 1].token + 1 == list[closing].token;
        if !is_run_open || !is_adjacent || list[run_start].mark != list[closing].mark {
            run_start = closing;
        }
        is_run_open = true;
        if !list[closing].may_close {
            continue;
        }
        let kind = list[closing].kind();
        let first = run_start.checked_sub(skips[run_start] + 1);
        match opening(list, &skips, closing, first, none_until[kind.0][kind.1]) {
            Some(opening) => {
                let is_skipped = opening > 0 && !list[opening - 1].may_open;
                let skip = if is_skipped {
                    skips[opening - 1] + 1
                } else {
                    0
                };
                skips[closing] = closing - opening + skip;
                skips[opening] = skip;
                list[closing].may_open = false;
                list[opening].closed_by = Some(closing);
                list[opening].may_close = false;
                is_run_open = false;
            }
            // Without this, each closing delimiter of the kind would search the same part again.
            None if first.is_some() => none_until[kind.0][kind.1] = first,
            None => {}
        }
    }
}

/// Returns the nearest delimiter that `closing` closes, searching backwards from `first` to after `last`.
fn opening(
    list: &[Delimiter],
    skips: &[usize],
    closing: usize,
    first: Option<usize>,
    last: Option<usize>,
) -> Option<usize> {
    let mut next = first;
    while let Some(index) = next
        && last.is_none_or(|last| index > last)
    {
        if list[index].opens(&list[closing]) {
            return Some(index);
        }
        next = index.checked_sub(skips[index] + 1);
    }
    None
}

impl Delimiter {
    /// Returns the index of the mark, and a number for the other properties that decide which delimiters
    /// open it.
    fn kind(&self) -> (usize, usize) {
        let mark = MARKS.iter().position(|mark| *mark == self.mark);
        (
            mark.unwrap_or(0),
            usize::from(self.may_open) * 3 + self.run % 3,
        )
    }

    fn opens(&self, closing: &Self) -> bool {
        let may_be_either = self.may_close || closing.may_open;
        // CommonMark, "Emphasis", rules 9 and 10.
        let is_odd = may_be_either
            && (self.run + closing.run).is_multiple_of(3)
            && !(self.run.is_multiple_of(3) && closing.run.is_multiple_of(3));
        self.mark == closing.mark && self.may_open && self.closed_by.is_none() && !is_odd
    }
}

/// Replaces the pairs of a mark by elements. Returns the indices of single characters before closing marks.
fn open_pairs(
    text: &str,
    tokens: &mut [Token],
    list: &[Delimiter],
    (mark, name): (u8, &'static str),
) -> Vec<usize> {
    let mut lone = Vec::new();
    for delimiter in list.iter().filter(|delimiter| delimiter.mark == mark) {
        let Some(closing) = delimiter.closed_by else {
            continue;
        };
        let closing = list[closing].token;
        tokens[delimiter.token] = Token::Open(name);
        tokens[closing] = Token::Close(name);
        if let Some(before) = closing.checked_sub(1)
            && let Token::Text(range) = &tokens[before]
            && text.as_bytes()[range.clone()] == [mark]
        {
            lone.push(before);
        }
    }
    lone
}

/// Moves the single characters of odd runs after the ends of the elements that the runs close.
fn move_after_ends(tokens: &mut [Token], lone: &[usize], name: &'static str) {
    // Recorded: `inline/lone-mark-moves`. Backwards, as a move changes only the tokens after it.
    for &index in lone.iter().rev() {
        let ends = tokens[index + 1..].iter();
        let ends = ends.take_while(|token| matches!(token, Token::Close(end) if *end == name));
        let count = ends.count();
        if let Token::Text(range) = &mut tokens[index] {
            // The last character of the run.
            *range = range.start + 2 * count..range.end + 2 * count;
            tokens.swap(index, index + count);
        }
    }
}

/// Replaces the pairs of `*` and `_` by elements. Two pairs directly inside one another are a single
/// element.
fn open_emphasis(tokens: &mut [Token], list: &[Delimiter]) {
    // Backwards: the inner of two adjacent pairs is reached first and takes the outer one with it.
    let mut indexes = (0..list.len()).rev();
    while let Some(index) = indexes.next() {
        let opening = &list[index];
        let Some(closing_index) = opening
            .closed_by
            .filter(|_| matches!(opening.mark, b'*' | b'_'))
        else {
            continue;
        };
        let closing = &list[closing_index];
        let outer = index.checked_sub(1).map(|outer| &list[outer]);
        let strong = outer.filter(|outer| {
            outer.closed_by == Some(closing_index + 1)
                && outer.mark == opening.mark
                && outer.token + 1 == opening.token
                && list[closing_index + 1].token == closing.token + 1
        });
        let name = if strong.is_some() { "strong" } else { "em" };
        tokens[opening.token] = Token::Open(name);
        tokens[closing.token] = Token::Close(name);
        if let Some(outer) = strong {
            tokens[outer.token] = Token::Text(0..0);
            tokens[list[closing_index + 1].token] = Token::Text(0..0);
            indexes.next();
        }
    }
}

/// Returns `tokens` with adjacent texts joined.
fn joined(tokens: Vec<Token>) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        match (&token, joined.last_mut()) {
            (Token::Text(range), _) if range.is_empty() => {}
            (Token::Text(range), Some(Token::Text(last))) if last.end == range.start => {
                last.end = range.end;
            }
            _ => joined.push(token),
        }
    }
    joined
}
