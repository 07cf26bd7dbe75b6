//! The options of an export in Ghost's format.

/// Options of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options<'a> {
    /// True to include password hashes, with which users can sign in after an import. For operators
    /// only.
    pub with_passwords: bool,
    /// Further tables to include: `members`, `labels`, `members_labels`, `members_newsletters`,
    /// `members_products` and `integrations`. Keys, sessions and other secrets are never included.
    pub include: &'a [String],
}
