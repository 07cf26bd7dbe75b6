//! The failure of a command: its message and exit status.

use std::path::PathBuf;

use tracing::Level;

use crate::{
    app::AppError, backup::BackupError, bucket::BucketError, cli::terminal, config::ConfigError,
    control::ClientError, data_folder::DataFolderError, npm_packages::InstallError,
    releases::ReleaseError, server::OpenFilesError,
};

/// The failure of a command, with a message for the user.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandFailure {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    App(#[from] AppError),
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Bucket(#[from] BucketError),
    #[error(transparent)]
    Packages(#[from] InstallError),
    #[error(transparent)]
    Release(#[from] ReleaseError),
    #[error(transparent)]
    OpenFiles(#[from] OpenFilesError),
    #[error("there is no data folder {}. `galley serve` creates one; choose another with --data", .0.display())]
    NoDataFolder(PathBuf),
    #[error("{0}")]
    Command(String),
    #[error("cannot write to standard output: {0}")]
    Output(#[from] std::io::Error),
}

impl CommandFailure {
    /// Prints the message.
    pub(super) fn print(&self) {
        match self {
            // These messages span several lines: they show a line of the configuration file, or list several
            // errors.
            failure @ (Self::Config(ConfigError::Malformed { .. } | ConfigError::Several(_))
            | Self::Backup(BackupError::Damaged(_))) => {
                terminal::complain_in_lines(Level::ERROR, format_args!("galley: {failure}"));
            }
            failure => terminal::complain(Level::ERROR, format_args!("galley: {failure}")),
        }
    }
}
