//! Limits of filters.

/// Longest accepted filter, in bytes. The longest recorded filter has 5,006 bytes.
pub const LENGTH_BYTES_MAX: usize = 8 * 1024;

/// Deepest accepted nesting of parentheses. Bounds the parser's recursion.
pub const NESTING_MAX: usize = 32;

/// Maximum number of values in a filter, including items of lists. Every condition has at least one
/// value, so the limit also applies to conditions. Recorded filters have up to 300 values.
pub const VALUES_MAX: usize = 512;
