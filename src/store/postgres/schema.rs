//! The tables in PostgreSQL, and their creation and migration.
//!
//! - `galley_store`, one row: the formats, and the number of the last commit. Each commit locks this row, so numbers are
//!   in commit order.
//! - `galley_records`: the records. A deleted record has no value, which marks the deletion for replicas.
//! - `galley_commits`: the latest commits, each with a random token.
//! - `galley_nodes`: the processes that share the store.
//! - `galley_limits`: the counts of rate limits, which these processes share.
//! - `galley_copy`, one row while `galley copy` fills the database: the source of the copy, and its progress.
//!
//! The tables are in the first schema of the `search_path`, which is set for the database's user or by the parameter
//! `options` of the URL.

use super::super::{FORMAT_VERSION, StoreError};
use super::connection::{Connection, Database, RequestError};

/// The number of the advisory lock under which tables are created and changed.
const MIGRATION_LOCK: i64 = 0x6761_6c6c_6579;

/// The statements that create and change the tables, in order. A store records how many of them were applied. New
/// statements are appended.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE galley_store (
        id integer PRIMARY KEY CHECK (id = 1),
        -- Of the records' keys and values, as in a redb file.
        format bigint NOT NULL,
        migrations bigint NOT NULL,
        revision bigint NOT NULL
    );
    CREATE TABLE galley_commits (
        revision bigint PRIMARY KEY,
        token bigint NOT NULL,
        committed_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX galley_commits_committed_at ON galley_commits (committed_at);
    CREATE TABLE galley_records (
        table_name text NOT NULL,
        key bytea NOT NULL,
        revision bigint NOT NULL,
        value bytea,
        PRIMARY KEY (table_name, key)
    );
    CREATE INDEX galley_records_revision ON galley_records (revision);
    CREATE INDEX galley_records_deleted ON galley_records (revision) WHERE value IS NULL;
    CREATE TABLE galley_nodes (
        id bigint PRIMARY KEY,
        name text NOT NULL,
        version text NOT NULL,
        lease_seconds double precision NOT NULL,
        revision bigint NOT NULL DEFAULT 0,
        joined_at timestamptz NOT NULL DEFAULT now(),
        seen_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL
    );
",
    "
    CREATE TABLE galley_limits (
        name text NOT NULL,
        key text NOT NULL,
        state bytea NOT NULL,
        waits_until timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (name, key)
    );
    CREATE INDEX galley_limits_waits_until ON galley_limits (waits_until);
    CREATE INDEX galley_limits_expires_at ON galley_limits (expires_at);
",
    "
    -- A writer that waits for the row sees this in it, but not the rows of another table.
    ALTER TABLE galley_store ADD COLUMN is_copying boolean NOT NULL DEFAULT false;
    CREATE TABLE galley_copy (
        id integer PRIMARY KEY CHECK (id = 1),
        -- The source of the copy: for people, and to continue only the same copy.
        source text NOT NULL,
        revision bigint NOT NULL,
        records bigint NOT NULL,
        sha256 bytea NOT NULL,
        -- How many records are here, and the last one.
        copied bigint NOT NULL DEFAULT 0,
        table_name text,
        key bytea
    );
",
];

/// Creates the tables or migrates those of an older program, and checks that this program can read them.
///
/// # Errors
///
/// `Newer` if a newer program created or changed the tables, `Unavailable` if the database refuses.
pub(super) fn prepare(database: &Database, first_token: u64) -> Result<(), StoreError> {
    let current = MIGRATIONS.len() as u64;
    let found = database.with_connection(|connection| match versions(connection)? {
        // Current, or of a newer program, which is refused below instead of migrated.
        Some((format, migrations)) if format != FORMAT_VERSION || migrations >= current => {
            Ok((format, migrations))
        }
        _ => {
            migrate(connection, first_token)?;
            Ok((FORMAT_VERSION, current))
        }
    })?;
    refuse_newer(database, found)
}

/// Returns whether the tables of the store are current (`true`) or those of an older program (`false`); `None` if there is
/// no store yet.
///
/// # Errors
///
/// `Newer` if a newer program created or changed the tables, `Unavailable` if the database refuses.
pub(super) fn is_current(database: &Database) -> Result<Option<bool>, StoreError> {
    let Some(found) = database.with_connection(versions)? else {
        return Ok(None);
    };
    refuse_newer(database, found)?;
    Ok(Some(found.1 == MIGRATIONS.len() as u64))
}

/// Returns an error if this program cannot read tables with these versions of the records and of the migrations.
fn refuse_newer(database: &Database, found: (u64, u64)) -> Result<(), StoreError> {
    let newer = |found| StoreError::Newer {
        store: database.name.clone(),
        found,
    };
    match found {
        (FORMAT_VERSION, migrations) if migrations <= MIGRATIONS.len() as u64 => Ok(()),
        (FORMAT_VERSION, migrations) => Err(newer(migrations)),
        (format, _) => Err(newer(format)),
    }
}

/// Returns the format of the records and the number of migrations, or `None` if there is no store
/// yet.
fn versions(connection: &mut Connection) -> Result<Option<(u64, u64)>, RequestError> {
    let client = &connection.client;
    let exists = "SELECT to_regclass('galley_store') IS NOT NULL";
    let exists = connection.run(client.query_one(exists, &[]))?;
    if !exists.try_get::<_, bool>(0)? {
        return Ok(None);
    }
    let versions = "SELECT format, migrations FROM galley_store";
    let row = connection.run(client.query_one(versions, &[]))?;
    let number = |column| -> Result<u64, RequestError> {
        Ok(row.try_get::<_, i64>(column)?.cast_unsigned())
    };
    Ok(Some((number(0)?, number(1)?)))
}

/// Applies the missing migrations in one transaction. If a migration fails, the connection is closed, which ends the
/// transaction and releases the lock.
fn migrate(connection: &mut Connection, first_token: u64) -> Result<(), RequestError> {
    // Locked before the transaction begins: within a transaction, a session may not see tables that were created
    // meanwhile.
    let lock = format!("SELECT pg_advisory_lock({MIGRATION_LOCK})");
    connection.run(connection.client.batch_execute(&lock))?;
    // Another process may have applied them meanwhile.
    let done = versions(connection)?;
    let missing = MIGRATIONS
        .iter()
        .skip(done.map_or(0, |(_, migrations)| migrations as usize));
    let mut statements: String = missing.copied().collect();
    let current = MIGRATIONS.len();
    statements += &match done {
        Some(_) => format!("UPDATE galley_store SET migrations = GREATEST(migrations, {current});"),
        None => format!(
            "INSERT INTO galley_store (id, format, migrations, revision)
                 VALUES (1, {FORMAT_VERSION}, {current}, 0);
             INSERT INTO galley_commits (revision, token) VALUES (0, {});",
            first_token.cast_signed()
        ),
    };
    connection.run(connection.client.batch_execute(&format!(
        "BEGIN; {statements} COMMIT; SELECT pg_advisory_unlock({MIGRATION_LOCK})"
    )))
}
