//! Validates a theme. Separate from the theme, because validation uses that.

use crate::themes::{report::Report, theme::Theme, validation::validate};

impl Theme {
    /// Returns the result of validating it.
    pub fn report(&self) -> Report {
        validate(self)
    }
}
