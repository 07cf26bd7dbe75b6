//! The identity of the store at a URL, which is recorded in the replica.

use std::fmt;

use serde::{Deserialize, Serialize};
use tokio_postgres::{Config, config::Host};

/// The default port of PostgreSQL.
const PORT: u16 = 5432;

/// The parts of a URL that distinguish its store from others. The user and the password are not among them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoreIdentity {
    /// Each host with its port; for a local socket, its folder instead of the host.
    hosts: Vec<String>,
    database: String,
    /// The options of the session, which may set the schema.
    options: String,
}

impl StoreIdentity {
    pub(super) fn of(config: &Config) -> Self {
        let hosts = config.get_hosts().iter().enumerate().map(|(index, host)| {
            let port = config.get_ports().get(index).or(config.get_ports().first());
            // As in libpq, a single port applies to all hosts. The default is written out, so that
            // both spellings are equal.
            let port = port.copied().unwrap_or(PORT);
            match host {
                Host::Tcp(host) => format!("{}:{port}", host.to_ascii_lowercase()),
                Host::Unix(path) => format!("{}:{port}", path.display()),
            }
        });
        let database = config.get_dbname().or(config.get_user());
        Self {
            hosts: hosts.collect(),
            database: database.unwrap_or_default().to_owned(),
            options: config.get_options().unwrap_or_default().to_owned(),
        }
    }

    /// Returns whether both identify the same store: the same database on a host that both contain. After a failover, a
    /// URL may contain further hosts.
    pub(super) fn is_of_same_store(&self, other: &Self) -> bool {
        self.database == other.database
            && self.options == other.options
            && self.hosts.iter().any(|host| other.hosts.contains(host))
    }
}

/// Writes the identity as a URL without user and password.
impl fmt::Display for StoreIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts = self.hosts.join(",");
        write!(formatter, "postgres://{hosts}/{}", self.database)?;
        match self.options.as_str() {
            "" => Ok(()),
            options => write!(formatter, "?options={options}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StoreIdentity;

    fn identity(url: &str) -> StoreIdentity {
        StoreIdentity::of(&url.parse().unwrap())
    }

    fn is_same(one: &str, other: &str) -> bool {
        identity(one).is_of_same_store(&identity(other))
    }

    #[test]
    fn store_is_its_database_on_a_host_with_a_port_and_a_schema() {
        let url = "postgres://ada:secret@a.test/galley";

        assert!(is_same(url, "postgres://bob@A.test:5432/galley"));
        assert!(is_same(url, "postgres://ada@b.test,a.test/galley"));
        assert!(!is_same(url, "postgres://ada:secret@a.test/other"));
        assert!(!is_same(url, "postgres://ada:secret@a.test:5433/galley"));
        assert!(!is_same(url, "postgres://ada:secret@b.test/galley"));
        assert!(!is_same(url, &format!("{url}?options=-csearch_path%3Dx")));
        assert!(!identity(url).to_string().contains("secret"));
    }
}
