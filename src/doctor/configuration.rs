//! The configuration.

use std::path::Path;

use super::{finding::Outcome, subject::Subject};
use crate::config::{ConfigError, FILE};

/// It was read before, so it is valid.
pub(super) fn check(_subject: &Subject) -> Vec<Outcome> {
    let message = if Path::new(FILE).exists() {
        "valid".to_owned()
    } else {
        format!("valid; there is no {FILE} in this folder")
    };
    vec![Outcome::ok(message)]
}

/// Returns the errors of an invalid configuration, each with its file, line and column.
pub(super) fn errors(error: &ConfigError) -> Vec<Outcome> {
    let each = error.each().iter().map(|error| {
        Outcome::error(
            error.to_string(),
            "Correct it: docs/configuration.md lists all options with their values.",
        )
    });
    each.collect()
}
