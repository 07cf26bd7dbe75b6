//! `galley reload`, and the reload of a running server.

use std::{
    collections::BTreeMap,
    process::ExitCode,
    sync::{Mutex, OnceLock, PoisonError, Weak},
};

use clap::Args;

use super::{
    log::{Log, LogLevels},
    terminal::Output,
};
use crate::{
    app::{self, AppError, LiveParts},
    bucket::BucketError,
    cli::{
        command_failure::CommandFailure,
        common_arguments::{CommonArguments, warn_of_ineffective},
        site_commands::{command, ready_owner},
    },
    config::{Config, ConfigError, ConfigValues, OPTIONS},
    control::{Command, ReloadReport, Reply},
    progress::NoProgress,
    server::OpenFilesError,
};

/// The prefix of options that can be applied before the site is served: those of the log.
const OF_LOG: &str = "log.";

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
    /// The parts of the site that apply changed options, once the site is served. A weak reference, because this value
    /// lives until the process ends and a store is complete on disk only after it is dropped.
    pub live: OnceLock<Weak<LiveParts>>,
}

/// The configuration cannot be reloaded.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// The configuration is invalid, and nothing is changed.
    #[error("the configuration is not reloaded, and nothing is changed: {0}")]
    Invalid(#[from] ConfigError),
    /// The key of a bucket is missing, and nothing is changed.
    #[error("the configuration is not reloaded, and nothing is changed: {0}")]
    Bucket(#[from] BucketError),
    /// There are too few open files for its connections, and nothing is changed.
    #[error("the configuration is not reloaded, and nothing is changed: {0}")]
    Files(#[from] OpenFilesError),
    /// The site cannot use the configuration, and nothing is changed.
    #[error("the configuration is not reloaded, and nothing is changed: {0}")]
    Refused(#[source] AppError),
    /// The configuration is valid, but a part of the site does not start with it.
    #[error("the configuration is reloaded, but a part of the site was not started with it: {0}")]
    Parts(#[from] AppError),
}

impl Reloading {
    /// Applies the changed options, names those that need a restart, and logs both. An invalid configuration changes nothing.
    ///
    /// # Errors
    ///
    /// If the configuration is invalid, or a part of the site cannot be restarted.
    pub fn reload(&self) -> Result<ReloadReport, ReloadError> {
        let outcome = self.apply();
        match &outcome {
            Ok(report) => tracing::info!("{report}"),
            Err(error) => tracing::error!("{error}"),
        }
        outcome
    }

    fn apply(&self) -> Result<ReloadReport, ReloadError> {
        // Held from before the configuration is read until its values are adopted, so that a signal and a command do not
        // reload at the same time, and the newest configuration is applied last.
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let mut config = self.common.configuration(self.flags.clone())?;
        config.check_bucket_keys()?;
        app::check_start(&config).map_err(ReloadError::Refused)?;
        config.open_files.rearrange(&mut config.limits)?;
        let live = self.live.get().and_then(Weak::upgrade);
        if let Some(live) = &live {
            // The last check before the first change: a refused configuration changes nothing.
            live.admit(&config).map_err(ReloadError::Refused)?;
        }
        self.log.set(self.levels(&config));
        warn_of_ineffective(&config);
        let changed = current.differences(&config.values);
        let (applied, needs_restart): (Vec<_>, Vec<_>) = changed.into_iter().partition(|key| {
            let option = OPTIONS.iter().find(|option| option.key == *key);
            let is_live = option.is_some_and(|option| option.is_live);
            is_live
                && match &live {
                    Some(live) => live.is_live(key, &config),
                    None => key.starts_with(OF_LOG),
                }
        });
        // Reconfigured before the values are adopted, so that a reload after a failure tries again.
        if let Some(live) = &live {
            live.reconfigure(&config, &applied)?;
        }
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
