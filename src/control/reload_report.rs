//! The result of reading the configuration again.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The result of reading the configuration again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReloadReport {
    /// The changed options that apply now.
    pub applied: Vec<String>,
    /// The changed options that take effect after a restart.
    pub needs_restart: Vec<String>,
}

impl fmt::Display for ReloadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.applied.is_empty() && self.needs_restart.is_empty() {
            return f.write_str("The configuration has no changes.");
        }
        let mut space = "";
        if !self.applied.is_empty() {
            write!(f, "Applied: {}.", self.applied.join(", "))?;
            space = " ";
        }
        if !self.needs_restart.is_empty() {
            let options = self.needs_restart.join(", ");
            write!(f, "{space}Unchanged until a restart: {options}.")?;
        }
        Ok(())
    }
}
