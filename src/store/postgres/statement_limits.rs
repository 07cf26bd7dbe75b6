//! Limits of statements.

/// Most records of a statement.
pub(super) const ROWS_MAX: usize = 1000;

/// Longest values of a statement, in bytes, unless one alone is longer.
pub(super) const VALUES_BYTES_MAX: usize = 1 << 20;
