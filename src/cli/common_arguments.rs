//! The arguments that all commands share.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use clap::Args;
use tracing::Level;
use tracing_subscriber::filter::LevelFilter;

use crate::{
    cli::{
        log::{Log, LogLevels},
        terminal,
    },
    config::{self, Config, ConfigError},
};

/// The options of every subcommand.
#[derive(Args, Clone, Default)]
pub(super) struct CommonArguments {
    /// The data folder, with the store and uploads [default: galley-data]
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    /// A database of PostgreSQL that has the site, instead of a file in the data folder. A URL with
    /// a password is better given by GALLEY_STORE_URL: other users see the flags of a process
    #[arg(long = "store", global = true, value_name = "URL")]
    pub(super) store_url: Option<String>,
    /// The configuration file [default: galley.toml, if there is one]
    #[arg(long, global = true, value_name = "FILE", env = "GALLEY_CONFIG")]
    pub(super) config: Option<PathBuf>,
    /// The format of the log [default: text]
    #[arg(long, global = true, value_name = "FORMAT", value_parser = ["text", "json"])]
    pub(super) log_format: Option<String>,
    /// Increase verbosity (`-vv` for trace)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(super) verbose: u8,
    /// Print only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
}

impl CommonArguments {
    /// Returns the configuration with these flags and those of the subcommand.
    pub(super) fn configuration(
        &self,
        mut flags: BTreeMap<&'static str, String>,
    ) -> Result<Config, ConfigError> {
        if let Some(data) = &self.data {
            flags.insert("data", data.to_string_lossy().into_owned());
        }
        if let Some(url) = &self.store_url {
            flags.insert("store.url", url.clone());
        }
        if let Some(format) = &self.log_format {
            flags.insert("log_format", format.clone());
        }
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        for warning in config::unknown_variables(names) {
            terminal::complain(Level::WARN, format_args!("warning: {warning}"));
        }
        Config::read(&flags, self.config.as_deref())
    }

    /// Returns the same arguments with the name of the configuration file that is read, if there is one. A later
    /// reading then fails if the file is missing.
    pub(super) fn with_its_file(&self) -> Self {
        let default = || {
            Path::new(config::FILE)
                .exists()
                .then(|| PathBuf::from(config::FILE))
        };
        Self {
            config: self.config.clone().or_else(default),
            ..self.clone()
        }
    }

    /// Starts the log on standard error, at the level `usual` unless a flag sets another level.
    pub(super) fn start_log(&self, config: &Config, usual: LevelFilter) -> Log {
        Log::start(self.log_levels(config, usual), config.log_json)
    }

    /// Returns the levels of the log: set by the flags, else `usual`.
    pub(super) fn log_levels(&self, config: &Config, usual: LevelFilter) -> LogLevels {
        let level = match (self.quiet, self.verbose) {
            (true, _) => LevelFilter::ERROR,
            (_, 0) => usual,
            (_, 1) => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        };
        LogLevels {
            level,
            access: config.log_access,
        }
    }
}

/// Logs a warning about each option that has no effect.
pub(super) fn warn_of_ineffective(config: &Config) {
    for option in &config.ineffective {
        tracing::warn!("{option}");
    }
}
