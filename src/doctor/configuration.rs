//! The configuration.

use std::path::Path;

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::config::{ConfigError, FILE};

/// It was read before, so it is valid, except for keys that a command does not need.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    if let Err(error) = examined.config.check_bucket_keys() {
        return vec![UnnamedFinding::warning(
            error.to_string(),
            "The site is not served without them. If they are in the environment of the service, run this with the same variables.",
        )];
    }
    let message = if Path::new(FILE).exists() {
        "valid".to_owned()
    } else {
        format!("valid; there is no {FILE} in this folder")
    };
    vec![UnnamedFinding::ok(message)]
}

/// Returns the errors of an invalid configuration, each with its file, line and column.
pub(super) fn errors(error: &ConfigError) -> Vec<UnnamedFinding> {
    let each = error.each().iter().map(|error| {
        UnnamedFinding::error(
            error.to_string(),
            "Correct it: docs/configuration.md lists all options with their values.",
        )
    });
    each.collect()
}
