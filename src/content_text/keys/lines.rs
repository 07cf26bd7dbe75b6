//! The permitted line breaks in edited values.

/// The line breaks that values may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Any line breaks.
    Many,
    /// None: each value is on one line.
    One,
}
