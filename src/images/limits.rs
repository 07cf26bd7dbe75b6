//! Limits of images.

/// Maximum size of a file that is read as an image, in bytes.
pub const FILE_BYTES_MAX: u64 = 64 << 20;
