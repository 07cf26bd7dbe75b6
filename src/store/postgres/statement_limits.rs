//! Limits for statements.

/// Maximum number of records in a statement.
pub(super) const ROWS_MAX: usize = 1000;

/// Maximum size of the values in a statement, in bytes. A single longer value is allowed.
pub(super) const VALUES_BYTES_MAX: usize = 1 << 20;
