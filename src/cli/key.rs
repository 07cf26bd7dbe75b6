//! `galley key`

use std::{collections::BTreeMap, io, process::ExitCode};

use clap::{Args, Subcommand, builder::PossibleValuesParser};
use serde_json::json;

use super::terminal::Output;
use crate::{
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments, site_commands::command,
    },
    control::{Command, IntegrationKeys, Reply},
    domain::integration::IntegrationScope,
    progress::NoProgress,
};

/// The arguments of `key`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley key create --name \"My site\"\n  galley key create --name CI --json\n  galley key create --name \"A dashboard\" --scope read\n  galley key list\n  galley key revoke \"My site\""
)]
pub struct KeyArguments {
    #[command(subcommand)]
    action: KeyAction,
}

#[derive(Subcommand)]
enum KeyAction {
    /// Create an integration with a Content API key and an Admin API key
    #[command(
        after_help = "Examples:\n  galley key create --name \"My site\"\n  galley key create --name CI --json\n  galley key create --name \"A dashboard\" --scope read"
    )]
    Create {
        /// Its name
        #[arg(long)]
        name: String,
        /// The scope of the Admin API key [default: security.integration_scope]
        #[arg(long, value_parser = PossibleValuesParser::new(IntegrationScope::NAMES))]
        scope: Option<String>,
        /// Print {"content_key": …, "admin_key": "id:secret"}
        #[arg(long)]
        json: bool,
    },
    /// List the integrations with their keys
    #[command(
        after_help = "Examples:\n  galley key list\n  galley key list --json | jq -r '.[0].content_key'"
    )]
    List {
        /// Print a JSON list of objects
        #[arg(long)]
        json: bool,
    },
    /// Delete an integration; its keys stop working
    #[command(after_help = "Example:\n  galley key revoke \"My site\"")]
    Revoke {
        /// Its name or identifier
        name: String,
    },
}

/// Runs the subcommand.
pub fn run(common: &CommonArguments, arguments: &KeyArguments) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let mut out = Output::standard();
    match &arguments.action {
        KeyAction::Create { name, scope, json } => {
            let add = Command::AddKey {
                name: name.clone(),
                scope: scope.as_deref().and_then(IntegrationScope::named),
            };
            let reply = command(&config, &add, &NoProgress)?;
            if let Reply::Key(key) = reply {
                if *json {
                    out.json_line(
                        &json!({"content_key": key.content_key, "admin_key": key.admin_key}),
                    )?
                } else {
                    print(&mut out, &key)?
                }
            }
        }
        KeyAction::List { json } => {
            if let Reply::Keys(keys) = command(&config, &Command::ListKeys, &NoProgress)? {
                if *json {
                    out.json_line(&json!(keys))?
                } else {
                    keys.iter().try_for_each(|key| print(&mut out, key))?
                }
            }
        }
        KeyAction::Revoke { name } => {
            if let Reply::Key(key) = command(
                &config,
                &Command::RevokeKey { name: name.clone() },
                &NoProgress,
            )? {
                writeln!(
                    out,
                    "Revoked {} ({}). Its keys no longer work.",
                    key.name, key.id
                )?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut Output, key: &IntegrationKeys) -> io::Result<()> {
    writeln!(out, "{}", key.name)?;
    writeln!(out, "  Content API key  {}", key.content_key)?;
    writeln!(out, "  Admin API key    {}", key.admin_key)?;
    match key.scope {
        Some(scope) => writeln!(out, "  Scope            {}", scope.name()),
        None => Ok(()),
    }
}
