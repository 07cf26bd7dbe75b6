//! The errors for invalid redirects.

use crate::domain::redirect::limits::{ALL_BYTES_MAX, TEXT_BYTES_MAX};

/// The reason why redirects are rejected.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedirectError {
    /// An expression is invalid.
    #[error("{0}")]
    Expression(String),
    /// A source or a target is empty or too long.
    #[error("a URL must have 1 to {TEXT_BYTES_MAX} bytes")]
    Length,
    /// The target is a URL that runs code.
    #[error("the target is a URL that runs code or embeds a document")]
    Active,
    /// The compiled expressions are too large in total.
    #[error("the compiled expressions need more than {} MB in total", ALL_BYTES_MAX >> 20)]
    TooMuch,
}
