//! `galley reload`, and the reload of a running server.

use std::{
    collections::BTreeMap,
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

use clap::Args;

use super::{
    CommandFailure, CommonArguments, command,
    log::{Log, LogLevels},
    ready_owner,
    terminal::Output,
};
use crate::{
    config::{Config, ConfigError, ConfigValues},
    control::{Command, ReloadReport, Reply},
    progress::NoProgress,
};

/// The options that change while the site is served.
const APPLIED: [&str; 2] = ["log.access", "log.level"];

/// The arguments of `reload`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley reload\n  galley reload --config /etc/galley/galley.toml\n\nThe exit code is 1 if the configuration is invalid; the server then keeps its options. SIGHUP does the same."
)]
pub struct ReloadArguments {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Has the running server read its configuration again, and prints the options that changed.
pub fn run(
    common: &CommonArguments,
    arguments: &ReloadArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    if ready_owner(&config.data)?.is_none() {
        return Err(CommandFailure::Command(
            "the site is not being served, so there is nothing to reload".to_owned(),
        ));
    }
    let Reply::Reloaded(report) = command(&config, &Command::Reload, &NoProgress)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = Output::standard();
    if arguments.json {
        out.json(&report)?;
    } else {
        writeln!(out, "{report}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the configuration of a running server again.
pub struct Reloading {
    /// The flags of the server.
    pub common: CommonArguments,
    pub flags: BTreeMap<&'static str, String>,
    pub log: Log,
    /// The values that the server runs with.
    pub current: Mutex<ConfigValues>,
}

impl Reloading {
    /// Applies the changed options, and names those that need a restart. An invalid configuration changes nothing.
    ///
    /// # Errors
    ///
    /// All errors of the configuration.
    pub fn reload(&self) -> Result<ReloadReport, ConfigError> {
        let config = self.common.configuration(self.flags.clone())?;
        self.log.set(self.levels(&config));
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = current.differences(&config.values);
        let (applied, needs_restart): (Vec<_>, Vec<_>) = changed
            .into_iter()
            .partition(|key| APPLIED.contains(&key.as_str()));
        for key in &applied {
            current.adopt(key, &config.values);
        }
        Ok(ReloadReport {
            applied,
            needs_restart,
        })
    }

    fn levels(&self, config: &Config) -> LogLevels {
        self.common.log_levels(config, config.log_level)
    }
}
