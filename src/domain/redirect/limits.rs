//! Limits of redirects.

/// Maximum number of redirects of a site.
pub const REDIRECTS_MAX: usize = 10_000;

/// Longest source or target, in bytes.
pub const TEXT_BYTES_MAX: usize = 2000;

/// Longest location of a response, in bytes.
pub(super) const LOCATION_BYTES_MAX: usize = 8 << 10;

/// Largest compiled expression, in bytes.
pub(super) const EXPRESSION_BYTES_MAX: usize = 512 << 10;

/// Largest total of compiled expressions, in bytes.
pub(super) const ALL_BYTES_MAX: usize = 32 << 20;
