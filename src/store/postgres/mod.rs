//! A store in PostgreSQL, which several processes share.
//!
//! The database has the last version of each record, and decides the order of commits: who commits
//! locks one row, so a commit's number is one more than that of the last one. Each process reads
//! from a replica, a redb file in its data folder. It brings the replica up to the database whenever
//! it takes a snapshot or is notified of a commit, in work proportional to the changes. So a
//! snapshot is one of redb: it holds nothing open in the database, needs no old versions there, and
//! stays readable while the database is away. The replica is a cache: a crash may set it back to an
//! earlier commit, from which it continues, and if it does not match the database, it is filled
//! again.
//!
//! A commit whose response is lost is searched for by its token, on a new connection that waits until
//! the old one's transaction has ended.

mod changes;
mod commit;
mod commit_token;
mod connection;
mod counts;
mod engine;
mod fetching;
mod filling;
mod forgetting;
mod held_connection;
mod identity;
mod listener;
mod locks;
mod nodes;
mod notifications;
mod postgres_store;
mod replica;
mod schema;
mod statement_limits;
mod store_size;
mod under_way;

pub use self::postgres_store::PostgresStore;

pub use self::connection::{PostgresUrl, PostgresUrlError};
pub use self::filling::{CopySource, FillError, fill};

use self::connection::Database;
use super::{Reached, StoreError};

/// Connects to the database at `url`, and changes nothing there.
///
/// # Errors
///
/// `Unavailable` or `Refused` if the database cannot be reached or refuses, `Newer` if a newer program made the store,
/// `Incomplete` if another one is still being copied into it.
pub fn reach(url: &PostgresUrl) -> Result<Reached, StoreError> {
    const IS_READ_ONLY: &str = "SELECT current_setting('transaction_read_only') = 'on'";
    let database = Database::new(url)?;
    let found = schema::is_current(&database)?;
    if found == Some(true) {
        let refuse = |connection: &mut _| under_way::refuse_incomplete(connection, &database.name);
        database.with_connection(refuse)?;
    }
    let is_read_only = database.with_connection(|connection| {
        let row = connection.run(connection.client.query_one(IS_READ_ONLY, &[]))?;
        Ok(row.try_get(0)?)
    })?;
    Ok(Reached {
        has_store: found.is_some(),
        is_read_only,
    })
}
