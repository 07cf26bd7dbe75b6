//! NQL, the language of `filter=`: parses text into a tree.
//!
//! A pipeline: `lexer` splits the text into `token`s, `parser` builds the `tree`, `print` writes a
//! tree as text again. The grammar is Ghost 6.65's as recorded, with parentheses that always group; `groups` is for the pages
//! that need Ghost's own.
//!
//! Invariants: no field is known or looked up, no value is compared, the time is not read
//! (`now-30d` stays as written), and no input causes a panic or takes more than linear time.
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
