//! The counts that processes share: a table without revisions.
//!
//! A count is changed only if it still has the state that was read. So no process holds a lock while
//! it decides, and a process that stops in between does not block others.

use std::time::Duration;

use super::super::{CountChange, SharedCount, SharedCounts, StoreError};
use super::PostgresStore;
use super::connection::{Connection, RequestError};

const READ: &str = "SELECT state FROM galley_limits
     WHERE name = $1 AND key = $2 AND expires_at > now()";

/// Replaces an expired count.
const ADD: &str =
    "INSERT INTO galley_limits AS existing (name, key, state, waits_until, expires_at)
     VALUES ($1, $2, $3, now() + make_interval(secs => $4), now() + make_interval(secs => $5))
     ON CONFLICT (name, key) DO UPDATE SET state = excluded.state,
         waits_until = excluded.waits_until, expires_at = excluded.expires_at
     WHERE existing.expires_at <= now()";

const REPLACE: &str = "UPDATE galley_limits SET state = $3,
     waits_until = now() + make_interval(secs => $4), expires_at = now() + make_interval(secs => $5)
     WHERE name = $1 AND key = $2 AND state = $6 AND expires_at > now()";

const REMOVE: &str = "DELETE FROM galley_limits WHERE name = $1 AND key = $2 AND state = $3";

const WAITING: &str = "SELECT key, state FROM galley_limits
     WHERE name = $1 AND waits_until > now() AND expires_at > now()";

/// Number of attempts to change a count before the database is considered unavailable. Of concurrent
/// attempts, one succeeds each time.
const TRIES_MAX: u32 = 200;

impl SharedCounts for PostgresStore {
    fn update(
        &self,
        name: &str,
        key: &str,
        change: &mut dyn FnMut(Option<&[u8]>) -> CountChange,
    ) -> Result<(), StoreError> {
        for _ in 0..TRIES_MAX {
            let state = self
                .database
                .with_connection(|connection| read(connection, name, key))?;
            // Decided without a connection: this closure runs while no lock and no transaction is
            // open.
            let change = change(state.as_deref());
            let is_done = self.database.with_connection(|connection| {
                make(connection, name, key, state.as_deref(), &change)
            })?;
            if is_done {
                return Ok(());
            }
        }
        Err(self.database.explain(RequestError::Contended))
    }

    fn waiting(&self, name: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.database.with_connection(|connection| {
            let waiting = connection.prepared(WAITING)?;
            let rows = connection.run(connection.client.query(&waiting, &[&name]))?;
            let count = |row: &tokio_postgres::Row| Ok((row.try_get(0)?, row.try_get(1)?));
            rows.iter().map(count).collect()
        })
    }
}

fn read(
    connection: &mut Connection,
    name: &str,
    key: &str,
) -> Result<Option<Vec<u8>>, RequestError> {
    let read = connection.prepared(READ)?;
    let row = connection.run(connection.client.query_opt(&read, &[&name, &key]))?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

/// Changes a count whose state was `before`. Returns `false` if the state has changed meanwhile.
fn make(
    connection: &mut Connection,
    name: &str,
    key: &str,
    before: Option<&[u8]>,
    change: &CountChange,
) -> Result<bool, RequestError> {
    let changed = match (change, before) {
        (CountChange::Keep, _) | (CountChange::Remove, None) => return Ok(true),
        (CountChange::Remove, Some(before)) => {
            let remove = connection.prepared(REMOVE)?;
            connection.run(connection.client.execute(&remove, &[&name, &key, &before]))?
        }
        (CountChange::Put(count), before) => put(connection, name, key, before, count)?,
    };
    // No row matches if another process has changed, deleted or added the count since it was read.
    Ok(changed == 1)
}

fn put(
    connection: &mut Connection,
    name: &str,
    key: &str,
    before: Option<&[u8]>,
    count: &SharedCount,
) -> Result<u64, RequestError> {
    let SharedCount { state, .. } = count;
    let [wait, lifetime] = [count.wait, count.lifetime].map(|time: Duration| time.as_secs_f64());
    match before {
        None => {
            let add = connection.prepared(ADD)?;
            connection.run(
                connection
                    .client
                    .execute(&add, &[&name, &key, state, &wait, &lifetime]),
            )
        }
        Some(before) => {
            let replace = connection.prepared(REPLACE)?;
            connection.run(
                connection
                    .client
                    .execute(&replace, &[&name, &key, state, &wait, &lifetime, &before]),
            )
        }
    }
}
