//! `galley theme`

use std::{
    collections::BTreeMap,
    io,
    path::{self, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    terminal::Output,
    theme_check::{self, ThemeCheckArguments},
};
use crate::{
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments, site_commands::command,
    },
    control::{Command, Reply, ThemeCommand, ThemeReport},
    progress::NoProgress,
};

/// The arguments of `theme`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley theme add my-theme.zip\n  galley theme activate my-theme\n  galley theme list\n  galley theme check ~/themes/my-theme\n  galley theme delete my-theme"
)]
pub struct ThemeArguments {
    #[command(subcommand)]
    action: ThemeAction,
}

#[derive(Subcommand)]
enum ThemeAction {
    /// Add a theme, replacing one of the same name
    #[command(
        after_help = "Examples:\n  galley theme add my-theme.zip\n  galley theme add ~/themes/my-theme\n\nThe theme is named after the file or the folder."
    )]
    Add {
        /// An archive (zip), or a folder
        path: PathBuf,
    },
    /// Activate a theme: the pages of the site are rendered with it
    #[command(after_help = "Example:\n  galley theme activate my-theme")]
    Activate {
        /// Its name
        name: String,
    },
    /// List the themes
    #[command(after_help = "Examples:\n  galley theme list\n  galley theme list --json")]
    List {
        /// Print a JSON list of objects
        #[arg(long)]
        json: bool,
    },
    /// Check a theme: as an upload is, and by rendering each template with a sample site
    Check(ThemeCheckArguments),
    /// Delete a theme that is not active
    #[command(after_help = "Example:\n  galley theme delete my-theme")]
    Delete {
        /// Its name
        name: String,
    },
}

/// Runs the subcommand.
pub fn run(
    common: &CommonArguments,
    arguments: &ThemeArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let mut out = Output::standard();
    let (theme_command, as_json) = match &arguments.action {
        ThemeAction::Check(check) => return theme_check::run(check, common.quiet),
        ThemeAction::Add { path } => {
            let path = path::absolute(path)?;
            (ThemeCommand::Add { path }, false)
        }
        ThemeAction::Activate { name } => (ThemeCommand::Activate { name: name.clone() }, false),
        ThemeAction::List { json } => (ThemeCommand::List, *json),
        ThemeAction::Delete { name } => (ThemeCommand::Delete { name: name.clone() }, false),
    };
    match command(&config, &Command::Theme(theme_command), &NoProgress)? {
        Reply::Theme(theme) => {
            print(&mut out, &theme)?;
            for remark in &theme.remarks {
                writeln!(out, "  {remark}")?;
            }
        }
        Reply::Themes(themes) if as_json => out.json_line(&json!(themes))?,
        Reply::Themes(themes) => {
            for theme in &themes {
                print(&mut out, theme)?;
            }
        }
        Reply::ThemeDeleted(name) => writeln!(out, "Deleted {name}.")?,
        _ => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut Output, theme: &ThemeReport) -> io::Result<()> {
    let version = theme.version.as_deref().unwrap_or("no version");
    let active = if theme.active { ", active" } else { "" };
    writeln!(out, "{} ({version}{active})", theme.name)
}
