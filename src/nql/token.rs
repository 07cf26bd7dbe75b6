//! The words of the language. Tokens borrow from the text and are free to copy.

use super::tree::{Comparison, RelativeDate, Span, TextPlace};

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Token<'t> {
    pub kind: TokenKind<'t>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenKind<'t> {
    /// A field's name; its colon follows directly and is consumed with it.
    Field(&'t str),
    /// What would be a field if a colon followed directly.
    FieldWithoutColon,
    /// `-`
    Not,
    /// `>`, `>=`, `<`, `<=`
    Order(Comparison),
    /// `~`, `~^`, `~$`
    Match(TextPlace),
    Null,
    Boolean(bool),
    Integer(i64),
    RelativeDate(RelativeDate),
    Word(&'t str),
    /// What stands between single quotes, escapes and all.
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
    /// A character that begins nothing here.
    Stray,
    /// Nothing is left.
    End,
}
