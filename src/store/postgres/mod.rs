//! A store in PostgreSQL, which several processes share.
//!
//! The database contains the last version of each record and determines the order of commits: each commit locks one
//! row, so its number is one more than that of the last commit. Each process reads from a replica, a redb file in its
//! data folder. The process updates the replica from the database whenever it takes a snapshot or is notified of a
//! commit, with work proportional to the changes. So a snapshot is a redb snapshot: it keeps nothing open in the
//! database, needs no old versions there, and remains readable while the database is unavailable. The replica is a
//! cache. A crash may set it back to an earlier commit, from which it continues. If it does not match the database, it
//! is filled again.
//!
//! A commit whose response is lost is searched for by its token, on a new connection that waits until the transaction
//! of the old one has ended.

mod changes;
mod commit;
mod commit_token;
mod connection;
mod copy_in_progress;
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

pub use self::postgres_store::PostgresStore;

pub use self::connection::{PostgresUrl, PostgresUrlError};
pub use self::filling::{CopySource, FillError, fill};

use self::connection::Database;
use super::{Reached, StoreError};

/// Connects to the database at `url` without changing it.
///
/// # Errors
///
/// `Unavailable` or `Refused` if the database cannot be reached or refuses the connection, `Newer` if a newer program
/// created the store, `Incomplete` if another store is still being copied into the database.
pub fn reach(url: &PostgresUrl) -> Result<Reached, StoreError> {
    const IS_READ_ONLY: &str = "SELECT current_setting('transaction_read_only') = 'on'";
    let database = Database::new(url)?;
    let found = schema::is_current(&database)?;
    if found == Some(true) {
        let refuse =
            |connection: &mut _| copy_in_progress::refuse_incomplete(connection, &database.name);
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
