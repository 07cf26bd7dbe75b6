//! Limits on the files of a theme.

/// Maximum size of the package, in bytes.
pub(super) const PACKAGE_BYTES_MAX: u64 = 256 << 10;

/// Maximum size of a template, in bytes.
pub(super) const TEMPLATE_BYTES_MAX: u64 = 1 << 20;

/// Maximum total size of all templates, and of all translations, in bytes.
pub(super) const TEXTS_BYTES_MAX: u64 = 8 << 20;

/// Maximum size of an asset whose content is hashed, in bytes.
pub(super) const ASSET_BYTES_MAX: u64 = 16 << 20;

/// Maximum number of files of a theme.
pub(super) const FILES_MAX: usize = 10_000;

/// Maximum nesting depth of folders of a theme.
pub(super) const DEPTH_MAX: usize = 20;

/// Maximum total size of the files of a theme, in bytes.
pub(super) const BYTES_MAX: u64 = 256 << 20;
