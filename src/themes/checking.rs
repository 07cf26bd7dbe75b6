//! Validation of a theme, in a separate file, as the rules depend on the theme in turn.

use crate::themes::{report::Report, theme::Theme, validation::validate};

impl Theme {
    /// Validates the theme.
    pub fn report(&self) -> Report {
        validate(self)
    }
}
