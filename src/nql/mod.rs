//! NQL, the language of `filter=`: parses text into a tree.
//!
//! The module is a pipeline: `lexer` splits the text into `token`s, `parser` builds the `tree`, and
//! `print` writes a tree as text. The grammar is that of Ghost 6.65 (recorded), except that
//! parentheses always group; `groups` implements Ghost's interpretation of parentheses for callers
//! that need it.
//!
//! Invariants: fields are not looked up, values are not compared, the clock is not read (`now-30d`
//! is preserved as written), and no input causes a panic or takes more than linear time.
//!
//! ```
//! let filter = galley::nql::parse("tag:essays+(featured:true,published_at:>now-30d)")?;
//! assert_eq!(filter.to_string(), "tag:essays+(featured:true,published_at:>now-30d)");
//!
//! let error = galley::nql::parse("slug:[a,]").unwrap_err();
//! assert_eq!(error.to_string(), "expected a value, found `]` (character 9)");
//! # Ok::<(), galley::nql::SyntaxError>(())
//! ```

mod error;
mod groups;
mod lexer;
mod limits;
mod parser;
mod print;
mod token;
mod tree;

pub use self::limits::{LENGTH_BYTES_MAX, NESTING_MAX, VALUES_MAX};

pub use error::{SyntaxError, SyntaxErrorKind};
pub use groups::{GroupUse, without_doubled_groups};
pub use parser::parse;
pub use tree::{
    Comparison, Condition, Direction, Expression, Membership, Predicate, RelativeDate, Span,
    Spanned, TextAnchor, TimeUnit, Value,
};
