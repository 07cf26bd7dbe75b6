//! The definition of a configuration option.

use std::ops::RangeInclusive;

use super::forms::Form;

/// The type of a value.
#[derive(Clone, Copy, Debug)]
pub enum OptionType {
    /// A folder or a file.
    Path,
    /// Any text.
    Text,
    /// A text of this form.
    Form(Form),
    /// A text that is never printed: it may contain a password.
    Secret,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Yes or no.
    Switch,
    /// Texts: a list in the file, separated by commas elsewhere.
    List,
    /// A whole number between these bounds, inclusive.
    Number(u64, u64),
}

/// An option.
pub struct ConfigOption {
    /// Its name in `galley.toml`; a dot separates a table from its key.
    pub key: &'static str,
    /// The type of its value.
    pub kind: OptionType,
    /// The default, in words or as text.
    pub default: &'static str,
    /// Its description.
    pub about: &'static str,
    /// True if `galley reload` applies a changed value while the site is served; false if a change requires a
    /// restart.
    pub is_live: bool,
}

impl ConfigOption {
    /// Returns the environment variable that sets it: `server.body_kb` is `GALLEY_SERVER_BODY_KB`.
    pub fn variable(&self) -> String {
        format!("GALLEY_{}", self.key.replace('.', "_").to_uppercase())
    }
}

/// Returns an option.
pub(super) const fn option(
    key: &'static str,
    kind: OptionType,
    default: &'static str,
    about: &'static str,
) -> ConfigOption {
    ConfigOption {
        key,
        kind,
        default,
        about,
        is_live: false,
    }
}

/// Returns an option whose value is a whole number.
pub(super) const fn number(
    key: &'static str,
    range: RangeInclusive<u64>,
    default: &'static str,
    about: &'static str,
) -> ConfigOption {
    option(
        key,
        OptionType::Number(*range.start(), *range.end()),
        default,
        about,
    )
}

/// Returns an option that can be reloaded.
pub(super) const fn live_option(
    key: &'static str,
    kind: OptionType,
    default: &'static str,
    about: &'static str,
) -> ConfigOption {
    ConfigOption {
        is_live: true,
        ..option(key, kind, default, about)
    }
}

/// Returns an option that can be reloaded, whose value is a whole number.
pub(super) const fn live_number(
    key: &'static str,
    range: RangeInclusive<u64>,
    default: &'static str,
    about: &'static str,
) -> ConfigOption {
    live_option(
        key,
        OptionType::Number(*range.start(), *range.end()),
        default,
        about,
    )
}
