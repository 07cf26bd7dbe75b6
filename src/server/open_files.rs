//! The limit of open files, which include sockets, and the number of connections that it allows.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::api::sendfile_copy::COPIES_MAX;

use super::limits::Limits;

/// Number of files that the program needs in addition to connections and workers: for the store, the lock, the
/// log, watched folders, event loops, commands, mail servers, webhook receivers, git and long cached
/// responses, and a reserve.
const FILES_OF_PROGRAM: u64 = 128 + COPIES_MAX as u64;

/// Number of files that one event loop needs.
const FILES_PER_EVENT_LOOP: u64 = 4;

/// Minimum number of connections with which the server starts.
const CONNECTIONS_MIN: u64 = 16;

/// The configured limit of open files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenFiles {
    /// The limit set by the operator; `None` for the maximum that the system allows.
    pub requested: Option<u64>,
    /// True if the operator set the number of connections.
    pub connections_are_named: bool,
}

/// The process cannot open as many files as needed.
#[derive(Debug, thiserror::Error)]
pub enum OpenFilesError {
    /// The system does not allow the limit set by the operator.
    #[error(
        "--open-files {requested}: the system allows this process {allowed} open files at most. {RAISE}"
    )]
    NotAllowed {
        /// The limit set by the operator.
        requested: u64,
        /// The maximum that the system allows.
        allowed: u64,
    },
    /// There are not enough files for the connections.
    #[error(
        "{connections} connections (server.connections) need {needed} open files, and this process may have {allowed}. {RAISE} Or \
         set server.connections to {fitting} at most"
    )]
    TooFew {
        /// The number of connections.
        connections: usize,
        /// The number of files needed for these connections and everything else.
        needed: u64,
        /// The number of allowed files.
        allowed: u64,
        /// The number of connections that are possible.
        fitting: u64,
    },
    /// There are not even enough files to start.
    #[error(
        "this process may have {allowed} open files, and needs {needed} to serve any client. {RAISE}"
    )]
    FarTooFew {
        /// The number of allowed files.
        allowed: u64,
        /// The number of needed files.
        needed: u64,
    },
}

/// Advice on raising the limit.
const RAISE: &str = "Raise the limit: LimitNOFILE= in the systemd unit, `ulimit -Hn NUMBER` as root, \
                     --ulimit nofile=NUMBER for a container.";

impl OpenFiles {
    /// Raises the limit of open files, and compares it with the number that a server with these limits needs.
    /// If the operator set neither the number of files nor the number of connections, and there are too few
    /// files, lowers `limits` to the possible number of connections and returns the original number.
    ///
    /// # Errors
    ///
    /// If the limit is too low for the operator's setting, or to start at all.
    pub fn arrange(self, limits: &mut Limits) -> Result<Option<usize>, OpenFilesError> {
        let allowed = match self.requested {
            Some(requested) => raise_to(requested)
                .map_err(|allowed| OpenFilesError::NotAllowed { requested, allowed })?,
            None => raise_open_files_max().unwrap_or_else(|_| current()),
        };
        self.fit(allowed, limits)
    }

    /// Checks new `limits` of a running server in the same way, without raising the limit of open files.
    ///
    /// # Errors
    ///
    /// If the open files are too few for the connections.
    pub fn rearrange(self, limits: &mut Limits) -> Result<Option<usize>, OpenFilesError> {
        self.fit(current(), limits)
    }

    fn fit(self, allowed: u64, limits: &mut Limits) -> Result<Option<usize>, OpenFilesError> {
        let event_loops = FILES_PER_EVENT_LOOP * limits.threads as u64;
        let without_connections = FILES_OF_PROGRAM + limits.workers as u64 + event_loops;
        let connections = limits.connections_max;
        let needed = without_connections + connections as u64;
        if allowed >= needed {
            return Ok(None);
        }
        let fitting = allowed.saturating_sub(without_connections);
        // An operator may configure fewer connections than the minimum.
        let least = without_connections + CONNECTIONS_MIN.min(connections as u64);
        if allowed < least {
            return Err(OpenFilesError::FarTooFew {
                allowed,
                needed: least,
            });
        }
        // A setting of the operator is never lowered silently.
        if self.requested.is_some() || self.connections_are_named {
            return Err(OpenFilesError::TooFew {
                connections,
                needed,
                allowed,
                fitting,
            });
        }
        limits.connections_max = usize::try_from(fitting).unwrap_or(usize::MAX);
        // Half of all, as by default, so that there is room for other requests.
        let half = (limits.connections_max / 2).max(1);
        limits.connections_per_peer_max = limits.connections_per_peer_max.min(half);
        limits.waiting_max = limits.waiting_max.min(half);
        Ok(Some(connections))
    }
}

/// Raises the number of files that this process may open to its hard limit, and returns that number.
///
/// Systems start programs with 1,024, which is fewer than the connections of a server.
///
/// # Errors
///
/// If the system refuses.
pub fn raise_open_files_max() -> io::Result<u64> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let limit = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, limit)?;
    Ok(maximum.unwrap_or(u64::MAX))
}

/// Sets the number of files that this process may open. If the system refuses, returns the maximum that it
/// allows.
fn raise_to(requested: u64) -> Result<u64, u64> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let limit = Rlimit {
        current: Some(requested),
        // Only an administrator can raise the hard limit.
        maximum: maximum.map(|maximum| maximum.max(requested)),
    };
    match setrlimit(Resource::Nofile, limit) {
        Ok(()) => Ok(requested),
        Err(_) => Err(maximum.unwrap_or(u64::MAX)),
    }
}

fn current() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits {
            threads: 2,
            workers: 32,
            ..Limits::default()
        }
    }

    #[test]
    fn sufficient_limit_changes_nothing() {
        let mut fitted = limits();
        let lowered = OpenFiles::default().fit(4096 + 160 + 32 + 8, &mut fitted);
        assert_eq!(lowered.unwrap(), None);
        assert_eq!(fitted, limits());
    }

    #[test]
    fn default_connections_are_lowered_to_what_fits() {
        let mut fitted = limits();
        let lowered = OpenFiles::default().fit(1024, &mut fitted);
        assert_eq!(lowered.unwrap(), Some(4096));
        assert_eq!(fitted.connections_max, 1024 - 200);
        assert_eq!(fitted.connections_per_peer_max, 412);
        assert_eq!(fitted.waiting_max, 412);
    }

    #[test]
    fn configured_numbers_that_do_not_fit_are_refused() {
        for named in [
            OpenFiles {
                requested: Some(1024),
                connections_are_named: false,
            },
            OpenFiles {
                requested: None,
                connections_are_named: true,
            },
        ] {
            let refused = named.fit(1024, &mut limits()).unwrap_err().to_string();
            assert!(refused.starts_with(
                "4096 connections (server.connections) need 4296 open files, and this process may have 1024."
            ));
            assert!(refused.contains("LimitNOFILE="), "{refused}");
            assert!(refused.ends_with("set server.connections to 824 at most"));
        }
    }

    #[test]
    fn too_few_files_to_start_are_always_refused() {
        let refused = OpenFiles::default().fit(100, &mut limits()).unwrap_err();
        assert!(matches!(
            refused,
            OpenFilesError::FarTooFew {
                allowed: 100,
                needed: 216
            }
        ));
    }
}
