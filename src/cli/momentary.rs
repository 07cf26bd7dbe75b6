//! A site that is served for as long as one command takes, and forgotten then.

use std::{fs::Permissions, io, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use tempfile::TempDir;

use super::Failure;
use crate::{
    app::{App, Keeping, Manner},
    config::Config,
    sources::Progress,
};

/// Any free port of this machine: several may run at once.
const ANY_PORT: ([u8; 4], u16) = ([127, 0, 0, 1], 0);

/// A folder for everything of such a site that is not in memory. It is removed when it is dropped.
///
/// # Errors
///
/// What the system says.
pub fn folder(prefix: &str) -> io::Result<TempDir> {
    const OWNER_ONLY: u32 = 0o700;
    tempfile::Builder::new()
        .prefix(prefix)
        .permissions(Permissions::from_mode(OWNER_ONLY))
        .tempdir()
}

/// Serves what the content files say; what else there is of the site lies in `folder`.
///
/// # Errors
///
/// Those of [`App::start`].
pub fn serve(
    mut config: Config,
    folder: &Path,
    is_its_own_address: bool,
    progress: &dyn Progress,
) -> Result<App, Failure> {
    config.data = folder.to_owned();
    config.listen = ANY_PORT.into();
    // Nobody is to get mail from a site that lives for a moment.
    config.mail.server = None;
    config.metrics_listen = None;
    // When the command has ended, nobody waits for an answer.
    config.limits.stop_timeout = Duration::ZERO;
    let manner = Manner {
        keeping: Keeping::InMemory,
        is_its_own_address,
    };
    Ok(App::start_with(config, manner, progress)?)
}
