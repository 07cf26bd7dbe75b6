//! The replica: the content of the database, in a redb file of this process.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::super::recent_commits::KEYS_MAX;
use super::super::redb::{RedbStore, ReplicaWriter, Replicated, ReplicatedCommit};
use super::super::{Batch, ChangedKeys, Snapshot, Store, StoreError, Table};
use super::connection::{Connection, Database, RequestError};
use super::identity::StoreIdentity;
use crate::store::postgres::{changes::Changes, locks::lock};

/// Minimum interval between durable writes of the file. After a crash, commits in between are read from the
/// database again.
const DURABLE_EVERY: Duration = Duration::from_secs(1);

/// Selects the last commit of the store with its token, and the token that the database has for the commit of
/// the replica.
const LAST_COMMIT: &str = "SELECT store.revision, last.token, mine.token FROM galley_store store
     LEFT JOIN galley_commits last ON last.revision = store.revision
     LEFT JOIN galley_commits mine ON mine.revision = $1";

/// Fetches the next records.
const FETCH: &str = "FETCH 64 FROM changes";

/// A file with the content of the database.
pub(super) struct Replica {
    store: RedbStore,
    state: Mutex<ReplicaState>,
}

struct ReplicaState {
    /// The commit in the file, or `None` if it must be read from the file.
    commit: Option<ReplicatedCommit>,
    /// Time of the last durable write of the file.
    durable_at: Option<Instant>,
    /// The identity of the database that is stored in the file, if this process has read or written it.
    identity: Option<StoreIdentity>,
}

impl Replica {
    /// Opens the file at `path`. A damaged file is replaced by an empty one, because the database has all
    /// records.
    ///
    /// # Errors
    ///
    /// The errors of [`RedbStore::open`].
    pub(super) fn open(path: &Path, cache_bytes: usize) -> Result<Self, StoreError> {
        open_or_replace(path, cache_bytes).map(Self::in_file)
    }

    /// Returns the replica in a file that is open.
    pub(super) fn in_file(store: RedbStore) -> Self {
        Self {
            store,
            state: Mutex::new(ReplicaState {
                commit: None,
                durable_at: None,
                identity: None,
            }),
        }
    }

    /// Returns a view of the last applied commit.
    pub(super) fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.store.snapshot()
    }

    /// Returns the revision of the file if the file has all records of a commit; `None` if it is empty or may
    /// lack records.
    pub(super) fn whole_revision(&self) -> Result<Option<u64>, StoreError> {
        let commit = self.commit(&mut lock(&self.state))?;
        // A token of 0 means that the file may lack records (`replicated_commit`).
        Ok((commit.token != 0 && commit.revision > 0).then_some(commit.revision))
    }

    /// Returns the identity of the store that the file is a replica of; `None` if an older program wrote it.
    pub(super) fn identity(&self) -> Result<Option<StoreIdentity>, StoreError> {
        let identity = self.store.replicated_store()?;
        Ok(identity.and_then(|identity| serde_json::from_str(&identity).ok()))
    }

    /// Returns an empty batch that spills to the folder of the file.
    pub(super) fn batch(&self) -> Batch {
        self.store.batch()
    }

    /// Returns the keys of the commits after `revision`, if they are known.
    pub(super) fn changes_since(
        &self,
        revision: u64,
    ) -> Result<Option<Vec<ChangedKeys>>, StoreError> {
        self.store.changes_since(revision)
    }

    /// Applies the commits of the database that the file lacks.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the database cannot be read, `Full` or `Io` if the file cannot be written.
    pub(super) fn catch_up(&self, database: &Database) -> Result<(), StoreError> {
        // Held during the copy: two threads that catch up would fetch the same records.
        let mut state = lock(&self.state);
        let commit = self.commit(&mut state)?;
        let behind = database.with_connection(|connection| {
            let (last, replicated) = compare(connection, commit)?;
            Ok((last != commit).then_some(replicated))
        })?;
        if let Some(replicated) = behind {
            if replicated == Replicated::Everything && commit.revision > 0 {
                tracing::info!(
                    replica = commit.revision,
                    "the replica is too old for the changes that the database has retained, or belongs to another database; filling it again"
                );
            }
            let mut connection = database.connection()?;
            let copied = self.copy(&mut state, commit, &mut connection, &database.identity);
            copied.map_err(|error| database.explain(error))?;
            database.keep(connection);
        } else if state.identity.as_ref() != Some(&database.identity) {
            self.note_identity(&mut state, commit, database)?;
        }
        Ok(())
    }

    /// Writes the identity of the database into the file, if the file has another one.
    fn note_identity(
        &self,
        state: &mut ReplicaState,
        commit: ReplicatedCommit,
        database: &Database,
    ) -> Result<(), StoreError> {
        state.identity = self.identity()?;
        if state.identity.as_ref() != Some(&database.identity) {
            let unchanged = |_: &mut ReplicaWriter<'_>| Ok(Some(Vec::new()));
            let identity = Some(&database.identity);
            self.replicate(state, commit, Replicated::Changes, identity, unchanged)?;
        }
        Ok(())
    }

    /// Applies a commit that this process has made on top of the last one.
    ///
    /// # Errors
    ///
    /// `Full` or `Io` if the file cannot be written. The file then catches up later.
    pub(super) fn take_over(
        &self,
        commit: ReplicatedCommit,
        changes: &Changes<'_>,
    ) -> Result<(), StoreError> {
        // Lock order: the state of the replica, then the locks of its file.
        let mut state = lock(&self.state);
        let before = self.commit(&mut state)?;
        // Another thread has caught up further, or the file lacks earlier commits, which `catch_up` applies.
        if before.revision + 1 != commit.revision {
            return Ok(());
        }
        self.replicate(&mut state, commit, Replicated::Changes, None, |writer| {
            for (table, key, value) in changes.iter() {
                match value {
                    Some(value) => {
                        writer.put(table, key, commit.revision, |out| value.append_to(out))?;
                    }
                    None => writer.delete(table, key)?,
                }
            }
            Ok(changes.keys(commit.revision).map(|keys| vec![keys]))
        })?;
        Ok(())
    }

    /// Copies the records of the database that the file, whose last commit is `before`, lacks.
    fn copy(
        &self,
        state: &mut ReplicaState,
        before: ReplicatedCommit,
        connection: &mut Connection,
        identity: &StoreIdentity,
    ) -> Result<(), RequestError> {
        // All rows are read in one transaction, so that they belong to one commit although others
        // are made meanwhile.
        begin(connection)?;
        // Another commit may have been made since the comparison.
        let (last, replicated) = compare(connection, before)?;
        let rows = match replicated {
            Replicated::Everything => "value IS NOT NULL".to_owned(),
            Replicated::Changes => format!("revision > {}", before.revision),
        };
        connection.run(connection.client.batch_execute(&format!(
            "DECLARE changes NO SCROLL CURSOR FOR SELECT table_name, key, revision, value
             FROM galley_records WHERE {rows} ORDER BY table_name, key"
        )))?;
        // The closure returns errors of the store, so an error of the database is passed on
        // separately: it decides whether the connection has ended.
        let mut failed = None;
        let identity = (state.identity.as_ref() != Some(identity)).then_some(identity);
        let written = self.replicate(state, last, replicated, identity, |writer| {
            let copied = copy_rows(connection, writer);
            let commits = copied.map_err(|error| match error {
                RequestError::Store(error) => error,
                error => {
                    let detail = error.to_string().into();
                    failed = Some(error);
                    StoreError::Unavailable {
                        store: "".into(),
                        detail,
                    }
                }
            })?;
            Ok(commits
                .filter(|_| replicated == Replicated::Changes)
                .and_then(|commits| commits.between(before.revision, last.revision)))
        });
        match (failed, written) {
            (Some(error), _) => return Err(error),
            (None, written) => written?,
        }
        connection.run(connection.client.batch_execute("COMMIT"))
    }

    fn replicate(
        &self,
        state: &mut ReplicaState,
        commit: ReplicatedCommit,
        replicated: Replicated,
        identity: Option<&StoreIdentity>,
        write: impl FnOnce(&mut ReplicaWriter<'_>) -> Result<Option<Vec<ChangedKeys>>, StoreError>,
    ) -> Result<(), StoreError> {
        let source = identity.map(serde_json::to_string).transpose();
        let source = source.map_err(|error| StoreError::Io {
            store: "the replica".into(),
            source: error.into(),
        })?;
        // A full copy is always flushed, so that a crash does not make the process repeat it.
        let is_durable = replicated == Replicated::Everything
            || source.is_some()
            || state
                .durable_at
                .is_none_or(|at| at.elapsed() >= DURABLE_EVERY);
        // Read again after a failure: a reopened file may contain an earlier commit.
        state.commit = None;
        self.store
            .replicate(commit, replicated, source.as_deref(), is_durable, write)?;
        state.commit = Some(commit);
        if let Some(identity) = identity {
            state.identity = Some(identity.clone());
        }
        if is_durable {
            state.durable_at = Some(Instant::now());
        }
        Ok(())
    }

    /// Returns the last commit in the file.
    fn commit(&self, state: &mut ReplicaState) -> Result<ReplicatedCommit, StoreError> {
        match state.commit {
            Some(commit) => Ok(commit),
            None => {
                let commit = self.store.replicated_commit()?;
                state.commit = Some(commit);
                Ok(commit)
            }
        }
    }
}

/// Opens the file at `path`. Replaces a damaged file by an empty one.
///
/// # Errors
///
/// The errors of [`RedbStore::open`].
pub(super) fn open_or_replace(path: &Path, cache_bytes: usize) -> Result<RedbStore, StoreError> {
    match RedbStore::open(path, cache_bytes) {
        Err(error @ StoreError::Damaged { .. }) => {
            tracing::warn!(%error, "the replica of the database is damaged; filling it again");
            fs::remove_file(path).map_err(|source| StoreError::Io {
                store: path.display().to_string().into(),
                source,
            })?;
            RedbStore::open(path, cache_bytes)
        }
        opened => opened,
    }
}

/// Returns the last commit of the database.
pub(super) fn last_commit(connection: &mut Connection) -> Result<ReplicatedCommit, RequestError> {
    Ok(compare(connection, ReplicatedCommit::default())?.0)
}

fn begin(connection: &Connection) -> Result<(), RequestError> {
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
    connection.run(connection.client.batch_execute(begin))
}

/// Returns the last commit of the database, and which records a file with the commit `mine` lacks.
fn compare(
    connection: &mut Connection,
    mine: ReplicatedCommit,
) -> Result<(ReplicatedCommit, Replicated), RequestError> {
    let statement = connection.prepared(LAST_COMMIT)?;
    let revision = mine.revision.cast_signed();
    let row = connection.run(connection.client.query_one(&statement, &[&revision]))?;
    let last = ReplicatedCommit {
        revision: row.try_get::<_, i64>(0)?.cast_unsigned(),
        token: row.try_get::<_, i64>(1)?.cast_unsigned(),
    };
    let known: Option<i64> = row.try_get(2)?;
    // If the database has deleted a commit, it may also have deleted the marks of records that were deleted
    // since then.
    let is_known = known.is_some_and(|token| token.cast_unsigned() == mine.token);
    let replicated = if is_known && mine.revision <= last.revision {
        Replicated::Changes
    } else {
        Replicated::Everything
    };
    Ok((last, replicated))
}

/// Writes all records of the cursor, and returns their keys by commit, or `None` if there are too many.
fn copy_rows(
    connection: &mut Connection,
    writer: &mut ReplicaWriter<'_>,
) -> Result<Option<KeysByCommit>, RequestError> {
    let mut commits = Some(KeysByCommit::default());
    loop {
        let rows = connection.run(connection.client.query(FETCH, &[]))?;
        if rows.is_empty() {
            return Ok(commits);
        }
        for row in &rows {
            let name: &str = row.try_get(0)?;
            // A table of a newer program. The replica is filled again when this program knows the table.
            let Some(table) = Table::ALL.iter().find(|table| table.name() == name) else {
                continue;
            };
            let key: &[u8] = row.try_get(1)?;
            let revision = row.try_get::<_, i64>(2)?.cast_unsigned();
            match row.try_get::<_, Option<&[u8]>>(3)? {
                Some(value) => writer.put(*table, key, revision, |out| {
                    out.extend_from_slice(value);
                    Ok(())
                })?,
                None => writer.delete(*table, key)?,
            }
            commits = commits.and_then(|commits| commits.with(revision, *table, key));
        }
    }
}

/// The keys that several commits changed.
#[derive(Default)]
struct KeysByCommit(Vec<(u64, Table, Box<[u8]>)>);

impl KeysByCommit {
    fn with(mut self, revision: u64, table: Table, key: &[u8]) -> Option<Self> {
        self.0.push((revision, table, key.into()));
        (self.0.len() <= KEYS_MAX).then_some(self)
    }

    /// Returns the keys of each commit after `before` up to `last`. A key that was changed several times is
    /// only in the latest of its commits.
    fn between(mut self, before: u64, last: u64) -> Option<Vec<ChangedKeys>> {
        // Also without keys, each commit costs an entry.
        if last - before > KEYS_MAX as u64 {
            return None;
        }
        self.0.sort_by_key(|(revision, ..)| *revision);
        let mut keys = self.0.into_iter().peekable();
        let commits = (before + 1..=last).map(|revision| {
            let mut of_commit = Vec::new();
            while let Some((_, table, key)) = keys.next_if(|(of, ..)| *of == revision) {
                of_commit.push((table, key));
            }
            ChangedKeys {
                revision,
                keys: of_commit.into(),
            }
        });
        Some(commits.collect())
    }
}
