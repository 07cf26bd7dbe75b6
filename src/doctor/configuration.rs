//! Checks the configuration.

use std::io;

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::{
    app::{self, AppError},
    config::{ConfigError, FILE, IneffectiveOption},
};

/// Checks for missing keys and inconsistent values. Each value is valid alone, since the configuration was read before.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    if let Err(error) = examined.config.check_bucket_keys() {
        return vec![UnnamedFinding::warning(
            error.to_string(),
            "The site is not served without them. If they are in the environment of the service, run this with the same variables.",
        )];
    }
    match app::check_start(&examined.config) {
        Err(AppError::Config(error)) => return errors(&error),
        Err(error) => {
            let advice = "The server cannot start before that; a running server continues with its previous options.";
            return vec![UnnamedFinding::error(error.to_string(), advice)];
        }
        Ok(()) => {}
    }
    let ineffective = &examined.config.ineffective;
    if !ineffective.is_empty() {
        let advice = "If the other option is in the environment of the service, run this with the same variables.";
        let warning =
            |option: &IneffectiveOption| UnnamedFinding::warning(option.to_string(), advice);
        return ineffective.iter().map(warning).collect();
    }
    let message = if examined.config.has_file {
        "valid".to_owned()
    } else {
        format!("valid; there is no {FILE} in this folder")
    };
    vec![UnnamedFinding::ok(message)]
}

/// Returns the errors of an invalid configuration, each with its file, line and column.
pub(super) fn errors(error: &ConfigError) -> Vec<UnnamedFinding> {
    let each = error.each().iter().map(|error| {
        let advice = match error {
            ConfigError::Unreadable { source, .. }
                if source.kind() == io::ErrorKind::PermissionDenied =>
            {
                "Run this as the user that Galley runs as, or as root; or give this user the right to read the file, and to enter its folder."
            }
            ConfigError::Unreadable { .. } => {
                "Check that the file is there, and the disk; --config names another one."
            }
            _ => "Correct it: docs/configuration.md lists all options with their values.",
        };
        UnnamedFinding::error(error.to_string(), advice)
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::errors;
    use crate::config::ConfigError;

    #[test]
    fn file_that_this_user_may_not_read_is_not_to_be_corrected() {
        let error = ConfigError::Unreadable {
            path: "/etc/galley/galley.toml".into(),
            source: io::ErrorKind::PermissionDenied.into(),
        };

        let advice = errors(&error).remove(0).advice.unwrap();

        assert!(advice.contains("as the user"), "{advice}");
        assert!(!advice.contains("Correct"), "{advice}");
    }
}
