//! `galley key`

use std::{io::Write, process::ExitCode};

use clap::{Args, Subcommand};
use serde_json::json;

use super::{Common, Failure, command};
use crate::{
    control::{Command, Key, Reply},
    import::Silent,
};

/// What `key` takes.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley key create --name \"My site\"\n  galley key create --name CI --json\n  galley key list\n  galley key revoke \"My site\""
)]
pub struct KeyArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make an integration with a Content API key and an Admin API key
    #[command(
        after_help = "Examples:\n  galley key create --name \"My site\"\n  galley key create --name CI --json"
    )]
    Create {
        /// What to call it
        #[arg(long)]
        name: String,
        /// Print {"content_key": …, "admin_key": "id:secret"}
        #[arg(long)]
        json: bool,
    },
    /// List the integrations with their keys
    #[command(
        after_help = "Examples:\n  galley key list\n  galley key list --json | jq -r '.[0].content_key'"
    )]
    List {
        /// Print a list of objects
        #[arg(long)]
        json: bool,
    },
    /// Delete an integration; its keys open nothing any more
    #[command(after_help = "Example:\n  galley key revoke \"My site\"")]
    Revoke {
        /// Its name or identifier
        name: String,
    },
}

/// Carries out the subcommand.
pub fn run(common: &Common, arguments: &KeyArguments) -> Result<ExitCode, Failure> {
    let config = common.configuration(std::collections::BTreeMap::new())?;
    let mut out = std::io::stdout().lock();
    match &arguments.action {
        Action::Create { name, json } => {
            let reply = command(&config, &Command::AddKey { name: name.clone() }, &Silent)?;
            if let Reply::Key(key) = reply {
                match json {
                    true => writeln!(
                        out,
                        "{}",
                        json!({"content_key": key.content_key, "admin_key": key.admin_key})
                    )?,
                    false => print(&mut out, &key)?,
                }
            }
        }
        Action::List { json } => {
            if let Reply::Keys(keys) = command(&config, &Command::ListKeys, &Silent)? {
                match json {
                    true => writeln!(out, "{}", json!(keys))?,
                    false => keys.iter().try_for_each(|key| print(&mut out, key))?,
                }
            }
        }
        Action::Revoke { name } => {
            if let Reply::Key(key) =
                command(&config, &Command::RevokeKey { name: name.clone() }, &Silent)?
            {
                writeln!(
                    out,
                    "Revoked {} ({}). Its keys open nothing any more.",
                    key.name, key.id
                )?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut impl Write, key: &Key) -> std::io::Result<()> {
    writeln!(
        out,
        "{}\n  Content API key  {}\n  Admin API key    {}",
        key.name, key.content_key, key.admin_key
    )
}
