//! A temporary site that is served while one command runs.

use std::{path::Path, time::Duration};

use crate::{
    app::{App, ServeOptions, StoreMode},
    cli::command_failure::CommandFailure,
    config::Config,
    progress::Progress,
};

/// Any free port of this machine, since several sites may run in parallel.
const ANY_PORT: ([u8; 4], u16) = ([127, 0, 0, 1], 0);

/// Serves the site of the content files. All other data of the site is in `folder`.
///
/// # Errors
///
/// The errors of [`App::start`].
pub fn serve(
    mut config: Config,
    folder: &Path,
    uses_listen_url: bool,
    progress: &dyn Progress,
) -> Result<App, CommandFailure> {
    config.data = folder.to_owned();
    config.uploads_folder = None;
    config.uploads_bucket = None;
    config.listen = ANY_PORT.into();
    config.https = None;
    // A temporary site must not send mail.
    config.mail.server = None;
    config.metrics_listen = None;
    // A temporary site is not backed up.
    config.backups = None;
    // After the command has ended, no client waits for a response.
    config.limits.stop_timeout = Duration::ZERO;
    let options = ServeOptions {
        store_mode: StoreMode::InMemory,
        uses_listen_url,
    };
    Ok(App::start_with(config, options, progress)?)
}
