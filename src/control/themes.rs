//! Commands about themes, for `galley theme`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{ControlContext, Reply};
use crate::{
    admin::themes::{self, CheckedTheme},
    domain::actor::Actor,
    error::Result,
    themes::{Finding, IncomingTheme, Themes},
};

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

/// A theme as the operator sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ThemeReport {
    /// Its name.
    pub name: String,
    /// The version in its package.
    pub version: Option<String>,
    /// True if it is active.
    pub active: bool,
    /// Remarks about it, a line each.
    pub remarks: Vec<String>,
}

/// Executes a command about themes.
///
/// # Errors
///
/// The errors of the operation, and if the theme to add cannot be read.
pub(super) fn carry_out(subject: &ControlContext, command: &ThemeCommand) -> Result<Reply> {
    let site = &subject.site;
    let themes = Themes::of(&subject.uploads);
    let actor = Actor::Operator;
    Ok(match command {
        ThemeCommand::Add { path } => {
            let (incoming, name) = IncomingTheme::at(&themes, path)?;
            themes::check_name(&name)?;
            let added = themes::add(site, &actor, &themes, &name, &incoming)?;
            Reply::Theme(ThemeReport::of(&added))
        }
        ThemeCommand::Activate { name } => {
            let activated = themes::activate(site, &actor, &themes, name)?;
            Reply::Theme(ThemeReport::of(&activated))
        }
        ThemeCommand::List => {
            let active = themes.active(&site.current().catalog.settings);
            let all = themes.all()?.into_iter().map(|theme| {
                let is_active = theme.name == active.name;
                let report = theme.report();
                ThemeReport::of(&CheckedTheme {
                    theme,
                    report,
                    is_active,
                })
            });
            Reply::Themes(all.collect())
        }
        ThemeCommand::Delete { name } => {
            themes::delete(site, &actor, &themes, name)?;
            Reply::ThemeDeleted(name.clone())
        }
    })
}

impl ThemeReport {
    fn of(examined: &CheckedTheme) -> Self {
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

fn remark(finding: &Finding) -> String {
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
