//! The lines of a text that keys are edited in.

/// The line breaks that values may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// As many as they have.
    Many,
    /// Each is in one line.
    One,
}
