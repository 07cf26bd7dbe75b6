//! Commands about themes, and themes in replies.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{admin::themes::CheckedTheme, themes::Finding};

/// A command about themes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThemeCommand {
    /// Add a theme.
    Add {
        /// The absolute path of its archive or folder.
        path: PathBuf,
    },
    /// Activate a theme.
    Activate {
        /// Its name.
        name: String,
    },
    /// List all themes.
    List,
    /// Delete a theme.
    Delete {
        /// Its name.
        name: String,
    },
}

/// A theme, as shown to the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ThemeReport {
    /// Its name.
    pub name: String,
    /// The version in its package.
    pub version: Option<String>,
    /// True if it is active.
    pub active: bool,
    /// Remarks about it, one per line.
    pub remarks: Vec<String>,
}

impl ThemeReport {
    pub(super) fn of(examined: &CheckedTheme) -> Self {
        let package = examined.theme.package().unwrap_or_default();
        let version = package.get("version").and_then(|version| version.as_str());
        let report = &examined.report;
        Self {
            name: examined.theme.name.clone(),
            version: version.map(str::to_owned),
            active: examined.is_active,
            remarks: report
                .errors
                .iter()
                .chain(&report.warnings)
                .map(remark)
                .collect(),
        }
    }
}

pub(super) fn remark(finding: &Finding) -> String {
    let messages = finding.failures.iter().filter_map(|failure| {
        let message = failure.message.as_ref()?;
        Some(format!(" {}: {message}", failure.file))
    });
    format!(
        "{} ({}).{}",
        finding.rule,
        finding.code,
        messages.collect::<String>()
    )
}
