//! Splits a filter into tokens, one at a time and without copying.
//!
//! The language has two vocabularies: `tag:a-b:c` is the field `tag` followed by the word `a-b:c`,
//! since `:` is an ordinary character in words. The lexer therefore tracks whether a field or a
//! value comes next. It only recognises tokens; the parser checks their order.

use super::error::{SyntaxError, SyntaxErrorKind};
use super::token::{Token, TokenKind};
use super::tree::{Comparison, Direction, RelativeDate, Span, TextAnchor, TimeUnit};

/// The lexer's position in the grammar, which determines the vocabulary.
#[derive(Clone, Copy, PartialEq)]
enum LexerState {
    /// Between conditions: fields.
    Condition,
    /// After a field: operators, then one value or a list.
    Value,
    /// Between brackets: values.
    List,
}

pub struct Lexer<'t> {
    text: &'t str,
    /// Byte offset of the unread rest.
    position: usize,
    state: LexerState,
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Self {
        Lexer {
            text,
            position: 0,
            state: LexerState::Condition,
        }
    }

    /// Returns the next token; at the end of the text, [`TokenKind::End`].
    ///
    /// # Errors
    ///
    /// `UnclosedText`, `UnescapedQuote`, `EmptyText` and `FieldAsValue`. Unexpected characters are
    /// tokens as well ([`TokenKind::Stray`]), since only the parser knows which tokens it expects.
    pub fn next(&mut self) -> Result<Token<'t>, SyntaxError> {
        self.position = self.text.len() - self.rest().trim_start().len();
        let start = self.position;
        let kind = match self.rest().chars().next() {
            None => TokenKind::End,
            Some(first) => match punctuation(first) {
                Some(kind) => self.consume(1, kind),
                None if self.state == LexerState::Condition => self.field(first),
                None => self.operator_or_value(first)?,
            },
        };
        self.state = state_after(self.state, kind);
        let end = match kind {
            // The colon is consumed with the field, but errors about a field point to its name
            // only.
            TokenKind::Field(name) => start + name.len(),
            _ => self.position,
        };
        Ok(Token {
            kind,
            span: Span { start, end },
        })
    }

    /// Returns the byte offset after the last token.
    pub fn position(&self) -> usize {
        self.position
    }

    fn rest(&self) -> &'t str {
        &self.text[self.position..]
    }

    fn consume(&mut self, bytes: usize, kind: TokenKind<'t>) -> TokenKind<'t> {
        self.position += bytes;
        kind
    }

    fn field(&mut self, first: char) -> TokenKind<'t> {
        if !first.is_ascii_alphabetic() && first != '_' {
            return self.consume(first.len_utf8(), TokenKind::Stray);
        }
        let (name, rest) = split_where(self.rest(), |c| !is_field_character(c));
        if rest.starts_with(':') {
            self.consume(name.len() + 1, TokenKind::Field(name))
        } else {
            self.consume(name.len(), TokenKind::FieldWithoutColon)
        }
    }

    fn operator_or_value(&mut self, first: char) -> Result<TokenKind<'t>, SyntaxError> {
        let second = self.rest()[first.len_utf8()..].chars().next();
        Ok(match (first, second) {
            ('-', _) => self.consume(1, TokenKind::Not),
            ('>', Some('=')) => self.consume(2, TokenKind::Order(Comparison::GreaterOrEqual)),
            ('>', _) => self.consume(1, TokenKind::Order(Comparison::Greater)),
            ('<', Some('=')) => self.consume(2, TokenKind::Order(Comparison::LessOrEqual)),
            ('<', _) => self.consume(1, TokenKind::Order(Comparison::Less)),
            ('~', Some('^')) => self.consume(2, TokenKind::Match(TextAnchor::Start)),
            ('~', Some('$')) => self.consume(2, TokenKind::Match(TextAnchor::End)),
            ('~', _) => self.consume(1, TokenKind::Match(TextAnchor::Anywhere)),
            ('\'', _) => return self.quoted_text(),
            ('"' | '=', _) => self.consume(1, TokenKind::Stray),
            _ => return self.bare_value(),
        })
    }

    fn quoted_text(&mut self) -> Result<TokenKind<'t>, SyntaxError> {
        let inside = &self.rest()[1..];
        let length = closing_quote(inside).map_err(|kind| self.error(kind, inside.len() + 1))?;
        if length == 0 {
            return Err(self.error(SyntaxErrorKind::EmptyText, 2));
        }
        Ok(self.consume(length + 2, TokenKind::Text(&inside[..length])))
    }

    fn error(&self, kind: SyntaxErrorKind, bytes: usize) -> SyntaxError {
        let span = Span {
            start: self.position,
            end: self.position + bytes,
        };
        SyntaxError::new(kind, span, self.text)
    }

    fn bare_value(&mut self) -> Result<TokenKind<'t>, SyntaxError> {
        if let Some((date, length)) = relative_date(self.rest()) {
            return Ok(self.consume(length, TokenKind::RelativeDate(date)));
        }
        if let Some(name) = leading_field(self.rest()) {
            return Err(self.error(SyntaxErrorKind::FieldAsValue, name.len() + 1));
        }
        let (word, _) = split_where(self.rest(), |c| !is_word_character(c));
        let kind = match word {
            "null" | "Null" | "NULL" => TokenKind::Null,
            "true" | "True" | "TRUE" => TokenKind::Boolean(true),
            "false" | "False" | "FALSE" => TokenKind::Boolean(false),
            _ => whole_number(word).map_or(TokenKind::Word(word), TokenKind::Integer),
        };
        Ok(self.consume(word.len(), kind))
    }
}

/// Returns the field at the start of `text`: a name directly before a colon. Ghost parses it as a
/// field even if a value is expected (Ghost 6.65, observed).
fn leading_field(text: &str) -> Option<&str> {
    let (name, rest) = split_where(text, |c| !is_field_character(c));
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    (is_name && rest.starts_with(':')).then_some(name)
}

fn punctuation(character: char) -> Option<TokenKind<'static>> {
    Some(match character {
        '+' => TokenKind::And,
        ',' => TokenKind::Or,
        '(' => TokenKind::OpenGroup,
        ')' => TokenKind::CloseGroup,
        '[' => TokenKind::OpenList,
        ']' => TokenKind::CloseList,
        _ => return None,
    })
}

fn state_after(state: LexerState, kind: TokenKind<'_>) -> LexerState {
    match (state, kind) {
        (LexerState::Condition, TokenKind::Field(_)) => LexerState::Value,
        (LexerState::Value, TokenKind::Not | TokenKind::Order(_) | TokenKind::Match(_)) => {
            LexerState::Value
        }
        (LexerState::Value, TokenKind::OpenList) => LexerState::List,
        (LexerState::List, TokenKind::CloseList) => LexerState::Condition,
        (LexerState::List, _) => LexerState::List,
        _ => LexerState::Condition,
    }
}

fn is_field_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '.')
}

/// Returns whether a bare word may contain `character`. A word cannot begin with `-`, which is
/// [`TokenKind::Not`] in that position.
fn is_word_character(character: char) -> bool {
    let is_operator = "'\"+,()><=[]~".contains(character);
    !is_operator && !character.is_whitespace()
}

fn split_where(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

/// Returns the offset of the first unescaped single quote. If there is none, returns the offset of
/// the last escaped one, so that a text may end in a backslash (Ghost 6.65, observed).
fn closing_quote(inside: &str) -> Result<usize, SyntaxErrorKind> {
    let mut after_backslash = false;
    let mut last_escaped = Err(SyntaxErrorKind::UnclosedText);
    for (offset, byte) in inside.bytes().enumerate() {
        match (byte, after_backslash) {
            (b'\'', false) => return Ok(offset),
            (b'\'', true) => last_escaped = Ok(offset),
            // An unescaped double quote ends the search. If an escaped single quote came before, it
            // is taken as the end of the text, as at the end of the filter.
            (b'"', false) => return last_escaped.map_err(|_| SyntaxErrorKind::UnescapedQuote),
            _ => {}
        }
        after_backslash = byte == b'\\';
    }
    last_escaped
}

/// Parses digits as a number if the number is printed with the same digits, so that `slug:007`
/// keeps its zeros.
fn whole_number(word: &str) -> Option<i64> {
    let is_digits = word.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = word.len() > 1 && word.starts_with('0');
    if !is_digits || has_leading_zero {
        return None;
    }
    word.parse().ok()
}

/// Parses `now-30d` or `now+2h`, and returns the date with its length in bytes. Only punctuation or
/// the end may follow.
///
/// Followed by anything else, or with an amount that exceeds a `u32`, the text is an ordinary word,
/// as in Ghost 6.65.
fn relative_date(text: &str) -> Option<(RelativeDate, usize)> {
    let distance = text.strip_prefix("now")?;
    let direction = match distance.bytes().next()? {
        b'-' => Direction::Past,
        b'+' => Direction::Future,
        _ => return None,
    };
    let (digits, rest) = split_where(&distance[1..], |c| !c.is_ascii_digit());
    // Digits that are missing or exceed a `u32` fail here, and the text becomes a word.
    let amount = digits.parse().ok()?;
    let unit = rest.chars().next().and_then(TimeUnit::from_symbol)?;
    // Blanks may surround operators. If a value follows after a blank, Ghost parses the text as a
    // word.
    let following = rest[1..].trim_start().chars().next();
    if following.is_some_and(|c| punctuation(c).is_none()) {
        return None;
    }
    let date = RelativeDate {
        direction,
        amount,
        unit,
    };
    Some((date, text.len() - rest.len() + 1))
}

/// Removes the backslashes before quotes. Any other backslash is literal.
pub fn unescape(raw: &str) -> String {
    raw.replace("\\'", "'").replace("\\\"", "\"")
}
