//! The tables in PostgreSQL, and how they are made.
//!
//! - `galley_store`, one row: the format, and the number of the last commit. Each commit locks
//!   it, so that numbers are in the order of commits.
//! - `galley_records`: the records. A deleted one has no value: others learn from it that it was
//!   deleted.
//! - `galley_commits`: the latest commits, each with a random token.
//! - `galley_nodes`: the processes that share the store.
//!
//! They are in the first schema of the `search_path` of the database's user, or of the URL's
//! parameter `options`.

use super::super::{FORMAT_VERSION, StoreError};
use super::connection::{Connection, Database, RequestError};

/// The number of the advisory lock under which tables are made and changed.
const MIGRATION_LOCK: i64 = 0x6761_6c6c_6579;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS galley_store (
        id integer PRIMARY KEY CHECK (id = 1),
        format bigint NOT NULL,
        revision bigint NOT NULL
    );
    CREATE TABLE IF NOT EXISTS galley_commits (
        revision bigint PRIMARY KEY,
        token bigint NOT NULL,
        committed_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE IF NOT EXISTS galley_records (
        table_name text NOT NULL,
        key bytea NOT NULL,
        revision bigint NOT NULL,
        value bytea,
        PRIMARY KEY (table_name, key)
    );
    CREATE TABLE IF NOT EXISTS galley_nodes (
        id bigint PRIMARY KEY,
        name text NOT NULL,
        version text NOT NULL,
        lease_seconds double precision NOT NULL,
        revision bigint NOT NULL DEFAULT 0,
        joined_at timestamptz NOT NULL DEFAULT now(),
        seen_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL
    );
    CREATE INDEX IF NOT EXISTS galley_records_revision ON galley_records (revision);
    CREATE INDEX IF NOT EXISTS galley_records_deleted ON galley_records (revision)
        WHERE value IS NULL;
";

/// Makes the tables unless they are there, and checks that this program can read them.
///
/// # Errors
///
/// `Newer` if a newer program made them, `Unavailable` if the database refuses.
pub(super) fn prepare(database: &Database, first_token: u64) -> Result<(), StoreError> {
    let found = database.with_connection(|connection| {
        if let Some(format) = format(connection)? {
            return Ok(format);
        }
        create(connection, first_token)?;
        Ok(FORMAT_VERSION)
    })?;
    if found == FORMAT_VERSION {
        Ok(())
    } else {
        Err(StoreError::Newer {
            store: database.name.clone(),
            found,
        })
    }
}

/// Returns the format of the store, or `None` if there is none yet.
fn format(connection: &mut Connection) -> Result<Option<u64>, RequestError> {
    let exists = connection.run(
        connection
            .client
            .query_one("SELECT to_regclass('galley_store') IS NOT NULL", &[]),
    )?;
    if !exists.try_get::<_, bool>(0)? {
        return Ok(None);
    }
    let rows = connection.run(
        connection
            .client
            .query("SELECT format FROM galley_store", &[]),
    )?;
    let format = rows
        .first()
        .map(|row| row.try_get::<_, i64>(0))
        .transpose()?;
    Ok(format.map(|format| u64::try_from(format).unwrap_or(u64::MAX)))
}

fn create(connection: &mut Connection, first_token: u64) -> Result<(), RequestError> {
    let statements = format!(
        "BEGIN; SELECT pg_advisory_xact_lock({MIGRATION_LOCK}); {TABLES}
         INSERT INTO galley_store (id, format, revision) VALUES (1, {FORMAT_VERSION}, 0)
             ON CONFLICT DO NOTHING;
         INSERT INTO galley_commits (revision, token)
             SELECT 0, {} WHERE NOT EXISTS (SELECT 1 FROM galley_commits);
         COMMIT",
        first_token.cast_signed()
    );
    connection.run(connection.client.batch_execute(&statements))
}
