//! The tokens of the language. They borrow from the text and are cheap to copy.

use super::tree::{Comparison, RelativeDate, Span, TextAnchor};

/// A token and its position.
#[derive(Clone, Copy, Debug)]
pub struct Token<'t> {
    pub kind: TokenKind<'t>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenKind<'t> {
    /// A field's name; its colon follows directly and is consumed with it.
    Field(&'t str),
    /// A name that would be a field if a colon followed directly.
    FieldWithoutColon,
    /// `-`
    Not,
    /// `>`, `>=`, `<`, `<=`
    Order(Comparison),
    /// `~`, `~^`, `~$`
    Match(TextAnchor),
    Null,
    Boolean(bool),
    Integer(i64),
    RelativeDate(RelativeDate),
    Word(&'t str),
    /// The text between single quotes, with its escapes.
    Text(&'t str),
    /// `+`
    And,
    /// `,`
    Or,
    /// `(`
    OpenGroup,
    /// `)`
    CloseGroup,
    /// `[`
    OpenList,
    /// `]`
    CloseList,
    /// A character that cannot begin a token at this position.
    Stray,
    /// The end of the filter.
    End,
}
