//! Checks for values that are valid alone but prevent a start of the server in combination. Commands that do not serve
//! the site work with them.

use std::{
    net::SocketAddr,
    path::{Component, Path, PathBuf, absolute},
};

use super::{error::ConfigError, values::Values};
use crate::content_files::WriteBack;

/// The values that must be consistent.
pub(super) struct Start<'a> {
    pub write_back: WriteBack,
    pub has_git: bool,
    pub content: Option<&'a Path>,
    pub data: &'a Path,
    /// The listen address for https. The other addresses must differ from it.
    pub tls_listen: Option<SocketAddr>,
    pub listen: SocketAddr,
    pub metrics_listen: Option<SocketAddr>,
    pub has_unshared_uploads: bool,
}

/// Returns the errors of all inconsistent values.
pub(super) fn errors(values: &Values, config: &Start<'_>) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    if let Some(expected) = edits_expected(config) {
        errors.push(values.invalid("source.write_back", expected));
    }
    if let Some(listen) = config.tls_listen {
        let others = [Some(config.listen), config.metrics_listen];
        if others
            .into_iter()
            .flatten()
            .any(|other| is_same(listen, other))
        {
            let expected = "an address other than listen and metrics.listen";
            errors.push(values.invalid("tls.listen", expected));
        }
    }
    if config.has_unshared_uploads {
        let expected = "a folder that all processes share, or set uploads.bucket to a bucket";
        errors.push(values.missing("store.url", "uploads.folder", expected));
    }
    if let Some(expected) = backups_expected(values, config) {
        errors.push(values.invalid("backup.to", expected));
    }
    errors
}

/// Returns a description of valid destinations of edits if the configured one is not possible.
fn edits_expected(config: &Start<'_>) -> Option<&'static str> {
    let (has_git, has_folder) = (config.has_git, config.content.is_some());
    match config.write_back {
        WriteBack::Folder if has_git || !has_folder => {
            Some("possible without a content folder; edits of a repository are written by \"push\"")
        }
        WriteBack::Commit if has_git => Some(
            "possible with source.git.url, since Galley manages the clone: \"push\" pushes its commits; \"commit\" is for a content folder in your own git work tree",
        ),
        WriteBack::Commit if !has_folder => {
            Some("possible without a content folder in a git work tree: set content")
        }
        WriteBack::Push if !has_git => Some(
            "possible without a repository: set source.git.url; \"commit\" commits the edits of a content folder in a git work tree",
        ),
        _ => None,
    }
}

/// Returns a description of valid destinations of backups if the configured one is not possible.
fn backups_expected(values: &Values, config: &Start<'_>) -> Option<&'static str> {
    let to = values.given("backup.to").filter(|to| !to.is_empty())?;
    let is_in = |folder: &Path| plain(Path::new(to)).starts_with(plain(folder));
    if to.starts_with("s3://") {
        None
    } else if is_in(config.data) {
        Some("outside of the data folder, with which the backups would be lost")
    } else if config.content.is_some_and(is_in) {
        Some("outside of the content folder, whose files are served")
    } else {
        None
    }
}

/// Returns an absolute path without `.` and `..`. Symbolic links are not resolved, since the folder may not exist yet.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in absolute(path)
        .unwrap_or_else(|_| path.to_owned())
        .components()
    {
        if component == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    plain
}

/// Returns whether the addresses conflict, so that two sockets cannot listen on them at the same time.
fn is_same(one: SocketAddr, other: SocketAddr) -> bool {
    let (one_ip, other_ip) = (one.ip(), other.ip());
    let overlaps = one_ip == other_ip || one_ip.is_unspecified() || other_ip.is_unspecified();
    // For port 0 the system chooses a free port, so two of them do not conflict.
    one.port() != 0 && one.port() == other.port() && overlaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_the_same_with_one_port_and_overlapping_hosts() {
        let is_same =
            |one: &str, other: &str| super::is_same(one.parse().unwrap(), other.parse().unwrap());
        assert!(is_same("127.0.0.1:443", "127.0.0.1:443"));
        assert!(is_same("[::]:443", "127.0.0.1:443"));
        assert!(!is_same("127.0.0.1:443", "127.0.0.2:443"));
        assert!(!is_same("127.0.0.1:443", "127.0.0.1:80"));
        assert!(!is_same("127.0.0.1:0", "127.0.0.1:0"));
    }

    #[test]
    fn paths_are_compared_without_dots() {
        assert!(
            plain(Path::new("/srv/data/../data/b")).starts_with(plain(Path::new("/srv/data/.")))
        );
        assert!(!plain(Path::new("/srv/data/../backups")).starts_with("/srv/data"));
        assert!(!plain(Path::new("/srv/database")).starts_with("/srv/data"));
    }
}
