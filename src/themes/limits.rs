//! Limits of the files of a theme.

/// Largest package that is read, in bytes.
pub(super) const PACKAGE_BYTES_MAX: u64 = 256 << 10;

/// Largest template that is read, in bytes.
pub(super) const TEMPLATE_BYTES_MAX: u64 = 1 << 20;

/// Most bytes of all templates that are read, and of all translations.
pub(super) const TEXTS_BYTES_MAX: u64 = 8 << 20;

/// Largest asset whose content is summed, in bytes.
pub(super) const ASSET_BYTES_MAX: u64 = 16 << 20;

/// Most files of a theme.
pub(super) const FILES_MAX: usize = 10_000;

/// Most nested folders of a theme.
pub(super) const DEPTH_MAX: usize = 20;

/// Most bytes of all files of a theme.
pub(super) const BYTES_MAX: u64 = 256 << 20;
