//! Builds the tree from the tokens: recursive descent with one token of lookahead.
//!
//! ```text
//! any_of    = all_of { "," all_of }
//! all_of    = operand { "+" operand }
//! operand   = "(" any_of ")" | condition
//! condition = field ":" ( [ "-" ] match | [ "-" ] list | [ "-" | ">" | ">=" | "<" | "<=" ] value )
//! match     = ( "~" | "~^" | "~$" ) quoted text
//! list      = "[" value { "," value } "]" | "[" value { "+" value } "]", the latter not after "-"
//! ```
//!
//! Only `operand` recurses, at most [`NESTING_MAX`] deep.

use std::mem;

use super::error::{SyntaxError, SyntaxErrorKind};
use super::lexer::{Lexer, unescape};
use super::token::{Token, TokenKind};
use super::tree::{
    Comparison, Condition, Expression, Membership, Predicate, Span, Spanned, TextAnchor, Value,
};
use super::{LENGTH_BYTES_MAX, NESTING_MAX, VALUES_MAX};

/// Returns the tree of a filter.
///
/// The filter is limited by [`LENGTH_BYTES_MAX`], [`NESTING_MAX`] and [`VALUES_MAX`]. It must have
/// at least one condition; callers handle an empty `filter=`, which means "no filter".
///
/// # Errors
///
/// The first [`SyntaxError`], from left to right.
///
/// ```
/// use galley::nql::{Expression, parse};
///
/// // `+` binds more tightly than `,`.
/// let Ok(Expression::Or(alternatives)) = parse("tag:news+featured:true,author:ada") else {
///     panic!("a filter with an alternative");
/// };
/// assert!(matches!(alternatives[0], Expression::And(_)));
/// assert!(matches!(alternatives[1], Expression::Condition(_)));
/// ```
pub fn parse(text: &str) -> Result<Expression, SyntaxError> {
    // Checked before lexing, so that the work for a filter that is too long is constant.
    if text.len() > LENGTH_BYTES_MAX {
        let excess = Span {
            start: text.floor_char_boundary(LENGTH_BYTES_MAX),
            end: text.len(),
        };
        return Err(SyntaxError::new(SyntaxErrorKind::TooLong, excess, text));
    }
    let mut parser = Parser::new(text)?;
    let expression = parser.any_of(0)?;
    parser.expect(TokenKind::End, "`+`, `,` or the end")?;
    Ok(expression)
}

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The next token to be consumed.
    token: Token<'t>,
    /// End of the last consumed token.
    end: usize,
    values: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, SyntaxError> {
        let mut lexer = Lexer::new(text);
        Ok(Parser {
            text,
            token: lexer.next()?,
            lexer,
            end: 0,
            values: 0,
        })
    }

    fn any_of(&mut self, depth: usize) -> Result<Expression, SyntaxError> {
        let mut members = vec![self.all_of(depth)?];
        while self.take(TokenKind::Or)? {
            members.push(self.all_of(depth)?);
        }
        Ok(group(Expression::Or, members))
    }

    fn all_of(&mut self, depth: usize) -> Result<Expression, SyntaxError> {
        let mut members = vec![self.operand(depth)?];
        while self.take(TokenKind::And)? {
            members.push(self.operand(depth)?);
        }
        Ok(group(Expression::And, members))
    }

    fn operand(&mut self, depth: usize) -> Result<Expression, SyntaxError> {
        match self.token.kind {
            TokenKind::Field(name) => self.condition(name).map(Expression::Condition),
            TokenKind::FieldWithoutColon => Err(self.error(SyntaxErrorKind::MissingColon)),
            TokenKind::OpenGroup if depth == NESTING_MAX => {
                Err(self.error(SyntaxErrorKind::TooDeep))
            }
            TokenKind::OpenGroup => {
                self.advance()?;
                let inside = self.any_of(depth + 1)?;
                self.expect(TokenKind::CloseGroup, "`+`, `,` or `)`")?;
                Ok(inside)
            }
            _ => Err(self.unexpected("a field or `(`")),
        }
    }

    fn condition(&mut self, name: &str) -> Result<Spanned<Condition>, SyntaxError> {
        let field = Spanned {
            node: name.to_owned(),
            span: self.token.span,
        };
        self.advance()?;
        let predicate = self.predicate()?;
        let span = Span {
            start: field.span.start,
            end: self.end,
        };
        Ok(Spanned {
            node: Condition { field, predicate },
            span,
        })
    }

    fn predicate(&mut self) -> Result<Predicate, SyntaxError> {
        let negated = self.take(TokenKind::Not)?;
        match self.token.kind {
            TokenKind::Match(anchor) => self.text_match(negated, anchor),
            TokenKind::OpenList => self.list(negated),
            // `->5` is an error: the operator is then in the position of a value.
            TokenKind::Order(operator) if !negated => {
                self.advance()?;
                self.compare(operator)
            }
            _ if negated => self.compare(Comparison::NotEqual),
            _ => self.compare(Comparison::Equal),
        }
    }

    fn compare(&mut self, operator: Comparison) -> Result<Predicate, SyntaxError> {
        let value = self.value()?;
        Ok(Predicate::Compare { operator, value })
    }

    fn text_match(&mut self, negated: bool, anchor: TextAnchor) -> Result<Predicate, SyntaxError> {
        self.advance()?;
        let value = self.value()?;
        let Value::Text(text) = value.node else {
            let kind = SyntaxErrorKind::UnquotedMatch;
            return Err(SyntaxError::new(kind, value.span, self.text));
        };
        Ok(Predicate::Match {
            negated,
            anchor,
            text: Spanned {
                node: text,
                span: value.span,
            },
        })
    }

    fn list(&mut self, negated: bool) -> Result<Predicate, SyntaxError> {
        self.advance()?;
        let mut items = vec![self.value()?];
        // The first separator decides the kind of the list; a list of one item counts as any of.
        let membership = match self.token.kind {
            TokenKind::And if negated => return Err(self.error(SyntaxErrorKind::NegatedAllOf)),
            TokenKind::And => Membership::AllOf,
            _ if negated => Membership::NoneOf,
            _ => Membership::AnyOf,
        };
        while !self.take(TokenKind::CloseList)? {
            self.list_separator(membership)?;
            items.push(self.value()?);
        }
        Ok(Predicate::List { membership, items })
    }

    fn list_separator(&mut self, membership: Membership) -> Result<(), SyntaxError> {
        let is_all_of = membership == Membership::AllOf;
        match self.token.kind {
            TokenKind::And if is_all_of => self.advance(),
            TokenKind::Or if !is_all_of => self.advance(),
            TokenKind::And | TokenKind::Or => Err(self.error(SyntaxErrorKind::MixedList)),
            _ => Err(self.unexpected("a separator or `]`")),
        }
    }

    fn value(&mut self) -> Result<Spanned<Value>, SyntaxError> {
        let node = match self.token.kind {
            TokenKind::Null => Value::Null,
            TokenKind::Boolean(boolean) => Value::Boolean(boolean),
            TokenKind::Integer(integer) => Value::Integer(integer),
            TokenKind::RelativeDate(date) => Value::RelativeDate(date),
            TokenKind::Word(word) => Value::Word(word.to_owned()),
            TokenKind::Text(raw) => Value::Text(unescape(raw)),
            _ => return Err(self.unexpected("a value")),
        };
        if self.values == VALUES_MAX {
            return Err(self.error(SyntaxErrorKind::TooManyValues));
        }
        self.values += 1;
        let span = self.token.span;
        self.advance()?;
        Ok(Spanned { node, span })
    }

    /// Consumes the current token.
    fn advance(&mut self) -> Result<(), SyntaxError> {
        let consumed = mem::replace(&mut self.token, self.lexer.next()?);
        self.end = consumed.span.end;
        Ok(())
    }

    /// Consumes the current token if it is of this kind, and returns whether it was.
    fn take(&mut self, kind: TokenKind<'_>) -> Result<bool, SyntaxError> {
        let is_kind = self.token.kind == kind;
        if is_kind {
            self.advance()?;
        }
        Ok(is_kind)
    }

    fn expect(&mut self, kind: TokenKind<'_>, described: &'static str) -> Result<(), SyntaxError> {
        if self.take(kind)? {
            Ok(())
        } else {
            Err(self.unexpected(described))
        }
    }

    fn unexpected(&self, expected: &'static str) -> SyntaxError {
        let found = self.text[self.token.span.start..].chars().next();
        self.error(SyntaxErrorKind::Unexpected { expected, found })
    }

    fn error(&self, kind: SyntaxErrorKind) -> SyntaxError {
        SyntaxError::new(kind, self.token.span, self.text)
    }
}

/// Returns the group of `members`, or the member itself if there is only one.
fn group(kind: fn(Vec<Expression>) -> Expression, mut members: Vec<Expression>) -> Expression {
    if members.len() == 1 {
        members.remove(0)
    } else {
        kind(members)
    }
}
