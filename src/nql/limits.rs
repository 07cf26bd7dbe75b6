//! Limits of filters.

/// Longest accepted filter, in bytes. The longest recorded one has 5,006.
pub const LENGTH_BYTES_MAX: usize = 8 * 1024;

/// Deepest accepted nesting of parentheses. Bounds the parser's recursion.
pub const NESTING_MAX: usize = 32;

/// Most values in one filter, including those of lists. Every condition has at least one, so this
/// bounds conditions too. The recorded filters go up to 300.
pub const VALUES_MAX: usize = 512;
